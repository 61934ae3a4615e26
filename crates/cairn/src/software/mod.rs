//! `cairn check` for C programs.
//!
//! The program is compiled, lowered, modelled as a control-flow automaton and minimized; engines
//! race on the small automaton ([`engines`]). A verdict counts only after its evidence has been
//! accepted ([`evidence`]): an invariant, lifted to the automaton before minimization, by
//! `certify`; a run by the interpreter of the program itself. Before all that the interpreter
//! executes the program: one that takes no unknown value has one run, which decides it.
//!
//! A program whose calls make many edges is modelled as far as the properties depend on it
//! ([`model::Options::cone`]); if a run found there can't be followed in the program, the whole of
//! it is modelled.
//!
//! Recursion is taken away by summaries, where these are found ([`summaries`]); else it is unrolled
//! to a depth that grows until a proof says that it suffices, or a run that does not meet the end of
//! the unrolling is found.

mod counting;
mod dead;
mod engines;
mod evidence;
mod execution;
mod files;
mod line;
mod null;
mod property;
mod reached;
mod record;
mod summaries;
mod testing;
mod trace;
mod turns;
mod vacuity;
mod witness;

use crate::exit::Exit;
use crate::limits::{Budget, Exhausted, LastResort};
use crate::options::{CProgram, Check, Engine, Format, Picture, Show, Stage};
use engines::{Found, Next, Race};
use evidence::{Evidence, Refusal};
use files::Files;
use front_c::compile::{Compiled, Input, compile};
use front_c::diagnostic::Severity;
use front_c::lower;
use program::minimize::{self, Minimized, Pass};
use program::model::{self, Model, layout_dependence};
use program::print::{cfa_dot, cfa_text, program_dot};
use program::program::{Assumption, VariableId};
use program::verdict::{Invariant, Proof, Reason};
use program::{Cfa, Place, Program, Property, Verdict};
use reached::Modelled;
use record::Record;
use report::counterexample::Counterexample;
use report::invariant::LoopInvariant;
use report::result::Vacuity;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use testing::Tests;
pub use witness::validate;

/// How many open calls of one function the first model has.
const FIRST_DEPTH: u32 = 4;
/// How many it may have at most.
const LAST_DEPTH: u32 = 1 << 12;
/// How many edges the model of a whole program may have; of a larger one, first the cone of the
/// properties is modelled.
const WHOLE_EDGES: usize = 30_000;
/// How long engines are waited for before random tests are started.
const TEST_START: f64 = 0.5;
/// How often it is asked whether one fails.
const TEST_LOOK: Duration = Duration::from_millis(100);
/// How long a proof is checked while engines may still find a better one, at first.
const FIRST_PATIENCE: Duration = Duration::from_secs(2);
/// How much of the time that is left the question is worth whether a proof is vacuous.
const VACUITY_SHARE: f64 = 0.25;
/// How long it is looked at most.
const VACUITY_TIME: Duration = Duration::from_secs(2);

/// The program, ready to be modelled.
struct Subject {
    program: Program,
    properties: BTreeSet<Property>,
    /// How it is modelled.
    options: model::Options,
    /// Whether the cone of the properties is modelled: always, never, or as it fits.
    cone: Option<bool>,
    /// Functions that are not part of the program.
    unused: Vec<lower::Unused>,
}

/// Checks the files as one program.
pub fn check(files: &[PathBuf], arguments: &Check) -> Exit {
    let budget = Budget::start(arguments.time_limit, arguments.memory_limit);
    let record = Record::default();
    let blank = record::blank(files, arguments);
    let last_resort = {
        let (json, board) = (arguments.format == Format::Json, record.board.clone());
        let (blank, start) = (blank.clone(), Instant::now());
        let late = move |what: Exhausted| match json {
            true => record::late(&blank, &board, what, start.elapsed().as_secs_f64()).json(),
            false => format!("verdict: unknown ({what})"),
        };
        LastResort::beyond(&budget, late, Exit::Unknown)
    };
    let subject = match prepare(files, &arguments.c) {
        Ok(subject) => subject,
        Err(exit) => return exit,
    };
    if subject.properties.contains(&Property::DeadCode) {
        return dead::check(files, arguments, subject, &budget, &last_resort);
    }
    let mut run = Run::new(arguments, &budget, &subject, record);
    let decision = match run.decide() {
        Ok(decision) => decision,
        Err(exit) => return exit,
    };
    let record = run.finish();
    let files = Files { names: files, arguments, subject: &subject };
    let (line, exit) = match files.report(&decision, record.vacuity.as_ref()) {
        Ok(reported) => reported,
        Err(exit) => return exit,
    };
    let text = match arguments.format {
        Format::Text => line,
        Format::Json => {
            let seconds = budget.elapsed();
            record.complete(blank, &subject, &decision, arguments, seconds).json()
        }
    };
    if let (true, Some(seconds)) = (arguments.stats, record.check) {
        eprintln!("certification: {seconds:.3} s, after {:.3} s", record.solving);
    }
    last_resort.answer(|| println!("{text}"));
    // Engines that are still at work end with the process.
    std::process::exit(i32::from(exit.code()));
}

