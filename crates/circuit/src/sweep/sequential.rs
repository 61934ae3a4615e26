//! Register correspondence: latches that are constant or equal in all reachable states.
//!
//! Random simulation from the resets gives a partition of the latches into candidates. Then
//! rounds: *assume* that all candidates of a class are equal at one step (by replacing each by
//! its representative), and ask whether they are equal at the next. A counterexample refines the
//! partition. A round without refinement is the induction step for all classes together; the
//! base holds because candidates of a class agree with the resets (van Eijk, TCAD 2000; the
//! replacement is the speculative reduction of Mony et al. 2005).
//!
//! We restrict candidates to latches, so that what was used is a set of clauses over latches
//! which a certificate can carry; gates are the business of the combinational sweep.

use super::Options;
use super::partition::{Partition, Representative};
use crate::cone::marked;
use crate::random::Random;
use crate::reduction::{Fact, Reduction, Substitution, Targets, rebuild};
use crate::system::{Source, SystemError, TransitionSystem};
use crate::ternary::forced_leaves;
use aig::simulate::Words;
use aig::{Aig, Edge, Encoder, Node};
use sat::{Answer, Solver};

/// Replaces latches that are constant or equal to another latch in all reachable states.
pub fn reduce<S: Solver>(
    system: &TransitionSystem,
    options: &Options,
    new_solver: impl FnMut() -> S,
) -> Result<Reduction, SystemError> {
    let facts = correspondence(system, options, new_solver)?;
    let substitution = Substitution::by_facts(system, &facts);
    rebuild(system, &substitution, facts, &Targets::all(system))
}

/// What random runs give no reason to doubt, but nothing proves.
pub fn candidates(system: &TransitionSystem, options: &Options) -> Result<Vec<Fact>, SystemError> {
    let sources = system.sources()?;
    let mut partition = Partition::coarsest(system);
    simulate(system, &sources, options, &mut Random::new(options.seed), &mut partition);
    Ok(facts(system, &partition))
}

/// The facts: see [`crate::reduction`] for what they ensure. None if a bound was reached before
/// the fixed point.
pub fn correspondence<S: Solver>(
    system: &TransitionSystem,
    options: &Options,
    mut new_solver: impl FnMut() -> S,
) -> Result<Vec<Fact>, SystemError> {
    let sources = system.sources()?;
    let mut random = Random::new(options.seed);
    let mut partition = Partition::coarsest(system);
    simulate(system, &sources, options, &mut random, &mut partition);
    let mut spent = 0;
    for _ in 0..options.rounds {
        if partition.represented().is_empty() {
            break;
        }
        let mut round = Round::new(system, &sources, &partition, options.attend(new_solver()));
        match round.run(options, &mut spent, &mut random, &mut partition) {
            Progress::Refined => {}
            Progress::Stopped => break,
            Progress::Proved => return Ok(facts(system, &partition)),
        }
    }
    Ok(Vec::new())
}

fn reset(system: &TransitionSystem, latch: usize) -> bool {
    system.latches[latch].init.value().unwrap_or(false)
}

/// The word of a latch, xored with its reset.
fn normalized(system: &TransitionSystem, latch: usize, word: u64) -> u64 {
    if reset(system, latch) { !word } else { word }
}

fn facts(system: &TransitionSystem, partition: &Partition) -> Vec<Fact> {
    let represented = partition.represented().into_iter();
    represented
        .filter_map(|latch| match partition.representative(latch) {
            Representative::Itself => None,
            Representative::Constant => Some(Fact::Constant { latch, value: reset(system, latch) }),
            Representative::Latch(by) => {
                let inverted = reset(system, latch) != reset(system, by);
                Some(Fact::Equal { latch, by, inverted })
            }
        })
        .collect()
}

/// Refines the partition by random runs, 64 at a time. Runs that violate a constraint end, and
/// when all have ended, new ones begin.
fn simulate(
    system: &TransitionSystem,
    sources: &[Source],
    options: &Options,
    random: &mut Random,
    partition: &mut Partition,
) {
    let forced = forced_leaves(system);
    let start = |random: &mut Random| -> Vec<u64> {
        let word = |random: &mut Random, init: Option<bool>| match init {
            Some(value) => 0u64.wrapping_sub(u64::from(value)),
            None => random.word(),
        };
        system.latches.iter().map(|l| word(random, l.init.value())).collect()
    };
    let mut state = start(random);
    let mut alive = !0u64;
    for step in 0..options.steps {
        if step % 16 == 0 && options.stopped() {
            return;
        }
        let words = Words::simulate(&system.aig, |k| match sources[k] {
            Source::Latch(l) => state[l],
            Source::Input(i) => match forced[system.inputs[i].edge.node()] {
                Some(value) => 0u64.wrapping_sub(u64::from(value)),
                None => random.word(),
            },
        });
        alive = system.constraints.iter().fold(alive, |w, c| w & words.word(c.edge));
        if alive == 0 {
            state = start(random);
            alive = !0;
            continue;
        }
        state = system.latches.iter().map(|l| words.word(l.next)).collect();
        partition.split(|l| normalized(system, l, state[l]) & alive);
    }
}

