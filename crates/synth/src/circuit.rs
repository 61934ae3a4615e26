//! The circuit of an automaton, and the way back for traces and invariants.

use crate::words::{Cell, NoBits, Words};
use ::circuit::invariant::{Clause, LatchLit};
use ::circuit::system::{Init, Latch, Signal, TransitionSystem};
use ::circuit::trace::Trace;
use aig::simulate::Words as Simulation;
use aig::{Aig, Edge, Node};
use blast::Blaster;
use la_arena::ArenaMap;
use passes::Back;
use program::cfa::{Cfa, EdgeId, LocationId};
use program::minimize::live_variables;
use program::symbolic::{State, Trail, exclusive, execute};
use program::verdict::{Invariant, Run, Step, Unfinished};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;
use term::eval::default_value;
use term::traverse::{conjuncts, disjuncts};
use term::{ArrayValue, Op, Pool, Sort, Term, Value};

/// Why an automaton does not become a circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SynthError {
    /// A variable without bits, or with too many.
    #[error(transparent)]
    NoBits(#[from] NoBits),
    /// A term that can't be bit-blasted.
    #[error(transparent)]
    Blast(#[from] blast::Unsupported),
    /// There is nothing to reach, or nowhere to start.
    #[error("the automaton has no error location or no initial one")]
    Trivial,
}

/// What a bit of state stands for.
#[derive(Clone, Copy, Debug)]
enum Bit {
    /// A bit of the program counter.
    Counter(u32),
    /// A bit of a cell.
    Cell {
        /// The variable that the cell is of.
        variable: Term,
        /// The cell's value, as a term over the variable.
        observe: Term,
        /// Which bit; of a Bool none.
        bit: Option<u32>,
    },
}

/// The next value of a variable.
struct Next {
    variable: Term,
    value: Term,
    /// Where it is read again; elsewhere it becomes zero.
    live: Term,
    /// Whether the initial location is a place where it is read again.
    from_start: bool,
}

/// An edge of the automaton in the circuit.
struct Move {
    edge: EdgeId,
    /// Whether it is taken, where the program counter is at its source.
    taken: Edge,
    trail: Trail,
}

/// Whether a formula is a clause over single bits, as those of bit-level engines are.
pub fn is_clause(pool: &Pool, formula: Term) -> bool {
    let is_literal = |literal: Term| {
        let atom = if *pool.op(literal) == Op::Not { pool.args(literal)[0] } else { literal };
        match pool.op(atom) {
            Op::Eq => pool.sort(pool.args(atom)[0]) == Sort::BitVec(1),
            op => matches!(op, Op::Var(_) | Op::Select),
        }
    };
    disjuncts(pool, formula).into_iter().all(is_literal)
}

/// A circuit and its relation to the automaton.
pub struct Circuit<'a> {
    /// One bad property: the program counter is at the error location.
    pub system: TransitionSystem,
    pool: &'a Pool,
    words: Words<'a>,
    blaster: Blaster,
    /// The code of each location in the program counter.
    codes: ArenaMap<LocationId, u64>,
    bits: Vec<Bit>,
    moves: ArenaMap<LocationId, Vec<Move>>,
    /// The variables that are read again.
    live: ArenaMap<LocationId, FxHashSet<Term>>,
    error: LocationId,
}

/// An edge, executed.
struct Executed {
    edge: EdgeId,
    to: LocationId,
    taken: Term,
    trail: Trail,
    state: State,
}

/// All edges executed, by the location that they leave.
type All = Vec<(LocationId, Vec<Executed>)>;

fn execute_all(pool: &Pool, cfa: &Cfa) -> All {
    let leaving = cfa.leaving();
    let locations = cfa.locations.iter().filter(|(id, _)| Some(*id) != cfa.error);
    locations.map(|(id, _)| (id, leave(pool, cfa, &leaving[id]))).collect()
}

/// The terms that a circuit is made of.
fn terms(cfa: &Cfa, all: &All) -> Vec<Term> {
    let executed = || all.iter().flat_map(|(_, edges)| edges);
    let values = executed().flat_map(|edge| edge.state.entries().map(|(_, value)| value));
    let terms = executed().map(|edge| edge.taken).chain(values);
    terms.chain(cfa.variables.keys().copied()).collect()
}

