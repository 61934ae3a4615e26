//! The types of values in diagrams, as far as names tell them: a value that goes to several places
//! needs a variable, and the variable a type.

use super::interface::type_named;
use crate::ast::{
    Argument, BinaryOp, Expr, ExprKind, LiteralKind, Pou, PouKind, TypeKind, TypeSpec, UnaryOp,
    VariableKind, VariableSection,
};
use rustc_hash::FxHashMap;
use source::Span;
use std::rc::Rc;

/// Types by names in small letters.
type Types = FxHashMap<Box<str>, TypeSpec>;

/// What is known of the units of a project, and of the variables of one of them.
#[derive(Clone, Default)]
pub(super) struct Known {
    project: Rc<Project>,
    variables: Types,
}

/// The units of a project.
#[derive(Default)]
struct Project {
    /// Functions and their results.
    functions: FxHashMap<Box<str>, Option<TypeSpec>>,
    /// Function blocks: their variables, and which of them are outputs.
    blocks: FxHashMap<Box<str>, (Types, Vec<Box<str>>)>,
}

/// Functions of the standard whose result is a `BOOL`.
const COMPARISONS: [&str; 6] = ["gt", "ge", "eq", "le", "lt", "ne"];

/// Functions of the standard whose result has the type of their last arguments.
const SAME: [&str; 33] = [
    "and", "or", "xor", "not", "add", "sub", "mul", "div", "mod", "expt", "move", "abs", "sqrt",
    "ln", "log", "exp", "sin", "cos", "tan", "asin", "acos", "atan", "sel", "mux", "max", "min",
    "limit", "shl", "shr", "rol", "ror", "concat", "neg",
];

/// Other functions of the standard that diagrams use.
const OTHERS: [&str; 11] = [
    "len", "find", "left", "right", "mid", "insert", "delete", "replace", "trunc", "round", "floor",
];

