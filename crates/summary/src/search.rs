//! Bounded model checking that finds the depth it needs, with summaries where there are some
//! (\[Fed15\], Algorithms 1 and 2).
//!
//! Calls are unwound, stood for by a summary, or left open: a *substitution scenario*. A model of the
//! formula is a run, if it comes to no call that is not unwound; if it does, those calls are unwound next.
//! If there is no model, there is no violation, at any depth: what is not unwound may do more here than it
//! can. In the thesis the depth grows only as runs of the formula demand it; here it is also asked, whenever
//! it has grown, whether a run exists that comes to no call beyond it.

use crate::inductive::Believed;
use crate::prove::{no_facts, nothing};
use crate::unwound::{CallId, Unwound, at_call};
use crate::vocabulary::{Vocabulary, vocabularies};
use crate::{Answer, Check, Encoding, Figures, Means, Options, Refinement};
use answer::{Allowance, Reason};
use la_arena::ArenaMap;
use program::cfa::InputId;
use program::procedures::{Node, ProcedureId};
use smt::Solver;
use std::time::{Duration, Instant};
use term::{Pool, Term, Value};

/// A search for a violation of some checks.
pub struct Search<'a> {
    pub(crate) encoding: &'a Encoding<'a>,
    pub(crate) options: Options,
    pub(crate) means: Means<'a>,
    pub(crate) solver: Box<dyn Solver>,
    pub(crate) unwound: Unwound<'a>,
    /// The calls that are not unwound.
    pub(crate) open: Vec<CallId>,
    /// What summaries may be made of.
    pub(crate) vocabularies: ArenaMap<ProcedureId, Vocabulary>,
    /// What holds of all calls; of those that fail, as far as the checks that are asked about go.
    pub(crate) known: Believed,
    /// What is asked about.
    pub(crate) asking: Vec<Term>,
    /// What is known, with its reasons.
    pub(crate) nodes: Vec<Node>,
    /// The nodes that say something of all calls of a procedure.
    pub(crate) facts: ArenaMap<ProcedureId, Vec<usize>>,
    /// When the search began, and how long it took to make summaries.
    pub(crate) begin: Instant,
    pub(crate) aside: Duration,
    pub(crate) figures: Figures,
}

impl<'a> Search<'a> {
    /// A search that has not begun.
    pub fn new(encoding: &'a Encoding<'a>, options: &Options, means: &Means<'a>) -> Self {
        let mut solver = means.solvers.bits();
        solver.set_allowance(means.allowance.clone());
        let unwound = Unwound::new(encoding);
        let (options, means) = (options.clone(), means.clone());
        let vocabularies = match options.summaries {
            true => vocabularies(encoding),
            false => encoding.bodies.iter().map(|(id, _)| (id, Vocabulary::default())).collect(),
        };
        let known = nothing(encoding);
        let (open, figures) = (vec![0], Figures::default());
        let facts = no_facts(encoding);
        Search {
            encoding,
            options,
            means,
            solver,
            unwound,
            open,
            vocabularies,
            known,
            asking: Vec::new(),
            nodes: Vec::new(),
            facts,
            begin: Instant::now(),
            aside: Duration::ZERO,
            figures,
        }
    }

    /// What was done so far.
    pub fn figures(&self) -> Figures {
        self.figures
    }

    /// Changes what it may use.
    pub fn allow(&mut self, allowance: Allowance) {
        self.solver.set_allowance(allowance.clone());
        self.means.allowance = allowance;
        (self.begin, self.aside) = (Instant::now(), Duration::ZERO);
    }

    /// Whether one of the checks can be violated.
    pub fn decide(&mut self, about: &[Check]) -> Answer {
        match self.rounds(about) {
            Ok(answer) => answer,
            Err(error) => Answer::Open { reason: Reason::GaveUp(error.to_string()) },
        }
    }

    fn rounds(&mut self, about: &[Check]) -> Result<Answer, smt::Error> {
        self.ask_about(about);
        if self.options.summaries && self.encoding.is_recursive() && self.options.guesses {
            let candidates = self.guess();
            if let Some(answer) = self.induct(candidates)? {
                return Ok(answer);
            }
        }
        if self.open.contains(&0) {
            self.unwind(vec![0])?;
        }
        if self.options.summaries && self.options.decomposition {
            self.decompose()?;
        }
        self.search(&[], usize::MAX)
    }

    /// Begins a question.
    fn ask_about(&mut self, about: &[Check]) {
        let asking = self.encoding.asking(about);
        if self.asking == asking {
            return;
        }
        self.asking = asking;
        // What was found of violations was about others.
        self.known.values_mut().for_each(|summary| summary.fails.clear());
        for summary in self.nodes.iter_mut().filter_map(|node| node.summary.as_mut()) {
            summary.fails.clear();
        }
    }

    /// Unwinds calls until there is an answer, for the inputs of calls that are looked at, or so many
    /// rounds have passed.
    pub(crate) fn search(
        &mut self,
        restriction: &[(CallId, Term)],
        most: usize,
    ) -> Result<Answer, smt::Error> {
        let (mut depth, mut next, mut rounds) = (0, 2, 0);
        let restricting = self.restricting(restriction);
        loop {
            if self.unwound.calls.len() > self.options.calls {
                let what = format!("more than {} calls", self.options.calls);
                return Ok(self.open(Reason::GaveUp(what)));
            }
            if rounds >= most {
                return Ok(self.open(Reason::GaveUp("too many rounds".to_owned())));
            }
            if self.figures.depth > depth {
                depth = self.figures.depth;
                if let Some(answer) = self.within(&restricting)? {
                    return Ok(answer);
                }
                if self.options.summaries && depth >= next && restriction.is_empty() {
                    next = depth + depth / 2;
                    if let Some(answer) = self.generalize()? {
                        return Ok(answer);
                    }
                }
            }
            self.figures.rounds += 1;
            rounds += 1;
            // SAT? the unwound calls, where the others do what they like
            match self.check(&restricting)? {
                smt::Answer::Unsat if restriction.is_empty() => {
                    return Ok(Answer::Safe(self.proof()?));
                }
                smt::Answer::Unsat => {
                    self.learn_from_calls(restriction);
                    return Ok(self.open(Reason::NoEngine));
                }
                smt::Answer::Unknown(reason) => return Ok(self.open(stopped(reason))),
                smt::Answer::Sat => {}
            }
            let next = self.refine()?;
            if next.is_empty() {
                return self.run();
            }
            self.unwind(next)?;
        }
    }

