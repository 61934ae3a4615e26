//! C11 with GNU extensions.

use crate::language::{Covered, Harness, Input, Language, Name, Picture, Rejection, Role};
use crate::task::{Code, DataModel, File, Reading, Subject, Task, Unused};
use crate::{Build, Flag};
use front_c::claim::Claim;
use front_c::compile::{Compiled, compile_with};
use front_c::lower::{self, Claims, Lowered};
use front_c::preprocess::{self, usual_model};
use front_c::write;
use program::checks::{Asked, Check, checks, restricted};
use program::counterexample::{Counterexample, Taken};
use program::{Place, Program, Property};
use rustc_hash::FxHashSet;
use source::SourceMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use term::{Pool, Term};

/// The language.
pub struct C;

impl Language for C {
    fn name(&self) -> &'static str {
        "C"
    }

    fn about(&self) -> &'static str {
        "C11 with GNU extensions"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["c", "i"]
    }

    fn has_data_model(&self) -> bool {
        true
    }

    fn data_model(&self, files: &[PathBuf], build: &Build) -> Result<DataModel, Rejection> {
        let mut usual = None;
        let mut model = |file: &PathBuf| match build.machine(file) {
            Some(model) => Ok(model),
            None => *usual.get_or_insert_with(|| usual_model(&preprocess::Options::default())),
        };
        let models = files.iter().map(|file| model(file).map(DataModel::from));
        let models: Vec<DataModel> = models.collect::<Result<_, _>>().map_err(|(long, pointer)| {
            Rejection::new(format!(
                "the compiler's long has {long} bytes and its pointers have {pointer}, which is no \
                 data model that is known; name one with --data-model"
            ))
        })?;
        let first = models.first().copied().unwrap_or_default();
        match files.iter().zip(&models).find(|(_, model)| **model != first) {
            None => Ok(first),
            Some((file, model)) => Err(Rejection::new(format!(
                "{}: compiled for {}, while {} is compiled for {}; name one with --data-model",
                file.display(),
                model.name(),
                files[0].display(),
                first.name()
            ))),
        }
    }

    fn read(&'static self, inputs: &[Input], reading: &Reading) -> Result<Task, Rejection> {
        if reading.properties.contains(&Property::Termination) {
            let message = "termination is asked of the cycles of programs in Structured Text";
            return Err(Rejection::new(message));
        }
        self.read_with(inputs, reading, &[], &Claims::default())
    }

    fn tree(
        &self,
        inputs: &[Input],
        reading: &Reading,
        picture: Picture,
    ) -> Option<Result<String, Rejection>> {
        let compiled = match typed(inputs, reading, &[]) {
            Ok(compiled) => compiled,
            Err(rejection) => return Some(Err(rejection)),
        };
        let program = compiled.program.as_ref()?;
        Some(Ok(match picture {
            Picture::Text => front_c::print::text(program, &compiled.sources),
            Picture::Dot => front_c::print::dot(program, &compiled.sources),
        }))
    }

    fn expression(
        &self,
        pool: &Pool,
        formula: Term,
        name: &dyn Fn(Term) -> Option<Name>,
    ) -> Option<String> {
        let name =
            |term| name(term).map(|Name { text, signed }| write::expression::Name { text, signed });
        write::expression::c_expression(pool, formula, &name)
    }

    fn role(&self, taken: &Taken) -> Role {
        if taken.is_of(&write::harness::CHECKS) {
            Role::Check
        } else if taken.is_of(&write::harness::QUANTIFIERS) {
            Role::Quantifier
        } else if taken.is_of(&[write::harness::INSIDE]) {
            Role::Part
        } else {
            Role::Input
        }
    }

    fn read_covered(&'static self, inputs: &[Input], reading: &Reading) -> Option<Covered> {
        Some(self.covered(inputs, reading))
    }

    fn harness(
        &self,
        task: &Task,
        run: &Counterexample,
        copy: &dyn Fn(usize, &str) -> String,
    ) -> Option<Harness> {
        let code = task.code()?;
        let file = |(number, file): (usize, &File)| {
            let extension = Path::new(&file.name).extension();
            let extension = extension.map_or("c".into(), |e| e.to_string_lossy());
            let text = file.text.as_ref().map(|text| String::from_utf8_lossy(text).into_owned());
            let flags = flags(&task.reading.build, Path::new(&file.name));
            let (name, copy) = (file.name.clone(), copy(number, &extension));
            write::harness::File { text, name, copy, flags }
        };
        let files = (1..).zip(&task.files).map(file).collect();
        let task = write::harness::Task { files, program: &code.program };
        let write::harness::Harness { text, copies, .. } = write::harness::harness(&task, run);
        Some(Harness { text, copies })
    }
}

