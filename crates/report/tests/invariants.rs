//! Loop invariants are true: each is put into the C text at its loop, as a claim, and random runs of
//! that text never violate it. So an expression must also be correct C there, over variables in scope.

mod common;

use answer::Verdict;
use common::{HEAD, c, decided};
use program::Property;
use program::interpret::{Interpreter, Limits, Random};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use report::invariant::{LoopInvariant, TRUE, loop_invariants};
use verify::{Choice, Finding, Held, Settings, Task};

/// The invariants of a proof with one; none if there is another answer.
fn invariants(task: &Task, settings: Settings) -> Option<Vec<LoopInvariant>> {
    let outcome = decided(task, settings);
    if outcome.verdict() != Verdict::Safe {
        return None;
    }
    let Finding::Safe(proved) = &outcome.answers[0].finding else { return None };
    let Some(Held::Automaton(cfa, invariant)) = &proved.invariant else { return None };
    let code = task.code().expect("a program");
    Some(loop_invariants(task.language, &code.program, cfa, invariant))
}

/// The text with a claim at the head of a loop, before its condition.
fn claimed(text: &str, invariant: &LoopInvariant, claim: &str) -> String {
    let line = invariant.place.line as usize - HEAD.lines().count();
    let with = |(number, text): (usize, &str)| match number + 1 == line {
        true => {
            assert!(text.contains("while ("), "{} is no loop: {text}", invariant.place);
            text.replacen("while (", &format!("while (claim({claim}), "), 1)
        }
        false => text.to_owned(),
    };
    text.lines().enumerate().map(with).collect::<Vec<_>>().join("\n")
}

/// Whether some random run of a text violates a claim.
fn violated(text: &str) -> bool {
    let task = c(text, &[Property::Reach]);
    let program = &task.code().expect("a program").program;
    let limits = Limits { steps: 5_000, ..Limits::default() };
    let interpreter = Interpreter::new(program).expect("well-formed");
    let interpreter = interpreter.with_properties(&[Property::Reach]).with_limits(limits);
    (0..30).any(|seed| interpreter.run(&mut Random::new(seed)).violates().is_some())
}

/// Checks the invariants of a text; how many say something.
fn are_true(text: &str, settings: Settings) -> usize {
    let task = c(text, &[Property::Reach]);
    assert!(!violated(text), "a run violates the program itself: {text}");
    let Some(invariants) = invariants(&task, settings) else { return 0 };
    let mut telling = 0;
    for invariant in &invariants {
        if invariant.expression == TRUE {
            assert!(invariant.dropped > 0, "{invariant:?}");
            continue;
        }
        telling += 1;
        let expression = &invariant.expression;
        let with = claimed(text, invariant, &format!("({expression}) != 0"));
        assert!(!violated(&with), "{with}");
        // The claim is looked at: its opposite is violated, where runs come to the loop.
        if expression != "0" {
            let opposite = claimed(text, invariant, &format!("!({expression})"));
            assert!(violated(&opposite), "{opposite}");
        }
    }
    telling
}

fn auto() -> Settings {
    Settings { jobs: Some(1), ..Settings::default() }
}

/// IC3 without what the analysis finds.
fn alone() -> Settings {
    let mut settings = Settings { choice: Choice::One("ic3cfa"), ..auto() };
    let analysis = &mut settings.analysis;
    (analysis.ranges, analysis.zones, analysis.equations) = (false, false, false);
    (analysis.guards, analysis.elements) = (false, false);
    settings
}

