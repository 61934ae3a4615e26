//! Programs in the form that is executed: registers by number, terms as straight-line code.
//!
//! There are two banks of registers: words ([`is_word`]), and values of other sorts. The sort of
//! a register or an operand tells which it is in. Words are all in one list ([`Section`]), so that
//! fetching one takes no decision.
//!
//! The terms of an edge become a list of nodes, arguments before their users, each shared
//! subterm once. Addresses of static objects and of functions are constants here. Compiling checks
//! everything that executing relies on, so that no program makes the interpreter panic.

use super::word::{self, WordOp, is_word};
use crate::program::{
    Body, Callee, Cause, EdgeId, Extent, Function, FunctionId, Instruction, LocationId, Program,
    Storage, VariableId,
};
use crate::property::Property;
use la_arena::Idx;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::eval::default_value;
use term::traverse::subterms;
use term::{Op, Pool, Sort, Term, Value};
use value::{Bits, Curve};

/// Why a program can't be executed: it breaks the rules of [`Program`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// Addresses of an unsupported width.
    #[error("addresses of {0} bits: at least 8 and at most 64 are supported")]
    PointerWidth(u32),
    /// The start function takes parameters or has no body.
    #[error("the start function has parameters, or no body")]
    Start,
    /// A term on an edge, or of an initial value.
    #[error("in `{function}`: a term uses {what}")]
    Term {
        /// The function, or the object.
        function: String,
        /// What it should not use.
        what: String,
    },
    /// A sort that does not fit.
    #[error("in `{function}`, edge {edge}: {what} has a wrong sort")]
    Sort {
        /// The function.
        function: String,
        /// The edge.
        edge: u32,
        /// What has it.
        what: &'static str,
    },
    /// An index of a variable, location or function that does not exist, or of another function's
    /// variable.
    #[error("in `{function}`: {what} that does not exist there")]
    Index {
        /// The function.
        function: String,
        /// What it is.
        what: &'static str,
    },
    /// An object without an address.
    #[error("the object `{0}` has no address, or lies outside of the region of static objects")]
    Address(String),
}

/// Where a register is in its bank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    Global(u32),
    Local(u32),
}

/// Where an operand is in its bank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    Global(u32),
    Local(u32),
    Constant(u32),
    Temporary(u32),
}

/// The sections of the list of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Section {
    Constants,
    Globals,
    /// Results of the nodes of the expression that is evaluated.
    Temporaries,
    /// Registers of the innermost call.
    Locals,
}

impl Section {
    pub(super) const COUNT: usize = 4;
}

/// Where a word is: its section in the two highest bits, its number in that below them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WordAt(u32);

impl WordAt {
    const NUMBER: u32 = u32::MAX >> 2;

    fn new(section: Section, number: u32) -> WordAt {
        assert!(number <= WordAt::NUMBER, "a program has fewer words than that");
        WordAt((section as u32) << 30 | number)
    }

    /// Its place in the list, whose sections begin at these.
    #[inline]
    pub(super) fn place(self, sections: &[usize; Section::COUNT]) -> usize {
        sections[(self.0 >> 30) as usize] + (self.0 & WordAt::NUMBER) as usize
    }
}

impl From<Operand> for WordAt {
    fn from(operand: Operand) -> WordAt {
        match operand {
            Operand::Constant(n) => WordAt::new(Section::Constants, n),
            Operand::Global(n) => WordAt::new(Section::Globals, n),
            Operand::Temporary(n) => WordAt::new(Section::Temporaries, n),
            Operand::Local(n) => WordAt::new(Section::Locals, n),
        }
    }
}

impl From<Slot> for Operand {
    fn from(slot: Slot) -> Operand {
        match slot {
            Slot::Global(n) => Operand::Global(n),
            Slot::Local(n) => Operand::Local(n),
        }
    }
}

/// Words and other values.
#[derive(Clone, Default, Debug)]
pub(super) struct Bank {
    pub(super) words: Vec<u64>,
    pub(super) values: Vec<Value>,
}

