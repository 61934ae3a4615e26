//! A result in words: why a program is safe, how it fails, or what stood in the way of an answer.
//!
//! Everything is said from the document alone ([`crate::result`]); source lines are shown where the
//! caller has them.

use crate::result::{
    Answer, Contract, Document, Effort, LoopInvariant, Place, Proof, Requirement, Run, Step,
    StepKind, Verdict,
};
use answer::{Ended, Exhausted, ProofKind, Reason, Unit, VacuityStatus};
use std::fmt::Write;

/// Gives the line of a source file, if it is known.
pub type Source<'a> = &'a dyn Fn(&Place) -> Option<String>;

/// The most objects whose places are said.
const MAX_PLACED: usize = 100;

/// The text that explains a result.
pub fn explain(document: &Document, source: Source<'_>) -> String {
    let mut text = Text { out: String::new(), source };
    text.question(document);
    if document.answers.is_empty() {
        text.unknown(document, document.why.as_ref());
    }
    let several = document.answers.len() > 1;
    for answer in &document.answers {
        if let Some(requirement) = &answer.requirement {
            text.requirement(requirement);
        } else if several {
            text.line("");
            text.line(&format!("Property {}:", answer.property));
        }
        text.answer(document, answer);
    }
    text.assumptions(document);
    text.outputs(document);
    text.out
}

struct Text<'a> {
    out: String,
    source: Source<'a>,
}

