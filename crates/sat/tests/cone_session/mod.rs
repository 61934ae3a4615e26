//! A session with the cone solver in which everything it says is checked.
//!
//! Each question is also asked CaDiCaL. Models are completed through the definitions and must
//! then satisfy every clause. Cores must be refutable by CaDiCaL alone. Each derived clause must
//! follow by reverse unit propagation.

// Each test file compiles this for itself and need not use all of it.
#![allow(dead_code)]

pub mod rup;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rup::RupChecker;
use sat::cadical::{Cadical, Preset};
use sat::cone::{Options, StepKind};
use sat::{Answer, ConeSolver, Lit, Solver, Var};

/// How a variable is computed from others.
#[derive(Clone, Debug)]
pub enum Gate {
    /// The conjunction of any number of literals.
    And(Vec<Lit>),
    /// a ⊕ b
    Xor(Lit, Lit),
    /// condition ? a : b
    Mux(Lit, Lit, Lit),
}

impl Gate {
    fn fanin(&self) -> Vec<Var> {
        match self {
            Gate::And(lits) => lits.iter().map(|l| l.var()).collect(),
            Gate::Xor(a, b) => vec![a.var(), b.var()],
            Gate::Mux(c, a, b) => vec![c.var(), a.var(), b.var()],
        }
    }

    fn clauses(&self, out: Var) -> Vec<Vec<Lit>> {
        let o = out.pos();
        match *self {
            Gate::And(ref lits) => {
                let mut clauses: Vec<Vec<Lit>> = lits.iter().map(|&l| vec![!o, l]).collect();
                clauses.push(lits.iter().map(|&l| !l).chain([o]).collect());
                clauses
            }
            Gate::Xor(a, b) => {
                vec![vec![!o, a, b], vec![!o, !a, !b], vec![o, !a, b], vec![o, a, !b]]
            }
            // The last two are implied by the others and help propagation.
            Gate::Mux(c, a, b) => vec![
                vec![!o, !c, a],
                vec![o, !c, !a],
                vec![!o, c, b],
                vec![o, c, !b],
                vec![!o, a, b],
                vec![o, !a, !b],
            ],
        }
    }

    fn evaluate(&self, values: &[bool]) -> bool {
        let value = |l: Lit| values[l.var().index()] != l.is_neg();
        match *self {
            Gate::And(ref lits) => lits.iter().all(|&l| value(l)),
            Gate::Xor(a, b) => value(a) != value(b),
            Gate::Mux(c, a, b) => value(if value(c) { a } else { b }),
        }
    }
}

/// The solver under test with all that is needed to check it.
pub struct Session {
    /// The solver under test.
    pub cone: ConeSolver,
    reference: Cadical,
    /// For each variable its definition.
    pub gates: Vec<Option<Gate>>,
    clauses: Vec<Vec<Lit>>,
    checker: RupChecker,
    rng: StdRng,
    /// Questions with this answer so far.
    pub sat: usize,
    /// Questions with this answer so far.
    pub unsat: usize,
    /// Learnt clauses checked so far.
    pub learnt: usize,
}

impl Session {
    /// An empty session. Tracing is switched on in the options.
    pub fn new(options: Options, seed: u64) -> Self {
        Session {
            cone: ConeSolver::with_options(Options { trace: true, ..options }),
            reference: Cadical::new(Preset::Incremental),
            gates: Vec::new(),
            clauses: Vec::new(),
            checker: RupChecker::default(),
            rng: StdRng::seed_from_u64(seed),
            sat: 0,
            unsat: 0,
            learnt: 0,
        }
    }

    /// The number of variables.
    pub fn var_count(&self) -> usize {
        self.gates.len()
    }

    /// A new free variable.
    pub fn new_var(&mut self) -> Var {
        let var = self.cone.new_var();
        assert_eq!(var, self.reference.new_var());
        assert_eq!(var.index(), self.gates.len());
        self.gates.push(None);
        var
    }

    /// A new variable with a definition.
    pub fn define(&mut self, gate: Gate) -> Var {
        let out = self.new_var();
        let clauses = gate.clauses(out);
        self.add_definition(out, &gate.fanin(), &clauses);
        self.gates[out.index()] = Some(gate);
        out
    }

    /// Hands a definition to the solver, in or against the contract. Models are completed by
    /// `gates` only.
    pub fn add_definition(&mut self, out: Var, fanin: &[Var], clauses: &[Vec<Lit>]) {
        let slices: Vec<&[Lit]> = clauses.iter().map(|c| &c[..]).collect();
        self.cone.add_definition(out, fanin, &slices);
        clauses.iter().for_each(|clause| self.note_clause(clause));
    }

