//! Bounds of the state that hold wherever a cycle begins, as far as a solver says.
//!
//! The ranges that runs have seen are the first guess. A cycle is executed on terms from any state within
//! them; a bound that it may leave is moved to the next number that the program knows, and given up after a
//! few times, until all are kept: an abstract interpretation with thresholds (P. and R. Cousot: *Comparison
//! of the Galois Connection and Widening/Narrowing Approaches*, PLILP 1992), whose step is a question to a
//! solver and not a transfer function for each operator. Memory is taken to be what it was in all states that
//! were seen alike, and pointers to be where they were.
//!
//! What comes of it is a guess: it is handed to the engines as formulas that may hold, and what it excludes
//! is excluded once they have a proof that is accepted.

use super::beginning::from_states;
use super::{CONFLICTS, Directed, STATES, bounds};
use crate::explore::Explorer;
use crate::explore::domain::from_double;
use crate::order::Range;
use crate::probes::{Event, Probed, State};
use crate::prove::{Prover, place_of};
use answer::Allowance;
use portable::Lemmas;
use portable::names::{Name, Path};
use program::program::{Edge, Instruction, Location, Program};
use program::{Place, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use symex::each::possible;
use term::{Op, Pool, Sort, Term, Value};
use value::{Bits, Float};

/// How often a bound is moved before it is given up.
const MOVES: u32 = 5;
/// How often a cycle is asked about.
const ROUNDS: usize = 24;
/// How much a number may be off that a computation comes near to, for floats.
const OFF: [f64; 3] = [1e-6, 1e-3, 0.1];

/// A bound of a register, as a number in its order.
#[derive(Clone, Copy, Debug)]
struct Bound {
    number: u64,
    moves: u32,
}

/// The bounds of a register.
#[derive(Clone, Copy, Default, Debug)]
struct Bounded {
    least: Option<Bound>,
    most: Option<Bound>,
}

/// Bounds that a cycle keeps.
#[derive(Clone, Debug)]
pub struct Hull(Vec<Bounded>);

impl Hull {
    fn new(ranges: &[Option<Range>], states: &[State]) -> Hull {
        let bound = |number: u64| Some(Bound { number, moves: 0 });
        let of = |(range, state): (&Option<Range>, &State)| match range {
            Some(Range { least, most }) if !state.address => {
                Bounded { least: bound(*least), most: bound(*most) }
            }
            _ => Bounded::default(),
        };
        Hull(ranges.iter().zip(states).map(of).collect())
    }

    /// What it says of each register, as formulas over it.
    fn formulas(&self, pool: &Pool, states: &[State]) -> Vec<(usize, Term)> {
        let mut all = Vec::new();
        for (number, (bounded, state)) in self.0.iter().zip(states).enumerate() {
            let sides = [(bounded.least, true), (bounded.most, false)];
            for (side, (bound, below)) in sides.into_iter().enumerate() {
                let Some(bound) = bound else { continue };
                let constant = pool.constant(value_of(*state, bound.number));
                let (a, b) = if below { (constant, state.term) } else { (state.term, constant) };
                let formula = match state.sort {
                    Sort::Bool => pool.implies(a, b),
                    Sort::Float(_) => pool.make(Op::FpLeq, &[a, b]),
                    _ if state.signed => pool.bv_sle(a, b),
                    _ => pool.bv_ule(a, b),
                };
                if pool.as_bool(formula) != Some(true) {
                    all.push((2 * number + side, formula));
                }
            }
        }
        all
    }

    /// Moves the bounds that a cycle may leave; what there is to move to is by sort.
    fn widen(&mut self, left: &FxHashSet<usize>, states: &[State], stops: &Stops) {
        for &place in left {
            let (number, lower) = (place / 2, place % 2 == 0);
            let bounded = &mut self.0[number];
            let side = if lower { &mut bounded.least } else { &mut bounded.most };
            let Some(bound) = *side else { continue };
            let state = states[number];
            let stops = stops.get(&(state.sort, state.signed)).map_or(&[][..], |all| &all[..]);
            let at = stops.partition_point(|stop| *stop < bound.number);
            let next = match lower {
                true => at.checked_sub(1).map(|at| stops[at]),
                false => stops[at..].iter().copied().find(|stop| *stop > bound.number),
            };
            *side = next
                .filter(|_| bound.moves < MOVES)
                .map(|number| Bound { number, moves: bound.moves + 1 });
        }
    }

    /// What it says, for questions about automata: first of what is no float, which is soon known to hold.
    pub fn lemmas(&self, probed: &Probed) -> Vec<Lemmas> {
        let pool = &probed.program.pool;
        let names = names(probed);
        let known = |(place, formula): (usize, Term)| {
            let state = &probed.states[place / 2];
            Some(((names.get(&state.term)?.clone(), state.term), formula))
        };
        let formulas = self.formulas(pool, &probed.states).into_iter().filter_map(known);
        let is_float =
            |((_, term), _): &((Name, Term), Term)| matches!(pool.sort(*term), Sort::Float(_));
        let (floats, others): (Vec<_>, Vec<_>) = formulas.partition(is_float);
        let parts = [others, floats].into_iter().filter(|part| !part.is_empty());
        parts.map(|part| Lemmas::guessed(pool, &part)).collect()
    }
}

/// Numbers to which bounds are moved, by sort and sign, in order.
type Stops = FxHashMap<(Sort, bool), Vec<u64>>;

impl Directed<'_> {
    /// Bounds that a cycle keeps, if they are found in time.
    pub fn hull(
        &self,
        prover: &Prover<'_>,
        explorer: &Explorer<'_>,
        allowance: &Allowance,
    ) -> Option<Hull> {
        let states = &self.probed.states;
        let mut hull = Hull::new(&explorer.ranges(), states);
        let stops = stops(explorer, states);
        let question = prover.question(&[]);
        for _ in 0..ROUNDS {
            let formulas = hull.formulas(&question.pool, states);
            let program = self.begun_in_hull(question.clone(), explorer, &formulas)?;
            let (program, count) = (self.leaving(program, &formulas)?, formulas.len());
            let left = self.may_fail(program, allowance.clone())?;
            if allowance.exhausted().is_some() {
                return None;
            }
            let failed = (0..count).filter(|number| left.contains(&place_of(*number)));
            let failed: FxHashSet<usize> = failed.map(|number| formulas[number].0).collect();
            if failed.is_empty() {
                return Some(hull);
            }
            hull.widen(&failed, states, &stops);
        }
        None
    }

    /// The events that no cycle shows from a state within the bounds.
    pub fn excluded_by(
        &self,
        hull: &Hull,
        prover: &Prover<'_>,
        events: &[Event],
        explorer: &Explorer<'_>,
        allowance: &Allowance,
    ) -> Option<Vec<Event>> {
        let mut left = events.to_vec();
        // A run ends at the first event that it shows: what lies behind is asked about without that.
        while !left.is_empty() {
            let question = prover.questions(&left);
            let formulas = hull.formulas(&question.pool, &self.probed.states);
            let program = self.begun_in_hull(question, explorer, &formulas)?;
            let possible = self.may_fail(program, allowance.clone())?;
            if allowance.exhausted().is_some() {
                return None;
            }
            let (before, mut number) = (left.len(), 0..);
            left.retain(|_| !number.next().is_some_and(|n| possible.contains(&place_of(n))));
            if left.len() == before {
                break;
            }
        }
        Some(left)
    }

    /// The program that executes one cycle from a state of which formulas hold.
    fn begun_in_hull(
        &self,
        question: Program,
        explorer: &Explorer<'_>,
        formulas: &[(usize, Term)],
    ) -> Option<Program> {
        let states = explorer.states(STATES);
        let formulas: Vec<Term> = formulas.iter().map(|(_, formula)| *formula).collect();
        // Where pointers point is as in the states that were seen.
        let numbers = self.probed.states.iter().filter(|state| !state.address);
        let unknown = numbers.map(|state| state.term).collect();
        let snapshots: Vec<_> = states.iter().map(|(_, state)| *state).collect();
        let interpreter = states.first()?.0;
        from_states(question, self.probed, interpreter, &snapshots, 1, Some(&(unknown, formulas)))
    }

    /// The same, with checks of formulas where the next cycle begins.
    fn leaving(&self, mut program: Program, formulas: &[(usize, Term)]) -> Option<Program> {
        let (function, cycle) = self.probed.cycle?;
        let body = program.functions[function].body.as_mut()?;
        for (number, (_, formula)) in formulas.iter().enumerate() {
            let to = body.locations.alloc(Location::default());
            let from = std::mem::replace(&mut body.edges[cycle].from, to);
            let instruction = Instruction::Check(Property::DeadCode, *formula);
            body.edges.alloc(Edge { from, to, instruction, place: place_of(number) });
        }
        Some(program)
    }

    fn may_fail(&self, program: Program, allowance: Allowance) -> Option<FxHashSet<Place>> {
        let bounds = bounds(&program, allowance);
        let properties = [Property::DeadCode];
        source::with_deep_stack(move || {
            possible(&program, &properties, bounds, &icp::Solvers, CONFLICTS).ok()
        })
    }
}

