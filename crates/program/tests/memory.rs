//! The model of memory against the interpreter: random programs that load, store, copy, fill
//! and allocate violate a property in one if and only if they do in the other.

mod builder;

use builder::{Code, call, declare, empty, input, object, register};
use program::explicit::search;
use program::interpret::{Interpreter, Oracle, Outcome, Part, Request};
use program::model::{self, Options};
use program::program::{FunctionId, Program, Storage, VariableId};
use program::{Cfa, Command, Instruction, Property};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;
use term::eval::default_value;
use term::{Pool, Sort, Term, Value};
use value::Bits;

const WORD: Sort = Sort::BitVec(32);

/// Tries all values of all inputs, run by run.
#[derive(Default)]
struct All {
    values: Vec<(u64, u64)>,
    next: usize,
}

impl All {
    /// The next combination; false if there is none.
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
        let Sort::BitVec(width) = request.sort else { return None };
        if matches!(request.part, Part::Memory { .. }) {
            return None;
        }
        if self.next == self.values.len() {
            self.values.push((0, 1 << width));
        }
        let (value, _) = self.values[self.next];
        self.next += 1;
        Some(Value::Bits(Bits::from_u64(width, value)))
    }
}

/// The results of all runs, or none if some run of the program violates a property.
fn interpreted(program: &Program, properties: &[Property]) -> Option<BTreeSet<Value>> {
    let interpreter = Interpreter::new(program).expect("well formed").with_properties(properties);
    let mut oracle = All::default();
    let mut found = BTreeSet::new();
    loop {
        match interpreter.run(&mut oracle) {
            Outcome::Violation { .. } => return None,
            Outcome::Finished { results } => found.extend(results),
            _ => {}
        }
        if !oracle.advance() {
            return Some(found);
        }
    }
}

