//! Which objects a pointer can point to: Steensgaard's analysis by unification, with pending
//! flows (B. Steensgaard: *Points-to Analysis in Almost Linear Time*, POPL 1996), insensitive to
//! fields. On an inlined program it is sensitive to contexts; where calls are kept, arguments and
//! results flow, from and to all calls alike.
//!
//! A node is a register, an address term or a class of objects; a class's node stands for what
//! its memory holds. A node's *target* is the class that its values point into. When a value
//! flows from a node that has a target, the targets of the two are unified; a node without a
//! target (a number) unifies nothing until it gets one, so `p + i` joins no arrays that share
//! an index.
//!
//! A value flows through every operator whose result is no truth value. What a program learns of
//! an address by comparing it with numbers is not followed: an access is to the objects that its
//! address was computed from. That is what C promises, and [`super::Model::assumptions`] says so
//! where it is used.
//!
//! An access through a pointer that comes from outside (an unknown result, a fixed number) is to
//! *external* memory: one class of unknown size and contents.

use super::objects::{Kind, Objects};
use crate::cfa::Command;
use crate::procedures::{Action, Callee, Procedures};
use crate::program::{Cause, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Term};

pub(super) type Node = u32;

/// The result: the class of each access and of each object.
pub(super) struct Classes {
    /// By address term.
    class: FxHashMap<Term, usize>,
    /// By object.
    pub of_object: Vec<usize>,
    /// Whether a class has external memory in it.
    pub external: Vec<bool>,
}

impl Classes {
    /// The class that an address points into.
    pub fn of(&self, address: Term) -> usize {
        self.class[&address]
    }

    pub fn len(&self) -> usize {
        self.external.len()
    }
}

/// The constraints met so far, solved as they come.
pub(super) struct Solver<'a> {
    pool: &'a Pool,
    parent: Vec<Node>,
    target: Vec<Option<Node>>,
    /// Where the node's values flow, while it has no target.
    pending: Vec<Vec<Node>>,
    node_of: FxHashMap<Term, Node>,
    work: Vec<(Node, Node)>,
    external: Node,
}

impl<'a> Solver<'a> {
    /// With external memory as the only class.
    pub fn new(pool: &'a Pool) -> Self {
        let mut solver = Solver {
            pool,
            parent: Vec::new(),
            target: Vec::new(),
            pending: Vec::new(),
            node_of: FxHashMap::default(),
            work: Vec::new(),
            external: 0,
        };
        let external = solver.node();
        solver.external = external;
        // Pointers that come from external memory point to it.
        solver.point(external, external);
        solver
    }

    /// The class of external memory.
    pub fn external(&self) -> Node {
        self.external
    }

    pub fn node(&mut self) -> Node {
        let node = self.parent.len() as Node;
        self.parent.push(node);
        self.target.push(None);
        self.pending.push(Vec::new());
        node
    }

    pub fn find(&mut self, mut node: Node) -> Node {
        while self.parent[node as usize] != node {
            let above = self.parent[node as usize];
            self.parent[node as usize] = self.parent[above as usize];
            node = above;
        }
        node
    }

    /// The node of a term: a register, or the values that flow into an expression.
    pub fn value(&mut self, term: Term) -> Node {
        if let Some(&node) = self.node_of.get(&term) {
            return node;
        }
        let node = self.node();
        self.node_of.insert(term, node);
        for leaf in leaves(self.pool, term) {
            if leaf != term {
                let from = self.value(leaf);
                self.flow(from, node);
            }
        }
        node
    }

    /// Values of the first are among those of the second.
    pub fn flow(&mut self, from: Node, to: Node) {
        let from = self.find(from);
        match self.target[from as usize] {
            Some(target) => self.point(to, target),
            None => self.pending[from as usize].push(to),
        }
    }

    /// A node's values point into a class.
    pub fn point(&mut self, node: Node, class: Node) {
        let mut queue = vec![(node, class)];
        while let Some((node, class)) = queue.pop() {
            let node = self.find(node);
            match self.target[node as usize] {
                Some(target) => self.work.push((target, class)),
                None => {
                    self.target[node as usize] = Some(class);
                    let waiting = std::mem::take(&mut self.pending[node as usize]);
                    queue.extend(waiting.into_iter().map(|to| (to, class)));
                }
            }
        }
    }

    /// The class that a node points into; a new one if there is none yet.
    pub fn class(&mut self, node: Node) -> Node {
        let node = self.find(node);
        if let Some(target) = self.target[node as usize] {
            return target;
        }
        let class = self.node();
        self.point(node, class);
        class
    }

