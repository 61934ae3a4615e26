//! Seeds: lemmas that are guessed from runs and proved, beside the search.
//!
//! Exact predecessors speak of single rounds of a loop; what a loop keeps (x stays even, i ≤ n,
//! s = 2·i) often has no literal in the program. So the automaton is executed at random for a
//! while ([`crate::simulate`]); what all states seen at a node have in common, in a language of
//! bounds, residues and relations of two variables ([`crate::template`]), is a candidate. The
//! largest set of candidates that is inductive is found as in Houdini (Flanagan and Leino, FME
//! 2001): a candidate that is not preserved by an arrow is dropped, until nothing changes. What is
//! left holds in all frames.
//!
//! A guess can't harm but by its cost: every seed is proved. Easy searches are over before there
//! are any: the engine waits until one has become hard.

use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::graph::{ArrowId, NodeId};
use crate::linear::canonical;
use crate::observer::Phase;
use crate::simulate::simulate;
use crate::template::Templates;
use lemmas::INFINITE;
use program::execute::Values;
use smt::Answer;
use std::collections::BTreeSet;
use term::eval::default_value;
use term::traverse::free_vars;
use term::{Term, Value, evaluate};

/// How many queries the proof of the seeds may take.
const MAX_QUERIES: usize = 1_000;

/// What is thought to hold at a node.
enum Guess {
    /// Nothing was seen there: false.
    Unseen,
    /// These.
    Candidates(Vec<Term>),
}

impl Engine<'_> {
    /// Guesses lemmas, and adds those that can be proved; once.
    pub(crate) fn plant_seeds(&mut self) -> Result<(), End> {
        if std::mem::replace(&mut self.seeded, true) {
            return Ok(());
        }
        let pool = self.pool;
        let templates = Templates::new(pool, &self.graph);
        if templates.variables().next().is_none() {
            return Ok(());
        }
        let seen = simulate(pool, &self.graph, self.strategy.seed);
        let mut guesses: Vec<Guess> = seen
            .iter()
            .map(|states| match states[..] {
                [] => Guess::Unseen,
                _ => Guess::Candidates(templates.candidates(pool, states)),
            })
            .collect();
        guesses[self.graph.initial] = Guess::Candidates(Vec::new());
        if !self.prove(&templates, &mut guesses)? {
            return Ok(());
        }
        for (node, guess) in guesses.into_iter().enumerate() {
            if node == self.graph.initial || node == self.graph.error {
                continue;
            }
            match guess {
                Guess::Unseen => self.add_lemma(node, INFINITE, Cube::default())?,
                Guess::Candidates(candidates) => {
                    for candidate in self.without_implied(candidates)? {
                        self.add_lemma(node, INFINITE, Cube::new(vec![pool.not(candidate)]))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Drops candidates until all are preserved by all arrows; false if that takes too long.
    fn prove(&mut self, templates: &Templates, guesses: &mut [Guess]) -> Result<bool, End> {
        let mut pending: BTreeSet<ArrowId> = (0..self.graph.arrows.len()).collect();
        let mut queries = 0;
        while let Some(arrow) = pending.pop_first() {
            loop {
                queries += 1;
                if queries > MAX_QUERIES {
                    return Ok(false);
                }
                if self.preserves(templates, guesses, arrow)? {
                    break;
                }
                let to = self.graph.arrows[arrow].to;
                pending.extend(&self.graph.nodes[to].outgoing);
            }
        }
        Ok(true)
    }

    /// Whether an arrow preserves what is guessed; if not, the guess is made weaker.
    fn preserves(
        &mut self,
        templates: &Templates,
        guesses: &mut [Guess],
        arrow: ArrowId,
    ) -> Result<bool, End> {
        let pool = self.pool;
        let (from, to) = (self.graph.arrows[arrow].from, self.graph.arrows[arrow].to);
        let Guess::Candidates(before) = &guesses[from] else { return Ok(true) };
        if to == self.graph.error || to == self.graph.initial {
            return Ok(true);
        }
        let mut assumptions = before.clone();
        let effect = &mut self.graph.arrows[arrow].effect;
        assumptions.extend(&effect.guards);
        let after: Vec<Term> = match &guesses[to] {
            Guess::Unseen => vec![pool.fls()],
            Guess::Candidates(after) => {
                after.iter().map(|c| canonical(pool, effect.before(pool, *c))).collect()
            }
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
        match self.ask(from, &assumptions, &clause, Phase::Seed)? {
            Answer::Unsat => return Ok(true),
            Answer::Unknown(_) => {
                return self.keep_preserved(guesses, arrow, &assumptions, &after);
            }
            Answer::Sat => {}
        }
        if let Guess::Candidates(candidates) = &mut guesses[to] {
            let model = self.model(from, &after)?;
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
        let state = self.state_after(from, arrow, templates)?;
        guesses[to] = Guess::Candidates(templates.candidates(pool, &[state]));
        Ok(false)
    }

    /// Keeps the candidates that an arrow can be shown to preserve, asked about one by one, which
    /// is easier than all at once. Whether these were all.
    fn keep_preserved(
        &mut self,
        guesses: &mut [Guess],
        arrow: ArrowId,
        assumptions: &[Term],
        after: &[Term],
    ) -> Result<bool, End> {
        let pool = self.pool;
        let (from, to) = (self.graph.arrows[arrow].from, self.graph.arrows[arrow].to);
        let Guess::Candidates(candidates) = &guesses[to] else {
            guesses[to] = Guess::Candidates(Vec::new());
            return Ok(false);
        };
        let candidates = candidates.clone();
        let mut kept = Vec::new();
        for (candidate, after) in candidates.iter().zip(after) {
            let broken = pool.not(*after);
            let known = pool.as_bool(*after) == Some(true) || assumptions.contains(after);
            // SAT? candidates of ℓ ∧ guards ∧ ¬candidate' of ℓ'
            if known || self.ask(from, assumptions, &[broken], Phase::Seed)? == Answer::Unsat {
                kept.push(*candidate);
            }
        }
        let all = kept.len() == candidates.len();
        guesses[to] = Guess::Candidates(kept);
        Ok(all)
    }

    /// The state after an arrow in the model of the last query to its source.
    fn state_after(
        &mut self,
        from: NodeId,
        arrow: ArrowId,
        templates: &Templates,
    ) -> Result<Values, End> {
        let pool = self.pool;
        let assigned = self.graph.arrows[arrow].effect.assigned.clone();
        let mut terms: Vec<Term> = assigned.iter().map(|(_, value)| *value).collect();
        terms.extend(templates.variables());
        let mut model = self.model(from, &terms)?;
        for variable in free_vars(pool, &terms) {
            model.entry(variable).or_insert_with(|| default_value(pool, pool.sort(variable)));
        }
        let mut state = model.clone();
        for (variable, value) in assigned {
            if let Ok(value) = evaluate(pool, value, &model) {
                state.insert(variable, value);
            }
        }
        Ok(state)
    }

    /// The formulas without those that others among them imply.
    fn without_implied(&mut self, formulas: Vec<Term>) -> Result<Vec<Term>, End> {
        let mut kept: Vec<Term> = Vec::new();
        for formula in formulas {
            if self.implied_by(&kept, vec![formula])?.is_empty() {
                kept.push(formula);
            }
        }
        Ok(kept)
    }
}
