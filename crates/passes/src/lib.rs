//! Transformations with their way back.
//!
//! What is asked of a program or a circuit is mostly decided on another form: smaller, unrolled,
//! at the level of bits. The answer comes with evidence, an invariant or a run, and evidence
//! counts on the form that was asked about. So every transformation returns, beside its result, its
//! [`Back`]: what takes invariants and runs of the result to those of what it was made from.
//!
//! Transformations follow one another, and so do their ways back, in reverse: [`Then`] for two
//! between different forms, [`Pipeline`] for a list of those that stay in one form.
//!
//! A way back holds, or borrows, whatever it needs to know of the transformation, so the trait has
//! no parameters but the evidence. It is right in one direction only: from evidence that is good
//! for the result follows evidence that is good for the original; what is made of anything else
//! means nothing, and the checkers of evidence look at what comes out, not at how it came about.
//!
//! Terms that ways back make are of the pool of what they borrow.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

/// A form that questions are asked of, by the kinds of evidence it has.
pub trait Form {
    /// What shows that a violation is out of reach.
    type Invariant;
    /// What shows a violation.
    type Run;
}

/// The invariants of a form.
pub type InvariantOf<F> = <F as Form>::Invariant;

/// The runs of a form.
pub type RunOf<F> = <F as Form>::Run;

/// The way back over a transformation from `Before` to `After`.
pub trait Back {
    /// What was transformed.
    type Before: Form;
    /// What became of it.
    type After: Form;

    /// The invariant of the form before that an invariant of the form after stands for; none if
    /// the form before has no words for it.
    ///
    /// Ensures: if `invariant` is inductive and excludes the violation, so does the result.
    fn invariant(&self, invariant: InvariantOf<Self::After>) -> Option<InvariantOf<Self::Before>>;

    /// The run of the form before that a run of the form after follows; none if it follows no such
    /// run, which where the form after has no more runs than the form before is a fault.
    fn run(&self, run: RunOf<Self::After>) -> Option<RunOf<Self::Before>>;

    /// This way back after that of a further transformation.
    fn followed_by<B: Back<Before = Self::After>>(self, next: B) -> Then<Self, B>
    where
        Self: Sized,
    {
        Then { first: self, second: next }
    }
}

impl<B: Back + ?Sized> Back for &B {
    type Before = B::Before;
    type After = B::After;

    fn invariant(&self, invariant: InvariantOf<Self::After>) -> Option<InvariantOf<Self::Before>> {
        (**self).invariant(invariant)
    }

    fn run(&self, run: RunOf<Self::After>) -> Option<RunOf<Self::Before>> {
        (**self).run(run)
    }
}

impl<B: Back + ?Sized> Back for Box<B> {
    type Before = B::Before;
    type After = B::After;

    fn invariant(&self, invariant: InvariantOf<Self::After>) -> Option<InvariantOf<Self::Before>> {
        (**self).invariant(invariant)
    }

    fn run(&self, run: RunOf<Self::After>) -> Option<RunOf<Self::Before>> {
        (**self).run(run)
    }
}

/// Two transformations, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Then<A, B> {
    first: A,
    second: B,
}

impl<A: Back, B: Back<Before = A::After>> Back for Then<A, B> {
    type Before = A::Before;
    type After = B::After;

    fn invariant(&self, invariant: InvariantOf<Self::After>) -> Option<InvariantOf<Self::Before>> {
        self.first.invariant(self.second.invariant(invariant)?)
    }

    fn run(&self, run: RunOf<Self::After>) -> Option<RunOf<Self::Before>> {
        self.first.run(self.second.run(run)?)
    }
}

/// A transformation that stays in one form, as a step of a [`Pipeline`].
pub type Step<'a, F> = Box<dyn Back<Before = F, After = F> + 'a>;

/// Transformations that stay in one form, in the order in which they were made. The empty list is
/// the transformation that changes nothing.
pub struct Pipeline<'a, F: Form> {
    steps: Vec<Step<'a, F>>,
}

impl<F: Form> Default for Pipeline<'_, F> {
    fn default() -> Self {
        Pipeline { steps: Vec::new() }
    }
}

impl<'a, F: Form> Pipeline<'a, F> {
    /// One more transformation, of what the last one made.
    pub fn push(&mut self, step: impl Back<Before = F, After = F> + 'a) {
        self.steps.push(Box::new(step));
    }
}

impl<F: Form> Back for Pipeline<'_, F> {
    type Before = F;
    type After = F;

    fn invariant(&self, invariant: InvariantOf<F>) -> Option<InvariantOf<F>> {
        self.steps.iter().rev().try_fold(invariant, |invariant, step| step.invariant(invariant))
    }

    fn run(&self, run: RunOf<F>) -> Option<RunOf<F>> {
        self.steps.iter().rev().try_fold(run, |run, step| step.run(run))
    }
}
