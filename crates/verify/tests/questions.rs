//! Questions as a library decides them.

use answer::{Reason, Verdict};
use std::time::Duration;
use verify::{
    Choice, Finding, Input, Language, Limits, Question, Reading, Settings, Task, decide, languages,
};

const HEAD: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);\n";

/// A loop whose invariant IC3 and its like find at once.
const EASY: &str = "int main(void) { unsigned i = 0, n = __VERIFIER_nondet_uint();
  while (i < n) i++;
  if (i < n) reach_error(); return 0; }";

fn task(text: &str) -> Task {
    let text = format!("{HEAD}{text}").into_bytes();
    let input = Input::Text { name: "program.c".to_owned(), text };
    languages::C.read(&[input], &Reading::default()).expect("the program is one")
}

fn question<'t>(task: &'t Task, time: Duration) -> Question<'t> {
    let limits = Limits { time: Some(time), ..Limits::default() };
    Question { limits, ..Question::new(task) }
}

#[test]
fn who_finds_an_answer_is_an_engine_of_the_table() {
    for engine in verify::ENGINES.iter().filter(|engine| engine.row().programs) {
        let task = task(EASY);
        let mut question = question(&task, Duration::from_secs(10));
        question.settings =
            Settings { choice: Choice::One(engine.row().name), ..Settings::default() };
        let outcome = decide(&question).expect("nothing is wrong with it");
        match outcome.verdict() {
            Verdict::Safe => {
                let finder = outcome.answers[0].engine.as_ref().expect("somebody found it");
                assert!(["minimization", engine.row().name].contains(&finder.as_str()));
            }
            Verdict::Unknown => assert!(!engine.row().proves || engine.row().name == "cegar"),
            Verdict::Unsafe => panic!("{} says it is unsafe", engine.row().name),
        }
    }
}

#[test]
fn a_rejected_input_is_a_message_with_its_place() {
    let input = Input::Text { name: "wrong.c".to_owned(), text: b"int main( { }".to_vec() };
    let rejection = languages::C.read(&[input], &Reading::default()).err().expect("it is no C");
    assert!(rejection.messages[0].starts_with("wrong.c:1:"), "{rejection}");
}

#[test]
fn an_unsupported_engine_is_an_answer() {
    let text = b"aag 1 0 1 1 0\n2 3\n2\n".to_vec();
    let input = Input::Text { name: "toggle.aag".to_owned(), text };
    let task = languages::Aiger.read(&[input], &Reading::default()).expect("a circuit");
    let mut question = Question::new(&task);
    question.settings.choice = Choice::One("ic3cfa");
    let outcome = decide(&question).expect("nothing is wrong with it");
    assert!(matches!(&outcome.answers[0].finding, Finding::Unknown(Reason::Unsupported { .. })));
}
