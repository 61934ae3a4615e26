//! What formulas of contracts have beside C's expressions: implications, values of the state
//! before, and questions about memory. Some of it other verifiers accept in any expression.

use super::Checker;
use super::contract::Past;
use super::place::Operand;
use super::scope::Entity;
use crate::ast::{self, BinaryOp, UnaryOp};
use crate::contract::Old;
use crate::diagnostic::Result;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{
    ArithOp, BinaryOp as TypedOp, Builtin, Comparison, ExprId, ExprKind, MemoryQuestion, PlaceKind,
};
use crate::types::{IntKind, Type, TypeId};

/// Names of other verifiers that are no functions.
const ELSEWHERE: [(&str, &str); 6] = [
    ("__CPROVER_object_whole", "is a part of memory, which only 'assigns' can name"),
    ("__CPROVER_object_upto", "is a part of memory, which only 'assigns' can name"),
    ("__CPROVER_object_from", "is a part of memory, which only 'assigns' can name"),
    ("__CPROVER_requires", "stands where no contract can be"),
    ("__CPROVER_ensures", "stands where no contract can be"),
    ("__CPROVER_assigns", "stands where no contract can be"),
];

impl Checker {
    /// `a ==> b`
    pub(super) fn implies(
        &mut self,
        u: &ast::Unit,
        left: ast::ExprId,
        right: ast::ExprId,
        span: Span,
    ) -> Result<ExprId> {
        let left = self.rvalue(u, left)?;
        let left = self.condition(left)?;
        let int = self.int_type();
        let not = self.make(ExprKind::Not(left), int, span);
        let left = self.condition(not)?;
        let right = self.rvalue(u, right)?;
        let right = self.condition(right)?;
        Ok(self.make(ExprKind::Logical { and: false, left, right }, int, span))
    }

    /// `a <==> b`
    pub(super) fn equivalent(
        &mut self,
        u: &ast::Unit,
        left: ast::ExprId,
        right: ast::ExprId,
        span: Span,
    ) -> Result<ExprId> {
        let int = self.int_type();
        let mut sides = Vec::new();
        for side in [left, right] {
            let value = self.rvalue(u, side)?;
            let truth = self.condition(value)?;
            sides.push(self.convert(truth, int));
        }
        let op = TypedOp::Compare(Comparison::Eq);
        Ok(self.make(ExprKind::Binary(op, sides[0], sides[1]), int, span))
    }

    /// What a name means that only contracts have.
    pub(super) fn name_in_contract(&mut self, name: &str, span: Span) -> Result<Option<Operand>> {
        let int = self.int_type();
        let value = match name {
            "__CPROVER_return_value" | "\\result" => {
                let Some(object) = self.contract.as_ref().and_then(|c| c.result) else {
                    return self.error(span, format!("'{name}' has no meaning here"));
                };
                let ty = self.program.objects[object].ty;
                let place = self.make_place(PlaceKind::Object(object), ty, span);
                return Ok(Some(Operand::Place(place)));
            }
            "\\true" | "\\false" => self.make_int(i128::from(name == "\\true"), int, span),
            "\\null" => {
                let zero = self.make_int(0, int, span);
                let pointer = self.types().void_pointer();
                self.convert(zero, pointer)
            }
            _ if name.starts_with('\\') => {
                return self.error(span, format!("'{name}' of ACSL is not supported"));
            }
            _ => return Ok(None),
        };
        Ok(Some(Operand::Value(value)))
    }

