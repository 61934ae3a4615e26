//! Statements [IEC 61131-3 §7.3.3].

use super::parser::Parser;
use crate::ast::{
    Argument, AssignOp, Block, CaseArm, CaseLabel, Claim, Expr, ExprKind, Spelling, Stmt, StmtKind,
};
use crate::lex::token::{Keyword, Punct, TokenKind};
use source::diagnostic::Result;
use source::{Diagnostic, Span};

impl Parser<'_> {
    /// Statements up to a word that ends or divides a block. Errors are reported, and reading goes
    /// on with the next statement.
    pub(crate) fn block(&mut self) -> Block {
        let mut block = Block::new();
        while !self.block_ends() && !self.enough() {
            let before = self.at;
            if let Err(error) = self.statement(&mut block) {
                self.report(error);
                self.skip_statement();
                if self.at == before {
                    self.advance();
                }
            }
        }
        block
    }

    /// A block one level further down.
    fn inner(&mut self, in_case: bool) -> Result<Block> {
        self.enter()?;
        let outer = std::mem::replace(&mut self.in_case, in_case);
        let block = self.block();
        self.in_case = outer;
        self.leave();
        Ok(block)
    }

    fn block_ends(&self) -> bool {
        match self.peek() {
            TokenKind::End | TokenKind::ClaimEnd => true,
            TokenKind::Word(_, Some(keyword)) => {
                ends_block(keyword)
                    || self.region_end()
                    || self.member_starts()
                    || (keyword == Keyword::Until && !self.assigned())
                    || (self.in_case && self.arm_starts())
            }
            _ => self.in_case && self.arm_starts(),
        }
    }

    /// Whether the word here is assigned, called or taken apart: then it is a name.
    fn assigned(&self) -> bool {
        matches!(
            self.ahead(1).kind,
            TokenKind::Punct(
                Punct::Assign
                    | Punct::AssignAttempt
                    | Punct::PlusAssign
                    | Punct::MinusAssign
                    | Punct::StarAssign
                    | Punct::SlashAssign
                    | Punct::Dot
                    | Punct::LBracket
                    | Punct::Caret
            )
        )
    }

    fn region_end(&self) -> bool {
        self.at_keyword(Keyword::EndRegion) && !self.assigned()
    }

    /// Whether the labels of an arm of CASE stand here: constants, then a colon.
    fn arm_starts(&self) -> bool {
        let mut ahead = 0;
        loop {
            match self.ahead(ahead).kind {
                TokenKind::Punct(Punct::Colon) => return ahead > 0,
                TokenKind::Literal(_) | TokenKind::Marked(..) => {}
                TokenKind::Word(_, keyword) => {
                    let constant = |k: Keyword| {
                        !k.reserved() || matches!(k, Keyword::True | Keyword::False | Keyword::Not)
                    };
                    if !keyword.is_none_or(constant) {
                        return false;
                    }
                }
                TokenKind::Punct(
                    Punct::Comma
                    | Punct::Dot
                    | Punct::DotDot
                    | Punct::Hash
                    | Punct::Plus
                    | Punct::Minus
                    | Punct::Star
                    | Punct::LParen
                    | Punct::RParen,
                ) => {}
                _ => return false,
            }
            ahead += 1;
        }
    }

    /// After an error: up to the next statement.
    fn skip_statement(&mut self) {
        loop {
            match self.peek() {
                TokenKind::Punct(Punct::Semi) => {
                    self.advance();
                    return;
                }
                TokenKind::ClaimEnd => {
                    self.advance();
                    return;
                }
                TokenKind::End => return,
                TokenKind::Word(_, Some(keyword))
                    if ends_block(keyword)
                        || (self.token().first
                            && (begins_statement(keyword) || self.member_starts())) =>
                {
                    return;
                }
                _ => self.advance(),
            }
        }
    }

    /// The `;` after a statement that no word ends.
    fn semicolon(&mut self) -> Result<()> {
        if self.eat(Punct::Semi) {
            return Ok(());
        }
        let after = Span::new(self.last.end, self.last.end);
        // What comes next can't belong to this statement, so there is no doubt where it ends.
        if self.block_ends() {
            self.warn(after, "';' is missing here", "write ';' after each statement");
            return Ok(());
        }
        let error = format!("expected ';', found {}", self.found());
        let error = Diagnostic::error(after, error).help("write ';' after each statement");
        if self.token().first {
            self.report(error);
            return Ok(());
        }
        Err(error)
    }

    fn statement(&mut self, block: &mut Block) -> Result<()> {
        let start = self.span();
        let kind = match self.peek() {
            TokenKind::Punct(Punct::Semi) => {
                self.advance();
                StmtKind::Empty
            }
            TokenKind::Pragma(_) => match self.pragma() {
                Some(pragma) => StmtKind::Pragma(pragma),
                None => return Err(self.expected("a pragma")),
            },
            TokenKind::Region(title) => {
                self.advance();
                let title = self.lexed.text(title).clone();
                let body = self.inner(self.in_case)?;
                self.close(Keyword::EndRegion, start);
                self.eat(Punct::Semi);
                StmtKind::Region(title, body)
            }
            TokenKind::Claim(claim) => self.claim(claim)?,
            TokenKind::Word(_, Some(keyword)) => match self.keyword_statement(keyword)? {
                Some(kind) => kind,
                None => return self.simple(block),
            },
            _ => return self.simple(block),
        };
        block.push(Stmt { kind, span: self.since(start) });
        Ok(())
    }

    /// A statement that begins with a word of its own.
    fn keyword_statement(&mut self, keyword: Keyword) -> Result<Option<StmtKind>> {
        let start = self.span();
        let named = self.assigned() || self.punct_ahead(1, Punct::LParen);
        let kind = match keyword {
            Keyword::If => self.if_statement(start)?,
            Keyword::Case => self.case_statement(start)?,
            Keyword::For => self.for_statement(start)?,
            Keyword::While => {
                self.advance();
                let condition = self.condition()?;
                self.expect_keyword(Keyword::Do)?;
                let body = self.inner(false)?;
                self.close(Keyword::EndWhile, start);
                StmtKind::While(condition, body)
            }
            Keyword::Repeat => {
                self.advance();
                let body = self.inner(false)?;
                self.close(Keyword::Until, start);
                let condition = self.condition()?;
                self.eat(Punct::Semi);
                self.close(Keyword::EndRepeat, start);
                StmtKind::Repeat(body, condition)
            }
            Keyword::Return => {
                self.advance();
                StmtKind::Return
            }
            Keyword::Exit if !named => {
                self.advance();
                StmtKind::Exit
            }
            Keyword::Continue if !named => {
                self.advance();
                StmtKind::Continue
            }
            Keyword::Jmp | Keyword::Goto if self.name_ahead(1) => {
                self.advance();
                StmtKind::Jump(self.name("a label")?)
            }
            _ => return Ok(None),
        };
        self.eat(Punct::Semi);
        Ok(Some(kind))
    }

    fn condition(&mut self) -> Result<Expr> {
        let condition = self.expression()?;
        if self.at_punct(Punct::Assign) {
            let error = Diagnostic::error(self.span(), "':=' assigns, which a condition can't");
            return Err(error.help("write = to compare"));
        }
        Ok(condition)
    }

    fn if_statement(&mut self, start: Span) -> Result<StmtKind> {
        let mut branches = Vec::new();
        self.advance();
        loop {
            let condition = match self.condition() {
                Ok(condition) => Some(condition),
                // The branches are worth reading, whatever the condition is.
                Err(error) => {
                    self.report(error);
                    while !self.at_keyword(Keyword::Then) && !self.block_ends() {
                        self.advance();
                    }
                    None
                }
            };
            if !self.eat_keyword(Keyword::Then) && condition.is_some() {
                let error = self.expected("THEN").note(start, "for this IF");
                self.report(error);
            }
            let body = self.inner(false)?;
            branches.extend(condition.map(|condition| (condition, body)));
            if self.at_keyword(Keyword::ElseIf) {
                self.warn(self.span(), "ELSEIF is read as ELSIF", "write ELSIF");
            } else if !self.at_keyword(Keyword::Elsif) {
                break;
            }
            self.advance();
        }
        let otherwise =
            if self.eat_keyword(Keyword::Else) { Some(self.inner(false)?) } else { None };
        self.close(Keyword::EndIf, start);
        Ok(StmtKind::If(branches, otherwise))
    }

    fn case_statement(&mut self, start: Span) -> Result<StmtKind> {
        self.advance();
        let selector = self.expression()?;
        self.expect_keyword(Keyword::Of)?;
        let mut arms = Vec::new();
        self.eat(Punct::Semi);
        while self.arm_starts() && !self.enough() {
            let from = self.span();
            let mut labels = Vec::new();
            loop {
                let low = self.expression()?;
                labels.push(if self.eat(Punct::DotDot) {
                    CaseLabel::Range(low, self.expression()?)
                } else {
                    CaseLabel::Value(low)
                });
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.expect(Punct::Colon)?;
            let body = self.inner(true)?;
            arms.push(CaseArm { labels, body, span: self.since(from) });
        }
        let otherwise = if self.eat_keyword(Keyword::Else) {
            self.eat(Punct::Colon);
            Some(self.inner(false)?)
        } else {
            None
        };
        if !self.block_ends() {
            return Err(self.expected("a label of CASE, like '1:'").note(start, "in this CASE"));
        }
        self.close(Keyword::EndCase, start);
        Ok(StmtKind::Case(selector, arms, otherwise))
    }

    fn for_statement(&mut self, start: Span) -> Result<StmtKind> {
        self.advance();
        let variable = self.postfix()?;
        self.expect(Punct::Assign)?;
        let from = self.expression()?;
        self.expect_keyword(Keyword::To)?;
        let to = self.expression()?;
        let by = if self.eat_keyword(Keyword::By) { Some(self.expression()?) } else { None };
        self.expect_keyword(Keyword::Do)?;
        let body = self.inner(false)?;
        self.close(Keyword::EndFor, start);
        Ok(StmtKind::For { variable, from, to, by, body })
    }

    /// The claim of a comment.
    fn claim(&mut self, claim: Claim) -> Result<StmtKind> {
        self.advance();
        let help = format!("comments that begin with '#{}' make a claim", claim.word());
        let said = self.expression().map_err(|error| error.help(help.clone()))?;
        self.eat(Punct::Semi);
        if self.peek() != TokenKind::ClaimEnd {
            return Err(self.expected("the end of the claim").help(help));
        }
        self.advance();
        Ok(StmtKind::Claim(claim, said))
    }

    /// A label, an assignment, or a call.
    fn simple(&mut self, block: &mut Block) -> Result<()> {
        let start = self.span();
        if self.name_ahead(0) && self.punct_ahead(1, Punct::Colon) {
            let label = self.name("a label")?;
            self.advance();
            block.push(Stmt { kind: StmtKind::Label(label), span: self.since(start) });
            return Ok(());
        }
        if let Some((claim, said)) = self.claimed()? {
            self.semicolon()?;
            block.push(Stmt { kind: StmtKind::Claim(claim, said), span: self.since(start) });
            return Ok(());
        }
        let target = match self.peek() {
            TokenKind::Word(index, None) if self.lexed.key(index) == "__try" => {
                let message = "what follows an exception (__TRY) is not known";
                return Err(Diagnostic::error(start, message)
                    .help("check before it happens: the divisor, the index, the pointer"));
            }
            TokenKind::Word(_, Some(k)) if k.reserved() && !literal_or_operator(k) => {
                return Err(self.expected("a statement"));
            }
            TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::Assign | Punct::Eq) => {
                return Err(self.expected("a statement"));
            }
            _ => self.expression()?,
        };
        let Some(op) = self.assign_op() else {
            self.semicolon()?;
            block.push(Stmt { span: self.since(start), kind: StmtKind::Expr(target) });
            return Ok(());
        };
        assignable(&target)?;
        let mut targets = vec![target];
        let mut value = self.expression()?;
        // `a := b := c` of CODESYS: from the right.
        while op == AssignOp::Value && self.eat(Punct::Assign) {
            self.grow(self.height + targets.len() as u32, self.last)?;
            assignable(&value)?;
            targets.push(std::mem::replace(&mut value, self.expression()?));
        }
        self.semicolon()?;
        let span = self.since(start);
        while let Some(target) = targets.pop() {
            let next = if targets.is_empty() { None } else { Some(target.clone()) };
            block.push(Stmt { kind: StmtKind::Assign(target, op, value), span });
            let Some(next) = next else { break };
            value = next;
        }
        Ok(())
    }

    /// `assert(e)` and its kin, unless the program declares the name.
    fn claimed(&mut self) -> Result<Option<(Claim, Expr)>> {
        let TokenKind::Word(index, None) = self.peek() else { return Ok(None) };
        let claim = match self.lexed.key(index) {
            "assert" | "__assert" | "__verifier_assert" => Claim::Assert,
            "assume" | "__assume" | "__verifier_assume" => Claim::Assume,
            "havoc" | "__havoc" | "__verifier_havoc" => Claim::Havoc,
            _ => return Ok(None),
        };
        let name = self.lexed.name(index, Spelling::Plain, self.span());
        let called = self.punct_ahead(1, Punct::LParen);
        if self.declared.contains(&*name.key) || self.assigned() || !(called || self.word_ahead(1))
        {
            return Ok(None);
        }
        let from = (self.at, self.last);
        self.advance();
        if !called {
            return Ok(Some((claim, self.expression()?)));
        }
        let mut arguments = self.arguments()?;
        match (arguments.pop(), arguments.is_empty()) {
            (Some(Argument::Positional(said)), true) if self.at_punct(Punct::Semi) => {
                Ok(Some((claim, said)))
            }
            _ => {
                // `assert(a) OR b` and calls with more arguments are read anew.
                (self.at, self.last) = from;
                Ok(None)
            }
        }
    }

    fn assign_op(&mut self) -> Option<AssignOp> {
        let (op, width) = match self.peek() {
            TokenKind::Punct(Punct::Assign) => (AssignOp::Value, 1),
            TokenKind::Punct(Punct::AssignAttempt) => (AssignOp::Attempt, 1),
            TokenKind::Punct(Punct::PlusAssign) => (AssignOp::Add, 1),
            TokenKind::Punct(Punct::MinusAssign) => (AssignOp::Sub, 1),
            TokenKind::Punct(Punct::StarAssign) => (AssignOp::Mul, 1),
            TokenKind::Punct(Punct::SlashAssign) => (AssignOp::Div, 1),
            TokenKind::Word(index, _)
                if self.punct_ahead(1, Punct::Eq) && self.ahead(1).adjacent =>
            {
                match self.lexed.key(index) {
                    "s" => (AssignOp::Set, 2),
                    "r" => (AssignOp::Reset, 2),
                    "ref" => (AssignOp::Reference, 2),
                    _ => return None,
                }
            }
            _ => return None,
        };
        (0..width).for_each(|_| self.advance());
        Some(op)
    }
}

/// What computes a value can't take one.
fn assignable(target: &Expr) -> Result<()> {
    let message = "the left side of an assignment is a variable";
    match target.kind {
        ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Literal(_) => {
            Err(Diagnostic::error(target.span, message).label("this is a value"))
        }
        _ => Ok(()),
    }
}

fn literal_or_operator(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Not
            | Keyword::True
            | Keyword::False
            | Keyword::And
            | Keyword::Or
            | Keyword::Xor
            | Keyword::Mod
    )
}

/// Words after which no statement of the block follows.
fn ends_block(keyword: Keyword) -> bool {
    keyword.reserved()
        && (keyword.spelling().starts_with("end_")
            || keyword.spelling().starts_with("var")
            || matches!(
                keyword,
                Keyword::Else
                    | Keyword::Elsif
                    | Keyword::ElseIf
                    | Keyword::Program
                    | Keyword::Function
                    | Keyword::FunctionBlock
            ))
}

fn begins_statement(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::If
            | Keyword::Case
            | Keyword::For
            | Keyword::While
            | Keyword::Repeat
            | Keyword::Return
            | Keyword::Exit
            | Keyword::Continue
    )
}
