//! Proofs by summaries.
//!
//! What is known of calls is a graph of nodes ([`Summaries`]). For each node that says something of its
//! procedure, an automaton without loops is made: the body, in which every call is what its node says of
//! it, and which ends in the error location if the inputs, with which it began, and the outputs do not
//! satisfy the summary of the node. That this is unreachable is property 2.6 of \[Fed15 §2.3.4\], and is
//! checked like any other program ([`check_program`]); that the first node excludes violations is property
//! 2.5. Then every call that ends has the properties that its node says it has, by induction on the number
//! of calls in it.
//!
//! \[Fed15\] is Fedyukovich: *Incremental Verification* (2015).

use crate::program::{ProgramRejection, check_program};
use ::program::cfa::{Cfa, Command, Edge, Location, LocationId, Origin};
use ::program::place::Place;
use ::program::procedures::{
    Action, Call, Callee, EdgeId, Interface, Node, Procedure, ProcedureId, Procedures, Summaries,
    Summary,
};
use ::program::program::Reading;
use ::program::verdict::{Invariant, Proof};
use answer::Allowance;
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::{Substitution, free_vars};
use term::{Pool, Term};

/// Why summaries are no proof.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SummaryRejection {
    /// They do not speak of the program.
    #[error("the summaries are not of this program: {0}")]
    Foreign(&'static str),
    /// Property 2.5 fails.
    #[error("the summary of the start does not exclude violations")]
    Start,
    /// Property 2.6 fails.
    #[error("the summary of {procedure} does not follow from its body: {why}")]
    Body {
        /// The procedure.
        procedure: String,
        /// What is wrong.
        why: ProgramRejection,
    },
    /// The check itself was stopped.
    #[error("the check was stopped: {0}")]
    Stopped(smt::Reason),
}

/// The most edges of the automaton that a node may become.
const MAX_EDGES: usize = 2_000_000;

/// Checks that summaries exclude every violation of a program.
///
/// Requires: memory is variables, and no procedure has a cycle of edges.
///
/// A stopped check accepts nothing.
pub fn check_summaries(
    pool: &Pool,
    procedures: &Procedures,
    summaries: &Summaries,
    allowance: &Allowance,
) -> Result<(), SummaryRejection> {
    let checker = Checker { pool, procedures, summaries };
    checker.speaks_of_the_program()?;
    for (number, node) in summaries.nodes.iter().enumerate() {
        let nothing = Summary { returns: Vec::new(), fails: vec![pool.fls()] };
        let summary = match &node.summary {
            Some(summary) => summary,
            None if number == summaries.start => &nothing,
            // It is put in the places of the calls that it is for.
            None => continue,
        };
        if number == summaries.start
            && pool.as_bool(pool.and(summary.fails.iter().copied())) != Some(false)
        {
            return Err(SummaryRejection::Start);
        }
        let cfa = checker.automaton(node, summary)?;
        let proof = Proof::Inductive(Invariant::default());
        match check_program(pool, &cfa, &proof, allowance) {
            Ok(()) => {}
            Err(ProgramRejection::Stopped(reason)) => {
                return Err(SummaryRejection::Stopped(reason));
            }
            Err(why) => {
                let procedure = procedures.procedures[node.procedure].name.to_string();
                return Err(SummaryRejection::Body { procedure, why });
            }
        }
    }
    Ok(())
}

struct Checker<'a> {
    pool: &'a Pool,
    procedures: &'a Procedures,
    summaries: &'a Summaries,
}

