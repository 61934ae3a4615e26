//! Makes [`super::code`] of a program. This checks everything that executing relies on, so that no
//! program makes the interpreter panic.

use super::code::{
    Action, Bank, BodyCode, Code, EdgeCode, Expression, FunctionCode, General, Leaving, Malformed,
    Node, Operand, Slot, Target, Whom, WordAt, fits, functions_at, raw,
};
use super::word::{WordOp, is_word};
use crate::program::{
    Body, Callee, Cause, EdgeId, Function, FunctionId, Instruction, LocationId, Program, VariableId,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::eval::default_value;
use term::traverse::subterms;
use term::{Op, Pool, Sort, Term, Value};
use value::{Bits, Curve};

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
            Instruction::Call { callee, arguments, results } => {
                self.call(at, callee, arguments, results)?
            }
            _ => return self.action_on_objects(at, instruction),
        })
    }

    /// What makes, ends or changes objects as a whole.
    fn action_on_objects(
        &mut self,
        at: EdgeScope<'p>,
        instruction: &'p Instruction,
    ) -> Result<Action<'p>, Malformed> {
        let pointer = Sort::BitVec(self.program.pointer_width);
        Ok(match instruction {
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
            Instruction::Skip
            | Instruction::Assume(_)
            | Instruction::Check(..)
            | Instruction::Assign(..)
            | Instruction::Havoc(..)
            | Instruction::Load { .. }
            | Instruction::Written { .. }
            | Instruction::Store { .. }
            | Instruction::Call { .. } => unreachable!("they are compiled by `action`"),
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
