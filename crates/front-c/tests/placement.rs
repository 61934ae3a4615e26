//! C programs whose runs depend on where objects lie, under several placements.

mod gcc;

use front_c::lower::{self, lower};
use front_c::types::DataModel;
use front_c::write::harness::{self, harness};
use program::counterexample::{Script, Watched};
use program::interpret::layout::Layout;
use program::interpret::{
    Ending, Fault, Fixed, Interpreter, Misplacement, Oracle, Outcome, Part, Placement, Request,
};
use program::{Program, Property};
use term::{Sort, Term, Value};
use value::Bits;

fn lowered(text: &str, model: DataModel) -> Program {
    let compiled = gcc::ours(text, model);
    let errors: Vec<String> = compiled.errors().map(|e| e.render(&compiled.sources)).collect();
    let typed = compiled.program.as_ref().unwrap_or_else(|| panic!("{}", errors.join("\n")));
    // It is asked where objects lie, so there are some.
    let options = lower::Options { world: lower::World::SV_COMP, ..lower::Options::default() };
    let lowered = lower(typed, &compiled.sources, &options);
    lowered.unwrap_or_else(|_| panic!("the program can be lowered")).program
}

/// The address of a static object or a function.
fn address(program: &Program, name: &str) -> Term {
    let object = program.objects.values().find(|object| &*object.name == name);
    let function = || program.functions.values().find(|function| &*function.name == name)?.address;
    object.map(|object| object.address).or_else(function).expect("it has an address")
}

fn statics(program: &Program, placed: &[(&str, u64)]) -> Placement {
    let with = |so_far: Placement, (name, at): &(&str, u64)| {
        so_far.with_static(address(program, name), *at)
    };
    placed.iter().fold(Placement::default(), with)
}

fn allocations(addresses: &[Option<u64>]) -> Placement {
    Placement { allocations: addresses.to_vec(), ..Placement::default() }
}

fn run(program: &Program, placement: Placement, oracle: &mut dyn Oracle) -> Outcome {
    let interpreter = Interpreter::new(program).expect("well-formed");
    interpreter.with_properties(&[Property::Pointer]).with_placement(placement).run(oracle)
}

/// What `main` returns.
fn returned(program: &Program, placement: Placement, oracle: &mut dyn Oracle) -> u64 {
    match run(program, placement.clone(), oracle) {
        Outcome::Finished { results } => {
            results[0].as_bits().and_then(Bits::to_u64).expect("an int")
        }
        other => panic!("{placement:?}: {other:?}"),
    }
}

/// Compares what `main` returns when static objects lie at these addresses.
fn returns(text: &str, cases: &[(&[(&str, u64)], u64)]) {
    for model in gcc::MODELS {
        let program = lowered(text, model);
        for (placed, expected) in cases {
            let placement = statics(&program, placed);
            let ours = returned(&program, placement, &mut Fixed::default());
            assert_eq!(ours, *expected, "{text}, {placed:?}");
        }
    }
}

#[test]
fn the_order_of_static_objects_is_open() {
    returns(
        "int a, b; int main(void) { return (unsigned long)&a > (unsigned long)&b; }",
        &[
            (&[("a", 0x1000), ("b", 0x2000)], 0),
            (&[("a", 0x2000), ("b", 0x1000)], 1),
            (&[("a", 0x1004), ("b", 0x1000)], 1),
            (&[("a", 4), ("b", 0xffff_fff8)], 0),
        ],
    );
    returns(
        "int f(void) { return 3; } int g(void) { return 4; } int (*p)(void) = g; \
         int main(void) { return 10 * ((unsigned long)&f < (unsigned long)&g) + p(); }",
        &[
            (&[("f", 0x1000), ("g", 0x2000)], 14),
            (&[("f", 0x2000), ("g", 0x1000)], 4),
            (&[("f", 0x1001), ("g", 0x1000)], 4),
        ],
    );
}

#[test]
fn objects_may_be_adjacent() {
    returns(
        "int x, y; int main(void) { return (&x + 1 == &y) + 2 * (&y + 1 == &x); }",
        &[
            (&[], 0),
            (&[("x", 0x1000), ("y", 0x1004)], 1),
            (&[("x", 0x1004), ("y", 0x1000)], 2),
            (&[("x", 0x1000), ("y", 0x1008)], 0),
        ],
    );
    // Each keeps its own bytes.
    returns(
        "short a = 1, b = 2, c = 3; int main(void) { short *p[3] = {&a, &b, &c}; *p[1] = 7; \
         return 100 * *p[0] + 10 * *p[1] + *p[2]; }",
        &[
            (&[("a", 0x100), ("b", 0x102), ("c", 0x104)], 173),
            (&[("a", 0x104), ("b", 0x102), ("c", 0x100)], 173),
            (&[("a", 0x102), ("b", 0x104), ("c", 0x100)], 173),
        ],
    );
}

const HEAP: &str = "void *malloc(unsigned long); void free(void *);\n";

#[test]
fn an_address_may_be_used_again() {
    let text = format!(
        "{HEAP} int main(void) {{ unsigned char *p = malloc(4); unsigned long old = (unsigned long)p; \
         p[0] = 5; free(p); unsigned char *q = malloc(4); return old == (unsigned long)q; }}"
    );
    for model in gcc::MODELS {
        let program = lowered(&text, model);
        let heap = Layout::new(program.pointer_width).heap;
        let cases = [
            (vec![], 0),
            (vec![None, Some(heap)], 1),
            (vec![Some(0x1000), Some(0x1000)], 1),
            // The layout does not look at what is gone.
            (vec![Some(heap)], 1),
            (vec![Some(0x1000), Some(0x1010)], 0),
        ];
        for (addresses, expected) in cases {
            let ours = returned(&program, allocations(&addresses), &mut Values::default());
            assert_eq!(ours, expected, "{addresses:x?}");
        }
    }
}

