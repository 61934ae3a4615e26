//! Whether formulas over floats have a common model, by ranges.
//!
//! Bit-blasted float arithmetic is beyond SAT solvers, while bounds settle most questions about it.
//! Engines use the crate `intervals`; this is a second, plainer implementation, so that a mistake
//! there is found here. Ranges of variables are narrowed by comparisons that must hold, and split
//! in halves, until every box is refuted by evaluating the formulas in ranges.
//!
//! Rounding is monotone: the bounds of a result are the results at the bounds, as the processor
//! rounds them. What is not about binary32 and binary64 rounded to nearest even has no bounds.

use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::{disjuncts, free_vars, subterms};
use term::{Op, Pool, Sort, Term, Value};
use value::{Format, Rounding};

/// How many times a box is narrowed before it is split.
const ROUNDS: usize = 3;

/// Whether formulas compute with floats.
pub fn concern_floats(pool: &Pool, formulas: &[Term]) -> bool {
    let arithmetic =
        |t: &Term| matches!(pool.op(*t), Op::FpAdd | Op::FpMul | Op::FpDiv | Op::FpSqrt);
    subterms(pool, formulas).iter().any(arithmetic)
}

/// A question, and the definitions `name ⇒ formula` of the names that it mentions, directly or by
/// others. If these have no common model, all of them with the question have none.
pub fn cone(pool: &Pool, question: Term, definitions: &[Term]) -> Vec<Term> {
    let mut mentioned: FxHashSet<Term> = free_vars(pool, &[question]).into_iter().collect();
    let mut cone = vec![question];
    for &definition in definitions.iter().rev() {
        let defines = disjuncts(pool, definition)
            .into_iter()
            .any(|part| *pool.op(part) == Op::Not && mentioned.contains(&pool.args(part)[0]));
        if defines {
            mentioned.extend(free_vars(pool, &[definition]));
            cone.push(definition);
        }
    }
    cone
}

/// Whether it is certain that no assignment satisfies all formulas, found by at most `effort`
/// evaluations of subterms.
pub fn unsatisfiable(
    pool: &Pool,
    formulas: &[Term],
    effort: u64,
    stopped: &dyn Fn() -> bool,
) -> bool {
    let nodes = Nodes::new(pool, formulas);
    let first: Box<[Range]> = nodes.variables.iter().map(|v| full(nodes.all[*v].sort)).collect();
    let mut pending = vec![first];
    let mut left = effort;
    while let Some(mut values) = pending.pop() {
        let cost = ((1 + ROUNDS) * nodes.all.len()) as u64;
        if left < cost || stopped() {
            return false;
        }
        left -= cost;
        let Some(ranges) = nodes.narrow(&mut values) else { continue };
        match nodes.split(&ranges, &values) {
            Some(halves) => pending.extend(halves),
            None => return false,
        }
    }
    true
}

/// A set of values that contains at least those that a term can have.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Range {
    Truth {
        no: bool,
        yes: bool,
    },
    /// Numbers between the bounds, infinities included; none if the bounds are crossed. A zero is
    /// of either sign. NaN besides, if so said.
    Float {
        low: f64,
        high: f64,
        nan: bool,
    },
    /// Nothing is known.
    Any,
}

const UNKNOWN: Range = Range::Truth { no: true, yes: true };
const ANY_FLOAT: Range = Range::Float { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };

/// No value at all.
const EMPTY: Range = Range::Truth { no: false, yes: false };

fn truth(value: bool) -> Range {
    Range::Truth { no: !value, yes: value }
}

fn full(sort: Sort) -> Range {
    match sort {
        Sort::Bool => UNKNOWN,
        Sort::Float(format) if format == Format::F32 || format == Format::F64 => ANY_FLOAT,
        _ => Range::Any,
    }
}

fn exactly(value: &Value) -> Range {
    match value {
        Value::Bool(value) => truth(*value),
        Value::Float(float) => {
            let number = float.to_f64().or_else(|| float.to_f32().map(f64::from));
            match number {
                Some(number) if number.is_nan() => {
                    Range::Float { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true }
                }
                Some(number) => Range::Float { low: number, high: number, nan: false },
                None => Range::Any,
            }
        }
        _ => Range::Any,
    }
}

