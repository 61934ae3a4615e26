//! An engine and a language are a file and a row: these two are in no other place, and yet are in the
//! help, in what is checked of the command line, and decide questions.

#[path = "demonstration/engine.rs"]
mod engine;
#[path = "demonstration/language.rs"]
mod language;

use answer::Verdict;
use cairn::options::{Tables, command};
use std::path::Path;
use verify::language::by_ending;
use verify::{Choice, Engine, Input, Language, Question, Reading, decide};

static ENGINES: &[&dyn Engine] = &[&engine::Walker];
static LANGUAGES: &[&dyn Language] = &[&language::Countdown];

fn help(verb: &str) -> String {
    let tables = Tables { languages: LANGUAGES, engines: ENGINES };
    let mut command = command(tables);
    let verb = command.find_subcommand_mut(verb).expect("there is such a verb");
    verb.render_long_help().to_string()
}

#[test]
fn a_row_is_in_the_help() {
    let text = help("check");
    let row = engine::Walker.row();
    assert!(text.contains(row.name) && text.contains(row.about), "{text}");
    assert!(text.contains("countdown") && text.contains("Numbers that count down"), "{text}");
    // And nothing else is: the tables are all there is.
    assert!(!text.contains("ic3smt") && !text.contains("btor2:"), "{text}");
}

#[test]
fn a_row_is_accepted_by_name_and_others_are_not() {
    let tables = Tables { languages: LANGUAGES, engines: ENGINES };
    let parsed = |engine: &str| {
        command(tables).try_get_matches_from(["cairn", "check", "--engine", engine, "a.countdown"])
    };
    assert!(parsed("walker").is_ok());
    assert!(parsed("bmc").is_err());
    assert!(by_ending(LANGUAGES, Path::new("a.countdown")).is_some());
    assert!(by_ending(LANGUAGES, Path::new("a.c")).is_none());
}

#[test]
fn the_engine_decides_programs_of_the_language() {
    for (text, expected) in [("7\n", Verdict::Safe), ("-1\n", Verdict::Unknown)] {
        let input = Input::Text { name: "a.countdown".to_owned(), text: text.into() };
        let task = LANGUAGES[0].read(&[input], &Reading::default()).expect("it is a number");
        let mut question = Question::new(&task);
        question.settings.table = ENGINES;
        question.settings.choice = Choice::One("walker");
        let outcome = decide(&question).expect("no defect");
        assert_eq!(outcome.verdict(), expected, "{text}");
    }
    let input = Input::Text { name: "a.countdown".to_owned(), text: b"many".to_vec() };
    let rejection = LANGUAGES[0].read(&[input], &Reading::default()).err().expect("no number");
    assert_eq!(rejection.messages, ["a.countdown:1:1: expected a number"]);
}

#[test]
fn the_engine_passes_the_kit() {
    kit::engines::programs(engine::Walker.row().name, false, &engine::walk);
}
