//! Which bytes a run has written.

use super::*;

/// A run that does something to two blocks of eight bytes, the second of which somebody outside has
/// made, and to a static object; then it says of each word whether it was written.
fn written(act: impl Fn(&Build, [Term; 3]) -> Vec<Instruction>) -> Vec<bool> {
    let mut b = Build::new();
    let start = b.start();
    let object = b.object("g", 0x1000, 8, false);
    let (p, tp) = b.variable("p", W32, Some(start));
    let (q, tq) = b.variable("q", W32, Some(start));
    let mut program: Vec<Instruction> = [(p, false), (q, true)]
        .into_iter()
        .map(|(into, written)| Instruction::Allocate {
            into,
            size: b.bv(8),
            align: 4,
            storage: Storage::Heap,
            written,
            scalars: Vec::new(),
            name: None,
        })
        .collect();
    program.extend(act(&b, [tp, tq, object]));
    let mut flags = Vec::new();
    for address in [tp, tq, object] {
        for offset in [0, 4] {
            let name = format!("f{}", flags.len());
            let (into, _) = b.variable(&name, Sort::Bool, Some(start));
            let address = b.program.pool.bv_add(address, b.bv(offset));
            program.push(Instruction::Written { into, address, size: 4 });
            flags.push(into);
        }
    }
    b.line(start, program);
    let (outcome, values) = b.run(&mut Fixed::default());
    assert!(finished(&outcome), "{outcome:?}");
    flags.iter().map(|flag| values[flag] == Value::Bool(true)).collect()
}

#[test]
fn objects_begin_unwritten_or_written() {
    assert_eq!(written(|_, _| Vec::new()), [false, false, true, true, true, true]);
}

#[test]
fn all_bytes_of_a_word_must_be_written() {
    let store = |b: &Build, address, width| Instruction::Store {
        address,
        value: b.program.pool.bv(1, width),
    };
    let two = |b: &Build, [p, ..]: [Term; 3]| {
        let next = b.program.pool.bv_add(p, b.bv(4));
        vec![store(b, p, 32), store(b, next, 16)]
    };
    assert_eq!(written(two)[..2], [true, false]);
    let fill = |b: &Build, [p, ..]: [Term; 3]| {
        let byte = b.program.pool.bv(0, 8);
        vec![Instruction::Fill { to: p, byte, length: b.bv(7) }]
    };
    assert_eq!(written(fill)[..2], [true, false]);
}

#[test]
fn to_look_at_a_byte_is_not_to_write_it() {
    let copied = |b: &Build, [p, _, g]: [Term; 3]| {
        let next = b.program.pool.bv_add(p, b.bv(4));
        vec![
            Instruction::Store { address: next, value: b.bv(1) },
            // Copying asks for the values of the first word.
            Instruction::Copy { to: g, from: p, length: b.bv(8) },
        ]
    };
    assert_eq!(written(copied), [false, true, true, true, false, true]);
}

#[test]
fn unknown_values_are_written_unless_they_are_none() {
    for (cause, expected) in [(Cause::Assembly, true), (Cause::Uninitialized, false)] {
        let act = |b: &Build, [p, q, _]: [Term; 3]| {
            let havoc = |address| Instruction::HavocBytes {
                address,
                length: b.bv(8),
                cause: cause.clone(),
            };
            vec![havoc(p), havoc(q)]
        };
        assert_eq!(written(act)[..4], [expected; 4]);
    }
}

#[test]
fn what_is_outside_is_a_fault() {
    let mut b = Build::new();
    let start = b.start();
    let object = b.object("g", 0x1000, 8, false);
    let (into, _) = b.variable("f", Sort::Bool, Some(start));
    let address = b.program.pool.bv_add(object, b.bv(6));
    b.line(start, vec![Instruction::Written { into, address, size: 4 }]);
    let (outcome, _) = b.run(&mut Fixed::default());
    assert!(matches!(outcome, Outcome::Violation { property: Property::Pointer, .. }));
}