/// A subterm.
struct Node {
    op: Op,
    sort: Sort,
    arguments: Vec<usize>,
    constant: Option<Range>,
    /// Whether it rounds to nearest even, if it rounds.
    nearest: bool,
}

/// The subterms of formulas, each after its arguments.
struct Nodes {
    all: Vec<Node>,
    roots: Vec<usize>,
    /// Those variables that have ranges.
    variables: Vec<usize>,
}

impl Nodes {
    fn new(pool: &Pool, formulas: &[Term]) -> Nodes {
        let mut place: FxHashMap<Term, usize> = FxHashMap::default();
        let mut all = Vec::new();
        for term in subterms(pool, formulas) {
            place.insert(term, all.len());
            let nearest = pool.args(term).first().is_some_and(|mode| {
                pool.value(*mode) == Some(&Value::Rounding(Rounding::NearestEven))
            });
            all.push(Node {
                op: pool.op(term).clone(),
                sort: pool.sort(term),
                arguments: pool.args(term).iter().map(|a| place[a]).collect(),
                constant: pool.value(term).map(exactly),
                nearest,
            });
        }
        let is_variable = |i: &usize| {
            let node: &Node = &all[*i];
            matches!(node.op, Op::Var(_)) && full(node.sort) != Range::Any
        };
        let variables = (0..all.len()).filter(is_variable).collect();
        Nodes { roots: formulas.iter().map(|f| place[f]).collect(), variables, all }
    }

    /// Evaluates the formulas in a box and narrows it by what must hold; none if nothing is left
    /// of it.
    fn narrow(&self, values: &mut [Range]) -> Option<Vec<Range>> {
        let mut ranges = self.forward(values);
        for _ in 0..ROUNDS {
            for &root in &self.roots {
                self.require(&mut ranges, root)?;
            }
            let narrowed: Vec<Range> =
                self.variables.iter().map(|v| self.kept(*v, &ranges)).collect();
            if narrowed.contains(&EMPTY) {
                return None;
            }
            if narrowed == values {
                break;
            }
            values.copy_from_slice(&narrowed);
            ranges = self.forward(values);
        }
        let possible = |root: &usize| ranges[*root] != truth(false);
        self.roots.iter().all(possible).then_some(ranges)
    }

    /// What is left of the range of a variable.
    fn kept(&self, variable: usize, ranges: &[Range]) -> Range {
        let range = ranges[variable];
        let range = if is_single(self.all[variable].sort) { tightened(range) } else { range };
        match range {
            Range::Float { low, high, nan: false } if low > high => EMPTY,
            range => range,
        }
    }

