//! The graph and its constructors.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Not;

/// A node of an [`Aig`] with an optional inverter: twice the node's index, plus one where
/// inverted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge(u32);

impl Edge {
    /// The constant false: node 0.
    pub const FALSE: Edge = Edge(0);
    /// The constant true: node 0, inverted.
    pub const TRUE: Edge = Edge(1);

    /// The edge to a node, inverted where asked.
    #[inline]
    pub fn new(node: usize, inverted: bool) -> Self {
        let node = u32::try_from(node).ok().filter(|n| *n < u32::MAX / 2);
        Edge(node.expect("an AIG has fewer than 2^31 nodes") << 1 | u32::from(inverted))
    }

    /// A constant.
    #[inline]
    pub fn constant(value: bool) -> Self {
        Edge(u32::from(value))
    }

    /// The edge with this code (see [`Edge::code`]).
    #[inline]
    pub fn from_code(code: usize) -> Self {
        Edge::new(code >> 1, code & 1 == 1)
    }

    /// Twice the node's index, plus one where inverted; the literals of AIGER are the same.
    #[inline]
    pub fn code(self) -> usize {
        self.0 as usize
    }

    /// The node's index.
    #[inline]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the edge carries an inverter.
    #[inline]
    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// This edge, inverted where `flip`.
    #[inline]
    pub fn xor(self, flip: bool) -> Edge {
        Edge(self.0 ^ u32::from(flip))
    }

    /// The edge's node without inverter.
    #[inline]
    pub fn plain(self) -> Edge {
        Edge(self.0 & !1)
    }

    /// The value, if the edge is a constant.
    #[inline]
    pub fn as_constant(self) -> Option<bool> {
        (self.node() == 0).then_some(self.is_inverted())
    }
}

impl Not for Edge {
    type Output = Edge;
    #[inline]
    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}

impl fmt::Debug for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_constant() {
            Some(value) => write!(f, "{value}"),
            None => write!(f, "{}n{}", if self.is_inverted() { "¬" } else { "" }, self.node()),
        }
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// The constant false; only node 0.
    False,
    /// A free input.
    Input,
    /// The conjunction of two edges to earlier nodes, the larger first.
    And(Edge, Edge),
}

/// An and-inverter graph.
#[derive(Clone)]
pub struct Aig {
    nodes: Vec<Node>,
    /// Conjunctions by their operands.
    hashed: HashTable<u32>,
    inputs: Vec<u32>,
}

impl Default for Aig {
    fn default() -> Self {
        Self::new()
    }
}

fn hash_of(a: Edge, b: Edge) -> u64 {
    let mut hasher = FxHasher::default();
    (a, b).hash(&mut hasher);
    hasher.finish()
}

impl Aig {
    /// The graph with the constant alone.
    pub fn new() -> Self {
        Aig { nodes: vec![Node::False], hashed: HashTable::new(), inputs: Vec::new() }
    }

    /// A new input.
    pub fn input(&mut self) -> Edge {
        let edge = Edge::new(self.nodes.len(), false);
        self.inputs.push(edge.node() as u32);
        self.nodes.push(Node::Input);
        edge
    }

    /// The inputs in the order they were made.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = Edge> + '_ {
        self.inputs.iter().map(|n| Edge::new(*n as usize, false))
    }

    /// How many nodes there are, the constant included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the constant is the only node.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// The node with this index.
    #[inline]
    pub fn node(&self, index: usize) -> Node {
        self.nodes[index]
    }

    /// All nodes in topological order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// a ∧ b
    pub fn and(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = if a < b { (b, a) } else { (a, b) };
        // From here a ≥ b, so a constant operand is b.
        if b == Edge::FALSE || a == !b {
            return Edge::FALSE;
        }
        if b == Edge::TRUE || a == b {
            return a;
        }
        if let Some(folded) = self.fold_one_level(a, b).or_else(|| self.fold_one_level(b, a)) {
            return folded;
        }
        let nodes = &self.nodes;
        let hash = hash_of(a, b);
        let found = self.hashed.find(hash, |n| nodes[*n as usize] == Node::And(a, b));
        if let Some(n) = found {
            return Edge::new(*n as usize, false);
        }
        let edge = Edge::new(self.nodes.len(), false);
        self.nodes.push(Node::And(a, b));
        let nodes = &self.nodes;
        self.hashed.insert_unique(hash, edge.node() as u32, |n| match nodes[*n as usize] {
            Node::And(a, b) => hash_of(a, b),
            _ => unreachable!("only conjunctions are hashed"),
        });
        edge
    }

    /// a ∧ b where one of `a`'s operands decides it: (b ∧ y) ∧ b = b ∧ y, (¬b ∧ y) ∧ b = ⊥,
    /// ¬(¬b ∧ y) ∧ b = b, ¬(b ∧ y) ∧ b = b ∧ ¬y.
    fn fold_one_level(&mut self, a: Edge, b: Edge) -> Option<Edge> {
        let Node::And(x, y) = self.node(a.node()) else { return None };
        match (a.is_inverted(), x == b || y == b, x == !b || y == !b) {
            (false, true, _) => Some(a),
            (false, _, true) => Some(Edge::FALSE),
            (true, _, true) => Some(b),
            (true, true, _) => {
                let other = if x == b { y } else { x };
                Some(self.and(b, !other))
            }
            _ => None,
        }
    }

    /// a ∨ b
    pub fn or(&mut self, a: Edge, b: Edge) -> Edge {
        !self.and(!a, !b)
    }

    /// a ⇒ b
    pub fn implies(&mut self, a: Edge, b: Edge) -> Edge {
        !self.and(a, !b)
    }

    /// a ⊕ b, as ¬(a ∧ b) ∧ ¬(¬a ∧ ¬b) on the plain nodes, so that every exclusive-or of the
    /// same two nodes is one node.
    pub fn xor(&mut self, a: Edge, b: Edge) -> Edge {
        let flip = a.is_inverted() ^ b.is_inverted();
        let (a, b) = (a.plain(), b.plain());
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither).xor(flip)
    }

    /// a ⇔ b
    pub fn iff(&mut self, a: Edge, b: Edge) -> Edge {
        !self.xor(a, b)
    }

    /// if c then t else e
    pub fn ite(&mut self, c: Edge, t: Edge, e: Edge) -> Edge {
        if t == e {
            return t;
        }
        if t == !e {
            return self.xor(c, e);
        }
        let (c, t, e) = if c.is_inverted() { (!c, e, t) } else { (c, t, e) };
        let then = self.and(c, t);
        let otherwise = self.and(!c, e);
        self.or(then, otherwise)
    }

    /// The conjunction of all edges, as a balanced tree.
    pub fn and_all(&mut self, edges: impl IntoIterator<Item = Edge>) -> Edge {
        let mut layer: Vec<Edge> = edges.into_iter().collect();
        while layer.len() > 1 {
            layer = layer
                .chunks(2)
                .map(|pair| if let [a, b] = *pair { self.and(a, b) } else { pair[0] })
                .collect();
        }
        layer.first().copied().unwrap_or(Edge::TRUE)
    }

    /// The disjunction of all edges, as a balanced tree.
    pub fn or_all(&mut self, edges: impl IntoIterator<Item = Edge>) -> Edge {
        !self.and_all(edges.into_iter().map(|e| !e))
    }
}
