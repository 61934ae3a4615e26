//! The slice of the properties, on the program before inlining: what a violation can
//! depend on [Lan18 §5.1.2, slicing; here between functions, as M. Weiser: *Program Slicing*, 1981].
//!
//! A worklist finds together
//!
//! * the instructions that *act*: checks of the properties asked for, what gives a needed register
//!   its value or writes to needed memory, calls of functions in which something acts;
//! * the registers that these read, and the classes of memory that they read from;
//! * the branches that decide which of them is executed next ([`super::control`]).
//!
//! Order of execution and contexts of calls are not looked at where data is concerned: a register
//! is needed everywhere or nowhere. What can end a run (an assumption, a branch to a dead end) acts
//! if it reads nothing but needed registers; so what is assumed of values that do not matter costs
//! nothing.
//!
//! **What is left out, and what that means.** A run that violates a property executes, in order, the
//! same acting instructions with the same values in the slice as in the program, because whatever it
//! skips it leaves again. So the slice has all violations of the program, and a proof for the slice is
//! one for the program. The slice can have more: it goes on where a run of the program would stay
//! in a loop for ever, fail an assumption, or end with an access that is undefined (checks of
//! properties that end a run without having been asked for act only right before another
//! instruction that acts). A run of the slice counts only if the interpreter can follow it;
//! otherwise the whole program must be built.

use super::control::Control;
use super::initialized::Unread;
use super::points_to::Node;
use super::targets::{Called, Targets};
use crate::minimize::Size;
use crate::program::{
    Body, Callee, EdgeId, FunctionId, Instruction, LocationId, Program, Site, VariableId,
};
use crate::property::Property;
use la_arena::RawIdx;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use term::Term;
use term::traverse::free_vars;

/// What is left of a program.
pub(super) struct Cone {
    parts: FxHashMap<FunctionId, Part>,
    needed: FxHashSet<VariableId>,
    /// The functions that can return.
    returning: FxHashSet<FunctionId>,
    /// How large the functions are that can be called, and what is left of them.
    pub sizes: (Size, Size),
}

/// What is left of a function.
pub(super) struct Part {
    acts: Vec<bool>,
    leads: Vec<Option<LocationId>>,
}

impl Cone {
    /// What is left of a function; none if nothing in it acts.
    pub fn part(&self, function: FunctionId) -> Option<&Part> {
        self.parts.get(&function)
    }

    /// Whether a register is read by anything that acts.
    pub fn needs(&self, register: VariableId) -> bool {
        self.needed.contains(&register)
    }

    /// Whether a call of the function can return.
    pub fn returns(&self, function: FunctionId) -> bool {
        self.returning.contains(&function)
    }
}

impl Part {
    /// Whether an edge does something.
    pub fn acts(&self, edge: EdgeId) -> bool {
        self.acts[number(edge)]
    }

    /// The location at which something happens next, or the exit; none at a dead end.
    pub fn leads(&self, location: LocationId) -> Option<LocationId> {
        self.leads[number(location)]
    }
}

/// What has just been found to matter.
enum Found {
    Register(VariableId),
    Memory(Node),
    Acting(Site),
}

fn number<T>(index: la_arena::Idx<T>) -> usize {
    index.into_raw().into_u32() as usize
}

/// The slice of some properties; the addresses of accesses say to which class of memory they are.
pub(super) fn cone(
    program: &Program,
    properties: &BTreeSet<Property>,
    targets: &Targets,
    memory: &FxHashMap<Term, Node>,
    unread: &Unread,
) -> Cone {
    let mut slicer = Slicer::new(program, properties, targets, memory, unread);
    slicer.seed();
    slicer.run();
    while slicer.act_on_ends() {
        slicer.run();
    }
    slicer.finish()
}

/// A function as the slicer sees it.
struct Sliced<'a> {
    body: &'a Body,
    control: Control,
    acts: Vec<bool>,
    /// Whether anything acts.
    matters: bool,
    leaving: Vec<Vec<EdgeId>>,
    arriving: Vec<Vec<EdgeId>>,
}

