//! Failing runs as their readers want them: lines after a check, a page, and a table for spreadsheets.

use crate::options::Asking;
use answer::Verdict;
use report::class::{lines as class_lines, round_of};
use report::cycles::Cycles;
use report::cycles::page::{Section, html};
use report::document::required;
use report::files::Files;
use report::{Subject, text};
use verify::outcome::Finding;

/// The lines that follow the lines of an outcome: the cycles of the first run that can be told so, and
/// which other inputs fail.
pub fn run_lines(subject: &Subject<'_>) -> Vec<String> {
    let answers = 0..subject.outcome.answers.len();
    let cycles = answers.clone().find_map(|number| subject.cycles(number));
    let cycles = cycles.map(|cycles| cycles.table().trim_end().to_owned());
    let round = round_of(subject.task.language.name());
    let classes = answers.filter_map(|number| subject.class(number));
    cycles.into_iter().chain(classes.flat_map(|class| class_lines(class, round))).collect()
}

/// Adds the page and the table that are asked for.
pub fn add(made: &mut Files, arguments: &Asking, subjects: &[&Subject<'_>]) {
    if let Some(path) = &arguments.html {
        let sections: Vec<Section<'_>> = subjects.iter().flat_map(|one| sections(one)).collect();
        let mut assumptions: Vec<String> = Vec::new();
        for assumption in subjects.iter().flat_map(|subject| &subject.outcome.assumptions) {
            if !assumptions.contains(&assumption.text) {
                assumptions.push(assumption.text.clone());
            }
        }
        let files = subjects.first().map(|subject| &subject.task.files[..]).unwrap_or_default();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let page = html(&names.join(", "), &sections, &assumptions);
        made.files.push((path.clone(), page.into_bytes()));
    }
    if let Some(path) = &arguments.csv {
        let cycles = |subject: &&Subject<'_>| {
            (0..subject.outcome.answers.len())
                .find_map(|number| subject.cycles(number).map(Cycles::csv))
        };
        match subjects.iter().find_map(cycles) {
            Some(csv) => made.files.push((path.clone(), csv.into_bytes())),
            None => made.notes.push(format!(
                "{}: no table is written: there is no run that can be told in cycles",
                path.display()
            )),
        }
    }
}

/// The answers of an outcome on the page.
fn sections<'s>(subject: &'s Subject<'_>) -> Vec<Section<'s>> {
    let round = round_of(subject.task.language.name());
    let stated = match &subject.task.reading.st.stated[..] {
        [stated] => Some(stated),
        _ => None,
    };
    let section = |number: usize| {
        let answer = &subject.outcome.answers[number];
        let verdict = answer.finding.verdict();
        let verdict = stated.map_or(verdict, |stated| required(stated, verdict));
        let remark = match (&answer.finding, verdict) {
            (Finding::Unknown(reason), _) => Some(reason.to_string()),
            (Finding::Unsafe(_), Verdict::Unknown) => {
                stated.and_then(|stated| stated.doubt()).map(str::to_owned)
            }
            (Finding::Unsafe(_), Verdict::Safe) => Some("This run shows it.".to_owned()),
            (Finding::Safe(_), Verdict::Unsafe) => {
                Some("There is a proof that no run does.".into())
            }
            (Finding::Unsafe(_), _) => Some("This run violates it.".to_owned()),
            _ => None,
        };
        let cycles = subject.cycles(number);
        let lines = match cycles {
            Some(_) => Vec::new(),
            None => text::answer(subject.task, answer, false),
        };
        let class = subject.class(number).map(|class| class_lines(class, round));
        Section {
            title: stated.map_or_else(|| answer.goal.to_string(), |stated| stated.title()),
            text: stated.map_or_else(String::new, |stated| stated.text.clone()),
            verdict: Some(verdict),
            remark,
            cycles,
            lines,
            class: class.unwrap_or_default(),
        }
    };
    (0..subject.outcome.answers.len()).map(section).collect()
}