impl C {
    /// Reads files with what somebody states of the program.
    pub fn read_with(
        &'static self,
        inputs: &[Input],
        reading: &Reading,
        claims: &[Claim],
        purposes: &Claims,
    ) -> Result<Task, Rejection> {
        let compiled = typed(inputs, reading, claims)?;
        let Lowered { program, library, unused, .. } =
            lowered(&compiled, reading, purposes, false)?;
        let unused = unused
            .into_iter()
            .map(|lower::Unused { name, place }| Unused { name: name.into(), place });
        let (program, properties) = with_buffers(program, &reading.properties, &library);
        let unused = unused.collect();
        let subject =
            Subject::Program(Box::new(Code { program, properties, unused, units: Vec::new() }));
        let files = files(inputs, &compiled.sources);
        Ok(Task { language: self, files, reading: reading.clone(), subject })
    }
}

impl C {
    /// Reads files for structural coverage.
    fn covered(&'static self, inputs: &[Input], reading: &Reading) -> Covered {
        let compiled = typed(inputs, reading, &[])?;
        let lowered = lowered(&compiled, reading, &Claims::default(), true)?;
        let Lowered { program, unused, coverage, .. } = lowered;
        let unused = unused
            .into_iter()
            .map(|lower::Unused { name, place }| Unused { name: name.into(), place });
        let unused = unused.collect();
        let properties = BTreeSet::new();
        let subject =
            Subject::Program(Box::new(Code { program, properties, unused, units: Vec::new() }));
        let files = files(inputs, &compiled.sources);
        let task = Task { language: self, files, reading: reading.clone(), subject };
        Ok((task, coverage.unwrap_or_default()))
    }
}

/// Who asks for the bounds of arrays asks for the buffers that library functions are given, too: their
/// accesses are checked as those behind pointers are, and these alone.
fn with_buffers(
    program: Program,
    properties: &BTreeSet<Property>,
    library: &FxHashSet<Place>,
) -> (Program, BTreeSet<Property>) {
    let pointer = BTreeSet::from([Property::Pointer]);
    if !properties.contains(&Property::Bounds) || properties.contains(&Property::Pointer) {
        return (program, properties.clone());
    }
    let (inside, outside): (Vec<Check>, Vec<Check>) = checks(&program, &pointer)
        .into_iter()
        .map(|found| found.check)
        .partition(|check| library.contains(&check.place));
    if inside.is_empty() {
        return (program, properties.clone());
    }
    let asked = Asked::AllBut(outside.into_iter().collect());
    (restricted(&program, &pointer, asked), properties | &pointer)
}

/// The flags that a file is compiled with, as a shell reads them, except for the machine's.
fn flags(build: &Build, file: &Path) -> String {
    let flags = build.of(file).into_iter().filter(|flag| !matches!(flag, Flag::Machine(_)));
    let words = flags.flat_map(Flag::words).map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    // Only a null byte can't be quoted, and no argument of a program has one.
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default()
}

/// Reads and types the program.
fn typed(inputs: &[Input], reading: &Reading, claims: &[Claim]) -> Result<Compiled, Rejection> {
    let input = |input: &Input| match input.clone() {
        Input::File(path) => front_c::compile::Input::File(path),
        Input::Text { name, text } => front_c::compile::Input::Text { name, text },
    };
    let inputs: Vec<_> = inputs.iter().map(input).collect();
    let options = front_c::compile::Options::new(reading.data_model.into());
    let options = front_c::compile::Options { build: reading.build.clone(), ..options };
    let compiled = compile_with(&inputs, &options, claims)
        .map_err(|error| Rejection::new(error.to_string()))?;
    match compiled.program {
        Some(_) => Ok(compiled),
        None => Err(Rejection::diagnostics(compiled.errors(), &compiled.sources)),
    }
}

fn lowered(
    compiled: &Compiled,
    reading: &Reading,
    purposes: &Claims,
    coverage: bool,
) -> Result<Lowered, Rejection> {
    let sources = &compiled.sources;
    let Some(typed) = &compiled.program else {
        return Err(Rejection::diagnostics(compiled.errors(), sources));
    };
    let options = lower::Options {
        entry: reading.entry.clone(),
        error_labels: reading.error_labels.clone(),
        properties: reading.properties.iter().copied().collect(),
        watched: reading.watched().into_iter().collect(),
        caller: reading.caller.clone(),
        contracts: reading.contracts,
        world: reading.world,
        coverage,
    };
    lower::lower_with(typed, sources, &options, purposes)
        .map_err(|errors| Rejection::diagnostics(&errors, sources))
}

/// The texts that the user gave.
fn files(inputs: &[Input], sources: &SourceMap) -> Vec<File> {
    let given = |input: &Input| {
        let name = input.name();
        let text = sources.given().find(|text| **text.name() == *name)?;
        Some(File { name, text: Some(text.bytes().clone()), sum: text.sum() })
    };
    inputs.iter().filter_map(given).collect()
}
