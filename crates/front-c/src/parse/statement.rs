//! Statements [C11 §6.8], with case ranges, local labels and inline assembly.

use super::Parser;
use crate::ast::{AsmStmt, ExprId, Label, StmtId, StmtKind};
use crate::claim::Spot;
use crate::diagnostic::Result;
use crate::source::Span;
use crate::token::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// A compound statement with a scope of its own.
    pub(super) fn block(&mut self) -> Result<StmtId> {
        let start = self.span();
        self.enter()?;
        self.expect(Punct::LBrace)?;
        self.push_scope();
        let mut items = Vec::new();
        while !self.at_punct(Punct::RBrace) {
            if self.peek() == TokenKind::Eof {
                return Err(self.expected("'}'").note(start, "to match this"));
            }
            self.assertions_here(&mut items);
            let item = self.block_item()?;
            self.invariants_before(item, &items);
            items.push(item);
        }
        self.assertions_here(&mut items);
        self.pop_scope();
        self.expect(Punct::RBrace)?;
        self.leave();
        Ok(self.make_stmt(start, StmtKind::Block(items)))
    }

    fn block_item(&mut self) -> Result<StmtId> {
        let start = self.span();
        if self.at_keyword(Keyword::LabelDecl) {
            self.advance();
            let mut names = vec![self.ident()?];
            while self.eat(Punct::Comma) {
                names.push(self.ident()?);
            }
            self.expect(Punct::Semi)?;
            return Ok(self.make_stmt(start, StmtKind::LabelDecl(names)));
        }
        if self.at_declaration() && !self.at_label_name() {
            let claims = self.claims_at(Spot::Statement, start)?;
            let declaration = self.declaration()?;
            let statement = self.make_stmt(start, StmtKind::Decl(declaration));
            self.claim_before(statement, claims);
            return Ok(statement);
        }
        self.statement()
    }

    fn at_label_name(&self) -> bool {
        matches!(self.peek(), TokenKind::Ident(_))
            && self.peek_at(1) == TokenKind::Punct(Punct::Colon)
    }

    fn at_label(&self) -> bool {
        self.at_label_name()
            || matches!(self.peek(), TokenKind::Keyword(Keyword::Case | Keyword::Default))
    }

    /// A statement.
    pub(super) fn statement(&mut self) -> Result<StmtId> {
        self.enter()?;
        let statement = self.statement_inside()?;
        self.leave();
        Ok(statement)
    }

    fn statement_inside(&mut self) -> Result<StmtId> {
        let start = self.span();
        let claims = self.claims_at(Spot::Statement, start)?;
        let statement = self.plain_statement(start)?;
        self.claim_before(statement, claims);
        Ok(statement)
    }

    fn plain_statement(&mut self, start: Span) -> Result<StmtId> {
        if self.at_label() {
            return self.labeled();
        }
        let kind = match self.peek() {
            TokenKind::Punct(Punct::LBrace) => return self.block(),
            TokenKind::Punct(Punct::Semi) => {
                self.advance();
                StmtKind::Empty
            }
            TokenKind::Keyword(keyword) => match self.keyword_statement(keyword)? {
                Some(kind) => kind,
                None => self.expression_statement()?,
            },
            _ => self.expression_statement()?,
        };
        let head = std::mem::take(&mut self.head);
        let contract = self.loop_contract.take();
        let statement = self.make_stmt(start, kind);
        self.claim_at_head(statement, head);
        if let Some(contract) = contract {
            self.unit.loops.insert(statement, contract);
        }
        Ok(statement)
    }

    fn expression_statement(&mut self) -> Result<StmtKind> {
        let expr = self.expr()?;
        self.expect(Punct::Semi)?;
        Ok(StmtKind::Expr(expr))
    }

    fn keyword_statement(&mut self, keyword: Keyword) -> Result<Option<StmtKind>> {
        use Keyword as K;
        let kind = match keyword {
            K::If => self.if_statement()?,
            K::While => {
                let annotation = self.loop_annotation();
                let (head, branch) = self.loop_claims()?;
                self.advance();
                let condition = self.parenthesized_condition()?;
                self.claim_branch(condition, branch);
                let contract = self.loop_clauses(annotation)?;
                let body = self.scoped_statement()?;
                (self.head, self.loop_contract) = (head, contract);
                StmtKind::While(condition, body)
            }
            K::Do => self.do_statement()?,
            K::For => self.for_statement()?,
            K::Switch => {
                let branch = self.claims_at(Spot::Branch, self.span())?;
                self.advance();
                let condition = self.parenthesized_condition()?;
                self.claim_branch(condition, branch);
                StmtKind::Switch(condition, self.scoped_statement()?)
            }
            K::Goto => self.goto_statement()?,
            K::Continue => self.simple_statement(StmtKind::Continue)?,
            K::Break => self.simple_statement(StmtKind::Break)?,
            K::Return => {
                self.advance();
                let value = if self.at_punct(Punct::Semi) { None } else { Some(self.expr()?) };
                self.expect(Punct::Semi)?;
                StmtKind::Return(value)
            }
            K::Asm => self.asm_statement()?,
            K::Pragma => {
                self.advance();
                self.skip_parentheses()?;
                StmtKind::Empty
            }
            K::Attribute => {
                // `__attribute__((fallthrough));`
                let mut ignored = Vec::new();
                self.attributes(&mut ignored)?;
                self.expect(Punct::Semi)?;
                StmtKind::Empty
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn simple_statement(&mut self, kind: StmtKind) -> Result<StmtKind> {
        self.advance();
        self.expect(Punct::Semi)?;
        Ok(kind)
    }

    fn parenthesized_condition(&mut self) -> Result<ExprId> {
        let opening = self.span();
        self.expect(Punct::LParen)?;
        let condition = self.expr()?;
        self.expect_closing(Punct::RParen, opening)?;
        Ok(condition)
    }

    /// The substatement of a selection or loop, a scope of its own [C11 §6.8.4 ¶3].
    fn scoped_statement(&mut self) -> Result<StmtId> {
        self.push_scope();
        let statement = self.statement()?;
        self.pop_scope();
        Ok(statement)
    }

    /// `if` with its `else if`s, in a loop.
    fn if_statement(&mut self) -> Result<StmtKind> {
        let mut arms = Vec::new();
        loop {
            let branch = self.claims_at(Spot::Branch, self.span())?;
            self.advance();
            let condition = self.parenthesized_condition()?;
            self.claim_branch(condition, branch);
            arms.push((condition, self.scoped_statement()?));
            if !self.eat_keyword(Keyword::Else) {
                return Ok(StmtKind::If(arms, None));
            }
            if !self.at_keyword(Keyword::If) {
                let otherwise = self.scoped_statement()?;
                return Ok(StmtKind::If(arms, Some(otherwise)));
            }
        }
    }

    fn do_statement(&mut self) -> Result<StmtKind> {
        let annotation = self.loop_annotation();
        let (head, branch) = self.loop_claims()?;
        self.advance();
        let body = self.scoped_statement()?;
        if !self.eat_keyword(Keyword::While) {
            return Err(self.expected("'while' after the body of 'do'"));
        }
        let condition = self.parenthesized_condition()?;
        self.claim_branch(condition, branch);
        let contract = self.loop_clauses(annotation)?;
        self.expect(Punct::Semi)?;
        (self.head, self.loop_contract) = (head, contract);
        Ok(StmtKind::DoWhile(body, condition))
    }

    fn for_statement(&mut self) -> Result<StmtKind> {
        let keyword = self.span();
        let annotations = self.annotations_here();
        self.advance();
        let opening = self.span();
        self.expect(Punct::LParen)?;
        self.push_scope();
        let start = self.span();
        let init = if self.eat(Punct::Semi) {
            None
        } else if self.at_declaration() {
            let declaration = self.declaration()?;
            Some(self.make_stmt(start, StmtKind::Decl(declaration)))
        } else {
            let kind = self.expression_statement()?;
            Some(self.make_stmt(start, kind))
        };
        // What is claimed of the loop may name the variables that its head declares.
        let (head, branch) = self.loop_claims_at(keyword)?;
        let condition = if self.at_punct(Punct::Semi) { None } else { Some(self.expr()?) };
        if let Some(condition) = condition {
            self.claim_branch(condition, branch);
        }
        self.expect(Punct::Semi)?;
        let step = if self.at_punct(Punct::RParen) { None } else { Some(self.expr()?) };
        self.expect_closing(Punct::RParen, opening)?;
        let annotation = self.loop_annotation_of(annotations);
        let contract = self.loop_clauses(annotation)?;
        let body = self.scoped_statement()?;
        self.pop_scope();
        (self.head, self.loop_contract) = (head, contract);
        Ok(StmtKind::For(init, condition, step, body))
    }

    fn goto_statement(&mut self) -> Result<StmtKind> {
        self.advance();
        let kind = if self.eat(Punct::Star) {
            StmtKind::ComputedGoto(self.expr()?)
        } else {
            let (label, span) = self.ident()?;
            StmtKind::Goto(label, span)
        };
        self.expect(Punct::Semi)?;
        Ok(kind)
    }

    /// A run of labels and the statement they mark.
    fn labeled(&mut self) -> Result<StmtId> {
        let start = self.span();
        let mut labels = Vec::new();
        while self.at_label() {
            labels.push(self.label()?);
        }
        let labels_span = self.span_from(start);
        // Before a closing brace or a declaration a label marks an empty statement (as C23).
        let at_end = self.at_punct(Punct::RBrace)
            || (self.at_declaration() && !self.at_keyword(Keyword::Extension));
        let body = if at_end {
            self.make_stmt(labels_span, StmtKind::Empty)
        } else {
            self.statement_inside()?
        };
        Ok(self.make_stmt(start, StmtKind::Labeled(labels, body)))
    }

    fn label(&mut self) -> Result<Label> {
        let start = self.span();
        let label = match self.peek() {
            TokenKind::Keyword(Keyword::Case) => {
                self.advance();
                let low = self.conditional_expr()?;
                let high =
                    if self.eat(Punct::Ellipsis) { Some(self.conditional_expr()?) } else { None };
                Label::Case(low, high, self.span_from(start))
            }
            TokenKind::Keyword(Keyword::Default) => {
                self.advance();
                Label::Default(start)
            }
            _ => {
                let (name, span) = self.ident()?;
                Label::Name(name, span)
            }
        };
        self.expect(Punct::Colon)?;
        if self.at_keyword(Keyword::Attribute) && matches!(label, Label::Name(..)) {
            let mut ignored = Vec::new();
            self.attributes(&mut ignored)?;
        }
        Ok(label)
    }

    /// `asm volatile goto ("…" : outputs : inputs : clobbers : labels);`
    fn asm_statement(&mut self) -> Result<StmtKind> {
        let mut asm = AsmStmt::default();
        self.advance();
        loop {
            match self.peek() {
                TokenKind::Keyword(Keyword::Volatile) => asm.volatile = true,
                TokenKind::Keyword(Keyword::Inline | Keyword::Goto | Keyword::Const) => {}
                _ => break,
            }
            self.advance();
        }
        let opening = self.span();
        self.expect(Punct::LParen)?;
        asm.template = self.string()?.units;
        if self.eat(Punct::Colon) {
            asm.outputs = self.asm_operands()?;
        }
        if self.eat(Punct::Colon) {
            asm.inputs = self.asm_operands()?;
        }
        if self.eat(Punct::Colon) {
            while let TokenKind::Str(_) = self.peek() {
                let clobber = self.asm_string()?;
                asm.clobbers.push(clobber);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        if self.eat(Punct::Colon) {
            while let TokenKind::Ident(_) = self.peek() {
                asm.labels.push(self.ident()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect_closing(Punct::RParen, opening)?;
        self.expect(Punct::Semi)?;
        Ok(StmtKind::Asm(Box::new(asm)))
    }

    fn asm_string(&mut self) -> Result<String> {
        let units = self.string()?.units;
        Ok(units.into_iter().filter_map(char::from_u32).collect())
    }

    fn asm_operands(&mut self) -> Result<Vec<(String, ExprId)>> {
        let mut operands = Vec::new();
        while !matches!(self.peek(), TokenKind::Punct(Punct::Colon | Punct::RParen)) {
            if self.eat(Punct::LBracket) {
                self.ident()?;
                self.expect(Punct::RBracket)?;
            }
            let constraint = self.asm_string()?;
            let operand = self.parenthesized_condition()?;
            operands.push((constraint, operand));
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        Ok(operands)
    }
}
