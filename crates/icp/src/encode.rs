//! Terms to variables, clauses and primitive constraints ([Sch §II-D], after Tseitin).
//!
//! A formula becomes a literal: a comparison with a constant is a bound and costs nothing, what is
//! in a set of intervals is a few clauses, connectives are clauses over a new Boolean. Every other
//! term becomes a variable, and its operator a constraint. Everything is defined once, for good, and
//! holds in every model, so that only asserted formulas belong to a level.
//!
//! A bit-vector has up to two variables, one for each reading; which one an operator uses,
//! [`Contractor::views`] says. Sums, choices and equalities exist in both, in those that somebody
//! asks for; where a vector has both, a constraint connects them.

use crate::bound::{Bound, Side};
use crate::engine::Engine;
use crate::lit::{Lit, Var};
use intervals::contract::Contractor;
use intervals::keys::{Domain, FloatKeys, Interval, Key};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::{Op, Pool, Sort, Term};
use value::Float;

/// A term that has no keys: of another theory, or too wide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Beyond;

/// What terms have become.
#[derive(Default)]
pub(crate) struct Encoder {
    lits: FxHashMap<Term, Lit>,
    /// By term and reading.
    vars: FxHashMap<(Term, bool), Var>,
    constants: FxHashMap<(Domain, Key), Var>,
    /// The term of each variable that has one.
    owners: FxHashMap<Var, Term>,
    /// The equalities of each bit-vector.
    equalities: FxHashMap<Term, Vec<Term>>,
    /// Equalities that are needed in the signed reading, too.
    later: Vec<Term>,
    /// The free constants.
    leaves: Vec<(Term, Var)>,
    /// Terms whose value SMT-LIB may leave open.
    open: Vec<(Term, Var)>,
}

/// Something to be encoded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Need {
    Lit(Term),
    Var(Term, bool),
}

/// What a term's variable may be: an atom that says its argument is in one of some intervals.
struct Membership {
    term: Term,
    intervals: SmallVec<[Interval; 2]>,
}

impl Encoder {
    /// The free constants with their variables.
    pub fn leaves(&self) -> &[(Term, Var)] {
        &self.leaves
    }

    /// Terms whose value SMT-LIB may leave open, with their variables.
    pub fn open(&self) -> &[(Term, Var)] {
        &self.open
    }

    /// All terms that have variables, the oldest first.
    pub fn owned(&self) -> Vec<(Term, Var)> {
        let mut owned: Vec<(Term, Var)> =
            self.owners.iter().map(|(var, term)| (*term, *var)).collect();
        owned.sort_unstable_by_key(|(_, var)| *var);
        owned
    }

    /// The bound of a term that a literal is.
    pub fn bound(&self, engine: &Engine, lit: Lit) -> Option<Bound> {
        let term = *self.owners.get(&lit.var)?;
        let domain = engine.domain(lit.var);
        Some(Bound { term, domain, side: lit.side, key: lit.key })
    }

    /// The literal of a formula. Requires: the search is at the ground level.
    pub fn lit(&mut self, engine: &mut Engine, pool: &Pool, formula: Term) -> Result<Lit, Beyond> {
        self.encode(engine, pool, Need::Lit(formula))?;
        while let Some(equality) = self.later.pop() {
            let args = pool.args(equality);
            for arg in args {
                self.encode(engine, pool, Need::Var(*arg, true))?;
            }
            let result = self.truth_var(engine, equality);
            let vars = [result, self.vars[&(args[0], true)], self.vars[&(args[1], true)]];
            self.constrain(engine, &Op::Eq, &vars);
        }
        Ok(self.lits[&formula])
    }

