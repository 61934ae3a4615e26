//! The files that a check leaves behind, if they are asked for: witnesses, certificates, traces and
//! harnesses. Texts are made here, and written by whoever may write.

use crate::document::{derivation, relations, trace_text};
use crate::invariant::{LoopInvariant, TRUE};
use crate::subject::Subject;
use crate::witness::{self, Entry, InvariantItem, Location, Metadata, graphml};
use answer::ProofKind;
use circuit::{aiger, btor2, certificate};
use passes::Back;
use program::counterexample::Counterexample;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use verify::outcome::{Finding, Goal, Held, Outcome, Violation};
use verify::{Task, task};

/// What is to be written: names and contents, in order.
#[derive(Default)]
pub struct Files {
    /// The files.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// What the user should know of them.
    pub notes: Vec<String>,
}

/// Why a file can't be made: a defect.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The trace of words is none.
    #[error("property b{property}: the trace in words: {why}")]
    Words {
        /// The property.
        property: usize,
        /// What is wrong with it.
        why: String,
    },
    /// GraphML could not be written.
    #[error(transparent)]
    Xml(#[from] std::io::Error),
}

impl Files {
    fn add(&mut self, path: &Path, text: impl Into<Vec<u8>>) {
        self.files.push((path.to_owned(), text.into()));
    }
}

/// The files for an outcome.
pub fn files(
    subject: &Subject<'_>,
    witness: Option<&Path>,
    harness: Option<&Path>,
) -> Result<Files, FileError> {
    let Subject { task, outcome, .. } = *subject;
    let mut files = Files::default();
    if task.design().is_some() {
        replay_words(task, outcome)?;
        if let Some(path) = witness {
            circuit_witness(task, outcome, path, &mut files);
        }
        return Ok(files);
    }
    let Some(answer) = outcome.answers.first() else { return Ok(files) };
    if task.clauses().is_some() {
        let text = match &answer.finding {
            Finding::Safe(proved) => relations(task, proved),
            _ => derivation(task, answer),
        };
        if let (Some(path), Some(text)) = (witness, text) {
            files.add(path, text);
        }
        return Ok(files);
    }
    match &answer.finding {
        Finding::Safe(_) => {
            if let Some(path) = witness {
                correctness_witness(task, subject.loop_invariants(0), path, &mut files);
            }
        }
        Finding::Unsafe(Violation::Program { run, .. }) => {
            if let Some(path) = harness {
                drive(task, run, path, &mut files);
            }
            if let Some(path) = witness {
                violation_witness(task, run, path, &mut files)?;
            }
        }
        _ => {}
    }
    Ok(files)
}

/// A trace of words is replayed on the words, beside its replay on the bits.
fn replay_words(task: &Task, outcome: &Outcome) -> Result<(), FileError> {
    let Some((words, lowered)) = task.design().and_then(|design| design.words.as_ref()) else {
        return Ok(());
    };
    for answer in &outcome.answers {
        let (Finding::Unsafe(Violation::Circuit(trace)), Goal::Bad { number, .. }) =
            (&answer.finding, &answer.goal)
        else {
            continue;
        };
        let Some(witness) = lowered.back(words, *number).run(trace.clone()) else { continue };
        btor2::witness::replay(words, &witness)
            .map_err(|why| FileError::Words { property: *number, why: why.to_string() })?;
    }
    Ok(())
}

/// All traces in one file, or the certificate circuit. One file holds one circuit: for the only
/// property it is the witness itself, of several properties each gets a file whose name ends in its
/// number.
fn circuit_witness(task: &Task, outcome: &Outcome, path: &Path, files: &mut Files) {
    let several = outcome.answers.len() > 1;
    let traces: String = outcome.answers.iter().filter_map(|a| trace_text(task, a)).collect();
    for answer in &outcome.answers {
        let (Finding::Safe(proved), Goal::Bad { number, .. }) = (&answer.finding, &answer.goal)
        else {
            continue;
        };
        let (Some(Held::Latches(clauses)), Some(design)) = (&proved.invariant, task.design())
        else {
            if proved.kind == ProofKind::KInductive {
                let k = proved.k.unwrap_or_default();
                files.notes.push(format!(
                    "property b{number}: no certificate is written: the proof is by {k}-induction; \
                     --engine ic3 finds one with a certificate"
                ));
            }
            continue;
        };
        let certificate = certificate::circuit(&design.system, *number, clauses)
            .expect("the checker has accepted the invariant");
        let bytes = aiger::write_binary(&certificate)
            .expect("the certificate of a well-formed system is well-formed");
        files.add(&if several { numbered(path, *number) } else { path.to_owned() }, bytes);
    }
    if !traces.is_empty() {
        files.add(path, traces);
    }
}

