//! Summaries against the interpreter: what is said of calls is true of every call that some run makes,
//! what proves a program is accepted by the checker, and what is damaged is not.

mod programs;

use answer::{Allowance, Interrupt};
use program::Program;
use program::interpret::{Effect, Fixed, Interpreter, Limits, Random, Step};
use program::procedures::{Procedures, Summaries, Summary};
use program::program::FunctionId;
use programs::{accepted, decide, lowered, procedures};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use smt::Standard;
use summary::implication::{Implications, Strategy};
use summary::search::Search;
use summary::{Answer, Encoding, Means, Options};
use term::traverse::free_vars;
use term::{Sort, Term, Value, evaluate};

/// A call, or its end.
enum Event {
    Called(FunctionId, Vec<Value>),
    Returned(FunctionId, Vec<Value>),
}

/// The calls that return in some runs: the function, arguments, results.
fn calls(program: &Program) -> Vec<(FunctionId, Vec<Value>, Vec<Value>)> {
    let limits = Limits { steps: 20_000, ..Limits::default() };
    let interpreter = Interpreter::new(program).expect("well-formed").with_limits(limits);
    let mut calls = Vec::new();
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
        let mut open: Vec<(FunctionId, Vec<Value>)> = Vec::new();
        for event in events {
            match event {
                Event::Called(function, arguments) => open.push((function, arguments)),
                Event::Returned(function, results) => {
                    // Functions without a body don't return.
                    while let Some((called, arguments)) = open.pop() {
                        if called == function {
                            calls.push((called, arguments, results));
                            break;
                        }
                    }
                }
            }
        }
    };
    for argument in -4..=12i64 {
        let value = Value::Bits(value::Bits::from_i64(32, argument));
        let values = [(Sort::BitVec(32), value)].into_iter().collect();
        watch(&mut Fixed { values });
    }
    (0..10).for_each(|seed| watch(&mut Random::new(seed)));
    calls
}

/// Whether what summaries say of functions holds of the calls of some runs, and how often it was asked.
fn holds_of_calls(
    program: &Program,
    procedures: &Procedures,
    summaries: &Summaries,
) -> (bool, usize) {
    let mut checked = 0;
    for (function, arguments, results) in calls(program) {
        for node in &summaries.nodes {
            let procedure = &procedures.procedures[node.procedure];
            let Some(Summary { returns, .. }) = &node.summary else { continue };
            if procedure.function != function || procedure.name != program.functions[function].name
            {
                continue;
            }
            let interface = &summaries.interfaces[node.procedure];
            let inputs = procedure.parameters.iter().copied().zip(arguments.iter().cloned());
            let after = interface.outputs.iter().map(|output| output.after);
            let values: FxHashMap<Term, Value> =
                inputs.chain(after.zip(results.iter().cloned())).collect();
            for formula in returns {
                let known = free_vars(&program.pool, &[*formula]);
                if known.iter().all(|variable| values.contains_key(variable)) {
                    checked += 1;
                    if evaluate(&program.pool, *formula, &values) != Ok(Value::Bool(true)) {
                        return (false, checked);
                    }
                }
            }
        }
    }
    (true, checked)
}

/// The same summaries with one formula negated, each in turn, or with one call known by another node.
fn damaged(program: &Program, summaries: &Summaries) -> Vec<Summaries> {
    let pool = &program.pool;
    let mut damaged = Vec::new();
    for (n, node) in summaries.nodes.iter().enumerate() {
        let Some(summary) = &node.summary else { continue };
        for (i, formula) in summary.returns.iter().enumerate() {
            let mut copy = summaries.clone();
            let summary = copy.nodes[n].summary.as_mut().expect("it has one");
            summary.returns[i] = pool.not(*formula);
            damaged.push(copy);
        }
        let mut copy = summaries.clone();
        let summary = copy.nodes[n].summary.as_mut().expect("it has one");
        summary.returns.push(pool.fls());
        damaged.push(copy);
    }
    damaged
}

/// Decides a program, and checks whatever it is told.
fn check(text: &str, options: &Options, time: u64) -> (Option<bool>, usize) {
    let program = lowered(text);
    let procedures = procedures(&program);
    match decide(&program, &procedures, options, time) {
        Answer::Open { .. } => (None, 0),
        Answer::Unsafe(_) => (Some(false), 0),
        Answer::Safe(summaries) => {
            assert!(accepted(&program, &procedures, &summaries), "the proof is refused: {text}");
            let (true, asked) = holds_of_calls(&program, &procedures, &summaries) else {
                panic!("a summary does not hold of a call: {text}")
            };
            for damaged in damaged(&program, &summaries) {
                if accepted(&program, &procedures, &damaged) {
                    let (true, _) = holds_of_calls(&program, &procedures, &damaged) else {
                        panic!("a damaged summary is accepted: {text}")
                    };
                }
            }
            (Some(true), asked)
        }
    }
}

