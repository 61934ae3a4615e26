//! Random well-formed programs over all instructions, sorts and operators, with everything that
//! a program can say: strange names, places in several files, labels, addresses.

use la_arena::Arena;
use program::place::Place;
use program::program::*;
use program::{Program, Property};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use term::generate::{Generator, Options};
use term::{Pool, Sort, Term, traverse};
use value::{Bits, Format};

const NAMES: [&str; 12] =
    ["x", "input", "a b", "`", "ä\\\"\n", "main", "f::x", "0", "#1", "::", "&o", "result"];

const PROPERTIES: [Property; 12] = [
    Property::Reach,
    Property::Assert,
    Property::Overflow,
    Property::DivisionByZero,
    Property::Shift,
    Property::Bounds,
    Property::Pointer,
    Property::Uninitialized,
    Property::Float,
    Property::DeadCode,
    Property::Unwinding,
    Property::Claim,
];

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let pool = Pool::new();
    let mut options = Options::all(&pool);
    options.quantifiers = false;
    // Sorts that memory holds.
    options.sorts.extend([Sort::BitVec(32), Sort::Float(Format::F32), Sort::Float(Format::F64)]);
    let mut make = Make { random: StdRng::seed_from_u64(seed), sorts: options.sorts.clone() };
    let mut made = make.skeleton(pool, &options);
    let mut bodies = Vec::new();
    for (id, _) in made.functions.clone().iter() {
        if made.functions[id].body.is_some() {
            let terms = StdRng::seed_from_u64(make.random.random());
            let mut generator = Generator::new(&made.pool, terms, options.clone());
            bodies.push((id, make.body(&made, id, &mut generator)));
        }
    }
    for (id, body) in bodies {
        made.functions[id].body = Some(body);
    }
    register_the_rest(&mut make, &mut made);
    made
}

/// Parts of generated terms have sorts of their own; their variables are global registers too.
fn register_the_rest(make: &mut Make, made: &mut Program) {
    let mut terms = Vec::new();
    made.edges().for_each(|(_, edge)| terms.extend(terms_of(&edge.instruction)));
    let objects = made.objects.iter().map(|(_, o)| o.address);
    let functions = made.functions.iter().filter_map(|(_, f)| f.address);
    let registers = made.variables.iter().map(|(_, v)| v.term);
    let known: FxHashSet<Term> = objects.chain(functions).chain(registers).collect();
    for term in traverse::free_vars(&made.pool, &terms) {
        if !known.contains(&term) {
            let variable = make.variable(term, made.pool.sort(term), None);
            made.variables.alloc(variable);
        }
    }
}

fn terms_of(instruction: &Instruction) -> Vec<Term> {
    match instruction {
        Instruction::Skip | Instruction::Havoc(..) => Vec::new(),
        Instruction::Assume(term)
        | Instruction::Assign(_, term)
        | Instruction::Check(_, term)
        | Instruction::Load { address: term, .. }
        | Instruction::Measure { address: term, .. }
        | Instruction::Written { address: term, .. }
        | Instruction::Allocate { size: term, .. }
        | Instruction::Free { address: term, .. } => vec![*term],
        Instruction::Store { address, value } => vec![*address, *value],
        Instruction::Copy { to, from, length } => vec![*to, *from, *length],
        Instruction::Fill { to, byte, length } => vec![*to, *byte, *length],
        Instruction::HavocBytes { address, length, .. } => vec![*address, *length],
        Instruction::Call { callee, arguments, .. } => match callee {
            Callee::Pointer(address) => [&[*address], &arguments[..]].concat(),
            Callee::Function(_) => arguments.clone(),
        },
    }
}

struct Make {
    random: StdRng,
    sorts: Vec<Sort>,
}

impl Make {
    fn chance(&mut self, one_in: u32) -> bool {
        self.random.random_ratio(1, one_in)
    }

    fn name(&mut self) -> Arc<str> {
        (*NAMES.choose(&mut self.random).expect("names")).into()
    }

    fn place(&mut self) -> Place {
        match self.random.random_range(0..6) {
            0 => Place::default(),
            1 => Place { file: "other \"file\".h".into(), line: 3, column: 1 },
            2 => Place { file: "odd".into(), line: 0, column: 7 },
            _ => Place {
                file: "main.c".into(),
                line: self.random.random_range(1..50),
                column: self.random.random_range(1..9),
            },
        }
    }

