//! What summaries are made of: formulas over the interface of a procedure.
//!
//! *Conditions* speak of inputs; they are what the procedure and its callers compare. *Relations* speak of
//! outputs: what callers compare them with, and how they may depend on inputs and on numbers of the
//! program. Whether one of them is of use, a refutation tells ([`crate::interpolate`]); whether it holds,
//! induction ([`crate::inductive`]).

use crate::Encoding;
use crate::body::{Body, Site};
use la_arena::ArenaMap;
use program::procedures::{Interface, ProcedureId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::interpolate::words::{comparisons, with_bounds};
use term::traverse::{free_vars, rewrite, size, subterms};
use term::{Pool, Sort, Term};
use value::Bits;

/// The most conditions of a procedure.
const MAX_CONDITIONS: usize = 24;
/// The most relations of a procedure.
const MAX_RELATIONS: usize = 160;
/// The most numbers that outputs are compared with.
const MAX_NUMBERS: usize = 6;
/// The most inputs that an output is compared with.
const MAX_INPUTS: usize = 6;
/// The most parameters of which conditions speak two at a time.
const MAX_PAIRED: usize = 3;
/// The largest formula.
const MAX_SIZE: usize = 24;

/// Formulas for the summary of a procedure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vocabulary {
    /// Over inputs.
    pub conditions: Vec<Term>,
    /// Over outputs, and perhaps inputs.
    pub relations: Vec<Term>,
}

/// The vocabularies of all procedures.
pub fn vocabularies(encoding: &Encoding<'_>) -> ArenaMap<ProcedureId, Vocabulary> {
    let pool = encoding.pool;
    let mut found: ArenaMap<ProcedureId, Vocabulary> = ArenaMap::default();
    for (id, body) in encoding.bodies.iter() {
        let interface = &encoding.interfaces[id];
        let own = comparisons(pool, &terms(body));
        let own = own.into_iter().filter(|atom| speaks_of(pool, *atom, &interface.inputs));
        let conditions = with_bounds(pool, own);
        found.insert(id, Vocabulary { conditions, relations: Vec::new() });
    }
    // What callers compare says something of their callees, and of those of these.
    for _ in 0..2 {
        for (caller, body) in encoding.bodies.iter() {
            let mut atoms: Vec<Term> = comparisons(pool, &terms(body)).into_iter().collect();
            atoms.extend(&found[caller].conditions);
            for site in &body.sites {
                let interface = &encoding.interfaces[site.callee];
                let (conditions, relations) = seen_by_callee(pool, &atoms, site, interface);
                found[site.callee].conditions.extend(conditions);
                found[site.callee].relations.extend(relations);
            }
        }
    }
    for (id, vocabulary) in found.iter_mut() {
        let interface = &encoding.interfaces[id];
        let numbers = numbers(pool, &encoding.bodies[id]);
        vocabulary.relations.extend(guesses(encoding, interface, &numbers));
        vocabulary.conditions.extend(signs(encoding, id));
        distinct(pool, &mut vocabulary.conditions, MAX_CONDITIONS);
        distinct(pool, &mut vocabulary.relations, MAX_RELATIONS);
    }
    found
}

/// All terms of a body that conditions can be found in.
fn terms(body: &Body) -> Vec<Term> {
    let mut terms = vec![body.returns];
    terms.extend(&body.values);
    terms.extend(body.definitions.iter().map(|(_, condition)| *condition));
    terms.extend(body.failures.iter().map(|failure| failure.condition));
    for site in &body.sites {
        terms.push(site.start);
        terms.extend(&site.arguments);
    }
    terms
}

fn speaks_of(pool: &Pool, formula: Term, variables: &[Term]) -> bool {
    let spoken = free_vars(pool, &[formula]);
    !spoken.is_empty() && spoken.iter().all(|v| variables.contains(v))
}

/// Leaves no formula twice, none beside its negation, none that is large, and not too many.
fn distinct(pool: &Pool, formulas: &mut Vec<Term>, most: usize) {
    let mut known = FxHashSet::default();
    formulas.retain(|&formula| {
        let small = pool.as_bool(formula).is_none() && size(pool, formula) <= MAX_SIZE;
        small && !known.contains(&pool.not(formula)) && known.insert(formula)
    });
    formulas.truncate(most);
}

