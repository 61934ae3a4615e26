//! What a search makes of what it has seen: summaries that hold of all calls, and proofs.
//!
//! What is known is a list of nodes ([`Node`]), each justified by its body and by what other nodes say of
//! the calls in it. An interpolant of a call holds of every call of its procedure, as nothing of what is
//! around the call is in its part of the formula.

use crate::inductive::{Believed, Setting, drop_what_does_not_follow, needed};
use crate::interpolate::{Beyond, Interpolation, summaries};
use crate::search::Search;
use crate::unwound::{CallId, said_of};
use crate::{Answer, Encoding, Means};
use la_arena::ArenaMap;
use program::procedures::{Node, ProcedureId, Summaries, Summary};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::interpolate::System;
use std::time::Duration;
use term::traverse::size;
use term::{Op, Term};

/// The most procedures whose summaries are guessed.
const MAX_GUESSED: usize = 100;
/// The most procedures of which relations are also guessed under conditions where there is no recursion.
const MAX_CONDITIONAL: usize = 12;
/// The most conditions under which relations are guessed.
const MAX_CONDITIONS: usize = 14;
/// The most relations that are guessed under conditions.
const MAX_RELATIONS: usize = 50;
/// The largest of them, unless it is an equation.
const MAX_SIZE: usize = 4;
/// The most nodes that a procedure is known by.
const MAX_KNOWN: usize = 8;
/// The part of the time that is left that something may take which the search can do without, and the
/// most; and how many times as long as the search took without it.
const SHARE: f64 = 0.25;
const TIME: Duration = Duration::from_secs(20);
const LEAST: Duration = Duration::from_secs(4);
const PATIENCE: u32 = 2;

