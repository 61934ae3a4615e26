//! The graph of a ladder or function block diagram, as it is drawn.

use super::{Reader, child, children, elements};
use crate::ast::{Edge, Expr, ExprKind, Name, Path};
use roxmltree::Node;
use rustc_hash::FxHashMap;
use source::Span;

/// Elements and the connections between them.
#[derive(Default)]
pub(super) struct Network {
    pub(super) nodes: Vec<Drawn>,
    by_id: FxHashMap<Box<str>, usize>,
    /// The elements that connectors of a name stand for.
    pub(super) connectors: FxHashMap<Box<str>, usize>,
}

/// An element.
pub(super) struct Drawn {
    pub(super) kind: DrawnKind,
    pub(super) span: Span,
    /// Its number, for names of variables.
    pub(super) id: Box<str>,
    /// `executionOrderId`
    pub(super) order: Option<u64>,
    /// Where it is drawn, from top to bottom and from left to right.
    pub(super) place: (i64, i64),
    pub(super) inputs: Vec<Input>,
}

/// What happens to a value on its way.
#[derive(Clone, Default)]
pub(super) struct Change {
    pub(super) negated: bool,
    pub(super) edge: Option<Edge>,
    /// `set` (true) or `reset` (false).
    pub(super) storage: Option<bool>,
}

/// What an element is.
pub(super) enum DrawnKind {
    /// The left power rail.
    Power,
    Contact(Expr, Change),
    Coil(Expr, Change),
    /// An expression that is read.
    Read(Expr, Change),
    /// A variable that is written.
    Write(Expr, Change),
    /// A variable that is written and read.
    ReadWrite(Expr, Change),
    Block {
        ty: Path,
        instance: Option<Expr>,
        outputs: Vec<(Name, Change)>,
    },
    /// A block of code.
    Execute(crate::ast::Block),
    Label(Name),
    Jump(Name),
    Return,
    /// Takes its input to all continuations of its name.
    Connector,
    Continuation(Box<str>),
    /// The right power rail, comments.
    Nothing,
}

/// An input of an element.
pub(super) struct Input {
    /// The parameter of a block.
    pub(super) name: Option<Name>,
    pub(super) change: Change,
    /// The elements whose values come in, and which of their outputs.
    pub(super) sources: Vec<Source>,
}

pub(super) struct Source {
    pub(super) from: usize,
    pub(super) output: Option<Box<str>>,
}

/// A connection whose end is not known yet.
struct Open {
    node: usize,
    input: usize,
    id: Box<str>,
    output: Option<Box<str>>,
    span: Span,
}

impl Network {
    /// Reads the elements of `<LD>` or `<FBD>`.
    pub(super) fn read(reader: &mut Reader, body: Node) -> Network {
        let mut network = Network::default();
        let mut open = Vec::new();
        for node in elements(body) {
            let Some(kind) = kind(reader, node) else { continue };
            let index = network.nodes.len();
            let id: Box<str> = node.attribute("localId").unwrap_or_default().into();
            if let DrawnKind::Connector = kind {
                let name = node.attribute("name").unwrap_or_default();
                network.connectors.insert(name.to_lowercase().into(), index);
            }
            let mut drawn = Drawn {
                kind,
                span: reader.span(node),
                id: id.clone(),
                order: order(node),
                place: place(node),
                inputs: Vec::new(),
            };
            inputs(reader, node, index, &mut drawn, &mut open);
            network.nodes.push(drawn);
            if !id.is_empty() && network.by_id.insert(id, index).is_some() {
                reader.wrong(node, "two elements have this number", "localId is a number for one");
            }
        }
        for open in open {
            match network.by_id.get(&open.id) {
                Some(&from) => {
                    let source = Source { from, output: open.output };
                    network.nodes[open.node].inputs[open.input].sources.push(source);
                }
                None => {
                    let message = format!("no element has the number '{}'", open.id);
                    reader.report(source::Diagnostic::error(open.span, message));
                }
            }
        }
        network
    }

