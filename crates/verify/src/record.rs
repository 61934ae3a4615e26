//! What is noted on the way to an answer.

use crate::board::Board;
use crate::known::Knowledge;
use crate::listener::Listener;
use program::program::Assumption;

/// What is noted.
#[derive(Default)]
pub(crate) struct Record {
    /// Without repetitions.
    pub assumptions: Vec<Assumption>,
    /// The models and the engines.
    pub board: Board,
    /// What later questions may begin with.
    pub learned: Vec<Knowledge>,
}

impl Record {
    /// Notes assumptions each of which is about its own place.
    pub fn assume_each(&mut self, assumptions: Vec<Assumption>, listener: &mut dyn Listener) {
        for assumption in assumptions {
            listener.assumed(&assumption);
            self.assumptions.push(assumption);
        }
    }

    /// Notes assumptions that have not been noted before.
    pub fn assume<'p>(
        &mut self,
        assumptions: impl IntoIterator<Item = &'p Assumption>,
        listener: &mut dyn Listener,
    ) {
        for assumption in assumptions {
            if self.assumptions.iter().any(|known| known.text == assumption.text) {
                continue;
            }
            listener.assumed(assumption);
            self.assumptions.push(assumption.clone());
        }
    }
}
