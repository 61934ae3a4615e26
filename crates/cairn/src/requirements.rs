//! Requirements of a controller's program, one after the other: each is a question of its own, as none
//! says anything about runs that violate another one. Each has its line and, if it fails, its run.

use crate::check::{Run, failed, with_comparison};
use crate::exit::Exit;
use crate::kept::Kept;
use crate::limits::LastResort;
use crate::options::{Format, inputs};
use crate::output::{complain, print};
use crate::pages;
use crate::revision::Version;
use crate::store::store;
use crate::versions::{Before, Comparison};
use answer::Verdict;
use front_st::compile::{Settings as Cyclic, Stated};
use report::document::{complete, conclude, required, together};
use report::files::{Files, files};
use report::result::Outputs;
use report::{Subject, text};
use std::time::Instant;
use verify::{Failure, Limits, Outcome, Reading, Task};

/// Whether requirements are asked about one by one: there are several, or one has a name.
pub fn are_several(reading: &Reading) -> bool {
    match &reading.st.stated[..] {
        [one] => !one.name.is_empty(),
        stated => !stated.is_empty(),
    }
}

/// A requirement and its answer.
struct Judged {
    stated: Stated,
    task: Task,
    outcome: Outcome,
    /// What became of it since a version before.
    compared: Option<Comparison>,
}

impl Judged {
    fn verdict(&self) -> Verdict {
        required(&self.stated, self.outcome.verdict())
    }
}

/// Decides all of them and prints the verdict as the last line; after another version, beginning with what is
/// known of that.
pub fn decide(run: &Run<'_>, old: Option<&Version>, last_resort: &LastResort) -> Exit {
    let mut judged = match answers(run, old) {
        Ok(judged) => judged,
        Err(failure) => return failed(&failure, run.arguments.seed),
    };
    let compared = compared(&mut judged);
    let settings = run.arguments.settings(run.tables);
    let subjects: Vec<Subject<'_>> =
        judged.iter().map(|one| run.subject(&one.task, &one.outcome, &settings)).collect();
    let all: Vec<&Subject<'_>> = subjects.iter().collect();
    if run.arguments.format == Format::Json || run.arguments.html.is_some() {
        // While the answer can still be given by the last resort.
        let answers = |subject: &&Subject<'_>| 0..subject.outcome.answers.len();
        let classes =
            all.iter().map(|subject| answers(subject).filter_map(|n| subject.class(n)).count());
        classes.for_each(drop);
    }
    let made = match written(run, &judged, &all) {
        Ok(made) => made,
        Err(error) => {
            complain(&format!("internal error: {error}"));
            return Exit::Internal;
        }
    };
    let verdict = judged.iter().map(Judged::verdict).fold(Verdict::Safe, Verdict::and);
    let stored = last_resort.answer(|| {
        let stored = store(&made.files);
        say(run, (&judged, compared.as_ref()), &subjects, &made, verdict, stored.is_ok());
        stored
    });
    Exit::with(verdict, stored)
}

/// The answers, in order. All are read before the first is asked about, so that what is wrong with one
/// is said at once.
fn answers(run: &Run<'_>, old: Option<&Version>) -> Result<Vec<Judged>, Failure> {
    let all = &run.reading.st.stated;
    let mut tasks = Vec::new();
    for stated in all {
        let st = Cyclic { stated: vec![stated.clone()], ..run.reading.st.clone() };
        let reading = Reading { st, ..run.reading.clone() };
        tasks.push(run.language.read(&inputs(&run.files), &reading)?);
    }
    let mut judged = Vec::new();
    for (number, (stated, task)) in all.iter().zip(tasks).enumerate() {
        let limits = share(run.watch.limits(), all.len() - number);
        let kept = Kept::open(run.arguments, &task, old);
        let kept = kept.map_err(|message| Failure::Rejected(verify::Rejection::new(message)))?;
        let before = old.map(|old| Before::of(old, kept.as_ref(), run.language, &task.reading));
        let outcome = run.answer(&task, kept.as_ref(), limits, false)?;
        let compared = before.and_then(|before| before.compared(&task, &outcome));
        let one = Judged { stated: stated.clone(), task, outcome, compared };
        if run.arguments.talks() {
            told(run, &one);
        }
        judged.push(one);
    }
    Ok(judged)
}