    /// Encodes a need after everything that it is made of.
    fn encode(&mut self, engine: &mut Engine, pool: &Pool, need: Need) -> Result<(), Beyond> {
        let mut pending = vec![need];
        while let Some(need) = pending.last().copied() {
            if self.is_done(need) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            for part in self.parts(pool, need)? {
                if !self.is_done(part) {
                    pending.push(part);
                }
            }
            if pending.len() == before {
                pending.pop();
                match need {
                    Need::Lit(term) => {
                        let lit = self.make_lit(engine, pool, term);
                        self.lits.insert(term, lit);
                    }
                    Need::Var(term, signed) => self.make_var(engine, pool, term, signed),
                }
            }
        }
        Ok(())
    }

    fn is_done(&self, need: Need) -> bool {
        match need {
            Need::Lit(term) => self.lits.contains_key(&term),
            Need::Var(term, signed) => self.vars.contains_key(&(term, signed)),
        }
    }

    /// What has to be encoded before.
    fn parts(&self, pool: &Pool, need: Need) -> Result<SmallVec<[Need; 4]>, Beyond> {
        let args = |term: Term| pool.args(term).iter().copied();
        Ok(match need {
            Need::Lit(term) => {
                if let Some(bound) = numeric_bound(pool, term) {
                    return Ok(SmallVec::from_slice(&[bound_need(bound)]));
                }
                if let Some(membership) = membership(pool, term) {
                    return Ok(SmallVec::from_slice(&[Need::Var(membership.term, false)]));
                }
                match pool.op(term) {
                    Op::Value(_) | Op::Var(_) => SmallVec::new(),
                    Op::Not | Op::And | Op::Or | Op::Ite => args(term).map(Need::Lit).collect(),
                    Op::Eq if pool.sort(pool.args(term)[0]) == Sort::Bool => {
                        args(term).map(Need::Lit).collect()
                    }
                    Op::Select | Op::Apply(_) | Op::Forall | Op::Exists => return Err(Beyond),
                    op => self.arguments(pool, term, op, self.equality_view(pool, term))?,
                }
            }
            Need::Var(term, signed) => {
                Domain::of(pool.sort(term)).ok_or(Beyond)?;
                match pool.op(term) {
                    _ if pool.sort(term) == Sort::Bool => SmallVec::from_slice(&[Need::Lit(term)]),
                    Op::Value(_) | Op::Var(_) => SmallVec::new(),
                    Op::Select | Op::Apply(_) => return Err(Beyond),
                    op if self.view(pool, op, signed, 0) != signed => {
                        SmallVec::from_slice(&[Need::Var(term, !signed)])
                    }
                    op => self.arguments(pool, term, op, signed)?,
                }
            }
        })
    }

    /// The arguments of an operator as variables.
    fn arguments(
        &self,
        pool: &Pool,
        term: Term,
        op: &Op,
        signed: bool,
    ) -> Result<SmallVec<[Need; 4]>, Beyond> {
        let mut needs = SmallVec::new();
        for (i, arg) in pool.args(term).iter().enumerate() {
            Domain::of(pool.sort(*arg)).ok_or(Beyond)?;
            needs.push(Need::Var(*arg, self.arg_view(pool, op, signed, i, *arg)));
        }
        Ok(needs)
    }

    /// How an argument is read: signed or not.
    fn arg_view(&self, pool: &Pool, op: &Op, signed: bool, arg: usize, term: Term) -> bool {
        matches!(pool.sort(term), Sort::BitVec(_)) && self.view(pool, op, signed, arg + 1)
    }

    /// How the result (0) or an argument of an operator is read.
    fn view(&self, _: &Pool, op: &Op, signed: bool, place: usize) -> bool {
        Contractor::views(op, signed, place + 1)[place]
    }

    /// How an equality reads its sides: signed if one of them is so read already.
    fn equality_view(&self, pool: &Pool, term: Term) -> bool {
        pool.args(term).iter().any(|arg| {
            let natural = matches!(
                pool.op(*arg),
                Op::BvSdiv
                    | Op::BvSrem
                    | Op::BvSmod
                    | Op::BvAshr
                    | Op::BvSignExtend(_)
                    | Op::FpToSbv(_)
            );
            natural || self.vars.contains_key(&(*arg, true))
        })
    }

