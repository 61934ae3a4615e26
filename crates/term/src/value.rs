//! Values of every sort: the constants of terms and the contents of models.

use crate::pool::Symbol;
use crate::sort::Sort;
use num_bigint::BigInt;
use num_rational::BigRational;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;
use value::{Bits, Float, Rounding};

/// A concrete value.
///
/// The order is total and arbitrary between sorts; it serves as a key. On numbers it is theirs,
/// on floats it is the order of their interchange bits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Of sort Bool.
    Bool(bool),
    /// Of a bit-vector sort.
    Bits(Bits),
    /// Of a floating-point sort.
    Float(Float),
    /// Of sort RoundingMode.
    Rounding(Rounding),
    /// Of sort Int.
    Int(BigInt),
    /// Of sort Real.
    Real(BigRational),
    /// Of an array sort.
    Array(Arc<ArrayValue>),
    /// An element of an uninterpreted sort, by number; elements with different numbers differ.
    Element(Symbol, u32),
}

/// The contents of an array: a default and its exceptions.
///
/// Normalized: no entry equals the default, so that two equal arrays over an infinite (or not
/// exhausted) index sort compare equal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    /// The array's sort.
    pub sort: Sort,
    /// What every index without an entry maps to.
    pub default: Value,
    /// The exceptions.
    pub entries: BTreeMap<Value, Value>,
}

impl ArrayValue {
    /// The element at an index.
    pub fn select(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// The array with another element at an index.
    pub fn store(&self, index: Value, element: Value) -> ArrayValue {
        let mut result = self.clone();
        if element == result.default {
            result.entries.remove(&index);
        } else {
            result.entries.insert(index, element);
        }
        result
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Bits(a), Value::Bits(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => {
                (a.format(), a.to_bits()).cmp(&(b.format(), b.to_bits()))
            }
            (Value::Rounding(a), Value::Rounding(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Real(a), Value::Real(b)) => a.cmp(b),
            (Value::Array(a), Value::Array(b)) => a.cmp(b),
            (Value::Element(s, a), Value::Element(t, b)) => (s, a).cmp(&(t, b)),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl Value {
    /// The place of the value's kind among the kinds.
    fn rank(&self) -> u8 {
        match self {
            Value::Bool(_) => 0,
            Value::Bits(_) => 1,
            Value::Float(_) => 2,
            Value::Rounding(_) => 3,
            Value::Int(_) => 4,
            Value::Real(_) => 5,
            Value::Array(_) => 6,
            Value::Element(..) => 7,
        }
    }

    /// The truth value, of a Bool.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(b) = self { Some(*b) } else { None }
    }

    /// The bits, of a bit-vector.
    pub fn as_bits(&self) -> Option<&Bits> {
        if let Value::Bits(bits) = self { Some(bits) } else { None }
    }

    /// The float, of a floating-point value.
    pub fn as_float(&self) -> Option<&Float> {
        if let Value::Float(float) = self { Some(float) } else { None }
    }
}
