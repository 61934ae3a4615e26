//! Sections of variables and types as text.

use super::Printer;
use crate::ast::{
    Dimension, Direct, Edge, Retention, TypeDeclaration, TypeKind, TypeSpec, VariableKind,
    VariableSection, Variables,
};
use std::fmt::Write;

impl Printer {
    pub(super) fn section(&mut self, section: &VariableSection) {
        self.begin();
        self.push(section.kind.keyword());
        for pragma in &section.pragmas {
            let _ = write!(self.out, " {{{}}}", pragma.text);
        }
        self.push(if section.constant { " CONSTANT" } else { "" });
        self.push(match section.retention {
            Retention::Unsaid => "",
            Retention::Retain => " RETAIN",
            Retention::NonRetain => " NON_RETAIN",
            Retention::Persistent => " PERSISTENT",
            Retention::RetainPersistent => " RETAIN PERSISTENT",
        });
        if let Some(access) = section.access {
            let _ = write!(self.out, " {}", access.keyword());
        }
        self.push("\n");
        self.fields(section.kind, &section.variables);
        self.line("END_VAR");
    }

    fn fields(&mut self, kind: VariableKind, fields: &[Variables]) {
        self.inner(|p| fields.iter().for_each(|variables| p.variables(kind, variables)));
    }

    fn variables(&mut self, kind: VariableKind, variables: &Variables) {
        self.pragmas(&variables.pragmas);
        self.begin();
        for name in &variables.path {
            self.name(name);
            self.push(".");
        }
        self.list(&variables.names, Printer::name);
        if let Some(location) = &variables.location {
            self.push(if variables.names.is_empty() { "AT " } else { " AT " });
            self.direct(location);
        }
        if let Some(other) = &variables.overlays {
            self.push(" AT ");
            self.name(other);
        }
        if let (VariableKind::Access, Some((place, _))) = (kind, &variables.access) {
            self.push(" : ");
            self.expr(place);
        }
        if let Some(ty) = &variables.ty {
            self.push(" : ");
            self.ty(ty);
        }
        self.push(match variables.edge {
            None => "",
            Some(Edge::Rising) => " R_EDGE",
            Some(Edge::Falling) => " F_EDGE",
        });
        if let Some(initial) = &variables.initial {
            self.push(" := ");
            self.expr(initial);
        }
        if let Some((_, true)) = variables.access {
            self.push(" READ_WRITE");
        }
        self.push(";\n");
    }

    pub(super) fn direct(&mut self, direct: &Direct) {
        let _ = write!(self.out, "%{}", direct.area);
        if let Some(size) = direct.size {
            self.out.push(size);
        }
        if direct.address.is_empty() {
            self.push("*");
        }
        for (index, number) in direct.address.iter().enumerate() {
            let _ = write!(self.out, "{}{number}", if index > 0 { "." } else { "" });
        }
    }

    pub(super) fn types(&mut self, types: &[TypeDeclaration]) {
        self.line("TYPE");
        self.inner(|p| {
            for declaration in types {
                p.pragmas(&declaration.pragmas);
                p.begin();
                p.name(&declaration.name);
                if let Some(base) = &declaration.extends {
                    p.push(" EXTENDS ");
                    p.path(base);
                }
                p.push(" : ");
                p.ty(&declaration.ty);
                if let Some(initial) = &declaration.initial {
                    p.push(" := ");
                    p.expr(initial);
                }
                p.push(";\n");
            }
        });
        self.line("END_TYPE");
    }

    pub(super) fn ty(&mut self, ty: &TypeSpec) {
        match &ty.kind {
            TypeKind::Named(path) => self.path(path),
            TypeKind::String { wide, length } => {
                self.push(if *wide { "WSTRING[" } else { "STRING[" });
                self.expr(length);
                self.push("]");
            }
            TypeKind::Array { dimensions, element } => {
                self.push("ARRAY[");
                self.list(dimensions, |p, dimension| match dimension {
                    Dimension::Range(low, high) => {
                        p.expr(low);
                        p.push("..");
                        p.expr(high);
                    }
                    Dimension::Open => p.push("*"),
                    Dimension::Type(index) => p.expr(index),
                });
                self.push("] OF ");
                self.ty(element);
            }
            TypeKind::Subrange { base, low, high } => {
                self.path(base);
                self.push("(");
                self.expr(low);
                self.push("..");
                self.expr(high);
                self.push(")");
            }
            TypeKind::Enum { base, values } => {
                self.push("(");
                self.list(values, |p, value| {
                    p.name(&value.name);
                    if let Some(number) = &value.value {
                        p.push(" := ");
                        p.expr(number);
                    }
                });
                self.push(")");
                if let Some(base) = base {
                    self.push(" ");
                    self.path(base);
                }
            }
            TypeKind::Struct { overlap, fields } => {
                self.push(if *overlap { "STRUCT OVERLAP\n" } else { "STRUCT\n" });
                self.fields(VariableKind::Local, fields);
                self.begin();
                self.push("END_STRUCT");
            }
            TypeKind::Union(fields) => {
                self.push("UNION\n");
                self.fields(VariableKind::Local, fields);
                self.begin();
                self.push("END_UNION");
            }
            TypeKind::Pointer(pointer, target) => {
                let _ = write!(self.out, "{} ", pointer.keyword());
                self.ty(target);
            }
            TypeKind::Variadic { sized, element } => {
                self.push(if *sized { "{sized} " } else { "" });
                self.ty(element);
                self.push("...");
            }
        }
    }
}
