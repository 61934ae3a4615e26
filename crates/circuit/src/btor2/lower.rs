//! Word-level systems as bit-level ones; [`super::back`] is the way back for traces.
//!
//! Operators become the circuits of [`blast::word`], the same that the SMT solver uses. What the
//! bit level does not have is expressed:
//!
//! * A state whose initial value is not constant: a latch `first` is true at the first step only,
//!   and the state is `if first then init else latch`.
//! * A state without a next value is free at every step: an input (at the first step its initial
//!   value, if there is one).
//! * An array is its elements, one word each, so the index must be narrow: [`lower`] refuses
//!   systems that would become too large.

use super::op::{Binary, Op, Unary};
use super::{Node, Operand, Sort, System};
use crate::system::{Init, Signal, TransitionSystem};
use aig::{Aig, Edge};
use blast::word::{self, Word};

/// The most bits that the values of a system's nodes may have in total.
const MAX_BITS: u64 = 1 << 26;

/// A system that is too large at the bit level.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: a value of sort {sort} takes the system beyond {MAX_BITS} bits")]
pub struct TooLarge {
    /// The line of the value that was one too many.
    pub line: usize,
    /// Its sort.
    pub sort: Sort,
}

/// A bit-level system and its relation to the words.
pub struct Lowered {
    /// The bit-level system; bads and constraints in the order of the words'.
    pub system: TransitionSystem,
    /// For each input, the number of the first of its bits among the bit-level inputs.
    pub(super) inputs: Vec<usize>,
    /// For each state, where its bits are.
    pub(super) states: Vec<Place>,
}

/// Where the bits of a state are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Latches from this number on.
    Latches(usize),
    /// Inputs from this number on.
    Inputs(usize),
}

/// A bit vector, or an array as its elements in order of their indices.
#[derive(Clone, Debug)]
enum Words {
    Bits(Word),
    Array(Vec<Word>),
}

impl Words {
    fn bits(&self) -> &Word {
        match self {
            Words::Bits(word) => word,
            Words::Array(_) => unreachable!("the reader checks sorts"),
        }
    }

    fn elements(&self) -> &[Word] {
        match self {
            Words::Array(elements) => elements,
            Words::Bits(_) => unreachable!("the reader checks sorts"),
        }
    }

    /// The value of this sort whose bits are these, in order.
    fn from_bits(sort: Sort, bits: Word) -> Words {
        match sort {
            Sort::BitVec(_) => Words::Bits(bits),
            Sort::Array { element, .. } => {
                Words::Array(bits.chunks(element as usize).map(<[Edge]>::to_vec).collect())
            }
        }
    }

    fn all_bits(&self) -> Word {
        match self {
            Words::Bits(word) => word.clone(),
            Words::Array(elements) => elements.concat(),
        }
    }

    /// A bit vector as the value of all elements, where an array is wanted.
    fn splat(self, sort: Sort) -> Words {
        match (self, sort) {
            (Words::Bits(word), Sort::Array { index, .. }) => Words::Array(vec![word; 1 << index]),
            (words, _) => words,
        }
    }

    fn ite(g: &mut Aig, c: Edge, t: &Words, e: &Words) -> Words {
        match (t, e) {
            (Words::Bits(t), Words::Bits(e)) => Words::Bits(word::ite(g, c, t, e)),
            (Words::Array(t), Words::Array(e)) => {
                Words::Array(t.iter().zip(e).map(|(t, e)| word::ite(g, c, t, e)).collect())
            }
            _ => unreachable!("the reader checks sorts"),
        }
    }
}

/// How many bits a value of this sort has; `None` for too many.
fn size(sort: Sort) -> Option<u64> {
    match sort {
        Sort::BitVec(width) => Some(u64::from(width)),
        Sort::Array { index, element } => {
            1u64.checked_shl(index)?.checked_mul(u64::from(element)).filter(|n| *n <= MAX_BITS)
        }
    }
}

/// The system at the bit level.
pub fn lower(words: &System) -> Result<Lowered, TooLarge> {
    let mut total = 0u64;
    for node in words.nodes() {
        match size(node.sort) {
            Some(bits) if total + bits <= MAX_BITS => total += bits,
            _ => return Err(TooLarge { line: node.line, sort: node.sort }),
        }
    }
    let mut lowering = Lowering::new(words);
    lowering.make_leaves();
    lowering.initialize();
    lowering.compute_nodes();
    Ok(lowering.finish())
}

