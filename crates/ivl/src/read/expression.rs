//! Expressions, by the precedence of C where C has it.
//!
//! ```text
//! let #1 = a, … in e     c ? a : b     ||     &&     |     ^     &     == != === !==
//! < <= > >= <u <=u >u >=u     << >> >>u     + - ++     * / % /u %u     - ~ !     a[…]
//! ```

use super::parser::{MAX_NESTING, Parser, too_deep};
use super::syntax::*;
use crate::lexer::Kind;
use crate::words::{self, Function};
use source::Span;
use source::diagnostic::{Diagnostic, Result};
use std::sync::Arc;

/// Binary operators from loose to tight; a chain of them associates to the left.
const LEVELS: [&[&str]; 8] = [
    &["|"],
    &["^"],
    &["&"],
    &["==", "!=", "===", "!=="],
    &["<", "<=", ">", ">=", "<u", "<=u", ">u", ">=u"],
    &["<<", ">>", ">>u"],
    &["+", "-", "++"],
    &["*", "/", "%", "/u", "%u"],
];

/// Operators whose result has the sort of their operands.
fn keeps_sort(symbol: &str) -> bool {
    !matches!(symbol, "++" | "!") && !LEVELS[3].contains(&symbol) && !LEVELS[4].contains(&symbol)
}

