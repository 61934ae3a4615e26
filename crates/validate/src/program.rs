//! SV-COMP's witnesses of C programs, anybody's.
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

use crate::entries::{self, Kind, Stated};
use crate::{Doubt, Validated, Validity};
use ::program::counterexample::Counterexample;
use ::program::minimize::Pass;
use ::program::program::Instruction;
use ::program::{Place, Property};
use front_c::lower;
use report::witness::{Task as About, read};
use source::map::Sum;
use std::collections::BTreeSet;
use std::path::Path;
use verify::languages::C;
use verify::outcome::{Finding, Violation};
use verify::task::World;
use verify::{
    Board, Build, DataModel, Failure, Input, Limits, Listener, Question, Reading, Rejection,
    Settings, Task, decide_with, property,
};

/// A witness and the program that it is about, as they were named.
pub struct Request {
    /// The files of the program.
    pub inputs: Vec<Input>,
    /// The witness: its name and its text.
    pub witness: (String, String),
    /// The properties that are named, if they are not those of the witness.
    pub properties: Option<BTreeSet<Property>>,
    /// The sizes of types, if they are not those that the witness says.
    pub data_model: Option<DataModel>,
    /// The flags that files are compiled with.
    pub build: Build,
    /// The function that the program starts with.
    pub entry: String,
    /// Labels that must not be reached.
    pub error_labels: Vec<String>,
    /// What is assumed of the world around the program.
    pub world: World,
    /// What the check may cost.
    pub limits: Limits,
}

/// Checks a witness.
pub fn validate(request: &Request, listener: &mut dyn Listener) -> Result<Validated, Failure> {
    let (name, text) = &request.witness;
    let reject = |message: String| Rejection::new(format!("{name}: {message}"));
    if text.trim_start().starts_with('<') {
        let message = "witnesses in GraphML are not checked, only those in YAML";
        return Err(reject(message.to_owned()).into());
    }
    let entries = read(text).map_err(|error| reject(error.to_string()))?;
    let stated = entries::stated(name, &entries).map_err(Rejection::new)?;
    let reading = reading(request, &stated)?;
    let task = compile(request, reading, &stated)?;
    // What a witness says of the program's way must stay in the model.
    let settings = Settings { without: vec![Pass::Cone], ..Settings::default() };
    let question = Question { task: &task, settings, limits: request.limits.clone() };
    let outcome = decide_with(&question, &Board::default(), listener)?;
    let mut answers = outcome.answers.into_iter();
    let finding = answers.next().map(|answer| answer.finding);
    let (validity, run) = judge(&stated, finding);
    Ok(Validated { validity, run, workers: outcome.workers })
}

/// How the program is read: as is asked, and where nothing is said, as the witness says. The files
/// must be those that the witness is about.
fn reading(request: &Request, stated: &Stated) -> Result<Reading, Rejection> {
    for input in &request.inputs {
        check_sum(input, &stated.task, request.inputs.len())?;
    }
    let (name, _) = &request.witness;
    let model = || {
        let named = &stated.task.data_model;
        let found = DataModel::ALL.into_iter().find(|model| model.name() == named);
        found.ok_or_else(|| Rejection::new(format!("{name}: no data model: {named}")))
    };
    let data_model = request.data_model.map_or_else(model, Ok)?;
    let mut properties = match &request.properties {
        Some(properties) => properties.clone(),
        None => property::parse_file("specification", &stated.task.specification)
            .map_err(Rejection::new)?
            .into_iter()
            .collect(),
    };
    if stated.kind == Kind::Correctness {
        properties.insert(Property::Claim);
    }
    let (entry, error_labels) = (request.entry.clone(), request.error_labels.clone());
    let build = request.build.clone();
    let world = request.world;
    Ok(Reading { properties, entry, error_labels, data_model, build, world, ..Reading::default() })
}

/// The file's sum must be the one that the witness states, if it states one.
fn check_sum(input: &Input, task: &About, files: usize) -> Result<(), Rejection> {
    let name = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
    let mut sums = task.input_file_hashes.iter();
    let only = files == 1 && task.input_file_hashes.len() == 1;
    let (shown, here) = (input.name(), name(&input.name()));
    let stated = sums.find(|(path, _)| only || name(path) == here).map(|(_, sum)| sum);
    let Some(stated) = stated.filter(|sum| !sum.is_empty()) else { return Ok(()) };
    let found = Sum::of(&input.bytes()?).to_string();
    if !stated.eq_ignore_ascii_case(&found) {
        return Err(Rejection::new(format!(
            "{shown}: the witness is about another text: its SHA-256 sum is {stated}, that of the \
             file is {found}"
        )));
    }
    Ok(())
}

