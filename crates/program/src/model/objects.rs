//! The objects of procedures, and which of them have a fixed address.
//!
//! A static object has one. So has an object of the stack, or of the heap, if its allocation
//! has a constant size and no two objects that it makes live at the same time: of the stack, because
//! the procedure is not recursive, so the call that made it has returned before the procedure is
//! entered again; of the heap, because the allocation is executed once. All others are placed during
//! the run, by the formula of [`crate::interpret::layout`].
//!
//! Registers that are assigned once, the address of a fixed object plus a constant, are replaced
//! by it: so parameters that take the address of one object access it directly. (Front ends
//! give a register an unknown value where it is declared without one, so a register with one
//! definition is not read before it.)

use crate::cfa::Command;
use crate::interpret::layout::Layout;
use crate::procedures::{Action, Callee, Frames, Procedures};
use crate::program::{ObjectId, Program, Storage};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use term::traverse::{Substitution, free_vars};
use term::{Pool, Sort, Term};
use value::Bits;

/// An object, or all objects that one allocation makes.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub name: Arc<str>,
    /// A variable of the pool that stands for its address until the end; none if it is placed
    /// during the run.
    pub address: Option<Term>,
    /// In bytes; none if it is not known.
    pub size: Option<u64>,
    pub align: u64,
    pub kind: Kind,
    /// Whether its allocation can be executed more than once.
    pub again: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Static(ObjectId),
    Allocated(Storage),
    Function,
}

/// All objects, and the numbers of fixed addresses.
pub(super) struct Objects {
    pub all: Vec<Object>,
    /// By the variable of the address.
    pub by_address: FxHashMap<Term, usize>,
    pub numbers: FxHashMap<Term, Bits>,
    /// Where objects that are placed during the run begin: of the heap and of the stack.
    pub tops: (u64, u64),
    /// How many accesses are not to a fixed object and offset: before registers were replaced, and
    /// after it.
    pub open: (usize, usize),
}

impl Objects {
    /// The fixed object and the offset that a term is the address of.
    pub fn resolve(&self, pool: &Pool, address: Term) -> Option<(usize, u64)> {
        if let Some(&object) = self.by_address.get(&address) {
            return Some((object, 0));
        }
        let [base, offset] = pool.args(address)[..] else { return None };
        if *pool.op(address) != term::Op::BvAdd {
            return None;
        }
        let &object = self.by_address.get(&base)?;
        Some((object, pool.as_bits(offset)?.to_u64()?))
    }

    /// How many accesses are not known to be to a fixed object and offset.
    fn unresolved(&self, pool: &Pool, procedures: &Procedures) -> usize {
        let addresses = procedures.edges().flat_map(|edge| edge.action.addresses());
        addresses.filter(|address| self.resolve(pool, *address).is_none()).count()
    }
}

/// Finds the objects, fixes the addresses of those that can have one, and, if pointers are to be
/// resolved, puts them in place of the registers that hold nothing else.
pub(super) fn fix(program: &Program, procedures: &mut Procedures, resolve: bool) -> Objects {
    let mut objects = statics(program);
    let layout = Layout::new(program.pointer_width);
    let mut tops = (layout.heap, layout.stack);
    let frames = Frames::of(procedures);
    let pool = &program.pool;
    for (id, procedure) in procedures.procedures.iter_mut() {
        for (edge, step) in procedure.edges.iter_mut() {
            let Action::Allocate(allocation) = &mut step.action else { continue };
            let again = frames.is_repeated(id, edge);
            let several = match allocation.storage {
                Storage::Heap => again,
                Storage::Stack => allocation.several || frames.is_recursive(id),
            };
            let size = pool.as_bits(allocation.size).and_then(Bits::to_u64);
            let top = match allocation.storage {
                Storage::Heap => &mut tops.0,
                Storage::Stack => &mut tops.1,
            };
            let placed = size
                .and_then(|size| layout.place(allocation.storage, *top, size, allocation.align));
            let address = placed.filter(|_| !several).map(|placed| {
                *top = placed.top;
                let name = format!("&{}", allocation.name);
                let address = pool.fresh_var(&name, Sort::BitVec(program.pointer_width));
                let number = Bits::from_u64(program.pointer_width, placed.address);
                objects.numbers.insert(address, number);
                objects.by_address.insert(address, objects.all.len());
                address
            });
            allocation.object = objects.all.len();
            objects.all.push(Object {
                name: allocation.name.clone(),
                address,
                size,
                align: allocation.align,
                kind: Kind::Allocated(allocation.storage),
                again,
            });
        }
    }
    objects.tops = tops;
    let before = objects.unresolved(pool, procedures);
    if resolve {
        propagate(pool, procedures, &objects);
    }
    objects.open = (before, objects.unresolved(pool, procedures));
    objects
}

