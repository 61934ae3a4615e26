//! Arrays by lemmas on demand, after Brummayer and Biere (Lemmas on Demand for the Extensional
//! Theory of Arrays, JSAT 2009).
//!
//! The bit-blaster takes every `select` and every equality of arrays as a free bit pattern. When
//! the SAT solver has a model, [`Arrays::violations`] asks whether arrays with those contents
//! exist: each read (and each write, seen as a read of what was written) starts at its array and
//! travels along stores at other indices, the chosen branches of if-then-elses, and equalities
//! that hold. Two reads that meet at one array with one index value must have one element value;
//! if not, the conditions of their two ways give a lemma, valid in every model, that excludes
//! this one. If none is violated, the reads that reached a variable are its contents.
//!
//! * Unequal arrays differ somewhere: a witness index, one lemma when the equality is first seen.
//! * A constant array reaches, through stores, only arrays that agree with it at all but finitely
//!   many indices. Where the index sort has more values than there are stores, two connected
//!   constant arrays therefore have one element; where it has fewer, constant arrays start a read
//!   for every index.
//!
//! Reads travel from a stored-to array up to the store only if there are equalities at all: without
//! them, going down is enough.

use crate::solver::Error;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use term::eval::default_value;
use term::value::all_values;
use term::{ArrayValue, Op, Pool, Sort, Term, Value};

/// The array terms, reads and equalities that the solver has met.
#[derive(Default)]
pub struct Arrays {
    /// Array terms, operands before users.
    arrays: Vec<Term>,
    known: FxHashSet<Term>,
    /// Stores and if-then-elses over an array.
    users: FxHashMap<Term, Vec<Term>>,
    reads: Vec<Term>,
    equalities: Vec<Term>,
    stores: usize,
}

/// A read, or a write seen as one: `element` is at `index` of the array where it starts.
#[derive(Clone, Copy)]
struct Read {
    index: Term,
    element: Term,
}

/// A read at an array, and how it came there.
struct Arrival {
    array: Term,
    read: Read,
    /// The previous arrival and the condition of the step from there.
    from: Option<(usize, Option<Term>)>,
}

impl Arrays {
    /// Whether any array was met.
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }

    /// Takes a `select` that was bit-blasted as free bits. Terms whose values the theory will ask
    /// for are appended to `needed`.
    pub fn add_read(
        &mut self,
        pool: &Pool,
        read: Term,
        needed: &mut Vec<Term>,
    ) -> Result<(), Error> {
        let [array, index] = pool.args(read)[..] else { unreachable!("select is binary") };
        self.add_array(pool, array, needed)?;
        needed.push(index);
        self.reads.push(read);
        Ok(())
    }

    /// Takes an equality of arrays that was bit-blasted as a free bit. Returns its witness lemma:
    /// a = b ∨ a\[k\] ≠ b\[k\] for a fresh k.
    pub fn add_equality(
        &mut self,
        pool: &Pool,
        equality: Term,
        needed: &mut Vec<Term>,
    ) -> Result<Term, Error> {
        let [a, b] = pool.args(equality)[..] else { unreachable!("= is binary") };
        self.add_array(pool, a, needed)?;
        self.add_array(pool, b, needed)?;
        self.equalities.push(equality);
        let (index, _) = pool.array_parts(pool.sort(a)).expect("typing: arrays");
        let witness = pool.fresh_var("differ", index);
        Ok(pool.or([equality, pool.ne(pool.select(a, witness), pool.select(b, witness))]))
    }

    fn add_array(&mut self, pool: &Pool, array: Term, needed: &mut Vec<Term>) -> Result<(), Error> {
        let mut pending = vec![array];
        while let Some(array) = pending.last().copied() {
            if self.known.contains(&array) {
                pending.pop();
                continue;
            }
            let operands = array_operands(pool, array)?;
            let before = pending.len();
            pending.extend(operands.iter().filter(|a| !self.known.contains(a)));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            self.known.insert(array);
            self.arrays.push(array);
            for operand in operands {
                self.users.entry(*operand).or_default().push(array);
            }
            match (pool.op(array), pool.args(array)) {
                (Op::Store, [_, index, element]) => {
                    self.stores += 1;
                    needed.extend([*index, *element]);
                }
                (Op::Ite, [condition, ..]) => needed.push(*condition),
                (Op::ConstArray(_), [element]) => needed.push(*element),
                _ => {}
            }
        }
        Ok(())
    }

    /// Lemmas that the model `value` violates; none if it is consistent with the theory.
    pub fn violations(&self, pool: &Pool, value: &mut dyn FnMut(Term) -> Value) -> Vec<Term> {
        let mut search = Search::new(self, pool, value);
        search.run();
        if search.lemmas.is_empty() {
            search.compare_constant_arrays();
        }
        search.lemmas.sort_unstable();
        search.lemmas.dedup();
        search.lemmas
    }

    /// The contents of every array variable under a model with no violations.
    pub fn contents(
        &self,
        pool: &Pool,
        value: &mut dyn FnMut(Term) -> Value,
    ) -> FxHashMap<Term, Value> {
        let mut search = Search::new(self, pool, value);
        search.run();
        debug_assert!(search.lemmas.is_empty(), "contents are asked of consistent models only");
        let defaults = search.defaults();
        let mut contents = FxHashMap::default();
        for array in self.arrays.iter().filter(|a| matches!(pool.op(**a), Op::Var(_))) {
            let sort = pool.sort(*array);
            let (_, element_sort) = pool.array_parts(sort).expect("typing: an array");
            let default =
                defaults.get(array).cloned().unwrap_or_else(|| default_value(pool, element_sort));
            let entries: BTreeMap<Value, Value> = search
                .at
                .iter()
                .filter(|((at, _), _)| at == array)
                .map(|((_, index), arrival)| {
                    let element = search.arrivals[*arrival].read.element;
                    (index.clone(), search.values[&element].clone())
                })
                .collect();
            let content = ArrayValue::new(sort, default, entries);
            contents.insert(*array, Value::Array(Arc::new(content)));
        }
        contents
    }
}

