//! SIMABS (\[Fed15\] Algorithms 9 to 14): a simulation between two programs, if need be of an
//! abstraction of the target, refined by Skolem relations.
//!
//! ABSTRACT checks ρ edge by edge. Where an edge fails, WEAKEN takes a variable of the target out of
//! ρ and quantifies it existentially: at best one that makes this edge hold. REFINE looks at the
//! Skolem functions that the proofs have for such variables: a function over what the source has at
//! a cut-point is a candidate for what the variable is there, and if the obligations hold with it,
//! the variable is abstracted no more. If everything is abstracted away, nothing is simulated.

use crate::graph::{Graph, Variable};
use crate::matching::{UNROLLINGS, Unrolling, matchings};
use crate::relation::{Obligation, Relation, Setting, synthesize};
use aeval::{Broken, Effort, Skolem, Validity, decide};
use answer::{Allowance, Exhausted};
use rustc_hash::FxHashSet;
use smt::Solvers;
use std::time::Duration;
use term::traverse::free_vars;
use term::{Pool, Term};

/// What is known of two programs (\[Fed15\] Fig. 5.5); the better first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// The target simulates the source, with variables of one name (or of one place) equal.
    Identity,
    /// The target simulates the source, with variables of the target as Skolem functions of those of
    /// the source.
    Skolem,
    /// An abstraction of the target simulates the source.
    Abstraction,
    /// Nothing was found.
    None,
}

impl Outcome {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Identity => "identity",
            Outcome::Skolem => "skolem",
            Outcome::Abstraction => "abstraction",
            Outcome::None => "none",
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// How good it is.
    pub outcome: Outcome,
    /// σ: the target's point of each point of the source. With [`Outcome::None`], σ and ρ are the first
    /// guess, or empty where no matching of the points fits.
    pub sigma: Vec<usize>,
    /// ρ, by points of the source.
    pub rho: Vec<Relation>,
    /// The variables of the target that are abstracted away.
    pub abstracted: Vec<Term>,
    /// Whether the target is abstracted to what its invariant says (\[Fed15\] Lemma 7).
    pub by_proof: bool,
    /// What matches a step.
    pub unrolling: Unrolling,
    /// What was proved, with Skolem functions.
    pub proved: Vec<(Obligation, Skolem)>,
    /// How many formulas were left undecided on the way.
    pub undecided: usize,
    /// What ended the search before its end.
    pub ended: Option<Exhausted>,
}

/// How many matchings of the points are tried.
const MATCHINGS: usize = 6;

/// How many sets of variables are abstracted for one matching.
const GUESSES: usize = 16;

/// The share of the time that is left which one formula may take, and the most.
const SHARE: f64 = 0.25;
const FORMULA: Duration = Duration::from_secs(10);

/// Whether the target simulates the source.
///
/// `invariant` is one of the target, by its points, inductive; or empty. Both graphs are of `pool`
/// and share no variables.
pub fn simulate(
    pool: &Pool,
    source: &Graph,
    target: &Graph,
    invariant: &[Vec<Term>],
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<Simulation, Broken> {
    let mut search = Search { pool, source, target, invariant, solvers, allowance, undecided: 0 };
    let mut best: Option<Simulation> = None;
    let mut seen: FxHashSet<(Vec<usize>, Unrolling)> = FxHashSet::default();
    for unrolling in UNROLLINGS {
        for sigma in matchings(source, target, unrolling, MATCHINGS) {
            if allowance.exhausted().is_some() || !seen.insert((sigma.clone(), unrolling)) {
                continue;
            }
            let found = search.attempt(&sigma, unrolling)?;
            if best.as_ref().is_none_or(|best| found.outcome < best.outcome) {
                best = Some(found);
            }
            if best.as_ref().is_some_and(|best| best.outcome <= Outcome::Skolem) {
                break;
            }
        }
        if best.as_ref().is_some_and(|best| best.outcome <= Outcome::Skolem) {
            break;
        }
    }
    let mut best = best.unwrap_or_else(|| search.nothing(&[], Unrolling::Steps));
    if best.outcome == Outcome::None
        && !invariant.is_empty()
        && let Some(found) = search.by_proof()?
    {
        best = found;
    }
    if best.outcome == Outcome::None
        && let Some(sigma) = matchings(source, target, Unrolling::Pairs, 1).pop()
    {
        best.rho = synthesize(pool, source, target, &sigma);
        best.sigma = sigma;
    }
    best.undecided = search.undecided;
    best.ended = allowance.exhausted();
    Ok(best)
}

struct Search<'a> {
    pool: &'a Pool,
    source: &'a Graph,
    target: &'a Graph,
    invariant: &'a [Vec<Term>],
    solvers: &'a dyn Solvers,
    allowance: &'a Allowance,
    undecided: usize,
}

