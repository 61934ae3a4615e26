//! What the inputs of a run are, by what changes from cycle to cycle.

/// The value of an input changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// In this cycle.
    pub cycle: u32,
    /// The input: an instruction in its chain of calls, and how often it has been executed in the cycle.
    pub channel: u32,
    /// The value, as the interpreter has it.
    pub word: u64,
}

/// The inputs of a run.
#[derive(Clone, Default, Debug)]
pub struct Tape {
    /// By cycle.
    pub changes: Vec<Change>,
    /// The ways taken where several could be.
    pub choices: Vec<u32>,
}

impl Tape {
    /// Without what changes after a cycle.
    #[must_use]
    pub fn until(&self, cycle: u32) -> Tape {
        let changes = self.changes.iter().take_while(|change| change.cycle <= cycle);
        Tape { changes: changes.copied().collect(), choices: self.choices.clone() }
    }
}
