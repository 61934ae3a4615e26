//! Types [IEC 61131-3 §6.4].

use super::parser::Parser;
use crate::ast::{
    Argument, Dimension, EnumValue, Expr, ExprKind, FieldValue, Path, Pointer, TypeDeclaration,
    TypeKind, TypeSpec,
};
use crate::lex::token::{Keyword, Punct};
use source::diagnostic::Result;
use source::{Diagnostic, Span};

/// A type, and the initial value of an instance that stands after it in parentheses.
type TypeAndValue = (TypeSpec, Option<Expr>);

/// Types whose parentheses hold a range or the values of an enumeration.
const INTEGERS: [&str; 13] = [
    "sint", "int", "dint", "lint", "usint", "uint", "udint", "ulint", "byte", "word", "dword",
    "lword", "bool",
];

impl Parser<'_> {
    /// `TYPE … END_TYPE`
    pub(crate) fn type_section(&mut self) -> Result<Vec<TypeDeclaration>> {
        let start = self.span();
        self.advance();
        let mut types = Vec::new();
        loop {
            let pragmas = self.pragmas();
            if self.at_keyword(Keyword::EndType) || self.at_end() || self.enough() {
                break;
            }
            let before = self.at;
            match self.type_declaration() {
                Ok(mut declaration) => {
                    declaration.pragmas.splice(0..0, pragmas);
                    types.push(declaration);
                }
                Err(error) => {
                    self.report(error);
                    if !self.skip_type(before) {
                        break;
                    }
                }
            }
        }
        self.close(Keyword::EndType, start);
        self.eat(Punct::Semi);
        Ok(types)
    }

    /// After an error: past the next `;` that no structure contains. False at the section's end.
    fn skip_type(&mut self, before: usize) -> bool {
        if self.at == before {
            self.advance();
        }
        loop {
            match self.keyword() {
                Some(Keyword::EndStruct | Keyword::EndUnion) => {
                    self.advance();
                    self.eat(Punct::Semi);
                    return true;
                }
                Some(Keyword::EndType) => return true,
                Some(Keyword::Program | Keyword::Function | Keyword::FunctionBlock) => {
                    return false;
                }
                _ if self.at_end() => return false,
                _ => self.advance(),
            }
        }
    }

    fn type_declaration(&mut self) -> Result<TypeDeclaration> {
        let start = self.span();
        let name = self.name("the name of a type")?;
        // Header lines of SCL.
        let pragmas = self.pragmas();
        let mut extends = None;
        if self.eat_keyword(Keyword::Extends) {
            extends = Some(self.path("the structure it extends")?);
        }
        let colon = self.eat(Punct::Colon);
        if !colon && !self.at_keyword(Keyword::Struct) {
            return Err(self.expected("':' and a type"));
        }
        if self.at_keyword(Keyword::Struct) && self.keyword_ahead(1) == Some(Keyword::Extends) {
            // `name : STRUCT EXTENDS base`
            self.advance();
            self.advance();
            extends = Some(self.path("the structure it extends")?);
            let fields = self.fields_until(Keyword::EndStruct, start)?;
            let kind = TypeKind::Struct { overlap: false, fields };
            let ty = TypeSpec { kind, span: self.since(start) };
            self.eat(Punct::Semi);
            let span = self.since(start);
            return Ok(TypeDeclaration { name, extends, ty, initial: None, pragmas, span });
        }
        let (ty, mut initial) = self.type_and_value()?;
        if self.eat(Punct::Assign) {
            initial = Some(self.initial()?);
        }
        let structure = matches!(ty.kind, TypeKind::Struct { .. } | TypeKind::Union(_));
        let done = self.eat(Punct::Semi) || structure || self.at_keyword(Keyword::EndType);
        if !done {
            return Err(self.expected("';'"));
        }
        Ok(TypeDeclaration { name, extends, ty, initial, pragmas, span: self.since(start) })
    }

    pub(crate) fn type_spec(&mut self) -> Result<TypeSpec> {
        let start = self.span();
        let (ty, value) = self.type_and_value()?;
        match value {
            None => Ok(ty),
            Some(_) => Err(Diagnostic::error(
                self.since(start),
                "a type can't have values in parentheses here",
            )),
        }
    }

    /// A type, and in `block : TON(PT := T#5s)` the values of the instance's variables.
    pub(crate) fn type_and_value(&mut self) -> Result<TypeAndValue> {
        self.enter()?;
        let result = self.any_type();
        self.leave();
        result
    }

    fn any_type(&mut self) -> Result<TypeAndValue> {
        let start = self.span();
        let sized = self.pragmas().iter().any(|pragma| pragma.is("sized"));
        let (kind, value) = match self.keyword() {
            Some(Keyword::Array) => (self.array()?, None),
            Some(Keyword::Struct) => {
                self.advance();
                let overlap = self.eat_keyword(Keyword::Overlap);
                let fields = self.fields_until(Keyword::EndStruct, start)?;
                (TypeKind::Struct { overlap, fields }, None)
            }
            Some(Keyword::Union) if !self.punct_ahead(1, Punct::Semi) => {
                self.advance();
                (TypeKind::Union(self.fields_until(Keyword::EndUnion, start)?), None)
            }
            Some(Keyword::RefTo) => {
                self.advance();
                (self.pointer(Pointer::RefTo)?, None)
            }
            Some(keyword @ (Keyword::Pointer | Keyword::Reference))
                if self.keyword_ahead(1) == Some(Keyword::To) =>
            {
                self.advance();
                self.advance();
                let pointer = if keyword == Keyword::Pointer {
                    Pointer::PointerTo
                } else {
                    Pointer::ReferenceTo
                };
                (self.pointer(pointer)?, None)
            }
            Some(keyword @ (Keyword::String | Keyword::Wstring)) => {
                (self.string_type(keyword == Keyword::Wstring)?, None)
            }
            _ if self.at_punct(Punct::LParen) => {
                let values = self.enum_values()?;
                let base = if self.name_ahead(0) { Some(self.path("a type")?) } else { None };
                (TypeKind::Enum { base, values }, None)
            }
            _ => self.named_type()?,
        };
        let mut ty = TypeSpec { kind, span: self.since(start) };
        if self.eat(Punct::Ellipsis) {
            let kind = TypeKind::Variadic { sized, element: Box::new(ty) };
            ty = TypeSpec { kind, span: self.since(start) };
        }
        Ok((ty, value))
    }

    fn pointer(&mut self, pointer: Pointer) -> Result<TypeKind> {
        Ok(TypeKind::Pointer(pointer, Box::new(self.type_spec()?)))
    }

    fn array(&mut self) -> Result<TypeKind> {
        self.advance();
        let opening = self.span();
        self.expect(Punct::LBracket)?;
        let mut dimensions = Vec::new();
        loop {
            dimensions.push(if self.eat(Punct::Star) {
                Dimension::Open
            } else {
                let low = self.expression()?;
                if self.eat(Punct::DotDot) {
                    Dimension::Range(low, self.expression()?)
                } else {
                    Dimension::Type(low)
                }
            });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_closing(Punct::RBracket, opening)?;
        self.expect_keyword(Keyword::Of)?;
        Ok(TypeKind::Array { dimensions, element: Box::new(self.type_spec()?) })
    }

    fn string_type(&mut self, wide: bool) -> Result<TypeKind> {
        let name = self.any_name()?;
        let opening = self.span();
        let closing = match self.peek() {
            crate::lex::token::TokenKind::Punct(Punct::LBracket) => Punct::RBracket,
            crate::lex::token::TokenKind::Punct(Punct::LParen) => Punct::RParen,
            _ => return Ok(TypeKind::Named(Path::from(name))),
        };
        self.advance();
        let length = Box::new(self.expression()?);
        self.expect_closing(closing, opening)?;
        Ok(TypeKind::String { wide, length })
    }

    /// `Name`, `INT(0..5)`, `INT(a, b)`, `TON(PT := T#5s)`.
    fn named_type(&mut self) -> Result<(TypeKind, Option<Expr>)> {
        let path = self.path("a type")?;
        if !self.at_punct(Punct::LParen) {
            return Ok((TypeKind::Named(path), None));
        }
        let opening = self.span();
        if INTEGERS.iter().any(|name| path.last().is(name)) {
            let first = self.at;
            self.advance();
            let low = self.expression()?;
            if self.eat(Punct::DotDot) {
                let high = Box::new(self.expression()?);
                self.expect_closing(Punct::RParen, opening)?;
                return Ok((TypeKind::Subrange { base: path, low: Box::new(low), high }, None));
            }
            self.at = first;
            let values = self.enum_values()?;
            return Ok((TypeKind::Enum { base: Some(path), values }, None));
        }
        self.instance_values(path, opening)
    }

    /// After the name of a declared type: a range, or values of the instance's variables.
    fn instance_values(&mut self, path: Path, opening: Span) -> Result<(TypeKind, Option<Expr>)> {
        let arguments = self.range_or_arguments(opening)?;
        let arguments = match arguments {
            Ok((low, high)) => {
                let (low, high) = (Box::new(low), Box::new(high));
                return Ok((TypeKind::Subrange { base: path, low, high }, None));
            }
            Err(arguments) => arguments,
        };
        let mut fields = Vec::new();
        for argument in arguments {
            fields.push(match argument {
                Argument::Positional(value) => FieldValue { name: None, value },
                Argument::Input(name, Some(value)) => FieldValue { name: Some(name), value },
                Argument::Input(name, None) | Argument::Output(name, ..) => {
                    let message = format!("'{name}' needs a value here");
                    return Err(Diagnostic::error(name.span, message));
                }
            });
        }
        let values = Expr { kind: ExprKind::Struct(fields), span: self.since(opening) };
        Ok((TypeKind::Named(path), Some(values)))
    }

    fn range_or_arguments(
        &mut self,
        opening: Span,
    ) -> Result<std::result::Result<(Expr, Expr), Vec<Argument>>> {
        let first = self.at;
        self.advance();
        let named = self.word_ahead(0) && self.punct_ahead(1, Punct::Assign);
        if !named && !self.at_punct(Punct::RParen) {
            let low = self.expression()?;
            if self.eat(Punct::DotDot) {
                let high = self.expression()?;
                self.expect_closing(Punct::RParen, opening)?;
                return Ok(Ok((low, high)));
            }
        }
        self.at = first;
        Ok(Err(self.arguments()?))
    }

    /// `(a, b := 5)`
    fn enum_values(&mut self) -> Result<Vec<EnumValue>> {
        let opening = self.span();
        self.expect(Punct::LParen)?;
        let mut values = Vec::new();
        while !self.at_punct(Punct::RParen) || values.is_empty() {
            self.pragmas();
            let name = self.name("the name of a value")?;
            // `Type#value` is how some tools write the values of their own type.
            let name = if self.eat(Punct::Hash) { self.name("the name of a value")? } else { name };
            let value = if self.eat(Punct::Assign) { Some(self.expression()?) } else { None };
            values.push(EnumValue { name, value });
            self.pragmas();
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_closing(Punct::RParen, opening)?;
        Ok(values)
    }
}
