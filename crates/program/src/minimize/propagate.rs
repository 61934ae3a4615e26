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
use super::live::Live;
use super::slice::Variables;
use crate::blocks::{Measure, flatten, sequence};
use crate::cfa::{Cfa, Command, LocationId};
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;
use term::traverse::rewrite;
use term::{Op, Pool, Term};

/// The largest term that takes the place of a variable.
const LARGEST: usize = 60;

/// The largest closed term that a location remembers.
const CLOSED: usize = 200;

/// Definitions by location.
#[derive(Debug, Default)]
struct Facts {
    at: ArenaMap<LocationId, Vec<(Term, Term)>>,
}

impl Undo for Facts {
    /// Adds the facts to the formulas of the locations that have any.
    fn undo(&self, pool: &Pool, at: &mut Formulas) {
        for (location, formulas) in at.iter_mut() {
            let facts = self.at.get(location).into_iter().flatten();
            formulas.extend(facts.map(|&(variable, term)| pool.eq(variable, term)));
        }
    }
}

/// Definitions that hold at a point.
#[derive(Clone, Default)]
struct Known {
    value: FxHashMap<Term, Term>,
    /// The variables whose definitions mention a variable; some of them may have ended.
    users: FxHashMap<Term, Vec<Term>>,
}

impl Known {
    fn forget(&mut self, variable: Term) {
        self.value.remove(&variable);
        for user in self.users.remove(&variable).unwrap_or_default() {
            self.value.remove(&user);
        }
    }

    fn define(&mut self, variable: Term, term: Term, mentioned: &[Term]) {
        for other in mentioned {
            self.users.entry(*other).or_default().push(variable);
        }
        self.value.insert(variable, term);
    }

    /// Keeps what also holds in the other.
    fn meet(&mut self, other: &FxHashMap<Term, Term>) -> bool {
        let before = self.value.len();
        self.value.retain(|variable, term| other.get(variable) == Some(term));
        self.value.len() != before
    }
}

struct Propagator<'m, 'a> {
    pool: &'a Pool,
    variables: &'m mut Variables<'a>,
    measure: &'m mut Measure<'a>,
    /// Variables that were replaced.
    used: FxHashSet<Term>,
    /// The largest term with variables, other than a variable alone, that is substituted.
    largest: usize,
}

/// Replaces variables by their definitions within the same edge.
pub(super) fn substitute(work: &mut Work) -> Option<Arc<dyn Undo>> {
    let Work { pool, variables, measure, cfa, .. } = work;
    let used = FxHashSet::default();
    let mut propagator = Propagator { pool, variables, measure, used, largest: LARGEST };
    let edges = std::mem::take(&mut cfa.edges);
    for (_, mut edge) in edges.into_iter() {
        // A command alone has nothing before it.
        if matches!(edge.command, Command::Sequence(_) | Command::Choice(_)) {
            let commands = flatten(std::mem::replace(&mut edge.command, Command::skip()));
            let Some(commands) = propagator.walk(&commands, &mut Known::default()) else {
                continue;
            };
            edge.command = sequence(commands);
        }
        cfa.edges.alloc(edge);
    }
    None
}

/// Replaces variables by what they are known to be on all ways to a location.
pub(super) fn propagate(work: &mut Work) -> Option<Arc<dyn Undo>> {
    let Work { pool, variables, measure, cfa, .. } = work;
    let used = FxHashSet::default();
    let mut propagator = Propagator { pool, variables, measure, used, largest: 0 };
    let known = propagator.analyze(cfa);
    propagator.used.clear();
    let edges = std::mem::take(&mut cfa.edges);
    for (_, mut edge) in edges.into_iter() {
        // Nothing is said of what no run reaches; another pass removes it.
        let Some(before) = known.get(edge.from) else {
            cfa.edges.alloc(edge);
            continue;
        };
        let mut now = propagator.at(before);
        let commands = flatten(std::mem::replace(&mut edge.command, Command::skip()));
        if let Some(commands) = propagator.walk(&commands, &mut now) {
            edge.command = sequence(commands);
            cfa.edges.alloc(edge);
        }
    }
    let mut facts = Facts::default();
    for (location, known) in known.iter() {
        let used = known.iter().filter(|(variable, _)| propagator.used.contains(variable));
        let mut used: Vec<(Term, Term)> = used.map(|(v, t)| (*v, *t)).collect();
        used.sort_unstable();
        if !used.is_empty() {
            facts.at.insert(location, used);
        }
    }
    // Locations that only edges with false assumptions lead to are unreachable now, and found so by
    // the pass that removes those.
    Some(Arc::new(facts))
}

type Definitions = Rc<FxHashMap<Term, Term>>;

