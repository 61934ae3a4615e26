//! IC3 and bounded model checking on one thread, in turns.
//!
//! IC3 proves; but a violation that hides behind many similar predecessors, or behind arithmetic,
//! is often found much sooner by unrolling. Neither can tell beforehand, so both work: IC3 first,
//! and of the time to follow bounded model checking has a fixed share. Turns grow, so that little
//! is lost by changing and neither waits long for the other.
//!
//! IC3 itself changes its strategy from turn to turn, between the one asked for and plain `down`
//! without counterexamples to generalization: each wins clearly on designs where the other does
//! not, and what one has found serves the other, because frames and obligations are the same.
//!
//! How long IC3 takes is in part luck: lemmas lead to further lemmas, and the first few may lead
//! far astray. Therefore, when a property turns out not to be easy, another IC3 once has a turn of
//! its own with a fixed order of literals, beginning with nothing: a *second opinion*. It costs
//! about a second and spares several where the activities of literals are misleading.
//!
//! Turns are measured in work, not in time (`ic3::effort`): equal runs do equal things.

use super::share::Known;
use super::{Errand, Played};
use crate::board::Reached;
use crate::figures::SearchFigures;
use crate::schedule::{Player, Schedule};
use answer::{Allowance, EngineName, Exhausted, Reason};
use bounded::Bmc;
use circuit::verdict::Verdict;
use circuit::{Clause, Reduction, TransitionSystem};
use ic3::check::{carry_back, reduce};
use ic3::options::{Generalization, Options, Ordering};
use ic3::{CheckError, Ic3, StandardSolver};
use lemmas::{Observer, Phase};
use std::time::Duration;

/// The units of IC3's first turn.
const FIRST_TURN: u64 = 4_000_000;
/// The growth of turns, as a fraction.
const GROWTH: (u64, u64) = (3, 2);
/// The number of the turn before which a second opinion is asked for, and its units.
const SECOND_OPINION: (usize, u64) = (2, 12_000_000);
/// Of IC3's units, one in so many is bounded model checking's as well.
const SHARE: u64 = 4;
/// The units of a conflict, roughly: a question of IC3's that needs more conflicts than a turn has
/// units for ends the turn.
const CONFLICT: u64 = 200;
/// Bounded model checking looks at its work each time this part of its turn may have passed, at
/// about a thousand units a conflict.
const LOOKS: u64 = 4_000;
/// The least and the most conflicts between two looks.
const CHUNK: (u64, u64) = (50, 5_000);
/// The most gates and inputs of the unrolling: more is left to those who have the memory.
const MAX_UNROLLED: usize = 6_000_000;

/// Decides a goal on the caller's thread.
pub(super) fn decide(errand: &Errand, allowance: &Allowance) -> Played {
    let ic3 = EngineName::new("ic3");
    let row = |name: &str| errand.settings.engine(name).map(|engine| *engine.row());
    let reached = row("ic3").map(|row| errand.board.enter(&row, Some(&errand.goal)));
    let mut figures = SearchFigures::new(reached.unwrap_or_default());
    let unrolled = row("bmc").map(|row| errand.board.enter(&row, Some(&errand.goal)));
    figures.enter(Phase::Reduce);
    let options = errand.settings.ic3;
    let reduction = match reduce(&errand.system, vec![errand.property], &options, allowance) {
        Ok(reduction) => reduction,
        Err(error) => return (ic3, refused(&error)),
    };
    let found = {
        let (mut first, mut second) = (figures.clone(), figures.clone());
        let mut players = players(&reduction, errand, allowance, (&mut first, &mut second));
        players.push(Box::new(Hunter::new(
            &reduction.system,
            allowance,
            unrolled.unwrap_or_default(),
        )));
        let schedule = Schedule::in_turns(players);
        schedule.first(Duration::ZERO, |found| is_answer(&found.answer), || true)
    };
    figures.finish();
    match found {
        Some(found) => (found.player, carry_back(&reduction, found.answer)),
        None => (ic3, Verdict::Unknown(Reason::NoEngine)),
    }
}

