//! PLCopen's exchange format TC6: units, types, configurations.
//!
//! Tools differ in where elements stand, so they are looked for at any depth. CODESYS keeps global
//! variables and methods in `addData`.

use super::infer::Known;
use super::{Reader, child, children, elements, item};
use crate::ast::{
    Action, Body, Configuration, Expr, Instance, Item, ItemKind, Method, Modifiers, Name, Path,
    Pou, PouKind, Resource, Retention, Stmt, StmtKind, Task, VariableKind,
};
use roxmltree::Node;
use rustc_hash::FxHashMap;

/// What a body needs to know of its unit, and what it adds to it.
pub(super) struct Context {
    /// The types of the project's units and of this unit's variables.
    pub(super) known: Known,
    /// Whether the unit is a function, which can't have instances.
    pub(super) function: bool,
    /// Variables that diagrams need.
    pub(super) added: Vec<(VariableKind, crate::ast::Variables)>,
    /// Conditions of transitions by their names in small letters.
    pub(super) transitions: FxHashMap<Box<str>, Expr>,
    /// Actions that charts need.
    pub(super) actions: Vec<Action>,
}

pub(super) fn items(reader: &mut Reader, root: Node) -> Vec<Item> {
    let mut items = Vec::new();
    let named =
        |name: &'static str| root.descendants().filter(move |n| n.tag_name().name() == name);
    let types: Vec<_> = named("dataType").filter_map(|node| reader.data_type(node)).collect();
    if !types.is_empty() {
        let span = reader.span(root);
        items.push(item(ItemKind::Types(types), span));
    }
    for list in named("globalVars") {
        let of_unit =
            list.ancestors().any(|n| matches!(n.tag_name().name(), "interface" | "configuration"));
        if of_unit {
            continue;
        }
        let name = if list.has_attribute("name") { reader.name_of(list, "name") } else { None };
        let section = reader.section(list, VariableKind::Global);
        let span = section.span;
        items.push(item(ItemKind::Globals(name, section), span));
    }
    let mut pous: Vec<(Pou, Node)> = Vec::new();
    for node in named("pou") {
        if let Some(pou) = header(reader, node) {
            pous.push((pou, node));
        }
    }
    let known = Known::of(pous.iter().map(|(pou, _)| pou));
    for (mut pou, node) in pous {
        bodies(reader, &mut pou, node, &known);
        let span = reader.span(node);
        items.push(item(ItemKind::Pou(Box::new(pou)), span));
    }
    for node in named("configuration") {
        if let Some(configuration) = configuration(reader, node) {
            let span = reader.span(node);
            items.push(item(ItemKind::Configuration(Box::new(configuration)), span));
        }
    }
    items
}

/// A diagram without a project around it, as the program `diagram`.
pub(super) fn diagram(reader: &mut Reader, root: Node) -> Item {
    let span = reader.span(root);
    let mut pou = empty(PouKind::Program, Name::new("diagram", span));
    let mut context = Context {
        known: Known::default(),
        function: false,
        added: Vec::new(),
        transitions: FxHashMap::default(),
        actions: Vec::new(),
    };
    pou.body = code(reader, &mut context, root);
    pou.actions.append(&mut context.actions);
    add_variables(&mut pou, context.added);
    item(ItemKind::Pou(Box::new(pou)), span)
}

/// A unit in which there is nothing yet.
fn empty(kind: PouKind, name: Name) -> Pou {
    Pou {
        kind,
        name,
        modifiers: Modifiers::default(),
        generics: Vec::new(),
        extends: None,
        implements: Vec::new(),
        result: None,
        using: Vec::new(),
        pragmas: Vec::new(),
        sections: Vec::new(),
        types: Vec::new(),
        methods: Vec::new(),
        properties: Vec::new(),
        actions: Vec::new(),
        body: Body::Missing,
    }
}

