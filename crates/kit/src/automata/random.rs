//! Automata without any shape: few locations, and any commands between them.

use super::Automaton;
use program::cfa::{Command, LocationId};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use term::{Sort, Term};

/// A random automaton over one or two words of two or three bits, and perhaps a flag.
pub fn random(seed: u64) -> Automaton {
    Generator::new(seed).generate()
}

struct Generator {
    random: StdRng,
    automaton: Automaton,
    words: Vec<Term>,
    flags: Vec<Term>,
    width: u32,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let mut automaton = Automaton::default();
        let width = random.random_range(2..=3);
        let count = random.random_range(1..=2);
        let words =
            (0..count).map(|i| automaton.variable(&format!("x{i}"), Sort::BitVec(width))).collect();
        let flags = (0..random.random_range(0..=1))
            .map(|i| automaton.variable(&format!("b{i}"), Sort::Bool))
            .collect();
        Generator { random, automaton, words, flags, width }
    }

    fn word(&mut self, depth: u32) -> Term {
        let choice = if depth == 0 {
            self.random.random_range(0..2)
        } else {
            self.random.random_range(0..9)
        };
        if choice == 0 {
            let n = self.random.random_range(0..1u64 << self.width);
            return self.automaton.pool.bv(n, self.width);
        }
        if choice == 1 {
            return *self.words.choose(&mut self.random).expect("some words");
        }
        let (a, b) = (self.word(depth - 1), self.word(depth - 1));
        let condition = if choice == 8 { Some(self.formula(depth - 1)) } else { None };
        let pool = &self.automaton.pool;
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
            let pool = &self.automaton.pool;
            return if choice == 5 { pool.or([a, b]) } else { pool.and([a, b]) };
        }
        let (a, b) = (self.word(1), self.word(1));
        let pool = &self.automaton.pool;
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
                self.automaton.havoc(variable)
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

    fn generate(mut self) -> Automaton {
        let count = self.random.random_range(2..=5);
        let locations: Vec<LocationId> = (0..count).map(|_| self.automaton.location()).collect();
        self.automaton.cfa.initial = Some(locations[0]);
        self.automaton.cfa.error = Some(locations[count - 1]);
        for _ in 0..self.random.random_range(count..=2 * count) {
            let from = *locations[..count - 1].choose(&mut self.random).expect("some");
            let to = *locations.choose(&mut self.random).expect("some");
            let commands = (0..self.random.random_range(1..=4)).map(|_| self.command(2)).collect();
            self.automaton.edge(from, commands, to);
        }
        self.automaton
    }
}
