//! A CDCL solver for the tiny questions of IC3.
//!
//! IC3 asks one formula, a transition relation with lemmas, tens of thousands of questions that
//! each concern a small part of it. A general solver assigns all variables for each answer. This
//! one looks only at the part that a question can depend on, after the idea of GipSAT (Su, Yang,
//! Ci, Bu and Huang, "Deeply Optimizing the SAT Solver for the IC3 Algorithm", CAV 2025):
//!
//! * **Domains** ([`domain`]). Propagation stays in the *domain* of the question: the variables of
//!   its assumptions, of its temporary clause, and of the clauses added for good, closed under the
//!   fan-in of definitions.
//! * **Justification** ([`justify`]; ours, from circuit solvers). The search decides only what is
//!   needed to satisfy something, and stops when nothing is left to be satisfied. Models are
//!   partial, which suits IC3: what is not assigned needs no lifting.
//! * **One level of assumptions** ([`assignment`]; ours). All assumptions share decision level 1:
//!   one propagation for all of them, no re-deciding after conflicts, and a conflict there is the
//!   end of the question.
//! * **Temporary clauses** ([`analyze`]). Not by an activation literal but by marking what is
//!   derived from the temporary clause, which is dropped with it.
//! * **Small clauses in the watches** ([`watch`], [`propagate`]), **one flat arena** ([`clause`]),
//!   reduction by LBD ([`reduce`]), activities and restarts for hard questions ([`activity`],
//!   [`search`]).
//!
//! # Why the answers are right
//!
//! *Unsat.* All clauses that take part in a refutation are clauses of the formula, the temporary
//! clause, or derived from them by resolution. Leaving clauses out can't make a refutation wrong.
//!
//! *Sat.* Let A be the assignment at which the search stops, and assume that the formula's
//! definitions keep the contract of [`Solver::add_definition`]. Call P the clauses added for
//! good, and call a variable *permanent* if it is in the permanent domain, that is in the
//! fan-in closure of P (not closing through variables that were fixed already).
//!
//! Assume first that no variable is fixed at level 0. Take A and complete it: free variables
//! without a value get any, and defined variables without a value get, in topological order, a
//! value that satisfies their definition, which exists by contract. The result satisfies the
//! assumptions, P and the temporary clause (A satisfies them already), the definitions of
//! unassigned variables (by construction) and those of assigned variables, for which there are
//! two cases. While searching by justification, A satisfies each clause of them. While searching
//! by activity, all variables of the domain are assigned, no clause is violated, and the domain
//! is closed under fan-in, so that no such clause contains an unassigned literal.
//! Hence the result is a model of all clauses, and of what was learnt from them.
//!
//! Now for variables fixed at level 0; each has its value in every model of the formula. The
//! definition of a *permanent* fixed variable is treated as a part of P ([`reduce`] *promotes* it)
//! and therefore satisfied by A. For a fixed variable x that is *not* permanent nothing is
//! checked, and nothing needs to be: any completion of A as above, but letting x take the value
//! that its definition gives it, satisfies P and all definitions, hence it is a model of the
//! formula, hence it gives x the fixed value after all. (Variables that the closure of P skipped
//! because they were fixed already have their value by the same argument, applied to the formula
//! of that earlier time.) This is also why a question's domain isn't closed through them.
//!
//! *Domains and watches.* A clause that contains a literal outside of the domain is not visited.
//! The head of [`propagate`] says why the watches stay in order.
//!
//! # A definition against the contract
//!
//! If `out` was mentioned before, or a clause mentions others than `out` and `fanin` or not `out`
//! at all, then the clauses are taken as plain clauses, which is always right. That every
//! assignment of the fan-in extends to `out` can't be checked and is the caller's promise.

mod activity;
mod analyze;
mod assignment;
mod clause;
mod domain;
mod justify;
mod literal;
mod options;
mod propagate;
mod reduce;
mod restart;
mod search;
mod trace;
mod watch;

pub use options::Options;
pub use trace::{Step, StepKind};

use crate::lit::{Lit, Var};
use crate::solver::{Answer, Solver, Statistics};
use activity::Activity;
use analyze::Analysis;
use answer::Allowance;
use assignment::{Assignment, FALSE, Progress, TRUE};
use clause::{Arena, ClauseRef, Kind};
use domain::Domain;
use justify::Mode;
use literal::Literal;
use reduce::Upkeep;
use restart::Restarts;
use watch::{Watch, Watches};

