//! Sequential function charts as PLCopen draws them: steps, transitions, and what leads from one to
//! the other.

use super::plcopen::Context;
use super::{Reader, child, children, elements};
use crate::ast::{Action, Association, Body, Chart, Expr, ExprKind, Name, Step, Transition};
use roxmltree::Node;
use rustc_hash::{FxHashMap, FxHashSet};

/// The elements of a chart, and which lead to which.
struct Drawing<'a, 'i> {
    nodes: FxHashMap<&'a str, Node<'a, 'i>>,
    /// What each element leads to, in the order in which it is drawn.
    next: FxHashMap<&'a str, Vec<Node<'a, 'i>>>,
}

/// `<SFC>`
pub(super) fn chart(reader: &mut Reader, context: &mut Context, body: Node) -> Chart {
    let mut drawing = Drawing { nodes: FxHashMap::default(), next: FxHashMap::default() };
    for node in elements(body) {
        if let Some(id) = node.attribute("localId") {
            drawing.nodes.insert(id, node);
        }
        for id in sources(node) {
            drawing.next.entry(id).or_default().push(node);
        }
    }
    let mut chart = Chart::default();
    for node in elements(body) {
        match node.tag_name().name() {
            "step" => {
                let Some(name) = reader.name_of(node, "name") else { continue };
                let initial = node.attribute("initialStep") == Some("true");
                let span = reader.span(node);
                chart.steps.push(Step { name, initial, actions: Vec::new(), span });
            }
            "macroStep" => {
                reader.wrong(node, "macro steps are not read", "write their steps out");
            }
            "transition" => {
                let transition = transition(reader, context, &drawing, node);
                chart.transitions.extend(transition);
            }
            _ => {}
        }
    }
    for node in children(body, "actionBlock") {
        actions(reader, context, &drawing, node, &mut chart);
    }
    chart
}

/// The elements that an element is connected to, against the flow.
fn sources<'a>(node: Node<'a, '_>) -> Vec<&'a str> {
    let points = children(node, "connectionPointIn");
    let connections = points.flat_map(|point| children(point, "connection"));
    connections.filter_map(|connection| connection.attribute("refLocalId")).collect()
}

fn transition(
    reader: &mut Reader,
    context: &mut Context,
    drawing: &Drawing,
    node: Node,
) -> Option<Transition> {
    let condition = condition(reader, context, drawing, node)?;
    let from = before(reader, drawing, node);
    let to = after(reader, drawing, node);
    if from.is_empty() || to.is_empty() {
        let message = "this transition does not lead from a step to a step";
        reader.wrong(node, message, "connect it to steps or jumps");
        return None;
    }
    let priority = reader.expression_of(node, "priority");
    Some(Transition { name: None, priority, from, to, condition, span: reader.span(node) })
}

fn condition(
    reader: &mut Reader,
    context: &mut Context,
    drawing: &Drawing,
    node: Node,
) -> Option<Expr> {
    let Some(condition) = child(node, "condition") else {
        reader.wrong(node, "this transition has no condition", "");
        return None;
    };
    if let Some(inline) = child(condition, "inline") {
        if let Some(code) = child(inline, "ST") {
            let text = reader.content(code);
            return reader.with(&text, |parser| parser.condition_text());
        }
    } else if let Some(reference) = child(condition, "reference") {
        let name = reader.name_of(reference, "name")?;
        return Some(match context.transitions.get(&*name.key) {
            Some(condition) => condition.clone(),
            None => Expr { span: name.span, kind: ExprKind::Name(name) },
        });
    } else {
        // A line from an expression that is drawn.
        let mut ids = sources(condition);
        ids.extend(children(condition, "connection").filter_map(|c| c.attribute("refLocalId")));
        let source = ids.first().and_then(|id| drawing.nodes.get(id)).copied();
        if let Some(code) = source.and_then(|source| child(source, "expression")) {
            let text = reader.content(code);
            return reader.with(&text, |parser| parser.condition_text());
        }
    }
    reader.wrong(condition, "this condition is not read", "write it as ST");
    None
}

