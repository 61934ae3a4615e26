//! Symbolic execution of a part of a graph without cycles: from a node to the cuts that come next.
//!
//! **State.** Registers, memory, local objects and the history of calls are entries of one map from a
//! variable to its value. Where ways meet, values are merged by their conditions. As both versions
//! share the pool, equal computations are equal terms.
//!
//! **Memory** that is no local object is one array from addresses to words, or to bytes where
//! accesses have several widths; accesses are taken to be valid and aligned. A local object is an array of its own
//! as long as every access to it can be seen to be one: an address that gets elsewhere ends the proof.
//!
//! **Functions without a body** extend the history; what they return and leave behind is a function of
//! the history, their arguments, and what they may look at, which counts as equal only if it is the
//! same term ([`Executor::digest`]).

use crate::flat::{Flat, Objects, Step};
use crate::foreign::{self, Kind};
use program::Property;
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::{Substitution, free_vars};
use term::{Op, Pool, Sort, Term};
use value::Bits;

/// Functions that print, and change nothing of the program's.
pub const QUIET: [&str; 9] =
    ["printf", "puts", "putchar", "fprintf", "fputs", "fputc", "putc", "perror", "fflush"];
/// What begins the names of values that were never set; they are the same in both versions.
pub const UNSET: &str = "unset ";
/// How many bytes a copy may have.
const MAX_COPY: u64 = 4096;
/// How many values of a constant table are looked at one by one.
const MAX_TABLE: usize = 600;

/// A state: what variables hold.
#[derive(Clone, Default)]
pub struct State {
    /// Values by variable.
    pub values: FxHashMap<Term, Term>,
}

/// A way to a cut.
pub struct Way {
    /// The cut.
    pub to: usize,
    /// When it is gone.
    pub condition: Term,
    /// The state there.
    pub state: State,
}

/// Why execution ends.
pub type Stuck = &'static str;

/// Executes graphs of one version.
pub struct Executor<'p> {
    /// The pool of both versions.
    pub pool: &'p Pool,
    /// Static objects.
    pub objects: &'p Objects,
    /// The graph.
    pub flat: &'p Flat,
    /// Memory that is no local object.
    pub memory: Term,
    /// The history of calls.
    pub history: Term,
    /// The contents of local objects.
    pub contents: Vec<Term>,
    /// Bytes of a word of memory.
    pub word: u32,
    /// Whether runs with signed overflow do not count.
    pub no_overflow: bool,
    /// The width of an address.
    pub pointer: u32,
    /// The checks that are assumed to hold.
    pub assumed: Vec<(Property, Term)>,
    /// Conditions under which the depth of the graph is not enough.
    pub beyond: Vec<Term>,
    /// Applications of abstracted functions, with the conditions under which they are met.
    pub applied: Vec<(Term, String, Vec<Term>)>,
    fresh: usize,
    bases: FxHashMap<Term, usize>,
    out: Vec<Vec<usize>>,
    free: FxHashMap<Term, Vec<Term>>,
}

/// Where an address is.
enum Target {
    Local(usize, Term),
    Constant(Term, Term),
    Memory,
}

