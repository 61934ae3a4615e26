//! Procedures that call each other as clauses, and what a derivation says of the run.
//!
//! Of each location of a procedure there is a predicate over the inputs that its call began with and the
//! variables now. A call makes two clauses: the callee begins with these inputs, and the caller goes on
//! with what the callee's exit says for them. A derivation of `false` is a run: the ways of all open
//! calls, and of the calls that have returned, in order.

use super::automaton::{apart, source_place};
use crate::refutation::Refutation;
use crate::system::{Application, Clause, Predicate, System};
use la_arena::ArenaMap;
use program::cfa::{InputId, LocationId};
use program::procedures::{
    Action, Call, Callee, Edge, Extent, Interface, Procedure, ProcedureId, Procedures,
};
use program::symbolic::{State, Trail, execute};
use rustc_hash::FxHashMap;
use term::{Pool, Term, Value, evaluate};

/// Why procedures have no clauses.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unencodable {
    /// An edge does what commands and calls can't.
    #[error("an edge does what clauses have no words for")]
    Action,
}

/// Procedures as clauses.
pub struct Encoded {
    /// The clauses.
    pub system: System,
    /// The location that each predicate stands for, in the order of predicates.
    pub locations: Vec<(ProcedureId, LocationId)>,
    /// What the arguments of the predicates of a procedure are: the inputs that its call began with, then
    /// variables now.
    pub arguments: ArenaMap<ProcedureId, (Vec<Term>, Vec<Term>)>,
    /// What each of them is.
    made: Vec<Made>,
}

/// What a clause stands for.
enum Made {
    /// The run begins.
    Start,
    /// A step within a procedure, with the values that it takes.
    Step(Trail),
    /// A call begins.
    Enter,
    /// A call has returned.
    Return,
}

/// The clauses of procedures whose memory is variables.
pub fn of_procedures(pool: &Pool, procedures: &Procedures) -> Result<Encoded, Unencodable> {
    let interfaces = procedures.interfaces(pool);
    let mut encoder = Encoder {
        pool,
        procedures,
        interfaces,
        numbers: FxHashMap::default(),
        encoded: Encoded {
            system: System::default(),
            locations: Vec::new(),
            arguments: ArenaMap::default(),
            made: Vec::new(),
        },
    };
    for (id, procedure) in procedures.procedures.iter() {
        encoder.predicates(id, procedure);
    }
    encoder.start();
    for (id, procedure) in procedures.procedures.iter() {
        for edge in procedure.edges.values() {
            encoder.edge(id, procedure, edge)?;
        }
    }
    Ok(encoder.encoded)
}

struct Encoder<'a> {
    pool: &'a Pool,
    procedures: &'a Procedures,
    interfaces: ArenaMap<ProcedureId, Interface>,
    numbers: FxHashMap<(ProcedureId, LocationId), usize>,
    encoded: Encoded,
}

/// What stands for the inputs that a call began with.
fn began(pool: &Pool, interface: &Interface) -> Vec<Term> {
    let name = |input: &Term| format!("{} before", pool.var_name(*input).unwrap_or("input"));
    interface.inputs.iter().map(|input| pool.var(&name(input), pool.sort(*input))).collect()
}

