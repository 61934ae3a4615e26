//! Runs whose objects lie where a placement says.

use super::*;
use crate::counterexample::{Counterexample, Object as Allocated, Script, Watched};

/// The outcome under a placement, and the last value of each register.
fn run_placed(
    b: &Build,
    placement: Placement,
    oracle: &mut dyn Oracle,
) -> (Outcome, FxHashMap<VariableId, Value>) {
    let interpreter = Interpreter::new(&b.program).expect("well-formed");
    watch(&interpreter.with_placement(placement), oracle)
}

/// Why the placement is not allowed; none if it is.
fn refused(b: &Build, placement: Placement) -> Option<Misplacement> {
    match run_placed(b, placement, &mut Fixed::default()).0 {
        Outcome::Ended { by: Ending::Placement(misplaced), .. } => Some(misplaced.why),
        Outcome::Finished { .. } => None,
        other => panic!("{other:?}"),
    }
}

fn allocate(into: VariableId, size: Term, storage: Storage) -> Instruction {
    let name = Some("local".into());
    Instruction::Allocate { into, size, align: 4, storage, written: false, scalars: vec![4], name }
}

fn free(address: Term) -> Instruction {
    Instruction::Free { address, storage: Storage::Heap }
}

/// Two static objects of four bytes, and the terms of their addresses.
fn two_objects() -> (Build, Term, Term) {
    let mut b = Build::new();
    let x = b.object("x", 0x1000, 4, false);
    let y = b.object("y", 0x2000, 4, false);
    (b, x, y)
}

fn at(x: (Term, u64), y: (Term, u64)) -> Placement {
    Placement::default().with_static(x.0, x.1).with_static(y.0, y.1)
}

#[test]
fn static_objects_lie_where_they_are_placed() {
    let (mut b, x, y) = two_objects();
    let start = b.start();
    let (less, _) = b.variable("less", Sort::Bool, Some(start));
    let (next, _) = b.variable("next", Sort::Bool, Some(start));
    let (from, _) = b.variable("from", W32, Some(start));
    let pool = &b.program.pool;
    let program = vec![
        Instruction::Assign(less, pool.bv_ult(x, y)),
        Instruction::Assign(next, pool.eq(pool.bv_add(x, b.bv(4)), y)),
        Instruction::Store { address: y, value: b.bv(7) },
        Instruction::Load { into: from, address: x },
    ];
    b.line(start, program);
    let cases = [
        (Placement::default(), true, false),
        (at((x, 0x2000), (y, 0x1000)), false, false),
        (at((x, 0x3000), (y, 0x3004)), true, true),
        (at((x, 0x3004), (y, 0x3000)), false, false),
        (Placement::default().with_static(x, 0x1ffc), true, true),
        // The first and the last place that there are.
        (at((x, 4), (y, 0xffff_fff8)), true, false),
    ];
    for (placement, is_less, is_next) in cases {
        let (outcome, values) = run_placed(&b, placement.clone(), &mut Fixed::default());
        assert!(finished(&outcome), "{placement:?}: {outcome:?}");
        assert_eq!(values[&less], Value::Bool(is_less), "{placement:?}");
        assert_eq!(values[&next], Value::Bool(is_next), "{placement:?}");
        assert_eq!(values[&from], bits(0x0403_0201), "{placement:?}");
    }
}

#[test]
fn the_last_placement_counts() {
    let (mut b, x, y) = two_objects();
    let start = b.start();
    let (p, _) = b.variable("p", W32, Some(start));
    b.line(start, vec![Instruction::Assign(p, x)]);
    let interpreter = Interpreter::new(&b.program).expect("well-formed");
    let interpreter = interpreter.with_placement(at((x, 0x30), (y, 0x40)));
    assert_eq!(watch(&interpreter, &mut Fixed::default()).1[&p], bits(0x30));
    let interpreter = interpreter.with_placement(Placement::default().with_static(x, 0x50));
    assert_eq!(watch(&interpreter, &mut Fixed::default()).1[&p], bits(0x50));
    let interpreter = interpreter.with_placement(Placement::default());
    assert_eq!(watch(&interpreter, &mut Fixed::default()).1[&p], bits(0x1000));
}

