//! The algorithms that IC3CFA is compared with in [Lan18 §4.1], after Cimatti and Griggio,
//! *Software Model Checking via IC3* (CAV 2012).
//!
//! They work on the same graph with the same preconditions and solvers as IC3CFA, so that a
//! comparison is about the algorithms. They are kept plain: no seeds, no saturated cubes, no
//! techniques of [Lan18 §4.3].
//!
//! * [`ic3smt`]: the program counter is a variable like others.
//! * [`treeic3`]: the automaton is unwound into a tree, and paths to the error are refuted one by
//!   one.

pub mod ic3smt;
pub mod treeic3;

use crate::engine::End;
use program::verdict::Reason;
use smt::{Interrupt, Limits};
use std::time::Instant;

/// The bound on conflicts of queries that only make a lemma stronger.
const NON_CRITICAL_CONFLICTS: u64 = 5_000;

/// Ends the run if its time is over or somebody stopped it.
fn check_limits(limits: &Limits, interrupt: &Interrupt) -> Result<(), End> {
    if interrupt.is_raised() {
        return Err(End::Stopped(Reason::Interrupted));
    }
    match limits.deadline {
        Some(deadline) if Instant::now() >= deadline => Err(End::Stopped(Reason::Time)),
        _ => Ok(()),
    }
}