/// The edges that leave a location, executed; at most one is taken.
fn leave(pool: &Pool, cfa: &Cfa, leaving: &[EdgeId]) -> Vec<Executed> {
    let mut executed: Vec<Executed> = leaving
        .iter()
        .map(|&id| {
            let edge = &cfa.edges[id];
            let mut state = State::new();
            let done = execute(pool, &edge.command, &mut state);
            let (taken, trail) = (done.guard, done.trail);
            Executed { edge: id, to: edge.to, taken, trail, state }
        })
        .collect();
    executed.retain(|edge| pool.as_bool(edge.taken) != Some(false));
    let guards: Vec<Term> = executed.iter().map(|edge| edge.taken).collect();
    for (edge, taken) in executed.iter_mut().zip(exclusive(pool, &guards)) {
        edge.taken = taken;
    }
    executed
}

impl<'a> Circuit<'a> {
    /// The circuit of an automaton; not more than `gates` gates.
    pub fn new(pool: &'a Pool, cfa: &Cfa, gates: usize) -> Result<Self, SynthError> {
        let (Some(initial), Some(error)) = (cfa.initial, cfa.error) else {
            return Err(SynthError::Trivial);
        };
        let mut codes = ArenaMap::default();
        codes.insert(initial, 0);
        let others = cfa.locations.iter().map(|(id, _)| id).filter(|id| *id != initial);
        for (location, code) in others.zip(1..) {
            codes.insert(location, code);
        }
        // One more code than locations: the sink.
        let sink = cfa.locations.len() as u64;
        let width = u64::BITS - sink.leading_zeros();
        let all = execute_all(pool, cfa);
        let mut circuit = Circuit {
            system: TransitionSystem::new(),
            pool,
            words: Words::new(pool, &terms(cfa, &all)),
            blaster: Blaster::with_limit(gates),
            codes,
            bits: Vec::new(),
            moves: ArenaMap::default(),
            live: live_variables(pool, cfa)
                .iter()
                .map(|(location, live)| (location, live.iter().copied().collect()))
                .collect(),
            error,
        };
        let counter = pool.fresh_var("pc", Sort::BitVec(width));
        let next = circuit.steps(cfa, all, counter, pool.bv(sink, width))?;
        circuit.assemble(counter, next)?;
        Ok(circuit)
    }

    /// Whether the circuit has runs that the automaton need not have, because elements of arrays are
    /// left open.
    pub fn has_more_runs(&self) -> bool {
        self.words.leave_open()
    }

    fn at(&self, counter: Term, location: LocationId) -> Term {
        let code = self.pool.bv(self.codes[location], self.pool.width(counter));
        self.pool.eq(counter, code)
    }

    /// The next value of the program counter and of every variable.
    fn steps(
        &mut self,
        cfa: &Cfa,
        all: All,
        counter: Term,
        sink: Term,
    ) -> Result<Vec<Next>, SynthError> {
        let pool = self.pool;
        let mut arrivals: ArenaMap<LocationId, Vec<Term>> = ArenaMap::default();
        let mut next: BTreeMap<Term, Term> =
            cfa.variables.keys().map(|&variable| (variable, variable)).collect();
        let mut next_counter = sink;
        for (location, leaving) in all {
            let at = self.at(counter, location);
            let mut moves = Vec::new();
            let mut target = sink;
            for executed in leaving {
                let code = pool.bv(self.codes[executed.to], pool.width(counter));
                target = pool.ite(executed.taken, code, target);
                let here = pool.and([at, executed.taken]);
                arrivals.entry(executed.to).or_default().push(here);
                for (variable, value) in executed.state.entries() {
                    if let Some(next) = next.get_mut(&variable) {
                        *next = pool.ite(here, value, *next);
                    }
                }
                let condition = self.words.expand(executed.taken)?;
                let taken = self.blaster.bool(pool, condition)?;
                moves.push(Move { edge: executed.edge, taken, trail: executed.trail });
            }
            self.moves.insert(location, moves);
            next_counter = pool.ite(at, target, next_counter);
        }
        let arrivals: Vec<(LocationId, Term)> =
            arrivals.iter().map(|(to, ways)| (to, pool.or(ways.iter().copied()))).collect();
        let tru = pool.tru();
        let mut all =
            vec![Next { variable: counter, value: next_counter, live: tru, from_start: false }];
        for (variable, value) in next {
            let is_live = |location: LocationId| self.live[location].contains(&variable);
            let live = match arrivals.iter().all(|(to, _)| is_live(*to)) {
                true => tru,
                false => {
                    pool.or(arrivals.iter().filter(|(to, _)| is_live(*to)).map(|(_, way)| *way))
                }
            };
            let from_start = cfa.initial.is_some_and(is_live);
            all.push(Next { variable, value, live, from_start });
        }
        Ok(all)
    }

