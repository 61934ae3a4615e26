//! What is known at each location: the least facts that the edges preserve, made finite by
//! widening.
//!
//! Locations are visited in the order of a walk in depth, so that a loop settles before what comes
//! after it. Where an edge leads back in this order, after a few rounds, bounds that still grow go to
//! the next constant of the program, and from the last one to the end of the type; two rounds
//! without widening take back what went too far. What comes to a loop from before it only joins: it
//! grows as long as the loops before have not settled, which says nothing about this one.

use la_arena::ArenaMap;
use program::cfa::{Cfa, Command, EdgeId, LocationId};
use program::minimize::live_variables;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use term::{Pool, Term};

/// How often edges that lead back may make facts grow before they are widened.
const PATIENCE: usize = 3;
/// How many rounds take back what widening overdid.
const NARROWING: usize = 2;

/// A way to know something about states.
pub trait Domain {
    /// What is known; the default is nothing.
    type Knowledge: Clone + Default;

    /// What is known if a formula holds; none if it can't.
    fn assume(&mut self, formula: Term, known: Self::Knowledge) -> Option<Self::Knowledge>;

    /// What is known after an assignment; none if what was known contradicts itself.
    fn assign(
        &mut self,
        variable: Term,
        term: Term,
        known: Self::Knowledge,
    ) -> Option<Self::Knowledge>;

    /// What is known after a variable got any value.
    fn havoc(&mut self, variable: Term, known: Self::Knowledge) -> Self::Knowledge;

    /// Keeps of the first what also the other says. Whether that is less.
    fn join(&mut self, known: &mut Self::Knowledge, other: &Self::Knowledge) -> bool;

    /// As [`Domain::join`], such that it can happen only so often in a row.
    fn widen(&mut self, known: &mut Self::Knowledge, other: &Self::Knowledge) -> bool;

    /// Forgets all but some variables.
    fn keep(&mut self, known: &mut Self::Knowledge, kept: &FxHashSet<Term>);

    /// The work done so far, in evaluations of subterms or what costs as much, besides one for each
    /// command.
    fn work(&self) -> usize;
}

/// What is known at each location that a run may reach; none if that takes more work. Other
/// locations are unreachable, if the domain is right.
pub fn fixpoint<D: Domain>(
    pool: &Pool,
    cfa: &Cfa,
    domain: &mut D,
    work: usize,
) -> Option<ArenaMap<LocationId, D::Knowledge>> {
    let initial = cfa.initial?;
    let live = live_variables(pool, cfa);
    let live = cfa.locations.iter().map(|(location, _)| {
        let variables = live.get(location).into_iter().flatten().copied().collect();
        (location, variables)
    });
    let mut analysis = Analysis {
        cfa,
        leaving: cfa.leaving(),
        rank: ranks(cfa, initial),
        live: live.collect(),
        domain,
        commands: 0,
        limit: work,
        at: ArenaMap::default(),
    };
    analysis.at.insert(initial, D::Knowledge::default());
    analysis.ascend(initial)?;
    for _ in 0..NARROWING {
        analysis.descend(initial)?;
    }
    Some(analysis.at)
}

/// All terms of an automaton.
pub fn terms(cfa: &Cfa) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut pending: Vec<&Command> = cfa.edges.values().map(|edge| &edge.command).collect();
    while let Some(command) = pending.pop() {
        match command {
            Command::Assume(term) | Command::Assign(_, term) => terms.push(*term),
            Command::Havoc(..) => {}
            Command::Sequence(commands) | Command::Choice(commands) => pending.extend(commands),
        }
    }
    terms
}

fn index(location: LocationId) -> usize {
    location.into_raw().into_u32() as usize
}

/// The number of each location in reverse postorder.
fn ranks(cfa: &Cfa, initial: LocationId) -> Vec<usize> {
    let leaving = cfa.leaving();
    let mut rank = vec![usize::MAX; cfa.locations.len()];
    let mut seen = vec![false; cfa.locations.len()];
    let mut next_rank = cfa.locations.len();
    let mut path = vec![(initial, 0)];
    seen[index(initial)] = true;
    while let Some((location, next)) = path.last_mut() {
        match leaving[*location].get(*next) {
            Some(&edge) => {
                *next += 1;
                let to = cfa.edges[edge].to;
                if !std::mem::replace(&mut seen[index(to)], true) {
                    path.push((to, 0));
                }
            }
            None => {
                next_rank -= 1;
                rank[index(*location)] = next_rank;
                path.pop();
            }
        }
    }
    rank
}

