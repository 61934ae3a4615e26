//! Executing a program on terms, all ways at once.
//!
//! A function's locations are executed in the order of [`crate::order`]; where ways meet, their states
//! become one ([`State::merge`]), so the work grows with the length of the unrolling and not with the
//! number of its paths. A call is executed where it stands. A loop goes on for as long as its
//! condition is a constant; where it is not, a solver is asked before each turn whether there can be
//! one, and there is a bound on such turns ([`Why::Bound`]).

use crate::Observer;
use crate::access::Piece;
use crate::found::{Asked, Cut, Event, Found, Goal, Why};
use crate::object::{Base, Kind, Objects};
use crate::order::{Key, Order};
use crate::outside::Sources;
use crate::pointer::{Pointers, written};
use crate::state::{State, key};
use answer::{Allowance, Exhausted};
use program::interpret::Part;
use program::program::{
    Body, Callee, Cause, Edge, EdgeId, FunctionId, Instruction, LocationId, Program, Reading,
    Storage, VariableId,
};
use program::symbolic::exclusive;
use program::{Place, Property};
use rustc_hash::FxHashMap;
use smt::{Answer, Solver};
use std::collections::BTreeMap;
use std::rc::Rc;
use term::eval::default_value;
use term::{Op, Pool, Sort, Term};

/// How often the allowance is looked at, in edges.
const LOOK: u32 = 64;
/// After how many turns that a solver was asked about a loop may be one without end.
const DOUBTFUL: u32 = 12;
/// Conflicts for the question whether a loop can have another turn.
const CONFLICTS: u64 = 2_000;
/// The most bytes of an object of unknown size that are told apart.
const MOST: u64 = 4_096;

/// Why an execution does not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A limit was reached.
    Exhausted(Exhausted),
    /// Something can't be executed on terms.
    Unsupported(String),
    /// The formulas have become too large.
    Large,
    /// A loop goes on and on, and it was to be told.
    Doubtful,
}

impl From<Exhausted> for Stop {
    fn from(exhausted: Exhausted) -> Stop {
        Stop::Exhausted(exhausted)
    }
}

impl From<smt::Error> for Stop {
    fn from(error: smt::Error) -> Stop {
        Stop::Unsupported(error.to_string())
    }
}

/// What bounds an execution.
#[derive(Clone)]
pub struct Bounds {
    /// Turns of a loop, or calls of a function within itself, that are not decided by constants.
    pub turns: u32,
    /// Whether the execution ends at the first loop that may have no end.
    pub doubts: bool,
    /// Whether runs go on behind a violation, as if nothing had been asked there.
    pub beyond: bool,
    /// Whether runs are followed into memory from outside the program.
    pub outside: bool,
    /// Terms of the pool, all together.
    pub terms: usize,
    /// Time, and the interrupt.
    pub allowance: Allowance,
}

/// Where the value of a register is kept.
#[derive(Clone, Copy)]
enum Register {
    Global(u32),
    Local(u32),
}

/// Executes a program.
pub struct Executor<'p> {
    pub(crate) program: &'p Program,
    pub(crate) pool: &'p Pool,
    /// The width of an address.
    pub(crate) width: u32,
    properties: &'p [Property],
    bounds: Bounds,
    pub(crate) objects: Objects,
    /// Whether the program asks which bytes were written.
    marked: bool,
    pub(crate) pointers: Pointers,
    /// Pointers from outside, if they are followed.
    pub(crate) sources: Option<Sources>,
    registers: FxHashMap<Term, Register>,
    orders: FxHashMap<FunctionId, Rc<Order>>,
    found: Found,
    /// What the runs that go on must satisfy, because others were cut by this instruction.
    pub(crate) excluded: Vec<Term>,
    /// Where the execution is.
    pub(crate) site: (FunctionId, EdgeId),
    pub(crate) place: Place,
    /// The calls that are open: the function, and the objects on its stack.
    pub(crate) calls: Vec<(FunctionId, Vec<Base>)>,
    solver: Box<dyn Solver>,
    until_look: u32,
    observer: &'p mut dyn Observer,
}

/// What an execution has found.
pub struct Executed {
    /// The objects that were met.
    pub objects: Objects,
    /// What may go wrong, and what runs take.
    pub found: Found,
}

/// Executes a program as far as the bounds allow.
pub fn execute(
    program: &Program,
    properties: &[Property],
    bounds: Bounds,
    mut solver: Box<dyn Solver>,
    observer: &mut dyn Observer,
) -> Result<Executed, Stop> {
    solver.set_allowance(bounds.allowance.with_work(CONFLICTS));
    let mut executor = Executor::new(program, properties, bounds, solver, observer);
    let state = executor.first_state();
    executor.call(program.start, Vec::new(), state)?;
    Ok(Executed { objects: executor.objects, found: executor.found })
}

