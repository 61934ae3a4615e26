//! Finds what there is to cover in the units of files.

use super::Sites;
use super::truth::Scope;
use crate::ast::{
    Argument, BinaryOp, Block, Body, Chart, Expr, ExprKind, LiteralKind, Name, Stmt, StmtKind,
    UnaryOp, VariableSection,
};
use crate::lower::is_pure;
use crate::types::PouId;
use crate::types::table::Table;
use program::Place;
use program::coverage::{
    Bitwise, Condition, Decision, Function, Label, MAX_CONDITIONS, Map, Point, PointKind, Role,
    Spot, StatementKind, Tree, Words, shortened,
};
use source::{SourceMap, Span};

/// What there is to cover in the user's units, and where the lowerer meets it.
pub(crate) fn collect<'a>(
    table: &'a Table<'a>,
    sources: &'a SourceMap,
    place: &dyn Fn(Span) -> Place,
) -> (Map, Sites) {
    let words = Words { selection: "CASE", case: "", default: "ELSE" };
    let (map, sites) = (Map { words, ..Map::default() }, Sites::default());
    let scope = Scope { table, owner: 0, sections: &[], result: None };
    let mut walk =
        Walk { scope, sources, place, map, sites, function: 0, within: None, selections: 0 };
    for unit in 0..table.own {
        walk.unit(unit);
    }
    (walk.map, walk.sites)
}

struct Walk<'a, 'p> {
    scope: Scope<'a>,
    sources: &'a SourceMap,
    place: &'p dyn Fn(Span) -> Place,
    map: Map,
    sites: Sites,
    /// The code at hand.
    function: usize,
    /// The statement whose expressions are walked.
    within: Option<usize>,
    /// How many selections it has so far.
    selections: usize,
}

/// Operands of Boolean operators, with the operators.
type Found<'a> = Vec<(&'a Expr, Option<&'static str>)>;

