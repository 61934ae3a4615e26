//! Values of a quantified variable at which a formula is looked at.
//!
//! **Deciding values.** If a formula only compares its variable ([`crate::bounds`]), few values
//! decide it: what it is compared with, and what lies beside that. They are computed when the run
//! comes there. Nothing else may read the variable, as [`super::escape`] says.
//!
//! **Likely values.** What is assumed of all values may be assumed of any. Those that formulas are
//! likely to be about are what the variable is compared with, elements of arrays and values of other
//! variables in the formula, the ends of the type, zero, and constants that stand nearby in the
//! program.
//!
//! Only what can't go wrong is computed for that: constants, variables, and arithmetic on them.

use super::Lowerer;
use super::memory::Access;
use super::place::Spot;
use crate::constant::Constant;
use crate::diagnostic::Result;
use crate::typed::{ArithOp, BinaryOp, Conversion, ExprId, ExprKind, ObjectId, PlaceId, PlaceKind};
use crate::types::{ArrayLength, Type, TypeId};
use rustc_hash::FxHashSet;
use term::Term;
use value::Bits;

/// The most formulas inside of each other whose deciding values are looked for.
const DEEPEST: u32 = 4;
/// The most likely values.
const LIKELY: usize = 40;
/// The longest array whose elements are likely values.
const ELEMENTS: u64 = 16;

/// Values of a variable's type, each once.
struct Values {
    ty: TypeId,
    found: Vec<Term>,
    most: usize,
}

