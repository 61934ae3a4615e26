//! Which havocs of a program nobody looks at: a declared register is unknown until it is assigned,
//! and most are assigned before they are read.
//!
//! The classical backward analysis of live variables, function by function: a register is live
//! where some path reads it before writing it. Results are live at the exit; global registers
//! everywhere.

use crate::program::{
    Body, Callee, Edge, EdgeId, Function, FunctionId, Instruction, LocationId, Program, Variable,
    VariableId,
};
use la_arena::Arena;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use term::traverse::free_vars;
use term::{Pool, Term};

impl Instruction {
    /// The terms that it evaluates.
    pub fn reads(&self) -> Vec<Term> {
        match self {
            Instruction::Skip => Vec::new(),
            Instruction::Havoc(_, cause) => cause.terms().to_vec(),
            Instruction::Assume(term) | Instruction::Assign(_, term) => vec![*term],
            Instruction::Check(_, term) => vec![*term],
            Instruction::Load { address, .. }
            | Instruction::Written { address, .. }
            | Instruction::Free { address, .. }
            | Instruction::Measure { address, .. } => vec![*address],
            Instruction::Store { address, value } => vec![*address, *value],
            Instruction::Allocate { size, .. } => vec![*size],
            Instruction::Copy { to, from, length } => vec![*to, *from, *length],
            Instruction::Fill { to, byte, length } => vec![*to, *byte, *length],
            Instruction::HavocBytes { address, length, .. } => vec![*address, *length],
            Instruction::Call { callee, arguments, .. } => {
                let pointer = match callee {
                    Callee::Function(_) => None,
                    Callee::Pointer(address) => Some(*address),
                };
                arguments.iter().copied().chain(pointer).collect()
            }
        }
    }

    /// The registers that it writes.
    pub fn writes(&self) -> &[VariableId] {
        match self {
            Instruction::Assign(variable, _) | Instruction::Havoc(variable, _) => {
                std::slice::from_ref(variable)
            }
            Instruction::Load { into, .. }
            | Instruction::Written { into, .. }
            | Instruction::Allocate { into, .. }
            | Instruction::Measure { into, .. } => std::slice::from_ref(into),
            Instruction::Call { results, .. } => results,
            _ => &[],
        }
    }
}

/// The edges with a `Havoc` of a register that is not live afterwards.
pub fn dead_havocs(program: &Program) -> FxHashSet<(FunctionId, EdgeId)> {
    unread(program, &|instruction| match instruction {
        Instruction::Havoc(variable, _) => Some(*variable),
        _ => None,
    })
}

/// The edges that assign to a local register that is not live afterwards.
pub fn dead_assignments(program: &Program) -> FxHashSet<(FunctionId, EdgeId)> {
    unread(program, &|instruction| match instruction {
        Instruction::Assign(variable, _) => Some(*variable),
        _ => None,
    })
}

/// The registers that are live at a location of a graph under construction: that some path from there
/// reads before it writes them.
pub fn live_at<'e>(
    pool: &Pool,
    variables: &Arena<Variable>,
    edges: impl Iterator<Item = &'e Edge>,
    locations: usize,
    at: LocationId,
) -> Vec<VariableId> {
    let number: FxHashMap<Term, usize> =
        variables.iter().map(|(id, variable)| (variable.term, raw(id))).collect();
    let step = |edge: &Edge| Step {
        from: index(edge.from),
        to: index(edge.to),
        reads: free_vars(pool, &edge.instruction.reads())
            .iter()
            .filter_map(|term| number.get(term).copied())
            .collect(),
        writes: edge.instruction.writes().iter().map(|id| raw(*id)).collect(),
    };
    let steps: Vec<Step> = edges.map(step).collect();
    let words = variables.len().div_ceil(64);
    let mut bits = vec![0u64; locations * words];
    spread(&steps, (0..steps.len()).rev().collect(), words, &mut bits);
    let here = &bits[index(at) * words..];
    let live = |id: &VariableId| here[raw(*id) / 64] >> (raw(*id) % 64) & 1 == 1;
    variables.iter().map(|(id, _)| id).filter(live).collect()
}

fn raw(id: VariableId) -> usize {
    id.into_raw().into_u32() as usize
}

