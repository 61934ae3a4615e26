//! Initializers with designators [C11 §6.7.9], GNU ranges and old-style designators.

use super::Parser;
use crate::ast::{Designator, InitId, Initializer, InitializerItem, InitializerKind};
use crate::diagnostic::Result;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// An expression or a list in braces.
    pub(super) fn initializer(&mut self) -> Result<InitId> {
        let start = self.span();
        let kind = if self.at_punct(Punct::LBrace) {
            InitializerKind::List(self.initializer_list()?)
        } else {
            InitializerKind::Expr(self.assignment_expr()?)
        };
        Ok(self.unit.inits.alloc(Initializer { span: self.span_from(start), kind }))
    }

    fn initializer_list(&mut self) -> Result<Vec<InitializerItem>> {
        let opening = self.span();
        self.enter()?;
        self.expect(Punct::LBrace)?;
        let mut items = Vec::new();
        while !self.at_punct(Punct::RBrace) {
            let designators = self.designators()?;
            let value = self.initializer()?;
            items.push(InitializerItem { designators, value });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_closing(Punct::RBrace, opening)?;
        self.leave();
        Ok(items)
    }

    fn designators(&mut self) -> Result<Vec<Designator>> {
        if let TokenKind::Ident(symbol) = self.peek()
            && self.peek_at(1) == TokenKind::Punct(Punct::Colon)
        {
            let span = self.span();
            self.advance();
            self.advance();
            return Ok(vec![Designator::Field(symbol, span)]);
        }
        let mut designators = Vec::new();
        loop {
            if self.eat(Punct::Dot) {
                let (symbol, span) = self.ident()?;
                designators.push(Designator::Field(symbol, span));
            } else if self.at_punct(Punct::LBracket) {
                let opening = self.span();
                self.advance();
                let first = self.conditional_expr()?;
                let designator = if self.eat(Punct::Ellipsis) {
                    Designator::Range(first, self.conditional_expr()?)
                } else {
                    Designator::Index(first)
                };
                self.expect_closing(Punct::RBracket, opening)?;
                designators.push(designator);
            } else {
                break;
            }
        }
        if !designators.is_empty() && !self.eat(Punct::Assign) {
            // Old GNU syntax: `[3] 5`.
            let bracketed = matches!(designators.as_slice(), [Designator::Index(_)]);
            if !bracketed {
                return Err(self.expected("'='"));
            }
        }
        Ok(designators)
    }
}
