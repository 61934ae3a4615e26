//! Random controllers over floats of six bits, whose states are all visited: rounding, signed zeros,
//! infinities and NaN decide much there.

use super::configurations::agree;
use kit::automata::Automaton;
use program::cfa::Command::{self, Assign, Assume, Choice, Sequence};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use term::value::all_values;
use term::{Op, Sort, Term};
use value::{Format, Rounding};

struct Generator {
    random: StdRng,
    automaton: Automaton,
    sort: Sort,
    floats: Vec<Term>,
    word: Term,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let random = StdRng::seed_from_u64(seed);
        let mut automaton = Automaton::default();
        let sort = Sort::Float(Format::new(3, 3).expect("a format"));
        let floats = ["x", "y"].map(|name| automaton.variable(name, sort)).to_vec();
        let word = automaton.variable("n", Sort::BitVec(2));
        Generator { random, automaton, sort, floats, word }
    }

    fn variable(&mut self) -> Term {
        *self.floats.choose(&mut self.random).expect("there are two")
    }

    fn constant(&mut self) -> Term {
        let values: Vec<_> = all_values(self.sort).collect();
        let value = values.choose(&mut self.random).expect("there are some").clone();
        self.automaton.pool.constant(value)
    }

    fn mode(&mut self) -> Term {
        let mode = *Rounding::ALL.choose(&mut self.random).expect("there are five");
        self.automaton.pool.rounding(mode)
    }

    fn float(&mut self, depth: u32) -> Term {
        let choice = self.random.random_range(0..if depth == 0 { 3 } else { 10 });
        if choice == 0 {
            return self.constant();
        }
        if choice <= 2 {
            return self.variable();
        }
        let (a, b, mode) = (self.float(depth - 1), self.float(depth - 1), self.mode());
        let condition = self.formula();
        let pool = &self.automaton.pool;
        match choice {
            3 | 4 => pool.fp_add(mode, a, b),
            5 => pool.fp_sub(mode, a, b),
            6 => pool.fp_mul(mode, a, b),
            7 => pool.fp_abs(a),
            8 => pool.make(Op::FpRoundToIntegral, &[mode, a]),
            _ => pool.ite(condition, a, b),
        }
    }

    fn formula(&mut self) -> Term {
        let (a, b) = (self.variable(), self.constant());
        let number = self.random.random_range(0..4);
        let pool = &self.automaton.pool;
        match self.random.random_range(0..6) {
            0 => pool.fp_leq(a, b),
            1 => pool.fp_lt(b, a),
            2 => pool.not(pool.fp_leq(b, a)),
            3 => pool.fp_is_nan(a),
            4 => pool.fp_eq(a, b),
            _ => pool.bv_ult(self.word, pool.bv(number, 2)),
        }
    }

    fn command(&mut self) -> Command {
        let target = self.variable();
        match self.random.random_range(0..7) {
            0 => self.automaton.havoc(target),
            1 => {
                let one = self.automaton.pool.bv(1, 2);
                Assign(self.word, self.automaton.pool.bv_add(self.word, one))
            }
            2 => {
                let guard = self.formula();
                let value = self.float(1);
                let otherwise = Assume(self.automaton.pool.not(guard));
                let then = Sequence(vec![Assume(guard), Assign(target, value)]);
                Choice(vec![then, otherwise])
            }
            _ => Assign(target, self.float(2)),
        }
    }

    fn generate(mut self) -> Automaton {
        let [start, head, error] = self.automaton.locations();
        let first: Vec<Term> = self.floats.clone();
        let mut initial: Vec<Command> =
            first.into_iter().map(|variable| Assign(variable, self.constant())).collect();
        initial.push(Assign(self.word, self.automaton.pool.bv(0, 2)));
        self.automaton.edge(start, initial, head);
        for _ in 0..self.random.random_range(1..=2) {
            let guard = Assume(self.formula());
            let mut commands = if self.random.random_bool(0.5) { vec![guard] } else { vec![] };
            commands.extend((0..self.random.random_range(1..=3)).map(|_| self.command()));
            self.automaton.edge(head, commands, head);
        }
        let bad = [self.formula(), self.formula()].map(Assume);
        self.automaton.edge(head, bad.to_vec(), error);
        self.automaton
    }
}

fn small(seed: u64) -> Automaton {
    Generator::new(seed).generate()
}

#[test]
fn on_controllers_of_small_floats() {
    agree(0..5, small);
}

#[test]
#[ignore = "takes minutes: see configurations"]
fn on_many_controllers_of_small_floats() {
    let count = std::env::var("AUTOMATA").ok().and_then(|n| n.parse().ok()).unwrap_or(500);
    agree(1000..1000 + count, small);
}