/// A CDCL solver for the tiny questions of IC3; see the module's head.
///
/// Cloning copies everything but the interrupt flag, which the clones share.
#[derive(Clone)]
pub struct ConeSolver {
    assignment: Assignment,
    arena: Arena,
    watches: Watches,
    domain: Domain,
    /// The clauses that justification has to satisfy.
    required: Vec<Watch>,
    /// How far justification has come.
    progress: Progress,
    learnts: Vec<ClauseRef>,
    /// The temporary clause of the question, where it has two literals or more.
    temporary: Option<ClauseRef>,
    /// The temporary clause and what was learnt with its help.
    temporaries: Vec<ClauseRef>,
    /// Units learnt in the current question that the formula implies.
    facts: Vec<Literal>,
    /// The formula is unsatisfiable without any assumption.
    inconsistent: bool,
    analysis: Analysis,
    activity: Activity,
    mode: Mode,
    restarts: Restarts,
    upkeep: Upkeep,
    core: Core,
    /// The answer to the last question, until the formula changes.
    answer: Option<Answer>,
    /// The values of the last model, once the formula has changed since.
    kept_model: Vec<assignment::Value>,
    trace: Option<Vec<Step>>,
    options: Options,
    /// The state of the generator of random phases.
    random: u64,
    allowance: Allowance,
    ticks: u32,
    statistics: Statistics,
    /// Memory for the assumptions and the clause being added.
    assumptions: Vec<Literal>,
    buffer: Vec<Literal>,
}

/// The failed assumptions.
#[derive(Clone, Default)]
struct Core {
    failed: Vec<bool>,
    list: Vec<Literal>,
}

impl Core {
    fn add(&mut self, assumption: Literal) {
        if !std::mem::replace(&mut self.failed[assumption.code()], true) {
            self.list.push(assumption);
        }
    }

    fn clear(&mut self) {
        for literal in self.list.drain(..) {
            self.failed[literal.code()] = false;
        }
    }
}

impl Default for ConeSolver {
    fn default() -> Self {
        Self::new()
    }
}

impl ConeSolver {
    /// An empty solver.
    pub fn new() -> Self {
        Self::with_options(Options::default())
    }

