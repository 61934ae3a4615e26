//! Formulas in negation normal form as a directed acyclic graph.
//!
//! An interpolant is as large as the proof it comes from, and only sharing keeps it from being
//! exponentially larger. [`Formulas`] holds constants, literals, conjunctions and disjunctions of
//! two; equal nodes exist once, constants are folded, and a child always has a smaller number
//! than its parents, so that every traversal is a loop over numbers.

use crate::lit::{Lit, Var};
use crate::solver::Solver;
use rustc_hash::FxHashMap;

/// A formula: a node of [`Formulas`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Formula(u32);

/// What a formula is made of; `C` stands for its children.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node<C = Formula> {
    /// Always true or always false.
    Constant(bool),
    /// A literal.
    Literal(Lit),
    /// A conjunction.
    And(C, C),
    /// A disjunction.
    Or(C, C),
}

/// A set of formulas that share their parts.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, Formula>,
}

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

impl Formulas {
    /// The constants only.
    pub fn new() -> Self {
        let mut formulas = Formulas { nodes: Vec::new(), numbers: FxHashMap::default() };
        formulas.intern(Node::Constant(false));
        formulas.intern(Node::Constant(true));
        formulas
    }

    fn intern(&mut self, node: Node) -> Formula {
        *self.numbers.entry(node).or_insert_with(|| {
            let number = u32::try_from(self.nodes.len()).expect("fewer than 2³² formulas");
            self.nodes.push(node);
            Formula(number)
        })
    }

    /// How many different formulas there are, the constants included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none, which is never so.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What the formula is made of.
    pub fn node(&self, formula: Formula) -> Node {
        self.nodes[formula.0 as usize]
    }

