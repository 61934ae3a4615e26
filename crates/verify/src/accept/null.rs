//! A proof counts if it holds behind pointers that are always null, too.
//!
//! Where a static pointer that nothing assigns is dereferenced, every run ends; a proof may hold only
//! because of that ([`program::model::always_null`]). The real program may have been given the pointer
//! by code that is not here. Such a proof counts if there is one for every value of the pointer.

use super::{Judgement, accepted};
use crate::code::Decider;
use crate::failure::Failure;
use crate::outcome::{Finding, Proved};
use crate::record::Record;
use answer::Reason;
use program::model;

/// What a proof of the program as it is written says.
pub(super) fn judge(decider: &mut Decider<'_, '_>, proved: Proved) -> Result<Judgement, Failure> {
    let null = decider.asks_beyond_null().then(|| model::always_null(decider.program)).flatten();
    let Some(null) = null else { return Ok(accepted(proved)) };
    decider.stop();
    let mut program = decider.program.clone();
    null.forget(&mut program);
    let mut record = Record::default();
    let again = Decider::new(decider.setup, &program, decider.properties, &mut record);
    let finding = again.with_null_as_written().decide(&mut ())?.finding;
    decider.remember(record.learned);
    Ok(match finding {
        Finding::Safe(_) => accepted(proved),
        Finding::Unsafe(_) | Finding::Unknown(_) => {
            Judgement::Open(Reason::AlwaysNull(null.place.clone()))
        }
    })
}
