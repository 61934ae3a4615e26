//! Small random controllers, in C and in Structured Text: what is said of each goal is what all runs show.
//!
//! Inputs have few bits and there are few cycles, so that every run can be executed. A goal that is called
//! covered must be shown by one of them and by its vector, one that is called infeasible by none.
//!
//! `PROGRAMS=2000 cargo test --release -p cairn-coverage --test exhaustive -- --ignored` tries more.

mod c;
mod st;

use coverage::goal::{Goal, Kind, What};
use coverage::judge::Pairs;
use coverage::probes::{Event, Probed};
use coverage::report::Report;
use coverage::search::{Question, cover, looping};
use coverage::status::{Evidence, Status, Witness};
use program::counterexample::Script;
use program::coverage::Map;
use program::interpret::{Heed, Interpreter, Limits, Listener, Oracle, Outcome, Request, Step};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use term::{Sort, Value};
use value::Bits;
use verify::languages::{C, StructuredText};
use verify::{Input, Language, Reading, Settings, Task};

const CYCLES: u32 = 3;

/// A controller whose inputs take three bits in each cycle.
struct Controller {
    text: String,
    language: &'static dyn Language,
}

/// Gives the digits of a number as values: one bit to a truth value, to bytes of C two bits and one in turn.
struct Digits(u64, bool);

impl Digits {
    fn next(&mut self, width: u32) -> u64 {
        let value = self.0 & ((1 << width) - 1);
        self.0 >>= width;
        value
    }
}

impl Oracle for Digits {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        match request.sort {
            Sort::Bool => Some(Value::Bool(self.next(1) == 1)),
            Sort::BitVec(8) => {
                self.1 = !self.1;
                let value = self.next(if self.1 { 2 } else { 1 });
                Some(Value::Bits(Bits::from_u64(8, value)))
            }
            other => panic!("no controller has inputs of the sort {other:?}"),
        }
    }
}

/// Notes events.
struct Noting<'p>(&'p Probed, Rc<RefCell<BTreeSet<Event>>>);

impl Listener for Noting<'_> {
    fn step(&mut self, _: &Step<'_>) {}

    fn probe(&mut self, number: u32, word: u64) -> Heed {
        self.1.borrow_mut().extend(self.0.event(number, word));
        Heed::GoOn
    }

    fn listens(&self) -> bool {
        false
    }
}

fn interpreter(probed: &Probed) -> Interpreter<'_> {
    let interpreter = Interpreter::new(&probed.program).expect("it can be executed");
    let limits = Limits { steps: 200_000, ..Limits::default() };
    interpreter.with_properties([]).with_probes(&probed.numbers).with_limits(limits)
}

/// The events of all runs.
fn all_events(probed: &Probed) -> BTreeSet<Event> {
    let seen = Rc::new(RefCell::new(BTreeSet::new()));
    let interpreter = interpreter(probed);
    for number in 0..1u64 << (3 * CYCLES) {
        let mut noting = Noting(probed, seen.clone());
        let outcome = interpreter.watch(&mut Digits(number, false), &mut noting);
        assert!(matches!(outcome, Outcome::Finished { .. }), "{outcome:?}");
    }
    seen.take()
}

/// Whether the events show a goal.
fn is_shown(map: &Map, goal: &Goal, seen: &BTreeSet<Event>) -> bool {
    let of = |decision: usize| {
        seen.iter().filter_map(move |event| match event {
            Event::Decision(number, values) if *number == decision => Some(*values),
            _ => None,
        })
    };
    match goal.what {
        What::Point(point) => seen.contains(&Event::Point(point)),
        What::Outcome { decision, value } => {
            let tree = &map.decisions[decision].tree;
            of(decision).any(|values| tree.evaluate(values).outcome == value)
        }
        What::Truth { decision, condition, value } => {
            let tree = &map.decisions[decision].tree;
            of(decision).any(|values| {
                let evaluated = tree.evaluate(values).evaluated >> condition & 1 == 1;
                evaluated && (values >> condition & 1 == 1) == value
            })
        }
        What::Independence { decision, condition } => {
            let tree = &map.decisions[decision].tree;
            of(decision).any(|a| of(decision).any(|b| pair(tree, condition, a, b)))
        }
    }
}

