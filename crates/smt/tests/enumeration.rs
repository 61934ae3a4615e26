//! Small formulas against all assignments: what has a model is satisfiable and nothing else is,
//! also after `push` and `pop`, with assumptions and a clause; cores have no model, and models
//! tell the truth about every term.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use sat::cadical::{Cadical, Preset};
use smt::{Answer, BitBlast, Cached, Error, Solver, Solvers, Standard, Z3, native};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use term::eval::Assignment;
use term::value::all_values;
use term::{ArrayValue, Func, Pool, Sort, Symbol, Term, Value, evaluate};
use value::{Bits, Format, Rounding};

/// What formulas are about besides two words of two bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Theory {
    Bits,
    /// An array of two words.
    Arrays,
    /// A function of one bit to words.
    Functions,
    /// A float of five bits.
    Floats,
}

/// An assignment with the table of the function.
#[derive(Clone, Default)]
struct World {
    values: FxHashMap<Term, Value>,
    table: Vec<Value>,
}

impl Assignment for World {
    fn var(&self, term: Term, _: Symbol) -> Option<Value> {
        self.values.get(&term).cloned()
    }

    fn function(&self, _: Func, args: &[&Value]) -> Option<Value> {
        let Value::Bits(argument) = args[0] else { return None };
        self.table.get(argument.to_u64().expect("one bit") as usize).cloned()
    }
}

struct Generator<'p> {
    pool: &'p Pool,
    random: StdRng,
    theory: Theory,
    words: [Term; 2],
    array: Term,
    function: Func,
    float: Term,
}

fn tiny() -> Format {
    Format::new(2, 3).expect("a format of five bits")
}

impl<'p> Generator<'p> {
    fn new(pool: &'p Pool, theory: Theory, seed: u64) -> Self {
        let word = Sort::BitVec(2);
        Generator {
            pool,
            random: StdRng::seed_from_u64(seed),
            theory,
            words: [pool.var("x", word), pool.var("y", word)],
            array: pool.var("a", pool.array_sort(Sort::BitVec(1), word)),
            function: pool.function("f", &[Sort::BitVec(1)], word),
            float: pool.var("z", Sort::Float(tiny())),
        }
    }

    fn bit(&mut self, depth: u32) -> Term {
        let word = self.word(depth);
        let k = self.random.random_range(0..2);
        self.pool.bv_extract(word, k, k)
    }

    fn array(&mut self, depth: u32) -> Term {
        if depth == 0 || self.random.random_range(0..3) == 0 {
            return self.array;
        }
        let (array, index) = (self.array(depth - 1), self.bit(depth - 1));
        let element = self.word(depth - 1);
        self.pool.store(array, index, element)
    }

    fn float(&mut self, depth: u32) -> Term {
        if depth == 0 {
            return self.float;
        }
        let (a, b) = (self.float(depth - 1), self.float(depth - 1));
        let mode = self.pool.rounding(*Rounding::ALL.choose(&mut self.random).expect("modes"));
        match self.random.random_range(0..5) {
            0 => self.pool.fp_add(mode, a, b),
            1 => self.pool.fp_mul(mode, a, b),
            2 => self.pool.fp_div(mode, a, b),
            3 => {
                let values: Vec<Value> = all_values(Sort::Float(tiny())).collect();
                self.pool.constant(values.choose(&mut self.random).expect("some").clone())
            }
            _ => self.pool.fp_neg(a),
        }
    }

    fn word(&mut self, depth: u32) -> Term {
        if depth == 0 || self.random.random_range(0..4) == 0 {
            return match self.random.random_range(0..3) {
                0 => self.pool.bv(self.random.random_range(0..4), 2),
                _ => *self.words.choose(&mut self.random).expect("two"),
            };
        }
        if self.random.random_range(0..2) == 0 {
            match self.theory {
                Theory::Arrays => {
                    let (array, index) = (self.array(depth - 1), self.bit(depth - 1));
                    return self.pool.select(array, index);
                }
                Theory::Functions => {
                    let argument = self.bit(depth - 1);
                    return self.pool.apply(self.function, &[argument]);
                }
                Theory::Bits | Theory::Floats => {}
            }
        }
        let (a, b) = (self.word(depth - 1), self.word(depth - 1));
        match self.random.random_range(0..6) {
            0 => self.pool.bv_add(a, b),
            1 => self.pool.bv_mul(a, b),
            2 => self.pool.bv_udiv(a, b),
            3 => self.pool.bv_xor(a, b),
            4 => self.pool.bv_shl(a, b),
            _ => self.pool.ite(self.pool.bv_ult(a, b), a, b),
        }
    }

