//! What may hold behind pointers: of every object that a pointer points to, wherever the pointer is.
//!
//! A program that builds a list keeps something of all its nodes: each node's flag is set, each value is
//! one of two. That is `u = 0 ∨ P(u)` for every pointer u, in a variable or in a field: with a field in
//! an array n by addresses, `n[k] = 0 ∨ P(n[k])` for all k ([`program::parameters`]), where P speaks of
//! other fields at the address. Following `p = p->next` keeps this of p, by the instance k = p. So the
//! nodes of a list that nobody has bounded are known without saying what a list is. The properties come
//! from the program: what it stores to fields, and what it compares them with.
//!
//! That a new object is none of the old ones is known if all pointers are below the place where the next
//! one will be: `u < t`, for what pointers are compared with when objects are placed.
//!
//! [`crate::houdini`] decides which of these hold.

use crate::fixpoint;
use program::cfa::{Cfa, Command};
use program::program::Reading;
use rustc_hash::FxHashSet;
use term::traverse::{free_vars, size, substitute, subterms};
use term::{Op, Pool, Sort, Term};

/// The largest property.
const LARGEST: usize = 16;
/// The most properties, fields, and pointers in variables.
const MAX_PROPERTIES: usize = 12;
const MAX_FIELDS: usize = 6;
const MAX_POINTERS: usize = 24;
/// The most formulas.
const MAX_FORMULAS: usize = 400;

/// Formulas that may hold at any location; none if there are no pointers to fields.
pub fn candidates(pool: &Pool, cfa: &Cfa) -> Vec<Term> {
    let Some(mut heap) = Heap::new(pool, cfa) else { return Vec::new() };
    heap.properties();
    let mut pointers = heap.pointers.clone();
    pointers.extend(heap.fields.iter().map(|field| field.anywhere));
    let mut formulas = Vec::new();
    for &pointer in &pointers {
        formulas.extend(heap.below(pointer));
    }
    for number in 1..=2 {
        for &pointer in &pointers {
            formulas.extend(heap.behind(pointer, number));
        }
    }
    formulas.retain(|formula| pool.as_bool(*formula).is_none());
    formulas.truncate(MAX_FORMULAS);
    formulas
}

/// A field that holds pointers.
struct Field {
    /// What it holds at an index that is a parameter.
    anywhere: Term,
}

struct Heap<'a> {
    pool: &'a Pool,
    /// Stands for a pointer in properties.
    hole: Term,
    /// Subterms of what is assigned and assumed.
    subterms: Vec<Term>,
    pointers: Vec<Term>,
    fields: Vec<Field>,
    /// What may hold of fields behind a pointer; those of the same field together.
    properties: Vec<(Term, Vec<Term>)>,
    /// Where the next object will be.
    tops: Vec<Term>,
}

impl<'a> Heap<'a> {
    fn new(pool: &'a Pool, cfa: &Cfa) -> Option<Self> {
        let subterms = subterms(pool, &fixpoint::terms(cfa));
        let mut bases: Vec<Term> = Vec::new();
        for &term in &subterms {
            if let (Op::Select | Op::Store, &[_, index, ..]) = (pool.op(term), pool.args(term))
                && let Some(base) = base(pool, index)
                && !bases.contains(&base)
            {
                bases.push(base);
            }
        }
        let width = bases.iter().map(|base| pool.width(*base)).max()?;
        bases.retain(|base| pool.width(*base) == width);
        let hole = pool.fresh_var("pointer", Sort::BitVec(width));
        let is_pointer = |variable: &Term| {
            pool.sort(*variable) == Sort::BitVec(width)
                && (cfa.variables[variable].reading == Reading::Address
                    || bases.contains(variable))
        };
        let mut pointers: Vec<Term> = cfa.variables.keys().copied().filter(is_pointer).collect();
        pointers.sort_unstable();
        pointers.truncate(MAX_POINTERS);
        let fields = fields(pool, &bases, &subterms, &pointers);
        if fields.is_empty() {
            return None;
        }
        let tops = tops(pool, cfa, width, &pointers);
        let properties = Vec::new();
        Some(Heap { pool, hole, subterms, pointers, fields, properties, tops })
    }

    /// Finds what the program stores to fields and compares them with.
    fn properties(&mut self) {
        let pool = self.pool;
        let mut found: Vec<(Term, Term)> = Vec::new();
        for &term in &self.subterms {
            match (pool.op(term), pool.args(term)) {
                (Op::Store, &[array, index, value]) if pool.value(value).is_some() => {
                    let (Some(array), Some(base)) = (root(pool, array), base(pool, index)) else {
                        continue;
                    };
                    if pool.sort(base) == pool.sort(self.hole) {
                        let at = substitute(pool, index, [(base, self.hole)]);
                        let field = pool.select(array, at);
                        found.push((field, pool.eq(field, value)));
                    }
                }
                (Op::Eq | Op::BvSlt | Op::BvUlt, &[a, b]) => {
                    if size(pool, term) > LARGEST || matches!(pool.sort(a), Sort::Array(_)) {
                        continue;
                    }
                    for side in [a, b] {
                        found.extend(self.compared(term, side));
                    }
                }
                _ => {}
            }
        }
        for (field, property) in found {
            let known = self.properties.iter_mut().find(|(other, _)| *other == field);
            match known {
                Some((_, all)) if !all.contains(&property) => all.push(property),
                Some(_) => {}
                None => self.properties.push((field, vec![property])),
            }
        }
        for (_, all) in &mut self.properties {
            all.truncate(MAX_PROPERTIES);
        }
        self.properties.truncate(MAX_FIELDS);
    }

