//! Proofs about programs.
//!
//! An invariant is checked on the automaton as it was built from the program, before any
//! minimization. Its locations cut the automaton into loop-free pieces ([`crate::region`]); for
//! each piece from a location ℓ to ℓ', with the piece's transition relation T:
//!
//! * consecution: Inv(ℓ) ∧ T ⇒ Inv(ℓ')
//! * safety: no piece leads from Inv(ℓ) to the error location
//! * cuts: no run takes a round of a cycle that passes no location of the invariant (minimization
//!   leaves out loops that it has shown to have no second round)
//!
//! Initiation is consecution from the initial location, where the invariant is true whatever
//! is claimed of it. Formulas with parameters (`program::parameters`) are preserved for every
//! value of these, and assumed at the indices where a piece reads arrays. That all runs have been
//! followed to their ends is checked by following them again.
//!
//! The solver is CaDiCaL under the bit-blaster; engines ask our own CDCL first. Whether a piece of
//! float arithmetic leads to the error location is first tried by splitting the ranges of its
//! inputs, and whether an equation is preserved by polynomials ([`crate::equations`]).

use crate::equations::Equations;
use crate::ranges;
use crate::region::{Arrival, Pieces, State, Ways, loop_cuts, merge};
use ::program::cfa::{Cfa, Command, LocationId};
use ::program::parameters::{Instances, parameters, read_indices};
use ::program::place::Place;
use ::program::verdict::{Invariant, Proof};
use answer::{Allowance, Exhausted};
use rustc_hash::{FxHashMap, FxHashSet};
use sat::cadical::{Cadical, Preset};
use smt::{Answer, BitBlast, Error, Solver};
use term::{Pool, Term};

/// Conflicts for the question whether runs can still be at a location: if it takes more, they
/// are followed further, and it is asked again.
const PRUNING_CONFLICTS: u64 = 10_000;

/// How many evaluations of subterms the splitting of ranges may take.
const RANGE_EFFORT: u64 = 200_000_000;

/// Why a proof is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProgramRejection {
    /// A loop without an invariant.
    #[error("the loop at {0} passes through no location with an invariant")]
    Uncut(Place),
    /// Inv(ℓ) ∧ T ⇏ Inv(ℓ')
    #[error("consecution fails: from {from}, the invariant at {to} is not established: {formula}")]
    Consecution {
        /// Where the piece begins.
        from: Place,
        /// Where it ends.
        to: Place,
        /// A formula that need not hold there, in SMT-LIB.
        formula: String,
    },
    /// A piece leads to the error location.
    #[error("safety fails: the violation can be reached from {0}")]
    Safety(Place),
    /// The proof speaks of an automaton without an initial location.
    #[error("there is no initial location")]
    NoInitial,
    /// The check itself was stopped.
    #[error("the check was stopped: {0}")]
    Stopped(smt::Reason),
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] Error),
}

/// Checks why the error location of an automaton is unreachable.
///
/// A stopped check accepts nothing.
pub fn check_program(
    pool: &Pool,
    cfa: &Cfa,
    proof: &Proof,
    allowance: &Allowance,
) -> Result<(), ProgramRejection> {
    let mut terms = Vec::new();
    cfa.edges.values().for_each(|edge| collect(&edge.command, &mut terms));
    let floats = ranges::concern_floats(pool, &terms);
    let checker = Checker { pool, cfa, floats, allowance };
    match proof {
        Proof::Inductive(invariant) => checker.inductive(invariant),
        Proof::KInductive { k, invariant } => checker.k_inductive(*k, invariant),
        Proof::Exhausted { .. } => checker.exhausted(),
    }
}

/// The formulas and values of a command.
fn collect(command: &Command, into: &mut Vec<Term>) {
    match command {
        Command::Assume(term) | Command::Assign(_, term) => into.push(*term),
        Command::Havoc(..) => {}
        Command::Sequence(commands) | Command::Choice(commands) => {
            commands.iter().for_each(|command| collect(command, into));
        }
    }
}

pub(crate) struct Checker<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) cfa: &'a Cfa,
    /// Whether the automaton computes with floats.
    floats: bool,
    allowance: &'a Allowance,
}

/// Formulas that hold, and a solver that learns of them as soon as something is asked: most pieces
/// of a large program need no question, and a solver has its price.
pub(crate) struct Known<'a> {
    checker: &'a Checker<'a>,
    pub(crate) formulas: Vec<Term>,
    /// How many of the formulas the solver has.
    told: usize,
    solver: Option<BitBlast<Cadical>>,
}