/// Reads and types the program. Everything that is wrong with it is printed; there is a typed
/// program if nothing is.
fn read(files: &[PathBuf], arguments: &CProgram) -> Result<Compiled, Exit> {
    let inputs: Vec<Input> = files.iter().cloned().map(Input::File).collect();
    let options = front_c::compile::Options::new(arguments.data_model.into());
    let compiled = compile(&inputs, &options).map_err(|error| {
        eprintln!("{error}");
        Exit::Input
    })?;
    for diagnostic in &compiled.diagnostics {
        if diagnostic.severity == Severity::Error {
            eprintln!("{}", diagnostic.render(&compiled.sources));
        }
    }
    Ok(compiled)
}

/// Reads, checks and lowers the program. Everything that is wrong with it is printed.
fn prepare(files: &[PathBuf], arguments: &CProgram) -> Result<Subject, Exit> {
    let properties = property::parse(&arguments.property).map_err(|message| {
        eprintln!("{message}");
        Exit::Input
    })?;
    let compiled = read(files, arguments)?;
    let typed = compiled.program.as_ref().ok_or(Exit::Input)?;
    let options = lower::Options {
        entry: arguments.entry.clone(),
        error_labels: arguments.error_label.clone(),
        properties: properties.iter().copied().collect(),
    };
    match lower::lower(typed, &compiled.sources, &options) {
        Ok(lowered) => {
            let subject = Subject::new(lowered.program, properties, arguments);
            Ok(Subject { unused: lowered.unused, ..subject })
        }
        Err(errors) => {
            for diagnostic in errors {
                eprintln!("{}", diagnostic.render(&compiled.sources));
            }
            Err(Exit::Input)
        }
    }
}

impl Subject {
    fn new(program: Program, properties: BTreeSet<Property>, arguments: &CProgram) -> Subject {
        let without = |pass: Pass| arguments.without_pass.contains(&pass);
        let options = model::Options {
            properties: properties.clone(),
            initialized: !without(Pass::Initialized),
            pointers: !without(Pass::Pointers),
            ..model::Options::default()
        };
        let cone = match (without(Pass::Cone), arguments.cone) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        };
        Subject { program, properties, options, cone, unused: Vec::new() }
    }

    /// The automaton, with recursion unrolled to a depth.
    fn model(&self, depth: u32, scope: Scope) -> Result<Model, model::Error> {
        let options = model::Options { recursion: depth, ..self.options.clone() };
        // Calls that seem recursive because pointers are not told apart make large models.
        let recursion = (depth / FIRST_DEPTH).max(1);
        let cone = model::Options { cone: true, recursion, ..options.clone() };
        match (scope, self.cone) {
            (Scope::Whole, _) | (_, Some(false)) => model::model(&self.program, &options),
            (Scope::Cone, _) | (_, Some(true)) => model::model(&self.program, &cone),
            (Scope::Fitting, None) => {
                let small = model::Options { edges: WHOLE_EDGES, ..options };
                match model::model(&self.program, &small) {
                    Err(model::Error::Size { .. }) => model::model(&self.program, &cone),
                    other => other,
                }
            }
        }
    }
}

/// Says why there is no model.
fn refused(error: &model::Error) -> Exit {
    match error {
        model::Error::Malformed { .. } => {
            eprintln!("internal error: {error}");
            Exit::Internal
        }
        model::Error::Size { .. } | model::Error::Unsupported { .. } => {
            eprintln!("{error}");
            Exit::Input
        }
    }
}

