//! Initialized variables [Lan18 §5.1.2]: a declared variable has any value until it is assigned, and
//! most are assigned before they are read. The unknown first value of such a variable goes.
//!
//! A register is initialized where it is read if it is not live where it is declared
//! ([`crate::liveness`]). Nobody reads the value that the declaration gives it: a run with it is one
//! without it, and the other way round. The pass works on functions before they are inlined, so proofs
//! are checked on an automaton that has no such value, and a run is replayed with any.

use crate::liveness::dead_havocs;
use crate::minimize::{Pass, PassStatistics, Size};
use crate::program::{Body, Cause, EdgeId, FunctionId, Instruction, Program};
use rustc_hash::FxHashSet;

/// The instructions that give a register an unknown first value which nobody reads.
#[derive(Default)]
pub(super) struct Unread(FxHashSet<(FunctionId, EdgeId)>);

fn is_first_value(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Havoc(_, Cause::Uninitialized))
}

impl Unread {
    /// Those of a program.
    pub fn find(program: &Program) -> Unread {
        let mut unread = dead_havocs(program);
        unread.retain(|(function, edge)| {
            is_first_value(&program.functions[*function].body().edges[*edge].instruction)
        });
        Unread(unread)
    }

    pub fn contains(&self, site: (FunctionId, EdgeId)) -> bool {
        self.0.contains(&site)
    }

    /// How large the program is, and how large it is without them.
    pub fn statistics(&self, program: &Program) -> PassStatistics {
        let bodies: Vec<&Body> =
            program.functions.values().filter_map(|function| function.body.as_ref()).collect();
        let edges = || bodies.iter().flat_map(|body| body.edges.values());
        let before = Size {
            locations: bodies.iter().map(|body| body.locations.len()).sum(),
            edges: edges().count(),
            variables: program.variables.len(),
            terms: edges().filter(|edge| is_first_value(&edge.instruction)).count(),
        };
        let gone = self.0.len();
        let after = Size { edges: before.edges - gone, terms: before.terms - gone, ..before };
        PassStatistics { pass: Pass::Initialized, before, after }
    }
}