struct Lowering<'a> {
    words: &'a System,
    lowered: Lowered,
    /// The leaves' own words: inputs, and states as latches or inputs.
    leaves: Vec<Option<Words>>,
    values: Vec<Option<Words>>,
    /// True at the first step only, once it is needed.
    first: Option<Edge>,
}

impl<'a> Lowering<'a> {
    fn new(words: &'a System) -> Self {
        let count = words.nodes().len();
        let system = TransitionSystem::new();
        Lowering {
            words,
            lowered: Lowered { system, inputs: Vec::new(), states: Vec::new() },
            leaves: vec![None; count],
            values: vec![None; count],
            first: None,
        }
    }

    /// The name of one bit of a node.
    fn name(node: &Node, bit: u64) -> Option<String> {
        let name = node.symbol.as_ref()?;
        Some(if size(node.sort) == Some(1) { name.clone() } else { format!("{name}[{bit}]") })
    }

    fn make_inputs(&mut self, index: usize) -> usize {
        let node = &self.words.nodes()[index];
        let number = self.lowered.system.inputs.len();
        let bits = (0..size(node.sort).expect("counted before"))
            .map(|bit| self.lowered.system.add_input(Self::name(node, bit)))
            .collect();
        self.leaves[index] = Some(Words::from_bits(node.sort, bits));
        number
    }

    fn make_latches(&mut self, index: usize) -> usize {
        let node = &self.words.nodes()[index];
        let number = self.lowered.system.latches.len();
        let bits = (0..size(node.sort).expect("counted before"))
            .map(|bit| self.lowered.system.add_latch(Init::Free, Self::name(node, bit)))
            .collect();
        self.leaves[index] = Some(Words::from_bits(node.sort, bits));
        number
    }

    /// Inputs and latches for the bits of every input and state.
    fn make_leaves(&mut self) {
        for index in self.words.inputs() {
            let number = self.make_inputs(*index);
            self.lowered.inputs.push(number);
        }
        for state in self.words.states() {
            let place = match state.next {
                Some(_) => Place::Latches(self.make_latches(state.node)),
                None => Place::Inputs(self.make_inputs(state.node)),
            };
            self.lowered.states.push(place);
        }
    }

    fn first(&mut self) -> Edge {
        *self.first.get_or_insert_with(|| {
            let system = &mut self.lowered.system;
            let state = system.add_latch(Init::One, None);
            system.latches.last_mut().expect("just added").next = Edge::FALSE;
            state
        })
    }

    /// Resets of latches where initial values are constant; elsewhere the state's value depends on
    /// `first`.
    fn initialize(&mut self) {
        let state_of_node: std::collections::HashMap<usize, usize> =
            self.words.states().iter().enumerate().map(|(k, s)| (s.node, k)).collect();
        let mut initial: Vec<Option<Words>> = vec![None; self.words.nodes().len()];
        for index in self.words.init_order() {
            let node = &self.words.nodes()[*index];
            let value = match state_of_node.get(index) {
                None => apply(&mut self.lowered.system.aig, node, |o| operand(&initial, o)),
                Some(k) => match self.words.states()[*k].init {
                    None => self.leaves[*index].clone().expect("states have leaves"),
                    Some(init) => operand(&initial, init).splat(node.sort),
                },
            };
            initial[*index] = Some(value);
        }
        for (state, place) in self.words.states().iter().zip(self.lowered.states.clone()) {
            let leaf = self.leaves[state.node].clone().expect("states have leaves");
            let value = match (state.init, place) {
                (None, _) => leaf,
                (Some(_), place) => {
                    let sort = self.words.nodes()[state.node].sort;
                    let init = initial[state.node].clone().expect("in the order of initial values");
                    self.initialized(sort, place, leaf, init)
                }
            };
            self.values[state.node] = Some(value);
        }
        for index in self.words.inputs() {
            self.values[*index] = self.leaves[*index].clone();
        }
    }

    /// The value of a state with an initial value.
    fn initialized(&mut self, sort: Sort, place: Place, leaf: Words, init: Words) -> Words {
        let bits = init.all_bits();
        if let (Place::Latches(start), true) =
            (place, bits.iter().all(|e| e.as_constant().is_some()))
        {
            for (offset, edge) in bits.iter().enumerate() {
                let value = edge.as_constant().expect("all are constant");
                self.lowered.system.latches[start + offset].init = Init::constant(value);
            }
            return leaf;
        }
        let first = self.first();
        let bits = word::ite(&mut self.lowered.system.aig, first, &bits, &leaf.all_bits());
        Words::from_bits(sort, bits)
    }

