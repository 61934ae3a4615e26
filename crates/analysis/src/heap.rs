//! What may hold behind pointers: of every object that a pointer points to, wherever the pointer is.
//!
//! A program that builds a list keeps something of all its nodes: each node's flag is set, each value is
//! one of two. That is `u = 0 ∨ P(u)` for every pointer u, in a variable or in a field: with a field in
//! an array n by addresses, `n[k] = 0 ∨ P(n[k])` for all k ([`program::parameters`]), where P speaks of
//! other fields at the address. Following `p = p->next` keeps this of p, by the instance k = p. So the
//! nodes of a list that nobody has bounded are known without saying what a list is. The properties come
//! from the program: what it stores to fields, and what it compares them with.
//!
//! While a node is being made, that holds but for this node: `… ∨ n[k] = p`, and where k is p's own.
//!
//! That a new object is none of the old ones is known if all pointers are below the place where the next
//! one will be: `u < t`, for what pointers are compared with when objects are placed.
//!
//! [`crate::houdini`] decides which of these hold.

use crate::elements::root;
use crate::fixpoint;
use program::cfa::{Cfa, Command};
use program::program::Reading;
use rustc_hash::FxHashSet;
use term::traverse::{free_vars, size, substitute, subterms};
use term::{Op, Pool, Sort, Term};

/// The largest property.
const LARGEST: usize = 16;
/// The most properties of a field, fields, pointers in variables, and flags.
const MAX_PROPERTIES: usize = 8;
const MAX_FIELDS: usize = 6;
const MAX_POINTERS: usize = 12;
const MAX_FLAGS: usize = 2;
/// The most formulas of a list, at all locations together and at one of them.
const MAX_FORMULAS: (usize, usize) = (16_000, 1_500);

/// Lists of formulas that may hold at any location, the likeliest first; none if there are no pointers
/// to fields. The second list is of what holds but for one node that the program is about to change, the
/// third of what neighbours have to do with each other.
pub fn candidates(pool: &Pool, cfa: &Cfa) -> Vec<Vec<Term>> {
    let Some(mut heap) = Heap::new(pool, cfa) else { return Vec::new() };
    heap.properties();
    let all: Vec<Pointer> = heap.pointers();
    let mut first: Vec<Term> = all.iter().flat_map(|pointer| heap.below(pointer)).collect();
    first.extend(all.iter().flat_map(|pointer| heap.apart(pointer)));
    let mut second = Vec::new();
    let mut third: Vec<Term> = all.iter().flat_map(|pointer| heap.before(pointer)).collect();
    for number in 1..=2 {
        for pointer in &all {
            first.extend(heap.behind(pointer, &[], number));
            let (simple, others) = heap.exceptions(pointer);
            let behind = |exception: &Vec<Term>| heap.behind(pointer, exception, number);
            second.extend(simple.iter().flat_map(behind));
            third.extend(others.iter().flat_map(behind));
        }
    }
    let mut lists = vec![first, second, third];
    for list in &mut lists {
        let mut seen = FxHashSet::default();
        list.retain(|formula| pool.as_bool(*formula).is_none() && seen.insert(*formula));
        list.truncate(MAX_FORMULAS.1.min(MAX_FORMULAS.0 / cfa.locations.len().max(1)));
    }
    lists.retain(|list| !list.is_empty());
    lists
}

/// A field of nodes: an array, and how far its index is from that of a node's address.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Field {
    array: Term,
    distance: Term,
}

/// Something that points to a node.
struct Pointer {
    term: Term,
    /// The node that it is in, as an index, if it is in a field.
    holder: Option<Term>,
}

struct Heap<'a> {
    pool: &'a Pool,
    /// Stands for a pointer in properties.
    hole: Term,
    /// The index of the hole: its high bits.
    place: Term,
    /// The index of any node.
    anywhere: Term,
    /// Subterms of what is assigned and assumed.
    subterms: Vec<Term>,
    /// The variables of the program's text.
    named: FxHashSet<Term>,
    /// Those that hold pointers.
    variables: Vec<Term>,
    /// Addresses that variables take.
    constants: Vec<Term>,
    /// Those that hold pointers.
    links: Vec<Field>,
    /// What may hold of fields behind a pointer; those of the same field together.
    properties: Vec<(Term, Vec<Term>)>,
    /// Comparisons of variables that are no pointers with constants.
    flags: Vec<Term>,
    /// Where the next object will be.
    tops: Vec<Term>,
}

