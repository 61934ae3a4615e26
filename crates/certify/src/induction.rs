//! k-induction on programs, with an invariant.
//!
//! The invariant's locations cut the automaton into pieces without loops. The invariant is checked to
//! be inductive, error or not, which shows that no run takes a round of a cycle without a cut; then,
//! counting pieces:
//!
//! * base: no k pieces or fewer lead from the initial to the error location
//! * step: no k pieces lead there from anywhere where the invariant holds, with the invariant at
//!   each location between

use crate::program::{Checker, Frontier, Known, ProgramRejection};
use crate::region::{Pieces, State, merge};
use ::program::Cfa;
use ::program::cfa::LocationId;
use ::program::verdict::Invariant;
use rustc_hash::{FxHashMap, FxHashSet};
use term::Sort;
use term::traverse::rewrite;

impl Checker<'_> {
    /// Checks that k-induction excludes the error location.
    pub(crate) fn k_inductive(
        &self,
        k: usize,
        invariant: &Invariant,
    ) -> Result<(), ProgramRejection> {
        let initial = self.cfa.initial.ok_or(ProgramRejection::NoInitial)?;
        let mut invariant = invariant.clone();
        let mut cuts = FxHashSet::from_iter([initial]);
        if let Some(error) = self.cfa.error {
            invariant.at.remove(error);
            cuts.insert(error);
        }
        // Without an error location there is only consecution to check.
        let harmless = Cfa { error: None, ..self.cfa.clone() };
        self.on(&harmless).inductive(&invariant)?;
        // Nothing was shown of the invariant at the initial location.
        invariant.at.remove(initial);
        cuts.extend(invariant.at.iter().map(|(location, _)| location));
        let mut anywhere: Vec<LocationId> =
            cuts.iter().copied().filter(|cut| Some(*cut) != self.cfa.error).collect();
        anywhere.sort();
        let pieces = Pieces::new(self.pool, self.cfa, cuts);
        let start = vec![(initial, self.pool.tru(), State::default())];
        self.rounds(&pieces, start, &invariant, 1..=k)?;
        let anywhere = anywhere
            .into_iter()
            .map(|location| (location, self.pool.fresh_var("from", Sort::Bool), State::default()));
        self.rounds(&pieces, anywhere.collect(), &invariant, k..=k)
    }

    /// Follows runs for as many pieces as the last of the rounds says; in these rounds none may
    /// come to the error location.
    fn rounds(
        &self,
        pieces: &Pieces<'_>,
        mut frontier: Frontier,
        invariant: &Invariant,
        asked: std::ops::RangeInclusive<usize>,
    ) -> Result<(), ProgramRejection> {
        let pool = self.pool;
        let mut known = Known::new(self);
        for round in 1..=*asked.end() {
            for (location, at, state) in &frontier {
                let mut done = FxHashMap::default();
                for &formula in invariant.at.get(*location).into_iter().flatten() {
                    let value = |variable| state.get(&variable).copied();
                    let here = rewrite(pool, formula, &mut done, value);
                    known.formulas.push(pool.implies(*at, here));
                }
            }
            let reached = self.advance(pieces, frontier, &mut known)?;
            if asked.contains(&round) {
                // SAT? Inv along `round` pieces ∧ they end in the error location
                self.unreached(&mut known, &reached.violations)?;
            }
            frontier = (reached.arrivals.into_iter())
                .map(|(location, arrivals)| {
                    let (at, state) = merge(pool, arrivals, &mut known.formulas);
                    (location, at, state)
                })
                .collect();
        }
        Ok(())
    }
}
