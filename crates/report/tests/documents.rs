//! Documents and what is said of them: they match the outcome that they are of, survive being written,
//! and no reason is without words.

mod common;

use answer::{Exhausted, ProofKind, Reason, Verdict};
use circuit::aiger::write_ascii;
use circuit::{Init, TransitionSystem};
use common::{HEAD, c, decided, document, explaining, read};
use program::Property;
use program::counterexample::Placed;
use report::document::{blank, late};
use report::explain::explain;
use report::invariant::TRUE;
use report::result::{Document, Place, ReadError, SCHEMA, StepKind};
use report::text;
use std::time::Duration;
use verify::{
    Board, Finding, Limits, Outcome, Question, Reading, Settings, Task, Violation, decide,
    languages,
};

const SAFE: &str = "int main(void) {
    unsigned i = 0, n = __VERIFIER_nondet_uint();
    while (i < n) {
        i++;
    }
    if (i != n) reach_error();
    return 0;
}
";

const UNSAFE: &str = "int helper(int x) {
    if (x == 1234) reach_error();
    return x;
}
int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = a + 1;
    int unrelated = 77;
    helper(b);
    return unrelated;
}
";

/// The line of the text behind the head.
fn line(number: usize) -> u32 {
    (HEAD.lines().count() + number) as u32
}

fn in_no_time(task: &Task) -> Outcome {
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    decide(&Question { task, settings: explaining(), limits }).expect("no engine fails")
}

/// Without a look at sources.
fn words(document: &Document) -> String {
    explain(document, &|_| None)
}

/// What is written is read as the same.
fn survives(document: &Document) {
    let text = document.json();
    let back = Document::read(&text).expect("what was written");
    assert_eq!(back.json(), text);
    assert_eq!(words(&back), words(document));
}

#[test]
fn a_proof_is_explained() {
    let task = c(SAFE, &[Property::Reach]);
    let outcome = decided(&task, explaining());
    let document = document(&task, &outcome);
    assert_eq!((outcome.verdict(), document.verdict), (Verdict::Safe, Verdict::Safe));
    let [answer] = &document.answers[..] else { panic!("{:?}", document.answers) };
    let proof = answer.proof.as_ref().expect("safe has a proof");
    let engine = answer.engine.as_ref().expect("somebody found it");
    let check = answer.check.as_ref().expect("it was checked");
    let Finding::Safe(proved) = &outcome.answers[0].finding else { panic!("it is safe") };
    assert_eq!((proof.kind, proof.size), (proved.kind, proved.size));
    let text = words(&document);
    assert!(text.starts_with("case.c (C, data model ILP32): safe\nAsked: reach.\n"), "{text}");
    assert!(
        text.contains(&format!("The proof was found by {engine} and accepted by {}", check.by))
    );
    let [invariant] = &proof.invariants[..] else { panic!("{proof:?}") };
    assert_eq!((invariant.place.line, invariant.function.as_str()), (line(3), "main"));
    assert!(text.contains(&format!("the loop at case.c:{}:5 in main", line(3))), "{text}");
    for part in invariant.expression.split(" && ") {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(text.contains("The property is not vacuous: "), "{text}");
    for absent in ["There is no answer", "NOT checked", "VACUOUS", "The run below"] {
        assert!(!text.contains(absent), "{text}");
    }
    survives(&document);
}

#[test]
fn source_lines_are_shown_where_they_are_known() {
    let task = c(SAFE, &[Property::Reach]);
    let document = document(&task, &decided(&task, explaining()));
    let source = format!("{HEAD}{SAFE}");
    let shown = |place: &Place| source.lines().nth(place.line as usize - 1).map(str::to_owned);
    let text = explain(&document, &shown);
    assert!(text.contains(&format!("{:>6} |     while (i < n) {{\n", line(3))), "{text}");
    assert!(!words(&document).contains("while"));
}

#[test]
fn a_proof_without_a_check_says_so() {
    let task = c(SAFE, &[Property::Reach]);
    let settings = Settings { certify: false, ..explaining() };
    let mut document = document(&task, &decided(&task, settings));
    assert_eq!(document.verdict, Verdict::Safe);
    assert!(document.answers[0].check.is_none());
    assert!(words(&document).contains("It was NOT checked independently."));
    document.answers[0].engine = None;
    assert!(words(&document).contains("The proof was found. It was NOT checked"));
}

#[test]
fn a_vacuous_proof_is_called_so() {
    let text =
        "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 3 && x < 2);
        if (x == 0) reach_error(); return 0; }";
    let task = c(text, &[Property::Reach]);
    let outcome = decided(&task, explaining());
    let document = document(&task, &outcome);
    assert_eq!(document.verdict, Verdict::Safe);
    assert!(words(&document).contains("This proof is VACUOUS"), "{}", words(&document));
    let lines = text::answer(&task, &outcome.answers[0], false);
    assert!(lines.iter().any(|line| line.starts_with("the proof is vacuous")), "{lines:?}");
    survives(&document);
}