    /// Makes latches of the cells of all variables, and inputs of the rest.
    fn assemble(&mut self, counter: Term, next: Vec<Next>) -> Result<(), SynthError> {
        let pool = self.pool;
        let bad = self.at(counter, self.error);
        let mut latches: Vec<(Edge, Edge, Init)> = Vec::new();
        for Next { variable, value, live, from_start } in next {
            let init = if from_start { Init::Free } else { Init::Zero };
            let live = self.words.expand(live)?;
            let values = self.words.contents(variable, value)?;
            let cells: Vec<Cell> = self.words.cells(variable)?.to_vec();
            for (cell, value) in cells.into_iter().zip(values) {
                let now = self.blaster.bits(pool, cell.variable)?;
                let zero = pool.constant(default_value(pool, pool.sort(value)));
                let then = self.blaster.bits(pool, pool.ite(live, value, zero))?;
                let is_bool = pool.sort(cell.variable) == Sort::Bool;
                for (bit, (now, then)) in (0..).zip(now.into_iter().zip(then)) {
                    latches.push((now, then, init));
                    self.bits.push(match variable == counter {
                        true => Bit::Counter(bit),
                        false => {
                            let (observe, bit) = (cell.observe, (!is_bool).then_some(bit));
                            Bit::Cell { variable, observe, bit }
                        }
                    });
                }
            }
        }
        let bad = self.blaster.bool(pool, bad)?;
        let system = &mut self.system;
        system.aig = self.blaster.aig().clone();
        for (state, next, init) in latches {
            system.latches.push(Latch { state, next, init, name: None });
        }
        let is_latch: FxHashSet<Edge> = system.latches.iter().map(|latch| latch.state).collect();
        let inputs = system.aig.inputs().filter(|input| !is_latch.contains(input));
        system.inputs = inputs.map(Signal::unnamed).collect();
        system.bads.push(Signal::unnamed(bad));
        Ok(())
    }

    /// The invariant that clauses over latches say, by location.
    pub fn lift_invariant(&self, cfa: &Cfa, clauses: &[Clause]) -> Invariant {
        let mut invariant = Invariant::default();
        for (location, _) in cfa.locations.iter().filter(|(id, _)| *id != self.error) {
            let formulas = clauses.iter().filter_map(|clause| self.formula(location, clause));
            invariant.at.insert(location, formulas.collect());
        }
        invariant
    }

    /// What a clause says at a location; none if it says nothing.
    fn formula(&self, location: LocationId, clause: &Clause) -> Option<Term> {
        let pool = self.pool;
        let mut literals = Vec::new();
        for literal in clause {
            let is_set = self.is_set(location, literal.latch);
            match pool.as_bool(is_set) {
                Some(value) if value == literal.value => return None,
                Some(_) => {}
                None => literals.push(if literal.value { is_set } else { pool.not(is_set) }),
            }
        }
        Some(pool.or(literals))
    }

    /// The invariant that a formula over latches says, by location; none if it would have more than `most`
    /// connectives. `graph` has the formula, and `latch` says which latch of the circuit an input of it
    /// stands for; what other inputs are does not matter to the formula.
    pub fn lift_formula(
        &self,
        cfa: &Cfa,
        (graph, root): (&Aig, Edge),
        latch: impl Fn(Edge) -> Option<usize>,
        most: usize,
    ) -> Option<Invariant> {
        let mut needed = vec![false; graph.len()];
        needed[root.node()] = true;
        for index in (0..graph.len()).rev().filter(|index| *index <= root.node()) {
            if let (true, Node::And(left, right)) = (needed[index], graph.node(index)) {
                needed[left.node()] = true;
                needed[right.node()] = true;
            }
        }
        let parts: Vec<usize> = (0..graph.len()).filter(|index| needed[*index]).collect();
        let pool = self.pool;
        let mut invariant = Invariant::default();
        let mut made = 0;
        for (location, _) in cfa.locations.iter().filter(|(id, _)| *id != self.error) {
            let mut terms = vec![pool.fls(); graph.len()];
            let of = |terms: &[Term], edge: Edge| match edge.is_inverted() {
                true => pool.not(terms[edge.node()]),
                false => terms[edge.node()],
            };
            for &index in &parts {
                terms[index] = match graph.node(index) {
                    Node::False => pool.fls(),
                    Node::Input => match latch(Edge::new(index, false)) {
                        Some(latch) => self.is_set(location, latch),
                        None => pool.fls(),
                    },
                    Node::And(left, right) => pool.and([of(&terms, left), of(&terms, right)]),
                };
            }
            invariant.at.insert(location, conjuncts(pool, of(&terms, root)));
            made += parts.iter().filter(|part| pool.as_bool(terms[**part]).is_none()).count();
            if made > most {
                return None;
            }
        }
        Some(invariant)
    }

