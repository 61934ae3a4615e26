//! The way back of a list is the list reversed.

use passes::{Back, Form, Pipeline};

/// Evidence is a list of names.
struct Names;

impl Form for Names {
    type Invariant = Vec<u32>;
    type Run = Vec<u32>;
}

/// Adds its number; one without a way back for runs.
struct Note(u32, bool);

impl Back for Note {
    type Before = Names;
    type After = Names;

    fn invariant(&self, mut invariant: Vec<u32>) -> Option<Vec<u32>> {
        invariant.push(self.0);
        Some(invariant)
    }

    fn run(&self, mut run: Vec<u32>) -> Option<Vec<u32>> {
        run.push(self.0);
        self.1.then_some(run)
    }
}

#[test]
fn the_last_step_comes_first() {
    let mut pipeline = Pipeline::default();
    assert_eq!(pipeline.invariant(vec![0]), Some(vec![0]));
    for number in 1..4 {
        pipeline.push(Note(number, true));
    }
    assert_eq!(pipeline.invariant(vec![0]), Some(vec![0, 3, 2, 1]));
    assert_eq!(pipeline.run(vec![0]), Some(vec![0, 3, 2, 1]));
    let longer = pipeline.followed_by(Note(4, true)).followed_by(Note(5, true));
    assert_eq!(longer.run(Vec::new()), Some(vec![5, 4, 3, 2, 1]));
}

#[test]
fn what_one_step_has_no_words_for_has_none_before() {
    let mut pipeline = Pipeline::default();
    pipeline.push(Note(1, true));
    pipeline.push(Note(2, false));
    assert_eq!(pipeline.run(vec![0]), None);
    assert_eq!(pipeline.invariant(Vec::new()), Some(vec![2, 1]));
}
