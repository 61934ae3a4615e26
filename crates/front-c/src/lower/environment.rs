//! Memory that the environment of the entry function provides: objects of unknown contents that
//! its parameters and global variables point to.
//!
//! A pointer is null, or the address of an object of its own, which no other pointer leads to and
//! which is on the heap, so that it may be freed. The pointers inside such an object are null or
//! lead to objects of their own in turn, to the depth [`MAX_DEPTH`] and [`MAX_OBJECTS`] for each
//! parameter; those beyond are null. In an array whose length is not a small number, and in a
//! union, pointers are unknown and lead to nothing.
//!
//! The size of an array of `n` elements is `n` times the size of one; a negative number of elements
//! is none. It has at most one [`SHARE`]th of the heap, so that there is room for all of them: a
//! run in which there is none would be no run.

use super::Lowerer;
use super::object::Home;
use crate::diagnostic::Result;
use crate::typed::ObjectId;
use crate::types::{ArrayLength, QualType, Type, TypeId};
use program::interpret::layout::Layout;
use program::program::{Cause, Instruction, Reading, Storage, VariableId};
use term::{Sort, Term};

/// How many objects there are one behind the other, the first among them.
const MAX_DEPTH: usize = 3;
/// How many objects there are behind one parameter or global variable.
const MAX_OBJECTS: usize = 16;
/// An array with more elements has unknown pointers.
const MAX_ELEMENTS: u64 = 8;
/// What part of the heap an object may take.
const SHARE: u64 = 64;

/// What a pointer points to, if it is not null.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Pointee {
    /// One object of its type.
    One,
    /// An object of any number of bytes: the type has no size.
    Unsized,
    /// Any number of elements.
    Any,
    /// So many elements.
    Number(u64),
    /// As many elements as a parameter says, with its type and value.
    Count(String, TypeId, Term),
}

/// The memory that a pointer leads to.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// What the pointer points to.
    pub(super) to: QualType,
    /// How many of it.
    pub(super) pointee: Pointee,
    /// How many at most, where that is said.
    pub(super) most: Option<u64>,
    /// Whether the pointer may be null instead.
    pub(super) nullable: bool,
}

impl Region {
    /// How many elements there are, if that is said as a number.
    pub(super) fn fixed_count(&self) -> Option<u64> {
        match self.pointee {
            Pointee::Number(count) => Some(count),
            _ => None,
        }
    }

    /// Whether an object of the one is as good as one of the other.
    pub(super) fn is_like(&self, other: &Region) -> bool {
        self.to.ty == other.to.ty && self.pointee == other.pointee && self.most == other.most
    }
}

/// A pointer inside of an object.
struct Inner {
    offset: u64,
    to: QualType,
    path: String,
}

