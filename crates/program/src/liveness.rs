//! Which havocs of a program nobody looks at: a declared register is unknown until it is assigned,
//! and most are assigned before they are read.
//!
//! The classical backward analysis of live variables, function by function: a register is live
//! where some path reads it before writing it. Results are live at the exit; global registers
//! everywhere.

use crate::program::{
    Body, Callee, EdgeId, Function, FunctionId, Instruction, Program, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::free_vars;
use term::{Pool, Term};

impl Instruction {
    /// The terms that it evaluates.
    pub fn reads(&self) -> Vec<Term> {
        match self {
            Instruction::Skip | Instruction::Havoc(..) => Vec::new(),
            Instruction::Assume(term) | Instruction::Assign(_, term) => vec![*term],
            Instruction::Check(_, term) => vec![*term],
            Instruction::Load { address, .. } | Instruction::Free { address, .. } => vec![*address],
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
            Instruction::Load { into, .. } | Instruction::Allocate { into, .. } => {
                std::slice::from_ref(into)
            }
            Instruction::Call { results, .. } => results,
            _ => &[],
        }
    }
}

/// The edges with a `Havoc` of a register that is not live afterwards.
pub fn dead_havocs(program: &Program) -> FxHashSet<(FunctionId, EdgeId)> {
    let local: FxHashMap<Term, VariableId> = program
        .variables
        .iter()
        .filter(|(_, variable)| variable.function.is_some())
        .map(|(id, variable)| (variable.term, id))
        .collect();
    let mut dead = FxHashSet::default();
    for (id, function) in program.functions.iter() {
        let Some(body) = &function.body else { continue };
        let havocs = body.edges.iter().filter_map(|(edge, step)| match &step.instruction {
            Instruction::Havoc(variable, _) if program.variables[*variable].function.is_some() => {
                Some((edge, step.to, *variable))
            }
            _ => None,
        });
        let havocs: Vec<_> = havocs.collect();
        if havocs.is_empty() {
            continue;
        }
        let asked: FxHashSet<VariableId> =
            havocs.iter().map(|(_, _, variable)| *variable).collect();
        let live = Live::of(&program.pool, function, body, &local, &asked);
        let unread = havocs.into_iter().filter(|(_, to, variable)| !live.contains(*to, *variable));
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
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); body.locations.len()];
        let mut steps = Vec::with_capacity(body.edges.len());
        for edge in body.edges.values() {
            into[index(edge.to)].push(steps.len());
            let written = edge.instruction.writes().iter();
            let written: Vec<usize> = written.filter_map(|v| number.get(v).copied()).collect();
            let read = free_vars(pool, &edge.instruction.reads());
            let read = read.iter().filter_map(|term| number.get(local.get(term)?).copied());
            steps.push((index(edge.from), index(edge.to), written, read.collect::<Vec<usize>>()));
        }
        let mut work: Vec<usize> = (0..steps.len()).collect();
        let mut queued = vec![true; steps.len()];
        let mut before = vec![0u64; words];
        while let Some(step) = work.pop() {
            queued[step] = false;
            let (from, to, written, read) = &steps[step];
            before.copy_from_slice(&bits[to * words..(to + 1) * words]);
            for n in written {
                before[n / 64] &= !(1 << (n % 64));
            }
            for n in read {
                before[n / 64] |= 1 << (n % 64);
            }
            let mut changed = false;
            for (there, new) in bits[from * words..(from + 1) * words].iter_mut().zip(&before) {
                changed |= *there | new != *there;
                *there |= new;
            }
            if changed {
                for &other in &into[*from] {
                    if !std::mem::replace(&mut queued[other], true) {
                        work.push(other);
                    }
                }
            }
        }
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