impl Text<'_> {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn question(&mut self, document: &Document) {
        let model = match &document.data_model {
            Some(model) => format!(", data model {model}"),
            None => String::new(),
        };
        let entry = match document.entry.as_deref() {
            None | Some("main") => String::new(),
            Some(entry) => format!(", from {entry}"),
        };
        self.line(&format!(
            "{} ({}{model}{entry}): {}",
            document.files.join(", "),
            document.language,
            document.verdict
        ));
        if !document.properties.is_empty() {
            self.line(&format!("Asked: {}.", document.properties.join(", ")));
        }
    }

    fn answer(&mut self, document: &Document, answer: &Answer) {
        match answer.verdict {
            Verdict::Safe => self.safe(document, answer),
            Verdict::Unsafe => self.violated(document, answer),
            Verdict::Unknown => self.unknown(document, answer.why.as_ref()),
        }
    }

    fn requirement(&mut self, requirement: &Requirement) {
        let Requirement { name, text, pattern, expressions, verdict } = requirement;
        let demands = format!("{pattern}({})", expressions.join("; "));
        self.line("");
        match name.is_empty() {
            true => self.line(&format!("Requirement {demands}: {verdict}.")),
            false => self.line(&format!("Requirement {name}, {demands}: {verdict}.")),
        }
        if !text.is_empty() {
            self.line(&format!("    {text}"));
        }
    }

    /// How the evidence was found and checked.
    fn checked(&mut self, answer: &Answer, what: &str) {
        let found = match &answer.engine {
            Some(engine) => format!("{what} was found by {engine}"),
            None => format!("{what} was found"),
        };
        match &answer.check {
            Some(check) => self
                .line(&format!("{found} and accepted by {} in {:.3} s.", check.by, check.seconds)),
            None => self.line(&format!("{found}. It was NOT checked independently.")),
        }
    }

    fn safe(&mut self, document: &Document, answer: &Answer) {
        self.line("");
        if let Some(vacuity) = &document.vacuity {
            match vacuity.status {
                VacuityStatus::Vacuous => self.line(&format!(
                    "This proof is VACUOUS: no check of the property is ever reached. {}",
                    vacuity.how
                )),
                VacuityStatus::Reached => {
                    self.line(&format!("The property is not vacuous: {}", vacuity.how));
                }
                VacuityStatus::Undetermined => self.line(&format!(
                    "Whether a check of the property is reached at all is not known: {}",
                    vacuity.how
                )),
            }
        }
        let Some(proof) = &answer.proof else { return };
        self.line(&reason_of_proof(proof));
        self.checked(answer, "The proof");
        for invariant in &proof.invariants {
            self.invariant(&document.language, invariant);
        }
        for contract in &proof.contracts {
            self.contract(contract);
        }
        let says = proof.kind == ProofKind::Inductive && proof.size != Some(0);
        if says && proof.invariants.is_empty() && is_program(document) {
            self.line(
                "At no loop does it say anything about variables of the source alone: the proof \
                 needs nothing there, or speaks of memory without a name.",
            );
        }
    }

    fn invariant(&mut self, language: &str, invariant: &LoopInvariant) {
        self.line("");
        self.line(&format!(
            "Whenever the loop at {} in {} is about to begin or to begin again:",
            invariant.place, invariant.function
        ));
        self.source_line(&invariant.place);
        if invariant.expression == "0" {
            self.line("    never: no run comes there");
        } else if invariant.expression != crate::invariant::TRUE {
            for conjunct in conjuncts(&invariant.expression) {
                match in_words(conjunct) {
                    Some(words) => self.line(&format!("    {conjunct}   ({words})")),
                    None => self.line(&format!("    {conjunct}")),
                }
            }
        }
        if invariant.left_out > 0 {
            let and = if invariant.expression == crate::invariant::TRUE { "" } else { "and " };
            self.line(&format!(
                "    {and}{} formulas that {} can't express there (addresses, memory without \
                 a name, variables out of scope)",
                invariant.left_out, language
            ));
        }
    }

    /// What is known of a function.
    fn contract(&mut self, contract: &Contract) {
        self.line("");
        self.line(&format!("{} at {}:", contract.function, contract.place));
        self.source_line(&contract.place);
        for (n, requires) in contract.requires.iter().enumerate() {
            let word = if n == 0 { "requires" } else { "      or" };
            self.line(&format!("    {word} {requires}"));
        }
        for ensures in &contract.ensures {
            self.line(&format!("    ensures  {ensures}"));
        }
        if contract.left_out > 0 {
            self.line(&format!("    and {} formulas about memory", contract.left_out));
        }
    }

    fn source_line(&mut self, place: &Place) {
        if let Some(line) = (self.source)(place) {
            let _ = writeln!(self.out, "  {:>6} | {}", place.line, line.trim_end());
        }
    }

    fn violated(&mut self, document: &Document, answer: &Answer) {
        self.line("");
        let Some(run) = &answer.run else { return };
        self.checked(answer, "The run below");
        if let Some(length) = run.length {
            self.line(&format!("It violates {} after {length} clock ticks.", run.violated));
            if let Some(trace) = &run.trace {
                self.line("In the witness format of the language:");
                self.line("");
                self.out.push_str(trace);
            }
            return;
        }
        self.placed(run);
        if run.steps.is_empty() {
            let so = if run.placed.is_empty() { "" } else { " with objects placed so" };
            self.line(&format!(
                "The program takes no unknown value on the way: every run{so} does this."
            ));
        } else {
            self.line("Inputs and assignments on which the violation can depend, in order:");
        }
        self.line("");
        self.steps(run);
        for call in &run.stack {
            self.line(&format!("{}: called from {}", call.place, call.function));
        }
        if let Some(place) = &run.place {
            let function = run.function.as_deref().unwrap_or("?");
            self.line(&format!("{place}: violation of {} in {function}", run.violated));
            self.source_line(place);
        }
        if let Some(first) = run.repeats {
            self.line("");
            self.line(&format!("From cycle {first} on, its cycles repeat for ever."));
        }
        if let Some(class) = &run.class {
            self.line("");
            let round = crate::class::round_of(&document.language);
            crate::class::lines(class, round).iter().for_each(|line| self.line(line));
        }
        let garbage = run.steps.iter().any(|step| step.what.ends_with("(not initialized)"));
        if garbage {
            self.line("");
            self.line(
                "The run reads what the program has not initialized; C leaves that value open, \
                 and a compiled program may always find the same one.",
            );
        }
        if !document.undefined.is_empty() {
            self.line("");
            self.line(&format!(
                "Values of functions without a body were chosen freely: {}. If they can't return \
                 these, define them or restrict their results with __VERIFIER_assume.",
                document.undefined.join(", ")
            ));
        }
    }

    /// Where objects lie.
    fn placed(&mut self, run: &Run) {
        if run.placed.is_empty() {
            return;
        }
        self.line("It needs these to lie at certain addresses, which the language leaves open:");
        for placed in run.placed.iter().take(MAX_PLACED) {
            self.line(&format!("    {placed}"));
        }
        match run.placed.len().saturating_sub(MAX_PLACED) {
            0 => {}
            more => self.line(&format!("    and {more} more")),
        }
    }

    fn steps(&mut self, run: &Run) {
        let mut at = None;
        let cut = run.steps.len().min(200);
        for (number, step) in run.steps.iter().enumerate() {
            if number == cut && run.steps_left_out > 0 {
                self.line(&format!("  … {} steps are left out …", run.steps_left_out));
                at = None;
            }
            let here = Some((step.place.file.clone(), step.place.line));
            if here != at {
                self.line(&format!("{}:{} in {}", step.place.file, step.place.line, step.function));
                self.source_line(&step.place);
                at = here;
            }
            self.step(step);
        }
        if !run.steps.is_empty() {
            self.line("");
        }
    }

    fn step(&mut self, step: &Step) {
        match step.kind {
            StepKind::Input => self.line(&format!("         > {} gives {}", step.what, step.value)),
            StepKind::Assignment => {
                self.line(&format!("         > {} = {}", step.what, step.value))
            }
        }
    }

    fn unknown(&mut self, document: &Document, reason: Option<&Reason>) {
        self.line("");
        match reason {
            Some(reason) => self.line(&format!("There is no answer: {reason}.")),
            None => self.line("There is no answer."),
        }
        let statistics = &document.statistics;
        if let (Some(model), Some(minimized)) = (statistics.model, statistics.minimized) {
            self.line(&format!(
                "The program became an automaton of {} locations and {} variables, minimized to {} \
                 and {}.",
                model.locations, model.variables, minimized.locations, minimized.variables
            ));
        }
        if statistics.engines.is_empty() {
            self.line("No engine was started.");
        } else {
            self.line(&format!("Tried in {:.1} s:", statistics.seconds));
            for effort in &statistics.engines {
                self.line(&format!("  {}", in_a_line(effort)));
            }
        }
        let advice = advice(document, reason);
        if !advice.is_empty() {
            self.line("What may help:");
        }
        for advice in advice {
            self.line(&format!("  - {advice}"));
        }
    }

    fn assumptions(&mut self, document: &Document) {
        if document.assumptions.is_empty() {
            return;
        }
        self.line("");
        self.line(match document.verdict {
            Verdict::Unknown => "An answer would rest on these assumptions:",
            _ => "The verdict rests on these assumptions:",
        });
        for assumption in &document.assumptions {
            match &assumption.place {
                Some(place) => self.line(&format!("  - {} ({place})", assumption.text)),
                None => self.line(&format!("  - {}", assumption.text)),
            }
        }
    }

    fn outputs(&mut self, document: &Document) {
        let outputs = &document.outputs;
        if let Some(witness) = &outputs.witness {
            self.line(&format!("The witness is in {witness}."));
        }
        if let Some(harness) = &outputs.harness {
            self.line(&format!(
                "{harness} drives the compiled program along the run; its head says how."
            ));
        }
    }
}

