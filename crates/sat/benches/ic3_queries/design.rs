//! Sequential circuits to ask questions about: and-inverter logic over latches and inputs.
//!
//! Three shapes, all generated from a seed: random logic with locality, small machines such as
//! counters, shift registers, queues and arbiters composed into one design, and a datapath of
//! adders and comparators.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use sat::{Lit, Solver, Var};
use std::collections::HashMap;

/// A circuit. Variable 0 is the constant false; all latches start at 0.
pub struct Design {
    /// The number of variables.
    pub vars: usize,
    /// The conjunctions in topological order.
    pub gates: Vec<(Var, Lit, Lit)>,
    /// The latches.
    pub latches: Vec<Var>,
    /// The inputs.
    pub inputs: Vec<Var>,
    /// The latches' next values.
    pub next: Vec<Lit>,
    /// What always holds.
    pub constraints: Vec<Lit>,
    /// Properties to decide, as literals that are true in bad states.
    pub bad: Vec<Lit>,
    shared: HashMap<(Lit, Lit), Lit>,
}

impl Default for Design {
    fn default() -> Self {
        Design {
            vars: 1,
            gates: Vec::new(),
            latches: Vec::new(),
            inputs: Vec::new(),
            next: Vec::new(),
            constraints: Vec::new(),
            bad: Vec::new(),
            shared: HashMap::new(),
        }
    }
}

impl Design {
    /// The constant.
    pub fn constant(value: bool) -> Lit {
        Var::new(0).lit(value)
    }

    fn new_var(&mut self) -> Var {
        self.vars += 1;
        Var::new(self.vars - 1)
    }

    /// A new input.
    pub fn input(&mut self) -> Lit {
        let var = self.new_var();
        self.inputs.push(var);
        var.pos()
    }

    /// A new latch, which keeps its value until [`Design::set_next`].
    pub fn latch(&mut self) -> Lit {
        let var = self.new_var();
        self.latches.push(var);
        self.next.push(var.pos());
        var.pos()
    }

    /// Sets a latch's next value.
    pub fn set_next(&mut self, latch: Lit, next: Lit) {
        let at = self.latches.iter().position(|&l| l == latch.var()).expect("a latch");
        self.next[at] = next;
    }

    /// a ∧ b
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Self::constant(false) || a == !b {
            return Self::constant(false);
        }
        if a == Self::constant(true) || a == b {
            return b;
        }
        if let Some(&known) = self.shared.get(&(a, b)) {
            return known;
        }
        let out = self.new_var();
        self.gates.push((out, a, b));
        self.shared.insert((a, b), out.pos());
        out.pos()
    }

    /// a ∨ b
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// a ⊕ b
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (left, right) = (self.and(a, !b), self.and(!a, b));
        self.or(left, right)
    }

    /// condition ? a : b
    pub fn mux(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        let (left, right) = (self.and(condition, a), self.and(!condition, b));
        self.or(left, right)
    }

    /// Gives a solver the variables and the gates.
    pub fn add_to(&self, solver: &mut dyn Solver) {
        for _ in 0..self.vars {
            solver.new_var();
        }
        let constant = Self::constant(true);
        solver.add_definition(constant.var(), &[], &[&[!constant][..]]);
        for &(out, a, b) in &self.gates {
            let o = out.pos();
            let clauses: [&[Lit]; 3] = [&[!o, a], &[!o, b], &[o, !a, !b]];
            solver.add_definition(out, &[a.var(), b.var()], &clauses);
        }
    }
}

/// Random logic: gates prefer operands that are near.
pub fn random_logic(seed: u64) -> Design {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut d = Design::default();
    let latches: Vec<Lit> = (0..500).map(|_| d.latch()).collect();
    let inputs: Vec<Lit> = (0..100).map(|_| d.input()).collect();
    for (i, &latch) in latches.iter().enumerate() {
        // Each latch's next value is a small function of its neighbourhood.
        let mut pool: Vec<Lit> = (0..10)
            .map(|_| latches[(i + latches.len() + rng.random_range(0..24) - 12) % latches.len()])
            .collect();
        pool.extend((0..3).map(|_| *inputs.choose(&mut rng).expect("there are inputs")));
        for _ in 0..rng.random_range(4..16) {
            let a = pool.choose(&mut rng).expect("not empty").xor(rng.random());
            let b = pool[pool.len().saturating_sub(7)..].choose(&mut rng).expect("not empty");
            let gate = match rng.random_range(0..4) {
                0 => d.xor(a, b.xor(rng.random())),
                1 => d.mux(pool[0], a, b.xor(rng.random())),
                _ => d.and(a, b.xor(rng.random())),
            };
            pool.push(gate);
        }
        let next = pool[pool.len() - 1].xor(rng.random_bool(0.1));
        d.set_next(latch, next);
    }
    random_targets(&mut d, &latches, &mut rng, 3);
    d
}

