//! Whether a program looks at where its objects lie.
//!
//! The model places objects as the interpreter does; C leaves their places open. A run found with
//! these places is a run. A proof, though, may hold only because of them, if the program compares
//! an address with a number: `p < 2000` is false for every object here and need not be elsewhere;
//! or with an address in another object: which one is lower, and whether one begins where the other
//! ends, is open.
//!
//! The analysis is simple and errs on the side of finding a dependence: a register is an
//! *address* if one can flow into it, whatever the order of instructions, and memory holds
//! addresses if one is ever stored. A number that was made from an address is found again where
//! memory of the same class ([`super::points_to`]) is read as a number of the same width, an address
//! where memory that holds one is read by bytes. (C11, 6.5: an object is read as what it was written
//! as, or by characters.) A comparison of an address with something that is none is a
//! dependence, except of a whole address with zero or with the numbers of the last page, which
//! systems use for error codes and never for objects. Of two addresses that can only be in one object
//! nothing depends on its place. Of others, the order and the distance do; whether they are equal
//! does not where both are within their objects, and the objects live: at the end of one another may
//! begin, and an address that was kept as a number over the life of its object may come again. To go to
//! a place that a number says, which was made from an address, is a dependence, too.
//!
//! A proof for the cone of the properties ([`super::cone`]) depends on nothing that does not act in
//! it: the cone has all violations wherever objects lie. So there, only what acts is looked at.

use super::cone::{Cone, cone};
use super::initialized::Unread;
use super::points_to::Node;
use super::targets::{About, Behind, Targets, behind, resolve_with_memory};
use super::{Options, is_sliced};
use crate::place::Place;
use crate::program::{Callee, FunctionId, Instruction, Program, Reading, Site, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Term};

/// The numbers from here to the end are no addresses of objects: one page.
const PAGE: u64 = 4096;

/// The width of a byte.
const BYTE: u32 = 8;

/// After how many rounds an address that still moves is taken to move without end.
const ROUNDS: usize = 24;

/// The first place where the way of the program, or of its cone if that is modelled, depends on
/// where objects lie.
pub fn layout_dependence(program: &Program, options: &Options) -> Option<Place> {
    let (targets, memory) = resolve_with_memory(program);
    let mut addresses = Addresses::find(program, &targets, &memory);
    let mut first = |cone: Option<&Cone>| {
        let tests =
            |a: &mut Addresses<'_>, i: &Instruction| tested(i).is_some_and(|term| a.compares(term));
        // A comparison may also be computed first and tested later.
        let computes = |a: &mut Addresses<'_>, i: &Instruction| {
            assigned(i).is_some_and(|term| a.compares(term)) || a.computes_place(i)
        };
        addresses.first(cone, tests).or_else(|| addresses.first(cone, computes))
    };
    let found = first(None);
    if found.is_none() || !is_sliced(options) {
        return found;
    }
    let unread = if options.initialized { Unread::find(program) } else { Unread::default() };
    first(Some(&cone(program, &options.properties, &targets, &memory, &unread)))
}

/// The formula that an instruction tests.
pub(super) fn tested(instruction: &Instruction) -> Option<Term> {
    match instruction {
        Instruction::Assume(formula) | Instruction::Check(_, formula) => Some(*formula),
        _ => None,
    }
}

/// The term that an instruction assigns.
pub(super) fn assigned(instruction: &Instruction) -> Option<Term> {
    match instruction {
        Instruction::Assign(_, term) => Some(*term),
        _ => None,
    }
}

/// A comparison that depends on where objects lie.
pub(super) struct Comparison {
    /// The comparison.
    pub term: Term,
    /// Whether it is one of two addresses within their objects, or at the ends of these: if they are
    /// equal here, they are equal everywhere.
    pub within: bool,
}