impl Known {
    pub(super) fn of<'p>(pous: impl Iterator<Item = &'p Pou>) -> Known {
        let mut known = Project::default();
        for pou in pous {
            let key: Box<str> = (*pou.name.key).into();
            match pou.kind {
                PouKind::Function => {
                    known.functions.insert(key, pou.result.clone());
                }
                _ => {
                    let variables = variables(&pou.sections);
                    let outputs = pou.sections.iter().filter(|s| s.kind == VariableKind::Output);
                    let outputs = outputs.flat_map(|s| &s.variables).flat_map(|v| &v.names);
                    let outputs = outputs.map(|name| (*name.key).into()).collect();
                    known.blocks.insert(key, (variables, outputs));
                }
            }
        }
        Known { project: Rc::new(known), variables: Types::default() }
    }

    /// The same, within a unit.
    pub(super) fn with_variables(&self, sections: &[VariableSection]) -> Known {
        Known { variables: variables(sections), project: self.project.clone() }
    }

    pub(super) fn variable(&self, key: &str) -> Option<&TypeSpec> {
        self.variables.get(key)
    }

    /// Whether a block of a diagram with this type is a call of a function.
    pub(super) fn is_function(&self, key: &str) -> bool {
        if self.project.blocks.contains_key(key) {
            return false;
        }
        self.project.functions.contains_key(key)
            || COMPARISONS.contains(&key)
            || SAME.contains(&key)
            || OTHERS.contains(&key)
            || key.contains("_to_")
            || key.starts_with("to_")
    }

    /// Whether a pin of a block is an output.
    pub(super) fn is_output(&self, block: &str, pin: &str) -> bool {
        if let Some((_, outputs)) = self.project.blocks.get(block) {
            return outputs.iter().any(|output| **output == *pin);
        }
        matches!(
            pin,
            "out" | "out1" | "q" | "q1" | "qu" | "qd" | "et" | "cv" | "eno" | "cdt" | "busy"
        )
    }

    /// The type of an instance's variable.
    fn pin(&self, block: &str, pin: &str, span: Span) -> Option<TypeSpec> {
        if let Some((variables, _)) = self.project.blocks.get(block) {
            return variables.get(pin).cloned();
        }
        let name = match pin {
            "q" | "q1" | "qu" | "qd" | "eno" => "BOOL",
            "et" | "pt" => "TIME",
            "cv" | "pv" => match block.rsplit_once('_').map(|(_, suffix)| suffix) {
                Some("dint") => "DINT",
                Some("lint") => "LINT",
                Some("udint") => "UDINT",
                Some("ulint") => "ULINT",
                _ => "INT",
            },
            _ => return None,
        };
        Some(type_named(name, span))
    }

    /// The type of an expression.
    pub(super) fn type_of(&self, expr: &Expr) -> Option<TypeSpec> {
        let named = |name: &str| Some(type_named(name, expr.span));
        match &expr.kind {
            ExprKind::Name(name) => self.variables.get(&*name.key).cloned(),
            ExprKind::Literal(literal) => match (&literal.ty, &literal.kind) {
                (Some(ty), _) => named(&ty.text),
                (None, LiteralKind::Bool(_)) => named("BOOL"),
                (None, LiteralKind::Time { long, .. }) => {
                    named(if *long { "LTIME" } else { "TIME" })
                }
                _ => None,
            },
            ExprKind::Unary(UnaryOp::Not | UnaryOp::Minus | UnaryOp::Plus, operand) => {
                self.type_of(operand)
            }
            ExprKind::Binary(op, left, right) => match op {
                BinaryOp::Lt
                | BinaryOp::Gt
                | BinaryOp::Le
                | BinaryOp::Ge
                | BinaryOp::Eq
                | BinaryOp::Ne => named("BOOL"),
                _ => self.type_of(left).or_else(|| self.type_of(right)),
            },
            ExprKind::Member(base, field) => {
                let ExprKind::Name(instance) = &base.kind else { return None };
                let ty = self.variables.get(&*instance.key)?;
                let TypeKind::Named(path) = &ty.kind else { return None };
                self.pin(&path.last().key, &field.key, expr.span)
            }
            ExprKind::Call(callee, arguments) => {
                let ExprKind::Name(name) = &callee.kind else { return None };
                self.result(&name.key, arguments, expr.span)
            }
            _ => None,
        }
    }

    /// The type of what a function gives for these arguments.
    pub(super) fn result(&self, key: &str, arguments: &[Argument], span: Span) -> Option<TypeSpec> {
        if let Some(result) = self.project.functions.get(key) {
            return result.clone();
        }
        if COMPARISONS.contains(&key) {
            return Some(type_named("BOOL", span));
        }
        if let Some(target) =
            key.strip_prefix("to_").or_else(|| key.rsplit_once("_to_").map(|p| p.1))
        {
            return Some(type_named(&target.to_uppercase(), span));
        }
        if matches!(key, "len" | "find") {
            return Some(type_named("INT", span));
        }
        if !SAME.contains(&key) && !OTHERS.contains(&key) {
            return None;
        }
        let mut values: Vec<&Expr> = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Positional(value) | Argument::Input(_, Some(value)) => values.push(value),
                _ => {}
            }
        }
        // What selects comes first; the number of places of a shift and an exponent last.
        let first = usize::from(matches!(key, "sel" | "mux"));
        let last = match key {
            "shl" | "shr" | "rol" | "ror" | "expt" | "left" | "right" | "mid" | "delete" => {
                first + 1
            }
            _ => values.len(),
        };
        let range = first.min(values.len())..last.min(values.len()).max(first.min(values.len()));
        values[range].iter().find_map(|value| self.type_of(value))
    }

    /// Makes a variable known that was added.
    pub(super) fn add(&mut self, key: &str, ty: TypeSpec) {
        self.variables.insert(key.into(), ty);
    }
}

fn variables(sections: &[VariableSection]) -> Types {
    let mut types = Types::default();
    for variables in sections.iter().flat_map(|section| &section.variables) {
        for name in &variables.names {
            if let Some(ty) = &variables.ty {
                types.insert((*name.key).into(), ty.clone());
            }
        }
    }
    types
}
