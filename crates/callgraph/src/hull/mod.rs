//! What holds of everything derivable, found from below by abstract interpretation: linear equations
//! and congruences first, then bounds of linear forms.
//!
//! The best description of what a clause derives is built from values: as long as a solver finds
//! something derived that the description does not cover, it is joined to it (symbolic abstraction;
//! T. Reps, M. Sagiv, G. Yorsh: *Symbolic Implementation of the Best Transformer*, 2004). So nothing has
//! to be known of the operators in clauses. What comes out is inductive: it is a model if it excludes
//! the queries, else what IC3 may assume of its premises.
//!
//! * [`span`]: affine spaces, with the equations that they are.
//! * [`shape`]: equations and congruences between the arguments of a predicate.
//! * [`bounds`]: bounds of linear forms, with thresholds from the clauses to widen to.
//! * [`forms`]: which linear forms: arguments, their sums and differences, comparisons of the clauses,
//!   what loops keep.

mod bounds;
mod forms;
mod shape;
mod span;

use crate::rule::{reason, stopped};
use aeval::linear::number;
use answer::{Allowance, Reason};
use forms::Forms;
use horn::model::instance;
use horn::{Application, Interpretation, Model, PredicateId, System};
use num_rational::BigRational;
use shape::Shape;
use smt::{Answer, Solver, Solvers};
use std::collections::VecDeque;
use std::time::Duration;
use term::{Pool, Sort, Term};

/// The share of the time that may be spent, and the most.
const SHARE: f64 = 0.15;
const MOST: Duration = Duration::from_secs(4);

/// Formulas over the parameters of each predicate that hold of everything that is derived of it, and
/// are inductive together.
pub struct Hull {
    /// By predicates.
    pub of: Vec<Vec<Term>>,
    /// Whether they exclude the queries.
    pub proves: bool,
}

/// What is said of one predicate.
trait Element: Sized {
    /// What describes exactly these numbers.
    fn first(&self, values: &[BigRational]) -> Self;

    /// Makes it cover these numbers as well.
    fn join(&mut self, values: &[BigRational]);

    /// It as formulas over the parameters.
    fn claims(&self, pool: &Pool) -> Vec<Term>;
}

/// Whether a sort is one of numbers.
fn is_number(sort: Sort) -> bool {
    matches!(sort, Sort::Int | Sort::Real)
}

/// The parameters of a predicate that are numbers.
fn numbers(pool: &Pool, system: &System, predicate: PredicateId) -> Vec<Term> {
    let parameters = system.predicates[predicate].parameters.iter().copied();
    parameters.filter(|parameter| is_number(pool.sort(*parameter))).collect()
}

/// What holds of everything derivable; none if there are no numbers, or nothing was found in time.
pub fn hull(
    pool: &Pool,
    system: &System,
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Option<Hull> {
    let numeric: Vec<Vec<Term>> =
        (0..system.predicates.len()).map(|p| numbers(pool, system, p)).collect();
    if numeric.iter().all(Vec::is_empty) {
        return None;
    }
    let allowance = allowance.within(allowance.share(SHARE, MOST));
    let mut solver = solvers.general();
    solver.set_allowance(allowance.clone());
    let known = vec![Vec::new(); numeric.len()];
    let mut search = Search { pool, system, numeric, solver, known, allowance };
    let shapes = search.numeric.iter().map(|parameters| Shape::of(pool, parameters)).collect();
    search.stage(shapes).ok()?;
    for pairs in [false, true] {
        let Ok(forms) = Forms::of(&mut search, pairs) else { break };
        let Some(bounds) = forms.bounds() else { continue };
        if search.stage(bounds).is_err() || search.proves().unwrap_or(false) {
            break;
        }
    }
    let proves = search.proves().unwrap_or(false);
    Some(Hull { of: search.known, proves })
}

impl Hull {
    /// The clauses, which may assume what is known of their premises.
    pub fn strengthened(&self, pool: &Pool, system: &System) -> System {
        let mut stronger = system.clone();
        for clause in &mut stronger.clauses {
            let known = clause.body.iter().flat_map(|body| self.at(pool, system, body));
            let known: Vec<Term> = known.collect();
            clause.constraint = pool.and(known.into_iter().chain([clause.constraint]));
        }
        stronger
    }

    /// What is known of an application.
    fn at<'a>(
        &'a self,
        pool: &'a Pool,
        system: &'a System,
        application: &'a Application,
    ) -> impl Iterator<Item = Term> + 'a {
        let predicate = &system.predicates[application.predicate];
        let formulas = self.of[application.predicate].iter();
        formulas.map(|formula| instance(pool, predicate, application, *formula))
    }

    /// The model of the clauses that a model of the stronger ones is.
    pub fn weakened(&self, pool: &Pool, mut model: Model) -> Model {
        for (relation, known) in model.relations.iter_mut().zip(&self.of) {
            if let Interpretation::Formula(formula) = relation {
                *formula = pool.and(known.iter().copied().chain([*formula]));
            }
        }
        model
    }
}

struct Search<'a> {
    pool: &'a Pool,
    system: &'a System,
    /// The parameters of each predicate that are numbers.
    numeric: Vec<Vec<Term>>,
    solver: Box<dyn Solver>,
    /// What holds of everything derivable, by predicates.
    known: Vec<Vec<Term>>,
    allowance: Allowance,
}