#[test]
fn a_run_is_explained() {
    let task = c(UNSAFE, &[Property::Reach]);
    let outcome = decided(&task, explaining());
    let document = document(&task, &outcome);
    assert_eq!((outcome.verdict(), document.verdict), (Verdict::Unsafe, Verdict::Unsafe));
    let run = document.answers[0].run.as_ref().expect("unsafe has a run");
    assert_eq!(run.violated, "reach");
    assert_eq!(run.function.as_deref(), Some("helper"));
    assert_eq!(run.place.as_ref().map(|place| place.line), Some(line(2)));
    let inputs = run.steps.iter().filter(|step| step.kind == StepKind::Input);
    let inputs: Vec<&str> = inputs.map(|step| step.value.as_str()).collect();
    assert_eq!(inputs, ["1233"]);
    let assigned = |name: &str| {
        let step =
            run.steps.iter().find(|step| step.kind == StepKind::Assignment && step.what == name);
        step.map(|step| step.value.as_str())
    };
    assert_eq!(assigned("b"), Some("1234"));
    assert_eq!(assigned("unrelated"), None, "the violation does not depend on it");
    assert!(run.stack.iter().any(|call| call.function == "main" && call.place.line == line(9)));
    let text = words(&document);
    assert!(text.contains(" gives 1233\n") && text.contains("> b = 1234\n"), "{text}");
    assert!(text.contains("violation of reach in helper"), "{text}");
    assert!(text.contains("called from main"), "{text}");
    survives(&document);

    // The lines that a check prints say the same.
    let lines = text::answer(&task, &outcome.answers[0], false);
    assert!(lines.iter().any(|line| line.ends_with(" = 1233")), "{lines:?}");
    assert!(lines.last().is_some_and(|line| line.ends_with("violation of reach")), "{lines:?}");
    assert_eq!(text::verdict(&outcome), "verdict: unsafe");
}

#[test]
fn where_objects_must_lie_is_said() {
    let task = c(UNSAFE, &[Property::Reach]);
    let mut outcome = decided(&task, explaining());
    assert!(!words(&document(&task, &outcome)).contains("addresses"));
    let Finding::Unsafe(Violation::Program { run, .. }) = &mut outcome.answers[0].finding else {
        panic!("{}", text::verdict(&outcome))
    };
    let placed = |what: &str, address, beside: Option<&str>| Placed {
        what: what.to_owned(),
        address,
        beside: beside.map(str::to_owned),
    };
    run.placed = vec![
        placed("x", 0x1000, None),
        placed("y", 0x1004, Some("right after x")),
        placed("heap object 2", 0x4000_0000, Some("where heap object 1 was")),
    ];
    let expected = [
        "x at 0x1000",
        "y at 0x1004 (right after x)",
        "heap object 2 at 0x40000000 (where heap object 1 was)",
    ];
    let lines = text::answer(&task, &outcome.answers[0], false);
    assert_eq!(lines[..3], expected.map(|line| format!("placed: {line}")));
    let mut document = document(&task, &outcome);
    let said = words(&document);
    let all = expected.map(|line| format!("    {line}\n")).concat();
    assert!(said.contains(&format!("which the language leaves open:\n{all}")), "{said}");
    survives(&document);
    let run = document.answers[0].run.as_mut().expect("unsafe has a run");
    run.steps.clear();
    assert!(words(&document).contains("every run with objects placed so does this."));
}

