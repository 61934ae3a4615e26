//! Whether the entry function writes only what its contract allows.
//!
//! The objects that exist when it is called are known: static ones, and those that were made for
//! its caller. One byte of one of them, which the contract does not allow to be written, is
//! watched; which one is unknown, so it is any. A write anywhere is checked not to touch it, so every
//! write to what existed and is not allowed is found, at its place, also in functions that are
//! called. Objects that come to be later are free to be written.
//!
//! Global variables in registers have a flag each, whether they may be written.

use super::super::Lowerer;
use super::super::object::Home;
use super::target::{Resolved, What};
use crate::contract::Contract;
use crate::diagnostic::Result;
use crate::source::Span;
use crate::typed::{Builtin, ExprKind, FunctionId, MemoryQuestion};
use program::Property;
use program::program::{Cause, Instruction, Reading, Storage, VariableId};
use rustc_hash::FxHashMap;
use term::{Sort, Term};

/// What is watched, in registers of the whole program.
pub(in crate::lower) struct Watch {
    /// The address of the byte; null if there is none.
    byte: VariableId,
    /// The first byte of its object, and its size.
    base: VariableId,
    size: VariableId,
    /// The address of an object that must not be freed; null if there is none.
    kept: VariableId,
    /// Which registers of the program may be written.
    allowed: FxHashMap<VariableId, VariableId>,
}

