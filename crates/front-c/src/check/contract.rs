//! Contracts of functions and loops, and assertions in comments (see [`crate::contract`]).
//!
//! What is wrong with a contract is no error of the program: it is kept with the contract, and is
//! an error for whoever uses it.

use super::Checker;
use super::scope::Entity;
use crate::ast::{self, ClauseKind, Declarator, Spelling};
use crate::contract::{Contract, Formula, LoopContract, Old, Part, Target};
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{
    Builtin, ExprId, ExprKind, FunctionId, Linkage, Object, ObjectId, Place, PlaceKind, StmtKind,
    Storage,
};
use crate::types::{QualType, Type, TypeId};

/// The state before something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Past {
    /// When the function was called.
    Call,
    /// When the loop was entered.
    Loop,
}

/// What is known where a formula of a contract is checked.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) spelling: Spelling,
    /// Which state before can be named.
    pub(super) past: Option<Past>,
    /// What the function returns, where that can be named.
    pub(super) result: Option<ObjectId>,
    /// Values of the state before that were met.
    pub(super) olds: Vec<Old>,
}

impl Context {
    fn new(spelling: Spelling) -> Context {
        Context { spelling, past: None, result: None, olds: Vec::new() }
    }
}

impl Checker {
    /// Whether integers of the formula at hand are unbounded.
    pub(super) fn is_mathematical(&self) -> bool {
        self.contract.as_ref().is_some_and(|context| context.spelling == Spelling::Acsl)
    }

    /// The contract of a declaration of a function.
    pub(super) fn declared_contract(
        &mut self,
        u: &ast::Unit,
        name: Symbol,
        base: QualType,
        declarator: &Declarator,
    ) {
        if declarator.contract.is_some()
            && let Some(Entity::Function(id)) = self.scopes.lookup(name).map(|b| b.entity)
        {
            self.function_contract(u, id, base, declarator);
        }
    }

    /// The contract of a function, with the declarator that it stands at.
    pub(super) fn function_contract(
        &mut self,
        u: &ast::Unit,
        id: FunctionId,
        base: QualType,
        declarator: &Declarator,
    ) {
        let Some(written) = &declarator.contract else { return };
        let depth = self.scopes.depth();
        let lengths = self.pending_lengths.clone();
        let mut contract = Contract {
            span: written.span,
            spelling: written.spelling,
            unit: self.unit,
            params: Vec::new(),
            result: None,
            olds: Vec::new(),
            requires: Vec::new(),
            ensures: Vec::new(),
            // Where CBMC finds no clause, nothing may be written; ACSL then says nothing.
            assigns: (written.spelling == Spelling::Cbmc).then(Vec::new),
            frees: Vec::new(),
            problem: written.problem.clone(),
        };
        self.contract = Some(Context::new(written.spelling));
        if contract.problem.is_none()
            && let Err(problem) = self.clauses(u, id, base, (declarator, written), &mut contract)
        {
            contract.problem = Some(problem);
        }
        contract.olds = self.contract.take().map_or(Vec::new(), |context| context.olds);
        self.scopes.pop_to(depth);
        self.pending_lengths = lengths;
        self.set_contract(id, contract);
    }

    /// A function has one contract; what other files say again is not looked at.
    fn set_contract(&mut self, id: FunctionId, contract: Contract) {
        match &mut self.program.functions[id].contract {
            None => self.program.functions[id].contract = Some(Box::new(contract)),
            Some(known) if known.unit == contract.unit => {
                let error = Diagnostic::error(contract.span, "a second contract of the function");
                known.problem.get_or_insert(error.note(known.span, "the first one is here"));
            }
            Some(_) => {}
        }
    }

    fn clauses(
        &mut self,
        u: &ast::Unit,
        id: FunctionId,
        base: QualType,
        (declarator, written): (&Declarator, &ast::Contract),
        contract: &mut Contract,
    ) -> Result<()> {
        let (ty, infos) = self.defined_type(u, base, declarator)?;
        contract.params = infos.iter().filter_map(|info| info.declared).collect();
        let Type::Function(function) = self.program.types.get(ty.ty).clone() else {
            return self.error(written.span, "a contract of something that is no function");
        };
        if !function.prototype && !infos.is_empty() {
            return self.error(written.span, "a contract needs a function with a prototype");
        }
        if !self.program.types.is_void(function.result) {
            contract.result = Some(self.unnamed(function.result, written.span));
        }
        for &object in contract.params.iter().chain(&contract.result) {
            self.program.objects[object].function = Some(id);
        }
        for clause in &written.clauses {
            self.clause(u, clause, contract)?;
        }
        Ok(())
    }