    /// Asks for a model in which there is a violation.
    fn check(&mut self, more: &[Term]) -> Result<smt::Answer, smt::Error> {
        let mut assumptions = self.asking.clone();
        assumptions.push(self.unwound.calls[0].shared.failed);
        assumptions.extend(more);
        self.solver.check(self.encoding.pool, &assumptions)
    }

    /// What is said of the inputs of calls, as formulas for the solver.
    fn restricting(&self, restriction: &[(CallId, Term)]) -> Vec<Term> {
        let pool = self.encoding.pool;
        let formula = |(id, formula): &(CallId, Term)| {
            let call = &self.unwound.calls[*id];
            let here = at_call(self.encoding, call.procedure, &call.shared).apply(pool, *formula);
            pool.implies(call.shared.start, here)
        };
        restriction.iter().map(formula).collect()
    }

    /// Whether there is a run that comes to no call that is not unwound.
    fn within(&mut self, restricting: &[Term]) -> Result<Option<Answer>, smt::Error> {
        let pool = self.encoding.pool;
        let mut more = restricting.to_vec();
        more.extend(self.open.iter().map(|id| pool.not(self.unwound.calls[*id].shared.start)));
        // SAT? the unwound calls, and no others
        Ok(match self.check(&more)? {
            smt::Answer::Sat => Some(self.run()?),
            smt::Answer::Unsat => None,
            smt::Answer::Unknown(reason) => Some(self.open(stopped(reason))),
        })
    }

    /// What the search ends with at a limit.
    fn open(&self, reason: Reason) -> Answer {
        Answer::Open { reason }
    }

    /// The calls to be unwound because of the model.
    fn refine(&mut self) -> Result<Vec<CallId>, smt::Error> {
        let mut on_run = self.on_run()?;
        on_run.retain(|id| self.unwound.calls[*id].copy.is_none());
        let all = self.options.refinement == Refinement::Greedy && !on_run.is_empty();
        Ok(if all { self.open.clone() } else { on_run })
    }

    /// The calls that the model comes to.
    fn on_run(&mut self) -> Result<Vec<CallId>, smt::Error> {
        let mut model = Model::new(self.encoding.pool, &mut *self.solver);
        let calls = self.unwound.on_run(&mut |term| model.holds(term));
        model.failed.map_or(Ok(calls), Err)
    }

    /// Unwinds calls, and those in them that are not beyond the first depth.
    fn unwind(&mut self, calls: Vec<CallId>) -> Result<(), smt::Error> {
        let mut pending = calls;
        while let Some(id) = pending.pop() {
            self.open.retain(|open| *open != id);
            for formula in self.unwound.unwind(id) {
                self.solver.assert(self.encoding.pool, formula)?;
            }
            let call = &self.unwound.calls[id];
            self.figures.calls += 1;
            if self.encoding.recursive[call.procedure] {
                self.figures.recursive_calls += 1;
                self.figures.depth = self.figures.depth.max(call.depth);
            }
            let inner = call.copy.as_ref().map(|copy| copy.calls.clone()).unwrap_or_default();
            for id in inner {
                let call = &self.unwound.calls[id];
                let recursive = self.encoding.recursive[call.procedure];
                self.open.push(id);
                match !recursive || call.depth <= self.options.depth {
                    true => pending.push(id),
                    false => self.summarize(id)?,
                }
            }
            if self.means.allowance.exhausted().is_some()
                || self.unwound.calls.len() > self.options.calls
            {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The values of the run that the model is.
    fn run(&mut self) -> Result<Answer, smt::Error> {
        let pool = self.encoding.pool;
        let mut model = Model::new(pool, &mut *self.solver);
        let taken = self.unwound.values_on_run(&mut |term| model.holds(term));
        let mut values: Vec<(InputId, Value)> = Vec::with_capacity(taken.len());
        for (input, term) in taken {
            values.push((input, model.solver.value(pool, term)?));
        }
        match model.failed {
            Some(error) => Err(error),
            None => Ok(Answer::Unsafe(values)),
        }
    }
}

/// Why a solver has no answer.
fn stopped(reason: smt::Reason) -> Reason {
    match reason {
        smt::Reason::Stopped(exhausted) => Reason::Stopped(exhausted),
        other => Reason::GaveUp(other.to_string()),
    }
}

/// What is true in a solver's model.
pub(crate) struct Model<'s> {
    pool: &'s Pool,
    solver: &'s mut dyn Solver,
    pub failed: Option<smt::Error>,
}

impl<'s> Model<'s> {
    pub fn new(pool: &'s Pool, solver: &'s mut dyn Solver) -> Self {
        Model { pool, solver, failed: None }
    }

    pub fn holds(&mut self, formula: Term) -> bool {
        match self.solver.value(self.pool, formula) {
            Ok(value) => value == Value::Bool(true),
            Err(error) => {
                self.failed = Some(error);
                false
            }
        }
    }
}
