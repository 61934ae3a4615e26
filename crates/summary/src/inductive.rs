//! Summaries that hold at every depth: what is left of candidates when those are dropped that do not
//! follow from the body of their procedure and from what is believed of its calls, its own recursive ones
//! included (as in Houdini: C. Flanagan, K. R. M. Leino, FME 2001).
//!
//! That is property 2.6 of \[Fed15 §2.3.4\] for one summary a procedure, so what is left holds of every call
//! that ends, by induction on the calls in it, whether it proves the program or not.

use crate::unwound::{Shared, at_call, formulas};
use crate::{Encoding, Means};
use la_arena::ArenaMap;
use program::procedures::{ProcedureId, Summary};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Error, Solver};
use std::collections::{BTreeMap, BTreeSet};
use term::traverse::Substitution;
use term::{Term, Value};

/// Conflicts of one question.
const CONFLICTS: u64 = 2_000;
/// Conflicts of the question about a single candidate.
const PATIENT_CONFLICTS: u64 = 20_000;
/// Questions about one procedure before what is left is asked one by one.
const QUESTIONS: usize = 400;

/// Candidates, and in the end what holds, by procedure.
pub type Believed = ArenaMap<ProcedureId, Summary>;

/// What is asked, of what, and what holds anyway.
pub struct Setting<'a> {
    /// The program.
    pub encoding: &'a Encoding<'a>,
    /// What may be used.
    pub means: Means<'a>,
    /// Which checks are asked about.
    pub asking: &'a [Term],
    /// What is known to hold of calls.
    pub known: &'a Believed,
}

/// Drops what does not follow. False if that takes more than there is.
pub fn drop_what_does_not_follow(
    setting: &Setting<'_>,
    believed: &mut Believed,
) -> Result<bool, Error> {
    let Setting { encoding, means, .. } = setting;
    let callers = encoding.callers();
    let mut pending: BTreeSet<ProcedureId> = encoding.bodies.iter().map(|(id, _)| id).collect();
    // Callees are mostly behind their callers.
    while let Some(procedure) = pending.pop_last() {
        if means.allowance.exhausted().is_some() {
            return Ok(false);
        }
        let mut question = Question::new(setting, procedure)?;
        question.believe(believed, &|_, _| None)?;
        if question.drop(believed)? {
            pending.extend(callers.get(&procedure).into_iter().flatten());
        }
    }
    Ok(true)
}

/// The formulas that a proof needs, of those that follow; none if they are no proof.
///
/// Requires: all that is believed follows.
pub fn needed(setting: &Setting<'_>, believed: &Believed) -> Result<Option<Believed>, Error> {
    let encoding = setting.encoding;
    let start = encoding.procedures.start;
    let never = encoding.pool.fls();
    if !believed[start].fails.contains(&never) {
        return Ok(None);
    }
    let mut needed: BTreeMap<ProcedureId, BTreeSet<Claim>> = BTreeMap::new();
    let mut pending = vec![(start, Claim::Fails(never))];
    needed.entry(start).or_default().insert(Claim::Fails(never));
    while let Some((procedure, claim)) = pending.pop() {
        let mut question = Question::new(setting, procedure)?;
        for (callee, used) in question.reasons(believed, claim)? {
            if needed.entry(callee).or_default().insert(used) {
                pending.push((callee, used));
            }
        }
    }
    let mut summaries: Believed = ArenaMap::default();
    for (id, claims) in needed {
        let mut summary = Summary::default();
        for claim in claims {
            match claim {
                Claim::Returns(formula) => summary.returns.push(formula),
                Claim::Fails(formula) => summary.fails.push(formula),
            }
        }
        summaries.insert(id, summary);
    }
    Ok(Some(summaries))
}

/// A formula of a summary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Claim {
    Returns(Term),
    Fails(Term),
}

/// The body of one procedure in a solver.
struct Question<'a> {
    encoding: &'a Encoding<'a>,
    procedure: ProcedureId,
    solver: Box<dyn Solver>,
    shared: Shared,
    inner: Vec<Shared>,
    at_call: Substitution,
}

impl<'a> Question<'a> {
    fn new(setting: &Setting<'a>, procedure: ProcedureId) -> Result<Self, Error> {
        let Setting { encoding, ref means, asking, known } = *setting;
        let pool = encoding.pool;
        let mut solver = means.solvers.bits();
        solver.set_allowance(means.allowance.with_work(CONFLICTS));
        let body = &encoding.bodies[procedure];
        let mut shared = Shared::fresh(encoding, procedure);
        shared.start = pool.tru();
        shared.inputs = encoding.interfaces[procedure].inputs.clone();
        let inner: Vec<Shared> = body
            .sites
            .iter()
            .map(|site| Shared {
                start: site.start,
                returned: site.returned,
                failed: site.failed,
                inputs: site.arguments.clone(),
                outputs: site.outputs.clone(),
            })
            .collect();
        let mut same = Substitution::new([]);
        for formula in formulas(encoding, body, &mut same, &shared, &inner) {
            solver.assert(pool, formula)?;
        }
        for asked in asking {
            solver.assert(pool, *asked)?;
        }
        let at_call = at_call(encoding, procedure, &shared);
        let mut question = Question { encoding, procedure, solver, shared, inner, at_call };
        question.believe(known, &|_, _| None)?;
        Ok(question)
    }