/// The name of a property's certificate: `witness.b3.aig`.
fn numbered(witness: &Path, property: usize) -> PathBuf {
    let mut name = witness.as_os_str().to_owned();
    name.push(format!(".b{property}.aig"));
    PathBuf::from(name)
}

/// The harness for a run, and the copies of the program that it needs.
fn drive(task: &Task, run: &Counterexample, path: &Path, files: &mut Files) {
    let copy = |number: usize, ending: &str| {
        path.with_extension(format!("program{number}.{ending}")).display().to_string()
    };
    match task.language.harness(task, run, &copy) {
        Some(harness) => {
            for (name, text) in harness.copies {
                files.add(Path::new(&name), text);
            }
            files.add(path, harness.text);
        }
        None => files.notes.push(format!(
            "{}: no harness is written: there is none in {}",
            path.display(),
            task.language.name()
        )),
    }
}

/// The texts of a task by name.
fn texts(task: &Task) -> FxHashMap<String, String> {
    let text = |file: &task::File| {
        let text = String::from_utf8_lossy(file.text.as_ref()?).into_owned();
        Some((file.name.clone(), text))
    };
    task.files.iter().filter_map(text).collect()
}

/// The witness of a violation: GraphML if the name ends so, else YAML.
fn violation_witness(
    task: &Task,
    run: &Counterexample,
    path: &Path,
    files: &mut Files,
) -> Result<(), FileError> {
    let content = witness::violation_content(task.language, run, &texts(task));
    let metadata = Metadata::new(about(task), SystemTime::now(), &content);
    if path.extension().is_some_and(|extension| extension == "graphml") {
        files.add(path, graphml::write(&metadata, &content)?);
        return Ok(());
    }
    files.add(path, witness::write(&[Entry::ViolationSequence { metadata, content }]));
    Ok(())
}

/// The witness of a proof.
fn correctness_witness(task: &Task, invariants: &[LoopInvariant], path: &Path, files: &mut Files) {
    let dropped: usize = invariants.iter().map(|invariant| invariant.dropped).sum();
    if dropped > 0 {
        let (path, name) = (path.display(), task.language.name());
        files
            .notes
            .push(format!("{path}: {dropped} conjuncts of the invariant have no {name} form"));
    }
    let said = invariants.iter().filter(|invariant| invariant.expression != TRUE);
    let content: Vec<InvariantItem> = said.map(item).collect();
    let metadata = Metadata::new(about(task), SystemTime::now(), &content);
    files.add(path, witness::write(&[Entry::InvariantSet { metadata, content }]));
}

/// What a witness says of its task.
fn about(task: &Task) -> witness::Task {
    let properties: Vec<program::Property> = task.reading.properties.iter().copied().collect();
    let sum = |file: &task::File| (file.name.clone(), file.sum.to_string());
    witness::Task {
        input_files: task.files.iter().map(|file| file.name.clone()).collect(),
        input_file_hashes: task.files.iter().map(sum).collect(),
        specification: witness::specification(&properties),
        data_model: task.reading.data_model.name().to_owned(),
        language: task.language.name().to_owned(),
    }
}

fn item(invariant: &LoopInvariant) -> InvariantItem {
    InvariantItem {
        invariant: witness::Invariant {
            kind: "loop_invariant".to_owned(),
            location: Location {
                file_name: invariant.place.file.to_string(),
                line: invariant.place.line,
                column: Some(invariant.place.column),
                function: Some(invariant.function.clone()),
            },
            value: invariant.expression.clone(),
            format: "c_expression".to_owned(),
        },
    }
}
