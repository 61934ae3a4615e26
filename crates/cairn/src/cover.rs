//! `cairn cover`: goals of structural coverage, with test vectors or proofs. `cairn dead`: the goals that
//! nothing can show, and what nothing uses.

use crate::cover_files;
use crate::exit::Exit;
use crate::limits::{LastResort, Settles, Watch};
use crate::options::{Cover, CoverAsking, CoverFiles, Dead, Format, Tables, inputs};
use crate::output::{complain, leave, print};
use answer::Exhausted;
use coverage::goal::{Goal, Kind};
use coverage::judge::Pairs;
use coverage::report::{Counts, Judged, Report};
use coverage::search::{Looked, Question, Watcher, cover};
use coverage::status::{Open, Status};
use program::Property;
use program::program::Assumption;
use report::coverage::{document::document, text};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use verify::languages::C;
use verify::{Language, Listener, Reading, Settings, Task, Undefined};

/// The file that says which goals are justified, if no other one is named.
const CONFIGURATION: &str = "cairn.toml";
/// How often the line of progress changes.
const REFRESH: Duration = Duration::from_millis(100);

/// Looks for what is known of the goals and prints it.
pub fn run(arguments: &Cover, tables: Tables) -> Exit {
    let kinds = arguments.goal.iter().filter_map(|name| Kind::of_criterion(name)).flatten();
    let purpose = Purpose { dead: false, fails_on_dead: arguments.fail_on.is_some() };
    let kinds = kinds.collect();
    let pairs = match arguments.mcdc {
        crate::options::Mcdc::Masking => Pairs::Masking,
        crate::options::Mcdc::Unique => Pairs::UniqueCause,
    };
    let files = Some(&arguments.written);
    decide(&arguments.files, (&arguments.asking, files), (kinds, pairs), purpose, tables)
}

/// Looks for dead code and prints it.
pub fn dead(arguments: &Dead, tables: Tables) -> Exit {
    let kinds = [Kind::Statement, Kind::Decision, Kind::Condition].into();
    let purpose = Purpose { dead: true, fails_on_dead: true };
    decide(&arguments.files, (&arguments.asking, None), (kinds, Pairs::Masking), purpose, tables)
}

/// What the answer is for.
#[derive(Clone, Copy)]
struct Purpose {
    /// Dead code alone is told.
    dead: bool,
    /// Dead code is a failure.
    fails_on_dead: bool,
}

fn decide(
    files: &[PathBuf],
    (asking, written): (&CoverAsking, Option<&CoverFiles>),
    (kinds, pairs): (BTreeSet<Kind>, Pairs),
    purpose: Purpose,
    tables: Tables,
) -> Exit {
    let watch = Watch::start(&asking.limits());
    let known = Arc::new(Mutex::new(Known::default()));
    let (late, json) = (known.clone(), asking.format == Format::Json);
    let late = move |what| late.lock().unwrap_or_else(PoisonError::into_inner).late(what, json);
    let last_resort = LastResort::beyond(&watch, late, Exit::Unknown);
    let prepared = prepare(files, asking, tables);
    let (task, map, justified) = match prepared {
        Ok(prepared) => prepared,
        Err(messages) => {
            messages.iter().for_each(|message| complain(message));
            return Exit::Input;
        }
    };
    known.lock().unwrap_or_else(PoisonError::into_inner).language = Some(task.language);
    let settings =
        Settings { seed: asking.seed, invariant: false, slice: true, ..asking.c.settings() };
    let limits = watch.limits();
    let vectors = !purpose.dead;
    let question =
        Question { task: &task, map: &map, kinds, pairs, vectors, settings, limits, justified };
    let mut voice = Voice::new(asking, known, last_resort.settles());
    let report = match cover(&question, &mut voice) {
        Ok(report) => report,
        Err(failure) => return crate::check::failed(&failure, asking.seed),
    };
    voice.resumed();
    let wrote = written.map_or(Ok(Vec::new()), |files| cover_files::write(files, &task, &report));
    last_resort.answer(|| say(&report, &task, asking, purpose));
    match wrote {
        Ok(remarks) => remarks.iter().for_each(|remark| complain(remark)),
        Err(message) => {
            complain(&message);
            leave(Exit::Input);
        }
    }
    leave(exit(&report, purpose))
}

