//! Identifiers: plain, indexed `(_ name index …)` and qualified `(as name sort)`.

use super::error::{Result, excerpt, fault};
use super::lexer::Token;
use super::parser::{Binding, Parser};
use super::theory::{Index, Operator};
use crate::pool::{Func, Symbol, Term};
use crate::sort::Sort;
use crate::typing::MAX_WIDTH;
use crate::value::Value;
use smallvec::SmallVec;
use std::rc::Rc;
use value::Bits;

/// The indices of an identifier.
pub(super) type Indices<'t> = SmallVec<[Index<'t>; 2]>;

/// What stands before arguments.
pub(super) enum Head<'t> {
    Operator(&'static Operator, Indices<'t>),
    Function(Func),
    Macro(Rc<super::macros::Macro>),
    /// `(as const sort)`
    ConstArray(Sort),
}

impl<'t> Parser<'_, 't> {
    /// After `(_`: the name and indices, to and including the `)`.
    pub(super) fn indexed_identifier(&mut self) -> Result<(&'t str, Indices<'t>)> {
        let (token, at) = self.token()?;
        let (Token::Plain(name) | Token::Quoted(name)) = token else {
            self.symbol_of(&token, at)?;
            unreachable!("only symbols pass");
        };
        let mut indices = Indices::new();
        loop {
            match self.token()? {
                (Token::Numeral(text), at) => indices.push(Index { text, numeral: true, at }),
                (Token::Plain(text) | Token::Quoted(text) | Token::Hex(text), at) => {
                    indices.push(Index { text, numeral: false, at });
                }
                (Token::Close, _) if !indices.is_empty() => return Ok((name, indices)),
                (token, at) => {
                    return fault(
                        at,
                        format!(
                            "expected an index of `{}`, found {}",
                            excerpt(name),
                            token.describe()
                        ),
                        "indices are numerals or symbols: (_ extract 7 0)",
                    );
                }
            }
        }
    }

    /// The operator of an indexed identifier.
    pub(super) fn indexed_operator(
        &self,
        name: &str,
        indices: &[Index],
        at: usize,
    ) -> Result<&'static Operator> {
        match self.indexed.get(name) {
            Some(operator) if operator.indices == indices.len() => Ok(operator),
            Some(operator) => fault(
                at,
                format!("`{name}` takes {} index(es), not {}", operator.indices, indices.len()),
                "check the indices",
            ),
            None => {
                let help = match name {
                    "char" | "re.^" | "re.loop" => "strings are not supported",
                    "is" | "update" => "datatypes are not supported",
                    _ => "check the spelling, or remove the indices",
                };
                fault(at, format!("unknown indexed operator `{}`", excerpt(name)), help)
            }
        }
    }

    /// `(_ bvN width)`, if that is what it is.
    pub(super) fn decimal_bits(
        &self,
        name: &str,
        indices: &[Index],
        at: usize,
    ) -> Result<Option<Term>> {
        let Some(digits) = name.strip_prefix("bv").filter(|d| !d.is_empty()) else {
            return Ok(None);
        };
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(None);
        }
        let width = match indices {
            [index] if index.numeral => index.text.parse().unwrap_or(0),
            _ => 0u32,
        };
        if !(1..=MAX_WIDTH).contains(&width) {
            return fault(
                at,
                format!("`{}` without a proper width", excerpt(name)),
                format!("write (_ bvN width) with a width from 1 to {MAX_WIDTH}"),
            );
        }
        self.check_digits(digits, at)?;
        self.pay(u64::from(width) / 1024, at)?;
        match Bits::from_decimal(width, digits) {
            Ok(bits) => Ok(Some(self.pool.bits(bits))),
            Err(error) => {
                fault(at, format!("`{}`: {error}", excerpt(name)), "write a number below 2^width")
            }
        }
    }

    /// After `(as`: a qualified constant, to and including the `)`.
    pub(super) fn qualified_constant(&mut self, open: usize) -> Result<Term> {
        let (token, at) = self.token()?;
        let name = self.symbol_of(&token, at)?;
        let sort = self.sort()?;
        self.expect_close("the sort of `as`")?;
        if let Some(element) = self.element(name, sort) {
            return Ok(element);
        }
        if self.pool.name(name) == "const" {
            return fault(
                open,
                "`(as const …)` without an element",
                "write ((as const (Array …)) element)",
            );
        }
        let term = self.constant(name, at)?;
        if self.pool.sort(term) != sort {
            return self.wrong_ascription(name, self.pool.sort(term), sort, open);
        }
        Ok(term)
    }

    fn wrong_ascription<T>(&self, name: Symbol, is: Sort, said: Sort, at: usize) -> Result<T> {
        let show = |sort| crate::print::sort_to_string(self.pool, sort);
        let name = excerpt(self.pool.name(name));
        fault(
            at,
            format!("`{name}` is of sort {}, not {}", show(is), show(said)),
            "`as` can't convert: correct the sort",
        )
    }

    /// `(as @3 S)`, with any text before the number: an element of an uninterpreted sort.
    fn element(&self, name: Symbol, sort: Sort) -> Option<Term> {
        let Sort::Uninterpreted(sort_name) = sort else { return None };
        let text = self.pool.name(name).strip_prefix('@')?;
        let digits = text.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |i| i + 1);
        // The last character before the digits may have several bytes.
        let number = text.get(digits..)?.parse().ok()?;
        Some(self.pool.constant(Value::Element(sort_name, number)))
    }

    /// After `((as`: a qualified operator, to and including the `)` after the sort.
    pub(super) fn qualified_head(&mut self) -> Result<Head<'t>> {
        let (token, at) = self.token()?;
        let name = self.symbol_of(&token, at)?;
        let (token, sort_at) = self.token()?;
        self.put_back(token, sort_at);
        let sort = self.sort()?;
        self.expect_close("the sort of `as`")?;
        if self.pool.name(name) == "const" && self.names.get(name).is_none() {
            if self.pool.array_parts(sort).is_none() {
                let message = "the sort of `(as const …)` is no array sort";
                return fault(sort_at, message, "write ((as const (Array I E)) element)");
            }
            return Ok(Head::ConstArray(sort));
        }
        let head = self.head(name, at)?;
        let result = match &head {
            Head::Function(func) => self.pool.declaration(*func).result,
            Head::Macro(defined) => defined.result,
            _ => {
                let message = format!("`(as {} …)`", excerpt(self.pool.name(name)));
                return fault(at, message, "write the operator without `as`");
            }
        };
        if result != sort {
            return self.wrong_ascription(name, result, sort, at);
        }
        Ok(head)
    }

    /// The operator or function with this name.
    pub(super) fn head(&self, name: Symbol, at: usize) -> Result<Head<'t>> {
        match self.names.get(name) {
            Some(Binding::Operator(_, operator)) => Ok(Head::Operator(operator, Indices::new())),
            Some(Binding::Function(func)) => Ok(Head::Function(*func)),
            Some(Binding::Macro(defined)) => Ok(Head::Macro(defined.clone())),
            Some(Binding::Term(_)) => fault(
                at,
                format!("`{}` is no function", excerpt(self.pool.name(name))),
                "write a constant without parentheses",
            ),
            None => self.unknown(name, at),
        }
    }

    /// The term of a name without arguments.
    pub(super) fn constant(&self, name: Symbol, at: usize) -> Result<Term> {
        match self.names.get(name) {
            Some(Binding::Term(term)) => Ok(*term),
            Some(Binding::Operator(_, operator)) => {
                self.call(operator.name, &[], &[], at, operator.apply)
            }
            Some(_) => fault(
                at,
                format!("the function `{}` without arguments", excerpt(self.pool.name(name))),
                "apply it: (f argument …)",
            ),
            None => self.unknown(name, at),
        }
    }

    fn unknown<T>(&self, name: Symbol, at: usize) -> Result<T> {
        let name = self.pool.name(name);
        let number = name.strip_prefix('-').filter(|n| n.starts_with(|c: char| c.is_ascii_digit()));
        let help = match number {
            Some(number) => format!("negative numbers are written (- {})", excerpt(number)).into(),
            None if self.indexed.contains_key(name) => {
                format!("it needs indices: (_ {name} …)").into()
            }
            None if name.starts_with("str.") || name.starts_with("re.") => {
                "strings are not supported".into()
            }
            None => "declare it with declare-const or declare-fun before it is used".into(),
        };
        let help: std::borrow::Cow<'static, str> = help;
        fault(at, format!("unknown symbol `{}`", excerpt(name)), help)
    }
}
