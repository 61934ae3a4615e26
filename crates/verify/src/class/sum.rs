//! Comparisons of sums as people write them: what is added on the left, what is taken away on the right,
//! and the number at the end: `t[1] + t[2] ≥ 300`.

use super::words::{Names, text};
use term::{Op, Pool, Term};
use value::BigInt;

/// How many values of one name in a row are written with dots.
const MANY: usize = 4;

/// A sum of values with factors, and a number.
#[derive(Default)]
struct Sum {
    /// The name of a value, its number if it has one, and its factor.
    values: Vec<(String, Option<u64>, BigInt)>,
    number: BigInt,
}

/// Both sides of a comparison, if there is a sum in one of them.
pub(super) fn sides(
    pool: &Pool,
    [left, right]: [Term; 2],
    signed: bool,
    names: Names<'_>,
) -> Option<[String; 2]> {
    let is_sum = |term: Term| {
        let inner = program::region::narrow(pool, term);
        matches!(pool.op(inner), Op::BvAdd | Op::BvSub)
    };
    if !is_sum(left) && !is_sum(right) {
        return None;
    }
    let mut sum = Sum::default();
    sum.add(pool, left, signed, &BigInt::from(1), names)?;
    sum.add(pool, right, signed, &BigInt::from(-1), names)?;
    let zero = BigInt::from(0);
    sum.values.retain(|(_, _, factor)| *factor != zero);
    sum.values.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let (added, taken): (Vec<_>, Vec<_>) =
        sum.values.into_iter().partition(|(_, _, factor)| *factor > zero);
    let taken = taken.into_iter().map(|(name, number, factor)| (name, number, -factor)).collect();
    // What is compared stands on the left, a number on the right.
    let (left, right) = (written(added), written(taken));
    let number = -sum.number;
    Some(match (left.is_empty(), right.is_empty()) {
        (false, true) => [left, number.to_string()],
        (true, _) => [(-number).to_string(), right],
        (false, false) if number == zero => [left, right],
        (false, false) if number > zero => [left, format!("{right} + {number}")],
        (false, false) => [format!("{left} + {}", -number), right],
    })
}

impl Sum {
    fn add(
        &mut self,
        pool: &Pool,
        term: Term,
        signed: bool,
        factor: &BigInt,
        names: Names<'_>,
    ) -> Option<()> {
        let args = pool.args(term);
        match pool.op(term) {
            Op::BvAdd => {
                self.add(pool, args[0], signed, factor, names)?;
                self.add(pool, args[1], signed, factor, names)
            }
            Op::BvSub => {
                self.add(pool, args[0], signed, factor, names)?;
                self.add(pool, args[1], signed, &-factor, names)
            }
            Op::BvNeg => self.add(pool, args[0], signed, &-factor, names),
            Op::BvSignExtend(_) | Op::BvZeroExtend(_) => {
                let signed = matches!(pool.op(term), Op::BvSignExtend(_));
                self.add(pool, program::region::narrow(pool, term), signed, factor, names)
            }
            _ if pool.as_bits(term).is_some() => {
                let bits = pool.as_bits(term)?;
                let number = if signed { bits.to_bigint() } else { bits.to_biguint().into() };
                self.number += factor * number;
                Some(())
            }
            _ => {
                let name = text(pool, term, signed, names)?;
                let name = name.within(program::print::infix::Binding::Product);
                let (name, number) = numbered(&name);
                let known = self.values.iter_mut().find(|(n, k, _)| (&**n, *k) == (&*name, number));
                match known {
                    Some((_, _, old)) => *old += factor,
                    None => self.values.push((name, number, factor.clone())),
                }
                Some(())
            }
        }
    }
}

/// A name and its number: `x[3]` is x with 3.
fn numbered(name: &str) -> (String, Option<u64>) {
    let parts = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    match parts.and_then(|(name, number)| Some((name, number.parse().ok()?))) {
        Some((name, number)) => (name.to_owned(), Some(number)),
        None => (name.to_owned(), None),
    }
}

fn written(values: Vec<(String, Option<u64>, BigInt)>) -> String {
    let one = |(name, number, factor): &(String, Option<u64>, BigInt)| {
        let name = match number {
            Some(number) => format!("{name}[{number}]"),
            None => name.clone(),
        };
        if *factor == BigInt::from(1) { name } else { format!("{factor} * {name}") }
    };
    let mut parts: Vec<String> = Vec::new();
    let mut rest = &values[..];
    while let Some((name, number, factor)) = rest.first() {
        let follows = |(place, value): (usize, &(String, Option<u64>, BigInt))| {
            let next = number.map(|number| number + place as u64);
            value.0 == *name && next.is_some() && value.1 == next && value.2 == *factor
        };
        let row = rest.iter().enumerate().take_while(|value| follows(*value)).count();
        let plain = *factor == BigInt::from(1);
        if row >= MANY && plain {
            parts.push(format!("{} + … + {}", one(&rest[0]), one(&rest[row - 1])));
            rest = &rest[row..];
        } else {
            parts.push(one(&rest[0]));
            rest = &rest[1..];
        }
    }
    parts.join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_values_on_the_left_and_numbers_on_the_right() {
        let pool = Pool::new();
        let sort = term::Sort::BitVec(32);
        let times: Vec<Term> = (2..=6).map(|n| pool.var(&format!("t[{n}]"), sort)).collect();
        let names = |term: Term| pool.var_name(term).map(str::to_owned);
        let bound = pool.bv(300, 32);
        let all = times.iter().copied().reduce(|a, b| pool.bv_add(a, b)).expect("there are some");
        let shown = |left, right| sides(&pool, [left, right], true, &names);
        let expected = |left: &str, right: &str| Some([left.to_owned(), right.to_owned()]);
        assert_eq!(shown(all, bound), expected("t[2] + … + t[6]", "300"));
        let rest = pool.bv_sub(bound, pool.bv_add(times[0], times[1]));
        assert_eq!(shown(rest, times[2]), expected("300", "t[2] + t[3] + t[4]"));
        let (x, y) = (pool.var("x", sort), pool.var("y", sort));
        assert_eq!(shown(pool.bv_add(x, pool.bv(1, 32)), y), expected("x + 1", "y"));
        assert_eq!(shown(x, pool.bv_sub(y, x)), expected("2 * x", "y"));
        assert_eq!(shown(x, y), None);
    }
}