impl Bank {
    /// Adds a value; says where it is.
    fn push(&mut self, value: Value, sort: Sort) -> u32 {
        if is_word(sort) {
            self.words.push(word::of_value(&value));
            self.words.len() as u32 - 1
        } else {
            self.values.push(value);
            self.values.len() as u32 - 1
        }
    }
}

/// One operation; its result is the next temporary of its bank.
#[derive(Debug)]
pub(super) enum Node<'p> {
    /// Operands beyond the operator's are the first one again.
    Word(WordOp, [WordAt; 3]),
    /// Anything else.
    General(Box<General<'p>>),
}

/// An operation that is not on words alone.
#[derive(Debug)]
pub(super) struct General<'p> {
    pub(super) op: &'p Op,
    pub(super) sort: Sort,
    pub(super) args: SmallVec<[(Operand, Sort); 3]>,
}

/// A term.
#[derive(Debug)]
pub(super) struct Expression<'p> {
    pub(super) nodes: Box<[Node<'p>]>,
    pub(super) root: Operand,
    /// Where the root is if it is a word.
    pub(super) word: WordAt,
    pub(super) sort: Sort,
}

/// A register that is assigned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) slot: Slot,
    /// Where it is if it is a word.
    pub(super) word: WordAt,
    pub(super) variable: VariableId,
    pub(super) sort: Sort,
}

#[derive(Debug)]
pub(super) enum Action<'p> {
    Skip,
    Assume(Expression<'p>),
    Assign(Target, Expression<'p>),
    Havoc(Target, &'p Cause),
    Compute {
        into: Target,
        curve: Curve,
        arguments: Vec<Expression<'p>>,
        cause: &'p Cause,
    },
    Check(Property, Expression<'p>),
    /// Tells the listener the value.
    Probe(u32, Expression<'p>),
    Load {
        into: Target,
        address: Expression<'p>,
        length: u64,
    },
    Written {
        into: Target,
        address: Expression<'p>,
        length: u64,
    },
    Store {
        address: Expression<'p>,
        value: Expression<'p>,
        length: u64,
    },
    Allocate {
        into: Target,
        size: Expression<'p>,
        align: u64,
        storage: Storage,
        written: bool,
    },
    Free {
        address: Expression<'p>,
        storage: Storage,
    },
    Copy {
        to: Expression<'p>,
        from: Expression<'p>,
        length: Expression<'p>,
    },
    Fill {
        to: Expression<'p>,
        byte: Expression<'p>,
        length: Expression<'p>,
    },
    HavocBytes {
        address: Expression<'p>,
        length: Expression<'p>,
        cause: &'p Cause,
    },
    Measure {
        into: Target,
        address: Expression<'p>,
        extent: Extent,
    },
    Call {
        callee: Whom<'p>,
        arguments: Vec<Expression<'p>>,
        results: Vec<Target>,
    },
}

#[derive(Debug)]
pub(super) enum Whom<'p> {
    Function(FunctionId),
    Pointer { address: Expression<'p>, sorts: Vec<Sort> },
}

#[derive(Debug)]
pub(super) struct EdgeCode<'p> {
    pub(super) to: LocationId,
    pub(super) action: Action<'p>,
}

#[derive(Debug)]
pub(super) struct BodyCode<'p> {
    pub(super) entry: LocationId,
    pub(super) exit: LocationId,
    /// By edge.
    pub(super) edges: Vec<EdgeCode<'p>>,
    /// By location.
    pub(super) leaving: Vec<Leaving>,
}

/// How runs leave a location.
#[derive(Debug)]
pub(super) enum Leaving {
    One(EdgeId),
    /// By the first edge if its assumption holds, by the second if not.
    Branch(EdgeId, EdgeId),
    /// Any other number of edges.
    Several(Box<[EdgeId]>),
}

#[derive(Debug)]
pub(super) struct FunctionCode<'p> {
    /// What local registers hold at first.
    pub(super) locals: Bank,
    pub(super) parameters: Vec<(Slot, Sort)>,
    pub(super) results: Vec<(Slot, Sort)>,
    pub(super) body: Option<BodyCode<'p>>,
}

impl<'p> FunctionCode<'p> {
    /// The body of a function that is entered.
    pub(super) fn body(&self) -> &BodyCode<'p> {
        self.body.as_ref().expect("only functions with a body are entered")
    }
}

