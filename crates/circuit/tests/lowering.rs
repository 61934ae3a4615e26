//! Words and bits agree: random BTOR2 systems run side by side at both levels on random inputs,
//! and every output has the same value at every step.

use aig::simulate::Words;
use circuit::btor2::simulate::{Step, Value, initial_states};
use circuit::btor2::{Binary, Sort, System, Unary, lower, read};
use circuit::{Init, Source};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::fmt::Write;
use value::Bits;

const WIDTHS: [u32; 4] = [1, 2, 3, 5];

/// Writes a random system line by line; nodes are known by number and sort.
struct Writer {
    text: String,
    next: usize,
    nodes: Vec<(usize, Sort)>,
    rng: StdRng,
}

impl Writer {
    fn line(&mut self, text: &str) -> usize {
        let number = self.next;
        self.next += 1;
        writeln!(self.text, "{number} {text}").expect("writing to a string");
        number
    }

    fn node(&mut self, sort: Sort, text: &str) -> usize {
        let number = self.line(&text.replace("SORT", &sort_id(sort).to_string()));
        self.nodes.push((number, sort));
        number
    }

    /// A node of this sort, sometimes negated.
    fn pick(&mut self, sort: Sort) -> Option<i64> {
        let fitting: Vec<usize> =
            self.nodes.iter().filter(|(_, s)| *s == sort).map(|(n, _)| *n).collect();
        let node = *fitting.choose(&mut self.rng)? as i64;
        let negate = matches!(sort, Sort::BitVec(_)) && self.rng.random_bool(0.2);
        Some(if negate { -node } else { node })
    }
}

const ARRAY: Sort = Sort::Array { index: 2, element: 3 };

/// Sorts come first: lines 1 to 4 are the bit vectors, line 5 the array.
fn sort_id(sort: Sort) -> usize {
    match sort {
        Sort::BitVec(width) => {
            WIDTHS.iter().position(|w| *w == width).expect("one of the widths") + 1
        }
        Sort::Array { .. } => WIDTHS.len() + 1,
    }
}

fn random_text(seed: u64) -> String {
    let rng = StdRng::seed_from_u64(seed);
    let mut w = Writer { text: String::new(), next: 1, nodes: Vec::new(), rng };
    for width in WIDTHS {
        w.line(&format!("sort bitvec {width}"));
    }
    w.line("sort array 2 3");
    let sorts: Vec<Sort> = WIDTHS.map(Sort::BitVec).into_iter().chain([ARRAY, ARRAY]).collect();
    for sort in &sorts {
        if let Sort::BitVec(width) = sort {
            w.node(*sort, "input SORT");
            let bits: String =
                (0..*width).map(|_| if w.rng.random() { '1' } else { '0' }).collect();
            w.node(*sort, &format!("const SORT {bits}"));
        }
    }
    let mut states = Vec::new();
    for sort in sorts.iter().chain(&sorts) {
        let state = w.node(*sort, "state SORT");
        // Initial values: none, a constant, or an earlier state.
        let init = match (w.rng.random_range(0..3), sort) {
            (1, Sort::BitVec(_)) => Some(w.node(*sort, "one SORT")),
            (1, Sort::Array { element, .. }) => Some(w.node(Sort::BitVec(*element), "ones SORT")),
            (2, sort) => {
                let earlier: Vec<usize> =
                    states.iter().filter(|(_, s)| s == sort).map(|(n, _)| *n).collect();
                earlier.choose(&mut w.rng).copied()
            }
            _ => None,
        };
        if let Some(init) = init {
            w.line(&format!("init {} {state} {init}", sort_id(*sort)));
        }
        states.push((state, *sort));
    }
    for _ in 0..60 {
        random_node(&mut w);
    }
    for (state, sort) in states {
        if w.rng.random_bool(0.8) {
            let next = w.pick(sort).expect("the state itself fits");
            w.line(&format!("next {} {state} {next}", sort_id(sort)));
        }
    }
    let observed: Vec<(usize, Sort)> = w.nodes.clone();
    for (node, sort) in observed {
        match sort {
            Sort::BitVec(1) => {
                w.line(&format!("bad {node}"));
            }
            Sort::BitVec(_) => {
                let odd = w.line(&format!("redxor 1 {node}"));
                w.line(&format!("bad {odd}"));
                let some = w.line(&format!("redor 1 {node}"));
                w.line(&format!("bad {some}"));
            }
            Sort::Array { .. } => {}
        }
    }
    w.text
}