#[test]
fn a_run_without_inputs_is_the_only_one() {
    let text = "int main(void) { reach_error(); return 0; }";
    let document = {
        let task = c(text, &[Property::Reach]);
        document(&task, &decided(&task, explaining()))
    };
    assert_eq!(document.verdict, Verdict::Unsafe);
    assert!(words(&document).contains("every run does this"), "{}", words(&document));
}

#[test]
fn long_runs_lose_their_middle() {
    let text = "int main(void) { unsigned i = 0; while (i < 3000) { i++; } if (i == 3000) reach_error(); return 0; }";
    let task = c(text, &[Property::Reach]);
    let outcome = decided(&task, explaining());
    let Finding::Unsafe(Violation::Program { run: full, .. }) = &outcome.answers[0].finding else {
        panic!("{}", text::verdict(&outcome))
    };
    let document = document(&task, &outcome);
    let run = document.answers[0].run.as_ref().expect("a run");
    assert!(run.steps_left_out > 0 && run.steps.len() == 2_000, "{}", run.steps.len());
    assert!(run.steps.len() + run.steps_left_out <= full.taken.len() + full.assignments.len());
    let last = run.steps.iter().rev().find(|step| step.what == "i").expect("i counts");
    assert_eq!(last.value.trim_end_matches(['u', 'U']), "3000");
    assert!(words(&document).contains(&format!("{} steps are left out", run.steps_left_out)));
}

#[test]
fn what_took_too_long_is_explained() {
    let task = c(SAFE, &[Property::Reach]);
    let outcome = in_no_time(&task);
    let mut document = document(&task, &outcome);
    assert_eq!(document.verdict, Verdict::Unknown);
    assert_eq!(document.why.as_ref().and_then(Reason::exhausted), Some(Exhausted::Time));
    document.statistics.time_limit = Some(0.5);
    let text = words(&document);
    assert!(text.contains("There is no answer: ") && text.contains("time limit"), "{text}");
    assert!(text.contains("more time: the limit was 0.5 s (--time-limit)"), "{text}");
    let line = text::verdict(&outcome);
    assert!(line.starts_with("verdict: unknown (") && line.contains("time limit"), "{line}");
    survives(&document);
}

#[test]
fn a_document_can_be_made_from_outside() {
    let limits =
        Limits { time: Some(Duration::from_secs(9)), memory: Some(77), ..Limits::default() };
    let blank = blank(&languages::C, vec!["a.c".to_owned()], &Reading::default(), &limits);
    assert_eq!((blank.verdict, blank.schema), (Verdict::Unknown, SCHEMA));
    for what in [Exhausted::Time, Exhausted::Memory, Exhausted::Interrupted] {
        let document = late(&blank, &Board::default(), what, 1.5);
        assert_eq!(document.why, Some(Reason::Stopped(what)));
        let text = words(&document);
        assert!(text.contains(&format!("There is no answer: {what}.")), "{text}");
        assert!(text.contains("No engine was started."), "{text}");
        assert_eq!(text.contains("the limit of 77 MB"), what == Exhausted::Memory, "{text}");
        assert_eq!(text.contains("the limit was 9 s"), what == Exhausted::Time, "{text}");
        survives(&document);
    }
}

