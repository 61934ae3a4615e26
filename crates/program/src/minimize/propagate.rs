//! Constants, copies and definitions: a variable whose value is known takes the place of its uses.
//!
//! Two passes share one walk over the commands of an edge, in which a definition `x = t` holds from
//! an assignment on, and ends where x or a variable of t is assigned. Uses of x are replaced by t,
//! so x itself is mostly no longer needed; assumptions that turn out false end the edge.
//!
//! * *Forward substitution* looks at each edge alone; t may be any term that is not too large.
//! * *Constant and copy propagation* goes forward over the automaton: each location has the
//!   definitions that reach it on all ways, where t is a closed term or another variable.
//!
//! For the way back, [`Facts`] keeps the definitions at locations that were used.

use super::Work;
use super::back::{Formulas, Undo};
use super::known::Known;
use super::live::Live;
use super::pass::Done;
use super::rewritten::{Rewritten, Walked, parts};
use crate::blocks::{flatten, sequence};
use crate::cfa::{Cfa, Command, EdgeId, LocationId};
use crate::terms::Terms;
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use term::traverse::rewrite;
use term::{Op, Pool, Term};

/// The largest term that takes the place of a variable.
const LARGEST: usize = 60;

/// The largest closed term that a location remembers.
const CLOSED: usize = 200;

/// The room that is kept for the parts of a term; more takes longer to clear than to get.
const ROOM: usize = 500;

/// Definitions by location.
#[derive(Debug, Default)]
struct Facts(ArenaMap<LocationId, Vec<(Term, Term)>>);

impl Undo for Facts {
    /// Adds the facts to the formulas of the locations that have any.
    fn undo(&self, pool: &Pool, at: &mut Formulas) {
        for (location, formulas) in at.iter_mut() {
            let facts = self.0.get(location).into_iter().flatten();
            formulas.extend(facts.map(|&(variable, term)| pool.eq(variable, term)));
        }
    }
}

struct Propagator<'m, 'a> {
    pool: &'a Pool,
    terms: &'m mut Terms<'a>,
    /// Variables that were replaced.
    used: FxHashSet<Term>,
    /// What has been rewritten of one term; here to keep its room.
    done: FxHashMap<Term, Term>,
    /// The largest term with variables, other than a variable alone, that is substituted.
    largest: usize,
}

/// Replaces variables by their definitions within the same edge.
pub(super) fn substitute(work: &mut Work) -> Done {
    let Work { pool, terms, cfa, .. } = work;
    let mut propagator = Propagator::new(pool, terms, LARGEST);
    let walked = cfa.edges.iter().map(|(id, edge)| match &edge.command {
        // A command alone has nothing before it.
        Command::Assume(_) | Command::Assign(..) | Command::Havoc(..) => (id, Walked::Same),
        command => (id, propagator.walk(parts(command), &mut Known::default())),
    });
    let walked = walked.collect();
    if put(cfa, walked) { Done::Changed } else { Done::Nothing }
}

/// Replaces variables by what they are known to be on all ways to a location.
pub(super) fn propagate(work: &mut Work) -> Done {
    let Work { pool, terms, cfa, .. } = work;
    let mut propagator = Propagator::new(pool, terms, 0);
    let Analysis { known, walked, used, .. } = propagator.analyze(cfa);
    // Nothing is said of what no run reaches; another pass removes it. Locations that only edges
    // with false assumptions lead to are unreachable now, and found so by that pass too.
    if !put(cfa, walked) {
        return Done::Nothing;
    }
    let used: FxHashSet<Term> = used.into_iter().flat_map(|(_, used)| used).collect();
    let mut facts = Facts::default();
    for (location, known) in known.iter() {
        let used = known.iter().filter(|(variable, _)| used.contains(variable));
        let mut used: Vec<(Term, Term)> = used.map(|(v, t)| (*v, *t)).collect();
        used.sort_unstable();
        if !used.is_empty() {
            facts.0.insert(location, used);
        }
    }
    Done::With(Arc::new(facts))
}

/// Gives edges their new commands; those that can't be got through go. Whether anything is new.
fn put(cfa: &mut Cfa, mut walked: ArenaMap<EdgeId, Walked>) -> bool {
    let mut changed = false;
    let mut blocked = FxHashSet::default();
    for (id, edge) in cfa.edges.iter_mut() {
        match walked.remove(id) {
            Some(Walked::New(commands)) => {
                edge.command = sequence(commands);
                changed = true;
            }
            Some(Walked::Same) | None => {}
            Some(Walked::Blocked) => {
                blocked.insert(id);
            }
        }
    }
    if blocked.is_empty() {
        return changed;
    }
    let edges = std::mem::take(&mut cfa.edges);
    for (_, edge) in edges.into_iter().filter(|(id, _)| !blocked.contains(id)) {
        cfa.edges.alloc(edge);
    }
    true
}

