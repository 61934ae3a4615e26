//! The one question about an execution: can something go wrong, or was something not followed?
//!
//! All goals and cuts are one formula, with what C promises of the addresses in it, and go to CaDiCaL
//! whole. A refutation comes as a proof that others can check. A model is read as a run.

use crate::execute::Executed;
use crate::found::{Asked, Event};
use crate::object::{Base, Kind};
use crate::path::Path;
use crate::placement::{far, promises as promised};
use crate::replay::{Script, Way};
use answer::{Allowance, Exhausted};
use program::Program;
use program::checks::Check;
use program::program::{Cause, Instruction};
use rustc_hash::{FxHashMap, FxHashSet};
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
    /// A run into a violation.
    Run(Box<Script>),
    /// Nothing is known to go wrong, but not all was followed.
    Cut,
    /// There was not enough time.
    Exhausted(Exhausted),
}

/// The runs to a point that a condition holds for.
fn whole(pool: &Pool, path: &Path, last: Term) -> Term {
    pool.and(path.literals().into_iter().chain([last]))
}

/// The runs that take no value that is only approximated; none if there is no such value. One of
/// these counts, another need not exist.
fn exact(program: &Program, executed: &Executed) -> Option<Term> {
    let pool = &program.pool;
    let approximated = |event: &&Event| {
        let Asked::Value { edge, .. } = &event.asked else { return false };
        let body = program.functions[event.function].body.as_ref();
        matches!(
            body.map(|body| &body.edges[*edge].instruction),
            Some(
                Instruction::Havoc(_, Cause::Approximated(_))
                    | Instruction::HavocBytes { cause: Cause::Approximated(_), .. }
            )
        )
    };
    let events = executed.found.events.iter().filter(approximated);
    let taken: Vec<Term> =
        events.map(|event| pool.not(whole(pool, &event.path, event.condition))).collect();
    (!taken.is_empty()).then(|| pool.and(taken))
}

/// Whether something goes wrong in an execution.
pub fn ask(program: &Program, executed: &Executed, allowance: &Allowance) -> Result<Asking, Error> {
    let pool = &program.pool;
    let found = &executed.found;
    let goals = found.goals.iter().map(|goal| whole(pool, &goal.path, goal.violation));
    let cuts = found.cuts.iter().map(|cut| whole(pool, &cut.path, cut.condition));
    let mut goals = pool.or(goals);
    let cuts = pool.or(cuts);
    let formula = pool.or([goals, cuts]);
    // Each by itself: together they may be true of every address, also of one that no object has.
    let (mut promises, mut placed) = promised(pool, &executed.objects, &[goals, cuts]);
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
    if solver.value(pool, goals)? != Value::Bool(true) {
        let only = pool.and(promises.iter().copied().chain([goals]));
        solver = asked(pool, only, allowance)?;
        solver.set_work(Some(CONFLICTS));
        match solver.check(pool, &[])? {
            Answer::Unsat => return Ok(Asking::Cut),
            Answer::Unknown(Reason::Stopped(Exhausted::Work)) => return Ok(Asking::Cut),
            Answer::Unknown(reason) => return stopped(reason),
            Answer::Sat => {}
        }
    }
    if let Some(exact) = exact(program, executed) {
        // ∧ promises ∧ goals ∧ no value is taken that is only approximated
        let better = pool.and([goals, exact]);
        let (more, places) = promised(pool, &executed.objects, &[better]);
        let only = pool.and(more.iter().copied().chain([better]));
        let mut other = asked(pool, only, allowance)?;
        other.set_work(Some(CONFLICTS));
        if let Answer::Sat = other.check(pool, &[])? {
            (solver, goals, promises, placed) = (other, better, more, places);
        }
    }
    let mut close = false;
    if placed.len() > 1 {
        // ∧ promises ∧ goals ∧ objects are far from each other
        let far = far(pool, &executed.objects, &placed);
        let spread = pool.and(promises.into_iter().chain([goals, far]));
        let mut other = asked(pool, spread, allowance)?;
        other.set_work(Some(CONFLICTS));
        match other.check(pool, &[])? {
            Answer::Sat => solver = other,
            _ => close = true,
        }
    }
    let mut script = Reader::new(pool, &mut solver).script(executed, &placed)?;
    script.close = close;
    Ok(Asking::Run(Box::new(script)))
}

