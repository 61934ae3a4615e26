//! How long the way from files to a minimized automaton takes, stage by stage.
//!
//! ```text
//! cargo bench -p cairn-front-c --bench front_end -- [OPTIONS] FILE...
//! ```
//!
//! Options, for the files after them: `--32`; `--recursion=DEPTH`; `--cone`, `--whole=EDGES` and
//! `--lines`. `--cone` models what the properties depend on; without it that is done where the whole program
//! has more than `--whole` edges. `--lines` shows where the edges come from.
//!
//! Each file is a program of its own. Times are processor time; the peak of memory is that of the
//! process so far, so measure one file at a time if that matters.

use front_c::compile::{Input, Options, compile};
use front_c::lower::{self, lower};
use front_c::types::DataModel;
use program::minimize::{self, minimize};
use program::model;

/// Seconds of processor time so far, or of the clock where the system does not say.
fn now() -> f64 {
    let clock = || {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0.0, |time| time.as_secs_f64())
    };
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15, counted from behind the name in parentheses, in hundredths.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    match (fields.get(11), fields.get(12)) {
        (Some(user), Some(system)) => {
            let number = |text: &str| text.parse::<f64>().unwrap_or(0.0);
            (number(user) + number(system)) / 100.0
        }
        _ => clock(),
    }
}

/// The peak of memory in megabytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

/// What to build.
struct Request {
    data: DataModel,
    cone: bool,
    whole: usize,
    recursion: u32,
}

fn measure(file: &str, request: &Request) -> Result<(), String> {
    let Request { data, cone, whole, recursion } = *request;
    let begin = now();
    let input = Input::File(file.into());
    let compiled = compile(&[input], &Options::new(data)).map_err(|e| e.to_string())?;
    let typed = compiled.program.as_ref().ok_or("it does not compile")?;
    let lowered = lower(typed, &compiled.sources, &lower::Options::default());
    let program = lowered.map_err(|_| "it is not lowered")?.program;
    let instructions = program.functions.values().filter_map(|f| f.body.as_ref());
    let instructions: usize = instructions.map(|body| body.edges.len()).sum();
    let compiled = now();
    let options = model::Options { cone, edges: whole, recursion, ..model::Options::default() };
    let built = match model::model(&program, &options) {
        Err(model::Error::Size { .. }) if !cone => {
            let options = model::Options { cone: true, recursion, ..model::Options::default() };
            model::model(&program, &options)
        }
        other => other,
    };
    let built = built.map_err(|e| e.to_string())?;
    let modelled = now();
    let small = minimize(&program.pool, &built.cfa, &minimize::Options::default());
    let minimized = now();
    println!(
        "{instructions:8} instructions {:6.2} s   {:8} edges{} {:6.2} s   {:6} edges {:6.2} s   \
         all {:6.2} s, {:4} MB   {file}",
        compiled - begin,
        built.cfa.edges.len(),
        if built.cone { " (cone) " } else { " (whole)" },
        modelled - compiled,
        small.cfa.edges.len(),
        minimized - modelled,
        minimized - begin,
        peak(),
    );
    if std::env::args().any(|argument| argument == "--lines") {
        print_lines(&built.cfa);
    }
    Ok(())
}

/// The lines of the source that most edges are of.
fn print_lines(cfa: &program::Cfa) {
    let mut count: std::collections::BTreeMap<u32, usize> = Default::default();
    for edge in cfa.edges.values() {
        *count.entry(edge.place.line).or_default() += 1;
    }
    let mut lines: Vec<(usize, u32)> = count.into_iter().map(|(line, n)| (n, line)).collect();
    lines.sort_unstable_by(|a, b| b.cmp(a));
    for (edges, line) in lines.iter().take(30) {
        println!("{edges:8} edges of line {line}");
    }
}

fn main() {
    let mut request =
        Request { data: DataModel::Lp64, cone: false, whole: 1_000_000, recursion: 4 };
    for argument in std::env::args().skip(1) {
        match argument.split_once('=').unwrap_or((&argument, "")) {
            ("--bench" | "--lines", _) => {}
            ("--32", _) => request.data = DataModel::Ilp32,
            ("--64", _) => request.data = DataModel::Lp64,
            ("--cone", _) => request.cone = true,
            ("--whole", edges) => request.whole = edges.parse().unwrap_or(request.whole),
            ("--recursion", depth) => {
                request.recursion = depth.parse().unwrap_or(request.recursion);
            }
            _ => {
                if let Err(why) = measure(&argument, &request) {
                    println!("{why}: {argument}");
                }
            }
        }
    }
}
