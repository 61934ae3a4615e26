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
//! Turns are measured in work, not in time ([`crate::effort`]): equal runs do equal things.

use crate::engine::Ic3;
use crate::exchange::Member;
use crate::options::{Generalization, Options, Ordering};
use bounded::Bmc;
use circuit::TransitionSystem;
use circuit::verdict::{Reason, Verdict};
use lemmas::{Observer, Phase};
use sat::cone::ConeSolver;
use sat::{Interrupt, Limits};

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

/// See the module's head.
pub struct Turns<'a> {
    system: &'a TransitionSystem,
    options: Options,
    engine: Ic3<'a, ConeSolver>,
    /// What IC3 does in its first, third, … and in its second, fourth, … turn.
    strategies: [Generalization; 2],
    hunter: Hunter<'a>,
}

/// Bounded model checking, made when its first turn comes.
enum Hunter<'a> {
    Waiting,
    Working(Box<Bmc<'a>>),
    /// The unrolling has become too large.
    Done,
}

impl<'a> Turns<'a> {
    /// Both engines for the first bad property.
    ///
    /// # Panics
    /// If the system has no property.
    pub fn new(
        system: &'a TransitionSystem,
        options: Options,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let engine = Ic3::new(system, 0, options, observer);
        let strategies = [options.generalization, alternative(options.generalization)];
        Turns { system, options, engine, strategies, hunter: Hunter::Waiting }
    }

    /// Lets IC3 share lemmas; see [`Ic3::join`].
    pub fn join(&mut self, member: Member<'a>) {
        self.engine.join(member);
    }

    /// Decides the property, unless the limits or the interrupt end the run.
    pub fn check(&mut self, limits: Limits, interrupt: &Interrupt) -> Verdict {
        let mut turn = FIRST_TURN;
        for number in 0.. {
            if number == SECOND_OPINION.0 {
                let verdict = self.second_opinion(limits, interrupt);
                if ends(&verdict, limits) {
                    return verdict;
                }
            }
            self.engine.set_generalization(self.strategies[number % 2]);
            let verdict = self.prove(turn, limits, interrupt);
            if ends(&verdict, limits) {
                return verdict;
            }
            let verdict = self.hunt(turn / SHARE, limits, interrupt);
            if ends(&verdict, limits) {
                return verdict;
            }
            turn = turn.saturating_mul(GROWTH.0) / GROWTH.1;
        }
        unreachable!("there is always another turn")
    }

    /// A turn of IC3's.
    fn prove(&mut self, turn: u64, limits: Limits, interrupt: &Interrupt) -> Verdict {
        take_turn(&mut self.engine, turn, limits, interrupt)
    }

    /// The turn of an IC3 that begins anew.
    fn second_opinion(&mut self, limits: Limits, interrupt: &Interrupt) -> Verdict {
        let generalization = alternative(self.strategies[0]);
        let ordering = Ordering::Static;
        let options = Options { generalization, ordering, ..self.options };
        let mut engine = Ic3::new(self.system, 0, options, &mut *self.engine.observer);
        take_turn(&mut engine, SECOND_OPINION.1, limits, interrupt)
    }

    /// A turn of bounded model checking's.
    fn hunt(&mut self, turn: u64, limits: Limits, interrupt: &Interrupt) -> Verdict {
        if matches!(self.hunter, Hunter::Waiting) {
            self.hunter = Hunter::Working(Box::new(Bmc::new(self.system, 0)));
        }
        let Hunter::Working(hunter) = &mut self.hunter else {
            return Verdict::Unknown(Reason::Memory);
        };
        self.engine.observer.enter(Phase::Unroll);
        let chunk = (turn / LOOKS).clamp(CHUNK.0, CHUNK.1);
        let conflicts = limits.conflicts.unwrap_or(u64::MAX).min(chunk);
        hunter.set_limits(Limits { conflicts: Some(conflicts), ..limits }, interrupt.clone());
        let verdict = hunter.check_within(turn, &mut Depths(self.engine.observer));
        if hunter.size() > MAX_UNROLLED || verdict == Verdict::Unknown(Reason::Memory) {
            self.hunter = Hunter::Done;
        }
        self.engine.observer.enter(Phase::Search);
        verdict
    }
}

/// Lets an IC3 work for so many units.
fn take_turn(
    engine: &mut Ic3<'_, ConeSolver>,
    turn: u64,
    limits: Limits,
    interrupt: &Interrupt,
) -> Verdict {
    let conflicts = limits.conflicts.unwrap_or(u64::MAX).min(turn / CONFLICT);
    engine.set_limits(Limits { conflicts: Some(conflicts), ..limits }, interrupt.clone());
    engine.set_allowance(Some(turn));
    engine.check()
}

/// The strategy that takes turns with the one asked for.
fn alternative(asked: Generalization) -> Generalization {
    match asked {
        Generalization::Ctg | Generalization::Dynamic => Generalization::Down,
        other => other,
    }
}

/// Whether a verdict is more than the end of a turn.
fn ends(verdict: &Verdict, limits: Limits) -> bool {
    match verdict {
        Verdict::Unknown(Reason::Conflicts) => limits.conflicts.is_some(),
        Verdict::Unknown(Reason::Memory) => false,
        _ => true,
    }
}

/// Counts each depth as a question.
struct Depths<'a>(&'a mut dyn Observer);

impl bounded::Observer for Depths<'_> {
    fn depth(&mut self, _depth: usize) {
        self.0.query(Phase::Unroll);
    }
}
