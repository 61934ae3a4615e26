//! Proofs that two versions of a function give the same.
//!
//! What is tried, in this order: both versions side by side ([`crate::product`]) with loops matched in
//! their order, then with loops that one version enters an iteration earlier, and graphs without
//! cycles, where loops and recursion can be seen to end after few rounds. Each is tried with signed
//! arithmetic that wraps around first, and then with runs that overflow left out, which is an
//! assumption of the answer.

use crate::annotation::{Annotations, Outputs};
use crate::ask::Asker;
use crate::execute::{Executor, State};
use crate::flat::{Builder, Flat, Objects, Step};
use crate::foreign;
use crate::product::{Hint, Product, Result, Schedule};
use crate::progress::with_progress;
use crate::shape::Shape;
use answer::Allowance;
use program::program::{Callee, Cause, FunctionId, Instruction, VariableId};
use program::{Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use term::traverse::free_vars;
use term::{Op, Pool, Sort, Term, Value};

/// How often loops are unrolled, one after the other.
const ROUNDS: [usize; 3] = [3, 10, 34];
/// How often functions call themselves in their own bodies, of the old and of the new version, before
/// that is taken to give the same.
const INLINED: [[usize; 2]; 5] = [[0, 0], [1, 0], [0, 1], [2, 0], [0, 2]];
/// How deep recursion is inlined where loops are unrolled.
const RECURSION: usize = 5;

/// What came of it.
pub struct Proof {
    /// What a proof assumes, if there is one.
    pub proved: Option<Vec<String>>,
    /// Inputs that may show a difference, by name.
    pub hints: Vec<Vec<(String, Value)>>,
    /// Whether the proof is that there is no run in which both versions end.
    pub nothing: bool,
    /// What is not followed.
    pub stuck: Option<&'static str>,
}

/// Looks for a proof.
pub fn prove(
    programs: &[Program; 2],
    function: &str,
    annotations: &Annotations,
    allowance: &Allowance,
) -> Proof {
    let mut proof = Proof { proved: None, hints: Vec::new(), nothing: false, stuck: None };
    let recursive = recursive(programs);
    let mut known: [Option<Known>; 2] = [None, None];
    for stage in [Stage::First, Stage::Last] {
        for no_overflow in [false, true] {
            let known = known[usize::from(no_overflow)].get_or_insert_with(|| {
                let share = allowance.within(allowance.share(0.3, Duration::from_secs(8)));
                Known::of(programs, &recursive, no_overflow, &share, &mut proof)
            });
            if let Some(assumptions) = known.same.get(function) {
                proof.proved = Some(assumptions.clone());
                proof.nothing = false;
                return proof;
            }
            let opaque = &known.opaque;
            let task = Task { programs, function, no_overflow, opaque, annotations };
            for plan in plans(programs, function, opaque, (stage, no_overflow)) {
                let share = allowance.within(allowance.share(0.4, Duration::from_secs(10)));
                match task.attempt(&plan, &share, &mut proof) {
                    Ok(Some(mut assumptions)) => {
                        assumptions.extend(known.same.values().flatten().cloned());
                        let mut seen = BTreeSet::new();
                        assumptions.retain(|assumption| seen.insert(assumption.clone()));
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
    }
    proof
}

/// What is tried first, and what takes long.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    First,
    Last,
}

/// Functions that call themselves and are the same in both versions.
struct Known {
    opaque: BTreeSet<String>,
    /// What their proofs assume, by name.
    same: BTreeMap<String, Vec<String>>,
}

impl Known {
    /// Functions that call themselves are the same if they are under the assumption that they are,
    /// where they call themselves [Godlin, Strichman 2008].
    fn of(
        programs: &[Program; 2],
        recursive: &BTreeSet<String>,
        no_overflow: bool,
        allowance: &Allowance,
        proof: &mut Proof,
    ) -> Known {
        let mut same = BTreeMap::new();
        for name in recursive {
            // What holds of inputs need not hold where the function calls itself.
            let annotations = &Annotations::default();
            let task =
                Task { programs, function: name, no_overflow, opaque: recursive, annotations };
            let loops = loops(programs, name, recursive);
            let peeled = vec![None; loops[0].min(loops[1])];
            let found = INLINED.iter().find_map(|inlined| {
                let plan = Plan::Beside { from_last: false, peeled: peeled.clone(), lean: false };
                let share = allowance.within(allowance.share(0.5, Duration::from_secs(4)));
                task.attempt_inlined(&plan, *inlined, &share, proof).ok().flatten()
            });
            let Some(assumptions) = found else {
                return Known { opaque: BTreeSet::new(), same: BTreeMap::new() };
            };
            same.insert(name.clone(), assumptions);
        }
        Known { opaque: recursive.clone(), same }
    }
}

/// A way to look for a proof.
enum Plan {
    /// Loops side by side: which are matched, counted from the first or from the last, and who goes on
    /// alone first; and whether variables alone are related, with little arithmetic.
    Beside { from_last: bool, peeled: Vec<Option<usize>>, lean: bool },
    /// Loops unrolled.
    Unrolled(usize),
}

/// What is tried, the cheapest first.
fn plans(
    programs: &[Program; 2],
    function: &str,
    opaque: &BTreeSet<String>,
    (stage, no_overflow): (Stage, bool),
) -> Vec<Plan> {
    let counts = loops(programs, function, opaque);
    let pairs = counts[0].min(counts[1]);
    if stage == Stage::Last {
        let rounds = if counts == [0, 0] { &[][..] } else { &ROUNDS[1..] };
        return rounds.iter().map(|times| Plan::Unrolled(*times)).collect();
    }
    let beside = |from_last, lean| Plan::Beside { from_last, peeled: vec![None; pairs], lean };
    let mut plans = vec![beside(false, true), beside(false, false)];
    if counts[0] != counts[1] {
        plans.push(beside(true, false));
    }
    plans.push(Plan::Unrolled(if counts == [0, 0] { 1 } else { ROUNDS[0] }));
    for from_last in [false, true] {
        for pair in 0..if no_overflow { pairs.min(6) } else { 0 } {
            for side in [0, 1] {
                let mut peeled = vec![None; pairs];
                peeled[pair] = Some(side);
                plans.push(Plan::Beside { from_last, peeled, lean: false });
            }
        }
        if counts[0] == counts[1] {
            break;
        }
    }
    plans
}

/// How many loops both versions have.
fn loops(programs: &[Program; 2], function: &str, opaque: &BTreeSet<String>) -> [usize; 2] {
    [&programs[0], &programs[1]].map(|program| {
        let (pool, mut objects) = (Pool::new(), Objects::default());
        let flat = Builder::build(program, &pool, "", (function, opaque, 0), &mut objects);
        flat.map(|flat| Shape::of(&flat).heads.len()).unwrap_or(0)
    })
}

struct Task<'t> {
    programs: &'t [Program; 2],
    function: &'t str,
    no_overflow: bool,
    opaque: &'t BTreeSet<String>,
    annotations: &'t Annotations,
}

impl Task<'_> {
    fn attempt(
        &self,
        plan: &Plan,
        allowance: &Allowance,
        proof: &mut Proof,
    ) -> std::result::Result<Option<Vec<String>>, &'static str> {
        let recursion = if matches!(plan, Plan::Unrolled(_)) { RECURSION } else { 0 };
        self.attempt_inlined(plan, [recursion; 2], allowance, proof)
    }

    /// The same where the function calls itself so often before that is abstracted, or not followed.
    fn attempt_inlined(
        &self,
        plan: &Plan,
        inlined: [usize; 2],
        allowance: &Allowance,
        proof: &mut Proof,
    ) -> std::result::Result<Option<Vec<String>>, &'static str> {
        let pool = Pool::new();
        let mut objects = Objects::default();
        let mut build = |program, prefix, recursion| {
            let what = (self.function, self.opaque, recursion);
            let flat = Builder::build(program, &pool, prefix, what, &mut objects)?;
            Ok(match plan {
                Plan::Unrolled(times) => flat.unrolled(*times),
                Plan::Beside { .. } => with_progress(flat, &pool, prefix),
            })
        };
        let old: Flat = build(&self.programs[0], "old ", inlined[0])?;
        let new: Flat = build(&self.programs[1], "new ", inlined[1])?;
        let word = word(&pool, [&old, &new]);
        let settings = (word, self.programs[0].pointer_width, self.no_overflow);
        let executors = [("old ", &old), ("new ", &new)].map(|(prefix, flat)| {
            RefCell::new(Executor::new(&pool, &objects, flat, prefix, settings))
        });
        let mut start = Start::new(&pool, &executors);
        let parameters = parameters(self.programs, self.function, &start.inputs);
        start.axioms.push(self.annotations.formula(&pool, &parameters).0);
        if self.annotations.outputs == Outputs::Result {
            let results = &executors[0].borrow().flat.results;
            start.outputs.retain(|(old, _)| results.contains(old));
        }
        let schedule = match plan {
            Plan::Unrolled(_) => Schedule::default(),
            Plan::Beside { from_last, peeled, .. } => {
                let counts = [&old, &new].map(|flat| Shape::of(flat).heads.len());
                let skip = |side: usize| if *from_last { counts[side] - peeled.len() } else { 0 };
                let matched = (0..peeled.len()).map(|i| (i + skip(0), i + skip(1))).collect();
                Schedule { matched, peeled: peeled.clone() }
            }
        };
        let mut asker = Asker::new(&pool, allowance);
        asker.lean = matches!(plan, Plan::Beside { lean: true, .. });
        if asker.lean {
            asker.patience = Duration::from_millis(400);
        }
        let sides = [&executors[0], &executors[1]];
        let wanted: Vec<Term> = start.inputs.iter().map(|(_, term)| *term).collect();
        let mut hints: Vec<Hint> = Vec::new();
        let settings = (self.function, schedule, !asker.lean);
        let product =
            Product::new(&pool, sides, start.states, start.axioms, start.outputs, settings);
        let result = product.prove(&mut asker, &wanted, &mut hints);
        for hint in hints {
            let named = start
                .inputs
                .iter()
                .filter_map(|(name, term)| Some((name.clone(), hint.get(term)?.clone())));
            proof.hints.push(named.collect());
        }
        let ends = !matches!(result, Result::Nothing);
        // Where all runs overflow, those are of interest in which arithmetic wraps around.
        if !ends && self.no_overflow {
            return Ok(None);
        }
        match result {
            Result::Proved | Result::Nothing => {}
            Result::Open => return Ok(None),
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
        proof.nothing = !ends;
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
        let reads_unset = executors.iter().any(|executor| {
            let flat = executor.borrow().flat;
            let live = flat.live(pool);
            flat.edges.iter().any(|edge| match &edge.step {
                Step::Unset(register, _) => live[edge.to].contains(register),
                Step::Allocate { .. } => true,
                _ => false,
            })
        });
        if reads_unset {
            assumptions.push(
                "what is declared without a value holds the same in both versions".to_owned(),
            );
        }
        let uses = |test: &dyn Fn(&Step) -> bool| {
            executors.iter().any(|e| e.borrow().flat.edges.iter().any(|edge| test(&edge.step)))
        };
        if uses(&|step| matches!(step, Step::Load { .. } | Step::Store { .. })) {
            assumptions.push("accesses to memory are valid and aligned".to_owned());
        }
        let calls = |step: &Step| matches!(step, Step::Foreign { name, .. } if foreign::kind(name) != foreign::Kind::Mark);
        if uses(&calls) {
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

/// The parameters of both versions, with the inputs that they are.
pub fn parameters(
    programs: &[Program; 2],
    function: &str,
    inputs: &[(String, Term)],
) -> Vec<(Option<String>, Option<String>, Term)> {
    let names = [&programs[0], &programs[1]].map(|program| {
        let mut named = program.functions.iter().map(|(_, f)| f);
        let entry = named.find(|f| *f.name == *function && f.body.is_some());
        let parameters = entry.map(|entry| entry.parameters.clone()).unwrap_or_default();
        let name = |id: &VariableId| program.variables[*id].name.as_ref().map(ToString::to_string);
        parameters.iter().map(name).collect::<Vec<_>>()
    });
    let known = inputs.iter().filter_map(|(name, term)| {
        let number: usize = name.strip_prefix('#')?.parse().ok()?;
        Some((names[0].get(number)?.clone(), names[1].get(number)?.clone(), *term))
    });
    known.collect()
}

/// Functions of both versions that call themselves, take and return the same sorts, and do nothing but
/// compute.
fn recursive(programs: &[Program; 2]) -> BTreeSet<String> {
    let [old, new] = [&programs[0], &programs[1]].map(recursive_of);
    let both = old.intersection(&new).cloned();
    both.filter(|name| crate::signature(&programs[0], name) == crate::signature(&programs[1], name))
        .collect()
}

fn recursive_of(program: &Program) -> BTreeSet<String> {
    let mut calls: FxHashMap<FunctionId, FxHashSet<FunctionId>> = FxHashMap::default();
    let mut impure: FxHashSet<FunctionId> = FxHashSet::default();
    for ((function, _), edge) in program.edges() {
        let is_global = |term: &Term| {
            let free = free_vars(&program.pool, &[*term]);
            let globals = program.variables.iter().filter(|(_, v)| v.function.is_none());
            let mut globals = globals.map(|(_, v)| v.term);
            globals.any(|global| free.contains(&global))
        };
        let pure = match &edge.instruction {
            Instruction::Skip | Instruction::Assume(_) | Instruction::Check(..) => true,
            Instruction::Assign(id, _) | Instruction::Havoc(id, Cause::Uninitialized) => {
                program.variables[*id].function.is_some()
            }
            Instruction::Call { callee: Callee::Function(callee), results, .. } => {
                calls.entry(function).or_default().insert(*callee);
                let callee = &program.functions[*callee];
                let known =
                    callee.body.is_some() || foreign::kind(&callee.name) != foreign::Kind::Effect;
                known && results.iter().all(|id| program.variables[*id].function.is_some())
            }
            _ => false,
        };
        if !pure || edge.instruction.terms().iter().any(is_global) {
            impure.insert(function);
        }
    }
    let reached = |from: FunctionId| {
        let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
        let mut pending: Vec<FunctionId> =
            calls.get(&from).into_iter().flatten().copied().collect();
        while let Some(function) = pending.pop() {
            if seen.insert(function) {
                pending.extend(calls.get(&function).into_iter().flatten());
            }
        }
        seen
    };
    let named = program.functions.iter().filter(|(_, f)| f.body.is_some());
    let recursive = named.filter(|(id, _)| {
        let reached = reached(*id);
        reached.contains(id) && !impure.contains(id) && reached.is_disjoint(&impure)
    });
    recursive.map(|(_, f)| f.name.to_string()).collect()
}

/// How both versions begin, and what must be equal in the end.
struct Start {
    states: [State; 2],
    axioms: Vec<Term>,
    outputs: Vec<(Term, Term)>,
    inputs: Vec<(String, Term)>,
}

impl Start {
    fn new(pool: &Pool, executors: &[RefCell<Executor<'_>>; 2]) -> Start {
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
