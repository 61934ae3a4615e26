//! The numbers that a variable, or a part of one, consists of.

use super::Lowerer;
use super::some_of;
use crate::diagnostic::{Diagnostic, Result};
use crate::lower::input::Way;
use crate::source::Span;
use crate::types::{Field, RecordId, Type, TypeId};

/// How many numbers an input may consist of.
const MOST: usize = 4096;

/// A number in an object.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    /// As an expression of the source.
    pub(super) name: String,
    /// Where it is, in bytes; of a bit-field, its first byte.
    pub(super) offset: u64,
    pub(super) ty: TypeId,
    /// First bit and width of a bit-field.
    pub(super) bits: Option<(u32, u32)>,
    pub(super) span: Span,
}

impl Scalar {
    /// The same, so many bytes further.
    pub(super) fn moved(self, bytes: u64) -> Scalar {
        Scalar { offset: self.offset + bytes, ..self }
    }
}

/// That an input does not consist of too many numbers.
pub(super) fn check_count(count: usize, name: &str, span: Span) -> Result<()> {
    match count > MOST {
        true => {
            let message = format!("input '{name}' has more than {MOST} numbers");
            Err(Diagnostic::error(span, message).help("name a part of it"))
        }
        false => Ok(()),
    }
}

impl Lowerer<'_> {
    /// The numbers of the part that a way leads to.
    pub(super) fn scalars_of(
        &self,
        ty: TypeId,
        way: &[Way],
        name: &str,
        span: Span,
    ) -> Result<Vec<Scalar>> {
        let mut parts = vec![Scalar { name: name.to_owned(), offset: 0, ty, bits: None, span }];
        for step in way {
            let mut next = Vec::new();
            for part in &parts {
                self.follow(part, step, &mut next)?;
                check_count(next.len(), name, span)?;
            }
            parts = next;
        }
        let mut scalars = Vec::new();
        parts.reverse();
        while let Some(part) = parts.pop() {
            match *self.ty(part.ty) {
                Type::Record(record) => {
                    if self.c.types.records[record].is_union {
                        return Err(self.no_number(&part, "a union: name one of its members"));
                    }
                    let fields = self.fields(record).iter().rev();
                    parts.extend(fields.map(|field| self.member(&part, field)));
                }
                Type::Array(..) => {
                    let mut elements = Vec::new();
                    self.follow(&part, &Way::All, &mut elements)?;
                    parts.extend(elements.into_iter().rev());
                }
                // What the object points to stays.
                Type::Pointer(_) if !way.is_empty() || !scalars.is_empty() || !parts.is_empty() => {
                }
                _ if self.register_sort(part.ty).is_some() && self.pointee(part.ty).is_none() => {
                    scalars.push(part);
                }
                _ => return Err(self.no_number(&part, "no number")),
            }
            check_count(scalars.len() + parts.len(), name, span)?;
        }
        match scalars.is_empty() {
            true => {
                let message = format!("'{name}' has no number that could be an input");
                Err(Diagnostic::error(span, message))
            }
            false => Ok(scalars),
        }
    }

    fn no_number(&self, part: &Scalar, what: &str) -> Box<Diagnostic> {
        let ty = self.shown_type(part.ty);
        let message = format!("'{}', a '{ty}', can't be an input: it is {what}", part.name);
        Diagnostic::error(part.span, message)
    }

    fn fields(&self, record: RecordId) -> &[Field] {
        self.c.types.records[record].body.as_ref().map_or(&[][..], |body| &body.fields)
    }

    fn member(&self, part: &Scalar, field: &Field) -> Scalar {
        let name = field.name.map_or(String::new(), |name| self.symbol_name(name).to_owned());
        let dot = if name.is_empty() || part.name.ends_with("->") { "" } else { "." };
        let name = match part.name.strip_prefix('*') {
            Some(pointer) if !name.is_empty() => format!("{pointer}->{name}"),
            _ => format!("{}{dot}{name}", part.name),
        };
        let (offset, bits) = match field.bits {
            Some(bits) => (bits.position / 8, Some(((bits.position % 8) as u32, bits.width))),
            None => (field.offset, None),
        };
        Scalar { name, offset: part.offset + offset, ty: field.ty.ty, bits, span: part.span }
    }

    /// One step further.
    fn follow(&self, part: &Scalar, step: &Way, into: &mut Vec<Scalar>) -> Result<()> {
        let ty = self.shown_type(part.ty);
        let wrong = |what: String| Err(Diagnostic::error(part.span, what));
        match (step, self.ty(part.ty)) {
            (Way::Member(member), Type::Record(record)) => {
                match self.find_member(part, *record, member) {
                    Some(found) => into.push(found),
                    None => {
                        let names = self.fields(*record).iter().filter_map(|field| field.name);
                        let names: Vec<&str> = names.map(|name| self.symbol_name(name)).collect();
                        let message =
                            format!("'{}', a '{ty}', has no member '{member}'", part.name);
                        let error = Diagnostic::error(part.span, message);
                        let members = some_of(names, member);
                        return Err(error.help(format!("its members are {members}")));
                    }
                }
            }
            (Way::Element(_) | Way::All, Type::Array(element, _)) => {
                let element = element.ty;
                let Some(length) = self.array_length(part.ty) else {
                    return wrong(format!("the length of '{}' is not known", part.name));
                };
                let elements = match step {
                    Way::Element(index) if *index >= length => {
                        let name = &part.name;
                        return wrong(format!("'{name}' has {length} elements, and no [{index}]"));
                    }
                    Way::Element(index) => *index..*index + 1,
                    _ => 0..length,
                };
                check_count(elements.clone().count(), &part.name, part.span)?;
                let size = self.c.types.size_of(element).unwrap_or(0);
                into.extend(elements.map(|index| Scalar {
                    name: format!("{}[{index}]", part.name),
                    offset: part.offset + index * size,
                    ty: element,
                    bits: None,
                    span: part.span,
                }));
            }
            (Way::Pointee, _) => {
                return wrong(format!(
                    "'{}' is no pointer parameter of the step: what it leads to can't be an input",
                    part.name
                ));
            }
            (Way::Member(member), _) => {
                return wrong(format!("'{}', a '{ty}', has no member '{member}'", part.name));
            }
            (Way::Element(_) | Way::All, _) => {
                return wrong(format!("'{}', a '{ty}', has no elements", part.name));
            }
        }
        Ok(())
    }

    /// A member, also of a struct without a name.
    fn find_member(&self, part: &Scalar, record: RecordId, member: &str) -> Option<Scalar> {
        self.fields(record).iter().find_map(|field| {
            let found = self.member(part, field);
            match (field.name, self.ty(field.ty.ty)) {
                (Some(name), _) => (self.symbol_name(name) == member).then_some(found),
                (None, Type::Record(inner)) => {
                    let within = Scalar { name: part.name.clone(), ..found };
                    self.find_member(&within, *inner, member)
                }
                _ => None,
            }
        })
    }
}
