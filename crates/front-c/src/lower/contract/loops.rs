//! Loops with invariants.
//!
//! Without contracts, an invariant is an assertion at the head of the loop. With them, the loop is
//! cut there: the invariant is checked when the loop is entered; what the loop may write takes any
//! value; the invariant is assumed; the body runs once, and where it comes to the head again, the
//! invariant is checked and the run ends. The way out of the loop goes on.
//!
//! What the loop may write are the registers that its body assigns, and in memory what `assigns`
//! names, or else the objects that its body writes to by name. That the body writes nothing else is
//! checked at each write. What can't be seen so is an error: functions that are called (unless
//! their contracts stand for them), memory that is allocated or freed.

use super::super::Lowerer;
use super::target::{By, Resolved, What};
use crate::contract::LoopContract;
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::{StmtId, StmtKind};
use program::Property;
use program::program::{Callee, Cause, Instruction, LocationId, Storage, VariableId};
use rustc_hash::FxHashSet;
use term::{Op, Term};

/// A loop whose body is being lowered.
pub(in crate::lower) struct Cut {
    /// What it may write, if its contract says so.
    targets: Option<Vec<Resolved>>,
    /// Objects that it was seen to write, with their sizes.
    written: Vec<(Term, Term)>,
    /// Objects of its body.
    own: FxHashSet<Term>,
    /// Why it can't be cut.
    problem: Option<Box<Diagnostic>>,
}