/// Compiles the program with what is stated of it.
fn compile(request: &Request, reading: Reading, stated: &Stated) -> Result<Task, Rejection> {
    let read =
        |claims: &lower::Claims| C.read_with(&request.inputs, &reading, &stated.claims, claims);
    let mut claims = stated.purposes();
    let task = read(&claims)?;
    if claims.only_on_line.is_some() && !checks_on_line(&task, stated) {
        // The target names a call, whose callee has the check.
        claims.only_on_line = None;
        return read(&claims);
    }
    Ok(task)
}

/// Whether some check of the properties is at the target.
fn checks_on_line(task: &Task, stated: &Stated) -> bool {
    let (Kind::Violation { target }, Some(code)) = (&stated.kind, task.code()) else {
        return true;
    };
    code.program.edges().any(|(_, edge)| match edge.instruction {
        Instruction::Check(property, _) => {
            code.properties.contains(&property) && target.is_at(&edge.place)
        }
        _ => false,
    })
}

/// What the answer to the program says of the witness.
fn judge(stated: &Stated, finding: Option<Finding>) -> (Validity, Option<Box<Counterexample>>) {
    match (finding, &stated.kind) {
        (Some(Finding::Safe(_)), Kind::Correctness) => (Validity::Valid, None),
        (Some(Finding::Safe(_)), Kind::Violation { .. }) => {
            let why = "no run that follows it violates the property";
            (Validity::Invalid(why.to_owned()), None)
        }
        (Some(Finding::Unsafe(Violation::Program { run, .. })), Kind::Correctness) => {
            refuted(stated, run)
        }
        (Some(Finding::Unsafe(Violation::Program { run, .. })), Kind::Violation { .. }) => {
            confirmed(stated, run)
        }
        (Some(Finding::Unknown(reason)), _) => (Validity::Unknown(Doubt::Open(reason)), None),
        (Some(Finding::Unsafe(_)) | None, _) => {
            let why = "the program has no answer".to_owned();
            (Validity::Unknown(Doubt::Unclear(why)), None)
        }
    }
}

/// What a run says that violates the property or what is claimed.
fn refuted(
    stated: &Stated,
    mut run: Box<Counterexample>,
) -> (Validity, Option<Box<Counterexample>>) {
    let claim = stated.claims.iter().find(|claim| *claim.name == *run.place.file);
    let why = match claim {
        Some(claim) => {
            let column = claim.column.unwrap_or(1);
            run.place = Place { file: claim.file.as_str().into(), line: claim.line, column };
            format!("{}: {}", claim.name, claim.text)
        }
        None => format!("the property is violated at {}", run.place),
    };
    (Validity::Invalid(why), Some(run))
}

/// What a run says that violates the property after all the waypoints.
fn confirmed(stated: &Stated, run: Box<Counterexample>) -> (Validity, Option<Box<Counterexample>>) {
    let unclear = |why: String| (Validity::Unknown(Doubt::Unclear(why)), None);
    if run.property == Some(Property::Pointer) && !follows(stated, &run) {
        return unclear("the run found violates the property before the waypoints".to_owned());
    }
    if !ends_at_target(stated, &run) {
        return unclear(format!("the run found ends at {}, not at the target", run.place));
    }
    (Validity::Valid, Some(run))
}

/// Whether a run is in the last segment at its end.
fn follows(stated: &Stated, run: &Counterexample) -> bool {
    let Kind::Violation { target } = &stated.kind else { return true };
    let segments = run.assignments.iter().rev().find(|a| *a.variable == *lower::SEGMENT);
    match segments.map(|assignment| &assignment.value) {
        Some(term::Value::Bits(bits)) => bits.to_u64() == Some(u64::from(target.segment)),
        _ => target.segment == 0,
    }
}

/// Whether the violation, or a call that has led to it, is at the target.
fn ends_at_target(stated: &Stated, run: &Counterexample) -> bool {
    let Kind::Violation { target } = &stated.kind else { return true };
    let mut places = run.stack.iter().map(|(_, place)| place).chain([&run.place]);
    places.any(|place| target.is_at(place))
}