impl Lowerer<'_> {
    /// Prepares for watching, if the contract of the entry function asks for it.
    pub(in crate::lower) fn make_watch(&mut self, entry: FunctionId) {
        let Some(contract) = self.c.functions[entry].contract.as_deref() else { return };
        let is_fresh = |kind: &ExprKind| {
            matches!(kind, ExprKind::Builtin(Builtin::Memory(MemoryQuestion::Fresh), _))
        };
        let fresh = contract.ensures.iter().any(|formula| self.has(formula.truth, is_fresh));
        if contract.problem.is_some() || (contract.assigns.is_none() && !fresh) {
            return;
        }
        let word = Sort::BitVec(self.pointer_width());
        let mut register = |name: &str| {
            let (name, reading) = (format!("<watched>::{name}"), Reading::Address);
            self.new_variable(name, None, word, reading, false, Span::default())
        };
        let (byte, base) = (register("byte"), register("object"));
        let (size, kept) = (register("size"), register("kept"));
        self.watch = Some(Watch { byte, base, size, kept, allowed: FxHashMap::default() });
    }

    fn in_start(&self) -> bool {
        self.frame.function.is_none()
    }

    /// Nothing is watched, before the entry function is called and after it returns.
    pub(in crate::lower) fn watch_nothing(&mut self) {
        let Some(watch) = &self.watch else { return };
        let words = [watch.byte, watch.base, watch.size, watch.kept];
        let mut flags: Vec<VariableId> = watch.allowed.values().copied().collect();
        flags.sort_unstable_by_key(|flag| flag.into_raw());
        for word in words {
            self.assign(word, self.pointer_bits(0));
        }
        for flag in flags {
            self.assign(flag, self.pool.tru());
        }
    }

    /// An object that exists before the call may be the one that is watched.
    pub(in crate::lower) fn watch_object(&mut self, object: Term, size: Term) {
        let Some(watch) = &self.watch else { return };
        if !self.in_start() {
            return;
        }
        let (base, extent) = (watch.base, watch.size);
        let cause = Cause::Unknown("which object is watched".into());
        let chosen = self.unknown(Sort::Bool, cause);
        let (this, end) = (self.new_location(), self.new_location());
        self.split(chosen, this, end);
        self.continue_at(this);
        self.assign(base, object);
        self.assign(extent, size);
        self.jump(end);
        self.continue_at(end);
    }

    /// The address of the watched object, where the entry function has returned.
    pub(super) fn watched_object(&self) -> Option<Term> {
        let watch = self.watch.as_ref().filter(|_| self.in_start())?;
        Some(self.term_of(watch.base))
    }

    /// Chooses what is watched: a byte that the contract does not allow to be written.
    pub(super) fn begin_watch(&mut self, contract: &Contract) -> Result<()> {
        let Some(watch) = &self.watch else { return Ok(()) };
        let (byte, base, size, kept) = (watch.byte, watch.base, watch.size, watch.kept);
        self.watch_statics();
        let Some(assigns) = &contract.assigns else { return Ok(()) };
        let targets = self.resolve_targets(assigns.iter())?;
        let null = self.pointer_bits(0);
        let (base, size) = (self.term_of(base), self.term_of(size));
        let cause = Cause::Unknown("which byte is watched".into());
        let offset = self.unknown(Sort::BitVec(self.pointer_width()), cause);
        let none = self.pool.eq(base, null);
        self.assume(self.pool.or([none, self.pool.bv_ult(offset, size)]));
        let address = self.pool.ite(none, null, self.pool.bv_add(base, offset));
        self.assign(byte, address);
        let watched = self.term_of(byte);
        for target in &targets {
            if let Some((first, length)) = self.range_of(&target.what) {
                let distance = self.pool.bv_sub(watched, first);
                let inside = self.pool.bv_ult(distance, length);
                let outside = self.pool.not(self.pool.and([target.condition, inside]));
                self.assume(self.pool.or([none, outside]));
            }
        }
        let mut spared = base;
        for &pointer in &contract.frees {
            let freed = self.scalar(pointer)?;
            spared = self.pool.ite(self.pool.eq(freed, base), null, spared);
        }
        self.assign(kept, spared);
        self.allow_registers(&targets);
        Ok(())
    }

    fn watch_statics(&mut self) {
        let mut statics: Vec<Term> = Vec::new();
        for home in self.homes.values() {
            if let Home::Static(address) = home {
                statics.push(*address);
            }
        }
        let mut objects: Vec<_> = statics
            .into_iter()
            .filter_map(|address| Some((*self.object_ids.get(&address)?, address)))
            .filter(|(id, _)| !self.objects[*id].constant)
            .collect();
        objects.sort_unstable_by_key(|(id, _)| id.into_raw());
        for (id, address) in objects {
            let size = self.pointer_bits(self.objects[id].size);
            self.watch_object(address, size);
        }
    }

    fn range_of(&mut self, what: &What) -> Option<(Term, Term)> {
        match what {
            What::Registers(_) => None,
            What::Scalar(address, ty) => {
                let size = self.c.types.size_of(*ty).unwrap_or(0);
                Some((*address, self.pointer_bits(size)))
            }
            What::Bytes(address, length) => Some((*address, *length)),
        }
    }

    fn allow_registers(&mut self, targets: &[Resolved]) {
        let Some(watch) = &self.watch else { return };
        let mut flags: Vec<(VariableId, VariableId)> =
            watch.allowed.iter().map(|(register, flag)| (*register, *flag)).collect();
        flags.sort_unstable_by_key(|(_, flag)| flag.into_raw());
        for (register, flag) in flags {
            let names = |target: &&Resolved| matches!(&target.what, What::Registers(list) if list.contains(&register));
            let conditions = targets.iter().filter(names).map(|target| target.condition);
            let allowed = self.pool.or(conditions);
            self.assign(flag, allowed);
        }
    }

    /// The check before a write to memory.
    pub(super) fn check_watched(&mut self, address: Term, length: Term) {
        let Some(watch) = &self.watch else { return };
        if self.in_start() || self.is_own_object(address) {
            return;
        }
        let distance = self.pool.bv_sub(self.term_of(watch.byte), address);
        let touched = self.pool.bv_ult(distance, length);
        self.append(Instruction::Check(Property::Assert, self.pool.not(touched)));
    }

    /// Which variables a function without a body changes is not checked.
    pub(in crate::lower) fn trust_missing(&mut self) {
        if self.watch.is_some() {
            let text = "functions without a body change only variables that the contract allows";
            self.assume_that(text.into());
        }
    }

    /// The check before an object is freed.
    pub(super) fn check_kept(&mut self, address: Term, storage: Storage) {
        let Some(watch) = &self.watch else { return };
        if self.in_start() || storage != Storage::Heap {
            return;
        }
        let kept = self.pool.eq(self.term_of(watch.kept), address);
        let null = self.pool.eq(address, self.pointer_bits(0));
        let allowed = self.pool.or([null, self.pool.not(kept)]);
        self.append(Instruction::Check(Property::Assert, allowed));
    }

    /// The check before a register of the whole program is written.
    pub(in crate::lower) fn check_register(&mut self, register: VariableId) {
        if self.watch.is_none() || self.in_start() || !self.static_variables.contains(&register) {
            return;
        }
        let known = self.watch.as_ref().and_then(|w| w.allowed.get(&register).copied());
        let flag = known.unwrap_or_else(|| {
            let name = format!("<watched>::{}", register.into_raw());
            let reading = Reading::Bool;
            self.new_variable(name, None, Sort::Bool, reading, false, Span::default())
        });
        if let Some(watch) = &mut self.watch {
            watch.allowed.insert(register, flag);
        }
        self.append(Instruction::Check(Property::Assert, self.term_of(flag)));
    }
}
