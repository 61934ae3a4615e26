//! Expressions to terms, exactly as they are written: nothing is simplified.
//!
//! Sorts flow from the outside in: an operand is built knowing the sort that is needed of it, if
//! that is known, and numbers take that sort. Where it is not known, as in a comparison, an
//! operand that has a sort of its own gives it to the others.
//!
//! Some texts stand for terms of the kernel that have other operators: `a > b` is `b < a`,
//! `a >= b` on bit-vectors is `¬(a < b)`, `a - 5` on bit-vectors and floats is `a + (-5)`, as
//! constructors normalize it, and `a - b` on floats is `a + (-b)`.

use super::build::{Builder, Home};
use super::literal;
use super::syntax::{ExpressionId, Form};
use crate::words::{self, Function, sort_text};
use ::term::{Op, Sort, Term, Value};
use rustc_hash::FxHashMap;
use source::Span;
use source::diagnostic::{Diagnostic, Result};
use std::sync::Arc;
use value::{Float, Rounding};

/// The terms of `let`, by name, innermost last.
type Locals = FxHashMap<Arc<str>, Vec<Term>>;

/// Makes the term of one expression.
struct Maker<'b, 's> {
    builder: &'b mut Builder<'s>,
    locals: Locals,
}

impl Builder<'_> {
    /// The term of an expression, of the sort that is needed, if one is.
    pub(super) fn expression(
        &mut self,
        expression: ExpressionId,
        needed: Option<Sort>,
    ) -> Result<Term> {
        Maker { builder: self, locals: Locals::default() }.term(expression, needed)
    }
}

impl Maker<'_, '_> {
    fn term(&mut self, id: ExpressionId, needed: Option<Sort>) -> Result<Term> {
        let syntax = self.builder.syntax;
        let expression = &syntax.expressions[id];
        let span = expression.span;
        let term = self.form(&expression.form, span, needed)?;
        let found = self.builder.pool.sort(term);
        match needed {
            Some(needed) if needed != found => Err(self.mismatch(span, needed, found)),
            _ => Ok(term),
        }
    }

    fn mismatch(&self, span: Span, needed: Sort, found: Sort) -> Box<Diagnostic> {
        let text = |sort| sort_text(&self.builder.pool, sort);
        let message = format!("{} is needed here, this is {}", text(needed), text(found));
        let error = Diagnostic::error(span, message);
        match (needed, found) {
            (Sort::BitVec(wide), Sort::BitVec(narrow)) if wide > narrow => {
                error.help(format!("zext{wide}(…) and sext{wide}(…) widen"))
            }
            (Sort::BitVec(narrow), Sort::BitVec(_)) => {
                error.help(format!("(…)[{}:0] takes the lower bits", narrow - 1))
            }
            (Sort::Bool, Sort::BitVec(_)) => error.help("a truth value is (…) != 0"),
            (Sort::BitVec(width), Sort::Bool) => {
                error.help(format!("a number is … ? bv{width}(1) : 0"))
            }
            _ => error,
        }
    }

