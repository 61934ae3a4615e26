//! Booleans, equality, if-then-else, quantifiers, functions.

use crate::op::Op;
use crate::pool::{Func, Pool, Term};
use crate::sort::Sort;
use crate::value::Value;

impl Pool {
    /// ⊤ or ⊥
    pub fn bool(&self, value: bool) -> Term {
        self.constant(Value::Bool(value))
    }

    /// ⊤
    pub fn tru(&self) -> Term {
        self.bool(true)
    }

    /// ⊥
    pub fn fls(&self) -> Term {
        self.bool(false)
    }

    /// ¬a
    pub fn not(&self, a: Term) -> Term {
        self.make(Op::Not, &[a])
    }

    /// The conjunction of any number of terms.
    pub fn and(&self, args: impl IntoIterator<Item = Term>) -> Term {
        self.junction(Op::And, args)
    }

    /// The disjunction of any number of terms.
    pub fn or(&self, args: impl IntoIterator<Item = Term>) -> Term {
        self.junction(Op::Or, args)
    }

    fn junction(&self, op: Op, args: impl IntoIterator<Item = Term>) -> Term {
        let args: Vec<Term> = args.into_iter().collect();
        match args[..] {
            [] => self.bool(op == Op::And),
            [a] => a,
            _ => self.make(op, &args),
        }
    }

    /// a ⇒ b
    pub fn implies(&self, a: Term, b: Term) -> Term {
        self.or([self.not(a), b])
    }

    /// a ⊕ b
    pub fn xor(&self, a: Term, b: Term) -> Term {
        self.not(self.eq(a, b))
    }

    /// a = b
    pub fn eq(&self, a: Term, b: Term) -> Term {
        self.make(Op::Eq, &[a, b])
    }

    /// a ≠ b
    pub fn ne(&self, a: Term, b: Term) -> Term {
        self.not(self.eq(a, b))
    }

    /// All arguments differ from each other.
    pub fn distinct(&self, args: &[Term]) -> Term {
        let mut differ = Vec::new();
        for (i, a) in args.iter().enumerate() {
            differ.extend(args[i + 1..].iter().map(|b| self.ne(*a, *b)));
        }
        self.and(differ)
    }

    /// if c then t else e
    pub fn ite(&self, c: Term, t: Term, e: Term) -> Term {
        self.make(Op::Ite, &[c, t, e])
    }

    /// ∀ bound. body
    pub fn forall(&self, bound: &[Term], body: Term) -> Term {
        self.make(Op::Forall, &[bound, &[body]].concat())
    }

    /// ∃ bound. body
    pub fn exists(&self, bound: &[Term], body: Term) -> Term {
        self.make(Op::Exists, &[bound, &[body]].concat())
    }

    /// A function applied to its arguments; a variable if it has none.
    pub fn apply(&self, func: Func, args: &[Term]) -> Term {
        if args.is_empty() {
            let function = self.declaration(func);
            return self.var(self.name(function.name), function.result);
        }
        self.make(Op::Apply(func), args)
    }

