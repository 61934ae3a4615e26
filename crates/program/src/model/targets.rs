//! Which functions a call through a pointer can be to: points-to analysis of the program before
//! inlining, so insensitive to contexts, and cheap.
//!
//! A call can be to the functions whose address can flow into its pointer and whose parameters
//! fit. Calls make values flow, too, so their targets are found together with the classes. Where
//! the pointer may come from outside (an unknown result, contents of an object that is declared
//! only, or nothing that is known), the call may be to a function outside the program as well.
//!
//! What is compared with an address may be one: both sides of an equality flow into each other
//! here, so that `if (p == f) p();` calls f wherever p comes from.

use super::points_to::{Node, Solver};
use crate::program::{
    Callee, Cause, FunctionId, Instruction, Program, Reading, Site, Storage, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::subterms;
use term::{Op, Sort, Term};

/// What each call through a pointer can be to.
#[derive(Default)]
pub(super) struct Targets(FxHashMap<Site, BehindPointer>);

/// What a call through a pointer can be to.
pub(super) struct BehindPointer {
    /// Functions of the program, in their order.
    pub functions: Vec<FunctionId>,
    /// All functions that fit the call by their parameters and results.
    pub fitting: Vec<FunctionId>,
    /// Whether it may be to a function outside the program.
    pub outside: bool,
}

/// What a call can be to.
#[derive(Clone, Copy)]
pub(super) struct Called<'a> {
    /// Functions of the program, also those without a body.
    pub functions: &'a [FunctionId],
    /// Whether it may be to one outside.
    pub outside: bool,
}

impl Targets {
    /// What the call through a pointer at a site can be to.
    pub fn behind_pointer(&self, site: Site) -> Option<&BehindPointer> {
        self.0.get(&site)
    }

    /// What the call at a site can be to.
    pub fn called<'a>(&'a self, site: Site, callee: &'a Callee) -> Called<'a> {
        match (callee, self.behind_pointer(site)) {
            (Callee::Function(function), _) => {
                Called { functions: std::slice::from_ref(function), outside: false }
            }
            (Callee::Pointer(_), Some(behind)) => {
                Called { functions: &behind.functions, outside: behind.outside }
            }
            (Callee::Pointer(_), None) => Called { functions: &[], outside: true },
        }
    }
}

/// The targets of all calls through pointers.
pub(super) fn resolve(program: &Program) -> Targets {
    let calls = calls_through_pointers(program);
    if calls.is_empty() {
        return Targets::default();
    }
    Analysis::solve(program, calls).targets()
}

/// The same, and the classes of memory, by the addresses of accesses and of static objects.
pub(super) fn resolve_with_memory(program: &Program) -> (Targets, FxHashMap<Term, Node>) {
    let mut analysis = Analysis::solve(program, calls_through_pointers(program));
    let memory = analysis.accessed();
    (analysis.targets(), memory)
}

/// What addresses can point into: classes of objects, and what is known of each.
pub(super) struct Behind {
    class: FxHashMap<Term, Node>,
    about: FxHashMap<Node, About>,
}

/// The objects of a class together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct About {
    /// How many there are; what can be made again counts as many.
    pub objects: usize,
    /// The size of the smallest.
    pub least: u64,
    /// Whether one of them may end to live before the program does.
    pub dies: bool,
}

impl Behind {
    /// The class that a term points into.
    pub fn class(&self, term: Term) -> Option<Node> {
        self.class.get(&term).copied()
    }

    /// What is known of a class.
    pub fn about(&self, class: Node) -> About {
        let nothing = About { objects: 0, least: u64::MAX, dies: false };
        self.about.get(&class).copied().unwrap_or(nothing)
    }
}

/// What some addresses can point into.
pub(super) fn behind(program: &Program, terms: &[Term]) -> Behind {
    let mut analysis = Analysis::solve(program, calls_through_pointers(program));
    let class = |analysis: &mut Analysis<'_>, term: Term| {
        let value = analysis.solver.value(term);
        let class = analysis.solver.class(value);
        analysis.solver.settle();
        analysis.solver.find(class)
    };
    // To ask for a class may make one, and make others one.
    for &term in terms {
        class(&mut analysis, term);
    }
    let classes = terms.iter().map(|&term| (term, class(&mut analysis, term))).collect();
    let mut about: FxHashMap<Node, About> = FxHashMap::default();
    let mut add = |analysis: &mut Analysis<'_>, address: Term, objects, least, dies| {
        let class = class(analysis, address);
        let nothing = About { objects: 0, least: u64::MAX, dies: false };
        let known = about.entry(class).or_insert(nothing);
        known.objects += objects;
        known.least = known.least.min(least);
        known.dies |= dies;
    };
    for object in program.objects.values() {
        add(&mut analysis, object.address, 1, object.size, false);
    }
    for function in program.functions.values() {
        if let Some(address) = function.address {
            add(&mut analysis, address, 1, 1, false);
        }
    }
    for (_, edge) in program.edges() {
        if let Instruction::Allocate { into, size, storage, .. } = &edge.instruction {
            let size = program.pool.as_bits(*size).and_then(|bits| bits.to_u64()).unwrap_or(0);
            let objects = if *storage == Storage::Stack { 1 } else { 2 };
            add(&mut analysis, program.variables[*into].term, objects, size, true);
        }
    }
    Behind { class: classes, about }
}