    /// Asserts what is believed of the calls in the body; behind a condition, if `unless` has one.
    fn believe(
        &mut self,
        believed: &Believed,
        unless: &dyn Fn(ProcedureId, Claim) -> Option<Term>,
    ) -> Result<(), Error> {
        let pool = self.encoding.pool;
        let body = &self.encoding.bodies[self.procedure];
        for (site, shared) in body.sites.iter().zip(&self.inner) {
            let mut map = at_call(self.encoding, site.callee, shared);
            let summary = &believed[site.callee];
            let returns = summary.returns.iter().map(|f| (Claim::Returns(*f), *f, shared.returned));
            let fails = summary.fails.iter().map(|f| (Claim::Fails(*f), *f, shared.failed));
            for (claim, formula, end) in returns.chain(fails) {
                let mut when = vec![shared.start, end];
                when.extend(unless(site.callee, claim));
                let here = map.apply(pool, formula);
                self.solver.assert(pool, pool.implies(pool.and(when), here))?;
            }
        }
        Ok(())
    }

    /// When a claim does not hold of a run through the body.
    fn broken(&mut self, claim: Claim) -> Term {
        let pool = self.encoding.pool;
        let (end, formula) = match claim {
            Claim::Returns(formula) => (self.shared.returned, formula),
            Claim::Fails(formula) => (self.shared.failed, formula),
        };
        let here = self.at_call.apply(pool, formula);
        pool.and([end, pool.not(here)])
    }

    /// Drops the candidates of the procedure that do not follow; whether there are some.
    fn drop(&mut self, believed: &mut Believed) -> Result<bool, Error> {
        let pool = self.encoding.pool;
        let summary = &believed[self.procedure];
        let claims = summary.returns.iter().map(|f| Claim::Returns(*f));
        let claims = claims.chain(summary.fails.iter().map(|f| Claim::Fails(*f)));
        let mut left: Vec<(Claim, Term)> = Vec::new();
        for claim in claims.collect::<Vec<_>>() {
            left.push((claim, self.broken(claim)));
        }
        let before = left.len();
        let mut questions = 0;
        while !left.is_empty() {
            questions += 1;
            let clause: Vec<Term> = left.iter().map(|(_, broken)| *broken).collect();
            let answer = match questions <= QUESTIONS {
                true => self.solver.check_with(pool, &[], &clause)?,
                false => Answer::Unknown(smt::Reason::Incomplete("too many".to_owned())),
            };
            match answer {
                Answer::Unsat => break,
                Answer::Sat => {
                    let mut kept = Vec::new();
                    for (claim, broken) in left {
                        if self.solver.value(pool, broken)? != Value::Bool(true) {
                            kept.push((claim, broken));
                        }
                    }
                    left = kept;
                }
                Answer::Unknown(_) => {
                    left = self.one_by_one(left)?;
                    break;
                }
            }
        }
        if left.len() == before {
            return Ok(false);
        }
        let kept: FxHashSet<Claim> = left.into_iter().map(|(claim, _)| claim).collect();
        let summary = &mut believed[self.procedure];
        summary.returns.retain(|formula| kept.contains(&Claim::Returns(*formula)));
        summary.fails.retain(|formula| kept.contains(&Claim::Fails(*formula)));
        Ok(true)
    }

    /// The candidates that are seen to follow, each by itself.
    fn one_by_one(&mut self, left: Vec<(Claim, Term)>) -> Result<Vec<(Claim, Term)>, Error> {
        let mut kept = Vec::new();
        self.solver.set_work(Some(PATIENT_CONFLICTS));
        for (claim, broken) in left {
            if self.solver.check(self.encoding.pool, &[broken])? == Answer::Unsat {
                kept.push((claim, broken));
            }
        }
        Ok(kept)
    }

    /// What of the calls in the body a claim rests on.
    fn reasons(
        &mut self,
        believed: &Believed,
        claim: Claim,
    ) -> Result<Vec<(ProcedureId, Claim)>, Error> {
        let pool = self.encoding.pool;
        let mut names: FxHashMap<(ProcedureId, Claim), Term> = FxHashMap::default();
        for site in &self.encoding.bodies[self.procedure].sites {
            let summary = &believed[site.callee];
            let returns = summary.returns.iter().map(|f| Claim::Returns(*f));
            for claim in returns.chain(summary.fails.iter().map(|f| Claim::Fails(*f))) {
                let name = || pool.fresh_var("needed", term::Sort::Bool);
                names.entry((site.callee, claim)).or_insert_with(name);
            }
        }
        self.believe(believed, &|callee, claim| names.get(&(callee, claim)).copied())?;
        let mut claims: Vec<((ProcedureId, Claim), Term)> = names.into_iter().collect();
        claims.sort_unstable();
        let mut assumptions: Vec<Term> = claims.iter().map(|(_, name)| *name).collect();
        let broken = self.broken(claim);
        assumptions.push(broken);
        let core: FxHashSet<Term> = match self.solver.check(pool, &assumptions)? {
            Answer::Unsat => self.minimal(broken)?.into_iter().collect(),
            // It was seen to follow, but with other effort: all are kept.
            _ => assumptions.into_iter().collect(),
        };
        Ok(claims.into_iter().filter(|(_, name)| core.contains(name)).map(|(c, _)| c).collect())
    }

    /// The core of the last answer, without what it can do without.
    fn minimal(&mut self, broken: Term) -> Result<Vec<Term>, Error> {
        let mut core: Vec<Term> = self.solver.core();
        core.retain(|term| *term != broken);
        let mut n = 0;
        while n < core.len() {
            let mut fewer = core.clone();
            fewer.remove(n);
            let mut assumptions = fewer.clone();
            assumptions.push(broken);
            match self.solver.check(self.encoding.pool, &assumptions)? {
                Answer::Unsat => {
                    let used = self.solver.core();
                    core = fewer.into_iter().filter(|term| used.contains(term)).collect();
                }
                _ => n += 1,
            }
        }
        Ok(core)
    }
}
