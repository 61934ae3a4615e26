//! `cairn diff` of files and folders in revisions of a git repository, and what is said where there is
//! no such thing.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const OLD: &str = "#include \"step.h\"\nint sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += STEP; \
                   return s; }\n";
const NEW: &str = "#include \"step.h\"\nint sum(int n) { int s = 0; while (n > 0) { s += STEP; n--; } \
                   return s; }\n";

fn git(folder: &Path, arguments: &[&str]) {
    let settings = ["-c", "user.name=n", "-c", "user.email=e@example.org"];
    let settings = settings.iter().chain(&["-c", "init.defaultBranch=main"]);
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(settings).args(arguments);
    let output = command.output().expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// A repository with two commits, and a change in the working tree.
fn repository(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("src")).expect("the folder can be made");
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).expect("written");
    git(&folder, &["init", "-q"]);
    write("src/sum.c", OLD);
    write("src/step.h", "#define STEP 2\n");
    write("src/main.c", "extern int sum(int n);\nint twice(int n) { return sum(n) + sum(n); }\n");
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    write("src/step.h", "#define STEP 3\n");
    git(&folder, &["commit", "-q", "-a", "-m", "another step"]);
    write("src/sum.c", NEW);
    folder
}

fn cairn(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    let Output { status, stdout, stderr } =
        command.current_dir(folder).arg("diff").args(arguments).output().expect("cairn runs");
    let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    (status.code().expect("it ends by itself"), text)
}

#[test]
fn a_file_is_compared_with_what_it_was() {
    let folder = repository("since");
    // The headers of the revision count: the first one has another step.
    let same = cairn(&folder, &["--equivalence", "--since", "HEAD", "src/sum.c"]);
    assert_eq!((same.0, same.1.lines().last()), (0, Some("verdict: safe")), "{}", same.1);
    let other = cairn(&folder, &["--equivalence", "--since", "HEAD~1", "src/sum.c"]);
    assert_eq!((other.0, other.1.lines().last()), (10, Some("verdict: unsafe")), "{}", other.1);
    let named = cairn(&folder, &["--equivalence", "HEAD~1:src/sum.c", "HEAD:src/sum.c"]);
    assert_eq!(named.0, 10, "{}", named.1);
    let relative = cairn(&folder.join("src"), &["--equivalence", "HEAD:./sum.c", "sum.c"]);
    assert_eq!(relative.0, 0, "{}", relative.1);
}

#[test]
fn a_folder_is_one_program() {
    let folder = repository("folder");
    let both = cairn(&folder, &["--equivalence", "--since", "HEAD", "src"]);
    assert_eq!(both.0, 0, "{}", both.1);
    assert!(both.1.contains("twice: same"), "{}", both.1);
    let plain = cairn(&folder, &["HEAD~1:src", "src", "--entry", "twice", "--property", "div0"]);
    assert_eq!(plain.0, 0, "{}", plain.1);
    assert!(plain.1.contains("changed: 1 of"), "{}", plain.1);
}

#[test]
fn what_is_not_there_is_named() {
    let folder = repository("missing");
    let says = |arguments: &[&str], message: &str| {
        let (code, text) = cairn(&folder, arguments);
        assert_eq!((code, text.trim_end()), (2, message));
    };
    says(
        &["HEAD:src/none.c", "src/sum.c"],
        "HEAD:src/none.c: there is no such path in this revision",
    );
    says(&["none:src/sum.c", "src/sum.c"], "none:src/sum.c: there is no revision 'none'");
    std::fs::create_dir_all(folder.join("empty")).expect("the folder can be made");
    says(&["empty", "src"], "empty: there is no C file in this folder");
    let outside = std::env::temp_dir().join(format!("cairn-outside-{}", std::process::id()));
    std::fs::create_dir_all(&outside).expect("the folder can be made");
    std::fs::write(outside.join("a.c"), OLD).expect("written");
    let (code, text) = cairn(&outside, &["HEAD:a.c", "a.c"]);
    assert_eq!((code, text.trim_end()), (2, "HEAD:a.c: there is no git repository here"));
    let (code, text) = cairn(&outside, &["--since", "HEAD", "a.c"]);
    assert_eq!((code, text.trim_end()), (2, "a.c: it is not in a git repository"));
    std::fs::remove_dir_all(&outside).expect("it can be removed");
}

#[test]
fn nothing_is_left_behind() {
    let folder = repository("clean");
    let own = folder.join("tmp");
    std::fs::create_dir_all(&own).expect("the folder can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(&folder).env("TMPDIR", &own);
    command.args(["diff", "--equivalence", "HEAD~1:src", "HEAD:src"]);
    assert_eq!(command.output().expect("cairn runs").status.code(), Some(10));
    let left: Vec<_> = std::fs::read_dir(&own).expect("it is there").collect();
    assert!(left.is_empty(), "{left:?}");
}
