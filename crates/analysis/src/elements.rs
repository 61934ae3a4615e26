//! What may hold of the elements of arrays.
//!
//! Programs fill an array from one end to the other and read it again. What they keep is
//! of the form `k < i ⇒ P(a[k])` for all k: the elements that the index has passed have the
//! property, and after the loop those below its bound. The properties come from the program: what
//! it stores, with the parameter k in the place of the index, and what it compares elements with.
//! [`crate::houdini`] decides which of these hold; k is a variable of its own
//! ([`program::parameters`]).
//!
//! Two lists are tried: elements on one side of a bound; then elements between two bounds, and
//! elements on one side while a flag is set.
//!
//! D. Monniaux, L. Gonnord: *Cell morphing: from array programs to array-free Horn clauses*, SAS 2016,
//! follows an unknown cell in the same way.

use crate::fixpoint;
use program::cfa::{Cfa, Command};
use rustc_hash::FxHashMap;
use term::traverse::{size, substitute, subterms};
use term::{Op, Pool, Sort, Term};

/// The largest property.
const LARGEST: usize = 24;
/// The most properties of a program.
const MAX_PROPERTIES: usize = 16;
/// The most bounds of a parameter.
const MAX_BOUNDS: usize = 10;
/// The most flags.
const MAX_FLAGS: usize = 4;
/// The most formulas of a list, at all locations together and at one of them.
const MAX_FORMULAS: (usize, usize) = (16_000, 800);
/// The most accesses, and the most comparisons, that are looked at.
const MAX_SOURCES: usize = 48;

/// Lists of formulas that may hold at any location, the likeliest first; none if there are no
/// arrays.
pub fn candidates(pool: &Pool, cfa: &Cfa) -> Vec<Vec<Term>> {
    let mut elements = Elements::new(pool, cfa);
    let accesses = elements.accesses();
    if accesses.is_empty() {
        return Vec::new();
    }
    let compared = elements.subterms.iter().copied().filter(|term| compares(pool, *term));
    elements.compared = compared.take(MAX_SOURCES).collect();
    for access in accesses {
        elements.bound(&access);
        elements.properties(&access);
    }
    elements.flags();
    let mut lists = vec![elements.one_sided(), elements.between()];
    for list in &mut lists {
        list.retain(|formula| pool.as_bool(*formula).is_none());
        list.truncate(MAX_FORMULAS.1.min(MAX_FORMULAS.0 / cfa.locations.len().max(1)));
    }
    lists.retain(|list| !list.is_empty());
    lists
}

/// An array that is read or written somewhere.
struct Access {
    index: Term,
    /// What of the index is counted: `i` of `i[16:0]` and of `i + 1`.
    base: Option<Term>,
    /// The array and what is stored there, or none if it is read.
    stored: Option<(Term, Term)>,
}

/// Something that the index of an array is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Bound {
    /// The width of the index.
    width: u32,
    /// The base of the index, in terms of the parameter.
    counted: Term,
    /// What it is compared with.
    limit: Term,
    signed: bool,
}

/// The variable that an array is a new version of.
pub(crate) fn root(pool: &Pool, mut array: Term) -> Option<Term> {
    loop {
        array = match (pool.op(array), pool.args(array)) {
            (Op::Var(_), _) => return Some(array),
            (Op::Store, &[rest, ..]) => rest,
            (Op::Ite, &[_, then, _]) => then,
            _ => return None,
        };
    }
}

struct Elements<'a> {
    pool: &'a Pool,
    /// What the ways into the error location assume.
    violations: Vec<Term>,
    /// All subterms of what is assigned and assumed.
    subterms: Vec<Term>,
    /// Those that compare elements with something.
    compared: Vec<Term>,
    /// By width of the index.
    parameters: FxHashMap<u32, Term>,
    bounds: Vec<Bound>,
    /// Properties of the elements at a parameter of this width.
    properties: Vec<(u32, Term)>,
    /// Comparisons of other variables with constants.
    flags: Vec<Term>,
}

impl<'a> Elements<'a> {
    fn new(pool: &'a Pool, cfa: &Cfa) -> Self {
        let mut violations = Vec::new();
        for edge in cfa.edges.values() {
            if Some(edge.to) == cfa.error
                && let Command::Sequence(commands) = &edge.command
            {
                violations.push(pool.and(commands.iter().filter_map(|command| match command {
                    Command::Assume(formula) if reads(pool, *formula) => Some(*formula),
                    _ => None,
                })));
            }
        }
        Elements {
            pool,
            violations,
            subterms: subterms(pool, &fixpoint::terms(cfa)),
            compared: Vec::new(),
            parameters: FxHashMap::default(),
            bounds: Vec::new(),
            properties: Vec::new(),
            flags: Vec::new(),
        }
    }

