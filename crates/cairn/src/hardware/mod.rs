//! `cairn check` for circuits.
//!
//! Each bad property gets a verdict. A verdict counts only after `certify` has accepted its
//! evidence on the circuit as it was read; a rejected one is an internal error. What is found is
//! noted for the document that `--format json` prints ([`record`]).

mod record;

use crate::exit::Exit;
use crate::limits::{Budget, Exhausted, LastResort};
use crate::options::{self, Check, Engine};
use crate::progress::Progress;
use bounded::{Bmc, KInduction};
use certify::{Rejection, check_circuit};
use circuit::verdict::{Proof, Reason, Verdict};
use circuit::{Clause, Trace, TransitionSystem, aiger, btor2, certificate};
use ic3::{Options, check_system, check_with_team};
use record::Record;
use report::result::Document;
use std::path::{Path, PathBuf};

/// The least number of threads of a portfolio: IC3, bounded model checking, another IC3 and
/// k-induction.
const PORTFOLIO: usize = 4;

/// Why an engine accepts what it is given.
const WELL_FORMED: &str = "the reader yields well-formed systems, and the property exists";

/// The formats of circuits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Aiger,
    Btor2,
}

/// A circuit as it was read.
pub struct Design {
    /// What the engines and the checker see.
    pub system: TransitionSystem,
    /// For BTOR2, the words that the system was made of.
    pub words: Option<(btor2::System, btor2::Lowered)>,
}

/// Reads a file in one of the formats; the error is a message with a place.
pub fn read(bytes: &[u8], format: Format) -> Result<Design, String> {
    match format {
        Format::Aiger => {
            let system = aiger::read(bytes).map_err(|error| error.to_string())?;
            Ok(Design { system, words: None })
        }
        Format::Btor2 => {
            let words = btor2::read(bytes).map_err(|error| error.to_string())?;
            let mut lowered = btor2::lower(&words).map_err(|error| error.to_string())?;
            let system = std::mem::take(&mut lowered.system);
            Ok(Design { system, words: Some((words, lowered)) })
        }
    }
}

/// Checks every property of a circuit.
pub fn check(file: &Path, format: Format, arguments: &Check) -> Exit {
    let budget = Budget::start(arguments.time_limit, arguments.memory_limit);
    let record = Record::new(file, format, arguments);
    let (json, blank) = (arguments.format == options::Format::Json, record.document().clone());
    let late = move |what: Exhausted| match json {
        true => Document { reason: Some(what.to_string()), ..blank.clone() }.json(),
        false => format!("verdict: unknown ({what})"),
    };
    let last_resort = LastResort::beyond(&budget, late, Exit::Unknown);
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return Exit::Input;
        }
    };
    let Design { system, words } = match read(&bytes, format) {
        Ok(design) => design,
        Err(message) => {
            eprintln!("{}:{message}", file.display());
            return Exit::Input;
        }
    };
    drop(bytes);
    if system.bads.is_empty() {
        eprintln!("{}: the circuit has no bad property and no output to check", file.display());
        return Exit::Input;
    }
    let mut run = Run { arguments, budget, last_resort, system, words, traces: Vec::new(), record };
    run.all()
}

struct Run<'a> {
    arguments: &'a Check,
    budget: Budget,
    last_resort: LastResort,
    system: TransitionSystem,
    words: Option<(btor2::System, btor2::Lowered)>,
    /// The text of all traces so far.
    traces: Vec<u8>,
    /// The answers so far.
    record: Record<'a>,
}

/// What is known of a property, or of all together.
#[derive(Clone, Debug, PartialEq)]
enum Overall {
    Safe,
    Unsafe,
    Unknown(String),
}

