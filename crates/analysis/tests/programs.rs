//! Small C programs: what the analysis proves by itself, what k-induction proves with it, and that
//! `certify` agrees with both.

use analysis::{Analysis, Options, analyze};
use bounded::{ProgramBmc, ProgramInduction};
use certify::check_program;
use front_c::compile::{Input, compile};
use front_c::types::DataModel;
use program::minimize::{self, Minimized};
use program::model::{self, Model};
use program::parameters::parameters;
use program::verdict::{Invariant, Proof, Verdict};
use program::{Cfa, Program};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use smt::{Allowance, Standard};
use term::traverse::disjuncts;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
void reach_error(void);
void check(int c) { if (!c) reach_error(); }
";

struct Case {
    program: Program,
    model: Model,
    minimized: Minimized,
}

fn case(body: &str) -> Case {
    let text = format!("{HEAD}int main(void) {{ {body} return 0; }}").into_bytes();
    let input = Input::Text { name: "case.c".to_owned(), text };
    let options = front_c::compile::Options::new(DataModel::Lp64);
    let compiled = compile(&[input], &options).expect("a text can be read");
    let typed = compiled.program.as_ref().expect("the case is correct C");
    let Ok(lowered) =
        front_c::lower::lower(typed, &compiled.sources, &front_c::lower::Options::default())
    else {
        panic!("the case can be lowered");
    };
    let program = lowered.program;
    let model = model::model(&program, &model::Options::default()).expect("the case is small");
    let minimized = minimize::minimize(&program.pool, &model.cfa, &minimize::Options::default());
    Case { program, model, minimized }
}

impl Case {
    fn analyze(&self, options: &Options) -> Analysis {
        let (pool, cfa) = (&self.program.pool, &self.minimized.cfa);
        let found =
            analyze(pool, cfa, options, &Standard, &Allowance::default()).expect("no solver fails");
        self.is_inductive(&found.invariant);
        found
    }

    /// Lets `certify` check that an invariant is inductive, whether it proves anything or not.
    fn is_inductive(&self, invariant: &Invariant) {
        let (pool, cfa) = (&self.program.pool, &self.minimized.cfa);
        let at = cfa.locations.iter().map(|(location, _)| {
            let formulas = invariant.at.get(location).cloned();
            (location, formulas.unwrap_or_else(|| vec![pool.tru()]))
        });
        let proof = Proof::Inductive(Invariant { at: at.collect() });
        let harmless = Cfa { error: None, ..cfa.clone() };
        check_program(pool, &harmless, &proof, &Allowance::default())
            .unwrap_or_else(|rejection| panic!("{rejection}"));
    }

    /// k-induction with the invariants of the analysis; k if it proves the program.
    fn induction(&self, options: &Options, bound: usize) -> Result<Option<usize>, ()> {
        let (pool, cfa) = (&self.program.pool, &self.minimized.cfa);
        let found = self.analyze(options);
        let mut engine = ProgramInduction::new(pool, cfa, &found.invariant, &Standard)
            .expect("there is an error");
        match engine.check(bound, &mut ()) {
            Verdict::Unsafe(_) => Err(()),
            Verdict::Safe(Proof::KInductive { k, invariant }) => {
                let accepted = |proof: Proof| {
                    let cfa = &self.model.cfa;
                    check_program(pool, cfa, &proof, &Allowance::default())
                };
                let lifted = self.minimized.lift_invariant(pool, &invariant);
                let proof = Proof::KInductive { k, invariant: lifted.clone() };
                accepted(proof).unwrap_or_else(|rejection| panic!("k = {k}: {rejection}"));
                if k > 1 {
                    // A smaller k would have been found before.
                    let proof = Proof::KInductive { k: k - 1, invariant: lifted };
                    assert!(accepted(proof).is_err(), "{}-induction is accepted", k - 1);
                }
                Ok(Some(k))
            }
            Verdict::Safe(_) => Ok(Some(0)),
            Verdict::Unknown(_) => Ok(None),
        }
    }
}

fn only(ranges: bool, zones: bool, guards: bool) -> Options {
    Options { ranges, zones, guards, ..Options::default() }
}

