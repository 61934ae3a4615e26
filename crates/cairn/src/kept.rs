//! What is kept between runs, for one question: what there is to begin with, and what is written down.
//!
//! A document is found by the sum of what was read and of all options that matter, or, for another
//! version, by what it is about: file, entry, properties. Nothing is believed, so it does no harm to find
//! too much.

use crate::options::Asking;
use crate::output::complain;
use crate::revision::Version;
use answer::Verdict;
use front_st::compile::Stated;
use portable::difference::{self, Signatures};
use serde::{Deserialize, Serialize};
use source::map::Sum;
use std::path::PathBuf;
use std::sync::Arc;
use store::{Document, Key, Kind, New, Settings, Store};
use verify::{Knowledge, Outcome, Task};

/// Changes with the documents.
const FORMAT: &[u8] = b"cairn knowledge 4";
/// How many documents about the same thing are tried.
const TRIED: usize = 2;

/// The kinds that hold what a question begins with, in the order in which it is tried.
const KNOWLEDGE: [Kind; 4] = [Kind::Input, Kind::Summary, Kind::Invariant, Kind::Lemmas];

/// What is kept of a question.
pub struct Kept {
    store: Store,
    key: Key,
    about: String,
    /// What the program is compared by, if it is one.
    form: Option<Signatures>,
    /// The same of the version before, if there is one; its key, if it can be read.
    before: Option<(Option<Key>, String)>,
}

/// A verdict, and what it took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Past {
    /// The verdict.
    pub verdict: Verdict,
    /// Who found it.
    pub engine: Option<String>,
    /// How long it took.
    pub seconds: f64,
    /// How long it took until the answer was there.
    #[serde(default)]
    pub solving: f64,
    /// How far the engine that found it came.
    #[serde(default)]
    pub reached: Option<u64>,
    /// The sum of the program.
    #[serde(default)]
    pub form: Option<u64>,
}

impl Kept {
    /// What is kept of a task, and of a version before it, if a folder for it is named.
    pub fn open(
        arguments: &Asking,
        task: &Task,
        old: Option<&Version>,
    ) -> Result<Option<Kept>, String> {
        let Some(folder) = &arguments.store else { return Ok(None) };
        let store = Store::open(folder, Settings::default()).map_err(|error| error.to_string())?;
        store.take_notices().iter().for_each(|notice| complain(&notice.to_string()));
        let reading = &task.reading;
        let st = &reading.st;
        let requirement =
            |stated: &Stated| format!("{} {}", stated.pattern, stated.expressions.join("; "));
        // Several requirements of one program are questions of their own.
        let required: Vec<String> = st.stated.iter().map(requirement).collect();
        let required = required.join("; ");
        let cyclic = (st.dialect, st.cycle, st.cycles, &st.inputs, st.watchdog);
        let options = format!(
            "{:?} {} {:?} {:?} {:?} {:?} {} {:?} {required} {cyclic:?}",
            reading.properties,
            reading.entry,
            reading.error_labels,
            reading.undefined,
            reading.data_model,
            reading.caller,
            reading.contracts,
            reading.world
        );
        let sums: Vec<[u8; 32]> = task.files.iter().map(|file| file.sum.0).collect();
        let names = task.files.iter().map(|file| &*file.name);
        let asked = Some(&*required).filter(|required| !required.is_empty());
        let names: Vec<&str> = names.chain(asked).collect();
        let key_of = |sums: &[[u8; 32]]| key(options.as_bytes(), sums);
        let before = old.map(|old| {
            let sum = |file: &PathBuf| std::fs::read(file).ok().map(|bytes| Sum::of(&bytes).0);
            let sums: Option<Vec<[u8; 32]>> = old.files.iter().map(sum).collect();
            (sums.map(|sums| key_of(&sums)), names_of(&old.files, asked))
        });
        let form = task.code().map(|code| Signatures::in_units(&code.program, &code.units));
        Ok(Some(Kept { store, key: key_of(&sums), about: names.join(" "), form, before }))
    }

    /// What the version before is compared by, if it was asked about here.
    pub fn form_before(&self) -> Option<Signatures> {
        let key = self.before.as_ref()?.0.as_ref()?;
        let document = self.store.get(Kind::Form, &form_key(key)).ok()??;
        serde_json::from_slice(&document.bytes).ok()
    }

