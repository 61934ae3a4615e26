//! A suite as a C file: compiled with gcc, it runs every vector and compares what the program computes
//! with what the interpreter saw.
//!
//! The file includes the sources, so that it can name variables of internal linkage, and defines the
//! functions that the program leaves open. Each vector runs in a process of its own, as the state of a
//! program has no way back. A value that is asked for in another order than the vector has it is a
//! failure. Numbers that depend on functions like `cosf` are compared with a tolerance.

use crate::outputs::{Changes, Left, Output, outputs};
use crate::suite::{Suite, Vector};
use front_c::lower::Caller;
use front_c::write::harness::{CHECKS, c_type, is_identifier, literal};
use program::counterexample::Taken;
use program::interpret::Part;
use program::program::{Cause, FunctionId, Instruction, Program, VariableId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use term::{Sort, Value};

/// What the file must know beside the vectors.
pub struct Task<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its sources, by paths that the compiler finds.
    pub files: Vec<String>,
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
    /// It is a parameter of the step, by number.
    Parameter(usize),
    /// It is a variable, by its expression.
    Variable(String),
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
}

impl<'a> Driver<'a> {
    fn new(task: &'a Task<'a>, suite: &'a Suite) -> Result<Driver<'a>, String> {
        let step = match task.caller.cycle {
            Some(_) => task.program.functions.iter().find(|(_, f)| &*f.name == task.entry),
            None => None,
        };
        let mut driver = Driver { task, suite, step: step.map(|(id, _)| id), sources: Vec::new() };
        let entry = task.program.functions.values().find(|f| &*f.name == task.entry);
        let called = entry.is_some_and(|f| f.parameters.is_empty());
        if driver.step.is_none() && task.entry != "main" && !called {
            return Err(format!("the parameters of '{}' are made by the caller", task.entry));
        }
        if let Some(step) = driver.step {
            driver.check_step(step)?;
        }
        let mut sources: BTreeSet<Source> =
            driver.open_functions().into_keys().map(Source::Function).collect();
        for vector in &suite.vectors {
            for taken in vector.inputs.iter().filter(|taken| is_driven(taken)) {
                sources.insert(driver.source(taken)?);
            }
        }
        driver.sources = sources.into_iter().collect();
        Ok(driver)
    }

    /// A step whose parameters are numbers.
    fn check_step(&self, step: FunctionId) -> Result<(), String> {
        let program = self.task.program;
        for parameter in &program.functions[step].parameters {
            let variable = &program.variables[*parameter];
            let name = variable.name.as_deref().unwrap_or("without a name");
            if variable.reading == program::program::Reading::Address || name.contains('.') {
                return Err(format!("parameter '{name}' of '{}' is no number", self.task.entry));
            }
        }
        Ok(())
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
        let Some(step) = self.step.filter(|_| taken.instruction.0 == program.start) else {
            // A function without a body returns it, or changes a variable on the way.
            return match &taken.variable {
                _ if is_identifier(name) => Ok(Source::Function(name.to_string())),
                Some(variable) if name.contains(" after ") => {
                    Ok(Source::Variable(variable.to_string()))
                }
                _ => Err(cannot()),
            };
        };
        let parameters = &program.functions[step].parameters;
        let named = |id: &VariableId| program.variables[*id].name.as_ref() == Some(name);
        match parameters.iter().position(named) {
            Some(number) => Ok(Source::Parameter(number)),
            None if name.contains([' ', '*', '>']) => Err(cannot()),
            None => Ok(Source::Variable(name.to_string())),
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

    fn write(&self) -> Result<String, String> {
        let mut text = self.head();
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
        for (number, vector) in self.suite.vectors.iter().enumerate() {
            self.vector(&mut text, number + 1, vector)?;
        }
        self.table(&mut text, &left);
        text.push_str(QUEUE);
        self.variables(&mut text);
        self.functions(&mut text);
        self.checks(&mut text, &left);
        self.cycle(&mut text);
        text.push_str(MAIN);
        Ok(text)
    }

    fn head(&self) -> String {
        let width = if self.task.program.pointer_width == 32 { "-m32" } else { "-m64" };
        format!(
            "/* Runs {} test vectors of {}.\n *\n * gcc -w {width} -O0 -ffp-contract=off -fwrapv -ftrivial-auto-var-init=zero {} -I. THIS-FILE.c -lm && ./a.out\n *\n \
             * ends with code 0 if each vector takes its values in their order and computes what it is\n \
             * expected to; ./a.out NUMBER runs one of them.\n */\n\
             #define main cairn_program_main\n",
            self.suite.vectors.len(),
            self.task.files.join(" ").replace("*/", "* /"),
            self.task.flags.replace("*/", "* /"),
        )
    }

    /// The values of a vector, and what comes of them.
    fn vector(&self, text: &mut String, number: usize, vector: &Vector) -> Result<(), String> {
        let _ = writeln!(text, "static const struct cairn_value cairn_values_{number}[] = {{");
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

    fn table(&self, text: &mut String, left: &[Left]) {
        text.push_str("static const struct cairn_vector cairn_vectors[] = {\n");
        for (number, vector) in self.suite.vectors.iter().enumerate() {
            let refused = u8::from(left[number].refused);
            let (number, cycles) = (number + 1, vector.cycles.len().max(1));
            let _ = writeln!(
                text,
                "  {{ cairn_values_{number}, cairn_cycles_{number}, {cycles}, {refused} }},"
            );
        }
        text.push_str("  { 0, 0, 0, 0 }\n};\n\n");
    }

    /// Variables take the values that are for them.
    fn variables(&self, text: &mut String) {
        text.push_str(
            "static void cairn_set_variables(void) {\n  for (;;) {\n    switch (cairn_due()) {\n",
        );
        for (number, source) in self.sources.iter().enumerate() {
            let Source::Variable(name) = source else { continue };
            let value = match self.sort_of(source) {
                Some(sort) => from_bits(sort, &format!("cairn_take({number})")),
                None => format!("cairn_take({number})"),
            };
            let _ = writeln!(text, "    case {number}: {name} = {value}; continue;");
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

    /// What each cycle of each vector must leave.
    fn checks(&self, text: &mut String, left: &[Left]) {
        text.push_str("static void cairn_check(int vector, int cycle) {\n  switch (vector) {\n");
        for (number, vector) in self.suite.vectors.iter().enumerate() {
            let loose = vector.inputs.iter().any(Taken::is_computed);
            let changes = &left[number].cycles;
            if changes.iter().all(BTreeMap::is_empty) {
                continue;
            }
            let _ = writeln!(text, "  case {}:\n    switch (cycle) {{", number + 1);
            for (cycle, changes) in changes.iter().enumerate().filter(|(_, c)| !c.is_empty()) {
                let _ = writeln!(text, "    case {}:", cycle + 1);
                self.cycle_checks(text, changes, loose);
                text.push_str("      break;\n");
            }
            text.push_str("    }\n    break;\n");
        }
        text.push_str("  }\n}\n\n");
    }

    fn cycle_checks(&self, text: &mut String, changes: &Changes, loose: bool) {
        for (name, Output { value, .. }) in changes {
            let _ = match value {
                Value::Float(float) => match literal(value).filter(|_| float.is_finite()) {
                    Some(text_of) => {
                        let tolerance = if loose { "1e-3" } else { "0" };
                        writeln!(text, "      CAIRN_NUMBER({name}, {text_of}, {tolerance});")
                    }
                    None if float.is_nan() => writeln!(text, "      CAIRN_NAN({name});"),
                    None => {
                        let sign = if float.is_negative() { "-" } else { "" };
                        writeln!(text, "      CAIRN_NUMBER({name}, {sign}__builtin_inf(), 0);")
                    }
                },
                value => match c_value(value) {
                    Some(bits) => writeln!(text, "      CAIRN_BITS({name}, {bits});"),
                    None => continue,
                },
            };
        }
    }

    /// What a cycle is: a call of the step with its inputs, or all of the program.
    fn cycle(&self, text: &mut String) {
        let Some(step) = self.step else {
            let entry = match self.task.entry {
                "main" => "cairn_program_main",
                entry => entry,
            };
            let _ = writeln!(
                text,
                "static void cairn_run(char **arguments) {{\n  cairn_by_order = 1;\n  \
                 ((int (*)()){entry})(1, arguments);\n}}\n"
            );
            return;
        };
        let program = self.task.program;
        text.push_str("static void cairn_run(char **arguments) {\n");
        let init = self.task.caller.cycle.as_ref().and_then(|cycle| cycle.init.as_deref());
        let parameters = &program.functions[step].parameters;
        for (number, id) in parameters.iter().enumerate() {
            let ty = c_type(program.variables[*id].sort).unwrap_or("int");
            let _ = writeln!(text, "  {ty} cairn_argument_{number} = 0;");
        }
        if let Some(init) = init {
            let _ = writeln!(text, "  {init}();");
        }
        text.push_str("  while (cairn_cycle < cairn_now->count) {\n");
        text.push_str(
            "    for (;;) {\n      cairn_set_variables();\n      switch (cairn_due()) {\n",
        );
        for (number, source) in self.sources.iter().enumerate() {
            let Source::Parameter(index) = source else { continue };
            let sort = program.variables[parameters[*index]].sort;
            let value = from_bits(sort, &format!("cairn_take({number})"));
            let target = format!("cairn_argument_{index}");
            let _ = writeln!(text, "      case {number}: {target} = {value}; continue;");
        }
        text.push_str("      }\n      break;\n    }\n");
        let arguments: Vec<String> =
            (0..parameters.len()).map(|number| format!("cairn_argument_{number}")).collect();
        let _ = writeln!(text, "    {}({});", self.task.entry, arguments.join(", "));
        text.push_str("    cairn_end_cycle();\n  }\n}\n\n");
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

const HOOKS: &str = "\
extern int dprintf(int, const char *, ...);
extern void exit(int) __attribute__((noreturn));
extern int fork(void);
extern int waitpid(int, int *, int);
extern unsigned alarm(unsigned);

struct cairn_value { int source; unsigned long long bits; };
struct cairn_vector { const struct cairn_value *values; const int *cycles; int count, refused; };

";

const QUEUE: &str = "\
static const struct cairn_vector *cairn_now;
static const struct cairn_value *cairn_next;
static int cairn_number, cairn_cycle, cairn_failed, cairn_by_order;

static void cairn_check(int vector, int cycle);

static void cairn_end_cycle(void) {
  cairn_check(cairn_number, ++cairn_cycle);
}

/* The next value, which must be one for this source. */
static unsigned long long cairn_take(int source) {
  while (cairn_by_order && cairn_cycle + 1 < cairn_now->count
         && cairn_next - cairn_now->values >= cairn_now->cycles[cairn_cycle])
    cairn_end_cycle();
  if (cairn_next->source < 0) {
    if (cairn_by_order)
      cairn_end_cycle();
    exit(cairn_failed);
  }
  if (cairn_next->source != source) {
    dprintf(2, \"vector %d, cycle %d: a value is taken out of order\\n\", cairn_number, cairn_cycle + 1);
    exit(2);
  }
  return cairn_next++->bits;
}

/* What the next value is for; nothing at the end of the cycle. */
static int cairn_due(void) {
  int over = cairn_next - cairn_now->values >= cairn_now->cycles[cairn_cycle];
  return over && !cairn_by_order ? -1 : cairn_next->source;
}

static float cairn_float(unsigned long long bits) {
  union { unsigned bits; float value; } both = { (unsigned)bits };
  return both.value;
}

static double cairn_double(unsigned long long bits) {
  union { unsigned long long bits; double value; } both = { bits };
  return both.value;
}

static void cairn_wrong(const char *name) {
  dprintf(2, \"vector %d, cycle %d: %s is not as expected\\n\", cairn_number, cairn_cycle, name);
  cairn_failed = 1;
}

#define CAIRN_BITS(place, expected) \\
  do { \\
    unsigned long long cairn_mask = sizeof(place) >= 8 ? ~0ULL : (1ULL << 8 * sizeof(place)) - 1; \\
    if (((unsigned long long)(place) & cairn_mask) != ((expected) & cairn_mask)) cairn_wrong(#place); \\
  } while (0)
#define CAIRN_NUMBER(place, expected, tolerance) \\
  do { \\
    double cairn_is = (place), cairn_be = (expected); \\
    double cairn_off = cairn_is < cairn_be ? cairn_be - cairn_is : cairn_is - cairn_be; \\
    double cairn_size = cairn_be < 0 ? -cairn_be : cairn_be; \\
    if (cairn_is != cairn_be && !(cairn_off <= (tolerance) * (1 + cairn_size))) cairn_wrong(#place); \\
  } while (0)
#define CAIRN_NAN(place) \\
  do { if ((place) == (place)) cairn_wrong(#place); } while (0)

void cairn_assume(int holds) __asm__(\"__VERIFIER_assume\");
void cairn_assume(int holds) {
  if (!holds && cairn_now->refused && cairn_cycle + 1 >= cairn_now->count)
    exit(cairn_failed);
  if (!holds) {
    dprintf(2, \"vector %d, cycle %d: an assumption fails\\n\", cairn_number, cairn_cycle + 1);
    exit(2);
  }
}

";

const MAIN: &str = "\
static int cairn_one(int number, char **arguments) {
  cairn_number = number;
  cairn_now = &cairn_vectors[number - 1];
  cairn_next = cairn_now->values;
  /* A vector is over when its values are: what goes on for ever without any is ended. */
  alarm(20);
  cairn_run(arguments);
  if (cairn_by_order && cairn_cycle < cairn_now->count)
    cairn_end_cycle();
  return cairn_failed;
}

int main(int count, char **arguments) {
  int all = sizeof cairn_vectors / sizeof cairn_vectors[0] - 1, failed = 0;
  if (count > 1) {
    int number = 0;
    for (const char *c = arguments[1]; *c >= '0' && *c <= '9' && number <= all; c++)
      number = 10 * number + (*c - '0');
    if (number < 1 || number > all) {
      dprintf(2, \"there are vectors 1 to %d\\n\", all);
      return 2;
    }
    exit(cairn_one(number, arguments));
  }
  for (int number = 1; number <= all; number++) {
    int status = 0, child = fork();
    if (child == 0)
      exit(cairn_one(number, arguments));
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
      dprintf(2, \"vector %d failed\\n\", number);
      failed++;
    }
  }
  dprintf(1, \"%d of %d vectors passed\\n\", all - failed, all);
  return failed != 0;
}
";
