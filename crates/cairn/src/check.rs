//! `cairn check`: what was typed becomes a question, and what is known of it is printed. `cairn diff`
//! asks the same of a version with what is known of the one before.

use crate::exit::Exit;
use crate::kept::Kept;
use crate::limits::{LastResort, Watch};
use crate::options::{Asking, Check, Format, Tables, inputs};
use crate::output::{complain, leave, print};
use crate::revision::Version;
use crate::store::{can_store, store};
use crate::versions::{Before, Comparison};
use crate::voice::Voice;
use crate::{pages, requirements};
use answer::{Exhausted, Verdict};
use front_st::compile::Stated;
use report::Subject;
use report::document::{blank, complete, conclude, late, required};
use report::files::{Files, files};
use report::result::{Document, Outputs};
use report::{table, text};
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use verify::{
    Board, Failure, Language, Limits, Outcome, Question, Reading, Settings, Task, decide_with,
};

/// How long classes of failing inputs are looked for.
const CLASS_PATIENCE: Duration = Duration::from_secs(6);

/// Decides what was asked and prints the verdict as the last line.
pub fn run(arguments: &Check, tables: Tables) -> Exit {
    let asking = with_requirements_beside(&arguments.asking, &arguments.files, &tables);
    match Run::prepare(&arguments.files, &asking, tables) {
        Ok(run) => run.decide(None),
        Err(unfit) => unfit.say(),
    }
}

/// What is asked; of a program of a controller where nobody said, what a file beside it states.
fn with_requirements_beside(asking: &Asking, files: &[PathBuf], tables: &Tables) -> Asking {
    let mut asking = asking.clone();
    let language = tables.language(asking.lang.as_deref(), files);
    if language.is_ok_and(|language| language.option() == "st")
        && let Some(path) = asking.c.st.look_beside(files, &asking.c.property)
    {
        complain(&format!(
            "{path}: what has to hold is read from this file beside the program; --property or an \
             option that states a requirement is asked about instead"
        ));
    }
    asking
}

/// The same of the version after, beginning with what is known of the version before.
pub fn run_version(old: &Version, new: &Version, arguments: &Asking, tables: Tables) -> Exit {
    let asking = with_requirements_beside(arguments, &new.files, &tables);
    match Run::prepare(&new.files, &asking, tables) {
        Ok(run) => run.decide(Some(old)),
        Err(unfit) => unfit.say(),
    }
}

/// Why something can't be asked.
struct Unfit(String, Exit);

impl Unfit {
    fn say(self) -> Exit {
        complain(&self.0);
        self.1
    }
}

/// A check on its way.
pub struct Run<'a> {
    pub arguments: &'a Asking,
    pub tables: Tables,
    pub files: Vec<PathBuf>,
    pub language: &'static dyn Language,
    pub reading: Reading,
    pub watch: Watch,
    pub board: Board,
    pub blank: Document,
}

