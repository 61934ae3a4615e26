//! Options by name, as a command line gives them: one table.
//!
//! The names are those of [Lan18 §5.2.1], in lower case with hyphens; below them stand the
//! options that the thesis describes elsewhere, and our own.

use crate::options::{
    EdgeApproach, Generalize, Interpolation, LiteralSearch, ObligationOrder, Options, QueryForm,
};
use thiserror::Error;

/// An option that can be set by name.
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it may be set to.
    pub values: &'static str,
    /// What it is.
    pub meaning: &'static str,
    set: fn(&mut Options, &str) -> Option<()>,
}

/// Why an option can't be set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SettingError {
    /// There is none of this name.
    #[error("no option of IC3CFA is called {0:?}; there are {known}", known = names())]
    Name(String),
    /// It does not take this value.
    #[error("{name} takes {values}, and not {value:?}")]
    Value {
        /// The option's name.
        name: &'static str,
        /// What was given.
        value: String,
        /// What it takes.
        values: &'static str,
    },
    /// There is no `=`.
    #[error("expected NAME=VALUE instead of {0:?}")]
    Form(String),
}

fn names() -> String {
    let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
    names.join(", ")
}

impl Options {
    /// Sets an option by an assignment, NAME=VALUE.
    pub fn assign(&mut self, assignment: &str) -> Result<(), SettingError> {
        let form = || SettingError::Form(assignment.to_owned());
        let (name, value) = assignment.split_once('=').ok_or_else(form)?;
        let setting = SETTINGS
            .iter()
            .find(|setting| setting.name == name)
            .ok_or_else(|| SettingError::Name(name.to_owned()))?;
        let Setting { name, values, .. } = *setting;
        let wrong = || SettingError::Value { name, value: value.to_owned(), values };
        (setting.set)(self, value).ok_or_else(wrong)
    }
}

const SWITCH: &str = "on or off";
const COUNT: &str = "a number or none";

fn switch(value: &str) -> Option<bool> {
    match value {
        "on" | "true" => Some(true),
        "off" | "false" => Some(false),
        _ => None,
    }
}

/// A bound; `none` is none.
fn bound(value: &str) -> Option<Option<u64>> {
    match value {
        "none" => Some(None),
        number => number.parse().ok().map(Some),
    }
}

/// A setting that is on or off.
macro_rules! switches {
    ($name:literal, $field:ident, $meaning:literal) => {
        Setting {
            name: $name,
            values: SWITCH,
            meaning: $meaning,
            set: |options, value| {
                options.$field = switch(value)?;
                Some(())
            },
        }
    };
}

/// A setting with named values.
macro_rules! chooses {
    ($name:literal, $field:ident, $values:literal, $meaning:literal, $($text:literal => $variant:expr),+) => {
        Setting {
            name: $name,
            values: $values,
            meaning: $meaning,
            set: |options, value| {
                options.$field = match value {
                    $($text => $variant,)+
                    _ => return None,
                };
                Some(())
            },
        }
    };
}

