//! Several engines on one property: the first verdict counts.
//!
//! [Bra11 §8] runs IC3 several times over, sharing lemmas. Members of the team differ in
//! seed and strategy, so that they don't find the same lemmas at the same time. Bounded model
//! checking and k-induction are members too: they decide properties of a kind on which IC3 is
//! weak, above all deep violations. In a team of two, the first member does what it would do
//! alone, bounded model checking in turns included ([`crate::turns`]), and the second is IC3 with
//! plain `down`: so two lose nothing that one solves.
//!
//! A team of one takes turns too, and does the same in every run. Larger teams depend on
//! timing; their verdicts don't, but traces and invariants may.

use crate::check::{CheckError, carry_back, reduce};
use crate::engine::Ic3;
use crate::exchange::Board;
use crate::options::{Generalization, Options};
use crate::turns::Turns;
use bounded::{Bmc, KInduction};
use circuit::verdict::{Reason, Verdict};
use circuit::{Reduction, TransitionSystem};
use lemmas::{Observer, Phase};
use sat::cone::ConeSolver;
use sat::{Interrupt, Limits};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What a member of a team does.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Role {
    Ic3(Options),
    Bmc,
    KInduction,
    /// IC3 and bounded model checking in turns.
    Turns(Options),
}

impl Role {
    fn is_prover(&self) -> bool {
        matches!(self, Role::Ic3(_) | Role::Turns(_))
    }
}

/// How often the outside interrupt is looked at.
const WATCH_INTERVAL: Duration = Duration::from_millis(5);

/// The second member looks for violations, the fourth for k-inductive properties, all others
/// are IC3; the first is what the caller asked for. In a team of two the first looks for
/// violations as well.
fn roles(options: Options, jobs: usize) -> Vec<Role> {
    if jobs == 2 {
        return vec![Role::Turns(options), Role::Ic3(variant(options, 1))];
    }
    (0..jobs.max(1))
        .map(|index| match index {
            0 => Role::Ic3(options),
            1 => Role::Bmc,
            3 => Role::KInduction,
            _ => Role::Ic3(variant(options, index)),
        })
        .collect()
}

/// Options that lead a member to other lemmas than those of the members before it.
fn variant(options: Options, index: usize) -> Options {
    let generalizations = [Generalization::Ctg, Generalization::Down, Generalization::Dynamic];
    Options {
        seed: options.seed.wrapping_add(index as u64),
        generalization: generalizations[index % generalizations.len()],
        ..options
    }
}

/// Decides one bad property, given by its index, with `jobs` threads.
///
/// The observer hears of the first member. Ensures: the evidence is about `system` itself.
pub fn check_with_team(
    system: &TransitionSystem,
    property: usize,
    options: &Options,
    jobs: usize,
    limits: Limits,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Result<Verdict, CheckError> {
    observer.enter(Phase::Reduce);
    let reduction = reduce(system, property, options, limits, interrupt)?;
    if jobs <= 1 {
        let mut turns = Turns::new(&reduction.system, *options, observer);
        return Ok(carry_back(&reduction, turns.check(limits, interrupt)));
    }
    let roles = roles(*options, jobs);
    let provers = roles.iter().filter(|r| r.is_prover()).count();
    let team = Team {
        system,
        property,
        reduction: &reduction,
        limits,
        provers,
        board: Board::default(),
        stop: Interrupt::new(),
        active: AtomicUsize::new(roles.len()),
        verdict: Mutex::new(None),
    };
    std::thread::scope(|scope| {
        scope.spawn(|| team.watch(interrupt));
        let mut prover = 0;
        for role in &roles[1..] {
            prover += usize::from(role.is_prover());
            let (team, index) = (&team, prover);
            scope.spawn(move || team.work(role, index, &mut ()));
        }
        team.work(&roles[0], 0, observer);
    });
    let verdict = team.verdict.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    Ok(verdict.unwrap_or(Verdict::Unknown(Reason::Interrupted)))
}

/// What the members share.
struct Team<'a> {
    system: &'a TransitionSystem,
    property: usize,
    reduction: &'a Reduction,
    limits: Limits,
    /// How many members are IC3.
    provers: usize,
    board: Board,
    /// Ends all members.
    stop: Interrupt,
    active: AtomicUsize,
    verdict: Mutex<Option<Verdict>>,
}

impl Team<'_> {
    /// Passes the outside interrupt on to the team, until nobody works any more.
    fn watch(&self, interrupt: &Interrupt) {
        while self.active.load(Ordering::Acquire) > 0 {
            if interrupt.is_raised() {
                self.stop.raise();
            }
            std::thread::sleep(WATCH_INTERVAL);
        }
    }

    /// Does a member's work. A verdict ends the team.
    fn work(&self, role: &Role, prover: usize, observer: &mut dyn Observer) {
        let _leave = Leave(self);
        let verdict = match role {
            Role::Ic3(options) => self.ic3(*options, prover, observer),
            Role::Bmc => self.bmc(),
            Role::KInduction => self.k_induction(),
            Role::Turns(options) => self.turns(*options, prover, observer),
        };
        self.report(verdict);
    }

    fn ic3(&self, options: Options, prover: usize, observer: &mut dyn Observer) -> Verdict {
        let mut engine = Ic3::<ConeSolver>::new(&self.reduction.system, 0, options, observer);
        engine.set_limits(self.limits, self.stop.clone());
        if self.provers > 1 {
            engine.join(self.board.member(prover, self.provers));
        }
        carry_back(self.reduction, engine.check())
    }

    fn bmc(&self) -> Verdict {
        let mut engine = Bmc::new(&self.reduction.system, 0);
        engine.set_limits(self.limits, self.stop.clone());
        carry_back(self.reduction, engine.check(usize::MAX - 1, &mut ()))
    }

    fn turns(&self, options: Options, prover: usize, observer: &mut dyn Observer) -> Verdict {
        let mut turns = Turns::new(&self.reduction.system, options, observer);
        if self.provers > 1 {
            turns.join(self.board.member(prover, self.provers));
        }
        carry_back(self.reduction, turns.check(self.limits, &self.stop))
    }

    /// On the original: that a reduced system is k-inductive does not make the original so.
    fn k_induction(&self) -> Verdict {
        let mut engine = KInduction::new(self.system, self.property, true);
        engine.set_limits(self.limits, self.stop.clone());
        engine.check(usize::MAX - 1, &mut ())
    }

    /// Keeps the first verdict, or else the last reason for having none.
    fn report(&self, verdict: Verdict) {
        let mut kept = self.verdict.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if kept.as_ref().is_some_and(|v| !matches!(v, Verdict::Unknown(_))) {
            return;
        }
        if !matches!(verdict, Verdict::Unknown(_)) {
            self.stop.raise();
        }
        *kept = Some(verdict);
    }
}

/// Counts a member out, even if it panics: then the others are told to stop as well.
struct Leave<'a, 'b>(&'a Team<'b>);

impl Drop for Leave<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop.raise();
        }
        self.0.active.fetch_sub(1, Ordering::AcqRel);
    }
}
