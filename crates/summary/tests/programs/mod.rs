//! Small programs for the tests of summaries.

use answer::Allowance;
use front_c::compile::{Input, compile};
use front_c::types::DataModel;
use program::model;
use program::procedures::{Procedures, Summaries};
use program::{Program, Property};
use smt::Standard;
use std::time::Duration;
use summary::search::Search;
use summary::{Answer, Encoding, Means, Options};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nvoid reach_error(void);\n";

/// The program that a text is.
pub fn lowered(text: &str) -> Program {
    let text = format!("{HEAD}{text}");
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

/// Its procedures, with recursion in the place of loops.
pub fn procedures(program: &Program) -> Procedures {
    let properties = [Property::Reach].into();
    let options = model::Options { properties, ..model::Options::default() };
    let procedures = model::procedures(program, &options).expect("it has a model");
    let procedures = procedures.with_loops_as_recursion(&program.pool);
    assert_eq!(procedures.wellformed(&program.pool), Ok(()));
    procedures
}

/// What summaries say of it.
pub fn decide(program: &Program, procedures: &Procedures, options: &Options, time: u64) -> Answer {
    let encoding = Encoding::new(&program.pool, procedures, options);
    let allowance = Allowance::default().within(Duration::from_secs(time));
    let means = Means { solvers: &Standard, allowance };
    Search::new(&encoding, options, &means).decide(&encoding.checks)
}

/// Whether the checker accepts them.
pub fn accepted(program: &Program, procedures: &Procedures, summaries: &Summaries) -> bool {
    certify::check_summaries(&program.pool, procedures, summaries, &Allowance::default()).is_ok()
}
