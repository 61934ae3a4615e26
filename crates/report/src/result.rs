//! The result of a check as one document: what `--format json` prints and `cairn explain` reads.
//!
//! docs/json.md describes every field; a test compares both. The form is versioned: a reader may rely
//! on the fields of its [`SCHEMA`], and on new ones being added only together with a new number.
//! Every field is always there; what does not apply is null or empty.

use crate::invariant;
use answer::{Ended, EngineName, ProofKind, Reason, Unit, VacuityStatus};
pub use answer::{Place, Verdict};
use program::counterexample::{self, Counterexample, Taken};
use serde::{Deserialize, Serialize};
use std::fmt;
use verify::Language;
use verify::class::Class;
use verify::language::Role;
use verify::task::Registers;

/// The version of the form.
pub const SCHEMA: u32 = 6;

/// The most steps of a run that are kept: the first ones and, more of them, the last ones.
const FIRST_STEPS: usize = 200;
const LAST_STEPS: usize = 1_800;

/// A result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Document {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Who made it.
    pub tool: Tool,
    /// The name of the language.
    pub language: String,
    /// The files, as the user named them.
    pub files: Vec<String>,
    /// What was asked.
    pub properties: Vec<String>,
    /// `ILP32` or `LP64`, of a C program.
    pub data_model: Option<String>,
    /// The function that a C program starts with.
    pub entry: Option<String>,
    /// All answers together.
    pub verdict: Verdict,
    /// Why it is unknown, in words.
    pub reason: Option<String>,
    /// The same as data.
    pub why: Option<Reason>,
    /// One for each question: each property of a circuit; of a program each check that fails, each
    /// proof with what it is of, and one for what is open.
    pub answers: Vec<Answer>,
    /// The checks of a program, in order of importance, unless all were asked about together.
    pub checks: Vec<CheckLine>,
    /// What the verdict rests on beside the text of the program.
    pub assumptions: Vec<Assumption>,
    /// Functions that the program uses and nobody defines.
    pub undefined: Vec<String>,
    /// Whether a proof says something; of C programs that are safe.
    pub vacuity: Option<Vacuity>,
    /// The files that were written.
    pub outputs: Outputs,
    /// Effort.
    pub statistics: Statistics,
}

/// Who made a document.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tool {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
}

/// The answer to one question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The names of the properties, with commas.
    pub property: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is unknown, in words; of dead code, what is dead.
    pub reason: Option<String>,
    /// Why it is unknown, as data.
    pub why: Option<Reason>,
    /// Who found it.
    pub engine: Option<EngineName>,
    /// Of a safe answer.
    pub proof: Option<Proof>,
    /// Of an unsafe answer.
    pub run: Option<Run>,
    /// How the evidence was checked; nothing if it was not.
    pub check: Option<Check>,
    /// Of a controller's program, the requirement that was asked about.
    pub requirement: Option<Requirement>,
}

/// What has to hold of a controller's program, as somebody stated it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Requirement {
    /// Its name; empty if it has none.
    pub name: String,
    /// What it says, for people; may be empty.
    pub text: String,
    /// The name of its pattern.
    pub pattern: String,
    /// The pattern's expressions.
    pub expressions: Vec<String>,
    /// Whether it holds: of what is to be reached, the opposite of the answer's verdict.
    pub verdict: Verdict,
}

/// A check of a program, and what is known of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckLine {
    /// Where.
    pub place: Place,
    /// The name of the property.
    pub property: String,
    /// The function.
    pub function: String,
    /// What is known: `unsafe`, `unknown`, `unreachable` or `safe`.
    pub status: CheckStatus,
    /// Why it is unknown, in words.
    pub reason: Option<String>,
    /// The number of the answer with the evidence, from zero.
    pub answer: Option<usize>,
}

/// What is known of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// A run fails it.
    Unsafe,
    /// Nobody knows.
    Unknown,
    /// No run comes to it.
    Unreachable,
    /// No run fails it.
    Safe,
}

