//! Terms, read without recursion: a stack of what is open, and one of finished arguments.

use super::budget::{MAX_DIGITS, Refusal};
use super::error::{Result, excerpt, fault};
use super::identifier::Head;
use super::lexer::Token;
use super::macros::Macro;
use super::parser::{Binding, Parser};
use super::theory::{Arg, Call, Index, SIZE_HELP, SORT_HELP};
use crate::op::Op;
use crate::pool::{Func, Symbol, Term};
use crate::print::sort_to_string;
use crate::sort::Sort;
use crate::typing::MAX_WIDTH;
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use value::Bits;

/// A term that is still open.
enum Frame<'t> {
    /// `(head arg … `
    Apply { head: Head<'t>, at: usize, base: usize },
    /// `(let ((name term) … (name`; the terms are the arguments from `base` on.
    Bindings { names: Vec<Symbol>, at: usize, base: usize },
    /// `(let (…)`
    Body { mark: usize, at: usize },
    /// `(forall (…)`
    Quantifier { op: Op, bound: Vec<Term>, mark: usize, at: usize },
    /// `(!`
    Annotation { at: usize },
}

/// The stacks of the reader.
#[derive(Default)]
struct Stacks<'t> {
    frames: Vec<Frame<'t>>,
    args: Vec<Arg>,
}

