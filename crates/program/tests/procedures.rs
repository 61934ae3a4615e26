//! Procedures that keep their calls: random programs with calls, recursion, global registers,
//! pointers to globals and to locals of open calls, and calls through pointers mean the same
//! whether calls are inlined before memory becomes variables, after it, or not at all; and that is
//! what the interpreter says.

mod builder;

use builder::{Code, call, declare, empty, input, object, register};
use program::explicit;
use program::interpret::{Interpreter, Oracle, Outcome, Part, Request};
use program::model::{self, Options};
use program::procedures::{Action, Callee, Procedures, procedures};
use program::program::{self as form, FunctionId, Program, Storage, VariableId};
use program::{Cfa, Instruction, Property};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;
use term::{Pool, Sort, Term, Value};
use value::Bits;

const WORD: Sort = Sort::BitVec(32);
const PAIR: Sort = Sort::BitVec(2);
/// The most configurations, states and runs that are looked at.
const LIMIT: usize = 2_000;

/// A function of a random program: `r = f(n, p)` with a number, a pointer to a word, and a word.
struct Parts {
    id: FunctionId,
    n: Term,
    p: Term,
    w: (VariableId, Term),
    m: (VariableId, Term),
    r: VariableId,
    /// Its local object, once there is one.
    local: Option<Term>,
    calls: usize,
}

