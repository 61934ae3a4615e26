//! The kit: verdicts are right, proofs are accepted and damaged ones are not, runs are runs.

use super::options;
use answer::Allowance;
use smt::Standard;

fn kit(text: &str) {
    let options = options(text);
    kit::engines::programs(text, true, &|pool, cfa| {
        ic3icp::check(pool, cfa, &options, &Standard, &Allowance::default(), &mut ())
    });
}

#[test]
fn by_default() {
    kit("ind=2");
}

#[test]
fn by_bit_blasting() {
    kit("solver=blast");
}

#[test]
fn without_a_suffix() {
    kit("ind=0 abort=off");
}
