//! Bounds on what a script may make the pool grow to.
//!
//! Terms are shared, so nearly all scripts yield terms of at most their own size. The exceptions
//! are short texts for large things: nested defined functions (whose expansion can be
//! exponential), `distinct` of many terms, `repeat`, numbers that are squared again and again,
//! and wide constants. Every term the parser makes is paid for from a budget that is linear in
//! the length of the text; one unit is about the memory of one node. Who runs out gets an error
//! instead of a machine that swaps.

use crate::op::Op;
use crate::pool::{Pool, Term};
use crate::sort::Sort;
use crate::typing::SortError;
use crate::value::Value;
use std::cell::Cell;

/// What any script may spend.
const BASE: u64 = 1 << 21;
/// What each byte of the script adds.
const PER_BYTE: u64 = 2;
/// The most words (of 64 bits) of the constant operands of an arithmetic operator.
const MAX_WORDS: u64 = 1 << 11;
/// The most digits of a number.
pub(super) const MAX_DIGITS: usize = 19_000;

/// Why a term was not made.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Its arguments do not fit.
    Sort(SortError),
    /// It, or all terms of the script together, would be too large.
    Size(&'static str),
}

/// The way to a script's terms: a pool and what may still be spent on it.
pub(super) struct Budget<'p> {
    pub(super) pool: &'p Pool,
    left: Cell<u64>,
}

impl<'p> Budget<'p> {
    pub(super) fn new(pool: &'p Pool, text: &[u8]) -> Self {
        Budget { pool, left: Cell::new(BASE + PER_BYTE * text.len() as u64) }
    }

    /// Pays for something of this size.
    pub(super) fn spend(&self, units: u64) -> Result<(), Refusal> {
        match self.left.get().checked_sub(units) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(Refusal::Size("the expanded script is too large")),
        }
    }

    /// `op` applied to `args`, simplified, if it fits and is not too large.
    pub(super) fn make(&self, op: Op, args: &[Term]) -> Result<Term, Refusal> {
        self.spend(1 + args.len() as u64 / 8)?;
        if !args.is_empty() && args.iter().all(|a| self.pool.value(*a).is_some()) {
            self.pay_for_folding(&op, args)?;
        }
        let term = self.pool.try_make(op, args).map_err(Refusal::Sort)?;
        if let Sort::BitVec(width) = self.pool.sort(term) {
            self.spend(u64::from(width) / 1024)?;
        }
        Ok(term)
    }

    /// Constants are computed with at once: what takes long or grows has its price.
    fn pay_for_folding(&self, op: &Op, args: &[Term]) -> Result<(), Refusal> {
        let words: u64 = args.iter().filter_map(|a| self.pool.value(*a)).map(words).sum();
        match op {
            Op::Add | Op::Sub | Op::Mul | Op::IntDiv | Op::IntMod | Op::RealDiv
                if words > MAX_WORDS =>
            {
                Err(Refusal::Size("a number here is too large"))
            }
            // Rational numbers are brought to lowest terms, which takes quadratic time.
            Op::Add | Op::Sub | Op::Mul | Op::RealDiv if self.pool.sort(args[0]) == Sort::Real => {
                self.spend(words * words / 16)
            }
            Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvSmod
            | Op::FpMul
            | Op::FpDiv
            | Op::FpFma
            | Op::FpSqrt
            | Op::FpRem => self.spend(words * words / 1024),
            _ => self.spend(words / 16),
        }
    }
}

/// The size of a constant in words of 64 bits.
fn words(value: &Value) -> u64 {
    match value {
        Value::Bits(bits) => u64::from(bits.width()) / 64,
        Value::Float(float) => {
            let format = float.format();
            // An exact real or integer of the float has as many bits as its exponent's range.
            (u64::from(format.width()) + (1 << format.exponent().min(32))) / 64
        }
        Value::Int(n) => n.bits() / 64,
        Value::Real(r) => (r.numer().bits() + r.denom().bits()) / 64,
        _ => 0,
    }
}
