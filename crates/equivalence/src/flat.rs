//! A function with all it calls, as one graph over terms of a pool that both versions share.
//!
//! Calls are inlined, each with registers of its own. Functions without a body stay calls, and so do
//! those that are *abstracted*: functions that call themselves, which a proof knows something of.
//! Where nothing is known of them, they are inlined to a depth, and what is beyond ends in
//! [`Step::Beyond`].
//!
//! An object of both versions that is no constant has one address; constants have one if they have the
//! same bytes.

use program::program::{Callee, Cause, FunctionId, Instruction, Storage, VariableId};
use program::{Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use term::traverse::{free_vars, import};
use term::{Pool, Sort, Term};

/// How deep calls may nest.
const MAX_DEPTH: usize = 40;
/// How large a graph may be.
const MAX_EDGES: usize = 60_000;

/// A graph.
pub struct Flat {
    /// How many nodes there are.
    pub nodes: usize,
    /// Where it begins.
    pub entry: usize,
    /// Where it ends.
    pub exit: usize,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// The registers that take arguments.
    pub parameters: Vec<Term>,
    /// The registers that hold the result.
    pub results: Vec<Term>,
    /// Global registers, by name.
    pub globals: Vec<(String, Term)>,
    /// Local objects: the variable that is the address, and the width in bytes of what they consist of.
    pub locals: Vec<(Term, Option<u32>)>,
    /// All registers.
    pub registers: FxHashSet<Term>,
}

/// A step from node to node.
pub struct Edge {
    /// Where it leaves.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// What it does.
    pub step: Step,
}

/// What a step does; as [`Instruction`] has it.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub enum Step {
    Skip,
    Assume(Term),
    Assign(Term, Term),
    Havoc(Term),
    /// A register that is declared without a value; the name tells it in both versions.
    Unset(Term, String),
    Check(Property, Term),
    Load {
        into: Term,
        address: Term,
    },
    Store {
        address: Term,
        value: Term,
    },
    /// The contents of a local object are unknown.
    Allocate {
        into: Term,
        local: usize,
        name: String,
    },
    Copy {
        to: Term,
        from: Term,
        length: Term,
    },
    Fill {
        to: Term,
        byte: Term,
        length: Term,
    },
    /// A function without a body.
    Foreign {
        name: String,
        arguments: Vec<Term>,
        results: Vec<Term>,
    },
    /// A function that is known to do the same in both versions.
    Abstract {
        name: String,
        arguments: Vec<Term>,
        results: Vec<Term>,
    },
    /// Beyond the depth to which recursion is inlined.
    Beyond,
    /// What is not followed.
    Unsupported(&'static str),
}

/// Static objects of both versions.
#[derive(Default)]
pub struct Objects {
    /// Constants: address, size, and values at offsets.
    pub constants: FxHashMap<Term, (u64, Vec<(u64, Term)>)>,
    /// Others: address and size.
    pub others: FxHashMap<Term, u64>,
}

/// Makes graphs.
pub struct Builder<'p> {
    program: &'p Program,
    pool: &'p Pool,
    /// Which version.
    prefix: &'static str,
    /// Functions that stay calls.
    opaque: &'p BTreeSet<String>,
    /// How often a function calls itself before that is beyond what is followed, or stays a call.
    recursion: usize,
    seeds: FxHashMap<Term, Term>,
    flat: Flat,
    instances: usize,
}

/// Why there is no graph.
pub type Refusal = &'static str;