#[test]
fn ranges_bound_counters() {
    let body = "int i = 0; while (i < 100) { i = i + 1; } check(i == 100);";
    assert!(case(body).analyze(&only(true, false, false)).safe);
    let body = "unsigned i = 100; while (i > 3) { i = i - 1; } check(i == 3);";
    assert!(case(body).analyze(&only(true, false, false)).safe);
    let body = "int i = 0; while (i < 100) { i = i + 1; } check(i == 101);";
    assert!(!case(body).analyze(&Options::default()).safe);
}

#[test]
fn residues_survive_overflow() {
    let body =
        "unsigned x = 1; while (__VERIFIER_nondet_int()) { x = x * 5 + 4; } check(x % 4 == 1);";
    assert!(case(body).analyze(&only(true, false, false)).safe);
    let body = "unsigned x = 0; while (__VERIFIER_nondet_int()) { x += 3; } check(x % 3 == 0);";
    assert!(!case(body).analyze(&Options::default()).safe, "3 does not divide 2^32");
}

#[test]
fn differences_are_kept() {
    let body = "int x = __VERIFIER_nondet_int(), y = x; __VERIFIER_assume(x > 0 && x < 1000);
        while (__VERIFIER_nondet_int()) { x++; y++; if (x > 100000) break; } check(x == y);";
    assert!(case(body).analyze(&only(false, true, false)).safe);
}

#[test]
fn guards_become_invariants() {
    let body = "int n = __VERIFIER_nondet_int(), i = 0; __VERIFIER_assume(n >= 0);
        while (i < n) { i++; } check(i == n);";
    assert!(case(body).analyze(&only(false, false, true)).safe);
}

#[test]
fn k_induction_needs_several_steps() {
    // Three values in turn: what was two rounds ago decides.
    let body = "int a = 1, b = 2, c = 3;
        while (__VERIFIER_nondet_int()) { int t = a; a = b; b = c; c = t; check(a != b); }";
    let none = only(false, false, false);
    let k = case(body).induction(&none, 10).expect("the program is safe").expect("k-inductive");
    assert!(k > 1, "k = {k}");
    let body = "int a = 1, b = 2, c = 3;
        while (__VERIFIER_nondet_int()) { int t = a; a = b; b = c; c = t; check(a != 3); }";
    assert!(case(body).induction(&none, 10).is_err(), "the third round violates it");
}

#[test]
fn invariants_help_k_induction() {
    let body = "unsigned i = 0, s = 0;
        while (i < 1000) { i += 2; s = (s + i) % 8; } check(i == 1000 && s < 8);";
    let none = only(false, false, false);
    assert_eq!(case(body).induction(&none, 4), Ok(None));
    assert!(case(body).induction(&Options::default(), 4).expect("safe").is_some());
}

#[test]
fn polynomial_equations_are_found() {
    // The sum of the first numbers is nowhere said in the loop.
    let case = case(
        "unsigned n = __VERIFIER_nondet_uint(), s = 0, i = 0, t;
         while (i != n) { s = s + i; i = i + 1; }
         t = n * (n - 1);
         check(2 * s == t);",
    );
    let equations = Options { ranges: false, zones: false, guards: false, ..Options::default() };
    assert!(case.analyze(&equations).safe);
    assert!(!case.analyze(&Options { equations: false, ..Options::default() }).safe);
}

#[test]
fn asserted_equations_are_multiplied() {
    let case = case(
        "unsigned z = __VERIFIER_nondet_uint(), k = __VERIFIER_nondet_uint(), x = 1, y = z, c = 1;
         while (1) {
             check(x * z - x - y + 1 == 0);
             if (c >= k) break;
             c = c + 1; x = x * z + 1; y = y * z;
         }
         x = x * (z - 1);
         check(1 + x - y == 0);",
    );
    assert!(case.analyze(&Options::default()).safe);
}

#[test]
fn a_loop_is_not_widened_by_the_one_before() {
    let case = case(
        "int i = 0, j = 0;
         while (__VERIFIER_nondet_int() && i < 1000000) i++;
         if (i >= 100) return 0;
         while (__VERIFIER_nondet_int() && i < 1000000) { i++; j++; }
         if (j >= 100) return 0;
         check(i < 200);",
    );
    assert!(case.analyze(&Options::default()).safe);
}

