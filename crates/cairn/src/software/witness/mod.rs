//! `cairn validate` for C programs: SV-COMP's witnesses, anybody's.
//!
//! What a witness states is compiled into the program ([`front_c::claim`]) and the result is
//! decided like any other program, by the same engines with the same checks of their evidence.
//!
//! * *Correctness.* Each invariant is a check at its place. The witness is valid if all of them and
//!   the property hold: one inductive proof for all, in which they help each other, since a run
//!   passes a check only if it holds. A run into a failed check refutes that invariant.
//! * *Violation.* The waypoints are segments that a run passes in their order; a violation counts
//!   in the last one. The witness is valid if there is such a run, which the interpreter replays,
//!   and invalid if there is a proof that there is none.

mod entries;
mod task;

use super::record::Record;
use super::{Decision, Run, Subject, trace};
use crate::exit::Exit;
use crate::limits::{Budget, LastResort};
use crate::options::{CProgram, Check, Engine, Format, Validate};
use entries::{Kind, Stated};
use front_c::compile::{Input, compile_with};
use front_c::diagnostic::Severity;
use front_c::lower;
use program::program::Instruction;
use program::{Place, Program, Property};
use report::counterexample::Counterexample;
use std::collections::BTreeSet;

/// Checks the witness and prints what becomes of it.
pub fn validate(arguments: &Validate) -> Exit {
    let budget = Budget::start(arguments.time_limit, None);
    let late = |what| format!("witness: unknown ({what})");
    let last_resort = LastResort::beyond(&budget, late, Exit::Unknown);
    let answer = Validation::prepare(arguments).and_then(|validation| validation.run(&budget));
    match answer {
        Ok(Answer { line, exit }) => {
            last_resort.answer(|| println!("witness: {line}"));
            // Engines that are still at work end with the process.
            std::process::exit(i32::from(exit.code()));
        }
        Err(exit) => exit,
    }
}

/// What is said of a witness.
struct Answer {
    line: String,
    exit: Exit,
}

impl Answer {
    fn valid() -> Answer {
        Answer { line: "valid".to_owned(), exit: Exit::Success }
    }

    fn invalid(why: impl std::fmt::Display) -> Answer {
        Answer { line: format!("invalid ({why})"), exit: Exit::Unsafe }
    }

    fn unknown(why: impl std::fmt::Display) -> Answer {
        Answer { line: format!("unknown ({why})"), exit: Exit::Unknown }
    }
}

/// Says what is wrong with the input.
fn reject(message: impl std::fmt::Display) -> Exit {
    eprintln!("{message}");
    Exit::Input
}

/// A witness with its program.
struct Validation {
    stated: Stated,
    subject: Subject,
    check: Check,
    quiet: bool,
}

impl Validation {
    fn prepare(arguments: &Validate) -> Result<Validation, Exit> {
        let witness = arguments.witness.display().to_string();
        let text = std::fs::read_to_string(&arguments.witness)
            .map_err(|error| reject(format!("{witness}: {error}")))?;
        if text.trim_start().starts_with('<') {
            let message = "witnesses in GraphML are not checked, only those in YAML";
            return Err(reject(format!("{witness}: {message}")));
        }
        let read = report::witness::read(&text);
        let read = read.map_err(|error| reject(format!("{witness}: {error}")))?;
        let stated = entries::stated(&witness, &read).map_err(reject)?;
        let c = task::program_options(arguments, &stated.task).map_err(reject)?;
        let properties = task::properties(&c.property, &stated.task).map_err(reject)?;
        let subject = compile(arguments, &c, properties, &stated)?;
        let check = check_options(arguments, c);
        Ok(Validation { stated, subject, check, quiet: arguments.quiet })
    }

    fn run(&self, budget: &Budget) -> Result<Answer, Exit> {
        let (arguments, subject) = (&self.check, &self.subject);
        let decision = Run::new(arguments, budget, subject, Record::default()).decide()?;
        Ok(match decision {
            Decision::Unknown(why) => Answer::unknown(why),
            Decision::Safe(_) => match self.stated.kind {
                Kind::Correctness => Answer::valid(),
                Kind::Violation { .. } => {
                    Answer::invalid("no run that follows it violates the property")
                }
            },
            Decision::Unsafe(run) => match &self.stated.kind {
                Kind::Correctness => self.refuted(*run),
                Kind::Violation { .. } => self.confirmed(&run),
            },
        })
    }