/// A program that can be executed.
#[derive(Debug)]
pub(super) struct Code<'p> {
    pub(super) functions: Vec<FunctionCode<'p>>,
    /// What global registers hold at first.
    pub(super) globals: Bank,
    pub(super) constants: Bank,
    /// How many words expressions need at most.
    pub(super) temporaries: usize,
    /// Functions by their addresses.
    pub(super) at: FxHashMap<u64, FunctionId>,
    /// Initial values of static objects: the object's number, the offset there, and the value.
    pub(super) initial: Vec<(usize, u64, Expression<'p>)>,
    /// Addresses of static objects, in their order.
    pub(super) objects: Vec<u64>,
    /// The numbers of the constants that are addresses of static objects and of functions.
    pub(super) addresses: FxHashMap<Term, u32>,
    /// Where registers are in their banks.
    pub(super) slots: Vec<Slot>,
}

impl Code<'_> {
    /// Makes assignments to some registers, whose values are words, probes with the numbers.
    pub(super) fn set_probes(&mut self, probes: &FxHashMap<VariableId, u32>) {
        let bodies = self.functions.iter_mut().filter_map(|function| function.body.as_mut());
        for edge in bodies.flat_map(|body| &mut body.edges) {
            let number = match &edge.action {
                Action::Assign(into, _) if is_word(into.sort) => probes.get(&into.variable),
                _ => None,
            };
            let Some(&number) = number else { continue };
            if let Action::Assign(_, value) = std::mem::replace(&mut edge.action, Action::Skip) {
                edge.action = Action::Probe(number, value);
            }
        }
    }
}

/// The index as a number.
pub(super) fn raw<T>(index: Idx<T>) -> usize {
    index.into_raw().into_u32() as usize
}

/// The variable behind a name in terms: where it is, and whose it is.
#[derive(Clone, Copy)]
enum Meaning {
    Register(Slot, Option<FunctionId>),
    Address(u32),
}

struct Compiler<'p> {
    program: &'p Program,
    meaning: FxHashMap<Term, Meaning>,
    slots: Vec<Slot>,
    constants: Bank,
    constant_of: FxHashMap<Term, u32>,
    temporaries: usize,
    addresses: FxHashMap<Term, u32>,
}

/// The executable form of a program.
pub(super) fn compile(program: &Program) -> Result<Code<'_>, Malformed> {
    if !(8..=64).contains(&program.pointer_width) {
        return Err(Malformed::PointerWidth(program.pointer_width));
    }
    let start = program.functions.iter().find(|(id, _)| *id == program.start);
    if !start.is_some_and(|(_, f)| f.body.is_some() && f.parameters.is_empty()) {
        return Err(Malformed::Start);
    }
    let mut compiler = Compiler {
        program,
        meaning: FxHashMap::default(),
        slots: Vec::new(),
        constants: Bank::default(),
        constant_of: FxHashMap::default(),
        temporaries: 0,
        addresses: FxHashMap::default(),
    };
    let (globals, locals) = compiler.registers()?;
    let objects = compiler.addresses()?;
    let at = functions_at(program, |term| program.addresses.get(&term)?.to_u64());
    let mut initial = Vec::new();
    for (index, (_, object)) in program.objects.iter().enumerate() {
        for &(offset, value) in &object.initial {
            let within = length(program.pool.sort(value))
                .and_then(|length| offset.checked_add(length))
                .is_some_and(|end| end <= object.size);
            if !within {
                return Err(Malformed::Address(object.name.to_string()));
            }
            let expression = compiler.expression(value, None, &object.name)?;
            initial.push((index, offset, expression));
        }
    }
    let mut functions = Vec::new();
    for ((id, function), locals) in program.functions.iter().zip(locals) {
        functions.push(compiler.function(id, function, locals)?);
    }
    let Compiler { constants, temporaries, addresses, slots, .. } = compiler;
    Ok(Code { functions, globals, constants, temporaries, at, initial, objects, addresses, slots })
}

