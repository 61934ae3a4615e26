//! Any SMT-LIB solver as a program of its own: Bitwuzla, cvc5, another Z3, ….
//!
//! Every question starts the program, writes the whole problem to it and reads the answer, the
//! values of all variables or the core. That is slow for many small questions and robust for few
//! hard ones, which is what a second opinion is asked. Nothing of one question is left for the
//! next, so a crash costs one answer.

use crate::levels::Levels;
use crate::solver::{Answer, Error, Reason, Solver, Statistics};
use answer::Allowance;
use rustc_hash::FxHashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use term::print::{Printer, logic, standard};
use term::smtlib::parse_values;
use term::traverse::free_vars;
use term::{Op, Pool, Term, Value, evaluate};

/// How often a waiting question looks at the clock and the interrupt.
const POLL: Duration = Duration::from_millis(20);

/// A solver that is a program.
pub struct Process {
    name: &'static str,
    program: String,
    arguments: Vec<String>,
    levels: Levels,
    core: Vec<Term>,
    model: FxHashMap<Term, Value>,
    allowance: Allowance,
    queries: u64,
}

impl Process {
    /// A solver that is started with this command and reads SMT-LIB from standard input.
    pub fn new(name: &'static str, program: &str, arguments: &[&str]) -> Self {
        Process {
            name,
            program: program.to_owned(),
            arguments: arguments.iter().map(|a| (*a).to_owned()).collect(),
            levels: Levels::default(),
            core: Vec::new(),
            model: FxHashMap::default(),
            allowance: Allowance::default(),
            queries: 0,
        }
    }

    /// Bitwuzla, as found on the path.
    pub fn bitwuzla() -> Self {
        Process::new("bitwuzla", "bitwuzla", &["--produce-models", "--produce-unsat-cores"])
    }

    /// cvc5, as found on the path.
    pub fn cvc5() -> Self {
        let arguments = ["--incremental", "--produce-models", "--produce-unsat-cores", "-q"];
        Process::new("cvc5", "cvc5", &arguments)
    }

    fn failure(&self, message: impl Into<String>) -> Error {
        Error::External { solver: self.name.into(), message: message.into() }
    }

    fn start(&self) -> Result<Conversation, Error> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| self.failure(format!("{} can't be started: {error}", self.program)))?;
        let input = child.stdin.take().expect("the child was given a pipe");
        let output = child.stdout.take().expect("the child was given a pipe");
        let complaints = child.stderr.take().expect("the child was given a pipe");
        Ok(Conversation {
            child,
            input: Some(input),
            lines: lines_of(output),
            complaints: lines_of(complaints),
        })
    }

    /// One line of the program's answer.
    fn line(&self, conversation: &Conversation) -> Result<Result<String, Reason>, Error> {
        loop {
            match conversation.lines.recv_timeout(POLL) {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => return Ok(Ok(line)),
                Err(RecvTimeoutError::Disconnected) => {
                    let complaint = conversation.complaints.recv().unwrap_or_default();
                    return Err(self.failure(format!("ended without an answer; {complaint}")));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(exhausted) = self.allowance.exhausted() {
                        return Ok(Err(exhausted.into()));
                    }
                }
            }
        }
    }

    /// An answer in parentheses, over as many lines as it takes.
    fn list(&self, conversation: &Conversation) -> Result<Result<String, Reason>, Error> {
        let mut text = String::new();
        let mut open = 0i64;
        loop {
            let line = match self.line(conversation)? {
                Ok(line) => line,
                Err(reason) => return Ok(Err(reason)),
            };
            let mut quoted = false;
            for c in line.chars() {
                match c {
                    '|' => quoted = !quoted,
                    '(' if !quoted => open += 1,
                    ')' if !quoted => open -= 1,
                    _ => {}
                }
            }
            text.push_str(&line);
            text.push('\n');
            if open <= 0 {
                return Ok(Ok(text));
            }
        }
    }

    fn read_model(&mut self, pool: &Pool, printer: &Printer<'_>, text: &str) -> Result<(), Error> {
        let pairs = parse_values(pool, text.as_bytes(), printer.declared())
            .map_err(|error| self.failure(format!("{error} in the values {text}")))?;
        for (var, constant) in pairs {
            let none: FxHashMap<Term, Value> = FxHashMap::default();
            let value =
                evaluate(pool, constant, &none).map_err(|error| self.failure(error.to_string()))?;
            self.model.insert(var, value);
        }
        Ok(())
    }
}

