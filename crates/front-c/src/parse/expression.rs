//! Expressions [C11 §6.5] with GNU's additions.

use super::Parser;
use crate::ast::{BinaryOp, Designator, ExprId, ExprKind, TypeNameId, UnaryOp};
use crate::diagnostic::{Diagnostic, Result};
use crate::literal::{Number, decode_char, parse_number};
use crate::source::Span;
use crate::token::{Keyword, Punct, TokenKind};

/// The operator and its precedence; a greater number binds tighter.
fn binary_operator(punct: Punct) -> Option<(BinaryOp, u8)> {
    Some(match punct {
        Punct::Star => (BinaryOp::Mul, 10),
        Punct::Slash => (BinaryOp::Div, 10),
        Punct::Percent => (BinaryOp::Rem, 10),
        Punct::Plus => (BinaryOp::Add, 9),
        Punct::Minus => (BinaryOp::Sub, 9),
        Punct::Shl => (BinaryOp::Shl, 8),
        Punct::Shr => (BinaryOp::Shr, 8),
        Punct::Lt => (BinaryOp::Lt, 7),
        Punct::Gt => (BinaryOp::Gt, 7),
        Punct::Le => (BinaryOp::Le, 7),
        Punct::Ge => (BinaryOp::Ge, 7),
        Punct::EqEq => (BinaryOp::Eq, 6),
        Punct::Ne => (BinaryOp::Ne, 6),
        Punct::Amp => (BinaryOp::BitAnd, 5),
        Punct::Caret => (BinaryOp::BitXor, 4),
        Punct::Pipe => (BinaryOp::BitOr, 3),
        Punct::AmpAmp => (BinaryOp::And, 2),
        Punct::PipePipe => (BinaryOp::Or, 1),
        _ => return None,
    })
}

/// The operator of an assignment; `Some(None)` for plain `=`.
fn assignment_operator(punct: Punct) -> Option<Option<BinaryOp>> {
    Some(match punct {
        Punct::Assign => None,
        Punct::StarAssign => Some(BinaryOp::Mul),
        Punct::SlashAssign => Some(BinaryOp::Div),
        Punct::PercentAssign => Some(BinaryOp::Rem),
        Punct::PlusAssign => Some(BinaryOp::Add),
        Punct::MinusAssign => Some(BinaryOp::Sub),
        Punct::ShlAssign => Some(BinaryOp::Shl),
        Punct::ShrAssign => Some(BinaryOp::Shr),
        Punct::AmpAssign => Some(BinaryOp::BitAnd),
        Punct::CaretAssign => Some(BinaryOp::BitXor),
        Punct::PipeAssign => Some(BinaryOp::BitOr),
        _ => return None,
    })
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp as B;
    matches!(op, B::Lt | B::Gt | B::Le | B::Ge | B::Eq | B::Ne)
}

