//! A proof counts if it does not rest on where objects lie.
//!
//! `program::interpret::layout` places objects in one way of many. A program that never looks at an
//! address behaves alike however they are placed; of one that does, a proof for one placement says
//! nothing about the others ([`program::model::layout_dependence`]). A violation needs no such
//! condition: its run exists.

use super::Judgement;
use crate::code::{Claim, Decider, encode};
use answer::Reason;
use program::model::{self, layout_dependence};

/// Why a proof does not count.
pub(super) fn judge(decider: &Decider<'_, '_>, claim: &Claim) -> Option<Judgement> {
    let slice = match claim {
        // It says nothing of where objects lie.
        Claim::Unwound(_) | Claim::Unplaced(..) => return None,
        _ if decider.is_unplaced() => return None,
        Claim::Executed { slice } => *slice,
        Claim::Called(_) | Claim::Modelled(_) => false,
        _ => decider.encoding().is_some_and(|encoding| encoding.model.cone),
    };
    let options = encode::options(decider.setup.settings, decider.properties);
    let options = model::Options { cone: slice, ..options };
    let place = layout_dependence(decider.program, &options)?;
    Some(match claim {
        Claim::Executed { .. } => Judgement::Refused(Reason::Placement(place)),
        _ => Judgement::Placed(place),
    })
}