    /// What it means at a location that a latch is set.
    fn is_set(&self, location: LocationId, latch: usize) -> Term {
        match self.bits[latch] {
            Bit::Counter(bit) => self.pool.bool(self.codes[location] >> bit & 1 == 1),
            // It is zero in the circuit, and whatever it is in the program does not matter.
            Bit::Cell { variable, .. } if !self.live[location].contains(&variable) => {
                self.pool.fls()
            }
            Bit::Cell { observe, bit, .. } => self.holds(observe, bit),
        }
    }

    /// What a search that did not end has come to, by location: each clause with its frame.
    pub fn lift_unfinished(&self, cfa: &Cfa, clauses: &[(usize, Clause)]) -> Unfinished {
        let mut unfinished = Unfinished::default();
        let inner = |id: &LocationId| *id != self.error && Some(*id) != cfa.initial;
        for location in cfa.locations.iter().map(|(id, _)| id).filter(inner) {
            let formula =
                |(frame, clause): &(usize, Clause)| Some((*frame, self.formula(location, clause)?));
            unfinished.at.insert(location, clauses.iter().filter_map(formula).collect());
        }
        unfinished
    }

    /// Formulas of locations as clauses over latches, in their order, as far as they are clauses over
    /// bits. What several locations have is perhaps a clause without the program counter.
    pub fn lower(&self, formulas: &[(LocationId, Term)]) -> Vec<Clause> {
        let literals = self.literals();
        let mut first: FxHashMap<Term, LocationId> = FxHashMap::default();
        let mut everywhere: FxHashSet<Term> = FxHashSet::default();
        for (location, formula) in formulas {
            if first.entry(*formula).or_insert(*location) != location {
                everywhere.insert(*formula);
            }
        }
        let mut clauses = Vec::new();
        for (location, formula) in formulas {
            let parts = disjuncts(self.pool, *formula);
            let clause: Option<Clause> = parts.iter().map(|l| literals.get(l).copied()).collect();
            let Some(mut clause) = clause else { continue };
            if everywhere.remove(formula) {
                clauses.push(clause.clone());
            }
            let code = self.codes[*location];
            clause.extend(self.bits.iter().enumerate().filter_map(|(latch, bit)| match bit {
                Bit::Counter(bit) => Some(LatchLit::new(latch, code >> bit & 1 == 0)),
                Bit::Cell { .. } => None,
            }));
            clauses.push(clause);
        }
        clauses
    }

    /// What literals of latches say.
    fn literals(&self) -> FxHashMap<Term, LatchLit> {
        let mut literals = FxHashMap::default();
        for (latch, bit) in self.bits.iter().enumerate() {
            if let Bit::Cell { observe, bit, .. } = *bit {
                let holds = self.holds(observe, bit);
                literals.insert(holds, LatchLit::new(latch, true));
                literals.insert(self.pool.not(holds), LatchLit::new(latch, false));
            }
        }
        literals
    }

    /// The formula that says that a bit of a cell is set.
    fn holds(&self, observe: Term, bit: Option<u32>) -> Term {
        let pool = self.pool;
        match bit {
            None => observe,
            Some(bit) => pool.eq(pool.bv_extract(observe, bit, bit), pool.bv(1, 1)),
        }
    }

