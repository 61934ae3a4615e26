//! Which objects are in scope at labels, and which declarations a jump can pass by.

use crate::contract::Formula;
use crate::typed::{
    ExprId, ExprKind, FunctionId, InitValue, LabelId, ObjectId, Program, StmtId, StmtKind,
};
use rustc_hash::FxHashSet;

/// The scopes of a function, as far as jumps need them.
#[derive(Default)]
pub(super) struct Scopes {
    /// The objects in scope at each label.
    pub(super) labels: Vec<FxHashSet<ObjectId>>,
    /// Objects that can be in scope without their declaration having been reached.
    pub(super) hoisted: FxHashSet<ObjectId>,
}

/// Walks a function.
pub(super) fn scopes(program: &Program, function: FunctionId) -> Scopes {
    let entry = &program.functions[function];
    let mut walk = Walk {
        program,
        declared: Vec::new(),
        labels: vec![FxHashSet::default(); entry.labels.len()],
        gotos: Vec::new(),
        switches: Vec::new(),
        hoisted: FxHashSet::default(),
        has_labels: !entry.labels.is_empty(),
    };
    if let Some(body) = entry.body {
        walk.statement(body);
    }
    let mut hoisted = walk.hoisted;
    for (label, at_goto) in walk.gotos {
        let missing = walk.labels[label as usize].iter().filter(|o| !at_goto.contains(o));
        hoisted.extend(missing.copied());
    }
    Scopes { labels: walk.labels, hoisted }
}

struct Walk<'p> {
    program: &'p Program,
    /// Objects in scope.
    declared: Vec<ObjectId>,
    labels: Vec<FxHashSet<ObjectId>>,
    gotos: Vec<(LabelId, FxHashSet<ObjectId>)>,
    /// How many objects were in scope at the heads of the open switches.
    switches: Vec<usize>,
    hoisted: FxHashSet<ObjectId>,
    /// Without labels, statements within expressions don't matter.
    has_labels: bool,
}

impl Walk<'_> {
    fn statement(&mut self, statement: StmtId) {
        match &self.program.stmts[statement].kind {
            StmtKind::Empty
            | StmtKind::EvaluateLengths(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Return(None)
            | StmtKind::Unsupported(_) => {}
            StmtKind::Expr(value)
            | StmtKind::Return(Some(value))
            | StmtKind::Claim(_, value)
            | StmtKind::Assertion(Formula { truth: value, .. }) => self.expression(*value),
            StmtKind::Declare(object, init) => {
                self.declared.push(*object);
                for entry in init.iter().flat_map(|i| &self.program.inits[*i].entries) {
                    if let InitValue::Expr(value) = entry.value {
                        self.expression(value);
                    }
                }
            }
            StmtKind::Block(statements) => {
                let depth = self.declared.len();
                for &statement in statements {
                    self.statement(statement);
                }
                self.declared.truncate(depth);
            }
            StmtKind::If(arms, otherwise) => {
                for &(condition, branch) in arms {
                    self.expression(condition);
                    self.statement(branch);
                }
                if let Some(otherwise) = otherwise {
                    self.statement(*otherwise);
                }
            }
            StmtKind::Switch(value, body) => {
                self.expression(*value);
                self.switches.push(self.declared.len());
                self.statement(*body);
                self.switches.pop();
            }
            StmtKind::While(condition, body) | StmtKind::DoWhile(body, condition) => {
                self.expression(*condition);
                self.statement(*body);
            }
            StmtKind::For { init, condition, step, body } => {
                if let Some(init) = init {
                    self.statement(*init);
                }
                for value in condition.iter().chain(step) {
                    self.expression(*value);
                }
                self.statement(*body);
            }
            StmtKind::Case(..) | StmtKind::Default => {
                let depth = self.switches.last().copied().unwrap_or(self.declared.len());
                let passed = &self.declared[depth.min(self.declared.len())..];
                self.hoisted.extend(passed);
            }
            StmtKind::Label(label) => {
                self.labels[*label as usize] = self.declared.iter().copied().collect();
            }
            StmtKind::Goto(label) => self.goto(*label),
            StmtKind::Asm(asm) => {
                for &label in &asm.labels {
                    self.goto(label);
                }
            }
        }
    }

    fn goto(&mut self, label: LabelId) {
        let declared = self.declared.iter().copied().collect();
        self.gotos.push((label, declared));
    }

    /// Visits the statements within an expression.
    fn expression(&mut self, root: ExprId) {
        if !self.has_labels {
            return;
        }
        let mut todo = vec![root];
        while let Some(expr) = todo.pop() {
            match &self.program.exprs[expr].kind {
                ExprKind::StmtExpr(statement, value) => {
                    let depth = self.declared.len();
                    self.statement(*statement);
                    if let Some(value) = value {
                        self.expression(*value);
                    }
                    self.declared.truncate(depth);
                }
                kind => self.program.operands(kind, &mut todo),
            }
        }
    }
}
