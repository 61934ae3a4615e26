//! Where objects live: registers, static memory, the stack. Contents of static memory, and its
//! addresses.

use super::Lowerer;
use crate::constant::{Base, Constant};
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::{ExprId, FunctionId, InitId, InitValue, ObjectId, PathStep, Storage, StringId};
use crate::types::{BitField, FloatKind, QualType, Type, TypeId};
use program::program::{Reading, VariableId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use term::{Sort, Term};
use value::{Bits, Float};

/// Where an object lives.
#[derive(Clone, Debug)]
pub(super) enum Home {
    /// In registers: one, or one for each leaf.
    Registers(Vec<VariableId>),
    /// At an address that is the same for the whole run.
    Static(Term),
    /// At the address that a register holds.
    Stack(VariableId),
}

/// The most subobjects that one initializer may give values to.
const MAX_ENTRIES: u64 = 1 << 22;
/// The size of an object that is declared without one.
const UNDECLARED_SIZE: u64 = 1 << 16;
/// Unused bytes after each static object, at least.
const GAP: u64 = 16;
/// The address of the first function, and of the first object.
const FIRST_FUNCTION: u64 = 0x1000;
const FIRST_OBJECT: u64 = 0x1_0000;

impl Lowerer<'_> {
    /// Whether an object is kept in registers.
    pub(super) fn lives_in_registers(&mut self, object: ObjectId) -> bool {
        let ty = self.c.objects[object].ty.ty;
        !self.escaping.contains(&object)
            && (self.register_sort(ty).is_some() || self.leaves(ty).is_some())
    }

    /// Where an object lives; decided at its first mention.
    pub(super) fn home(&mut self, object: ObjectId) -> Home {
        if let Some(home) = self.homes.get(&object) {
            return home.clone();
        }
        let is_static = self.c.objects[object].storage == Storage::Static;
        let home = if self.lives_in_registers(object) {
            let registers = self.object_registers(object);
            if is_static {
                self.static_registers.push(object);
                self.static_variables.extend(&registers);
            }
            Home::Registers(registers)
        } else if is_static {
            self.pending_objects.push(object);
            Home::Static(self.new_static(object))
        } else {
            let name = format!("&{}", self.object_name(object));
            let width = self.pointer_width();
            let span = self.c.objects[object].span;
            let (sort, reading) = (Sort::BitVec(width), Reading::Address);
            Home::Stack(self.new_variable(name, None, sort, reading, true, span))
        };
        self.homes.insert(object, home.clone());
        home
    }

    /// The name of an object, with that of its function.
    pub(super) fn object_name(&self, object: ObjectId) -> String {
        let entry = &self.c.objects[object];
        let name = entry.name.map_or("<unnamed>", |n| self.symbol_name(n));
        match entry.function {
            Some(function) => {
                format!("{}::{name}", self.symbol_name(self.c.functions[function].name))
            }
            None => name.to_owned(),
        }
    }

    /// New registers for an object of scalar type or with leaves.
    pub(super) fn object_registers(&mut self, object: ObjectId) -> Vec<VariableId> {
        let entry = &self.c.objects[object];
        let (ty, span) = (entry.ty.ty, entry.span);
        let local = entry.storage != Storage::Static;
        let shown = entry.name.map(|n| self.symbol_name(n));
        let name = self.object_name(object);
        if let Some(sort) = self.register_sort(ty) {
            let reading = self.reading(ty);
            let shown = shown.map(Arc::from);
            return vec![self.new_variable(name, shown, sort, reading, local, span)];
        }
        let leaves = self.leaves(ty).expect("asked of objects that live in registers");
        let mut registers = Vec::with_capacity(leaves.len());
        for leaf in leaves.iter() {
            let sort = self.register_sort(leaf.ty).expect("a leaf is a scalar");
            let reading = self.reading(leaf.ty);
            let shown = shown.map(|s| Arc::from(format!("{s}{}", leaf.path)));
            let name = format!("{name}{}", leaf.path);
            registers.push(self.new_variable(name, shown, sort, reading, local, span));
        }
        registers
    }

    /// Whether nothing writes to an object of the type: an array is as constant as its elements.
    pub(super) fn is_constant(&self, mut ty: QualType) -> bool {
        while let Type::Array(element, _) = self.ty(ty.ty) {
            if ty.is_const() {
                break;
            }
            ty = *element;
        }
        ty.is_const() && !ty.is_volatile()
    }

    fn new_static(&mut self, object: ObjectId) -> Term {
        let c = self.c;
        let entry = &c.objects[object];
        let (ty, span) = (entry.ty, entry.span);
        let declared = c.types.size_of(ty.ty).unwrap_or(0);
        let extent = entry.init.map_or(0, |init| c.inits[init].extent);
        let align = entry.align.unwrap_or(1).max(self.align_of(ty));
        let name = self.object_name(object);
        let stream = self.standard_variable(object);
        let unknown = !entry.defined && entry.init.is_none() && stream.is_none();
        if unknown {
            let text = format!("the contents of '{name}', which is declared only, are unknown");
            self.span = span;
            self.warn_that(text);
        }
        let shown = entry.name.map_or("<unnamed>", |n| self.symbol_name(n));
        let scalars = self.scalar_sizes(ty.ty);
        let mut size = declared.max(extent).max(1);
        if unknown && !c.types.is_complete(ty.ty) {
            size = UNDECLARED_SIZE;
            self.assume_that(format!("'{name}', whose size is not declared, has {size} bytes"));
        }
        let constant = self.is_constant(ty);
        let unknown = unknown || self.is_forgotten(object);
        let shown = Arc::from(shown);
        let address = self.add_object(name, shown, (size, align), constant, scalars, span, unknown);
        self.set_contents(address, stream.map(|stream| (0, stream)).into_iter().collect());
        address
    }

    #[allow(clippy::too_many_arguments)]
    fn add_object(
        &mut self,
        unique: String,
        name: Arc<str>,
        (size, align): (u64, u64),
        constant: bool,
        scalars: Vec<u32>,
        span: crate::source::Span,
        unknown: bool,
    ) -> Term {
        let unique = self.unique_name(format!("&{unique}"));
        let address = self.pool.var(&unique, Sort::BitVec(self.pointer_width()));
        self.static_addresses.insert(address);
        let place = self.place_of(span);
        let initial = Vec::new();
        let id = self.objects.alloc(program::Object {
            name,
            address,
            size,
            align,
            initial,
            unknown,
            constant,
            scalars,
            place,
        });
        self.object_ids.insert(address, id);
        address
    }

    /// An object of the C library, made at its first use.
    pub(super) fn named_object(
        &mut self,
        name: &str,
        size: u64,
        scalars: Vec<u32>,
        contents: impl FnOnce(&mut Self, Term) -> Vec<(u64, Term)>,
    ) -> Term {
        if let Some(&address) = self.named_objects.get(name) {
            return address;
        }
        let align = scalars.last().map_or(1, |s| u64::from(*s));
        let (unique, shown, span) = (name.to_owned(), Arc::from(name), self.span);
        let address = self.add_object(unique, shown, (size, align), false, scalars, span, false);
        let initial = contents(self, address);
        self.set_contents(address, initial);
        self.named_objects.insert(name.to_owned(), address);
        address
    }

    fn set_contents(&mut self, address: Term, initial: Vec<(u64, Term)>) {
        if let Some(&id) = self.object_ids.get(&address) {
            self.objects[id].initial = initial;
        }
    }

    /// The address of a string literal.
    pub(super) fn string_address(&mut self, string: StringId) -> Term {
        if let Some(&address) = self.strings.get(&string) {
            return address;
        }
        let c = self.c;
        let ty = c.strings[string].ty;
        let size = c.types.size_of(ty).unwrap_or(1).max(1);
        let scalars = self.scalar_sizes(ty);
        let width = scalars.first().copied().unwrap_or(1);
        let align = u64::from(width);
        let name = Arc::from("string literal");
        let span = self.span;
        let unique = "string".to_owned();
        let address = self.add_object(unique, name, (size, align), true, scalars, span, false);
        let initial = self.string_contents(string, 0, size);
        self.set_contents(address, initial);
        self.strings.insert(string, address);
        address
    }

    /// The characters of a string that are not zero, as far as they fit.
    pub(super) fn string_contents(
        &self,
        string: StringId,
        offset: u64,
        size: u64,
    ) -> Vec<(u64, Term)> {
        let object = &self.c.strings[string];
        let width = match self.ty(object.ty) {
            crate::types::Type::Array(element, _) => self.c.types.size_of(element.ty).unwrap_or(1),
            _ => 1,
        };
        let units = object.literal.units.iter().enumerate();
        units
            .map(|(i, &unit)| (i as u64 * width, unit))
            .filter(|&(at, unit)| unit != 0 && at + width <= size)
            .map(|(at, unit)| (offset + at, self.pool.bv(u64::from(unit), width as u32 * 8)))
            .collect()
    }

    /// The initial contents of a static object in memory.
    pub(super) fn lower_static(&mut self, object: ObjectId) -> Result<()> {
        let init = self.c.objects[object].init.filter(|_| !self.is_forgotten(object));
        let Some(init) = init else { return Ok(()) };
        let Some(Home::Static(address)) = self.homes.get(&object).cloned() else { return Ok(()) };
        self.span = self.c.objects[object].span;
        let initial = self.static_contents(init)?;
        self.set_contents(address, initial);
        Ok(())
    }

    /// What a static initializer says, without overlap and zeros.
    fn static_contents(&mut self, init: InitId) -> Result<Vec<(u64, Term)>> {
        let c = self.c;
        let mut contents = Contents::default();
        let mut count = 0u64;
        for entry in &c.inits[init].entries {
            let offsets = self.repeated_offsets(entry.offset, &entry.path, &mut count)?;
            for offset in offsets {
                let moved = offset - entry.offset;
                match entry.value {
                    InitValue::Zero => {
                        let size = c.types.size_of(entry.ty.ty).unwrap_or(0);
                        contents.clear(self, offset, size);
                    }
                    InitValue::String(string) => {
                        let size = c.types.size_of(entry.ty.ty).unwrap_or(0);
                        contents.clear(self, offset, size);
                        for (at, term) in self.string_contents(string, offset, size) {
                            contents.put(self, at, term);
                        }
                    }
                    InitValue::Expr(value) => {
                        let term = self.static_value(value)?;
                        match entry.bits {
                            Some(bits) => {
                                let position = bits.position + moved * 8;
                                let bits = BitField { position, ..bits };
                                contents.put_bits(self, bits, term);
                            }
                            None => {
                                let stored = self.to_memory(term, entry.ty.ty);
                                contents.put(self, offset, stored);
                            }
                        }
                    }
                }
            }
        }
        Ok(contents.finish(self))
    }

    /// The offsets at which an entry applies: one, or several if its path has ranges.
    pub(super) fn repeated_offsets(
        &self,
        offset: u64,
        path: &[PathStep],
        count: &mut u64,
    ) -> Result<Vec<u64>> {
        let mut offsets = vec![offset];
        for step in path {
            if let PathStep::Range { first, last, stride } = *step {
                let repeated = (last - first + 1).saturating_mul(offsets.len() as u64);
                if repeated > MAX_ENTRIES {
                    return Err(Diagnostic::error(self.span, "initializer is too large"));
                }
                offsets = offsets
                    .iter()
                    .flat_map(|o| (0..=last - first).map(move |i| o + i * stride))
                    .collect();
            }
        }
        *count += offsets.len() as u64;
        if *count > MAX_ENTRIES {
            return Err(Diagnostic::error(self.span, "initializer is too large"));
        }
        Ok(offsets)
    }

    /// The value of a constant expression in a static initializer.
    pub(super) fn static_value(&mut self, value: ExprId) -> Result<Term> {
        let c = self.c;
        let ty = c.exprs[value].ty;
        let Some(known) = c.constants.get(value) else {
            let span = c.exprs[value].span;
            return Err(Diagnostic::error(span, "initializer is not constant"));
        };
        self.constant_term(known.value, ty)
    }

    /// The term of a constant of a type.
    pub(super) fn constant_term(&mut self, constant: Constant, ty: TypeId) -> Result<Term> {
        match constant {
            Constant::Int(bits) => match self.register_sort(ty) {
                Some(Sort::Bool) => Ok(self.pool.bool(bits != 0)),
                Some(Sort::BitVec(width)) => Ok(self.pool.bits(Bits::from_u128(width, bits))),
                _ => Err(Diagnostic::error(self.span, "integer constant of another type")),
            },
            Constant::Float(value) => Ok(self.float_constant(value.kind, value.bits)),
            Constant::Address(base, offset) => {
                let address = match base {
                    Base::Object(object) => self.object_address(object)?,
                    Base::Function(function) => self.function_address(function),
                    Base::String(string) => self.string_address(string),
                };
                let moved = self.pool.bv_add(address, self.pointer_bits(offset as u64));
                let width = match self.register_sort(ty) {
                    Some(Sort::BitVec(width)) => width,
                    Some(Sort::Bool) => return Ok(self.pool.tru()),
                    _ => self.pointer_width(),
                };
                Ok(self.resize(moved, width, self.is_signed(ty)))
            }
        }
    }

    pub(super) fn float_constant(&self, kind: FloatKind, bits: u128) -> Term {
        self.pool.float(match kind {
            FloatKind::LongDouble => Float::from_x87(&Bits::from_u128(80, bits)),
            kind => {
                let format = super::shape::format_of(kind);
                Float::from_bits(format, &Bits::from_u128(format.width(), bits))
            }
        })
    }

    /// The address of an object in memory.
    pub(super) fn object_address(&mut self, object: ObjectId) -> Result<Term> {
        match self.home(object) {
            Home::Static(address) => Ok(address),
            Home::Stack(variable) => Ok(self.term_of(variable)),
            Home::Registers(_) => {
                let name = self.object_name(object);
                Err(Diagnostic::error(self.span, format!("'{name}' has no address")))
            }
        }
    }

    /// The address of a function, which is given one.
    pub(super) fn function_address(&mut self, function: FunctionId) -> Term {
        let function = self.resolve(function);
        let id = self.addressed_function(function);
        if let Some(address) = self.functions[id].address {
            return address;
        }
        let name = format!("&{}", self.functions[id].name);
        let name = self.unique_name(name);
        let address = self.pool.var(&name, Sort::BitVec(self.pointer_width()));
        self.static_addresses.insert(address);
        self.functions[id].address = Some(address);
        address
    }

    /// Numbers for all static addresses.
    pub(super) fn lay_out(&self) -> Result<FxHashMap<Term, Bits>> {
        let width = self.pointer_width();
        let mut addresses = FxHashMap::default();
        let mut next = FIRST_FUNCTION;
        let addressed: Vec<Term> = self.functions.iter().filter_map(|(_, f)| f.address).collect();
        for &address in &addressed {
            addresses.insert(address, Bits::from_u64(width, next));
            next += 16;
        }
        let too_large = || Diagnostic::error(self.span, "static objects exceed the memory");
        let mut next = next.max(FIRST_OBJECT);
        for (_, object) in self.objects.iter() {
            next = next.checked_next_multiple_of(object.align.max(1)).ok_or_else(too_large)?;
            addresses.insert(object.address, Bits::from_u64(width, next));
            next = next.checked_add(object.size + GAP).ok_or_else(too_large)?;
            if next > self.c.types.max_size() {
                return Err(too_large());
            }
        }
        Ok(addresses)
    }
}