    /// The run of the automaton that a trace of the circuit follows. None if the trace does not
    /// follow edges to the error location, which a trace into the bad property does.
    pub fn lift_trace(&self, cfa: &Cfa, trace: &Trace) -> Option<Run> {
        let system = &self.system;
        let mut sources: FxHashMap<Edge, bool> = FxHashMap::default();
        let mut state: Vec<bool> = (system.latches.iter().zip(&trace.initial))
            .map(|(latch, value)| value.or(latch.init.value()).unwrap_or(false))
            .collect();
        let mut location = cfa.initial?;
        let mut steps = Vec::new();
        for inputs in &trace.inputs {
            if location == self.error {
                return Some(Run { steps });
            }
            sources.clear();
            sources.extend(system.latches.iter().zip(&state).map(|(l, v)| (l.state, *v)));
            let values = inputs.iter().map(|value| value.unwrap_or(false));
            sources.extend(system.inputs.iter().map(|input| input.edge).zip(values));
            let order: Vec<Edge> = system.aig.inputs().collect();
            let simulation = Simulation::simulate(&system.aig, |k| u64::from(sources[&order[k]]));
            let holds = |edge: Edge| simulation.word(edge) & 1 == 1;
            let taken = self.moves[location].iter().find(|step| holds(step.taken))?;
            let inputs = taken.trail.inputs(&mut |condition| self.bool(condition, &holds));
            let inputs = inputs.into_iter().map(|(id, input)| (id, self.value(input, &holds)));
            steps.push(Step { edge: taken.edge, inputs: inputs.collect() });
            location = cfa.edges[taken.edge].to;
            state = system.latches.iter().map(|latch| holds(latch.next)).collect();
        }
        (location == self.error).then_some(Run { steps })
    }

    /// A condition of a choice in a simulated step.
    fn bool(&self, condition: Term, holds: &dyn Fn(Edge) -> bool) -> bool {
        let value = |variable: Term| self.value(variable, holds);
        let variables = term::traverse::free_vars(self.pool, &[condition]);
        let values: FxHashMap<Term, Value> =
            variables.into_iter().map(|variable| (variable, value(variable))).collect();
        term::evaluate(self.pool, condition, &values) == Ok(Value::Bool(true))
    }

    /// The value of a variable (of the state or an input) in a simulated step.
    fn value(&self, variable: Term, holds: &dyn Fn(Edge) -> bool) -> Value {
        let pool = self.pool;
        let sort = pool.sort(variable);
        let cell = |cell: &Cell| {
            let sort = pool.sort(cell.variable);
            match self.blaster.is_blasted(cell.variable) {
                true => self.blaster.value(pool, cell.variable, holds),
                false => default_value(pool, sort),
            }
        };
        let Some(cells) = self.words.known_cells(variable) else {
            return default_value(pool, sort);
        };
        match (pool.array_parts(sort), self.words.shape(sort)) {
            (None, _) => read(pool, sort, cell(&cells[0])),
            (Some((_, element)), Ok(shape)) => {
                let values = cells.iter().map(|c| read(pool, element, cell(c)));
                let indices = shape.indices.iter().filter_map(|index| pool.value(*index).cloned());
                let default = default_value(pool, element);
                let entries = indices.zip(values).collect();
                Value::Array(Arc::new(ArrayValue::new(sort, default, entries)))
            }
            (Some(_), Err(_)) => default_value(pool, sort),
        }
    }
}

/// The way back from a circuit to the automaton.
#[derive(Clone, Copy)]
pub struct WayBack<'a> {
    circuit: &'a Circuit<'a>,
    cfa: &'a Cfa,
}

impl Circuit<'_> {
    /// The way back to the automaton. Where [`Circuit::has_more_runs`], the run that it makes of a
    /// trace may not get through its edges.
    ///
    /// Requires: this was made from `cfa`.
    pub fn back<'a>(&'a self, cfa: &'a Cfa) -> WayBack<'a> {
        WayBack { circuit: self, cfa }
    }
}

impl Back for WayBack<'_> {
    type Before = Cfa;
    type After = TransitionSystem;

    fn invariant(&self, clauses: Vec<Clause>) -> Option<Invariant> {
        Some(self.circuit.lift_invariant(self.cfa, &clauses))
    }

    fn run(&self, trace: Trace) -> Option<Run> {
        self.circuit.lift_trace(self.cfa, &trace)
    }
}

/// The value of a sort that a cell's bits stand for.
fn read(pool: &Pool, sort: Sort, cell: Value) -> Value {
    match (sort, cell) {
        (Sort::Float(format), Value::Bits(bits)) => {
            Value::Float(value::Float::from_bits(format, &bits))
        }
        (Sort::RoundingMode, Value::Bits(bits)) => {
            let code = (0..3).map(|k| usize::from(bits.bit(k)) << k).sum::<usize>();
            let modes = value::Rounding::ALL;
            Value::Rounding(modes.get(code).copied().unwrap_or(value::Rounding::TowardZero))
        }
        (_, value) => {
            debug_assert_eq!(pool.sort(pool.constant(value.clone())), sort);
            value
        }
    }
}
