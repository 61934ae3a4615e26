//! Any bytes as a preprocessed C file: no panic, and an error for everything that is no program.
#![no_main]

use front_c::compile::{Input, Options, compile};
use front_c::types::DataModel;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let input = Input::Text { name: "input.i".into(), text: bytes.to_vec() };
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        let compiled = compile(&[input.clone()], &Options::new(model)).expect("small files are read");
        assert!(compiled.program.is_some() || compiled.errors().next().is_some());
    }
});