/// What came of checking all obligations.
enum Checked {
    Proved(Vec<(Obligation, Skolem)>),
    /// The first obligation that does not hold.
    Fails(Obligation),
}

impl Search<'_> {
    fn nothing(&self, sigma: &[usize], unrolling: Unrolling) -> Simulation {
        Simulation {
            outcome: Outcome::None,
            sigma: sigma.to_vec(),
            rho: Vec::new(),
            abstracted: Vec::new(),
            by_proof: false,
            unrolling,
            proved: Vec::new(),
            undecided: 0,
            ended: None,
        }
    }

    /// ABSTRACT and REFINE for one matching. What WEAKEN guesses is tried in all ways that make the
    /// failed edge hold, as long as there is no better outcome than an abstraction.
    fn attempt(&mut self, sigma: &[usize], unrolling: Unrolling) -> Result<Simulation, Broken> {
        let mut best = self.nothing(sigma, unrolling);
        let mut pending = vec![FxHashSet::default()];
        let mut tried = 0;
        while let Some(abstracted) = pending.pop() {
            tried += 1;
            if tried > GUESSES || self.allowance.exhausted().is_some() {
                break;
            }
            let mut rho = synthesize(self.pool, self.source, self.target, sigma);
            rho.iter_mut().for_each(|r| r.equal.retain(|(_, p)| !abstracted.contains(p)));
            let setting = Setting {
                pool: self.pool,
                source: self.source,
                target: self.target,
                sigma,
                rho: &rho,
                abstracted: &abstracted,
                invariant: self.invariant,
                unrolling,
            };
            let proved = match self.check(&setting)? {
                Checked::Proved(proved) => proved,
                Checked::Fails(failed) => {
                    let more = self.weaken(&setting, &failed)?;
                    pending.extend(more.into_iter().filter(|a| !self.is_universal(a)));
                    continue;
                }
            };
            let nothing = self.nothing(sigma, unrolling);
            let mut found = Simulation { outcome: Outcome::Identity, rho, proved, ..nothing };
            if !abstracted.is_empty() {
                found.abstracted = abstracted.into_iter().collect();
                found.abstracted.sort_unstable();
                found.outcome = Outcome::Abstraction;
                self.refine(&mut found)?;
            }
            let better = (found.outcome, found.abstracted.len())
                < (
                    best.outcome,
                    if best.proved.is_empty() { usize::MAX } else { best.abstracted.len() },
                );
            if better {
                best = found;
            }
            if best.outcome <= Outcome::Skolem {
                break;
            }
        }
        Ok(best)
    }

    /// Whether nothing is left of the target but its control: 𝕌.
    fn is_universal(&self, abstracted: &FxHashSet<Term>) -> bool {
        let mut all = self.target.points.iter().flat_map(|p| &p.variables);
        all.all(|v| abstracted.contains(&v.term))
    }

    /// The obligations one by one, up to the first that fails.
    fn check(&mut self, setting: &Setting<'_>) -> Result<Checked, Broken> {
        let mut proved = Vec::new();
        for obligation in setting.obligations() {
            match self.prove(&obligation)? {
                Some(skolem) => proved.push((obligation, skolem)),
                None => return Ok(Checked::Fails(obligation)),
            }
        }
        Ok(Checked::Proved(proved))
    }

    /// The Skolem relation of an obligation, if it is known to hold.
    fn prove(&mut self, obligation: &Obligation) -> Result<Option<Skolem>, Broken> {
        let allowance = self.allowance.within(self.allowance.share(SHARE, FORMULA));
        let (pool, solvers) = (self.pool, self.solvers);
        match decide(pool, &obligation.question, solvers, &allowance, Effort::Minimal)? {
            Validity::Valid(skolem) => Ok(Some(skolem)),
            Validity::Invalid(_) => Ok(None),
            Validity::Unknown(_) => {
                self.undecided += 1;
                Ok(None)
            }
        }
    }

    /// WEAKEN: what is abstracted next, the best last: sets with a variable that makes the failed
    /// edge hold, or with any one of the edge if there is none.
    fn weaken(
        &mut self,
        setting: &Setting<'_>,
        failed: &Obligation,
    ) -> Result<Vec<FxHashSet<Term>>, Broken> {
        let Some(number) = failed.edge else { return Ok(Vec::new()) };
        let edge = &self.source.edges[number];
        let mut candidates: Vec<Term> = Vec::new();
        // What ρ says nothing of but the edge depends on, then what is compared after and before it.
        let theirs = &self.target.points[setting.sigma[edge.from]].variables;
        let free = free_vars(self.pool, &[failed.question.conclusion]);
        let loose = theirs.iter().map(|v: &Variable| v.term).filter(|t| free.contains(t));
        let after = setting.rho[edge.to].equal.iter().map(|(_, p)| *p);
        let before = setting.rho[edge.from].equal.iter().map(|(_, p)| *p);
        for variable in loose.chain(after).chain(before) {
            if !setting.abstracted.contains(&variable) && !candidates.contains(&variable) {
                candidates.push(variable);
            }
        }
        let with = |candidate: &Term| {
            let mut abstracted = setting.abstracted.clone();
            abstracted.insert(*candidate);
            abstracted
        };
        let mut ways = Vec::new();
        for candidate in &candidates {
            if self.allowance.exhausted().is_some() {
                break;
            }
            let abstracted = with(candidate);
            let mut rho = setting.rho.to_vec();
            rho.iter_mut().for_each(|r| r.equal.retain(|(_, p)| p != candidate));
            let weaker = Setting { rho: &rho, abstracted: &abstracted, ..*setting };
            if self.prove(&weaker.of_edge(number))?.is_some() {
                ways.push(abstracted);
            }
        }
        if ways.is_empty() {
            ways.extend(candidates.first().map(with));
        }
        ways.reverse();
        Ok(ways)
    }

    /// REFINE and STRENGTHEN: variables that were abstracted become Skolem functions of the source,
    /// one after the other, where all obligations hold with that.
    fn refine(&mut self, found: &mut Simulation) -> Result<(), Broken> {
        for variable in found.abstracted.clone() {
            let mut rho = found.rho.clone();
            if !self.define(&mut rho, variable, found) {
                continue;
            }
            let abstracted: FxHashSet<Term> =
                found.abstracted.iter().copied().filter(|v| *v != variable).collect();
            let setting = Setting {
                pool: self.pool,
                source: self.source,
                target: self.target,
                sigma: &found.sigma,
                rho: &rho,
                abstracted: &abstracted,
                invariant: self.invariant,
                unrolling: found.unrolling,
            };
            if let Checked::Proved(proved) = self.check(&setting)? {
                found.proved = proved;
                found.abstracted.retain(|v| *v != variable);
                found.rho = rho;
            }
        }
        if found.abstracted.is_empty() {
            found.outcome = Outcome::Skolem;
        }
        Ok(())
    }

    /// Adds to ρ what the proofs say that a variable is, where that is about the source's variables;
    /// false if they do not say so wherever it is live.
    fn define(&self, rho: &mut [Relation], variable: Term, found: &Simulation) -> bool {
        for (obligation, skolem) in &found.proved {
            let Some(edge) = obligation.edge else { continue };
            let from = self.source.edges[edge].from;
            let known = rho[from].defined.iter().any(|(p, _)| *p == variable);
            let live = &self.target.points[found.sigma[from]].variables;
            if known || !live.iter().any(|v| v.term == variable) {
                continue;
            }
            let functions = skolem.functions(self.pool);
            let Some((_, function)) = functions.into_iter().find(|(v, _)| *v == variable) else {
                continue;
            };
            let ours = &self.source.points[from].variables;
            let about = free_vars(self.pool, &[function]);
            if about.iter().all(|v| ours.iter().any(|known| known.term == *v)) {
                rho[from].defined.push((variable, function));
            }
        }
        (0..rho.len()).all(|point| {
            let live = &self.target.points[found.sigma[point]].variables;
            !live.iter().any(|v| v.term == variable)
                || rho[point].defined.iter().any(|(p, _)| *p == variable)
        })
    }

    /// The source against what the invariant of the target says (\[Fed15\] Lemma 7).
    fn by_proof(&mut self) -> Result<Option<Simulation>, Broken> {
        let target = self.target.proof_abstraction(self.pool, self.invariant);
        for sigma in matchings(self.source, &target, Unrolling::Steps, MATCHINGS) {
            let rho = synthesize(self.pool, self.source, &target, &sigma);
            let setting = Setting {
                pool: self.pool,
                source: self.source,
                target: &target,
                sigma: &sigma,
                rho: &rho,
                abstracted: &FxHashSet::default(),
                invariant: self.invariant,
                unrolling: Unrolling::Steps,
            };
            if let Checked::Proved(proved) = self.check(&setting)? {
                let outcome = Outcome::Abstraction;
                let nothing = self.nothing(&sigma, Unrolling::Steps);
                return Ok(Some(Simulation { outcome, rho, proved, by_proof: true, ..nothing }));
            }
        }
        Ok(None)
    }
}
