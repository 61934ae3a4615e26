//! Values of every sort: the constants of terms and the contents of models.

use crate::pool::Symbol;
use crate::sort::Sort;
use crate::typing::value_sort;
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
/// Normalized, so that equal arrays compare equal: no entry equals the default, and where the
/// index sort has so few values that another element could serve as the default as well, the
/// default is the most frequent element, the smallest of several.
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
    /// The array with these contents.
    pub fn new(sort: Sort, default: Value, entries: BTreeMap<Value, Value>) -> Self {
        let mut array = ArrayValue { sort, default, entries };
        array.entries.retain(|_, element| *element != array.default);
        array.normalize();
        array
    }

    /// Chooses the default where there is a choice.
    fn normalize(&mut self) {
        let Some((index, _)) = self.entries.first_key_value() else { return };
        let index_sort = value_sort(index);
        let Some(indices) = index_sort.cardinality() else { return };
        let by_default = indices.saturating_sub(self.entries.len() as u64);
        // A default for more than half of the indices has no rival.
        if by_default > self.entries.len() as u64 {
            return;
        }
        let mut count: BTreeMap<&Value, u64> = BTreeMap::new();
        for element in self.entries.values() {
            *count.entry(element).or_default() += 1;
        }
        if by_default > 0 {
            count.insert(&self.default, by_default);
        }
        // The first maximum: the smallest of the most frequent elements.
        let most = count.values().copied().max().unwrap_or(0);
        let chosen =
            count.into_iter().find(|(_, n)| *n == most).map(|(element, _)| element.clone());
        let Some(chosen) = chosen.filter(|element| *element != self.default) else { return };
        let old = std::mem::replace(&mut self.default, chosen);
        if by_default > 0 {
            for index in all_values(index_sort) {
                self.entries.entry(index).or_insert_with(|| old.clone());
            }
        }
        self.entries.retain(|_, element| *element != self.default);
    }

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
        result.normalize();
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

/// Every value of a sort, each once.
///
/// # Panics
/// If [`Sort::cardinality`] does not know how many there are.
pub fn all_values(sort: Sort) -> impl Iterator<Item = Value> {
    let count = sort.cardinality().expect("a sort with a known number of values");
    // Every NaN pattern but the first is passed over.
    let patterns = match sort {
        Sort::Float(format) => 1 << format.width(),
        _ => count,
    };
    let mut nan_seen = false;
    (0..patterns).filter_map(move |n| match sort {
        Sort::Bool => Some(Value::Bool(n == 1)),
        Sort::BitVec(width) => Some(Value::Bits(Bits::from_u64(width, n))),
        Sort::Float(format) => {
            let float = Float::from_bits(format, &Bits::from_u64(format.width(), n));
            let again = float.is_nan() && std::mem::replace(&mut nan_seen, true);
            (!again).then_some(Value::Float(float))
        }
        Sort::RoundingMode => Some(Value::Rounding(Rounding::ALL[n as usize])),
        Sort::Int | Sort::Real | Sort::Array(_) | Sort::Uninterpreted(_) => None,
    })
}
