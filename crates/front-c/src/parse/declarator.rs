//! Declarators, parameter lists and type names [C11 §6.7.6, §6.7.7].

use super::Parser;
use crate::ast::{
    ArrayLength, Declarator, Derivation, Parameter, Parameters, Quals, TypeName, TypeNameId,
};
use crate::diagnostic::Result;
use crate::source::Span;
use crate::token::{Keyword, Punct, TokenKind};

/// Which forms of a declarator are allowed.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// With a name.
    Named,
    /// Without a name.
    Abstract,
    /// Either.
    Either,
}

impl Parser<'_> {
    /// A declarator without attributes and `asm` label after it.
    pub(super) fn declarator(&mut self, form: Form) -> Result<Declarator> {
        self.enter()?;
        let start = self.span();
        let mut attributes = Vec::new();
        let mut pointers = Vec::new();
        loop {
            self.attributes(&mut attributes)?;
            if !self.eat(Punct::Star) {
                break;
            }
            let quals = self.qualifiers(&mut attributes)?;
            pointers.push(Derivation::Pointer(quals));
        }
        let mut declarator = self.direct_declarator(form)?;
        declarator.attributes.append(&mut attributes);
        declarator.derivations.extend(pointers.into_iter().rev());
        if declarator.derivations.len() > super::MAX_HEIGHT as usize {
            let message = format!("type nests deeper than {} levels", super::MAX_HEIGHT);
            return self.error(self.span_from(start), message);
        }
        declarator.span =
            if self.span_is_empty_since(start) { start } else { self.span_from(start) };
        self.leave();
        Ok(declarator)
    }

    fn span_is_empty_since(&self, start: Span) -> bool {
        self.span().start == start.start
    }

    /// Qualifiers and attributes after `*` or in brackets.
    fn qualifiers(&mut self, attributes: &mut Vec<crate::ast::Attribute>) -> Result<Quals> {
        let mut quals = Quals::NONE;
        loop {
            match self.peek() {
                TokenKind::Keyword(Keyword::Const) => quals |= Quals::CONST,
                TokenKind::Keyword(Keyword::Volatile) => quals |= Quals::VOLATILE,
                TokenKind::Keyword(Keyword::Restrict) => quals |= Quals::RESTRICT,
                TokenKind::Keyword(Keyword::Atomic) => quals |= Quals::ATOMIC,
                TokenKind::Keyword(Keyword::Attribute) => {
                    self.attributes(attributes)?;
                    continue;
                }
                _ => return Ok(quals),
            }
            self.advance();
        }
    }

    fn direct_declarator(&mut self, form: Form) -> Result<Declarator> {
        let span = self.span();
        let mut declarator = Declarator {
            span,
            name: None,
            derivations: Vec::new(),
            attributes: Vec::new(),
            asm_label: None,
            contract: None,
        };
        match self.peek() {
            TokenKind::Ident(symbol) if form != Form::Abstract => {
                self.advance();
                declarator.name = Some((symbol, span));
            }
            TokenKind::Punct(Punct::LParen) if self.parenthesis_nests(form) => {
                self.advance();
                declarator = self.declarator(form)?;
                self.expect_closing(Punct::RParen, span)?;
            }
            _ if form == Form::Named => return Err(self.expected("an identifier or '('")),
            _ => {}
        }
        loop {
            match self.peek() {
                TokenKind::Punct(Punct::LBracket) => {
                    let array = self.array_suffix()?;
                    declarator.derivations.push(array);
                }
                TokenKind::Punct(Punct::LParen) => {
                    let parameters = self.parameters()?;
                    declarator.derivations.push(Derivation::Function(parameters));
                }
                _ => return Ok(declarator),
            }
        }
    }

    /// Whether the parenthesis at the front groups a declarator, and does not start the
    /// parameters of an abstract one [C11 §6.7.6.3 ¶11].
    fn parenthesis_nests(&self, form: Form) -> bool {
        if form == Form::Named {
            return true;
        }
        match self.peek_at(1) {
            TokenKind::Punct(Punct::Star | Punct::LParen | Punct::LBracket) => true,
            TokenKind::Keyword(Keyword::Attribute) => true,
            TokenKind::Ident(symbol) => form == Form::Either && !self.is_typedef(symbol),
            _ => false,
        }
    }

    fn array_suffix(&mut self) -> Result<Derivation> {
        let span = self.span();
        self.enter()?;
        self.expect(Punct::LBracket)?;
        let mut ignored = Vec::new();
        self.eat_keyword(Keyword::Static);
        let mut quals = self.qualifiers(&mut ignored)?;
        if self.eat_keyword(Keyword::Static) {
            quals |= self.qualifiers(&mut ignored)?;
        }
        let star_only =
            self.at_punct(Punct::Star) && self.peek_at(1) == TokenKind::Punct(Punct::RBracket);
        let length = if self.at_punct(Punct::RBracket) {
            ArrayLength::Unknown
        } else if star_only {
            self.advance();
            ArrayLength::Star
        } else {
            ArrayLength::Expr(self.assignment_expr()?)
        };
        self.expect_closing(Punct::RBracket, span)?;
        self.leave();
        Ok(Derivation::Array { length, quals, span: self.span_from(span) })
    }

    fn parameters(&mut self) -> Result<Parameters> {
        let opening = self.span();
        self.enter()?;
        self.expect(Punct::LParen)?;
        self.push_scope();
        let parameters = match self.peek() {
            TokenKind::Punct(Punct::RParen) => Parameters::OldStyle(Vec::new()),
            TokenKind::Ident(symbol) if !self.is_typedef(symbol) => self.identifier_list()?,
            _ => self.parameter_list()?,
        };
        self.pop_scope();
        self.expect_closing(Punct::RParen, opening)?;
        self.leave();
        Ok(parameters)
    }

    fn identifier_list(&mut self) -> Result<Parameters> {
        let mut names = vec![self.ident()?];
        while self.eat(Punct::Comma) {
            if !matches!(self.peek(), TokenKind::Ident(_)) {
                return Err(self.expected("a parameter name"));
            }
            names.push(self.ident()?);
        }
        if !self.at_punct(Punct::RParen)
            && let TokenKind::Ident(_) | TokenKind::Punct(Punct::Star) = self.peek()
        {
            let (symbol, span) = names[names.len() - 1];
            let name = self.symbols.name(symbol).to_owned();
            return self.error(span, format!("unknown type name '{name}'"));
        }
        Ok(Parameters::OldStyle(names))
    }

    fn parameter_list(&mut self) -> Result<Parameters> {
        let mut params = Vec::new();
        let mut variadic = false;
        loop {
            if self.eat(Punct::Ellipsis) {
                variadic = true;
                break;
            }
            params.push(self.parameter()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if let [only] = params.as_slice()
            && !variadic
            && only.declarator.name.is_none()
            && only.declarator.derivations.is_empty()
            && only.specs.quals == Quals::NONE
            && matches!(only.specs.ty, crate::ast::TypeSpec::Words(w) if w.void)
        {
            params.clear();
        }
        Ok(Parameters::Prototype { params, variadic })
    }

    fn parameter(&mut self) -> Result<Parameter> {
        let specs = self.specifiers()?;
        if matches!(specs.ty, crate::ast::TypeSpec::Missing)
            && specs.storage.is_none()
            && specs.quals == Quals::NONE
        {
            return Err(self.expected("a parameter"));
        }
        let mut declarator = self.declarator(Form::Either)?;
        self.attributes(&mut declarator.attributes)?;
        if let Some((name, _)) = declarator.name {
            self.declare_name(name, false);
        }
        Ok(Parameter { specs, declarator })
    }

    /// A type name; its expressions count into the height of the node around it.
    pub(super) fn type_name(&mut self) -> Result<TypeNameId> {
        let start = self.span();
        self.enter()?;
        let specs = self.specifiers()?;
        if matches!(specs.ty, crate::ast::TypeSpec::Missing) && specs.quals == Quals::NONE {
            return Err(self.expected("a type"));
        }
        let mut declarator = self.declarator(Form::Abstract)?;
        self.attributes(&mut declarator.attributes)?;
        self.leave();
        let span = self.span_from(start);
        Ok(self.unit.type_names.alloc(TypeName { span, specs, declarator }))
    }
}
