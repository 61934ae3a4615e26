//! Requirements in a file beside a program of a controller: they are asked about where nobody says
//! what is.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A lamp at an output that follows an input.
const LAMP: &str = "PROGRAM lamp VAR on AT %IX0.0 : BOOL; light AT %QX0.0 : BOOL; END_VAR\n\
                    light := on; END_PROGRAM\n";

/// A directory of a test's own with the program and another file.
fn directory(name: &str, file: &str, text: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("beside").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    std::fs::write(directory.join("lamp.st"), LAMP).expect("it is writable");
    std::fs::write(directory.join(file), text).expect("it is writable");
    directory
}

fn check(directory: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(directory).args(["check", "lamp.st"]).args(more);
    let Output { status, stdout, stderr } = command.output().expect("cairn runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("plain text");
    (status.code(), text(stdout), text(stderr))
}

const DARK: &str = "properties:\n  - {id: P1, kind: invariant, expression: NOT light}\n";

#[test]
fn a_file_beside_the_program_is_asked_about() {
    for name in ["lamp.yaml", "props.yaml", "requirements.yml"] {
        let directory = directory(name, name, DARK);
        let (code, out, err) = check(&directory, &[]);
        assert_eq!(code, Some(10), "{out}{err}");
        assert!(err.contains(&format!("{name}: what has to hold is read from this file")), "{err}");
        let said = format!("what has to hold is what {name} beside the program states");
        assert!(out.contains(&said), "{out}");
    }
}

#[test]
fn what_is_said_on_the_command_line_is_asked_about_instead() {
    let directory = directory("instead", "props.yaml", DARK);
    for more in [&["--property", "assert"][..], &["--assertion", "light = on"]] {
        let (code, out, err) = check(&directory, more);
        assert_eq!(code, Some(0), "{out}{err}");
        assert!(!err.contains("props.yaml") && !out.contains("props.yaml"), "{out}{err}");
    }
}

#[test]
fn a_state_that_is_looked_for() {
    // ESBMC's word: a run to the state is reported as a failure.
    let text = "properties:\n  - {id: P1, kind: reachability, expression: light}\n";
    let (code, out, _) = check(&directory("kind", "props.yaml", text), &[]);
    assert_eq!(code, Some(10), "{out}");
    // PLCverif's: there has to be a run.
    let text = "requirements:\n  - {name: P1, pattern: reachability, 1: light}\n";
    let (code, out, _) = check(&directory("pattern", "props.yaml", text), &[]);
    assert_eq!(code, Some(0), "{out}");
}

#[test]
fn a_file_that_is_wrong_is_rejected() {
    let (code, _, err) = check(&directory("wrong", "props.yaml", "properties: 3\n"), &[]);
    assert_eq!(code, Some(2));
    assert!(err.contains("expected a list of requirements"), "{err}");
}
