//! Formulas in negation normal form as a directed acyclic graph.
//!
//! An interpolant is as large as the proof it comes from, and only sharing keeps it from being
//! exponentially larger. [`Formulas`] holds constants, literals, conjunctions and disjunctions of
//! two; equal nodes exist once, constants are folded, and a child always has a smaller number
//! than its parents, so that every traversal is a loop over numbers.

use crate::lit::{Lit, Var};
use crate::solver::Solver;
use rustc_hash::{FxHashMap, FxHashSet};

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

    /// Whether `whole` is `part` joined with something by the other operation, or by the same:
    /// `part ∧ (part ∨ x) = part`, `(part ∧ x) ∧ part = part ∧ x`, and their duals. `result` is
    /// then what the join of the two equals.
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
        let mut seen: FxHashSet<Formula> = FxHashSet::default();
        let mut pending: Vec<Formula> = roots.to_vec();
        while let Some(formula) = pending.pop() {
            if seen.insert(formula)
                && let Node::And(a, b) | Node::Or(a, b) = self.node(formula)
            {
                pending.extend([a, b]);
            }
        }
        let mut parts: Vec<Formula> = seen.into_iter().collect();
        parts.sort_unstable();
        parts
    }

    /// Computes a value for each root from the values of its parts, each part once, children
    /// first: the way to turn formulas into something else.
    pub fn fold<T: Clone>(&self, roots: &[Formula], mut value: impl FnMut(Node<T>) -> T) -> Vec<T> {
        let mut values: FxHashMap<Formula, T> = FxHashMap::default();
        for part in self.parts(roots) {
            let node = match self.node(part) {
                Node::Constant(constant) => Node::Constant(constant),
                Node::Literal(lit) => Node::Literal(lit),
                Node::And(a, b) => Node::And(values[&a].clone(), values[&b].clone()),
                Node::Or(a, b) => Node::Or(values[&a].clone(), values[&b].clone()),
            };
            values.insert(part, value(node));
        }
        roots.iter().map(|root| values[root].clone()).collect()
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

    /// Only what the roots consist of; the roots are renamed accordingly.
    pub(super) fn restricted_to(&self, roots: &mut [Formula]) -> Formulas {
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
        let mut roots = [formula];
        let small = f.restricted_to(&mut roots);
        assert_eq!(small.size(roots[0]), f.size(formula));
    }
}
