//! Decides the bad properties of an AIGER file and prints statistics:
//! `check FILE [SECONDS] [jobs=N] [OPTION=VALUE]...`. For measuring strategies against each other.

use circuit::verdict::Verdict;
use ic3::options::{CtgLimits, Generalization, Lifting, Options, Ordering, Preprocessing};
use ic3::{Statistics, check_with_team};
use sat::Allowance;
use std::error::Error;
use std::time::{Duration, Instant};

fn set(options: &mut Options, setting: &str) -> Result<(), Box<dyn Error>> {
    let (name, value) = setting.split_once('=').ok_or("OPTION=VALUE")?;
    match (name, value) {
        ("seed", n) => options.seed = n.parse()?,
        ("pre", "cone") => options.preprocessing = Preprocessing::Cone,
        ("pre", "sweep") => options.preprocessing = Preprocessing::Sweep,
        ("gen", "core") => options.generalization = Generalization::Core,
        ("gen", "prime") => options.generalization = Generalization::PrimeImplicate,
        ("gen", "dynamic") => options.generalization = Generalization::Dynamic,
        ("ctg", limits) => {
            let (depth, count) = limits.split_once(',').ok_or("ctg=DEPTH,COUNT")?;
            let limits = CtgLimits { depth: depth.parse()?, count: count.parse()? };
            options.generalization = Generalization::Inductive(limits);
        }
        ("lift", "sat") => options.lifting = Lifting::Sat,
        ("lift", "ternary") => options.lifting = Lifting::Ternary,
        ("lift", "model") => options.lifting = Lifting::Model,
        ("order", "activity") => options.ordering = Ordering::Activity,
        ("order", "static") => options.ordering = Ordering::Static,
        ("order", "random") => options.ordering = Ordering::Random,
        ("ctp", n) => options.propagation_counterexamples = n.parse()?,
        ("inf", b) => options.infinite_frame = b.parse()?,
        ("obst", b) => options.keep_obstacles = b.parse()?,
        ("keep", b) => options.keep_obligations = b.parse()?,
        ("effort", x) => options.effort_limit = x.parse()?,
        _ => return Err(format!("no option {setting}").into()),
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let seconds: f64 = arguments.next().map_or(Ok(60.0), |s| s.parse())?;
    let mut options = Options::default();
    let mut jobs = 1;
    for setting in arguments {
        match setting.strip_prefix("jobs=") {
            Some(n) => jobs = n.parse()?,
            None => set(&mut options, &setting)?,
        }
    }
    let system = circuit::aiger::read(&std::fs::read(&file)?)?;
    for bad in 0..system.bads.len() {
        let begun = Instant::now();
        let mut statistics = Statistics::default();
        let allowance = Allowance::default().within(Duration::from_secs_f64(seconds));
        let verdict = check_with_team(&system, bad, &options, jobs, &allowance, &mut statistics)?;
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
