//! The engines: one interface, one table.
//!
//! A row of [`ENGINES`] says what an engine is called, what it takes and gives, and how long its turns
//! are; everything else (`--engine`, help, names in documents, docs/usage.md, progress, the kit of
//! tests) follows from the table. A new engine is a file here that implements [`Engine`], and a row.

mod bmc;
mod cegar;
mod ic3;
mod ic3cfa;
mod icp;
mod itp;
mod kind;
mod open;
mod procedures;
mod spacer;
mod summaries;
mod symex;
mod unfold;

use crate::board::Reached;
use crate::exchange::Findings;
use crate::question::Settings;
use answer::{Allowance, Reason, Unit};
use circuit::TransitionSystem;
use program::Cfa;
use term::Pool;

/// All engines, in the order in which they take turns and are listed.
pub static ENGINES: &[&dyn Engine] = &[
    &symex::Symex,
    &bmc::Bmc,
    &kind::KInduction,
    &ic3cfa::Ic3Cfa,
    &open::Open,
    &icp::Icp,
    &ic3::Ic3,
    &itp::Itp,
    &ic3cfa::Ic3Smt,
    &ic3cfa::TreeIc3,
    &cegar::Cegar,
    &summaries::Summaries,
    &procedures::Procedures,
    &spacer::Spacer,
    &unfold::Unfold,
];

/// The row of the engine with a name.
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    ENGINES.iter().map(|engine| engine.row()).find(|row| row.name == name)
}

/// Steps before the engines that may give an answer: their names in documents, and what they are.
pub static STEPS: &[(&str, &str)] = &[
    ("recall", "what is known of an earlier version holds of this one"),
    ("execution", "the program takes no unknown value that matters, and was executed"),
    ("minimization", "no violation is left after it"),
    ("tests", "a random test fails"),
];

/// What an engine takes of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// Its automaton, minimized.
    Automaton,
    /// The program itself ([`crate::code`], step `unwind`).
    Program,
    /// Its procedures with their calls ([`crate::code`], step `calls`).
    Procedures,
}

/// What an engine is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its name on the command line and in documents.
    pub name: &'static str,
    /// A line of help.
    pub about: &'static str,
    /// Whether it takes programs.
    pub programs: bool,
    /// Whether it takes circuits.
    pub circuits: bool,
    /// Whether it can give proofs.
    pub proves: bool,
    /// Whether it can give runs.
    pub refutes: bool,
    /// What it counts its progress in.
    pub unit: Unit,
    /// Whether its formulas grow with the length of runs, so that it takes ever more memory.
    pub grows: bool,
    /// Whether it takes what holds as lemmas; the others are given programs that assume it.
    pub takes_lemmas: bool,
    /// Whether it takes part where none is named.
    pub joins: bool,
    /// What it takes of a program.
    pub takes: Takes,
    /// The length of its first turn on a program, in looks at the interrupt. What lies between two of
    /// them takes about 20 ms in bounded model checking, which unrolls and bit-blasts without a look,
    /// and a hundredth of that in IC3; with these numbers turns are about equally long.
    pub looks: u64,
}

/// What decides.
pub trait Engine: Sync {
    /// What it is.
    fn row(&self) -> &Row;

    /// Whether it takes part by itself where this automaton is decided, if its row says that it joins.
    fn suits(&self, pool: &Pool, cfa: &Cfa) -> bool {
        let _ = (pool, cfa);
        true
    }

    /// Decides whether the error location of an automaton is reachable.
    fn program(&self, call: &ProgramCall<'_>) -> program::Verdict {
        let _ = call;
        program::Verdict::Unknown(not_for(self.row(), "programs"))
    }

    /// Whether it takes Horn clauses. What takes automata takes those that are linear and made of bits.
    fn takes_clauses(&self) -> bool {
        self.row().programs && self.row().takes == Takes::Automaton
    }

    /// Whether it takes part in deciding Horn clauses where no engine is named.
    fn joins_clauses(&self) -> bool {
        false
    }

    /// Decides Horn clauses.
    fn clauses(&self, call: &ClausesCall<'_>) -> horn::Verdict {
        call.by_automaton(|call| self.program(call), self.row())
    }

    /// Decides a bad property of a circuit.
    fn circuit(&self, call: &mut CircuitCall<'_>) -> circuit::verdict::Verdict {
        let _ = call;
        circuit::verdict::Verdict::Unknown(not_for(self.row(), "circuits"))
    }
}

/// Why an engine does not take something.
fn not_for(row: &Row, what: &str) -> Reason {
    Reason::Unsupported { what: format!("{} does not take {what}", row.name) }
}

/// A question about an automaton.
pub struct ProgramCall<'a> {
    /// Where its terms live; the engine's own.
    pub pool: &'a Pool,
    /// The automaton.
    pub cfa: &'a Cfa,
    /// What the engine may use.
    pub allowance: Allowance,
    /// What was asked for.
    pub settings: &'a Settings,
    /// Hears of the progress.
    pub reached: Reached,
    /// What is known to hold.
    pub findings: Findings,
    /// Whether there is no other engine.
    pub alone: bool,
    /// Whether there are fewer jobs than engines.
    pub in_turns: bool,
}

/// A question about Horn clauses.
pub struct ClausesCall<'a> {
    /// Where their terms live; the engine's own.
    pub pool: &'a Pool,
    /// The clauses.
    pub system: &'a horn::System,
    /// What the engine may use.
    pub allowance: Allowance,
    /// What was asked for.
    pub settings: &'a Settings,
    /// Hears of the progress.
    pub reached: Reached,
    /// Whether there are fewer jobs than engines.
    pub in_turns: bool,
}

impl ClausesCall<'_> {
    /// Decides linear clauses over bits as an automaton.
    fn by_automaton(
        &self,
        decide: impl FnOnce(&ProgramCall<'_>) -> program::Verdict,
        row: &Row,
    ) -> horn::Verdict {
        let unsupported = |what: &str| horn::Verdict::Unknown(not_for(row, what));
        if !self.system.is_of_bits(self.pool) {
            return unsupported("clauses over integers and reals");
        }
        let Some(automaton) = horn::automaton::automaton(self.pool, self.system) else {
            return unsupported("clauses that are not linear");
        };
        let verdict = decide(&ProgramCall {
            pool: self.pool,
            cfa: &automaton.cfa,
            allowance: self.allowance.clone(),
            settings: self.settings,
            reached: self.reached.clone(),
            findings: Findings::default(),
            // Nobody publishes anything that would have to be waited for.
            alone: true,
            in_turns: self.in_turns,
        });
        match verdict {
            program::Verdict::Safe(program::verdict::Proof::Inductive(invariant)) => {
                horn::Verdict::Safe(automaton.model(self.pool, &invariant))
            }
            program::Verdict::Safe(_) => unsupported("clauses for proofs other than invariants"),
            program::Verdict::Unsafe(run) => match automaton.refutation(self.pool, &run) {
                Some(refutation) => horn::Verdict::Unsafe(refutation),
                None => horn::Verdict::Unknown(Reason::NoRun),
            },
            program::Verdict::Unknown(reason) => horn::Verdict::Unknown(reason),
        }
    }
}

/// A question about a circuit.
pub struct CircuitCall<'a> {
    /// The circuit.
    pub system: &'a TransitionSystem,
    /// The bad property.
    pub property: usize,
    /// What the engine may use.
    pub allowance: Allowance,
    /// What was asked for.
    pub settings: &'a Settings,
    /// Hears of the progress.
    pub reached: Reached,
}
