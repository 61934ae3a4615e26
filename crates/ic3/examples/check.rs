//! Decides all bad properties of an AIGER file: `check FILE [SECONDS]`, with statistics.

use ic3::{Ic3, Options, Statistics};
use sat::cone::ConeSolver;
use sat::{Interrupt, Limits};
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let seconds: f64 = arguments.next().map_or(Ok(60.0), |s| s.parse())?;
    let system = circuit::aiger::read(&std::fs::read(&file)?)?;
    for bad in 0..system.bads.len() {
        let begun = Instant::now();
        let mut statistics = Statistics::default();
        let mut engine = Ic3::<ConeSolver>::new(&system, bad, Options::default(), &mut statistics);
        let limits = Limits {
            deadline: Some(begun + Duration::from_secs_f64(seconds)),
            ..Limits::default()
        };
        engine.set_limits(limits, Interrupt::new());
        let verdict = engine.check();
        let word = match &verdict {
            circuit::verdict::Verdict::Safe(_) => "safe".to_owned(),
            circuit::verdict::Verdict::Unsafe(trace) => {
                circuit::replay(&system, trace, bad)?;
                format!("unsafe at {}", trace.inputs.len() - 1)
            }
            circuit::verdict::Verdict::Unknown(reason) => format!("unknown: {reason}"),
        };
        println!("{bad}: {word} after {:.2} s", begun.elapsed().as_secs_f64());
        println!("{statistics:?}");
    }
    Ok(())
}
