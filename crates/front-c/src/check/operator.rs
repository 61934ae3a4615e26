//! Binary operators, assignments and conditionals [C11 §6.5.5–§6.5.16].

use super::Checker;
use super::conversion::Purpose;
use crate::ast::{self, BinaryOp as Op, ExprKind as Syntax};
use crate::diagnostic::Result;
use crate::source::Span;
use crate::typed::{ArithOp, BinaryOp, Comparison, ExprId, ExprKind, PlaceId};
use crate::types::{QualType, Type, TypeId};

/// The arithmetic operator of a syntactic one.
fn arith_op(op: Op) -> Option<ArithOp> {
    Some(match op {
        Op::Add => ArithOp::Add,
        Op::Sub => ArithOp::Sub,
        Op::Mul => ArithOp::Mul,
        Op::Div => ArithOp::Div,
        Op::Rem => ArithOp::Rem,
        Op::BitAnd => ArithOp::BitAnd,
        Op::BitOr => ArithOp::BitOr,
        Op::BitXor => ArithOp::BitXor,
        Op::Shl => ArithOp::Shl,
        Op::Shr => ArithOp::Shr,
        _ => return None,
    })
}

fn comparison(op: Op) -> Option<Comparison> {
    Some(match op {
        Op::Lt => Comparison::Lt,
        Op::Gt => Comparison::Gt,
        Op::Le => Comparison::Le,
        Op::Ge => Comparison::Ge,
        Op::Eq => Comparison::Eq,
        Op::Ne => Comparison::Ne,
        _ => return None,
    })
}

fn needs_integers(op: ArithOp) -> bool {
    !matches!(op, ArithOp::Add | ArithOp::Sub | ArithOp::Mul | ArithOp::Div)
}

fn is_shift(op: ArithOp) -> bool {
    matches!(op, ArithOp::Shl | ArithOp::Shr)
}

impl Checker {
    /// A tree of binary operators, its left spine in a loop.
    pub(super) fn binary_spine(&mut self, u: &ast::Unit, expr: ast::ExprId) -> Result<ExprId> {
        let mut steps = Vec::new();
        let mut leftmost = expr;
        while let Syntax::Binary(op, left, right) = u.exprs[leftmost].kind {
            steps.push((op, right, u.exprs[leftmost].span));
            leftmost = left;
        }
        let mut value = self.rvalue(u, leftmost)?;
        while let Some((op, right, span)) = steps.pop() {
            let right = self.rvalue(u, right)?;
            value = self.binary(op, value, right, span)?;
        }
        Ok(value)
    }

    fn binary(&mut self, op: Op, left: ExprId, right: ExprId, span: Span) -> Result<ExprId> {
        if let Op::And | Op::Or = op {
            let left = self.condition(left)?;
            let right = self.condition(right)?;
            let int = self.int_type();
            let and = op == Op::And;
            return Ok(self.make(ExprKind::Logical { and, left, right }, int, span));
        }
        if let Some(op) = comparison(op) {
            return self.compare(op, left, right, span);
        }
        let Some(op) = arith_op(op) else {
            return self.error(span, "operator without meaning");
        };
        self.arithmetic(op, left, right, span)
    }

    fn arithmetic(
        &mut self,
        op: ArithOp,
        left: ExprId,
        right: ExprId,
        span: Span,
    ) -> Result<ExprId> {
        let (a, b) = (self.type_of(left), self.type_of(right));
        let types = &self.program.types;
        let (p, q) = (types.pointee(a), types.pointee(b));
        match (op, p, q) {
            (ArithOp::Add, Some(_), None) if types.is_integer(b) => {
                return self.pointer_add(left, right, false, span);
            }
            (ArithOp::Add, None, Some(_)) if types.is_integer(a) => {
                return self.pointer_add(right, left, false, span);
            }
            (ArithOp::Sub, Some(_), None) if types.is_integer(b) => {
                return self.pointer_add(left, right, true, span);
            }
            (ArithOp::Sub, Some(to), Some(_)) => {
                return self.pointer_difference(left, right, to, span);
            }
            _ => {}
        }
        self.check_arithmetic(op, a, b, span)?;
        if is_shift(op) {
            let (left, right) = (self.promote(left), self.promote(right));
            let ty = self.type_of(left);
            return Ok(self.make(ExprKind::Binary(BinaryOp::Arith(op), left, right), ty, span));
        }
        let ty = self.common_type(a, b);
        let (left, right) = (self.convert(left, ty), self.convert(right, ty));
        Ok(self.make(ExprKind::Binary(BinaryOp::Arith(op), left, right), ty, span))
    }