fn pair(tree: &program::coverage::Tree, condition: usize, a: u64, b: u64) -> bool {
    let (x, y) = (tree.evaluate(a), tree.evaluate(b));
    let decisive = (x.decisive & y.decisive) >> condition & 1 == 1;
    decisive && x.outcome != y.outcome && (a ^ b) >> condition & 1 == 1
}

fn read(controller: &Controller) -> (Task, Map) {
    let Controller { text, language } = controller;
    let input = Input::Text { name: "p".to_owned(), text: text.as_bytes().to_vec() };
    let usual = Reading::default();
    let st = front_st::compile::Settings { cycles: Some(CYCLES.into()), ..usual.st.clone() };
    let read = language.read_covered(&[input], &Reading { st, ..usual });
    read.expect("it can be covered").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn report(task: &Task, map: &Map) -> Report {
    let question = Question {
        task,
        map,
        kinds: Kind::ALL.into(),
        pairs: Pairs::Masking,
        vectors: true,
        settings: Settings { invariant: false, ..Settings::default() },
        limits: verify::Limits::default(),
        justified: Vec::new(),
    };
    cover(&question, &mut ()).expect("nothing is rejected")
}

/// Whether a vector shows what a witness says.
fn replays(probed: &Probed, report: &Report, goal: &Goal, witness: &Witness) -> bool {
    let vector = &report.suite.vectors[witness.vector];
    let run = program::counterexample::Counterexample {
        taken: vector.inputs.clone(),
        choices: vector.choices.clone(),
        ..Default::default()
    };
    let seen = Rc::new(RefCell::new(BTreeSet::new()));
    let mut script = Script::of(&run);
    interpreter(probed).watch(&mut script, &mut Noting(probed, seen.clone()));
    let event = match goal.what {
        What::Point(point) => Event::Point(point),
        What::Outcome { decision, .. }
        | What::Truth { decision, .. }
        | What::Independence { decision, .. } => Event::Decision(decision, witness.values),
    };
    seen.borrow().contains(&event)
}

fn in_c(seed: u64) {
    check(seed, &Controller { text: c::Writer::program(seed), language: &C });
}

fn in_st(seed: u64) {
    check(seed, &Controller { text: st::Writer::program(seed), language: &StructuredText });
}

fn check(seed: u64, controller: &Controller) {
    let text = &controller.text;
    let (task, map) = read(controller);
    let report = report(&task, &map);
    let program = &task.code().expect("it is code").program;
    let probed = Probed::new(program, &map, looping(&task.reading, program));
    let seen = all_events(&probed);
    for judged in &report.goals {
        let shown = is_shown(&map, &judged.goal, &seen);
        let told = format!("{seed} {} {:?}\n{text}", judged.goal.id, judged.status);
        match &judged.status {
            Status::Covered(evidence) => {
                assert!(shown, "no run shows it: {told}");
                for witness in evidence.witnesses() {
                    assert!(replays(&probed, &report, &judged.goal, witness), "{told}");
                }
                if let Evidence::Pair(a, b) = evidence {
                    let What::Independence { decision, condition } = judged.goal.what else {
                        panic!("a pair is of a condition: {told}")
                    };
                    let tree = &map.decisions[decision].tree;
                    assert!(pair(tree, condition, a.values, b.values), "{told}");
                }
            }
            Status::Infeasible(_) => assert!(!shown, "a run shows it: {told}"),
            Status::Open(_) => panic!("it is open: {told}"),
            Status::Justified { .. } => panic!("nobody justifies it: {told}"),
        }
    }
}

#[test]
fn goals_are_what_all_runs_show() {
    (0..6).for_each(in_c);
}

#[test]
fn goals_in_structured_text_are_what_all_runs_show() {
    (0..12).for_each(in_st);
}

fn programs() -> std::ops::Range<u64> {
    let programs = std::env::var("PROGRAMS").ok().and_then(|text| text.parse().ok());
    100..100 + programs.unwrap_or(200)
}

#[test]
#[ignore = "takes minutes; PROGRAMS says how many"]
fn goals_of_many_programs_are_what_all_runs_show() {
    programs().for_each(in_c);
}

#[test]
#[ignore = "takes minutes; PROGRAMS says how many"]
fn goals_of_many_programs_in_structured_text_are_what_all_runs_show() {
    programs().for_each(in_st);
}
