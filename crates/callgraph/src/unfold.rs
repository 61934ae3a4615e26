//! Bounded unfolding: derivations of `false` of growing height, in one formula.
//!
//! A node stands for what is derived at one place of a derivation: a literal for each predicate says that
//! it is one of these arguments, and implies that some clause derives it, from what is derived at the
//! node's children, which all clauses share. For linear clauses that is a chain, which is bounded model
//! checking; else a tree. Whether a node may have children is assumed, depth by depth, so one solver
//! answers all questions.

use crate::rule::{reason, stopped};
use answer::{Allowance, Reason};
use horn::model::renaming;
use horn::{Clause, PredicateId, Refutation, Step, System, Verdict};
use lemmas::{Observer, Phase};
use rustc_hash::FxHashMap;
use smt::{Answer, Error, Solver, Solvers};
use term::{Pool, Sort, Term, Value};

/// How many copies of clauses there may be.
const MAX_COPIES: usize = 200_000;

/// Looks for a derivation of `false`, of heights up to any.
pub fn unfold(
    pool: &Pool,
    system: &System,
    solvers: &dyn Solvers,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Verdict {
    let mut solver = solvers.general();
    solver.set_allowance(allowance.clone());
    let (nodes, copies) = (Vec::new(), 0);
    let concluding = system.concluding();
    let mut unfolding = Unfolding { pool, system, solver, concluding, nodes, copies };
    match unfolding.run(allowance, observer) {
        Ok(refutation) => Verdict::Unsafe(refutation),
        Err(reason) => Verdict::Unknown(reason),
    }
}

/// A place of a derivation.
#[derive(Default)]
struct Node {
    /// For each predicate that may be derived here, how.
    here: FxHashMap<PredicateId, Derived>,
    /// The places of premises, shared by all clauses; none yet at the frontier.
    children: Vec<usize>,
}

/// A predicate at a node.
struct Derived {
    /// That it is derived here.
    holds: Term,
    /// Its arguments.
    arguments: Vec<Term>,
    /// That it is derived by a clause with premises.
    deeper: Term,
    /// The clauses that may derive it.
    copies: Vec<Copy>,
}

/// A clause at a node.
struct Copy {
    clause: usize,
    fires: Term,
    /// Each variable of the clause, and what stands for it here.
    variables: Vec<(Term, Term)>,
}

/// A clause, and the values of its variables.
type Fired = (usize, Vec<(Term, Value)>);

struct Unfolding<'a> {
    pool: &'a Pool,
    system: &'a System,
    solver: Box<dyn Solver>,
    concluding: Vec<Vec<usize>>,
    nodes: Vec<Node>,
    copies: usize,
}