/// The functions by their addresses, which are the values of terms.
pub(super) fn functions_at(
    program: &Program,
    address: impl Fn(Term) -> Option<u64>,
) -> FxHashMap<u64, FunctionId> {
    let functions = program.functions.iter();
    functions.filter_map(|(id, function)| Some((address(function.address?)?, id))).collect()
}

/// How many bytes a value of the sort takes in memory.
fn length(sort: Sort) -> Option<u64> {
    let width = match sort {
        Sort::BitVec(width) => width,
        Sort::Float(format) => format.width(),
        _ => return None,
    };
    width.is_multiple_of(8).then(|| u64::from(width / 8))
}

impl<'p> Compiler<'p> {
    /// Numbers the registers: the first contents of global ones, and of each function's.
    fn registers(&mut self) -> Result<(Bank, Vec<Bank>), Malformed> {
        let mut globals = Bank::default();
        let mut locals = vec![Bank::default(); self.program.functions.len()];
        for (_, variable) in self.program.variables.iter() {
            let name = || variable.name.as_deref().unwrap_or("a variable").to_string();
            if self.program.pool.sort(variable.term) != variable.sort {
                return Err(Malformed::Term { function: name(), what: "another sort".into() });
            }
            let first = default_value(&self.program.pool, variable.sort);
            let slot = match variable.function {
                None => Slot::Global(globals.push(first, variable.sort)),
                Some(function) => {
                    let locals = locals
                        .get_mut(raw(function))
                        .ok_or_else(|| Malformed::Index { function: name(), what: "a function" })?;
                    Slot::Local(locals.push(first, variable.sort))
                }
            };
            self.slots.push(slot);
            self.meaning.insert(variable.term, Meaning::Register(slot, variable.function));
        }
        Ok((globals, locals))
    }

    /// The addresses of the objects; those of functions become constants too.
    fn addresses(&mut self) -> Result<Vec<u64>, Malformed> {
        let mut objects = Vec::new();
        let heap = super::layout::Layout::new(self.program.pointer_width).heap;
        for (_, object) in self.program.objects.iter() {
            let address = self.program.addresses.get(&object.address).and_then(Bits::to_u64);
            let inside = |a: &u64| *a > 0 && a.checked_add(object.size).is_some_and(|e| e <= heap);
            let address = address.filter(inside);
            objects.push(address.ok_or_else(|| Malformed::Address(object.name.to_string()))?);
        }
        for (&term, bits) in &self.program.addresses {
            if Sort::BitVec(bits.width()) != self.program.pool.sort(term) {
                return Err(Malformed::Address(format!("{bits:?}")));
            }
            let sort = Sort::BitVec(bits.width());
            let number = self.constants.push(Value::Bits(bits.clone()), sort);
            self.meaning.insert(term, Meaning::Address(number));
            self.addresses.insert(term, number);
        }
        Ok(objects)
    }

