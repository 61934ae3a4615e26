//! Names in the text: unique where the program's are not, and short where the reader completes
//! them.

use crate::words::name_text;
use ::term::{Pool, Term};
use program::Program;
use program::program::{FunctionId, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

pub(super) struct Names<'p> {
    program: &'p Program,
    objects: Vec<String>,
    functions: Vec<String>,
    /// What is written behind `&`, by the address.
    addresses: FxHashMap<Term, String>,
    /// The names of all registers in terms.
    registers: FxHashSet<&'p str>,
}

fn in_terms(pool: &Pool, term: Term) -> &str {
    pool.var_name(term).unwrap_or_default()
}

impl<'p> Names<'p> {
    pub(super) fn new(program: &'p Program) -> Names<'p> {
        let pool = &program.pool;
        let mut taken = FxHashSet::default();
        let mut unique = |name: &str| {
            let numbered = (2u64..).map(|n| format!("{name}#{n}"));
            let mut candidates = std::iter::once(name.to_string()).chain(numbered);
            candidates.find(|name| taken.insert(name.clone())).unwrap_or_default()
        };
        let object = |(_, object): (ObjectId, &program::Object)| {
            let name = in_terms(pool, object.address);
            match name.strip_prefix('&').unwrap_or(name) {
                "" => unique("object"),
                name => unique(name),
            }
        };
        let objects: Vec<String> = program.objects.iter().map(object).collect();
        let functions = program.functions.iter().map(|(_, function)| match &*function.name {
            "" => unique("function"),
            name => unique(name),
        });
        let functions: Vec<String> = functions.collect();
        let mut addresses = FxHashMap::default();
        for ((_, function), name) in program.functions.iter().zip(&functions) {
            addresses.extend(function.address.map(|address| (address, name_text(name))));
        }
        let objects_too = program.objects.iter().zip(&objects);
        addresses.extend(objects_too.map(|((_, o), name)| (o.address, name_text(name))));
        let registers = program.variables.iter().map(|(_, v)| in_terms(pool, v.term)).collect();
        Names { program, objects, functions, addresses, registers }
    }

    pub(super) fn object(&self, id: ObjectId) -> String {
        name_text(&self.objects[id.into_raw().into_u32() as usize])
    }

    pub(super) fn function(&self, id: FunctionId) -> String {
        name_text(self.function_name(id))
    }

    fn function_name(&self, id: FunctionId) -> &str {
        &self.functions[id.into_raw().into_u32() as usize]
    }

    /// ` at 0x1000`, and the variable's name if it is not the usual one.
    pub(super) fn address(&self, written: &str, address: Term) -> String {
        let mut text = String::new();
        if let Some(number) = self.program.addresses.get(&address) {
            let _ = write!(text, " at 0x{}", number.to_biguint().to_str_radix(16));
        }
        let name = in_terms(&self.program.pool, address);
        let usual = name.strip_prefix('&').is_some_and(|name| name_text(name) == written);
        if !usual || text.is_empty() {
            let _ = write!(text, " address {}", name_text(name));
        }
        text
    }

    /// A register where it is declared, as it is written, and its name without `::`.
    pub(super) fn declared(&self, term: Term, function: Option<FunctionId>) -> (String, &str) {
        let name = in_terms(&self.program.pool, term);
        let Some(function) = function else { return (name_text(name), name) };
        match self.relative(name, function) {
            Some(relative) => (name_text(relative), relative),
            None => (format!("::{}", name_text(name)), name),
        }
    }

    /// The name of a register without that of the function.
    fn relative<'n>(&self, name: &'n str, function: FunctionId) -> Option<&'n str> {
        let rest = name.strip_prefix(self.function_name(function))?.strip_prefix("::")?;
        (!rest.is_empty()).then_some(rest)
    }

    /// A register or an address as an operand.
    pub(super) fn register(&self, term: Term, function: Option<FunctionId>) -> String {
        if let Some(home) = self.addresses.get(&term) {
            return format!("&{home}");
        }
        let name = in_terms(&self.program.pool, term);
        let Some(function) = function else { return name_text(name) };
        if let Some(relative) = self.relative(name, function) {
            return name_text(relative);
        }
        let hidden = format!("{}::{name}", self.function_name(function));
        let colons = if self.registers.contains(&*hidden) { "::" } else { "" };
        format!("{colons}{}", name_text(name))
    }
}
