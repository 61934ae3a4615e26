//! GNU builtins: library functions by their `__builtin_` names, and operations of their own.
//!
//! `__builtin_memcpy` is `memcpy`: such calls become calls of the library function, with its
//! usual type ([`super::signature`]).

use super::Checker;
use super::conversion::Purpose;
use super::scope::Entity;
use super::signature::library_signature;
use crate::ast;
use crate::constant::{Base, Constant, FloatValue};
use crate::diagnostic::Result;
use crate::source::Span;
use crate::typed::{ArithOp, AtomicOp, Builtin, Comparison, ExprId, ExprKind, FunctionId, Linkage};
use crate::types::{FloatKind, FunctionType, IntKind, QualType, Type, TypeId};

/// Operations with fixed types, by the name after `__builtin_`.
const FIXED: &[(&str, Builtin, &str)] = &[
    ("clz", Builtin::CountLeadingZeros, "iu"),
    ("clzl", Builtin::CountLeadingZeros, "iU"),
    ("clzll", Builtin::CountLeadingZeros, "iQ"),
    ("ctz", Builtin::CountTrailingZeros, "iu"),
    ("ctzl", Builtin::CountTrailingZeros, "iU"),
    ("ctzll", Builtin::CountTrailingZeros, "iQ"),
    ("clrsb", Builtin::CountSignBits, "ii"),
    ("clrsbl", Builtin::CountSignBits, "il"),
    ("clrsbll", Builtin::CountSignBits, "iq"),
    ("popcount", Builtin::PopCount, "iu"),
    ("popcountl", Builtin::PopCount, "iU"),
    ("popcountll", Builtin::PopCount, "iQ"),
    ("parity", Builtin::Parity, "iu"),
    ("parityl", Builtin::Parity, "iU"),
    ("parityll", Builtin::Parity, "iQ"),
    ("ffs", Builtin::FindFirstSet, "ii"),
    ("ffsl", Builtin::FindFirstSet, "il"),
    ("ffsll", Builtin::FindFirstSet, "iq"),
    ("bswap16", Builtin::ByteSwap, "hh"),
    ("bswap32", Builtin::ByteSwap, "uu"),
    ("bswap64", Builtin::ByteSwap, "QQ"),
    ("trap", Builtin::Trap, "v"),
    ("unreachable", Builtin::Unreachable, "v"),
    ("frame_address", Builtin::FrameAddress, "pu"),
    ("return_address", Builtin::FrameAddress, "pu"),
    ("isnanf", Builtin::IsNan, "if"),
    ("isnanl", Builtin::IsNan, "iD"),
    ("isinff", Builtin::IsInf, "if"),
    ("isinfl", Builtin::IsInf, "iD"),
    ("signbitf", Builtin::SignBit, "if"),
    ("signbitl", Builtin::SignBit, "iD"),
];

/// Tests of one floating argument of any type.
const CLASSIFICATION: &[(&str, Builtin)] = &[
    ("isnan", Builtin::IsNan),
    ("isinf", Builtin::IsInf),
    ("isinf_sign", Builtin::IsInfSign),
    ("isfinite", Builtin::IsFinite),
    ("finite", Builtin::IsFinite),
    ("isnormal", Builtin::IsNormal),
    ("signbit", Builtin::SignBit),
];

/// Comparisons of two floating arguments of any type.
const QUIET: &[(&str, Builtin)] = &[
    ("isless", Builtin::QuietCompare(Comparison::Lt)),
    ("islessequal", Builtin::QuietCompare(Comparison::Le)),
    ("isgreater", Builtin::QuietCompare(Comparison::Gt)),
    ("isgreaterequal", Builtin::QuietCompare(Comparison::Ge)),
    ("islessgreater", Builtin::LessGreater),
    ("isunordered", Builtin::Unordered),
];