fn reason_of_proof(proof: &Proof) -> String {
    let words = match (proof.kind, proof.size) {
        (ProofKind::KInductive, _) => {
            let k = proof.k.unwrap_or_default();
            return format!(
                "The property is {k}-inductive: it holds in the first {k} steps, and {k} steps in \
                 which it holds are always followed by one more."
            );
        }
        (ProofKind::Summaries, _) => {
            "What functions do was summarized; the summaries hold of every call, and exclude every \
             violation."
        }
        (ProofKind::Model, _) => {
            "There is a relation for every predicate with which all clauses hold."
        }
        (ProofKind::Exhausted, _) => {
            "Every run ends; all were followed to their ends, and none violates the property."
        }
        (ProofKind::Executed, _) => {
            "The program takes no unknown value that matters, so what matters of it is one run; it was \
             executed to its end."
        }
        (ProofKind::Unchecked, _) => "There is a proof, of which nothing was kept.",
        (ProofKind::Inductive, Some(0)) => {
            "No run can come near a violation; that follows from the program without an invariant."
        }
        (ProofKind::Inductive, Some(1)) => {
            "An inductive invariant of one formula excludes every violation: it holds at the start, \
             and every step keeps it."
        }
        (ProofKind::Inductive, Some(size)) => {
            return format!(
                "An inductive invariant of {size} formulas excludes every violation: it holds at \
                 the start, and every step keeps it."
            );
        }
        (ProofKind::Inductive, None) => "An inductive invariant excludes every violation.",
    };
    words.to_owned()
}

