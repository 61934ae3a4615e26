//! Diagrams to statements [IEC 61131-3 §8.1.3: order of evaluation].
//!
//! Rungs and networks are done from top to bottom, each from its inputs to what it writes; within
//! one, what is drawn higher comes first. Numbers that a tool gives (`executionOrderId`) come before
//! places. A value is computed once: if it goes to several places, a variable takes it, with a name
//! that no program can have by accident (`_net5`). A loop goes through a function block; the line of
//! it that leads back, from right to left, carries the value of the cycle before.
//!
//! A later rung sees what an earlier one wrote, as in all controllers we know.

use super::network::{Change, Drawn, DrawnKind, Network, is_true, truth};
use super::plcopen::Context;
use super::{Reader, elements};
use crate::ast::{
    Argument, AssignOp, BinaryOp, Block, Edge, Expr, ExprKind, Literal, LiteralKind, Name, Path,
    Stmt, StmtKind, TypeKind, TypeSpec, UnaryOp, VariableKind, Variables,
};
use crate::parse::MAX_HEIGHT;
use roxmltree::Node;
use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

/// Parts of an expression that a diagram may make of values that go to one place each.
const MAX_SIZE: usize = 20_000;

/// The statements of `<LD>` or `<FBD>`.
pub(super) fn statements(reader: &mut Reader, context: &mut Context, body: Node) -> Block {
    let mut out = Block::new();
    let (rungs, drawn): (Vec<_>, Vec<_>) =
        elements(body).partition(|node| node.tag_name().name() == "rung");
    for rung in rungs {
        super::rung::statements(reader, context, rung, &mut out);
    }
    if drawn.is_empty() {
        return out;
    }
    let network = Network::read(reader, body);
    let mut emitter = Emitter {
        state: vec![State::New; network.nodes.len()],
        uses: network.uses(),
        loops: network.loops(),
        values: FxHashMap::default(),
        network: &network,
        depth: 0,
        reader,
        context,
        out,
    };
    emitter.run();
    emitter.out
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

struct Emitter<'n, 'r, 'x> {
    network: &'n Network,
    state: Vec<State>,
    uses: Vec<usize>,
    /// Which elements are in one loop.
    loops: Vec<usize>,
    /// What elements and their outputs are, once they are computed.
    values: FxHashMap<(usize, Box<str>), Expr>,
    depth: u32,
    reader: &'r mut Reader<'x>,
    context: &'r mut Context,
    out: Block,
}