const RECURSIVE: &[(&str, &str, bool)] = &[
    ("int f(int n) { if (n <= 0) return 0; return 1 + f(n - 1); }", "n >= 0 && r != n", true),
    ("int f(int n) { if (n > 20) return n - 10; return f(f(n + 11)); }", "n < 20 && r != 11", true),
    ("int f(int n) { if (n <= 10) return 10; return f(n - 1); }", "r != 10 && r != n", true),
    (
        "int f(int n) { if (n <= 0) return 0; return 2 + f(n - 1); }",
        "n > 0 && n < 9 && r == 1",
        true,
    ),
    ("int f(int n) { if (n <= 0) return 0; return 1 + f(n - 1); }", "n == 7 && r == 7", false),
    (
        "int f(int n) { if (n < 2) return n; return f(n - 1) + f(n - 2); }",
        "n == 6 && r == 8",
        false,
    ),
    (
        "int odd(int n); int f(int n) { return n == 0 ? 1 : odd(n - 1); }
         int odd(int n) { return n == 0 ? 0 : f(n - 1); }",
        "n >= 0 && (r < 0 || r > 1)",
        true,
    ),
];

#[test]
fn recursion_is_decided_right_with_every_strategy() {
    let strategies: &[&[&str]] = &[
        &[],
        &["guesses=off"],
        &["guesses=off", "interpolation=pudlak"],
        &["guesses=off", "interpolation=dual"],
        &["guesses=off", "decomposition=on"],
        &["summaries=off", "refinement=greedy"],
        &["slicing=off", "depth=3"],
    ];
    for (function, wrong, safe) in RECURSIVE {
        let text = format!(
            "{function}\nint main(void) {{ int n = __VERIFIER_nondet_int(); if (n > 15 || n < -15) return 0;
              int r = f(n); if ({wrong}) reach_error(); return 0; }}"
        );
        let mut decided = 0;
        for assignments in strategies {
            let mut options = Options::default();
            assignments.iter().for_each(|a| options.assign(a).expect("an option"));
            // The others may take long; they may give up, but not be wrong.
            let time = if assignments.is_empty() { 20 } else { 1 };
            let (answer, _) = check(&text, &options, time);
            assert!(answer.is_none_or(|answer| answer == *safe), "{assignments:?} on {text}");
            decided += usize::from(answer.is_some());
        }
        assert!(decided > 0, "nobody decides {text}");
    }
}

#[test]
fn loops_of_every_shape_are_recursion() {
    for (body, safe) in [
        (
            "int s = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < i; j++) s++; if (s != 6) reach_error();",
            true,
        ),
        (
            "int s = 0; for (int i = 0; i < 4; i++) { if (i == 2) continue; if (i == 3) break; s += i; } if (s != 1) reach_error();",
            true,
        ),
        (
            "int i = 0; if (__VERIFIER_nondet_int()) goto in; while (i < 5) { i++; in: i++; } if (i < 5 || i > 6) reach_error();",
            true,
        ),
        (
            "int i = 0; if (__VERIFIER_nondet_int()) goto in; while (i < 5) { i++; in: i++; } if (i == 6) reach_error();",
            false,
        ),
        (
            "int i = 0; while (1) { if (i == 3) reach_error(); if (__VERIFIER_nondet_int()) i++; else return 0; }",
            false,
        ),
        (
            "int a[3]; for (int i = 0; i < 3; i++) a[i] = i; int s = 0; for (int i = 0; i < 3; i++) s += a[i]; if (s != 3) reach_error();",
            true,
        ),
        (
            "int x = __VERIFIER_nondet_int(); while (x > 10) { x--; if (x == 50) break; } if (x > 50) reach_error();",
            true,
        ),
    ] {
        let text = format!("int main(void) {{ {body} return 0; }}");
        let (answer, _) = check(&text, &Options::default(), 10);
        assert_eq!(answer, Some(safe), "{text}");
    }
}