#[test]
fn tests_are_about_what_is_assigned_after_them() {
    // The program tests the input that it gives the variable.
    let case = case(
        "int n = __VERIFIER_nondet_int(), l = __VERIFIER_nondet_int();
         if (l <= 0) return 0;
         if (l >= 1000000) return 0;
         if (n >= 1000000) return 0;
         for (int k = 1; k < n; k++) {
             for (int i = l; i < n; i++) check(1 <= i);
             if (__VERIFIER_nondet_int()) l = l + 1;
         }",
    );
    assert!(case.analyze(&Options::default()).safe);
}

#[test]
fn elements_of_arrays_keep_properties() {
    let large = "int n = __VERIFIER_nondet_int(), i, f = 1; if (n < 0 || n > 100000) return 0;";
    // Each with the hole that makes it wrong.
    for (body, right, wrong) in [
        (
            "for (i = 0; i < n; i++) a[i] = 7; for (i = 0; i HOLE n; i++) check(a[i] == 7);",
            "<",
            "<=",
        ),
        (
            "for (i = 0; i < n; i++) a[i] = i; for (i = 0; i < n; i++) check(a[i] HOLE i);",
            "==",
            ">",
        ),
        (
            "for (i = n - 1; i HOLE 0; i--) a[i] = 7; for (i = 0; i < n; i++) check(a[i] == 7);",
            ">=",
            ">",
        ),
        (
            "for (i = HOLE; i < n; i++) b[i] = a[i] + 1; for (i = 0; i < n; i++) check(b[i] == a[i] + 1);",
            "0",
            "1",
        ),
        (
            "for (i = 0; i < n; i++) if (a[i] != b[i]) f = HOLE; \
          if (f) for (i = 0; i < n; i++) check(a[i] == b[i]);",
            "0",
            "1",
        ),
        (
            "int m = a[0]; for (i = 0; i < n; i++) if (a[i] HOLE m) m = a[i]; \
          for (i = 0; i < n; i++) check(a[i] <= m);",
            ">",
            "<",
        ),
    ] {
        let with = |hole: &str| {
            case(&format!("int a[100001], b[100001]; {large} {}", body.replace("HOLE", hole)))
        };
        let right = with(right);
        assert!(right.analyze(&Options::default()).safe, "{body}");
        assert!(!right.analyze(&Options { elements: false, ..Options::default() }).safe, "{body}");
        assert!(!with(wrong).analyze(&Options::default()).safe, "{body}");
    }
}

/// Short loops over arrays: whatever is proved of their elements, no run contradicts.
#[test]
fn proofs_about_elements_are_right() {
    let mut rng = StdRng::seed_from_u64(5);
    let (mut proved, mut violated) = (0, 0);
    for _ in 0..100 {
        let pick =
            |rng: &mut StdRng, from: &[&str]| from[rng.random_range(0..from.len())].to_owned();
        let mut body = String::from(
            "int a[100], b[100], i, n = __VERIFIER_nondet_int(); if (n < 0 || n > 4) return 0;",
        );
        let mut last = Default::default();
        for _ in 0..rng.random_range(1..3) {
            let (low, high) =
                (pick(&mut rng, &["0", "0", "1"]), pick(&mut rng, &["4", "n", "n", "3"]));
            let array = pick(&mut rng, &["a", "b"]);
            let value = pick(
                &mut rng,
                &["7", "i", "n", "a[i]", "b[i]", "a[i] + 1", "__VERIFIER_nondet_int()"],
            );
            let range = match rng.random() {
                true => format!("for (i = {low}; i < {high}; i++)"),
                false => format!("for (i = {high} - 1; i >= {low}; i--)"),
            };
            body += &format!("{range} {array}[i] = {value};");
            last = (range, array, value);
        }
        let kept = rng.random_range(0..3) > 0 && !last.2.contains('(');
        let claim = match kept {
            true => format!("{}[i] == {}", last.1, last.2),
            false => pick(&mut rng, &["a[i] == 7", "a[i] == i", "a[i] == b[i]", "a[i] >= i"]),
        };
        let range = match kept && rng.random_range(0..4) > 0 {
            true => last.0,
            false => format!("for (i = 0; i < {}; i++)", pick(&mut rng, &["4", "n", "3"])),
        };
        body += &format!("{range} check({claim});");
        let case = case(&body);
        let found = case.analyze(&Options { conflicts: 100, ..Options::default() });
        let (pool, cfa) = (&case.program.pool, &case.minimized.cfa);
        let mut search = ProgramBmc::new(pool, cfa, &Standard).expect("there is an error location");
        let truth = search.check(usize::MAX, &mut ());
        let unsafe_run = matches!(truth, Verdict::Unsafe(_));
        assert!(unsafe_run || matches!(truth, Verdict::Safe(_)), "{body}: {truth:?}");
        assert!(!(found.safe && unsafe_run), "{body}");
        if found.safe {
            let lifted = case.minimized.lift_invariant(pool, &found.invariant);
            let proof = Proof::Inductive(lifted);
            check_program(pool, &case.model.cfa, &proof, &Allowance::default())
                .unwrap_or_else(|rejection| panic!("{body}: {rejection}"));
        }
        proved += usize::from(found.safe);
        violated += usize::from(unsafe_run);
    }
    assert!(proved > 20 && violated > 20, "{proved} proved, {violated} violated");
}

