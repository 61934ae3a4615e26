//! Options by name, as a command line gives them: one table.

use crate::{Checks, Options, Refinement};
pub use lemmas::settings::SettingError;
use lemmas::settings::{Setting, assign};
use lemmas::{choice_setting, number_setting, switch_setting};
use smt::interpolate::System;

impl Options {
    /// Sets an option given as `NAME=VALUE`; see [`SETTINGS`].
    pub fn assign(&mut self, assignment: &str) -> Result<(), SettingError> {
        assign(SETTINGS, self, assignment)
    }
}

/// All options.
pub const SETTINGS: &[Setting<Options>] = &[
    choice_setting!(
        "interpolation", interpolation, "mcmillan, pudlak or dual",
        "how interpolants are read off a refutation: the strongest, those in the middle, or the weakest",
        "[Fed15 §2.1.1]",
        "mcmillan" => System::McMillan,
        "pudlak" => System::Pudlak,
        "dual" => System::DualMcMillan,
    ),
    choice_setting!(
        "refinement", refinement, "guided or greedy",
        "which calls are unwound when a run is found that need not exist: those that it comes to, or all",
        "[Fed15 §2.2.6]",
        "guided" => Refinement::Guided,
        "greedy" => Refinement::Greedy,
    ),
    number_setting!("depth", depth, "how deep recursion is unwound at first", "[Fed15 Alg. 1]"),
    switch_setting!(
        "summaries",
        summaries,
        "whether summaries are made and used; without, recursion is unwound as deep as it is needed",
        "[Fed15 Alg. 2]"
    ),
    switch_setting!(
        "guesses",
        guesses,
        "whether summaries are also guessed from the text of the program",
        ""
    ),
    switch_setting!(
        "decomposition",
        decomposition,
        "whether weaker assertions are proved first, for their summaries",
        "[Fed15 §5.1.2]"
    ),
    switch_setting!(
        "slicing",
        slicing,
        "whether outputs of calls are left out that no check depends on",
        "[Fed15 §5.1]"
    ),
    choice_setting!(
        "checks", checks, "end or pass",
        "what runs do where a check fails that is not asked about; a proof counts where they end",
        "[Fed15 §2.2.7]",
        "end" => Checks::End,
        "pass" => Checks::Pass,
    ),
];
