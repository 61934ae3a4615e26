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
use super::pass::Done;
use crate::blocks::{flatten, sequence};
use crate::cfa::{Cfa, Command, InputId};
use crate::terms::Terms;
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use term::Term;

/// Removes what no assumption depends on.
pub(super) fn slice(work: &mut Work) -> Done {
    let Work { terms, cfa, .. } = work;
    let needed = needed(terms, cfa);
    for (_, edge) in cfa.edges.iter_mut() {
        keep(&mut edge.command, &needed);
        if let Command::Sequence(commands) = &mut edge.command {
            remove_overwritten(terms, commands);
            edge.command = sequence(std::mem::take(commands));
        }
    }
    cfa.variables.retain(|variable, _| needed.contains(variable));
    Done::Changed
}

/// Forgets variables that no edge mentions.
pub(super) fn drop_unused(terms: &mut Terms, cfa: &mut Cfa) {
    let mut used = FxHashSet::default();
    for edge in cfa.edges.values() {
        edge.command.for_each_atom(&mut |command| match command {
            Command::Assume(term) => used.extend(terms.variables(*term).iter()),
            Command::Assign(variable, term) => {
                used.insert(*variable);
                used.extend(terms.variables(*term).iter());
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
fn needed(terms: &mut Terms, cfa: &Cfa) -> FxHashSet<Term> {
    let mut sources: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
    let mut havocked: FxHashMap<Term, Vec<InputId>> = FxHashMap::default();
    let mut targets: ArenaMap<InputId, Vec<Term>> = ArenaMap::default();
    let mut pending: Vec<Term> = Vec::new();
    for edge in cfa.edges.values() {
        edge.command.for_each_atom(&mut |command| match command {
            Command::Assume(formula) => pending.extend(terms.variables(*formula).iter()),
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
            pending.extend(terms.variables(term));
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

/// Removes from a command what assigns variables that are not needed.
fn keep(command: &mut Command, needed: &FxHashSet<Term>) {
    match command {
        Command::Assume(_) => {}
        Command::Assign(variable, _) | Command::Havoc(variable, _) => {
            if !needed.contains(variable) {
                *command = Command::skip();
            }
        }
        Command::Sequence(commands) => {
            let mut commands = std::mem::take(commands);
            keep_all(&mut commands, needed);
            *command = sequence(commands);
        }
        // Nesting is bounded by the blocks that make choices.
        Command::Choice(alternatives) => {
            alternatives.iter_mut().for_each(|alternative| keep(alternative, needed));
            remove_repeated(alternatives);
            if alternatives.len() == 1 {
                *command = alternatives.remove(0);
            }
        }
    }
}

/// The same of a sequence, which has no other in it then.
fn keep_all(commands: &mut Vec<Command>, needed: &FxHashSet<Term>) {
    let mut nested = false;
    commands.retain_mut(|command| {
        keep(command, needed);
        nested |= matches!(command, Command::Sequence(_));
        !command.is_skip()
    });
    if nested {
        *commands = flatten(Command::Sequence(std::mem::take(commands)));
    }
}

/// So many alternatives are compared with each other.
const FEW: usize = 8;

/// Removes alternatives that are the same as others before them.
fn remove_repeated(alternatives: &mut Vec<Command>) {
    let mut seen = FxHashSet::default();
    let few = alternatives.len() <= FEW;
    let first = |(n, command)| {
        if few { !alternatives[..n].contains(command) } else { seen.insert(command) }
    };
    let first: Vec<bool> = alternatives.iter().enumerate().map(first).collect();
    let mut first = first.into_iter();
    alternatives.retain(|_| first.next().unwrap_or(true));
}

/// Removes assignments whose variable is assigned again before it is read.
fn remove_overwritten(terms: &mut Terms, commands: &mut Vec<Command>) {
    if commands.len() < 2 {
        return;
    }
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
                for read in terms.variables(*term).iter() {
                    overwritten.remove(read);
                }
            }
            Command::Havoc(variable, _) => {
                overwritten.insert(*variable);
            }
            Command::Assume(formula) => {
                for read in terms.variables(*formula).iter() {
                    overwritten.remove(read);
                }
            }
            // What a choice reads and what it may leave as it is, is not known to be overwritten;
            // assignments of all else before it stay as they are.
            nested => nested.for_each_atom(&mut |command| {
                let (Command::Assume(term) | Command::Assign(_, term)) = command else { return };
                for read in terms.variables(*term).iter() {
                    overwritten.remove(read);
                }
            }),
        }
    }
    let mut keep = keep.into_iter();
    commands.retain(|_| keep.next().unwrap_or(true));
}
