//! What holds of every typed program, as one function that tests run.
//!
//! It looks at each node with its direct operands; nothing is walked, so programs of any shape
//! can be checked.

use crate::typed::{
    ArithOp, BinaryOp, Conversion, Expr, ExprId, ExprKind, InitValue, PlaceKind, Program, StmtKind,
};
use crate::types::{Type, TypeId};

impl Program {
    /// Checks the promises that [`crate::typed`] makes; says which one is broken and where.
    pub fn check_invariants(&self) -> Result<(), String> {
        for (id, expr) in self.exprs.iter() {
            if !self.expr_is_sound(expr) {
                return Err(format!("value {id:?} of type {}: {expr:?}", self.shown(expr.ty)));
            }
        }
        for (id, place) in self.places.iter() {
            if !self.place_is_sound(&place.kind, place.ty.ty) {
                return Err(format!("place {id:?} of type {}: {place:?}", self.shown(place.ty.ty)));
            }
        }
        for (id, statement) in self.stmts.iter() {
            if !self.statement_is_sound(&statement.kind) {
                return Err(format!("statement {id:?}: {statement:?}"));
            }
        }
        for (id, object) in self.objects.iter() {
            let defined = object.defined && object.init.is_some();
            if defined && !self.types.is_complete(object.ty.ty) {
                return Err(format!("object {id:?} is initialized but incomplete: {object:?}"));
            }
        }
        self.initializers_are_sound()
    }

    fn shown(&self, ty: TypeId) -> String {
        self.types.show(crate::types::QualType::plain(ty), &self.symbols)
    }

    fn ty(&self, expr: ExprId) -> TypeId {
        self.exprs[expr].ty
    }

    fn is_bool(&self, expr: ExprId) -> bool {
        matches!(self.types.get(self.ty(expr)), Type::Bool)
    }