#[test]
fn accesses_across_a_border_are_errors() {
    let (mut b, x, y) = two_objects();
    let start = b.start();
    let (v, _) = b.variable("v", W32, Some(start));
    let wide = b.program.pool.bv(0, 64);
    for offset in [1, 3, 0] {
        let address = b.program.pool.bv_add(x, b.bv(offset));
        let read = Instruction::Load { into: v, address };
        let write = Instruction::Store { address, value: b.bv(0) };
        let long = Instruction::Store { address, value: wide };
        let copy = Instruction::Copy { to: x, from: address, length: b.bv(5) };
        let accesses = [(read, offset > 0), (write, offset > 0), (long, true), (copy, true)];
        for (access, wrong) in accesses {
            b.line(start, vec![access]);
            let placements =
                [at((x, 0x1000), (y, 0x1004)), at((x, 0x1004), (y, 0x1000)), Placement::default()];
            for placement in placements {
                let (outcome, _) = run_placed(&b, placement.clone(), &mut Fixed::default());
                let fault =
                    matches!(outcome, Outcome::Violation { fault: Some(Fault::Access { .. }), .. });
                assert_eq!(fault, wrong, "{placement:?}, {offset}: {outcome:?}");
                assert_eq!(finished(&outcome), !wrong);
            }
        }
    }
}

#[test]
fn initial_values_and_calls_follow_their_addresses() {
    let (mut b, x, y) = two_objects();
    let start = b.start();
    let f = b.function("f");
    let of_f = b.program.pool.var("&f", W32);
    b.program.addresses.insert(of_f, Bits::from_u64(32, 0x500));
    b.program.functions[f].address = Some(of_f);
    let (called, _) = b.variable("called", W32, None);
    b.line(f, vec![Instruction::Assign(called, b.bv(1))]);
    // x points to y, and y to the function.
    let (p, tp) = b.variable("p", W32, Some(start));
    for (object, points_to) in b.program.objects.values_mut().zip([y, of_f]) {
        object.initial = vec![(0, points_to)];
    }
    let call = Instruction::Call {
        callee: Callee::Pointer(tp),
        arguments: Vec::new(),
        results: Vec::new(),
    };
    let load = |address| Instruction::Load { into: p, address };
    b.line(start, vec![load(x), load(tp), call]);
    for (x_at, y_at, f_at) in [(0x1000, 0x1004, 0x1008), (0x90, 0x80, 0x8f), (0x80, 0x90, 1)] {
        let placement = at((x, x_at), (y, y_at)).with_static(of_f, f_at);
        let (outcome, values) = run_placed(&b, placement, &mut Fixed::default());
        assert!(finished(&outcome), "{outcome:?}");
        assert_eq!((&values[&p], &values[&called]), (&bits(f_at), &bits(1)));
    }
    // Inside of x, where y begins, and nowhere.
    for (address, why) in [
        (0x1003, Misplacement::Overlaps(0x1003)),
        (0x2000, Misplacement::Overlaps(0x2000)),
        (0, Misplacement::Zero),
    ] {
        assert_eq!(refused(&b, Placement::default().with_static(of_f, address)), Some(why));
    }
}

/// `p := allocate(8); p[0] := 7; free(p); q := allocate(4); v := *q; w := *p`
fn again() -> (Build, [VariableId; 4]) {
    let mut b = Build::new();
    let start = b.start();
    let (p, tp) = b.variable("p", W32, Some(start));
    let (q, tq) = b.variable("q", W32, Some(start));
    let (v, _) = b.variable("v", W32, Some(start));
    let (w, _) = b.variable("w", W32, Some(start));
    let program = vec![
        allocate(p, b.bv(8), Storage::Heap),
        Instruction::Store { address: tp, value: b.bv(7) },
        free(tp),
        allocate(q, b.bv(4), Storage::Heap),
        Instruction::Load { into: v, address: tq },
        Instruction::Load { into: w, address: tp },
    ];
    b.line(start, program);
    (b, [p, q, v, w])
}