/// The contents of an object: values at offsets, without overlap.
#[derive(Default)]
struct Contents {
    pieces: BTreeMap<u64, Term>,
}

impl Contents {
    fn size(lowerer: &Lowerer<'_>, term: Term) -> u64 {
        match lowerer.pool.sort(term) {
            Sort::Float(format) => u64::from(format.width() / 8),
            sort => u64::from(sort.width().unwrap_or(8) / 8),
        }
    }

    /// Takes back what was given for a range of bytes; pieces that stick out keep their rest.
    fn clear(&mut self, lowerer: &Lowerer<'_>, offset: u64, size: u64) {
        let end = offset + size;
        let touched: Vec<(u64, Term)> = self
            .pieces
            .range(..end)
            .rev()
            .take_while(|(at, _)| **at + 16 > offset)
            .filter(|(at, term)| **at + Self::size(lowerer, **term) > offset)
            .map(|(at, term)| (*at, *term))
            .collect();
        let pool = &lowerer.pool;
        for (at, term) in touched {
            self.pieces.remove(&at);
            let bits = match pool.sort(term) {
                Sort::Float(_) => pool.fp_to_bits(term),
                _ => term,
            };
            for i in 0..Self::size(lowerer, term) {
                if at + i < offset || at + i >= end {
                    let low = i as u32 * 8;
                    self.pieces.insert(at + i, pool.bv_extract(bits, low + 7, low));
                }
            }
        }
    }

