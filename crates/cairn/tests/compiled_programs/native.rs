//! What compiled programs do on all their inputs: many programs in one file, as starting a compiler
//! costs more than compiling a program.
//!
//! The file is compiled with the [`SANITIZERS`] of gcc, which end a run as soon as it is undefined, and
//! with those of clang. Neither sees everything: gcc computes `(x + y) - x` before it looks for what
//! overflows. A run is undefined if one of them says so. Then the file is compiled by each of
//! [`COMPILERS`]. All but the first are run on the inputs alone for which the run is defined so far.

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

/// Where pointers go that nothing is read through is not asked: clang minds zero added to null. Its
/// library is a shared one, as the driver sets back what is static.
const CLANG_SANITIZERS: [&str; 7] = [
    "clang",
    "-O0",
    "-fsanitize=address",
    "-fsanitize=undefined,float-cast-overflow",
    "-fno-sanitize=pointer-overflow",
    "-fsanitize-trap=undefined,float-cast-overflow",
    "-shared-libasan",
];

const COMPILERS: [[&str; 2]; 4] =
    [["gcc", "-O0"], ["gcc", "-O2"], ["clang", "-O0"], ["clang", "-O2"]];

/// Blocks of the programs come from the driver's functions.
const WRAPPED: [&str; 2] = ["-Wl,--wrap=malloc", "-Wl,--wrap=calloc"];

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
    /// One for all inputs, by the sanitizers.
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

/// The files that compilers are given, and where the program goes.
struct Build {
    source: PathBuf,
    driver: PathBuf,
    inputs: PathBuf,
    binary: PathBuf,
    /// Where they are.
    _scratch: Scratch,
}

impl Build {
    fn new(programs: &[Template]) -> Build {
        let scratch = Scratch::new();
        let [source, driver_source, driver, inputs, binary] =
            ["programs.c", "driver.c", "driver.o", "inputs", "programs"]
                .map(|name| scratch.0.join(name));
        std::fs::write(&source, text(programs)).expect("the directory is writable");
        std::fs::write(&driver_source, DRIVER).expect("the directory is writable");
        compile(&["gcc", "-O2", "-c"], &[&driver_source], &driver);
        Build { source, driver, inputs, binary, _scratch: scratch }
    }

    /// What the programs of this compiler do on all inputs, or on those of the runs that are defined.
    fn run(&self, command: &[&str], defined_in: Option<&[Facts]>) -> Vec<(usize, Option<Run>)> {
        let command = [command, &WRAPPED].concat();
        compile(&command, &[&self.source, &self.driver], &self.binary);
        let given = defined_in.map(|facts| {
            std::fs::write(&self.inputs, defined(facts)).expect("the directory is writable");
            &*self.inputs
        });
        lines(&run(&self.binary, given)).collect()
    }
}

/// Runs the programs on all their inputs.
///
/// # Panics
/// If a program is no C, or gcc is not there.
pub fn execute(programs: &[Template]) -> Vec<Facts> {
    let build = Build::new(programs);
    let mut facts: Vec<Facts> = programs.iter().map(|_| Facts::default()).collect();
    for (program, run) in build.run(&SANITIZERS, None) {
        match run {
            Some(run) => facts[program].runs.push(run),
            None => facts[program].excess = true,
        }
    }
    if let Some(library) = clang_library() {
        let path = format!("-Wl,-rpath={library}");
        let command = [&CLANG_SANITIZERS[..], &[&*path]].concat();
        let runs = build.run(&command, Some(&facts)).into_iter();
        let undefined = |run: &Option<Run>| run.as_ref().is_some_and(|run| run.undefined);
        let (objections, runs): (Vec<_>, Vec<_>) = runs.partition(|(_, run)| undefined(run));
        for (program, run) in objections {
            facts[program].object(run.expect("it is undefined"));
        }
        take(&mut facts, "clang's sanitizers", runs);
    }
    for compiler in COMPILERS.iter().filter(|c| c[0] == "gcc" || clang_is_there()) {
        let runs = build.run(compiler, Some(&facts));
        take(&mut facts, &compiler.join(" "), runs);
    }
    facts
}

/// Adds the runs of a compiler's programs on those inputs whose runs were defined so far.
fn take(facts: &mut [Facts], compiler: &str, runs: Vec<(usize, Option<Run>)>) {
    for facts in &mut *facts {
        facts.compiled.push((compiler.to_owned(), Vec::new()));
    }
    for (program, run) in runs {
        let facts = &mut facts[program];
        match run {
            Some(run) => facts.compiled.last_mut().expect("just added").1.push(run),
            None => facts.excess = true,
        }
    }
}

impl Facts {
    /// Takes notice of a run that a second sanitizer calls undefined: all runs that begin with its
    /// inputs are, and are known up to there alone.
    fn object(&mut self, undefined: Run) {
        self.runs.retain(|run| !run.inputs.starts_with(&undefined.inputs));
        self.runs.push(undefined);
    }
}

fn clang_is_there() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| Command::new("clang").arg("--version").output().is_ok())
}

/// Where clang's shared library of the address sanitizer is, if there is one.
fn clang_library() -> Option<&'static str> {
    static LIBRARY: OnceLock<Option<String>> = OnceLock::new();
    let find = || {
        let output = Command::new("clang").arg("-print-runtime-dir").output().ok()?;
        let directory = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        let shared = |name: &str| name.starts_with("libclang_rt.asan") && name.ends_with(".so");
        let mut files = std::fs::read_dir(&directory).ok()?.flatten();
        files.any(|file| shared(&file.file_name().to_string_lossy())).then_some(directory)
    };
    LIBRARY.get_or_init(find).as_deref()
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
