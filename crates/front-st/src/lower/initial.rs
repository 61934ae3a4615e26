//! Initial values: as declared, else zero, the first value of an enumeration, the least of a range.

use super::Lowerer;
use super::expression::Value;
use super::place::Place;
use crate::ast::{Element, Expr, ExprKind};
use crate::types::{Array, Shape, Type};
use program::program::Instruction;
use source::Diagnostic;
use source::diagnostic::Result;
use std::rc::Rc;
use term::Term;

/// Arrays in memory with more elements are filled with zeros at once, where that is their default.
const LARGE: u64 = 16;

impl<'a> Lowerer<'a> {
    /// Gives a variable its initial value: what is written, or the default of its type. What is
    /// blank is zero already.
    pub(super) fn initialize(
        &mut self,
        place: &Place<'a>,
        initial: Option<&'a Expr>,
        blank: bool,
    ) -> Result<()> {
        if let Some(shape) = place.ty.shape() {
            let term = match initial {
                Some(expr) => self.initial_term(expr, &place.ty)?,
                None => self.default_of(&place.ty, shape)?,
            };
            return self.write(place, term);
        }
        if let Some(expr) = initial
            && !matches!(expr.kind, ExprKind::Array(_) | ExprKind::Struct(_))
            && !self.is_call_of_block(expr)
        {
            let value = self.expression(expr)?;
            return self.store(place, value);
        }
        match place.ty.clone() {
            Type::Array(array) => self.initialize_array(place, &array, initial, blank),
            Type::Structure(structure) => {
                let initial = initial.or(structure.initial);
                self.initialize_fields(place, initial, blank)
            }
            Type::Block(_) => self.initialize_fields(place, initial, blank),
            Type::String { .. } => {
                let empty = super::expression::Text { wide: false, chars: [].into() };
                if blank { Ok(()) } else { self.store_text(place, Value::Text(empty)) }
            }
            _ => Ok(()),
        }
    }

