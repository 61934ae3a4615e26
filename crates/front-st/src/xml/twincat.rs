//! TwinCAT's files: declarations and bodies as text, each piece in an element of its own. The
//! declaration has no last word (`END_FUNCTION_BLOCK`), and members are elements beside it.

use super::{Reader, child, elements, item};
use crate::ast::{
    Accessor, Action, Body, Interface, Item, ItemKind, Method, Modifiers, Name, PouKind, Property,
    VariableSection,
};
use crate::lex::token::Keyword;
use crate::parse::unit::fill;
use roxmltree::Node;

pub(super) fn items(reader: &mut Reader, root: Node) -> Vec<Item> {
    let mut items = Vec::new();
    for object in elements(root) {
        match object.tag_name().name() {
            "POU" => items.extend(pou(reader, object)),
            "Itf" => items.extend(interface(reader, object)),
            "DUT" => items.extend(types(reader, object)),
            "GVL" => items.extend(globals(reader, object)),
            // What the development environment keeps for itself.
            "LineIds" | "XmlArchive" => {}
            name => {
                let help = "POU, Itf, DUT and GVL are read";
                reader.wrong(object, format!("objects <{name}> are not read"), help);
            }
        }
    }
    items
}

fn pou(reader: &mut Reader, object: Node) -> Option<Item> {
    let Some(declaration) = child(object, "Declaration") else {
        reader.wrong(object, "this unit has no declaration", "");
        return None;
    };
    let text = reader.content(declaration);
    let (pragmas, mut pou) = reader.with(&text, |parser| {
        let pragmas = parser.pragmas();
        let kind = match parser.keyword() {
            Some(Keyword::Program) => PouKind::Program,
            Some(Keyword::Function) => PouKind::Function,
            Some(Keyword::FunctionBlock) => PouKind::FunctionBlock,
            _ => return Err(parser.expected("PROGRAM, FUNCTION or FUNCTION_BLOCK")),
        };
        let mut pou = parser.pou_header(kind)?;
        let parts = parser.parts()?;
        fill(&mut pou, parts, false);
        Ok((pragmas, pou))
    })?;
    let external = pragmas.iter().any(|pragma| pragma.is("external"));
    pou.body = match (pou.body, implementation(reader, object)) {
        (_, Some(body)) => body,
        (_, None) if external => Body::Missing,
        (declared, None) => declared,
    };
    for member in elements(object) {
        match member.tag_name().name() {
            "Method" => pou.methods.extend(method(reader, member, true)),
            "Property" => pou.properties.extend(property(reader, member, true)),
            "Action" => pou.actions.extend(action(reader, member)),
            "Transition" => {
                reader.wrong(member, "transitions of charts are not read from this file", "");
            }
            _ => {}
        }
    }
    let span = pou.name.span;
    let kind = ItemKind::Pou(Box::new(pou));
    Some(Item { kind, pragmas, span })
}

/// The body of an object: Structured Text, or an error that names what it is.
fn implementation(reader: &mut Reader, object: Node) -> Option<Body> {
    let node = child(object, "Implementation")?;
    if let Some(code) = child(node, "ST") {
        let text = reader.content(code);
        return Some(Body::Code(reader.with(&text, |parser| Ok(parser.block()))?));
    }
    let other = elements(node).next()?;
    let name = other.tag_name().name();
    let message = format!("a body in {name} is not read from TwinCAT's files");
    reader.wrong(other, message, "export the project as PLCopen XML, or write it in ST");
    None
}

fn sections(reader: &mut Reader, object: Node) -> Vec<VariableSection> {
    let Some(declaration) = child(object, "Declaration") else { return Vec::new() };
    let text = reader.content(declaration);
    let read = reader.with(&text, |parser| {
        let mut sections = Vec::new();
        parser.pragmas();
        while let Some(section) = parser.section() {
            sections.push(section);
            parser.pragmas();
        }
        Ok(sections)
    });
    read.unwrap_or_default()
}

fn method(reader: &mut Reader, object: Node, implemented: bool) -> Option<Method> {
    let declaration = child(object, "Declaration")?;
    let text = reader.content(declaration);
    let mut method = reader.with(&text, |parser| {
        let pragmas = parser.pragmas();
        if !parser.at_keyword(Keyword::Method) {
            return Err(parser.expected("METHOD"));
        }
        let mut method = parser.method_header()?;
        let parts = parser.inner_parts()?;
        method.sections = parts.sections;
        method.pragmas = pragmas;
        method.pragmas.extend(parts.pragmas);
        Ok(method)
    })?;
    if implemented && !method.modifiers.is_abstract {
        method.body = implementation(reader, object).unwrap_or(Body::Code(Vec::new()));
    }
    Some(method)
}

