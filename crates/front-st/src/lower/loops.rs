//! Loops. A FOR loop over few known values is written out, turn by turn: then its indices are
//! known, and a cycle has no inner loop.

use super::Lowerer;
use super::expression::Value;
use super::place::Place;
use crate::ast::{BinaryOp, Block, CaseLabel, Expr, ExprKind, Stmt, StmtKind};
use crate::types::Type;
use source::Diagnostic;
use source::diagnostic::Result;
use std::sync::Arc;

/// The most turns of a loop that is written out.
const MOST_TURNS: i128 = 256;

/// The most statements that a loop is written out to, turns times statements.
const MOST_STATEMENTS: usize = 2048;

impl<'a> Lowerer<'a> {
    pub(super) fn while_loop(&mut self, condition: &'a Expr, body: &'a Block) -> Result<()> {
        let (head, inside, out) = (self.new_location(), self.new_location(), self.new_location());
        self.graph.locations[head].loop_head = true;
        let watched = self.before_loop();
        self.jump(head);
        self.continue_at(head);
        self.at_head(watched);
        self.span = condition.span;
        let value = self.expression(condition)?;
        let holds = self.condition(value)?;
        self.split(holds, inside, out);
        self.continue_at(inside);
        self.round();
        self.looped(body, head, out)?;
        self.jump(head);
        self.continue_at(out);
        Ok(())
    }

    pub(super) fn repeat_loop(&mut self, body: &'a Block, condition: &'a Expr) -> Result<()> {
        let (head, test, out) = (self.new_location(), self.new_location(), self.new_location());
        self.graph.locations[head].loop_head = true;
        let watched = self.before_loop();
        self.jump(head);
        self.continue_at(head);
        self.at_head(watched);
        self.round();
        self.looped(body, test, out)?;
        self.jump(test);
        self.continue_at(test);
        self.span = condition.span;
        let value = self.expression(condition)?;
        let holds = self.condition(value)?;
        self.split(holds, out, head);
        self.continue_at(out);
        Ok(())
    }

    fn looped(
        &mut self,
        body: &'a Block,
        next: program::program::LocationId,
        out: program::program::LocationId,
    ) -> Result<()> {
        self.frame.loops.push((next, out));
        let result = self.block(body);
        self.frame.loops.pop();
        result
    }

    /// FOR: the bounds are evaluated once, before the first turn.
    pub(super) fn counting(
        &mut self,
        variable: &'a Expr,
        from: &'a Expr,
        to: &'a Expr,
        by: Option<&'a Expr>,
        body: &'a Block,
    ) -> Result<()> {
        let mut place = self.assigned_place(variable)?;
        if let Type::Unknown(_) = place.ty {
            // A variable that no file declares still counts.
            let counter = self.temporary(term::Sort::BitVec(32));
            place = Place::new(Type::DINT, super::storage::Node::Register(counter));
        }
        if !place.ty.is_integer() && !matches!(place.ty.base(), Type::Clock(_)) {
            let message = format!("a loop counts in an integer, not in a {}", place.ty);
            return Err(Diagnostic::error(variable.span, message));
        }
        let from = self.expression(from)?;
        let to = self.expression(to)?;
        let by = by.map_or(Ok(Value::Integer(1)), |by| self.expression(by))?;
        let known = |value: &Value<'a>| self.known_integer(value);
        if let (Some(from), Some(to), Some(by)) = (known(&from), known(&to), known(&by))
            && let ExprKind::Name(name) = &variable.kind
            && let Some(turns) = turns(from, to, by, &place.ty)
            && turns * size(body) as i128 <= MOST_STATEMENTS as i128
            && !self.may_write(&place, body, &name.key)
        {
            return self.written_out(&place, &name.key, (from, by, turns), body);
        }
        self.counted(&place, from, to, by, body)
    }

    /// Whether a loop's body may write its variable, itself or by what it calls.
    fn may_write(&self, place: &Place<'a>, body: &'a Block, key: &str) -> bool {
        // What is in memory may be written over a pointer.
        let Some(register) = place.register() else { return true };
        let table = self.table;
        let units = self.frame.owner.map(|owner| table.ancestry(owner)).unwrap_or_default();
        let global = self.globals.values().any(|place| place.register() == Some(register));
        let own = |name: &str| {
            let code = |unit: &crate::types::PouId| {
                let declared = table.pous[*unit];
                table.method(*unit, name).is_some()
                    || table.property(*unit, name).is_some()
                    || table.action(declared, name).is_some()
            };
            // A global variable is seen by all code.
            global || units.iter().any(code)
        };
        let pure = |name: &str| {
            let declared = table.pou(name).is_some_and(|pou| pou < table.own);
            super::standard::is_pure(name) && !declared
        };
        Writes { key, own: &own, pure: &pure }.block(body)
    }

