//! Proofs that two versions of a function give the same.
//!
//! What is tried, in this order: both versions side by side ([`crate::product`]) with loops matched in
//! their order, then with loops that one version enters an iteration earlier, and graphs without
//! cycles, where loops and recursion can be seen to end after few rounds. Each is tried with signed
//! arithmetic that wraps around first, and then with runs that overflow left out, which is an
//! assumption of the answer.

use crate::ask::Asker;
use crate::execute::{Executor, State};
use crate::flat::{Builder, Flat, Objects, Step};
use crate::product::{Hint, Product, Result, Schedule};
use crate::shape::Shape;
use answer::Allowance;
use program::{Program, Property};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;
use term::{Op, Pool, Sort, Term, Value};

/// How often loops are unrolled, one after the other.
const ROUNDS: [usize; 3] = [3, 10, 34];
/// How deep recursion is inlined where loops are unrolled.
const RECURSION: usize = 5;

/// What came of it.
pub struct Proof {
    /// What a proof assumes, if there is one.
    pub proved: Option<Vec<String>>,
    /// Inputs that may show a difference, by name.
    pub hints: Vec<Vec<(String, Value)>>,
    /// What is not followed.
    pub stuck: Option<&'static str>,
}

/// Looks for a proof.
pub fn prove(programs: &[Program; 2], function: &str, allowance: &Allowance) -> Proof {
    let mut proof = Proof { proved: None, hints: Vec::new(), stuck: None };
    let opaque = BTreeSet::new();
    for no_overflow in [false, true] {
        let task = Task { programs, function, no_overflow, opaque: &opaque };
        for plan in plans(programs, function, no_overflow) {
            let share = allowance.within(allowance.share(0.4, Duration::from_secs(10)));
            match task.attempt(&plan, &share, &mut proof) {
                Ok(Some(assumptions)) => {
                    proof.proved = Some(assumptions);
                    return proof;
                }
                Ok(None) => {}
                Err(stuck) => proof.stuck = Some(stuck),
            }
            if allowance.exhausted().is_some() {
                return proof;
            }
        }
    }
    proof
}

/// A way to look for a proof.
enum Plan {
    /// Loops side by side: which are matched, counted from the first or from the last, and who goes on
    /// alone first.
    Beside { from_last: bool, peeled: Vec<Option<usize>> },
    /// Loops unrolled.
    Unrolled(usize),
}

/// What is tried, the cheapest first.
fn plans(programs: &[Program; 2], function: &str, no_overflow: bool) -> Vec<Plan> {
    let loops = |program: &Program| {
        let (pool, opaque, mut objects) = (Pool::new(), BTreeSet::new(), Objects::default());
        let flat = Builder::build(program, &pool, "", (function, &opaque, 0), &mut objects);
        flat.map(|flat| Shape::of(&flat).heads.len()).unwrap_or(0)
    };
    let counts = [loops(&programs[0]), loops(&programs[1])];
    let pairs = counts[0].min(counts[1]);
    let mut plans = vec![Plan::Beside { from_last: false, peeled: vec![None; pairs] }];
    if counts[0] != counts[1] {
        plans.push(Plan::Beside { from_last: true, peeled: vec![None; pairs] });
    }
    if counts == [0, 0] {
        return vec![Plan::Beside { from_last: false, peeled: Vec::new() }, Plan::Unrolled(1)];
    }
    plans.push(Plan::Unrolled(ROUNDS[0]));
    if no_overflow {
        for from_last in [false, true] {
            for pair in 0..pairs.min(6) {
                for side in [0, 1] {
                    let mut peeled = vec![None; pairs];
                    peeled[pair] = Some(side);
                    plans.push(Plan::Beside { from_last, peeled });
                }
            }
            if counts[0] == counts[1] {
                break;
            }
        }
    }
    plans.extend(ROUNDS[1..].iter().map(|times| Plan::Unrolled(*times)));
    plans
}

struct Task<'t> {
    programs: &'t [Program; 2],
    function: &'t str,
    no_overflow: bool,
    opaque: &'t BTreeSet<String>,
}