    fn formula(&mut self, depth: u32) -> Term {
        if self.theory == Theory::Floats && self.random.random_range(0..2) == 0 {
            let (a, b) = (self.float(depth.min(2)), self.float(depth.min(2)));
            return match self.random.random_range(0..3) {
                0 => self.pool.fp_lt(a, b),
                1 => self.pool.fp_eq(a, b),
                _ => self.pool.eq(a, b),
            };
        }
        if self.theory == Theory::Arrays && self.random.random_range(0..6) == 0 {
            let (a, b) = (self.array(depth), self.array(depth));
            return self.pool.eq(a, b);
        }
        match self.random.random_range(0..5) {
            0 if depth > 0 => {
                let parts = [self.formula(depth - 1), self.formula(depth - 1)];
                self.pool.or(parts)
            }
            1 if depth > 0 => {
                let part = self.formula(depth - 1);
                self.pool.not(part)
            }
            2 => {
                let (a, b) = (self.word(depth), self.word(depth));
                self.pool.bv_slt(a, b)
            }
            _ => {
                let (a, b) = (self.word(depth), self.word(depth));
                self.pool.eq(a, b)
            }
        }
    }

    /// All assignments.
    fn worlds(&self) -> Vec<World> {
        let mut worlds = vec![World::default()];
        let mut extend = |variable: Term, values: Vec<Value>| {
            let with = |world: &World| {
                let mut copies = vec![world.clone(); values.len()];
                for (copy, value) in copies.iter_mut().zip(&values) {
                    copy.values.insert(variable, value.clone());
                }
                copies
            };
            worlds = worlds.iter().flat_map(with).collect();
        };
        for word in self.words {
            extend(word, all_values(Sort::BitVec(2)).collect());
        }
        let pairs = || {
            let word = || all_values(Sort::BitVec(2));
            word().flat_map(move |low| word().map(move |high| [low.clone(), high]))
        };
        match self.theory {
            Theory::Bits => {}
            Theory::Floats => extend(self.float, all_values(Sort::Float(tiny())).collect()),
            Theory::Arrays => {
                let sort = self.pool.sort(self.array);
                let array = |[low, high]: [Value; 2]| {
                    let index = |n| Value::Bits(Bits::from_u64(1, n));
                    let entries = BTreeMap::from([(index(0), low), (index(1), high.clone())]);
                    Value::Array(Arc::new(ArrayValue::new(sort, high, entries)))
                };
                extend(self.array, pairs().map(array).collect());
            }
            Theory::Functions => {
                let with = |world: &World| {
                    let mut copies = Vec::new();
                    for table in pairs() {
                        copies.push(World { table: table.to_vec(), ..world.clone() });
                    }
                    copies
                };
                worlds = worlds.iter().flat_map(with).collect();
            }
        }
        worlds
    }
}

/// A solver with the formulas of its levels.
struct Subject {
    name: &'static str,
    solver: Box<dyn Solver>,
}

fn subjects() -> Vec<Subject> {
    let capacity = NonZeroUsize::new(16).expect("not zero");
    let cadical = BitBlast::new(Cadical::new(Preset::Standard));
    let of = |name, solver| Subject { name, solver };
    vec![
        of("general", Standard.general()),
        of("bits", Standard.bits()),
        of("floats", Standard.floats()),
        of("cadical", Box::new(cadical)),
        of("cached", Box::new(Cached::new(native(), capacity))),
        of("z3", Box::new(Z3::new())),
    ]
}

/// Whether some world satisfies all formulas and one of the clause, if it has any.
fn satisfiable(pool: &Pool, worlds: &[World], all: &[Term], clause: &[Term]) -> bool {
    let holds = |world: &World, f: &Term| evaluate(pool, *f, world) == Ok(Value::Bool(true));
    worlds.iter().any(|world| {
        all.iter().all(|f| holds(world, f))
            && (clause.is_empty() || clause.iter().any(|f| holds(world, f)))
    })
}

