//! What may hold of the elements of arrays.
//!
//! Programs fill an array from one end to the other and read it again. What they keep is
//! of the form `k < i ⇒ P(a[k])` for all k: the elements that the index has passed have the
//! property, and after the loop those below its bound. The properties come from the program: what
//! it stores, with the parameter k in the place of the index, and what it compares elements with.
//! [`crate::houdini`] decides which of these hold; k is a variable of its own
//! ([`program::parameters`]).
//!
//! D. Monniaux, L. Gonnord: *Cell morphing: from array programs to array-free Horn clauses*, SAS 2016,
//! follows an unknown cell in the same way.

use crate::houdini::Candidates;
use program::cfa::{Cfa, Command};
use rustc_hash::FxHashMap;
use term::traverse::{size, substitute, subterms};
use term::{Op, Pool, Sort, Term};

/// The largest property.
const LARGEST: usize = 16;
/// The most properties of a program.
const MAX_PROPERTIES: usize = 16;
/// The most bounds of a parameter.
const MAX_BOUNDS: usize = 8;

/// Candidates about elements for all locations; none if there are no arrays.
pub fn candidates(pool: &Pool, cfa: &Cfa) -> Option<Candidates> {
    let mut elements = Elements::new(pool, cfa);
    let accesses = elements.accesses();
    for access in &accesses {
        elements.bound(access);
    }
    for access in &accesses {
        elements.properties(access);
    }
    let formulas = elements.formulas();
    (!formulas.is_empty())
        .then(|| cfa.locations.iter().map(|(location, _)| (location, formulas.clone())).collect())
}

/// An array that is read or written somewhere.
struct Access {
    index: Term,
    /// What of the index is counted: `i` of `i[16:0]` and of `i + 1`.
    base: Option<Term>,
    /// The array and what is stored there, or none if it is read.
    stored: Option<(Term, Term)>,
}

struct Elements<'a> {
    pool: &'a Pool,
    /// All subterms of what is assigned and assumed.
    subterms: Vec<Term>,
    /// By width of the index.
    parameters: FxHashMap<u32, Term>,
    /// What a parameter of this width is compared with, and whether by sign.
    bounds: Vec<(u32, Term, bool)>,
    /// Properties of the elements at a parameter of this width.
    properties: Vec<(u32, Term)>,
}

