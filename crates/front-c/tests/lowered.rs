//! The shape of lowered programs: what becomes a term and what an instruction, which checks there
//! are, where objects live; and that no program is too large.

mod gcc;

use front_c::lower::{self, Lowered, lower};
use front_c::types::DataModel;
use program::interpret::{Fixed, Interpreter, Outcome};
use program::program::{Cause, Instruction, Storage};
use program::{Program, Property, print, wellformed};

const DEPTH: usize = 20_000;

fn lowered(source: &str, options: &lower::Options) -> Lowered {
    let compiled = gcc::ours(source, DataModel::Lp64);
    let errors: Vec<String> = compiled.errors().map(|e| e.render(&compiled.sources)).collect();
    let typed = compiled.program.as_ref().unwrap_or_else(|| panic!("{}", errors.join("\n")));
    let lowered = lower(typed, &compiled.sources, options).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|e| e.render(&compiled.sources)).collect::<String>())
    });
    wellformed::check(&lowered.program).expect("well formed");
    lowered
}

fn program(source: &str) -> Program {
    lowered(source, &lower::Options::default()).program
}

fn checked(source: &str, properties: &[Property]) -> Program {
    let options = lower::Options { properties: properties.to_vec(), ..lower::Options::default() };
    lowered(source, &options).program
}

/// Why a program is rejected.
fn rejection(source: &str) -> String {
    let compiled = gcc::ours(source, DataModel::Lp64);
    let typed = compiled.program.as_ref().expect("typed");
    match lower(typed, &compiled.sources, &lower::Options::default()) {
        Ok(_) => panic!("accepted: {source}"),
        Err(errors) => errors.into_iter().map(|e| e.message).collect(),
    }
}

/// The instructions of a function, without `skip`, as text.
fn instructions(program: &Program, function: &str) -> Vec<String> {
    let functions = program.functions.iter().map(|(_, f)| f);
    let function = functions.into_iter().find(|f| &*f.name == function).expect("the function");
    let edges = function.body().edges.iter().map(|(_, e)| &e.instruction);
    let edges = edges.filter(|i| **i != Instruction::Skip);
    edges.map(|i| print::instruction_text(program, i)).collect()
}

fn all(program: &Program) -> Vec<&Instruction> {
    let bodies = program.functions.iter().filter_map(|(_, f)| f.body.as_ref());
    bodies.flat_map(|b| b.edges.iter().map(|(_, e)| &e.instruction)).collect()
}

fn checks(program: &Program, property: Property) -> usize {
    let is = |i: &&&Instruction| matches!(i, Instruction::Check(p, _) if *p == property);
    all(program).iter().filter(is).count()
}

#[test]
fn pure_conditions_are_one_guard() {
    let text = "int nondet_int(void); int main(void) { int a = nondet_int(), b = nondet_int(); \
                if (a > 0 && (b < a || !b)) return 1; return 0; }";
    let program = program(text);
    let guards = instructions(&program, "main");
    let guards: Vec<_> = guards.iter().filter(|i| i.starts_with("assume")).collect();
    assert_eq!(guards.len(), 2, "{guards:?}");
    let terms = all(&program);
    let numbers = terms.iter().filter(|i| matches!(i, Instruction::Assign(..))).count();
    // The two variables take their values, and the two returns the result.
    assert_eq!(numbers, 4, "{terms:?}");
}

#[test]
fn comparisons_stay_formulas() {
    let text = "int nondet_int(void); int main(void) { int x = nondet_int(); \
                _Bool b = x > 3; if (!!(b == 1) != 0) return 1; return 0; }";
    let main = instructions(&program(text), "main").join("\n");
    assert!(!main.contains("ite") && !main.contains('?'), "{main}");
}

#[test]
fn scalars_and_small_structs_are_registers() {
    let text = "struct p { int x; struct { char c; } in; }; \
                struct p f(struct p q) { q.x++; return q; } \
                int main(void) { struct p a = { 1, { 2 } }; a = f(a); int *z = 0; \
                return a.in.c + !z; }";
    let program = program(text);
    let memory = |i: &&&Instruction| {
        matches!(
            i,
            Instruction::Load { .. } | Instruction::Store { .. } | Instruction::Allocate { .. }
        )
    };
    assert_eq!(all(&program).iter().filter(memory).count(), 0);
    let f = program.functions.iter().map(|(_, f)| f).find(|f| &*f.name == "f").expect("f");
    assert_eq!((f.parameters.len(), f.results.len()), (2, 2));
    let named = program.variables.iter().any(|(_, v)| v.name.as_deref() == Some("a.in.c"));
    assert!(named);
}