    /// `x : TON(PT := T#5s)`, which initial values may look like.
    fn is_call_of_block(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Call(callee, _)
            if matches!(&callee.kind, ExprKind::Name(name)
                if self.table.pou(&name.key).is_some_and(|pou| self.table.has_instances(pou))))
    }

    fn initial_term(&mut self, expr: &'a Expr, ty: &Type<'a>) -> Result<Term> {
        let outer = std::mem::replace(&mut self.span, expr.span);
        let value = match (ty, self.raw_place(expr, false)?) {
            // `r : REFERENCE TO INT := x`
            (Type::Pointer(_, true), Some(place)) if !matches!(place.ty, Type::Pointer(..)) => {
                self.reference_to_place(place)?
            }
            (Type::Pointer(_, true), Some(place)) => self.value_of(place)?,
            _ => self.expression(expr)?,
        };
        let term = self.coerce(value, ty);
        self.span = outer;
        term
    }

    /// What a variable is where nothing is declared.
    pub(super) fn default_of(&mut self, ty: &Type<'a>, shape: Shape) -> Result<Term> {
        Ok(match ty {
            Type::Enumeration(e) => {
                let e = e.clone();
                if let Some(initial) = e.initial {
                    if let ExprKind::Name(name) = &initial.kind
                        && let Some((_, number)) = e.values.iter().find(|(k, _)| *k == name.key)
                    {
                        return Ok(self.constant_of(*number, shape));
                    }
                    return self.initial_term(initial, ty);
                }
                let first = e.values.first().map_or(0, |(_, number)| *number);
                self.constant_of(first, shape)
            }
            Type::Subrange(range) => self.constant_of(range.low, shape),
            _ => self.zero(shape.sort()),
        })
    }

    /// Whether the default of a type is all zeros.
    fn is_zero(&mut self, ty: &Type<'a>) -> Result<bool> {
        if let Some(shape) = ty.shape() {
            let default = self.default_of(ty, shape)?;
            return Ok(default == self.zero(shape.sort()));
        }
        Ok(match ty {
            Type::Array(array) => {
                array.initial.is_none() && self.is_zero(&array.element.clone())?
            }
            Type::String { .. } => true,
            Type::Structure(_) | Type::Block(_) => {
                let fields = self.fields(ty)?.expect("structures and blocks have fields");
                for field in fields.iter() {
                    if field.initial.is_some() || !self.is_zero(&field.ty)? {
                        return Ok(false);
                    }
                }
                true
            }
            _ => true,
        })
    }

    fn initialize_array(
        &mut self,
        place: &Place<'a>,
        array: &Rc<Array<'a>>,
        initial: Option<&'a Expr>,
        blank: bool,
    ) -> Result<()> {
        let initial = initial.or(array.initial);
        let mut values = Vec::new();
        if let Some(expr) = initial {
            let most = usize::try_from(array.count()).unwrap_or(usize::MAX);
            self.flatten(expr, most, &mut values)?;
            if values.len() > most {
                let message = format!("more values than the {most} elements of the array");
                return Err(Diagnostic::error(expr.span, message));
            }
        }
        let mut blank = blank;
        let rest_is_zero = self.is_zero(&array.element)?;
        if let Some(address) = place.memory()
            && rest_is_zero
            && !blank
            && array.count() > LARGE
        {
            let length = self.layout(&place.ty)?.0;
            let (byte, length) = (self.pool.bv(0, 8), self.address(length));
            self.emit(Instruction::Fill { to: address, byte, length });
            blank = true;
        }
        let in_memory = place.memory().is_some();
        let count = match blank && in_memory && rest_is_zero {
            true => values.len() as u64,
            false => array.count(),
        };
        for number in 0..count {
            let element = self.known_element(place, array, i128::from(number))?;
            let value = values.get(number as usize).copied().flatten();
            self.initialize(&element, value, blank)?;
        }
        Ok(())
    }

    /// The values of an array's elements in order; none for a default. Arrays of arrays may be
    /// written with brackets for each.
    fn flatten(
        &mut self,
        expr: &'a Expr,
        most: usize,
        values: &mut Vec<Option<&'a Expr>>,
    ) -> Result<()> {
        if let ExprKind::Struct(fields) = &expr.kind
            && fields.iter().all(|field| field.name.is_none())
        {
            // Some write arrays in parentheses.
            values.extend(fields.iter().map(|field| Some(&field.value)));
            return Ok(());
        }
        let ExprKind::Array(elements) = &expr.kind else {
            values.push(Some(expr));
            return Ok(());
        };
        for Element { count, values: inner } in elements {
            let times = match count {
                Some(count) => self.constant(count)?,
                None => 1,
            };
            for _ in 0..times {
                if values.len() > most {
                    return Ok(());
                }
                if inner.is_empty() {
                    values.push(None);
                }
                values.extend(inner.iter().map(Some));
            }
        }
        Ok(())
    }

    fn initialize_fields(
        &mut self,
        place: &Place<'a>,
        initial: Option<&'a Expr>,
        blank: bool,
    ) -> Result<()> {
        let fields = self.fields(&place.ty)?.expect("structures and blocks have fields");
        let mut given: Vec<(Option<&'a crate::ast::Name>, &'a Expr)> = Vec::new();
        match initial.map(|expr| &expr.kind) {
            Some(ExprKind::Struct(values)) => {
                given.extend(values.iter().map(|v| (v.name.as_ref(), &v.value)));
            }
            Some(ExprKind::Call(_, arguments)) => {
                for argument in arguments {
                    if let crate::ast::Argument::Input(name, Some(value)) = argument {
                        given.push((Some(name), value));
                    }
                }
            }
            Some(ExprKind::Array(elements)) => {
                given.extend(elements.iter().flat_map(|e| &e.values).map(|v| (None, v)));
            }
            _ => {}
        }
        for (name, value) in &given {
            if let Some(name) = name
                && !fields.iter().any(|field| field.key == name.key)
            {
                let message = format!("there is no field '{name}' in {}", place.ty);
                return Err(Diagnostic::error(value.span, message));
            }
        }
        let outer = self.sections_of(&place.ty);
        for (number, field) in fields.iter().enumerate() {
            if !Self::is_stored(field) {
                continue;
            }
            let Some(inner) = self.member_variable(place, &field.key)? else { continue };
            let named =
                given.iter().find(|(name, _)| name.is_some_and(|name| name.key == field.key));
            let positional = given.get(number).filter(|(name, _)| name.is_none());
            match named.or(positional) {
                Some((_, value)) => {
                    self.initialize(&inner, Some(value), blank)?;
                }
                None => {
                    // Initial values of a block speak of the block's own constants.
                    let sections = outer.clone();
                    let saved = sections
                        .map(|sections| std::mem::replace(&mut self.frame.sections, sections));
                    // They may also take the addresses of its variables.
                    let this = is_block(&place.ty).then(|| place.clone());
                    let outer_this = this.map(|this| self.frame.this.replace(this));
                    let result = self.initialize(&inner, field.initial, blank);
                    if let Some(outer_this) = outer_this {
                        self.frame.this = outer_this;
                    }
                    if let Some(saved) = saved {
                        self.frame.sections = saved;
                    }
                    result?;
                }
            }
        }
        Ok(())
    }

    fn sections_of(&self, ty: &Type<'a>) -> Option<Vec<&'a [crate::ast::VariableSection]>> {
        match ty {
            Type::Block(pou) => Some(self.all_sections(*pou)),
            _ => None,
        }
    }
}

/// Whether a type is a block, whose initial values are code of the block.
fn is_block(ty: &Type<'_>) -> bool {
    matches!(ty, Type::Block(_))
}
