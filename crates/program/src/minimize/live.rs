//! Live variables: at which locations a variable's value can still be read.
//!
//! Backward over the automaton with one bit a variable and location. A command reads a
//! variable unless it has surely assigned it before.

use crate::cfa::{Cfa, Command, LocationId};
use crate::liveness::{Step, spread};
use crate::terms::Terms;
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Pool, Term};

/// The live variables of each location.
pub(super) struct Live {
    number: FxHashMap<Term, usize>,
    words: usize,
    bits: Vec<u64>,
    /// The row of bits of each location that has an edge.
    row: FxHashMap<usize, usize>,
}

fn index(location: LocationId) -> usize {
    location.into_raw().into_u32() as usize
}

/// What a command reads of the state before it, and what it surely assigns.
#[derive(Default)]
struct Effect {
    reads: FxHashSet<Term>,
    assigns: FxHashSet<Term>,
    /// What it assigns, in order.
    order: Vec<Term>,
}

impl Effect {
    fn add(&mut self, terms: &mut Terms, command: &Command) {
        match command {
            Command::Assume(formula) => self.read(terms, *formula),
            Command::Assign(variable, term) => {
                self.read(terms, *term);
                self.assign(*variable);
            }
            Command::Havoc(variable, _) => self.assign(*variable),
            Command::Sequence(commands) => {
                for command in commands {
                    self.add(terms, command);
                }
            }
            // What one alternative assigns, another may not; nesting is bounded by the blocks.
            Command::Choice(alternatives) => {
                let before = self.order.len();
                for alternative in alternatives {
                    self.add(terms, alternative);
                    for variable in self.order.drain(before..) {
                        self.assigns.remove(&variable);
                    }
                }
            }
        }
    }

    fn read(&mut self, terms: &mut Terms, term: Term) {
        let read = terms.variables(term).iter().filter(|v| !self.assigns.contains(v));
        self.reads.extend(read);
    }

    fn assign(&mut self, variable: Term) {
        if self.assigns.insert(variable) {
            self.order.push(variable);
        }
    }

    /// What was read and assigned; it is empty then.
    fn take(&mut self) -> (Vec<Term>, Vec<Term>) {
        self.assigns.clear();
        (self.reads.drain().collect(), std::mem::take(&mut self.order))
    }
}

/// The edges, those that lead further before those that lead to them, as far as loops allow: the
/// order in which depth-first search leaves their sources.
fn backward(locations: usize, ends: &[[usize; 2]]) -> Vec<usize> {
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); locations];
    for (edge, [from, _]) in ends.iter().enumerate() {
        leaving[*from].push(edge);
    }
    let mut order = Vec::with_capacity(ends.len());
    let mut seen = vec![false; locations];
    for root in 0..locations {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((location, next)) = path.last_mut() {
            let Some(&edge) = leaving[*location].get(*next) else {
                order.extend(&leaving[*location]);
                path.pop();
                continue;
            };
            *next += 1;
            let to = ends[edge][1];
            if !std::mem::replace(&mut seen[to], true) {
                path.push((to, 0));
            }
        }
    }
    order
}

impl Live {
    pub fn analyze(terms: &mut Terms, cfa: &Cfa) -> Live {
        // Locations without edges need no bits.
        let mut row: FxHashMap<usize, usize> = FxHashMap::default();
        let mut ends = Vec::with_capacity(cfa.edges.len());
        for edge in cfa.edges.values() {
            let ends_of = [edge.from, edge.to].map(|location| {
                let next = row.len();
                *row.entry(index(location)).or_insert(next)
            });
            ends.push(ends_of);
        }
        let mut effect = Effect::default();
        let effects = cfa.edges.values().map(|edge| {
            effect.add(terms, &edge.command);
            effect.take()
        });
        let effects: Vec<(Vec<Term>, Vec<Term>)> = effects.collect();
        // A variable that no edge reads before it assigns it, is live nowhere.
        let mut read: Vec<Term> = effects.iter().flat_map(|(reads, _)| reads).copied().collect();
        read.sort_unstable();
        read.dedup();
        let known = read.into_iter().filter(|variable| cfa.variables.contains_key(variable));
        let number: FxHashMap<Term, usize> = known.enumerate().map(|(n, v)| (v, n)).collect();
        let words = number.len().div_ceil(64);
        let numbers = |terms: &[Term]| -> Vec<usize> {
            terms.iter().filter_map(|v| number.get(v).copied()).collect()
        };
        let steps: Vec<Step> = effects
            .iter()
            .zip(&ends)
            .map(|((reads, assigns), &[from, to])| {
                let (reads, writes) = (numbers(reads), numbers(assigns));
                Step { from, to, reads, writes }
            })
            .collect();
        let mut bits = vec![0u64; row.len() * words];
        spread(&steps, backward(row.len(), &ends).into(), words, &mut bits);
        Live { number, words, bits, row }
    }

    /// Whether a variable is live at a location.
    pub fn contains(&self, location: LocationId, variable: Term) -> bool {
        let (Some(row), Some(n)) = (self.row.get(&index(location)), self.number.get(&variable))
        else {
            return false;
        };
        self.bits[row * self.words + n / 64] >> (n % 64) & 1 == 1
    }
}

/// The variables whose values can still be read at each location, in order.
pub fn live_variables(pool: &Pool, cfa: &Cfa) -> ArenaMap<LocationId, Vec<Term>> {
    let live = Live::analyze(&mut Terms::new(pool), cfa);
    let mut variables: Vec<Term> = cfa.variables.keys().copied().collect();
    variables.sort_unstable();
    let at = |location| {
        variables.iter().copied().filter(|v| live.contains(location, *v)).collect::<Vec<Term>>()
    };
    cfa.locations.iter().map(|(location, _)| (location, at(location))).collect()
}