    fn clause(
        &mut self,
        u: &ast::Unit,
        clause: &ast::Clause,
        contract: &mut Contract,
    ) -> Result<()> {
        match &clause.kind {
            ClauseKind::Requires(formula) => {
                let formula = self.formula(u, *formula, clause.span)?;
                contract.requires.push(formula);
            }
            ClauseKind::Ensures(formula) => {
                if let Some(context) = &mut self.contract {
                    (context.past, context.result) = (Some(Past::Call), contract.result);
                }
                let formula = self.formula(u, *formula, clause.span);
                if let Some(context) = &mut self.contract {
                    (context.past, context.result) = (None, None);
                }
                contract.ensures.push(formula?);
            }
            ClauseKind::Assigns(targets) => {
                let targets = self.targets(u, targets)?;
                contract.assigns.get_or_insert_default().extend(targets);
            }
            ClauseKind::Frees(targets) => {
                for target in targets {
                    if let Some(condition) = target.condition {
                        let span = u.exprs[condition].span;
                        return self.error(span, "a condition in 'frees' is not supported");
                    }
                    let pointer = self.rvalue(u, target.what)?;
                    contract.frees.push(self.pointer_operand(pointer)?);
                }
            }
            ClauseKind::Decreases => {}
            ClauseKind::Invariant(_) => {
                return self.error(clause.span, "a loop invariant, but no loop");
            }
            ClauseKind::Assert(_) => return self.error(clause.span, "an assertion in a contract"),
        }
        Ok(())
    }

    /// A formula, as `_Bool`; it must not change anything.
    fn formula(&mut self, u: &ast::Unit, expr: ast::ExprId, span: Span) -> Result<Formula> {
        let value = self.rvalue(u, expr)?;
        let truth = self.condition(value)?;
        let mut parts = vec![truth];
        parts.extend(self.contract.iter().flat_map(|c| c.olds.iter().map(|old| old.value)));
        let mathematical = self.is_mathematical();
        for part in parts {
            self.require_pure(part)?;
            if mathematical {
                self.require_room(part)?;
            }
        }
        let spelling = if mathematical { Spelling::Acsl } else { Spelling::Cbmc };
        Ok(Formula { truth, span, spelling })
    }

    /// The contract of a loop, in the scope of its head.
    pub(super) fn loop_contract(
        &mut self,
        u: &ast::Unit,
        statement: ast::StmtId,
    ) -> Option<LoopContract> {
        let written = u.loops.get(&statement)?;
        let mut contract = LoopContract {
            span: written.span,
            invariants: Vec::new(),
            olds: Vec::new(),
            assigns: None,
            problem: written.problem.clone(),
        };
        self.contract = Some(Context { past: Some(Past::Loop), ..Context::new(written.spelling) });
        if contract.problem.is_none()
            && let Err(problem) = self.loop_clauses(u, written, &mut contract)
        {
            contract.problem = Some(problem);
        }
        contract.olds = self.contract.take().map_or(Vec::new(), |context| context.olds);
        Some(contract)
    }

    fn loop_clauses(
        &mut self,
        u: &ast::Unit,
        written: &ast::Contract,
        contract: &mut LoopContract,
    ) -> Result<()> {
        for clause in &written.clauses {
            match &clause.kind {
                ClauseKind::Invariant(formula) => {
                    let formula = self.formula(u, *formula, clause.span)?;
                    contract.invariants.push(formula);
                }
                ClauseKind::Assigns(targets) => {
                    let targets = self.targets(u, targets)?;
                    contract.assigns.get_or_insert_default().extend(targets);
                }
                ClauseKind::Decreases => {}
                _ => return self.error(clause.span, "a clause that no loop can have"),
            }
        }
        Ok(())
    }

