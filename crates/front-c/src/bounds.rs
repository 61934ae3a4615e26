//! What comparisons say about the variable of a quantified formula, as its text shows.
//!
//! **Intervals.** `lo <= i && i < hi ==> P` is decided by the values from `lo` to `hi`: a formula
//! about all values can only be false, and one about some values only be true, where comparisons
//! with the variable have certain outcomes. A bound is what the variable is compared with, as it is
//! after the conversions of that comparison. A lower bound counts only if the conversions keep all
//! values of the variable; an upper bound also if they make negative values large ones, as unsigned
//! comparisons do.
//!
//! **Comparisons alone.** Where all that a formula does with its variable is to compare it with
//! values that do not depend on it, the truth of the formula is the same between two of these
//! values. So they and their neighbours decide. Where formulas are inside of each other, and all
//! their variables are only compared, with each other too, `n` formulas inside of each other can't
//! tell distances of 2ⁿ⁻¹ and more apart (games of Ehrenfeucht and Fraïssé on finite orders), so
//! the values up to that distance decide, with the ends of the type among those compared with.

use crate::contract::{Bound, Interval};
use crate::typed::{
    BinaryOp, Callee, Comparison, Conversion, ExprId, ExprKind, Function, ObjectId, PlaceKind,
    Program,
};
use crate::types::TypeId;

/// The bounds that were found.
#[derive(Default)]
struct Bounds {
    low: Option<Bound>,
    high: Option<Bound>,
    /// Variables that have no value outside of the formula.
    inner: Vec<ObjectId>,
}

/// A formula about all or some values that is a call, as ESBMC writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuantifierCall {
    /// Whether it is about all values.
    pub(crate) all: bool,
    /// The address of the variable, without conversions.
    pub(crate) pointer: ExprId,
    /// The variable, if it is named.
    pub(crate) object: Option<ObjectId>,
    /// What is said of it.
    pub(crate) body: ExprId,
}

/// How a formula uses its variable.
#[derive(Clone, Debug)]
pub(crate) struct Uses {
    /// The variable, and those of formulas inside that speak of it.
    pub(crate) variables: Vec<ObjectId>,
    /// What they are compared with, in terms that no such variable occurs in.
    pub(crate) compared: Vec<ExprId>,
    /// Whether they are compared with zero by being used as truth values.
    pub(crate) with_zero: bool,
    /// Whether nothing else is done with them.
    pub(crate) only_compared: bool,
    /// How many formulas about them are inside of each other.
    pub(crate) rank: u32,
}

/// The names of ESBMC's quantifiers: of all values, and of some.
pub const QUANTIFIERS: [&str; 2] = ["__ESBMC_forall", "__ESBMC_exists"];

/// What values are taken for in formulas whose outcome for all values is assumed.
pub const INSIDE: &str = "a formula about all values";

/// The quantifier that a function is called like.
pub(crate) fn quantifier(name: &str) -> Option<&'static str> {
    QUANTIFIERS.into_iter().find(|quantifier| *quantifier == name)
}

impl Program {
    /// The quantified formula that a call is.
    pub(crate) fn quantifier_call(&self, expr: ExprId) -> Option<QuantifierCall> {
        let ExprKind::Call(Callee::Function(function), arguments) = &self.exprs[expr].kind else {
            return None;
        };
        let function = &self.functions[*function];
        let name = quantifier(self.symbols.name(function.name))?;
        let defined = |(_, f): (_, &Function)| f.name == function.name && f.body.is_some();
        if self.functions.iter().any(defined) {
            return None;
        }
        self.quantifier_named(name, arguments)
    }

    /// The quantified formula that a call of a quantifier with some arguments is.
    pub(crate) fn quantifier_named(
        &self,
        name: &str,
        arguments: &[ExprId],
    ) -> Option<QuantifierCall> {
        let &[mut pointer, body] = arguments else { return None };
        while let ExprKind::Convert(Conversion::PointerToPointer, operand) =
            self.exprs[pointer].kind
        {
            pointer = operand;
        }
        let object = match self.exprs[pointer].kind {
            ExprKind::AddressOf(place) => match self.places[place].kind {
                PlaceKind::Object(object) => Some(object),
                _ => None,
            },
            _ => None,
        };
        let all = name == QUANTIFIERS[0];
        Some(QuantifierCall { all, pointer, object, body })
    }

    /// The variable and the body of a formula about all or some values, in either spelling.
    fn quantified_parts(&self, expr: ExprId) -> Option<(Option<ObjectId>, ExprId)> {
        match &self.exprs[expr].kind {
            ExprKind::Quantified(inner) => Some((Some(inner.object), inner.body)),
            _ => self.quantifier_call(expr).map(|call| (call.object, call.body)),
        }
    }

    /// Whether a formula calls functions, but for quantifiers.
    pub(crate) fn calls_functions(&self, root: ExprId) -> bool {
        let mut todo = vec![root];
        while let Some(expr) = todo.pop() {
            let kind = &self.exprs[expr].kind;
            let call = matches!(kind, ExprKind::Call(..) | ExprKind::StmtExpr(..));
            if call && self.quantifier_call(expr).is_none() {
                return true;
            }
            self.operands(kind, &mut todo);
        }
        false
    }

