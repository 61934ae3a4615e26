//! What is known of another version is where a question begins, and nothing of it is believed.
//!
//! `cargo test` damages some of it; `KNOWN=1000 cargo test -p cairn-verify --test known` so many pieces.

use answer::ProofKind;
use portable::circuits::{Clauses, Framed, Wire};
use portable::difference::{Difference, FORMAT, Signatures};
use portable::names::Names;
use program::Property;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;
use std::time::Duration;
use verify::{
    Board, Choice, Finding, Goals, Input, Knowledge, Language as _, Limits, Listener, Note,
    Outcome, Question, RECALL, Reading, Settings, Status, Task, encode, languages,
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

/// Counts what was tried of what is known.
#[derive(Default)]
struct Tried(usize);

impl Listener for Tried {
    fn note(&mut self, note: &Note<'_>) {
        self.0 += usize::from(matches!(note, Note::Recalled { .. }));
    }
}

#[test]
fn what_is_known_of_the_very_same_program_comes_first() {
    let (task, other) = (read(&stepping("2", "x & 1")), read(&stepping("2", "x > 1002")));
    let learned = |task: &Task| ask(task, Arc::new([]), Choice::One("ic3cfa")).learned;
    let known: Arc<[Knowledge]> = learned(&other).into_iter().chain(learned(&task)).collect();
    // Other names, and a comment.
    let same = read(&stepping("2", "x & 1").replace("= 7;", "= 7; /* odd */").replace('y', "z"));
    let mut question = Question::new(&same);
    question.settings = Settings { known, ..Settings::default() };
    let mut tried = Tried::default();
    let outcome = verify::decide_with(&question, &Board::default(), &mut tried);
    let outcome = outcome.expect("nothing is wrong with it");
    assert_eq!((outcome.verdict().to_string(), engine(&outcome)), ("safe".into(), RECALL.into()));
    assert_eq!(tried.0, 1);
}

#[test]
fn of_a_proof_is_kept_what_it_needs() {
    let task = read(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
         int main(void) {
           int x = 0, y = 0, z = 0;
           while (__VERIFIER_nondet_int()) {
             if (x < 10) x++; if (y < 20) y++; if (z < 30) z++;
             if (y > 20 && z > 30 && x > 10) reach_error();
           }
         }",
    );
    let first = ask(&task, Arc::new([]), Choice::One("ic3"));
    let Finding::Safe(proved) = &first.answers[0].finding else { panic!("{:?}", first.answers) };
    let Some(Knowledge::Lemmas { lemmas, .. }) = first.learned.first() else { panic!("a proof") };
    let kept: usize = lemmas.cuts.iter().map(|cut| cut.formulas.len()).sum();
    assert!(kept > 0 && Some(kept) < proved.size, "{kept} of {:?}", proved.size);
    let again = ask(&task, first.learned.into(), Choice::Auto);
    assert_eq!((again.verdict().to_string(), engine(&again)), ("safe".into(), RECALL.into()));
}

/// What the front end makes up is numbered; a call more shifts these numbers.
#[test]
fn variables_without_names_are_matched_by_what_gives_them_a_value() {
    let text = |before: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
             extern char __VERIFIER_nondet_char(void);
             extern void reach_error(void); extern int other(void);
             int main(void) {{
               {before}
               for (;;) {{
                 int x = __VERIFIER_nondet_int() + other();
                 if (x > 5 && __VERIFIER_nondet_uint() > 7) reach_error();
               }}
             }}"
        )
    };
    let names = |text: &str| {
        let task = read(text);
        let code = task.code().expect("it is a program");
        let (settings, properties) = (Settings::default(), &code.properties);
        let scope = encode::Scope::Whole;
        let model = encode::model_of(&code.program, properties, &settings, 4, scope);
        let cfa = model.expect("it has a model").cfa;
        let names = Names::of(&code.program, &code.program.pool, &cfa).variables;
        names.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    let plain = names(&text(""));
    assert!(plain.iter().any(|name| name.name == "$other"), "{plain:?}");
    let more = names(&text("int more = __VERIFIER_nondet_char();"));
    let shared: Vec<_> = more.into_iter().filter(|name| !name.name.contains("char")).collect();
    assert!(plain.iter().all(|name| shared.contains(name)), "{plain:?}, {shared:?}");
}