/// The operands of an array term that are arrays themselves.
fn array_operands(pool: &Pool, array: Term) -> Result<&[Term], Error> {
    let (index, element) = pool.array_parts(pool.sort(array)).expect("typing: an array");
    let unsupported =
        |what: &str| Err(Error::Unsupported { solver: "bit-blasting", what: what.to_string() });
    for sort in [index, element] {
        if !matches!(sort, Sort::Bool | Sort::BitVec(_) | Sort::Float(_) | Sort::RoundingMode) {
            return unsupported("arrays over other sorts than Bool, bit-vectors and floats");
        }
    }
    match (pool.op(array), pool.args(array)) {
        (Op::Var(_) | Op::ConstArray(_), _) => Ok(&[]),
        (Op::Store, args) => Ok(&args[..1]),
        (Op::Ite, args) => Ok(&args[1..]),
        (Op::Apply(_), _) => unsupported("functions that return arrays"),
        _ => unsupported("this array expression"),
    }
}

/// One consistency check.
struct Search<'a> {
    arrays: &'a Arrays,
    pool: &'a Pool,
    value: &'a mut dyn FnMut(Term) -> Value,
    values: FxHashMap<Term, Value>,
    arrivals: Vec<Arrival>,
    /// The first read that came to an array with an index value.
    at: FxHashMap<(Term, Value), usize>,
    queue: VecDeque<usize>,
    /// Equalities that hold, by array.
    equal: FxHashMap<Term, Vec<(Term, Term)>>,
    lemmas: Vec<Term>,
}