struct Generator {
    random: StdRng,
    program: Program,
    globals: Vec<(VariableId, Term)>,
    words: Vec<Term>,
    functions: Vec<FunctionId>,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut program = empty();
        let mut words = Vec::new();
        for (name, size) in [("x", 4), ("y", 4), ("a", 16)] {
            let (_, address) = object(&mut program, name, size);
            for offset in (0..size).step_by(4) {
                words.push(program.pool.bv_add(address, program.pool.bv(offset, 32)));
            }
        }
        let globals = ["g", "h"].map(|name| register(&mut program, name, PAIR, None)).to_vec();
        let functions: Vec<FunctionId> =
            ["f0", "f1", "f2"].map(|name| declare(&mut program, name)).to_vec();
        for (k, &f) in functions.iter().enumerate() {
            let address = program.pool.var(&format!("&f{k}"), WORD);
            program.functions[f].address = Some(address);
            program.addresses.insert(address, Bits::from_u64(32, 0x9000 + 16 * k as u64));
        }
        Generator { random: StdRng::seed_from_u64(seed), program, globals, words, functions }
    }

    fn pool(&self) -> &Pool {
        &self.program.pool
    }

    /// The address of a word that the function may access.
    fn address(&mut self, parts: &Parts) -> Term {
        let mut all = vec![parts.p, parts.p];
        all.extend(parts.local.iter().flat_map(|local| [*local, *local]));
        all.push(self.words[self.random.random_range(0..self.words.len())]);
        if self.random.random_bool(0.2) {
            // An element of the array, by a number.
            let index = self.pool().bv_zero_extend(parts.n, 30);
            let offset = self.pool().bv_mul(index, self.pool().bv(4, 32));
            all.push(self.pool().bv_add(self.words[2], offset));
        }
        all[self.random.random_range(0..all.len())]
    }

    fn number(&mut self, parts: &Parts) -> Term {
        let constant = self.random.random_range(0..4);
        match self.random.random_range(0..4) {
            0 => self.pool().bv(constant, 2),
            1 => parts.n,
            2 => parts.m.1,
            _ => self.globals[self.random.random_range(0..2)].1,
        }
    }

    fn word(&mut self, parts: &Parts) -> Term {
        let number = self.number(parts);
        let word = self.pool().bv_zero_extend(number, 30);
        match self.random.random_range(0..3) {
            0 => word,
            1 => parts.w.1,
            _ => self.pool().bv_add(parts.w.1, word),
        }
    }

    /// Two branches that exclude each other, from the cursor and back to one place.
    fn branch(&mut self, parts: &mut Parts, code: &mut Code, depth: u32) {
        let (a, b) = (self.number(parts), self.number(parts));
        let guard = self.pool().eq(a, b);
        let start = code.at;
        code.then(Instruction::Assume(guard));
        self.instruction(parts, code, depth);
        let end = code.at;
        code.at = start;
        let otherwise = self.pool().not(guard);
        code.then(Instruction::Assume(otherwise));
        if self.random.random_bool(0.5) {
            self.instruction(parts, code, depth);
        }
        code.edge(code.at, end, Instruction::Skip);
        code.at = end;
    }

    /// A call: further down with the same number, or of any function with a smaller one.
    fn call(&mut self, parts: &mut Parts, code: &mut Code) {
        let me = self.functions.iter().position(|f| *f == parts.id);
        let deeper: Vec<FunctionId> = self.functions[me.map_or(0, |k| k + 1)..].to_vec();
        let pointer = self.address(parts);
        let result = vec![parts.w.0];
        parts.calls += 1;
        if !deeper.is_empty() && self.random.random_bool(0.6) {
            let [one, other] = [(); 2].map(|()| deeper[self.random.random_range(0..deeper.len())]);
            if self.random.random_bool(0.7) {
                code.then(call(one, vec![parts.n, pointer], result));
                return;
            }
            let pool = &self.program.pool;
            let [a, b] = [one, other].map(|f| self.program.functions[f].address);
            let (Some(a), Some(b)) = (a, b) else { unreachable!("all have addresses") };
            let address = pool.ite(pool.eq(parts.m.1, pool.bv(1, 2)), a, b);
            let (callee, arguments) = (form::Callee::Pointer(address), vec![parts.n, pointer]);
            code.then(Instruction::Call { callee, arguments, results: result });
            return;
        }
        let callee = self.functions[self.random.random_range(0..self.functions.len())];
        let pool = &self.program.pool;
        let zero = pool.eq(parts.n, pool.bv(0, 2));
        let less = pool.bv_sub(parts.n, pool.bv(1, 2));
        let more = pool.not(zero);
        let start = code.at;
        code.then(Instruction::Assume(more));
        code.then(call(callee, vec![less, pointer], result));
        let end = code.at;
        code.edge(start, end, Instruction::Assume(zero));
    }

    fn instruction(&mut self, parts: &mut Parts, code: &mut Code, depth: u32) {
        match self.random.random_range(0..12) {
            0..=2 => {
                let (address, value) = (self.address(parts), self.word(parts));
                code.then(Instruction::Store { address, value });
            }
            3 | 4 => {
                let address = self.address(parts);
                code.then(Instruction::Load { into: parts.w.0, address });
            }
            5 => {
                let (a, b) = (self.number(parts), self.number(parts));
                let sum = self.pool().bv_add(a, b);
                let (g, _) = self.globals[self.random.random_range(0..2)];
                code.then(Instruction::Assign(g, sum));
            }
            6 => {
                let value = self.word(parts);
                code.then(Instruction::Assign(parts.w.0, value));
            }
            7 if self.random.random_bool(0.2) => {
                code.then(Instruction::Havoc(parts.m.0, input()));
            }
            8 if self.random.random_bool(0.3) => {
                let constant = self.random.random_range(0..6);
                let formula = self.pool().ne(parts.w.1, self.pool().bv(constant, 32));
                code.then(Instruction::Check(Property::Assert, formula));
            }
            9 if depth > 0 => self.branch(parts, code, depth - 1),
            _ if parts.calls < 2 => self.call(parts, code),
            _ => {}
        }
    }

    fn function(&mut self, id: FunctionId, start: bool) {
        let f = Some(id);
        let program = &mut self.program;
        let [n, m] = ["n", "m"].map(|name| register(program, name, PAIR, f));
        let [p, w, r, o] = ["p", "w", "r", "o"].map(|name| register(program, name, WORD, f));
        let mut parts = Parts { id, n: n.1, p: p.1, w, m, r: r.0, local: None, calls: 0 };
        let mut code = Code::default();
        if start {
            program.functions[id].results = vec![r.0];
            code.then(Instruction::Havoc(n.0, input()));
            code.then(Instruction::Assign(p.0, self.words[0]));
        } else {
            program.functions[id].parameters = vec![n.0, p.0];
            program.functions[id].results = vec![r.0];
        }
        code.then(Instruction::Assign(m.0, parts.n));
        for (g, _) in self.globals.clone().into_iter().filter(|_| start) {
            let zero = self.pool().bv(0, 2);
            code.then(Instruction::Assign(g, zero));
        }
        let value = self.pool().bv_zero_extend(parts.n, 30);
        code.then(Instruction::Assign(w.0, value));
        if self.random.random_bool(0.7) {
            code.then(Instruction::Allocate {
                into: o.0,
                size: self.pool().bv(4, 32),
                align: 4,
                storage: Storage::Stack,
                written: false,
                scalars: vec![],
                name: Some("o".into()),
            });
            code.then(Instruction::Store { address: o.1, value: w.1 });
            parts.local = Some(o.1);
        }
        for _ in 0..self.random.random_range(2..7) {
            self.instruction(&mut parts, &mut code, 1);
        }
        if start {
            self.call(&mut parts, &mut code);
            self.digest(&mut parts, &mut code);
        } else {
            code.then(Instruction::Assign(parts.r, parts.w.1));
        }
        self.program.functions[id].body = Some(code.end());
    }

    /// The result: a number made of all that there is at the end.
    fn digest(&mut self, parts: &mut Parts, code: &mut Code) {
        let (into, part) = register(&mut self.program, "part", WORD, Some(parts.id));
        let pool = &self.program.pool;
        let r = self.program.variables[parts.r].term;
        let numbers = pool.bv_concat(self.globals[0].1, self.globals[1].1);
        let first = pool.bv_add(parts.w.1, pool.bv_zero_extend(numbers, 28));
        code.then(Instruction::Assign(parts.r, first));
        for address in self.words.clone() {
            let next = pool.bv_add(pool.bv_mul(r, pool.bv(37, 32)), part);
            code.then(Instruction::Load { into, address });
            code.then(Instruction::Assign(parts.r, next));
        }
        // What the interpreter calls the results of a run are those of its last call.
        let same = declare(&mut self.program, "same");
        let (s, _) = register(&mut self.program, "s", WORD, Some(same));
        self.program.functions[same].parameters = vec![s];
        self.program.functions[same].results = vec![s];
        self.program.functions[same].body = Some(Code::default().end());
        code.then(call(same, vec![r], vec![parts.r]));
    }

    fn generate(mut self) -> Program {
        for id in self.functions.clone() {
            self.function(id, false);
        }
        self.function(self.program.start, true);
        self.program
    }
}