impl<'a> Heap<'a> {
    fn new(pool: &'a Pool, cfa: &Cfa) -> Option<Self> {
        let subterms = subterms(pool, &fixpoint::terms(cfa));
        let mut bases: Vec<Term> = Vec::new();
        let mut index = None;
        for &term in &subterms {
            if let (Op::Select | Op::Store, &[_, at, ..]) = (pool.op(term), pool.args(term))
                && let Some(base) = base(pool, at)
                && !bases.contains(&base)
            {
                index = index.max(Some((pool.width(base), pool.width(at))));
                bases.push(base);
            }
        }
        let (width, narrow) = index?;
        bases.retain(|base| pool.width(*base) == width);
        let hole = pool.fresh_var("pointer", Sort::BitVec(width));
        let place = pool.bv_extract(hole, width - 1, width - narrow);
        let anywhere = pool.fresh_var("every node", Sort::BitVec(narrow));
        let is_pointer = |variable: &Term| {
            pool.sort(*variable) == Sort::BitVec(width)
                && (cfa.variables[variable].reading == Reading::Address || bases.contains(variable))
        };
        let mut variables: Vec<Term> = cfa.variables.keys().copied().filter(is_pointer).collect();
        variables.sort_unstable_by_key(|variable| (!bases.contains(variable), *variable));
        variables.truncate(MAX_POINTERS);
        let mut heap = Heap {
            pool,
            hole,
            place,
            anywhere,
            subterms,
            named: named(cfa),
            constants: constants(pool, cfa, &variables),
            links: Vec::new(),
            properties: Vec::new(),
            flags: Vec::new(),
            tops: tops(pool, cfa, width, &variables),
            variables,
        };
        heap.find_links(cfa, &bases);
        heap.find_flags();
        (!heap.links.is_empty()).then_some(heap)
    }

    /// The field that is accessed at an index, and the pointer to the node.
    fn field(&self, array: Term, index: Term) -> Option<(Field, Term)> {
        let pool = self.pool;
        let array = root(pool, array)?;
        let base = base(pool, index).filter(|base| pool.sort(*base) == pool.sort(self.hole))?;
        let place = substitute(pool, self.place, [(self.hole, base)]);
        let zero = pool.bv(0, pool.width(base));
        let distance = substitute(pool, index, [(base, zero)]);
        let fits = pool.sort(place) == pool.sort(index) && pool.bv_add(place, distance) == index;
        fits.then_some((Field { array, distance }, base))
    }

    fn find_links(&mut self, cfa: &Cfa, bases: &[Term]) {
        let pool = self.pool;
        let mut links = Vec::new();
        let mut read = bases.to_vec();
        for edge in cfa.edges.values() {
            edge.command.for_each_atom(&mut |command| match command {
                Command::Assign(variable, term) if self.variables.contains(variable) => {
                    read.push(*term);
                }
                _ => {}
            });
        }
        read.retain(|term| *pool.op(*term) == Op::Select);
        let reads = read.iter().map(|read| (pool.args(*read)[0], pool.args(*read)[1]));
        let writes =
            self.subterms.iter().filter_map(|term| match (pool.op(*term), pool.args(*term)) {
                (Op::Store, &[array, index, value]) if self.variables.contains(&value) => {
                    Some((array, index))
                }
                _ => None,
            });
        for (array, index) in reads.chain(writes) {
            let field = self.field(array, index).map(|(field, _)| field);
            let holds = |field: &Field| {
                let held = pool.array_parts(pool.sort(field.array));
                held.is_some_and(|(_, element)| element == pool.sort(self.hole))
            };
            links.extend(field.filter(holds).filter(|field| !links.contains(field)));
        }
        links.truncate(MAX_FIELDS);
        self.links = links;
    }

    fn find_flags(&mut self) {
        let pool = self.pool;
        for &term in &self.subterms {
            if let (Op::Eq, &[a, b]) = (pool.op(term), pool.args(term))
                && let (variable, constant) = if pool.value(a).is_some() { (b, a) } else { (a, b) }
                && pool.value(constant).is_some()
                && self.named.contains(&variable)
                && !self.variables.contains(&variable)
            {
                self.flags.extend([term, pool.not(term)]);
            }
        }
        self.flags.truncate(2 * MAX_FLAGS);
    }

    fn pointers(&self) -> Vec<Pointer> {
        let pool = self.pool;
        let direct = self.variables.iter().chain(&self.constants);
        let direct = direct.map(|&term| Pointer { term, holder: None });
        let links = self.links.iter().map(|field| {
            let index = pool.bv_add(self.anywhere, field.distance);
            Pointer { term: pool.select(field.array, index), holder: Some(self.anywhere) }
        });
        links.chain(direct).collect()
    }

    /// The node that a pointer points to, as an index.
    fn place(&self, pointer: Term) -> Term {
        substitute(self.pool, self.place, [(self.hole, pointer)])
    }