    /// What a run says that violates the property or what is claimed.
    fn refuted(&self, mut run: Counterexample) -> Answer {
        let claim = self.stated.claims.iter().find(|claim| *claim.name == *run.place.file);
        if let Some(claim) = claim {
            let column = claim.column.unwrap_or(1);
            run.place = Place { file: claim.file.as_str().into(), line: claim.line, column };
        }
        if !self.quiet {
            trace::print(&run);
        }
        match claim {
            Some(claim) => Answer::invalid(format!("{}: {}", claim.name, claim.text)),
            None => Answer::invalid(format!("the property is violated at {}", run.place)),
        }
    }

    /// What a run says that violates the property after all the waypoints.
    fn confirmed(&self, run: &Counterexample) -> Answer {
        if run.property == Some(Property::Pointer) && !self.follows(run) {
            return Answer::unknown("the run found violates the property before the waypoints");
        }
        if !self.ends_at_target(run) {
            let place = &run.place;
            return Answer::unknown(format!("the run found ends at {place}, not at the target"));
        }
        if !self.quiet {
            trace::print(run);
        }
        Answer::valid()
    }

    /// Whether a run is in the last segment at its end.
    fn follows(&self, run: &Counterexample) -> bool {
        let Kind::Violation { target } = &self.stated.kind else { return true };
        let segments = run.assignments.iter().rev().find(|a| *a.variable == *lower::SEGMENT);
        match segments.map(|assignment| &assignment.value) {
            Some(term::Value::Bits(bits)) => bits.to_u64() == Some(u64::from(target.segment)),
            _ => target.segment == 0,
        }
    }

    /// Whether the violation, or a call that has led to it, is at the target.
    fn ends_at_target(&self, run: &Counterexample) -> bool {
        let Kind::Violation { target } = &self.stated.kind else { return true };
        let mut places = run.stack.iter().map(|(_, place)| place).chain([&run.place]);
        places.any(|place| target.is_at(place))
    }
}

/// The options of a check, as a validation has them.
fn check_options(arguments: &Validate, c: CProgram) -> Check {
    Check {
        files: arguments.files.clone(),
        lang: None,
        c,
        engine: Engine::Auto,
        ic3cfa_config: None,
        ic3cfa_option: Vec::new(),
        without_analysis: Vec::new(),
        time_limit: arguments.time_limit,
        memory_limit: None,
        jobs: None,
        witness: None,
        harness: None,
        seed: 0,
        format: Format::Text,
        quiet: arguments.quiet,
        stats: arguments.stats,
        no_certify: false,
    }
}

/// Compiles the program with what is stated of it. Everything that is wrong is printed.
fn compile(
    arguments: &Validate,
    c: &CProgram,
    mut properties: BTreeSet<Property>,
    stated: &Stated,
) -> Result<Subject, Exit> {
    let inputs: Vec<Input> = arguments.files.iter().cloned().map(Input::File).collect();
    let options = front_c::compile::Options::new(c.data_model.into());
    let compiled = compile_with(&inputs, &options, &stated.claims).map_err(reject)?;
    for diagnostic in &compiled.diagnostics {
        if diagnostic.severity == Severity::Error {
            eprintln!("{}", diagnostic.render(&compiled.sources));
        }
    }
    let typed = compiled.program.as_ref().ok_or(Exit::Input)?;
    if stated.kind == Kind::Correctness {
        properties.insert(Property::Claim);
    }
    let options = lower::Options {
        entry: c.entry.clone(),
        error_labels: c.error_label.clone(),
        properties: properties.iter().copied().collect(),
    };
    let lowered = |claims: &lower::Claims| {
        lower::lower_with(typed, &compiled.sources, &options, claims).map_err(|errors| {
            for diagnostic in errors {
                eprintln!("{}", diagnostic.render(&compiled.sources));
            }
            Exit::Input
        })
    };
    let mut claims = stated.purposes();
    let mut program = lowered(&claims)?.program;
    if claims.only_on_line.is_some() && !checks_on_line(&program, &properties, stated) {
        // The target names a call, whose callee has the check.
        claims.only_on_line = None;
        program = lowered(&claims)?.program;
    }
    Ok(Subject::new(program, properties, c))
}

/// Whether some check of the properties is at the target.
fn checks_on_line(program: &Program, properties: &BTreeSet<Property>, stated: &Stated) -> bool {
    let Kind::Violation { target } = &stated.kind else { return true };
    program.edges().any(|(_, edge)| match edge.instruction {
        Instruction::Check(property, _) => {
            properties.contains(&property) && target.is_at(&edge.place)
        }
        _ => false,
    })
}
