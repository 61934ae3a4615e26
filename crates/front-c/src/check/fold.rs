//! What is known of a value at translation time, computed bottom-up as values are made, so that
//! no walk over an expression is ever needed.

use super::Checker;
use crate::ast::Quals;
use crate::constant::{Base, Constant, FloatValue, int_arith, int_compare};
use crate::typed::{
    ArithOp, BinaryOp, Comparison, Conversion, ElementSize, ExprId, ExprKind, InitValue, Known,
    ObjectId, PlaceId, PlaceKind, Storage,
};
use crate::types::{IntShape, Type, TypeId};

fn strict(value: Constant) -> Option<Known> {
    Some(Known { value, strict: true })
}

impl Checker {
    fn known(&self, expr: ExprId) -> Option<Known> {
        self.program.constants.get(expr).copied()
    }

    /// The shape of an integer type, or of a pointer as an unsigned integer.
    fn scalar_shape(&self, ty: TypeId) -> Option<IntShape> {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Pointer(_) => Some(IntShape { width: types.pointer_width(), signed: false }),
            _ => types.shape(ty),
        }
    }

    /// The truth of a known value. Addresses of objects and functions are not null.
    fn truth(value: Constant) -> bool {
        match value {
            Constant::Int(bits) => bits != 0,
            Constant::Float(value) => !value.is_zero(),
            Constant::Address(..) => true,
        }
    }

    pub(super) fn fold(&self, kind: &ExprKind, ty: TypeId) -> Option<Known> {
        match *kind {
            ExprKind::Int(bits) => strict(Constant::Int(bits)),
            ExprKind::Float(value) => strict(Constant::Float(value)),
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => self.place_address(place),
            ExprKind::FunctionAddress(function) => {
                strict(Constant::Address(Base::Function(function), 0))
            }
            ExprKind::Load(place) => self.fold_load(place),
            ExprKind::Neg(operand) => {
                let known = self.known(operand)?;
                let value = match known.value {
                    Constant::Int(bits) => {
                        let shape = self.program.types.shape(ty)?;
                        Constant::Int(shape.wrap(bits.wrapping_neg()))
                    }
                    Constant::Float(value) => Constant::Float(value.negate()),
                    Constant::Address(..) => return None,
                };
                Some(Known { value, ..known })
            }
            ExprKind::BitNot(operand) => {
                let known = self.known(operand)?;
                let Constant::Int(bits) = known.value else { return None };
                let shape = self.program.types.shape(ty)?;
                Some(Known { value: Constant::Int(shape.wrap(!bits)), ..known })
            }
            ExprKind::Not(operand) => {
                let known = self.known(operand)?;
                let value = Constant::Int(u128::from(!Self::truth(known.value)));
                Some(Known { value, ..known })
            }
            ExprKind::Binary(op, left, right) => self.fold_binary(op, left, right),
            ExprKind::Logical { and, left, right } => self.fold_logical(and, left, right),
            ExprKind::PointerAdd { pointer, index, subtract, size } => {
                self.fold_pointer_add(pointer, index, subtract, size)
            }
            ExprKind::PointerDiff { left, right, size } => {
                self.fold_pointer_diff(left, right, size, ty)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.known(condition)?;
                let taken = if Self::truth(condition.value) { then } else { otherwise };
                let known = self.known(taken)?;
                Some(Known { strict: known.strict && condition.strict, ..known })
            }
            ExprKind::Elvis { condition, then, otherwise, .. } => {
                let condition = self.known(condition)?;
                let taken = if Self::truth(condition.value) { then } else { otherwise };
                self.known(taken)
            }
            ExprKind::Shared(value) => self.known(value),
            ExprKind::Convert(conversion, operand) => self.fold_conversion(conversion, operand, ty),
            _ => None,
        }
    }

    fn fold_binary(&self, op: BinaryOp, left: ExprId, right: ExprId) -> Option<Known> {
        let (l, r) = (self.known(left)?, self.known(right)?);
        let strict = l.strict && r.strict;
        let value = match (op, l.value, r.value) {
            (BinaryOp::Arith(op), Constant::Int(a), Constant::Int(b)) => {
                let shape = self.program.types.shape(self.type_of(left))?;
                let b = match op {
                    // A negative count must not look small in another width.
                    ArithOp::Shl | ArithOp::Shr => {
                        self.program.types.shape(self.type_of(right))?.extend(b)
                    }
                    _ => b,
                };
                Constant::Int(int_arith(op, a, b, shape)?)
            }
            (BinaryOp::Arith(op), Constant::Float(a), Constant::Float(b)) => {
                Constant::Float(a.arith(op, b)?)
            }
            (BinaryOp::Compare(op), Constant::Int(a), Constant::Int(b)) => {
                let shape = self.scalar_shape(self.type_of(left))?;
                Constant::Int(u128::from(int_compare(op, a, b, shape)))
            }
            (BinaryOp::Compare(op), Constant::Float(a), Constant::Float(b)) => {
                Constant::Int(u128::from(a.compare(op, b)))
            }
            (BinaryOp::Compare(op), a, b) => {
                let equal = Self::addresses_equal(a, b)?;
                match op {
                    Comparison::Eq => Constant::Int(u128::from(equal)),
                    Comparison::Ne => Constant::Int(u128::from(!equal)),
                    _ => return None,
                }
            }
            // An address as an integer may move by a constant.
            (BinaryOp::Arith(ArithOp::Add), Constant::Address(base, offset), Constant::Int(b)) => {
                let shape = self.program.types.shape(self.type_of(left))?;
                let by = i64::try_from(shape.value(b)).ok()?;
                Constant::Address(base, offset.checked_add(by)?)
            }
            _ => return None,
        };
        Some(Known { value, strict })
    }

    fn addresses_equal(a: Constant, b: Constant) -> Option<bool> {
        match (a, b) {
            (Constant::Address(x, i), Constant::Address(y, j)) if x == y => Some(i == j),
            (Constant::Address(_, 0), Constant::Int(0))
            | (Constant::Int(0), Constant::Address(_, 0)) => Some(false),
            _ => None,
        }
    }

    fn fold_logical(&self, and: bool, left: ExprId, right: ExprId) -> Option<Known> {
        let l = self.known(left)?;
        if Self::truth(l.value) != and {
            return Some(Known { value: Constant::Int(u128::from(!and)), ..l });
        }
        let r = self.known(right)?;
        let value = Constant::Int(u128::from(Self::truth(r.value)));
        Some(Known { value, strict: l.strict && r.strict })
    }

    fn fold_pointer_add(
        &self,
        pointer: ExprId,
        index: ExprId,
        subtract: bool,
        size: ElementSize,
    ) -> Option<Known> {
        let (p, i) = (self.known(pointer)?, self.known(index)?);
        let ElementSize::Fixed(size) = size else { return None };
        let Constant::Int(index_bits) = i.value else { return None };
        let index = self.program.types.shape(self.type_of(index))?.value(index_bits);
        let bytes = index.checked_mul(i128::from(size))?;
        let bytes = if subtract { -bytes } else { bytes };
        let value = match p.value {
            Constant::Address(base, offset) => {
                let moved = i128::from(offset).checked_add(bytes)?;
                Constant::Address(base, i64::try_from(moved).ok()?)
            }
            Constant::Int(bits) => {
                let shape = self.scalar_shape(self.type_of(pointer))?;
                Constant::Int(shape.wrap(bits.wrapping_add(bytes as u128)))
            }
            Constant::Float(_) => return None,
        };
        Some(Known { value, strict: p.strict && i.strict })
    }

    fn fold_pointer_diff(
        &self,
        left: ExprId,
        right: ExprId,
        size: ElementSize,
        ty: TypeId,
    ) -> Option<Known> {
        let (l, r) = (self.known(left)?, self.known(right)?);
        let ElementSize::Fixed(size @ 1..) = size else { return None };
        let bytes = match (l.value, r.value) {
            (Constant::Address(x, i), Constant::Address(y, j)) if x == y => {
                i128::from(i) - i128::from(j)
            }
            (Constant::Int(a), Constant::Int(b)) => a as i128 - b as i128,
            _ => return None,
        };
        let shape = self.program.types.shape(ty)?;
        let value = Constant::Int(shape.wrap((bytes / i128::from(size)) as u128));
        Some(Known { value, strict: l.strict && r.strict })
    }

    fn fold_conversion(&self, how: Conversion, operand: ExprId, ty: TypeId) -> Option<Known> {
        let known = self.known(operand)?;
        let from = self.type_of(operand);
        let types = &self.program.types;
        let value = match (how, known.value) {
            (Conversion::ToVoid | Conversion::ToUnion, _) => return None,
            (Conversion::Same | Conversion::PointerToPointer, value) => value,
            (Conversion::ToBool, value) => Constant::Int(u128::from(Self::truth(value))),
            (Conversion::FloatToFloat, Constant::Float(value)) => match types.get(ty) {
                Type::Float(kind) => Constant::Float(value.convert(*kind)),
                _ => return None,
            },
            (Conversion::FloatToInt, Constant::Float(value)) => {
                let (bits, fits) = value.to_int(types.shape(ty)?);
                let value = Constant::Int(bits);
                return Some(Known { value, strict: known.strict && fits });
            }
            (Conversion::IntToFloat, Constant::Int(bits)) => match types.get(ty) {
                Type::Float(kind) => {
                    Constant::Float(FloatValue::from_int(bits, types.shape(from)?, *kind))
                }
                _ => return None,
            },
            (_, Constant::Int(bits)) => {
                let wide = self.scalar_shape(from)?.extend(bits);
                Constant::Int(self.scalar_shape(ty)?.wrap(wide))
            }
            // An address survives in integers of its own width.
            (_, address @ Constant::Address(..)) => {
                let wide_enough = self.scalar_shape(ty)?.width >= types.pointer_width();
                if !wide_enough {
                    return None;
                }
                address
            }
            _ => return None,
        };
        Some(Known { value, ..known })
    }

    /// The address of a place, if it is known when the program starts.
    pub(super) fn place_address(&self, place: PlaceId) -> Option<Known> {
        let mut place = place;
        let mut bytes = 0i128;
        let mut all_strict = true;
        loop {
            match self.program.places[place].kind {
                PlaceKind::Object(object) | PlaceKind::Compound(object, _) => {
                    if self.program.objects[object].storage != Storage::Static {
                        return None;
                    }
                    let offset = i64::try_from(bytes).ok()?;
                    let value = Constant::Address(Base::Object(object), offset);
                    return Some(Known { value, strict: all_strict });
                }
                PlaceKind::String(string) => {
                    let offset = i64::try_from(bytes).ok()?;
                    let value = Constant::Address(Base::String(string), offset);
                    return Some(Known { value, strict: all_strict });
                }
                PlaceKind::Field { base, offset, .. } => {
                    bytes += i128::from(offset);
                    place = base;
                }
                PlaceKind::Index(base, index) => {
                    let known = self.known(index)?;
                    let Constant::Int(bits) = known.value else { return None };
                    let shape = self.program.types.shape(self.type_of(index))?;
                    let size = self.program.types.size_of(self.program.places[place].ty.ty)?;
                    let distance = shape.value(bits).checked_mul(i128::from(size))?;
                    bytes = bytes.checked_add(distance)?;
                    all_strict &= known.strict;
                    place = base;
                }
                PlaceKind::Deref(pointer) => {
                    let known = self.known(pointer)?;
                    let strict = all_strict && known.strict;
                    let value = match known.value {
                        Constant::Address(base, offset) => {
                            let moved = bytes.checked_add(i128::from(offset))?;
                            Constant::Address(base, i64::try_from(moved).ok()?)
                        }
                        Constant::Int(bits) => {
                            let shape = self.scalar_shape(self.type_of(pointer))?;
                            Constant::Int(shape.wrap(bits.wrapping_add(bytes as u128)))
                        }
                        Constant::Float(_) => return None,
                    };
                    return Some(Known { value, strict });
                }
                PlaceKind::Temporary(_) => return None,
            }
        }
    }

    /// The value of a constant object: good for initializers, as in gcc, but not an integer
    /// constant expression.
    fn fold_load(&self, place: PlaceId) -> Option<Known> {
        let place = &self.program.places[place];
        let PlaceKind::Object(object) = place.kind else { return None };
        let constant = place.ty.quals.contains(Quals::CONST) && !place.ty.is_volatile();
        if !constant {
            return None;
        }
        let automatic = self.constant_objects.get(&object).copied();
        let value = automatic.or_else(|| self.static_value(object))?;
        Some(Known { value, strict: false })
    }

    fn static_value(&self, object: ObjectId) -> Option<Constant> {
        let object = &self.program.objects[object];
        if object.storage != Storage::Static || !self.program.types.is_arithmetic(object.ty.ty) {
            return None;
        }
        match self.program.inits[object.init?].entries.as_slice() {
            [entry] => match entry.value {
                InitValue::Expr(value) => self.known(value).map(|k| k.value),
                InitValue::String(_) | InitValue::Zero => None,
            },
            _ => None,
        }
    }
}
