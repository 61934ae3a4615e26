//! What the nodes of the typed program contain, for those who walk over it.

use crate::typed::{
    Callee, ElementSize, ExprId, ExprKind, InitValue, ObjectId, PlaceId, PlaceKind, Program,
};

impl Program {
    /// The object that a place is, or is a part of.
    #[must_use]
    pub fn root(&self, mut place: PlaceId) -> Option<ObjectId> {
        loop {
            match self.places[place].kind {
                PlaceKind::Object(object) | PlaceKind::Compound(object, _) => return Some(object),
                PlaceKind::Index(base, _) | PlaceKind::Field { base, .. } => place = base,
                PlaceKind::Deref(_) | PlaceKind::String(_) | PlaceKind::Temporary(_) => {
                    return None;
                }
            }
        }
    }

    /// Appends the expressions that an expression contains directly, those in its places
    /// included; statements are left out.
    pub fn operands(&self, kind: &ExprKind, out: &mut Vec<ExprId>) {
        match kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::VlaLength(_)
            | ExprKind::Shared(_)
            | ExprKind::StmtExpr(..) => {}
            ExprKind::Load(place) | ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                self.place_operands(*place, out);
            }
            ExprKind::Neg(a)
            | ExprKind::BitNot(a)
            | ExprKind::Not(a)
            | ExprKind::Convert(_, a)
            | ExprKind::VaArg(a)
            | ExprKind::WithLengths(_, a) => out.push(*a),
            ExprKind::Binary(_, a, b) | ExprKind::Logical { left: a, right: b, .. } => {
                out.extend([*a, *b]);
            }
            ExprKind::PointerAdd { pointer: a, index: b, size, .. }
            | ExprKind::PointerDiff { left: a, right: b, size } => {
                out.extend([*a, *b]);
                if let ElementSize::Variable(size) = size {
                    out.push(*size);
                }
            }
            ExprKind::Conditional(a, b, c) => out.extend([*a, *b, *c]),
            ExprKind::Elvis { value, condition, then, otherwise } => {
                out.extend([*value, *condition, *then, *otherwise]);
            }
            ExprKind::Comma(list) | ExprKind::Builtin(_, list) => out.extend(list),
            ExprKind::Call(callee, list) => {
                if let Callee::Pointer(pointer) = callee {
                    out.push(*pointer);
                }
                out.extend(list);
            }
            ExprKind::Assign(place, value) | ExprKind::CompoundAssign { place, value, .. } => {
                self.place_operands(*place, out);
                out.push(*value);
            }
            ExprKind::PointerAssign { place, index, .. } => {
                self.place_operands(*place, out);
                out.push(*index);
            }
            ExprKind::Quantified(quantified) => out.push(quantified.body),
        }
    }

    fn place_operands(&self, mut place: PlaceId, out: &mut Vec<ExprId>) {
        loop {
            match &self.places[place].kind {
                PlaceKind::Object(_) | PlaceKind::String(_) => return,
                PlaceKind::Deref(value) | PlaceKind::Temporary(value) => {
                    out.push(*value);
                    return;
                }
                PlaceKind::Index(base, index) => {
                    out.push(*index);
                    place = *base;
                }
                PlaceKind::Field { base, .. } => place = *base,
                PlaceKind::Compound(_, init) => {
                    for entry in &self.inits[*init].entries {
                        if let InitValue::Expr(value) = entry.value {
                            out.push(value);
                        }
                    }
                    return;
                }
            }
        }
    }
}