type Definitions = Rc<FxHashMap<Term, Term>>;

/// What is known after constants and copies have been followed.
#[derive(Default)]
struct Analysis {
    /// The definitions at each location that is reached.
    known: ArenaMap<LocationId, Definitions>,
    /// The variables whose definitions went since a location was looked at.
    gone: ArenaMap<LocationId, Vec<Term>>,
    /// What becomes of each edge that is reached, with the definitions of where it leaves.
    walked: ArenaMap<EdgeId, Walked>,
    /// The variables that are replaced there.
    used: ArenaMap<EdgeId, FxHashSet<Term>>,
}

impl Analysis {
    /// Takes to a location the definitions that an edge brings there, of which those stay that all
    /// edges bring; whether this changed something.
    fn arrive(&mut self, at: LocationId, now: FxHashMap<Term, Term>) -> bool {
        let Some(there) = self.known.get(at) else {
            self.known.insert(at, Rc::new(now));
            return true;
        };
        let other = there.iter().filter(|(variable, term)| now.get(variable) != Some(term));
        let other: Vec<Term> = other.map(|(variable, _)| *variable).collect();
        self.withdraw(at, &other)
    }

    /// Takes definitions of some variables away; whether there were any.
    fn withdraw(&mut self, at: LocationId, variables: &[Term]) -> bool {
        let Some(there) = self.known.get_mut(at) else { return false };
        let before = there.len();
        for variable in variables {
            if there.contains_key(variable) {
                Rc::make_mut(there).remove(variable);
                self.gone.get_mut(at).into_iter().for_each(|gone| gone.push(*variable));
            }
        }
        there.len() < before
    }
}

/// The variables that edges read or assign, each edge looked at once.
#[derive(Default)]
struct Mentioned(ArenaMap<EdgeId, Vec<Term>>);

impl Mentioned {
    fn any(&mut self, terms: &mut Terms, cfa: &Cfa, id: EdgeId, variables: &[Term]) -> bool {
        let find = || {
            let mut mentioned = Vec::new();
            cfa.edges[id].command.for_each_atom(&mut |command| match command {
                Command::Assume(formula) => mentioned.extend(terms.variables(*formula)),
                Command::Assign(variable, term) => {
                    mentioned.push(*variable);
                    mentioned.extend(terms.variables(*term));
                }
                Command::Havoc(variable, _) => mentioned.push(*variable),
                _ => {}
            });
            mentioned.sort_unstable();
            mentioned.dedup();
            mentioned
        };
        let mentioned = self.0.entry(id).or_insert_with(find);
        variables.iter().any(|variable| mentioned.binary_search(variable).is_ok())
    }
}

impl<'m, 'a> Propagator<'m, 'a> {
    fn new(pool: &'a Pool, terms: &'m mut Terms<'a>, largest: usize) -> Self {
        let (used, done) = Default::default();
        Propagator { pool, terms, used, done, largest }
    }

    /// Follows definitions until nothing changes. The last time that an edge is walked along, the
    /// definitions that matter to it are those that its location ends with, so what has become of
    /// it then is what becomes of it.
    fn analyze(&mut self, cfa: &Cfa) -> Analysis {
        let mut analysis = Analysis::default();
        let Some(initial) = cfa.initial else { return analysis };
        let mut leaving: ArenaMap<LocationId, Vec<EdgeId>> = ArenaMap::default();
        for (id, edge) in cfa.edges.iter() {
            leaving.entry(edge.from).or_default().push(id);
        }
        let live = Live::analyze(self.terms, cfa);
        let mut mentioned = Mentioned::default();
        analysis.known.insert(initial, Rc::default());
        let mut pending = VecDeque::from([initial]);
        let mut queued: FxHashSet<LocationId> = [initial].into_iter().collect();
        while let Some(location) = pending.pop_front() {
            queued.remove(&location);
            let definitions = analysis.known[location].clone();
            let gone = analysis.gone.insert(location, Vec::new());
            for &id in leaving.get(location).into_iter().flatten() {
                let changed = match &gone {
                    // What the edge does not mention, it has only handed on.
                    Some(gone) if !mentioned.any(self.terms, cfa, id, gone) => {
                        !matches!(analysis.walked[id], Walked::Blocked)
                            && analysis.withdraw(cfa.edges[id].to, gone)
                    }
                    _ => self.follow(cfa, id, &definitions, &live, &mut analysis),
                };
                let to = cfa.edges[id].to;
                if changed && queued.insert(to) {
                    pending.push_back(to);
                }
            }
        }
        analysis
    }