impl<'a> Known<'a> {
    pub(crate) fn new(checker: &'a Checker<'a>) -> Self {
        Known { checker, formulas: Vec::new(), told: 0, solver: None }
    }

    /// The solver, with all formulas.
    fn solver(&mut self) -> Result<&mut BitBlast<Cadical>, ProgramRejection> {
        let solver = self.solver.get_or_insert_with(|| self.checker.solver());
        for formula in &self.formulas[self.told..] {
            solver.assert(self.checker.pool, *formula)?;
        }
        self.told = self.formulas.len();
        Ok(solver)
    }
}

/// Where runs can be: the location, the condition for it, the state.
pub(crate) type Frontier = Vec<(LocationId, Term, State)>;

/// Where runs have come to by one more piece.
#[derive(Default)]
pub(crate) struct Reached {
    /// Ways into the error location, with the location where the piece begins.
    pub(crate) violations: Vec<(LocationId, Term)>,
    /// Arrivals elsewhere, by location.
    pub(crate) arrivals: Vec<(LocationId, Vec<Arrival>)>,
}

impl Checker<'_> {
    /// The same for another automaton.
    pub(crate) fn on<'b>(&'b self, cfa: &'b Cfa) -> Checker<'b> {
        Checker { cfa, ..*self }
    }

    fn solver(&self) -> BitBlast<Cadical> {
        let mut solver = BitBlast::new(Cadical::new(Preset::Standard));
        solver.set_allowance(self.allowance.clone());
        solver
    }

    /// Fails if the check is to stop.
    pub(crate) fn in_time(&self) -> Result<(), ProgramRejection> {
        match self.allowance.exhausted() {
            Some(exhausted) => Err(ProgramRejection::Stopped(exhausted.into())),
            None => Ok(()),
        }
    }

    pub(crate) fn place(&self, location: LocationId) -> Place {
        let mut place = self.cfa.locations[location].place.clone();
        if !place.is_known() {
            place.file = format!("location {}", location.into_raw().into_u32()).into();
        }
        place
    }

    pub(crate) fn inductive(&self, invariant: &Invariant) -> Result<(), ProgramRejection> {
        let initial = self.cfa.initial.ok_or(ProgramRejection::NoInitial)?;
        let mut cuts: FxHashSet<LocationId> = invariant.at.iter().map(|(id, _)| id).collect();
        cuts.insert(initial);
        cuts.extend(self.cfa.error);
        let mut starts: Vec<LocationId> =
            cuts.iter().copied().filter(|cut| Some(*cut) != self.cfa.error).collect();
        starts.sort_by_key(|location| location.into_raw().into_u32());
        let pieces = Pieces::new(self.pool, self.cfa, cuts);
        for start in starts {
            let claimed = invariant.at.get(start).map_or(&[][..], |formulas| &formulas[..]);
            let assumed = if start == initial { &[][..] } else { claimed };
            if assumed.iter().any(|&formula| self.pool.as_bool(formula) == Some(false)) {
                continue;
            }
            self.piece(&pieces, start, assumed, invariant)?;
            if start == initial && !claimed.is_empty() {
                // Runs that come back must find what is claimed, and it must hold at the start.
                self.always(start, claimed)?;
            }
        }
        Ok(())
    }

    /// Checks that formulas hold in all states.
    fn always(&self, at: LocationId, formulas: &[Term]) -> Result<(), ProgramRejection> {
        let mut known = Known::new(self);
        let state = State::default();
        let arrival = Arrival { location: at, taken: self.pool.tru(), state };
        self.established(&mut known, at, &arrival, formulas, &Equations::new(self.pool, &[]))
    }

    fn piece(
        &self,
        pieces: &Pieces<'_>,
        start: LocationId,
        assumed: &[Term],
        invariant: &Invariant,
    ) -> Result<(), ProgramRejection> {
        self.in_time()?;
        let mut definitions = Vec::new();
        let Ways { ends: arrivals, rounds } =
            pieces.follow(start, self.pool.tru(), State::default(), &mut definitions);
        let mut known = Known::new(self);
        known.formulas.extend(assumed.iter().chain(&definitions));
        let ways = arrivals.iter().chain(&rounds);
        known.formulas.extend(self.instances(assumed, &definitions, ways));
        self.no_rounds(&mut known, &rounds)?;
        let equations = Equations::new(self.pool, assumed);
        let mut violations = Vec::new();
        for arrival in &arrivals {
            if Some(arrival.location) == self.cfa.error {
                violations.push((start, arrival.taken));
            } else if let Some(formulas) = invariant.at.get(arrival.location) {
                self.established(&mut known, start, arrival, formulas, &equations)?;
            }
        }
        violations.retain(|(_, taken)| !self.refuted(*taken, &known.formulas));
        if !violations.is_empty() && !equations.is_empty() {
            // Equations on the ways that follow from those assumed.
            known.formulas.extend(equations.consequences(&definitions));
            for (_, taken) in &violations {
                let found = equations.and(&[*taken]).consequences(&[*taken]);
                let found = found.into_iter().map(|equation| self.pool.implies(*taken, equation));
                known.formulas.extend(found);
            }
        }
        self.unreached(&mut known, &violations)
    }

    /// Checks that no run takes a round of a cycle without an invariant. What follows of the ways to the
    /// next cuts rests on it: they are followed without such rounds. (If a run took one, it would take
    /// a first one, along ways that have been followed.)
    fn no_rounds(&self, known: &mut Known<'_>, rounds: &[Arrival]) -> Result<(), ProgramRejection> {
        let open = |round: &&Arrival| !self.refuted(round.taken, &known.formulas);
        let rounds: Vec<&Arrival> = rounds.iter().filter(open).collect();
        let Some(first) = rounds.first() else { return Ok(()) };
        let taken: Vec<Term> = rounds.iter().map(|round| round.taken).collect();
        let solver = known.solver()?;
        // SAT? Inv(ℓ) ∧ T back to where T has been
        match solver.check_with(self.pool, &[], &taken)? {
            Answer::Unsat => Ok(()),
            Answer::Unknown(reason) => Err(ProgramRejection::Stopped(reason)),
            Answer::Sat => Err(ProgramRejection::Uncut(self.place(first.location))),
        }
    }

    /// Instances of what is assumed for all values of its parameters, at the indices where the
    /// piece reads arrays.
    fn instances<'w>(
        &self,
        assumed: &[Term],
        made: &[Term],
        ways: impl Iterator<Item = &'w Arrival>,
    ) -> Vec<Term> {
        let mut instances = Instances::of(parameters(self.pool, self.cfa, assumed));
        if instances.is_empty() {
            return Vec::new();
        }
        let mut terms = made.to_vec();
        for way in ways {
            terms.push(way.taken);
            terms.extend(way.state.values());
        }
        let reads = read_indices(self.pool, &terms);
        let of = |formula: &Term| instances.of_formula(self.pool, *formula, &reads);
        assumed.iter().flat_map(of).collect()
    }

    /// Checks that none of the ways into the error location can be taken; each with the location
    /// where it begins. One question for all of them costs less than one for each.
    pub(crate) fn unreached(
        &self,
        known: &mut Known<'_>,
        violations: &[(LocationId, Term)],
    ) -> Result<(), ProgramRejection> {
        if violations.is_empty() {
            return Ok(());
        }
        let solver = known.solver()?;
        let taken: Vec<Term> = violations.iter().map(|(_, taken)| *taken).collect();
        // SAT? Inv(ℓ) ∧ T into the error location
        match solver.check_with(self.pool, &[], &taken)? {
            Answer::Unsat => Ok(()),
            Answer::Unknown(reason) => Err(ProgramRejection::Stopped(reason)),
            Answer::Sat => {
                let mut from = violations[0].0;
                for &(start, taken) in violations {
                    if solver.value(self.pool, taken)? == term::Value::Bool(true) {
                        from = start;
                    }
                }
                Err(ProgramRejection::Safety(self.place(from)))
            }
        }
    }

    /// Whether bounds of float arithmetic show that a way can't be taken, given these formulas.
    fn refuted(&self, taken: Term, given: &[Term]) -> bool {
        if !self.floats {
            return false;
        }
        let formulas = ranges::cone(self.pool, taken, given);
        let stopped = || self.in_time().is_err();
        ranges::concern_floats(self.pool, &formulas)
            && ranges::unsatisfiable(self.pool, &formulas, RANGE_EFFORT, &stopped)
    }

    fn established(
        &self,
        known: &mut Known<'_>,
        from: LocationId,
        arrival: &Arrival,
        formulas: &[Term],
        equations: &Equations<'_>,
    ) -> Result<(), ProgramRejection> {
        let pool = self.pool;
        let mut done = FxHashMap::default();
        let after = formulas.iter().map(|&formula| {
            let replacement = |variable| arrival.state.get(&variable).copied();
            term::traverse::rewrite(pool, formula, &mut done, replacement)
        });
        let equations = equations.and(&[arrival.taken]);
        let negated = |formula| {
            if equations.imply(formula) { pool.fls() } else { pool.not(formula) }
        };
        let broken: Vec<Term> = after.map(negated).collect();
        if broken.iter().all(|&formula| pool.as_bool(formula) == Some(false)) {
            return Ok(());
        }
        let solver = known.solver()?;
        // SAT? Inv(ℓ) ∧ T ∧ ¬Inv(ℓ')
        match solver.check_with(pool, &[arrival.taken], &broken)? {
            Answer::Unsat => Ok(()),
            Answer::Unknown(reason) => Err(ProgramRejection::Stopped(reason)),
            Answer::Sat => {
                let (from, to) = (self.place(from), self.place(arrival.location));
                let mut formula = String::new();
                for (&claimed, &broken) in formulas.iter().zip(&broken) {
                    if solver.value(pool, broken)? == term::Value::Bool(true) {
                        formula = term::print::Printer::new(pool).term(claimed);
                        break;
                    }
                }
                Err(ProgramRejection::Consecution { from, to, formula })
            }
        }
    }

    /// Follows all runs from loop head to loop head until none goes on.
    ///
    /// One question about many rounds costs less than one about each: the more rounds there have
    /// been, the more are followed before it is asked again.
    fn exhausted(&self) -> Result<(), ProgramRejection> {
        let initial = self.cfa.initial.ok_or(ProgramRejection::NoInitial)?;
        let mut cuts = loop_cuts(self.cfa);
        cuts.extend(self.cfa.error);
        let pieces = Pieces::new(self.pool, self.cfa, cuts);
        let mut known = Known::new(self);
        let mut frontier = vec![(initial, self.pool.tru(), State::default())];
        let mut violations = Vec::new();
        let (mut round, mut question) = (0, 1);
        while !frontier.is_empty() {
            let reached = self.advance(&pieces, frontier, &mut known)?;
            violations.extend(reached.violations);
            round += 1;
            let ask = round >= question;
            if ask {
                question = round + (round / 2).max(1);
                self.settle(&mut known, &mut violations)?;
            }
            frontier = self.going_on(&mut known, reached.arrivals, ask)?;
        }
        // The last runs may have ended in a round without a question.
        self.settle(&mut known, &mut violations)
    }

    /// Follows runs for one piece.
    ///
    /// Requires: the pieces cut all cycles, or it has been shown that no run takes a round of the others.
    pub(crate) fn advance(
        &self,
        pieces: &Pieces<'_>,
        frontier: Frontier,
        known: &mut Known<'_>,
    ) -> Result<Reached, ProgramRejection> {
        let mut reached = Reached::default();
        for (start, at, state) in frontier {
            self.in_time()?;
            for arrival in pieces.follow(start, at, state, &mut known.formulas).ends {
                if Some(arrival.location) == self.cfa.error {
                    reached.violations.push((start, arrival.taken));
                    continue;
                }
                match reached.arrivals.iter_mut().find(|(to, _)| *to == arrival.location) {
                    Some((_, arrivals)) => arrivals.push(arrival),
                    None => reached.arrivals.push((arrival.location, vec![arrival])),
                }
            }
        }
        Ok(reached)
    }

    /// Checks that none of the ways into the error location found so far can be taken.
    fn settle(
        &self,
        known: &mut Known<'_>,
        violations: &mut Vec<(LocationId, Term)>,
    ) -> Result<(), ProgramRejection> {
        violations.retain(|(_, taken)| !self.refuted(*taken, &known.formulas));
        self.unreached(known, violations)?;
        violations.clear();
        Ok(())
    }

    /// The locations where runs can be; if it is not asked, those where nothing speaks against it.
    fn going_on(
        &self,
        known: &mut Known<'_>,
        arrived: Vec<(LocationId, Vec<Arrival>)>,
        ask: bool,
    ) -> Result<Frontier, ProgramRejection> {
        let mut frontier = Vec::new();
        for (location, arrivals) in arrived {
            let (at, state) = merge(self.pool, arrivals, &mut known.formulas);
            let decided = self.pool.as_bool(at);
            if decided.is_some() || !ask {
                if decided != Some(false) {
                    frontier.push((location, at, state));
                }
                continue;
            }
            let solver = known.solver()?;
            solver.set_work(Some(PRUNING_CONFLICTS));
            // SAT? a run of this length ∧ it ends in the location
            let answer = solver.check(self.pool, &[at])?;
            solver.set_work(self.allowance.work);
            match answer {
                Answer::Unsat => {}
                Answer::Sat | Answer::Unknown(smt::Reason::Stopped(Exhausted::Work)) => {
                    frontier.push((location, at, state));
                }
                Answer::Unknown(reason) => return Err(ProgramRejection::Stopped(reason)),
            }
        }
        Ok(frontier)
    }
}
