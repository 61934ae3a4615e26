//! A suite as a C file: compiled with gcc, it runs every vector and compares what the program computes
//! with what the interpreter saw.
//!
//! The file includes the sources, so that it can name variables of internal linkage, and defines the
//! functions that the program leaves open. Each vector runs in a process of its own, as the state of a
//! program has no way back. Within a cycle each function, variable or object has a queue of its own, since
//! C leaves open in which order operands and arguments take their values; a value that its cycle does not
//! have is a failure. Numbers that depend on functions like `cosf` are compared with a tolerance.

mod arguments;
mod checks;
mod text;
mod volatile;

use crate::outputs::{Left, outputs};
use crate::suite::{Suite, Vector};
use arguments::Arguments;
use checks::Checks;
use front_c::lower::Caller;
use front_c::write::harness::{CHECKS, c_type, is_identifier};
use program::counterexample::Taken;
use program::interpret::Part;
use program::program::{Cause, FunctionId, Instruction, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use term::{Sort, Value};
use text::{HOOKS, MAIN, QUEUE};

/// What the file must know beside the vectors.
pub struct Task<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its sources, by paths that the compiler finds.
    pub files: Vec<String>,
    /// Their texts, by the names that places use.
    pub texts: &'a BTreeMap<String, String>,
    /// The flags that they are compiled with.
    pub flags: &'a str,
    /// The function that is called.
    pub entry: &'a str,
    /// How it is called.
    pub caller: &'a Caller,
}

/// Where a value of a vector goes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Source {
    /// A function without a body returns it.
    Function(String),
    /// It is a variable, or a part of an argument of the step, by its expression.
    Variable(String),
    /// It says that a pointer is null.
    Null(String),
    /// A read of what is `volatile` gives it: an expression for that, empty if there is none.
    Volatile(String),
}

/// The file; what it can't drive is the error.
///
/// # Errors
/// In words, what of the inputs a C file can't give the program.
pub fn drive(task: &Task<'_>, suite: &Suite) -> Result<String, String> {
    Driver::new(task, suite)?.write()
}

struct Driver<'a> {
    task: &'a Task<'a>,
    suite: &'a Suite,
    step: Option<FunctionId>,
    sources: Vec<Source>,
    /// What expressions can name.
    names: volatile::Names,
    /// Those of the step.
    arguments: Arguments,
}

