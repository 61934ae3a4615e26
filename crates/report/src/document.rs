//! From an outcome to the document that `--format json` prints.

use crate::cycles::Cycles;
use crate::result::{
    self, Answer, Assumption, Check, CheckLine, CheckStatus, Document, Effort, Outputs, Proof,
    SCHEMA, Size, Statistics, Tool, Vacuity,
};
use crate::subject::Subject;
use crate::table::is_listed;
use crate::text::dead;
use answer::{Exhausted, ProofKind, Reason, Verdict};
use circuit::{aiger, btor2};
use front_st::compile::Stated;
use passes::Back;
use verify::board::Board;
use verify::listener::Size as AutomatonSize;
use verify::outcome::{
    Answer as Decided, Checked, Finding, Held, Outcome, Proved, Status, Violation,
};
use verify::{Language, Limits, Reading, Task};

/// A document without an answer, about files in a language: the time is up.
pub fn blank(
    language: &dyn Language,
    files: Vec<String>,
    reading: &Reading,
    limits: &Limits,
) -> Document {
    let program = language.has_programs();
    let properties = reading.properties.iter().map(|property| property.name().to_owned());
    let model = language.has_data_model().then(|| reading.data_model.name().to_owned());
    Document {
        schema: SCHEMA,
        tool: Tool { name: "cairn".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        language: language.name().to_owned(),
        files,
        properties: if program { properties.collect() } else { Vec::new() },
        data_model: model,
        entry: program.then(|| reading.entry.clone()),
        verdict: Verdict::Unknown,
        reason: None,
        why: None,
        answers: Vec::new(),
        checks: Vec::new(),
        assumptions: Vec::new(),
        undefined: Vec::new(),
        vacuity: None,
        outputs: Outputs::default(),
        statistics: Statistics {
            seconds: limits.time.map_or(0.0, |time| time.as_secs_f64()),
            time_limit: limits.time.map(|time| time.as_secs_f64()),
            memory_limit: limits.memory,
            ..Statistics::default()
        },
    }
}

/// The document of a question that was ended from outside.
pub fn late(blank: &Document, board: &Board, what: Exhausted, seconds: f64) -> Document {
    let why = Reason::Stopped(what);
    let mut document = Document { reason: Some(why.to_string()), ..blank.clone() };
    document.why = Some(why);
    effort(board, &mut document.statistics);
    document.statistics.seconds = seconds;
    document
}

/// Sets the verdict of a document on requirements, with what a run has left open.
pub fn conclude(document: &mut Document, stated: &[Stated], verdict: Verdict) {
    document.verdict = verdict;
    if verdict == Verdict::Unknown
        && document.why.is_none()
        && let Some(doubt) = stated.iter().find_map(Stated::doubt)
    {
        let why = Reason::GaveUp(doubt.to_owned());
        document.reason = Some(why.to_string());
        document.why = Some(why);
    }
}

/// Completes a document with an outcome and the files that were written.
pub fn complete(mut document: Document, subject: &Subject<'_>, outputs: Outputs) -> Document {
    let Subject { task, outcome, .. } = *subject;
    document.answers = (0..outcome.answers.len()).map(|n| answered(subject, n)).collect();
    document.checks = outcome.checks.iter().filter(|row| is_listed(row)).map(line).collect();
    if task.code().is_none() {
        document.properties = outcome.answers.iter().map(|a| a.goal.to_string()).collect();
    }
    let why = overall(outcome);
    document.verdict = outcome.verdict();
    document.reason = why.as_ref().map(Reason::to_string);
    document.why = why;
    let assumption = |assumption: &program::program::Assumption| Assumption {
        text: assumption.text.clone(),
        place: assumption.place.known(),
    };
    document.assumptions = outcome.assumptions.iter().map(assumption).collect();
    let code = task.code();
    let undefined = code.iter().flat_map(|code| &code.program.undefined);
    document.undefined = undefined.map(|name| name.to_string()).collect();
    let vacuity = outcome.answers.iter().find_map(|answer| answer.vacuity.as_ref());
    document.vacuity =
        vacuity.map(|vacuity| Vacuity { status: vacuity.status(), how: vacuity.to_string() });
    document.outputs = outputs;
    effort(&outcome.board, &mut document.statistics);
    document.statistics.seconds = outcome.seconds;
    document
}

/// A line of the table.
fn line(row: &Checked) -> CheckLine {
    let (status, reason) = match &row.status {
        Status::Unsafe => (CheckStatus::Unsafe, None),
        Status::Unknown(reason) => (CheckStatus::Unknown, Some(reason.to_string())),
        Status::Unreachable => (CheckStatus::Unreachable, None),
        Status::Safe => (CheckStatus::Safe, None),
    };
    CheckLine {
        place: row.check.place.clone(),
        property: row.check.property.name().to_owned(),
        function: row.function.to_string(),
        status,
        reason,
        answer: row.answer,
    }
}

/// Why an outcome is unknown.
pub fn overall(outcome: &Outcome) -> Option<Reason> {
    let reason = outcome.reason()?.clone();
    let places = |answer: &&Decided| {
        let place = matches!(answer.goal, verify::Goal::Place { .. });
        place && matches!(answer.finding, Finding::Unknown(_))
    };
    Some(match outcome.answers.iter().filter(places).count() {
        0 => reason,
        open => Reason::OpenPlaces(open),
    })
}

/// Adds what engines did.
fn effort(board: &Board, statistics: &mut Statistics) {
    let effort = |effort: verify::board::Effort| Effort {
        engine: effort.engine,
        goal: effort.goal,
        outcome: effort.ended.as_ref().map(ToString::to_string),
        ended: effort.ended,
        reached: effort.reached,
        unit: effort.unit,
    };
    statistics.engines = board.efforts().into_iter().map(effort).collect();
    let size = |size: AutomatonSize| Size {
        locations: size.locations,
        edges: size.edges,
        variables: size.variables,
    };
    statistics.model = board.model().map(|modelled| size(modelled.model));
    statistics.minimized = board.model().map(|modelled| size(modelled.minimized));
    statistics.recursion = board.model().map(|modelled| modelled.recursion);
}

/// One answer, by its number.
fn answered(subject: &Subject<'_>, number: usize) -> Answer {
    let (task, decided) = (subject.task, &subject.outcome.answers[number]);
    let mut answer = Answer {
        property: decided.goal.to_string(),
        verdict: decided.finding.verdict(),
        reason: None,
        why: None,
        engine: decided.engine.clone(),
        proof: None,
        run: None,
        check: None,
        requirement: requirement(task, decided.finding.verdict()),
    };
    let by = match &decided.finding {
        Finding::Unknown(reason) => {
            answer.reason = Some(reason.to_string());
            answer.why = Some(reason.clone());
            return answer;
        }
        // That a place is reached has no proof but a run, which is not kept.
        Finding::Safe(_) if matches!(decided.goal, verify::Goal::Place { .. }) => return answer,
        Finding::Safe(proved) => {
            answer.proof = Some(Proof {
                kind: proved.kind,
                k: proved.k,
                size: proved.size,
                invariants: subject.loop_invariants(number).iter().map(Into::into).collect(),
                contracts: subject.contracts(number),
                model: relations(task, proved),
            });
            checker(task, proved.kind)
        }
        Finding::Unsafe(Violation::Program { run, matter }) => {
            let run = result::Run::of_program(run, matter.as_ref(), task.language);
            let cycles = subject.cycles(number);
            answer.run = Some(result::Run {
                class: subject.class(number).cloned(),
                cycles: cycles.map(Cycles::values),
                repeats: cycles.and_then(Cycles::repeats),
                ..run
            });
            "the interpreter of the program, which replayed it"
        }
        Finding::Unsafe(Violation::Circuit(trace)) => {
            answer.run = Some(result::Run {
                length: Some(trace.inputs.len()),
                trace: trace_text(task, decided),
                ..result::Run::of_circuit(answer.property.clone())
            });
            "simulation of the circuit"
        }
        Finding::Unsafe(Violation::Derivation(_)) => {
            answer.run = Some(result::Run {
                length: derivation_length(decided),
                trace: derivation(task, decided),
                ..result::Run::of_circuit(answer.property.clone())
            });
            "evaluation of every step of the derivation"
        }
        Finding::Unsafe(Violation::Dead(how)) => {
            answer.reason = Some(dead(&decided.goal, *how));
            return answer;
        }
    };
    answer.check = decided.check.map(|seconds| Check { by: by.to_owned(), seconds });
    answer
}

/// The requirement that a task is about, if it is about one.
fn requirement(task: &Task, verdict: Verdict) -> Option<result::Requirement> {
    let [stated] = &task.reading.st.stated[..] else { return None };
    Some(result::Requirement {
        name: stated.name.clone(),
        text: stated.text.clone(),
        pattern: stated.pattern.clone(),
        expressions: stated.expressions.clone(),
        verdict: required(stated, verdict),
    })
}

/// The verdict on a requirement: a run shows that something can be reached, which is what is required
/// then; where a run leaves open whether it holds, nothing is known.
pub fn required(stated: &Stated, verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Unsafe if stated.doubt().is_some() => Verdict::Unknown,
        Verdict::Unsafe if stated.is_reachability() => Verdict::Safe,
        Verdict::Safe if stated.is_reachability() => Verdict::Unsafe,
        verdict => verdict,
    }
}