impl<'a> Lowerer<'a> {
    /// The contract of a loop that must be looked at, if it has one.
    pub(in crate::lower) fn loop_contract(
        &self,
        statement: StmtId,
    ) -> Result<Option<&'a LoopContract>> {
        let c = self.c;
        match c.loops.get(&statement) {
            Some(LoopContract { problem: Some(problem), .. }) => Err(problem.clone()),
            Some(contract) if !contract.invariants.is_empty() => Ok(Some(contract)),
            _ => Ok(None),
        }
    }

    /// Before a loop: values that its invariants speak of.
    pub(in crate::lower) fn enter_loop(&mut self, statement: StmtId) -> Result<()> {
        match self.loop_contract(statement)? {
            Some(contract) => self.bind_olds(&contract.olds),
            None => Ok(()),
        }
    }

    /// At the head of a loop: its invariants hold.
    pub(in crate::lower) fn check_invariants(&mut self, statement: StmtId) -> Result<()> {
        let span = self.span;
        if let Some(contract) = self.loop_contract(statement)? {
            for invariant in &contract.invariants {
                self.check_clause(invariant, invariant.span)?;
            }
        }
        self.span = span;
        Ok(())
    }

    /// Whether a loop is cut at its head.
    pub(in crate::lower) fn is_cut(&self, statement: StmtId) -> Result<bool> {
        Ok(self.options.contracts && self.loop_contract(statement)?.is_some())
    }

    /// A loop that is cut; `lower` makes one round of it, which ends at the location or goes out.
    pub(in crate::lower) fn cut_loop(
        &mut self,
        statement: StmtId,
        lower: impl FnOnce(&mut Self, LocationId) -> Result<()>,
    ) -> Result<()> {
        let span = self.span;
        let Some(contract) = self.loop_contract(statement)? else { return Ok(()) };
        if let Some(label) = self.label_inside(statement) {
            let message = "a loop that is entered by a jump can't be replaced by its invariant";
            return Err(Diagnostic::error(label, message));
        }
        self.check_invariants(statement)?;
        let targets = match &contract.assigns {
            Some(assigns) => Some(self.resolve_targets(assigns.iter())?),
            None => None,
        };
        self.span = span;
        let (forget, again) = (self.new_location(), self.new_location());
        let after = self.new_location();
        self.jump(forget);
        self.continue_at(after);
        for invariant in &contract.invariants {
            self.assume_clause(invariant, false)?;
        }
        let (edges, variables) = (self.graph.edges.len(), self.variables.len());
        let (written, own) = (Vec::new(), FxHashSet::default());
        self.cuts.push(Cut { targets, written, own, problem: None });
        self.span = span;
        let round = lower(self, again);
        let cut = self.cuts.pop();
        round?;
        let Some(cut) = cut else { return Ok(()) };
        if let Some(problem) = cut.problem {
            return Err(problem);
        }
        let end = self.graph.at.take();
        self.continue_at(again);
        self.check_invariants(statement)?;
        self.stop();
        self.continue_at(forget);
        self.forget_registers_of(edges, variables);
        self.forget_targets(cut.targets.as_deref().unwrap_or_default(), By::Loop)?;
        for (address, size) in cut.written {
            self.forget_bytes(address, size, By::Loop);
        }
        self.jump(after);
        self.graph.at = end;
        Ok(())
    }

    /// Registers that edges assign take any values, but for those that were made with the edges.
    fn forget_registers_of(&mut self, edges: usize, variables: usize) {
        let mut registers: Vec<VariableId> = Vec::new();
        for (_, edge) in self.graph.edges.iter().skip(edges) {
            match &edge.instruction {
                Instruction::Assign(register, _)
                | Instruction::Havoc(register, _)
                | Instruction::Load { into: register, .. }
                | Instruction::Measure { into: register, .. }
                | Instruction::Written { into: register, .. }
                | Instruction::Allocate { into: register, .. } => registers.push(*register),
                Instruction::Call { results, .. } => registers.extend(results),
                _ => {}
            }
        }
        registers.sort_unstable_by_key(|register| register.into_raw());
        registers.dedup();
        let flags: FxHashSet<VariableId> = self.written.values().copied().collect();
        for register in registers {
            let made = register.into_raw().into_u32() as usize >= variables;
            if made && self.variables[register].function.is_some() {
                continue;
            }
            if flags.contains(&register) {
                self.leave_flag(register);
            } else {
                self.havoc(register, Cause::Unknown("the loop".into()));
            }
        }
    }

    /// A place in a loop that a jump from outside could lead to.
    fn label_inside(&self, statement: StmtId) -> Option<crate::source::Span> {
        let mut todo = vec![(statement, false)];
        while let Some((statement, in_switch)) = todo.pop() {
            let node = &self.c.stmts[statement];
            match &node.kind {
                StmtKind::Label(_) => return Some(node.span),
                StmtKind::Case(..) | StmtKind::Default if !in_switch => return Some(node.span),
                StmtKind::Block(list) => todo.extend(list.iter().map(|s| (*s, in_switch))),
                StmtKind::If(arms, otherwise) => {
                    todo.extend(arms.iter().map(|(_, s)| (*s, in_switch)));
                    todo.extend(otherwise.map(|s| (s, in_switch)));
                }
                StmtKind::Switch(_, body) => todo.push((*body, true)),
                StmtKind::While(_, body)
                | StmtKind::DoWhile(body, _)
                | StmtKind::For { body, .. } => todo.push((*body, in_switch)),
                _ => {}
            }
        }
        None
    }

    // Writes.

    /// What precedes an instruction that changes memory, where contracts say what may change.
    pub(in crate::lower) fn guard(&mut self, instruction: &Instruction) {
        let (address, length) = match instruction {
            Instruction::Store { address, value } => {
                let bits = self.pool.sort(*value);
                let bytes = bits.width().map_or(16, |width| u64::from(width.div_ceil(8)));
                (*address, self.pointer_bits(bytes))
            }
            Instruction::Copy { to, length, .. } | Instruction::Fill { to, length, .. } => {
                (*to, *length)
            }
            Instruction::HavocBytes { address, length, .. } => (*address, *length),
            Instruction::Free { address, storage } => {
                self.check_kept(*address, *storage);
                let freed = *storage == Storage::Heap;
                self.unseen(freed, "frees memory");
                return;
            }
            Instruction::Allocate { into, storage, .. } => {
                let object = self.term_of(*into);
                for cut in &mut self.cuts {
                    cut.own.insert(object);
                }
                self.own_objects.insert(object);
                self.unseen(*storage == Storage::Heap, "allocates memory");
                return;
            }
            Instruction::Call { callee, .. } => {
                let name = match callee {
                    Callee::Function(id) => format!("calls '{}'", self.functions[*id].name),
                    Callee::Pointer(_) => "calls a function behind a pointer".to_owned(),
                };
                self.unseen(self.formulas == 0, &name);
                return;
            }
            _ => return,
        };
        self.check_watched(address, length);
        self.check_cuts(address, length);
    }

    /// Something in the body of a loop that is cut, whose effect is not seen.
    fn unseen(&mut self, happens: bool, what: &str) {
        if !happens || self.cuts.is_empty() {
            return;
        }
        let message = format!("a loop that is replaced by its invariant {what}");
        let error = Diagnostic::error(self.span, message);
        for cut in &mut self.cuts {
            cut.problem.get_or_insert_with(|| error.clone());
        }
    }

    /// Whether an address is in an object of the function at hand.
    pub(super) fn is_own_object(&self, address: Term) -> bool {
        let base = match (self.pool.op(address), self.pool.args(address)) {
            (Op::BvAdd, [base, offset]) if self.pool.value(*offset).is_some() => *base,
            _ => address,
        };
        self.own_objects.contains(&base)
    }

    /// Checks that a write in the body of a loop is one of those that are known.
    fn check_cuts(&mut self, address: Term, length: Term) {
        for index in 0..self.cuts.len() {
            let root = self.root_object(address);
            if root.is_some_and(|(root, _)| self.cuts[index].own.contains(&root)) {
                continue;
            }
            let ranges: Vec<(Term, Term, Term)> = match (&self.cuts[index].targets, root) {
                (Some(targets), _) => {
                    let ranges = targets.iter().filter_map(|target| match target.what {
                        What::Registers(_) => None,
                        What::Scalar(first, ty) => {
                            let size = self.c.types.size_of(ty).unwrap_or(0);
                            Some((target.condition, first, self.pointer_bits(size)))
                        }
                        What::Bytes(first, length) => Some((target.condition, first, length)),
                    });
                    ranges.collect()
                }
                (None, Some((object, size))) => {
                    if !self.cuts[index].written.contains(&(object, size)) {
                        self.cuts[index].written.push((object, size));
                    }
                    vec![(self.pool.tru(), object, size)]
                }
                (None, None) => {
                    self.unseen(true, "writes to memory that only 'assigns' could name");
                    continue;
                }
            };
            let pool = &self.pool;
            let inside = ranges.into_iter().map(|(condition, first, size)| {
                let distance = pool.bv_sub(address, first);
                let fits = pool.bv_ule(length, pool.bv_sub(size, distance));
                pool.and([condition, pool.bv_ule(distance, size), fits])
            });
            let inside: Vec<Term> = inside.collect();
            let inside = self.pool.or(inside);
            self.append(Instruction::Check(Property::Assert, inside));
            self.append(Instruction::Assume(inside));
        }
    }

    /// Whether an address was computed from that of a static object.
    pub(super) fn is_in_static_object(&self, address: Term) -> bool {
        self.root_object(address).is_some_and(|(object, _)| self.object_ids.contains_key(&object))
    }

    /// The named object that an address was computed from, with its size.
    fn root_object(&self, address: Term) -> Option<(Term, Term)> {
        let mut todo = vec![address];
        let mut found = None;
        while let Some(term) = todo.pop() {
            let size =
                self.object_ids.get(&term).map(|id| self.pointer_bits(self.objects[*id].size));
            let size = size.or_else(|| self.own_sizes.get(&term).copied());
            match (size, self.pool.op(term)) {
                (Some(size), _) if found.is_none() => found = Some((term, size)),
                (Some(_), _) => return None,
                (None, Op::BvAdd) => todo.extend(self.pool.args(term)),
                _ => {}
            }
        }
        found
    }
}
