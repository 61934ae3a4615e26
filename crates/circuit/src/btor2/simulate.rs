//! Concrete values, and what a system computes from them: the meaning of the operators.
//!
//! Bit vectors have the semantics of SMT-LIB (crate `value`). An array is a default value with
//! exceptions, so its size in memory is the number of elements that were touched.

use super::{Binary, Node, Op, Operand, Sort, System, Unary};
use std::collections::BTreeMap;
use std::sync::Arc;
use value::Bits;

/// An array value.
#[derive(Clone, Debug)]
pub struct Array {
    /// The width of an index.
    index: u32,
    /// The element where there is no exception.
    default: Bits,
    /// Exceptions, none of them equal to the default.
    elements: BTreeMap<Bits, Bits>,
}

impl Array {
    /// All elements equal.
    pub fn constant(index: u32, default: Bits) -> Self {
        Array { index, default, elements: BTreeMap::new() }
    }

    /// The element at an index.
    pub fn read(&self, index: &Bits) -> &Bits {
        self.elements.get(index).unwrap_or(&self.default)
    }

    /// The array with one element replaced.
    pub fn write(&self, index: &Bits, element: Bits) -> Array {
        let mut written = self.clone();
        written.set(index, element);
        written
    }

    /// Replaces one element.
    pub fn set(&mut self, index: &Bits, element: Bits) {
        if element == self.default {
            self.elements.remove(index);
        } else {
            self.elements.insert(index.clone(), element);
        }
    }

    /// The elements that differ from the default.
    pub fn exceptions(&self) -> impl Iterator<Item = (&Bits, &Bits)> {
        self.elements.iter()
    }

    /// The element where there is no exception.
    pub fn default_element(&self) -> &Bits {
        &self.default
    }

    /// Whether the exceptions of two arrays cover all indices, so that the defaults don't matter.
    fn covers_all(&self, other: &Array) -> bool {
        let common = self.elements.keys().filter(|k| other.elements.contains_key(k)).count();
        let union = self.elements.len() + other.elements.len() - common;
        1usize.checked_shl(self.index).is_some_and(|all| union == all)
    }
}

/// Extensional: equal at every index.
impl PartialEq for Array {
    fn eq(&self, other: &Array) -> bool {
        let keys = self.elements.keys().chain(other.elements.keys());
        (self.default == other.default || self.covers_all(other))
            && keys.into_iter().all(|k| self.read(k) == other.read(k))
    }
}

impl Eq for Array {}

/// A value of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A bit vector.
    Bits(Bits),
    /// An array.
    Array(Arc<Array>),
}

impl Value {
    /// The value of a sort with all bits false.
    pub fn zero(sort: Sort) -> Self {
        match sort {
            Sort::BitVec(width) => Value::Bits(Bits::zero(width)),
            Sort::Array { index, element } => {
                Value::Array(Arc::new(Array::constant(index, Bits::zero(element))))
            }
        }
    }

    /// Whether the value is of a sort.
    pub fn has_sort(&self, sort: Sort) -> bool {
        match (self, sort) {
            (Value::Bits(bits), Sort::BitVec(width)) => bits.width() == width,
            (Value::Array(array), Sort::Array { index, element }) => {
                array.index == index && array.default.width() == element
            }
            _ => false,
        }
    }

    /// The value of a bit vector of width 1.
    pub fn is_true(&self) -> bool {
        matches!(self, Value::Bits(bits) if bits.is_one())
    }

    fn bits(&self) -> &Bits {
        match self {
            Value::Bits(bits) => bits,
            Value::Array(_) => unreachable!("operands are well sorted"),
        }
    }

    fn array(&self) -> &Arc<Array> {
        match self {
            Value::Array(array) => array,
            Value::Bits(_) => unreachable!("operands are well sorted"),
        }
    }
}

/// The values of all nodes at one step.
#[derive(Clone, Debug)]
pub struct Step(Vec<Value>);

impl Step {
    /// Computes all nodes from the values of states and inputs, in the system's order of these.
    ///
    /// # Panics
    /// If a value is missing or of the wrong sort.
    pub fn compute(system: &System, states: &[Value], inputs: &[Value]) -> Self {
        assert_eq!((states.len(), inputs.len()), (system.states().len(), system.inputs().len()));
        let (mut states, mut inputs) = (states.iter(), inputs.iter());
        let mut step = Step(Vec::with_capacity(system.nodes().len()));
        for node in system.nodes() {
            let value = match node.op {
                // The nodes are in the order of the states' and inputs' lists.
                Op::Input => inputs.next().expect("as many values as inputs").clone(),
                Op::State => states.next().expect("as many values as states").clone(),
                _ => apply(node, |operand| step.value(operand)),
            };
            assert!(
                value.has_sort(node.sort),
                "a value of sort {} for line {}",
                node.sort,
                node.line
            );
            step.0.push(value);
        }
        step
    }

    /// The value of an operand.
    pub fn value(&self, operand: Operand) -> Value {
        negated(&self.0[operand.node], operand.negated)
    }

    /// The states of the next step; `free` gives those that have no next value.
    pub fn next_states(&self, system: &System, mut free: impl FnMut(usize) -> Value) -> Vec<Value> {
        let states = system.states().iter().enumerate();
        states.map(|(k, s)| s.next.map_or_else(|| free(k), |next| self.value(next))).collect()
    }
}

fn negated(value: &Value, negate: bool) -> Value {
    match value {
        Value::Bits(bits) if negate => Value::Bits(bits.not()),
        value => value.clone(),
    }
}

