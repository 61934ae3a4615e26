//! The typed program as a tree, for people who look: as text, a node a line, or for Graphviz.
//!
//! A node says what it is, and an expression or place also its type. [`Printer::node`] alone knows
//! the tree; it is walked with an explicit stack, as spines of operators may be of any length, and
//! the indentation of the text ends to grow at [`DEEPEST`].

use crate::source::SourceMap;
use crate::typed::{
    Callee, ExprId, ExprKind, FunctionId, InitId, InitValue, ObjectId, PathStep, PlaceId,
    PlaceKind, Program, StmtId, StmtKind, StringId, VlaId,
};
use crate::types::QualType;
use std::fmt::Write;

/// Levels of the tree that are indented; a deeper line begins with the number of its level.
const DEEPEST: usize = 40;

/// Characters of a string literal that are shown.
const SHOWN: usize = 60;

/// A part of the tree.
#[derive(Clone, Copy, Debug)]
enum Node {
    Object(ObjectId),
    Function(FunctionId),
    Stmt(StmtId),
    Expr(ExprId),
    Place(PlaceId),
    Init(InitId),
    Length(VlaId),
    /// An entry of an initializer, by its number.
    Entry(InitId, usize),
}

/// A part below another one, and what it is there.
type Child = (&'static str, Node);

/// The program as text. Functions and static objects in the order in which they were declared.
pub fn text(program: &Program, sources: &SourceMap) -> String {
    let printer = Printer { program, sources };
    let mut out = String::new();
    let mut stack: Vec<(usize, Child)> = Vec::new();
    for root in printer.roots() {
        stack.push((0, ("", root)));
        while let Some((depth, (role, node))) = stack.pop() {
            let (line, children) = printer.node(node);
            if depth > DEEPEST {
                let _ = write!(out, "{}{depth}| ", "  ".repeat(DEEPEST));
            } else {
                out.push_str(&"  ".repeat(depth));
            }
            if !role.is_empty() {
                let _ = write!(out, "{role}: ");
            }
            out.push_str(&line);
            out.push('\n');
            stack.extend(children.into_iter().rev().map(|child| (depth + 1, child)));
        }
    }
    out
}

/// The program for Graphviz.
pub fn dot(program: &Program, sources: &SourceMap) -> String {
    let printer = Printer { program, sources };
    let mut out = String::from("digraph ast {\n  node [shape=box, fontname=monospace];\n");
    let mut count = 0;
    let mut stack: Vec<(Option<usize>, Child)> = Vec::new();
    for root in printer.roots() {
        stack.push((None, ("", root)));
        while let Some((above, (role, node))) = stack.pop() {
            let (line, children) = printer.node(node);
            let line = line.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(out, "  n{count} [label=\"{line}\"];");
            if let Some(above) = above {
                let _ = writeln!(out, "  n{above} -> n{count} [label=\"{role}\"];");
            }
            stack.extend(children.into_iter().rev().map(|child| (Some(count), child)));
            count += 1;
        }
    }
    out.push_str("}\n");
    out
}

struct Printer<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
}

fn expr(role: &'static str, id: ExprId) -> Child {
    (role, Node::Expr(id))
}

fn all(role: &'static str, ids: &[ExprId]) -> Vec<Child> {
    ids.iter().map(|id| expr(role, *id)).collect()
}