impl<'a> Run<'a> {
    fn prepare(files: &[PathBuf], arguments: &'a Asking, tables: Tables) -> Result<Run<'a>, Unfit> {
        let rejected = |message| Unfit(message, Exit::Input);
        let limits = arguments.limits();
        let watch = Watch::start(&limits);
        let mut outputs = [&arguments.witness, &arguments.harness, &arguments.html, &arguments.csv]
            .into_iter()
            .flatten();
        outputs.try_for_each(|path| can_store(path)).map_err(rejected)?;
        if arguments.harness.is_some() && arguments.c.caller.step.is_some() {
            let message = "--harness drives one call; test vectors of a step function are made by \
                           'cairn cover --vectors'";
            return Err(Unfit(message.to_owned(), Exit::Usage));
        }
        let sources = arguments.c.build.sources(files).map_err(rejected)?;
        sources.notes.iter().for_each(|note| complain(note));
        let language =
            tables.language(arguments.lang.as_deref(), &sources.files).map_err(rejected)?;
        let programs = language.has_programs();
        let mut engines = tables.engines.iter();
        let engine = engines.find(|engine| engine.row().name == arguments.engine);
        if engine.is_some_and(|engine| !takes(*engine, language)) {
            return Err(Unfit(unfit(tables, language), Exit::Usage));
        }
        if !programs && !language.has_clauses() && sources.files.len() > 1 {
            let count = sources.files.len();
            let message = format!("cairn check takes one circuit at a time; {count} were given");
            return Err(Unfit(message, Exit::Usage));
        }
        let reading = arguments.c.reading(language, &sources);
        let reading = reading.map_err(|rejection| rejected(rejection.to_string()))?;
        let files = sources.files;
        let names = files.iter().map(|file| file.display().to_string()).collect();
        let blank = blank(language, names, &reading, &limits);
        let board = Board::default();
        Ok(Run { arguments, tables, files, language, reading, watch, board, blank })
    }

    /// Decides the question; if it is about the version after another one, with what is known of that.
    fn decide(self, old: Option<&Version>) -> Exit {
        let last_resort = LastResort::beyond(&self.watch, self.late(), Exit::Unknown);
        if requirements::are_several(&self.reading) {
            leave(requirements::decide(&self, old, &last_resort));
        }
        let task = match self.language.read(&inputs(&self.files), &self.reading) {
            Ok(task) => task,
            Err(_) if self.watch.is_interrupted() => {
                last_resort.answer(|| print(&self.late()(Exhausted::Interrupted)));
                return Exit::Unknown;
            }
            Err(rejection) => return failed(&rejection.into(), self.arguments.seed),
        };
        if task.design().is_some_and(|design| design.system.bads.is_empty()) {
            let file = &task.files[0].name;
            complain(&format!("{file}: the circuit has no bad property and no output to check"));
            return Exit::Input;
        }
        let kept = match Kept::open(self.arguments, &task, old) {
            Ok(kept) => kept,
            Err(message) => {
                complain(&message);
                return Exit::Input;
            }
        };
        let before = old.map(|old| Before::of(old, kept.as_ref(), self.language, &self.reading));
        let limits = self.watch.limits();
        let outcome = match self.answer(&task, kept.as_ref(), limits, self.arguments.talks()) {
            Ok(outcome) => outcome,
            Err(failure) => return failed(&failure, self.arguments.seed),
        };
        let compared = before.and_then(|before| before.compared(&task, &outcome));
        let compared = match (&self.reading.st.stated[..], compared) {
            ([stated], Some(one)) if one.fates.is_empty() => {
                Comparison::together(vec![(stated, one)])
            }
            (_, compared) => compared,
        };
        let exit = self.report(&task, &outcome, compared.as_ref(), &last_resort);
        // Engines that are still at work end with the process.
        leave(exit)
    }

    /// Asks about a task; what is found is kept. `talks`: lines for reading are printed meanwhile.
    pub fn answer(
        &self,
        task: &Task,
        kept: Option<&Kept>,
        limits: Limits,
        talks: bool,
    ) -> Result<Outcome, Failure> {
        let mut settings = self.arguments.settings(self.tables);
        if let Some(kept) = kept {
            (settings.known, settings.learn) = (kept.known(), true);
        }
        let question = Question { task, settings, limits };
        let Asking { stats, quiet, .. } = *self.arguments;
        let mut voice = Voice::new(task, &self.board, talks, stats, quiet);
        let outcome = decide_with(&question, &self.board, &mut voice)?;
        if let Some(kept) = kept {
            kept.keep(&outcome);
        }
        Ok(outcome)
    }

    /// What is reported of an outcome.
    pub fn subject<'s>(
        &self,
        task: &'s Task,
        outcome: &'s Outcome,
        settings: &'s Settings,
    ) -> Subject<'s> {
        let subject = Subject::new(task, outcome);
        let wanted = self.arguments.format == Format::Json
            || self.arguments.html.is_some()
            || task.language.option() == "st" && !self.arguments.quiet;
        if !wanted {
            return subject;
        }
        subject.with_classes(settings, self.watch.allowance(CLASS_PATIENCE))
    }

    /// What is printed if the question is not answered in time.
    fn late(&self) -> impl Fn(Exhausted) -> String + Send + 'static {
        let json = self.arguments.format == Format::Json;
        let (blank, board, start) = (self.blank.clone(), self.board.clone(), Instant::now());
        move |what| match json {
            true => late(&blank, &board, what, start.elapsed().as_secs_f64()).json(),
            false => format!("verdict: unknown ({what})"),
        }
    }

    /// Writes the files that are asked for, and prints the verdict.
    fn report(
        &self,
        task: &Task,
        outcome: &Outcome,
        compared: Option<&Comparison>,
        last_resort: &LastResort,
    ) -> Exit {
        let arguments = self.arguments;
        let settings = arguments.settings(self.tables);
        let subject = self.subject(task, outcome, &settings);
        // While the answer can still be given by the last resort.
        (0..outcome.answers.len()).for_each(|number| _ = subject.class(number));
        let (witness, harness) = (arguments.witness.as_deref(), arguments.harness.as_deref());
        let made = match files(&subject, witness, harness) {
            Ok(mut made) => {
                pages::add(&mut made, arguments, &[&subject]);
                made
            }
            Err(error) => {
                complain(&format!("internal error: {error}"));
                return Exit::Internal;
            }
        };
        if arguments.stats {
            figures(outcome);
        }
        let stored = last_resort.answer(|| {
            let stored = store(&made.files);
            self.say(&subject, &made, compared, stored.is_ok());
            stored
        });
        Exit::with(self.verdict(outcome), stored)
    }

    /// The verdict on what was asked.
    fn verdict(&self, outcome: &Outcome) -> Verdict {
        match &self.reading.st.stated[..] {
            [stated] => required(stated, outcome.verdict()),
            _ => outcome.verdict(),
        }
    }

    /// Prints the verdict, which stands also if the files could not be written.
    fn say(
        &self,
        subject: &Subject<'_>,
        made: &Files,
        compared: Option<&Comparison>,
        stored: bool,
    ) {
        let outcome = subject.outcome;
        if self.arguments.talks() {
            made.notes.iter().for_each(|note| print(note));
            table::lines(outcome).iter().for_each(|line| print(line));
            let compared = compared.map(|compared| compared.lines(outcome.seconds));
            compared.iter().flatten().for_each(|line| print(line));
            text::summary(outcome).iter().for_each(|line| print(line));
            pages::run_lines(subject).iter().for_each(|line| print(line));
        }
        if self.arguments.quiet && self.arguments.format == Format::Text {
            text::reminder(subject.task, outcome).iter().for_each(|line| print(line));
        }
        print(&match self.arguments.format {
            Format::Text => match (outcome.verdict(), self.verdict(outcome)) {
                (Verdict::Unknown, _) => text::verdict(outcome),
                (_, Verdict::Unknown) => {
                    let doubt = self.reading.st.stated.iter().find_map(Stated::doubt);
                    format!("verdict: unknown ({})", doubt.unwrap_or("a run leaves it open"))
                }
                (_, verdict) => format!("verdict: {verdict}"),
            },
            Format::Json => {
                let outputs = if stored { self.outputs(made) } else { Outputs::default() };
                let mut document = complete(self.blank.clone(), subject, outputs);
                let stated = &self.reading.st.stated;
                conclude(&mut document, stated, self.verdict(outcome));
                match compared {
                    Some(comparison) => with_comparison(&document, comparison),
                    None => document.json(),
                }
            }
        });
    }

    /// The files that the user asked for and that were written.
    pub fn outputs(&self, made: &Files) -> Outputs {
        let written = |asked: &Option<PathBuf>| {
            let path = asked.as_ref()?;
            let name = path.display().to_string();
            let begins = |file: &PathBuf| file.display().to_string().starts_with(&name);
            made.files.iter().any(|(file, _)| begins(file)).then_some(name)
        };
        let Asking { witness, harness, .. } = self.arguments;
        Outputs { witness: written(witness), harness: written(harness) }
    }
}

