//! Expressions to terms, with instructions for what terms can't say.
//!
//! The term of an expression of integer type may be of sort Bool: comparisons stay formulas as
//! long as they are only tested. [`Lowerer::exact`] gives it the sort of the type.

use super::Lowerer;
use super::effect::Effect;
use super::place::Spot;
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::{BinaryOp, ElementSize, ExprId, ExprKind, PlaceId};
use crate::types::TypeId;
use program::Property;
use program::program::{Cause, LocationId, VariableId};
use term::{Sort, Term};
use value::Bits;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// None.
    Void,
    /// A scalar.
    Scalar(Term),
    /// A struct that is kept in registers, by its leaves.
    Leaves(Vec<Term>),
    /// A struct or union at an address, to be used before anything changes there.
    Memory(Term),
}

impl Lowerer<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, expr: ExprId) -> Result<Value> {
        match self.decided(expr)? {
            Some(term) => Ok(Value::Scalar(term)),
            None => self.value_itself(expr),
        }
    }

    /// Whether the value of a scalar expression is not zero, though it is a decision.
    pub(super) fn truth_itself(&mut self, expr: ExprId) -> Result<Term> {
        let value = self.value_itself(expr)?;
        let term = self.scalar_of(value)?;
        Ok(self.truth(term))
    }

    /// The value of an expression. Follows left operands in a loop, for they may nest deeply.
    fn value_itself(&mut self, expr: ExprId) -> Result<Value> {
        let mut spine = Vec::new();
        let mut bottom = expr;
        while let Some(left) = self.c.left_operand(bottom) {
            spine.push(bottom);
            bottom = left;
            if self.ends_spine(bottom) {
                break;
            }
        }
        let decided = if bottom == expr { None } else { self.decided(bottom)? };
        let mut value = match decided {
            Some(term) => Value::Scalar(term),
            None => self.leaf_value(bottom)?,
        };
        while let Some(step) = spine.pop() {
            value = self.step(step, value)?;
        }
        Ok(value)
    }

    /// The value of a scalar expression; of sort Bool if it is a truth value.
    pub(super) fn scalar(&mut self, expr: ExprId) -> Result<Term> {
        match self.value(expr)? {
            Value::Scalar(term) => Ok(term),
            _ => Err(Diagnostic::error(self.c.exprs[expr].span, "value is not a scalar")),
        }
    }

    /// The value of a scalar expression, of the sort of its type.
    pub(super) fn exact_scalar(&mut self, expr: ExprId) -> Result<Term> {
        let term = self.scalar(expr)?;
        Ok(self.exact(term, self.c.exprs[expr].ty))
    }

    /// Whether the value of a scalar expression is not zero.
    pub(super) fn condition(&mut self, expr: ExprId) -> Result<Term> {
        let term = self.scalar(expr)?;
        Ok(self.truth(term))
    }

    /// Evaluates an expression for its effects.
    pub(super) fn discard(&mut self, expr: ExprId) -> Result<()> {
        if let ExprKind::Convert(crate::typed::Conversion::ToVoid, operand) =
            self.c.exprs[expr].kind
        {
            self.mark_unused(operand);
            self.frame.old_value_is_unused = matches!(
                self.c.exprs[operand].kind,
                ExprKind::CompoundAssign { .. } | ExprKind::PointerAssign { .. }
            );
        }
        self.value(expr).map(|_| ())
    }

    fn scalar_of(&self, value: Value) -> Result<Term> {
        match value {
            Value::Scalar(term) => Ok(term),
            _ => Err(Diagnostic::error(self.span, "operand is not a scalar")),
        }
    }

    /// The term, safe from what evaluating `later` changes.
    pub(super) fn safe_from(&mut self, term: Term, later: ExprId) -> Term {
        if self.effect(later) == Effect::Changes { self.keep(term) } else { term }
    }

    /// A step of a left spine, whose left operand has a value.
    fn step(&mut self, expr: ExprId, left: Value) -> Result<Value> {
        let c = self.c;
        let (ty, span) = (c.exprs[expr].ty, c.exprs[expr].span);
        self.span = span;
        match c.exprs[expr].kind {
            ExprKind::Binary(op, left_expr, right) => {
                let a = self.scalar_of(left)?;
                let a = self.safe_from(a, right);
                let b = self.scalar(right)?;
                self.span = span;
                let left_ty = c.exprs[left_expr].ty;
                Ok(Value::Scalar(match op {
                    BinaryOp::Compare(op) => self.compare(op, left_ty, a, b),
                    BinaryOp::Arith(op) => self.arith(op, ty, a, b, c.exprs[right].ty),
                }))
            }
            ExprKind::Logical { and, right, .. } => {
                let a = self.scalar_of(left)?;
                let a = self.truth(a);
                self.logical(and, a, right).map(Value::Scalar)
            }
            ExprKind::PointerAdd { index, subtract, size, .. } => {
                let pointer = self.scalar_of(left)?;
                let pointer = self.safe_from(pointer, index);
                let distance = self.distance(index, size)?;
                Ok(Value::Scalar(if subtract {
                    self.pool.bv_sub(pointer, distance)
                } else {
                    self.pool.bv_add(pointer, distance)
                }))
            }
            ExprKind::PointerDiff { right, size, .. } => {
                let a = self.scalar_of(left)?;
                let a = self.safe_from(a, right);
                let b = self.scalar(right)?;
                let difference = self.pool.bv_sub(a, b);
                let width = self.pool.width(difference);
                let quotient = match size {
                    ElementSize::Fixed(size) if size.is_power_of_two() => {
                        let shift = self.pool.bv(u64::from(size.trailing_zeros()), width);
                        self.pool.bv_ashr(difference, shift)
                    }
                    ElementSize::Fixed(size) => {
                        self.pool.bv_sdiv(difference, self.pool.bv(size.max(1), width))
                    }
                    ElementSize::Variable(size) => {
                        let size = self.exact_scalar(size)?;
                        self.pool.bv_sdiv(difference, size)
                    }
                };
                Ok(Value::Scalar(quotient))
            }
            ExprKind::Convert(how, operand) => self.convert_value(how, left, operand, expr),
            _ => Err(Diagnostic::error(span, "expression without a left operand")),
        }
    }

    /// So many elements in bytes.
    fn distance(&mut self, index: ExprId, size: ElementSize) -> Result<Term> {
        let index = self.index_value(index)?;
        let size = match size {
            ElementSize::Fixed(size) => self.pointer_bits(size),
            ElementSize::Variable(size) => self.exact_scalar(size)?,
        };
        Ok(self.pool.bv_mul(index, size))
    }

    /// `a && right` or `a || right`.
    fn logical(&mut self, and: bool, a: Term, right: ExprId) -> Result<Term> {
        if self.pool.as_bool(a) == Some(!and) {
            return Ok(a);
        }
        if self.pool.as_bool(a).is_some() {
            return self.condition(right);
        }
        if self.effect(right) == Effect::None {
            let b = self.condition(right)?;
            return Ok(if and { self.pool.and([a, b]) } else { self.pool.or([a, b]) });
        }
        let result = self.temporary(Sort::Bool);
        let (more, end) = (self.new_location(), self.new_location());
        let decided = self.new_location();
        if and {
            self.split(a, more, decided)
        } else {
            self.split(a, decided, more)
        }
        self.continue_at(decided);
        self.assign(result, self.pool.bool(!and));
        self.jump(end);
        self.continue_at(more);
        self.full_expression(|l| {
            let b = l.condition(right)?;
            l.assign(result, b);
            Ok(())
        })?;
        self.jump(end);
        self.continue_at(end);
        Ok(self.term_of(result))
    }

    /// Goes to one of two locations, as the condition is true or false.
    pub(super) fn branch(
        &mut self,
        condition: ExprId,
        mut then: LocationId,
        mut otherwise: LocationId,
    ) -> Result<()> {
        if self.branch_on_decision(condition, then, otherwise)? {
            return Ok(());
        }
        // The left operands first; the right ones wait with their targets.
        let mut waiting = Vec::new();
        let mut expr = condition;
        loop {
            if self.effect(expr) == Effect::None {
                break;
            }
            match self.c.exprs[expr].kind {
                ExprKind::Logical { and, left, right } => {
                    let more = self.new_location();
                    waiting.push((more, right, then, otherwise));
                    if and {
                        then = more
                    } else {
                        otherwise = more
                    }
                    expr = left;
                }
                ExprKind::Not(operand) => {
                    std::mem::swap(&mut then, &mut otherwise);
                    expr = operand;
                }
                ExprKind::Convert(
                    crate::typed::Conversion::ToBool | crate::typed::Conversion::IntToInt,
                    operand,
                ) if matches!(
                    self.c.exprs[operand].kind,
                    ExprKind::Logical { .. } | ExprKind::Not(_) | ExprKind::Convert(..)
                ) && self.is_truth(operand) =>
                {
                    expr = operand;
                }
                _ => break,
            }
        }
        let term = self.full_expression(|l| l.condition(expr))?;
        self.span = self.c.exprs[expr].span;
        self.split(term, then, otherwise);
        while let Some((at, right, then, otherwise)) = waiting.pop() {
            self.continue_at(at);
            self.branch(right, then, otherwise)?;
        }
        Ok(())
    }

    /// Whether an expression, looked through conversions, is a logical operation: then converting
    /// it does not change whether it is zero.
    fn is_truth(&self, mut expr: ExprId) -> bool {
        loop {
            match self.c.exprs[expr].kind {
                ExprKind::Logical { .. } | ExprKind::Not(_) => return true,
                ExprKind::Convert(
                    crate::typed::Conversion::ToBool | crate::typed::Conversion::IntToInt,
                    operand,
                ) => expr = operand,
                _ => return false,
            }
        }
    }

    /// The value of an expression that is no step of a left spine.
    fn leaf_value(&mut self, expr: ExprId) -> Result<Value> {
        let c = self.c;
        let (ty, span) = (c.exprs[expr].ty, c.exprs[expr].span);
        self.span = span;
        match &c.exprs[expr].kind {
            ExprKind::Int(bits) => self.integer_constant(*bits, ty).map(Value::Scalar),
            ExprKind::Float(value) => {
                Ok(Value::Scalar(self.float_constant(value.kind, value.bits)))
            }
            ExprKind::Load(place) => {
                let spot = self.spot(*place, true)?;
                self.span = span;
                self.read(*place, &spot, ty)
            }
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                self.address_of(*place).map(Value::Scalar)
            }
            ExprKind::FunctionAddress(function) => {
                Ok(Value::Scalar(self.function_address(*function)))
            }
            ExprKind::Neg(operand) => {
                let term = self.exact_scalar(*operand)?;
                self.span = span;
                Ok(Value::Scalar(self.negate(term, ty)))
            }
            ExprKind::BitNot(operand) => {
                let term = self.exact_scalar(*operand)?;
                Ok(Value::Scalar(self.pool.bv_not(term)))
            }
            ExprKind::Not(operand) => {
                let term = self.condition(*operand)?;
                Ok(Value::Scalar(self.pool.not(term)))
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.condition(*condition)?;
                self.span = span;
                self.conditional(condition, *then, *otherwise, ty)
            }
            ExprKind::Elvis { value, condition, then, otherwise } => {
                self.share(*value, *otherwise)?;
                let condition = self.condition(*condition)?;
                self.conditional(condition, *then, *otherwise, ty)
            }
            ExprKind::Shared(value) => match self.frame.shared.get(value) {
                Some(value) => Ok(value.clone()),
                None => Err(Diagnostic::error(span, "shared value is used before its time")),
            },
            ExprKind::Comma(parts) => self.comma(parts),
            ExprKind::Assign(place, value) => self.assignment(*place, *value, ty, span),
            ExprKind::CompoundAssign { .. } => self.compound_assignment(expr),
            ExprKind::PointerAssign { .. } => self.pointer_assignment(expr),
            ExprKind::Call(callee, arguments) => {
                let used = !self.frame.unused.contains(&expr);
                self.reach_call(expr);
                self.call(*callee, arguments, (ty, used), span)
            }
            ExprKind::Builtin(builtin, arguments) => self.builtin(*builtin, arguments, ty, span),
            ExprKind::VaArg(list) => self.variable_argument(*list, ty),
            ExprKind::StmtExpr(statement, value) => self.statement_expression(*statement, *value),
            ExprKind::VlaLength(vla) => {
                let register = self.length_register(*vla);
                Ok(Value::Scalar(self.term_of(register)))
            }
            ExprKind::WithLengths(lengths, value) => {
                self.evaluate_lengths(lengths)?;
                self.value(*value)
            }
            ExprKind::Quantified(quantified) => self.quantified_value(quantified, span),
            ExprKind::Binary(..)
            | ExprKind::Logical { .. }
            | ExprKind::PointerAdd { .. }
            | ExprKind::PointerDiff { .. }
            | ExprKind::Convert(..) => Err(Diagnostic::error(span, "operand of a left spine")),
        }
    }

    fn integer_constant(&self, bits: u128, ty: TypeId) -> Result<Term> {
        match self.register_sort(ty) {
            Some(Sort::Bool) => Ok(self.pool.bool(bits != 0)),
            Some(Sort::BitVec(width)) => Ok(self.pool.bits(Bits::from_u128(width, bits))),
            _ => Err(Diagnostic::error(self.span, "integer of another type")),
        }
    }

    /// Evaluates the first operand of `value ?: otherwise`, for all who refer to it by
    /// [`ExprKind::Shared`].
    fn share(&mut self, value: ExprId, otherwise: ExprId) -> Result<()> {
        let shared = match self.value(value)? {
            Value::Scalar(term) => {
                let pure = self.effect(otherwise) == Effect::None;
                Value::Scalar(if pure { term } else { self.keep(term) })
            }
            other => other,
        };
        self.frame.shared.insert(value, shared);
        Ok(())
    }

    /// `first, ..., last`
    fn comma(&mut self, parts: &[ExprId]) -> Result<Value> {
        let Some((last, first)) = parts.split_last() else { return Ok(Value::Void) };
        for &part in first {
            self.discard(part)?;
        }
        self.value(*last)
    }

    /// Lengths of variable arrays are computed and kept.
    pub(super) fn evaluate_lengths(&mut self, lengths: &[crate::typed::VlaId]) -> Result<()> {
        for &vla in lengths {
            let length = self.index_value(self.c.vlas[vla].length)?;
            if self.asks(Property::Bounds) {
                // No array has half of all addresses: the number is negative, also if it was converted.
                let some = self.pool.bv_slt(self.pointer_bits(0), length);
                self.check(Property::Bounds, some);
            }
            let register = self.length_register(vla);
            self.assign(register, length);
        }
        Ok(())
    }

    fn address_of(&mut self, place: PlaceId) -> Result<Term> {
        match self.spot(place, false)? {
            Spot::Memory(access) => Ok(access.address),
            Spot::Registers(_) => {
                let span = self.c.places[place].span;
                Err(Diagnostic::error(span, "address of a register is taken"))
            }
            // The address of a temporary value: it gets an object of its own.
            Spot::Leaves(leaves) => {
                let ty = self.c.places[place].ty.ty;
                let size = self.size_term(ty)?;
                let address = self.temporary_object(ty, size);
                match leaves[..] {
                    [term] if !self.is_record(ty) => {
                        self.store_scalar(super::memory::Access::sure(address), ty, term);
                    }
                    _ => self.store_leaves(address, ty, &leaves),
                }
                Ok(address)
            }
        }
    }

    /// `condition ? then : otherwise`
    fn conditional(
        &mut self,
        condition: Term,
        then: ExprId,
        otherwise: ExprId,
        ty: TypeId,
    ) -> Result<Value> {
        if let Some(value) = self.pool.as_bool(condition) {
            let value = self.value(if value { then } else { otherwise })?;
            return Ok(value);
        }
        let pure = self.effect(then) == Effect::None && self.effect(otherwise) == Effect::None;
        if pure && self.register_sort(ty).is_some() {
            let (a, b) = (self.scalar(then)?, self.scalar(otherwise)?);
            let both_truths = self.pool.sort(a) == Sort::Bool && self.pool.sort(b) == Sort::Bool;
            let (a, b) = if both_truths { (a, b) } else { (self.exact(a, ty), self.exact(b, ty)) };
            return Ok(Value::Scalar(self.pool.ite(condition, a, b)));
        }
        let result = self.result_registers(ty);
        let (yes, no, end) = (self.new_location(), self.new_location(), self.new_location());
        self.split(condition, yes, no);
        for (at, branch) in [(yes, then), (no, otherwise)] {
            self.continue_at(at);
            self.full_expression(|l| {
                let value = l.value(branch)?;
                if l.is_returned_in_memory(ty) {
                    // The value may be in one of the objects: they live until the function
                    // returns.
                    l.frame.temporary_objects.clear();
                }
                l.set_result(&result, value, ty);
                Ok(())
            })?;
            self.jump(end);
        }
        self.continue_at(end);
        Ok(self.result_value(&result, ty))
    }

    /// Registers for a value that several paths compute: a scalar, leaves, or an address.
    pub(super) fn result_registers(&mut self, ty: TypeId) -> Vec<VariableId> {
        if let Some(sort) = self.register_sort(ty) {
            return vec![self.temporary(sort)];
        }
        match self.leaves(ty) {
            Some(leaves) => leaves
                .iter()
                .map(|leaf| {
                    let sort = self.register_sort(leaf.ty).expect("a leaf is a scalar");
                    self.temporary(sort)
                })
                .collect(),
            None if self.is_record(ty) => {
                vec![self.temporary(Sort::BitVec(self.pointer_width()))]
            }
            None => Vec::new(),
        }
    }

    pub(super) fn set_result(&mut self, result: &[VariableId], value: Value, ty: TypeId) {
        match value {
            Value::Memory(address) if self.leaves(ty).is_none() => {
                if let [register] = result {
                    self.assign(*register, address);
                }
            }
            value => {
                let terms = self.value_leaves(value, ty);
                self.assign_all(result, &terms);
            }
        }
    }

    pub(super) fn result_value(&mut self, result: &[VariableId], ty: TypeId) -> Value {
        let terms: Vec<Term> = result.iter().map(|r| self.term_of(*r)).collect();
        if self.register_sort(ty).is_some() {
            return Value::Scalar(terms[0]);
        }
        match self.leaves(ty) {
            Some(_) => Value::Leaves(terms),
            None => terms.first().map_or(Value::Void, |t| Value::Memory(*t)),
        }
    }

    fn assignment(
        &mut self,
        place: PlaceId,
        value: ExprId,
        ty: TypeId,
        span: crate::source::Span,
    ) -> Result<Value> {
        let mut spot = self.spot(place, true)?;
        if self.effect(value) == Effect::Changes
            && let Spot::Memory(access) = &mut spot
        {
            access.address = self.keep(access.address);
            access.pointer = access.pointer.map(|p| self.keep(p));
        }
        let value = self.value(value)?;
        self.span = span;
        self.write(place, &spot, ty, value.clone())?;
        Ok(match (&spot, value) {
            (Spot::Registers(registers), _) => self.register_value(registers, ty),
            (Spot::Memory(access), Value::Memory(_)) => Value::Memory(access.address),
            (_, value) => value,
        })
    }

    fn compound_assignment(&mut self, expr: ExprId) -> Result<Value> {
        let c = self.c;
        let (ty, span) = (c.exprs[expr].ty, c.exprs[expr].span);
        let ExprKind::CompoundAssign {
            place,
            op,
            computation,
            to_computation,
            from_computation,
            value,
            old_value,
        } = c.exprs[expr].kind
        else {
            return Err(Diagnostic::error(span, "no compound assignment"));
        };
        let unused = std::mem::take(&mut self.frame.old_value_is_unused);
        let right = self.scalar(value)?;
        let right = match self.place_effect(place) {
            Effect::Changes => self.keep(right),
            _ => right,
        };
        let spot = self.spot(place, true)?;
        self.span = span;
        let loaded = self.read(place, &spot, ty)?;
        let old = self.scalar_of(loaded)?;
        let left = self.convert(to_computation, old, ty, computation);
        let result = self.arith(op, computation, left, right, c.exprs[value].ty);
        let new = self.convert(from_computation, result, computation, ty);
        self.update((place, &spot), ty, old, new, old_value && !unused)
    }

    fn pointer_assignment(&mut self, expr: ExprId) -> Result<Value> {
        let c = self.c;
        let (ty, span) = (c.exprs[expr].ty, c.exprs[expr].span);
        let ExprKind::PointerAssign { place, index, subtract, size, old_value } =
            c.exprs[expr].kind
        else {
            return Err(Diagnostic::error(span, "no assignment to a pointer"));
        };
        let unused = std::mem::take(&mut self.frame.old_value_is_unused);
        let distance = self.distance(index, size)?;
        let distance = match self.place_effect(place) {
            Effect::Changes => self.keep(distance),
            _ => distance,
        };
        let spot = self.spot(place, true)?;
        self.span = span;
        let loaded = self.read(place, &spot, ty)?;
        let old = self.scalar_of(loaded)?;
        let new = if subtract {
            self.pool.bv_sub(old, distance)
        } else {
            self.pool.bv_add(old, distance)
        };
        self.update((place, &spot), ty, old, new, old_value && !unused)
    }

    /// Stores the new value; the result is the new or the old one.
    fn update(
        &mut self,
        (place, spot): (PlaceId, &Spot),
        ty: TypeId,
        old: Term,
        new: Term,
        old_value: bool,
    ) -> Result<Value> {
        let kept = match spot {
            Spot::Registers(_) if old_value => self.keep(old),
            _ => old,
        };
        self.write(place, spot, ty, Value::Scalar(new))?;
        Ok(match spot {
            _ if old_value => Value::Scalar(kept),
            Spot::Registers(registers) => self.register_value(registers, ty),
            _ => Value::Scalar(new),
        })
    }

    /// A struct with these scalars as its members.
    pub(super) fn struct_of(&mut self, ty: TypeId, members: &[Term]) -> Result<Value> {
        if self.leaves(ty).is_some() {
            return Ok(Value::Leaves(members.to_vec()));
        }
        let length = self.size_term(ty)?;
        let object = self.temporary_object(ty, length);
        for ((offset, ty), &value) in self.members(ty).into_iter().zip(members) {
            let access = super::memory::Access::sure(self.moved(object, offset));
            self.store_scalar(access, ty, value);
        }
        Ok(Value::Memory(object))
    }

    /// An unknown value of a type.
    pub(super) fn unknown_value(&mut self, ty: TypeId, cause: Cause) -> Result<Value> {
        if let Some(sort) = self.register_sort(ty) {
            let variable = self.temporary(sort);
            self.variables[variable].reading = self.reading(ty);
            self.havoc(variable, cause);
            return Ok(Value::Scalar(self.term_of(variable)));
        }
        if let Some(leaves) = self.leaves(ty) {
            let sorts: Vec<Sort> =
                leaves.iter().filter_map(|leaf| self.register_sort(leaf.ty)).collect();
            let terms = sorts.into_iter().map(|s| self.unknown(s, cause.clone())).collect();
            return Ok(Value::Leaves(terms));
        }
        if !self.is_record(ty) {
            return Ok(Value::Void);
        }
        let length = self.size_term(ty)?;
        let address = self.temporary_object(ty, length);
        let instruction = program::program::Instruction::HavocBytes { address, length, cause };
        self.emit(instruction);
        Ok(Value::Memory(address))
    }
}
