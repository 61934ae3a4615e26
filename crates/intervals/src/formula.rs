//! The ranges of all subterms of some formulas: forwards from the leaves, backwards from what is
//! known of the results.

use crate::bits::BitRange;
use crate::float::FloatRange;
use crate::range::{Range, apply};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::traverse::subterms;
use term::{Op, Pool, Sort, Term, Value};
use value::Rounding;

/// Formulas as a list of nodes, each after its arguments.
pub struct Formula {
    nodes: Vec<Node>,
    roots: Vec<usize>,
    places: FxHashMap<Term, usize>,
}

struct Node {
    term: Term,
    op: Op,
    sort: Sort,
    args: SmallVec<[usize; 3]>,
    rounding: Option<Rounding>,
    /// Whether the last two arguments are one term.
    same: bool,
}

/// There is no assignment of values in the given ranges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction;

impl Formula {
    /// Prepares some terms.
    pub fn new(pool: &Pool, roots: &[Term]) -> Formula {
        let mut places = FxHashMap::default();
        let mut nodes = Vec::new();
        for term in subterms(pool, roots) {
            places.insert(term, nodes.len());
            let args: SmallVec<[usize; 3]> = pool.args(term).iter().map(|a| places[a]).collect();
            let rounding = pool.args(term).first().and_then(|a| match pool.value(*a) {
                Some(Value::Rounding(rounding)) => Some(*rounding),
                _ => None,
            });
            let same = matches!(&args[..], [.., a, b] if a == b);
            nodes.push(Node {
                term,
                op: pool.op(term).clone(),
                sort: pool.sort(term),
                args,
                rounding,
                same,
            });
        }
        let roots = roots.iter().map(|root| places[root]).collect();
        Formula { nodes, roots, places }
    }

