//! The syntax tree as Structured Text. What is printed and read is the same tree, but for places.
//!
//! Diagrams, charts and files of XML come out as text. Parentheses are written where precedence asks
//! for them. Edition 3 is what is written; `#name` and `"name"` stay as they were, so that the text of
//! an SCL file is one.
//!
//! * here: units; [`declaration`], [`statement`], [`mod@expression`]: their parts.

mod declaration;
mod expression;
mod statement;

use crate::ast::{
    Accessor, Action, Association, Body, Chart, Configuration, ConnectedArgument, DataBlock,
    Generic, Instance, Interface, Item, ItemKind, Method, Modifiers, Name, Namespace, Path, Pou,
    PouKind, Pragma, Property, Resource, Retention, Spelling, Step, Task, Transition, TypeSpec,
    Unit,
};
use crate::dialect::Dialect;
use std::fmt::Write;

/// A unit as text.
#[must_use]
pub fn unit(unit: &Unit) -> String {
    let mut printer = Printer::new(unit.dialect);
    printer.items(&unit.items);
    printer.out
}

/// An expression as text.
#[must_use]
pub fn expression(expr: &crate::ast::Expr) -> String {
    let mut printer = Printer::new(Dialect::Iec);
    printer.expr(expr);
    printer.out
}

/// A type as text.
#[must_use]
pub fn type_spec(ty: &TypeSpec) -> String {
    let mut printer = Printer::new(Dialect::Iec);
    printer.ty(ty);
    printer.out
}

/// Writes with indentation.
struct Printer {
    out: String,
    level: usize,
    dialect: Dialect,
}

/// Levels that are indented.
const DEEPEST: usize = 30;

impl Printer {
    fn new(dialect: Dialect) -> Printer {
        Printer { out: String::new(), level: 0, dialect }
    }

    /// A line of its own.
    fn line(&mut self, text: &str) {
        self.begin();
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// The blanks of a line.
    fn begin(&mut self) {
        self.out.push_str(&"  ".repeat(self.level.min(DEEPEST)));
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, name: &Name) {
        let (before, after) = match name.spelling {
            Spelling::Plain => ("", ""),
            Spelling::Local => ("#", ""),
            Spelling::Quoted => ("\"", "\""),
            Spelling::LocalQuoted => ("#\"", "\""),
        };
        let _ = write!(self.out, "{before}{name}{after}");
    }

    /// Things with commas between them.
    fn list<T>(&mut self, things: &[T], mut one: impl FnMut(&mut Printer, &T)) {
        for (index, thing) in things.iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            one(self, thing);
        }
    }

    fn path(&mut self, path: &Path) {
        for (index, name) in path.names.iter().enumerate() {
            if index > 0 {
                self.push(".");
            }
            self.name(name);
        }
    }

    fn paths(&mut self, word: &str, paths: &[Path]) {
        if !paths.is_empty() {
            self.push(word);
            self.list(paths, Printer::path);
        }
    }