impl Checker<'_> {
    fn speaks_of_the_program(&self) -> Result<(), SummaryRejection> {
        let foreign = |what: &'static str| Err(SummaryRejection::Foreign(what));
        let start = self.summaries.nodes.get(self.summaries.start);
        if start.is_none_or(|start| start.procedure != self.procedures.start) {
            return foreign("nothing is said of the start");
        }
        let variables: FxHashSet<Term> = self
            .procedures
            .procedures
            .values()
            .flat_map(|procedure| procedure.variables.iter().map(|(variable, _)| *variable))
            .chain(self.procedures.globals.keys().copied())
            .collect();
        let mut after = FxHashSet::default();
        for (id, interface) in self.procedures.interfaces(self.pool).iter() {
            let Some(said) = self.summaries.interfaces.get(id) else {
                return foreign("a procedure has no interface");
            };
            let outputs = |interface: &Interface| -> Vec<Term> {
                interface.outputs.iter().map(|output| output.variable).collect()
            };
            let same = said.inputs == interface.inputs && outputs(said) == outputs(interface);
            let new = |term: Term| !variables.contains(&term);
            if !same || said.results != interface.results {
                return foreign("a procedure has another interface");
            }
            if !said.outputs.iter().all(|output| new(output.after) && after.insert(output.after)) {
                return foreign("values after a call have no names of their own");
            }
        }
        for node in &self.summaries.nodes {
            self.node_speaks_of_its_procedure(node)?;
        }
        Ok(())
    }

    fn node_speaks_of_its_procedure(&self, node: &Node) -> Result<(), SummaryRejection> {
        let foreign = |what: &'static str| Err(SummaryRejection::Foreign(what));
        let Some(interface) = self.summaries.interfaces.get(node.procedure) else {
            return foreign("a node is of no procedure");
        };
        let procedure = &self.procedures.procedures[node.procedure];
        for (edge, numbers) in &node.calls {
            let called = procedure.edges.iter().find(|(id, _)| id == edge);
            let called = called.and_then(|(_, edge)| called_procedure(&edge.action));
            for number in numbers {
                let Some(known) = self.summaries.nodes.get(*number) else {
                    return foreign("a call is known by no node");
                };
                if Some(known.procedure) != called {
                    return foreign("a call is known by a node of another procedure");
                }
                if known.summary.is_none() && numbers.len() > 1 {
                    return foreign("a call is known by a body and by more");
                }
            }
        }
        let Some(summary) = &node.summary else { return Ok(()) };
        let over = |formulas: &[Term], allowed: &dyn Fn(&Term) -> bool| {
            free_vars(self.pool, formulas).iter().all(allowed)
        };
        let is_input = |term: &Term| interface.inputs.contains(term);
        let is_after = |term: &Term| interface.outputs.iter().any(|output| output.after == *term);
        if !over(&summary.fails, &is_input)
            || !over(&summary.returns, &|term| is_input(term) || is_after(term))
        {
            return foreign("a formula speaks of something else than inputs and outputs");
        }
        Ok(())
    }

    /// The automaton that reaches its error location if a summary does not follow.
    fn automaton(&self, node: &Node, summary: &Summary) -> Result<Cfa, SummaryRejection> {
        let mut paste = Paste { checker: self, cfa: Cfa::default(), depth: 0, failed: None };
        let [initial, failed, error] =
            [(); 3].map(|()| paste.cfa.locations.alloc(Location::default()));
        paste.cfa.initial = Some(initial);
        paste.cfa.error = Some(error);
        paste.failed = Some(failed);
        for (variable, origin) in &self.procedures.globals {
            paste.cfa.variables.insert(*variable, origin.clone());
        }
        let interface = &self.summaries.interfaces[node.procedure];
        let mut body = paste.body(node)?;
        // What the inputs were.
        let mut begin = Vec::new();
        let mut map: Vec<(Term, Term)> = Vec::new();
        for &input in &interface.inputs {
            let now = body.map.apply(self.pool, input);
            let before = paste.variable(input);
            begin.push(Command::Assign(before, now));
            map.push((input, before));
        }
        let mut before = Substitution::new(map.iter().copied());
        let fails = self.pool.and(summary.fails.iter().map(|f| before.apply(self.pool, *f)));
        for output in &interface.outputs {
            map.push((output.after, body.map.apply(self.pool, output.variable)));
        }
        let mut both = Substitution::new(map);
        let returns = self.pool.and(summary.returns.iter().map(|f| both.apply(self.pool, *f)));
        paste.step(initial, body.entry, Command::Sequence(begin));
        paste.step(failed, error, Command::Assume(self.pool.not(fails)));
        paste.step(body.exit, error, Command::Assume(self.pool.not(returns)));
        Ok(paste.cfa)
    }
}

fn called_procedure(action: &Action) -> Option<ProcedureId> {
    match action {
        Action::Call(call) => match call.callee {
            Callee::Procedure(callee) => Some(callee),
            Callee::Pointer(_) => None,
        },
        _ => None,
    }
}

/// Bodies in the places of calls.
struct Paste<'a> {
    checker: &'a Checker<'a>,
    cfa: Cfa,
    /// How many bodies are open.
    depth: usize,
    /// Where violations lead.
    failed: Option<LocationId>,
}

/// A body in an automaton.
struct Pasted {
    entry: LocationId,
    exit: LocationId,
    /// Its variables there.
    map: Substitution,
}

