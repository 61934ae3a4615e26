//! The interpreter: executes a [`Program`] on concrete values. It is the reference for what
//! programs mean; whatever an engine claims to be a run must be one here.
//!
//! **Unknown values** come from an [`Oracle`]. It is asked for the value of a `Havoc`; for the
//! results of a function without a body, in order; for the bytes of a `HavocBytes`, in order
//! (of more than [`EAGER`] bytes, each only when it is read); and for a byte of an
//! allocated or undefined object when it is read before anybody has written it. An answer is
//! remembered where memory is concerned, also across copies: an unknown byte is one fixed byte.
//!
//! **Control.** At a location with several edges, those are candidates whose assumption holds or
//! that carry another instruction. The run ends without any; of several, the oracle chooses.
//! There is no backtracking: an assumption that fails later ends the run.
//!
//! **Checks** of properties that were asked for are violations when they fail; of others, they are
//! passed over, or end the run as undefined where no machine would go on
//! ([`Property::is_fatal`]). Faults of memory (an access outside of living objects, a write to a
//! constant, a wrong `Free`, a call of what is no function) are violations of
//! [`Property::Pointer`] if that was asked for, and otherwise end the run as undefined.
//!
//! **Terms** are total; where SMT-LIB leaves an operation open (a float that does not fit the
//! integer, the minimum of both zeros), the value is zero.
//!
//! **Addresses** are as [`layout`] says, or as a [`Placement`] does. Calls are frames on a stack of their own, so
//! that recursion of the program is bounded by memory alone.

mod code;
mod compile;
mod float_word;
mod follow;
pub mod layout;
mod memory;
mod only_run;
mod oracle;
mod outcome;
mod placement;
mod run;
mod snapshot;
#[cfg(test)]
mod tests;
mod word;

pub use code::Malformed;
pub use only_run::{OnlyRun, only_run};
pub use oracle::{Branch, Fixed, Lockstep, Oracle, Part, Random, Recorded, Request};
pub use outcome::{Ending, Fault, Limit, Outcome, Position};
pub use placement::{Misplaced, Misplacement, OUTSIDE, Placement};
pub use snapshot::Snapshot;

use crate::program::{EdgeId, FunctionId, Program, VariableId};
use crate::property::Property;
use answer::Allowance;
use code::Code;
use rustc_hash::FxHashMap;
use term::Value;

/// How many bytes of a `HavocBytes` are asked for at once, at most.
pub const EAGER: u64 = 1 << 16;

/// A program that is ready to be executed, any number of times.
pub struct Interpreter<'p> {
    program: &'p Program,
    code: Code<'p>,
    properties: Vec<Property>,
    limits: Limits,
    /// None if objects lie as ever.
    placement: Option<Placement>,
}

/// When to stop a run.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The number of steps.
    pub steps: u64,
    /// How many bytes objects and frames may take in the interpreter, about.
    pub memory: u64,
    /// The time, and the flag that stops a run; looked at now and then. Its work says nothing
    /// here: that is counted in steps.
    pub allowance: Allowance,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: u64::MAX, memory: 1 << 30, allowance: Allowance::default() }
    }
}

/// What a step did.
#[derive(Clone, Debug)]
pub struct Step<'s> {
    /// The function that was executed.
    pub function: FunctionId,
    /// The edge that was taken.
    pub edge: EdgeId,
    /// The calls that are open, outermost first; the function's own is the last.
    pub calls: &'s [(FunctionId, EdgeId)],
    /// What changed.
    pub effect: Effect<'s>,
}

/// What a step changed.
#[derive(Clone, Debug)]
pub enum Effect<'s> {
    /// Nothing, or that an object lives no more.
    None,
    /// A register.
    Assigned(VariableId, &'s Value),
    /// A new object: the register that takes its address, the address, and how many bytes it has.
    Allocated(VariableId, &'s Value, u64),
    /// Bytes at an address, by a value.
    Stored(u64, &'s Value),
    /// Bytes at an address, so many.
    Wrote(u64, u64),
    /// A call begins; the arguments in order. Also of functions without a body.
    Called(FunctionId, &'s [Value]),
    /// A call has ended: the step of the call's edge, a second time. The results that are
    /// used, in order.
    Returned(FunctionId, &'s [(VariableId, Value)]),
}

/// What becomes of a run behind a probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heed {
    /// It goes on.
    GoOn,
    /// The same, and the listener is given its state.
    Save,
    /// It ends, as if it was interrupted.
    Stop,
}

/// Somebody who watches a run.
pub trait Listener {
    /// Called after each step.
    fn step(&mut self, step: &Step<'_>);

    /// Called before the first step of a run whose objects are placed otherwise than ever.
    fn placed(&mut self, placement: &Placement) {
        let _ = placement;
    }

    /// Called at each probe ([`Interpreter::with_probes`]).
    fn probe(&mut self, number: u32, word: u64) -> Heed {
        let _ = (number, word);
        Heed::GoOn
    }

    /// Called behind a probe where that was asked for.
    fn saved(&mut self, snapshot: Snapshot) {
        drop(snapshot);
    }

    /// Whether it looks at steps at all.
    fn listens(&self) -> bool {
        true
    }
}

/// Watches without looking.
impl Listener for () {
    fn step(&mut self, _: &Step<'_>) {}

    fn listens(&self) -> bool {
        false
    }
}

impl<F: FnMut(&Step<'_>)> Listener for F {
    fn step(&mut self, step: &Step<'_>) {
        self(step);
    }
}

impl<'p> Interpreter<'p> {
    /// An interpreter that asks for all properties and has no limits but of memory.
    pub fn new(program: &'p Program) -> Result<Interpreter<'p>, Malformed> {
        let code = compile::compile(program)?;
        let properties = Property::ALL.to_vec();
        let (limits, placement) = (Limits::default(), None);
        Ok(Interpreter { program, code, properties, limits, placement })
    }

    /// The same one with these properties asked for.
    pub fn with_properties<'q>(
        mut self,
        properties: impl IntoIterator<Item = &'q Property>,
    ) -> Interpreter<'p> {
        self.properties = properties.into_iter().copied().collect();
        self
    }

    /// The same one with these limits.
    pub fn with_limits(mut self, limits: Limits) -> Interpreter<'p> {
        self.set_limits(limits);
        self
    }

    /// Other limits for the runs that come.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The same one with assignments to these registers made probes: instead of assigning, the listener
    /// is told the number and the value, which must be a truth value or have at most 64 bits. That is
    /// cheap: no other step needs to be listened to.
    pub fn with_probes(mut self, probes: &FxHashMap<VariableId, u32>) -> Interpreter<'p> {
        self.code.set_probes(probes);
        self
    }

    /// The same one with objects placed so, in each of its runs.
    pub fn with_placement(mut self, placement: Placement) -> Interpreter<'p> {
        placement.apply(self.program, &mut self.code);
        self.placement = (!placement.is_standard()).then_some(placement);
        self
    }

    /// Executes the program from its start.
    pub fn run(&self, oracle: &mut dyn Oracle) -> Outcome {
        self.watch(oracle, &mut ())
    }

    /// Executes the program from its start, with somebody watching.
    pub fn watch(&self, oracle: &mut dyn Oracle, listener: &mut dyn Listener) -> Outcome {
        run::Machine::new(self, oracle, listener).run()
    }

    /// Goes on from where a run of this interpreter was saved.
    pub fn resume(
        &self,
        snapshot: &Snapshot,
        oracle: &mut dyn Oracle,
        listener: &mut dyn Listener,
    ) -> Outcome {
        snapshot.machine(self, oracle, listener).go_on()
    }
}