/// What may hold an address.
pub(super) struct Addresses<'a> {
    program: &'a Program,
    targets: &'a Targets,
    /// Classes of memory by the addresses of accesses.
    memory: &'a FxHashMap<Term, Node>,
    pool: &'a Pool,
    registers: FxHashSet<Term>,
    /// Those of them that may hold less than a whole address, or something else made from one.
    parts: FxHashSet<Term>,
    in_memory: bool,
    /// The classes that hold something made from addresses, by the width that it was written with.
    /// A byte of it may be read as well.
    held: FxHashSet<(Node, u32)>,
    /// How far from the beginning of its object the address in a register can be, at most; none
    /// if that is not known.
    reach: FxHashMap<Term, Option<u64>>,
    /// The same for what is in memory.
    reach_in_memory: Option<u64>,
    rounds: usize,
    /// What is known of terms; forgotten when more is found.
    terms: FxHashMap<Term, bool>,
    /// Where addresses that meet others can point.
    behind: Option<Behind>,
}

impl<'a> Addresses<'a> {
    /// Finds what may hold an address in a program.
    pub fn find(
        program: &'a Program,
        targets: &'a Targets,
        memory: &'a FxHashMap<Term, Node>,
    ) -> Self {
        let mut addresses = Addresses::new(program, targets, memory);
        while addresses.spread() {}
        addresses.look_behind();
        addresses
    }

    fn new(program: &'a Program, targets: &'a Targets, memory: &'a FxHashMap<Term, Node>) -> Self {
        let pool = &program.pool;
        let objects = program.objects.values().map(|object| object.address);
        let functions = program.functions.values().filter_map(|function| function.address);
        let registers = objects.chain(functions).collect();
        // Static objects may hold addresses from the start.
        let holding = program
            .objects
            .values()
            .filter(|object| object.initial.iter().any(|(_, term)| pool.value(*term).is_none()));
        let held: FxHashSet<(Node, u32)> =
            holding.map(|object| (memory[&object.address], BYTE)).collect();
        Addresses {
            program,
            targets,
            memory,
            pool,
            registers,
            parts: FxHashSet::default(),
            in_memory: !held.is_empty(),
            held,
            reach: FxHashMap::default(),
            reach_in_memory: Some(0),
            rounds: 0,
            terms: FxHashMap::default(),
            behind: None,
        }
    }

    /// One round over all instructions; says whether anything new was found.
    fn spread(&mut self) -> bool {
        let program = self.program;
        let known = |addresses: &Self| {
            let registers = (addresses.registers.len(), addresses.parts.len());
            (registers, addresses.in_memory, addresses.held.len())
        };
        let before = known(self);
        let reach = (self.reach.clone(), self.reach_in_memory);
        self.terms.clear();
        self.rounds += 1;
        for (site, edge) in program.edges() {
            self.instruction(site, &edge.instruction);
        }
        known(self) != before || (&self.reach, self.reach_in_memory) != (&reach.0, reach.1)
    }

    /// Finds out where addresses can point that are compared with others or taken from others.
    fn look_behind(&mut self) {
        let program = self.program;
        let mut met = FxHashSet::default();
        let terms: Vec<Term> =
            program.edges().flat_map(|(_, edge)| edge.instruction.terms()).collect();
        for subterm in term::traverse::subterms(self.pool, &terms) {
            if let (Op::Eq | Op::BvUlt | Op::BvSlt | Op::BvSub, &[a, b]) =
                (self.pool.op(subterm), self.pool.args(subterm))
                && self.is_address(a)
                && self.is_address(b)
            {
                met.extend([a, b]);
            }
        }
        let mut met: Vec<Term> = met.into_iter().collect();
        met.sort_unstable();
        if !met.is_empty() {
            self.behind = Some(behind(program, &met));
            self.terms.clear();
        }
    }