impl<'p> Executor<'p> {
    fn new(
        program: &'p Program,
        properties: &'p [Property],
        bounds: Bounds,
        solver: Box<dyn Solver>,
        observer: &'p mut dyn Observer,
    ) -> Self {
        let register = |(id, variable): (VariableId, &program::program::Variable)| {
            let number = key(id);
            let register = match variable.function {
                None => Register::Global(number),
                Some(_) => Register::Local(number),
            };
            (variable.term, register)
        };
        let asks = |edge: &Edge| matches!(edge.instruction, Instruction::Written { .. });
        let marked = program.edges().any(|(_, edge)| asks(edge));
        let mut objects = Objects::new(program);
        if marked {
            let bases: Vec<Base> = objects.iter().map(|(base, _)| base).collect();
            bases.into_iter().for_each(|base| objects.add_marks(&program.pool, base, true));
        }
        Executor {
            program,
            pool: &program.pool,
            width: program.pointer_width,
            properties,
            sources: bounds.outside.then(Sources::default),
            bounds,
            objects,
            marked,
            pointers: Pointers::default(),
            registers: program.variables.iter().map(register).collect(),
            orders: FxHashMap::default(),
            found: Found::default(),
            excluded: Vec::new(),
            site: (program.start, EdgeId::from_raw(0.into())),
            place: Place::default(),
            calls: Vec::new(),
            solver,
            until_look: LOOK,
            observer,
        }
    }

    /// Static objects with their first values.
    fn first_state(&self) -> State {
        let mut state = State::default();
        for (base, object) in self.objects.iter() {
            let Kind::Static(id) = object.kind else { continue };
            for (offset, value) in &self.program.objects[id].initial {
                let Some(size) = crate::contents::bytes_of(self.pool.sort(*value)) else {
                    continue;
                };
                state.change(base, |contents| contents.write(self.pool, *offset, size, *value));
            }
        }
        state
    }

