//! Inputs: any values of their types in each cycle, or what a run that is given says.

use super::Lowerer;
use super::cycle::Run;
use super::place::{Place, Side};
use crate::ast::{ConnectedArgument, VariableKind};
use crate::types::{Shape, Type};
use program::program::Cause;
use source::Diagnostic;
use source::diagnostic::Result;
use std::sync::Arc;
use term::Op;

impl<'a> Lowerer<'a> {
    /// Inputs take any values, or those that are given.
    pub(super) fn set_inputs(&mut self, runs: &[Run<'a>]) -> Result<()> {
        for run in runs {
            let frame = self.frame_of(run);
            self.enter(frame)?;
            let result = self.inputs_of(run);
            self.leave();
            result?;
        }
        let named = &self.options.inputs;
        for name in named {
            let key: Arc<str> = name.to_lowercase().into();
            let mut place = None;
            for run in runs {
                let frame = self.frame_of(run);
                self.enter(frame)?;
                let found = self.variable(&key);
                self.leave();
                place = place.or(found?);
            }
            let Some(place) = place else {
                let message = format!("there is no variable '{name}' to be given values");
                return Err(Diagnostic::error(self.span, message));
            };
            self.input(&place, &key)?;
        }
        Ok(())
    }

    /// The same of variables at places of the controller's memory, all of which are known once the
    /// units are lowered.
    pub(super) fn set_direct_inputs(&mut self) -> Result<()> {
        for text in self.direct_inputs.clone() {
            if let Some(place) = self.direct.get(&*text).cloned() {
                self.input(&place, &text)?;
            }
        }
        Ok(())
    }

    fn inputs_of(&mut self, run: &Run<'a>) -> Result<()> {
        let connected = run.instance.map(|instance| &instance.arguments[..]).unwrap_or_default();
        for field in self.block_fields(run.pou)?.iter() {
            if !matches!(field.kind, VariableKind::Input | VariableKind::InOut) {
                continue;
            }
            let named = self.options.inputs.iter().any(|name| name.to_lowercase() == *field.key);
            if named && self.options.observed {
                continue;
            }
            let is = |path: &crate::ast::Path| path.last().key == field.key;
            let given = connected.iter().find_map(|argument| match argument {
                ConnectedArgument::Input(path, expr) if is(path) => Some(expr),
                _ => None,
            });
            let Some(place) = self.variable(&field.key)? else { continue };
            match given {
                Some(expr) => {
                    let value = self.expression(expr)?;
                    self.store(&place, value)?;
                }
                None => self.input(&place, &field.key)?,
            }
        }
        Ok(())
    }

    /// Any value of a type; of a run that is given, what it says.
    fn input(&mut self, place: &Place<'a>, path: &str) -> Result<()> {
        if self.options.observed {
            return self.settable(place, path);
        }
        self.set_unknown(place, &Cause::Input(path.into()))?;
        self.assume_of_type(place)
    }

    /// Inputs have values of their types: numbers, no NaN; values that an enumeration declares.
    fn assume_of_type(&mut self, place: &Place<'a>) -> Result<()> {
        match (place.ty.clone(), place.ty.shape()) {
            (Type::Array(array), _) => {
                if matches!(array.element, Type::Bool | Type::Integer { .. } | Type::Bits(_)) {
                    return Ok(());
                }
                for number in 0..array.count() {
                    let element = self.known_element(place, &array, i128::from(number))?;
                    self.assume_of_type(&element)?;
                }
            }
            (Type::Structure(structure), _) => {
                for field in &structure.fields {
                    if let Some(inner) = self.member_variable(place, &field.key)? {
                        self.assume_of_type(&inner)?;
                    }
                }
            }
            (Type::Enumeration(e), Some(Shape::Number { signed, .. })) => {
                let term = self.read(place)?;
                let values = e
                    .values
                    .iter()
                    .map(|(_, number)| self.compared(term, signed, *number, Side::Equal));
                let known = self.pool.or(values.collect::<Vec<_>>());
                self.assume(known);
            }
            (Type::Subrange(range), Some(Shape::Number { signed, .. })) => {
                let term = self.read(place)?;
                let within = self.pool.and([
                    self.compared(term, signed, range.low, Side::AtLeast),
                    self.compared(term, signed, range.high, Side::AtMost),
                ]);
                self.assume(within);
            }
            (_, Some(Shape::Float(_))) => {
                let term = self.read(place)?;
                let finite =
                    self.pool.not(self.pool.or([
                        self.pool.fp_is_nan(term),
                        self.pool.make(Op::FpIsInfinite, &[term]),
                    ]));
                self.assume(finite);
            }
            _ => {}
        }
        Ok(())
    }
}
