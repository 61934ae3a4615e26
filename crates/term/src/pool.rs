//! The pool: every distinct term once.
//!
//! A [`Term`] is a number; its node (operator, sort, arguments) lives in the [`Pool`] that made
//! it. Nodes are never removed or changed, so the pool hands out plain references to them while
//! it grows through a shared reference: constructors nest (`pool.and([pool.eq(a, b), c])`).
//! Arguments always have smaller numbers than the terms that use them, hence the order of
//! terms is a topological order of every DAG.

use crate::op::Op;
use crate::sort::{ArraySort, Sort};
use crate::value::Value;
use elsa::FrozenVec;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;

/// An interned term. Equal terms of one pool are equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(NonZeroU32);

impl Term {
    fn new(index: usize) -> Self {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        Term(number.expect("a pool holds fewer than 2^32 terms"))
    }

    /// The term's place in its pool: dense from 0, arguments before their users.
    #[inline]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.index())
    }
}

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(u32);

/// A declared function or predicate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Func(u32);

/// The declaration behind a [`Func`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Function {
    /// Its name.
    pub name: Symbol,
    /// The sorts of its arguments.
    pub params: Vec<Sort>,
    /// The sort of its result.
    pub result: Sort,
}

/// A term's operator, sort and arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What the node does.
    pub op: Op,
    /// The sort of its result.
    pub sort: Sort,
    /// What it does it to.
    pub args: SmallVec<[Term; 3]>,
}

/// The arena and hash table of terms, symbols, functions and array sorts.
#[derive(Default)]
pub struct Pool {
    nodes: FrozenVec<Box<Node>>,
    /// Terms with the hashes of their nodes, so that the table can grow without looking at those.
    hashed: RefCell<HashTable<(u32, Term)>>,
    names: FrozenVec<Box<str>>,
    symbols: RefCell<FxHashMap<Box<str>, Symbol>>,
    functions: FrozenVec<Box<Function>>,
    function_numbers: RefCell<FxHashMap<Function, Func>>,
    arrays: FrozenVec<Box<(Sort, Sort)>>,
    array_numbers: RefCell<FxHashMap<(Sort, Sort), ArraySort>>,
    fresh: Cell<u64>,
    /// How many simplifications are under way, one inside the other.
    pub(crate) nesting: Cell<u32>,
}

impl Clone for Pool {
    /// A copy in which every term, symbol and function keeps its number.
    fn clone(&self) -> Self {
        Pool {
            nodes: self.nodes.iter().map(|n| Box::new(n.clone())).collect(),
            hashed: self.hashed.clone(),
            names: self.names.iter().map(Box::from).collect(),
            symbols: self.symbols.clone(),
            functions: self.functions.iter().map(|f| Box::new(f.clone())).collect(),
            function_numbers: self.function_numbers.clone(),
            arrays: self.arrays.iter().map(|a| Box::new(*a)).collect(),
            array_numbers: self.array_numbers.clone(),
            fresh: self.fresh.clone(),
            nesting: Cell::new(0),
        }
    }
}

fn hash_of(op: &Op, sort: Sort, args: &[Term]) -> u32 {
    let mut hasher = FxHasher::default();
    op.hash(&mut hasher);
    sort.hash(&mut hasher);
    args.hash(&mut hasher);
    let hash = hasher.finish();
    (hash ^ hash >> 32) as u32
}