    /// A loop turn by turn.
    fn written_out(
        &mut self,
        place: &Place<'a>,
        key: &Arc<str>,
        (from, by, turns): (i128, i128, i128),
        body: &'a Block,
    ) -> Result<()> {
        let out = self.new_location();
        for turn in 0..turns {
            self.round();
            let value = from + turn * by;
            self.store(place, Value::Integer(value))?;
            let next = self.new_location();
            // It has the type of its variable, which decides what it is computed in.
            let term = self.coerce(Value::Integer(value), &place.ty)?;
            let known = Value::Scalar(term, place.ty.clone());
            self.frame.turns.push((key.clone(), known));
            let result = self.looped(body, next, out);
            self.frame.turns.pop();
            result?;
            self.jump(next);
            self.continue_at(next);
        }
        self.store(place, Value::Integer(from + turns * by))?;
        self.jump(out);
        self.continue_at(out);
        Ok(())
    }

    /// A loop as a loop, tested before each turn. A variable that can't go beyond the last value
    /// wraps there, and the loop does not end.
    fn counted(
        &mut self,
        place: &Place<'a>,
        from: Value<'a>,
        to: Value<'a>,
        by: Value<'a>,
        body: &'a Block,
    ) -> Result<()> {
        let ty = place.ty.clone();
        let direction = self.known_integer(&by);
        let (to, by) = (self.coerce(to, &ty)?, self.coerce(by, &ty)?);
        let (to, by) = (self.keep(to), self.keep(by));
        self.store(place, from)?;
        let (head, inside) = (self.new_location(), self.new_location());
        let (next, out) = (self.new_location(), self.new_location());
        self.graph.locations[head].loop_head = true;
        let watched = self.before_loop();
        self.jump(head);
        self.continue_at(head);
        self.at_head(watched);
        let now = self.read(place)?;
        let up = self.comparison(BinaryOp::Le, now, to, &ty);
        let down = self.comparison(BinaryOp::Ge, now, to, &ty);
        let holds = match direction {
            Some(step) if step >= 0 => up,
            Some(_) => down,
            None => {
                let zero = self.constant_of(0, ty.shape().expect("a counter is a scalar"));
                let upwards = self.comparison(BinaryOp::Ge, by, zero, &ty);
                self.pool.ite(upwards, up, down)
            }
        };
        self.split(holds, inside, out);
        self.continue_at(inside);
        self.round();
        self.looped(body, next, out)?;
        self.jump(next);
        self.continue_at(next);
        let now = self.read(place)?;
        let stepped = self.pool.bv_add(now, by);
        self.write(place, stepped)?;
        self.jump(head);
        self.continue_at(out);
        Ok(())
    }
}

/// How many turns a loop has, if they are few and the variable does not leave its range.
fn turns(from: i128, to: i128, by: i128, ty: &Type<'_>) -> Option<i128> {
    let turns = match by {
        0 => return None,
        1.. if from > to => 0,
        ..=-1 if from < to => 0,
        by => (to - from) / by + 1,
    };
    let (low, high) = ty.base().range()?;
    let last = from + turns * by;
    (turns <= MOST_TURNS && last >= low && last <= high).then_some(turns)
}

/// The number of statements in a block; inner loops count several times.
fn size(block: &[Stmt]) -> usize {
    let one = |statement: &Stmt| match &statement.kind {
        StmtKind::If(arms, otherwise) => {
            let inner = arms.iter().map(|(_, block)| size(block)).sum::<usize>();
            1 + inner + otherwise.as_ref().map_or(0, |block| size(block))
        }
        StmtKind::Case(_, arms, otherwise) => {
            let inner = arms.iter().map(|arm| size(&arm.body)).sum::<usize>();
            1 + inner + otherwise.as_ref().map_or(0, |block| size(block))
        }
        StmtKind::For { body, .. } => 2 + 4 * size(body),
        StmtKind::While(_, body) | StmtKind::Repeat(body, _) | StmtKind::Region(_, body) => {
            2 + size(body)
        }
        _ => 1,
    };
    block.iter().map(one).sum::<usize>().max(1)
}

