//! Which objects need an address.

use crate::typed::{ExprKind, ObjectId, Program};
use rustc_hash::FxHashSet;

/// The objects that some expression takes the address of.
pub(super) fn escaping(program: &Program) -> FxHashSet<ObjectId> {
    let mut found = FxHashSet::default();
    for (_, expr) in program.exprs.iter() {
        if let ExprKind::AddressOf(place) | ExprKind::Decay(place) = expr.kind {
            found.extend(program.root(place));
        }
    }
    found
}
