//! What the files declare, by name: units, types, interfaces, global variables, configurations.
//!
//! Names of namespaces are known by their last part and by their whole path; the first declaration
//! of a name counts. The library's declarations come last, so that those of the user win.

use crate::ast::{
    Action, Configuration, DataBlock, Interface, Item, ItemKind, Method, Path, Pou, PouKind,
    Property, TypeDeclaration, Unit, VariableSection,
};
use crate::types::PouId;
use rustc_hash::{FxHashMap, FxHashSet};
use source::Diagnostic;
use std::sync::Arc;

/// The declarations of a program.
#[derive(Default)]
pub struct Table<'a> {
    /// Programs, functions, function blocks, classes.
    pub pous: Vec<&'a Pou>,
    /// How many of them are the user's; the others are of the library.
    pub own: usize,
    names: FxHashMap<Arc<str>, PouId>,
    /// Types.
    pub types: FxHashMap<Arc<str>, &'a TypeDeclaration>,
    /// The types in the order in which they are declared.
    pub type_order: Vec<&'a TypeDeclaration>,
    /// Interfaces.
    pub interfaces: FxHashMap<Arc<str>, &'a Interface>,
    /// Lists of global variables, with their names.
    pub globals: Vec<(Option<Arc<str>>, &'a VariableSection)>,
    /// Data blocks.
    pub data_blocks: Vec<&'a DataBlock>,
    /// Configurations.
    pub configurations: Vec<&'a Configuration>,
    actions: FxHashMap<Arc<str>, Vec<&'a Action>>,
}