    fn form(&mut self, form: &Form, span: Span, needed: Option<Sort>) -> Result<Term> {
        let pool = &self.builder.pool;
        match form {
            Form::Number { .. } | Form::Special { .. } => self.number(form, span, needed),
            Form::True => Ok(pool.tru()),
            Form::False => Ok(pool.fls()),
            Form::Rounding(mode) => Ok(pool.rounding(*mode)),
            Form::Fraction { negative, numerator, denominator } => {
                let value = literal::fraction(*negative, numerator, denominator);
                value.map(|v| pool.constant(v)).map_err(|why| Diagnostic::error(span, why))
            }
            Form::Register(name) => {
                let variable = self.builder.resolve(name)?;
                Ok(self.builder.variables[variable].term)
            }
            Form::Local(name) => {
                let found = self.locals.get(name).and_then(|terms| terms.last());
                found.copied().ok_or_else(|| {
                    Diagnostic::error(span, format!("'{name}' is not bound here"))
                        .help(format!("write: let {name} = … in …"))
                })
            }
            Form::Address(name) => self.address(name),
            Form::Prefix(symbol, operand) => self.prefix(symbol, *operand, span, needed),
            Form::Infix(symbol, left, right) => self.infix(symbol, *left, *right, span, needed),
            Form::Junction(symbol, parts) => {
                let op = if *symbol == "&&" { Op::And } else { Op::Or };
                let parts = parts.iter().map(|part| self.term(*part, Some(Sort::Bool)));
                let parts: Vec<Term> = parts.collect::<Result<_>>()?;
                self.make(op, &parts, span)
            }
            Form::Choice(condition, then, other) => {
                let condition = self.term(*condition, Some(Sort::Bool))?;
                let branches = self.alike(&[*then, *other], needed)?;
                self.make(Op::Ite, &[condition, branches[0], branches[1]], span)
            }
            Form::Index(array, index) => {
                let (array, index_sort, _) = self.array(*array)?;
                let index = self.term(*index, Some(index_sort))?;
                self.make(Op::Select, &[array, index], span)
            }
            Form::Update(array, index, value) => {
                let (array, index_sort, element) = self.array(*array)?;
                let index = self.term(*index, Some(index_sort))?;
                let value = self.term(*value, Some(element))?;
                self.make(Op::Store, &[array, index, value], span)
            }
            Form::Extract(operand, high, low) => {
                let operand = self.term(*operand, None)?;
                self.make(Op::BvExtract { high: *high, low: *low }, &[operand], span)
            }
            Form::Function(function, arguments) => self.function(function, arguments, span),
            Form::Apply(name, arguments) => self.apply(name, arguments, span),
            Form::All(sort, value) => {
                let sort = self.builder.sort(sort)?;
                let parts = self.builder.pool.array_parts(sort);
                let value = self.term(*value, parts.map(|(_, element)| element))?;
                self.make(Op::ConstArray(sort), &[value], span)
            }
            Form::Element(sort, number) => match self.builder.sort(sort)? {
                Sort::Uninterpreted(symbol) => {
                    Ok(self.builder.pool.constant(Value::Element(symbol, *number)))
                }
                _ => Err(Diagnostic::error(span, "elements are numbered of declared sorts only")),
            },
            Form::Let(bindings, body) => self.bindings(bindings, *body, needed),
        }
    }

    /// The term with this operator, as it is.
    fn make(&self, op: Op, args: &[Term], span: Span) -> Result<Term> {
        let made = self.builder.pool.try_exactly(op, args);
        made.map_err(|error| Diagnostic::error(span, error.to_string()))
    }

    fn bindings(
        &mut self,
        bindings: &[(Arc<str>, ExpressionId)],
        body: ExpressionId,
        needed: Option<Sort>,
    ) -> Result<Term> {
        for (name, value) in bindings {
            let value = self.term(*value, None)?;
            self.locals.entry(name.clone()).or_default().push(value);
        }
        let result = self.term(body, needed);
        for (name, _) in bindings {
            self.locals.get_mut(name).and_then(Vec::pop);
        }
        result
    }

    fn number(&mut self, form: &Form, span: Span, needed: Option<Sort>) -> Result<Term> {
        let sort = needed.ok_or_else(|| {
            let message = "the sort of this number does not follow from what stands around it";
            Diagnostic::error(span, message).help("write it before the number: bv32(5)")
        })?;
        let value = match (form, sort) {
            (Form::Number { negative, text }, _) => literal::number(*negative, text, sort),
            (Form::Special { negative, nan: false }, Sort::Float(format)) => {
                Ok(Value::Float(Float::infinity(format, *negative)))
            }
            (Form::Special { nan: true, .. }, Sort::Float(format)) => {
                Ok(Value::Float(Float::nan(format)))
            }
            _ => Err("floats alone have infinities and no-numbers".into()),
        };
        let constant = value.map(|value| self.builder.pool.constant(value));
        constant.map_err(|why| {
            let sort = sort_text(&self.builder.pool, sort);
            Diagnostic::error(span, why).label(format!("{sort} is needed here"))
        })
    }