impl Emitter<'_, '_, '_> {
    /// What writes or has an effect, in order.
    fn run(&mut self) {
        let groups = self.network.groups();
        let nodes = &self.network.nodes;
        let mut order: Vec<usize> = (0..nodes.len()).filter(|&i| acts(&nodes[i])).collect();
        order.sort_by_key(|&i| {
            let group = groups[i];
            (nodes[i].order.is_none(), nodes[i].order, nodes[group].place, group, nodes[i].place, i)
        });
        for index in order {
            self.act(index);
        }
    }

    fn act(&mut self, index: usize) {
        let network = self.network;
        let node = &network.nodes[index];
        match &node.kind {
            DrawnKind::Coil(variable, change)
            | DrawnKind::Write(variable, change)
            | DrawnKind::ReadWrite(variable, change) => {
                // It may have been written before, because somebody reads it.
                if std::mem::replace(&mut self.state[index], State::Done) == State::Done
                    && matches!(node.kind, DrawnKind::ReadWrite(..))
                {
                    return;
                }
                let ladder = matches!(node.kind, DrawnKind::Coil(..));
                if let Some(value) = self.input(index, 0, ladder) {
                    let value = self.fitting(value, variable);
                    self.assign(variable.clone(), value, change, node);
                }
            }
            DrawnKind::Block { .. } | DrawnKind::Execute(_) => self.block(index),
            DrawnKind::Label(name) => self.push(StmtKind::Label(name.clone()), node.span),
            DrawnKind::Jump(name) => {
                let condition = self.input(index, 0, true).unwrap_or_else(|| truth(node.span));
                self.guarded(condition, StmtKind::Jump(name.clone()), node.span);
            }
            DrawnKind::Return => {
                let condition = self.input(index, 0, true).unwrap_or_else(|| truth(node.span));
                self.guarded(condition, StmtKind::Return, node.span);
            }
            _ => {}
        }
    }

    fn push(&mut self, kind: StmtKind, span: Span) {
        self.out.push(Stmt { kind, span });
    }

    fn guarded(&mut self, condition: Expr, kind: StmtKind, span: Span) {
        if is_true(&condition) {
            return self.push(kind, span);
        }
        let body = vec![Stmt { kind, span }];
        self.push(StmtKind::If(vec![(condition, body)], None), span);
    }

    fn assign(&mut self, target: Expr, value: Expr, change: &Change, node: &Drawn) {
        let value = self.changed(value, change, node, "out");
        let op = match change.storage {
            None => AssignOp::Value,
            Some(true) => AssignOp::Set,
            Some(false) => AssignOp::Reset,
        };
        self.push(StmtKind::Assign(target, op, value), node.span);
    }

    /// The value that comes in; of a rung (`power`), whether any of the lines carries power.
    fn input(&mut self, index: usize, input: usize, power: bool) -> Option<Expr> {
        let network = self.network;
        let node = &network.nodes[index];
        let wired = node.inputs.get(input)?;
        if wired.sources.is_empty() {
            if power && node.inputs.len() == 1 && !matches!(node.kind, DrawnKind::Block { .. }) {
                let help = "an element without a line to the left carries no power";
                let warning = "nothing is connected to this element";
                self.reader.warnings.push(*Diagnostic::warning(node.span, warning).help(help));
                return Some(not(truth(node.span)));
            }
            return None;
        }
        let mut value: Option<Expr> = None;
        for source in &wired.sources {
            let next = self.value(source.from, source.output.as_deref().unwrap_or_default(), index);
            value = Some(match value {
                None => next,
                Some(before) if is_true(&before) || is_true(&next) => truth(node.span),
                Some(before) => binary(BinaryOp::Or, before, next),
            });
        }
        let value = self.changed(value?, &wired.change, node, &format!("in{input}"));
        self.bounded(value, node.span)
    }

    /// An expression that did not grow beyond what is sensible.
    fn bounded(&mut self, value: Expr, span: Span) -> Option<Expr> {
        let (size, height) = measure(&value);
        if size <= MAX_SIZE && height <= MAX_HEIGHT / 2 {
            return Some(value);
        }
        let message = "too many values come together here";
        let help = "write a value in between to a variable";
        self.reader.report(Diagnostic::error(span, message).help(help));
        None
    }

    /// Negation and edges.
    fn changed(&mut self, value: Expr, change: &Change, node: &Drawn, pin: &str) -> Expr {
        let value = match change.edge {
            Some(edge) => self.edge(value, edge, node, pin),
            None => value,
        };
        if change.negated { not(value) } else { value }
    }

    /// Whether a value changed since the last cycle: an instance of `R_TRIG` or `F_TRIG`.
    fn edge(&mut self, value: Expr, edge: Edge, node: &Drawn, pin: &str) -> Expr {
        let name = format!("_edge{}_{pin}", node.id);
        if self.context.function {
            // A name that nobody declares stands for any value.
            let message = "a function has no memory for edges: what it sees here is unknown";
            self.reader.warn(node.span, message);
            return Expr { kind: ExprKind::Name(Name::new(&name, node.span)), span: node.span };
        }
        let block = if edge == Edge::Rising { "R_TRIG" } else { "F_TRIG" };
        let span = node.span;
        let ty = super::interface::type_named(block, span);
        let instance = self.add(VariableKind::Local, &name, ty, span);
        let clock = Argument::Input(Name::new("CLK", span), Some(value));
        let call = ExprKind::Call(Box::new(instance.clone()), vec![clock]);
        self.push(StmtKind::Expr(Expr { kind: call, span }), span);
        member(instance, Name::new("Q", span))
    }

    /// Declares a variable.
    fn add(&mut self, kind: VariableKind, name: &str, ty: TypeSpec, span: Span) -> Expr {
        let name = Name::new(name, span);
        self.context.known.add(&name.key, ty.clone());
        self.context.added.push((kind, variables(name.clone(), ty, span)));
        Expr { kind: ExprKind::Name(name), span }
    }

    /// What comes out of an element.
    fn value(&mut self, from: usize, output: &str, to: usize) -> Expr {
        let network = self.network;
        let node = &network.nodes[from];
        if let Some(known) = self.values.get(&(from, output.into())) {
            return known.clone();
        }
        if self.depth > MAX_HEIGHT {
            let message = format!("more than {MAX_HEIGHT} elements follow each other here");
            let help = "write a value in between to a variable";
            self.reader.report(Diagnostic::error(node.span, message).help(help));
            return truth(node.span);
        }
        self.depth += 1;
        let value = self.new_value(from, output, to);
        self.depth -= 1;
        value
    }

    fn new_value(&mut self, from: usize, output: &str, to: usize) -> Expr {
        let network = self.network;
        let node = &network.nodes[from];
        match &node.kind {
            DrawnKind::Power => truth(node.span),
            DrawnKind::Read(expr, change) | DrawnKind::ReadWrite(expr, change) => {
                if acts(node) && self.state[from] == State::New {
                    self.act(from);
                }
                let read = Change { storage: None, ..change.clone() };
                self.changed(expr.clone(), &read, node, "read")
            }
            DrawnKind::Contact(variable, change) => {
                if self.state[from] == State::Open {
                    return self.looped(node);
                }
                self.state[from] = State::Open;
                let power = self.input(from, 0, true).unwrap_or_else(|| truth(node.span));
                let contact = self.changed(variable.clone(), change, node, "contact");
                let value =
                    if is_true(&power) { contact } else { binary(BinaryOp::And, power, contact) };
                self.state[from] = State::Done;
                self.shared(from, output, value, "BOOL")
            }
            DrawnKind::Coil(..) | DrawnKind::Connector => {
                if self.state[from] == State::Open {
                    return self.looped(node);
                }
                self.state[from] = State::Open;
                let ladder = matches!(node.kind, DrawnKind::Coil(..));
                let value = self.input(from, 0, ladder).unwrap_or_else(|| truth(node.span));
                self.state[from] = State::Done;
                if ladder { self.shared(from, output, value, "BOOL") } else { value }
            }
            DrawnKind::Continuation(name) => match network.connectors.get(name) {
                Some(&connector) if connector != from => self.value(connector, "", to),
                _ => {
                    let message = format!("no connector has the name '{name}'");
                    self.reader.report(Diagnostic::error(node.span, message));
                    truth(node.span)
                }
            },
            DrawnKind::Block { .. } | DrawnKind::Execute(_) => {
                let ordered = node.order.zip(network.nodes[to].order);
                let later = match ordered {
                    Some((mine, theirs)) => mine > theirs,
                    None => network.leads_back(&self.loops, from, to),
                };
                if self.state[from] == State::New && !later {
                    self.block(from);
                }
                self.output(from, output)
            }
            _ => {
                let message = "nothing comes out of this element";
                self.reader.report(Diagnostic::error(node.span, message));
                truth(node.span)
            }
        }
    }

    fn looped(&mut self, node: &Drawn) -> Expr {
        let message = "this value depends on itself";
        let help = "lead the loop through a variable or a function block";
        self.reader.report(Diagnostic::error(node.span, message).help(help));
        truth(node.span)
    }

    /// A value that goes to several places gets a variable.
    fn shared(&mut self, from: usize, output: &str, value: Expr, ty: &str) -> Expr {
        let node = &self.network.nodes[from];
        let small = matches!(value.kind, ExprKind::Literal(_));
        let value = if self.uses[from] > 1 && !small {
            let ty = super::interface::type_named(ty, node.span);
            self.stored(node, "", value, ty)
        } else {
            value
        };
        self.values.insert((from, output.into()), value.clone());
        value
    }

    /// A variable that takes a value now.
    fn stored(&mut self, node: &Drawn, pin: &str, value: Expr, ty: TypeSpec) -> Expr {
        let name = format!("_net{}{pin}", node.id);
        let variable = self.add(VariableKind::Temp, &name, ty, node.span);
        self.push(StmtKind::Assign(variable.clone(), AssignOp::Value, value), node.span);
        variable
    }

    fn block(&mut self, index: usize) {
        if self.state[index] != State::New {
            return;
        }
        self.state[index] = State::Open;
        let network = self.network;
        let node = &network.nodes[index];
        if let DrawnKind::Execute(code) = &node.kind {
            match self.enable(index) {
                Some(enable) => {
                    self.push(StmtKind::If(vec![(enable, code.clone())], None), node.span)
                }
                None => self.out.extend(code.iter().cloned()),
            }
            self.values.entry((index, "eno".into())).or_insert_with(|| truth(node.span));
        }
        let DrawnKind::Block { ty, instance, .. } = &node.kind else { return };
        if self.context.known.is_function(&ty.last().key) {
            self.function(index, ty);
        } else if let Some(instance) = instance {
            self.instance(index, ty, instance);
        } else {
            self.function(index, ty);
        }
        self.state[index] = State::Done;
    }

    /// The enabling condition of a block, kept for `ENO`.
    fn enable(&mut self, index: usize) -> Option<Expr> {
        let network = self.network;
        let node = &network.nodes[index];
        let pin = node.inputs.iter().position(|i| i.name.as_ref().is_some_and(|n| n.is("en")))?;
        let value = self.input(index, pin, true)?;
        if is_true(&value) {
            return None;
        }
        let ty = super::interface::type_named("BOOL", node.span);
        let kept = self.stored(node, "_en", value, ty);
        self.values.insert((index, "eno".into()), kept.clone());
        Some(kept)
    }

    /// The arguments of a block, `EN` left out; by their names, or by their order if all are there.
    fn block_arguments(&mut self, index: usize, named: bool) -> Vec<Argument> {
        let network = self.network;
        let node = &network.nodes[index];
        let mut values = Vec::new();
        let mut complete = true;
        for (pin, input) in node.inputs.iter().enumerate() {
            if input.name.as_ref().is_some_and(|name| name.is("en")) {
                continue;
            }
            match self.input(index, pin, false).or_else(|| self.unconnected(index, pin)) {
                Some(value) => values.push((input, value)),
                None => complete = false,
            }
        }
        let by_name = named || !complete;
        let argument = |(input, value): (&super::network::Input, Expr)| match &input.name {
            Some(name) if by_name => Argument::Input(name.clone(), Some(value)),
            _ => Argument::Positional(value),
        };
        values.into_iter().map(argument).collect()
    }

    /// What a value to choose from is where nothing is connected: zero, or what its negation makes of
    /// it.
    fn unconnected(&mut self, index: usize, pin: usize) -> Option<Expr> {
        let node = &self.network.nodes[index];
        let DrawnKind::Block { ty, .. } = &node.kind else { return None };
        let name = node.inputs[pin].name.as_ref()?;
        if !matches!(&*ty.last().key, "sel" | "mux") || !name.key.starts_with("in") {
            return None;
        }
        self.reader.warn(node.span, format!("nothing is connected to {name}: it is zero"));
        if node.inputs[pin].change.negated {
            return Some(truth(node.span));
        }
        let kind = LiteralKind::Int { negative: false, value: 0, base: 10 };
        Some(Expr { kind: ExprKind::Literal(Literal { ty: None, kind }), span: node.span })
    }

    /// A call of an instance; its outputs are its variables.
    fn instance(&mut self, index: usize, ty: &Path, instance: &Expr) {
        let network = self.network;
        let node = &network.nodes[index];
        if let ExprKind::Name(name) = &instance.kind
            && self.context.known.variable(&name.key).is_none()
        {
            let ty = TypeSpec { kind: TypeKind::Named(ty.clone()), span: ty.span };
            self.add(VariableKind::Local, &name.text, ty, name.span);
        }
        let enable = self.enable(index);
        let mut arguments = self.block_arguments(index, true);
        arguments.iter_mut().for_each(|argument| self.preset(ty, argument));
        let call = ExprKind::Call(Box::new(instance.clone()), arguments);
        let call = StmtKind::Expr(Expr { kind: call, span: node.span });
        self.guarded(enable.unwrap_or_else(|| truth(node.span)), call, node.span);
    }

    /// A time that is given as a number is one of milliseconds, which is said.
    fn preset(&mut self, block: &Path, argument: &mut Argument) {
        let Argument::Input(pin, Some(value)) = argument else { return };
        if !matches!(&*block.last().key, "ton" | "tof" | "tp") || !pin.is("pt") {
            return;
        }
        if let Some(integer) = self.integer(value) {
            let span = value.span;
            self.reader.warn(span, format!("this {integer} is read as a time in milliseconds"));
            *value = call(&format!("{integer}_TO_TIME"), value.clone(), span);
        }
    }

    /// The value as the variable can take it: the time of a timer as a number of milliseconds.
    fn fitting(&mut self, value: Expr, target: &Expr) -> Expr {
        let time = self.context.known.type_of(&value).is_some_and(|ty| is_named(&ty, "time"));
        match self.integer(target).filter(|_| time) {
            Some(integer) => {
                let span = value.span;
                self.reader.warn(span, format!("this time becomes {integer} milliseconds"));
                call(&format!("TIME_TO_{integer}"), value, span)
            }
            None => value,
        }
    }

    /// The integer type of a variable.
    fn integer(&self, value: &Expr) -> Option<&'static str> {
        let ty = self.context.known.type_of(value)?;
        let all = ["SINT", "INT", "DINT", "LINT", "USINT", "UINT", "UDINT", "ULINT"];
        all.into_iter().find(|name| is_named(&ty, &name.to_lowercase()))
    }

    fn function(&mut self, index: usize, ty: &Path) {
        let network = self.network;
        let node = &network.nodes[index];
        let span = node.span;
        let enable = self.enable(index);
        let arguments = self.block_arguments(index, false);
        let result = self.context.known.result(&ty.last().key, &arguments, span);
        let kind = ExprKind::Call(Box::new(path_expr(ty)), arguments);
        let value = Expr { kind, span };
        let Some(value) = self.bounded(value, span) else {
            self.values.insert((index, "".into()), truth(span));
            return;
        };
        let once = self.uses[index] <= 1 && enable.is_none();
        let kept = match (once, result) {
            (true, _) if self.uses[index] == 0 => {
                self.push(StmtKind::Expr(value), span);
                return;
            }
            (true, _) => value,
            (false, Some(ty)) if enable.is_some() => {
                // What is not computed keeps its value.
                let kind =
                    if self.context.function { VariableKind::Temp } else { VariableKind::Local };
                let variable = self.add(kind, &format!("_net{}", node.id), ty, span);
                let assign = StmtKind::Assign(variable.clone(), AssignOp::Value, value);
                self.guarded(enable.unwrap_or_else(|| truth(span)), assign, span);
                variable
            }
            (false, Some(ty)) => self.stored(node, "", value, ty),
            (false, None) => {
                let message = format!("the type of what {ty} gives here is not clear");
                let help = "write it to a variable, and read the variable in each place";
                self.reader.report(Diagnostic::error(span, message).help(help));
                value
            }
        };
        self.values.insert((index, "".into()), kept);
    }

    /// An output of a block.
    fn output(&mut self, index: usize, output: &str) -> Expr {
        let network = self.network;
        let node = &network.nodes[index];
        if let Some(kept) = self.values.get(&(index, output.into())) {
            return kept.clone();
        }
        let DrawnKind::Block { ty, instance, outputs } = &node.kind else {
            return truth(node.span);
        };
        if output == "eno" {
            return truth(node.span);
        }
        let drawn = outputs.iter().find(|(name, _)| *name.key == *output);
        let drawn = drawn.or_else(|| outputs.first().filter(|_| output.is_empty()));
        let change = drawn.map(|(_, change)| change.clone()).unwrap_or_default();
        let value = match self.values.get(&(index, "".into())) {
            Some(result) => result.clone(),
            None => match instance {
                Some(instance) if !self.context.known.is_function(&ty.last().key) => {
                    let name = match (drawn, output) {
                        (Some((name, _)), _) => name.clone(),
                        (None, "") => Name::new("Q", node.span),
                        (None, name) => Name::new(name, node.span),
                    };
                    member(instance.clone(), name)
                }
                _ => return self.looped(node),
            },
        };
        let value = self.changed(value, &Change { storage: None, ..change }, node, "result");
        if node.order.is_none() || self.state[index] == State::Done {
            self.values.insert((index, output.into()), value.clone());
        }
        value
    }
}