/// `cairn show`: prints a stage of the program.
pub fn show(arguments: &Show) -> Exit {
    if arguments.stage == Stage::Ast {
        return show_tree(arguments);
    }
    let subject = match prepare(&arguments.files, &arguments.c) {
        Ok(subject) => subject,
        Err(exit) => return exit,
    };
    let (program, pool) = (&subject.program, &subject.program.pool);
    if arguments.stage == Stage::Program {
        match arguments.format {
            Picture::Text => print!("{}", ivl::print(program)),
            Picture::Dot => print!("{}", program_dot(program)),
        }
        return Exit::Success;
    }
    let mut cfa = match subject.model(FIRST_DEPTH, Scope::Fitting) {
        Ok(model) => model.cfa,
        Err(error) => return refused(&error),
    };
    if arguments.stage == Stage::Lbe {
        cfa = minimize::minimize(pool, &cfa, &arguments.c.minimization()).cfa;
    }
    match arguments.format {
        Picture::Text => print!("{}", cfa_text(&cfa, pool)),
        Picture::Dot => print!("{}", cfa_dot(&cfa, pool)),
    }
    Exit::Success
}

impl CProgram {
    /// How the automaton is minimized.
    fn minimization(&self) -> minimize::Options {
        let mut options = minimize::Options::default();
        options.passes.retain(|pass| !self.without_pass.contains(pass));
        options
    }
}

/// `cairn show --stage ast`: prints the typed syntax tree, of any program that can be read.
fn show_tree(arguments: &Show) -> Exit {
    let compiled = match read(&arguments.files, &arguments.c) {
        Ok(compiled) => compiled,
        Err(exit) => return exit,
    };
    let Some(typed) = &compiled.program else { return Exit::Input };
    match arguments.format {
        Picture::Text => print!("{}", front_c::print::text(typed, &compiled.sources)),
        Picture::Dot => print!("{}", front_c::print::dot(typed, &compiled.sources)),
    }
    Exit::Success
}

/// What is known in the end.
enum Decision {
    Safe(Proved),
    /// With the run, as it was replayed.
    Unsafe(Box<Counterexample>),
    Unknown(String),
}

/// An accepted proof.
#[derive(Default)]
struct Proved {
    /// As [`report::result::Proof::kind`].
    kind: &'static str,
    /// Of k-induction.
    k: Option<usize>,
    /// The number of its formulas.
    size: Option<usize>,
    /// What holds at the loops, if that was wanted.
    loops: Vec<LoopInvariant>,
}

/// What became of one model.
enum Attempt {
    Decided(Decision),
    /// The recursion was not unrolled deep enough.
    Deeper,
    /// A run of the cone is none of the program.
    Whole,
    /// It is safe as objects are placed here, which are some places of many, and looks at them.
    Placed(Place),
}

/// What is modelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    /// The whole program, or the cone of the properties if that is too large.
    Fitting,
    Whole,
    Cone,
}

struct Run<'a> {
    arguments: &'a Check,
    budget: &'a Budget,
    subject: &'a Subject,
    record: Record,
    /// Random tests beside the engines, if they are wanted.
    tests: Option<Tests<'a>>,
    /// When the program is executed again, if it has one run, as far as that is known.
    again: Option<f64>,
    /// Whether the first evidence that is not accepted ends the run.
    hasty: bool,
}

