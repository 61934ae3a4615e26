//! Allocation and the end of objects.

use super::super::Error;
use super::super::objects::Kind;
use super::{Code, Encoder};
use crate::cfa::Command;
use crate::interpret::layout::{GAP, Layout};
use crate::procedures::Allocation;
use crate::program::Storage;
use crate::property::Property;
use term::Term;

impl Encoder<'_> {
    pub(super) fn allocate(&mut self, code: &mut Code, allocation: &Allocation) {
        let object = allocation.object;
        if let Some(address) = self.objects.all[object].address {
            code.assign(allocation.into, address);
            if let Some(alive) = self.alive[object] {
                code.assign(alive, self.pool.tru());
            }
            // What a variable holds before anybody assigns it is unknown; only the second object
            // at the same place needs to be told.
            match self.objects.all[object].again {
                true => self.forget_object(code, object),
                false => self.forget_clean(code, object, address),
            }
            return;
        }
        self.place(code, allocation);
        self.forget_clean(code, object, allocation.into);
    }

    /// Places an object during the run, as [`crate::interpret::layout`] says; the run ends if there
    /// is no room. No address is used twice, so the contents are unknown, or zero and become unknown.
    fn place(&mut self, code: &mut Code, allocation: &Allocation) {
        let (pool, width) = (self.pool, self.width);
        let top = self.storage_top(allocation.storage);
        let align = allocation.align.max(1).next_power_of_two();
        let mut address = top;
        if align > 1 {
            let low = align.trailing_zeros();
            let raised = pool.bv_add(top, pool.bv(align - 1, width));
            let kept = pool.bv_extract(raised, width - 1, low);
            address = pool.bv_concat(kept, pool.bv(0, low));
        }
        let end = Layout::new(width).region(allocation.storage).1 - GAP;
        let end = pool.bv(end, width);
        let room = pool.and([
            pool.bv_ule(address, end),
            pool.bv_ule(allocation.size, pool.bv_sub(end, address)),
        ]);
        code.commands.push(Command::Assume(room));
        // The size may be the register that takes the address.
        let used = pool.bv_add(pool.bv_add(address, allocation.size), pool.bv(GAP, width));
        let scratch = self.scratch(pool.sort(used), 1);
        code.assign(scratch, used);
        code.assign(allocation.into, address);
        code.assign(top, scratch);
    }

    pub(super) fn free(
        &mut self,
        code: &mut Code,
        address: Term,
        storage: Storage,
    ) -> Result<(), Error> {
        if !self.checked {
            return Ok(());
        }
        let pool = self.pool;
        let members = &self.classes.class(address).members;
        let unbounded =
            members.iter().any(|&(object, _)| self.objects.all[object].address.is_none());
        // Leaving a scope is no error of the program's.
        let asked = storage == Storage::Heap && self.asks(Property::Free, &code.place);
        if unbounded && asked {
            return Err(Error::Unsupported {
                place: code.place.clone(),
                what: "objects that are allocated in a loop can't be checked to be freed rightly"
                    .to_owned(),
            });
        }
        let mut valid = Vec::new();
        if storage == Storage::Heap {
            valid.push(pool.eq(address, pool.bv(0, self.width)));
        }
        let mut ends = Vec::new();
        for &(object, _) in members {
            let fits = self.objects.all[object].kind == Kind::Allocated(storage);
            let (Some(alive), true) = (self.alive[object], fits) else { continue };
            let here = pool.eq(address, self.address_of(object, 0));
            valid.push(pool.and([here, alive]));
            ends.push((alive, pool.and([alive, pool.not(here)])));
        }
        let valid = pool.or(valid);
        match storage {
            _ if unbounded => {}
            Storage::Heap => self.require(code, valid, Property::Free),
            Storage::Stack => self.suppose(code, valid),
        }
        for (alive, after) in ends {
            code.assign(alive, after);
        }
        Ok(())
    }

    /// A function returns: the objects it made on the stack end.
    pub(super) fn leave(&mut self, code: &mut Code, registers: &[Term]) {
        for register in registers {
            for object in self.made.get(register).cloned().unwrap_or_default() {
                let stack = self.objects.all[object].kind == Kind::Allocated(Storage::Stack);
                if let Some(alive) = self.alive[object].filter(|_| stack) {
                    code.assign(alive, self.pool.fls());
                }
            }
        }
    }
}
