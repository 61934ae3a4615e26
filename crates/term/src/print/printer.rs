//! The printer: names for symbols, and the commands that declare them.

use super::symbol::{append, symbol_to_string, write_sort};
use super::value::write_value;
use crate::pool::{Func, Pool, Symbol, Term};
use crate::smtlib::Declared;
use crate::sort::Sort;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Writes terms of one pool and remembers which symbols it has used.
///
/// For a solver that is fed step by step: write the next term, send
/// [`take_declarations`](Printer::take_declarations), then the term. Declarations are given out
/// once, so the solver must keep them over its `pop`s (`:global-declarations`).
pub struct Printer<'p> {
    pub(super) pool: &'p Pool,
    /// Names as they are written, of variables and functions.
    taken: FxHashSet<String>,
    taken_sorts: FxHashSet<String>,
    vars: FxHashMap<Term, String>,
    functions: FxHashMap<Func, String>,
    sorts: FxHashMap<Symbol, String>,
    /// The symbols that have been declared, in order.
    declared: Vec<Declared>,
    is_declared: FxHashSet<Term>,
    pending: String,
}

impl<'p> Printer<'p> {
    /// A printer that has used no symbol yet.
    pub fn new(pool: &'p Pool) -> Self {
        let sorts = [
            "Bool",
            "Int",
            "Real",
            "RoundingMode",
            "Array",
            "BitVec",
            "FloatingPoint",
            "Float16",
            "Float32",
            "Float64",
            "Float128",
            "String",
            "RegLan",
        ];
        let others = ["const", "Bool", "Int", "Real"];
        Printer {
            pool,
            taken: crate::smtlib::operator_names().chain(others).map(String::from).collect(),
            taken_sorts: sorts.map(String::from).into_iter().collect(),
            vars: FxHashMap::default(),
            functions: FxHashMap::default(),
            sorts: FxHashMap::default(),
            declared: Vec::new(),
            is_declared: FxHashSet::default(),
            pending: String::new(),
        }
    }

    /// A term, with its symbols' names noted for [`take_declarations`](Self::take_declarations).
    pub fn term(&mut self, term: Term) -> String {
        super::term::write_term(self, term)
    }

    /// A value, with its sorts noted.
    pub fn value(&mut self, value: &Value) -> String {
        self.note_value_sorts(value);
        let mut text = String::new();
        write_value(&mut text, value, &|sort| self.noted_sort(sort));
        text
    }

    /// A sort, noted.
    pub fn sort(&mut self, sort: Sort) -> String {
        self.note_sort(sort);
        self.noted_sort(sort)
    }

    /// The commands that declare the sorts, constants and functions used since the last call.
    pub fn take_declarations(&mut self) -> String {
        std::mem::take(&mut self.pending)
    }

    /// What has been declared so far, under the names it was given: what
    /// [`parse_values`](crate::smtlib::parse_values) needs to understand a solver's answer.
    pub fn declared(&self) -> impl Iterator<Item = (&str, Declared)> {
        self.declared.iter().map(|declared| {
            let name = match declared {
                Declared::Constant(term) => &self.vars[term],
                Declared::Function(func) => &self.functions[func],
            };
            (name.as_str(), *declared)
        })
    }

    /// `(define-fun x () Sort value)`
    ///
    /// Requires: `var` is a variable.
    pub fn definition(&mut self, var: Term, value: &Value) -> String {
        let (sort, value) = (self.sort(self.pool.sort(var)), self.value(value));
        format!("(define-fun {} () {sort} {value})", symbol_to_string(self.var(var)))
    }

