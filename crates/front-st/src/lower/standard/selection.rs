//! Selection: SEL, MAX, MIN, LIMIT, MUX, MOVE.

use super::super::Lowerer;
use super::super::expression::Value;
use super::super::place::{Place, Spot};
use super::super::storage::Node;
use crate::ast::{Argument, BinaryOp};
use crate::types::Type;
use source::Diagnostic;
use source::diagnostic::Result;
use term::Term;

impl<'a> Lowerer<'a> {
    pub(super) fn selection_function(
        &mut self,
        key: &str,
        arguments: &'a [Argument],
    ) -> Result<Option<Value<'a>>> {
        Ok(Some(match key {
            "move" => {
                let [value] = self.exactly(arguments, ["in"])?;
                value
            }
            "sel" => {
                let [which, low, high] = self.exactly(arguments, ["g", "in0", "in1"])?;
                let which = self.condition(which)?;
                self.chosen(which, high, low)?
            }
            "max" | "min" => {
                let values = self.values(arguments, &["in1", "in2"])?;
                let op = if key == "max" { BinaryOp::Ge } else { BinaryOp::Le };
                let mut values = values.into_iter();
                let Some(first) = values.next() else {
                    return Err(Diagnostic::error(self.span, "nothing to choose from"));
                };
                values.try_fold(first, |best, value| self.better(op, best, value))?
            }
            "limit" => {
                let [low, value, high] = self.exactly(arguments, ["mn", "in", "mx"])?;
                let value = self.better(BinaryOp::Ge, value, low)?;
                self.better(BinaryOp::Le, value, high)?
            }
            "mux" => {
                // SCL has a value for numbers that mean none of the others.
                let (last, first): (Vec<_>, Vec<_>) =
                    arguments.iter().partition(|argument| is_otherwise(argument));
                let mut values = self.values_of(first, &["k", "in0"])?;
                let otherwise = self.values_of(last, &["inelse"])?.pop();
                if values.len() < 2 {
                    return Err(Diagnostic::error(self.span, "nothing to choose from"));
                }
                let which = values.remove(0);
                self.numbered(which, values, otherwise)?
            }
            _ => return Ok(None),
        }))
    }

    /// The first value if it compares so with the second one, otherwise the second.
    fn better(&mut self, op: BinaryOp, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>> {
        if let (Value::Integer(x), Value::Integer(y)) = (&a, &b) {
            let first = if op == BinaryOp::Ge { x >= y } else { x <= y };
            return Ok(if first { a } else { b });
        }
        if self.is_text(&a) {
            let first = self.compared_texts(op, a.clone(), b.clone())?;
            let first = self.condition(first)?;
            return self.chosen(first, a, b);
        }
        let (x, y, ty) = self.common(a, b)?;
        let first = self.comparison(op, x, y, &ty);
        Ok(Value::Scalar(self.pool.ite(first, x, y), ty))
    }

    /// One of two values.
    fn chosen(&mut self, which: Term, then: Value<'a>, otherwise: Value<'a>) -> Result<Value<'a>> {
        let aggregate = |value: &Value<'a>| matches!(value, Value::Place(_) | Value::Text(_));
        if aggregate(&then) || aggregate(&otherwise) {
            let which = self.keep(which);
            let (then, otherwise) = (self.temporary_place(then)?, self.temporary_place(otherwise)?);
            let negated = self.pool.not(which);
            return Ok(Value::Place(self.either(&[(which, then), (negated, otherwise)])?));
        }
        let (a, b, ty) = self.common(then, otherwise)?;
        Ok(Value::Scalar(self.pool.ite(which, a, b), ty))
    }

    /// One of several places.
    fn either(&mut self, choices: &[(Term, Place<'a>)]) -> Result<Place<'a>> {
        let ty = choices[0].1.ty.clone();
        if let Type::String { .. } = ty {
            // The longest type of all holds any of them.
            let length = |ty: &Type<'a>| match ty {
                Type::String { length, .. } => *length,
                _ => 0,
            };
            let mut address = None;
            let mut longest = ty.clone();
            for (guard, place) in choices.iter().rev() {
                let own = self.address_of(place)?;
                address = Some(match address {
                    Some(other) => self.pool.ite(*guard, own, other),
                    None => own,
                });
                if length(&place.ty) > length(&longest) {
                    longest = place.ty.clone();
                }
            }
            let address = address.expect("there is a choice");
            return Ok(Place::new(longest, Node::Memory(address)));
        }
        let mut spots = Vec::new();
        for (guard, place) in choices {
            for spot in &place.spots {
                let guard = self.pool.and([*guard].into_iter().chain(spot.guard));
                spots.push(Spot { guard: Some(guard), node: spot.node.clone() });
            }
        }
        Ok(Place { ty, spots, part: None, constant: true })
    }

    /// The value with a number. Where nothing else is said, it is the last one for any greater
    /// number, and the first for a negative one.
    fn numbered(
        &mut self,
        which: Value<'a>,
        values: Vec<Value<'a>>,
        otherwise: Option<Value<'a>>,
    ) -> Result<Value<'a>> {
        let (term, ty) = self.typed(which)?;
        let term = self.keep(term);
        let beyond = otherwise.is_some();
        let mut result: Option<Value<'a>> = otherwise;
        for (number, value) in values.into_iter().enumerate().rev() {
            result = Some(match result {
                None => value,
                Some(other) => {
                    let number = Value::Integer(number as i128);
                    let op = if beyond { BinaryOp::Eq } else { BinaryOp::Le };
                    let is = self.binary(op, Value::Scalar(term, ty.clone()), number)?;
                    let is = self.condition(is)?;
                    self.chosen(is, value, other)?
                }
            });
        }
        Ok(result.expect("there is a value"))
    }
}

/// `INELSE := e`
fn is_otherwise(argument: &Argument) -> bool {
    matches!(argument, Argument::Input(name, _) if name.is("inelse"))
}
