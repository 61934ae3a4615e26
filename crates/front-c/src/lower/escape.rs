//! Which objects need an address.

use crate::typed::{ExprKind, ObjectId, PlaceId, PlaceKind, Program};
use rustc_hash::FxHashSet;

/// The objects that some expression takes the address of.
pub(super) fn escaping(program: &Program) -> FxHashSet<ObjectId> {
    let mut found = FxHashSet::default();
    for (_, expr) in program.exprs.iter() {
        if let ExprKind::AddressOf(place) | ExprKind::Decay(place) = expr.kind {
            found.extend(root(program, place));
        }
    }
    found
}

/// The object that a place is, or is a part of.
pub(super) fn root(program: &Program, mut place: PlaceId) -> Option<ObjectId> {
    loop {
        match program.places[place].kind {
            PlaceKind::Object(object) | PlaceKind::Compound(object, _) => return Some(object),
            PlaceKind::Index(base, _) | PlaceKind::Field { base, .. } => place = base,
            PlaceKind::Deref(_) | PlaceKind::String(_) | PlaceKind::Temporary(_) => return None,
        }
    }
}
