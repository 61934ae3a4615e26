//! An automaton that knows nothing of some arrays: each read of one takes any value, writes go.
//!
//! Every run of the automaton is one of the open one, with the same locations, and what variables other
//! than these arrays hold is the same; so an invariant of the open one is an invariant of the automaton.
//! Proofs about drivers, say, seldom rest on what is in their structures, and are found much faster
//! where nobody looks at it. (This is localization: R. Kurshan, *Computer-Aided Verification of
//! Coordinating Processes*, 1994.) A run of the open automaton says nothing.

use crate::cfa::{Cfa, Command, Edge, Input, Origin};
use crate::program::{Cause, Reading};
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::rewrite;
use term::{Op, Pool, Sort, Term};

/// The automaton with all its arrays open; none if it has none.
pub fn open(pool: &Pool, cfa: &Cfa) -> Option<Cfa> {
    let is_array = |term: &Term| matches!(pool.sort(*term), Sort::Array(_));
    let arrays: FxHashSet<Term> = cfa.variables.keys().copied().filter(is_array).collect();
    if arrays.is_empty() {
        return None;
    }
    let mut opener = Opener { pool, arrays, out: cfa.clone(), fresh: FxHashMap::default() };
    opener.out.variables.retain(|variable, _| !opener.arrays.contains(variable));
    let edges = std::mem::take(&mut opener.out.edges);
    for (_, edge) in edges {
        let command = opener.command(&edge.command);
        opener.out.edges.alloc(Edge { command, ..edge });
    }
    Some(opener.out)
}

struct Opener<'a> {
    pool: &'a Pool,
    arrays: FxHashSet<Term>,
    out: Cfa,
    /// The variables that take the unknown values of an atom, by sort and number.
    fresh: FxHashMap<(Sort, usize), Term>,
}

impl Opener<'_> {
    fn command(&mut self, command: &Command) -> Command {
        match command {
            Command::Assign(variable, _) | Command::Havoc(variable, _)
                if self.arrays.contains(variable) =>
            {
                Command::skip()
            }
            Command::Assign(variable, term) => {
                let (mut commands, term) = self.term(*term);
                commands.push(Command::Assign(*variable, term));
                Command::Sequence(commands)
            }
            Command::Assume(formula) => {
                let (mut commands, formula) = self.term(*formula);
                commands.push(Command::Assume(formula));
                Command::Sequence(commands)
            }
            Command::Havoc(..) => command.clone(),
            Command::Sequence(all) => {
                Command::Sequence(all.iter().map(|command| self.command(command)).collect())
            }
            Command::Choice(all) => {
                Command::Choice(all.iter().map(|command| self.command(command)).collect())
            }
        }
    }

    /// A term without arrays, and what makes the variables unknown that are read instead.
    fn term(&mut self, term: Term) -> (Vec<Command>, Term) {
        let pool = self.pool;
        let reads = |term: &Term| {
            let array = |term: &Term| matches!(pool.sort(*term), Sort::Array(_));
            matches!(pool.op(*term), Op::Select | Op::Eq) && pool.args(*term).iter().any(array)
        };
        let found = std::cell::RefCell::new(Vec::new());
        let mut done = FxHashMap::default();
        // The reads that are within no other.
        rewrite(pool, term, &mut done, |term| {
            reads(&term).then(|| {
                found.borrow_mut().push(term);
                term
            })
        });
        let found = found.into_inner();
        if found.is_empty() {
            return (Vec::new(), term);
        }
        let mut commands = Vec::new();
        let mut replaced = FxHashMap::default();
        let mut count: FxHashMap<Sort, usize> = FxHashMap::default();
        for read in found {
            let sort = pool.sort(read);
            let number = count.entry(sort).or_default();
            let variable = self.unknown(sort, *number);
            *number += 1;
            let input = Input { instruction: None, cause: Cause::Uninitialized, sort };
            commands.push(Command::Havoc(variable, self.out.inputs.alloc(input)));
            replaced.insert(read, variable);
        }
        (commands, rewrite(pool, term, &mut replaced, |_| None))
    }

    /// The variable that takes an unknown value.
    fn unknown(&mut self, sort: Sort, number: usize) -> Term {
        let (pool, variables) = (self.pool, &mut self.out.variables);
        *self.fresh.entry((sort, number)).or_insert_with(|| {
            let variable = pool.fresh_var("open", sort);
            let (name, reading) = ("open".into(), Reading::Unsigned);
            let origin = Origin { sort, variable: None, context: None, name, reading };
            variables.insert(variable, origin);
            variable
        })
    }
}