impl<'a> Run<'a> {
    fn new(
        arguments: &'a Check,
        budget: &'a Budget,
        subject: &'a Subject,
        record: Record,
    ) -> Run<'a> {
        let all = matches!(arguments.engine, Engine::Auto | Engine::Portfolio);
        let Subject { program, properties, .. } = subject;
        let tests = all.then(|| Tests::new(program, properties, arguments.seed));
        Run { arguments, budget, subject, record, tests, again: None, hasty: false }
    }

    /// What was noted; nothing goes on afterwards.
    fn finish(self) -> Record {
        self.record
    }

    fn decide(&mut self) -> Result<Decision, Exit> {
        match self.decide_as_written()? {
            Decision::Safe(proved) => self.beyond_null(proved),
            decision => Ok(decision),
        }
    }

    fn decide_as_written(&mut self) -> Result<Decision, Exit> {
        if self.tests.is_some()
            && let Some(decision) = self.execute(execution::FIRST)
        {
            return Ok(decision);
        }
        if self.arguments.engine != Engine::Bmc
            && let Some(decision) = self.by_summaries()?
        {
            return Ok(decision);
        }
        let decision = self.model_and_race()?;
        // Engines that gave up have left time for runs, if the user has set a limit.
        let (Decision::Unknown(_), Some(end)) = (&decision, self.budget.limits.deadline) else {
            return Ok(decision);
        };
        let ran = match self.again {
            Some(_) => self.execute(Duration::MAX),
            None => self.test(end).map(Decision::Unsafe),
        };
        Ok(ran.unwrap_or(decision))
    }

    /// Models the program, with recursion unrolled ever deeper, and lets the engines race. If the
    /// program looks at addresses, a proof counts for the cone alone, where that does not matter.
    fn model_and_race(&mut self) -> Result<Decision, Exit> {
        let (mut depth, mut scope) = (FIRST_DEPTH, Scope::Fitting);
        let mut looks_at_addresses = None;
        loop {
            match self.attempt(depth, scope)? {
                Attempt::Decided(decision) => return Ok(decision),
                Attempt::Whole => {
                    if let Some(place) = &looks_at_addresses {
                        return Ok(placed(place));
                    }
                    scope = Scope::Whole;
                }
                Attempt::Placed(place)
                    if scope == Scope::Fitting && self.subject.cone.is_none() =>
                {
                    (depth, scope) = (FIRST_DEPTH, Scope::Cone);
                    looks_at_addresses = Some(place);
                }
                Attempt::Placed(place) => return Ok(placed(&place)),
                Attempt::Deeper if depth >= LAST_DEPTH => {
                    let why = format!("recursion is deeper than {LAST_DEPTH} calls");
                    return Ok(Decision::Unknown(why));
                }
                Attempt::Deeper => depth *= 2,
            }
        }
    }

    fn json(&self) -> bool {
        self.arguments.format == Format::Json
    }

    /// Whether a proof says something. `complete`: no run leaves the model.
    fn vacuity(&self, model: &Model, complete: bool) -> Vacuity {
        let (program, properties) = (&self.subject.program, &self.subject.properties);
        vacuity::by_structure(program, properties, &model.cfa).unwrap_or_else(|| {
            let patience = self.budget.share(VACUITY_SHARE, VACUITY_TIME);
            vacuity::by_search(&program.pool, &model.cfa, complete, patience)
        })
    }

    /// Prints assumptions that have not been printed before.
    fn tell<'p>(&mut self, assumptions: impl IntoIterator<Item = &'p Assumption>) {
        for assumption in assumptions {
            let told = &mut self.record.assumptions;
            if told.iter().any(|known| known.text == assumption.text) {
                continue;
            }
            told.push(assumption.clone());
            if self.arguments.talks() {
                println!("{}: assumed: {}", assumption.place, assumption.text);
            }
        }
    }

    /// One model, with recursion unrolled to a depth.
    fn attempt(&mut self, depth: u32, scope: Scope) -> Result<Attempt, Exit> {
        let model = match self.subject.model(depth, scope) {
            Ok(model) => model,
            Err(error @ model::Error::Size { .. }) => {
                return Ok(Attempt::Decided(Decision::Unknown(error.to_string())));
            }
            Err(error) => return Err(refused(&error)),
        };
        self.tell(self.subject.program.assumptions.iter().chain(&model.assumptions));
        let pool = &self.subject.program.pool;
        let options = self.arguments.c.minimization();
        let minimized = minimize::minimize(pool, &model.cfa, &options);
        if self.arguments.stats {
            self.print_passes(&model, &minimized);
        }
        let depth = if model.cone { (depth / FIRST_DEPTH).max(1) } else { depth };
        self.record.board.modelled(Modelled {
            model: record::size(&model.cfa),
            minimized: record::size(&minimized.cfa),
            recursion: depth,
        });
        let attempt = self.race(&model, &minimized)?;
        if let Attempt::Decided(Decision::Safe(_)) = &attempt {
            let options = model::Options { cone: model.cone, ..self.subject.options.clone() };
            if let Some(place) = layout_dependence(&self.subject.program, &options) {
                return Ok(Attempt::Placed(place));
            }
        }
        match &attempt {
            Attempt::Decided(Decision::Safe(_)) if self.json() => {
                self.record.vacuity = Some(self.vacuity(&model, true));
            }
            Attempt::Decided(Decision::Safe(_)) => {
                let (program, properties) = (&self.subject.program, &self.subject.properties);
                self.record.vacuity = vacuity::by_structure(program, properties, &model.cfa);
            }
            Attempt::Decided(Decision::Unsafe(_)) if self.json() => {
                self.record.matter = Some(self.cone(&model.cfa));
            }
            _ => {}
        }
        Ok(attempt)
    }

    /// The registers on which violations can depend.
    fn cone(&self, cfa: &Cfa) -> FxHashSet<VariableId> {
        let passes = [Pass::Prune, Pass::Slice].into();
        let options = minimize::Options { passes, ..minimize::Options::default() };
        let sliced = minimize::minimize(&self.subject.program.pool, cfa, &options).cfa;
        let mut written = FxHashSet::default();
        for edge in sliced.edges.values() {
            record::assigned(&edge.command, &mut written);
        }
        let origins = written.iter().filter_map(|variable| sliced.variables.get(variable));
        origins.filter_map(|origin| origin.variable).collect()
    }

    fn print_passes(&self, model: &Model, minimized: &Minimized) {
        let size = |cfa: &Cfa| {
            let (locations, edges) = (cfa.locations.len(), cfa.edges.len());
            format!("{locations} locations, {edges} edges, {} variables", cfa.variables.len())
        };
        let what = if model.cone { "model of the cone" } else { "model" };
        eprintln!("{what}: {} ({:.3} s)", size(&model.cfa), self.budget.elapsed());
        for pass in model.passes.iter().chain(&minimized.passes) {
            let (name, before, after) = (pass.pass.name(), &pass.before, &pass.after);
            eprintln!(
                "  {name}: locations {} to {}, edges {} to {}, variables {} to {}, terms {} to {}",
                before.locations,
                after.locations,
                before.edges,
                after.edges,
                before.variables,
                after.variables,
                before.terms,
                after.terms
            );
        }
        eprintln!("minimized: {} ({:.3} s)", size(&minimized.cfa), self.budget.elapsed());
    }

    /// Lets the engines run; the first verdict that is accepted counts.
    fn race(&mut self, model: &Model, minimized: &Minimized) -> Result<Attempt, Exit> {
        let pool = &self.subject.program.pool;
        let evidence = Evidence {
            program: &self.subject.program,
            properties: &self.subject.properties,
            model,
            minimized,
            budget: self.budget,
            lift: self.arguments.witness.is_some() || self.json(),
        };
        if !minimized.cfa.edges.values().any(|edge| Some(edge.to) == minimized.cfa.error) {
            // Minimization has found that no run leads to a violation.
            let proof = Proof::Inductive(Invariant::default());
            let decided = self.budget.elapsed();
            return match evidence.accept_proof(pool, &proof, Duration::MAX) {
                Ok(attempt) => {
                    self.record.engine = Some("minimization");
                    self.certified(decided);
                    Ok(attempt)
                }
                Err(Refusal::Wrong(why)) => Err(self.internal_error("minimization", &why)),
                Err(Refusal::Open(why)) => Ok(Attempt::Decided(Decision::Unknown(why))),
                Err(Refusal::Impatient) => {
                    Ok(Attempt::Decided(Decision::Unknown(Reason::Time.to_string())))
                }
            };
        }
        let race =
            Race::start(pool, &minimized.cfa, self.arguments, self.budget, &self.record.board);
        let mut unknown = String::from("no engine has found an answer");
        // A proof whose check takes long while engines may still find a better one waits here; it
        // is checked again, with twice the patience, after the engines have had as much time.
        let mut waiting: Option<(Found, Instant)> = None;
        let mut patience = FIRST_PATIENCE;
        loop {
            let quiet = match (&waiting, &self.tests) {
                (Some((_, due)), _) if Instant::now() >= *due => Some(Duration::ZERO),
                (None, None) => None,
                _ => Some(TEST_LOOK),
            };
            let (found, again) = match (race.next(quiet), waiting.take()) {
                (Next::Found(found), other) => {
                    waiting = other;
                    (*found, false)
                }
                (Next::Over, Some((found, _))) => (found, true),
                (Next::Quiet, Some((found, due))) if Instant::now() >= due => (found, true),
                (Next::Quiet, other) => {
                    waiting = other;
                    match self.run_beside(&race) {
                        Some(decision) => {
                            race.stop();
                            return Ok(Attempt::Decided(decision));
                        }
                        None => continue,
                    }
                }
                (Next::Over, None) => break,
            };
            if again {
                patience *= 2;
            }
            let decided = self.budget.elapsed();
            if self.arguments.stats {
                eprintln!("{}: {} ({decided:.3} s)", found.engine, name(&found.verdict));
                let summary =
                    if again { Vec::new() } else { self.record.board.summary(found.engine) };
                for line in summary {
                    eprintln!("  {line}");
                }
            }
            self.record.board.ended(found.engine, name(&found.verdict));
            let held = (race.hold(patience), self.tests.as_ref().map(|tests| tests.hold(patience)));
            let accepted = match &found.verdict {
                Verdict::Unknown(reason) => {
                    unknown = format!("{}: {}", found.engine, self.why(reason));
                    continue;
                }
                Verdict::Safe(_) if self.arguments.no_certify => {
                    Ok(Attempt::Decided(Decision::Safe(Proved::default())))
                }
                Verdict::Safe(proof) => evidence.accept_proof(&found.pool, proof, patience),
                Verdict::Unsafe(run) => evidence.accept_run(run),
            };
            drop(held);
            if self.arguments.stats {
                eprintln!("  evidence checked in {:.3} s", self.budget.elapsed() - decided);
            }
            match accepted {
                Ok(attempt) => {
                    race.stop();
                    self.record.engine = Some(found.engine);
                    if !self.arguments.no_certify {
                        self.certified(decided);
                    }
                    return Ok(attempt);
                }
                Err(Refusal::Open(_) | Refusal::Wrong(_))
                    if model.cone && matches!(found.verdict, Verdict::Unsafe(_)) =>
                {
                    race.stop();
                    return Ok(Attempt::Whole);
                }
                Err(Refusal::Open(why)) => {
                    unknown = format!("{}: {why}", found.engine);
                    if self.hasty {
                        race.stop();
                        break;
                    }
                }
                Err(Refusal::Impatient) => {
                    waiting = Some((found, Instant::now() + patience));
                }
                Err(Refusal::Wrong(why)) => return Err(self.internal_error(found.engine, &why)),
            }
        }
        Ok(Attempt::Decided(Decision::Unknown(unknown)))
    }

    /// Notes that evidence which was there after `solving` seconds has been checked.
    fn certified(&mut self, solving: f64) {
        self.record.solving = solving;
        self.record.check = Some(self.budget.elapsed() - solving);
    }

    /// Whether a test fails, beside the engines or in its turn.
    fn test_beside(&mut self, race: &Race) -> Option<Box<Counterexample>> {
        if !race.is_sequential() {
            let begun = self.budget.elapsed() >= TEST_START;
            return begun.then(|| self.test(Instant::now())).flatten();
        }
        let deadline = self.budget.limits.deadline;
        let run = self.tests.as_mut()?.turn(deadline)?;
        Some(self.failed(run))
    }

    /// Tests the program until a run fails or the time has come.
    fn test(&mut self, end: Instant) -> Option<Box<Counterexample>> {
        let run = self.tests.as_mut()?.until(end)?;
        Some(self.failed(run))
    }

    /// A test fails.
    fn failed(&mut self, run: Box<Counterexample>) -> Box<Counterexample> {
        let count = self.tests.as_ref().map_or(0, Tests::count);
        if self.arguments.stats {
            eprintln!("test {count} fails ({:.3} s)", self.budget.elapsed());
        }
        self.record.engine = Some("tests");
        self.certified(self.budget.elapsed());
        run
    }

    fn internal_error(&self, who: &str, why: &str) -> Exit {
        eprintln!("internal error: {who}: {why}");
        eprintln!(
            "the verdict was not accepted and is withheld; please report the program and the \
             command line (seed {})",
            self.arguments.seed
        );
        Exit::Internal
    }

    fn why(&self, reason: &Reason) -> String {
        self.budget.ended().map_or_else(|| reason.to_string(), |what| what.to_string())
    }
}

/// Nothing is found as objects are placed here, and that is all.
fn placed(place: &Place) -> Decision {
    let why = format!("no violation as objects are placed here, but {place} looks at addresses");
    Decision::Unknown(why)
}

fn name(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Safe(_) => "safe".to_owned(),
        Verdict::Unsafe(run) => format!("unsafe, {} steps", run.steps.len()),
        Verdict::Unknown(reason) => format!("unknown ({reason})"),
    }
}