    /// The reads and writes, by indices that are not constant.
    fn accesses(&self) -> Vec<Access> {
        let pool = self.pool;
        let mut accesses = Vec::new();
        for &term in &self.subterms {
            let (index, stored) = match (pool.op(term), pool.args(term)) {
                (Op::Select, &[_, index]) => (index, None),
                (Op::Store, &[array, index, value]) => {
                    (index, root(self.pool, array).map(|array| (array, value)))
                }
                _ => continue,
            };
            if matches!(pool.sort(index), Sort::BitVec(_)) && pool.as_bits(index).is_none() {
                accesses.push(Access { index, base: self.base(index), stored });
            }
        }
        accesses.truncate(MAX_SOURCES);
        accesses
    }

    /// The variable that an index is, but for a constant that is added and bits that are cut off.
    fn base(&self, mut index: Term) -> Option<Term> {
        let pool = self.pool;
        loop {
            index = match (pool.op(index), pool.args(index)) {
                (Op::Var(_), _) => return Some(index),
                (Op::BvExtract { low: 0, .. }, &[whole]) => whole,
                (Op::BvAdd, &[a, b]) if pool.as_bits(b).is_some() => a,
                (Op::BvAdd, &[a, b]) if pool.as_bits(a).is_some() => b,
                _ => return None,
            };
        }
    }

    fn parameter(&mut self, width: u32) -> Term {
        let fresh = || self.pool.fresh_var("every index", Sort::BitVec(width));
        *self.parameters.entry(width).or_insert_with(fresh)
    }

    /// The base for which the index of an access is the parameter, if no bits were cut off.
    fn counted(&mut self, access: &Access) -> Option<(Term, Term)> {
        let pool = self.pool;
        let base = access.base?;
        let (width, wide) = (pool.width(access.index), pool.width(base));
        let more = wide.checked_sub(width)?;
        let offset = substitute(pool, access.index, [(base, pool.bv(0, wide))]);
        let distance = pool.bv_sub(self.parameter(width), offset);
        Some((base, pool.bv_zero_extend(distance, more)))
    }

    /// Notes what the index of an access is and what it is compared with.
    fn bound(&mut self, access: &Access) {
        let pool = self.pool;
        let Some((base, counted)) = self.counted(access) else { return };
        let mut signed = false;
        let mut limits = vec![base];
        for &term in &self.subterms {
            let (Op::BvSlt | Op::BvUlt | Op::Eq, &[a, b]) = (pool.op(term), pool.args(term)) else {
                continue;
            };
            let other = match (self.is_base(a, base), self.is_base(b, base)) {
                (true, false) => b,
                (false, true) => a,
                _ => continue,
            };
            signed |= *pool.op(term) == Op::BvSlt;
            if !limits.contains(&other) && !reads(pool, other) && size(pool, other) <= 3 {
                limits.push(other);
            }
        }
        let width = pool.width(access.index);
        // A parameter as wide as the base has no room for a sign.
        signed &= width < pool.width(base);
        for limit in limits {
            let bound = Bound { width, counted, limit, signed };
            if self.bounds.len() < MAX_BOUNDS && !self.bounds.contains(&bound) {
                self.bounds.push(bound);
            }
        }
    }

    fn is_base(&self, term: Term, base: Term) -> bool {
        self.pool.sort(term) == self.pool.sort(base) && self.base(term) == Some(base)
    }

    /// Notes what an access says of the element at its index, with the parameter as index.
    fn properties(&mut self, access: &Access) {
        let pool = self.pool;
        let width = pool.width(access.index);
        let parameter = self.parameter(width);
        let counted = self.counted(access);
        let at_parameter = |term| at_parameter(pool, term, access.index, parameter, counted);
        let mut found = Vec::new();
        if let Some((array, value)) = access.stored
            && let Some(value) = at_parameter(value)
        {
            found.push(pool.eq(pool.select(array, parameter), value));
        }
        let violations = self.violations.iter().map(|&violation| pool.not(violation));
        for formula in violations.chain(self.compared.iter().copied()) {
            if let Some(property) = at_parameter(formula).filter(|p| *p != formula) {
                found.extend([property, pool.not(property)]);
            }
        }
        for property in found {
            let known = self.properties.contains(&(width, property));
            let fits = size(pool, property) <= LARGEST && self.properties.len() < MAX_PROPERTIES;
            if !known && fits && pool.as_bool(property).is_none() {
                self.properties.push((width, property));
            }
        }
    }

