//! Whether formulas over floats have a common model, by ranges.
//!
//! Bit-blasted float arithmetic is beyond SAT solvers, while bounds settle most questions about it.
//! Engines use the crate `intervals`; this is a second, plainer implementation for this crate
//! alone, so that a mistake there is found here. Ranges of variables are narrowed by comparisons
//! that must hold, and split in halves, until every box is refuted by evaluating the formulas in
//! ranges.
//!
//! Rounding is monotone: the bounds of a result are the results at the bounds, as the processor
//! rounds them. What is not about binary32 and binary64 rounded to nearest even has no bounds.

mod range;
#[cfg(test)]
mod tests;

use range::{ANY, NAN, Range, has_ranges, is_single, rank};
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::{disjuncts, free_vars, subterms};
use term::{Op, Pool, Sort, Term, Value};
use value::Rounding;

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
    let first: Box<[Range]> = nodes.variables.iter().map(|v| nodes.known[*v]).collect();
    let mut pending = vec![first];
    let mut left = effort;
    while let Some(mut values) = pending.pop() {
        let cost = ((1 + ROUNDS) * nodes.all.len()) as u64;
        if left < cost || stopped() {
            return false;
        }
        left -= cost;
        if nodes.narrow(&mut values) {
            match nodes.split(&values) {
                Some(halves) => pending.extend(halves),
                None => return false,
            }
        }
    }
    true
}

/// A subterm.
struct Node {
    op: Op,
    sort: Sort,
    arguments: Vec<usize>,
    /// Whether it rounds to nearest even, if it rounds.
    nearest: bool,
}

/// The subterms of formulas, each after its arguments.
struct Nodes {
    all: Vec<Node>,
    roots: Vec<usize>,
    /// Those variables that have ranges.
    variables: Vec<usize>,
    /// What is known of each subterm whatever the box.
    known: Vec<Range>,
}

impl Nodes {
    fn new(pool: &Pool, formulas: &[Term]) -> Nodes {
        let nearest =
            |mode: &Term| pool.value(*mode) == Some(&Value::Rounding(Rounding::NearestEven));
        let mut place: FxHashMap<Term, usize> = FxHashMap::default();
        let (mut all, mut known, mut variables) = (Vec::new(), Vec::new(), Vec::new());
        for term in subterms(pool, formulas) {
            let (op, sort, args) = (pool.op(term).clone(), pool.sort(term), pool.args(term));
            if matches!(op, Op::Var(_)) && has_ranges(sort) {
                variables.push(all.len());
            }
            known.push(match pool.value(term) {
                Some(value) => Range::exactly(value),
                None if sort == Sort::Bool => Range::truth(true, true),
                None => ANY,
            });
            place.insert(term, all.len());
            let arguments = args.iter().map(|a| place[a]).collect();
            all.push(Node { op, sort, arguments, nearest: args.first().is_some_and(nearest) });
        }
        Nodes { roots: formulas.iter().map(|f| place[f]).collect(), variables, all, known }
    }

    /// Narrows a box by what must hold; false if nothing is left of it.
    fn narrow(&self, values: &mut [Range]) -> bool {
        let mut ranges = self.forward(values);
        for _ in 0..ROUNDS {
            if self.roots.iter().any(|root| self.require(&mut ranges, *root).is_none()) {
                return false;
            }
            let kept = |v: &usize| match is_single(self.all[*v].sort) {
                true => ranges[*v].tightened(),
                false => ranges[*v],
            };
            let narrowed: Vec<Range> = self.variables.iter().map(kept).collect();
            if narrowed.iter().any(|range| !range.has_numbers() && !range.nan) {
                return false;
            }
            if narrowed == values {
                break;
            }
            values.copy_from_slice(&narrowed);
            ranges = self.forward(values);
        }
        self.roots.iter().all(|root| ranges[*root].high > 0.0)
    }

    /// The ranges of all subterms in a box.
    fn forward(&self, values: &[Range]) -> Vec<Range> {
        let mut ranges = self.known.clone();
        for (variable, value) in self.variables.iter().zip(values) {
            ranges[*variable] = *value;
        }
        for (index, node) in self.all.iter().enumerate() {
            if !node.arguments.is_empty() && has_ranges(node.sort) {
                ranges[index] = evaluate(node, &ranges).unwrap_or(ranges[index]);
            }
        }
        ranges
    }