/// What an engine did that has given no answer.
fn in_a_line(effort: &Effort) -> String {
    let reached = match (effort.unit, effort.reached) {
        (_, 0) => "did not get past its start".to_owned(),
        (Unit::Steps, steps) => format!(
            "no violation takes fewer than {} (a step is a piece of the program without a loop)",
            Unit::Steps.count(steps)
        ),
        (unit, reached) => format!("reached {}", unit.count(reached)),
    };
    let engine = match &effort.goal {
        Some(goal) => format!("{} on {goal}", effort.engine),
        None => effort.engine.to_string(),
    };
    match &effort.ended {
        None => format!("{engine}: {reached}; stopped"),
        Some(Ended::Unsafe { .. }) => {
            format!("{engine}: found a run into a violation, which was not accepted as evidence")
        }
        Some(Ended::Safe) => format!("{engine}: found a proof, which was not accepted in time"),
        Some(ended @ Ended::Unknown(_)) => format!("{engine}: {reached}; {ended}"),
    }
}

/// Whether a document is about a program; circuits have no function to start with.
fn is_program(document: &Document) -> bool {
    document.entry.is_some()
}

/// What the user could do.
fn advice(document: &Document, reason: Option<&Reason>) -> Vec<String> {
    let statistics = &document.statistics;
    let exhausted = reason.and_then(Reason::exhausted);
    let mut advice: Vec<String> =
        exhausted.into_iter().flat_map(|what| more(document, what)).collect();
    if statistics.engines.len() == 1 {
        let engine = &statistics.engines[0].engine;
        advice
            .push(format!("another engine: only {engine} was tried; --engine auto tries them all"));
    }
    advice.extend(reason.and_then(|reason| remedy(reason.root())).map(str::to_owned));
    if !document.undefined.is_empty() {
        advice.push(format!(
            "definitions of the functions without a body, whose results are unknown: {}",
            document.undefined.join(", ")
        ));
    }
    if is_program(document) && document.properties.len() > 2 {
        advice.push("fewer properties at once (--property)".to_owned());
    }
    if is_program(document) && (exhausted.is_some() || advice.is_empty()) {
        advice.push(
            "limits on inputs by __VERIFIER_assume, or an assertion inside of the loop that the \
             violation comes after: it becomes a part of what is proved"
                .to_owned(),
        );
        if document.data_model.as_deref() == Some("LP64") {
            advice.push(
                "--data-model ILP32, if the program is meant for it: narrower words are easier"
                    .to_owned(),
            );
        }
    }
    if !is_program(document) && exhausted.is_some() {
        advice.push("more threads (--jobs N), which adds engines".to_owned());
    }
    advice
}

/// More of what was used up.
fn more(document: &Document, what: Exhausted) -> Option<String> {
    let statistics = &document.statistics;
    match what {
        Exhausted::Time => Some(match statistics.time_limit {
            Some(limit) => format!("more time: the limit was {limit} s (--time-limit)"),
            None => "more time for the phase that was stopped".to_owned(),
        }),
        Exhausted::Memory => {
            let limit = statistics.memory_limit.map_or(String::new(), |mb| format!(" of {mb} MB"));
            Some(format!("more memory: the limit{limit} was reached (--memory-limit)"))
        }
        Exhausted::Work | Exhausted::Interrupted => None,
    }
}

