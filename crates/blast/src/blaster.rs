//! Terms to edges.
//!
//! A [`Blaster`] owns a graph and remembers what each term became, so that a term is built
//! once however many formulas share it. The walk over the term keeps its own stack.
//!
//! Variables become inputs. A float variable has the bits of its interchange format, and every
//! NaN pattern means NaN; a rounding mode has three bits ([`crate::rounding`]). So every
//! assignment of the inputs is a value.
//!
//! Terms of other theories with a value that has bits (`select`, function applications,
//! equalities of arrays or of uninterpreted sorts) are *atoms*: they become inputs too, and
//! [`Blaster::atoms`] lists them in order of creation. Where SMT-LIB leaves the result of a float
//! operator open, the result is an atom as well: an application of the function that
//! [`term::eval::unspecified`] names.
//!
//! * `fp.to_ubv` and `fp.to_sbv` of what does not fit: the function of the operator's own
//!   arguments.
//! * `fp.min` and `fp.max` of zeros with different signs: the function of constants, of (−0, +0)
//!   or (+0, −0), since no other arguments are ever open. These two atoms are zeros whose sign is
//!   free, and need no lemmas.

mod operators;
mod read;
mod size;

use crate::float::{Float, Layout};
use crate::rounding::Mode;
use crate::word::{self, Word};
use aig::{Aig, Edge};
use rustc_hash::FxHashMap;
use term::{Op, Pool, Sort, Term};
use thiserror::Error;

/// A term that can't be bit-blasted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{reason}")]
pub struct Unsupported {
    /// The smallest subterm that can't.
    pub term: Term,
    /// Why.
    pub reason: Reason,
}

/// Why a term can't be bit-blasted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Reason {
    /// Its theory has no bits: integers, reals, quantifiers, or an array as a whole.
    #[error("{0} has no bits")]
    Theory(String),
    /// Its circuit would have too many gates.
    #[error("the circuit would have more than {limit} gates ({operator} takes {gates} of them)")]
    Size {
        /// The operator that is too much.
        operator: String,
        /// An estimate of its gates.
        gates: u128,
        /// How many there may be in all.
        limit: usize,
    },
}

/// What a term became.
#[derive(Clone, Debug)]
enum Blasted {
    Bool(Edge),
    Bits(Word),
    Float(Box<Float>),
    Rounding(Mode),
}

/// Terms and the graph they became; see the module's head.
pub struct Blaster {
    graph: Aig,
    blasted: FxHashMap<Term, Blasted>,
    atoms: Vec<Term>,
    limit: usize,
}

impl Default for Blaster {
    fn default() -> Self {
        Self::new()
    }
}

impl Blaster {
    /// The number of gates a blaster builds unless told otherwise: about a gigabyte.
    pub const DEFAULT_LIMIT: usize = 1 << 26;

    /// An empty graph.
    pub fn new() -> Self {
        Blaster {
            graph: Aig::new(),
            blasted: FxHashMap::default(),
            atoms: Vec::new(),
            limit: Self::DEFAULT_LIMIT,
        }
    }

    /// An empty graph that is not to grow beyond this number of gates. Terms whose circuits are
    /// estimated to exceed it are unsupported.
    pub fn with_limit(gates: usize) -> Self {
        Blaster { limit: gates, ..Self::new() }
    }

    /// The graph.
    pub fn aig(&self) -> &Aig {
        &self.graph
    }

    /// The graph, to build something on top of terms' edges.
    pub fn aig_mut(&mut self) -> &mut Aig {
        &mut self.graph
    }

    /// The terms of other theories met so far, in order of creation; their edges are free
    /// inputs.
    pub fn atoms(&self) -> &[Term] {
        &self.atoms
    }

    /// Whether a term has been blasted.
    pub fn is_blasted(&self, term: Term) -> bool {
        self.blasted.contains_key(&term)
    }

    /// The edge of a Bool.
    ///
    /// # Panics
    /// If the term is of another sort.
    pub fn bool(&mut self, pool: &Pool, term: Term) -> Result<Edge, Unsupported> {
        assert_eq!(pool.sort(term), Sort::Bool, "a formula is of sort Bool");
        self.blast(pool, term)?;
        Ok(self.truth(term))
    }

