//! Options by name, as a command line gives them: one table.
//!
//! The names are those of [Lan18 §5.2.1], in lower case with hyphens; below them stand the
//! options that the thesis describes elsewhere, and our own.

use crate::options::{
    EdgeApproach, Generalize, Interpolation, LiteralSearch, ObligationOrder, Options, QueryForm,
};
use lemmas::settings::{Setting, assign};
use lemmas::{choice_setting, number_setting, switch_setting};

pub use lemmas::settings::SettingError;

impl Options {
    /// Sets an option by an assignment, NAME=VALUE.
    pub fn assign(&mut self, assignment: &str) -> Result<(), SettingError> {
        assign(SETTINGS, self, assignment)
    }
}

/// A bound; `none` is none.
fn bound(value: &str) -> Option<Option<u64>> {
    match value {
        "none" => Some(None),
        number => number.parse().ok().map(Some),
    }
}

/// The setting of a field that is a bound.
macro_rules! bound_setting {
    ($name:literal, $field:ident, $meaning:literal, $source:literal) => {
        Setting {
            name: $name,
            values: "a number or none",
            meaning: $meaning,
            source: $source,
            get: |options: &Options| {
                options.$field.map_or_else(|| "none".to_owned(), |number| number.to_string())
            },
            set: |options: &mut Options, value| {
                options.$field = bound(value)?;
                Some(())
            },
        }
    };
}

/// All options.
pub const SETTINGS: &[Setting<Options>] = &[
    choice_setting!(
        "generalize", generalize, "none, old, new or inductive",
        "how lemmas are made stronger: not, by dropping literals as Bradley's IC3, with the \
         techniques of the thesis, or our way",
        "[Lan18 §4.3]",
        "none" => Generalize::None, "old" => Generalize::Old, "new" => Generalize::New,
        "inductive" => Generalize::Inductive
    ),
    choice_setting!(
        "edge-approach", edge_approach, "multi, single or incremental",
        "literals are tried on all edges at once, on each edge, or on each with what others need \
         taken as given",
        "[Lan18 §4.3.2]",
        "multi" => EdgeApproach::Multi, "single" => EdgeApproach::Single,
        "incremental" => EdgeApproach::Incremental
    ),
    choice_setting!(
        "literal-search", literal_search, "linear or binary",
        "literals are dropped one by one, or by halves",
        "[Lan18, Algorithms 10 and 11]",
        "linear" => LiteralSearch::Linear, "binary" => LiteralSearch::Binary
    ),
    choice_setting!(
        "obligation-order", obligation_order, "smallest, largest or random",
        "which cube of a frame is attended to first",
        "[Lan18 §4.3.4]",
        "smallest" => ObligationOrder::Smallest, "largest" => ObligationOrder::Largest,
        "random" => ObligationOrder::Random
    ),
    switch_setting!(
        "reuse",
        reuse,
        "obligations are kept for the next iteration",
        "[Lan18 §4.2.4]"
    ),
    switch_setting!(
        "rel-ind-alt",
        rel_ind_alt,
        "inductivity by weakest preconditions, without primes",
        "[Lan18, Def. 4.9]"
    ),
    switch_setting!(
        "pre-cubes",
        pre_cubes,
        "inductivity and generalizations by lemmas in the precondition",
        "[Lan18, Theorems 4.5 and 4.6]"
    ),
    switch_setting!(
        "generalization-caching",
        generalization_caching,
        "generalizations are upper bounds of later ones",
        "[Lan18, Theorem 4.7]"
    ),
    switch_setting!("lower-bounds", lower_bounds, "and lower bounds", "[Lan18, Theorem 4.9]"),
    switch_setting!(
        "extended-context",
        extended_context,
        "and those of other cubes are upper bounds too",
        "[Lan18, Theorem 4.8]"
    ),
    choice_setting!(
        "interpolation", interpolation, "off, loop-edges or all-edges",
        "cubes are interpolated before literals are dropped",
        "[Lan18 §4.3.5]",
        "off" => Interpolation::Off, "loop-edges" => Interpolation::LoopEdges,
        "all-edges" => Interpolation::AllEdges
    ),
    switch_setting!(
        "semantic-blocking",
        semantic_blocking,
        "lemmas that the frame implies are left out",
        "[Lan18 §5.2.1]"
    ),
    switch_setting!(
        "semantic-termination",
        semantic_termination,
        "frames that imply each other are equal",
        "[Lan18 §4.4]"
    ),
    switch_setting!(
        "assumed-literals",
        assumed_literals,
        "literals that an edge assumes are left out",
        "[Lan18, Theorem 4.4]"
    ),
    switch_setting!(
        "dont-care-literals",
        dont_care_literals,
        "literals of the frame are left out",
        "[Lan18 §4.3.2]"
    ),
    choice_setting!(
        "query-form", query_form, "first, check, check-by-filter or check-and-filter",
        "edges are asked one by one up to the first predecessor, all at once, one by one, or all \
         at once and then one by one",
        "[Lan18 §5.1.3]",
        "first" => QueryForm::First, "check" => QueryForm::Check,
        "check-by-filter" => QueryForm::CheckByFilter,
        "check-and-filter" => QueryForm::CheckAndFilter
    ),
    switch_setting!(
        "unsat-cores",
        unsat_cores,
        "generalization begins with the unsatisfiable core",
        "[Lan18 §4.3.1]"
    ),
    number_setting!(
        "cached-answers",
        cached_answers,
        "how many answers each solver remembers",
        "[Lan18 §5.1.3]"
    ),
    bound_setting!(
        "critical-conflicts",
        critical_conflicts,
        "the effort for a query without which the search can't go on",
        "[Lan18 §5.1.3]"
    ),
    bound_setting!(
        "non-critical-conflicts",
        non_critical_conflicts,
        "the effort for a query that only makes a lemma stronger",
        "[Lan18 §5.1.3]"
    ),
    switch_setting!("propagate", propagate, "lemmas move to higher frames", ""),
    switch_setting!(
        "may-obligations",
        may_obligations,
        "what keeps a lemma from moving up becomes an obligation",
        "Gurfinkel, Ivrii, FMCAD 2015"
    ),
    switch_setting!(
        "loop-premise",
        loop_premise,
        "a clause is assumed before the edges of its own loop",
        ""
    ),
    switch_setting!("case-split", case_split, "predecessors are cubes of simple literals", ""),
    switch_setting!("saturate", saturate, "cubes are extended by formulas that they imply", ""),
    switch_setting!("seeds", seeds, "bounds and relations are guessed from runs, and proved", ""),
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

    #[test]
    fn what_is_read_can_be_set() {
        for letter in 'A'..='Q' {
            let preset = Options::preset(letter).expect("a letter");
            let mut copy = Options::default();
            for setting in SETTINGS {
                let assignment = format!("{}={}", setting.name, (setting.get)(&preset));
                copy.assign(&assignment).expect("what was read");
            }
            assert_eq!(copy, preset, "{letter}");
        }
    }
}