/// Read-modify-write operations, by the part of the name that says which.
const FETCH: &[(&str, Option<ArithOp>)] = &[
    ("add", Some(ArithOp::Add)),
    ("sub", Some(ArithOp::Sub)),
    ("and", Some(ArithOp::BitAnd)),
    ("or", Some(ArithOp::BitOr)),
    ("xor", Some(ArithOp::BitXor)),
    ("nand", None),
];

impl Checker {
    /// The type that a letter of a signature stands for.
    fn signature_letter(&mut self, letter: char) -> TypeId {
        let int = |kind| Type::Int(kind);
        let plain = match letter {
            'v' => Type::Void,
            'i' => int(IntKind::Int),
            'u' => int(IntKind::UInt),
            'h' => int(IntKind::UShort),
            'l' => int(IntKind::Long),
            'U' => int(IntKind::ULong),
            'q' => int(IntKind::LongLong),
            'Q' => int(IntKind::ULongLong),
            'f' => Type::Float(FloatKind::Float),
            'D' => Type::Float(FloatKind::LongDouble),
            'd' => Type::Float(FloatKind::Double),
            'z' => return self.types().size_type(),
            // Pointers: p void, k const void, c char, s const char, a int, m double, n float,
            // o long double.
            pointer => {
                let target = match pointer {
                    'p' | 'k' => Type::Void,
                    'c' | 's' => int(IntKind::Char),
                    'm' => Type::Float(FloatKind::Double),
                    'n' => Type::Float(FloatKind::Float),
                    'o' => Type::Float(FloatKind::LongDouble),
                    _ => int(IntKind::Int),
                };
                let is_const = matches!(pointer, 'k' | 's');
                let target = QualType::plain(self.types().intern(target));
                let quals = if is_const { ast::Quals::CONST } else { ast::Quals::NONE };
                return self.types().pointer(target.with(quals));
            }
        };
        self.types().intern(plain)
    }

    /// The function type of a signature; a final `.` marks variable arguments.
    fn signature_type(&mut self, signature: &str) -> TypeId {
        let mut letters = signature.chars();
        let result = letters.next().unwrap_or('v');
        let result = self.signature_letter(result);
        let variadic = signature.ends_with('.');
        let params = letters
            .filter(|&c| c != '.')
            .map(|c| QualType::plain(self.signature_letter(c)))
            .collect();
        self.types().intern(Type::Function(FunctionType {
            result,
            params,
            variadic,
            prototype: true,
        }))
    }