    fn pragmas(&mut self, pragmas: &[Pragma]) {
        for pragma in pragmas {
            self.line(&format!("{{{}}}", pragma.text));
        }
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            self.pragmas(&item.pragmas);
            match &item.kind {
                ItemKind::Pou(pou) => self.pou(pou),
                ItemKind::Interface(interface) => self.interface(interface),
                ItemKind::Types(types) => self.types(types),
                ItemKind::Globals(_, section) | ItemKind::Config(section) => self.section(section),
                ItemKind::Configuration(configuration) => self.configuration(configuration),
                ItemKind::Namespace(namespace) => self.namespace(namespace),
                ItemKind::Using(paths) => self.using(paths),
                ItemKind::Actions(of, actions) => {
                    self.begin();
                    self.push("ACTIONS ");
                    self.name(of);
                    self.push("\n");
                    self.inner(|p| actions.iter().for_each(|action| p.action(action)));
                    self.line("END_ACTIONS");
                }
                ItemKind::DataBlock(block) => self.data_block(block),
            }
            self.push("\n");
        }
    }

    /// One level further in.
    fn inner(&mut self, work: impl FnOnce(&mut Printer)) {
        self.level += 1;
        work(self);
        self.level -= 1;
    }

    fn using(&mut self, paths: &[Path]) {
        self.begin();
        self.paths("USING ", paths);
        self.push(";\n");
    }

    fn namespace(&mut self, namespace: &Namespace) {
        self.begin();
        self.push("NAMESPACE ");
        if namespace.internal {
            self.push("INTERNAL ");
        }
        self.path(&namespace.name);
        self.push("\n");
        self.inner(|p| p.items(&namespace.items));
        self.line("END_NAMESPACE");
    }

    fn modifiers(&mut self, modifiers: &Modifiers) {
        if let Some(access) = modifiers.access {
            let _ = write!(self.out, "{} ", access.keyword());
        }
        for (set, word) in [
            (modifiers.is_abstract, "ABSTRACT "),
            (modifiers.is_final, "FINAL "),
            (modifiers.is_override, "OVERRIDE "),
        ] {
            self.push(if set { word } else { "" });
        }
    }

    fn generics(&mut self, generics: &[Generic]) {
        if generics.is_empty() {
            return;
        }
        self.push("<");
        self.list(generics, |p, generic| {
            p.name(&generic.name);
            p.push(": ");
            p.path(&generic.bound);
        });
        self.push(">");
    }

    fn result(&mut self, result: Option<&TypeSpec>) {
        if let Some(result) = result {
            self.push(" : ");
            self.ty(result);
        }
    }

    fn pou(&mut self, pou: &Pou) {
        self.begin();
        let _ = write!(self.out, "{} ", pou.kind.keyword());
        self.modifiers(&pou.modifiers);
        self.name(&pou.name);
        self.generics(&pou.generics);
        if let Some(base) = &pou.extends {
            self.push(" EXTENDS ");
            self.path(base);
        }
        self.paths(" IMPLEMENTS ", &pou.implements);
        self.result(pou.result.as_ref());
        self.push("\n");
        self.inner(|p| {
            p.pragmas(&pou.pragmas);
            pou.using.chunks(1).for_each(|path| p.using(path));
            pou.sections.iter().for_each(|section| p.section(section));
            if !pou.types.is_empty() {
                p.types(&pou.types);
            }
            pou.methods.iter().for_each(|method| p.method(method));
            pou.properties.iter().for_each(|property| p.property(property));
            pou.actions.iter().for_each(|action| p.action(action));
            p.body(&pou.body);
        });
        let end = match pou.kind {
            PouKind::Program => "END_PROGRAM",
            PouKind::Function => "END_FUNCTION",
            PouKind::FunctionBlock => "END_FUNCTION_BLOCK",
            PouKind::Class => "END_CLASS",
            PouKind::OrganizationBlock => "END_ORGANIZATION_BLOCK",
        };
        self.line(end);
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Missing => {}
            Body::Code(block) => self.block(block),
            Body::Chart(chart) => self.chart(chart),
        }
    }

    fn interface(&mut self, interface: &Interface) {
        self.begin();
        self.push("INTERFACE ");
        self.modifiers(&interface.modifiers);
        self.name(&interface.name);
        self.paths(" EXTENDS ", &interface.extends);
        self.push("\n");
        self.inner(|p| {
            interface.using.chunks(1).for_each(|path| p.using(path));
            interface.methods.iter().for_each(|method| p.method(method));
            interface.properties.iter().for_each(|property| p.property(property));
        });
        self.line("END_INTERFACE");
    }

    fn method(&mut self, method: &Method) {
        self.begin();
        self.push("METHOD ");
        self.modifiers(&method.modifiers);
        self.name(&method.name);
        self.generics(&method.generics);
        self.result(method.result.as_ref());
        self.push("\n");
        self.inner(|p| {
            p.pragmas(&method.pragmas);
            method.sections.iter().for_each(|section| p.section(section));
            p.body(&method.body);
        });
        self.line("END_METHOD");
    }

    fn property(&mut self, property: &Property) {
        self.begin();
        self.push("PROPERTY ");
        self.modifiers(&property.modifiers);
        self.name(&property.name);
        self.push(" : ");
        self.ty(&property.ty);
        self.push("\n");
        self.inner(|p| {
            p.pragmas(&property.pragmas);
            for (half, word) in [(&property.get, "GET"), (&property.set, "SET")] {
                if let Some(half) = half {
                    p.accessor(half, word);
                }
            }
        });
        self.line("END_PROPERTY");
    }

    fn accessor(&mut self, half: &Accessor, word: &str) {
        self.begin();
        self.modifiers(&half.modifiers);
        self.push(word);
        self.push("\n");
        self.inner(|p| {
            half.sections.iter().for_each(|section| p.section(section));
            p.body(&half.body);
        });
        self.line(&format!("END_{word}"));
    }

    fn action(&mut self, action: &Action) {
        self.pragmas(&action.pragmas);
        self.begin();
        self.push("ACTION ");
        self.name(&action.name);
        self.push(":\n");
        self.inner(|p| p.body(&action.body));
        self.line("END_ACTION");
    }

    fn data_block(&mut self, block: &DataBlock) {
        self.begin();
        self.push("DATA_BLOCK ");
        self.name(&block.name);
        self.push("\n");
        self.inner(|p| {
            p.pragmas(&block.pragmas);
            block.sections.iter().for_each(|section| p.section(section));
            let empty = matches!(
                &block.ty.kind,
                crate::ast::TypeKind::Struct { fields, .. } if fields.is_empty()
            );
            if !empty {
                p.begin();
                p.ty(&block.ty);
                p.push(";\n");
            }
        });
        self.line("BEGIN");
        self.inner(|p| p.block(&block.initial));
        self.line("END_DATA_BLOCK");
    }

    fn chart(&mut self, chart: &Chart) {
        self.block(&chart.always);
        chart.steps.iter().for_each(|step| self.step(step));
        chart.transitions.iter().for_each(|transition| self.transition(transition));
    }

    fn step(&mut self, step: &Step) {
        self.begin();
        self.push(if step.initial { "INITIAL_STEP " } else { "STEP " });
        self.name(&step.name);
        self.push(":\n");
        self.inner(|p| step.actions.iter().for_each(|action| p.association(action)));
        self.line("END_STEP");
    }

    fn association(&mut self, action: &Association) {
        self.begin();
        self.name(&action.name);
        self.push("(");
        self.name(&action.qualifier);
        if let Some(time) = &action.time {
            self.push(", ");
            self.expr(time);
        }
        for indicator in &action.indicators {
            self.push(", ");
            self.name(indicator);
        }
        self.push(");\n");
    }

    fn transition(&mut self, transition: &Transition) {
        self.begin();
        self.push("TRANSITION ");
        if let Some(name) = &transition.name {
            self.name(name);
            self.push(" ");
        }
        if let Some(priority) = &transition.priority {
            self.push("(PRIORITY := ");
            self.expr(priority);
            self.push(") ");
        }
        for (word, steps) in [("FROM ", &transition.from), (" TO ", &transition.to)] {
            self.push(word);
            let several = steps.len() != 1;
            self.push(if several { "(" } else { "" });
            self.list(steps, Printer::name);
            self.push(if several { ")" } else { "" });
        }
        self.push(" := ");
        self.expr(&transition.condition);
        self.push(";\n");
        self.line("END_TRANSITION");
    }

    fn configuration(&mut self, configuration: &Configuration) {
        self.begin();
        self.push("CONFIGURATION ");
        self.name(&configuration.name);
        self.push("\n");
        self.inner(|p| {
            configuration.sections.iter().for_each(|section| p.section(section));
            configuration.resources.iter().for_each(|resource| p.resource(resource));
        });
        self.line("END_CONFIGURATION");
    }

    fn resource(&mut self, resource: &Resource) {
        let Some(name) = &resource.name else {
            return self.tasks(resource);
        };
        self.begin();
        self.push("RESOURCE ");
        self.name(name);
        if let Some(on) = &resource.on {
            self.push(" ON ");
            self.name(on);
        }
        self.push("\n");
        self.inner(|p| {
            resource.sections.iter().for_each(|section| p.section(section));
            p.tasks(resource);
        });
        self.line("END_RESOURCE");
    }

    fn tasks(&mut self, resource: &Resource) {
        resource.tasks.iter().for_each(|task| self.task(task));
        resource.programs.iter().for_each(|program| self.instance(program));
    }

    fn task(&mut self, task: &Task) {
        self.begin();
        self.push("TASK ");
        self.name(&task.name);
        let parts = [
            ("SINGLE := ", &task.single),
            ("INTERVAL := ", &task.interval),
            ("PRIORITY := ", &task.priority),
        ];
        let parts: Vec<_> = parts.into_iter().filter_map(|(w, v)| Some((w, v.as_ref()?))).collect();
        if !parts.is_empty() {
            self.push("(");
            self.list(&parts, |p, (word, value)| {
                p.push(word);
                p.expr(value);
            });
            self.push(")");
        }
        self.push(";\n");
    }

    fn instance(&mut self, instance: &Instance) {
        self.begin();
        self.push("PROGRAM ");
        self.push(match instance.retention {
            Retention::Retain => "RETAIN ",
            Retention::NonRetain => "NON_RETAIN ",
            _ => "",
        });
        self.name(&instance.name);
        if let Some(task) = &instance.task {
            self.push(" WITH ");
            self.name(task);
        }
        self.push(" : ");
        self.path(&instance.program);
        if !instance.arguments.is_empty() {
            self.push("(");
            self.list(&instance.arguments, |p, argument| match argument {
                ConnectedArgument::Input(path, value) => {
                    p.path(path);
                    p.push(" := ");
                    p.expr(value);
                }
                ConnectedArgument::Output(path, value) => {
                    p.path(path);
                    p.push(" => ");
                    p.expr(value);
                }
                ConnectedArgument::Task(path, task) => {
                    p.path(path);
                    p.push(" WITH ");
                    p.name(task);
                }
            });
            self.push(")");
        }
        self.push(";\n");
    }
}
