//! `volatile` objects: what somebody else may change at any time.
//!
//! Which access is one is said by the type of the place that is accessed [C11 §6.7.3]. Each read gives
//! any value; the access itself is made and checked as ever, and so is a write, which no later read
//! of that kind sees. An automatic object whose address nobody takes is out of everybody's reach: it
//! is like any other. Of a struct with `volatile` members, these are unknown where it is copied.
//!
//! **Devices.** A `volatile` place behind a constant address is no object of the program, but a
//! device: a read gives any value, a write goes nowhere, and no pointer is invalid. That there is a
//! device is assumed, and said of each address.

use super::expression::Value;
use super::place::Spot;
use super::{Lowerer, Volatile};
use crate::constant::Constant;
use crate::diagnostic::Result;
use crate::typed::{Conversion, ExprId, ExprKind, InitValue, PlaceId, PlaceKind, Storage};
use crate::types::{ArrayLength, QualType, Type, TypeId};
use program::program::{Cause, Instruction};
use term::Term;

/// Of arrays with more elements all is unknown, if some of an element is.
const MAX_ELEMENTS: u64 = 64;

impl Lowerer<'_> {
    /// The value that a read of a place gives.
    pub(super) fn read(&mut self, place: PlaceId, spot: &Spot, ty: TypeId) -> Result<Value> {
        if self.options.world.volatile == Volatile::Ignored {
            return Ok(self.load(spot, ty));
        }
        let parts = self.volatile_parts(place);
        if parts.is_empty() || !self.is_unknown() {
            if !parts.is_empty() {
                self.trust_volatile();
            }
            return Ok(self.load(spot, ty));
        }
        let cause = Cause::Input(format!("volatile read of '{}'", self.described(place)).into());
        if let Some(device) = self.device_at(place) {
            self.assume_device(device);
            return self.unknown_value(ty, cause);
        }
        let value = self.load(spot, ty);
        match value {
            Value::Scalar(_) => self.unknown_value(ty, cause),
            Value::Leaves(mut terms) => {
                let leaves = self.leaves(ty);
                for (leaf, term) in leaves.iter().flat_map(|l| l.iter()).zip(&mut terms) {
                    if parts.iter().any(|part| part.contains(leaf.offset)) {
                        *term = self.unknown(self.pool.sort(*term), cause.clone());
                    }
                }
                Ok(Value::Leaves(terms))
            }
            Value::Memory(from) => {
                let size = self.size_term(ty)?;
                let copy = self.temporary_object(ty, size);
                self.copy(copy, from, size);
                for part in parts {
                    let address = self.moved(copy, part.offset);
                    let (length, cause) = (self.pointer_bits(part.size), cause.clone());
                    self.emit(Instruction::HavocBytes { address, length, cause });
                }
                Ok(Value::Memory(copy))
            }
            Value::Void => Ok(Value::Void),
        }
    }

    /// What a read through a pointer gives that is no place of the source: `value`, if nobody changes
    /// what is there.
    pub(super) fn read_through(&mut self, to: QualType, value: Term) -> Result<Term> {
        if !to.is_volatile() {
            return Ok(value);
        }
        if !self.is_unknown() {
            self.trust_volatile();
            return Ok(value);
        }
        let cause = Cause::Input("volatile read of what a pointer points to".into());
        match self.unknown_value(to.ty, cause)? {
            Value::Scalar(unknown) => Ok(unknown),
            _ => Ok(value),
        }
    }

    /// Writes a value to a place, unless it is a device.
    pub(super) fn write(
        &mut self,
        place: PlaceId,
        spot: &Spot,
        ty: TypeId,
        value: Value,
    ) -> Result<()> {
        match self.device_at(place) {
            Some(device) => {
                self.assume_device(device);
                Ok(())
            }
            None => self.store(spot, ty, value),
        }
    }

    /// Whether a read of a place takes an unknown value.
    pub(super) fn reads_unknown(&self, place: PlaceId) -> bool {
        self.is_unknown() && !self.volatile_parts(place).is_empty()
    }

    fn is_unknown(&self) -> bool {
        self.options.world.volatile == Volatile::Unknown
    }

    fn trust_volatile(&mut self) {
        if self.options.world.volatile == Volatile::Stable {
            self.assume_that("volatile objects change only where the program writes them".into());
        }
    }

    // What is volatile.

    /// The parts of a place that somebody else may change.
    fn volatile_parts(&self, place: PlaceId) -> Vec<Part> {
        let ty = self.c.places[place].ty;
        let scalar = self.register_sort(ty.ty).is_some();
        if (scalar && !ty.is_volatile()) || self.is_out_of_reach(place) {
            return Vec::new();
        }
        let mut parts = Vec::new();
        self.find_volatile(ty, 0, &mut parts);
        parts
    }

    fn find_volatile(&self, ty: QualType, offset: u64, parts: &mut Vec<Part>) {
        let size = self.c.types.size_of(ty.ty).unwrap_or(0);
        if ty.is_volatile() {
            parts.push(Part { offset, size });
            return;
        }
        match *self.ty(ty.ty) {
            Type::Array(element, ArrayLength::Fixed(length)) => {
                let mut inner = Vec::new();
                self.find_volatile(element, offset, &mut inner);
                let each = self.c.types.size_of(element.ty).unwrap_or(0);
                if !inner.is_empty() && length > MAX_ELEMENTS {
                    parts.push(Part { offset, size });
                    return;
                }
                for i in 0..if inner.is_empty() { 0 } else { length } {
                    let moved = |part: &Part| Part { offset: part.offset + i * each, ..*part };
                    parts.extend(inner.iter().map(moved));
                }
            }
            Type::Record(record) => {
                let body = self.c.types.records[record].body.as_ref();
                for field in body.iter().flat_map(|body| &body.fields) {
                    match field.bits {
                        Some(bits) if field.ty.is_volatile() => {
                            let first = bits.position / 8;
                            let end = (bits.position + u64::from(bits.width)).div_ceil(8);
                            parts.push(Part { offset: offset + first, size: end - first });
                        }
                        Some(_) => {}
                        None => self.find_volatile(field.ty, offset + field.offset, parts),
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether a place is of an automatic object whose address nobody takes, or of a value.
    fn is_out_of_reach(&self, mut place: PlaceId) -> bool {
        loop {
            match self.c.places[place].kind {
                PlaceKind::Object(object) | PlaceKind::Compound(object, _) => {
                    let local = self.c.objects[object].storage != Storage::Static;
                    return local && !self.escaping.contains(&object);
                }
                PlaceKind::Index(base, _) | PlaceKind::Field { base, .. } => place = base,
                PlaceKind::String(_) | PlaceKind::Temporary(_) => return true,
                PlaceKind::Deref(_) => return false,
            }
        }
    }

    // Devices.

    /// The device that a volatile place is of: it lies behind a constant address.
    fn device_at(&self, place: PlaceId) -> Option<Device> {
        let entry = &self.c.places[place];
        if !self.is_unknown() || !entry.ty.is_volatile() {
            return None;
        }
        let mut part = Part { offset: 0, size: self.c.types.size_of(entry.ty.ty).unwrap_or(1) };
        let mut at = place;
        loop {
            match self.c.places[at].kind {
                PlaceKind::Field { base, offset, bits, .. } => {
                    part.offset += bits.map_or(offset, |bits| bits.position / 8);
                    at = base;
                }
                PlaceKind::Index(base, index) => {
                    let size = |place: PlaceId| self.c.types.size_of(self.c.places[place].ty.ty);
                    match self.c.exprs[index].kind {
                        ExprKind::Int(i) => part.offset += size(at).unwrap_or(0) * i as u64,
                        _ => part = Part { offset: 0, size: size(base).unwrap_or(1) },
                    }
                    at = base;
                }
                PlaceKind::Deref(pointer) => {
                    let mut device = self.device_behind(pointer, part.size)?;
                    device.address = device.address.wrapping_add(part.offset);
                    return Some(device);
                }
                _ => return None,
            }
        }
    }

    /// The device of so many bytes that a pointer points to: it is a constant, and not null, or is
    /// computed from one by moving it.
    fn device_behind(&self, mut pointer: ExprId, size: u64) -> Option<Device> {
        let (mut moved, mut size) = (0u64, Some(size));
        loop {
            let known = self.c.constants.get(pointer).map(|known| known.value);
            match self.c.exprs[pointer].kind {
                _ if matches!(known, Some(Constant::Int(_))) => {
                    let Some(Constant::Int(bits)) = known else { return None };
                    return Device::new(bits as u64, moved, size);
                }
                ExprKind::Int(bits) => return Device::new(bits as u64, moved, size),
                ExprKind::Convert(
                    Conversion::PointerToPointer
                    | Conversion::IntToPointer
                    | Conversion::IntToInt
                    | Conversion::Same,
                    operand,
                ) => pointer = operand,
                ExprKind::PointerAdd { pointer: operand, index, subtract: false, .. } => {
                    match self.constant_distance(pointer, index) {
                        Some(distance) => moved = moved.wrapping_add(distance),
                        None => size = None,
                    }
                    pointer = operand;
                }
                ExprKind::Load(place) => pointer = self.constant_pointer(place)?,
                _ => return None,
            }
        }
    }

    /// By how many bytes a constant index moves a pointer.
    fn constant_distance(&self, moved: ExprId, index: ExprId) -> Option<u64> {
        let to = self.c.types.pointee(self.c.exprs[moved].ty)?;
        let size = self.c.types.size_of(to.ty)?;
        match self.c.exprs[index].kind {
            ExprKind::Int(index) => Some(size.wrapping_mul(index as u64)),
            _ => None,
        }
    }

    /// What a constant pointer is initialized with.
    fn constant_pointer(&self, place: PlaceId) -> Option<ExprId> {
        let entry = &self.c.places[place];
        let PlaceKind::Object(object) = entry.kind else { return None };
        if !entry.ty.is_const() || entry.ty.is_volatile() {
            return None;
        }
        match self.c.inits[self.c.objects[object].init?].entries.as_slice() {
            [only] => match only.value {
                InitValue::Expr(value) => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    fn assume_device(&mut self, device: Device) {
        let Device { address, size } = device;
        let what = match size {
            Some(1) => format!("the byte at {address:#x}"),
            Some(size) => format!("the {size} bytes at {address:#x}"),
            None => format!("all that is used from {address:#x} on"),
        };
        self.assume_that(format!("a device has {what}, and no object of the program"));
    }

    // Words.

    /// A place as the source writes it, as far as that is short.
    fn described(&self, place: PlaceId) -> String {
        let name = |symbol| self.symbol_name(symbol);
        match self.c.places[place].kind {
            PlaceKind::Object(object) => {
                self.c.objects[object].name.map_or("object", name).to_owned()
            }
            PlaceKind::Field { base, record, field, .. } => {
                let body = self.c.types.records[record].body.as_ref();
                let field = body.and_then(|body| body.fields[field as usize].name);
                let Some(field) = field.map(name) else { return self.described(base) };
                match self.c.places[base].kind {
                    PlaceKind::Deref(pointer) => format!("{}->{field}", self.pointer_text(pointer)),
                    _ => format!("{}.{field}", self.described(base)),
                }
            }
            PlaceKind::Index(base, index) => {
                let index = match self.c.exprs[index].kind {
                    ExprKind::Int(bits) => bits.to_string(),
                    _ => "…".to_owned(),
                };
                format!("{}[{index}]", self.described(base))
            }
            PlaceKind::Deref(pointer) => format!("*{}", self.pointer_text(pointer)),
            PlaceKind::String(_) | PlaceKind::Compound(..) | PlaceKind::Temporary(_) => {
                "object".to_owned()
            }
        }
    }

    fn pointer_text(&self, pointer: ExprId) -> String {
        match self.c.exprs[pointer].kind {
            ExprKind::Load(place) => self.described(place),
            ExprKind::Convert(Conversion::PointerToPointer, operand) => self.pointer_text(operand),
            _ => match self.device_behind(pointer, 1) {
                Some(Device { address, size: Some(_) }) => format!("{address:#x}"),
                _ => "(…)".to_owned(),
            },
        }
    }
}

/// What lies at a constant address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Device {
    address: u64,
    /// How many bytes, if that is known.
    size: Option<u64>,
}

impl Device {
    /// A device so many bytes behind an address, which is not null.
    fn new(address: u64, moved: u64, size: Option<u64>) -> Option<Device> {
        (address != 0).then(|| Device { address: address.wrapping_add(moved), size })
    }
}

/// Some bytes of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    offset: u64,
    size: u64,
}

impl Part {
    fn contains(&self, offset: u64) -> bool {
        (self.offset..self.offset + self.size).contains(&offset)
    }
}
