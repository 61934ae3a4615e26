//! Probes for structural coverage ([`crate::coverage`]): what a run reaches, and with what truth values of
//! its conditions it evaluates a decision. A probe stands behind the decision; the values of several
//! conditions are kept until then, because what is evaluated later may change variables.

use super::Lowerer;
use super::expression::Value;
use crate::ast::{Body, Expr, Stmt, Transition};
use crate::coverage::{self, Sites};
use crate::types::Shape;
use program::coverage::Map;
use program::program::{Instruction, Reading, VariableId};
use rustc_hash::FxHashSet;
use source::Diagnostic;
use source::diagnostic::Result;
use std::rc::Rc;
use term::{Sort, Term};

/// What is to be covered, and where it is met.
pub(super) struct Coverage {
    map: Map,
    sites: Rc<Sites>,
    reached: VariableId,
    /// Decisions on their way, the innermost one last.
    deciding: Vec<Deciding>,
    /// What was lowered: points, and decisions.
    points: FxHashSet<usize>,
    decisions: FxHashSet<usize>,
    /// Decisions that have turned out to join words.
    words: FxHashSet<usize>,
    /// Whether each condition had the same known value wherever it was met; none if it was not met.
    constants: Vec<Vec<Option<Option<bool>>>>,
}

/// A decision on its way, with the values of its conditions as far as they were met.
struct Deciding {
    number: usize,
    values: Vec<Option<Term>>,
}

impl<'a> Lowerer<'a> {
    /// Finds what there is to cover, if that is asked for.
    pub(super) fn find_coverage(&mut self) {
        if !self.options.coverage {
            return;
        }
        let (map, sites) = coverage::collect(self.table, self.sources, &|span| self.place_of(span));
        let sort = Sort::BitVec(32);
        let reached = self.new_variable("coverage::reached", None, sort, Reading::Unsigned);
        let none = |decision: &program::coverage::Decision| vec![None; decision.conditions.len()];
        self.coverage = Some(Box::new(Coverage {
            constants: map.decisions.iter().map(none).collect(),
            map,
            sites: Rc::new(sites),
            reached,
            deciding: Vec::new(),
            points: FxHashSet::default(),
            decisions: FxHashSet::default(),
            words: FxHashSet::default(),
        }));
    }

    /// What there is to cover, with the registers of the probes. What joins words is no decision. What was
    /// lowered in a way of its own, without probes, while its statement was lowered, can't be looked at,
    /// which is said.
    pub(super) fn take_coverage(&mut self) -> Option<Map> {
        let Coverage { mut map, sites, reached, points, decisions, words, constants, .. } =
            *self.coverage.take()?;
        for (decision, constants) in map.decisions.iter_mut().zip(constants) {
            for (condition, known) in decision.conditions.iter_mut().zip(constants) {
                condition.constant = known.unwrap_or(condition.constant);
            }
        }
        let lowered = |statement: Option<usize>| statement.is_some_and(|s| points.contains(&s));
        let mut lost = Vec::new();
        for (number, decision) in map.decisions.iter_mut().enumerate() {
            let is_lost = !decisions.contains(&number) && lowered(sites.within[number]);
            decision.counts = !is_lost && !words.contains(&number);
            lost.extend(is_lost.then_some(decision.spot.place.clone()));
        }
        for &(call, statement) in &sites.calls_within {
            let is_lost = !points.contains(&call) && lowered(statement);
            map.points[call].counts = !is_lost;
            lost.extend(is_lost.then_some(map.points[call].spot.place.clone()));
        }
        for place in lost {
            let message = format!("{place}: what is done here is not looked at for coverage");
            self.warnings.push(*Diagnostic::warning(source::Span::default(), message));
        }
        Some(Map { reached: Some(reached), ..map })
    }

    /// The sites, where what is lowered is what a run executes.
    fn sites(&self) -> Option<Rc<Sites>> {
        let beside = self.quiet > 0 || self.constants > 0;
        self.coverage.as_ref().filter(|_| !beside).map(|coverage| coverage.sites.clone())
    }

    // Points.

    /// Code begins.
    pub(super) fn reach_entry(&mut self, body: &Body) {
        let point =
            self.sites().and_then(|sites| sites.entries.get(&std::ptr::from_ref(body)).copied());
        if let (Some(point), Some(coverage)) = (point, &mut self.coverage) {
            let number = coverage.map.points[point].spot.function;
            coverage.map.functions[number].used = true;
        }
        self.reach(point);
    }

    /// A statement begins.
    pub(super) fn reach_statement(&mut self, statement: &Stmt) {
        let statement = std::ptr::from_ref(statement);
        let point = self.sites().and_then(|sites| sites.statements.get(&statement).copied());
        self.reach(point);
    }