impl<'a> Table<'a> {
    /// The table of the user's declarations and the library's.
    pub fn new(unit: &'a Unit, library: &'a Unit) -> Result<Table<'a>, Vec<Diagnostic>> {
        let mut table = Table::default();
        let mut errors = Vec::new();
        let mut seen = FxHashSet::default();
        table.add(&unit.items, "", &mut |key, name: &crate::ast::Name| {
            if !seen.insert((key.to_owned(), name.key.clone())) {
                let message = format!("'{name}' is declared twice");
                errors.push(*Diagnostic::error(name.span, message));
            }
        });
        table.own = table.pous.len();
        table.add(&library.items, "", &mut |_, _| {});
        if errors.is_empty() { Ok(table) } else { Err(errors) }
    }

    fn add(
        &mut self,
        items: &'a [Item],
        prefix: &str,
        declared: &mut dyn FnMut(&str, &crate::ast::Name),
    ) {
        for item in items {
            match &item.kind {
                ItemKind::Pou(pou) => {
                    declared(&format!("{prefix}unit"), &pou.name);
                    let id = self.pous.len();
                    self.pous.push(pou);
                    for key in keys(prefix, &pou.name.key) {
                        self.names.entry(key).or_insert(id);
                    }
                    self.add_types(&pou.types, prefix);
                }
                ItemKind::Interface(interface) => {
                    for key in keys(prefix, &interface.name.key) {
                        self.interfaces.entry(key).or_insert(interface);
                    }
                }
                ItemKind::Types(types) => self.add_types(types, prefix),
                ItemKind::Globals(name, section) => {
                    self.globals.push((name.as_ref().map(|n| n.key.clone()), section));
                }
                ItemKind::Configuration(configuration) => {
                    let lists = configuration.sections.iter();
                    let inner = configuration.resources.iter().flat_map(|r| &r.sections);
                    self.globals.extend(lists.chain(inner).map(|section| (None, section)));
                    self.configurations.push(configuration);
                }
                ItemKind::Namespace(namespace) => {
                    let inner = format!("{prefix}{}.", namespace.name.to_string().to_lowercase());
                    self.add(&namespace.items, &inner, declared);
                }
                ItemKind::Actions(name, actions) => {
                    self.actions.entry(name.key.clone()).or_default().extend(actions);
                }
                ItemKind::DataBlock(block) => self.data_blocks.push(block),
                ItemKind::Config(_) | ItemKind::Using(_) => {}
            }
        }
    }

    fn add_types(&mut self, types: &'a [TypeDeclaration], prefix: &str) {
        for ty in types {
            self.type_order.push(ty);
            for key in keys(prefix, &ty.name.key) {
                self.types.entry(key).or_insert(ty);
            }
        }
    }

    /// The unit of a name in small letters.
    pub fn pou(&self, key: &str) -> Option<PouId> {
        self.names.get(key).copied()
    }

    /// The unit of a path: the whole path, or its last name.
    pub fn pou_of(&self, path: &Path) -> Option<PouId> {
        let whole = path.to_string().to_lowercase();
        self.pou(&whole).or_else(|| self.pou(&path.last().key))
    }

    /// An action of a unit.
    pub fn action(&self, pou: &'a Pou, key: &str) -> Option<&'a Action> {
        let inside = pou.actions.iter().find(|action| action.name.is(key));
        inside.or_else(|| {
            let outside = self.actions.get(&pou.name.key)?;
            outside.iter().copied().find(|action| action.name.is(key))
        })
    }

    /// All actions of a unit.
    pub fn actions(&self, pou: &'a Pou) -> Vec<&'a Action> {
        let outside = self.actions.get(&pou.name.key).into_iter().flatten();
        pou.actions.iter().chain(outside.copied()).collect()
    }

    /// The unit that a block extends.
    pub fn base(&self, pou: PouId) -> Option<PouId> {
        let base = self.pou_of(self.pous[pou].extends.as_ref()?)?;
        (base != pou).then_some(base)
    }

    /// A block and what it inherits from, nearest first. A circle ends it.
    pub fn ancestry(&self, pou: PouId) -> Vec<PouId> {
        let mut line = vec![pou];
        while let Some(base) = self.base(line[line.len() - 1]) {
            if line.contains(&base) {
                break;
            }
            line.push(base);
        }
        line
    }

    /// A method of a block, or of what it inherits from, and who declares it.
    pub fn method(&self, pou: PouId, key: &str) -> Option<(PouId, &'a Method)> {
        self.ancestry(pou).into_iter().find_map(|owner| {
            let method = self.pous[owner].methods.iter().find(|m| m.name.is(key))?;
            Some((owner, method))
        })
    }

    /// A property of a block, or of what it inherits from, and who declares it.
    pub fn property(&self, pou: PouId, key: &str) -> Option<(PouId, &'a Property)> {
        self.ancestry(pou).into_iter().find_map(|owner| {
            let property = self.pous[owner].properties.iter().find(|p| p.name.is(key))?;
            Some((owner, property))
        })
    }

    /// Whether a block implements an interface, itself or by inheritance.
    pub fn implements(&self, pou: PouId, interface: &str) -> bool {
        self.ancestry(pou).into_iter().any(|owner| {
            self.pous[owner].implements.iter().any(|path| self.extends(&path.last().key, interface))
        })
    }

    fn extends(&self, key: &str, wanted: &str) -> bool {
        *key == *wanted || self.interfaces_of(key).iter().any(|i| i.name.is(wanted))
    }

    /// An interface and those that it extends.
    fn interfaces_of(&self, key: &str) -> Vec<&'a Interface> {
        let (mut todo, mut seen) = (vec![Arc::from(key)], FxHashSet::default());
        let mut found = Vec::new();
        while let Some(key) = todo.pop() {
            if let Some(interface) = self.interfaces.get(&key).copied()
                && seen.insert(key)
            {
                todo.extend(interface.extends.iter().map(|path| path.last().key.clone()));
                found.push(interface);
            }
        }
        found
    }

    /// A method of an interface, or of one that it extends.
    pub fn interface_method(&self, interface: &str, key: &str) -> Option<&'a Method> {
        let all = self.interfaces_of(interface).into_iter().flat_map(|i| &i.methods);
        all.into_iter().find(|method| method.name.is(key))
    }

    /// A property of an interface, or of one that it extends.
    pub fn interface_property(&self, interface: &str, key: &str) -> Option<&'a Property> {
        let all = self.interfaces_of(interface).into_iter().flat_map(|i| &i.properties);
        all.into_iter().find(|property| property.name.is(key))
    }

    /// Whether other blocks extend this one.
    pub fn is_extended(&self, pou: PouId) -> bool {
        (0..self.pous.len()).any(|other| other != pou && self.ancestry(other).contains(&pou))
    }

    /// Whether variables can be instances of a unit.
    pub fn has_instances(&self, pou: PouId) -> bool {
        self.pous[pou].kind != PouKind::Function
    }
}

/// The names under which something in a namespace is known.
fn keys(prefix: &str, key: &Arc<str>) -> Vec<Arc<str>> {
    match prefix {
        "" => vec![key.clone()],
        prefix => vec![format!("{prefix}{key}").into(), key.clone()],
    }
}