/// A call through a pointer.
struct Call<'a> {
    site: Site,
    address: Term,
    arguments: &'a [Term],
    results: &'a [VariableId],
    /// The functions that fit it.
    fitting: Vec<FunctionId>,
}

fn calls_through_pointers(program: &Program) -> Vec<Call<'_>> {
    let mut calls = Vec::new();
    for (site, edge) in program.edges() {
        let Instruction::Call { callee: Callee::Pointer(address), arguments, results } =
            &edge.instruction
        else {
            continue;
        };
        let callable = program.functions.iter().filter(|(_, f)| f.address.is_some());
        let fitting = callable.filter(|(f, _)| fits(program, *f, arguments, results));
        let fitting = fitting.map(|(f, _)| f).collect();
        calls.push(Call { site, address: *address, arguments, results, fitting });
    }
    calls
}

/// Whether a function takes such arguments and gives such results.
fn fits(program: &Program, callee: FunctionId, arguments: &[Term], results: &[VariableId]) -> bool {
    let callee = &program.functions[callee];
    let sort = |id: VariableId| program.variables[id].sort;
    let parameters = callee.parameters.iter().map(|id| sort(*id));
    let given = arguments.iter().map(|term| program.pool.sort(*term));
    let returned = callee.results.iter().zip(results);
    parameters.eq(given)
        && results.len() <= callee.results.len()
        && returned.into_iter().all(|(from, into)| sort(*from) == sort(*into))
}

struct Analysis<'a> {
    program: &'a Program,
    solver: Solver<'a>,
    calls: Vec<Call<'a>>,
    /// Calls and targets whose flows are known.
    linked: FxHashSet<(usize, FunctionId)>,
    /// The class of each function whose address is taken.
    functions: FxHashMap<FunctionId, Node>,
    /// The classes of what memory with unknown contents points to.
    outside: Vec<Node>,
    /// Static objects, allocations and functions.
    memory: Vec<Node>,
    /// Where memory is accessed.
    addresses: Vec<Term>,
}

impl<'a> Analysis<'a> {
    fn solve(program: &'a Program, calls: Vec<Call<'a>>) -> Self {
        let mut analysis = Analysis::new(program, calls);
        analysis.bodies();
        loop {
            let found = analysis.calls();
            let Analysis { solver, addresses, memory, .. } = &mut analysis;
            if !solver.strays(program.pointer_width, addresses, memory) && !found {
                return analysis;
            }
        }
    }

    /// The class that is accessed at each address, and that of each static object.
    fn accessed(&mut self) -> FxHashMap<Term, Node> {
        let mut addresses = std::mem::take(&mut self.addresses);
        addresses.extend(self.program.objects.values().map(|object| object.address));
        let class = |analysis: &mut Self, address: Term| {
            let value = analysis.solver.value(address);
            let class = analysis.solver.class(value);
            analysis.solver.settle();
            analysis.solver.find(class)
        };
        // To ask for a class may make one, and make others one.
        for &address in &addresses {
            class(self, address);
        }
        addresses.into_iter().map(|address| (address, class(self, address))).collect()
    }

    fn new(program: &'a Program, calls: Vec<Call<'a>>) -> Self {
        let mut analysis = Analysis {
            program,
            solver: Solver::new(&program.pool),
            calls,
            linked: FxHashSet::default(),
            functions: FxHashMap::default(),
            outside: Vec::new(),
            memory: Vec::new(),
            addresses: Vec::new(),
        };
        for object in program.objects.values() {
            let memory = analysis.object(object.address);
            for (_, term) in &object.initial {
                let value = analysis.solver.value(*term);
                analysis.solver.flow(value, memory);
            }
            if object.unknown {
                analysis.leave_open(memory);
            }
        }
        for (id, function) in program.functions.iter() {
            if let Some(address) = function.address {
                let class = analysis.object(address);
                analysis.functions.insert(id, class);
            }
        }
        analysis.solver.settle();
        analysis
    }

    /// A class for what is at an address.
    fn object(&mut self, address: Term) -> Node {
        let class = self.solver.node();
        self.memory.push(class);
        let value = self.solver.value(address);
        self.solver.point(value, class);
        class
    }

    /// What a class holds may point to something outside the program.
    fn leave_open(&mut self, memory: Node) {
        let outside = self.solver.node();
        self.outside.push(outside);
        self.memory.push(outside);
        self.solver.point(memory, outside);
    }

    fn register(&mut self, id: VariableId) -> Node {
        self.solver.value(self.program.variables[id].term)
    }

    fn assign(&mut self, variable: VariableId, term: Term) {
        let (from, to) = (self.solver.value(term), self.register(variable));
        self.solver.flow(from, to);
    }

