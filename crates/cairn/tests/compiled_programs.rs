//! The whole tool against compilers: random C programs with memory, compiled and executed on every
//! combination of their inputs, get the verdicts that follow, on whether an error is reached and on
//! whether a run is undefined.
//!
//! `cargo test` tries a few. `CAIRN_COMPILED_PROGRAMS=10000 cargo test --release -p cairn --test
//! compiled_programs -- --nocapture` tries so many, from the seed `CAIRN_COMPILED_START` on, and
//! prints how many answers there were of each kind; with `CAIRN_COMPILED_KIND=list`, of programs of
//! that kind alone. `CAIRN_COMPILED_KEEP=DIRECTORY` keeps the programs there, with their answers.
//!
//! Truth is what gcc and clang make of a program (`native`); what is expected of the tool follows in
//! `truth`, and how programs are made is said in `generate`.

#[path = "compiled_programs/generate/mod.rs"]
mod generate;
#[path = "compiled_programs/native.rs"]
mod native;
#[path = "compiled_programs/template.rs"]
mod template;
#[path = "compiled_programs/truth.rs"]
mod truth;

use rand::SeedableRng;
use rand::rngs::StdRng;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use template::Template;
use truth::Expected;

/// Programs in one file for the compilers.
const BATCH: u64 = 40;
/// Failures after which no more programs are tried.
const FAILURES: usize = 20;

/// Engines that take turns in answering alone. Without the others, some are slow on these programs.
const ALONE: [&str; 7] = ["symex", "bmc", "kind", "symex", "ic3", "ic3cfa", "symex"];

/// Who answers a question, by its number.
fn engine(number: usize) -> &'static str {
    if number % 7 == 6 { ALONE[number / 7 % ALONE.len()] } else { "auto" }
}

/// What is asked: whether errors are reached, whether runs are defined, and, without `--property`, all
/// checks in one table.
const QUESTIONS: [&str; 3] = [
    "reach",
    "pointer,bounds,overflow,div0,shift,free,uninit,overlap,return,promise",
    "all checks",
];

/// How many answers there were of each kind.
#[derive(Default)]
struct Counts {
    safe: u32,
    unsafe_: u32,
    unknown: u32,
    skipped: u32,
}

/// What a campaign has found so far.
#[derive(Default)]
struct Campaign {
    /// By kind of program and question.
    counts: BTreeMap<(&'static str, &'static str), Counts>,
    /// How often an answer was not given, by engine and reason.
    reasons: BTreeMap<String, u32>,
    failures: Vec<String>,
    keep: Option<PathBuf>,
}

/// One question about one program.
struct Case<'p> {
    seed: u64,
    program: &'p Template,
    text: &'p str,
    question: &'static str,
    engine: &'static str,
    expected: Expected,
}

impl Campaign {
    /// Programs of these seeds, compiled together.
    fn batch(&mut self, seeds: &[u64]) {
        let programs: Vec<Template> = seeds.iter().map(|&seed| generate::program(seed)).collect();
        let facts = native::execute(&programs);
        for ((&seed, program), facts) in seeds.iter().zip(&programs).zip(&facts) {
            if facts.excess {
                for question in QUESTIONS {
                    self.counts.entry((program.kind, question)).or_default().skipped += 1;
                }
                continue;
            }
            if !program.addresses
                && let Some(compiler) = truth::disagreement(facts)
            {
                let text = &program.text;
                self.failures.push(format!("seed {seed}: compilers differ, {compiler}\n{text}"));
                continue;
            }
            let mut rng = StdRng::seed_from_u64(!seed);
            let conditions = truth::conditions(facts, program.probes, &mut rng);
            let texts: Vec<String> = conditions.iter().map(|one| one.text()).collect();
            let text = program.ours(&texts);
            let reach = truth::reach(facts, &conditions, program.addresses);
            let undefined = truth::undefined(facts, &conditions, program.addresses);
            let expected = [reach, undefined, reach.and(undefined)];
            for (turn, (question, expected)) in QUESTIONS.into_iter().zip(expected).enumerate() {
                let engine = engine(QUESTIONS.len() * seed as usize + turn);
                let text = &text;
                self.ask(&Case { seed, program, text, question, engine, expected });
            }
            if self.failures.len() >= FAILURES {
                return;
            }
        }
    }