impl<'a> Driver<'a> {
    fn new(task: &'a Task<'a>, suite: &'a Suite) -> Result<Driver<'a>, String> {
        let step = match task.caller.cycle {
            Some(_) => task.program.functions.iter().find(|(_, f)| &*f.name == task.entry),
            None => None,
        };
        let (step, names) = (step.map(|(id, _)| id), volatile::Names::new(task.program));
        let arguments = match step {
            Some(step) => {
                let file = &*task.program.functions[step].place.file;
                Arguments::new(task.program, step, task.texts.get(file).map(String::as_str))?
            }
            None => Arguments::default(),
        };
        let mut driver = Driver { task, suite, step, sources: Vec::new(), names, arguments };
        let entry = task.program.functions.values().find(|f| &*f.name == task.entry);
        let called = entry.is_some_and(|f| f.parameters.is_empty());
        if driver.step.is_none() && task.entry != "main" && !called {
            return Err(format!("the parameters of '{}' are made by the caller", task.entry));
        }
        let mut sources: BTreeSet<Source> =
            driver.open_functions().into_keys().map(Source::Function).collect();
        for vector in &suite.vectors {
            for taken in vector.inputs.iter().filter(|taken| is_driven(taken)) {
                sources.insert(driver.source(taken)?);
            }
        }
        driver.sources = sources.into_iter().collect();
        if !driver.reads().is_empty() && task.program.pointer_width != 64 {
            return Err(
                "reads of volatile objects are told by compilers for 64 bits alone".to_owned()
            );
        }
        Ok(driver)
    }

    fn source(&self, taken: &Taken) -> Result<Source, String> {
        let program = self.task.program;
        let cannot = || format!("{}: nothing gives '{}' a value", taken.place, taken.what());
        if !matches!(taken.part, Part::Whole | Part::Result(_)) || c_value(&taken.value).is_none() {
            return Err(cannot());
        }
        let (Cause::Input(name) | Cause::Unknown(name)) = &taken.cause else {
            return Err(cannot());
        };
        if self.step.is_none() || taken.instruction.0 != program.start {
            // A function without a body returns it, or changes a variable on the way.
            if let Some(read) = volatile::read_of(name, &self.names) {
                return Ok(Source::Volatile(read.to_owned()));
            }
            return match &taken.variable {
                _ if is_identifier(name) => Ok(Source::Function(name.to_string())),
                Some(variable) if name.contains(" after ") => {
                    Ok(Source::Variable(variable.to_string()))
                }
                _ => Err(cannot()),
            };
        }
        let what = taken.what();
        if let Some(pointer) = self.arguments.null(&what) {
            return Ok(Source::Null(pointer));
        }
        match self.arguments.lvalue(&what) {
            _ if what.contains(|c: char| !c.is_ascii_alphanumeric() && !"_.->[]*".contains(c)) => {
                Err(cannot())
            }
            Some(lvalue) => Ok(Source::Variable(lvalue)),
            None => Ok(Source::Variable(what)),
        }
    }

    /// The functions that the program leaves open, with the sorts of their results.
    fn open_functions(&self) -> BTreeMap<String, Sort> {
        let program = self.task.program;
        let mut functions = BTreeMap::new();
        for ((function, _), edge) in program.edges() {
            if let Instruction::Havoc(variable, Cause::Input(name) | Cause::Unknown(name)) =
                &edge.instruction
                && function != program.start
                && is_identifier(name)
            {
                functions.insert(name.to_string(), program.variables[*variable].sort);
            }
        }
        functions
    }

    fn number(&self, source: &Source) -> usize {
        self.sources.iter().position(|other| other == source).expect("all sources were collected")
    }

    /// What is read that is `volatile`, with the numbers.
    fn reads(&self) -> Vec<(usize, &str)> {
        let reads = self.sources.iter().enumerate().filter_map(|(number, source)| match source {
            Source::Volatile(read) => Some((number, &**read)),
            _ => None,
        });
        reads.collect()
    }

    fn write(&self) -> Result<String, String> {
        let (mut text, reads) = (self.head(), self.reads());
        if !reads.is_empty() {
            text.push_str(volatile::BEFORE);
        }
        for file in &self.task.files {
            let _ = writeln!(text, "#include \"{file}\"");
        }
        text.push_str("#undef main\n\n");
        text.push_str(HOOKS);
        let left: Vec<Left> = self
            .suite
            .vectors
            .iter()
            .map(|vector| outputs(self.task.program, vector, self.step))
            .collect();
        let checks = Checks::new(&left);
        for (number, vector) in self.suite.vectors.iter().enumerate() {
            self.vector(&mut text, number + 1, vector)?;
            checks.table(&mut text, number);
        }
        self.table(&mut text, &checks);
        self.arguments.declare(&mut text);
        text.push_str(QUEUE);
        text.push_str(&volatile::hooks(&reads));
        self.variables(&mut text);
        self.functions(&mut text);
        checks.compare(&mut text);
        self.cycle(&mut text)?;
        text.push_str(MAIN);
        Ok(text)
    }

    fn head(&self) -> String {
        let width = if self.task.program.pointer_width == 32 { "-m32" } else { "-m64" };
        let flags = self.task.flags.replace("*/", "* /");
        let usual = "-w {} -O0 -ffp-contract=off -fwrapv -ftrivial-auto-var-init=zero";
        let usual = usual.replace("{}", width);
        let compile = match self.reads().is_empty() {
            true => format!("gcc {usual} {flags} -I. THIS-FILE.c -lm"),
            // Its library would define what this file defines.
            false => format!(
                "gcc {usual} {} {flags} -I. -c THIS-FILE.c -o suite.o &&\n * gcc {width} suite.o -lm",
                volatile::FLAGS
            ),
        };
        format!(
            "/* Runs {} test vectors of {}.\n *\n * {compile} && ./a.out\n *\n \
             * ends with code 0 if each cycle takes its values and computes what it is expected to;\n \
             * ./a.out NUMBER runs one of them.\n */\n\
             #define main cairn_program_main\n",
            self.suite.vectors.len(),
            self.task.files.join(" ").replace("*/", "* /"),
        )
    }

    /// The values of a vector, and what comes of them.
    fn vector(&self, text: &mut String, number: usize, vector: &Vector) -> Result<(), String> {
        let _ = writeln!(text, "static struct cairn_value cairn_values_{number}[] = {{");
        for taken in vector.inputs.iter().filter(|taken| is_driven(taken)) {
            let source = self.number(&self.source(taken)?);
            let bits = c_value(&taken.value).expect("its source says that it has one");
            let _ = writeln!(text, "  {{ {source}, {bits} }},");
        }
        text.push_str("  { -1, 0 }\n};\n");
        let _ = write!(text, "static const int cairn_cycles_{number}[] = {{ ");
        for cycle in 0..vector.cycles.len().max(1) {
            let end = vector.cycles.get(cycle + 1).copied().unwrap_or(vector.inputs.len());
            let driven = vector.inputs[..end.min(vector.inputs.len())].iter();
            let _ = write!(text, "{}, ", driven.filter(|taken| is_driven(taken)).count());
        }
        text.push_str("-1 };\n\n");
        Ok(())
    }

    fn table(&self, text: &mut String, checks: &Checks<'_>) {
        text.push_str("static const struct cairn_vector cairn_vectors[] = {\n");
        for (number, vector) in self.suite.vectors.iter().enumerate() {
            let (refused, loose) = checks.flags(number, vector);
            let (number, cycles) = (number + 1, vector.cycles.len().max(1));
            let _ = writeln!(
                text,
                "  {{ cairn_values_{number}, cairn_cycles_{number}, cairn_expected_{number}, {cycles}, \
                 {refused}, {loose} }},"
            );
        }
        text.push_str("  { 0, 0, 0, 0, 0, 0 }\n};\n\n");
    }

    /// Variables take the values that are for them; first, pointers that are null.
    fn variables(&self, text: &mut String) {
        self.setter(text, "cairn_set_nulls", &|source| matches!(source, Source::Null(_)));
        self.setter(text, "cairn_set_variables", &|_| true);
    }

    /// A function that takes the next values as long as they are for some sources.
    fn setter(&self, text: &mut String, name: &str, is_meant: &dyn Fn(&Source) -> bool) {
        let _ = write!(text, "static void {name}(void) {{\n  for (;;) {{\n");
        text.push_str("    switch (cairn_due()) {\n");
        for (number, source) in self.sources.iter().enumerate().filter(|(_, s)| is_meant(s)) {
            let taken = format!("cairn_take({number})");
            let set = match source {
                Source::Variable(name) => match self.sort_of(source) {
                    Some(sort) => format!("CAIRN_SET({name}, {})", from_bits(sort, &taken)),
                    None => format!("{name} = {taken}"),
                },
                Source::Null(pointer) => {
                    format!("if ({taken}) CAIRN_SET({pointer}, (void *)0)")
                }
                Source::Function(_) | Source::Volatile(_) => continue,
            };
            let _ = writeln!(text, "    case {number}: {set}; continue;");
        }
        text.push_str("    }\n    return;\n  }\n}\n\n");
    }

    /// Definitions of the functions that the program leaves open.
    fn functions(&self, text: &mut String) {
        let open = self.open_functions();
        for (number, source) in self.sources.iter().enumerate() {
            let Source::Function(name) = source else { continue };
            let sort = open.get(name).copied().unwrap_or(Sort::BitVec(32));
            let Some(ty) = c_type(sort) else { continue };
            let convert = from_bits(sort, &format!("cairn_take({number})"));
            let _ = writeln!(text, "{ty} cairn_open_{number}(void) __asm__(\"{name}\");");
            let _ = writeln!(text, "{ty} cairn_open_{number}(void) {{");
            let _ = writeln!(text, "  cairn_set_variables();\n  return {convert};\n}}\n");
        }
        let known = |name: &str| CHECKS.contains(&name) || open.contains_key(name);
        let silent = self.task.program.undefined.iter().filter(|name| is_identifier(name));
        for (number, name) in silent.filter(|name| !known(name)).enumerate() {
            let _ = writeln!(text, "void cairn_silent_{number}(void) __asm__(\"{name}\");");
            let _ = writeln!(text, "void cairn_silent_{number}(void) {{}}\n");
        }
    }

    /// What a cycle is: a call of the step with its inputs, or all of the program.
    fn cycle(&self, text: &mut String) -> Result<(), String> {
        let program = self.task.program;
        if self.step.is_none() {
            let entry = match self.task.entry {
                "main" => "cairn_program_main",
                entry => entry,
            };
            let _ = writeln!(
                text,
                "static void cairn_run(char **arguments) {{\n  cairn_by_order = 1;\n  \
                 ((int (*)()){entry})(1, arguments);\n}}\n"
            );
            return Ok(());
        }
        text.push_str("static void cairn_run(char **arguments) {\n");
        self.arguments.allocate(text);
        let init = self.task.caller.cycle.as_ref().and_then(|cycle| cycle.init.as_deref());
        if let Some(init) = init {
            // What comes before it says which pointers are null.
            text.push_str("  cairn_set_nulls();\n");
            let function = program.functions.iter().find(|(_, f)| &*f.name == init);
            let list = match function {
                Some((id, _)) => self.arguments.list_of(program, id).ok_or_else(|| {
                    format!("the arguments of '{init}' are others than those of the step")
                })?,
                None => String::new(),
            };
            let _ = writeln!(text, "  {init}({list});");
        }
        text.push_str("  while (cairn_cycle < cairn_now->count) {\n    cairn_set_variables();\n");
        let _ = writeln!(text, "    {}({});", self.task.entry, self.arguments.list());
        text.push_str("    cairn_end_cycle();\n  }\n}\n\n");
        Ok(())
    }

    /// The sort of the values of a source.
    fn sort_of(&self, source: &Source) -> Option<Sort> {
        let inputs = self.suite.vectors.iter().flat_map(|vector| &vector.inputs);
        let mut driven = inputs.filter(|taken| is_driven(taken));
        let found = driven.find(|taken| self.source(taken).as_ref() == Ok(source));
        found.and_then(Taken::sort)
    }
}

/// Whether the file gives the value: not what the program computes itself, nor zeros where nothing was
/// written, which a flag of the compiler makes.
fn is_driven(taken: &Taken) -> bool {
    let zero = taken.cause == Cause::Uninitialized && taken.is_zero();
    !taken.is_computed() && !zero
}

/// The bits of a value as a C number.
fn c_value(value: &Value) -> Option<String> {
    let bits = match value {
        Value::Bool(value) => return Some(u8::from(*value).to_string()),
        Value::Bits(bits) => bits.to_u64()?,
        Value::Float(float) => float.to_bits().to_u64()?,
        _ => return None,
    };
    Some(format!("{bits:#x}ULL"))
}

/// A C expression for the value of a sort whose bits another one gives.
fn from_bits(sort: Sort, bits: &str) -> String {
    match c_type(sort) {
        Some("float") => format!("cairn_float({bits})"),
        Some("double") => format!("cairn_double({bits})"),
        Some(ty) => format!("({ty}){bits}"),
        None => bits.to_owned(),
    }
}
