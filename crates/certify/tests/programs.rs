//! Invariants that leave out loops: accepted where no run goes round them, and only there.

use certify::{ProgramRejection, check_program};
use program::cfa::{Cfa, LocationId};
use program::model::{self, build};
use program::verdict::{Invariant, Proof};
use program::{Program, Property};
use sat::Allowance;
use source::SourceMap;
use term::Term;

/// Counts to ten for ever. Another round of the loop within begins where `again` is set.
const ROUNDS: &str = "function main() {
  var n: bv8, sum: bv8, again: bool

    n := 0 -> head
  head: loop
    sum := n -> within
  within:
    sum := sum + 1
    again := HOLE
    assume again -> within
    assume !again -> after
  after:
    n := sum
    check assert: n <=u 10
    assume n == 10 -> restart
    assume n != 10 -> head
  restart:
    n := 0 -> head
}
";

fn read(text: &str) -> (Program, Cfa) {
    let mut sources = SourceMap::new();
    let file = sources.add("rounds.ivl", text.as_bytes().to_vec()).expect("it is small");
    let program = ivl::read(&sources, file).unwrap_or_else(|errors| {
        let errors: Vec<String> = errors.iter().map(|error| error.render(&sources)).collect();
        panic!("{}\n{text}", errors.join("\n"))
    });
    let options = model::Options { properties: [Property::Assert].into(), ..Default::default() };
    let cfa = build(&program, &options).expect("it has a model");
    (program, cfa)
}

/// What is said of `n <= limit` at the head of the outer loop, and nothing within.
fn check(hole: &str, limit: u64) -> Result<(), ProgramRejection> {
    let (program, cfa) = read(&ROUNDS.replace("HOLE", hole));
    let pool = &program.pool;
    let of = |name: &str| cfa.variables.iter().find(|(_, origin)| &*origin.name == name);
    let n: Term = *of("n").expect("the program has it").0;
    let mut heads = cfa.locations.iter().filter(|(_, location)| location.loop_head);
    let head: LocationId = heads.next().expect("one loop is marked").0;
    let mut invariant = Invariant::default();
    invariant.at.insert(head, vec![pool.bv_ule(n, pool.bv(limit, 8))]);
    check_program(pool, &cfa, &Proof::Inductive(invariant), &Allowance::default())
}

#[test]
fn a_loop_that_no_run_goes_round_needs_no_invariant() {
    check("false", 9).expect("nobody goes round");
    check("sum >u 10", 9).expect("nobody goes round, as the sum is at most ten");
}

#[test]
fn a_loop_that_a_run_goes_round_needs_one() {
    for (hole, limit) in [("any input more", 9), ("sum == 10", 9), ("sum >u 10", 10), ("true", 9)] {
        let answer = check(hole, limit);
        assert!(matches!(answer, Err(ProgramRejection::Uncut(_))), "{hole}: {answer:?}");
    }
}

#[test]
fn what_follows_such_a_loop_is_checked() {
    let answer = check("false", 8);
    assert!(matches!(answer, Err(ProgramRejection::Consecution { .. })), "{answer:?}");
    let answer = check("false", 10);
    assert!(matches!(answer, Err(ProgramRejection::Safety(_))), "{answer:?}");
}