/// The edges that write a local register that is not live afterwards, of those that are asked about.
fn unread(
    program: &Program,
    written: &dyn Fn(&Instruction) -> Option<VariableId>,
) -> FxHashSet<(FunctionId, EdgeId)> {
    let local: FxHashMap<Term, VariableId> = program
        .variables
        .iter()
        .filter(|(_, variable)| variable.function.is_some())
        .map(|(id, variable)| (variable.term, id))
        .collect();
    let mut dead = FxHashSet::default();
    for (id, function) in program.functions.iter() {
        let Some(body) = &function.body else { continue };
        let writes = body.edges.iter().filter_map(|(edge, step)| {
            let variable = written(&step.instruction)?;
            let local = program.variables[variable].function.is_some();
            local.then_some((edge, step.to, variable))
        });
        let writes: Vec<_> = writes.collect();
        if writes.is_empty() {
            continue;
        }
        let asked: FxHashSet<VariableId> =
            writes.iter().map(|(_, _, variable)| *variable).collect();
        let live = Live::of(&program.pool, function, body, &local, &asked);
        let unread = writes.into_iter().filter(|(_, to, variable)| !live.contains(*to, *variable));
        dead.extend(unread.map(|(edge, _, _)| (id, edge)));
    }
    dead
}

/// Which of some local registers are live, by location.
struct Live {
    number: FxHashMap<VariableId, usize>,
    words: usize,
    bits: Vec<u64>,
}

impl Live {
    fn of(
        pool: &Pool,
        function: &Function,
        body: &Body,
        local: &FxHashMap<Term, VariableId>,
        asked: &FxHashSet<VariableId>,
    ) -> Live {
        let number: FxHashMap<VariableId, usize> =
            asked.iter().enumerate().map(|(n, variable)| (*variable, n)).collect();
        let words = number.len().div_ceil(64);
        let mut bits = vec![0u64; body.locations.len() * words];
        for n in function.results.iter().filter_map(|result| number.get(result)) {
            bits[index(body.exit) * words + n / 64] |= 1 << (n % 64);
        }
        let mut steps = Vec::with_capacity(body.edges.len());
        for edge in body.edges.values() {
            let written = edge.instruction.writes().iter();
            let written: Vec<usize> = written.filter_map(|v| number.get(v).copied()).collect();
            let read = free_vars(pool, &edge.instruction.reads());
            let read = read.iter().filter_map(|term| number.get(local.get(term)?).copied());
            let (from, to, reads) = (index(edge.from), index(edge.to), read.collect());
            steps.push(Step { from, to, reads, writes: written });
        }
        let order = (0..steps.len()).rev().collect();
        spread(&steps, order, words, &mut bits);
        Live { number, words, bits }
    }

    fn contains(&self, location: crate::program::LocationId, variable: VariableId) -> bool {
        let Some(n) = self.number.get(&variable) else { return false };
        self.bits[index(location) * self.words + n / 64] >> (n % 64) & 1 == 1
    }
}

fn index(location: crate::program::LocationId) -> usize {
    location.into_raw().into_u32() as usize
}

/// A step between locations, given by number, and the numbers of the variables it reads before it
/// writes any, and of those it writes.
pub(crate) struct Step {
    pub from: usize,
    pub to: usize,
    pub reads: Vec<usize>,
    pub writes: Vec<usize>,
}

/// Completes the sets of live variables: what is live after a step and not written by it, and what it
/// reads, is live before it. Each location has so many words of bits; steps are looked at in the order
/// given, and again when something changes after them.
pub(crate) fn spread(steps: &[Step], order: VecDeque<usize>, words: usize, bits: &mut [u64]) {
    let locations = steps.iter().map(|step| step.to + 1).max().unwrap_or(0);
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); locations];
    for (n, step) in steps.iter().enumerate() {
        into[step.to].push(n);
    }
    let mut pending = order;
    let mut queued = vec![true; steps.len()];
    let mut before = vec![0u64; words];
    while let Some(n) = pending.pop_front() {
        queued[n] = false;
        let Step { from, to, reads, writes } = &steps[n];
        before.copy_from_slice(&bits[to * words..(to + 1) * words]);
        for n in writes {
            before[n / 64] &= !(1 << (n % 64));
        }
        for n in reads {
            before[n / 64] |= 1 << (n % 64);
        }
        let mut changed = false;
        for (there, new) in bits[from * words..(from + 1) * words].iter_mut().zip(&before) {
            changed |= *there | new != *there;
            *there |= new;
        }
        if changed {
            for &other in into.get(*from).into_iter().flatten() {
                if !std::mem::replace(&mut queued[other], true) {
                    pending.push_back(other);
                }
            }
        }
    }
}
