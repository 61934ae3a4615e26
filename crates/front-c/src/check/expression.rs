//! Expressions of the syntax tree to operands [C11 §6.5].

use super::Checker;
use super::place::Operand;
use super::scope::Entity;
use crate::ast::{self, Designator, ExprKind as Syntax, UnaryOp};
use crate::constant::FloatValue;
use crate::diagnostic::Result;
use crate::lexer::Encoding;
use crate::literal::{FloatSuffix, IntLiteral, IntSuffix, StringLiteral};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{
    ArithOp, BinaryOp, Conversion, ExprId, ExprKind, Init, InitEntry, InitValue, Linkage, Object,
    PlaceKind, Storage, StringId, StringObject,
};
use crate::types::{DataModel, FloatKind, IntKind, QualType, Type, TypeId};
use smallvec::SmallVec;

impl Checker {
    /// Checks an expression of the syntax tree.
    pub(super) fn operand(&mut self, u: &ast::Unit, expr: ast::ExprId) -> Result<Operand> {
        let node = &u.exprs[expr];
        let span = node.span;
        let value = match &node.kind {
            Syntax::Ident(name) => return self.identifier(*name, span),
            Syntax::Int(literal) => self.integer(literal, span),
            Syntax::Float(digits, suffix) => self.floating(digits, *suffix, span)?,
            Syntax::Char(value, encoding) => {
                let ty = self.type_of_character(*encoding);
                self.make_int(i128::from(*value), ty, span)
            }
            Syntax::Str(literal) => return Ok(self.string_place(literal, span)),
            Syntax::Unary(op, operand) => return self.unary(u, *op, *operand, span),
            Syntax::Binary(..) => self.binary_spine(u, expr)?,
            Syntax::Assign(op, target, value) => match op {
                None => self.assign(u, *target, *value, span)?,
                Some(op) => self.compound_assign(u, *op, *target, *value, span)?,
            },
            Syntax::Conditional(condition, then, otherwise) => {
                self.conditional(u, *condition, *then, *otherwise, span)?
            }
            Syntax::Comma(parts) => self.comma(u, parts, span)?,
            Syntax::Cast(ty, operand) => self.cast(u, *ty, *operand, span)?,
            Syntax::CompoundLiteral(ty, init) => return self.compound(u, *ty, *init, span),
            Syntax::SizeofExpr(operand) => self.sizeof_expr(u, *operand, span)?,
            Syntax::SizeofType(ty) => self.sizeof_type(u, *ty, span)?,
            Syntax::AlignofExpr(operand) => {
                let ty = self.typeof_expr(u, *operand)?;
                self.make_size(self.program.types.align_of(ty), span)
            }
            Syntax::AlignofType(ty) => {
                let ty = self.type_name(u, *ty)?;
                self.make_size(self.program.types.member_align_of(ty), span)
            }
            Syntax::GnuAlignofType(ty) => {
                let ty = self.type_name(u, *ty)?;
                self.make_size(self.program.types.align_of(ty), span)
            }
            Syntax::Call(callee, arguments) => {
                let value = self.call(u, *callee, arguments, span)?;
                self.claims_on_call(u, expr, value)?
            }
            Syntax::Member(base, name, arrow) => {
                return self.member(u, *base, *name, *arrow, span);
            }
            Syntax::Index(base, index) => return self.index(u, *base, *index, span),
            Syntax::Generic(control, associations) => {
                return self.generic(u, *control, associations, span);
            }
            Syntax::StmtExpr(block) => self.statement_expr(u, *block, span)?,
            Syntax::LabelAddress(name) => {
                let message = format!(
                    "address of label '{}' (computed goto) is not supported",
                    self.name(*name)
                );
                return self.error(span, message);
            }
            Syntax::Offsetof(ty, path) => self.offsetof(u, *ty, path, span)?,
            Syntax::VaArg(list, ty) => self.va_arg(u, *list, *ty, span)?,
            Syntax::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name(u, *a)?, self.type_name(u, *b)?);
                let same = self.compatible(a.ty, b.ty);
                let int = self.int_type();
                self.make_int(i128::from(same), int, span)
            }
            Syntax::ChooseExpr(condition, then, otherwise) => {
                let what = "first argument of '__builtin_choose_expr'";
                let chosen = self.constant_value(u, *condition, what)? != 0;
                return self.operand(u, if chosen { *then } else { *otherwise });
            }
            Syntax::Implies(left, right) => self.implies(u, *left, *right, span)?,
            Syntax::Equivalent(left, right) => self.equivalent(u, *left, *right, span)?,
            Syntax::Quantified(quantified) => self.quantified(u, quantified, span)?,
            Syntax::Range(..) => return self.error(span, "a range has no value of its own"),
        };
        Ok(Operand::Value(value))
    }

    /// The type of a character constant [C11 §6.4.4.4].
    fn type_of_character(&mut self, encoding: Encoding) -> TypeId {
        match encoding {
            Encoding::Narrow => self.int_type(),
            other => self.character_type(other),
        }
    }

    fn identifier(&mut self, name: Symbol, span: Span) -> Result<Operand> {
        match self.scopes.lookup(name).map(|b| b.entity) {
            Some(Entity::Object(object)) => {
                let ty = self.program.objects[object].ty;
                Ok(Operand::Place(self.make_place(PlaceKind::Object(object), ty, span)))
            }
            Some(Entity::Function(function)) => Ok(Operand::Function(function)),
            Some(Entity::Constant(value, ty)) => Ok(Operand::Value(self.make_int(value, ty, span))),
            Some(Entity::Typedef(_)) => {
                let message = format!("type '{}' where a value is needed", self.name(name));
                self.error(span, message)
            }
            None => self.unknown_identifier(name, span),
        }
    }

    fn unknown_identifier(&mut self, name: Symbol, span: Span) -> Result<Operand> {
        let text = self.name(name).to_owned();
        if matches!(text.as_str(), "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
            && self.current.is_some()
        {
            return Ok(self.function_name(span));
        }
        if let Some(operand) = self.name_in_contract(&text, span)? {
            return Ok(operand);
        }
        if let Some(function) = self.library_builtin(&text, span) {
            return Ok(Operand::Function(function));
        }
        self.error(span, format!("'{text}' is not declared"))
    }

    /// `__func__`: a static array with the function's name.
    fn function_name(&mut self, span: Span) -> Operand {
        let known = self.current.as_ref().and_then(|c| c.function_name);
        let object = known.unwrap_or_else(|| {
            let name = self.function_id().map(|f| self.program.functions[f].name);
            let text = name.map_or(String::new(), |n| self.name(n).to_owned());
            let units = text.bytes().map(u32::from).collect();
            let literal = StringLiteral { encoding: Encoding::Narrow, units };
            let string = self.intern_string(&literal);
            let char_type = self.types().int(IntKind::Char);
            let element = QualType::plain(char_type).with(ast::Quals::CONST);
            let array = self.types().array(element, text.len() as u64 + 1);
            let entry = InitEntry {
                offset: 0,
                bits: None,
                path: SmallVec::new(),
                ty: QualType::plain(array),
                value: InitValue::String(string),
            };
            let extent = text.len() as u64 + 1;
            let init = self.program.inits.alloc(Init { entries: vec![entry], extent });
            let object = self.program.objects.alloc(Object {
                name: Some(self.program.symbols.intern("__func__")),
                span,
                ty: QualType::plain(array),
                align: None,
                storage: Storage::Static,
                linkage: Linkage::None,
                thread_local: false,
                defined: true,
                init: Some(init),
                function: self.function_id(),
            });
            if let Some(context) = &mut self.current {
                context.function_name = Some(object);
            }
            object
        });
        let ty = self.program.objects[object].ty;
        Operand::Place(self.make_place(PlaceKind::Object(object), ty, span))
    }

    /// The type of an integer constant: the first of its list that holds the value
    /// [C11 §6.4.4.1].
    fn integer(&mut self, literal: &IntLiteral, span: Span) -> ExprId {
        use IntKind as K;
        let ladder = [K::Int, K::UInt, K::Long, K::ULong, K::LongLong, K::ULongLong];
        let from = match literal.suffix {
            IntSuffix::Int => 0,
            IntSuffix::Long => 2,
            IntSuffix::LongLong => 4,
        };
        let kind = ladder[from..].iter().copied().find(|&kind| {
            let shape = self.program.types.int_shape(kind);
            let allowed =
                if shape.signed { !literal.unsigned } else { literal.unsigned || !literal.decimal };
            let bits = if shape.signed { shape.width - 1 } else { shape.width };
            allowed && literal.value < 1 << bits
        });
        // gcc takes a decimal constant beyond long long for an __int128 where there is one.
        let kind = kind.unwrap_or(match self.program.types.model {
            DataModel::Lp64 => K::Int128,
            DataModel::Ilp32 => K::ULongLong,
        });
        let ty = self.types().int(kind);
        self.make(ExprKind::Int(literal.value), ty, span)
    }

    fn floating(&mut self, digits: &str, suffix: FloatSuffix, span: Span) -> Result<ExprId> {
        let kind = match suffix {
            FloatSuffix::Float => FloatKind::Float,
            FloatSuffix::Double => FloatKind::Double,
            FloatSuffix::LongDouble => FloatKind::LongDouble,
            FloatSuffix::Quad => FloatKind::Quad,
        };
        match FloatValue::parse(digits, kind) {
            Ok(value) => {
                let ty = self.types().float(kind);
                Ok(self.make(ExprKind::Float(value), ty, span))
            }
            Err(message) => self.error(span, message),
        }
    }

    /// The element type of strings of an encoding.
    pub(super) fn character_type(&mut self, encoding: Encoding) -> TypeId {
        let kind = match (encoding, self.program.types.model) {
            (Encoding::Narrow, _) => IntKind::Char,
            (Encoding::Wide, DataModel::Lp64) => IntKind::Int,
            (Encoding::Wide, DataModel::Ilp32) => IntKind::Long,
            (Encoding::Utf16, _) => IntKind::UShort,
            (Encoding::Utf32, _) => IntKind::UInt,
        };
        self.types().int(kind)
    }

    pub(super) fn intern_string(&mut self, literal: &StringLiteral) -> StringId {
        if let Some(&id) = self.strings.get(literal) {
            return id;
        }
        let element = self.character_type(literal.encoding);
        let length = literal.units.len() as u64 + 1;
        let ty = self.types().array(QualType::plain(element), length);
        let id = self.program.strings.alloc(StringObject { literal: literal.clone(), ty });
        self.strings.insert(literal.clone(), id);
        id
    }

    fn string_place(&mut self, literal: &StringLiteral, span: Span) -> Operand {
        let id = self.intern_string(literal);
        let ty = QualType::plain(self.program.strings[id].ty);
        Operand::Place(self.make_place(PlaceKind::String(id), ty, span))
    }

    fn unary(
        &mut self,
        u: &ast::Unit,
        op: UnaryOp,
        operand: ast::ExprId,
        span: Span,
    ) -> Result<Operand> {
        let value = match op {
            UnaryOp::AddressOf => self.address_of(u, operand, span)?,
            UnaryOp::Deref => {
                let pointer = self.rvalue(u, operand)?;
                return self.deref(pointer, span);
            }
            UnaryOp::PreIncrement => self.step(u, operand, false, false, span)?,
            UnaryOp::PreDecrement => self.step(u, operand, true, false, span)?,
            UnaryOp::PostIncrement => self.step(u, operand, false, true, span)?,
            UnaryOp::PostDecrement => self.step(u, operand, true, true, span)?,
            UnaryOp::Not => {
                let value = self.rvalue(u, operand)?;
                let condition = self.condition(value)?;
                let int = self.int_type();
                self.make(ExprKind::Not(condition), int, span)
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => {
                let value = self.rvalue(u, operand)?;
                self.arithmetic_unary(op, value, span)?
            }
        };
        Ok(Operand::Value(value))
    }

    fn arithmetic_unary(&mut self, op: UnaryOp, value: ExprId, span: Span) -> Result<ExprId> {
        let ty = self.type_of(value);
        let types = &self.program.types;
        let fits =
            if op == UnaryOp::BitNot { types.is_integer(ty) } else { types.is_arithmetic(ty) };
        if !fits {
            let message = format!("operator cannot be applied to '{}'", self.show(ty));
            return self.error(span, message);
        }
        let value = self.promote(value);
        let ty = self.type_of(value);
        let kind = match op {
            UnaryOp::Minus => ExprKind::Neg(value),
            UnaryOp::BitNot => ExprKind::BitNot(value),
            _ => return Ok(value),
        };
        Ok(self.make(kind, ty, span))
    }

    fn address_of(&mut self, u: &ast::Unit, operand: ast::ExprId, span: Span) -> Result<ExprId> {
        match self.operand(u, operand)? {
            Operand::Place(place) if self.is_bit_field(place) => {
                self.error(span, "address of a bit-field")
            }
            Operand::Place(place) => Ok(self.address(place, span)),
            Operand::Value(_) => self.error(span, "address of something that is not an lvalue"),
            function => self.value_of(function, span),
        }
    }

    fn comma(&mut self, u: &ast::Unit, parts: &[ast::ExprId], span: Span) -> Result<ExprId> {
        let mut values = Vec::with_capacity(parts.len());
        let (last, first) = parts.split_last().expect("a comma expression has two parts or more");
        for &part in first {
            let value = self.rvalue(u, part)?;
            values.push(self.discard(value));
        }
        let value = self.rvalue(u, *last)?;
        values.push(value);
        let ty = self.type_of(value);
        Ok(self.make(ExprKind::Comma(values), ty, span))
    }

    /// The value converted to void; also of records.
    pub(super) fn discard(&mut self, value: ExprId) -> ExprId {
        let void = self.types().void();
        self.convert(value, void)
    }

    fn cast(
        &mut self,
        u: &ast::Unit,
        ty: ast::TypeNameId,
        operand: ast::ExprId,
        span: Span,
    ) -> Result<ExprId> {
        let outer = std::mem::take(&mut self.pending_lengths);
        let to = self.type_name(u, ty)?.ty;
        let lengths = std::mem::replace(&mut self.pending_lengths, outer);
        let value = self.rvalue(u, operand)?;
        let result = self.cast_value(value, to, span)?;
        if lengths.is_empty() {
            return Ok(result);
        }
        let ty = self.type_of(result);
        Ok(self.make(ExprKind::WithLengths(lengths, result), ty, span))
    }

    fn cast_value(&mut self, value: ExprId, to: TypeId, span: Span) -> Result<ExprId> {
        let from = self.type_of(value);
        let types = &self.program.types;
        if types.is_void(to) {
            return Ok(self.discard(value));
        }
        let pointer = |ty| types.pointee(ty).is_some();
        let mixes_float =
            (types.is_float(from) && pointer(to)) || (pointer(from) && types.is_float(to));
        if types.is_scalar(from) && types.is_scalar(to) && !mixes_float {
            if from == to {
                return Ok(value);
            }
            let how = self.conversion_kind(from, to);
            return Ok(self.make(ExprKind::Convert(how, value), to, span));
        }
        if types.record(to).is_some() && self.compatible(from, to) {
            return Ok(value);
        }
        let member = self.program.types.body(to).and_then(|body| {
            let union = self.program.types.record(to)?;
            let is_union = self.program.types.records[union].is_union;
            body.fields.iter().map(|f| f.ty.ty).find(|&f| is_union && self.compatible(f, from))
        });
        if let Some(member) = member {
            let value = self.convert(value, member);
            return Ok(self.make(ExprKind::Convert(Conversion::ToUnion, value), to, span));
        }
        let message = format!("cast from '{}' to '{}'", self.show(from), self.show(to));
        self.error(span, message)
    }

    /// A compound literal is an object: static at file scope, of the block otherwise.
    fn compound(
        &mut self,
        u: &ast::Unit,
        ty: ast::TypeNameId,
        init: ast::InitId,
        span: Span,
    ) -> Result<Operand> {
        let is_static = self.current.is_none();
        let ty = self.type_name(u, ty)?;
        let (init, ty) = self.initializer(u, ty, init, is_static)?;
        if is_static {
            self.require_constants(init)?;
        }
        let storage = if is_static { Storage::Static } else { Storage::Automatic };
        let object = self.program.objects.alloc(Object {
            name: None,
            span,
            ty,
            align: None,
            storage,
            linkage: Linkage::None,
            thread_local: false,
            defined: true,
            init: is_static.then_some(init),
            function: self.function_id(),
        });
        if let Some(function) = self.function_id() {
            self.program.functions[function].locals.push(object);
        }
        Ok(Operand::Place(self.make_place(PlaceKind::Compound(object, init), ty, span)))
    }

    /// The type of an expression that is not evaluated.
    pub(super) fn typeof_expr(&mut self, u: &ast::Unit, expr: ast::ExprId) -> Result<QualType> {
        let lengths = self.pending_lengths.clone();
        let operand = self.operand(u, expr)?;
        self.pending_lengths = lengths;
        Ok(match operand {
            Operand::Value(value) => QualType::plain(self.type_of(value)),
            Operand::Place(place) => {
                if self.is_bit_field(place) {
                    return self.error(u.exprs[expr].span, "type or size of a bit-field");
                }
                self.program.places[place].ty
            }
            Operand::Function(function) => QualType::plain(self.program.functions[function].ty),
            Operand::Designator(pointer) => {
                let ty = self.type_of(pointer);
                self.program.types.pointee(ty).unwrap_or(QualType::plain(ty))
            }
        })
    }

    fn sizeof_expr(&mut self, u: &ast::Unit, operand: ast::ExprId, span: Span) -> Result<ExprId> {
        let ty = self.typeof_expr(u, operand)?;
        self.sizeof(ty.ty, span)
    }

    fn sizeof_type(&mut self, u: &ast::Unit, ty: ast::TypeNameId, span: Span) -> Result<ExprId> {
        let outer = std::mem::take(&mut self.pending_lengths);
        let ty = self.type_name(u, ty)?.ty;
        let lengths = std::mem::replace(&mut self.pending_lengths, outer);
        let size = self.sizeof(ty, span)?;
        if lengths.is_empty() {
            return Ok(size);
        }
        let size_type = self.types().size_type();
        Ok(self.make(ExprKind::WithLengths(lengths, size), size_type, span))
    }

    fn sizeof(&mut self, ty: TypeId, span: Span) -> Result<ExprId> {
        if matches!(self.program.types.get(ty), Type::Void | Type::Function(_)) {
            return Ok(self.make_size(1, span));
        }
        self.variable_size(ty, span)
    }

    /// `offsetof`; indices need not be constant.
    fn offsetof(
        &mut self,
        u: &ast::Unit,
        ty: ast::TypeNameId,
        path: &[Designator],
        span: Span,
    ) -> Result<ExprId> {
        let size_type = self.types().size_type();
        let mut ty = self.type_name(u, ty)?.ty;
        let mut offset = self.make_int(0, size_type, span);
        let arith = |op| BinaryOp::Arith(op);
        for designator in path {
            let step = match *designator {
                Designator::Field(name, at) => {
                    let Some(fields) = self.find_field(ty, name) else {
                        let message =
                            format!("'{}' has no member '{}'", self.show(ty), self.name(name));
                        return self.error(at, message);
                    };
                    let mut bytes = 0;
                    for index in fields {
                        let Some(body) = self.program.types.body(ty) else { break };
                        let field = &body.fields[index as usize];
                        if field.bits.is_some() {
                            return self.error(at, "offset of a bit-field");
                        }
                        bytes += field.offset;
                        ty = field.ty.ty;
                    }
                    self.make_int(i128::from(bytes), size_type, span)
                }
                Designator::Index(index) | Designator::Range(index, _) => {
                    let Type::Array(element, _) = *self.program.types.get(ty) else {
                        return self.error(span, "index into something that is no array");
                    };
                    ty = element.ty;
                    let index = self.rvalue(u, index)?;
                    if !self.program.types.is_integer(self.type_of(index)) {
                        return self.error(span, "array index is not an integer");
                    }
                    let index = self.convert(index, size_type);
                    let size = self.variable_size(ty, span)?;
                    let kind = ExprKind::Binary(arith(ArithOp::Mul), index, size);
                    self.make(kind, size_type, span)
                }
            };
            let kind = ExprKind::Binary(arith(ArithOp::Add), offset, step);
            offset = self.make(kind, size_type, span);
        }
        Ok(offset)
    }
}