/// The program, what there is to cover, and what is justified.
type Prepared = (Task, program::coverage::Map, Vec<(String, String)>);

fn prepare(
    files: &[PathBuf],
    asking: &CoverAsking,
    tables: Tables,
) -> Result<Prepared, Vec<String>> {
    let one = |message: String| vec![message];
    let sources = asking.c.build.sources(files).map_err(one)?;
    sources.notes.iter().for_each(|note| complain(note));
    let language = tables.language(None, &sources.files).map_err(one)?;
    let justified = justified(asking.config.as_deref()).map_err(one)?;
    let reading = asking.c.reading(language, &sources).map_err(|error| one(error.to_string()))?;
    // What comes after undefined behaviour does not count, and nothing else is asked.
    let properties = [Property::DeadCode].into();
    let reading = Reading { properties, undefined: Undefined::Assumed, ..reading };
    let Some(read) = language.read_covered(&inputs(&sources.files), &reading) else {
        let (file, name) = (sources.files[0].display(), language.name());
        let message = "structural coverage is measured of programs in C and Structured Text";
        return Err(one(format!("{file}: {message}, and this is {name}")));
    };
    let (task, map) = read.map_err(|rejection| rejection.messages)?;
    Ok((task, map, justified))
}

/// What `cairn.toml` says.
#[derive(Deserialize, Default)]
struct Configuration {
    #[serde(default)]
    cover: CoverTable,
}

/// Its table `cover`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct CoverTable {
    #[serde(default)]
    justified: Vec<Justified>,
}

/// A goal that need not be shown.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Justified {
    goal: String,
    reason: String,
}

/// The goals that are justified, and why.
fn justified(named: Option<&Path>) -> Result<Vec<(String, String)>, String> {
    let path = named.unwrap_or(Path::new(CONFIGURATION));
    if named.is_none() && !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let read: Result<Configuration, _> = basic_toml::from_str(&text);
    let read = read.map_err(|error| format!("{}: {error}", path.display()))?;
    let justified = read.cover.justified.into_iter();
    let mut pairs = Vec::new();
    for Justified { goal, reason } in justified {
        if reason.trim().is_empty() || goal.trim().is_empty() {
            let path = path.display();
            return Err(format!("{path}: a justified goal needs its name and a reason"));
        }
        pairs.push((goal, reason));
    }
    Ok(pairs)
}

fn exit(report: &Report, purpose: Purpose) -> Exit {
    let counts = report.counts(None);
    let dead =
        counts.infeasible > 0 || !report.unused.is_empty() || !report.unused_values.is_empty();
    let dead = if purpose.dead { dead } else { counts.infeasible > 0 };
    match (dead && purpose.fails_on_dead, counts.open > 0) {
        (true, _) => Exit::Unsafe,
        (false, true) => Exit::Unknown,
        (false, false) => Exit::Success,
    }
}

fn say(report: &Report, task: &Task, asking: &CoverAsking, purpose: Purpose) {
    if asking.format == Format::Json {
        let files = task.files.iter().map(|file| file.name.clone()).collect();
        print(&document(task.language, files, report).json());
        return;
    }
    if !asking.quiet {
        let assumption = |a: &Assumption| print(&report::text::assumption(a));
        report.assumptions.iter().for_each(assumption);
        for judged in &report.goals {
            let told = match (&judged.status, purpose.dead) {
                (Status::Covered(_), _) => asking.all,
                (Status::Open(_), true) => asking.all,
                _ => true,
            };
            if told {
                print(&text::goal(judged));
            }
        }
        if purpose.dead {
            report.unused_values.iter().for_each(|value| print(&text::unused_value(value)));
        }
        text::notes(report).iter().for_each(|line| print(line));
        text::table(report).iter().for_each(|line| print(line));
    }
    print(&text::verdict(report));
}

/// What is known so far, for the case that the end comes too late.
#[derive(Default)]
struct Known {
    /// What the program is written in, once it was read.
    language: Option<&'static dyn Language>,
    /// All goals, and what is known of them.
    goals: Vec<Goal>,
    judged: BTreeMap<String, Judged>,
    counts: Counts,
}

