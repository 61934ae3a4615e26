//! Test vectors: the values of the inputs, step by step.

use program::counterexample::Taken;

/// A run: the values that it takes, in order.
#[derive(Clone, Debug, Default)]
pub struct Vector {
    /// The unknown values of the run, in the order in which they are taken. Played again they give the
    /// same run ([`program::counterexample::Script`]).
    pub inputs: Vec<Taken>,
    /// Where in `inputs` each cycle begins. A cycle is a round of the outermost loop of the function that
    /// the program starts with; what comes before the loop belongs to the first.
    pub cycles: Vec<usize>,
    /// The ways taken where several could be, in order.
    pub choices: Vec<usize>,
    /// The goals that it is kept for, by their numbers in the report.
    pub goals: Vec<usize>,
}

impl Vector {
    /// The inputs of a cycle.
    #[must_use]
    pub fn cycle(&self, number: usize) -> &[Taken] {
        let begin = self.cycles.get(number).copied().unwrap_or(self.inputs.len());
        let end = self.cycles.get(number + 1).copied().unwrap_or(self.inputs.len());
        &self.inputs[begin.min(end)..end]
    }
}

/// The vectors that show all covered goals; without any of them some goal would not be shown.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// In the order in which they were found.
    pub vectors: Vec<Vector>,
}