/// One for every value, and how often a byte of memory was asked for.
#[derive(Default)]
struct Values {
    bytes: usize,
}

impl Oracle for Values {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        self.bytes += usize::from(matches!(request.part, Part::Memory { .. }));
        match request.sort {
            Sort::BitVec(width) => Some(Value::Bits(Bits::one(width))),
            Sort::Bool => Some(Value::Bool(true)),
            _ => None,
        }
    }
}

#[test]
fn what_is_not_written_is_unknown_again() {
    let text = format!(
        "{HEAP} int main(void) {{ unsigned char *p = malloc(2); p[0] = 5; p[1] = 6; free(p); \
         unsigned char *q = malloc(2); q[1] = 7; return 10 * q[0] + q[1]; }}"
    );
    for model in gcc::MODELS {
        let program = lowered(&text, model);
        for (first, second) in [(0x1000, 0x1000), (0x10, 0x10), (0x2000, 0x1ff0)] {
            let mut values = Values::default();
            let placement = allocations(&[Some(first), Some(second)]);
            assert_eq!(returned(&program, placement, &mut values), 17);
            assert_eq!(values.bytes, 1);
        }
        let unaligned = allocations(&[Some(0x1000), Some(0x1001)]);
        let outcome = run(&program, unaligned, &mut Values::default());
        assert!(matches!(outcome, Outcome::Ended { by: Ending::Placement(_), .. }), "{outcome:?}");
    }
}

#[test]
fn frames_may_lie_where_others_lay() {
    let text = "unsigned long at(int n) { int local; int *p = &local; \
                if (n) local = n; return (unsigned long)p + 0 * local; } \
                int main(void) { return at(1) == at(0); }";
    for model in gcc::MODELS {
        let program = lowered(text, model);
        for (second, same) in [(0x8000, 1), (0x8004, 0), (0x7ffc, 0)] {
            let mut values = Values::default();
            let placement = allocations(&[Some(0x8000), Some(second)]);
            assert_eq!(returned(&program, placement, &mut values), same);
            assert_eq!(values.bytes, 4, "the second call has not set its variable");
        }
    }
}

#[test]
fn overlaps_are_refused() {
    let text = format!(
        "{HEAP} int x, y; int main(void) {{ int *p = malloc(32); int *q = malloc(32); \
         return &x == &y || (int *)p == q; }}"
    );
    for model in gcc::MODELS {
        let program = lowered(&text, model);
        let cases = [
            (statics(&program, &[("x", 0x1000), ("y", 0x1000)]), 0x1000),
            (statics(&program, &[("x", 0x1000)]).with_allocation(0xff0), 0x1000),
            (allocations(&[Some(0x9000), Some(0x9000)]), 0x9000),
            (allocations(&[Some(0x9010), Some(0x9000)]), 0x9010),
        ];
        for (placement, with) in cases {
            let outcome = run(&program, placement.clone(), &mut Values::default());
            let Outcome::Ended { by: Ending::Placement(misplaced), .. } = outcome else {
                panic!("{placement:?}: {outcome:?}")
            };
            assert_eq!(misplaced.why, Misplacement::Overlaps(with), "{placement:?}");
        }
        let beside = statics(&program, &[("x", 0x1000), ("y", 0x1018)]);
        let beside = beside.with_allocation(0xfe0).with_allocation(0x1020);
        assert_eq!(returned(&program, beside, &mut Values::default()), 0);
    }
}

#[test]
fn the_border_of_adjacent_objects_is_one() {
    let text = "int x[2], y[2]; int main(void) { char *p = (char *)x; \
                return *(int *)(p + OFFSET) != 0 || y[1]; }";
    for (offset, fails) in [("4", false), ("6", true), ("8", false), ("-2", true)] {
        for model in gcc::MODELS {
            let program = lowered(&text.replace("OFFSET", offset), model);
            for (x, y) in [(0x1000, 0x1008), (0x4000_0000, 0x4000_0008), (8, 16)] {
                let placement = statics(&program, &[("x", x), ("y", y)]);
                let outcome = run(&program, placement, &mut Fixed::default());
                let fault = match &outcome {
                    Outcome::Violation { fault, .. } => {
                        assert!(matches!(fault, None | Some(Fault::Access { .. })));
                        true
                    }
                    Outcome::Finished { .. } => false,
                    other => panic!("{other:?}"),
                };
                assert_eq!(fault, fails, "{offset}: {outcome:?}");
            }
        }
    }
}

#[test]
fn a_harness_says_what_it_does_not_drive() {
    let text =
        "int x, y; int main(void) { int local = 3, *p = &local; return &x + 1 == &y && *p; }";
    for model in gcc::MODELS {
        let program = lowered(text, model);
        let placement = statics(&program, &[("x", 0x1000), ("y", 0x1004)]).with_allocation(0x1008);
        let interpreter = Interpreter::new(&program).expect("well-formed");
        let mut watched = Watched::new(&program, Script::default());
        interpreter.with_placement(placement).watch(&mut watched.clone(), &mut watched);
        let task = harness::Task { files: Vec::new(), program: &program };
        let text = harness(&task, &watched.notes()).text;
        let lines = [
            "x at 0x1000 (right before y)",
            "y at 0x1004 (right after x)",
            "local at 0x1008 (right after y)",
        ];
        for line in lines {
            assert!(text.contains(&format!(" * Not driven (address): {line}\n")), "{text}");
        }
    }
}