/// A hash with its bits everywhere: the table looks at the lowest and the highest.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many terms there are; all have an [`index`](Term::index) below.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no terms yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of a term.
    ///
    /// # Panics
    /// If the term is of another, larger pool.
    #[inline]
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    /// The operator of a term.
    #[inline]
    pub fn op(&self, term: Term) -> &Op {
        &self.node(term).op
    }

    /// The arguments of a term.
    #[inline]
    pub fn args(&self, term: Term) -> &[Term] {
        &self.node(term).args
    }

    /// The sort of a term.
    #[inline]
    pub fn sort(&self, term: Term) -> Sort {
        self.node(term).sort
    }

    /// The value, of a constant.
    #[inline]
    pub fn value(&self, term: Term) -> Option<&Value> {
        match self.op(term) {
            Op::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The term with exactly this node, with no simplification.
    ///
    /// Requires: `sort` is what [`crate::typing::sort_of`] computes.
    pub(crate) fn intern(&self, op: Op, sort: Sort, args: &[Term]) -> Term {
        let hash = hash_of(&op, sort, args);
        let mut hashed = self.hashed.borrow_mut();
        let same = |&(other, term): &(u32, Term)| {
            other == hash && {
                let node = self.node(term);
                node.op == op && node.sort == sort && node.args[..] == *args
            }
        };
        if let Some((_, term)) = hashed.find(spread(hash), same) {
            return *term;
        }
        let term = Term::new(self.nodes.len());
        self.nodes.push(Box::new(Node { op, sort, args: SmallVec::from_slice(args) }));
        hashed.insert_unique(spread(hash), (hash, term), |&(hash, _)| spread(hash));
        term
    }

    /// The symbol with this name.
    pub fn symbol(&self, name: &str) -> Symbol {
        if let Some(symbol) = self.symbols.borrow().get(name) {
            return *symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(name.into());
        self.symbols.borrow_mut().insert(name.into(), symbol);
        symbol
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// The sort of arrays from one sort to another.
    pub fn array_sort(&self, index: Sort, element: Sort) -> Sort {
        let key = (index, element);
        if let Some(sort) = self.array_numbers.borrow().get(&key) {
            return Sort::Array(*sort);
        }
        let sort = ArraySort(self.arrays.len() as u32);
        self.arrays.push(Box::new(key));
        self.array_numbers.borrow_mut().insert(key, sort);
        Sort::Array(sort)
    }

    /// The index and element sort, of an array sort.
    pub fn array_parts(&self, sort: Sort) -> Option<(Sort, Sort)> {
        match sort {
            Sort::Array(array) => Some(self.arrays[array.0 as usize]),
            _ => None,
        }
    }

    /// The function with this declaration; a declaration is identified by name and signature.
    pub fn function(&self, name: &str, params: &[Sort], result: Sort) -> Func {
        let function = Function { name: self.symbol(name), params: params.to_vec(), result };
        if let Some(func) = self.function_numbers.borrow().get(&function) {
            return *func;
        }
        let func = Func(self.functions.len() as u32);
        self.functions.push(Box::new(function.clone()));
        self.function_numbers.borrow_mut().insert(function, func);
        func
    }

    /// The declaration of a function.
    pub fn declaration(&self, func: Func) -> &Function {
        &self.functions[func.0 as usize]
    }

    /// The free constant with this name and sort.
    pub fn var(&self, name: &str, sort: Sort) -> Term {
        self.intern(Op::Var(self.symbol(name)), sort, &[])
    }

    /// A free constant whose name no other term has: `prefix!n`.
    pub fn fresh_var(&self, prefix: &str, sort: Sort) -> Term {
        loop {
            let name = format!("{prefix}!{}", self.fresh.replace(self.fresh.get() + 1));
            if !self.symbols.borrow().contains_key(name.as_str()) {
                return self.var(&name, sort);
            }
        }
    }

    /// A variable to be bound by one quantifier. Its name is unique, which is what lets
    /// substitution go under quantifiers without capture.
    pub fn bound_var(&self, name: &str, sort: Sort) -> Term {
        if self.symbols.borrow().contains_key(name) {
            self.fresh_var(name, sort)
        } else {
            self.var(name, sort)
        }
    }

    /// The name of a variable; `None` for other terms.
    pub fn var_name(&self, term: Term) -> Option<&str> {
        match self.op(term) {
            Op::Var(symbol) => Some(self.name(*symbol)),
            _ => None,
        }
    }
}
