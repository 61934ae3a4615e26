//! The upgrade check of two versions: which summaries are asked about, what becomes of them, and that what
//! comes out is a proof of the new version.

mod programs;

use answer::Allowance;
use portable::Calls;
use program::Program;
use program::procedures::{ProcedureId, Procedures, Summaries};
use programs::{accepted, decide, lowered, procedures};
use smt::Standard;
use std::collections::BTreeMap;
use std::time::Duration;
use summary::upgrade::{Status, upgrade};
use summary::{Answer, Encoding, Means, Options};

/// A chain of calls, each in the middle of the next one.
fn chain(least: &str, middle: &str, wrong: &str) -> String {
    format!(
        "int least(int n) {{ {least} }}
         int middle(int n) {{ int r = least(n); {middle} }}
         int beside(int n) {{ if (n <= 0) return 0; int r = beside(n - 1); return r < 9 ? r + 1 : r; }}
         int main(void) {{
           int r = middle(__VERIFIER_nondet_int()) + beside(__VERIFIER_nondet_int());
           if ({wrong}) reach_error();
           return 0;
         }}"
    )
}

const LEAST: &str = "if (n <= 0) return 0; int r = least(n - 1); return r < 5 ? r + 1 : r;";
const MIDDLE: &str = "return r > 20 ? 20 : r;";
const WRONG: &str = "r < 0 || r > 40";

/// What is known of a version.
fn learned(text: &str) -> Calls {
    let program = lowered(text);
    let procedures = procedures(&program);
    let Answer::Safe(proof) = decide(&program, &procedures, &Options::default(), 20) else {
        panic!("it is safe: {text}")
    };
    Calls::of(&program, &program.pool, &procedures, &proof)
}

/// What came of another version: a proof that the checker accepts, and what became of the summaries.
fn upgraded(known: &Calls, text: &str) -> (bool, BTreeMap<String, Status>, usize) {
    let program = lowered(text);
    let procedures = procedures(&program);
    let options = Options::default();
    let encoding = Encoding::new(&program.pool, &procedures, &options);
    let on = known.on(&program, &program.pool, &procedures, &encoding.interfaces);
    let (believed, changed) = on.expect("it was written so");
    let allowance = Allowance::default().within(Duration::from_secs(20));
    let means = Means { solvers: &Standard, allowance };
    let upgraded = upgrade(&encoding, &options, &means, &believed, &changed).expect("no failure");
    let name = |id: ProcedureId| procedures.procedures[id].name.to_string();
    let statuses = upgraded.statuses.iter().map(|(id, status)| (name(*id), *status)).collect();
    let proved = upgraded.proof.is_some_and(|proof| accepts(&program, &procedures, &proof));
    (proved, statuses, upgraded.checks)
}

fn accepts(program: &Program, procedures: &Procedures, proof: &Summaries) -> bool {
    let accepted = accepted(program, procedures, proof);
    assert!(accepted, "the upgrade check says that it is a proof");
    accepted
}

#[test]
fn nobody_asks_where_nothing_has_changed() {
    let text = chain(LEAST, MIDDLE, WRONG);
    let known = learned(&text);
    let renamed = text.replace("int r = least(n)", "int r /* its result */ = least(n)");
    for text in [text, renamed] {
        let (proved, statuses, checks) = upgraded(&known, &text);
        assert!(proved && checks == 0, "{statuses:?}");
        assert!(statuses.values().all(|status| *status == Status::Untouched), "{statuses:?}");
    }
}

#[test]
fn a_summary_that_still_holds_is_asked_about_alone() {
    let known = learned(&chain(LEAST, MIDDLE, WRONG));
    let (proved, statuses, checks) =
        upgraded(&known, &chain(&LEAST.replace("5", "4"), MIDDLE, WRONG));
    assert!(proved, "{statuses:?}");
    assert_eq!((statuses["least"], checks), (Status::Holds, 1), "{statuses:?}");
    assert_eq!(statuses["main"], Status::Untouched);
}

#[test]
fn who_relied_on_a_lost_summary_is_asked_again() {
    let known = learned(&chain(LEAST, MIDDLE, WRONG));
    // What held of the least does not hold any more, but in the middle it is cut off.
    let least = "return n & 1023;";
    let middle = "return r > 20 ? 20 : r < 0 ? 0 : r;";
    let (proved, statuses, _) = upgraded(&known, &chain(least, middle, WRONG));
    assert!(proved, "{statuses:?}");
    assert_ne!(statuses.get("least"), Some(&Status::Untouched), "{statuses:?}");
    assert_eq!(statuses["beside"], Status::Untouched, "{statuses:?}");
}

#[test]
fn what_is_wrong_now_is_not_proved() {
    let known = learned(&chain(LEAST, MIDDLE, WRONG));
    for (least, middle, wrong) in [
        ("return -n;", MIDDLE, WRONG),
        (LEAST, "return r - 1;", WRONG),
        (LEAST, MIDDLE, "r == 12"),
        (LEAST, MIDDLE, "r == 0"),
    ] {
        let (proved, statuses, _) = upgraded(&known, &chain(least, middle, wrong));
        assert!(!proved, "{least} {middle} {wrong}: {statuses:?}");
    }
}

#[test]
fn a_function_may_go_and_another_come() {
    let known = learned(&chain(LEAST, MIDDLE, WRONG));
    let text = chain(LEAST, MIDDLE, WRONG).replace("least", "lowest");
    let (proved, statuses, _) = upgraded(&known, &text);
    // It is called by a name that nothing is known of, so whoever calls it has to unwind it.
    assert_ne!(statuses.get("middle"), Some(&Status::Untouched), "{statuses:?}");
    assert!(!proved || statuses["main"] != Status::Lost, "{statuses:?}");
}
