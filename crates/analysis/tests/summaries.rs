//! Summaries of recursive functions against the interpreter: what is said of calls that return is
//! true of every call that some run makes.

use analysis::summaries::{Summaries, recursive, summarize};
use answer::{Allowance, Interrupt};
use front_c::compile::{Input, compile};
use front_c::types::DataModel;
use program::Program;
use program::interpret::{Effect, Fixed, Interpreter, Limits, Random, Step};
use program::program::FunctionId;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use smt::Standard;
use std::time::Instant;
use term::{Sort, Term, Value, evaluate};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nvoid reach_error(void);\n";

fn lowered(text: &str) -> Program {
    let input = Input::Text { name: "case.c".to_owned(), text: text.as_bytes().to_vec() };
    let options = front_c::compile::Options::new(DataModel::Ilp32);
    let compiled = compile(&[input], &options).expect("a text can be read");
    let typed = compiled.program.as_ref().unwrap_or_else(|| panic!("no correct C: {text}"));
    let options = front_c::lower::Options::default();
    match front_c::lower::lower(typed, &compiled.sources, &options) {
        Ok(lowered) => lowered.program,
        Err(_) => panic!("it can't be lowered: {text}"),
    }
}

fn summaries(program: &Program) -> Option<Summaries> {
    summarize(program, &Standard, &Allowance::default()).expect("no solver fails")
}

/// A call, or its end.
enum Event {
    Called(FunctionId, Vec<Value>),
    Returned(FunctionId, Vec<Value>),
}

/// Checks the summaries on the calls of a run; how many calls there were.
fn calls_of_a_run(
    program: &Program,
    summaries: &Summaries,
    events: Vec<Event>,
    text: &str,
) -> usize {
    let mut open: Vec<(FunctionId, Vec<Value>)> = Vec::new();
    let mut checked = 0;
    for event in events {
        let (function, results) = match event {
            Event::Called(function, arguments) => {
                open.push((function, arguments));
                continue;
            }
            Event::Returned(function, results) => (function, results),
        };
        let Some(formulas) = summaries.get(&function) else { continue };
        let (called, arguments) = loop {
            let call = open.pop().expect("what returns was called");
            // Functions without a body don't return.
            if call.0 == function {
                break call;
            }
        };
        let definition = &program.functions[called];
        let term = |id: &program::program::VariableId| program.variables[*id].term;
        let arguments = definition.parameters.iter().map(term).zip(arguments);
        let results = definition.results.iter().map(term).zip(results);
        let values: FxHashMap<Term, Value> = arguments.chain(results).collect();
        for formula in formulas {
            let value = evaluate(&program.pool, *formula, &values).expect("no quantifier");
            assert_eq!(value, Value::Bool(true), "{formula:?} in {values:?} of {text}");
            checked += 1;
        }
    }
    checked
}

/// Runs a program with small arguments and others, and checks its summaries; how often they were.
fn checked(program: &Program, summaries: &Summaries, text: &str) -> usize {
    let limits = Limits { steps: 20_000, ..Limits::default() };
    let interpreter = Interpreter::new(program).expect("well-formed").with_limits(limits);
    let mut checked = 0;
    let mut watch = |oracle: &mut dyn program::interpret::Oracle| {
        let mut events = Vec::new();
        let mut listener = |step: &Step<'_>| match &step.effect {
            Effect::Called(function, arguments) => {
                events.push(Event::Called(*function, arguments.to_vec()));
            }
            Effect::Returned(function, results) => {
                let results = results.iter().map(|(_, value)| value.clone()).collect();
                events.push(Event::Returned(*function, results));
            }
            _ => {}
        };
        interpreter.watch(oracle, &mut listener);
        checked += calls_of_a_run(program, summaries, events, text);
    };
    for argument in -4..=12i64 {
        let value = Value::Bits(value::Bits::from_i64(32, argument));
        let values = [(Sort::BitVec(32), value)].into_iter().collect();
        watch(&mut Fixed { values });
    }
    for seed in 0..10 {
        watch(&mut Random::new(seed));
    }
    checked
}

fn names(program: &Program, functions: impl IntoIterator<Item = FunctionId>) -> Vec<&str> {
    let mut names: Vec<&str> =
        functions.into_iter().map(|function| &*program.functions[function].name).collect();
    names.sort_unstable();
    names
}

