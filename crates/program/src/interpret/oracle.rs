//! Oracles: where the interpreter gets the values that a program leaves open.

use super::follow::loaded;
use super::{Limits, Listener, Step};
use crate::cfa::Cfa;
use crate::model::Model;
use crate::program::{Cause, EdgeId, FunctionId, LocationId};
use crate::verdict::Run;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use term::eval::default_value;
use term::{Pool, Sort, Value};
use value::{Bits, Float, Rounding};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request<'r> {
    /// The function that is executed.
    pub function: FunctionId,
    /// The edge that is executed.
    pub edge: EdgeId,
    /// The calls that are open, outermost first; the function's own is the last.
    pub calls: &'r [(FunctionId, EdgeId)],
    /// Why the value is unknown.
    pub cause: &'r Cause,
    /// The sort of the value.
    pub sort: Sort,
    /// Which of the values that the edge asks for.
    pub part: Part,
}

/// Which value of an edge is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The only one, of a `Havoc`.
    Whole,
    /// A result of a function without a body, by number.
    Result(usize),
    /// A byte of a `HavocBytes`, by its distance from the first.
    Byte(u64),
    /// A byte of memory that nothing has written. The edge is the one that reads it.
    Memory {
        /// Its address.
        address: u64,
        /// Its distance from the first byte that is read.
        offset: u64,
    },
}

/// Where several edges can be taken.
#[derive(Clone, Debug)]
pub struct Branch<'r> {
    /// The function that is executed.
    pub function: FunctionId,
    /// Where the edges leave.
    pub location: LocationId,
    /// The calls that are open, outermost first.
    pub calls: &'r [(FunctionId, EdgeId)],
    /// The edges that can be taken, at least two, in the program's order.
    pub edges: &'r [EdgeId],
}

/// Somebody who knows the unknown values.
pub trait Oracle {
    /// The value of a havoc, of the sort that is asked for; `None` for zero.
    fn value(&mut self, request: &Request<'_>) -> Option<Value>;

    /// What a library gives where the interpreter has computed the correctly rounded result
    /// ([`Cause::Computed`]): that, unless the oracle knows a library that gives another one. A recorded
    /// value is passed over.
    fn computed(&mut self, request: &Request<'_>, result: Value) -> Value {
        let _ = self.value(request);
        result
    }

    /// Which of the edges to take, by its index in [`Branch::edges`].
    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        let _ = branch;
        0
    }
}

/// The same value for every havoc of a sort, zero if there is none for it; the first edge.
#[derive(Clone, Debug, Default)]
pub struct Fixed {
    /// The values by their sorts.
    pub values: FxHashMap<Sort, Value>,
}

impl Oracle for Fixed {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        self.values.get(&request.sort).cloned()
    }
}

/// Random values: half of them uniformly distributed, half of them of the values at which
/// programs go wrong (zero, one, the ends of the range, small numbers). Where a program's own
/// numbers are known, some are of those.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// Numbers of 64 bits to be tried, with those next to them.
    numbers: Arc<[Bits]>,
}

impl Random {
    /// The oracle whose answers are determined by the seed and the questions.
    pub fn new(seed: u64) -> Random {
        Random { state: seed, numbers: Arc::default() }
    }

    /// The same, for a program in which these numbers matter
    /// ([`constants`](crate::constants::constants)): every fourth is one of them, or next to one.
    pub fn among(self, numbers: Arc<[Bits]>) -> Random {
        Random { numbers, ..self }
    }

    /// One of the numbers that matter, or the one before or after it.
    fn number(&mut self) -> Bits {
        let at = self.next() % self.numbers.len() as u64;
        let number = self.numbers[at as usize].clone();
        match self.next() % 4 {
            0 => number.sub(&Bits::one(number.width())),
            1 => number.add(&Bits::one(number.width())),
            _ => number,
        }
    }

