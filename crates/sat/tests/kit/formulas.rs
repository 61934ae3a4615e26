//! Families of formulas for the tests: random, pigeonhole, circuits, unrollings.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::index::sample;
use sat::{Lit, Solver, Var};

/// A formula in conjunctive normal form.
#[derive(Clone, Default, Debug)]
pub struct Cnf {
    /// The number of variables.
    pub vars: usize,
    /// The clauses.
    pub clauses: Vec<Vec<Lit>>,
}

impl Cnf {
    /// A new variable.
    pub fn var(&mut self) -> Lit {
        self.vars += 1;
        Var::new(self.vars - 1).pos()
    }

    /// Adds a clause.
    pub fn add(&mut self, clause: &[Lit]) {
        self.clauses.push(clause.to_vec());
    }

    /// A new variable equal to `a ∧ b`.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let out = self.var();
        self.add(&[!out, a]);
        self.add(&[!out, b]);
        self.add(&[out, !a, !b]);
        out
    }

    /// A new variable equal to `a ⊕ b`.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let out = self.var();
        self.add(&[!out, a, b]);
        self.add(&[!out, !a, !b]);
        self.add(&[out, !a, b]);
        self.add(&[out, a, !b]);
        out
    }

    /// A new variable equal to `a ∨ b`.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Makes the variables and adds the clauses; the solver must have no variables yet.
    pub fn add_to<S: Solver + ?Sized>(&self, solver: &mut S) {
        assert_eq!(solver.var_count(), 0);
        for _ in 0..self.vars {
            solver.new_var();
        }
        for clause in &self.clauses {
            solver.add_clause(clause);
        }
    }
}

/// `pigeons` pigeons in `holes` holes, one per hole; pigeon `p` in hole `h` is variable
/// `p · holes + h`.
pub fn pigeonhole(pigeons: usize, holes: usize) -> Cnf {
    let sits = |pigeon: usize, hole: usize| Var::new(pigeon * holes + hole).pos();
    let mut cnf = Cnf { vars: pigeons * holes, clauses: Vec::new() };
    for pigeon in 0..pigeons {
        cnf.clauses.push((0..holes).map(|hole| sits(pigeon, hole)).collect());
    }
    for hole in 0..holes {
        for first in 0..pigeons {
            for second in first + 1..pigeons {
                cnf.add(&[!sits(first, hole), !sits(second, hole)]);
            }
        }
    }
    cnf
}

/// `count` random clauses of `len` distinct variables out of `vars`.
pub fn random_cnf(rng: &mut StdRng, vars: usize, count: usize, len: usize) -> Cnf {
    let clauses = (0..count)
        .map(|_| {
            sample(rng, vars, len.min(vars))
                .into_iter()
                .map(|var| Var::new(var).lit(rng.random()))
                .collect()
        })
        .collect();
    Cnf { vars, clauses }
}

/// A formula whose clauses are labelled with the part they belong to.
#[derive(Clone, Default, Debug)]
pub struct Parted {
    /// The formula.
    pub cnf: Cnf,
    /// The part of each clause.
    pub parts: Vec<u32>,
}

impl Parted {
    /// The formula with every clause in a random one of `parts` parts.
    pub fn randomly(rng: &mut StdRng, cnf: Cnf, parts: u32) -> Self {
        let labels = cnf.clauses.iter().map(|_| rng.random_range(0..parts));
        Parted { parts: labels.collect(), cnf }
    }

    /// Labels all clauses that have no label yet.
    pub fn close_part(&mut self, part: u32) {
        self.parts.resize(self.cnf.clauses.len(), part);
    }

    /// The clauses with their labels.
    pub fn clauses(&self) -> impl Iterator<Item = (u32, &[Lit])> {
        self.parts.iter().copied().zip(self.cnf.clauses.iter().map(Vec::as_slice))
    }
}