    /// How many inputs take a value from each element.
    pub(super) fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.nodes.len()];
        for node in &self.nodes {
            if matches!(node.kind, DrawnKind::Nothing) {
                continue;
            }
            for source in node.inputs.iter().flat_map(|input| &input.sources) {
                uses[source.from] += 1;
            }
            if let DrawnKind::Continuation(name) = &node.kind
                && let Some(&connector) = self.connectors.get(name)
            {
                uses[connector] += 1;
            }
        }
        uses
    }

    /// For each element the first one, as it is drawn, of those that are connected to it other than
    /// by power rails: its rung or network.
    pub(super) fn groups(&self) -> Vec<usize> {
        let mut group: Vec<usize> = (0..self.nodes.len()).collect();
        fn root(group: &mut [usize], mut at: usize) -> usize {
            while group[at] != at {
                group[at] = group[group[at]];
                at = group[at];
            }
            at
        }
        let rail = |node: &Drawn| matches!(node.kind, DrawnKind::Power | DrawnKind::Nothing);
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| !rail(node)) {
            for source in node.inputs.iter().flat_map(|input| &input.sources) {
                if !rail(&self.nodes[source.from]) {
                    let (a, b) = (root(&mut group, index), root(&mut group, source.from));
                    // The one that is drawn first stands for both.
                    let key = |i: usize| (self.nodes[i].place, i);
                    let (first, second) = if key(a) <= key(b) { (a, b) } else { (b, a) };
                    group[second] = first;
                }
            }
        }
        (0..group.len()).map(|index| root(&mut group, index)).collect()
    }
}

impl Network {
    /// For each element the loop that it is part of: elements of one loop have the same number, and
    /// an element without a loop has one of its own (strongly connected components by Kosaraju).
    pub(super) fn loops(&self) -> Vec<usize> {
        let count = self.nodes.len();
        let (mut before, mut after) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (index, node) in self.nodes.iter().enumerate() {
            let connector = match &node.kind {
                DrawnKind::Continuation(name) => self.connectors.get(name).copied(),
                _ => None,
            };
            let sources = node.inputs.iter().flat_map(|input| &input.sources);
            for from in sources.map(|source| source.from).chain(connector) {
                before[index].push(from);
                after[from].push(index);
            }
        }
        let mut finished = Vec::with_capacity(count);
        let mut seen = vec![false; count];
        for start in 0..count {
            let mut open = vec![(start, 0)];
            while let Some((node, next)) = open.pop() {
                if next == 0 && std::mem::replace(&mut seen[node], true) {
                    continue;
                }
                match after[node].get(next) {
                    Some(&to) => open.extend([(node, next + 1), (to, 0)]),
                    None => finished.push(node),
                }
            }
        }
        let mut part = vec![usize::MAX; count];
        for &start in finished.iter().rev() {
            let mut open = vec![start];
            while let Some(node) = open.pop() {
                if part[node] == usize::MAX {
                    part[node] = start;
                    open.extend(&before[node]);
                }
            }
        }
        part
    }

    /// Whether a line leads back in a loop: against the direction in which diagrams are read.
    pub(super) fn leads_back(&self, loops: &[usize], from: usize, to: usize) -> bool {
        let key = |index: usize| {
            let (y, x) = self.nodes[index].place;
            (x, y, index)
        };
        loops[from] == loops[to] && key(from) > key(to)
    }
}

/// `executionOrderId`; 0 is how some tools write that there is none.
fn order(node: Node) -> Option<u64> {
    node.attribute("executionOrderId").and_then(|n| n.parse().ok()).filter(|&order| order > 0)
}

/// `(y, x)`
fn place(node: Node) -> (i64, i64) {
    let number = |name: &str| {
        let text = child(node, "position").and_then(|p| p.attribute(name).map(str::to_owned));
        text.and_then(|t| t.trim().parse::<f64>().ok()).map_or(0, |v| v as i64)
    };
    (number("y"), number("x"))
}

/// `negated`, `edge` and `storage` of an element.
pub(super) fn change(node: Node) -> Change {
    // "negated" is what some tools write for "true".
    let negated = matches!(node.attribute("negated"), Some("true" | "negated" | "1"));
    let edge = match node.attribute("edge") {
        Some("rising") => Some(Edge::Rising),
        Some("falling") => Some(Edge::Falling),
        _ => None,
    };
    let storage = match node.attribute("storage").or(node.attribute("kind")) {
        Some("set") => Some(true),
        Some("reset") => Some(false),
        _ => None,
    };
    Change { negated, edge, storage }
}

/// The variable of a contact or coil: an element, or an attribute.
pub(super) fn variable(reader: &mut Reader, node: Node) -> Option<Expr> {
    if node.has_attribute("variable") {
        return reader.expression_of(node, "variable");
    }
    expression(reader, node, "variable")
}

fn expression(reader: &mut Reader, node: Node, tag: &str) -> Option<Expr> {
    let Some(code) = child(node, tag) else {
        let name = node.tag_name().name();
        reader.wrong(node, format!("this <{name}> has no <{tag}>"), "");
        return None;
    };
    let text = reader.content(code);
    reader.with(&text, |parser| parser.expression())
}

