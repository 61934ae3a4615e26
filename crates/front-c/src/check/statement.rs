//! Statements [C11 §6.8]. An error leaves out the statement it is in.

use super::Checker;
use super::conversion::Purpose;
use crate::ast::{self, StmtKind as Syntax};
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{Asm, ExprId, Label, LabelId, StmtId, StmtKind};
use crate::types::{IntShape, TypeId};
use std::collections::BTreeMap;

/// The switch around a statement.
#[derive(Debug)]
pub(super) struct SwitchContext {
    /// The promoted type of the controlling expression.
    ty: TypeId,
    /// The cases so far: first value to last value and place.
    cases: BTreeMap<i128, (i128, Span)>,
    default: Option<Span>,
}

impl Checker {
    /// Statements of a block; the scope is the caller's.
    pub(super) fn block_items(
        &mut self,
        u: &ast::Unit,
        items: &[ast::StmtId],
        out: &mut Vec<StmtId>,
    ) {
        self.declare_local_labels(u, items);
        self.block_statements(u, items, out);
        self.forget_local_labels(u, items);
    }

    pub(super) fn block_statements(
        &mut self,
        u: &ast::Unit,
        items: &[ast::StmtId],
        out: &mut Vec<StmtId>,
    ) {
        for &item in items {
            if self.errors >= super::MAX_ERRORS {
                return;
            }
            let depth = self.scopes.depth();
            if let Err(error) = self.block_item(u, item, out) {
                self.report(*error);
                self.scopes.pop_to(depth);
                self.pending_lengths.clear();
            }
        }
    }

    fn block_item(
        &mut self,
        u: &ast::Unit,
        item: ast::StmtId,
        out: &mut Vec<StmtId>,
    ) -> Result<()> {
        if let Syntax::Labeled(labels, body) = &u.stmts[item].kind {
            self.place_labels(u, labels, out)?;
            self.claims_before(u, item, out)?;
            return self.block_item(u, *body, out);
        }
        self.claims_before(u, item, out)?;
        match &u.stmts[item].kind {
            Syntax::Decl(declaration) => self.declaration(u, *declaration, out),
            Syntax::LabelDecl(_) | Syntax::Empty => Ok(()),
            _ => {
                let statement = self.statement(u, item)?;
                out.push(statement);
                Ok(())
            }
        }
    }

    /// A statement that is not directly in a block: a scope of its own.
    fn substatement(&mut self, u: &ast::Unit, stmt: ast::StmtId) -> Result<StmtId> {
        let span = u.stmts[stmt].span;
        let depth = self.scopes.depth();
        self.scopes.push();
        let mut statements = Vec::new();
        self.block_item(u, stmt, &mut statements)?;
        self.scopes.pop_to(depth);
        Ok(match statements.as_slice() {
            [only] => *only,
            _ => self.make_stmt(StmtKind::Block(statements), span),
        })
    }

