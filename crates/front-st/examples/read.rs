//! Reads files of Structured Text and says what is wrong with them.
//!
//! ```text
//! cargo run -p cairn-front-st --example read -- [--dialect NAME] [--lower] FILE…
//! ```
//!
//! With `--lower`, they are also typed and lowered, each on its own.

use front_st::compile::{Settings, Text, compile};
use front_st::dialect::Dialect;
use front_st::parse::parse;
use source::SourceMap;
use std::collections::BTreeSet;

fn main() {
    let mut dialect: Option<Dialect> = None;
    let (mut accepted, mut count) = (0, 0);
    let mut lower = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--dialect" {
            dialect = arguments.next().and_then(|name| name.parse().ok());
            continue;
        }
        if argument == "--lower" {
            lower = true;
            continue;
        }
        let bytes = std::fs::read(&argument).expect("the file can be read");
        count += 1;
        let (sources, result) = if lower {
            let settings = Settings { dialect, ..Settings::default() };
            let texts = vec![Text { name: argument.clone(), bytes }];
            let compiled = compile(texts, None, &BTreeSet::new(), &settings);
            (compiled.sources, compiled.lowered.map(drop))
        } else {
            let mut sources = SourceMap::new();
            let file = sources.add(&argument, bytes).expect("the file is small");
            let unit = parse(&sources, &[file], dialect).map(drop);
            (sources, unit)
        };
        match result {
            Ok(()) => accepted += 1,
            Err(errors) => {
                println!("{argument}: {} errors", errors.len());
                errors.iter().for_each(|error| print!("{}", error.render(&sources)));
            }
        }
    }
    println!("{accepted} of {count} accepted");
}
