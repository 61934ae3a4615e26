//! From program to text.
//!
//! Everything is written in the order of the program, except that a body begins with its entry
//! and ends with its exit. What the reader would assume anyway is left out.

mod graph;
mod names;
mod term;

use crate::words::{READINGS, bytes_text, name_text, sort_text, string_text, usual_name};
use ::term::{Op, Pool, Sort, Term, Value, traverse};
use la_arena::ArenaMap;
use names::Names;
use program::place::Place;
use program::program::{Callee, FunctionId, Instruction, Reading, VariableId};
use program::{Function, Object, Program, Variable};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// The column of places.
const COLUMN: usize = 60;

/// A program as text.
pub fn print(program: &Program) -> String {
    let mut locals: ArenaMap<FunctionId, Vec<VariableId>> = ArenaMap::default();
    for (id, variable) in program.variables.iter() {
        if let Some(function) = variable.function {
            locals.entry(function).or_default().push(id);
        }
    }
    let (names, out) = (Names::new(program), String::new());
    let mut writer = Writer { program, names, locals, source: None, out };
    writer.program();
    writer.out
}

struct Writer<'p> {
    program: &'p Program,
    names: Names<'p>,
    /// The registers of each function.
    locals: ArenaMap<FunctionId, Vec<VariableId>>,
    /// The file whose lines are meant, if any is, once it was said.
    source: Option<Option<Arc<str>>>,
    out: String,
}