/// The document with what was compared as one more field.
pub fn with_comparison(document: &Document, comparison: &Comparison) -> String {
    #[derive(Serialize)]
    struct Compared<'a> {
        #[serde(flatten)]
        document: &'a Document,
        comparison: &'a Comparison,
    }
    let compared = Compared { document, comparison };
    serde_json::to_string_pretty(&compared).expect("the document is plain data")
}

/// Whether an engine takes what is written in a language.
fn takes(engine: &dyn verify::Engine, language: &dyn Language) -> bool {
    match (language.has_clauses(), language.has_programs()) {
        (true, _) => engine.takes_clauses(),
        (false, true) => engine.row().programs,
        (false, false) => engine.row().circuits,
    }
}

/// Which engines there are for a kind of task.
fn unfit(tables: Tables, language: &dyn Language) -> String {
    let fits = |engine: &&&dyn verify::Engine| takes(**engine, language);
    let names: Vec<&str> = tables.engines.iter().filter(fits).map(|e| e.row().name).collect();
    let those = match (language.has_clauses(), language.has_programs()) {
        (true, _) => "Horn clauses",
        (false, true) => "programs",
        (false, false) => "circuits",
    };
    format!("this engine is not for {those}; they take {} or portfolio", names.join(", "))
}

/// How long evidence was checked.
fn figures(outcome: &Outcome) {
    for answer in &outcome.answers {
        if let Some(seconds) = answer.check {
            complain(&format!("certification: {seconds:.3} s, after {:.3} s", answer.solving));
        }
    }
}

/// Says why there is no outcome.
pub fn failed(failure: &Failure, seed: u64) -> Exit {
    match failure {
        Failure::Rejected(rejection) => {
            rejection.messages.iter().for_each(|message| complain(message));
            Exit::Input
        }
        Failure::Defect { .. } => {
            complain(&format!("internal error: {failure}"));
            complain(&format!(
                "the verdict was not accepted and is withheld; please report the input and the \
                 command line (seed {seed})"
            ));
            Exit::Internal
        }
    }
}
