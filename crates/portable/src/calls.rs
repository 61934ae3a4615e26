//! Summaries of procedures as a document, and the way back to the procedures of another version.
//!
//! Procedures are known by the name of their function and by which of its loops they are; variables by what
//! they are to a call and by their names, or by their place if no name fits. With each procedure stands the
//! sum of its function, which says whether it has changed: \[Fed15 §2.3, Algorithm 4\] asks about the
//! summaries of those that have, and of others only where it must.

use crate::difference::Signatures;
use crate::invariant::symbol;
use la_arena::ArenaMap;
use program::Program;
use program::procedures::{Interface, ProcedureId, Procedures, Summaries, Summary};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use term::print::Printer;
use term::traverse::{Substitution, free_vars};
use term::{Pool, Term, smtlib};

/// Summaries by procedure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Calls {
    /// Declares the variables that formulas speak of, as SMT-LIB commands.
    pub declarations: String,
    /// What the variables `%0`, `%1`, … stand for in the summary that speaks of them.
    pub variables: Vec<Role>,
    /// All procedures of the program, those without a summary too.
    pub procedures: Vec<Said>,
}

/// What is said of a procedure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Said {
    /// The name of its function.
    pub function: Arc<str>,
    /// Which of the procedures of this name it is: the function itself, then its loops.
    pub number: usize,
    /// The sum of its function; none if it has no body.
    pub form: Option<u64>,
    /// What holds of calls that return, as SMT-LIB terms.
    pub returns: Vec<String>,
    /// What holds of calls in which a violation is reached.
    pub fails: Vec<String>,
}

/// What a variable is to a call.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Role {
    /// Whether its value after the call is meant.
    pub after: bool,
    /// What it is called.
    pub name: String,
    /// Its place among inputs or outputs.
    pub place: usize,
}

impl Role {
    /// What a variable is that a call begins or ends with.
    pub(crate) fn of(pool: &Pool, after: bool, variable: Term, place: usize) -> Role {
        let name = pool.var_name(variable).unwrap_or_default();
        let name = name.rsplit_once('!').map_or(name, |(front, _)| front).to_owned();
        Role { after, name, place }
    }
}

/// The variables of an interface in the order of their places, with what they are.
fn roles(pool: &Pool, interface: &Interface) -> Vec<(Role, Term)> {
    let inputs = interface.inputs.iter().enumerate();
    let inputs = inputs.map(|(place, &term)| (Role::of(pool, false, term, place), term));
    let outputs = interface
        .outputs
        .iter()
        .enumerate()
        .map(|(place, output)| (Role::of(pool, true, output.variable, place), output.after));
    inputs.chain(outputs).collect()
}

/// The procedures with their functions, and which of its procedures each is.
pub(crate) fn numbered(procedures: &Procedures) -> Vec<(ProcedureId, Arc<str>, usize)> {
    let mut counts: FxHashMap<Arc<str>, usize> = FxHashMap::default();
    let number = |(id, procedure): (ProcedureId, &program::procedures::Procedure)| {
        let count = counts.entry(procedure.name.clone()).or_default();
        *count += 1;
        (id, procedure.name.clone(), *count - 1)
    };
    procedures.procedures.iter().map(number).collect()
}

impl Calls {
    /// Summaries that prove a program; terms are of `pool`.
    pub fn of(program: &Program, pool: &Pool, procedures: &Procedures, proof: &Summaries) -> Calls {
        let signatures = Signatures::of(program);
        let mut all: FxHashMap<ProcedureId, Summary> = FxHashMap::default();
        for node in &proof.nodes {
            let summary = all.entry(node.procedure).or_default();
            node.summary.iter().for_each(|more| summary.add(more));
        }
        let (mut variables, mut said) = (Vec::new(), Vec::new());
        let mut printer = Printer::new(pool);
        for (id, function, number) in numbered(procedures) {
            let summary = all.remove(&id).unwrap_or_default();
            let spoken: FxHashSet<Term> =
                free_vars(pool, &[&summary.returns[..], &summary.fails].concat())
                    .into_iter()
                    .collect();
            let mut map = FxHashMap::default();
            for (role, term) in proof.interfaces.get(id).into_iter().flat_map(|i| roles(pool, i)) {
                if spoken.contains(&term) {
                    map.insert(term, pool.var(&symbol(variables.len()), pool.sort(term)));
                    variables.push(role);
                }
            }
            let mut renaming = Substitution::new(map);
            let mut text = |formulas: &[Term]| -> Vec<String> {
                formulas
                    .iter()
                    .map(|formula| printer.term(renaming.apply(pool, *formula)))
                    .collect()
            };
            let (returns, fails) = (text(&summary.returns), text(&summary.fails));
            let form = signatures.function(&function);
            said.push(Said { function, number, form, returns, fails });
        }
        Calls { declarations: printer.take_declarations(), variables, procedures: said }
    }

