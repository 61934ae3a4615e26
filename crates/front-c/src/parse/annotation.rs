//! Contracts of ACSL: comments that begin with `@`, before a function, a loop or a statement.
//!
//! The subset of the *ANSI/ISO C Specification Language* (P. Baudin et al., version 1.20) that
//! people write: `requires`, `ensures`, `assigns`, behaviors, `loop invariant`, `loop assigns`,
//! `loop variant`, `assert`. Behaviors are unfolded here: what one ensures becomes an implication.
//!
//! A comment that is not understood is not an error by itself, for other tools write such comments
//! too: the contract keeps what is wrong with it, for whoever wants to use it.

use super::Parser;
use crate::ast::{
    Clause, ClauseKind, Contract, Declarator, Derivation, ExprId, ExprKind, Quantified, Spelling,
    StmtId, StmtKind, Target, TypeName, UnaryOp,
};
use crate::diagnostic::{Diagnostic, Result};
use crate::lexer::Lexed;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{Punct, TokenKind};
use std::ops::Range;

/// How contracts of functions begin.
const FUNCTION: [&str; 12] = [
    "requires",
    "ensures",
    "assigns",
    "behavior",
    "complete",
    "disjoint",
    "terminates",
    "decreases",
    "allocates",
    "frees",
    "exits",
    "admit",
];
/// How assertions begin.
const ASSERTION: [&str; 2] = ["assert", "check"];
/// How other annotations begin that mean something.
const OTHERS: [&str; 12] = [
    "loop",
    "ghost",
    "predicate",
    "logic",
    "axiomatic",
    "axiom",
    "lemma",
    "global",
    "inductive",
    "invariant",
    "returns",
    "for",
];

/// The behaviors of a contract: their names, with what they assume.
#[derive(Default)]
struct Behaviors {
    known: Vec<(Symbol, Option<ExprId>)>,
    /// Whether the clauses belong to the last of them.
    inside: bool,
}

impl Behaviors {
    fn assumed(&self) -> Option<ExprId> {
        self.known.last().filter(|_| self.inside).and_then(|(_, assumed)| *assumed)
    }
}

impl<'a> Parser<'a> {
    /// The annotations before the token at the front.
    pub(super) fn annotations_here(&self) -> Range<usize> {
        let at = self.at as u32;
        let first = self.annotations.partition_point(|a| a.token < at);
        let end = self.annotations.partition_point(|a| a.token <= at);
        first..end
    }

    /// Parses another text in place, with the names that are known here.
    pub(super) fn within<T>(
        &mut self,
        lexed: &'a Lexed,
        parse: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let outer = (self.tokens, self.literals, self.packs, self.at, self.annotations);
        (self.tokens, self.literals, self.packs, self.at, self.annotations) =
            (&lexed.tokens, &lexed.literals, &lexed.packs, 0, &[]);
        let (nesting, tallest, depth) = (self.nesting, self.tallest, self.scopes.len());
        let result = parse(self);
        (self.tokens, self.literals, self.packs, self.at, self.annotations) = outer;
        if result.is_err() {
            (self.nesting, self.tallest) = (nesting, tallest);
            while self.scopes.len() > depth {
                self.pop_scope();
            }
        }
        result
    }

