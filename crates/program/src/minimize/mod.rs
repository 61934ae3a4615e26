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
//! The way back: [`Minimized::back`] makes an inductive invariant of the smaller automaton one of
//! the original, with the facts that the passes used: a variable's constant at a location, `false`
//! where no run comes, `true` where the error is out of reach; and a run one of the original.
//!
//! A pass is a file and a row of the table in [`pass`].

mod back;
mod bisimulation;
mod known;
mod live;
mod pass;
mod propagate;
mod prune;
mod rewritten;
mod slice;

pub use back::WayBack;
pub use live::live_variables;
use pass::Done;
pub use pass::Pass;

use crate::blocks;
use crate::cfa::{Cfa, LocationId};
use crate::terms::Terms;
use la_arena::{Arena, ArenaMap};
use std::collections::BTreeSet;
use std::sync::Arc;
use term::Pool;

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
    /// The ways back over the passes, in the order of execution.
    undo: Vec<Arc<dyn back::Undo>>,
}

/// The size in terms from which on a round that takes away next to nothing is the last.
const LARGE: usize = 200_000;

/// The most edges of an automaton that is checked to be well formed after each pass.
const CHECKED: usize = 10_000;

/// Makes an automaton smaller.
pub fn minimize(pool: &Pool, cfa: &Cfa, options: &Options) -> Minimized {
    minimize_between(pool, cfa, options, blocks::loop_heads(cfa))
}

/// Makes an automaton smaller that was made smaller before. Its locations stay but for those that no
/// run passes on its way to the error: among them are the heads of the original's loops, also of those
/// that it has not.
pub fn minimize_again(pool: &Pool, cfa: &Cfa, options: &Options) -> Minimized {
    minimize_between(pool, cfa, options, vec![true; cfa.locations.len()])
}

/// Makes the pieces between the heads smaller.
fn minimize_between(pool: &Pool, cfa: &Cfa, options: &Options, heads: Vec<bool>) -> Minimized {
    let mut minimizer = Minimizer {
        work: Work {
            pool,
            terms: Terms::new(pool),
            cfa: cfa.clone(),
            heads,
            blocks: options.blocks,
        },
        passes: Vec::new(),
        undo: Vec::new(),
        checked: cfg!(debug_assertions)
            && cfa.edges.len() <= CHECKED
            && cfa.wellformed(pool).is_ok(),
    };
    let mut size = measure_with(&mut minimizer.work.terms, cfa);
    let passes = Pass::ALL.into_iter().filter(|pass| pass.is_of_automata());
    let passes: Vec<Pass> = passes.filter(|pass| options.passes.contains(pass)).collect();
    for round in 0..options.rounds {
        let before = size;
        for &pass in &passes {
            size = minimizer.run(pass, size);
            let more = if size.terms > LARGE { followed_by(pass, round) } else { &[] };
            for &pass in more.iter().filter(|pass| passes.contains(pass)) {
                size = minimizer.run(pass, size);
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

/// What passes work on.
struct Work<'a> {
    pool: &'a Pool,
    /// What passes ask of terms again and again.
    terms: Terms<'a>,
    cfa: Cfa,
    /// The heads of the original's loops. They stay also where a loop turns out never to be
    /// repeated: the way back needs an invariant on every cycle of the original.
    heads: Vec<bool>,
    blocks: blocks::Options,
}

struct Minimizer<'a> {
    work: Work<'a>,
    passes: Vec<PassStatistics>,
    undo: Vec<Arc<dyn back::Undo>>,
    /// Whether the automaton is checked after each pass: if it was well formed before the first, it
    /// stays so.
    checked: bool,
}

impl Minimizer<'_> {
    /// Notes what a pass does to an automaton of a size, and answers the size after it.
    fn run(&mut self, pass: Pass, before: Size) -> Size {
        let rewrite = pass.rewrite();
        let changed = match rewrite.map_or(Done::Nothing, |rewrite| rewrite(&mut self.work)) {
            Done::Nothing => false,
            Done::Changed => true,
            Done::With(undo) => {
                self.undo.push(undo);
                true
            }
        };
        if self.checked {
            let wellformed = self.work.cfa.wellformed(self.work.pool);
            debug_assert_eq!(wellformed, Ok(()), "after pass {}", pass.name());
        }
        let after =
            if changed { measure_with(&mut self.work.terms, &self.work.cfa) } else { before };
        self.passes.push(PassStatistics { pass, before, after });
        after
    }

    /// Leaves out locations and variables that nothing mentions.
    fn finish(self) -> Minimized {
        let Minimizer { work: Work { mut cfa, mut terms, .. }, passes, undo, .. } = self;
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
        slice::drop_unused(&mut terms, &mut cfa);
        Minimized { cfa, passes, original, undo }
    }
}

/// How large an automaton is.
pub fn measure(pool: &Pool, cfa: &Cfa) -> Size {
    measure_with(&mut Terms::new(pool), cfa)
}

fn measure_with(terms: &mut Terms, cfa: &Cfa) -> Size {
    let mut size = 0;
    let mut ends = vec![false; cfa.locations.len()];
    for edge in cfa.edges.values() {
        size += terms.command(&edge.command).0;
        for location in [edge.from, edge.to] {
            ends[location.into_raw().into_u32() as usize] = true;
        }
    }
    Size {
        locations: ends.into_iter().filter(|used| *used).count(),
        edges: cfa.edges.len(),
        variables: cfa.variables.len(),
        terms: size,
    }
}
