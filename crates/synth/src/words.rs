//! Variables as words of bits.
//!
//! Each state variable becomes one or more *cells*, variables of sort Bool or bit-vector:
//!
//! * a Bool or bit-vector is its own cell;
//! * a float is its interchange bits, a rounding mode a code of three bits;
//! * an array with a narrow index is its elements, one after the other; of any other it is the
//!   elements at the constant indices that are mentioned, and the rest is left open.
//!
//! [`Words::expand`] rewrites a term over variables into one over cells. Arrays disappear: a
//! `select` becomes a choice by the bits of its index, a `store` one `ite` an element. An element
//! that is left open has any value each time it is read, also after it was written: there are more
//! runs then, and what holds on all of them holds of the program.

use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use term::traverse::subterms;
use term::{Op, Pool, Sort, Term};
use value::Rounding;

/// The most bits that one array may become.
const MAX_ARRAY_BITS: u64 = 1 << 12;
/// The most elements of an array that is left open for the rest: a choice by an index is one by
/// comparisons there.
const MAX_MENTIONED: usize = 64;

/// A piece of a variable's value.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// A variable of sort Bool or bit-vector.
    pub variable: Term,
    /// Its value, as a term over the state variable.
    pub observe: Term,
}

/// A sort that has no bits, or too many.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a variable of sort {0} has no bits, or too many")]
pub struct NoBits(pub String);

/// What a term became.
#[derive(Clone)]
enum Expanded {
    Scalar(Term),
    /// The elements of an array, as its shape says.
    Array(Rc<[Term]>),
}

/// Which elements arrays of a sort become.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Their indices, constants; in order if these are all.
    pub indices: Rc<[Term]>,
    /// Whether these are all.
    pub complete: bool,
}

/// The cells of variables, and terms over them.
pub struct Words<'a> {
    pool: &'a Pool,
    cells: FxHashMap<Term, Vec<Cell>>,
    expanded: FxHashMap<Term, Expanded>,
    shapes: FxHashMap<Sort, Shape>,
}

impl<'a> Words<'a> {
    /// No cells yet, for terms that will be expanded.
    pub fn new(pool: &'a Pool, terms: &[Term]) -> Self {
        let (cells, expanded) = (FxHashMap::default(), FxHashMap::default());
        Words { pool, cells, expanded, shapes: shapes(pool, terms) }
    }

    /// Whether elements of arrays are left open.
    pub fn leave_open(&self) -> bool {
        self.shapes.values().any(|shape| !shape.complete)
    }

    /// Which elements arrays of a sort become.
    pub fn shape(&self, sort: Sort) -> Result<&Shape, NoBits> {
        let parts = || format!("{:?}", self.pool.array_parts(sort));
        self.shapes.get(&sort).ok_or_else(|| NoBits(parts()))
    }

    /// The cells of a variable; they are made when it is met first.
    pub fn cells(&mut self, variable: Term) -> Result<&[Cell], NoBits> {
        self.meet(variable)?;
        Ok(&self.cells[&variable])
    }

    /// The cells of a variable that has been met.
    pub fn known_cells(&self, variable: Term) -> Option<&[Cell]> {
        self.cells.get(&variable).map(|cells| &cells[..])
    }

    fn meet(&mut self, variable: Term) -> Result<(), NoBits> {
        if self.cells.contains_key(&variable) {
            return Ok(());
        }
        let pool = self.pool;
        let sort = pool.sort(variable);
        let (cells, expanded) = match pool.array_parts(sort) {
            None => {
                let (cell, value) = self.scalar(sort, variable, Some(variable))?;
                (vec![cell], Expanded::Scalar(value))
            }
            Some((_, element)) => {
                let mut cells = Vec::new();
                let mut values = Vec::new();
                for &index in self.shape(sort)?.indices.iter() {
                    let observed = pool.select(variable, index);
                    let (cell, value) = self.scalar(element, observed, None)?;
                    cells.push(cell);
                    values.push(value);
                }
                (cells, Expanded::Array(values.into()))
            }
        };
        self.cells.insert(variable, cells);
        self.expanded.insert(variable, expanded);
        Ok(())
    }

