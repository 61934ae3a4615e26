//! Programs read from text, and whether two programs are equal up to numbering.
#![allow(dead_code)]

pub mod random;

use front_c::compile::{Input, Options, compile};
use front_c::lower::{self, lower};
use front_c::types::DataModel;
use la_arena::ArenaMap;
use program::interpret::{Interpreter, Limits, Outcome, Random};
use program::program::{Body, Callee, FunctionId, Instruction, LocationId, VariableId};
use program::{Program, Property};
use rustc_hash::FxHashSet;
use source::SourceMap;
use term::{Op, Pool, Sort, Term, Value};

/// The program that a text says, or the messages about it.
pub fn read(text: &str) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("test.ivl", text.as_bytes()).expect("a small text");
    ivl::read(&sources, file).map_err(|errors| {
        assert!(!errors.is_empty(), "an error without a message");
        errors.iter().map(|error| error.render(&sources)).collect()
    })
}

/// The program that a text says, which has no mistakes.
pub fn reread(text: &str) -> Program {
    read(text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// The program of a C text, with checks of everything.
pub fn lowered(source: &str, model: DataModel) -> Program {
    lowered_from(Input::Text { name: "test.c".into(), text: source.as_bytes().to_vec() }, model)
}

/// The program of a C file or text, with checks of everything.
pub fn lowered_from(input: Input, model: DataModel) -> Program {
    let source = format!("{input:?}");
    let compiled = compile(&[input], &Options::new(model)).expect("a small text");
    let errors: Vec<String> = compiled.errors().map(|e| e.render(&compiled.sources)).collect();
    let typed = compiled.program.as_ref();
    let typed = typed.unwrap_or_else(|| panic!("{}\n{source}", errors.join("\n")));
    let options = lower::Options { properties: Property::ALL.to_vec(), ..Default::default() };
    match lower(typed, &compiled.sources, &options) {
        Ok(lowered) => lowered.program,
        Err(errors) => {
            let texts: Vec<String> = errors.iter().map(|e| e.render(&compiled.sources)).collect();
            panic!("{}\n{source}", texts.join("\n"))
        }
    }
}

/// Prints, reads and prints again: the texts and the programs are the same. Gives the program
/// that was read.
pub fn round_trip(program: &Program) -> Program {
    let text = ivl::print(program);
    let again = reread(&text);
    let second = ivl::print(&again);
    if text != second {
        let different = text.lines().zip(second.lines()).find(|(a, b)| a != b);
        panic!("the second text differs: {different:?}\n{text}\n---\n{second}");
    }
    if let Err(what) = same(program, &again) {
        panic!("{what}\n{text}");
    }
    again
}

/// A program's own words for a run: where it ended and how, without numbers.
pub fn outcome(program: &Program, seed: u64, steps: u64) -> String {
    let interpreter = Interpreter::new(program).expect("a well-formed program");
    let interpreter = interpreter.with_limits(Limits { steps, ..Limits::default() });
    let mut count = 0u64;
    let mut listener = |_: &program::interpret::Step<'_>| count += 1;
    let outcome = interpreter.watch(&mut Random::new(seed), &mut listener);
    let place = outcome.position().map(|p| {
        let stack: Vec<String> = p.stack(program).map(|(f, at)| format!("{f} {at}")).collect();
        (p.place(program), stack)
    });
    let what = match &outcome {
        Outcome::Violation { property, fault, .. } => format!("violation {property} {fault:?}"),
        Outcome::Finished { results } => format!("finished {results:?}"),
        Outcome::Ended { by, .. } => format!("ended {by:?}"),
        Outcome::Undefined { fault, .. } => format!("undefined {fault:?}"),
        Outcome::Stopped { by, .. } => format!("stopped {by:?}"),
    };
    format!("{what} at {place:?} after {count} steps")
}

type Check = Result<(), String>;

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, a: T, b: T) -> Check {
    if a == b { Ok(()) } else { Err(format!("{what}: {a:?} and {b:?}")) }
}

/// Whether two programs are equal up to the numbering of registers, locations, edges and terms.
pub fn same(a: &Program, b: &Program) -> Check {
    let mut comparer = Comparer { a, b, equal: FxHashSet::default() };
    comparer.programs()
}

struct Comparer<'p> {
    a: &'p Program,
    b: &'p Program,
    equal: FxHashSet<(Term, Term)>,
}

