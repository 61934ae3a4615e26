//! How the compiler that is there takes part: its data model, and its flags in what it is to compile.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory with a program, and one for compilers.
fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("builds").join(name);
    std::fs::create_dir_all(directory.join("tools")).expect("the directory can be made");
    let program = "int main(void) { return sizeof(long); }\n";
    std::fs::write(directory.join("a.i"), program).expect("the directory is writable");
    directory
}

/// Checks the program with no other programs than those in the directory's tools.
fn check(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(directory).env("PATH", directory.join("tools"));
    command.args(["check", "--format", "json", "a.i"]).args(arguments);
    command.output().expect("cairn runs")
}

fn data_model(output: &Output) -> Option<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    report::result::Document::read(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}"))
        .data_model
}

/// A compiler that does what a script says.
fn compiler(directory: &Path, script: &str) {
    let path = directory.join("tools/gcc");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("the directory is writable");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("it is ours");
}

/// A script that says how many bytes a `long` and a pointer have.
fn sizes(long: u32, pointer: u32) -> String {
    format!("echo '#define __SIZEOF_LONG__ {long}'; echo '#define __SIZEOF_POINTER__ {pointer}'")
}

#[test]
fn the_compiler_is_asked() {
    let directory = directory("asked");
    compiler(&directory, &sizes(4, 4));
    assert_eq!(data_model(&check(&directory, &[])).as_deref(), Some("ILP32"));
    assert_eq!(data_model(&check(&directory, &["-m64"])).as_deref(), Some("LP64"));
    assert_eq!(data_model(&check(&directory, &["--data-model", "LP64"])).as_deref(), Some("LP64"));
    compiler(&directory, &sizes(8, 8));
    assert_eq!(data_model(&check(&directory, &[])).as_deref(), Some("LP64"));
    assert_eq!(data_model(&check(&directory, &["-m32"])).as_deref(), Some("ILP32"));
}

#[test]
fn a_data_model_that_is_none_of_ours_is_rejected() {
    let directory = directory("other");
    compiler(&directory, &sizes(4, 8));
    let output = check(&directory, &[]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("long has 4 bytes") && text.contains("--data-model"), "{text}");
    assert_eq!(check(&directory, &["--data-model", "LP64"]).status.code(), Some(0));
}

#[test]
fn without_a_compiler_it_is_that_of_the_machine() {
    let machine = if cfg!(target_pointer_width = "64") { "LP64" } else { "ILP32" };
    let directory = directory("alone");
    assert_eq!(data_model(&check(&directory, &[])).as_deref(), Some(machine));
    compiler(&directory, "exit 1");
    assert_eq!(data_model(&check(&directory, &[])).as_deref(), Some(machine));
}

#[test]
fn a_harness_is_compiled_with_the_flags_of_the_program() {
    let directory = directory("harness");
    let write = |name: &str, text: &str| {
        std::fs::write(directory.join(name), text).expect("the directory is writable");
    };
    std::fs::create_dir_all(directory.join("two words")).expect("the directory can be made");
    write(
        "two words/limit.h",
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);",
    );
    write(
        "a.c",
        "#include <limit.h>\n\
         int main(void) { if (__VERIFIER_nondet_int() == LIMIT) reach_error(); return 0; }\n",
    );
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .current_dir(&directory)
        .args(["check", "a.c", "-Itwo words", "-DLIMIT=(3 + 4)", "--harness", "h.c"])
        .output()
        .expect("cairn runs");
    assert_eq!(output.status.code(), Some(10), "{}", String::from_utf8_lossy(&output.stderr));
    let harness = std::fs::read_to_string(directory.join("h.c")).expect("it is written");
    let line = harness.lines().find_map(|line| line.strip_prefix(" * gcc "));
    let line = format!("gcc {}", line.expect("the head says how")).replace("THIS-FILE.c", "h.c");
    let mut shell = Command::new("sh");
    let status = shell.current_dir(&directory).args(["-c", &line]).status().expect("sh runs");
    assert_eq!(status.code(), Some(10), "{line}");
}