    /// The bits of a term, lowest first: of a Bool one, of a bit-vector its own, of a float those
    /// of the interchange format with one NaN (canonical), of a rounding mode its code. So two
    /// terms of one sort are equal exactly where their bits are.
    pub fn bits(&mut self, pool: &Pool, term: Term) -> Result<Word, Unsupported> {
        self.blast(pool, term)?;
        let Blaster { graph, blasted, .. } = self;
        Ok(match &blasted[&term] {
            Blasted::Bool(edge) => vec![*edge],
            Blasted::Bits(word) => word.clone(),
            Blasted::Float(float) => float.bits(graph),
            Blasted::Rounding(mode) => mode.bits().to_vec(),
        })
    }

    /// Makes the edges of a term and of all its subterms, arguments first.
    fn blast(&mut self, pool: &Pool, root: Term) -> Result<(), Unsupported> {
        let mut pending = vec![root];
        while let Some(term) = pending.last().copied() {
            if self.is_blasted(term) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            let needed = operands(pool, term)?;
            pending.extend(needed.iter().copied().filter(|a| !self.is_blasted(*a)));
            if pending.len() == before {
                self.build(pool, term)?;
                pending.pop();
            }
        }
        Ok(())
    }

    /// Requires: the operands of the term are blasted.
    fn build(&mut self, pool: &Pool, term: Term) -> Result<(), Unsupported> {
        let gates = size::gates(pool, term);
        if self.graph.len() as u128 + gates > self.limit as u128 {
            let (operator, limit) = (operator_name(pool, term), self.limit);
            let reason = Reason::Size { operator, gates, limit };
            return Err(Unsupported { term, reason });
        }
        let blasted = if is_atom(pool, term) {
            self.atoms.push(term);
            self.free(pool.sort(term))
        } else if matches!(pool.op(term), Op::Var(_)) {
            self.free(pool.sort(term))
        } else {
            operators::build(self, pool, term)
        };
        self.blasted.insert(term, blasted);
        Ok(())
    }

    /// Fresh inputs for a value of a sort that has bits.
    fn free(&mut self, sort: Sort) -> Blasted {
        let g = &mut self.graph;
        match sort {
            Sort::Bool => Blasted::Bool(g.input()),
            Sort::BitVec(width) => Blasted::Bits(word::inputs(g, width as usize)),
            Sort::Float(format) => {
                let layout = Layout::of(format);
                let bits = word::inputs(g, layout.width());
                Blasted::Float(Box::new(Float::from_bits(g, layout, &bits)))
            }
            Sort::RoundingMode => {
                let bits = [g.input(), g.input(), g.input()];
                Blasted::Rounding(Mode::from_bits(g, bits))
            }
            Sort::Int | Sort::Real | Sort::Array(_) | Sort::Uninterpreted(_) => {
                unreachable!("only sorts with bits are blasted")
            }
        }
    }

    fn truth(&self, term: Term) -> Edge {
        match &self.blasted[&term] {
            Blasted::Bool(edge) => *edge,
            other => unreachable!("{term:?} is {other:?}, not a Bool"),
        }
    }
}

fn has_bits(sort: Sort) -> bool {
    matches!(sort, Sort::Bool | Sort::BitVec(_) | Sort::Float(_) | Sort::RoundingMode)
}

/// Whether the term has bits, but belongs to a theory outside.
fn is_atom(pool: &Pool, term: Term) -> bool {
    match pool.op(term) {
        Op::Select | Op::Apply(_) => true,
        Op::Eq => !has_bits(pool.sort(pool.args(term)[0])),
        _ => false,
    }
}

/// The arguments that must be blasted before the term, if the term can be blasted at all.
fn operands(pool: &Pool, term: Term) -> Result<&[Term], Unsupported> {
    let args = pool.args(term);
    let unsupported = || {
        let reason = Reason::Theory(operator_name(pool, term));
        Err(Unsupported { term, reason })
    };
    if !has_bits(pool.sort(term)) {
        return unsupported();
    }
    match pool.op(term) {
        Op::Forall | Op::Exists => unsupported(),
        Op::Select | Op::Apply(_) => Ok(&[]),
        Op::FpFromReal(_) if pool.value(args[1]).is_some() => Ok(&args[..1]),
        _ => match args.iter().map(|a| pool.sort(*a)).find(|sort| !has_bits(*sort)) {
            None => Ok(args),
            // Integers and reals would need a solver of their own.
            Some(Sort::Array(_) | Sort::Uninterpreted(_)) if is_atom(pool, term) => Ok(&[]),
            Some(_) => unsupported(),
        },
    }
}

fn operator_name(pool: &Pool, term: Term) -> String {
    match pool.op(term) {
        Op::Var(symbol) => format!("the variable {}", pool.name(*symbol)),
        op => format!("the operator {op:?}"),
    }
}

#[cfg(test)]
mod tests;