    /// The class that is accessed at an address.
    fn access(&mut self, address: Term) -> Node {
        self.addresses.push(address);
        let value = self.solver.value(address);
        self.solver.class(value)
    }

    /// A register takes a value that the program does not make.
    fn unknown(&mut self, variable: VariableId) {
        if self.program.variables[variable].reading == Reading::Address {
            let value = self.register(variable);
            let external = self.solver.external();
            self.solver.point(value, external);
        }
    }

    fn bodies(&mut self) {
        let program = self.program;
        for (_, edge) in program.edges() {
            self.instruction(&edge.instruction);
            self.solver.settle();
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::Assign(variable, term) => {
                self.compare(*term);
                self.assign(*variable, *term);
            }
            Instruction::Assume(formula) | Instruction::Check(_, formula) => self.compare(*formula),
            Instruction::Havoc(variable, cause) => {
                if *cause != Cause::Uninitialized {
                    self.unknown(*variable);
                }
            }
            Instruction::Load { into, address } => {
                let (memory, into) = (self.access(*address), self.register(*into));
                self.solver.flow(memory, into);
            }
            Instruction::Written { address, .. } => {
                self.access(*address);
            }
            Instruction::Store { address, value } => {
                let (memory, value) = (self.access(*address), self.solver.value(*value));
                self.solver.flow(value, memory);
            }
            Instruction::Allocate { into, .. } => {
                self.object(self.program.variables[*into].term);
            }
            Instruction::Copy { to, from, .. } => {
                let (to, from) = (self.access(*to), self.access(*from));
                self.solver.flow(from, to);
            }
            Instruction::Call { callee: Callee::Function(function), arguments, results } => {
                self.link(*function, arguments, results);
            }
            Instruction::HavocBytes { address, cause, .. } => {
                let memory = self.access(*address);
                if *cause != Cause::Uninitialized {
                    self.leave_open(memory);
                }
            }
            // Bytes that are filled in hold no address that was computed.
            Instruction::Fill { to, .. } => {
                self.access(*to);
            }
            Instruction::Free { .. }
            | Instruction::Skip
            | Instruction::Measure { .. }
            | Instruction::Call { .. } => {}
        }
    }

    /// The sides of the equalities in a term flow into each other.
    fn compare(&mut self, term: Term) {
        let pool = &self.program.pool;
        for subterm in subterms(pool, &[term]) {
            let (Op::Eq, &[a, b]) = (pool.op(subterm), pool.args(subterm)) else { continue };
            let pointers = pool.sort(a) == Sort::BitVec(self.program.pointer_width);
            if pointers && pool.value(a).is_none() && pool.value(b).is_none() {
                let (a, b) = (self.solver.value(a), self.solver.value(b));
                self.solver.flow(a, b);
                self.solver.flow(b, a);
            }
        }
    }

    /// Arguments and results flow.
    fn link(&mut self, function: FunctionId, arguments: &[Term], results: &[VariableId]) {
        let callee = &self.program.functions[function];
        if callee.body.is_none() {
            results.iter().for_each(|result| self.unknown(*result));
            return;
        }
        for (parameter, argument) in callee.parameters.iter().zip(arguments) {
            self.assign(*parameter, *argument);
        }
        for (result, returned) in results.iter().zip(&callee.results) {
            self.assign(*result, self.program.variables[*returned].term);
        }
    }

    /// Links calls through pointers to the functions found so far; says whether there was a new
    /// one.
    fn calls(&mut self) -> bool {
        let mut any = false;
        loop {
            let mut found = false;
            for n in 0..self.calls.len() {
                for function in self.functions_of(n) {
                    if self.linked.insert((n, function)) {
                        let Call { arguments, results, .. } = self.calls[n];
                        self.link(function, arguments, results);
                        self.solver.settle();
                        found = true;
                    }
                }
            }
            if !found {
                return any;
            }
            any = true;
        }
    }

    /// The functions that a call can be to, as far as is known.
    fn functions_of(&mut self, call: usize) -> Vec<FunctionId> {
        let class = self.class_of(call);
        let Analysis { solver, calls, functions, .. } = self;
        let fitting = calls[call].fitting.iter().copied();
        fitting.filter(|function| solver.find(functions[function]) == class).collect()
    }

    fn class_of(&mut self, call: usize) -> Node {
        let value = self.solver.value(self.calls[call].address);
        let class = self.solver.class(value);
        self.solver.find(class)
    }

    fn targets(mut self) -> Targets {
        let mut outside: FxHashSet<Node> = FxHashSet::default();
        outside.insert(self.solver.find(self.solver.external()));
        for n in 0..self.outside.len() {
            outside.insert(self.solver.find(self.outside[n]));
        }
        let mut targets = Targets::default();
        for n in 0..self.calls.len() {
            let functions = self.functions_of(n);
            let outside = functions.is_empty() || outside.contains(&self.class_of(n));
            let Call { site, ref fitting, .. } = self.calls[n];
            let behind = BehindPointer { functions, fitting: fitting.clone(), outside };
            targets.0.insert(site, behind);
        }
        targets
    }
}
