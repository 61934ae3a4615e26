//! GNU attributes, `_Alignas`, and `asm` labels.

use super::{Parser, plain_name};
use crate::ast::{Attribute, AttributeKind};
use crate::diagnostic::Result;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// Any number of `__attribute__((…))`, also with `asm("name")` between them.
    pub(super) fn attributes(&mut self, out: &mut Vec<Attribute>) -> Result<()> {
        while self.at_keyword(Keyword::Attribute) {
            self.advance();
            let opening = self.span();
            self.expect(Punct::LParen)?;
            self.expect(Punct::LParen)?;
            while !self.at_punct(Punct::RParen) {
                self.attribute(out)?;
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.expect_closing(Punct::RParen, opening)?;
            self.expect_closing(Punct::RParen, opening)?;
        }
        Ok(())
    }

    fn attribute(&mut self, out: &mut Vec<Attribute>) -> Result<()> {
        let span = self.span();
        let name = match self.peek() {
            TokenKind::Ident(symbol) => self.symbols.name(symbol).to_owned(),
            TokenKind::Keyword(keyword) => keyword.spelling().to_owned(),
            TokenKind::Punct(Punct::Comma) => return Ok(()),
            _ => return Err(self.expected("an attribute")),
        };
        self.advance();
        let kind = match plain_name(&name) {
            "noreturn" => AttributeKind::NoReturn,
            "packed" => AttributeKind::Packed,
            "transparent_union" => AttributeKind::TransparentUnion,
            "weak" => AttributeKind::Weak,
            "gnu_inline" => AttributeKind::GnuInline,
            "constructor" => AttributeKind::Constructor,
            "destructor" => AttributeKind::Destructor,
            "vector_size" => AttributeKind::VectorSize,
            "cleanup" => AttributeKind::Cleanup,
            "scalar_storage_order" => AttributeKind::StorageOrder,
            "aligned" => {
                let kind = self.aligned_argument()?;
                out.push(Attribute { span, kind });
                return Ok(());
            }
            "mode" => {
                self.expect(Punct::LParen)?;
                let (mode, _) = self.ident()?;
                self.expect(Punct::RParen)?;
                let mode = plain_name(self.symbols.name(mode)).to_owned();
                let kind = AttributeKind::Mode(self.symbols.intern(&mode));
                out.push(Attribute { span, kind });
                return Ok(());
            }
            "alias" => {
                self.expect(Punct::LParen)?;
                let target = self.string_symbol()?;
                self.expect(Punct::RParen)?;
                out.push(Attribute { span, kind: AttributeKind::Alias(target) });
                return Ok(());
            }
            _ => {
                if self.at_punct(Punct::LParen) {
                    self.skip_parentheses()?;
                }
                return Ok(());
            }
        };
        if self.at_punct(Punct::LParen) {
            self.skip_parentheses()?;
        }
        out.push(Attribute { span, kind });
        Ok(())
    }

    fn aligned_argument(&mut self) -> Result<AttributeKind> {
        if !self.eat(Punct::LParen) {
            return Ok(AttributeKind::Aligned(None));
        }
        let value = self.conditional_expr()?;
        self.expect(Punct::RParen)?;
        Ok(AttributeKind::Aligned(Some(value)))
    }

    /// `_Alignas(n)` or `_Alignas(type)`, after the keyword.
    pub(super) fn alignas(&mut self, start: Span) -> Result<Attribute> {
        self.expect(Punct::LParen)?;
        let kind = if self.at_type_name() {
            AttributeKind::AlignedAs(self.type_name()?)
        } else {
            AttributeKind::Alignas(self.conditional_expr()?)
        };
        self.expect(Punct::RParen)?;
        Ok(Attribute { span: self.span_from(start), kind })
    }

    /// `asm("name")` after a declarator.
    pub(super) fn asm_label(&mut self) -> Result<Option<Symbol>> {
        if !self.eat_keyword(Keyword::Asm) {
            return Ok(None);
        }
        self.expect(Punct::LParen)?;
        let name = self.string_symbol()?;
        self.expect(Punct::RParen)?;
        Ok(Some(name))
    }

    fn string_symbol(&mut self) -> Result<Symbol> {
        let bytes: Vec<u8> = self.string()?.units.iter().map(|&u| u as u8).collect();
        Ok(self.symbols.intern(&String::from_utf8_lossy(&bytes)))
    }
}