/// Random clauses over variables that lie on a line, each clause within a short stretch of it;
/// the parts are consecutive stretches, so that neighbours share few variables.
pub fn random_stretches(rng: &mut StdRng, vars: usize, count: usize, parts: u32) -> Parted {
    let width = 12.min(vars);
    let mut parted = Parted::default();
    parted.cnf.vars = vars;
    for _ in 0..count {
        let start = rng.random_range(0..=vars - width);
        let clause = sample(rng, width, 3)
            .into_iter()
            .map(|offset| Var::new(start + offset).lit(rng.random()))
            .collect();
        parted.cnf.clauses.push(clause);
        parted.parts.push((start * parts as usize / vars) as u32);
    }
    parted
}

/// Two circuits for the same random function over the same inputs, one per part, and the claim
/// that they differ, in part 1. Unsatisfiable.
pub fn random_miter(rng: &mut StdRng, inputs: usize, gates: usize) -> Parted {
    let mut parted = Parted::default();
    let inputs: Vec<Lit> = (0..inputs).map(|_| parted.cnf.var()).collect();
    let recipe: Vec<(usize, usize, bool, bool, bool)> = (0..gates)
        .map(|gate| {
            let mut pick = || rng.random_range(0..inputs.len() + gate);
            (pick(), pick(), rng.random(), rng.random(), rng.random())
        })
        .collect();
    let mut first = inputs.clone();
    for &(a, b, flip_a, flip_b, exclusive) in &recipe {
        let (a, b) = (first[a].xor(flip_a), first[b].xor(flip_b));
        let out = if exclusive { parted.cnf.xor(a, b) } else { parted.cnf.and(a, b) };
        first.push(out);
    }
    parted.close_part(0);
    let mut second = inputs;
    for &(a, b, flip_a, flip_b, exclusive) in &recipe {
        let (a, b) = (second[a].xor(flip_a), second[b].xor(flip_b));
        let out = if exclusive {
            let (left, right) = (parted.cnf.and(a, !b), parted.cnf.and(!a, b));
            parted.cnf.or(left, right)
        } else {
            !parted.cnf.or(!b, !a)
        };
        second.push(out);
    }
    let difference = parted.cnf.xor(first[first.len() - 1], second[second.len() - 1]);
    parted.cnf.add(&[difference]);
    parted.close_part(1);
    parted
}

/// A counter of `bits` bits that starts at zero and may count up by one in each of `steps`
/// steps, and the claim that it passes `steps`. Unsatisfiable. One part per time frame: the
/// initial state in part 0, step `i` in part `i`, the claim in the last.
pub fn counter(bits: usize, steps: usize) -> Parted {
    assert!(steps + 1 < 1 << bits);
    let mut parted = Parted::default();
    let mut state: Vec<Lit> = (0..bits).map(|_| parted.cnf.var()).collect();
    for &bit in &state {
        parted.cnf.add(&[!bit]);
    }
    parted.close_part(0);
    for step in 0..steps {
        let mut carry = parted.cnf.var();
        let mut next = Vec::new();
        for &bit in &state {
            next.push(parted.cnf.xor(bit, carry));
            carry = parted.cnf.and(bit, carry);
        }
        state = next;
        parted.close_part(step as u32 + 1);
    }
    // The state equals steps + 1.
    for (index, &bit) in state.iter().enumerate() {
        parted.cnf.add(&[bit.xor((steps + 1) >> index & 1 == 0)]);
    }
    parted.close_part(steps as u32 + 1);
    parted
}

/// The pigeonhole formula with the clauses of each pigeon in a part of its own, and the clauses
/// of each hole in the part of one of its pigeons.
pub fn parted_pigeonhole(rng: &mut StdRng, pigeons: usize, holes: usize) -> Parted {
    let cnf = pigeonhole(pigeons, holes);
    let pigeon_of = |lit: Lit| (lit.var().index() / holes) as u32;
    let parts = cnf
        .clauses
        .iter()
        .map(|clause| pigeon_of(clause[rng.random_range(0..clause.len())]))
        .collect();
    Parted { cnf, parts }
}
