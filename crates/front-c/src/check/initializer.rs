//! Initializers [C11 §6.7.9] to a flat list of subobjects with their values.
//!
//! A braced list is walked with a stack of the aggregates that are open at the moment: the first
//! belongs to the braces, the others were entered because an inner aggregate has no braces of its
//! own or a designator leads into it. Each item goes to the next subobject of the innermost one.

use super::Checker;
use super::conversion::Purpose;
use crate::ast::{self, Designator, ExprKind as Syntax, InitializerItem, InitializerKind};
use crate::diagnostic::Result;
use crate::lexer::Encoding;
use crate::literal::StringLiteral;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{ExprId, ExprKind, Init, InitEntry, InitId, InitValue, PathStep, PlaceKind};
use crate::types::{ArrayLength, BitField, IntKind, QualType, Type, TypeId};
use smallvec::SmallVec;

type Path = SmallVec<[PathStep; 3]>;

/// A subobject.
#[derive(Clone, Debug)]
struct Target {
    ty: QualType,
    offset: u64,
    bits: Option<BitField>,
    path: Path,
}

/// An aggregate that is being filled.
#[derive(Debug)]
struct Level {
    target: Target,
    /// The next subobject.
    next: u64,
    /// How many there are; none for an array of unknown length.
    count: Option<u64>,
    /// The last element of a range that a designator opened at `next`.
    range_end: Option<u64>,
}

/// The list being made.
struct Filler<'u> {
    u: &'u ast::Unit,
    is_static: bool,
    /// Whether the entries so far are in the order of their subobjects, each once.
    ordered: bool,
    out: Init,
}

impl Checker {
    /// Checks an initializer for an object; gives it with the object's type, completed.
    pub(super) fn initializer(
        &mut self,
        u: &ast::Unit,
        ty: QualType,
        init: ast::InitId,
        is_static: bool,
    ) -> Result<(InitId, QualType)> {
        let mut filler = Filler { u, is_static, ordered: true, out: Init::default() };
        let target = Target { ty, offset: 0, bits: None, path: Path::new() };
        let length = self.initialize(&mut filler, &target, init)?;
        let mut ty = ty;
        if let Type::Array(element, ArrayLength::Unknown) = *self.program.types.get(ty.ty) {
            ty.ty = self.types().array(element, length);
        }
        let init = self.program.inits.alloc(filler.out);
        Ok((init, ty))
    }

    /// Initializes a subobject; gives the number of elements if it is an array.
    fn initialize(
        &mut self,
        filler: &mut Filler<'_>,
        target: &Target,
        init: ast::InitId,
    ) -> Result<u64> {
        let span = filler.u.inits[init].span;
        match &filler.u.inits[init].kind {
            InitializerKind::Expr(expr) => self.initialize_expr(filler, target, *expr, span),
            InitializerKind::List(items) => self.initialize_list(filler, target, items, span),
        }
    }

    fn initialize_expr(
        &mut self,
        filler: &mut Filler<'_>,
        target: &Target,
        expr: ast::ExprId,
        span: Span,
    ) -> Result<u64> {
        if let Type::Array(..) = self.program.types.get(target.ty.ty) {
            if let Some(length) = self.string_initializer(filler, target, expr)? {
                return Ok(length);
            }
            // GNU: an array from a compound literal of its type.
            if let Syntax::CompoundLiteral(_, inner) = filler.u.exprs[expr].kind {
                return self.initialize(filler, target, inner);
            }
            return self.error(span, "array is initialized from an expression");
        }
        let value = self.rvalue(filler.u, expr)?;
        self.put_value(filler, target, value, span)?;
        Ok(0)
    }

    fn initialize_list(
        &mut self,
        filler: &mut Filler<'_>,
        target: &Target,
        items: &[InitializerItem],
        span: Span,
    ) -> Result<u64> {
        let types = &self.program.types;
        let aggregate = matches!(types.get(target.ty.ty), Type::Array(..) | Type::Record(_));
        if aggregate {
            if let [only] = items
                && only.designators.is_empty()
                && let InitializerKind::Expr(expr) = filler.u.inits[only.value].kind
                && let Some(length) = self.string_initializer(filler, target, expr)?
            {
                return Ok(length);
            }
            if types_incomplete(self, target.ty.ty) {
                return self.error(span, "initializer of an incomplete type");
            }
            return self.fill(filler, target, items);
        }
        let Some(first) = items.first() else {
            return self.error(span, "empty initializer of a scalar");
        };
        if !first.designators.is_empty() {
            return self.error(span, "designator in the initializer of a scalar");
        }
        if items.len() > 1 {
            self.warn(span, "more than one initializer of a scalar");
        }
        self.initialize(filler, target, first.value)
    }