#[test]
fn stack_objects_are_freed_where_their_block_is_left() {
    let text = "int nondet_int(void); int main(void) { for (int i = 0; i < 3; i++) { int a[2]; \
                a[0] = i; if (nondet_int()) continue; if (nondet_int()) break; \
                if (nondet_int()) goto out; if (nondet_int()) return 1; } out: return 0; }";
    let program = program(text);
    let frees = |i: &&&Instruction| matches!(i, Instruction::Free { storage: Storage::Stack, .. });
    // At `continue`, `break`, `goto` and the end of the block; `return` frees by itself.
    assert_eq!(all(&program).iter().filter(frees).count(), 4);
}

#[test]
fn checks_are_made_as_asked() {
    let text = "int nondet_int(void); int main(void) { int a = nondet_int(), b = nondet_int(); \
                int t[3] = { 0 }; t[a] = (a + b) * 2 - (a << b); t[1] = 1; \
                return a / b + a / 3 + t[0] / -1; }";
    let plain = program(text);
    assert_eq!(checks(&plain, Property::Overflow), 0);
    assert_eq!(checks(&plain, Property::Shift), 0);
    assert_eq!(checks(&plain, Property::DivisionByZero), 1);
    assert_eq!(checks(&plain, Property::Bounds), 1);
    let all = checked(text, &Property::ALL);
    // a + b, * 2, - (…), a << b, a / b, t[0] / -1, and the two sums of the result.
    assert_eq!(checks(&all, Property::Overflow), 8);
    assert_eq!(checks(&all, Property::Shift), 1);
    assert_eq!(checks(&all, Property::DivisionByZero), 1);
}

#[test]
fn errors_and_assertions_end_the_run() {
    let text = "void reach_error(void) { } void __assert_fail(const char *, const char *, unsigned, \
                const char *); int nondet_int(void); int main(void) { int x = nondet_int(); \
                if (x == 1) reach_error(); if (x == 2) __assert_fail(\"\", \"\", 1, \"\"); \
                ERROR: return 0; }";
    let program = lowered(
        text,
        &lower::Options { error_labels: vec!["ERROR".into()], ..lower::Options::default() },
    )
    .program;
    assert_eq!(checks(&program, Property::Reach), 2);
    assert_eq!(checks(&program, Property::Assert), 1);
    let error = program.functions.iter().map(|(_, f)| f).find(|f| &*f.name == "reach_error");
    let body = error.expect("the function").body();
    assert!(!body.edges.iter().any(|(_, e)| e.to == body.exit), "a call returns");
}

#[test]
fn loops_and_labels_are_marked() {
    let text = "int main(void) { int i = 0; while (i < 3) i++; do i--; while (i > 0); \
                for (;;) { if (i++ > 5) break; } here: return i; }";
    let program = program(text);
    let main = program.functions.iter().map(|(_, f)| f).find(|f| &*f.name == "main");
    let body = main.expect("main").body();
    assert_eq!(body.locations.iter().filter(|(_, l)| l.loop_head).count(), 3);
    assert!(body.locations.iter().any(|(_, l)| l.label.as_deref() == Some("here")));
    assert!(body.edges.iter().all(|(_, e)| e.place.is_known()));
}

#[test]
fn only_what_is_reached_is_lowered() {
    let text = "int setjmp(void *); int unused(void) { return setjmp(0); } int table[1000]; \
                int main(void) { return 0; }";
    let program = program(text);
    assert!(program.functions.iter().all(|(_, f)| &*f.name != "unused"));
    assert_eq!(program.objects.len(), 0);
}

#[test]
fn unknown_functions_are_assumptions() {
    let text = "int mystery(int *); int main(void) { int x; return mystery(&x); }";
    let lowered = lowered(text, &lower::Options::default());
    assert_eq!(lowered.warnings.len(), 1);
    let [assumption] = &lowered.program.assumptions[..] else { panic!("one assumption") };
    assert!(assumption.text.contains("mystery") && assumption.text.contains("point to"));
    let unknown = |i: &&Instruction| matches!(i, Instruction::Havoc(_, Cause::Unknown(name)) if &**name == "mystery");
    assert!(all(&lowered.program).iter().any(unknown));
}

