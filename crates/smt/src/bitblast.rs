//! Our own solver: Bool, bit-vectors and floats by bit-blasting onto a SAT solver, arrays and
//! functions by lemmas on demand.
//!
//! A term is blasted and encoded once, however many questions mention it; a question costs its
//! assumptions and whatever the SAT solver does. Levels are activation literals. The loop of a
//! question is: ask the SAT solver; if satisfiable, ask the theories whether the model is one of
//! theirs; if not, add the lemmas they give, valid in all models, and ask again. There are finitely
//! many instances, so the loop ends.

use crate::arrays::Arrays;
use crate::functions::{Functions, Tables};
use crate::solver::{Answer, Error, Solver, Statistics};
use aig::{Aig, Edge, Encoder, Node};
use answer::Allowance;
use blast::Blaster;
use rustc_hash::FxHashMap;
use sat::Lit;
use term::eval::{self, Assignment};
use term::{Func, Op, Pool, Sort, Symbol, Term, Value};

/// A solver by bit-blasting onto the SAT solver `S`.
pub struct BitBlast<S> {
    blaster: Blaster,
    encoder: Encoder,
    sat: S,
    arrays: Arrays,
    functions: Functions,
    /// How many of the blaster's atoms the theories have seen.
    atoms_seen: usize,
    levels: Vec<Level>,
    /// Assumptions of the last question with their literals.
    assumed: Vec<(Term, Lit)>,
    /// Bits of the last model that were asked for, by node of the graph.
    bits: FxHashMap<usize, bool>,
    model: Option<Model>,
    allowance: Allowance,
    queries: u64,
    lemmas: u64,
}

/// Formulas that are taken back together.
struct Level {
    activation: Lit,
    formulas: Vec<Term>,
}

/// Arrays and functions of the last model.
struct Model {
    arrays: FxHashMap<Term, Value>,
    functions: Tables,
}

impl<S: sat::Solver> BitBlast<S> {
    /// A solver with no formulas, onto a fresh SAT solver.
    pub fn new(mut sat: S) -> Self {
        let ground = sat.new_var().pos();
        // Formulas of the ground level hold for good.
        sat.add_clause(&[ground]);
        BitBlast {
            blaster: Blaster::new(),
            encoder: Encoder::new(),
            sat,
            arrays: Arrays::default(),
            functions: Functions::default(),
            atoms_seen: 0,
            levels: vec![Level { activation: ground, formulas: Vec::new() }],
            assumed: Vec::new(),
            bits: FxHashMap::default(),
            model: None,
            allowance: Allowance::default(),
            queries: 0,
            lemmas: 0,
        }
    }

    /// The SAT solver underneath, for its statistics.
    pub fn sat(&self) -> &S {
        &self.sat
    }

    /// The number of gates that all terms so far have become.
    pub fn gates(&self) -> usize {
        self.blaster.aig().len()
    }

    /// The edge of a formula; whatever the theories must know of its atoms is done.
    fn edge(&mut self, pool: &Pool, formula: Term) -> Result<Edge, Error> {
        let edge = self.blaster.bool(pool, formula).map_err(unsupported)?;
        self.tell_theories(pool)?;
        Ok(edge)
    }

    fn lit(&mut self, pool: &Pool, formula: Term) -> Result<Lit, Error> {
        let edge = self.edge(pool, formula)?;
        Ok(self.encoder.lit(self.blaster.aig(), &mut self.sat, edge))
    }

    /// Shows new atoms to the theories, and blasts what they need, until nothing is new.
    fn tell_theories(&mut self, pool: &Pool) -> Result<(), Error> {
        let mut needed = Vec::new();
        while self.atoms_seen < self.blaster.atoms().len() {
            let atom = self.blaster.atoms()[self.atoms_seen];
            self.atoms_seen += 1;
            match pool.op(atom) {
                Op::Select => self.arrays.add_read(pool, atom, &mut needed)?,
                Op::Eq if matches!(pool.sort(pool.args(atom)[0]), Sort::Array(_)) => {
                    let witness = self.arrays.add_equality(pool, atom, &mut needed)?;
                    self.assert_lemma(pool, witness)?;
                }
                Op::Apply(_) => self.functions.add(pool, atom, &mut needed)?,
                op => {
                    let what = format!("the operator {op:?}");
                    return Err(Error::Unsupported { solver: "bit-blasting", what });
                }
            }
            for term in needed.drain(..) {
                self.blaster.bits(pool, term).map_err(unsupported)?;
            }
        }
        Ok(())
    }

