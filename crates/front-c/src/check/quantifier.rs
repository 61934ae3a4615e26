//! Quantified formulas, and which values of their variables matter.
//!
//! `lo <= i && i < hi ==> P` is decided by the values from `lo` to `hi`: a formula about all values
//! can only be false, and one about some values only be true, where comparisons with the variable
//! have certain outcomes. These are looked for here.
//!
//! A bound is what the variable is compared with, as it is after the conversions of that
//! comparison. A lower bound counts only if the conversion keeps negative values of the variable;
//! then an upper bound counts in any case, for a negative value that an unsigned comparison takes
//! for a large one is above the lower bound and below the upper one.

use super::Checker;
use super::scope::Entity;
use crate::ast;
use crate::contract::{Bound, Interval, Quantified};
use crate::diagnostic::Result;
use crate::source::Span;
use crate::typed::{BinaryOp, Comparison, Conversion, ExprId, ExprKind, ObjectId, PlaceKind};

/// The bounds that were found.
#[derive(Default)]
struct Bounds {
    low: Option<Bound>,
    high: Option<Bound>,
    /// Variables that have no value outside of the formula.
    inner: Vec<ObjectId>,
}

impl Checker {
    pub(super) fn quantified(
        &mut self,
        u: &ast::Unit,
        quantified: &ast::Quantified,
        span: Span,
    ) -> Result<ExprId> {
        let ty = self.quantified_type(u, quantified)?;
        let (name, at) = quantified.name;
        let object = self.unnamed(ty, at);
        self.program.objects[object].name = Some(name);
        let depth = self.scopes.depth();
        self.scopes.push();
        self.scopes.bind(name, Entity::Object(object), at);
        let body = self.rvalue(u, quantified.body);
        self.scopes.pop_to(depth);
        let body = self.condition(body?)?;
        let interval = self.interval(object, body, quantified.all);
        let all = quantified.all;
        let kind = ExprKind::Quantified(Box::new(Quantified { all, object, interval, body }));
        let int = self.int_type();
        Ok(self.make(kind, int, span))
    }

    /// The values of a variable for which a formula can have the outcome that decides.
    fn interval(&self, object: ObjectId, body: ExprId, all: bool) -> Option<Interval> {
        let mut bounds = Bounds { inner: vec![object], ..Bounds::default() };
        let mut todo = vec![(body, !all)];
        while let Some((expr, outcome)) = todo.pop() {
            match self.program.exprs[expr].kind {
                // It has the outcome for some value of its variable, or for all.
                ExprKind::Quantified(ref inner) => {
                    bounds.inner.push(inner.object);
                    todo.push((inner.body, outcome));
                }
                ExprKind::Logical { and, left, right } if and == outcome => {
                    // The left one is looked at first.
                    todo.extend([(right, outcome), (left, outcome)]);
                }
                ExprKind::Not(operand) => todo.push((operand, !outcome)),
                ExprKind::Convert(
                    Conversion::ToBool | Conversion::IntToInt | Conversion::Same,
                    operand,
                ) if self.is_truth(operand) => todo.push((operand, outcome)),
                ExprKind::Binary(BinaryOp::Compare(op), left, right) => {
                    let op = if outcome { op } else { negated(op) };
                    self.bound(object, op, left, right, &mut bounds);
                    self.bound(object, mirrored(op), right, left, &mut bounds);
                }
                _ => {}
            }
        }
        let signed = self.is_signed(self.program.objects[object].ty.ty);
        let high = bounds.high.filter(|_| bounds.low.is_some() || !signed)?;
        Some(Interval { low: bounds.low, high })
    }

    /// Whether an expression is 0 or 1.
    fn is_truth(&self, mut expr: ExprId) -> bool {
        loop {
            match self.program.exprs[expr].kind {
                ExprKind::Logical { .. }
                | ExprKind::Not(_)
                | ExprKind::Binary(BinaryOp::Compare(_), ..)
                | ExprKind::Quantified(_)
                | ExprKind::Convert(Conversion::ToBool, _) => return true,
                ExprKind::Convert(Conversion::IntToInt | Conversion::Same, operand) => {
                    expr = operand;
                }
                _ => return false,
            }
        }
    }

    fn is_signed(&self, ty: crate::types::TypeId) -> bool {
        self.program.types.shape(ty).is_some_and(|shape| shape.signed)
    }

    /// Takes up what `variable op other` says.
    fn bound(
        &self,
        object: ObjectId,
        op: Comparison,
        variable: ExprId,
        other: ExprId,
        bounds: &mut Bounds,
    ) {
        let bound = |inner: &ObjectId| self.mentions(*inner, other);
        if !self.is_variable(object, variable) || bounds.inner.iter().any(bound) {
            return;
        }
        let signed = self.is_signed(self.program.objects[object].ty.ty);
        let keeps_sign = !signed || self.is_signed(self.type_of(variable));
        let bound = |strict| Some(Bound { value: other, strict });
        match op {
            Comparison::Gt | Comparison::Ge if keeps_sign => {
                bounds.low = bounds.low.or(bound(op == Comparison::Gt));
            }
            Comparison::Lt | Comparison::Le => {
                bounds.high = bounds.high.or(bound(op == Comparison::Lt));
            }
            _ => {}
        }
    }

    /// Whether an expression is the variable, perhaps in a wider type.
    fn is_variable(&self, object: ObjectId, mut expr: ExprId) -> bool {
        loop {
            let ty = self.type_of(expr);
            match self.program.exprs[expr].kind {
                ExprKind::Convert(Conversion::IntToInt | Conversion::Same, operand) => {
                    let from = self.program.types.shape(self.type_of(operand));
                    let to = self.program.types.shape(ty);
                    if from.zip(to).is_none_or(|(from, to)| to.width < from.width) {
                        return false;
                    }
                    expr = operand;
                }
                ExprKind::Load(place) => {
                    let kind = &self.program.places[place].kind;
                    return matches!(kind, PlaceKind::Object(o) if *o == object);
                }
                _ => return false,
            }
        }
    }

    /// Whether a variable occurs in an expression.
    fn mentions(&self, object: ObjectId, root: ExprId) -> bool {
        let mut todo = vec![root];
        while let Some(expr) = todo.pop() {
            let kind = &self.program.exprs[expr].kind;
            let place = match kind {
                ExprKind::Load(place) | ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                    self.program.root(*place)
                }
                _ => None,
            };
            if place == Some(object) {
                return true;
            }
            self.program.operands(kind, &mut todo);
        }
        false
    }
}

fn negated(op: Comparison) -> Comparison {
    match op {
        Comparison::Lt => Comparison::Ge,
        Comparison::Gt => Comparison::Le,
        Comparison::Le => Comparison::Gt,
        Comparison::Ge => Comparison::Lt,
        Comparison::Eq => Comparison::Ne,
        Comparison::Ne => Comparison::Eq,
    }
}

fn mirrored(op: Comparison) -> Comparison {
    match op {
        Comparison::Lt => Comparison::Gt,
        Comparison::Gt => Comparison::Lt,
        Comparison::Le => Comparison::Ge,
        Comparison::Ge => Comparison::Le,
        other => other,
    }
}