    /// The literal of a formula whose parts are encoded.
    fn make_lit(&mut self, engine: &mut Engine, pool: &Pool, term: Term) -> Lit {
        if let Some(bound) = numeric_bound(pool, term) {
            let Need::Var(of, signed) = bound_need(bound) else { unreachable!("it is a variable") };
            return engine.bound(self.vars[&(of, signed)], bound.side, bound.key);
        }
        if let Some(membership) = membership(pool, term) {
            let var = self.vars[&(membership.term, false)];
            let parts: Vec<Lit> =
                membership.intervals.iter().map(|i| within(engine, var, *i)).collect();
            return any(engine, &parts);
        }
        let args = pool.args(term);
        let lits =
            |encoder: &Encoder| -> Vec<Lit> { args.iter().map(|a| encoder.lits[a]).collect() };
        match pool.op(term) {
            Op::Value(_) if pool.as_bool(term) == Some(true) => engine.truth(),
            Op::Value(_) => !engine.truth(),
            Op::Var(_) => {
                let var = self.truth_var(engine, term);
                self.leaves.push((term, var));
                Lit::at_least(var, 1)
            }
            Op::Not => !lits(self)[0],
            Op::Or => any(engine, &lits(self)),
            Op::And => {
                let negated: Vec<Lit> = lits(self).iter().map(|lit| !*lit).collect();
                !any(engine, &negated)
            }
            Op::Eq if pool.sort(args[0]) == Sort::Bool => {
                let [a, b] = lits(self)[..] else { unreachable!("equality is binary") };
                choice(engine, a, b, !b)
            }
            Op::Ite => {
                let [c, a, b] = lits(self)[..] else { unreachable!("typing: three arguments") };
                choice(engine, c, a, b)
            }
            op => {
                let signed = self.equality_view(pool, term);
                let result = self.truth_var(engine, term);
                let mut vars: SmallVec<[Var; 5]> = SmallVec::from_slice(&[result]);
                for (i, arg) in args.iter().enumerate() {
                    let view = self.arg_view(pool, op, signed, i, *arg);
                    vars.push(self.vars[&(*arg, view)]);
                }
                self.constrain(engine, op, &vars);
                if *op == Op::Eq && matches!(pool.sort(args[0]), Sort::BitVec(_)) && !signed {
                    for arg in args {
                        self.equalities.entry(*arg).or_default().push(term);
                    }
                }
                Lit::at_least(result, 1)
            }
        }
    }

    /// The Boolean variable of a formula.
    fn truth_var(&mut self, engine: &mut Engine, term: Term) -> Var {
        if let Some(var) = self.vars.get(&(term, false)) {
            return *var;
        }
        let var = engine.new_var(Domain::Truth);
        engine.let_decide(var);
        self.vars.insert((term, false), var);
        self.owners.insert(var, term);
        var
    }

    /// Makes the variable of a term whose parts are encoded, and what ties it to them.
    fn make_var(&mut self, engine: &mut Engine, pool: &Pool, term: Term, signed: bool) {
        if pool.sort(term) == Sort::Bool {
            let lit = self.lits[&term];
            let var = if lit == Lit::at_least(lit.var, 1) && engine.domain(lit.var) == Domain::Truth
            {
                lit.var
            } else {
                let var = engine.new_var(Domain::Truth);
                engine.add_clause(&[Lit::at_most(var, 0), lit]);
                engine.add_clause(&[Lit::at_least(var, 1), !lit]);
                var
            };
            self.vars.insert((term, false), var);
            self.owners.insert(var, term);
            return;
        }
        let unsigned = Domain::of(pool.sort(term)).expect("its parts were asked for");
        let domain = match unsigned {
            Domain::Unsigned(width) if signed => Domain::Signed(width),
            domain => domain,
        };
        if let Some(value) = pool.value(term) {
            let key = domain.key(value);
            let var = *self.constants.entry((domain, key)).or_insert_with(|| {
                let var = engine.new_var(domain);
                for lit in
                    [engine.bound(var, Side::AtLeast, key), engine.bound(var, Side::AtMost, key)]
                {
                    engine.add_clause(&[lit]);
                }
                var
            });
            self.vars.insert((term, signed), var);
            return;
        }
        let var = engine.new_var(domain);
        self.vars.insert((term, signed), var);
        self.owners.insert(var, term);
        self.connect(engine, pool, term, signed);
    }