impl<'p> Builder<'p> {
    /// The graph of a function.
    pub fn build(
        program: &'p Program,
        pool: &'p Pool,
        prefix: &'static str,
        (function, opaque, recursion): (&str, &'p BTreeSet<String>, usize),
        objects: &mut Objects,
    ) -> Result<Flat, Refusal> {
        let flat = Flat {
            nodes: 0,
            entry: 0,
            exit: 0,
            edges: Vec::new(),
            parameters: Vec::new(),
            results: Vec::new(),
            globals: Vec::new(),
            locals: Vec::new(),
            registers: FxHashSet::default(),
        };
        let seeds = FxHashMap::default();
        let mut builder =
            Builder { program, pool, prefix, opaque, recursion, seeds, flat, instances: 0 };
        builder.share_objects(objects);
        builder.share_globals();
        let mut named =
            program.functions.iter().filter(|(_, f)| *f.name == *function && f.body.is_some());
        let (id, _) = named.next().ok_or("there is no such function")?;
        let (entry, exit, map) = builder.inline(id, &mut Vec::new())?;
        let entry_function = &program.functions[id];
        let own = |ids: &[VariableId]| -> Vec<Term> {
            ids.iter().map(|id| map[&program.variables[*id].term]).collect()
        };
        builder.flat.parameters = own(&entry_function.parameters);
        builder.flat.results = own(&entry_function.results);
        (builder.flat.entry, builder.flat.exit) = (entry, exit);
        Ok(builder.flat)
    }

    fn share_objects(&mut self, objects: &mut Objects) {
        for (_, object) in self.program.objects.iter() {
            let sort = Sort::BitVec(self.program.pointer_width);
            if !object.constant {
                let address = self.pool.var(&format!("&{}", object.name), sort);
                self.seeds.insert(object.address, address);
                objects.others.insert(address, object.size);
            }
        }
        for (_, object) in self.program.objects.iter().filter(|(_, object)| object.constant) {
            let mut contents = Vec::new();
            for (offset, term) in &object.initial {
                let map = &mut self.seeds;
                contents.push((*offset, import(&self.program.pool, *term, self.pool, map)));
            }
            let name = format!("constant {} {contents:?}", object.size);
            let sort = Sort::BitVec(self.program.pointer_width);
            let address = self.pool.var(&name, sort);
            self.seeds.insert(object.address, address);
            objects.constants.insert(address, (object.size, contents));
        }
        for (_, function) in self.program.functions.iter() {
            if let Some(address) = function.address {
                let sort = Sort::BitVec(self.program.pointer_width);
                let name = format!("function {}", function.name);
                self.seeds.insert(address, self.pool.var(&name, sort));
            }
        }
    }

    fn share_globals(&mut self) {
        for (_, variable) in self.program.variables.iter() {
            if variable.function.is_none() {
                let name = self.program.pool.var_name(variable.term).unwrap_or_default();
                let term = self.pool.var(&format!("{}{name}", self.prefix), variable.sort);
                self.seeds.insert(variable.term, term);
                self.flat.registers.insert(term);
                let shown = variable.name.as_deref().unwrap_or(name);
                self.flat.globals.push((shown.to_owned(), term));
            }
        }
    }

    fn node(&mut self) -> usize {
        self.flat.nodes += 1;
        self.flat.nodes - 1
    }

    fn edge(&mut self, from: usize, to: usize, step: Step) {
        self.flat.edges.push(Edge { from, to, step });
    }

    /// A copy of a function: where it begins and ends, and its registers.
    fn inline(
        &mut self,
        id: FunctionId,
        stack: &mut Vec<FunctionId>,
    ) -> Result<(usize, usize, FxHashMap<Term, Term>), Refusal> {
        if stack.len() > MAX_DEPTH || self.flat.edges.len() > MAX_EDGES {
            return Err("the function is too large");
        }
        let function = &self.program.functions[id];
        let body = function.body();
        self.instances += 1;
        let mut map = self.seeds.clone();
        for (_, variable) in self.program.variables.iter().filter(|(_, v)| v.function == Some(id)) {
            let name = self.program.pool.var_name(variable.term).unwrap_or_default();
            let name = format!("{}{}:{name}", self.prefix, self.instances);
            let term = self.pool.var(&name, variable.sort);
            self.flat.registers.insert(term);
            map.insert(variable.term, term);
        }
        let first = self.flat.nodes;
        self.flat.nodes += body.locations.len();
        let node = |location: program::program::LocationId| {
            first + u32::from(location.into_raw()) as usize
        };
        stack.push(id);
        for (_, edge) in body.edges.iter() {
            self.copy(&edge.instruction, (node(edge.from), node(edge.to)), &mut map, stack)?;
        }
        stack.pop();
        Ok((node(body.entry), node(body.exit), map))
    }

    fn copy(
        &mut self,
        instruction: &Instruction,
        (from, to): (usize, usize),
        map: &mut FxHashMap<Term, Term>,
        stack: &mut Vec<FunctionId>,
    ) -> Result<(), Refusal> {
        let (program, pool) = (self.program, self.pool);
        let mut term = |term: Term| import(&program.pool, term, pool, map);
        let register = |id: VariableId| program.variables[id].term;
        let step = match instruction {
            Instruction::Skip => Step::Skip,
            Instruction::Assume(condition) => Step::Assume(term(*condition)),
            Instruction::Assign(id, value) => Step::Assign(term(register(*id)), term(*value)),
            Instruction::Havoc(id, Cause::Uninitialized) => {
                let name = program.pool.var_name(register(*id)).unwrap_or_default();
                Step::Unset(term(register(*id)), name.to_owned())
            }
            Instruction::Havoc(id, _) => Step::Havoc(term(register(*id))),
            Instruction::Check(property, condition) => Step::Check(*property, term(*condition)),
            Instruction::Load { into, address } => {
                Step::Load { into: term(register(*into)), address: term(*address) }
            }
            Instruction::Store { address, value } => {
                Step::Store { address: term(*address), value: term(*value) }
            }
            Instruction::Copy { to, from, length } => {
                Step::Copy { to: term(*to), from: term(*from), length: term(*length) }
            }
            Instruction::Fill { to, byte, length } => {
                Step::Fill { to: term(*to), byte: term(*byte), length: term(*length) }
            }
            Instruction::Allocate { into, scalars, storage: Storage::Stack, .. } => {
                let local = self.flat.locals.len();
                let name = format!("{}local {local}", self.prefix);
                let address = pool.var(&name, Sort::BitVec(program.pointer_width));
                let width = scalars.first().copied().filter(|w| scalars.iter().all(|s| s == w));
                self.flat.locals.push((address, width));
                let name = program.pool.var_name(register(*into)).unwrap_or_default();
                Step::Allocate { into: term(register(*into)), local, name: name.to_owned() }
            }
            Instruction::Free { storage: Storage::Stack, .. } => Step::Skip,
            Instruction::Call { callee: Callee::Function(callee), arguments, results } => {
                let arguments: Vec<Term> = arguments.iter().map(|a| term(*a)).collect();
                let results: Vec<Term> = results.iter().map(|r| term(register(*r))).collect();
                return self.call(*callee, (from, to), arguments, results, stack);
            }
            Instruction::Call { .. } => Step::Unsupported("a call through a pointer"),
            Instruction::Allocate { .. } | Instruction::Free { .. } => {
                Step::Unsupported("allocation")
            }
            Instruction::HavocBytes { .. } => Step::Unsupported("unknown bytes"),
            Instruction::Measure { .. } | Instruction::Written { .. } => {
                Step::Unsupported("a question about an object")
            }
        };
        self.edge(from, to, step);
        Ok(())
    }

    fn call(
        &mut self,
        callee: FunctionId,
        (from, to): (usize, usize),
        arguments: Vec<Term>,
        results: Vec<Term>,
        stack: &mut Vec<FunctionId>,
    ) -> Result<(), Refusal> {
        let program = self.program;
        let function = &program.functions[callee];
        let name = function.name.to_string();
        if function.body.is_none() {
            self.edge(from, to, Step::Foreign { name, arguments, results });
            return Ok(());
        }
        let times = stack.iter().filter(|open| **open == callee).count();
        if self.opaque.contains(&name) && (times == 0 || times > self.recursion) {
            self.edge(from, to, Step::Abstract { name, arguments, results });
            return Ok(());
        }
        if times > self.recursion {
            self.edge(from, to, Step::Beyond);
            return Ok(());
        }
        let (entry, exit, map) = self.inline(callee, stack)?;
        let own = |id: &VariableId| map[&program.variables[*id].term];
        let mut at = from;
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let next = self.node();
            self.edge(at, next, Step::Assign(own(parameter), argument));
            at = next;
        }
        self.edge(at, entry, Step::Skip);
        at = exit;
        for (into, result) in results.into_iter().zip(&function.results) {
            let next = self.node();
            self.edge(at, next, Step::Assign(into, own(result)));
            at = next;
        }
        self.edge(at, to, Step::Skip);
        Ok(())
    }
}