    /// Adds a clause for good.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.cone.add_clause(clause);
        self.note_clause(clause);
    }

    fn note_clause(&mut self, clause: &[Lit]) {
        self.reference.add_clause(clause);
        self.checker.add(clause);
        self.clauses.push(clause.to_vec());
    }

    /// Asks a question and checks everything about the answer.
    pub fn ask(&mut self, assumptions: &[Lit], temporary: &[Lit]) -> Answer {
        // SAT? formula ∧ ⋀ assumptions ∧ ⋁ temporary
        let answer = self.cone.solve_with(assumptions, temporary);
        self.check_trace(answer);
        match answer {
            Answer::Sat => {
                self.sat += 1;
                self.check_model(assumptions, temporary);
            }
            Answer::Unsat => {
                self.unsat += 1;
                self.check_core(assumptions, temporary);
            }
            Answer::Unknown(stop) => panic!("no limit was set, but {stop:?}"),
        }
        answer
    }

    fn check_trace(&mut self, answer: Answer) {
        let permanent = self.checker.clone();
        let mut lasting = Vec::new();
        let mut refuted = false;
        for step in self.cone.take_trace() {
            let clause = &step.clause;
            match step.kind {
                StepKind::Question if clause.is_empty() => {}
                StepKind::Question => self.checker.add(clause),
                StepKind::Learnt => {
                    // A lasting clause must follow without the temporary one.
                    let mut without = permanent.clone();
                    lasting.iter().for_each(|c: &Vec<Lit>| without.add(c));
                    assert!(without.implies(clause), "{clause:?} does not follow");
                    self.checker.add(clause);
                    lasting.push(clause.clone());
                    self.learnt += 1;
                }
                StepKind::LearntTemporarily => {
                    assert!(self.checker.implies(clause), "{clause:?} does not follow");
                    self.checker.add(clause);
                    self.learnt += 1;
                }
                StepKind::Refuted => {
                    assert!(self.checker.implies(clause), "{clause:?} is not refuted");
                    refuted = true;
                }
            }
        }
        assert_eq!(refuted, answer == Answer::Unsat);
        self.checker = permanent;
        lasting.iter().for_each(|c| self.checker.add(c));
    }

    /// Free variables without a value may have any; defined ones are computed. The result must
    /// agree with the values given and satisfy all clauses.
    fn check_model(&mut self, assumptions: &[Lit], temporary: &[Lit]) {
        for filler in 0..3 {
            let mut values = Vec::with_capacity(self.gates.len());
            for (index, gate) in self.gates.iter().enumerate() {
                let given = self.cone.value(Var::new(index).pos());
                assert_eq!(given.map(|v| !v), self.cone.value(Var::new(index).neg()));
                let value = match gate {
                    Some(gate) => gate.evaluate(&values),
                    None if filler == 2 => given.unwrap_or(self.rng.random()),
                    None => given.unwrap_or(filler == 1),
                };
                assert!(given.is_none_or(|given| given == value), "a definition is violated");
                values.push(value);
            }
            let holds =
                |clause: &[Lit]| clause.iter().any(|l| values[l.var().index()] != l.is_neg());
            for clause in &self.clauses {
                assert!(holds(clause), "{clause:?} is violated");
            }
            assert!(temporary.is_empty() || holds(temporary));
            assert!(assumptions.iter().all(|&l| holds(&[l])));
        }
    }

    fn check_core(&mut self, assumptions: &[Lit], temporary: &[Lit]) {
        let core: Vec<Lit> = assumptions.iter().copied().filter(|&l| self.cone.failed(l)).collect();
        for index in 0..self.var_count() {
            for lit in [Var::new(index).pos(), Var::new(index).neg()] {
                assert!(!self.cone.failed(lit) || core.contains(&lit), "not an assumption");
            }
        }
        // SAT? formula ∧ ⋀ core ∧ ⋁ temporary
        assert_eq!(self.reference.solve_with(&core, temporary), Answer::Unsat, "no core");
    }

    /// A random literal over all variables, later ones preferred.
    pub fn random_lit(&mut self) -> Lit {
        let count = self.var_count();
        let recent = count.saturating_sub(12);
        let start = if self.rng.random_bool(0.4) { recent } else { 0 };
        Var::new(self.rng.random_range(start..count)).lit(self.rng.random())
    }

    /// Up to `max` random literals.
    pub fn random_lits(&mut self, min: usize, max: usize) -> Vec<Lit> {
        let len = self.rng.random_range(min..=max);
        (0..len).map(|_| self.random_lit()).collect()
    }

    /// Whether the formula has become unsatisfiable, which makes a session pointless.
    pub fn is_refuted(&mut self) -> bool {
        self.reference.solve(&[]) == Answer::Unsat
    }
}