/// A random session: formulas come and go by levels, and questions are asked in between.
fn session(theory: Theory, seed: u64, counts: &mut (u32, u32)) {
    let pool = Pool::new();
    let mut generator = Generator::new(&pool, theory, seed);
    let worlds = generator.worlds();
    let mut subjects = subjects();
    let mut levels: Vec<Vec<Term>> = vec![Vec::new()];
    for _ in 0..8 {
        match generator.random.random_range(0..6) {
            0 => {
                levels.push(Vec::new());
                subjects.iter_mut().for_each(|subject| subject.solver.push());
            }
            1 if levels.len() > 1 => {
                let count = generator.random.random_range(1..levels.len());
                levels.truncate(levels.len() - count);
                subjects.iter_mut().for_each(|subject| subject.solver.pop(count));
            }
            2 => {
                let formula = generator.formula(2);
                levels.last_mut().expect("the ground level").push(formula);
                for subject in &mut subjects {
                    subject.solver.assert(&pool, formula).expect("supported");
                }
            }
            _ => {
                let mut formulas = |n| (0..n).map(|_| generator.formula(2)).collect::<Vec<_>>();
                let (assumptions, clause) = (formulas(3), formulas(seed as usize % 3));
                let probe = generator.word(2);
                let known = levels.concat();
                let all = [&known[..], &assumptions].concat();
                let expected = satisfiable(&pool, &worlds, &all, &clause);
                if expected {
                    counts.0 += 1
                } else {
                    counts.1 += 1
                }
                for Subject { name, solver } in &mut subjects {
                    let context = format!("{theory:?}, seed {seed}, {name}");
                    // SAT? formulas ∧ ⋀ assumptions ∧ ⋁ clause
                    let answer = solver.check_with(&pool, &assumptions, &clause);
                    match answer.expect("supported") {
                        Answer::Sat => {
                            assert!(expected, "{context}: there is no model");
                            model_is_right(&pool, &mut **solver, &all, &clause, probe, &context);
                        }
                        Answer::Unsat => {
                            assert!(!expected, "{context}: there is a model");
                            let core = solver.core();
                            assert!(core.iter().all(|c| assumptions.contains(c)), "{context}");
                            let left = [&known[..], &core].concat();
                            let wrong = satisfiable(&pool, &worlds, &left, &clause);
                            assert!(!wrong, "{context}: the core has a model");
                        }
                        Answer::Unknown(reason) => panic!("{context}: {reason}"),
                    }
                }
            }
        }
    }
}

/// The model satisfies what was asked, and values of compound terms fit those of their parts.
fn model_is_right(
    pool: &Pool,
    solver: &mut dyn Solver,
    all: &[Term],
    clause: &[Term],
    probe: Term,
    context: &str,
) {
    let mut value = |term: Term| solver.value(pool, term).expect("a value");
    for formula in all {
        assert_eq!(value(*formula), Value::Bool(true), "{context}");
    }
    let satisfied = clause.is_empty() || clause.iter().any(|f| value(*f) == Value::Bool(true));
    assert!(satisfied, "{context}: the clause");
    let Value::Bits(word) = value(probe) else { panic!("{context}: a word") };
    let said = value(pool.eq(probe, pool.constant(Value::Bits(word))));
    assert_eq!(said, Value::Bool(true), "{context}: {probe:?}");
}

fn sessions(theory: Theory, seeds: std::ops::Range<u64>) {
    let (mut counts, enough) = ((0, 0), (seeds.end - seeds.start) as u32 / 2);
    seeds.for_each(|seed| session(theory, seed, &mut counts));
    assert!(counts.0 > enough && counts.1 > enough, "{counts:?}");
}

#[test]
fn bit_vectors() {
    sessions(Theory::Bits, 0..60);
}

#[test]
fn arrays() {
    sessions(Theory::Arrays, 100..160);
}

#[test]
fn functions() {
    sessions(Theory::Functions, 200..260);
}

#[test]
fn floats() {
    sessions(Theory::Floats, 300..312);
}

#[test]
fn a_solver_for_bits_refuses_integers_and_the_general_one_does_not() {
    let pool = Pool::new();
    let n = pool.var("n", Sort::Int);
    let formula = pool.eq(n, pool.int(3));
    for mut solver in [Standard.bits(), Standard.floats()] {
        let refused = solver.assert(&pool, formula).and_then(|()| solver.check(&pool, &[]));
        assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
    }
    let mut general = Standard.general();
    general.assert(&pool, formula).expect("Z3 has integers");
    assert_eq!(general.check(&pool, &[]), Ok(Answer::Sat));
    assert_eq!(general.check(&pool, &[pool.not(formula)]), Ok(Answer::Unsat));
}