    // Intervals.

    /// The values of a variable for which a formula can have the outcome that decides.
    pub(crate) fn interval(&self, object: ObjectId, body: ExprId, all: bool) -> Option<Interval> {
        let mut bounds = Bounds { inner: vec![object], ..Bounds::default() };
        let mut todo = vec![(body, !all)];
        while let Some((expr, outcome)) = todo.pop() {
            // It has the outcome for some value of its variable, or for all.
            if let Some((inner, body)) = self.quantified_parts(expr) {
                if let Some(inner) = inner.filter(|inner| *inner != object) {
                    bounds.inner.push(inner);
                    todo.push((body, outcome));
                }
                continue;
            }
            match self.exprs[expr].kind {
                ExprKind::Logical { and, left, right } if and == outcome => {
                    // The left one is looked at first.
                    todo.extend([(right, outcome), (left, outcome)]);
                }
                ExprKind::Not(operand) => todo.push((operand, !outcome)),
                ExprKind::Convert(
                    Conversion::ToBool | Conversion::IntToInt | Conversion::Same,
                    operand,
                ) if self.is_truth(operand) => todo.push((operand, outcome)),
                ExprKind::Conditional(condition, then, otherwise) => {
                    // One of both never has the outcome.
                    if self.known_truth(otherwise) == Some(!outcome) {
                        todo.extend([(then, outcome), (condition, true)]);
                    } else if self.known_truth(then) == Some(!outcome) {
                        todo.extend([(otherwise, outcome), (condition, false)]);
                    }
                }
                ExprKind::Binary(
                    BinaryOp::Compare(op @ (Comparison::Eq | Comparison::Ne)),
                    left,
                    right,
                ) if self.is_truth(left) && self.known_truth(right) == Some(false) => {
                    todo.push((left, outcome == (op == Comparison::Ne)));
                }
                ExprKind::Binary(BinaryOp::Compare(op), left, right) => {
                    let op = if outcome { op } else { negated(op) };
                    self.bound(object, op, left, right, &mut bounds);
                    self.bound(object, mirrored(op), right, left, &mut bounds);
                }
                _ => {}
            }
        }
        let signed = self.is_signed(self.objects[object].ty.ty);
        let high = bounds.high.filter(|_| bounds.low.is_some() || !signed)?;
        Some(Interval { low: bounds.low, high })
    }

    /// Whether an expression is 0 or 1.
    fn is_truth(&self, mut expr: ExprId) -> bool {
        loop {
            match self.exprs[expr].kind {
                ExprKind::Logical { .. }
                | ExprKind::Not(_)
                | ExprKind::Binary(BinaryOp::Compare(_), ..)
                | ExprKind::Quantified(_)
                | ExprKind::Convert(Conversion::ToBool, _) => return true,
                ExprKind::Convert(Conversion::IntToInt | Conversion::Same, operand) => {
                    expr = operand;
                }
                ExprKind::Conditional(_, then, otherwise) => {
                    return [then, otherwise].iter().all(|e| self.known_truth(*e).is_some());
                }
                _ => return self.quantifier_call(expr).is_some(),
            }
        }
    }

    /// Whether a constant is not zero.
    fn known_truth(&self, expr: ExprId) -> Option<bool> {
        match self.constants.get(expr)?.value {
            crate::constant::Constant::Int(bits) => Some(bits != 0),
            _ => None,
        }
    }

    fn is_signed(&self, ty: TypeId) -> bool {
        self.types.shape(ty).is_some_and(|shape| shape.signed)
    }

    /// Takes up what `variable op other` says.
    fn bound(
        &self,
        object: ObjectId,
        op: Comparison,
        variable: ExprId,
        other: ExprId,
        bounds: &mut Bounds,
    ) {
        let depends = |inner: &ObjectId| self.mentions(*inner, other);
        let Some((found, keeps)) = self.variable_of(variable) else { return };
        if found != object || bounds.inner.iter().any(depends) {
            return;
        }
        let bound = |strict| Some(Bound { value: other, strict });
        match op {
            Comparison::Gt | Comparison::Ge if keeps => {
                bounds.low = bounds.low.or(bound(op == Comparison::Gt));
            }
            Comparison::Lt | Comparison::Le => {
                bounds.high = bounds.high.or(bound(op == Comparison::Lt));
            }
            Comparison::Eq if keeps => {
                bounds.low = bounds.low.or(bound(false));
                bounds.high = bounds.high.or(bound(false));
            }
            _ => {}
        }
    }

