//! Decides questions about programs and circuits, and gives the evidence.
//!
//! A [`Task`] is what is asked about: files in a [`Language`], as they were read. A [`Question`] is a
//! task, settings and limits. [`decide()`] returns an [`Outcome`]: an answer for every goal of the task,
//! each with evidence that has been checked, or with the reason why it is open. Nothing here prints or
//! exits; every thread that is started is joined; several questions can be decided at the same time.
//!
//! ```
//! use verify::{Finding, Input, Language, Question, Reading, decide, languages};
//!
//! let text = b"extern unsigned __VERIFIER_nondet_uint(void);
//!     extern void reach_error(void);
//!     int main(void) {
//!         unsigned n = __VERIFIER_nondet_uint(), i = 0;
//!         while (i < n) i++;
//!         if (i < n) reach_error();
//!         return 0;
//!     }";
//! let input = Input::Text { name: "loop.c".to_owned(), text: text.to_vec() };
//! let task = languages::C.read(&[input], &Reading::default())?;
//! let outcome = decide(&Question::new(&task))?;
//! println!("verdict: {}", outcome.verdict());
//! let Finding::Safe(proof) = &outcome.answers[0].finding else { panic!("it is safe") };
//! println!("by a proof of kind {}, found by {:?}", proof.kind, outcome.answers[0].engine);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `report` writes the invariant of such a proof in the language of the program:
//! `crates/report/examples/library.rs` checks a text and prints the verdict and the invariant at each
//! loop.
//!
//! | module | what |
//! |---|---|
//! | [`question`], [`task`], [`outcome`], [`failure`] | what goes in and what comes out |
//! | [`decide`](mod@decide) | the door |
//! | [`code`], [`checks`], [`dead`], [`design`], [`clauses`] | the ladders for programs, their checks one by one, places of programs, circuits, Horn clauses |
//! | [`ask`] | questions about variants of a program, one after the other |
//! | [`engines`] | one interface, one table |
//! | [`schedule`], [`exchange`], [`board`] | who works when, what engines tell each other, how far they are |
//! | [`accept`] | what makes a claim count |
//! | [`class`](mod@class) | which other inputs fail as a run does |
//! | [`language`], [`languages`] | what a language must be able to do, and all there are |

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

mod accept;
pub mod ask;
pub mod board;
mod budget;
mod checks;
pub mod class;
mod clauses;
mod code;
mod dead;
mod decide;
mod design;
pub mod engines;
pub mod exchange;
mod failure;
mod figures;
pub mod known;
pub mod language;
pub mod languages;
pub mod listener;
pub mod outcome;
pub mod property;
pub mod prove;
pub mod question;
mod record;
pub mod schedule;
pub mod task;

pub use board::Board;
pub use budget::{Budget, Memory};
pub use code::{RECALL, encode};
pub use decide::{decide, decide_with};
pub use engines::{ENGINES, Engine};
pub use failure::Failure;
pub use front_c::flags::{Build, Flag};
pub use known::Knowledge;
pub use language::{Input, Language, Rejection};
pub use languages::LANGUAGES;
pub use listener::{Listener, Note};
pub use outcome::{Answer, Checked, Dead, Finding, Goal, Held, Outcome, Proved, Status, Violation};
pub use question::{Choice, Goals, Limits, Question, Settings};
pub use task::{Clauses, Code, DataModel, Design, Reading, Subject, Task, Undefined};