    /// Notes comparisons of variables that are no bounds with constants.
    fn flags(&mut self) {
        let pool = self.pool;
        for &term in &self.subterms {
            let flag = match (pool.op(term), pool.args(term)) {
                (Op::Eq, &[a, b]) if pool.as_bits(b).is_some() => Some(a),
                (Op::Eq, &[a, b]) if pool.as_bits(a).is_some() => Some(b),
                _ => None,
            };
            let variable = flag.filter(|flag| matches!(pool.op(*flag), Op::Var(_)));
            let limit = |variable| self.bounds.iter().any(|bound| bound.limit == variable);
            if variable.is_some_and(|v| !limit(v)) && self.flags.len() < MAX_FLAGS {
                self.flags.push(term);
            }
        }
    }

    /// Every property, by itself and on one side of every bound.
    fn one_sided(&self) -> Vec<Term> {
        let pool = self.pool;
        let mut formulas = Vec::new();
        for &(width, property) in &self.properties {
            formulas.push(property);
            for bound in self.bounds.iter().filter(|bound| bound.width == width) {
                let (below, above) = (bound.below(pool), bound.above(pool));
                for side in [below, above, pool.not(below), pool.not(above)] {
                    formulas.push(pool.implies(side, property));
                }
            }
        }
        formulas
    }

    /// Every property between two bounds, and below a bound while a flag is set or not.
    fn between(&self) -> Vec<Term> {
        let pool = self.pool;
        let mut formulas = Vec::new();
        for &(width, property) in &self.properties {
            for upper in self.bounds.iter().filter(|bound| bound.width == width) {
                let below = upper.below(pool);
                for &flag in &self.flags {
                    for flag in [flag, pool.not(flag)] {
                        formulas.push(pool.implies(pool.and([flag, below]), property));
                    }
                }
                let same = |bound: &&Bound| bound.counted == upper.counted;
                for lower in self.bounds.iter().filter(same).filter(|lower| *lower != upper) {
                    for start in [lower.above(pool), pool.not(lower.below(pool))] {
                        formulas.push(pool.implies(pool.and([start, below]), property));
                    }
                }
            }
        }
        formulas
    }
}

impl Bound {
    /// Whether the parameter stands for a place below the limit.
    fn below(&self, pool: &Pool) -> Term {
        self.less(pool, self.counted, self.limit)
    }

    /// Whether it stands for one above it.
    fn above(&self, pool: &Pool) -> Term {
        self.less(pool, self.limit, self.counted)
    }

    fn less(&self, pool: &Pool, a: Term, b: Term) -> Term {
        if self.signed { pool.bv_slt(a, b) } else { pool.bv_ult(a, b) }
    }
}

/// Whether a term depends on an element.
fn reads(pool: &Pool, term: Term) -> bool {
    subterms(pool, &[term]).iter().any(|term| *pool.op(*term) == Op::Select)
}

/// Whether a term compares two values, of which one depends on an element.
fn compares(pool: &Pool, term: Term) -> bool {
    let compares = match pool.op(term) {
        Op::And | Op::Or | Op::Not | Op::Ite | Op::Var(_) | Op::Value(_) | Op::Select => false,
        Op::Eq => pool.sort(pool.args(term)[0]) != Sort::Bool,
        _ => pool.sort(term) == Sort::Bool,
    };
    compares && size(pool, term) <= LARGEST && reads(pool, term)
}

/// A term with the parameter in the place of the index; none if it reads other elements too.
fn at_parameter(
    pool: &Pool,
    term: Term,
    index: Term,
    parameter: Term,
    counted: Option<(Term, Term)>,
) -> Option<Term> {
    let found = substitute(pool, substitute(pool, term, [(index, parameter)]), counted);
    let others =
        subterms(pool, &[found]).into_iter().any(|read| match (pool.op(read), pool.args(read)) {
            (Op::Select, &[array, at]) => at != parameter || !matches!(pool.op(array), Op::Var(_)),
            (Op::Store, _) => true,
            _ => false,
        });
    (!others).then_some(found)
}
