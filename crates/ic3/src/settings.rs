//! Options by name, as a command line gives them: one table.

use crate::options::{Generalization, Lifting, Options, Ordering, Preprocessing};
pub use lemmas::settings::SettingError;
use lemmas::settings::{Setting, assign};
use lemmas::{choice_setting, number_setting, switch_setting};

impl Options {
    /// Sets an option given as `NAME=VALUE`; see [`SETTINGS`].
    pub fn assign(&mut self, assignment: &str) -> Result<(), SettingError> {
        assign(SETTINGS, self, assignment)
    }
}

/// All options.
pub const SETTINGS: &[Setting<Options>] = &[
    choice_setting!(
        "generalization", generalization, "core, prime-implicate, down, ctg or dynamic",
        "how a cube becomes a lemma: by the core alone, as a prime implicate, as a minimal \
         inductive subclause, with counterexamples to generalization blocked, or with as many \
         blocked as the obligation was hard",
        "[Bra11 §3, §7; HBS13; SYCH25]",
        "core" => Generalization::Core,
        "prime-implicate" => Generalization::PrimeImplicate,
        "down" => Generalization::Down,
        "ctg" => Generalization::Ctg,
        "dynamic" => Generalization::Dynamic,
    ),
    number_setting!(
        "ctg-depth",
        ctg.depth,
        "how deep counterexamples to the generalization of counterexamples are blocked by ctg",
        "[HBS13]"
    ),
    number_setting!(
        "ctg-count",
        ctg.count,
        "how many counterexamples ctg blocks before it joins the cube with one",
        "[HBS13]"
    ),
    Setting {
        name: "mic-failures",
        values: "a number or none",
        meaning: "how many literals that can't be dropped end the search for a smaller clause",
        source: "[Bra11 §7]",
        get: |options| match options.mic_failures {
            usize::MAX => "none".to_owned(),
            failures => failures.to_string(),
        },
        set: |options, value| {
            options.mic_failures = match value {
                "none" => usize::MAX,
                number => number.parse().ok()?,
            };
            Some(())
        },
    },
    choice_setting!(
        "lifting", lifting, "sat, ternary or model",
        "how a predecessor becomes a cube: by a core, by ternary simulation, or by what the \
         solver left open",
        "[EMB11]; Chockler et al. 2011",
        "sat" => Lifting::Sat, "ternary" => Lifting::Ternary, "model" => Lifting::Model,
    ),
    choice_setting!(
        "ordering", ordering, "activity, static or random",
        "which literals are dropped first: of the least active latches, by number, or any",
        "[Bra11 §7]",
        "activity" => Ordering::Activity, "static" => Ordering::Static,
        "random" => Ordering::Random,
    ),
    choice_setting!(
        "preprocessing", preprocessing, "cone or sweep",
        "what is done before: the cone of influence, or merging of equal latches and gates too",
        "van Eijk 2000; Kuehlmann et al. 2002",
        "cone" => Preprocessing::Cone, "sweep" => Preprocessing::Sweep,
    ),
    number_setting!(
        "propagation-counterexamples",
        propagation_counterexamples,
        "how many counterexamples to the propagation of a lemma are blocked",
        ""
    ),
    switch_setting!(
        "infinite-frame",
        infinite_frame,
        "lemmas that are inductive alone are kept apart and never propagated again",
        ""
    ),
    switch_setting!(
        "keep-obstacles",
        keep_obstacles,
        "a lemma is not asked about while a known state keeps it from being propagated",
        ""
    ),
    switch_setting!(
        "keep-obligations",
        keep_obligations,
        "settled obligations wait for higher frames",
        "[EMB11]"
    ),
    Setting {
        name: "effort-limit",
        values: "a number or none",
        meaning: "the effort on one obligation after which it is given up until it is met again",
        source: "",
        get: |options| match options.effort_limit {
            f64::INFINITY => "none".to_owned(),
            limit => limit.to_string(),
        },
        set: |options, value| {
            options.effort_limit = match value {
                "none" => f64::INFINITY,
                number => number.parse().ok().filter(|limit| *limit > 0.0)?,
            };
            Some(())
        },
    },
    switch_setting!(
        "latch-equivalences",
        latch_equivalences,
        "latches that simulation does not tell apart are equal up to the frames where that holds",
        "[Bra11 §7]"
    ),
    number_setting!("seed", seed, "decides where runs may differ by luck", ""),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::CtgLimits;

    #[test]
    fn every_field_can_be_named() {
        let mut options = Options::default();
        let assignments = "generalization=dynamic ctg-depth=3 ctg-count=5 mic-failures=7 \
                           lifting=ternary ordering=random preprocessing=cone \
                           propagation-counterexamples=2 infinite-frame=off keep-obstacles=off \
                           keep-obligations=off effort-limit=none latch-equivalences=on seed=9";
        for assignment in assignments.split_whitespace() {
            assert_eq!(options.assign(assignment), Ok(()), "{assignment}");
        }
        let expected = Options {
            seed: 9,
            preprocessing: Preprocessing::Cone,
            generalization: Generalization::Dynamic,
            ctg: CtgLimits { depth: 3, count: 5 },
            mic_failures: 7,
            lifting: Lifting::Ternary,
            ordering: Ordering::Random,
            propagation_counterexamples: 2,
            infinite_frame: false,
            keep_obstacles: false,
            keep_obligations: false,
            effort_limit: f64::INFINITY,
            latch_equivalences: true,
        };
        assert_eq!(options, expected);
        let mut copy = Options::default();
        for setting in SETTINGS {
            let assignment = format!("{}={}", setting.name, (setting.get)(&options));
            assert_eq!(copy.assign(&assignment), Ok(()), "{assignment}");
        }
        assert_eq!(copy, options, "what is read can be set");
        assert_eq!(assignments.split_whitespace().count(), SETTINGS.len());
    }

    #[test]
    fn named_values_are_the_values_that_are_taken() {
        let named =
            SETTINGS.iter().filter(|s| s.values.contains(" or ") && !s.values.contains("number"));
        for setting in named {
            let mut values = setting.values.replace(" or ", ", ");
            values.retain(|c| c != ' ');
            for value in values.split(',') {
                let mut options = Options::default();
                assert_eq!(options.assign(&format!("{}={value}", setting.name)), Ok(()));
                assert_eq!((setting.get)(&options), value, "{}", setting.name);
            }
        }
    }

    #[test]
    fn wrong_assignments_say_what_is_right() {
        let mut options = Options::default();
        let mut message = |a: &str| options.assign(a).expect_err("wrong").to_string();
        assert!(message("lift=sat").contains("lifting"));
        assert!(message("lifting=unsat").contains("ternary"));
        assert!(message("ctg-depth=deep").contains("a number"));
        assert!(message("effort-limit=0").contains("a number or none"));
        assert!(message("effort-limit=NaN").contains("a number or none"));
        assert!(message("lifting").contains("NAME=VALUE"));
    }
}
