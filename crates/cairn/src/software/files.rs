//! The files that a check leaves behind, if they are asked for: witnesses and harnesses.

use super::{Decision, Subject, trace};
use crate::exit::Exit;
use crate::options::{Check, DataModel};
use report::counterexample::Counterexample;
use report::harness::{self, harness};
use report::invariant::{LoopInvariant, TRUE};
use report::result::Vacuity;
use report::witness::{self, Entry, InvariantItem, Location, Metadata, graphml};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What the files are about.
pub struct Files<'a> {
    pub names: &'a [PathBuf],
    pub arguments: &'a Check,
    pub subject: &'a Subject,
}

impl Files<'_> {
    /// Writes the files that are asked for, prints what is to be said before the verdict, and
    /// returns the verdict's line.
    pub fn report(
        &self,
        decision: &Decision,
        vacuity: Option<&Vacuity>,
    ) -> Result<(String, Exit), Exit> {
        Ok(match decision {
            Decision::Safe(proved) => {
                self.correctness_witness(&proved.loops)?;
                if let Some(vacuity) = vacuity.filter(|vacuity| vacuity.status == "vacuous")
                    && self.arguments.talks()
                {
                    println!("the proof is vacuous: {}", vacuity.how);
                }
                ("verdict: safe".to_owned(), Exit::Success)
            }
            Decision::Unsafe(run) => {
                if self.arguments.talks() {
                    trace::print(run);
                }
                self.harness(run)?;
                self.violation_witness(run)?;
                ("verdict: unsafe".to_owned(), Exit::Unsafe)
            }
            Decision::Unknown(why) => (format!("verdict: unknown ({why})"), Exit::Unknown),
        })
    }

    /// Writes the harness for a run, and the copies of the program that it needs.
    fn harness(&self, run: &Counterexample) -> Result<(), Exit> {
        let Some(path) = &self.arguments.harness else { return Ok(()) };
        let texts = self.texts();
        let file = |(number, name): (usize, &PathBuf)| {
            let extension = name.extension().map_or("c".into(), |e| e.to_string_lossy());
            let copy = path.with_extension(format!("program{number}.{extension}"));
            let (name, copy) = (name.display().to_string(), copy.display().to_string());
            harness::File { text: texts.get(&name).cloned(), name, copy }
        };
        let files = (1..).zip(self.names).map(file).collect();
        let task = harness::Task { files, program: &self.subject.program };
        let harness = harness(&task, run);
        for (name, text) in &harness.copies {
            save(Path::new(name), text)?;
        }
        save(path, &harness.text)
    }

    /// The files of the program that can be read.
    fn texts(&self) -> FxHashMap<String, String> {
        let read = |file: &PathBuf| {
            let text = std::fs::read(file).ok()?;
            Some((file.display().to_string(), String::from_utf8_lossy(&text).into_owned()))
        };
        self.names.iter().filter_map(read).collect()
    }

    /// Writes the witness of a violation: GraphML if the name ends so, else YAML.
    fn violation_witness(&self, run: &Counterexample) -> Result<(), Exit> {
        let Some(path) = &self.arguments.witness else { return Ok(()) };
        let content = witness::violation_content(run, &self.texts());
        let metadata = Metadata::new(self.task(), SystemTime::now(), &content);
        if path.extension().is_some_and(|extension| extension == "graphml") {
            let text = graphml::write(&metadata, &content).map_err(|error| failed(path, &error))?;
            return save(path, &text);
        }
        save(path, &witness::write(&[Entry::ViolationSequence { metadata, content }]))
    }

    /// Writes the witness of a proof.
    fn correctness_witness(&self, invariants: &[LoopInvariant]) -> Result<(), Exit> {
        let Some(path) = &self.arguments.witness else { return Ok(()) };
        let dropped: usize = invariants.iter().map(|invariant| invariant.dropped).sum();
        if dropped > 0 && self.arguments.talks() {
            println!("{}: {dropped} conjuncts of the invariant have no C form", path.display());
        }
        let said = invariants.iter().filter(|invariant| invariant.expression != TRUE);
        let content: Vec<InvariantItem> = said.map(item).collect();
        let metadata = Metadata::new(self.task(), SystemTime::now(), &content);
        save(path, &witness::write(&[Entry::InvariantSet { metadata, content }]))
    }

    fn task(&self) -> witness::Task {
        let mut input_file_hashes = BTreeMap::new();
        for file in self.names {
            let hash = std::fs::read(file).map(|bytes| witness::sha256(&bytes)).unwrap_or_default();
            input_file_hashes.insert(file.display().to_string(), hash);
        }
        let properties: Vec<program::Property> = self.subject.properties.iter().copied().collect();
        witness::Task {
            input_files: self.names.iter().map(|file| file.display().to_string()).collect(),
            input_file_hashes,
            specification: witness::specification(&properties),
            data_model: match self.arguments.c.data_model {
                DataModel::Ilp32 => "ILP32".to_owned(),
                DataModel::Lp64 => "LP64".to_owned(),
            },
            language: "C".to_owned(),
        }
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

fn save(path: &Path, text: &str) -> Result<(), Exit> {
    std::fs::write(path, text).map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Exit {
    eprintln!("{}: {error}", path.display());
    Exit::Input
}
