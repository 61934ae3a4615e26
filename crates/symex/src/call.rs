//! Calls: executed where they stand, up to their return.
//!
//! A function that calls itself is bounded as a loop is. A call through a pointer is one to each
//! function that the pointer can be to, in its case.

use crate::execute::{Executor, Stop};
use crate::object::Kind;
use crate::state::{State, key};
use program::Property;
use program::interpret::Part;
use program::program::{FunctionId, VariableId};
use term::Term;

/// Calls within calls: as many as a deep stack has room for.
const CALLS: usize = 2_000;

impl Executor<'_> {
    /// A call: the state in which the callee returns, with its registers; none if it does not.
    pub(crate) fn call(
        &mut self,
        function: FunctionId,
        arguments: Vec<Term>,
        mut state: State,
    ) -> Result<Option<State>, Stop> {
        let program = self.program;
        let definition = &program.functions[function];
        let Some(body) = &definition.body else { return Ok(Some(state)) };
        let open = self.calls.iter().filter(|(open, _)| *open == function).count() as u32;
        if open > 0 && !self.goes_on(&mut state, open)? {
            return Ok(None);
        }
        if self.calls.len() >= CALLS {
            self.end(&state);
            return Ok(None);
        }
        let parameters = definition.parameters.iter().map(|register| key(*register));
        state.locals = parameters.zip(arguments).collect();
        self.calls.push((function, Vec::new()));
        let returned = self.body(function, body, state);
        let (_, stack) = self.calls.pop().expect("it was pushed above");
        let mut returned = returned?;
        if let Some(state) = &mut returned {
            stack.into_iter().for_each(|object| state.bury(object, &self.objects));
        }
        Ok(returned)
    }

    /// A call of a known function, up to its return.
    pub(crate) fn call_and_return(
        &mut self,
        function: FunctionId,
        arguments: Vec<Term>,
        results: &[VariableId],
        mut state: State,
    ) -> Result<Option<State>, Stop> {
        let definition = &self.program.functions[function];
        if definition.body.is_none() {
            for (number, register) in results.iter().enumerate() {
                let what = (self.program.variables[*register].sort, &*definition.name);
                let part = Part::Result(number);
                let value = self.ask(&state, what, part, self.pool.tru());
                self.set(&mut state, *register, value);
            }
            return Ok(Some(state));
        }
        let locals = std::mem::take(&mut state.locals);
        let (site, place) = (self.site, self.place.clone());
        let returned = self.call(function, arguments, state)?;
        (self.site, self.place) = (site, place);
        let Some(mut state) = returned else { return Ok(None) };
        let values: Vec<Term> = definition.results[..results.len().min(definition.results.len())]
            .iter()
            .map(|register| self.leaf(&state, self.program.variables[*register].term))
            .collect();
        state.locals = locals;
        for (register, value) in results.iter().zip(values) {
            self.set(&mut state, *register, value);
        }
        Ok(Some(state))
    }

    /// A call through a pointer: each function that it can be, in its case.
    pub(crate) fn call_behind(
        &mut self,
        address: Term,
        arguments: &[Term],
        results: &[VariableId],
        mut state: State,
    ) -> Result<Option<State>, Stop> {
        let mut callees = Vec::new();
        for case in self.follow(&state, address) {
            let Some(base) = case.base else { continue };
            if let Kind::Function(function) = self.objects[base].kind
                && self.number(case.offset) == Some(0)
                && self.takes(function, arguments, results)
            {
                callees.push((case.guard, function));
            }
        }
        let valid = self.pool.or(callees.iter().map(|(guard, _)| *guard));
        self.require(&mut state, Property::Pointer, valid, true);
        // What is cut is not among those that go on.
        self.excluded.clear();
        let mut returned: Option<State> = None;
        for (guard, function) in callees {
            let mut way = state.clone();
            way.assume(self.pool, guard);
            if way.is_dead(self.pool) {
                continue;
            }
            let Some(way) = self.call_and_return(function, arguments.to_vec(), results, way)?
            else {
                continue;
            };
            returned = Some(match returned {
                None => way,
                Some(before) => self.merge(before, way),
            });
        }
        Ok(returned)
    }

    /// Whether a function takes these arguments and gives these results.
    fn takes(&self, function: FunctionId, arguments: &[Term], results: &[VariableId]) -> bool {
        let definition = &self.program.functions[function];
        let sort = |register: &VariableId| self.program.variables[*register].sort;
        definition.body.is_none()
            || definition
                .parameters
                .iter()
                .map(sort)
                .eq(arguments.iter().map(|a| self.pool.sort(*a)))
                && results.len() <= definition.results.len()
                && results.iter().zip(&definition.results).all(|(a, b)| sort(a) == sort(b))
    }
}