/// One document of several about requirements of one program.
///
/// # Panics
/// If there is none.
pub fn together(documents: Vec<Document>) -> Document {
    let mut documents = documents.into_iter();
    let mut all = documents.next().expect("there is a requirement");
    named(&mut all);
    for mut one in documents {
        named(&mut one);
        all.verdict = all.verdict.and(one.verdict);
        all.answers.append(&mut one.answers);
        for assumption in one.assumptions {
            let known = |other: &Assumption| other.text == assumption.text;
            if !all.assumptions.iter().any(known) {
                all.assumptions.push(assumption);
            }
        }
        all.statistics.engines.append(&mut one.statistics.engines);
        all.statistics.seconds += one.statistics.seconds;
        if all.why.is_none() {
            (all.reason, all.why) = (one.reason, one.why);
        }
    }
    if all.verdict != Verdict::Unknown {
        (all.reason, all.why) = (None, None);
    }
    all
}

/// Says of what was done for which requirement.
fn named(document: &mut Document) {
    let name = document.answers.iter().find_map(|answer| answer.requirement.as_ref());
    let name = name.map(|requirement| requirement.name.clone()).filter(|name| !name.is_empty());
    for engine in &mut document.statistics.engines {
        engine.goal = engine.goal.take().or_else(|| name.clone());
    }
}