fn random_node(w: &mut Writer) {
    let width = *WIDTHS.choose(&mut w.rng).expect("not empty");
    let sort = Sort::BitVec(width);
    let (a, b) = (w.pick(sort).expect("inputs exist"), w.pick(sort).expect("inputs exist"));
    match w.rng.random_range(0..10) {
        0 => {
            let op = *Unary::ALL.choose(&mut w.rng).expect("not empty");
            let reduced = op.name().starts_with("red");
            let result = if reduced { Sort::BOOL } else { sort };
            w.node(result, &format!("{} SORT {a}", op.name()));
        }
        1 => {
            let c = w.pick(Sort::BOOL).expect("inputs exist");
            w.node(sort, &format!("ite SORT {c} {a} {b}"));
        }
        2 => {
            let c = w.pick(Sort::BOOL).expect("inputs exist");
            let (x, y) = (w.pick(ARRAY).expect("states"), w.pick(ARRAY).expect("states"));
            w.node(ARRAY, &format!("ite SORT {c} {x} {y}"));
            w.node(Sort::BOOL, &format!("eq SORT {x} {y}"));
        }
        3 => {
            let array = w.pick(ARRAY).expect("states");
            let index = w.pick(Sort::BitVec(2)).expect("inputs exist");
            w.node(Sort::BitVec(3), &format!("read SORT {array} {index}"));
        }
        4 => {
            let array = w.pick(ARRAY).expect("states");
            let index = w.pick(Sort::BitVec(2)).expect("inputs exist");
            let element = w.pick(Sort::BitVec(3)).expect("inputs exist");
            w.node(ARRAY, &format!("write SORT {array} {index} {element}"));
        }
        5 => {
            let wide = w.pick(Sort::BitVec(5)).expect("inputs exist");
            w.node(Sort::BitVec(3), &format!("slice SORT {wide} 3 1"));
            let narrow = w.pick(Sort::BitVec(3)).expect("inputs exist");
            let extend = if w.rng.random() { "sext" } else { "uext" };
            w.node(Sort::BitVec(5), &format!("{extend} SORT {narrow} 2"));
        }
        _ => {
            let op = *Binary::ALL.choose(&mut w.rng).expect("not empty");
            let name = op.name();
            use Binary::*;
            match op {
                Concat => {
                    let (x, y) = (
                        w.pick(Sort::BitVec(2)).expect("ok"),
                        w.pick(Sort::BitVec(3)).expect("ok"),
                    );
                    w.node(Sort::BitVec(5), &format!("concat SORT {x} {y}"));
                }
                Iff | Implies => {
                    let (x, y) = (w.pick(Sort::BOOL).expect("ok"), w.pick(Sort::BOOL).expect("ok"));
                    w.node(Sort::BOOL, &format!("{name} SORT {x} {y}"));
                }
                Eq | Neq | Sgt | Ugt | Sgte | Ugte | Slt | Ult | Slte | Ulte | Saddo | Uaddo
                | Sdivo | Smulo | Umulo | Ssubo | Usubo => {
                    w.node(Sort::BOOL, &format!("{name} SORT {a} {b}"));
                }
                _ => {
                    w.node(sort, &format!("{name} SORT {a} {b}"));
                }
            }
        }
    }
}