    /// How many subterms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The places of the terms that the formula was made of.
    pub fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// The variables and their places.
    pub fn variables(&self) -> impl Iterator<Item = (Term, usize)> + '_ {
        let leaves = self.nodes.iter().enumerate();
        leaves.filter(|(_, n)| matches!(n.op, Op::Var(_))).map(|(i, n)| (n.term, i))
    }

    /// The place of a subterm.
    pub fn place(&self, term: Term) -> Option<usize> {
        self.places.get(&term).copied()
    }

    /// All values for every subterm.
    pub fn unknown(&self) -> Vec<Range> {
        self.nodes.iter().map(|node| Range::full(node.sort)).collect()
    }

    /// Whether floats are computed with.
    pub fn has_float_arithmetic(&self) -> bool {
        self.nodes.iter().any(|n| matches!(n.op, Op::FpAdd | Op::FpMul | Op::FpDiv | Op::FpSqrt))
    }

    fn evaluate(&self, node: &Node, ranges: &[Range]) -> Range {
        let args: SmallVec<[Range; 4]> = node.args.iter().map(|a| ranges[*a]).collect();
        apply(&node.op, node.sort, &args, node.rounding, node.same)
    }

    /// Narrows each subterm to what its arguments allow. Whether anything changed.
    pub fn forward(&self, ranges: &mut [Range]) -> Result<bool, Contradiction> {
        let mut changed = false;
        for (i, node) in self.nodes.iter().enumerate() {
            if matches!(node.op, Op::Var(_)) {
                continue;
            }
            let range = self.evaluate(node, ranges);
            changed |= narrow(ranges, i, range)?;
        }
        Ok(changed)
    }

    /// Narrows the arguments of each subterm to what its range allows. Whether anything changed.
    pub fn backward(&self, ranges: &mut [Range]) -> Result<bool, Contradiction> {
        let mut changed = false;
        for (i, node) in self.nodes.iter().enumerate().rev() {
            changed |= self.explain(i, node, ranges)?;
        }
        Ok(changed)
    }

    /// Forwards and backwards, until nothing changes or often enough.
    pub fn propagate(&self, ranges: &mut [Range], rounds: usize) -> Result<(), Contradiction> {
        for _ in 0..rounds {
            let forward = self.forward(ranges)?;
            let backward = self.backward(ranges)?;
            if !forward && !backward {
                break;
            }
        }
        Ok(())
    }

    /// What the result of a node says about its arguments.
    fn explain(&self, i: usize, node: &Node, ranges: &mut [Range]) -> Result<bool, Contradiction> {
        let args = &node.args;
        match (&node.op, ranges[i].truth()) {
            (Op::Not, Some(truth)) => narrow(ranges, args[0], truth_of(!truth)),
            (Op::And, Some(true)) | (Op::Or, Some(false)) => {
                let truth = ranges[i];
                args.iter().try_fold(false, |changed, a| Ok(narrow(ranges, *a, truth)? || changed))
            }
            (Op::And, Some(false)) | (Op::Or, Some(true)) => {
                // The last that is not decided must decide.
                let truth = ranges[i].truth();
                let mut open = args.iter().filter(|a| ranges[**a].truth() != truth.map(|t| !t));
                match (open.next(), open.next()) {
                    (Some(only), None) => {
                        let range = ranges[i];
                        narrow(ranges, *only, range)
                    }
                    _ => Ok(false),
                }
            }
            (Op::Ite, _) => explain_choice(ranges[i], args, ranges),
            (Op::Eq, Some(true)) => {
                let both = ranges[args[0]].meet(ranges[args[1]]);
                Ok(narrow(ranges, args[0], both)? | narrow(ranges, args[1], both)?)
            }
            (Op::Eq, Some(false)) => {
                let (a, b) = (ranges[args[0]], ranges[args[1]]);
                Ok(narrow(ranges, args[0], without(a, b))?
                    | narrow(ranges, args[1], without(b, a))?)
            }
            (Op::BvUlt | Op::BvSlt, Some(truth)) => {
                let (Range::Bits(a), Range::Bits(b)) = (ranges[args[0]], ranges[args[1]]) else {
                    return Ok(false);
                };
                let (a, b) = ordered(a, b, node.op == Op::BvSlt, truth).ok_or(Contradiction)?;
                Ok(narrow(ranges, args[0], Range::Bits(a))?
                    | narrow(ranges, args[1], Range::Bits(b))?)
            }
            (Op::FpLt | Op::FpLeq | Op::FpEq, Some(truth)) => {
                let (Range::Float(a), Range::Float(b)) = (ranges[args[0]], ranges[args[1]]) else {
                    return Ok(false);
                };
                let (a, b) = compared(a, b, &node.op, truth);
                Ok(narrow(ranges, args[0], Range::Float(a))?
                    | narrow(ranges, args[1], Range::Float(b))?)
            }
            (Op::FpIsNan, Some(truth)) => {
                let Range::Float(a) = ranges[args[0]] else { return Ok(false) };
                let range = match truth {
                    true => FloatRange { nan: a.nan, ..FloatRange::none(a.single) },
                    false => FloatRange { nan: false, ..a },
                };
                narrow(ranges, args[0], Range::Float(range))
            }
            _ => explain_arithmetic(node, ranges[i], ranges),
        }
    }

    /// The variable whose range should be split: a Bool that the truth of a root hangs on, else
    /// the widest of those that it depends on.
    pub fn branching_variable(&self, ranges: &[Range]) -> Option<usize> {
        let mut seen = vec![false; self.nodes.len()];
        let mut pending: Vec<usize> = self.roots.clone();
        let mut widest: Option<(u64, usize)> = None;
        while let Some(i) = pending.pop() {
            if std::mem::replace(&mut seen[i], true) {
                continue;
            }
            let node = &self.nodes[i];
            match (&node.op, ranges[i]) {
                (Op::Var(_), Range::Truth { no: true, yes: true }) => return Some(i),
                (Op::Var(_), range) => {
                    let extent = extent(range);
                    if extent > 0 && widest.is_none_or(|(most, _)| extent > most) {
                        widest = Some((extent, i));
                    }
                }
                (Op::Ite, _) => match ranges[node.args[0]].truth() {
                    Some(true) => pending.push(node.args[1]),
                    Some(false) => pending.push(node.args[2]),
                    None => pending.extend(&node.args),
                },
                (Op::Or, range) if range.truth() == Some(true) => {
                    // A variable that is true is reason enough.
                    let settled = |a: &usize| {
                        matches!(self.nodes[*a].op, Op::Var(_)) && ranges[*a].truth() == Some(true)
                    };
                    if !node.args.iter().any(settled) {
                        let open = |a: &&usize| ranges[**a].truth() != Some(false);
                        pending.extend(node.args.iter().filter(open));
                    }
                }
                _ => pending.extend(&node.args),
            }
        }
        widest.map(|(_, i)| i)
    }
}

/// How many values a range has, less one, as far as that is known.
fn extent(range: Range) -> u64 {
    match range {
        Range::Truth { no, yes } => u64::from(no && yes),
        Range::Bits(bits) => (bits.high - bits.low).min(bits.most.abs_diff(bits.least)),
        Range::Float(float) if float.nan && !float.numberless() => u64::MAX,
        Range::Float(float) => float.extent(),
        Range::Any => 0,
    }
}

fn truth_of(truth: bool) -> Range {
    if truth { Range::TRUE } else { Range::FALSE }
}

/// Meets the range of a node with another.
fn narrow(ranges: &mut [Range], i: usize, range: Range) -> Result<bool, Contradiction> {
    let met = ranges[i].meet(range);
    if met.is_empty() {
        return Err(Contradiction);
    }
    let changed = met != ranges[i];
    ranges[i] = met;
    Ok(changed)
}

