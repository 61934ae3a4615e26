//! What the evaluation of an expression takes: nothing but a term, instructions, or instructions
//! that change something.
//!
//! Computed once for each expression, with an explicit stack: expressions may be deep.

use super::{Lowerer, model};
use crate::typed::{
    ArithOp, BinaryOp, Builtin, Callee, ElementSize, ExprId, ExprKind, PlaceId, PlaceKind,
};
use crate::types::TypeId;
use program::Property;
use rustc_hash::FxHashMap;

/// What an evaluation takes; the larger includes the smaller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Effect {
    /// It is a term.
    None,
    /// It takes instructions (loads, checks, unknown values), which change nothing that another
    /// expression sees.
    Instructions,
    /// It may change registers or memory, or not return.
    Changes,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Expr(ExprId),
    Place(PlaceId),
}

/// The effects that were computed.
#[derive(Default)]
pub(super) struct Effects {
    known: FxHashMap<Node, Effect>,
}

impl Lowerer<'_> {
    /// The effect of evaluating an expression.
    pub(super) fn effect(&mut self, expr: ExprId) -> Effect {
        self.node_effect(Node::Expr(expr))
    }

    /// The effect of evaluating the expressions in a place.
    pub(super) fn place_effect(&mut self, place: PlaceId) -> Effect {
        self.node_effect(Node::Place(place))
    }

    fn node_effect(&mut self, root: Node) -> Effect {
        let mut stack = vec![root];
        let mut children = Vec::new();
        while let Some(&node) = stack.last() {
            if self.effects.known.contains_key(&node) {
                stack.pop();
                continue;
            }
            children.clear();
            let own = match node {
                Node::Expr(expr) => {
                    let probed = self.checked(self.is_probed(expr));
                    self.expr_parts(expr, &mut children).max(probed)
                }
                Node::Place(place) => self.place_parts(place, &mut children),
            };
            let depth = stack.len();
            let mut effect = own;
            if own < Effect::Changes {
                for &child in &children {
                    match self.effects.known.get(&child) {
                        Some(&known) => effect = effect.max(known),
                        None => stack.push(child),
                    }
                }
            }
            if stack.len() == depth {
                self.effects.known.insert(node, effect);
                stack.pop();
            }
        }
        self.effects.known[&root]
    }

    fn place_parts(&mut self, place: PlaceId, children: &mut Vec<Node>) -> Effect {
        match self.c.places[place].kind {
            PlaceKind::Object(_) | PlaceKind::String(_) => Effect::None,
            PlaceKind::Deref(pointer) => {
                children.push(Node::Expr(pointer));
                Effect::None
            }
            PlaceKind::Index(base, index) => {
                children.extend([Node::Place(base), Node::Expr(index)]);
                Effect::None
            }
            PlaceKind::Field { base, .. } => {
                children.push(Node::Place(base));
                Effect::None
            }
            PlaceKind::Compound(..) => Effect::Changes,
            PlaceKind::Temporary(value) => {
                children.push(Node::Expr(value));
                Effect::None
            }
        }
    }

    fn expr_parts(&mut self, expr: ExprId, children: &mut Vec<Node>) -> Effect {
        let c = self.c;
        let (kind, ty) = (&c.exprs[expr].kind, c.exprs[expr].ty);
        let mut add = |list: &[ExprId]| children.extend(list.iter().map(|e| Node::Expr(*e)));
        match kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::VlaLength(_)
            | ExprKind::Shared(_) => Effect::None,
            ExprKind::Load(place) => {
                children.push(Node::Place(*place));
                let term = self.is_in_registers(*place)
                    && !self.checks(Property::Uninitialized)
                    && !self.reads_unknown(*place);
                self.checked(!term)
            }
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                children.push(Node::Place(*place));
                Effect::None
            }
            ExprKind::Neg(operand) => {
                add(&[*operand]);
                self.checked(self.is_signed(ty) && self.checks(Property::Overflow))
            }
            ExprKind::BitNot(operand) | ExprKind::Not(operand) | ExprKind::Convert(_, operand) => {
                add(&[*operand]);
                Effect::None
            }
            ExprKind::Binary(op, left, right) => {
                add(&[*left, *right]);
                match op {
                    BinaryOp::Arith(op) => self.checked(self.may_fail(*op, ty, *right)),
                    BinaryOp::Compare(_) => Effect::None,
                }
            }
            ExprKind::Logical { left, right, .. } => {
                add(&[*left, *right]);
                Effect::None
            }
            ExprKind::PointerAdd { pointer: a, index: b, size, .. }
            | ExprKind::PointerDiff { left: a, right: b, size } => {
                add(&[*a, *b]);
                if let ElementSize::Variable(size) = size {
                    add(&[*size]);
                }
                Effect::None
            }
            ExprKind::Conditional(a, b, c) => {
                add(&[*a, *b, *c]);
                self.checked(self.register_sort(ty).is_none())
            }
            ExprKind::Elvis { value, condition, then, otherwise } => {
                add(&[*value, *condition, *then, *otherwise]);
                self.checked(self.register_sort(ty).is_none())
            }
            ExprKind::Comma(list) => {
                add(list);
                Effect::None
            }
            ExprKind::Call(Callee::Function(function), arguments) => {
                add(arguments);
                self.call_effect(*function)
            }
            ExprKind::Builtin(builtin, arguments) => {
                add(arguments);
                builtin_effect(*builtin)
            }
            ExprKind::Call(..)
            | ExprKind::Assign(..)
            | ExprKind::CompoundAssign { .. }
            | ExprKind::PointerAssign { .. }
            | ExprKind::VaArg(_)
            | ExprKind::StmtExpr(..)
            | ExprKind::WithLengths(..)
            | ExprKind::Quantified(_) => Effect::Changes,
        }
    }

    fn checked(&self, checked: bool) -> Effect {
        if checked { Effect::Instructions } else { Effect::None }
    }

    /// Whether a check may precede the operation.
    fn may_fail(&self, op: ArithOp, ty: TypeId, right: ExprId) -> bool {
        if self.c.types.is_float(ty) {
            return self.checks(Property::Float);
        }
        let overflow = self.is_signed(ty) && self.checks(Property::Overflow);
        match op {
            ArithOp::Add | ArithOp::Sub | ArithOp::Mul => overflow,
            ArithOp::Div | ArithOp::Rem => {
                let harmless = matches!(self.c.exprs[right].kind, ExprKind::Int(n) if n != 0);
                !harmless || overflow
            }
            ArithOp::Shl | ArithOp::Shr => overflow || self.checks(Property::Shift),
            ArithOp::BitAnd | ArithOp::BitOr | ArithOp::BitXor => false,
        }
    }

    fn call_effect(&self, function: crate::typed::FunctionId) -> Effect {
        let function = self.resolve(function);
        let name = self.symbol_name(self.c.functions[function].name);
        let defined = self.c.functions[function].body.is_some();
        let changes = defined || !(model::is_input(name) || model::is_function_of_floats(name));
        if changes { Effect::Changes } else { Effect::Instructions }
    }

    /// Whether reading a place takes no load.
    fn is_in_registers(&mut self, mut place: PlaceId) -> bool {
        loop {
            match self.c.places[place].kind {
                PlaceKind::Object(object) => return self.lives_in_registers(object),
                PlaceKind::Field { base, .. } => place = base,
                PlaceKind::Temporary(value) => {
                    let ty = self.c.exprs[value].ty;
                    return self.leaves(ty).is_some();
                }
                _ => return false,
            }
        }
    }
}

fn builtin_effect(builtin: Builtin) -> Effect {
    match builtin {
        Builtin::OverflowPredicate(_)
        | Builtin::CountLeadingZeros
        | Builtin::CountTrailingZeros
        | Builtin::CountSignBits
        | Builtin::PopCount
        | Builtin::Parity
        | Builtin::FindFirstSet
        | Builtin::ByteSwap
        | Builtin::IsNan
        | Builtin::IsInf
        | Builtin::IsInfSign
        | Builtin::IsFinite
        | Builtin::IsNormal
        | Builtin::SignBit
        | Builtin::FpClassify
        | Builtin::QuietCompare(_)
        | Builtin::LessGreater
        | Builtin::Unordered => Effect::None,
        Builtin::FrameAddress | Builtin::Memory(_) => Effect::Instructions,
        _ => Effect::Changes,
    }
}