/// How a round ended.
enum Progress {
    /// The partition is inductive.
    Proved,
    /// The partition was refined; the assumptions of this round no longer hold.
    Refined,
    /// A bound was reached.
    Stopped,
}

/// One round: the system with every latch replaced by its representative, in a solver.
struct Round<'a, S> {
    system: &'a TransitionSystem,
    aig: Aig,
    /// The image of every node of the system that next states and constraints need.
    images: Vec<Edge>,
    encoder: Encoder,
    solver: S,
}

impl<'a, S: Solver> Round<'a, S> {
    fn new(
        system: &'a TransitionSystem,
        sources: &[Source],
        partition: &Partition,
        solver: S,
    ) -> Self {
        let mut aig = Aig::new();
        let mut images = vec![Edge::FALSE; system.aig.len()];
        for (leaf, source) in system.aig.inputs().zip(sources) {
            let own = match source {
                Source::Input(_) => true,
                Source::Latch(k) => partition.representative(*k) == Representative::Itself,
            };
            if own {
                images[leaf.node()] = aig.input();
            }
        }
        for latch in partition.represented() {
            let by = match partition.representative(latch) {
                Representative::Latch(by) => {
                    let flip = reset(system, latch) != reset(system, by);
                    images[system.latches[by].state.node()].xor(flip)
                }
                _ => Edge::constant(reset(system, latch)),
            };
            images[system.latches[latch].state.node()] = by;
        }
        let constraints = system.constraints.iter().map(|c| c.edge);
        let roots = system.latches.iter().map(|l| l.next).chain(constraints);
        let needed = marked(&system.aig, roots);
        for (node, kind) in system.aig.nodes().iter().enumerate() {
            if let Node::And(left, right) = *kind
                && needed[node]
            {
                let image = |e: Edge| images[e.node()].xor(e.is_inverted());
                images[node] = aig.and(image(left), image(right));
            }
        }
        Round { system, aig, images, encoder: Encoder::new(), solver }
    }

    fn image(&self, edge: Edge) -> Edge {
        self.images[edge.node()].xor(edge.is_inverted())
    }

    /// The normalized next state of a latch.
    fn next(&self, latch: usize) -> Edge {
        self.image(self.system.latches[latch].next).xor(reset(self.system, latch))
    }

    fn run(
        &mut self,
        options: &Options,
        spent: &mut u64,
        random: &mut Random,
        partition: &mut Partition,
    ) -> Progress {
        for constraint in &self.system.constraints {
            let edge = self.image(constraint.edge);
            self.encoder.assert(&self.aig, &mut self.solver, edge);
        }
        let pairs: Vec<(usize, Representative)> =
            partition.represented().into_iter().map(|l| (l, partition.representative(l))).collect();
        let before = *spent;
        let mut refined = false;
        for (latch, representative) in pairs {
            // A refinement in this round may have parted the two; the next round sees to it.
            if partition.representative(latch) != representative {
                continue;
            }
            let other = match representative {
                Representative::Latch(by) => self.next(by),
                _ => Edge::FALSE,
            };
            if self.next(latch) == other {
                continue;
            }
            if *spent >= options.budget || options.stopped() {
                return Progress::Stopped;
            }
            options.bound(&mut self.solver, *spent);
            match self.differ(self.next(latch), other) {
                Answer::Unsat => {}
                Answer::Sat => {
                    refined = true;
                    self.refine(random, partition);
                    if partition.representative(latch) == representative {
                        partition.remove(latch);
                    }
                }
                Answer::Unknown(_) => {
                    refined = true;
                    partition.remove(latch);
                }
            }
            *spent = before + self.solver.statistics().conflicts;
        }
        if refined { Progress::Refined } else { Progress::Proved }
    }

    /// Whether two edges can differ under the constraints.
    fn differ(&mut self, a: Edge, b: Edge) -> Answer {
        let a = self.encoder.lit(&self.aig, &mut self.solver, a);
        let b = self.encoder.lit(&self.aig, &mut self.solver, b);
        for (x, y) in [(a, !b), (!a, b)] {
            // SAT? C ∧ (latches equal their representatives) ∧ x ∧ y
            let answer = self.solver.solve(&[x, y]);
            if answer != Answer::Unsat {
                return answer;
            }
        }
        Answer::Unsat
    }

    /// Refines the partition by the solver's model and by patterns close to it. All of them
    /// satisfy the assumption, because represented latches have no values of their own.
    fn refine(&mut self, random: &mut Random, partition: &mut Partition) {
        let mut patterns = Vec::new();
        for leaf in self.aig.inputs() {
            let lit = self.encoder.known(leaf);
            patterns.push(match lit.and_then(|l| self.solver.value(l)) {
                None => random.word(),
                Some(value) => {
                    // Pattern 0 is the model; in the others one leaf in 16 is flipped.
                    let flips = random.word() & random.word() & random.word() & random.word() & !1;
                    0u64.wrapping_sub(u64::from(value)) ^ flips
                }
            });
        }
        let words = Words::simulate(&self.aig, |k| patterns[k]);
        let constraints = self.system.constraints.iter();
        let valid = constraints.fold(!0, |w, c| w & words.word(self.image(c.edge)));
        partition.split(|latch| words.word(self.next(latch)) & valid);
    }
}
