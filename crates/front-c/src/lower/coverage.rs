//! Probes for structural coverage ([`crate::coverage`]): what a run reaches, and with what truth values of
//! its conditions it evaluates a decision.
//!
//! A decision all of whose conditions are terms stays a term, and one probe stands behind it. Any other
//! one is lowered condition by condition, each value kept in a register of its own; where it decides
//! where to go, a probe stands before each of both ways. A value that a condition has kept from an
//! evaluation before is not looked at where it is not evaluated.

use super::Lowerer;
use super::effect::Effect;
use crate::coverage::{self, Known, Sites};
use crate::diagnostic::Result;
use crate::typed::{ExprId, FunctionId, StmtId};
use program::coverage::{Bitwise, Map, Tree};
use program::program::{Instruction, LocationId, Reading, VariableId};
use std::rc::Rc;
use term::{Sort, Term};

/// What is to be covered, and where it is met.
pub(super) struct Coverage {
    map: Map,
    sites: Rc<Sites>,
    reached: VariableId,
}

/// A decision on its way.
struct Deciding<'d> {
    known: &'d Known,
    tree: Tree,
    /// The values of its conditions, as far as they were met.
    values: Vec<Option<Term>>,
}

impl Lowerer<'_> {
    /// Finds what there is to cover, if that is asked for.
    pub(super) fn find_coverage(&mut self) {
        if !self.options.coverage {
            return;
        }
        let (c, sources) = (self.c, self.sources);
        let (map, sites) = coverage::collect(c, sources, &mut |span| self.place_of(span));
        let sort = Sort::BitVec(32);
        let name = "coverage::reached".to_owned();
        let reached = self.new_variable(name, None, sort, Reading::Unsigned, false, self.span);
        self.coverage = Some(Box::new(Coverage { map, sites: Rc::new(sites), reached }));
    }

    /// What there is to cover, with the registers of the probes.
    pub(super) fn take_coverage(&mut self) -> Option<Map> {
        let coverage = self.coverage.take()?;
        Some(Map { reached: Some(coverage.reached), ..coverage.map })
    }

    /// The sites, where what is lowered is what a run executes.
    fn sites(&self) -> Option<Rc<Sites>> {
        let beside = self.quiet || self.in_claim || self.formulas > 0;
        self.coverage.as_ref().filter(|_| !beside).map(|coverage| coverage.sites.clone())
    }

    /// Whether a probe belongs to an expression.
    pub(super) fn is_probed(&self, expr: ExprId) -> bool {
        self.coverage.as_ref().is_some_and(|coverage| {
            let sites = &coverage.sites;
            sites.decisions.contains_key(&expr) || sites.calls.contains_key(&expr)
        })
    }

    fn is_decision(&self, expr: ExprId) -> bool {
        let sites = self.coverage.as_ref().map(|coverage| &coverage.sites);
        sites.is_some_and(|sites| sites.decisions.contains_key(&expr))
    }

    /// Where the spine of left operands ends because a decision has a value of its own.
    pub(super) fn ends_spine(&self, expr: ExprId) -> bool {
        self.is_decision(expr) && self.sites().is_some()
    }

    // Points.

    /// A function begins.
    pub(super) fn reach_entry(&mut self, function: FunctionId) {
        let point = self.sites().and_then(|sites| sites.entries.get(&function).copied());
        if let (Some(point), Some(coverage)) = (point, &mut self.coverage) {
            let number = coverage.map.points[point].spot.function;
            coverage.map.functions[number].used = true;
        }
        self.reach(point);
    }

    /// A statement begins.
    pub(super) fn reach_statement(&mut self, statement: StmtId) {
        let point = self.sites().and_then(|sites| sites.statements.get(&statement).copied());
        self.reach(point);
    }

    /// A call is about to be made.
    pub(super) fn reach_call(&mut self, call: ExprId) {
        let point = self.sites().and_then(|sites| sites.calls.get(&call).copied());
        self.reach(point);
    }

    /// Goes to the location of a label of a `switch`, by its number; that of `default` is the last.
    pub(super) fn guarded_label(
        &mut self,
        switch: StmtId,
        label: usize,
        guard: Term,
        to: LocationId,
    ) {
        let labels = self.sites().and_then(|sites| sites.labels.get(&switch).cloned());
        let Some(point) = labels.and_then(|labels| labels.get(label).copied()) else {
            return self.guarded(guard, to);
        };
        let chosen = self.new_location();
        self.guarded(guard, chosen);
        let head = self.graph.at.replace(chosen);
        self.reach(Some(point));
        self.jump(to);
        self.graph.at = head;
    }

    fn reach(&mut self, point: Option<usize>) {
        let reached = self.coverage.as_ref().map(|coverage| coverage.reached);
        if let (Some(point), Some(reached)) = (point, reached) {
            let number = self.pool.bv(point as u64, 32);
            self.append(Instruction::Assign(reached, number));
        }
    }

    // Decisions.

    /// The value of an expression that is a decision; none if it is none.
    pub(super) fn decided(&mut self, expr: ExprId) -> Result<Option<Term>> {
        let Some(sites) = self.sites() else { return Ok(None) };
        let Some(known) = sites.decisions.get(&expr) else { return Ok(None) };
        let mut deciding = self.deciding(known);
        let tree = deciding.tree.clone();
        let term = self.tree_value(expr, &tree, &mut deciding)?;
        self.span = self.c.exprs[expr].span;
        self.saw(&deciding);
        Ok(Some(term))
    }

    /// Goes to one of two locations, as a decision is true or false; says whether it is one.
    pub(super) fn branch_on_decision(
        &mut self,
        expr: ExprId,
        then: LocationId,
        otherwise: LocationId,
    ) -> Result<bool> {
        let Some(sites) = self.sites() else { return Ok(false) };
        let Some(known) = sites.decisions.get(&expr) else { return Ok(false) };
        let span = self.c.exprs[expr].span;
        if known.conditions.len() == 1 || self.is_term(known) {
            let term = self.full_expression(|l| Ok(l.decided(expr)?.unwrap_or(l.pool.fls())))?;
            self.span = span;
            self.split(term, then, otherwise);
            return Ok(true);
        }
        let mut deciding = self.deciding(known);
        let tree = deciding.tree.clone();
        let (yes, no) = (self.new_location(), self.new_location());
        self.branch_tree(expr, &tree, &mut deciding, (yes, no))?;
        self.span = span;
        for (at, to) in [(yes, then), (no, otherwise)] {
            self.continue_at(at);
            self.saw(&deciding);
            self.jump(to);
        }
        Ok(true)
    }

    fn deciding<'d>(&self, known: &'d Known) -> Deciding<'d> {
        let coverage = self.coverage.as_ref().expect("somebody has found its sites");
        let tree = coverage.map.decisions[known.number].tree.clone();
        Deciding { known, tree, values: vec![None; known.conditions.len()] }
    }

    /// Whether all conditions of a decision are terms.
    fn is_term(&mut self, known: &Known) -> bool {
        known.conditions.iter().all(|condition| self.effect(*condition) == Effect::None)
    }

    /// Whether all conditions of a part of a decision are terms.
    fn is_pure(&mut self, tree: &Tree, deciding: &Deciding<'_>) -> bool {
        match tree {
            Tree::Condition(number) => {
                self.effect(deciding.known.conditions[*number]) == Effect::None
            }
            Tree::Not(operand) => self.is_pure(operand, deciding),
            Tree::And(operands) | Tree::Or(operands) | Tree::Bitwise(_, operands) => {
                operands.iter().all(|operand| self.is_pure(operand, deciding))
            }
        }
    }

    /// The truth value of a condition, which is noted.
    fn condition_value(
        &mut self,
        root: ExprId,
        number: usize,
        deciding: &mut Deciding<'_>,
    ) -> Result<Term> {
        let alone = deciding.known.conditions.len() == 1;
        let expr = deciding.known.conditions[number];
        let term = if expr == root { self.truth_itself(expr)? } else { self.condition(expr)? };
        let simple = alone || self.is_term(deciding.known);
        let term = if simple { term } else { self.keep(term) };
        deciding.values[number] = Some(term);
        Ok(term)
    }

    /// The truth value of a part of a decision.
    fn tree_value(
        &mut self,
        root: ExprId,
        tree: &Tree,
        deciding: &mut Deciding<'_>,
    ) -> Result<Term> {
        match tree {
            Tree::Condition(number) => self.condition_value(root, *number, deciding),
            Tree::Not(operand) => {
                let term = self.tree_value(root, operand, deciding)?;
                Ok(self.pool.not(term))
            }
            Tree::Bitwise(operator, operands) => {
                let mut terms = Vec::new();
                for operand in operands {
                    let term = self.tree_value(root, operand, deciding)?;
                    let simple = self.is_term(deciding.known);
                    terms.push(if simple { term } else { self.keep(term) });
                }
                let pool = &self.pool;
                Ok(match operator {
                    Bitwise::And => pool.and(terms),
                    Bitwise::Or => pool.or(terms),
                    Bitwise::Xor => terms
                        .into_iter()
                        .reduce(|a, b| pool.not(pool.eq(a, b)))
                        .unwrap_or_else(|| pool.fls()),
                })
            }
            Tree::And(operands) => self.short_circuit(root, operands, true, deciding),
            Tree::Or(operands) => self.short_circuit(root, operands, false, deciding),
        }
    }

    /// The value of `&&` (where `neutral` is true) or `||`.
    fn short_circuit(
        &mut self,
        root: ExprId,
        operands: &[Tree],
        neutral: bool,
        deciding: &mut Deciding<'_>,
    ) -> Result<Term> {
        if operands.iter().all(|operand| self.is_pure(operand, deciding)) {
            let mut terms = Vec::new();
            for operand in operands {
                terms.push(self.tree_value(root, operand, deciding)?);
            }
            return Ok(if neutral { self.pool.and(terms) } else { self.pool.or(terms) });
        }
        let result = self.temporary(Sort::Bool);
        let end = self.new_location();
        let last = operands.len() - 1;
        for (number, operand) in operands.iter().enumerate() {
            let (more, decided) = (self.new_location(), self.new_location());
            self.full_expression(|l| {
                let term = l.tree_value(root, operand, deciding)?;
                l.assign(result, term);
                Ok(())
            })?;
            if number == last {
                self.jump(end);
                break;
            }
            let term = self.term_of(result);
            match neutral {
                true => self.split(term, more, decided),
                false => self.split(term, decided, more),
            }
            self.continue_at(decided);
            self.jump(end);
            self.continue_at(more);
        }
        self.continue_at(end);
        Ok(self.term_of(result))
    }

    /// Goes to one of two locations, as a part of a decision is true or false.
    fn branch_tree(
        &mut self,
        root: ExprId,
        tree: &Tree,
        deciding: &mut Deciding<'_>,
        (then, otherwise): (LocationId, LocationId),
    ) -> Result<()> {
        match tree {
            Tree::Not(operand) => {
                return self.branch_tree(root, operand, deciding, (otherwise, then));
            }
            Tree::And(operands) | Tree::Or(operands) if !self.is_pure(tree, deciding) => {
                let and = matches!(tree, Tree::And(_));
                let last = operands.len() - 1;
                for (number, operand) in operands.iter().enumerate() {
                    if number == last {
                        return self.branch_tree(root, operand, deciding, (then, otherwise));
                    }
                    let more = self.new_location();
                    let to = if and { (more, otherwise) } else { (then, more) };
                    self.branch_tree(root, operand, deciding, to)?;
                    self.continue_at(more);
                }
            }
            _ => {
                let term = self.full_expression(|l| l.tree_value(root, tree, deciding))?;
                self.split(term, then, otherwise);
            }
        }
        Ok(())
    }

    /// A decision has been evaluated.
    fn saw(&mut self, deciding: &Deciding<'_>) {
        let number = deciding.known.number;
        let pool = &self.pool;
        let bit = |value: &Option<Term>| {
            let value = value.unwrap_or_else(|| pool.fls());
            pool.ite(value, pool.bv(1, 1), pool.bv(0, 1))
        };
        let bits = deciding.values.iter().map(bit);
        let Some(all) = bits.reduce(|low, high| pool.bv_concat(high, low)) else { return };
        let Some(seen) = self.register_of_decision(number) else { return };
        self.append(Instruction::Assign(seen, all));
    }

    /// The register of a decision's probes.
    fn register_of_decision(&mut self, number: usize) -> Option<VariableId> {
        let decision = &self.coverage.as_ref()?.map.decisions[number];
        if let Some(seen) = decision.seen {
            return Some(seen);
        }
        let sort = Sort::BitVec(decision.conditions.len() as u32);
        let name = format!("coverage::decision {number}");
        let seen = self.new_variable(name, None, sort, Reading::Unsigned, false, self.span);
        self.coverage.as_mut()?.map.decisions[number].seen = Some(seen);
        Some(seen)
    }
}