    /// A string for an array of characters; gives the array's length.
    fn string_initializer(
        &mut self,
        filler: &mut Filler<'_>,
        target: &Target,
        expr: ast::ExprId,
    ) -> Result<Option<u64>> {
        let Syntax::Str(literal) = &filler.u.exprs[expr].kind else { return Ok(None) };
        let Type::Array(element, length) = *self.program.types.get(target.ty.ty) else {
            return Ok(None);
        };
        if !self.holds_characters(element.ty, literal) {
            return Ok(None);
        }
        let own = literal.units.len() as u64 + 1;
        let length = match length {
            ArrayLength::Fixed(n) => {
                if own > n.saturating_add(1) {
                    let span = filler.u.exprs[expr].span;
                    self.warn(span, "string is longer than the array it initializes");
                }
                n
            }
            _ => own,
        };
        let string = self.intern_string(literal);
        let ty = QualType { ty: self.types().array(element, length), ..target.ty };
        let size = self.program.types.size_of(ty.ty).unwrap_or(0);
        let value = InitValue::String(string);
        filler.put(Target { ty, ..target.clone() }, value, size);
        Ok(Some(length))
    }

    fn holds_characters(&mut self, element: TypeId, literal: &StringLiteral) -> bool {
        if literal.encoding == Encoding::Narrow {
            let kind = self.program.types.get(element);
            return matches!(kind, Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar));
        }
        let unit = self.character_type(literal.encoding);
        let width = self.program.types.shape(unit).map(|s| s.width);
        matches!(self.program.types.get(element), Type::Int(_))
            && self.program.types.shape(element).map(|s| s.width) == width
    }

    /// A value for a scalar, or a record for a record.
    fn put_value(
        &mut self,
        filler: &mut Filler<'_>,
        target: &Target,
        value: ExprId,
        span: Span,
    ) -> Result<()> {
        let value = self.assign_convert(value, target.ty.ty, Purpose::Initialization, span)?;
        if filler.is_static && self.splice_compound(filler, target, value) {
            return Ok(());
        }
        let size = self.program.types.size_of(target.ty.ty).unwrap_or(0);
        filler.put(target.clone(), InitValue::Expr(value), size);
        Ok(())
    }

    /// A compound literal as the value of a static record: its own entries take its place.
    fn splice_compound(&mut self, filler: &mut Filler<'_>, target: &Target, value: ExprId) -> bool {
        let ExprKind::Load(place) = self.program.exprs[value].kind else { return false };
        let PlaceKind::Compound(_, init) = self.program.places[place].kind else { return false };
        for entry in &self.program.inits[init].entries {
            let mut path = target.path.clone();
            path.extend(entry.path.iter().copied());
            let offset = target.offset + entry.offset;
            let bits =
                entry.bits.map(|b| BitField { position: b.position + target.offset * 8, ..b });
            let size = self.program.types.size_of(entry.ty.ty).unwrap_or(0);
            let moved = Target { ty: entry.ty, offset, bits, path };
            filler.put(moved, entry.value, size);
        }
        true
    }

    /// Fills an aggregate from a braced list; gives the number of elements used.
    fn fill(
        &mut self,
        filler: &mut Filler<'_>,
        target: &Target,
        items: &[InitializerItem],
    ) -> Result<u64> {
        let mut used = 0;
        let mut levels = vec![self.level(target.clone())];
        for item in items {
            if item.designators.is_empty() {
                while levels.len() > 1 && levels[levels.len() - 1].is_full() {
                    levels.pop();
                }
                if levels[levels.len() - 1].is_full() {
                    let init = &filler.u.inits[item.value];
                    if matches!(init.kind, InitializerKind::List(_)) {
                        return self
                            .error(init.span, "braces for more than there is to initialize");
                    }
                    self.warn(init.span, "more initializers than members or elements");
                    continue;
                }
            } else {
                levels.truncate(1);
                self.designate(filler, &mut levels, &item.designators)?;
            }
            let outermost = &levels[0];
            used = used.max(outermost.range_end.unwrap_or(outermost.next) + 1);
            self.fill_item(filler, &mut levels, item.value)?;
        }
        Ok(used)
    }

    fn level(&self, target: Target) -> Level {
        let types = &self.program.types;
        let count = match types.get(target.ty.ty) {
            Type::Array(_, ArrayLength::Fixed(n)) => Some(*n),
            Type::Array(..) => None,
            Type::Record(id) => types.records[*id].body.as_ref().map(|b| {
                let fields = b.fields.len() as u64;
                if types.records[*id].is_union { fields.min(1) } else { fields }
            }),
            _ => Some(0),
        };
        Level { target, next: 0, count, range_end: None }
    }

    /// Follows designators: the last one's subobject is the next of the innermost level.
    fn designate(
        &mut self,
        filler: &mut Filler<'_>,
        levels: &mut Vec<Level>,
        designators: &[Designator],
    ) -> Result<()> {
        for (i, designator) in designators.iter().enumerate() {
            if i > 0 {
                self.enter_next(levels);
            }
            match *designator {
                Designator::Field(name, span) => {
                    self.designate_field(filler, levels, name, span)?
                }
                Designator::Index(index) => {
                    let span = filler.u.exprs[index].span;
                    let index = self.constant_value(filler.u, index, "index in a designator")?;
                    self.designate_index(levels, index, index, span)?;
                }
                Designator::Range(first, last) => {
                    let span = filler.u.exprs[first].span;
                    let first = self.constant_value(filler.u, first, "index in a designator")?;
                    let last = self.constant_value(filler.u, last, "index in a designator")?;
                    self.designate_index(levels, first, last, span)?;
                }
            }
        }
        Ok(())
    }

    fn designate_index(
        &self,
        levels: &mut [Level],
        first: i128,
        last: i128,
        span: Span,
    ) -> Result<()> {
        let level = levels.last_mut().expect("the level of the braces is never left");
        if !matches!(self.program.types.get(level.target.ty.ty), Type::Array(..)) {
            return self.error(span, "index designator for something that is no array");
        }
        let limit = level.count.unwrap_or(u64::MAX >> 1);
        let (Ok(first), Ok(last)) = (u64::try_from(first), u64::try_from(last)) else {
            return self.error(span, "negative index in a designator");
        };
        if first > last || last >= limit {
            return self.error(span, "index in a designator is out of bounds");
        }
        level.next = first;
        level.range_end = (first != last).then_some(last);
        Ok(())
    }

    fn designate_field(
        &mut self,
        filler: &mut Filler<'_>,
        levels: &mut Vec<Level>,
        name: Symbol,
        span: Span,
    ) -> Result<()> {
        let ty = levels[levels.len() - 1].target.ty.ty;
        let Some(path) = self.find_field(ty, name) else {
            let message = format!("'{}' has no member '{}'", self.show(ty), self.name(name));
            return self.error(span, message);
        };
        for (i, &index) in path.iter().enumerate() {
            if i > 0 {
                self.enter_next(levels);
            }
            let level = levels.last_mut().expect("the level of the braces is never left");
            level.next = u64::from(index);
            level.range_end = None;
            let record = self.program.types.record(level.target.ty.ty);
            if record.is_some_and(|r| self.program.types.records[r].is_union) {
                // The member of a union that is named last is the one that holds.
                level.count = Some(u64::from(index) + 1);
                filler.reset(&level.target, Some(index));
            }
        }
        Ok(())
    }

    fn enter_next(&self, levels: &mut Vec<Level>) {
        let level = &levels[levels.len() - 1];
        if let Some(target) = self.subobject(level) {
            let level = self.level(target);
            levels.push(level);
        }
    }

    /// The subobject that a level is at.
    fn subobject(&self, level: &Level) -> Option<Target> {
        let types = &self.program.types;
        let target = &level.target;
        let mut path = target.path.clone();
        match types.get(target.ty.ty) {
            Type::Array(element, _) => {
                let stride = types.size_of(element.ty).unwrap_or(0);
                path.push(match level.range_end {
                    Some(last) => PathStep::Range { first: level.next, last, stride },
                    None => PathStep::Index(level.next),
                });
                let offset = target.offset.checked_add(level.next.checked_mul(stride)?)?;
                Some(Target { ty: *element, offset, bits: None, path })
            }
            Type::Record(_) => {
                let field = types.body(target.ty.ty)?.fields.get(level.next as usize)?;
                path.push(PathStep::Field(level.next as u32));
                let bits =
                    field.bits.map(|b| BitField { position: b.position + target.offset * 8, ..b });
                let offset = target.offset.checked_add(field.offset)?;
                Some(Target { ty: field.ty, offset, bits, path })
            }
            _ => None,
        }
    }

    /// Gives an item to the next subobject, entering aggregates without braces of their own.
    fn fill_item(
        &mut self,
        filler: &mut Filler<'_>,
        levels: &mut Vec<Level>,
        init: ast::InitId,
    ) -> Result<()> {
        let span = filler.u.inits[init].span;
        let mut value = None;
        loop {
            let level = &levels[levels.len() - 1];
            let Some(mut target) = self.subobject(level) else {
                return self.error(span, "initializer for nothing");
            };
            if let Some(bits) = target.bits {
                target.ty.ty = self.bit_field_type(target.ty.ty, bits.width);
            }
            let types = &self.program.types;
            let is_record = types.record(target.ty.ty).is_some();
            let is_array = matches!(types.get(target.ty.ty), Type::Array(..));
            match filler.u.inits[init].kind {
                InitializerKind::List(_) => {
                    filler.reset(&target, None);
                    self.initialize(filler, &target, init)?;
                    break;
                }
                InitializerKind::Expr(expr) if is_array => {
                    if self.string_initializer(filler, &target, expr)?.is_some() {
                        break;
                    }
                }
                InitializerKind::Expr(expr) => {
                    let known = match value {
                        Some(known) => known,
                        None => *value.insert(self.rvalue(filler.u, expr)?),
                    };
                    if !is_record || self.compatible(self.type_of(known), target.ty.ty) {
                        self.put_value(filler, &target, known, span)?;
                        break;
                    }
                }
            }
            let inner = self.level(target);
            if inner.count == Some(0) {
                // Nothing fits into an empty aggregate: the item is for the one after it.
                let level = levels.last_mut().expect("the level of the braces is never left");
                level.advance();
                while levels.len() > 1 && levels[levels.len() - 1].is_full() {
                    levels.pop();
                }
                if levels[levels.len() - 1].is_full() {
                    self.warn(span, "more initializers than members or elements");
                    return Ok(());
                }
                continue;
            }
            levels.push(inner);
        }
        // Aggregates that were entered and are now full are left when the next item comes.
        let mut depth = levels.len();
        levels[depth - 1].advance();
        while depth > 1 && levels[depth - 1].is_full() {
            depth -= 1;
            levels.truncate(depth);
            levels[depth - 1].advance();
        }
        Ok(())
    }
}

