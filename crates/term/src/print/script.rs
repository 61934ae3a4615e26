//! Whole scripts for other solvers.

use super::printer::Printer;
use super::symbol::append;
use crate::op::Op;
use crate::pool::{Pool, Term};
use crate::sort::Sort;
use crate::traverse::{Substitution, subterms};
use rustc_hash::FxHashSet;
use value::Float;

/// `(set-logic …)`, declarations, an `assert` for each term, `(check-sat)`.
///
/// Without a logic it is the one that [`logic`] finds.
pub fn script(pool: &Pool, logic_name: Option<&str>, assertions: &[Term]) -> String {
    let name = logic_name.map_or_else(|| logic(pool, assertions), String::from);
    let mut printer = Printer::new(pool);
    let mut text = format!("(set-logic {name})\n");
    let mut body = String::new();
    for term in assertions {
        append(&mut body, format_args!("(assert {})\n", printer.term(*term)));
    }
    text.push_str(&printer.take_declarations());
    text.push_str(&body);
    text.push_str("(check-sat)\n");
    text
}

/// Assertions that are satisfiable together exactly if the given ones are, in the words of the
/// standard: the bits of a float become a new constant b with `to_fp(b) = x`, and the bits of
/// NaN for NaN.
///
/// A model of the result is one of the given assertions. Bits of floats that depend on quantified
/// variables stay.
pub fn standard(pool: &Pool, assertions: &[Term]) -> Vec<Term> {
    let order = subterms(pool, assertions);
    let mut open = FxHashSet::default();
    for term in &order {
        if let (Op::Forall | Op::Exists, Some((_, bound))) =
            (pool.op(*term), pool.args(*term).split_last())
        {
            open.extend(bound.iter().copied());
        }
    }
    let mut replaced = Vec::new();
    for term in order {
        if pool.args(term).iter().any(|a| open.contains(a)) {
            open.insert(term);
        } else if *pool.op(term) == Op::FpToBits {
            replaced.push((term, pool.fresh_var("bits", pool.sort(term))));
        }
    }
    let mut rewriting = Substitution::new(replaced.iter().copied());
    let mut result: Vec<Term> = assertions.iter().map(|a| rewriting.apply(pool, *a)).collect();
    for (term, bits) in replaced {
        let float = rewriting.apply(pool, pool.args(term)[0]);
        let Some(format) = pool.sort(float).format() else { unreachable!("typing: a float") };
        let nan = pool.bits(Float::nan(format).to_bits());
        result.push(pool.eq(pool.make(Op::FpFromBits(format), &[bits]), float));
        result.push(pool.implies(pool.fp_is_nan(float), pool.eq(bits, nan)));
    }
    result
}

/// What a logic has to have.
#[derive(Default)]
struct Needs {
    quantifiers: bool,
    arrays: bool,
    /// Arrays of anything but bit-vectors, floats and numbers.
    other_arrays: bool,
    functions: bool,
    bit_vectors: bool,
    floats: bool,
    ints: bool,
    reals: bool,
    nonlinear: bool,
}

/// The name of a logic that has all that occurs in the terms, `ALL` if there is no usual one.
pub fn logic(pool: &Pool, terms: &[Term]) -> String {
    let mut needs = Needs::default();
    for term in subterms(pool, terms) {
        needs.note_sort(pool, pool.sort(term));
        let variable_factor = |a: &Term| pool.value(*a).is_none();
        match (pool.op(term), pool.args(term)) {
            (Op::Forall | Op::Exists, _) => needs.quantifiers = true,
            (Op::Apply(_), _) => needs.functions = true,
            (Op::Mul, args) => needs.nonlinear |= args.iter().all(variable_factor),
            (Op::IntDiv | Op::IntMod | Op::RealDiv, [_, divisor]) => {
                needs.nonlinear |= variable_factor(divisor);
            }
            _ => {}
        }
    }
    needs.logic()
}

impl Needs {
    fn note_sort(&mut self, pool: &Pool, sort: Sort) {
        match sort {
            Sort::Bool => {}
            Sort::BitVec(_) => self.bit_vectors = true,
            Sort::Float(_) | Sort::RoundingMode => self.floats = true,
            Sort::Int => self.ints = true,
            Sort::Real => self.reals = true,
            Sort::Uninterpreted(_) => self.functions = true,
            Sort::Array(_) => {
                self.arrays = true;
                let (index, element) = pool.array_parts(sort).expect("an array sort has parts");
                for part in [index, element] {
                    match part {
                        Sort::BitVec(_) | Sort::Float(_) | Sort::Int | Sort::Real => {
                            self.note_sort(pool, part);
                        }
                        _ => self.other_arrays = true,
                    }
                }
            }
        }
    }

    fn logic(&self) -> String {
        let arithmetic = match (self.ints, self.reals) {
            (false, false) => "",
            (true, false) => "IA",
            (false, true) => "RA",
            (true, true) => "IRA",
        };
        let bits = self.bit_vectors || self.floats;
        let unusual = self.ints && bits
            || self.reals && self.bit_vectors && !self.floats
            || self.other_arrays
            || self.arrays && self.functions && !bits && arithmetic.is_empty();
        if unusual {
            return "ALL".into();
        }
        let mut name = String::from(if self.quantifiers { "" } else { "QF_" });
        let only_arrays = self.arrays && !bits && arithmetic.is_empty();
        let parts = [
            (only_arrays, "AX"),
            (self.arrays && !only_arrays, "A"),
            (self.functions || !self.arrays && !bits && arithmetic.is_empty(), "UF"),
            (self.bit_vectors, "BV"),
            (self.floats, "FP"),
        ];
        parts.iter().filter(|(needed, _)| *needed).for_each(|(_, part)| name.push_str(part));
        if !arithmetic.is_empty() {
            name.push(if self.nonlinear { 'N' } else { 'L' });
            name.push_str(arithmetic);
        }
        name
    }
}
