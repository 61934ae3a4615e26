//! Facts as formulas.

use crate::facts::{Facts, Known};
use intervals::Range;
use intervals::bits::BitRange;
use intervals::float::FloatRange;
use term::{Pool, Sort, Term};
use value::Bits;

/// What is known of some variables, as formulas.
pub fn formulas(pool: &Pool, facts: &Facts, variables: &[Term]) -> Vec<Term> {
    let mut found = Vec::new();
    for &variable in variables {
        let known = facts.get(pool, variable);
        match known.range {
            Range::Truth { .. } => match known.range.truth() {
                Some(true) => found.push(variable),
                Some(false) => found.push(pool.not(variable)),
                None => {}
            },
            Range::Bits(range) => of_bits(pool, variable, range, &known, &mut found),
            Range::Float(range) => of_float(pool, variable, range, &mut found),
            Range::Any => {}
        }
    }
    found
}

fn of_bits(pool: &Pool, variable: Term, range: BitRange, known: &Known, found: &mut Vec<Term>) {
    let (width, full) = (range.width, BitRange::full(range.width));
    if range.low == range.high {
        found.push(pool.eq(variable, pool.bv(range.low, width)));
        return;
    }
    if range.low > full.low {
        found.push(pool.bv_ule(pool.bv(range.low, width), variable));
    }
    if range.high < full.high {
        found.push(pool.bv_ule(variable, pool.bv(range.high, width)));
    }
    // What is of one sign is said by the unsigned bounds.
    if range.least < 0 && range.most >= 0 {
        let number = |number: i64| pool.bits(Bits::from_i64(width, number));
        if range.least > full.least {
            found.push(pool.bv_sle(number(range.least), variable));
        }
        if range.most < full.most {
            found.push(pool.bv_sle(variable, number(range.most)));
        }
    }
    let residue = known.residue;
    if residue.bits > 0 && residue.bits <= width {
        let last = pool.bv_extract(variable, residue.bits - 1, 0);
        found.push(pool.eq(last, pool.bv(residue.value, residue.bits)));
    }
}

fn of_float(pool: &Pool, variable: Term, range: FloatRange, found: &mut Vec<Term>) {
    let Sort::Float(format) = pool.sort(variable) else { return };
    let Some(full) = FloatRange::full(format) else { return };
    let nan = pool.fp_is_nan(variable);
    if !range.nan {
        found.push(pool.not(nan));
    }
    if range.numberless() {
        found.push(nan);
        return;
    }
    let number = |number: f64| pool.float(FloatRange::value(range.single, number));
    let mut say = |bound: Term| found.push(if range.nan { pool.or([nan, bound]) } else { bound });
    if range.low > full.low {
        say(pool.fp_leq(number(range.low), variable));
    }
    if range.high < full.high {
        say(pool.fp_leq(variable, number(range.high)));
    }
}
