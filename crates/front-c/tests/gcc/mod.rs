//! gcc as the reference: compiles and runs programs, or says that it cannot.
#![allow(dead_code)]

use front_c::compile::{Compiled, Input, Options, compile};
use front_c::lower::{self, lower};
use front_c::source::SourceMap;
use front_c::typed::{Object, Program};
use front_c::types::DataModel;
use program::Property;
use program::wellformed::check;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

pub const MODELS: [DataModel; 2] = [DataModel::Lp64, DataModel::Ilp32];

fn flag(model: DataModel) -> &'static str {
    match model {
        DataModel::Lp64 => "-m64",
        DataModel::Ilp32 => "-m32",
    }
}

fn feed(command: &mut Command, source: &str) -> Option<bool> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    child.stdin.take()?.write_all(source.as_bytes()).ok()?;
    Some(child.wait().ok()?.success())
}

/// Whether gcc can build programs for the data model; says so on standard error if not.
pub fn available(model: DataModel) -> bool {
    let works = execute(
        "int printf(const char *, ...); int main(void) { printf(\"x\"); return 0; }",
        model,
    )
    .is_some_and(|o| o == "x");
    if !works {
        eprintln!("SKIPPED: gcc {} cannot build programs here", flag(model));
    }
    works
}

/// What a program prints when compiled by gcc; none if it does not compile.
pub fn execute(source: &str, model: DataModel) -> Option<String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("front-c-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let mut command = Command::new("gcc");
    command.args(["-w", "-std=gnu11", "-O0", flag(model), "-x", "c", "-", "-o"]).arg(&path);
    let built = feed(&mut command, source)?;
    if !built {
        return None;
    }
    let output = Command::new(&path).output();
    let _ = std::fs::remove_file(&path);
    String::from_utf8(output.ok()?.stdout).ok()
}

/// What gcc says against texts that should all be valid; empty without gcc.
pub fn complaints(sources: &[String], model: DataModel) -> String {
    let directory = std::env::temp_dir().join(format!("front-c-valid-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("the temporary directory is writable");
    let mut command = Command::new("gcc");
    command.args(["-w", "-std=gnu11", "-fsyntax-only", flag(model)]);
    for (i, source) in sources.iter().enumerate() {
        let path = directory.join(format!("{i}.c"));
        std::fs::write(&path, source).expect("the temporary directory is writable");
        command.arg(path);
    }
    let output = command.output();
    let _ = std::fs::remove_dir_all(&directory);
    match output {
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(_) => {
            eprintln!("SKIPPED: no gcc to compare with");
            String::new()
        }
    }
}

/// Whether gcc accepts a text; none without gcc.
pub fn accepts(source: &str, model: DataModel) -> Option<bool> {
    let mut command = Command::new("gcc");
    command.args(["-w", "-std=gnu11", "-fsyntax-only", flag(model), "-x", "c", "-"]);
    feed(&mut command, source)
}

/// Our result for a text.
pub fn ours(source: &str, model: DataModel) -> Compiled {
    let input = Input::Text { name: "test.c".into(), text: source.as_bytes().to_vec() };
    compile(&[input], &Options::new(model)).expect("a small text can be read")
}

/// Our program for a text that must be accepted; the typed program keeps its promises.
pub fn program(source: &str, model: DataModel) -> Program {
    let compiled = ours(source, model);
    let errors: Vec<String> = compiled.errors().map(|e| e.render(&compiled.sources)).collect();
    let program = compiled.program.unwrap_or_else(|| panic!("{}\n{source}", errors.join("\n")));
    program.check_invariants().unwrap_or_else(|e| panic!("{e}\n{source}"));
    lower_all(&program, &compiled.sources, source);
    program
}

/// Lowers the program from `main`, or from each of its functions: what is accepted is well formed.
/// Large texts are left to their own tests.
pub fn lower_all(program: &Program, sources: &SourceMap, text: &str) {
    if text.len() > 100_000 {
        return;
    }
    let main = program.symbols.get("main");
    let has_main = program.functions.iter().any(|(_, f)| Some(f.name) == main);
    let defined = program.functions.iter().filter(|(_, f)| f.body.is_some());
    let roots = defined.filter(|(_, f)| !has_main || Some(f.name) == main);
    for (_, function) in roots.take(20) {
        let options = lower::Options {
            entry: program.symbols.name(function.name).to_owned(),
            error_labels: vec!["ERROR".into()],
            properties: Property::ALL.to_vec(),
            ..lower::Options::default()
        };
        if let Ok(lowered) = lower(program, sources, &options) {
            check(&lowered.program).unwrap_or_else(|e| panic!("{e}\n{text}"));
        }
    }
}

/// Compiles, shows and lowers any text: it is rejected with an error, or keeps what a program promises.
pub fn survives(bytes: &[u8], model: DataModel) {
    let input = Input::Text { name: "t.c".into(), text: bytes.to_vec() };
    let compiled = compile(&[input], &Options::new(model)).expect("small");
    for diagnostic in &compiled.diagnostics {
        let _ = diagnostic.render(&compiled.sources);
    }
    match &compiled.program {
        Some(program) => {
            program.check_invariants().expect("the promises are kept");
            let _ = front_c::print::text(program, &compiled.sources);
            lower_all(program, &compiled.sources, &String::from_utf8_lossy(bytes));
        }
        None => assert!(compiled.errors().next().is_some()),
    }
}

/// The object of a name.
pub fn object<'p>(program: &'p Program, name: &str) -> &'p Object {
    let symbol = program.symbols.get(name).unwrap_or_else(|| panic!("no symbol {name}"));
    let mut objects = program.objects.iter().map(|(_, o)| o);
    objects.find(|o| o.name == Some(symbol)).unwrap_or_else(|| panic!("no object {name}"))
}
