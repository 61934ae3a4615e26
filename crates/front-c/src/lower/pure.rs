//! Functions that only read: how often they are called makes no difference.
//!
//! Such a function assigns to nothing but its own automatic objects, by their names, and calls others of
//! the kind. What is not seen to be harmless is not.

use super::Lowerer;
use crate::typed::{Callee, ExprId, ExprKind, FunctionId, InitValue, StmtId, StmtKind, Storage};
use rustc_hash::FxHashSet;

/// Functions of the library that only read.
const READING: [&str; 13] = [
    "memcmp",
    "memchr",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strchr",
    "strrchr",
    "strstr",
    "abs",
    "labs",
];

/// What is still to be looked at.
#[derive(Default)]
struct Open {
    functions: Vec<FunctionId>,
    statements: Vec<StmtId>,
    expressions: Vec<ExprId>,
}

impl Lowerer<'_> {
    /// Whether a function, and all that it calls, only reads.
    pub(super) fn only_reads(&self, function: FunctionId) -> bool {
        self.all_read(Open { functions: vec![function], ..Open::default() })
    }

    /// Whether the evaluation of an expression only reads. That of a quantifier restores its
    /// variable.
    pub(super) fn formula_reads(&self, root: ExprId) -> bool {
        let mut functions = Vec::new();
        let mut todo = vec![root];
        while let Some(expr) = todo.pop() {
            let kind = &self.c.exprs[expr].kind;
            match kind {
                ExprKind::Assign(..)
                | ExprKind::CompoundAssign { .. }
                | ExprKind::PointerAssign { .. }
                | ExprKind::StmtExpr(..)
                | ExprKind::Builtin(..)
                | ExprKind::VaArg(_)
                | ExprKind::WithLengths(..)
                | ExprKind::Call(Callee::Pointer(_), _) => return false,
                ExprKind::Call(Callee::Function(function), _)
                    if self.c.quantifier_call(expr).is_none() =>
                {
                    functions.push(*function);
                }
                _ => {}
            }
            self.c.operands(kind, &mut todo);
        }
        self.all_read(Open { functions, ..Open::default() })
    }

    fn all_read(&self, mut open: Open) -> bool {
        let mut seen = FxHashSet::default();
        loop {
            if let Some(expr) = open.expressions.pop() {
                if !self.expression_reads(expr, &mut open) {
                    return false;
                }
            } else if let Some(statement) = open.statements.pop() {
                if !self.statement_reads(statement, &mut open) {
                    return false;
                }
            } else if let Some(function) = open.functions.pop() {
                let function = self.resolve(function);
                let entry = &self.c.functions[function];
                match entry.body {
                    Some(body) if seen.insert(function) => open.statements.push(body),
                    Some(_) => {}
                    None if READING.contains(&self.symbol_name(entry.name)) => {}
                    None => return false,
                }
            } else {
                return true;
            }
        }
    }

    fn statement_reads(&self, statement: StmtId, open: &mut Open) -> bool {
        match &self.c.stmts[statement].kind {
            StmtKind::Empty
            | StmtKind::Case(..)
            | StmtKind::Default
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Continue
            | StmtKind::Break => {}
            StmtKind::Expr(value) => open.expressions.push(*value),
            StmtKind::Return(value) => open.expressions.extend(value),
            StmtKind::Declare(_, init) => {
                let entries = init.iter().flat_map(|init| &self.c.inits[*init].entries);
                open.expressions.extend(entries.filter_map(|entry| match entry.value {
                    InitValue::Expr(value) => Some(value),
                    _ => None,
                }));
            }
            StmtKind::Block(statements) => open.statements.extend(statements),
            StmtKind::If(arms, otherwise) => {
                open.expressions.extend(arms.iter().map(|arm| arm.0));
                open.statements.extend(arms.iter().map(|arm| arm.1).chain(*otherwise));
            }
            StmtKind::Switch(value, body)
            | StmtKind::While(value, body)
            | StmtKind::DoWhile(body, value) => {
                open.expressions.push(*value);
                open.statements.push(*body);
            }
            StmtKind::For { init, condition, step, body } => {
                open.expressions.extend(condition.iter().chain(step));
                open.statements.extend(init.iter().chain([body]));
            }
            StmtKind::EvaluateLengths(_)
            | StmtKind::Asm(_)
            | StmtKind::Claim(..)
            | StmtKind::Assertion(_)
            | StmtKind::Unsupported(_) => return false,
        }
        true
    }

    fn expression_reads(&self, expr: ExprId, open: &mut Open) -> bool {
        let kind = &self.c.exprs[expr].kind;
        self.c.operands(kind, &mut open.expressions);
        match kind {
            ExprKind::Assign(place, _)
            | ExprKind::CompoundAssign { place, .. }
            | ExprKind::PointerAssign { place, .. } => {
                let object = self.c.root(*place);
                return object.is_some_and(|o| self.c.objects[o].storage == Storage::Automatic);
            }
            ExprKind::Call(..) if self.c.quantifier_call(expr).is_some() => {}
            ExprKind::Call(Callee::Function(function), _) => open.functions.push(*function),
            ExprKind::StmtExpr(statement, value) => {
                open.statements.push(*statement);
                open.expressions.extend(value);
            }
            ExprKind::Call(..)
            | ExprKind::Builtin(..)
            | ExprKind::VaArg(_)
            | ExprKind::WithLengths(..) => return false,
            _ => {}
        }
        true
    }
}
