//! Names and what they stand for: registers, objects, functions, sorts.
//!
//! A register that is declared in a function `f` as `x` has the name `f::x` in terms; `::x` has
//! the name `x` there. In the function, `x` is the register `f::x` if there is one, and the
//! global `x` otherwise. Objects and functions have names of their own, which `&` takes.

use super::layout;
use super::syntax::{self, Name, Shown, Syntax};
use crate::words;
use ::term::{Func, Pool, Sort, Term};
use la_arena::Arena;
use program::place::Place;
use program::program::{Assumption, FunctionId, ObjectId, Reading, Variable, VariableId};
use program::{Function, Object, Program, wellformed};
use rustc_hash::FxHashMap;
use source::Span;
use source::diagnostic::{Diagnostic, Result};
use std::sync::Arc;

/// The width of an address where none is given.
const POINTER_WIDTH: u32 = 64;

/// What a name behind `&` stands for.
#[derive(Clone, Copy)]
pub(super) enum Home {
    Object(ObjectId),
    Function(FunctionId),
}

pub(super) struct Builder<'s> {
    pub(super) syntax: &'s Syntax,
    pub(super) pool: Pool,
    pub(super) word: Sort,
    pub(super) variables: Arena<Variable>,
    pub(super) objects: Arena<Object>,
    pub(super) functions: Arena<Function>,
    sorts: FxHashMap<Arc<str>, Span>,
    pub(super) pure: FxHashMap<Arc<str>, (Func, Span)>,
    /// By their names in terms.
    registers: FxHashMap<Arc<str>, (VariableId, Span)>,
    homes: FxHashMap<Arc<str>, (Home, Span)>,
    /// The function whose names are visible, if any.
    pub(super) scope: Option<(FunctionId, Arc<str>)>,
    pub(super) errors: Vec<Diagnostic>,
}

/// The program that a tree says.
pub(super) fn build(syntax: &Syntax, whole: Span) -> std::result::Result<Program, Vec<Diagnostic>> {
    let width = syntax.pointers.map_or(POINTER_WIDTH, |(width, _)| width);
    let mut builder = Builder {
        syntax,
        pool: Pool::new(),
        word: Sort::BitVec(width),
        variables: Arena::new(),
        objects: Arena::new(),
        functions: Arena::new(),
        sorts: FxHashMap::default(),
        pure: FxHashMap::default(),
        registers: FxHashMap::default(),
        homes: FxHashMap::default(),
        scope: None,
        errors: Vec::new(),
    };
    builder.declare();
    builder.define();
    let start = builder.start(whole);
    let addresses = layout::addresses(&mut builder, width);
    let Builder { pool, variables, objects, functions, mut errors, .. } = builder;
    let Some(start) = start.filter(|_| errors.is_empty()) else { return Err(errors) };
    let assumption =
        |(text, place): &(String, Place)| Assumption { text: text.clone(), place: place.clone() };
    let program = Program {
        pool,
        variables,
        objects,
        functions,
        start,
        pointer_width: width,
        addresses,
        assumptions: syntax.assumptions.iter().map(assumption).collect(),
        undefined: syntax.undefined.clone(),
        asked: program::checks::Asked::default(),
    };
    if let Err(broken) = wellformed::check(&program) {
        errors.push(*Diagnostic::error(whole, broken));
        return Err(errors);
    }
    Ok(program)
}