/// A unit without its body.
fn header(reader: &mut Reader, node: Node) -> Option<Pou> {
    let name = reader.name_of(node, "name")?;
    let kind = match node.attribute("pouType").unwrap_or_default() {
        "program" => PouKind::Program,
        "function" => PouKind::Function,
        "functionBlock" => PouKind::FunctionBlock,
        other => {
            let message = format!("'{other}' is no kind of unit");
            reader.wrong(node, message, "pouType is program, function or functionBlock");
            return None;
        }
    };
    let interface = child(node, "interface");
    let result = interface.and_then(|i| child(i, "returnType"));
    let result = result.and_then(|result| reader.type_in(result, 0));
    let sections = interface.map(|i| reader.sections(i)).unwrap_or_default();
    Some(Pou { result, sections, ..empty(kind, name) })
}

fn bodies(reader: &mut Reader, pou: &mut Pou, node: Node, project: &Known) {
    let mut context = Context {
        known: project.with_variables(&pou.sections),
        function: pou.kind == PouKind::Function,
        added: Vec::new(),
        transitions: FxHashMap::default(),
        actions: Vec::new(),
    };
    for transition in child(node, "transitions").into_iter().flat_map(|t| children(t, "transition"))
    {
        let Some(name) = reader.name_of(transition, "name") else { continue };
        let code = child(transition, "body").and_then(|body| child(body, "ST"));
        let Some(code) = code else {
            reader.wrong(transition, "the condition of a transition is read only from ST", "");
            continue;
        };
        let text = reader.content(code);
        let condition = reader.with(&text, |parser| parser.condition_text());
        if let Some(condition) = condition {
            context.transitions.insert((*name.key).into(), condition);
        }
    }
    for action in child(node, "actions").into_iter().flat_map(|a| children(a, "action")) {
        let Some(name) = reader.name_of(action, "name") else { continue };
        let body = body_of(reader, &mut context, action);
        let span = reader.span(action);
        pou.actions.push(Action { name, pragmas: Vec::new(), body, span });
    }
    let methods = node.descendants().filter(|n| n.tag_name().name() == "Method");
    for method in methods {
        pou.methods.extend(self::method(reader, method, project));
    }
    pou.body = body_of(reader, &mut context, node);
    pou.actions.append(&mut context.actions);
    let added = std::mem::take(&mut context.added);
    add_variables(pou, added);
}

/// CODESYS: a method in `addData`.
fn method(reader: &mut Reader, node: Node, project: &Known) -> Option<Method> {
    let name = reader.name_of(node, "name")?;
    let interface = child(node, "interface");
    let result = interface.and_then(|i| child(i, "returnType"));
    let result = result.and_then(|result| reader.type_in(result, 0));
    let mut sections = interface.map(|i| reader.sections(i)).unwrap_or_default();
    let mut context = Context {
        known: project.with_variables(&sections),
        function: true,
        added: Vec::new(),
        transitions: FxHashMap::default(),
        actions: Vec::new(),
    };
    let body = body_of(reader, &mut context, node);
    let added = std::mem::take(&mut context.added);
    for (kind, variables) in added {
        sections.push(added_section(kind, vec![variables]));
    }
    Some(Method {
        name,
        modifiers: Modifiers::default(),
        generics: Vec::new(),
        result,
        pragmas: Vec::new(),
        sections,
        body,
        span: reader.span(node),
    })
}

fn add_variables(pou: &mut Pou, added: Vec<(VariableKind, crate::ast::Variables)>) {
    for wanted in [VariableKind::Local, VariableKind::Temp] {
        let of_kind = added.iter().filter(|(kind, _)| *kind == wanted);
        let variables: Vec<_> = of_kind.map(|(_, variables)| variables.clone()).collect();
        if !variables.is_empty() {
            pou.sections.push(added_section(wanted, variables));
        }
    }
}

fn added_section(
    kind: VariableKind,
    variables: Vec<crate::ast::Variables>,
) -> crate::ast::VariableSection {
    let span = variables.first().map(|v| v.span).unwrap_or_default();
    crate::ast::VariableSection {
        kind,
        constant: false,
        retention: Retention::Unsaid,
        access: None,
        pragmas: Vec::new(),
        variables,
        span,
    }
}

