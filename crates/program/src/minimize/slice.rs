//! Slicing to the property: what no assumption depends on goes.
//!
//! A variable is needed if it occurs in an assumption, or in a term that a needed variable is
//! assigned. All assignments and havocs of the others go, and with them the variables: so an
//! invariant of the smaller automaton mentions none of them, and holds of the larger as it is.
//! An assignment that the same block overwrites before anybody reads it goes too, as no
//! invariant can see it.
//!
//! Havocs stay together: if one of an instruction is needed, all are.

use super::Work;
use super::back::Undo;
use crate::blocks::{flatten, sequence};
use crate::cfa::{Cfa, Command, InputId};
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;
use term::traverse::free_vars;
use term::{Op, Pool, Term};

/// Variables of terms, each term looked at once.
pub(super) struct Variables<'a> {
    pool: &'a Pool,
    /// By the term's number.
    of: Vec<Option<Rc<[Term]>>>,
}

impl<'a> Variables<'a> {
    pub fn new(pool: &'a Pool) -> Self {
        Variables { pool, of: Vec::new() }
    }

    pub fn of(&mut self, term: Term) -> Rc<[Term]> {
        if self.of.len() <= term.index() {
            self.of.resize(self.pool.len(), None);
        }
        let pool = self.pool;
        let find = || match pool.op(term) {
            Op::Var(_) => [term].into(),
            Op::Value(_) => Rc::default(),
            _ => free_vars(pool, &[term]).into(),
        };
        self.of[term.index()].get_or_insert_with(find).clone()
    }
}

/// Removes what no assumption depends on.
pub(super) fn slice(work: &mut Work) -> Option<Arc<dyn Undo>> {
    let Work { variables, cfa, .. } = work;
    let needed = needed(variables, cfa);
    for (_, edge) in cfa.edges.iter_mut() {
        let command = std::mem::replace(&mut edge.command, Command::skip());
        let mut commands = kept(command, &needed);
        remove_overwritten(variables, &mut commands);
        edge.command = sequence(commands);
    }
    cfa.variables.retain(|variable, _| needed.contains(variable));
    None
}

/// Forgets variables that no edge mentions.
pub(super) fn drop_unused(variables: &mut Variables, cfa: &mut Cfa) {
    let mut used = FxHashSet::default();
    for edge in cfa.edges.values() {
        edge.command.for_each_atom(&mut |command| match command {
            Command::Assume(term) => used.extend(variables.of(*term).iter()),
            Command::Assign(variable, term) => {
                used.insert(*variable);
                used.extend(variables.of(*term).iter());
            }
            Command::Havoc(variable, _) => {
                used.insert(*variable);
            }
            _ => {}
        });
    }
    cfa.variables.retain(|variable, _| used.contains(variable));
}

/// The variables that an assumption depends on.
fn needed(variables: &mut Variables, cfa: &Cfa) -> FxHashSet<Term> {
    let mut sources: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
    let mut havocked: FxHashMap<Term, Vec<InputId>> = FxHashMap::default();
    let mut targets: ArenaMap<InputId, Vec<Term>> = ArenaMap::default();
    let mut pending: Vec<Term> = Vec::new();
    for edge in cfa.edges.values() {
        edge.command.for_each_atom(&mut |command| match command {
            Command::Assume(formula) => pending.extend(variables.of(*formula).iter()),
            Command::Assign(variable, term) => {
                sources.entry(*variable).or_default().push(*term);
            }
            Command::Havoc(variable, input) => {
                havocked.entry(*variable).or_default().push(*input);
                targets.entry(*input).or_default().push(*variable);
            }
            _ => {}
        });
    }
    // The inputs of each instruction.
    let mut inputs_of: FxHashMap<_, Vec<InputId>> = FxHashMap::default();
    for (id, input) in cfa.inputs.iter() {
        if let Some(instruction) = input.instruction {
            inputs_of.entry(instruction).or_default().push(id);
        }
    }
    let mut needed = FxHashSet::default();
    while let Some(variable) = pending.pop() {
        if !needed.insert(variable) {
            continue;
        }
        for term in sources.remove(&variable).unwrap_or_default() {
            pending.extend(variables.of(term).iter());
        }
        for input in havocked.remove(&variable).unwrap_or_default() {
            let Some(instruction) = cfa.inputs[input].instruction else { continue };
            for sibling in inputs_of.remove(&instruction).unwrap_or_default() {
                pending.extend(targets.get(sibling).into_iter().flatten());
            }
        }
    }
    needed
}

/// A command without what assigns variables that are not needed.
fn kept(command: Command, needed: &FxHashSet<Term>) -> Vec<Command> {
    let mut result = Vec::new();
    for command in flatten(command) {
        match command {
            Command::Assign(variable, _) | Command::Havoc(variable, _)
                if !needed.contains(&variable) => {}
            // Nesting is bounded by the blocks that make choices.
            Command::Choice(alternatives) => {
                let mut alternatives: Vec<Command> = alternatives
                    .into_iter()
                    .map(|command| sequence(kept(command, needed)))
                    .collect();
                let mut seen = FxHashSet::default();
                alternatives.retain(|command| seen.insert(command.clone()));
                match alternatives.len() {
                    1 => result.extend(alternatives.pop().map(flatten).unwrap_or_default()),
                    _ => result.push(Command::Choice(alternatives)),
                }
            }
            other => result.push(other),
        }
    }
    result
}

/// Removes assignments whose variable is assigned again before it is read.
fn remove_overwritten(variables: &mut Variables, commands: &mut Vec<Command>) {
    // From the end: the variables whose value here nobody reads.
    let mut overwritten: FxHashSet<Term> = FxHashSet::default();
    let mut keep = vec![true; commands.len()];
    for (n, command) in commands.iter().enumerate().rev() {
        match command {
            Command::Assign(variable, term) => {
                if !overwritten.insert(*variable) {
                    keep[n] = false;
                    continue;
                }
                for read in variables.of(*term).iter() {
                    overwritten.remove(read);
                }
            }
            Command::Havoc(variable, _) => {
                overwritten.insert(*variable);
            }
            Command::Assume(formula) => {
                for read in variables.of(*formula).iter() {
                    overwritten.remove(read);
                }
            }
            // What a choice reads and what it may leave as it is, is not known to be overwritten;
            // assignments of all else before it stay as they are.
            nested => nested.for_each_atom(&mut |command| {
                let (Command::Assume(term) | Command::Assign(_, term)) = command else { return };
                for read in variables.of(*term).iter() {
                    overwritten.remove(read);
                }
            }),
        }
    }
    let mut keep = keep.into_iter();
    commands.retain(|_| keep.next().unwrap_or(true));
}