    fn address(&mut self, name: &super::syntax::Name) -> Result<Term> {
        Ok(match self.builder.home_of(name)? {
            Home::Object(id) => self.builder.objects[id].address,
            Home::Function(id) => {
                let pool = &self.builder.pool;
                let word = self.builder.word;
                let address = &mut self.builder.functions[id].address;
                *address.get_or_insert_with(|| pool.var(&format!("&{}", name.text), word))
            }
        })
    }

    /// Operands of one sort: the one that is needed, or that of the first that has its own.
    fn alike(&mut self, operands: &[ExpressionId], needed: Option<Sort>) -> Result<Vec<Term>> {
        let syntax = self.builder.syntax;
        let own = operands.iter().position(|o| !syntax.expressions[*o].open);
        // Each operand is built once: what is built twice at every level takes forever.
        let (first, sort) = match (needed, own) {
            (None, Some(own)) => {
                let term = self.term(operands[own], None)?;
                (Some((own, term)), Some(self.builder.pool.sort(term)))
            }
            _ => (None, needed),
        };
        let operands = operands.iter().enumerate();
        let built = operands.map(|(i, operand)| match first {
            Some((own, term)) if own == i => Ok(term),
            _ => self.term(*operand, sort),
        });
        built.collect()
    }

    fn array(&mut self, array: ExpressionId) -> Result<(Term, Sort, Sort)> {
        let term = self.term(array, None)?;
        let sort = self.builder.pool.sort(term);
        match self.builder.pool.array_parts(sort) {
            Some((index, element)) => Ok((term, index, element)),
            None => {
                let span = self.builder.syntax.expressions[array].span;
                let found = sort_text(&self.builder.pool, sort);
                Err(Diagnostic::error(span, format!("an array is needed here, this is {found}"))
                    .help("bits are taken by x[high:low], memory is read by 'load'"))
            }
        }
    }

    fn prefix(
        &mut self,
        symbol: &str,
        operand: ExpressionId,
        span: Span,
        needed: Option<Sort>,
    ) -> Result<Term> {
        let operand = self.term(operand, if symbol == "!" { Some(Sort::Bool) } else { needed })?;
        let op = match (symbol, self.builder.pool.sort(operand)) {
            ("!", _) => Op::Not,
            ("~", _) => Op::BvNot,
            (_, Sort::Float(_)) => Op::FpNeg,
            (_, Sort::Int | Sort::Real) => Op::Neg,
            _ => Op::BvNeg,
        };
        self.make(op, &[operand], span)
    }

    fn infix(
        &mut self,
        symbol: &str,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
        needed: Option<Sort>,
    ) -> Result<Term> {
        if symbol == "++" {
            let (left, right) = (self.term(left, None)?, self.term(right, None)?);
            return self.make(Op::BvConcat, &[left, right], span);
        }
        if let Some(op) = comparison(symbol) {
            let operands = self.alike(&[left, right], None)?;
            return self.compare(op, operands[0], operands[1], span);
        }
        let operands = self.alike(&[left, right], needed)?;
        let (a, b) = (operands[0], operands[1]);
        let literal = matches!(
            self.builder.syntax.expressions[right].form,
            Form::Number { .. } | Form::Special { .. }
        );
        match self.builder.pool.sort(a) {
            Sort::Float(_) => self.float_infix(symbol, a, b, literal, span),
            Sort::Int | Sort::Real => {
                let integer = self.builder.pool.sort(a) == Sort::Int;
                let op = match symbol {
                    "+" => Op::Add,
                    "-" => Op::Sub,
                    "*" => Op::Mul,
                    "/" if integer => Op::IntDiv,
                    "/" => Op::RealDiv,
                    "%" if integer => Op::IntMod,
                    _ => return Err(self.no_operator(symbol, a, span)),
                };
                self.make(op, &[a, b], span)
            }
            Sort::BitVec(_) if symbol == "-" && literal => {
                let b = self.builder.pool.bv_neg(b);
                self.make(Op::BvAdd, &[a, b], span)
            }
            Sort::BitVec(_) => match bit_operator(symbol) {
                Some(op) => self.make(op, &[a, b], span),
                None => Err(self.no_operator(symbol, a, span)),
            },
            _ => Err(self.no_operator(symbol, a, span)),
        }
    }

