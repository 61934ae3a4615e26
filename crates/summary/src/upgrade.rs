//! The upgrade check of two versions (\[Fed15 §2.3\], Algorithm 4).
//!
//! Summaries that hold of the old version are asked of the functions of the new one, those that changed
//! first, callees before their callers. Where a summary still follows from the body and from what is known
//! of its calls, nothing changes for whoever calls it. Where it does not, the calls in the body that a
//! counterexample comes to are unwound (§2.3.3); if that does not help, the summary is given up, and its
//! callers are asked next. If the summary of the start is given up, so is the check. A call that had to be
//! unwound for its caller gets a new summary, from the refutation.

use crate::inductive::Believed;
use crate::interpolate::{Beyond, Interpolation, summaries};
use crate::search::Model;
use crate::unwound::{CallId, Shared, Unwound, at_call, said_of};
use crate::vocabulary::{Vocabulary, vocabularies};
use crate::{Encoding, Means, Options};
use la_arena::ArenaMap;
use program::procedures::{EdgeId, Node, ProcedureId, Summaries, Summary};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Solver};
use std::collections::BTreeSet;
use term::Term;

/// The most calls that are unwound for one summary.
const MAX_CALLS: usize = 200;
/// The conflicts of one question.
const CONFLICTS: u64 = 20_000;

/// What became of the summary of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Nobody had to ask.
    Untouched,
    /// It still holds.
    Holds,
    /// There is a new one.
    Repaired,
    /// It does not hold any more.
    Lost,
}

/// What came of an upgrade check.
pub struct Upgraded {
    /// A proof of the new version, if the summary of the start still holds.
    pub proof: Option<Summaries>,
    /// By procedure, of those that had a summary or changed.
    pub statuses: FxHashMap<ProcedureId, Status>,
    /// How many summaries were asked about.
    pub checks: usize,
}

/// Checks the summaries of an old version on a new one in which some procedures changed.
pub fn upgrade(
    encoding: &Encoding<'_>,
    options: &Options,
    means: &Means<'_>,
    old: &Believed,
    changed: &FxHashSet<ProcedureId>,
) -> Result<Upgraded, smt::Error> {
    let mut upgrade = Upgrade {
        encoding,
        options,
        means,
        vocabularies: vocabularies(encoding),
        asking: encoding.asking(&encoding.checks),
        believed: old.clone(),
        nodes: FxHashMap::default(),
        inner: Vec::new(),
        statuses: FxHashMap::default(),
        checks: 0,
    };
    for (id, summary) in old.iter() {
        if !summary.is_empty() {
            upgrade.statuses.insert(id, Status::Untouched);
        }
    }
    let proved = upgrade.run(changed)?;
    let proof = proved.then(|| upgrade.proof());
    Ok(Upgraded { proof, statuses: upgrade.statuses, checks: upgrade.checks })
}

/// The calls of a body that were unwound: the node of each.
type Unwinding = FxHashMap<EdgeId, Vec<usize>>;

struct Upgrade<'a> {
    encoding: &'a Encoding<'a>,
    options: &'a Options,
    means: &'a Means<'a>,
    vocabularies: ArenaMap<ProcedureId, Vocabulary>,
    asking: Vec<Term>,
    /// The summaries that are not given up.
    believed: Believed,
    /// For procedures that were asked about, by which nodes their calls are known: calls that were unwound.
    nodes: FxHashMap<ProcedureId, Unwinding>,
    /// Nodes of calls that were unwound.
    inner: Vec<Node>,
    statuses: FxHashMap<ProcedureId, Status>,
    checks: usize,
}