impl Step {
    /// The terms that it reads.
    pub fn reads(&self) -> Vec<Term> {
        match self {
            Step::Skip | Step::Havoc(_) | Step::Unset(..) | Step::Beyond | Step::Unsupported(_) => {
                Vec::new()
            }
            Step::Allocate { .. } => Vec::new(),
            Step::Assume(term) | Step::Assign(_, term) | Step::Check(_, term) => vec![*term],
            Step::Load { address, .. } => vec![*address],
            Step::Store { address, value } => vec![*address, *value],
            Step::Copy { to, from, length } => vec![*to, *from, *length],
            Step::Fill { to, byte, length } => vec![*to, *byte, *length],
            Step::Foreign { arguments, .. } | Step::Abstract { arguments, .. } => arguments.clone(),
        }
    }

    /// The registers that it writes.
    pub fn writes(&self) -> Vec<Term> {
        match self {
            Step::Assign(register, _) | Step::Havoc(register) | Step::Unset(register, _) => {
                vec![*register]
            }
            Step::Load { into, .. } | Step::Allocate { into, .. } => vec![*into],
            Step::Foreign { results, .. } | Step::Abstract { results, .. } => results.clone(),
            _ => Vec::new(),
        }
    }
}

impl Flat {
    /// The registers that are read later, at each node.
    pub fn live(&self, pool: &Pool) -> Vec<FxHashSet<Term>> {
        let mut live = vec![FxHashSet::default(); self.nodes];
        live[self.exit].extend(&self.results);
        let globals: Vec<Term> = self.globals.iter().map(|(_, term)| *term).collect();
        let steps: Vec<(Vec<Term>, Vec<Term>)> = self
            .edges
            .iter()
            .map(|edge| {
                let mut reads = free_vars(pool, &edge.step.reads());
                reads.retain(|v| self.registers.contains(v));
                (reads, edge.step.writes())
            })
            .collect();
        for node in &mut live {
            node.extend(&globals);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (edge, (reads, writes)) in self.edges.iter().zip(&steps).rev() {
                let kept: Vec<Term> =
                    live[edge.to].iter().filter(|v| !writes.contains(v)).copied().collect();
                for register in kept.into_iter().chain(reads.iter().copied()) {
                    changed |= live[edge.from].insert(register);
                }
            }
        }
        live
    }

