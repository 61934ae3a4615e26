//! Seeds: what all states of random runs have in common, proved.
//!
//! What a loop keeps (x stays even, i ≤ n, s = 2·i) often has no literal in the program, and a
//! search by exact predecessors, which speak of single rounds, has a hard time to find it. So the
//! automaton is executed at random for a while ([`mod@simulate`]); what all states seen at a node have
//! in common, in a language of bounds, residues and relations of two variables ([`template`]), is
//! a candidate. The largest set of candidates that is inductive is found as in Houdini (Flanagan
//! and Leino, FME 2001): a candidate that is not preserved by a step is dropped, until nothing
//! changes.
//!
//! [`crate::houdini`] does the same for guesses from abstract interpretation. There the guesses
//! are many and their proof is the point; here whoever searches answers the questions, with the
//! solvers and lemmas that he has anyway, and learns more about nodes that no run has visited: their
//! guess is false, and then what a first state found by a solver has in common with itself.

mod simulate;
mod template;

use crate::polynomial::canonical_equation;
use program::execute::Values;
use program::wep::Effect;
use rustc_hash::FxHashSet;
use simulate::simulate;
use smt::Answer;
use std::collections::BTreeSet;
use template::Templates;
use term::eval::default_value;
use term::traverse::{free_vars, subterms};
use term::{Op, Pool, Term, Value, evaluate};

/// How many queries the proof of the seeds may take.
const MAX_QUERIES: usize = 1_000;

/// An automaton with choice-free steps; nodes are numbers.
#[derive(Debug)]
pub struct Graph {
    /// How many nodes there are.
    pub nodes: usize,
    /// Where runs begin, in any state.
    pub initial: usize,
    /// Where violations lead.
    pub error: usize,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A choice-free step.
#[derive(Debug)]
pub struct Step {
    /// Where it leaves.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// What it does.
    pub effect: Effect,
}

/// Answers the questions by which guesses are proved.
pub trait Prover {
    /// Why there is no answer.
    type Error;

    /// SAT? what is known at the node ∧ ⋀ assumptions ∧ ⋁ clause
    fn ask(
        &mut self,
        node: usize,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Self::Error>;

    /// After [`Answer::Sat`] about a node: the values of the variables of some terms.
    fn model(&mut self, node: usize, terms: &[Term]) -> Result<Values, Self::Error>;
}

/// Formulas by node that are inductive together; none at the initial node and the error node, and
/// none at all where there is nothing to guess or the proof takes too long.
///
/// Equal seeds of randomness give equal guesses.
pub fn seeds<P: Prover>(
    pool: &Pool,
    graph: Graph,
    random: u64,
    prover: &mut P,
) -> Result<Vec<Vec<Term>>, P::Error> {
    let mut formulas = vec![Vec::new(); graph.nodes];
    let templates = Templates::new(pool, &graph);
    if templates.variables().next().is_none() {
        return Ok(formulas);
    }
    let seen = simulate(pool, &graph, random);
    let guess = |states: &Vec<Values>| match states[..] {
        [] => Guess::Unseen,
        _ => Guess::Candidates(templates.candidates(pool, states)),
    };
    let mut guesses: Vec<Guess> = seen.iter().map(guess).collect();
    guesses[graph.initial] = Guess::Candidates(Vec::new());
    let mut trial = Trial { pool, graph, templates, guesses, prover };
    if !trial.prove()? {
        return Ok(formulas);
    }
    for (node, guess) in trial.guesses.into_iter().enumerate() {
        if node != trial.graph.initial && node != trial.graph.error {
            formulas[node] = match guess {
                Guess::Unseen => vec![pool.fls()],
                Guess::Candidates(candidates) => candidates,
            };
        }
    }
    Ok(formulas)
}

/// The variables to which some step assigns the result of arithmetic on a variable.
pub fn counters<'e>(pool: &Pool, effects: impl Iterator<Item = &'e Effect>) -> FxHashSet<Term> {
    let arithmetic = |t: &Term| {
        let computed = matches!(
            pool.op(*t),
            Op::BvAdd | Op::BvSub | Op::BvMul | Op::BvNeg | Op::BvShl | Op::BvLshr | Op::BvAshr
        );
        computed && !free_vars(pool, &[*t]).is_empty()
    };
    let assigned = effects.flat_map(|effect| &effect.assigned);
    let counting = assigned.filter(|(_, value)| subterms(pool, &[*value]).iter().any(arithmetic));
    counting.map(|(variable, _)| *variable).collect()
}

/// What is thought to hold at a node.
enum Guess {
    /// Nothing was seen there: false.
    Unseen,
    /// These.
    Candidates(Vec<Term>),
}

/// Guesses on trial.
struct Trial<'a, P> {
    pool: &'a Pool,
    graph: Graph,
    templates: Templates,
    guesses: Vec<Guess>,
    prover: &'a mut P,
}

