//! Coverage as a document, in JSON.
//!
//! Vectors are told by what changes from cycle to cycle: an input that is not named in a cycle takes the
//! values that it took in the cycle before.

use answer::Place;
use coverage::report::{Counts, Judged, Report};
use coverage::status::{Evidence, Status, Witness};
use coverage::suite::Vector;
use program::counterexample::Taken;
use serde::Serialize;
use std::collections::BTreeMap;
use verify::Language;

/// All that is known.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Document {
    /// What wrote it.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// The files, as they were named.
    pub files: Vec<String>,
    /// What ended the search before all was known, if something did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exhausted: Option<String>,
    /// How long it took.
    pub seconds: f64,
    /// How many goals of all kinds have which status.
    pub counts: BTreeMap<String, usize>,
    /// The same by kind.
    pub kinds: BTreeMap<String, BTreeMap<String, usize>>,
    /// Every goal.
    pub goals: Vec<Goal>,
    /// The test vectors.
    pub vectors: Vec<TestVector>,
    /// Functions that nothing refers to.
    pub unused_functions: Vec<Named>,
    /// Values that nothing reads.
    pub unused_values: Vec<Named>,
    /// Where runs end because of undefined behaviour.
    pub ends: Vec<End>,
    /// What the answers rest on beside the text of the program.
    pub assumptions: Vec<String>,
}

/// A goal.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Goal {
    /// Its name.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Where it is.
    pub place: Place,
    /// The function.
    pub function: String,
    /// What it is.
    pub about: String,
    /// The macro whose text it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_macro: Option<String>,
    /// What is known: covered, infeasible, open or justified.
    pub status: String,
    /// Where it is shown; two of a pair.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<Shown>,
    /// Why nothing can show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
    /// The proof that this rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Why it is open, or what justifies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How far engines came that were asked about it last, if it is open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reached: Vec<Reached>,
}

/// How far an engine came.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Reached {
    /// Which one.
    pub engine: String,
    /// So many
    pub count: u64,
    /// of what it counts.
    pub unit: String,
}

/// Where a goal is shown.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Shown {
    /// The vector, counted from 1.
    pub vector: usize,
    /// Its cycle, counted from 1.
    pub cycle: usize,
    /// Of a decision, the values of its conditions: 0, 1, or - where one is not evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<String>,
}

/// An accepted proof.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Proof {
    /// Who found it.
    pub engine: String,
    /// Its kind.
    pub kind: String,
    /// Of k-induction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// How many formulas it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// How many questions it answers.
    pub questions: usize,
}

/// Something with a name.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where it is.
    pub place: Place,
}

/// Where runs end.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct End {
    /// Where.
    pub place: Place,
    /// What they do there.
    pub what: String,
    /// How many did.
    pub runs: usize,
}

/// A test vector.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct TestVector {
    /// How many cycles it has.
    pub cycles: usize,
    /// The goals that it is kept for.
    pub goals: Vec<String>,
    /// The cycles in which an input changes.
    pub steps: Vec<Step>,
}

/// The inputs that change in a cycle.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Step {
    /// The cycle, counted from 1.
    pub cycle: usize,
    /// The values, in the order in which they are taken.
    pub inputs: Vec<Input>,
}

/// The value of an input.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Input {
    /// The how-manyth value it is that the cycle takes, counted from 0.
    pub number: usize,
    /// What gives it.
    pub source: String,
    /// Where it is taken.
    pub place: Place,
    /// The value, as the language writes it.
    pub value: String,
}

/// The document of a report.
#[must_use]
pub fn document(language: &dyn Language, files: Vec<String>, report: &Report) -> Document {
    let kinds = coverage::goal::Kind::ALL.into_iter();
    let kinds = kinds.map(|kind| (kind.name().to_owned(), report.counts(Some(kind))));
    let named = |name: &str, place: &Place| Named { name: name.to_owned(), place: place.clone() };
    Document {
        tool: "cairn".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        files,
        exhausted: report.exhausted.map(|exhausted| exhausted.to_string()),
        seconds: report.seconds,
        counts: counted(report.counts(None)),
        kinds: kinds
            .filter(|(_, counts)| counts.all() > 0)
            .map(|(name, counts)| (name, counted(counts)))
            .collect(),
        goals: report.goals.iter().map(|judged| goal(report, judged)).collect(),
        vectors: report.suite.vectors.iter().map(|v| vector(language, report, v)).collect(),
        unused_functions: report.unused.iter().map(|(name, place)| named(name, place)).collect(),
        unused_values: report.unused_values.iter().map(|v| named(&v.variable, &v.place)).collect(),
        ends: report
            .ends
            .iter()
            .map(|(place, what, runs)| End {
                place: place.clone(),
                what: what.clone(),
                runs: *runs,
            })
            .collect(),
        assumptions: report.assumptions.iter().map(|assumption| assumption.text.clone()).collect(),
    }
}

