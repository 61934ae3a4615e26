//! A copy of a program with its own pool.

use program::Program;
use program::program::{Callee, Function, Instruction, Object, Variable};
use rustc_hash::FxHashMap;
use term::traverse::{import, import_sort};
use term::{Pool, Term};

/// Copies terms from one pool to another.
pub(super) struct Copier<'a> {
    from: &'a Pool,
    done: FxHashMap<Term, Term>,
}

impl<'a> Copier<'a> {
    /// Nothing was copied yet.
    pub fn new(from: &'a Pool) -> Self {
        Copier { from, done: FxHashMap::default() }
    }

    /// The same term in another pool, always the same one.
    pub fn term(&mut self, term: Term, into: &Pool) -> Term {
        import(self.from, term, into, &mut self.done)
    }

    /// The same program.
    pub fn program(&mut self, program: &Program) -> Program {
        let pool = Pool::new();
        let mut variables = program.variables.clone();
        for (_, Variable { term, sort, .. }) in variables.iter_mut() {
            *term = self.term(*term, &pool);
            *sort = import_sort(self.from, *sort, &pool);
        }
        let mut objects = program.objects.clone();
        for (_, Object { address, initial, .. }) in objects.iter_mut() {
            *address = self.term(*address, &pool);
            for (_, term) in initial {
                *term = self.term(*term, &pool);
            }
        }
        let mut functions = program.functions.clone();
        for (_, Function { address, body, .. }) in functions.iter_mut() {
            *address = address.map(|term| self.term(term, &pool));
            for (_, edge) in body.iter_mut().flat_map(|body| body.edges.iter_mut()) {
                for term in terms(&mut edge.instruction) {
                    *term = self.term(*term, &pool);
                }
            }
        }
        let addresses = program.addresses.iter();
        let addresses =
            addresses.map(|(term, bits)| (self.term(*term, &pool), bits.clone())).collect();
        Program {
            pool,
            variables,
            objects,
            functions,
            start: program.start,
            pointer_width: program.pointer_width,
            addresses,
            assumptions: program.assumptions.clone(),
            undefined: program.undefined.clone(),
        }
    }
}

/// The terms of an instruction.
fn terms(instruction: &mut Instruction) -> Vec<&mut Term> {
    match instruction {
        Instruction::Skip | Instruction::Havoc(..) => Vec::new(),
        Instruction::Assume(term) | Instruction::Assign(_, term) | Instruction::Check(_, term) => {
            vec![term]
        }
        Instruction::Load { address, .. } | Instruction::Free { address, .. } => vec![address],
        Instruction::Store { address, value } => vec![address, value],
        Instruction::Allocate { size, .. } => vec![size],
        Instruction::Copy { to, from, length } => vec![to, from, length],
        Instruction::Fill { to, byte, length } => vec![to, byte, length],
        Instruction::HavocBytes { address, length, .. } => vec![address, length],
        Instruction::Call { callee, arguments, .. } => {
            let mut all: Vec<&mut Term> = arguments.iter_mut().collect();
            if let Callee::Pointer(term) = callee {
                all.push(term);
            }
            all
        }
    }
}