impl<P: Prover> Trial<'_, P> {
    /// Drops candidates until all are preserved by all steps; false if that takes too long.
    fn prove(&mut self) -> Result<bool, P::Error> {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); self.graph.nodes];
        for (step, Step { from, .. }) in self.graph.steps.iter().enumerate() {
            leaving[*from].push(step);
        }
        let mut pending: BTreeSet<usize> = (0..self.graph.steps.len()).collect();
        let mut queries = 0;
        while let Some(step) = pending.pop_first() {
            loop {
                queries += 1;
                if queries > MAX_QUERIES {
                    return Ok(false);
                }
                if self.preserves(step)? {
                    break;
                }
                pending.extend(&leaving[self.graph.steps[step].to]);
            }
        }
        Ok(true)
    }

    /// Whether a step preserves what is guessed; if not, the guess is made weaker.
    fn preserves(&mut self, step: usize) -> Result<bool, P::Error> {
        let pool = self.pool;
        let Step { from, to, effect } = &mut self.graph.steps[step];
        let (from, to) = (*from, *to);
        let Guess::Candidates(before) = &self.guesses[from] else { return Ok(true) };
        if to == self.graph.error || to == self.graph.initial {
            return Ok(true);
        }
        let mut assumptions = before.clone();
        assumptions.extend(&effect.guards);
        let mut image = |c: &Term| canonical_equation(pool, effect.before(pool, *c));
        let after: Vec<Term> = match &self.guesses[to] {
            Guess::Unseen => vec![pool.fls()],
            Guess::Candidates(after) => after.iter().map(&mut image).collect(),
        };
        let clause: Vec<Term> = after
            .iter()
            .map(|c| pool.not(*c))
            .filter(|c| pool.as_bool(*c) != Some(false) && !assumptions.contains(&pool.not(*c)))
            .collect();
        if clause.is_empty() {
            return Ok(true);
        }
        // SAT? candidates of ℓ ∧ guards ∧ ⋁ ¬candidates' of ℓ'
        match self.prover.ask(from, &assumptions, &clause)? {
            Answer::Unsat => return Ok(true),
            Answer::Unknown(_) => return self.keep_preserved(step, &assumptions, &after),
            Answer::Sat => {}
        }
        if let Guess::Candidates(candidates) = &mut self.guesses[to] {
            let model = self.prover.model(from, &after)?;
            let mut holds =
                after.iter().map(|c| evaluate(pool, *c, &model) == Ok(Value::Bool(true)));
            let kept = candidates.len();
            candidates.retain(|_| holds.next().unwrap_or(false));
            if candidates.len() == kept {
                // The model gives a meaning to what evaluation leaves open.
                candidates.clear();
            }
            return Ok(false);
        }
        let state = self.state_after(step)?;
        self.guesses[to] = Guess::Candidates(self.templates.candidates(pool, &[state]));
        Ok(false)
    }

    /// Keeps the candidates that a step can be shown to preserve, asked about one by one, which
    /// is easier than all at once. Whether these were all.
    fn keep_preserved(
        &mut self,
        step: usize,
        assumptions: &[Term],
        after: &[Term],
    ) -> Result<bool, P::Error> {
        let pool = self.pool;
        let Step { from, to, .. } = self.graph.steps[step];
        let Guess::Candidates(candidates) = &self.guesses[to] else {
            self.guesses[to] = Guess::Candidates(Vec::new());
            return Ok(false);
        };
        let mut kept = Vec::new();
        for (candidate, after) in candidates.iter().zip(after) {
            let broken = pool.not(*after);
            let known = pool.as_bool(*after) == Some(true) || assumptions.contains(after);
            // SAT? candidates of ℓ ∧ guards ∧ ¬candidate' of ℓ'
            if known || self.prover.ask(from, assumptions, &[broken])? == Answer::Unsat {
                kept.push(*candidate);
            }
        }
        let all = kept.len() == candidates.len();
        self.guesses[to] = Guess::Candidates(kept);
        Ok(all)
    }

    /// The state after a step in the model of the last query about its source.
    fn state_after(&mut self, step: usize) -> Result<Values, P::Error> {
        let pool = self.pool;
        let Step { from, effect, .. } = &self.graph.steps[step];
        let mut terms: Vec<Term> = effect.assigned.iter().map(|(_, value)| *value).collect();
        terms.extend(self.templates.variables());
        let mut model = self.prover.model(*from, &terms)?;
        for variable in free_vars(pool, &terms) {
            model.entry(variable).or_insert_with(|| default_value(pool, pool.sort(variable)));
        }
        let mut state = model.clone();
        for (variable, value) in &effect.assigned {
            if let Ok(value) = evaluate(pool, *value, &model) {
                state.insert(*variable, value);
            }
        }
        Ok(state)
    }
}
