//! Functions that end without a value although somebody uses it, and functions that return although
//! they are declared never to ([`Property::Return`]; C11 6.9.1p12 and 6.7.4p8).
//!
//! Before a call the caller says whether it uses the value, in one register for all calls. A function
//! keeps that at its entry, and checks it where it ends without a value. So the check stands at the
//! function's end, and the call in question is the open one of the run. After all is lowered, what was
//! said to functions that always return a value is taken back: they cost nothing.
//!
//! The value of `main` is zero at its end, and nobody uses the value of the entry function.

use super::Lowerer;
use crate::source::Span;
use crate::typed::{ExprId, ExprKind, FunctionId};
use program::Property;
use program::program::{Body, Callee, FunctionId as LoweredId, Instruction, Reading, VariableId};
use rustc_hash::FxHashSet;
use term::{Sort, Term};

impl Lowerer<'_> {
    /// Makes the register in which callers say whether they use a value.
    pub(super) fn make_wanted(&mut self) {
        if self.checks(Property::Return) {
            let name = "value is used".to_owned();
            let span = Span::default();
            let register = self.new_variable(name, None, Sort::Bool, Reading::Bool, false, span);
            self.wanted = Some(register);
        }
    }

    /// Says, right before a call, whether its value is used.
    pub(super) fn say_used(&mut self, used: bool) {
        if let Some(wanted) = self.wanted {
            self.emit(Instruction::Assign(wanted, self.pool.bool(used)));
        }
    }

    /// A function that returns something keeps what its caller said.
    pub(super) fn keep_wanted(&mut self, function: FunctionId) {
        let entry = &self.c.functions[function];
        let result = self.function_type(entry.ty).map(|ty| ty.result);
        let returns = result.is_some_and(|result| !self.c.types.is_void(result));
        if let Some(wanted) = self.wanted.filter(|_| returns && entry.body.is_some()) {
            let kept = self.temporary(Sort::Bool);
            self.emit(Instruction::Assign(kept, self.term_of(wanted)));
            self.frame.wanted = Some(kept);
        }
    }

    /// The function ends here, perhaps without a value.
    pub(super) fn check_end(&mut self, with_value: bool) {
        let Some(function) = self.frame.function else { return };
        let entry = &self.c.functions[function];
        let name = self.symbol_name(entry.name);
        if entry.noreturn && !super::model::is_error(name) {
            let never = self.pool.fls();
            self.check(Property::Return, never);
        } else if let Some(wanted) = self.frame.wanted.filter(|_| !with_value && name != "main") {
            let unused = self.pool.not(self.term_of(wanted));
            self.check(Property::Return, unused);
        }
    }

    /// The place of the brace that ends a function's body.
    pub(super) fn closing_brace(&self, function: FunctionId) -> Span {
        let entry = &self.c.functions[function];
        let Some(body) = entry.body else { return entry.span };
        let end = self.c.stmts[body].span.end;
        Span { start: end.saturating_sub(1), end }
    }

    /// Remembers the calls whose value is that of an expression which nobody uses.
    pub(super) fn mark_unused(&mut self, expr: ExprId) {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            match &self.c.exprs[expr].kind {
                ExprKind::Call(..) => {
                    self.frame.unused.insert(expr);
                }
                ExprKind::Convert(_, operand) | ExprKind::WithLengths(_, operand) => {
                    open.push(*operand);
                }
                ExprKind::Comma(parts) => open.extend(parts.last()),
                ExprKind::Conditional(_, then, otherwise) => open.extend([*then, *otherwise]),
                ExprKind::Elvis { otherwise, .. } => open.push(*otherwise),
                ExprKind::StmtExpr(_, value) => open.extend(value),
                _ => {}
            }
        }
    }

    /// Takes back what was said to functions that check nothing, and what they kept.
    pub(super) fn forget_unchecked(&mut self) {
        let Some(wanted) = self.wanted else { return };
        let checking: FxHashSet<LoweredId> = self
            .functions
            .iter()
            .filter(|(_, function)| function.body.as_ref().is_some_and(checks_its_end))
            .map(|(id, _)| id)
            .collect();
        let term = self.term_of(wanted);
        for (id, function) in self.functions.iter_mut() {
            if let Some(body) = &mut function.body {
                forget_in(body, (wanted, term), checking.contains(&id), &checking);
            }
        }
    }
}

fn checks_its_end(body: &Body) -> bool {
    let mut edges = body.edges.values();
    edges.any(|edge| matches!(edge.instruction, Instruction::Check(Property::Return, _)))
}

fn forget_in(
    body: &mut Body,
    (wanted, term): (VariableId, Term),
    checks: bool,
    checking: &FxHashSet<LoweredId>,
) {
    // Where a call begins that somebody checks the use of.
    let needs = body.edges.values().filter(|edge| match &edge.instruction {
        Instruction::Call { callee: Callee::Function(id), .. } => checking.contains(id),
        Instruction::Call { callee: Callee::Pointer(_), .. } => !checking.is_empty(),
        _ => false,
    });
    let needs: FxHashSet<_> = needs.map(|edge| edge.from).collect();
    for (_, edge) in body.edges.iter_mut() {
        let in_vain = match edge.instruction {
            Instruction::Assign(into, _) if into == wanted => !needs.contains(&edge.to),
            Instruction::Assign(_, value) => value == term && !checks,
            _ => false,
        };
        if in_vain {
            edge.instruction = Instruction::Skip;
        }
    }
}