impl Builder<'_> {
    /// Keeps an error, and goes on without the result.
    pub(super) fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.errors.push(*error)).ok()
    }

    fn twice(&mut self, what: &str, name: &Name, first: Span) {
        let message = format!("{what} '{}' is declared twice", name.text);
        self.errors.push(*Diagnostic::error(name.span, message).note(first, "first here"));
    }

    /// All names, so that none has to be declared before it is used.
    fn declare(&mut self) {
        let syntax = self.syntax;
        for name in &syntax.sorts {
            if let Some(first) = self.sorts.insert(name.text.clone(), name.span) {
                self.twice("the sort", name, first);
            }
        }
        for pure in &syntax.pure {
            let parameters = pure.parameters.iter().map(|sort| self.sort(sort));
            let parameters: Result<Vec<Sort>> = parameters.collect();
            let result = self.sort(&pure.result);
            let parts = parameters.and_then(|parameters| Ok((parameters, result?)));
            if let Some((parameters, result)) = self.keep(parts) {
                let function = self.pool.function(&pure.name.text, &parameters, result);
                let entry = (function, pure.name.span);
                if let Some((_, first)) = self.pure.insert(pure.name.text.clone(), entry) {
                    self.twice("the function", &pure.name, first);
                }
            }
        }
        syntax.objects.iter().for_each(|object| self.declare_object(object));
        syntax.functions.iter().for_each(|function| self.declare_function(function));
        syntax.registers.iter().for_each(|register| self.register(register));
        for ((id, _), function) in self.functions.clone().iter().zip(&syntax.functions) {
            self.scope = Some((id, function.name.text.clone()));
            let lists = [&function.parameters, &function.results, &function.clauses.locals];
            for register in lists.into_iter().flatten().filter(|r| r.sort.is_some()) {
                self.register(register);
            }
        }
        self.scope = None;
    }

    fn home(&mut self, name: &Name, home: Home) {
        if let Some((_, first)) = self.homes.insert(name.text.clone(), (home, name.span)) {
            self.twice("the object or function", name, first);
        }
    }

    fn declare_object(&mut self, object: &syntax::Object) {
        let name = &object.name;
        let clauses = &object.clauses;
        let (align, align_span) = clauses.align.unwrap_or((1, name.span));
        if !align.is_power_of_two() {
            let message = format!("an alignment of {align} bytes is no power of two");
            self.errors.push(*Diagnostic::error(align_span, message));
        }
        let id = self.objects.alloc(Object {
            name: clauses.named.clone().unwrap_or_else(|| name.text.clone()),
            address: self.address_variable(name, clauses.address.as_ref()),
            size: object.size,
            align,
            initial: Vec::new(),
            unknown: object.unknown,
            constant: object.constant,
            scalars: clauses.scalars.clone(),
            place: object.place.clone(),
        });
        self.home(name, Home::Object(id));
    }

    /// The variable that stands for an address.
    fn address_variable(&self, name: &Name, given: Option<&Name>) -> Term {
        match given {
            Some(given) => self.pool.var(&given.text, self.word),
            None => self.pool.var(&format!("&{}", name.text), self.word),
        }
    }

    fn declare_function(&mut self, function: &syntax::Function) {
        let name = &function.name;
        let clauses = &function.clauses;
        let is_taken = clauses.at.is_some() || clauses.address.is_some();
        let address = is_taken.then(|| self.address_variable(name, clauses.address.as_ref()));
        let id = self.functions.alloc(Function {
            name: clauses.named.clone().unwrap_or_else(|| name.text.clone()),
            place: function.place.clone(),
            address,
            parameters: Vec::new(),
            results: Vec::new(),
            body: None,
        });
        self.home(name, Home::Function(id));
    }

    /// The name in terms of a register that is declared here.
    fn declared_name(&self, name: &Name) -> Arc<str> {
        match &self.scope {
            Some((_, function)) if !name.absolute => format!("{function}::{}", name.text).into(),
            _ => name.text.clone(),
        }
    }

    fn register(&mut self, register: &syntax::Register) {
        let Some(sort) = &register.sort else {
            let message = format!("the register '{}' has no sort", register.name.text);
            let error = Diagnostic::error(register.name.span, message);
            self.errors.push(*error.help("write for example: var x: bv32"));
            return;
        };
        let sort = self.sort(sort);
        let Some(sort) = self.keep(sort) else { return };
        let full = self.declared_name(&register.name);
        let shown = match &register.shown {
            Shown::Usual => words::usual_name(&register.name.text).map(Arc::from),
            Shown::Named(name) => Some(name.clone()),
            Shown::Unnamed => None,
        };
        let id = self.variables.alloc(Variable {
            term: self.pool.var(&full, sort),
            sort,
            name: shown,
            reading: register.reading.unwrap_or(Reading::of(sort)),
            function: self.scope.as_ref().map(|(id, _)| *id),
            place: register.place.clone(),
        });
        if let Some((_, first)) = self.registers.insert(full, (id, register.name.span)) {
            self.twice("the register", &register.name, first);
        }
    }

    /// Headers, contents and bodies.
    fn define(&mut self) {
        let syntax = self.syntax;
        let objects: Vec<ObjectId> = self.objects.iter().map(|(id, _)| id).collect();
        for (id, object) in objects.into_iter().zip(&syntax.objects) {
            layout::contents(self, id, object);
        }
        let functions: Vec<FunctionId> = self.functions.iter().map(|(id, _)| id).collect();
        for (id, function) in functions.into_iter().zip(&syntax.functions) {
            self.scope = Some((id, function.name.text.clone()));
            let resolve = |builder: &mut Self, list: &[syntax::Register]| {
                let found = list.iter().map(|r| builder.resolve(&r.name)).collect::<Vec<_>>();
                found.into_iter().filter_map(|id| builder.keep(id)).collect()
            };
            self.functions[id].parameters = resolve(self, &function.parameters);
            self.functions[id].results = resolve(self, &function.results);
        }
        // Calls look at the headers of other functions.
        for ((id, _), function) in self.functions.clone().iter().zip(&syntax.functions) {
            self.scope = Some((id, function.name.text.clone()));
            if let Some(body) = &function.body {
                let body = self.graph(body);
                self.functions[id].body = Some(body);
            }
        }
        self.scope = None;
    }

    fn start(&mut self, whole: Span) -> Option<FunctionId> {
        let found = match &self.syntax.start {
            Some(name) => self.called(name).map(|id| (id, name.span)),
            None => match self.homes.get("main") {
                Some((Home::Function(id), span)) => Ok((*id, *span)),
                _ => {
                    let at = Span::new(whole.end, whole.end);
                    Err(Diagnostic::error(at, "it is not said where runs begin")
                        .help("write: start NAME, or call a function 'main'"))
                }
            },
        };
        let (id, span) = self.keep(found)?;
        let start = &self.functions[id];
        if !start.parameters.is_empty() || start.body.is_none() {
            let message = "runs begin in a function without parameters and with a body";
            self.errors.push(*Diagnostic::error(span, message));
        }
        Some(id)
    }

    /// The register that a name stands for where it is written.
    pub(super) fn resolve(&self, name: &Name) -> Result<VariableId> {
        let visible = |(id, _): &&(VariableId, Span)| {
            let owner = self.variables[*id].function;
            owner.is_none() || owner == self.scope.as_ref().map(|(function, _)| *function)
        };
        let local = self.registers.get(&self.declared_name(name)).filter(visible);
        if let Some((id, _)) = local.or_else(|| self.registers.get(&name.text).filter(visible)) {
            return Ok(*id);
        }
        let error = Diagnostic::error(name.span, format!("there is no register '{}'", name.text));
        Err(match (self.registers.get(&name.text), self.homes.contains_key(&name.text)) {
            (Some((_, span)), _) => error.note(*span, "this one belongs to another function"),
            (None, true) => error.help(format!("an address is written &{}", name.text)),
            (None, false) => error.help(format!("declare it: var {}: bv32", name.text)),
        })
    }

    /// What a name behind `&` stands for.
    pub(super) fn home_of(&self, name: &Name) -> Result<Home> {
        self.homes.get(&name.text).map(|(home, _)| *home).ok_or_else(|| {
            let message = format!("there is no object or function '{}'", name.text);
            Diagnostic::error(name.span, message).help("registers have no address")
        })
    }

    /// The function that a name stands for.
    pub(super) fn called(&self, name: &Name) -> Result<FunctionId> {
        match self.homes.get(&name.text) {
            Some((Home::Function(id), _)) => Ok(*id),
            _ => Err(Diagnostic::error(name.span, format!("there is no function '{}'", name.text))
                .help(format!("declare it: function {}()", name.text))),
        }
    }

    /// A sort whose names are declared.
    pub(super) fn sort(&self, sort: &syntax::Sort) -> Result<Sort> {
        Ok(match sort {
            syntax::Sort::Plain(sort) => *sort,
            syntax::Sort::Declared(name) if self.sorts.contains_key(&name.text) => {
                Sort::Uninterpreted(self.pool.symbol(&name.text))
            }
            syntax::Sort::Declared(name) => {
                return Err(Diagnostic::error(
                    name.span,
                    format!("there is no sort '{}'", name.text),
                )
                .help(format!(
                    "there are bool, bv1 to bv{}, float, double, fp5_11, rounding, int, real \
                         and [bv32]bv8",
                    words::MAX_WIDTH
                )));
            }
            syntax::Sort::Array(index, element) => {
                self.pool.array_sort(self.sort(index)?, self.sort(element)?)
            }
        })
    }
}
