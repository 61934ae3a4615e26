//! Every engine that takes Horn clauses on random small ones, whose answers enumeration tells: as a
//! question, from the text to the outcome.

use horn::write::system_text;
use kit::clauses::{Shape, least, random};
use std::time::Duration;
use term::{Pool, Sort};
use verify::{
    Choice, ENGINES, Finding, Input, Language, Limits, Question, Reading, Settings, decide,
    languages,
};

/// The answer of an engine, or of all that join.
fn answer(text: &str, choice: Choice, time: u64) -> Option<bool> {
    let input = Input::Text { name: "clauses.smt2".to_owned(), text: text.as_bytes().to_vec() };
    let task = languages::Chc.read(&[input], &Reading::default()).expect("what was written");
    let settings = Settings { choice, ..Settings::default() };
    let limits = Limits { time: Some(Duration::from_millis(time)), ..Limits::default() };
    let outcome = decide(&Question { task: &task, settings, limits }).expect("no defect");
    match &outcome.answers[0].finding {
        Finding::Safe(_) => Some(true),
        Finding::Unsafe(_) => Some(false),
        Finding::Unknown(_) => None,
    }
}

#[test]
fn engines_on_clauses() {
    for engine in ENGINES.iter().filter(|engine| engine.takes_clauses()) {
        let name = engine.row().name;
        let mut answers = 0;
        for seed in 0..24 {
            let pool = Pool::new();
            let shape = Shape { sort: Sort::BitVec(2), body: 1 + usize::from(seed % 4 == 0) };
            let system = random(&pool, shape, 1_000 + seed);
            let (_, fails) = least(&pool, &system);
            let told = answer(&system_text(&pool, &system), Choice::One(name), 300);
            assert!(told.is_none_or(|safe| safe != fails), "{name}, seed {seed}");
            answers += usize::from(told.is_some());
        }
        assert!(answers > 4, "{name} gives {answers} answers");
    }
}

#[test]
fn all_together_on_clauses() {
    for seed in 0..40 {
        let pool = Pool::new();
        let system = random(&pool, Shape { sort: Sort::BitVec(2), body: 2 }, 2_000 + seed);
        let (_, fails) = least(&pool, &system);
        let told = answer(&system_text(&pool, &system), Choice::Auto, 30_000);
        assert_eq!(told, Some(!fails), "seed {seed}");
    }
}

/// Of integers two engines never differ.
#[test]
fn engines_agree_on_integers() {
    let mut both = 0;
    for seed in 0..25 {
        let pool = Pool::new();
        let system = random(&pool, Shape { sort: Sort::Int, body: 2 }, 3_000 + seed);
        let text = system_text(&pool, &system);
        let ask = |name| answer(&text, Choice::One(name), 300);
        let told = ["procedures", "spacer", "unfold"].map(ask);
        let mut known = told.into_iter().flatten();
        let first = known.next();
        assert!(known.all(|other| Some(other) == first), "seed {seed}: {told:?}");
        both += usize::from(told[0].is_some() && told[1].is_some());
    }
    assert!(both > 10, "both decide {both}");
}
