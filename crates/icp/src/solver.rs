//! [`Icp`], the solver, behind the interface of all SMT solvers.
//!
//! A question goes to the search over bounds first. Where that does not get to an answer with some
//! effort (formulas that are dense in single bits, equations that interval propagation is weak at),
//! bit-blasting is asked with some effort, and both again with more, until one has an answer. What
//! has no keys (arrays, functions, very wide vectors) is bit-blasting's alone. Bit-blasting is told
//! of formulas only when it is asked, and of the bounds that were deduced of them.

use crate::bound::Bound;
use crate::encode::{Beyond, Encoder};
use crate::engine::search::{Effort, Found};
use crate::engine::{Counters, Engine};
use crate::lit::Lit;
use crate::model::Model;
use crate::pruned::Pruned;
use rustc_hash::FxHashMap;
use smt::{Allowance, Answer, Error, Exhausted, Reason, Solver, Statistics};
use term::traverse::{conjuncts, disjuncts};
use term::{Pool, Term, Value, evaluate};

const NAME: &str = "icp";

/// What the first round may cost.
const FIRST: Effort = Effort { conflicts: 512, contractions: 256_000 };
/// Conflicts of bit-blasting in the first round.
const FIRST_BITS: u64 = 4_000;
/// How the efforts grow from round to round.
const GROWTH: u64 = 4;
/// How often the first effort of the search is halved where bit-blasting is what answers.
const HALVINGS: u32 = 5;

/// An assumption of a core, generalized.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weakest {
    /// The assumption as it was given.
    pub assumption: Term,
    /// A weaker bound of the same term that refutes as well, or the assumption itself.
    pub bound: Term,
}

/// Who decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Means {
    /// The search over bounds, and bit-blasting where it does not get to an answer.
    #[default]
    Both,
    /// The search over bounds alone, which then goes on until the allowance is used up.
    Bounds,
}

/// The formulas of a level.
struct Level {
    /// True while the level is open; none for the ground level.
    activation: Option<Lit>,
    formulas: Vec<Term>,
    /// Whether all of them have keys.
    bounded: bool,
}

/// Where the last answer came from.
enum Last {
    Nothing,
    Model(Model),
    /// Terms of the core, with the bounds that refute as well.
    Core(Vec<(Term, Option<Bound>)>),
    Bits,
}

/// A solver by CDCL over interval bounds.
pub struct Icp {
    engine: Engine,
    encoder: Encoder,
    levels: Vec<Level>,
    bits: Pruned,
    means: Means,
    last: Last,
    allowance: Allowance,
    queries: u64,
    by_bits: u64,
    /// How often the first effort of the search is halved now.
    halvings: u32,
}

impl Default for Icp {
    fn default() -> Self {
        Self::new()
    }
}

/// What the search was asked.
struct Question<'a> {
    assumptions: &'a [Term],
    clause: &'a [Term],
    lits: Vec<Lit>,
    /// How many literals come before those of the assumptions.
    first: usize,
}

impl Icp {
    /// A solver with no formulas.
    pub fn new() -> Self {
        Self::with_means(Means::Both)
    }

    /// A solver with no formulas, which uses these means.
    pub fn with_means(means: Means) -> Self {
        Icp {
            engine: Engine::new(),
            encoder: Encoder::default(),
            levels: vec![Level { activation: None, formulas: Vec::new(), bounded: true }],
            bits: Pruned::new(),
            means,
            last: Last::Nothing,
            allowance: Allowance::default(),
            queries: 0,
            by_bits: 0,
            halvings: 0,
        }
    }

    /// After [`Answer::Unsat`]: the terms of [`Solver::core`] in its order, each with the weakest
    /// bound that may take its place. All of them may be replaced at once.
    pub fn weakest(&self, pool: &Pool) -> Vec<Weakest> {
        match &self.last {
            Last::Core(core) => core
                .iter()
                .map(|(assumption, bound)| {
                    let bound = bound.map_or(*assumption, |bound| bound.formula(pool));
                    Weakest { assumption: *assumption, bound }
                })
                .collect(),
            _ => self.core().into_iter().map(|a| Weakest { assumption: a, bound: a }).collect(),
        }
    }

    /// What the search has done so far.
    pub fn counters(&self) -> Counters {
        self.engine.counters
    }

    /// How many questions bit-blasting has answered.
    pub fn by_bits(&self) -> u64 {
        self.by_bits
    }

    /// Adds a formula to the search; for a level if it is not of the ground.
    fn add(&mut self, pool: &Pool, formula: Term, unless: Option<Lit>) -> Result<(), Beyond> {
        for part in conjuncts(pool, formula) {
            let mut clause: Vec<Lit> = unless.into_iter().collect();
            for disjunct in disjuncts(pool, part) {
                clause.push(self.encoder.lit(&mut self.engine, pool, disjunct)?);
            }
            self.engine.add_clause(&clause);
        }
        Ok(())
    }