impl<'t> Parser<'_, 't> {
    /// A term.
    pub(super) fn term(&mut self) -> Result<Arg> {
        self.outer_name = None;
        let mut stacks = Stacks::default();
        loop {
            if let Some(term) = self.step(&mut stacks)?
                && let Some(whole) = self.deliver(&mut stacks, term)?
            {
                return Ok(whole);
            }
        }
    }

    /// Reads one token: opens a frame, or finishes a term.
    fn step(&mut self, stacks: &mut Stacks<'t>) -> Result<Option<Arg>> {
        let (token, at) = self.token()?;
        let term = match &token {
            Token::Open => return self.open(stacks, at),
            Token::Close => return self.close(stacks, at).map(Some),
            Token::Plain(_) | Token::Quoted(_) => {
                let name = self.symbol_of(&token, at)?;
                self.constant(name, at)?
            }
            Token::Numeral(digits) => self.number(digits, "", at)?,
            Token::Decimal(text) => {
                let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
                self.number(whole, fraction, at)?
            }
            Token::Hex(digits) => self.bits(digits.len() as u64 * 4, at, Bits::from_hex(digits))?,
            Token::Binary(digits) => {
                self.bits(digits.len() as u64, at, Bits::from_binary(digits))?
            }
            Token::Text(_) => return fault(at, "a string", "strings are not supported"),
            Token::Keyword(_) | Token::End => {
                return fault(
                    at,
                    format!("expected a term, found {}", token.describe()),
                    "check the parentheses",
                );
            }
        };
        Ok(Some(Arg { term, at }))
    }

    /// After `(`.
    fn open(&mut self, stacks: &mut Stacks<'t>, at: usize) -> Result<Option<Arg>> {
        let (token, name_at) = self.token()?;
        let base = stacks.args.len();
        let frame = match token {
            Token::Plain("let") => {
                self.expect_open("the bindings of `let`")?;
                let frame = Frame::Bindings { names: Vec::new(), at, base };
                stacks.frames.push(frame);
                self.next_binding(stacks)?;
                return Ok(None);
            }
            Token::Plain("forall") => self.quantifier(Op::Forall, at)?,
            Token::Plain("exists") => self.quantifier(Op::Exists, at)?,
            Token::Plain("!") => Frame::Annotation { at },
            Token::Plain("_") => {
                let (name, indices) = self.indexed_identifier()?;
                let term = match self.decimal_bits(name, &indices, at)? {
                    Some(term) => term,
                    None => {
                        let operator = self.indexed_operator(name, &indices, at)?;
                        self.call(name, &indices, &[], at, operator.apply)?
                    }
                };
                return Ok(Some(Arg { term, at }));
            }
            Token::Plain("as") => {
                let term = self.qualified_constant(at)?;
                return Ok(Some(Arg { term, at }));
            }
            Token::Plain(word @ ("match" | "par" | "lambda")) => {
                return fault(
                    at,
                    format!("`{word}` is not supported"),
                    "write the term without it",
                );
            }
            Token::Open => Frame::Apply { head: self.compound_head(name_at)?, at, base },
            Token::Plain(_) | Token::Quoted(_) => {
                let name = self.symbol_of(&token, name_at)?;
                Frame::Apply { head: self.head(name, name_at)?, at, base }
            }
            _ => {
                return fault(
                    name_at,
                    format!("expected an operator or function, found {}", token.describe()),
                    "an application is written (f argument …)",
                );
            }
        };
        stacks.frames.push(frame);
        Ok(None)
    }

    /// After `((`: an indexed or qualified operator.
    fn compound_head(&mut self, at: usize) -> Result<Head<'t>> {
        match self.token()? {
            (Token::Plain("_"), _) => {
                let (name, indices) = self.indexed_identifier()?;
                Ok(Head::Operator(self.indexed_operator(name, &indices, at)?, indices))
            }
            (Token::Plain("as"), _) => self.qualified_head(),
            (token, at) => fault(
                at,
                format!("expected `_` or `as` after `((`, found {}", token.describe()),
                "an operator is a name, (_ name index …) or (as name sort)",
            ),
        }
    }

    /// After `(forall` or `(exists`.
    fn quantifier(&mut self, op: Op, at: usize) -> Result<Frame<'t>> {
        let mark = self.names.mark();
        let bound = self.sorted_vars("variables of the quantifier")?;
        if bound.is_empty() {
            return fault(at, "a quantifier without variables", "write ((x Int) …) after it");
        }
        self.binders += 1;
        Ok(Frame::Quantifier { op, bound, mark, at })
    }

    /// `((name sort) …)`: binds the names to new variables until the caller leaves the scope.
    pub(super) fn sorted_vars(&mut self, what: &str) -> Result<Vec<Term>> {
        self.expect_open(&format!("the {what}"))?;
        let (mut vars, mut names) = (Vec::new(), FxHashSet::default());
        loop {
            match self.token()? {
                (Token::Close, _) => return Ok(vars),
                (Token::Open, _) => {}
                (token, at) => {
                    return fault(
                        at,
                        format!("expected `(name sort)`, found {}", token.describe()),
                        format!("write the {what} as ((x Int) …)"),
                    );
                }
            }
            let (token, at) = self.token()?;
            let name = self.symbol_of(&token, at)?;
            if !names.insert(name) {
                return self.bound_twice(name, at);
            }
            let sort = self.sort()?;
            self.expect_close("the sort of a variable")?;
            self.pay(1, at)?;
            let var = self.macros.bound_var(self.pool, name, sort);
            self.names.bind(name, Binding::Term(var));
            vars.push(var);
        }
    }

    fn bound_twice<T>(&self, name: Symbol, at: usize) -> Result<T> {
        let name = excerpt(self.pool.name(name));
        fault(at, format!("`{name}` is bound twice at once"), "rename one of the two")
    }

    /// `)` where a term could start.
    fn close(&mut self, stacks: &mut Stacks<'t>, close: usize) -> Result<Arg> {
        match stacks.frames.pop() {
            Some(Frame::Apply { head, at, base }) => {
                let term = self.application(head, at, &stacks.args[base..])?;
                stacks.args.truncate(base);
                Ok(Arg { term, at })
            }
            _ => fault(close, "expected a term, found `)`", "check the parentheses"),
        }
    }

    /// Hands a finished term to the innermost frame; frames that only wait for it are finished
    /// too. The whole term, once no frame is left.
    fn deliver(&mut self, stacks: &mut Stacks<'t>, mut term: Arg) -> Result<Option<Arg>> {
        loop {
            match stacks.frames.last() {
                None => return Ok(Some(term)),
                Some(Frame::Apply { .. }) => {
                    stacks.args.push(term);
                    return Ok(None);
                }
                Some(Frame::Bindings { .. }) => {
                    stacks.args.push(term);
                    self.expect_close("the term of a `let` binding")?;
                    self.next_binding(stacks)?;
                    return Ok(None);
                }
                Some(Frame::Body { .. } | Frame::Quantifier { .. } | Frame::Annotation { .. }) => {}
            }
            term = match stacks.frames.pop() {
                Some(Frame::Body { mark, at }) => {
                    self.expect_close("the body of `let`")?;
                    self.names.leave(mark);
                    Arg { term: term.term, at }
                }
                Some(Frame::Quantifier { op, bound, mark, at }) => {
                    self.quantified(op, bound, mark, term, at)?
                }
                Some(Frame::Annotation { at }) => {
                    self.annotations(term.term, stacks.frames.is_empty())?;
                    Arg { term: term.term, at }
                }
                _ => unreachable!("the other frames were dealt with above"),
            };
        }
    }

    /// Before a binding of `let`, or the `)` after the last.
    fn next_binding(&mut self, stacks: &mut Stacks<'t>) -> Result<()> {
        match self.token()? {
            (Token::Open, _) => {
                let (token, at) = self.token()?;
                let name = self.symbol_of(&token, at)?;
                if let Some(Frame::Bindings { names, .. }) = stacks.frames.last_mut() {
                    names.push(name);
                }
                Ok(())
            }
            (Token::Close, _) => self.bind_all(stacks),
            (token, at) => fault(
                at,
                format!("expected `(name term)` in `let`, found {}", token.describe()),
                "write the bindings as ((x term) …)",
            ),
        }
    }

    /// After all bindings: they take effect at once.
    fn bind_all(&mut self, stacks: &mut Stacks<'t>) -> Result<()> {
        let Some(Frame::Bindings { names, at, base }) = stacks.frames.pop() else {
            unreachable!("called for a frame of bindings only");
        };
        let mark = self.names.mark();
        let mut seen = FxHashSet::default();
        for (name, arg) in names.into_iter().zip(stacks.args.drain(base..)) {
            if !seen.insert(name) {
                return self.bound_twice(name, at);
            }
            self.names.bind(name, Binding::Term(arg.term));
        }
        stacks.frames.push(Frame::Body { mark, at });
        Ok(())
    }

    fn quantified(
        &mut self,
        op: Op,
        mut bound: Vec<Term>,
        mark: usize,
        body: Arg,
        at: usize,
    ) -> Result<Arg> {
        self.expect_close("the body of the quantifier")?;
        self.names.leave(mark);
        self.binders -= 1;
        self.expect_bool(body, "the body of a quantifier")?;
        bound.push(body.term);
        match self.budget.make(op, &bound) {
            Ok(term) => Ok(Arg { term, at }),
            Err(refusal) => self.refused("the quantifier", refusal, at),
        }
    }

    /// The attributes of `(! term …)`, to and including the `)`.
    fn annotations(&mut self, term: Term, whole: bool) -> Result<()> {
        let mut any = false;
        loop {
            match self.token()? {
                (Token::Keyword(":named"), at) => self.name_term(term, whole, at)?,
                (Token::Keyword(_), _) => self.skip_attribute_value()?,
                (Token::Close, _) if any => return Ok(()),
                (token, at) => {
                    return fault(
                        at,
                        format!("expected an attribute, found {}", token.describe()),
                        "write (! term :attribute value)",
                    );
                }
            }
            any = true;
        }
    }

    fn skip_attribute_value(&mut self) -> Result<()> {
        let (token, at) = self.token()?;
        let none = matches!(token, Token::Keyword(_) | Token::Close);
        self.put_back(token, at);
        if none { Ok(()) } else { self.skip() }
    }

    fn name_term(&mut self, term: Term, whole: bool, at: usize) -> Result<()> {
        let name = self.new_name()?;
        if self.binders > 0 {
            return fault(
                at,
                "`:named` inside a quantifier or a definition with parameters",
                "name closed terms only",
            );
        }
        self.declare_named(name, Binding::Term(term));
        self.named.push((name, term));
        if whole {
            self.outer_name = Some(name);
        }
        Ok(())
    }

    // ---- applications

    fn application(&mut self, head: Head<'t>, at: usize, args: &[Arg]) -> Result<Term> {
        match head {
            Head::Operator(operator, indices) => {
                self.call(operator.name, &indices, args, at, operator.apply)
            }
            Head::Function(func) => self.apply_function(func, at, args),
            Head::Macro(defined) => self.apply_macro(&defined, at, args),
            Head::ConstArray(sort) => self.const_array(sort, at, args),
        }
    }

    /// An operator of a theory.
    pub(super) fn call(
        &self,
        name: &str,
        indices: &[Index],
        args: &[Arg],
        at: usize,
        apply: fn(&Call) -> Result<Term>,
    ) -> Result<Term> {
        apply(&Call { budget: &self.budget, name, at, indices, args })
    }

    fn apply_function(&self, func: Func, at: usize, args: &[Arg]) -> Result<Term> {
        let function = self.pool.declaration(func);
        let name = self.pool.name(function.name);
        let terms = self.fitting(name, &function.params, at, args)?;
        match self.budget.make(Op::Apply(func), &terms) {
            Ok(term) => Ok(term),
            Err(refusal) => self.refused(&format!("`{}`", excerpt(name)), refusal, at),
        }
    }

    fn apply_macro(&mut self, defined: &Macro, at: usize, args: &[Arg]) -> Result<Term> {
        let params: Vec<Sort> = defined.params.iter().map(|p| self.pool.sort(*p)).collect();
        let name = self.pool.name(defined.name);
        let terms = self.fitting(name, &params, at, args)?;
        match self.macros.expand(&self.budget, defined, &terms) {
            Ok(term) => Ok(term),
            Err(refusal) => self.refused(&format!("`{}`", excerpt(name)), refusal, at),
        }
    }

    fn const_array(&self, sort: Sort, at: usize, args: &[Arg]) -> Result<Term> {
        let element = self.pool.array_parts(sort).map(|(_, element)| element);
        let params = element.as_slice();
        let terms = self.fitting("(as const …)", params, at, args)?;
        match self.budget.make(Op::ConstArray(sort), &terms) {
            Ok(term) => Ok(term),
            Err(refusal) => self.refused("(as const …)", refusal, at),
        }
    }

    /// The arguments of a function, converted to its parameters' sorts.
    fn fitting(
        &self,
        name: &str,
        params: &[Sort],
        at: usize,
        args: &[Arg],
    ) -> Result<SmallVec<[Term; 4]>> {
        let name = excerpt(name);
        if params.len() != args.len() {
            return fault(
                at,
                format!("`{name}` takes {} argument(s), not {}", params.len(), args.len()),
                "check the parentheses and the number of arguments",
            );
        }
        let converted = |(i, (arg, sort)): (usize, (&Arg, &Sort))| {
            self.converted(*arg, *sort, &format_args!("argument {} of `{name}`", i + 1))
        };
        args.iter().zip(params).enumerate().map(converted).collect()
    }

    /// A term where one of this sort is due: an Int becomes a Real.
    pub(super) fn converted(
        &self,
        arg: Arg,
        sort: Sort,
        what: &(impl std::fmt::Display + ?Sized),
    ) -> Result<Term> {
        let found = self.pool.sort(arg.term);
        if found == sort {
            return Ok(arg.term);
        }
        if (found, sort) == (Sort::Int, Sort::Real) {
            return match self.budget.make(Op::ToReal, &[arg.term]) {
                Ok(term) => Ok(term),
                Err(refusal) => self.refused("to_real", refusal, arg.at),
            };
        }
        let (expected, found) = (sort_to_string(self.pool, sort), sort_to_string(self.pool, found));
        fault(arg.at, format!("{what} must be {expected}, but is {found}"), SORT_HELP)
    }

    fn refused<T>(&self, what: &str, refusal: Refusal, at: usize) -> Result<T> {
        match refusal {
            Refusal::Size(message) => fault(at, format!("{what}: {message}"), SIZE_HELP),
            Refusal::Sort(error) => fault(at, format!("{what}: {error}"), SORT_HELP),
        }
    }

    /// Pays for something that is not an operator.
    pub(super) fn pay(&self, units: u64, at: usize) -> Result<()> {
        self.budget.spend(units).or_else(|refusal| self.refused("this", refusal, at))
    }

    // ---- literals

    pub(super) fn check_digits(&self, digits: &str, at: usize) -> Result<()> {
        if digits.len() <= MAX_DIGITS {
            return Ok(());
        }
        let message = format!("a number with {} digits", digits.len());
        fault(at, message, format!("numbers with up to {MAX_DIGITS} digits are supported"))
    }

    /// A numeral, or a decimal if there is a fraction.
    fn number(&self, whole: &str, fraction: &str, at: usize) -> Result<Term> {
        let digits = [whole, fraction].concat();
        self.check_digits(&digits, at)?;
        let unsigned = BigUint::parse_bytes(digits.as_bytes(), 10).expect("the lexer found digits");
        let integer = BigInt::from(unsigned);
        if fraction.is_empty() && !self.logic.numerals_are_real() {
            return Ok(self.pool.int(integer));
        }
        let scale = BigInt::from(10u32).pow(fraction.len() as u32);
        let words = digits.len() as u64 / 19;
        self.pay(words * words / 16, at)?;
        Ok(self.pool.real(BigRational::new(integer, scale)))
    }

    /// A hexadecimal or binary literal.
    fn bits(
        &self,
        width: u64,
        at: usize,
        bits: std::result::Result<Bits, impl std::fmt::Display>,
    ) -> Result<Term> {
        match bits {
            Ok(bits) if width <= u64::from(MAX_WIDTH) => Ok(self.pool.bits(bits)),
            Ok(_) => fault(
                at,
                format!("a bit-vector of width {width}"),
                format!("widths from 1 to {MAX_WIDTH} are supported"),
            ),
            Err(error) => fault(at, error.to_string(), "correct the literal"),
        }
    }
}
