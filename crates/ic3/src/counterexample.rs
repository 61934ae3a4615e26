//! From a chain of obligations to a trace.
//!
//! The first cube contains an initial state, every cube leads into the next one under its inputs
//! wherever one starts in it, and the last is bad. So the reset values, the cube's literals for
//! uninitialized latches and the inputs of the chain are a trace; what they leave open doesn't
//! matter.

use crate::engine::Ic3;
use circuit::Trace;
use lemmas::ObligationId;
use sat::Lit;

impl<S> Ic3<'_, S> {
    /// Requires: the obligation's cube intersects I.
    pub(crate) fn trace(&self, first: ObligationId) -> Trace {
        let latches = self.transition.latches().len();
        let mut initial = vec![None; latches];
        let cube = self.obligations.get(first).cube.literals();
        for literal in cube.iter().copied().chain(self.transition.init()) {
            initial[literal.var().index()] = Some(literal.is_pos());
        }
        let values = |literals: &Vec<Lit>| {
            let mut values = vec![None; self.transition.inputs().len()];
            for literal in literals {
                values[literal.var().index() - latches] = Some(literal.is_pos());
            }
            values
        };
        let inputs = self.obligations.chain(first).map(|o| values(&o.step)).collect();
        Trace { initial, inputs }
    }
}