impl Task<'_> {
    fn attempt(
        &self,
        plan: &Plan,
        allowance: &Allowance,
        proof: &mut Proof,
    ) -> std::result::Result<Option<Vec<String>>, &'static str> {
        let pool = Pool::new();
        let mut objects = Objects::default();
        let recursion = if matches!(plan, Plan::Unrolled(_)) { RECURSION } else { 0 };
        let mut build = |program, prefix| {
            let what = (self.function, self.opaque, recursion);
            let flat = Builder::build(program, &pool, prefix, what, &mut objects)?;
            Ok(match plan {
                Plan::Unrolled(times) => flat.unrolled(*times),
                Plan::Beside { .. } => flat,
            })
        };
        let old: Flat = build(&self.programs[0], "old ")?;
        let new: Flat = build(&self.programs[1], "new ")?;
        let word = word(&pool, [&old, &new]);
        let settings = (word, self.programs[0].pointer_width, self.no_overflow);
        let executors = [("old ", &old), ("new ", &new)].map(|(prefix, flat)| {
            RefCell::new(Executor::new(&pool, &objects, flat, prefix, settings))
        });
        let start = Start::new(&pool, &executors, self.function == "main");
        let schedule = match plan {
            Plan::Unrolled(_) => Schedule::default(),
            Plan::Beside { from_last, peeled } => {
                let counts = [&old, &new].map(|flat| Shape::of(flat).heads.len());
                let skip = |side: usize| if *from_last { counts[side] - peeled.len() } else { 0 };
                let matched = (0..peeled.len()).map(|i| (i + skip(0), i + skip(1))).collect();
                Schedule { matched, peeled: peeled.clone() }
            }
        };
        let mut asker = Asker::new(&pool, allowance);
        let sides = [&executors[0], &executors[1]];
        let wanted: Vec<Term> = start.inputs.iter().map(|(_, term)| *term).collect();
        let mut hints: Vec<Hint> = Vec::new();
        let product =
            Product::new(&pool, sides, start.states, start.axioms, start.outputs, schedule);
        let result = product.prove(&mut asker, &wanted, &mut hints);
        for hint in hints {
            let named = start
                .inputs
                .iter()
                .filter_map(|(name, term)| Some((name.clone(), hint.get(term)?.clone())));
            proof.hints.push(named.collect());
        }
        match result {
            Result::Proved => {}
            Result::Open(_) => return Ok(None),
            Result::Stuck(stuck) => return Err(stuck),
        }
        for executor in &executors {
            for condition in executor.borrow().beyond.clone() {
                // Nothing is beyond what was followed: ⊨ ¬condition
                if asker.implies(&[condition], pool.fls(), true) != crate::ask::Known::Yes {
                    return Ok(None);
                }
            }
        }
        Ok(Some(self.assumptions(&pool, &executors, &start.inputs)))
    }

    fn assumptions(
        &self,
        pool: &Pool,
        executors: &[RefCell<Executor<'_>>; 2],
        inputs: &[(String, Term)],
    ) -> Vec<String> {
        let mut assumptions = Vec::new();
        let old: FxHashSet<(Property, Term)> =
            executors[0].borrow().assumed.iter().copied().collect();
        let new = executors[1].borrow();
        let own = new.assumed.iter().filter(|check| !old.contains(check));
        let properties: BTreeSet<Property> = own.map(|(property, _)| *property).collect();
        for property in properties {
            assumptions.push(format!(
                "the new version does not violate {property} where the old one does not"
            ));
        }
        if inputs.iter().any(|(_, term)| matches!(pool.sort(*term), Sort::Float(_))) {
            assumptions.push("floating-point inputs are finite".to_owned());
        }
        let uses = |test: &dyn Fn(&Step) -> bool| {
            executors.iter().any(|e| e.borrow().flat.edges.iter().any(|edge| test(&edge.step)))
        };
        if uses(&|step| matches!(step, Step::Load { .. } | Step::Store { .. })) {
            assumptions.push("accesses to memory are valid and aligned".to_owned());
        }
        if uses(&|step| matches!(step, Step::Foreign { .. })) {
            assumptions.push(
                "functions without a body do the same in both versions, called with the same \
                 arguments after the same calls"
                    .to_owned(),
            );
        }
        assumptions
    }
}

/// The bytes of a word of memory: the width of all accesses, if they have one.
fn word(pool: &Pool, flats: [&Flat; 2]) -> u32 {
    let mut widths = BTreeSet::new();
    for edge in flats.iter().flat_map(|flat| &flat.edges) {
        let sort = match &edge.step {
            Step::Load { into, .. } => pool.sort(*into),
            Step::Store { value, .. } => pool.sort(*value),
            _ => continue,
        };
        widths.extend(match sort {
            Sort::BitVec(width) => Some(width),
            Sort::Float(format) => Some(format.width()),
            _ => None,
        });
    }
    match widths.into_iter().collect::<Vec<_>>()[..] {
        [width] if width.is_multiple_of(8) => width / 8,
        _ => 1,
    }
}

/// How both versions begin, and what must be equal in the end.
struct Start {
    states: [State; 2],
    axioms: Vec<Term>,
    outputs: Vec<(Term, Term)>,
    inputs: Vec<(String, Term)>,
}

impl Start {
    fn new(pool: &Pool, executors: &[RefCell<Executor<'_>>; 2], _main: bool) -> Start {
        let [old, new] = [executors[0].borrow(), executors[1].borrow()];
        let mut states = [State::default(), State::default()];
        let (mut axioms, mut outputs, mut inputs) = (Vec::new(), Vec::new(), Vec::new());
        let mut share = |a: Term, b: Term, name: String| {
            let input = pool.var(&format!("input {name}"), pool.sort(a));
            states[0].values.insert(a, input);
            states[1].values.insert(b, input);
            if let Sort::Float(_) = pool.sort(input) {
                let infinite = pool.make(Op::FpIsInfinite, &[input]);
                axioms.push(pool.not(pool.fp_is_nan(input)));
                axioms.push(pool.not(infinite));
            }
            inputs.push((name, input));
        };
        for (number, (a, b)) in old.flat.parameters.iter().zip(&new.flat.parameters).enumerate() {
            share(*a, *b, format!("#{number}"));
        }
        for (name, a) in &old.flat.globals {
            let other = new.flat.globals.iter().find(|(other, _)| other == name);
            if let Some((_, b)) = other.filter(|(_, b)| pool.sort(*b) == pool.sort(*a)) {
                share(*a, *b, name.clone());
                outputs.push((*a, *b));
            }
        }
        for (a, b, name) in
            [(old.memory, new.memory, "memory"), (old.history, new.history, "history")]
        {
            let input = pool.var(name, pool.sort(a));
            states[0].values.insert(a, input);
            states[1].values.insert(b, input);
            outputs.push((a, b));
        }
        outputs.extend(old.flat.results.iter().copied().zip(new.flat.results.iter().copied()));
        Start { states, axioms, outputs, inputs }
    }
}