/// Why a system is not checked.
pub(super) fn refused(error: &CheckError) -> Verdict {
    Verdict::Unknown(Reason::Unsupported { what: error.to_string() })
}

/// Whether a verdict ends the turns for all.
fn is_answer(verdict: &Verdict) -> bool {
    !matches!(verdict, Verdict::Unknown(Reason::Stopped(Exhausted::Memory)))
}

/// A second opinion and IC3, in the order of their turns.
fn players<'p>(
    reduction: &'p Reduction,
    errand: &'p Errand,
    allowance: &'p Allowance,
    (first, second): (&'p mut SearchFigures, &'p mut SearchFigures),
) -> Vec<Box<dyn Player<Verdict> + 'p>> {
    let options = errand.settings.ic3;
    let mut engine = Ic3::new(&reduction.system, 0, options, first);
    begin(&mut engine, errand, reduction);
    let strategies = [options.generalization, alternative(options.generalization)];
    let plain = Options { generalization: strategies[1], ordering: Ordering::Static, ..options };
    let news = News { known: &errand.known, reduction, read: 0 };
    let second = SecondOpinion {
        name: EngineName::new("ic3"),
        system: &reduction.system,
        news: news.clone(),
        options: plain,
        allowance,
        figures: second,
    };
    let name = EngineName::new("ic3");
    let prover = Prover { name, engine, strategies, allowance, news, errand };
    vec![Box::new(second), Box::new(prover)]
}

/// Lets an engine begin with what earlier runs had come to.
pub(super) fn begin(engine: &mut Ic3<'_, StandardSolver>, errand: &Errand, reduction: &Reduction) {
    let begun = errand.known.begun();
    let lowered = begun.iter().filter_map(|clause| reduction.lower_clause(clause));
    engine.begin_with(&lowered.collect::<Vec<Clause>>());
}

/// Leaves what an engine has come to, if it is to be kept.
pub(super) fn leave(engine: &Ic3<'_, StandardSolver>, errand: &Errand, reduction: &Reduction) {
    if errand.settings.learn {
        errand.known.leave(reduction.lift_unfinished(&engine.unfinished()));
    }
}

/// The units of a turn.
fn units(number: usize) -> u64 {
    (0..number).fold(FIRST_TURN, |units, _| units.saturating_mul(GROWTH.0) / GROWTH.1)
}

/// What a turn came to; none if it just ended.
fn ended(verdict: Verdict, allowance: &Allowance) -> Option<Verdict> {
    match verdict {
        Verdict::Unknown(Reason::Stopped(Exhausted::Work)) if allowance.work.is_none() => None,
        Verdict::Unknown(Reason::Stopped(Exhausted::Memory)) => None,
        verdict => Some(verdict),
    }
}

/// Lets an IC3 work for so many units.
fn take_turn(engine: &mut Ic3<'_, StandardSolver>, turn: u64, allowance: &Allowance) -> Verdict {
    let conflicts = allowance.work.unwrap_or(u64::MAX).min(turn / CONFLICT);
    engine.set_allowance(allowance.with_work(conflicts));
    engine.set_turn(Some(turn));
    engine.check()
}

/// The strategy that takes turns with the one asked for.
fn alternative(asked: Generalization) -> Generalization {
    match asked {
        Generalization::Ctg | Generalization::Dynamic => Generalization::Down,
        other => other,
    }
}

/// What other goals have found since an engine last heard of it.
#[derive(Clone)]
struct News<'p> {
    known: &'p Known,
    /// From the circuit that the clauses are about.
    reduction: &'p Reduction,
    read: usize,
}

impl News<'_> {
    fn tell(&mut self, engine: &mut Ic3<'_, StandardSolver>) {
        for invariant in self.known.since(self.read) {
            let lower = |clause: &Clause| self.reduction.lower_clause(clause);
            let clauses: Vec<Clause> = invariant.iter().filter_map(lower).collect();
            self.read += 1;
            // An engine that is stopped here stops at its next question too, and says so.
            let _ = engine.learn(&clauses);
        }
    }
}

