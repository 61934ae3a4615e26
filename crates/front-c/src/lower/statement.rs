//! Statements to locations and edges.

use super::Lowerer;
use super::expression::Value;
use super::object::Home;
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::{ExprId, InitId, LabelId, ObjectId, StmtId, StmtKind};
use program::Property;
use program::program::{Cause, Instruction, LocationId, Storage};
use term::Term;
use value::Bits;

/// Where `break` or `continue` leads, and which objects live there.
#[derive(Clone, Copy)]
pub(super) struct Target {
    location: LocationId,
    live: usize,
}

/// A switch whose body is being lowered.
pub(super) struct Switch {
    cases: Vec<(u128, u128, LocationId)>,
    default: Option<LocationId>,
}

impl Lowerer<'_> {
    pub(super) fn statement(&mut self, statement: StmtId) -> Result<()> {
        let c = self.c;
        let span = c.stmts[statement].span;
        self.span = span;
        self.reach_statement(statement);
        match &c.stmts[statement].kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Expr(value) => self.full_expression(|l| l.discard(*value)),
            StmtKind::Declare(object, init) => self.declare(*object, *init),
            StmtKind::EvaluateLengths(lengths) => {
                self.full_expression(|l| l.evaluate_lengths(lengths))
            }
            StmtKind::Block(statements) => {
                let depth = self.frame.live.len();
                for &statement in statements {
                    self.statement(statement)?;
                }
                self.free_down_to(depth);
                self.frame.live.truncate(depth);
                Ok(())
            }
            StmtKind::If(arms, otherwise) => self.if_statement(arms, *otherwise),
            StmtKind::Switch(value, body) => self.switch(statement, *value, *body),
            StmtKind::Claim(number, truth) => self.claim(*number, *truth),
            StmtKind::Assertion(formula) => self.assertion(formula),
            StmtKind::Unsupported(problem) => Err(problem.clone()),
            StmtKind::While(condition, body) => {
                self.loop_with_head(statement, Some(*condition), None, *body)
            }
            StmtKind::DoWhile(body, condition) => self.do_while(statement, *body, *condition),
            StmtKind::For { init, condition, step, body } => {
                if let Some(init) = init {
                    self.statement(*init)?;
                }
                self.span = span;
                self.loop_with_head(statement, *condition, *step, *body)
            }
            StmtKind::Case(low, high) => {
                let at = self.label_location();
                if let Some(switch) = self.frame.switches.last_mut() {
                    switch.cases.push((*low, *high, at));
                }
                Ok(())
            }
            StmtKind::Default => {
                let at = self.label_location();
                if let Some(switch) = self.frame.switches.last_mut() {
                    switch.default = Some(at);
                }
                Ok(())
            }
            StmtKind::Label(label) => self.label(*label),
            StmtKind::Goto(label) => {
                self.goto(*label);
                Ok(())
            }
            StmtKind::Continue => self.leave_to(self.frame.loops.last().copied()),
            StmtKind::Break => self.leave_to(self.frame.breaks.last().copied()),
            StmtKind::Return(value) => self.return_statement(*value),
            StmtKind::Asm(asm) => self.full_expression(|l| l.assembly(asm)),
        }
    }

    /// Runs `work`, then frees the objects that it made for temporary values.
    pub(super) fn full_expression<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let outer = std::mem::take(&mut self.frame.temporary_objects);
        let result = work(self);
        let objects = std::mem::replace(&mut self.frame.temporary_objects, outer);
        for object in objects.into_iter().rev() {
            let address = self.term_of(object);
            self.emit(Instruction::Free { address, storage: Storage::Stack });
        }
        result
    }

    /// A new location where control comes also from the current one.
    fn label_location(&mut self) -> LocationId {
        let at = self.new_location();
        self.jump(at);
        self.continue_at(at);
        at
    }

    pub(super) fn loop_head(&mut self) -> LocationId {
        let head = self.label_location();
        self.graph.locations[head].loop_head = true;
        head
    }

    fn target(&self, location: LocationId) -> Target {
        Target { location, live: self.frame.live.len() }
    }

    fn if_statement(&mut self, arms: &[(ExprId, StmtId)], otherwise: Option<StmtId>) -> Result<()> {
        let end = self.new_location();
        for &(condition, branch) in arms {
            let (yes, no) = (self.new_location(), self.new_location());
            self.span = self.c.exprs[condition].span;
            self.branch(condition, yes, no)?;
            self.continue_at(yes);
            self.statement(branch)?;
            self.jump(end);
            self.continue_at(no);
        }
        if let Some(otherwise) = otherwise {
            self.statement(otherwise)?;
        }
        self.jump(end);
        self.continue_at(end);
        Ok(())
    }

    /// A loop whose condition is tested at its head, or one round of it if it is cut there.
    fn loop_with_head(
        &mut self,
        statement: StmtId,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    ) -> Result<()> {
        self.enter_loop(statement)?;
        if self.is_cut(statement)? {
            return self
                .cut_loop(statement, |l, again| l.loop_statement(again, condition, step, body));
        }
        let head = self.loop_head();
        self.check_invariants(statement)?;
        self.head_claims(statement)?;
        self.loop_statement(head, condition, step, body)
    }

    /// What follows the head of a loop.
    fn loop_statement(
        &mut self,
        head: LocationId,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    ) -> Result<()> {
        let end = self.new_location();
        if let Some(condition) = condition {
            let inside = self.new_location();
            self.branch(condition, inside, end)?;
            self.continue_at(inside);
        }
        let next = if step.is_some() { self.new_location() } else { head };
        self.body(body, next, end)?;
        self.jump(next);
        if let Some(step) = step {
            self.continue_at(next);
            self.span = self.c.exprs[step].span;
            self.full_expression(|l| l.discard(step))?;
            self.jump(head);
        }
        self.continue_at(end);
        Ok(())
    }

    fn body(&mut self, body: StmtId, next: LocationId, end: LocationId) -> Result<()> {
        let (next, end) = (self.target(next), self.target(end));
        self.frame.loops.push(next);
        self.frame.breaks.push(end);
        let result = self.statement(body);
        self.frame.loops.pop();
        self.frame.breaks.pop();
        result
    }

    fn do_while(&mut self, statement: StmtId, body: StmtId, condition: ExprId) -> Result<()> {
        self.enter_loop(statement)?;
        if self.is_cut(statement)? {
            return self.cut_loop(statement, |l, again| l.do_while_from(again, body, condition));
        }
        let head = self.loop_head();
        self.check_invariants(statement)?;
        self.head_claims(statement)?;
        self.do_while_from(head, body, condition)
    }

    fn do_while_from(&mut self, head: LocationId, body: StmtId, condition: ExprId) -> Result<()> {
        let (test, end) = (self.new_location(), self.new_location());
        self.body(body, test, end)?;
        self.jump(test);
        self.continue_at(test);
        self.span = self.c.exprs[condition].span;
        self.branch(condition, head, end)?;
        self.continue_at(end);
        Ok(())
    }

    fn switch(&mut self, statement: StmtId, value: ExprId, body: StmtId) -> Result<()> {
        let span = self.span;
        let ty = self.c.exprs[value].ty;
        let signed = self.is_signed(ty);
        let term = self.full_expression(|l| l.exact_scalar(value))?;
        let head = self.graph.at.take();
        let end = self.new_location();
        let target = self.target(end);
        self.frame.breaks.push(target);
        self.frame.switches.push(Switch { cases: Vec::new(), default: None });
        let result = self.statement(body);
        self.frame.breaks.pop();
        let switch = self.frame.switches.pop();
        result?;
        self.jump(end);
        self.graph.at = head;
        self.span = span;
        let Some(switch) = switch else { return Ok(()) };
        let mut others = Vec::new();
        let count = switch.cases.len();
        for (number, (low, high, at)) in switch.cases.into_iter().enumerate() {
            let guard = self.within(term, low, high, signed);
            self.guarded_label(statement, number, guard, at);
            others.push(self.pool.not(guard));
        }
        let none = self.pool.and(others);
        self.guarded_label(statement, count, none, switch.default.unwrap_or(end));
        self.continue_at(end);
        Ok(())
    }

    fn within(&self, term: Term, low: u128, high: u128, signed: bool) -> Term {
        let pool = &self.pool;
        let width = pool.width(term);
        let (first, last) =
            (pool.bits(Bits::from_u128(width, low)), pool.bits(Bits::from_u128(width, high)));
        if low == high {
            return pool.eq(term, first);
        }
        if signed {
            pool.and([pool.bv_sle(first, term), pool.bv_sle(term, last)])
        } else {
            pool.and([pool.bv_ule(first, term), pool.bv_ule(term, last)])
        }
    }

    fn label(&mut self, label: LabelId) -> Result<()> {
        let at = self.frame.labels[label as usize];
        self.jump(at);
        self.continue_at(at);
        let name = self.frame.function.map(|f| self.c.functions[f].labels[label as usize].name);
        let name = name.map_or("", |n| self.symbol_name(n));
        let place = self.here();
        let location = &mut self.graph.locations[at];
        location.label = Some(name.into());
        location.place = place;
        if self.options.error_labels.iter().any(|l| l == name) {
            let never = self.pool.fls();
            self.check(Property::Reach, never);
        }
        Ok(())
    }

    pub(super) fn goto(&mut self, label: LabelId) {
        let stays = &self.frame.scopes.labels[label as usize];
        let live = &self.frame.live;
        let depth = live.iter().rposition(|(o, _)| stays.contains(o)).map_or(0, |i| i + 1);
        self.free_down_to(depth);
        self.jump(self.frame.labels[label as usize]);
    }

    fn leave_to(&mut self, target: Option<Target>) -> Result<()> {
        let Some(target) = target else {
            return Err(Diagnostic::error(self.span, "jump without a target"));
        };
        self.free_down_to(target.live);
        self.jump(target.location);
        Ok(())
    }

    /// Frees what was allocated beyond a depth; it stays recorded, for other ways.
    fn free_down_to(&mut self, depth: usize) {
        if !self.is_live() {
            return;
        }
        for i in (depth..self.frame.live.len()).rev() {
            let address = self.term_of(self.frame.live[i].1);
            self.emit(Instruction::Free { address, storage: Storage::Stack });
        }
    }

    fn return_statement(&mut self, value: Option<ExprId>) -> Result<()> {
        let (with_value, span) = (value.is_some(), self.span);
        if let Some(value) = value {
            let ty = self.c.exprs[value].ty;
            self.full_expression(|l| {
                let value = l.value(value)?;
                l.span = span;
                l.return_value(value, ty)
            })?;
        } else {
            for result in self.frame.results.clone() {
                self.havoc(result, Cause::Uninitialized);
            }
        }
        self.span = span;
        self.check_end(with_value);
        if let Some(end) = self.frame.end {
            self.jump(end);
        }
        Ok(())
    }

    fn declare(&mut self, object: ObjectId, init: Option<InitId>) -> Result<()> {
        let home = self.home(object);
        let hoisted = self.frame.scopes.hoisted.contains(&object);
        match home {
            Home::Registers(registers) if init.is_none_or(|init| self.is_read_in(object, init)) => {
                for register in registers {
                    self.begin_without_value(register);
                }
            }
            Home::Stack(register) if !hoisted => {
                self.allocate(object)?;
                self.frame.live.push((object, register));
            }
            Home::Stack(register) if init.is_none() => {
                let length = self.size_term(self.c.objects[object].ty.ty)?;
                let address = self.term_of(register);
                let cause = Cause::Uninitialized;
                self.emit(Instruction::HavocBytes { address, length, cause });
            }
            _ => {}
        }
        match init {
            Some(init) => self.full_expression(|l| l.initialize(object, init)),
            None => Ok(()),
        }
    }

    /// `({ … })`: what the block declares lives as long as the full expression around it.
    pub(super) fn statement_expression(
        &mut self,
        statement: StmtId,
        value: Option<ExprId>,
    ) -> Result<Value> {
        let c = self.c;
        let depth = self.frame.live.len();
        match &c.stmts[statement].kind {
            StmtKind::Block(statements) => {
                for &statement in statements {
                    self.statement(statement)?;
                }
            }
            _ => self.statement(statement)?,
        }
        let value = match value {
            Some(value) => self.value(value)?,
            None => Value::Void,
        };
        let declared = self.frame.live.split_off(depth);
        self.frame.temporary_objects.extend(declared.into_iter().map(|(_, register)| register));
        Ok(value)
    }
}