impl Run<'_> {
    fn all(&mut self) -> Exit {
        let count = self.system.bads.len();
        let mut overall = Overall::Safe;
        for property in 0..count {
            let verdict = match self.one(property) {
                Ok(verdict) => verdict,
                Err(exit) => return exit,
            };
            let words = match &verdict {
                Overall::Safe => "safe".to_owned(),
                Overall::Unsafe => "unsafe".to_owned(),
                Overall::Unknown(reason) => format!("unknown ({reason})"),
            };
            if count > 1 && self.arguments.talks() {
                println!("property {}: {words}", self.name(property));
            }
            self.record.answer(self.name(property), &verdict);
            overall = match (overall, verdict) {
                (Overall::Unsafe, _) | (_, Overall::Unsafe) => Overall::Unsafe,
                (Overall::Safe, other) => other,
                (unknown, _) => unknown,
            };
        }
        if let Err(exit) = self.write_traces() {
            return exit;
        }
        let (line, exit) = match overall {
            Overall::Safe => ("verdict: safe".to_owned(), Exit::Success),
            Overall::Unsafe => ("verdict: unsafe".to_owned(), Exit::Unsafe),
            Overall::Unknown(reason) => (format!("verdict: unknown ({reason})"), Exit::Unknown),
        };
        let text = match self.arguments.format {
            options::Format::Text => line,
            options::Format::Json => self.record.complete(exit, self.budget.elapsed()),
        };
        self.last_resort.answer(|| println!("{text}"));
        exit
    }

    /// A property's number, and its name if it has one.
    fn name(&self, property: usize) -> String {
        match self.system.bads[property].name.as_deref().unwrap_or("") {
            "" => format!("b{property}"),
            name => format!("b{property} {name}"),
        }
    }

    /// One property, checked.
    fn one(&mut self, property: usize) -> Result<Overall, Exit> {
        let mut progress = Progress::new(self.arguments.quiet);
        let verdict = self.decide(property, &mut progress);
        progress.finish();
        let decided = self.budget.elapsed();
        if self.arguments.stats {
            progress.print_statistics(property, decided);
            print_evidence(&verdict);
        }
        self.record.effort(&self.name(property), &verdict, progress.reached());
        let mut checked = None;
        let accepted = match verdict {
            Verdict::Unknown(reason) => return Ok(Overall::Unknown(self.why(reason))),
            Verdict::Safe(_) => Overall::Safe,
            Verdict::Unsafe(_) => Overall::Unsafe,
        };
        if !self.arguments.no_certify {
            match check_circuit(&self.system, property, &verdict, &self.budget.allowance) {
                Ok(_) => {}
                Err(Rejection::Stopped(stop)) => {
                    let why = self.why(stop.into());
                    return Ok(Overall::Unknown(format!("{why} while the proof was checked")));
                }
                Err(rejection) => {
                    eprintln!("internal error: property b{property}: {rejection}");
                    eprintln!(
                        "the verdict {accepted:?} of the engine was not accepted and is withheld; \
                         please report the circuit and the command line (seed {})",
                        self.arguments.seed
                    );
                    return Err(Exit::Internal);
                }
            }
            checked = Some(self.budget.elapsed() - decided);
            if self.arguments.stats {
                eprintln!(
                    "certification: {:.3} s, after {decided:.3} s",
                    self.budget.elapsed() - decided
                );
            }
        }
        self.record.evidence(self.name(property), &verdict, checked);
        match &verdict {
            Verdict::Unsafe(trace) => self.keep_trace(property, trace)?,
            Verdict::Safe(Proof::Inductive(invariant)) => {
                self.write_certificate(property, invariant)?;
            }
            Verdict::Safe(Proof::KInductive { k, .. }) => {
                if self.arguments.witness.is_some() {
                    eprintln!(
                        "property b{property}: no certificate is written: the proof is by \
                         {k}-induction; --engine ic3 finds one with a certificate"
                    );
                }
            }
            Verdict::Unknown(_) => {}
        }
        Ok(accepted)
    }

    fn decide(&self, property: usize, progress: &mut Progress) -> Verdict {
        let allowance = &self.budget.allowance;
        let options = Options { seed: self.arguments.seed, ..Options::default() };
        let jobs = match self.arguments.engine {
            Engine::Auto => self.arguments.jobs.unwrap_or(1),
            Engine::Portfolio => self.arguments.jobs.unwrap_or(1).max(PORTFOLIO),
            // `check` has refused the engine for programs.
            Engine::Ic3 | Engine::Ic3cfa | Engine::Ic3smt | Engine::Treeic3 => {
                return check_system(&self.system, property, &options, allowance, progress)
                    .expect(WELL_FORMED);
            }
            Engine::Bmc => {
                let mut engine = Bmc::new(&self.system, property);
                engine.set_allowance(allowance.clone());
                return engine.check(usize::MAX, progress);
            }
            Engine::Kind => {
                let mut engine = KInduction::new(&self.system, property, true);
                engine.set_allowance(allowance.clone());
                return engine.check(usize::MAX, progress);
            }
        };
        check_with_team(&self.system, property, &options, jobs, allowance, progress)
            .expect(WELL_FORMED)
    }

    fn why(&self, reason: Reason) -> String {
        self.budget.ended().map_or_else(|| reason.to_string(), |what| what.to_string())
    }

    /// Adds a trace to the others; one of words is replayed on the words first.
    fn keep_trace(&mut self, property: usize, trace: &Trace) -> Result<(), Exit> {
        let text = match &self.words {
            None => {
                let claim = aiger::Claim::Violated(trace.clone());
                aiger::write_witnesses(&[aiger::Witness { bads: vec![property], claim }])
            }
            Some((words, lowered)) => {
                let witness = lowered.lift_trace(words, trace, property);
                if let Err(error) = btor2::witness::replay(words, &witness) {
                    eprintln!("internal error: property b{property}: the trace in words: {error}");
                    return Err(Exit::Internal);
                }
                btor2::witness::write_witness(words, &witness)
            }
        };
        self.record.trace(String::from_utf8_lossy(&text).into_owned());
        self.traces.extend(text);
        Ok(())
    }

    /// Writes the certificate circuit. One file holds one circuit: for the only property it is the
    /// witness itself, of several properties each gets a file whose name ends in its number.
    fn write_certificate(&self, property: usize, invariant: &[Clause]) -> Result<(), Exit> {
        let Some(path) = &self.arguments.witness else { return Ok(()) };
        let certificate = certificate::circuit(&self.system, property, invariant)
            .expect("the checker has accepted the invariant");
        let bytes = aiger::write_binary(&certificate)
            .expect("the certificate of a well-formed system is well-formed");
        let several = self.system.bads.len() > 1;
        write(&if several { numbered(path, property) } else { path.clone() }, &bytes)
    }

    /// Writes the traces, if there are some.
    fn write_traces(&self) -> Result<(), Exit> {
        match &self.arguments.witness {
            Some(path) if !self.traces.is_empty() => write(path, &self.traces),
            _ => Ok(()),
        }
    }
}

/// Tells the size of a proof or a trace.
fn print_evidence(verdict: &Verdict) {
    match verdict {
        Verdict::Safe(Proof::Inductive(clauses)) => {
            eprintln!("  proof of {} clauses", clauses.len())
        }
        Verdict::Safe(Proof::KInductive { k, .. }) => eprintln!("  proof by {k}-induction"),
        Verdict::Unsafe(trace) => eprintln!("  trace of {} steps", trace.inputs.len()),
        Verdict::Unknown(_) => {}
    }
}

/// The name of a property's certificate: `witness.b3.aig`.
fn numbered(witness: &Path, property: usize) -> PathBuf {
    let mut name = witness.as_os_str().to_owned();
    name.push(format!(".b{property}.aig"));
    PathBuf::from(name)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Exit> {
    std::fs::write(path, bytes).map_err(|error| {
        eprintln!("{}: the witness can't be written: {error}", path.display());
        Exit::Internal
    })
}
