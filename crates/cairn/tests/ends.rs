//! Ends that hurt: nobody reads what is printed, disks are full, files vanish, signals come. There is a
//! message, an exit code that says so, and no file that is written by half.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const CAIRN: &str = env!("CARGO_BIN_EXE_cairn");

const UNSAFE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
    int main(void) { int x = __VERIFIER_nondet_int(); if (x > 7) reach_error(); return 0; }\n";

/// An empty directory of a test's own.
fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ends").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    directory
}

fn write(directory: &Path, name: &str, text: &str) {
    std::fs::write(directory.join(name), text).expect("the directory is writable");
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("it is there");
    let name = |entry: std::fs::DirEntry| entry.file_name().into_string().expect("a plain name");
    let mut names: Vec<String> = entries.map(|entry| name(entry.expect("an entry"))).collect();
    names.sort();
    names
}

fn cairn(directory: &Path, arguments: &str) -> Command {
    let mut command = Command::new(CAIRN);
    command.current_dir(directory).args(arguments.split_whitespace());
    command
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Commands that print, in a directory that has what they need, with their exit codes.
fn commands(name: &str) -> (PathBuf, Vec<(&'static str, i32)>) {
    let directory = directory(name);
    write(&directory, "a.i", UNSAFE);
    write(&directory, "a.smt2", "(check-sat)\n(exit)\n");
    let result = cairn(&directory, "check --format json a.i").output().expect("cairn runs");
    write(&directory, "a.json", &stdout(&result));
    let made = cairn(&directory, "check --quiet --witness a.yml a.i").output();
    assert_eq!(made.expect("cairn runs").status.code(), Some(10));
    let commands = vec![
        ("check a.i", 10),
        ("check --format json --stats a.i", 10),
        ("show a.i", 0),
        ("show --stage lbe --format dot a.i", 0),
        ("explain a.json", 0),
        ("validate a.i --witness a.yml", 0),
        ("solve a.smt2", 0),
        ("man", 0),
        ("completions bash", 0),
        ("--help", 0),
        ("check --help", 0),
        ("--version", 0),
    ];
    (directory, commands)
}

/// Commands that only complain.
const MISTAKES: [(&str, i32); 8] = [
    ("check nowhere.c", 2),
    ("check a.st", 2),
    ("show nowhere.i", 2),
    ("explain nowhere.json", 2),
    ("validate a.i --witness nowhere.yml", 2),
    ("solve nowhere.smt2", 2),
    ("check", 1),
    ("check a.i --compile-commands nowhere.json", 2),
];

#[test]
fn a_closed_pipe_is_no_failure() {
    let (directory, commands) = commands("closed");
    for (arguments, code) in commands.into_iter().chain(MISTAKES) {
        let mut command = cairn(&directory, arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("cairn starts");
        drop((child.stdout.take(), child.stderr.take()));
        let status = child.wait().expect("it can be waited for");
        assert_eq!(status.code(), Some(code), "{arguments}");
    }
}

#[test]
fn a_full_disk_below_standard_output_is_said() {
    let (directory, commands) = commands("full");
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    for (arguments, _) in commands {
        let mut command = cairn(&directory, arguments);
        let output = command.stdout(full()).output().expect("cairn runs");
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {text}");
        let said = text.lines().filter(|line| line.starts_with("standard output: ")).count();
        assert_eq!(said, 1, "{arguments}: {text}");
    }
    for (arguments, code) in MISTAKES {
        let mut command = cairn(&directory, arguments);
        let output = command.stderr(full()).output().expect("cairn runs");
        assert_eq!(output.status.code(), Some(code), "{arguments}");
    }
}

#[test]
fn a_place_for_an_output_is_looked_at_before_the_work() {
    let directory = directory("places");
    write(&directory, "a.i", UNSAFE);
    for option in ["--witness nowhere/w.yml", "--harness nowhere/h.c", "--witness ."] {
        let output =
            cairn(&directory, &format!("check a.i {option}")).output().expect("cairn runs");
        let text = stderr(&output);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), String::new()), "{text}");
        assert!(text.contains(": can't be written: "), "{text}");
    }
    assert_eq!(names(&directory), ["a.i"]);
}

#[test]
fn a_file_is_written_as_a_whole_or_not_at_all() {
    let directory = directory("whole");
    write(&directory, "a.i", UNSAFE);
    write(&directory, "old.yml", "old\n");
    // Files may be empty, and no more: writing one begins well.
    let line = format!(
        "ulimit -f 0; {CAIRN} check a.i --format json --harness h.c --witness old.yml; code=$?; exit $code"
    );
    let mut shell = Command::new("sh");
    let output = shell.current_dir(&directory).args(["-c", &line]).output().expect("sh runs");
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.starts_with("h.c: can't be written: "), "{text}");
    // What was found is said all the same.
    let document = report::result::Document::read(&stdout(&output)).expect("it is a document");
    assert_eq!(document.verdict, report::result::Verdict::Unsafe);
    assert_eq!((document.outputs.witness, document.outputs.harness), (None, None));
    assert_eq!(names(&directory), ["a.i", "old.yml"]);
    let old = std::fs::read_to_string(directory.join("old.yml")).expect("it is there");
    assert_eq!(old, "old\n");
}