    fn no_operator(&self, symbol: &str, operand: Term, span: Span) -> Box<Diagnostic> {
        let sort = sort_text(&self.builder.pool, self.builder.pool.sort(operand));
        Diagnostic::error(span, format!("there is no operator '{symbol}' for {sort}"))
    }

    fn float_infix(
        &mut self,
        symbol: &str,
        a: Term,
        b: Term,
        literal: bool,
        span: Span,
    ) -> Result<Term> {
        let nearest = self.builder.pool.rounding(Rounding::NearestEven);
        let (op, b) = match symbol {
            "+" => (Op::FpAdd, b),
            // A negated constant is a constant.
            "-" if literal => (Op::FpAdd, self.builder.pool.fp_neg(b)),
            "-" => (Op::FpAdd, self.make(Op::FpNeg, &[b], span)?),
            "*" => (Op::FpMul, b),
            "/" => (Op::FpDiv, b),
            _ => return Err(self.no_operator(symbol, a, span)),
        };
        self.make(op, &[nearest, a, b], span)
    }

    fn compare(&mut self, comparison: Comparison, a: Term, b: Term, span: Span) -> Result<Term> {
        let sort = self.builder.pool.sort(a);
        let float = matches!(sort, Sort::Float(_));
        let (op, swap, negate) = match comparison {
            Comparison::Equal { identical, negate } => {
                (if float && !identical { Op::FpEq } else { Op::Eq }, false, negate)
            }
            Comparison::Less { unsigned, or_equal, swap } => match sort {
                Sort::BitVec(_) => {
                    let op = if unsigned { Op::BvUlt } else { Op::BvSlt };
                    // a <= b is ¬(b < a)
                    (op, swap != or_equal, or_equal)
                }
                Sort::Float(_) if !unsigned && or_equal => (Op::FpLeq, swap, false),
                Sort::Float(_) if !unsigned => (Op::FpLt, swap, false),
                Sort::Int | Sort::Real if !unsigned && or_equal => (Op::Le, swap, false),
                Sort::Int | Sort::Real if !unsigned => (Op::Lt, swap, false),
                _ => return Err(self.no_operator(if unsigned { "<u" } else { "<" }, a, span)),
            },
        };
        let term = self.make(op, &if swap { [b, a] } else { [a, b] }, span)?;
        if negate { self.make(Op::Not, &[term], span) } else { Ok(term) }
    }

    fn apply(
        &mut self,
        name: &super::syntax::Name,
        arguments: &[ExpressionId],
        span: Span,
    ) -> Result<Term> {
        let Some((function, _)) = self.builder.pure.get(&name.text).copied() else {
            let message = format!("there is no pure function '{}'", name.text);
            return Err(Diagnostic::error(name.span, message)
                .help("functions of the program are called by a statement: x := call f(…)"));
        };
        let sorts = self.builder.pool.declaration(function).params.clone();
        let arguments = arguments.iter().enumerate();
        let arguments = arguments.map(|(i, a)| self.term(*a, sorts.get(i).copied()));
        let arguments: Vec<Term> = arguments.collect::<Result<_>>()?;
        self.make(Op::Apply(function), &arguments, span)
    }

    fn function(
        &mut self,
        function: &Function,
        arguments: &[ExpressionId],
        span: Span,
    ) -> Result<Term> {
        let syntax = self.builder.syntax;
        if let (Function::Sort(sort), [argument]) = (function, arguments)
            && syntax.expressions[*argument].open
        {
            return self.term(*argument, Some(*sort));
        }
        // The rounding mode comes first, if it is written.
        let mode = match arguments.split_first() {
            Some((first, [_, ..])) if !syntax.expressions[*first].open => {
                let first = self.term(*first, None)?;
                Some(first)
            }
            _ => None,
        };
        let is_mode = |term: &Term| self.builder.pool.sort(*term) == Sort::RoundingMode;
        let (mode, mut args) = match mode {
            Some(mode) if is_mode(&mode) => (Some(mode), self.operands(function, &arguments[1..])?),
            Some(first) => {
                let sort = self.builder.pool.sort(first);
                let rest = arguments[1..].iter().map(|a| self.term(*a, Some(sort)));
                let rest: Vec<Term> = rest.collect::<Result<_>>()?;
                (None, [vec![first], rest].concat())
            }
            None => (None, self.operands(function, arguments)?),
        };
        let op = self.operator(function, &args, span)?;
        if words::rounds(&op) {
            let nearest = || self.builder.pool.rounding(Rounding::NearestEven);
            args.insert(0, mode.unwrap_or_else(nearest));
        } else if let Some(mode) = mode {
            args.insert(0, mode);
        }
        self.make(op, &args, span)
    }

