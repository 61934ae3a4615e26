//! Which functions of two versions differ in meaning, as far as their instructions tell.
//!
//! A function is compared instruction by instruction in the form that engines are given, so comments,
//! formatting, macros and names of local variables make no difference: registers are numbered in the
//! order in which instructions speak of them. What is declared without a value has one instruction that
//! says so, wherever the declaration stands; these are not compared. Functions, global variables and
//! static objects are known by their names, texts in quotes by what they say.
//!
//! A front end may make one function of many units of the source ([`SourceUnit`]). Of such a function, units
//! are told apart by where instructions stand.
//!
//! Of a function that differs, the longest common subsequence of instructions ([`crate::align`]) says
//! which places are new [Fed15 §5.2]. There registers go by number or by name, whichever finds more in
//! common: one new register shifts the numbers of all that follow.
//!
//! What is compared is small and can be kept ([`Signatures`]); then the older version need not be read
//! again. Its sums are those of one order of operators: [`FORMAT`] changes with it, which a test watches.
//!
//! This is for people, and says which of several proofs to try first. Nothing that is proved rests on it.

use crate::align::align;
use program::Place;
use program::program::{
    Callee, Cause, Edge, Function, Instruction, LocationId, Object, Program, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use term::{Op, Pool, Term};

/// Changes with what sums are made of.
pub const FORMAT: &str = "signatures 2";

/// What is compared of a program; small, and of no pool. What was written down and read has no places: it
/// is compared as the older version.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Signatures {
    functions: BTreeMap<Arc<str>, Signature>,
    objects: BTreeMap<Arc<str>, u64>,
}

/// What is compared of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct Signature {
    /// Parameters, results, and all instructions with where they lead.
    whole: u64,
    /// One instruction each, with registers by name.
    named: Vec<u64>,
    /// The same with registers by number.
    numbered: Vec<u64>,
    /// The units of the source that it is made of, if it is made of several.
    units: Vec<Arc<str>>,
    /// The unit of each instruction, by its number among them; a greater one if it is of none.
    within: Vec<usize>,
    /// Where they stand.
    #[serde(skip)]
    places: Vec<Place>,
}

/// A unit of the source, from where it begins to where it ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceUnit {
    /// Its name.
    pub name: Arc<str>,
    /// Its first place.
    pub first: Place,
    /// Its last one.
    pub last: Place,
}

impl SourceUnit {
    fn has(&self, place: &Place) -> bool {
        let at = |place: &Place| (place.line, place.column);
        place.file == self.first.file && (at(&self.first)..=at(&self.last)).contains(&at(place))
    }
}

/// What differs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Difference {
    /// Functions, or units of them, that both versions have, with the places of the new one that the old
    /// one does not have.
    pub changed: Vec<(Arc<str>, Vec<Place>)>,
    /// Functions that only the new version has.
    pub added: Vec<Arc<str>>,
    /// Functions that only the old version has.
    pub removed: Vec<Arc<str>>,
    /// Static objects whose size or first contents differ, or that only one version has.
    pub objects: Vec<Arc<str>>,
    /// How many functions are the same.
    pub same: usize,
}

impl Difference {
    /// Between two versions.
    pub fn between(old: &Signatures, new: &Signatures) -> Difference {
        let mut difference = Difference::default();
        for (name, signature) in &new.functions {
            match old.functions.get(name) {
                None => difference.added.push(name.clone()),
                Some(before) if before.whole == signature.whole => {
                    difference.same += signature.units.len().max(1);
                }
                Some(before) if !(before.units.is_empty() && signature.units.is_empty()) => {
                    difference.by_unit(name, before, signature);
                }
                Some(before) => {
                    difference.changed.push((name.clone(), new_places(before, signature)));
                }
            }
        }
        let gone = old.functions.keys().filter(|name| !new.functions.contains_key(*name));
        difference.removed = gone.cloned().collect();
        let mut objects: Vec<Arc<str>> = Vec::new();
        for name in old.objects.keys().chain(new.objects.keys()) {
            if old.objects.get(name) != new.objects.get(name) {
                objects.push(name.clone());
            }
        }
        objects.sort();
        objects.dedup();
        difference.objects = objects;
        difference
    }

