//! Places: where a value is read from or written to.

use super::Lowerer;
use super::effect::Effect;
use super::expression::Value;
use super::memory::Access;
use super::object::Home;
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::{ExprId, PlaceId, PlaceKind, Storage};
use crate::types::{ArrayLength, Type, TypeId};
use program::Property;
use program::program::VariableId;
use term::{Op, Term};

/// A place, its expressions evaluated.
#[derive(Clone, Debug)]
pub(super) enum Spot {
    /// Registers: one, or one for each leaf of a struct.
    Registers(Vec<VariableId>),
    /// Memory.
    Memory(Access),
    /// The leaves of a value that is no object.
    Leaves(Vec<Term>),
}

impl Lowerer<'_> {
    /// Evaluates a place. Its indices are checked if it is accessed, and not only its address
    /// taken.
    pub(super) fn spot(&mut self, place: PlaceId, accessed: bool) -> Result<Spot> {
        let c = self.c;
        let span = c.places[place].span;
        match c.places[place].kind {
            PlaceKind::Object(object) => Ok(self.object_spot(object)),
            PlaceKind::Deref(pointer) => {
                let address = self.scalar(pointer)?;
                self.span = span;
                let pointer = (!self.is_static_address(address)).then_some(address);
                Ok(Spot::Memory(Access { address, pointer, bits: None }))
            }
            PlaceKind::Index(base, index) => self.element(place, base, index, accessed),
            PlaceKind::Field { base, record, field, offset, bits } => {
                let base = self.spot(base, accessed)?;
                Ok(match base {
                    Spot::Registers(registers) => {
                        let (first, count) = self.member_leaves(record, field);
                        Spot::Registers(registers[first..first + count].to_vec())
                    }
                    Spot::Leaves(leaves) => {
                        let (first, count) = self.member_leaves(record, field);
                        Spot::Leaves(leaves[first..first + count].to_vec())
                    }
                    Spot::Memory(access) => {
                        let (offset, bits) = match bits {
                            Some(b) => (b.position / 8, Some(((b.position % 8) as u32, b.width))),
                            None => (offset, None),
                        };
                        let address = self.moved(access.address, offset);
                        Spot::Memory(Access { address, bits, ..access })
                    }
                })
            }
            PlaceKind::String(string) => {
                Ok(Spot::Memory(Access::sure(self.string_address(string))))
            }
            PlaceKind::Compound(object, init) => {
                if c.objects[object].storage != Storage::Static {
                    self.initialize(object, init)?;
                }
                Ok(self.object_spot(object))
            }
            PlaceKind::Temporary(value) => Ok(match self.value(value)? {
                Value::Scalar(term) => Spot::Leaves(vec![term]),
                Value::Leaves(leaves) => Spot::Leaves(leaves),
                Value::Memory(address) => Spot::Memory(Access::sure(address)),
                Value::Void => {
                    return Err(Diagnostic::error(span, "part of a value without parts"));
                }
            }),
        }
    }

    pub(super) fn object_spot(&mut self, object: crate::typed::ObjectId) -> Spot {
        match self.home(object) {
            Home::Registers(registers) => Spot::Registers(registers),
            Home::Static(address) => Spot::Memory(Access::sure(address)),
            Home::Stack(variable) => Spot::Memory(Access::sure(self.term_of(variable))),
        }
    }

    /// The address of a place in memory, and the pointer that leads there.
    fn array_access(&mut self, place: PlaceId, accessed: bool) -> Result<Access> {
        match self.spot(place, accessed)? {
            Spot::Memory(access) => Ok(access),
            _ => {
                let span = self.c.places[place].span;
                Err(Diagnostic::error(span, "array is not in memory"))
            }
        }
    }

    fn element(
        &mut self,
        place: PlaceId,
        base: PlaceId,
        index: ExprId,
        accessed: bool,
    ) -> Result<Spot> {
        let (element, array) = (self.c.places[place].ty.ty, self.c.places[base].ty.ty);
        let mut access = self.array_access(base, accessed)?;
        if self.effect(index) == Effect::Changes {
            access.address = self.keep(access.address);
            access.pointer = access.pointer.map(|p| self.keep(p));
        }
        let index = self.index_value(index)?;
        self.span = self.c.places[place].span;
        if accessed
            && let Some(length) = self.array_length(array)
            && (!self.is_open_ended(base) || length > 1 && self.asks(Property::Bounds))
        {
            let length = self.pointer_bits(length);
            let inside = self.pool.bv_ult(index, length);
            self.check(Property::Bounds, inside);
        }
        let size = self.size_term(element)?;
        let address = self.pool.bv_add(access.address, self.pool.bv_mul(index, size));
        Ok(Spot::Memory(Access { address, ..access }))
    }

    /// Whether an array is the last member of a struct behind a pointer: programs allocate more
    /// than the declared elements for it, so its length says nothing. If it is of more than one element,
    /// that is undefined all the same, and a violation where bounds are asked about.
    fn is_open_ended(&self, array: PlaceId) -> bool {
        let mut place = array;
        loop {
            match self.c.places[place].kind {
                PlaceKind::Field { base, record, field, .. } => {
                    let body = self.c.types.records[record].body.as_ref();
                    let record = &self.c.types.records[record];
                    let last = body.is_some_and(|b| field as usize + 1 == b.fields.len());
                    if !last && !record.is_union {
                        return false;
                    }
                    place = base;
                }
                PlaceKind::Deref(_) => return place != array,
                _ => return false,
            }
        }
    }

    /// An index or count of elements, in the width of pointers.
    pub(super) fn index_value(&mut self, index: ExprId) -> Result<Term> {
        let ty = self.c.exprs[index].ty;
        let value = self.scalar(index)?;
        let value = self.exact(value, ty);
        let value = match self.pool.sort(value) {
            term::Sort::Bool => self.bool_to_bits(value, self.pointer_width()),
            _ => value,
        };
        Ok(self.resize(value, self.pointer_width(), self.is_signed(ty)))
    }

    /// The size of a type, also of one that is computed at run time.
    pub(super) fn size_term(&mut self, ty: TypeId) -> Result<Term> {
        if let Some(size) = self.c.types.size_of(ty) {
            return Ok(self.pointer_bits(size));
        }
        match *self.ty(ty) {
            Type::Array(element, ArrayLength::Variable(vla)) => {
                let element = self.size_term(element.ty)?;
                let length = self.length_register(vla);
                Ok(self.pool.bv_mul(self.term_of(length), element))
            }
            Type::Array(element, ArrayLength::Fixed(n)) => {
                let element = self.size_term(element.ty)?;
                Ok(self.pool.bv_mul(self.pointer_bits(n), element))
            }
            Type::Void | Type::Function(_) => Ok(self.pointer_bits(1)),
            _ => Err(Diagnostic::error(self.span, "size of an incomplete type is needed")),
        }
    }

    pub(super) fn length_register(&mut self, vla: crate::typed::VlaId) -> VariableId {
        if let Some(&register) = self.lengths.get(&vla) {
            return register;
        }
        let register = self.temporary(term::Sort::BitVec(self.pointer_width()));
        self.lengths.insert(vla, register);
        register
    }

    pub(super) fn moved(&self, address: Term, bytes: u64) -> Term {
        self.pool.bv_add(address, self.pointer_bits(bytes))
    }

    /// Whether a term is the address of a static object, or a constant distance from it.
    pub(super) fn is_static_address(&self, term: Term) -> bool {
        match (self.pool.op(term), self.pool.args(term)) {
            (Op::BvAdd, [base, offset]) if self.pool.value(*offset).is_some() => {
                self.static_addresses.contains(base)
            }
            _ => self.static_addresses.contains(&term),
        }
    }

    /// The value at a place.
    pub(super) fn load(&mut self, spot: &Spot, ty: TypeId) -> Value {
        match spot {
            Spot::Registers(registers) => {
                if !self.is_record(ty) {
                    self.check_written(registers);
                }
                self.register_value(registers, ty)
            }
            Spot::Leaves(leaves) => self.leaves_value(leaves.clone(), ty),
            Spot::Memory(access) if self.is_record(ty) => {
                self.check_pointer(*access);
                Value::Memory(access.address)
            }
            Spot::Memory(access) => Value::Scalar(self.read_scalar(*access, ty)),
        }
    }

    /// The value that registers have, whoever asks.
    pub(super) fn register_value(&self, registers: &[VariableId], ty: TypeId) -> Value {
        let terms = registers.iter().map(|r| self.term_of(*r)).collect();
        self.leaves_value(terms, ty)
    }

    fn leaves_value(&self, terms: Vec<Term>, ty: TypeId) -> Value {
        match terms[..] {
            [term] if !self.is_record(ty) => Value::Scalar(term),
            _ => Value::Leaves(terms),
        }
    }

    /// The leaves of a struct value that is kept in registers.
    pub(super) fn value_leaves(&mut self, value: Value, ty: TypeId) -> Vec<Term> {
        match value {
            Value::Leaves(leaves) => leaves,
            Value::Scalar(term) => vec![term],
            Value::Void => Vec::new(),
            Value::Memory(address) => {
                let leaves = self.leaves(ty).into_iter().flat_map(|l| l.to_vec());
                let leaves: Vec<_> = leaves.collect();
                let load = |leaf: &super::shape::Leaf| {
                    let address = self.moved(address, leaf.offset);
                    self.load_scalar(Access::sure(address), leaf.ty)
                };
                leaves.iter().map(load).collect()
            }
        }
    }

    /// Writes a value to a place.
    pub(super) fn store(&mut self, spot: &Spot, ty: TypeId, value: Value) -> Result<()> {
        match spot {
            Spot::Registers(registers) => {
                let terms = self.value_leaves(value, ty);
                self.assign_all(registers, &terms);
            }
            Spot::Memory(access) if self.is_record(ty) => {
                self.check_pointer(*access);
                match value {
                    Value::Memory(from) => {
                        let length = self.size_term(ty)?;
                        self.copy(access.address, from, length);
                    }
                    value => {
                        let terms = self.value_leaves(value, ty);
                        self.store_leaves(access.address, ty, &terms);
                    }
                }
            }
            Spot::Memory(access) => {
                if let Value::Scalar(term) = value {
                    self.store_scalar(*access, ty, term);
                }
            }
            Spot::Leaves(_) => {
                return Err(Diagnostic::error(self.span, "assignment to a temporary value"));
            }
        }
        Ok(())
    }

    pub(super) fn store_leaves(&mut self, address: Term, ty: TypeId, terms: &[Term]) {
        let Some(leaves) = self.leaves(ty) else { return };
        for (leaf, &term) in leaves.iter().zip(terms) {
            let address = self.moved(address, leaf.offset);
            self.store_scalar(Access::sure(address), leaf.ty, term);
        }
    }

    /// Assigns several registers at once: as in `s = (struct S){ s.b, s.a }`, a value may depend
    /// on a register that another one overwrites.
    pub(super) fn assign_all(&mut self, registers: &[VariableId], terms: &[Term]) {
        let exact: Vec<Term> = registers
            .iter()
            .zip(terms)
            .map(|(r, t)| self.coerce(*t, self.variables[*r].sort))
            .collect();
        let kept: Vec<Term> = if exact.len() > 1 {
            let changed: Vec<Term> = registers.iter().map(|r| self.term_of(*r)).collect();
            let depends = |lowerer: &Self, i: usize| {
                let free = term::traverse::free_vars(&lowerer.pool, &exact[i..=i]);
                changed[..i].iter().any(|c| free.contains(c))
            };
            (0..exact.len())
                .map(|i| if depends(self, i) { self.keep(exact[i]) } else { exact[i] })
                .collect()
        } else {
            exact
        };
        for (register, term) in registers.iter().zip(kept) {
            self.assign(*register, term);
        }
    }
}
