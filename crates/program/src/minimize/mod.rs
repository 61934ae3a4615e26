//! Smaller automata with the same answer, and the way back for proofs [Lan18 §5.1.2].
//!
//! Passes run one after the other until a round changes nothing, or next to nothing of a large
//! automaton:
//!
//! * [`prune`]: locations that no run reaches, and that reach no error, go.
//! * [`mod@slice`]: assignments to variables that no assumption depends on go, and so do assignments
//!   that the same block overwrites.
//! * [`crate::blocks`]: large-block encoding.
//! * [`propagate`]: forward substitution of definitions within an edge; then constants and copies
//!   that reach a location on all ways take the place of variables.
//! * [`bisimulation`]: locations with the same future become one.
//!
//! No assumption is dropped but those that always hold, so a run of the smaller automaton is one of
//! the larger: the havocs that are left have the same inputs, and the others have no influence.
//! (All havocs of an instruction go together, so that the values of a run keep their order.)
//!
//! The way back: [`Minimized::lift_invariant`] makes an inductive invariant of the smaller
//! automaton one of the original, with the facts that the passes used: a variable's constant at a
//! location, `false` where no run comes, `true` where the error is out of reach.

mod bisimulation;
mod live;
mod propagate;
mod prune;
mod slice;

pub use live::live_variables;

use crate::blocks;
use crate::cfa::{Cfa, LocationId};
use crate::verdict::Invariant;
use la_arena::{Arena, ArenaMap};
use std::collections::BTreeSet;
use term::{Pool, Term};

/// A pass. The first three are part of building a model ([`crate::model`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pass {
    /// What the properties depend on, in the program before inlining ([`crate::model::Options::cone`]).
    Cone,
    /// Variables that are assigned before they are read have no unknown first value
    /// ([`crate::model::Options::initialized`]).
    Initialized,
    /// Pointers to one object are replaced by its address ([`crate::model::Options::pointers`]).
    Pointers,
    /// Unreachable locations, and those that can't reach the error.
    Prune,
    /// Cone of influence.
    Slice,
    /// Large-block encoding.
    Blocks,
    /// Forward substitution of definitions within an edge.
    Substitute,
    /// Constants and copies, by the definitions that reach a location.
    Propagate,
    /// Equivalent locations.
    Bisimulation,
}

impl Pass {
    /// All of them, in the order of a round.
    pub const ALL: [Pass; 9] = [
        Pass::Cone,
        Pass::Initialized,
        Pass::Pointers,
        Pass::Prune,
        Pass::Slice,
        Pass::Blocks,
        Pass::Substitute,
        Pass::Propagate,
        Pass::Bisimulation,
    ];

    /// Whether it works on automata, and not before there is one.
    pub fn is_of_automata(self) -> bool {
        !matches!(self, Pass::Cone | Pass::Initialized | Pass::Pointers)
    }

    /// Its name on the command line and in statistics.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Cone => "cone",
            Pass::Initialized => "initialized",
            Pass::Pointers => "pointers",
            Pass::Substitute => "substitute",
            Pass::Prune => "prune",
            Pass::Blocks => "blocks",
            Pass::Propagate => "propagate",
            Pass::Slice => "slice",
            Pass::Bisimulation => "bisimulation",
        }
    }

    /// The pass with a name.
    pub fn named(name: &str) -> Option<Pass> {
        Pass::ALL.into_iter().find(|pass| pass.name() == name)
    }
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The passes to run.
    pub passes: BTreeSet<Pass>,
    /// How many rounds at most.
    pub rounds: usize,
    /// For large-block encoding.
    pub blocks: blocks::Options,
}

impl Default for Options {
    fn default() -> Self {
        Options { passes: Pass::ALL.into(), rounds: 6, blocks: blocks::Options::default() }
    }
}

/// How large an automaton is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Locations with an edge.
    pub locations: usize,
    /// Edges.
    pub edges: usize,
    /// Variables.
    pub variables: usize,
    /// Commands and nodes of their terms, a shared node once for each command that has it.
    pub terms: usize,
}

