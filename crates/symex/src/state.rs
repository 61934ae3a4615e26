//! Where an execution is: the path condition, the values of registers, and what objects hold.
//!
//! States share what they have in common, so a fork costs nothing and a merge only what differs.

use crate::contents::Contents;
use crate::object::{Base, Kind, Objects};
use crate::outside::is_outside;
use crate::path::{Parting, Path};
use crate::pointer::Pointers;
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use program::program::VariableId;
use std::sync::Arc;
use term::traverse::conjuncts;
use term::{Op, Pool, Term};

/// Registers with their values.
pub type Registers = OrdMap<u32, Term>;

/// A state of an execution.
#[derive(Clone, Default)]
pub struct State {
    /// When the execution is here.
    pub path: Path,
    /// The last path of which a solver said that it can be taken, or that was taken without asking.
    pub feasible: Path,
    /// Unknown values that the path fixes.
    pub known: OrdMap<Term, Term>,
    /// Registers that all functions share.
    pub globals: Registers,
    /// Those of the function that is executed.
    pub locals: Registers,
    /// What objects hold, if somebody has written to them.
    memory: OrdMap<Base, Arc<Contents>>,
    /// Whether allocated objects live; those that are missing do not.
    pub alive: OrdMap<Base, Term>,
}

/// A register as a key.
pub fn key(variable: VariableId) -> u32 {
    variable.into_raw().into_u32()
}

impl State {
    /// What an object holds.
    pub fn contents(&self, base: Base) -> Contents {
        self.memory.get(&base).map(|contents| (**contents).clone()).unwrap_or_default()
    }

    /// Looks at what an object holds.
    pub fn with_contents<T>(&self, base: Base, look: impl FnOnce(&Contents) -> T) -> T {
        match self.memory.get(&base) {
            Some(contents) => look(contents),
            None => look(&Contents::default()),
        }
    }

    /// Changes what an object holds.
    pub fn change<T>(&mut self, base: Base, change: impl FnOnce(&mut Contents) -> T) -> T {
        let mut contents = self.memory.remove(&base).unwrap_or_default();
        let result = change(Arc::make_mut(&mut contents));
        self.memory.insert(base, contents);
        result
    }

    /// A value, or the constant that the path says it is.
    pub fn resolved(&self, value: Term) -> Term {
        match self.known.is_empty() {
            true => value,
            false => self.known.get(&value).copied().unwrap_or(value),
        }
    }

    /// Goes on only if a formula holds, and remembers the unknown values that it fixes.
    pub fn assume(&mut self, pool: &Pool, formula: Term) {
        self.path = self.path.assume(pool, formula);
        for fact in conjuncts(pool, formula) {
            match (pool.op(fact), pool.args(fact)) {
                (Op::Var(_), _) => {
                    self.known.insert(fact, pool.tru());
                }
                (Op::Not, &[variable]) if matches!(pool.op(variable), Op::Var(_)) => {
                    self.known.insert(variable, pool.fls());
                }
                (Op::Eq, &[a, b]) => {
                    for (variable, value) in [(a, b), (b, a)] {
                        // An address from outside is known by the pointer that has it.
                        let fixed = pool.value(value).is_some() && !is_outside(pool, value);
                        if fixed && matches!(pool.op(variable), Op::Var(_)) {
                            self.known.insert(variable, value);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether no run is here.
    pub fn is_dead(&self, pool: &Pool) -> bool {
        self.path.last().is_some_and(|literal| pool.as_bool(literal) == Some(false))
    }

    /// An object ends to live for good: nobody can tell any more what it held.
    pub fn bury(&mut self, base: Base, objects: &Objects) {
        self.alive.remove(&base);
        self.memory.remove(&base);
        if let Some(marks) = objects.marks(base) {
            self.memory.remove(&marks);
        }
    }

    /// Both states as one.
    pub fn merge(
        self,
        other: State,
        pool: &Pool,
        objects: &Objects,
        pointers: &mut Pointers,
    ) -> State {
        let Parting { common, first, second } = self.path.part(&other.path, pool);
        let path = common.assume(pool, pool.or([first, second]));
        let known = common_facts(self.known, &other.known);
        let feasible = match self.feasible.depth() <= common.depth() {
            true => self.feasible,
            false => common,
        };
        let mut choose = |a: Term, b: Term| pointers.choose(pool, objects, first, a, b);
        let globals = merge_registers(self.globals, &other.globals, &mut choose);
        let locals = merge_registers(self.locals, &other.locals, &mut choose);
        let mut memory = self.memory.clone();
        let empty = Arc::default();
        let exists = |state: &OrdMap<Base, Term>, base: &Base| {
            let owner = objects.owner(*base);
            !matches!(objects[owner].kind, Kind::Allocated(..)) || state.contains_key(&owner)
        };
        for change in self.memory.diff(&other.memory) {
            let (base, ours, theirs) = match change {
                // An object that one way does not have is what the other says.
                DiffItem::Add(base, theirs) if !exists(&self.alive, base) => {
                    memory.insert(*base, theirs.clone());
                    continue;
                }
                DiffItem::Remove(base, _) if !exists(&other.alive, base) => continue,
                // Of one that it has not written to, the first contents are known.
                DiffItem::Add(base, theirs) => (base, &empty, theirs),
                DiffItem::Remove(base, ours) => (base, ours, &empty),
                DiffItem::Update { old: (base, ours), new: (_, theirs) } => (base, ours, theirs),
            };
            let both = (&**ours, &**theirs);
            let merged = Contents::merge(pool, &objects[*base], first, both, &mut choose);
            memory.insert(*base, Arc::new(merged));
        }
        let alive = merge_lives(pool, first, &self.alive, &other.alive);
        State { path, feasible, known, globals, locals, memory, alive }
    }
}

/// What both ways know.
fn common_facts(ours: OrdMap<Term, Term>, theirs: &OrdMap<Term, Term>) -> OrdMap<Term, Term> {
    let mut common = ours.clone();
    for change in ours.diff(theirs) {
        match change {
            DiffItem::Add(..) => {}
            DiffItem::Remove(variable, _) | DiffItem::Update { old: (variable, _), .. } => {
                common.remove(variable);
            }
        }
    }
    common
}

/// A register that only one way has set is read on no other.
fn merge_registers(
    ours: Registers,
    theirs: &Registers,
    choose: &mut impl FnMut(Term, Term) -> Term,
) -> Registers {
    let mut merged = ours.clone();
    for change in ours.diff(theirs) {
        match change {
            DiffItem::Add(register, value) => {
                merged.insert(*register, *value);
            }
            DiffItem::Remove(..) => {}
            DiffItem::Update { old: (register, a), new: (_, b) } => {
                merged.insert(*register, choose(*a, *b));
            }
        }
    }
    merged
}

fn merge_lives(
    pool: &Pool,
    first: Term,
    ours: &OrdMap<Base, Term>,
    theirs: &OrdMap<Base, Term>,
) -> OrdMap<Base, Term> {
    let mut merged = ours.clone();
    for change in ours.diff(theirs) {
        let (base, value) = match change {
            DiffItem::Add(base, theirs) => (base, pool.and([pool.not(first), *theirs])),
            DiffItem::Remove(base, ours) => (base, pool.and([first, *ours])),
            DiffItem::Update { old: (base, a), new: (_, b) } => (base, pool.ite(first, *a, *b)),
        };
        merged.insert(*base, value);
    }
    merged
}
