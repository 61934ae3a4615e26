//! Functions of time and date, and the clock.

use super::super::Lowerer;
use super::super::argument::Given;
use super::super::expression::Value;
use crate::ast::{Argument, BinaryOp};
use crate::types::{Clock, Type};
use source::Diagnostic;
use source::diagnostic::Result;
use term::Term;
use value::{Bits, Rounding};

/// Nanoseconds of a day.
const DAY: i128 = 86_400_000_000_000;

impl<'a> Lowerer<'a> {
    pub(super) fn time_function(
        &mut self,
        key: &str,
        arguments: &'a [Argument],
    ) -> Result<Option<Value<'a>>> {
        let op = if key.starts_with("add_") {
            Some(BinaryOp::Add)
        } else if key.starts_with("sub_") {
            Some(BinaryOp::Sub)
        } else if matches!(key, "mul_time" | "multime" | "mul_ltime") {
            Some(BinaryOp::Mul)
        } else if matches!(key, "div_time" | "divtime" | "div_ltime") {
            Some(BinaryOp::Div)
        } else {
            None
        };
        let clocks = || key.split('_').skip(1).all(|w| Clock::NAMES.iter().any(|(n, _)| *n == w));
        if let Some(op) = op
            && (clocks() || key.ends_with("time"))
        {
            let [a, b] = self.exactly(arguments, ["in1", "in2"])?;
            return self.binary(op, a, b).map(Some);
        }
        Ok(Some(match key {
            "time" if arguments.is_empty() => self.clock_value()?,
            "ltime" if arguments.is_empty() => {
                let value = self.clock_value()?;
                let ty = Type::Clock(Clock::LongTime);
                let term = self.coerce(value, &ty)?;
                Value::Scalar(term, ty)
            }
            "concat_date_tod" | "concat_date_ltod" => {
                let [date, time] = self.exactly(arguments, ["in1", "in2"])?;
                let long = key.ends_with("ltod");
                let (date, time) = (self.in_nanoseconds(date)?, self.in_nanoseconds(time)?);
                let sum = self.pool.bv_add(date, time);
                let clock = if long { Clock::LongDateAndTime } else { Clock::DateAndTime };
                self.of_nanoseconds(sum, clock)
            }
            "day_of_week" => {
                let [date] = self.exactly(arguments, ["in"])?;
                let nanoseconds = self.in_nanoseconds(date)?;
                let days = self.pool.bv_udiv(nanoseconds, self.wide(DAY));
                // The first of January 1970 was a Thursday.
                let shifted = self.pool.bv_add(days, self.wide(4));
                let day = self.pool.bv_urem(shifted, self.wide(7));
                Value::Scalar(
                    self.pool.bv_extract(day, 7, 0),
                    Type::Integer { width: 8, signed: true },
                )
            }
            "split_date" | "split_ldate" | "split_tod" | "split_ltod" | "split_dt"
            | "split_ldt" => self.split_time(key, arguments)?,
            "concat_date" | "concat_tod" | "concat_ltod" | "concat_dt" | "concat_ldt"
            | "concat_ldate" => self.joined_time(key, arguments)?,
            _ => return Ok(None),
        }))
    }

    fn wide(&self, number: i128) -> Term {
        self.pool.bits(Bits::from_i128(64, number))
    }

    fn in_nanoseconds(&mut self, value: Value<'a>) -> Result<Term> {
        let (term, clock) = self.clock_number(value)?;
        let wide = self.resize(term, 64, clock.is_signed());
        Ok(self.pool.bv_mul(wide, self.wide(clock.unit())))
    }

    fn of_nanoseconds(&self, term: Term, clock: Clock) -> Value<'a> {
        let scaled = self.pool.bv_udiv(term, self.wide(clock.unit()));
        Value::Scalar(self.resize(scaled, clock.width(), false), Type::Clock(clock))
    }

    /// Year, month, day, hour, minute, second, millisecond into variables.
    fn split_time(&mut self, key: &str, arguments: &'a [Argument]) -> Result<Value<'a>> {
        let expressions = self.ordered(arguments, &["in"])?;
        let Some((first, targets)) = expressions.split_first() else {
            return Err(Diagnostic::error(self.span, "a time is needed"));
        };
        let value = self.expression(first)?;
        let nanoseconds = self.in_nanoseconds(value)?;
        let nanoseconds = self.keep(nanoseconds);
        let has_date = !key.ends_with("tod");
        let has_time = !key.ends_with("date");
        let days = self.pool.bv_udiv(nanoseconds, self.wide(DAY));
        let lint = Type::LINT;
        let mut parts = Vec::new();
        if has_date {
            for part in ["__year", "__month", "__day"] {
                let given = vec![Given::Value(Value::Scalar(days, lint.clone()))];
                parts.push(self.library(part, given)?);
            }
        }
        if has_time {
            let within = self.pool.bv_urem(nanoseconds, self.wide(DAY));
            for (unit, modulo) in [
                (3_600_000_000_000, 24),
                (60_000_000_000, 60),
                (1_000_000_000, 60),
                (1_000_000, 1000),
            ] {
                let count = self.pool.bv_udiv(within, self.wide(unit));
                let count = self.pool.bv_urem(count, self.wide(modulo));
                parts.push(Value::Scalar(count, lint.clone()));
            }
        }
        for (target, part) in targets.iter().zip(parts) {
            let place = self.assigned_place(target)?;
            self.store(&place, part)?;
        }
        Ok(Value::Integer(0))
    }

    /// A time of its parts.
    fn joined_time(&mut self, key: &str, arguments: &'a [Argument]) -> Result<Value<'a>> {
        let names = ["year", "month", "day", "hour", "minute", "second", "millisecond"];
        let has_date = !key.ends_with("tod");
        let names = if has_date { &names[..] } else { &names[3..] };
        let mut values = self.values(arguments, names)?.into_iter();
        let mut nanoseconds = self.wide(0);
        if has_date {
            let date: Vec<_> = values.by_ref().take(3).map(Given::Value).collect();
            if date.len() < 3 {
                return Err(Diagnostic::error(self.span, "year, month and day are needed"));
            }
            let days = self.library("__days", date)?;
            let days = self.coerce(days, &Type::LINT)?;
            nanoseconds = self.pool.bv_mul(days, self.wide(DAY));
        }
        for unit in [3_600_000_000_000, 60_000_000_000, 1_000_000_000, 1_000_000] {
            if let Some(value) = values.next() {
                let count = self.converted(value, &Type::LINT, Rounding::NearestEven)?;
                let part = self.pool.bv_mul(count, self.wide(unit));
                nanoseconds = self.pool.bv_add(nanoseconds, part);
            }
        }
        let (_, name) = key.split_once('_').expect("the names have two parts");
        let clock = Clock::NAMES.iter().find(|(known, _)| *known == name);
        let clock = clock.map_or(Clock::DateAndTime, |(_, clock)| *clock);
        Ok(self.of_nanoseconds(nanoseconds, clock))
    }

    /// `TIME()`: milliseconds since some moment before the first cycle, in 32 bits; they wrap.
    fn clock_value(&mut self) -> Result<Value<'a>> {
        self.found.clock = true;
        let Some(clock) = self.clock else {
            return Ok(Value::Scalar(self.pool.bv(0, 32), Type::TIME));
        };
        Ok(Value::Scalar(self.term_of(clock), Type::TIME))
    }
}
