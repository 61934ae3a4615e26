//! Expressions and literals as text.

use super::Printer;
use crate::ast::{
    Argument, BinaryOp, Expr, ExprKind, FieldValue, Literal, LiteralKind, PartWidth, UnaryOp,
};
use crate::dialect::Dialect;
use crate::lex::time::{SECOND, date_of};
use std::fmt::Write;

/// How an operator is written, and how strongly it binds.
fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Implies => ("-->", 1),
        BinaryOp::Or => ("OR", 2),
        BinaryOp::OrElse => ("OR_ELSE", 2),
        BinaryOp::Xor => ("XOR", 3),
        BinaryOp::And => ("AND", 4),
        BinaryOp::AndThen => ("AND_THEN", 4),
        BinaryOp::Eq => ("=", 5),
        BinaryOp::Ne => ("<>", 5),
        BinaryOp::Lt => ("<", 6),
        BinaryOp::Gt => (">", 6),
        BinaryOp::Le => ("<=", 6),
        BinaryOp::Ge => (">=", 6),
        BinaryOp::Add => ("+", 7),
        BinaryOp::Sub => ("-", 7),
        BinaryOp::Mul => ("*", 8),
        BinaryOp::Div => ("/", 8),
        BinaryOp::Mod => ("MOD", 8),
        BinaryOp::Power => ("**", 9),
    }
}

/// Prefix operators bind stronger than any other, and what follows a name stronger still.
const PREFIX: u8 = 10;
const POSTFIX: u8 = 11;

impl Printer {
    pub(super) fn expr(&mut self, expr: &Expr) {
        self.at_least(expr, 0);
    }

    /// An expression, in parentheses if it binds less strongly than this.
    fn at_least(&mut self, expr: &Expr, power: u8) {
        let own = self.strength(expr);
        if own < power {
            self.push("(");
            self.bare(expr);
            self.push(")");
        } else {
            self.bare(expr);
        }
    }

    fn strength(&self, expr: &Expr) -> u8 {
        match &expr.kind {
            ExprKind::Binary(op, ..) => operator(*op).1,
            // SCL reads `-a ** b` as `-(a ** b)`: parentheses there.
            ExprKind::Unary(op, _) if self.dialect == Dialect::Scl && *op != UnaryOp::Not => 8,
            ExprKind::Unary(..) => PREFIX,
            // No number has a field.
            ExprKind::Literal(_) | ExprKind::Array(_) | ExprKind::Struct(_) => PREFIX,
            _ => POSTFIX,
        }
    }

    fn bare(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Global(name) => {
                self.push(".");
                self.name(name);
            }
            ExprKind::This => self.push("THIS"),
            ExprKind::Super => self.push("SUPER"),
            ExprKind::Null => self.push("NULL"),
            ExprKind::Direct(direct) => self.direct(direct),
            ExprKind::Typed(path, name) => {
                self.path(path);
                self.push("#");
                self.name(name);
            }
            ExprKind::Member(base, name) => {
                self.at_least(base, POSTFIX);
                self.push(".");
                self.name(name);
            }
            ExprKind::Part(base, width, index) => {
                self.at_least(base, POSTFIX);
                // `%IX0.3.7` would be a place.
                let place = matches!(base.kind, ExprKind::Direct(_));
                let _ = match width {
                    PartWidth::Bit if !place => write!(self.out, ".{index}"),
                    _ => write!(self.out, ".%{}{index}", width.letter()),
                };
            }
            ExprKind::PartAt(base, width, index) => {
                self.at_least(base, POSTFIX);
                let _ = write!(self.out, ".%{}", width.letter());
                self.expr(index);
            }
            ExprKind::Index(base, indices) => {
                self.at_least(base, POSTFIX);
                self.push("[");
                self.list(indices, Printer::expr);
                self.push("]");
            }
            ExprKind::Deref(base) => {
                self.at_least(base, POSTFIX);
                self.push("^");
            }
            ExprKind::Call(callee, arguments) => {
                self.at_least(callee, POSTFIX);
                self.push("(");
                self.list(arguments, Printer::argument);
                self.push(")");
            }
            ExprKind::Unary(op, operand) => {
                self.push(match op {
                    UnaryOp::Plus => "+",
                    UnaryOp::Minus => "-",
                    UnaryOp::Not => "NOT ",
                });
                let scl = self.dialect == Dialect::Scl && *op != UnaryOp::Not;
                self.at_least(operand, if scl { 9 } else { PREFIX });
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Array(elements) => {
                self.push("[");
                self.list(elements, |p, element| {
                    if let Some(count) = &element.count {
                        p.expr(count);
                        p.push("(");
                        p.list(&element.values, Printer::expr);
                        p.push(")");
                    } else {
                        p.list(&element.values, Printer::expr);
                    }
                });
                self.push("]");
            }
            ExprKind::Struct(fields) => {
                self.push("(");
                self.list(fields, Printer::field);
                self.push(")");
            }
        }
    }