/// A random value of a sort, and its bits as the bit level orders them.
fn random_value(rng: &mut StdRng, sort: Sort) -> (Value, Vec<bool>) {
    match sort {
        Sort::BitVec(width) => {
            let bits = Bits::from_u64(width, rng.random());
            (Value::Bits(bits.clone()), bits.iter().collect())
        }
        Sort::Array { index, element } => {
            let mut array = circuit::btor2::simulate::Array::constant(index, Bits::zero(element));
            let mut all = Vec::new();
            for k in 0..1u64 << index {
                let bits = Bits::from_u64(element, rng.random());
                all.extend(bits.iter());
                array.set(&Bits::from_u64(index, k), bits);
            }
            (Value::Array(std::sync::Arc::new(array)), all)
        }
    }
}

fn run(words: &System, seed: u64) {
    let lowered = lower(words).expect("small");
    let system = &lowered.system;
    system.check().expect("well-formed");
    let sources = system.sources().expect("well-formed");
    let mut rng = StdRng::seed_from_u64(seed);
    let sort_of = |node: usize| words.nodes()[node].sort;
    // Bit-level inputs are the inputs, then the states without a next value; latches the others.
    let mut latches: Vec<bool> = Vec::new();
    let mut first_free = Vec::new();
    let states = initial_states(words, |k| {
        let (value, bits) = random_value(&mut rng, sort_of(words.states()[k].node));
        first_free.push((k, bits));
        value
    });
    for (k, state) in words.states().iter().enumerate() {
        if state.next.is_some() {
            let free = first_free.iter().find(|(n, _)| *n == k).map(|(_, bits)| bits.clone());
            let count = random_value(&mut StdRng::seed_from_u64(0), sort_of(state.node)).1.len();
            latches.extend(free.unwrap_or_else(|| vec![false; count]));
        }
    }
    latches.resize(system.latches.len(), false);
    for (latch, value) in system.latches.iter().zip(&mut latches) {
        match latch.init {
            Init::Zero => *value = false,
            Init::One => *value = true,
            Init::Free => {}
        }
    }
    let mut states = states;
    let mut free_now: Vec<(usize, Vec<bool>)> = first_free;
    for step in 0..6 {
        let mut values = Vec::new();
        let mut bits: Vec<bool> = Vec::new();
        for node in words.inputs() {
            let (value, its) = random_value(&mut rng, sort_of(*node));
            values.push(value);
            bits.extend(its);
        }
        for (k, state) in words.states().iter().enumerate() {
            if state.next.is_none() {
                let free = free_now.iter().find(|(n, _)| *n == k).map(|(_, its)| its.clone());
                let count =
                    random_value(&mut StdRng::seed_from_u64(0), sort_of(state.node)).1.len();
                bits.extend(free.unwrap_or_else(|| vec![false; count]));
            }
        }
        let simulated = Step::compute(words, &states, &values);
        let nodes = Words::simulate(&system.aig, |i| match sources[i] {
            Source::Input(n) => u64::from(bits[n]),
            Source::Latch(n) => u64::from(latches[n]),
        });
        for (number, (root, signal)) in words.bads.iter().zip(&system.bads).enumerate() {
            let expected = simulated.value(root.value).is_true();
            let found = nodes.word(signal.edge) & 1 == 1;
            assert_eq!(
                found, expected,
                "seed {seed}, step {step}, bad {number}, line {}",
                root.line
            );
        }
        free_now.clear();
        states = simulated.next_states(words, |k| {
            let (value, its) = random_value(&mut rng, sort_of(words.states()[k].node));
            free_now.push((k, its));
            value
        });
        latches = system.latches.iter().map(|l| nodes.word(l.next) & 1 == 1).collect();
    }
}

#[test]
fn words_and_bits_agree() {
    for seed in 0..300 {
        let text = random_text(seed);
        let words = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        for run_seed in 0..4 {
            run(&words, seed * 4 + run_seed);
        }
    }
}

#[test]
fn wide_arrays_are_refused() {
    let text =
        "1 sort bitvec 40\n2 sort array 1 1\n3 state 2\n4 sort bitvec 1\n5 zero 4\n6 bad 5\n";
    let words = read(text.as_bytes()).expect("well-formed");
    let error = lower(&words).err().expect("too large");
    assert_eq!(error.line, 3);
}