#[test]
fn a_dangling_pointer_points_to_what_is_there_now() {
    let (b, [p, q, v, w]) = again();
    let heap = layout::Layout::new(32).heap;
    let same = [
        Placement::default().with_allocation(None).with_allocation(heap),
        Placement::default().with_allocation(0x100).with_allocation(0x100),
        Placement::default().with_allocation(0xffff_fff0).with_allocation(0xffff_fff0),
    ];
    for placement in same {
        let mut oracle = Counting::default();
        let (outcome, values) = run_placed(&b, placement, &mut oracle);
        assert!(finished(&outcome), "{outcome:?}");
        assert_eq!(values[&p], values[&q]);
        // What was written there is forgotten, what is asked for is kept.
        assert_eq!(oracle.0.len(), 4);
        assert_eq!((&values[&v], &values[&w]), (&bits(0x0403_0201), &bits(0x0403_0201)));
    }
    let other = [
        Placement::default(),
        Placement::default().with_allocation(0x100),
        // The new object has half of the old one's bytes, but not the first.
        Placement::default().with_allocation(0x100).with_allocation(0x104),
    ];
    for placement in other {
        let mut oracle = Counting::default();
        let (outcome, values) = run_placed(&b, placement, &mut oracle);
        assert_eq!(outcome.violates(), Some(Property::Pointer), "{outcome:?}");
        assert_ne!(values[&p], values[&q]);
        assert_eq!(oracle.0.len(), 4);
    }
}

#[test]
fn frames_may_use_the_same_place() {
    let mut b = Build::new();
    let start = b.start();
    let f = b.function("f");
    let (p, tp) = b.variable("p", W32, Some(f));
    let (v, _) = b.variable("v", W32, Some(f));
    let store = Instruction::Store { address: tp, value: b.bv(9) };
    let local = allocate(p, b.bv(4), Storage::Stack);
    b.line(f, vec![local, Instruction::Load { into: v, address: tp }, store]);
    let call = || Instruction::Call {
        callee: Callee::Function(f),
        arguments: Vec::new(),
        results: Vec::new(),
    };
    b.line(start, vec![call(), call(), call()]);
    for second in [0x8000, 0x8004, 0x7ffc] {
        let addresses = [Some(0x8000), Some(second), Some(0x8000)];
        let placement = Placement { allocations: addresses.to_vec(), ..Placement::default() };
        let mut oracle = Counting::default();
        let (outcome, values) = run_placed(&b, placement, &mut oracle);
        assert!(finished(&outcome), "{outcome:?}");
        assert_eq!(values[&v], bits(0x0c0b_0a09));
        let asked = addresses.into_iter().flatten().flat_map(|address| {
            (0..4).map(move |offset| Part::Memory { address: address + offset, offset })
        });
        assert_eq!(oracle.0, asked.collect::<Vec<_>>());
    }
}

/// A stack object that was freed and whose place another one has: the function's end frees it once.
#[test]
fn a_frame_ends_the_objects_that_are_there() {
    let mut b = Build::new();
    let start = b.start();
    let f = b.function("f");
    let (p, tp) = b.variable("p", W32, None);
    let (v, _) = b.variable("v", W32, Some(start));
    let local = || allocate(p, b.bv(4), Storage::Stack);
    let end = Instruction::Free { address: tp, storage: Storage::Stack };
    let heap = allocate(p, b.bv(4), Storage::Heap);
    let call = Instruction::Call {
        callee: Callee::Function(f),
        arguments: Vec::new(),
        results: Vec::new(),
    };
    let look = vec![call, Instruction::Load { into: v, address: tp }];
    let (again, instead) = (vec![local(), end.clone(), local()], vec![local(), end, heap]);
    b.line(start, look);
    for (body, lives) in [(again, false), (instead, true)] {
        b.line(f, body);
        for address in [0x8000, 4, 0x4000_0000] {
            let placement = Placement::default().with_allocation(address).with_allocation(address);
            let (outcome, _) = run_placed(&b, placement, &mut Fixed::default());
            assert_eq!(finished(&outcome), lives, "{outcome:?}");
        }
    }
}