    /// An empty solver with other than the usual options.
    pub fn with_options(options: Options) -> Self {
        ConeSolver {
            assignment: Assignment::default(),
            arena: Arena::default(),
            watches: Watches::default(),
            domain: Domain::default(),
            required: Vec::new(),
            progress: Progress::default(),
            learnts: Vec::new(),
            temporary: None,
            temporaries: Vec::new(),
            facts: Vec::new(),
            inconsistent: false,
            analysis: Analysis::default(),
            activity: Activity::default(),
            mode: Mode::Justify,
            restarts: Restarts::default(),
            upkeep: Upkeep::new(&options),
            core: Core::default(),
            answer: None,
            kept_model: Vec::new(),
            trace: options.trace.then(Vec::new),
            random: options.seed,
            options,
            allowance: Allowance::default(),
            ticks: 0,
            statistics: Statistics::default(),
            assumptions: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// The steps recorded since the last call; empty unless [`Options::trace`] was set.
    pub fn take_trace(&mut self) -> Vec<Step> {
        self.trace.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// How many variables the domain of the last question has, those of the permanent domain
    /// included.
    pub fn domain_size(&self) -> usize {
        self.domain.size()
    }

    /// Suggests a value: where the search is free to choose, it makes this literal true. The
    /// suggestion holds until the variable is assigned otherwise.
    pub fn set_phase(&mut self, literal: Lit) {
        self.check_range(literal);
        self.assignment.set_phase(literal.into());
    }

    fn trace_step(&mut self, kind: StepKind, clause: Vec<Lit>) {
        if let Some(trace) = &mut self.trace {
            trace.push(Step { kind, clause });
        }
    }

    fn check_range(&self, literal: Lit) {
        assert!(
            literal.var().index() < self.assignment.var_count(),
            "literal {literal:?} of a variable that was never made"
        );
    }

    /// Prepares for a change of the formula. The last model stays readable.
    fn begin_change(&mut self) {
        if self.answer.take() == Some(Answer::Sat) {
            self.kept_model = self.assignment.values().to_vec();
        }
        self.end_question();
    }

    /// Ends the current question: back to level 0, without its temporary clauses, out of its
    /// domain, and with the facts that it found.
    fn end_question(&mut self) {
        self.assignment.backtrack(0, |_| {});
        self.temporary = None;
        while let Some(clause) = self.temporaries.pop() {
            self.detach(clause);
            self.arena.delete(clause);
        }
        self.domain.leave(&mut self.assignment);
        for i in 0..self.facts.len() {
            self.assert_fact(self.facts[i]);
        }
        self.facts.clear();
    }

    fn assert_fact(&mut self, fact: Literal) {
        debug_assert_eq!(self.assignment.level(), 0);
        match self.assignment.value(fact) {
            TRUE => {}
            FALSE => self.inconsistent = true,
            _ => self.assignment.assign(fact, assignment::Reason::Unit),
        }
    }

    /// Copies a clause into `buffer` without duplicates and literals that the facts make false.
    /// Returns `false` where the clause holds anyhow.
    fn normalize(&mut self, clause: &[Lit]) -> bool {
        self.buffer.clear();
        for &literal in clause {
            self.check_range(literal);
            let literal = Literal::from(literal);
            match self.assignment.value(literal) {
                TRUE => return false,
                FALSE => {}
                _ => self.buffer.push(literal),
            }
        }
        self.buffer.sort_unstable();
        self.buffer.dedup();
        self.buffer.windows(2).all(|pair| pair[1] != !pair[0])
    }

    /// Stores the clause in `buffer`. Returns its reference where it has two literals or more.
    fn store(&mut self, kind: Kind) -> Option<ClauseRef> {
        match *self.buffer {
            [] => self.inconsistent = true,
            [unit] => self.assert_fact(unit),
            _ => {
                let clause = self.arena.add(kind, 0, &self.buffer);
                self.attach(clause);
                return Some(clause);
            }
        }
        None
    }

    /// Whether a definition keeps what can be checked of its contract.
    fn is_definition(&self, out: Var, fanin: &[Var], clauses: &[&[Lit]]) -> bool {
        let out_literal = Literal::from(out.pos());
        self.domain.is_definable(out_literal.var())
            && self.assignment.is_open(out_literal)
            && !fanin.contains(&out)
            && clauses.iter().all(|clause| {
                clause.iter().any(|l| l.var() == out)
                    && clause.iter().all(|l| l.var() == out || fanin.contains(&l.var()))
            })
    }

    /// Stores a clause of the definition of `out`, and its watch in `support` where it may have
    /// to be justified.
    fn add_defining_clause(&mut self, out: Literal, clause: &[Lit], support: &mut [Vec<Watch>; 2]) {
        if !self.normalize(clause) {
            return;
        }
        let Some(own) = self.buffer.iter().copied().find(|l| l.var() == out.var()) else {
            self.store(Kind::Definition);
            return;
        };
        if let Some(reference) = self.store(Kind::Definition) {
            let mut others = self.buffer.iter().copied().filter(|&l| l != own);
            let watch = match (self.buffer.len(), others.next(), others.next()) {
                (2, ..) => return,
                (3, Some(a), Some(b)) => Watch::ternary(a, b),
                (_, first, _) => Watch::clause(reference, first.unwrap_or(own)),
            };
            support[usize::from(own.is_negated())].push(watch);
        }
    }

    /// Attaches the temporary clause. Returns `None` where it is violated by the facts, otherwise
    /// its only literal, if only one is left.
    fn attach_temporary(&mut self, clause: &[Lit]) -> Option<Option<Literal>> {
        if clause.is_empty() || !self.normalize(clause) {
            return Some(None);
        }
        match *self.buffer {
            [] => None,
            [unit] => Some(Some(unit)),
            _ => {
                let clause = self.store(Kind::Temporary)?;
                self.temporaries.push(clause);
                self.temporary = Some(clause);
                Some(None)
            }
        }
    }

    /// SAT? formula ∧ ⋀ `self.assumptions` ∧ ⋁ temporary
    fn ask(&mut self, temporary: &[Lit]) -> Answer {
        if let Some(stop) = self.allowance.exhausted() {
            return Answer::Unknown(stop);
        }
        self.maintain();
        if self.inconsistent {
            return Answer::Unsat;
        }
        let Some(unit) = self.attach_temporary(temporary) else { return Answer::Unsat };
        let literals = self.assumptions.iter().copied().chain(self.buffer.iter().copied());
        self.domain.enter(&mut self.assignment, literals);
        let assumptions = std::mem::take(&mut self.assumptions);
        let consistent = self.assume(&assumptions, unit);
        self.assumptions = assumptions;
        if consistent { self.search() } else { Answer::Unsat }
    }
}

impl Solver for ConeSolver {
    fn name(&self) -> &'static str {
        "cone"
    }

    /// # Panics
    /// If there are 2²⁹ variables already.
    fn new_var(&mut self) -> Var {
        let index = self.assignment.var_count();
        assert!(index < Literal::MAX_VARS, "too many variables");
        self.assignment.new_var();
        self.domain.new_var();
        self.analysis.new_var();
        self.activity.new_var();
        self.watches.new_var();
        self.core.failed.extend([false; 2]);
        let var = Var::new(index);
        if self.options.seed != 0 {
            self.assignment
                .set_phase(var.lit(options::next_random(&mut self.random) >> 63 == 1).into());
        }
        var
    }

    fn var_count(&self) -> usize {
        self.assignment.var_count()
    }

    /// # Panics
    /// If the clause mentions a variable that was never made.
    fn add_clause(&mut self, clause: &[Lit]) {
        self.begin_change();
        if self.inconsistent || !self.normalize(clause) {
            return;
        }
        for i in 0..self.buffer.len() {
            self.domain.mention(self.buffer[i].var());
            self.domain.enter_permanent(&mut self.assignment, self.buffer[i]);
        }
        if let Some(clause) = self.store(Kind::Permanent) {
            self.require(clause);
        }
    }

    /// See the trait, and the module's head on definitions against the contract.
    ///
    /// # Panics
    /// If a variable is mentioned that was never made.
    fn add_definition(&mut self, out: Var, fanin: &[Var], clauses: &[&[Lit]]) {
        self.begin_change();
        self.check_range(out.pos());
        fanin.iter().for_each(|var| self.check_range(var.pos()));
        if !self.is_definition(out, fanin, clauses) {
            for clause in clauses {
                self.add_clause(clause);
            }
            return;
        }
        let mut support = [Vec::new(), Vec::new()];
        for clause in clauses {
            self.add_defining_clause(Literal::from(out.pos()), clause, &mut support);
        }
        let fanin: Vec<_> = fanin.iter().map(|var| Literal::from(var.pos()).var()).collect();
        self.domain.define(out.index() as u32, &fanin, [&support[0], &support[1]]);
    }

    /// See the trait.
    ///
    /// # Panics
    /// If an assumption or the temporary clause mentions a variable that was never made.
    fn solve_with(&mut self, assumptions: &[Lit], temporary: &[Lit]) -> Answer {
        self.end_question();
        self.statistics.queries += 1;
        self.core.clear();
        assumptions.iter().chain(temporary).for_each(|&l| self.check_range(l));
        self.assumptions.clear();
        self.assumptions.extend(assumptions.iter().map(|&l| Literal::from(l)));
        self.buffer.clear();
        if self.trace.is_some() {
            self.trace_step(StepKind::Question, temporary.to_vec());
        }
        let answer = self.ask(temporary);
        self.answer = Some(answer);
        if self.trace.is_some() && answer == Answer::Unsat {
            let clause = self.core.list.iter().map(|&l| (!l).to_lit()).collect();
            self.trace_step(StepKind::Refuted, clause);
        }
        answer
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        self.check_range(lit);
        let value = match self.answer {
            Some(_) => self.assignment.value(lit.into()),
            None => *self.kept_model.get(lit.code())?,
        };
        match value {
            TRUE => Some(true),
            FALSE => Some(false),
            _ => None,
        }
    }

    fn failed(&self, assumption: Lit) -> bool {
        self.check_range(assumption);
        self.core.failed[assumption.code()]
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.allowance = allowance;
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.allowance.work = conflicts;
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}
