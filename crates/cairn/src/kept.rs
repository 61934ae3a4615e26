//! What is kept between runs, for one question: what there is to begin with, and what is written down.
//!
//! A document is found by the sum of what was read and of all options that matter, or, for another
//! version, by what it is about: file, entry, properties. Nothing is believed, so it does no harm to find
//! too much.

use crate::options::Asking;
use crate::output::complain;
use answer::Verdict;
use serde::{Deserialize, Serialize};
use source::map::Sum;
use std::path::Path;
use std::sync::Arc;
use store::{Key, Kind, New, Settings, Store};
use verify::{Knowledge, Outcome, Task};

/// Changes with the documents.
const FORMAT: &[u8] = b"cairn knowledge 2";
/// How many documents about the same thing are tried.
const TRIED: usize = 2;

/// What is kept of a question.
pub struct Kept {
    store: Store,
    /// All options that matter.
    options: Vec<u8>,
    key: Key,
    about: String,
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
}

impl Kept {
    /// What is kept of a task, if a folder for it is named.
    pub fn open(arguments: &Asking, task: &Task) -> Result<Option<Kept>, String> {
        let Some(folder) = &arguments.store else { return Ok(None) };
        let store = Store::open(folder, Settings::default()).map_err(|error| error.to_string())?;
        store.take_notices().iter().for_each(|notice| complain(&notice.to_string()));
        let reading = &task.reading;
        let options = format!(
            "{:?} {} {:?} {:?} {:?} {:?} {} {:?}",
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
        let names: Vec<&str> = task.files.iter().map(|file| &*file.name).collect();
        let options = options.into_bytes();
        let key = key(&options, &sums);
        Ok(Some(Kept { store, key, about: about(&names), options }))
    }

    /// What there is to begin with: about the very same text, about the version before, or about files
    /// of this name.
    pub fn known(&self, old: Option<&Path>) -> Arc<[Knowledge]> {
        let mut keys = vec![self.key];
        if let Some(bytes) = old.and_then(|old| std::fs::read(old).ok()) {
            keys.push(key(&self.options, &[Sum::of(&bytes).0]));
        }
        let mut documents = Vec::new();
        for kind in [Kind::Input, Kind::Invariant, Kind::Lemmas] {
            let exact = keys.iter().find_map(|key| self.store.get(kind, key).ok().flatten());
            let names = old.map(|old| about(&[&old.display().to_string()]));
            let names = names.into_iter().chain([self.about.clone()]);
            match exact {
                Some(document) => documents.push(document),
                None => documents
                    .extend(names.flat_map(|name| {
                        self.store.latest(kind, &name, TRIED).unwrap_or_default()
                    })),
            }
        }
        let read = documents
            .iter()
            .filter_map(|document| serde_json::from_slice::<Vec<Knowledge>>(&document.bytes).ok());
        read.flatten().collect()
    }

    /// What is known of the verdict on a version before.
    pub fn past(&self, old: &Path) -> Option<Past> {
        let sum = Sum::of(&std::fs::read(old).ok()?);
        let document = self.store.get(Kind::Verdict, &key(&self.options, &[sum.0])).ok()??;
        serde_json::from_slice(&document.bytes).ok()
    }

    /// Writes down what was found. That it can't be is no reason to keep the answer back.
    pub fn keep(&self, outcome: &Outcome) {
        let engine = outcome.answers.iter().find_map(|answer| answer.engine.as_ref());
        let past = Past {
            verdict: outcome.verdict(),
            engine: engine.map(|engine| engine.to_string()),
            seconds: outcome.seconds,
        };
        let mut documents = vec![(Kind::Verdict, serde_json::to_vec(&past))];
        for kind in [Kind::Input, Kind::Invariant, Kind::Lemmas] {
            let of_kind = |knowledge: &&Knowledge| kind_of(knowledge) == kind;
            let all: Vec<&Knowledge> = outcome.learned.iter().filter(of_kind).collect();
            if !all.is_empty() {
                documents.push((kind, serde_json::to_vec(&all)));
            }
        }
        let written = documents.iter().filter_map(|(kind, bytes)| {
            let bytes = bytes.as_ref().ok()?;
            Some(New { kind: *kind, key: self.key, about: &self.about, bytes })
        });
        if let Err(error) = self.store.put_all(&written.collect::<Vec<New<'_>>>()) {
            complain(&format!("nothing is kept of this run: {error}"));
        }
    }
}

/// What kind of document something is.
fn kind_of(knowledge: &Knowledge) -> Kind {
    match knowledge {
        Knowledge::Inputs(_) => Kind::Input,
        Knowledge::Lemmas { lemmas, .. } if lemmas.proof => Kind::Invariant,
        Knowledge::Lemmas { .. } => Kind::Lemmas,
    }
}

/// The sum of files and options.
fn key(options: &[u8], sums: &[[u8; 32]]) -> Key {
    let sums = sums.iter().map(|sum| &sum[..]);
    let parts: Vec<&[u8]> = [FORMAT, options].into_iter().chain(sums).collect();
    Key::of(&parts)
}

/// What files are called, wherever they lie.
fn about(names: &[&str]) -> String {
    names.join(" ")
}
