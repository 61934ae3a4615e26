//! Live variables: at which locations a variable's value can still be read.
//!
//! Backward over the automaton with one bit a variable and location. A command reads a
//! variable unless it has surely assigned it before.

use super::slice::Variables;
use crate::cfa::{Cfa, Command, LocationId};
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
}

impl Effect {
    fn add(&mut self, variables: &mut Variables, command: &Command) {
        let mut read = |effect: &mut Effect, term: Term| {
            let free = variables.of(term);
            let before = free.iter().filter(|v| !effect.assigns.contains(v));
            let before: Vec<Term> = before.copied().collect();
            effect.reads.extend(before);
        };
        match command {
            Command::Assume(formula) => read(self, *formula),
            Command::Assign(variable, term) => {
                read(self, *term);
                self.assigns.insert(*variable);
            }
            Command::Havoc(variable, _) => {
                self.assigns.insert(*variable);
            }
            Command::Sequence(commands) => {
                for command in commands {
                    self.add(variables, command);
                }
            }
            // What one alternative assigns, another may not; nesting is bounded by the blocks.
            Command::Choice(alternatives) => {
                for alternative in alternatives {
                    let mut effect = Effect::default();
                    effect.add(variables, alternative);
                    let before = effect.reads.iter().filter(|v| !self.assigns.contains(v));
                    let before: Vec<Term> = before.copied().collect();
                    self.reads.extend(before);
                }
            }
        }
    }
}

impl Live {
    pub fn analyze(variables: &mut Variables, cfa: &Cfa) -> Live {
        let mut sorted: Vec<Term> = cfa.variables.keys().copied().collect();
        sorted.sort_unstable();
        let number: FxHashMap<Term, usize> =
            sorted.into_iter().enumerate().map(|(n, v)| (v, n)).collect();
        let words = number.len().div_ceil(64);
        // Locations without edges need no bits.
        let mut row: FxHashMap<usize, usize> = FxHashMap::default();
        for edge in cfa.edges.values() {
            for location in [edge.from, edge.to] {
                let next = row.len();
                row.entry(index(location)).or_insert(next);
            }
        }
        let mut edges = Vec::with_capacity(cfa.edges.len());
        let mut entering: Vec<Vec<usize>> = vec![Vec::new(); row.len()];
        for edge in cfa.edges.values() {
            let mut effect = Effect::default();
            effect.add(variables, &edge.command);
            let numbers = |terms: FxHashSet<Term>| -> Vec<usize> {
                terms.iter().filter_map(|v| number.get(v).copied()).collect()
            };
            let (from, to) = (row[&index(edge.from)], row[&index(edge.to)]);
            entering[to].push(edges.len());
            edges.push((from, to, numbers(effect.reads), numbers(effect.assigns)));
        }
        let mut bits = vec![0u64; row.len() * words];
        let mut pending: Vec<usize> = (0..edges.len()).collect();
        let mut queued = vec![true; edges.len()];
        while let Some(edge) = pending.pop() {
            queued[edge] = false;
            let (from, to, reads, assigns) = &edges[edge];
            let mut before = bits[to * words..(to + 1) * words].to_vec();
            for n in assigns {
                before[n / 64] &= !(1 << (n % 64));
            }
            for n in reads {
                before[n / 64] |= 1 << (n % 64);
            }
            let mut changed = false;
            for (there, new) in bits[from * words..(from + 1) * words].iter_mut().zip(before) {
                changed |= *there | new != *there;
                *there |= new;
            }
            if changed {
                for &other in &entering[*from] {
                    if !std::mem::replace(&mut queued[other], true) {
                        pending.push(other);
                    }
                }
            }
        }
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
    let live = Live::analyze(&mut Variables::new(pool), cfa);
    let mut variables: Vec<Term> = cfa.variables.keys().copied().collect();
    variables.sort_unstable();
    let at = |location| {
        variables.iter().copied().filter(|v| live.contains(location, *v)).collect::<Vec<Term>>()
    };
    cfa.locations.iter().map(|(location, _)| (location, at(location))).collect()
}
