//! Questions about both versions: a solver, and an abstraction of floating-point arithmetic.
//!
//! Operations on floats that circuits are large for are first taken as unknown functions: equal
//! arguments give equal results, in either order where the operation commutes. What follows then
//! follows. Only where that is not enough, and where it matters, are they asked about as they are.

use crate::floats;
use answer::Allowance;
use rustc_hash::FxHashMap;
use sat::cadical::{Cadical, Preset};
use smt::{Answer, BitBlast, Solver, Solvers, Standard};
use std::time::Duration;
use term::traverse::{conjuncts, subterms};
use term::{Op, Pool, Sort, Term, Value};
use value::Float;

/// How long a question may take when a proof is checked.
const CHECK_PATIENCE: Duration = Duration::from_secs(10);

/// What is known of an implication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// It holds.
    Yes,
    /// It does not, perhaps only of the abstraction.
    No,
    /// It is not known.
    Unknown,
}

/// Answers questions.
pub struct Asker<'p> {
    pool: &'p Pool,
    solver: Box<dyn Solver>,
    exact: Box<dyn Solver>,
    done: FxHashMap<Term, Term>,
    allowance: Allowance,
    /// How long one question may take.
    pub patience: Duration,
    last: bool,
    /// Whether products and quotients of integers are taken as unknown functions, too.
    pub lean: bool,
}

impl<'p> Asker<'p> {
    /// For terms of a pool.
    pub fn new(pool: &'p Pool, allowance: &Allowance) -> Asker<'p> {
        Asker {
            pool,
            solver: Standard.general(),
            exact: Standard.floats(),
            done: FxHashMap::default(),
            allowance: allowance.clone(),
            patience: Duration::from_millis(1500),
            last: false,
            lean: false,
        }
    }

    /// The same with another solver and none of what was learnt: CaDiCaL alone.
    pub fn checker(&self) -> Asker<'p> {
        let solver = || Box::new(BitBlast::new(Cadical::new(Preset::Standard)));
        Asker {
            pool: self.pool,
            solver: solver(),
            exact: solver(),
            done: FxHashMap::default(),
            allowance: self.allowance.clone(),
            patience: CHECK_PATIENCE,
            last: false,
            lean: self.lean,
        }
    }

    /// Whether something is used up.
    pub fn is_over(&self) -> bool {
        self.allowance.exhausted().is_some()
    }

    /// Whether the premises imply the conclusion.
    pub fn implies(&mut self, premises: &[Term], conclusion: Term, exactly: bool) -> Known {
        let pool = self.pool;
        if pool.as_bool(conclusion) == Some(true) {
            return Known::Yes;
        }
        let parts: Vec<Term> = premises
            .iter()
            .chain([&pool.not(conclusion)])
            .flat_map(|premise| conjuncts(pool, *premise))
            .collect();
        if parts.iter().any(|part| pool.as_bool(*part) == Some(false)) {
            return Known::Yes;
        }
        // SAT? premises ∧ ¬conclusion
        let abstracted: Vec<Term> = parts.iter().map(|part| self.abstracted(*part)).collect();
        let differs = abstracted != parts;
        self.last = false;
        let answer = self.check(&abstracted, false);
        match answer {
            Known::No if differs && exactly => self.check(&parts, true),
            answer => answer,
        }
    }

    /// SAT? all formulas: `Yes` if not.
    fn check(&mut self, formulas: &[Term], exact: bool) -> Known {
        let allowance = self.allowance.within(self.patience);
        let solver = if exact { &mut self.exact } else { &mut self.solver };
        solver.set_allowance(allowance);
        match solver.check(self.pool, formulas) {
            Ok(Answer::Unsat) => Known::Yes,
            Ok(Answer::Sat) => {
                self.last = exact;
                Known::No
            }
            Ok(Answer::Unknown(_)) | Err(_) => Known::Unknown,
        }
    }

    /// After [`Known::No`]: a term's value in the counterexample.
    pub fn value(&mut self, term: Term) -> Option<Value> {
        match self.last {
            true => self.exact.value(self.pool, term).ok(),
            false => {
                let term = self.abstracted(term);
                self.solver.value(self.pool, term).ok()
            }
        }
    }

    /// A term with unknown functions for arithmetic of floats.
    fn abstracted(&mut self, term: Term) -> Term {
        let pool = self.pool;
        if let Some(known) = self.done.get(&term) {
            return *known;
        }
        for t in subterms(pool, &[term]) {
            if self.done.contains_key(&t) {
                continue;
            }
            let node = pool.node(t);
            let args: Vec<Term> = node.args.iter().map(|a| self.done[a]).collect();
            if let Some(whole) = floats::of_whole(pool, &node.op, &node.args) {
                let result = self.abstracted(whole);
                self.done.insert(t, result);
                continue;
            }
            let result = match name_of(&node.op, self.lean) {
                Some((name, commutes)) => self.apply(&name, args, commutes, node.sort),
                None if args[..] == node.args[..] => t,
                None => pool.make(node.op.clone(), &args),
            };
            self.done.insert(t, result);
        }
        self.done[&term]
    }

    fn apply(&self, name: &str, mut args: Vec<Term>, commutes: bool, sort: Sort) -> Term {
        if let Some(same) = self.neutral(name, &args) {
            return same;
        }
        if commutes {
            // The rounding mode is first.
            args[1..].sort_unstable();
        }
        let sorts: Vec<Sort> = args.iter().map(|a| self.pool.sort(*a)).collect();
        self.pool.apply(self.pool.function(name, &sorts, sort), &args)
    }
}

impl Asker<'_> {
    /// The other operand, where one is neutral: x · 1 and x / 1 are x, whatever x is.
    fn neutral(&self, name: &str, args: &[Term]) -> Option<Term> {
        let is_one = |term: &Term| {
            let float = self.pool.value(*term).and_then(|value| value.as_float());
            float.is_some_and(|float| *float == Float::one(float.format(), false))
        };
        match (name, args) {
            ("float mul", [_, a, b]) if is_one(a) => Some(*b),
            ("float mul" | "float div", [_, a, b]) if is_one(b) => Some(*a),
            _ => None,
        }
    }
}

/// A name for an operation that is taken as an unknown function, and whether it commutes.
fn name_of(op: &Op, lean: bool) -> Option<(String, bool)> {
    Some(match op {
        Op::BvMul | Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem if lean => {
            (format!("{op:?}"), false)
        }
        Op::FpAdd => ("float add".to_owned(), true),
        Op::FpMul => ("float mul".to_owned(), true),
        Op::FpDiv => ("float div".to_owned(), false),
        Op::FpFma => ("float fma".to_owned(), false),
        Op::FpSqrt => ("float sqrt".to_owned(), false),
        Op::FpRem => ("float rem".to_owned(), false),
        Op::FpRoundToIntegral => ("float integral".to_owned(), false),
        Op::FpToFp(format) => (format!("float to {format:?}"), false),
        Op::FpFromSbv(format) => (format!("signed to {format:?}"), false),
        Op::FpFromUbv(format) => (format!("unsigned to {format:?}"), false),
        Op::FpToSbv(width) => (format!("float to signed {width}"), false),
        Op::FpToUbv(width) => (format!("float to unsigned {width}"), false),
        _ => return None,
    })
}
