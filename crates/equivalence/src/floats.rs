//! What is known of floating-point arithmetic without circuits for it.
//!
//! A whole number that is converted to a float exactly compares with a constant as the number itself
//! does with a whole one nearby.

use term::{Op, Pool, Sort, Term};
use value::{Bits, Format, Rounding};

/// A comparison of a converted number with a constant, as a comparison of numbers.
pub fn of_whole(pool: &Pool, op: &Op, args: &[Term]) -> Option<Term> {
    if !matches!(op, Op::FpLt | Op::FpLeq | Op::FpEq) {
        return None;
    }
    let [a, b] = [*args.first()?, *args.get(1)?];
    let (number, constant, first) = match (whole(pool, a), whole(pool, b)) {
        (Some(number), None) => (number, constant(pool, b)?, true),
        (None, Some(number)) => (number, constant(pool, a)?, false),
        _ => return None,
    };
    let (floor, exact) = (constant.floor(), constant.floor() == constant);
    let width = pool.width(number);
    // Beyond what the number can be, the comparison is left as it is.
    if floor.abs() >= (1u64 << (width - 1)) as f64 {
        return None;
    }
    let bound = pool.bits(Bits::from_i64(width, floor as i64));
    Some(match (op, first) {
        (Op::FpEq, _) if exact => pool.eq(number, bound),
        (Op::FpEq, _) => pool.fls(),
        (Op::FpLt, true) if exact => pool.bv_slt(number, bound),
        (_, true) => pool.bv_sle(number, bound),
        (Op::FpLeq, false) if exact => pool.bv_sle(bound, number),
        (_, false) => pool.bv_slt(bound, number),
    })
}

/// The signed number that a term converts without rounding.
fn whole(pool: &Pool, term: Term) -> Option<Term> {
    let Op::FpFromSbv(format) = pool.op(term) else { return None };
    let number = *pool.args(term).get(1)?;
    match pool.sort(number) {
        Sort::BitVec(width) if width <= format.significand() && width <= 62 => Some(number),
        _ => None,
    }
}

/// A finite constant.
fn constant(pool: &Pool, term: Term) -> Option<f64> {
    let value = pool.value(term)?;
    let float = value.as_float()?;
    let wide = float.to_format(Format::F64, Rounding::NearestEven);
    // Formats that are wider than a double are not looked at.
    (float.format().significand() <= 53 && float.is_finite()).then(|| wide.to_f64()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_of_numbers_agree_with_those_of_floats() {
        let pool = Pool::new();
        let number = pool.var("n", Sort::BitVec(8));
        let mode = pool.constant(term::Value::Rounding(Rounding::NearestEven));
        let converted = pool.make(Op::FpFromSbv(Format::F64), &[mode, number]);
        for twice in -260..260 {
            let constant = value::Float::from_f64(f64::from(twice) / 2.0);
            let constant = pool.constant(term::Value::Float(constant));
            for op in [Op::FpLt, Op::FpLeq, Op::FpEq] {
                for args in [[converted, constant], [constant, converted]] {
                    let Some(whole) = of_whole(&pool, &op, &args) else { continue };
                    let float = pool.make(op.clone(), &args);
                    for value in -128..128 {
                        let bits = term::Value::Bits(Bits::from_i64(8, value));
                        let seen = [float, whole].map(|t| evaluate_at(&pool, t, number, &bits));
                        assert_eq!(seen[0], seen[1], "{op:?} {twice} {value}");
                    }
                }
            }
        }
    }

    fn evaluate_at(pool: &Pool, term: Term, variable: Term, value: &term::Value) -> bool {
        let held = [(variable, pool.constant(value.clone()))];
        let result = term::traverse::substitute(pool, term, held);
        pool.as_bool(result).expect("everything is known")
    }
}