    fn function(
        &mut self,
        id: FunctionId,
        function: &'p Function,
        locals: Bank,
    ) -> Result<FunctionCode<'p>, Malformed> {
        let scope = Scope { id, function };
        let targets = |this: &Self, variables: &[VariableId]| {
            let targets = variables.iter().map(|v| this.target(*v, scope));
            targets.map(|t| t.map(|t| (t.slot, t.sort))).collect::<Result<Vec<_>, _>>()
        };
        let parameters = targets(self, &function.parameters)?;
        let results = targets(self, &function.results)?;
        let body = function.body.as_ref().map(|body| self.body(scope, body)).transpose()?;
        Ok(FunctionCode { locals, parameters, results, body })
    }

    fn body(&mut self, scope: Scope<'p>, body: &'p Body) -> Result<BodyCode<'p>, Malformed> {
        let exists = |location: LocationId| {
            let known = raw(location) < body.locations.len();
            if known { Ok(location) } else { Err(scope.index("a location")) }
        };
        let mut outgoing: Vec<SmallVec<[EdgeId; 2]>> = vec![SmallVec::new(); body.locations.len()];
        let mut edges = Vec::new();
        for (id, edge) in body.edges.iter() {
            outgoing[raw(exists(edge.from)?)].push(id);
            let edge_scope = EdgeScope { scope, edge: raw(id) as u32 };
            let action = self.action(edge_scope, &edge.instruction)?;
            edges.push(EdgeCode { to: exists(edge.to)?, action });
        }
        let leaving = outgoing.iter().map(|edges| self.leaving(body, edges)).collect();
        Ok(BodyCode { entry: exists(body.entry)?, exit: exists(body.exit)?, edges, leaving })
    }

    fn leaving(&self, body: &Body, edges: &[EdgeId]) -> Leaving {
        let assumption = |edge: EdgeId| match body.edges[edge].instruction {
            Instruction::Assume(formula) => Some(formula),
            _ => None,
        };
        let opposed = |a: EdgeId, b: EdgeId| match (assumption(a), assumption(b)) {
            (Some(yes), Some(no)) => self.program.pool.not(yes) == no,
            _ => false,
        };
        match *edges {
            [edge] => Leaving::One(edge),
            [a, b] if opposed(a, b) => Leaving::Branch(a, b),
            _ => Leaving::Several(edges.into()),
        }
    }

    fn action(
        &mut self,
        at: EdgeScope<'p>,
        instruction: &'p Instruction,
    ) -> Result<Action<'p>, Malformed> {
        let pointer = Sort::BitVec(self.program.pointer_width);
        Ok(match instruction {
            Instruction::Skip => Action::Skip,
            Instruction::Assume(formula) => {
                Action::Assume(self.typed(at, *formula, Sort::Bool, "an assumption")?)
            }
            Instruction::Check(property, formula) => {
                Action::Check(*property, self.typed(at, *formula, Sort::Bool, "a check")?)
            }
            Instruction::Assign(variable, value) => {
                let into = self.target(*variable, at.scope)?;
                Action::Assign(into, self.typed(at, *value, into.sort, "an assigned value")?)
            }
            Instruction::Havoc(variable, cause @ Cause::Computed(computed)) => {
                let into = self.target(*variable, at.scope)?;
                let argument = |term| self.typed(at, term, into.sort, "what a result is of");
                let arguments = computed.arguments.iter().copied().map(argument);
                let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
                let curve = computed.curve;
                let is_computed = into.sort.format().is_some_and(Curve::is_computed);
                if !is_computed || arguments.len() != curve.arity() {
                    return Err(at.sort("a computed result"));
                }
                Action::Compute { into, curve, arguments, cause }
            }
            Instruction::Havoc(variable, cause) => {
                Action::Havoc(self.target(*variable, at.scope)?, cause)
            }
            Instruction::Load { into, address } => {
                let address = self.typed(at, *address, pointer, "an address")?;
                let into = self.target(*into, at.scope)?;
                let length = length(into.sort).ok_or_else(|| at.sort("a loaded value"))?;
                Action::Load { into, address, length }
            }
            Instruction::Written { into, address, size } => {
                let address = self.typed(at, *address, pointer, "an address")?;
                let into = self.target(*into, at.scope)?;
                if into.sort != Sort::Bool || *size == 0 {
                    return Err(at.sort("whether bytes were written"));
                }
                Action::Written { into, address, length: *size }
            }
            Instruction::Store { address, value } => {
                let address = self.typed(at, *address, pointer, "an address")?;
                let sort = self.program.pool.sort(*value);
                let length = length(sort).ok_or_else(|| at.sort("a stored value"))?;
                let value = self.expression(*value, Some(at.scope.id), at.name())?;
                Action::Store { address, value, length }
            }
            Instruction::Allocate { into, size, align, storage, written, .. } => {
                let size = self.typed(at, *size, pointer, "a size")?;
                let into = self.target(*into, at.scope)?;
                if into.sort != pointer {
                    return Err(at.sort("the address of an allocation"));
                }
                let (align, storage, written) = (*align, *storage, *written);
                Action::Allocate { into, size, align, storage, written }
            }
            Instruction::Free { address, storage } => Action::Free {
                address: self.typed(at, *address, pointer, "an address")?,
                storage: *storage,
            },
            Instruction::Copy { to, from, length } => Action::Copy {
                to: self.typed(at, *to, pointer, "an address")?,
                from: self.typed(at, *from, pointer, "an address")?,
                length: self.typed(at, *length, pointer, "a length")?,
            },
            Instruction::Fill { to, byte, length } => Action::Fill {
                to: self.typed(at, *to, pointer, "an address")?,
                byte: self.typed(at, *byte, Sort::BitVec(8), "a byte")?,
                length: self.typed(at, *length, pointer, "a length")?,
            },
            Instruction::HavocBytes { address, length, cause } => Action::HavocBytes {
                address: self.typed(at, *address, pointer, "an address")?,
                length: self.typed(at, *length, pointer, "a length")?,
                cause,
            },
            Instruction::Measure { into, address, extent } => {
                let address = self.typed(at, *address, pointer, "an address")?;
                let into = self.target(*into, at.scope)?;
                if into.sort != pointer {
                    return Err(at.sort("a number of bytes"));
                }
                Action::Measure { into, address, extent: *extent }
            }
            Instruction::Call { callee, arguments, results } => {
                self.call(at, callee, arguments, results)?
            }
        })
    }

    /// A term that must have a sort.
    fn typed(
        &mut self,
        at: EdgeScope<'p>,
        term: Term,
        sort: Sort,
        what: &'static str,
    ) -> Result<Expression<'p>, Malformed> {
        if self.program.pool.sort(term) != sort {
            return Err(at.sort(what));
        }
        self.expression(term, Some(at.scope.id), at.name())
    }

    fn call(
        &mut self,
        at: EdgeScope<'p>,
        callee: &Callee,
        arguments: &[Term],
        results: &[VariableId],
    ) -> Result<Action<'p>, Malformed> {
        let sorts: Vec<Sort> = arguments.iter().map(|a| self.program.pool.sort(*a)).collect();
        let targets = results.iter().map(|v| self.target(*v, at.scope));
        let targets = targets.collect::<Result<Vec<_>, _>>()?;
        let callee = match callee {
            Callee::Function(callee) => {
                if raw(*callee) >= self.program.functions.len() {
                    return Err(at.scope.index("a function"));
                }
                let function = &self.program.functions[*callee];
                if !fits(self.program, function, &sorts, results) {
                    return Err(at.sort("an argument or result"));
                }
                Whom::Function(*callee)
            }
            Callee::Pointer(address) => {
                if self.program.pool.sort(*address) != Sort::BitVec(self.program.pointer_width) {
                    return Err(at.sort("an address"));
                }
                let address = self.expression(*address, Some(at.scope.id), at.name())?;
                Whom::Pointer { address, sorts }
            }
        };
        let arguments = arguments.iter().map(|a| self.expression(*a, Some(at.scope.id), at.name()));
        let arguments = arguments.collect::<Result<_, _>>()?;
        Ok(Action::Call { callee, arguments, results: targets })
    }

    /// The register that is assigned, if the function may.
    fn target(&self, variable: VariableId, scope: Scope<'p>) -> Result<Target, Malformed> {
        let slot = self.slots.get(raw(variable)).copied();
        let slot = slot.ok_or_else(|| scope.index("a variable"))?;
        let declared = &self.program.variables[variable];
        if declared.function.is_some_and(|f| f != scope.id) {
            return Err(scope.index("a variable"));
        }
        let word = Operand::from(slot).into();
        Ok(Target { slot, word, variable, sort: declared.sort })
    }

    fn expression(
        &mut self,
        root: Term,
        scope: Option<FunctionId>,
        name: &str,
    ) -> Result<Expression<'p>, Malformed> {
        let pool = &self.program.pool;
        let wrong = |what: String| Err(Malformed::Term { function: name.to_string(), what });
        let mut operands: FxHashMap<Term, Operand> = FxHashMap::default();
        let mut nodes = Nodes::default();
        for term in subterms(pool, &[root]) {
            let node = pool.node(term);
            let operand = match &node.op {
                Op::Var(symbol) => match self.meaning.get(&term) {
                    Some(Meaning::Address(number)) => Operand::Constant(*number),
                    Some(Meaning::Register(Slot::Global(number), _)) => Operand::Global(*number),
                    Some(Meaning::Register(Slot::Local(number), owner)) if *owner == scope => {
                        Operand::Local(*number)
                    }
                    _ => return wrong(format!("the variable {}", pool.name(*symbol))),
                },
                Op::Value(value) => {
                    let constants = &mut self.constants;
                    let number = *self
                        .constant_of
                        .entry(term)
                        .or_insert_with(|| constants.push((**value).clone(), node.sort));
                    Operand::Constant(number)
                }
                Op::Apply(_) => return wrong("an uninterpreted function".into()),
                Op::Forall | Op::Exists => return wrong("a quantifier".into()),
                _ => nodes.add(pool, term, &operands),
            };
            operands.insert(term, operand);
        }
        self.temporaries = self.temporaries.max(nodes.words as usize);
        let (nodes, root_at) = (nodes.nodes.into(), operands[&root]);
        Ok(Expression { nodes, root: root_at, word: root_at.into(), sort: pool.sort(root) })
    }
}