/// What is kept of the older version tells the same as that version.
#[test]
fn what_versions_are_compared_by_can_be_written_down() {
    let signatures = |text: &str| {
        let task = read(text);
        Signatures::of(&task.code().expect("it is a program").program)
    };
    let old = signatures(&stepping("2", "x & 1"));
    let text = serde_json::to_string(&old).expect("it is plain data");
    let kept: Signatures = serde_json::from_str(&text).expect("it was written so");
    let renamed = signatures(&stepping("2", "x & 1").replace('y', "z"));
    assert_eq!(old.sum(), renamed.sum());
    for new in [stepping("4", "x & 1"), stepping("2", "x & 1").replace("y * 3", "y * 5")] {
        let new = signatures(&new);
        let difference = Difference::between(&kept, &new);
        assert!(!difference.is_empty());
        assert_eq!(difference, Difference::between(&old, &new));
        assert_ne!(new.sum(), old.sum());
    }
    // If this fails, sums mean something else than those that were kept: FORMAT has to change with it.
    assert_eq!((FORMAT, old.sum()), ("signatures 2", 12804144705057636371));
}

/// Counts down to zero, and up again on the way back.
fn recursive(most: &str, bad: &str) -> Task {
    read(&format!(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
         int up(int n) {{
           if (n <= 0) return 0;
           int r = up(n - 1);
           return r < {most} ? r + 1 : r;
         }}
         int twice(int n) {{ int r = up(n); return r + up(r); }}
         int main(void) {{ int r = twice(__VERIFIER_nondet_int()); if ({bad}) reach_error(); }}"
    ))
}

#[test]
fn summaries_are_where_the_upgrade_check_begins() {
    let first = ask(&recursive("100", "r < 0"), Arc::new([]), Choice::One("summaries"));
    assert_eq!(first.verdict().to_string(), "safe");
    let known: Arc<[Knowledge]> = first.learned.into();
    assert!(matches!(&known[..], [Knowledge::Summaries { .. }]), "{known:?}");
    for most in ["100", "90"] {
        let next = ask(&recursive(most, "r < 0"), known.clone(), Choice::One("summaries"));
        let found = (next.verdict().to_string(), engine(&next));
        assert_eq!(found, ("safe".into(), RECALL.into()), "{most}");
        assert!(matches!(&next.learned[..], [Knowledge::Summaries { .. }]));
    }
    for (most, bad) in [("-2147483647", "r < 0"), ("100", "r == 8"), ("100", "r == 0")] {
        let next = ask(&recursive(most, bad), known.clone(), Choice::Auto);
        let expected = if bad == "r < 0" { "safe" } else { "unsafe" };
        assert_eq!(next.verdict().to_string(), expected, "{most} {bad}");
    }
}

#[test]
fn damaged_summaries_change_no_verdict() {
    let count: u64 = std::env::var("KNOWN").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let learned = ask(&recursive("100", "r < 0"), Arc::new([]), Choice::One("summaries")).learned;
    let text = serde_json::to_string(&learned).expect("it is a document");
    let versions = [
        (recursive("100", "r < 0"), "safe"),
        (recursive("90", "r < 0"), "safe"),
        (recursive("100", "r == 8"), "unsafe"),
        (recursive("100", "r == -1"), "safe"),
    ];
    for seed in 0..count {
        let mut random = StdRng::seed_from_u64(seed);
        let text = damaged(&text, &mut random);
        let Ok(known) = serde_json::from_str::<Vec<Knowledge>>(&text) else { continue };
        let (task, expected) = &versions[random.random_range(0..versions.len())];
        let outcome = ask(task, known.into(), Choice::Auto);
        assert_eq!(outcome.verdict().to_string(), *expected, "seed {seed}: {text}");
    }
}

#[test]
fn relations_are_where_the_clauses_of_procedures_begin() {
    let procedures = Choice::One("procedures");
    let first = ask(&recursive("100", "r < 0"), Arc::new([]), procedures);
    assert_eq!((first.verdict().to_string(), &*engine(&first)), ("safe".into(), "procedures"));
    let known: Arc<[Knowledge]> = first.learned.into();
    assert!(matches!(&known[..], [Knowledge::Relations { .. }]), "{known:?}");
    for most in ["100", "90"] {
        let next = ask(&recursive(most, "r < 0"), known.clone(), procedures);
        let found = (next.verdict().to_string(), engine(&next));
        assert_eq!(found, ("safe".into(), RECALL.into()), "{most}");
        assert!(matches!(&next.learned[..], [Knowledge::Relations { .. }]));
    }
    // What is left of them is where the search begins.
    let other = ask(&recursive("100", "r < -1"), known, procedures);
    assert_eq!(other.verdict().to_string(), "safe");
}