    /// A comparison of a field with something that is in no array, as a property.
    fn compared(&self, comparison: Term, side: Term) -> Option<(Term, Term)> {
        let pool = self.pool;
        let (Op::Select, &[array, index]) = (pool.op(side), pool.args(side)) else { return None };
        let base = base(pool, index).filter(|base| pool.sort(*base) == pool.sort(self.hole))?;
        let array = root(pool, array)?;
        let at = substitute(pool, index, [(base, self.hole)]);
        let field = pool.select(array, at);
        let property = substitute(pool, comparison, [(side, field)]);
        let reads = subterms(pool, &[property]);
        let reads = reads.iter().filter(|term| matches!(pool.op(**term), Op::Select)).count();
        (reads == 1).then_some((field, property))
    }

    /// The pointer is null or below where the next object will be.
    fn below(&self, pointer: Term) -> Vec<Term> {
        let pool = self.pool;
        let null = pool.eq(pointer, pool.bv(0, pool.width(pointer)));
        let tops = self.tops.iter();
        tops.map(|top| pool.or([null, pool.bv_ult(pointer, *top)])).collect()
    }

    /// The pointer is null, or one of so many properties of the same field holds behind it; also without
    /// null, and that none of them holds.
    fn behind(&self, pointer: Term, number: usize) -> Vec<Term> {
        let pool = self.pool;
        let null = pool.eq(pointer, pool.bv(0, pool.width(pointer)));
        let mut all = Vec::new();
        for (_, properties) in &self.properties {
            let here: Vec<Term> =
                properties.iter().map(|p| substitute(pool, *p, [(self.hole, pointer)])).collect();
            for (k, &one) in here.iter().enumerate() {
                if number == 1 {
                    all.extend([pool.or([null, one]), pool.or([null, pool.not(one)]), one]);
                    continue;
                }
                for &other in &here[k + 1..] {
                    all.push(pool.or([null, one, other]));
                }
            }
        }
        all
    }
}

/// The pointer that an index is made of: a variable or an element, but for a constant that is added and
/// bits that are cut off.
fn base(pool: &Pool, mut index: Term) -> Option<Term> {
    loop {
        index = match (pool.op(index), pool.args(index)) {
            (Op::Var(_) | Op::Select, _) => return Some(index),
            (Op::BvExtract { .. }, &[whole]) => whole,
            (Op::BvAdd, &[a, b]) if pool.as_bits(b).is_some() => a,
            (Op::BvAdd, &[a, b]) if pool.as_bits(a).is_some() => b,
            _ => return None,
        };
    }
}

/// The variable that an array is a new version of.
fn root(pool: &Pool, mut array: Term) -> Option<Term> {
    loop {
        array = match (pool.op(array), pool.args(array)) {
            (Op::Var(_), _) => return Some(array),
            (Op::Store, &[rest, ..]) => rest,
            (Op::Ite, &[_, then, _]) => then,
            _ => return None,
        };
    }
}

/// The arrays that hold pointers.
fn fields(pool: &Pool, bases: &[Term], subterms: &[Term], pointers: &[Term]) -> Vec<Field> {
    let mut arrays: Vec<Term> = Vec::new();
    let mut add = |array: Option<Term>| {
        if let Some(array) = array.filter(|array| !arrays.contains(array)) {
            arrays.push(array);
        }
    };
    for &term in bases.iter().filter(|base| *pool.op(**base) == Op::Select) {
        add(root(pool, pool.args(term)[0]));
    }
    for &term in subterms {
        if let (Op::Store, &[array, _, value]) = (pool.op(term), pool.args(term))
            && pointers.contains(&value)
        {
            add(root(pool, array));
        }
    }
    arrays.truncate(MAX_FIELDS);
    let field = |array: Term| {
        let (index, _) = pool.array_parts(pool.sort(array))?;
        let anywhere = pool.select(array, pool.fresh_var("every place", index));
        (pool.sort(anywhere) == pool.sort(bases[0])).then_some(Field { anywhere })
    };
    arrays.into_iter().filter_map(field).collect()
}

/// Variables that grow and are no pointers: where the next object will be.
fn tops(pool: &Pool, cfa: &Cfa, width: u32, pointers: &[Term]) -> Vec<Term> {
    let mut tops: FxHashSet<Term> = FxHashSet::default();
    for edge in cfa.edges.values() {
        edge.command.for_each_atom(&mut |command| {
            if let Command::Assign(variable, term) = command
                && pool.sort(*variable) == Sort::BitVec(width)
                && *pool.op(*term) == Op::BvAdd
                && !pointers.contains(variable)
                && free_vars(pool, &[*term]) == [*variable]
            {
                tops.insert(*variable);
            }
        });
    }
    let mut tops: Vec<Term> = tops.into_iter().collect();
    tops.sort_unstable();
    tops
}
