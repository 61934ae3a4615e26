//! Finds what there is to cover in a typed program.

use super::{Known, Sites};
use crate::constant::Constant;
use crate::source::{SourceMap, Span};
use crate::typed::{
    ArithOp, BinaryOp, Callee, Conversion, ExprId, ExprKind, FunctionId, InitValue, Program,
    StmtId, StmtKind,
};
use crate::types::Type;
use program::Place;
use program::coverage::{
    Bitwise, Condition, Decision, Function, Label, MAX_CONDITIONS, Map, Point, PointKind, Role,
    Spot, StatementKind, Tree, shortened,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What there is to cover, and where the lowerer meets it. Run it on a deep stack.
pub(crate) fn collect(
    program: &Program,
    sources: &SourceMap,
    place: &mut dyn FnMut(Span) -> Place,
) -> (Map, Sites) {
    let (map, sites) = (Map::default(), Sites::default());
    let seen = FxHashSet::default();
    let mut walk = Walk {
        program,
        sources,
        place,
        map,
        sites,
        function: 0,
        switches: Vec::new(),
        count: 0,
        seen,
    };
    let mut functions: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    functions.retain(|id| {
        let function = &program.functions[*id];
        function.body.is_some() && !sources.in_system_header(function.span)
    });
    functions.sort_by_key(|id| program.functions[*id].span.start);
    for id in functions {
        walk.function(id);
    }
    (walk.map, walk.sites)
}

struct Walk<'w> {
    program: &'w Program,
    sources: &'w SourceMap,
    place: &'w mut dyn FnMut(Span) -> Place,
    map: Map,
    sites: Sites,
    /// The function at hand.
    function: usize,
    /// The switches that are open: their numbers in the function, and the points of their labels.
    switches: Vec<Open>,
    /// How many switches the function has so far.
    count: usize,
    /// Expressions that were walked.
    seen: FxHashSet<ExprId>,
}

/// A `switch` whose body is walked.
struct Open {
    number: usize,
    cases: Vec<usize>,
    default: Option<usize>,
}