    /// Asks the tool, and compares its answer with what is expected.
    fn ask(&mut self, case: &Case<'_>) {
        let counts = self.counts.entry((case.program.kind, case.question)).or_default();
        if case.expected == Expected::Any && !case.program.addresses {
            counts.skipped += 1;
            return;
        }
        let name = format!("compiled-{}-{}.i", std::process::id(), case.seed);
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, case.text).expect("the directory is writable");
        let limit = if case.engine == "auto" { "10" } else { "1" };
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.args(["check", "--quiet", "--data-model", "LP64"]);
        if case.question != "all checks" {
            command.args(["--property", case.question]);
        }
        // Compiled programs get their memory.
        command.args(["--malloc", "never-fails"]);
        command.args(["--engine", case.engine, "--time-limit", limit]).arg(&path);
        let output = command.output().expect("cairn runs");
        // Nothing depends on whether the file is left behind.
        let _ = std::fs::remove_file(&path);
        let errors = String::from_utf8_lossy(&output.stderr);
        let wrong = match output.status.code() {
            Some(0) => {
                counts.safe += 1;
                (case.expected == Expected::Unsafe).then_some("safe")
            }
            Some(10) => {
                counts.unsafe_ += 1;
                (case.expected == Expected::Safe).then_some("unsafe")
            }
            // Models have no pointers to blocks of unknown size, and execution does not answer all.
            Some(2) if errors.contains("can't be checked") => {
                counts.unknown += 1;
                None
            }
            Some(5) => {
                counts.unknown += 1;
                None
            }
            _ => Some("no verdict"),
        };
        let answer = String::from_utf8_lossy(&output.stdout);
        self.note(case, &answer.replace(&*path.to_string_lossy(), "PROGRAM"));
        if let Some(wrong) = wrong {
            let Case { seed, text, expected, .. } = case;
            self.failures.push(format!(
                "seed {seed}: {wrong}, but {expected:?} is expected: {} {errors}\n{command:?}\n{text}",
                output.status
            ));
        }
    }

    /// Remembers why there is no verdict, and the program.
    fn note(&mut self, case: &Case<'_>, output: &str) {
        let answer = output.lines().last().unwrap_or("no verdict");
        let Case { engine, question, program, seed, expected, .. } = case;
        if answer.contains("unknown") {
            let reason = format!("{engine} {question} {} {answer}", program.kind);
            *self.reasons.entry(reason).or_default() += 1;
        }
        if let Some(directory) = &self.keep {
            let path = directory.join(format!("{seed}-{engine}-{}.i", &question[..5]));
            let text = format!("// {answer}, expected: {expected:?}\n{}", case.text);
            std::fs::write(path, text).expect("the directory is writable");
        }
    }

    fn print(&self) {
        for ((kind, question), Counts { safe, unsafe_, unknown, skipped }) in &self.counts {
            println!(
                "{kind} ({question}): {safe} safe, {unsafe_} unsafe, {unknown} unknown, \
                 {skipped} skipped"
            );
        }
        for (reason, count) in &self.reasons {
            println!("{count} times {reason}");
        }
    }
}

#[test]
fn verdicts_are_those_of_compiled_programs() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let count = number("CAIRN_COMPILED_PROGRAMS").unwrap_or(BATCH);
    let start = number("CAIRN_COMPILED_START").unwrap_or(0);
    let kind = std::env::var("CAIRN_COMPILED_KIND").ok();
    let keep = std::env::var("CAIRN_COMPILED_KEEP").ok().map(PathBuf::from);
    let mut campaign = Campaign { keep, ..Campaign::default() };
    let wanted = |seed: &u64| kind.as_ref().is_none_or(|kind| generate::kind(*seed) == kind);
    let seeds: Vec<u64> = (start..).filter(wanted).take(count as usize).collect();
    for seeds in seeds.chunks(BATCH as usize) {
        campaign.batch(seeds);
        if campaign.failures.len() >= FAILURES {
            break;
        }
    }
    campaign.print();
    let total = |of: fn(&Counts) -> u32| campaign.counts.values().map(of).sum::<u32>();
    let (safe, unsafe_) = (total(|c| c.safe), total(|c| c.unsafe_));
    let (unknown, skipped) = (total(|c| c.unknown), total(|c| c.skipped));
    println!("{safe} safe, {unsafe_} unsafe, {unknown} unknown, {skipped} skipped");
    let failures = &campaign.failures;
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n\n"));
    assert!(safe > 0 && unsafe_ > 0, "both verdicts occur");
    assert!(unknown * 4 <= safe + unsafe_, "{unknown} unknown, {safe} safe, {unsafe_} unsafe");
}
