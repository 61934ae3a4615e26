//! What a simulation rests on, as formulas without quantifiers: each obligation with its Skolem
//! functions in place of what exists, so that any solver can check them.

use crate::graph::{Edge, Graph};
use crate::simabs::Simulation;
use aeval::Broken;
use answer::Allowance;
use smt::{Answer, Solver, Z3};
use term::traverse::substitute;
use term::{Pool, Term, print};

/// One formula that has to be unsatisfiable for each obligation.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// Where the obligation comes from, and S ∧ ¬T[y := f(x)].
    pub refuted: Vec<(String, Term)>,
}

impl Certificate {
    /// The certificate of a simulation of `source`.
    pub fn of(pool: &Pool, source: &Graph, simulation: &Simulation) -> Certificate {
        let formula = |(obligation, skolem): &(crate::relation::Obligation, aeval::Skolem)| {
            let question = &obligation.question;
            let chosen = substitute(pool, question.conclusion, skolem.functions(pool));
            let wrong = pool.and([question.premise, pool.not(chosen)]);
            let place = match obligation.edge {
                None => "entry".to_owned(),
                Some(edge) => {
                    let edge = &source.edges[edge];
                    format!("{} to {}", source.describe(edge.from), source.describe(edge.to))
                }
            };
            (place, wrong)
        };
        Certificate { refuted: simulation.proved.iter().map(formula).collect() }
    }

    /// What an inductive invariant of a graph rests on, by its points: a formula for each edge.
    pub fn inductive(pool: &Pool, graph: &Graph, invariant: &[Vec<Term>]) -> Certificate {
        let wrong = |edge: &Edge| {
            let post = pool.and(invariant[edge.to].iter().copied());
            let after = substitute(pool, post, edge.values.iter().map(|(v, t)| (*v, *t)));
            let pre = invariant[edge.from].iter().copied();
            let formula = pool.and(pre.chain([edge.guard, pool.not(after)]));
            (format!("{} to {}", graph.describe(edge.from), graph.describe(edge.to)), formula)
        };
        Certificate { refuted: graph.edges.iter().map(wrong).collect() }
    }

    /// Checks all formulas with Z3, which found none of them; what was not decided is an error in
    /// words.
    pub fn check(&self, pool: &Pool, allowance: &Allowance) -> Result<Option<String>, Broken> {
        for (place, formula) in &self.refuted {
            let mut second = Z3::new();
            second.set_allowance(allowance.clone());
            second.assert(pool, *formula)?;
            match second.check(pool, &[])? {
                Answer::Unsat => {}
                Answer::Sat => return Err(Broken::Refuted(format!("the simulation, {place}"))),
                Answer::Unknown(reason) => return Ok(Some(format!("{place}: {reason}"))),
            }
        }
        Ok(None)
    }

    /// An SMT-LIB script in which every answer has to be `unsat`.
    pub fn script(&self, pool: &Pool) -> String {
        let mut text = String::from(
            "; Each formula says that a step breaks what is claimed; all have to be unsat.\n",
        );
        for (place, formula) in &self.refuted {
            text.push_str("(reset)\n");
            text.push_str(&format!("; {place}\n"));
            text.push_str(&print::script(pool, None, &[*formula]));
        }
        text
    }
}