    /// Unifies what has to be.
    pub fn settle(&mut self) {
        while let Some((a, b)) = self.work.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            let (a, b) = if self.pending[a as usize].len() < self.pending[b as usize].len() {
                (b, a)
            } else {
                (a, b)
            };
            self.parent[b as usize] = a;
            let waiting = std::mem::take(&mut self.pending[b as usize]);
            let (ta, tb) = (self.target[a as usize], self.target[b as usize]);
            match (ta, tb) {
                (Some(ta), Some(tb)) => self.work.push((ta, tb)),
                (None, Some(tb)) => self.point(a, tb),
                _ => {}
            }
            match self.target[a as usize] {
                Some(target) => {
                    for to in waiting {
                        self.point(to, target);
                    }
                }
                None => self.pending[a as usize].extend(waiting),
            }
        }
    }

    /// A term's values are among those of a register.
    fn assign(&mut self, register: Term, term: Term) {
        let (from, to) = (self.value(term), self.value(register));
        self.flow(from, to);
    }

    fn step(&mut self, action: &Action, objects: &[Node]) {
        match action {
            Action::Command(command) => command.for_each_atom(&mut |command| {
                if let Command::Assign(register, term) = command {
                    self.assign(*register, *term);
                }
            }),
            Action::Load { into, address, .. } => {
                let address = self.value(*address);
                let (memory, into) = (self.class(address), self.value(*into));
                self.flow(memory, into);
            }
            Action::Store { address, value } => {
                let address = self.value(*address);
                let (memory, value) = (self.class(address), self.value(*value));
                self.flow(value, memory);
            }
            Action::Allocate(allocation) => {
                let into = self.value(allocation.into);
                self.point(into, objects[allocation.object]);
            }
            Action::Copy { to, from, .. } => {
                let (to, from) = (self.value(*to), self.value(*from));
                let (to, from) = (self.class(to), self.class(from));
                self.flow(from, to);
            }
            Action::HavocBytes { address, cause, .. } => {
                let address = self.value(*address);
                let memory = self.class(address);
                // Addresses among the unknown bytes are those that were there, or come from outside.
                if *cause != Cause::Uninitialized {
                    self.point(memory, self.external);
                }
            }
            Action::Fill { to: address, .. } | Action::Free { address, .. } => {
                let address = self.value(*address);
                self.class(address);
            }
            // What flows in calls is known to who knows the procedures.
            Action::Check { .. } | Action::Return { .. } | Action::Call(_) => {}
        }
        self.settle();
    }
}

/// The variables whose values a term's value is made of.
fn leaves(pool: &Pool, term: Term) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut leaves = Vec::new();
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        if pool.sort(term) == Sort::Bool || !seen.insert(term) {
            continue;
        }
        match pool.op(term) {
            Op::Var(_) => leaves.push(term),
            _ => pending.extend(pool.args(term)),
        }
    }
    leaves
}

/// Analyzes procedures with these objects. `pointers` are the registers that hold addresses.
pub(super) fn analyze(
    program: &Program,
    procedures: &Procedures,
    pointers: &FxHashSet<Term>,
    objects: &Objects,
) -> Classes {
    let mut solver = Solver::new(&program.pool);
    let external = solver.external();
    let memory: Vec<Node> = objects.all.iter().map(|_| solver.node()).collect();
    for (object, &node) in objects.all.iter().zip(&memory) {
        if let Some(address) = object.address {
            let value = solver.value(address);
            solver.point(value, node);
        }
        if let Kind::Static(id) = object.kind {
            for (_, term) in &program.objects[id].initial {
                let value = solver.value(*term);
                solver.flow(value, node);
            }
        }
    }
    solver.settle();
    for edge in procedures.edges() {
        solver.step(&edge.action, &memory);
        match &edge.action {
            Action::Command(command) => command.for_each_atom(&mut |command| {
                let Command::Havoc(register, input) = *command else { return };
                if pointers.contains(&register)
                    && procedures.inputs[input].cause != Cause::Uninitialized
                {
                    let value = solver.value(register);
                    solver.point(value, external);
                    solver.settle();
                }
            }),
            Action::Call(call) => {
                let Callee::Procedure(callee) = call.callee else { continue };
                let callee = &procedures.procedures[callee];
                for (register, term) in callee.parameters.iter().zip(&call.arguments) {
                    solver.assign(*register, *term);
                }
                for (register, term) in call.results.iter().zip(&callee.results) {
                    solver.assign(*register, *term);
                }
                solver.settle();
            }
            _ => {}
        }
    }
    let addresses: Vec<Term> =
        procedures.edges().flat_map(|edge| edge.action.addresses()).collect();
    while solver.strays(program.pointer_width, &addresses, &memory) {}
    solver.classes(&addresses, &memory)
}

impl Solver<'_> {
    /// Accesses whose address comes from no object are to external memory; says whether there was
    /// one that was not yet.
    pub fn strays(&mut self, pointer_width: u32, addresses: &[Term], memory: &[Node]) -> bool {
        let mut known = FxHashSet::default();
        for &node in memory {
            known.insert(self.find(node));
        }
        let external = self.external;
        known.insert(self.find(external));
        let mut found = false;
        for &address in addresses {
            let node = self.value(address);
            let class = self.class(node);
            if known.contains(&self.find(class)) {
                continue;
            }
            found = true;
            self.point(node, external);
            for leaf in leaves(self.pool, address) {
                if self.pool.sort(leaf) == Sort::BitVec(pointer_width) {
                    let leaf = self.value(leaf);
                    self.point(leaf, external);
                }
            }
            self.settle();
        }
        found
    }

    /// Numbers the classes that are accessed or have objects.
    fn classes(&mut self, addresses: &[Term], memory: &[Node]) -> Classes {
        let mut number: FxHashMap<Node, usize> = FxHashMap::default();
        let mut of_object = Vec::with_capacity(memory.len());
        for &node in memory {
            let root = self.find(node);
            let next = number.len();
            of_object.push(*number.entry(root).or_insert(next));
        }
        let mut class = FxHashMap::default();
        for &address in addresses {
            let node = self.value(address);
            let target = self.class(node);
            let root = self.find(target);
            let next = number.len();
            class.insert(address, *number.entry(root).or_insert(next));
        }
        let mut external = vec![false; number.len()];
        let outside = self.external;
        if let Some(&number) = number.get(&self.find(outside)) {
            external[number] = true;
        }
        Classes { class, of_object, external }
    }
}
