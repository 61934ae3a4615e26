//! What is noted on the way to the verdicts about a circuit: the document of `--format json`.

use super::{Format, Overall};
use crate::exit::Exit;
use crate::options::{Check, Engine};
use circuit::verdict::{Proof, Reason, Verdict};
use report::result::{self, Answer, Document, Effort, SCHEMA};
use std::path::Path;

/// The document as far as it is known. Answers come in the order of the properties.
pub struct Record<'a> {
    document: Document,
    arguments: &'a Check,
    /// Evidence of the property that is being checked, for its answer.
    accepted: Option<Answer>,
}

impl<'a> Record<'a> {
    /// A document without an answer: the time is up.
    pub fn new(file: &Path, format: Format, arguments: &'a Check) -> Self {
        let document = Document {
            schema: SCHEMA,
            tool: result::Tool {
                name: "cairn".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            language: match format {
                Format::Aiger => "AIGER".to_owned(),
                Format::Btor2 => "BTOR2".to_owned(),
            },
            files: vec![file.display().to_string()],
            properties: Vec::new(),
            data_model: None,
            entry: None,
            verdict: result::Verdict::Unknown,
            reason: Some(Reason::from(answer::Exhausted::Time).to_string()),
            answers: Vec::new(),
            assumptions: Vec::new(),
            undefined: Vec::new(),
            vacuity: None,
            outputs: result::Outputs::default(),
            statistics: result::Statistics {
                seconds: arguments.time_limit.unwrap_or_default(),
                time_limit: arguments.time_limit,
                memory_limit: arguments.memory_limit,
                ..result::Statistics::default()
            },
        };
        Record { document, arguments, accepted: None }
    }

    /// The document as it is.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// How an engine ended on a property.
    pub fn effort(&mut self, property: &str, verdict: &Verdict, reached: usize) {
        let engine = self.engine();
        let frames = engine == "ic3" || engine == "portfolio";
        self.document.statistics.engines.push(Effort {
            engine: engine.to_owned(),
            outcome: Some(match verdict {
                Verdict::Safe(_) => format!("{property}: safe"),
                Verdict::Unsafe(_) => format!("{property}: unsafe"),
                Verdict::Unknown(reason) => format!("{property}: unknown ({reason})"),
            }),
            reached: reached as u64,
            unit: if frames { "frames" } else { "steps" }.to_owned(),
        });
    }

    /// Notes accepted evidence; `seconds` is what its check took, if there was one.
    pub fn evidence(&mut self, property: String, verdict: &Verdict, seconds: Option<f64>) {
        let proof = |kind: &str, k, size| {
            let kind = kind.to_owned();
            Some(result::Proof { kind, k, size, invariants: Vec::new() })
        };
        let (proof, run, by) = match verdict {
            Verdict::Safe(Proof::Inductive(clauses)) => {
                (proof("inductive", None, Some(clauses.len())), None, "certify, with CaDiCaL")
            }
            Verdict::Safe(Proof::KInductive { k, .. }) => {
                (proof("k-inductive", Some(*k), None), None, "certify, with our own solver")
            }
            Verdict::Unsafe(trace) => {
                let run = result::Run {
                    violated: property.clone(),
                    place: None,
                    function: None,
                    stack: Vec::new(),
                    steps: Vec::new(),
                    steps_left_out: 0,
                    length: Some(trace.inputs.len()),
                    trace: None,
                };
                (None, Some(run), "simulation of the circuit")
            }
            Verdict::Unknown(_) => return,
        };
        self.accepted = Some(Answer {
            engine: Some(self.engine().to_owned()),
            proof,
            run,
            check: seconds.map(|seconds| result::Check { by: by.to_owned(), seconds }),
            ..unanswered(property)
        });
    }

    /// The trace of the property that is being checked, as it is written.
    pub fn trace(&mut self, text: String) {
        if let Some(run) = self.accepted.as_mut().and_then(|answer| answer.run.as_mut()) {
            run.trace = Some(text);
        }
    }

    /// The answer to the next property.
    pub fn answer(&mut self, property: String, verdict: &Overall) {
        self.document.properties.push(property.clone());
        let mut answer = self.accepted.take().unwrap_or_else(|| unanswered(property));
        (answer.verdict, answer.reason) = match verdict {
            Overall::Safe => (result::Verdict::Safe, None),
            Overall::Unsafe => (result::Verdict::Unsafe, None),
            Overall::Unknown(reason) => (result::Verdict::Unknown, Some(reason.clone())),
        };
        self.document.answers.push(answer);
    }

    /// The whole document.
    pub fn complete(&mut self, exit: Exit, seconds: f64) -> String {
        let document = &mut self.document;
        document.verdict = match exit {
            Exit::Success => result::Verdict::Safe,
            Exit::Unsafe => result::Verdict::Unsafe,
            _ => result::Verdict::Unknown,
        };
        let open = document.answers.iter().find_map(|answer| answer.reason.clone());
        document.reason = open.filter(|_| document.verdict == result::Verdict::Unknown);
        let inductive = |answer: &Answer| {
            answer.run.is_some() || answer.proof.as_ref().is_some_and(|p| p.kind == "inductive")
        };
        if document.answers.iter().any(inductive) {
            let witness = self.arguments.witness.as_ref();
            document.outputs.witness = witness.map(|path| path.display().to_string());
        }
        document.statistics.seconds = seconds;
        document.json()
    }

    /// The engine that was asked for.
    fn engine(&self) -> &'static str {
        match self.arguments.engine {
            Engine::Auto if self.arguments.jobs.unwrap_or(1) <= 1 => "ic3",
            Engine::Auto | Engine::Portfolio => "portfolio",
            Engine::Ic3 | Engine::Ic3cfa | Engine::Ic3smt | Engine::Treeic3 => "ic3",
            Engine::Bmc => "bmc",
            Engine::Kind => "kind",
        }
    }
}

/// An answer that says nothing.
fn unanswered(property: String) -> Answer {
    Answer {
        property,
        verdict: result::Verdict::Unknown,
        reason: None,
        engine: None,
        proof: None,
        run: None,
        check: None,
    }
}
