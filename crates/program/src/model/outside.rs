//! What a model says of memory from outside the program.
//!
//! A proof says nothing of where pointers from outside point: what is behind them is external memory
//! (`fields`). A run has to say it, so that the interpreter can follow: they point into the object
//! that [`Layout::outside`] places. [`Outside`] has what it takes to find such a run, and
//! [`comes_from_outside`] says whether one is honest: every address in that object must have been
//! computed from a pointer that the environment gave. One that was never initialized, or that the
//! program made from a number, points to nothing.
//!
//! [`Layout::outside`]: crate::interpret::layout::Layout::outside

use super::Model;
use crate::cfa::{Cfa, Command, EdgeId, InputId};
use crate::interpret::layout::Layout;
use crate::program::{Cause, Reading};
use crate::verdict::Run;
use rustc_hash::{FxHashMap, FxHashSet};
use term::eval::{default_value, evaluate};
use term::{Op, Pool, Sort, Term, Value};

/// What a model says of memory from outside.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// What edges access that may be there.
    pub accesses: FxHashMap<EdgeId, Vec<Access>>,
    /// The memory whose first contents come from outside, by variable.
    pub contents: FxHashMap<Term, Contents>,
}

/// An access to objects of which some are outside, in terms of the state before its edge.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The first byte.
    pub address: Term,
    /// How many there are, as a word of the width of addresses.
    pub length: Term,
    /// How many low bits of the address the model takes to be zero.
    pub aligned: u32,
    /// Whether it is to one of the program's own objects, as far as the model knows.
    pub own: Term,
}

/// Which of a variable's first contents come from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contents {
    /// The variable is a scalar, and its value does.
    Whole,
    /// The variable is an array, and the bytes in these ranges do: first ones and lengths.
    Elements {
        /// The address of index zero.
        base: u64,
        /// How many low bits of an address are no part of an index.
        dropped: u32,
        /// The ranges.
        ranges: Vec<(u64, u64)>,
    },
}

impl Access {
    /// Whether it is to memory from outside.
    pub fn is_outside(&self, pool: &Pool) -> Term {
        let width = pool.width(self.address);
        let (start, size) = Layout::new(width).outside();
        let (start, size) = (pool.bv(start, width), pool.bv(size, width));
        let offset = pool.bv_sub(self.address, start);
        let inside =
            [pool.bv_ule(self.length, size), pool.bv_ule(offset, pool.bv_sub(size, self.length))];
        let aligned = match self.aligned {
            0 => pool.tru(),
            low => pool.eq(pool.bv_extract(self.address, low - 1, 0), pool.bv(0, low)),
        };
        pool.and(inside.into_iter().chain([aligned]))
    }
}

/// Whether all that a run accesses outside is at addresses that come from there.
///
/// Requires: the run is one of the model's automaton, with the values of all havocs.
pub fn comes_from_outside(pool: &Pool, model: &Model, run: &Run) -> bool {
    let mut origins = Origins::new(pool, model);
    run.steps.iter().all(|step| {
        let accesses = model.outside.accesses.get(&step.edge).into_iter().flatten();
        let honest = accesses.into_iter().all(|access| {
            let outside = origins.value(access.is_outside(pool)) == Value::Bool(true);
            let empty = origins.number(access.length) == Some(0);
            !outside || empty || origins.is_outside(access.address)
        });
        origins.execute(&model.cfa.edges[step.edge].command, &mut step.inputs.iter());
        honest
    })
}

/// A state of a run, and which values in it come from outside.
struct Origins<'a> {
    pool: &'a Pool,
    cfa: &'a Cfa,
    contents: &'a FxHashMap<Term, Contents>,
    state: FxHashMap<Term, Value>,
    /// The scalars whose values do.
    scalars: FxHashSet<Term>,
    /// The elements of arrays that were written, and whether their values do.
    written: FxHashMap<Term, FxHashMap<Value, bool>>,
    /// Arrays that got other contents than their first.
    replaced: FxHashSet<Term>,
}

impl<'a> Origins<'a> {
    fn new(pool: &'a Pool, model: &'a Model) -> Self {
        Origins {
            pool,
            cfa: &model.cfa,
            contents: &model.outside.contents,
            state: FxHashMap::default(),
            scalars: FxHashSet::default(),
            written: FxHashMap::default(),
            replaced: FxHashSet::default(),
        }
    }

    fn value(&self, term: Term) -> Value {
        let default = || default_value(self.pool, self.pool.sort(term));
        evaluate(self.pool, term, &self.state).unwrap_or_else(|_| default())
    }