/// What became of all of them since the version before, if there is one.
fn compared(judged: &mut [Judged]) -> Option<Comparison> {
    let all = judged.iter_mut().map(|one| Some((&one.stated, one.compared.take()?)));
    Comparison::together(all.collect::<Option<Vec<_>>>()?)
}

/// What one of several questions may use that share what is left.
fn share(limits: Limits, questions: usize) -> Limits {
    let now = Instant::now();
    let passed = limits.since.map_or_else(Default::default, |since| now - since);
    let left = limits.time.map(|time| time.saturating_sub(passed) / questions as u32);
    Limits { since: Some(now), time: left, ..limits }
}

/// The lines of a requirement, as soon as it is decided.
fn told(run: &Run<'_>, one: &Judged) {
    let Judged { stated, task, outcome, .. } = one;
    let reason = match (one.verdict(), outcome.reason(), stated.doubt()) {
        (Verdict::Unknown, Some(reason), _) => format!(" ({reason})"),
        (Verdict::Unknown, None, Some(doubt)) => format!(" ({doubt})"),
        _ => String::new(),
    };
    let about = if stated.text.is_empty() { String::new() } else { format!("  {}", stated.text) };
    print(&format!("{}: {}{reason}{about}", stated.title(), one.verdict()));
    let settings = run.arguments.settings(run.tables);
    let subject = run.subject(task, outcome, &settings);
    let lines = outcome.answers.iter().flat_map(|answer| text::answer(task, answer, false));
    for line in lines.chain(pages::run_lines(&subject)) {
        line.lines().for_each(|line| print(&format!("  {line}")));
    }
}

/// The files that are asked for: a witness and a harness for the first requirement that has a run.
fn written(
    run: &Run<'_>,
    judged: &[Judged],
    subjects: &[&Subject<'_>],
) -> Result<Files, report::files::FileError> {
    let arguments = run.arguments;
    let fails = |one: &Judged| one.outcome.verdict() == Verdict::Unsafe;
    let first = judged.iter().position(fails).unwrap_or(0);
    let (witness, harness) = (arguments.witness.as_deref(), arguments.harness.as_deref());
    let mut made = files(subjects[first], witness, harness)?;
    pages::add(&mut made, arguments, subjects);
    Ok(made)
}

fn say(
    run: &Run<'_>,
    (judged, compared): (&[Judged], Option<&Comparison>),
    subjects: &[Subject<'_>],
    made: &Files,
    verdict: Verdict,
    stored: bool,
) {
    let arguments = run.arguments;
    if arguments.format == Format::Json {
        let outputs = if stored { run.outputs(made) } else { Outputs::default() };
        let document = |subject| complete(run.blank.clone(), subject, outputs.clone());
        let mut document = together(subjects.iter().map(document).collect());
        conclude(&mut document, &run.reading.st.stated, verdict);
        print(&match compared {
            Some(comparison) => with_comparison(&document, comparison),
            None => document.json(),
        });
        return;
    }
    if arguments.talks() {
        made.notes.iter().for_each(|note| print(note));
        let mut assumptions: Vec<String> = Vec::new();
        for assumption in judged.iter().flat_map(|one| &one.outcome.assumptions) {
            let line = text::assumption(assumption);
            if !assumptions.contains(&line) {
                print(&line);
                assumptions.push(line);
            }
        }
        let seconds = judged.iter().map(|one| one.outcome.seconds).sum();
        let compared = compared.map(|compared| compared.lines(seconds));
        compared.iter().flatten().for_each(|line| print(line));
        let count = |verdict| judged.iter().filter(|one| one.verdict() == verdict).count();
        let counts = [Verdict::Unsafe, Verdict::Unknown, Verdict::Safe].map(|v| (count(v), v));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> =
            counts.map(|(count, verdict)| format!("{count} {verdict}")).collect();
        let word = if judged.len() == 1 { "requirement" } else { "requirements" };
        print(&format!("{} {word}: {}", judged.len(), counts.join(", ")));
    }
    print(&format!("verdict: {verdict}"));
}