/// All options.
pub const SETTINGS: &[Setting] = &[
    chooses!(
        "generalize", generalize, "none, old, new or inductive",
        "how lemmas are made stronger: not, by dropping literals as Bradley's IC3, with the \
         techniques of the thesis, or our way",
        "none" => Generalize::None, "old" => Generalize::Old, "new" => Generalize::New,
        "inductive" => Generalize::Inductive
    ),
    chooses!(
        "edge-approach", edge_approach, "multi, single or incremental",
        "literals are tried on all edges at once, on each edge, or on each with what others need \
         taken as given",
        "multi" => EdgeApproach::Multi, "single" => EdgeApproach::Single,
        "incremental" => EdgeApproach::Incremental
    ),
    chooses!(
        "literal-search", literal_search, "linear or binary",
        "literals are dropped one by one, or by halves",
        "linear" => LiteralSearch::Linear, "binary" => LiteralSearch::Binary
    ),
    chooses!(
        "obligation-order", obligation_order, "smallest, largest or random",
        "which cube of a level is attended to first",
        "smallest" => ObligationOrder::Smallest, "largest" => ObligationOrder::Largest,
        "random" => ObligationOrder::Random
    ),
    switches!("reuse", reuse, "obligations are kept for the next iteration"),
    switches!("rel-ind-alt", rel_ind_alt, "inductivity by weakest preconditions, without primes"),
    switches!(
        "pre-cubes",
        pre_cubes,
        "inductivity and generalizations by lemmas in the precondition"
    ),
    switches!(
        "generalization-caching",
        generalization_caching,
        "generalizations are upper bounds of later ones"
    ),
    switches!("lower-bounds", lower_bounds, "and lower bounds"),
    switches!(
        "extended-context",
        extended_context,
        "and those of other cubes are upper bounds too"
    ),
    chooses!(
        "interpolation", interpolation, "off, loop-edges or all-edges",
        "cubes are interpolated before literals are dropped",
        "off" => Interpolation::Off, "loop-edges" => Interpolation::LoopEdges,
        "all-edges" => Interpolation::AllEdges
    ),
    switches!("semantic-blocking", semantic_blocking, "lemmas that the frame implies are left out"),
    switches!(
        "semantic-termination",
        semantic_termination,
        "frames that imply each other are equal"
    ),
    switches!("assumed-literals", assumed_literals, "literals that an edge assumes are left out"),
    switches!("dont-care-literals", dont_care_literals, "literals of the frame are left out"),
    chooses!(
        "query-form", query_form, "first, check, check-by-filter or check-and-filter",
        "edges are asked one by one up to the first predecessor, all at once, one by one, or all \
         at once and then one by one",
        "first" => QueryForm::First, "check" => QueryForm::Check,
        "check-by-filter" => QueryForm::CheckByFilter,
        "check-and-filter" => QueryForm::CheckAndFilter
    ),
    switches!("unsat-cores", unsat_cores, "generalization begins with the unsatisfiable core"),
    Setting {
        name: "cached-answers",
        values: "a number",
        meaning: "how many answers each solver remembers",
        set: |options, value| {
            options.cached_answers = value.parse().ok()?;
            Some(())
        },
    },
    Setting {
        name: "critical-conflicts",
        values: COUNT,
        meaning: "the effort for a query without which the search can't go on",
        set: |options, value| {
            options.critical_conflicts = bound(value)?;
            Some(())
        },
    },
    Setting {
        name: "non-critical-conflicts",
        values: COUNT,
        meaning: "the effort for a query that only makes a lemma stronger",
        set: |options, value| {
            options.non_critical_conflicts = bound(value)?;
            Some(())
        },
    },
    switches!("propagate", propagate, "lemmas move to higher levels"),
    switches!(
        "may-obligations",
        may_obligations,
        "what keeps a lemma from moving up becomes an obligation"
    ),
    switches!("loop-premise", loop_premise, "a clause is assumed before the edges of its own loop"),
    switches!("case-split", case_split, "predecessors are cubes of simple literals"),
    switches!("saturate", saturate, "cubes are extended by formulas that they imply"),
    switches!("seeds", seeds, "bounds and relations are guessed from runs, and proved"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_thesis_can_be_written_down() {
        let h = "generalize=new edge-approach=incremental obligation-order=smallest reuse=on \
                 rel-ind-alt=off pre-cubes=off generalization-caching=off lower-bounds=off \
                 extended-context=off interpolation=off semantic-blocking=off";
        let with = |text: &str| {
            let mut options = Options::preset('A').expect("a letter");
            for assignment in h.split_whitespace().chain(text.split_whitespace()) {
                options.assign(assignment).expect("an option");
            }
            options
        };
        let all = "rel-ind-alt=on pre-cubes=on generalization-caching=on lower-bounds=on";
        let rows = [
            ('A', "generalize=none reuse=off".to_owned()),
            ('B', "generalize=old edge-approach=multi reuse=off".to_owned()),
            ('C', "generalize=old edge-approach=single reuse=off".to_owned()),
            ('D', "generalize=old reuse=off".to_owned()),
            ('E', "generalize=old reuse=off obligation-order=largest".to_owned()),
            ('F', "generalize=old reuse=off obligation-order=random".to_owned()),
            ('G', "generalize=old".to_owned()),
            ('H', String::new()),
            ('I', "rel-ind-alt=on".to_owned()),
            ('J', "pre-cubes=on".to_owned()),
            ('K', "generalization-caching=on".to_owned()),
            ('L', "generalization-caching=on lower-bounds=on".to_owned()),
            ('M', "generalization-caching=on lower-bounds=on extended-context=on".to_owned()),
            ('N', "interpolation=loop-edges".to_owned()),
            ('O', all.to_owned()),
            ('P', format!("{all} interpolation=loop-edges")),
            ('Q', format!("{all} semantic-blocking=on")),
        ];
        for (letter, row) in rows {
            assert_eq!(with(&row), Options::preset(letter).expect("a letter"), "{letter}");
        }
    }

    #[test]
    fn wrong_assignments_say_what_is_right() {
        let mut options = Options::default();
        let message = |error: Result<(), SettingError>| error.expect_err("wrong").to_string();
        assert!(message(options.assign("reuze=on")).contains("reuse"));
        assert!(message(options.assign("reuse=maybe")).contains("on or off"));
        assert!(message(options.assign("reuse")).contains("NAME=VALUE"));
        assert_eq!(options.assign("critical-conflicts=7"), Ok(()));
        assert_eq!(options.critical_conflicts, Some(7));
    }
}