/// The nodes of an expression.
#[derive(Default)]
struct Nodes<'p> {
    nodes: Vec<Node<'p>>,
    words: u32,
    values: u32,
}

impl<'p> Nodes<'p> {
    /// Adds the node of a term whose arguments are known.
    fn add(&mut self, pool: &'p Pool, term: Term, operands: &FxHashMap<Term, Operand>) -> Operand {
        let node = pool.node(term);
        let (op, skipped) = WordOp::of(pool, term).map_or((None, 0), |(op, n)| (Some(op), n));
        match (op, &node.args[skipped..]) {
            // Conjunctions and disjunctions have any number of arguments.
            (Some(op @ (WordOp::And | WordOp::Or)), [first, rest @ ..]) => rest
                .iter()
                .fold(operands[first], |so_far, a| self.word(op, [so_far, operands[a], so_far])),
            (Some(op), [a]) => self.word(op, [operands[a]; 3]),
            (Some(op), [a, b]) => self.word(op, [operands[a], operands[b], operands[a]]),
            (Some(op), [a, b, c]) => self.word(op, [operands[a], operands[b], operands[c]]),
            _ => {
                let args = node.args.iter().map(|a| (operands[a], pool.sort(*a))).collect();
                let general = General { op: &node.op, sort: node.sort, args };
                self.nodes.push(Node::General(Box::new(general)));
                let count = if is_word(node.sort) { &mut self.words } else { &mut self.values };
                *count += 1;
                Operand::Temporary(*count - 1)
            }
        }
    }

