//! Any bytes as an SMT-LIB script: no panic; what is read can be printed and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use term::{Pool, print, smtlib};

fuzz_target!(|bytes: &[u8]| {
    let pool = Pool::new();
    let Ok(script) = smtlib::parse(&pool, bytes) else { return };
    let assertions: Vec<_> = script.assertions().collect();
    let text = print::script(&pool, None, &assertions);
    smtlib::parse(&pool, text.as_bytes()).expect("what we print, we read");
});