    /// The function of the C library that a name means, with or without `__builtin_`; entered
    /// at file scope under that name.
    pub(super) fn library_builtin(&mut self, name: &str, span: Span) -> Option<FunctionId> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let signature = library_signature(plain)?;
        let symbol = self.program.symbols.intern(plain);
        let ty = self.signature_type(&signature);
        let declared = match self.scopes.lookup_file(symbol).map(|b| b.entity) {
            Some(Entity::Function(id)) => Some(id),
            Some(_) => return None,
            None => None,
        };
        let linked = declared.or(match self.externals.get(&symbol) {
            Some(Entity::Function(id)) => Some(*id),
            _ => None,
        });
        let id = match linked {
            Some(id) => id,
            None => {
                let id = self.new_function(symbol, span, ty, Linkage::External);
                let noreturn = matches!(plain, "abort" | "exit" | "_exit" | "_Exit");
                self.program.functions[id].noreturn = noreturn;
                self.program.functions[id].implicit = true;
                self.externals.insert(symbol, Entity::Function(id));
                id
            }
        };
        if plain == name && declared.is_none() {
            self.warn(span, format!("'{plain}' is called without a declaration"));
        }
        self.scopes.bind_file(symbol, Entity::Function(id), span);
        let written = self.program.symbols.intern(name);
        if written != symbol {
            self.scopes.bind_file(written, Entity::Function(id), span);
        }
        Some(id)
    }

    /// A call of a builtin that is no library function; none if the name is not one.
    pub(super) fn builtin_call(
        &mut self,
        u: &ast::Unit,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Result<Option<ExprId>> {
        if name.starts_with("__sync_") || name.starts_with("__atomic_") {
            return self.atomic_call(u, name, arguments, span);
        }
        let Some(name) = name.strip_prefix("__builtin_") else { return Ok(None) };
        let value = match name {
            "va_start" | "stdarg_start" | "va_end" | "va_copy" => {
                self.va_builtin(u, name, arguments, span)?
            }
            "expect" | "expect_with_probability" if arguments.len() >= 2 => {
                let value = self.rvalue(u, arguments[0])?;
                let long = self.types().int(IntKind::Long);
                self.assign_convert(value, long, Purpose::Argument, span)?
            }
            "assume_aligned" if !arguments.is_empty() => {
                let value = self.rvalue(u, arguments[0])?;
                let pointer = self.types().void_pointer();
                self.assign_convert(value, pointer, Purpose::Argument, span)?
            }
            "constant_p" if arguments.len() == 1 => self.constant_p(u, arguments[0], span)?,
            "object_size" | "dynamic_object_size" if arguments.len() == 2 => {
                let what = "second argument of '__builtin_object_size'";
                let mode = self.constant_value(u, arguments[1], what)?;
                let size_type = self.types().size_type();
                self.make_int(if mode & 2 != 0 { 0 } else { -1 }, size_type, span)
            }
            "classify_type" if arguments.len() == 1 => {
                let value = self.rvalue(u, arguments[0])?;
                let class = self.type_class(self.type_of(value));
                let int = self.int_type();
                self.make_int(class, int, span)
            }
            "prefetch" | "__clear_cache" => {
                let values = self.rvalues(u, arguments)?;
                let mut discarded: Vec<ExprId> =
                    values.into_iter().map(|v| self.discard(v)).collect();
                let int = self.int_type();
                let nothing = self.make_int(0, int, span);
                discarded.push(self.discard(nothing));
                let void = self.types().void();
                self.make(ExprKind::Comma(discarded), void, span)
            }
            "fpclassify" if arguments.len() == 6 => self.fpclassify(u, arguments, span)?,
            _ => return self.table_builtin(u, name, arguments, span),
        };
        Ok(Some(value))
    }

    fn table_builtin(
        &mut self,
        u: &ast::Unit,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Result<Option<ExprId>> {
        if let Some(value) = self.float_constant_builtin(u, name, arguments, span)? {
            return Ok(Some(value));
        }
        if let Some((op, ty, predicate)) = overflow_builtin(name) {
            return self.overflow(u, op, ty, predicate, arguments, span).map(Some);
        }
        if let Some(&(_, builtin, signature)) = FIXED.iter().find(|f| f.0 == name) {
            let ty = self.signature_type(signature);
            let values = self.rvalues(u, arguments)?;
            return self.fixed(builtin, ty, values, span).map(Some);
        }
        if let Some(&(_, builtin)) = CLASSIFICATION.iter().find(|c| c.0 == name) {
            return self.classification(u, builtin, arguments, 1, span).map(Some);
        }
        if let Some(&(_, builtin)) = QUIET.iter().find(|c| c.0 == name) {
            return self.classification(u, builtin, arguments, 2, span).map(Some);
        }
        Ok(None)
    }

    /// An operation whose arguments are converted like a function's.
    fn fixed(
        &mut self,
        builtin: Builtin,
        ty: TypeId,
        values: Vec<ExprId>,
        span: Span,
    ) -> Result<ExprId> {
        let Type::Function(function) = self.program.types.get(ty).clone() else {
            return self.error(span, "builtin without a type");
        };
        if values.len() != function.params.len() {
            return self.error(span, "wrong number of arguments of a builtin");
        }
        let mut converted = Vec::with_capacity(values.len());
        for (value, param) in values.into_iter().zip(&function.params) {
            converted.push(self.assign_convert(value, param.ty, Purpose::Argument, span)?);
        }
        Ok(self.make(ExprKind::Builtin(builtin, converted), function.result, span))
    }

    fn va_builtin(
        &mut self,
        u: &ast::Unit,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Result<ExprId> {
        let (builtin, needed) = match name {
            "va_end" => (Builtin::VaEnd, 1),
            "va_copy" => (Builtin::VaCopy, 2),
            _ => (Builtin::VaStart, 1),
        };
        if arguments.len() < needed {
            return self.error(span, "too few arguments of a va_list builtin");
        }
        let mut values = Vec::new();
        for &argument in &arguments[..needed] {
            values.push(self.va_list_pointer(u, argument)?);
        }
        let void = self.types().void();
        Ok(self.make(ExprKind::Builtin(builtin, values), void, span))
    }

    fn constant_p(&mut self, u: &ast::Unit, argument: ast::ExprId, span: Span) -> Result<ExprId> {
        let lengths = self.pending_lengths.clone();
        let value = self.rvalue(u, argument)?;
        self.pending_lengths = lengths;
        let constant = self.program.constants.get(value).is_some_and(|known| match known.value {
            Constant::Address(Base::String(_), 0) => true,
            Constant::Address(..) => false,
            _ => known.strict,
        });
        let int = self.int_type();
        Ok(self.make_int(i128::from(constant), int, span))
    }

    /// gcc's classes of types.
    fn type_class(&self, ty: TypeId) -> i128 {
        match self.program.types.get(ty) {
            Type::Void => 0,
            Type::Bool | Type::Int(_) | Type::Enum(_) => 1,
            Type::Pointer(_) | Type::Array(..) | Type::Function(_) => 5,
            Type::Float(_) => 8,
            Type::Record(id) if self.program.types.records[*id].is_union => 13,
            Type::Record(_) => 12,
        }
    }

    fn float_argument(&mut self, u: &ast::Unit, argument: ast::ExprId) -> Result<ExprId> {
        let value = self.rvalue(u, argument)?;
        if !self.program.types.is_float(self.type_of(value)) {
            return self.error(u.exprs[argument].span, "argument is not a floating number");
        }
        Ok(value)
    }

    fn classification(
        &mut self,
        u: &ast::Unit,
        builtin: Builtin,
        arguments: &[ast::ExprId],
        count: usize,
        span: Span,
    ) -> Result<ExprId> {
        if arguments.len() != count {
            return self.error(span, "wrong number of arguments of a builtin");
        }
        let mut values = if count == 1 {
            vec![self.float_argument(u, arguments[0])?]
        } else {
            self.rvalues(u, arguments)?
        };
        if let [a, b] = values.as_slice() {
            let (a, b) = (*a, *b);
            let (x, y) = (self.type_of(a), self.type_of(b));
            let types = &self.program.types;
            if !types.is_arithmetic(x) || !types.is_arithmetic(y) {
                return self.error(span, "arguments are not numbers");
            }
            let common = self.common_type(x, y);
            values = vec![self.convert(a, common), self.convert(b, common)];
        }
        let int = self.int_type();
        Ok(self.make(ExprKind::Builtin(builtin, values), int, span))
    }

    fn fpclassify(
        &mut self,
        u: &ast::Unit,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Result<ExprId> {
        let int = self.int_type();
        let mut values = Vec::new();
        for &argument in &arguments[..5] {
            let value = self.rvalue(u, argument)?;
            values.push(self.assign_convert(value, int, Purpose::Argument, span)?);
        }
        values.push(self.float_argument(u, arguments[5])?);
        Ok(self.make(ExprKind::Builtin(Builtin::FpClassify, values), int, span))
    }

    /// Infinities and NaNs.
    fn float_constant_builtin(
        &mut self,
        u: &ast::Unit,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Result<Option<ExprId>> {
        let of = |stem: &str| match name.strip_prefix(stem)? {
            "" | "f64" | "f32x" => Some(FloatKind::Double),
            "f" | "f32" => Some(FloatKind::Float),
            "l" | "f64x" => Some(FloatKind::LongDouble),
            "q" | "f128" => Some(FloatKind::Quad),
            _ => None,
        };
        let value = if let Some(kind) = of("huge_val").or_else(|| of("inf")) {
            FloatValue::infinity(kind)
        } else if let Some(kind) = of("nan") {
            let empty = matches!(arguments, [one]
                if matches!(&u.exprs[*one].kind, ast::ExprKind::Str(s) if s.units.is_empty()));
            if !empty {
                return self.error(span, "NaN with a payload is not supported");
            }
            FloatValue::nan(kind)
        } else {
            return Ok(None);
        };
        let ty = self.types().float(value.kind);
        Ok(Some(self.make(ExprKind::Float(value), ty, span)))
    }

    fn overflow(
        &mut self,
        u: &ast::Unit,
        op: ArithOp,
        fixed: Option<char>,
        predicate: bool,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Result<ExprId> {
        let mut values = self.rvalues(u, arguments)?;
        if values.len() != 3 {
            return self.error(span, "wrong number of arguments of a builtin");
        }
        if let Some(letter) = fixed {
            let ty = self.signature_letter(letter);
            for value in &mut values[..2] {
                *value = self.assign_convert(*value, ty, Purpose::Argument, span)?;
            }
        }
        let third = self.type_of(values[2]);
        let types = &self.program.types;
        let stored = if predicate { Some(third) } else { types.pointee(third).map(|p| p.ty) };
        let integers = [Some(self.type_of(values[0])), Some(self.type_of(values[1])), stored];
        if !integers.iter().all(|t| t.is_some_and(|t| types.is_integer(t))) {
            return self.error(span, "arguments are not integers and a pointer to one");
        }
        let builtin =
            if predicate { Builtin::OverflowPredicate(op) } else { Builtin::Overflow(op) };
        let bool_type = self.types().bool();
        Ok(self.make(ExprKind::Builtin(builtin, values), bool_type, span))
    }

    // Atomic operations.

    fn atomic_call(
        &mut self,
        u: &ast::Unit,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Result<Option<ExprId>> {
        let Some((op, count, by_pointer)) = atomic_operation(name) else { return Ok(None) };
        if arguments.len() < count {
            return self.error(span, format!("too few arguments of '{name}'"));
        }
        let void = self.types().void();
        if op == AtomicOp::Fence {
            return Ok(Some(self.make(ExprKind::Builtin(Builtin::Atomic(op), vec![]), void, span)));
        }
        let pointer = self.rvalue(u, arguments[0])?;
        let Some(to) = self.program.types.pointee(self.type_of(pointer)) else {
            return self.error(span, format!("first argument of '{name}' is not a pointer"));
        };
        let mut values = vec![pointer];
        for (i, &argument) in arguments[1..count].iter().enumerate() {
            let mut value = self.rvalue(u, argument)?;
            let expected = op == AtomicOp::CompareExchange && i == 0;
            if by_pointer && !expected {
                let operand = self.deref(value, span)?;
                value = self.value_of(operand, span)?;
            }
            if !expected {
                value = self.assign_convert(value, to.ty, Purpose::Argument, span)?;
            }
            values.push(value);
        }
        let bool_type = self.types().bool();
        let ty = match op {
            AtomicOp::Store | AtomicOp::Clear | AtomicOp::Fence => void,
            AtomicOp::CompareSwap { success: true }
            | AtomicOp::CompareExchange
            | AtomicOp::TestAndSet => bool_type,
            _ => to.ty,
        };
        let value = self.make(ExprKind::Builtin(Builtin::Atomic(op), values), ty, span);
        let gives_through = by_pointer && matches!(op, AtomicOp::Load | AtomicOp::Exchange);
        if !gives_through {
            return Ok(Some(value));
        }
        // `__atomic_load(p, result, order)`: the value is stored through the next argument.
        let Some(&result) = arguments.get(count) else {
            return self.error(span, format!("too few arguments of '{name}'"));
        };
        let result = self.rvalue(u, result)?;
        let super::place::Operand::Place(place) = self.deref(result, span)? else {
            return self.error(span, "result is stored through a pointer to a function");
        };
        let ty = self.program.places[place].ty.ty;
        let value = self.assign_convert(value, ty, Purpose::Argument, span)?;
        let stored = self.make(ExprKind::Assign(place, value), ty, span);
        Ok(Some(self.discard(stored)))
    }
}

/// `add_overflow`, `sadd_overflow`, `add_overflow_p`, …: the operator, the letter of a fixed
/// type, and whether nothing is stored.
fn overflow_builtin(name: &str) -> Option<(ArithOp, Option<char>, bool)> {
    let predicate = name.ends_with("_overflow_p");
    let stem = name.strip_suffix("_overflow").or_else(|| name.strip_suffix("_overflow_p"))?;
    let operators = [("add", ArithOp::Add), ("sub", ArithOp::Sub), ("mul", ArithOp::Mul)];
    operators.into_iter().find_map(|(word, op)| {
        let at = stem.find(word)?;
        let (sign, length) = (&stem[..at], &stem[at + word.len()..]);
        let letter = match (sign, length) {
            ("", "") => None,
            ("s", "") => Some('i'),
            ("s", "l") => Some('l'),
            ("s", "ll") => Some('q'),
            ("u", "") => Some('u'),
            ("u", "l") => Some('U'),
            ("u", "ll") => Some('Q'),
            _ => return None,
        };
        Some((op, letter, predicate))
    })
}

/// The operation, the number of arguments that matter, and whether they are given by pointers.
fn atomic_operation(name: &str) -> Option<(AtomicOp, usize, bool)> {
    let fetch = |stem: &str, new: bool| {
        let (_, op) = FETCH.iter().find(|f| f.0 == stem)?;
        Some((AtomicOp::Fetch { op: *op, new }, 2, false))
    };
    if let Some(name) = name.strip_prefix("__sync_") {
        return match name {
            "synchronize" => Some((AtomicOp::Fence, 0, false)),
            "bool_compare_and_swap" => Some((AtomicOp::CompareSwap { success: true }, 3, false)),
            "val_compare_and_swap" => Some((AtomicOp::CompareSwap { success: false }, 3, false)),
            "lock_test_and_set" => Some((AtomicOp::Exchange, 2, false)),
            "lock_release" => Some((AtomicOp::Clear, 1, false)),
            _ => match name.strip_prefix("fetch_and_") {
                Some(stem) => fetch(stem, false),
                None => fetch(name.strip_suffix("_and_fetch")?, true),
            },
        };
    }
    let name = name.strip_prefix("__atomic_")?;
    Some(match name {
        "thread_fence" | "signal_fence" => (AtomicOp::Fence, 0, false),
        "load_n" => (AtomicOp::Load, 1, false),
        "load" => (AtomicOp::Load, 1, true),
        "store_n" => (AtomicOp::Store, 2, false),
        "store" => (AtomicOp::Store, 2, true),
        "exchange_n" => (AtomicOp::Exchange, 2, false),
        "exchange" => (AtomicOp::Exchange, 2, true),
        "compare_exchange_n" => (AtomicOp::CompareExchange, 3, false),
        "compare_exchange" => (AtomicOp::CompareExchange, 3, true),
        "test_and_set" => (AtomicOp::TestAndSet, 1, false),
        "clear" => (AtomicOp::Clear, 1, false),
        _ => {
            return match name.strip_prefix("fetch_") {
                Some(stem) => fetch(stem, false),
                None => fetch(name.strip_suffix("_fetch")?, true),
            };
        }
    })
}