    fn word(&mut self, op: WordOp, args: [Operand; 3]) -> Operand {
        self.nodes.push(Node::Word(op, args.map(WordAt::from)));
        self.words += 1;
        Operand::Temporary(self.words - 1)
    }
}

/// Whether a function takes arguments of these sorts and gives results for these registers. One
/// without a body takes anything and gives anything.
pub(super) fn fits(
    program: &Program,
    function: &Function,
    arguments: &[Sort],
    results: &[VariableId],
) -> bool {
    if function.body.is_none() {
        return true;
    }
    let sort = |v: &VariableId| program.variables[*v].sort;
    function.parameters.iter().map(sort).eq(arguments.iter().copied())
        && results.len() <= function.results.len()
        && results.iter().zip(&function.results).all(|(a, b)| sort(a) == sort(b))
}

#[derive(Clone, Copy)]
struct Scope<'p> {
    id: FunctionId,
    function: &'p Function,
}

impl Scope<'_> {
    fn index(&self, what: &'static str) -> Malformed {
        Malformed::Index { function: self.function.name.to_string(), what }
    }
}

#[derive(Clone, Copy)]
struct EdgeScope<'p> {
    scope: Scope<'p>,
    edge: u32,
}

impl<'p> EdgeScope<'p> {
    fn name(&self) -> &'p str {
        &self.scope.function.name
    }

    fn sort(&self, what: &'static str) -> Malformed {
        Malformed::Sort { function: self.name().to_string(), edge: self.edge, what }
    }
}