/// Who checks a kind of proof.
fn checker(task: &Task, kind: ProofKind) -> &'static str {
    match (kind, task.code()) {
        (ProofKind::Executed, _) => "the interpreter of the program",
        (ProofKind::Model, _) => "certify, clause by clause, with CaDiCaL or a Z3 of its own",
        (ProofKind::Summaries, _) => "certify, with CaDiCaL, on the procedures of the program",
        (_, Some(_)) => "certify, with CaDiCaL, on the automaton before minimization",
        (ProofKind::KInductive, None) => "certify, with our own solver",
        (_, None) => "certify, with CaDiCaL",
    }
}

/// The relations of a model of Horn clauses, as SMT-LIB writes them.
pub fn relations(task: &Task, proved: &Proved) -> Option<String> {
    let (Some(Held::Relations(model)), Some(clauses)) = (&proved.invariant, task.clauses()) else {
        return None;
    };
    Some(horn::write::model_text(&clauses.pool, &clauses.system, model))
}

/// The derivation of `false` from Horn clauses, a step a line.
pub fn derivation(task: &Task, decided: &Decided) -> Option<String> {
    let Finding::Unsafe(Violation::Derivation(refutation)) = &decided.finding else { return None };
    let clauses = task.clauses()?;
    Some(horn::write::refutation_text(&clauses.pool, &clauses.system, refutation))
}

fn derivation_length(decided: &Decided) -> Option<usize> {
    let Finding::Unsafe(Violation::Derivation(refutation)) = &decided.finding else { return None };
    Some(refutation.steps.len())
}

/// The trace of a circuit in the witness format of its language.
pub fn trace_text(task: &Task, decided: &Decided) -> Option<String> {
    let Finding::Unsafe(Violation::Circuit(trace)) = &decided.finding else { return None };
    let verify::Goal::Bad { number, .. } = decided.goal else { return None };
    let text = match &task.design()?.words {
        None => {
            let claim = aiger::Claim::Violated(trace.clone());
            aiger::write_witnesses(&[aiger::Witness { bads: vec![number], claim }])
        }
        Some((words, lowered)) => {
            let witness = lowered.back(words, number).run(trace.clone())?;
            btor2::witness::write_witness(words, &witness)
        }
    };
    Some(String::from_utf8_lossy(&text).into_owned())
}
