//! Definitions of variables that hold at a point: what [`super::propagate`] carries along.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::hash_map::Entry;
use term::Term;

/// Definitions that hold at a point.
#[derive(Clone, Default)]
pub(super) struct Known {
    pub value: FxHashMap<Term, Term>,
    /// The variables whose definitions mention a variable; some of them may have ended.
    users: FxHashMap<Term, SmallVec<[Term; 4]>>,
}

impl Known {
    pub fn forget(&mut self, variable: Term) {
        self.value.remove(&variable);
        for user in self.users.remove(&variable).unwrap_or_default() {
            self.value.remove(&user);
        }
    }

    pub fn define(&mut self, variable: Term, term: Term, mentioned: &[Term]) {
        for other in mentioned {
            self.users.entry(*other).or_default().push(variable);
        }
        self.value.insert(variable, term);
    }

    /// Keeps what also holds in the other.
    pub fn meet(&mut self, other: Known) {
        self.value.retain(|variable, term| other.value.get(variable) == Some(term));
        // What mentions what must be known for all that is left.
        for (variable, users) in other.users {
            match self.users.entry(variable) {
                Entry::Vacant(entry) => {
                    entry.insert(users);
                }
                Entry::Occupied(entry) if *entry.get() == users => {}
                Entry::Occupied(entry) => {
                    let all = entry.into_mut();
                    all.extend(users);
                    all.sort_unstable();
                    all.dedup();
                }
            }
        }
    }
}
