//! `cairn check` for circuits.
//!
//! Each bad property gets a verdict. A verdict counts only after `certify` has accepted its
//! evidence on the circuit as it was read; a rejected one is an internal error.

use crate::exit::Exit;
use crate::limits::Budget;
use crate::options::{Check, Engine};
use crate::progress::Progress;
use bounded::{Bmc, KInduction};
use certify::{Rejection, check_circuit};
use circuit::aiger::{self, Claim, Witness};
use circuit::verdict::{Proof, Reason, Verdict};
use circuit::{TransitionSystem, certificate};
use ic3::{Options, check_with_team};
use std::path::Path;

/// The least number of threads of a portfolio: IC3, bounded model checking, another IC3 and
/// k-induction.
const PORTFOLIO: usize = 4;

/// Checks every property of an AIGER file.
pub fn check(file: &Path, arguments: &Check) -> Exit {
    let budget = Budget::start(arguments.time_limit, arguments.memory_limit);
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return Exit::Input;
        }
    };
    let system = match aiger::read(&bytes) {
        Ok(system) => system,
        Err(error) => {
            eprintln!("{}:{error}", file.display());
            return Exit::Input;
        }
    };
    drop(bytes);
    if system.bads.is_empty() {
        eprintln!("{}: the circuit has no bad property and no output to check", file.display());
        return Exit::Input;
    }
    let mut run = Run { arguments, budget, system, witnesses: Vec::new() };
    run.all()
}

struct Run<'a> {
    arguments: &'a Check,
    budget: Budget,
    system: TransitionSystem,
    witnesses: Vec<Witness>,
}

/// What is known of all properties together.
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
            if count > 1 && !self.arguments.quiet {
                let name = self.system.bads[property].name.as_deref().unwrap_or("");
                let gap = if name.is_empty() { "" } else { " " };
                println!("property b{property}{gap}{name}: {words}");
            }
            overall = match (overall, verdict) {
                (Overall::Unsafe, _) | (_, Overall::Unsafe) => Overall::Unsafe,
                (Overall::Safe, other) => other,
                (unknown, _) => unknown,
            };
        }
        if let Err(error) = self.write_witnesses() {
            eprintln!("{error}");
            return Exit::Internal;
        }
        match overall {
            Overall::Safe => {
                println!("verdict: safe");
                Exit::Success
            }
            Overall::Unsafe => {
                println!("verdict: unsafe");
                Exit::Unsafe
            }
            Overall::Unknown(reason) => {
                println!("verdict: unknown ({reason})");
                Exit::Unknown
            }
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
        }
        let accepted = match verdict {
            Verdict::Unknown(reason) => return Ok(Overall::Unknown(self.why(reason))),
            Verdict::Safe(_) => Overall::Safe,
            Verdict::Unsafe(_) => Overall::Unsafe,
        };
        if !self.arguments.no_certify {
            let Budget { limits, interrupt, .. } = &self.budget;
            match check_circuit(&self.system, property, &verdict, *limits, interrupt) {
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
            if self.arguments.stats {
                eprintln!("  certified in {:.3} s", self.budget.elapsed() - decided);
            }
        }
        self.remember(property, verdict);
        Ok(accepted)
    }

    fn decide(&self, property: usize, progress: &mut Progress) -> Verdict {
        let Budget { limits, interrupt, .. } = &self.budget;
        let options = Options { seed: self.arguments.seed, ..Options::default() };
        let jobs = match self.arguments.engine {
            Engine::Auto => self.arguments.jobs,
            Engine::Portfolio => self.arguments.jobs.max(PORTFOLIO),
            Engine::Ic3 => 1,
            Engine::Bmc => {
                let mut engine = Bmc::new(&self.system, property);
                engine.set_limits(*limits, interrupt.clone());
                return engine.check(usize::MAX, &mut ());
            }
            Engine::Kind => {
                let mut engine = KInduction::new(&self.system, property, true);
                engine.set_limits(*limits, interrupt.clone());
                return engine.check(usize::MAX, &mut ());
            }
        };
        check_with_team(&self.system, property, &options, jobs, *limits, interrupt, progress)
            .expect("the reader yields well-formed systems, and the property exists")
    }

    fn why(&self, reason: Reason) -> String {
        if self.budget.out_of_memory() { Reason::Memory.to_string() } else { reason.to_string() }
    }

    fn remember(&mut self, property: usize, verdict: Verdict) {
        match verdict {
            Verdict::Unsafe(trace) => {
                self.witnesses.push(Witness { bads: vec![property], claim: Claim::Violated(trace) })
            }
            Verdict::Safe(Proof::Inductive(invariant)) => {
                // One file holds one certificate circuit: that of the only property.
                if self.system.bads.len() == 1 {
                    self.write_certificate(property, &invariant);
                }
            }
            Verdict::Safe(Proof::KInductive { .. }) | Verdict::Unknown(_) => {}
        }
    }

    fn write_certificate(&self, property: usize, invariant: &[circuit::Clause]) {
        let Some(path) = &self.arguments.witness else { return };
        let written = certificate::circuit(&self.system, property, invariant)
            .map_err(|error| error.to_string())
            .and_then(|circuit| aiger::write_binary(&circuit).map_err(|error| error.to_string()))
            .and_then(|bytes| std::fs::write(path, bytes).map_err(|error| error.to_string()));
        if let Err(error) = written {
            eprintln!("{}: the certificate can't be written: {error}", path.display());
        }
    }

    fn write_witnesses(&self) -> Result<(), String> {
        let Some(path) = &self.arguments.witness else { return Ok(()) };
        if self.witnesses.is_empty() {
            return Ok(());
        }
        let text = aiger::write_witnesses(&self.witnesses);
        std::fs::write(path, text)
            .map_err(|error| format!("{}: the witness can't be written: {error}", path.display()))
    }
}
