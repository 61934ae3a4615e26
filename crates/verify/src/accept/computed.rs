//! Runs that take results of functions like `cosf`, which a model knows up to bounds.
//!
//! The interpreter takes the correctly rounded results, and may go another way with them than the run of
//! the model. Then the path of the run, on the automaton before minimization, becomes one formula, and
//! other values are looked for that lead along it: first the same arguments, with the results that the
//! functions have there; then others, after the formula has learnt these results and, where the
//! functions are monotone, what follows for the arguments beside.
//!
//! A library may give other last digits. A run that counts is therefore executed again with results as far
//! from the correctly rounded ones as is stated; if it goes another way then, that is said.

use crate::code::Decider;
use crate::code::encode::Encoding;
use crate::outcome::{Finding, Violation};
use answer::{Allowance, Interrupt};
use program::cfa::{EdgeId, InputId};
use program::counterexample::{Counterexample, Script};
use program::interpret::{Branch, Interpreter, Limits, Oracle, Outcome, Request};
use program::program::{Assumption, Cause, Computed};
use program::symbolic::{State, execute};
use program::verdict::{Run, Step};
use program::{Cfa, follow_inputs};
use smt::{Answer, Error, Solver};
use std::sync::Arc;
use std::time::Duration;
use term::{Pool, Term, Value};
use value::Float;
use value::curve::enclosure::{Trend, around, trend};

use super::approximation::approximate;

/// How long other values are looked for, and how often.
const PATIENCE: Duration = Duration::from_secs(10);
const ROUNDS: usize = 60;
/// How long a run is executed again with other digits.
const DIGITS_PATIENCE: Duration = Duration::from_secs(1);

/// What computes a value, if something does.
pub(crate) fn source(cause: &Cause) -> Option<String> {
    match cause {
        Cause::Computed(computed) => Some(format!("{}()", computed.name)),
        _ => None,
    }
}

/// What computes the first value of a run that is computed.
pub(super) fn first(encoding: &Encoding, run: &Run) -> Option<String> {
    let mut inputs = run.steps.iter().flat_map(|step| &step.inputs);
    inputs.find_map(|(input, _)| source(&encoding.minimized.cfa.inputs[*input].cause))
}

/// Whether a run takes a value that is computed.
pub(super) fn is_taken(encoding: &Encoding, run: &Run) -> bool {
    first(encoding, run).is_some()
}

/// A run of the automaton before minimization along the path of a run, with the results that functions
/// have.
pub(super) fn same_path(decider: &Decider<'_, '_>, encoding: &Encoding, run: &Run) -> Option<Run> {
    let (pool, model) = (&decider.program.pool, &encoding.model);
    let run = follow_inputs(pool, &model.cfa, run)?;
    let path = Path::of(pool, &model.cfa, &run);
    let mut solver = decider.setup.settings.solvers.bits();
    let allowance = decider.setup.budget.allowance.within(PATIENCE);
    solver.set_allowance(allowance.clone());
    path.solve(pool, &mut *solver, &allowance).ok().flatten()
}

/// A result on a path.
struct Image {
    computed: Arc<Computed>,
    arguments: Vec<Term>,
    result: Term,
}

/// A path as a formula.
struct Path {
    /// What holds on it.
    formulas: Vec<Term>,
    /// Its edges, each with the variables that stand for its inputs.
    edges: Vec<(EdgeId, Vec<(InputId, Term)>)>,
    /// The results that are computed on it.
    results: Vec<Image>,
}

/// What a function gives for the values that a model has.
struct Point {
    arguments: Vec<Float>,
    exact: Float,
    /// Whether the model has that, too.
    right: bool,
}

impl Image {
    /// What the model of a solver says, and what is right; none if there is no number.
    fn point(&self, pool: &Pool, solver: &mut dyn Solver) -> Result<Option<Point>, Error> {
        let mut arguments = Vec::new();
        for argument in &self.arguments {
            match solver.value(pool, *argument)? {
                Value::Float(float) => arguments.push(float),
                _ => return Ok(None),
            }
        }
        let exact = self.computed.curve.value(&arguments.iter().collect::<Vec<_>>());
        let Some(exact) = exact else { return Ok(None) };
        let right = solver.value(pool, self.result)? == Value::Float(exact.clone());
        Ok(Some(Point { arguments, exact, right }))
    }