impl<'a> Upgrade<'a> {
    /// Whether the summary of the start holds in the end.
    fn run(&mut self, changed: &FxHashSet<ProcedureId>) -> Result<bool, smt::Error> {
        let encoding = self.encoding;
        let start = encoding.procedures.start;
        let callers = encoding.callers();
        let height = heights(encoding);
        let mut waiting: BTreeSet<(usize, ProcedureId)> =
            changed.iter().map(|id| (height[*id], *id)).collect();
        // How many summaries were lost when the callers of a procedure without one were last asked: where
        // procedures without summaries call each other, nothing new is to be asked before another is lost.
        let mut told: FxHashMap<ProcedureId, usize> = FxHashMap::default();
        let mut losses = 0;
        while let Some((_, procedure)) = waiting.pop_first() {
            if self.means.allowance.exhausted().is_some() {
                return Ok(false);
            }
            let lost = self.statuses.get(&procedure) == Some(&Status::Lost);
            let had = !self.believed[procedure].is_empty();
            if had && !lost && self.still_follows(procedure)? {
                self.statuses.insert(procedure, Status::Holds);
                continue;
            }
            if procedure == start {
                return Ok(false);
            }
            if had {
                self.statuses.insert(procedure, Status::Lost);
                self.believed[procedure] = Summary::default();
                losses += 1;
            }
            if told.insert(procedure, losses) == Some(losses) {
                continue;
            }
            // Whoever relied on it is asked again.
            let callers = callers.get(&procedure).into_iter().flatten();
            waiting.extend(callers.map(|caller| (height[*caller], *caller)));
        }
        let never = encoding.pool.fls();
        Ok(self.believed[start].fails.contains(&never))
    }

    /// Whether the summary of a procedure follows from its body, with calls unwound as needed.
    fn still_follows(&mut self, procedure: ProcedureId) -> Result<bool, smt::Error> {
        self.checks += 1;
        let pool = self.encoding.pool;
        let mut solver = self.means.solvers.bits();
        solver.set_allowance(self.means.allowance.with_work(CONFLICTS));
        let mut unwound = Unwound::of(self.encoding, procedure);
        self.unwind(&mut unwound, &mut *solver, 0)?;
        let wrong = self.wrong(procedure, &unwound.calls[0].shared);
        loop {
            // SAT? the body, calls by their summaries, and not what the summary says
            match solver.check_with(pool, &self.asking, &[wrong])? {
                Answer::Unsat => {
                    self.keep(procedure, &unwound);
                    return Ok(true);
                }
                Answer::Unknown(_) => return Ok(false),
                Answer::Sat => {}
            }
            let mut model = Model::new(pool, &mut *solver);
            let mut on_run = unwound.on_run(&mut |term| model.holds(term));
            if let Some(error) = model.failed {
                return Err(error);
            }
            on_run.retain(|id| unwound.calls[*id].copy.is_none());
            if on_run.is_empty() || unwound.calls.len() > MAX_CALLS {
                return Ok(false);
            }
            for id in on_run {
                self.unwind(&mut unwound, &mut *solver, id)?;
            }
        }
    }

    /// What contradicts the summary of a procedure, at a call.
    fn wrong(&self, procedure: ProcedureId, shared: &Shared) -> Term {
        let pool = self.encoding.pool;
        let summary = &self.believed[procedure];
        let mut map = at_call(self.encoding, procedure, shared);
        let ends = [(shared.returned, &summary.returns), (shared.failed, &summary.fails)];
        pool.or(ends.map(|(end, formulas)| {
            let all = pool.and(formulas.iter().map(|formula| map.apply(pool, *formula)));
            pool.and([end, pool.not(all)])
        }))
    }

    /// Unwinds a call, and tells what is known of the calls in it.
    fn unwind(
        &self,
        unwound: &mut Unwound<'a>,
        solver: &mut dyn Solver,
        id: CallId,
    ) -> Result<(), smt::Error> {
        let pool = self.encoding.pool;
        for formula in unwound.unwind(id) {
            solver.assert(pool, formula)?;
        }
        let inner = unwound.calls[id].copy.as_ref().map(|copy| copy.calls.clone());
        for id in inner.unwrap_or_default() {
            let call = &unwound.calls[id];
            let summary = &self.believed[call.procedure];
            for said in said_of(self.encoding, call.procedure, &call.shared, summary) {
                solver.assert(pool, said)?;
            }
        }
        Ok(())
    }

