//! Any bytes as a circuit: no panic; what is read is well-formed and can be written and read.
#![no_main]

use circuit::aiger;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(system) = aiger::read(bytes) else { return };
    system.check().expect("the reader yields well-formed systems");
    let written = aiger::write_binary(&system).expect("well-formed systems can be written");
    aiger::read(&written).expect("what we write, we read");
    let _ = aiger::read_witnesses(bytes);
});
