//! Which objects need an address. The variable of a quantifier is given by its address, which needs
//! none if nothing else can read it: functions that the formula calls know static variables.

use crate::typed::{ExprKind, ObjectId, Program, Storage};
use rustc_hash::FxHashSet;

/// The objects that some expression takes the address of.
pub(super) fn escaping(program: &Program) -> FxHashSet<ObjectId> {
    let mut bound = FxHashSet::default();
    let calls = |kind: &ExprKind| matches!(kind, ExprKind::Call(..));
    for (expr, _) in program.exprs.iter().filter(|(_, node)| calls(&node.kind)) {
        let call = program.quantifier_call(expr);
        let call = call.filter(|call| {
            let own = |o: ObjectId| program.objects[o].storage == Storage::Automatic;
            call.object.is_some_and(|o| own(o) || !program.calls_functions(call.body))
        });
        bound.extend(call.map(|call| call.pointer));
    }
    let mut found = FxHashSet::default();
    for (_, expr) in program.exprs.iter().filter(|(expr, _)| !bound.contains(expr)) {
        if let ExprKind::AddressOf(place) | ExprKind::Decay(place) = expr.kind {
            found.extend(program.root(place));
        }
    }
    found
}