impl<'a> Search<'a> {
    fn new(
        arrays: &'a Arrays,
        pool: &'a Pool,
        value: &'a mut dyn FnMut(Term) -> Value,
    ) -> Search<'a> {
        let mut search = Search {
            arrays,
            pool,
            value,
            values: FxHashMap::default(),
            arrivals: Vec::new(),
            at: FxHashMap::default(),
            queue: VecDeque::new(),
            equal: FxHashMap::default(),
            lemmas: Vec::new(),
        };
        for equality in &arrays.equalities {
            if search.value_of(*equality) == Value::Bool(true) {
                let [a, b] = pool.args(*equality)[..] else { unreachable!("= is binary") };
                search.equal.entry(a).or_default().push((b, *equality));
                search.equal.entry(b).or_default().push((a, *equality));
            }
        }
        search
    }

    fn value_of(&mut self, term: Term) -> Value {
        if let Some(value) = self.values.get(&term) {
            return value.clone();
        }
        let value = match self.pool.value(term) {
            Some(value) => value.clone(),
            None => (self.value)(term),
        };
        self.values.insert(term, value.clone());
        value
    }

    fn holds(&mut self, term: Term) -> bool {
        self.value_of(term) == Value::Bool(true)
    }

    /// Starts every read and follows it.
    fn run(&mut self) {
        for read in &self.arrays.reads {
            let [array, index] = self.pool.args(*read)[..] else { unreachable!("select") };
            self.arrive(array, Read { index, element: *read }, None);
        }
        for array in &self.arrays.arrays {
            match (self.pool.op(*array), self.pool.args(*array)) {
                (Op::Store, [_, index, element]) => {
                    self.arrive(*array, Read { index: *index, element: *element }, None);
                }
                (Op::ConstArray(sort), [element]) => self.start_everywhere(*array, *sort, *element),
                _ => {}
            }
        }
        while let Some(arrival) = self.queue.pop_front() {
            self.travel(arrival);
        }
    }

    /// A read of every index at a constant array, where the indices are few.
    fn start_everywhere(&mut self, array: Term, sort: Sort, element: Term) {
        let (index_sort, _) = self.pool.array_parts(sort).expect("typing: an array");
        if index_sort.cardinality().is_none_or(|n| n > self.arrays.stores as u64) {
            return;
        }
        for index in all_values(index_sort) {
            let index = self.pool.constant(index);
            self.arrive(array, Read { index, element }, None);
        }
    }

    /// A read comes to an array: it meets another one, or is the first there and goes on.
    fn arrive(&mut self, array: Term, read: Read, from: Option<(usize, Option<Term>)>) {
        let key = (array, self.value_of(read.index));
        let element = self.value_of(read.element);
        let arrival = self.arrivals.len();
        self.arrivals.push(Arrival { array, read, from });
        match self.at.get(&key).copied() {
            None => {
                self.at.insert(key, arrival);
                self.queue.push_back(arrival);
            }
            Some(other) => {
                let met = self.arrivals[other].read;
                if self.value_of(met.element) != element {
                    self.conflict(arrival, other);
                }
            }
        }
    }

    /// ways(a) ∧ ways(b) ∧ index(a) = index(b) ⇒ element(a) = element(b)
    fn conflict(&mut self, a: usize, b: usize) {
        let pool = self.pool;
        let (x, y) = (self.arrivals[a].read, self.arrivals[b].read);
        let mut parts = vec![pool.eq(x.element, y.element), pool.ne(x.index, y.index)];
        parts.extend(self.way(a).into_iter().chain(self.way(b)).map(|c| pool.not(c)));
        self.lemmas.push(pool.or(parts));
    }

    /// The conditions under which a read came where it is.
    fn way(&self, arrival: usize) -> Vec<Term> {
        let mut conditions = Vec::new();
        let mut at = arrival;
        while let Some((previous, condition)) = self.arrivals[at].from {
            conditions.extend(condition);
            at = previous;
        }
        conditions
    }

    /// The steps from an array that every read may take whose index is not the stored one: the
    /// next array, the condition, and for a store its index.
    fn steps(&mut self, array: Term) -> Vec<(Term, Option<Term>, Option<Term>)> {
        let pool = self.pool;
        let mut steps = Vec::new();
        match (pool.op(array), pool.args(array)) {
            (Op::Store, [below, at, _]) => steps.push((*below, None, Some(*at))),
            (Op::Ite, [condition, then, otherwise]) => {
                if self.holds(*condition) {
                    steps.push((*then, Some(*condition), None));
                } else {
                    steps.push((*otherwise, Some(pool.not(*condition)), None));
                }
            }
            _ => {}
        }
        if self.arrays.equalities.is_empty() {
            return steps;
        }
        for user in self.arrays.users.get(&array).into_iter().flatten() {
            match (pool.op(*user), pool.args(*user)) {
                (Op::Store, [_, at, _]) => steps.push((*user, None, Some(*at))),
                (Op::Ite, [condition, then, otherwise]) => {
                    let chosen = self.holds(*condition);
                    if chosen && *then == array {
                        steps.push((*user, Some(*condition), None));
                    } else if !chosen && *otherwise == array {
                        steps.push((*user, Some(pool.not(*condition)), None));
                    }
                }
                _ => {}
            }
        }
        if let Some(equal) = self.equal.get(&array) {
            steps.extend(equal.iter().map(|(other, equality)| (*other, Some(*equality), None)));
        }
        steps
    }

    fn travel(&mut self, arrival: usize) {
        let Arrival { array, read, .. } = self.arrivals[arrival];
        if let (Op::ConstArray(_), [element]) = (self.pool.op(array), self.pool.args(array))
            && self.value_of(*element) != self.value_of(read.element)
        {
            let pool = self.pool;
            let mut parts = vec![pool.eq(*element, read.element)];
            parts.extend(self.way(arrival).into_iter().map(|c| pool.not(c)));
            self.lemmas.push(pool.or(parts));
            return;
        }
        let index = self.value_of(read.index);
        for (next, condition, stored_at) in self.steps(array) {
            let condition = match stored_at {
                Some(at) if self.value_of(at) == index => continue,
                Some(at) => Some(self.pool.ne(read.index, at)),
                None => condition,
            };
            self.arrive(next, read, Some((arrival, condition)));
        }
    }

    /// Walks from every constant array to all arrays that agree with it almost everywhere; `meet`
    /// is told of each array and the conditions on the way there.
    fn spread(&mut self, start: Term, mut meet: impl FnMut(&mut Self, Term, &[Term])) {
        let mut seen: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
        seen.insert(start, Vec::new());
        let mut queue = VecDeque::from([start]);
        while let Some(array) = queue.pop_front() {
            let conditions = seen[&array].clone();
            meet(self, array, &conditions);
            let mut steps = self.steps(array);
            // Without equalities `steps` goes down only; agreement goes both ways.
            if self.arrays.equalities.is_empty() {
                let users = self.arrays.users.get(&array).cloned().unwrap_or_default();
                for user in users {
                    let back = self.steps(user).into_iter().find(|(to, ..)| *to == array);
                    steps.extend(back.map(|(_, condition, at)| (user, condition, at)));
                }
            }
            for (next, condition, _) in steps {
                if let Entry::Vacant(entry) = seen.entry(next) {
                    entry.insert(conditions.iter().copied().chain(condition).collect());
                    queue.push_back(next);
                }
            }
        }
    }

    fn constant_arrays(&self) -> Vec<(Term, Term)> {
        let parts = |a: &Term| match (self.pool.op(*a), self.pool.args(*a)) {
            (Op::ConstArray(_), [element]) => Some((*a, *element)),
            _ => None,
        };
        self.arrays.arrays.iter().filter_map(parts).collect()
    }

    /// Connected constant arrays have one element, where the indices outnumber the stores.
    fn compare_constant_arrays(&mut self) {
        for (array, element) in self.constant_arrays() {
            let (index, _) = self.pool.array_parts(self.pool.sort(array)).expect("an array");
            if index.cardinality().is_some_and(|n| n <= self.arrays.stores as u64) {
                continue;
            }
            let value = self.value_of(element);
            self.spread(array, |search, other, conditions| {
                let (Op::ConstArray(_), [its]) = (search.pool.op(other), search.pool.args(other))
                else {
                    return;
                };
                if search.value_of(*its) != value {
                    let pool = search.pool;
                    let mut parts = vec![pool.eq(element, *its)];
                    parts.extend(conditions.iter().map(|c| pool.not(*c)));
                    search.lemmas.push(pool.or(parts));
                }
            });
        }
    }

    /// For every array that agrees almost everywhere with a constant array: that one's element.
    fn defaults(&mut self) -> FxHashMap<Term, Value> {
        let mut defaults = FxHashMap::default();
        for (array, element) in self.constant_arrays() {
            let value = self.value_of(element);
            self.spread(array, |_, other, _| {
                defaults.entry(other).or_insert_with(|| value.clone());
            });
        }
        defaults
    }
}