    /// The next number [Steele, Lea, Flood 2014: *Fast splittable pseudorandom number generators*].
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn bits(&mut self, width: u32) -> Bits {
        let small = |n: u64| Bits::from_u64(64.max(width), n).extract(width - 1, 0);
        if width <= 64 && !self.numbers.is_empty() && self.next().is_multiple_of(4) {
            return self.number().extract(width - 1, 0);
        }
        match self.next() % 12 {
            0 => Bits::zero(width),
            1 => Bits::one(width),
            2 => Bits::ones(width),
            3 => Bits::min_signed(width),
            4 => Bits::max_signed(width),
            5 => small(self.next() % 16),
            _ => {
                let mut bits = Bits::from_u64(64, self.next());
                while bits.width() < width {
                    bits = bits.concat(&Bits::from_u64(64, self.next()));
                }
                bits.extract(width - 1, 0)
            }
        }
    }
}

impl Oracle for Random {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        Some(match request.sort {
            Sort::Bool => Value::Bool(self.next() & 1 == 1),
            Sort::BitVec(width) => Value::Bits(self.bits(width)),
            Sort::Float(format) => {
                // Half of the numbers are integers, as uniformly distributed patterns are mostly
                // of extreme magnitude.
                if self.next() & 1 == 1 {
                    let integer = self.bits(16);
                    Value::Float(Float::from_sbv(format, Rounding::NearestEven, &integer))
                } else {
                    Value::Float(Float::from_bits(format, &self.bits(format.width())))
                }
            }
            _ => return None,
        })
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        (self.next() % branch.edges.len() as u64) as usize
    }
}

/// A chain of calls, and the edge that asks.
type Asker = Vec<(FunctionId, EdgeId)>;

/// The values of a run of an automaton.
///
/// Each instruction in each chain of calls has its queue of values, in the order of the run; what
/// the run says nothing about is zero, as nothing in it depends on that. A value that is wider
/// than what is asked for is handed out in pieces, lowest first: a model may treat some bytes as
/// one number.
///
/// A run does not say which way was taken where several edges can be: front ends make the
/// guards of a branch exclude each other. Where they don't, the first edge is taken, or what
/// [`Recorded::choices`] says.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    values: FxHashMap<Asker, VecDeque<Value>>,
    /// Which edge to take where several can be, in the order of the run; then always the first.
    pub choices: VecDeque<usize>,
    /// Whether a byte was asked for that nothing has written, and of which nothing is known.
    memory_asked: bool,
    loads: FxHashMap<Asker, Loads>,
}

/// What an instruction has loaded, time after time.
#[derive(Clone, Debug, Default)]
struct Loads {
    values: Vec<Value>,
    /// How often the instruction has been executed.
    executed: usize,
}

impl Loads {
    /// A byte of what is loaded now.
    fn byte(&self, offset: u64) -> Option<Bits> {
        let bits = match self.values.get(self.executed)? {
            Value::Bits(bits) => bits.clone(),
            Value::Float(float) => float.to_bits(),
            _ => return None,
        };
        let low = u32::try_from(offset).ok()?.checked_mul(8)?;
        (low + 8 <= bits.width()).then(|| bits.extract(low + 7, low))
    }
}

impl Recorded {
    /// The values of a run of the automaton.
    pub fn new(cfa: &Cfa, run: &Run) -> Recorded {
        let mut recorded = Recorded::default();
        for (input, value) in run.steps.iter().flat_map(|step| &step.inputs) {
            if let Some((context, function, edge)) = cfa.inputs[*input].instruction {
                let calls = &cfa.contexts[context].calls;
                recorded.push(calls, function, edge, value.clone());
            }
        }
        recorded
    }

    /// The same, with what the run's loads read from memory that nothing has written, found by
    /// following it on the automaton before minimization ([`loaded`]). The interpreter must tell
    /// what it executes: see [`Recorded::executed`].
    pub fn with_loads(model: &Model, pool: &Pool, run: &Run, limits: &Limits) -> Recorded {
        let mut recorded = Recorded::new(&model.cfa, run);
        for ((context, function, edge), values) in loaded(model, pool, run, limits) {
            let mut asker = model.cfa.contexts[context].calls.to_vec();
            asker.push((function, edge));
            recorded.loads.insert(asker, Loads { values, executed: 0 });
        }
        recorded
    }

    /// Takes note of a step of the interpreter.
    pub fn executed(&mut self, step: &Step<'_>) {
        if self.loads.is_empty() {
            return;
        }
        let mut asker = step.calls.to_vec();
        asker.push((step.function, step.edge));
        if let Some(loads) = self.loads.get_mut(&asker) {
            loads.executed += 1;
        }
    }

