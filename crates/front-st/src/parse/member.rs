//! Methods, properties, actions [IEC 61131-3 §6.6.5; CODESYS for properties].

use super::parser::Parser;
use super::unit::{Parts, body};
use crate::ast::{Accessor, Action, Body, ItemKind, Method, Modifiers, Name, Pragma, Property};
use crate::lex::token::{Keyword, Punct};
use source::Diagnostic;
use source::diagnostic::Result;

impl Parser<'_> {
    /// `METHOD … END_METHOD`; in an interface it has no body.
    pub(crate) fn method(&mut self, pragmas: Vec<Pragma>, implemented: bool) -> Result<Method> {
        let start = self.span();
        let mut method = self.method_header()?;
        self.enter()?;
        let parts = self.inner_parts();
        self.leave();
        let Parts { sections, block, pragmas: inside, .. } = parts?;
        self.close(Keyword::EndMethod, start);
        self.eat(Punct::Semi);
        method.pragmas = pragmas;
        method.pragmas.extend(inside);
        method.sections = sections;
        let external = method.pragmas.iter().any(|pragma| pragma.is("external"));
        let missing =
            block.is_empty() && (!implemented || method.modifiers.is_abstract || external);
        method.body = if missing { Body::Missing } else { Body::Code(block) };
        method.span = self.since(start);
        Ok(method)
    }

    /// A method's first line.
    pub(crate) fn method_header(&mut self) -> Result<Method> {
        let start = self.span();
        self.advance();
        let modifiers = self.modifiers();
        let name = self.name("the name of the method")?;
        let generics = self.generics()?;
        let result = self.result()?;
        self.eat(Punct::Semi);
        Ok(Method {
            name,
            modifiers,
            generics,
            result,
            pragmas: Vec::new(),
            sections: Vec::new(),
            body: Body::Missing,
            span: self.since(start),
        })
    }

    /// Sections and statements, which may contain no further members.
    pub(crate) fn inner_parts(&mut self) -> Result<Parts> {
        let start = self.span();
        let parts = self.parts()?;
        let nested = parts.methods.first().map(|method| method.name.span);
        let nested = nested.or(parts.properties.first().map(|property| property.name.span));
        let nested = nested.or(parts.actions.first().map(|action| action.name.span));
        match nested {
            Some(span) => {
                Err(Diagnostic::error(span, "this can't be declared within a method or property")
                    .note(start, "which begins here; perhaps its end is missing"))
            }
            None => Ok(parts),
        }
    }

    /// `PROPERTY name : TYPE GET … END_GET SET … END_SET END_PROPERTY`, or one of its halves:
    /// `PROPERTY_GET name : TYPE … END_PROPERTY`.
    pub(crate) fn property(&mut self, pragmas: Vec<Pragma>, all: &mut Vec<Property>) -> Result<()> {
        let start = self.span();
        let keyword = self.keyword();
        let mut property = self.property_header()?;
        property.pragmas = pragmas;
        if keyword == Some(Keyword::Property) {
            property.pragmas.extend(self.pragmas());
            self.accessors(&mut property)?;
            self.close(Keyword::EndProperty, start);
            self.eat(Punct::Semi);
            property.span = self.since(start);
            all.push(property);
            return Ok(());
        }
        self.enter()?;
        let parts = self.inner_parts();
        self.leave();
        let Parts { sections, block, .. } = parts?;
        self.close(Keyword::EndProperty, start);
        self.eat(Punct::Semi);
        let span = self.since(start);
        let body = Body::Code(block);
        let half = Some(Accessor { modifiers: Modifiers::default(), sections, body, span });
        // The two halves of one name are one property.
        let known = all.iter().position(|known| known.name.key == property.name.key);
        let index = known.unwrap_or_else(|| {
            property.span = span;
            all.push(property);
            all.len() - 1
        });
        let Some(known) = all.get_mut(index) else { return Ok(()) };
        let slot =
            if keyword == Some(Keyword::PropertyGet) { &mut known.get } else { &mut known.set };
        if slot.is_some() {
            let message = format!("'{}' has this half twice", known.name);
            return Err(Diagnostic::error(start, message).note(known.span, "it begins here"));
        }
        *slot = half;
        Ok(())
    }

    /// A property's first line.
    pub(crate) fn property_header(&mut self) -> Result<Property> {
        let start = self.span();
        self.advance();
        let modifiers = self.modifiers();
        let name = self.name("the name of the property")?;
        self.expect(Punct::Colon)?;
        let ty = self.type_spec()?;
        self.eat(Punct::Semi);
        let span = self.since(start);
        Ok(Property { name, modifiers, ty, pragmas: Vec::new(), get: None, set: None, span })
    }

    fn accessors(&mut self, property: &mut Property) -> Result<()> {
        loop {
            let start = self.span();
            let mut modifiers = Modifiers::default();
            while let Some(access) = self.keyword().and_then(super::variable::accessibility) {
                modifiers.access = Some(access);
                self.advance();
            }
            let get = self.at_keyword(Keyword::Get);
            if !get && !self.at_keyword(Keyword::Set) {
                return Ok(());
            }
            self.advance();
            self.enter()?;
            let parts = self.inner_parts();
            self.leave();
            let Parts { sections, block, .. } = parts?;
            self.close(if get { Keyword::EndGet } else { Keyword::EndSet }, start);
            self.eat(Punct::Semi);
            let span = self.since(start);
            let accessor = Accessor { modifiers, sections, body: Body::Code(block), span };
            let slot = if get { &mut property.get } else { &mut property.set };
            *slot = Some(accessor);
        }
    }

    /// `ACTION name: … END_ACTION`
    pub(crate) fn action(&mut self, pragmas: Vec<Pragma>) -> Result<Action> {
        let start = self.span();
        self.advance();
        let name = self.name("the name of the action")?;
        self.rest_of_action(name, pragmas, start)
    }

    fn rest_of_action(
        &mut self,
        name: Name,
        pragmas: Vec<Pragma>,
        start: source::Span,
    ) -> Result<Action> {
        self.eat(Punct::Colon);
        self.enter()?;
        let parts = self.inner_parts();
        self.leave();
        let Parts { block, chart, sections, .. } = parts?;
        if let Some(section) = sections.first() {
            let message = "an action has no variables of its own";
            return Err(Diagnostic::error(section.span, message)
                .help("declare them in the program or function block"));
        }
        self.close(Keyword::EndAction, start);
        self.eat(Punct::Semi);
        Ok(Action { name, pragmas, body: body(block, chart), span: self.since(start) })
    }

    /// `ACTION unit.name … END_ACTION`: the unit and the action.
    pub(crate) fn outer_action(&mut self, pragmas: &[Pragma]) -> Result<(Name, Action)> {
        let start = self.span();
        self.advance();
        let unit = self.name("the unit of the action")?;
        if !self.eat(Punct::Dot) {
            let error = self.expected("'.' and the name of the action");
            return Err(error.help("outside of a unit, write ACTION unit.name"));
        }
        let name = self.name("the name of the action")?;
        Ok((unit, self.rest_of_action(name, pragmas.to_vec(), start)?))
    }

    /// `ACTIONS unit … END_ACTIONS`; without a name they are those of the unit before.
    pub(crate) fn actions(&mut self) -> Result<ItemKind> {
        let start = self.span();
        self.advance();
        let of = if self.at_keyword(Keyword::Action) || !self.name_ahead(0) {
            self.last_unit.clone().ok_or_else(|| self.expected("the unit of the actions"))?
        } else {
            self.name("the unit of the actions")?
        };
        let mut actions = Vec::new();
        loop {
            let pragmas = self.pragmas();
            if !self.at_keyword(Keyword::Action) {
                break;
            }
            actions.push(self.action(pragmas)?);
        }
        self.close(Keyword::EndActions, start);
        self.eat(Punct::Semi);
        Ok(ItemKind::Actions(of, actions))
    }
}
