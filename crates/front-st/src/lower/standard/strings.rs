//! Functions of strings. Characters count from 1.

use super::super::Lowerer;
use super::super::argument::Given;
use super::super::expression::Value;
use crate::ast::Argument;
use crate::types::Type;
use source::Diagnostic;
use source::diagnostic::Result;

/// How long a result may be.
const RESULT: u32 = 255;

impl<'a> Lowerer<'a> {
    pub(super) fn string_function(
        &mut self,
        key: &str,
        arguments: &'a [Argument],
    ) -> Result<Option<Value<'a>>> {
        let (base, parameters): (&str, &[&str]) = match key {
            "len" => ("len", &["in"]),
            "left" => ("left", &["in", "l"]),
            "right" => ("right", &["in", "l"]),
            "mid" => ("mid", &["in", "l", "p"]),
            "concat" => ("concat", &["in1", "in2"]),
            "insert" => ("insert", &["in1", "in2", "p"]),
            "delete" => ("delete", &["in", "l", "p"]),
            "replace" => ("replace", &["in1", "in2", "l", "p"]),
            "find" => ("find", &["in1", "in2"]),
            "__get" | "__put" | "__capacity" => return self.inner_function(key, arguments),
            _ => return Ok(None),
        };
        let values = self.values(arguments, parameters)?;
        if base != "concat" && values.len() != parameters.len() {
            let message =
                format!("{} arguments for a function of {}", values.len(), parameters.len());
            return Err(Diagnostic::error(self.span, message));
        }
        let mut given = Vec::new();
        let mut wide = false;
        for value in values {
            let text = self.is_text(&value);
            given.push(if text {
                let place = self.temporary_place(value)?;
                wide |= matches!(place.ty, Type::String { wide: true, .. });
                Given::Place(place)
            } else {
                Given::Value(value)
            });
        }
        if matches!(base, "len" | "find") {
            return self.library(&format!("__{base}"), given).map(Some);
        }
        let ty = Type::String { wide, length: RESULT };
        let result = self.text_buffer(&ty)?;
        if base == "concat" {
            // Each string is appended to what is there.
            let empty = super::super::expression::Text { wide, chars: [].into() };
            self.store_text(&result, Value::Text(empty))?;
            for text in given {
                self.library("__append", vec![text, Given::Place(result.clone())])?;
            }
        } else {
            given.push(Given::Place(result.clone()));
            self.library(&format!("__{base}"), given)?;
        }
        Ok(Some(Value::Place(result)))
    }

    /// What the library's text functions are written with: characters by their number from zero,
    /// and the capacity of a string.
    fn inner_function(
        &mut self,
        key: &str,
        arguments: &'a [Argument],
    ) -> Result<Option<Value<'a>>> {
        let expressions = self.ordered(arguments, &["s", "i", "c"])?;
        let place = self.assigned_place(expressions[0])?;
        let Type::String { wide, length } = place.ty else {
            return Err(Diagnostic::error(expressions[0].span, "a string is needed here"));
        };
        if key == "__capacity" {
            return Ok(Some(Value::Integer(i128::from(length))));
        }
        let index = self.expression(expressions[1])?;
        let index = self.coerce(index, &Type::DINT)?;
        let character = self.character_place(&place, index)?;
        let ty = Type::Bits(if wide { 16 } else { 8 });
        if key == "__get" {
            let term = self.read(&character)?;
            return Ok(Some(Value::Scalar(term, ty)));
        }
        let value = self.expression(expressions[2])?;
        let term = self.coerce(value, &ty)?;
        self.write(&character, term)?;
        Ok(Some(Value::Void))
    }
}