/// Tries all values of all inputs, run by run.
#[derive(Default)]
struct All {
    values: Vec<(u64, u64)>,
    next: usize,
}

impl All {
    fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((value, count)) = self.values.pop() {
            if value + 1 < count {
                self.values.push((value + 1, count));
                return true;
            }
        }
        false
    }
}

impl Oracle for All {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let (Sort::BitVec(width), false) =
            (request.sort, matches!(request.part, Part::Memory { .. }))
        else {
            return None;
        };
        if self.next == self.values.len() {
            self.values.push((0, 1 << width));
        }
        let (value, _) = self.values[self.next];
        self.next += 1;
        Some(Value::Bits(Bits::from_u64(width, value)))
    }
}

/// The results of all runs, or none if one violates the property.
type Answer = Option<BTreeSet<Value>>;

fn interpreted(program: &Program) -> Option<Answer> {
    let interpreter = Interpreter::new(program).expect("well formed");
    let interpreter = interpreter.with_properties(&[Property::Assert]);
    let mut oracle = All::default();
    let mut found = BTreeSet::new();
    for _ in 0..LIMIT {
        match interpreter.run(&mut oracle) {
            Outcome::Violation { .. } => return Some(None),
            Outcome::Finished { results } => found.extend(results),
            _ => {}
        }
        if !oracle.advance() {
            return Some(Some(found));
        }
    }
    None
}

