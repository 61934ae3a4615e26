//! Quantified formulas; which values of their variables matter is looked for by [`crate::bounds`].

use super::Checker;
use super::scope::Entity;
use crate::ast;
use crate::contract::Quantified;
use crate::diagnostic::Result;
use crate::source::Span;
use crate::typed::{ExprId, ExprKind};

impl Checker {
    pub(super) fn quantified(
        &mut self,
        u: &ast::Unit,
        quantified: &ast::Quantified,
        span: Span,
    ) -> Result<ExprId> {
        let ty = self.quantified_type(u, quantified)?;
        let (name, at) = quantified.name;
        let object = self.unnamed(ty, at);
        self.program.objects[object].name = Some(name);
        let depth = self.scopes.depth();
        self.scopes.push();
        self.scopes.bind(name, Entity::Object(object), at);
        let body = self.rvalue(u, quantified.body);
        self.scopes.pop_to(depth);
        let body = self.condition(body?)?;
        let interval = self.program.interval(object, body, quantified.all);
        let all = quantified.all;
        let kind = ExprKind::Quantified(Box::new(Quantified { all, object, interval, body }));
        let int = self.int_type();
        Ok(self.make(kind, int, span))
    }
}