    /// Adds what differs in a function that is made of units, unit by unit; what is in none of them is the
    /// function's own.
    fn by_unit(&mut self, name: &Arc<str>, old: &Signature, new: &Signature) {
        let pairs = aligned(old, new);
        let mut kept = (vec![false; old.within.len()], vec![false; new.within.len()]);
        for (before, now) in pairs {
            (kept.0[before], kept.1[now]) = (true, true);
        }
        let of = |signature: &Signature, position: usize| {
            signature.units.get(signature.within[position]).cloned()
        };
        let mut changed: BTreeMap<Option<Arc<str>>, Vec<Place>> = BTreeMap::new();
        for position in (0..old.within.len()).filter(|position| !kept.0[*position]) {
            changed.entry(of(old, position)).or_default();
        }
        for position in (0..new.within.len()).filter(|position| !kept.1[*position]) {
            let (places, place) =
                (changed.entry(of(new, position)).or_default(), &new.places[position]);
            if place.is_known() && !places.contains(place) {
                places.push(place.clone());
            }
        }
        if changed.is_empty() {
            // The same instructions lead elsewhere, or are of other registers.
            changed.insert(None, Vec::new());
        }
        let is_in = |units: &[Arc<str>], unit: &Arc<str>| units.contains(unit);
        self.added.extend(new.units.iter().filter(|unit| !is_in(&old.units, unit)).cloned());
        self.removed.extend(old.units.iter().filter(|unit| !is_in(&new.units, unit)).cloned());
        let both = |unit: &Arc<str>| is_in(&old.units, unit) && is_in(&new.units, unit);
        let differs = |unit: &Arc<str>| changed.contains_key(&Some(unit.clone()));
        self.same += new.units.iter().filter(|unit| both(unit) && !differs(unit)).count();
        for (unit, places) in changed {
            match unit {
                None => self.changed.push((name.clone(), places)),
                Some(unit) if both(&unit) => self.changed.push((unit, places)),
                Some(_) => {}
            }
        }
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
            && self.added.is_empty()
            && self.removed.is_empty()
            && self.objects.is_empty()
    }
}

/// The instructions that two versions of a function have in common, in order. Where registers by name make no
/// difference, those by number do.
fn aligned(old: &Signature, new: &Signature) -> Vec<(usize, usize)> {
    let by_name = align(&old.named, &new.named);
    let by_number = align(&old.numbered, &new.numbered);
    let all = by_name.len() == old.named.len() && by_name.len() == new.named.len();
    if all || by_number.len() > by_name.len() { by_number } else { by_name }
}

/// The places of a function that the version before does not have, in order, each once.
fn new_places(old: &Signature, new: &Signature) -> Vec<Place> {
    let mut kept = vec![false; new.places.len()];
    for (_, position) in aligned(old, new) {
        kept[position] = true;
    }
    let mut places: Vec<Place> = Vec::new();
    for (place, kept) in new.places.iter().zip(kept) {
        if !kept && place.is_known() && !places.contains(place) {
            places.push(place.clone());
        }
    }
    places
}

impl Signatures {
    /// Of a program.
    pub fn of(program: &Program) -> Signatures {
        Signatures::in_units(program, &[])
    }

    /// Of a program whose functions are made of these units of the source, if it says so.
    pub fn in_units(program: &Program, units: &[SourceUnit]) -> Signatures {
        let mut names = known_names(program);
        let mut functions = BTreeMap::new();
        for function in program.functions.values().filter(|function| function.body.is_some()) {
            let mut signature = signature(program, function, &mut names);
            signature.divide(units);
            functions.insert(function.name.clone(), signature);
        }
        let named = program.objects.values().filter(|object| !is_text(object));
        let objects = named
            .map(|object| {
                let mut terms =
                    Terms { pool: &program.pool, names: &names, done: FxHashMap::default() };
                (object.name.clone(), contents(object, &mut terms))
            })
            .collect();
        Signatures { functions, objects }
    }

    /// The sum of a function; none if it has no body.
    pub fn function(&self, name: &str) -> Option<u64> {
        self.functions.get(name).map(|signature| signature.whole)
    }

    /// One number for all of it: two versions that have the same differ in nothing that is compared.
    pub fn sum(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for (name, signature) in &self.functions {
            (name, signature.whole).hash(&mut hasher);
        }
        self.objects.hash(&mut hasher);
        hasher.finish()
    }
}

impl Signature {
    /// Says of each instruction which unit it is of.
    fn divide(&mut self, units: &[SourceUnit]) {
        let of = |place: &Place| units.iter().position(|unit| unit.has(place));
        self.within = match units {
            [] => Vec::new(),
            units => self.places.iter().map(|place| of(place).unwrap_or(units.len())).collect(),
        };
        self.units = units.iter().map(|unit| unit.name.clone()).collect();
    }
}

/// A text in quotes has no name of its own: what it is called is no identifier.
fn is_text(object: &Object) -> bool {
    object.constant && !object.name.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c))
}