    /// The constant, if the formula is one.
    pub fn as_constant(&self, formula: Formula) -> Option<bool> {
        match self.node(formula) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Always true or always false.
    pub fn constant(&self, value: bool) -> Formula {
        Formula(u32::from(value))
    }

    /// A literal.
    pub fn literal(&mut self, lit: Lit) -> Formula {
        self.intern(Node::Literal(lit))
    }

    /// `a ∧ b`
    pub fn and(&mut self, a: Formula, b: Formula) -> Formula {
        self.join(a, b, true)
    }

    /// `a ∨ b`
    pub fn or(&mut self, a: Formula, b: Formula) -> Formula {
        self.join(a, b, false)
    }

    /// The conjunction of literals.
    pub fn cube(&mut self, lits: impl IntoIterator<Item = Lit>) -> Formula {
        self.join_literals(lits, true)
    }

    /// The disjunction of literals.
    pub fn clause(&mut self, lits: impl IntoIterator<Item = Lit>) -> Formula {
        self.join_literals(lits, false)
    }

    fn join_literals(&mut self, lits: impl IntoIterator<Item = Lit>, conjoin: bool) -> Formula {
        let mut result = self.constant(conjoin);
        for lit in lits {
            let lit = self.literal(lit);
            result = self.join(result, lit, conjoin);
        }
        result
    }

    /// `a ∧ b` if `conjoin`, else `a ∨ b`; the two are dual in every rule.
    fn join(&mut self, a: Formula, b: Formula, conjoin: bool) -> Formula {
        let (neutral, absorbing) = (self.constant(conjoin), self.constant(!conjoin));
        if a == neutral || a == b || self.absorbs(b, a, conjoin) {
            return b;
        }
        if b == neutral || self.absorbs(a, b, conjoin) {
            return a;
        }
        if a == absorbing || b == absorbing || self.are_complementary(a, b) {
            return absorbing;
        }
        let (first, second) = (a.min(b), a.max(b));
        self.intern(if conjoin { Node::And(first, second) } else { Node::Or(first, second) })
    }

    /// Whether the join of the two is `result` because `result` is a part of the other operation
    /// in `other`, x ∧ (x ∨ y) = x, or has `other` as a part, (x ∧ y) ∧ x = x ∧ y; and dually.
    fn absorbs(&self, result: Formula, other: Formula, conjoin: bool) -> bool {
        let is_child = |of: Formula, child: Formula, and: bool| match self.node(of) {
            Node::And(a, b) => and && (a == child || b == child),
            Node::Or(a, b) => !and && (a == child || b == child),
            _ => false,
        };
        is_child(other, result, !conjoin) || is_child(result, other, conjoin)
    }

    fn are_complementary(&self, a: Formula, b: Formula) -> bool {
        match (self.node(a), self.node(b)) {
            (Node::Literal(a), Node::Literal(b)) => a == !b,
            _ => false,
        }
    }

    /// The formulas that the roots consist of, children before parents.
    fn parts(&self, roots: &[Formula]) -> Vec<Formula> {
        let bound = roots.iter().max().map_or(0, |root| root.0 as usize + 1);
        let mut reached = vec![false; bound];
        for root in roots {
            reached[root.0 as usize] = true;
        }
        let mut parts = Vec::new();
        for index in (0..bound).rev() {
            if !reached[index] {
                continue;
            }
            if let Node::And(a, b) | Node::Or(a, b) = self.nodes[index] {
                reached[a.0 as usize] = true;
                reached[b.0 as usize] = true;
            }
            parts.push(Formula(index as u32));
        }
        parts.reverse();
        parts
    }

    /// Computes a value for each root from the values of its parts, each part once, children
    /// first: the way to turn formulas into something else.
    pub fn fold<T: Clone>(&self, roots: &[Formula], mut value: impl FnMut(Node<T>) -> T) -> Vec<T> {
        let parts = self.parts(roots);
        let bound = parts.last().map_or(0, |last| last.0 as usize + 1);
        let mut positions = vec![0; bound];
        let mut values: Vec<T> = Vec::with_capacity(parts.len());
        for (position, part) in parts.into_iter().enumerate() {
            let node = {
                let known = |child: Formula| values[positions[child.0 as usize]].clone();
                match self.node(part) {
                    Node::Constant(constant) => Node::Constant(constant),
                    Node::Literal(lit) => Node::Literal(lit),
                    Node::And(a, b) => Node::And(known(a), known(b)),
                    Node::Or(a, b) => Node::Or(known(a), known(b)),
                }
            };
            values.push(value(node));
            positions[part.0 as usize] = position;
        }
        roots.iter().map(|root| values[positions[root.0 as usize]].clone()).collect()
    }

    /// The formula's value under an assignment.
    pub fn evaluate(&self, formula: Formula, assignment: impl Fn(Var) -> bool) -> bool {
        let values = self.fold(&[formula], |node| match node {
            Node::Constant(value) => value,
            Node::Literal(lit) => assignment(lit.var()) != lit.is_neg(),
            Node::And(a, b) => a && b,
            Node::Or(a, b) => a || b,
        });
        values[0]
    }

    /// The variables of the formula, sorted.
    pub fn variables(&self, formula: Formula) -> Vec<Var> {
        let literals = self.parts(&[formula]).into_iter();
        let mut variables: Vec<Var> = literals
            .filter_map(|part| match self.node(part) {
                Node::Literal(lit) => Some(lit.var()),
                _ => None,
            })
            .collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// How many conjunctions and disjunctions the formula has, shared ones counted once.
    pub fn size(&self, formula: Formula) -> usize {
        let is_gate = |part: &Formula| matches!(self.node(*part), Node::And(..) | Node::Or(..));
        self.parts(&[formula]).iter().filter(|part| is_gate(part)).count()
    }

    /// Adds definitions to the solver (Tseitin's encoding) and returns for each root a literal
    /// that is equivalent to it. `translate` gives the solver's literal for one of the formula.
    pub fn encode<S: Solver + ?Sized>(
        &self,
        roots: &[Formula],
        solver: &mut S,
        translate: impl Fn(Lit) -> Lit,
    ) -> Vec<Lit> {
        self.fold(roots, |node| match node {
            Node::Constant(value) => define_constant(solver).xor(!value),
            Node::Literal(lit) => translate(lit),
            Node::And(a, b) => define_and(solver, a, b),
            Node::Or(a, b) => !define_and(solver, !a, !b),
        })
    }

    /// Not much more than what the roots consist of; the roots are renamed accordingly.
    pub(super) fn restricted_to(self, roots: &mut [Formula]) -> Formulas {
        if self.parts(roots).len() > self.len() / 2 {
            return self;
        }
        let mut result = Formulas::new();
        let new_roots = self.fold(roots, |node| result.intern(node));
        roots.copy_from_slice(&new_roots);
        result
    }
}

/// A new literal that is true.
fn define_constant<S: Solver + ?Sized>(solver: &mut S) -> Lit {
    let out = solver.new_var();
    solver.add_definition(out, &[], &[&[out.pos()]]);
    out.pos()
}

/// A new literal that is equivalent to `a ∧ b`.
fn define_and<S: Solver + ?Sized>(solver: &mut S, a: Lit, b: Lit) -> Lit {
    let out = solver.new_var();
    let o = out.pos();
    let clauses: [&[Lit]; 3] = [&[!o, a], &[!o, b], &[o, !a, !b]];
    solver.add_definition(out, &[a.var(), b.var()], &clauses);
    o
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lit(index: usize) -> Lit {
        Var::new(index).pos()
    }

    #[test]
    fn constants_fold() {
        let mut f = Formulas::new();
        let (no, yes) = (f.constant(false), f.constant(true));
        let x = f.literal(lit(0));
        let not_x = f.literal(!lit(0));
        assert_eq!(f.and(no, x), no);
        assert_eq!(f.and(x, yes), x);
        assert_eq!(f.or(yes, x), yes);
        assert_eq!(f.or(x, no), x);
        assert_eq!(f.and(x, not_x), no);
        assert_eq!(f.or(not_x, x), yes);
        assert_eq!(f.and(x, x), x);
        assert_eq!(f.and(no, yes), no);
        assert_eq!(f.or(no, yes), yes);
        assert_eq!(f.as_constant(yes), Some(true));
        assert_eq!(f.as_constant(x), None);
    }

    #[test]
    fn equal_formulas_exist_once() {
        let mut f = Formulas::new();
        let (x, y) = (f.literal(lit(0)), f.literal(lit(1)));
        let a = f.and(x, y);
        assert_eq!(f.and(y, x), a);
        let o = f.or(x, y);
        assert_ne!(a, o);
        assert_eq!(f.len(), 6);
    }

    #[test]
    fn a_part_is_absorbed() {
        let mut f = Formulas::new();
        let (x, y) = (f.literal(lit(0)), f.literal(lit(1)));
        let (a, o) = (f.and(x, y), f.or(x, y));
        assert_eq!(f.and(x, o), x);
        assert_eq!(f.and(o, x), x);
        assert_eq!(f.or(a, y), y);
        assert_eq!(f.or(y, a), y);
        assert_eq!(f.and(a, x), a);
        assert_eq!(f.or(x, o), o);
    }

    #[test]
    fn deep_formulas_need_no_deep_stack() {
        let mut f = Formulas::new();
        let mut formula = f.literal(lit(0));
        for index in 1..200_000 {
            let next = f.literal(lit(index % 50));
            formula = if index % 3 == 0 { f.and(formula, next) } else { f.or(next, formula) };
        }
        assert!(f.evaluate(formula, |_| true));
        assert!(!f.evaluate(formula, |_| false));
        assert_eq!(f.variables(formula).len(), 50);
    }

    #[test]
    fn restriction_renames_the_roots() {
        let mut f = Formulas::new();
        let (x, y) = (f.literal(lit(0)), f.literal(lit(1)));
        for index in 2..100 {
            f.literal(lit(index));
        }
        let root = f.and(x, y);
        let mut roots = [root, y];
        let small = f.restricted_to(&mut roots);
        assert_eq!(small.len(), 5);
        assert_eq!(small.node(roots[1]), Node::Literal(lit(1)));
        assert_eq!(small.variables(roots[0]), [lit(0).var(), lit(1).var()]);
    }
}
