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
//! The first turn is plain `down` in a fixed order of literals. Activities mean nothing before
//! there are lemmas, and an order that follows the first few by chance can lead far astray; those
//! of one order that does not change start them well.
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
use sat::{Interrupt, Limits};

/// The units of IC3's first turn.
const FIRST_TURN: u64 = 4_000_000;
/// The growth of turns, as a fraction.
const GROWTH: (u64, u64) = (3, 2);
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
    /// What was asked for.
    asked: Strategy,
    hunter: Hunter<'a>,
}

/// How IC3 finds lemmas during a turn.
#[derive(Clone, Copy)]
struct Strategy {
    generalization: Generalization,
    ordering: Ordering,
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
        let Options { generalization, ordering, .. } = options;
        let asked = Strategy { generalization, ordering };
        Turns { system, engine, asked, hunter: Hunter::Waiting }
    }

    /// Lets IC3 share lemmas; see [`Ic3::join`].
    pub fn join(&mut self, member: Member<'a>) {
        self.engine.join(member);
    }

    /// Decides the property, unless the limits or the interrupt end the run.
    pub fn check(&mut self, limits: Limits, interrupt: &Interrupt) -> Verdict {
        let mut turn = FIRST_TURN;
        for number in 0.. {
            let strategy = self.asked.in_turn(number);
            self.engine.options.generalization = strategy.generalization;
            self.engine.activity.set_ordering(strategy.ordering);
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
        let conflicts = limits.conflicts.unwrap_or(u64::MAX).min(turn / CONFLICT);
        let limits = Limits { conflicts: Some(conflicts), ..limits };
        self.engine.set_limits(limits, interrupt.clone());
        self.engine.set_allowance(Some(turn));
        self.engine.check()
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

impl Strategy {
    /// What to do in a turn where this is asked for: in odd ones itself, in even ones plain `down`,
    /// in the first one with a fixed order instead of activities. Strategies without
    /// counterexamples to generalization don't change.
    fn in_turn(self, number: usize) -> Self {
        let generalization = match self.generalization {
            Generalization::Inductive(CtgLimits { depth: 1.., .. }) | Generalization::Dynamic => {
                Generalization::Inductive(CtgLimits::NONE)
            }
            _ => return self,
        };
        match (number, self.ordering) {
            (0, Ordering::Activity) => Strategy { generalization, ordering: Ordering::Static },
            (n, ordering) if n % 2 == 0 => Strategy { generalization, ordering },
            _ => self,
        }
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