    fn statement(&mut self, u: &ast::Unit, stmt: ast::StmtId) -> Result<StmtId> {
        let span = u.stmts[stmt].span;
        let kind = match &u.stmts[stmt].kind {
            Syntax::Expr(expr) => {
                let value = self.rvalue(u, *expr)?;
                let value = self.discard(value);
                StmtKind::Expr(self.with_pending_lengths(value))
            }
            Syntax::Block(items) => {
                let depth = self.scopes.depth();
                self.scopes.push();
                let mut statements = Vec::new();
                self.block_items(u, items, &mut statements);
                self.scopes.pop_to(depth);
                StmtKind::Block(statements)
            }
            Syntax::If(arms, otherwise) => {
                let mut typed = Vec::with_capacity(arms.len());
                for &(condition, branch) in arms {
                    let condition = self.controlling(u, condition)?;
                    typed.push((condition, self.substatement(u, branch)?));
                }
                let otherwise = otherwise.map(|o| self.substatement(u, o)).transpose()?;
                StmtKind::If(typed, otherwise)
            }
            Syntax::Switch(value, body) => self.switch(u, *value, *body)?,
            Syntax::While(condition, body) => {
                let condition = self.controlling(u, *condition)?;
                StmtKind::While(condition, self.loop_body(u, *body)?)
            }
            Syntax::DoWhile(body, condition) => {
                let body = self.loop_body(u, *body)?;
                StmtKind::DoWhile(body, self.controlling(u, *condition)?)
            }
            Syntax::For(init, condition, step, body) => {
                return self.for_statement(u, stmt, (*init, *condition, *step, *body), span);
            }
            Syntax::Goto(name, at) => StmtKind::Goto(self.label(*name, *at, false)?),
            Syntax::ComputedGoto(_) => {
                return self.error(span, "computed goto is not supported");
            }
            Syntax::Continue if self.in_loop() => StmtKind::Continue,
            Syntax::Continue => return self.error(span, "'continue' outside of a loop"),
            Syntax::Break if self.in_loop_or_switch() => StmtKind::Break,
            Syntax::Break => return self.error(span, "'break' outside of a loop or switch"),
            Syntax::Return(value) => self.return_statement(u, *value, span)?,
            Syntax::Asm(asm) => self.asm(u, asm)?,
            Syntax::Annotation(contract) => self.assertion(u, contract),
            Syntax::Empty | Syntax::Decl(_) | Syntax::LabelDecl(_) | Syntax::Labeled(..) => {
                StmtKind::Empty
            }
        };
        let heads = self.head_claims(u, stmt)?;
        let contract = self.loop_contract(u, stmt);
        let statement = self.make_stmt(kind, span);
        self.set_head_claims(statement, heads);
        self.program.loops.extend(contract.map(|contract| (statement, contract)));
        Ok(statement)
    }

    /// An expression preceded by the evaluation of lengths that its types need.
    fn with_pending_lengths(&mut self, value: ExprId) -> ExprId {
        if self.pending_lengths.is_empty() {
            return value;
        }
        let lengths = std::mem::take(&mut self.pending_lengths);
        let (ty, span) = (self.type_of(value), self.span_of(value));
        self.make(crate::typed::ExprKind::WithLengths(lengths, value), ty, span)
    }

    fn controlling(&mut self, u: &ast::Unit, condition: ast::ExprId) -> Result<ExprId> {
        let value = self.rvalue(u, condition)?;
        let value = self.condition(value)?;
        let value = self.claims_on_branch(u, condition, value)?;
        Ok(self.with_pending_lengths(value))
    }

    fn in_loop(&self) -> bool {
        self.current.as_ref().is_some_and(|c| c.loops > 0)
    }

    fn in_loop_or_switch(&self) -> bool {
        self.in_loop() || self.current.as_ref().is_some_and(|c| !c.switches.is_empty())
    }

    fn loop_body(&mut self, u: &ast::Unit, body: ast::StmtId) -> Result<StmtId> {
        self.change_loops(1);
        let body = self.substatement(u, body);
        self.change_loops(-1);
        body
    }

    fn change_loops(&mut self, by: i32) {
        if let Some(context) = &mut self.current {
            context.loops = context.loops.saturating_add_signed(by);
        }
    }

    fn for_statement(
        &mut self,
        u: &ast::Unit,
        stmt: ast::StmtId,
        (init, condition, step, body): (
            Option<ast::StmtId>,
            Option<ast::ExprId>,
            Option<ast::ExprId>,
            ast::StmtId,
        ),
        span: Span,
    ) -> Result<StmtId> {
        let depth = self.scopes.depth();
        self.scopes.push();
        let mut before = Vec::new();
        if let Some(init) = init {
            self.block_item(u, init, &mut before)?;
        }
        let condition = condition.map(|c| self.controlling(u, c)).transpose()?;
        let step = match step {
            Some(step) => {
                let value = self.rvalue(u, step)?;
                let value = self.discard(value);
                Some(self.with_pending_lengths(value))
            }
            None => None,
        };
        let body = self.loop_body(u, body)?;
        let heads = self.head_claims(u, stmt)?;
        let contract = self.loop_contract(u, stmt);
        self.scopes.pop_to(depth);
        // Several statements before the loop, as of a declaration with several variables,
        // surround it with a block, in which the variables live.
        let init = if before.len() == 1 { before.pop() } else { None };
        let declares =
            init.is_some_and(|s| matches!(self.program.stmts[s].kind, StmtKind::Declare(..)));
        if declares {
            before.extend(init);
        }
        let init = if declares { None } else { init };
        let statement = self.make_stmt(StmtKind::For { init, condition, step, body }, span);
        self.set_head_claims(statement, heads);
        self.program.loops.extend(contract.map(|contract| (statement, contract)));
        if before.is_empty() {
            return Ok(statement);
        }
        before.push(statement);
        Ok(self.make_stmt(StmtKind::Block(before), span))
    }

