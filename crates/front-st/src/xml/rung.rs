//! Rungs without a graph, as some tools write ladder diagrams: contacts one after the other, then
//! coils; blocks with the expressions at their pins as text.

use super::emit::{binary, member, not, variables};
use super::network::{Change, change, is_true, truth, variable};
use super::plcopen::Context;
use super::{Reader, children, elements};
use crate::ast::{
    Argument, AssignOp, BinaryOp, Block, Expr, ExprKind, Name, Path, Stmt, StmtKind, TypeKind,
    TypeSpec, VariableKind,
};
use roxmltree::Node;
use source::Span;

/// The statements of `<rung>`.
pub(super) fn statements(reader: &mut Reader, context: &mut Context, rung: Node, out: &mut Block) {
    let span = reader.span(rung);
    let mut power = truth(span);
    let coils = children(rung, "coil").count();
    for (index, element) in elements(rung).enumerate() {
        let at = reader.span(element);
        match element.tag_name().name() {
            "contact" => {
                let Some(contact) = variable(reader, element) else { continue };
                let how = change(element);
                if how.edge.is_some() {
                    reader.wrong(element, "edges are read only in diagrams with connections", "");
                }
                let contact = if how.negated { not(contact) } else { contact };
                power =
                    if is_true(&power) { contact } else { binary(BinaryOp::And, power, contact) };
            }
            "coil" => {
                let Some(coil) = variable(reader, element) else { continue };
                // Several coils see one and the same power.
                let simple = matches!(power.kind, ExprKind::Literal(_) | ExprKind::Name(_));
                if coils > 1 && !simple {
                    let id = rung.attribute("localId").unwrap_or_default();
                    let name = Name::new(&format!("_rung{id}_{index}"), at);
                    let ty = super::interface::type_named("BOOL", at);
                    let declared = variables(name.clone(), ty, at);
                    context.added.push((VariableKind::Temp, declared));
                    let kept = Expr { kind: ExprKind::Name(name), span: at };
                    let assign = StmtKind::Assign(kept.clone(), AssignOp::Value, power);
                    out.push(Stmt { kind: assign, span: at });
                    power = kept;
                }
                out.push(assigned(coil, power.clone(), &change(element), at));
            }
            "block" => power = block(reader, context, element, power, out),
            "comment" | "documentation" => {}
            other => {
                let message = format!("<{other}> is not an element of a rung that is read");
                reader.wrong(element, message, "rungs have contacts, blocks and coils");
            }
        }
    }
}

fn assigned(target: Expr, power: Expr, how: &Change, span: Span) -> Stmt {
    let value = if how.negated { not(power) } else { power };
    let op = match how.storage {
        None => AssignOp::Value,
        Some(true) => AssignOp::Set,
        Some(false) => AssignOp::Reset,
    };
    Stmt { kind: StmtKind::Assign(target, op, value), span }
}

/// A block and the expressions at its pins. What is left of it is its condition; the power goes on
/// to the right.
fn block(
    reader: &mut Reader,
    context: &mut Context,
    node: Node,
    power: Expr,
    out: &mut Block,
) -> Expr {
    let span = reader.span(node);
    let Some(super::network::DrawnKind::Block { ty, instance, .. }) =
        super::network::block(reader, node)
    else {
        return power;
    };
    let key = ty.last().key.clone();
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for pin in children(node, "variable") {
        let Some(name) = reader.name_of(pin, "formalParameter") else { continue };
        let text = reader.content(pin);
        let Some(value) = reader.with(&text, |parser| parser.expression()) else { continue };
        if context.known.is_output(&key, &name.key) {
            outputs.push((name, value));
        } else {
            inputs.push((name, value));
        }
    }
    let mut inside = Block::new();
    let function = context.known.is_function(&key) || instance.is_none();
    if function {
        let arguments = inputs.into_iter().map(|(_, value)| Argument::Positional(value)).collect();
        let callee = Box::new(super::emit::path_expr(&ty));
        let call = Expr { kind: ExprKind::Call(callee, arguments), span };
        let mut targets = outputs.into_iter().filter(|(name, _)| !name.is("eno"));
        let kind = match targets.next() {
            Some((_, target)) => StmtKind::Assign(target, AssignOp::Value, call),
            None => StmtKind::Expr(call),
        };
        inside.push(Stmt { kind, span });
        if let Some((name, target)) = targets.next() {
            let message = format!("'{name}': a function has one result");
            reader.report(source::Diagnostic::error(target.span, message));
        }
    } else if let Some(instance) = instance {
        declare(context, &ty, &instance);
        let arguments = inputs.into_iter().map(|(name, value)| {
            let value = time(reader, context, (&key, &name), value);
            Argument::Input(name, Some(value))
        });
        let call = ExprKind::Call(Box::new(instance.clone()), arguments.collect());
        inside.push(Stmt { kind: StmtKind::Expr(Expr { kind: call, span }), span });
        for (name, target) in outputs {
            let value = member(instance.clone(), name);
            let value = number(reader, context, value, &target);
            inside.push(Stmt { kind: StmtKind::Assign(target, AssignOp::Value, value), span });
        }
    }
    if is_true(&power) {
        out.append(&mut inside);
    } else {
        out.push(Stmt { kind: StmtKind::If(vec![(power.clone(), inside)], None), span });
    }
    power
}

/// Declares an instance that the interface does not have.
fn declare(context: &mut Context, ty: &Path, instance: &Expr) {
    if let ExprKind::Name(name) = &instance.kind
        && context.known.variable(&name.key).is_none()
    {
        let ty = TypeSpec { kind: TypeKind::Named(ty.clone()), span: ty.span };
        context.known.add(&name.key, ty.clone());
        context.added.push((VariableKind::Local, variables(name.clone(), ty, name.span)));
    }
}

/// The integer type of an expression.
fn integer(context: &Context, value: &Expr) -> Option<&'static str> {
    let TypeKind::Named(path) = context.known.type_of(value)?.kind else { return None };
    let all = ["SINT", "INT", "DINT", "LINT", "USINT", "UINT", "UDINT", "ULINT"];
    all.into_iter().find(|name| path.last().is(&name.to_lowercase()))
}

/// A time that is given as a number is one of milliseconds, which is said.
fn time(reader: &mut Reader, context: &Context, (block, pin): (&str, &Name), value: Expr) -> Expr {
    if !matches!(block, "ton" | "tof" | "tp") || !pin.is("pt") {
        return value;
    }
    let Some(integer) = integer(context, &value) else { return value };
    reader.warn(value.span, format!("this {integer} is read as a time in milliseconds"));
    converted(&format!("{integer}_TO_TIME"), value)
}

/// The time of a timer as a number of milliseconds, where a number takes it.
fn number(reader: &mut Reader, context: &Context, value: Expr, target: &Expr) -> Expr {
    let of_timer = matches!(&value.kind, ExprKind::Member(_, name) if name.is("et"));
    match integer(context, target).filter(|_| of_timer) {
        Some(integer) => {
            reader.warn(target.span, format!("this time becomes {integer} milliseconds"));
            converted(&format!("TIME_TO_{integer}"), value)
        }
        None => value,
    }
}

fn converted(function: &str, value: Expr) -> Expr {
    let span = value.span;
    let name = Expr { kind: ExprKind::Name(Name::new(function, span)), span };
    Expr { kind: ExprKind::Call(Box::new(name), vec![Argument::Positional(value)]), span }
}
