//! Arrays by their reads.
//!
//! An equation between arrays that holds in the model defines the variable, up to the elements that
//! were overwritten. Otherwise an equation that does not hold is witnessed by an index, reads go
//! through writes, and what is left of the variable is a\[i₁\], …, a\[iₙ\]: a new variable eₖ for each,
//! with iₖ = iₗ ⇒ eₖ = eₗ beside the formula (Ackermann), which loses nothing.

use super::atoms::{atoms, containing};
use super::solve::constant;
use super::{State, Step, Stuck};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use term::traverse::{substitute, subterms};
use term::value::all_values;
use term::{ArrayValue, Op, Pool, Sort, Term, Value, eval};

/// The step for an array variable; none where it occurs otherwise than by reads, writes and
/// equations.
pub fn eliminate(state: &mut State<'_>, variable: Term) -> Result<Option<Step>, Stuck> {
    if let Some(step) = defined(state, variable)? {
        return Ok(Some(step));
    }
    let Some(formula) = without_equations(state, variable)? else { return Ok(None) };
    let (_, element) =
        state.pool.array_parts(state.pool.sort(variable)).expect("an array sort has parts");
    let default = eval::default_value(state.pool, element);
    let Some(default) = constant(state.pool, &default) else { return Ok(None) };
    let mut reads = Reads::new(state, variable, element, formula.auxiliary);
    let Some(body) = reads.rewrite(formula.term)? else { return Ok(None) };
    let Reads { elements, conditions, auxiliary, .. } = reads;
    let pool = state.pool;
    let empty = pool.const_array(pool.sort(variable), default);
    let function = elements.iter().fold(empty, |a, read| pool.store(a, read.index, read.element));
    let relation =
        pool.and(elements.iter().map(|r| pool.eq(pool.select(variable, r.index), r.element)));
    let formula = pool.and([body, pool.and(conditions)]);
    if !containing(pool, &[formula], variable).is_empty() {
        return Ok(None);
    }
    Ok(Some(Step { formula, relation, function, auxiliary }))
}

/// A new variable with a value.
fn auxiliary(state: &mut State<'_>, name: &str, sort: Sort, value: Value) -> (Term, Value) {
    let variable = state.pool.fresh_var(name, sort);
    state.extra.insert(variable, value.clone());
    (variable, value)
}

fn array_of(state: &State<'_>, term: Term) -> Result<std::sync::Arc<ArrayValue>, Stuck> {
    match state.value(term)? {
        Value::Array(array) => Ok(array),
        _ => unreachable!("typing: an array"),
    }
}

/// The equations between arrays with the variable, with whether they hold.
fn equations(state: &State<'_>, variable: Term) -> Result<Vec<(Term, bool)>, Stuck> {
    let pool = state.pool;
    let mut found = Vec::new();
    for atom in atoms(pool, state.formula, variable) {
        let is_array = |t: &Term| matches!(pool.sort(*t), Sort::Array(_));
        if *pool.op(atom) == Op::Eq && is_array(&pool.args(atom)[0]) {
            found.push((atom, state.value(atom)? == Value::Bool(true)));
        }
    }
    Ok(found)
}

/// From a[i₁ ↦ v₁]…[iₙ ↦ vₙ] = t, which holds: a is t with other elements at i₁, …, iₙ.
fn defined(state: &mut State<'_>, variable: Term) -> Result<Option<Step>, Stuck> {
    let pool = state.pool;
    for (atom, holds) in equations(state, variable)? {
        let [a, b] = pool.args(atom)[..] else { unreachable!("an equation has two sides") };
        let inside = containing(pool, &[atom], variable);
        let (mut left, right) = match (inside.contains(&a), inside.contains(&b)) {
            (true, false) if holds => (a, b),
            (false, true) if holds => (b, a),
            _ => continue,
        };
        let mut written = Vec::new();
        while let (Op::Store, [array, index, _]) = (pool.op(left), pool.args(left)) {
            if inside.contains(index) {
                break;
            }
            written.push(*index);
            left = *array;
        }
        if left != variable {
            continue;
        }
        let (mut function, mut new) = (right, Vec::new());
        for index in written {
            let value = state.value(pool.select(variable, index))?;
            let element =
                auxiliary(state, "element", pool.sort(pool.select(variable, index)), value);
            function = pool.store(function, index, element.0);
            new.push(element);
        }
        let formula = substitute(pool, state.formula, [(variable, function)]);
        let relation = pool.eq(variable, function);
        return Ok(Some(Step { formula, relation, function, auxiliary: new }));
    }
    Ok(None)
}

/// A formula with variables that were made for it.
struct Made {
    term: Term,
    auxiliary: Vec<(Term, Value)>,
}

/// The state's formula with equations of the variable that do not hold replaced by ⊥, beside an
/// index at which the two sides differ; none if one holds that defines nothing.
fn without_equations(state: &mut State<'_>, variable: Term) -> Result<Option<Made>, Stuck> {
    let pool = state.pool;
    let (mut conditions, mut map, mut new) = (Vec::new(), Vec::new(), Vec::new());
    for (atom, holds) in equations(state, variable)? {
        let [a, b] = pool.args(atom)[..] else { unreachable!("an equation has two sides") };
        if holds {
            return Ok(None);
        }
        let (left, right) = (array_of(state, a)?, array_of(state, b)?);
        let (sort, _) = pool.array_parts(pool.sort(a)).expect("an array sort has parts");
        let Some(value) = difference(sort, &left, &right) else { return Ok(None) };
        let index = auxiliary(state, "index", sort, value);
        conditions.push(pool.ne(pool.select(a, index.0), pool.select(b, index.0)));
        new.push(index);
        map.push((atom, pool.fls()));
    }
    let term = pool.and([substitute(pool, state.formula, map), pool.and(conditions)]);
    Ok(Some(Made { term, auxiliary: new }))
}

