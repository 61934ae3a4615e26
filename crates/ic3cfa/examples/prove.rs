//! Checks C files with IC3CFA and prints one line of verdict and statistics each, for measuring.
//!
//! `prove [--time SECONDS] [--preset LETTER] [--option NAME=VALUE] [--ilp32|--lp64] [--raw] [--dump]
//! FILE...`. A safe verdict is checked by `certify` on the original automaton; a run is executed.

use ic3cfa::{Options, Statistics};
use program::verdict::{Proof, Verdict};
use std::time::{Duration, Instant};

struct Settings {
    options: Options,
    time: Duration,
    model: front_c::types::DataModel,
    minimize: bool,
    dump: bool,
}

fn main() {
    let mut settings = Settings {
        options: Options::default(),
        time: Duration::from_secs(10),
        model: front_c::types::DataModel::Ilp32,
        minimize: true,
        dump: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--time" => {
                let seconds = arguments.next().and_then(|s| s.parse().ok()).expect("seconds");
                settings.time = Duration::from_secs_f64(seconds);
            }
            "--preset" => {
                let letter = arguments.next().and_then(|s| s.chars().next()).expect("a letter");
                settings.options = Options::preset(letter).expect("a letter from A to Q");
            }
            "--ilp32" => settings.model = front_c::types::DataModel::Ilp32,
            "--lp64" => settings.model = front_c::types::DataModel::Lp64,
            "--raw" => settings.minimize = false,
            "--dump" => settings.dump = true,
            "--option" => {
                let assignment = arguments.next().expect("NAME=VALUE");
                settings.options.assign(&assignment).expect("an option of IC3CFA");
            }
            file => println!("{file} {}", report(&settings, file)),
        }
    }
}

fn report(settings: &Settings, file: &str) -> String {
    let started = Instant::now();
    match check(settings, file) {
        Ok(line) => format!("{line} total {:.2}s", started.elapsed().as_secs_f64()),
        Err(message) => format!("rejected: {}", message.replace('\n', " ")),
    }
}

fn check(settings: &Settings, file: &str) -> Result<String, String> {
    let deadline = Instant::now() + settings.time;
    let inputs = [front_c::compile::Input::File(file.into())];
    let compiled =
        front_c::compile::compile(&inputs, &front_c::compile::Options::new(settings.model))
            .map_err(|e| e.to_string())?;
    let Some(typed) = &compiled.program else {
        return Err(format!("{:?}", compiled.errors().next()));
    };
    let lowered = front_c::lower::lower(typed, &compiled.sources, &Default::default())
        .map_err(|d| format!("{:?}", d.first()))?;
    let pool = &lowered.program.pool;
    let original =
        program::model::build(&lowered.program, &Default::default()).map_err(|e| e.to_string())?;
    let minimized = settings
        .minimize
        .then(|| program::minimize::minimize(pool, &original, &Default::default()));
    let cfa = minimized.as_ref().map_or(&original, |m| &m.cfa);
    if settings.dump {
        eprintln!("{}", program::print::cfa_text(cfa, pool));
    }
    let prepared = Instant::now();
    let allowance = smt::Allowance::default().until(deadline);
    let mut statistics = Statistics::default();
    let verdict =
        ic3cfa::check(pool, cfa, &settings.options, &smt::Standard, &allowance, &mut statistics);
    let engine = prepared.elapsed().as_secs_f64();
    let answer = match &verdict {
        Verdict::Safe(Proof::Inductive(invariant)) => {
            let lifted = minimized
                .as_ref()
                .map_or_else(|| invariant.clone(), |m| m.lift_invariant(pool, invariant));
            let proof = Proof::Inductive(lifted);
            let allowance = smt::Allowance::default().within(Duration::from_secs(60));
            let checked = certify::check_program(pool, &original, &proof, &allowance);
            match checked {
                Ok(()) => "safe".to_string(),
                Err(rejection) => format!("safe-REJECTED({rejection})"),
            }
        }
        Verdict::Safe(_) => "safe".to_string(),
        Verdict::Unsafe(run) => {
            let executed = program::execute::follow(pool, cfa, run, &Default::default());
            match executed {
                Ok(_) => format!("unsafe({})", run.steps.len()),
                Err(error) => format!("unsafe-REJECTED({error})"),
            }
        }
        Verdict::Unknown(reason) => format!("unknown({reason})"),
    };
    let ic3cfa::Statistics { search: statistics, .. } = statistics;
    let solver = statistics.total_solver_time().as_secs_f64();
    let queries = statistics.total_queries();
    Ok(format!(
        "{answer} frames {} locations {} edges {} lemmas {} obligations {} ({:.1} literals) queries {queries} {:?} shortcuts {:?} \
         engine {engine:.2}s solver {:.0}% {:.0} queries/s",
        statistics.frames,
        cfa.locations.len(),
        cfa.edges.len(),
        statistics.lemmas,
        statistics.obligations,
        statistics.obligation_literals as f64 / statistics.obligations.max(1) as f64,
        statistics.queries,
        statistics.shortcuts,
        100.0 * solver / engine.max(1e-9),
        queries as f64 / engine.max(1e-9),
    ))
}