struct Analysis<'a, D: Domain> {
    cfa: &'a Cfa,
    leaving: ArenaMap<LocationId, Vec<EdgeId>>,
    rank: Vec<usize>,
    live: ArenaMap<LocationId, FxHashSet<Term>>,
    domain: &'a mut D,
    /// How many commands were executed.
    commands: usize,
    limit: usize,
    at: ArenaMap<LocationId, D::Knowledge>,
}

impl<D: Domain> Analysis<'_, D> {
    /// What an edge brings from what is known at its beginning.
    fn follow(&mut self, edge: EdgeId, before: &D::Knowledge) -> Option<D::Knowledge> {
        let edge = &self.cfa.edges[edge];
        let mut after = self.execute(&edge.command, before.clone())?;
        self.domain.keep(&mut after, self.live.get(edge.to)?);
        Some(after)
    }

    /// What is known after a command; none if it does not get through. Nests as the command does,
    /// which the size of blocks bounds.
    fn execute(&mut self, command: &Command, before: D::Knowledge) -> Option<D::Knowledge> {
        self.commands += 1;
        match command {
            Command::Assume(formula) => self.domain.assume(*formula, before),
            Command::Assign(variable, term) => self.domain.assign(*variable, *term, before),
            Command::Havoc(variable, _) => Some(self.domain.havoc(*variable, before)),
            Command::Sequence(commands) => {
                commands.iter().try_fold(before, |known, command| self.execute(command, known))
            }
            Command::Choice(commands) => {
                let mut all: Option<D::Knowledge> = None;
                for command in commands {
                    let Some(one) = self.execute(command, before.clone()) else { continue };
                    match &mut all {
                        Some(all) => _ = self.domain.join(all, &one),
                        None => all = Some(one),
                    }
                }
                all
            }
        }
    }

    fn exhausted(&self) -> bool {
        self.commands + self.domain.work() > self.limit
    }

    fn ascend(&mut self, initial: LocationId) -> Option<()> {
        let mut pending: BTreeSet<(usize, LocationId)> = BTreeSet::new();
        pending.insert((self.rank[index(initial)], initial));
        let mut grown = vec![0; self.cfa.locations.len()];
        while let Some((_, location)) = pending.pop_first() {
            let facts = self.at[location].clone();
            for edge in self.leaving[location].clone() {
                if self.exhausted() {
                    return None;
                }
                let Some(after) = self.follow(edge, &facts) else { continue };
                let to = self.cfa.edges[edge].to;
                // Every cycle has such an edge.
                let back = self.rank[index(location)] >= self.rank[index(to)];
                let changed = match self.at.get_mut(to) {
                    None => {
                        self.at.insert(to, after);
                        true
                    }
                    Some(known) if back && grown[index(to)] >= PATIENCE => {
                        self.domain.widen(known, &after)
                    }
                    Some(known) => self.domain.join(known, &after),
                };
                if changed {
                    grown[index(to)] += usize::from(back);
                    pending.insert((self.rank[index(to)], to));
                }
            }
        }
        Some(())
    }

    /// Computes every location's facts once more from those before it.
    fn descend(&mut self, initial: LocationId) -> Option<()> {
        let arriving = self.cfa.arriving();
        let mut order: Vec<LocationId> = self.at.iter().map(|(location, _)| location).collect();
        order.sort_by_key(|location| self.rank[index(*location)]);
        for location in order.into_iter().filter(|location| *location != initial) {
            let mut new: Option<D::Knowledge> = None;
            for &edge in &arriving[location] {
                if self.exhausted() {
                    return None;
                }
                let Some(before) = self.at.get(self.cfa.edges[edge].from).cloned() else {
                    continue;
                };
                let Some(after) = self.follow(edge, &before) else { continue };
                match &mut new {
                    None => new = Some(after),
                    Some(facts) => {
                        self.domain.join(facts, &after);
                    }
                }
            }
            match new {
                Some(facts) => {
                    self.at.insert(location, facts);
                }
                None => {
                    self.at.remove(location);
                }
            }
        }
        Some(())
    }
}
