//! Cairn as a library: checks a C program given as a text, and prints the verdict and, of a proof, the
//! invariant at each loop, in C.

use report::Subject;
use std::error::Error;
use verify::{Input, Language, Question, Reading, decide, languages};

const PROGRAM: &str = "
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned x = 0, y = 0;
  while (__VERIFIER_nondet_int())
    if (x < 10) { x++; y += 2; }
  if (y > 20) reach_error();
  return 0;
}";

fn main() -> Result<(), Box<dyn Error>> {
    let input = Input::Text { name: "counters.c".to_owned(), text: PROGRAM.into() };
    let task = languages::C.read(&[input], &Reading::default())?;
    let outcome = decide(&Question::new(&task))?;
    println!("verdict: {}", outcome.verdict());
    let subject = Subject::new(&task, &outcome);
    for answer in 0..outcome.answers.len() {
        for held in subject.loop_invariants(answer) {
            println!("{}: {}", held.place, held.expression);
        }
    }
    Ok(())
}