    /// Ties a new variable to the other reading of its term and to its arguments.
    fn connect(&mut self, engine: &mut Engine, pool: &Pool, term: Term, signed: bool) {
        let var = self.vars[&(term, signed)];
        let other = self.vars.get(&(term, !signed)).copied();
        if let (Some(other), Sort::BitVec(width)) = (other, pool.sort(term)) {
            let (u, s) = if signed { (other, var) } else { (var, other) };
            engine.add_constraint(Contractor::readings(width), &[u, s]);
        }
        if signed && let Some(equalities) = self.equalities.remove(&term) {
            self.later.extend(equalities);
        }
        match pool.op(term) {
            Op::Var(_) => {
                if other.is_none() {
                    self.leaves.push((term, var));
                    engine.let_decide(var);
                }
            }
            op if self.view(pool, op, signed, 0) != signed => {}
            op => {
                let mut vars: SmallVec<[Var; 5]> = SmallVec::from_slice(&[var]);
                for (i, arg) in pool.args(term).iter().enumerate() {
                    let view = self.arg_view(pool, op, signed, i, *arg);
                    vars.push(self.vars[&(*arg, view)]);
                }
                if let Op::FpMin | Op::FpMax | Op::FpToSbv(_) | Op::FpToUbv(_) = op {
                    self.open.push((term, var));
                    engine.let_decide(var);
                }
                self.constrain(engine, op, &vars);
            }
        }
    }

    fn constrain(&mut self, engine: &mut Engine, op: &Op, vars: &[Var]) {
        let domains: SmallVec<[Domain; 5]> = vars.iter().map(|var| engine.domain(*var)).collect();
        engine.add_constraint(Contractor::new(op, domains[0], &domains[1..]), vars);
    }
}

/// The bound that a comparison with a constant is.
fn numeric_bound(pool: &Pool, term: Term) -> Option<Bound> {
    if *pool.op(term) == Op::Not {
        return None;
    }
    Bound::read(pool, term).filter(|bound| bound.domain != Domain::Truth)
}

fn bound_need(bound: Bound) -> Need {
    Need::Var(bound.term, matches!(bound.domain, Domain::Signed(_)))
}

