//! Expressions that relations are guessed of: what the versions compute, read and compare, and numbers
//! that loops change, put together so that what goes on in step does not change.

use crate::execute::{Executor, State};
use crate::flat::Step;
use crate::relation::split;
use crate::shape::Shape;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use term::traverse::{Substitution, free_vars, size};
use term::{Op, Pool, Sort, Term};
use value::Bits;

/// How large an expression may be that relations are guessed of.
const MAX_SIZE: usize = 18;
/// How many of them there are.
const MAX_GUESSES: usize = 80;
/// The width of what narrower numbers are promoted to.
const INT: u32 = 32;
/// How many sums and differences are looked at.
const MAX_COMBINATIONS: usize = 120;

/// Both versions, as they are looked at.
pub struct Guesses<'a, 'p, 'e> {
    /// The pool of both.
    pub pool: &'p Pool,
    /// What executes them.
    pub sides: [&'e RefCell<Executor<'p>>; 2],
    /// Their loops.
    pub shapes: &'a [Shape; 2],
    /// The registers that are read later, at each node.
    pub live: &'a [Vec<FxHashSet<Term>>; 2],
}

impl Guesses<'_, '_, '_> {
    /// Expressions that the versions compute in loops or compare.
    pub fn expressions(&self) -> Vec<Term> {
        let pool = self.pool;
        let mut found: Vec<Term> = Vec::new();
        let mut loaded: Vec<(Term, Term)> = Vec::new();
        for side in self.sides {
            for edge in &side.borrow().flat.edges {
                match &edge.step {
                    Step::Assign(_, term) => {
                        if matches!(pool.sort(*term), Sort::BitVec(_)) {
                            found.push(*term);
                        }
                    }
                    Step::Load { into, address } => {
                        let read = side.borrow().read(*address, pool.sort(*into));
                        found.extend(read);
                        found.extend(read.into_iter().flat_map(|read| promoted(pool, read)));
                        loaded.extend(read.map(|read| (*into, read)));
                    }
                    Step::Assume(condition) => {
                        let atom = match pool.op(*condition) {
                            Op::Not => pool.args(*condition)[0],
                            _ => *condition,
                        };
                        found.push(atom);
                        let args = pool.args(atom);
                        let is_number = |arg: &Term| matches!(pool.sort(*arg), Sort::BitVec(_));
                        found.extend(args.iter().copied().filter(is_number));
                        match pool.op(atom) {
                            Op::BvSlt => found.push(pool.bv_sle(args[0], args[1])),
                            Op::BvUlt => found.push(pool.bv_ule(args[0], args[1])),
                            _ => {}
                        }
                    }
                    _ => {}
                }
            }
        }
        // What is computed of what was read, where it is read.
        let mut reading = Substitution::new(loaded);
        let read: Vec<Term> = found.iter().map(|term| reading.apply(pool, *term)).collect();
        found.extend(read);
        let mut seen = FxHashSet::default();
        found.retain(|term| {
            let fits = !matches!(pool.op(*term), Op::Var(_) | Op::Value(_))
                && size(pool, *term) <= MAX_SIZE
                && !free_vars(pool, &[*term]).is_empty();
            fits && seen.insert(*term)
        });
        found.truncate(MAX_GUESSES);
        found.extend(self.combinations().into_iter().filter(|term| seen.insert(*term)));
        found
    }

    /// Sums and differences of numbers that loops change: those that go on by constants, each times
    /// the other's constant; of both versions, also by one, and how they compare.
    fn combinations(&self) -> Vec<Term> {
        let pool = self.pool;
        let changed = [0, 1].map(|side| self.changed(side));
        let strides = [0, 1].map(|side| self.strides(side));
        let mut found = Vec::new();
        let all: Vec<(usize, Term)> =
            (0..2).flat_map(|side| changed[side].iter().map(move |v| (side, *v))).collect();
        for (i, (side, a)) in all.iter().enumerate() {
            for (other, b) in &all[i + 1..] {
                let steps = strides[*side].get(a).zip(strides[*other].get(b));
                if let Some((first, second)) = steps {
                    found.extend(balanced(pool, (*a, *first), (*b, *second)));
                }
            }
        }
        found.truncate(MAX_COMBINATIONS);
        let mut further = Vec::new();
        for a in &changed[0] {
            for b in changed[1].iter().filter(|b| pool.sort(**b) == pool.sort(*a)) {
                further.extend([pool.bv_add(*a, *b), pool.bv_sub(*a, *b)]);
                // That no addition has wrapped around.
                further.extend([pool.bv_slt(*a, *b), pool.bv_slt(*b, *a)]);
            }
        }
        if further.len() <= MAX_COMBINATIONS {
            found.extend(further);
        }
        found
    }

    /// The numbers that loops of a version change and read again.
    fn changed(&self, side: usize) -> Vec<Term> {
        let flat = self.sides[side].borrow().flat;
        let bodies = &self.shapes[side].bodies;
        let inside = |node: &usize| bodies.iter().any(|body| body.contains(node));
        let edges = flat.edges.iter().filter(|edge| inside(&edge.from) && inside(&edge.to));
        let heads = &self.shapes[side].heads;
        let lives = |v: &Term| heads.iter().any(|head| self.live[side][*head].contains(v));
        let mut written: Vec<Term> = edges.flat_map(|edge| edge.step.writes()).collect();
        written.retain(|v| matches!(self.pool.sort(*v), Sort::BitVec(_)) && lives(v));
        written.sort_unstable();
        written.dedup();
        written
    }

    /// The constants by which numbers of a version go on from loop head to loop head.
    fn strides(&self, side: usize) -> FxHashMap<Term, i64> {
        let pool = self.pool;
        let mut executor = self.sides[side].borrow_mut();
        let heads = &self.shapes[side].heads;
        let exit = executor.flat.exit;
        let cut = |node: usize| node == exit || heads.contains(&node);
        let mut strides = FxHashMap::default();
        let before = executor.noted();
        for head in heads {
            let Ok(ways) = executor.run(*head, &State::default(), &cut) else { continue };
            for (variable, value) in ways.iter().flat_map(|way| &way.state.values) {
                let mut pending = vec![*value];
                while let Some(value) = pending.pop() {
                    if *pool.op(value) == Op::Ite {
                        pending.extend(&pool.args(value)[1..]);
                    } else if let (base, Some(more)) = split(pool, value)
                        && base == *variable
                        && let Some(step) = pool.as_bits(more).and_then(Bits::to_i64)
                        && step != 0
                    {
                        strides.entry(*variable).or_insert(step);
                    }
                }
            }
        }
        executor.forget(before);
        strides
    }
}