    /// An assertion in a comment.
    pub(super) fn assertion(&mut self, u: &ast::Unit, written: &ast::Contract) -> StmtKind {
        self.contract = Some(Context::new(written.spelling));
        let formula = match (&written.problem, &written.clauses[..]) {
            (None, [ast::Clause { kind: ClauseKind::Assert(formula), span }]) => {
                self.formula(u, *formula, *span)
            }
            (Some(problem), _) => Err(problem.clone()),
            _ => self.error(written.span, "no assertion"),
        };
        self.contract = None;
        match formula {
            Ok(formula) => StmtKind::Assertion(formula),
            Err(problem) => StmtKind::Unsupported(problem),
        }
    }

    /// An automatic object without a name, which contracts give a value.
    pub(super) fn unnamed(&mut self, ty: TypeId, span: Span) -> ObjectId {
        self.program.objects.alloc(Object {
            name: None,
            span,
            ty: QualType::plain(ty),
            align: None,
            storage: Storage::Automatic,
            linkage: Linkage::None,
            thread_local: false,
            defined: true,
            init: None,
            function: self.function_id(),
        })
    }

    // What may be written.

    fn targets(&mut self, u: &ast::Unit, targets: &[ast::Target]) -> Result<Vec<Target>> {
        let mut typed = Vec::new();
        for target in targets {
            let condition = match target.condition {
                Some(condition) => {
                    let value = self.rvalue(u, condition)?;
                    Some(self.condition(value)?)
                }
                None => None,
            };
            let span = u.exprs[target.what].span;
            let part = self.part(u, target.what)?;
            typed.push(Target { condition, part, span });
        }
        Ok(typed)
    }

    fn part(&mut self, u: &ast::Unit, expr: ast::ExprId) -> Result<Part> {
        let span = u.exprs[expr].span;
        if let ast::ExprKind::Call(callee, arguments) = &u.exprs[expr].kind
            && let ast::ExprKind::Ident(name) = u.exprs[*callee].kind
        {
            let name = self.name(name).to_owned();
            let Some(&first) = arguments.first() else {
                return self.error(span, "a part of no object");
            };
            let pointer = self.rvalue(u, first)?;
            let pointer = self.pointer_operand(pointer)?;
            return match (name.as_str(), &arguments[1..]) {
                ("__CPROVER_object_whole", []) => Ok(Part::Whole(pointer)),
                ("__CPROVER_object_from", []) => Ok(Part::From(pointer)),
                ("__CPROVER_object_upto", [size]) => {
                    let size = self.rvalue(u, *size)?;
                    Ok(Part::Bytes(pointer, self.integer_operand(size)?))
                }
                _ => self.error(span, format!("'{name}' is not supported as something to write")),
            };
        }
        if let Some(bytes) = self.elements(u, expr)? {
            let (pointer, size) = bytes;
            return Ok(Part::Bytes(pointer, size));
        }
        let place = self.place(u, expr)?;
        if self.is_bit_field(place) {
            return self.error(span, "a bit-field as something to write is not supported");
        }
        Ok(Part::Place(place))
    }

    /// Whether an expression changes something; calls are taken to change nothing.
    fn require_pure(&self, root: ExprId) -> Result<()> {
        let mut todo = vec![root];
        while let Some(expr) = todo.pop() {
            let node = &self.program.exprs[expr];
            let changes = match &node.kind {
                ExprKind::Assign(..)
                | ExprKind::CompoundAssign { .. }
                | ExprKind::PointerAssign { .. }
                | ExprKind::StmtExpr(..)
                | ExprKind::VaArg(_)
                | ExprKind::WithLengths(..) => true,
                ExprKind::Builtin(builtin, _) => matches!(
                    builtin,
                    Builtin::Overflow(_)
                        | Builtin::Atomic(_)
                        | Builtin::Assert
                        | Builtin::Assume
                        | Builtin::HavocObject
                ),
                ExprKind::Load(place) => self.is_literal(*place),
                _ => false,
            };
            if changes {
                return self.error(node.span, "what a contract says must not change anything");
            }
            self.program.operands(&node.kind, &mut todo);
        }
        Ok(())
    }

    fn is_literal(&self, place: crate::typed::PlaceId) -> bool {
        matches!(self.program.places[place], Place { kind: PlaceKind::Compound(..), .. })
    }
}
