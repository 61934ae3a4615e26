//! Small random controllers: what is said of each goal is what all runs show.
//!
//! Inputs have two bits and there are few cycles, so that every run can be executed. A goal that is called
//! covered must be shown by one of them and by its vector, one that is called infeasible by none.
//!
//! `PROGRAMS=2000 cargo test --release -p cairn-coverage --test exhaustive -- --ignored` tries more.

use coverage::goal::{Goal, Kind, What};
use coverage::judge::Pairs;
use coverage::probes::{Event, Probed};
use coverage::report::Report;
use coverage::search::{Question, cover};
use coverage::status::{Evidence, Status, Witness};
use front_c::coverage::Map;
use program::counterexample::Script;
use program::interpret::{Heed, Interpreter, Limits, Listener, Oracle, Outcome, Request, Step};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use term::{Sort, Value};
use value::Bits;
use verify::languages::C;
use verify::{Input, Reading, Settings, Task};

const CYCLES: u32 = 3;

/// Writes a controller.
struct Writer {
    random: StdRng,
    text: String,
    depth: usize,
}

impl Writer {
    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.random.random_range(0..of.len())]
    }

    fn condition(&mut self) -> String {
        let variable = self.pick(&["a", "b", "s", "t"]);
        let number = self.random.random_range(0..5);
        match self.random.random_range(0..7) {
            0 => format!("({variable} & 1)"),
            1 => variable.to_owned(),
            2 => "1".to_owned(),
            3 => format!("same({variable}) == {number}"),
            4 => format!("table[{variable} & 3] == {number}"),
            _ => format!("{variable} {} {number}", self.pick(&["<", ">", "==", "!="])),
        }
    }

    fn decision(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.condition();
        }
        let (a, b) = (self.decision(depth - 1), self.decision(depth - 1));
        match self.random.random_range(0..8) {
            0..=2 => format!("({a} && {b})"),
            3..=5 => format!("({a} || {b})"),
            6 => format!("!({a})"),
            _ => {
                let (a, b) = (self.random.random_range(0..4), self.random.random_range(0..4));
                format!("((a > {a}) {} (b == {b}))", self.pick(&["&", "|", "^"]))
            }
        }
    }

    fn statement(&mut self) {
        let depth = self.random.random_range(0..3);
        let variable = self.pick(&["s", "t"]);
        self.depth += 1;
        match self.random.random_range(0..if self.depth > 3 { 3 } else { 8 }) {
            0 => {
                let number = self.random.random_range(0..5);
                self.text += &format!("{variable} = {number};\n");
            }
            1 => {
                let decision = self.decision(depth);
                self.text += &format!("{variable} = ({decision}) ? (unsigned char) (a + 1) : b;\n");
            }
            2 => {
                let decision = self.decision(depth);
                self.text += &format!("{variable} = (unsigned char) ({decision});\n");
            }
            3 => {
                self.text += &format!("switch ({variable}) {{\ncase 0:\n");
                self.statement();
                self.text += "break;\ncase 2:\n";
                self.statement();
                self.text += "case 4: s = a; break;\n}\n";
            }
            _ => {
                let decision = self.decision(depth);
                self.text += &format!("if ({decision}) {{\n");
                self.statement();
                if self.random.random_bool(0.5) {
                    self.text += "} else {\n";
                    self.statement();
                }
                self.text += "}\n";
            }
        }
        self.depth -= 1;
    }

    fn program(seed: u64) -> String {
        let random = StdRng::seed_from_u64(seed);
        let mut writer = Writer { random, text: String::new(), depth: 0 };
        for _ in 0..4 {
            writer.statement();
        }
        format!(
            "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
             unsigned char s, t; static const unsigned char table[4] = {{ 1, 3, 3, 0 }};\n\
             static unsigned char same(unsigned char x) {{ return x; }}\n\
             static void step(unsigned char a, unsigned char b) {{\n{}}}\n\
             static void never(int x) {{ if (x > 0 && x < 5) s = 1; }}\n\
             int main(void) {{\n\
             for (int k = 0; k < {CYCLES}; k++) {{\n\
             unsigned char a = __VERIFIER_nondet_uchar() & 3;\n\
             unsigned char b = __VERIFIER_nondet_uchar() & 1;\n\
             step(a, b); }}\nreturn 0; }}\n",
            writer.text
        )
    }
}

/// Gives the digits of a number as values, two bits and one in turn.
struct Digits(u64, bool);

impl Oracle for Digits {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        assert_eq!(request.sort, Sort::BitVec(8));
        let width = if self.1 { 1 } else { 2 };
        self.1 = !self.1;
        let value = self.0 & ((1 << width) - 1);
        self.0 >>= width;
        Some(Value::Bits(Bits::from_u64(8, value)))
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

fn pair(tree: &front_c::coverage::Tree, condition: usize, a: u64, b: u64) -> bool {
    let (x, y) = (tree.evaluate(a), tree.evaluate(b));
    let decisive = (x.decisive & y.decisive) >> condition & 1 == 1;
    decisive && x.outcome != y.outcome && (a ^ b) >> condition & 1 == 1
}

fn read(text: &str) -> (Task, Map) {
    let input = Input::Text { name: "p.i".to_owned(), text: text.as_bytes().to_vec() };
    C.read_covered(&[input], &Reading::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
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

fn check(seed: u64) {
    let text = Writer::program(seed);
    let (task, map) = read(&text);
    let report = report(&task, &map);
    let program = &task.code().expect("C is code").program;
    let probed = Probed::new(program, &map, "main");
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
    (0..6).for_each(check);
}

#[test]
#[ignore = "takes minutes; PROGRAMS says how many"]
fn goals_of_many_programs_are_what_all_runs_show() {
    let programs = std::env::var("PROGRAMS").ok().and_then(|text| text.parse().ok());
    (100..100 + programs.unwrap_or(200)).for_each(check);
}