/// Conjunctions of `width` random latch literals as properties.
fn random_targets(d: &mut Design, latches: &[Lit], rng: &mut StdRng, width: usize) {
    for _ in 0..400 {
        let at = rng.random_range(0..latches.len());
        let mut bad = Design::constant(true);
        for _ in 0..width {
            let near = (at + rng.random_range(0..20)) % latches.len();
            let literal = latches[near].xor(rng.random_bool(0.3));
            bad = d.and(bad, literal);
        }
        d.bad.push(bad);
    }
}

/// Counters, shift registers, queues and arbiters that drive each other.
pub fn machines(seed: u64) -> Design {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut d = Design::default();
    let mut events: Vec<Lit> = (0..40).map(|_| d.input()).collect();
    while d.latches.len() < 700 {
        let a = events.choose(&mut rng).expect("not empty").xor(rng.random());
        let b = events.choose(&mut rng).expect("not empty").xor(rng.random());
        let event = match rng.random_range(0..4) {
            0 => counter(&mut d, a, b, rng.random_range(4..10), &mut rng),
            1 => shift_register(&mut d, a, b, rng.random_range(4..12)),
            2 => queue(&mut d, a, b, rng.random_range(2..5)),
            _ => arbiter(&mut d, &mut events, rng.random_range(3..7), &mut rng),
        };
        events.push(event);
    }
    let latches: Vec<Lit> = d.latches.iter().map(|l| l.pos()).collect();
    random_targets(&mut d, &latches, &mut rng, 3);
    // Properties by construction and random ones take turns.
    let half = d.bad.len() / 2;
    for i in 0..half {
        d.bad.swap(i, half + i);
    }
    d
}

/// Counts where `enable`, to zero where `clear`; saturates at a bound that is never exceeded.
fn counter(d: &mut Design, enable: Lit, clear: Lit, width: usize, rng: &mut StdRng) -> Lit {
    let bits: Vec<Lit> = (0..width).map(|_| d.latch()).collect();
    let bound = rng.random_range(1u32 << (width - 2)..1 << (width - 1));
    let mut at_bound = Design::constant(true);
    let mut beyond = Design::constant(false);
    for (i, &bit) in bits.iter().enumerate() {
        let set = bound >> i & 1 == 1;
        at_bound = d.and(at_bound, bit.xor(!set));
        // beyond: bits > bound, from the least significant bit on
        beyond = if set { d.and(bit, beyond) } else { d.or(bit, beyond) };
    }
    let step = d.and(enable, !at_bound);
    let mut carry = step;
    for &bit in &bits {
        let sum = d.xor(bit, carry);
        carry = d.and(bit, carry);
        let next = d.and(sum, !clear);
        d.set_next(bit, next);
    }
    d.bad.push(beyond);
    at_bound
}

/// Shifts `input` where `enable`.
fn shift_register(d: &mut Design, input: Lit, enable: Lit, width: usize) -> Lit {
    let mut previous = input;
    let mut both = Design::constant(true);
    for _ in 0..width {
        let bit = d.latch();
        let next = d.mux(enable, previous, bit);
        d.set_next(bit, next);
        both = d.and(both, bit);
        previous = bit;
    }
    both
}

/// A queue's pointers and its fill count, which must stay consistent.
fn queue(d: &mut Design, push: Lit, pop: Lit, width: usize) -> Lit {
    let head: Vec<Lit> = (0..width).map(|_| d.latch()).collect();
    let tail: Vec<Lit> = (0..width).map(|_| d.latch()).collect();
    let count: Vec<Lit> = (0..=width).map(|_| d.latch()).collect();
    let full = count[width];
    let mut empty = Design::constant(true);
    for &bit in &count {
        empty = d.and(empty, !bit);
    }
    let (push, pop) = (d.and(push, !full), d.and(pop, !empty));
    increment(d, &tail, push);
    increment(d, &head, pop);
    let (up, down) = (d.and(push, !pop), d.and(pop, !push));
    let (mut carry, mut borrow) = (up, down);
    for &bit in &count {
        let changed = d.or(carry, borrow);
        let next = d.xor(bit, changed);
        (carry, borrow) = (d.and(bit, carry), d.and(!bit, borrow));
        d.set_next(bit, next);
    }
    // Full and a count beyond the capacity.
    let mut beyond = Design::constant(false);
    for &bit in &count[..width] {
        beyond = d.or(beyond, bit);
    }
    let beyond = d.and(beyond, full);
    d.bad.push(beyond);
    // Empty though the pointers differ.
    let differ = d.xor(head[0], tail[0]);
    let wrong = d.and(empty, differ);
    d.bad.push(wrong);
    full
}