#[test]
fn what_is_not_placed_goes_around_what_is() {
    let mut b = Build::new();
    let start = b.start();
    let registers = ["p", "q", "r"].map(|name| b.variable(name, W32, Some(start)).0);
    b.line(start, registers.map(|into| allocate(into, b.bv(4), Storage::Heap)).to_vec());
    let heap = layout::Layout::new(32).heap;
    let gap = layout::GAP;
    let cases = [
        (vec![], [heap, heap + 4 + gap, heap + 8 + 2 * gap]),
        (vec![Some(heap)], [heap, heap + 4 + gap, heap + 8 + 2 * gap]),
        (vec![Some(heap + 4)], [heap + 4, heap, heap + 4 + gap]),
        (vec![None, Some(heap + 4 + gap)], [heap, heap + 4 + gap, heap + 8 + 2 * gap]),
        (vec![None, None, Some(heap + 4)], [heap, heap + 4 + gap, heap + 4]),
    ];
    for (allocations, expected) in cases {
        let placement = Placement { allocations, ..Placement::default() };
        let (outcome, values) = run_placed(&b, placement.clone(), &mut Fixed::default());
        assert!(finished(&outcome), "{outcome:?}");
        assert_eq!(registers.map(|r| values[&r].clone()), expected.map(bits), "{placement:?}");
    }
}

#[test]
fn what_may_not_lie_there_ends_the_run() {
    let (mut b, x, y) = two_objects();
    let start = b.start();
    let (p, tp) = b.variable("p", W32, Some(start));
    let wrong = b.program.pool.bv_add(tp, b.bv(1));
    let one = |term, address| Placement::default().with_static(term, address);
    b.line(start, vec![Instruction::Skip]);
    let statics = [
        (one(x, 0), Misplacement::Zero),
        (one(x, 0x1002), Misplacement::Unaligned(4)),
        (one(x, 0xffff_fffc), Misplacement::Wraps),
        (one(x, 1 << 32), Misplacement::Wraps),
        (one(x, u64::MAX - 3), Misplacement::Wraps),
        (one(x, 0x2000), Misplacement::Overlaps(0x2000)),
        (one(y, 0x1000), Misplacement::Overlaps(0x1000)),
        (at((x, 0x3000), (y, 0x3000)), Misplacement::Overlaps(0x3000)),
    ];
    for (placement, why) in statics {
        assert_eq!(refused(&b, placement), Some(why));
    }
    let allocations = [
        (8, 0, Misplacement::Zero),
        (8, 0x3002, Misplacement::Unaligned(4)),
        (8, 0xffff_fff8, Misplacement::Wraps),
        (8, u64::MAX - 7, Misplacement::Wraps),
        (8, 0x0ffc, Misplacement::Overlaps(0x1000)),
        (0, 0x1000, Misplacement::Overlaps(0x1000)),
        (0x2000, 0x800, Misplacement::Overlaps(0x2000)),
    ];
    // The instruction after the allocation fails, and is not reached.
    for (size, address, why) in allocations {
        let new = allocate(p, b.bv(size), Storage::Heap);
        b.line(start, vec![new, free(wrong)]);
        assert_eq!(refused(&b, Placement::default().with_allocation(address)), Some(why));
    }
    let misplaced = Misplaced { address: 6, size: 8, why: Misplacement::Unaligned(4) };
    assert_eq!(
        misplaced.to_string(),
        "an object of 8 bytes can't lie at 0x6: that is no multiple of 4"
    );
}