/// Why a question is answered `safe`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// Its kind.
    pub kind: ProofKind,
    /// Of k-induction.
    pub k: Option<usize>,
    /// How many formulas or clauses the invariant has.
    pub size: Option<usize>,
    /// The invariant at the loops of the source.
    pub invariants: Vec<LoopInvariant>,
    /// What is known of functions, where the proof is by summaries.
    #[serde(default)]
    pub contracts: Vec<Contract>,
    /// The relations of predicates, of Horn clauses, as SMT-LIB writes definitions.
    #[serde(default)]
    pub model: Option<String>,
}

/// What holds of every call of a function, or whenever a loop is left.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Contract {
    /// The function, and which loop of it.
    pub function: String,
    /// Where it is defined, or begins.
    pub place: Place,
    /// Expressions, one of which excludes that a violation is reached.
    pub requires: Vec<String>,
    /// Expressions that hold of calls that return.
    pub ensures: Vec<String>,
    /// How many formulas the language can't express.
    pub left_out: usize,
}

/// What holds whenever a loop begins or begins again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoopInvariant {
    /// The loop.
    pub place: Place,
    /// Its function.
    pub function: String,
    /// As the language writes it.
    pub expression: String,
    /// How many conjuncts the language can't express there.
    pub left_out: usize,
}

/// A run into a violation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The property that is violated.
    pub violated: String,
    /// Where.
    pub place: Option<Place>,
    /// In which function.
    pub function: Option<String>,
    /// The calls that are open there, outermost first.
    pub stack: Vec<Call>,
    /// The objects and functions that must lie at certain addresses.
    pub placed: Vec<Placed>,
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// How many steps are left out in the middle of a long run.
    pub steps_left_out: usize,
    /// The number of clock ticks, of a circuit.
    pub length: Option<usize>,
    /// The run in the witness format of the circuit's language.
    pub trace: Option<String>,
    /// Which inputs of a program fail in the same way, if there is a short answer.
    pub class: Option<Class>,
    /// Of a controller's program, the values of its variables at the end of each cycle: a list of
    /// objects.
    pub cycles: Option<serde_json::Value>,
    /// The number of the first cycle, from one, of those that go on for ever, of a run without end.
    pub repeats: Option<usize>,
}

/// An open call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    /// The function that calls.
    pub function: String,
    /// Where.
    pub place: Place,
}

/// An object or a function that lies where the run needs it; C leaves that open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Placed {
    /// Its name.
    pub what: String,
    /// Its address, in hexadecimal.
    pub address: String,
    /// How it lies to another object, in words.
    pub beside: Option<String>,
}

/// A step of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    /// What it is.
    pub kind: StepKind,
    /// Where.
    pub place: Place,
    /// The function.
    pub function: String,
    /// The source of the input, or the variable.
    pub what: String,
    /// The value, as the language writes it.
    pub value: String,
}

/// Kinds of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// The program takes a value that it does not determine.
    Input,
    /// A variable takes a value.
    Assignment,
}

/// How evidence was checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Check {
    /// In words.
    pub by: String,
    /// How long it took.
    pub seconds: f64,
}

/// Something that a verdict rests on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Assumption {
    /// In words.
    pub text: String,
    /// Where it is needed first.
    pub place: Option<Place>,
}

/// Whether any check of the property is reached at all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Vacuity {
    /// What it comes to.
    pub status: VacuityStatus,
    /// How it was determined, or why it was not.
    pub how: String,
}

/// Files that were written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outputs {
    /// The witness.
    pub witness: Option<String>,
    /// The harness.
    pub harness: Option<String>,
}

/// Effort.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// From the start to the answer.
    pub seconds: f64,
    /// What was allowed.
    pub time_limit: Option<f64>,
    /// In megabytes.
    pub memory_limit: Option<u64>,
    /// The engines that took part.
    pub engines: Vec<Effort>,
    /// The automaton of the program.
    pub model: Option<Size>,
    /// The same after minimization.
    pub minimized: Option<Size>,
    /// How many open calls of one function the model has room for.
    pub recursion: Option<u32>,
}

/// What an engine did.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Effort {
    /// Its name.
    pub engine: EngineName,
    /// The goal that it worked on, where each has engines of its own.
    pub goal: Option<String>,
    /// How it ended, in words; nothing if it was stopped because another one was first.
    pub outcome: Option<String>,
    /// The same as data.
    pub ended: Option<Ended>,
    /// The frame of IC3, or the number of steps that no violation is below.
    pub reached: u64,
    /// In what that is counted.
    pub unit: Unit,
}

