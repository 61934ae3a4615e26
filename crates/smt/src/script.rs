//! Runs SMT-LIB scripts on a solver: what `cairn solve` does.
//!
//! A [`Session`] executes commands one by one and hands every line of output to its caller. With
//! `:produce-unsat-cores`, named formulas are assumed at each check instead of asserted, so that
//! the failed ones are the core.

use crate::solver::{Answer, Error, Solver};
use term::smtlib::{Command, Declared, Written};
use term::{Pool, Symbol, Term, Value, print};

/// What the session has to say after a command.
pub enum Step {
    /// Nothing more; go on.
    Continue,
    /// The script asked to stop.
    Exit,
}

/// The state of a running script.
pub struct Session<'p> {
    pool: &'p Pool,
    make: Box<dyn Fn() -> Box<dyn Solver>>,
    solver: Box<dyn Solver>,
    levels: Vec<Level>,
    cores: bool,
    global_declarations: bool,
    last: Option<Last>,
}

/// What a level has declared and asserted.
#[derive(Default)]
struct Level {
    constants: Vec<Term>,
    asserted: Vec<Term>,
    named: Vec<(Symbol, Term)>,
    labels: Vec<(Symbol, Term)>,
}

/// The last check.
struct Last {
    answer: Answer,
    assumptions: Vec<Written>,
}

impl<'p> Session<'p> {
    /// A session without formulas; `make` gives a new solver, now and after each `(reset)`.
    pub fn new(pool: &'p Pool, make: Box<dyn Fn() -> Box<dyn Solver>>) -> Self {
        Session {
            pool,
            solver: make(),
            make,
            levels: vec![Level::default()],
            cores: false,
            global_declarations: false,
            last: None,
        }
    }

    /// The answer to the last check of satisfiability.
    pub fn last_answer(&self) -> Option<&Answer> {
        self.last.as_ref().map(|last| &last.answer)
    }