impl Printer<'_> {
    /// Static objects and functions. Those that are only declared matter where they are used.
    fn roots(&self) -> Vec<Node> {
        let program = self.program;
        let named = program.objects.iter().filter(|(_, o)| o.function.is_none() && o.defined);
        let objects = named.map(|(id, _)| Node::Object(id));
        let defined = program.functions.iter().filter(|(_, f)| f.body.is_some());
        objects.chain(defined.map(|(id, _)| Node::Function(id))).collect()
    }

    fn show(&self, ty: QualType) -> String {
        self.program.types.show(ty, &self.program.symbols)
    }

    /// What a node is, and its parts in order.
    fn node(&self, node: Node) -> (String, Vec<Child>) {
        let program = self.program;
        match node {
            Node::Object(id) => {
                let init = program.objects[id].init.map(|init| ("", Node::Init(init)));
                (self.object(id), init.into_iter().collect())
            }
            Node::Function(id) => {
                let function = &program.functions[id];
                let name = program.symbols.name(function.name);
                let place = self.sources.presumed(function.span);
                let ty = self.show(QualType::plain(function.ty));
                let parameters = function.params.iter().map(|p| ("parameter", Node::Object(*p)));
                let body = function.body.map(|body| ("", Node::Stmt(body)));
                (format!("function {name} : {ty}  ({place})"), parameters.chain(body).collect())
            }
            Node::Stmt(id) => self.statement(id),
            Node::Expr(id) => {
                let (what, children) = self.expression(id);
                let ty = self.show(QualType::plain(program.exprs[id].ty));
                (format!("{what} : {ty}"), children)
            }
            Node::Place(id) => {
                let (what, children) = self.place(id);
                (format!("{what} : {}", self.show(program.places[id].ty)), children)
            }
            Node::Init(id) => {
                let entries = 0..program.inits[id].entries.len();
                ("initializer".into(), entries.map(|i| ("", Node::Entry(id, i))).collect())
            }
            Node::Entry(id, number) => self.entry(id, number),
            Node::Length(id) => ("length".into(), vec![expr("", program.vlas[id].length)]),
        }
    }

    fn object(&self, id: ObjectId) -> String {
        let object = &self.program.objects[id];
        let storage = format!("{:?}", object.storage).to_lowercase();
        format!("{storage} {} : {}", self.object_name(id), self.show(object.ty))
    }

    fn object_name(&self, id: ObjectId) -> &str {
        self.program.objects[id].name.map_or("(unnamed)", |name| self.program.symbols.name(name))
    }

    fn function_name(&self, id: FunctionId) -> &str {
        self.program.symbols.name(self.program.functions[id].name)
    }

    fn string(&self, id: StringId) -> String {
        let units = &self.program.strings[id].literal.units;
        let shown = units.iter().take(SHOWN).map(|u| char::from_u32(*u).unwrap_or('\u{fffd}'));
        let dots = if units.len() > SHOWN { "…" } else { "" };
        format!("{:?}{dots}", shown.collect::<String>())
    }

    fn entry(&self, id: InitId, number: usize) -> (String, Vec<Child>) {
        let entry = &self.program.inits[id].entries[number];
        let mut path = String::new();
        for step in &entry.path {
            let _ = match step {
                PathStep::Field(n) => write!(path, ".{n}"),
                PathStep::Index(n) => write!(path, "[{n}]"),
                PathStep::Range { first, last, .. } => write!(path, "[{first} ... {last}]"),
            };
        }
        let at = format!("at byte {} {path}: {}", entry.offset, self.show(entry.ty));
        match entry.value {
            InitValue::Expr(value) => (at, vec![expr("", value)]),
            InitValue::String(string) => (format!("{at} = {}", self.string(string)), Vec::new()),
            InitValue::Zero => (format!("{at} = 0"), Vec::new()),
        }
    }

    fn statement(&self, id: StmtId) -> (String, Vec<Child>) {
        let program = self.program;
        let body = |id: StmtId| ("body", Node::Stmt(id));
        let (what, children): (String, Vec<Child>) = match &program.stmts[id].kind {
            StmtKind::Empty => ("empty".into(), vec![]),
            StmtKind::Expr(value) => ("evaluate".into(), vec![expr("", *value)]),
            StmtKind::Declare(object, init) => {
                let init = init.map(|init| ("", Node::Init(init)));
                (format!("declare {}", self.object(*object)), init.into_iter().collect())
            }
            StmtKind::EvaluateLengths(lengths) => {
                let lengths = lengths.iter().map(|length| ("", Node::Length(*length)));
                ("evaluate lengths".into(), lengths.collect())
            }
            StmtKind::Block(list) => {
                ("block".into(), list.iter().map(|s| ("", Node::Stmt(*s))).collect())
            }
            StmtKind::If(branches, otherwise) => {
                let branches = branches.iter().flat_map(|(condition, then)| {
                    [expr("condition", *condition), ("then", Node::Stmt(*then))]
                });
                let otherwise = otherwise.map(|s| ("else", Node::Stmt(s)));
                ("if".into(), branches.chain(otherwise).collect())
            }
            StmtKind::Switch(value, inner) => {
                ("switch".into(), vec![expr("value", *value), body(*inner)])
            }
            StmtKind::While(condition, inner) => {
                ("while".into(), vec![expr("condition", *condition), body(*inner)])
            }
            StmtKind::DoWhile(inner, condition) => {
                ("do".into(), vec![body(*inner), expr("condition", *condition)])
            }
            StmtKind::For { init, condition, step, body: inner } => {
                let init = init.map(|s| ("initially", Node::Stmt(s)));
                let condition = condition.map(|e| expr("condition", e));
                let step = step.map(|e| expr("step", e));
                let parts = init.into_iter().chain(condition).chain(step);
                ("for".into(), parts.chain([body(*inner)]).collect())
            }
            StmtKind::Case(first, last) if first == last => {
                (format!("case {}", *first as i128), vec![])
            }
            StmtKind::Case(first, last) => {
                (format!("case {} ... {}", *first as i128, *last as i128), vec![])
            }
            StmtKind::Default => ("default".into(), vec![]),
            StmtKind::Claim(number, value) => (format!("claim {number}"), vec![expr("", *value)]),
            StmtKind::Assertion(formula) => ("assertion".into(), vec![expr("", formula.truth)]),
            StmtKind::Unsupported(problem) => {
                (format!("not supported: {}", problem.message), vec![])
            }
            StmtKind::Label(label) => (format!("label {label}"), vec![]),
            StmtKind::Goto(label) => (format!("goto label {label}"), vec![]),
            StmtKind::Continue => ("continue".into(), vec![]),
            StmtKind::Break => ("break".into(), vec![]),
            StmtKind::Return(value) => {
                ("return".into(), value.map(|v| expr("", v)).into_iter().collect())
            }
            StmtKind::Asm(asm) => {
                let outputs = asm.outputs.iter().map(|(_, place)| ("output", Node::Place(*place)));
                let inputs = asm.inputs.iter().map(|(_, value)| expr("input", *value));
                let memory =
                    asm.memory_inputs.iter().map(|(_, place)| ("input", Node::Place(*place)));
                let parts = outputs.chain(inputs).chain(memory).collect();
                (format!("asm {:?}", asm.template), parts)
            }
        };
        let place = self.sources.presumed(program.stmts[id].span);
        (format!("{what}  ({}:{})", place.line, place.column), children)
    }

    fn place(&self, id: PlaceId) -> (String, Vec<Child>) {
        let program = self.program;
        match program.places[id].kind {
            PlaceKind::Object(object) => (format!("object {}", self.object_name(object)), vec![]),
            PlaceKind::Deref(pointer) => ("target".into(), vec![expr("of", pointer)]),
            PlaceKind::Index(base, index) => {
                ("element".into(), vec![("of", Node::Place(base)), expr("index", index)])
            }
            PlaceKind::Field { base, record, field, offset, .. } => {
                let body = program.types.records[record].body.as_ref();
                let name = body.and_then(|b| b.fields.get(field as usize)).and_then(|f| f.name);
                let name = name.map_or("(unnamed)", |name| program.symbols.name(name));
                (format!("member {name} at byte {offset}"), vec![("of", Node::Place(base))])
            }
            PlaceKind::String(string) => (format!("string {}", self.string(string)), vec![]),
            PlaceKind::Compound(_, init) => ("literal".into(), vec![("", Node::Init(init))]),
            PlaceKind::Temporary(value) => ("temporary".into(), vec![expr("", value)]),
        }
    }

    fn expression(&self, id: ExprId) -> (String, Vec<Child>) {
        let place = |place: PlaceId| vec![("", Node::Place(place))];
        let assigned =
            |place: PlaceId, value: ExprId| vec![("to", Node::Place(place)), expr("value", value)];
        let kept = |old: bool| if old { ", gives the old value" } else { "" };
        match &self.program.exprs[id].kind {
            ExprKind::Int(value) => (format!("{}", *value as i128), vec![]),
            ExprKind::Float(value) => (format!("float with the bits {:#x}", value.bits), vec![]),
            ExprKind::Load(from) => ("load".into(), place(*from)),
            ExprKind::AddressOf(of) => ("address".into(), place(*of)),
            ExprKind::Decay(of) => ("first element's address".into(), place(*of)),
            ExprKind::FunctionAddress(f) => (format!("&{}", self.function_name(*f)), vec![]),
            ExprKind::Neg(a) => ("Neg".into(), all("", &[*a])),
            ExprKind::BitNot(a) => ("BitNot".into(), all("", &[*a])),
            ExprKind::Not(a) => ("Not".into(), all("", &[*a])),
            ExprKind::Binary(op, a, b) => match op {
                crate::typed::BinaryOp::Arith(op) => (format!("{op:?}"), all("", &[*a, *b])),
                crate::typed::BinaryOp::Compare(op) => (format!("{op:?}"), all("", &[*a, *b])),
            },
            ExprKind::Logical { and, left, right } => {
                ((if *and { "AndAlso" } else { "OrElse" }).into(), all("", &[*left, *right]))
            }
            ExprKind::PointerAdd { pointer, index, subtract, .. } => {
                let what = if *subtract { "pointer minus" } else { "pointer plus" };
                (what.into(), all("", &[*pointer, *index]))
            }
            ExprKind::PointerDiff { left, right, .. } => {
                ("distance of pointers".into(), all("", &[*left, *right]))
            }
            ExprKind::Conditional(a, b, c) => ("conditional".into(), all("", &[*a, *b, *c])),
            ExprKind::Elvis { value, condition, then, otherwise } => (
                "conditional without a middle".into(),
                all("", &[*value, *condition, *then, *otherwise]),
            ),
            // Its value stands elsewhere in the tree.
            ExprKind::Shared(_) => ("the value above".into(), vec![]),
            ExprKind::Comma(list) => ("comma".into(), all("", list)),
            ExprKind::Convert(how, a) => (format!("convert {how:?}"), all("", &[*a])),
            ExprKind::Assign(to, value) => ("assign".into(), assigned(*to, *value)),
            ExprKind::CompoundAssign { place, op, value, old_value, .. } => {
                (format!("assign {op:?}{}", kept(*old_value)), assigned(*place, *value))
            }
            ExprKind::PointerAssign { place, index, subtract, old_value, .. } => {
                let what = if *subtract { "move pointer back" } else { "move pointer" };
                (format!("{what}{}", kept(*old_value)), assigned(*place, *index))
            }
            ExprKind::Call(callee, arguments) => {
                let arguments = all("argument", arguments);
                match callee {
                    Callee::Function(f) => (format!("call {}", self.function_name(*f)), arguments),
                    Callee::Pointer(p) => (
                        "call".into(),
                        [expr("pointer", *p)].into_iter().chain(arguments).collect(),
                    ),
                }
            }
            ExprKind::Builtin(builtin, list) => (format!("builtin {builtin:?}"), all("", list)),
            ExprKind::VaArg(list) => ("next variable argument".into(), all("", &[*list])),
            ExprKind::StmtExpr(block, value) => {
                let value = value.map(|v| expr("value", v));
                let block = ("", Node::Stmt(*block));
                ("statement expression".into(), [block].into_iter().chain(value).collect())
            }
            ExprKind::VlaLength(_) => ("length of the array".into(), vec![]),
            ExprKind::Quantified(quantified) => {
                let word = if quantified.all { "for all" } else { "for some" };
                (word.into(), vec![expr("", quantified.body)])
            }
            ExprKind::WithLengths(lengths, value) => {
                let lengths = lengths.iter().map(|length| ("", Node::Length(*length)));
                ("after lengths".into(), lengths.chain([expr("", *value)]).collect())
            }
        }
    }
}
