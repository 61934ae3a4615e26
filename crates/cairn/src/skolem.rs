//! `cairn skolem`: whether S(x) ⇒ ∃y. T(x, y), with Skolem functions or an x that has no y.

use crate::exit::Exit;
use crate::limits::{LastResort, Watch};
use crate::options::Skolem as Arguments;
use crate::output::{complain, print};
use aeval::shape::{Shape, question};
use aeval::{Effort, Model, Question, Skolem, Validity, decide};
use smt::Standard;
use std::io::{self, Read};
use std::time::Duration;
use term::print::{Printer, symbol_to_string};
use term::smtlib::{self, Command, Place, Script};
use term::{Pool, Sort, Term, print as written};
use verify::{Budget, Limits};

/// Reads the question, decides it and prints the answer.
pub fn run(arguments: &Arguments) -> Exit {
    let time = arguments.time_limit.map(Duration::from_secs_f64);
    let watch = Watch::start(&Limits { time, ..Limits::default() });
    let budget = Budget::start(&watch.limits());
    let late = |what: answer::Exhausted| format!("unknown ({what})");
    let last_resort = LastResort::beyond(&watch, late, Exit::Unknown);
    let name = arguments.file.display().to_string();
    let text = match read(arguments) {
        Ok(text) => text,
        Err(error) => {
            complain(&format!("{name}: {error}"));
            return Exit::Input;
        }
    };
    let pool = Pool::new();
    let shape = match asked(&pool, &text) {
        Ok(shape) => shape,
        Err(rejection) => {
            complain(&format!("{name}:{}: error: {}", rejection.place, rejection.message));
            complain(&format!("  help: {}", rejection.help));
            return Exit::Input;
        }
    };
    let allowance = &budget.allowance;
    match decide(&pool, &shape.question, &Standard, allowance, Effort::Minimal) {
        Ok(Validity::Valid(skolem)) => {
            let text = valid(&pool, &shape, &skolem, arguments.relation);
            last_resort.answer(|| print(&text));
            Exit::Success
        }
        Ok(Validity::Invalid(model)) => {
            let text = invalid(&pool, &shape.question, &model);
            last_resort.answer(|| print(&text));
            Exit::Unsafe
        }
        Ok(Validity::Unknown(why)) => {
            last_resort.answer(|| print(&format!("unknown ({why})")));
            Exit::Unknown
        }
        Err(broken) => {
            complain(&format!("{name}: internal error: {broken}"));
            Exit::Internal
        }
    }
}

fn read(arguments: &Arguments) -> io::Result<Vec<u8>> {
    if arguments.file.as_os_str() == "-" {
        let mut text = Vec::new();
        io::stdin().read_to_end(&mut text)?;
        return Ok(text);
    }
    std::fs::read(&arguments.file)
}

/// Why a script asks nothing.
struct Rejection {
    place: Place,
    message: String,
    help: String,
}

/// The question of a script.
fn asked(pool: &Pool, text: &[u8]) -> Result<Shape, Rejection> {
    let script = smtlib::parse(pool, text).map_err(|error| Rejection {
        place: error.place,
        message: error.message,
        help: error.help.into_owned(),
    })?;
    let assertions: Vec<(Place, Term)> = script
        .commands
        .iter()
        .filter_map(|located| match located.command {
            Command::Assert { term, .. } => Some((located.place, term)),
            _ => None,
        })
        .collect();
    let end = script.commands.last().map_or(Place { line: 1, column: 1 }, |located| located.place);
    let existential = existential(pool, &script)?;
    let reject = |place: Place, message: &str, help: &str| {
        Err(Rejection { place, message: message.to_owned(), help: help.to_owned() })
    };
    match (&assertions[..], existential) {
        ([(place, formula)], None) => match question(pool, *formula) {
            Some(shape) => Ok(shape),
            None => reject(
                *place,
                "the assertion is not of the form ∀x. S ⇒ ∃y. T",
                "quantifiers may be a ∀ around all and a ∃ in what follows, see docs/skolem.md",
            ),
        },
        ([(_, premise), (place, conclusion)], Some(variables)) => {
            let question = Question { premise: *premise, conclusion: *conclusion, variables };
            let about = term::traverse::free_vars(pool, &[*premise]);
            match about.iter().find(|v| question.variables.contains(v)) {
                None => Ok(Shape { question, bound: Vec::new() }),
                Some(_) => reject(
                    *place,
                    "the first assertion is about a variable that is to be chosen",
                    "S comes first and says what is given, T second",
                ),
            }
        }
        ([], _) => reject(end, "nothing is asserted", "assert ∀x. S ⇒ ∃y. T"),
        ([_, .., (place, _)], _) => reject(
            *place,
            "more than one assertion, and not S and T with (set-info :exists (…))",
            "assert one formula, or name the variables to be chosen in (set-info :exists (y z))",
        ),
        ([(place, _)], Some(_)) => reject(
            *place,
            "(set-info :exists (…)) needs two assertions, S and T",
            "assert (or true) first if nothing is given",
        ),
    }
}