/// The least number of a type has no opposite in it.
#[test]
fn numbers_of_every_size_are_looked_at() {
    let text = "long long f(long long n) { if (n <= 0) return (-9223372036854775807LL - 1) ^ n; return f(n - 1); }
         int main(void) { if (f(__VERIFIER_nondet_int() & 7) == 3) reach_error(); return 0; }";
    assert_eq!(check(text, &Options::default(), 10).0, Some(true));
}

#[test]
fn globals_are_inputs_and_outputs() {
    for (wrong, safe) in [("g > 9", true), ("g == 9", false)] {
        let text = format!(
            "int g; void up(int n) {{ if (n <= 0 || g >= 9) return; g++; up(n - 1); }}
             int main(void) {{ g = 0; up(__VERIFIER_nondet_int()); if ({wrong}) reach_error(); return 0; }}"
        );
        assert_eq!(check(&text, &Options::default(), 10).0, Some(safe), "{text}");
    }
}

#[test]
fn summaries_of_random_functions_hold_of_their_calls() {
    let (mut told, mut calls) = (0, 0);
    for seed in 0..40 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut any = |of: &[&'static str]| of[random.random_range(0..of.len())];
        let base = any(&["0", "1", "n", "m", "n + 1", "-3", "m - n"]);
        let end = any(&["n <= 0", "n < 2", "n <= m - 20", "n == 0 || n > 40 || n < 0"]);
        let next = any(&["m", "m + 1", "m - 1", "n", "0"]);
        let step = any(&["n - 1", "n - 2", "n - 3"]);
        let result = any(&["r", "r + 1", "r - 1", "r + m", "r + 2", "r > m ? r : m", "-r", "n"]);
        let check_inside = any(&["", "if (n > 40) reach_error();", "if (r == 77) reach_error();"]);
        let text = format!(
            "int f(int n, int m) {{
                if ({end}) return {base};
                int r = f({step}, {next});
                {check_inside}
                return {result};
            }}
            int main(void) {{
                int r = f(__VERIFIER_nondet_int() & 31, __VERIFIER_nondet_int() & 15);
                if (r == -77) reach_error();
                return 0;
            }}"
        );
        let (answer, asked) = check(&text, &Options::default(), 1);
        told += usize::from(answer == Some(true));
        calls += asked;
    }
    assert!(told > 5 && calls > 100, "{told} programs are proved, {calls} questions about calls");
}

#[test]
fn whoever_is_stopped_has_no_answer() {
    let program = lowered(
        "int f(int n) { if (n <= 0) return 0; return 1 + f(n - 1); }
         int main(void) { if (f(__VERIFIER_nondet_int()) == -3) reach_error(); return 0; }",
    );
    let procedures = procedures(&program);
    let options = Options::default();
    let encoding = Encoding::new(&program.pool, &procedures, &options);
    let raised = Interrupt::new();
    raised.raise();
    let means = Means { solvers: &Standard, allowance: Allowance::interruptible(raised) };
    let answer = Search::new(&encoding, &options, &means).decide(&encoding.checks);
    assert!(matches!(answer, Answer::Open { .. }));
}

/// Checks that follow from the text, and the order in which checks are decided that follow from others.
#[test]
fn implications_between_checks_are_found() {
    let program = lowered(
        "int main(void) {
           int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
           if (x > 100) reach_error();
           if (x > 200) reach_error();
           if (y > 50) reach_error();
           if (x > 100 || y > 60) reach_error();
           if (x > 100 && x < 0) reach_error();
           if (x > 90) reach_error();
         }",
    );
    let procedures = procedures(&program);
    let options = Options::default();
    let encoding = Encoding::new(&program.pool, &procedures, &options);
    let means = Means { solvers: &Standard, allowance: Allowance::default() };
    let found = Implications::of(&encoding, &means).expect("it is of bits");
    let mut lines: Vec<(u32, usize)> =
        encoding.checks.iter().enumerate().map(|(n, (_, place))| (place.line, n)).collect();
    lines.sort_unstable();
    let number = |check: usize| lines.iter().position(|(_, n)| *n == check).expect("it is one");
    let implied = found.pairs.iter().map(|(_, n)| *n).chain(found.sets.iter().map(|(_, n)| *n));
    let mut implied: Vec<usize> = implied.map(number).collect();
    implied.sort_unstable();
    implied.dedup();
    assert_eq!(implied, [1, 3, 4]);
    let chain = Implications { pairs: vec![(2, 1), (1, 0)], ..Implications::default() };
    assert_eq!(chain.order(3, Strategy::Forward), [2, 1, 0]);
    assert_eq!(chain.order(3, Strategy::Backward), [0, 1, 2]);
}
