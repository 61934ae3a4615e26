//! Claims at the places that the parser comes to (see [`crate::claim`]).

use super::Parser;
use crate::ast::{ClaimExpr, ExprId, StmtId};
use crate::claim::{Claim, Loaded, Spot};
use crate::diagnostic::Result;
use crate::source::{SourceMap, Span};
use crate::token::TokenKind;
use rustc_hash::FxHashMap;

/// What is claimed, by line.
#[derive(Clone)]
pub(crate) struct Claimed<'a> {
    claims: &'a [Claim],
    loaded: &'a Loaded,
    sources: &'a SourceMap,
    by_line: FxHashMap<u32, Vec<usize>>,
}

impl<'a> Claimed<'a> {
    pub(crate) fn new(claims: &'a [Claim], loaded: &'a Loaded, sources: &'a SourceMap) -> Self {
        let mut by_line: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (index, claim) in claims.iter().enumerate() {
            by_line.entry(claim.line).or_default().push(index);
        }
        Claimed { claims, loaded, sources, by_line }
    }

    /// The claims about what begins at a span.
    fn about(&self, spot: Spot, span: Span) -> Vec<usize> {
        let position = self.sources.presumed(span);
        let Some(candidates) = self.by_line.get(&position.line) else { return Vec::new() };
        let fits = |index: &usize| {
            let claim = &self.claims[*index];
            claim.spot == spot
                && claim.column.is_none_or(|column| column == position.column)
                && file_name(&claim.file) == file_name(&position.file)
        };
        candidates.iter().copied().filter(fits).collect()
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl<'a> Parser<'a> {
    /// The claims about what begins at a span, parsed where the parser stands. A claim is placed
    /// once in a file: where it has no column, at the first place that fits.
    pub(super) fn claims_at(&mut self, spot: Spot, span: Span) -> Result<Vec<ClaimExpr>> {
        let Some(claimed) = &self.claims else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for index in claimed.about(spot, span) {
            let number = index as u32;
            if !self.unit.claims.placed.contains(&number) {
                self.unit.claims.placed.push(number);
                found.push((number, self.claim(index)?));
            }
        }
        Ok(found)
    }

    /// Parses the text of a claim.
    fn claim(&mut self, index: usize) -> Result<ExprId> {
        let Some(claimed) = self.claims.as_ref() else {
            return Err(self.expected("a claim"));
        };
        let lexed = &claimed.loaded.lexed[index];
        self.within(lexed, |parser| {
            let expr = parser.expr()?;
            if parser.peek() != TokenKind::Eof {
                return Err(parser.expected("the end of the expression"));
            }
            Ok(expr)
        })
    }

    /// What is claimed of the loop whose keyword comes next: at its head, and of its condition.
    pub(super) fn loop_claims(&mut self) -> Result<(Vec<ClaimExpr>, Vec<ClaimExpr>)> {
        self.loop_claims_at(self.span())
    }

    pub(super) fn loop_claims_at(
        &mut self,
        keyword: Span,
    ) -> Result<(Vec<ClaimExpr>, Vec<ClaimExpr>)> {
        Ok((self.claims_at(Spot::Loop, keyword)?, self.claims_at(Spot::Branch, keyword)?))
    }

    pub(super) fn claim_before(&mut self, statement: StmtId, claims: Vec<ClaimExpr>) {
        if !claims.is_empty() {
            self.unit.claims.before.insert(statement, claims);
        }
    }

    pub(super) fn claim_at_head(&mut self, statement: StmtId, claims: Vec<ClaimExpr>) {
        if !claims.is_empty() {
            self.unit.claims.heads.insert(statement, claims);
        }
    }

    pub(super) fn claim_branch(&mut self, condition: ExprId, claims: Vec<ClaimExpr>) {
        if !claims.is_empty() {
            self.unit.claims.branches.insert(condition, claims);
        }
    }

    /// Takes up what is claimed of the call whose closing parenthesis came last.
    pub(super) fn claim_call(&mut self, call: ExprId) -> Result<()> {
        let closing = self.previous_span();
        let enters = self.claims_at(Spot::Enter, closing)?;
        if !enters.is_empty() {
            let numbers = enters.into_iter().map(|(number, _)| number).collect();
            self.unit.claims.enters.insert(call, numbers);
        }
        let returns = self.claims_at(Spot::Return, closing)?;
        if !returns.is_empty() {
            self.unit.claims.returns.insert(call, returns);
        }
        Ok(())
    }
}
