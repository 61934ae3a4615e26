//! Random machines: a loop over a mode, counters and a flag, whose rounds are guarded by the mode.
//! Searches are longer here than on automata without any shape, and the
//! states are still few enough to visit.

use crate::kit::{Builder, configurations};
use program::cfa::Command;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use term::{Sort, Term};

struct Machine {
    random: StdRng,
    builder: Builder,
    mode: Term,
    counters: Vec<Term>,
    flag: Term,
}

const WIDTH: u32 = 3;

impl Machine {
    fn new(seed: u64) -> Machine {
        let random = StdRng::seed_from_u64(seed);
        let mut builder = Builder::default();
        let mode = builder.variable("mode", Sort::BitVec(2));
        let counters = ["x", "y"].map(|name| builder.variable(name, Sort::BitVec(WIDTH))).to_vec();
        let flag = builder.variable("flag", Sort::Bool);
        Machine { random, builder, mode, counters, flag }
    }

    fn number(&mut self) -> Term {
        let n = self.random.random_range(0..1u64 << WIDTH);
        self.builder.pool.bv(n, WIDTH)
    }

    fn counter(&mut self) -> Term {
        *self.counters.choose(&mut self.random).expect("there are two")
    }

    fn in_mode(&mut self, mode: u64) -> Term {
        self.builder.pool.eq(self.mode, self.builder.pool.bv(mode, 2))
    }

    fn guard(&mut self) -> Term {
        let (a, number) = (self.counter(), self.number());
        let b = if self.random.random_bool(0.5) { self.counter() } else { number };
        let (choice, pool) = (self.random.random_range(0..6), &self.builder.pool);
        match choice {
            0 => pool.eq(a, b),
            1 => pool.ne(a, b),
            2 => pool.bv_ult(a, b),
            3 => pool.bv_ule(a, b),
            4 => self.flag,
            _ => pool.not(self.flag),
        }
    }

    fn step(&mut self) -> Command {
        let (counter, other) = (self.counter(), self.counter());
        let number = self.number();
        match self.random.random_range(0..7) {
            0 => Command::Assign(counter, number),
            1 => Command::Assign(counter, self.builder.pool.bv_add(counter, other)),
            2 => Command::Assign(self.flag, self.builder.pool.bv_ult(counter, other)),
            3 => self.builder.havoc(counter),
            _ => {
                let one = self.builder.pool.bv(1, WIDTH);
                Command::Assign(counter, self.builder.pool.bv_add(counter, one))
            }
        }
    }

    fn automaton(mut self) -> Builder {
        let [start, head, body, error] = self.builder.locations();
        let zero = self.builder.pool.bv(0, WIDTH);
        let mut first = vec![
            Command::Assign(self.mode, self.builder.pool.bv(0, 2)),
            Command::Assign(self.flag, self.builder.pool.fls()),
        ];
        first.extend(self.counters.iter().map(|counter| Command::Assign(*counter, zero)));
        self.builder.edge(start, first, head);
        for mode in 0..4 {
            for _ in 0..self.random.random_range(1..=3) {
                let (here, guard) = (self.in_mode(mode), self.guard());
                let next = self.random.random_range(0..4);
                let next = Command::Assign(self.mode, self.builder.pool.bv(next, 2));
                let commands = vec![
                    Command::Assume(here),
                    Command::Assume(guard),
                    self.step(),
                    self.step(),
                    next,
                ];
                let to = if self.random.random_bool(0.3) { body } else { head };
                self.builder.edge(head, commands, to);
            }
        }
        let (guard, step) = (self.guard(), self.step());
        self.builder.edge(body, vec![Command::Assume(guard), step], head);
        let last = self.in_mode(3);
        let bad = vec![Command::Assume(last), Command::Assume(self.guard())];
        self.builder.edge(head, bad, error);
        self.builder
    }
}

#[test]
fn verdicts_agree_with_exploration() {
    let (mut safe, mut refuted) = (0, 0);
    for seed in 0..25 {
        let builder = Machine::new(seed).automaton();
        let expected = !builder.is_unsafe();
        for (name, options) in configurations() {
            let verdict = builder.check(&options);
            let answer = builder.examine(&verdict);
            assert_eq!(answer, Some(expected), "seed {seed}, configuration {name}: {verdict:?}");
        }
        if expected { safe += 1 } else { refuted += 1 }
    }
    assert!(safe > 3 && refuted > 3, "{safe} safe, {refuted} unsafe");
}
