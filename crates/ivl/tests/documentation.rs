//! The programs of docs/ivl.md are programs, and do what the page says.

mod support;

use program::explicit::search;
use program::program::Instruction;
use program::{Program, Property, model};
use support::{outcome, reread, round_trip};

fn examples() -> Vec<String> {
    let page = include_str!("../../../docs/ivl.md");
    let blocks = page.split("```ivl\n").skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

/// Whether a run violates an assertion, by looking at all runs.
fn fails(program: &Program) -> bool {
    let options = model::Options { properties: [Property::Assert].into(), ..Default::default() };
    let cfa = model::build(program, &options).expect("a small program");
    let found = search(&program.pool, &cfa, &[], 1_000_000);
    assert!(!found.limited, "all runs were looked at");
    found.error.is_some()
}

#[test]
fn the_counter_is_safe() {
    let text = &examples()[0];
    let program = reread(text);
    round_trip(&program);
    assert!(!fails(&program));
    assert!(fails(&reread(&text.replace("i == n", "i != 77"))), "a wrong assertion fails");
    let signed = text.replace("i <u n", "i < n").replace("i >=u n", "i >= n");
    assert!(fails(&reread(&signed)), "as does a wrong comparison");
}

#[test]
fn memory_and_calls_work() {
    let text = &examples()[1];
    let program = reread(text);
    round_trip(&program);
    assert!(outcome(&program, 0, 1000).starts_with("finished"), "{}", outcome(&program, 0, 1000));
    let wrong = reread(&text.replace("s == 42", "s == 43"));
    let run = outcome(&wrong, 0, 1000);
    // The place is the one that the text states.
    assert!(run.starts_with("violation assert") && run.contains("\"sum.c\", line: 11"), "{run}");
}

/// Places that are not stated are those of the text.
#[test]
fn places_are_lines_of_the_text() {
    let program = reread(&examples()[0]);
    let edges = program.edges().filter(|(_, edge)| edge.instruction != Instruction::Skip);
    let check = edges.last().map(|(_, edge)| edge.place.to_string());
    assert_eq!(check.as_deref(), Some("test.ivl:12:5"));
    let main = &program.functions[program.start];
    assert_eq!(main.place.to_string(), "test.ivl:1:10");
    let body = main.body();
    assert_eq!(body.locations[body.entry].place.to_string(), "test.ivl:4:5");
    let heads = body.locations.iter().filter(|(_, location)| location.loop_head);
    let heads: Vec<String> = heads.map(|(_, location)| location.place.to_string()).collect();
    assert_eq!(heads, ["test.ivl:6:3"]);
}