    /// Walks along an edge; whether this changed what is known at its end.
    fn follow(
        &mut self,
        cfa: &Cfa,
        id: EdgeId,
        definitions: &Definitions,
        live: &Live,
        analysis: &mut Analysis,
    ) -> bool {
        let edge = &cfa.edges[id];
        let mut now = self.at(definitions);
        let walked = self.walk(parts(&edge.command), &mut now);
        let blocked = matches!(walked, Walked::Blocked);
        analysis.walked.insert(id, walked);
        analysis.used.insert(id, std::mem::take(&mut self.used));
        if blocked {
            return false;
        }
        self.keep_simple(&mut now, live, edge.to);
        analysis.arrive(edge.to, now.value)
    }

    /// The definitions of a location, ready to be changed.
    fn at(&mut self, definitions: &Definitions) -> Known {
        let mut known = Known::default();
        for (&variable, &term) in definitions.iter() {
            known.define(variable, term, self.terms.variables(term));
        }
        known
    }

    /// Only closed terms and variables are remembered at locations, and only of variables that
    /// somebody may still read there.
    fn keep_simple(&mut self, known: &mut Known, live: &Live, at: LocationId) {
        known.value.retain(|variable, term| {
            if !live.contains(at, *variable) {
                return false;
            }
            matches!(self.pool.op(*term), Op::Var(_))
                || (self.terms.variables(*term).is_empty() && self.terms.size(*term) <= CLOSED)
        });
    }

    /// Follows commands, and answers what becomes of them with uses replaced.
    fn walk(&mut self, commands: &[Command], known: &mut Known) -> Walked {
        let mut result = Rewritten::new(commands);
        for command in commands {
            match command {
                Command::Assume(formula) => {
                    let new = self.replace(*formula, known);
                    match self.pool.as_bool(new) {
                        Some(true) => result.drop(),
                        Some(false) => return Walked::Blocked,
                        None if new == *formula => result.keep(command),
                        None => result.push(Command::Assume(new)),
                    }
                }
                Command::Assign(variable, term) => {
                    let new = self.replace(*term, known);
                    if new == *variable {
                        result.drop();
                        continue;
                    }
                    known.forget(*variable);
                    self.define(*variable, new, known);
                    if new == *term {
                        result.keep(command);
                    } else {
                        result.push(Command::Assign(*variable, new));
                    }
                }
                Command::Havoc(variable, _) => {
                    known.forget(*variable);
                    result.keep(command);
                }
                Command::Sequence(commands) => match self.walk(commands, known) {
                    Walked::Blocked => return Walked::Blocked,
                    Walked::Same => result.extend(commands.iter().cloned()),
                    Walked::New(commands) => result.extend(commands),
                },
                Command::Choice(alternatives) => match self.choose(alternatives, known) {
                    Walked::Blocked => return Walked::Blocked,
                    Walked::Same => result.keep(command),
                    Walked::New(commands) => result.extend(commands),
                },
            }
        }
        result.finish()
    }

    /// Remembers what a variable has just been assigned, if that is simple enough.
    fn define(&mut self, variable: Term, term: Term, known: &mut Known) {
        let size = self.terms.size(term);
        let mentioned = self.terms.variables(term);
        let small = match self.pool.op(term) {
            Op::Var(_) => true,
            _ if mentioned.is_empty() => size <= CLOSED,
            _ => size <= self.largest,
        };
        if small && !mentioned.contains(&variable) {
            known.define(variable, term, mentioned);
        }
    }

    fn choose(&mut self, alternatives: &[Command], known: &mut Known) -> Walked {
        let mut results = Rewritten::new(alternatives);
        let mut after: Option<Known> = None;
        for (n, alternative) in (1..).zip(alternatives) {
            let last = n == alternatives.len();
            let mut now = if last { std::mem::take(known) } else { known.clone() };
            match self.walk(parts(alternative), &mut now) {
                Walked::Blocked => {
                    results.drop();
                    continue;
                }
                Walked::Same => results.keep(alternative),
                Walked::New(commands) => results.push(sequence(commands)),
            }
            match &mut after {
                None => after = Some(now),
                Some(after) => after.meet(now),
            }
        }
        let Some(after) = after else { return Walked::Blocked };
        *known = after;
        match results.finish() {
            Walked::New(mut results) => Walked::New(match results.len() {
                1 => results.pop().map(flatten).unwrap_or_default(),
                _ => vec![Command::Choice(results)],
            }),
            // A choice without a choice is no longer one.
            _ if alternatives.len() == 1 => Walked::New(flatten(alternatives[0].clone())),
            same => same,
        }
    }

    fn replace(&mut self, term: Term, known: &Known) -> Term {
        if known.value.is_empty() {
            return term;
        }
        let mut any = false;
        for variable in self.terms.variables(term) {
            if known.value.contains_key(variable) {
                self.used.insert(*variable);
                any = true;
            }
        }
        if !any {
            return term;
        }
        if self.done.capacity() > ROOM {
            self.done = FxHashMap::default();
        }
        self.done.clear();
        rewrite(self.pool, term, &mut self.done, |variable| known.value.get(&variable).copied())
    }
}
