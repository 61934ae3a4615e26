//! Machines: a loop over a mode, counters and a flag, whose rounds are guarded by the mode. Searches are
//! longer here than on automata without any shape, so that every technique gets to work, and the
//! states are still few enough to visit.

use super::Automaton;
use program::cfa::Command;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use term::{Sort, Term};

/// A random machine.
pub fn machine(seed: u64) -> Automaton {
    Machine::new(seed).generate()
}

struct Machine {
    random: StdRng,
    automaton: Automaton,
    mode: Term,
    counters: Vec<Term>,
    flag: Term,
}

const WIDTH: u32 = 3;

impl Machine {
    fn new(seed: u64) -> Machine {
        let random = StdRng::seed_from_u64(seed);
        let mut automaton = Automaton::default();
        let mode = automaton.variable("mode", Sort::BitVec(2));
        let counters =
            ["x", "y"].map(|name| automaton.variable(name, Sort::BitVec(WIDTH))).to_vec();
        let flag = automaton.variable("flag", Sort::Bool);
        Machine { random, automaton, mode, counters, flag }
    }

    fn number(&mut self) -> Term {
        let n = self.random.random_range(0..1u64 << WIDTH);
        self.automaton.pool.bv(n, WIDTH)
    }

    fn counter(&mut self) -> Term {
        *self.counters.choose(&mut self.random).expect("there are two")
    }

    fn in_mode(&mut self, mode: u64) -> Term {
        self.automaton.pool.eq(self.mode, self.automaton.pool.bv(mode, 2))
    }

    fn guard(&mut self) -> Term {
        let (a, number) = (self.counter(), self.number());
        let b = if self.random.random_bool(0.5) { self.counter() } else { number };
        let (choice, pool) = (self.random.random_range(0..6), &self.automaton.pool);
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
            1 => Command::Assign(counter, self.automaton.pool.bv_add(counter, other)),
            2 => Command::Assign(self.flag, self.automaton.pool.bv_ult(counter, other)),
            3 => self.automaton.havoc(counter),
            _ => {
                let one = self.automaton.pool.bv(1, WIDTH);
                Command::Assign(counter, self.automaton.pool.bv_add(counter, one))
            }
        }
    }

    fn generate(mut self) -> Automaton {
        let [start, head, body, error] = self.automaton.locations();
        let zero = self.automaton.pool.bv(0, WIDTH);
        let mut first = vec![
            Command::Assign(self.mode, self.automaton.pool.bv(0, 2)),
            Command::Assign(self.flag, self.automaton.pool.fls()),
        ];
        first.extend(self.counters.iter().map(|counter| Command::Assign(*counter, zero)));
        self.automaton.edge(start, first, head);
        for mode in 0..4 {
            for _ in 0..self.random.random_range(1..=3) {
                let (here, guard) = (self.in_mode(mode), self.guard());
                let next = self.random.random_range(0..4);
                let next = Command::Assign(self.mode, self.automaton.pool.bv(next, 2));
                let commands = vec![
                    Command::Assume(here),
                    Command::Assume(guard),
                    self.step(),
                    self.step(),
                    next,
                ];
                let to = if self.random.random_bool(0.3) { body } else { head };
                self.automaton.edge(head, commands, to);
            }
        }
        let (guard, step) = (self.guard(), self.step());
        self.automaton.edge(body, vec![Command::Assume(guard), step], head);
        let last = self.in_mode(3);
        let bad = vec![Command::Assume(last), Command::Assume(self.guard())];
        self.automaton.edge(head, bad, error);
        self.automaton
    }
}
