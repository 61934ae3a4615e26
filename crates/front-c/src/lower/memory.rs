//! Reading and writing scalars in memory, bit-fields among them.

use super::Lowerer;
use crate::types::{FloatKind, Type, TypeId};
use program::Property;
use program::program::{Instruction, Reading, Storage};
use term::{Op, Sort, Term};
use value::{Float, Format};

/// A scalar, struct or array in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// Its address; of a bit-field, that of the byte with its first bit.
    pub(super) address: Term,
    /// The pointer that leads there, which must not be null; none if it can't be.
    pub(super) pointer: Option<Term>,
    /// First bit and width of a bit-field.
    pub(super) bits: Option<(u32, u32)>,
}

impl Access {
    /// An access that needs no check.
    pub(super) fn sure(address: Term) -> Access {
        Access { address, pointer: None, bits: None }
    }
}

impl Lowerer<'_> {
    /// The representation in memory of a scalar.
    pub(super) fn to_memory(&self, term: Term, ty: TypeId) -> Term {
        let pool = &self.pool;
        match (self.ty(ty), pool.sort(term)) {
            (Type::Float(FloatKind::LongDouble), _) => self.to_x87(term),
            (Type::Float(_), _) => term,
            (_, Sort::Bool) => {
                let width = self.memory_sort(ty).and_then(Sort::width).unwrap_or(8);
                self.bool_to_bits(term, width)
            }
            _ => {
                let width = self.memory_sort(ty).and_then(Sort::width);
                let width = width.unwrap_or_else(|| pool.width(term));
                self.resize(term, width, self.is_signed(ty))
            }
        }
    }

    /// The scalar that memory contents represent.
    fn of_memory(&mut self, term: Term, ty: TypeId) -> Term {
        match self.ty(ty) {
            Type::Float(FloatKind::LongDouble) => self.of_x87(term),
            Type::Bool => self.truth(term),
            _ => match self.register_sort(ty) {
                Some(Sort::BitVec(width)) => self.resize(term, width, self.is_signed(ty)),
                _ => term,
            },
        }
    }

    /// The x87 pattern of a `long double`: the leading bit of the significand is explicit.
    fn to_x87(&self, term: Term) -> Term {
        let pool = &self.pool;
        let bits = pool.fp_to_bits(term);
        let exponent = pool.bv_extract(bits, 77, 63);
        let leading = pool.bv_from_bool(pool.ne(exponent, pool.bv(0, 15)));
        let high = pool.bv_extract(bits, 78, 63);
        pool.bv_concat(pool.bv_concat(high, leading), pool.bv_extract(bits, 62, 0))
    }

    /// The `long double` with an x87 pattern, as [`Float::from_x87`] reads it.
    fn of_x87(&self, pattern: Term) -> Term {
        let pool = &self.pool;
        let sign = pool.bv_extract(pattern, 79, 79);
        let exponent = pool.bv_extract(pattern, 78, 64);
        let leading = pool.eq(pool.bv_extract(pattern, 63, 63), pool.bv(1, 1));
        let fraction = pool.bv_extract(pattern, 62, 0);
        let lowest = pool.eq(exponent, pool.bv(0, 15));
        let pseudo = pool.and([lowest, leading]);
        let exponent = pool.ite(pseudo, pool.bv(1, 15), exponent);
        let bits = pool.bv_concat(pool.bv_concat(sign, exponent), fraction);
        let number = pool.make(Op::FpFromBits(Format::X87), &[bits]);
        let invalid = pool.and([pool.not(lowest), pool.not(leading)]);
        pool.ite(invalid, pool.float(Float::nan(Format::X87)), number)
    }

    /// The check that precedes an access.
    pub(super) fn check_pointer(&mut self, access: Access) {
        if let Some(pointer) = access.pointer {
            let null = self.pointer_bits(0);
            let condition = self.pool.ne(pointer, null);
            self.check(Property::Pointer, condition);
        }
    }

    /// Reads memory contents of a sort.
    pub(super) fn load_sort(&mut self, address: Term, sort: Sort) -> Term {
        let into = self.temporary(sort);
        self.emit(Instruction::Load { into, address });
        self.term_of(into)
    }

    /// Reads a pointer, which the register that takes it says.
    pub(super) fn load_address(&mut self, address: Term) -> Term {
        let into = self.temporary(Sort::BitVec(self.pointer_width()));
        self.variables[into].reading = Reading::Address;
        self.emit(Instruction::Load { into, address });
        self.term_of(into)
    }

    /// How many bytes a scalar is read from.
    pub(super) fn bytes_of_access(&self, access: Access, ty: TypeId) -> u64 {
        let bits = match access.bits {
            Some((first, width)) => unit_width(first, width),
            None => match self.memory_sort(ty) {
                Some(Sort::Float(format)) => format.width(),
                sort => sort.and_then(Sort::width).unwrap_or(8),
            },
        };
        u64::from(bits / 8)
    }

    /// Reads a scalar, whether it was written or not.
    pub(super) fn load_scalar(&mut self, access: Access, ty: TypeId) -> Term {
        self.check_pointer(access);
        if let Some((first, width)) = access.bits {
            let unit = self.load_sort(access.address, Sort::BitVec(unit_width(first, width)));
            let bits = self.pool.bv_extract(unit, first + width - 1, first);
            return match self.ty(ty) {
                Type::Bool => self.truth(bits),
                _ => bits,
            };
        }
        let sort = self.memory_sort(ty).unwrap_or(Sort::BitVec(8));
        let contents = match self.ty(ty) {
            Type::Pointer(_) => self.load_address(access.address),
            _ => self.load_sort(access.address, sort),
        };
        self.of_memory(contents, ty)
    }

    /// Writes a scalar.
    pub(super) fn store_scalar(&mut self, access: Access, ty: TypeId, value: Term) {
        self.check_pointer(access);
        let address = access.address;
        let Some((first, width)) = access.bits else {
            let value = self.to_memory(value, ty);
            self.emit(Instruction::Store { address, value });
            return;
        };
        let value = match self.pool.sort(value) {
            Sort::Bool => self.bool_to_bits(value, width),
            _ => self.resize(value, width, false),
        };
        let whole = unit_width(first, width);
        let unit = self.load_sort(address, Sort::BitVec(whole));
        let pool = &self.pool;
        let mut changed = value;
        if first > 0 {
            changed = pool.bv_concat(changed, pool.bv_extract(unit, first - 1, 0));
        }
        if first + width < whole {
            changed = pool.bv_concat(pool.bv_extract(unit, whole - 1, first + width), changed);
        }
        self.emit(Instruction::Store { address, value: changed });
    }

    /// A new object on the stack, freed at the end of the full expression.
    pub(super) fn temporary_object(&mut self, ty: TypeId, size: Term) -> Term {
        let into = self.temporary(Sort::BitVec(self.pointer_width()));
        let align = self.align_of(crate::types::QualType::plain(ty));
        let scalars = self.scalar_sizes(ty);
        let storage = Storage::Stack;
        self.own_sizes.insert(self.term_of(into), size);
        self.emit(Instruction::Allocate {
            into,
            size,
            align,
            storage,
            written: false,
            scalars,
            name: None,
        });
        self.frame.temporary_objects.push(into);
        self.term_of(into)
    }

    pub(super) fn copy(&mut self, to: Term, from: Term, length: Term) {
        if to != from {
            self.emit(Instruction::Copy { to, from, length });
        }
    }
}

/// The bits of the bytes that a bit-field touches.
fn unit_width(first: u32, width: u32) -> u32 {
    (first + width).div_ceil(8) * 8
}
