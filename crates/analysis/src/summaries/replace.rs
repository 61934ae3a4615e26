//! From summaries to programs without recursion.
//!
//! In the bodies of the recursive functions, a call `r := f(a)` of one of them becomes: any r, of
//! which the summary of f with a holds. With that,
//!
//! * the program itself, and
//! * for each of the functions a program that calls it with any arguments, and claims its summary
//!   of the result,
//!
//! are all safe only if the program is: every call that returns keeps the summaries, by induction on
//! the number of calls in it; and whatever a body does in a run of the program, it does in one of
//! these programs.

use super::{Summaries, parameters_and_results};
use la_arena::Arena;
use program::program::{
    Body, Callee, Cause, Edge, Function, FunctionId, Instruction, Location, VariableId,
};
use program::{Program, Property};
use rustc_hash::FxHashMap;
use term::Term;
use term::traverse::substitute;

/// Programs that are to be proved safe, each a copy with its own pool; with the property
/// [`Property::Claim`] beside those asked of the program.
pub struct Obligations {
    /// The program, with summaries.
    pub program: Program,
    /// For each summary that says something, the program that claims it.
    pub claims: Vec<Program>,
}

/// The programs that justify a proof by summaries.
pub fn replace(program: &Program, summaries: &Summaries) -> Obligations {
    let claims = in_order(summaries).into_iter().map(|function| {
        let mut copy = Replacement::new(program, summaries);
        copy.claim(function);
        copy.program
    });
    Obligations { claims: claims.collect(), program: Replacement::new(program, summaries).program }
}

fn in_order(summaries: &Summaries) -> Vec<FunctionId> {
    let mut functions: Vec<FunctionId> = summaries.keys().copied().collect();
    functions.sort();
    functions
}

struct Replacement<'a> {
    /// A copy, in which all terms keep their numbers.
    program: Program,
    summaries: &'a Summaries,
}

impl<'a> Replacement<'a> {
    fn new(original: &Program, summaries: &'a Summaries) -> Replacement<'a> {
        let mut replacement = Replacement { program: original.clone(), summaries };
        for function in in_order(summaries) {
            replacement.replace_calls(function);
        }
        replacement
    }

    /// A new register of a function, for values as another has them.
    fn register(&mut self, like: VariableId, function: FunctionId) -> VariableId {
        let mut variable = self.program.variables[like].clone();
        variable.term = self.program.pool.fresh_var("summary", variable.sort);
        variable.name = None;
        variable.function = Some(function);
        self.program.variables.alloc(variable)
    }

    /// The summary of a function, of these arguments and results.
    fn summary(&self, function: FunctionId, arguments: &[Term], results: &[VariableId]) -> Term {
        let pool = &self.program.pool;
        let (parameters, own) = parameters_and_results(&self.program, function);
        let results = results.iter().map(|id| self.program.variables[*id].term);
        let map: FxHashMap<Term, Term> = parameters
            .into_iter()
            .zip(arguments.iter().copied())
            .chain(own.into_iter().zip(results))
            .collect();
        let formulas = self.summaries.get(&function).into_iter().flatten();
        pool.and(formulas.map(|formula| substitute(pool, *formula, map.clone())))
    }

    fn replace_calls(&mut self, caller: FunctionId) {
        let Some(mut body) = self.program.functions[caller].body.take() else { return };
        let edges: Vec<_> = body.edges.iter().map(|(id, _)| id).collect();
        for edge in edges {
            let Instruction::Call { callee: Callee::Function(callee), arguments, results } =
                &body.edges[edge].instruction
            else {
                continue;
            };
            let (callee, arguments, taken) = (*callee, arguments.clone(), results.clone());
            if !self.summaries.contains_key(&callee) {
                continue;
            }
            let own = self.program.functions[callee].results.clone();
            let unknown: Vec<VariableId> =
                own.iter().map(|id| self.register(*id, caller)).collect();
            let name = self.program.functions[callee].name.clone();
            let mut steps: Vec<Instruction> = unknown
                .iter()
                .map(|id| Instruction::Havoc(*id, Cause::Approximated(name.clone())))
                .collect();
            // The arguments are read before any result is written.
            steps.push(Instruction::Assume(self.summary(callee, &arguments, &unknown)));
            for (into, from) in taken.iter().zip(&unknown) {
                steps.push(Instruction::Assign(*into, self.program.variables[*from].term));
            }
            let Edge { to, place, .. } = body.edges[edge].clone();
            let last = steps.pop().unwrap_or(Instruction::Skip);
            let mut at = body.edges[edge].from;
            for (number, instruction) in steps.into_iter().enumerate() {
                let next =
                    body.locations.alloc(Location { place: place.clone(), ..Location::default() });
                match number {
                    0 => {
                        body.edges[edge].instruction = instruction;
                        body.edges[edge].to = next;
                    }
                    _ => {
                        let place = place.clone();
                        body.edges.alloc(Edge { from: at, to: next, instruction, place });
                    }
                }
                at = next;
            }
            if at == body.edges[edge].from {
                body.edges[edge].instruction = last;
            } else {
                body.edges.alloc(Edge { from: at, to, instruction: last, place });
            }
        }
        self.program.functions[caller].body = Some(body);
    }

    /// Makes the program one that calls a function with any arguments and claims its summary.
    fn claim(&mut self, function: FunctionId) {
        let callee = self.program.functions[function].clone();
        let place = callee.place.clone();
        let start = self.program.functions.alloc(Function {
            name: "claim".into(),
            place: place.clone(),
            address: None,
            parameters: Vec::new(),
            results: Vec::new(),
            body: None,
        });
        let arguments: Vec<VariableId> =
            callee.parameters.iter().map(|id| self.register(*id, start)).collect();
        let results: Vec<VariableId> =
            callee.results.iter().map(|id| self.register(*id, start)).collect();
        let values: Vec<Term> =
            arguments.iter().map(|id| self.program.variables[*id].term).collect();
        let summary = self.summary(function, &values, &results);
        let cause = || Cause::Approximated(callee.name.clone());
        let mut steps: Vec<Instruction> =
            arguments.iter().map(|id| Instruction::Havoc(*id, cause())).collect();
        let called = Callee::Function(function);
        steps.push(Instruction::Call { callee: called, arguments: values, results });
        steps.push(Instruction::Check(Property::Claim, summary));
        let mut locations = Arena::new();
        let mut edges = Arena::new();
        let new = |locations: &mut Arena<Location>| {
            locations.alloc(Location { place: place.clone(), ..Location::default() })
        };
        let entry = new(&mut locations);
        let mut at = entry;
        for instruction in steps {
            let next = new(&mut locations);
            edges.alloc(Edge { from: at, to: next, instruction, place: place.clone() });
            at = next;
        }
        let body = Body { locations, edges, entry, exit: at };
        self.program.functions[start].body = Some(body);
        self.program.start = start;
    }
}