    /// The solver, for its statistics.
    pub fn solver(&self) -> &dyn Solver {
        &*self.solver
    }

    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the ground level stays")
    }

    /// Executes one command.
    pub fn execute(&mut self, command: &Command, out: &mut dyn FnMut(&str)) -> Result<Step, Error> {
        match command {
            Command::SetLogic(_)
            | Command::SetInfo { .. }
            | Command::DeclareSort { .. }
            | Command::DefineSort { .. }
            | Command::Define { .. } => {}
            Command::SetOption { keyword, value } => match keyword.as_str() {
                ":produce-unsat-cores" => self.cores = value == "true",
                ":global-declarations" => self.global_declarations = value == "true",
                _ => {}
            },
            Command::Declare { declared: Declared::Constant(term), .. } => {
                let global = self.global_declarations;
                let level = if global { &mut self.levels[0] } else { self.level() };
                level.constants.push(*term);
            }
            Command::Declare { .. } => {}
            Command::Named { name, term } => self.level().labels.push((*name, *term)),
            Command::Assert { term, name } => self.assert(*term, *name)?,
            Command::Push(n) => {
                for _ in 0..*n {
                    self.levels.push(Level::default());
                    self.solver.push();
                }
            }
            Command::Pop(n) => {
                self.levels.truncate(self.levels.len() - *n as usize);
                self.solver.pop(*n as usize);
            }
            Command::CheckSat => self.check(&[], out)?,
            Command::CheckSatAssuming(assumptions) => self.check(assumptions, out)?,
            Command::GetValue(terms) => self.get_value(terms, out)?,
            Command::GetModel => self.get_model(out)?,
            Command::GetUnsatCore => self.get_unsat_core(out),
            Command::GetUnsatAssumptions => self.get_unsat_assumptions(out),
            Command::GetAssertions => self.get_assertions(out),
            Command::GetAssignment => self.get_assignment(out)?,
            Command::GetInfo(keyword) => self.get_info(keyword, out),
            Command::Echo(text) => out(&format!("\"{}\"", text.replace('"', "\"\""))),
            Command::ResetAssertions => {
                let kept = self
                    .global_declarations
                    .then(|| self.levels.iter_mut().flat_map(|l| l.constants.drain(..)).collect());
                self.solver = (self.make)();
                let constants = kept.unwrap_or_default();
                self.levels = vec![Level { constants, ..Level::default() }];
                self.last = None;
            }
            Command::Reset => {
                *self = Session::new(
                    self.pool,
                    std::mem::replace(
                        &mut self.make,
                        Box::new(|| unreachable!("replaced by the line around it")),
                    ),
                );
            }
            Command::Exit => return Ok(Step::Exit),
            Command::Variable(_)
            | Command::Rule(_)
            | Command::Query(_)
            | Command::GetProof
            | Command::GetOption(_)
            | Command::Unsupported { .. } => {
                out("unsupported");
            }
        }
        Ok(Step::Continue)
    }

    fn assert(&mut self, term: Term, name: Option<Symbol>) -> Result<(), Error> {
        self.last = None;
        self.level().asserted.push(term);
        match name {
            Some(name) if self.cores => {
                self.level().named.push((name, term));
                Ok(())
            }
            _ => self.solver.assert(self.pool, term),
        }
    }

    fn named(&self) -> impl Iterator<Item = (Symbol, Term)> + '_ {
        self.levels.iter().flat_map(|level| level.named.iter().copied())
    }

    fn check(&mut self, assumptions: &[Written], out: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let terms: Vec<Term> =
            self.named().map(|(_, t)| t).chain(assumptions.iter().map(|w| w.term)).collect();
        // SAT? formulas ∧ named formulas ∧ ⋀ assumptions
        let answer = self.solver.check(self.pool, &terms)?;
        if answer == Answer::Sat {
            self.check_model(assumptions)?;
        }
        out(match &answer {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        });
        self.last = Some(Last { answer, assumptions: assumptions.to_vec() });
        Ok(())
    }

    /// Evaluates everything that was asked in the model. What has no value (quantifiers, or a
    /// model of another solver that can't be read) is passed over.
    fn check_model(&mut self, assumptions: &[Written]) -> Result<(), Error> {
        let asserted = self.levels.iter().flat_map(|level| level.asserted.iter().copied());
        let formulas: Vec<Term> = asserted.chain(assumptions.iter().map(|w| w.term)).collect();
        for formula in formulas {
            if self.solver.value(self.pool, formula) == Ok(Value::Bool(false)) {
                let solver = self.solver.name();
                let formula = print::term_to_string(self.pool, formula);
                return Err(Error::WrongModel { solver, formula });
            }
        }
        Ok(())
    }

    fn is_sat(&self, out: &mut dyn FnMut(&str)) -> bool {
        let sat = self.last_answer() == Some(&Answer::Sat);
        if !sat {
            out("(error \"there is no model: the last check did not answer sat\")");
        }
        sat
    }

    fn get_value(&mut self, terms: &[Written], out: &mut dyn FnMut(&str)) -> Result<(), Error> {
        if !self.is_sat(out) {
            return Ok(());
        }
        let mut pairs = Vec::new();
        for Written { term, text } in terms {
            let value = self.solver.value(self.pool, *term)?;
            pairs.push(format!("({text} {})", print::value_to_string(self.pool, &value)));
        }
        out(&format!("({})", pairs.join("\n ")));
        Ok(())
    }

    /// Prints the value of every declared constant.
    pub fn get_model(&mut self, out: &mut dyn FnMut(&str)) -> Result<(), Error> {
        if !self.is_sat(out) {
            return Ok(());
        }
        let constants: Vec<Term> =
            self.levels.iter().flat_map(|level| level.constants.iter().copied()).collect();
        let mut printer = print::Printer::new(self.pool);
        out("(");
        for constant in constants {
            let value: Value = self.solver.value(self.pool, constant)?;
            out(&format!("  {}", printer.definition(constant, &value)));
        }
        out(")");
        Ok(())
    }

    fn get_unsat_core(&mut self, out: &mut dyn FnMut(&str)) {
        if self.last_answer() != Some(&Answer::Unsat) {
            return out("(error \"there is no core: the last check did not answer unsat\")");
        }
        let core = self.solver.core();
        let names: Vec<String> = self
            .named()
            .filter(|(_, term)| core.contains(term))
            .map(|(name, _)| print::symbol_to_string(self.pool.name(name)).into_owned())
            .collect();
        out(&format!("({})", names.join(" ")));
    }

    fn get_unsat_assumptions(&mut self, out: &mut dyn FnMut(&str)) {
        let Some(Last { answer: Answer::Unsat, assumptions }) = &self.last else {
            return out("(error \"there is no core: the last check did not answer unsat\")");
        };
        let core = self.solver.core();
        let used = assumptions.iter().filter(|w| core.contains(&w.term));
        let texts: Vec<&str> = used.map(|w| w.text.as_str()).collect();
        out(&format!("({})", texts.join(" ")));
    }

    fn get_assertions(&self, out: &mut dyn FnMut(&str)) {
        let asserted = self.levels.iter().flat_map(|level| &level.asserted);
        let texts: Vec<String> = asserted.map(|t| print::term_to_string(self.pool, *t)).collect();
        out(&format!("({})", texts.join("\n ")));
    }

    fn get_assignment(&mut self, out: &mut dyn FnMut(&str)) -> Result<(), Error> {
        if !self.is_sat(out) {
            return Ok(());
        }
        let labels: Vec<(Symbol, Term)> =
            self.levels.iter().flat_map(|level| level.labels.iter().copied()).collect();
        let mut pairs = Vec::new();
        for (name, term) in labels {
            if let Value::Bool(value) = self.solver.value(self.pool, term)? {
                pairs.push(format!("({} {value})", print::symbol_to_string(self.pool.name(name))));
            }
        }
        out(&format!("({})", pairs.join(" ")));
        Ok(())
    }

    fn get_info(&self, keyword: &str, out: &mut dyn FnMut(&str)) {
        match (keyword, self.last_answer()) {
            (":name", _) => out("(:name \"cairn\")"),
            (":version", _) => out(concat!("(:version \"", env!("CARGO_PKG_VERSION"), "\")")),
            (":reason-unknown", Some(Answer::Unknown(reason))) => {
                out(&format!("(:reason-unknown \"{reason}\")"));
            }
            _ => out("unsupported"),
        }
    }
}
