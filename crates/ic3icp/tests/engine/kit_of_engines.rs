//! The kit: verdicts are right, proofs are accepted and damaged ones are not, runs are runs.
//!
//! Not all that is known by thought is decided in the time given: that two counters go in step can't be said
//! by bounds, but for every value of them.

use super::options;
use answer::Allowance;
use smt::Standard;
use std::time::Duration;

fn kit(text: &str) {
    let options = options(text);
    kit::engines::programs(text, false, &|pool, cfa| {
        let allowance = Allowance::default().within(Duration::from_millis(1500));
        ic3icp::check(pool, cfa, &options, &Standard, &allowance, &mut ())
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
