//! Places: what an expression can be assigned to.
//!
//! With an unknown index there are several spots, each with the condition under which it is meant;
//! the conditions exclude each other.

use super::Lowerer;
use super::expression::Value;
use super::storage::Node;
use crate::ast::VariableKind;
use crate::types::{Array, POINTER_WIDTH, Shape, Type};
use program::Property;
use program::program::{Instruction, VariableId};
use source::Diagnostic;
use source::diagnostic::Result;
use std::rc::Rc;
use term::{Op, Sort, Term};
use value::Bits;

/// Where a value is.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    /// Its type; of a part, that of the part.
    pub(super) ty: Type<'a>,
    /// Where it may be.
    pub(super) spots: Vec<Spot>,
    /// Which bits of a number are meant, and the type of the number.
    pub(super) part: Option<Part<'a>>,
    /// Whether it must not be written.
    pub(super) constant: bool,
}

/// Where a value may be.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    /// When it is there; none for always.
    pub(super) guard: Option<Term>,
    /// Where.
    pub(super) node: Node,
}

/// Bits of a number.
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    pub(super) low: u32,
    /// How many bits further up they are, where that is not known before.
    pub(super) at: Option<Term>,
    pub(super) width: u32,
    pub(super) whole: Type<'a>,
}

impl<'a> Place<'a> {
    /// One spot.
    pub(super) fn new(ty: Type<'a>, node: Node) -> Place<'a> {
        let spots = vec![Spot { guard: None, node }];
        Place { ty, spots, part: None, constant: false }
    }

    /// The register that it is, if it is one and no more.
    pub(super) fn register(&self) -> Option<VariableId> {
        match (&self.spots[..], &self.part) {
            ([Spot { guard: None, node: Node::Register(variable) }], None) => Some(*variable),
            _ => None,
        }
    }

    /// The address, if it is in memory.
    pub(super) fn memory(&self) -> Option<Term> {
        match (&self.spots[..], &self.part) {
            ([Spot { guard: None, node: Node::Memory(address) }], None) => Some(*address),
            _ => None,
        }
    }
}

impl<'a> Lowerer<'a> {
    /// A variable of an instance or field of a structure, by its name in small letters.
    pub(super) fn member_variable(
        &mut self,
        place: &Place<'a>,
        key: &str,
    ) -> Result<Option<Place<'a>>> {
        let Some(fields) = self.fields(&place.ty)? else { return Ok(None) };
        // Of inherited variables and own ones of a name, the own one is meant.
        let Some(at) = fields.iter().rposition(|field| *field.key == *key) else {
            return Ok(None);
        };
        let field = fields.iter().nth(at).expect("a position of the fields").clone();
        if field.kind == VariableKind::External {
            return self.external(&field).map(Some);
        }
        if let Some(location) = field.location.filter(|_| field.is_located()) {
            return self.located_at(location, &field.ty, &field.name, field.initial).map(Some);
        }
        let mut found =
            Place { ty: field.ty.clone(), spots: Vec::new(), part: None, constant: field.constant };
        for spot in &place.spots {
            let node = match &spot.node {
                Node::Parts(parts) => parts.1[at].clone(),
                Node::Memory(_) if !Self::is_stored(&field) => Node::Nothing,
                Node::Memory(address) => {
                    let offset = self.offsets(&fields)?.0[at];
                    Node::Memory(self.pool.bv_add(*address, self.address(offset)))
                }
                Node::Register(_) | Node::Nothing => Node::Nothing,
            };
            found.spots.push(Spot { guard: spot.guard, node });
        }
        Ok(Some(found))
    }