/// What a caller's comparisons say in terms of its callee: conditions and relations.
fn seen_by_callee(
    pool: &Pool,
    atoms: &[Term],
    site: &Site,
    interface: &Interface,
) -> (Vec<Term>, Vec<Term>) {
    let mut map: FxHashMap<Term, Term> = FxHashMap::default();
    for (input, argument) in interface.inputs.iter().zip(&site.arguments) {
        if pool.value(*argument).is_none() {
            map.entry(*argument).or_insert(*input);
        }
    }
    for (output, value) in interface.outputs.iter().zip(&site.outputs) {
        map.insert(*value, output.after);
    }
    let after: Vec<Term> = interface.outputs.iter().map(|output| output.after).collect();
    let all: Vec<Term> = interface.inputs.iter().chain(&after).copied().collect();
    let (mut conditions, mut relations) = (Vec::new(), Vec::new());
    for &atom in atoms {
        let seen = rewrite(pool, atom, &mut map, |_| None);
        if speaks_of(pool, seen, &interface.inputs) {
            conditions.push(seen);
        } else if speaks_of(pool, seen, &all) {
            relations.push(seen);
        }
    }
    (with_bounds(pool, conditions), with_bounds(pool, relations))
}

/// The small numbers of a body, by width.
fn numbers(pool: &Pool, body: &Body) -> FxHashMap<u32, Vec<i64>> {
    let mut numbers: FxHashMap<u32, Vec<i64>> = FxHashMap::default();
    for term in subterms(pool, &terms(body)) {
        if let Some(bits) = pool.as_bits(term)
            && let Some(number) = bits.to_i64().filter(|number| number.unsigned_abs() < 1 << 20)
        {
            numbers.entry(bits.width()).or_default().push(number);
        }
    }
    for numbers in numbers.values_mut() {
        numbers.extend([0, 1]);
        numbers.sort_unstable_by_key(|number| (number.abs(), *number));
        numbers.dedup();
        numbers.truncate(MAX_NUMBERS);
    }
    numbers
}

/// Whether parameters are zero or less, and for a few also two at a time.
fn signs(encoding: &Encoding<'_>, procedure: ProcedureId) -> Vec<Term> {
    let pool = encoding.pool;
    let mut least: Vec<[Term; 2]> = Vec::new();
    for &parameter in &encoding.procedures.procedures[procedure].parameters {
        let Sort::BitVec(width @ 2..=64) = pool.sort(parameter) else { continue };
        let [zero, one] = [0, 1].map(|n| pool.bits(Bits::from_i64(width, n)));
        least.push(match encoding.is_signed(parameter) {
            true => [pool.bv_sle(zero, parameter), pool.bv_sle(one, parameter)],
            false => [pool.tru(), pool.bv_ule(one, parameter)],
        });
    }
    let mut found: Vec<Term> = least.iter().flatten().copied().collect();
    if least.len() <= MAX_PAIRED {
        for (i, [zero, _]) in least.iter().enumerate() {
            let others = least.iter().enumerate().filter(|(j, _)| i != *j);
            found.extend(others.map(|(_, [_, one])| pool.and([*zero, *one])));
        }
    }
    found
}

/// How outputs may depend on inputs and numbers.
fn guesses(
    encoding: &Encoding<'_>,
    interface: &Interface,
    numbers: &FxHashMap<u32, Vec<i64>>,
) -> Vec<Term> {
    let pool = encoding.pool;
    let mut found = Vec::new();
    for output in &interface.outputs {
        let after = output.after;
        if let Some(before) = interface.inputs.iter().find(|input| **input == output.variable) {
            found.push(pool.eq(after, *before));
        }
        match pool.sort(after) {
            Sort::Bool => found.push(after),
            Sort::BitVec(width @ 2..=64) => {
                let few = vec![0, 1];
                let numbers = numbers.get(&width).unwrap_or(&few);
                let signed = encoding.is_signed(output.variable);
                found.extend(guesses_of_word(pool, interface, (after, signed), width, numbers));
            }
            _ => {}
        }
    }
    found
}

fn guesses_of_word(
    pool: &Pool,
    interface: &Interface,
    (after, signed): (Term, bool),
    width: u32,
    numbers: &[i64],
) -> Vec<Term> {
    let at_most = |a: Term, b: Term| if signed { pool.bv_sle(a, b) } else { pool.bv_ule(a, b) };
    let number = |n: i64| pool.bits(Bits::from_i64(width, n));
    let mut found = Vec::new();
    let mut compare = |other: Term| {
        found.extend([pool.eq(after, other), at_most(after, other), at_most(other, after)]);
    };
    numbers.iter().for_each(|n| compare(number(*n)));
    let alike = interface.inputs.iter().copied().filter(|p| pool.sort(*p) == pool.sort(after));
    let alike: Vec<Term> = alike.take(MAX_INPUTS).collect();
    for (i, &p) in alike.iter().enumerate() {
        compare(p);
        compare(pool.bv_neg(p));
        for &n in numbers.iter().filter(|n| **n != 0) {
            compare(pool.bv_add(p, number(n)));
            compare(pool.bv_sub(p, number(n)));
        }
        for &q in &alike[i + 1..] {
            compare(pool.bv_add(p, q));
            compare(pool.bv_sub(p, q));
            compare(pool.bv_sub(q, p));
        }
    }
    found
}
