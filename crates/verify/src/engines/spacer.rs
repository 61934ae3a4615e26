//! Z3's Spacer, of Horn clauses. What it says is read back and checked on the clauses that it was given
//! before it is a claim: of what Z3 keeps to itself no claim can be made.

use super::{ClausesCall, Engine, Row, Takes};
use answer::{Reason, Unit};
use callgraph::derive::from_tuples;
use certify::check_model;
use horn::{Interpretation, Model, Verdict};
use smt::z3::Fixedpoint;
use smt::{Answer, Error};
use term::traverse::free_vars;
use term::{Pool, Sort, Term};

/// See the module's head.
pub struct Spacer;

impl Engine for Spacer {
    fn row(&self) -> &Row {
        &Row {
            name: "spacer",
            about: "Z3's engine for Horn clauses; what it finds is checked like everything",
            programs: false,
            circuits: false,
            proves: true,
            refutes: true,
            unit: Unit::Frames,
            grows: false,
            takes_lemmas: false,
            joins: false,
            takes: Takes::Procedures,
            looks: 20,
        }
    }

    fn takes_clauses(&self) -> bool {
        true
    }

    fn joins_clauses(&self) -> bool {
        true
    }

    fn clauses(&self, call: &ClausesCall<'_>) -> Verdict {
        match ask(call) {
            Ok(verdict) => verdict,
            Err(error) => Verdict::Unknown(Reason::GaveUp(error.to_string())),
        }
    }
}

fn ask(call: &ClausesCall<'_>) -> Result<Verdict, Error> {
    let ClausesCall { pool, system, allowance, .. } = call;
    let mut fixedpoint = Fixedpoint::new(allowance);
    let applied = predicates(pool, system);
    let query = pool.var("query!", Sort::Bool);
    for relation in applied.iter().chain([&query]) {
        fixedpoint.relation(pool, *relation)?;
    }
    let term = |application: &horn::Application| {
        let arguments = application.arguments.iter().copied();
        match pool.args(applied[application.predicate]) {
            [] => applied[application.predicate],
            _ => pool.make(
                pool.op(applied[application.predicate]).clone(),
                &arguments.collect::<Vec<Term>>(),
            ),
        }
    };
    for clause in &system.clauses {
        let premises = clause.body.iter().map(term).chain([clause.constraint]);
        let premise = pool.and(premises.collect::<Vec<Term>>());
        let conclusion = clause.head.as_ref().map_or(query, term);
        fixedpoint.rule(pool, &clause.variables(pool), premise, conclusion)?;
    }
    match fixedpoint.query(pool, query)? {
        Answer::Unknown(smt::Reason::Stopped(what)) => Ok(Verdict::Unknown(Reason::Stopped(what))),
        Answer::Unknown(reason) => Ok(Verdict::Unknown(Reason::GaveUp(reason.to_string()))),
        Answer::Unsat => {
            let mut relations = Vec::new();
            for relation in &applied {
                relations.push(Interpretation::Formula(fixedpoint.invariant(pool, *relation)?));
            }
            let model = Model { relations };
            Ok(match check_model(pool, system, &model, allowance) {
                Ok(()) => Verdict::Safe(model),
                Err(error) => said(&format!("its model is not told in full: {error}")),
            })
        }
        Answer::Sat => {
            let facts = fixedpoint.facts(pool, &applied)?;
            let number = |relation: &Term| applied.iter().position(|known| known == relation);
            let tuples = facts.iter().filter_map(|(p, tuple)| Some((number(p)?, tuple.clone())));
            let tuples: Vec<_> = tuples.collect();
            let solvers = call.settings.solvers;
            Ok(match from_tuples(pool, system, &tuples, solvers, allowance) {
                Ok(Some(refutation)) => Verdict::Unsafe(refutation),
                Ok(None) => said("it says unsat, and its facts are no derivation"),
                Err(reason) => Verdict::Unknown(reason),
            })
        }
    }
}

fn said(what: &str) -> Verdict {
    Verdict::Unknown(Reason::GaveUp(what.to_owned()))
}

/// Each predicate applied to its parameters.
fn predicates(pool: &Pool, system: &horn::System) -> Vec<Term> {
    let applied = |(number, predicate): (usize, &horn::Predicate)| {
        let sorts: Vec<Sort> = predicate.parameters.iter().map(|v| pool.sort(*v)).collect();
        // Predicates of one name and different sorts are different ones, for Z3 as well.
        let name = format!("{}!{number}", predicate.name);
        pool.apply(pool.function(&name, &sorts, Sort::Bool), &predicate.parameters)
    };
    let all: Vec<Term> = system.predicates.iter().enumerate().map(applied).collect();
    debug_assert!(
        all.iter().all(|term| free_vars(pool, &[*term]).len() == pool.args(*term).len().max(1))
    );
    all
}
