//! BTOR2: round trips, the meaning of every operator, witnesses, and every way a file can be
//! wrong.

use circuit::Place;
use circuit::btor2::simulate::{Array, Step, Value, initial_states};
use circuit::btor2::witness::{
    Assignment, Frame, ReplayError, Witness, read_witness, replay, write_witness,
};
use circuit::btor2::{Binary, Op, Problem, Sort, System, Unary, read, write};
use circuit::random::Random;
use proptest::prelude::*;
use std::sync::Arc;
use value::Bits;

fn valid(text: &str) -> System {
    read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn bits(width: u32, value: u64) -> Value {
    Value::Bits(Bits::from_u64(width, value))
}

/// A random system that uses every operator: text, so that the reader is on the way.
fn random_system(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    let mut id = 0;
    let mut emit = |line: String| -> u64 {
        id += 1;
        text.push_str(&format!("{id} {line}\n"));
        id
    };
    let widths = [1u32, 3, 8, 70];
    let sorts: Vec<u64> = widths.iter().map(|w| emit(format!("sort bitvec {w}"))).collect();
    let array = emit(format!("sort array {} {}", sorts[1], sorts[2]));
    // Nodes by the position of their sort; arrays last.
    let mut pools: Vec<Vec<u64>> = vec![Vec::new(); widths.len() + 1];
    let mut states = Vec::new();
    for (k, width) in widths.iter().enumerate() {
        let digits: String =
            (0..*width).map(|_| if random.one_in(2) { '1' } else { '0' }).collect();
        let constants = ["zero", "one", "ones"].map(|c| emit(format!("{c} {}", sorts[k])));
        pools[k].extend(constants);
        pools[k].push(emit(format!("const {} {digits}", sorts[k])));
        pools[k].push(emit(format!("constd {} 1", sorts[k])));
        pools[k].push(emit(format!("consth {} 1", sorts[k])));
        let init = pools[k][random.below(6)];
        let state = emit(format!("state {} s{k} ; a comment", sorts[k]));
        if random.one_in(2) {
            emit(format!("init {} {state} {init}", sorts[k]));
        }
        states.push((k, state));
        pools[k].push(state);
        pools[k].push(emit(format!("input {} i{k}", sorts[k])));
    }
    let memory = emit(format!("state {array} memory"));
    if random.one_in(2) {
        emit(format!("init {array} {memory} {}", pools[2][0]));
    }
    states.push((4, memory));
    pools[4].push(memory);
    pools[4].push(emit(format!("input {array}")));
    for round in 0..60 {
        let mut pick = |pools: &[Vec<u64>], k: usize| {
            let node = pools[k][random.below(pools[k].len())];
            let negate = k < 4 && random.one_in(5);
            format!("{}{node}", if negate { "-" } else { "" })
        };
        let mut choose = Random::new(seed.wrapping_mul(7919).wrapping_add(round));
        let k = choose.below(4);
        let (a, b, c) = (pick(&pools, k), pick(&pools, k), pick(&pools, 0));
        let (result, line) = match choose.below(9) {
            0 => {
                let op = Unary::ALL[choose.below(Unary::ALL.len())];
                let reduced = matches!(op, Unary::RedAnd | Unary::RedOr | Unary::RedXor);
                let to = if reduced { 0 } else { k };
                (to, format!("{} {} {a}", op.name(), sorts[to]))
            }
            1 => (1, format!("slice {} {} {} {}", sorts[1], pick(&pools, 2), 4, 2)),
            2 => {
                let name = if choose.one_in(2) { "sext" } else { "uext" };
                (2, format!("{name} {} {} 5", sorts[2], pick(&pools, 1)))
            }
            3 => (k, format!("ite {} {c} {a} {b}", sorts[k])),
            4 => (2, format!("read {} {} {}", sorts[2], pick(&pools, 4), pick(&pools, 1))),
            5 => {
                let (m, i, e) = (pick(&pools, 4), pick(&pools, 1), pick(&pools, 2));
                (4, format!("write {array} {m} {i} {e}"))
            }
            6 => {
                let (m, n) = (pick(&pools, 4), pick(&pools, 4));
                match choose.below(3) {
                    0 => (4, format!("ite {array} {c} {m} {n}")),
                    1 => (0, format!("eq {} {m} {n}", sorts[0])),
                    _ => (0, format!("neq {} {m} {n}", sorts[0])),
                }
            }
            _ => {
                let op = Binary::ALL[choose.below(Binary::ALL.len())];
                use Binary::*;
                match op {
                    Concat => {
                        let widened = emit(format!("uext {} {} 62", sorts[3], pick(&pools, 2)));
                        pools[3].push(widened);
                        continue;
                    }
                    Iff | Implies => {
                        (0, format!("{} {} {c} {}", op.name(), sorts[0], pick(&pools, 0)))
                    }
                    Eq | Neq | Sgt | Ugt | Sgte | Ugte | Slt | Ult | Slte | Ulte | Saddo
                    | Uaddo | Sdivo | Smulo | Umulo | Ssubo | Usubo => {
                        (0, format!("{} {} {a} {b}", op.name(), sorts[0]))
                    }
                    _ => (k, format!("{} {} {a} {b}", op.name(), sorts[k])),
                }
            }
        };
        let node = emit(line);
        pools[result].push(node);
    }
    for (k, state) in states {
        let sort = if k == 4 { array } else { sorts[k] };
        let next = pools[k][random.below(pools[k].len())];
        if !random.one_in(4) {
            emit(format!("next {sort} {state} {next}"));
        }
    }
    let last = pools[0][pools[0].len() - 1];
    emit(format!("constraint {}", pools[0][random.below(pools[0].len())]));
    emit(format!("bad -{last} violated"));
    emit(format!("output {} seen", pools[3][pools[3].len() - 1]));
    text
}

fn random_value(random: &mut Random, sort: Sort) -> Value {
    let word = |random: &mut Random, width: u32| {
        let low = u128::from(random.word()) << 64 | u128::from(random.word());
        Bits::from_u128(width.min(128), low).sign_extend(width.saturating_sub(128))
    };
    match sort {
        Sort::BitVec(width) => Value::Bits(word(random, width)),
        Sort::Array { index, element } => {
            let mut array = Array::constant(index, word(random, element));
            for _ in 0..random.below(4) {
                let (at, value) = (word(random, index), word(random, element));
                array.set(&at, value);
            }
            Value::Array(Arc::new(array))
        }
    }
}

/// The values of properties, outputs and states along a random run.
fn run(system: &System, seed: u64) -> Vec<Value> {
    let mut random = Random::new(seed);
    let sort = |node: usize| system.nodes()[node].sort;
    let state_sorts: Vec<Sort> = system.states().iter().map(|s| sort(s.node)).collect();
    // Drawn for all states in their order, whatever the order of evaluation is.
    let free = |random: &mut Random| -> Vec<Value> {
        state_sorts.iter().map(|s| random_value(random, *s)).collect()
    };
    let drawn = free(&mut random);
    let mut states = initial_states(system, |k| drawn[k].clone());
    let mut seen = Vec::new();
    for _ in 0..4 {
        let inputs: Vec<Value> =
            system.inputs().iter().map(|n| random_value(&mut random, sort(*n))).collect();
        let step = Step::compute(system, &states, &inputs);
        seen.extend(states);
        for root in system.bads.iter().chain(&system.constraints).chain(&system.outputs) {
            seen.push(step.value(root.value));
        }
        let drawn = free(&mut random);
        states = step.next_states(system, |k| drawn[k].clone());
    }
    seen
}

#[test]
fn round_trips() {
    for seed in 0..200 {
        let system = valid(&random_system(seed));
        let written = write(&system);
        let again = read(&written).expect("what we write we read");
        assert_eq!(write(&again), written);
        assert_eq!(again.nodes().len(), system.nodes().len());
        assert_eq!(run(&system, seed), run(&again, seed));
        let symbols = |s: &System| -> Vec<Option<String>> {
            let nodes = s.inputs().iter().copied().chain(s.states().iter().map(|x| x.node));
            nodes.map(|n| s.nodes()[n].symbol.clone()).collect()
        };
        assert_eq!(symbols(&system), symbols(&again));
        assert_eq!(again.bads[0].symbol.as_deref(), Some("violated"));
    }
}

/// Nodes come after their operands, and the reader keeps the lines.
#[test]
fn topological_order() {
    for seed in 0..50 {
        let system = valid(&random_system(seed));
        for (k, node) in system.nodes().iter().enumerate() {
            assert!(node.args.iter().all(|a| a.node < k));
            assert_eq!(node.args.len(), node.op.arity());
        }
        let mut seen = vec![false; system.nodes().len()];
        for index in system.init_order() {
            let node = &system.nodes()[*index];
            let state = system.states().iter().find(|s| s.node == *index);
            let needs = node.args.iter().copied().chain(state.and_then(|s| s.init));
            assert!(needs.into_iter().all(|n| seen[n.node]));
            seen[*index] = true;
        }
        assert!(system.states().iter().all(|s| seen[s.node]));
    }
}

/// The reference: integers of width 3, written independently.
fn reference(op: Binary, a: i64, b: i64) -> i64 {
    use Binary::*;
    let signed = |x: i64| if x >= 4 { x - 8 } else { x };
    let (sa, sb) = (signed(a), signed(b));
    let fits = |x: i64| (-4..4).contains(&x);
    let euclid = sa.checked_rem(sb).unwrap_or(sa);
    match op {
        Iff => i64::from(a == b),
        Implies => i64::from(a == 0 || b == 1),
        Eq => i64::from(a == b),
        Neq => i64::from(a != b),
        Sgt => i64::from(sa > sb),
        Ugt => i64::from(a > b),
        Sgte => i64::from(sa >= sb),
        Ugte => i64::from(a >= b),
        Slt => i64::from(sa < sb),
        Ult => i64::from(a < b),
        Slte => i64::from(sa <= sb),
        Ulte => i64::from(a <= b),
        And => a & b,
        Nand => !(a & b) & 7,
        Nor => !(a | b) & 7,
        Or => a | b,
        Xnor => !(a ^ b) & 7,
        Xor => a ^ b,
        Rol => ((a << (b % 3)) | (a >> (3 - b % 3))) & 7,
        Ror => ((a >> (b % 3)) | (a << (3 - b % 3))) & 7,
        Sll => {
            if b >= 3 {
                0
            } else {
                (a << b) & 7
            }
        }
        Srl => {
            if b >= 3 {
                0
            } else {
                a >> b
            }
        }
        Sra => (sa >> b.min(3)) & 7,
        Add => (a + b) & 7,
        Mul => (a * b) & 7,
        Sub => (a - b) & 7,
        Udiv => {
            if b == 0 {
                7
            } else {
                a / b
            }
        }
        Urem => {
            if b == 0 {
                a
            } else {
                a % b
            }
        }
        Sdiv => match sb {
            0 if sa < 0 => 1,
            0 => 7,
            _ => (sa / sb) & 7,
        },
        Srem => euclid & 7,
        Smod => match sb {
            0 => a,
            _ => (((sa % sb) + sb) % sb) & 7,
        },
        Saddo => i64::from(!fits(sa + sb)),
        Uaddo => i64::from(a + b > 7),
        Sdivo => i64::from(sa == -4 && sb == -1),
        Smulo => i64::from(!fits(sa * sb)),
        Umulo => i64::from(a * b > 7),
        Ssubo => i64::from(!fits(sa - sb)),
        Usubo => i64::from(a < b),
        Concat => a << 3 | b,
    }
}

#[test]
fn binary_operators() {
    for op in Binary::ALL {
        let probe = reference_widths(*op);
        let (arg, result) = probe;
        let text = format!(
            "1 sort bitvec {arg}\n2 sort bitvec {result}\n3 input 1\n4 input 1\n5 {} 2 3 4\n6 output 5\n7 output -5\n",
            op.name()
        );
        let system = valid(&text);
        for a in 0..1u64 << arg {
            for b in 0..1u64 << arg {
                let step = Step::compute(&system, &[], &[bits(arg, a), bits(arg, b)]);
                let expected = reference(*op, a as i64, b as i64) as u64;
                assert_eq!(
                    step.value(system.outputs[0].value),
                    bits(result, expected),
                    "{op:?} {a} {b}"
                );
                let negated = !expected & ((1 << result) - 1);
                assert_eq!(step.value(system.outputs[1].value), bits(result, negated));
            }
        }
    }
}

/// The widths of operands and result with which an operator is tried.
fn reference_widths(op: Binary) -> (u32, u32) {
    use Binary::*;
    match op {
        Iff | Implies => (1, 1),
        Concat => (3, 6),
        And | Nand | Nor | Or | Xnor | Xor | Rol | Ror | Sll | Sra | Srl | Add | Mul | Sdiv
        | Udiv | Smod | Srem | Urem | Sub => (3, 3),
        _ => (3, 1),
    }
}

#[test]
fn unary_and_indexed_operators() {
    type Case = (&'static str, u32, fn(u64) -> u64);
    let cases: &[Case] = &[
        ("not 2 3", 3, |a| !a & 7),
        ("inc 2 3", 3, |a| (a + 1) & 7),
        ("dec 2 3", 3, |a| (a + 7) & 7),
        ("neg 2 3", 3, |a| (8 - a) & 7),
        ("redand 2 3", 1, |a| u64::from(a == 7)),
        ("redor 2 3", 1, |a| u64::from(a != 0)),
        ("redxor 2 3", 1, |a| u64::from(a.count_ones() % 2 == 1)),
        ("sext 2 3 2", 5, |a| if a >= 4 { a | 24 } else { a }),
        ("uext 2 3 2", 5, |a| a),
        ("sext 2 3 0", 3, |a| a),
        ("slice 2 3 2 1", 2, |a| a >> 1),
        ("slice 2 3 0 0", 1, |a| a & 1),
        ("ite 2 -4 3 5", 3, |a| a),
    ];
    for (line, width, expected) in cases {
        let text = format!(
            "1 sort bitvec 3\n7 sort bitvec 1\n2 sort bitvec {width}\n3 input 1\n4 zero 7\n5 ones 1\n6 {line}\n8 output 6\n"
        );
        let system = valid(&text);
        for a in 0..8 {
            let step = Step::compute(&system, &[], &[bits(3, a)]);
            assert_eq!(
                step.value(system.outputs[0].value),
                bits(*width, expected(a)),
                "{line} {a}"
            );
        }
    }
}

#[test]
fn arrays_are_compared_by_their_elements() {
    let b = |w, v| Bits::from_u64(w, v);
    let mut covered = Array::constant(1, b(2, 0));
    covered.set(&b(1, 0), b(2, 3));
    assert_ne!(covered, Array::constant(1, b(2, 3)));
    covered.set(&b(1, 1), b(2, 3));
    assert_eq!(covered, Array::constant(1, b(2, 3)), "every element is 3, whatever the default");
    let wide = Array::constant(64, b(2, 0));
    assert_ne!(wide, Array::constant(64, b(2, 1)));
    assert_eq!(wide.write(&b(64, 5), b(2, 0)), wide, "writing what is there changes nothing");
}

const COUNTER: &str = "\
1 sort bitvec 8
2 sort bitvec 1
3 zero 1
4 state 1 count
5 init 1 4 3
6 input 2 enable
7 inc 1 4
8 ite 1 6 7 4
9 next 1 4 8
10 constd 1 2
11 eq 2 4 10
12 bad 11 reached
13 sort array 2 1
14 state 13 memory
15 next 13 14 14
16 one 2
17 read 1 14 16
18 constd 1 7
19 eq 2 17 18
20 state 2 free
21 constraint 19
22 constraint -20
";

fn counter_witness() -> &'static str {
    "sat\nb0\n#0\n1 [1] 00000111 memory#0\n2 0\n@0\n0 1 enable@0\n#1\n@1\n0 1\n@2\n0 0\n.\n"
}

#[test]
fn witnesses_replay() {
    let system = valid(COUNTER);
    let witness = read_witness(counter_witness().as_bytes()).expect("valid");
    assert_eq!(replay(&system, &witness), Ok(()));
    let written = write_witness(&system, &witness);
    assert_eq!(read_witness(&written).expect("what we write we read"), witness);

    let change = |f: &dyn Fn(&mut Witness)| {
        let mut changed = witness.clone();
        f(&mut changed);
        replay(&system, &changed)
    };
    let byte = |v| Assignment::Bits(Bits::from_u64(8, v));
    let bit = |v| Assignment::Bits(Bits::from_u64(1, v));
    assert_eq!(
        change(&|w| drop(w.frames[0].states.insert(0, byte(1)))),
        Err(ReplayError::State { number: 0, step: 0 })
    );
    assert_eq!(change(&|w| drop(w.frames[1].states.insert(0, byte(1)))), Ok(()));
    assert_eq!(
        change(&|w| drop(w.frames[1].states.insert(0, byte(2)))),
        Err(ReplayError::State { number: 0, step: 1 })
    );
    assert_eq!(
        change(&|w| drop(w.frames[1].inputs.insert(0, bit(0)))),
        Err(ReplayError::NotBad { bad: 0, line: 12, step: 2 })
    );
    assert_eq!(
        change(&|w| drop(w.frames[1].states.insert(2, bit(1)))),
        Err(ReplayError::Constraint { constraint: 1, line: 22, step: 1 })
    );
    assert_eq!(
        change(&|w| drop(w.frames[0].states.remove(&1))),
        Err(ReplayError::Constraint { constraint: 0, line: 21, step: 0 })
    );
    assert!(matches!(
        change(&|w| drop(w.frames[0].inputs.insert(0, byte(0)))),
        Err(ReplayError::Sort { what: "input", number: 0, step: 0, .. })
    ));
    assert!(matches!(
        change(&|w| drop(w.frames[2].inputs.insert(1, bit(0)))),
        Err(ReplayError::NoSuch { what: "input", number: 1, step: 2, .. })
    ));
    assert_eq!(change(&|w| w.bads = vec![1]), Err(ReplayError::NoSuchBad { bad: 1, count: 1 }));
    assert_eq!(change(&|w| w.bads.clear()), Err(ReplayError::NoBad));
    assert_eq!(change(&|w| w.frames.clear()), Err(ReplayError::Empty));
    assert_eq!(
        change(&|w| w.frames.truncate(2)),
        Err(ReplayError::NotBad { bad: 0, line: 12, step: 1 })
    );
}

#[test]
fn malformed_witnesses() {
    for (text, line, column) in [
        ("", 1, 1),
        ("unsat\n", 1, 1),
        ("sat\nb0\n#0\n", 4, 1),
        ("sat\nx\n", 2, 1),
        ("sat\nb0 x\n", 2, 4),
        ("sat\nb0\n#1\n", 3, 1),
        ("sat\nb0\n@1\n", 3, 1),
        ("sat\nb0\n@0\n@0\n", 4, 1),
        ("sat\nb0\n#0\n0\n", 4, 2),
        ("sat\nb0\n#0\n0 012\n", 4, 3),
        ("sat\nb0\n#0\n0 []\n", 4, 3),
        ("sat\nb0\n#0\n0 [1]\n", 4, 6),
        ("sat\nb0\n#0\n0 1\n0 0\n", 5, 1),
        ("sat\nb0\n#0\n0 1 a b\n", 4, 7),
    ] {
        let error = read_witness(text.as_bytes()).expect_err(text);
        assert_eq!(error.place, Place::Text { line, column }, "{text:?}: {error}");
    }
    let frames = read_witness(b"sat\nb0\nb1\n@0\n.\nrest is ignored").expect("valid");
    assert_eq!((frames.bads, frames.frames), (vec![0, 1], vec![Frame::default()]));
}

#[test]
fn initial_values_in_any_order() {
    let system = valid(
        "1 sort bitvec 4\n2 state 1\n3 state 1\n4 inc 1 3\n5 init 1 2 4\n6 constd 1 3\n7 init 1 3 6\n",
    );
    let states = initial_states(&system, |_| unreachable!("all are initialized"));
    assert_eq!(states, [bits(4, 4), bits(4, 3)]);
    // Written, every initial value precedes its state, as other readers demand.
    let text = String::from_utf8(write(&system)).expect("text");
    valid(&text);
    let line_of = |wanted: &str| text.lines().position(|l| l.contains(wanted)).expect("there");
    assert!(line_of("const ") < line_of("state "));
    assert!(line_of("inc ") < text.lines().count());
}

fn problem(text: &str) -> (Place, Problem) {
    let error = read(text.as_bytes()).expect_err(text);
    assert!(!error.to_string().is_empty());
    (error.place, error.problem)
}

#[test]
fn malformed_files() {
    use Problem::*;
    let head = "1 sort bitvec 1\n2 sort bitvec 8\n3 sort array 1 2\n4 input 1\n5 input 2\n6 input 3\n7 state 2\n";
    let bv = |w| Sort::BitVec(w);
    let array = Sort::Array { index: 1, element: 8 };
    let operand = |number, expected: &str, found| OperandSort {
        number,
        expected: expected.to_owned(),
        found,
    };
    let declared =
        |declared, computed: &str| DeclaredSort { declared, computed: computed.to_owned() };
    let found = |expected, found: &str| Unexpected { expected, found: found.to_owned() };
    let cases: Vec<(&str, usize, Problem)> = vec![
        ("8", 2, Missing("a keyword")),
        ("x sort", 1, found("the line's identifier (a positive number)", "x")),
        ("0 zero 1", 1, found("the line's identifier (a positive number)", "0")),
        ("-8 zero 1", 1, Negated("a line's identifier")),
        ("7 zero 1", 1, Redefined { id: 7, first: 7 }),
        ("8 frobnicate 1 2", 3, Keyword("frobnicate".to_owned())),
        ("8 sort", 7, Missing("\"bitvec\" or \"array\"")),
        ("8 sort bitvec", 14, Missing("a width")),
        ("8 sort bitvec 0", 15, Width(0)),
        ("8 sort bitvec 1048577", 15, Width(1048577)),
        ("8 sort bitvec -1", 15, found("a width", "-1")),
        ("8 sort bitvec 99999999999999999999", 15, found("a width", "99999999999999999999")),
        ("8 sort array 1 3", 16, NestedArray),
        ("8 sort float 8", 8, found("\"bitvec\" or \"array\"", "float")),
        ("8 zero 9", 8, Undefined(9)),
        ("8 zero 4", 8, NotASort { id: 4, line: 4 }),
        ("8 zero -1", 8, Negated("a sort")),
        ("8 zero 3", 3, declared(array, "bit vector")),
        ("8 not 1 1", 9, NotAValue { id: 1, line: 1 }),
        ("8 not 1 9", 9, Undefined(9)),
        ("8 not 2", 8, Missing("the identifier of a value")),
        ("8 not 2 5 x y", 13, found("the end of the line", "y")),
        ("8 not 2 4", 7, declared(bv(8), "bitvec 1")),
        ("8 not 3 6", 9, operand(1, "a bit vector", array)),
        ("8 write 3 -6 4 5", 11, Negated("an array")),
        ("8 add 2 5 4", 11, operand(2, "bitvec 8", bv(1))),
        ("8 eq 1 5 6", 10, operand(2, "bitvec 8", array)),
        ("8 eq 2 5 5", 6, declared(bv(8), "bitvec 1")),
        ("8 iff 1 4 5", 11, operand(2, "bitvec 1", bv(8))),
        ("8 ite 2 5 5 5", 9, operand(1, "bitvec 1", bv(8))),
        ("8 ite 2 4 5 4", 13, operand(3, "bitvec 8", bv(1))),
        ("8 read 2 5 4", 10, operand(1, "an array", bv(8))),
        ("8 read 2 6 5", 12, operand(2, "bitvec 1", bv(8))),
        ("8 write 3 6 4 4", 15, operand(3, "bitvec 8", bv(1))),
        ("8 slice 1 5 8 8", 3, Slice { high: 8, low: 8, width: 8 }),
        ("8 slice 1 5 0 1", 3, Slice { high: 0, low: 1, width: 8 }),
        ("8 slice 1 5 -1 0", 13, found("the highest bit of the slice", "-1")),
        ("8 uext 2 4 99999999999", 12, Width(99999999999)),
        ("8 uext 2 4 1048576", 3, Width(1048577)),
        ("8 uext 2 4 6", 8, declared(bv(8), "bitvec 7")),
        ("8 const 2 012", 11, found("binary digits", "012")),
        ("8 const 2 111111111", 11, ConstantTooLarge(8)),
        ("8 const 2 -1", 11, found("binary digits", "-1")),
        ("8 constd 2 256", 12, ConstantTooLarge(8)),
        ("8 constd 2 -129", 12, ConstantTooLarge(8)),
        ("8 constd 2 -", 12, found("a decimal number", "-")),
        ("8 consth 2 1ff", 12, ConstantTooLarge(8)),
        ("8 consth 2 xy", 12, found("hexadecimal digits", "xy")),
        ("8 const 3 1", 9, declared(array, "bit vector")),
        ("8 bad 5", 7, operand(1, "bitvec 1", bv(8))),
        ("8 constraint 6", 14, operand(1, "bitvec 1", array)),
        ("8 next 2 5 5", 10, NotAState { id: 5, line: 5 }),
        ("8 next 2 -7 5", 10, Negated("a state that is assigned")),
        ("8 next 1 7 4", 8, declared(bv(1), "bitvec 8")),
        ("8 next 2 7 4", 12, operand(2, "bitvec 8", bv(1))),
        ("8 init 2 7 5", 1, InitReadsInput(5)),
        ("8 init 2 7 7", 1, InitCycle),
        ("8 fair 4", 3, Liveness("fair")),
        ("8 justice 1 4", 3, Liveness("justice")),
    ];
    for (line, column, expected) in cases {
        let (place, found) = problem(&format!("{head}{line}\n"));
        assert_eq!((place, found), (Place::Text { line: 8, column }, expected), "{line}");
    }
    let (place, twice) = problem(&format!("{head}8 next 2 7 5\n9 next 2 7 7\n"));
    assert_eq!((place, twice), (Place::Text { line: 9, column: 1 }, Twice("next value")));
    let (_, twice) = problem(&format!("{head}8 zero 2\n9 init 2 7 8\n10 init 2 7 8\n"));
    assert_eq!(twice, Twice("initial value"));
}

#[test]
fn comments_blank_lines_and_symbols() {
    let system =
        valid("; head\n\n 1 sort  bitvec\t4 ; four\r\n2 input 1 a;b ; note\n3 input 1 ;c\n; end");
    let symbols: Vec<_> = system.nodes().iter().map(|n| n.symbol.as_deref()).collect();
    assert_eq!(symbols, [Some("a;b"), None]);
    assert!(valid("").nodes().is_empty());
    let constants = valid(
        "1 sort bitvec 8\n2 constd 1 -128\n3 constd 1 255\n4 const 1 0000000000001\n5 consth 1 fF\n",
    );
    let values: Vec<Op> = constants.nodes().iter().map(|n| n.op.clone()).collect();
    let constant = |v| Op::Const(Bits::from_u64(8, v));
    assert_eq!(values, [constant(128), constant(255), constant(1), constant(255)]);
}

/// A damaged file may declare words that are wider than those of the generator.
#[test]
fn wide_words_run() {
    let system = valid("1 sort bitvec 870\n2 input 1\n3 state 1\n4 xor 1 2 3\n5 next 1 3 4\n");
    assert_eq!(run(&system, 1).len(), 4);
}

/// Claims of size without data cost nothing, and long chains no stack.
#[test]
fn hostile_files() {
    let mut wide = "1 sort bitvec 1048576\n2 ones 1\n".to_owned();
    for k in 3..20_000 {
        wide.push_str(&format!("{k} not 1 {}\n", k - 1));
    }
    assert_eq!(valid(&wide).nodes().len(), 19_998);
    let mut chain = "1 sort bitvec 4\n2 zero 1\n".to_owned();
    for k in 3..200_000 {
        chain.push_str(&format!("{k} inc 1 {}\n", k - 1));
    }
    chain.push_str("200000 state 1\n200001 init 1 200000 199999\n");
    let system = valid(&chain);
    let states = initial_states(&system, |_| unreachable!("initialized"));
    assert_eq!(states, [bits(4, (200_000 - 3) % 16)]);
    let digits = "9".repeat(3_000_000);
    let huge = problem(&format!("1 sort bitvec 64\n2 constd 1 {digits}\n")).1;
    assert_eq!(huge, Problem::ConstantTooLarge(64));
    assert!(problem(&format!("{digits} sort bitvec 1\n")).1.to_string().len() < 200);
}

fn damaged(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut file = random_system(seed).into_bytes();
    for _ in 0..1 + random.below(4) {
        let place = random.below(file.len());
        match random.below(4) {
            0 => file[place] = random.word() as u8,
            1 => drop(file.remove(place)),
            2 => file.truncate(place + 1),
            _ => file.insert(place, b"0123456789 \n-;sx"[random.below(16)]),
        }
    }
    file
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
        let _ = read_witness(&bytes);
    }

    #[test]
    fn arbitrary_lines_never_panic(
        lines in proptest::collection::vec("[1-9] (sort bitvec|sort array|input|state|init|next|bad|slice|uext|const|constd|read|write|ite|add|eq|redor)( -?[0-9]{1,2}){0,4}", 0..20)
    ) {
        if let Ok(system) = read(lines.join("\n").as_bytes()) {
            run(&system, 1);
        }
    }

    #[test]
    fn damaged_files_never_panic(seed in any::<u64>()) {
        if let Ok(system) = read(&damaged(seed)) {
            run(&system, seed);
        }
    }
}

#[test]
#[ignore = "takes minutes; run before releases"]
fn damaged_files_never_panic_long() {
    for seed in 0..500_000 {
        if let Ok(system) = read(&damaged(seed)) {
            run(&system, seed);
        }
    }
}