    /// The clauses of an annotation; what is wrong with it is kept.
    fn annotation(
        &mut self,
        index: usize,
        parse: impl FnOnce(&mut Self) -> Result<Vec<Clause>>,
    ) -> Contract {
        self.taken[index] = true;
        let annotation = &self.annotations[index];
        self.acsl = true;
        let clauses = match &annotation.lexed {
            Ok(lexed) => self.within(lexed, parse),
            Err(problem) => Err(problem.clone()),
        };
        self.acsl = false;
        let (clauses, problem) = match clauses {
            Ok(clauses) => (clauses, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        Contract { span: annotation.span, spelling: Spelling::Acsl, clauses, problem }
    }

    /// Several annotations as one.
    fn joined(contract: Option<Contract>, more: Contract) -> Contract {
        let Some(mut contract) = contract else { return more };
        contract.clauses.extend(more.clauses);
        contract.problem = contract.problem.or(more.problem);
        contract
    }

    /// Takes up the contract before the declaration of a function.
    pub(super) fn annotate(
        &mut self,
        declarator: &mut Declarator,
        annotations: Range<usize>,
    ) -> Result<()> {
        if !matches!(declarator.derivations.first(), Some(Derivation::Function(_))) {
            return Ok(());
        }
        let mut contract = None;
        self.push_scope();
        self.declare_parameters(declarator);
        for index in annotations {
            if FUNCTION.contains(&&*self.annotations[index].word) {
                let more = self.annotation(index, Self::function_annotation);
                contract = Some(Self::joined(contract, more));
            }
        }
        self.pop_scope();
        declarator.contract = contract.map(Box::new);
        Ok(())
    }

    /// The contract before the loop whose keyword stands at the front.
    pub(super) fn loop_annotation(&mut self) -> Option<Contract> {
        let annotations = self.annotations_here();
        self.loop_annotation_of(annotations)
    }

    pub(super) fn loop_annotation_of(&mut self, annotations: Range<usize>) -> Option<Contract> {
        let mut contract = None;
        for index in annotations {
            if &*self.annotations[index].word == "loop" {
                let more = self.annotation(index, Self::loop_clauses_of_acsl);
                contract = Some(Self::joined(contract, more));
            }
        }
        contract
    }

    /// The clauses of CBMC after the head of a loop, or the annotation before it.
    pub(super) fn loop_clauses(
        &mut self,
        annotation: Option<Contract>,
    ) -> Result<Option<Contract>> {
        let clauses = self.clauses()?;
        if let (Some(annotation), Some(clauses)) = (&annotation, &clauses) {
            let error = Diagnostic::error(clauses.span, "the loop has two contracts");
            return Err(error.note(annotation.span, "the other one is here"));
        }
        Ok(annotation.or(clauses))
    }

    /// Assertions in comments before the token at the front.
    pub(super) fn assertions_here(&mut self, items: &mut Vec<StmtId>) {
        for index in self.annotations_here() {
            if ASSERTION.contains(&&*self.annotations[index].word) {
                let contract = self.annotation(index, |parser| {
                    let start = parser.span();
                    parser.advance();
                    let formula = parser.formula()?;
                    parser.expect_end()?;
                    let span = parser.span_from(start);
                    Ok(vec![Clause { kind: ClauseKind::Assert(formula), span }])
                });
                let (span, kind) = (contract.span, StmtKind::Annotation(Box::new(contract)));
                items.push(self.unit.stmts.alloc(crate::ast::Stmt { kind, span }));
            }
        }
    }

    /// Tells of annotations of ACSL that stand where nothing takes them up.
    pub(super) fn remark_untaken(&mut self) {
        for (annotation, taken) in self.annotations.iter().zip(&self.taken) {
            let word = &*annotation.word;
            let known = [&FUNCTION[..], &ASSERTION, &OTHERS].iter().any(|l| l.contains(&word));
            if known && !taken {
                let message = format!("annotation '{word}' is not used here");
                self.unit.remarks.push(*Diagnostic::warning(annotation.span, message));
            }
        }
    }

    // Clauses.

    /// The word at the front, also if it is a keyword of C.
    fn word(&self) -> &str {
        match self.peek() {
            TokenKind::Ident(symbol) => self.symbols.name(symbol),
            TokenKind::Keyword(keyword) => keyword.spelling(),
            _ => "",
        }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.advance();
        }
        found
    }

    fn expect_end(&self) -> Result<()> {
        match self.peek() {
            TokenKind::Eof => Ok(()),
            _ => Err(self.expected("the end of the annotation")),
        }
    }

    /// A formula, perhaps with a name before it, up to its semicolon.
    fn formula(&mut self) -> Result<ExprId> {
        let named = matches!(self.peek(), TokenKind::Ident(_))
            && self.peek_at(1) == TokenKind::Punct(Punct::Colon);
        if named {
            self.advance();
            self.advance();
        }
        let formula = self.conditional_expr()?;
        self.expect(Punct::Semi)?;
        Ok(formula)
    }

    fn function_annotation(&mut self) -> Result<Vec<Clause>> {
        let (mut clauses, mut behaviors) = (Vec::new(), Behaviors::default());
        while self.peek() != TokenKind::Eof {
            let start = self.span();
            let word = self.word().to_owned();
            let kind = match word.as_str() {
                "requires" => {
                    self.advance();
                    let formula = self.formula()?;
                    ClauseKind::Requires(self.if_assumed(behaviors.assumed(), formula)?)
                }
                "ensures" => {
                    self.advance();
                    let formula = self.formula()?;
                    let assumed = behaviors.assumed().map(|a| self.old(a)).transpose()?;
                    ClauseKind::Ensures(self.if_assumed(assumed, formula)?)
                }
                "assigns" if behaviors.inside => {
                    return self.error(start, "'assigns' in a behavior is not supported");
                }
                "assigns" => ClauseKind::Assigns(self.acsl_targets()?),
                "frees" => ClauseKind::Frees(self.acsl_targets()?),
                "decreases" => self.variant()?,
                "behavior" => {
                    self.advance();
                    let (name, _) = self.ident()?;
                    self.expect(Punct::Colon)?;
                    behaviors.known.push((name, None));
                    behaviors.inside = true;
                    continue;
                }
                "assumes" if behaviors.inside => {
                    self.advance();
                    let formula = self.formula()?;
                    self.assume(&mut behaviors, formula)?;
                    continue;
                }
                "complete" | "disjoint" => {
                    clauses.extend(self.about_behaviors(&behaviors)?);
                    continue;
                }
                _ => return self.error(start, format!("'{word}' of ACSL is not supported")),
            };
            clauses.push(Clause { kind, span: self.span_from(start) });
        }
        Ok(clauses)
    }

    fn loop_clauses_of_acsl(&mut self) -> Result<Vec<Clause>> {
        let mut clauses = Vec::new();
        while self.peek() != TokenKind::Eof {
            let start = self.span();
            if !self.eat_word("loop") {
                return Err(self.expected("'loop'"));
            }
            let word = self.word().to_owned();
            let kind = match word.as_str() {
                "invariant" => {
                    self.advance();
                    ClauseKind::Invariant(self.formula()?)
                }
                "assigns" => ClauseKind::Assigns(self.acsl_targets()?),
                "variant" => self.variant()?,
                _ => return self.error(start, format!("'loop {word}' of ACSL is not supported")),
            };
            clauses.push(Clause { kind, span: self.span_from(start) });
        }
        Ok(clauses)
    }

    /// `variant e;` or `decreases e;`
    fn variant(&mut self) -> Result<ClauseKind> {
        self.advance();
        self.conditional_expr()?;
        self.expect(Punct::Semi)?;
        Ok(ClauseKind::Decreases)
    }

    /// `assigns a, b;`
    fn acsl_targets(&mut self) -> Result<Vec<Target>> {
        self.advance();
        let mut targets = Vec::new();
        if self.word() == "\\nothing" {
            self.advance();
        } else {
            loop {
                targets.push(Target { condition: None, what: self.conditional_expr()? });
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect(Punct::Semi)?;
        Ok(targets)
    }

    fn assume(&mut self, behaviors: &mut Behaviors, formula: ExprId) -> Result<()> {
        let before = behaviors.assumed();
        let both = match before {
            Some(before) => self.both(before, formula)?,
            None => formula,
        };
        if let Some((_, assumed)) = behaviors.known.last_mut() {
            *assumed = Some(both);
        }
        Ok(())
    }

    /// `complete behaviors a, b;` or `disjoint behaviors;`: what that says of the state before.
    fn about_behaviors(&mut self, behaviors: &Behaviors) -> Result<Vec<Clause>> {
        let start = self.span();
        let complete = self.eat_word("complete");
        if !complete {
            self.advance();
        }
        if !self.eat_word("behaviors") {
            return Err(self.expected("'behaviors'"));
        }
        let mut named = Vec::new();
        while let TokenKind::Ident(_) = self.peek() {
            let (name, span) = self.ident()?;
            let Some(known) = behaviors.known.iter().find(|(n, _)| *n == name) else {
                return self.error(span, "there is no such behavior");
            };
            named.push(known.1);
            self.eat(Punct::Comma);
        }
        self.expect(Punct::Semi)?;
        if named.is_empty() {
            named = behaviors.known.iter().map(|(_, assumed)| *assumed).collect();
        }
        let span = self.span_from(start);
        // A behavior that assumes nothing always applies.
        let assumed: Vec<ExprId> = named.iter().flatten().copied().collect();
        let formulas = match complete {
            true if assumed.len() < named.len() => Vec::new(),
            true => vec![self.some_of(&assumed, span)?],
            false if assumed.len() < named.len() => {
                return self.error(span, "a behavior without 'assumes' is disjoint from no other");
            }
            false => self.no_two_of(&assumed, span)?,
        };
        let mut clauses = Vec::new();
        for formula in formulas {
            let formula = self.old(formula)?;
            clauses.push(Clause { kind: ClauseKind::Ensures(formula), span });
        }
        Ok(clauses)
    }

    fn some_of(&mut self, formulas: &[ExprId], span: Span) -> Result<ExprId> {
        let Some((first, rest)) = formulas.split_first() else {
            return self.error(span, "there are no behaviors");
        };
        let mut some = *first;
        for &formula in rest {
            let kind = ExprKind::Binary(crate::ast::BinaryOp::Or, some, formula);
            some = self.make(span, kind, self.height(some).max(self.height(formula)))?;
        }
        Ok(some)
    }

    fn no_two_of(&mut self, formulas: &[ExprId], span: Span) -> Result<Vec<ExprId>> {
        let mut excluded = Vec::new();
        for (i, &a) in formulas.iter().enumerate() {
            for &b in &formulas[i + 1..] {
                let both = self.both(a, b)?;
                let kind = ExprKind::Unary(UnaryOp::Not, both);
                excluded.push(self.make(span, kind, self.height(both))?);
            }
        }
        Ok(excluded)
    }

    fn both(&mut self, a: ExprId, b: ExprId) -> Result<ExprId> {
        let span = self.unit.exprs[a].span.to(self.unit.exprs[b].span);
        let kind = ExprKind::Binary(crate::ast::BinaryOp::And, a, b);
        self.make(span, kind, self.height(a).max(self.height(b)))
    }

    fn if_assumed(&mut self, assumed: Option<ExprId>, formula: ExprId) -> Result<ExprId> {
        let Some(assumed) = assumed else { return Ok(formula) };
        let span = self.unit.exprs[formula].span;
        let height = self.height(assumed).max(self.height(formula));
        self.make(span, ExprKind::Implies(assumed, formula), height)
    }

    /// `\old(e)`
    fn old(&mut self, expr: ExprId) -> Result<ExprId> {
        let span = self.unit.exprs[expr].span;
        let name = self.symbols.intern("\\old");
        let callee = self.make(span, ExprKind::Ident(name), 0)?;
        self.make(span, ExprKind::Call(callee, vec![expr]), self.height(expr))
    }

    // Formulas.

    /// `\forall integer i, j; formula`, if it stands at the front.
    pub(super) fn acsl_quantifier(&mut self) -> Result<Option<ExprId>> {
        let start = self.span();
        let all = match self.word() {
            "\\forall" => true,
            "\\exists" => false,
            _ => return Ok(None),
        };
        self.enter()?;
        self.advance();
        self.push_scope();
        let mut variables = Vec::new();
        loop {
            let at = self.span();
            let integer = self.eat_word("integer");
            let specs = if integer { None } else { Some(self.specifiers()?) };
            loop {
                let declarator = self.declarator(super::declarator::Form::Named)?;
                let Some(name) = declarator.name else { return Err(self.expected("a variable")) };
                let plain = declarator.derivations.is_empty();
                self.declare_name(name.0, false);
                let ty = specs.clone().map(|specs| TypeName { span: at, specs, declarator });
                if ty.is_none() && !plain {
                    return self.error(name.1, "a quantified integer is a plain variable");
                }
                variables.push((name, ty.map(|ty| self.unit.type_names.alloc(ty))));
                let more = self.at_punct(Punct::Comma) && !self.at_binder_after_comma();
                if !more {
                    break;
                }
                self.advance();
            }
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::Semi)?;
        let (mut body, height) = self.measured(Self::conditional_expr)?;
        self.pop_scope();
        self.leave();
        let span = self.span_from(start);
        for (i, (name, ty)) in variables.into_iter().rev().enumerate() {
            let quantified = Box::new(Quantified { all, name, ty, body });
            body = self.make(span, ExprKind::Quantified(quantified), height + i as u32)?;
        }
        Ok(Some(body))
    }

    fn at_binder_after_comma(&self) -> bool {
        let integer = matches!(self.peek_at(1), TokenKind::Ident(s)
            if self.symbols.name(s) == "integer");
        integer || self.is_type_start(self.peek_at(1))
    }

    pub(super) fn at_range(&self) -> bool {
        self.acsl && self.at_joined(&[Punct::Dot, Punct::Dot])
    }

    /// `a .. b`, if the rest of it stands at the front.
    pub(super) fn range(&mut self, low: ExprId) -> Result<ExprId> {
        if !self.at_range() {
            return Ok(low);
        }
        self.advance();
        self.advance();
        let high = self.conditional_expr()?;
        let span = self.unit.exprs[low].span.to(self.unit.exprs[high].span);
        let height = self.height(low).max(self.height(high));
        self.make(span, ExprKind::Range(low, high), height)
    }

    /// `a < b < c`: both comparisons; `left` is the first, `middle` its right operand.
    pub(super) fn chained(
        &mut self,
        start: Span,
        left: ExprId,
        (operator, middle): (crate::ast::BinaryOp, ExprId),
        right: ExprId,
    ) -> Result<ExprId> {
        let height = self.height(middle).max(self.height(right));
        let second = ExprKind::Binary(operator, middle, right);
        let second = self.make(self.unit.exprs[right].span, second, height)?;
        let height = self.height(left).max(self.height(second));
        let kind = ExprKind::Binary(crate::ast::BinaryOp::And, left, second);
        self.make(self.span_from(start), kind, height)
    }
}