    fn check_arithmetic(&self, op: ArithOp, a: TypeId, b: TypeId, span: Span) -> Result<()> {
        let types = &self.program.types;
        let fits = |ty| {
            if needs_integers(op) { types.is_integer(ty) } else { types.is_arithmetic(ty) }
        };
        if fits(a) && fits(b) {
            return Ok(());
        }
        let message =
            format!("operator cannot be applied to '{}' and '{}'", self.show(a), self.show(b));
        self.error(span, message)
    }

    fn pointer_difference(
        &mut self,
        left: ExprId,
        right: ExprId,
        to: QualType,
        span: Span,
    ) -> Result<ExprId> {
        let size = self.element_size(to, span)?;
        let ty = self.types().ptrdiff_type();
        Ok(self.make(ExprKind::PointerDiff { left, right, size }, ty, span))
    }

    fn compare(
        &mut self,
        op: Comparison,
        left: ExprId,
        right: ExprId,
        span: Span,
    ) -> Result<ExprId> {
        let (a, b) = (self.type_of(left), self.type_of(right));
        let types = &self.program.types;
        let int = self.program.types.pointee(a);
        let (left, right) = match (int, types.pointee(b)) {
            _ if types.is_arithmetic(a) && types.is_arithmetic(b) => {
                let ty = self.common_type(a, b);
                (self.convert(left, ty), self.convert(right, ty))
            }
            (Some(p), Some(q)) => {
                let types = &self.program.types;
                let void = types.is_void(p.ty) || types.is_void(q.ty);
                let null = self.is_null_constant(left) || self.is_null_constant(right);
                if !void && !null && !self.compatible(p.ty, q.ty) {
                    self.warn(span, "comparison of distinct pointer types");
                }
                let ty = self.types().void_pointer();
                (self.convert(left, ty), self.convert(right, ty))
            }
            (Some(_), None) if types.is_integer(b) => {
                if !self.is_null_constant(right) {
                    self.warn(span, "comparison of a pointer and an integer");
                }
                let right = self.convert(right, a);
                (left, right)
            }
            (None, Some(_)) if types.is_integer(a) => {
                if !self.is_null_constant(left) {
                    self.warn(span, "comparison of a pointer and an integer");
                }
                let left = self.convert(left, b);
                (left, right)
            }
            _ => {
                let message =
                    format!("'{}' and '{}' cannot be compared", self.show(a), self.show(b));
                return self.error(span, message);
            }
        };
        let int = self.int_type();
        Ok(self.make(ExprKind::Binary(BinaryOp::Compare(op), left, right), int, span))
    }

    // Assignment.

    fn modifiable(&mut self, u: &ast::Unit, target: ast::ExprId) -> Result<PlaceId> {
        let place = self.place(u, target)?;
        let ty = self.program.places[place].ty;
        let span = u.exprs[target].span;
        if ty.is_const() {
            return self.error(span, "assignment to something that is const");
        }
        match self.program.types.get(ty.ty) {
            Type::Array(..) => self.error(span, "assignment to an array"),
            _ if self.program.types.size_of(ty.ty).is_none() => {
                self.error(span, "assignment to something of incomplete type")
            }
            _ => Ok(place),
        }
    }

    pub(super) fn assign(
        &mut self,
        u: &ast::Unit,
        target: ast::ExprId,
        value: ast::ExprId,
        span: Span,
    ) -> Result<ExprId> {
        let place = self.modifiable(u, target)?;
        let value = self.rvalue(u, value)?;
        let ty = self.program.places[place].ty.ty;
        let value = self.assign_convert(value, ty, Purpose::Assignment, span)?;
        Ok(self.make(ExprKind::Assign(place, value), ty, span))
    }

    pub(super) fn compound_assign(
        &mut self,
        u: &ast::Unit,
        op: Op,
        target: ast::ExprId,
        value: ast::ExprId,
        span: Span,
    ) -> Result<ExprId> {
        let place = self.modifiable(u, target)?;
        let value = self.rvalue(u, value)?;
        let Some(op) = arith_op(op) else {
            return self.error(span, "operator without meaning");
        };
        self.update(place, op, value, false, span)
    }

    /// `++` and `--`.
    pub(super) fn step(
        &mut self,
        u: &ast::Unit,
        target: ast::ExprId,
        down: bool,
        old_value: bool,
        span: Span,
    ) -> Result<ExprId> {
        let place = self.modifiable(u, target)?;
        let int = self.int_type();
        let one = self.make_int(1, int, span);
        let op = if down { ArithOp::Sub } else { ArithOp::Add };
        self.update(place, op, one, old_value, span)
    }