fn statics(program: &Program) -> Objects {
    let mut all = Vec::new();
    let mut by_address = FxHashMap::default();
    for (id, object) in program.objects.iter() {
        by_address.insert(object.address, all.len());
        all.push(Object {
            name: object.name.clone(),
            address: Some(object.address),
            // Nothing is known of the size of an array that is declared without one.
            size: (object.size > 0).then_some(object.size),
            align: object.align,
            kind: Kind::Static(id),
            again: false,
        });
    }
    for (_, function) in program.functions.iter() {
        let Some(address) = function.address else { continue };
        if by_address.contains_key(&address) {
            continue;
        }
        by_address.insert(address, all.len());
        let (size, align, kind) = (Some(1), 1, Kind::Function);
        let name = function.name.clone();
        all.push(Object { name, address: Some(address), size, align, kind, again: false });
    }
    Objects { all, by_address, numbers: program.addresses.clone(), tops: (0, 0), open: (0, 0) }
}

/// What registers take: the register and the term, of calls too; none for a value that is no term.
fn for_each_definition(
    procedures: &Procedures,
    objects: &Objects,
    visit: &mut impl FnMut(Term, Option<Term>),
) {
    for edge in procedures.edges() {
        match &edge.action {
            Action::Command(Command::Assign(register, term)) => visit(*register, Some(*term)),
            Action::Allocate(a) => visit(a.into, objects.all[a.object].address),
            Action::Call(call) => {
                let Callee::Procedure(callee) = call.callee else { continue };
                let callee = &procedures.procedures[callee];
                let taken = callee.parameters.iter().zip(&call.arguments);
                let returned = call.results.iter().zip(&callee.results);
                for (register, term) in taken.chain(returned) {
                    visit(*register, Some(*term));
                }
            }
            action => action.for_each_definition(&mut |register| visit(register, None)),
        }
    }
}

/// Replaces registers with one definition, the address of a fixed object plus a constant.
fn propagate(pool: &Pool, procedures: &mut Procedures, objects: &Objects) {
    let mut defined: FxHashSet<Term> = FxHashSet::default();
    let mut twice: FxHashSet<Term> = FxHashSet::default();
    for_each_definition(procedures, objects, &mut |register, _| {
        if !defined.insert(register) {
            twice.insert(register);
        }
    });
    let mut pending: Vec<(Term, Term)> = Vec::new();
    for_each_definition(procedures, objects, &mut |register, term| {
        if let Some(term) = term.filter(|_| !twice.contains(&register)) {
            pending.push((register, term));
        }
    });
    let mut known: FxHashMap<Term, Term> = FxHashMap::default();
    // A chain of copies as long as the calls are deep takes as many rounds at most, and mostly
    // one, as callers come before callees.
    loop {
        let before = known.len();
        pending.retain(|&(register, term)| {
            let vars = free_vars(pool, &[term]);
            if !vars.iter().all(|v| objects.by_address.contains_key(v) || known.contains_key(v)) {
                return true;
            }
            let value = term::traverse::substitute(
                pool,
                term,
                vars.iter().filter_map(|v| Some((*v, *known.get(v)?))),
            );
            if objects.resolve(pool, value).is_some() {
                known.insert(register, value);
            }
            false
        });
        if known.len() == before {
            break;
        }
    }
    if known.is_empty() {
        return;
    }
    let mut substitution = Substitution::new(known);
    let procedures = procedures.procedures.iter_mut();
    for (_, edge) in procedures.flat_map(|(_, procedure)| procedure.edges.iter_mut()) {
        edge.action.map_terms(&mut |term| substitution.apply(pool, term));
    }
}