    /// A chain of operators that group from the left is printed without descending into it.
    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let mut chain = vec![(op, right)];
        let mut first = left;
        while let ExprKind::Binary(inner, left, right) = &first.kind {
            let outer = chain.last().map_or(op, |(op, _)| *op);
            // `-->` groups from the right.
            if operator(*inner).1 < operator(outer).1 || outer == BinaryOp::Implies {
                break;
            }
            chain.push((*inner, right));
            first = left;
        }
        let outer = chain.last().map_or(op, |(op, _)| *op);
        let implies = outer == BinaryOp::Implies;
        self.at_least(first, operator(outer).1 + u8::from(implies));
        for (op, right) in chain.into_iter().rev() {
            let (text, power) = operator(op);
            let _ = write!(self.out, " {text} ");
            self.at_least(right, power + u8::from(op != BinaryOp::Implies));
        }
    }

    fn field(&mut self, field: &FieldValue) {
        if let Some(name) = &field.name {
            self.name(name);
            self.push(" := ");
        }
        self.expr(&field.value);
    }

    fn argument(&mut self, argument: &Argument) {
        match argument {
            Argument::Positional(value) => self.expr(value),
            Argument::Input(name, value) => {
                self.name(name);
                self.push(" :=");
                self.optional(value.as_ref());
            }
            Argument::Output(name, negated, value) => {
                self.push(if *negated { "NOT " } else { "" });
                self.name(name);
                self.push(" =>");
                self.optional(value.as_ref());
            }
        }
    }

    fn optional(&mut self, value: Option<&Expr>) {
        if let Some(value) = value {
            self.push(" ");
            self.expr(value);
        }
    }

    fn literal(&mut self, literal: &Literal) {
        if let Some(ty) = &literal.ty {
            self.name(ty);
            self.push("#");
        }
        match &literal.kind {
            LiteralKind::Int { negative, value, base } => {
                self.push(if *negative { "-" } else { "" });
                let _ = match base {
                    2 => write!(self.out, "2#{value:b}"),
                    8 => write!(self.out, "8#{value:o}"),
                    16 => write!(self.out, "16#{value:X}"),
                    _ => write!(self.out, "{value}"),
                };
            }
            LiteralKind::Real { negative, digits } => {
                self.push(if *negative { "-" } else { "" });
                self.push(digits);
            }
            LiteralKind::Bool(value) => self.push(if *value { "TRUE" } else { "FALSE" }),
            LiteralKind::String { wide, text } => self.string(*wide, text),
            LiteralKind::Time { long, nanoseconds } => {
                self.push(if *long { "LTIME#" } else { "T#" });
                self.push(if *nanoseconds < 0 { "-" } else { "" });
                self.duration(nanoseconds.unsigned_abs());
            }
            LiteralKind::Date { long, days } => {
                self.push(if *long { "LDATE#" } else { "D#" });
                self.date(*days);
            }
            LiteralKind::TimeOfDay { long, nanoseconds } => {
                self.push(if *long { "LTOD#" } else { "TOD#" });
                self.clock(*nanoseconds);
            }
            LiteralKind::DateAndTime { long, nanoseconds } => {
                self.push(if *long { "LDT#" } else { "DT#" });
                let day = i128::from(86_400 * SECOND);
                self.date(nanoseconds.div_euclid(day) as i64);
                self.push("-");
                self.clock(nanoseconds.rem_euclid(day) as u64);
            }
        }
    }

    fn string(&mut self, wide: bool, text: &[u32]) {
        let quote = if wide { '"' } else { '\'' };
        self.out.push(quote);
        for &code in text {
            match char::from_u32(code) {
                Some(c) if c == quote || c == '$' => {
                    let _ = write!(self.out, "${c}");
                }
                Some('\n') => self.push("$N"),
                Some('\r') => self.push("$R"),
                Some('\t') => self.push("$T"),
                Some('\u{c}') => self.push("$P"),
                Some(c) if !c.is_control() => self.out.push(c),
                _ if wide => {
                    let _ = write!(self.out, "${code:04X}");
                }
                _ => {
                    let _ = write!(self.out, "${code:02X}");
                }
            }
        }
        self.out.push(quote);
    }

    fn duration(&mut self, nanoseconds: u128) {
        let units = [
            ("d", 86_400 * SECOND),
            ("h", 3_600 * SECOND),
            ("m", 60 * SECOND),
            ("s", SECOND),
            ("ms", 1_000_000),
            ("us", 1_000),
            ("ns", 1),
        ];
        let mut rest = nanoseconds;
        for (unit, size) in units {
            let count = rest / u128::from(size);
            rest %= u128::from(size);
            if count > 0 || (nanoseconds == 0 && unit == "s") {
                let _ = write!(self.out, "{count}{unit}");
            }
        }
    }

    fn date(&mut self, days: i64) {
        let (year, month, day) = date_of(days);
        let _ = write!(self.out, "{year:04}-{month:02}-{day:02}");
    }

    fn clock(&mut self, nanoseconds: u64) {
        let seconds = nanoseconds / SECOND;
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        let _ = write!(self.out, "{hours:02}:{minutes:02}:{:02}", seconds % 60);
        let fraction = nanoseconds % SECOND;
        if fraction > 0 {
            let digits = format!("{fraction:09}");
            let _ = write!(self.out, ".{}", digits.trim_end_matches('0'));
        }
    }
}