/// The body of a unit, action or method.
fn body_of(reader: &mut Reader, context: &mut Context, node: Node) -> Body {
    let Some(body) = child(node, "body") else { return Body::Code(Vec::new()) };
    let Some(code) =
        elements(body).find(|n| !matches!(n.tag_name().name(), "documentation" | "addData"))
    else {
        return Body::Code(Vec::new());
    };
    self::code(reader, context, code)
}

/// Text or a diagram.
fn code(reader: &mut Reader, context: &mut Context, code: Node) -> Body {
    match code.tag_name().name() {
        "ST" => {
            let text = reader.content(code);
            Body::Code(reader.with(&text, |parser| Ok(parser.block())).unwrap_or_default())
        }
        "LD" | "FBD" => Body::Code(super::emit::statements(reader, context, code)),
        "SFC" => Body::Chart(Box::new(super::chart::chart(reader, context, code))),
        other => {
            let span = reader.span(code);
            let what = format!("a body in {other}");
            reader.warn(span, format!("{what} is not understood: its effect is unknown"));
            Body::Code(vec![Stmt { kind: StmtKind::Unknown(what.into()), span }])
        }
    }
}

fn configuration(reader: &mut Reader, node: Node) -> Option<Configuration> {
    let name = reader.name_of(node, "name")?;
    let sections =
        children(node, "globalVars").map(|l| reader.section(l, VariableKind::Global)).collect();
    let mut resources = Vec::new();
    for resource in children(node, "resource") {
        let name = reader.name_of(resource, "name");
        let sections = children(resource, "globalVars");
        let sections = sections.map(|l| reader.section(l, VariableKind::Global)).collect();
        let span = reader.span(resource);
        let (tasks, programs) = (Vec::new(), Vec::new());
        let mut read = Resource { name, on: None, sections, tasks, programs, span };
        for part in elements(resource) {
            match part.tag_name().name() {
                "task" => {
                    let Some(task) = task(reader, part) else { continue };
                    let instances = children(part, "pouInstance");
                    let instances = instances.filter_map(|p| instance(reader, p, Some(&task.name)));
                    read.programs.extend(instances.collect::<Vec<_>>());
                    read.tasks.push(task);
                }
                "pouInstance" => read.programs.extend(instance(reader, part, None)),
                _ => {}
            }
        }
        resources.push(read);
    }
    Some(Configuration { name, sections, resources })
}

fn task(reader: &mut Reader, node: Node) -> Option<Task> {
    let name = reader.name_of(node, "name")?;
    let span = reader.span(node);
    let interval = node.attribute("interval").unwrap_or_default().trim();
    let duration = interval.strip_prefix("PT").and_then(|rest| rest.strip_suffix('S'));
    let interval = if let Some(seconds) = duration {
        // ISO 8601, as CODESYS writes it.
        let text = format!("T#{seconds}s");
        let text = crate::lex::text::Text::plain(text.as_bytes(), span.start);
        reader.with(&text, |parser| parser.expression())
    } else {
        reader.duration_of(node, "interval")
    };
    let single = reader.expression_of(node, "single");
    let priority = reader.expression_of(node, "priority");
    Some(Task { name, single, interval, priority, span })
}

fn instance(reader: &mut Reader, node: Node, task: Option<&Name>) -> Option<Instance> {
    // CODESYS writes instances with a name only: that of the program.
    let name = reader.name_of(node, "name")?;
    let program = match node.attribute("typeName").map(str::trim) {
        None | Some("") => Path::from(name.clone()),
        Some(_) => {
            let text = reader.attribute(node, "typeName")?;
            reader.with(&text, |parser| parser.path("a program"))?
        }
    };
    Some(Instance {
        name,
        retention: Retention::Unsaid,
        task: task.cloned(),
        program,
        arguments: Vec::new(),
        span: reader.span(node),
    })
}