impl Propagator<'_, '_> {
    /// The definitions at each location that is reached.
    fn analyze(&mut self, cfa: &Cfa) -> ArenaMap<LocationId, Definitions> {
        let mut leaving: ArenaMap<LocationId, Vec<(LocationId, &Command)>> = ArenaMap::default();
        for edge in cfa.edges.values() {
            leaving.entry(edge.from).or_default().push((edge.to, &edge.command));
        }
        let live = Live::analyze(self.variables, cfa);
        let mut known: ArenaMap<LocationId, Definitions> = ArenaMap::default();
        let Some(initial) = cfa.initial else { return known };
        known.insert(initial, Rc::default());
        let mut pending = std::collections::VecDeque::from([initial]);
        let mut queued: FxHashSet<LocationId> = [initial].into_iter().collect();
        while let Some(location) = pending.pop_front() {
            queued.remove(&location);
            let before = known[location].clone();
            for (to, command) in leaving.get(location).into_iter().flatten() {
                let mut now = self.at(&before);
                if self.walk(std::slice::from_ref(command), &mut now).is_none() {
                    continue;
                }
                self.keep_simple(&mut now, &live, *to);
                let changed = match known.get_mut(*to) {
                    None => {
                        known.insert(*to, Rc::new(now.value));
                        true
                    }
                    Some(there) => {
                        let agree = |(variable, term): (&Term, &Term)| {
                            now.value.get(variable) == Some(term)
                        };
                        let smaller = !there.iter().all(agree);
                        if smaller {
                            Rc::make_mut(there)
                                .retain(|variable, term| now.value.get(variable) == Some(term));
                        }
                        smaller
                    }
                };
                if changed && queued.insert(*to) {
                    pending.push_back(*to);
                }
            }
        }
        known
    }

    /// The definitions of a location, ready to be changed.
    fn at(&mut self, definitions: &Definitions) -> Known {
        let mut known = Known::default();
        for (&variable, &term) in definitions.iter() {
            let mentioned = self.variables.of(term);
            known.define(variable, term, &mentioned);
        }
        known
    }

    /// Only closed terms and variables are remembered at locations, and only of variables that
    /// somebody may still read there.
    fn keep_simple(&mut self, known: &mut Known, live: &Live, at: LocationId) {
        let (pool, variables, measure) = (self.pool, &mut *self.variables, &mut *self.measure);
        known.value.retain(|variable, term| {
            if !live.contains(at, *variable) {
                return false;
            }
            matches!(pool.op(*term), Op::Var(_))
                || (variables.of(*term).is_empty() && measure.term(*term) <= CLOSED)
        });
    }

    /// Follows commands, and answers them with uses replaced; none if they can't get through.
    fn walk(&mut self, commands: &[Command], known: &mut Known) -> Option<Vec<Command>> {
        let mut result = Vec::with_capacity(commands.len());
        for command in commands {
            match command {
                Command::Assume(formula) => {
                    let formula = self.replace(*formula, known);
                    match self.pool.as_bool(formula) {
                        Some(true) => {}
                        Some(false) => return None,
                        None => result.push(Command::Assume(formula)),
                    }
                }
                Command::Assign(variable, term) => {
                    let term = self.replace(*term, known);
                    if term == *variable {
                        continue;
                    }
                    known.forget(*variable);
                    let mentioned = self.variables.of(term);
                    let small = match self.pool.op(term) {
                        Op::Var(_) => true,
                        _ if mentioned.is_empty() => self.measure.term(term) <= CLOSED,
                        _ => self.measure.term(term) <= self.largest,
                    };
                    if small && !mentioned.contains(variable) {
                        known.define(*variable, term, &mentioned);
                    }
                    result.push(Command::Assign(*variable, term));
                }
                Command::Havoc(variable, input) => {
                    known.forget(*variable);
                    result.push(Command::Havoc(*variable, *input));
                }
                Command::Sequence(commands) => result.extend(self.walk(commands, known)?),
                Command::Choice(alternatives) => {
                    result.extend(self.choose(alternatives, known)?);
                }
            }
        }
        Some(result)
    }

    fn choose(&mut self, alternatives: &[Command], known: &mut Known) -> Option<Vec<Command>> {
        let mut results: Vec<Vec<Command>> = Vec::new();
        let mut after: Option<Known> = None;
        for alternative in alternatives {
            let mut now = known.clone();
            let Some(commands) = self.walk(std::slice::from_ref(alternative), &mut now) else {
                continue;
            };
            results.push(commands);
            match &mut after {
                None => after = Some(now),
                Some(after) => {
                    after.meet(&now.value);
                    // What mentions what must be known for all that is left.
                    for (variable, users) in now.users {
                        after.users.entry(variable).or_default().extend(users);
                    }
                }
            }
        }
        *known = after?;
        known.users.values_mut().for_each(|users| {
            users.sort_unstable();
            users.dedup();
        });
        if results.len() == 1 {
            return results.pop();
        }
        Some(vec![Command::Choice(results.into_iter().map(sequence).collect())])
    }

    fn replace(&mut self, term: Term, known: &Known) -> Term {
        let mentioned = self.variables.of(term);
        let mut any = false;
        for variable in mentioned.iter() {
            if known.value.contains_key(variable) {
                self.used.insert(*variable);
                any = true;
            }
        }
        if !any {
            return term;
        }
        let mut done = FxHashMap::default();
        rewrite(self.pool, term, &mut done, |variable| known.value.get(&variable).copied())
    }
}