impl Lowerer<'_> {
    /// In words what is assumed of a pointer.
    pub(super) fn describe(&self, name: &str, region: &Region, others: &[&str]) -> String {
        let ty = self.c.types.show(region.to, &self.c.symbols);
        let most = region.most.map_or(String::new(), |most| format!(", at most {most},"));
        let null = if region.nullable { "nothing or to " } else { "" };
        let what = match &region.pointee {
            Pointee::One => format!("one '{ty}' of its own"),
            Pointee::Unsized => "an object of its own, of any size".to_owned(),
            Pointee::Any => format!("any number of elements{most} of its own"),
            Pointee::Number(1) => "1 element of its own".to_owned(),
            Pointee::Number(count) => format!("{count} elements of its own"),
            Pointee::Count(count, ..) => format!("'{count}' elements{most} of its own"),
        };
        let shared = match others {
            [] => String::new(),
            others => format!(", or to what '{}' points to", others.join("', '")),
        };
        let inside = match (self.pointers_in(region.to.ty).is_empty(), self.is_listed(region)) {
            (true, _) => "",
            (false, true) => "; pointers there point to nothing or to objects of their own",
            (false, false) => "; pointers there point to nothing",
        };
        format!("'{name}' points to {null}{what}{shared}{inside}")
    }

    /// Says where pointers in an object lead, if the contract of the entry does not.
    pub(super) fn assume_pointers_in(&mut self, ty: QualType, name: &str) {
        if !self.pointers_in(ty.ty).is_empty() {
            self.assume_that(format!(
                "pointers in '*{name}' point to nothing, to objects of their own, or to what the \
                 contract says"
            ));
        }
    }

    /// What a pointer leads to of which nothing is said.
    pub(super) fn usual_region(&self, to: QualType) -> Region {
        let sized = self.c.types.size_of(to.ty).is_some();
        let pointee = if sized { Pointee::One } else { Pointee::Unsized };
        Region { to, pointee, most: None, nullable: true }
    }

    /// A register with a name of the source takes any value.
    pub(super) fn named_unknown(&mut self, name: &str, sort: Sort, reading: Reading) -> Term {
        let shown = Some(name.into());
        let unique = format!("{}::{name}", self.frame.name);
        let variable = self.new_variable(unique, shown, sort, reading, true, self.span);
        self.havoc(variable, Cause::Input(name.into()));
        self.term_of(variable)
    }

    /// A pointer to a region of its own, or null.
    pub(super) fn pointer_to(&mut self, region: &Region, name: &str) -> Result<Term> {
        let mut left = MAX_OBJECTS;
        self.pointer_to_depth(region, name, MAX_DEPTH, &mut left)
    }

    fn pointer_to_depth(
        &mut self,
        region: &Region,
        name: &str,
        depth: usize,
        left: &mut usize,
    ) -> Result<Term> {
        if depth == 0 || *left == 0 {
            return Ok(self.pointer_bits(0));
        }
        *left -= 1;
        let value = self.temporary(Sort::BitVec(self.pointer_width()));
        self.variables[value].reading = Reading::Address;
        let end = self.new_location();
        if region.nullable {
            let null = Cause::Input(format!("{name} is null").into());
            let null = self.unknown(Sort::Bool, null);
            let (none, some) = (self.new_location(), self.new_location());
            self.split(null, none, some);
            self.continue_at(none);
            self.assign(value, self.pointer_bits(0));
            self.jump(end);
            self.continue_at(some);
        }
        let size = self.region_size(region, name)?;
        let object = self.allocate_for(region.to, size, name, Storage::Heap);
        if let Some(count) = self.listed(region) {
            self.fill_pointers(object, region.to.ty, count, name, depth - 1, left)?;
        }
        self.assign(value, object);
        self.jump(end);
        self.continue_at(end);
        Ok(self.term_of(value))
    }

    /// A new object of a type, with pointers to objects of their own.
    pub(super) fn object_of(
        &mut self,
        ty: QualType,
        size: Term,
        name: &str,
        storage: Storage,
    ) -> Result<Term> {
        // Where an object is one that a contract speaks of, the contract also says what is behind it.
        let depth = if storage == Storage::Heap { 1 } else { MAX_DEPTH };
        let object = self.allocate_for(ty, size, name, storage);
        let mut left = MAX_OBJECTS;
        self.fill_pointers(object, ty.ty, 1, name, depth, &mut left)?;
        Ok(object)
    }

    pub(super) fn allocate_for(
        &mut self,
        ty: QualType,
        size: Term,
        name: &str,
        storage: Storage,
    ) -> Term {
        let into = self.temporary(Sort::BitVec(self.pointer_width()));
        let align = if self.c.types.size_of(ty.ty).is_some() { self.align_of(ty) } else { 16 };
        let scalars = self.scalar_sizes(ty.ty);
        let name = Some(format!("*{name}").into());
        self.emit(Instruction::Allocate {
            into,
            size,
            align,
            storage,
            written: true,
            scalars,
            name,
        });
        if storage == Storage::Heap {
            self.watch_object(self.term_of(into), size);
        }
        self.term_of(into)
    }

    /// How many elements of a region have their pointers set; none if they are unknown.
    fn listed(&self, region: &Region) -> Option<u64> {
        match region.pointee {
            Pointee::One => Some(1),
            Pointee::Number(count) if count <= MAX_ELEMENTS => Some(count),
            _ => None,
        }
    }

    fn is_listed(&self, region: &Region) -> bool {
        self.listed(region).is_some()
    }

    /// The size in bytes of a region.
    fn region_size(&mut self, region: &Region, name: &str) -> Result<Term> {
        let each = self.c.types.size_of(region.to.ty).unwrap_or(1).max(1);
        let most = region.most.unwrap_or(u64::MAX).min(self.most_bytes() / each);
        let width = self.pointer_width();
        let count = match &region.pointee {
            Pointee::One => self.pointer_bits(1),
            Pointee::Number(count) if *count <= most => self.pointer_bits(*count),
            Pointee::Number(count) => {
                let message = format!("no memory has room for {count} elements of '{name}'");
                return Err(crate::diagnostic::Diagnostic::error(self.span, message));
            }
            Pointee::Unsized | Pointee::Any => {
                self.assume_room(region);
                let cause = Cause::Input(format!("number of elements of {name}").into());
                self.unknown(Sort::BitVec(width), cause)
            }
            Pointee::Count(_, ty, term) => {
                let (ty, term) = (*ty, *term);
                self.assume_room(region);
                return Ok(self.counted_size(ty, term, each, most));
            }
        };
        let room = self.pool.bv_ule(count, self.pointer_bits(most));
        self.assume(room);
        Ok(self.pool.bv_mul(count, self.pointer_bits(each)))
    }

    /// The size of the largest object of the caller whose size is not fixed.
    pub(super) fn most_bytes(&self) -> u64 {
        let (start, end) = Layout::new(self.pointer_width()).region(Storage::Heap);
        (end - start) / SHARE
    }

    fn assume_room(&mut self, region: &Region) {
        if region.most.is_none() {
            self.assume_largest_object();
        }
    }

    pub(super) fn assume_largest_object(&mut self) {
        let most = self.most_bytes() >> 20;
        self.assume_that(format!("no object of the caller has more than {most} MiB"));
    }

    /// The size of as many elements as an integer says.
    pub(super) fn counted_size(&mut self, ty: TypeId, count: Term, each: u64, most: u64) -> Term {
        let count = match self.pool.sort(count) {
            Sort::Bool => self.bool_to_bits(count, self.pointer_width()),
            _ => self.exact(count, ty),
        };
        let width = self.pool.width(count).max(self.pointer_width());
        let count = self.resize(count, width, self.is_signed(ty));
        let zero = self.pool.bv(0, width);
        let count = match self.is_signed(ty) {
            true => self.pool.ite(self.pool.bv_slt(count, zero), zero, count),
            false => count,
        };
        let most = self.pool.bv(most, width);
        let room = self.pool.bv_ule(count, most);
        self.assume(room);
        let count = self.resize(count, self.pointer_width(), false);
        self.pool.bv_mul(count, self.pointer_bits(each))
    }

    /// Sets the pointers in the elements of an object.
    fn fill_pointers(
        &mut self,
        object: Term,
        ty: TypeId,
        count: u64,
        name: &str,
        depth: usize,
        left: &mut usize,
    ) -> Result<()> {
        let stride = self.c.types.size_of(ty).unwrap_or(0);
        let pointers = self.pointers_in(ty);
        for element in 0..count {
            for inner in &pointers {
                let path = match (&inner.path[..], count) {
                    (path, 1) if path.starts_with('.') => format!("{name}->{}", &path[1..]),
                    (path, 1) => format!("(*{name}){path}"),
                    (path, _) => format!("{name}[{element}]{path}"),
                };
                let region = self.usual_region(inner.to);
                let value = self.pointer_to_depth(&region, &path, depth, left)?;
                let address = self.moved(object, element * stride + inner.offset);
                self.emit(Instruction::Store { address, value });
            }
        }
        Ok(())
    }

    /// The pointers to data in a type, those in unions and long arrays left out.
    fn pointers_in(&self, ty: TypeId) -> Vec<Inner> {
        let mut found = Vec::new();
        let mut todo = vec![(0, ty, String::new())];
        while let Some((offset, ty, path)) = todo.pop() {
            match *self.ty(ty) {
                Type::Pointer(to) if !matches!(self.ty(to.ty), Type::Function(_)) => {
                    found.push(Inner { offset, to, path });
                }
                Type::Array(element, ArrayLength::Fixed(length)) if length <= MAX_ELEMENTS => {
                    let size = self.c.types.size_of(element.ty).unwrap_or(0);
                    for i in (0..length).rev() {
                        todo.push((offset + i * size, element.ty, format!("{path}[{i}]")));
                    }
                }
                Type::Record(record) if !self.c.types.records[record].is_union => {
                    let body = self.c.types.records[record].body.as_ref();
                    for field in body.iter().flat_map(|body| body.fields.iter().rev()) {
                        let name = field.name.map(|n| format!(".{}", self.symbol_name(n)));
                        let path = format!("{path}{}", name.unwrap_or_default());
                        if field.bits.is_none() {
                            todo.push((offset + field.offset, field.ty.ty, path));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    // Global variables.

    /// Whether a static object holds any value when the entry function is called.
    pub(super) fn is_forgotten(&self, object: ObjectId) -> bool {
        let entry = &self.c.objects[object];
        let name = entry.name.map_or("", |name| self.symbol_name(name));
        let variable = entry.defined && !self.is_constant(entry.ty) && name != "__func__";
        self.options.caller.any_globals && variable && !name.is_empty()
    }

    /// Registers of a static object take any values.
    pub(super) fn forget_registers(
        &mut self,
        object: ObjectId,
        registers: &[VariableId],
    ) -> Result<()> {
        self.assume_globals();
        let ty = self.c.objects[object].ty.ty;
        let types: Vec<TypeId> = match self.leaves(ty) {
            Some(leaves) => leaves.iter().map(|leaf| leaf.ty).collect(),
            None => vec![ty],
        };
        for (&register, ty) in registers.iter().zip(types) {
            let name = self.variables[register].name.clone().unwrap_or_default();
            match self.pointee(ty) {
                Some(to) => {
                    let region = self.usual_region(to);
                    let value = self.pointer_to(&region, &name)?;
                    self.assign(register, value);
                }
                None => self.havoc(register, Cause::Input(name)),
            }
        }
        Ok(())
    }

    /// Pointers in static objects lead to objects of their own; all other contents are unknown.
    pub(super) fn forget_memory(&mut self) -> Result<()> {
        let mut objects: Vec<(ObjectId, Term)> = Vec::new();
        for (&object, home) in &self.homes {
            if let Home::Static(address) = home {
                objects.push((object, *address));
            }
        }
        objects.retain(|(object, _)| self.is_forgotten(*object));
        objects.sort_unstable_by_key(|(object, _)| object.into_raw());
        for (object, address) in objects {
            self.span = self.c.objects[object].span;
            self.assume_globals();
            let (ty, name) = (self.c.objects[object].ty.ty, self.object_name(object));
            let mut left = MAX_OBJECTS;
            self.fill_pointers(address, ty, 1, &format!("&{name}"), MAX_DEPTH, &mut left)?;
        }
        Ok(())
    }

    fn assume_globals(&mut self) {
        self.assume_that(
            "global variables hold any values; pointers there point to nothing or to objects of \
             their own"
                .into(),
        );
    }
}