struct Generator {
    random: StdRng,
    program: Program,
    /// Addresses with the sizes of their objects.
    objects: Vec<(Term, u64)>,
    words: Vec<(VariableId, Term)>,
    bytes: Vec<(VariableId, Term)>,
    inputs: Vec<(VariableId, Term)>,
    /// Says whether bytes were written.
    flag: (VariableId, Term),
    pointers: Vec<(VariableId, Term, u64)>,
    get: FunctionId,
    set: FunctionId,
    /// Whether accesses may be invalid.
    wild: bool,
    /// Whether sizes are mixed.
    mixed: bool,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut random = StdRng::seed_from_u64(seed);
        let mut program = empty();
        let start = Some(program.start);
        let mut objects = Vec::new();
        for (name, size) in [("x", 4), ("y", 4), ("a", 16), ("s", 8)] {
            let (id, address) = object(&mut program, name, size);
            if random.random_bool(0.5) {
                let five = program.pool.bv(5, 32);
                program.objects[id].initial.push((0, five));
            }
            objects.push((address, size));
        }
        let words = (0..2).map(|n| register(&mut program, &format!("w{n}"), WORD, start)).collect();
        let bytes = vec![register(&mut program, "b", Sort::BitVec(8), start)];
        let inputs = (0..2)
            .map(|n| register(&mut program, &format!("n{n}"), Sort::BitVec(2), start))
            .collect();
        let flag = register(&mut program, "f", Sort::Bool, start);
        let (get, set) = (declare(&mut program, "get"), declare(&mut program, "set"));
        let (p, p_term) = register(&mut program, "p", WORD, Some(get));
        let (r, _) = register(&mut program, "r", WORD, Some(get));
        program.functions[get].parameters = vec![p];
        program.functions[get].results = vec![r];
        let mut code = Code::default();
        code.then(Instruction::Load { into: r, address: p_term });
        program.functions[get].body = Some(code.end());
        let (p, p_term) = register(&mut program, "p", WORD, Some(set));
        let (v, v_term) = register(&mut program, "v", WORD, Some(set));
        program.functions[set].parameters = vec![p, v];
        let mut code = Code::default();
        code.then(Instruction::Store { address: p_term, value: v_term });
        program.functions[set].body = Some(code.end());
        let (wild, mixed) = (random.random_bool(0.5), random.random_bool(0.3));
        let pointers = Vec::new();
        Generator {
            random,
            program,
            objects,
            words,
            bytes,
            inputs,
            flag,
            pointers,
            get,
            set,
            wild,
            mixed,
        }
    }

    fn pool(&self) -> &Pool {
        &self.program.pool
    }

    fn pick<T: Copy>(&mut self, from: impl Fn(&Self) -> Vec<T>) -> T {
        let all = from(self);
        all[self.random.random_range(0..all.len())]
    }

    /// An address that so many bytes can be accessed at, if the program is not wild.
    fn address(&mut self, size: u64) -> Term {
        let (base, room) = loop {
            let pointer = self.random.random_bool(0.3) && !self.pointers.is_empty();
            let (base, room) = if pointer {
                let (_, term, room) = self.pick(|g| g.pointers.clone());
                (term, room)
            } else {
                self.pick(|g| g.objects.clone())
            };
            if room >= size {
                break (base, room);
            }
        };
        let step = size.min(4);
        let slots = (room - size) / step + 1;
        let beyond = u64::from(self.wild && self.random.random_bool(0.03));
        let pool = &self.program.pool;
        if slots >= 4 && self.random.random_bool(0.5) {
            let (_, n) = self.inputs[self.random.random_range(0..self.inputs.len())];
            let index = pool.bv_add(pool.bv_zero_extend(n, 30), pool.bv(beyond, 32));
            return pool.bv_add(base, pool.bv_mul(index, pool.bv(step, 32)));
        }
        let slot = self.random.random_range(0..slots + beyond);
        pool.bv_add(base, pool.bv(slot * step, 32))
    }

    fn word(&mut self) -> Term {
        match self.random.random_range(0..3) {
            0 => {
                let value = self.random.random_range(0..8);
                self.pool().bv(value, 32)
            }
            1 => {
                let (_, n) = self.pick(|g| g.inputs.clone());
                self.pool().bv_zero_extend(n, 30)
            }
            _ => self.pick(|g| g.words.clone()).1,
        }
    }

    fn instruction(&mut self, code: &mut Code, in_loop: bool) {
        let (word, word_term) = self.pick(|g| g.words.clone());
        match self.random.random_range(0..16) {
            0 | 1 => {
                let address = self.address(4);
                code.then(Instruction::Load { into: word, address });
            }
            2..=4 => {
                let (address, value) = (self.address(4), self.word());
                code.then(Instruction::Store { address, value });
            }
            5 => {
                let (n, _) = self.pick(|g| g.inputs.clone());
                code.then(Instruction::Havoc(n, input()));
            }
            6 => {
                let address = self.address(4);
                code.then(call(self.get, vec![address], vec![word]));
            }
            7 => {
                let (address, value) = (self.address(4), self.word());
                code.then(call(self.set, vec![address, value], vec![]));
            }
            8 if self.mixed => {
                let (byte, byte_term) = self.bytes[0];
                let address = self.address(1);
                code.then(match self.random.random_bool(0.5) {
                    true => Instruction::Load { into: byte, address },
                    false => Instruction::Store { address, value: byte_term },
                });
            }
            9 => {
                let (to, from) = (self.address(8), self.address(8));
                let length = self.pool().bv(8, 32);
                code.then(Instruction::Copy { to, from, length });
            }
            10 => {
                let to = self.address(8);
                let (byte, length) = (self.pool().bv(0, 8), self.pool().bv(8, 32));
                code.then(Instruction::Fill { to, byte, length });
            }
            11 => self.point(code),
            14 | 15 => {
                let address = self.address(4);
                self.look(code, (word, word_term), address, 4);
            }
            12 if self.pointers.len() < 4 => self.allocate(code, in_loop),
            _ => {
                let constant = self.pool().bv(self.random.clone().random_range(0..6), 32);
                let formula = self.pool().ne(word_term, constant);
                if self.random.random_bool(0.1) {
                    code.then(Instruction::Check(Property::Assert, formula));
                } else {
                    let value = self.word();
                    let sum = self.pool().bv_add(word_term, value);
                    code.then(Instruction::Assign(word, sum));
                }
            }
        }
    }

    /// A register tells from now on whether so many bytes were written.
    fn look(&mut self, code: &mut Code, (into, old): (VariableId, Term), address: Term, size: u64) {
        let (flag, written) = self.flag;
        code.then(Instruction::Written { into: flag, address, size });
        let pool = self.pool();
        let more = pool.ite(written, pool.bv(1, 32), pool.bv(2, 32));
        code.then(Instruction::Assign(into, pool.bv_add(pool.bv_mul(old, pool.bv(3, 32)), more)));
    }

    /// A pointer register takes one of two addresses.
    fn point(&mut self, code: &mut Code) {
        let (a, a_size) = self.pick(|g| g.objects.clone());
        let (b, b_size) = self.pick(|g| g.objects.clone());
        let name = format!("p{}", self.pointers.len());
        let start = Some(self.program.start);
        let (p, p_term) = register(&mut self.program, &name, WORD, start);
        let (_, n) = self.pick(|g| g.inputs.clone());
        let pool = &self.program.pool;
        let value = pool.ite(pool.eq(n, pool.bv(1, 2)), a, b);
        code.then(Instruction::Assign(p, value));
        self.pointers.push((p, p_term, a_size.min(b_size)));
    }

    fn allocate(&mut self, code: &mut Code, in_loop: bool) {
        let name = format!("q{}", self.pointers.len());
        let start = Some(self.program.start);
        let (into, address) = register(&mut self.program, &name, WORD, start);
        let size = 4 << self.random.random_range(0..3);
        let heap = self.random.random_bool(0.5);
        let storage = if heap { Storage::Heap } else { Storage::Stack };
        let bytes = self.pool().bv(size, 32);
        code.then(Instruction::Allocate {
            into,
            size: bytes,
            align: 8,
            storage,
            written: self.random.random_bool(0.2),
            scalars: vec![],
            name: Some(name.as_str().into()),
        });
        let (byte, filled) = (self.pool().bv(0, 8), self.random.random_range(0..=2) * size / 2);
        let length = self.pool().bv(filled, 32);
        code.then(Instruction::Fill { to: address, byte, length });
        self.pointers.push((into, address, size));
        if self.wild && !in_loop && self.random.random_bool(0.2) {
            code.then(Instruction::Free { address, storage });
        }
    }

    fn generate(mut self) -> (Program, bool, Term) {
        let mut code = Code::default();
        for (word, _) in self.words.clone() {
            let zero = self.pool().bv(0, 32);
            code.then(Instruction::Assign(word, zero));
        }
        let zero = self.pool().bv(0, 8);
        code.then(Instruction::Assign(self.bytes[0].0, zero));
        for (n, _) in self.inputs.clone() {
            code.then(Instruction::Havoc(n, input()));
        }
        for _ in 0..self.random.random_range(3..14) {
            self.instruction(&mut code, false);
        }
        // A loop of at most two rounds.
        let start = Some(self.program.start);
        let (i, i_term) = register(&mut self.program, "i", WORD, start);
        let zero = self.pool().bv(0, 32);
        code.then(Instruction::Assign(i, zero));
        let head = code.at;
        let below = self.pool().bv_ult(i_term, self.pool().bv(2, 32));
        code.then(Instruction::Assume(below));
        for _ in 0..self.random.random_range(0..8) {
            self.instruction(&mut code, true);
        }
        let next = self.pool().bv_add(i_term, self.pool().bv(1, 32));
        code.then(Instruction::Assign(i, next));
        code.edge(code.at, head, Instruction::Skip);
        code.at = head;
        let done = self.pool().not(below);
        code.then(Instruction::Assume(done));
        for _ in 0..self.random.random_range(0..4) {
            self.instruction(&mut code, false);
        }
        let result = self.digest(&mut code);
        let start = self.program.start;
        self.program.functions[start].body = Some(code.end());
        (self.program, self.wild, result)
    }

    /// A number made of everything that memory holds, as the result of the last call.
    fn digest(&mut self, code: &mut Code) -> Term {
        let start = Some(self.program.start);
        let (h, h_term) = register(&mut self.program, "h", WORD, start);
        let (into, word) = register(&mut self.program, "part", WORD, start);
        let (w0, w1) = (self.words[0].1, self.words[1].1);
        let first = self.pool().bv_add(w0, self.pool().bv_mul(w1, self.pool().bv(31, 32)));
        code.then(Instruction::Assign(h, first));
        for (base, size) in self.objects.clone() {
            for offset in (0..size).step_by(4) {
                let pool = self.pool();
                let address = pool.bv_add(base, pool.bv(offset, 32));
                let next = pool.bv_add(pool.bv_mul(h_term, pool.bv(37, 32)), word);
                code.then(Instruction::Load { into, address });
                code.then(Instruction::Assign(h, next));
                self.look(code, (h, h_term), address, 4);
            }
        }
        let same = declare(&mut self.program, "same");
        let (r, _) = register(&mut self.program, "r", WORD, Some(same));
        self.program.functions[same].parameters = vec![r];
        self.program.functions[same].results = vec![r];
        self.program.functions[same].body = Some(Code::default().end());
        code.then(call(same, vec![h_term], vec![h]));
        h_term
    }
}