/// What helps against a reason.
fn remedy(reason: &Reason) -> Option<&'static str> {
    match reason {
        Reason::Recursion { .. } => {
            Some("a bound on the depth of recursion, by __VERIFIER_assume or in the code")
        }
        Reason::Approximated { .. } => {
            Some("a definition, or a tighter model, of the function that is named")
        }
        Reason::Unwritten => {
            Some("initial values for the memory that the program reads before it writes")
        }
        Reason::Undefined { .. } => Some(
            "a look at the place that is named: the run does there what C leaves undefined; \
             --property bounds,pointer,div0 reports it",
        ),
        Reason::Placement(_) => Some("code that does not compare or compute with addresses"),
        Reason::AlwaysNull(_) => {
            Some("an initial value for the pointer that is dereferenced there")
        }
        Reason::ModelSize { .. } => Some("a smaller part of the program (--entry)"),
        Reason::NoRun => Some("another engine, whose model of the program is closer"),
        Reason::Stopped(_)
        | Reason::Unchecked(_)
        | Reason::ReplayStopped { .. }
        | Reason::Bound(_)
        | Reason::NotInductive { .. }
        | Reason::Unsupported { .. }
        | Reason::GaveUp(_)
        | Reason::NoEngine
        | Reason::OpenPlaces(_)
        | Reason::Of { .. } => None,
    }
}

/// The conjuncts of a C expression, where its outermost operator is `&&`.
fn conjuncts(expression: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0usize, 0, Vec::new());
    let bytes = expression.as_bytes();
    for (index, &byte) in bytes.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'|' if depth == 0 && bytes.get(index + 1) == Some(&b'|') => return vec![expression],
            b'&' if depth == 0 && bytes[index..].starts_with(b"&& ") => {
                parts.push(expression[start..index].trim());
                start = index + 3;
            }
            _ => {}
        }
    }
    parts.push(expression[start..].trim());
    parts
}

/// A comparison in words; nothing for what is more than that.
fn in_words(conjunct: &str) -> Option<String> {
    let inner = conjunct.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let text = inner.filter(|inner| balanced(inner)).unwrap_or(conjunct);
    let words: Vec<&str> = text.split(' ').collect();
    let [left, operator, right] = words[..] else { return None };
    let number = |side: &str| side.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    // What is compared comes first, what it is compared with second.
    let (left, operator, right) = match (number(left), operator) {
        (false, _) => (left, operator, right),
        (true, "<") => (right, ">", left),
        (true, "<=") => (right, ">=", left),
        (true, ">") => (right, "<", left),
        (true, ">=") => (right, "<=", left),
        (true, _) => (right, operator, left),
    };
    let relation = match operator {
        "==" => "equals",
        "!=" => "differs from",
        "<" => "is less than",
        "<=" => "is at most",
        ">" => "is greater than",
        ">=" => "is at least",
        _ => return None,
    };
    let plain = |side: &str| side.trim_end_matches(['U', 'L', 'u', 'l']).to_owned();
    let right = if number(right) { plain(right) } else { right.to_owned() };
    Some(format!("{left} {relation} {right}"))
}

/// Whether no parenthesis is closed that was not opened before.
fn balanced(text: &str) -> bool {
    let mut depth = 0i64;
    text.bytes().all(|byte| {
        depth += i64::from(byte == b'(') - i64::from(byte == b')');
        depth >= 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_fall_into_conjuncts() {
        assert_eq!(conjuncts("(x < 3) && (y == (a && b))"), ["(x < 3)", "(y == (a && b))"]);
        assert_eq!(conjuncts("((a) && (b)) || (c)"), ["((a) && (b)) || (c)"]);
        assert_eq!(conjuncts("(1)"), ["(1)"]);
    }

    #[test]
    fn comparisons_are_read_out() {
        assert_eq!(in_words("(x <= 10U)").as_deref(), Some("x is at most 10"));
        assert_eq!(in_words("(10U >= x)").as_deref(), Some("x is at most 10"));
        assert_eq!(in_words("(y == x)").as_deref(), Some("y equals x"));
        assert_eq!(in_words("((a) < (b))"), Some("(a) is less than (b)".to_owned()));
        assert_eq!(in_words("(x + 1 < y)"), None);
    }
}
