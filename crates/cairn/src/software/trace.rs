//! A run in the words of the program: the unknown values that it takes, in order, and where it fails.

use program::interpret::Part;
use report::counterexample::{Counterexample, written};

/// Prints a line for every unknown value of a run, the open calls, and the violation.
pub fn print(run: &Counterexample) {
    for taken in run.taken.iter().filter(|taken| taken.part == Part::Whole) {
        let value = written(&taken.value, taken.reading);
        println!("{}: {} = {value}", taken.place, taken.what());
    }
    for (function, place) in &run.stack {
        println!("{place}: in {function}");
    }
    if let Some(property) = run.property {
        println!("{}: violation of {property}", run.place);
    }
}