impl Paste<'_> {
    fn step(&mut self, from: LocationId, to: LocationId, command: Command) {
        let edge = Edge { from, to, command, place: Place::default(), violates: None };
        self.cfa.edges.alloc(edge);
    }

    /// A variable of its own, with any value at first.
    fn variable(&mut self, like: Term) -> Term {
        let pool = self.checker.pool;
        let name = pool.var_name(like).unwrap_or("value").to_owned();
        let sort = pool.sort(like);
        let variable = pool.fresh_var(&name, sort);
        let reading = Reading::Unsigned;
        let origin = Origin { sort, variable: None, context: None, name: name.into(), reading };
        self.cfa.variables.insert(variable, origin);
        variable
    }

    /// The body of a node's procedure, with variables of its own.
    fn body(&mut self, node: &Node) -> Result<Pasted, SummaryRejection> {
        self.depth += 1;
        if self.depth > self.checker.summaries.nodes.len() + 1 {
            return Err(SummaryRejection::Foreign("a call is put in its own place"));
        }
        if self.cfa.edges.len() > MAX_EDGES {
            return Err(SummaryRejection::Foreign("too many calls are put in their places"));
        }
        let procedure: &Procedure = &self.checker.procedures.procedures[node.procedure];
        let own: Vec<(Term, Term)> = procedure
            .variables
            .iter()
            .map(|(variable, _)| (*variable, self.variable(*variable)))
            .collect();
        let mut map = Substitution::new(own);
        let mut at: FxHashMap<LocationId, LocationId> = FxHashMap::default();
        for (id, location) in procedure.locations.iter() {
            at.insert(id, self.cfa.locations.alloc(location.clone()));
        }
        at.extend(self.failed.map(|failed| (procedure.error, failed)));
        for (id, edge) in procedure.edges.iter() {
            let (from, to) = (at[&edge.from], at[&edge.to]);
            match &edge.action {
                Action::Command(command) => {
                    let mut command = command.clone();
                    command.map_terms(&mut |term| map.apply(self.checker.pool, term));
                    self.step(from, to, command);
                }
                Action::Call(call) => self.call(node, (id, call), &mut map, from, to)?,
                _ => return Err(SummaryRejection::Foreign("memory is not variables")),
            }
        }
        self.depth -= 1;
        Ok(Pasted { entry: at[&procedure.entry], exit: at[&procedure.exit], map })
    }

    /// What is known of a call, in its place.
    fn call(
        &mut self,
        node: &Node,
        (id, call): (EdgeId, &Call),
        map: &mut Substitution,
        from: LocationId,
        to: LocationId,
    ) -> Result<(), SummaryRejection> {
        let pool = self.checker.pool;
        let Callee::Procedure(callee) = call.callee else {
            return Err(SummaryRejection::Foreign("a call is through a pointer"));
        };
        let arguments: Vec<Term> =
            call.arguments.iter().map(|term| map.apply(pool, *term)).collect();
        let results: Vec<Term> = call.results.iter().map(|term| map.apply(pool, *term)).collect();
        let numbers = node.calls.get(&id).map_or(&[][..], Vec::as_slice);
        let known: Vec<&Node> =
            numbers.iter().map(|number| &self.checker.summaries.nodes[*number]).collect();
        match known[..] {
            [inner @ Node { summary: None, .. }] => {
                let mut body = self.body(inner)?;
                let procedure = &self.checker.procedures.procedures[callee];
                let assign = |(to, value): (Term, Term)| Command::Assign(to, value);
                let parameters: Vec<Term> =
                    procedure.parameters.iter().map(|p| body.map.apply(pool, *p)).collect();
                let begin = parameters.into_iter().zip(arguments).map(assign).collect();
                self.step(from, body.entry, Command::Sequence(begin));
                let given: Vec<Term> =
                    procedure.results.iter().map(|r| body.map.apply(pool, *r)).collect();
                let end = results.into_iter().zip(given).map(assign).collect();
                self.step(body.exit, to, Command::Sequence(end));
                Ok(())
            }
            _ => {
                let mut all = Summary::default();
                for summary in known.iter().filter_map(|node| node.summary.as_ref()) {
                    all.returns.extend(&summary.returns);
                    all.fails.extend(&summary.fails);
                }
                self.known_call(callee, &all, arguments, results, (from, to));
                Ok(())
            }
        }
    }

    /// A call of which nothing is known but a summary.
    fn known_call(
        &mut self,
        callee: ProcedureId,
        summary: &Summary,
        arguments: Vec<Term>,
        results: Vec<Term>,
        (from, to): (LocationId, LocationId),
    ) {
        let pool = self.checker.pool;
        let interface = &self.checker.summaries.interfaces[callee];
        let parameters = arguments.len();
        let mut begin = Vec::new();
        let mut map: Vec<(Term, Term)> = Vec::new();
        let globals = interface.inputs[parameters..].iter().copied();
        for (&input, value) in interface.inputs.iter().zip(arguments.into_iter().chain(globals)) {
            let before = self.variable(input);
            begin.push(Command::Assign(before, value));
            map.push((input, before));
        }
        let outputs: Vec<Term> =
            interface.outputs.iter().map(|output| self.variable(output.variable)).collect();
        let after = interface.outputs.iter().map(|output| output.after);
        map.extend(after.zip(outputs.iter().copied()));
        let mut map = Substitution::new(map);
        let [fails, returns] = [&summary.fails, &summary.returns]
            .map(|formulas| pool.and(formulas.iter().map(|formula| map.apply(pool, *formula))));
        let mut ends = begin.clone();
        ends.push(Command::Assume(returns));
        for (output, value) in interface.outputs.iter().zip(&outputs).skip(interface.results) {
            ends.push(Command::Assign(output.variable, *value));
        }
        ends.extend(results.into_iter().zip(outputs).map(|(to, value)| Command::Assign(to, value)));
        self.step(from, to, Command::Sequence(ends));
        begin.push(Command::Assume(fails));
        if let Some(failed) = self.failed {
            self.step(from, failed, Command::Sequence(begin));
        }
    }
}