/// The states of the first step; `free` gives those that have no initial value.
///
/// # Panics
/// If `free` gives a value of the wrong sort.
pub fn initial_states(system: &System, mut free: impl FnMut(usize) -> Value) -> Vec<Value> {
    let mut state_of_node = BTreeMap::new();
    for (k, state) in system.states().iter().enumerate() {
        state_of_node.insert(state.node, k);
    }
    let mut values: Vec<Option<Value>> = vec![None; system.nodes().len()];
    let of = |values: &[Option<Value>], operand: Operand| {
        let value = values[operand.node].as_ref().expect("computed in the order of dependencies");
        negated(value, operand.negated)
    };
    for index in system.init_order() {
        let node = &system.nodes()[*index];
        let value = match state_of_node.get(index) {
            None => apply(node, |operand| of(&values, operand)),
            Some(k) => match system.states()[*k].init {
                None => free(*k),
                Some(init) => splat(of(&values, init), node.sort),
            },
        };
        assert!(value.has_sort(node.sort), "a value of sort {} for line {}", node.sort, node.line);
        values[*index] = Some(value);
    }
    let states = system.states().iter();
    states.map(|s| of(&values, Operand::plain(s.node))).collect()
}

/// A bit vector that initializes an array is the value of all its elements.
fn splat(value: Value, sort: Sort) -> Value {
    match (value, sort) {
        (Value::Bits(bits), Sort::Array { index, .. }) => {
            Value::Array(Arc::new(Array::constant(index, bits)))
        }
        (value, _) => value,
    }
}

/// The value of an operator.
///
/// Requires: the node is well sorted and neither an input nor a state.
fn apply(node: &Node, operand: impl Fn(Operand) -> Value) -> Value {
    let arg = |k: usize| operand(node.args[k]);
    let width = node.sort.width().unwrap_or(1);
    Value::Bits(match &node.op {
        Op::Input | Op::State => unreachable!("the caller gives values to inputs and states"),
        Op::Const(bits) => bits.clone(),
        Op::Zero => Bits::zero(width),
        Op::One => Bits::one(width),
        Op::Ones => Bits::ones(width),
        Op::Unary(op) => unary(*op, arg(0).bits()),
        Op::SignExtend(by) => arg(0).bits().sign_extend(*by),
        Op::ZeroExtend(by) => arg(0).bits().zero_extend(*by),
        Op::Slice { high, low } => arg(0).bits().extract(*high, *low),
        Op::Binary(Binary::Eq) => Bits::from_bool(arg(0) == arg(1)),
        Op::Binary(Binary::Neq) => Bits::from_bool(arg(0) != arg(1)),
        Op::Binary(op) => binary(*op, arg(0).bits(), arg(1).bits()),
        Op::Ite => return if arg(0).is_true() { arg(1) } else { arg(2) },
        Op::Read => arg(0).array().read(arg(1).bits()).clone(),
        Op::Write => {
            let (array, index, element) = (arg(0), arg(1), arg(2));
            let written = array.array().write(index.bits(), element.bits().clone());
            return Value::Array(Arc::new(written));
        }
    })
}

fn unary(op: Unary, a: &Bits) -> Bits {
    match op {
        Unary::Not => a.not(),
        Unary::Inc => a.add(&Bits::one(a.width())),
        Unary::Dec => a.sub(&Bits::one(a.width())),
        Unary::Neg => a.neg(),
        Unary::RedAnd => Bits::from_bool(a.redand()),
        Unary::RedOr => Bits::from_bool(a.redor()),
        Unary::RedXor => Bits::from_bool(a.redxor()),
    }
}

fn binary(op: Binary, a: &Bits, b: &Bits) -> Bits {
    use Binary::*;
    match op {
        Iff | Xnor => a.xnor(b),
        Implies => a.not().or(b),
        Eq => Bits::from_bool(a == b),
        Neq => Bits::from_bool(a != b),
        Sgt => Bits::from_bool(a.sgt(b)),
        Ugt => Bits::from_bool(a.ugt(b)),
        Sgte => Bits::from_bool(a.sge(b)),
        Ugte => Bits::from_bool(a.uge(b)),
        Slt => Bits::from_bool(a.slt(b)),
        Ult => Bits::from_bool(a.ult(b)),
        Slte => Bits::from_bool(a.sle(b)),
        Ulte => Bits::from_bool(a.ule(b)),
        And => a.and(b),
        Nand => a.nand(b),
        Nor => a.nor(b),
        Or => a.or(b),
        Xor => a.xor(b),
        Rol => a.rotate_left_by(b),
        Ror => a.rotate_right_by(b),
        Sll => a.shl(b),
        Sra => a.ashr(b),
        Srl => a.lshr(b),
        Add => a.add(b),
        Mul => a.mul(b),
        Sdiv => a.sdiv(b),
        Udiv => a.udiv(b),
        Smod => a.smod(b),
        Srem => a.srem(b),
        Urem => a.urem(b),
        Sub => a.sub(b),
        Saddo => Bits::from_bool(a.saddo(b)),
        Uaddo => Bits::from_bool(a.uaddo(b)),
        Sdivo => Bits::from_bool(a.sdivo(b)),
        Smulo => Bits::from_bool(a.smulo(b)),
        Umulo => Bits::from_bool(a.umulo(b)),
        Ssubo => Bits::from_bool(a.ssubo(b)),
        Usubo => Bits::from_bool(a.usubo(b)),
        Concat => a.concat(b),
    }
}
