//! Two questions at once in one process, each within its own limits, and no thread left: counted, so
//! this is the only test of its process.

use answer::{Exhausted, Interrupt, Verdict};
use std::time::{Duration, Instant};
use verify::{Finding, Input, Language, Limits, Question, Reading, Task, decide, languages};

const HEAD: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);\n";

/// A loop whose invariant IC3 and its like find at once.
const EASY: &str = "int main(void) { unsigned i = 0, n = __VERIFIER_nondet_uint();
  while (i < n) i++;
  if (i < n) reach_error(); return 0; }";

/// Products of unknown words: nobody decides it in a few seconds.
const HARD: &str = "int main(void) {
  unsigned long long a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), c = 1, d = 1;
  while (__VERIFIER_nondet_uint()) { c = c * a + b * d; d = d * b - c * a; a = a * a + c; b = b * b ^ d; }
  if (c * d == 0x123456789abcdefULL && a * b == 0xfedcba987654321ULL) reach_error(); return 0; }";

fn task(text: &str) -> Task {
    let text = format!("{HEAD}{text}").into_bytes();
    let input = Input::Text { name: "program.c".to_owned(), text };
    languages::C.read(&[input], &Reading::default()).expect("the program is one")
}

fn question<'t>(task: &'t Task, time: Duration) -> Question<'t> {
    let limits = Limits { time: Some(time), ..Limits::default() };
    Question { limits, ..Question::new(task) }
}

/// The threads of this process.
fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the system tells");
    tasks.count()
}

fn reason(finding: &Finding) -> Option<Exhausted> {
    match finding {
        Finding::Unknown(reason) => reason.exhausted(),
        _ => None,
    }
}

#[test]
fn two_questions_at_once_each_within_its_limits_and_no_thread_is_left() {
    let before = threads();
    for round in 0..100 {
        let interrupt = Interrupt::new();
        let interrupted = round % 2 == 1;
        std::thread::scope(|scope| {
            let flag = interrupt.clone();
            let hard = scope.spawn(move || {
                let task = task(HARD);
                let mut question = question(&task, Duration::from_millis(400));
                question.limits.interrupt = flag;
                let begun = Instant::now();
                let outcome = decide(&question).expect("nothing is wrong with it");
                (outcome.verdict(), reason(&outcome.answers[0].finding), begun.elapsed())
            });
            let easy = scope.spawn(move || {
                let task = task(EASY);
                let outcome = decide(&question(&task, Duration::from_secs(60)));
                outcome.expect("nothing is wrong with it").verdict()
            });
            if interrupted {
                std::thread::sleep(Duration::from_millis(100));
                interrupt.raise();
            }
            let (verdict, why, took) = hard.join().expect("no panic");
            assert_eq!(verdict, Verdict::Unknown);
            let expected = if interrupted { Exhausted::Interrupted } else { Exhausted::Time };
            assert_eq!(why, Some(expected), "round {round}");
            assert!(took < Duration::from_secs(20), "round {round}: {took:?}");
            assert_eq!(easy.join().expect("no panic"), Verdict::Safe);
        });
        assert_eq!(threads(), before, "round {round}");
    }
}