    /// The truth value of a constant.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        self.value(term)?.as_bool()
    }

    /// Whether one of two terms is the negation of the other.
    pub(crate) fn complementary(&self, a: Term, b: Term) -> bool {
        (*self.op(a) == Op::Not && self.args(a)[0] == b)
            || (*self.op(b) == Op::Not && self.args(b)[0] == a)
    }

    pub(super) fn simplify_core(&self, op: &Op, sort: Sort, args: &[Term]) -> Option<Term> {
        match op {
            Op::Not => (*self.op(args[0]) == Op::Not).then(|| self.args(args[0])[0]),
            Op::And | Op::Or => Some(self.simplify_junction(op, args)),
            Op::Eq => self.simplify_eq(args[0], args[1]),
            Op::Ite => self.simplify_ite(sort, args[0], args[1], args[2]),
            Op::Forall | Op::Exists => {
                let (body, bound) = args.split_last().expect("typing requires a body");
                (bound.is_empty() || self.value(*body).is_some()).then_some(*body)
            }
            _ => None,
        }
    }

    /// Arguments sorted, once each, neutral ones dropped; decided if one absorbs the others or
    /// two are complementary.
    fn simplify_junction(&self, op: &Op, args: &[Term]) -> Term {
        let neutral = *op == Op::And;
        let mut kept = Vec::with_capacity(args.len());
        for a in args {
            match self.as_bool(*a) {
                Some(value) if value == neutral => {}
                Some(value) => return self.bool(value),
                None => kept.push(*a),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        let complement = kept
            .iter()
            .any(|a| *self.op(*a) == Op::Not && kept.binary_search(&self.args(*a)[0]).is_ok());
        if complement {
            return self.bool(!neutral);
        }
        match kept[..] {
            [] => self.bool(neutral),
            [a] => a,
            _ => self.intern(op.clone(), Sort::Bool, &kept),
        }
    }

    fn simplify_eq(&self, a: Term, b: Term) -> Option<Term> {
        if a == b {
            return Some(self.tru());
        }
        // A constant goes second, otherwise the older term goes first.
        let (a, b) = match (self.value(a), self.value(b)) {
            (Some(_), None) => (b, a),
            (None, None) if b < a => (b, a),
            _ => (a, b),
        };
        if self.sort(a) == Sort::Bool {
            return self.simplify_iff(a, b);
        }
        if let (Op::Ite, Some(_)) = (self.op(a), self.value(b)) {
            let [c, t, e] = self.args(a)[..] else { unreachable!("ite has three arguments") };
            if self.value(t).is_some() || self.value(e).is_some() {
                return Some(self.ite(c, self.eq(t, b), self.eq(e, b)));
            }
        }
        if self.sort(a).width().is_some()
            && let Some(simpler) = self.simplify_bv_eq(a, b)
        {
            return Some(simpler);
        }
        Some(self.intern(Op::Eq, Sort::Bool, &[a, b]))
    }

    fn simplify_iff(&self, a: Term, b: Term) -> Option<Term> {
        if let Some(value) = self.as_bool(b) {
            return Some(if value { a } else { self.not(a) });
        }
        if self.complementary(a, b) {
            return Some(self.fls());
        }
        match (self.op(a), self.op(b)) {
            (Op::Not, Op::Not) => Some(self.eq(self.args(a)[0], self.args(b)[0])),
            (Op::Not, _) => Some(self.not(self.eq(self.args(a)[0], b))),
            (_, Op::Not) => Some(self.not(self.eq(a, self.args(b)[0]))),
            _ => Some(self.intern(Op::Eq, Sort::Bool, &[a, b])),
        }
    }

    fn simplify_ite(&self, sort: Sort, c: Term, t: Term, e: Term) -> Option<Term> {
        if let Some(value) = self.as_bool(c) {
            return Some(if value { t } else { e });
        }
        if t == e {
            return Some(t);
        }
        if *self.op(c) == Op::Not {
            return Some(self.ite(self.args(c)[0], e, t));
        }
        if sort == Sort::Bool {
            match (self.as_bool(t), self.as_bool(e)) {
                (Some(true), Some(false)) => return Some(c),
                (Some(false), Some(true)) => return Some(self.not(c)),
                (Some(true), None) => return Some(self.or([c, e])),
                (Some(false), None) => return Some(self.and([self.not(c), e])),
                (None, Some(true)) => return Some(self.or([self.not(c), t])),
                (None, Some(false)) => return Some(self.and([c, t])),
                _ => {}
            }
            if self.complementary(t, e) {
                return Some(self.eq(c, t));
            }
        }
        // A branch that asks the same question again has one live side.
        let inner = |branch: Term, side: usize| {
            let same = *self.op(branch) == Op::Ite && self.args(branch)[0] == c;
            if same { self.args(branch)[side] } else { branch }
        };
        let (live_t, live_e) = (inner(t, 1), inner(e, 2));
        ((live_t, live_e) != (t, e)).then(|| self.ite(c, live_t, live_e))
    }
}