impl Size {
    /// Whether hardly anything is gone since it was as large as that.
    fn is_near(&self, before: &Size) -> bool {
        let near = |now: usize, then: usize| now > then / 16 * 15;
        near(self.edges, before.edges)
            && near(self.variables, before.variables)
            && near(self.terms, before.terms)
    }
}

/// What a pass did.
#[derive(Clone, Debug)]
pub struct PassStatistics {
    /// The pass.
    pub pass: Pass,
    /// The size before it.
    pub before: Size,
    /// The size after it.
    pub after: Size,
}

/// The result.
#[derive(Clone, Debug)]
pub struct Minimized {
    /// The smaller automaton; its variables and inputs are the original's.
    pub cfa: Cfa,
    /// What each pass did, in the order of execution.
    pub passes: Vec<PassStatistics>,
    /// The original location of each location.
    pub original: ArenaMap<LocationId, LocationId>,
    steps: Vec<Step>,
}

/// What a pass needs to take an invariant back over it.
#[derive(Clone, Debug)]
enum Step {
    /// Locations where no run comes, and locations from which no error is reached.
    Pruned { unreachable: Vec<LocationId>, harmless: Vec<LocationId> },
    /// What holds at locations.
    Facts(propagate::Facts),
    /// Locations that others stand for.
    Merged(Vec<(LocationId, LocationId)>),
}

/// The size in terms from which on a round that takes away next to nothing is the last.
const LARGE: usize = 200_000;

/// Makes an automaton smaller.
pub fn minimize(pool: &Pool, cfa: &Cfa, options: &Options) -> Minimized {
    let mut minimizer = Minimizer {
        pool,
        variables: slice::Variables::new(pool),
        measure: blocks::Measure::new(pool),
        cfa: cfa.clone(),
        passes: Vec::new(),
        steps: Vec::new(),
        heads: blocks::loop_heads(cfa),
    };
    let mut size = measure_with(&mut minimizer.measure, cfa);
    let passes = Pass::ALL.into_iter().filter(|pass| pass.is_of_automata());
    let passes: Vec<Pass> = passes.filter(|pass| options.passes.contains(pass)).collect();
    for round in 0..options.rounds {
        let before = size;
        for &pass in &passes {
            size = minimizer.measured(pass, size, options);
            let more = if size.terms > LARGE { followed_by(pass, round) } else { &[] };
            for &pass in more.iter().filter(|pass| passes.contains(pass)) {
                size = minimizer.measured(pass, size, options);
            }
        }
        if size == before || (before.terms > LARGE && size.is_near(&before)) {
            break;
        }
    }
    minimizer.finish()
}

/// What is run right after a pass on a large automaton: what it makes needless is gone before
/// anybody walks over it.
fn followed_by(pass: Pass, round: usize) -> &'static [Pass] {
    match pass {
        // Constants show that branches are never taken: at first, of many.
        Pass::Blocks if round == 0 => &[Pass::Propagate, Pass::Prune],
        // Definitions that have been substituted.
        Pass::Substitute => &[Pass::Slice],
        _ => &[],
    }
}

struct Minimizer<'a> {
    pool: &'a Pool,
    /// What passes ask of terms again and again.
    variables: slice::Variables<'a>,
    measure: blocks::Measure<'a>,
    cfa: Cfa,
    passes: Vec<PassStatistics>,
    steps: Vec<Step>,
    /// The heads of the original's loops. They stay also where a loop turns out never to be
    /// repeated: the way back needs an invariant on every cycle of the original.
    heads: Vec<bool>,
}

