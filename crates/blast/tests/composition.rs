//! Operators applied to results of operators, exhaustively in tiny formats.
//!
//! A result is kept in normal form and never packed, and the same number has several such forms
//! (a zero from an addition, from an underflow, from a conversion). So every operator must be
//! right on the results of every other, not only on inputs. `x ≤ (x + y) / 2` was once wrong for
//! zeros, which no test on inputs could see.

use aig::simulate::Words;
use blast::Blaster;
use rustc_hash::FxHashMap;
use term::eval::apply;
use term::{Op, Pool, Sort, Term, Value};
use value::{Float, Format, Rounding};

/// An operator on two floats of one format.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Binary {
    First,
    Negate,
    Add,
    Mul,
    Div,
    Fma,
    Sqrt,
    Rem,
    Integral,
    Convert,
    FromBits,
    FromInteger,
    Ite,
    Lt,
    Leq,
    Eq,
    Identical,
    Min,
    Max,
    Normal,
    Subnormal,
    Bits,
    Integer,
}
use Binary::*;

const INNER: [Binary; 13] =
    [First, Negate, Add, Mul, Div, Fma, Sqrt, Rem, Integral, Convert, FromBits, FromInteger, Ite];
const OUTER: [Binary; 14] =
    [Lt, Leq, Eq, Identical, Min, Max, Normal, Subnormal, Bits, Integer, Add, Mul, Div, Rem];

impl Binary {
    fn build(self, pool: &Pool, format: Format, mode: Rounding, a: Term, b: Term) -> Term {
        let rm = pool.rounding(mode);
        let wide = Format::new(format.exponent() + 1, format.significand() + 2).expect("valid");
        match self {
            First => a,
            Negate => pool.fp_neg(a),
            Add => pool.fp_add(rm, a, b),
            Mul => pool.fp_mul(rm, a, b),
            Div => pool.fp_div(rm, a, b),
            Fma => pool.fp_fma(rm, a, b, a),
            Sqrt => pool.fp_sqrt(rm, a),
            Rem => pool.fp_rem(a, b),
            Integral => pool.fp_round_to_integral(rm, a),
            Convert => {
                let sum = pool.fp_add(rm, a, b);
                let wider = pool.make(Op::FpToFp(wide), &[rm, sum]);
                pool.make(Op::FpToFp(format), &[rm, wider])
            }
            FromBits => {
                let sum = pool.fp_add(rm, a, b);
                pool.make(Op::FpFromBits(format), &[pool.fp_to_bits(sum)])
            }
            FromInteger => {
                let bits = pool.bv_xor(pool.fp_to_bits(a), pool.fp_to_bits(b));
                pool.make(Op::FpFromSbv(format), &[rm, bits])
            }
            Ite => {
                let product = pool.fp_mul(rm, a, b);
                pool.ite(pool.fp_lt(a, b), a, product)
            }
            Lt => pool.fp_lt(a, b),
            Leq => pool.fp_leq(a, b),
            Eq => pool.fp_eq(a, b),
            Identical => pool.eq(a, b),
            Min => pool.make(Op::FpMin, &[a, b]),
            Max => pool.make(Op::FpMax, &[a, b]),
            Normal => pool.make(Op::FpIsNormal, &[a]),
            Subnormal => pool.make(Op::FpIsSubnormal, &[a]),
            Bits => pool.fp_to_bits(a),
            Integer => pool.make(Op::FpToSbv(4), &[rm, a]),
        }
    }

    /// The value by the reference semantics; `None` where it is open.
    fn value(
        self,
        pool: &Pool,
        format: Format,
        mode: Rounding,
        a: &Float,
        b: &Float,
    ) -> Option<Value> {
        let sort = Sort::Float(format);
        let (x, y) = (pool.var("reference a", sort), pool.var("reference b", sort));
        let term = self.build(pool, format, mode, x, y);
        let mut values: FxHashMap<Term, Value> = FxHashMap::default();
        for t in term::traverse::subterms(pool, &[term]) {
            let value = if t == x {
                Value::Float(a.clone())
            } else if t == y {
                Value::Float(b.clone())
            } else {
                let args: Vec<&Value> = pool.args(t).iter().map(|a| &values[a]).collect();
                apply(pool.op(t), pool.sort(t), &args)?
            };
            values.insert(t, value);
        }
        values.remove(&term)
    }
}

