//! Parts in a row, or in a tree, that share the truth of chosen predicates, and nothing else.
//!
//! A [`Chain`] is a sequence of formulas φ₀, …, φₙ₋₁ with a *cut* between each part and the next; of
//! parts in a tree ([`Chain::tree`]) it is between each part and its parent, which then is the next.
//! Each part is bit-blasted by itself, as if it had its own copy of all variables; at a cut,
//! predicates are shared: for each there is a variable q of the SAT solver with q ⇔ p in the part
//! before and q ⇔ p in the part after. So the chain says of the conjunction what these predicates
//! can say across the cuts: if it is unsatisfiable, there are interpolants that are Boolean
//! combinations of the predicates, and they are read off the refutation. If the bits of all
//! common variables are shared, that is the conjunction itself.
//!
//! Since nothing else is shared, the theories of arrays and functions are each part's own
//! business: what they add on demand is of the part it is about. An array or a function that
//! several parts mention is another one in each; that loses refutations, and never makes a wrong
//! one.
//!
//! Predicates come in *groups*. The part after a cut knows q ⇔ p only as long as the group is
//! assumed, so the assumptions that a refutation does without tell which predicates it does
//! without, and `Chain::refute` drops further groups as long as little effort shows that the
//! rest is enough. Groups that are named later are dropped first.

use super::{Failure, Options};
use crate::bitblast::BitBlast;
use crate::solver::Solver as _;
use answer::Allowance;
use sat::interpolant::{Formula, Node, Tree, TreeError, separate_interpolants, tree_interpolants};
use sat::proof::{InPart, Partition, ProvingSolver, Refutation, Shared};
use sat::{Answer, Lit, Var};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use term::{Pool, Term};

/// How many conflicts the question may take whether a group can be dropped.
const DROPPING_CONFLICTS: u64 = 500;
/// How many groups are tried.
const MAX_DROPS: usize = 64;

/// See the module's head.
pub struct Chain<'p> {
    pool: &'p Pool,
    solver: Shared,
    parts: Vec<BitBlast<InPart>>,
    /// For each part, the next one.
    tree: Tree,
    links: Vec<Link>,
    options: Options,
    allowance: Allowance,
}

/// A predicate that is shared at a cut.
struct Link {
    group: usize,
    cut: usize,
    /// Whether it holds.
    holds: Var,
    /// Makes it known after the cut.
    active: Lit,
    /// What stands for it in interpolants.
    meaning: Term,
}

impl<'p> Chain<'p> {
    /// So many parts that say nothing.
    ///
    /// # Panics
    /// If there is no part.
    pub fn new(pool: &'p Pool, parts: usize, options: &Options, allowance: &Allowance) -> Self {
        let path = Tree::path(parts).expect("a chain has parts");
        Chain::tree(pool, path, options, allowance)
    }

    /// Parts in a tree, that say nothing.
    pub fn tree(pool: &'p Pool, tree: Tree, options: &Options, allowance: &Allowance) -> Self {
        let mut solver = ProvingSolver::default();
        solver.set_allowance(allowance.clone());
        let solver = Rc::new(RefCell::new(solver));
        let part = |number: usize| {
            let part = Partition(u32::try_from(number).expect("fewer than 2³² parts"));
            BitBlast::with_limit(InPart::new(solver.clone(), part), options.gates)
        };
        let parts = (0..tree.len()).map(part).collect();
        let allowance = allowance.clone();
        Chain { pool, solver, parts, tree, links: Vec::new(), options: *options, allowance }
    }

    /// Adds a formula to a part.
    pub fn assert(&mut self, part: usize, formula: Term) -> Result<(), Failure> {
        Ok(self.parts[part].assert(self.pool, formula)?)
    }

    /// The part after a cut.
    fn next(&self, cut: usize) -> usize {
        self.tree.parent(cut).expect("there is no cut after the root")
    }

    /// Shares a predicate at the cut after part `cut`. `before` is the predicate in terms of that
    /// part, `after` in those of the next, and `meaning` stands for it in the interpolant.
    pub fn share(
        &mut self,
        group: usize,
        cut: usize,
        [before, after]: [Term; 2],
        meaning: Term,
    ) -> Result<(), Failure> {
        let before = self.parts[cut].lit(self.pool, before)?;
        let next = self.next(cut);
        let after = self.parts[next].lit(self.pool, after)?;
        self.link(group, cut, before, after, meaning);
        Ok(())
    }

    /// Shares the bits of a term that has some, lowest first; `meaning` tells what stands for a
    /// bit.
    pub fn share_bits(
        &mut self,
        group: usize,
        cut: usize,
        [before, after]: [Term; 2],
        meaning: impl Fn(u32) -> Term,
    ) -> Result<(), Failure> {
        let before = self.parts[cut].lits(self.pool, before)?;
        let next = self.next(cut);
        let after = self.parts[next].lits(self.pool, after)?;
        for (i, (before, after)) in before.into_iter().zip(after).enumerate() {
            self.link(group, cut, before, after, meaning(i as u32));
        }
        Ok(())
    }