/// The causes of unknown values in a function, of registers and of bytes.
fn causes(program: &Program) -> Vec<Cause> {
    let cause = |i: &&Instruction| match i {
        Instruction::Havoc(_, cause) | Instruction::HavocBytes { cause, .. } => Some(cause.clone()),
        _ => None,
    };
    all(program).iter().filter_map(cause).collect()
}

#[test]
fn functions_without_a_model_write_unknown_values() {
    let text = "int sprintf(char *, const char *, ...); double frexp(double, int *); \
                int main(void) { char b[8]; int e = 1; sprintf(b, \"x\"); frexp(2.0, &e); \
                return b[0] + e; }";
    let program = program(text);
    let bytes = |i: &&&Instruction| matches!(i, Instruction::HavocBytes { cause: Cause::Approximated(n), .. } if &**n == "sprintf");
    assert_eq!(all(&program).iter().filter(bytes).count(), 1);
    let written = instructions(&program, "main").join("\n");
    let stores = all(&program).iter().filter(|i| matches!(i, Instruction::Store { .. })).count();
    // The initial value of e, and what `frexp` writes.
    assert_eq!(stores, 2, "{written}");
}

#[test]
fn reads_of_variables_without_a_value_are_checked() {
    let text = "int nondet_int(void); struct p { int a, b; }; int main(void) { int x, y = 1; \
                struct p s, t; s.a = 1; t = s; for (int i = 0; i < 2; i++) { int z; z = i; y += z; } \
                if (nondet_int()) x = 2; y = y && x ? t.a : 0; return y; }";
    assert_eq!(checks(&program(text), Property::Uninitialized), 0);
    let program = checked(text, &[Property::Uninitialized]);
    // Of z, x and t.a; a copy of s is not a read of s.b.
    assert_eq!(checks(&program, Property::Uninitialized), 3);
    let interpreter = Interpreter::new(&program).expect("well formed");
    let interpreter = interpreter.with_properties(&[Property::Uninitialized]);
    let outcome = interpreter.run(&mut Fixed::default());
    let violated = matches!(outcome, Outcome::Violation { property: Property::Uninitialized, .. });
    assert!(violated, "{outcome:?}");
}

#[test]
fn a_resized_block_has_approximated_contents() {
    let text = "void *realloc(void *, unsigned long); int main(void) { int *p = realloc(0, 4); \
                *p = 1; p = realloc(p, 8); return *p; }";
    let program = program(text);
    let approximated = |c: &Cause| matches!(c, Cause::Approximated(name) if &**name == "realloc");
    assert!(causes(&program).iter().any(approximated));
    assert!(all(&program).iter().any(|i| matches!(i, Instruction::Free { .. })));
}

#[test]
fn assembly_that_reads_a_device_is_an_input() {
    let read = |output: &str, template: &str| {
        let text = format!(
            "int main(void) {{ {output} x; \
             __asm__ volatile (\"{template}\" : \"=a\" (x) : \"Nd\" (4)); return x; }}"
        );
        let causes = causes(&program(&text)).into_iter();
        causes.filter(|cause| *cause != Cause::Uninitialized).collect::<Vec<_>>()
    };
    let input = |name: &str| vec![Cause::Input(format!("the instruction {name}").into())];
    assert_eq!(read("unsigned char", "inb %w1, %b0"), input("inb"));
    assert_eq!(read("unsigned", "rdtsc"), input("rdtsc"));
    // Not all of the output is read.
    assert_eq!(read("unsigned", "inb %w1, %b0"), vec![Cause::Assembly]);
    assert_eq!(read("unsigned long", "rdtsc"), vec![Cause::Assembly]);
    assert_eq!(read("unsigned char", "inb %w1, %b0; notb %b0"), vec![Cause::Assembly]);
}

/// How many formulas are approximated in a function with the variables `i`, `j`, `n` and `a`.
fn approximated(formula: &str) -> usize {
    let text = format!(
        "int f(int); int even(int v) {{ return v % 2 == 0; }} static int g; \
         int up(int v) {{ return ++g > v; }} \
         int main(void) {{ int i = 5, j, n = f(1), a[20]; unsigned u; char c; int *p = &n; \
           return __ESBMC_forall{formula}; }}"
    );
    let program = program(&text);
    let approximated = |c: &&Cause| matches!(c, Cause::Approximated(_));
    causes(&program).iter().filter(approximated).count()
}