#[test]
fn damaged_relations_change_no_verdict() {
    let count: u64 = std::env::var("KNOWN").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let learned = ask(&recursive("100", "r < 0"), Arc::new([]), Choice::One("procedures")).learned;
    let text = serde_json::to_string(&learned).expect("it is a document");
    let versions = [
        (recursive("100", "r < 0"), "safe"),
        (recursive("90", "r < 0"), "safe"),
        (recursive("100", "r == 8"), "unsafe"),
        (recursive("100", "r == -1"), "safe"),
    ];
    for seed in 0..count {
        let mut random = StdRng::seed_from_u64(seed);
        let text = damaged(&text, &mut random);
        let Ok(known) = serde_json::from_str::<Vec<Knowledge>>(&text) else { continue };
        let (task, expected) = &versions[random.random_range(0..versions.len())];
        let outcome = ask(task, known.into(), Choice::Auto);
        assert_eq!(outcome.verdict().to_string(), *expected, "seed {seed}: {text}");
    }
}

/// Runs that end: what values they had is an invariant, and a later version begins with it.
#[test]
fn runs_that_end_leave_formulas() {
    let text = |unrelated: &str, wanted: i32| {
        read(&format!(
            "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
             int main(void) {{
               int state = 0, flag = 0, other = 0;
               while (state != 9) {{
                 {unrelated}
                 if (state == 0) state = __VERIFIER_nondet_int() ? 3 : 1;
                 else if (state == 1) {{ flag = 1; state = 4; }}
                 else if (state == 3) {{ flag = 1; state = 5; }}
                 else if (state == 4) state = 5;
                 else {{ if (flag != {wanted}) reach_error(); state = 9; }}
               }}
             }}"
        ))
    };
    let first = ask(&text("", 1), Arc::new([]), Choice::One("bmc"));
    let Finding::Safe(proved) = &first.answers[0].finding else { panic!("{:?}", first.answers) };
    assert_eq!(proved.kind, ProofKind::Inductive);
    let known: Arc<[Knowledge]> = first.learned.into();
    let next = ask(&text("other++;", 1), known.clone(), Choice::Auto);
    assert_eq!((next.verdict().to_string(), engine(&next)), ("safe".into(), RECALL.into()));
    assert_eq!(ask(&text("other++;", 2), known, Choice::Auto).verdict().to_string(), "unsafe");
}

/// That no run comes to a check is kept, and asked again; that runs come to all others is not.
#[test]
fn checks_that_no_run_comes_to_are_told_again() {
    let text = "extern int __VERIFIER_nondet_int(void);
        int main(void) {
          int a[4], x = __VERIFIER_nondet_int();
          if (x > 3 || x < 0) x = 0;
          a[x] = 1;
          if (x > 5) a[x & 3] = 2;
        }";
    let input = Input::Text { name: "program.i".to_owned(), text: text.as_bytes().to_vec() };
    let reading = Reading { properties: [Property::Bounds].into(), ..Reading::default() };
    let task = languages::C.read(&[input], &reading).expect("it is C");
    let mut question = Question::new(&task);
    question.settings = Settings {
        goals: Goals::Each { only: None, stop: false },
        learn: true,
        ..Settings::default()
    };
    let statuses = |outcome: &Outcome| {
        outcome.checks.iter().map(|checked| checked.status.clone()).collect::<Vec<Status>>()
    };
    let first = verify::decide(&question).expect("nothing is wrong with it");
    let unreachable = |known: &Knowledge| match known {
        Knowledge::Unreachable { checks, .. } => Some(checks.clone()),
        _ => None,
    };
    assert!(statuses(&first).contains(&Status::Unreachable), "{:?}", first.checks);
    let told = first.learned.iter().find_map(unreachable).expect("it is kept");
    assert!(!told.is_empty());
    question.settings.known = first.learned.clone().into();
    let again = verify::decide(&question).expect("nothing is wrong with it");
    assert_eq!(statuses(&again), statuses(&first));
    // What is said wrongly of a check is not believed.
    let mut wrong = first.learned.clone();
    for known in &mut wrong {
        if let Knowledge::Unreachable { checks, of, .. } = known {
            *checks = (0..*of).collect();
        }
    }
    question.settings.known = wrong.into();
    let again = verify::decide(&question).expect("nothing is wrong with it");
    assert_eq!(statuses(&again), statuses(&first));
}