    fn compute_nodes(&mut self) {
        for (index, node) in self.words.nodes().iter().enumerate() {
            if self.values[index].is_none() {
                let aig = &mut self.lowered.system.aig;
                let value = apply(aig, node, |o| operand(&self.values, o));
                self.values[index] = Some(value);
            }
        }
    }

    fn finish(mut self) -> Lowered {
        for (state, place) in self.words.states().iter().zip(self.lowered.states.clone()) {
            if let (Some(next), Place::Latches(start)) = (state.next, place) {
                for (offset, edge) in operand(&self.values, next).all_bits().iter().enumerate() {
                    self.lowered.system.latches[start + offset].next = *edge;
                }
            }
        }
        let signal = |root: &super::Root| Signal {
            edge: operand(&self.values, root.value).bits()[0],
            name: root.symbol.clone(),
        };
        self.lowered.system.bads = self.words.bads.iter().map(signal).collect();
        self.lowered.system.constraints = self.words.constraints.iter().map(signal).collect();
        self.lowered
    }
}

fn operand(values: &[Option<Words>], operand: Operand) -> Words {
    let value = values[operand.node].as_ref().expect("operands come before operators");
    match value {
        Words::Bits(word) if operand.negated => Words::Bits(word::not(word)),
        value => value.clone(),
    }
}

/// The circuit of one operator.
fn apply(g: &mut Aig, node: &Node, operand: impl Fn(Operand) -> Words) -> Words {
    let arg = |k: usize| operand(node.args[k]);
    let width = node.sort.width().unwrap_or(1) as usize;
    Words::Bits(match &node.op {
        Op::Input | Op::State => unreachable!("inputs and states have values before"),
        Op::Const(bits) => bits.iter().map(Edge::constant).collect(),
        Op::Zero => word::zeros(width),
        Op::One => word::constant(1, width),
        Op::Ones => word::not(&word::zeros(width)),
        Op::Unary(op) => unary(g, *op, arg(0).bits()),
        Op::SignExtend(_) => word::sign_extend(arg(0).bits(), width),
        Op::ZeroExtend(_) => word::zero_extend(arg(0).bits(), width),
        Op::Slice { high, low } => arg(0).bits()[*low as usize..=*high as usize].to_vec(),
        Op::Binary(Binary::Eq) => vec![equal(g, &arg(0), &arg(1))],
        Op::Binary(Binary::Neq) => vec![!equal(g, &arg(0), &arg(1))],
        Op::Binary(op) => binary(g, *op, arg(0).bits(), arg(1).bits()),
        Op::Ite => return Words::ite(g, arg(0).bits()[0], &arg(1), &arg(2)),
        Op::Read => read(g, arg(0).elements(), arg(1).bits()),
        Op::Write => {
            return Words::Array(write(g, arg(0).elements(), arg(1).bits(), arg(2).bits()));
        }
    })
}

fn equal(g: &mut Aig, a: &Words, b: &Words) -> Edge {
    word::equal(g, &a.all_bits(), &b.all_bits())
}

/// The element at an index: a tree of multiplexers, one layer a bit of the index.
fn read(g: &mut Aig, elements: &[Word], index: &[Edge]) -> Word {
    let mut layer = elements.to_vec();
    for bit in index {
        layer = layer.chunks(2).map(|pair| word::ite(g, *bit, &pair[1], &pair[0])).collect();
    }
    layer.swap_remove(0)
}

/// The elements with one of them replaced.
fn write(g: &mut Aig, elements: &[Word], index: &[Edge], new: &[Edge]) -> Vec<Word> {
    let mut result = Vec::with_capacity(elements.len());
    for (k, old) in elements.iter().enumerate() {
        let here = word::equal(g, index, &word::constant(k as i128, index.len()));
        result.push(word::ite(g, here, new, old));
    }
    result
}