/// The size of an automaton.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Size {
    /// Locations.
    pub locations: usize,
    /// Edges.
    pub edges: usize,
    /// Variables.
    pub variables: usize,
}

impl From<&invariant::LoopInvariant> for LoopInvariant {
    fn from(invariant: &invariant::LoopInvariant) -> LoopInvariant {
        LoopInvariant {
            place: invariant.place.clone(),
            function: invariant.function.clone(),
            expression: invariant.expression.clone(),
            left_out: invariant.dropped,
        }
    }
}

impl From<&counterexample::Placed> for Placed {
    fn from(placed: &counterexample::Placed) -> Placed {
        Placed {
            what: placed.what.clone(),
            address: format!("{:#x}", placed.address),
            beside: placed.beside.clone(),
        }
    }
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.what, self.address)?;
        self.beside.iter().try_for_each(|beside| write!(f, " ({beside})"))
    }
}

impl Run {
    /// A run of a circuit, of which nothing is known but what it violates.
    pub fn of_circuit(violated: String) -> Run {
        Run {
            violated,
            place: None,
            function: None,
            stack: Vec::new(),
            placed: Vec::new(),
            steps: Vec::new(),
            steps_left_out: 0,
            length: None,
            trace: None,
            class: None,
            cycles: None,
            repeats: None,
        }
    }

    /// A run of a program; of its assignments those to variables that matter, all if it is not
    /// known which.
    pub fn of_program(
        run: &Counterexample,
        matter: Option<&Registers>,
        language: &dyn Language,
    ) -> Run {
        let silent = |input: &Taken| matches!(language.role(input), Role::Check | Role::Part);
        let hidden = |input: &Taken| input.is_unset() || silent(input);
        let mut steps = Vec::new();
        let mut taken = run.taken.iter().peekable();
        for number in 0..=run.assignments.len() {
            while let Some(input) = taken.next_if(|input| input.after <= number) {
                if input.place.is_known() && !hidden(input) {
                    steps.push(Step {
                        kind: StepKind::Input,
                        place: input.place.clone(),
                        function: input.function.to_string(),
                        what: input.what(),
                        value: language.value(&input.value, input.reading),
                    });
                }
            }
            let Some(assignment) = run.assignments.get(number) else { continue };
            let known = language.is_known(&assignment.variable);
            if known && matter.is_none_or(|matter| matter.contains(&assignment.id)) {
                steps.push(Step {
                    kind: StepKind::Assignment,
                    place: assignment.place.clone(),
                    function: assignment.function.to_string(),
                    what: assignment.variable.to_string(),
                    value: language.value(&assignment.value, assignment.reading),
                });
            }
        }
        let left_out = steps.len().saturating_sub(FIRST_STEPS + LAST_STEPS);
        steps.drain(FIRST_STEPS.min(steps.len())..FIRST_STEPS.min(steps.len()) + left_out);
        let call = |(function, place): &(std::sync::Arc<str>, Place)| Call {
            function: function.to_string(),
            place: place.clone(),
        };
        Run {
            violated: run.property.map_or_else(String::new, |property| property.name().to_owned()),
            place: run.place.known(),
            function: Some(run.function.to_string()),
            stack: run.stack.iter().map(call).collect(),
            placed: run.placed.iter().map(Placed::from).collect(),
            steps,
            steps_left_out: left_out,
            length: None,
            trace: None,
            class: None,
            cycles: None,
            repeats: None,
        }
    }
}

/// Why a text is no document.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not of the form.
    #[error(transparent)]
    Form(#[from] serde_json::Error),
    /// It is of a later version.
    #[error("the document is of version {0} of the form, and this is version {SCHEMA}")]
    Version(u32),
}

impl Document {
    /// The document as JSON, on several lines.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self)
            .expect("a document has no maps whose keys are no strings")
    }

    /// Reads a document.
    pub fn read(text: &str) -> Result<Document, ReadError> {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let version: Version = serde_json::from_str(text)?;
        if version.schema != SCHEMA {
            return Err(ReadError::Version(version.schema));
        }
        Ok(serde_json::from_str(text)?)
    }
}