impl Comparer<'_> {
    fn programs(&mut self) -> Check {
        let (a, b) = (self.a, self.b);
        equal("pointers", a.pointer_width, b.pointer_width)?;
        equal("undefined", &a.undefined, &b.undefined)?;
        equal("assumptions", &a.assumptions, &b.assumptions)?;
        equal("start", a.start, b.start)?;
        equal("number of registers", a.variables.len(), b.variables.len())?;
        equal("number of objects", a.objects.len(), b.objects.len())?;
        equal("number of functions", a.functions.len(), b.functions.len())?;
        equal("number of addresses", a.addresses.len(), b.addresses.len())?;
        for (id, _) in a.variables.iter() {
            self.find_register(id)?;
        }
        for ((_, o), (_, p)) in a.objects.iter().zip(b.objects.iter()) {
            equal("object", &o.name, &p.name)?;
            equal("size", (o.size, o.align), (p.size, p.align))?;
            equal("kind", (o.unknown, o.constant), (p.unknown, p.constant))?;
            equal("scalars", &o.scalars, &p.scalars)?;
            equal("place", &o.place, &p.place)?;
            equal("address", a.addresses.get(&o.address), b.addresses.get(&p.address))?;
            self.terms(o.address, p.address)?;
            equal("values", o.initial.len(), p.initial.len())?;
            for ((i, s), (j, t)) in o.initial.iter().zip(&p.initial) {
                equal("offset", i, j)?;
                self.terms(*s, *t)?;
            }
        }
        for ((id, _), _) in a.functions.iter().zip(b.functions.iter()) {
            self.functions(id).map_err(|what| format!("{}: {what}", a.functions[id].name))?;
        }
        Ok(())
    }

    fn find_register(&mut self, id: VariableId) -> Check {
        let (a, b) = (self.a, self.b);
        let name = a.pool.var_name(a.variables[id].term);
        let found = b.variables.iter().find(|(_, v)| b.pool.var_name(v.term) == name);
        let Some((other, _)) = found else { return Err(format!("no register {name:?}")) };
        self.registers(id, other)
    }

    fn registers(&mut self, id: VariableId, other: VariableId) -> Check {
        let (v, w) = (&self.a.variables[id], &self.b.variables[other]);
        self.terms(v.term, w.term)?;
        equal("shown", &v.name, &w.name)?;
        equal("reading", v.reading, w.reading)?;
        equal("owner", v.function, w.function)?;
        equal("place", &v.place, &w.place)
    }

    fn lists(&mut self, a: &[VariableId], b: &[VariableId]) -> Check {
        equal("number of registers", a.len(), b.len())?;
        a.iter().zip(b).try_for_each(|(v, w)| self.registers(*v, *w))
    }

    fn functions(&mut self, id: FunctionId) -> Check {
        let (f, g) = (&self.a.functions[id], &self.b.functions[id]);
        equal("name", &f.name, &g.name)?;
        equal("place", &f.place, &g.place)?;
        self.lists(&f.parameters, &g.parameters)?;
        self.lists(&f.results, &g.results)?;
        match (f.address, g.address) {
            (None, None) => {}
            (Some(s), Some(t)) => {
                self.terms(s, t)?;
                equal("address", self.a.addresses.get(&s), self.b.addresses.get(&t))?;
            }
            _ => return Err("one has an address".into()),
        }
        match (&f.body, &g.body) {
            (None, None) => Ok(()),
            (Some(f), Some(g)) => self.bodies(f, g),
            _ => Err("one has a body".into()),
        }
    }

    /// Walks both graphs at once. What the entry does not reach is compared by the texts.
    fn bodies(&mut self, a: &Body, b: &Body) -> Check {
        equal("number of locations", a.locations.len(), b.locations.len())?;
        equal("number of edges", a.edges.len(), b.edges.len())?;
        let mut map: ArenaMap<LocationId, LocationId> = ArenaMap::default();
        map.insert(a.exit, b.exit);
        map.insert(a.entry, b.entry);
        equal("entry and exit", a.entry == a.exit, b.entry == b.exit)?;
        let mut pending = vec![a.entry, a.exit];
        while let Some(from) = pending.pop() {
            let (l, m) = (&a.locations[from], &b.locations[map[from]]);
            equal("label", &l.label, &m.label)?;
            equal("loop", l.loop_head, m.loop_head)?;
            equal("place of a location", &l.place, &m.place)?;
            let left = a.edges.iter().filter(|(_, e)| e.from == from).map(|(_, e)| e);
            let right = b.edges.iter().filter(|(_, e)| e.from == map[from]).map(|(_, e)| e);
            let (left, right): (Vec<_>, Vec<_>) = (left.collect(), right.collect());
            equal("edges", left.len(), right.len())?;
            for (e, f) in left.into_iter().zip(right) {
                equal("place of an edge", &e.place, &f.place)?;
                self.instructions(&e.instruction, &f.instruction)?;
                match map.get(e.to) {
                    Some(to) => equal("target", *to, f.to)?,
                    None => {
                        map.insert(e.to, f.to);
                        pending.push(e.to);
                    }
                }
            }
        }
        Ok(())
    }

    fn all(&mut self, pairs: &[(&Term, &Term)]) -> Check {
        pairs.iter().try_for_each(|(s, t)| self.terms(**s, **t))
    }

    fn instructions(&mut self, a: &Instruction, b: &Instruction) -> Check {
        use Instruction as I;
        match (a, b) {
            (I::Skip, I::Skip) => Ok(()),
            (I::Assume(s), I::Assume(t)) => self.terms(*s, *t),
            (I::Assign(v, s), I::Assign(w, t)) => {
                self.registers(*v, *w)?;
                self.terms(*s, *t)
            }
            (I::Havoc(v, c), I::Havoc(w, d)) => {
                equal("cause", c, d)?;
                self.registers(*v, *w)
            }
            (I::Check(p, s), I::Check(q, t)) => {
                equal("property", p, q)?;
                self.terms(*s, *t)
            }
            (I::Load { into: v, address: s }, I::Load { into: w, address: t }) => {
                self.registers(*v, *w)?;
                self.terms(*s, *t)
            }
            (
                I::Measure { into: v, address: s, extent },
                I::Measure { into: w, address: t, extent: e },
            ) => {
                equal("extent", extent, e)?;
                self.registers(*v, *w)?;
                self.terms(*s, *t)
            }
            (
                I::Written { into: v, address: s, size },
                I::Written { into: w, address: t, size: n },
            ) => {
                equal("size", size, n)?;
                self.registers(*v, *w)?;
                self.terms(*s, *t)
            }
            (I::Store { address: s, value: x }, I::Store { address: t, value: y }) => {
                self.all(&[(s, t), (x, y)])
            }
            (
                I::Allocate { into: v, size: s, align, storage, written, scalars, name },
                I::Allocate {
                    into: w,
                    size: t,
                    align: a,
                    storage: o,
                    written: d,
                    scalars: c,
                    name: n,
                },
            ) => {
                equal("allocation", (align, storage, written, scalars, name), (a, o, d, c, n))?;
                self.registers(*v, *w)?;
                self.terms(*s, *t)
            }
            (I::Free { address: s, storage }, I::Free { address: t, storage: o }) => {
                equal("storage", storage, o)?;
                self.terms(*s, *t)
            }
            (I::Copy { to, from, length }, I::Copy { to: t, from: f, length: l }) => {
                self.all(&[(to, t), (from, f), (length, l)])
            }
            (I::Fill { to, byte, length }, I::Fill { to: t, byte: b, length: l }) => {
                self.all(&[(to, t), (byte, b), (length, l)])
            }
            (
                I::HavocBytes { address, length, cause },
                I::HavocBytes { address: a, length: l, cause: c },
            ) => {
                equal("cause", cause, c)?;
                self.all(&[(address, a), (length, l)])
            }
            (
                I::Call { callee, arguments, results },
                I::Call { callee: c, arguments: a, results: r },
            ) => {
                match (callee, c) {
                    (Callee::Function(f), Callee::Function(g)) => equal("callee", f, g)?,
                    (Callee::Pointer(s), Callee::Pointer(t)) => self.terms(*s, *t)?,
                    _ => return Err("callees differ".into()),
                }
                equal("arguments", arguments.len(), a.len())?;
                arguments.iter().zip(a).try_for_each(|(s, t)| self.terms(*s, *t))?;
                self.lists(results, r)
            }
            _ => Err(format!("{a:?} and {b:?}")),
        }
    }

    fn terms(&mut self, s: Term, t: Term) -> Check {
        let (p, q) = (&self.a.pool, &self.b.pool);
        let mut pending = vec![(s, t)];
        while let Some((s, t)) = pending.pop() {
            if !self.equal.insert((s, t)) {
                continue;
            }
            let (m, n) = (p.node(s), q.node(t));
            let ops = same_op(p, &m.op, q, &n.op) && same_sort(p, m.sort, q, n.sort);
            if !ops || m.args.len() != n.args.len() {
                let text = |pool, term| term::print::term_to_string(pool, term);
                return Err(format!("{} and {}", text(p, s), text(q, t)));
            }
            pending.extend(m.args.iter().copied().zip(n.args.iter().copied()));
        }
        Ok(())
    }
}

fn same_sort(p: &Pool, s: Sort, q: &Pool, t: Sort) -> bool {
    match (s, t) {
        (Sort::Array(_), Sort::Array(_)) => {
            let (i, e) = p.array_parts(s).expect("an array");
            let (j, f) = q.array_parts(t).expect("an array");
            same_sort(p, i, q, j) && same_sort(p, e, q, f)
        }
        (Sort::Uninterpreted(a), Sort::Uninterpreted(b)) => p.name(a) == q.name(b),
        _ => s == t,
    }
}

fn same_op(p: &Pool, a: &Op, q: &Pool, b: &Op) -> bool {
    match (a, b) {
        (Op::Var(a), Op::Var(b)) => p.name(*a) == q.name(*b),
        (Op::Apply(a), Op::Apply(b)) => {
            p.name(p.declaration(*a).name) == q.name(q.declaration(*b).name)
        }
        (Op::ConstArray(s), Op::ConstArray(t)) => same_sort(p, *s, q, *t),
        (Op::Value(v), Op::Value(w)) => match (&**v, &**w) {
            (Value::Element(a, m), Value::Element(b, n)) => p.name(*a) == q.name(*b) && m == n,
            (v, w) => v == w,
        },
        _ => a == b,
    }
}
