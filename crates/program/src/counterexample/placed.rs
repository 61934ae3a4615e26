//! Where a run needs its objects to lie, for people: names, addresses, and which lies right beside
//! or in the place of another.

use super::{Allocated, Object};
use crate::interpret::layout::Layout;
use crate::interpret::{OUTSIDE, Placement};
use crate::program::{Instruction, Program};
use std::collections::BTreeMap;
use std::fmt;

/// An object or a function whose address the run's placement gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// What it is called.
    pub what: String,
    /// Its first byte.
    pub address: u64,
    /// How it lies to another object, in words.
    pub beside: Option<String>,
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:#x}", self.what, self.address)?;
        match &self.beside {
            Some(beside) => write!(f, " ({beside})"),
            None => Ok(()),
        }
    }
}

/// What is known of the places of a run's objects.
pub(super) struct Notes<'n> {
    pub(super) program: &'n Program,
    pub(super) placement: &'n Placement,
    /// Those that were allocated: of those that have the same byte, the youngest.
    pub(super) objects: &'n BTreeMap<u64, Allocated>,
}

impl Notes<'_> {
    /// The static objects and the functions that are placed, and memory from outside.
    pub(super) fn statics(&self) -> Vec<Placed> {
        let placed = |term| self.placement.statics.get(&term).copied();
        let objects = self.program.objects.values().filter_map(|object| {
            let address = placed(object.address)?;
            let beside = self.beside(address, address.saturating_add(object.size));
            Some(Placed { what: object.name.to_string(), address, beside })
        });
        let functions = self.program.functions.values().filter_map(|function| {
            let address = placed(function.address?)?;
            Some(Placed { what: function.name.to_string(), address, beside: None })
        });
        let outside = self.placement.outside.then(|| Placed {
            what: OUTSIDE.to_owned(),
            address: Layout::new(self.program.pointer_width).outside().0,
            beside: None,
        });
        objects.chain(functions).chain(outside).collect()
    }

    /// The object that was allocated at an address, and the one that was there before.
    pub(super) fn allocation(&self, address: u64, there: Option<Allocated>) -> Placed {
        let new = self.objects.get(&address);
        let end = address.saturating_add(new.map_or(0, |new| new.size));
        let beside = match there {
            Some(old) => Some(format!("where {} was", self.called(old.object))),
            None => self.beside(address, end),
        };
        let what = new.map_or_else(String::new, |new| self.called(new.object));
        Placed { what, address, beside }
    }

    /// Which other object ends where the range begins, or else begins where it ends.
    fn beside(&self, start: u64, end: u64) -> Option<String> {
        let end_of = |at: &u64, object: &Allocated| at.saturating_add(object.size);
        let below = self.objects.range(..start).next_back();
        let below = below.filter(|(at, object)| end_of(at, object) == start);
        let above = self.objects.get(&end).filter(|_| end > start);
        let before = below.map(|(_, object)| self.called(object.object));
        let before = before
            .or_else(|| self.static_at(|at, size| at < start && at.saturating_add(size) == start));
        let after = || above.map(|object| self.called(object.object));
        let after = || after().or_else(|| self.static_at(|at, _| at == end && end > start));
        let before = before.map(|what| format!("right after {what}"));
        before.or_else(|| after().map(|what| format!("right before {what}")))
    }

    /// The name of the static object whose address and size are so.
    fn static_at(&self, is: impl Fn(u64, u64) -> bool) -> Option<String> {
        let found = self.program.objects.values().find(|object| {
            let address = self.placement.address(self.program, object.address);
            address.is_some_and(|address| is(address, object.size))
        });
        found.map(|object| object.name.to_string())
    }

    /// What an object is called: a declared one by its name, and which time it is declared.
    fn called(&self, object: Object) -> String {
        let (register, number) = match object {
            Object::Heap(number) => return format!("heap object {}", number + 1),
            Object::Stack(register, number) => (register, number),
        };
        let name = self.program.edges().find_map(|(_, edge)| match &edge.instruction {
            Instruction::Allocate { into, name, .. } if *into == register => name.clone(),
            _ => None,
        });
        let name = name.as_deref().unwrap_or("an object on the stack");
        if number == 0 { name.to_owned() } else { format!("{name} ({})", number + 1) }
    }
}