impl Writer<'_> {
    fn program(&mut self) {
        let program = self.program;
        let _ = writeln!(self.out, "pointers bv{}", program.pointer_width);
        let _ = writeln!(self.out, "start {}", self.names.function(program.start));
        self.declarations();
        if !program.undefined.is_empty() {
            let names: Vec<String> = program.undefined.iter().map(|n| name_text(n)).collect();
            let _ = writeln!(self.out, "undefined {}", names.join(", "));
        }
        for assumption in &program.assumptions {
            self.source(&assumption.place);
            let text = format!("assumption {}", string_text(&assumption.text));
            self.line(&text, &assumption.place);
        }
        for (id, object) in program.objects.iter() {
            self.source(&object.place);
            self.object(self.names.object(id), object);
        }
        for (_, variable) in program.variables.iter() {
            if variable.function.is_none() {
                self.source(&variable.place);
                let text = format!("var {}", self.register(variable, None));
                self.line(&text, &variable.place);
            }
        }
        for (id, function) in program.functions.iter() {
            self.out.push('\n');
            self.source(&function.place);
            self.function(id, function);
        }
    }

    /// Says whose lines the places are that follow. The first time also if there are none: what
    /// has no place is not to get one in the text.
    fn source(&mut self, place: &Place) {
        let file = place.is_known().then(|| place.file.clone());
        if self.source.is_some() && (file.is_none() || self.source.as_ref() == Some(&file)) {
            return;
        }
        match &file {
            Some(file) => {
                let _ = writeln!(self.out, "source {}", string_text(file));
            }
            None => self.out.push_str("source none\n"),
        }
        self.source = Some(file);
    }

    /// A place behind something; nothing for none.
    fn place(&self, place: &Place) -> String {
        if *place == Place::default() { String::new() } else { self.stated(place) }
    }

    /// A place that is not what the reader would assume.
    fn stated(&self, place: &Place) -> String {
        if *place == Place::default() {
            return "@none".into();
        }
        let Place { file, line, column } = place;
        match &self.source {
            Some(Some(source)) if source == file => format!("@{line}:{column}"),
            _ => format!("@{}:{line}:{column}", string_text(file)),
        }
    }

    /// Adds a line with a place behind it.
    fn line(&mut self, text: &str, place: &Place) {
        let place = self.place(place);
        if place.is_empty() {
            let _ = writeln!(self.out, "{text}");
        } else {
            let _ = writeln!(self.out, "{text:<COLUMN$}  {place}");
        }
    }

    /// Uninterpreted sorts and functions, if there are any.
    fn declarations(&mut self) {
        let program = self.program;
        let pool = &program.pool;
        let mut roots: Vec<Term> = program.variables.iter().map(|(_, v)| v.term).collect();
        for (_, object) in program.objects.iter() {
            roots.extend(object.initial.iter().map(|(_, term)| *term));
        }
        program.edges().for_each(|(_, edge)| terms(&edge.instruction, &mut roots));
        let (mut sorts, mut functions) = (BTreeSet::new(), BTreeSet::new());
        for term in traverse::subterms(pool, &roots) {
            declared_sorts(pool, pool.sort(term), &mut sorts);
            if let Op::Apply(function) = pool.op(term) {
                let declaration = pool.declaration(*function);
                let parameters = declaration.params.iter().map(|sort| {
                    declared_sorts(pool, *sort, &mut sorts);
                    sort_text(pool, *sort)
                });
                let parameters = parameters.collect::<Vec<_>>().join(", ");
                let name = term::pure_name(pool.name(declaration.name));
                let result = sort_text(pool, declaration.result);
                functions.insert(format!("pure {name}({parameters}): {result}"));
            }
        }
        for line in sorts.into_iter().map(|name| format!("sort {name}")).chain(functions) {
            let _ = writeln!(self.out, "{line}");
        }
    }

    fn object(&mut self, name: String, object: &Object) {
        let pool = &self.program.pool;
        let mut text = String::new();
        for (word, holds) in [("constant ", object.constant), ("unknown ", object.unknown)] {
            text.push_str(if holds { word } else { "" });
        }
        let _ = write!(text, "object {name}: {} bytes", object.size);
        if object.align != 1 {
            let _ = write!(text, " align {}", object.align);
        }
        text.push_str(&self.names.address(&name, object.address));
        text.push_str(&scalars_text(&object.scalars));
        if name_text(&object.name) != name {
            let _ = write!(text, " named {}", string_text(&object.name));
        }
        let values = self.initial(pool, object);
        match &values[..] {
            [] => {}
            [value] => {
                let _ = write!(text, " = {{ {value} }}");
            }
            values => {
                let _ = write!(text, " = {{\n  {}\n}}", values.join(",\n  "));
            }
        }
        self.line(&text, &object.place);
    }

    /// The values of an object; constant bytes next to each other as a string.
    fn initial(&self, pool: &Pool, object: &Object) -> Vec<String> {
        let byte = |term: Term| match pool.value(term) {
            Some(Value::Bits(bits)) if bits.width() == 8 => {
                bits.to_u64().and_then(|b| u8::try_from(b).ok())
            }
            _ => None,
        };
        let mut values = Vec::new();
        let mut rest = &object.initial[..];
        while let Some((offset, term)) = rest.first() {
            let run = rest
                .iter()
                .zip(*offset..)
                .map_while(|((at, term), expected)| byte(*term).filter(|_| *at == expected));
            let run: Vec<u8> = run.collect();
            if run.len() > 1 {
                values.push(format!("{offset}: {}", bytes_text(&run)));
                rest = &rest[run.len()..];
            } else {
                let value = term::term_text(self.program, &self.names, None, *term, false);
                values.push(format!("{offset}: {value}"));
                rest = &rest[1..];
            }
        }
        values
    }

    /// The declaration of a register, without its place.
    fn register(&self, variable: &Variable, function: Option<FunctionId>) -> String {
        let pool = &self.program.pool;
        let (written, name) = self.names.declared(variable.term, function);
        let mut text = format!("{written}: {}", sort_text(pool, variable.sort));
        if variable.reading != Reading::of(variable.sort) {
            let word = READINGS.iter().find(|(_, reading)| *reading == variable.reading);
            let _ = write!(text, " {}", word.map_or("signed", |(word, _)| word));
        }
        match &variable.name {
            None if usual_name(name).is_some() => text.push_str(" unnamed"),
            Some(shown) if usual_name(name) != Some(shown) => {
                let _ = write!(text, " named {}", string_text(shown));
            }
            _ => {}
        }
        text
    }

    /// Registers of a header: declared there if they are local and were not mentioned before.
    fn header(
        &self,
        registers: &[VariableId],
        function: FunctionId,
        declared: &mut BTreeSet<u32>,
    ) -> String {
        let text = |id: &VariableId| {
            let variable = &self.program.variables[*id];
            let own = variable.function == Some(function);
            if !own || !declared.insert(id.into_raw().into_u32()) {
                return self.names.register(variable.term, Some(function));
            }
            let text = self.register(variable, Some(function));
            let place = self.place(&variable.place);
            if place.is_empty() { text } else { format!("{text} {place}") }
        };
        registers.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    fn function(&mut self, id: FunctionId, function: &Function) {
        let name = self.names.function(id);
        let mut declared = BTreeSet::new();
        let parameters = self.header(&function.parameters, id, &mut declared);
        let mut text = format!("function {name}({parameters})");
        if !function.results.is_empty() {
            let results = self.header(&function.results, id, &mut declared);
            let _ = write!(text, " -> ({results})");
        }
        if let Some(address) = function.address {
            text.push_str(&self.names.address(&name, address));
        }
        if name_text(&function.name) != name {
            let _ = write!(text, " named {}", string_text(&function.name));
        }
        let own = self.locals.get(id).into_iter().flatten();
        let own = own.filter(|v| !declared.contains(&v.into_raw().into_u32()));
        let own: Vec<VariableId> = own.copied().collect();
        let Some(body) = &function.body else {
            if !own.is_empty() {
                let _ = write!(text, " locals ({})", self.header(&own, id, &mut declared));
            }
            return self.line(&text, &function.place);
        };
        let place = self.place(&function.place);
        let space = if place.is_empty() { "" } else { " " };
        let _ = writeln!(self.out, "{text}{space}{place} {{");
        for variable in &own {
            let variable = &self.program.variables[*variable];
            let text = format!("  var {}", self.register(variable, Some(id)));
            self.line(&text, &variable.place);
        }
        if !own.is_empty() {
            self.out.push('\n');
        }
        self.body(id, body);
        self.out.push_str("}\n");
    }
}

