//! Any bytes as Structured Text or PLCopen XML: no panic; what is read as text can be printed and
//! read, with the same text.
#![no_main]

use front_st::dialect::Dialect;
use front_st::{parse, print};
use libfuzzer_sys::fuzz_target;
use source::SourceMap;

fuzz_target!(|bytes: &[u8]| {
    for dialect in [Dialect::Iec, Dialect::Scl] {
        let mut sources = SourceMap::new();
        let Ok(file) = sources.add("fuzz.st", bytes) else { return };
        match parse::parse(&sources, &[file], Some(dialect)) {
            Ok(unit) => {
                if bytes.trim_ascii_start().starts_with(b"<") {
                    continue;
                }
                let text = print::unit(&unit);
                let file = sources.add("again.st", text.as_bytes()).expect("a small text");
                let again = parse::parse(&sources, &[file], Some(dialect));
                let again = again.ok().expect("what we print, we read");
                assert_eq!(print::unit(&again), text);
            }
            Err(errors) => errors.iter().for_each(|error| drop(error.render(&sources))),
        }
        let _ = parse::expression(&sources, file, dialect);
    }
});
