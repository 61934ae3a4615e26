//! Variables as words of bits.
//!
//! Each state variable becomes one or more *cells*, variables of sort Bool or bit-vector:
//!
//! * a Bool or bit-vector is its own cell;
//! * a float is its interchange bits, a rounding mode a code of three bits;
//! * an array is its elements, one after the other, so its index must be narrow.
//!
//! [`Words::expand`] rewrites a term over variables into one over cells. Arrays disappear: a
//! `select` becomes a choice by the bits of its index, a `store` one `ite` an element.

use rustc_hash::FxHashMap;
use std::rc::Rc;
use term::traverse::subterms;
use term::{Op, Pool, Sort, Term};
use value::Rounding;

/// The most bits that one array may become.
const MAX_ARRAY_BITS: u64 = 1 << 12;

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
    /// The elements of an array, by index.
    Array(Rc<[Term]>),
}

/// The cells of variables, and terms over them.
pub struct Words<'a> {
    pool: &'a Pool,
    cells: FxHashMap<Term, Vec<Cell>>,
    expanded: FxHashMap<Term, Expanded>,
}

impl<'a> Words<'a> {
    /// No cells yet.
    pub fn new(pool: &'a Pool) -> Self {
        Words { pool, cells: FxHashMap::default(), expanded: FxHashMap::default() }
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
            Some((index, element)) => {
                let width = array_index(index, element, pool, sort)?;
                let mut cells = Vec::new();
                let mut values = Vec::new();
                for k in 0..1u64 << width {
                    let observed = pool.select(variable, pool.bv(k, width));
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
            Op::Select => Expanded::Scalar(select(pool, &array(0), scalar(1))),
            Op::Store => {
                let (elements, index, value) = (array(0), scalar(1), scalar(2));
                let width = pool.width(index);
                let stored = elements.iter().zip(0..).map(|(&element, k)| {
                    pool.ite(pool.eq(index, pool.bv(k, width)), value, element)
                });
                Expanded::Array(stored.collect())
            }
            Op::ConstArray(sort) => {
                let (index, element) = pool.array_parts(*sort).expect("an array sort has parts");
                let width = array_index(index, element, pool, *sort)?;
                Expanded::Array(vec![scalar(0); 1 << width].into())
            }
            Op::Ite if is_array(term) => {
                let (condition, then, otherwise) = (scalar(0), array(1), array(2));
                let elements = then.iter().zip(otherwise.iter());
                Expanded::Array(elements.map(|(&t, &e)| pool.ite(condition, t, e)).collect())
            }
            Op::Eq if is_array(args[0]) => {
                let (left, right) = (array(0), array(1));
                let pairs = left.iter().zip(right.iter());
                Expanded::Scalar(pool.and(pairs.map(|(&l, &r)| pool.eq(l, r))))
            }
            op => {
                let new: Vec<Term> = (0..args.len()).map(scalar).collect();
                let same = new[..] == *args;
                Expanded::Scalar(if same { term } else { pool.make(op.clone(), &new) })
            }
        })
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

/// The width of an array's index, if the array is small enough.
fn array_index(index: Sort, element: Sort, pool: &Pool, sort: Sort) -> Result<u32, NoBits> {
    let bits = match element {
        Sort::Bool => 1,
        Sort::BitVec(width) => u64::from(width),
        Sort::Float(format) => u64::from(format.width()),
        _ => return Err(NoBits(format!("{element:?}"))),
    };
    match index {
        Sort::BitVec(width) if width < 16 && bits << width <= MAX_ARRAY_BITS => Ok(width),
        _ => Err(NoBits(format!("{:?}", pool.array_parts(sort)))),
    }
}
