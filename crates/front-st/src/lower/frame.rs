//! What names mean in the code of a unit: a frame for each call that is being inlined.

use super::Lowerer;
use super::expression::Value;
use super::place::Place;
use crate::ast::{Expr, VariableSection};
use crate::types::{PouId, Type};
use program::program::{LocationId, VariableId};
use rustc_hash::FxHashMap;
use source::Diagnostic;
use source::diagnostic::Result;
use std::sync::Arc;

/// The code of a unit, method or action that is being inlined.
pub(super) struct Frame<'a> {
    /// What its variables are called in messages and runs.
    pub(super) path: Arc<str>,
    /// Variables of this call.
    pub(super) bindings: FxHashMap<Arc<str>, Place<'a>>,
    /// Where constants are declared.
    pub(super) sections: Vec<&'a [VariableSection]>,
    /// The instance whose code it is.
    pub(super) this: Option<Place<'a>>,
    /// The unit that declares the code.
    pub(super) owner: Option<PouId>,
    /// Types that stand for type parameters.
    pub(super) generics: FxHashMap<Arc<str>, Type<'a>>,
    /// Where `RETURN` goes.
    pub(super) return_to: Option<LocationId>,
    /// Where `CONTINUE` and `EXIT` go, innermost loop last.
    pub(super) loops: Vec<(LocationId, LocationId)>,
    /// Labels of the code.
    pub(super) labels: FxHashMap<Arc<str>, (LocationId, Option<VariableId>)>,
    /// Loop variables whose loops are unrolled, with their values.
    pub(super) turns: Vec<(Arc<str>, Value<'a>)>,
    /// Which code it is, to notice that it calls itself.
    pub(super) code: usize,
}

impl Frame<'_> {
    /// A frame without variables.
    pub(super) fn new(path: &str) -> Self {
        Frame {
            path: path.into(),
            bindings: FxHashMap::default(),
            sections: Vec::new(),
            this: None,
            owner: None,
            generics: FxHashMap::default(),
            return_to: None,
            loops: Vec::new(),
            labels: FxHashMap::default(),
            turns: Vec::new(),
            code: 0,
        }
    }
}

impl<'a> Lowerer<'a> {
    /// Enters the code of a call.
    pub(super) fn enter(&mut self, frame: Frame<'a>) -> Result<()> {
        let itself = |other: &&Frame<'_>| other.code == frame.code && frame.code != 0;
        if self.frames.iter().chain([&self.frame]).filter(itself).count() > 0 {
            let message = format!("'{}' calls itself, which has no bound here", frame.path);
            return Err(Diagnostic::error(self.span, message)
                .help("the standard has no recursion; write it as a loop"));
        }
        let caller = std::mem::replace(&mut self.frame, frame);
        self.frames.push(caller);
        Ok(())
    }

    /// Leaves it.
    pub(super) fn leave(&mut self) -> Frame<'a> {
        let caller = self.frames.pop().expect("each call that is left was entered");
        std::mem::replace(&mut self.frame, caller)
    }

    /// The variable of a name.
    pub(super) fn variable(&mut self, key: &str) -> Result<Option<Place<'a>>> {
        if let Some(place) = self.frame.bindings.get(key) {
            return Ok(Some(place.clone()));
        }
        if let Some(this) = self.frame.this.clone()
            && let Some(place) = self.member_variable(&this, key)?
        {
            return Ok(Some(place));
        }
        Ok(self.globals.get(key).cloned())
    }

    /// The constant of a name: a value that is known here.
    pub(super) fn constant_named(&mut self, key: &str) -> Result<Option<Value<'a>>> {
        if let Some((_, value)) = self.frame.turns.iter().rev().find(|(name, _)| **name == *key) {
            return Ok(Some(value.clone()));
        }
        let sections = self.frame.sections.clone();
        let own = sections.iter().flat_map(|sections| sections.iter());
        let table = self.table;
        let hidden = self.frame.bindings.contains_key(key);
        let global = table.globals.iter().map(|(_, section)| *section).filter(|_| !hidden);
        for section in own.chain(global).filter(|section| section.constant) {
            for variables in &section.variables {
                if let Some(initial) = &variables.initial
                    && variables.names.iter().any(|name| name.is(key))
                {
                    return self.constant_value(variables, initial);
                }
            }
        }
        Ok(None)
    }

    fn constant_value(
        &mut self,
        variables: &'a crate::ast::Variables,
        initial: &'a Expr,
    ) -> Result<Option<Value<'a>>> {
        let Some(spec) = &variables.ty else { return Ok(None) };
        if self.frames.len() > 200 {
            return Err(Diagnostic::error(initial.span, "a constant that depends on itself"));
        }
        let ty = self.resolve(spec)?;
        if ty.shape().is_none() {
            return Ok(None);
        }
        let depth = self.constants;
        if depth > 100 {
            return Err(Diagnostic::error(initial.span, "a constant that depends on itself"));
        }
        self.constants = depth + 1;
        let term = self.expression(initial).and_then(|value| self.coerce(value, &ty));
        self.constants = depth;
        let term = term?;
        Ok(self.pool.value(term).is_some().then_some(Value::Scalar(term, ty)))
    }
}