    /// A cell for a value of a scalar sort, `own` if that can be it, and the value in terms of it.
    fn scalar(
        &self,
        sort: Sort,
        observed: Term,
        own: Option<Term>,
    ) -> Result<(Cell, Term), NoBits> {
        let pool = self.pool;
        match sort {
            Sort::Bool | Sort::BitVec(_) => {
                let variable = own.unwrap_or_else(|| pool.fresh_var("cell", sort));
                Ok((Cell { variable, observe: observed }, variable))
            }
            Sort::Float(format) => {
                let variable = pool.fresh_var("cell", Sort::BitVec(format.width()));
                let value = pool.make(Op::FpFromBits(format), &[variable]);
                Ok((Cell { variable, observe: bits(pool, observed) }, value))
            }
            Sort::RoundingMode => {
                let variable = pool.fresh_var("cell", Sort::BitVec(3));
                let codes = Rounding::ALL.into_iter().zip(0..);
                let last = pool.rounding(Rounding::TowardZero);
                let value = codes.fold(last, |rest, (mode, code)| {
                    pool.ite(pool.eq(variable, pool.bv(code, 3)), pool.rounding(mode), rest)
                });
                Ok((Cell { variable, observe: bits(pool, observed) }, value))
            }
            other => Err(NoBits(format!("{other:?}"))),
        }
    }

    /// The values of a variable's cells, where the variable has the value of a term.
    pub fn contents(&mut self, variable: Term, term: Term) -> Result<Vec<Term>, NoBits> {
        self.meet(variable)?;
        let pool = self.pool;
        Ok(match self.rewrite(term)? {
            Expanded::Scalar(value) => vec![bits(pool, value)],
            Expanded::Array(elements) => elements.iter().map(|&e| bits(pool, e)).collect(),
        })
    }

    /// A scalar term over cells.
    pub fn expand(&mut self, term: Term) -> Result<Term, NoBits> {
        match self.rewrite(term)? {
            Expanded::Scalar(value) => Ok(value),
            Expanded::Array(_) => Err(NoBits("array".to_owned())),
        }
    }

    fn rewrite(&mut self, term: Term) -> Result<Expanded, NoBits> {
        if !self.expanded.contains_key(&term) {
            for subterm in subterms(self.pool, &[term]) {
                if !self.expanded.contains_key(&subterm) {
                    let expanded = self.step(subterm)?;
                    self.expanded.insert(subterm, expanded);
                }
            }
        }
        Ok(self.expanded[&term].clone())
    }

    /// One term whose arguments have been rewritten.
    fn step(&mut self, term: Term) -> Result<Expanded, NoBits> {
        let pool = self.pool;
        let args = pool.args(term);
        let array = |k: usize| match &self.expanded[&args[k]] {
            Expanded::Array(elements) => elements.clone(),
            Expanded::Scalar(_) => unreachable!("typing: an array"),
        };
        let scalar = |k: usize| match &self.expanded[&args[k]] {
            Expanded::Scalar(value) => *value,
            Expanded::Array(_) => unreachable!("typing: no array"),
        };
        let is_array = |term: Term| pool.array_parts(pool.sort(term)).is_some();
        Ok(match pool.op(term) {
            Op::Var(_) => {
                self.meet(term)?;
                self.expanded[&term].clone()
            }
            Op::Select => {
                let shape = self.shape(pool.sort(args[0]))?;
                Expanded::Scalar(match shape.complete {
                    true => select(pool, &array(0), scalar(1)),
                    false => self.select_or_any(shape, &array(0), scalar(1), pool.sort(term))?,
                })
            }
            Op::Store => {
                let (elements, index, value) = (array(0), scalar(1), scalar(2));
                let indices = &self.shape(pool.sort(term))?.indices;
                let stored = elements
                    .iter()
                    .zip(indices.iter())
                    .map(|(&element, &k)| pool.ite(pool.eq(index, k), value, element));
                Expanded::Array(stored.collect())
            }
            Op::ConstArray(sort) => {
                Expanded::Array(vec![scalar(0); self.shape(*sort)?.indices.len()].into())
            }
            Op::Ite if is_array(term) => {
                let (condition, then, otherwise) = (scalar(0), array(1), array(2));
                let elements = then.iter().zip(otherwise.iter());
                Expanded::Array(elements.map(|(&t, &e)| pool.ite(condition, t, e)).collect())
            }
            Op::Eq if is_array(args[0]) => {
                let (left, right) = (array(0), array(1));
                let pairs = left.iter().zip(right.iter()).map(|(&l, &r)| pool.eq(l, r));
                let open = !self.shape(pool.sort(args[0]))?.complete;
                let others = open.then(|| pool.fresh_var("others", Sort::Bool));
                Expanded::Scalar(pool.and(pairs.chain(others)))
            }
            op => {
                let new: Vec<Term> = (0..args.len()).map(scalar).collect();
                let same = new[..] == *args;
                Expanded::Scalar(if same { term } else { pool.make(op.clone(), &new) })
            }
        })
    }