/// Memory that nothing has written is zero, as the interpreter takes it here.
fn with_zeros(pool: &Pool, cfa: &Cfa) -> Cfa {
    fn zero(pool: &Pool, sort: Sort) -> Term {
        match pool.array_parts(sort) {
            Some((_, element)) => pool.const_array(sort, zero(pool, element)),
            None => pool.constant(default_value(pool, sort)),
        }
    }
    fn rewrite(pool: &Pool, cfa: &Cfa, command: &mut Command) {
        match command {
            Command::Havoc(variable, input) if cfa.inputs[*input].instruction.is_none() => {
                *command = Command::Assign(*variable, zero(pool, pool.sort(*variable)));
            }
            Command::Sequence(commands) | Command::Choice(commands) => {
                commands.iter_mut().for_each(|command| rewrite(pool, cfa, command));
            }
            _ => {}
        }
    }
    let mut zeroed = cfa.clone();
    for (_, edge) in zeroed.edges.iter_mut() {
        rewrite(pool, cfa, &mut edge.command);
    }
    zeroed
}

/// The same of a model: the values of the result where no edge leaves; an error if there are too
/// many states.
fn modelled(pool: &Pool, cfa: &Cfa, result: Term) -> Result<Option<BTreeSet<Value>>, ()> {
    let cfa = &with_zeros(pool, cfa);
    let search = search(pool, cfa, &[], 20_000);
    if search.limited {
        return Err(());
    }
    if search.error.is_some() {
        return Ok(None);
    }
    let n = search.variables.binary_search(&result).expect("the result is a register");
    let last = |location| cfa.edges.values().all(|edge| edge.from != location);
    let ends = search.reached.iter().filter(|(location, _)| last(**location));
    Ok(Some(ends.flat_map(|(_, states)| states.iter().map(|state| state[n].clone())).collect()))
}

#[test]
fn models_agree_with_the_interpreter() {
    let (mut safe, mut unsafe_, mut unsupported) = (0, 0, 0);
    for seed in 0..250 {
        let (program, wild, result) = Generator::new(seed).generate();
        let mut properties = vec![Property::Assert];
        if wild {
            properties.push(Property::Pointer);
        }
        let options =
            Options { properties: properties.iter().copied().collect(), ..Options::default() };
        let cfa = match model::build(&program, &options) {
            Ok(cfa) => cfa,
            Err(model::Error::Unsupported { .. }) => {
                unsupported += 1;
                continue;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let Ok(found) = modelled(&program.pool, &cfa, result) else { continue };
        let expected = interpreted(&program, &properties);
        assert_eq!(found, expected, "seed {seed}, wild: {wild}");
        *(if found.is_none() { &mut unsafe_ } else { &mut safe }) += 1;
    }
    assert!(safe > 90 && unsafe_ > 25, "{safe} safe, {unsafe_} unsafe, {unsupported} unsupported");
}