/// The steps that must be active for a transition.
fn before(reader: &mut Reader, drawing: &Drawing, transition: Node) -> Vec<Name> {
    let mut steps = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = sources(transition);
    open.reverse();
    while let Some(id) = open.pop() {
        let Some(node) = drawing.nodes.get(id).copied().filter(|_| seen.insert(id)) else {
            continue;
        };
        match node.tag_name().name() {
            "step" => steps.extend(reader.name_of(node, "name")),
            "selectionDivergence"
            | "simultaneousConvergence"
            | "simultaneousDivergence"
            | "selectionConvergence" => {
                open.extend(sources(node).into_iter().rev());
            }
            _ => {}
        }
    }
    steps
}

/// The steps that become active after a transition.
fn after(reader: &mut Reader, drawing: &Drawing, transition: Node) -> Vec<Name> {
    let mut steps = Vec::new();
    let mut seen = FxHashSet::default();
    let following = |node: Node| {
        let id = node.attribute("localId");
        let next = id.and_then(|id| drawing.next.get(id));
        next.into_iter().flatten().rev().copied().collect::<Vec<_>>()
    };
    let mut open = following(transition);
    while let Some(node) = open.pop() {
        if !seen.insert(node.id()) {
            continue;
        }
        match node.tag_name().name() {
            "step" => steps.extend(reader.name_of(node, "name")),
            "jumpStep" => steps.extend(reader.name_of(node, "targetName")),
            "selectionConvergence"
            | "simultaneousDivergence"
            | "simultaneousConvergence"
            | "selectionDivergence" => open.extend(following(node)),
            _ => {}
        }
    }
    steps
}

/// The actions of a step.
fn actions(
    reader: &mut Reader,
    context: &mut Context,
    drawing: &Drawing,
    block: Node,
    chart: &mut Chart,
) {
    let step = sources(block).first().and_then(|id| drawing.nodes.get(id)).copied();
    let step = step.and_then(|node| node.attribute("name"));
    let step = step.map(str::to_lowercase);
    let index = chart.steps.iter().position(|s| step.as_deref() == Some(&*s.name.key));
    let Some(index) = index else {
        reader.wrong(block, "these actions belong to no step", "connect them to a step");
        return;
    };
    for node in children(block, "action") {
        let span = reader.span(node);
        let qualifier = match node.attribute("qualifier").map(str::trim) {
            None | Some("") => Name::new("N", span),
            Some(text) => Name::new(text, span),
        };
        let time = reader.expression_of(node, "duration");
        let reference = child(node, "reference");
        let name = match (reference, child(node, "inline")) {
            (Some(reference), _) => reader.name_of(reference, "name"),
            (None, Some(inline)) => inline_action(reader, context, inline, node),
            (None, None) => {
                reader.wrong(node, "this action does nothing that is read", "");
                None
            }
        };
        let Some(name) = name else { continue };
        let (indicators, code) = (Vec::new(), None);
        let association = Association { name, qualifier, time, indicators, code, span };
        chart.steps[index].actions.push(association);
    }
}

/// Code in the place of a named action becomes an action of the unit.
fn inline_action(
    reader: &mut Reader,
    context: &mut Context,
    inline: Node,
    node: Node,
) -> Option<Name> {
    let span = reader.span(node);
    let code = child(inline, "ST").or_else(|| child(inline, "FBD")).or_else(|| child(inline, "LD"));
    let Some(code) = code else {
        reader.wrong(inline, "the code of this action is not read", "write it in ST, LD or FBD");
        return None;
    };
    let block = if code.tag_name().name() == "ST" {
        let text = reader.content(code);
        reader.with(&text, |parser| Ok(parser.block()))?
    } else {
        super::emit::statements(reader, context, code)
    };
    let number = context.actions.len();
    let name = Name::new(&format!("_action{number}"), span);
    let body = Body::Code(block);
    context.actions.push(Action { name: name.clone(), pragmas: Vec::new(), body, span });
    Some(name)
}
