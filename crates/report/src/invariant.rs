//! The invariant of a proof in terms of the source: for each loop, an expression of its
//! language.
//!
//! A proof speaks of locations of the automaton, of which there are several for one loop if its
//! function is called from several places; what holds at the loop is that one of them holds. A
//! conjunct that speaks of what can't be named at the loop (another function's variables, memory
//! without a name) is dropped, which weakens the invariant and is noted.

use program::Place;
use program::cfa::{Cfa, LocationId};
use program::program::{Program, Reading};
use program::verdict::Invariant;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use term::traverse::{free_vars, rewrite};
use term::{Op, Pool, Term};
use verify::Language;
use verify::language::Name;

/// How often equations are looked for that name a variable.
const ROUNDS: usize = 3;

/// The invariant that says nothing.
pub const TRUE: &str = "1";

/// What holds at a loop.
#[derive(Clone, Debug)]
pub struct LoopInvariant {
    /// The loop statement.
    pub place: Place,
    /// The function that it is in.
    pub function: String,
    /// The invariant, as the language writes it; [`TRUE`] if all conjuncts were dropped.
    pub expression: String,
    /// How many conjuncts have no form in it.
    pub dropped: usize,
}

/// The invariants at the loops of a program, by place.
pub fn loop_invariants(
    language: &dyn Language,
    program: &Program,
    cfa: &Cfa,
    invariant: &Invariant,
) -> Vec<LoopInvariant> {
    let mut loops: BTreeMap<Place, Vec<LocationId>> = BTreeMap::new();
    for (id, location) in cfa.locations.iter() {
        if location.loop_head && location.place.is_known() {
            loops.entry(location.place.clone()).or_default().push(id);
        }
    }
    let lift = Lift { language, program, cfa, pool: &program.pool };
    loops.into_iter().filter_map(|(place, at)| lift.at_loop(place, &at, invariant)).collect()
}

struct Lift<'a> {
    language: &'a dyn Language,
    program: &'a Program,
    cfa: &'a Cfa,
    pool: &'a Pool,
}