    /// Makes a formula true, and with it what it consists of; none if it can't be.
    fn require(&self, ranges: &mut [Range], root: usize) -> Option<()> {
        let mut pending = vec![(root, true)];
        while let Some((index, value)) = pending.pop() {
            let (range, wanted) = (ranges[index], Range::truth(!value, value));
            if range.low > wanted.low || range.high < wanted.high {
                return None;
            }
            if range == wanted {
                continue;
            }
            ranges[index] = wanted;
            let node = &self.all[index];
            match node.op {
                Op::Not => pending.push((node.arguments[0], !value)),
                Op::And | Op::Or if value == (node.op == Op::And) => {
                    pending.extend(node.arguments.iter().map(|a| (*a, value)));
                }
                Op::And | Op::Or => {
                    // All but one are known not to do it.
                    let other = Range::truth(value, !value);
                    let mut open = node.arguments.iter().filter(|a| ranges[**a] != other);
                    if let (Some(last), None) = (open.next(), open.next()) {
                        pending.push((*last, value));
                    }
                }
                Op::FpLt | Op::FpLeq | Op::FpEq => {
                    let (a, b) = (node.arguments[0], node.arguments[1]);
                    if value {
                        compare(ranges, a, b)?;
                    }
                    let numbers = !ranges[a].nan && !ranges[b].nan;
                    if value == (node.op == Op::FpEq) && (value || numbers) {
                        compare(ranges, b, a)?;
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    /// Two boxes for one: a Bool that is open, or else the widest float in halves.
    fn split(&self, values: &[Range]) -> Option<[Box<[Range]>; 2]> {
        let sort = |place: usize| self.all[self.variables[place]].sort;
        let open =
            |place: &usize| sort(*place) == Sort::Bool && values[*place].low < values[*place].high;
        let width =
            |place: &usize| rank(values[*place].high).saturating_sub(rank(values[*place].low));
        let places = 0..values.len();
        let place = places.clone().rev().find(open).or_else(|| places.max_by_key(width))?;
        let halves = values[place].halves(sort(place))?;
        Some(halves.map(|half| {
            let mut values: Box<[Range]> = values.into();
            values[place] = half;
            values
        }))
    }
}

/// a ≤ b holds of two terms: neither is NaN, and their bounds obey it.
fn compare(ranges: &mut [Range], a: usize, b: usize) -> Option<()> {
    let (left, right) = (ranges[a], ranges[b]);
    ranges[a] = Range { low: left.low, high: left.high.min(right.high), nan: false };
    ranges[b] = Range { low: right.low.max(left.low), high: right.high, nan: false };
    (ranges[a].has_numbers() && ranges[b].has_numbers()).then_some(())
}

/// The range of a term whose arguments have these; none if nothing is known of the operation.
fn evaluate(node: &Node, ranges: &[Range]) -> Option<Range> {
    let of = |i: usize| ranges[node.arguments[i]];
    let all = || node.arguments.iter().map(|a| ranges[*a]);
    Some(match node.op {
        Op::Not => Range { low: 1.0 - of(0).high, high: 1.0 - of(0).low, nan: false },
        Op::And => all().fold(Range::truth(false, true), |a, b| Range {
            low: a.low.min(b.low),
            high: a.high.min(b.high),
            nan: false,
        }),
        Op::Or => all().fold(Range::truth(true, false), |a, b| Range {
            low: a.low.max(b.low),
            high: a.high.max(b.high),
            nan: false,
        }),
        Op::Ite if of(0).low > 0.0 => of(1),
        Op::Ite if of(0).high < 1.0 => of(2),
        Op::Ite => of(1).union(of(2)),
        Op::FpLt | Op::FpLeq | Op::FpEq => comparison(&node.op, of(0), of(1)),
        Op::FpIsNan => Range::truth(of(0).has_numbers(), of(0).nan),
        Op::FpNeg => Range { low: -of(0).high, high: -of(0).low, nan: of(0).nan },
        Op::FpAbs if of(0).has_numbers() => of(0).magnitude(),
        Op::FpAbs => of(0),
        Op::FpAdd | Op::FpMul | Op::FpDiv | Op::FpSqrt | Op::FpToFp(_) if node.nearest => {
            arithmetic(node, ranges)
        }
        _ => return None,
    })
}

fn comparison(op: &Op, a: Range, b: Range) -> Range {
    let numbers = a.has_numbers() && b.has_numbers();
    let (yes, no) = match op {
        Op::FpLt => (a.low < b.high, a.high >= b.low),
        Op::FpLeq => (a.low <= b.high, a.high > b.low),
        _ => {
            let same = a.low == a.high && b.low == b.high && a.low == b.low;
            (a.low <= b.high && b.low <= a.high, !same)
        }
    };
    Range::truth(a.nan || b.nan || (no && numbers), yes && numbers)
}

/// Operations that round to nearest even.
fn arithmetic(node: &Node, ranges: &[Range]) -> Range {
    // The first argument is the rounding mode; an operation without a second operand ignores it.
    let zero = Range { low: 0.0, high: 0.0, nan: false };
    let (mut a, mut b) =
        (ranges[node.arguments[1]], node.arguments.get(2).map_or(zero, |b| ranges[*b]));
    if !a.has_numbers() || !b.has_numbers() {
        return NAN;
    }
    match node.op {
        Op::FpDiv if b.has_zero() => return ANY,
        Op::FpSqrt if a.low < 0.0 => return ANY,
        Op::FpMul => {
            let infinite = |range: Range| range.low.is_infinite() || range.high.is_infinite();
            if (a.has_zero() && infinite(b)) || (b.has_zero() && infinite(a)) {
                return ANY;
            }
            if node.arguments[1] == node.arguments[2] {
                (a, b) = (a.magnitude(), a.magnitude());
            }
        }
        _ => {}
    }
    let corners = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)]
        .map(|(x, y)| rounded(node, x, y));
    // ∞ - ∞, ∞ / ∞: bounds say nothing.
    if corners.iter().any(|corner| corner.is_nan()) {
        return ANY;
    }
    let low = corners.into_iter().fold(f64::INFINITY, f64::min);
    let high = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
    Range { low, high, nan: a.nan | b.nan }
}

/// The result of an operation on two numbers of its format. (Of a conversion the operand may have
/// another one.)
fn rounded(node: &Node, x: f64, y: f64) -> f64 {
    if is_single(node.sort) {
        let (x, y) = (x as f32, y as f32);
        return f64::from(match node.op {
            Op::FpAdd => x + y,
            Op::FpMul => x * y,
            Op::FpDiv => x / y,
            Op::FpSqrt => x.sqrt(),
            _ => x,
        });
    }
    match node.op {
        Op::FpAdd => x + y,
        Op::FpMul => x * y,
        Op::FpDiv => x / y,
        Op::FpSqrt => x.sqrt(),
        _ => x,
    }
}
