//! Calls, and values that nobody in the program knows.

use super::datum::Datum;
use super::{End, Machine};
use crate::interpret::Effect;
use crate::interpret::code::{Expression, Target, Whom, fits};
use crate::interpret::oracle::{self, Part, Request};
use crate::interpret::outcome::Fault;
use crate::program::{Cause, EdgeId, FunctionId};
use smallvec::SmallVec;
use term::{Sort, Value};
use value::{Curve, Float};

impl<'p> Machine<'_, 'p> {
    pub(super) fn call(
        &mut self,
        id: FunctionId,
        edge: EdgeId,
        callee: &Whom<'p>,
        arguments: &[Expression<'p>],
        results: &[Target],
    ) -> Result<(), End> {
        let callee = match callee {
            Whom::Function(callee) => *callee,
            Whom::Pointer { address, sorts } => {
                let address = self.number(address);
                let program = self.interpreter.program;
                let variables: SmallVec<[_; 1]> = results.iter().map(|r| r.variable).collect();
                let found = self.interpreter.code.at.get(&address).copied();
                found
                    .filter(|f| fits(program, &program.functions[*f], sorts, &variables))
                    .ok_or(Fault::Call { address })?
            }
        };
        let data: SmallVec<[Datum; 4]> = arguments.iter().map(|a| self.evaluate(a)).collect();
        if self.listening {
            let values = arguments.iter().zip(&data).map(|(a, datum)| datum.to_value(a.sort));
            let values: Vec<Value> = values.collect();
            self.report(id, edge, Effect::Called(callee, &values));
        }
        let function = self.function(callee);
        if function.body.is_none() {
            self.unknown_call(id, edge, callee, results);
            return Ok(());
        }
        self.calls.push((id, edge));
        self.enter(callee);
        for ((slot, _), datum) in function.parameters.iter().zip(data) {
            self.set(*slot, datum);
        }
        Ok(())
    }

    /// A call of a function without a body: all results are unknown.
    fn unknown_call(&mut self, id: FunctionId, edge: EdgeId, callee: FunctionId, into: &[Target]) {
        let name = self.interpreter.program.functions[callee].name.clone();
        let cause = Cause::Unknown(name);
        let mut used: SmallVec<[_; 1]> = SmallVec::new();
        for (number, target) in into.iter().enumerate() {
            let value = self.ask(id, edge, &cause, target.sort, Part::Result(number));
            used.push((target.variable, value.clone()));
            self.set(target.slot, Datum::new(value, target.sort));
        }
        self.report(id, edge, Effect::Returned(callee, &used));
    }

    pub(super) fn ask(
        &mut self,
        function: FunctionId,
        edge: EdgeId,
        cause: &Cause,
        sort: Sort,
        part: Part,
    ) -> Value {
        let request = Request { function, edge, calls: &self.calls, cause, sort, part };
        oracle::ask(self.oracle, &self.interpreter.program.pool, &request)
    }

    /// The correctly rounded result of a function of `math.h`, unless the oracle knows another one.
    pub(super) fn library_result(
        &mut self,
        function: FunctionId,
        edge: EdgeId,
        (curve, arguments): (Curve, &[Expression<'p>]),
        cause: &Cause,
        sort: Sort,
    ) -> Value {
        let values = arguments.iter().map(|argument| self.evaluate(argument).to_value(sort));
        let values: SmallVec<[Float; 2]> =
            values.filter_map(|value| value.as_float().cloned()).collect();
        let arguments: SmallVec<[&Float; 2]> = values.iter().collect();
        let result = curve.value(&arguments).expect("compiling has looked at the arguments");
        let request =
            Request { function, edge, calls: &self.calls, cause, sort, part: Part::Whole };
        oracle::ask_computed(self.oracle, &request, result)
    }
}