    fn is_int(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Int(crate::types::IntKind::Int))
    }

    fn is_integer(&self, expr: ExprId) -> bool {
        self.types.is_integer(self.ty(expr))
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        self.types.pointee(ty).is_some()
    }

    /// Whether arithmetic is done in the type: it is floating, or not narrower than `int`.
    fn is_promoted(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Float(_) => true,
            Type::Int(kind) => self.types.int_shape(*kind).width >= 32,
            _ => false,
        }
    }

    fn expr_is_sound(&self, expr: &Expr) -> bool {
        let ty = expr.ty;
        match &expr.kind {
            ExprKind::Int(bits) => match self.types.shape(ty) {
                Some(shape) => shape.wrap(*bits) == *bits,
                None => self.is_pointer(ty),
            },
            ExprKind::Float(value) => *self.types.get(ty) == Type::Float(value.kind),
            ExprKind::Load(place) => {
                ty == self.places[*place].ty.ty
                    && self.types.size_of(ty).is_some()
                    && !matches!(self.types.get(ty), Type::Array(..))
            }
            ExprKind::AddressOf(place) => {
                self.types.pointee(ty).is_some_and(|to| to.ty == self.places[*place].ty.ty)
            }
            ExprKind::Decay(place) => match self.types.get(self.places[*place].ty.ty) {
                Type::Array(element, _) => self.types.pointee(ty) == Some(*element),
                _ => false,
            },
            ExprKind::FunctionAddress(_) => self
                .types
                .pointee(ty)
                .is_some_and(|to| matches!(self.types.get(to.ty), Type::Function(_))),
            ExprKind::Neg(operand) => self.ty(*operand) == ty && self.is_promoted(ty),
            ExprKind::BitNot(operand) => {
                self.ty(*operand) == ty && self.is_promoted(ty) && self.types.is_integer(ty)
            }
            ExprKind::Not(operand) => self.is_bool(*operand) && self.is_int(ty),
            ExprKind::Binary(op, left, right) => self.binary_is_sound(*op, *left, *right, ty),
            ExprKind::Logical { left, right, .. } => {
                self.is_bool(*left) && self.is_bool(*right) && self.is_int(ty)
            }
            ExprKind::PointerAdd { pointer, index, .. } => {
                self.ty(*pointer) == ty && self.is_pointer(ty) && self.is_integer(*index)
            }
            ExprKind::PointerDiff { left, right, .. } => {
                self.is_pointer(self.ty(*left))
                    && self.is_pointer(self.ty(*right))
                    && self.types.is_integer(ty)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let fits = |e: ExprId| self.ty(e) == ty || self.types.record(ty).is_some();
                self.is_bool(*condition) && fits(*then) && fits(*otherwise)
            }
            ExprKind::Elvis { condition, .. } => self.is_bool(*condition),
            ExprKind::Comma(parts) => {
                let (last, first) = match parts.split_last() {
                    Some(split) => split,
                    None => return false,
                };
                self.ty(*last) == ty && first.iter().all(|p| self.types.is_void(self.ty(*p)))
            }
            ExprKind::Convert(how, operand) => {
                self.conversion_is_sound(*how, self.ty(*operand), ty)
            }
            ExprKind::Assign(place, value) => {
                ty == self.places[*place].ty.ty && self.ty(*value) == ty
            }
            ExprKind::CompoundAssign { place, op, computation, value, .. } => {
                let shift = matches!(op, ArithOp::Shl | ArithOp::Shr);
                ty == self.places[*place].ty.ty
                    && self.is_promoted(*computation)
                    && (shift || self.ty(*value) == *computation)
            }
            ExprKind::PointerAssign { place, index, .. } => {
                ty == self.places[*place].ty.ty && self.is_pointer(ty) && self.is_integer(*index)
            }
            ExprKind::Shared(value) => self.ty(*value) == ty,
            ExprKind::StmtExpr(_, value) => match value {
                Some(value) => self.ty(*value) == ty,
                None => self.types.is_void(ty),
            },
            ExprKind::WithLengths(_, value) => self.ty(*value) == ty,
            ExprKind::Call(..)
            | ExprKind::Builtin(..)
            | ExprKind::VaArg(_)
            | ExprKind::VlaLength(_) => true,
            ExprKind::Quantified(quantified) => self.is_bool(quantified.body) && self.is_int(ty),
        }
    }

    fn binary_is_sound(&self, op: BinaryOp, left: ExprId, right: ExprId, ty: TypeId) -> bool {
        let (a, b) = (self.ty(left), self.ty(right));
        match op {
            BinaryOp::Arith(ArithOp::Shl | ArithOp::Shr) => {
                a == ty && self.is_promoted(a) && self.is_promoted(b) && self.is_integer(right)
            }
            BinaryOp::Arith(_) => a == ty && b == ty && self.is_promoted(ty),
            BinaryOp::Compare(_) => {
                let fits = self.is_promoted(a) || self.is_pointer(a);
                a == b && fits && self.is_int(ty)
            }
        }
    }

    fn conversion_is_sound(&self, how: Conversion, from: TypeId, to: TypeId) -> bool {
        let types = &self.types;
        let integers = types.is_integer(from) && types.is_integer(to);
        match how {
            Conversion::IntToInt => integers,
            Conversion::IntToFloat => types.is_integer(from) && types.is_float(to),
            Conversion::FloatToInt => types.is_float(from) && types.is_integer(to),
            Conversion::FloatToFloat => types.is_float(from) && types.is_float(to),
            Conversion::PointerToInt => self.is_pointer(from) && types.is_integer(to),
            Conversion::IntToPointer => types.is_integer(from) && self.is_pointer(to),
            Conversion::PointerToPointer => self.is_pointer(from) && self.is_pointer(to),
            Conversion::ToBool => types.is_scalar(from) && matches!(types.get(to), Type::Bool),
            Conversion::ToVoid => types.is_void(to),
            Conversion::Same => {
                (integers && types.shape(from) == types.shape(to))
                    || (types.record(from).is_some() && types.record(to).is_some())
            }
            Conversion::ToUnion => types.record(to).is_some_and(|r| types.records[r].is_union),
        }
    }

    fn place_is_sound(&self, kind: &PlaceKind, ty: TypeId) -> bool {
        match kind {
            PlaceKind::Object(_) | PlaceKind::Compound(..) => true,
            PlaceKind::Deref(pointer) => {
                self.types.pointee(self.ty(*pointer)).is_some_and(|to| to.ty == ty)
            }
            PlaceKind::Index(base, index) => {
                let element = match self.types.get(self.places[*base].ty.ty) {
                    Type::Array(element, _) => element.ty,
                    _ => return false,
                };
                element == ty && self.is_integer(*index)
            }
            PlaceKind::Field { base, record, field, .. } => {
                let body = self.types.records[*record].body.as_ref();
                self.types.record(self.places[*base].ty.ty) == Some(*record)
                    && body.is_some_and(|b| (*field as usize) < b.fields.len())
            }
            PlaceKind::String(string) => self.strings[*string].ty == ty,
            PlaceKind::Temporary(value) => self.ty(*value) == ty,
        }
    }

    fn statement_is_sound(&self, kind: &StmtKind) -> bool {
        match kind {
            StmtKind::Expr(value) => self.types.is_void(self.ty(*value)),
            StmtKind::If(arms, _) => arms.iter().all(|(condition, _)| self.is_bool(*condition)),
            StmtKind::While(condition, _) | StmtKind::DoWhile(_, condition) => {
                self.is_bool(*condition)
            }
            StmtKind::For { condition, step, .. } => {
                condition.is_none_or(|c| self.is_bool(c))
                    && step.is_none_or(|s| self.types.is_void(self.ty(s)))
            }
            StmtKind::Switch(value, _) => {
                self.is_integer(*value) && self.is_promoted(self.ty(*value))
            }
            _ => true,
        }
    }

    fn initializers_are_sound(&self) -> Result<(), String> {
        for (id, init) in self.inits.iter() {
            for entry in &init.entries {
                let fits = match entry.value {
                    InitValue::Expr(value) => self.ty(value) == entry.ty.ty,
                    InitValue::Zero => true,
                    InitValue::String(_) => {
                        matches!(self.types.get(entry.ty.ty), Type::Array(..))
                    }
                };
                if !fits {
                    return Err(format!("initializer {id:?}: {entry:?}"));
                }
            }
        }
        Ok(())
    }
}
