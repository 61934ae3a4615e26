//! The class of the failing inputs in words.

use verify::class::{Case, Class, Stage};

/// The lines that say it. `round`: what a round of the outermost loop is called.
pub fn lines(class: &Class, round: &str) -> Vec<String> {
    let mut lines = vec!["Class of the failing inputs: the run fails".to_owned()];
    for (number, case) in class.cases.iter().enumerate() {
        let or = if number > 0 { "or " } else { "" };
        lines.push(format!("    {or}{}", told(case, round)));
    }
    lines.push(match class.complete {
        true => format!("No other inputs fail here in so many {round}s."),
        false => "Other inputs may fail, too.".to_owned(),
    });
    lines
}

/// A case: `every x, whenever a < b and not c`.
fn told(case: &Case, round: &str) -> String {
    let stages: Vec<String> = case.conditions.iter().map(|stage| one(stage, round)).collect();
    let any = match &case.any[..] {
        [] => String::new(),
        [one] => format!("for every {one}"),
        [all @ .., last] => format!("for every {} and {last}", all.join(", ")),
    };
    match (stages.is_empty(), any.is_empty()) {
        (true, _) => "with all inputs".to_owned(),
        (false, true) => format!("whenever {}", stages.join("; ")),
        (false, false) => format!("{any}, whenever {}", stages.join("; ")),
    }
}

fn one(stage: &Stage, round: &str) -> String {
    let said = match &stage.conditions[..] {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    };
    match stage.rounds {
        None => said,
        Some((from, to)) if from == to => format!("{said} in {round} {from}"),
        Some((from, to)) => format!("{said} in {round}s {from} to {to}"),
    }
}

/// What a round of the outermost loop is called.
pub fn round_of(language: &str) -> &'static str {
    if language == "Structured Text" { "cycle" } else { "round" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_sentences() {
        let stage = |rounds, conditions: &[&str]| Stage {
            rounds,
            conditions: conditions.iter().map(|text| (*text).to_owned()).collect(),
        };
        let any = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let cases = vec![
            Case { conditions: vec![stage(None, &["a < b", "not c"])], any: any(&["x"]) },
            Case {
                conditions: vec![
                    stage(Some((1, 1)), &["start"]),
                    stage(Some((2, 5)), &["not stop"]),
                ],
                any: Vec::new(),
            },
            Case { conditions: Vec::new(), any: any(&["x", "y"]) },
        ];
        let expected = [
            "Class of the failing inputs: the run fails",
            "    for every x, whenever a < b and not c",
            "    or whenever start in cycle 1; not stop in cycles 2 to 5",
            "    or with all inputs",
            "Other inputs may fail, too.",
        ];
        assert_eq!(lines(&Class { cases, complete: false }, "cycle"), expected);
    }
}
