//! Which subterms of a term get a `let`, and where.
//!
//! A subterm that is used more than once is written once, in a `let` that encloses all uses. For
//! a term without quantifiers that is the top. A quantifier opens a scope of its own, and a
//! subterm belongs to the innermost scope that contains all its uses, the least common ancestor
//! in the tree of scopes. That scope lies inside the quantifiers of all the variables in the
//! subterm, provided that each bound variable has one quantifier and is not used outside of it.
//! [`separated`] sees to that first, by renaming.
//!
//! Within a scope, bindings are grouped by how many bindings they are built upon, so that the
//! nesting of the `let`s is the depth of the sharing and not its amount.

use crate::op::Op;
use crate::pool::{Pool, Term};
use crate::traverse::{substitute, subterms};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// Values that take up to so many bits are repeated rather than shared.
const SMALL: u64 = 256;

/// The place of each shared subterm.
pub(super) struct Layout {
    /// For each scope, the groups of its bindings from outside in.
    pub(super) bindings: Vec<Vec<Vec<Term>>>,
    /// The scope that a quantifier opens; the top is scope 0.
    pub(super) scopes: FxHashMap<Term, usize>,
    /// All subterms, arguments before their users.
    pub(super) order: Vec<Term>,
}

impl Layout {
    /// The layout of a term.
    ///
    /// Requires: the term is [`separated`].
    pub(super) fn new(pool: &Pool, term: Term) -> Self {
        let order = subterms(pool, &[term]);
        let tree = ScopeTree::new(pool, &order, term);
        let shared: FxHashSet<Term> =
            order.iter().copied().filter(|t| tree.uses[t] > 1 && worth_a_name(pool, *t)).collect();
        // How many bindings a term is built upon, one on the other.
        let mut level: FxHashMap<Term, usize> = FxHashMap::default();
        let mut bindings: Vec<Vec<Vec<Term>>> = vec![Vec::new(); tree.parent.len()];
        for t in &order {
            let upon = |a: &Term| level[a] + usize::from(shared.contains(a));
            let own = pool.args(*t).iter().map(upon).max().unwrap_or(0);
            level.insert(*t, own);
            if shared.contains(t) {
                bindings[tree.scope[t]].push(vec![*t]);
            }
        }
        for groups in &mut bindings {
            groups.sort_by_key(|group| level[&group[0]]);
            groups.dedup_by(|next, group| {
                let same = level[&next[0]] == level[&group[0]];
                if same {
                    group.append(next);
                }
                same
            });
        }
        Layout { bindings, scopes: tree.opened, order }
    }
}

/// Whether repeating a term would cost more than naming it.
fn worth_a_name(pool: &Pool, term: Term) -> bool {
    match pool.op(term) {
        Op::Var(_) => false,
        Op::Value(value) => match &**value {
            Value::Bits(bits) => u64::from(bits.width()) > SMALL,
            Value::Float(float) => u64::from(float.format().width()) > SMALL,
            Value::Int(n) => n.bits() > SMALL,
            Value::Real(r) => r.numer().bits() + r.denom().bits() > SMALL,
            _ => false,
        },
        _ => true,
    }
}

/// The scopes of quantifiers, and where each subterm belongs.
struct ScopeTree {
    /// The scope around each; that of the top is itself.
    parent: Vec<usize>,
    depth: Vec<usize>,
    /// A distant ancestor, chosen so that any ancestor is reached in logarithmically many steps
    /// (E. W. Myers, An applicative random-access stack, 1983).
    jump: Vec<usize>,
    opened: FxHashMap<Term, usize>,
    scope: FxHashMap<Term, usize>,
    uses: FxHashMap<Term, usize>,
}

impl ScopeTree {
    /// Requires: `order` are the subterms of `root`, arguments before their users.
    fn new(pool: &Pool, order: &[Term], root: Term) -> Self {
        let mut tree = ScopeTree {
            parent: vec![0],
            depth: vec![0],
            jump: vec![0],
            opened: FxHashMap::default(),
            scope: FxHashMap::from_iter([(root, 0)]),
            uses: FxHashMap::from_iter([(root, 1)]),
        };
        // Users before their arguments: when a term's turn comes, all its uses are known.
        for t in order.iter().rev() {
            let mut scope = tree.scope[t];
            if matches!(pool.op(*t), Op::Forall | Op::Exists) {
                scope = tree.open(*t, scope);
            }
            for a in pool.args(*t) {
                let wider = match tree.scope.get(a) {
                    Some(other) => tree.common(*other, scope),
                    None => scope,
                };
                tree.scope.insert(*a, wider);
                *tree.uses.entry(*a).or_insert(0) += 1;
            }
        }
        tree
    }

    fn open(&mut self, quantifier: Term, parent: usize) -> usize {
        let new = self.parent.len();
        let near = self.jump[parent];
        let far = self.jump[near];
        let even = self.depth[parent] - self.depth[near] == self.depth[near] - self.depth[far];
        self.parent.push(parent);
        self.depth.push(self.depth[parent] + 1);
        self.jump.push(if even { far } else { parent });
        self.opened.insert(quantifier, new);
        new
    }

    /// The innermost scope around both.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        if self.depth[a] < self.depth[b] {
            (a, b) = (b, a);
        }
        while self.depth[a] > self.depth[b] {
            let far = self.jump[a];
            a = if self.depth[far] >= self.depth[b] { far } else { self.parent[a] };
        }
        while a != b {
            let (far_a, far_b) = (self.jump[a], self.jump[b]);
            (a, b) = if far_a == far_b { (self.parent[a], self.parent[b]) } else { (far_a, far_b) };
        }
        a
    }
}

/// An equivalent term in which every bound variable belongs to one quantifier and occurs only
/// inside it.
pub(super) fn separated(pool: &Pool, term: Term) -> Term {
    let order = subterms(pool, &[term]);
    if !order.iter().any(|t| matches!(pool.op(*t), Op::Forall | Op::Exists)) {
        return term;
    }
    let tree = ScopeTree::new(pool, &order, term);
    // A quantifier uses its variables in its own scope. If they belong further out, others use
    // them too.
    let stray = |quantifier: &Term| {
        let scope = tree.opened[quantifier];
        let args = pool.args(*quantifier);
        args[..args.len() - 1].iter().any(|v| tree.scope[v] != scope)
    };
    let renamed: FxHashSet<Term> =
        order.iter().copied().filter(|t| tree.opened.contains_key(t) && stray(t)).collect();
    if renamed.is_empty() {
        return term;
    }
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for t in &order {
        let args: Vec<Term> = pool.args(*t).iter().map(|a| done[a]).collect();
        let result = if renamed.contains(t) {
            with_new_variables(pool, pool.op(*t), &args)
        } else if args[..] == *pool.args(*t) {
            *t
        } else {
            pool.make(pool.op(*t).clone(), &args)
        };
        done.insert(*t, result);
    }
    done[&term]
}

/// A quantifier over new variables instead of its own.
fn with_new_variables(pool: &Pool, op: &Op, args: &[Term]) -> Term {
    let (body, bound) = args.split_last().expect("a quantifier has a body");
    let new: Vec<Term> = bound
        .iter()
        .map(|v| pool.bound_var(pool.var_name(*v).unwrap_or("x"), pool.sort(*v)))
        .collect();
    let body = substitute(pool, *body, bound.iter().copied().zip(new.iter().copied()));
    pool.make(op.clone(), &[&new[..], &[body]].concat())
}