    fn forward(&self, values: &[Range]) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::with_capacity(self.all.len());
        let mut next = self.variables.iter().zip(values).peekable();
        for (index, node) in self.all.iter().enumerate() {
            let range = match (node.constant, next.peek()) {
                (Some(range), _) => range,
                (None, Some((variable, value))) if **variable == index => {
                    let value = **value;
                    next.next();
                    value
                }
                _ => evaluate(node, &ranges),
            };
            ranges.push(range);
        }
        ranges
    }

    /// Makes a formula true, and with it what it consists of; none if it can't be.
    fn require(&self, ranges: &mut [Range], root: usize) -> Option<()> {
        let mut pending = vec![(root, true)];
        while let Some((index, value)) = pending.pop() {
            let Range::Truth { no, yes } = ranges[index] else { continue };
            if !(if value { yes } else { no }) {
                return None;
            }
            if ranges[index] == truth(value) {
                continue;
            }
            ranges[index] = truth(value);
            let node = &self.all[index];
            match node.op {
                Op::Not => pending.push((node.arguments[0], !value)),
                Op::And | Op::Or if value == (node.op == Op::And) => {
                    pending.extend(node.arguments.iter().map(|a| (*a, value)));
                }
                Op::And | Op::Or => {
                    // All but one are known not to do it.
                    let mut open = node.arguments.iter().filter(|a| ranges[**a] != truth(!value));
                    if let (Some(last), None) = (open.next(), open.next()) {
                        pending.push((*last, value));
                    }
                }
                Op::FpLt | Op::FpLeq | Op::FpEq => {
                    let (a, b) = (node.arguments[0], node.arguments[1]);
                    if value {
                        compare(ranges, a, b)?;
                    }
                    let equal = node.op == Op::FpEq;
                    let numbers = is_number(ranges[a]) && is_number(ranges[b]);
                    if value == equal && (value || numbers) {
                        compare(ranges, b, a)?;
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    /// Two boxes for one: a Bool that is open, or else the widest float in halves.
    fn split(&self, ranges: &[Range], values: &[Range]) -> Option<[Box<[Range]>; 2]> {
        let open = |v: &usize| ranges[*v] == UNKNOWN;
        let place = match self.variables.iter().rposition(open) {
            Some(place) => place,
            None => {
                let width = |place: &usize| match values[*place] {
                    Range::Float { low, high, .. } => {
                        rank(high, false).saturating_sub(rank(low, false))
                    }
                    _ => 0,
                };
                (0..values.len()).max_by_key(width)?
            }
        };
        let (a, b) = halves(values[place], self.all[self.variables[place]].sort)?;
        Some([a, b].map(|half| {
            let mut values: Box<[Range]> = values.into();
            values[place] = half;
            values
        }))
    }
}

fn is_number(range: Range) -> bool {
    matches!(range, Range::Float { nan: false, .. })
}

/// a ≤ b holds of two terms: neither is NaN, and their bounds obey it.
fn compare(ranges: &mut [Range], a: usize, b: usize) -> Option<()> {
    if let (Range::Float { low, high, .. }, Range::Float { low: l, high: h, .. }) =
        (ranges[a], ranges[b])
    {
        ranges[a] = Range::Float { low, high: high.min(h), nan: false };
        ranges[b] = Range::Float { low: l.max(low), high: h, nan: false };
        if low > high.min(h) || l.max(low) > h {
            return None;
        }
    }
    Some(())
}

/// The place of a number among all of its format.
fn rank(number: f64, single: bool) -> i64 {
    let (bits, least) = match single {
        true => (i64::from((number as f32).to_bits() as i32), i64::from(i32::MIN)),
        false => (number.to_bits() as i64, i64::MIN),
    };
    if bits < 0 { least.wrapping_sub(bits) } else { bits }
}

/// The number at a place.
fn unrank(rank: i64, single: bool) -> f64 {
    match single {
        true if rank < 0 => f64::from(f32::from_bits((i64::from(i32::MIN) - rank) as u32)),
        true => f64::from(f32::from_bits(rank as u32)),
        false if rank < 0 => f64::from_bits(i64::MIN.wrapping_sub(rank) as u64),
        false => f64::from_bits(rank as u64),
    }
}

fn is_single(sort: Sort) -> bool {
    sort == Sort::Float(Format::F32)
}

/// The same numbers of binary32, with bounds that are among them.
fn tightened(range: Range) -> Range {
    let Range::Float { low, high, nan } = range else { return range };
    if low > high {
        return range;
    }
    let (mut first, mut last) = (rank(low, true), rank(high, true));
    if unrank(first, true) < low {
        first += 1;
    }
    if unrank(last, true) > high {
        last -= 1;
    }
    Range::Float { low: unrank(first, true), high: unrank(last, true), nan }
}

fn halves(range: Range, sort: Sort) -> Option<(Range, Range)> {
    match range {
        Range::Truth { no: true, yes: true } => Some((truth(false), truth(true))),
        Range::Float { low, high, nan: true } if low <= high => {
            let none = Range::Float { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true };
            Some((Range::Float { low, high, nan: false }, none))
        }
        Range::Float { low, high, nan: false } if low < high => {
            let single = is_single(sort);
            let middle = middle(low, high, single);
            let above = unrank(rank(middle, single) + 1, single);
            let part = |low, high| Range::Float { low, high, nan: false };
            Some((part(low, middle), part(above, high)))
        }
        _ => None,
    }
}

/// A number from `low` on and below `high`, which are of the same format.
fn middle(low: f64, high: f64, single: bool) -> f64 {
    if low < 0.0 && high > 0.0 {
        return 0.0;
    }
    // Wide ranges are halved by magnitude, narrow ones by distance.
    let distance = low + (high - low) / 2.0;
    let narrow = distance.is_finite() && low != 0.0 && (high / low).abs() < 4.0;
    let (first, last) = (rank(low, single), rank(high, single));
    let half = if narrow { rank(distance, single) } else { first + (last - first) / 2 };
    unrank(half.clamp(first, last - 1), single)
}

/// The range of a term whose arguments have these.
fn evaluate(node: &Node, ranges: &[Range]) -> Range {
    let of = |i: usize| ranges[node.arguments[i]];
    let range = match node.op {
        Op::Not => match of(0) {
            Range::Truth { no, yes } => Range::Truth { no: yes, yes: no },
            _ => UNKNOWN,
        },
        Op::And => conjunction(node.arguments.iter().map(|a| ranges[*a])),
        Op::Or => {
            let negated = node.arguments.iter().map(|a| negation(ranges[*a]));
            negation(conjunction(negated))
        }
        Op::Ite => match of(0) {
            Range::Truth { no: false, .. } => of(1),
            Range::Truth { yes: false, .. } => of(2),
            _ => union(of(1), of(2)),
        },
        Op::FpLt | Op::FpLeq | Op::FpEq => comparison(&node.op, of(0), of(1)),
        Op::FpIsNan => match of(0) {
            Range::Float { low, high, nan } => Range::Truth { no: low <= high, yes: nan },
            _ => UNKNOWN,
        },
        Op::FpNeg => match of(0) {
            Range::Float { low, high, nan } => Range::Float { low: -high, high: -low, nan },
            other => other,
        },
        Op::FpAbs => match of(0) {
            Range::Float { low, high, nan } if low <= high => {
                let least = if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) };
                Range::Float { low: least, high: low.abs().max(high.abs()), nan }
            }
            other => other,
        },
        Op::FpAdd | Op::FpMul | Op::FpDiv | Op::FpSqrt | Op::FpToFp(_) if node.nearest => {
            arithmetic(node, ranges)
        }
        _ => Range::Any,
    };
    if range == Range::Any { full(node.sort) } else { range }
}

fn negation(range: Range) -> Range {
    match range {
        Range::Truth { no, yes } => Range::Truth { no: yes, yes: no },
        _ => UNKNOWN,
    }
}

fn conjunction(parts: impl Iterator<Item = Range>) -> Range {
    let (mut no, mut yes) = (false, true);
    for part in parts {
        let (part_no, part_yes) = match part {
            Range::Truth { no, yes } => (no, yes),
            _ => (true, true),
        };
        no |= part_no;
        yes &= part_yes;
    }
    Range::Truth { no, yes }
}

fn union(a: Range, b: Range) -> Range {
    match (a, b) {
        (Range::Truth { no, yes }, Range::Truth { no: n, yes: y }) => {
            Range::Truth { no: no | n, yes: yes | y }
        }
        (Range::Float { low, high, nan }, Range::Float { low: l, high: h, nan: n }) => {
            Range::Float { low: low.min(l), high: high.max(h), nan: nan | n }
        }
        _ => Range::Any,
    }
}

fn comparison(op: &Op, a: Range, b: Range) -> Range {
    let (Range::Float { low, high, nan }, Range::Float { low: l, high: h, nan: n }) = (a, b) else {
        return UNKNOWN;
    };
    let numbers = low <= high && l <= h;
    let (yes, no) = match op {
        Op::FpLt => (low < h, high >= l),
        Op::FpLeq => (low <= h, high > l),
        _ => (low <= h && l <= high, !(low == high && l == h && low == l)),
    };
    Range::Truth { yes: yes && numbers, no: nan || n || (no && numbers) }
}

/// Operations that round to nearest even.
fn arithmetic(node: &Node, ranges: &[Range]) -> Range {
    let mut operands = [(0.0, 0.0); 2];
    let mut nan = false;
    // The first argument is the rounding mode.
    for (operand, argument) in operands.iter_mut().zip(&node.arguments[1..]) {
        let Range::Float { low, high, nan: n } = ranges[*argument] else { return Range::Any };
        if low > high {
            return Range::Float { low, high, nan: true };
        }
        nan |= n;
        *operand = (low, high);
    }
    let [(a, b), (c, d)] = operands;
    let single = is_single(node.sort);
    let corners: Vec<f64> = match node.op {
        Op::FpAdd => {
            vec![add(a, c, single), add(b, d, single), add(a, d, single), add(b, c, single)]
        }
        Op::FpMul if node.arguments[1] == node.arguments[2] => {
            let least = if a <= 0.0 && b >= 0.0 { 0.0 } else { a.abs().min(b.abs()) };
            let most = a.abs().max(b.abs());
            vec![multiply(least, least, single), multiply(most, most, single)]
        }
        Op::FpMul => [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| multiply(x, y, single)).to_vec(),
        Op::FpDiv if c <= 0.0 && d >= 0.0 => return ANY_FLOAT,
        Op::FpDiv => [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| divide(x, y, single)).to_vec(),
        Op::FpSqrt if a < 0.0 => return ANY_FLOAT,
        Op::FpSqrt => [a, b].map(|x| root(x, single)).to_vec(),
        Op::FpToFp(format) if format == Format::F32 => [a, b].map(|x| f64::from(x as f32)).to_vec(),
        Op::FpToFp(format) if format == Format::F64 => vec![a, b],
        _ => return Range::Any,
    };
    // ∞ - ∞, 0 · ∞, ∞ / ∞: bounds say nothing.
    let inside = node.op == Op::FpMul
        && ((a <= 0.0 && b >= 0.0 && (c.is_infinite() || d.is_infinite()))
            || (c <= 0.0 && d >= 0.0 && (a.is_infinite() || b.is_infinite())));
    if inside || corners.iter().any(|corner| corner.is_nan()) {
        return ANY_FLOAT;
    }
    let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
    let high = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Range::Float { low, high, nan }
}

fn add(a: f64, b: f64, single: bool) -> f64 {
    if single { f64::from(a as f32 + b as f32) } else { a + b }
}

fn multiply(a: f64, b: f64, single: bool) -> f64 {
    if single { f64::from(a as f32 * b as f32) } else { a * b }
}

fn divide(a: f64, b: f64, single: bool) -> f64 {
    if single { f64::from(a as f32 / b as f32) } else { a / b }
}

fn root(a: f64, single: bool) -> f64 {
    if single { f64::from((a as f32).sqrt()) } else { a.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use value::Float;

    const NEVER: fn() -> bool = || false;

    fn number(random: &mut StdRng) -> f64 {
        match random.random_range(0..8) {
            0 => 0.0,
            1 => -0.0,
            2 => f64::INFINITY,
            3 => f64::NEG_INFINITY,
            4 => f64::NAN,
            5 => f64::from_bits(random.random()),
            _ => f64::from(random.random_range(-24..24)) / 8.0,
        }
    }

    fn float(number: f64, single: bool) -> Value {
        Value::Float(if single { Float::from_f32(number as f32) } else { Float::from_f64(number) })
    }

    /// Random formulas of one format over two variables and a Bool.
    fn formulas(pool: &Pool, random: &mut StdRng, single: bool) -> (Vec<Term>, Vec<Term>) {
        let sort = Sort::Float(if single { Format::F32 } else { Format::F64 });
        let bool_variable = pool.var("b", Sort::Bool);
        let mut floats = vec![pool.var("x", sort), pool.var("y", sort)];
        let mut truths = vec![bool_variable];
        let variables = vec![floats[0], floats[1], bool_variable];
        let even = pool.rounding(Rounding::NearestEven);
        for _ in 0..3 {
            floats.push(pool.constant(float(number(random), single)));
        }
        for _ in 0..12 {
            let f = floats[random.random_range(0..floats.len())];
            let g = floats[random.random_range(0..floats.len())];
            let a = truths[random.random_range(0..truths.len())];
            let b = truths[random.random_range(0..truths.len())];
            match random.random_range(0..15) {
                0 => floats.push(pool.fp_add(even, f, g)),
                1 => floats.push(pool.fp_mul(even, f, g)),
                2 => floats.push(pool.fp_mul(even, f, f)),
                3 => floats.push(pool.fp_div(even, f, g)),
                4 => floats.push(pool.fp_sqrt(even, f)),
                5 => floats.push(pool.fp_neg(f)),
                6 => floats.push(pool.fp_abs(f)),
                7 => floats.push(pool.ite(a, f, g)),
                8 | 9 => truths.push(pool.fp_lt(f, g)),
                10 => truths.push(pool.fp_leq(f, g)),
                11 => truths.push(pool.fp_eq(f, g)),
                12 => truths.push(pool.and([a, pool.not(b)])),
                13 => truths.push(pool.or([a, b])),
                _ => truths.push(pool.make(Op::FpIsNan, &[f])),
            }
        }
        let asked = truths.split_off(truths.len().saturating_sub(3));
        (asked, variables)
    }

    #[test]
    fn what_has_a_model_is_not_refuted() {
        let mut random = StdRng::seed_from_u64(11);
        let (mut refuted, mut satisfied) = (0, 0);
        for round in 0..3000 {
            let pool = Pool::new();
            let single = round % 2 == 0;
            let (asked, variables) = formulas(&pool, &mut random, single);
            if !unsatisfiable(&pool, &asked, 100_000, &NEVER) {
                continue;
            }
            refuted += 1;
            for _ in 0..60 {
                let mut model = FxHashMap::default();
                for &variable in &variables {
                    let value = match pool.sort(variable) {
                        Sort::Bool => Value::Bool(random.random()),
                        _ => float(number(&mut random), single),
                    };
                    model.insert(variable, value);
                }
                let holds = |f: &Term| term::evaluate(&pool, *f, &model) == Ok(Value::Bool(true));
                satisfied += usize::from(asked.iter().all(holds));
            }
        }
        assert_eq!(satisfied, 0);
        assert!(refuted > 300, "only {refuted} were refuted");
    }

    /// 0 · ∞ lies inside of the ranges, where no bound shows it.
    #[test]
    fn zero_times_infinity_is_not_overlooked() {
        let pool = Pool::new();
        let sort = Sort::Float(Format::F64);
        let (x, y) = (pool.var("x", sort), pool.var("y", sort));
        let constant = |number| pool.constant(float(number, false));
        let product = pool.fp_mul(pool.rounding(Rounding::NearestEven), x, y);
        let asked = [
            pool.fp_leq(constant(-1.0), x),
            pool.fp_leq(x, constant(1.0)),
            pool.fp_leq(constant(2.0), y),
            pool.make(Op::FpIsNan, &[product]),
        ];
        assert!(!unsatisfiable(&pool, &asked, 1_000_000, &NEVER));
    }

    /// x - x³/6 + x⁵/120 stays below 1.01 for |x| ≤ 1.6 and reaches 0.99.
    #[test]
    fn a_polynomial_keeps_its_bound() {
        for single in [true, false] {
            let pool = Pool::new();
            let sort = Sort::Float(if single { Format::F32 } else { Format::F64 });
            let even = pool.rounding(Rounding::NearestEven);
            let x = pool.var("x", sort);
            let constant = |number| pool.constant(float(number, single));
            let square = pool.fp_mul(even, x, x);
            let cube = pool.fp_mul(even, square, x);
            let fifth = pool.fp_mul(even, cube, square);
            let third = pool.fp_div(even, cube, constant(-6.0));
            let last = pool.fp_div(even, fifth, constant(120.0));
            let sum = pool.fp_add(even, pool.fp_add(even, x, third), last);
            let inside = pool.and([pool.fp_leq(constant(-1.6), x), pool.fp_leq(x, constant(1.6))]);
            let above = |bound| pool.fp_lt(constant(bound), sum);
            assert!(unsatisfiable(&pool, &[inside, above(1.01)], 10_000_000, &NEVER));
            assert!(!unsatisfiable(&pool, &[inside, above(0.99)], 1_000_000, &NEVER));
        }
    }
}