/// ` scalars 4 1`
fn scalars_text(scalars: &[u32]) -> String {
    let sizes: String = scalars.iter().map(|size| format!(" {size}")).collect();
    if sizes.is_empty() { sizes } else { format!(" scalars{sizes}") }
}

/// The names of uninterpreted sorts in a sort, as they are written.
fn declared_sorts(pool: &Pool, sort: Sort, names: &mut BTreeSet<String>) {
    let mut pending = vec![sort];
    while let Some(sort) = pending.pop() {
        if let Some((index, element)) = pool.array_parts(sort) {
            pending.extend([index, element]);
        } else if let Sort::Uninterpreted(_) = sort {
            names.insert(sort_text(pool, sort));
        }
    }
}

/// The terms of an instruction.
fn terms(instruction: &Instruction, out: &mut Vec<Term>) {
    match instruction {
        Instruction::Skip => {}
        Instruction::Havoc(_, cause) => out.extend(cause.terms()),
        Instruction::Assume(term)
        | Instruction::Assign(_, term)
        | Instruction::Check(_, term)
        | Instruction::Load { address: term, .. }
        | Instruction::Measure { address: term, .. }
        | Instruction::Written { address: term, .. }
        | Instruction::Allocate { size: term, .. }
        | Instruction::Free { address: term, .. } => out.push(*term),
        Instruction::Store { address, value } => out.extend([*address, *value]),
        Instruction::Copy { to, from, length } => out.extend([*to, *from, *length]),
        Instruction::Fill { to, byte, length } => out.extend([*to, *byte, *length]),
        Instruction::HavocBytes { address, length, .. } => out.extend([*address, *length]),
        Instruction::Call { callee, arguments, .. } => {
            out.extend(arguments);
            if let Callee::Pointer(address) = callee {
                out.push(*address);
            }
        }
    }
}