    /// Whether the node is one that a variable points to, for each variable.
    fn meetings(&self, pointer: &Pointer) -> Vec<(Term, Term)> {
        let there = self.place(pointer.term);
        let others = self.variables.iter().filter(|variable| **variable != pointer.term);
        let places = others.map(|variable| self.place(*variable));
        places.map(|place| (place, self.pool.eq(there, place))).collect()
    }

    /// Properties of the node that holds a pointer, and their opposites.
    fn of_holder(&self, pointer: &Pointer) -> Vec<Term> {
        let pool = self.pool;
        let Some(holder) = pointer.holder else { return Vec::new() };
        let all = self.properties.iter().flat_map(|(_, all)| all);
        let there = all.map(|property| substitute(pool, *property, [(self.place, holder)]));
        let there = there.filter(|there| !free_vars(pool, &[*there]).contains(&self.hole));
        there.flat_map(|there| [there, pool.not(there)]).collect()
    }

    /// When nothing need hold behind a pointer: if a flag has another value, if the node is one that a
    /// variable points to, if the node that holds the pointer is, or if a property of that node holds; and
    /// two of these. The simple ones come first.
    fn exceptions(&self, pointer: &Pointer) -> (Vec<Vec<Term>>, Vec<Vec<Term>>) {
        let mut met: Vec<Vec<Term>> = Vec::new();
        for (place, meets) in self.meetings(pointer) {
            let holder = pointer.holder.map(|holder| self.pool.eq(holder, place));
            met.push([meets].into_iter().chain(holder).collect());
        }
        let held: Vec<Vec<Term>> = self.of_holder(pointer).into_iter().map(|p| vec![p]).collect();
        let flags: Vec<Vec<Term>> = self.flags.iter().map(|flag| vec![*flag]).collect();
        let both = |some: &[Vec<Term>], others: &[Vec<Term>]| -> Vec<Vec<Term>> {
            let pairs = some.iter().flat_map(|one| others.iter().map(move |other| (one, other)));
            pairs.map(|(one, other)| [&one[..], other].concat()).collect()
        };
        let simple = [&flags[..], &met, &held, &both(&met, &flags), &both(&held, &flags)].concat();
        (simple, both(&met, &held))
    }

    /// The pointer is null or points to another node than a variable does.
    fn apart(&self, pointer: &Pointer) -> Vec<Term> {
        let pool = self.pool;
        let null = pool.eq(pointer.term, pool.bv(0, pool.width(pointer.term)));
        let met = self.meetings(pointer).into_iter().filter(|_| pointer.holder.is_some());
        met.map(|(_, meets)| pool.or([null, pool.not(meets)])).collect()
    }

    /// What holds of the node before the one that a variable points to, also by a flag.
    fn before(&self, pointer: &Pointer) -> Vec<Term> {
        let pool = self.pool;
        let mut all = Vec::new();
        for (_, meets) in self.meetings(pointer) {
            for property in self.of_holder(pointer) {
                all.push(pool.or([pool.not(meets), property]));
                let flags = self.flags.iter();
                all.extend(flags.map(|flag| pool.or([pool.not(meets), *flag, property])));
            }
        }
        all
    }

    /// Finds what the program stores to fields and compares them with.
    fn properties(&mut self) {
        let pool = self.pool;
        let mut found: Vec<(Term, Term)> = Vec::new();
        for &term in &self.subterms {
            match (pool.op(term), pool.args(term)) {
                (Op::Store, &[array, index, value]) => {
                    if let Some((field, _)) = self.field(array, index) {
                        let held = self.held(field);
                        found.extend(self.stored(held, value).into_iter().map(|p| (held, p)));
                    }
                }
                (Op::Eq | Op::BvSlt | Op::BvUlt, &[a, b]) => {
                    if size(pool, term) > LARGEST || matches!(pool.sort(a), Sort::Array(_)) {
                        continue;
                    }
                    for side in [a, b] {
                        found.extend(self.compared(term, side));
                    }
                }
                _ => {}
            }
        }
        // What is constant is likelier to hold of all nodes.
        found.sort_by_key(|(_, property)| free_vars(pool, &[*property]).len());
        for (field, property) in found {
            let known = self.properties.iter_mut().find(|(other, _)| *other == field);
            match known {
                Some((_, all)) if !all.contains(&property) => all.push(property),
                Some(_) => {}
                None => self.properties.push((field, vec![property])),
            }
        }
        for (_, all) in &mut self.properties {
            all.truncate(MAX_PROPERTIES);
        }
        self.properties.truncate(MAX_FIELDS);
    }

