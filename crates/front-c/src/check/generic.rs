//! `_Generic` [C11 §6.5.1.1] and GNU statement expressions.

use super::Checker;
use super::place::Operand;
use crate::ast;
use crate::diagnostic::Result;
use crate::source::Span;
use crate::typed::{ExprId, ExprKind, StmtKind};

impl Checker {
    pub(super) fn generic(
        &mut self,
        u: &ast::Unit,
        control: ast::ExprId,
        associations: &[(Option<ast::TypeNameId>, ast::ExprId)],
        span: Span,
    ) -> Result<Operand> {
        let lengths = self.pending_lengths.clone();
        let value = self.rvalue(u, control)?;
        self.pending_lengths = lengths;
        let ty = self.type_of(value);
        let mut fallback = None;
        for &(name, expr) in associations {
            match name {
                None => fallback = Some(expr),
                Some(name) => {
                    let candidate = self.type_name(u, name)?;
                    // The control's value has no qualifiers, so a qualified type never fits.
                    if candidate.quals == ast::Quals::NONE && self.compatible(ty, candidate.ty) {
                        return self.operand(u, expr);
                    }
                }
            }
        }
        match fallback {
            Some(expr) => self.operand(u, expr),
            None => {
                let message = format!("no association of '_Generic' fits '{}'", self.show(ty));
                self.error(span, message)
            }
        }
    }

    /// `({ … e; })` has the value of its last expression.
    pub(super) fn statement_expr(
        &mut self,
        u: &ast::Unit,
        block: ast::StmtId,
        span: Span,
    ) -> Result<ExprId> {
        if self.current.is_none() {
            return self.error(span, "statement expression outside of a function");
        }
        let ast::StmtKind::Block(items) = &u.stmts[block].kind else {
            return self.error(span, "statement expression without a block");
        };
        let outer = std::mem::take(&mut self.pending_lengths);
        let depth = self.scopes.depth();
        self.scopes.push();
        let mut statements = Vec::new();
        self.declare_local_labels(u, items);
        let value = match items.split_last() {
            Some((&last, first)) => {
                self.block_statements(u, first, &mut statements);
                self.last_value(u, last, &mut statements)?
            }
            None => None,
        };
        self.forget_local_labels(u, items);
        self.scopes.pop_to(depth);
        self.pending_lengths = outer;
        let void = self.types().void();
        let ty = value.map_or(void, |v| self.type_of(v));
        let block = self.make_stmt(StmtKind::Block(statements), u.stmts[block].span);
        Ok(self.make(ExprKind::StmtExpr(block, value), ty, span))
    }

    fn last_value(
        &mut self,
        u: &ast::Unit,
        last: ast::StmtId,
        statements: &mut Vec<crate::typed::StmtId>,
    ) -> Result<Option<ExprId>> {
        match &u.stmts[last].kind {
            ast::StmtKind::Expr(expr) => {
                let value = self.rvalue(u, *expr)?;
                let span = u.stmts[last].span;
                self.flush_lengths(span, statements);
                Ok(Some(value))
            }
            ast::StmtKind::Labeled(labels, body)
                if matches!(u.stmts[*body].kind, ast::StmtKind::Expr(_)) =>
            {
                self.place_labels(u, labels, statements)?;
                self.last_value(u, *body, statements)
            }
            _ => {
                self.block_statements(u, &[last], statements);
                Ok(None)
            }
        }
    }
}
