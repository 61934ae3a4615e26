//! Harnesses of differences: compiled with gcc, they print what both versions give.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compares two texts, compiles the harness, and gives what it prints.
fn shown(name: &str, old: &str, new: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).expect("written");
    write("old.c", old);
    write("new.c", new);
    let run = |program: &Path, arguments: &[&str]| {
        let output = Command::new(program).current_dir(&folder).args(arguments).output();
        let output = output.expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let cairn = Path::new(env!("CARGO_BIN_EXE_cairn"));
    let found = ["diff", "--equivalence", "old.c", "new.c", "--harness", "shown.c", "-m", "64"];
    let (code, text, error) = run(cairn, &found);
    assert_eq!((code, error.as_str()), (Some(10), ""), "{text}");
    assert!(text.contains("harness: shown.c"), "{text}");
    let compiled = run(Path::new("gcc"), &["-w", "shown.c", "-o", "shown", "-lm"]);
    assert_eq!(compiled.0, Some(0), "{}", compiled.2);
    run(&folder.join("shown"), &[]).1
}

/// The lines of a version, without its name.
fn of<'a>(text: &'a str, version: &str) -> Vec<&'a str> {
    text.lines().filter_map(|line| line.strip_prefix(version)).collect()
}

#[test]
fn results_are_shown() {
    let old = "struct pair { int a, b; };\ntypedef struct pair pair_t;\nenum { LIMIT = 9 };\n\
               static int helper(pair_t p) { return p.a * p.b; }\n\
               int f(int n, unsigned char c) { pair_t p = { n, c }; return n > LIMIT ? 0 : helper(p); }\n";
    let text = shown("results", old, &old.replace("LIMIT = 9", "LIMIT = 8"));
    let (old, new) = (of(&text, "old: result = "), of(&text, "new: result = "));
    assert_eq!((old.len(), new.len()), (1, 1), "{text}");
    assert_ne!(old, new);
}

#[test]
fn memory_variables_and_calls_are_shown() {
    let old = "extern int ask(int which, double scale);\nint count;\nint table[3];\n\
               void f(int *cells, int n)\n{\n    count += n;\n    cells[2] = ask(n, 0.5);\n    \
               table[1] = cells[0] + 1;\n}\n";
    let text = shown("effects", old, &old.replace("cells[0] + 1", "cells[0] + 2"));
    assert!(text.contains("old: ask(") && text.contains("new: ask("), "{text}");
    assert_eq!(of(&text, "old: count ="), of(&text, "new: count ="), "{text}");
    assert_eq!(of(&text, "old: *0 ="), of(&text, "new: *0 ="), "{text}");
    assert_ne!(of(&text, "old: table ="), of(&text, "new: table ="), "{text}");
    let text = shown("calls", old, &old.replace("0.5", "0.25"));
    assert_ne!(of(&text, "old: ask("), of(&text, "new: ask("), "{text}");
}

#[test]
fn floats_are_shown() {
    let old = "#include <math.h>\ndouble f(double x, float y) { return sqrt(x * x) + y; }\n";
    let text = shown("floats", old, &old.replace("sqrt(x * x)", "x"));
    assert_ne!(of(&text, "old: result ="), of(&text, "new: result ="), "{text}");
}