fn contents(object: &Object, terms: &mut Terms<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    (object.size, object.align, object.unknown, object.constant).hash(&mut hasher);
    for (offset, value) in &object.initial {
        (offset, terms.of(*value)).hash(&mut hasher);
    }
    hasher.finish()
}

/// What the variables of a program's terms stand for.
#[derive(Default)]
struct Names {
    /// The registers that are local to some function.
    registers: FxHashSet<Term>,
    /// Addresses, and registers that are not local: by name.
    fixed: FxHashMap<Term, u64>,
    /// The registers of the function at hand: by name, or by number.
    local: FxHashMap<Term, u64>,
}

fn known_names(program: &Program) -> Names {
    let mut fixed = FxHashMap::default();
    for variable in program.variables.values().filter(|variable| variable.function.is_none()) {
        let name = program.pool.var_name(variable.term).unwrap_or_default();
        fixed.insert(variable.term, sum(&("global", name)));
    }
    for function in program.functions.values() {
        if let Some(address) = function.address {
            fixed.insert(address, sum(&("function", &*function.name)));
        }
    }
    for object in program.objects.values() {
        let named = match is_text(object) {
            false => sum(&("object", &*object.name)),
            true => {
                let (pool, names) = (&program.pool, &Names::default());
                sum(&contents(object, &mut Terms { pool, names, done: FxHashMap::default() }))
            }
        };
        fixed.insert(object.address, named);
    }
    let local = program.variables.values().filter(|variable| variable.function.is_some());
    let registers = local.map(|variable| variable.term).collect();
    Names { registers, fixed, local: FxHashMap::default() }
}

fn sum(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Sums of terms.
struct Terms<'a> {
    pool: &'a Pool,
    names: &'a Names,
    done: FxHashMap<Term, u64>,
}

impl Terms<'_> {
    fn of(&mut self, term: Term) -> u64 {
        let mut pending = vec![term];
        while let Some(&next) = pending.last() {
            if self.done.contains_key(&next) {
                pending.pop();
                continue;
            }
            let open = self.pool.args(next).iter().filter(|arg| !self.done.contains_key(arg));
            let open: Vec<Term> = open.copied().collect();
            if open.is_empty() {
                let sum = self.node(next);
                self.done.insert(next, sum);
                pending.pop();
            } else {
                pending.extend(open);
            }
        }
        self.done[&term]
    }

    fn node(&self, term: Term) -> u64 {
        let op = self.pool.op(term);
        if let Op::Var(_) = op {
            let known = self.names.local.get(&term).or_else(|| self.names.fixed.get(&term));
            let by_name = || sum(&("other", self.pool.var_name(term)));
            return known.copied().unwrap_or_else(by_name);
        }
        let mut arguments: Vec<u64> =
            self.pool.args(term).iter().map(|argument| self.done[argument]).collect();
        // The pool orders the arguments of these by their numbers.
        if matches!(
            op,
            Op::And | Op::Or | Op::Eq | Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul
        ) {
            arguments.sort_unstable();
        }
        sum(&(op, self.pool.sort(term), arguments))
    }
}

fn signature(program: &Program, function: &Function, names: &mut Names) -> Signature {
    let Some(body) = &function.body else { return Signature::default() };
    let compared: Vec<&Edge> = body.edges.values().filter(|edge| is_compared(edge)).collect();
    let pool = &program.pool;
    let name = |id: VariableId| program.variables[id].term;
    let by_name = |term: Term| {
        let name = pool.var_name(term).unwrap_or_default();
        // Numbers tell registers without a name apart, and shift with each that is new.
        sum(&("local", if name.starts_with("$#") { "$" } else { name }))
    };
    let registers = local_registers(program, function, &compared, names);
    names.local = registers.iter().map(|&register| (register, by_name(register))).collect();
    let named = sums(program, &compared, names);
    let numbered = registers.into_iter().enumerate();
    names.local = numbered.map(|(number, term)| (term, sum(&("register", number)))).collect();
    let numbered = sums(program, &compared, names);
    let mut hasher = FxHasher::default();
    for register in function.parameters.iter().chain(&function.results) {
        pool.sort(name(*register)).hash(&mut hasher);
    }
    let mut numbers: FxHashMap<LocationId, usize> = FxHashMap::default();
    let mut number = |location: LocationId| {
        let next = numbers.len();
        *numbers.entry(location).or_insert(next)
    };
    let jumps: FxHashMap<LocationId, LocationId> = skipped(function);
    let end = |mut location: LocationId| {
        for _ in 0..jumps.len() {
            match jumps.get(&location) {
                Some(next) => location = *next,
                None => break,
            }
        }
        location
    };
    for (edge, sum) in compared.iter().zip(&numbered) {
        (number(end(edge.from)), number(end(edge.to)), sum).hash(&mut hasher);
    }
    names.local.clear();
    let places = compared.iter().map(|edge| edge.place.clone()).collect();
    let (units, within) = (Vec::new(), Vec::new());
    Signature { whole: hasher.finish(), named, numbered, units, within, places }
}