impl<'a> Walk<'a, '_> {
    /// A unit: its own code, and that of its methods, properties and actions.
    fn unit(&mut self, unit: PouId) {
        let table = self.scope.table;
        let pou = table.pous[unit];
        self.scope = Scope { table, owner: unit, sections: &[], result: None };
        self.scope.result = pou.result.as_ref().map(|ty| (&*pou.name.key, ty));
        self.code(&pou.name.text, &pou.name, &pou.body, &[]);
        let inner = |name: &Name| format!("{}.{}", pou.name.text, name.text);
        for method in &pou.methods {
            self.scope.result = method.result.as_ref().map(|ty| (&*method.name.key, ty));
            self.code(&inner(&method.name), &method.name, &method.body, &method.sections);
        }
        for property in &pou.properties {
            self.scope.result = Some((&*property.name.key, &property.ty));
            for (accessor, word) in [(&property.get, "GET"), (&property.set, "SET")] {
                if let Some(accessor) = accessor {
                    let name = format!("{}.{word}", inner(&property.name));
                    self.code(&name, &property.name, &accessor.body, &accessor.sections);
                }
            }
        }
        self.scope.result = None;
        for action in table.actions(pou) {
            self.code(&inner(&action.name), &action.name, &action.body, &[]);
        }
    }

    fn code(&mut self, name: &str, at: &Name, body: &'a Body, own: &'a [VariableSection]) {
        if matches!(body, Body::Missing) {
            return;
        }
        self.scope.sections = own;
        self.function = self.map.functions.len();
        self.selections = 0;
        self.within = None;
        let place = (self.place)(at.span);
        self.map.functions.push(Function { name: name.into(), place, used: false });
        let entry = self.point(at.span, PointKind::Entry);
        self.sites.entries.insert(body, entry);
        match body {
            Body::Missing => {}
            Body::Code(block) => self.block(block),
            Body::Chart(chart) => self.chart(chart),
        }
    }

    fn spot(&self, span: Span) -> Spot {
        Spot { place: (self.place)(span), function: self.function, in_macro: None }
    }

    fn point(&mut self, span: Span, kind: PointKind) -> usize {
        let spot = self.spot(span);
        self.map.points.push(Point { spot, kind, counts: true });
        self.map.points.len() - 1
    }

    fn chart(&mut self, chart: &'a Chart) {
        self.block(&chart.always);
        for transition in &chart.transitions {
            self.decision(&transition.condition, Role::Value);
            let names = |names: &[Name]| {
                names.iter().map(|name| &*name.text).collect::<Vec<&str>>().join(", ")
            };
            let (from, to) = (names(&transition.from), names(&transition.to));
            let kind = PointKind::Transition { from: from.into(), to: to.into() };
            let point = self.point(transition.span, kind);
            self.sites.transitions.insert(transition, point);
        }
        for association in chart.steps.iter().flat_map(|step| &step.actions) {
            association.code.iter().for_each(|code| self.block(code));
        }
    }

    fn block(&mut self, block: &'a Block) {
        block.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'a Stmt) {
        if let Some(kind) = kind_of(&statement.kind) {
            let point = self.point(statement.span, PointKind::Statement(kind));
            self.within = Some(point);
            self.sites.statements.insert(statement, point);
        }
        match &statement.kind {
            StmtKind::Assign(target, _, value) => {
                self.expression(target);
                // What is assigned to a truth value is one.
                match is_operator(value) && self.scope.is_truth(target) {
                    true => self.decision(value, Role::Value),
                    false => self.expression(value),
                }
            }
            StmtKind::Expr(expr) => {
                if !matches!(expr.kind, ExprKind::Call(..)) {
                    self.call(expr);
                }
                self.expression(expr);
            }
            StmtKind::If(arms, otherwise) => {
                for (condition, block) in arms {
                    self.decision(condition, Role::If);
                    self.block(block);
                }
                otherwise.iter().for_each(|block| self.block(block));
            }
            StmtKind::Case(..) => self.selection(statement),
            StmtKind::For { variable, from, to, by, body } => {
                [variable, from, to].into_iter().chain(by).for_each(|expr| self.expression(expr));
                self.block(body);
            }
            StmtKind::While(condition, body) => {
                self.decision(condition, Role::Loop);
                self.block(body);
            }
            StmtKind::Repeat(body, condition) => {
                self.block(body);
                self.decision(condition, Role::Until);
            }
            StmtKind::Region(_, body) => self.block(body),
            StmtKind::Empty
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Jump(_)
            | StmtKind::Claim(..)
            | StmtKind::Pragma(_)
            | StmtKind::Unknown(_) => {}
        }
    }

    fn selection(&mut self, statement: &'a Stmt) {
        let StmtKind::Case(selector, arms, otherwise) = &statement.kind else { return };
        self.expression(selector);
        self.selections += 1;
        let selection = self.selections;
        let mut points = Vec::new();
        for (number, arm) in arms.iter().enumerate() {
            // The labels are what stands before the colon.
            let text = self.sources.snippet(arm.span);
            let labels = text.split(|byte| *byte == b':').next().unwrap_or_default();
            let label = Label::Case(number, shortened(labels).into());
            points.push(self.point(arm.span, PointKind::Label { selection, label }));
            self.block(&arm.body);
        }
        let label = Label::Default { written: otherwise.is_some() };
        points.push(self.point(statement.span, PointKind::Label { selection, label }));
        otherwise.iter().for_each(|block| self.block(block));
        self.sites.arms.insert(statement, points);
    }

    /// An expression, with all that is in it.
    fn expression(&mut self, expr: &'a Expr) {
        match self.scope.is_decided(expr) {
            true => self.decision(expr, Role::Value),
            false => self.inside(expr),
        }
    }

    /// What is directly in an expression that is no decision.
    fn inside(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Call(callee, arguments) => {
                self.call(callee);
                self.inside(callee);
                for argument in arguments {
                    match argument {
                        Argument::Positional(value) | Argument::Input(_, Some(value)) => {
                            self.expression(value);
                        }
                        Argument::Input(_, None) | Argument::Output(..) => {}
                    }
                }
            }
            ExprKind::Member(base, _)
            | ExprKind::Part(base, ..)
            | ExprKind::PartAt(base, ..)
            | ExprKind::Deref(base)
            | ExprKind::Unary(_, base) => self.expression(base),
            ExprKind::Index(base, indices) => {
                self.expression(base);
                indices.iter().for_each(|index| self.expression(index));
            }
            ExprKind::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            _ => {}
        }
    }

    /// A call, unless it is of a function that is as good as an operator.
    fn call(&mut self, callee: &'a Expr) {
        let name = match &callee.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        };
        let own = |name: &&Name| {
            self.scope.table.pou(&name.key).is_some_and(|unit| unit < self.scope.table.own)
        };
        if name.is_some_and(|name| is_pure(&name.key) && !own(&name)) {
            return;
        }
        let text = shortened(self.sources.snippet(callee.span));
        let point = self.point(callee.span, PointKind::Call(Some(text.into())));
        self.sites.calls_within.push((point, self.within));
        self.sites.calls.insert(callee, point);
    }

    /// Adds a decision, and what is within its conditions.
    fn decision(&mut self, root: &'a Expr, role: Role) {
        let mut found = Found::new();
        let mut tree = tree(root, None, &mut found);
        if found.len() > MAX_CONDITIONS {
            found = vec![(root, None)];
            tree = Tree::Condition(0);
        }
        let number = self.map.decisions.len();
        let spot = self.spot(root.span);
        let conditions = found.iter().map(|(expr, operator)| Condition {
            spot: self.spot(expr.span),
            text: shortened(self.sources.snippet(expr.span)).into(),
            operator: *operator,
            constant: match &expr.kind {
                ExprKind::Literal(literal) => match literal.kind {
                    LiteralKind::Bool(truth) => Some(truth),
                    _ => None,
                },
                _ => None,
            },
        });
        let conditions = conditions.collect();
        let decision = Decision { spot, role, tree, conditions, seen: None, counts: true };
        self.map.decisions.push(decision);
        self.sites.within.push(self.within);
        self.sites.decisions.insert(root, (number, found.len()));
        for (condition, (expr, _)) in found.into_iter().enumerate() {
            self.sites.conditions.insert(expr, (number, condition));
            // A comparison that is a condition is no decision of its own.
            self.inside(expr);
        }
    }
}