    /// Whether a property is asked for.
    pub(crate) fn asks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }

    /// Some runs are not followed any further.
    pub(crate) fn cut(&mut self, state: &State, condition: Term, why: Why) {
        self.cut_but(state, condition, condition, why);
    }

    /// Nothing is proved of some runs; those of them for which `left` holds are not followed.
    pub(crate) fn cut_but(&mut self, state: &State, condition: Term, left: Term, why: Why) {
        if self.pool.as_bool(condition) == Some(false) {
            return;
        }
        let (path, place) = (state.path.clone(), self.place.clone());
        self.found.cuts.push(Cut { path, condition, why, place });
        self.excluded.push(self.pool.not(left));
    }

    /// No run is followed beyond the bound.
    pub(crate) fn end(&mut self, state: &State) {
        let (path, place) = (state.path.clone(), self.place.clone());
        let condition = self.pool.tru();
        self.found.cuts.push(Cut { path, condition, why: Why::Bound, place });
    }

    /// What must hold here: a goal if it is asked for; a run that fails goes on only if it is not
    /// and the failure is not fatal.
    pub(crate) fn require(
        &mut self,
        state: &mut State,
        property: Property,
        formula: Term,
        fatal: bool,
    ) {
        let asked = self.asks(property) && self.program.asked.asks(property, &self.place);
        if asked && self.found.reached.is_none() && state.path.is(&state.feasible) {
            self.found.reached = Some(self.place.clone());
        }
        if self.pool.as_bool(formula) == Some(true) {
            return;
        }
        if asked {
            // Of runs that are cut here nothing is said.
            let followed = self.excluded.iter().copied();
            let violation = self.pool.and(followed.chain([self.pool.not(formula)]));
            let (path, place) = (state.path.clone(), self.place.clone());
            self.found.goals.push(Goal { path, violation, property, place });
        }
        if fatal || asked && !self.bounds.beyond {
            state.assume(self.pool, formula);
        }
    }

    /// The value of a term in a state.
    pub(crate) fn eval(&mut self, state: &State, term: Term) -> Term {
        let pool = self.pool;
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            if done.contains_key(&top) {
                pending.pop();
                continue;
            }
            let args = pool.args(top);
            if args.is_empty() {
                done.insert(top, self.leaf(state, top));
                pending.pop();
                continue;
            }
            let before = pending.len();
            pending.extend(args.iter().filter(|arg| !done.contains_key(arg)));
            if pending.len() > before {
                continue;
            }
            let new: Vec<Term> = args.iter().map(|arg| done[arg]).collect();
            let value = self.apply(state, pool.op(top), &new);
            done.insert(top, state.resolved(value));
            pending.pop();
        }
        done[&term]
    }

    pub(crate) fn leaf(&self, state: &State, term: Term) -> Term {
        let value = match self.registers.get(&term) {
            Some(Register::Global(number)) => state.globals.get(number),
            Some(Register::Local(number)) => state.locals.get(number),
            None => return term,
        };
        match value {
            Some(value) => state.resolved(*value),
            // What nobody has set is zero, as for the interpreter.
            None => self.pool.constant(default_value(self.pool, self.pool.sort(term))),
        }
    }

    /// An operator on values; of addresses, by cases.
    fn apply(&mut self, state: &State, op: &Op, args: &[Term]) -> Term {
        let pool = self.pool;
        match (op, args) {
            (Op::Ite, &[c, a, b]) if pool.sort(a) == Sort::BitVec(self.width) => {
                self.choose(c, a, b)
            }
            (Op::Eq | Op::BvUlt, &[a, b]) if pool.sort(a) == Sort::BitVec(self.width) => {
                let plain = pool.make(op.clone(), args);
                let mut has_base = |term| self.pointers.has_base(pool, &self.objects, term);
                if !has_base(a) && !has_base(b) {
                    return plain;
                }
                if *op == Op::BvUlt {
                    let below = self.pointers.below(pool, &self.objects, a, b);
                    return below.unwrap_or(plain);
                }
                let objects = &self.objects;
                let lives = |base: Base| match objects[base].kind {
                    Kind::Allocated(..) => {
                        state.alive.get(&base).and_then(|lives| pool.as_bool(*lives)) == Some(true)
                    }
                    _ => true,
                };
                let together = |a, b| lives(a) && lives(b);
                self.pointers.equal(pool, objects, (a, b), &together)
            }
            (Op::BvSub, &[a, b]) if pool.sort(a) == Sort::BitVec(self.width) => {
                let plain = pool.make(op.clone(), args);
                // The distance within an object says nothing of where it lies.
                match self.pointers.cases(pool, &self.objects, plain).as_deref() {
                    Some(cases) if cases.iter().all(|case| case.base.is_none()) => {
                        written(pool, &self.objects, cases)
                    }
                    _ => pool.bv_sub(a, b),
                }
            }
            _ => pool.make(op.clone(), args),
        }
    }

    pub(crate) fn set(&mut self, state: &mut State, register: VariableId, value: Term) {
        let number = key(register);
        match self.program.variables[register].function {
            None => state.globals.insert(number, value),
            Some(_) => state.locals.insert(number, value),
        };
    }

    /// An unknown value that a run asks for, if a condition holds.
    pub(crate) fn ask(
        &mut self,
        state: &State,
        (sort, name): (Sort, &str),
        part: Part,
        condition: Term,
    ) -> Term {
        let value = self.pool.fresh_var(name, sort);
        let (function, edge) = self.site;
        let asked = Asked::Value { edge, part, value };
        self.found.events.push(Event { path: state.path.clone(), condition, function, asked });
        value
    }

    /// Time, interrupt and size.
    fn look(&mut self) -> Result<(), Stop> {
        self.until_look -= 1;
        if self.until_look > 0 {
            return Ok(());
        }
        self.until_look = LOOK;
        self.observer.going_on();
        if self.pool.len() > self.bounds.terms {
            return Err(Stop::Large);
        }
        self.bounds.allowance.exhausted().map_or(Ok(()), |exhausted| Err(exhausted.into()))
    }

    /// Whether something is new on the path and can't be, so that no run is here.
    fn is_impossible(&mut self, state: &mut State) -> Result<bool, Stop> {
        if state.path.is(&state.feasible) {
            return Ok(false);
        }
        let literals = state.path.literals();
        let answer = self.solver.check(self.pool, &literals)?;
        state.feasible = state.path.clone();
        Ok(answer == Answer::Unsat)
    }

    /// A turn of a loop, or a call of a function within itself, by number: whether it is executed.
    pub(crate) fn goes_on(&mut self, state: &mut State, number: u32) -> Result<bool, Stop> {
        if state.path.is(&state.feasible) {
            return Ok(true);
        }
        if self.is_impossible(state)? {
            return Ok(false);
        }
        if number == DOUBTFUL {
            if self.bounds.doubts {
                return Err(Stop::Doubtful);
            }
            self.observer.doubtful();
        }
        if number >= self.bounds.turns {
            self.end(state);
            return Ok(false);
        }
        Ok(true)
    }

    pub(crate) fn merge(&mut self, one: State, other: State) -> State {
        one.merge(other, self.pool, &self.objects, &mut self.pointers)
    }

    fn order(&mut self, function: FunctionId, body: &Body) -> Rc<Order> {
        self.orders.entry(function).or_insert_with(|| Rc::new(Order::of(body))).clone()
    }

    /// Executes a body from its entry.
    pub(crate) fn body(
        &mut self,
        function: FunctionId,
        body: &'p Body,
        state: State,
    ) -> Result<Option<State>, Stop> {
        let order = self.order(function, body);
        if !order.is_alive(body.entry) {
            return Ok(None);
        }
        let mut pending: BTreeMap<Key, (LocationId, State)> = BTreeMap::new();
        pending.insert(order.first(body.entry), (body.entry, state));
        let mut returned: Option<State> = None;
        while let Some((at, (location, state))) = pending.pop_first() {
            if location == body.exit {
                returned = Some(match returned {
                    None => state,
                    Some(before) => self.merge(before, state),
                });
                continue;
            }
            for (to, mut state) in self.leave(function, body, &order, location, state)? {
                if !order.is_alive(to) {
                    continue;
                }
                let next = order.advance(&at, location, to);
                if let Some(turn) = next.turn
                    && !self.goes_on(&mut state, turn)?
                {
                    continue;
                }
                let state = match pending.remove(&next.key) {
                    None => state,
                    Some((_, before)) => self.merge(before, state),
                };
                pending.insert(next.key, (to, state));
            }
        }
        Ok(returned)
    }

    /// The edges that leave a location, executed.
    fn leave(
        &mut self,
        function: FunctionId,
        body: &'p Body,
        order: &Order,
        location: LocationId,
        state: State,
    ) -> Result<Vec<(LocationId, State)>, Stop> {
        self.look()?;
        let edges = &order.leaving[location];
        let mut ways: Vec<(EdgeId, Term)> = Vec::new();
        for &id in edges {
            let guard = match body.edges[id].instruction {
                Instruction::Assume(formula) => self.eval(&state, formula),
                _ => self.pool.tru(),
            };
            if self.pool.as_bool(guard) != Some(false) {
                ways.push((id, guard));
            }
        }
        let guards: Vec<Term> = ways.iter().map(|(_, guard)| *guard).collect();
        let taken = exclusive(self.pool, &guards);
        if ways.len() > 1 {
            let edges = ways.iter().zip(&taken).map(|((id, guard), taken)| (*id, *taken, *guard));
            let asked = Asked::Way { location, edges: edges.collect() };
            let (path, condition) = (state.path.clone(), self.pool.tru());
            self.found.events.push(Event { path, condition, function, asked });
        }
        let mut left = Vec::new();
        let last = ways.len().saturating_sub(1);
        let mut state = Some(state);
        for (number, ((id, _), taken)) in ways.into_iter().zip(taken).enumerate() {
            let way = if number == last { state.take() } else { state.clone() };
            let Some(mut way) = way else { break };
            way.assume(self.pool, taken);
            let edge = &body.edges[id];
            if way.is_dead(self.pool) {
                continue;
            }
            self.site = (function, id);
            self.place = edge.place.clone();
            if let Some(way) = self.instruction(edge, way)? {
                left.push((edge.to, way));
            }
        }
        Ok(left)
    }

    /// What an instruction does; none if no run goes on.
    fn instruction(&mut self, edge: &'p Edge, mut state: State) -> Result<Option<State>, Stop> {
        match &edge.instruction {
            Instruction::Skip | Instruction::Assume(_) => {}
            Instruction::Assign(register, term) => {
                let value = self.eval(&state, *term);
                self.set(&mut state, *register, value);
            }
            Instruction::Havoc(register, cause) => {
                let variable = &self.program.variables[*register];
                let name = variable.name.as_deref().unwrap_or("input");
                let what = (variable.sort, name);
                let value = self.ask(&state, what, Part::Whole, self.pool.tru());
                if variable.reading == Reading::Address {
                    self.note_source(value, cause);
                }
                self.set(&mut state, *register, value);
            }
            Instruction::Check(property, formula) => {
                let formula = self.eval(&state, *formula);
                self.require(&mut state, *property, formula, property.is_fatal());
            }
            Instruction::Call { callee, arguments, results } => {
                let arguments: Vec<Term> =
                    arguments.iter().map(|term| self.eval(&state, *term)).collect();
                return match callee {
                    Callee::Function(function) => {
                        self.call_and_return(*function, arguments, results, state)
                    }
                    Callee::Pointer(address) => {
                        let address = self.eval(&state, *address);
                        self.call_behind(address, &arguments, results, state)
                    }
                };
            }
            instruction => self.memory(instruction, &mut state)?,
        }
        for condition in std::mem::take(&mut self.excluded) {
            state.assume(self.pool, condition);
        }
        Ok((!state.is_dead(self.pool)).then_some(state))
    }

    /// Instructions on memory.
    fn memory(&mut self, instruction: &Instruction, state: &mut State) -> Result<(), Stop> {
        match instruction {
            Instruction::Load { into, address } => {
                let address = self.eval(state, *address);
                let sort = self.program.variables[*into].sort;
                let value = self.load(state, address, sort)?;
                // Without a value no run goes on.
                let value = value.map_or_else(
                    || self.pool.constant(default_value(self.pool, sort)),
                    |value| state.resolved(value),
                );
                self.set(state, *into, value);
            }
            Instruction::Measure { into, address, extent } => {
                let address = self.eval(state, *address);
                let bytes = self.measure(state, address, *extent);
                self.set(state, *into, bytes);
            }
            Instruction::Written { into, address, size } => {
                let address = self.eval(state, *address);
                let written = self.is_written(state, address, *size)?;
                self.set(state, *into, written);
            }
            Instruction::Store { address, value } => {
                let (address, value) = (self.eval(state, *address), self.eval(state, *value));
                self.store(state, address, value)?;
            }
            Instruction::Allocate { into, size, align, storage, written, .. } => {
                let size = self.eval(state, *size);
                let base = self.allocate(state, *into, (size, *align), *storage)?;
                if self.marked {
                    self.objects.add_marks(self.pool, base, *written);
                }
            }
            Instruction::Free { address, storage } => {
                let address = self.eval(state, *address);
                self.free(state, address, *storage)?;
            }
            Instruction::Copy { to, from, length } => {
                let [to, from, length] = [to, from, length].map(|term| self.eval(state, *term));
                self.copy(state, to, from, length)?;
            }
            Instruction::Fill { to, byte, length } => {
                let [to, byte, length] = [to, byte, length].map(|term| self.eval(state, *term));
                let piece =
                    |_: &mut Self, _: &State, _, _| Piece { size: 1, value: byte, marks: None };
                self.write_range(state, to, length, piece)?;
            }
            Instruction::HavocBytes { address, length, cause } => {
                let [address, length] = [address, length].map(|term| self.eval(state, *term));
                let none = (*cause == Cause::Uninitialized).then(|| self.pool.bv(0, 8));
                self.write_range(state, address, length, |executor, state, at, meant| {
                    let what = (Sort::BitVec(8), "byte");
                    let value = executor.ask(state, what, Part::Byte(at), meant);
                    Piece { size: 1, value, marks: none }
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    fn allocate(
        &mut self,
        state: &mut State,
        into: VariableId,
        extent: (Term, u64),
        storage: Storage,
    ) -> Result<Base, Stop> {
        let (size, align) = extent;
        let kind = Kind::Allocated(storage, self.site);
        let born = (state.path.clone(), state.alive.clone());
        let most = self.most(state, size)?;
        let base = self.objects.allocate(self.pool, (size, most, align), kind, born);
        let (path, condition) = (state.path.clone(), self.pool.tru());
        let asked = Asked::Object(base);
        self.found.events.push(Event { path, condition, function: self.site.0, asked });
        state.alive.insert(base, self.pool.tru());
        if storage == Storage::Stack
            && let Some((_, stack)) = self.calls.last_mut()
        {
            stack.push(base);
        }
        let address = self.objects[base].base;
        self.set(state, into, address);
        Ok(base)
    }

    /// The most that a size can be here, if that is not much.
    fn most(&mut self, state: &State, size: Term) -> Result<Option<u64>, Stop> {
        if let Some(size) = self.number(size) {
            return Ok(Some(size));
        }
        let literals = state.path.literals();
        let mut exceeds = |bound: u64| -> Result<bool, Stop> {
            let above = self.pool.bv_ult(self.pool.bv(bound, self.width), size);
            let asked: Vec<Term> = literals.iter().copied().chain([above]).collect();
            Ok(self.solver.check(self.pool, &asked)? != Answer::Unsat)
        };
        let mut high = 16;
        while exceeds(high)? {
            if high >= MOST {
                return Ok(None);
            }
            high *= 16;
        }
        let mut low = 0;
        while low < high {
            let middle = low + (high - low) / 2;
            match exceeds(middle)? {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(Some(high))
    }
}
