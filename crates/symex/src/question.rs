//! The one question about an execution: can something go wrong, or was something not followed?
//!
//! All goals and cuts are one formula, with what C promises of the addresses in it, and go to CaDiCaL
//! whole. A refutation comes as a proof that others can check. A model is read as a run ([`mod@crate::runs`]).

use crate::execute::Executed;
use crate::path::Path;
use crate::placement::{beside_outside, promises};
use crate::replay::Script;
use crate::runs::Reader;
use answer::{Allowance, Exhausted};
use program::Program;
use sat::proof::{Proof, Recording};
use smt::{Answer, BitBlast, Error, Reason, Solver};
use term::{Pool, Term, Value};

/// Conflicts for the question whether something goes wrong before the bound: a larger bound asks it
/// again.
const CONFLICTS: u64 = 100_000;

/// What came of a question.
pub enum Asking {
    /// The formula has no model, and this is why.
    Refuted {
        /// What was refuted.
        formula: Term,
        /// How.
        proof: Box<Proof>,
    },
    /// A run into a violation. If it says where objects lie, they may be close to each other, or to null.
    Run(Box<Script>),
    /// Nothing is known to go wrong, but not all was followed.
    Cut,
    /// There was not enough time.
    Exhausted(Exhausted),
}

/// The runs to a point that a condition holds for.
pub(crate) fn whole(pool: &Pool, path: &Path, last: Term) -> Term {
    pool.and(path.literals().into_iter().chain([last]))
}

/// Whether something goes wrong in an execution.
pub fn ask(program: &Program, executed: &Executed, allowance: &Allowance) -> Result<Asking, Error> {
    let pool = &program.pool;
    let found = &executed.found;
    let goals = found.goals.iter().map(|goal| whole(pool, &goal.path, goal.violation));
    let cuts = found.cuts.iter().map(|cut| whole(pool, &cut.path, cut.condition));
    let goals = pool.or(goals);
    let cuts = pool.or(cuts);
    let formula = pool.or([goals, cuts]);
    // Each by itself: together they may be true of every address, also of one that no object has.
    let (promises, placed) = promises(pool, &executed.objects, &[goals, cuts]);
    let question = pool.and(promises.iter().copied().chain([formula]));
    let mut solver = asked(pool, question, allowance)?;
    match solver.check(pool, &[])? {
        Answer::Unsat => {
            let proof = solver.sat().proof().map(Box::new);
            let proof = proof.map_err(|error| Error::Unsupported {
                solver: "cadical",
                what: format!("the record of a refutation: {error}"),
            })?;
            return Ok(Asking::Refuted { formula: question, proof });
        }
        Answer::Unknown(reason) => return stopped(reason),
        Answer::Sat => {}
    }
    let beside = beside_outside(pool, &executed.objects, &placed);
    let run = pool.and([goals, beside]);
    if solver.value(pool, run)? != Value::Bool(true) {
        let only = pool.and(promises.iter().copied().chain([run]));
        solver = asked(pool, only, allowance)?;
        solver.set_work(Some(CONFLICTS));
        match solver.check(pool, &[])? {
            Answer::Unsat => return Ok(Asking::Cut),
            Answer::Unknown(Reason::Stopped(Exhausted::Work)) => return Ok(Asking::Cut),
            Answer::Unknown(reason) => return stopped(reason),
            Answer::Sat => {}
        }
    }
    let mut script = Reader::new(pool, &mut solver).script(executed, &placed)?;
    script.close = !placed.is_empty();
    Ok(Asking::Run(Box::new(script)))
}

fn stopped(reason: Reason) -> Result<Asking, Error> {
    match reason {
        Reason::Stopped(exhausted) => Ok(Asking::Exhausted(exhausted)),
        Reason::Incomplete(what) => {
            Err(Error::Unsupported { solver: "cadical", what: what.to_string() })
        }
    }
}

/// A solver that knows a formula.
pub(crate) fn asked(
    pool: &Pool,
    formula: Term,
    allowance: &Allowance,
) -> Result<BitBlast<Recording>, Error> {
    let mut solver = BitBlast::new(Recording::default());
    solver.set_allowance(allowance.clone());
    solver.assert(pool, formula)?;
    Ok(solver)
}