    fn switch(&mut self, u: &ast::Unit, value: ast::ExprId, body: ast::StmtId) -> Result<StmtKind> {
        let (syntax, span) = (value, u.exprs[value].span);
        let value = self.rvalue(u, value)?;
        if !self.program.types.is_integer(self.type_of(value)) {
            return self.error(span, "value of a switch is not an integer");
        }
        let value = self.promote(value);
        let value = self.claims_on_branch(u, syntax, value)?;
        let value = self.with_pending_lengths(value);
        let ty = self.type_of(value);
        if let Some(context) = &mut self.current {
            context.switches.push(SwitchContext { ty, cases: BTreeMap::new(), default: None });
        }
        let body = self.substatement(u, body);
        if let Some(context) = &mut self.current {
            context.switches.pop();
        }
        Ok(StmtKind::Switch(value, body?))
    }

    fn return_statement(
        &mut self,
        u: &ast::Unit,
        value: Option<ast::ExprId>,
        span: Span,
    ) -> Result<StmtKind> {
        let Some(result) = self.current.as_ref().map(|c| c.result) else {
            return self.error(span, "'return' outside of a function");
        };
        let Some(value) = value else { return Ok(StmtKind::Return(None)) };
        let value = self.rvalue(u, value)?;
        if self.program.types.is_void(result) {
            if !self.program.types.is_void(self.type_of(value)) {
                self.warn(span, "'return' with a value in a function that returns void");
            }
            let value = self.discard(value);
            return Ok(StmtKind::Return(Some(self.with_pending_lengths(value))));
        }
        let value = self.assign_convert(value, result, Purpose::Return, span)?;
        Ok(StmtKind::Return(Some(self.with_pending_lengths(value))))
    }

    // Labels.

    pub(super) fn place_labels(
        &mut self,
        u: &ast::Unit,
        labels: &[ast::Label],
        out: &mut Vec<StmtId>,
    ) -> Result<()> {
        for label in labels {
            let (kind, span) = match *label {
                ast::Label::Name(name, span) => {
                    (StmtKind::Label(self.label(name, span, true)?), span)
                }
                ast::Label::Case(low, high, span) => (self.case(u, low, high, span)?, span),
                ast::Label::Default(span) => {
                    let switch = self.current.as_mut().and_then(|c| c.switches.last_mut());
                    let Some(switch) = switch else {
                        return self.error(span, "'default' outside of a switch");
                    };
                    if let Some(previous) = switch.default.replace(span) {
                        let error = Diagnostic::error(span, "second 'default' in a switch");
                        return Err(error.note(previous, "first here"));
                    }
                    (StmtKind::Default, span)
                }
            };
            out.push(self.make_stmt(kind, span));
        }
        Ok(())
    }

    fn case(
        &mut self,
        u: &ast::Unit,
        low: ast::ExprId,
        high: Option<ast::ExprId>,
        span: Span,
    ) -> Result<StmtKind> {
        let switch = self.current.as_ref().and_then(|c| c.switches.last());
        let Some(ty) = switch.map(|s| s.ty) else {
            return self.error(span, "'case' outside of a switch");
        };
        let first = self.constant_value(u, low, "value of a case")?;
        let last = match high {
            Some(high) => self.constant_value(u, high, "value of a case")?,
            None => first,
        };
        let Some(shape) = self.program.types.shape(ty) else {
            return self.error(span, "switch over something that is no integer");
        };
        let wrap = |value: i128| shape.value(shape.wrap(value as u128));
        let (first, last) = (wrap(first), wrap(last));
        if first > last {
            self.warn(span, "empty range of a case");
            return Ok(StmtKind::Empty);
        }
        self.enter_case(first, last, span)?;
        let bits = |value: i128, shape: IntShape| shape.wrap(value as u128);
        Ok(StmtKind::Case(bits(first, shape), bits(last, shape)))
    }

