//! Satisfiability by boxes: the ranges of the variables are split until each box is refuted, or
//! one contains a point that satisfies the formulas.
//!
//! Meant for floating-point arithmetic with few variables, where circuits of multipliers are hard
//! for SAT solvers and bounds settle almost everything. Sound both ways: ranges over-approximate,
//! and a point is evaluated exactly before it counts.

use crate::float::FloatRange;
use crate::formula::Formula;
use crate::range::Range;
use rustc_hash::{FxHashMap, FxHashSet};
use term::eval::default_value;
use term::traverse::{disjuncts, free_vars};
use term::{Op, Pool, Term, Value, evaluate};
use value::Bits;

/// How often ranges go forwards and backwards in one box.
const ROUNDS: usize = 4;
/// How many boxes pass between two looks at the clock.
const PATIENCE: usize = 64;

/// What is known of some formulas.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// No assignment satisfies all.
    Unsat,
    /// This one does.
    Sat(FxHashMap<Term, Value>),
    /// Some box could neither be refuted nor split: more effort would not help.
    Open,
    /// The effort was not enough, or somebody stopped the search.
    Exhausted,
}

/// Whether boxes may help with these formulas: they compute with floats.
pub fn worthwhile(pool: &Pool, formulas: &[Term]) -> bool {
    term::traverse::subterms(pool, formulas)
        .iter()
        .any(|t| matches!(pool.op(*t), Op::FpAdd | Op::FpMul | Op::FpDiv | Op::FpSqrt))
}

/// The formulas that a question hangs on: its own, and those definitions `name ⇒ formula` whose
/// names it mentions, directly or by other definitions.
pub fn cone(
    pool: &Pool,
    question: &[Term],
    definitions: impl DoubleEndedIterator<Item = Term>,
) -> Vec<Term> {
    let mut needed: FxHashSet<Term> = free_vars(pool, question).into_iter().collect();
    let mut found = question.to_vec();
    // Definitions come after those that they are made of.
    for definition in definitions.rev() {
        let names = |d: &Term| matches!(pool.op(*d), Op::Not) && needed.contains(&pool.args(*d)[0]);
        if disjuncts(pool, definition).iter().any(names) {
            needed.extend(free_vars(pool, &[definition]));
            found.push(definition);
        }
    }
    found
}

/// Decides whether formulas have a common model, by at most `effort` evaluations of subterms.
pub fn decide(
    pool: &Pool,
    formulas: &[Term],
    effort: u64,
    stopped: &mut dyn FnMut() -> bool,
) -> Outcome {
    let formula = Formula::new(pool, formulas);
    let mut search = Search { pool, formulas, formula, open: false };
    search.run(effort, stopped)
}

struct Search<'a> {
    pool: &'a Pool,
    formulas: &'a [Term],
    formula: Formula,
    /// Whether some box could neither be refuted nor split.
    open: bool,
}

impl Search<'_> {
    fn run(&mut self, effort: u64, stopped: &mut dyn FnMut() -> bool) -> Outcome {
        let variables: Vec<usize> = self.formula.variables().map(|(_, i)| i).collect();
        let mut left = effort;
        let mut pending: Vec<Vec<Range>> =
            vec![variables.iter().map(|i| self.formula.unknown()[*i]).collect()];
        let unknown = self.formula.unknown();
        let mut ranges = unknown.clone();
        let mut count = 0;
        while let Some(values) = pending.pop() {
            count += 1;
            let cost = (self.formula.len() * 4) as u64;
            if left < cost || (count % PATIENCE == 0 && stopped()) {
                return Outcome::Exhausted;
            }
            left -= cost;
            ranges.copy_from_slice(&unknown);
            for (i, range) in variables.iter().zip(&values) {
                ranges[*i] = *range;
            }
            for root in self.formula.roots() {
                ranges[*root] = ranges[*root].meet(Range::TRUE);
            }
            if self.formula.propagate(&mut ranges, ROUNDS).is_err() {
                continue;
            }
            if let Some(model) = self.sample(&ranges) {
                return Outcome::Sat(model);
            }
            let narrowed: Vec<Range> = variables.iter().map(|i| ranges[*i]).collect();
            match self.split(&ranges, &variables, &narrowed) {
                Some((first, second)) => pending.extend([first, second]),
                None => self.open = true,
            }
        }
        if self.open { Outcome::Open } else { Outcome::Unsat }
    }

    /// The point in the middle, if it satisfies the formulas.
    fn sample(&self, ranges: &[Range]) -> Option<FxHashMap<Term, Value>> {
        let mut point = self.formula.unknown();
        let mut model = FxHashMap::default();
        for (variable, i) in self.formula.variables() {
            let sort = self.pool.sort(variable);
            let value = middle(ranges[i]).unwrap_or_else(|| default_value(self.pool, sort));
            point[i] = Range::point(&value);
            model.insert(variable, value);
        }
        self.formula.forward(&mut point).ok()?;
        let possible = |root: &usize| point[*root].truth() != Some(false);
        if !self.formula.roots().iter().all(possible) {
            return None;
        }
        let holds = |f: &Term| evaluate(self.pool, *f, &model) == Ok(Value::Bool(true));
        self.formulas.iter().all(holds).then_some(model)
    }

    fn split(
        &self,
        ranges: &[Range],
        variables: &[usize],
        values: &[Range],
    ) -> Option<(Vec<Range>, Vec<Range>)> {
        let variable = self.formula.branching_variable(ranges)?;
        let place = variables.iter().position(|i| *i == variable)?;
        let (a, b) = halves(values[place])?;
        let with = |range: Range| {
            let mut values = values.to_vec();
            values[place] = range;
            values
        };
        Some((with(a), with(b)))
    }
}

/// Both halves of a range.
fn halves(range: Range) -> Option<(Range, Range)> {
    match range {
        Range::Truth { no: true, yes: true } => Some((Range::FALSE, Range::TRUE)),
        Range::Float(float) => float.split().map(|(a, b)| (Range::Float(a), Range::Float(b))),
        Range::Bits(bits) if bits.low < bits.high => {
            let middle = bits.low + (bits.high - bits.low) / 2;
            let (mut a, mut b) = (bits, bits);
            (a.high, b.low) = (middle, middle + 1);
            Some((Range::Bits(a.reduced()), Range::Bits(b.reduced())))
        }
        _ => None,
    }
}

/// A value in the middle of a range.
fn middle(range: Range) -> Option<Value> {
    match range {
        Range::Truth { yes, .. } => Some(Value::Bool(yes)),
        Range::Bits(bits) => {
            let middle = bits.low + (bits.high - bits.low) / 2;
            Some(Value::Bits(Bits::from_u64(bits.width, middle)))
        }
        Range::Float(float) if float.numberless() => {
            Some(Value::Float(FloatRange::value(float.single, f64::NAN)))
        }
        Range::Float(float) => Some(Value::Float(FloatRange::value(float.single, float.middle()))),
        Range::Any => None,
    }
}