/// The variables that `(set-info :exists (y z))` names; none where there is no such command.
fn existential(pool: &Pool, script: &Script) -> Result<Option<Vec<Term>>, Rejection> {
    for located in &script.commands {
        let Command::SetInfo { keyword, value } = &located.command else { continue };
        if keyword != ":exists" {
            continue;
        }
        let names = value.trim().trim_start_matches('(').trim_end_matches(')');
        let mut variables = Vec::new();
        for name in names.split_whitespace() {
            let plain = name.trim_matches('|');
            let declared = script.commands.iter().find_map(|c| match &c.command {
                Command::Declare { declared: smtlib::Declared::Constant(term), .. }
                    if pool.var_name(*term) == Some(plain) =>
                {
                    Some(*term)
                }
                _ => None,
            });
            match declared {
                Some(variable) => variables.push(variable),
                None => {
                    return Err(Rejection {
                        place: located.place,
                        message: format!("`{name}` is not declared"),
                        help: "name constants that declare-const or declare-fun declares".into(),
                    });
                }
            }
        }
        return Ok(Some(variables));
    }
    Ok(None)
}

/// `valid` and a definition for each variable.
fn valid(pool: &Pool, shape: &Shape, skolem: &Skolem, relation: bool) -> String {
    let mut printer = Printer::new(pool);
    let mut lines = vec!["valid".to_owned()];
    for (variable, function) in skolem.functions(pool) {
        let body = printer.term(function);
        let name = printer.term(variable);
        let parameters = parameters(&mut printer, pool, &shape.bound);
        let sort = printer.sort(pool.sort(variable));
        lines.push(format!("(define-fun {name} ({parameters}) {sort} {body})"));
    }
    if relation {
        let all = [&shape.bound[..], &skolem.variables[..]].concat();
        let body = printer.term(skolem.relation(pool));
        let parameters = parameters(&mut printer, pool, &all);
        lines.push(format!("(define-fun skolem ({parameters}) Bool {body})"));
    }
    lines.join("\n")
}

/// `(x Int) (y Bool)`
fn parameters(printer: &mut Printer<'_>, pool: &Pool, variables: &[Term]) -> String {
    let parameter = |v: &Term| {
        format!("({} {})", printer.term(*v), written::sort_to_string(pool, pool.sort(*v)))
    };
    variables.iter().map(parameter).collect::<Vec<_>>().join(" ")
}

/// `invalid` and the value of each x.
fn invalid(pool: &Pool, question: &Question, model: &Model) -> String {
    let mut printer = Printer::new(pool);
    let mut lines = vec!["invalid".to_owned()];
    for x in question.universal(pool) {
        let value = model.value(pool, x);
        match pool.sort(x) {
            // Elements of a declared sort have no names in SMT-LIB.
            Sort::Uninterpreted(_) => {
                let name = pool.var_name(x).unwrap_or_default();
                lines.push(format!("; {} = {value:?}", symbol_to_string(name)));
            }
            _ => lines.push(printer.definition(x, &value)),
        }
    }
    lines.join("\n")
}