    /// The variable that an expression is after conversions that make no value smaller, and
    /// whether they change none.
    fn variable_of(&self, mut expr: ExprId) -> Option<(ObjectId, bool)> {
        let mut keeps = true;
        loop {
            match self.exprs[expr].kind {
                ExprKind::Convert(Conversion::IntToInt | Conversion::Same, operand) => {
                    let from = self.types.shape(self.exprs[operand].ty)?;
                    let to = self.types.shape(self.exprs[expr].ty)?;
                    let room = to.width >= from.width + u32::from(to.signed && !from.signed);
                    if !room {
                        return None;
                    }
                    keeps &= to.signed || !from.signed;
                    expr = operand;
                }
                ExprKind::Load(place) => match self.places[place].kind {
                    PlaceKind::Object(object) => return Some((object, keeps)),
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    /// Whether a variable occurs in an expression; statements are not looked into.
    pub(crate) fn mentions(&self, object: ObjectId, root: ExprId) -> bool {
        let mut todo = vec![root];
        while let Some(expr) = todo.pop() {
            let kind = &self.exprs[expr].kind;
            let place = match kind {
                ExprKind::Load(place) | ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                    self.root(*place)
                }
                _ => None,
            };
            if place == Some(object) || matches!(kind, ExprKind::StmtExpr(..)) {
                return true;
            }
            self.operands(kind, &mut todo);
        }
        false
    }

    // Comparisons alone.

    /// How a formula uses a variable.
    pub(crate) fn uses(&self, object: ObjectId, body: ExprId) -> Uses {
        let mut uses = Uses {
            variables: vec![object],
            compared: Vec::new(),
            with_zero: false,
            only_compared: true,
            rank: 1,
        };
        let mut todo = vec![(body, 1)];
        let mut inside = Vec::new();
        while let Some((expr, rank)) = todo.pop() {
            if let Some((inner, body)) = self.quantified_parts(expr) {
                // What does not speak of the variable is the same for all its values.
                if self.mentions(object, body) {
                    match inner.filter(|inner| *inner != object) {
                        Some(inner) => uses.variables.push(inner),
                        None => uses.only_compared = false,
                    }
                    uses.rank = uses.rank.max(rank + 1);
                    todo.push((body, rank + 1));
                }
                continue;
            }
            self.use_in(expr, &mut uses, &mut inside);
            todo.extend(inside.drain(..).map(|operand| (operand, rank)));
        }
        let ty = |object: &ObjectId| self.objects[*object].ty.ty;
        let first = ty(&object);
        uses.only_compared &= uses.variables.iter().all(|variable| ty(variable) == first);
        // A variable that occurs in one of the terms was not known to be one when it was seen.
        let terms = &uses.compared;
        let depends =
            |variable: &ObjectId| terms.iter().any(|term| self.mentions(*variable, *term));
        uses.only_compared &= !uses.variables.iter().any(depends);
        uses
    }

    /// Takes up what an expression does with the variables, but for its parts that remain.
    fn use_in(&self, expr: ExprId, uses: &mut Uses, remaining: &mut Vec<ExprId>) {
        let variable = |e: ExprId| {
            let found = self.variable_of(e).filter(|(_, keeps)| *keeps);
            found.map(|(object, _)| object).filter(|object| uses.variables.contains(object))
        };
        let is_free = |e: ExprId| !uses.variables.iter().any(|v| self.mentions(*v, e));
        match self.exprs[expr].kind {
            ExprKind::Binary(BinaryOp::Compare(_), left, right) => {
                match (variable(left), variable(right)) {
                    (Some(_), Some(_)) => {}
                    (Some(_), None) if is_free(right) => uses.compared.push(right),
                    (None, Some(_)) if is_free(left) => uses.compared.push(left),
                    _ => remaining.extend([left, right]),
                }
            }
            ExprKind::Not(operand) | ExprKind::Convert(Conversion::ToBool, operand) => {
                match variable(operand) {
                    Some(_) => uses.with_zero = true,
                    None => remaining.push(operand),
                }
            }
            ExprKind::Logical { left, right, .. } => {
                for operand in [left, right] {
                    match variable(operand) {
                        Some(_) => uses.with_zero = true,
                        None => remaining.push(operand),
                    }
                }
            }
            ExprKind::StmtExpr(..) => uses.only_compared = false,
            ref kind => {
                if let ExprKind::Load(place) | ExprKind::AddressOf(place) | ExprKind::Decay(place) =
                    kind
                {
                    let root = self.root(*place);
                    uses.only_compared &= root.is_none_or(|root| !uses.variables.contains(&root));
                }
                self.operands(kind, remaining);
            }
        }
    }
}

fn negated(op: Comparison) -> Comparison {
    match op {
        Comparison::Lt => Comparison::Ge,
        Comparison::Gt => Comparison::Le,
        Comparison::Le => Comparison::Gt,
        Comparison::Ge => Comparison::Lt,
        Comparison::Eq => Comparison::Ne,
        Comparison::Ne => Comparison::Eq,
    }
}

fn mirrored(op: Comparison) -> Comparison {
    match op {
        Comparison::Lt => Comparison::Gt,
        Comparison::Gt => Comparison::Lt,
        Comparison::Le => Comparison::Ge,
        Comparison::Ge => Comparison::Le,
        other => other,
    }
}