    /// `place = place op value`, the place evaluated once.
    fn update(
        &mut self,
        place: PlaceId,
        op: ArithOp,
        value: ExprId,
        old_value: bool,
        span: Span,
    ) -> Result<ExprId> {
        let ty = self.program.places[place].ty.ty;
        if let Some(to) = self.program.types.pointee(ty) {
            let moves = matches!(op, ArithOp::Add | ArithOp::Sub);
            if !moves || !self.program.types.is_integer(self.type_of(value)) {
                return self.error(span, "operator cannot be applied to a pointer");
            }
            let size = self.element_size(to, span)?;
            let index = self.promote(value);
            let subtract = op == ArithOp::Sub;
            let kind = ExprKind::PointerAssign { place, index, subtract, size, old_value };
            return Ok(self.make(kind, ty, span));
        }
        let value_type = self.type_of(value);
        self.check_arithmetic(op, ty, value_type, span)?;
        let (computation, value) = if is_shift(op) {
            (self.promoted_type(ty), self.promote(value))
        } else {
            let common = self.common_type(ty, value_type);
            (common, self.convert(value, common))
        };
        let kind = ExprKind::CompoundAssign {
            place,
            op,
            computation,
            to_computation: self.conversion_kind(ty, computation),
            from_computation: self.conversion_kind(computation, ty),
            value,
            old_value,
        };
        Ok(self.make(kind, ty, span))
    }

    // Conditionals.

    pub(super) fn conditional(
        &mut self,
        u: &ast::Unit,
        condition: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        span: Span,
    ) -> Result<ExprId> {
        let value = self.rvalue(u, condition)?;
        let Some(then) = then else {
            return self.elvis(u, value, otherwise, span);
        };
        let test = self.condition(value)?;
        let then = self.rvalue(u, then)?;
        let otherwise = self.rvalue(u, otherwise)?;
        let ty = self.conditional_type(then, otherwise, span)?;
        let then = self.branch(then, ty);
        let otherwise = self.branch(otherwise, ty);
        Ok(self.make(ExprKind::Conditional(test, then, otherwise), ty, span))
    }

    fn elvis(
        &mut self,
        u: &ast::Unit,
        value: ExprId,
        otherwise: ast::ExprId,
        span: Span,
    ) -> Result<ExprId> {
        let otherwise = self.rvalue(u, otherwise)?;
        let ty = self.conditional_type(value, otherwise, span)?;
        let value_type = self.type_of(value);
        let shared = self.make(ExprKind::Shared(value), value_type, span);
        let condition = self.condition(shared)?;
        let then = self.branch(shared, ty);
        let otherwise = self.branch(otherwise, ty);
        Ok(self.make(ExprKind::Elvis { value, condition, then, otherwise }, ty, span))
    }

    fn branch(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        if self.program.types.record(ty).is_some() { value } else { self.convert(value, ty) }
    }

    fn conditional_type(&mut self, then: ExprId, otherwise: ExprId, span: Span) -> Result<TypeId> {
        let (a, b) = (self.type_of(then), self.type_of(otherwise));
        let types = &self.program.types;
        if types.is_arithmetic(a) && types.is_arithmetic(b) {
            return Ok(self.common_type(a, b));
        }
        if types.is_void(a) || types.is_void(b) {
            return Ok(self.types().void());
        }
        match (types.pointee(a), types.pointee(b)) {
            (Some(p), Some(q)) => return Ok(self.conditional_pointer(then, otherwise, p, q, span)),
            (Some(_), None) if types.is_integer(b) => {
                if !self.is_null_constant(otherwise) {
                    self.warn(span, "pointer and integer in a conditional expression");
                }
                return Ok(a);
            }
            (None, Some(_)) if types.is_integer(a) => {
                if !self.is_null_constant(then) {
                    self.warn(span, "pointer and integer in a conditional expression");
                }
                return Ok(b);
            }
            _ => {}
        }
        if types.record(a).is_some() && self.compatible(a, b) {
            return Ok(a);
        }
        let message = format!(
            "branches of a conditional have types '{}' and '{}'",
            self.show(a),
            self.show(b)
        );
        self.error(span, message)
    }

    fn conditional_pointer(
        &mut self,
        then: ExprId,
        otherwise: ExprId,
        p: QualType,
        q: QualType,
        span: Span,
    ) -> TypeId {
        let quals = p.quals | q.quals;
        let target = if self.is_null_constant(then) {
            q.ty
        } else if self.is_null_constant(otherwise) {
            p.ty
        } else if self.compatible(p.ty, q.ty) {
            self.composite(p.ty, q.ty)
        } else {
            let types = &self.program.types;
            if !types.is_void(p.ty) && !types.is_void(q.ty) {
                self.warn(span, "different pointer types in a conditional expression");
            }
            self.types().void()
        };
        let to = QualType::plain(target).with(quals);
        self.types().pointer(to)
    }
}
