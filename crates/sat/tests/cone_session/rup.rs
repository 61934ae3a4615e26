//! A checker of reverse unit propagation, written for clarity.
//!
//! It shares nothing with the solvers: every clause is in the occurrence lists of all its
//! literals, and propagation scans whole clauses.

use sat::Lit;

/// A set of clauses that can be asked whether a clause follows by unit propagation.
#[derive(Clone, Default)]
pub struct RupChecker {
    clauses: Vec<Vec<Lit>>,
    /// For each literal the clauses that contain it.
    occurrences: Vec<Vec<usize>>,
    units: Vec<Lit>,
    contradiction: bool,
}

impl RupChecker {
    /// Adds a clause without checking it.
    pub fn add(&mut self, clause: &[Lit]) {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        for lit in &clause {
            let needed = lit.code().max((!*lit).code()) + 1;
            if self.occurrences.len() < needed {
                self.occurrences.resize_with(needed, Vec::new);
            }
            self.occurrences[lit.code()].push(self.clauses.len());
        }
        match clause[..] {
            [] => self.contradiction = true,
            [unit] => self.units.push(unit),
            _ => {}
        }
        self.clauses.push(clause);
    }

    /// Whether assuming the clause's negation leads to a conflict by unit propagation.
    pub fn implies(&self, clause: &[Lit]) -> bool {
        let mut propagation =
            Propagation { values: vec![None; self.occurrences.len()], queue: Vec::new() };
        self.contradiction
            || clause.iter().any(|&lit| !propagation.assign(!lit))
            || self.units.iter().any(|&unit| !propagation.assign(unit))
            || !self.propagate(&mut propagation)
    }

    /// `false` where a clause is violated.
    fn propagate(&self, propagation: &mut Propagation) -> bool {
        while let Some(lit) = propagation.queue.pop() {
            let Some(touched) = self.occurrences.get((!lit).code()) else { continue };
            for &index in touched {
                let clause = &self.clauses[index];
                if clause.iter().any(|&l| propagation.value(l) == Some(true)) {
                    continue;
                }
                let mut open = clause.iter().filter(|&&l| propagation.value(l).is_none());
                match (open.next().copied(), open.next()) {
                    (None, _) => return false,
                    (Some(unit), None) => {
                        propagation.assign(unit);
                    }
                    _ => {}
                }
            }
        }
        true
    }
}

struct Propagation {
    values: Vec<Option<bool>>,
    queue: Vec<Lit>,
}

impl Propagation {
    fn value(&self, lit: Lit) -> Option<bool> {
        self.values.get(lit.code()).copied().flatten()
    }

    /// Makes a literal true; `false` where it is false already.
    fn assign(&mut self, lit: Lit) -> bool {
        let needed = lit.code().max((!lit).code()) + 1;
        if self.values.len() < needed {
            self.values.resize(needed, None);
        }
        match self.values[lit.code()] {
            Some(value) => value,
            None => {
                self.values[lit.code()] = Some(true);
                self.values[(!lit).code()] = Some(false);
                self.queue.push(lit);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat::Var;

    #[test]
    fn follows_chains_and_nothing_more() {
        let lits: Vec<Lit> = (0..4).map(|i| Var::new(i).pos()).collect();
        let [a, b, c, d] = lits[..] else { unreachable!() };
        let mut checker = RupChecker::default();
        checker.add(&[!a, b]);
        checker.add(&[!b, !a, c]);
        assert!(checker.implies(&[!a, c]));
        assert!(!checker.implies(&[!a, d]));
        assert!(!checker.implies(&[c]));
        checker.add(&[a]);
        assert!(checker.implies(&[c]));
        checker.add(&[!c]);
        assert!(checker.implies(&[]));
    }
}
