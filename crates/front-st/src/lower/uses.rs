//! Which units others use: as types of variables, as bases, or by calling them.

use crate::ast::{
    Argument, Block, Body, CaseLabel, Expr, ExprKind, Pou, Stmt, StmtKind, TypeKind, TypeSpec,
    VariableSection,
};
use crate::types::PouId;
use crate::types::table::Table;
use rustc_hash::FxHashSet;

/// The units that some other unit uses.
pub(super) fn used(table: &Table<'_>) -> FxHashSet<PouId> {
    let mut uses = Uses { table, user: 0, used: FxHashSet::default() };
    for (id, pou) in table.pous.iter().enumerate().take(table.own) {
        uses.user = id;
        uses.pou(pou);
    }
    for declaration in &table.type_order {
        uses.user = usize::MAX;
        uses.spec(&declaration.ty);
    }
    uses.used
}

struct Uses<'t, 'a> {
    table: &'t Table<'a>,
    user: PouId,
    used: FxHashSet<PouId>,
}

impl Uses<'_, '_> {
    fn name(&mut self, key: &str) {
        if let Some(pou) = self.table.pou(key)
            && pou != self.user
        {
            self.used.insert(pou);
        }
    }

    fn pou(&mut self, pou: &Pou) {
        if let Some(base) = &pou.extends {
            self.name(&base.last().key);
        }
        self.sections(&pou.sections);
        self.body(&pou.body);
        for method in &pou.methods {
            self.sections(&method.sections);
            self.body(&method.body);
        }
        pou.actions.iter().for_each(|action| self.body(&action.body));
    }

    fn sections(&mut self, sections: &[VariableSection]) {
        for variables in sections.iter().flat_map(|section| &section.variables) {
            variables.ty.iter().for_each(|spec| self.spec(spec));
            variables.initial.iter().for_each(|expr| self.expr(expr));
        }
    }

    fn spec(&mut self, spec: &TypeSpec) {
        match &spec.kind {
            TypeKind::Named(path) => self.name(&path.last().key),
            TypeKind::Array { element, .. } | TypeKind::Pointer(_, element) => self.spec(element),
            TypeKind::Struct { fields, .. } | TypeKind::Union(fields) => {
                fields.iter().flat_map(|field| &field.ty).for_each(|spec| self.spec(spec));
            }
            _ => {}
        }
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Missing => {}
            Body::Code(block) => self.block(block),
            Body::Chart(chart) => {
                self.block(&chart.always);
                for action in chart.steps.iter().flat_map(|step| &step.actions) {
                    action.code.iter().for_each(|block| self.block(block));
                }
                chart.transitions.iter().for_each(|t| self.expr(&t.condition));
            }
        }
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Assign(target, _, value) => {
                self.expr(target);
                self.expr(value);
            }
            StmtKind::Expr(expr) | StmtKind::Claim(_, expr) => {
                if let ExprKind::Name(name) = &expr.kind {
                    self.name(&name.key);
                }
                self.expr(expr);
            }
            StmtKind::If(arms, otherwise) => {
                for (condition, block) in arms {
                    self.expr(condition);
                    self.block(block);
                }
                otherwise.iter().for_each(|block| self.block(block));
            }
            StmtKind::Case(selector, arms, otherwise) => {
                self.expr(selector);
                for arm in arms {
                    for label in &arm.labels {
                        match label {
                            CaseLabel::Value(expr) => self.expr(expr),
                            CaseLabel::Range(low, high) => {
                                self.expr(low);
                                self.expr(high);
                            }
                        }
                    }
                    self.block(&arm.body);
                }
                otherwise.iter().for_each(|block| self.block(block));
            }
            StmtKind::For { from, to, by, body, .. } => {
                [from, to].into_iter().chain(by).for_each(|expr| self.expr(expr));
                self.block(body);
            }
            StmtKind::While(condition, body) | StmtKind::Repeat(body, condition) => {
                self.expr(condition);
                self.block(body);
            }
            StmtKind::Region(_, body) => self.block(body),
            _ => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Call(callee, arguments) => {
                match &callee.kind {
                    ExprKind::Name(name) | ExprKind::Member(_, name) => self.name(&name.key),
                    _ => {}
                }
                self.expr(callee);
                for argument in arguments {
                    match argument {
                        Argument::Positional(expr)
                        | Argument::Input(_, Some(expr))
                        | Argument::Output(_, _, Some(expr)) => self.expr(expr),
                        _ => {}
                    }
                }
            }
            ExprKind::Member(base, _)
            | ExprKind::Part(base, ..)
            | ExprKind::PartAt(base, ..)
            | ExprKind::Deref(base) => {
                self.expr(base);
            }
            ExprKind::Index(base, indices) => {
                self.expr(base);
                indices.iter().for_each(|index| self.expr(index));
            }
            ExprKind::Unary(_, operand) => self.expr(operand),
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Array(elements) => {
                elements.iter().flat_map(|e| &e.values).for_each(|value| self.expr(value));
            }
            ExprKind::Struct(fields) => fields.iter().for_each(|field| self.expr(&field.value)),
            _ => {}
        }
    }
}