fn float(format: Format, n: usize) -> Float {
    Float::from_bits(format, &value::Bits::from_u64(format.width(), n as u64))
}

/// The number of a float: its bits.
fn number(value: &Value) -> usize {
    let float = value.as_float().expect("an inner operator yields a float");
    float.to_bits().to_u64().expect("a tiny format") as usize
}

type Table<T> = Vec<Vec<Option<T>>>;

fn table<T>(format: Format, entry: impl Fn(&Float, &Float) -> Option<T>) -> Table<T> {
    let count = 1 << format.width();
    let row = |a| (0..count).map(|b| entry(&float(format, a), &float(format, b))).collect();
    (0..count).map(row).collect()
}

fn check(format: Format, mode: Rounding) {
    let reference = Pool::new();
    let width = format.width() as usize;
    let count = 1usize << width;
    let inner: Vec<Table<usize>> = INNER
        .iter()
        .map(|op| {
            table(format, |a, b| op.value(&reference, format, mode, a, b).map(|v| number(&v)))
        })
        .collect();
    for outer in OUTER {
        let outer_table = table(format, |a, b| outer.value(&reference, format, mode, a, b));
        for (i, left) in INNER.iter().enumerate() {
            for (j, right) in INNER.iter().enumerate() {
                let pool = Pool::new();
                let sort = Sort::Float(format);
                let [x, y, z] = ["x", "y", "z"].map(|name| pool.var(name, sort));
                let mut blaster = Blaster::new();
                // The variables' bits are the first inputs of the graph, in this order.
                for variable in [x, y, z] {
                    blaster.bits(&pool, variable).expect("a variable has bits");
                }
                let l = left.build(&pool, format, mode, x, y);
                let r = right.build(&pool, format, mode, y, z);
                let term = outer.build(&pool, format, mode, l, r);
                let bits = blaster.bits(&pool, term).expect("floats have bits");
                let total = count * count * count;
                for base in (0..total).step_by(64) {
                    let words = Words::simulate(blaster.aig(), |input| {
                        if input >= 3 * width {
                            return 0;
                        }
                        (0..64).fold(0, |word, k| word | ((((base + k) >> input) & 1) as u64) << k)
                    });
                    for k in 0..64.min(total - base) {
                        let pattern = base + k;
                        let part = |n: usize| (pattern >> (n * width)) & (count - 1);
                        let expected = inner[i][part(0)][part(1)]
                            .zip(inner[j][part(1)][part(2)])
                            .and_then(|(l, r)| outer_table[l][r].clone());
                        let Some(expected) = expected else { continue };
                        let bit = |e: &aig::Edge| words.word(*e) >> k & 1 == 1;
                        let found: Vec<bool> = bits.iter().map(bit).collect();
                        let expected = match &expected {
                            Value::Bool(b) => value::Bits::from_bool(*b),
                            Value::Bits(bits) => bits.clone(),
                            Value::Float(float) => float.to_bits(),
                            other => unreachable!("{other:?} is no result here"),
                        };
                        let found = value::Bits::from_bits(&found);
                        let nan = matches!(pool.sort(term), Sort::Float(_))
                            && Float::from_bits(format, &found).is_nan()
                            && Float::from_bits(format, &expected).is_nan();
                        assert!(
                            nan || found == expected,
                            "{outer:?}({left:?}(x, y), {right:?}(y, z)) in {mode:?}: {found} for \
                             {expected} where x = {}, y = {}, z = {}",
                            float(format, part(0)),
                            float(format, part(1)),
                            float(format, part(2)),
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn nearest_even() {
    check(Format::new(2, 3).expect("valid"), Rounding::NearestEven);
}

#[test]
fn toward_negative() {
    check(Format::new(2, 3).expect("valid"), Rounding::TowardNegative);
}

/// A wider exponent; minutes. `cargo test --release -p cairn-blast --test composition -- --ignored`
#[test]
#[ignore = "minutes"]
fn wider_exponent() {
    for mode in Rounding::ALL {
        check(Format::new(3, 3).expect("valid"), mode);
    }
}
