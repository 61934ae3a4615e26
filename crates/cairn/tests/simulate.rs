//! `cairn simulate` on C programs: the loop that is split in Fig. 4.3 of [Fed15], mutants, lifting,
//! change impact, certificates.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Fig. 4.3(a), with an end to the counting so that nothing overflows.
const WHOLE: &str = "
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int y = 0;
  while (__VERIFIER_nondet_int()) {
    if (y == 12) { y = y + 2; } else { if (y < 1000) y++; }
  }
  if (y < 0 || y == 13) reach_error();
  return 0;
}";

/// Fig. 4.3(b).
const SPLIT: &str = "
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int z = 0;
  while (z < 12 && __VERIFIER_nondet_int()) z++;
  if (z == 12) z = z + 2;
  while (z > 12 && __VERIFIER_nondet_int()) { if (z < 1000) z++; }
  if (z < 0 || z == 13) reach_error();
  return 0;
}";

struct Files(PathBuf);

impl Files {
    fn new(name: &str, programs: &[(&str, &str)]) -> Files {
        let directory =
            std::env::temp_dir().join(format!("cairn-simulate-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a temporary directory");
        for (file, text) in programs {
            std::fs::write(directory.join(file), text).expect("a file in it");
        }
        Files(directory)
    }

    fn run(&self, command: &str) -> (String, Option<i32>) {
        let output: Output = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .args(command.split_whitespace())
            .current_dir(&self.0)
            .output()
            .expect("the tool starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (String::from_utf8_lossy(&output.stdout).into_owned() + &said, output.status.code())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_split_loop_is_simulated_by_the_whole_one() {
    let files = Files::new("split", &[("whole.c", WHOLE), ("split.c", SPLIT)]);
    let (text, code) = files.run("simulate split.c whole.c --property reach --certificate c.smt2");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("split.c:8:3 ~ whole.c:6:3: z = y"), "{text}");
    assert!(text.ends_with("split.c simulated by whole.c: identity\n"), "{text}");
    let (answers, _) = files.run("solve c.smt2");
    assert!(answers.lines().count() >= 5 && answers.lines().all(|a| a == "unsat"), "{answers}");
}

/// What the first program checks beyond the second one, the second one's proof says nothing of.
#[test]
fn a_lifted_proof_is_strengthened() {
    let more = WHOLE
        .replace("int y = 0;", "int y = 0, k = 0;")
        .replace(
            "while (__VERIFIER_nondet_int()) {",
            "while (__VERIFIER_nondet_int()) {\n    if (k < 10) k++;",
        )
        .replace("y == 13)", "y == 13 || k > 10)");
    let files = Files::new("more", &[("whole.c", WHOLE), ("more.c", &more)]);
    let (text, _) = files.run("simulate more.c whole.c --property reach --lift --time-limit 60");
    assert!(text.contains("proof of whole.c: lifted and strengthened to more.c"), "{text}");
}

#[test]
fn the_proof_is_lifted_and_what_breaks_it_is_named() {
    let broken = WHOLE.replace("y = y + 2", "y = y + 1");
    let files =
        Files::new("lift", &[("whole.c", WHOLE), ("split.c", SPLIT), ("broken.c", &broken)]);
    let (text, _) = files.run("simulate split.c whole.c --property reach --lift");
    assert!(text.contains("proof of whole.c: lifted to split.c"), "{text}");
    let (text, code) = files.run("simulate broken.c whole.c --property reach --lift");
    assert_eq!(code, Some(5), "{text}");
    assert!(!text.contains(": lifted to"), "a violation is reachable: {text}");
    assert!(text.contains("broken.c:6:10: breaks the proof"), "{text}");
}

#[test]
fn json_has_the_same() {
    let files = Files::new("json", &[("whole.c", WHOLE), ("split.c", SPLIT)]);
    let (text, _) = files.run("simulate split.c whole.c --property reach --both --format json");
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document[0]["outcome"], "identity");
    assert_eq!(document[0]["checked"], true);
    assert_eq!(document[1]["source"], "whole.c");
}

#[test]
fn what_can_not_be_compared_is_rejected() {
    let files = Files::new("rejected", &[("a.c", "int main(void) { return }"), ("b.c", WHOLE)]);
    let (text, code) = files.run("simulate a.c b.c");
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("a.c:1:"), "{text}");
    assert_eq!(files.run("simulate b.c missing.c").1, Some(2));
}
