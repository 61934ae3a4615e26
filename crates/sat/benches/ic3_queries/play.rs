//! Plays a recorded stream to a solver, checks its answers and takes the time.

use crate::design::Design;
use crate::driver::{Event, Stream};
use cpu_time::ProcessTime;
use sat::{Answer, Solver};
use std::fmt;
use std::time::Duration;

/// What playing a stream gave.
pub struct Played {
    questions: usize,
    unsat: usize,
    time: Duration,
    core_literals: usize,
    state_literals: usize,
    conflicts: u64,
    decisions: u64,
    propagations: u64,
}

impl Played {
    /// The speed.
    pub fn questions_per_second(&self) -> f64 {
        self.questions as f64 / self.time.as_secs_f64()
    }
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per = |count: usize, of: usize| count as f64 / of.max(1) as f64;
        write!(
            f,
            "{:>8.0}/s  core {:>5.1}  state {:>6.1}",
            self.questions_per_second(),
            per(self.core_literals, self.unsat),
            per(self.state_literals, self.questions - self.unsat),
        )?;
        if self.decisions > 0 {
            let per = |count: u64| count as f64 / self.questions as f64;
            write!(
                f,
                "  per question: {:.1} conflicts, {:.1} decisions, {:.0} propagations",
                per(self.conflicts),
                per(self.decisions),
                per(self.propagations),
            )?;
        }
        Ok(())
    }
}

/// One line on a design and its stream.
pub fn describe(design: &Design, stream: &Stream) -> String {
    let mut questions = 0;
    let mut unsat = 0;
    let mut clauses = 0;
    let mut assumed = 0;
    for event in &stream.events {
        match event {
            Event::Clause { .. } => clauses += 1,
            Event::Question { assumptions, answer, .. } => {
                questions += 1;
                unsat += usize::from(*answer == Answer::Unsat);
                assumed += assumptions.len();
            }
        }
    }
    format!(
        "{} variables, {} clauses, {} latches; {questions} questions ({unsat} unsat, {:.0} \
         assumptions each), {clauses} clauses added, {} solvers",
        design.vars,
        3 * design.gates.len() + 1,
        design.latches.len(),
        assumed as f64 / questions.max(1) as f64,
        stream.solvers,
    )
}

/// Plays the stream.
///
/// # Panics
/// If an answer differs from the recorded one.
pub fn play<S: Solver>(design: &Design, stream: &Stream, make: impl Fn() -> S) -> Played {
    let mut solvers: Vec<S> = (0..stream.solvers)
        .map(|_| {
            let mut solver = make();
            design.add_to(&mut solver);
            // The first question makes a solver arrange what it was given.
            assert_eq!(solver.solve(&[]), Answer::Sat);
            solver
        })
        .collect();
    let mut played = Played {
        questions: 0,
        unsat: 0,
        time: Duration::ZERO,
        core_literals: 0,
        state_literals: 0,
        conflicts: 0,
        decisions: 0,
        propagations: 0,
    };
    let start = ProcessTime::now();
    for event in &stream.events {
        match event {
            Event::Clause { solver, clause } => solvers[*solver].add_clause(clause),
            Event::Question { solver, assumptions, temporary, answer } => {
                let solver = &mut solvers[*solver];
                let given = solver.solve_with(assumptions, temporary);
                assert_eq!(given, *answer, "the solvers disagree");
                played.questions += 1;
                if given == Answer::Unsat {
                    played.unsat += 1;
                    let failed = assumptions.iter().filter(|&&l| solver.failed(l));
                    played.core_literals += failed.count();
                } else {
                    let state = design.latches.iter().chain(&design.inputs);
                    let known = state.filter(|v| solver.value(v.pos()).is_some());
                    played.state_literals += known.count();
                }
            }
        }
    }
    played.time = start.elapsed();
    for solver in &solvers {
        let statistics = solver.statistics();
        played.conflicts += statistics.conflicts;
        played.decisions += statistics.decisions;
        played.propagations += statistics.propagations;
    }
    played
}