#[test]
fn recursion_is_seen_also_over_others() {
    let program = lowered(
        "int odd(int n);
         int even(int n) { return n == 0 ? 1 : odd(n - 1); }
         int odd(int n) { return n == 0 ? 0 : even(n - 1); }
         int self(int n) { return n <= 0 ? 0 : self(n - 1); }
         int plain(int n) { return even(n) + self(n); }
         int main(void) { return plain(3); }",
    );
    assert_eq!(names(&program, recursive(&program)), ["even", "odd", "self"]);
    let program = lowered("int f(int n) { return n; } int main(void) { return f(3); }");
    assert!(recursive(&program).is_empty());
    assert!(summaries(&program).is_none());
}

#[test]
fn summaries_of_known_functions_hold_of_their_calls() {
    for (definition, call) in [
        ("int id(int n) { if (n <= 0) return 0; return 1 + id(n - 1); }", "id(NUMBER)"),
        (
            "int add(int a, int b) { if (b <= 0) return a; return add(a + 1, b - 1); }",
            "add(NUMBER, NUMBER)",
        ),
        ("int down(int n) { if (n <= 10) return 10; return down(n - 1); }", "down(NUMBER)"),
        ("int f91(int n) { if (n > 20) return n - 10; return f91(f91(n + 11)); }", "f91(NUMBER)"),
        ("int twice(int n) { if (n <= 0) return 0; return 2 + twice(n - 1); }", "twice(NUMBER)"),
    ] {
        let call = call.replace("NUMBER", "(__VERIFIER_nondet_int() & 63)");
        let text = format!(
            "{HEAD}{definition}\nint main(void) {{ int r = {call}; if (r == -77) reach_error(); return 0; }}"
        );
        let program = lowered(&text);
        let summaries = summaries(&program).unwrap_or_else(|| panic!("nothing is said of {text}"));
        assert!(summaries.values().all(|formulas| !formulas.is_empty()), "{text}");
        assert!(checked(&program, &summaries, &text) > 20, "{text}");
    }
}

#[test]
fn summaries_of_random_functions_hold_of_their_calls() {
    let (mut told, mut calls) = (0, 0);
    for seed in 0..60 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut any = |of: &[&'static str]| of[random.random_range(0..of.len())];
        let base = any(&["0", "1", "n", "m", "n + 1", "-3", "m - n"]);
        let end = any(&["n <= 0", "n < 2", "n <= m - 20", "n == 0 || n > 40 || n < 0"]);
        let next = any(&["m", "m + 1", "m - 1", "n", "0"]);
        let step = any(&["n - 1", "n - 2", "n - 3"]);
        let result = any(&["r", "r + 1", "r - 1", "r + m", "r + 2", "r > m ? r : m", "-r", "n"]);
        let other = any(&["", "if (m > 30) return 7;", "if (r < 0) return 0;"]);
        let (before, after) =
            if other.contains('r') && other.contains("r <") { ("", other) } else { (other, "") };
        let text = format!(
            "{HEAD}int f(int n, int m) {{
                if ({end}) return {base};
                {before}
                int r = f({step}, {next});
                {after}
                return {result};
            }}
            int main(void) {{
                int r = f(__VERIFIER_nondet_int() & 31, __VERIFIER_nondet_int() & 15);
                if (r == -77) reach_error();
                return 0;
            }}"
        );
        let program = lowered(&text);
        let Some(summaries) = summaries(&program) else { continue };
        told += 1;
        calls += checked(&program, &summaries, &text);
    }
    assert!(told > 15 && calls > 1_000, "{told} functions have summaries, {calls} checks");
}

#[test]
fn functions_with_loops_have_no_summary() {
    let program = lowered(
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += f(i); return s; }
         int main(void) { return f(3); }",
    );
    assert_eq!(names(&program, recursive(&program)), ["f"]);
    assert!(summaries(&program).is_none());
}

#[test]
fn whoever_is_stopped_has_no_summary() {
    let program = lowered(
        "int id(int n) { if (n <= 0) return 0; return 1 + id(n - 1); }
         int main(void) { return id(7); }",
    );
    assert!(summaries(&program).is_some());
    let raised = Interrupt::new();
    raised.raise();
    let late = Allowance::default().until(Instant::now());
    for allowance in [Allowance::interruptible(raised), late] {
        let found = summarize(&program, &Standard, &allowance).expect("no solver fails");
        assert!(found.is_none());
    }
}