    fn link(&mut self, group: usize, cut: usize, before: Lit, after: Lit, meaning: Term) {
        let (holds, active) = {
            let mut solver = self.solver.borrow_mut();
            (solver.new_var(), solver.new_var().pos())
        };
        let q = holds.pos();
        self.parts[cut].add_clause(&[!q, before]);
        self.parts[cut].add_clause(&[q, !before]);
        let next = self.next(cut);
        self.parts[next].add_clause(&[!active, !q, after]);
        self.parts[next].add_clause(&[!active, q, !after]);
        self.links.push(Link { group, cut, holds, active, meaning });
    }

    /// Interpolants for all cuts: Iᵢ is a Boolean combination of what is shared at cut i, and
    /// φ₀ ⇒ I₀, Iᵢ₋₁ ∧ φᵢ ⇒ Iᵢ, Iₙ₋₂ ∧ φₙ₋₁ ⇒ ⊥; of a tree, ⋀ Iⱼ ∧ φᵢ ⇒ Iᵢ for each part i and those
    /// of which it is the next. Where the system does not promise that, as a part is next to several, each
    /// is an interpolant by itself.
    pub fn interpolants(&mut self) -> Result<Vec<Term>, Failure> {
        let refutation = self.refute()?;
        let part = |partition: Partition| Some(partition.0 as usize);
        let system = self.options.system;
        let found = match tree_interpolants(&refutation, &self.tree, system, part) {
            Err(TreeError::NoTreeProperty(_)) => {
                separate_interpolants(&refutation, &self.tree, system, part)
            }
            found => found,
        };
        let found = found.expect("every clause is of a part");
        let inner = |(part, root): (usize, &Formula)| self.tree.parent(part).map(|_| *root);
        let roots: Vec<Formula> = found.nodes.iter().enumerate().filter_map(inner).collect();
        for root in &roots {
            let size = found.formulas.size(*root);
            if size > self.options.size {
                return Err(Failure::TooLarge { size });
            }
        }
        let pool = self.pool;
        let mut meanings = vec![None; self.solver.borrow().var_count()];
        for link in &self.links {
            meanings[link.holds.index()] = Some(link.meaning);
        }
        let value = |node: Node<Term>| match node {
            Node::Constant(value) => pool.bool(value),
            Node::Literal(lit) => {
                let meaning = meanings[lit.var().index()].expect("parts share only predicates");
                if lit.is_pos() { meaning } else { pool.not(meaning) }
            }
            Node::And(a, b) => pool.and([a, b]),
            Node::Or(a, b) => pool.or([a, b]),
        };
        Ok(found.formulas.fold(&roots, value))
    }

    /// A refutation of the chain by few groups.
    fn refute(&mut self) -> Result<Refutation, Failure> {
        let mut kept: BTreeSet<usize> = self.links.iter().map(|link| link.group).collect();
        match self.ask(&kept)? {
            Answer::Unsat => kept = self.used(&kept),
            Answer::Sat => return Err(Failure::Inseparable),
            Answer::Unknown(exhausted) => return Err(Failure::Stopped(exhausted.into())),
        }
        // Whether the last answer is a refutation; it may have been allowed more than it used.
        let mut current = true;
        let last_first: Vec<usize> = kept.iter().copied().rev().take(MAX_DROPS).collect();
        for group in last_first {
            // A group may have gone with another.
            if !kept.contains(&group) || kept.len() == 1 {
                continue;
            }
            let mut fewer = kept.clone();
            fewer.remove(&group);
            self.solver.borrow_mut().set_work(Some(DROPPING_CONFLICTS));
            current = self.ask(&fewer)? == Answer::Unsat;
            if current {
                kept = self.used(&fewer);
            }
        }
        self.solver.borrow_mut().set_work(self.allowance.work);
        if !current {
            match self.ask(&kept)? {
                Answer::Unsat => {}
                Answer::Sat => return Err(Failure::Inseparable),
                Answer::Unknown(exhausted) => return Err(Failure::Stopped(exhausted.into())),
            }
        }
        Ok(self.solver.borrow().proof()?.check()?)
    }

    /// The groups that the last answer rests on.
    fn used(&self, asked: &BTreeSet<usize>) -> BTreeSet<usize> {
        let solver = self.solver.borrow();
        let links = self.links.iter().filter(|link| asked.contains(&link.group));
        links.filter(|link| solver.failed(link.active)).map(|link| link.group).collect()
    }

    fn ask(&mut self, groups: &BTreeSet<usize>) -> Result<Answer, Failure> {
        let after = |link: &Link| Partition(self.next(link.cut) as u32);
        let links = self.links.iter().filter(|link| groups.contains(&link.group));
        let assumptions: Vec<(Lit, Partition)> =
            links.map(|link| (link.active, after(link))).collect();
        loop {
            // SAT? ⋀ φᵢ, linked by the predicates of the groups
            let answer = self.solver.borrow_mut().solve(&assumptions);
            if answer != Answer::Sat {
                return Ok(answer);
            }
            // All parts look at the model before the first lemma undoes it.
            let lemmas: Vec<Vec<Term>> =
                self.parts.iter_mut().map(|part| part.violations(self.pool)).collect();
            if lemmas.iter().all(Vec::is_empty) {
                return Ok(answer);
            }
            for (part, lemmas) in self.parts.iter_mut().zip(lemmas) {
                part.add_lemmas(self.pool, lemmas)?;
            }
            if let Some(exhausted) = self.allowance.exhausted() {
                return Err(Failure::Stopped(exhausted.into()));
            }
        }
    }
}
