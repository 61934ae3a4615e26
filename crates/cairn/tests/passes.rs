//! Every pass of the minimization can be left out without changing a verdict.

use program::minimize::Pass;
use std::path::PathBuf;
use std::process::Command;

/// Programs with a number that makes them safe, and one that makes them unsafe.
const PROGRAMS: [(&str, &str, &str, &str); 4] = [
    (
        "loop",
        "extern int nondet(void); extern void reach_error(void);
         int main(void) { int x = 0, y = 1, unused = nondet();
           while (nondet()) { if (x < 6) { x += 2; } unused += x; }
           if (x + y > HOLE) reach_error(); return 0; }",
        "7",
        "6",
    ),
    (
        "calls",
        "extern unsigned char nondet(void); extern void reach_error(void);
         struct pair { int a; int b; };
         static void set(struct pair *p, int v) { p->a = v; p->b = v + 1; }
         static int sum(int a, int b) { return a + b; }
         int main(void) { struct pair p; set(&p, nondet());
           if (sum(p.a, 1) != p.b) reach_error();
           set(&p, 3); if (p.b > HOLE) reach_error(); return 0; }",
        "4",
        "3",
    ),
    (
        "pointers",
        "extern int nondet(void); extern void reach_error(void);
         static int one(int x) { return x + 1; } static int two(int x) { return x + 2; }
         int main(void) { int (*f)(int) = nondet() ? one : two; int a[4] = {0, 0, 0, 0};
           for (int i = 0; i < 4; i++) a[i] = f(i);
           if (a[2] > HOLE) reach_error(); return 0; }",
        "4",
        "3",
    ),
    (
        "states",
        "extern int nondet(void); extern void reach_error(void);
         int main(void) { int s = 0, lock = 0;
           for (;;) {
             switch (s) {
               case 0: if (nondet()) { lock++; s = 1; } else { lock++; s = 2; } break;
               case 1: s = nondet() ? 1 : 3; break;
               case 2: s = 3; break;
               default: lock--; s = 0; if (lock == HOLE) reach_error();
             }
           } }",
        "1",
        "0",
    ),
];

fn code(name: &str, text: &str, arguments: &[&str]) -> (i32, String) {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("passes");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    let path = directory.join(format!("{name}.i"));
    std::fs::write(&path, text).expect("the directory is writable");
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args([
            "check",
            "--stats",
            "--time-limit",
            "60",
            "--data-model",
            "ILP32",
            "--property",
            "assert",
        ])
        .args(arguments)
        .arg(&path)
        .output()
        .expect("cairn runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().expect("cairn ends by itself"), text)
}

#[test]
fn verdicts_are_the_same_without_each_pass() {
    for (name, text, safe, violated) in PROGRAMS {
        for (hole, expected) in [(safe, 0), (violated, 10)] {
            let text = text.replace("HOLE", hole);
            assert_eq!(code(name, &text, &[]).0, expected, "{name} with {hole}");
            for pass in Pass::ALL {
                let (code, stats) = code(name, &text, &["--without-pass", pass.name()]);
                assert_eq!(code, expected, "{name} with {hole} without {}", pass.name());
                let ran = format!("  {}: locations", pass.name());
                assert!(!stats.contains(&ran), "{} was left out: {stats}", pass.name());
            }
        }
    }
}

#[test]
fn all_passes_together_can_be_left_out() {
    let (name, text, safe, violated) = PROGRAMS[1];
    let all: Vec<&str> = Pass::ALL.iter().map(|pass| pass.name()).collect();
    for (hole, expected) in [(safe, 0), (violated, 10)] {
        let text = text.replace("HOLE", hole);
        let (code, _) = code("all", &text, &["--without-pass", &all.join(",")]);
        assert_eq!(code, expected, "{name} with {hole}");
    }
    assert_eq!(code("all", text, &["--without-pass", "magic"]).0, 1);
}