#[test]
fn inputs_of_all_failing_checks_are_tried_at_once() {
    let task = read(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
         int main(void) {
           int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
           if (a == 12345) reach_error();
           if (b == 54321 && a > 7) reach_error();
           if (a == 11 && b == 12) reach_error();
         }",
    );
    let mut question = Question::new(&task);
    question.settings = Settings {
        goals: Goals::Each { only: None, stop: false },
        learn: true,
        ..Settings::default()
    };
    let first = verify::decide(&question).expect("nothing is wrong with it");
    let failing = |outcome: &Outcome| {
        outcome.checks.iter().filter(|checked| checked.status == Status::Unsafe).count()
    };
    assert_eq!(failing(&first), 3);
    assert_eq!(first.learned.len(), 3);
    question.settings.known = first.learned.into();
    let again = verify::decide(&question).expect("nothing is wrong with it");
    assert_eq!(failing(&again), 3);
    assert!(
        again
            .answers
            .iter()
            .all(|answer| answer.engine.as_ref().is_some_and(|e| e.as_str() == RECALL))
    );
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

/// A generator of numbers that comes to one of them after very many steps: each frame has its lemmas, and
/// there is no end.
const LONG: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
    int main(void) {
      unsigned x = 1;
      while (__VERIFIER_nondet_int()) x = x * 1103515245 + 12345;
      if (x == 77) reach_error();
    }";

#[test]
fn a_search_that_did_not_end_is_gone_on_with() {
    let task = read(LONG);
    let mut question = Question::new(&task);
    question.settings =
        Settings { learn: true, choice: Choice::One("ic3cfa"), ..Settings::default() };
    question.limits = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
    let first = verify::decide(&question).expect("nothing is wrong with it");
    assert_eq!(first.verdict().to_string(), "unknown");
    assert!(first.learned.iter().any(Knowledge::is_unfinished), "what it came to is kept");
    // Another search takes it, whatever engine it is by.
    for choice in [Choice::One("ic3cfa"), Choice::One("ic3")] {
        question.settings.known = first.learned.clone().into();
        question.settings.choice = choice;
        let next = verify::decide(&question).expect("nothing is wrong with it");
        assert_eq!(next.verdict().to_string(), "unknown");
        assert!(next.learned.iter().any(Knowledge::is_unfinished), "what it came to is kept");
    }
}

/// The same formulas as what a search had come to that did not end, at frames that are made up.
fn unfinished(learned: &[Knowledge], random: &mut StdRng) -> Vec<Knowledge> {
    let mut all = learned.to_vec();
    for knowledge in &mut all {
        if let Knowledge::Lemmas { lemmas, .. } = knowledge {
            lemmas.proof = false;
            for cut in &mut lemmas.cuts {
                let frame =
                    |_: &String| (!random.random_bool(0.3)).then(|| random.random_range(0..9));
                cut.frames = cut.formulas.iter().map(frame).collect();
            }
        }
    }
    all
}

#[test]
fn damaged_and_foreign_frames_change_no_verdict() {
    let count: u64 = std::env::var("KNOWN").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let versions = [
        (read(&stepping("2", "x & 1")), "safe"),
        (read(&stepping("4", "x & 1")), "safe"),
        (read(&stepping("3", "x & 1")), "unsafe"),
        (read(&stepping("2", "x > 1000")), "safe"),
        (read(&stepping("2", "x == 100")), "unsafe"),
    ];
    // Of words, and of bits.
    let engines = ["ic3cfa", "ic3"];
    let learned = engines.map(|name| ask(&versions[0].0, Arc::new([]), Choice::One(name)).learned);
    for seed in 0..count {
        let mut random = StdRng::seed_from_u64(seed);
        let from = &learned[random.random_range(0..2)];
        let known = unfinished(from, &mut random);
        let text = serde_json::to_string(&known).expect("it is a document");
        let text = if random.random_bool(0.8) { damaged(&text, &mut random) } else { text };
        let Ok(known) = serde_json::from_str::<Vec<Knowledge>>(&text) else { continue };
        let (task, expected) = &versions[random.random_range(0..versions.len())];
        let choice = match random.random_range(0..3) {
            0 => Choice::Auto,
            which => Choice::One(engines[which - 1]),
        };
        let outcome = ask(task, known.into(), choice);
        assert_eq!(outcome.verdict().to_string(), *expected, "seed {seed}: {text}");
    }
}

/// A counter of two bits, and a bit that must not be set when it is at its end: it stays as it is, or
/// toggles.
fn counter(toggles: bool) -> String {
    let next = if toggles { 3 } else { 2 };
    let gates = "8 4 7\n10 6 5\n12 11 9\n14 6 4\n16 14 2\n";
    let names = "l0 mark\nl1 low\nl2 high\n";
    format!("aag 8 0 3 0 5 1\n2 {next}\n4 5\n6 13\n16\n{gates}{names}")
}

fn read_circuit(text: &str) -> Task {
    let input = Input::Text { name: "counter.aag".to_owned(), text: text.as_bytes().to_vec() };
    languages::Aiger.read(&[input], &Reading::default()).expect("it is a circuit")
}

#[test]
fn circuits_begin_with_what_is_known() {
    let (even, odd) = (read_circuit(&counter(false)), read_circuit(&counter(true)));
    let first = ask(&even, Arc::new([]), Choice::Auto);
    assert_eq!(first.verdict().to_string(), "safe");
    let known: Arc<[Knowledge]> = first.learned.into();
    assert_eq!(known.len(), 1);
    let again = ask(&even, known.clone(), Choice::Auto);
    assert_eq!((again.verdict().to_string(), engine(&again)), ("safe".into(), RECALL.into()));
    let wrong = ask(&odd, known.clone(), Choice::Auto);
    assert_eq!(wrong.verdict().to_string(), "unsafe");
    let failing: Arc<[Knowledge]> = wrong.learned.into();
    let again = ask(&odd, failing.clone(), Choice::Auto);
    assert_eq!((again.verdict().to_string(), engine(&again)), ("unsafe".into(), RECALL.into()));
    assert_eq!(ask(&even, failing, Choice::Auto).verdict().to_string(), "safe");
}

#[test]
fn made_up_clauses_change_no_verdict() {
    let count: u64 = std::env::var("KNOWN").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    for seed in 0..count {
        let mut random = StdRng::seed_from_u64(seed);
        let wire = |number: usize| Wire { name: None, number };
        let clause = |random: &mut StdRng| Framed {
            frame: (!random.random_bool(0.5)).then(|| random.random_range(0..9)),
            literals: (0..random.random_range(0..4))
                .map(|_| (random.random_range(0..4), random.random_bool(0.5)))
                .collect(),
        };
        let clauses = (0..random.random_range(0..20)).map(|_| clause(&mut random)).collect();
        let known = Knowledge::Clauses(Clauses { latches: (0..3).map(wire).collect(), clauses });
        for toggles in [false, true] {
            let expected = if toggles { "unsafe" } else { "safe" };
            for jobs in [1, 3] {
                let task = read_circuit(&counter(toggles));
                let mut question = Question::new(&task);
                question.settings = Settings {
                    known: [known.clone()].into(),
                    learn: true,
                    jobs: Some(jobs),
                    ..Settings::default()
                };
                let outcome = verify::decide(&question).expect("nothing is wrong with it");
                assert_eq!(outcome.verdict().to_string(), expected, "seed {seed}: {known:?}");
            }
        }
    }
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

#[test]
fn who_decided_an_earlier_version_has_its_time_alone() {
    // Symbolic execution does not know that the loop ends, and gives way to others at once.
    let task = read(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
         int main(void) {
           unsigned n = __VERIFIER_nondet_int(), i = 0, sum = 0;
           while (i < (n & 63)) { sum += __VERIFIER_nondet_int() & 7; i++; }
           if (sum > 63 * 7) reach_error();
         }",
    );
    let engines = |known: Arc<[Knowledge]>| {
        let outcome = ask(&task, known, Choice::Auto);
        assert_eq!(outcome.verdict().to_string(), "safe");
        outcome.board.efforts().iter().map(|effort| effort.engine.to_string()).collect::<Vec<_>>()
    };
    assert!(engines(Arc::new([])).len() > 1);
    let finder = |reached| Knowledge::Finder {
        engine: "symex".to_owned(),
        seconds: 20.0,
        reached,
        form: None,
    };
    assert_eq!(engines(Arc::new([finder(None)])), ["symex"]);
    // It begins with the bound that sufficed.
    assert_eq!(engines(Arc::new([finder(Some(128))])), ["symex"]);
}
