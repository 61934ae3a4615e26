//! Sizes, alignments and the placement of members, as gcc does it on x86.
//!
//! The rules are those of the System V ABI as gcc implements them: a bit-field may not span more
//! units of its type's alignment than its type does; named bit-fields align the record like
//! their type, unnamed ones do not; a zero-width bit-field moves to the next unit of its type
//! even in packed records; `#pragma pack` lets bit-fields span anything. On ILP32 the types of
//! eight bytes have alignment 8 as variables but 4 as members, which is why there are two
//! alignments here.

use crate::ast::Quals;
use crate::types::{
    ArrayLength, BitField, DataModel, Field, FloatKind, IntKind, QualType, Type, TypeId, TypeTable,
};

impl TypeTable {
    /// The largest object.
    #[must_use]
    pub fn max_size(&self) -> u64 {
        match self.model {
            DataModel::Ilp32 => i32::MAX as u64,
            DataModel::Lp64 => i64::MAX as u64,
        }
    }

    /// The size in bytes; none for incomplete types, functions and arrays of variable length.
    #[must_use]
    pub fn size_of(&self, ty: TypeId) -> Option<u64> {
        match self.get(ty) {
            Type::Void | Type::Function(_) => None,
            Type::Bool => Some(1),
            Type::Int(kind) => Some(self.int_size(*kind)),
            Type::Float(kind) => Some(match (kind, self.model) {
                (FloatKind::Float, _) => 4,
                (FloatKind::Double, _) => 8,
                (FloatKind::LongDouble, DataModel::Ilp32) => 12,
                (FloatKind::LongDouble, DataModel::Lp64) | (FloatKind::Quad, _) => 16,
            }),
            Type::Pointer(_) => Some(u64::from(self.pointer_width() / 8)),
            Type::Array(element, ArrayLength::Fixed(n)) => {
                self.size_of(element.ty)?.checked_mul(*n).filter(|&s| s <= self.max_size())
            }
            Type::Array(..) => None,
            Type::Record(id) => self.records[*id].body.as_ref().map(|b| b.size),
            Type::Enum(id) => self.enums[*id].underlying.map(|k| self.int_size(k)),
        }
    }

    fn int_size(&self, kind: IntKind) -> u64 {
        let bytes = u64::from(self.int_shape(kind).width.div_ceil(8));
        bytes.next_power_of_two()
    }

    /// Whether objects of the type can exist: its size is known, now or when it is reached.
    #[must_use]
    pub fn is_complete(&self, ty: TypeId) -> bool {
        match self.get(ty) {
            Type::Array(element, ArrayLength::Variable(_) | ArrayLength::Star) => {
                self.is_complete(element.ty)
            }
            Type::Array(element, ArrayLength::Fixed(_)) => self.is_complete(element.ty),
            _ => self.size_of(ty).is_some(),
        }
    }

    /// The alignment of a variable of the type (`__alignof__`).
    #[must_use]
    pub fn align_of(&self, ty: QualType) -> u64 {
        if let Some(imposed) = ty.alignment() {
            return imposed;
        }
        let natural = match self.get(ty.ty) {
            Type::Void | Type::Function(_) => 1,
            Type::Array(element, _) => self.align_of(*element),
            Type::Record(id) => self.records[*id].body.as_ref().map_or(1, |b| b.align),
            Type::Float(FloatKind::LongDouble) if self.model == DataModel::Ilp32 => 4,
            _ => self.size_of(ty.ty).unwrap_or(1),
        };
        self.atomic_align(ty, natural)
    }

    /// The alignment of a member of the type (`_Alignof`).
    #[must_use]
    pub fn member_align_of(&self, ty: QualType) -> u64 {
        let align = self.align_of(ty);
        if self.model == DataModel::Lp64 || self.has_imposed_alignment(ty) {
            return align;
        }
        let mut scalar = ty;
        while let Type::Array(element, _) = self.get(scalar.ty) {
            scalar = *element;
        }
        let reduced = matches!(
            self.get(scalar.ty),
            Type::Int(_) | Type::Enum(_) | Type::Float(FloatKind::Double)
        ) && !scalar.quals.contains(Quals::ATOMIC);
        if reduced { align.min(4) } else { align }
    }

    fn has_imposed_alignment(&self, ty: QualType) -> bool {
        match self.get(ty.ty) {
            _ if ty.alignment().is_some() => true,
            Type::Array(element, _) => self.has_imposed_alignment(*element),
            _ => false,
        }
    }

