//! Whether an expression is a truth value, as far as declarations tell: what `AND` joins may be words.

use crate::ast::{BinaryOp, Expr, ExprKind, LiteralKind, PartWidth, UnaryOp};
use crate::ast::{Path, TypeKind, TypeSpec, VariableSection, Variables};
use crate::types::PouId;
use crate::types::table::Table;

/// How many names may stand for one another.
const MOST_NAMES: usize = 10;

/// Code, and what its names mean.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) table: &'a Table<'a>,
    /// The unit that the code belongs to.
    pub(super) owner: PouId,
    /// Variables of the code alone.
    pub(super) sections: &'a [VariableSection],
    /// The type of what the code returns, under its name.
    pub(super) result: Option<(&'a str, &'a TypeSpec)>,
}

impl<'a> Scope<'a> {
    /// Whether an expression compares, has a Boolean operator, or is a variable or result of type `BOOL`.
    pub(super) fn is_truth(&self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Literal(literal) => matches!(literal.kind, LiteralKind::Bool(_)),
            ExprKind::Part(_, width, _) | ExprKind::PartAt(_, width, _) => *width == PartWidth::Bit,
            ExprKind::Direct(direct) => matches!(direct.size, None | Some('X')),
            _ => self.is_decided(expr) || self.declared(expr).is_some_and(|ty| self.is_bool(ty)),
        }
    }

    /// Whether an expression compares or has a Boolean operator.
    pub(super) fn is_decided(&self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => self.is_truth(operand),
            ExprKind::Binary(op, left, right) => match op {
                BinaryOp::Lt
                | BinaryOp::Gt
                | BinaryOp::Le
                | BinaryOp::Ge
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::AndThen
                | BinaryOp::OrElse
                | BinaryOp::Implies => true,
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                    self.is_truth(left) || self.is_truth(right)
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn is_bool(&self, ty: &'a TypeSpec) -> bool {
        let mut ty = ty;
        for _ in 0..MOST_NAMES {
            let TypeKind::Named(path) = &ty.kind else { return false };
            if path.last().is("bool") {
                return true;
            }
            let Some(declared) = self.table.types.get(&path.last().key) else { return false };
            ty = &declared.ty;
        }
        false
    }

    /// The type that an expression is declared with.
    fn declared(&self, expr: &'a Expr) -> Option<&'a TypeSpec> {
        match &expr.kind {
            ExprKind::Name(name) => self.variable(&name.key),
            ExprKind::Global(name) => self.global(&name.key),
            ExprKind::Member(base, name) => match &base.kind {
                ExprKind::Name(unit) if self.variable(&unit.key).is_none() => {
                    self.of_unit(self.table.pou(&unit.key)?, &name.key)
                }
                ExprKind::Deref(this) if matches!(this.kind, ExprKind::This) => {
                    self.of_unit(self.owner, &name.key)
                }
                ExprKind::This => self.of_unit(self.owner, &name.key),
                _ => self.member(self.declared(base)?, &name.key, 0),
            },
            ExprKind::Index(base, _) => match &self.declared(base)?.kind {
                TypeKind::Array { element, .. } => Some(element),
                TypeKind::Named(path) => match &self.named(path)?.kind {
                    TypeKind::Array { element, .. } => Some(element),
                    _ => None,
                },
                _ => None,
            },
            ExprKind::Deref(base) => match &self.declared(base)?.kind {
                TypeKind::Pointer(_, to) => Some(to),
                _ => None,
            },
            ExprKind::Call(callee, _) => match &callee.kind {
                ExprKind::Name(name) => {
                    let unit = self.table.pou(&name.key).map(|unit| self.table.pous[unit]);
                    unit.and_then(|unit| unit.result.as_ref())
                        .or_else(|| self.table.method(self.owner, &name.key)?.1.result.as_ref())
                }
                ExprKind::Member(..) => self.declared(callee),
                _ => None,
            },
            _ => None,
        }
    }

    fn variable(&self, key: &str) -> Option<&'a TypeSpec> {
        let result = self.result.filter(|(name, _)| *name == key).map(|(_, ty)| ty);
        let own = || in_sections(self.sections, key);
        let of_unit = || self.of_unit(self.owner, key);
        result.or_else(own).or_else(of_unit).or_else(|| self.global(key))
    }

    fn global(&self, key: &str) -> Option<&'a TypeSpec> {
        let sections = self.table.globals.iter();
        sections.into_iter().find_map(|(_, section)| in_section(section, key))
    }

    /// A variable, property or method of a unit, or of what it inherits from.
    fn of_unit(&self, unit: PouId, key: &str) -> Option<&'a TypeSpec> {
        let line = self.table.ancestry(unit);
        let variable = line.iter().find_map(|of| in_sections(&self.table.pous[*of].sections, key));
        let property = || self.table.property(unit, key).map(|(_, property)| &property.ty);
        variable.or_else(property).or_else(|| self.table.method(unit, key)?.1.result.as_ref())
    }

    /// A field of a structure, or a variable of an instance, of a type that others stand for; a circle of
    /// them ends.
    fn member(&self, of: &'a TypeSpec, key: &str, depth: usize) -> Option<&'a TypeSpec> {
        match &of.kind {
            _ if depth > MOST_NAMES => None,
            TypeKind::Struct { fields, .. } | TypeKind::Union(fields) => in_variables(fields, key),
            TypeKind::Pointer(_, to) => self.member(to, key, depth + 1),
            TypeKind::Named(path) => match self.named(path) {
                Some(ty) => self.member(ty, key, depth + 1),
                None => self.of_unit(self.table.pou_of(path)?, key),
            },
            _ => None,
        }
    }

    fn named(&self, path: &Path) -> Option<&'a TypeSpec> {
        self.table.types.get(&path.last().key).map(|declared| &declared.ty)
    }
}

fn in_sections<'a>(sections: &'a [VariableSection], key: &str) -> Option<&'a TypeSpec> {
    sections.iter().find_map(|section| in_section(section, key))
}

fn in_section<'a>(section: &'a VariableSection, key: &str) -> Option<&'a TypeSpec> {
    in_variables(&section.variables, key)
}

fn in_variables<'a>(all: &'a [Variables], key: &str) -> Option<&'a TypeSpec> {
    let found = all.iter().find(|variables| variables.names.iter().any(|name| name.is(key)));
    found?.ty.as_ref()
}
