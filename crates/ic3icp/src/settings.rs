//! Options by name, as a command line gives them: one table. The names are those of [Sch, Table I].

use crate::options::{Options, SolverKind};
use lemmas::settings::{Setting, SettingError, assign};
use lemmas::{choice_setting, number_setting, switch_setting};

impl Options {
    /// Sets an option by an assignment, NAME=VALUE.
    pub fn assign(&mut self, assignment: &str) -> Result<(), SettingError> {
        assign(SETTINGS, self, assignment)
    }
}

/// All options.
pub const SETTINGS: &[Setting<Options>] = &[
    number_setting!(
        "ind",
        ind,
        "how many steps more than one are before the violation that is looked for: IND'ᵢ, `ind0` to `ind4`",
        "[Sch §III-E]"
    ),
    switch_setting!(
        "abort",
        abort,
        "a search that makes no progress begins anew, with as many steps as it has frames",
        "[Sch §III-E]"
    ),
    number_setting!(
        "abort-limit",
        abort_limit,
        "the obligations between two frames after which it does so; twice as many the next time",
        "[Sch §III-E]"
    ),
    switch_setting!(
        "rotation",
        rotation,
        "the assumptions of a refutation are put in another order and asked again",
        "[Sch §III-A]"
    ),
    switch_setting!("bg", bg, "bounds that a refutation needs are made weaker", "[Sch §III-B]"),
    switch_setting!(
        "gentr",
        gentr,
        "obligations are generalized with the negated transition relation",
        "[Sch §III-D]"
    ),
    switch_setting!("ld", ld, "literals are dropped one by one, after rotation", "[Sch §IV]"),
    choice_setting!(
        "solver", solver, "icp or blast",
        "who answers questions: CDCL over interval bounds, or bit-blasting",
        "",
        "icp" => SolverKind::Icp, "blast" => SolverKind::Blast
    ),
    number_setting!(
        "conflicts",
        conflicts,
        "the conflicts that a question may take that only makes a lemma stronger",
        ""
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configurations_of_the_paper_can_be_written_down() {
        let with = |text: &str| {
            let mut options = Options::default();
            for assignment in text.split_whitespace() {
                options.assign(assignment).expect("an option");
            }
            options
        };
        let default = Options::default();
        assert_eq!(with("ind=2 abort=on bg=on gentr=on ld=off"), default);
        let plain = with("ind=0 abort=off bg=off gentr=off");
        assert_eq!(plain, Options { ind: 0, abort: false, bg: false, gentr: false, ..default });
        assert_eq!(with("ld=on ind=4"), Options { ld: true, ind: 4, ..default });
        assert_eq!(with("solver=blast").solver, SolverKind::Blast);
        assert!(Options::default().assign("ind=two").is_err());
        assert!(Options::default().assign("lifting=on").is_err());
    }

    #[test]
    fn what_is_set_can_be_read() {
        let mut options = Options::default();
        for Setting { name, get, .. } in SETTINGS {
            let value = get(&options);
            options.assign(&format!("{name}={value}")).expect("its own value");
        }
        assert_eq!(options, Options::default());
    }
}