#[test]
fn assumptions_and_unknown_functions_are_named() {
    let text = "extern int get(void);
        int main(void) { if (get() == 5) reach_error(); return 0; }";
    let task = c(text, &[Property::Reach]);
    let outcome = decided(&task, explaining());
    let document = document(&task, &outcome);
    assert_eq!(document.undefined, ["get"]);
    assert_eq!(document.assumptions.len(), outcome.assumptions.len());
    assert!(!document.assumptions.is_empty());
    let said = words(&document);
    assert!(said.contains("The verdict rests on these assumptions:"), "{said}");
    for assumption in &document.assumptions {
        assert!(said.contains(&format!("  - {}", assumption.text)), "{said}");
    }
    assert!(said.contains("functions without a body were chosen freely: get."), "{said}");
    let open = Document { verdict: Verdict::Unknown, ..document };
    assert!(words(&open).contains("An answer would rest on these assumptions:"));
}

#[test]
fn other_versions_are_refused() {
    let limits = Limits::default();
    let document = blank(&languages::C, Vec::new(), &Reading::default(), &limits);
    for schema in (0..SCHEMA).chain([SCHEMA + 1]) {
        let text = Document { schema, ..document.clone() }.json();
        match Document::read(&text) {
            Err(ReadError::Version(version)) => assert_eq!(version, schema),
            other => panic!("{other:?}"),
        }
    }
    let bare = format!("{{\"schema\": {SCHEMA}}}");
    for text in ["", "{}", "[]", "{\"schema\": \"3\"}", &bare, "nonsense"] {
        assert!(matches!(Document::read(text), Err(ReadError::Form(_))), "{text}");
    }
    // A later version may have another form altogether.
    let later = format!("{{\"schema\": {}, \"new\": []}}", SCHEMA + 1);
    assert!(matches!(Document::read(&later), Err(ReadError::Version(_))));
}

/// Reasons of every kind, and for all that can be used up.
fn reasons() -> Vec<Reason> {
    let mut reasons = Reason::samples();
    reasons.extend(Exhausted::ALL.map(Reason::Stopped));
    reasons.extend(Exhausted::ALL.map(Reason::Unchecked));
    reasons
}

/// What helps against a reason beside what always does.
fn remedy(reason: &Reason) -> Option<&'static str> {
    match reason {
        Reason::Stopped(what) | Reason::Unchecked(what) => match what {
            Exhausted::Time => Some("more time"),
            Exhausted::Memory => Some("more memory"),
            Exhausted::Work | Exhausted::Interrupted => None,
        },
        Reason::Placement(_) => Some("compare or compute with addresses"),
        Reason::AlwaysNull(_) => Some("initial value for the pointer"),
        Reason::Approximated { .. } => Some("a definition"),
        Reason::Unwritten => Some("initial values"),
        Reason::Undefined { .. } => Some("--property"),
        Reason::Recursion { .. } => Some("a bound on the depth"),
        Reason::ModelSize { .. } => Some("--entry"),
        Reason::NoRun => Some("another engine"),
        Reason::ReplayStopped { .. }
        | Reason::Bound(_)
        | Reason::NotInductive { .. }
        | Reason::Unsupported { .. }
        | Reason::GaveUp(_)
        | Reason::NoEngine
        | Reason::OpenPlaces(_) => None,
        Reason::Of { reason, .. } => remedy(reason),
    }
}

#[test]
fn every_reason_has_words_and_remedies() {
    let task = c(SAFE, &[Property::Reach]);
    let mut document = document(&task, &in_no_time(&task));
    document.statistics.engines.clear();
    for reason in reasons() {
        let words_of_it = reason.to_string();
        document.why = Some(reason.clone());
        document.reason = Some(words_of_it.clone());
        document.answers[0].why = Some(reason.clone());
        document.answers[0].reason = Some(words_of_it.clone());
        let text = words(&document);
        assert!(text.contains(&format!("There is no answer: {words_of_it}.")), "{text}");
        let (_, advice) = text.split_once("What may help:\n").expect("advice");
        let advice: Vec<&str> =
            advice.lines().take_while(|line| line.starts_with("  - ")).collect();
        assert!(!advice.is_empty(), "{text}");
        match remedy(&reason) {
            Some(remedy) => assert!(advice[0].contains(remedy), "{reason:?}: {text}"),
            None => assert!(advice[0].contains("__VERIFIER_assume"), "{reason:?}: {text}"),
        }
        survives(&document);
    }
}

