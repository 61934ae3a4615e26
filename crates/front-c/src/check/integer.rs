//! Integers of ACSL: unbounded, and here of 128 bits, which is enough or an error.
//!
//! The checker makes every operation of a formula one of `__int128`. How many bits a value can need
//! follows from its operands: those of a sum one more than the larger, of a product as many as both
//! together. A quantified integer has those of its bounds.

use super::Checker;
use crate::diagnostic::Result;
use crate::typed::{ArithOp, BinaryOp, Conversion, ExprId, ExprKind, ObjectId, PlaceKind};
use crate::types::Type;
use rustc_hash::FxHashMap;

/// How many bits an integer of a formula may have, its sign included.
const MOST: u32 = 127;

/// The bits of quantified integers, their signs included.
type Known = FxHashMap<ObjectId, u32>;

impl Checker {
    /// Checks that no operation in a formula needs more bits than there are.
    pub(super) fn require_room(&self, root: ExprId) -> Result<()> {
        let mut known = Known::default();
        let mut todo = vec![root];
        while let Some(expr) = todo.pop() {
            let node = &self.program.exprs[expr];
            if let ExprKind::Quantified(quantified) = &node.kind {
                let Some(interval) = quantified.interval else {
                    return self.error(node.span, "a quantified integer needs bounds");
                };
                let mut bits = self.bits(interval.high.value, &known)?;
                if let Some(low) = interval.low {
                    bits = bits.max(self.bits(low.value, &known)?);
                }
                known.insert(quantified.object, bits + 1);
            }
            if self.program.types.is_integer(node.ty) {
                self.bits(expr, &known)?;
            }
            self.program.operands(&node.kind, &mut todo);
        }
        Ok(())
    }

    /// How many bits an integer needs, its sign included.
    fn bits(&self, expr: ExprId, known: &Known) -> Result<u32> {
        let node = &self.program.exprs[expr];
        let width = |ty| {
            let shape = self.program.types.shape(ty);
            shape.map_or(128, |shape| shape.width + u32::from(!shape.signed))
        };
        let bits = match &node.kind {
            ExprKind::Int(value) if !self.is_negative(expr) => 129 - value.leading_zeros(),
            ExprKind::Convert(Conversion::IntToInt | Conversion::Same, operand)
                if self.is_wide(expr) =>
            {
                self.bits(*operand, known)?.min(width(self.type_of(*operand)))
            }
            ExprKind::Load(place) => match self.program.places[*place].kind {
                PlaceKind::Object(object) => match (known.get(&object), self.old_value(object)) {
                    (Some(bits), _) => *bits,
                    (None, Some(value)) => self.bits(value, known)?,
                    (None, None) => width(node.ty),
                },
                _ => width(node.ty),
            },
            ExprKind::Neg(operand) | ExprKind::BitNot(operand) => self.bits(*operand, known)? + 1,
            ExprKind::Binary(BinaryOp::Arith(op), left, right) if self.is_wide(expr) => {
                let (a, b) = (self.bits(*left, known)?, self.bits(*right, known)?);
                match op {
                    ArithOp::Add | ArithOp::Sub => a.max(b) + 1,
                    ArithOp::Mul => a + b,
                    ArithOp::Div => a + 1,
                    ArithOp::Shl => {
                        return self.error(node.span, "'<<' of ACSL is not supported");
                    }
                    _ => a.max(b),
                }
            }
            ExprKind::Conditional(_, then, otherwise) => {
                self.bits(*then, known)?.max(self.bits(*otherwise, known)?)
            }
            _ => width(node.ty),
        };
        if bits > MOST {
            return self.error(node.span, format!("integers here may need more than {MOST} bits"));
        }
        Ok(bits)
    }

    /// The value that an object of a contract stands for.
    fn old_value(&self, object: ObjectId) -> Option<ExprId> {
        let olds = self.contract.iter().flat_map(|context| &context.olds);
        olds.into_iter().find(|old| old.object == object).map(|old| old.value)
    }

    fn is_negative(&self, expr: ExprId) -> bool {
        let ExprKind::Int(value) = self.program.exprs[expr].kind else { return false };
        let shape = self.program.types.shape(self.type_of(expr));
        shape.is_none_or(|shape| shape.value(value) < 0)
    }

    /// Whether an expression has the type of integers of ACSL.
    fn is_wide(&self, expr: ExprId) -> bool {
        let wide = crate::types::IntKind::Int128;
        matches!(self.program.types.get(self.type_of(expr)), Type::Int(kind) if *kind == wide)
    }
}