    /// What may be believed of the procedures of another version, and which of them have changed.
    /// None if the document is not what this module writes.
    pub fn on(
        &self,
        program: &Program,
        pool: &Pool,
        procedures: &Procedures,
        interfaces: &ArenaMap<ProcedureId, Interface>,
    ) -> Option<(ArenaMap<ProcedureId, Summary>, FxHashSet<ProcedureId>)> {
        let formulas = self.read(pool)?;
        let signatures = Signatures::of(program);
        let (mut believed, mut changed) = (ArenaMap::default(), FxHashSet::default());
        for (id, function, number) in numbered(procedures) {
            let known = self.procedures.iter().zip(&formulas);
            let mut known = known.filter(|(s, _)| s.function == function && s.number == number);
            let mut summary = Summary::default();
            match known.next() {
                None => {
                    changed.insert(id);
                }
                Some((said, formulas)) => {
                    let new = roles(pool, &interfaces[id]);
                    let mut renaming = renaming(pool, &self.variables, &new, formulas);
                    let mut renamed = |formulas: &[Term]| -> Vec<Term> {
                        formulas.iter().filter_map(|f| renaming.apply(pool, *f)).collect()
                    };
                    let (returns, fails) = formulas.split_at(said.returns.len());
                    summary = Summary { returns: renamed(returns), fails: renamed(fails) };
                    if said.form != signatures.function(&function) {
                        changed.insert(id);
                    }
                }
            }
            believed.insert(id, summary);
        }
        Some((believed, changed))
    }

    /// The formulas of each procedure, those of returns first, over variables called [`symbol`].
    fn read(&self, pool: &Pool) -> Option<Vec<Vec<Term>>> {
        let mut text = self.declarations.clone();
        let all = |said: &Said| said.returns.iter().chain(&said.fails).cloned().collect::<Vec<_>>();
        for formula in self.procedures.iter().flat_map(all) {
            text.push_str(&format!("\n(assert {formula})"));
        }
        let script = smtlib::parse(pool, text.as_bytes()).ok()?;
        let mut terms = script.assertions();
        let mut read = |said: &Said| -> Option<Vec<Term>> {
            (0..said.returns.len() + said.fails.len()).map(|_| terms.next()).collect()
        };
        let formulas = self.procedures.iter().map(&mut read).collect::<Option<Vec<_>>>()?;
        terms.next().is_none().then_some(formulas)
    }
}

/// What takes formulas of a document to variables that are something to a call: by what they are and their
/// names, then by places.
pub(crate) fn renaming(
    pool: &Pool,
    variables: &[Role],
    new: &[(Role, Term)],
    formulas: &[Term],
) -> Renaming {
    let fits = |variable: Term, term: Term| pool.sort(variable) == pool.sort(term);
    let mut map: FxHashMap<Term, Term> = FxHashMap::default();
    let spoken = free_vars(pool, formulas);
    let old: Vec<(Term, &Role)> = spoken
        .into_iter()
        .filter_map(|variable| {
            let number = pool.var_name(variable)?.strip_prefix('%')?.parse::<usize>().ok()?;
            Some((variable, variables.get(number)?))
        })
        .collect();
    let by_name = |a: &Role, b: &Role| (a.after, &a.name) == (b.after, &b.name);
    let by_place = |a: &Role, b: &Role| (a.after, a.place) == (b.after, b.place);
    for same in [&by_name as &dyn Fn(&Role, &Role) -> bool, &by_place] {
        for &(variable, role) in &old {
            let taken: FxHashSet<Term> = map.values().copied().collect();
            let mut found = new.iter().filter(|(other, term)| {
                same(role, other) && fits(variable, *term) && !taken.contains(term)
            });
            if let (false, Some((_, term))) = (map.contains_key(&variable), found.next()) {
                map.insert(variable, *term);
            }
        }
    }
    Renaming { known: map.keys().copied().collect(), apply: Substitution::new(map) }
}

/// From variables of the document to those of an interface.
pub(crate) struct Renaming {
    known: FxHashSet<Term>,
    apply: Substitution,
}

impl Renaming {
    /// The formula in other variables, if all of them have one.
    pub(crate) fn apply(&mut self, pool: &Pool, formula: Term) -> Option<Term> {
        let all = free_vars(pool, &[formula]).iter().all(|variable| self.known.contains(variable));
        all.then(|| self.apply.apply(pool, formula))
    }
}