/// Whether an element does something by itself.
fn acts(node: &Drawn) -> bool {
    match node.kind {
        DrawnKind::ReadWrite(..) => node.inputs.iter().any(|input| !input.sources.is_empty()),
        DrawnKind::Coil(..)
        | DrawnKind::Write(..)
        | DrawnKind::Block { .. }
        | DrawnKind::Execute(_)
        | DrawnKind::Label(_)
        | DrawnKind::Jump(_)
        | DrawnKind::Return => true,
        _ => false,
    }
}

fn is_named(ty: &TypeSpec, name: &str) -> bool {
    matches!(&ty.kind, TypeKind::Named(path) if path.last().is(name))
}

/// A declaration of one variable.
pub(super) fn variables(name: Name, ty: TypeSpec, span: Span) -> Variables {
    Variables {
        path: Vec::new(),
        names: vec![name],
        location: None,
        overlays: None,
        ty: Some(ty),
        edge: None,
        initial: None,
        access: None,
        pragmas: Vec::new(),
        span,
    }
}

pub(super) fn not(value: Expr) -> Expr {
    let span = value.span;
    Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(value)), span }
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = right.span;
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
}

pub(super) fn member(base: Expr, name: Name) -> Expr {
    let span = base.span;
    Expr { kind: ExprKind::Member(Box::new(base), name), span }
}