    fn maybe_name(&mut self) -> Option<Arc<str>> {
        if self.chance(2) { Some(self.name()) } else { None }
    }

    fn scalars(&mut self) -> Vec<u32> {
        (0..self.random.random_range(0..3)).map(|_| self.random.random_range(1..9)).collect()
    }

    fn cause(&mut self) -> Cause {
        match self.random.random_range(0..6) {
            0 => Cause::Input(self.name()),
            1 => Cause::Uninitialized,
            2 => Cause::Unknown(self.name()),
            3 => Cause::Approximated(self.name()),
            4 => Cause::Assembly,
            _ => Cause::Input("any".into()),
        }
    }

    fn variable(&mut self, term: Term, sort: Sort, function: Option<FunctionId>) -> Variable {
        let reading =
            [Reading::Signed, Reading::Unsigned, Reading::Bool, Reading::Float, Reading::Address];
        Variable {
            term,
            sort,
            name: self.maybe_name(),
            reading: *reading.choose(&mut self.random).expect("readings"),
            function,
            place: self.place(),
        }
    }

    /// Everything but the bodies. The variables of generated terms are global registers; the
    /// addresses of objects and functions are generated among the terms of 32 bits too.
    fn skeleton(&mut self, pool: Pool, options: &Options) -> Program {
        let mut functions = Arena::new();
        let count = self.random.random_range(2..5);
        let mut addresses = FxHashMap::default();
        let word = Sort::BitVec(32);
        for number in 0..count {
            let name = if number == 0 { "begin".into() } else { self.name() };
            let address = (number > 0 && self.chance(2)).then(|| {
                let address = pool.var(&format!("&{name}@{number}"), word);
                addresses.insert(address, Bits::from_u64(32, 0x100 + 16 * number));
                address
            });
            let body = (number == 0 || !self.chance(3)).then(|| Body {
                locations: Arena::new(),
                edges: Arena::new(),
                entry: LocationId::from_raw(0.into()),
                exit: LocationId::from_raw(0.into()),
            });
            let place = self.place();
            let (parameters, results) = (Vec::new(), Vec::new());
            functions.alloc(Function { name, place, address, parameters, results, body });
        }
        let mut variables = Arena::new();
        let generator = Generator::new(&pool, StdRng::seed_from_u64(0), options.clone());
        let mut sorts = self.sorts.clone();
        sorts.extend((1..=80).map(Sort::BitVec));
        sorts.sort();
        sorts.dedup();
        for sort in sorts {
            for term in generator.variables(sort) {
                variables.alloc(self.variable(term, sort, None));
            }
        }
        for (id, function) in functions.iter_mut() {
            for number in 0..self.random.random_range(1..6) {
                let sort = *self.sorts.choose(&mut self.random).expect("sorts");
                let name = match self.random.random_range(0..3) {
                    0 => format!("{}::{number}", function.name),
                    1 => format!("{}::v{}#{number}", function.name, id.into_raw()),
                    _ => format!("odd{}.{number}", id.into_raw()),
                };
                let taken = variables
                    .iter()
                    .any(|(_, v): (_, &Variable)| pool.var_name(v.term) == Some(&*name));
                if taken {
                    continue;
                }
                let term = pool.var(&name, sort);
                let register = variables.alloc(self.variable(term, sort, Some(id)));
                match self.random.random_range(0..4) {
                    0 if function.name != "begin".into() => function.parameters.push(register),
                    1 => function.results.push(register),
                    2 if function.name != "begin".into() => {
                        function.parameters.push(register);
                        function.results.push(register);
                    }
                    _ => {}
                }
            }
        }
        let objects = self.objects(&pool, &mut addresses);
        Program {
            pool,
            variables,
            objects,
            functions,
            start: FunctionId::from_raw(0.into()),
            pointer_width: 32,
            addresses,
            assumptions: (0..2)
                .map(|_| Assumption { text: self.name().to_string(), place: self.place() })
                .collect(),
            undefined: (0..self.random.random_range(0..3)).map(|_| self.name()).collect(),
            asked: program::checks::Asked::default(),
        }
    }