    fn atomic_align(&self, ty: QualType, natural: u64) -> u64 {
        match self.size_of(ty.ty) {
            Some(size @ (1 | 2 | 4 | 8 | 16)) if ty.quals.contains(Quals::ATOMIC) => {
                natural.max(size)
            }
            _ => natural,
        }
    }
}

/// A member to be placed.
#[derive(Clone, Debug)]
pub struct Member {
    /// The member; its offset and bits are filled in.
    pub field: Field,
    /// The width of a bit-field.
    pub width: Option<u32>,
    /// An alignment attribute of the member itself.
    pub aligned: Option<u64>,
    /// Whether the member or its record is packed.
    pub packed: bool,
}

/// Where the members of a record go.
#[derive(Debug)]
pub struct Placement {
    /// The members without unnamed bit-fields.
    pub fields: Vec<Field>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// Places members. `pack` is the limit of `#pragma pack` in bytes (0: none), `aligned` the
/// alignment attribute of the record. None if the record is too large.
#[must_use]
pub fn place(
    types: &TypeTable,
    is_union: bool,
    members: Vec<Member>,
    pack: u64,
    aligned: Option<u64>,
) -> Option<Placement> {
    let mut placer = Placer { types, pack, align: aligned.unwrap_or(1), bits: 0, end: 0 };
    let mut fields = Vec::with_capacity(members.len());
    for mut member in members {
        if is_union {
            placer.bits = 0;
        }
        match member.width {
            Some(width) => placer.bit_field(&mut member, width)?,
            None => placer.member(&mut member)?,
        }
        placer.end = placer.end.max(placer.bits);
        if member.width.is_none() || member.field.name.is_some() {
            fields.push(member.field);
        }
    }
    let size = round_up(placer.end, placer.align * 8)? / 8;
    (size <= types.max_size()).then_some(Placement { fields, size, align: placer.align })
}

struct Placer<'a> {
    types: &'a TypeTable,
    pack: u64,
    align: u64,
    /// Where the next member may start.
    bits: u64,
    /// The end of the members so far.
    end: u64,
}

fn round_up(value: u64, to: u64) -> Option<u64> {
    value.checked_next_multiple_of(to)
}

impl Placer<'_> {
    fn limit(&self, align: u64) -> u64 {
        if self.pack == 0 { align } else { align.min(self.pack) }
    }

    fn member(&mut self, member: &mut Member) -> Option<()> {
        let natural = self.types.member_align_of(member.field.ty);
        let align = match member.aligned {
            Some(own) if member.packed => own,
            // An attribute below the type's own alignment has no effect at all.
            Some(own) if own >= self.types.align_of(member.field.ty) => own,
            None if member.packed => 1,
            _ => natural,
        };
        let align = self.limit(align);
        self.align = self.align.max(align);
        self.bits = round_up(self.bits, align.checked_mul(8)?)?;
        member.field.offset = self.bits / 8;
        // Only an array of unknown length has no size here: a flexible array member.
        let size = self.types.size_of(member.field.ty.ty).unwrap_or(0);
        self.bits = self.bits.checked_add(size.checked_mul(8)?)?;
        Some(())
    }

    fn bit_field(&mut self, member: &mut Member, width: u32) -> Option<()> {
        let ty = member.field.ty;
        let unit = self.types.member_align_of(ty) * 8;
        if width == 0 {
            let own = member.aligned.unwrap_or(1) * 8;
            self.bits = round_up(self.bits, unit.max(own))?;
            return Some(());
        }
        if let Some(own) = member.aligned {
            let own = self.limit(own);
            self.bits = round_up(self.bits, own * 8)?;
        }
        if member.field.name.is_some() {
            let contributed = if self.pack != 0 {
                self.limit(unit / 8)
            } else if member.packed {
                1
            } else {
                unit / 8
            };
            self.align = self.align.max(contributed);
        }
        let size = self.types.size_of(ty.ty).unwrap_or(1) * 8;
        let span = (self.bits % unit + u64::from(width)).div_ceil(unit);
        if self.pack == 0 && !member.packed && span > size.div_ceil(unit) {
            self.bits = round_up(self.bits, unit)?;
        }
        member.field.offset = self.bits / 8;
        member.field.bits = Some(BitField { position: self.bits, width });
        self.bits = self.bits.checked_add(u64::from(width))?;
        Some(())
    }
}
