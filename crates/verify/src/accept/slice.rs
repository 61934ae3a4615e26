//! A run of a part of the program counts if the whole of it follows.
//!
//! The slice of the properties has every violation of the program and perhaps more. A run of it that
//! the interpreter does not follow says nothing: then the whole program is modelled. The same run of
//! the whole model would be a defect.

use super::Judgement;
use crate::code::Decider;
use crate::failure::Failure;

/// What the replay of a run says.
pub(super) fn judge(
    decider: &Decider<'_, '_>,
    replayed: Result<Judgement, Failure>,
) -> Result<Judgement, Failure> {
    let slice = decider.encoding().is_some_and(|encoding| encoding.model.cone);
    match replayed {
        Ok(Judgement::Refused(_)) | Err(Failure::Defect { .. }) if slice => Ok(Judgement::Whole),
        other => other,
    }
}