    fn number(&self, term: Term) -> Option<u64> {
        self.value(term).as_bits().and_then(|bits| bits.to_u64())
    }

    fn execute<'r>(
        &mut self,
        command: &Command,
        inputs: &mut impl Iterator<Item = &'r (InputId, Value)>,
    ) {
        match command {
            Command::Assume(_) => {}
            Command::Assign(variable, term) => {
                match self.pool.sort(*variable) {
                    Sort::Array(_) => self.write(*variable, *term),
                    _ => {
                        let outside = self.is_outside(*term);
                        self.mark(*variable, outside);
                    }
                }
                let value = self.value(*term);
                self.state.insert(*variable, value);
            }
            Command::Havoc(variable, input) => {
                self.written.remove(variable);
                let outside = self.is_source(*variable, *input);
                self.mark(*variable, outside);
                if let Some((_, value)) = inputs.next() {
                    self.state.insert(*variable, value.clone());
                }
            }
            // The automaton before minimization has no choices.
            Command::Sequence(commands) | Command::Choice(commands) => {
                commands.iter().for_each(|command| self.execute(command, inputs));
            }
        }
    }

    fn mark(&mut self, scalar: Term, outside: bool) {
        match outside {
            true => self.scalars.insert(scalar),
            false => self.scalars.remove(&scalar),
        };
    }

    /// Whether what a variable takes is a pointer that the environment gives, or bytes that may be.
    fn is_source(&self, variable: Term, input: InputId) -> bool {
        let input = &self.cfa.inputs[input];
        if input.instruction.is_none() {
            return self.contents.get(&variable) == Some(&Contents::Whole);
        }
        let origin = self.cfa.variables.get(&variable);
        let memory = |origin: &crate::cfa::Origin| origin.variable.is_none();
        let address = origin.is_some_and(|o| o.reading == Reading::Address || memory(o));
        address && matches!(input.cause, Cause::Input(_) | Cause::Unknown(_))
    }

    /// Takes note of what becomes of an array.
    fn write(&mut self, variable: Term, term: Term) {
        let mut stores = Vec::new();
        let mut at = term;
        while let (Op::Store, &[before, index, value]) = (self.pool.op(at), self.pool.args(at)) {
            stores.push((self.value(index), self.is_outside(value)));
            at = before;
        }
        if at != variable {
            self.replaced.insert(variable);
            self.written.remove(&variable);
        }
        self.written.entry(variable).or_default().extend(stores.into_iter().rev());
    }

    /// Whether the value of a term was computed from one that comes from outside.
    fn is_outside(&self, term: Term) -> bool {
        let pool = self.pool;
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            match (pool.op(term), pool.args(term)) {
                (Op::Var(_), _) if self.scalars.contains(&term) => return true,
                (Op::Ite, &[condition, then, otherwise]) => {
                    let holds = self.value(condition) == Value::Bool(true);
                    pending.push(if holds { then } else { otherwise });
                }
                (Op::Select, &[array, index]) => match self.element(array, self.value(index)) {
                    Element::Term(value) => pending.push(value),
                    Element::Outside(true) => return true,
                    Element::Outside(false) => {}
                },
                (_, args) => pending.extend(args),
            }
        }
        false
    }

    /// An element of an array.
    fn element(&self, mut array: Term, index: Value) -> Element {
        let pool = self.pool;
        loop {
            match (pool.op(array), pool.args(array)) {
                (Op::Store, &[_, at, value]) if self.value(at) == index => {
                    return Element::Term(value);
                }
                (Op::Store, &[before, ..]) => array = before,
                _ => break,
            }
        }
        let written = self.written.get(&array).and_then(|written| written.get(&index));
        Element::Outside(written.copied().unwrap_or_else(|| self.is_first(array, &index)))
    }

    /// Whether the first contents of an array come from outside there.
    fn is_first(&self, array: Term, index: &Value) -> bool {
        let first = self.contents.get(&array).filter(|_| !self.replaced.contains(&array));
        let Some(Contents::Elements { base, dropped, ranges }) = first else { return false };
        let index = index.as_bits().and_then(|bits| bits.to_u64());
        let address = index.map(|index| (index << dropped).wrapping_add(*base));
        let within = |at: u64| ranges.iter().any(|(start, size)| at.wrapping_sub(*start) < *size);
        address.is_some_and(within)
    }
}

/// What an element of an array is.
enum Element {
    /// The value of a term.
    Term(Term),
    /// What was there before, which comes from outside or not.
    Outside(bool),
}