impl Level {
    fn is_full(&self) -> bool {
        self.count.is_some_and(|count| self.next >= count)
    }

    fn advance(&mut self) {
        self.next = self.range_end.take().unwrap_or(self.next) + 1;
    }
}

impl Filler<'_> {
    fn put(&mut self, target: Target, value: InitValue, size: u64) {
        let Target { ty, offset, bits, path } = target;
        let repeats: u64 = path
            .iter()
            .map(|step| match step {
                PathStep::Range { first, last, stride } => (last - first).saturating_mul(*stride),
                _ => 0,
            })
            .fold(0, u64::saturating_add);
        let end = offset.saturating_add(repeats).saturating_add(size);
        self.out.extent = self.out.extent.max(end);
        self.ordered &= self.out.entries.last().is_none_or(|last| in_order(&last.path, &path));
        self.out.entries.push(InitEntry { offset, bits, path, ty, value });
    }

    /// Takes back what was given to a subobject before; for a union, unless it was given to the
    /// same member. Initializers come in order nearly always, and then there is nothing to do.
    fn reset(&mut self, target: &Target, member: Option<u32>) {
        let Some(last) = self.out.entries.last() else { return };
        if self.ordered && in_order(&last.path, &target.path) {
            return;
        }
        let previous = self.out.entries.iter().rev().find(|e| overlap(&e.path, &target.path));
        let Some(previous) = previous else { return };
        let same_member = member
            .is_some_and(|m| previous.path.get(target.path.len()) == Some(&PathStep::Field(m)));
        if !same_member {
            self.put(target.clone(), InitValue::Zero, 0);
        }
    }
}

/// Whether two paths lead to subobjects that overlap, unions not considered.
fn overlap(a: &[PathStep], b: &[PathStep]) -> bool {
    let interval = |step: &PathStep| match *step {
        PathStep::Field(i) => (u64::from(i), u64::from(i)),
        PathStep::Index(i) => (i, i),
        PathStep::Range { first, last, .. } => (first, last),
    };
    a.iter().zip(b).all(|(x, y)| {
        let ((a, b), (c, d)) = (interval(x), interval(y));
        a <= d && c <= b
    })
}

/// Whether a path lies before another in the order of subobjects.
fn in_order(path: &[PathStep], other: &[PathStep]) -> bool {
    let position = |step: &PathStep| match *step {
        PathStep::Field(i) => u64::from(i),
        PathStep::Index(i) => i,
        PathStep::Range { last, .. } => last,
    };
    let mut pairs = path.iter().zip(other).map(|(a, b)| (position(a), position(b)));
    pairs.find(|(a, b)| a != b).is_some_and(|(a, b)| a < b)
}

fn types_incomplete(checker: &Checker, ty: TypeId) -> bool {
    let types = &checker.program.types;
    match types.get(ty) {
        Type::Record(id) => types.records[*id].body.is_none(),
        _ => false,
    }
}