    fn put(&mut self, lowerer: &Lowerer<'_>, offset: u64, term: Term) {
        self.clear(lowerer, offset, Self::size(lowerer, term));
        self.pieces.insert(offset, term);
    }

    /// Sets bits, byte by byte.
    fn put_bits(&mut self, lowerer: &Lowerer<'_>, field: BitField, value: Term) {
        let pool = &lowerer.pool;
        let value = match pool.sort(value) {
            Sort::Bool => pool.bv_from_bool(value),
            _ => value,
        };
        for i in 0..field.width {
            let at = field.position + u64::from(i);
            let (byte, bit) = (at / 8, (at % 8) as u32);
            if self.pieces.get(&byte).is_none_or(|t| pool.width(*t) != 8) {
                self.clear(lowerer, byte, 1);
            }
            let old = self.pieces.get(&byte).copied().unwrap_or_else(|| pool.bv(0, 8));
            let new = pool.bv_extract(value, i, i);
            let mut changed = new;
            if bit > 0 {
                changed = pool.bv_concat(changed, pool.bv_extract(old, bit - 1, 0));
            }
            if bit < 7 {
                changed = pool.bv_concat(pool.bv_extract(old, 7, bit + 1), changed);
            }
            self.pieces.insert(byte, changed);
        }
    }

    fn finish(self, lowerer: &Lowerer<'_>) -> Vec<(u64, Term)> {
        let pool = &lowerer.pool;
        let is_zero = |term: Term| match pool.value(term) {
            Some(term::Value::Bits(bits)) => bits.is_zero(),
            Some(term::Value::Float(float)) => float.is_zero() && !float.is_negative(),
            _ => false,
        };
        self.pieces.into_iter().filter(|(_, term)| !is_zero(*term)).collect()
    }
}