    /// The edges that leave each node.
    pub fn out(&self) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); self.nodes];
        for (number, edge) in self.edges.iter().enumerate() {
            out[edge.from].push(number);
        }
        out
    }

    /// The same graph without cycles: each way goes over at most so many edges back. Where it would go
    /// over more, it ends in [`Step::Beyond`].
    pub fn unrolled(self, times: usize) -> Flat {
        let shape = crate::shape::Shape::of(&self);
        let back: FxHashSet<usize> = shape.back.iter().copied().collect();
        let nodes = self.nodes;
        let mut edges = Vec::new();
        for round in 0..=times {
            for (number, edge) in self.edges.iter().enumerate() {
                let (from, to) = (round * nodes + edge.from, round * nodes + edge.to);
                if !back.contains(&number) {
                    edges.push(Edge { from, to, step: edge.step.clone() });
                } else if round < times {
                    edges.push(Edge { from, to: to + nodes, step: edge.step.clone() });
                } else {
                    // The condition of the edge back counts: it need not be possible.
                    edges.push(Edge { from, to: (times + 1) * nodes, step: edge.step.clone() });
                }
            }
            if round > 0 {
                edges.push(Edge {
                    from: round * nodes + self.exit,
                    to: self.exit,
                    step: Step::Skip,
                });
            }
        }
        let end = (times + 1) * nodes;
        edges.push(Edge { from: end, to: end + 1, step: Step::Beyond });
        Flat { nodes: end + 2, edges, ..self }
    }
}