    /// What holds of a value that is stored to a field: that it is a constant or what a variable holds, and
    /// what that is compared with.
    fn stored(&self, held: Term, value: Term) -> Vec<Term> {
        let pool = self.pool;
        let variable = self.named.contains(&value);
        if pool.value(value).is_none() && !variable {
            return Vec::new();
        }
        let mut all = vec![pool.eq(held, value)];
        for &term in self.subterms.iter().filter(|_| variable) {
            let compares = matches!(pool.op(term), Op::Eq | Op::BvSlt | Op::BvUlt);
            if compares && pool.args(term).contains(&value) && free_vars(pool, &[term]) == [value] {
                all.push(substitute(pool, term, [(value, held)]));
            }
        }
        all
    }

    /// What a field holds behind the hole.
    fn held(&self, field: Field) -> Term {
        self.pool.select(field.array, self.pool.bv_add(self.place, field.distance))
    }

    /// A comparison of a field with something that is in no array, as a property.
    fn compared(&self, comparison: Term, side: Term) -> Option<(Term, Term)> {
        let pool = self.pool;
        let (Op::Select, &[array, index]) = (pool.op(side), pool.args(side)) else { return None };
        let held = self.held(self.field(array, index)?.0);
        let property = substitute(pool, comparison, [(side, held)]);
        let reads = subterms(pool, &[property]);
        let reads = reads.iter().filter(|term| matches!(pool.op(**term), Op::Select)).count();
        (reads == 1).then_some((held, property))
    }

    /// The pointer is null or below where the next object will be.
    fn below(&self, pointer: &Pointer) -> Vec<Term> {
        let pool = self.pool;
        let null = pool.eq(pointer.term, pool.bv(0, pool.width(pointer.term)));
        let tops = self.tops.iter();
        tops.map(|top| pool.or([null, pool.bv_ult(pointer.term, *top)])).collect()
    }

    /// The pointer is null, or there is an exception, or one of so many properties of the same field holds
    /// behind it; also that it does not, and without null.
    fn behind(&self, pointer: &Pointer, exception: &[Term], number: usize) -> Vec<Term> {
        let pool = self.pool;
        let null = pool.eq(pointer.term, pool.bv(0, pool.width(pointer.term)));
        let either = |property: Term| pool.or(exception.iter().copied().chain([null, property]));
        let mut all = Vec::new();
        for (_, properties) in &self.properties {
            let there = |p: &Term| substitute(pool, *p, [(self.hole, pointer.term)]);
            let here: Vec<Term> = properties.iter().map(there).collect();
            for (k, &one) in here.iter().enumerate() {
                if number == 1 {
                    all.extend([either(one), either(pool.not(one))]);
                    all.extend(exception.is_empty().then_some(one));
                    continue;
                }
                all.extend(here[k + 1..].iter().map(|other| either(pool.or([one, *other]))));
            }
        }
        all
    }
}

/// The pointer that an index is made of: a variable or an element, but for a constant that is added and
/// bits that are cut off.
fn base(pool: &Pool, mut index: Term) -> Option<Term> {
    loop {
        index = match (pool.op(index), pool.args(index)) {
            (Op::Var(_) | Op::Select, _) => return Some(index),
            (Op::BvExtract { .. }, &[whole]) => whole,
            (Op::BvAdd, &[a, b]) if pool.as_bits(b).is_some() => a,
            (Op::BvAdd, &[a, b]) if pool.as_bits(a).is_some() => b,
            _ => return None,
        };
    }
}

/// The variables that are registers of the program.
fn named(cfa: &Cfa) -> FxHashSet<Term> {
    let named = cfa.variables.iter().filter(|(_, origin)| origin.variable.is_some());
    named.map(|(variable, _)| *variable).collect()
}

/// The constants that pointers take, but for null.
fn constants(pool: &Pool, cfa: &Cfa, pointers: &[Term]) -> Vec<Term> {
    let mut constants = Vec::new();
    for edge in cfa.edges.values() {
        edge.command.for_each_atom(&mut |command| {
            if let Command::Assign(variable, term) = command
                && pointers.contains(variable)
                && pool.as_bits(*term).is_some_and(|bits| !bits.is_zero())
                && !constants.contains(term)
            {
                constants.push(*term);
            }
        });
    }
    constants.truncate(MAX_FIELDS);
    constants
}

/// Variables that grow and are no pointers: where the next object will be.
fn tops(pool: &Pool, cfa: &Cfa, width: u32, pointers: &[Term]) -> Vec<Term> {
    let mut tops: FxHashSet<Term> = FxHashSet::default();
    for edge in cfa.edges.values() {
        edge.command.for_each_atom(&mut |command| {
            if let Command::Assign(variable, term) = command
                && pool.sort(*variable) == Sort::BitVec(width)
                && *pool.op(*term) == Op::BvAdd
                && !pointers.contains(variable)
                && free_vars(pool, &[*term]) == [*variable]
            {
                tops.insert(*variable);
            }
        });
    }
    let mut tops: Vec<Term> = tops.into_iter().collect();
    tops.sort_unstable();
    tops
}