    fn objects(&mut self, pool: &Pool, addresses: &mut FxHashMap<Term, Bits>) -> Arena<Object> {
        let mut objects = Arena::new();
        let mut known: Vec<Term> = addresses.keys().copied().collect();
        known.sort_unstable();
        for number in 0..self.random.random_range(0..4u64) {
            let name = self.name();
            let prefix = if self.chance(2) { "&" } else { "" };
            let address = pool.var(&format!("{prefix}{name}/{number}"), Sort::BitVec(32));
            addresses.insert(address, Bits::from_u64(32, 0x1000 + 0x100 * number));
            known.push(address);
            let mut initial = Vec::new();
            let mut offset = 0;
            while offset < 24 {
                let (term, size) = match self.random.random_range(0..4) {
                    0 => (pool.bv(self.random.random_range(0..256), 8), 1),
                    1 => (pool.bv(self.random.random(), 32), 4),
                    2 => {
                        let home = *known.choose(&mut self.random).expect("addresses");
                        (pool.bv_add(home, pool.bv(self.random.random_range(0..3), 32)), 4)
                    }
                    _ => {
                        let bits = Bits::from_u64(32, self.random.random());
                        (pool.float(value::Float::from_bits(Format::F32, &bits)), 4)
                    }
                };
                initial.push((offset, term));
                offset += size + u64::from(self.chance(3));
            }
            objects.alloc(Object {
                name,
                address,
                size: 32,
                align: 1 << self.random.random_range(0..4),
                initial: if self.chance(4) { Vec::new() } else { initial },
                unknown: self.chance(3),
                constant: self.chance(3),
                scalars: self.scalars(),
                place: self.place(),
            });
        }
        objects
    }

    fn body(
        &mut self,
        program: &Program,
        id: FunctionId,
        terms: &mut Generator<'_, StdRng>,
    ) -> Body {
        let mut locations = Arena::new();
        let count = self.random.random_range(1..9);
        let places: Vec<Place> = (0..4).map(|_| self.place()).collect();
        for _ in 0..count {
            let place = places.choose(&mut self.random).expect("places").clone();
            let label = if self.chance(6) { Some(self.name()) } else { None };
            locations.alloc(Location { place, label, loop_head: self.chance(6) });
        }
        let at = |n: usize| LocationId::from_raw((n as u32).into());
        let (entry, exit) =
            (at(self.random.random_range(0..count)), at(self.random.random_range(0..count)));
        let mut edges = Arena::new();
        for from in (0..count).filter(|n| at(*n) != exit) {
            for _ in 0..[1, 1, 1, 0, 2, 3][self.random.random_range(0..6)] {
                let instruction = self.instruction(program, id, terms);
                let to = at(self.random.random_range(0..count));
                let place = locations[at(from)].place.clone();
                let place = if self.chance(3) { self.place() } else { place };
                edges.alloc(Edge { from: at(from), to, instruction, place });
            }
        }
        // Many places are those that the reader assumes.
        for n in 0..count {
            let leaving = edges.iter().find(|(_, e): &(_, &Edge)| e.from == at(n));
            let arriving = edges.iter().find(|(_, e): &(_, &Edge)| e.to == at(n));
            let places = [
                arriving.map(|(_, e)| e.place.clone()).unwrap_or_default(),
                leaving.map(|(_, e)| e.place.clone()).unwrap_or_default(),
                program.functions[id].place.clone(),
                locations[at(n)].place.clone(),
            ];
            locations[at(n)].place = places.choose(&mut self.random).expect("places").clone();
        }
        Body { locations, edges, entry, exit }
    }

    fn register(
        &mut self,
        program: &Program,
        id: FunctionId,
        fits: impl Fn(Sort) -> bool,
    ) -> VariableId {
        let visible = program
            .variables
            .iter()
            .filter(|(_, v)| fits(v.sort) && (v.function.is_none() || v.function == Some(id)));
        let visible: Vec<VariableId> = visible.map(|(v, _)| v).collect();
        *visible.choose(&mut self.random).expect("every sort has global registers")
    }

