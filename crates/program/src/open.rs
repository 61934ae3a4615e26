//! An automaton that knows nothing of some arrays: each read of one takes any value, writes go.
//!
//! Every run of the automaton is one of the open one, with the same locations, and what variables other
//! than these arrays hold is the same; so an invariant of the open one is an invariant of the automaton.
//! Proofs about drivers, say, seldom rest on what is in their structures, and are found much faster
//! where nobody looks at it. (This is localization: R. Kurshan, *Computer-Aided Verification of
//! Coordinating Processes*, 1994.) A run of the open automaton says nothing.
//!
//! The variables that take the values of reads are zero again as soon as they were used. So they are
//! zero at every location, and an invariant that mentions them (a copy of what was read) holds of the
//! automaton with zero in their place.

use crate::cfa::{Cfa, Command, Edge, Input, Origin};
use crate::program::{Cause, Reading};
use crate::verdict::Invariant;
use rustc_hash::{FxHashMap, FxHashSet};
use term::eval::default_value;
use term::traverse::rewrite;
use term::{Op, Pool, Sort, Term};

/// An open automaton.
pub struct Opened {
    /// The automaton.
    pub cfa: Cfa,
    /// What its new variables hold at every location.
    zeros: FxHashMap<Term, Term>,
}

impl Opened {
    /// An automaton with nothing to open.
    pub fn unchanged(cfa: Cfa) -> Self {
        Opened { cfa, zeros: FxHashMap::default() }
    }

    /// The invariant of the automaton that an invariant of the open one is.
    pub fn closed(&self, pool: &Pool, mut invariant: Invariant) -> Invariant {
        let mut done = FxHashMap::default();
        for (_, formulas) in invariant.at.iter_mut() {
            for formula in formulas {
                let zero = |term: Term| self.zeros.get(&term).copied();
                *formula = rewrite(pool, *formula, &mut done, zero);
            }
        }
        invariant
    }
}

/// The automaton with all its arrays open; none if it has none.
pub fn open(pool: &Pool, cfa: &Cfa) -> Option<Opened> {
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
    let fresh = opener.fresh.values();
    let zeros = fresh.map(|&variable| (variable, zero(pool, variable))).collect();
    Some(Opened { cfa: opener.out, zeros })
}

/// What a variable holds that holds nothing.
fn zero(pool: &Pool, variable: Term) -> Term {
    pool.constant(default_value(pool, pool.sort(variable)))
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
                self.reading(*term, |term| Command::Assign(*variable, term))
            }
            Command::Assume(formula) => self.reading(*formula, Command::Assume),
            Command::Havoc(..) => command.clone(),
            Command::Sequence(all) => {
                Command::Sequence(all.iter().map(|command| self.command(command)).collect())
            }
            Command::Choice(all) => {
                Command::Choice(all.iter().map(|command| self.command(command)).collect())
            }
        }
    }

    /// A command with a term in which unknown values take the place of reads.
    fn reading(&mut self, term: Term, command: impl FnOnce(Term) -> Command) -> Command {
        let (taken, term) = self.term(term);
        let mut commands = Vec::with_capacity(2 * taken.len() + 1);
        for &variable in &taken {
            let sort = self.pool.sort(variable);
            let input = Input { instruction: None, cause: Cause::Uninitialized, sort };
            commands.push(Command::Havoc(variable, self.out.inputs.alloc(input)));
        }
        commands.push(command(term));
        let reset = |variable: Term| Command::Assign(variable, zero(self.pool, variable));
        commands.extend(taken.into_iter().map(reset));
        Command::Sequence(commands)
    }

    /// A term without arrays, and the variables that are read instead, which are to be unknown.
    fn term(&mut self, term: Term) -> (Vec<Term>, Term) {
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
        let mut taken = Vec::new();
        let mut replaced = FxHashMap::default();
        let mut count: FxHashMap<Sort, usize> = FxHashMap::default();
        for read in found {
            let sort = pool.sort(read);
            let number = count.entry(sort).or_default();
            let variable = self.unknown(sort, *number);
            *number += 1;
            taken.push(variable);
            replaced.insert(read, variable);
        }
        (taken, rewrite(pool, term, &mut replaced, |_| None))
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