    /// A register may hold an address with this reach.
    fn extend(&mut self, register: VariableId, reach: Option<u64>) {
        // What still grows after some rounds grows in a loop.
        let register = self.program.variables[register].term;
        let known = self.reach.entry(register).or_insert(Some(0));
        let joined = (*known).zip(reach).map(|(known, reach)| known.max(reach));
        if *known != joined {
            *known = joined.filter(|_| self.rounds <= ROUNDS);
        }
    }

    /// How far from the beginning of its object an address can be.
    fn reach(&mut self, term: Term) -> Option<u64> {
        let args = self.pool.args(term);
        match (self.pool.op(term), args) {
            (Op::Var(_), _) => self.reach.get(&term).copied().unwrap_or(Some(0)),
            (Op::Ite, &[_, a, b]) => Some(self.reach(a)?.max(self.reach(b)?)),
            (Op::BvAdd, &[a, b]) => {
                let (address, by) = if self.is_address(a) { (a, b) } else { (b, a) };
                let by = self.pool.as_bits(by)?;
                let reach = self.reach(address)?;
                match by.is_negative() {
                    true => Some(reach),
                    false => reach.checked_add(by.to_u64()?),
                }
            }
            (Op::BvSub, &[a, b]) if self.pool.as_bits(b).is_some_and(|b| !b.is_negative()) => {
                self.reach(a)
            }
            (Op::Value(_), _) => Some(0),
            _ => None,
        }
    }

    fn mark(&mut self, variable: VariableId) {
        let term = self.program.variables[variable].term;
        if self.registers.insert(term) {
            self.terms.clear();
        }
    }

    /// A register takes the value of a term, if that is (made from) an address.
    fn assign(&mut self, variable: VariableId, term: Term) {
        if !self.is_address(term) {
            return;
        }
        if !self.is_whole(term) {
            self.parts.insert(self.program.variables[variable].term);
        }
        self.mark(variable);
        let reach = self.reach(term);
        self.extend(variable, reach);
    }

