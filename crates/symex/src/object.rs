//! The objects that an execution has met: variables, allocations one by one, functions.
//!
//! An address is a term over *bases*: each object has a variable of the pool for the address of its
//! first byte, which nothing says anything about. Where the program looks at no address, no base is
//! left in a formula; where it looks at one, [`crate::placement`] says what C promises of it, and no
//! more.

use crate::path::Path;
use imbl::OrdMap;
use program::program::{EdgeId, FunctionId, ObjectId, Program, Storage};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use term::{Pool, Sort, Term};

/// An object's number.
pub type Base = usize;

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It has existed since the beginning.
    Static(ObjectId),
    /// Made by an instruction.
    Allocated(Storage, (FunctionId, EdgeId)),
    /// A function: an address to call and to compare.
    Function(FunctionId),
    /// No object of the program, but what says which bytes of one were written ([`crate::written`]).
    Marks(Base),
    /// Memory from outside the program, at this address ([`crate::outside`]).
    Outside(u64),
}

/// What the bytes of an object are that nobody has written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum First {
    /// They are what they happen to be.
    Unknown,
    /// They are what the environment has put there.
    Given,
    Zeros,
    Ones,
}

/// An object.
pub struct Object {
    /// The address of its first byte.
    pub base: Term,
    /// Its size in bytes, of the width of a pointer.
    pub size: Term,
    /// The same as a number, if it is one.
    pub bytes: Option<u64>,
    /// The most that it can be, if that is known.
    pub most: Option<u64>,
    /// Its alignment.
    pub align: u64,
    /// What it is.
    pub kind: Kind,
    /// Whether it must not be written.
    pub constant: bool,
    /// When it was made, and which of the objects before it lived then.
    pub born: Option<(Path, OrdMap<Base, Term>)>,
    /// The bytes that nobody has written, as far as they were read: by offset, with their number.
    unknown: RefCell<BTreeMap<u64, (u64, Term)>>,
    /// Whether they are known instead.
    first: First,
}

impl Object {
    /// The value of so many bytes that nobody has written.
    pub fn first_contents(&self, pool: &Pool, offset: u64, size: u64) -> Term {
        let width = size as u32 * 8;
        match self.first {
            First::Unknown | First::Given => {}
            First::Zeros => return pool.bits(value::Bits::zero(width)),
            First::Ones => return pool.bits(value::Bits::ones(width)),
        }
        let mut unknown = self.unknown.borrow_mut();
        let (mut at, end) = (offset, offset + size);
        let mut value = None;
        while at < end {
            let covering = unknown.range(..=at).next_back().map(|(k, v)| (*k, *v));
            let (piece, next) = match covering.filter(|(start, (size, _))| at < start + size) {
                Some((start, (size, variable))) => {
                    let until = end.min(start + size);
                    let (low, high) = (8 * (at - start) as u32, 8 * (until - start) as u32 - 1);
                    (pool.bv_extract(variable, high, low), until)
                }
                None => {
                    let until = unknown.range(at..end).next().map_or(end, |(next, _)| *next);
                    let sort = Sort::BitVec(8 * (until - at) as u32);
                    let variable = pool.fresh_var("unwritten", sort);
                    unknown.insert(at, (until - at, variable));
                    (variable, until)
                }
            };
            value = Some(value.map_or(piece, |low| pool.bv_concat(piece, low)));
            at = next;
        }
        value.expect("a value has at least a byte")
    }

    /// Whether a value is that of some bytes that the environment has put there.
    pub fn is_given(&self, value: Term) -> bool {
        let unknown = self.unknown.borrow();
        self.first == First::Given && unknown.values().any(|(_, variable)| *variable == value)
    }

    /// The unwritten bytes that were read: offset, number, value.
    pub fn unwritten(&self) -> Vec<(u64, u64, Term)> {
        self.unknown.borrow().iter().map(|(at, (size, value))| (*at, *size, *value)).collect()
    }
}

/// All objects.
#[derive(Default)]
pub struct Objects {
    all: Vec<Object>,
    /// By object, what says which of its bytes were written.
    marks: FxHashMap<Base, Base>,
    by_base: FxHashMap<Term, Base>,
}