    /// `(define-fun f ((x!0 Sort) …) Sort (ite (= x!0 value) value … default))` for a function
    /// given by a table and a default.
    pub fn function_definition<'v>(
        &mut self,
        func: Func,
        table: impl IntoIterator<Item = (&'v [Value], &'v Value)>,
        default: &Value,
    ) -> String {
        let function = self.pool.declaration(func);
        let name = symbol_to_string(self.function(func)).into_owned();
        let mut text = format!("(define-fun {name} (");
        for (i, sort) in function.params.iter().enumerate() {
            let sort = self.sort(*sort);
            append(&mut text, format_args!("{}(x!{i} {sort})", if i > 0 { " " } else { "" }));
        }
        append(&mut text, format_args!(") {} ", self.sort(function.result)));
        let mut open = 0;
        for (args, value) in table {
            open += 1;
            let equal = |(i, arg): (usize, &Value)| format!("(= x!{i} {})", self.value(arg));
            let equal: Vec<String> = args.iter().enumerate().map(equal).collect();
            let case = match &equal[..] {
                [one] => one.clone(),
                all => format!("(and {})", all.join(" ")),
            };
            append(&mut text, format_args!("(ite {case} {} ", self.value(value)));
        }
        text.push_str(&self.value(default));
        text.push_str(&")".repeat(open + 1));
        text
    }

    /// The answer to `get-model` for variables with their values.
    pub fn model<'v>(&mut self, values: impl IntoIterator<Item = (Term, &'v Value)>) -> String {
        let mut text = String::from("(\n");
        for (var, value) in values {
            append(&mut text, format_args!("  {}\n", self.definition(var, value)));
        }
        text.push_str(")\n");
        text
    }

    // ---- names

    /// The name of a variable, without bars.
    pub(super) fn var(&mut self, var: Term) -> &str {
        if !self.vars.contains_key(&var) {
            let name = self.pool.var_name(var).unwrap_or("x");
            let name = unused(&mut self.taken, name);
            self.vars.insert(var, name);
        }
        &self.vars[&var]
    }

    /// Notes a free variable.
    pub(super) fn declare_var(&mut self, var: Term) {
        if !self.is_declared.insert(var) {
            return;
        }
        let sort = self.sort(self.pool.sort(var));
        let name = symbol_to_string(self.var(var)).into_owned();
        append(&mut self.pending, format_args!("(declare-fun {name} () {sort})\n"));
        self.declared.push(Declared::Constant(var));
    }

    /// The name of a function, without bars; notes it.
    pub(super) fn function(&mut self, func: Func) -> &str {
        if !self.functions.contains_key(&func) {
            let function = self.pool.declaration(func);
            let name = unused(&mut self.taken, self.pool.name(function.name));
            let params: Vec<String> = function.params.iter().map(|s| self.sort(*s)).collect();
            let result = self.sort(function.result);
            append(
                &mut self.pending,
                format_args!(
                    "(declare-fun {} ({}) {result})\n",
                    symbol_to_string(&name),
                    params.join(" ")
                ),
            );
            self.functions.insert(func, name);
            self.declared.push(Declared::Function(func));
        }
        &self.functions[&func]
    }

    /// Notes the declared sorts in a sort.
    pub(super) fn note_sort(&mut self, sort: Sort) {
        let mut pending = vec![sort];
        let mut seen = FxHashSet::default();
        while let Some(sort) = pending.pop() {
            match (sort, self.pool.array_parts(sort)) {
                (_, Some((index, element))) if seen.insert(sort) => {
                    pending.extend([index, element]);
                }
                (Sort::Uninterpreted(symbol), _) if !self.sorts.contains_key(&symbol) => {
                    let name = unused(&mut self.taken_sorts, self.pool.name(symbol));
                    append(
                        &mut self.pending,
                        format_args!("(declare-sort {} 0)\n", symbol_to_string(&name)),
                    );
                    self.sorts.insert(symbol, name);
                }
                _ => {}
            }
        }
    }

    fn note_value_sorts(&mut self, value: &Value) {
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            self.note_sort(crate::typing::value_sort(value));
            if let Value::Array(array) = value {
                pending.push(&array.default);
                pending.extend(array.entries.iter().flat_map(|(index, element)| [index, element]));
            }
        }
    }

    /// A sort whose names are known.
    pub(super) fn noted_sort(&self, sort: Sort) -> String {
        let mut text = String::new();
        write_sort(&mut text, self.pool, sort, |symbol| match self.sorts.get(&symbol) {
            Some(name) => symbol_to_string(name),
            None => Cow::Owned(symbol_to_string(self.pool.name(symbol)).into_owned()),
        });
        text
    }

    /// Whether a name stands for a variable or function.
    pub(super) fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }
}

/// The name, or one made from it that is neither taken nor impossible to write; takes it.
fn unused(taken: &mut FxHashSet<String>, name: &str) -> String {
    let name = name.replace(['|', '\\'], "_");
    let mut candidate = name.clone();
    let mut number = 0;
    while !taken.insert(candidate.clone()) {
        number += 1;
        candidate = format!("{name}!{number}");
    }
    candidate
}
