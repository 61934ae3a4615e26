//! What is known of another version is where a question begins, and nothing of it is believed.
//!
//! `cargo test` damages some of it; `KNOWN=1000 cargo test -p cairn-verify --test known` so many pieces.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;
use std::time::Duration;
use verify::{
    Choice, Input, Knowledge, Language as _, Limits, Outcome, Question, RECALL, Reading, Settings,
    Task, languages,
};

/// A counter that steps by an even number.
fn stepping(by: &str, bad: &str) -> String {
    format!(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
         unsigned step(unsigned x) {{ return x + {by}; }}
         int main(void) {{
           unsigned x = 0, y = 7;
           while (__VERIFIER_nondet_int()) {{ x = step(x); if (x > 1000) x = 0; y = y * 3 + 4; }}
           if ({bad}) reach_error();
         }}"
    )
}

fn read(text: &str) -> Task {
    let input = Input::Text { name: "program.i".to_owned(), text: text.as_bytes().to_vec() };
    languages::C.read(&[input], &Reading::default()).expect("it is C")
}

fn ask(task: &Task, known: Arc<[Knowledge]>, choice: Choice) -> Outcome {
    let mut question = Question::new(task);
    question.settings = Settings { known, learn: true, choice, ..Settings::default() };
    question.limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    verify::decide(&question).expect("nothing is wrong with it")
}

fn engine(outcome: &Outcome) -> String {
    outcome.answers[0].engine.as_ref().map(|engine| engine.to_string()).unwrap_or_default()
}

#[test]
fn a_proof_is_where_the_next_version_begins() {
    let first = ask(&read(&stepping("2", "x & 1")), Arc::new([]), Choice::One("ic3cfa"));
    assert_eq!(first.verdict().to_string(), "safe");
    let known: Arc<[Knowledge]> = first.learned.into();
    assert_eq!(known.len(), 1);
    // The same proof serves another step, other names, and one more function around it.
    for text in [
        stepping("2", "x & 1"),
        stepping("4", "x & 1"),
        stepping("2", "x & 1").replace("step", "advance"),
        stepping("2", "x & 1").replace('x', "z").replace("eztern", "extern"),
    ] {
        let task = read(&text);
        let next = ask(&task, known.clone(), Choice::Auto);
        assert_eq!(next.verdict().to_string(), "safe", "{text}");
        assert_eq!(engine(&next), RECALL, "{text}");
    }
    let wrong = ask(&read(&stepping("3", "x & 1")), known, Choice::Auto);
    assert_eq!(wrong.verdict().to_string(), "unsafe");
}

#[test]
fn inputs_of_a_failing_run_are_tried() {
    let text = |bad: i32| {
        format!(
            "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
             int main(void) {{ int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
             if (a == 12345 && b > {bad}) reach_error(); }}"
        )
    };
    let first = ask(&read(&text(100)), Arc::new([]), Choice::Auto);
    assert_eq!(first.verdict().to_string(), "unsafe");
    let known: Arc<[Knowledge]> = first.learned.into();
    let next = ask(&read(&text(50)), known.clone(), Choice::Auto);
    assert_eq!((next.verdict().to_string(), engine(&next)), ("unsafe".into(), RECALL.into()));
    let never = text(50).replace("a == 12345 && b > 50", "a == 12345 && a < 0");
    assert_eq!(ask(&read(&never), known, Choice::Auto).verdict().to_string(), "safe");
}

/// Damages a document: a character, a piece, or two pieces that change places.
fn damaged(text: &str, random: &mut StdRng) -> String {
    let bytes = text.as_bytes();
    let at = |random: &mut StdRng| random.random_range(0..bytes.len());
    let mut damaged = bytes.to_vec();
    match random.random_range(0..4) {
        0 => {
            // Numbers and operators of formulas, mostly.
            for _ in 0..random.random_range(1..6) {
                let place = at(random);
                damaged[place] = match damaged[place] {
                    b'0' => b'1',
                    b'1' => b'0',
                    other => other,
                };
            }
        }
        1 => {
            let place = at(random);
            damaged[place] = *b"0123456789abfux#%()\" "
                .get(random.random_range(0..21))
                .expect("there are so many");
        }
        2 => {
            let (from, to) = (at(random), at(random));
            damaged.drain(from.min(to)..from.max(to).min(from.min(to) + 40));
        }
        _ => {
            let words = [("bvult", "bvule"), ("bvslt", "bvult"), ("not ", ""), ("true", "false")];
            let (from, to) = words[random.random_range(0..words.len())];
            return text.replacen(from, to, 1 + random.random_range(0..3));
        }
    }
    String::from_utf8_lossy(&damaged).into_owned()
}

#[test]
fn damaged_knowledge_changes_no_verdict() {
    let count: u64 = std::env::var("KNOWN").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let safe = read(&stepping("2", "x & 1"));
    let versions = [
        (read(&stepping("4", "x & 1")), "safe"),
        (read(&stepping("3", "x & 1")), "unsafe"),
        (read(&stepping("2", "x > 1000")), "safe"),
    ];
    let learned = ask(&safe, Arc::new([]), Choice::One("ic3cfa")).learned;
    let text = serde_json::to_string(&learned).expect("it is a document");
    let (mut refused, mut recalled, mut anew) = (0, 0, 0);
    for seed in 0..count {
        let mut random = StdRng::seed_from_u64(seed);
        let text = damaged(&text, &mut random);
        let Ok(known) = serde_json::from_str::<Vec<Knowledge>>(&text) else {
            refused += 1;
            continue;
        };
        let (task, expected) = &versions[random.random_range(0..versions.len())];
        let outcome = ask(task, known.into(), Choice::Auto);
        assert_eq!(outcome.verdict().to_string(), *expected, "seed {seed}: {text}");
        match engine(&outcome) == RECALL {
            true => recalled += 1,
            false => anew += 1,
        }
    }
    println!("{refused} refused, {recalled} held all the same, {anew} decided anew");
    assert!(refused < count);
}