    /// That the arguments are those of a point.
    fn is_at(&self, pool: &Pool, point: &Point) -> Term {
        let same = |(term, value): (&Term, &Float)| pool.eq(*term, pool.float(value.clone()));
        pool.and(self.arguments.iter().zip(&point.arguments).map(same))
    }

    /// What a point says of the results.
    fn lemmas(&self, pool: &Pool, point: &Point) -> Vec<Term> {
        let exact = pool.float(point.exact.clone());
        let here = pool.implies(self.is_at(pool, point), pool.eq(self.result, exact));
        let mut lemmas = vec![here];
        let ([x], [at]) = (&self.arguments[..], &point.arguments[..]) else { return lemmas };
        let Some(Trend { from, to, rises }) = trend(self.computed.curve, at) else { return lemmas };
        let float = |value: &Float| pool.float(value.clone());
        let before = pool.and([pool.fp_leq(float(&from), *x), pool.fp_leq(*x, float(at))]);
        let behind = pool.and([pool.fp_leq(float(at), *x), pool.fp_leq(*x, float(&to))]);
        let (lower, upper) = (pool.fp_leq(self.result, exact), pool.fp_leq(exact, self.result));
        let (before_then, behind_then) = if rises { (lower, upper) } else { (upper, lower) };
        lemmas.push(pool.implies(before, before_then));
        lemmas.push(pool.implies(behind, behind_then));
        lemmas
    }
}

impl Path {
    /// The path that a run takes.
    fn of(pool: &Pool, cfa: &Cfa, run: &Run) -> Path {
        let mut state = State::new();
        let mut path = Path { formulas: Vec::new(), edges: Vec::new(), results: Vec::new() };
        for Step { edge, inputs: taken } in &run.steps {
            let before = state.clone();
            let executed = execute(pool, &cfa.edges[*edge].command, &mut state);
            path.formulas.push(executed.guard);
            // The automaton before minimization has no choices.
            let inputs = executed.trail.inputs(&mut |_| false);
            for ((input, variable), (_, value)) in inputs.iter().zip(taken) {
                let cause = &cfa.inputs[*input].cause;
                if approximate(cause).is_some() {
                    path.formulas.push(pool.eq(*variable, pool.constant(value.clone())));
                }
                if let Cause::Computed(computed) = cause {
                    let arguments = computed.arguments.iter();
                    let arguments = arguments.map(|term| before.apply(pool, *term)).collect();
                    let computed = computed.clone();
                    path.results.push(Image { computed, arguments, result: *variable });
                }
            }
            path.edges.push((*edge, inputs));
        }
        path
    }

    /// The run that a solver finds.
    fn solve(
        &self,
        pool: &Pool,
        solver: &mut dyn Solver,
        allowance: &Allowance,
    ) -> Result<Option<Run>, Error> {
        for formula in &self.formulas {
            solver.assert(pool, *formula)?;
        }
        for _ in 0..ROUNDS {
            // SAT? the guards of the path ∧ what was learnt of the functions
            if allowance.exhausted().is_some() || solver.check(pool, &[])? != Answer::Sat {
                return Ok(None);
            }
            let Some(points) = self.points(pool, solver)? else { return Ok(None) };
            if points.iter().all(|point| point.right) {
                return self.run(pool, solver).map(Some);
            }
            let fixed: Vec<Term> = self
                .results
                .iter()
                .zip(&points)
                .flat_map(|(image, point)| {
                    let exact = pool.float(point.exact.clone());
                    [image.is_at(pool, point), pool.eq(image.result, exact)]
                })
                .collect();
            // SAT? the guards of the path ∧ the same arguments ∧ the results there
            if solver.check(pool, &fixed)? == Answer::Sat {
                return self.run(pool, solver).map(Some);
            }
            for (image, point) in self.results.iter().zip(&points) {
                for lemma in image.lemmas(pool, point) {
                    solver.assert(pool, lemma)?;
                }
            }
        }
        Ok(None)
    }

