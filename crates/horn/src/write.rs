//! Clauses, models and derivations as SMT-LIB and as text.

use crate::model::{Interpretation, Model};
use crate::refutation::Refutation;
use crate::system::{Application, Clause, PredicateId, System};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use term::print::{Printer, value_to_string};
use term::smtlib::Declared;
use term::{Pool, Sort, Term};

/// The system as a script of the logic HORN, in the form of CHC-COMP.
pub fn system_text(pool: &Pool, system: &System) -> String {
    let mut writer = Writer::new(pool, system);
    let mut clauses = String::new();
    for clause in &system.clauses {
        writer.clause(clause, &mut clauses);
    }
    let mut text = "(set-logic HORN)\n\n".to_owned();
    let used = |p: &PredicateId| {
        system.clauses.iter().any(|clause| clause.assumes(*p) || clause.concludes(*p))
    };
    for p in (0..system.predicates.len()).filter(used) {
        let name = writer.name(p);
        let sorts = writer.sorts(p);
        append(&mut text, format_args!("(declare-fun {name} ({sorts}) Bool)\n"));
    }
    text + "\n" + &clauses + "\n(check-sat)\n"
}

/// The relations of a model as function definitions, each after those that it mentions.
pub fn model_text(pool: &Pool, system: &System, model: &Model) -> String {
    let mut writer = Writer::new(pool, system);
    let mut text = "(\n".to_owned();
    for p in definition_order(system, model) {
        let predicate = &system.predicates[p];
        let name = writer.name(p);
        let parameters: Vec<String> = predicate
            .parameters
            .iter()
            .map(|v| {
                format!("({} {})", writer.printer.term(*v), writer.printer.sort(pool.sort(*v)))
            })
            .collect();
        let body = match model.relations[p] {
            Interpretation::Formula(formula) => writer.printer.term(formula),
            Interpretation::Clauses => writer.definition(p),
        };
        let parameters = parameters.join(" ");
        append(&mut text, format_args!("  (define-fun {name} ({parameters}) Bool {body})\n"));
    }
    text + ")\n"
}

/// Predicates in an order in which each comes after those that its definition mentions.
fn definition_order(system: &System, model: &Model) -> Vec<PredicateId> {
    let is_formula = |p: &PredicateId| model.relations[*p] != Interpretation::Clauses;
    let mut order: Vec<PredicateId> = (0..system.predicates.len()).filter(is_formula).collect();
    let mut placed: Vec<bool> = (0..system.predicates.len()).map(|p| is_formula(&p)).collect();
    let concluding = system.concluding();
    loop {
        let ready = |p: &PredicateId| {
            let mut clauses = concluding[*p].iter().map(|number| &system.clauses[*number]);
            !placed[*p] && clauses.all(|clause| clause.body.iter().all(|b| placed[b.predicate]))
        };
        let next: Vec<PredicateId> = (0..placed.len()).filter(ready).collect();
        if next.is_empty() {
            return order;
        }
        next.iter().for_each(|p| placed[*p] = true);
        order.extend(next);
    }
}

/// A derivation, a step a line: its number, what it derives, by which clause and from which steps.
pub fn refutation_text(pool: &Pool, system: &System, refutation: &Refutation) -> String {
    let facts = refutation.replay(pool, system);
    let mut writer = Writer::new(pool, system);
    let mut text = String::new();
    for (number, step) in refutation.steps.iter().enumerate() {
        let fact = facts.as_ref().ok().and_then(|facts| facts.get(number)?.as_ref());
        let derived = match fact {
            None => "false".to_owned(),
            Some((p, values)) => {
                let values: Vec<String> = values.iter().map(|v| value_to_string(pool, v)).collect();
                let name = writer.name(*p);
                if values.is_empty() { name } else { format!("({name} {})", values.join(" ")) }
            }
        };
        let place = system.clauses.get(step.clause).map(|clause| clause.place);
        let place = place.filter(|place| place.line > 0);
        let by = place.map_or(format!("clause {}", step.clause + 1), |place| {
            format!("the clause at {place}")
        });
        append(&mut text, format_args!("{number}: {derived} by {by}"));
        let premises: Vec<String> = step.premises.iter().map(usize::to_string).collect();
        if !premises.is_empty() {
            append(&mut text, format_args!(" from {}", premises.join(", ")));
        }
        text.push('\n');
    }
    text
}