#[test]
fn links_and_pipes_stay_what_they_are() {
    let directory = directory("links");
    write(&directory, "a.i", UNSAFE);
    write(&directory, "old.yml", "old\n");
    for (link, target) in [("link.yml", "old.yml"), ("dangling.yml", "new.yml")] {
        std::os::unix::fs::symlink(target, directory.join(link)).expect("links can be made");
        let arguments = format!("check --quiet a.i --witness {link}");
        let output = cairn(&directory, &arguments).output().expect("cairn runs");
        assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
        assert!(directory.join(link).is_symlink());
        let text = std::fs::read_to_string(directory.join(target)).expect("it is written");
        assert!(text.contains("violation_sequence"), "{text}");
    }
    let output = cairn(&directory, "check --quiet a.i --witness /dev/stdout").output();
    let piped = stdout(&output.expect("cairn runs"));
    let redirected = std::fs::File::create(directory.join("out.txt")).expect("it can be made");
    let mut command = cairn(&directory, "check --quiet a.i --witness /dev/stdout");
    command.stdout(redirected).status().expect("cairn runs");
    let redirected = std::fs::read_to_string(directory.join("out.txt")).expect("it is there");
    for text in [piped, redirected] {
        assert!(text.starts_with("- entry_type: violation_sequence"), "{text}");
        assert!(text.ends_with("verdict: unsafe\n"), "{text}");
    }
}

/// A compiler that does something else before it preprocesses a file; of the machine it tells at once.
fn compiler(directory: &Path, before: &str) -> String {
    let tools = directory.join("tools");
    std::fs::create_dir_all(&tools).expect("the directory can be made");
    let path = std::env::var("PATH").expect("there is a path");
    let script = format!(
        "#!/bin/sh\nPATH={path}\ncase \"$*\" in *-dM*) ;; *) {before} ;; esac\nexec gcc \"$@\"\n"
    );
    write(&tools, "gcc", &script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(tools.join("gcc"), mode).expect("it is ours");
    format!("{}:{path}", tools.display())
}

#[test]
fn a_file_that_vanishes_is_rejected() {
    let directory = directory("vanishing");
    write(&directory, "a.c", UNSAFE);
    let path = compiler(&directory, "rm a.c");
    let output = cairn(&directory, "check a.c").env("PATH", path).output().expect("cairn runs");
    let text = stderr(&output);
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), String::new()), "{text}");
    assert!(text.starts_with("a.c: the preprocessor failed:"), "{text}");
    assert!(text.contains("No such file"), "{text}");
}

/// Sends a signal to a process and what it has started, as a terminal does, or to it alone.
fn signal(child: &Child, signal: &str, all: bool) {
    let target = format!("{}{}", if all { "-" } else { "" }, child.id());
    let line = format!("kill -{signal} {target}");
    assert!(Command::new("sh").args(["-c", &line]).status().expect("sh runs").success());
}

#[test]
fn a_signal_while_a_file_is_read_is_no_mistake_in_it() {
    let directory = directory("signals");
    write(&directory, "a.c", UNSAFE);
    write(&directory, "a.yml", &witness(&directory));
    let path = compiler(&directory, "touch started; sleep 30");
    let cases = [("check a.c", "verdict"), ("validate a.c --witness a.yml", "witness")];
    for ((arguments, word), (name, all)) in
        cases.into_iter().flat_map(|case| [("INT", true), ("TERM", false)].map(|how| (case, how)))
    {
        let started = directory.join("started");
        let _ = std::fs::remove_file(&started);
        let mut command = cairn(&directory, arguments);
        command.env("PATH", &path).process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("cairn starts");
        let begin = Instant::now();
        while !started.exists() && begin.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(10));
        }
        signal(&child, name, all);
        let id = child.id();
        let output = child.wait_with_output().expect("it can be waited for");
        assert_eq!(
            stdout(&output),
            format!("{word}: unknown (interrupted)\n"),
            "{arguments} {name}"
        );
        assert_eq!((stderr(&output), output.status.code()), (String::new(), Some(5)));
        // What it has started may sleep on.
        let line = format!("kill -KILL -{id} 2>/dev/null");
        let _ = Command::new("sh").args(["-c", &line]).status();
    }
}

/// The witness of the program in `a.c`.
fn witness(directory: &Path) -> String {
    let output = cairn(directory, "check --quiet a.c --witness /dev/stdout").output();
    let text = stdout(&output.expect("cairn runs"));
    text.replace("verdict: unsafe\n", "")
}

#[test]
fn an_interrupted_script_has_not_run() {
    let directory = directory("script");
    let hard = "(declare-const a (_ BitVec 256))\n(declare-const b (_ BitVec 256))\n\
        (assert (= (bvmul a b) (_ bv26959946667150639794667015087019630673557916260026308143510066298881 256)))\n\
        (assert (bvult #x01 ((_ extract 127 120) a)))\n(assert (= ((_ extract 255 128) a) (_ bv0 128)))\n\
        (assert (= ((_ extract 255 128) b) (_ bv0 128)))\n(assert (bvult a b))\n(check-sat)\n";
    write(&directory, "hard.smt2", hard);
    let mut command = cairn(&directory, "solve hard.smt2");
    let child = command.stdout(Stdio::piped()).spawn().expect("cairn starts");
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "INT", false);
    let output = child.wait_with_output().expect("it can be waited for");
    assert_eq!((stdout(&output).as_str(), output.status.code()), ("unknown\n", Some(5)));
}
