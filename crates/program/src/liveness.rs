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
        let live = Live::of(&program.pool, function, body, &local);
        for (edge_id, edge) in body.edges.iter() {
            if let Instruction::Havoc(variable, _) = &edge.instruction
                && program.variables[*variable].function.is_some()
                && !live.0[index(edge.to)].contains(variable)
            {
                dead.insert((id, edge_id));
            }
        }
    }
    dead
}

/// The live local registers by location.
struct Live(Vec<FxHashSet<VariableId>>);

impl Live {
    fn of(
        pool: &Pool,
        function: &Function,
        body: &Body,
        local: &FxHashMap<Term, VariableId>,
    ) -> Live {
        let mut live = vec![FxHashSet::default(); body.locations.len()];
        live[index(body.exit)] = function.results.iter().copied().collect();
        let mut into: Vec<Vec<EdgeId>> = vec![Vec::new(); body.locations.len()];
        for (id, edge) in body.edges.iter() {
            into[index(edge.to)].push(id);
        }
        let mut work: Vec<EdgeId> = body.edges.iter().map(|(id, _)| id).collect();
        while let Some(id) = work.pop() {
            let edge = &body.edges[id];
            let mut before = live[index(edge.to)].clone();
            for written in edge.instruction.writes() {
                before.remove(written);
            }
            let read = free_vars(pool, &edge.instruction.reads());
            before.extend(read.iter().filter_map(|term| local.get(term)));
            let from = index(edge.from);
            let known = live[from].len();
            live[from].extend(before);
            if live[from].len() > known {
                work.extend(&into[from]);
            }
        }
        Live(live)
    }
}

fn index(location: crate::program::LocationId) -> usize {
    location.into_raw().into_u32() as usize
}