impl Document {
    /// As text.
    ///
    /// # Panics
    /// Never: it is plain data.
    #[must_use]
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("the document is plain data")
    }
}

fn counted(counts: Counts) -> BTreeMap<String, usize> {
    let Counts { covered, infeasible, open, justified } = counts;
    let counts = [
        ("goals", counts.all()),
        ("covered", covered),
        ("infeasible", infeasible),
        ("open", open),
        ("justified", justified),
    ];
    counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
}

fn goal(report: &Report, Judged { goal, status }: &Judged) -> Goal {
    let mut told = Goal {
        id: goal.id.clone(),
        kind: goal.kind.name().to_owned(),
        place: goal.place().clone(),
        function: goal.function.to_string(),
        about: goal.about.clone(),
        within_macro: goal.spot.in_macro.as_ref().map(ToString::to_string),
        status: status.word().to_owned(),
        shown: Vec::new(),
        how: None,
        proof: None,
        reason: None,
        reached: Vec::new(),
    };
    match status {
        Status::Covered(evidence) => told.shown = shown(report, goal.what, evidence),
        Status::Infeasible(exclusion) => {
            told.how = Some(exclusion.how.name().to_owned());
            told.proof = exclusion.proof.as_ref().map(|proof| Proof {
                engine: proof.engine.to_string(),
                kind: proof.kind.to_string(),
                k: proof.k,
                size: proof.size,
                questions: proof.questions,
            });
        }
        Status::Open(open) => {
            told.reason = Some(open.reason.to_string());
            let reached = open.reached.iter().map(|(engine, count, unit)| Reached {
                engine: engine.to_string(),
                count: *count,
                unit: unit.to_string(),
            });
            told.reached = reached.collect();
        }
        Status::Justified { reason, .. } => told.reason = Some(reason.clone()),
    }
    told
}

fn shown(report: &Report, what: coverage::goal::What, evidence: &Evidence) -> Vec<Shown> {
    use coverage::goal::What;
    let decision = match what {
        What::Point(_) => None,
        What::Outcome { decision, .. }
        | What::Truth { decision, .. }
        | What::Independence { decision, .. } => report.map.decisions.get(decision),
    };
    let one = |Witness { vector, cycle, values }: &Witness| {
        let conditions = decision.map(|decision| {
            let evaluated = decision.tree.evaluate(*values).evaluated;
            let count = decision.conditions.len();
            let value = |number: usize| match (evaluated >> number & 1, values >> number & 1) {
                (0, _) => '-',
                (_, 0) => '0',
                _ => '1',
            };
            (0..count).map(value).collect()
        });
        Shown { vector: vector + 1, cycle: cycle + 1, conditions }
    };
    // Without vectors, no place in them is told.
    let told = |witness: &&Witness| witness.vector < report.suite.vectors.len();
    evidence.witnesses().filter(told).map(one).collect()
}

fn vector(language: &dyn Language, report: &Report, vector: &Vector) -> TestVector {
    let input = |number: usize, taken: &Taken| Input {
        number,
        source: taken.what(),
        place: taken.place.clone(),
        value: language.value(&taken.value, taken.reading),
    };
    let mut steps = Vec::new();
    let mut before: &[Taken] = &[];
    for cycle in 0..vector.cycles.len() {
        let taken = vector.cycle(cycle);
        let changed = |(number, taken): &(usize, &Taken)| {
            let old = before.get(*number);
            old.is_none_or(|old| old.value != taken.value || old.instruction != taken.instruction)
        };
        let inputs = taken.iter().enumerate().filter(changed);
        let inputs: Vec<Input> = inputs.map(|(number, taken)| input(number, taken)).collect();
        if !inputs.is_empty() {
            steps.push(Step { cycle: cycle + 1, inputs });
        }
        before = taken;
    }
    let goals = vector.goals.iter().map(|goal| report.goals[*goal].goal.id.clone());
    TestVector { cycles: vector.cycles.len(), goals: goals.collect(), steps }
}
