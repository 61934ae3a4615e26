//! Every row of the table on the kit's cases.

use answer::Allowance;
use std::time::Duration;
use verify::Settings;
use verify::board::Reached;
use verify::engines::{CircuitCall, ENGINES, Engine, ProgramCall};

/// What an engine may use for one case.
fn allowance() -> Allowance {
    Allowance::default().within(Duration::from_secs(10))
}

/// Bounded model checking alone can't prove, and is told to stop by its allowance: a short one.
fn patience(engine: &dyn Engine) -> Allowance {
    match engine.row().proves {
        true => allowance(),
        false => Allowance::default().within(Duration::from_millis(300)),
    }
}

#[test]
fn programs() {
    let settings = Settings::default();
    for engine in ENGINES.iter().filter(|engine| engine.row().programs) {
        let row = engine.row();
        kit::engines::programs(row.name, row.proves && row.refutes, &|pool, cfa| {
            engine.program(&ProgramCall {
                pool,
                cfa,
                allowance: patience(*engine),
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
        kit::engines::circuits(row.name, row.proves && row.refutes, &|system, property| {
            engine.circuit(&mut CircuitCall {
                system,
                property,
                allowance: patience(*engine),
                settings: &settings,
                reached: Reached::default(),
            })
        });
    }
}
