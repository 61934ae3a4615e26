//! Several engines on one property of a circuit, one thread each: the first verdict counts.
//!
//! [Bra11 §8] runs IC3 several times over, sharing lemmas. Members of the team differ in
//! seed and strategy, so that they don't find the same lemmas at the same time. Bounded model
//! checking and k-induction are members too: they decide properties of a kind on which IC3 is
//! weak, above all deep violations. In a team of two, the first member does what it would do
//! alone, bounded model checking in turns included ([`super::turns`]), and the second is IC3 with
//! plain `down`: so two lose nothing that one solves.
//!
//! Teams depend on timing; their verdicts don't, but traces and invariants may.

use super::turns::refused;
use super::{Errand, Played, turns};
use crate::board::Reached;
use crate::figures::SearchFigures;
use crate::schedule::{Player, Schedule, Starter, Traveller};
use answer::{Allowance, EngineName, Exhausted, Interrupt, Reason};
use bounded::{Bmc, KInduction};
use circuit::verdict::Verdict;
use circuit::{Clause, Reduction};
use ic3::check::{carry_back, reduce};
use ic3::exchange::Board;
use ic3::options::{Generalization, Options};
use ic3::{Ic3, StandardSolver};
use std::sync::Arc;
use std::time::Duration;

/// How often the outside interrupt is looked at.
const WATCH: Duration = Duration::from_millis(5);

/// What a member of a team does.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Role {
    Ic3(Options),
    Bmc,
    KInduction,
    /// What is done alone.
    Turns,
}

/// The second member looks for violations, the fourth for k-inductive properties, all others
/// are IC3; the first is what the caller asked for. In a team of two the first looks for
/// violations as well.
fn roles(options: Options, jobs: usize) -> Vec<Role> {
    if jobs == 2 {
        return vec![Role::Turns, Role::Ic3(variant(options, 1))];
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

/// What the members share.
struct Team {
    errand: Errand,
    reduction: Reduction,
    board: Board,
    /// How many members are IC3 that share lemmas.
    provers: usize,
}

/// A member.
struct Member {
    team: Arc<Team>,
    role: Role,
    /// Which of the provers.
    prover: usize,
    name: EngineName,
    reached: Reached,
    allowance: Allowance,
}

/// Decides a goal with so many threads.
pub(super) fn decide(
    errand: &Errand,
    jobs: usize,
    allowance: &Allowance,
    starter: &Starter,
) -> Played {
    let options = errand.settings.ic3;
    let reduction = match reduce(&errand.system, vec![errand.property], &options, allowance) {
        Ok(reduction) => reduction,
        Err(error) => return (EngineName::new("ic3"), refused(&error)),
    };
    let roles = roles(options, jobs);
    let provers = roles.iter().filter(|role| matches!(role, Role::Ic3(_))).count();
    let board = Board::default();
    let team = Arc::new(Team { errand: errand.clone(), reduction, board, provers });
    let stop = Interrupt::new();
    let allowance_of_team = Allowance { interrupt: stop.clone(), ..allowance.clone() };
    let mut prover = 0;
    let mut players: Vec<Traveller<Played>> = Vec::new();
    for role in roles {
        let member = Member::new(&team, role, prover, &allowance_of_team);
        prover += usize::from(matches!(role, Role::Ic3(_)));
        players.push(Box::new(member));
    }
    let schedule = Schedule::start(players, jobs, starter);
    let answered = |(_, verdict): &Played| !matches!(verdict, Verdict::Unknown(_));
    let watch = || {
        if allowance.interrupt.is_raised() {
            stop.raise();
        }
        true
    };
    let found = schedule.first(WATCH, |found| answered(&found.answer), watch);
    stop.raise();
    let nobody = Verdict::Unknown(Reason::Stopped(Exhausted::Interrupted));
    found.map_or((EngineName::new("ic3"), nobody), |found| found.answer)
}

impl Member {
    fn new(team: &Arc<Team>, role: Role, prover: usize, allowance: &Allowance) -> Self {
        let name = match role {
            Role::Ic3(_) | Role::Turns => "ic3",
            Role::Bmc => "bmc",
            Role::KInduction => "kind",
        };
        let row = team.errand.settings.engine(name).map(|engine| *engine.row());
        // Progress is shown of one IC3 alone; another one does not begin its figures anew.
        let seen = prover == 0 && role != Role::Turns || !matches!(role, Role::Ic3(_));
        let enter = |row| team.errand.board.enter(&row, Some(&team.errand.goal));
        let reached = row.filter(|_| seen).map(enter).unwrap_or_default();
        let (team, name, allowance) = (team.clone(), EngineName::new(name), allowance.clone());
        Member { team, role, prover, name, reached, allowance }
    }

    fn ic3(&self, options: Options) -> Verdict {
        let Team { reduction, board, provers, .. } = &*self.team;
        let mut figures = SearchFigures::new(self.reached.clone());
        let verdict = {
            let mut engine =
                Ic3::<StandardSolver>::new(&reduction.system, 0, options, &mut figures);
            engine.set_allowance(self.allowance.clone());
            if *provers > 1 {
                engine.join(board.member(self.prover, *provers));
            }
            let invariants = self.team.errand.known.since(0);
            for invariant in invariants {
                let lower = |clause: &Clause| reduction.lower_clause(clause);
                let clauses: Vec<Clause> = invariant.iter().filter_map(lower).collect();
                // An engine that is stopped here stops at its next question too, and says so.
                let _ = engine.learn(&clauses);
            }
            turns::begin(&mut engine, &self.team.errand, reduction);
            let verdict = engine.check();
            turns::leave(&engine, &self.team.errand, reduction);
            carry_back(reduction, verdict)
        };
        figures.finish();
        verdict
    }

    fn bmc(&self) -> Verdict {
        let reduction = &self.team.reduction;
        let mut engine = Bmc::new(&reduction.system, 0);
        engine.set_allowance(self.allowance.clone());
        carry_back(reduction, engine.check(usize::MAX - 1, &mut self.reached.clone()))
    }

    /// On the original: that a reduced system is k-inductive does not make the original so.
    fn k_induction(&self) -> Verdict {
        let errand = &self.team.errand;
        let mut engine = KInduction::new(&errand.system, errand.property, true);
        engine.set_allowance(self.allowance.clone());
        engine.check(usize::MAX - 1, &mut self.reached.clone())
    }
}

impl Player<Played> for Member {
    fn name(&self) -> &EngineName {
        &self.name
    }

    fn play(&mut self) -> Played {
        let verdict = match self.role {
            Role::Ic3(options) => self.ic3(options),
            Role::Bmc => self.bmc(),
            Role::KInduction => self.k_induction(),
            Role::Turns => return turns::decide(&self.team.errand, &self.allowance),
        };
        (self.name.clone(), verdict)
    }

    fn turn(&mut self, _: usize) -> Option<Played> {
        Some(self.play())
    }

    fn without_thread(&self) -> Played {
        (self.name.clone(), Verdict::Unknown(Reason::Stopped(Exhausted::Memory)))
    }
}