/// A running program.
struct Conversation {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    complaints: Receiver<String>,
}

/// The lines of a stream, read by a thread that ends with the stream.
fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

impl Conversation {
    /// Writes to the program; a program that has gone shows when it is asked for its answer.
    fn say(&mut self, text: &str) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(text.as_bytes()).and_then(|()| input.flush());
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.input = None;
        // It may have ended by itself; either way it is gone afterwards.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Solver for Process {
    fn name(&self) -> &'static str {
        self.name
    }

    fn push(&mut self) {
        self.levels.push();
    }

    fn pop(&mut self, levels: usize) {
        self.levels.pop(levels);
    }

    fn assert(&mut self, _: &Pool, formula: Term) -> Result<(), Error> {
        self.levels.assert(formula);
        Ok(())
    }

    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        self.queries += 1;
        self.core.clear();
        self.model.clear();
        let mut formulas: Vec<Term> = self.levels.formulas().collect();
        if !clause.is_empty() {
            formulas.push(pool.or(clause.iter().copied()));
        }
        // Assumptions go through the same rewriting, so they come last and are counted from there.
        formulas.extend(assumptions);
        let rewritten = standard(pool, &formulas);
        let named_from = formulas.len() - assumptions.len();
        let mut printer = Printer::new(pool);
        let mut body = String::new();
        for (i, formula) in rewritten.iter().enumerate() {
            let text = printer.term(*formula);
            match i.checked_sub(named_from).filter(|k| *k < assumptions.len()) {
                Some(k) => body.push_str(&format!("(assert (! {text} :named assumption!{k}))\n")),
                None => body.push_str(&format!("(assert {text})\n")),
            }
        }
        let mut conversation = self.start()?;
        conversation.say(&format!(
            "(set-option :produce-models true)\n(set-option :produce-unsat-cores true)\n\
             (set-logic {})\n{}{body}(check-sat)\n",
            logic(pool, &rewritten),
            printer.take_declarations()
        ));
        // SAT? formulas ∧ ⋁ clause ∧ ⋀ assumptions
        let answer = match self.line(&conversation)? {
            Ok(answer) => answer,
            Err(reason) => return Ok(Answer::Unknown(reason)),
        };
        match answer.trim() {
            "sat" => {
                let vars = free_vars(pool, &rewritten);
                let names: Vec<String> = vars.iter().map(|v| printer.term(*v)).collect();
                if !names.is_empty() {
                    conversation.say(&format!("(get-value ({}))\n", names.join(" ")));
                    match self.list(&conversation)? {
                        Ok(text) => self.read_model(pool, &printer, &text)?,
                        Err(reason) => return Ok(Answer::Unknown(reason)),
                    }
                }
                Ok(Answer::Sat)
            }
            "unsat" => {
                if !assumptions.is_empty() {
                    conversation.say("(get-unsat-core)\n");
                    match self.list(&conversation)? {
                        Ok(text) => {
                            let used = |k: &usize| {
                                let name = format!("assumption!{k}");
                                let words =
                                    text.split(|c: char| c.is_whitespace() || "()".contains(c));
                                words.into_iter().any(|word| word == name)
                            };
                            self.core = (0..assumptions.len())
                                .filter(used)
                                .map(|k| assumptions[k])
                                .collect();
                        }
                        Err(reason) => return Ok(Answer::Unknown(reason)),
                    }
                }
                Ok(Answer::Unsat)
            }
            "unknown" => Ok(Answer::Unknown(Reason::Incomplete(format!("{} gave up", self.name)))),
            other => Err(self.failure(other)),
        }
    }

    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        let applies = |t: &Term| matches!(pool.op(*t), Op::Apply(_));
        if term::traverse::subterms(pool, &[term]).iter().any(applies) {
            let what = "values of functions".to_owned();
            return Err(Error::Unsupported { solver: self.name, what });
        }
        evaluate(pool, term, &self.model)
            .map_err(|error| Error::Unsupported { solver: self.name, what: error.to_string() })
    }

    fn core(&self) -> Vec<Term> {
        self.core.clone()
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.allowance = allowance;
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.allowance.work = conflicts;
    }

    fn statistics(&self) -> Statistics {
        Statistics { queries: self.queries, ..Statistics::default() }
    }
}