    /// What there is to begin with: about the very same text, about the version before, or about files
    /// of this name.
    pub fn known(&self) -> Arc<[Knowledge]> {
        let finders = self.documents(Kind::Verdict).into_iter().filter_map(|document| {
            let past: Past = serde_json::from_slice(&document.bytes).ok()?;
            let Past { engine, solving, reached, form, .. } = past;
            Some(Knowledge::Finder { engine: engine?, seconds: solving, reached, form })
        });
        let documents = KNOWLEDGE.into_iter().flat_map(|kind| self.documents(kind));
        let read = documents
            .filter_map(|document| serde_json::from_slice::<Vec<Knowledge>>(&document.bytes).ok());
        finders.take(1).chain(read.flatten()).collect()
    }

    /// The documents of a kind.
    fn documents(&self, kind: Kind) -> Vec<Document> {
        let mut keys = [&self.key].into_iter().chain(self.before.iter().flat_map(|(key, _)| key));
        let exact = keys.find_map(|key| self.store.get(kind, key).ok().flatten());
        let names = self.before.iter().map(|(_, name)| name).chain([&self.about]);
        match exact {
            Some(document) => vec![document],
            None => names
                .flat_map(|name| self.store.latest(kind, name, TRIED).unwrap_or_default())
                .collect(),
        }
    }

    /// What is known of the verdict on a version before.
    pub fn past(&self) -> Option<Past> {
        let key = self.before.as_ref()?.0.as_ref()?;
        let document = self.store.get(Kind::Verdict, key).ok()??;
        serde_json::from_slice(&document.bytes).ok()
    }

    /// Writes down what was found. That it can't be is no reason to keep the answer back.
    pub fn keep(&self, outcome: &Outcome) {
        let found = outcome.answers.iter().find(|answer| answer.engine.is_some());
        let efforts = outcome.board.efforts();
        let name = found.and_then(|answer| answer.engine.as_ref());
        let effort = efforts.iter().find(|effort| Some(&effort.engine) == name);
        let past = Past {
            verdict: outcome.verdict(),
            engine: name.map(ToString::to_string),
            seconds: outcome.seconds,
            solving: found.map_or(0.0, |answer| answer.solving),
            reached: effort.map(|effort| effort.reached),
            form: self.form.as_ref().map(Signatures::sum),
        };
        let mut documents = vec![(Kind::Verdict, serde_json::to_vec(&past))];
        for kind in KNOWLEDGE {
            let of_kind = |knowledge: &&Knowledge| kind_of(knowledge) == kind;
            let all: Vec<&Knowledge> = outcome.learned.iter().filter(of_kind).collect();
            if !all.is_empty() {
                documents.push((kind, serde_json::to_vec(&all)));
            }
        }
        documents.extend(self.form.iter().map(|form| (Kind::Form, serde_json::to_vec(form))));
        let written = documents.iter().filter_map(|(kind, bytes)| {
            let bytes = bytes.as_ref().ok()?;
            let key = if *kind == Kind::Form { form_key(&self.key) } else { self.key };
            Some(New { kind: *kind, key, about: &self.about, bytes })
        });
        if let Err(error) = self.store.put_all(&written.collect::<Vec<New<'_>>>()) {
            complain(&format!("nothing is kept of this run: {error}"));
        }
    }
}

/// What kind of document something is.
fn kind_of(knowledge: &Knowledge) -> Kind {
    match knowledge {
        Knowledge::Inputs(_) | Knowledge::Stimulus(_) => Kind::Input,
        knowledge if knowledge.is_unfinished() => Kind::Lemmas,
        Knowledge::Lemmas { .. } | Knowledge::Clauses(_) | Knowledge::Unreachable { .. } => {
            Kind::Invariant
        }
        Knowledge::Summaries { .. } | Knowledge::Relations { .. } => Kind::Summary,
        Knowledge::Finder { .. } => Kind::Verdict,
    }
}

/// Files as a document is about them, with what is asked of them.
fn names_of(files: &[PathBuf], asked: Option<&str>) -> String {
    let names = files.iter().map(|file| file.display().to_string());
    let names: Vec<String> = names.chain(asked.map(str::to_owned)).collect();
    names.join(" ")
}

/// The same for what versions are compared by, which has a format of its own.
fn form_key(key: &Key) -> Key {
    Key::of(&[difference::FORMAT.as_bytes(), key.to_string().as_bytes()])
}

/// The sum of files and options.
fn key(options: &[u8], sums: &[[u8; 32]]) -> Key {
    let sums = sums.iter().map(|sum| &sum[..]);
    let parts: Vec<&[u8]> = [FORMAT, options].into_iter().chain(sums).collect();
    Key::of(&parts)
}