impl Walk<'_> {
    fn function(&mut self, id: FunctionId) {
        let function = &self.program.functions[id];
        let Some(body) = function.body else { return };
        let name: Arc<str> = self.program.symbols.name(function.name).into();
        let place = (self.place)(function.span);
        self.function = self.map.functions.len();
        self.count = 0;
        self.map.functions.push(Function { name, place, used: false });
        let entry = self.point(function.span, PointKind::Entry);
        self.sites.entries.insert(id, entry);
        self.statement(body);
    }

    fn spot(&mut self, span: Span) -> Spot {
        let in_macro = self.sources.macro_of(span).map(Arc::from);
        Spot { place: (self.place)(span), function: self.function, in_macro }
    }

    fn point(&mut self, span: Span, kind: PointKind) -> usize {
        let spot = self.spot(span);
        self.map.points.push(Point { spot, kind, counts: true });
        self.map.points.len() - 1
    }

    fn statement(&mut self, id: StmtId) {
        let statement = &self.program.stmts[id];
        if let Some(kind) = self.kind_of(&statement.kind) {
            let point = self.point(statement.span, PointKind::Statement(kind));
            self.sites.statements.insert(id, point);
        }
        match &statement.kind {
            StmtKind::Expr(value) | StmtKind::Return(Some(value)) => self.expression(*value),
            StmtKind::Declare(_, Some(init)) => {
                for entry in &self.program.inits[*init].entries {
                    if let InitValue::Expr(value) = entry.value {
                        self.expression(value);
                    }
                }
            }
            StmtKind::EvaluateLengths(lengths) => {
                lengths.iter().for_each(|vla| self.expression(self.program.vlas[*vla].length));
            }
            StmtKind::Block(statements) => statements.iter().for_each(|s| self.statement(*s)),
            StmtKind::If(arms, otherwise) => {
                for (condition, branch) in arms {
                    self.control(*condition, Role::If);
                    self.statement(*branch);
                }
                otherwise.iter().for_each(|s| self.statement(*s));
            }
            StmtKind::Switch(value, body) => self.switch(id, *value, *body),
            StmtKind::While(condition, body) => {
                self.control(*condition, Role::Loop);
                self.statement(*body);
            }
            StmtKind::DoWhile(body, condition) => {
                self.statement(*body);
                self.control(*condition, Role::Loop);
            }
            StmtKind::For { init, condition, step, body } => {
                init.iter().for_each(|s| self.statement(*s));
                condition.iter().for_each(|c| self.control(*c, Role::Loop));
                step.iter().for_each(|s| self.expression(*s));
                self.statement(*body);
            }
            StmtKind::Case(..) => self.label(statement.span),
            StmtKind::Default => {
                if let Some(number) = self.switches.last().map(|open| open.number) {
                    let label = Label::Default { written: true };
                    let kind = PointKind::Label { selection: number, label };
                    let point = self.point(statement.span, kind);
                    self.switches.iter_mut().last().expect("it is open").default = Some(point);
                }
            }
            StmtKind::Asm(asm) => {
                asm.inputs.iter().for_each(|(_, value)| self.expression(*value));
            }
            StmtKind::Empty
            | StmtKind::Declare(_, None)
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Return(None)
            | StmtKind::Claim(..)
            | StmtKind::Assertion(_)
            | StmtKind::Unsupported(_) => {}
        }
    }

    /// What a statement counts as, if it does.
    fn kind_of(&self, kind: &StmtKind) -> Option<StatementKind> {
        Some(match kind {
            StmtKind::Expr(_) => StatementKind::Expression,
            StmtKind::Declare(object, Some(_))
                if self.program.objects[*object].storage == crate::typed::Storage::Automatic =>
            {
                StatementKind::Declaration
            }
            StmtKind::If(..) => StatementKind::If,
            StmtKind::Switch(..) => StatementKind::Switch,
            StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For { .. } => {
                StatementKind::Loop
            }
            StmtKind::Goto(_) | StmtKind::Continue | StmtKind::Break => StatementKind::Jump,
            StmtKind::Return(_) => StatementKind::Return,
            StmtKind::Asm(_) => StatementKind::Assembly,
            _ => return None,
        })
    }

    fn switch(&mut self, id: StmtId, value: ExprId, body: StmtId) {
        self.expression(value);
        self.count += 1;
        self.switches.push(Open { number: self.count, cases: Vec::new(), default: None });
        self.statement(body);
        let Some(open) = self.switches.pop() else { return };
        let default = open.default.unwrap_or_else(|| {
            let label = Label::Default { written: false };
            let kind = PointKind::Label { selection: open.number, label };
            self.point(self.program.stmts[id].span, kind)
        });
        let labels = open.cases.into_iter().chain([default]).collect();
        self.sites.labels.insert(id, labels);
    }

    fn label(&mut self, span: Span) {
        let text = shortened(self.sources.snippet(span));
        let text = text.strip_prefix("case").unwrap_or(&text).trim_end_matches(':').trim();
        let text: Arc<str> = text.into();
        let Some(open) = self.switches.last() else { return };
        let (selection, number) = (open.number, open.cases.len());
        let kind = PointKind::Label { selection, label: Label::Case(number, text) };
        let point = self.point(span, kind);
        if let Some(open) = self.switches.last_mut() {
            open.cases.push(point);
        }
    }

    /// An expression that control depends on.
    fn control(&mut self, condition: ExprId, role: Role) {
        self.decision(condition, role);
    }

    /// An expression, with all that is in it.
    fn expression(&mut self, root: ExprId) {
        let mut todo = vec![root];
        while let Some(expr) = todo.pop() {
            if !self.seen.insert(expr) {
                continue;
            }
            if self.is_truth(expr, false) {
                self.decision(expr, Role::Value);
                continue;
            }
            self.inside(expr, &mut todo);
        }
    }

    /// What is directly in an expression that is no decision.
    fn inside(&mut self, expr: ExprId, todo: &mut Vec<ExprId>) {
        let entry = &self.program.exprs[expr];
        match &entry.kind {
            ExprKind::Conditional(condition, then, otherwise) => {
                self.control(*condition, Role::Conditional);
                // From left to right, as they are popped.
                todo.extend([*otherwise, *then]);
            }
            ExprKind::Elvis { value, condition, then, otherwise } => {
                self.expression(*value);
                self.control(*condition, Role::Conditional);
                todo.extend([*otherwise, *then]);
            }
            ExprKind::StmtExpr(statement, value) => {
                self.statement(*statement);
                todo.extend(value);
            }
            ExprKind::Quantified(_) => {}
            kind => {
                if let ExprKind::Call(callee, _) = kind {
                    let name = |function: &FunctionId| {
                        let function = &self.program.functions[*function];
                        Arc::from(self.program.symbols.name(function.name))
                    };
                    let name = match callee {
                        Callee::Function(function) => Some(name(function)),
                        Callee::Pointer(_) => None,
                    };
                    let point = self.point(entry.span, PointKind::Call(name));
                    self.sites.calls.insert(expr, point);
                }
                let before = todo.len();
                self.program.operands(kind, todo);
                todo[before..].reverse();
            }
        }
    }

    /// Adds a decision, and what is within its conditions.
    fn decision(&mut self, root: ExprId, role: Role) {
        if self.sites.decisions.contains_key(&root) {
            return;
        }
        let mut found = Vec::new();
        let tree = self.tree(root, None, &mut found);
        let tree = if found.len() > MAX_CONDITIONS {
            found = vec![(root, None)];
            Tree::Condition(0)
        } else {
            tree
        };
        let number = self.map.decisions.len();
        let spot = self.spot(self.program.exprs[root].span);
        let conditions = found.iter().map(|(expr, operator)| self.condition(*expr, *operator));
        let conditions = conditions.collect();
        self.map.decisions.push(Decision {
            spot,
            role,
            tree,
            conditions,
            seen: None,
            counts: true,
        });
        let conditions: Vec<ExprId> = found.into_iter().map(|(expr, _)| expr).collect();
        for &condition in &conditions {
            // A comparison that is a condition is no decision of its own.
            let core = self.core(condition);
            self.seen.extend([condition, core]);
            let mut todo = Vec::new();
            self.inside(core, &mut todo);
            todo.into_iter().rev().for_each(|expr| self.expression(expr));
        }
        self.sites.decisions.insert(root, Known { number, conditions });
    }

    fn condition(&mut self, expr: ExprId, operator: Option<&'static str>) -> Condition {
        let span = self.program.exprs[expr].span;
        let known = self.program.constants.get(expr).filter(|known| known.strict);
        let known = known.map(|known| known.value);
        let constant = match known {
            Some(Constant::Int(bits)) => Some(bits != 0),
            _ => match self.program.exprs[expr].kind {
                ExprKind::Int(bits) => Some(bits != 0),
                _ => None,
            },
        };
        let text = shortened(self.sources.snippet(span)).into();
        Condition { spot: self.spot(span), text, operator, constant }
    }

    /// How an expression is made of conditions, which are added.
    fn tree(
        &mut self,
        expr: ExprId,
        operator: Option<&'static str>,
        found: &mut Vec<(ExprId, Option<&'static str>)>,
    ) -> Tree {
        let core = self.core(expr);
        match self.program.exprs[core].kind {
            ExprKind::Not(operand) => {
                Tree::Not(Box::new(self.tree(operand, operator.or(Some("!")), found)))
            }
            ExprKind::Logical { and, .. } => {
                let mut operands = Vec::new();
                let mut next = core;
                // Left operands of the same operator, which may be many.
                while let ExprKind::Logical { and: same, left, right } =
                    self.program.exprs[next].kind
                    && same == and
                {
                    operands.push(right);
                    next = self.core(left);
                }
                operands.push(next);
                let word = if and { "&&" } else { "||" };
                let operands = operands.into_iter().rev();
                let operands = operands.map(|operand| self.tree(operand, Some(word), found));
                let operands = operands.collect();
                if and { Tree::And(operands) } else { Tree::Or(operands) }
            }
            ExprKind::Binary(BinaryOp::Arith(op), left, right) if self.is_truth(core, true) => {
                let (bitwise, word) = match op {
                    ArithOp::BitAnd => (Bitwise::And, "&"),
                    ArithOp::BitOr => (Bitwise::Or, "|"),
                    _ => (Bitwise::Xor, "^"),
                };
                let operands = [left, right].map(|operand| self.tree(operand, Some(word), found));
                Tree::Bitwise(bitwise, operands.into())
            }
            _ => {
                found.push((expr, operator));
                Tree::Condition(found.len() - 1)
            }
        }
    }

    /// The expression, without conversions that leave a truth value one.
    fn core(&self, expr: ExprId) -> ExprId {
        let mut core = expr;
        while let ExprKind::Convert(how, operand) = self.program.exprs[core].kind
            && keeps_truth(how)
        {
            core = operand;
        }
        if self.is_truth(core, false) { core } else { expr }
    }

    /// Whether an expression compares or has a Boolean operator; or, of an operand of one, is a truth
    /// value.
    fn is_truth(&self, root: ExprId, operand: bool) -> bool {
        let mut todo = vec![(root, operand)];
        while let Some((expr, operand)) = todo.pop() {
            let entry = &self.program.exprs[expr];
            match entry.kind {
                ExprKind::Logical { .. }
                | ExprKind::Not(_)
                | ExprKind::Binary(BinaryOp::Compare(_), ..) => {}
                ExprKind::Binary(
                    BinaryOp::Arith(ArithOp::BitAnd | ArithOp::BitOr | ArithOp::BitXor),
                    left,
                    right,
                ) => todo.extend([(left, true), (right, true)]),
                ExprKind::Convert(how, inner) if operand && keeps_truth(how) => {
                    todo.push((inner, true));
                }
                _ if operand && matches!(self.program.types.get(entry.ty), Type::Bool) => {}
                _ => return false,
            }
        }
        true
    }
}

/// Whether a conversion leaves a truth value one.
fn keeps_truth(how: Conversion) -> bool {
    matches!(how, Conversion::ToBool | Conversion::IntToInt | Conversion::Same)
}