impl Lowerer<'_> {
    /// The values that decide a formula about a variable, if that is seen.
    pub(super) fn deciding_values(
        &mut self,
        object: ObjectId,
        body: ExprId,
    ) -> Result<Option<Vec<Term>>> {
        let ty = self.c.objects[object].ty.ty;
        let uses = self.c.uses(object, body);
        if !uses.only_compared
            || uses.rank > DEEPEST
            || uses.variables.iter().any(|variable| self.escaping.contains(variable))
            || !uses.compared.iter().all(|term| self.is_quiet(*term))
        {
            return Ok(None);
        }
        let distance = 1 << (uses.rank - 1);
        let mut values = Values { ty, found: Vec::new(), most: usize::MAX };
        for &term in &uses.compared {
            let number = self.quiet_number(term)?;
            self.add_near(&mut values, number, distance);
        }
        if uses.with_zero || uses.compared.is_empty() {
            self.add_constant(&mut values, 0, distance);
        }
        if uses.rank > 1 {
            let (least, greatest) = self.limits(ty);
            self.add_near(&mut values, least, distance);
            self.add_near(&mut values, greatest, distance);
        }
        Ok(Some(values.found))
    }

    /// Values that a formula is likely to be about.
    pub(super) fn likely_values(
        &mut self,
        object: Option<ObjectId>,
        body: ExprId,
        ty: TypeId,
        most: usize,
    ) -> Result<Vec<Term>> {
        let mut values = Values { ty, found: Vec::new(), most: most.min(LIKELY) };
        let mut variables = Vec::new();
        if let Some(object) = object {
            let uses = self.c.uses(object, body);
            for term in uses.compared {
                if self.is_quiet(term) {
                    let number = self.quiet_number(term)?;
                    self.add_near(&mut values, number, 1);
                }
            }
            variables = uses.variables;
        }
        self.add_constant(&mut values, 0, 1);
        let (least, greatest) = self.limits(ty);
        for number in [least, greatest] {
            self.add_near(&mut values, number, 0);
        }
        self.add_parts(&mut values, body, &variables)?;
        let mut constants: Vec<(u32, i128)> = Vec::new();
        let here = u32::from(body.into_raw());
        for (expr, known) in self.c.constants.iter() {
            if let Constant::Int(bits) = known.value
                && let Some(shape) = self.c.types.shape(self.c.exprs[expr].ty)
            {
                let distance = u32::from(expr.into_raw()).abs_diff(here);
                constants.push((distance, shape.value(bits)));
            }
        }
        constants.sort_unstable();
        let mut seen = FxHashSet::default();
        constants.retain(|(_, value)| seen.insert(*value));
        for (_, value) in constants.into_iter().take(LIKELY) {
            self.add_constant(&mut values, value, 1);
        }
        Ok(values.found)
    }

    /// Adds elements of arrays and values of variables that a formula mentions.
    fn add_parts(
        &mut self,
        values: &mut Values,
        body: ExprId,
        variables: &[ObjectId],
    ) -> Result<()> {
        let mut todo = vec![body];
        let mut seen = FxHashSet::default();
        while let Some(expr) = todo.pop() {
            let kind = &self.c.exprs[expr].kind;
            self.c.operands(kind, &mut todo);
            let (ExprKind::Load(place) | ExprKind::Decay(place)) = kind else { continue };
            let place = self.whole_place(*place);
            let PlaceKind::Object(object) = self.c.places[place].kind else { continue };
            if variables.contains(&object) || !seen.insert(object) {
                continue;
            }
            if self.is_quiet(expr) {
                let number = self.quiet_number(expr)?;
                self.add_near(values, number, 1);
            } else {
                self.add_elements(values, place)?;
            }
        }
        Ok(())
    }

    /// The array or variable that a place is an element of.
    fn whole_place(&self, mut place: PlaceId) -> PlaceId {
        while let PlaceKind::Index(base, _) = self.c.places[place].kind {
            place = base;
        }
        place
    }

    fn add_elements(&mut self, values: &mut Values, place: PlaceId) -> Result<()> {
        let array = self.c.places[place].ty;
        let &Type::Array(element, ArrayLength::Fixed(length)) = self.c.types.get(array.ty) else {
            return Ok(());
        };
        let size = self.c.types.size_of(element.ty);
        let (Some(size), Some(shape)) = (size, self.c.types.shape(element.ty)) else {
            return Ok(());
        };
        if element.is_volatile() || length > ELEMENTS || !self.c.types.is_integer(element.ty) {
            return Ok(());
        }
        let Spot::Memory(access) = self.spot(place, false)? else { return Ok(()) };
        for index in 0..length {
            let offset = self.pointer_bits(index * size);
            let address = self.pool.bv_add(access.address, offset);
            let value = self.load_scalar(Access::sure(address), element.ty);
            let value = match self.pool.sort(value) {
                term::Sort::Bool => self.bool_to_bits(value, 8),
                _ => value,
            };
            let width = self.pool.width(value) + 1;
            let number = self.resize(value, width, shape.signed);
            self.add_near(values, number, 0);
        }
        Ok(())
    }

    // Values.

    fn add_constant(&mut self, values: &mut Values, value: i128, distance: i64) {
        // Constants of types with 128 bits without a sign may not fit, and are not added.
        let number = self.pool.bits(Bits::from_i128(129, value));
        self.add_near(values, number, distance);
    }

    /// Adds the values of the type next to a signed number.
    fn add_near(&mut self, values: &mut Values, number: Term, distance: i64) {
        let number = self.keep(number);
        let (least, greatest) = self.limits(values.ty);
        let width = self.pool.width(number).max(self.pool.width(least)) + 2;
        let limits = (self.resize(least, width, true), self.resize(greatest, width, true));
        // The nearest first.
        for by in (0..=distance).flat_map(|by| [by, -by]) {
            let value = self.nearest(number, by, limits);
            let value = self.value_of_type(value, values.ty);
            if values.found.len() < values.most && !values.found.contains(&value) {
                values.found.push(value);
            }
        }
    }

    /// The value of an expression that can't go wrong.
    fn quiet_number(&mut self, expr: ExprId) -> Result<Term> {
        self.quietly(|l| l.number(expr))
    }

    /// Computes something that can't go wrong, or that is computed elsewhere, too.
    pub(super) fn quietly<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let quiet = std::mem::replace(&mut self.quiet, true);
        let result = work(self);
        self.quiet = quiet;
        result
    }

    // What is seen.

    /// Whether an expression is an integer made of constants and variables, whose evaluation always
    /// has a value.
    pub(super) fn is_quiet(&self, root: ExprId) -> bool {
        let mut todo = vec![root];
        while let Some(expr) = todo.pop() {
            let node = &self.c.exprs[expr];
            if !self.c.types.is_integer(node.ty) {
                return false;
            }
            match node.kind {
                ExprKind::Int(_) => {}
                ExprKind::Load(place) => {
                    let mut at = place;
                    while let PlaceKind::Field { base, .. } = self.c.places[at].kind {
                        at = base;
                    }
                    let plain = matches!(self.c.places[at].kind, PlaceKind::Object(_));
                    if !plain || self.c.places[place].ty.is_volatile() || self.reads_unknown(place)
                    {
                        return false;
                    }
                }
                ExprKind::Neg(operand)
                | ExprKind::BitNot(operand)
                | ExprKind::Not(operand)
                | ExprKind::Convert(
                    Conversion::IntToInt | Conversion::Same | Conversion::ToBool,
                    operand,
                ) => todo.push(operand),
                ExprKind::Binary(
                    BinaryOp::Compare(_)
                    | BinaryOp::Arith(
                        ArithOp::Add
                        | ArithOp::Sub
                        | ArithOp::Mul
                        | ArithOp::BitAnd
                        | ArithOp::BitOr
                        | ArithOp::BitXor,
                    ),
                    left,
                    right,
                ) => todo.extend([left, right]),
                _ => return false,
            }
        }
        true
    }
}
