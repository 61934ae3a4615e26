//! Propagation: moving lemmas to higher frames.
//!
//! [Bra11, Listing 1.3]. When a frame loses all of its own lemmas, it equals the next one, and
//! the proof is complete. A lemma that a query moves may lose the literals that are not in the
//! query's core [Bra11 §7].
//!
//! A *counterexample to propagation* is a state of F_i with a step that violates the lemma. As
//! with counterexamples to generalization, it can be blocked, if the option says so.

use crate::consecution::Assume;
use crate::cube::Cube;
use crate::engine::{End, Ic3};
use crate::lift::Target;
use crate::options::{CtgLimits, Options};
use lemmas::Phase;
use sat::{Exhausted, Lit, Solver, Var};

/// How lemmas move up; chosen when the engine is made.
pub(crate) struct Propagation {
    /// How often a lemma is asked about, if the counterexamples can be blocked.
    attempts: usize,
    /// Whether the infinite frame is used.
    infinity: bool,
}

impl Propagation {
    /// What the options ask for.
    pub(crate) fn new(options: &Options) -> Self {
        let attempts = options.propagation_counterexamples.saturating_add(1);
        Propagation { attempts, infinity: options.infinite_frame }
    }
}

impl<S: Solver + Default> Ic3<'_, S> {
    /// Ensures: every lemma of F_i, i < k, with F_i ∧ C ∧ T ⇒ lemma' is a lemma of F_{i+1}.
    pub(crate) fn propagate(&mut self) -> Result<(), End> {
        self.take_over();
        self.propagate_equivalences(0)?;
        let frontier = self.frames.frontier();
        for frame in self.frames.unpropagated()..frontier {
            self.propagate_equivalences(frame)?;
            let mut lemmas = self.frames.at((), frame).to_vec();
            lemmas.sort_by_key(Cube::len);
            let (own, others) = self.divide(lemmas);
            self.propagate_lemmas(frame, own)?;
            self.take_over();
            self.propagate_lemmas(frame, others)?;
            if let Some(fixpoint) = self.frames.fixpoint().filter(|f| *f <= frame) {
                return Err(End::Fixpoint(fixpoint));
            }
        }
        self.frames.end_propagation();
        let frames = &self.frames;
        self.obstacles.collect(|frame, lemma| frames.is_at((), frame, lemma));
        if self.propagation.infinity {
            self.propagate_to_infinity()?;
        }
        match self.frames.fixpoint() {
            Some(fixpoint) => Err(End::Fixpoint(fixpoint)),
            None => Ok(()),
        }
    }

    /// Moves those lemmas that are still at `frame` to the next one, if consecution allows.
    fn propagate_lemmas(&mut self, frame: usize, lemmas: Vec<Cube>) -> Result<(), Exhausted> {
        for lemma in lemmas {
            self.within_turn()?;
            if self.frames.is_at((), frame, &lemma) {
                self.propagate_lemma(frame, &lemma)?;
            }
        }
        Ok(())
    }

    /// Moves a lemma from `frame` to the next one, if consecution allows.
    fn propagate_lemma(&mut self, frame: usize, lemma: &Cube) -> Result<(), Exhausted> {
        if self.obstacles.is_blocked(frame, lemma) {
            return Ok(());
        }
        for attempt in 1..=self.propagation.attempts {
            // The lemma is in F_frame already, so assuming it again would change nothing.
            if self.consecution(frame + 1, lemma.literals(), Assume::Nothing, Phase::Propagate)? {
                let core = self.core(frame + 1, lemma.literals());
                self.add_lemma(frame + 1, Cube::new(core));
                return Ok(());
            }
            if attempt == self.propagation.attempts {
                self.note_obstacle(frame, lemma);
                break;
            }
            let step = self.lifted_step(frame, Target::Next(lemma.literals()))?;
            if !self.block_propagation_counterexample(frame, step.state)? {
                break;
            }
        }
        Ok(())
    }

    /// After consecution failed at `frame` + 1: keeps the state found.
    pub(crate) fn note_obstacle(&mut self, frame: usize, lemma: &Cube) {
        let solver = &self.solvers[frame];
        let latches = self.transition.latches();
        let count = latches.len();
        let literal = |v: Var| solver.value(v.pos()).map(|value| v.lit(value));
        self.obstacles.note(frame, lemma, count, latches.filter_map(literal));
    }

    /// Adds a lemma that excludes the cube from F_frame, if consecution allows.
    fn block_propagation_counterexample(
        &mut self,
        frame: usize,
        cube: Vec<Lit>,
    ) -> Result<bool, Exhausted> {
        if self.transition.intersects_init(&cube)
            || !self.consecution(frame, &cube, Assume::Clause, Phase::Propagate)?
        {
            return Ok(false);
        }
        let core = self.core(frame, &cube);
        let lemma = self.mic(frame, core, CtgLimits::NONE)?;
        self.add_lemma(frame, Cube::new(lemma));
        Ok(true)
    }

    /// The highest frame for which ¬cube is a lemma, and the lemma's core there.
    ///
    /// Requires: ¬cube is a lemma for `frame`. Ensures: the result is one for its frame, at
    /// most k.
    pub(crate) fn push(
        &mut self,
        mut frame: usize,
        mut cube: Vec<Lit>,
    ) -> Result<(usize, Vec<Lit>), Exhausted> {
        while frame < self.frames.frontier()
            && self.consecution(frame + 1, &cube, Assume::Clause, Phase::Generalize)?
        {
            frame += 1;
            cube = self.core(frame, &cube);
        }
        Ok((frame, cube))
    }
}
