//! Statements.

use super::Lowerer;
use super::expression::Value;
use crate::ast::{
    BinaryOp, Block, Body, CaseArm, CaseLabel, Claim, Expr, ExprKind, Stmt, StmtKind,
};
use crate::types::Type;
use program::Property;
use program::program::Cause;
use source::Diagnostic;
use source::diagnostic::Result;
use term::Term;

impl<'a> Lowerer<'a> {
    /// The body of a unit, method or action.
    pub(super) fn body(&mut self, body: &'a Body) -> Result<()> {
        self.reach_entry(body);
        match body {
            Body::Missing => Ok(()),
            Body::Code(block) => {
                let outer = std::mem::take(&mut self.frame.labels);
                self.find_labels(block);
                let result = self.block(block);
                self.frame.labels = outer;
                result
            }
            Body::Chart(chart) => self.chart(chart),
        }
    }

    /// Gives each label a location, so that jumps can lead forward.
    fn find_labels(&mut self, block: &'a Block) {
        for statement in block {
            match &statement.kind {
                StmtKind::Label(name) => {
                    let location = self.new_location();
                    let watched = self.before_loop();
                    self.frame.labels.insert(name.key.clone(), (location, watched));
                }
                StmtKind::If(arms, otherwise) => {
                    let blocks = arms.iter().map(|(_, block)| block).chain(otherwise);
                    blocks.for_each(|block| self.find_labels(block));
                }
                StmtKind::Case(_, arms, otherwise) => {
                    let blocks = arms.iter().map(|arm| &arm.body).chain(otherwise);
                    blocks.for_each(|block| self.find_labels(block));
                }
                StmtKind::For { body, .. }
                | StmtKind::While(_, body)
                | StmtKind::Repeat(body, _)
                | StmtKind::Region(_, body) => self.find_labels(body),
                _ => {}
            }
        }
    }

    /// Statements, one after the other.
    pub(super) fn block(&mut self, block: &'a Block) -> Result<()> {
        for statement in block {
            self.span = statement.span;
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'a Stmt) -> Result<()> {
        self.reach_statement(statement);
        match &statement.kind {
            StmtKind::Empty | StmtKind::Pragma(_) => Ok(()),
            StmtKind::Assign(target, op, value) => self.assignment(target, *op, value),
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::If(arms, otherwise) => self.conditional(arms, otherwise.as_ref()),
            StmtKind::Case(selector, arms, otherwise) => {
                self.selection(statement, selector, arms, otherwise.as_ref())
            }
            StmtKind::For { variable, from, to, by, body } => {
                self.counting(variable, from, to, by.as_ref(), body)
            }
            StmtKind::While(condition, body) => self.while_loop(condition, body),
            StmtKind::Repeat(body, condition) => self.repeat_loop(body, condition),
            StmtKind::Exit | StmtKind::Continue => {
                let Some((next, out)) = self.frame.loops.last().copied() else {
                    return Err(Diagnostic::error(statement.span, "there is no loop around this"));
                };
                let exit = matches!(statement.kind, StmtKind::Exit);
                self.jump(if exit { out } else { next });
                Ok(())
            }
            StmtKind::Return => {
                if let Some(to) = self.frame.return_to {
                    self.jump(to);
                }
                Ok(())
            }
            StmtKind::Label(name) => {
                if let Some((location, watched)) = self.frame.labels.get(&name.key).copied() {
                    self.jump(location);
                    self.continue_at(location);
                    self.at_head(watched);
                }
                Ok(())
            }
            StmtKind::Jump(name) => match self.frame.labels.get(&name.key).copied() {
                Some((location, _)) => {
                    self.round();
                    self.jump(location);
                    Ok(())
                }
                None => {
                    Err(Diagnostic::error(name.span, format!("there is no label '{name}' here")))
                }
            },
            StmtKind::Region(_, block) => self.block(block),
            StmtKind::Claim(claim, expr) => self.claim(*claim, expr),
            StmtKind::Unknown(text) => self.unknown_statement(text),
        }
    }

    /// A statement that the reader does not know: all that this code can write is unknown.
    fn unknown_statement(&mut self, text: &std::sync::Arc<str>) -> Result<()> {
        let message = format!("'{text}' is not known; what it does is taken as unknown");
        self.warn_once(self.span, message);
        let mut places: Vec<_> = self.frame.bindings.clone().into_iter().collect();
        places.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, place) in places {
            self.forget(&place, text)?;
        }
        match self.frame.this.clone() {
            Some(this) => self.forget(&this, text),
            None => Ok(()),
        }
    }

