//! The language of seeds: what may be said of the variables of a program.
//!
//! Of one variable: its value; bounds, signed and unsigned, by what was seen and by constants of
//! the program; its residue by small numbers. Of two: equality, order, difference, sum. Of several:
//! linear equations ([`crate::affine::equations`]).

use super::simulate::constants;
use super::{Graph, counters};
use crate::affine::equations;
use crate::polynomial::canonical_equation as canonical;
use program::execute::Values;
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::free_vars;
use term::{Pool, Sort, Term, Value};
use value::Bits;

/// How many candidates there are for a node.
const MAX_CANDIDATES: usize = 200;
/// How many variables are compared with each other.
const MAX_COMPARED: usize = 14;
/// How many constants bound a variable on each side.
const BOUNDS: usize = 3;
const MODULI: [u64; 6] = [2, 3, 4, 5, 8, 10];

/// What candidates are made of.
pub(super) struct Templates {
    /// Counters and what they are compared with: bit-vectors of at most 64 bits, and Booleans.
    variables: Vec<Term>,
    /// The constants of the program and their neighbours by width, as signed numbers, ascending.
    constants: FxHashMap<u32, Vec<i64>>,
}

impl Templates {
    pub(super) fn new(pool: &Pool, graph: &Graph) -> Templates {
        let mut terms: Vec<Term> = Vec::new();
        for step in &graph.steps {
            terms.extend(&step.effect.guards);
            terms.extend(step.effect.assigned.iter().flat_map(|(x, t)| [*x, *t]));
        }
        let inputs: Vec<Term> =
            graph.steps.iter().flat_map(|s| s.effect.inputs.iter().map(|(_, v)| *v)).collect();
        let simple = |v: &Term| match pool.sort(*v) {
            Sort::Bool => true,
            Sort::BitVec(width) => width <= 64,
            _ => false,
        };
        let mut variables = free_vars(pool, &terms);
        let relevant = beside_counters(pool, graph);
        variables.retain(|v| simple(v) && relevant.contains(v) && !inputs.contains(v));
        let mut by_width: FxHashMap<u32, Vec<i64>> = FxHashMap::default();
        for (width, bits) in constants(pool, graph) {
            if width > 64 {
                continue;
            }
            let mut numbers: Vec<i64> = vec![0];
            for number in bits.iter().filter_map(Bits::to_i64) {
                numbers.extend([number, number.saturating_add(1), number.saturating_sub(1)]);
            }
            numbers.retain(|n| Bits::from_i64(width, *n).to_i64() == Some(*n));
            numbers.sort_unstable();
            numbers.dedup();
            by_width.insert(width, numbers);
        }
        Templates { variables, constants: by_width }
    }

    /// The variables that candidates speak of.
    pub(super) fn variables(&self) -> impl Iterator<Item = Term> + '_ {
        self.variables.iter().copied()
    }

    /// What all the states have in common, the stronger before the weaker.
    ///
    /// Requires: there is a state.
    pub(super) fn candidates(&self, pool: &Pool, states: &[Values]) -> Vec<Term> {
        let mut found = Vec::new();
        let mut words: Vec<(Term, u32, Vec<Bits>)> = Vec::new();
        for variable in self.variables() {
            match pool.sort(variable) {
                Sort::BitVec(width) => {
                    let value = |s: &Values| match s.get(&variable) {
                        Some(Value::Bits(bits)) => bits.clone(),
                        _ => Bits::zero(width),
                    };
                    words.push((variable, width, states.iter().map(value).collect()));
                }
                _ => {
                    let value = |s: &Values| s.get(&variable) == Some(&Value::Bool(true));
                    let first = value(&states[0]);
                    if states.iter().all(|s| value(s) == first) {
                        found.push(if first { variable } else { pool.not(variable) });
                    }
                }
            }
        }
        let varying = |(_, _, v): &&(Term, u32, Vec<Bits>)| v.iter().any(|b| *b != v[0]);
        for (variable, width, values) in &words {
            self.describe(pool, *variable, *width, values, &mut found);
        }
        // Variables that change are compared first: constants are known already.
        let mut compared: Vec<&(Term, u32, Vec<Bits>)> = words.iter().filter(varying).collect();
        compared.extend(words.iter().filter(|w| !varying(w)));
        compared.truncate(MAX_COMPARED);
        for (i, a) in compared.iter().enumerate() {
            for b in &compared[i + 1..] {
                if a.1 == b.1 && a.1 > 1 {
                    compare(pool, (a.0, &a.2), (b.0, &b.2), &mut found);
                }
            }
        }
        found.truncate(MAX_CANDIDATES);
        let mut widths: Vec<u32> = compared.iter().map(|(_, width, _)| *width).collect();
        widths.sort_unstable();
        widths.dedup();
        for width in widths {
            let of_width = compared.iter().filter(|w| w.1 == width && varying(w));
            relate(pool, &of_width.map(|w| (w.0, &w.2[..])).collect::<Vec<_>>(), &mut found);
        }
        found
    }

    /// Value, bounds and residues of one variable.
    fn describe(
        &self,
        pool: &Pool,
        variable: Term,
        width: u32,
        values: &[Bits],
        found: &mut Vec<Term>,
    ) {
        let constant = |bits: &Bits| pool.bits(bits.clone());
        if values.iter().all(|v| *v == values[0]) {
            found.push(pool.eq(variable, constant(&values[0])));
        }
        if width == 1 {
            return;
        }
        let signed: Vec<i64> = values.iter().filter_map(Bits::to_i64).collect();
        let (Some(low), Some(high)) = (signed.iter().min(), signed.iter().max()) else { return };
        let known = self.constants.get(&width).map_or(&[][..], |c| &c[..]);
        let number = |n: i64| pool.bits(Bits::from_i64(width, n));
        let above = known.iter().filter(|c| *c >= high).take(BOUNDS);
        let below = known.iter().rev().filter(|c| *c <= low).take(BOUNDS);
        for bound in std::iter::once(high).chain(above.clone()) {
            found.push(pool.bv_sle(variable, number(*bound)));
            if *low >= 0 {
                found.push(pool.bv_ule(variable, number(*bound)));
            }
        }
        for bound in std::iter::once(low).chain(below) {
            found.push(pool.bv_sle(number(*bound), variable));
        }
        let mut distinct = values.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < 3 {
            return;
        }
        for modulus in MODULI.into_iter().filter(|m| width >= 64 || *m < 1 << width) {
            let residue = |b: &Bits| b.to_u64().map(|n| n % modulus);
            let first = residue(&values[0]);
            if let Some(r) = first.filter(|_| values.iter().all(|v| residue(v) == first)) {
                let rest = pool.bv_urem(variable, pool.bv(modulus, width));
                found.push(pool.eq(rest, pool.bv(r, width)));
            }
        }
    }
}

