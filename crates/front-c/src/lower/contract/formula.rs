//! Formulas that are assumed or checked, part by part.
//!
//! `a && b` is two formulas, of `a || b` one of both. Where a part is about all values of a
//! variable and is checked, or about some and is assumed, the variable takes an unknown value; that
//! is exact. A check of all values is made on a way of its own, for the run goes on with all of
//! them; the value that it is made for is the same in all checks of a run, so that what is
//! assumed of all values can be assumed of that one ([`super::quantifier`]).

use super::super::Lowerer;
use crate::ast::Spelling;
use crate::contract::{Formula, Quantified};
use crate::diagnostic::Result;
use crate::source::Span;
use crate::typed::{BinaryOp, Builtin, Comparison, Conversion, ExprId, ExprKind, MemoryQuestion};
use program::Property;
use program::program::Cause;
use term::Sort;

/// What a formula consists of.
pub(super) enum Parts<'a> {
    /// Both, or one of both.
    Two { and: bool, left: ExprId, right: ExprId },
    /// The opposite of another one.
    Not(ExprId),
    /// A formula about a variable.
    Quantified(&'a Quantified),
    /// A question about memory.
    Memory(MemoryQuestion, &'a [ExprId]),
    /// Two pointers that are equal.
    Equal(ExprId, ExprId),
    /// Something else.
    Plain,
}

impl<'a> Lowerer<'a> {
    /// What a formula consists of, looked at through conversions to truth values and back.
    pub(super) fn parts(&self, mut expr: ExprId) -> Parts<'a> {
        let c = self.c;
        loop {
            match &c.exprs[expr].kind {
                ExprKind::Convert(
                    Conversion::ToBool | Conversion::IntToInt | Conversion::Same,
                    operand,
                ) if c.types.is_integer(c.exprs[*operand].ty) => expr = *operand,
                ExprKind::Logical { and, left, right } => {
                    return Parts::Two { and: *and, left: *left, right: *right };
                }
                ExprKind::Not(operand) => return Parts::Not(*operand),
                ExprKind::Quantified(quantified) => return Parts::Quantified(quantified),
                ExprKind::Builtin(Builtin::Memory(question), arguments) => {
                    return Parts::Memory(*question, arguments);
                }
                ExprKind::Binary(BinaryOp::Compare(Comparison::Eq), left, right)
                    if c.types.pointee(c.exprs[*left].ty).is_some() =>
                {
                    return Parts::Equal(*left, *right);
                }
                _ => return Parts::Plain,
            }
        }
    }

    /// Whether a formula has parts that are better looked at by themselves.
    pub(super) fn is_special(&self, root: ExprId) -> bool {
        let mut todo = vec![root];
        while let Some(expr) = todo.pop() {
            let kind = &self.c.exprs[expr].kind;
            if let ExprKind::Quantified(_) | ExprKind::Builtin(Builtin::Memory(_), _) = kind {
                return true;
            }
            self.c.operands(kind, &mut todo);
        }
        false
    }

    /// Lowers a clause of a contract; integers of ACSL do not overflow.
    fn clause(
        &mut self,
        formula: &Formula,
        work: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let outer = std::mem::replace(&mut self.unbounded, formula.spelling == Spelling::Acsl);
        self.formulas += 1;
        let result = self.full_expression(work);
        self.formulas -= 1;
        self.unbounded = outer;
        result
    }

    /// Checks a clause; a violation is at the span.
    pub(super) fn check_clause(&mut self, formula: &Formula, span: Span) -> Result<()> {
        if !self.options.properties.contains(&Property::Assert) {
            // Runs that fail a check end there, asked for or not.
            self.span = span;
            self.assume_that("contracts hold where they would be checked by 'assert'".into());
        }
        self.clause(formula, |l| l.check_formula(formula.truth, false, span))
    }

    /// Assumes a clause, whose fresh objects are made.
    pub(super) fn assume_clause(&mut self, formula: &Formula, make: bool) -> Result<()> {
        self.clause(formula, |l| l.assume_formula(formula.truth, false, make))
    }

    /// A condition that the program itself checks, as an assertion.
    pub(in crate::lower) fn assert_formula(&mut self, truth: ExprId, span: Span) -> Result<()> {
        self.full_expression(|l| l.check_formula(truth, false, span))?;
        self.span = span;
        Ok(())
    }

    /// A condition that the program itself assumes.
    pub(in crate::lower) fn suppose_formula(&mut self, truth: ExprId) -> Result<()> {
        self.full_expression(|l| l.assume_formula(truth, false, false))
    }

    /// An assertion in a comment.
    pub(in crate::lower) fn assertion(&mut self, formula: &Formula) -> Result<()> {
        self.check_clause(formula, formula.span)
    }

    fn check_formula(&mut self, expr: ExprId, negated: bool, span: Span) -> Result<()> {
        if !self.is_live() {
            return Ok(());
        }
        match self.parts(expr) {
            Parts::Not(operand) => return self.check_formula(operand, !negated, span),
            Parts::Two { and, left, right } if and != negated => {
                self.check_formula(left, negated, span)?;
                return self.check_formula(right, negated, span);
            }
            Parts::Two { left, right, .. } if self.is_special(right) => {
                let end = self.new_location();
                self.unless(left, negated, end)?;
                self.check_formula(right, negated, span)?;
                self.jump(end);
                self.continue_at(end);
                return Ok(());
            }
            Parts::Quantified(quantified) if quantified.all != negated => {
                return self.aside(|l| {
                    l.for_looked_at(quantified, |l| l.check_formula(quantified.body, negated, span))
                });
            }
            _ => {}
        }
        let truth = self.condition(expr)?;
        let truth = if negated { self.pool.not(truth) } else { truth };
        self.span = span;
        self.check(Property::Assert, truth);
        // A failed assertion ends the run.
        self.assume(truth);
        Ok(())
    }

    /// Goes to a location if a formula has the outcome that decides.
    fn unless(
        &mut self,
        expr: ExprId,
        negated: bool,
        decided: program::program::LocationId,
    ) -> Result<()> {
        let more = self.new_location();
        let truth = self.condition(expr)?;
        let truth = if negated { self.pool.not(truth) } else { truth };
        self.split(truth, decided, more);
        self.continue_at(more);
        Ok(())
    }

    /// Does something on a way of its own that ends there.
    fn aside(&mut self, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let chosen = self.unknown(Sort::Bool, Cause::Unknown("which check is made".into()));
        let (way, on) = (self.new_location(), self.new_location());
        self.split(chosen, way, on);
        self.continue_at(way);
        work(self)?;
        self.stop();
        self.continue_at(on);
        Ok(())
    }

    /// The variable of a quantified formula takes an unknown value.
    fn choose(&mut self, quantified: &Quantified) -> Result<()> {
        let object = quantified.object;
        let entry = &self.c.objects[object];
        let (ty, name) = (entry.ty.ty, entry.name.map_or("", |name| self.symbol_name(name)));
        let value = self.unknown_value(ty, Cause::Unknown(name.into()))?;
        self.bind(object, value)
    }

    pub(super) fn assume_formula(&mut self, expr: ExprId, negated: bool, make: bool) -> Result<()> {
        if !self.is_live() {
            return Ok(());
        }
        match self.parts(expr) {
            Parts::Not(operand) => return self.assume_formula(operand, !negated, make),
            Parts::Two { and, left, right } if and != negated => {
                self.assume_formula(left, negated, make)?;
                return self.assume_formula(right, negated, make);
            }
            Parts::Two { left, right, .. } if self.is_special(left) || self.is_special(right) => {
                return self.assume_one_of(left, right, negated, make);
            }
            Parts::Quantified(quantified) if quantified.all == negated => {
                self.choose(quantified)?;
                return self.assume_formula(quantified.body, negated, make);
            }
            Parts::Quantified(quantified) if !self.is_short(quantified)? => {
                return self.assume_all(quantified, negated, self.c.exprs[expr].span);
            }
            Parts::Memory(question, arguments)
                if make && !negated && self.make_memory(question, arguments)? =>
            {
                return Ok(());
            }
            _ => {}
        }
        let truth = self.condition(expr)?;
        self.span = self.c.exprs[expr].span;
        self.assume(if negated { self.pool.not(truth) } else { truth });
        Ok(())
    }

    fn assume_one_of(
        &mut self,
        left: ExprId,
        right: ExprId,
        negated: bool,
        make: bool,
    ) -> Result<()> {
        let cause = Cause::Unknown("which part of the contract holds".into());
        let chosen = self.unknown(Sort::Bool, cause);
        let (first, second, end) = (self.new_location(), self.new_location(), self.new_location());
        self.split(chosen, first, second);
        for (at, part) in [(first, left), (second, right)] {
            self.continue_at(at);
            self.assume_formula(part, negated, make)?;
            self.jump(end);
        }
        self.continue_at(end);
        Ok(())
    }
}