    /// The operands of a function beside the rounding mode.
    fn operands(&mut self, function: &Function, operands: &[ExpressionId]) -> Result<Vec<Term>> {
        let needed = match function {
            Function::FromBits(format) => Some(Sort::BitVec(format.width())),
            Function::IntToBits(_) => Some(Sort::Int),
            _ => None,
        };
        self.alike(operands, needed)
    }

    fn operator(&self, function: &Function, args: &[Term], span: Span) -> Result<Op> {
        let argument = args.first().map(|a| self.builder.pool.sort(*a));
        Ok(match function {
            Function::Plain(op) | Function::ToBits(op) => op.clone(),
            Function::IntToBits(width) => Op::IntToBv(*width),
            Function::FromBits(format) => Op::FpFromBits(*format),
            Function::FromUnsigned(format) => Op::FpFromUbv(*format),
            Function::Extend { signed, width } => {
                let by = argument.and_then(Sort::width).and_then(|from| width.checked_sub(from));
                match by {
                    Some(by) if *signed => Op::BvSignExtend(by),
                    Some(by) => Op::BvZeroExtend(by),
                    None => {
                        let message = format!("only what has at most {width} bits can be widened");
                        return Err(Diagnostic::error(span, message));
                    }
                }
            }
            Function::Sort(Sort::Float(format)) => match argument {
                Some(Sort::Float(_)) => Op::FpToFp(*format),
                Some(Sort::Real) => Op::FpFromReal(*format),
                _ => Op::FpFromSbv(*format),
            },
            Function::Sort(sort) => {
                let sort = sort_text(&self.builder.pool, *sort);
                return Err(Diagnostic::error(span, format!("{sort}(…) takes a number"))
                    .help("zext32(…) and sext32(…) widen, x[31:0] takes bits"));
            }
        })
    }
}

/// What a symbol compares.
#[derive(Clone, Copy)]
enum Comparison {
    Equal { identical: bool, negate: bool },
    Less { unsigned: bool, or_equal: bool, swap: bool },
}

fn comparison(symbol: &str) -> Option<Comparison> {
    let less =
        |or_equal, swap| Comparison::Less { unsigned: symbol.ends_with('u'), or_equal, swap };
    Some(match symbol {
        "==" => Comparison::Equal { identical: false, negate: false },
        "!=" => Comparison::Equal { identical: false, negate: true },
        "===" => Comparison::Equal { identical: true, negate: false },
        "!==" => Comparison::Equal { identical: true, negate: true },
        "<" | "<u" => less(false, false),
        ">" | ">u" => less(false, true),
        "<=" | "<=u" => less(true, false),
        ">=" | ">=u" => less(true, true),
        _ => return None,
    })
}

fn bit_operator(symbol: &str) -> Option<Op> {
    Some(match symbol {
        "&" => Op::BvAnd,
        "|" => Op::BvOr,
        "^" => Op::BvXor,
        "+" => Op::BvAdd,
        "-" => Op::BvSub,
        "*" => Op::BvMul,
        "/" => Op::BvSdiv,
        "/u" => Op::BvUdiv,
        "%" => Op::BvSrem,
        "%u" => Op::BvUrem,
        "<<" => Op::BvShl,
        ">>" => Op::BvAshr,
        ">>u" => Op::BvLshr,
        _ => return None,
    })
}
