//! What a search makes of what it has seen: summaries that hold of all calls, and proofs.

use crate::inductive::{Believed, drop_what_does_not_follow, proof};
use crate::interpolate::{Beyond, summaries};
use crate::search::Search;
use crate::unwound::{CallId, at_call};
use crate::{Answer, Means};
use program::procedures::{Node, ProcedureId, Summaries, Summary};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::interpolate::System;
use std::time::Duration;
use term::Term;

/// The most procedures whose summaries are guessed.
const MAX_GUESSED: usize = 100;
/// The most conditions under which relations are guessed.
const MAX_CONDITIONS: usize = 8;
/// The part of the time that is left that a refutation may take for its interpolants, and the most.
const SHARE: f64 = 0.25;
const TIME: Duration = Duration::from_secs(20);

impl<'a> Search<'a> {
    /// What it may use for something that it can do without.
    fn share(&self) -> Means<'a> {
        let whole = &self.means.allowance;
        let allowance = whole.within(whole.share(SHARE, TIME));
        Means { allowance, ..self.means.clone() }
    }

    /// Candidates that follow from nothing but the text of the program.
    pub(crate) fn guess(&self) -> Believed {
        let encoding = self.encoding;
        let pool = encoding.pool;
        let guesses = encoding.bodies.iter().count() <= MAX_GUESSED;
        let candidates = |id: ProcedureId| {
            let vocabulary = &self.vocabularies[id];
            let mut summary = Summary { returns: Vec::new(), fails: vec![pool.fls()] };
            if !guesses {
                return summary;
            }
            summary.returns.clone_from(&vocabulary.relations);
            for &condition in &vocabulary.conditions {
                summary.fails.extend([condition, pool.not(condition)]);
            }
            if encoding.recursive[id] {
                let conditions = vocabulary.conditions.iter().take(MAX_CONDITIONS);
                for condition in conditions.flat_map(|c| [*c, pool.not(*c)]) {
                    let relations = vocabulary.relations.iter();
                    summary.returns.extend(relations.map(|r| pool.implies(condition, *r)));
                }
            }
            distinct(&mut summary.returns);
            distinct(&mut summary.fails);
            summary
        };
        encoding.bodies.iter().map(|(id, _)| (id, candidates(id))).collect()
    }

    /// Keeps of some candidates what holds of all calls; a proof if that is one.
    pub(crate) fn induct(
        &mut self,
        mut candidates: Believed,
        asking: &[Term],
    ) -> Result<Option<Answer>, smt::Error> {
        let means = self.share();
        for (id, summary) in self.known.iter() {
            candidates[id].returns.extend(&summary.returns);
            candidates[id].fails.extend(&summary.fails);
            distinct(&mut candidates[id].returns);
            distinct(&mut candidates[id].fails);
        }
        let encoding = self.encoding;
        if !drop_what_does_not_follow(encoding, &means, asking, &mut candidates)? {
            return Ok(None);
        }
        if let Some(summaries) = proof(encoding, &means, asking, &candidates)? {
            return Ok(Some(Answer::Safe(summaries)));
        }
        self.figures.inductive =
            candidates.values().map(|summary| summary.returns.len() + summary.fails.len()).sum();
        self.known = candidates;
        for id in self.open.clone() {
            self.summarize(id)?;
        }
        Ok(None)
    }

    /// Tells the solver what holds of a call that is not unwound.
    pub(crate) fn summarize(&mut self, id: CallId) -> Result<(), smt::Error> {
        let pool = self.encoding.pool;
        let call = &self.unwound.calls[id];
        let summary = &self.known[call.procedure];
        if summary.returns.is_empty() && summary.fails.is_empty() {
            return Ok(());
        }
        let shared = &call.shared;
        let mut map = at_call(self.encoding, call.procedure, shared);
        let returned = vec![shared.start, shared.returned];
        let failed = [shared.start, shared.failed].into_iter().chain(self.asking.iter().copied());
        for (when, formulas) in [(returned, &summary.returns), (failed.collect(), &summary.fails)] {
            let here = pool.and(formulas.iter().map(|formula| map.apply(pool, *formula)));
            self.solver.assert(pool, pool.implies(pool.and(when), here))?;
        }
        self.figures.summarized += 1;
        Ok(())
    }

    /// Candidates from a refutation of what is unwound.
    pub(crate) fn interpolants(
        &mut self,
        asking: &[Term],
        beyond: Beyond,
    ) -> Option<FxHashMap<CallId, Summary>> {
        self.figures.interpolations += 1;
        let allowance = self.share().allowance;
        summaries(
            &self.unwound,
            &self.vocabularies,
            &self.known,
            asking,
            beyond,
            &self.options,
            &allowance,
        )
        .ok()
    }

    /// Whether what a refutation needed holds of all calls.
    pub(crate) fn generalize(&mut self, asking: &[Term]) -> Result<Option<Answer>, smt::Error> {
        let Some(found) = self.interpolants(asking, Beyond::Blocked) else { return Ok(None) };
        let mut candidates = self.guess();
        for (id, summary) in found {
            let procedure = self.unwound.calls[id].procedure;
            candidates[procedure].returns.extend(summary.returns);
            candidates[procedure].fails.extend(summary.fails);
        }
        for summary in candidates.values_mut() {
            distinct(&mut summary.returns);
            distinct(&mut summary.fails);
        }
        self.induct(candidates, asking)
    }

    /// The calls as they are unwound, as a proof: with a summary each where a refutation has interpolants,
    /// otherwise as they are.
    pub(crate) fn proof(&mut self, asking: &[Term]) -> Summaries {
        // The weakest interpolants of a tree need not imply each other.
        let together = self.options.interpolation != System::DualMcMillan;
        let found = match self.options.summaries && together {
            true => self.interpolants(asking, Beyond::Open).unwrap_or_default(),
            false => FxHashMap::default(),
        };
        let (encoding, calls) = (self.encoding, &self.unwound.calls);
        // Behind the calls, what is known of procedures.
        let known: FxHashMap<ProcedureId, usize> = encoding
            .bodies
            .iter()
            .enumerate()
            .map(|(n, (id, _))| (id, calls.len() + n))
            .collect();
        let says = |id: ProcedureId| {
            !self.known[id].returns.is_empty() || !self.known[id].fails.is_empty()
        };
        let node = |id: CallId| {
            let call = &calls[id];
            let inner = call.copy.as_ref().map(|copy| &copy.calls[..]).unwrap_or_default();
            let known_by = |inner: &CallId| {
                let call = &calls[*inner];
                let number = match call.copy {
                    Some(_) => Some(*inner),
                    None => says(call.procedure).then(|| known[&call.procedure]),
                };
                Some((call.parent?.1, number?))
            };
            let summary = match (call.copy.is_some(), found.get(&id)) {
                (true, found) => found.cloned(),
                // Nobody asks for it.
                (false, _) => Some(Summary::default()),
            };
            let calls = inner.iter().filter_map(known_by).collect();
            Node { procedure: call.procedure, summary, calls }
        };
        let mut nodes: Vec<Node> = (0..calls.len()).map(node).collect();
        nodes.extend(encoding.bodies.iter().map(|(id, body)| {
            let sites = body.sites.iter().map(|site| (site.edge, known[&site.callee]));
            Node {
                procedure: id,
                summary: Some(self.known[id].clone()),
                calls: sites.collect(),
            }
        }));
        Summaries { interfaces: encoding.interfaces.clone(), nodes }
    }
}

/// Leaves no formula twice.
fn distinct(formulas: &mut Vec<Term>) {
    let mut known = FxHashSet::default();
    formulas.retain(|formula| known.insert(*formula));
}