    /// Adds a formula that holds in every model, for good.
    fn assert_lemma(&mut self, pool: &Pool, lemma: Term) -> Result<(), Error> {
        let edge = self.blaster.bool(pool, lemma).map_err(unsupported)?;
        self.encoder.assert(self.blaster.aig(), &mut self.sat, edge);
        Ok(())
    }

    /// Lemmas that the SAT solver's model violates.
    fn violations(&mut self, pool: &Pool) -> Vec<Term> {
        if self.arrays.is_empty() && self.functions.is_empty() {
            return Vec::new();
        }
        let BitBlast { blaster, encoder, sat, bits, .. } = self;
        let mut value = |term: Term| read_value(pool, blaster, encoder, sat, bits, term);
        let mut lemmas = self.functions.violations(pool, &mut value);
        lemmas.extend(self.arrays.violations(pool, &mut value));
        lemmas
    }

    fn ask(&mut self, pool: &Pool, assumptions: &[Lit], clause: &[Lit]) -> Result<Answer, Error> {
        loop {
            self.bits.clear();
            // SAT? formulas ∧ lemmas ∧ ⋀ assumptions ∧ ⋁ clause, theory atoms free
            match self.sat.solve_with(assumptions, clause) {
                sat::Answer::Unsat => return Ok(Answer::Unsat),
                sat::Answer::Unknown(stop) => return Ok(Answer::Unknown(stop.into())),
                sat::Answer::Sat => {}
            }
            let lemmas = self.violations(pool);
            if lemmas.is_empty() {
                return Ok(Answer::Sat);
            }
            self.lemmas += lemmas.len() as u64;
            for lemma in lemmas {
                self.assert_lemma(pool, lemma)?;
                self.tell_theories(pool)?;
            }
            if let Some(exhausted) = self.allowance.exhausted() {
                return Ok(Answer::Unknown(exhausted.into()));
            }
        }
    }

    /// Arrays and functions of the model, computed when first asked for.
    fn model(&mut self, pool: &Pool) -> &Model {
        if self.model.is_none() {
            let BitBlast { blaster, encoder, sat, bits, .. } = self;
            let mut value = |term: Term| read_value(pool, blaster, encoder, sat, bits, term);
            let functions = self.functions.tables(pool, &mut value);
            let arrays = self.arrays.contents(pool, &mut value);
            self.model = Some(Model { arrays, functions });
        }
        self.model.as_ref().expect("made above")
    }

    /// Whether the model satisfies everything that was asked, by evaluation of the terms.
    pub fn model_holds(&mut self, pool: &Pool, clause: &[Term]) -> bool {
        let mut formulas: Vec<Term> =
            self.levels.iter().flat_map(|l| l.formulas.iter().copied()).collect();
        formulas.extend(self.assumed.iter().map(|(term, _)| *term));
        if !clause.is_empty() {
            formulas.push(pool.or(clause.iter().copied()));
        }
        let conjunction = pool.and(formulas);
        self.value(pool, conjunction) == Ok(Value::Bool(true))
    }
}

fn unsupported(error: blast::Unsupported) -> Error {
    Error::Unsupported { solver: "bit-blasting", what: error.to_string() }
}

/// The value of a blasted term in the SAT solver's model.
fn read_value<S: sat::Solver>(
    pool: &Pool,
    blaster: &Blaster,
    encoder: &Encoder,
    sat: &S,
    bits: &mut FxHashMap<usize, bool>,
    term: Term,
) -> Value {
    let aig = blaster.aig();
    blaster.value(pool, term, |edge| read_bit(aig, encoder, sat, bits, edge))
}

/// The value of an edge: what the solver assigned; elsewhere what the operands give, and false
/// for inputs on which nothing depends.
fn read_bit<S: sat::Solver>(
    aig: &Aig,
    encoder: &Encoder,
    sat: &S,
    bits: &mut FxHashMap<usize, bool>,
    edge: Edge,
) -> bool {
    let mut pending = vec![edge.node()];
    while let Some(node) = pending.last().copied() {
        if bits.contains_key(&node) {
            pending.pop();
            continue;
        }
        let plain = Edge::new(node, false);
        let assigned = encoder.known(plain).and_then(|lit| sat.value(lit));
        let value = match (assigned, aig.node(node)) {
            (Some(value), _) => value,
            (None, Node::False | Node::Input) => false,
            (None, Node::And(a, b)) => {
                let known = |e: Edge| bits.get(&e.node()).map(|v| v ^ e.is_inverted());
                match (known(a), known(b)) {
                    (Some(x), Some(y)) => x && y,
                    (x, _) => {
                        pending.push(if x.is_none() { a.node() } else { b.node() });
                        continue;
                    }
                }
            }
        };
        bits.insert(node, value);
        pending.pop();
    }
    bits[&edge.node()] ^ edge.is_inverted()
}