/// Whether an instruction says something: that a declared variable has no value yet says nothing.
fn is_compared(edge: &Edge) -> bool {
    !matches!(&edge.instruction, Instruction::Skip | Instruction::Havoc(_, Cause::Uninitialized))
}

/// Where locations lead that nothing but such an instruction leaves.
fn skipped(function: &Function) -> FxHashMap<LocationId, LocationId> {
    let mut leaving: FxHashMap<LocationId, Vec<&Edge>> = FxHashMap::default();
    let edges = function.body.iter().flat_map(|body| body.edges.values());
    for edge in edges {
        leaving.entry(edge.from).or_default().push(edge);
    }
    let only = |edges: &Vec<&Edge>| match edges[..] {
        [edge] if !is_compared(edge) => Some(edge.to),
        _ => None,
    };
    leaving.iter().filter_map(|(from, edges)| Some((*from, only(edges)?))).collect()
}

/// The registers of a function in the order in which it speaks of them.
fn local_registers(
    program: &Program,
    function: &Function,
    edges: &[&Edge],
    names: &Names,
) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    let mut known = FxHashSet::default();
    let term = |id: &VariableId| program.variables[*id].term;
    let mut note = |register: Term| {
        if names.registers.contains(&register) && known.insert(register) {
            found.push(register);
        }
    };
    function.parameters.iter().chain(&function.results).map(term).for_each(&mut note);
    for edge in edges {
        written(&edge.instruction).iter().map(term).for_each(&mut note);
        let mut pending = edge.instruction.terms();
        pending.reverse();
        let mut seen = FxHashSet::default();
        while let Some(next) = pending.pop() {
            if !seen.insert(next) {
                continue;
            }
            if let Op::Var(_) = program.pool.op(next) {
                note(next);
            }
            pending.extend(program.pool.args(next).iter().rev());
        }
    }
    found
}

/// The registers that an instruction writes.
fn written(instruction: &Instruction) -> Vec<VariableId> {
    match instruction {
        Instruction::Assign(into, _)
        | Instruction::Havoc(into, _)
        | Instruction::Load { into, .. }
        | Instruction::Written { into, .. }
        | Instruction::Measure { into, .. }
        | Instruction::Allocate { into, .. } => vec![*into],
        Instruction::Call { results, .. } => results.clone(),
        Instruction::Skip
        | Instruction::Assume(_)
        | Instruction::Check(..)
        | Instruction::Store { .. }
        | Instruction::Free { .. }
        | Instruction::Copy { .. }
        | Instruction::Fill { .. }
        | Instruction::HavocBytes { .. } => Vec::new(),
    }
}

/// The sums of instructions.
fn sums(program: &Program, edges: &[&Edge], names: &Names) -> Vec<u64> {
    let mut terms = Terms { pool: &program.pool, names, done: FxHashMap::default() };
    edges.iter().map(|edge| instruction(program, &edge.instruction, &mut terms)).collect()
}

fn instruction(program: &Program, of: &Instruction, terms: &mut Terms<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    std::mem::discriminant(of).hash(&mut hasher);
    for register in written(of) {
        terms.of(program.variables[register].term).hash(&mut hasher);
    }
    for term in of.terms() {
        terms.of(term).hash(&mut hasher);
    }
    match of {
        Instruction::Havoc(_, cause) | Instruction::HavocBytes { cause, .. } => {
            cause.words().hash(&mut hasher);
        }
        Instruction::Check(property, _) => property.name().hash(&mut hasher),
        Instruction::Written { size, .. } => size.hash(&mut hasher),
        Instruction::Allocate { align, storage, .. } => (align, storage.word()).hash(&mut hasher),
        Instruction::Free { storage, .. } => storage.word().hash(&mut hasher),
        Instruction::Measure { extent, .. } => extent.hash(&mut hasher),
        Instruction::Call { callee: Callee::Function(callee), .. } => {
            program.functions[*callee].name.hash(&mut hasher);
        }
        _ => {}
    }
    hasher.finish()
}
