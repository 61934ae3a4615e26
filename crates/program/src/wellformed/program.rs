//! What holds of every program that a front end delivers.

use crate::program::{Body, Callee, Function, Instruction, Program, VariableId};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use term::{Op, Sort, Term, traverse};

/// Checks the promises of [`Program`]: sorts fit, names are unique, locations exist, calls match
/// their callees, and terms speak of registers and static addresses only. Says which promise is
/// broken, and where.
pub fn check(program: &Program) -> Result<(), String> {
    let checker = Checker::new(program)?;
    for (_, function) in program.functions.iter() {
        let at = |what: String| format!("{}: {what}", function.name);
        checker.function(function).map_err(at)?;
    }
    let start = &program.functions[program.start];
    if !start.parameters.is_empty() || start.body.is_none() {
        return Err("the start is a function without parameters and with a body".into());
    }
    checker.objects()
}

struct Checker<'p> {
    program: &'p Program,
    addresses: FxHashSet<Term>,
    globals: FxHashSet<Term>,
}

/// What the terms of a function may speak of.
struct Scope {
    variables: FxHashSet<Term>,
    /// Terms that were looked at: large terms share most of their parts.
    seen: RefCell<FxHashSet<Term>>,
}

impl<'p> Checker<'p> {
    fn new(program: &'p Program) -> Result<Checker<'p>, String> {
        let mut globals = FxHashSet::default();
        let mut names = FxHashSet::default();
        for (_, variable) in program.variables.iter() {
            if program.pool.sort(variable.term) != variable.sort {
                return Err(format!("variable {:?} has another sort than its term", variable.name));
            }
            let name = program.pool.var_name(variable.term).unwrap_or("");
            if name.is_empty() || !names.insert(name) {
                return Err(format!("'{name}' is not the name of one variable"));
            }
            if variable.function.is_none() {
                globals.insert(variable.term);
            }
        }
        let objects = program.objects.iter().map(|(_, o)| o.address);
        let functions = program.functions.iter().filter_map(|(_, f)| f.address);
        Ok(Checker { program, addresses: objects.chain(functions).collect(), globals })
    }

    fn objects(&self) -> Result<(), String> {
        for (_, object) in self.program.objects.iter() {
            if !self.program.addresses.contains_key(&object.address) {
                return Err(format!("object '{}' has no number", object.name));
            }
            let mut end = 0;
            for &(offset, term) in &object.initial {
                let size = self.size(term).ok_or("an initial value that is not stored")?;
                if offset < end || offset + size > object.size {
                    return Err(format!(
                        "initial values of '{}' overlap or stick out",
                        object.name
                    ));
                }
                end = offset + size;
                let free = traverse::free_vars(&self.program.pool, &[term]);
                if !free.iter().all(|v| self.addresses.contains(v)) {
                    return Err(format!("an initial value of '{}' is no constant", object.name));
                }
            }
        }
        Ok(())
    }

    /// The bytes that a value takes.
    fn size(&self, term: Term) -> Option<u64> {
        match self.program.pool.sort(term) {
            Sort::BitVec(width) if width % 8 == 0 => Some(u64::from(width / 8)),
            Sort::Float(format) if format.width() % 8 == 0 => Some(u64::from(format.width() / 8)),
            _ => None,
        }
    }

    fn function(&self, function: &Function) -> Result<(), String> {
        let Some(body) = &function.body else { return Ok(()) };
        let scope = self.scope(function);
        for location in [body.entry, body.exit] {
            if location.into_raw().into_u32() as usize >= body.locations.len() {
                return Err("a location that does not exist".into());
            }
        }
        self.edges(body, &scope)
    }

    /// The variables that a function's terms may speak of.
    fn scope(&self, function: &Function) -> Scope {
        let id = self.program.functions.iter().find(|(_, f)| std::ptr::eq(*f, function));
        let id = id.map(|(id, _)| id);
        let own = self.program.variables.iter().filter(|(_, v)| v.function == id);
        let own = own.map(|(_, v)| v.term);
        let others = self.globals.iter().chain(&self.addresses).copied();
        Scope { variables: own.chain(others).collect(), seen: RefCell::default() }
    }

    fn edges(&self, body: &Body, scope: &Scope) -> Result<(), String> {
        let count = body.locations.len();
        for (_, edge) in body.edges.iter() {
            let ends = [edge.from, edge.to];
            if ends.iter().any(|l| l.into_raw().into_u32() as usize >= count) {
                return Err(format!("{}: a location that does not exist", edge.place));
            }
            if edge.from == body.exit {
                return Err(format!("{}: an edge leaves the exit", edge.place));
            }
            let wrong = |what: String| format!("{}: {:?}: {what}", edge.place, edge.instruction);
            self.instruction(&edge.instruction, scope).map_err(wrong)?;
        }
        Ok(())
    }

    fn sort(&self, variable: VariableId) -> Sort {
        self.program.variables[variable].sort
    }

    fn variable(&self, variable: VariableId, scope: &Scope) -> Result<(), String> {
        let variable = &self.program.variables[variable];
        let known = scope.variables.contains(&variable.term);
        if known { Ok(()) } else { Err("a register of another function".into()) }
    }

    fn term(&self, term: Term, sort: Sort, scope: &Scope) -> Result<(), String> {
        let found = self.program.pool.sort(term);
        if found != sort {
            return Err(format!("{sort:?} is needed, {found:?} is given"));
        }
        self.known(term, scope)
    }

    fn known(&self, term: Term, scope: &Scope) -> Result<(), String> {
        let pool = &self.program.pool;
        let mut seen = scope.seen.borrow_mut();
        let mut todo = vec![term];
        while let Some(term) = todo.pop() {
            if !seen.insert(term) {
                continue;
            }
            if matches!(pool.op(term), Op::Var(_)) && !scope.variables.contains(&term) {
                let name = pool.var_name(term).unwrap_or("?");
                return Err(format!("'{name}' is no register of the function"));
            }
            todo.extend(pool.args(term));
        }
        Ok(())
    }

    fn instruction(&self, instruction: &Instruction, scope: &Scope) -> Result<(), String> {
        let word = Sort::BitVec(self.program.pointer_width);
        let words = |terms: &[Term]| terms.iter().try_for_each(|t| self.term(*t, word, scope));
        let stored = |sort: Sort| match sort {
            Sort::BitVec(width) if width % 8 == 0 => Ok(()),
            Sort::Float(format) if format.width() % 8 == 0 => Ok(()),
            sort => Err(format!("{sort:?} in memory")),
        };
        match instruction {
            Instruction::Skip => Ok(()),
            Instruction::Assume(formula) | Instruction::Check(_, formula) => {
                self.term(*formula, Sort::Bool, scope)
            }
            Instruction::Assign(variable, term) => {
                self.variable(*variable, scope)?;
                self.term(*term, self.sort(*variable), scope)
            }
            Instruction::Havoc(variable, cause) => {
                self.variable(*variable, scope)?;
                let sort = self.sort(*variable);
                cause.terms().iter().try_for_each(|term| self.term(*term, sort, scope))
            }
            Instruction::Load { into, address } => {
                self.variable(*into, scope)?;
                stored(self.sort(*into))?;
                words(&[*address])
            }
            Instruction::Written { into, address, size } => {
                self.variable(*into, scope)?;
                if self.sort(*into) != Sort::Bool || *size == 0 {
                    return Err("whether bytes were written is a truth value".into());
                }
                words(&[*address])
            }
            Instruction::Store { address, value } => {
                words(&[*address])?;
                stored(self.program.pool.sort(*value))?;
                self.known(*value, scope)
            }
            Instruction::Allocate { into, size, align, .. } => {
                self.variable(*into, scope)?;
                if self.sort(*into) != word || !align.is_power_of_two() {
                    return Err("an allocation gives an aligned address".into());
                }
                words(&[*size])
            }
            Instruction::Measure { into, address, .. } => {
                self.variable(*into, scope)?;
                if self.sort(*into) != word {
                    return Err("a number of bytes has the width of addresses".into());
                }
                words(&[*address])
            }
            Instruction::Free { address, .. } => words(&[*address]),
            Instruction::Copy { to, from, length } => words(&[*to, *from, *length]),
            Instruction::Fill { to, byte, length } => {
                words(&[*to, *length])?;
                self.term(*byte, Sort::BitVec(8), scope)
            }
            Instruction::HavocBytes { address, length, .. } => words(&[*address, *length]),
            Instruction::Call { callee, arguments, results } => {
                arguments.iter().try_for_each(|a| self.known(*a, scope))?;
                results.iter().try_for_each(|r| self.variable(*r, scope))?;
                self.call(callee, arguments, results, scope)
            }
        }
    }

    fn call(
        &self,
        callee: &Callee,
        arguments: &[Term],
        results: &[VariableId],
        scope: &Scope,
    ) -> Result<(), String> {
        let callee = match callee {
            Callee::Pointer(pointer) => {
                return self.term(*pointer, Sort::BitVec(self.program.pointer_width), scope);
            }
            Callee::Function(function) => &self.program.functions[*function],
        };
        let given = arguments.iter().map(|a| self.program.pool.sort(*a));
        if !given.eq(callee.parameters.iter().map(|p| self.sort(*p))) {
            return Err(format!("arguments don't fit the parameters of {}", callee.name));
        }
        let taken = results.iter().map(|r| self.sort(*r));
        let delivered = callee.results.iter().map(|r| self.sort(*r));
        if results.len() > callee.results.len() || !taken.eq(delivered.take(results.len())) {
            return Err(format!("results don't fit those of {}", callee.name));
        }
        Ok(())
    }
}