fn append(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a string takes everything");
}

struct Writer<'a> {
    pool: &'a Pool,
    system: &'a System,
    printer: Printer<'a>,
    names: FxHashMap<PredicateId, String>,
}

impl<'a> Writer<'a> {
    fn new(pool: &'a Pool, system: &'a System) -> Self {
        Writer { pool, system, printer: Printer::new(pool), names: FxHashMap::default() }
    }

    /// A predicate applied, as a term.
    fn term(&self, application: &Application) -> Term {
        let sorts = self.parameter_sorts(application.predicate);
        let name = &self.system.predicates[application.predicate].name;
        let function = self.pool.function(name, &sorts, Sort::Bool);
        self.pool.apply(function, &application.arguments)
    }

    fn parameter_sorts(&self, p: PredicateId) -> Vec<Sort> {
        let parameters = self.system.predicates[p].parameters.iter();
        parameters.map(|term| self.pool.sort(*term)).collect()
    }

    /// The name of a predicate, as the printer writes it.
    fn name(&mut self, p: PredicateId) -> String {
        if let Some(name) = self.names.get(&p) {
            return name.clone();
        }
        let arguments = self.system.predicates[p].parameters.clone();
        let applied = self.term(&Application { predicate: p, arguments });
        let text = self.printer.term(applied);
        let declared = self.printer.declared().filter_map(|(name, declared)| match declared {
            Declared::Function(func) if *self.pool.op(applied) == term::Op::Apply(func) => {
                Some(term::print::symbol_to_string(name).into_owned())
            }
            _ => None,
        });
        let name = declared.last().unwrap_or(text);
        self.names.insert(p, name.clone());
        name
    }

    fn sorts(&mut self, p: PredicateId) -> String {
        let sorts = self.parameter_sorts(p);
        let sorts: Vec<String> = sorts.into_iter().map(|sort| self.printer.sort(sort)).collect();
        sorts.join(" ")
    }

    /// Variables with their sorts, as quantifiers bind them.
    fn bound(&mut self, variables: &[Term]) -> String {
        let one = |v: &Term| {
            let sort = self.printer.sort(self.pool.sort(*v));
            format!("({} {sort})", self.printer.term(*v))
        };
        let all: Vec<String> = variables.iter().map(one).collect();
        all.join(" ")
    }

    fn clause(&mut self, clause: &Clause, text: &mut String) {
        let variables = clause.variables(self.pool);
        let mut premises: Vec<String> = Vec::new();
        for body in &clause.body {
            let term = self.term(body);
            premises.push(self.printer.term(term));
        }
        if self.pool.as_bool(clause.constraint) != Some(true) {
            premises.push(self.printer.term(clause.constraint));
        }
        let premise = match &premises[..] {
            [] => "true".to_owned(),
            [one] => one.clone(),
            all => format!("(and {})", all.join(" ")),
        };
        let head = match &clause.head {
            None => "false".to_owned(),
            Some(head) => {
                let term = self.term(head);
                self.printer.term(term)
            }
        };
        let bound = self.bound(&variables);
        let clause = match variables.is_empty() {
            true => format!("(=> {premise} {head})"),
            false => format!("(forall ({bound})\n  (=> {premise}\n    {head}))"),
        };
        append(text, format_args!("(assert {clause})\n"));
    }

    /// What the clauses of a predicate say of its parameters.
    fn definition(&mut self, p: PredicateId) -> String {
        let parameters = self.system.predicates[p].parameters.clone();
        let mut ways = Vec::new();
        for number in self.system.concluding()[p].clone() {
            let clause = &self.system.clauses[number];
            let Some(head) = &clause.head else { continue };
            let equal = head.arguments.iter().zip(&parameters).map(|(a, b)| self.pool.eq(*a, *b));
            let mut parts: Vec<Term> = equal.collect();
            parts.push(clause.constraint);
            parts.extend(clause.body.iter().map(|body| self.term(body)));
            let body = self.printer.term(self.pool.and(parts));
            let bound = self.bound(&clause.variables(self.pool));
            ways.push(if bound.is_empty() { body } else { format!("(exists ({bound}) {body})") });
        }
        match &ways[..] {
            [] => "false".to_owned(),
            [one] => one.clone(),
            all => format!("(or {})", all.join(" ")),
        }
    }
}