struct Slicer<'a> {
    program: &'a Program,
    properties: &'a BTreeSet<Property>,
    targets: &'a Targets,
    memory: &'a FxHashMap<Term, Node>,
    unread: &'a Unread,
    registers: FxHashMap<Term, VariableId>,
    /// Registers of terms that have been asked for.
    read: FxHashMap<Term, Rc<[VariableId]>>,
    functions: FxHashMap<FunctionId, Sliced<'a>>,
    /// Their order, callers first.
    called: Vec<FunctionId>,
    /// Assumptions that can end a run and don't act yet.
    ends: Vec<(Site, Term)>,
    returning: FxHashSet<FunctionId>,
    callers: FxHashMap<FunctionId, Vec<Site>>,
    /// Where a register gets its values, but for parameters.
    definitions: FxHashMap<VariableId, Vec<Site>>,
    parameters: FxHashMap<VariableId, (FunctionId, usize)>,
    writes: FxHashMap<Node, Vec<Site>>,
    needed: FxHashSet<VariableId>,
    needed_memory: FxHashSet<Node>,
    pending: Vec<Found>,
    /// Functions in which more locations are kept than the last time they were looked at.
    open: Vec<FunctionId>,
}

impl<'a> Slicer<'a> {
    fn new(
        program: &'a Program,
        properties: &'a BTreeSet<Property>,
        targets: &'a Targets,
        memory: &'a FxHashMap<Term, Node>,
        unread: &'a Unread,
    ) -> Self {
        let registers = program.variables.iter().map(|(id, variable)| (variable.term, id));
        let mut slicer = Slicer {
            program,
            properties,
            targets,
            memory,
            unread,
            registers: registers.collect(),
            read: FxHashMap::default(),
            functions: FxHashMap::default(),
            called: Vec::new(),
            ends: Vec::new(),
            returning: FxHashSet::default(),
            callers: FxHashMap::default(),
            definitions: FxHashMap::default(),
            parameters: FxHashMap::default(),
            writes: FxHashMap::default(),
            needed: FxHashSet::default(),
            needed_memory: FxHashSet::default(),
            pending: Vec::new(),
            open: Vec::new(),
        };
        let called = slicer.index();
        slicer.find_returning(&called);
        for &function in &called {
            let sliced = slicer.sliced(function);
            slicer.functions.insert(function, sliced);
        }
        slicer.called = called;
        slicer
    }

    /// Who defines, writes and calls what, in the functions that can be called; answers them.
    fn index(&mut self) -> Vec<FunctionId> {
        let program = self.program;
        let mut called = vec![program.start];
        let mut seen: FxHashSet<FunctionId> = called.iter().copied().collect();
        let mut next = 0;
        while let Some(&function) = called.get(next) {
            next += 1;
            let Some(body) = &program.functions[function].body else { continue };
            for (n, &parameter) in program.functions[function].parameters.iter().enumerate() {
                self.parameters.insert(parameter, (function, n));
            }
            for (id, edge) in body.edges.iter() {
                let site = (function, id);
                self.index_instruction(site, &edge.instruction);
                for &callee in self.callees(site) {
                    self.callers.entry(callee).or_default().push(site);
                    if seen.insert(callee) {
                        called.push(callee);
                    }
                }
            }
        }
        called.retain(|function| program.functions[*function].body.is_some());
        called
    }

    fn index_instruction(&mut self, site: Site, instruction: &Instruction) {
        match instruction {
            Instruction::Havoc(..) if self.unread.contains(site) => {}
            Instruction::Assign(register, _)
            | Instruction::Havoc(register, _)
            | Instruction::Load { into: register, .. }
            | Instruction::Measure { into: register, .. }
            | Instruction::Written { into: register, .. }
            | Instruction::Allocate { into: register, .. } => {
                self.definitions.entry(*register).or_default().push(site);
            }
            Instruction::Call { results, .. } => {
                for result in results {
                    self.definitions.entry(*result).or_default().push(site);
                }
            }
            Instruction::Store { address, .. }
            | Instruction::Copy { to: address, .. }
            | Instruction::Fill { to: address, .. }
            | Instruction::HavocBytes { address, .. } => {
                self.writes.entry(self.memory[address]).or_default().push(site);
            }
            Instruction::Skip
            | Instruction::Assume(_)
            | Instruction::Check(..)
            | Instruction::Free { .. } => {}
        }
    }