    /// The element at an index of an array that is left open: any value beside those known.
    fn select_or_any(
        &self,
        shape: &Shape,
        elements: &[Term],
        index: Term,
        sort: Sort,
    ) -> Result<Term, NoBits> {
        let pool = self.pool;
        let (_, any) = self.scalar(sort, index, None)?;
        let known = elements.iter().zip(shape.indices.iter());
        Ok(known.fold(any, |rest, (&element, &k)| pool.ite(pool.eq(index, k), element, rest)))
    }
}

/// The shapes of all arrays in some terms that can have one.
fn shapes(pool: &Pool, terms: &[Term]) -> FxHashMap<Sort, Shape> {
    let mut mentioned: FxHashMap<Sort, FxHashSet<Term>> = FxHashMap::default();
    for term in subterms(pool, terms) {
        let sort = pool.sort(term);
        if pool.array_parts(sort).is_some() {
            mentioned.entry(sort).or_default();
        }
        if let (Op::Select | Op::Store, [array, index, ..]) = (pool.op(term), pool.args(term)) {
            let indices = mentioned.entry(pool.sort(*array)).or_default();
            indices.extend(Some(*index).filter(|index| pool.value(*index).is_some()));
        }
    }
    let shapes = mentioned.into_iter().filter_map(|(sort, mentioned)| {
        let (index, element) = pool.array_parts(sort)?;
        let (Sort::BitVec(width), bits) = (index, element_bits(element)?) else { return None };
        if width < 16 && bits << width <= MAX_ARRAY_BITS {
            let indices = (0..1u64 << width).map(|k| pool.bv(k, width)).collect();
            return Some((sort, Shape { indices, complete: true }));
        }
        let most = MAX_MENTIONED.min((MAX_ARRAY_BITS / bits) as usize);
        let mut indices: Vec<Term> = mentioned.into_iter().collect();
        indices.sort_unstable();
        indices.truncate(most);
        Some((sort, Shape { indices: indices.into(), complete: false }))
    });
    shapes.collect()
}

/// The bits of an element of an array.
fn element_bits(element: Sort) -> Option<u64> {
    match element {
        Sort::Bool => Some(1),
        Sort::BitVec(width) => Some(u64::from(width)),
        Sort::Float(format) => Some(u64::from(format.width())),
        _ => None,
    }
}

/// A scalar value as the Bool or bit-vector that its cell holds.
fn bits(pool: &Pool, value: Term) -> Term {
    match pool.sort(value) {
        Sort::Float(_) => pool.fp_to_bits(value),
        Sort::RoundingMode => {
            let codes = Rounding::ALL.into_iter().zip(0..);
            codes.fold(pool.bv(0, 3), |rest, (mode, code)| {
                pool.ite(pool.eq(value, pool.rounding(mode)), pool.bv(code, 3), rest)
            })
        }
        _ => value,
    }
}

/// The element at an index: by its highest bit the upper or lower half, and so on.
fn select(pool: &Pool, elements: &[Term], index: Term) -> Term {
    let width = pool.width(index);
    let mut elements = elements.to_vec();
    for bit in 0..width {
        let high = pool.eq(pool.bv_extract(index, bit, bit), pool.bv(1, 1));
        elements = elements.chunks(2).map(|pair| pool.ite(high, pair[1], pair[0])).collect();
    }
    elements[0]
}
