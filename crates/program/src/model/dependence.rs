//! Whether a program looks at where its objects lie.
//!
//! The model places objects as the interpreter does; C leaves their places open. A run found with
//! these places is a run. A proof, though, may hold only because of them, if the program compares
//! an address with a number: `p < 2000` is false for every object here and need not be elsewhere.
//!
//! The analysis is simple and errs on the side of finding a dependence: a register is an
//! *address* if one can flow into it, whatever the order of instructions, and memory holds
//! addresses if one is ever stored. A comparison of an address with something that is none is a
//! dependence, except of a whole address with zero or with the numbers of the last page, which
//! systems use for error codes and never for objects. The difference of two addresses is none.
//!
//! A proof for the cone of the properties ([`super::cone`]) depends on nothing that does not act in
//! it: the cone has all violations wherever objects lie. So there, only what acts is looked at.

use super::cone::{Cone, cone};
use super::initialized::Unread;
use super::targets::{Targets, resolve, resolve_with_memory};
use super::{Options, is_sliced};
use crate::place::Place;
use crate::program::{FunctionId, Instruction, Program, Reading, Site, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Term};

/// The numbers from here to the end are no addresses of objects: one page.
const PAGE: u64 = 4096;

/// The first place where the way of the program, or of its cone if that is modelled, depends on
/// where objects lie.
pub fn layout_dependence(program: &Program, options: &Options) -> Option<Place> {
    let targets = resolve(program);
    let mut addresses = Addresses::new(program, &targets);
    while addresses.spread() {}
    let tested = |instruction: &Instruction| match instruction {
        Instruction::Assume(formula) | Instruction::Check(_, formula) => Some(*formula),
        _ => None,
    };
    // A comparison may also be computed first and tested later.
    let computed = |instruction: &Instruction| match instruction {
        Instruction::Assign(_, term) => Some(*term),
        _ => None,
    };
    let mut first = |cone: Option<&Cone>| {
        addresses
            .first_comparison(cone, tested)
            .or_else(|| addresses.first_comparison(cone, computed))
    };
    let found = first(None);
    if found.is_none() || !is_sliced(options) {
        return found;
    }
    let (targets, memory) = resolve_with_memory(program);
    let unread = if options.initialized { Unread::find(program) } else { Unread::default() };
    first(Some(&cone(program, &options.properties, &targets, &memory, &unread)))
}

/// What may hold an address.
struct Addresses<'a> {
    program: &'a Program,
    targets: &'a Targets,
    pool: &'a Pool,
    registers: FxHashSet<Term>,
    in_memory: bool,
    /// What is known of terms; forgotten when more is found.
    terms: FxHashMap<Term, bool>,
}

impl<'a> Addresses<'a> {
    fn new(program: &'a Program, targets: &'a Targets) -> Self {
        let pool = &program.pool;
        let objects = program.objects.values().map(|object| object.address);
        let functions = program.functions.values().filter_map(|function| function.address);
        let registers = objects.chain(functions).collect();
        // Static objects may hold addresses from the start.
        let initial = program.objects.values().flat_map(|object| &object.initial);
        let in_memory = initial.into_iter().any(|(_, term)| pool.value(*term).is_none());
        Addresses { program, targets, pool, registers, in_memory, terms: FxHashMap::default() }
    }

    /// One round over all instructions; says whether anything new was found.
    fn spread(&mut self) -> bool {
        let program = self.program;
        let (before, memory) = (self.registers.len(), self.in_memory);
        self.terms.clear();
        for (site, edge) in program.edges() {
            self.instruction(site, &edge.instruction);
        }
        self.registers.len() > before || self.in_memory != memory
    }

    fn mark(&mut self, variable: VariableId) {
        let term = self.program.variables[variable].term;
        if self.registers.insert(term) {
            self.terms.clear();
        }
    }

    fn instruction(&mut self, site: Site, instruction: &Instruction) {
        match instruction {
            Instruction::Allocate { into, .. } => self.mark(*into),
            Instruction::Assign(variable, term) if self.is_address(*term) => self.mark(*variable),
            Instruction::Load { into, .. } => {
                // What is not loaded as an address is none, unless somebody looks at its bytes.
                let reading = self.program.variables[*into].reading;
                if self.in_memory && reading == Reading::Address {
                    self.mark(*into);
                }
            }
            Instruction::Store { value, .. } => self.in_memory |= self.is_address(*value),
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
            if self.is_address(*argument) {
                self.mark(*parameter);
            }
        }
        for (result, returned) in results.iter().zip(&function.results) {
            if self.registers.contains(&program.variables[*returned].term) {
                self.mark(*result);
            }
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
                // Differences: of addresses they are none.
                Op::BvAdd | Op::BvSub => args.iter().filter(|arg| known(arg)).count() % 2 == 1,
                Op::Ite => known(&args[1]) || known(&args[2]),
                _ if self.pool.sort(subterm).width().is_some() => args.iter().any(known),
                _ => false,
            };
            self.terms.insert(subterm, found);
        }
        self.terms[&term]
    }

    /// The place of the first instruction, of the cone if there is one, that compares an address in
    /// the term picked of it.
    fn first_comparison(
        &mut self,
        cone: Option<&Cone>,
        pick: impl Fn(&Instruction) -> Option<Term>,
    ) -> Option<Place> {
        let acts = |(function, edge): Site| match cone {
            Some(cone) => cone.part(function).is_some_and(|part| part.acts(edge)),
            None => true,
        };
        let mut acting = self.program.edges().filter(|(site, _)| acts(*site));
        let found = acting
            .find(|(_, edge)| pick(&edge.instruction).is_some_and(|term| self.compared(term)));
        found.map(|(_, edge)| edge.place.clone())
    }

    /// Whether an address is compared with something else in a term.
    fn compared(&mut self, term: Term) -> bool {
        self.is_address(term);
        let pool = self.pool;
        term::traverse::subterms(pool, &[term]).into_iter().any(|subterm| {
            let (Op::Eq | Op::BvUlt | Op::BvSlt, &[a, b]) = (pool.op(subterm), pool.args(subterm))
            else {
                return false;
            };
            match (self.terms[&a], self.terms[&b]) {
                (true, false) => !(self.harmless(b) && self.is_whole(a)),
                (false, true) => !(self.harmless(a) && self.is_whole(b)),
                _ => false,
            }
        })
    }

    /// Whether an address is there as it is, moved at most, and not some of its bits.
    fn is_whole(&self, address: Term) -> bool {
        let pool = self.pool;
        let mut pending = vec![address];
        while let Some(term) = pending.pop() {
            let args = pool.args(term);
            match pool.op(term) {
                Op::Var(_) | Op::Value(_) => {}
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
        let last_page = bits.neg().to_u64().is_some_and(|distance| distance <= PAGE);
        bits.is_zero() || last_page
    }
}