impl Parser<'_> {
    /// An expression with commas.
    pub(super) fn expr(&mut self) -> Result<ExprId> {
        let start = self.span();
        let first = self.assignment_expr()?;
        if !self.at_punct(Punct::Comma) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(Punct::Comma) {
            parts.push(self.assignment_expr()?);
        }
        let height = parts.iter().map(|&p| self.height(p)).max().unwrap_or(0);
        self.make(self.span_from(start), ExprKind::Comma(parts), height)
    }

    /// An expression without commas outside parentheses.
    pub(super) fn assignment_expr(&mut self) -> Result<ExprId> {
        self.enter()?;
        let start = self.span();
        let target = self.conditional_expr()?;
        let operator = match self.peek() {
            TokenKind::Punct(punct) => assignment_operator(punct),
            _ => None,
        };
        let result = match operator {
            None => target,
            Some(operator) => {
                self.advance();
                let value = self.assignment_expr()?;
                let height = self.height(target).max(self.height(value));
                let kind = ExprKind::Assign(operator, target, value);
                self.make(self.span_from(start), kind, height)?
            }
        };
        self.leave();
        Ok(result)
    }

    /// A conditional expression; also the syntax of constant expressions.
    pub(super) fn conditional_expr(&mut self) -> Result<ExprId> {
        let start = self.span();
        let condition = self.binary_expr(1)?;
        let condition = self.implication(start, condition)?;
        if !self.eat(Punct::Question) {
            return Ok(condition);
        }
        self.enter()?;
        let then = if self.at_punct(Punct::Colon) { None } else { Some(self.expr()?) };
        self.expect(Punct::Colon)?;
        let otherwise = self.conditional_expr()?;
        self.leave();
        let then_height = then.map_or(0, |t| self.height(t));
        let height = self.height(condition).max(then_height).max(self.height(otherwise));
        let kind = ExprKind::Conditional(condition, then, otherwise);
        self.make(self.span_from(start), kind, height)
    }

    /// Precedence climbing; the left spine grows in a loop.
    pub(super) fn binary_expr(&mut self, least: u8) -> Result<ExprId> {
        let start = self.span();
        let mut left = self.cast_expr()?;
        // The right operand of the comparison that `left` is.
        let mut compared = None;
        while let TokenKind::Punct(punct) = self.peek()
            && let Some((operator, precedence)) = binary_operator(punct)
            && precedence >= least
            && !self.at_implies()
            && !self.at_equivalent()
        {
            self.advance();
            let right = self.binary_expr(precedence + 1)?;
            if let Some(middle) = compared
                && is_comparison(operator)
            {
                left = self.chained(start, left, (operator, middle), right)?;
            } else {
                let height = self.height(left).max(self.height(right) + 1);
                let kind = ExprKind::Binary(operator, left, right);
                left = self.make(self.span_from(start), kind, height - 1)?;
            }
            compared = (self.acsl && is_comparison(operator)).then_some(right);
        }
        Ok(left)
    }

    fn cast_expr(&mut self) -> Result<ExprId> {
        let start = self.span();
        if !(self.at_punct(Punct::LParen) && self.is_type_start_after_parenthesis()) {
            return self.unary_expr();
        }
        self.enter()?;
        let (ty, type_height) = self.measured(|p| p.parenthesized_type())?;
        let result = if self.at_punct(Punct::LBrace) {
            let literal = self.compound_literal(start, ty, type_height)?;
            self.postfix_operators(start, literal)?
        } else {
            let operand = self.cast_expr()?;
            let height = self.height(operand).max(type_height);
            self.make(self.span_from(start), ExprKind::Cast(ty, operand), height)?
        };
        self.leave();
        Ok(result)
    }

    fn is_type_start_after_parenthesis(&self) -> bool {
        let mut ahead = 1;
        while self.peek_at(ahead) == TokenKind::Keyword(Keyword::Extension) {
            ahead += 1;
        }
        self.is_type_start(self.peek_at(ahead))
    }

    fn parenthesized_type(&mut self) -> Result<TypeNameId> {
        let opening = self.span();
        self.expect(Punct::LParen)?;
        let ty = self.type_name()?;
        self.expect_closing(Punct::RParen, opening)?;
        Ok(ty)
    }

    fn compound_literal(&mut self, start: Span, ty: TypeNameId, height: u32) -> Result<ExprId> {
        let (init, init_height) = self.measured(|p| p.initializer())?;
        let kind = ExprKind::CompoundLiteral(ty, init);
        self.make(self.span_from(start), kind, height.max(init_height))
    }

    fn unary_expr(&mut self) -> Result<ExprId> {
        let start = self.span();
        let operator = match self.peek() {
            TokenKind::Punct(Punct::PlusPlus) => UnaryOp::PreIncrement,
            TokenKind::Punct(Punct::MinusMinus) => UnaryOp::PreDecrement,
            TokenKind::Punct(Punct::Amp) => UnaryOp::AddressOf,
            TokenKind::Punct(Punct::Star) => UnaryOp::Deref,
            TokenKind::Punct(Punct::Plus) => UnaryOp::Plus,
            TokenKind::Punct(Punct::Minus) => UnaryOp::Minus,
            TokenKind::Punct(Punct::Tilde) => UnaryOp::BitNot,
            TokenKind::Punct(Punct::Bang) => UnaryOp::Not,
            TokenKind::Punct(Punct::AmpAmp) => {
                self.advance();
                let (label, _) = self.ident()?;
                return self.make(self.span_from(start), ExprKind::LabelAddress(label), 0);
            }
            TokenKind::Keyword(
                keyword @ (Keyword::Sizeof | Keyword::Alignof | Keyword::GnuAlignof),
            ) => return self.sizeof_expr(keyword),
            TokenKind::Keyword(Keyword::Extension) => {
                self.enter()?;
                self.advance();
                let operand = self.cast_expr()?;
                self.leave();
                return Ok(operand);
            }
            TokenKind::Keyword(Keyword::Real | Keyword::Imag) => {
                return self.error(start, "complex numbers are not supported");
            }
            _ => return self.postfix_expr(),
        };
        self.enter()?;
        self.advance();
        let operand = self.cast_expr()?;
        self.leave();
        let height = self.height(operand);
        self.make(self.span_from(start), ExprKind::Unary(operator, operand), height)
    }

    fn sizeof_expr(&mut self, keyword: Keyword) -> Result<ExprId> {
        let start = self.span();
        self.enter()?;
        self.advance();
        let result = if self.at_punct(Punct::LParen) && self.is_type_start_after_parenthesis() {
            let operand_start = self.span();
            let (ty, height) = self.measured(|p| p.parenthesized_type())?;
            if self.at_punct(Punct::LBrace) {
                let literal = self.compound_literal(operand_start, ty, height)?;
                let operand = self.postfix_operators(operand_start, literal)?;
                self.sizeof_operand(start, keyword, operand)?
            } else {
                let kind = match keyword {
                    Keyword::Sizeof => ExprKind::SizeofType(ty),
                    Keyword::Alignof => ExprKind::AlignofType(ty),
                    _ => ExprKind::GnuAlignofType(ty),
                };
                self.make(self.span_from(start), kind, height)?
            }
        } else {
            let operand = self.unary_expr()?;
            self.sizeof_operand(start, keyword, operand)?
        };
        self.leave();
        Ok(result)
    }

    fn sizeof_operand(&mut self, start: Span, word: Keyword, operand: ExprId) -> Result<ExprId> {
        let kind = match word {
            Keyword::Sizeof => ExprKind::SizeofExpr(operand),
            _ => ExprKind::AlignofExpr(operand),
        };
        let height = self.height(operand);
        self.make(self.span_from(start), kind, height)
    }

    fn postfix_expr(&mut self) -> Result<ExprId> {
        let start = self.span();
        let primary = self.primary_expr()?;
        self.postfix_operators(start, primary)
    }

    fn postfix_operators(&mut self, start: Span, mut operand: ExprId) -> Result<ExprId> {
        loop {
            let opening = self.span();
            let mut height = self.height(operand);
            let kind = match self.peek() {
                TokenKind::Punct(Punct::Dot) if self.at_range() => return Ok(operand),
                TokenKind::Punct(Punct::LBracket) => {
                    self.advance();
                    let index = self.expr()?;
                    let index = self.range(index)?;
                    self.expect_closing(Punct::RBracket, opening)?;
                    height = height.max(self.height(index));
                    ExprKind::Index(operand, index)
                }
                TokenKind::Punct(Punct::LParen) => {
                    let arguments = self.arguments()?;
                    height = arguments.iter().map(|&a| self.height(a)).fold(height, u32::max);
                    ExprKind::Call(operand, arguments)
                }
                TokenKind::Punct(punct @ (Punct::Dot | Punct::Arrow)) => {
                    self.advance();
                    let (name, _) = self.ident()?;
                    ExprKind::Member(operand, name, punct == Punct::Arrow)
                }
                TokenKind::Punct(Punct::PlusPlus) => {
                    self.advance();
                    ExprKind::Unary(UnaryOp::PostIncrement, operand)
                }
                TokenKind::Punct(Punct::MinusMinus) => {
                    self.advance();
                    ExprKind::Unary(UnaryOp::PostDecrement, operand)
                }
                _ => return Ok(operand),
            };
            let is_call = matches!(kind, ExprKind::Call(..));
            operand = self.make(self.span_from(start), kind, height)?;
            if is_call {
                self.claim_call(operand)?;
            }
        }
    }

    fn arguments(&mut self) -> Result<Vec<ExprId>> {
        let opening = self.span();
        self.expect(Punct::LParen)?;
        let mut arguments = Vec::new();
        if !self.at_punct(Punct::RParen) {
            loop {
                arguments.push(self.assignment_expr()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect_closing(Punct::RParen, opening)?;
        Ok(arguments)
    }

    fn primary_expr(&mut self) -> Result<ExprId> {
        let start = self.span();
        if let Some(formula) = self.quantifier()? {
            return Ok(formula);
        }
        match self.peek() {
            TokenKind::Ident(symbol) => {
                self.advance();
                self.make(start, ExprKind::Ident(symbol), 0)
            }
            TokenKind::Number(text) => {
                self.advance();
                let number = parse_number(self.symbols.name(text));
                let kind = match number.map_err(|m| Diagnostic::error(start, m))? {
                    Number::Int(int) => ExprKind::Int(int),
                    Number::Float(digits, suffix) => ExprKind::Float(digits.into(), suffix),
                };
                self.make(start, kind, 0)
            }
            TokenKind::Char(index) => {
                self.advance();
                let literal = &self.literals[index as usize];
                let value = decode_char(literal).map_err(|m| Diagnostic::error(start, m))?;
                self.make(start, ExprKind::Char(value, literal.encoding), 0)
            }
            TokenKind::Str(_) => {
                let string = self.string()?;
                self.make(self.span_from(start), ExprKind::Str(string), 0)
            }
            TokenKind::Punct(Punct::LParen) => self.parenthesized(),
            TokenKind::Keyword(keyword) => self.keyword_expr(keyword),
            _ => Err(self.expected("an expression")),
        }
    }

    /// `(e)` or `({ … })`.
    fn parenthesized(&mut self) -> Result<ExprId> {
        let opening = self.span();
        self.enter()?;
        self.advance();
        let result = if self.at_punct(Punct::LBrace) {
            let (block, height) = self.measured(|p| p.block())?;
            self.expect_closing(Punct::RParen, opening)?;
            self.make(self.span_from(opening), ExprKind::StmtExpr(block), height)?
        } else {
            let inner = self.expr()?;
            let inner = self.range(inner)?;
            self.expect_closing(Punct::RParen, opening)?;
            inner
        };
        self.leave();
        Ok(result)
    }

    /// Expressions that start with a keyword of their own and take arguments in parentheses.
    fn keyword_expr(&mut self, keyword: Keyword) -> Result<ExprId> {
        let start = self.span();
        let parse: fn(&mut Self) -> Result<ExprKind> = match keyword {
            Keyword::Generic => Self::generic,
            Keyword::Offsetof => Self::offsetof,
            Keyword::VaArg => |p| {
                let list = p.assignment_expr()?;
                p.expect(Punct::Comma)?;
                Ok(ExprKind::VaArg(list, p.type_name()?))
            },
            Keyword::TypesCompatible => |p| {
                let left = p.type_name()?;
                p.expect(Punct::Comma)?;
                Ok(ExprKind::TypesCompatible(left, p.type_name()?))
            },
            Keyword::ChooseExpr => |p| {
                let condition = p.assignment_expr()?;
                p.expect(Punct::Comma)?;
                let then = p.assignment_expr()?;
                p.expect(Punct::Comma)?;
                Ok(ExprKind::ChooseExpr(condition, then, p.assignment_expr()?))
            },
            _ => return Err(self.expected("an expression")),
        };
        self.enter()?;
        self.advance();
        let opening = self.span();
        self.expect(Punct::LParen)?;
        let (kind, height) = self.measured(parse)?;
        self.expect_closing(Punct::RParen, opening)?;
        self.leave();
        self.make(self.span_from(start), kind, height)
    }

    fn generic(&mut self) -> Result<ExprKind> {
        let control = self.assignment_expr()?;
        let mut associations = Vec::new();
        while self.eat(Punct::Comma) {
            let ty =
                if self.eat_keyword(Keyword::Default) { None } else { Some(self.type_name()?) };
            self.expect(Punct::Colon)?;
            associations.push((ty, self.assignment_expr()?));
        }
        Ok(ExprKind::Generic(control, associations))
    }

    fn offsetof(&mut self) -> Result<ExprKind> {
        let ty = self.type_name()?;
        self.expect(Punct::Comma)?;
        let (name, span) = self.ident()?;
        let mut path = vec![Designator::Field(name, span)];
        loop {
            if self.eat(Punct::Dot) {
                let (name, span) = self.ident()?;
                path.push(Designator::Field(name, span));
            } else if self.eat(Punct::LBracket) {
                path.push(Designator::Index(self.expr()?));
                self.expect(Punct::RBracket)?;
            } else {
                return Ok(ExprKind::Offsetof(ty, path));
            }
        }
    }
}