/// A text with a loop over small numbers, and what it is bounded by.
fn random(seed: u64) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut number = |most: i32| random.random_range(1..=most);
    let (start, step, limit, mask) = (number(9), number(3), 10 + number(9), (1 << number(3)) - 1);
    match number(5) {
        1 => format!(
            "int main(void) {{
    unsigned n = __VERIFIER_nondet_uint() & {mask}, i = 0, s = {start};
    while (i < n) {{
        i = i + {step};
        s = s + {step};
    }}
    if (i > {mask} + {step} || s != i + {start}) reach_error();
    return 0;
}}"
        ),
        2 => format!(
            "int main(void) {{
    int x = {start}, y = 0;
    while (__VERIFIER_nondet_int() & 7) {{
        if (x < {limit}) x = x + {step};
        else x = {start};
        y = x - {start};
    }}
    if (x > {limit} + {step} || y < 0) reach_error();
    return 0;
}}"
        ),
        3 => format!(
            "int count(int k) {{
    int r = 0;
    while (r < k) {{
        r = r + 1;
    }}
    return r;
}}
int main(void) {{
    int a = count({start});
    int b = count({limit} & __VERIFIER_nondet_int());
    if (a > {start} || b > {limit}) reach_error();
    return 0;
}}"
        ),
        4 => format!(
            "int total = 0;
int main(void) {{
    int i = 0;
    while (i < {limit}) {{
        int j = 0;
        while (j < (__VERIFIER_nondet_int() & {mask}) && total < 100) {{
            j = j + 1;
            total = total + 1;
        }}
        i = i + {step};
    }}
    if (total > 100 || total < 0 || i >= {limit} + {step}) reach_error();
    return 0;
}}"
        ),
        _ => format!(
            "int main(void) {{
    int t = {limit};
    {{
        int t = {start};
        while (t > 0) {{
            t = t - 1;
        }}
        if (t != 0) reach_error();
    }}
    while (__VERIFIER_nondet_int() & 3) {{
        if (t < {limit} + 20) t = t + {step};
    }}
    if (t < {limit} || t > {limit} + 20 + {step}) reach_error();
    return 0;
}}"
        ),
    }
}

#[test]
fn invariants_of_all_engines_are_true() {
    // Symbolic execution decides some of them without an invariant.
    let telling: usize = (0..40).map(|seed| are_true(&random(seed), auto())).sum();
    assert!(telling >= 8, "{telling} invariants say something");
}

#[test]
fn invariants_of_ic3_are_true() {
    let telling: usize = (20..30).map(|seed| are_true(&random(seed), alone())).sum();
    assert!(telling >= 4, "{telling} invariants say something");
}

#[test]
fn a_loop_that_is_called_twice_has_both_cases() {
    let text = "int count(int k) {
    int r = 0;
    while (r < k) {
        r = r + 1;
    }
    return r;
}
int main(void) {
    if (count(3) != 3) reach_error();
    if (count(5) != 5) reach_error();
    return 0;
}";
    let task = c(text, &[Property::Reach]);
    for invariant in invariants(&task, auto()).unwrap_or_default() {
        assert_eq!(invariant.function, "count");
        assert_eq!(invariant.place.line as usize, HEAD.lines().count() + 3);
    }
    are_true(text, auto());
    are_true(text, alone());
}

/// At a loop, a name means the variable that is in scope there.
#[test]
fn hidden_variables_are_not_named() {
    let text = "int x = 7;
int main(void) {
    int sum = 0;
    {
        int x = 100;
        while (x > 90) {
            x = x - 1;
            sum = sum + 1;
        }
        if (x != 90) reach_error();
    }
    while (sum < 20) {
        sum = sum + 1;
    }
    if (x != 7 || sum != 20) reach_error();
    return 0;
}";
    are_true(text, auto());
    are_true(text, alone());
}

#[test]
fn memory_without_a_name_is_left_out() {
    let text = "int main(void) {
    int a[4];
    int *p = a;
    int i = 0;
    while (i < 4) {
        p[i] = 3;
        i = i + 1;
    }
    if (i != 4) reach_error();
    return 0;
}";
    let task = c(text, &[Property::Reach]);
    for invariant in invariants(&task, alone()).unwrap_or_default() {
        assert!(!invariant.expression.contains('p'), "{invariant:?}");
    }
    are_true(text, auto());
}