    /// A call is about to be made.
    pub(super) fn reach_call(&mut self, callee: &Expr) {
        let callee = std::ptr::from_ref(callee);
        let point = self.sites().and_then(|sites| sites.calls.get(&callee).copied());
        self.reach(point);
    }

    /// An arm of `CASE` is chosen, by its number; that of `ELSE` is the last.
    pub(super) fn reach_arm(&mut self, selection: &Stmt, number: usize) {
        let selection = std::ptr::from_ref(selection);
        let arms = self.sites().and_then(|sites| sites.arms.get(&selection).cloned());
        self.reach(arms.and_then(|arms| arms.get(number).copied()));
    }

    /// A transition fires, if this is true.
    pub(super) fn reach_transition(&mut self, transition: &Transition, fires: Term) {
        let transition = std::ptr::from_ref(transition);
        let point = self.sites().and_then(|sites| sites.transitions.get(&transition).copied());
        if point.is_none() {
            return;
        }
        let (then, next) = (self.new_location(), self.new_location());
        self.split(fires, then, next);
        self.continue_at(then);
        self.reach(point);
        self.jump(next);
        self.continue_at(next);
    }

    fn reach(&mut self, point: Option<usize>) {
        if let (Some(point), Some(coverage)) = (point, &mut self.coverage) {
            coverage.points.insert(point);
            let reached = coverage.reached;
            let number = self.pool.bv(point as u64, 32);
            self.emit(Instruction::Assign(reached, number));
        }
    }

    // Decisions.

    /// The value of an expression that is a decision or a condition; none if it is neither.
    pub(super) fn decided(&mut self, expr: &'a Expr) -> Result<Option<Value<'a>>> {
        let Some(sites) = self.sites() else { return Ok(None) };
        let at = std::ptr::from_ref(expr);
        let (decision, condition) = (sites.decisions.get(&at), sites.conditions.get(&at));
        if decision.is_none() && condition.is_none() {
            return Ok(None);
        }
        if let (Some(&(number, count)), Some(coverage)) = (decision, &mut self.coverage) {
            coverage.deciding.push(Deciding { number, values: vec![None; count] });
        }
        let mut value = self.expression_here(expr)?;
        if let Some(&(number, condition)) = condition {
            value = self.condition_value(number, condition, value)?;
        }
        if decision.is_some() {
            self.saw();
        }
        Ok(Some(value))
    }

    /// The value of a condition, which is noted.
    fn condition_value(
        &mut self,
        decision: usize,
        condition: usize,
        value: Value<'a>,
    ) -> Result<Value<'a>> {
        let innermost = self.coverage.as_ref().and_then(|coverage| coverage.deciding.last());
        let Some(alone) = innermost.filter(|deciding| deciding.number == decision) else {
            return Ok(value);
        };
        let alone = alone.values.len() == 1;
        let (term, ty) = match value {
            Value::Scalar(term, ty) if matches!(ty.shape(), Some(Shape::Bool)) => (term, ty),
            unknown @ Value::Unknown(_) => (self.condition(unknown)?, crate::types::Type::Bool),
            other => {
                if let Some(coverage) = &mut self.coverage {
                    coverage.words.insert(decision);
                }
                return Ok(other);
            }
        };
        let term = if alone { term } else { self.keep(term) };
        let known = self.pool.as_bool(term);
        if let Some(coverage) = &mut self.coverage {
            let constant = &mut coverage.constants[decision][condition];
            *constant = Some(constant.unwrap_or(known).filter(|before| Some(*before) == known));
            if let Some(deciding) = coverage.deciding.last_mut() {
                deciding.values[condition] = Some(term);
            }
        }
        Ok(Value::Scalar(term, ty))
    }

    /// The innermost decision has been evaluated.
    fn saw(&mut self) {
        let Some(coverage) = &mut self.coverage else { return };
        let Some(Deciding { number, values }) = coverage.deciding.pop() else { return };
        coverage.decisions.insert(number);
        if coverage.words.contains(&number) {
            return;
        }
        let seen = coverage.map.decisions[number].seen;
        let pool = &self.pool;
        let bit = |value: &Option<Term>| {
            let value = value.unwrap_or_else(|| pool.fls());
            pool.ite(value, pool.bv(1, 1), pool.bv(0, 1))
        };
        let all = values.iter().map(bit).reduce(|low, high| pool.bv_concat(high, low));
        let Some(all) = all else { return };
        let seen = seen.unwrap_or_else(|| self.register_of_decision(number, values.len()));
        self.emit(Instruction::Assign(seen, all));
    }

    fn register_of_decision(&mut self, number: usize, conditions: usize) -> VariableId {
        let name = format!("coverage::decision {number}");
        let sort = Sort::BitVec(conditions as u32);
        let seen = self.new_variable(&name, None, sort, Reading::Unsigned);
        if let Some(coverage) = &mut self.coverage {
            coverage.map.decisions[number].seen = Some(seen);
        }
        seen
    }
}
