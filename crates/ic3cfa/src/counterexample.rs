//! From a chain of obligations to a run ([Lan18 §4.2.4]).
//!
//! Every state of an obligation's cube leads by its arrow into the parent's cube, for some
//! inputs. So any state of the first cube is a start, and the inputs of each step are found by a
//! query about that step alone, with the state before it known.

use crate::cube::{Cube, Obligations};
use crate::engine::{End, Engine};
use crate::graph::{ArrowId, Graph};
use lemmas::{Obligation, ObligationId};
use program::cfa::Cfa;
use program::execute::{Values, follow};
use program::verdict::{Reason, Run, Step};
use smt::{Answer, Solver};
use term::eval::default_value;
use term::traverse::{Substitution, free_vars};
use term::{Pool, Term, Value, evaluate};

/// Cubes, each of whose states leads by an arrow into the next cube, for some inputs. The first is
/// at the initial node, the last at the error node.
pub(crate) struct Chain {
    pub(crate) first: Cube,
    pub(crate) steps: Vec<(ArrowId, Cube)>,
}

impl Chain {
    /// From an obligation at the initial node to its last ancestor.
    pub(crate) fn from_obligation(obligations: &Obligations, first: ObligationId) -> Chain {
        let chain = obligations.chain(first);
        let next = obligations.chain(first).skip(1);
        let step = |(at, next): (&Obligation<_, _, Option<ArrowId>>, &Obligation<_, _, _>)| {
            (at.step.expect("what has a parent has an arrow"), next.cube.clone())
        };
        let steps = chain.zip(next).map(step).collect();
        Chain { first: obligations.get(first).cube.clone(), steps }
    }
}

impl Engine<'_> {
    /// The run that begins in the cube of the first obligation.
    pub(crate) fn counterexample(&mut self, cfa: &Cfa, first: ObligationId) -> Result<Run, End> {
        let chain = Chain::from_obligation(&self.obligations, first);
        let Engine { pool, graph, scratch, allowance, .. } = self;
        Extraction { pool, graph, solver: &mut **scratch, work: allowance.work }.run(cfa, &chain)
    }
}

/// What a run is found with.
pub(crate) struct Extraction<'e> {
    pub(crate) pool: &'e Pool,
    pub(crate) graph: &'e mut Graph,
    /// Knows nothing.
    pub(crate) solver: &'e mut dyn Solver,
    /// The conflicts that a question may take.
    pub(crate) work: Option<u64>,
}

impl Extraction<'_> {
    /// A run along the chain.
    pub(crate) fn run(&mut self, cfa: &Cfa, chain: &Chain) -> Result<Run, End> {
        let start = self.start(&chain.first)?;
        let mut state = start.clone();
        let mut run = Run::default();
        for (arrow, target) in &chain.steps {
            let inputs = self.step_inputs(*arrow, target.literals(), &state)?;
            state = self.after(*arrow, &inputs, &state)?;
            self.append(&mut run, *arrow, &inputs);
        }
        debug_assert!(follow(self.pool, cfa, &run, &start).is_ok(), "the run executes");
        Ok(run)
    }

    /// A state of the first cube; with the default values, if they are among them.
    fn start(&mut self, first: &Cube) -> Result<Values, End> {
        let pool = self.pool;
        let cube = first.literals();
        let variables = free_vars(pool, cube);
        let defaults: Values =
            variables.iter().map(|v| (*v, default_value(pool, pool.sort(*v)))).collect();
        if cube.iter().all(|l| evaluate(pool, *l, &defaults) == Ok(Value::Bool(true))) {
            return Ok(defaults);
        }
        // SAT? first cube
        self.solve(cube)?;
        let mut state = Values::default();
        for variable in variables {
            state.insert(variable, self.solver.value(pool, variable)?);
        }
        Ok(state)
    }

    /// Inputs with which the arrow leads from the state into the cube.
    fn step_inputs(
        &mut self,
        arrow: ArrowId,
        target: &[Term],
        state: &Values,
    ) -> Result<Values, End> {
        let pool = self.pool;
        let effect = &mut self.graph.arrows[arrow].effect;
        let wep = effect.wep(pool, target);
        let inputs: Vec<Term> = effect.inputs.iter().map(|(_, v)| *v).collect();
        let mut values = Values::default();
        if !inputs.is_empty() {
            let known = |v: Term| match state.get(&v) {
                Some(value) => pool.constant(value.clone()),
                None => pool.constant(default_value(pool, pool.sort(v))),
            };
            let variables = free_vars(pool, &wep).into_iter().filter(|v| !inputs.contains(v));
            let mut substitution = Substitution::new(variables.map(|v| (v, known(v))));
            let question: Vec<Term> = wep.iter().map(|l| substitution.apply(pool, *l)).collect();
            // SAT? (guards ∧ cube')[state]
            self.solve(&question)?;
            for input in inputs {
                values.insert(input, self.solver.value(pool, input)?);
            }
        }
        Ok(values)
    }

    fn solve(&mut self, formulas: &[Term]) -> Result<(), End> {
        self.solver.set_work(self.work);
        match self.solver.check(self.pool, formulas)? {
            Answer::Sat => Ok(()),
            Answer::Unsat => {
                let words = "a step of the counterexample has no inputs".to_string();
                Err(End::Stopped(Reason::GaveUp(words)))
            }
            Answer::Unknown(reason) => Err(reason.into()),
        }
    }

    /// The state after an arrow.
    fn after(&self, arrow: ArrowId, inputs: &Values, state: &Values) -> Result<Values, End> {
        let mut known = state.clone();
        known.extend(inputs.iter().map(|(v, value)| (*v, value.clone())));
        let mut next = state.clone();
        for (variable, term) in &self.graph.arrows[arrow].effect.assigned {
            let value = evaluate(self.pool, *term, &known)
                .map_err(|error| End::Stopped(Reason::GaveUp(error.to_string())))?;
            next.insert(*variable, value);
        }
        Ok(next)
    }

    /// Adds an arrow to the run: a step of its own, or the rest of an edge's.
    fn append(&self, run: &mut Run, arrow: ArrowId, values: &Values) {
        let arrow = &self.graph.arrows[arrow];
        if self.graph.nodes[arrow.from].location.is_some() {
            run.steps.push(Step { edge: arrow.edge, inputs: Vec::new() });
        }
        let step = run.steps.last_mut().expect("a run begins at a location");
        for (input, variable) in &arrow.effect.inputs {
            step.inputs.push((*input, values[variable].clone()));
        }
    }
}
