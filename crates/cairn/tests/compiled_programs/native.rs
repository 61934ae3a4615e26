//! What compiled programs do on all their inputs: many programs in one file, as starting a compiler
//! costs more than compiling a program.
//!
//! The file is compiled once with the sanitizers of gcc, which end a run as soon as it is undefined,
//! and then by each of [`COMPILERS`]. Those are run on the inputs alone for which the run is defined.

use super::template::{PRELUDE, Template};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const DRIVER: &str = include_str!("driver.c");

/// What every compiler is told: floats of their own precision, and, as gcc (12.2 for one) otherwise
/// turns `0.0 - (double)n` into a negation, no assumptions on rounding.
const FLAGS: [&str; 4] = ["-w", "-std=gnu11", "-ffp-contract=off", "-frounding-math"];

/// Undefined runs die at once: by a trap, or in the hook of the driver's.
const SANITIZERS: [&str; 5] = [
    "gcc",
    "-O0",
    "-fsanitize=address",
    "-fsanitize=undefined,float-cast-overflow",
    "-fsanitize-undefined-trap-on-error",
];

const COMPILERS: [[&str; 2]; 4] =
    [["gcc", "-O0"], ["gcc", "-O2"], ["clang", "-O0"], ["clang", "-O2"]];

/// A probe that a run came to, with the two values that it saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    pub probe: usize,
    pub left: i64,
    pub right: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub inputs: Vec<i64>,
    /// In order, up to where the run is undefined.
    pub events: Vec<Event>,
    pub undefined: bool,
}

/// What is known of a program.
#[derive(Default, Debug)]
pub struct Facts {
    /// Has too many runs, or too long ones: nothing else is known.
    pub excess: bool,
    /// One for all inputs.
    pub runs: Vec<Run>,
    /// Of each compiler, with its name, one for those inputs whose run above is defined.
    pub compiled: Vec<(String, Vec<Run>)>,
}

/// A directory of its own, that goes with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("compiled-{}-{number}", std::process::id());
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&directory).expect("the directory is writable");
        Scratch(directory)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on whether it is left behind.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the programs on all their inputs.
///
/// # Panics
/// If a program is no C, or gcc is not there.
pub fn execute(programs: &[Template]) -> Vec<Facts> {
    let scratch = Scratch::new();
    let directory = &scratch.0;
    let source = directory.join("programs.c");
    std::fs::write(&source, text(programs)).expect("the directory is writable");
    let driver_source = directory.join("driver.c");
    std::fs::write(&driver_source, DRIVER).expect("the directory is writable");
    let driver = directory.join("driver.o");
    compile(&["gcc", "-O2", "-c"], &[&driver_source], &driver);

    let binary = directory.join("programs");
    compile(&SANITIZERS, &[&source, &driver], &binary);
    let output = run(&binary, None);
    let mut facts: Vec<Facts> = programs.iter().map(|_| Facts::default()).collect();
    for (program, run) in lines(&output) {
        match run {
            Some(run) => facts[program].runs.push(run),
            None => facts[program].excess = true,
        }
    }
    let given = directory.join("inputs");
    std::fs::write(&given, defined(&facts)).expect("the directory is writable");
    for compiler in COMPILERS.iter().filter(|c| c[0] == "gcc" || clang_is_there()) {
        compile(compiler, &[&source, &driver], &binary);
        let output = run(&binary, Some(&given));
        for facts in &mut facts {
            facts.compiled.push((compiler.join(" "), Vec::new()));
        }
        for (program, run) in lines(&output) {
            let (_, runs) = facts[program].compiled.last_mut().expect("just added");
            match run {
                Some(run) => runs.push(run),
                None => facts[program].excess = true,
            }
        }
    }
    facts
}

fn clang_is_there() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| Command::new("clang").arg("--version").output().is_ok())
}

/// The programs as one file for the driver.
fn text(programs: &[Template]) -> String {
    let mut text = format!("{PRELUDE}long choose(long, long);\nvoid probe(int, long, long);\n");
    let mut table = String::new();
    for (number, program) in programs.iter().enumerate() {
        let prefix = format!("p{number}_");
        text.push_str(&program.native(&prefix));
        table.push_str(&format!("{prefix}main, "));
    }
    let count = programs.len();
    text.push_str(&format!("int (*const programs[])(void) = {{{table}}};\n"));
    text.push_str(&format!("const int program_count = {count};\n"));
    text
}

fn compile(command: &[&str], sources: &[&Path], to: &Path) {
    let output = Command::new(command[0])
        .args(&command[1..])
        .args(FLAGS)
        .args(sources)
        .arg("-o")
        .arg(to)
        .arg(if command.contains(&"-c") { "-g0" } else { "-lm" })
        .output()
        .unwrap_or_else(|error| panic!("{} does not run: {error}", command[0]));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
}

fn run(binary: &Path, given: Option<&Path>) -> String {
    let output = Command::new(binary)
        .args(given)
        .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1:symbolize=0")
        // What is read before it is written differs between the runs of different compilers.
        .env("MALLOC_PERTURB_", "165")
        .output()
        .expect("the driver runs");
    assert!(output.status.success(), "the driver ends with {}", output.status);
    String::from_utf8(output.stdout).expect("the driver prints numbers")
}

/// The runs of the driver's output with the numbers of their programs; none if there are too many.
fn lines(output: &str) -> impl Iterator<Item = (usize, Option<Run>)> {
    output.lines().map(|line| {
        let numbers = |text: &str| -> Vec<i64> {
            let numbers = text.split_whitespace().map(str::parse);
            numbers.collect::<Result<_, _>>().expect("the driver prints numbers")
        };
        let (program, rest) = line.split_once(' ').expect("a number comes first");
        let program = program.parse().expect("the driver prints numbers");
        let mut parts = rest[1..].split(';');
        let inputs = numbers(parts.next().expect("a line has a first part"));
        let events = parts.map(numbers).map(|event| match event[..] {
            [probe, left, right] => Event { probe: probe as usize, left, right },
            _ => panic!("a probe has two values"),
        });
        let run = Run { inputs, events: events.collect(), undefined: rest.starts_with('U') };
        (program, (!rest.starts_with('X')).then_some(run))
    })
}

/// The inputs of defined runs, as the driver reads them.
fn defined(facts: &[Facts]) -> String {
    let mut text = String::new();
    for (program, facts) in facts.iter().enumerate() {
        let defined = facts.runs.iter().filter(|run| !facts.excess && !run.undefined);
        for run in defined {
            let inputs: Vec<String> = run.inputs.iter().map(i64::to_string).collect();
            text.push_str(&format!("{program} {} {}\n", inputs.len(), inputs.join(" ")));
        }
    }
    text
}