impl Encoder<'_> {
    /// The variables of a procedure at its locations, globals it has to do with among them.
    fn variables(&self, id: ProcedureId) -> Vec<Term> {
        let procedure = &self.procedures.procedures[id];
        let mut variables: Vec<Term> = procedure.variables.iter().map(|(term, _)| *term).collect();
        let others = self.interfaces[id].inputs.iter().copied();
        let others: Vec<Term> = others.filter(|input| !variables.contains(input)).collect();
        variables.extend(others);
        variables
    }

    fn predicates(&mut self, id: ProcedureId, procedure: &Procedure) {
        let pool = self.pool;
        let inputs = &self.interfaces[id].inputs;
        let variables = self.variables(id);
        let sorts = inputs.iter().chain(&variables).map(|v| pool.sort(*v));
        let sorts: Vec<_> = sorts.collect();
        for (location, _) in procedure.locations.iter() {
            let number = location.into_raw().into_u32();
            let name = match location {
                _ if location == procedure.entry => format!("{} entry", procedure.name),
                _ if location == procedure.exit => format!("{} exit", procedure.name),
                _ => format!("{} L{number}", procedure.name),
            };
            let predicates = &mut self.encoded.system.predicates;
            self.numbers.insert((id, location), predicates.len());
            predicates.push(Predicate::new(pool, &name, sorts.iter().copied()));
            self.encoded.locations.push((id, location));
        }
        self.encoded.arguments.insert(id, (inputs.clone(), variables));
    }

    /// A location, where variables have values.
    fn at(
        &self,
        id: ProcedureId,
        location: LocationId,
        inputs: Vec<Term>,
        value: &dyn Fn(Term) -> Term,
    ) -> Application {
        let mut arguments = inputs;
        arguments.extend(self.variables(id).into_iter().map(value));
        Application { predicate: self.numbers[&(id, location)], arguments }
    }

    fn add(&mut self, made: Made, edge: Option<&Edge>, clause: Clause) {
        let place = edge.map_or(clause.place, |edge| source_place(&edge.place));
        self.encoded.system.clauses.push(Clause { place, ..clause });
        self.encoded.made.push(made);
    }

    fn start(&mut self) {
        let id = self.procedures.start;
        let entry = self.procedures.procedures[id].entry;
        let head = self.at(id, entry, self.interfaces[id].inputs.clone(), &|v| v);
        let (body, constraint) = (Vec::new(), self.pool.tru());
        let place = crate::system::NOWHERE;
        let clause = Clause { body, constraint, head: Some(head), place };
        self.add(Made::Start, None, clause);
    }

    fn edge(
        &mut self,
        id: ProcedureId,
        procedure: &Procedure,
        edge: &Edge,
    ) -> Result<(), Unencodable> {
        if edge.to == procedure.dead_end || edge.from == procedure.error {
            return Ok(());
        }
        let (pool, place) = (self.pool, crate::system::NOWHERE);
        let inputs = began(pool, &self.interfaces[id]);
        let here = self.at(id, edge.from, inputs.clone(), &|v| v);
        match &edge.action {
            Action::Command(command) => {
                let mut state = State::new();
                let executed = execute(pool, command, &mut state);
                let fails = edge.to == procedure.error;
                let there = || self.at(id, edge.to, inputs, &|v| state.get(v));
                let head = (!fails).then(there);
                let clause = Clause { body: vec![here], constraint: executed.guard, head, place };
                self.add(Made::Step(executed.trail), Some(edge), clause);
                Ok(())
            }
            Action::Call(call) => self.call(id, edge, call, here, inputs),
            _ => Err(Unencodable::Action),
        }
    }

    fn call(
        &mut self,
        id: ProcedureId,
        edge: &Edge,
        call: &Call,
        here: Application,
        inputs: Vec<Term>,
    ) -> Result<(), Unencodable> {
        let (pool, place) = (self.pool, crate::system::NOWHERE);
        let Callee::Procedure(callee) = call.callee else { return Err(Unencodable::Action) };
        let procedure = &self.procedures.procedures[callee];
        let any = |v: Term| pool.fresh_var("any", pool.sort(v));
        let mut after = State::new();
        let mut body = vec![here.clone()];
        match procedure.extent {
            Extent::Endless => return Ok(()),
            Extent::Unknown | Extent::Idle => {
                call.results.iter().for_each(|result| after.set(*result, any(*result)));
            }
            Extent::Body => {
                let interface = self.interfaces[callee].clone();
                let mut given = call.arguments.clone();
                given.extend(interface.inputs[given.len()..].iter().copied());
                let begins: FxHashMap<Term, Term> =
                    interface.inputs.iter().copied().zip(given.iter().copied()).collect();
                let begin = |v: Term| begins.get(&v).copied().unwrap_or_else(|| any(v));
                let entry = self.at(callee, procedure.entry, given.clone(), &begin);
                let clause =
                    Clause { body: vec![here], constraint: pool.tru(), head: Some(entry), place };
                let (exit, results) = (procedure.exit, procedure.results.clone());
                self.add(Made::Enter, Some(edge), clause);
                let ends: FxHashMap<Term, Term> =
                    self.variables(callee).into_iter().map(|v| (v, any(v))).collect();
                body.push(self.at(callee, exit, given, &|v| ends[&v]));
                for output in &interface.outputs[interface.results..] {
                    after.set(output.variable, ends[&output.variable]);
                }
                for (into, result) in call.results.iter().zip(&results) {
                    after.set(*into, ends[result]);
                }
            }
        }
        let head = Some(self.at(id, edge.to, inputs, &|v| after.get(v)));
        let constraint = pool.tru();
        self.add(Made::Return, Some(edge), Clause { body, constraint, head, place });
        Ok(())
    }
}

impl Encoded {
    /// The clauses with short names of their own for variables: for reading, not for ways back.
    pub fn readable(&self, pool: &Pool) -> System {
        let clauses = self.system.clauses.iter().map(|clause| apart(pool, clause)).collect();
        System { predicates: self.system.predicates.clone(), clauses }
    }

    /// The values that a derivation's run takes, in order.
    pub fn inputs(&self, pool: &Pool, refutation: &Refutation) -> Vec<(InputId, Value)> {
        let mut found: Vec<(InputId, Value)> = Vec::new();
        let Some(last) = refutation.steps.len().checked_sub(1) else { return found };
        // From the last step backward. Of a call that has returned, the way from its beginning.
        let mut pending = vec![(last, false)];
        while let Some((number, returned)) = pending.pop() {
            let step = &refutation.steps[number];
            let first = step.premises.first().map(|premise| (*premise, returned));
            match &self.made[step.clause] {
                Made::Start => {}
                Made::Enter if returned => {}
                Made::Enter => pending.extend(first),
                Made::Return => {
                    pending.extend(first);
                    pending.extend(step.premises.get(1).map(|premise| (*premise, true)));
                }
                Made::Step(trail) => {
                    let values: FxHashMap<Term, Value> = step.values.iter().cloned().collect();
                    let value = |term: Term| evaluate(pool, term, &values).ok();
                    let taken = trail.inputs(&mut |term| value(term) == Some(Value::Bool(true)));
                    let taken = taken.into_iter().rev();
                    found.extend(taken.filter_map(|(input, v)| Some((input, value(v)?))));
                    pending.extend(first);
                }
            }
        }
        found.reverse();
        found
    }
}