    /// Keeps why a summary follows; calls that were unwound for it may get a new one.
    fn keep(&mut self, procedure: ProcedureId, unwound: &Unwound<'a>) {
        let calls = &unwound.calls;
        let is_unwound = |id: &CallId| calls[*id].copy.is_some();
        let inlined = (1..calls.len()).filter(is_unwound).count();
        let mut found: FxHashMap<CallId, Summary> = FxHashMap::default();
        if inlined > 0 && self.options.summaries {
            let interpolation = Interpolation {
                unwound,
                vocabularies: &self.vocabularies,
                known: &self.believed,
                asking: &self.asking,
                beyond: Beyond::Open,
                restriction: &[],
                system: smt::interpolate::System::McMillan,
            };
            let wrong = |shared: &Shared| self.wrong(procedure, shared);
            let allowance = self.means.allowance.with_work(CONFLICTS);
            found = summaries(&interpolation, &wrong, &allowance).unwrap_or_default();
        }
        let first = self.inner.len();
        for (id, call) in calls.iter().enumerate() {
            // Numbers of calls count from the first; those of procedures are added in the end.
            let calls = numbers_of(calls, first, id);
            if id == 0 {
                self.nodes.insert(procedure, calls.clone());
            } else if is_unwound(&id) {
                let known = &mut self.believed[call.procedure];
                if let (Some(new), true) = (found.get(&id), known.is_empty()) {
                    *known = new.clone();
                    self.statuses.insert(call.procedure, Status::Repaired);
                    self.nodes.insert(call.procedure, calls.clone());
                }
            }
            let summary = if is_unwound(&id) { found.get(&id).cloned() } else { None };
            self.inner.push(Node { procedure: call.procedure, summary, calls });
        }
    }

    /// All summaries, each with the reasons for it.
    fn proof(&self) -> Summaries {
        let encoding = self.encoding;
        let ids: Vec<ProcedureId> = encoding.bodies.iter().map(|(id, _)| id).collect();
        let number = |id: ProcedureId| ids.iter().position(|known| *known == id);
        let count = ids.len();
        let known_by = |inner: Option<&Vec<usize>>, callee: ProcedureId| match inner {
            Some(inner) => inner.iter().map(|inner| count + inner).collect(),
            None => {
                number(callee).filter(|_| !self.believed[callee].is_empty()).into_iter().collect()
            }
        };
        let node = |id: &ProcedureId| {
            let nothing = FxHashMap::default();
            let inner = self.nodes.get(id).unwrap_or(&nothing);
            let sites = encoding.bodies[*id].sites.iter();
            let calls = sites.map(|s| (s.edge, known_by(inner.get(&s.edge), s.callee)));
            let summary = Some(self.believed[*id].clone());
            Node { procedure: *id, summary, calls: calls.collect() }
        };
        let mut nodes: Vec<Node> = ids.iter().map(node).collect();
        for inner in &self.inner {
            let sites = encoding.bodies[inner.procedure].sites.iter();
            let calls = sites.map(|s| (s.edge, known_by(inner.calls.get(&s.edge), s.callee)));
            nodes.push(Node { calls: calls.collect(), ..inner.clone() });
        }
        let start = number(encoding.procedures.start).unwrap_or_default();
        Summaries { interfaces: encoding.interfaces.clone(), nodes, start }.pruned()
    }
}

/// The calls in a call that are unwound, by number.
fn numbers_of(calls: &[crate::unwound::Call], first: usize, id: CallId) -> Unwinding {
    let inner = calls[id].copy.as_ref().map(|copy| &copy.calls[..]).unwrap_or_default();
    let unwound = inner.iter().filter(|inner| calls[**inner].copy.is_some());
    unwound.filter_map(|inner| Some((calls[*inner].parent?.1, vec![first + inner]))).collect()
}

/// How far each procedure is above those that call nothing; those of a cycle count as one.
fn heights(encoding: &Encoding<'_>) -> ArenaMap<ProcedureId, usize> {
    let mut heights: ArenaMap<ProcedureId, usize> =
        encoding.bodies.iter().map(|(id, _)| (id, 0)).collect();
    let count = encoding.bodies.iter().count();
    // A cycle would grow for ever: more than the number of procedures is one.
    for _ in 0..count {
        let mut changed = false;
        for (caller, body) in encoding.bodies.iter() {
            for site in &body.sites {
                let above = (heights[site.callee] + 1).min(count);
                if site.callee != caller && heights[caller] < above {
                    heights[caller] = above;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    heights
}
