//! Which functions call themselves, directly or by others.

use crate::Program;
use crate::program::{Callee, FunctionId, Instruction};
use crate::scc::components;
use rustc_hash::FxHashSet;

/// The functions on cycles of direct calls.
pub fn recursive(program: &Program) -> FxHashSet<FunctionId> {
    let number = |function: FunctionId| function.into_raw().into_u32() as usize;
    let mut calls = Vec::new();
    for ((function, _), edge) in program.edges() {
        if let Instruction::Call { callee: Callee::Function(callee), .. } = &edge.instruction {
            calls.push((function, *callee));
        }
    }
    let edges: Vec<(usize, usize)> =
        calls.iter().map(|(from, to)| (number(*from), number(*to))).collect();
    let component = components(program.functions.len(), &edges);
    let inside = calls.iter().filter(|(a, b)| component[number(*a)] == component[number(*b)]);
    inside.map(|(caller, _)| *caller).collect()
}