fn kind(reader: &mut Reader, node: Node) -> Option<DrawnKind> {
    Some(match node.tag_name().name() {
        "leftPowerRail" => DrawnKind::Power,
        "contact" => DrawnKind::Contact(variable(reader, node)?, change(node)),
        "coil" => DrawnKind::Coil(variable(reader, node)?, change(node)),
        "inVariable" => DrawnKind::Read(expression(reader, node, "expression")?, change(node)),
        "outVariable" => DrawnKind::Write(expression(reader, node, "expression")?, change(node)),
        "inOutVariable" => {
            DrawnKind::ReadWrite(expression(reader, node, "expression")?, change(node))
        }
        "block" => match node.descendants().find(|n| n.tag_name().name() == "STCode") {
            Some(code) => {
                let text = reader.content(code);
                DrawnKind::Execute(reader.with(&text, |parser| Ok(parser.block()))?)
            }
            None => block(reader, node)?,
        },
        "label" => DrawnKind::Label(reader.name_of(node, "label")?),
        "jump" => DrawnKind::Jump(reader.name_of(node, "label")?),
        "return" => DrawnKind::Return,
        "connector" => DrawnKind::Connector,
        "continuation" => DrawnKind::Continuation(
            node.attribute("name").unwrap_or_default().to_lowercase().into(),
        ),
        "rightPowerRail" | "comment" | "error" => DrawnKind::Nothing,
        // Networks' titles and settings of CODESYS.
        "vendorElement" => DrawnKind::Nothing,
        other => {
            let message = format!("<{other}> is not an element of a diagram that is read");
            reader.wrong(node, message, "");
            return None;
        }
    })
}

pub(super) fn block(reader: &mut Reader, node: Node) -> Option<DrawnKind> {
    let text = reader.attribute(node, "typeName");
    let Some(text) = text else {
        reader.wrong(node, "this block has no typeName", "");
        return None;
    };
    let ty = reader.with(&text, |parser| {
        // Operators are called like functions.
        if parser.name_ahead(0) {
            parser.path("a type")
        } else {
            Ok(Path::from(parser.any_name()?))
        }
    })?;
    let instance = reader.expression_of(node, "instanceName");
    let mut outputs = Vec::new();
    for pin in child(node, "outputVariables").into_iter().flat_map(|o| children(o, "variable")) {
        if let Some(name) = pin_name(reader, pin) {
            outputs.push((name, change(pin)));
        }
    }
    Some(DrawnKind::Block { ty, instance, outputs })
}

/// The parameter of a pin; none if it has no name.
fn pin_name(reader: &mut Reader, pin: Node) -> Option<Name> {
    match pin.attribute("formalParameter").map(str::trim) {
        None | Some("") => None,
        Some(_) => reader.name_of(pin, "formalParameter"),
    }
}

fn inputs(reader: &mut Reader, node: Node, index: usize, drawn: &mut Drawn, open: &mut Vec<Open>) {
    if !matches!(drawn.kind, DrawnKind::Block { .. } | DrawnKind::Execute(_)) {
        drawn.inputs.push(Input { name: None, change: Change::default(), sources: Vec::new() });
        for point in children(node, "connectionPointIn") {
            connections(reader, point, (index, 0), open);
        }
        return;
    }
    for list in ["inputVariables", "inOutVariables"] {
        for pin in child(node, list).into_iter().flat_map(|l| children(l, "variable")) {
            let name = pin_name(reader, pin);
            let input = drawn.inputs.len();
            let sources = Vec::new();
            drawn.inputs.push(Input { name, change: change(pin), sources });
            for point in children(pin, "connectionPointIn") {
                connections(reader, point, (index, input), open);
            }
        }
    }
}

fn connections(reader: &Reader, point: Node, (node, input): (usize, usize), open: &mut Vec<Open>) {
    for connection in children(point, "connection") {
        let Some(id) = connection.attribute("refLocalId") else { continue };
        let output = connection.attribute("formalParameter").filter(|name| !name.is_empty());
        open.push(Open {
            node,
            input,
            id: id.into(),
            output: output.map(|name| name.to_lowercase().into()),
            span: reader.span(connection),
        });
    }
}

/// `TRUE`
pub(super) fn truth(span: Span) -> Expr {
    let kind = crate::ast::LiteralKind::Bool(true);
    Expr { kind: ExprKind::Literal(crate::ast::Literal { ty: None, kind }), span }
}

/// Whether an expression is `TRUE`.
pub(super) fn is_true(expr: &Expr) -> bool {
    matches!(
        &expr.kind,
        ExprKind::Literal(literal) if literal.kind == crate::ast::LiteralKind::Bool(true)
    )
}