    /// The literals of a question; activations first, then assumptions in their order.
    fn question<'a>(
        &mut self,
        pool: &Pool,
        assumptions: &'a [Term],
        clause: &'a [Term],
    ) -> Result<Question<'a>, Beyond> {
        if self.levels.iter().any(|level| !level.bounded) {
            return Err(Beyond);
        }
        let mut lits: Vec<Lit> = self.levels.iter().filter_map(|level| level.activation).collect();
        if !clause.is_empty() {
            let asked = self.activation();
            let mut parts = vec![!asked];
            for part in clause {
                parts.push(self.encoder.lit(&mut self.engine, pool, *part)?);
            }
            self.engine.add_clause(&parts);
            lits.push(asked);
        }
        let first = lits.len();
        for assumption in assumptions {
            lits.push(self.encoder.lit(&mut self.engine, pool, *assumption)?);
        }
        Ok(Question { assumptions, clause, lits, first })
    }

    /// A new Boolean, by which clauses are switched on.
    fn activation(&mut self) -> Lit {
        Lit::at_least(self.engine.new_var(intervals::keys::Domain::Truth), 1)
    }

    /// Every formula that has to be true.
    fn formulas(&self, pool: &Pool, assumptions: &[Term], clause: &[Term]) -> Vec<Term> {
        let mut formulas: Vec<Term> =
            self.levels.iter().flat_map(|level| level.formulas.iter().copied()).collect();
        formulas.extend(assumptions);
        if !clause.is_empty() {
            formulas.push(pool.or(clause.iter().copied()));
        }
        formulas
    }

    /// Whether the point of the search is a model; takes it if it is.
    fn take_point(&mut self, pool: &Pool, question: &Question<'_>) -> Result<bool, Error> {
        let engine = &self.engine;
        let value = |(term, var): &(Term, crate::lit::Var)| {
            let key = engine.interval(*var).low;
            (*term, engine.domain(*var).value(key))
        };
        let values: FxHashMap<Term, Value> = self.encoder.leaves().iter().map(value).collect();
        let mut open: Vec<(Term, Value)> = self.encoder.open().iter().map(value).collect();
        open.sort_unstable_by_key(|(term, _)| *term);
        self.engine.backtrack(0);
        let model = Model::new(pool, values, open).map_err(unsupported)?;
        let formulas = self.formulas(pool, question.assumptions, question.clause);
        let holds = model.satisfies(pool, &formulas).map_err(unsupported)?;
        if holds {
            self.last = Last::Model(model);
        }
        Ok(holds)
    }

    /// Takes the core of a refutation.
    fn take_core(&mut self, question: &Question<'_>, blamed: Vec<(usize, Lit)>) {
        let mut core: Vec<(Term, Option<Bound>)> = Vec::new();
        for (number, lit) in blamed {
            let Some(assumption) = number.checked_sub(question.first) else { continue };
            let given = question.lits[number];
            let bound = if lit == given { None } else { self.encoder.bound(&self.engine, lit) };
            let term = question.assumptions[assumption];
            if !core.iter().any(|(other, _)| *other == term) {
                core.push((term, bound));
            }
        }
        self.last = Last::Core(core);
    }

    /// SAT? formulas ∧ ⋀ assumptions ∧ ⋁ clause, by bounds and bits in turns
    fn ask(&mut self, pool: &Pool, question: &Question<'_>) -> Result<Answer, Error> {
        let mut effort = Effort {
            conflicts: FIRST.conflicts >> self.halvings,
            contractions: FIRST.contractions >> self.halvings,
        };
        let mut conflicts = FIRST_BITS;
        let mut left = self.allowance.work.unwrap_or(u64::MAX);
        let mut by_bounds = true;
        loop {
            if by_bounds {
                let before = self.engine.counters.conflicts;
                let bounded = match self.means {
                    Means::Both => effort,
                    Means::Bounds => Effort { conflicts: u64::MAX, contractions: u64::MAX },
                };
                let effort = Effort { conflicts: bounded.conflicts.min(left), ..bounded };
                match self.engine.solve(&question.lits, effort, &self.allowance) {
                    Found::Point if self.take_point(pool, question)? => {
                        self.halvings = self.halvings.saturating_sub(1);
                        return Ok(Answer::Sat);
                    }
                    Found::Refuted(blamed) => {
                        self.halvings = self.halvings.saturating_sub(1);
                        self.take_core(question, blamed);
                        return Ok(Answer::Unsat);
                    }
                    Found::Stopped(exhausted) => return Ok(Answer::Unknown(exhausted.into())),
                    Found::Tired => {}
                    // The point does not satisfy what is open for one function: bits know of it.
                    Found::Point => by_bounds = false,
                }
                left = left.saturating_sub(self.engine.counters.conflicts - before);
                if left == 0 {
                    return Ok(Answer::Unknown(Exhausted::Work.into()));
                }
                if self.means == Means::Bounds {
                    let why = "no point of the search is a model".to_owned();
                    return Ok(Answer::Unknown(Reason::Incomplete(why)));
                }
            }
            let bounded = by_bounds.then_some(conflicts);
            let work = bounded.map_or(left, |most| most.min(left));
            let answer = self.ask_bits(pool, question.assumptions, question.clause, work)?;
            if answer != Answer::Unknown(Exhausted::Work.into()) || work == left {
                return Ok(answer);
            }
            left -= work;
            effort.conflicts = effort.conflicts.saturating_mul(GROWTH);
            effort.contractions = effort.contractions.saturating_mul(GROWTH);
            conflicts = conflicts.saturating_mul(GROWTH);
        }
    }

    /// The same by bits alone.
    fn ask_bits(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
        work: u64,
    ) -> Result<Answer, Error> {
        let allowance =
            Allowance { work: (work != u64::MAX).then_some(work), ..self.allowance.clone() };
        self.bits.set_allowance(allowance);
        let levels = self.levels.iter().map(|level| &level.formulas[..]);
        let bounds = crate::pruned::ground_bounds(&self.engine, &self.encoder);
        let answer = self.bits.check(pool, levels, bounds, assumptions, clause)?;
        if let Answer::Sat | Answer::Unsat = answer {
            self.by_bits += 1;
            self.halvings = (self.halvings + 1).min(HALVINGS);
            self.last = Last::Bits;
        }
        Ok(answer)
    }
}

