//! What each technique of \[Fed15\] does, for measuring: one line of figures for each C file.
//!
//! `figures [--time SECONDS] [--each SECONDS] [--option NAME=VALUE] [--property NAME] [--lp64]
//! depth|assertions|forward|backward FILE...`
//!
//! `depth` asks about all checks together and tells how deep recursion was unwound (tables 5.1 and 5.2);
//! the others ask about each check, without the assertion implication relation or with one of its
//! strategies (tables 5.3 and 5.4). Proofs of `depth` are checked by `certify`. Fields are separated by
//! tabs, with a name each.

use program::model;
use program::procedures::{Procedures, Summary};
use program::{Program, Property};
use std::time::{Duration, Instant};
use summary::each::{Decided, decide_each};
use summary::implication::Strategy;
use summary::search::Search;
use summary::{Answer, Encoding, Means, Options};

struct Settings {
    options: Options,
    time: Duration,
    each: Duration,
    properties: Vec<Property>,
    model: front_c::types::DataModel,
}

fn main() {
    let mut settings = Settings {
        options: Options::default(),
        time: Duration::from_secs(30),
        each: Duration::from_secs(5),
        properties: vec![Property::Reach, Property::Assert],
        model: front_c::types::DataModel::Ilp32,
    };
    let mut mode = String::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().expect("a value");
        match argument.as_str() {
            "--time" => settings.time = seconds(&value()),
            "--each" => settings.each = seconds(&value()),
            "--lp64" => settings.model = front_c::types::DataModel::Lp64,
            "--option" => {
                settings.options.assign(&value()).expect("an option of proofs by summaries");
            }
            "--property" => {
                let property = Property::named(&value()).expect("a property");
                settings.properties.push(property);
            }
            "depth" | "assertions" | "forward" | "backward" => mode = argument,
            file => {
                let line = measure(&settings, &mode, file);
                let name = file.rsplit('/').next().unwrap_or(file);
                println!("file={name}\t{}", line.unwrap_or_else(|e| format!("rejected={e}")));
            }
        }
    }
}

fn seconds(text: &str) -> Duration {
    Duration::from_secs_f64(text.parse().expect("seconds"))
}

fn measure(settings: &Settings, mode: &str, file: &str) -> Result<String, String> {
    let program = read(settings, file)?;
    let options = model::Options {
        properties: settings.properties.iter().copied().collect(),
        ..model::Options::default()
    };
    let procedures = model::procedures(&program, &options).map_err(|e| e.to_string())?;
    let procedures = procedures.with_loops_as_recursion(&program.pool);
    let allowance = answer::Allowance::default().within(settings.time);
    let means = Means { solvers: &smt::Standard, allowance };
    match mode {
        "depth" => Ok(depth(settings, &program, &procedures, &means)),
        _ => assertions(settings, mode, &program, &procedures, &means),
    }
}

fn read(settings: &Settings, file: &str) -> Result<Program, String> {
    let inputs = [front_c::compile::Input::File(file.into())];
    let compiled =
        front_c::compile::compile(&inputs, &front_c::compile::Options::new(settings.model))
            .map_err(|e| e.to_string().replace('\n', " "))?;
    let Some(typed) = &compiled.program else { return Err("it does not compile".to_owned()) };
    let options = front_c::lower::Options {
        properties: settings.properties.clone(),
        ..front_c::lower::Options::default()
    };
    front_c::lower::lower(typed, &compiled.sources, &options)
        .map(|lowered| lowered.program)
        .map_err(|_| "it is beyond the model".to_owned())
}

/// All checks together.
fn depth(
    settings: &Settings,
    program: &Program,
    procedures: &Procedures,
    means: &Means<'_>,
) -> String {
    let begin = Instant::now();
    let encoding = Encoding::new(&program.pool, procedures, &settings.options);
    let mut search = Search::new(&encoding, &settings.options, means);
    let answer = search.decide(&encoding.checks);
    let seconds = begin.elapsed().as_secs_f64();
    let figures = search.figures();
    let result = match &answer {
        Answer::Safe(summaries) => {
            let checked = certify::check_summaries(
                &program.pool,
                procedures,
                summaries,
                &answer::Allowance::default().within(settings.time),
            );
            checked.map_or_else(|e| format!("REJECTED({e})"), |()| "safe".to_owned())
        }
        Answer::Unsafe(_) => "unsafe".to_owned(),
        Answer::Open { .. } => "open".to_owned(),
    };
    let recursive = encoding.recursive.values().filter(|recursive| **recursive).count();
    format!(
        "result={result}\tfunctions={recursive}\tseconds={seconds:.3}\trounds={}\tdepth={}\tcalls={}\thelpers={}\tinterpolating={:.3}\tinterpolations={}",
        figures.rounds,
        figures.depth,
        figures.recursive_calls,
        figures.helpers,
        figures.interpolating.as_secs_f64(),
        figures.interpolations,
    )
}

/// Each check by itself.
fn assertions(
    settings: &Settings,
    mode: &str,
    program: &Program,
    procedures: &Procedures,
    means: &Means<'_>,
) -> Result<String, String> {
    let encoding = Encoding::new(&program.pool, procedures, &settings.options);
    let strategy = match mode {
        "forward" => Some(Strategy::Forward),
        "backward" => Some(Strategy::Backward),
        _ => None,
    };
    let table = decide_each(&encoding, &settings.options, means, strategy, settings.each)
        .map_err(|e| e.to_string())?;
    let count = |wanted: fn(&Decided) -> bool| {
        table.rows.iter().filter(|(_, decided)| wanted(decided)).count()
    };
    let (mut variables, mut size) = (0, 0);
    for (_, decided) in &table.rows {
        let Decided::Asked(Answer::Safe(summaries)) = decided else { continue };
        for Summary { returns, fails } in summaries.nodes.iter().flat_map(|node| &node.summary) {
            let formulas: Vec<term::Term> = returns.iter().chain(fails).copied().collect();
            variables += term::traverse::free_vars(&program.pool, &formulas).len();
            size += term::traverse::subterms(&program.pool, &formulas).len();
        }
    }
    let edges = procedures.edges().count();
    Ok(format!(
        "edges={edges}\tchecks={}\tasked={}\tholds={}\tfails={}\topen={}\timplications={}\tquestions={}\trelating={:.3}\tdeciding={:.3}\tvariables={variables}\tsize={size}",
        table.rows.len(),
        table.asked(),
        count(|d| matches!(d, Decided::Asked(Answer::Safe(_)) | Decided::Implied(_))),
        count(|d| matches!(d, Decided::Asked(Answer::Unsafe(_)) | Decided::Refuted(_))),
        count(|d| matches!(d, Decided::Asked(Answer::Open { .. }))),
        table.implications.pairs.len() + table.implications.sets.len(),
        table.implications.questions,
        table.relating.as_secs_f64(),
        table.deciding.as_secs_f64(),
    ))
}
