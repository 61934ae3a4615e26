//! Expressions [IEC 61131-3 §7.3.2], by the precedence of edition 3: prefix operators bind tighter
//! than `**`. SCL (and edition 2) has it the other way round, which only shows in `-a ** b`.

use super::parser::Parser;
use crate::ast::{
    Argument, BinaryOp, Direct, Element, Expr, ExprKind, FieldValue, Literal, LiteralKind, Name,
    PartWidth, Path, UnaryOp,
};
use crate::dialect::Dialect;
use crate::lex::time::form_of;
use crate::lex::token::{Keyword, Punct, TokenKind};
use source::diagnostic::Result;
use source::{Diagnostic, Span};

/// The binding power of `**`, the strongest of the operators between operands.
const POWER: u8 = 9;

impl Parser<'_> {
    pub(crate) fn expression(&mut self) -> Result<Expr> {
        self.binary(0)
    }

    /// The operator here, and how strongly it binds.
    fn operator(&self) -> Result<Option<(BinaryOp, u8)>> {
        let foreign = |op, power, write: &str| {
            if self.mode.requirement {
                return Ok(Some((op, power)));
            }
            let message = format!("{} is not an operator of Structured Text", self.found());
            Err(Diagnostic::error(self.span(), message).help(format!("write {write}")))
        };
        Ok(Some(match self.peek() {
            TokenKind::Word(_, Some(keyword)) => match keyword {
                Keyword::Or => (BinaryOp::Or, 2),
                Keyword::OrElse => (BinaryOp::OrElse, 2),
                Keyword::Xor => (BinaryOp::Xor, 3),
                Keyword::And => (BinaryOp::And, 4),
                Keyword::AndThen => (BinaryOp::AndThen, 4),
                Keyword::Mod => (BinaryOp::Mod, 8),
                _ => return Ok(None),
            },
            TokenKind::Punct(punct) => match punct {
                Punct::Implies => (BinaryOp::Implies, 1),
                Punct::PipePipe => return foreign(BinaryOp::Or, 2, "OR"),
                Punct::Amp => (BinaryOp::And, 4),
                Punct::AmpAmp => return foreign(BinaryOp::And, 4, "AND"),
                Punct::Eq => (BinaryOp::Eq, 5),
                Punct::EqEq => return foreign(BinaryOp::Eq, 5, "="),
                Punct::Ne => (BinaryOp::Ne, 5),
                Punct::BangEq => return foreign(BinaryOp::Ne, 5, "<>"),
                Punct::Lt => (BinaryOp::Lt, 6),
                Punct::Gt => (BinaryOp::Gt, 6),
                Punct::Le => (BinaryOp::Le, 6),
                Punct::Ge => (BinaryOp::Ge, 6),
                Punct::Plus => (BinaryOp::Add, 7),
                Punct::Minus => (BinaryOp::Sub, 7),
                Punct::Star => (BinaryOp::Mul, 8),
                Punct::Slash => (BinaryOp::Div, 8),
                Punct::StarStar => (BinaryOp::Power, POWER),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    /// Operands with operators between them that bind at least as strongly as `power`.
    fn binary(&mut self, power: u8) -> Result<Expr> {
        let mut left = self.unary()?;
        while let Some((op, strength)) = self.operator()?.filter(|&(_, s)| s >= power) {
            let height = self.height;
            self.advance();
            // Operators of one strength group from the left; implication from the right.
            let next = if op == BinaryOp::Implies { strength } else { strength + 1 };
            self.enter()?;
            let right = self.binary(next);
            self.leave();
            let right = right?;
            let span = left.span.to(right.span);
            self.grow(height.max(self.height) + 1, span)?;
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr> {
        let start = self.span();
        let op = match self.peek() {
            TokenKind::Punct(Punct::Plus) => UnaryOp::Plus,
            TokenKind::Punct(Punct::Minus) => UnaryOp::Minus,
            TokenKind::Punct(Punct::Bang) if self.mode.requirement => UnaryOp::Not,
            TokenKind::Word(_, Some(Keyword::Not)) => UnaryOp::Not,
            TokenKind::Punct(Punct::Amp) => return self.address(),
            _ => return self.postfix(),
        };
        self.advance();
        self.enter()?;
        let scl = self.mode.dialect == Dialect::Scl && op != UnaryOp::Not;
        let operand = if scl { self.binary(POWER) } else { self.unary() };
        self.leave();
        let operand = operand?;
        let span = self.since(start);
        self.grow(self.height + 1, span)?;
        if op == UnaryOp::Minus && !scl && self.at_punct(Punct::StarStar) {
            let help = "edition 3 says so; edition 2 and SCL read -(a ** b); write parentheses";
            self.warn(span, "'-a ** b' is read as (-a) ** b", help);
        }
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span })
    }

    /// `&x`, which some compilers have for `ADR(x)`.
    fn address(&mut self) -> Result<Expr> {
        let start = self.span();
        self.advance();
        let operand = self.postfix()?;
        let span = self.since(start);
        self.grow(self.height + 1, span)?;
        let name = Expr { kind: ExprKind::Name(Name::new("ADR", start)), span: start };
        let arguments = vec![Argument::Positional(operand)];
        Ok(Expr { kind: ExprKind::Call(Box::new(name), arguments), span })
    }

    /// A primary expression and what follows it: fields, indices, `^`, arguments.
    pub(crate) fn postfix(&mut self) -> Result<Expr> {
        let mut expr = self.primary()?;
        loop {
            let height = self.height;
            let start = expr.span;
            let kind = match self.peek() {
                TokenKind::Punct(Punct::Dot) => self.after_point(expr)?,
                TokenKind::Punct(Punct::LBracket) => {
                    let opening = self.span();
                    self.advance();
                    let mut deepest = height;
                    let mut indices = Vec::new();
                    loop {
                        indices.push(self.nested_expression()?);
                        deepest = deepest.max(self.height);
                        if !self.eat(Punct::Comma) {
                            break;
                        }
                    }
                    self.expect_closing(Punct::RBracket, opening)?;
                    self.height = deepest;
                    ExprKind::Index(Box::new(expr), indices)
                }
                TokenKind::Punct(Punct::Caret) => {
                    self.advance();
                    ExprKind::Deref(Box::new(expr))
                }
                TokenKind::Punct(Punct::LParen) if callable(&expr) => {
                    let arguments = self.arguments()?;
                    ExprKind::Call(Box::new(expr), arguments)
                }
                TokenKind::Punct(Punct::Hash) => self.after_hash(expr)?,
                // Pragmas between a block and its arguments are about tools.
                TokenKind::Pragma(_) if self.punct_ahead(1, Punct::LParen) => {
                    self.advance();
                    continue;
                }
                _ => return Ok(expr),
            };
            let span = self.since(start);
            self.grow(height.max(self.height) + 1, span)?;
            expr = Expr { kind, span };
        }
    }

    fn nested_expression(&mut self) -> Result<Expr> {
        self.enter()?;
        let inner = self.expression();
        self.leave();
        inner
    }

    fn after_point(&mut self, expr: Expr) -> Result<ExprKind> {
        self.advance();
        let base = Box::new(expr);
        match self.peek() {
            TokenKind::Literal(index) => {
                let LiteralKind::Int { value, .. } = *self.lexed.literal(index) else {
                    return Err(self.expected("a name or the number of a bit after '.'"));
                };
                let index = self.part_index(value)?;
                self.advance();
                Ok(ExprKind::Part(base, PartWidth::Bit, index))
            }
            TokenKind::Direct(index) => {
                let text = self.lexed.text(index).clone();
                let help = "parts are %X (bit), %B, %W, %D or %L, then a number";
                let wrong =
                    || Diagnostic::error(self.span(), "this is no part of a value").help(help);
                let width = match text.chars().next().map(|c| c.to_ascii_uppercase()) {
                    Some('X') => PartWidth::Bit,
                    Some('B') => PartWidth::Byte,
                    Some('W') => PartWidth::Word,
                    Some('D') => PartWidth::Double,
                    Some('L') => PartWidth::Long,
                    _ => return Err(wrong()),
                };
                if text[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
                    let span = self.span();
                    self.advance();
                    let name = Name::new(&text[1..], span);
                    let index = Box::new(Expr { kind: ExprKind::Name(name), span });
                    return Ok(ExprKind::PartAt(base, width, index));
                }
                let value = text[1..].parse().map_err(|_| wrong())?;
                let index = self.part_index(value)?;
                self.advance();
                Ok(ExprKind::Part(base, width, index))
            }
            _ => Ok(ExprKind::Member(base, self.any_name()?)),
        }
    }

    /// No value has more than 64 bits.
    fn part_index(&self, value: u128) -> Result<u32> {
        let index = u32::try_from(value).ok().filter(|&v| v < 64);
        index.ok_or_else(|| {
            Diagnostic::error(self.span(), format!("there is no bit {value}"))
                .help("bits are numbered from 0 to 63")
        })
    }

    /// `TYPE#5`, `TYPE#-5`, `TYPE#TRUE`, `TYPE#VALUE`.
    fn after_hash(&mut self, expr: Expr) -> Result<ExprKind> {
        let hash = self.span();
        self.advance();
        let Some(path) = as_path(&expr) else {
            return Err(Diagnostic::error(hash, "only a type can stand before '#'"));
        };
        let negative = self.at_punct(Punct::Minus);
        if negative || self.at_punct(Punct::Plus) {
            self.advance();
        }
        let mut kind = match self.peek() {
            TokenKind::Literal(index) => self.lexed.literal(index).clone(),
            TokenKind::Word(_, Some(Keyword::True)) => LiteralKind::Bool(true),
            TokenKind::Word(_, Some(Keyword::False)) => LiteralKind::Bool(false),
            _ if negative => return Err(self.expected("a number after the sign")),
            _ => return Ok(ExprKind::Typed(path, self.any_name()?)),
        };
        match &mut kind {
            LiteralKind::Int { negative: sign, .. } | LiteralKind::Real { negative: sign, .. } => {
                *sign = negative;
            }
            _ if negative => return Err(self.expected("a number after the sign")),
            _ => {}
        }
        if path.names.len() > 1 {
            let message = "literals have types without a namespace";
            return Err(Diagnostic::error(path.span, message));
        }
        let number = matches!(kind, LiteralKind::Int { .. } | LiteralKind::Real { .. });
        if let Some((what, form)) = form_of(&path.last().key).filter(|_| number) {
            // With a space behind `#`, it was read as a number.
            return Err(Diagnostic::error(self.span(), format!("this is not {what}")).help(form));
        }
        self.advance();
        Ok(ExprKind::Literal(Literal { ty: Some(path.last().clone()), kind }))
    }

    fn primary(&mut self) -> Result<Expr> {
        let span = self.span();
        self.height = 1;
        let kind = match self.peek() {
            TokenKind::Literal(index) => {
                let kind = self.lexed.literal(index).clone();
                self.advance();
                ExprKind::Literal(Literal { ty: None, kind })
            }
            TokenKind::Direct(_) => ExprKind::Direct(self.direct()?),
            TokenKind::Marked(..) => ExprKind::Name(self.any_name()?),
            TokenKind::Word(_, keyword) => self.word(keyword)?,
            TokenKind::Punct(Punct::LParen) => return self.parenthesized(),
            TokenKind::Punct(Punct::LBracket) => {
                self.advance();
                let elements = self.elements(Punct::RBracket)?;
                self.expect_closing(Punct::RBracket, span)?;
                ExprKind::Array(elements)
            }
            TokenKind::Punct(Punct::Dot) if self.word_ahead(1) => {
                self.advance();
                ExprKind::Global(self.any_name()?)
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expr { kind, span: self.since(span) })
    }

    fn word(&mut self, keyword: Option<Keyword>) -> Result<ExprKind> {
        let literal =
            |value| ExprKind::Literal(Literal { ty: None, kind: LiteralKind::Bool(value) });
        let kind = match keyword {
            Some(Keyword::True) => literal(true),
            Some(Keyword::False) => literal(false),
            Some(Keyword::This) => ExprKind::This,
            Some(Keyword::Super) => ExprKind::Super,
            Some(Keyword::Null) => ExprKind::Null,
            // Operators that are written like calls.
            Some(Keyword::And | Keyword::Or | Keyword::Xor | Keyword::Mod)
                if self.punct_ahead(1, Punct::LParen) =>
            {
                return Ok(ExprKind::Name(self.any_name()?));
            }
            _ => return Ok(ExprKind::Name(self.name("an expression")?)),
        };
        self.advance();
        Ok(kind)
    }

    /// `(e)`, or the values of a structure: `(a := 1, b := 2)`, `(1, 2)`.
    fn parenthesized(&mut self) -> Result<Expr> {
        let opening = self.span();
        self.enter()?;
        let inner = self.in_parentheses(opening);
        self.leave();
        inner
    }

    fn in_parentheses(&mut self, opening: Span) -> Result<Expr> {
        self.advance();
        let named = self.word_ahead(0) && self.punct_ahead(1, Punct::Assign);
        if !named {
            let first = self.expression()?;
            if !self.at_punct(Punct::Comma) {
                self.expect_closing(Punct::RParen, opening)?;
                return Ok(first);
            }
            return self.fields(opening, vec![FieldValue { name: None, value: first }]);
        }
        self.height = 0;
        self.fields(opening, Vec::new())
    }

    /// The fields of a structure's values; the first may have been read.
    fn fields(&mut self, opening: Span, mut fields: Vec<FieldValue>) -> Result<Expr> {
        let mut height = self.height;
        while fields.is_empty() || self.eat(Punct::Comma) {
            let named = self.word_ahead(0) && self.punct_ahead(1, Punct::Assign);
            let name = if named { Some(self.any_name()?) } else { None };
            if named {
                self.advance();
            }
            let value = self.nested_expression()?;
            height = height.max(self.height);
            fields.push(FieldValue { name, value });
        }
        self.expect_closing(Punct::RParen, opening)?;
        let span = self.since(opening);
        self.grow(height + 1, span)?;
        Ok(Expr { kind: ExprKind::Struct(fields), span })
    }

    /// The values of an array, up to what closes them.
    fn elements(&mut self, closing: Punct) -> Result<Vec<Element>> {
        let mut elements = Vec::new();
        let mut height = 0;
        while !self.at_punct(closing) {
            elements.push(self.element()?);
            height = height.max(self.height);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.grow(height + 1, self.last)?;
        Ok(elements)
    }

    /// `v` or `n(v, w)`.
    fn element(&mut self) -> Result<Element> {
        let value = self.nested_expression()?;
        let number =
            matches!(&value.kind, ExprKind::Literal(Literal { kind: LiteralKind::Int { .. }, .. }));
        if !number || !self.at_punct(Punct::LParen) {
            return Ok(Element { count: None, values: vec![value] });
        }
        let opening = self.span();
        self.advance();
        self.enter()?;
        let repeated = self.elements(Punct::RParen);
        self.leave();
        let mut values = Vec::new();
        for element in repeated? {
            if let Some(count) = element.count {
                let message = "repetitions can't stand in one another";
                return Err(Diagnostic::error(count.span, message).help("write the values out"));
            }
            values.extend(element.values);
        }
        self.expect_closing(Punct::RParen, opening)?;
        Ok(Element { count: Some(value), values })
    }

    /// An initial value: an expression, or values of an array without brackets (`1, 2, 3(0)`).
    pub(crate) fn initial(&mut self) -> Result<Expr> {
        let start = self.span();
        let first = self.element()?;
        if first.count.is_none() && !self.at_punct(Punct::Comma) {
            let mut values = first.values;
            return values.pop().ok_or_else(|| self.expected("a value"));
        }
        let mut elements = vec![first];
        while self.eat(Punct::Comma) {
            elements.push(self.element()?);
        }
        Ok(Expr { kind: ExprKind::Array(elements), span: self.since(start) })
    }

    /// `(a, b := c, d => e)`
    pub(crate) fn arguments(&mut self) -> Result<Vec<Argument>> {
        let opening = self.span();
        self.expect(Punct::LParen)?;
        let mut arguments = Vec::new();
        let mut height = 0;
        while !self.at_punct(Punct::RParen) {
            self.pragmas();
            self.enter()?;
            let argument = self.argument();
            self.leave();
            arguments.push(argument?);
            self.pragmas();
            height = height.max(self.height);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_closing(Punct::RParen, opening)?;
        self.height = height;
        Ok(arguments)
    }

    fn argument(&mut self) -> Result<Argument> {
        let negated = self.at_keyword(Keyword::Not)
            && self.word_ahead(1)
            && self.punct_ahead(2, Punct::Arrow);
        if negated {
            self.advance();
        }
        let input = self.word_ahead(0) && self.punct_ahead(1, Punct::Assign);
        let output = self.word_ahead(0) && self.punct_ahead(1, Punct::Arrow);
        if !input && !output {
            return Ok(Argument::Positional(self.expression()?));
        }
        let name = self.any_name()?;
        self.advance();
        self.height = 0;
        let empty = self.at_punct(Punct::Comma) || self.at_punct(Punct::RParen);
        let value = if empty { None } else { Some(self.expression()?) };
        Ok(if input {
            Argument::Input(name, value)
        } else {
            Argument::Output(name, negated, value)
        })
    }

    /// `%IX0.0`
    pub(crate) fn direct(&mut self) -> Result<Direct> {
        let span = self.span();
        let TokenKind::Direct(index) = self.peek() else {
            return Err(self.expected("a place like %IX0.0"));
        };
        let text = self.lexed.text(index).clone();
        let letters = text.chars().take_while(char::is_ascii_alphabetic).count();
        let help = "places are written like %IX0.0, %QW5 or %M*";
        let wrong = || Diagnostic::error(span, "this is not a place of the controller").help(help);
        let mut prefix = text[..letters].chars().map(|c| c.to_ascii_uppercase());
        let area = prefix.next().ok_or_else(wrong)?;
        let size = prefix.next();
        if prefix.next().is_some() {
            return Err(wrong());
        }
        let mut address = Vec::new();
        if &text[letters..] != "*" {
            for number in text[letters..].split('.') {
                address.push(number.parse().map_err(|_| wrong())?);
            }
        }
        self.advance();
        Ok(Direct { area, size, address, span })
    }
}

/// What can be called.
fn callable(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Name(_)
            | ExprKind::Global(_)
            | ExprKind::Member(..)
            | ExprKind::Deref(_)
            | ExprKind::Index(..)
            | ExprKind::Super
            | ExprKind::This
    )
}

/// Names with dots between them as a path.
fn as_path(expr: &Expr) -> Option<Path> {
    let mut names = Vec::new();
    let mut at = expr;
    loop {
        match &at.kind {
            ExprKind::Member(base, name) => {
                names.push(name.clone());
                at = base;
            }
            ExprKind::Name(name) => {
                names.push(name.clone());
                names.reverse();
                return Some(Path { names, span: expr.span });
            }
            _ => return None,
        }
    }
}