impl Search<'_> {
    /// Formulas over parameters at an application.
    fn instances(&self, application: &Application, formulas: &[Term]) -> Vec<Term> {
        let predicate = &self.system.predicates[application.predicate];
        formulas.iter().map(|f| instance(self.pool, predicate, application, *f)).collect()
    }

    /// What a clause assumes, with what is known and `also` of its premises.
    fn premise(&self, clause: usize, also: impl Fn(PredicateId) -> Vec<Term>) -> Term {
        let clause = &self.system.clauses[clause];
        let mut parts = vec![clause.constraint];
        for body in &clause.body {
            parts.extend(self.instances(body, &self.known[body.predicate]));
            parts.extend(self.instances(body, &also(body.predicate)));
        }
        self.pool.and(parts)
    }

    /// Whether what is known excludes the queries.
    fn proves(&mut self) -> Result<bool, Reason> {
        for number in 0..self.system.clauses.len() {
            if self.system.clauses[number].head.is_some() {
                continue;
            }
            let premise = self.premise(number, |_| Vec::new());
            // SAT? φ ∧ ⋀ known(pᵢ)
            if self.ask(premise, &[], &[])?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Values of some numbers where a formula and one of a clause's literals holds; none if there are
    /// none.
    fn ask(
        &mut self,
        formula: Term,
        clause: &[Term],
        numbers: &[Term],
    ) -> Result<Option<Vec<BigRational>>, Reason> {
        self.solver.push();
        let values = self.asked(formula, clause, numbers);
        self.solver.pop(1);
        values
    }

    fn asked(
        &mut self,
        formula: Term,
        clause: &[Term],
        numbers: &[Term],
    ) -> Result<Option<Vec<BigRational>>, Reason> {
        let given = self.solver.assert(self.pool, formula);
        given.map_err(|error| reason(&error))?;
        self.witness(clause, numbers)
    }

    /// The same of what is asserted.
    fn witness(
        &mut self,
        clause: &[Term],
        numbers: &[Term],
    ) -> Result<Option<Vec<BigRational>>, Reason> {
        if let Some(exhausted) = self.allowance.exhausted() {
            return Err(Reason::Stopped(exhausted));
        }
        let answer = self.solver.check_with(self.pool, &[], clause);
        match answer.map_err(|error| reason(&error))? {
            Answer::Unknown(why) => Err(stopped(why)),
            Answer::Unsat => Ok(None),
            Answer::Sat => {
                let mut values = Vec::with_capacity(numbers.len());
                for term in numbers {
                    let value = self.solver.value(self.pool, *term);
                    let value = value.map_err(|error| reason(&error))?;
                    values.push(number(&value).ok_or_else(|| {
                        Reason::GaveUp("a number has a value that is none".to_owned())
                    })?);
                }
                Ok(Some(values))
            }
        }
    }

    /// Joins what clauses derive until nothing is left out; what holds then is known. Each predicate
    /// begins with nothing, in the place of which stands an element that says how to begin.
    fn stage<E: Element>(&mut self, begin: Vec<E>) -> Result<(), Reason> {
        let mut elements: Vec<Option<E>> = begin.iter().map(|_| None).collect();
        let assuming = self.system.assuming();
        let mut pending: VecDeque<usize> = (0..self.system.clauses.len()).collect();
        let mut waits = vec![true; pending.len()];
        while let Some(number) = pending.pop_front() {
            waits[number] = false;
            let clause = &self.system.clauses[number];
            let Some(head) = clause.head.clone() else { continue };
            if clause.body.iter().any(|body| elements[body.predicate].is_none()) {
                continue;
            }
            let mut changed = false;
            // What a clause derives from what it has derived itself is looked at anew.
            while self.derive(number, &head, &begin, &mut elements)? {
                changed = true;
                if !clause.assumes(head.predicate) {
                    break;
                }
            }
            if changed {
                for &other in &assuming[head.predicate] {
                    if !std::mem::replace(&mut waits[other], true) {
                        pending.push_back(other);
                    }
                }
            }
        }
        for (known, element) in self.known.iter_mut().zip(&elements) {
            match element {
                Some(element) => known.extend(element.claims(self.pool)),
                // Nothing of it can be derived.
                None => *known = vec![self.pool.fls()],
            }
        }
        Ok(())
    }

    /// Joins all that a clause derives; whether there was something new.
    fn derive<E: Element>(
        &mut self,
        number: usize,
        head: &Application,
        begin: &[E],
        elements: &mut [Option<E>],
    ) -> Result<bool, Reason> {
        let pool = self.pool;
        let also = |p: PredicateId| elements[p].as_ref().map_or(Vec::new(), |e| e.claims(pool));
        let premise = self.premise(number, also);
        let at = |formula: &Term| {
            instance(pool, &self.system.predicates[head.predicate], head, *formula)
        };
        let derived: Vec<Term> = self.numeric[head.predicate].iter().map(at).collect();
        self.solver.push();
        let joined = (|| {
            let given = self.solver.assert(pool, premise);
            given.map_err(|error| reason(&error))?;
            let mut changed = false;
            loop {
                let element = &mut elements[head.predicate];
                let violated: Vec<Term> = match element {
                    None => Vec::new(),
                    Some(element) => {
                        let claims = element.claims(pool);
                        let claims = self.instances(head, &claims);
                        let open = claims.into_iter().map(|claim| pool.not(claim));
                        let open: Vec<Term> =
                            open.filter(|c| pool.as_bool(*c) != Some(false)).collect();
                        if open.is_empty() {
                            return Ok(changed);
                        }
                        open
                    }
                };
                // SAT? φ ∧ ⋀ element(pᵢ) ∧ ¬element(p)
                let Some(values) = self.witness(&violated, &derived)? else { return Ok(changed) };
                changed = true;
                match element {
                    Some(element) => element.join(&values),
                    None => *element = Some(begin[head.predicate].first(&values)),
                }
            }
        })();
        self.solver.pop(1);
        joined
    }
}