/// Runs into other violations than those of some runs, one for each check that is found to fail, as
/// long as that is easy.
pub fn others(
    program: &Program,
    executed: &Executed,
    first: &Script,
    allowance: &Allowance,
) -> Result<Vec<Script>, Error> {
    let pool = &program.pool;
    let mut known: FxHashSet<Check> = first.violates.clone().into_iter().collect();
    let violations: Vec<(Check, Term)> = executed
        .found
        .goals
        .iter()
        .map(|goal| {
            let check = Check { place: goal.place.clone(), property: goal.property };
            (check, whole(pool, &goal.path, goal.violation))
        })
        .collect();
    let all = pool.or(violations.iter().map(|(_, violation)| *violation));
    let (promises, placed) = promised(pool, &executed.objects, &[all]);
    let far = if placed.len() > 1 { far(pool, &executed.objects, &placed) } else { pool.tru() };
    let mut solver = asked(pool, pool.and(promises), allowance)?;
    solver.set_work(Some(CONFLICTS));
    let mut scripts = Vec::new();
    loop {
        let left = violations.iter().filter(|(check, _)| !known.contains(check));
        let left = pool.or(left.map(|(_, violation)| *violation));
        let found =
            [vec![left, far], vec![left]].into_iter().enumerate().find_map(|(close, asked)| {
                let found = solver.check(pool, &asked);
                matches!(found, Ok(Answer::Sat)).then_some(close > 0)
            });
        let Some(close) = found else { return Ok(scripts) };
        let mut script = Reader::new(pool, &mut solver).script(executed, &placed)?;
        script.close = close;
        // A model that says nothing of what is wrong would come again.
        let Some(check) = script.violates.clone().filter(|check| !known.contains(check)) else {
            return Ok(scripts);
        };
        known.insert(check);
        scripts.push(script);
    }
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
fn asked(pool: &Pool, formula: Term, allowance: &Allowance) -> Result<BitBlast<Recording>, Error> {
    let mut solver = BitBlast::new(Recording::default());
    solver.set_allowance(allowance.clone());
    solver.assert(pool, formula)?;
    Ok(solver)
}

/// Reads a model.
struct Reader<'a> {
    pool: &'a Pool,
    solver: &'a mut BitBlast<Recording>,
    holds: FxHashMap<Term, bool>,
}

impl<'a> Reader<'a> {
    fn new(pool: &'a Pool, solver: &'a mut BitBlast<Recording>) -> Self {
        Reader { pool, solver, holds: FxHashMap::default() }
    }

    fn holds(&mut self, formula: Term) -> Result<bool, Error> {
        if let Some(&known) = self.holds.get(&formula) {
            return Ok(known);
        }
        let holds = self.solver.value(self.pool, formula)? == Value::Bool(true);
        self.holds.insert(formula, holds);
        Ok(holds)
    }

    fn happens(&mut self, event: &Event) -> Result<bool, Error> {
        for literal in event.path.literals().into_iter().chain([event.condition]) {
            if !self.holds(literal)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The check that the run fails.
    fn violated(&mut self, executed: &Executed) -> Result<Option<Check>, Error> {
        for goal in &executed.found.goals {
            let mut holds = true;
            for literal in goal.path.literals().into_iter().chain([goal.violation]) {
                holds = holds && self.holds(literal)?;
            }
            if holds {
                return Ok(Some(Check { place: goal.place.clone(), property: goal.property }));
            }
        }
        Ok(None)
    }

    /// What the run takes.
    fn script(mut self, executed: &Executed, placed: &[Base]) -> Result<Script, Error> {
        let mut script = Script::default();
        script.violates = self.violated(executed)?;
        for event in &executed.found.events {
            if !self.happens(event)? {
                continue;
            }
            match &event.asked {
                Asked::Value { edge, part, value } => {
                    let value = self.solver.value(self.pool, *value)?;
                    script.values.push_back((event.function, *edge, *part, value));
                }
                Asked::Way { location, edges } => {
                    let mut possible = 0;
                    let mut way = None;
                    for (edge, taken, guard) in edges {
                        possible += usize::from(self.holds(*guard)?);
                        if self.holds(*taken)? {
                            way = Some(*edge);
                        }
                    }
                    if let Some(edge) = way.filter(|_| possible > 1) {
                        let (function, location) = (event.function, *location);
                        script.ways.push_back(Way { function, location, edge });
                    }
                }
                Asked::Object(base) => {
                    if let Kind::Allocated(_, site) = executed.objects[*base].kind {
                        script.allocated.push_back((*base, site));
                    }
                }
            }
        }
        for (base, object) in executed.objects.iter() {
            for (offset, size, variable) in object.unwritten() {
                let Value::Bits(bits) = self.solver.value(self.pool, variable)? else { continue };
                for k in 0..size {
                    let low = 8 * k as u32;
                    let byte = bits.extract(low + 7, low).to_u64().unwrap_or(0);
                    script.unwritten.insert((base, offset + k), byte as u8);
                }
            }
        }
        for &base in placed {
            let at = self.solver.value(self.pool, executed.objects[base].base)?;
            if let Value::Bits(bits) = at
                && let Some(address) = bits.to_u64()
            {
                let size = self.solver.value(self.pool, executed.objects[base].size)?;
                let Value::Bits(size) = size else { continue };
                script.placed.insert(base, (address, size.to_u64().unwrap_or(0)));
            }
        }
        Ok(script)
    }
}