fn increment(d: &mut Design, bits: &[Lit], enable: Lit) {
    let mut carry = enable;
    for &bit in bits {
        let next = d.xor(bit, carry);
        carry = d.and(bit, carry);
        d.set_next(bit, next);
    }
}

/// Grants one of several requests with a rotating token.
fn arbiter(d: &mut Design, events: &mut Vec<Lit>, width: usize, rng: &mut StdRng) -> Lit {
    let tokens: Vec<Lit> = (0..width).map(|_| d.latch()).collect();
    let grants: Vec<Lit> = (0..width).map(|_| d.latch()).collect();
    let started = d.latch();
    d.set_next(started, Design::constant(true));
    let mut idle = Design::constant(true);
    for &grant in &grants {
        idle = d.and(idle, !grant);
    }
    let advance = d.or(idle, !started);
    for i in 0..width {
        let request = events.choose(rng).expect("not empty").xor(rng.random());
        let rotated = tokens[(i + width - 1) % width];
        let moved = d.mux(started, rotated, if i == 0 { !started } else { started });
        let moved = d.and(moved, if i == 0 { Design::constant(true) } else { started });
        let next = d.mux(advance, moved, tokens[i]);
        d.set_next(tokens[i], next);
        let granted = d.and(tokens[i], request);
        d.set_next(grants[i], granted);
        events.push(grants[i]);
    }
    for i in 1..width {
        let two_tokens = d.and(tokens[i - 1], tokens[i]);
        d.bad.push(two_tokens);
        let two_grants = d.and(grants[0], grants[i]);
        d.bad.push(two_grants);
    }
    idle
}

/// Registers connected by adders, comparators and multiplexers.
pub fn datapath(seed: u64) -> Design {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut d = Design::default();
    const WIDTH: usize = 8;
    let word = |d: &mut Design, latch: bool| -> Vec<Lit> {
        (0..WIDTH).map(|_| if latch { d.latch() } else { d.input() }).collect()
    };
    let registers: Vec<Vec<Lit>> = (0..36).map(|_| word(&mut d, true)).collect();
    let flags: Vec<Lit> = (0..40).map(|_| d.latch()).collect();
    let inputs: Vec<Vec<Lit>> = (0..4).map(|_| word(&mut d, false)).collect();
    let modes: Vec<Lit> = (0..16).map(|_| d.input()).collect();
    for i in 0..registers.len() {
        let near = |rng: &mut StdRng| (i + rng.random_range(1..4)) % registers.len();
        let a = registers[near(&mut rng)].clone();
        let b = if rng.random_bool(0.2) {
            inputs.choose(&mut rng).expect("not empty").clone()
        } else {
            registers[near(&mut rng)].clone()
        };
        let flag = *flags.choose(&mut rng).expect("not empty");
        let mode = *modes.choose(&mut rng).expect("not empty");
        let load = d.and(flag, mode);
        let mut carry = Design::constant(false);
        for bit in 0..WIDTH {
            let half = d.xor(a[bit], b[bit]);
            let sum = d.xor(half, carry);
            let (generated, passed) = (d.and(a[bit], b[bit]), d.and(half, carry));
            carry = d.or(generated, passed);
            let next = d.mux(load, sum, registers[i][bit]);
            d.set_next(registers[i][bit], next);
        }
    }
    for &flag in &flags {
        let a = registers.choose(&mut rng).expect("not empty").clone();
        let b = registers.choose(&mut rng).expect("not empty").clone();
        let mut less = Design::constant(false);
        for bit in 0..WIDTH {
            let differ = d.xor(a[bit], b[bit]);
            less = d.mux(differ, b[bit], less);
        }
        let mode = modes.choose(&mut rng).expect("not empty").xor(rng.random());
        let next = d.or(less, mode);
        d.set_next(flag, next);
    }
    let latches: Vec<Lit> = d.latches.iter().map(|l| l.pos()).collect();
    random_targets(&mut d, &latches, &mut rng, 4);
    d
}