    /// Cases of a switch must not overlap.
    fn enter_case(&mut self, first: i128, last: i128, span: Span) -> Result<()> {
        let Some(switch) = self.current.as_mut().and_then(|c| c.switches.last_mut()) else {
            return Ok(());
        };
        let overlapping = switch.cases.range(..=last).next_back().filter(|(_, c)| c.0 >= first);
        if let Some((_, &(_, previous))) = overlapping {
            let error = Diagnostic::error(span, "duplicate case");
            return Err(error.note(previous, "first here"));
        }
        switch.cases.insert(first, (last, span));
        Ok(())
    }

    /// The label of a name, made at its first use.
    pub(super) fn label(&mut self, name: Symbol, span: Span, places: bool) -> Result<LabelId> {
        let Some(context) = &mut self.current else {
            return self.error(span, "label outside of a function");
        };
        let known = context.labels.get(&name).and_then(|stack| stack.last().copied());
        let id = known.unwrap_or_else(|| {
            let labels = &mut self.program.functions[context.id].labels;
            let id = labels.len() as LabelId;
            labels.push(Label { name, span });
            context.label_uses.push((span, false));
            context.labels.insert(name, vec![id]);
            id
        });
        if places {
            let (at, placed) = &mut context.label_uses[id as usize];
            if *placed {
                let previous = *at;
                let message = format!("second label '{}'", self.program.symbols.name(name));
                return Err(Diagnostic::error(span, message).note(previous, "first here"));
            }
            (*at, *placed) = (span, true);
            self.program.functions[context.id].labels[id as usize].span = span;
        }
        Ok(id)
    }

    /// `__label__` gives a block labels of its own.
    pub(super) fn declare_local_labels(&mut self, u: &ast::Unit, items: &[ast::StmtId]) {
        for (name, span) in local_labels(u, items) {
            let Some(context) = &mut self.current else { return };
            let labels = &mut self.program.functions[context.id].labels;
            let id = labels.len() as LabelId;
            labels.push(Label { name, span });
            // A local label that is only declared is never missed.
            context.label_uses.push((span, false));
            context.labels.entry(name).or_default().push(id);
        }
    }

    pub(super) fn forget_local_labels(&mut self, u: &ast::Unit, items: &[ast::StmtId]) {
        for (name, _) in local_labels(u, items) {
            let Some(context) = &mut self.current else { return };
            if let Some(stack) = context.labels.get_mut(&name) {
                stack.pop();
                if stack.is_empty() {
                    context.labels.remove(&name);
                }
            }
        }
    }

    // Assembly.

    fn asm(&mut self, u: &ast::Unit, asm: &ast::AsmStmt) -> Result<StmtKind> {
        let mut typed = Asm {
            volatile: asm.volatile || asm.outputs.is_empty(),
            template: asm.template.iter().filter_map(|&c| char::from_u32(c)).collect(),
            outputs: Vec::new(),
            inputs: Vec::new(),
            memory_inputs: Vec::new(),
            clobbers: asm.clobbers.clone(),
            labels: Vec::new(),
        };
        for (constraint, output) in &asm.outputs {
            typed.outputs.push((constraint.clone(), self.place(u, *output)?));
        }
        for (constraint, input) in &asm.inputs {
            let only_memory = constraint.chars().all(|c| matches!(c, 'm' | 'o' | 'V' | '*'));
            if only_memory {
                typed.memory_inputs.push((constraint.clone(), self.place(u, *input)?));
            } else {
                typed.inputs.push((constraint.clone(), self.rvalue(u, *input)?));
            }
        }
        for &(name, span) in &asm.labels {
            typed.labels.push(self.label(name, span, false)?);
        }
        Ok(StmtKind::Asm(Box::new(typed)))
    }
}

fn local_labels(u: &ast::Unit, items: &[ast::StmtId]) -> Vec<(Symbol, Span)> {
    let mut names = Vec::new();
    for &item in items {
        // Declarations of labels come first in a block.
        match &u.stmts[item].kind {
            Syntax::LabelDecl(list) => names.extend(list.iter().copied()),
            _ => break,
        }
    }
    names
}