fn unary(g: &mut Aig, op: Unary, a: &[Edge]) -> Word {
    match op {
        Unary::Not => word::not(a),
        Unary::Inc => word::increment(g, a, Edge::TRUE).0,
        Unary::Dec => word::add(g, a, &word::not(&word::zeros(a.len()))),
        Unary::Neg => word::negate(g, a),
        Unary::RedAnd => vec![word::all(g, a)],
        Unary::RedOr => vec![word::any(g, a)],
        Unary::RedXor => vec![word::parity(g, a)],
    }
}

fn binary(g: &mut Aig, op: Binary, a: &[Edge], b: &[Edge]) -> Word {
    use Binary::*;
    let bit = |edge: Edge| vec![edge];
    match op {
        Iff | Xnor => word::not(&word::xor(g, a, b)),
        Implies => word::or(g, &word::not(a), b),
        Eq | Neq => unreachable!("handled for arrays too, before"),
        Sgt => bit(word::signed_less(g, b, a)),
        Ugt => bit(word::less(g, b, a)),
        Sgte => bit(word::signed_less_equal(g, b, a)),
        Ugte => bit(word::less_equal(g, b, a)),
        Slt => bit(word::signed_less(g, a, b)),
        Ult => bit(word::less(g, a, b)),
        Slte => bit(word::signed_less_equal(g, a, b)),
        Ulte => bit(word::less_equal(g, a, b)),
        And => word::and(g, a, b),
        Nand => word::not(&word::and(g, a, b)),
        Nor => word::not(&word::or(g, a, b)),
        Or => word::or(g, a, b),
        Xor => word::xor(g, a, b),
        Rol => rotate_left(g, a, b),
        Ror => {
            let reversed: Word = a.iter().rev().copied().collect();
            rotate_left(g, &reversed, b).into_iter().rev().collect()
        }
        Sll => word::shift_left(g, a, b),
        Sra => word::shift_right_signed(g, a, b),
        Srl => word::shift_right(g, a, b),
        Add => word::add(g, a, b),
        Mul => word::multiply(g, a, b),
        Sdiv => word::signed_divide(g, a, b),
        Udiv => word::divide(g, a, b).0,
        Smod => word::signed_modulo(g, a, b),
        Srem => word::signed_remainder(g, a, b),
        Urem => word::divide(g, a, b).1,
        Sub => word::subtract(g, a, b),
        Saddo | Uaddo | Sdivo | Smulo | Umulo | Ssubo | Usubo => bit(overflow(g, op, a, b)),
        Concat => word::concat(b, a),
    }
}

/// a rotated by b modulo its width.
fn rotate_left(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    // One more bit, so that the width itself can be written.
    let wide = b.len().max(a.len().ilog2() as usize + 1) + 1;
    let width = word::constant(a.len() as i128, wide);
    let amount = word::divide(g, &word::zero_extend(b, wide), &width).1;
    let rest = word::subtract(g, &width, &amount);
    let (left, right) = (word::shift_left(g, a, &amount), word::shift_right(g, a, &rest));
    word::or(g, &left, &right)
}

fn overflow(g: &mut Aig, op: Binary, a: &[Edge], b: &[Edge]) -> Edge {
    let wide = a.len() * 2;
    let (high, sign) = (a.len() - 1, |w: &[Edge]| w[w.len() - 1]);
    match op {
        Binary::Uaddo => word::add_carry(g, a, b, Edge::FALSE).1,
        Binary::Usubo => word::less(g, a, b),
        Binary::Umulo => {
            let product = word::multiply_full(g, a, b);
            word::any(g, &product[a.len()..])
        }
        Binary::Saddo | Binary::Ssubo => {
            // With one more bit there is no overflow: it is where the two highest bits differ.
            let (a, b) = (word::sign_extend(a, high + 2), word::sign_extend(b, high + 2));
            let result = match op {
                Binary::Saddo => word::add(g, &a, &b),
                _ => word::subtract(g, &a, &b),
            };
            g.xor(result[high], result[high + 1])
        }
        Binary::Smulo => {
            let product =
                word::multiply(g, &word::sign_extend(a, wide), &word::sign_extend(b, wide));
            let top = &product[high..];
            let (all, any) = (word::all(g, top), word::any(g, top));
            g.and(any, !all)
        }
        Binary::Sdivo => {
            let lowest = word::is_zero(g, &a[..high]);
            let lowest = g.and(sign(a), lowest);
            let minus_one = word::all(g, b);
            g.and(lowest, minus_one)
        }
        _ => unreachable!("the operators of overflow"),
    }
}