    fn instruction(&mut self, site: Site, instruction: &Instruction) {
        match instruction {
            Instruction::Allocate { into, .. } => self.mark(*into),
            Instruction::Assign(variable, term) => self.assign(*variable, *term),
            Instruction::Load { into, address } => {
                let variable = &self.program.variables[*into];
                let width = self.pool.sort(variable.term).width().unwrap_or(0);
                if self.in_memory && variable.reading == Reading::Address {
                    self.mark(*into);
                    self.extend(*into, self.reach_in_memory);
                } else if self.held.contains(&(self.memory[address], width)) {
                    self.parts.insert(variable.term);
                    self.mark(*into);
                    self.extend(*into, None);
                }
            }
            Instruction::Fill { to, byte, .. } if self.is_address(*byte) => {
                self.held.insert((self.memory[to], BYTE));
            }
            Instruction::Copy { to, from, .. } => {
                let (to, from) = (self.memory[to], self.memory[from]);
                let copied: Vec<u32> =
                    self.held.iter().filter(|(class, _)| *class == from).map(|h| h.1).collect();
                self.held.extend(copied.into_iter().map(|width| (to, width)));
            }
            Instruction::Store { address, value } if self.is_address(*value) => {
                self.in_memory = true;
                self.held.insert((self.memory[address], BYTE));
                if !self.is_pointer(*value) {
                    let width = self.pool.sort(*value).width().unwrap_or(0);
                    self.held.insert((self.memory[address], width));
                }
                let reach = self.reach(*value);
                let joined = self.reach_in_memory.zip(reach).map(|(a, b)| a.max(b));
                if self.reach_in_memory != joined {
                    self.reach_in_memory = joined.filter(|_| self.rounds <= ROUNDS);
                }
            }
            Instruction::Call { callee, arguments, results } => {
                for function in self.targets.called(site, callee).functions {
                    self.call(*function, arguments, results);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, callee: FunctionId, arguments: &[Term], results: &[VariableId]) {
        let program = self.program;
        let function = &program.functions[callee];
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            self.assign(*parameter, *argument);
        }
        for (result, returned) in results.iter().zip(&function.results) {
            self.assign(*result, program.variables[*returned].term);
        }
    }

    /// Whether the value of a term may be (made from) an address.
    fn is_address(&mut self, term: Term) -> bool {
        for subterm in term::traverse::subterms(self.pool, &[term]) {
            if self.terms.contains_key(&subterm) {
                continue;
            }
            let args = self.pool.args(subterm);
            let known = |term: &Term| self.terms[term];
            let found = match self.pool.op(subterm) {
                Op::Var(_) => self.registers.contains(&subterm),
                // The distance of two addresses in one object is none.
                Op::BvSub if args.iter().all(known) => !self.are_in_one(args[0], args[1]),
                Op::BvAdd | Op::BvSub => args.iter().any(known),
                Op::Ite => known(&args[1]) || known(&args[2]),
                _ if self.pool.sort(subterm) != Sort::Bool => args.iter().any(known),
                _ => false,
            };
            self.terms.insert(subterm, found);
        }
        self.terms[&term]
    }

    /// The place of the first instruction, of the cone if there is one, of which something holds.
    fn first(
        &mut self,
        cone: Option<&Cone>,
        holds: impl Fn(&mut Self, &Instruction) -> bool,
    ) -> Option<Place> {
        let acts = |(function, edge): Site| match cone {
            Some(cone) => cone.part(function).is_some_and(|part| part.acts(edge)),
            None => true,
        };
        let mut acting = self.program.edges().filter(|(site, _)| acts(*site));
        let found = acting.find(|(_, edge)| holds(self, &edge.instruction));
        found.map(|(_, edge)| edge.place.clone())
    }

    /// Whether an address is compared with something else in a term.
    fn compares(&mut self, term: Term) -> bool {
        !self.comparisons(term).is_empty()
    }

    /// The comparisons in a term that depend on where objects lie.
    pub fn comparisons(&mut self, term: Term) -> Vec<Comparison> {
        self.is_address(term);
        let pool = self.pool;
        let mut found = Vec::new();
        for subterm in term::traverse::subterms(pool, &[term]) {
            let args = pool.args(subterm);
            if pool.sort(subterm) != Sort::Bool || !args.iter().any(|arg| self.terms[arg]) {
                continue;
            }
            let comparison = Comparison { term: subterm, within: false };
            match (pool.op(subterm), args) {
                (Op::Eq | Op::BvUlt | Op::BvSlt, &[a, b]) => {
                    let depends = match (self.terms[&a], self.terms[&b]) {
                        (true, false) => !(self.is_whole(a) && self.harmless(b)),
                        (false, true) => !(self.is_whole(b) && self.harmless(a)),
                        _ => !self.are_in_one(a, b) && !self.differ_anyway(subterm, a, b),
                    };
                    if depends {
                        let within = [a, b].into_iter().all(|side| self.is_within(side, 0));
                        found.push(Comparison { within, ..comparison });
                    }
                }
                _ => found.push(comparison),
            }
        }
        found
    }

    /// Whether an instruction goes to a place in memory, or makes or moves as many bytes, as a number
    /// says that was made from an address.
    pub fn computes_place(&mut self, instruction: &Instruction) -> bool {
        let (places, lengths): (&[Term], &[Term]) = match instruction {
            Instruction::Load { address, .. }
            | Instruction::Written { address, .. }
            | Instruction::Store { address, .. }
            | Instruction::Free { address, .. }
            | Instruction::Measure { address, .. }
            | Instruction::Call { callee: Callee::Pointer(address), .. } => (&[*address], &[]),
            Instruction::Allocate { size, .. } => (&[], &[*size]),
            Instruction::Copy { to, from, length } => (&[*to, *from], &[*length]),
            Instruction::Fill { to: address, length, .. }
            | Instruction::HavocBytes { address, length, .. } => (&[*address], &[*length]),
            _ => (&[], &[]),
        };
        let computed = |a: &mut Self, term: Term| a.is_address(term) && !a.is_whole(term);
        places.iter().any(|place| computed(self, *place))
            || lengths.iter().any(|length| self.is_address(*length))
    }

    /// Whether two addresses can only be in the same object.
    fn are_in_one(&self, a: Term, b: Term) -> bool {
        // As long as nobody has looked, nothing speaks against it.
        let Some(behind) = &self.behind else { return true };
        match (behind.class(a), behind.class(b)) {
            (Some(one), Some(other)) => one == other && behind.about(one).objects <= 1,
            _ => false,
        }
    }

    /// Whether it is an equality that is false for any places, if the objects are two.
    fn differ_anyway(&mut self, comparison: Term, a: Term, b: Term) -> bool {
        if *self.pool.op(comparison) != Op::Eq || !self.is_whole(a) || !self.is_whole(b) {
            return false;
        }
        let number = self.holds_number(a) || self.holds_number(b);
        [a, b].into_iter().all(|address| {
            self.is_within(address, 1) && !(number && self.about(address).is_some_and(|a| a.dies))
        })
    }

    /// What is known of the objects that an address can be in.
    fn about(&self, address: Term) -> Option<About> {
        let behind = self.behind.as_ref()?;
        Some(behind.about(behind.class(address)?))
    }

    /// Whether a whole address has so many bytes of its object behind it.
    fn is_within(&mut self, address: Term, rest: u64) -> bool {
        let Some(reach) = self.reach(address).filter(|_| self.is_whole(address)) else {
            return false;
        };
        self.about(address).is_some_and(|about| {
            about.objects > 0 && reach.checked_add(rest).is_some_and(|end| end <= about.least)
        })
    }

    /// Whether an address is kept in a register that is not for addresses.
    fn holds_number(&self, term: Term) -> bool {
        let numbers = self.program.variables.values();
        let numbers: FxHashSet<Term> = numbers
            .filter(|variable| variable.reading != Reading::Address)
            .map(|variable| variable.term)
            .collect();
        let variables = term::traverse::free_vars(self.pool, &[term]);
        variables.iter().any(|v| numbers.contains(v) && self.registers.contains(v))
    }

    /// Whether a value is an address as pointers are, and no number.
    fn is_pointer(&self, value: Term) -> bool {
        let whole = self.pool.sort(value).width() == Some(self.program.pointer_width);
        whole && self.is_whole(value) && !self.holds_number(value)
    }

    /// Whether an address is there as it is, moved at most, and not some of its bits.
    fn is_whole(&self, address: Term) -> bool {
        let pool = self.pool;
        let mut pending = vec![address];
        while let Some(term) = pending.pop() {
            let args = pool.args(term);
            match pool.op(term) {
                Op::Var(_) if self.parts.contains(&term) => return false,
                Op::Var(_) | Op::Value(_) => {}
                // Neither the sum of two addresses nor their distance is one.
                Op::BvAdd | Op::BvSub if args.iter().all(|arg| self.terms[arg]) => return false,
                Op::BvAdd | Op::BvSub | Op::BvZeroExtend(_) | Op::BvSignExtend(_) => {
                    pending.extend(args.iter().filter(|arg| self.terms[*arg]));
                }
                Op::Ite => pending.extend(args[1..].iter().filter(|arg| self.terms[*arg])),
                _ => return false,
            }
        }
        true
    }

    /// Whether comparing a whole address with the term says nothing of where it is.
    fn harmless(&self, term: Term) -> bool {
        let Some(bits) = self.pool.as_bits(term) else { return false };
        debug_assert!(bits.width() >= self.program.pointer_width, "it is compared with an address");
        let last_page = bits.neg().to_u64().is_some_and(|distance| distance <= PAGE);
        bits.is_zero() || last_page
    }
}