/// Looks for what may write a variable.
struct Writes<'w> {
    key: &'w str,
    /// Whether a name is of code that sees the variable.
    own: &'w dyn Fn(&str) -> bool,
    /// Whether a name is of a standard function, which changes nothing.
    pure: &'w dyn Fn(&str) -> bool,
}

impl Writes<'_> {
    fn is(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Name(name) if name.is(self.key))
    }

    fn block(&self, block: &[Stmt]) -> bool {
        block.iter().any(|statement| self.statement(statement))
    }

    fn statement(&self, statement: &Stmt) -> bool {
        let optional = |block: &Option<Block>| block.as_ref().is_some_and(|b| self.block(b));
        match &statement.kind {
            StmtKind::Assign(target, _, value) => {
                self.is(target) || self.callee(target) || self.expr(target) || self.expr(value)
            }
            // An action may be named without parentheses.
            StmtKind::Expr(expr) => self.callee(expr) || self.expr(expr),
            StmtKind::If(arms, otherwise) => {
                arms.iter().any(|(c, block)| self.expr(c) || self.block(block))
                    || optional(otherwise)
            }
            StmtKind::Case(selector, arms, otherwise) => {
                let label = |label: &CaseLabel| match label {
                    CaseLabel::Value(e) => self.expr(e),
                    CaseLabel::Range(a, b) => self.expr(a) || self.expr(b),
                };
                self.expr(selector)
                    || arms.iter().any(|arm| arm.labels.iter().any(label) || self.block(&arm.body))
                    || optional(otherwise)
            }
            StmtKind::For { variable, from, to, by, body } => {
                self.is(variable)
                    || [from, to].into_iter().chain(by).any(|expr| self.expr(expr))
                    || self.block(body)
            }
            StmtKind::While(condition, body) | StmtKind::Repeat(body, condition) => {
                self.expr(condition) || self.block(body)
            }
            StmtKind::Region(_, body) => self.block(body),
            StmtKind::Claim(crate::ast::Claim::Havoc, expr) => self.is(expr),
            StmtKind::Claim(_, expr) => self.expr(expr),
            StmtKind::Unknown(_) | StmtKind::Jump(_) | StmtKind::Label(_) => true,
            StmtKind::Empty
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Pragma(_) => false,
        }
    }

    /// Whether a name that is called, or assigned as a property, is of code that sees the variable.
    fn callee(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) | ExprKind::Member(_, name) => (self.own)(&name.key),
            ExprKind::Super | ExprKind::This => true,
            ExprKind::Deref(base) | ExprKind::Index(base, _) => self.callee(base),
            _ => false,
        }
    }

    /// Whether an expression hands the variable over to a call, which may write it if it is a
    /// parameter by reference, or calls code that sees it.
    fn expr(&self, expr: &Expr) -> bool {
        use crate::ast::Argument;
        match &expr.kind {
            ExprKind::Call(callee, arguments) => {
                let pure = match &callee.kind {
                    ExprKind::Name(name) => (self.pure)(&name.key),
                    _ => false,
                };
                let given = |e: &Expr| self.expr(e) || !pure && self.is(e);
                !pure && self.callee(callee)
                    || self.expr(callee)
                    || arguments.iter().any(|argument| match argument {
                        Argument::Positional(expr) => given(expr),
                        Argument::Input(_, expr) => expr.as_ref().is_some_and(given),
                        Argument::Output(_, _, expr) => {
                            expr.as_ref().is_some_and(|e| self.is(e) || self.expr(e))
                        }
                    })
            }
            ExprKind::Member(base, _)
            | ExprKind::Part(base, ..)
            | ExprKind::PartAt(base, ..)
            | ExprKind::Deref(base) => self.expr(base),
            ExprKind::Unary(_, operand) => self.expr(operand),
            ExprKind::Index(base, indices) => {
                self.expr(base) || indices.iter().any(|index| self.expr(index))
            }
            ExprKind::Binary(_, a, b) => self.expr(a) || self.expr(b),
            _ => false,
        }
    }
}