impl Lift<'_> {
    fn at_loop(
        &self,
        place: Place,
        at: &[LocationId],
        invariant: &Invariant,
    ) -> Option<LoopInvariant> {
        let mut cases: Vec<String> = Vec::new();
        let mut dropped = 0;
        for &location in at {
            // Nothing is claimed of a location without formulas.
            let formulas = invariant.at.get(location)?;
            let mut conjuncts: Vec<String> = Vec::new();
            for formula in self.in_named_variables(formulas, location, &place) {
                let name = |term| self.name(term, location, &place);
                match self.language.expression(self.pool, formula, &name) {
                    Some(text) if text == "1" => {}
                    Some(text) => conjuncts.push(format!("({text})")),
                    None => dropped += 1,
                }
            }
            conjuncts.dedup();
            if conjuncts.iter().any(|conjunct| conjunct == "(0)") {
                continue;
            }
            if conjuncts.is_empty() {
                conjuncts.push(TRUE.to_owned());
            }
            let case = conjuncts.join(" && ");
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
        let expression = match &cases[..] {
            [] => "0".to_owned(),
            cases if cases.iter().any(|case| case == TRUE) => TRUE.to_owned(),
            [case] => case.clone(),
            cases => cases.iter().map(|c| format!("({c})")).collect::<Vec<_>>().join(" || "),
        };
        if expression == TRUE && dropped == 0 {
            return None;
        }
        let function = self.function(at[0]);
        Some(LoopInvariant { place, function, expression, dropped })
    }

    /// The conjuncts of formulas, with variables that have no name (copies that the front end or the
    /// minimization has made) replaced by what they are equal to, where that can be named.
    fn in_named_variables(
        &self,
        formulas: &[Term],
        location: LocationId,
        place: &Place,
    ) -> Vec<Term> {
        let pool = self.pool;
        let is_variable = |term: Term| matches!(pool.op(term), Op::Var(_));
        let has_name = |term: &Term| self.name(*term, location, place).is_some();
        let mut conjuncts = self.conjuncts(formulas);
        // An equation may help to name what stands in another one.
        for _ in 0..ROUNDS {
            let mut equal: FxHashMap<Term, Term> = FxHashMap::default();
            for conjunct in &conjuncts {
                if *pool.op(*conjunct) != Op::Eq {
                    continue;
                }
                let [a, b] = pool.args(*conjunct)[..] else { continue };
                for (variable, value) in [(a, b), (b, a)] {
                    if is_variable(variable)
                        && !has_name(&variable)
                        && free_vars(pool, &[value]).iter().all(has_name)
                    {
                        equal.entry(variable).or_insert(value);
                    }
                }
            }
            if equal.is_empty() {
                break;
            }
            let mut done = FxHashMap::default();
            let replaced = conjuncts.iter().map(|conjunct| {
                rewrite(pool, *conjunct, &mut done, |variable| equal.get(&variable).copied())
            });
            let replaced: Vec<Term> = replaced.collect();
            conjuncts = self.conjuncts(&replaced);
        }
        conjuncts.retain(|conjunct| pool.as_bool(*conjunct) != Some(true));
        conjuncts
    }

    fn conjuncts(&self, formulas: &[Term]) -> Vec<Term> {
        let mut conjuncts = Vec::new();
        let mut open: Vec<Term> = formulas.iter().rev().copied().collect();
        while let Some(formula) = open.pop() {
            match self.pool.op(formula) {
                Op::And => open.extend(self.pool.args(formula).iter().rev()),
                _ => conjuncts.push(formula),
            }
        }
        conjuncts
    }

    /// The function that a location is in: the callee of the last open call.
    fn function(&self, location: LocationId) -> String {
        let context = self.cfa.locations[location].context;
        let call = context.and_then(|context| self.cfa.contexts[context].calls.last().copied());
        let Some((caller, edge)) = call else { return "main".to_owned() };
        let edge = &self.program.functions[caller].body().edges[edge];
        match &edge.instruction {
            program::program::Instruction::Call {
                callee: program::program::Callee::Function(callee),
                ..
            } => self.program.functions[*callee].name.to_string(),
            _ => "main".to_owned(),
        }
    }

    /// How a variable is called at a location, if it can be named there: a global register, or one of
    /// the location's own chain of calls that no other declaration may hide.
    fn name(&self, term: Term, location: LocationId, place: &Place) -> Option<Name> {
        let origin = self.cfa.variables.get(&term)?;
        let id = origin.variable?;
        let variable = &self.program.variables[id];
        let text = variable.name.as_deref()?;
        // What is known of an address comes from where objects lie here, and holds nowhere else.
        if variable.reading == Reading::Address {
            return None;
        }
        if variable.function.is_some() && origin.context != self.cfa.locations[location].context {
            return None;
        }
        if !self.declared_before(id, place) {
            return None;
        }
        // Where blocks end is not known here. Of several variables of one name only the one that the
        // loop itself declares is certainly the one that is meant.
        let several = self.program.variables.iter().any(|(other, candidate)| {
            let reaches = candidate.function.is_none()
                || variable.function.is_none()
                || candidate.function == variable.function;
            other != id
                && reaches
                && candidate.name.as_deref() == Some(text)
                && self.declared_before(other, place)
        });
        let hidden = several && variable.place.line != place.line;
        (!hidden)
            .then(|| Name { text: text.to_owned(), signed: variable.reading == Reading::Signed })
    }

    /// Whether a variable is declared before a loop, or in its head.
    fn declared_before(&self, variable: program::program::VariableId, place: &Place) -> bool {
        let declared = &self.program.variables[variable].place;
        declared.file != place.file || declared.line <= place.line
    }
}
