//! Claims in the scopes of their places (see [`crate::claim`]).

use super::Checker;
use super::scope::Entity;
use crate::ast::{self, ClaimExpr};
use crate::claim::RESULT_NAME;
use crate::diagnostic::Result;
use crate::typed::{
    ExprId, ExprKind, Init, InitEntry, InitValue, Linkage, Object, PlaceKind, StmtId, StmtKind,
    Storage,
};
use crate::types::QualType;
use smallvec::SmallVec;

impl Checker {
    fn claim_statements(&mut self, u: &ast::Unit, claims: &[ClaimExpr]) -> Result<Vec<StmtId>> {
        let mut statements = Vec::new();
        for &(number, expr) in claims {
            let truth = self.rvalue(u, expr)?;
            let truth = self.condition(truth)?;
            let span = self.span_of(truth);
            statements.push(self.make_stmt(StmtKind::Claim(number, truth), span));
        }
        Ok(statements)
    }

    /// Claims before a statement.
    pub(super) fn claims_before(
        &mut self,
        u: &ast::Unit,
        item: ast::StmtId,
        out: &mut Vec<StmtId>,
    ) -> Result<()> {
        if let Some(claims) = u.claims.before.get(&item) {
            out.extend(self.claim_statements(u, claims)?);
        }
        Ok(())
    }

    /// Claims at the head of a loop, in the scope at hand.
    pub(super) fn head_claims(&mut self, u: &ast::Unit, item: ast::StmtId) -> Result<Vec<StmtId>> {
        match u.claims.heads.get(&item) {
            Some(claims) => self.claim_statements(u, claims),
            None => Ok(Vec::new()),
        }
    }

    pub(super) fn set_head_claims(&mut self, statement: StmtId, claims: Vec<StmtId>) {
        if !claims.is_empty() {
            self.program.heads.insert(statement, claims);
        }
    }

    /// The value of a condition, with what is claimed of it.
    pub(super) fn claims_on_branch(
        &mut self,
        u: &ast::Unit,
        condition: ast::ExprId,
        value: ExprId,
    ) -> Result<ExprId> {
        match u.claims.branches.get(&condition) {
            Some(claims) => self.claims_on(u, claims, value),
            None => Ok(value),
        }
    }

    /// The result of a call, with what is claimed of it.
    pub(super) fn claims_on_call(
        &mut self,
        u: &ast::Unit,
        call: ast::ExprId,
        value: ExprId,
    ) -> Result<ExprId> {
        if let Some(numbers) = u.claims.enters.get(&call) {
            let span = self.span_of(value);
            self.program.enters.insert(span, numbers.clone());
        }
        match u.claims.returns.get(&call) {
            Some(claims) => self.claims_on(u, claims, value),
            None => Ok(value),
        }
    }

    /// `({ T result = value; claims; result; })`
    fn claims_on(&mut self, u: &ast::Unit, claims: &[ClaimExpr], value: ExprId) -> Result<ExprId> {
        let (ty, span) = (self.type_of(value), self.span_of(value));
        if self.program.types.is_void(ty) && self.current.is_some() {
            let mut statements = vec![self.make_stmt(StmtKind::Expr(value), span)];
            statements.extend(self.claim_statements(u, claims)?);
            let block = self.make_stmt(StmtKind::Block(statements), span);
            return Ok(self.make(ExprKind::StmtExpr(block, None), ty, span));
        }
        if !self.program.types.is_scalar(ty) || self.current.is_none() {
            let at = claims.first().map_or(span, |&(_, expr)| u.exprs[expr].span);
            let message = format!("the value here is a '{}', no scalar", self.show(ty));
            return self.error(at, message);
        }
        let depth = self.scopes.depth();
        self.scopes.push();
        let name = self.program.symbols.intern(RESULT_NAME);
        let quals = QualType::plain(ty);
        let object = self.program.objects.alloc(Object {
            name: Some(name),
            span,
            ty: quals,
            align: None,
            storage: Storage::Automatic,
            linkage: Linkage::None,
            thread_local: false,
            defined: true,
            init: None,
            function: self.function_id(),
        });
        self.scopes.bind(name, Entity::Object(object), span);
        if let Some(function) = self.function_id() {
            self.program.functions[function].locals.push(object);
        }
        let (path, value) = (SmallVec::new(), InitValue::Expr(value));
        let entry = InitEntry { offset: 0, bits: None, path, ty: quals, value };
        let extent = self.program.types.size_of(ty).unwrap_or(0);
        let init = self.program.inits.alloc(Init { entries: vec![entry], extent });
        let mut statements = vec![self.make_stmt(StmtKind::Declare(object, Some(init)), span)];
        statements.extend(self.claim_statements(u, claims)?);
        self.scopes.pop_to(depth);
        let block = self.make_stmt(StmtKind::Block(statements), span);
        let place = self.make_place(PlaceKind::Object(object), quals, span);
        let result = self.make(ExprKind::Load(place), ty, span);
        Ok(self.make(ExprKind::StmtExpr(block, Some(result)), ty, span))
    }
}
