//! Any bytes as a word-level system: no panic; what is read can be written, read and lowered.
#![no_main]

use circuit::btor2;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = btor2::witness::read_witness(bytes);
    let Ok(system) = btor2::read(bytes) else { return };
    btor2::read(&btor2::write(&system)).expect("what we write, we read");
    // Wide arithmetic is slow to build, and not what is looked for here.
    let narrow = system.nodes().iter().all(|n| n.sort.width().is_some_and(|w| w <= 16));
    if narrow && let Ok(lowered) = btor2::lower(&system) {
        lowered.system.check().expect("lowering yields well-formed systems");
    }
});
