//! Formulas of an automaton as a document.
//!
//! Formulas are SMT-LIB text over the variables `%0`, `%1`, …, which the document says the names of.

use crate::names::{Name, Names, Path};
use program::Program;
use program::cfa::{Cfa, LocationId};
use program::verdict::{EVERY_FRAME, Proof, Unfinished};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use term::print::Printer;
use term::smtlib;
use term::traverse::{Substitution, conjuncts, free_vars, size};
use term::{Pool, Term};

/// How large a formula may be to be kept, in subterms.
const LARGEST: usize = 20_000;
/// How large all of them may be together.
const MOST: usize = 2_000_000;

/// Formulas by location.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Lemmas {
    /// Of a k-inductive proof.
    pub k: Option<usize>,
    /// Whether the formulas excluded every violation, and were inductive: otherwise they are what a
    /// search had come to.
    pub proof: bool,
    /// The variables that they speak of; those that the automaton does not have are parameters, without
    /// a name.
    pub variables: Vec<Option<Name>>,
    /// Declares the variables that formulas speak of, as SMT-LIB commands.
    pub declarations: String,
    /// The locations that have formulas, in the order of the text, by chain of calls.
    pub cuts: Vec<Cut>,
    /// Whether they may hold at every location, whatever it is called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub everywhere: bool,
    /// All variables of the automaton, with their sorts: whoever matches names wants to know those that
    /// were not spoken of.
    pub all: Vec<(Name, String)>,
}

/// A location, and what holds there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cut {
    /// The chain of calls that it is in.
    pub path: Path,
    /// What holds, as SMT-LIB terms.
    pub formulas: Vec<String>,
    /// Of what a search had come to, the highest frame of each formula, which fall; none if it holds in
    /// all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<Option<usize>>,
}

/// The name of a variable in formulas.
pub(crate) fn symbol(number: usize) -> String {
    format!("%{number}")
}

impl Lemmas {
    /// A proof about the automaton of a program; terms are of `pool`. None if it has no invariant.
    pub fn of_proof(program: &Program, pool: &Pool, cfa: &Cfa, proof: &Proof) -> Option<Lemmas> {
        let (k, invariant) = match proof {
            Proof::Inductive(invariant) => (None, invariant),
            Proof::KInductive { k, invariant } => (Some(*k), invariant),
            Proof::Exhausted { .. } => return None,
        };
        let mut lemmas = Lemmas::of(program, pool, cfa, &invariant.into());
        lemmas.cuts.iter_mut().for_each(|cut| cut.frames.clear());
        Some(Lemmas { k, proof: true, ..lemmas })
    }

    /// What a search had come to: formulas that need not be inductive.
    pub fn of(program: &Program, pool: &Pool, cfa: &Cfa, unfinished: &Unfinished) -> Lemmas {
        let names = Names::of(program, pool, cfa);
        let formulas = chosen(pool, &names, unfinished);
        let all: Vec<Term> =
            formulas.iter().flat_map(|(_, all)| all.iter().map(|(_, formula)| *formula)).collect();
        let of_term: FxHashMap<Term, &Name> =
            names.variables.iter().map(|(name, term)| (*term, name)).collect();
        let spoken = free_vars(pool, &all);
        let renamed = spoken
            .iter()
            .enumerate()
            .map(|(number, &variable)| (variable, pool.var(&symbol(number), pool.sort(variable))));
        let mut renaming = Substitution::new(renamed);
        let mut printer = Printer::new(pool);
        let cuts = formulas.iter().map(|(path, formulas)| {
            let text = |(_, formula): &(usize, Term)| printer.term(renaming.apply(pool, *formula));
            let frame = |(frame, _): &(usize, Term)| (*frame != EVERY_FRAME).then_some(*frame);
            let frames = formulas.iter().map(frame).collect();
            Cut { path: path.clone(), formulas: formulas.iter().map(text).collect(), frames }
        });
        let cuts = cuts.collect();
        let declarations = printer.take_declarations();
        let sorted = |(name, term): &(Name, Term)| (name.clone(), printer.sort(pool.sort(*term)));
        let all = names.variables.iter().map(sorted).collect();
        let variables = spoken.iter().map(|variable| of_term.get(variable).map(|n| (*n).clone()));
        let variables = variables.collect();
        Lemmas { k: None, proof: false, variables, declarations, cuts, everywhere: false, all }
    }

