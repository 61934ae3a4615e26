//! Strengthening: removing the bad states of the frontier, obligation by obligation.
//!
//! [Bra11, Listings 1.2 and 1.5] with the queue of \[EMB11\]. As long as F_k has a bad state, its
//! cube becomes an obligation for frame k. The lowest obligation is asked for a predecessor in
//! the frame below: if there is one, it becomes an obligation there, and the first one waits; if
//! there is none, the cube is generalized to a lemma and the obligation moves up.

use crate::consecution::Assume;
use crate::cube::{Cube, Obligations};
use crate::engine::{End, Ic3};
use crate::lift::Target;
use crate::options::Options;
use lemmas::{INFINITE, ObligationId, Phase};
use sat::{Answer, Exhausted, Solver};

/// How long obligations are kept; chosen when the engine is made.
pub(crate) struct Patience {
    /// Whether they wait for frames that are not there yet.
    keep: bool,
    /// The effort on one after which it is given up until it is met again.
    effort: f64,
}

impl Patience {
    /// What the options ask for.
    pub(crate) fn new(options: &Options) -> Self {
        Patience { keep: options.keep_obligations, effort: options.effort_limit }
    }

    /// Whether a settled obligation waits for a frame.
    fn waits_for(&self, frame: usize, frontier: usize) -> bool {
        frame < INFINITE && (frame <= frontier || self.keep)
    }

    /// What becomes of the obligations when the frontier moves up.
    pub(crate) fn renew(&self, obligations: &mut Obligations) {
        if !self.keep {
            obligations.clear();
        }
    }
}

impl<S: Solver + Default> Ic3<'_, S> {
    /// Ensures: F_k ∧ C ⇒ ¬bad, and no obligation is left for a frame up to k.
    pub(crate) fn strengthen(&mut self) -> Result<(), End> {
        self.block_obligations()?;
        while self.find_bad()? {
            self.block_obligations()?;
        }
        Ok(())
    }

    /// Adds an obligation for bad states of F_k, if there are some.
    fn find_bad(&mut self) -> Result<bool, Exhausted> {
        let frontier = self.frames.frontier();
        self.observer.query(Phase::Search);
        // SAT? F_k ∧ C ∧ bad
        match self.solvers[frontier].solve(&[self.transition.bad()]) {
            Answer::Unsat => return Ok(false),
            Answer::Unknown(stop) => return Err(stop),
            Answer::Sat => {}
        }
        let step = self.lifted_step(frontier, Target::Bad)?;
        self.observer.obligation(frontier, step.state.len());
        self.obligations.add(frontier, (), Cube::new(step.state), step.inputs, None);
        Ok(true)
    }

    /// Settles all obligations for frames up to k.
    fn block_obligations(&mut self) -> Result<(), End> {
        self.obligations.collect_if_large();
        loop {
            self.within_turn()?;
            let Some(id) = self.obligations.pop(self.frames.frontier()) else { return Ok(()) };
            self.take_over();
            let obligation = self.obligations.get(id);
            let frame = obligation.frame;
            if self.transition.intersects_init(obligation.cube.literals()) {
                return Err(End::Violation(id));
            }
            if let Some(excluded) = self.frames.excluded_at((), frame, &obligation.cube) {
                self.move_up(id, excluded.saturating_add(1));
                continue;
            }
            if self.obligations.work_on(id) > self.patience.effort {
                continue;
            }
            self.attend(id, frame)?;
        }
    }

    /// Asks for a predecessor of the obligation's cube; makes an obligation of it or a lemma of
    /// its absence.
    fn attend(&mut self, id: ObligationId, frame: usize) -> Result<(), End> {
        self.observer.enter(Phase::Block);
        let mut cube = self.obligations.get(id).cube.literals().to_vec();
        self.activity.sort(&mut cube);
        cube.reverse();
        if self.consecution(frame, &cube, Assume::Clause, Phase::Block)? {
            let core = self.core(frame, &cube);
            self.observer.enter(Phase::Generalize);
            let lemma = self.generalize(frame, core, id)?;
            let (frame, lemma) = self.push(frame, lemma)?;
            self.move_up(id, frame + 1);
            self.add_lemma(frame, Cube::new(lemma));
            if let Some(fixpoint) = self.frames.fixpoint() {
                return Err(End::Fixpoint(fixpoint));
            }
        } else {
            self.observer.enter(Phase::Lift);
            let step = self.lifted_step(frame - 1, Target::Next(&cube))?;
            self.observer.obligation(frame - 1, step.state.len());
            self.obligations.add(frame - 1, (), Cube::new(step.state), step.inputs, Some(id));
            self.obligations.put_back(id);
        }
        self.observer.enter(Phase::Search);
        Ok(())
    }

    /// Lets a settled obligation wait for a higher frame. What F_∞ excludes is settled for good.
    fn move_up(&mut self, id: ObligationId, frame: usize) {
        if self.patience.waits_for(frame, self.frames.frontier()) {
            self.obligations.put_forward(id, frame);
        }
    }
}