    /// An expression for its effect.
    fn effect(&mut self, expr: &'a Expr) -> Result<()> {
        match &expr.kind {
            ExprKind::Call(callee, arguments) => self.call(callee, arguments).map(|_| ()),
            // An action, or an instance without arguments.
            ExprKind::Name(name) => {
                self.reach_call(expr);
                self.call_named(name, &[]).map(|_| ())
            }
            ExprKind::Member(..) | ExprKind::Deref(_) | ExprKind::Super => {
                self.call(expr, &[]).map(|_| ())
            }
            _ => self.expression(expr).map(|_| ()),
        }
    }

    fn conditional(
        &mut self,
        arms: &'a [(Expr, Block)],
        otherwise: Option<&'a Block>,
    ) -> Result<()> {
        let done = self.new_location();
        for (condition, block) in arms {
            self.span = condition.span;
            let value = self.expression(condition)?;
            let condition = self.condition(value)?;
            let (then, next) = (self.new_location(), self.new_location());
            self.split(condition, then, next);
            self.continue_at(then);
            self.block(block)?;
            self.jump(done);
            self.continue_at(next);
        }
        if let Some(block) = otherwise {
            self.block(block)?;
        }
        self.jump(done);
        self.continue_at(done);
        Ok(())
    }

    fn selection(
        &mut self,
        statement: &'a Stmt,
        selector: &'a Expr,
        arms: &'a [CaseArm],
        otherwise: Option<&'a Block>,
    ) -> Result<()> {
        let value = self.expression(selector)?;
        let (term, ty) = self.typed(value)?;
        let term = self.keep(term);
        let done = self.new_location();
        for (number, arm) in arms.iter().enumerate() {
            self.span = arm.span;
            let mut labels = Vec::new();
            for label in &arm.labels {
                labels.push(self.label(label, term, &ty)?);
            }
            let condition = self.pool.or(labels);
            let (then, next) = (self.new_location(), self.new_location());
            self.split(condition, then, next);
            self.continue_at(then);
            self.reach_arm(statement, number);
            self.block(&arm.body)?;
            self.jump(done);
            self.continue_at(next);
        }
        self.reach_arm(statement, arms.len());
        if let Some(block) = otherwise {
            self.block(block)?;
        }
        self.jump(done);
        self.continue_at(done);
        Ok(())
    }

    /// Whether a label of CASE is the value.
    fn label(&mut self, label: &'a CaseLabel, term: Term, ty: &Type<'a>) -> Result<Term> {
        let mut side = |expr: &'a Expr, op| {
            let bound = match self.case_enumerator(expr, ty) {
                Some(number) => Value::Integer(number),
                None => self.expression(expr)?,
            };
            let value = self.binary(op, Value::Scalar(term, ty.clone()), bound)?;
            self.condition(value)
        };
        match label {
            CaseLabel::Value(expr) => side(expr, BinaryOp::Eq),
            CaseLabel::Range(low, high) => {
                let low = side(low, BinaryOp::Ge)?;
                let high = side(high, BinaryOp::Le)?;
                Ok(self.pool.and([low, high]))
            }
        }
    }

    /// A value of the selector's own enumeration, which other enumerations may have a name of, too.
    fn case_enumerator(&self, expr: &Expr, ty: &Type<'a>) -> Option<i128> {
        let (Type::Enumeration(e), ExprKind::Name(name)) = (ty, &expr.kind) else { return None };
        e.values.iter().find(|(key, _)| *key == name.key).map(|(_, number)| *number)
    }

    fn claim(&mut self, claim: Claim, expr: &'a Expr) -> Result<()> {
        match claim {
            // A requirement is a question of its own.
            Claim::Assert if !self.options.requirements.is_empty() => Ok(()),
            Claim::Assert => {
                self.span = expr.span;
                let value = self.expression(expr)?;
                let condition = self.condition(value)?;
                self.check(Property::Assert, condition);
                Ok(())
            }
            Claim::Assume => {
                let value = self.expression(expr)?;
                let condition = self.condition(value)?;
                self.assume(condition);
                Ok(())
            }
            Claim::Havoc => {
                let place = self.assigned_place(expr)?;
                self.set_unknown(&place, &Cause::Input("havoc".into()))
            }
        }
    }
}
