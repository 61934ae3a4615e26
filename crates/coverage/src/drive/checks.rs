//! What each cycle of each vector must leave, as tables that the suite goes through.

use super::c_value;
use crate::outputs::{Left, Output};
use crate::suite::Vector;
use program::counterexample::Taken;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use term::Value;
use value::Format;

/// The variables that are compared, in an order, and whether they are floats.
pub struct Checks<'l> {
    variables: Vec<(&'l str, Kind)>,
    left: &'l [Left],
}

/// How values are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Bits,
    Float,
    Double,
}

fn kind(value: &Value) -> Option<Kind> {
    c_value(value)?;
    match value {
        Value::Float(float) if float.format() == Format::F32 => Some(Kind::Float),
        Value::Float(float) if float.format() == Format::F64 => Some(Kind::Double),
        Value::Float(_) => None,
        _ => Some(Kind::Bits),
    }
}

impl<'l> Checks<'l> {
    /// Of what is left by all vectors.
    pub fn new(left: &'l [Left]) -> Checks<'l> {
        let changes = left.iter().flat_map(|left| &left.cycles).flatten();
        let variable =
            |(name, output): (&'l Arc<str>, &'l Output)| Some((&**name, kind(&output.value)?));
        let variables: BTreeSet<(&str, Kind)> = changes.filter_map(variable).collect();
        Checks { variables: variables.into_iter().collect(), left }
    }

    /// The table of a vector.
    pub fn table(&self, text: &mut String, number: usize) {
        let _ = writeln!(
            text,
            "static const struct cairn_expected cairn_expected_{}[] = {{",
            number + 1
        );
        for (cycle, changes) in self.left[number].cycles.iter().enumerate() {
            for (name, Output { value, .. }) in changes {
                let Some(kind) = kind(value) else { continue };
                let Ok(variable) = self.variables.binary_search(&(&**name, kind)) else { continue };
                let bits = c_value(value).unwrap_or_default();
                let _ = writeln!(text, "  {{ {}, {variable}, {bits} }},", cycle + 1);
            }
        }
        text.push_str("  { 0, 0, 0 }\n};\n");
    }

    /// What is said of a vector beside its values: whether an assumption refuses it in the end, and whether
    /// numbers may be a little off.
    pub fn flags(&self, number: usize, vector: &Vector) -> (u8, u8) {
        let loose = vector.inputs.iter().any(Taken::is_computed);
        (u8::from(self.left[number].refused), u8::from(loose))
    }

    /// The function that compares a variable with what is expected.
    pub fn compare(&self, text: &mut String) {
        text.push_str(
            "CAIRN_QUIET static void cairn_compare(int variable, unsigned long long bits, double tolerance) \
             {\n  switch (variable) {\n",
        );
        for (number, (name, kind)) in self.variables.iter().enumerate() {
            let compare = match kind {
                Kind::Bits => format!("CAIRN_BITS({name}, bits)"),
                Kind::Float => format!("CAIRN_NUMBER({name}, cairn_float(bits), tolerance)"),
                Kind::Double => format!("CAIRN_NUMBER({name}, cairn_double(bits), tolerance)"),
            };
            let _ = writeln!(text, "  case {number}: {compare}; break;");
        }
        text.push_str("  }\n}\n\n");
    }
}