/// The same of an automaton, by the values of a variable where no edge leaves.
fn searched(pool: &Pool, cfa: &Cfa, result: Term) -> Option<Answer> {
    let search = explicit::search(pool, cfa, &[], LIMIT * 8);
    if search.limited {
        return None;
    }
    if search.error.is_some() {
        return Some(None);
    }
    let n = search.variables.binary_search(&result).expect("the result is a variable");
    let last = |location| cfa.edges.values().all(|edge| edge.from != location);
    let ends = search.reached.iter().filter(|(location, _)| last(**location));
    let states = ends.flat_map(|(_, states)| states.iter().map(|state| state[n].clone()));
    Some(Some(states.collect()))
}

/// The same of procedures.
fn followed(pool: &Pool, procedures: &Procedures, options: &Options) -> Option<Answer> {
    let found = explicit::procedures::search(pool, procedures, options.recursion, LIMIT);
    if found.limited {
        return None;
    }
    let safe = found.violated.is_empty();
    Some(safe.then(|| found.results.into_iter().flatten().collect()))
}

#[test]
fn kept_calls_mean_what_inlined_ones_do() {
    let (mut safe, mut unsafe_, mut recursive, mut compared) = (0, 0, 0, 0);
    for seed in 0..120 {
        let program = Generator::new(seed).generate();
        program::wellformed::check(&program).expect("the generator makes well-formed programs");
        let recursion = [1, 2, 5][seed as usize % 3];
        let options = Options {
            properties: [Property::Assert].into(),
            recursion,
            cone: seed % 4 == 3,
            ..Options::default()
        };
        let pool = &program.pool;
        let kept = procedures(&program, &options).expect("the program is well formed");
        assert!(only_commands_and_calls(&kept), "seed {seed}");
        let Some(found) = followed(pool, &kept, &options) else { continue };
        let first = model::build(&program, &options).expect("the program is well formed");
        let last = model::inlined(pool, &options, &kept).expect("memory is variables");
        // Of a slice, the result need not be there.
        let result = program.variables[program.functions[program.start].results[0]].term;
        if options.cone {
            for cfa in [&first, &last] {
                let search = explicit::search(pool, cfa, &[], LIMIT * 8);
                if !search.limited {
                    assert_eq!(found.is_none(), search.error.is_some(), "seed {seed}, sliced");
                }
            }
            continue;
        }
        let Some(inlined_first) = searched(pool, &first, result) else { continue };
        assert_eq!(found, inlined_first, "seed {seed}, inlined first");
        let Some(inlined_last) = searched(pool, &last, result) else { continue };
        assert_eq!(found, inlined_last, "seed {seed}, inlined last");
        let cut = first.edges.values().any(|edge| edge.violates == Some(Property::Unwinding));
        recursive += usize::from(cut || first.contexts.len() > kept.procedures.len());
        if let Some(expected) = interpreted(&program).filter(|_| !cut) {
            assert_eq!(found, expected, "seed {seed}, interpreted");
            compared += 1;
        }
        *(if found.is_none() { &mut unsafe_ } else { &mut safe }) += 1;
    }
    let counts = (safe, unsafe_, recursive, compared);
    assert!(safe > 15 && unsafe_ > 15 && recursive > 15 && compared > 20, "{counts:?}");
}

fn only_commands_and_calls(procedures: &Procedures) -> bool {
    procedures.edges().all(|edge| match &edge.action {
        Action::Command(_) => true,
        Action::Call(call) => matches!(call.callee, Callee::Procedure(_)),
        _ => false,
    })
}