impl Parser<'_> {
    fn add(&mut self, form: Form, parts: &[ExpressionId], span: Span) -> Result<ExpressionId> {
        let below = parts.iter().map(|part| self.syntax.expressions[*part].height).max();
        let height = below.unwrap_or(0) + 1;
        if height > MAX_NESTING {
            return Err(too_deep(span));
        }
        let is_open = |part: &ExpressionId| self.syntax.expressions[*part].open;
        let open = match &form {
            Form::Number { .. } | Form::Special { .. } => true,
            Form::Prefix(symbol, _) | Form::Infix(symbol, ..) => {
                keeps_sort(symbol) && parts.iter().all(is_open)
            }
            Form::Choice(_, a, b) => is_open(a) && is_open(b),
            Form::Let(_, body) => is_open(body),
            _ => false,
        };
        self.syntax.expressions.push(Expression { form, span, height, open });
        Ok(self.syntax.expressions.len() - 1)
    }

    fn span_of(&self, expression: ExpressionId) -> Span {
        self.syntax.expressions[expression].span
    }

    /// A whole expression.
    pub(super) fn expression(&mut self) -> Result<ExpressionId> {
        self.deeper(|parser| {
            if parser.is_word("let") {
                return parser.bindings();
            }
            let condition = parser.junction("||")?;
            if !parser.accept("?") {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.expect(":")?;
            let other = parser.expression()?;
            let span = parser.since(parser.span_of(condition));
            let form = Form::Choice(condition, then, other);
            parser.add(form, &[condition, then, other], span)
        })
    }

    fn bindings(&mut self) -> Result<ExpressionId> {
        let start = self.next().span;
        let mut bindings = Vec::new();
        while {
            let Kind::Local(name) = *self.peek() else { return self.wrong("a name such as #1") };
            self.next();
            self.expect("=")?;
            bindings.push((Arc::from(name), self.expression()?));
            self.accept(",")
        } {}
        self.expect_word("in")?;
        let body = self.expression()?;
        let mut parts: Vec<ExpressionId> = bindings.iter().map(|(_, value)| *value).collect();
        parts.push(body);
        let span = self.since(start);
        self.add(Form::Let(bindings, body), &parts, span)
    }

    /// `a && b && c` is one conjunction of three; parentheses make another.
    fn junction(&mut self, symbol: &'static str) -> Result<ExpressionId> {
        let operand = |parser: &mut Self| match symbol {
            "||" => parser.junction("&&"),
            _ => parser.infix(0),
        };
        let first = operand(self)?;
        if !self.is_symbol(symbol) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.accept(symbol) {
            parts.push(operand(self)?);
        }
        let span = self.since(self.span_of(first));
        self.add(Form::Junction(symbol, parts.clone()), &parts, span)
    }

    fn infix(&mut self, level: usize) -> Result<ExpressionId> {
        let Some(symbols) = LEVELS.get(level) else { return self.prefix() };
        let mut left = self.infix(level + 1)?;
        while let Kind::Symbol(symbol) = *self.peek()
            && symbols.contains(&symbol)
        {
            self.next();
            let right = self.infix(level + 1)?;
            let span = self.since(self.span_of(left));
            left = self.add(Form::Infix(symbol, left, right), &[left, right], span)?;
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Result<ExpressionId> {
        let Kind::Symbol(symbol @ ("-" | "~" | "!")) = *self.peek() else { return self.postfix() };
        let start = self.next().span;
        if symbol == "-" && self.is_literal() {
            let number = self.literal(true, start)?;
            return self.brackets(number);
        }
        let operand = self.deeper(Self::prefix)?;
        let span = self.since(start);
        self.add(Form::Prefix(symbol, operand), &[operand], span)
    }

    fn is_literal(&self) -> bool {
        matches!(self.peek(), Kind::Number(_) | Kind::Word("nan" | "inf"))
    }

    /// A number, not a number, or infinity.
    fn literal(&mut self, negative: bool, start: Span) -> Result<ExpressionId> {
        let form = match self.next().kind {
            Kind::Number(text) => Form::Number { negative, text: text.into() },
            Kind::Word(word) => Form::Special { negative, nan: word == "nan" },
            _ => return self.wrong("a number"),
        };
        let span = self.since(start);
        self.add(form, &[], span)
    }

    fn postfix(&mut self) -> Result<ExpressionId> {
        let operand = self.primary()?;
        self.brackets(operand)
    }

    /// What is taken from an operand.
    fn brackets(&mut self, mut operand: ExpressionId) -> Result<ExpressionId> {
        while self.accept("[") {
            let range =
                matches!(self.peek(), Kind::Number(_)) && *self.peek_second() == Kind::Symbol(":");
            if range {
                let high = self.number("a bit's number")?;
                self.expect(":")?;
                let low = self.number("a bit's number")?;
                self.expect("]")?;
                let span = self.since(self.span_of(operand));
                operand = self.add(Form::Extract(operand, high, low), &[operand], span)?;
                continue;
            }
            let index = self.expression()?;
            let value = if self.accept(":=") { Some(self.expression()?) } else { None };
            self.expect("]")?;
            let span = self.since(self.span_of(operand));
            operand = match value {
                None => self.add(Form::Index(operand, index), &[operand, index], span)?,
                Some(value) => {
                    let form = Form::Update(operand, index, value);
                    self.add(form, &[operand, index, value], span)?
                }
            };
        }
        Ok(operand)
    }

    fn primary(&mut self) -> Result<ExpressionId> {
        let start = self.span();
        if self.is_literal() {
            return self.literal(false, start);
        }
        match self.peek().clone() {
            Kind::Symbol("(") => {
                self.next();
                let inner = self.expression()?;
                self.expect(")")?;
                // A number in parentheses is a number, but not one that takes a sign.
                Ok(inner)
            }
            Kind::Symbol("&") => {
                self.next();
                let name = self.name("the name of an object or a function")?;
                let span = self.since(start);
                self.add(Form::Address(name), &[], span)
            }
            Kind::Local(name) => {
                self.next();
                self.add(Form::Local(name.into()), &[], start)
            }
            Kind::Word(word) => self.word(word, start),
            Kind::Quoted(_) | Kind::Symbol("::") => self.named(start),
            _ => self.wrong("an expression"),
        }
    }

    fn word(&mut self, word: &str, start: Span) -> Result<ExpressionId> {
        let constant = match word {
            "true" => Some(Form::True),
            "false" => Some(Form::False),
            _ => words::rounding(word).map(Form::Rounding),
        };
        if let Some(form) = constant {
            self.next();
            return self.add(form, &[], start);
        }
        if *self.peek_second() != Kind::Symbol("(") {
            return self.named(start);
        }
        match word {
            "all" => self.all(start),
            "element" => self.element(start),
            _ => match words::function(word) {
                Some(function) => self.function_call(function, start),
                None => self.named(start),
            },
        }
    }

    /// A register, or a declared function with its arguments.
    fn named(&mut self, start: Span) -> Result<ExpressionId> {
        let name = self.name("a register")?;
        if !self.is_symbol("(") {
            return self.add(Form::Register(name), &[], start);
        }
        let arguments = self.arguments()?;
        let span = self.since(start);
        self.add(Form::Apply(name, arguments.clone()), &arguments, span)
    }

    /// `(a, b)`
    pub(super) fn arguments(&mut self) -> Result<Vec<ExpressionId>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.is_symbol(")") {
            arguments.push(self.expression()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    fn function_call(&mut self, function: Function, start: Span) -> Result<ExpressionId> {
        self.next();
        if function == Function::Sort(term::Sort::Real)
            && let Some(fraction) = self.fraction()?
        {
            let span = self.since(start);
            return self.add(fraction, &[], span);
        }
        let arguments = self.arguments()?;
        let span = self.since(start);
        self.add(Form::Function(function, arguments.clone()), &arguments, span)
    }

    /// `(-1/3)`, if it is a fraction.
    fn fraction(&mut self) -> Result<Option<Form>> {
        let negative = *self.peek_second() == Kind::Symbol("-");
        let from = self.position();
        self.expect("(")?;
        if negative {
            self.next();
        }
        if let Kind::Number(numerator) = *self.peek()
            && *self.peek_second() == Kind::Symbol("/")
        {
            self.next();
            self.next();
            let Kind::Number(denominator) = *self.peek() else { return self.wrong("a number") };
            self.next();
            self.expect(")")?;
            let (numerator, denominator) = (numerator.into(), denominator.into());
            return Ok(Some(Form::Fraction { negative, numerator, denominator }));
        }
        self.back_to(from);
        Ok(None)
    }

    fn all(&mut self, start: Span) -> Result<ExpressionId> {
        self.next();
        self.expect("(")?;
        let sort = self.sort()?;
        self.expect(",")?;
        let value = self.expression()?;
        self.expect(")")?;
        let span = self.since(start);
        self.add(Form::All(sort, value), &[value], span)
    }

    fn element(&mut self, start: Span) -> Result<ExpressionId> {
        self.next();
        self.expect("(")?;
        let sort = self.sort()?;
        self.expect(",")?;
        let number = self.number("the number of an element")?;
        self.expect(")")?;
        let span = self.since(start);
        if let Sort::Declared(_) = sort {
            return self.add(Form::Element(sort, number), &[], span);
        }
        Err(Diagnostic::error(span, "elements are numbered of declared sorts only"))
    }
}
