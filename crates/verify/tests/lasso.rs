//! What has to happen some time, against explicit search: small machines in Structured Text with random
//! transitions, and whether a run goes in circles without the response.

use front_st::compile::{Settings, Stated};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::fmt::Write;
use verify::language::{Input, Language};
use verify::languages::StructuredText;
use verify::{Finding, Question, Reading, Violation, decide};

const STATES: usize = 5;
const MACHINES: usize = 40;

/// For each state, the next one without and with the input.
type Machine = [[usize; 2]; STATES];

fn text(machine: &Machine) -> String {
    let mut text = String::from(
        "FUNCTION_BLOCK Machine\nVAR_INPUT x : BOOL; END_VAR\nVAR_OUTPUT s : INT; END_VAR\nCASE s OF\n",
    );
    for (state, [without, with]) in machine.iter().enumerate() {
        let _ = writeln!(text, "{state}: IF x THEN s := {with}; ELSE s := {without}; END_IF;");
    }
    text.push_str("END_CASE;\nEND_FUNCTION_BLOCK\n");
    text
}

/// Whether there is a run on which the trigger is followed for ever by no response.
fn fails(machine: &Machine, trigger: usize, response: usize) -> bool {
    let step = |(state, waits): (usize, bool)| {
        machine[state].map(|next| (next, (waits || next == trigger) && next != response))
    };
    // All that is reached at the end of some cycle.
    let mut reached: Vec<(usize, bool)> = Vec::new();
    let mut open = step((0, false)).to_vec();
    while let Some(node) = open.pop() {
        if !reached.contains(&node) {
            reached.push(node);
            open.extend(step(node));
        }
    }
    // Nodes that wait and lead to no other one of them go, until none does.
    let mut waiting: Vec<(usize, bool)> = reached.into_iter().filter(|(_, waits)| *waits).collect();
    loop {
        let before = waiting.len();
        let kept = waiting.clone();
        waiting.retain(|node| step(*node).iter().any(|next| kept.contains(next)));
        if waiting.len() == before {
            return before > 0;
        }
    }
}

#[test]
fn responses_without_a_bound_agree_with_explicit_search() {
    let mut random = StdRng::seed_from_u64(19);
    let mut found = [0, 0];
    for _ in 0..MACHINES {
        let machine: Machine =
            std::array::from_fn(|_| std::array::from_fn(|_| random.random_range(0..STATES)));
        let (trigger, response) = (random.random_range(1..STATES), random.random_range(0..STATES));
        let expressions = vec![format!("s = {trigger}"), format!("s = {response}")];
        let stated = vec![Stated::new("response", expressions)];
        let reading = Reading {
            entry: "Machine".to_owned(),
            st: Settings { stated, ..Settings::default() },
            ..Reading::default()
        };
        let text = text(&machine);
        let input = Input::Text { name: "machine.st".to_owned(), text: text.clone().into_bytes() };
        let task = StructuredText.read(&[input], &reading).expect("the program is accepted");
        let outcome = decide(&Question::new(&task)).expect("no defect");
        let expected = fails(&machine, trigger, response);
        found[usize::from(expected)] += 1;
        match &outcome.answers[0].finding {
            Finding::Safe(_) => assert!(!expected, "{trigger} {response}: {text}"),
            Finding::Unsafe(Violation::Program { run, .. }) => {
                assert!(expected, "{trigger} {response}: {text}");
                let replay = front_st::replay::cycles(run).expect("it is told in cycles");
                let first = replay.repeats.expect("a loop");
                assert!(0 < first && first < replay.cycles.len(), "{replay:?}");
            }
            other => panic!("{trigger} {response}: {:?}: {text}", other.verdict()),
        }
    }
    assert!(found.iter().all(|count| *count > 4), "{found:?}");
}
