//! Random automata against exploration state by state.

use crate::kit::{Builder, configurations, examine, is_unsafe};
use ic3cfa::Statistics;
use program::cfa::{Command, LocationId};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::time::Duration;
use term::{Sort, Term};

struct Generator {
    random: StdRng,
    builder: Builder,
    words: Vec<Term>,
    flags: Vec<Term>,
    width: u32,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let mut builder = Builder::default();
        let width = random.random_range(2..=3);
        let count = random.random_range(1..=2);
        let words =
            (0..count).map(|i| builder.variable(&format!("x{i}"), Sort::BitVec(width))).collect();
        let flags = (0..random.random_range(0..=1))
            .map(|i| builder.variable(&format!("b{i}"), Sort::Bool))
            .collect();
        Generator { random, builder, words, flags, width }
    }

    fn word(&mut self, depth: u32) -> Term {
        let choice = if depth == 0 {
            self.random.random_range(0..2)
        } else {
            self.random.random_range(0..9)
        };
        if choice == 0 {
            let n = self.random.random_range(0..1u64 << self.width);
            return self.builder.pool.bv(n, self.width);
        }
        if choice == 1 {
            return *self.words.choose(&mut self.random).expect("some words");
        }
        let (a, b) = (self.word(depth - 1), self.word(depth - 1));
        let condition = if choice == 8 { Some(self.formula(depth - 1)) } else { None };
        let pool = &self.builder.pool;
        match choice {
            2 | 3 => pool.bv_add(a, b),
            4 => pool.bv_sub(a, b),
            5 => pool.bv_mul(a, b),
            6 => pool.bv_urem(a, b),
            7 => pool.bv_and(a, b),
            _ => pool.ite(condition.expect("made above"), a, b),
        }
    }

    fn formula(&mut self, depth: u32) -> Term {
        let choice = self.random.random_range(0..8);
        if choice == 7 && !self.flags.is_empty() {
            return *self.flags.choose(&mut self.random).expect("some flags");
        }
        if choice >= 5 && depth > 0 {
            let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
            let pool = &self.builder.pool;
            return if choice == 5 { pool.or([a, b]) } else { pool.and([a, b]) };
        }
        let (a, b) = (self.word(1), self.word(1));
        let pool = &self.builder.pool;
        match choice {
            0 => pool.eq(a, b),
            1 => pool.ne(a, b),
            2 => pool.bv_slt(a, b),
            3 => pool.bv_ule(a, b),
            _ => pool.bv_ult(a, b),
        }
    }

    fn command(&mut self, depth: u32) -> Command {
        match self.random.random_range(0..if depth == 0 { 7 } else { 10 }) {
            0..2 => Command::Assume(self.formula(1)),
            2..5 => {
                let variable = *self.words.choose(&mut self.random).expect("some words");
                Command::Assign(variable, self.word(2))
            }
            5 if !self.flags.is_empty() => {
                let flag = *self.flags.choose(&mut self.random).expect("some flags");
                Command::Assign(flag, self.formula(1))
            }
            5 | 6 => {
                let variable = *self.words.choose(&mut self.random).expect("some words");
                self.builder.havoc(variable)
            }
            7 => {
                let count = self.random.random_range(0..4);
                Command::Sequence((0..count).map(|_| self.command(depth - 1)).collect())
            }
            _ => {
                let count = self.random.random_range(1..4);
                Command::Choice((0..count).map(|_| self.command(depth - 1)).collect())
            }
        }
    }

    fn automaton(mut self) -> Builder {
        let count = self.random.random_range(2..=5);
        let locations: Vec<LocationId> = (0..count).map(|_| self.builder.location()).collect();
        self.builder.cfa.initial = Some(locations[0]);
        self.builder.cfa.error = Some(locations[count - 1]);
        for _ in 0..self.random.random_range(count..=2 * count) {
            let from = *locations[..count - 1].choose(&mut self.random).expect("some");
            let to = *locations.choose(&mut self.random).expect("some");
            let commands = (0..self.random.random_range(1..=4)).map(|_| self.command(2)).collect();
            self.builder.edge(from, commands, to);
        }
        self.builder
    }
}

#[test]
fn verdicts_agree_with_exploration() {
    let (mut safe, mut refuted, mut unknown) = (0, 0, 0);
    for seed in 0..150 {
        let builder = Generator::new(seed).automaton();
        let expected = !is_unsafe(&builder.pool, &builder.cfa);
        for (name, options) in configurations() {
            let verdict = builder.check(&options);
            match examine(&builder.pool, &builder.cfa, &verdict) {
                Some(answer) => assert_eq!(answer, expected, "seed {seed}, configuration {name}"),
                None => {
                    unknown += 1;
                    println!("seed {seed}, configuration {name}: {verdict:?}");
                }
            }
        }
        if expected { safe += 1 } else { refuted += 1 }
    }
    assert!(safe > 20 && refuted > 20, "{safe} safe, {refuted} unsafe");
    assert_eq!(unknown, 0);
}

/// The baselines too: IC3-SMT and Tree-IC3.
#[test]
fn verdicts_of_baselines_agree_with_exploration() {
    let mut unknown = 0;
    for seed in 0..400 {
        let builder = Generator::new(seed).automaton();
        let (pool, cfa) = (&builder.pool, &builder.cfa);
        let expected = !is_unsafe(pool, cfa);
        let allowance = &smt::Allowance::default().within(Duration::from_secs(60));
        let verdicts = [
            ("ic3smt", ic3cfa::ic3smt::check(pool, cfa, &smt::Standard, allowance, &mut ())),
            ("treeic3", ic3cfa::treeic3::check(pool, cfa, &smt::Standard, allowance, &mut ())),
        ];
        for (name, verdict) in verdicts {
            match examine(pool, cfa, &verdict) {
                Some(answer) => assert_eq!(answer, expected, "seed {seed}, {name}"),
                None => {
                    unknown += 1;
                    println!("seed {seed}, {name}: {verdict:?}");
                }
            }
        }
    }
    assert_eq!(unknown, 0);
}

/// What a run does depends on nothing but the automaton and the options.
#[test]
fn runs_repeat() {
    let numbers = |seed: u64, options: &ic3cfa::Options| {
        let builder = Generator::new(seed).automaton();
        let mut statistics = Statistics::default();
        let verdict = builder.check_watched(options, &mut statistics);
        let lemmas::Statistics {
            frames, lemmas, literals, obligations, queries, shortcuts, ..
        } = statistics.search;
        let counts = (frames, lemmas, literals, obligations, queries, shortcuts);
        (format!("{verdict:?}"), counts, statistics.techniques)
    };
    for seed in 0..40 {
        for (name, options) in configurations() {
            let first = numbers(seed, &options);
            assert_eq!(first, numbers(seed, &options), "seed {seed}, configuration {name}");
        }
    }
}