impl Minimizer<'_> {
    /// Notes what a pass does to an automaton of a size, and answers the size after it.
    fn measured(&mut self, pass: Pass, before: Size, options: &Options) -> Size {
        self.run(pass, options);
        let after = measure_with(&mut self.measure, &self.cfa);
        self.passes.push(PassStatistics { pass, before, after });
        after
    }

    fn run(&mut self, pass: Pass, options: &Options) {
        match pass {
            Pass::Cone | Pass::Initialized | Pass::Pointers => {}
            Pass::Prune => self.steps.extend(prune::prune(&mut self.cfa)),
            Pass::Blocks => {
                let Minimizer { measure, cfa, heads, .. } = self;
                blocks::encode_with(measure, cfa, &options.blocks, heads);
            }
            Pass::Substitute => {
                let Minimizer { pool, variables, measure, cfa, .. } = self;
                propagate::substitute(pool, variables, measure, cfa);
            }
            Pass::Propagate => {
                let Minimizer { pool, variables, measure, cfa, .. } = self;
                let facts = propagate::propagate(pool, variables, measure, cfa);
                self.steps.extend(facts);
            }
            Pass::Slice => slice::slice(&mut self.variables, &mut self.cfa),
            Pass::Bisimulation => self.steps.extend(bisimulation::merge(&mut self.cfa)),
        }
    }

    /// Leaves out locations and variables that nothing mentions.
    fn finish(self) -> Minimized {
        let Minimizer { mut cfa, passes, steps, mut variables, .. } = self;
        let mut used: ArenaMap<LocationId, ()> = ArenaMap::default();
        let ends = cfa.edges.values().flat_map(|edge| [edge.from, edge.to]);
        for location in ends.chain(cfa.initial).chain(cfa.error) {
            used.insert(location, ());
        }
        let mut locations = Arena::new();
        let mut original = ArenaMap::default();
        let mut renamed: ArenaMap<LocationId, LocationId> = ArenaMap::default();
        for (old, _) in used.iter() {
            let new = locations.alloc(cfa.locations[old].clone());
            original.insert(new, old);
            renamed.insert(old, new);
        }
        cfa.locations = locations;
        cfa.initial = cfa.initial.map(|location| renamed[location]);
        cfa.error = cfa.error.map(|location| renamed[location]);
        for (_, edge) in cfa.edges.iter_mut() {
            edge.from = renamed[edge.from];
            edge.to = renamed[edge.to];
        }
        slice::drop_unused(&mut variables, &mut cfa);
        Minimized { cfa, passes, original, steps }
    }
}

impl Minimized {
    /// The invariant of the original automaton that an invariant of this one stands for.
    ///
    /// Ensures: if `invariant` is inductive for [`Minimized::cfa`], the result is for the original.
    pub fn lift_invariant(&self, pool: &Pool, invariant: &Invariant) -> Invariant {
        let mut at: ArenaMap<LocationId, Vec<Term>> = ArenaMap::default();
        for (location, formulas) in invariant.at.iter() {
            if let Some(&old) = self.original.get(location) {
                at.insert(old, formulas.clone());
            }
        }
        for step in self.steps.iter().rev() {
            match step {
                Step::Pruned { unreachable, harmless } => {
                    for &location in unreachable {
                        at.insert(location, vec![pool.fls()]);
                    }
                    for &location in harmless {
                        at.insert(location, vec![pool.tru()]);
                    }
                }
                Step::Facts(facts) => facts.add(pool, &mut at),
                Step::Merged(pairs) => {
                    for &(location, representative) in pairs {
                        if let Some(formulas) = at.get(representative).cloned() {
                            at.insert(location, formulas);
                        }
                    }
                }
            }
        }
        Invariant { at }
    }
}

/// How large an automaton is.
pub fn measure(pool: &Pool, cfa: &Cfa) -> Size {
    measure_with(&mut blocks::Measure::new(pool), cfa)
}

fn measure_with(measure: &mut blocks::Measure, cfa: &Cfa) -> Size {
    let mut terms = 0;
    let mut ends = vec![false; cfa.locations.len()];
    for edge in cfa.edges.values() {
        terms += measure.command(&edge.command).0;
        for location in [edge.from, edge.to] {
            ends[location.into_raw().into_u32() as usize] = true;
        }
    }
    Size {
        locations: ends.into_iter().filter(|used| *used).count(),
        edges: cfa.edges.len(),
        variables: cfa.variables.len(),
        terms,
    }
}