fn unsupported(error: term::eval::EvalError) -> Error {
    Error::Unsupported { solver: NAME, what: error.to_string() }
}

impl Solver for Icp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn push(&mut self) {
        let activation = Some(self.activation());
        self.levels.push(Level { activation, formulas: Vec::new(), bounded: true });
    }

    fn pop(&mut self, levels: usize) {
        assert!(levels < self.levels.len(), "pop without push");
        self.engine.backtrack(0);
        for level in self.levels.drain(self.levels.len() - levels..) {
            let activation = level.activation.expect("the ground level stays");
            self.engine.add_clause(&[!activation]);
        }
        self.bits.pop_to(self.levels.len());
    }

    fn assert(&mut self, pool: &Pool, formula: Term) -> Result<(), Error> {
        self.engine.backtrack(0);
        let unless = self.levels.last().and_then(|level| level.activation).map(|lit| !lit);
        let bounded = self.add(pool, formula, unless).is_ok();
        if !bounded && self.means == Means::Bounds {
            return Err(Error::Unsupported {
                solver: NAME,
                what: "a formula with values that have no bounds".to_owned(),
            });
        }
        let level = self.levels.last_mut().expect("the ground level stays");
        level.formulas.push(formula);
        level.bounded &= bounded;
        Ok(())
    }

    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        self.queries += 1;
        self.last = Last::Nothing;
        self.engine.backtrack(0);
        match self.question(pool, assumptions, clause) {
            Ok(question) => {
                let answer = self.ask(pool, &question);
                self.engine.backtrack(0);
                if !clause.is_empty() {
                    // The clause was for this question.
                    self.engine.add_clause(&[!question.lits[question.first - 1]]);
                }
                answer
            }
            Err(Beyond) if self.means == Means::Both => {
                let work = self.allowance.work.unwrap_or(u64::MAX);
                self.ask_bits(pool, assumptions, clause, work)
            }
            Err(Beyond) => Err(Error::Unsupported {
                solver: NAME,
                what: "a formula with values that have no bounds".to_owned(),
            }),
        }
    }

    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        match &self.last {
            Last::Bits => self.bits.value(pool, term),
            Last::Model(model) => evaluate(pool, term, model).map_err(unsupported),
            Last::Nothing | Last::Core(_) => {
                evaluate(pool, term, &Model::default()).map_err(unsupported)
            }
        }
    }

    fn core(&self) -> Vec<Term> {
        match &self.last {
            Last::Core(core) => core.iter().map(|(term, _)| *term).collect(),
            Last::Bits => self.bits.core(),
            Last::Nothing | Last::Model(_) => Vec::new(),
        }
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.allowance = allowance;
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.allowance.work = conflicts;
    }

    fn statistics(&self) -> Statistics {
        let bits = self.bits.statistics();
        Statistics {
            queries: self.queries,
            conflicts: self.engine.counters.conflicts + bits.conflicts,
            lemmas: bits.lemmas,
        }
    }
}