impl Unfolding<'_> {
    /// The number under which `false` is derived.
    fn query(&self) -> PredicateId {
        self.system.predicates.len()
    }

    fn clauses(&self, predicate: PredicateId) -> Vec<usize> {
        let all = 0..self.system.clauses.len();
        match self.concluding.get(predicate) {
            Some(clauses) => clauses.clone(),
            None => all.filter(|number| self.system.clauses[*number].head.is_none()).collect(),
        }
    }

    fn run(
        &mut self,
        allowance: &Allowance,
        observer: &mut dyn Observer,
    ) -> Result<Refutation, Reason> {
        self.nodes.push(Node::default());
        let query = self.query();
        let goal = self.at(0, query).map_err(|error| reason(&error))?;
        let mut frontier = vec![(0, query)];
        for depth in 1.. {
            observer.frontier(depth, &[], 0);
            // SAT? false is derived, and nothing at the frontier has premises
            let mut assumptions = vec![goal];
            for (node, predicate) in &frontier {
                assumptions.push(self.pool.not(self.nodes[*node].here[predicate].deeper));
            }
            observer.query(Phase::Unroll);
            match self.solver.check(self.pool, &assumptions).map_err(|error| reason(&error))? {
                Answer::Sat => return self.derivation(),
                Answer::Unknown(why) => return Err(stopped(why)),
                Answer::Unsat => {
                    let core = self.solver.core();
                    if core.iter().all(|literal| *literal == goal) {
                        let what = "every derivation ends, and none derives false".to_owned();
                        return Err(Reason::GaveUp(what));
                    }
                }
            }
            let mut next = Vec::new();
            for (node, predicate) in frontier {
                if let Some(exhausted) = allowance.exhausted() {
                    return Err(Reason::Stopped(exhausted));
                }
                self.expand(node, predicate, &mut next).map_err(|error| reason(&error))?;
                if self.copies > MAX_COPIES {
                    return Err(Reason::GaveUp("the unfolding is too large".to_owned()));
                }
            }
            frontier = next;
        }
        unreachable!("there is no last depth")
    }

    /// The literal that says that a predicate is derived at a node, by facts or deeper.
    fn at(&mut self, node: usize, predicate: PredicateId) -> Result<Term, Error> {
        if let Some(derived) = self.nodes[node].here.get(&predicate) {
            return Ok(derived.holds);
        }
        let pool = self.pool;
        let [holds, deeper] = ["holds", "deeper"].map(|name| pool.fresh_var(name, Sort::Bool));
        let parameters = self.system.predicates.get(predicate).map(|p| p.parameters.as_slice());
        let arguments = parameters.unwrap_or_default().iter();
        let arguments = arguments.map(|v| pool.fresh_var("argument", pool.sort(*v))).collect();
        let mut derived = Derived { holds, arguments, deeper, copies: Vec::new() };
        for clause in self.clauses(predicate) {
            if self.system.clauses[clause].body.is_empty() {
                let (copy, meaning) = self.copy(clause, &derived.arguments);
                self.solver.assert(pool, pool.implies(copy.fires, meaning))?;
                derived.copies.push(copy);
            }
        }
        let ways = derived.copies.iter().map(|copy| copy.fires).chain([deeper]);
        let ways = pool.or(ways.collect::<Vec<_>>());
        self.solver.assert(pool, pool.implies(holds, ways))?;
        self.nodes[node].here.insert(predicate, derived);
        Ok(holds)
    }

    /// A copy of a clause, and what it means that it derives these arguments, but for its premises.
    fn copy(&mut self, number: usize, arguments: &[Term]) -> (Copy, Term) {
        let (pool, clause) = (self.pool, &self.system.clauses[number]);
        self.copies += 1;
        let mut fresh = renaming(pool, clause);
        let own = clause.variables(pool);
        let variables = own.iter().map(|v| (*v, fresh.apply(pool, *v))).collect();
        let mut parts = vec![fresh.apply(pool, clause.constraint)];
        if let Some(head) = &clause.head {
            let pairs = head.arguments.iter().zip(arguments);
            parts.extend(pairs.map(|(a, b)| pool.eq(fresh.apply(pool, *a), *b)));
        }
        let fires = pool.fresh_var("fires", Sort::Bool);
        (Copy { clause: number, fires, variables }, pool.and(parts))
    }

    /// Gives a predicate at a node the clauses with premises.
    fn expand(
        &mut self,
        node: usize,
        predicate: PredicateId,
        next: &mut Vec<(usize, PredicateId)>,
    ) -> Result<(), Error> {
        let pool = self.pool;
        let arguments = self.nodes[node].here[&predicate].arguments.clone();
        let mut ways = Vec::new();
        for number in self.clauses(predicate) {
            let clause: &Clause = &self.system.clauses[number];
            if clause.body.is_empty() {
                continue;
            }
            let (copy, meaning) = self.copy(number, &arguments);
            let mut parts = vec![meaning];
            let of: FxHashMap<Term, Term> = copy.variables.iter().copied().collect();
            let mut here = term::traverse::Substitution::new(of);
            for (at, body) in clause.body.iter().enumerate() {
                while self.nodes[node].children.len() <= at {
                    let child = self.nodes.len();
                    self.nodes.push(Node::default());
                    self.nodes[node].children.push(child);
                }
                let child = self.nodes[node].children[at];
                if !self.nodes[child].here.contains_key(&body.predicate) {
                    next.push((child, body.predicate));
                }
                parts.push(self.at(child, body.predicate)?);
                let theirs = &self.nodes[child].here[&body.predicate].arguments;
                let pairs = body.arguments.iter().zip(theirs);
                parts.extend(pairs.map(|(a, b)| pool.eq(here.apply(pool, *a), *b)));
            }
            self.solver.assert(pool, pool.implies(copy.fires, pool.and(parts)))?;
            ways.push(copy.fires);
            let derived = self.nodes[node].here.get_mut(&predicate);
            derived.expect("it is at the node").copies.push(copy);
        }
        let deeper = self.nodes[node].here[&predicate].deeper;
        self.solver.assert(pool, pool.implies(deeper, pool.or(ways)))
    }

    /// Reads the derivation off the model.
    fn derivation(&mut self) -> Result<Refutation, Reason> {
        let mut steps: Vec<Step> = Vec::new();
        // Nodes before their premises; the numbers of steps follow when all are there.
        let mut order: Vec<(usize, PredicateId)> = Vec::new();
        let mut pending = vec![(0, self.query())];
        let mut chosen: FxHashMap<(usize, PredicateId), Fired> = FxHashMap::default();
        while let Some((node, predicate)) = pending.pop() {
            let (clause, values) = self.fired(node, predicate)?;
            for (at, body) in self.system.clauses[clause].body.iter().enumerate() {
                pending.push((self.nodes[node].children[at], body.predicate));
            }
            chosen.insert((node, predicate), (clause, values));
            order.push((node, predicate));
        }
        let mut numbers: FxHashMap<(usize, PredicateId), usize> = FxHashMap::default();
        for place @ (node, _) in order.into_iter().rev() {
            let (clause, values) = chosen[&place].clone();
            let body = self.system.clauses[clause].body.iter().enumerate();
            let premise = |(at, body): (usize, &horn::Application)| {
                numbers[&(self.nodes[node].children[at], body.predicate)]
            };
            let premises = body.map(premise).collect();
            steps.push(Step { clause, values, premises });
            numbers.insert(place, steps.len() - 1);
        }
        Ok(Refutation { steps })
    }

    /// A clause that derives a predicate at a node in the model, with the values of its variables.
    fn fired(&mut self, node: usize, predicate: PredicateId) -> Result<Fired, Reason> {
        let copies = &self.nodes[node].here[&predicate].copies;
        for copy in copies {
            let fires = self.solver.value(self.pool, copy.fires);
            if fires.map_err(|error| reason(&error))? != Value::Bool(true) {
                continue;
            }
            let mut values = Vec::new();
            for (variable, here) in &copy.variables {
                let value = self.solver.value(self.pool, *here).map_err(|error| reason(&error))?;
                values.push((*variable, value));
            }
            return Ok((copy.clause, values));
        }
        Err(Reason::GaveUp("the model of an unfolding derives nothing".to_owned()))
    }
}