fn call(function: &str, value: Expr, span: Span) -> Expr {
    let name = Expr { kind: ExprKind::Name(Name::new(function, span)), span };
    Expr { kind: ExprKind::Call(Box::new(name), vec![Argument::Positional(value)]), span }
}

/// A path as an expression.
pub(super) fn path_expr(path: &Path) -> Expr {
    let mut names = path.names.iter();
    let first = names.next().cloned().unwrap_or_else(|| path.last().clone());
    let first = Expr { span: first.span, kind: ExprKind::Name(first) };
    names.fold(first, |base, name| member(base, name.clone()))
}

/// The number of parts of an expression, and its height.
fn measure(expr: &Expr) -> (usize, u32) {
    let (mut size, mut height) = (0usize, 0u32);
    let mut stack = vec![(expr, 1u32)];
    while let Some((expr, level)) = stack.pop() {
        size += 1;
        height = height.max(level);
        if size > MAX_SIZE {
            break;
        }
        match &expr.kind {
            ExprKind::Member(base, _)
            | ExprKind::Part(base, ..)
            | ExprKind::PartAt(base, ..)
            | ExprKind::Deref(base) => {
                stack.push((base, level + 1));
            }
            ExprKind::Unary(_, operand) => stack.push((operand, level + 1)),
            ExprKind::Binary(_, left, right) => {
                stack.extend([(&**left, level + 1), (&**right, level + 1)]);
            }
            ExprKind::Index(base, indices) => {
                stack.push((base, level + 1));
                stack.extend(indices.iter().map(|index| (index, level + 1)));
            }
            ExprKind::Call(callee, arguments) => {
                stack.push((callee, level + 1));
                for argument in arguments {
                    match argument {
                        Argument::Positional(value)
                        | Argument::Input(_, Some(value))
                        | Argument::Output(_, _, Some(value)) => stack.push((value, level + 1)),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    (size, height)
}