/// The set of values that an atom says its argument is in.
fn membership(pool: &Pool, term: Term) -> Option<Membership> {
    let args = pool.args(term);
    let one = |term, low, high| {
        let intervals = SmallVec::from_slice(&[Interval::new(low, high)]);
        Some(Membership { term, intervals })
    };
    match pool.op(term) {
        Op::Eq => {
            let (of, value) = match (pool.value(args[0]), pool.value(args[1])) {
                (Some(value), None) => (args[1], value),
                (None, Some(value)) => (args[0], value),
                _ => return None,
            };
            let domain = Domain::of(pool.sort(of)).filter(|domain| *domain != Domain::Truth)?;
            let key = domain.key(value);
            one(of, key, key)
        }
        op @ (Op::FpLeq | Op::FpLt | Op::FpEq) => {
            let format = pool.sort(args[0]).format()?;
            Domain::of(Sort::Float(format))?;
            let keys = FloatKeys::new(format);
            let (of, constant, flipped) = match (pool.value(args[0]), pool.value(args[1])) {
                (Some(value), None) => (args[1], value, true),
                (None, Some(value)) => (args[0], value, false),
                _ => return None,
            };
            let key = keys.key(constant.as_float()?);
            let zeros = Interval::new(keys.minus_zero(), keys.plus_zero());
            let equal = if zeros.contains(key) { zeros } else { Interval::point(key) };
            let nothing = Membership { term: of, intervals: SmallVec::new() };
            match op {
                _ if key == keys.nan() => Some(nothing),
                Op::FpEq => one(of, equal.low, equal.high),
                Op::FpLeq if flipped => one(of, equal.low, keys.plus_infinity()),
                Op::FpLeq => one(of, 0, equal.high),
                _ if flipped && key == keys.plus_infinity() => Some(nothing),
                _ if flipped => one(of, equal.high + 1, keys.plus_infinity()),
                _ if key == 0 => Some(nothing),
                _ => one(of, 0, equal.low - 1),
            }
        }
        op => {
            let format = pool.sort(*args.first()?).format()?;
            Domain::of(Sort::Float(format))?;
            class(op, FloatKeys::new(format))
                .map(|intervals| Membership { term: args[0], intervals })
        }
    }
}

/// The floats of a class.
fn class(op: &Op, keys: FloatKeys) -> Option<SmallVec<[Interval; 2]>> {
    let format = keys.format();
    let both = |low: Key, high: Key| {
        let negative = Interval::new(keys.negated(high), keys.negated(low));
        SmallVec::from_slice(&[negative, Interval::new(low, high)])
    };
    let normal = keys.key(&Float::min_normal(format, false));
    let largest = keys.plus_infinity() - 1;
    Some(match op {
        Op::FpIsNormal => both(normal, largest),
        Op::FpIsSubnormal => both(keys.plus_zero() + 1, normal - 1),
        Op::FpIsInfinite => both(keys.plus_infinity(), keys.plus_infinity()),
        Op::FpIsZero => SmallVec::from_slice(&[Interval::new(keys.minus_zero(), keys.plus_zero())]),
        Op::FpIsPositive => {
            SmallVec::from_slice(&[Interval::new(keys.plus_zero(), keys.plus_infinity())])
        }
        _ => return None,
    })
}

/// A literal that a variable is in an interval.
fn within(engine: &mut Engine, var: Var, interval: Interval) -> Lit {
    let low = engine.bound(var, Side::AtLeast, interval.low);
    let high = engine.bound(var, Side::AtMost, interval.high);
    !any(engine, &[!low, !high])
}

/// A literal that is true exactly if one of some is.
fn any(engine: &mut Engine, lits: &[Lit]) -> Lit {
    let truth = engine.truth();
    if lits.contains(&truth) {
        return truth;
    }
    let lits: SmallVec<[Lit; 8]> = lits.iter().copied().filter(|lit| *lit != !truth).collect();
    match lits[..] {
        [] => return !truth,
        [lit] => return lit,
        _ => {}
    }
    let var = engine.new_var(Domain::Truth);
    engine.let_decide(var);
    let result = Lit::at_least(var, 1);
    let mut clause = vec![!result];
    for lit in lits {
        engine.add_clause(&[result, !lit]);
        clause.push(lit);
    }
    engine.add_clause(&clause);
    result
}

/// A literal that is `a` where `c` is true and `b` where it is not.
fn choice(engine: &mut Engine, c: Lit, a: Lit, b: Lit) -> Lit {
    let var = engine.new_var(Domain::Truth);
    engine.let_decide(var);
    let result = Lit::at_least(var, 1);
    engine.add_clause(&[!c, !a, result]);
    engine.add_clause(&[!c, a, !result]);
    engine.add_clause(&[c, !b, result]);
    engine.add_clause(&[c, b, !result]);
    // These follow, and deduce where the condition is not known.
    engine.add_clause(&[!a, !b, result]);
    engine.add_clause(&[a, b, !result]);
    result
}