impl Objects {
    /// The static objects and the functions of a program.
    pub fn new(program: &Program) -> Objects {
        let mut objects = Objects::default();
        let (pool, width) = (&program.pool, program.pointer_width);
        for (id, object) in program.objects.iter() {
            objects.add(Object {
                base: object.address,
                size: pool.bv(object.size, width),
                bytes: Some(object.size),
                most: Some(object.size),
                align: object.align,
                kind: Kind::Static(id),
                constant: object.constant,
                born: None,
                unknown: RefCell::default(),
                first: if object.unknown { First::Given } else { First::Zeros },
            });
        }
        for (id, function) in program.functions.iter() {
            let Some(base) = function.address else { continue };
            objects.add(Object {
                base,
                size: pool.bv(1, width),
                bytes: Some(1),
                most: Some(1),
                align: 1,
                kind: Kind::Function(id),
                constant: true,
                born: None,
                unknown: RefCell::default(),
                first: First::Zeros,
            });
        }
        objects
    }

    /// From now on it is told of an object which of its bytes were written: all of them at first, or
    /// none.
    pub fn add_marks(&mut self, pool: &Pool, base: Base, written: bool) {
        let object = &self.all[base];
        let first = if written { First::Ones } else { First::Zeros };
        let marks = Object {
            base: pool.fresh_var("marks", pool.sort(object.base)),
            kind: Kind::Marks(base),
            constant: false,
            born: None,
            unknown: RefCell::default(),
            first,
            ..*object
        };
        let marks = self.add(marks);
        self.marks.insert(base, marks);
    }

    /// What says which bytes of an object were written, if that is told.
    pub fn marks(&self, base: Base) -> Option<Base> {
        self.marks.get(&base).copied()
    }

    /// Whether all bytes of an object count as written until something is done to them.
    pub fn begins_written(&self, base: Base) -> bool {
        self.marks(base).is_none_or(|marks| self.all[marks].first == First::Ones)
    }

    /// The object that somebody makes and ends: of marks, the one that they are of.
    pub fn owner(&self, base: Base) -> Base {
        match self.all[base].kind {
            Kind::Marks(of) => of,
            _ => base,
        }
    }

    fn add(&mut self, object: Object) -> Base {
        let number = self.all.len();
        self.by_base.insert(object.base, number);
        self.all.push(object);
        number
    }

    /// A new object with unknown contents.
    pub fn allocate(
        &mut self,
        pool: &Pool,
        (size, most, align): (Term, Option<u64>, u64),
        kind: Kind,
        born: (Path, OrdMap<Base, Term>),
    ) -> Base {
        self.add(Object {
            base: pool.fresh_var("base", pool.sort(size)),
            size,
            bytes: pool.as_bits(size).and_then(|bits| bits.to_u64()),
            most,
            align,
            kind,
            constant: false,
            born: Some(born),
            unknown: RefCell::default(),
            first: First::Unknown,
        })
    }

    /// Memory from outside: so many bytes at an address. Programs don't know that it has a base, since
    /// they are given its address as a value.
    pub fn add_outside(&mut self, pool: &Pool, (address, size): (u64, u64), width: u32) -> Base {
        self.all.push(Object {
            base: pool.bv(address, width),
            size: pool.bv(size, width),
            bytes: Some(size),
            most: Some(size),
            align: 1,
            kind: Kind::Outside(address),
            constant: false,
            born: None,
            unknown: RefCell::default(),
            first: First::Given,
        });
        self.all.len() - 1
    }

    /// The memory from outside that there is, and where.
    pub fn outside(&self) -> impl Iterator<Item = (Base, u64)> {
        self.iter().filter_map(|(base, object)| match object.kind {
            Kind::Outside(address) => Some((base, address)),
            _ => None,
        })
    }

    /// The object whose base a term is.
    pub fn with_base(&self, term: Term) -> Option<Base> {
        self.by_base.get(&term).copied()
    }

    /// All of them with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (Base, &Object)> {
        self.all.iter().enumerate()
    }
}

impl std::ops::Index<Base> for Objects {
    type Output = Object;

    fn index(&self, base: Base) -> &Object {
        &self.all[base]
    }
}
