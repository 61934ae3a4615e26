//! Any bytes as a program: no panic; what is read can be printed and read, with the same text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use source::SourceMap;

fuzz_target!(|bytes: &[u8]| {
    let mut sources = SourceMap::new();
    let Ok(file) = sources.add("fuzz.ivl", bytes) else { return };
    match ivl::read(&sources, file) {
        Ok(program) => {
            let text = ivl::print(&program);
            let file = sources.add("again.ivl", text.as_bytes()).expect("a small text");
            let again = ivl::read(&sources, file).ok().expect("what we write, we read");
            assert_eq!(ivl::print(&again), text);
        }
        Err(errors) => errors.iter().for_each(|error| drop(error.render(&sources))),
    }
});