impl<'a> Search<'a> {
    /// What it may use for something that it can do without.
    fn share(&self) -> Means<'a> {
        let whole = &self.means.allowance;
        let worth = (PATIENCE * self.begin.elapsed().saturating_sub(self.aside)).max(LEAST);
        let allowance = whole.within(whole.share(SHARE, TIME).min(worth));
        Means { allowance, ..self.means.clone() }
    }

    /// Candidates that follow from nothing but the text of the program.
    pub(crate) fn guess(&self) -> Believed {
        let encoding = self.encoding;
        let pool = encoding.pool;
        let count = encoding.bodies.iter().count();
        let guesses = self.options.guesses && count <= MAX_GUESSED;
        let candidates = |id: ProcedureId| {
            let vocabulary = &self.vocabularies[id];
            let mut summary = Summary { returns: Vec::new(), fails: vec![pool.fls()] };
            if !guesses {
                return summary;
            }
            // A vocabulary has nothing beside its negation.
            let small = |r: &Term| size(pool, *r) <= MAX_SIZE;
            let relations = vocabulary.relations.iter();
            let relations = relations.flat_map(|r| [Some(*r), small(r).then(|| pool.not(*r))]);
            let relations: Vec<Term> = relations.flatten().collect();
            summary.returns.clone_from(&relations);
            for &condition in &vocabulary.conditions {
                summary.fails.extend([condition, pool.not(condition)]);
            }
            if encoding.recursive[id] || count <= MAX_CONDITIONAL {
                let conditions = vocabulary.conditions.iter().take(MAX_CONDITIONS);
                // Sums are for equations.
                let simple = |relation: &&Term| {
                    *pool.op(**relation) == Op::Eq || size(pool, **relation) <= MAX_SIZE
                };
                let relations = relations.iter().filter(simple).take(MAX_RELATIONS);
                let relations: Vec<Term> = relations.copied().collect();
                for condition in conditions.flat_map(|c| [*c, pool.not(*c)]) {
                    let under = relations.iter().map(|r| pool.implies(condition, *r));
                    summary.returns.extend(under);
                }
            }
            summary
        };
        encoding.bodies.iter().map(|(id, _)| (id, candidates(id))).collect()
    }

    /// Keeps of some candidates what holds of all calls; a proof if that is one.
    pub(crate) fn induct(&mut self, candidates: Believed) -> Result<Option<Answer>, smt::Error> {
        let begin = self.begin.elapsed();
        let answer = self.try_to_induct(candidates);
        self.aside += self.begin.elapsed() - begin;
        answer
    }

    fn try_to_induct(&mut self, mut candidates: Believed) -> Result<Option<Answer>, smt::Error> {
        for summary in candidates.values_mut() {
            distinct(&mut summary.returns);
            distinct(&mut summary.fails);
        }
        let setting = Setting {
            encoding: self.encoding,
            means: self.share(),
            asking: &self.asking,
            known: &self.known,
        };
        if !drop_what_does_not_follow(&setting, &mut candidates)? {
            return Ok(None);
        }
        let proof = needed(&setting, &candidates)?;
        let proves = proof.is_some();
        let held = proof.unwrap_or(candidates);
        let formulas = held.values().map(|held| held.returns.len() + held.fails.len());
        self.figures.inductive = formulas.sum();
        let start = self.learn_inductive(&held);
        if let (true, Some(start)) = (proves, start) {
            return Ok(Some(Answer::Safe(self.graph(start))));
        }
        for id in self.open.clone() {
            self.summarize(id)?;
        }
        Ok(None)
    }

    /// Keeps what follows from itself: one node a procedure. That of the start, if there is one.
    fn learn_inductive(&mut self, held: &Believed) -> Option<usize> {
        let encoding = self.encoding;
        let says = |id: &ProcedureId| held.get(*id).is_some_and(|summary| !summary.is_empty());
        let ids: Vec<ProcedureId> = encoding.bodies.iter().map(|(id, _)| id).filter(says).collect();
        let first = self.nodes.len();
        let number = |id: ProcedureId| ids.iter().position(|known| *known == id).map(|n| first + n);
        for &id in &ids {
            let calls = encoding.bodies[id].sites.iter().map(|site| {
                let known = self.facts[site.callee].iter().copied();
                (site.edge, known.chain(number(site.callee)).collect())
            });
            let (summary, calls) = (Some(held[id].clone()), calls.collect());
            self.nodes.push(Node { procedure: id, summary, calls });
        }
        for &id in &ids {
            self.facts[id].extend(number(id));
            self.known[id].add(&held[id]);
        }
        number(encoding.procedures.start)
    }

    /// Tells the solver what holds of a call that is not unwound.
    pub(crate) fn summarize(&mut self, id: CallId) -> Result<(), smt::Error> {
        let pool = self.encoding.pool;
        let call = &self.unwound.calls[id];
        let summary = &self.known[call.procedure];
        if summary.is_empty() {
            return Ok(());
        }
        let [returns, fails] = said_of(self.encoding, call.procedure, &call.shared, summary);
        self.solver.assert(pool, returns)?;
        let asking = pool.and(self.asking.iter().copied());
        self.solver.assert(pool, pool.implies(asking, fails))?;
        self.figures.summarized += 1;
        Ok(())
    }

    /// What a refutation of what is unwound needs of the calls.
    pub(crate) fn interpolants(
        &mut self,
        beyond: Beyond,
        restriction: &[(CallId, Term)],
    ) -> FxHashMap<CallId, Summary> {
        let begin = self.begin.elapsed();
        self.figures.interpolations += 1;
        let allowance = self.share().allowance;
        let interpolation = Interpolation {
            unwound: &self.unwound,
            vocabularies: &self.vocabularies,
            known: &self.known,
            asking: &self.asking,
            beyond,
            restriction,
            system: self.options.interpolation,
        };
        let found =
            summaries(&interpolation, &|shared| shared.failed, &allowance).unwrap_or_default();
        let taken = self.begin.elapsed() - begin;
        self.aside += taken;
        self.figures.interpolating += taken;
        found
    }

    /// Whether what a refutation needed holds of all calls.
    pub(crate) fn generalize(&mut self) -> Result<Option<Answer>, smt::Error> {
        let found = self.interpolants(Beyond::Blocked, &[]);
        if found.is_empty() {
            return Ok(None);
        }
        let mut candidates = self.guess();
        for (id, summary) in found {
            candidates[self.unwound.calls[id].procedure].add(&summary);
        }
        self.induct(candidates)
    }

    /// The calls as they are unwound, as nodes: with a summary each where a refutation has interpolants,
    /// otherwise as they are. The node of the start.
    ///
    /// Requires: no run violates what is asked about, as far as it is restricted.
    pub(crate) fn learn_from_calls(&mut self, restriction: &[(CallId, Term)]) -> usize {
        // The weakest interpolants of a tree need not imply each other.
        let together = self.options.interpolation != System::DualMcMillan;
        let found = match self.options.summaries && together {
            true => self.interpolants(Beyond::Open, restriction),
            false => FxHashMap::default(),
        };
        let (first, calls) = (self.nodes.len(), &self.unwound.calls);
        for call in calls {
            let inner = call.copy.as_ref().map(|copy| &copy.calls[..]).unwrap_or_default();
            let known_by = |inner: &CallId| {
                let call = &calls[*inner];
                let numbers = match call.copy {
                    Some(_) => vec![first + inner],
                    None => self.facts[call.procedure].clone(),
                };
                Some((call.parent?.1, numbers))
            };
            let id = self.nodes.len() - first;
            let summary = match call.copy {
                Some(_) => found.get(&id).cloned(),
                // Nobody asks for it.
                None => Some(Summary::default()),
            };
            let calls = inner.iter().filter_map(known_by).collect();
            self.nodes.push(Node { procedure: call.procedure, summary, calls });
        }
        for (id, summary) in found {
            let call = &self.unwound.calls[id];
            let facts = &mut self.facts[call.procedure];
            // What is restricted is restricted in the body of the start.
            if id == 0 || call.copy.is_none() || summary.is_empty() || facts.len() >= MAX_KNOWN {
                continue;
            }
            facts.push(first + id);
            self.known[call.procedure].add(&summary);
        }
        first
    }

    /// A proof that no run violates what is asked about: by a summary for each procedure, if what the
    /// calls needed follows from itself, otherwise by those of the calls.
    pub(crate) fn proof(&mut self) -> Result<Summaries, smt::Error> {
        let start = self.learn_from_calls(&[]);
        if self.options.summaries && self.encoding.is_recursive() {
            let mut candidates = self.guess();
            for (id, known) in self.known.iter() {
                candidates[id].add(known);
            }
            // What is known already must follow from itself to be of use here.
            let known = std::mem::replace(&mut self.known, nothing(self.encoding));
            let facts = std::mem::replace(&mut self.facts, no_facts(self.encoding));
            let tidy = self.induct(candidates)?;
            if let Some(Answer::Safe(summaries)) = tidy {
                return Ok(summaries);
            }
            (self.known, self.facts) = (known, facts);
        }
        Ok(self.graph(start))
    }

    /// What a node rests on, as a proof.
    fn graph(&self, start: usize) -> Summaries {
        let (interfaces, nodes) = (self.encoding.interfaces.clone(), self.nodes.clone());
        Summaries { interfaces, nodes, start }.pruned()
    }
}

/// Summaries that say nothing.
pub(crate) fn nothing(encoding: &Encoding<'_>) -> Believed {
    encoding.bodies.iter().map(|(id, _)| (id, Summary::default())).collect()
}

/// Procedures that nothing is known of.
pub(crate) fn no_facts(encoding: &Encoding<'_>) -> ArenaMap<ProcedureId, Vec<usize>> {
    encoding.bodies.iter().map(|(id, _)| (id, Vec::new())).collect()
}

/// Leaves no formula twice.
fn distinct(formulas: &mut Vec<Term>) {
    let mut known = FxHashSet::default();
    formulas.retain(|formula| known.insert(*formula));
}