    fn instruction(
        &mut self,
        program: &Program,
        id: FunctionId,
        terms: &mut Generator<'_, StdRng>,
    ) -> Instruction {
        let depth = self.random.random_range(0..5);
        let word = Sort::BitVec(32);
        let stored = |sort: Sort| match sort {
            Sort::BitVec(width) => width % 8 == 0,
            Sort::Float(format) => format.width() % 8 == 0,
            _ => false,
        };
        let address = |make: &mut Make, terms: &mut Generator<'_, StdRng>| {
            let objects = program.objects.iter().map(|(_, o)| o.address);
            let functions = program.functions.iter().filter_map(|(_, f)| f.address);
            let homes: Vec<Term> = objects.chain(functions).collect();
            match homes.choose(&mut make.random) {
                Some(home) if make.chance(2) => *home,
                _ => terms.term(word, depth),
            }
        };
        let storage = if self.chance(2) { Storage::Heap } else { Storage::Stack };
        match self.random.random_range(0..15) {
            0 => Instruction::Skip,
            1 => Instruction::Assume(terms.term(Sort::Bool, depth)),
            2..4 => {
                let register = self.register(program, id, |_| true);
                Instruction::Assign(register, terms.term(program.variables[register].sort, depth))
            }
            4 => Instruction::Havoc(self.register(program, id, |_| true), self.cause()),
            5 => {
                let property = *PROPERTIES.choose(&mut self.random).expect("properties");
                Instruction::Check(property, terms.term(Sort::Bool, depth))
            }
            6 => Instruction::Load {
                into: self.register(program, id, stored),
                address: address(self, terms),
            },
            13 if self.chance(2) => Instruction::Written {
                into: self.register(program, id, |sort| sort == Sort::Bool),
                address: address(self, terms),
                size: self.random.random_range(1..9),
            },
            7 => {
                let like = self.register(program, id, stored);
                let value = terms.term(program.variables[like].sort, depth);
                Instruction::Store { address: address(self, terms), value }
            }
            8 => Instruction::Allocate {
                into: self.register(program, id, |sort| sort == word),
                size: terms.term(word, depth),
                align: 1 << self.random.random_range(0..5),
                storage,
                written: self.chance(2),
                scalars: self.scalars(),
                name: self.maybe_name(),
            },
            9 => Instruction::Free { address: address(self, terms), storage },
            10 => Instruction::Copy {
                to: address(self, terms),
                from: address(self, terms),
                length: terms.term(word, depth),
            },
            11 => Instruction::Fill {
                to: address(self, terms),
                byte: terms.term(Sort::BitVec(8), depth),
                length: terms.term(word, depth),
            },
            12 => Instruction::HavocBytes {
                address: address(self, terms),
                length: terms.term(word, depth),
                cause: self.cause(),
            },
            13 => Instruction::Measure {
                into: self.register(program, id, |sort| sort == word),
                address: address(self, terms),
                extent: *Extent::ALL.choose(&mut self.random).expect("extents"),
            },
            _ => self.call(program, id, terms, depth),
        }
    }

    fn call(
        &mut self,
        program: &Program,
        id: FunctionId,
        terms: &mut Generator<'_, StdRng>,
        depth: u32,
    ) -> Instruction {
        let sort_of = |v: &VariableId| program.variables[*v].sort;
        if self.chance(3) {
            let callee = Callee::Pointer(terms.term(Sort::BitVec(32), depth));
            let arguments = (0..2).map(|_| {
                let sort = terms.sort();
                terms.term(sort, depth)
            });
            let arguments = arguments.collect();
            let results = vec![self.register(program, id, |_| true)];
            return Instruction::Call { callee, arguments, results };
        }
        let functions: Vec<FunctionId> = program.functions.iter().map(|(f, _)| f).collect();
        let callee = *functions.choose(&mut self.random).expect("functions");
        let function = &program.functions[callee];
        let arguments = function.parameters.iter().map(|p| terms.term(sort_of(p), depth)).collect();
        let used = self.random.random_range(0..=function.results.len());
        let results = function.results[..used].iter();
        let results = results.map(|r| self.register(program, id, |sort| sort == sort_of(r)));
        let results = results.collect();
        Instruction::Call { callee: Callee::Function(callee), arguments, results }
    }
}
