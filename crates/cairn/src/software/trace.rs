//! A run in the words of the program: the unknown values that it takes, in order, and where it fails.

use program::interpret::Part;
use report::counterexample::{Counterexample, written};

/// The most values that are printed; witnesses and harnesses have all of them.
const MAX_LINES: usize = 1000;

/// Prints a line for every unknown value of a run, the open calls, and the violation.
pub fn print(run: &Counterexample) {
    let mut values = run.taken.iter().filter(|taken| taken.part == Part::Whole);
    for taken in values.by_ref().take(MAX_LINES) {
        let value = written(&taken.value, taken.reading);
        println!("{}: {} = {value}", taken.place, taken.what());
    }
    match values.count() {
        0 => {}
        more => println!("... and {more} more values"),
    }
    for (function, place) in &run.stack {
        println!("{place}: in {function}");
    }
    if let Some(property) = run.property {
        println!("{}: violation of {property}", run.place);
    }
}
