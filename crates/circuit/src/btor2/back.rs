//! The way back from a bit-level system to the words it was made from.

use super::lower::{Lowered, Place};
use super::witness::{Assignment, Frame, Witness};
use super::{Sort, System};
use crate::invariant::Clause;
use crate::system::TransitionSystem;
use crate::trace::Trace;
use passes::{Back, Form};
use std::convert::Infallible;
use value::Bits;

impl Lowered {
    /// A violation of property `bad` in words.
    pub fn lift_trace(&self, words: &System, trace: &Trace, bad: usize) -> Witness {
        let frames = trace.inputs.iter().enumerate().map(|(step, inputs)| {
            let mut frame = Frame::default();
            for (number, (node, start)) in words.inputs().iter().zip(&self.inputs).enumerate() {
                let sort = words.nodes()[*node].sort;
                frame.inputs.insert(number, assignment(sort, &inputs[*start..]));
            }
            for (number, (state, place)) in words.states().iter().zip(&self.states).enumerate() {
                let sort = words.nodes()[state.node].sort;
                let free = match place {
                    Place::Latches(start) if step == 0 => Some(&trace.initial[*start..]),
                    Place::Inputs(start) => Some(&inputs[*start..]),
                    Place::Latches(_) => None,
                };
                // What has an initial value, or a next one later, is computed.
                let computed = step == 0 && state.init.is_some();
                if let (Some(bits), false) = (free, computed) {
                    frame.states.insert(number, assignment(sort, bits));
                }
            }
            frame
        });
        Witness { bads: vec![bad], frames: frames.collect() }
    }
}

/// There are no words for invariants: a clause over latches says nothing of a state whose first
/// value is computed, as its latches hold another one then.
impl Form for System {
    type Invariant = Infallible;
    type Run = Witness;
}

/// The way back from the bits to the words, for violations of one property.
#[derive(Clone, Copy)]
pub struct WayBack<'a> {
    lowered: &'a Lowered,
    words: &'a System,
    bad: usize,
}

impl Lowered {
    /// The way back to the words, for violations of property `bad`.
    ///
    /// Requires: this was made from `words`.
    pub fn back<'a>(&'a self, words: &'a System, bad: usize) -> WayBack<'a> {
        WayBack { lowered: self, words, bad }
    }
}

impl Back for WayBack<'_> {
    type Before = System;
    type After = TransitionSystem;

    fn invariant(&self, _: Vec<Clause>) -> Option<Infallible> {
        None
    }

    fn run(&self, trace: Trace) -> Option<Witness> {
        Some(self.lowered.lift_trace(self.words, &trace, self.bad))
    }
}

/// The value whose bits come first; what is open is false.
fn assignment(sort: Sort, bits: &[Option<bool>]) -> Assignment {
    let word = |bits: &[Option<bool>]| {
        Bits::from_bits(&bits.iter().map(|b| b.unwrap_or(false)).collect::<Vec<bool>>())
    };
    match sort {
        Sort::BitVec(width) => Assignment::Bits(word(&bits[..width as usize])),
        Sort::Array { index, element } => {
            let elements = bits.chunks(element as usize).take(1 << index).enumerate();
            let index_of = |k: usize| Bits::from_u64(index, k as u64);
            Assignment::Elements(elements.map(|(k, bits)| (index_of(k), word(bits))).collect())
        }
    }
}
