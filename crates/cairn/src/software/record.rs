//! What is noted on the way to a verdict, and the document that is made of it.

use super::reached::Board;
use super::{Decision, Subject, property};
use crate::limits::Exhausted;
use crate::options::{Check, DataModel};
use program::program::{Assumption, VariableId};
use program::{Cfa, Command};
use report::result::{self, Answer, Document, Outputs, Place, Run, SCHEMA, Size, Verdict};
use rustc_hash::FxHashSet;
use std::path::PathBuf;
use term::Term;

/// What is noted.
#[derive(Default)]
pub struct Record {
    /// Without repetitions.
    pub assumptions: Vec<Assumption>,
    /// Who found the answer.
    pub engine: Option<&'static str>,
    /// When the evidence was there.
    pub solving: f64,
    /// How long the check of the evidence took; nothing if there was none.
    pub check: Option<f64>,
    /// The engines.
    pub board: Board,
    pub vacuity: Option<result::Vacuity>,
    /// The variables on which the violation can depend.
    pub matter: Option<FxHashSet<VariableId>>,
}

/// The size of an automaton.
pub fn size(cfa: &Cfa) -> Size {
    Size { locations: cfa.locations.len(), edges: cfa.edges.len(), variables: cfa.variables.len() }
}

/// A document without an answer: the time is up.
pub fn blank(files: &[PathBuf], arguments: &Check) -> Document {
    let name = |path: &PathBuf| path.display().to_string();
    let properties = property::parse(&arguments.c.property).unwrap_or_default();
    Document {
        schema: SCHEMA,
        tool: result::Tool {
            name: "cairn".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        language: "C".to_owned(),
        files: files.iter().map(name).collect(),
        properties: properties.iter().map(|property| property.name().to_owned()).collect(),
        data_model: Some(match arguments.c.data_model {
            DataModel::Ilp32 => "ILP32".to_owned(),
            DataModel::Lp64 => "LP64".to_owned(),
        }),
        entry: Some(arguments.c.entry.clone()),
        verdict: Verdict::Unknown,
        reason: Some(answer::Exhausted::Time.to_string()),
        answers: Vec::new(),
        assumptions: Vec::new(),
        undefined: Vec::new(),
        vacuity: None,
        outputs: Outputs::default(),
        statistics: result::Statistics {
            time_limit: arguments.time_limit,
            memory_limit: arguments.memory_limit,
            ..result::Statistics::default()
        },
    }
}

/// The document of a run that was ended by the last resort.
pub fn late(blank: &Document, board: &Board, what: Exhausted, seconds: f64) -> Document {
    let mut document = blank.clone();
    document.reason = Some(what.to_string());
    board.complete(&mut document.statistics);
    document.statistics.seconds = seconds;
    document
}

/// The variables that a command writes.
pub fn assigned(command: &Command, into: &mut FxHashSet<Term>) {
    match command {
        Command::Assume(_) => {}
        Command::Assign(variable, _) | Command::Havoc(variable, _) => {
            into.insert(*variable);
        }
        Command::Sequence(commands) | Command::Choice(commands) => {
            commands.iter().for_each(|command| assigned(command, into));
        }
    }
}

impl Record {
    /// Completes a document with what was noted and the decision.
    pub fn complete(
        &self,
        mut document: Document,
        subject: &Subject,
        decision: &Decision,
        arguments: &Check,
        seconds: f64,
    ) -> Document {
        let properties: Vec<String> =
            subject.properties.iter().map(|property| property.name().to_owned()).collect();
        let name = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        // Who found a proof that does not count has not found the answer.
        let decided = !matches!(decision, Decision::Unknown(_));
        let mut answer = Answer {
            property: properties.join(","),
            verdict: Verdict::Unknown,
            reason: None,
            engine: self.engine.filter(|_| decided).map(str::to_owned),
            proof: None,
            run: None,
            check: None,
        };
        let check =
            |by: &str| self.check.map(|seconds| result::Check { by: by.to_owned(), seconds });
        match decision {
            Decision::Safe(proved) => {
                answer.verdict = Verdict::Safe;
                let by = match proved.kind {
                    "executed" => "the interpreter of the program",
                    _ => "certify, with CaDiCaL, on the automaton before minimization",
                };
                answer.check = check(by);
                answer.proof = Some(result::Proof {
                    kind: proved.kind.to_owned(),
                    k: proved.k,
                    size: proved.size,
                    invariants: proved.loops.iter().map(Into::into).collect(),
                });
                document.vacuity = self.vacuity.clone();
                document.outputs.witness = name(&arguments.witness);
            }
            Decision::Unsafe(run) => {
                answer.verdict = Verdict::Unsafe;
                answer.check = check("the interpreter of the program, which replayed it");
                answer.run = Some(Run::of_program(run, self.matter.as_ref()));
                document.outputs = Outputs {
                    witness: name(&arguments.witness),
                    harness: name(&arguments.harness),
                };
            }
            Decision::Unknown(why) => answer.reason = Some(why.clone()),
        }
        let assumption = |assumption: &Assumption| result::Assumption {
            text: assumption.text.clone(),
            place: Place::known(&assumption.place),
        };
        document.verdict = answer.verdict;
        document.reason = answer.reason.clone();
        document.answers = vec![answer];
        document.properties = properties;
        document.assumptions = self.assumptions.iter().map(assumption).collect();
        document.undefined =
            subject.program.undefined.iter().map(|name| name.to_string()).collect();
        document.statistics.seconds = seconds;
        self.board.complete(&mut document.statistics);
        document
    }
}
