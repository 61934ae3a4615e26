//! Scopes of identifiers and tags [C11 §6.2.1].

use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{FunctionId, ObjectId};
use crate::types::{EnumId, QualType, RecordId, TypeId};
use rustc_hash::FxHashMap;

/// What an identifier stands for.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Entity {
    /// A variable.
    Object(ObjectId),
    /// A function.
    Function(FunctionId),
    /// A type.
    Typedef(QualType),
    /// An enumeration constant.
    Constant(i128, TypeId),
}

/// What a tag stands for.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// A declaration of a name.
#[derive(Copy, Clone, Debug)]
pub(super) struct Binding<T> {
    pub(super) entity: T,
    pub(super) span: Span,
    depth: u32,
}

/// One name space.
#[derive(Debug)]
struct Names<T> {
    bindings: FxHashMap<Symbol, Vec<Binding<T>>>,
    /// Names bound in inner scopes, in order, with the depth they are bound at.
    log: Vec<(Symbol, u32)>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Names { bindings: FxHashMap::default(), log: Vec::new() }
    }
}

impl<T: Copy> Names<T> {
    fn get(&self, name: Symbol) -> Option<Binding<T>> {
        self.bindings.get(&name)?.last().copied()
    }

    fn bind(&mut self, name: Symbol, entity: T, span: Span, depth: u32) {
        let stack = self.bindings.entry(name).or_default();
        // A function or extern object named in an inner scope may be declared at file scope
        // below bindings of inner scopes, so the place is found by depth.
        let at = stack.partition_point(|b| b.depth < depth);
        match stack.get_mut(at).filter(|b| b.depth == depth) {
            Some(binding) => binding.entity = entity,
            None => {
                stack.insert(at, Binding { entity, span, depth });
                if depth > 0 {
                    self.log.push((name, depth));
                }
            }
        }
    }

    fn pop(&mut self, depth: u32) {
        while let Some(&(name, bound)) = self.log.last()
            && bound >= depth
        {
            self.log.pop();
            if let Some(stack) = self.bindings.get_mut(&name) {
                stack.pop();
            }
        }
    }
}

/// The scopes around the place that is being checked; depth 0 is the file.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    names: Names<Entity>,
    tags: Names<Tag>,
    depth: u32,
}

impl Scopes {
    pub(super) fn push(&mut self) {
        self.depth += 1;
    }

    pub(super) fn pop(&mut self) {
        if self.depth > 0 {
            self.names.pop(self.depth);
            self.tags.pop(self.depth);
            self.depth -= 1;
        }
    }

    /// The current depth, to return to after an error.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Leaves scopes down to a depth.
    pub(super) fn pop_to(&mut self, depth: u32) {
        while self.depth > depth {
            self.pop();
        }
    }

    pub(super) fn pop_to_file(&mut self) {
        self.pop_to(0);
    }

    pub(super) fn at_file(&self) -> bool {
        self.depth == 0
    }

    pub(super) fn lookup(&self, name: Symbol) -> Option<Binding<Entity>> {
        self.names.get(name)
    }

    /// The binding of a name in the innermost scope.
    pub(super) fn lookup_here(&self, name: Symbol) -> Option<Binding<Entity>> {
        self.names.get(name).filter(|b| b.depth == self.depth)
    }

    /// The binding of a name at file scope, even if it is shadowed.
    pub(super) fn lookup_file(&self, name: Symbol) -> Option<Binding<Entity>> {
        self.names.bindings.get(&name)?.first().filter(|b| b.depth == 0).copied()
    }

    pub(super) fn bind(&mut self, name: Symbol, entity: Entity, span: Span) {
        self.names.bind(name, entity, span, self.depth);
    }

    pub(super) fn bind_file(&mut self, name: Symbol, entity: Entity, span: Span) {
        self.names.bind(name, entity, span, 0);
    }

    pub(super) fn tag(&self, name: Symbol) -> Option<Binding<Tag>> {
        self.tags.get(name)
    }

    pub(super) fn tag_here(&self, name: Symbol) -> Option<Binding<Tag>> {
        self.tags.get(name).filter(|b| b.depth == self.depth)
    }

    pub(super) fn bind_tag(&mut self, name: Symbol, tag: Tag, span: Span) {
        self.tags.bind(name, tag, span, self.depth);
    }
}
