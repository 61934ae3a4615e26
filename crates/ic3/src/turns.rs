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
use crate::observer::{Observer, Phase};
use crate::options::{CtgLimits, Generalization, Options, Ordering};
use bounded::Bmc;
use circuit::TransitionSystem;
use circuit::verdict::{Reason, Verdict};
use sat::cone::ConeSolver;
use sat::{Allowance, Exhausted};

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
        Turns { system, engine, strategies, hunter: Hunter::Waiting }
    }

    /// Lets IC3 share lemmas; see [`Ic3::join`].
    pub fn join(&mut self, member: Member<'a>) {
        self.engine.join(member);
    }

    /// Decides the property, unless the allowance ends the run.
    pub fn check(&mut self, allowance: &Allowance) -> Verdict {
        let mut turn = FIRST_TURN;
        for number in 0.. {
            if number == SECOND_OPINION.0 {
                let verdict = self.second_opinion(allowance);
                if ends(&verdict, allowance) {
                    return verdict;
                }
            }
            self.engine.options.generalization = self.strategies[number % 2];
            let verdict = self.prove(turn, allowance);
            if ends(&verdict, allowance) {
                return verdict;
            }
            let verdict = self.hunt(turn / SHARE, allowance);
            if ends(&verdict, allowance) {
                return verdict;
            }
            turn = turn.saturating_mul(GROWTH.0) / GROWTH.1;
        }
        unreachable!("there is always another turn")
    }

    /// A turn of IC3's.
    fn prove(&mut self, turn: u64, allowance: &Allowance) -> Verdict {
        take_turn(&mut self.engine, turn, allowance)
    }

    /// The turn of an IC3 that begins anew.
    fn second_opinion(&mut self, allowance: &Allowance) -> Verdict {
        let generalization = alternative(self.strategies[0]);
        let ordering = Ordering::Static;
        let options = Options { generalization, ordering, ..self.engine.options };
        let mut engine = Ic3::new(self.system, 0, options, &mut *self.engine.observer);
        take_turn(&mut engine, SECOND_OPINION.1, allowance)
    }

    /// A turn of bounded model checking's.
    fn hunt(&mut self, turn: u64, allowance: &Allowance) -> Verdict {
        if matches!(self.hunter, Hunter::Waiting) {
            self.hunter = Hunter::Working(Box::new(Bmc::new(self.system, 0)));
        }
        let Hunter::Working(hunter) = &mut self.hunter else {
            return Verdict::Unknown(Reason::Stopped(Exhausted::Memory));
        };
        self.engine.observer.enter(Phase::Unroll);
        let chunk = (turn / LOOKS).clamp(CHUNK.0, CHUNK.1);
        let conflicts = allowance.work.unwrap_or(u64::MAX).min(chunk);
        hunter.set_allowance(allowance.with_work(conflicts));
        let verdict = hunter.check_within(turn, &mut Depths(self.engine.observer));
        if hunter.size() > MAX_UNROLLED
            || verdict == Verdict::Unknown(Reason::Stopped(Exhausted::Memory))
        {
            self.hunter = Hunter::Done;
        }
        self.engine.observer.enter(Phase::Search);
        verdict
    }
}

/// Lets an IC3 work for so many units.
fn take_turn(engine: &mut Ic3<'_, ConeSolver>, turn: u64, allowance: &Allowance) -> Verdict {
    let conflicts = allowance.work.unwrap_or(u64::MAX).min(turn / CONFLICT);
    engine.set_allowance(allowance.with_work(conflicts));
    engine.set_turn(Some(turn));
    engine.check()
}

/// The strategy that takes turns with the one asked for.
fn alternative(asked: Generalization) -> Generalization {
    match asked {
        Generalization::Inductive(CtgLimits { depth: 1.., .. }) | Generalization::Dynamic => {
            Generalization::Inductive(CtgLimits::NONE)
        }
        other => other,
    }
}

/// Whether a verdict is more than the end of a turn.
fn ends(verdict: &Verdict, allowance: &Allowance) -> bool {
    match verdict {
        Verdict::Unknown(Reason::Stopped(Exhausted::Work)) => allowance.work.is_some(),
        Verdict::Unknown(Reason::Stopped(Exhausted::Memory)) => false,
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
