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

use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Term};

pub(super) type Node = u32;

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
}