#[test]
fn quantifiers_are_exact_where_few_values_decide() {
    for formula in [
        // It is only compared.
        "(&i, i < 3 || i > n + 1)",
        "(&i, !i || i == 4L)",
        "(&i, __ESBMC_exists(&j, i == j && j < n))",
        "(&i, __ESBMC_exists(&j, i == j) || __ESBMC_forall(&j, i < j))",
        "(&i, *p == 3 || even(n) || i < 4)",
        // An interval.
        "(&i, !(0 <= i && i < 20) || a[i] == 0)",
        "(&u, u > 9 || a[u] == 0)",
        "(&i, i < 2 || i >= 5 || even(i))",
        "(&i, i >= 0 && i < 7 ? a[i] == 4 : 1)",
        "(&i, (int)(i >= 0 && (long)i <= 7) == 0 || a[i] == 4)",
        "(&i, i != 7 || a[i] == 4)",
        "(&i, !(0 <= i && i < 1024) || i * i != 7)",
        // A small type.
        "(&c, c * c != 7)",
    ] {
        assert_eq!(approximated(formula), 0, "{formula}");
    }
    for formula in [
        "(&i, i * i != 7)",
        "(&i, !(0 <= i && i < 1025) || i * i != 7)",
        "(&i, !(0 <= i && i < n) || i * i != 7)",
        "(&n, *p != 7)",
        "(&i, __ESBMC_exists(&i, i < n) || i > 3)",
        // A negative number may be a large one.
        "(&i, !((unsigned)i >= 0 && (long)(unsigned)i < 5) || a[i] == 0)",
        "(&u, !((int)u >= 0 && (int)u < 5) || a[u] == 0)",
        "(&i, i < 5u)",
        // Evaluating it changes something.
        "(&i, up(i))",
        "(&i, i == (n = 4))",
        "(&i, i == f(1))",
    ] {
        assert_eq!(approximated(formula), 1, "{formula}");
    }
    let text = "int main(void) { int i; return __ESBMC_forall(i, i > 0); }";
    assert!(rejection(text).contains("quantifier"));
}

#[test]
fn structs_go_to_unknown_functions_too() {
    program("struct s { int a[3]; } x; void send(struct s); int main(void) { send(x); return 0; }");
    program("struct s { int a; }; void send(struct s); int main(void) { struct s x; send(x); }");
}

#[test]
fn what_is_not_supported_is_named() {
    let call = |name: &str| {
        rejection(&format!("int {name}(void *); int main(void) {{ return {name}(0); }}"))
    };
    assert!(call("setjmp").contains("non-local jumps"));
    assert!(call("pthread_create").contains("concurrent"));
    assert!(call("__CPROVER_get_field").contains("another verifier"));
    assert!(rejection("int f(void) { return 0; }").contains("no function 'main'"));
}

#[test]
fn large_programs_are_lowered() {
    let main = |body: String| {
        format!("int nondet_int(void); int main(void) {{ int a = nondet_int(); {body} }}")
    };
    let texts = [
        main(format!("return {}a;", "a + ".repeat(DEPTH))),
        main(format!("return {}a;", "a * 2 + 1 && ".repeat(DEPTH))),
        main(format!("if ({}a) a++; return a;", "a / a && ".repeat(DEPTH))),
        main(format!("if ({}a) a++; return a;", "nondet_int() || ".repeat(DEPTH))),
        main(format!("return ({}a);", "a++, ".repeat(DEPTH))),
        main(format!("{} return 1;", "if (a == 1) a++; else ".repeat(DEPTH))),
        main(format!(
            "switch (a) {{ {} ; }} return 0;",
            (0..DEPTH).map(|i| format!("case {i}: ")).collect::<String>()
        )),
        main(format!("{} return 0;", "a++; ".repeat(DEPTH))),
        main(format!("int t[] = {{ {} }}; return t[a];", "a, ".repeat(DEPTH))),
        format!("int t[] = {{ {} }}; int main(void) {{ return t[3]; }}", "1, ".repeat(DEPTH)),
        main(format!(
            "{} return 0;",
            (0..2000)
                .map(|i| format!("l{i}: if (a == {i}) goto l{};", 1999 - i))
                .collect::<String>()
        )),
    ];
    for text in texts {
        program(&text);
    }
}
