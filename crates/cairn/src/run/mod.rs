//! `cairn run`: executes a program or a circuit with inputs that are given, and prints what comes of it.
//!
//! * [`cyclic`]: a controller's program, cycle by cycle;
//! * [`program`]: a program that takes unknown values, in order;
//! * [`circuit`]: a circuit along a trace.

mod circuit;
mod cyclic;
mod program;

use crate::check::failed;
use crate::exit::Exit;
use crate::options::{Run, Tables};
use crate::output::print_all;
use serde_json::Value;
use verify::Rejection;

/// What is printed, and how it ended.
type Printed = Result<(String, Exit), Rejection>;

/// Executes and prints.
pub fn run(arguments: &Run, tables: Tables) -> Exit {
    match printed(arguments, tables) {
        Ok((text, exit)) => {
            print_all(&text);
            exit
        }
        Err(rejection) => failed(&rejection.into(), 0),
    }
}

fn printed(arguments: &Run, tables: Tables) -> Printed {
    let language = tables.language(arguments.lang.as_deref(), &arguments.files);
    let language = language.map_err(Rejection::new)?;
    let sources = arguments.c.build.sources(&arguments.files).map_err(Rejection::new)?;
    let reading = arguments.c.reading(language, &sources)?;
    if language.has_clauses() {
        let message = format!("nothing is executed of {}", language.name());
        return Err(Rejection::new(message));
    }
    if language.option() == "st" {
        return cyclic::printed(arguments, &sources.files, &reading);
    }
    if arguments.html.is_some() || arguments.csv.is_some() {
        let message = "pages and tables of cycles are made of programs of controllers";
        return Err(Rejection::new(message));
    }
    if language.has_programs() {
        program::printed(arguments, language, &sources.files, &reading)
    } else {
        circuit::printed(arguments, language, &sources.files, &reading)
    }
}

/// The list that the file of inputs has.
fn list(arguments: &Run) -> Result<Vec<Value>, Rejection> {
    let text = std::fs::read_to_string(&arguments.inputs);
    let text = text.map_err(|error| wrong(arguments, &error.to_string()))?;
    match serde_json::from_str(&text) {
        Ok(Value::Array(list)) => Ok(list),
        Ok(_) => Err(wrong(arguments, "expected a list")),
        Err(error) => Err(wrong(arguments, &error.to_string())),
    }
}

fn wrong(arguments: &Run, what: &str) -> Rejection {
    Rejection::new(format!("{}: {what}", arguments.inputs.display()))
}
