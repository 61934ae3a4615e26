//! Runs into violations, as models tell them.
//!
//! The model of the one question ([`crate::question`]) is a run into one violation. The interpreter goes by
//! addresses, so what is beyond an object must not be in another one: a run is looked for in which objects
//! are far from each other, of the formula of its check alone, which speaks of few objects.
//!
//! Nor does a run count that takes a value which is only approximated: one without is preferred.
//!
//! If every check is asked about, others that fail are looked for in the same execution. Which may fail is
//! asked without what C promises of addresses, so that the question is small; whether it does, by itself.

use crate::execute::Executed;
use crate::found::{Asked, Event};
use crate::object::{Base, Kind};
use crate::placement::{beside_outside, far, promises};
use crate::question::{asked, whole};
use crate::replay::{Script, Way};
use answer::Allowance;
use program::checks::Check;
use program::program::{Cause, Instruction};
use program::{Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use sat::proof::Recording;
use smt::{Answer, BitBlast, Error, Solver};
use std::collections::BTreeMap;
use term::traverse::free_vars;
use term::{Pool, Term, Value};

/// Conflicts for one run.
const CONFLICTS: u64 = 20_000;
/// Where there are no more objects, a run with an invalid pointer says where all of them lie.
const FEW: usize = 24;
/// How many checks are tried for a run that the interpreter can follow, if one is enough.
const TRIES: usize = 8;

/// Runs into violations: those first that the interpreter can be expected to follow. One, or one for
/// each check that is found to fail as long as that is easy.
pub fn runs(
    program: &Program,
    executed: &Executed,
    first: Script,
    every: bool,
    allowance: &Allowance,
) -> Result<Vec<Script>, Error> {
    let exact = exact(program, executed);
    let strays = first.violates.as_ref().is_some_and(|check| strays(check, executed));
    if !every && !first.close && !strays && exact.is_none() {
        return Ok(vec![first]);
    }
    let mut search = Search::new(&program.pool, executed, exact, allowance)?;
    let (mut scripts, mut doubtful) = (Vec::new(), Vec::new());
    let (mut known, mut next) = (FxHashSet::default(), first.violates.clone());
    while let Some(check) = next {
        match search.run(&check)? {
            Some((script, true)) => scripts.push(script),
            Some((script, false)) => doubtful.push(script),
            None => {}
        }
        known.insert(check);
        if !every && (!scripts.is_empty() || known.len() >= TRIES) {
            break;
        }
        next = search.another(&known)?;
    }
    if scripts.is_empty() && doubtful.is_empty() {
        doubtful.push(first);
    }
    scripts.extend(doubtful);
    scripts.truncate(if every { usize::MAX } else { 1 });
    Ok(scripts)
}

/// Whether it matters to the interpreter what lies beyond an object, and objects are few.
fn strays(check: &Check, executed: &Executed) -> bool {
    check.property == Property::Pointer && executed.objects.iter().take(FEW + 1).count() <= FEW
}

/// The runs that take no value that is only approximated, or known up to bounds; nothing if there is no
/// such value.
fn exact(program: &Program, executed: &Executed) -> Option<Term> {
    let pool = &program.pool;
    let approximated = |event: &&Event| {
        let Asked::Value { edge, .. } = &event.asked else { return false };
        let body = program.functions[event.function].body.as_ref();
        match body.map(|body| &body.edges[*edge].instruction) {
            Some(Instruction::Havoc(_, cause) | Instruction::HavocBytes { cause, .. }) => {
                matches!(cause, Cause::Approximated(_) | Cause::Assembly | Cause::Computed(_))
            }
            _ => false,
        }
    };
    let events = executed.found.events.iter().filter(approximated);
    let spared: Vec<Term> =
        events.map(|event| pool.not(whole(pool, &event.path, event.condition))).collect();
    (!spared.is_empty()).then(|| pool.and(spared))
}

/// Looks for runs.
struct Search<'a> {
    pool: &'a Pool,
    executed: &'a Executed,
    allowance: &'a Allowance,
    /// Which runs take no value that is only approximated, if there is such a value.
    exact: Option<Term>,
    /// What it is to fail each check.
    violations: BTreeMap<Check, Term>,
    /// The bases of objects on whose places it depends what a run takes.
    looked_at: Vec<Term>,
    /// Knows nothing of addresses.
    blind: BitBlast<Recording>,
}