    /// A call of something that a verifier gives a meaning; none if it is a function.
    pub(super) fn verifier_call(
        &mut self,
        u: &ast::Unit,
        name: Symbol,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Result<Option<ExprId>> {
        let text = self.name(name);
        if !text.starts_with("__CPROVER_") && !text.starts_with('\\') {
            if self.is_mathematical() {
                return self.error(span, "a call in ACSL is not supported");
            }
            return Ok(None);
        }
        let text = text.to_owned();
        if let Some(Entity::Function(id)) = self.scopes.lookup(name).map(|b| b.entity)
            && self.program.functions[id].body.is_some()
        {
            return Ok(None);
        }
        if let Some((_, why)) = ELSEWHERE.iter().find(|(known, _)| *known == text) {
            return self.error(span, format!("'{text}' {why}"));
        }
        let value = match (text.as_str(), arguments) {
            ("__CPROVER_old" | "\\old", [value]) => self.old(u, *value, Past::Call, span)?,
            ("__CPROVER_loop_entry", [value]) => self.old(u, *value, Past::Loop, span)?,
            (
                "__CPROVER_assert" | "__CPROVER_precondition" | "__CPROVER_postcondition",
                [truth],
            )
            | (
                "__CPROVER_assert" | "__CPROVER_precondition" | "__CPROVER_postcondition",
                [truth, _],
            ) => self.control(u, Builtin::Assert, *truth, span)?,
            ("__CPROVER_assume", [truth]) => self.control(u, Builtin::Assume, *truth, span)?,
            ("__CPROVER_havoc_object", [pointer]) => {
                let pointer = self.rvalue(u, *pointer)?;
                let pointer = self.pointer_operand(pointer)?;
                let void = self.types().void();
                self.make(ExprKind::Builtin(Builtin::HavocObject, vec![pointer]), void, span)
            }
            ("\\valid" | "\\valid_read", [what]) => {
                let question = match text.as_str() {
                    "\\valid" => MemoryQuestion::Writable,
                    _ => MemoryQuestion::Readable,
                };
                let (pointer, size) = self.pointed_to(u, *what)?;
                self.memory_question(question, vec![pointer, size], span)
            }
            ("\\separated", _) => self.separated(u, arguments, span)?,
            _ if text.starts_with('\\') => {
                return self.error(span, format!("'{text}' of ACSL is not supported"));
            }
            _ => return self.memory_call(u, &text, arguments, span),
        };
        Ok(Some(value))
    }

    fn control(
        &mut self,
        u: &ast::Unit,
        builtin: Builtin,
        truth: ast::ExprId,
        span: Span,
    ) -> Result<ExprId> {
        let truth = self.rvalue(u, truth)?;
        let truth = self.condition(truth)?;
        let void = self.types().void();
        Ok(self.make(ExprKind::Builtin(builtin, vec![truth]), void, span))
    }

    /// A value of the state before the function, or before the loop.
    fn old(&mut self, u: &ast::Unit, value: ast::ExprId, past: Past, span: Span) -> Result<ExprId> {
        let known = self.contract.as_mut().and_then(|context| context.past.take());
        if known != Some(past) {
            return self.error(span, "that state before has no meaning here");
        }
        let typed = self.rvalue(u, value);
        if let Some(context) = &mut self.contract {
            context.past = known;
        }
        let value = typed?;
        let ty = self.type_of(value);
        if self.program.types.size_of(ty).is_none() {
            return self.error(span, "a value of unknown size");
        }
        let object = self.unnamed(ty, span);
        if let Some(context) = &mut self.contract {
            context.olds.push(Old { object, value });
        }
        let quals = self.program.objects[object].ty;
        let place = self.make_place(PlaceKind::Object(object), quals, span);
        Ok(self.make(ExprKind::Load(place), ty, span))
    }

    // Memory.

    fn memory_call(
        &mut self,
        u: &ast::Unit,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Result<Option<ExprId>> {
        use MemoryQuestion as Q;
        let question = match name {
            "__CPROVER_r_ok" => Q::Readable,
            "__CPROVER_w_ok" | "__CPROVER_rw_ok" => Q::Writable,
            "__CPROVER_is_fresh" => Q::Fresh,
            "__CPROVER_same_object" => Q::SameObject,
            "__CPROVER_POINTER_OFFSET" => Q::Offset,
            "__CPROVER_OBJECT_SIZE" => Q::Size,
            _ => return Ok(None),
        };
        let mut values = self.rvalues(u, arguments)?;
        match (question, values.len()) {
            (Q::Readable | Q::Writable, 1) => {
                let size = self.size_behind(values[0])?;
                values.push(size);
            }
            (Q::Readable | Q::Writable | Q::Fresh | Q::SameObject, 2) => {}
            (Q::Offset | Q::Size, 1) => {}
            _ => return self.error(span, format!("wrong number of arguments of '{name}'")),
        }
        values[0] = self.pointer_operand(values[0])?;
        if let Some(&second) = values.get(1) {
            values[1] = match question {
                Q::SameObject => self.pointer_operand(second)?,
                _ => self.integer_operand(second)?,
            };
        }
        Ok(Some(self.memory_question(question, values, span)))
    }

    fn memory_question(
        &mut self,
        question: MemoryQuestion,
        values: Vec<ExprId>,
        span: Span,
    ) -> ExprId {
        let ty = match question {
            MemoryQuestion::Offset | MemoryQuestion::Size => self.types().size_type(),
            _ => self.types().bool(),
        };
        self.make(ExprKind::Builtin(Builtin::Memory(question), values), ty, span)
    }

    /// A pointer to data.
    pub(super) fn pointer_operand(&mut self, value: ExprId) -> Result<ExprId> {
        let ty = self.type_of(value);
        match self.program.types.pointee(ty) {
            Some(to) if !matches!(self.program.types.get(to.ty), Type::Function(_)) => Ok(value),
            _ => {
                let message = format!("'{}' is no pointer to an object", self.show(ty));
                self.error(self.span_of(value), message)
            }
        }
    }

    /// An integer, promoted.
    pub(super) fn integer_operand(&mut self, value: ExprId) -> Result<ExprId> {
        if !self.program.types.is_integer(self.type_of(value)) {
            return self.error(self.span_of(value), "the number of bytes is no integer");
        }
        Ok(self.promote(value))
    }

    /// The size of what a pointer points to.
    fn size_behind(&mut self, pointer: ExprId) -> Result<ExprId> {
        let span = self.span_of(pointer);
        let to = self.program.types.pointee(self.type_of(pointer));
        match to.and_then(|to| self.program.types.size_of(to.ty)) {
            Some(size) => Ok(self.make_size(size, span)),
            None => self.error(span, "what the pointer points to has no size"),
        }
    }

    /// What `\valid` is about: `p`, `p + (a .. b)` or `&p[a .. b]`, as first address and bytes.
    fn pointed_to(&mut self, u: &ast::Unit, what: ast::ExprId) -> Result<(ExprId, ExprId)> {
        let elements = match u.exprs[what].kind {
            ast::ExprKind::Unary(UnaryOp::AddressOf, place) => self.elements(u, place)?,
            _ => self.moved_by_range(u, what)?,
        };
        if let Some(found) = elements {
            return Ok(found);
        }
        let pointer = self.rvalue(u, what)?;
        let pointer = self.pointer_operand(pointer)?;
        Ok((pointer, self.size_behind(pointer)?))
    }

    /// `p[a .. b]` or `*(p + (a .. b))`, as first address and bytes.
    pub(super) fn elements(
        &mut self,
        u: &ast::Unit,
        place: ast::ExprId,
    ) -> Result<Option<(ExprId, ExprId)>> {
        match u.exprs[place].kind {
            ast::ExprKind::Index(base, range) => {
                let ast::ExprKind::Range(low, high) = u.exprs[range].kind else {
                    return Ok(None);
                };
                self.span_of_elements(u, base, (low, high), u.exprs[place].span).map(Some)
            }
            ast::ExprKind::Unary(UnaryOp::Deref, pointer) => self.moved_by_range(u, pointer),
            _ => Ok(None),
        }
    }

    /// `p + (a .. b)`
    fn moved_by_range(
        &mut self,
        u: &ast::Unit,
        pointer: ast::ExprId,
    ) -> Result<Option<(ExprId, ExprId)>> {
        let ast::ExprKind::Binary(BinaryOp::Add, base, range) = u.exprs[pointer].kind else {
            return Ok(None);
        };
        let ast::ExprKind::Range(low, high) = u.exprs[range].kind else { return Ok(None) };
        self.span_of_elements(u, base, (low, high), u.exprs[pointer].span).map(Some)
    }

    /// The address of the first element, and the number of bytes up to the last.
    fn span_of_elements(
        &mut self,
        u: &ast::Unit,
        base: ast::ExprId,
        (low, high): (ast::ExprId, ast::ExprId),
        span: Span,
    ) -> Result<(ExprId, ExprId)> {
        let base = self.rvalue(u, base)?;
        let base = self.pointer_operand(base)?;
        let size = self.size_behind(base)?;
        let (low, high) = (self.rvalue(u, low)?, self.rvalue(u, high)?);
        let (low, high) = (self.integer_operand(low)?, self.integer_operand(high)?);
        let first = self.pointer_add(base, low, false, span)?;
        let wide = self.types().int(IntKind::Int128);
        let arith = |c: &mut Self, op, a, b| {
            let (a, b) = (c.convert(a, wide), c.convert(b, wide));
            c.make(ExprKind::Binary(TypedOp::Arith(op), a, b), wide, span)
        };
        let one = self.make_size(1, span);
        let distance = arith(self, ArithOp::Sub, high, low);
        let count = arith(self, ArithOp::Add, distance, one);
        let bytes = arith(self, ArithOp::Mul, count, size);
        Ok((first, bytes))
    }

    fn separated(
        &mut self,
        u: &ast::Unit,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Result<ExprId> {
        let mut parts = Vec::new();
        for &argument in arguments {
            parts.push(self.pointed_to(u, argument)?);
        }
        let (int, bool_type) = (self.int_type(), self.types().bool());
        let mut all: Option<ExprId> = None;
        for (i, &(p, n)) in parts.iter().enumerate() {
            for &(q, m) in &parts[i + 1..] {
                let both = self.memory_question(MemoryQuestion::Separated, vec![p, n, q, m], span);
                all = Some(match all {
                    None => both,
                    Some(all) => {
                        let kind = ExprKind::Logical { and: true, left: all, right: both };
                        let and = self.make(kind, int, span);
                        self.convert(and, bool_type)
                    }
                });
            }
        }
        match all {
            Some(all) => Ok(all),
            None => self.error(span, "what is separated from what?"),
        }
    }

    /// The type of a quantified variable.
    pub(super) fn quantified_type(
        &mut self,
        u: &ast::Unit,
        quantified: &ast::Quantified,
    ) -> Result<TypeId> {
        let Some(ty) = quantified.ty else { return Ok(self.types().int(IntKind::Int128)) };
        let ty = self.type_name(u, ty)?.ty;
        if !self.program.types.is_integer(ty) {
            return self.error(quantified.name.1, "a quantified variable is an integer");
        }
        Ok(ty)
    }
}