/// An index at which two arrays differ.
fn difference(sort: Sort, left: &ArrayValue, right: &ArrayValue) -> Option<Value> {
    let named: BTreeSet<&Value> = left.entries.keys().chain(right.entries.keys()).collect();
    if let Some(index) = named.iter().find(|index| left.select(index) != right.select(index)) {
        return Some((*index).clone());
    }
    // Beyond the named ones both have their defaults.
    match sort {
        Sort::Int => Some(match named.last() {
            Some(Value::Int(n)) => Value::Int(n + 1),
            _ => Value::Int(BigInt::default()),
        }),
        Sort::Real => Some(match named.last() {
            Some(Value::Real(r)) => Value::Real(r + BigRational::one()),
            _ => Value::Real(BigRational::default()),
        }),
        _ => {
            sort.cardinality()?;
            all_values(sort).find(|index| !named.contains(index))
        }
    }
}

/// An element of the variable.
struct Read {
    index: Term,
    element: Term,
}

/// Replaces the reads of one array variable by variables for its elements.
struct Reads<'s, 'a> {
    state: &'s mut State<'a>,
    variable: Term,
    element: Sort,
    elements: Vec<Read>,
    conditions: Vec<Term>,
    auxiliary: Vec<(Term, Value)>,
    done: FxHashMap<(Term, Term), Term>,
}

impl<'s, 'a> Reads<'s, 'a> {
    fn new(
        state: &'s mut State<'a>,
        variable: Term,
        element: Sort,
        auxiliary: Vec<(Term, Value)>,
    ) -> Self {
        let (elements, conditions, done) = (Vec::new(), Vec::new(), FxHashMap::default());
        Reads { state, variable, element, elements, conditions, auxiliary, done }
    }

    /// The term without reads of the variable; none if it occurs otherwise.
    fn rewrite(&mut self, term: Term) -> Result<Option<Term>, Stuck> {
        let pool: &Pool = self.state.pool;
        let inside: FxHashSet<Term> = containing(pool, &[term], self.variable);
        let mut new: FxHashMap<Term, Term> = FxHashMap::default();
        // Arguments come first, so indices are rewritten before the reads at them.
        for part in subterms(pool, &[term]) {
            if !inside.contains(&part) || part == self.variable {
                new.insert(part, part);
                continue;
            }
            let args: Vec<Term> = pool.args(part).iter().map(|a| new[a]).collect();
            let rewritten = if *pool.op(part) == Op::Select && inside.contains(&pool.args(part)[0])
            {
                match self.read(args[0], args[1])? {
                    Some(element) => element,
                    None => return Ok(None),
                }
            } else {
                pool.make(pool.op(part).clone(), &args)
            };
            new.insert(part, rewritten);
        }
        Ok(Some(new[&term]))
    }

    /// `array[index]` through the writes of the array.
    fn read(&mut self, array: Term, index: Term) -> Result<Option<Term>, Stuck> {
        let pool: &Pool = self.state.pool;
        let mut pending = vec![array];
        while let Some(top) = pending.last().copied() {
            if self.done.contains_key(&(top, index)) {
                pending.pop();
                continue;
            }
            let value = match (pool.op(top), pool.args(top)) {
                _ if top == self.variable => Some(self.element_at(index)?),
                (Op::Store, [rest, at, element]) => self
                    .done
                    .get(&(*rest, index))
                    .map(|below| pool.ite(pool.eq(*at, index), *element, *below)),
                (Op::Ite, [c, t, e]) => {
                    match (self.done.get(&(*t, index)), self.done.get(&(*e, index))) {
                        (Some(t), Some(e)) => Some(pool.ite(*c, *t, *e)),
                        _ => None,
                    }
                }
                _ => Some(pool.select(top, index)),
            };
            match (value, pool.op(top)) {
                (Some(value), _) => {
                    self.done.insert((top, index), value);
                    pending.pop();
                }
                (None, Op::Store) => pending.push(pool.args(top)[0]),
                (None, _) => pending.extend(&pool.args(top)[1..]),
            }
        }
        let read = self.done[&(array, index)];
        // A read of another array, or of one that the variable is inside of.
        let plain = containing(pool, &[read], self.variable).is_empty();
        Ok(plain.then_some(read))
    }

    /// The variable for the element at an index.
    fn element_at(&mut self, index: Term) -> Result<Term, Stuck> {
        let pool: &Pool = self.state.pool;
        if let Some(read) = self.elements.iter().find(|read| read.index == index) {
            return Ok(read.element);
        }
        let value = self.state.value(index)?;
        let content = array_of(self.state, self.variable)?.select(&value).clone();
        let element = auxiliary(self.state, "element", self.element, content);
        let same = |read: &Read| {
            pool.implies(pool.eq(index, read.index), pool.eq(element.0, read.element))
        };
        self.conditions.extend(self.elements.iter().map(same));
        self.elements.push(Read { index, element: element.0 });
        self.auxiliary.push(element.clone());
        Ok(element.0)
    }
}