    fn points(&self, pool: &Pool, solver: &mut dyn Solver) -> Result<Option<Vec<Point>>, Error> {
        self.results.iter().map(|image| image.point(pool, solver)).collect()
    }

    fn run(&self, pool: &Pool, solver: &mut dyn Solver) -> Result<Run, Error> {
        let mut steps = Vec::with_capacity(self.edges.len());
        for (edge, inputs) in &self.edges {
            let value =
                |&(input, variable): &(InputId, Term)| Ok((input, solver.value(pool, variable)?));
            steps.push(Step {
                edge: *edge,
                inputs: inputs.iter().map(value).collect::<Result<_, Error>>()?,
            });
        }
        Ok(Run { steps })
    }
}

/// That a run hangs on digits which a library need not give, if it does.
pub(crate) fn assumption(decider: &Decider<'_, '_>, finding: &Finding) -> Option<Assumption> {
    let Finding::Unsafe(Violation::Program { run, .. }) = finding else { return None };
    let first = run.taken.iter().find(|taken| taken.is_computed())?;
    let hangs = Digits::ALL.into_iter().any(|digits| !leads_there(decider, run, digits));
    hangs.then(|| Assumption {
        text: format!(
            "the run depends on the last digits that the library gives for {}",
            first.what()
        ),
        place: first.place.clone(),
    })
}

/// What a library makes of the last digits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Digits {
    Greater,
    Less,
    Alternating,
}

impl Digits {
    const ALL: [Digits; 3] = [Digits::Greater, Digits::Less, Digits::Alternating];
}

/// Whether a run goes into its violation with other digits.
fn leads_there(decider: &Decider<'_, '_>, run: &Counterexample, digits: Digits) -> bool {
    let script = Script::of(run);
    let strayed: Interrupt = script.strayed();
    let allowance = decider.setup.budget.allowance.within(DIGITS_PATIENCE);
    let allowance = Allowance { interrupt: strayed.clone(), ..allowance };
    let limits = Limits { allowance, ..Limits::default() };
    let Ok(interpreter) = Interpreter::new(decider.program) else { return false };
    let interpreter = interpreter.with_properties(decider.properties).with_limits(limits);
    let interpreter = interpreter.with_placement(run.placement.clone().unwrap_or_default());
    let outcome = interpreter.run(&mut Library { script, digits, up: false });
    let there = |outcome: &Outcome| match outcome {
        Outcome::Violation { property, at, .. } => {
            Some(*property) == run.property && at.place(decider.program) == run.place
        }
        _ => false,
    };
    there(&outcome) && !strayed.is_raised()
}

/// A library whose results are as far from the correctly rounded ones as is stated.
struct Library {
    script: Script,
    digits: Digits,
    up: bool,
}

impl Oracle for Library {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        self.script.value(request)
    }

    fn computed(&mut self, request: &Request<'_>, result: Value) -> Value {
        let result = self.script.computed(request, result);
        let (Value::Float(exact), Cause::Computed(computed)) = (&result, request.cause) else {
            return result;
        };
        self.up = match self.digits {
            Digits::Greater => true,
            Digits::Less => false,
            Digits::Alternating => !self.up,
        };
        let (low, high) = around(exact, computed.error);
        let other = if self.up { high } else { low };
        // Zeros, ones and infinities are what the standard says, or the end of a range.
        let one = Float::one(exact.format(), false);
        let kept = !exact.is_finite() || exact.is_zero() || exact.abs().ieee_eq(&one);
        let crosses = exact.abs().lt(&one) != other.abs().lt(&one)
            || exact.is_negative() != other.is_negative();
        if kept || crosses { result } else { Value::Float(other) }
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        self.script.choose(branch)
    }
}
