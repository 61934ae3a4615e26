//! `cairn explain`: a result in words.

use crate::exit::Exit;
use crate::options::Explain;
use crate::output::{complain, print_all};
use report::explain::explain;
use report::result::{Document, Place};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

/// Explains what `cairn check --format json` printed.
pub fn run(arguments: &Explain) -> Exit {
    let name = arguments.run.display();
    let mut text = String::new();
    let read = if arguments.run.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(&arguments.run)
    };
    let text = match read {
        Ok(text) => text,
        Err(error) => {
            complain(&format!("{name}: {error}"));
            return Exit::Input;
        }
    };
    let document = match Document::read(&text) {
        Ok(document) => document,
        Err(error) => {
            complain(&format!("{name}: this is no result of cairn check --format json: {error}"));
            return Exit::Input;
        }
    };
    let sources = RefCell::new(HashMap::new());
    let line = |place: &Place| line_of(&mut sources.borrow_mut(), place);
    print_all(explain(&document, &line));
    Exit::Success
}

/// A line of a source file, if the file is still there.
fn line_of(sources: &mut HashMap<Arc<str>, Option<String>>, place: &Place) -> Option<String> {
    let read =
        || std::fs::read(&*place.file).ok().map(|b| String::from_utf8_lossy(&b).into_owned());
    let text = sources.entry(place.file.clone()).or_insert_with(read).as_ref()?;
    text.lines().nth((place.line as usize).checked_sub(1)?).map(str::to_owned)
}