/// What is claimed of more elements than the program has written is not accepted.
#[test]
fn damaged_claims_about_elements_are_rejected() {
    let case = case(
        "int a[1000], i, n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0;
         for (i = 0; i < n; i++) a[i] = 7;
         for (i = 0; i < n; i++) check(a[i] == 7);",
    );
    let (pool, cfa) = (&case.program.pool, &case.minimized.cfa);
    let found = case.analyze(&Options::default());
    let accepts = |invariant: &Invariant| {
        let proof = Proof::Inductive(invariant.clone());
        check_program(pool, cfa, &proof, &Allowance::default()).is_ok()
    };
    assert!(accepts(&found.invariant));
    let mut damaged = 0;
    for (location, formulas) in found.invariant.at.iter() {
        for (n, &formula) in formulas.iter().enumerate() {
            if parameters(pool, cfa, &[formula]).is_empty() {
                continue;
            }
            for part in disjuncts(pool, formula) {
                let mut invariant = found.invariant.clone();
                invariant.at[location][n] = part;
                assert!(!accepts(&invariant));
                damaged += 1;
            }
        }
    }
    assert!(damaged >= 4, "{damaged}");
}

/// A list of nodes with a number, by a function that appends to it.
fn list(rounds: &str, after: &str) -> Case {
    case(&format!(
        "struct node {{ int value; struct node *next; }};
         extern void *malloc(unsigned long);
         int flag = __VERIFIER_nondet_int();
         struct node *all = 0;
         while (__VERIFIER_nondet_int()) {{
             struct node *new = malloc(sizeof *new);
             {rounds}
             new->next = all;
             all = new;
         }}
         for (struct node *p = all; p; p = p->next) {{ {after} }}"
    ))
}

#[test]
fn nodes_of_lists_without_a_bound_are_known() {
    let safe = [
        ("new->value = 1;", "check(p->value == 1);"),
        ("new->value = flag ? 2 : 3;", "check(p->value == 2 || p->value == 3);"),
        ("if (flag) new->value = 2; else new->value = 3;", "if (flag) check(p->value == 2);"),
        (
            "int x = __VERIFIER_nondet_int(); if (x < 5 || x > 9) x = 7; new->value = x;",
            "check(p->value >= 5 && p->value < 10);",
        ),
    ];
    for (rounds, after) in safe {
        assert!(list(rounds, after).analyze(&Options::default()).safe, "{rounds} {after}");
    }
}

#[test]
fn nodes_of_lists_that_differ_are_seen() {
    let violated = [
        // Nobody writes it.
        ("", "check(p->value == 1);"),
        ("new->value = 1; if (flag == 7) new->value = 2;", "check(p->value == 1);"),
        ("new->value = flag;", "check(p->value == 0);"),
        // The first node is changed later.
        ("new->value = 1; if (all) all->value = 2;", "check(p->value == 1);"),
    ];
    for (rounds, after) in violated {
        assert!(!list(rounds, after).analyze(&Options::default()).safe, "{rounds} {after}");
    }
}