    fn instruction(&self, (function, edge): Site) -> &'a Instruction {
        &self.program.functions[function].body().edges[edge].instruction
    }

    /// What is called at a site, if anything is.
    fn called(&self, site: Site) -> Option<Called<'a>> {
        let Instruction::Call { callee, .. } = self.instruction(site) else { return None };
        Some(self.targets.called(site, callee))
    }

    /// The functions that are called at a site.
    fn callees(&self, site: Site) -> &'a [FunctionId] {
        self.called(site).map_or(&[], |called| called.functions)
    }

    /// Whether a run can go on after an instruction, as far as is known.
    fn passes(&self, site: Site) -> bool {
        self.called(site).is_none_or(|called| {
            called.outside || called.functions.iter().any(|callee| self.returning.contains(callee))
        })
    }

    /// The functions from whose entry a way leads to the exit: the least set.
    fn find_returning(&mut self, called: &[FunctionId]) {
        let program = self.program;
        let without_body = program.functions.iter().filter(|(_, f)| f.body.is_none());
        self.returning = without_body.map(|(id, _)| id).collect();
        let mut pending: Vec<FunctionId> = called.iter().rev().copied().collect();
        while let Some(function) = pending.pop() {
            if !self.returning.contains(&function) && self.reaches_exit(function) {
                self.returning.insert(function);
                let callers = self.callers.get(&function).into_iter().flatten();
                pending.extend(callers.map(|(caller, _)| *caller));
            }
        }
    }

    fn reaches_exit(&self, function: FunctionId) -> bool {
        let body = self.program.functions[function].body();
        let reached = self.reached(function, body);
        reached[number(body.exit)]
    }

    /// The locations that a run of the function can come to.
    fn reached(&self, function: FunctionId, body: &Body) -> Vec<bool> {
        let mut leaving: Vec<Vec<EdgeId>> = vec![Vec::new(); body.locations.len()];
        for (id, edge) in body.edges.iter() {
            leaving[number(edge.from)].push(id);
        }
        let mut reached = vec![false; body.locations.len()];
        let mut pending = vec![body.entry];
        while let Some(location) = pending.pop() {
            if std::mem::replace(&mut reached[number(location)], true) || location == body.exit {
                continue;
            }
            let passed = leaving[number(location)].iter().filter(|e| self.passes((function, **e)));
            pending.extend(passed.map(|edge| body.edges[*edge].to));
        }
        reached
    }

    /// A function with nothing that acts. Edges that no run comes to are not looked at.
    fn sliced(&self, function: FunctionId) -> Sliced<'a> {
        let body = self.program.functions[function].body();
        let count = body.locations.len();
        let reached = self.reached(function, body);
        let (mut leaving, mut arriving) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let mut passable = Vec::new();
        for (id, edge) in body.edges.iter() {
            let (from, to) = (number(edge.from), number(edge.to));
            // A call returns at the exit.
            if !reached[from] || edge.from == body.exit {
                continue;
            }
            leaving[from].push(id);
            arriving[to].push(id);
            if self.passes((function, id)) {
                passable.push((from, to));
            }
        }
        let control = Control::new(count, number(body.exit), &passable);
        let acts = vec![false; body.edges.len()];
        Sliced { body, control, acts, matters: false, leaving, arriving }
    }

    /// What acts whatever the rest does: checks of the properties.
    fn seed(&mut self) {
        for function in self.called.clone() {
            let Some(sliced) = self.functions.get(&function) else { continue };
            let edges = sliced.leaving.iter().flatten().copied();
            let asked = |edge: &EdgeId| match &sliced.body.edges[*edge].instruction {
                Instruction::Check(property, _) => self.properties.contains(property),
                _ => false,
            };
            let seeds: Vec<EdgeId> = edges.filter(asked).collect();
            for edge in seeds {
                self.act((function, edge));
            }
            self.find_ends(function);
        }
    }

    /// The assumptions of a function that can end a run: those that are no branch, and the guards
    /// of branches that lead to a dead end.
    fn find_ends(&mut self, function: FunctionId) {
        let Some(sliced) = self.functions.get(&function) else { return };
        let alone = sliced.leaving.iter().filter(|edges| edges.len() == 1).flatten();
        let branches = sliced.control.ways_to_dead_ends();
        let guards = branches.iter().flat_map(|location| &sliced.leaving[*location]);
        for &edge in alone.chain(guards) {
            if let Instruction::Assume(formula) = &sliced.body.edges[edge].instruction {
                self.ends.push(((function, edge), *formula));
            }
        }
    }

    /// Lets those act that read nothing but what is needed; says whether there was one.
    fn act_on_ends(&mut self) -> bool {
        let mut any = false;
        for (site, formula) in std::mem::take(&mut self.ends) {
            let registers = self.registers_of(formula);
            if registers.iter().all(|register| self.is_known(site.0, *register)) {
                self.act(site);
                any = true;
            } else {
                self.ends.push((site, formula));
            }
        }
        any
    }

    /// Whether a register is needed, or a parameter that takes nothing but needed registers in
    /// some call: functions that assume or assert what they are given have such.
    fn is_known(&mut self, function: FunctionId, register: VariableId) -> bool {
        if self.needed.contains(&register) {
            return true;
        }
        let Some(&(_, n)) = self.parameters.get(&register) else { return false };
        let callers = self.callers.get(&function).cloned().unwrap_or_default();
        callers.into_iter().any(|site| {
            let Instruction::Call { arguments, .. } = self.instruction(site) else { return false };
            arguments.get(n).is_some_and(|argument| {
                let registers = self.registers_of(*argument);
                !registers.is_empty() && registers.iter().all(|r| self.needed.contains(r))
            })
        })
    }

    fn run(&mut self) {
        loop {
            while let Some(found) = self.pending.pop() {
                match found {
                    Found::Register(register) => self.define(register),
                    Found::Memory(class) => {
                        for site in self.writes.remove(&class).unwrap_or_default() {
                            self.act(site);
                        }
                    }
                    Found::Acting(site) => self.look_at(site),
                }
            }
            let Some(function) = self.open.pop() else { return };
            let Some(sliced) = self.functions.get_mut(&function) else { continue };
            for location in sliced.control.close() {
                self.decide(function, location);
            }
        }
    }

    /// An instruction acts.
    fn act(&mut self, site: Site) {
        let (function, edge) = site;
        let Some(sliced) = self.functions.get_mut(&function) else { return };
        let from = number(sliced.body.edges[edge].from);
        // Nobody comes to an edge that is not listed where it leaves.
        if sliced.acts[number(edge)] || !sliced.leaving[from].contains(&edge) {
            return;
        }
        sliced.acts[number(edge)] = true;
        self.pending.push(Found::Acting(site));
        if sliced.control.keep(from) {
            self.open.push(function);
            self.decide(function, from);
        }
    }

    /// A location is kept: the guards of its branches act.
    fn decide(&mut self, function: FunctionId, location: usize) {
        let Some(sliced) = self.functions.get(&function) else { return };
        let guards = sliced.leaving[location].iter().copied();
        let is_guard =
            |id: &EdgeId| matches!(sliced.body.edges[*id].instruction, Instruction::Assume(_));
        let guards: Vec<EdgeId> = guards.filter(is_guard).collect();
        for guard in guards {
            self.act((function, guard));
        }
    }

    /// What an instruction that acts depends on.
    fn look_at(&mut self, site: Site) {
        let (function, edge) = site;
        if let Some(sliced) = self.functions.get_mut(&function)
            && !std::mem::replace(&mut sliced.matters, true)
        {
            for caller in self.callers.get(&function).cloned().unwrap_or_default() {
                self.act(caller);
            }
        }
        self.checks_before(function, edge);
        match self.instruction(site) {
            Instruction::Assume(term)
            | Instruction::Check(_, term)
            | Instruction::Assign(_, term)
            | Instruction::Allocate { size: term, .. }
            | Instruction::Measure { address: term, .. }
            | Instruction::Free { address: term, .. } => self.need_term(*term),
            Instruction::Load { address, .. } | Instruction::Written { address, .. } => {
                self.need_term(*address);
                self.need_memory(self.memory[address]);
            }
            Instruction::Store { address: a, value: b }
            | Instruction::HavocBytes { address: a, length: b, .. } => {
                self.need_term(*a);
                self.need_term(*b);
            }
            Instruction::Copy { to, from, length } => {
                for term in [to, from, length] {
                    self.need_term(*term);
                }
                self.need_memory(self.memory[from]);
            }
            Instruction::Fill { to, byte, length } => {
                for term in [to, byte, length] {
                    self.need_term(*term);
                }
            }
            Instruction::Call { callee, arguments, results } => {
                self.look_at_call(site, callee, arguments, results);
            }
            Instruction::Havoc(_, cause) => {
                cause.terms().iter().for_each(|term| self.need_term(*term));
            }
            Instruction::Skip => {}
        }
    }

    fn look_at_call(
        &mut self,
        site: Site,
        callee: &'a Callee,
        arguments: &[Term],
        results: &[VariableId],
    ) {
        if let Callee::Pointer(address) = callee {
            self.need_term(*address);
        }
        let called = self.targets.called(site, callee);
        let mut unknown = called.outside;
        for &function in called.functions {
            let definition = &self.program.functions[function];
            unknown |= definition.body.is_none();
            for (parameter, argument) in definition.parameters.iter().zip(arguments) {
                if self.needed.contains(parameter) {
                    self.need_term(*argument);
                }
            }
        }
        // The unknown results of a call stay together.
        if unknown {
            for &result in results {
                self.need(result);
            }
        }
    }

    /// Checks that end a run, right before an instruction that acts, cost nothing more and say what
    /// can be relied on.
    fn checks_before(&mut self, function: FunctionId, edge: EdgeId) {
        let Some(sliced) = self.functions.get(&function) else { return };
        let at = number(sliced.body.edges[edge].from);
        if let ([before], [_]) = (&sliced.arriving[at][..], &sliced.leaving[at][..])
            && let Instruction::Check(property, _) = sliced.body.edges[*before].instruction
            && property.is_fatal()
        {
            self.act((function, *before));
        }
    }

    /// What gives a register its values acts.
    fn define(&mut self, register: VariableId) {
        for site in self.definitions.get(&register).cloned().unwrap_or_default() {
            self.act(site);
            let Instruction::Call { results, .. } = self.instruction(site) else { continue };
            for &callee in self.callees(site) {
                let returned = &self.program.functions[callee].results;
                for (result, returned) in results.iter().zip(returned) {
                    if *result == register {
                        self.need(*returned);
                    }
                }
            }
        }
        let Some((function, n)) = self.parameters.get(&register).copied() else { return };
        for site in self.callers.get(&function).cloned().unwrap_or_default() {
            if let Instruction::Call { arguments, .. } = self.instruction(site)
                && let Some(argument) = arguments.get(n)
            {
                self.need_term(*argument);
            }
        }
    }

    fn need(&mut self, register: VariableId) {
        if self.needed.insert(register) {
            self.pending.push(Found::Register(register));
        }
    }

    fn need_memory(&mut self, class: Node) {
        if self.needed_memory.insert(class) {
            self.pending.push(Found::Memory(class));
        }
    }

    fn need_term(&mut self, term: Term) {
        for &register in self.registers_of(term).iter() {
            self.need(register);
        }
    }

    fn registers_of(&mut self, term: Term) -> Rc<[VariableId]> {
        let (pool, registers) = (&self.program.pool, &self.registers);
        let find = || {
            let variables = free_vars(pool, &[term]);
            variables.iter().filter_map(|variable| registers.get(variable).copied()).collect()
        };
        self.read.entry(term).or_insert_with(find).clone()
    }

    fn finish(self) -> Cone {
        let mut parts = FxHashMap::default();
        let (mut before, mut after) = (Size::default(), Size::default());
        before.variables = self.definitions.len() + self.parameters.len();
        after.variables = self.needed.len();
        for (function, sliced) in self.functions {
            let count = sliced.body.locations.len();
            before.locations += count;
            before.edges += sliced.body.edges.len();
            if !sliced.matters {
                continue;
            }
            let kept = (0..count).filter(|n| sliced.control.first(*n) == Some(*n));
            for location in kept {
                after.locations += 1;
                after.edges += sliced.leaving[location].len();
            }
            after.terms += sliced.acts.iter().filter(|acts| **acts).count();
            let location = |n: usize| LocationId::from_raw(RawIdx::from(n as u32));
            let leads = (0..count).map(|n| sliced.control.first(n).map(location)).collect();
            parts.insert(function, Part { acts: sliced.acts, leads });
        }
        before.terms = before.edges;
        let sizes = (before, after);
        Cone { parts, needed: self.needed, returning: self.returning, sizes }
    }
}