    /// Whether the interpreter has asked for a byte of memory that nothing is known of: the run
    /// may then have gone another way than the automaton's.
    pub fn memory_asked(&self) -> bool {
        self.memory_asked
    }

    /// Adds the next value for an instruction in a chain of calls.
    pub fn push(
        &mut self,
        calls: &[(FunctionId, EdgeId)],
        function: FunctionId,
        edge: EdgeId,
        value: Value,
    ) {
        let mut asker = calls.to_vec();
        asker.push((function, edge));
        self.values.entry(asker).or_default().push_back(value);
    }
}

impl Oracle for Recorded {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let mut asker = request.calls.to_vec();
        asker.push((request.function, request.edge));
        if let Part::Memory { offset, .. } = request.part {
            let loaded = self.loads.get(&asker).and_then(|loads| loads.byte(offset));
            self.memory_asked |= loaded.is_none();
            return loaded.map(Value::Bits);
        }
        let queue = self.values.get_mut(&asker)?;
        let value = queue.pop_front()?;
        let (piece, rest) = split(value, request.sort)?;
        if let Some(rest) = rest {
            queue.push_front(rest);
        }
        Some(piece)
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        self.choices.pop_front().unwrap_or(0).min(branch.edges.len() - 1)
    }
}

/// A recorded run that both answers the interpreter and watches it.
#[derive(Clone, Debug)]
pub struct Lockstep(pub Rc<RefCell<Recorded>>);

impl Oracle for Lockstep {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        self.0.borrow_mut().value(request)
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        self.0.borrow_mut().choose(branch)
    }
}

impl Listener for Lockstep {
    fn step(&mut self, step: &Step<'_>) {
        self.0.borrow_mut().executed(step);
    }
}

/// A value as one of the sort that is asked for, and what is left of it; none if it is of
/// another kind.
fn split(value: Value, sort: Sort) -> Option<(Value, Option<Value>)> {
    match (value, sort) {
        (value @ Value::Bool(_), Sort::Bool) => Some((value, None)),
        (Value::Float(float), Sort::Float(format)) if float.format() == format => {
            Some((Value::Float(float), None))
        }
        (Value::Float(float), Sort::BitVec(_)) => split(Value::Bits(float.to_bits()), sort),
        (Value::Bits(bits), Sort::Float(format)) if bits.width() == format.width() => {
            Some((Value::Float(Float::from_bits(format, &bits)), None))
        }
        (Value::Bits(bits), Sort::BitVec(width)) => {
            if bits.width() == width {
                Some((Value::Bits(bits), None))
            } else if bits.width() > width {
                let rest = bits.extract(bits.width() - 1, width);
                Some((Value::Bits(bits.extract(width - 1, 0)), Some(Value::Bits(rest))))
            } else {
                None
            }
        }
        (value @ Value::Rounding(_), Sort::RoundingMode) => Some((value, None)),
        _ => None,
    }
}

/// The result that an oracle takes for a computed one; the computed one if it has one of another sort.
pub(super) fn ask_computed(oracle: &mut dyn Oracle, request: &Request<'_>, result: Float) -> Value {
    let result = Value::Float(result);
    match (oracle.computed(request, result.clone()), request.sort) {
        (Value::Float(float), Sort::Float(format)) if float.format() == format => {
            Value::Float(float)
        }
        _ => result,
    }
}

/// The value for a request, zero if the oracle has none or one of another sort.
pub(super) fn ask(oracle: &mut dyn Oracle, pool: &Pool, request: &Request<'_>) -> Value {
    let answer = oracle.value(request);
    let fits = |value: &Value| match (value, request.sort) {
        (Value::Bool(_), Sort::Bool) | (Value::Rounding(_), Sort::RoundingMode) => true,
        (Value::Bits(bits), Sort::BitVec(width)) => bits.width() == width,
        (Value::Float(float), Sort::Float(format)) => float.format() == format,
        _ => false,
    };
    answer.filter(fits).unwrap_or_else(|| default_value(pool, request.sort))
}
