//! Whole-tool cases: pages of tests/cases and of docs, each with files, commands, and what these print.
//!
//! A code block whose first line is ```` ```LANGUAGE NAME ```` is a file, perhaps in a directory. In a
//! block ```` ```console ````, a line `$ cairn …` is run in a directory with the files of its page, and
//! the lines below it are what it prints on standard output and then on standard error; `…` stands for
//! any text within a line, a line `…` for any lines. A line `[N]` is the exit code, where it is not 0.
//! The repository's examples are in `examples` there.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of a page.
#[derive(Debug)]
struct Step {
    line: usize,
    arguments: Vec<String>,
    expected: Vec<String>,
    code: i32,
}

/// A page: its files and its commands.
#[derive(Debug, Default)]
struct Page {
    files: Vec<(String, String)>,
    steps: Vec<Step>,
}

fn read(text: &str) -> Page {
    let mut page = Page::default();
    let mut lines = text.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block = lines.by_ref().take_while(|(_, line)| *line != "```");
        let block: Vec<(usize, &str)> = block.collect();
        match info.split_once(' ') {
            Some((_, name)) => {
                let text: String = block.iter().map(|(_, line)| format!("{line}\n")).collect();
                page.files.push((name.to_owned(), text));
            }
            None if info == "console" => steps(&block, &mut page.steps),
            None => {}
        }
    }
    page
}

fn steps(block: &[(usize, &str)], into: &mut Vec<Step>) {
    for &(number, line) in block {
        if let Some(command) = line.strip_prefix("$ cairn ") {
            let arguments = shlex::split(command).expect("quotes are closed");
            into.push(Step { line: number + 1, arguments, expected: Vec::new(), code: 0 });
            continue;
        }
        let step = into.last_mut().expect("a block begins with a command");
        let code = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        match code.and_then(|code| code.parse().ok()) {
            Some(code) => step.code = code,
            None => step.expected.push(line.to_owned()),
        }
    }
}

/// Whether a line is what is expected of it.
fn fits(expected: &str, line: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    for (number, part) in parts.iter().enumerate() {
        let last = number + 1 == parts.len();
        match if last { rest.rfind(part) } else { rest.find(part) } {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty()
}

/// Whether lines are what is expected of them.
fn matches(expected: &[String], lines: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, lines)| fits(first, line) && matches(rest, lines)),
    }
}

/// Runs the commands of a page; how many there are, and what does not fit.
fn run(page: &Path) -> (usize, Vec<String>) {
    let name = page.file_stem().expect("a page has a name").to_string_lossy().into_owned();
    let folder = page.parent().and_then(Path::file_name).expect("a page is in a folder");
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder).join(&name);
    // What an earlier run has left would be there to begin with.
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    let Page { files, steps } = read(&std::fs::read_to_string(page).expect("it is text"));
    for (name, text) in &files {
        let path = directory.join(name);
        let folder = path.parent().expect("a file is in a directory");
        std::fs::create_dir_all(folder).expect("the directory can be made");
        std::fs::write(path, text).expect("the directory is writable");
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    std::os::unix::fs::symlink(examples, directory.join("examples")).expect("links can be made");
    let mut failures = Vec::new();
    for step in &steps {
        let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .current_dir(&directory)
            .args(&step.arguments)
            .output()
            .expect("cairn runs");
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        let lines: Vec<&str> = text.lines().collect();
        let place = format!("{name}.md:{}", step.line);
        let code = output.status.code();
        if !matches(&step.expected, &lines) || code != Some(step.code) {
            failures.push(format!("{place}: {:?}, exit code {code:?}\n{text}", step.arguments));
        }
    }
    (steps.len(), failures)
}

/// The pages of tests, and those of the documentation: blocks of these without a language are not run.
fn pages() -> impl Iterator<Item = PathBuf> {
    let directories = ["tests/cases", "../../docs"].into_iter();
    directories.flat_map(|directory| {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
        let entries = std::fs::read_dir(pages).expect("the pages");
        entries.map(|entry| entry.expect("a page").path())
    })
}

#[test]
fn pages_say_what_happens() {
    let (mut count, mut failures) = (0, Vec::new());
    for path in pages() {
        if path.extension().is_some_and(|extension| extension == "md") {
            let (steps, failed) = run(&path);
            count += steps;
            failures.extend(failed);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 20, "only {count} commands were found");
}

#[test]
fn what_does_not_fit_is_noticed() {
    let expected = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert!(matches(&expected(&["a", "…", "verdict: safe"]), &["a", "b", "c", "verdict: safe"]));
    assert!(matches(&expected(&["x.c:…: violation of assert"]), &["x.c:3:4: violation of assert"]));
    assert!(!matches(&expected(&["verdict: safe"]), &["verdict: unsafe"]));
    assert!(!matches(&expected(&["verdict: …"]), &["verdict: safe", "more"]));
    assert!(!matches(&expected(&["a…c"]), &["abd"]));
}
