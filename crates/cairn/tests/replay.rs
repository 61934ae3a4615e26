//! Damaged counterexamples: the interpreter, which replays each before it becomes a verdict, follows
//! no run that is none.
//!
//! The programs fail on exactly one sequence of inputs, so that what a damaged run shows is known
//! without executing anything.

use bounded::ProgramBmc;
use front_c::compile::{Input, Options, compile};
use front_c::lower::{self, lower};
use front_c::types::DataModel;
use program::interpret::{Interpreter, Limits, Lockstep, Outcome, Recorded};
use program::minimize::{self, minimize};
use program::model::{self, Model, model};
use program::verdict::Run;
use program::{Program, Property, Verdict};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::cell::RefCell;
use std::rc::Rc;
use term::Value;
use value::Bits;

/// The digits, one a round.
const ROUNDS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 9) return 0;
    sum = sum * 10 + x;
  }
  if (sum == 4711) reach_error();
  return 0;
}";

/// The same through memory and calls.
const STORED: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int code[4];
void enter(int *at) { *at = __VERIFIER_nondet_int(); }
int main(void) {
  for (int i = 0; i < 4; i++) enter(code + i);
  if (code[0] == 4 && code[1] == 7 && code[2] == 1 && code[3] == 1) reach_error();
  return 0;
}";

const EXPECTED: [u64; 4] = [4, 7, 1, 1];

fn lowered(text: &str) -> Program {
    let input = Input::Text { name: "test.c".into(), text: text.as_bytes().to_vec() };
    let options = Options::new(DataModel::Ilp32);
    let compiled = compile(&[input], &options).expect("a small text can be read");
    let typed = compiled.program.as_ref().expect("the program is well-typed");
    let lowered = lower(typed, &compiled.sources, &lower::Options::default());
    lowered.unwrap_or_else(|_| panic!("the program can be lowered")).program
}

fn replay(program: &Program, model: &Model, run: &Run) -> Outcome {
    let limits = Limits { steps: 100_000, ..Limits::default() };
    let interpreter = Interpreter::new(program).expect("a well-formed program");
    let interpreter = interpreter.with_properties(&[Property::Reach]).with_limits(limits.clone());
    let recorded = Recorded::with_loads(model, &program.pool, run, &limits);
    let mut oracle = Lockstep(Rc::new(RefCell::new(recorded)));
    interpreter.watch(&mut oracle.clone(), &mut oracle)
}

/// The inputs of a run that the program asks for, in order.
fn inputs<'r>(model: &Model, run: &'r Run) -> Vec<&'r Value> {
    let all = run.steps.iter().flat_map(|step| &step.inputs);
    let asked = all.filter(|(input, _)| {
        let cause = &model.cfa.inputs[*input].cause;
        matches!(cause, program::program::Cause::Input(_))
    });
    asked.map(|(_, value)| value).collect()
}

fn damage(run: &Run, random: &mut StdRng) -> Run {
    let mut run = run.clone();
    let step = random.random_range(0..run.steps.len());
    match random.random_range(0..4) {
        0 => run.steps.truncate(step),
        1 => _ = run.steps.remove(step),
        2 => run.steps[step].inputs.clear(),
        _ => {
            for (_, value) in &mut run.steps[step].inputs {
                if let Value::Bits(bits) = value
                    && random.random()
                {
                    *bits = Bits::from_u64(bits.width(), random.random_range(0..9));
                }
            }
        }
    }
    run
}

#[test]
fn damaged_runs_do_not_replay() {
    for text in [ROUNDS, STORED] {
        let program = lowered(text);
        let options =
            model::Options { properties: [Property::Reach].into(), ..model::Options::default() };
        let model = model(&program, &options).expect("there is a model");
        let small = minimize(&program.pool, &model.cfa, &minimize::Options::default());
        let mut engine = ProgramBmc::new(&program.pool, &small.cfa, &smt::Standard)
            .expect("there is a violation");
        let Verdict::Unsafe(run) = engine.check(100, &mut ()) else { panic!("it is unsafe") };
        assert!(matches!(replay(&program, &model, &run), Outcome::Violation { .. }), "{text}");
        let mut random = StdRng::seed_from_u64(1);
        let (mut rejected, mut whole) = (0, 0);
        for number in 0..300 {
            let damaged = damage(&run, &mut random);
            let given = inputs(&model, &damaged);
            // What is missing is taken to be zero, which is none of the digits.
            let digit = |digit| Value::Bits(Bits::from_u64(32, digit));
            let same = given.iter().zip(EXPECTED).all(|(given, d)| **given == digit(d));
            let right = same && given.len() >= EXPECTED.len();
            let violates = matches!(replay(&program, &model, &damaged), Outcome::Violation { .. });
            assert_eq!(violates, right, "{number}: {given:?}\n{text}");
            rejected += usize::from(!right);
            whole += usize::from(right);
        }
        assert!(rejected > 100, "{rejected} of the runs were damaged, {whole} were not");
    }
}