impl<'a> Elements<'a> {
    fn new(pool: &'a Pool, cfa: &'a Cfa) -> Self {
        let mut terms = Vec::new();
        let mut pending: Vec<&Command> = cfa.edges.values().map(|edge| &edge.command).collect();
        while let Some(command) = pending.pop() {
            match command {
                Command::Assume(term) | Command::Assign(_, term) => terms.push(*term),
                Command::Havoc(..) => {}
                Command::Sequence(commands) | Command::Choice(commands) => {
                    pending.extend(commands.iter().rev());
                }
            }
        }
        let subterms = subterms(pool, &terms);
        Elements {
            pool,
            subterms,
            parameters: FxHashMap::default(),
            bounds: Vec::new(),
            properties: Vec::new(),
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
                    (index, self.array(array).map(|array| (array, value)))
                }
                _ => continue,
            };
            if matches!(pool.sort(index), Sort::BitVec(_)) && pool.as_bits(index).is_none() {
                accesses.push(Access { index, base: self.base(index), stored });
            }
        }
        accesses
    }

    /// The variable that an array is a new version of.
    fn array(&self, mut array: Term) -> Option<Term> {
        loop {
            array = match (self.pool.op(array), self.pool.args(array)) {
                (Op::Var(_), _) => return Some(array),
                (Op::Store, &[rest, ..]) => rest,
                (Op::Ite, &[_, then, _]) => then,
                _ => return None,
            };
        }
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

    fn parameter(&mut self, index: Term) -> Term {
        let (pool, width) = (self.pool, self.pool.width(index));
        *self
            .parameters
            .entry(width)
            .or_insert_with(|| pool.fresh_var("every index", Sort::BitVec(width)))
    }

    /// Notes what the index of an access is and what it is compared with.
    fn bound(&mut self, access: &Access) {
        let pool = self.pool;
        let Some(base) = access.base else { return };
        let index_width = pool.width(access.index);
        if index_width > pool.width(base) {
            return;
        }
        let mut signed = false;
        let mut others = vec![base];
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
            let simple = pool.as_bits(other).is_some() || matches!(pool.op(other), Op::Var(_));
            if simple && !others.contains(&other) {
                others.push(other);
            }
        }
        for other in others {
            let bound = (index_width, other, signed);
            if self.bounds.len() < MAX_BOUNDS && !self.bounds.contains(&bound) {
                self.bounds.push(bound);
            }
        }
    }

    fn is_base(&self, term: Term, base: Term) -> bool {
        matches!(self.pool.sort(term), Sort::BitVec(_))
            && self.pool.width(term) == self.pool.width(base)
            && self.base(term) == Some(base)
    }

    /// Notes what an access says of the element at its index, with the parameter as index.
    fn properties(&mut self, access: &Access) {
        let pool = self.pool;
        let width = pool.width(access.index);
        let parameter = self.parameter(access.index);
        if let Some((array, value)) = access.stored
            && let Some(value) = self.at_parameter(value, access, parameter)
        {
            let element = pool.select(array, parameter);
            self.property(width, pool.eq(element, value));
        }
        let compared: Vec<Term> =
            self.subterms.iter().copied().filter(|t| self.compares(*t)).collect();
        for comparison in compared {
            let found = self.at_parameter(comparison, access, parameter);
            if let Some(found) = found.filter(|found| *found != comparison) {
                self.property(width, found);
                self.property(width, pool.not(found));
            }
        }
    }

    fn property(&mut self, width: u32, property: Term) {
        let pool = self.pool;
        let known = self.properties.contains(&(width, property));
        let small = size(pool, property) <= LARGEST;
        if !known
            && small
            && pool.as_bool(property).is_none()
            && self.properties.len() < MAX_PROPERTIES
        {
            self.properties.push((width, property));
        }
    }

    /// Whether a term compares two values, of which one depends on an element.
    fn compares(&self, term: Term) -> bool {
        let pool = self.pool;
        if pool.sort(term) != Sort::Bool || size(pool, term) > LARGEST {
            return false;
        }
        let compares = match pool.op(term) {
            Op::And | Op::Or | Op::Not | Op::Ite | Op::Var(_) | Op::Value(_) | Op::Select => false,
            Op::Eq => pool.sort(pool.args(term)[0]) != Sort::Bool,
            _ => true,
        };
        compares && subterms(pool, &[term]).iter().any(|t| *pool.op(*t) == Op::Select)
    }

    /// A term with the parameter in the place of the index; none if it reads other elements too.
    fn at_parameter(&self, term: Term, access: &Access, parameter: Term) -> Option<Term> {
        let pool = self.pool;
        let mut found = substitute(pool, term, [(access.index, parameter)]);
        if let Some(base) = access.base
            && let Some(counted) = self.counted(access.index, base, parameter)
        {
            found = substitute(pool, found, [(base, counted)]);
        }
        let reads = subterms(pool, &[found]);
        let others = reads.iter().any(|read| match (pool.op(*read), pool.args(*read)) {
            (Op::Select, &[array, index]) => {
                index != parameter || !matches!(pool.op(array), Op::Var(_))
            }
            (Op::Store, _) => true,
            _ => false,
        });
        (!others).then_some(found)
    }

    /// The base at which an index has the parameter's value, if nothing was cut off.
    fn counted(&self, index: Term, base: Term, parameter: Term) -> Option<Term> {
        let pool = self.pool;
        let (width, wide) = (pool.width(parameter), pool.width(base));
        let at_zero = substitute(pool, index, [(base, pool.bv(0, wide))]);
        let offset = pool.as_bits(at_zero)?.sign_extend(wide.checked_sub(width)?);
        let wide_parameter = pool.bv_zero_extend(parameter, wide - width);
        Some(pool.bv_sub(wide_parameter, pool.bits(offset)))
    }

    /// Every property, by itself and on one side of every bound.
    fn formulas(&self) -> Vec<Term> {
        let pool = self.pool;
        let mut formulas = Vec::new();
        for &(width, property) in &self.properties {
            formulas.push(property);
            let parameter = self.parameters[&width];
            for &(_, bound, signed) in self.bounds.iter().filter(|(of, ..)| *of == width) {
                let more = pool.width(bound) - width;
                let index = pool.bv_zero_extend(parameter, more);
                let less = |a, b| match signed && more > 0 {
                    true => pool.bv_slt(a, b),
                    false => pool.bv_ult(a, b),
                };
                let (below, above) = (less(index, bound), less(bound, index));
                for side in [below, above, pool.not(below), pool.not(above)] {
                    formulas.push(pool.implies(side, property));
                }
            }
        }
        formulas.retain(|formula| pool.as_bool(*formula).is_none());
        formulas
    }
}
