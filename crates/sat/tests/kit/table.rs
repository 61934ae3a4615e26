//! Truth tables of formulas over at most 14 variables: the reference that solvers are tested
//! against.

use sat::Lit;

/// The set of satisfying assignments of a formula; assignment `i` gives variable `v` bit `v`
/// of `i`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TruthTable {
    var_count: usize,
    rows: Vec<bool>,
}

impl TruthTable {
    /// The table of the formula that is always true.
    pub fn full(var_count: usize) -> Self {
        assert!(var_count <= 14);
        TruthTable { var_count, rows: vec![true; 1 << var_count] }
    }

    /// The number of variables.
    pub fn var_count(&self) -> usize {
        self.var_count
    }

    /// Conjoins a clause.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        for (row, inside) in self.rows.iter_mut().enumerate() {
            *inside &= clause.iter().any(|lit| (row >> lit.var().index() & 1 == 1) != lit.is_neg());
        }
    }

    /// Whether the formula is unsatisfiable.
    pub fn is_empty(&self) -> bool {
        !self.rows.contains(&true)
    }

    /// Whether every assignment that agrees with the given values satisfies the formula.
    pub fn contains_all_completions(&self, values: &[Option<bool>]) -> bool {
        self.rows.iter().enumerate().all(|(row, inside)| {
            let agrees = values
                .iter()
                .enumerate()
                .all(|(var, value)| value.is_none_or(|value| (row >> var & 1 == 1) == value));
            !agrees || *inside
        })
    }
}