impl<S: sat::Solver> Solver for BitBlast<S> {
    fn name(&self) -> &'static str {
        self.sat.name()
    }

    fn push(&mut self) {
        let activation = self.sat.new_var().pos();
        self.levels.push(Level { activation, formulas: Vec::new() });
    }

    fn pop(&mut self, levels: usize) {
        assert!(levels < self.levels.len(), "pop without push");
        for level in self.levels.drain(self.levels.len() - levels..) {
            self.sat.add_clause(&[!level.activation]);
        }
    }

    fn assert(&mut self, pool: &Pool, formula: Term) -> Result<(), Error> {
        for part in term::traverse::conjuncts(pool, formula) {
            let edge = self.edge(pool, part)?;
            if self.levels.len() == 1 {
                self.encoder.assert(self.blaster.aig(), &mut self.sat, edge);
            } else {
                let lit = self.encoder.lit(self.blaster.aig(), &mut self.sat, edge);
                let activation = self.levels[self.levels.len() - 1].activation;
                self.sat.add_clause(&[!activation, lit]);
            }
        }
        self.levels.last_mut().expect("the ground level stays").formulas.push(formula);
        Ok(())
    }

    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        self.queries += 1;
        self.model = None;
        self.assumed.clear();
        for assumption in assumptions {
            let lit = self.lit(pool, *assumption)?;
            self.assumed.push((*assumption, lit));
        }
        let clause_lits =
            clause.iter().map(|t| self.lit(pool, *t)).collect::<Result<Vec<Lit>, Error>>()?;
        let mut lits: Vec<Lit> = self.levels[1..].iter().map(|l| l.activation).collect();
        lits.extend(self.assumed.iter().map(|(_, lit)| *lit));
        let answer = self.ask(pool, &lits, &clause_lits)?;
        debug_assert!(
            answer != Answer::Sat || self.model_holds(pool, clause),
            "the model does not satisfy the formulas"
        );
        Ok(answer)
    }

    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        self.model(pool);
        let BitBlast { blaster, encoder, sat, bits, model, .. } = self;
        let reader = ModelReader {
            pool,
            blaster,
            encoder,
            sat,
            bits: std::cell::RefCell::new(bits),
            model: model.as_ref().expect("made above"),
        };
        eval::evaluate(pool, term, &reader)
            .map_err(|error| Error::Unsupported { solver: "bit-blasting", what: error.to_string() })
    }

    fn core(&self) -> Vec<Term> {
        let failed = self.assumed.iter().filter(|(_, lit)| self.sat.failed(*lit));
        failed.map(|(term, _)| *term).collect()
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.sat.set_allowance(allowance.clone());
        self.allowance = allowance;
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.sat.set_work(conflicts);
        self.allowance.work = conflicts;
    }

    fn statistics(&self) -> Statistics {
        let conflicts = self.sat.statistics().conflicts;
        Statistics { queries: self.queries, conflicts, lemmas: self.lemmas }
    }
}

/// The model as an assignment of variables and functions.
struct ModelReader<'a, S> {
    pool: &'a Pool,
    blaster: &'a Blaster,
    encoder: &'a Encoder,
    sat: &'a S,
    bits: std::cell::RefCell<&'a mut FxHashMap<usize, bool>>,
    model: &'a Model,
}

impl<S: sat::Solver> Assignment for ModelReader<'_, S> {
    fn var(&self, term: Term, _: Symbol) -> Option<Value> {
        if let Sort::Array(_) = self.pool.sort(term) {
            return self.model.arrays.get(&term).cloned();
        }
        if !self.blaster.is_blasted(term) {
            return None;
        }
        let bits = &mut self.bits.borrow_mut();
        Some(read_value(self.pool, self.blaster, self.encoder, self.sat, bits, term))
    }

    fn function(&self, func: Func, args: &[&Value]) -> Option<Value> {
        let args = args.iter().map(|v| (*v).clone()).collect();
        self.model.functions.get(&(func, args)).cloned()
    }
}