/// The numbers that the program computes with, and those a little beside them for floats.
fn stops(explorer: &Explorer<'_>, states: &[State]) -> Stops {
    let constants = explorer.constants();
    let mut stops = Stops::default();
    for state in states {
        let key = (state.sort, state.signed);
        if stops.contains_key(&key) {
            continue;
        }
        let known = constants.get(&state.sort).map_or(&[][..], |words| &words[..]);
        let mut all: Vec<u64> = known.iter().filter_map(|word| state.number(*word)).collect();
        if matches!(state.sort, Sort::Float(_)) {
            for double in known.iter().map(|word| state.double(*word)) {
                for off in OFF {
                    let near = [double * (1.0 + off), double * (1.0 - off), -double];
                    let words = near.map(|near| from_double(near, state.sort));
                    all.extend(words.iter().filter_map(|word| state.number(*word)));
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        stops.insert(key, all);
    }
    stops
}

/// A number in the order of a register as a value.
fn value_of(state: State, number: u64) -> Value {
    let word = state.of_number(number);
    match state.sort {
        Sort::Bool => Value::Bool(word != 0),
        Sort::Float(format) => {
            Value::Float(Float::from_bits(format, &Bits::from_u64(format.width(), word)))
        }
        Sort::BitVec(width) => Value::Bits(Bits::from_u64(width, word)),
        _ => Value::Bool(false),
    }
}

/// The names of registers that no other one has.
fn names(probed: &Probed) -> FxHashMap<Term, Name> {
    let mut by_name: FxHashMap<&str, Vec<Term>> = FxHashMap::default();
    for variable in probed.program.variables.values() {
        if let (Some(name), None) = (&variable.name, variable.function) {
            by_name.entry(name).or_default().push(variable.term);
        }
    }
    let alone = by_name.into_iter().filter_map(|(name, terms)| match terms[..] {
        [term] => Some((term, Name { path: Path::new(), name: name.to_owned(), number: 0 })),
        _ => None,
    });
    alone.collect()
}