/// A narrow number as C computes with it: as a signed and as an unsigned one, and whether it is zero,
/// as at the end of a text.
fn promoted(pool: &Pool, term: Term) -> Vec<Term> {
    match pool.sort(term) {
        Sort::BitVec(width) if width < INT => {
            let more = INT - width;
            let ends = pool.eq(term, pool.bv(0, width));
            vec![pool.bv_sign_extend(term, more), pool.bv_zero_extend(term, more), ends]
        }
        _ => Vec::new(),
    }
}

/// What does not change where two numbers go on together by constants; narrow ones as signed and as
/// unsigned numbers.
fn balanced(pool: &Pool, (a, first): (Term, i64), (b, second): (Term, i64)) -> Vec<Term> {
    let divisor = gcd(first.unsigned_abs(), second.unsigned_abs()) as i64;
    let width = pool.width(a).max(pool.width(b));
    let times = |term: Term, factor: i64| match factor {
        1 => term,
        _ => {
            let factor = Bits::from_i64(width, factor);
            pool.make(Op::BvMul, &[term, pool.bits(factor)])
        }
    };
    let difference =
        |a: Term, b: Term| pool.bv_sub(times(a, second / divisor), times(b, first / divisor));
    let wide = |term: Term, signed: bool| match (width - pool.width(term), signed) {
        (0, _) => term,
        (more, true) => pool.bv_sign_extend(term, more),
        (more, false) => pool.bv_zero_extend(term, more),
    };
    let mut found = vec![difference(wide(a, true), wide(b, true))];
    if pool.width(a) != pool.width(b) {
        found.push(difference(wide(a, false), wide(b, false)));
    }
    found
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}
