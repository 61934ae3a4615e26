//! How values of a type are represented: the sort of a scalar in a register and in memory, and
//! the leaves of a struct that is kept in registers.

use super::Lowerer;
use crate::types::{ArrayLength, FloatKind, QualType, RecordId, Type, TypeId};
use program::program::Reading;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use term::Sort;
use value::Format;

/// A struct with more leaves than this lives in memory.
const MAX_LEAVES: usize = 64;

/// A scalar part of a struct.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// Its offset in bytes.
    pub(super) offset: u64,
    /// Its type.
    pub(super) ty: TypeId,
    /// The way to it: `.a.b`
    pub(super) path: String,
}

/// The leaves of structs; none where a struct is not kept in registers.
pub(super) type Leaves = Option<Rc<[Leaf]>>;

/// What is known of records.
#[derive(Default)]
pub(super) struct Shapes {
    leaves: FxHashMap<RecordId, Leaves>,
}

/// The float format of a type.
pub(super) fn format_of(kind: FloatKind) -> Format {
    match kind {
        FloatKind::Float => Format::F32,
        FloatKind::Double => Format::F64,
        FloatKind::LongDouble => Format::X87,
        FloatKind::Quad => Format::F128,
    }
}

impl Lowerer<'_> {
    pub(super) fn ty(&self, ty: TypeId) -> &Type {
        self.c.types.get(ty)
    }

    pub(super) fn is_record(&self, ty: TypeId) -> bool {
        self.c.types.record(ty).is_some()
    }

    /// The sort of a scalar in registers; none for other types.
    pub(super) fn register_sort(&self, ty: TypeId) -> Option<Sort> {
        Some(match self.ty(ty) {
            Type::Bool => Sort::Bool,
            Type::Int(_) | Type::Enum(_) => Sort::BitVec(self.c.types.shape(ty)?.width),
            Type::Float(kind) => Sort::Float(format_of(*kind)),
            Type::Pointer(_) => Sort::BitVec(self.pointer_width()),
            _ => return None,
        })
    }

    /// The sort of a scalar in memory.
    pub(super) fn memory_sort(&self, ty: TypeId) -> Option<Sort> {
        Some(match self.ty(ty) {
            Type::Float(FloatKind::LongDouble) => Sort::BitVec(80),
            Type::Float(kind) => Sort::Float(format_of(*kind)),
            Type::Bool | Type::Int(_) | Type::Enum(_) | Type::Pointer(_) => {
                Sort::BitVec(u32::try_from(self.c.types.size_of(ty)? * 8).ok()?)
            }
            _ => return None,
        })
    }

    /// Whether an integer type is signed; pointers and `_Bool` are not.
    pub(super) fn is_signed(&self, ty: TypeId) -> bool {
        self.c.types.shape(ty).is_some_and(|shape| shape.signed)
    }

    pub(super) fn reading(&self, ty: TypeId) -> Reading {
        match self.ty(ty) {
            Type::Bool => Reading::Bool,
            Type::Float(_) => Reading::Float,
            Type::Pointer(_) => Reading::Address,
            _ if self.is_signed(ty) => Reading::Signed,
            _ => Reading::Unsigned,
        }
    }

    /// The leaves of a struct type that is kept in registers.
    pub(super) fn leaves(&mut self, ty: TypeId) -> Leaves {
        let record = self.c.types.record(ty)?;
        if let Some(known) = self.shapes.leaves.get(&record) {
            return known.clone();
        }
        let leaves = self.find_leaves(record);
        self.shapes.leaves.insert(record, leaves.clone());
        leaves
    }

    fn find_leaves(&mut self, record: RecordId) -> Leaves {
        // Registers can't say of a copy which of its parts have values.
        if self.checks_values() {
            return None;
        }
        let c = self.c;
        let record = &c.types.records[record];
        let body = record.body.as_ref().filter(|_| !record.is_union)?;
        let mut leaves = Vec::new();
        for field in &body.fields {
            if field.bits.is_some() {
                return None;
            }
            let name = field.name.map(|n| format!(".{}", self.symbol_name(n)));
            let name = name.unwrap_or_default();
            if self.register_sort(field.ty.ty).is_some() {
                leaves.push(Leaf { offset: field.offset, ty: field.ty.ty, path: name });
            } else {
                for inner in self.leaves(field.ty.ty)?.iter() {
                    let offset = field.offset + inner.offset;
                    let path = format!("{name}{}", inner.path);
                    leaves.push(Leaf { offset, ty: inner.ty, path });
                }
            }
            if leaves.len() > MAX_LEAVES {
                return None;
            }
        }
        Some(leaves.into())
    }

    /// Which leaves of a struct a member has: the first, and how many.
    pub(super) fn member_leaves(&mut self, record: RecordId, field: u32) -> (usize, usize) {
        let c = self.c;
        let fields = c.types.records[record].body.as_ref().map(|b| &b.fields[..]).unwrap_or(&[]);
        let mut first = 0;
        for (i, member) in fields.iter().enumerate() {
            let count = self.leaves(member.ty.ty).map_or(1, |leaves| leaves.len());
            if i == field as usize {
                return (first, count);
            }
            first += count;
        }
        (first, 0)
    }

    /// The members of a struct: offsets and types.
    pub(super) fn members(&self, ty: TypeId) -> Vec<(u64, TypeId)> {
        let record = self.c.types.record(ty).map(|record| &self.c.types.records[record]);
        let body = record.and_then(|record| record.body.as_ref());
        let fields = body.iter().flat_map(|body| &body.fields);
        fields.map(|field| (field.offset, field.ty.ty)).collect()
    }

    /// The sizes of the scalars that a type consists of.
    pub(super) fn scalar_sizes(&self, ty: TypeId) -> Vec<u32> {
        let mut sizes = Vec::new();
        let mut todo = vec![ty];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(ty) = todo.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match self.ty(ty) {
                Type::Array(element, _) => todo.push(element.ty),
                Type::Record(record) => {
                    let body = self.c.types.records[*record].body.as_ref();
                    for field in body.iter().flat_map(|b| &b.fields) {
                        match field.bits {
                            // Bit-fields are read and written by the bytes they touch.
                            Some(_) => sizes.push(1),
                            None => todo.push(field.ty.ty),
                        }
                    }
                }
                Type::Float(FloatKind::LongDouble) => sizes.push(10),
                _ => sizes.extend(self.c.types.size_of(ty).map(|s| s as u32)),
            }
        }
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    pub(super) fn align_of(&self, ty: QualType) -> u64 {
        self.c.types.align_of(ty).max(1)
    }

    /// The length of an array type that is known.
    pub(super) fn array_length(&self, ty: TypeId) -> Option<u64> {
        match self.ty(ty) {
            Type::Array(_, ArrayLength::Fixed(n)) => Some(*n),
            _ => None,
        }
    }
}
