//! Decides the bad properties of an AIGER file and prints statistics:
//! `check FILE [SECONDS] [NAME=VALUE]...`, with names from `ic3::settings`. For measuring
//! strategies against each other.

use circuit::verdict::Verdict;
use ic3::{Options, Statistics, check_system};
use sat::Allowance;
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let seconds: f64 = arguments.next().map_or(Ok(60.0), |s| s.parse())?;
    let mut options = Options::default();
    for setting in arguments {
        options.assign(&setting)?;
    }
    let system = circuit::aiger::read(&std::fs::read(&file)?)?;
    for bad in 0..system.bads.len() {
        let begun = Instant::now();
        let mut statistics = Statistics::default();
        let allowance = Allowance::default().within(Duration::from_secs_f64(seconds));
        let verdict = check_system(&system, bad, &options, &allowance, &mut statistics)?;
        let word = match &verdict {
            Verdict::Safe(_) => "safe".to_owned(),
            Verdict::Unsafe(trace) => {
                circuit::replay(&system, trace, bad)?;
                format!("unsafe at {}", trace.inputs.len() - 1)
            }
            Verdict::Unknown(reason) => format!("unknown: {reason}"),
        };
        println!("{bad}: {word} after {:.2} s", begun.elapsed().as_secs_f64());
        println!("{statistics:?}");
    }
    Ok(())
}
