//! Calls, each inlined where it stands.
//!
//! Arguments are evaluated in the caller's frame before the callee's code is entered. An input is a
//! copy; `VAR_IN_OUT` and `{ref}` inputs are other names for what is given, and outputs are copied
//! back in the end.

use super::Lowerer;
use super::argument::{Given, Parameter, parameters};
use super::expression::Value;
use super::frame::Frame;
use super::place::Place;
use crate::ast::{Argument, Body, Expr, ExprKind, Name, TypeSpec, VariableKind, VariableSection};
use crate::types::{PouId, Type};
use rustc_hash::FxHashMap;
use source::Diagnostic;
use source::diagnostic::Result;
use std::sync::Arc;

/// Code that can be called.
#[derive(Copy, Clone)]
pub(super) struct Code<'a> {
    /// Its name.
    pub(super) name: &'a Name,
    /// The unit that declares it.
    pub(super) owner: Option<PouId>,
    /// Its variables.
    pub(super) sections: &'a [VariableSection],
    /// The type of its result.
    pub(super) result: Option<&'a TypeSpec>,
    /// Its type parameters.
    pub(super) generics: &'a [crate::ast::Generic],
    /// What it does.
    pub(super) body: &'a Body,
}

impl<'a> Lowerer<'a> {
    /// A call as an expression.
    pub(super) fn call(
        &mut self,
        callee: &'a Expr,
        arguments: &'a [Argument],
    ) -> Result<Value<'a>> {
        if self.graph.edges.len() > super::MOST_EDGES {
            let message = "the program is too large: each call is written out";
            return Err(Diagnostic::error(self.span, message));
        }
        match enable(arguments) {
            Some((enable, done)) => self.enabled_call(callee, arguments, enable, done),
            None => self.plain_call(callee, arguments),
        }
    }

    fn plain_call(&mut self, callee: &'a Expr, arguments: &'a [Argument]) -> Result<Value<'a>> {
        self.reach_call(callee);
        match &callee.kind {
            ExprKind::Name(name) => self.call_named(name, arguments),
            ExprKind::Member(base, name) => self.call_member(base, name, arguments),
            ExprKind::Super => self.call_super(arguments),
            ExprKind::Deref(base) if matches!(base.kind, ExprKind::Super) => {
                self.call_super(arguments)
            }
            _ => match self.place(callee, true)? {
                Some(place) => self.call_place(&place, arguments),
                None => Err(Diagnostic::error(callee.span, "this can't be called")),
            },
        }
    }

    /// A call with `EN := condition`, `ENO => done`.
    fn enabled_call(
        &mut self,
        callee: &'a Expr,
        arguments: &'a [Argument],
        enable: Option<&'a Expr>,
        done: Option<&'a Expr>,
    ) -> Result<Value<'a>> {
        let condition = match enable {
            Some(enable) => {
                let value = self.expression(enable)?;
                let condition = self.condition(value)?;
                self.keep(condition)
            }
            None => self.pool.tru(),
        };
        let (then, next) = (self.new_location(), self.new_location());
        let done_at = self.new_location();
        self.split(condition, then, next);
        self.continue_at(then);
        let value = self.plain_call(callee, arguments)?;
        let value = match value {
            Value::Scalar(term, ty) => {
                // Where the call is not made, its result is zero.
                let sort = self.pool.sort(term);
                let kept = self.temporary(sort);
                self.assign(kept, term);
                self.jump(done_at);
                self.continue_at(next);
                let zero = self.zero(sort);
                self.assign(kept, zero);
                Value::Scalar(self.term_of(kept), ty)
            }
            value => {
                self.jump(done_at);
                self.continue_at(next);
                value
            }
        };
        self.jump(done_at);
        self.continue_at(done_at);
        if let Some(done) = done {
            let place = self.assigned_place(done)?;
            self.store(&place, Value::Scalar(condition, Type::Bool))?;
        }
        Ok(value)
    }

    /// A call of a name: an instance, a method or action of this one, a function.
    pub(super) fn call_named(
        &mut self,
        name: &'a Name,
        arguments: &'a [Argument],
    ) -> Result<Value<'a>> {
        if let Some(place) = self.variable(&name.key)? {
            let place = match place.ty {
                Type::Pointer(_, true) => self.pointed(&place, true)?,
                _ => place,
            };
            if matches!(place.ty, Type::Block(_) | Type::Unknown(_)) {
                return self.call_place(&place, arguments);
            }
        }
        if let Some(value) = self.call_own(name, arguments)? {
            return Ok(value);
        }
        let pou = self.table.pou(&name.key);
        if let Some(pou) = pou
            && (pou < self.table.own || name.key.starts_with("__") && self.in_library())
        {
            return self.call_pou(pou, arguments);
        }
        if let Some(value) = self.standard(name, arguments)? {
            return Ok(value);
        }
        if let Some(ty) = self.type_named(&name.key)?
            && let [Argument::Positional(argument)] = arguments
            && ty.shape().is_some()
        {
            let value = self.expression(argument)?;
            let term = self.coerce(value, &ty)?;
            return Ok(Value::Scalar(term, ty));
        }
        self.call_unknown(&name.text, arguments)
    }

    /// Whether the code being lowered is the library's.
    fn in_library(&self) -> bool {
        self.frame.owner.is_some_and(|owner| owner >= self.table.own)
    }

    /// A function, or a program as an instance of its own.
    fn call_pou(&mut self, pou: PouId, arguments: &'a [Argument]) -> Result<Value<'a>> {
        if !self.table.has_instances(pou) {
            return self.call_code(self.code_of(pou), None, arguments);
        }
        let declared = self.table.pous[pou];
        let place = match self.globals.get(&declared.name.key) {
            Some(place) => place.clone(),
            None => self.global_instance(pou)?,
        };
        self.call_place(&place, arguments)
    }

    /// The code of a function, or the body of a block.
    pub(super) fn code_of(&self, pou: PouId) -> Code<'a> {
        let declared = self.table.pous[pou];
        Code {
            name: &declared.name,
            owner: Some(pou),
            sections: &declared.sections,
            result: declared.result.as_ref(),
            generics: &declared.generics,
            body: &declared.body,
        }
    }

    /// A method or action of this instance.
    fn call_own(&mut self, name: &'a Name, arguments: &'a [Argument]) -> Result<Option<Value<'a>>> {
        let Some(owner) = self.frame.owner else { return Ok(None) };
        if let Some(this) = self.frame.this.clone()
            && let Type::Block(actual) = this.ty
            && let Some((declarer, method)) = self.table.method(actual, &name.key)
        {
            let code = method_code(declarer, method);
            return self.call_code(code, Some(this), arguments).map(Some);
        }
        for unit in self.table.ancestry(owner) {
            if let Some(action) = self.table.action(self.table.pous[unit], &name.key) {
                self.run_action(unit, action)?;
                return Ok(Some(Value::Void));
            }
        }
        Ok(None)
    }

    /// An action runs in the frame of its unit.
    pub(super) fn run_action(&mut self, unit: PouId, action: &'a crate::ast::Action) -> Result<()> {
        let done = self.new_location();
        let outer = self.frame.return_to.replace(done);
        let owner = self.frame.owner.replace(unit);
        let loops = std::mem::take(&mut self.frame.loops);
        self.action_depth += 1;
        let result = match self.action_depth > 50 {
            true => Err(Diagnostic::error(action.span, "an action that calls itself")),
            false => self.body(&action.body),
        };
        self.action_depth -= 1;
        self.jump(done);
        self.continue_at(done);
        self.frame.return_to = outer;
        self.frame.owner = owner;
        self.frame.loops = loops;
        result
    }

    /// `base.name(…)`: a method, action or instance of an instance.
    fn call_member(
        &mut self,
        base: &'a Expr,
        name: &'a Name,
        arguments: &'a [Argument],
    ) -> Result<Value<'a>> {
        let above = matches!(&base.kind, ExprKind::Deref(e) if matches!(e.kind, ExprKind::Super))
            || matches!(base.kind, ExprKind::Super);
        if above {
            return self.call_inherited(name, arguments);
        }
        let Some(place) = self.place(base, true)? else {
            // A function of a namespace.
            return match self.table.pou(&name.key) {
                Some(pou) => self.call_pou(pou, arguments),
                None => self.call_unknown(&name.text, arguments),
            };
        };
        let place = match &place.ty {
            Type::Pointer(..) => self.pointed(&place, true)?,
            _ => place,
        };
        match place.ty.clone() {
            Type::Interface(_) => self.dispatched(&place, name, arguments),
            Type::Block(pou) => self.call_of_instance(&place, pou, name, arguments),
            Type::Unknown(_) => self.call_unknown(&name.text, arguments),
            Type::Structure(_) => match self.member_variable(&place, &name.key)? {
                Some(instance) => self.call_place(&instance, arguments),
                None => Err(Diagnostic::error(name.span, format!("there is no field '{name}'"))),
            },
            ty => {
                let message = format!("a value of type {ty} has no method '{name}'");
                Err(Diagnostic::error(name.span, message))
            }
        }
    }

    /// A method, action or inner instance of an instance.
    pub(super) fn call_of_instance(
        &mut self,
        place: &Place<'a>,
        pou: PouId,
        name: &'a Name,
        arguments: &'a [Argument],
    ) -> Result<Value<'a>> {
        if self.may_be_derived(place) && self.is_own_code(pou, &name.key) {
            return self.dispatched(place, name, arguments);
        }
        if let Some((declarer, method)) = self.table.method(pou, &name.key) {
            let code = method_code(declarer, method);
            return self.call_code(code, Some(place.clone()), arguments);
        }
        for unit in self.table.ancestry(pou) {
            let declared = self.table.pous[unit];
            if let Some(action) = self.table.action(declared, &name.key) {
                let mut frame = Frame::new(&self.frame.path.clone());
                frame.this = Some(place.clone());
                frame.owner = Some(unit);
                frame.sections = self.all_sections(unit);
                self.enter(frame)?;
                let result = self.run_action(unit, action);
                self.leave();
                return result.map(|()| Value::Void);
            }
        }
        if let Some(inner) = self.member_variable(place, &name.key)? {
            return self.call_place(&inner, arguments);
        }
        let block = &self.table.pous[pou].name;
        let message = format!("'{block}' has no method or action '{name}'");
        Err(Diagnostic::error(name.span, message))
    }

    /// Whether a name is that of a method or action of a block.
    fn is_own_code(&self, pou: PouId, key: &str) -> bool {
        let action = |unit: PouId| self.table.action(self.table.pous[unit], key).is_some();
        self.table.method(pou, key).is_some() || self.table.ancestry(pou).into_iter().any(action)
    }

    /// A method as the base declares it.
    fn call_inherited(&mut self, name: &'a Name, arguments: &'a [Argument]) -> Result<Value<'a>> {
        let base = self.frame.owner.and_then(|owner| self.table.base(owner));
        let (Some(this), Some(base)) = (self.frame.this.clone(), base) else {
            return Err(Diagnostic::error(self.span, "there is no block that this one extends"));
        };
        match self.table.method(base, &name.key) {
            Some((declarer, method)) => {
                self.call_code(method_code(declarer, method), Some(this), arguments)
            }
            None => Err(Diagnostic::error(name.span, format!("there is no method '{name}'"))),
        }
    }

    /// `SUPER()`: the body of the base.
    fn call_super(&mut self, arguments: &'a [Argument]) -> Result<Value<'a>> {
        let base = self.frame.owner.and_then(|owner| self.table.base(owner));
        let (Some(this), Some(base)) = (self.frame.this.clone(), base) else {
            return Err(Diagnostic::error(self.span, "there is no block that this one extends"));
        };
        self.call_block(&this, base, arguments)
    }

    /// A call of an instance.
    pub(super) fn call_place(
        &mut self,
        place: &Place<'a>,
        arguments: &'a [Argument],
    ) -> Result<Value<'a>> {
        match &place.ty {
            Type::Block(_) if self.may_be_derived(place) => self
                .choose_instance(place, |this, instance, pou| {
                    this.call_block(instance, pou, arguments)
                }),
            Type::Block(pou) => self.call_block(place, *pou, arguments),
            Type::Unknown(name) => {
                let name = name.clone();
                self.call_unknown(&name, arguments)
            }
            ty => Err(Diagnostic::error(self.span, format!("a value of type {ty} is called"))),
        }
    }

    /// The body of a block runs on an instance.
    fn call_block(
        &mut self,
        place: &Place<'a>,
        pou: PouId,
        arguments: &'a [Argument],
    ) -> Result<Value<'a>> {
        let parameters = self.all_parameters(pou);
        let given = self.given(&parameters, arguments, self.table.pous[pou].name.span)?;
        let mut bound = Vec::new();
        let mut outputs = Vec::new();
        for (parameter, given) in parameters.iter().zip(given) {
            match given {
                Given::Nothing => {}
                Given::Value(value) => {
                    if let Some(field) = self.member_variable(place, &parameter.name.key)? {
                        let value = self.edge(place, parameter, value)?;
                        self.store(&field, value)?;
                    }
                }
                Given::Place(place) => bound.push((parameter.name.key.clone(), place)),
                Given::Output(to, negated) => outputs.push((parameter.name, to, negated)),
            }
        }
        self.run_block(place, pou, bound)?;
        for (name, to, negated) in outputs {
            if let Some(field) = self.member_variable(place, &name.key)? {
                self.copy_output(field, &to, negated)?;
            }
        }
        Ok(Value::Void)
    }

    /// What an input gets: of `R_EDGE` and `F_EDGE`, whether the value has changed so.
    fn edge(
        &mut self,
        place: &Place<'a>,
        parameter: &Parameter<'a>,
        value: Value<'a>,
    ) -> Result<Value<'a>> {
        let Some(edge) = parameter.variables.edge else { return Ok(value) };
        let key = super::resolve::edge_key(&parameter.name.key);
        let Some(kept) = self.member_variable(place, &key)? else { return Ok(value) };
        let now = self.condition(value)?;
        let now = self.keep(now);
        let before = self.read(&kept)?;
        let before = self.keep(before);
        self.write(&kept, now)?;
        let changed = match edge {
            crate::ast::Edge::Rising => self.pool.and([now, self.pool.not(before)]),
            crate::ast::Edge::Falling => self.pool.and([self.pool.not(now), before]),
        };
        Ok(Value::Scalar(changed, Type::Bool))
    }

    /// Runs the body of a block whose inputs are written; gives the variables of this call.
    pub(super) fn run_block(
        &mut self,
        place: &Place<'a>,
        pou: PouId,
        bound: Vec<(Arc<str>, Place<'a>)>,
    ) -> Result<FxHashMap<Arc<str>, Place<'a>>> {
        let declared = self.table.pous[pou];
        self.calls += 1;
        let mut frame = Frame::new(&format!("{}#{}", declared.name, self.calls));
        frame.this = Some(place.clone());
        frame.owner = Some(pou);
        frame.sections = self.all_sections(pou);
        frame.bindings.extend(bound);
        frame.code = std::ptr::from_ref(declared).addr();
        self.enter(frame)?;
        let result = self.block_body(pou);
        let frame = self.leave();
        result.map(|()| frame.bindings)
    }

    fn block_body(&mut self, pou: PouId) -> Result<()> {
        for unit in self.table.ancestry(pou) {
            for section in &self.table.pous[unit].sections {
                if section.kind == VariableKind::Temp {
                    self.local_section(section, false)?;
                    self.local_section(section, true)?;
                }
                self.located_section(section)?;
            }
        }
        let declared = self.table.pous[pou];
        let class = declared.kind == crate::ast::PouKind::Class;
        if matches!(declared.body, Body::Missing) && !class {
            self.warn_missing(&declared.name);
            return self.forget_outputs(pou);
        }
        self.returning(&declared.body)
    }

    /// A body with a place that `RETURN` goes to.
    fn returning(&mut self, body: &'a Body) -> Result<()> {
        let done = self.new_location();
        self.frame.return_to = Some(done);
        let result = self.body(body);
        self.jump(done);
        self.continue_at(done);
        result
    }

    /// A function or method runs.
    pub(super) fn call_code(
        &mut self,
        code: Code<'a>,
        this: Option<Place<'a>>,
        arguments: &'a [Argument],
    ) -> Result<Value<'a>> {
        let parameters = parameters(code.sections);
        let given = self.given(&parameters, arguments, code.name.span)?;
        match self.specialized(code, &parameters, &given)? {
            Some(special) => {
                let parameters = super::argument::parameters(special.sections);
                self.run_code(special, this, &parameters, given)
            }
            None => self.run_code(code, this, &parameters, given),
        }
    }

    /// The same with what is given for each parameter.
    pub(super) fn run_code(
        &mut self,
        code: Code<'a>,
        this: Option<Place<'a>>,
        parameters: &[Parameter<'a>],
        given: Vec<Given<'a>>,
    ) -> Result<Value<'a>> {
        self.calls += 1;
        let mut frame = Frame::new(&format!("{}#{}", code.name, self.calls));
        frame.owner = code.owner;
        frame.sections = vec![code.sections];
        if this.is_some() {
            frame.sections.extend(code.owner.iter().flat_map(|owner| self.all_sections(*owner)));
        }
        frame.this = this;
        frame.code = std::ptr::from_ref(code.body).addr();
        frame.generics = self.inferred(code, parameters, &given)?;
        let call = self.span;
        self.enter(frame)?;
        let result = self.code_body(code, parameters, given);
        self.leave();
        self.span = call;
        result
    }

    fn code_body(
        &mut self,
        code: Code<'a>,
        parameters: &[Parameter<'a>],
        given: Vec<Given<'a>>,
    ) -> Result<Value<'a>> {
        if let Some((key, ty, value)) = self.setter.take() {
            let name = code.name.text.clone();
            let place = self.fresh(&key, &name, ty)?;
            self.store(&place, value)?;
        }
        let mut outputs = Vec::new();
        for (parameter, given) in parameters.iter().zip(given) {
            if let Given::Output(to, negated) = &given {
                outputs.push((parameter.name, to.clone(), *negated));
            }
            self.bind(parameter, given)?;
        }
        // Initial values may speak of variables that are declared later.
        for initialize in [false, true] {
            for section in code.sections {
                match section.kind {
                    VariableKind::Local | VariableKind::Temp => {
                        self.local_section(section, initialize)?;
                    }
                    VariableKind::Stat if initialize => self.kept_section(section)?,
                    _ => {}
                }
                self.located_section(section)?;
            }
        }
        let result = match code.result {
            None => None,
            Some(spec) => {
                let ty = self.resolve(spec)?;
                let initial = self.initial_of(spec, None);
                Some(self.local(&code.name.key, &code.name.text, ty, initial)?)
            }
        };
        match code.body {
            Body::Missing => {
                self.warn_missing(code.name);
                if let Some(result) = &result {
                    self.forget(result, &code.name.text)?;
                }
                for (name, ..) in &outputs {
                    if let Some(place) = self.variable(&name.key)? {
                        self.forget(&place, &code.name.text)?;
                    }
                }
            }
            body => self.returning(body)?,
        }
        for (name, to, negated) in outputs {
            if let Some(place) = self.variable(&name.key)? {
                self.copy_output(place, &to, negated)?;
            }
        }
        match result {
            Some(place) => self.value_of(place),
            None => Ok(Value::Void),
        }
    }

    pub(super) fn copy_output(
        &mut self,
        from: Place<'a>,
        to: &Place<'a>,
        negated: bool,
    ) -> Result<()> {
        let mut value = self.value_of(from)?;
        if negated {
            let truth = self.condition(value)?;
            value = Value::Scalar(self.pool.not(truth), Type::Bool);
        }
        self.store(to, value)
    }
}

/// The code of a method.
pub(super) fn method_code(owner: PouId, method: &crate::ast::Method) -> Code<'_> {
    Code {
        name: &method.name,
        owner: Some(owner),
        sections: &method.sections,
        result: method.result.as_ref(),
        generics: &method.generics,
        body: &method.body,
    }
}

/// What `EN := e` and `ENO => e` of a call say, if they are there.
fn enable(arguments: &[Argument]) -> Option<(Option<&Expr>, Option<&Expr>)> {
    let mut enable = None;
    let mut done = None;
    for argument in arguments {
        match argument {
            Argument::Input(name, value) if name.is("en") => enable = value.as_ref(),
            Argument::Output(name, _, value) if name.is("eno") => done = value.as_ref(),
            _ => {}
        }
    }
    (enable.is_some() || done.is_some()).then_some((enable, done))
}