    /// An element of an array. To hold it is to mean this element whatever happens to the
    /// variables of the index later.
    pub(super) fn element(
        &mut self,
        place: &Place<'a>,
        array: &Rc<Array<'a>>,
        indices: Vec<Value<'a>>,
        hold: bool,
    ) -> Result<Place<'a>> {
        if indices.len() != array.dimensions.len() {
            let (given, needed) = (indices.len(), array.dimensions.len());
            let message = format!("{given} indices for an array of {needed} dimensions");
            return Err(Diagnostic::error(self.span, message));
        }
        let mut known = Some(0i128);
        let mut terms = Vec::new();
        for (value, (low, high)) in indices.into_iter().zip(&array.dimensions) {
            if let Some(index) = self.known_integer(&value) {
                if index < *low || index > *high {
                    if self.quiet > 0 {
                        let message = format!("the index {index} is outside of {low}..{high}");
                        return Err(Diagnostic::error(self.span, message));
                    }
                    self.check(Property::Bounds, self.pool.fls());
                }
                let within = index.min(*high).max(*low) - low;
                known = known.map(|sum| sum * (high - low + 1) + within);
                terms.push((self.pool.bits(Bits::from_i128(64, index)), true));
                continue;
            }
            known = None;
            let (term, shape) = self.scalar(value)?;
            let Shape::Number { signed, .. } = shape else {
                return Err(Diagnostic::error(self.span, "an index has to be an integer"));
            };
            let term = if hold { self.keep(term) } else { term };
            let within = self.pool.and([
                self.compared(term, signed, *low, Side::AtLeast),
                self.compared(term, signed, *high, Side::AtMost),
            ]);
            self.check(Property::Bounds, within);
            terms.push((term, signed));
        }
        match known {
            Some(number) => self.known_element(place, array, number),
            None => self.unknown_element(place, array, &terms),
        }
    }

    /// The element with a number.
    pub(super) fn known_element(
        &mut self,
        place: &Place<'a>,
        array: &Rc<Array<'a>>,
        number: i128,
    ) -> Result<Place<'a>> {
        let size = self.layout(&array.element)?.0;
        let number = u64::try_from(number).unwrap_or(0);
        let node = |node: &Node| match node {
            Node::Parts(parts) => parts.1.get(number as usize).cloned().unwrap_or(Node::Nothing),
            Node::Memory(address) => {
                let offset = self.address(number.saturating_mul(size));
                Node::Memory(self.pool.bv_add(*address, offset))
            }
            Node::Register(_) | Node::Nothing => Node::Nothing,
        };
        let spots = place.spots.iter();
        let spots = spots.map(|s| Spot { guard: s.guard, node: node(&s.node) }).collect();
        Ok(Place { ty: array.element.clone(), spots, part: None, constant: place.constant })
    }

    fn unknown_element(
        &mut self,
        place: &Place<'a>,
        array: &Rc<Array<'a>>,
        indices: &[(Term, bool)],
    ) -> Result<Place<'a>> {
        let size = self.layout(&array.element)?.0;
        let mut spots = Vec::new();
        for spot in &place.spots {
            match &spot.node {
                Node::Parts(parts) => {
                    for (number, node) in parts.1.iter().enumerate() {
                        let mut guards: Vec<Term> = spot.guard.into_iter().collect();
                        let mut rest = number as i128;
                        for ((term, signed), (low, high)) in
                            indices.iter().zip(&array.dimensions).rev()
                        {
                            let extent = high - low + 1;
                            let index = low + rest % extent;
                            guards.push(self.compared(*term, *signed, index, Side::Equal));
                            rest /= extent;
                        }
                        let guard = self.pool.and(guards);
                        if self.pool.as_bool(guard) != Some(false) {
                            spots.push(Spot { guard: Some(guard), node: node.clone() });
                        }
                    }
                }
                Node::Memory(address) => {
                    let mut number = self.address(0);
                    for ((term, signed), (low, high)) in indices.iter().zip(&array.dimensions) {
                        let extent = self.word((high - low + 1) as u64);
                        let index = self.resize(*term, POINTER_WIDTH, *signed);
                        let low = self.pool.bits(Bits::from_i128(POINTER_WIDTH, *low));
                        let index = self.pool.bv_sub(index, low);
                        number = self.pool.bv_add(self.pool.bv_mul(number, extent), index);
                    }
                    let offset = self.pool.bv_mul(number, self.word(size));
                    let node = Node::Memory(self.pool.bv_add(*address, offset));
                    spots.push(Spot { guard: spot.guard, node });
                }
                Node::Register(_) | Node::Nothing => {}
            }
        }
        Ok(Place { ty: array.element.clone(), spots, part: None, constant: place.constant })
    }

    fn word(&self, value: u64) -> Term {
        self.address(value)
    }

    /// How a number compares with a constant, whatever the widths.
    pub(super) fn compared(&self, term: Term, signed: bool, to: i128, side: Side) -> Term {
        let width = self.pool.width(term);
        let (least, most) = match signed {
            true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            false => (0, (1i128 << width) - 1),
        };
        let constant = self.pool.bits(Bits::from_i128(width, to));
        let le = |a, b| if signed { self.pool.bv_sle(a, b) } else { self.pool.bv_ule(a, b) };
        match side {
            Side::AtLeast if to <= least => self.pool.tru(),
            Side::AtMost if to >= most => self.pool.tru(),
            _ if to < least || to > most => self.pool.fls(),
            Side::AtLeast => le(constant, term),
            Side::AtMost => le(term, constant),
            Side::Equal => self.pool.eq(term, constant),
        }
    }

    /// The value at a place of a scalar type.
    pub(super) fn read(&mut self, place: &Place<'a>) -> Result<Term> {
        let whole = place.part.as_ref().map_or(&place.ty, |part| &part.whole).clone();
        let Some(shape) = whole.shape() else {
            let message = format!("a value of type {whole} where a number is expected");
            return Err(Diagnostic::error(self.span, message));
        };
        let term = self.read_spots(&place.spots, shape);
        Ok(match &place.part {
            None => term,
            Some(part) => {
                let term = part.at.map_or(term, |at| self.pool.bv_lshr(term, at));
                let bits = self.pool.bv_extract(term, part.low + part.width - 1, part.low);
                if part.width == 1 { self.pool.eq(bits, self.pool.bv(1, 1)) } else { bits }
            }
        })
    }

    fn read_spots(&mut self, spots: &[Spot], shape: Shape) -> Term {
        let in_memory = |spot: &Spot| matches!(spot.node, Node::Memory(_));
        if let [Spot { guard: None, node }] = spots {
            return self.read_node(node, shape);
        }
        if spots.iter().any(in_memory) {
            let into = self.temporary(shape.sort());
            let done = self.new_location();
            for spot in spots {
                let (then, next) = (self.new_location(), self.new_location());
                self.split(spot.guard.unwrap_or(self.pool.tru()), then, next);
                self.continue_at(then);
                let term = self.read_node(&spot.node, shape);
                self.assign(into, term);
                self.jump(done);
                self.continue_at(next);
            }
            let zero = self.zero(shape.sort());
            self.assign(into, zero);
            self.jump(done);
            self.continue_at(done);
            return self.term_of(into);
        }
        // Some guard holds, so the last one needs not be looked at.
        let mut result = None;
        for spot in spots.iter().rev() {
            let term = self.read_node(&spot.node, shape);
            result = Some(match (result, spot.guard) {
                (Some(other), Some(guard)) => self.pool.ite(guard, term, other),
                _ => term,
            });
        }
        result.unwrap_or_else(|| self.zero(shape.sort()))
    }

    fn read_node(&mut self, node: &Node, shape: Shape) -> Term {
        match node {
            Node::Register(variable) => self.term_of(*variable),
            Node::Memory(address) => {
                let sort = if shape == Shape::Bool { Sort::BitVec(8) } else { shape.sort() };
                let into = self.temporary(sort);
                self.emit(Instruction::Load { into, address: *address });
                let term = self.term_of(into);
                if shape == Shape::Bool { self.pool.ne(term, self.pool.bv(0, 8)) } else { term }
            }
            Node::Parts(_) | Node::Nothing => {
                self.unknown(shape.sort(), program::program::Cause::Unknown("missing".into()))
            }
        }
    }

    /// The zero of a sort.
    pub(super) fn zero(&self, sort: Sort) -> Term {
        match sort {
            Sort::Bool => self.pool.fls(),
            Sort::Float(format) => self.pool.float(value::Float::zero(format, false)),
            sort => self.pool.bv(0, sort.width().unwrap_or(1)),
        }
    }

    /// Writes a value of the place's type.
    pub(super) fn write(&mut self, place: &Place<'a>, term: Term) -> Result<()> {
        let Some(part) = &place.part else {
            return self.write_whole(&place.spots, term);
        };
        let shape = part.whole.shape().expect("parts are of numbers");
        let whole = self.read_spots(&place.spots, shape);
        let bits = match self.pool.sort(term) {
            Sort::Bool => self.pool.bv_from_bool(term),
            _ => term,
        };
        let width = self.pool.width(whole);
        if let Some(at) = part.at {
            let shifted = |term| {
                let low = self.pool.bv(u64::from(part.low), width);
                self.pool.bv_shl(self.pool.bv_shl(self.resize(term, width, false), low), at)
            };
            let mask = shifted(self.pool.bits(Bits::ones(part.width)));
            let kept = self.pool.bv_and(whole, self.pool.bv_not(mask));
            let changed = self.pool.bv_or(kept, shifted(bits));
            return self.write_whole(&place.spots, changed);
        }
        let mut changed = bits;
        if part.low > 0 {
            let low = self.pool.bv_extract(whole, part.low - 1, 0);
            changed = self.pool.bv_concat(changed, low);
        }
        if part.low + part.width < width {
            let high = self.pool.bv_extract(whole, width - 1, part.low + part.width);
            changed = self.pool.bv_concat(high, changed);
        }
        self.write_whole(&place.spots, changed)
    }

    fn write_whole(&mut self, spots: &[Spot], term: Term) -> Result<()> {
        let term = if spots.len() > 1 { self.keep(term) } else { term };
        for spot in spots {
            match (&spot.node, spot.guard) {
                (Node::Register(variable), guard) => {
                    let old = self.term_of(*variable);
                    let new = guard.map_or(term, |guard| self.pool.ite(guard, term, old));
                    self.assign(*variable, new);
                }
                (Node::Memory(address), guard) => {
                    let value = match self.pool.sort(term) {
                        Sort::Bool => self.pool.ite(term, self.pool.bv(1, 8), self.pool.bv(0, 8)),
                        _ => term,
                    };
                    let store = Instruction::Store { address: *address, value };
                    self.when(guard, |this| this.emit(store));
                }
                (Node::Parts(_) | Node::Nothing, _) => {}
            }
        }
        Ok(())
    }

    /// Does something if a condition holds.
    pub(super) fn when(&mut self, guard: Option<Term>, work: impl FnOnce(&mut Self)) {
        let Some(guard) = guard else { return work(self) };
        let (then, next) = (self.new_location(), self.new_location());
        self.split(guard, then, next);
        self.continue_at(then);
        work(self);
        self.jump(next);
        self.continue_at(next);
    }

    /// A number in another width: cut, or extended by its sign or zeros.
    pub(super) fn resize(&self, term: Term, width: u32, signed: bool) -> Term {
        let old = self.pool.width(term);
        if width < old {
            self.pool.bv_extract(term, width - 1, 0)
        } else if signed {
            self.pool.make(Op::BvSignExtend(width - old), &[term])
        } else {
            self.pool.make(Op::BvZeroExtend(width - old), &[term])
        }
    }
}

/// How something compares.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Side {
    AtLeast,
    AtMost,
    Equal,
}
