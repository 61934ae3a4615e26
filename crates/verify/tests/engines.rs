//! Every row of the table on the kit's cases.

use answer::Allowance;
use std::time::Duration;
use verify::Settings;
use verify::board::Reached;
use verify::engines::{CircuitCall, ENGINES, Engine, ProgramCall, Takes};

/// Engines that join where a program has floats: of integers that go in step they have to name every pair.
const FOR_FLOATS: &[&str] = &["icp"];

/// Whether an engine must decide what is known by thought: those that join, and can.
fn must_decide(engine: &dyn Engine) -> bool {
    let row = engine.row();
    row.joins && row.proves && row.refutes && !FOR_FLOATS.contains(&row.name)
}

/// What an engine may use for one case. Bounded model checking can't prove, and those that are there
/// for comparison may take long; they may give up, but not be wrong.
fn allowance(engine: &dyn Engine) -> Allowance {
    let time = if must_decide(engine) { 20_000 } else { 200 };
    Allowance::default().within(Duration::from_millis(time))
}

#[test]
fn programs() {
    let settings = Settings::default();
    // What takes the program itself is tested on programs in C and in our own form.
    let takes =
        |engine: &&&dyn Engine| engine.row().programs && engine.row().takes == Takes::Automaton;
    for engine in ENGINES.iter().filter(takes) {
        let row = engine.row();
        kit::engines::programs(row.name, must_decide(*engine), &|pool, cfa| {
            engine.program(&ProgramCall {
                pool,
                cfa,
                allowance: allowance(*engine),
                settings: &settings,
                reached: Reached::default(),
                findings: Default::default(),
                alone: true,
                in_turns: false,
            })
        });
    }
}

#[test]
fn circuits() {
    let settings = Settings::default();
    for engine in ENGINES.iter().filter(|engine| engine.row().circuits) {
        let row = engine.row();
        kit::engines::circuits(row.name, must_decide(*engine), &|system, property| {
            engine.circuit(&mut CircuitCall {
                system,
                property,
                allowance: allowance(*engine),
                settings: &settings,
                reached: Reached::default(),
            })
        });
    }
}