/// Linear equations of variables of one width.
fn relate(pool: &Pool, words: &[(Term, &[Bits])], found: &mut Vec<Term>) {
    let Some((first, values)) = words.first() else { return };
    // As many samples as unknowns have an equation whatever they are.
    if words.len() < 3 || values.len() < words.len() + 3 {
        return;
    }
    let width = pool.width(*first);
    let number = |b: &Bits| b.to_i64().unwrap_or(0);
    let samples: Vec<Vec<i64>> =
        (0..values.len()).map(|i| words.iter().map(|(_, v)| number(&v[i])).collect()).collect();
    for equation in equations(&samples) {
        let constant = |n: i64| pool.bits(Bits::from_i64(width, n));
        let mut sum = constant(equation[0]);
        for ((variable, _), factor) in words.iter().zip(&equation[1..]) {
            if *factor != 0 {
                sum = pool.bv_add(sum, pool.bv_mul(*variable, constant(*factor)));
            }
        }
        found.push(canonical(pool, pool.eq(sum, constant(0))));
    }
}

/// The counters of the program, and what guards compare them with.
fn beside_counters(pool: &Pool, graph: &Graph) -> FxHashSet<Term> {
    let counters = counters(pool, graph.steps.iter().map(|step| &step.effect));
    let mut all = counters.clone();
    for guard in graph.steps.iter().flat_map(|step| &step.effect.guards) {
        let mentioned = free_vars(pool, &[*guard]);
        if mentioned.iter().any(|v| counters.contains(v)) {
            all.extend(mentioned);
        }
    }
    all
}

/// Relations of two variables.
fn compare(pool: &Pool, a: (Term, &[Bits]), b: (Term, &[Bits]), found: &mut Vec<Term>) {
    let ((x, xs), (y, ys)) = (a, b);
    let pairs = || xs.iter().zip(ys);
    if pairs().all(|(p, q)| p == q) {
        found.push(pool.eq(x, y));
        return;
    }
    let difference = xs[0].sub(&ys[0]);
    if xs.len() > 1 && pairs().all(|(p, q)| p.sub(q) == difference) {
        found.push(canonical(pool, pool.eq(x, pool.bv_add(y, pool.bits(difference)))));
    }
    let sum = xs[0].add(&ys[0]);
    if xs.len() > 1 && pairs().all(|(p, q)| p.add(q) == sum) {
        found.push(canonical(pool, pool.eq(pool.bv_add(x, y), pool.bits(sum))));
    }
    for (s, ss, t, ts) in [(x, xs, y, ys), (y, ys, x, xs)] {
        if ss.iter().zip(ts).all(|(p, q)| !q.slt(p)) {
            found.push(pool.bv_sle(s, t));
        }
        if ss.iter().zip(ts).all(|(p, q)| !q.ult(p)) {
            found.push(pool.bv_ule(s, t));
        }
        let double = |b: &Bits| b.add(b);
        if ss.len() > 1 && ss.iter().zip(ts).all(|(p, q)| *p == double(q)) {
            found.push(canonical(pool, pool.eq(s, pool.bv_add(t, t))));
        }
    }
}
