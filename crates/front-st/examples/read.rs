//! Reads files of Structured Text and says what is wrong with them.
//!
//! ```text
//! cargo run -p cairn-front-st --example read -- [--dialect NAME] FILE…
//! ```

use front_st::dialect::Dialect;
use front_st::parse::parse;
use source::SourceMap;

fn main() {
    let mut dialect: Option<Dialect> = None;
    let (mut accepted, mut count) = (0, 0);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--dialect" {
            dialect = arguments.next().and_then(|name| name.parse().ok());
            continue;
        }
        let mut sources = SourceMap::new();
        let text = std::fs::read(&argument).expect("the file can be read");
        let file = sources.add(&argument, text).expect("the file is small");
        count += 1;
        match parse(&sources, &[file], dialect) {
            Ok(_) => accepted += 1,
            Err(errors) => {
                println!("{argument}: {} errors", errors.len());
                errors.iter().for_each(|error| print!("{}", error.render(&sources)));
            }
        }
    }
    println!("{accepted} of {count} accepted");
}
