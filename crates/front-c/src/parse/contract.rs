//! Contracts as CBMC writes them: clauses between the head and the body of a function or loop.
//!
//! `int f(int *p) __CPROVER_requires(p != 0) __CPROVER_assigns(*p) { … }`. What a clause contains is
//! an expression of C with three additions: `a ==> b`, `a <==> b`, and quantifiers with their own
//! braces, `__CPROVER_forall { int i; body }`.
//!
//! Beside them, invariants as ESBMC writes them: `__ESBMC_loop_invariant(e);` before the loop.

use super::Parser;
use super::declarator::Form;
use crate::ast::{
    Clause, ClauseKind, Contract, DeclarationKind, Declarator, ExprId, ExprKind, Quantified,
    Spelling, StmtId, StmtKind, Target, TypeName,
};
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{Punct, TokenKind};

/// How clauses begin.
const CLAUSES: [&str; 6] = [
    "__CPROVER_requires",
    "__CPROVER_ensures",
    "__CPROVER_assigns",
    "__CPROVER_frees",
    "__CPROVER_loop_invariant",
    "__CPROVER_decreases",
];

impl Parser<'_> {
    /// The name at the front, if what follows it is the punctuation.
    pub(super) fn name_before(&self, punct: Punct) -> Option<&str> {
        match (self.peek(), self.peek_at(1)) {
            (TokenKind::Ident(symbol), TokenKind::Punct(next)) if next == punct => {
                Some(self.symbols.name(symbol))
            }
            _ => None,
        }
    }

    /// The contract after the declarator of a function, if there is one.
    pub(super) fn function_contract(&mut self, declarator: &mut Declarator) -> Result<()> {
        if self.name_before(Punct::LParen).and_then(clause_number).is_none() {
            return Ok(());
        }
        self.push_scope();
        self.declare_parameters(declarator);
        let clauses = self.clauses()?;
        self.pop_scope();
        match (&mut declarator.contract, clauses) {
            (Some(known), Some(more)) => known.clauses.extend(more.clauses),
            (contract @ None, clauses) => *contract = clauses.map(Box::new),
            _ => {}
        }
        Ok(())
    }

    /// Clauses at the front.
    pub(super) fn clauses(&mut self) -> Result<Option<Contract>> {
        let start = self.span();
        let mut clauses = Vec::new();
        while let Some(index) = self.name_before(Punct::LParen).and_then(clause_number) {
            clauses.push(self.clause(CLAUSES[index])?);
        }
        if clauses.is_empty() {
            return Ok(None);
        }
        let span = self.span_from(start);
        Ok(Some(Contract { span, spelling: Spelling::Cbmc, clauses, problem: None }))
    }

    fn clause(&mut self, name: &str) -> Result<Clause> {
        let start = self.span();
        self.enter()?;
        self.advance();
        let opening = self.span();
        self.expect(Punct::LParen)?;
        let kind = match name {
            "__CPROVER_requires" => ClauseKind::Requires(self.expr()?),
            "__CPROVER_ensures" => ClauseKind::Ensures(self.expr()?),
            "__CPROVER_assigns" => ClauseKind::Assigns(self.targets()?),
            "__CPROVER_frees" => ClauseKind::Frees(self.targets()?),
            "__CPROVER_loop_invariant" => ClauseKind::Invariant(self.expr()?),
            _ => {
                self.expr()?;
                ClauseKind::Decreases
            }
        };
        self.expect_closing(Punct::RParen, opening)?;
        self.leave();
        Ok(Clause { kind, span: self.span_from(start) })
    }

    /// `a, b; condition: c, d`
    fn targets(&mut self) -> Result<Vec<Target>> {
        let mut targets = Vec::new();
        while !self.at_punct(Punct::RParen) {
            let mut what = self.conditional_expr()?;
            let condition = if self.eat(Punct::Colon) {
                Some(std::mem::replace(&mut what, self.conditional_expr()?))
            } else {
                None
            };
            targets.push(Target { condition, what });
            while self.eat(Punct::Comma) {
                targets.push(Target { condition, what: self.conditional_expr()? });
            }
            if !self.eat(Punct::Semi) {
                break;
            }
        }
        Ok(targets)
    }

    // Formulas.

    /// Whether the tokens of `==>` stand at the front, which begins like `==`.
    pub(super) fn at_implies(&self) -> bool {
        self.at_joined(&[Punct::EqEq, Punct::Gt])
    }

    /// Whether the tokens of `<==>` stand at the front.
    pub(super) fn at_equivalent(&self) -> bool {
        self.at_joined(&[Punct::Le, Punct::Assign, Punct::Gt])
    }

    /// Whether these tokens stand at the front without space between them.
    pub(super) fn at_joined(&self, puncts: &[Punct]) -> bool {
        let fits = |(i, punct): (usize, &Punct)| {
            let joined = i == 0 || {
                let at = (self.at + i).min(self.tokens.len() - 1);
                self.tokens[at].span.start == self.tokens[at - 1].span.end
            };
            joined && self.peek_at(i) == TokenKind::Punct(*punct)
        };
        puncts.iter().enumerate().all(fits)
    }

    fn skip_joined(&mut self, count: usize) {
        for _ in 0..count {
            self.advance();
        }
    }

    /// The rest of `a ==> b` or `a <==> b`; the former binds tighter, and to the right.
    pub(super) fn implication(&mut self, start: Span, left: ExprId) -> Result<ExprId> {
        let mut left = left;
        if self.at_implies() {
            self.skip_joined(2);
            self.enter()?;
            let right = self.implied_expr()?;
            self.leave();
            let height = self.height(left).max(self.height(right));
            left = self.make(self.span_from(start), ExprKind::Implies(left, right), height)?;
        }
        while self.at_equivalent() {
            self.skip_joined(3);
            self.enter()?;
            let right = self.implied_expr()?;
            self.leave();
            let height = self.height(left).max(self.height(right));
            left = self.make(self.span_from(start), ExprKind::Equivalent(left, right), height)?;
        }
        Ok(left)
    }

    /// An expression that may be an implication, but no equivalence.
    fn implied_expr(&mut self) -> Result<ExprId> {
        let start = self.span();
        let left = self.binary_expr(1)?;
        if !self.at_implies() {
            return Ok(left);
        }
        self.skip_joined(2);
        self.enter()?;
        let right = self.implied_expr()?;
        self.leave();
        let height = self.height(left).max(self.height(right));
        self.make(self.span_from(start), ExprKind::Implies(left, right), height)
    }

    /// `__CPROVER_forall { int i; body }`, if it stands at the front.
    pub(super) fn quantifier(&mut self) -> Result<Option<ExprId>> {
        if self.acsl {
            return self.acsl_quantifier();
        }
        let all = match self.name_before(Punct::LBrace) {
            Some("__CPROVER_forall") => true,
            Some("__CPROVER_exists") => false,
            _ => return Ok(None),
        };
        let start = self.span();
        self.enter()?;
        self.advance();
        let opening = self.span();
        self.expect(Punct::LBrace)?;
        self.push_scope();
        let specs = self.specifiers()?;
        let declarator = self.declarator(Form::Named)?;
        let Some(name) = declarator.name else { return Err(self.expected("a variable")) };
        self.declare_name(name.0, false);
        let span = self.span_from(opening);
        let ty = Some(self.unit.type_names.alloc(TypeName { span, specs, declarator }));
        self.expect(Punct::Semi)?;
        let (body, height) = self.measured(Self::expr)?;
        self.eat(Punct::Semi);
        self.pop_scope();
        self.expect_closing(Punct::RBrace, opening)?;
        self.leave();
        let kind = ExprKind::Quantified(Box::new(Quantified { all, name, ty, body }));
        self.make(self.span_from(start), kind, height).map(Some)
    }

    // Loop invariants as ESBMC writes them.

    /// Gives a loop the invariants that calls directly before it state, which are no calls then.
    pub(super) fn invariants_before(&mut self, item: StmtId, before: &[StmtId]) {
        let mut statement = item;
        while let StmtKind::Labeled(_, body) = self.unit.stmts[statement].kind {
            statement = body;
        }
        let kind = &self.unit.stmts[statement].kind;
        if !matches!(kind, StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For(..)) {
            return;
        }
        let mut clauses = Vec::new();
        for &call in before.iter().rev() {
            let Some(formula) = self.stated_invariant(call) else { break };
            let span = self.unit.stmts[call].span;
            clauses.push(Clause { kind: ClauseKind::Invariant(formula), span });
            self.unit.stmts[call].kind = StmtKind::Empty;
        }
        clauses.reverse();
        let Some(Clause { span, .. }) = clauses.first().cloned() else { return };
        let new = Contract { span, spelling: Spelling::Cbmc, clauses: Vec::new(), problem: None };
        let contract = self.unit.loops.entry(statement).or_insert(new);
        if contract.spelling != Spelling::Cbmc {
            let error = Diagnostic::error(span, "the loop has two contracts");
            contract.problem = Some(error.note(contract.span, "the other one is here"));
        }
        contract.clauses.extend(clauses);
        if let Some(problem) = self.declared_anew(statement) {
            let contract = self.unit.loops.get_mut(&statement);
            contract.into_iter().for_each(|contract| contract.problem = Some(problem.clone()));
        }
    }

    /// A loop's own variable is another one than that of the same name which an invariant before the loop
    /// means.
    fn declared_anew(&self, statement: StmtId) -> Option<Box<Diagnostic>> {
        let StmtKind::For(Some(first), ..) = self.unit.stmts[statement].kind else { return None };
        let StmtKind::Decl(declaration) = self.unit.stmts[first].kind else { return None };
        let DeclarationKind::Plain(_, declared) = &self.unit.decls[declaration].kind else {
            return None;
        };
        let own: Vec<Symbol> =
            declared.iter().filter_map(|one| one.declarator.name.map(|(name, _)| name)).collect();
        for clause in &self.unit.loops.get(&statement)?.clauses {
            let ClauseKind::Invariant(formula) = clause.kind else { continue };
            let within = self.unit.exprs[formula].span;
            for expression in self.unit.exprs.values() {
                let ExprKind::Ident(name) = expression.kind else { continue };
                let span = expression.span;
                if own.contains(&name) && within.start <= span.start && span.end <= within.end {
                    let name = self.symbols.name(name);
                    let message = format!("the loop declares '{name}' anew, after this invariant");
                    return Some(Diagnostic::error(span, message));
                }
            }
        }
        None
    }

    /// The formula that a call states to be an invariant.
    fn stated_invariant(&self, statement: StmtId) -> Option<ExprId> {
        let StmtKind::Expr(call) = self.unit.stmts[statement].kind else { return None };
        let ExprKind::Call(callee, arguments) = &self.unit.exprs[call].kind else { return None };
        let ExprKind::Ident(name) = self.unit.exprs[*callee].kind else { return None };
        match arguments.as_slice() {
            [formula] if self.symbols.name(name) == "__ESBMC_loop_invariant" => Some(*formula),
            _ => None,
        }
    }
}

fn clause_number(name: &str) -> Option<usize> {
    CLAUSES.iter().position(|clause| *clause == name)
}
