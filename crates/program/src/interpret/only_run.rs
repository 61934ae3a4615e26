//! Programs that take no unknown value have one run. To execute it is to know all of them.
//!
//! A havoc of a register that is assigned before it is read ([`dead_havocs`]) is no unknown value.

use super::{Branch, Ending, Interpreter, Limits, Malformed, Oracle, Outcome, Position, Request};
use crate::liveness::dead_havocs;
use crate::program::{Program, Site};
use crate::property::Property;
use answer::{Allowance, Interrupt};
use rustc_hash::FxHashSet;
use term::Value;

/// What executing a program has shown.
#[derive(Clone, PartialEq, Debug)]
pub enum OnlyRun {
    /// There is one run, and it ends without a violation.
    Safe,
    /// There is one run, and it ends in a violation.
    Violates {
        /// Of this property.
        property: Property,
        /// Here.
        at: Position,
    },
    /// There is one run as far as it was executed.
    Unfinished,
    /// An instruction asks for a value.
    Asks(Site),
    /// The program can go several ways, or does something that has no meaning.
    Unclear,
}

/// Executes a program until it asks for a value or a limit strikes.
pub fn only_run<'q>(
    program: &Program,
    properties: impl IntoIterator<Item = &'q Property>,
    limits: Limits,
) -> Result<OnlyRun, Malformed> {
    let stop = Interrupt::new();
    let allowance = Allowance { interrupt: stop.clone(), ..limits.allowance };
    let limits = Limits { allowance, ..limits };
    let interpreter = Interpreter::new(program)?.with_properties(properties).with_limits(limits);
    let mut alone = Alone { dead: dead_havocs(program), stop, asked: None };
    let outcome = interpreter.run(&mut alone);
    if alone.stop.is_raised() {
        return Ok(alone.asked.map_or(OnlyRun::Unclear, OnlyRun::Asks));
    }
    Ok(match outcome {
        Outcome::Violation { property, at, .. } => OnlyRun::Violates { property, at },
        Outcome::Finished { .. } => OnlyRun::Safe,
        Outcome::Ended { by: Ending::Assumption | Ending::Stop, .. } => OnlyRun::Safe,
        Outcome::Stopped { .. } => OnlyRun::Unfinished,
        Outcome::Ended { by: Ending::Memory | Ending::Placement(_), .. }
        | Outcome::Undefined { .. } => OnlyRun::Unclear,
    })
}

/// An oracle that wants to stop the run as soon as it is asked.
struct Alone {
    dead: FxHashSet<Site>,
    stop: Interrupt,
    /// Who has asked first, if it was for a value.
    asked: Option<Site>,
}

impl Oracle for Alone {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let site = (request.function, request.edge);
        if !self.dead.contains(&site) && !self.stop.is_raised() {
            self.asked = Some(site);
            self.stop.raise();
        }
        None
    }

    fn choose(&mut self, _: &Branch<'_>) -> usize {
        self.stop.raise();
        0
    }
}