/// What was noted of a run under a placement.
fn noted(
    b: &Build,
    placement: Placement,
    script: impl Oracle + Listener + Clone,
) -> Counterexample {
    let interpreter = Interpreter::new(&b.program).expect("well-formed");
    let mut watched = Watched::new(&b.program, script);
    interpreter.with_placement(placement).watch(&mut watched.clone(), &mut watched);
    watched.notes()
}

impl Listener for Random {
    fn step(&mut self, _: &Step<'_>) {}
}

#[test]
fn a_run_is_replayed_where_it_was() {
    let (b, [p, ..]) = again();
    for (first, second) in [(0x100, 0x100), (0x100, 0x104), (0x104, 0x100)] {
        let placement = Placement::default().with_allocation(first).with_allocation(second);
        let run = noted(&b, placement.clone(), Random::new(3));
        assert_eq!(run.placement, Some(placement.clone()));
        // The bytes that are read are those of the second object.
        let objects: Vec<_> = run.taken.iter().map(|taken| taken.object).collect();
        let expected = [0, 1, 2, 3].map(|offset| Some((Allocated::Heap(1), offset)));
        assert_eq!(objects[..4], expected, "{placement:?}");
        let script = Script::of(&run);
        let strayed = script.strayed();
        let again = noted(&b, run.placement.clone().expect("it has one"), script);
        assert!(!strayed.is_raised());
        let values = |run: &Counterexample| -> Vec<Value> {
            run.assignments.iter().map(|assignment| assignment.value.clone()).collect()
        };
        assert_eq!((values(&again), again.placed), (values(&run), run.placed.clone()));
        // With objects elsewhere, the run is another one.
        let script = Script::of(&run);
        let strayed = script.strayed();
        noted(&b, Placement::default(), script);
        assert!(strayed.is_raised(), "{p:?}");
    }
    assert_eq!(noted(&b, Placement::default(), Random::new(3)).placement, None);
}

#[test]
fn bytes_belong_to_the_youngest_object() {
    let mut b = Build::new();
    let start = b.start();
    let (p, tp) = b.variable("p", W32, Some(start));
    let (q, tq) = b.variable("q", W32, Some(start));
    let (v, _) = b.variable("v", W32, Some(start));
    let unknown = b.object("unknown", 0x1000, 4, false);
    for object in b.program.objects.values_mut() {
        (object.unknown, object.initial) = (true, Vec::new());
    }
    let eight = b.program.pool.bv_add(tq, b.bv(8));
    let program = vec![
        allocate(p, b.bv(4), Storage::Heap),
        free(tp),
        allocate(q, b.bv(16), Storage::Heap),
        Instruction::Load { into: v, address: eight },
        Instruction::Load { into: v, address: unknown },
    ];
    b.line(start, program);
    // The first begins inside of the second, where it is read; before it; and elsewhere.
    for (first, second) in [(0x108, 0x100), (0x0fc, 0x0fc), (0xff0, 0xf00)] {
        let placement = Placement::default().with_allocation(first).with_allocation(second);
        let run = noted(&b, placement, Random::new(5));
        let objects: Vec<_> = run.taken.iter().map(|taken| taken.object).collect();
        let heap = [8, 9, 10, 11].map(|offset| Some((Allocated::Heap(1), offset)));
        assert_eq!(objects, [heap, [None; 4]].concat(), "{first:#x} {second:#x}");
    }
}

#[test]
fn placements_are_said_in_words() {
    let (mut b, x, y) = two_objects();
    let start = b.start();
    let (p, tp) = b.variable("p", W32, Some(start));
    let (q, _) = b.variable("q", W32, Some(start));
    let program = vec![
        allocate(q, b.bv(4), Storage::Stack),
        allocate(p, b.bv(4), Storage::Heap),
        free(tp),
        allocate(p, b.bv(4), Storage::Heap),
    ];
    b.line(start, program);
    let lines = |placement: Placement| -> Vec<String> {
        let run = noted(&b, placement, Random::new(1));
        run.placed.iter().map(ToString::to_string).collect()
    };
    assert!(lines(Placement::default()).is_empty());
    let beside = ["x at 0x3000 (right before y)", "y at 0x3004 (right after x)"];
    assert_eq!(lines(at((x, 0x3000), (y, 0x3004))), beside);
    assert_eq!(lines(Placement::default().with_static(x, 0x3000)), ["x at 0x3000"]);
    let (none, first) = (Placement::default().with_allocation(None), layout::Layout::new(32).heap);
    let reused = none.clone().with_allocation(None).with_allocation(first);
    assert_eq!(lines(reused), ["heap object 2 at 0x40000000 (where heap object 1 was)"]);
    let placed = Placement::default().with_allocation(0x1004).with_allocation(0x1008);
    let expected =
        ["local at 0x1004 (right after x)", "heap object 1 at 0x1008 (right after local)"];
    assert_eq!(lines(placed), expected);
    let below = none.with_allocation(0x1ffc);
    assert_eq!(lines(below), ["heap object 1 at 0x1ffc (right before y)"]);
}

#[test]
fn memory_from_outside_is_there_if_a_placement_says_so() {
    let mut b = Build::new();
    let start = b.start();
    let (v, tv) = b.variable("v", W32, Some(start));
    let (w, tw) = b.variable("w", W32, Some(start));
    let (at, size) = layout::Layout::new(32).outside();
    let program = vec![
        Instruction::Load { into: v, address: b.bv(at) },
        Instruction::Store { address: b.bv(at + size - 4), value: tv },
        Instruction::Load { into: w, address: b.bv(at + size - 4) },
        Instruction::Check(Property::Assert, b.program.pool.eq(tv, tw)),
    ];
    b.line(start, program);
    let access = |outcome: Outcome| match outcome {
        Outcome::Violation { fault: Some(Fault::Access { address, .. }), .. } => Some(address),
        Outcome::Finished { .. } => None,
        other => panic!("{other:?}"),
    };
    let outside = || Placement::default().with_outside();
    assert_eq!(access(run_placed(&b, Placement::default(), &mut Random::new(1)).0), Some(at));
    assert_eq!(access(run_placed(&b, outside(), &mut Random::new(1)).0), None);
    let run = noted(&b, outside(), Random::new(1));
    assert_eq!(run.placement, Some(outside()));
    assert!(run.taken.iter().all(|taken| taken.what() == OUTSIDE) && run.taken.len() == 4);
    let placed: Vec<_> = run.placed.iter().map(ToString::to_string).collect();
    assert_eq!(placed, ["memory from outside at 0xf0000000"]);
    let again = noted(&b, run.placement.clone().expect("it has one"), Script::of(&run));
    assert_eq!(again.taken.len(), 4);
}

#[test]
fn memory_from_outside_is_not_the_programs_to_free() {
    let mut b = Build::new();
    let start = b.start();
    let (at, size) = layout::Layout::new(32).outside();
    b.line(start, vec![free(b.bv(at))]);
    let outside = Placement::default().with_outside();
    let outcome = run_placed(&b, outside.clone(), &mut Fixed::default()).0;
    let freed = matches!(outcome, Outcome::Violation { fault: Some(Fault::Free { .. }), .. });
    assert!(freed, "{outcome:?}");
    // No object may lie there, and it ends where it ends.
    let mut b = Build::new();
    let start = b.start();
    let (p, _) = b.variable("p", W32, Some(start));
    let (v, _) = b.variable("v", W32, Some(start));
    let beyond = Instruction::Load { into: v, address: b.bv(at + size - 2) };
    b.line(start, vec![allocate(p, b.bv(4), Storage::Heap), beyond]);
    let over = outside.clone().with_allocation(at + 8);
    assert_eq!(refused(&b, over), Some(Misplacement::Overlaps(at)));
    let outcome = run_placed(&b, outside, &mut Fixed::default()).0;
    let fault = matches!(outcome, Outcome::Violation { fault: Some(Fault::Access { .. }), .. });
    assert!(fault, "{outcome:?}");
}