#[test]
fn every_kind_of_proof_has_words() {
    let task = c(SAFE, &[Property::Reach]);
    let mut document = document(&task, &decided(&task, explaining()));
    let mut said = Vec::new();
    for kind in ProofKind::ALL {
        for size in [None, Some(0), Some(1), Some(13)] {
            let proof = document.answers[0].proof.as_mut().expect("safe has a proof");
            (proof.kind, proof.size, proof.k) = (kind, size, Some(5));
            proof.invariants.clear();
            let text = words(&document);
            assert_eq!(
                text.contains("13 formulas"),
                (kind, size) == (ProofKind::Inductive, Some(13))
            );
            assert_eq!(text.contains("5-inductive"), kind == ProofKind::KInductive);
            said.push(text);
        }
    }
    said.sort();
    said.dedup();
    // Four sizes of invariants, and the other kinds.
    assert_eq!(said.len(), 4 + ProofKind::ALL.len() - 1);
}

#[test]
fn invariants_that_say_little_are_told_as_that() {
    let task = c(SAFE, &[Property::Reach]);
    let mut document = document(&task, &decided(&task, explaining()));
    let mut with = |expression: &str, left_out: usize| {
        let proof = document.answers[0].proof.as_mut().expect("safe has a proof");
        proof.invariants[0].expression = expression.to_owned();
        proof.invariants[0].left_out = left_out;
        words(&document)
    };
    assert!(with("0", 0).contains("    never: no run comes there\n"));
    let text = with(TRUE, 3);
    assert!(text.contains("\n    3 formulas that C can't express"), "{text}");
    let text = with("(i <= 10U) && (n == i)", 2);
    assert!(text.contains("    (i <= 10U)   (i is at most 10)\n"), "{text}");
    assert!(text.contains("    (n == i)   (n equals i)\n"), "{text}");
    assert!(text.contains("    and 2 formulas that C can't express"), "{text}");
}

/// A bit that flips, and one that stays: bad are the first, both, and nothing.
fn circuit() -> Task {
    let mut system = TransitionSystem::new();
    let flips = system.add_latch(Init::constant(false), None);
    let stays = system.add_latch(Init::constant(false), None);
    system.latches[0].next = !flips;
    system.latches[1].next = stays;
    let both = system.aig.and(flips, stays);
    system.add_bad(flips, Some("flips".to_owned()));
    system.add_bad(both, Some("both".to_owned()));
    let text = write_ascii(&system).expect("a well-formed system");
    read(&languages::Aiger, "two.aag", text, Reading::default().properties)
}

#[test]
fn each_property_of_a_circuit_is_explained() {
    let task = circuit();
    let outcome = decided(&task, explaining());
    let document = document(&task, &outcome);
    let verdicts: Vec<Verdict> = document.answers.iter().map(|answer| answer.verdict).collect();
    assert_eq!(verdicts, [Verdict::Unsafe, Verdict::Safe]);
    assert_eq!(document.properties, ["b0 flips", "b1 both"]);
    assert_eq!((&document.entry, &document.data_model), (&None, &None));
    let text = words(&document);
    assert!(
        text.contains("\nProperty b0 flips:\n") && text.contains("\nProperty b1 both:\n"),
        "{text}"
    );
    let run = document.answers[0].run.as_ref().expect("unsafe has a run");
    assert_eq!(run.length, Some(2));
    assert!(
        text.contains("after 2 clock ticks")
            && text.contains(run.trace.as_deref().expect("a trace"))
    );
    let lines = |number: usize, several| text::answer(&task, &outcome.answers[number], several);
    assert_eq!(lines(0, true), ["property b0 flips: unsafe"]);
    assert_eq!(lines(1, true), ["property b1 both: safe"]);
    assert!(lines(0, false).is_empty());
    assert_eq!(text::verdict(&outcome), "verdict: unsafe");
    assert_eq!(text::summary(&outcome), None);
    survives(&document);
}