fn explain_choice(
    result: Range,
    args: &[usize],
    ranges: &mut [Range],
) -> Result<bool, Contradiction> {
    let mut changed = false;
    if ranges[args[0]].truth().is_none() {
        if ranges[args[1]].meet(result).is_empty() {
            changed |= narrow(ranges, args[0], Range::FALSE)?;
        } else if ranges[args[2]].meet(result).is_empty() {
            changed |= narrow(ranges, args[0], Range::TRUE)?;
        }
    }
    match ranges[args[0]].truth() {
        Some(true) => changed |= narrow(ranges, args[1], result)?,
        Some(false) => changed |= narrow(ranges, args[2], result)?,
        None => {}
    }
    Ok(changed)
}

/// The values of `a` that can differ from `b`: without b, if that is one value at an end of a.
fn without(a: Range, b: Range) -> Range {
    let (Range::Bits(mut bits), Range::Bits(other)) = (a, b) else {
        return match (a, b.truth()) {
            (Range::Truth { .. }, Some(truth)) => truth_of(!truth).meet(a),
            _ => a,
        };
    };
    let (Some(value), true) = (other.constant(), other.least == other.most) else { return a };
    if bits.low == bits.high {
        return if bits.low == value { a.meet(Range::Bits(bits.not())) } else { a };
    }
    if bits.low == value {
        bits.low += 1;
    } else if bits.high == value {
        bits.high -= 1;
    }
    if bits.least < bits.most {
        if bits.least == other.least {
            bits.least += 1;
        } else if bits.most == other.least {
            bits.most -= 1;
        }
    }
    Range::Bits(bits.reduced())
}

/// The values for which a < b has a truth value; none if there are no such.
fn ordered(
    mut a: BitRange,
    mut b: BitRange,
    signed: bool,
    truth: bool,
) -> Option<(BitRange, BitRange)> {
    match (signed, truth) {
        (false, true) => {
            a.high = a.high.min(b.high.checked_sub(1)?);
            b.low = b.low.max(a.low.checked_add(1)?);
        }
        (false, false) => {
            a.low = a.low.max(b.low);
            b.high = b.high.min(a.high);
        }
        (true, true) => {
            a.most = a.most.min(b.most.checked_sub(1)?);
            b.least = b.least.max(a.least.checked_add(1)?);
        }
        (true, false) => {
            a.least = a.least.max(b.least);
            b.most = b.most.min(a.most);
        }
    }
    Some((a.reduced(), b.reduced()))
}

/// The values for which a comparison of floats has a truth value.
fn compared(a: FloatRange, b: FloatRange, op: &Op, truth: bool) -> (FloatRange, FloatRange) {
    let (mut a, mut b) = (a, b);
    if truth {
        (a.nan, b.nan) = (false, false);
        a.high = a.high.min(b.high);
        b.low = b.low.max(a.low);
        if *op == Op::FpEq {
            a.low = a.low.max(b.low);
            b.high = b.high.min(a.high);
        }
    } else if *op != Op::FpEq && !a.nan && !b.nan {
        a.low = a.low.max(b.low);
        b.high = b.high.min(a.high);
    }
    (a, b)
}

/// Arithmetic that can be undone.
fn explain_arithmetic(
    node: &Node,
    result: Range,
    ranges: &mut [Range],
) -> Result<bool, Contradiction> {
    let args = &node.args;
    match (&node.op, result) {
        // x + y = z: x = z − y, y = z − x, all modulo 2^w.
        (Op::BvAdd, Range::Bits(z)) => {
            let (Range::Bits(x), Range::Bits(y)) = (ranges[args[0]], ranges[args[1]]) else {
                return Ok(false);
            };
            Ok(narrow(ranges, args[0], Range::Bits(z.sub(y)))?
                | narrow(ranges, args[1], Range::Bits(z.sub(x)))?)
        }
        (Op::BvSub, Range::Bits(z)) => {
            let (Range::Bits(x), Range::Bits(y)) = (ranges[args[0]], ranges[args[1]]) else {
                return Ok(false);
            };
            Ok(narrow(ranges, args[0], Range::Bits(z.add(y)))?
                | narrow(ranges, args[1], Range::Bits(x.sub(z)))?)
        }
        (Op::BvNeg, Range::Bits(z)) => narrow(ranges, args[0], Range::Bits(z.neg())),
        (Op::BvNot, Range::Bits(z)) => narrow(ranges, args[0], Range::Bits(z.not())),
        (Op::BvZeroExtend(by), Range::Bits(z)) => {
            let full = BitRange::full(z.width - by);
            let range = BitRange { low: z.low, high: z.high.min(full.high), ..full };
            narrow(ranges, args[0], Range::Bits(range.reduced()))
        }
        (Op::BvSignExtend(by), Range::Bits(z)) => {
            let full = BitRange::full(z.width - by);
            let (least, most) = (z.least.max(full.least), z.most.min(full.most));
            narrow(ranges, args[0], Range::Bits(BitRange { least, most, ..full }.reduced()))
        }
        (Op::FpNeg, Range::Float(z)) => narrow(ranges, args[0], Range::Float(z.neg())),
        _ => Ok(false),
    }
}