    /// Formulas that may hold everywhere, each over one variable that has a name.
    pub fn guessed(pool: &Pool, formulas: &[((Name, Term), Term)]) -> Lemmas {
        let (mut variables, mut all) = (Vec::new(), Vec::new());
        let mut numbers: FxHashMap<Term, Term> = FxHashMap::default();
        let mut printer = Printer::new(pool);
        for ((name, term), _) in formulas {
            let sort = pool.sort(*term);
            numbers.entry(*term).or_insert_with(|| {
                all.push((name.clone(), printer.sort(sort)));
                variables.push(Some(name.clone()));
                pool.var(&symbol(variables.len() - 1), sort)
            });
        }
        let mut renaming = Substitution::new(numbers);
        let text = |(_, formula): &(_, Term)| printer.term(renaming.apply(pool, *formula));
        let formulas = formulas.iter().map(text).collect();
        let cuts = vec![Cut { path: Path::new(), formulas, frames: Vec::new() }];
        let declarations = printer.take_declarations();
        Lemmas { k: None, proof: false, variables, declarations, cuts, everywhere: true, all }
    }

    /// The formulas of all cuts, as terms over variables called [`symbol`]; none if the text is not what
    /// this module writes.
    pub(crate) fn read(&self, pool: &Pool) -> Option<Vec<Vec<Term>>> {
        let mut text = self.declarations.clone();
        for formula in self.cuts.iter().flat_map(|cut| &cut.formulas) {
            text.push_str("\n(assert ");
            text.push_str(formula);
            text.push(')');
        }
        let script = smtlib::parse(pool, text.as_bytes()).ok()?;
        let mut terms = script.assertions();
        let read = |cut: &Cut| -> Option<Vec<Term>> {
            (0..cut.formulas.len()).map(|_| terms.next()).collect()
        };
        let formulas = self.cuts.iter().map(read).collect::<Option<Vec<Vec<Term>>>>()?;
        terms.next().is_none().then_some(formulas)
    }
}

/// The formulas that are kept, by location in the order of names: conjuncts one by one, those that hold
/// longest and small ones first if there are too many.
fn chosen(pool: &Pool, names: &Names, unfinished: &Unfinished) -> Vec<(Path, Vec<(usize, Term)>)> {
    let at = |location: LocationId| -> Vec<(Reverse<usize>, usize, Term)> {
        let formulas = unfinished.at.get(location).into_iter().flatten();
        let parts = formulas.flat_map(|(frame, formula)| {
            conjuncts(pool, *formula).into_iter().map(|part| (*frame, part))
        });
        let parts = parts.filter(|(_, part)| pool.as_bool(*part) != Some(true));
        let mut parts: Vec<(Reverse<usize>, usize, Term)> =
            parts.map(|(frame, part)| (Reverse(frame), size(pool, part), part)).collect();
        parts.retain(|(_, size, _)| *size <= LARGEST);
        parts.sort_unstable();
        parts.dedup();
        parts
    };
    let mut left = MOST;
    let mut kept = Vec::new();
    for (path, location) in &names.locations {
        if !unfinished.at.contains_idx(*location) {
            continue;
        }
        let mut formulas = Vec::new();
        for (Reverse(frame), size, formula) in at(*location) {
            let Some(rest) = left.checked_sub(size) else { break };
            left = rest;
            formulas.push((frame, formula));
        }
        kept.push((path.clone(), formulas));
    }
    kept
}