fn property(reader: &mut Reader, object: Node, implemented: bool) -> Option<Property> {
    let declaration = child(object, "Declaration")?;
    let text = reader.content(declaration);
    let mut property = reader.with(&text, |parser| {
        let pragmas = parser.pragmas();
        if !parser.at_keyword(Keyword::Property) {
            return Err(parser.expected("PROPERTY"));
        }
        let mut property = parser.property_header()?;
        property.pragmas = pragmas;
        Ok(property)
    })?;
    property.get = child(object, "Get").map(|half| accessor(reader, half, implemented));
    property.set = child(object, "Set").map(|half| accessor(reader, half, implemented));
    Some(property)
}

fn accessor(reader: &mut Reader, object: Node, implemented: bool) -> Accessor {
    let sections = sections(reader, object);
    let body = match implementation(reader, object) {
        Some(body) => body,
        None if implemented => Body::Code(Vec::new()),
        None => Body::Missing,
    };
    Accessor { modifiers: Modifiers::default(), sections, body, span: reader.span(object) }
}

fn action(reader: &mut Reader, object: Node) -> Option<Action> {
    let text = reader.attribute(object, "Name")?;
    let name = reader.with(&text, |parser| parser.name("the name of the action"))?;
    let body = implementation(reader, object).unwrap_or(Body::Code(Vec::new()));
    Some(Action { name, pragmas: Vec::new(), body, span: reader.span(object) })
}

fn interface(reader: &mut Reader, object: Node) -> Option<Item> {
    let declaration = child(object, "Declaration")?;
    let text = reader.content(declaration);
    let (pragmas, mut interface) = reader.with(&text, |parser| {
        let pragmas = parser.pragmas();
        parser.expect_keyword(Keyword::Interface)?;
        let modifiers = parser.modifiers();
        let name = parser.name("the name of the interface")?;
        let extends = if parser.eat_keyword(Keyword::Extends) {
            parser.paths("an interface")?
        } else {
            Vec::new()
        };
        let (using, methods, properties) = (Vec::new(), Vec::new(), Vec::new());
        Ok((pragmas, Interface { name, modifiers, extends, using, methods, properties }))
    })?;
    for member in elements(object) {
        match member.tag_name().name() {
            "Method" => interface.methods.extend(method(reader, member, false)),
            "Property" => interface.properties.extend(property(reader, member, false)),
            _ => {}
        }
    }
    let span = interface.name.span;
    Some(Item { kind: ItemKind::Interface(Box::new(interface)), pragmas, span })
}

fn types(reader: &mut Reader, object: Node) -> Option<Item> {
    let declaration = child(object, "Declaration")?;
    let text = reader.content(declaration);
    let (pragmas, types) = reader.with(&text, |parser| {
        let pragmas = parser.pragmas();
        if !parser.at_keyword(Keyword::Type) {
            return Err(parser.expected("TYPE"));
        }
        Ok((pragmas, parser.type_section()?))
    })?;
    let span = reader.span(declaration);
    Some(Item { kind: ItemKind::Types(types), pragmas, span })
}

/// A list of global variables; its name is a part of theirs (`GVL.x`).
fn globals(reader: &mut Reader, object: Node) -> Vec<Item> {
    let Some(declaration) = child(object, "Declaration") else { return Vec::new() };
    let name: Option<Name> = reader
        .attribute(object, "Name")
        .and_then(|text| reader.with(&text, |parser| parser.name("the name of the list")));
    let text = reader.content(declaration);
    let read = reader.with(&text, |parser| {
        let mut all = Vec::new();
        let mut pragmas = parser.pragmas();
        while let Some(section) = parser.section() {
            all.push((std::mem::take(&mut pragmas), section));
            pragmas = parser.pragmas();
        }
        Ok(all)
    });
    let sections = read.unwrap_or_default();
    let named = |(pragmas, section): (_, VariableSection)| {
        let span = section.span;
        Item { pragmas, ..item(ItemKind::Globals(name.clone(), section), span) }
    };
    sections.into_iter().map(named).collect()
}
