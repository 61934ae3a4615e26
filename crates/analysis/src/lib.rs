//! Invariants of programs, found before and beside the search of the engines.
//!
//! Guesses come from several sources, none of which needs to be right:
//!
//! * [`mod@fixpoint`]: ranges ([`facts`]) and residues ([`residue`]) of single variables, by abstract
//!   interpretation with widening;
//! * [`zones`]: bounds of differences of two variables;
//! * [`affine`]: linear equations of several variables;
//! * [`guards`]: the comparisons that the program makes;
//! * [`heap`]: properties of all objects that pointers point to, as of the nodes of a list;
//! * [`elements`]: properties of all elements of arrays up to an index, if the others are not
//!   enough;
//! * [`seeds`]: what all states of random runs have in common, for a search that has become hard.
//!
//! [`houdini`] drops those that are not inductive together; what is left is certain, and engines
//! take it as given: lemmas of IC3CFA in all frames, assumptions of k-induction. Where it excludes
//! the error location, it is a proof.
//!
//! # References
//!
//! * P. Cousot, R. Cousot: *Abstract interpretation: a unified lattice model*. POPL 1977.
//! * A. Miné: *The octagon abstract domain*. Higher-Order and Symbolic Computation, 2006.
//! * M. Karr: *Affine relationships among variables of a program*. Acta Informatica, 1976.
//! * C. Flanagan, K. R. M. Leino: *Houdini, an annotation assistant for ESC/Java*. FME 2001.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod affine;
pub mod elements;
pub mod facts;
pub mod fixpoint;
pub mod formulas;
pub mod guards;
pub mod heap;
pub mod houdini;
pub mod polynomial;
pub mod residue;
pub mod seeds;
pub mod zones;

use affine::Affine;
use answer::Allowance;
use facts::Ranges;
use fixpoint::fixpoint;
use houdini::{Candidates, Effort, Houdini};
use la_arena::ArenaMap;
use program::cfa::{Cfa, LocationId};
use program::minimize::live_variables;
use program::verdict::Invariant;
use rustc_hash::FxHashSet;
use smt::{Error, Solvers};
use term::traverse::free_vars;
use term::{Pool, Term};
use zones::Zones;

/// The most candidates of a location.
const MAX_CANDIDATES: usize = 150;

/// What is guessed, and what it may cost.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether ranges and residues of single variables are computed.
    pub ranges: bool,
    /// Whether differences of variables are bounded.
    pub zones: bool,
    /// Whether linear equations are computed.
    pub equations: bool,
    /// Whether the program's comparisons are tried.
    pub guards: bool,
    /// Whether properties of the elements of arrays are tried.
    pub elements: bool,
    /// How many subterms the fixpoints may evaluate.
    pub evaluations: usize,
    /// How many questions the proof may ask.
    pub queries: usize,
    /// How many conflicts one of them may take.
    pub conflicts: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            ranges: true,
            zones: true,
            equations: true,
            guards: true,
            elements: true,
            evaluations: 1_000_000,
            queries: 1_500,
            conflicts: 400,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// Formulas that hold at locations, inductive together.
    pub invariant: Invariant,
    /// Whether they exclude the error location.
    pub safe: bool,
}

/// Finds an inductive invariant, which may be trivial.
pub fn analyze(
    pool: &Pool,
    cfa: &Cfa,
    options: &Options,
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<Analysis, Error> {
    let effort = Effort { queries: options.queries, conflicts: options.conflicts };
    let trial = |candidates| -> Result<Analysis, Error> {
        let mut houdini = Houdini::new(pool, cfa, candidates, effort, solvers, allowance);
        let Some(mut invariant) = houdini.prove()? else { return Ok(Analysis::default()) };
        let safe = houdini.excludes_error()?;
        if safe && let Some(needed) = houdini.needed()? {
            invariant = needed;
        }
        Ok(Analysis { invariant, safe })
    };
    let simple = candidates(pool, cfa, options);
    let found = trial(simple.clone())?;
    if found.safe || !options.elements {
        return Ok(found);
    }
    // With elements it is a proof or nothing: engines can't take formulas with parameters.
    let mut formulas = Vec::new();
    let behind = heap::candidates(pool, cfa);
    // What does not hold by itself may hold with what is known of the heap.
    let known = if behind.is_empty() { &found.invariant.at } else { &simple };
    for more in behind.into_iter().chain(elements::candidates(pool, cfa)) {
        formulas.extend(more);
        let at = |location| {
            let known = known.get(location).into_iter().flatten();
            known.chain(&formulas).copied().collect::<Vec<Term>>()
        };
        let candidates = cfa.locations.iter().map(|(location, _)| (location, at(location)));
        let with_elements = trial(candidates.collect())?;
        if with_elements.safe {
            return Ok(with_elements);
        }
    }
    Ok(found)
}

/// What may hold at each location.
fn candidates(pool: &Pool, cfa: &Cfa, options: &Options) -> Candidates {
    let live = live_variables(pool, cfa);
    let live = |location: LocationId| live.get(location).map_or(&[][..], |all| &all[..]);
    let terms = fixpoint::terms(cfa);
    let mut ranges = Ranges::new(pool, &terms);
    let facts =
        options.ranges.then(|| fixpoint(pool, cfa, &mut ranges, options.evaluations)).flatten();
    let mut zones = Zones::new(pool, cfa);
    let bounds = match options.zones {
        true if zones.count() > 1 => fixpoint(pool, cfa, &mut zones, options.evaluations),
        _ => None,
    };
    let mut affine = if options.equations { Affine::all(pool, cfa) } else { Vec::new() };
    let spaces: Vec<_> =
        affine.iter_mut().map(|domain| fixpoint(pool, cfa, domain, options.evaluations)).collect();
    let guards = if options.guards { guards::predicates(pool, cfa) } else { Vec::new() };
    let guards: Vec<(Term, Vec<Term>)> =
        guards.into_iter().map(|guard| (guard, free_vars(pool, &[guard]))).collect();
    let mut all: Candidates = ArenaMap::default();
    for (location, _) in cfa.locations.iter() {
        let here: FxHashSet<Term> = live(location).iter().copied().collect();
        let mut found: Vec<Term> = Vec::new();
        if let Some(facts) = &facts {
            match facts.get(location) {
                Some(facts) => found.extend(formulas::formulas(pool, facts, live(location))),
                None => found.push(pool.fls()),
            }
        }
        for (domain, spaces) in affine.iter().zip(&spaces) {
            let space = spaces.as_ref().and_then(|spaces| spaces.get(location));
            found.extend(space.into_iter().flat_map(|space| domain.formulas(space)));
        }
        if let Some(zone) = bounds.as_ref().and_then(|bounds| bounds.get(location)) {
            found.extend(zones.formulas(zone, &here));
        }
        let spoken = guards.iter().filter(|(_, variables)| {
            !variables.is_empty() && variables.iter().all(|variable| here.contains(variable))
        });
        found.extend(spoken.map(|(guard, _)| *guard));
        let mut known = FxHashSet::default();
        found.retain(|formula| pool.as_bool(*formula) != Some(true) && known.insert(*formula));
        found.truncate(MAX_CANDIDATES);
        // Also nothing: a location with an entry cuts the cycles through it.
        all.insert(location, found);
    }
    all
}