impl<'p> Executor<'p> {
    /// An executor for a graph; the prefix tells the versions apart.
    pub fn new(
        pool: &'p Pool,
        objects: &'p Objects,
        flat: &'p Flat,
        prefix: &str,
        (word, pointer, no_overflow): (u32, u32, bool),
    ) -> Executor<'p> {
        let address = Sort::BitVec(pointer);
        let array = |bytes: u32| pool.array_sort(address, Sort::BitVec(8 * bytes));
        let contents = flat.locals.iter().enumerate().map(|(number, (_, width))| {
            pool.var(&format!("{prefix}contents {number}"), array(width.unwrap_or(1)))
        });
        let bases = flat.locals.iter().enumerate().map(|(number, (base, _))| (*base, number));
        Executor {
            pool,
            objects,
            flat,
            memory: pool.var(&format!("{prefix}memory"), array(word)),
            history: pool.var(&format!("{prefix}history"), Sort::BitVec(64)),
            contents: contents.collect(),
            word,
            no_overflow,
            pointer,
            assumed: Vec::new(),
            beyond: Vec::new(),
            applied: Vec::new(),
            fresh: 0,
            bases: bases.collect(),
            out: flat.out(),
            free: FxHashMap::default(),
        }
    }

    /// How much was noted of assumptions, depth and applications.
    pub fn noted(&self) -> [usize; 3] {
        [self.assumed.len(), self.beyond.len(), self.applied.len()]
    }

    /// Forgets what was noted since, of a run that is no part of a proof.
    pub fn forget(&mut self, [assumed, beyond, applied]: [usize; 3]) {
        self.assumed.truncate(assumed);
        self.beyond.truncate(beyond);
        self.applied.truncate(applied);
    }

    /// All ways from a node to the cuts that come next.
    pub fn run(
        &mut self,
        from: usize,
        state: &State,
        cut: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<Way>, Stuck> {
        let order = self.order(from, cut);
        let mut arrived: FxHashMap<usize, Vec<(Term, State)>> = FxHashMap::default();
        arrived.insert(from, vec![(self.pool.tru(), state.clone())]);
        let mut ways: Vec<Way> = Vec::new();
        for (position, &node) in order.iter().enumerate() {
            let Some(states) = arrived.remove(&node) else { continue };
            let (condition, state) = self.merge(states);
            if cut(node) && position > 0 {
                ways.push(Way { to: node, condition, state });
                continue;
            }
            for number in self.out[node].clone() {
                let edge = &self.flat.edges[number];
                let mut next = (condition, state.clone());
                self.step(&edge.step, &mut next)?;
                if self.pool.as_bool(next.0) == Some(false) {
                    continue;
                }
                // A cut that is also where this began is come to again.
                if edge.to == from {
                    let (condition, state) = next;
                    ways.push(Way { to: from, condition, state });
                } else {
                    arrived.entry(edge.to).or_default().push(next);
                }
            }
        }
        Ok(self.joined(ways))
    }

    /// Ways to the same cut as one.
    fn joined(&self, ways: Vec<Way>) -> Vec<Way> {
        let mut by_cut: Vec<(usize, Vec<(Term, State)>)> = Vec::new();
        for way in ways {
            match by_cut.iter_mut().find(|(to, _)| *to == way.to) {
                Some((_, states)) => states.push((way.condition, way.state)),
                None => by_cut.push((way.to, vec![(way.condition, way.state)])),
            }
        }
        let join = |(to, states)| {
            let (condition, state) = self.merge(states);
            Way { to, condition, state }
        };
        by_cut.into_iter().map(join).collect()
    }

    /// Nodes up to the next cuts, each after those that lead to it.
    fn order(&self, from: usize, cut: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let mut seen = FxHashSet::default();
        let mut order = Vec::new();
        let mut stack = vec![(from, 0)];
        seen.insert(from);
        while let Some((node, next)) = stack.pop() {
            let ends = cut(node) && node != from;
            match self.out[node].get(next).filter(|_| !ends) {
                None => order.push(node),
                Some(&edge) => {
                    stack.push((node, next + 1));
                    let to = self.flat.edges[edge].to;
                    if seen.insert(to) {
                        stack.push((to, 0));
                    }
                }
            }
        }
        order.reverse();
        order
    }

    fn merge(&self, mut states: Vec<(Term, State)>) -> (Term, State) {
        let (mut condition, mut merged) = states.pop().expect("somebody has come here");
        while let Some((other, state)) = states.pop() {
            // What a state says nothing of holds what it held.
            let variables: FxHashSet<Term> =
                state.values.keys().chain(merged.values.keys()).copied().collect();
            for variable in variables {
                let (value, own) = (self.held(&state, variable), self.held(&merged, variable));
                if value != own {
                    merged.values.insert(variable, self.pool.ite(other, value, own));
                }
            }
            condition = self.pool.or([other, condition]);
        }
        (condition, merged)
    }

    /// A term with the values that variables hold.
    pub fn value(&mut self, state: &State, term: Term) -> Term {
        let free = match self.free.get(&term) {
            Some(free) => free,
            None => {
                let free = free_vars(self.pool, &[term]);
                self.free.entry(term).or_insert(free)
            }
        };
        let held = free.iter().filter_map(|v| Some((*v, *state.values.get(v)?)));
        Substitution::new(held).apply(self.pool, term)
    }

    fn unknown(&mut self, sort: Sort) -> Term {
        self.fresh += 1;
        self.pool.fresh_var("unknown", sort)
    }

    fn step(&mut self, step: &Step, next: &mut (Term, State)) -> Result<(), Stuck> {
        let pool = self.pool;
        match step {
            Step::Skip => {}
            Step::Assume(condition) => {
                let condition = self.value(&next.1, *condition);
                next.0 = pool.and([next.0, condition]);
            }
            Step::Assign(variable, term) => {
                let value = self.value(&next.1, *term);
                next.1.values.insert(*variable, value);
            }
            Step::Havoc(variable) => {
                let value = self.unknown(pool.sort(*variable));
                next.1.values.insert(*variable, value);
            }
            Step::Unset(variable, name) => {
                let value = pool.var(&format!("{UNSET}{name}"), pool.sort(*variable));
                next.1.values.insert(*variable, value);
            }
            Step::Check(Property::Overflow, _) if !self.no_overflow => {}
            Step::Check(property, condition) => {
                let condition = self.value(&next.1, *condition);
                // What is asked about local objects is not needed, and must not get into values.
                if free_vars(pool, &[condition]).iter().any(|v| self.bases.contains_key(v)) {
                    return Ok(());
                }
                if pool.as_bool(condition) != Some(true) {
                    self.assumed.push((*property, condition));
                }
                next.0 = pool.and([next.0, condition]);
            }
            Step::Load { into, address } => {
                let address = self.value(&next.1, *address);
                let value = self.load(&next.1, address, pool.sort(*into))?;
                next.1.values.insert(*into, value);
            }
            Step::Store { address, value } => {
                let address = self.value(&next.1, *address);
                let value = self.value(&next.1, *value);
                self.store(&mut next.1, address, value)?;
            }
            Step::Allocate { into, local, name } => {
                next.1.values.insert(*into, self.flat.locals[*local].0);
                let contents = self.contents[*local];
                let first = pool.var(&format!("{UNSET}{name}"), pool.sort(contents));
                next.1.values.insert(contents, first);
            }
            Step::Copy { to, from, length } => {
                let [to, from, length] = [*to, *from, *length].map(|t| self.value(&next.1, t));
                self.copy(&mut next.1, to, from, length)?;
            }
            Step::Fill { to, byte, length } => {
                let [to, byte, length] = [*to, *byte, *length].map(|t| self.value(&next.1, t));
                self.fill(&mut next.1, to, byte, length)?;
            }
            Step::Foreign { name, arguments, results } => {
                self.foreign(name, arguments, results, &mut next.1)?;
            }
            Step::Abstract { name, arguments, results } => {
                let arguments: Vec<Term> =
                    arguments.iter().map(|a| self.value(&next.1, *a)).collect();
                for (number, result) in results.iter().enumerate() {
                    let label = format!("{name} result {number}");
                    let value = self.application(&label, &arguments, pool.sort(*result));
                    next.1.values.insert(*result, value);
                }
                self.applied.push((next.0, name.clone(), arguments));
            }
            Step::Beyond => {
                self.beyond.push(next.0);
                next.0 = pool.fls();
            }
            Step::Unsupported(what) => {
                if pool.as_bool(next.0) != Some(false) {
                    return Err(what);
                }
            }
        }
        Ok(())
    }

    /// An uninterpreted function of arguments.
    pub fn application(&self, name: &str, arguments: &[Term], result: Sort) -> Term {
        let sorts: Vec<Sort> = arguments.iter().map(|a| self.pool.sort(*a)).collect();
        self.pool.apply(self.pool.function(name, &sorts, result), arguments)
    }

    /// Stands for a value that is compared by being the same term.
    fn digest(&self, term: Term) -> Term {
        self.pool.var(&format!("digest {}", term.index()), Sort::BitVec(64))
    }

    fn foreign(
        &mut self,
        name: &str,
        arguments: &[Term],
        results: &[Term],
        state: &mut State,
    ) -> Result<(), Stuck> {
        let pool = self.pool;
        let values: Vec<Term> = arguments.iter().map(|a| self.value(state, *a)).collect();
        let kind = foreign::kind(name);
        if kind == Kind::Mark {
            for result in results {
                if let Sort::BitVec(width) = pool.sort(*result) {
                    state.values.insert(*result, pool.bits(Bits::ones(width)));
                }
            }
            return Ok(());
        }
        let mut inputs = Vec::new();
        let mut given: Vec<(usize, usize)> = Vec::new();
        for (number, value) in values.iter().enumerate() {
            match self.target(*value) {
                Ok(Target::Local(local, offset)) => {
                    let place = pool.bv_add(offset, pool.bv(number as u64 + 1, self.pointer));
                    inputs.push(place);
                    inputs.push(self.digest(self.held(state, self.contents[local])));
                    given.push((number, local));
                }
                Ok(_) => inputs.push(*value),
                Err(_) => return Err("the address of a local object"),
            }
        }
        let is_constant = |term: &Term| {
            pool.value(*term).is_some()
                || matches!(self.target(*term), Ok(Target::Constant(..) | Target::Local(..)))
        };
        let mut addresses = values.iter().filter(|v| pool.sort(**v) == Sort::BitVec(self.pointer));
        let quiet = QUIET.contains(&name);
        let looks = kind == Kind::Effect && (!quiet || !addresses.all(is_constant));
        if looks {
            inputs.push(self.digest(self.held(state, self.memory)));
        }
        if kind == Kind::Effect {
            inputs.push(self.held(state, self.history));
            if !quiet {
                for (_, global) in self.flat.globals.clone() {
                    inputs.push(self.digest(self.held(state, global)));
                }
            }
        }
        for (number, result) in results.iter().enumerate() {
            let label = format!("{name} result {number}");
            state.values.insert(*result, self.application(&label, &inputs, pool.sort(*result)));
        }
        // What happens to memory and variables is told by the call itself.
        let call = self.application(&format!("{name} call"), &inputs, Sort::BitVec(64));
        for (number, local) in given {
            let contents = self.contents[local];
            let label = format!("argument {number} after {}", call.index());
            state.values.insert(contents, pool.var(&label, pool.sort(contents)));
        }
        if kind == Kind::Effect {
            state.values.insert(self.history, call);
            if !quiet {
                let label = format!("memory after {}", call.index());
                state.values.insert(self.memory, pool.var(&label, pool.sort(self.memory)));
                for (global, register) in self.flat.globals.clone() {
                    let label = format!("{global} after {}", call.index());
                    state.values.insert(register, pool.var(&label, pool.sort(register)));
                }
            }
        }
        Ok(())
    }

    /// What a variable holds.
    pub fn held(&self, state: &State, variable: Term) -> Term {
        state.values.get(&variable).copied().unwrap_or(variable)
    }

    /// The object that an address is in.
    fn target(&self, address: Term) -> Result<Target, Stuck> {
        let pool = self.pool;
        if pool.sort(address) != Sort::BitVec(self.pointer) {
            return Ok(Target::Memory);
        }
        let mut pending = vec![address];
        let (mut base, mut rest) = (None, Vec::new());
        while let Some(term) = pending.pop() {
            if *pool.op(term) == Op::BvAdd {
                pending.extend(pool.args(term));
            } else if base.is_none()
                && (self.bases.contains_key(&term) || self.objects.constants.contains_key(&term))
            {
                base = Some(term);
            } else {
                rest.push(term);
            }
        }
        let others = free_vars(pool, &rest);
        if others.iter().any(|v| self.bases.contains_key(v)) {
            return Err("the address of a local object");
        }
        let offset = rest.into_iter().rev();
        let offset = offset.fold(pool.bv(0, self.pointer), |sum, term| pool.bv_add(sum, term));
        Ok(match base {
            Some(base) => match self.bases.get(&base) {
                Some(local) => Target::Local(*local, offset),
                None => Target::Constant(base, offset),
            },
            None => Target::Memory,
        })
    }

    /// What memory holds at an address now, as an expression.
    pub fn read(&self, address: Term, sort: Sort) -> Option<Term> {
        match (sort, self.target(address)) {
            (Sort::BitVec(width), Ok(Target::Memory)) if width.is_multiple_of(8) => {
                self.select(self.memory, address, width / 8).ok()
            }
            _ => None,
        }
    }

    fn load(&mut self, state: &State, address: Term, sort: Sort) -> Result<Term, Stuck> {
        let pool = self.pool;
        if *pool.op(address) == Op::Ite {
            let [c, a, b] = [0, 1, 2].map(|i| pool.args(address)[i]);
            let (a, b) = (self.load(state, a, sort)?, self.load(state, b, sort)?);
            return Ok(pool.ite(c, a, b));
        }
        let bytes = bytes_of(sort)?;
        let bits = match self.target(address)? {
            Target::Local(local, offset) => {
                let array = self.held(state, self.contents[local]);
                self.select(array, offset, bytes)?
            }
            Target::Constant(object, offset) => self.table(object, offset, bytes)?,
            Target::Memory => self.select(self.held(state, self.memory), address, bytes)?,
        };
        Ok(match sort {
            Sort::Float(format) => pool.make(Op::FpFromBits(format), &[bits]),
            _ => bits,
        })
    }

    fn store(&mut self, state: &mut State, address: Term, value: Term) -> Result<(), Stuck> {
        let pool = self.pool;
        let stored = free_vars(pool, &[value]);
        if stored.iter().any(|v| self.bases.contains_key(v)) {
            return Err("the address of a local object");
        }
        let value = match pool.sort(value) {
            Sort::Float(_) => pool.make(Op::FpToBits, &[value]),
            _ => value,
        };
        bytes_of(pool.sort(value))?;
        let (variable, index) = match self.target(address)? {
            Target::Local(local, offset) => (self.contents[local], offset),
            Target::Constant(..) => return Err("a write to a constant"),
            Target::Memory => (self.memory, address),
        };
        let array = self.write(self.held(state, variable), index, value)?;
        state.values.insert(variable, array);
        Ok(())
    }

    fn element(&self, array: Term) -> u32 {
        let (_, element) = self.pool.array_parts(self.pool.sort(array)).expect("it is an array");
        element.width().unwrap_or(8) / 8
    }

    fn select(&self, array: Term, index: Term, bytes: u32) -> Result<Term, Stuck> {
        let pool = self.pool;
        match self.element(array) {
            element if element == bytes => Ok(pool.select(array, index)),
            1 => {
                let byte = |i: u32| {
                    pool.select(array, pool.bv_add(index, pool.bv(u64::from(i), self.pointer)))
                };
                let first = byte(0);
                Ok((1..bytes).fold(first, |low, i| pool.make(Op::BvConcat, &[byte(i), low])))
            }
            _ => Err("an access of another width"),
        }
    }

    fn write(&self, array: Term, index: Term, value: Term) -> Result<Term, Stuck> {
        let (pool, bytes) = (self.pool, self.pool.width(value) / 8);
        match self.element(array) {
            element if element == bytes => Ok(pool.store(array, index, value)),
            1 => Ok((0..bytes).fold(array, |array, i| {
                let at = pool.bv_add(index, pool.bv(u64::from(i), self.pointer));
                pool.store(array, at, pool.bv_extract(value, 8 * i + 7, 8 * i))
            })),
            _ => Err("an access of another width"),
        }
    }

    /// A value of a constant table.
    fn table(&self, object: Term, offset: Term, bytes: u32) -> Result<Term, Stuck> {
        let (pool, (_, contents)) = (self.pool, &self.objects.constants[&object]);
        if contents.len() > MAX_TABLE {
            return Err("a large table");
        }
        let mut value = pool.bv(0, 8 * bytes);
        for (at, term) in contents {
            let bits = match pool.sort(*term) {
                Sort::Float(_) => pool.make(Op::FpToBits, &[*term]),
                _ => *term,
            };
            if pool.sort(bits) != Sort::BitVec(8 * bytes) {
                return Err("an access of another width");
            }
            let here = pool.eq(offset, pool.bv(*at, self.pointer));
            value = pool.ite(here, bits, value);
        }
        Ok(value)
    }

    fn copy(&mut self, state: &mut State, to: Term, from: Term, length: Term) -> Result<(), Stuck> {
        let pool = self.pool;
        let length = pool.as_bits(length).and_then(Bits::to_u64).filter(|n| *n <= MAX_COPY);
        let length = length.ok_or("a copy of unknown length")?;
        let element = |executor: &Self, state: &State, address| -> Result<Option<u32>, Stuck> {
            Ok(match executor.target(address)? {
                Target::Local(local, _) => {
                    Some(executor.element(executor.held(state, executor.contents[local])))
                }
                Target::Constant(object, _) => {
                    let (_, contents) = &executor.objects.constants[&object];
                    contents.first().map(|(_, term)| match pool.sort(*term) {
                        Sort::Float(format) => format.width() / 8,
                        sort => sort.width().unwrap_or(8) / 8,
                    })
                }
                Target::Memory => Some(executor.word),
            })
        };
        let widths = [element(self, state, to)?, element(self, state, from)?];
        let width = u64::from(widths.into_iter().flatten().max().unwrap_or(1));
        if !length.is_multiple_of(width) {
            return Err("a copy of a part");
        }
        let pointer = self.pointer;
        let at = |base: Term, i: u64| pool.bv_add(base, pool.bv(i * width, pointer));
        let (count, sort) = (length / width, Sort::BitVec(8 * width as u32));
        let mut values = Vec::new();
        for i in 0..count {
            values.push(self.load(state, at(from, i), sort)?);
        }
        for (i, value) in (0..).zip(values) {
            self.store(state, at(to, i), value)?;
        }
        Ok(())
    }

    fn fill(&mut self, state: &mut State, to: Term, byte: Term, length: Term) -> Result<(), Stuck> {
        let pool = self.pool;
        let length = pool.as_bits(length).and_then(Bits::to_u64).filter(|n| *n <= MAX_COPY);
        let length = length.ok_or("memory of unknown length")?;
        let width = match self.target(to)? {
            Target::Local(local, _) => self.element(self.held(state, self.contents[local])),
            _ => self.word,
        };
        if !length.is_multiple_of(u64::from(width)) {
            return Err("a part of an element");
        }
        let value = (1..width).fold(byte, |low, _| pool.make(Op::BvConcat, &[byte, low]));
        for i in 0..length / u64::from(width) {
            let at = pool.bv_add(to, pool.bv(i * u64::from(width), self.pointer));
            self.store(state, at, value)?;
        }
        Ok(())
    }
}

fn bytes_of(sort: Sort) -> Result<u32, Stuck> {
    let width = match sort {
        Sort::BitVec(width) => width,
        Sort::Float(format) => format.width(),
        _ => return Err("a value that memory does not hold"),
    };
    if width.is_multiple_of(8) { Ok(width / 8) } else { Err("a value of no whole bytes") }
}
