//! Declarations as elements: types, variables, initial values [PLCopen TC6, `formalParameters`].

use super::{Reader, child, children, elements};
use crate::ast::{
    Dimension, Element, EnumValue, Expr, ExprKind, FieldValue, Literal, LiteralKind, Name, Path,
    Pointer, Retention, TypeDeclaration, TypeKind, TypeSpec, VariableKind, VariableSection,
    Variables,
};
use roxmltree::Node;
use source::Span;

/// Levels of types and values.
const MAX_LEVELS: u32 = 100;

/// Lists of variables by their elements.
const LISTS: [(&str, VariableKind); 8] = [
    ("localVars", VariableKind::Local),
    ("inputVars", VariableKind::Input),
    ("outputVars", VariableKind::Output),
    ("inOutVars", VariableKind::InOut),
    ("tempVars", VariableKind::Temp),
    ("externalVars", VariableKind::External),
    ("globalVars", VariableKind::Global),
    ("accessVars", VariableKind::Access),
];

impl Reader<'_> {
    /// A name in an attribute.
    pub(super) fn name_of(&mut self, node: Node, attribute: &str) -> Option<Name> {
        let Some(text) = self.attribute(node, attribute) else {
            let tag = node.tag_name().name();
            self.wrong(node, format!("<{tag}> needs the attribute {attribute}"), "");
            return None;
        };
        self.with(&text, |parser| parser.any_name())
    }

    /// An expression in an attribute; none if it is missing or empty.
    pub(super) fn expression_of(&mut self, node: Node, attribute: &str) -> Option<Expr> {
        let text = self.attribute(node, attribute)?;
        if text.bytes.trim_ascii().is_empty() {
            return None;
        }
        self.with(&text, |parser| parser.expression())
    }

    /// The sections of an interface.
    pub(super) fn sections(&mut self, interface: Node) -> Vec<VariableSection> {
        let mut sections = Vec::new();
        for list in elements(interface) {
            let tag = list.tag_name().name();
            if let Some(&(_, kind)) = LISTS.iter().find(|(name, _)| *name == tag) {
                sections.push(self.section(list, kind));
            }
        }
        sections
    }

    pub(super) fn section(&mut self, list: Node, kind: VariableKind) -> VariableSection {
        let is = |name: &str| list.attribute(name) == Some("true");
        let retention = match (is("retain"), is("persistent"), is("nonretain")) {
            (true, true, _) => Retention::RetainPersistent,
            (true, false, _) => Retention::Retain,
            (false, true, _) => Retention::Persistent,
            (false, false, true) => Retention::NonRetain,
            (false, false, false) => Retention::Unsaid,
        };
        let variables = children(list, "variable").filter_map(|v| self.variable(v, 0)).collect();
        VariableSection {
            kind,
            constant: is("constant"),
            retention,
            access: None,
            pragmas: Vec::new(),
            variables,
            span: self.span(list),
        }
    }

    fn variable(&mut self, node: Node, level: u32) -> Option<Variables> {
        let name = self.name_of(node, "name")?;
        let address = self.attribute(node, "address").filter(|a| !a.bytes.trim_ascii().is_empty());
        let location = address.and_then(|text| self.with(&text, |parser| parser.direct()));
        let ty = match child(node, "type") {
            Some(ty) => self.type_in(ty, level),
            None => {
                self.wrong(node, format!("the variable '{name}' has no type"), "");
                None
            }
        };
        let initial = child(node, "initialValue").and_then(|value| self.value_in(value, level));
        Some(Variables {
            path: Vec::new(),
            names: vec![name],
            location,
            overlays: None,
            ty,
            edge: None,
            initial,
            access: None,
            pragmas: Vec::new(),
            span: self.span(node),
        })
    }

    /// The type in an element that holds one.
    pub(super) fn type_in(&mut self, node: Node, level: u32) -> Option<TypeSpec> {
        match elements(node).next() {
            Some(ty) => self.type_spec(ty, level),
            None => {
                self.wrong(node, "a type is missing here", "");
                None
            }
        }
    }

    fn base_type(&mut self, node: Node, level: u32) -> Option<TypeSpec> {
        match child(node, "baseType") {
            Some(base) => self.type_in(base, level + 1),
            None => {
                self.wrong(node, "the type that this is made of is missing", "");
                None
            }
        }
    }

    fn type_spec(&mut self, node: Node, level: u32) -> Option<TypeSpec> {
        let span = self.span(node);
        if level > MAX_LEVELS {
            self.wrong(node, format!("types are nested more than {MAX_LEVELS} deep"), "");
            return None;
        }
        let tag = node.tag_name().name();
        let kind = match tag {
            "string" | "wstring" | "STRING" | "WSTRING" => {
                let wide = tag.eq_ignore_ascii_case("wstring");
                match self.expression_of(node, "length") {
                    Some(length) => TypeKind::String { wide, length: Box::new(length) },
                    None => TypeKind::Named(named(&tag.to_uppercase(), span)),
                }
            }
            "derived" => {
                let text = self.attribute(node, "name")?;
                TypeKind::Named(self.with(&text, |parser| parser.path("the name of a type"))?)
            }
            "array" => {
                let mut dimensions = Vec::new();
                for dimension in children(node, "dimension") {
                    let low = self.expression_of(dimension, "lower");
                    let high = self.expression_of(dimension, "upper");
                    dimensions.push(match (low, high) {
                        (Some(low), Some(high)) => Dimension::Range(low, high),
                        _ => Dimension::Open,
                    });
                }
                let element = Box::new(self.base_type(node, level)?);
                if dimensions.is_empty() {
                    self.wrong(node, "an array needs a dimension", "");
                    return None;
                }
                TypeKind::Array { dimensions, element }
            }
            "enum" => self.enumeration(node, level)?,
            "subrangeSigned" | "subrangeUnsigned" => {
                let range = child(node, "range")?;
                let low = Box::new(self.expression_of(range, "lower")?);
                let high = Box::new(self.expression_of(range, "upper")?);
                let TypeKind::Named(base) = self.base_type(node, level)?.kind else {
                    self.wrong(node, "a range is one of an integer type", "");
                    return None;
                };
                TypeKind::Subrange { base, low, high }
            }
            "struct" | "union" => {
                let fields = children(node, "variable");
                let fields = fields.filter_map(|v| self.variable(v, level + 1)).collect();
                if tag == "union" {
                    TypeKind::Union(fields)
                } else {
                    TypeKind::Struct { overlap: false, fields }
                }
            }
            "pointer" => {
                TypeKind::Pointer(Pointer::PointerTo, Box::new(self.base_type(node, level)?))
            }
            _ => TypeKind::Named(named(tag, span)),
        };
        Some(TypeSpec { kind, span })
    }

    fn enumeration(&mut self, node: Node, level: u32) -> Option<TypeKind> {
        let mut values = Vec::new();
        for value in child(node, "values").into_iter().flat_map(elements) {
            let name = self.name_of(value, "name")?;
            let value = self.expression_of(value, "value");
            values.push(EnumValue { name, value });
        }
        let base = match child(node, "baseType") {
            Some(base) => match self.type_in(base, level + 1)?.kind {
                TypeKind::Named(path) => Some(path),
                _ => None,
            },
            None => None,
        };
        Some(TypeKind::Enum { base, values })
    }

    /// The value in an element that holds one.
    fn value_in(&mut self, node: Node, level: u32) -> Option<Expr> {
        let value = elements(node).next()?;
        let span = self.span(value);
        if level > MAX_LEVELS {
            self.wrong(node, format!("values are nested more than {MAX_LEVELS} deep"), "");
            return None;
        }
        let kind = match value.tag_name().name() {
            "simpleValue" => return self.expression_of(value, "value"),
            "arrayValue" => {
                let mut all = Vec::new();
                for element in children(value, "value") {
                    let count = element.attribute("repetitionValue").and_then(|n| n.parse().ok());
                    let count = count.filter(|&n: &u128| n != 1).map(|value| {
                        let kind = LiteralKind::Int { negative: false, value, base: 10 };
                        let kind = ExprKind::Literal(Literal { ty: None, kind });
                        Expr { kind, span: self.span(element) }
                    });
                    let value = self.value_in(element, level + 1)?;
                    all.push(Element { count, values: vec![value] });
                }
                ExprKind::Array(all)
            }
            "structValue" => {
                let mut fields = Vec::new();
                for field in children(value, "value") {
                    let name = Some(self.name_of(field, "member")?);
                    fields.push(FieldValue { name, value: self.value_in(field, level + 1)? });
                }
                ExprKind::Struct(fields)
            }
            other => {
                self.wrong(value, format!("<{other}> is no value"), "");
                return None;
            }
        };
        Some(Expr { kind, span })
    }

    /// `<dataType name="…">`
    pub(super) fn data_type(&mut self, node: Node) -> Option<TypeDeclaration> {
        let name = self.name_of(node, "name")?;
        let ty = self.type_in(child(node, "baseType")?, 0)?;
        let initial = child(node, "initialValue").and_then(|value| self.value_in(value, 0));
        let span = self.span(node);
        Some(TypeDeclaration { name, extends: None, ty, initial, pragmas: Vec::new(), span })
    }
}

/// A path of one name.
pub(super) fn named(text: &str, span: Span) -> Path {
    Path::from(Name::new(text, span))
}

/// A type by its name.
pub(super) fn type_named(text: &str, span: Span) -> TypeSpec {
    TypeSpec { kind: TypeKind::Named(named(text, span)), span }
}