impl<'a> Search<'a> {
    fn new(
        pool: &'a Pool,
        executed: &'a Executed,
        exact: Option<Term>,
        allowance: &'a Allowance,
    ) -> Result<Self, Error> {
        let mut violations: BTreeMap<Check, Vec<Term>> = BTreeMap::new();
        for goal in &executed.found.goals {
            let check = Check { place: goal.place.clone(), property: goal.property };
            let violation = whole(pool, &goal.path, goal.violation);
            violations.entry(check).or_default().push(violation);
        }
        let violations = violations.into_iter().map(|(check, ways)| (check, pool.or(ways)));
        let events = &executed.found.events;
        let conditions = events
            .iter()
            .flat_map(|event| event.path.literals().into_iter().chain([event.condition]));
        let conditions: Vec<Term> = conditions.collect();
        let bases = free_vars(pool, &conditions).into_iter();
        let looked_at = bases.filter(|base| executed.objects.with_base(*base).is_some());
        let mut blind = asked(pool, pool.tru(), allowance)?;
        blind.set_work(Some(CONFLICTS));
        Ok(Search {
            pool,
            executed,
            exact,
            allowance,
            violations: violations.collect(),
            looked_at: looked_at.collect(),
            blind,
        })
    }

    /// A check that may fail, other than those that are known.
    fn another(&mut self, known: &FxHashSet<Check>) -> Result<Option<Check>, Error> {
        let left: Vec<(&Check, Term)> = self
            .violations
            .iter()
            .filter(|(check, _)| !known.contains(check))
            .map(|(check, violation)| (check, *violation))
            .collect();
        let any = self.pool.or(left.iter().map(|(_, violation)| *violation));
        if self.blind.check(self.pool, &[any])? != Answer::Sat {
            return Ok(None);
        }
        for (check, violation) in left {
            if self.blind.value(self.pool, violation)? == Value::Bool(true) {
                return Ok(Some(check.clone()));
            }
        }
        Ok(None)
    }

    /// A run that fails a check, if there is one: without approximated values, with objects far from
    /// each other if that can be. If both are so, the interpreter can be expected to follow.
    fn run(&self, check: &Check) -> Result<Option<(Script, bool)>, Error> {
        let Some(&violation) = self.violations.get(check) else { return Ok(None) };
        let (pool, objects) = (self.pool, &self.executed.objects);
        let mut formulas = self.looked_at.clone();
        formulas.push(violation);
        if strays(check, self.executed) {
            formulas.extend(objects.iter().map(|(_, object)| object.base));
        }
        let (promises, placed) = promises(pool, objects, &formulas);
        let beside = beside_outside(pool, objects, &placed);
        let question = pool.and(promises.into_iter().chain([beside, violation]));
        let mut solver = asked(pool, question, self.allowance)?;
        solver.set_work(Some(CONFLICTS));
        let far = far(pool, objects, &placed);
        let exact = self.exact.unwrap_or_else(|| pool.tru());
        let tries = [(vec![exact, far], false), (vec![exact], true), (Vec::new(), true)];
        let useful = if self.exact.is_some() { 3 } else { 2 };
        for (asked, close) in tries.into_iter().take(useful) {
            if solver.check(pool, &asked)? == Answer::Sat {
                let mut script = Reader::new(pool, &mut solver).script(self.executed, &placed)?;
                script.close = close;
                return Ok(Some((script, !close)));
            }
        }
        Ok(None)
    }
}

/// Reads a model.
pub(crate) struct Reader<'a> {
    pool: &'a Pool,
    solver: &'a mut dyn Solver,
    holds: FxHashMap<Term, bool>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(pool: &'a Pool, solver: &'a mut dyn Solver) -> Self {
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
    pub(crate) fn script(mut self, executed: &Executed, placed: &[Base]) -> Result<Script, Error> {
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
        script.outside = executed.objects.outside().collect();
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
