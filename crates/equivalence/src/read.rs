//! Versions as they are read: typed C, from which each function is lowered as a program of its own.

use front_c::compile::{Compiled, Input as Source, compile};
use front_c::lower::{self, Caller, Count, Extent, Missing, Nonnull};
use front_c::types::Type;
use program::{Program, Property};
use std::collections::BTreeSet;
use verify::{Input, Reading, Rejection};

/// How many elements a pointer parameter points to where runs are tried out.
const ELEMENTS: u64 = 12;

/// The run-time errors that end what counts of a run.
pub const UNDEFINED: [Property; 6] = [
    Property::Overflow,
    Property::DivisionByZero,
    Property::Shift,
    Property::Bounds,
    Property::Pointer,
    Property::Promise,
];

/// One version.
pub struct Version {
    compiled: Compiled,
    text: String,
    reading: Reading,
}

impl Version {
    /// Reads files as one version.
    pub fn read(inputs: &[Input], reading: &Reading) -> Result<Version, Rejection> {
        let source = |input: &Input| match input.clone() {
            Input::File(path) => Source::File(path),
            Input::Text { name, text } => Source::Text { name, text },
        };
        let sources: Vec<Source> = inputs.iter().map(source).collect();
        let options = front_c::compile::Options::new(reading.data_model.into());
        let options = front_c::compile::Options { build: reading.build.clone(), ..options };
        let compiled =
            compile(&sources, &options).map_err(|error| Rejection::new(error.to_string()))?;
        if compiled.program.is_none() {
            return Err(Rejection::diagnostics(compiled.errors(), &compiled.sources));
        }
        let mut text = String::new();
        for input in inputs {
            text.push_str(&String::from_utf8_lossy(&input.bytes()?));
        }
        Ok(Version { compiled, text, reading: reading.clone() })
    }

    /// The text of the files as they were given.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn typed(&self) -> &front_c::typed::Program {
        self.compiled.program.as_ref().expect("versions without a program are rejected")
    }

    /// The functions with a body, but for those of the system's headers.
    pub fn functions(&self) -> BTreeSet<String> {
        let typed = self.typed();
        let defined = typed.functions.iter().map(|(_, function)| function).filter(|function| {
            function.body.is_some() && !self.compiled.sources.in_system_header(function.span)
        });
        defined.map(|function| typed.symbols.name(function.name).to_owned()).collect()
    }

    /// The names at file scope that a harness with both versions must tell apart: functions and
    /// variables that are defined, and types and constants of the files themselves.
    pub fn names(&self) -> BTreeSet<String> {
        let typed = self.typed();
        let mut names = self.functions();
        let own = typed.objects.iter().map(|(_, object)| object).filter(|object| {
            let elsewhere = self.compiled.sources.in_system_header(object.span);
            object.defined && object.function.is_none() && !elsewhere
        });
        let own = own.filter(|object| matches!(object.storage, front_c::typed::Storage::Static));
        names.extend(own.filter_map(|o| o.name.map(|name| typed.symbols.name(name).to_owned())));
        names.extend(crate::harness::declared(&self.text));
        names
    }

    /// How many parameters a function has in the source.
    pub fn arity(&self, function: &str) -> Option<usize> {
        let typed = self.typed();
        let mut named = typed.functions.iter().map(|(_, f)| f);
        let named = named.find(|f| f.body.is_some() && typed.symbols.name(f.name) == function)?;
        Some(named.params.len())
    }

    /// Whether the C library has a function: a header of the system declares it.
    pub fn is_of_library(&self, function: &str) -> bool {
        let typed = self.typed();
        let mut named = typed.functions.iter().map(|(_, f)| f);
        named.any(|f| {
            typed.symbols.name(f.name) == function && self.compiled.sources.in_system_header(f.span)
        })
    }

    /// Whether addresses have 32 bits.
    pub fn is_narrow(&self) -> bool {
        self.reading.data_model == verify::DataModel::Ilp32
    }

    /// The program that calls the function with any arguments, any values of global variables (of
    /// `main`, their first ones), and memory behind pointers.
    pub fn lower(&self, function: &str) -> Result<Program, Rejection> {
        let any_globals = function != "main";
        let valid = self.pointers(function).into_iter().map(|parameter| Extent {
            parameter,
            count: Count::Number(ELEMENTS),
            most: None,
        });
        let valid = if any_globals { valid.collect() } else { Vec::new() };
        let nonnull = Nonnull::All;
        let options = lower::Options {
            entry: function.to_owned(),
            properties: UNDEFINED.to_vec(),
            caller: Caller { valid, nonnull, any_globals, ..Caller::default() },
            world: lower::World { missing: Missing::Kept, ..self.reading.world },
            ..lower::Options::default()
        };
        let lowered = lower::lower(self.typed(), &self.compiled.sources, &options);
        let rejected = |errors: Vec<_>| Rejection::diagnostics(&errors, &self.compiled.sources);
        Ok(lowered.map_err(rejected)?.program)
    }

    /// The names of parameters that point to data.
    fn pointers(&self, function: &str) -> Vec<String> {
        let typed = self.typed();
        let named = typed.functions.iter().map(|(_, f)| f);
        let mut named =
            named.filter(|f| f.body.is_some() && typed.symbols.name(f.name) == function);
        let Some(function) = named.next() else { return Vec::new() };
        let parameters = function.params.iter().map(|id| &typed.objects[*id]);
        let pointers = parameters.filter(|object| {
            let to = typed.types.pointee(object.ty.ty);
            to.is_some_and(|to| !matches!(typed.types.get(to.ty), Type::Function(_)))
        });
        pointers.filter_map(|p| p.name.map(|name| typed.symbols.name(name).to_owned())).collect()
    }
}