impl Known {
    /// The answer that is owed in any case.
    fn late(&self, what: Exhausted, json: bool) -> String {
        let judged = |goal: &Goal| match self.judged.get(&goal.id) {
            Some(judged) => judged.clone(),
            None => Judged { goal: goal.clone(), status: Status::Open(Open::stopped(what)) },
        };
        let report = Report {
            goals: self.goals.iter().map(judged).collect(),
            exhausted: Some(what),
            ..Report::empty(program::coverage::Map::default())
        };
        if json {
            return document(self.language.unwrap_or(&C), Vec::new(), &report).json();
        }
        let is_told = |judged: &&Judged| !matches!(judged.status, Status::Covered(_));
        let lines = report.goals.iter().filter(is_told).map(text::goal);
        let Counts { covered, infeasible, .. } = self.counts;
        let all = self.counts.all();
        let last = format!(
            "coverage: {covered} of {all} goals covered, {infeasible} infeasible, 0 justified, {} \
             open ({what})",
            all - covered - infeasible
        );
        lines.chain([last]).collect::<Vec<String>>().join("\n")
    }
}

/// Speaks while goals are looked at.
struct Voice {
    start: Instant,
    /// Whether answers are told as they come.
    streams: bool,
    /// Whether progress is shown.
    visible: bool,
    shown: Option<Instant>,
    line: String,
    known: Arc<Mutex<Known>>,
    settles: Settles,
}

impl Voice {
    fn new(asking: &CoverAsking, known: Arc<Mutex<Known>>, settles: Settles) -> Voice {
        let visible = !asking.quiet && std::io::stderr().is_terminal();
        Voice {
            start: Instant::now(),
            streams: asking.stats,
            visible,
            shown: None,
            line: String::new(),
            known,
            settles,
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Voice {
    fn note(&mut self, note: &verify::Note<'_>) {
        if self.streams {
            self.resumed();
            complain(&note.to_string());
        }
    }

    fn waiting(&mut self) {
        let due = self.shown.is_none_or(|at| at.elapsed() >= REFRESH);
        if self.visible && due {
            self.shown = Some(Instant::now());
            // Progress is a courtesy: a terminal that can't be written to changes nothing.
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", self.line);
        }
    }

    fn resumed(&mut self) {
        if self.visible && self.shown.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Watcher for Voice {
    fn begun(&mut self, goals: &[Goal]) {
        let mut known = self.known();
        known.goals = goals.to_vec();
        known.counts = Counts { open: goals.len(), ..Counts::default() };
    }

    fn judged(&mut self, judged: &Judged) {
        if self.streams {
            self.resumed();
            let seconds = self.start.elapsed().as_secs_f64();
            complain(&format!("{seconds:.2}: {}", text::goal(judged)));
        }
        self.known().judged.insert(judged.goal.id.clone(), judged.clone());
    }

    fn looked(&mut self, looked: &Looked) {
        if self.streams {
            self.resumed();
            let Looked { how, effort, open: (before, after), seconds } = looked;
            complain(&format!(
                "{how}: {} runs, {} cycles, {} states; events open {before} to {after} ({seconds:.3} s)",
                effort.runs, effort.cycles, effort.states
            ));
        }
    }

    fn bounded(&mut self, events: usize, time: Duration) {
        if self.streams {
            self.resumed();
            let seconds = time.as_secs_f64();
            complain(&format!("bounds of states: {events} events seem excluded ({seconds:.3} s)"));
        }
    }

    fn settles(&mut self) {
        self.settles.begin();
    }

    fn progress(&mut self, counts: Counts, effort: coverage::explore::Effort) {
        self.known().counts = counts;
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = effort.cycles as f64 / seconds.max(0.001);
        self.line = format!(
            "{seconds:.0} s: {} of {} goals covered, {} infeasible, {} open; {} runs, {rate:.0} \
             cycles a second",
            counts.covered,
            counts.all(),
            counts.infeasible,
            counts.open,
            effort.runs
        );
        self.waiting();
    }
}