/// IC3, whose strategy changes from turn to turn.
struct Prover<'p> {
    name: EngineName,
    engine: Ic3<'p, StandardSolver>,
    /// What it does in its first, third, … and in its second, fourth, … turn.
    strategies: [Generalization; 2],
    allowance: &'p Allowance,
    news: News<'p>,
    errand: &'p Errand,
}

impl Drop for Prover<'_> {
    fn drop(&mut self) {
        leave(&self.engine, self.errand, self.news.reduction);
    }
}

impl Player<Verdict> for Prover<'_> {
    fn name(&self) -> &EngineName {
        &self.name
    }

    fn play(&mut self) -> Verdict {
        self.engine.set_allowance(self.allowance.clone());
        self.engine.check()
    }

    fn turn(&mut self, number: usize) -> Option<Verdict> {
        self.engine.set_generalization(self.strategies[number % 2]);
        self.engine.set_allowance(self.allowance.clone());
        self.news.tell(&mut self.engine);
        ended(take_turn(&mut self.engine, units(number), self.allowance), self.allowance)
    }

    fn without_thread(&self) -> Verdict {
        Verdict::Unknown(Reason::Stopped(Exhausted::Memory))
    }
}

/// An IC3 that begins anew, once.
struct SecondOpinion<'p> {
    name: EngineName,
    system: &'p TransitionSystem,
    options: Options,
    allowance: &'p Allowance,
    figures: &'p mut SearchFigures,
    news: News<'p>,
}

impl Player<Verdict> for SecondOpinion<'_> {
    fn name(&self) -> &EngineName {
        &self.name
    }

    fn play(&mut self) -> Verdict {
        let mut engine = Ic3::new(self.system, 0, self.options, &mut *self.figures);
        engine.set_allowance(self.allowance.clone());
        self.news.tell(&mut engine);
        take_turn(&mut engine, SECOND_OPINION.1, self.allowance)
    }

    fn turn(&mut self, number: usize) -> Option<Verdict> {
        match number == SECOND_OPINION.0 {
            true => ended(self.play(), self.allowance),
            false => None,
        }
    }

    fn without_thread(&self) -> Verdict {
        Verdict::Unknown(Reason::Stopped(Exhausted::Memory))
    }
}

/// Bounded model checking, made when its first turn comes.
struct Hunter<'p> {
    name: EngineName,
    system: &'p TransitionSystem,
    allowance: &'p Allowance,
    reached: Reached,
    state: State<'p>,
}

enum State<'p> {
    Waiting,
    Working(Box<Bmc<'p>>),
    /// The unrolling has become too large.
    Done,
}

impl<'p> Hunter<'p> {
    fn new(system: &'p TransitionSystem, allowance: &'p Allowance, reached: Reached) -> Self {
        Hunter { name: EngineName::new("bmc"), system, allowance, reached, state: State::Waiting }
    }
}

impl Player<Verdict> for Hunter<'_> {
    fn name(&self) -> &EngineName {
        &self.name
    }

    fn play(&mut self) -> Verdict {
        let mut engine = Bmc::new(self.system, 0);
        engine.set_allowance(self.allowance.clone());
        engine.check(usize::MAX - 1, &mut self.reached)
    }

    fn turn(&mut self, number: usize) -> Option<Verdict> {
        if matches!(self.state, State::Waiting) {
            self.state = State::Working(Box::new(Bmc::new(self.system, 0)));
        }
        let State::Working(hunter) = &mut self.state else { return None };
        let turn = units(number) / SHARE;
        let chunk = (turn / LOOKS).clamp(CHUNK.0, CHUNK.1);
        let conflicts = self.allowance.work.unwrap_or(u64::MAX).min(chunk);
        hunter.set_allowance(self.allowance.with_work(conflicts));
        let verdict = hunter.check_within(turn, &mut self.reached);
        let memory = Verdict::Unknown(Reason::Stopped(Exhausted::Memory));
        if hunter.size() > MAX_UNROLLED || verdict == memory {
            self.state = State::Done;
        }
        ended(verdict, self.allowance)
    }

    fn without_thread(&self) -> Verdict {
        Verdict::Unknown(Reason::Stopped(Exhausted::Memory))
    }
}