/// Much of what helps with programs is no advice for circuits; then there is none.
#[test]
fn circuits_without_a_remedy_get_no_advice() {
    let task = circuit();
    let mut document = document(&task, &decided(&task, explaining()));
    document.answers.truncate(1);
    document.answers[0].verdict = Verdict::Unknown;
    document.statistics.engines.clear();
    let (mut advised, mut silent) = (0, 0);
    for reason in reasons() {
        document.answers[0].why = Some(reason.clone());
        let text = words(&document);
        assert!(text.contains(&format!("There is no answer: {reason}.")), "{text}");
        let advice = text.lines().filter(|line| line.starts_with("  - ")).count();
        assert_eq!(text.contains("What may help:"), advice > 0, "{text}");
        if advice > 0 { advised += 1 } else { silent += 1 }
    }
    assert!(advised > 5 && silent > 5, "{advised} with advice, {silent} without");
}

const DEAD: &str = "static int unused(int x) {
    return x + 1;
}
int main(void) {
    int x = __VERIFIER_nondet_int() & 7;
    if (x == 3) {
        x = 4;
    }
    if (x == 9) {
        x = 5;
    }
    return x;
}
";

#[test]
fn dead_code_is_told_by_place() {
    let task = c(DEAD, &[Property::DeadCode]);
    let outcome = decided(&task, explaining());
    let lines: Vec<String> =
        outcome.answers.iter().flat_map(|answer| text::answer(&task, answer, true)).collect();
    let at = |number: usize, words: &str| {
        let place = format!("case.c:{}:", line(number));
        lines.iter().any(|line| line.starts_with(&place) && line.contains(words))
    };
    assert!(at(10, "dead code: no run comes here (in function 'main')"), "{lines:#?}");
    assert!(at(1, "dead code: function 'unused' is never entered"), "{lines:#?}");
    assert!(!at(7, "dead code"), "{lines:#?}");
    assert_eq!(outcome.verdict(), Verdict::Unsafe);
    let count = |verdict| outcome.answers.iter().filter(|a| a.finding.verdict() == verdict).count();
    let (reached, dead) = (count(Verdict::Safe), count(Verdict::Unsafe));
    let all = outcome.answers.len();
    assert!(reached > 0 && reached + dead == all, "{outcome:?}");
    let summary = format!("{all} places: {reached} reached, {dead} dead, 0 open");
    assert_eq!(text::summary(&outcome).as_deref(), Some(summary.as_str()));
    let document = document(&task, &outcome);
    let told = |answer: &&report::result::Answer| answer.reason.is_some();
    assert_eq!(document.answers.iter().filter(told).count(), dead);
    survives(&document);
}

#[test]
fn open_places_are_counted() {
    let task = c(DEAD, &[Property::DeadCode]);
    let outcome = in_no_time(&task);
    let open = outcome.answers.iter().filter(|a| matches!(a.finding, Finding::Unknown(_))).count();
    // What nothing refers to is dead without a question, and one dead place decides.
    let summary = text::summary(&outcome).expect("there are places");
    assert!(open > 0 && summary.ends_with(&format!(" {open} open")), "{summary}");
    let lines: Vec<String> =
        outcome.answers.iter().flat_map(|answer| text::answer(&task, answer, true)).collect();
    assert_eq!(lines.iter().filter(|line| line.contains(": open: ")).count(), open, "{lines:#?}");
    let places = text::verdict(&outcome);
    let expected = match outcome.verdict() {
        Verdict::Unknown if open == 1 => "verdict: unknown (1 place is open)".to_owned(),
        Verdict::Unknown => format!("verdict: unknown ({open} places are open)"),
        verdict => format!("verdict: {verdict}"),
    };
    assert_eq!(places, expected);
}