/// What a statement counts as, if it does.
fn kind_of(kind: &StmtKind) -> Option<StatementKind> {
    Some(match kind {
        StmtKind::Assign(..) | StmtKind::Expr(_) => StatementKind::Expression,
        StmtKind::If(..) => StatementKind::If,
        StmtKind::Case(..) => StatementKind::Switch,
        StmtKind::For { .. } | StmtKind::While(..) | StmtKind::Repeat(..) => StatementKind::Loop,
        StmtKind::Exit | StmtKind::Continue | StmtKind::Jump(_) => StatementKind::Jump,
        StmtKind::Return => StatementKind::Return,
        _ => return None,
    })
}

/// Whether an expression is made by an operator that joins truth values, or words.
fn is_operator(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(op, _) => *op == UnaryOp::Not,
        ExprKind::Binary(op, ..) => {
            matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
        }
        _ => false,
    }
}

/// How a truth value is made of conditions, which are added.
fn tree<'a>(expr: &'a Expr, operator: Option<&'static str>, found: &mut Found<'a>) -> Tree {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Not, operand) => {
            Tree::Not(Box::new(tree(operand, operator.or(Some("NOT")), found)))
        }
        ExprKind::Binary(op, ..) => {
            let (make, word): (fn(Vec<Tree>) -> Tree, _) = match op {
                BinaryOp::And => (|all| Tree::Bitwise(Bitwise::And, all), "AND"),
                BinaryOp::Or => (|all| Tree::Bitwise(Bitwise::Or, all), "OR"),
                BinaryOp::Xor => (|all| Tree::Bitwise(Bitwise::Xor, all), "XOR"),
                BinaryOp::AndThen => (Tree::And, "AND_THEN"),
                BinaryOp::OrElse => (Tree::Or, "OR_ELSE"),
                _ => return condition(expr, operator, found),
            };
            let operands = spine(expr, *op).into_iter();
            make(operands.map(|operand| tree(operand, Some(word), found)).collect())
        }
        _ => condition(expr, operator, found),
    }
}

fn condition<'a>(expr: &'a Expr, operator: Option<&'static str>, found: &mut Found<'a>) -> Tree {
    found.push((expr, operator));
    Tree::Condition(found.len() - 1)
}

/// The operands of an operator and of those to the left that are the same, in order.
fn spine(expr: &Expr, wanted: BinaryOp) -> Vec<&Expr> {
    let (mut operands, mut next) = (Vec::new(), expr);
    while let ExprKind::Binary(op, left, right) = &next.kind
        && *op == wanted
    {
        operands.push(&**right);
        next = left;
    }
    operands.push(next);
    operands.reverse();
    operands
}
