//! The search: CDCL over bounds.
//!
//! * [`trail`]: intervals of variables, changed bound by bound, and how they came about.
//! * [`clauses`]: clauses of bounds, watched, learned and deleted.
//! * [`propagate`]: unit clauses and contractors, until nothing moves or something is impossible.
//! * [`explain`]: which bounds a contractor's deduction rests on, as weak as they may be.
//! * [`analyze`]: what is learned of a conflict (1UIP), and which assumptions are to blame.
//! * [`decide`]: which variable is decided or split, and where.
//! * [`search`]: the loop.

mod analyze;
mod clauses;
mod decide;
mod explain;
mod heap;
mod propagate;
pub(crate) mod search;
mod trail;

use crate::bound::Side;
use crate::lit::{Lit, Var};
use clauses::Clauses;
use decide::Decider;
use intervals::contract::Contractor;
use intervals::keys::{Domain, Interval, Key};
use propagate::Agenda;
use smallvec::SmallVec;
use trail::Trail;

/// A primitive constraint: an operator on variables.
#[derive(Debug)]
pub(crate) struct Constraint {
    contractor: Contractor,
    /// The result, then the arguments.
    vars: SmallVec<[Var; 5]>,
}

/// What has been done.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counters {
    /// Conflicts, each with a learned clause.
    pub conflicts: u64,
    /// Decisions, splits included.
    pub decisions: u64,
    /// Splits of intervals.
    pub splits: u64,
    /// Runs of contractors by propagation.
    pub contractions: u64,
    /// Bounds deduced.
    pub bounds: u64,
    /// Restarts.
    pub restarts: u64,
}

/// Variables, clauses, constraints and the state of the search.
pub(crate) struct Engine {
    domains: Vec<Domain>,
    trail: Trail,
    clauses: Clauses,
    constraints: Vec<Constraint>,
    /// The constraints of each variable.
    uses: Vec<Vec<u32>>,
    agenda: Agenda,
    decider: Decider,
    scratch: analyze::Scratch,
    /// Whether the formulas of the ground level may have a model.
    consistent: bool,
    /// How often learned clauses were deleted.
    reductions: u32,
    /// Questions and restarts since clauses were swept.
    untidy: u32,
    pub counters: Counters,
}

impl Engine {
    pub fn new() -> Engine {
        let mut engine = Engine {
            domains: Vec::new(),
            trail: Trail::default(),
            clauses: Clauses::default(),
            constraints: Vec::new(),
            uses: Vec::new(),
            agenda: Agenda::default(),
            decider: Decider::default(),
            scratch: analyze::Scratch::default(),
            consistent: true,
            reductions: 0,
            untidy: 0,
            counters: Counters::default(),
        };
        let truth = engine.new_var(Domain::Truth);
        engine.add_clause(&[Lit::at_least(truth, 1)]);
        engine
    }

    /// The literal that is always true.
    pub fn truth(&self) -> Lit {
        Lit::at_least(Var(0), 1)
    }

    /// A variable of which nothing is known. It is decided only if
    /// [`Engine::let_decide`] says so.
    pub fn new_var(&mut self, domain: Domain) -> Var {
        let var = Var(self.domains.len() as u32);
        self.domains.push(domain);
        self.trail.new_var(Interval::full(domain));
        self.clauses.new_var();
        self.uses.push(Vec::new());
        self.agenda.new_var();
        self.decider.new_var(domain);
        self.scratch.new_var();
        var
    }

    /// Makes the search find a value of a variable.
    pub fn let_decide(&mut self, var: Var) {
        self.decider.allow(var);
    }

    pub fn domain(&self, var: Var) -> Domain {
        self.domains[var.index()]
    }

    /// What a variable can be now.
    pub fn interval(&self, var: Var) -> Interval {
        self.trail.interval(var)
    }

    /// The literal that a bound is: true and false if it holds always or never.
    pub fn bound(&self, var: Var, side: Side, key: Key) -> Lit {
        let trivial = match side {
            Side::AtLeast => key == 0,
            Side::AtMost => key >= self.domain(var).last(),
        };
        if trivial { self.truth() } else { Lit { key, var, side } }
    }

    /// Adds a clause for good. Requires: the search is at the ground level.
    pub fn add_clause(&mut self, lits: &[Lit]) {
        debug_assert_eq!(self.trail.level(), 0, "clauses are added at the ground level");
        let mut kept: Vec<Lit> = Vec::with_capacity(lits.len());
        for lit in lits {
            match self.trail.value(*lit) {
                Some(true) => return,
                Some(false) => {}
                None if kept.contains(&!*lit) => return,
                None => match kept.iter_mut().find(|other| other.place() == lit.place()) {
                    // Of two bounds the weaker is what the clause says.
                    Some(other) if other.follows_from(lit.key) => {}
                    Some(other) => *other = *lit,
                    None => kept.push(*lit),
                },
            }
        }
        match kept[..] {
            [] => self.consistent = false,
            [unit] => self.trail.assign(unit, trail::Reason::Ground),
            _ => {
                self.clauses.add(kept, false);
            }
        }
    }

    /// Adds a constraint for good.
    pub fn add_constraint(&mut self, contractor: Contractor, vars: &[Var]) {
        let number = self.constraints.len() as u32;
        let mut distinct: SmallVec<[Var; 5]> = SmallVec::from_slice(vars);
        distinct.sort_unstable();
        distinct.dedup();
        for var in distinct {
            self.uses[var.index()].push(number);
        }
        let contractor = match vars {
            [_, .., a, b] if a == b && vars.len() >= 3 => {
                contractor.with_same(vars.len() - 3, vars.len() - 2)
            }
            _ => contractor,
        };
        self.agenda.new_constraint(number, contractor.is_cheap());
        self.constraints.push(Constraint { contractor, vars: SmallVec::from_slice(vars) });
    }
}

impl Constraint {
    /// Narrows intervals of the variables, one for each place; those of one variable in several
    /// places become the same.
    fn contract(&self, intervals: &mut [Interval]) -> Result<(), intervals::contract::Empty> {
        self.contractor.contract(intervals)?;
        for i in 1..intervals.len() {
            for j in 0..i {
                if self.vars[i] == self.vars[j] {
                    let both = intervals[i].meet(intervals[j]);
                    if both.is_empty() {
                        return Err(intervals::contract::Empty);
                    }
                    intervals[i] = both;
                    intervals[j] = both;
                }
            }
        }
        Ok(())
    }
}
