//! No input makes the front end panic, overflow the stack or hang.

mod gcc;

use front_c::types::DataModel;
use proptest::prelude::*;

const DEPTH: usize = 100_000;

fn nested(before: &str, open: &str, middle: &str, close: &str, after: &str) -> String {
    let mut text = String::from(before);
    text.push_str(&open.repeat(DEPTH));
    text.push_str(middle);
    text.push_str(&close.repeat(DEPTH));
    text.push_str(after);
    text
}

#[test]
fn deep_nesting_is_an_error() {
    let cases = [
        nested("int x = ", "(", "1", ")", ";"),
        nested("int x = ", "a[", "1", "]", ";"),
        nested("int x = a", "[0]", "", "", ";"),
        nested("int x = ", "f(", "", ")", ";"),
        nested("int x = a", ".b", "", "", ";"),
        nested("void f(void) ", "{", "", "}", ""),
        nested("int a[] = ", "{", "1", "}", ";"),
        nested("int ", "*", "x", "", ";"),
        nested("int ", "(", "x", ")", ";"),
        nested("int x", "[1]", "", "", ";"),
        nested("int x", "(int", "", ")", ";"),
        nested("int x = ", "(int)", "1", "", ";"),
        nested("int x = ", "- ", "1", "", ";"),
        nested("int x = ", "sizeof ", "1", "", ";"),
        nested("int x = ", "sizeof(int[", "1", "])", ";"),
        nested("int x = ", "1 ? 2 : ", "1", "", ";"),
        nested("int x = ", "1 ? ", "1", " : 2", ";"),
        nested("void f(int x) { ", "x = ", "1", "", "; }"),
        nested("void f(int x) { ", "if (x) ", ";", "", " }"),
        nested("void f(int x) { ", "if (x) ; else { ", ";", "}", " }"),
        nested("void f(int x) { ", "while (x) ", ";", "", " }"),
        nested("void f(int x) { ", "switch (x) case 1: ", ";", "", " }"),
        nested("void f(int x) { ", "do ", ";", " while (x);", " }"),
        nested("void f(int x) { ", "({", "1;", "});", " }"),
        nested("", "struct { ", "int x;", "} a;", ""),
        nested("int x = ", "__extension__ ", "1", "", ";"),
        nested("", "__typeof__(", "1", ") x", ";"),
        nested("int ", "(*", "x", ")(int)", ";"),
        nested("int x __attribute__((aligned", "(", "1", ")", "));"),
        nested("int x = ", "_Generic(1, int: ", "1", ")", ";"),
        nested("", "_Atomic(", "int", ")", " x;"),
    ];
    for case in cases {
        let compiled = gcc::ours(&case, DataModel::Lp64);
        assert!(compiled.program.is_none(), "accepted: {}", &case[..60]);
        assert!(compiled.errors().next().is_some(), "no message: {}", &case[..60]);
        let nests =
            compiled.errors().any(|e| e.message.contains("levels") || e.message.contains("nest"));
        assert!(nests, "{}: {:?}", &case[..60], compiled.errors().next());
    }
}

#[test]
fn chains_of_types_are_bounded() {
    let mut text = String::from("struct s0 { int x; };\ntypedef int *t0;\n");
    for i in 1..3000 {
        text.push_str(&format!("struct s{i} {{ struct s{} x; }};\n", i - 1));
        text.push_str(&format!("typedef t{} *t{i};\n", i - 1));
    }
    let compiled = gcc::ours(&text, DataModel::Lp64);
    assert!(compiled.errors().any(|e| e.message.contains("nests deeper")));
}

#[test]
fn long_chains_are_accepted() {
    let sum = format!("int f(int a) {{ return {}a; }}", "a + ".repeat(DEPTH));
    let mixed = format!("int f(int a) {{ return {}a; }}", "a * 2 + 1 && ".repeat(DEPTH));
    let pointer = format!("char *f(char *a) {{ return a{}; }}", " + 1".repeat(DEPTH));
    let comma = format!("int f(int a) {{ return {}a; }}", "a++, ".repeat(DEPTH));
    let list = format!("int a[] = {{ {} }};", "1, ".repeat(DEPTH));
    let rows = format!("struct {{ int x, y; }} a[] = {{ {} }};", "{ 1, 2 }, ".repeat(DEPTH));
    let string = format!("char *s = {};", "\"ab\" ".repeat(DEPTH));
    let otherwise =
        format!("int f(int a) {{ {} return 1; }}", "if (a == 1) a++; else ".repeat(DEPTH));
    let labels = format!(
        "void f(int a) {{ switch (a) {{ {} ; }} }}",
        (0..DEPTH).map(|i| format!("case {i}: ")).collect::<String>()
    );
    let statements = format!("void f(int a) {{ {} }}", "a++; ".repeat(DEPTH));
    let declarators =
        format!("int a0{};", (1..DEPTH).map(|i| format!(", a{i}")).collect::<String>());
    let constants =
        format!("enum {{ {} }};", (0..DEPTH).map(|i| format!("e{i}, ")).collect::<String>());
    let all = [
        sum,
        mixed,
        pointer,
        comma,
        list,
        rows,
        string,
        otherwise,
        labels,
        statements,
        declarators,
        constants,
    ];
    for text in all {
        gcc::program(&text, DataModel::Lp64);
    }
}

#[test]
fn huge_sizes_are_errors_not_work() {
    for text in ["int a[] = { [0 ... 1000000000] = 7 };", "char a[0x7fffffffffffffff]; char b[1];"]
    {
        gcc::program(text, DataModel::Lp64);
    }
    for text in [
        "int a[0x7fffffffffffffff];",
        "struct s { char a[0x7fffffffffffffff]; char b[0x7fffffffffffffff]; };",
        "int a[1000000][1000000][1000000][1000000];",
        "struct s { int a : 1000000000; };",
    ] {
        assert!(gcc::ours(text, DataModel::Lp64).program.is_none(), "{text}");
    }
}

/// Texts whose tokens are shuffled by the tests below.
const SEEDS: &[&str] = &[
    "typedef struct { int a : 3; union { float f; long l; }; char s[4]; } T; T v[2] = { [1].s = \"ab\", { 1 } };",
    "int f(int n, ...) { int a[n]; for (int i = 0; i < n; i++) a[i] = i ? -i : ~i; switch (n) { case 1 ... 3: return *a; default: goto l; } l: return ({ n += 2; n; }); }",
    "enum e { A = 1, B = A << 3 }; static const double d = 0x1.8p3, *p = &d; extern int g(void), (*h)(enum e); int k(a) char a; { return sizeof(T) + _Generic(a, int: 1, default: 2); }",
    "__attribute__((packed)) struct s { struct s *n; } x = { &x }, *y = &(struct s){ .n = (void *)0 }; __asm__(\"nop\"); _Static_assert(sizeof x == 8, \"size\");",
    "void m(int *p, void *q) { p[1] ^= 3; *p++ += *(int *)q; do { __label__ z; z: if (p) continue; else break; } while (!p || q && 1.5f > 2); asm volatile(\"\" : \"=r\"(*p) : \"m\"(*p)); __builtin_memcpy(p, q, 4); }",
];

fn tokens() -> Vec<String> {
    let mut all = Vec::new();
    for seed in SEEDS {
        let mut word = String::new();
        for c in seed.chars() {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            if !word.is_empty() {
                all.push(std::mem::take(&mut word));
            }
            if !c.is_whitespace() {
                all.push(c.to_string());
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn bytes_never_panic(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        gcc::survives(&text, DataModel::Lp64);
    }

    #[test]
    fn token_soup_never_panics(picks in proptest::collection::vec(any::<proptest::sample::Index>(), 0..60)) {
        let tokens = tokens();
        let text: Vec<&str> = picks.iter().map(|i| i.get(&tokens).as_str()).collect();
        gcc::survives(text.join(" ").as_bytes(), DataModel::Ilp32);
    }

    #[test]
    fn mutated_programs_never_panic(
        seed in 0..SEEDS.len(),
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), 0..4u8, any::<proptest::sample::Index>()), 1..6),
    ) {
        let pool = tokens();
        let mut words: Vec<String> = SEEDS[seed].split_inclusive([' ', ';', '(', ')', '{', '}', '[', ']', ',', '*']).map(str::to_owned).collect();
        for (at, how, other) in edits {
            let at = at.index(words.len());
            match how {
                0 => drop(words.remove(at)),
                1 => words.insert(at, other.get(&pool).clone()),
                2 => words[at] = other.get(&pool).clone(),
                _ => {
                    let with = other.index(words.len());
                    words.swap(at, with);
                }
            }
            if words.is_empty() {
                break;
            }
        }
        gcc::survives(words.concat().as_bytes(), DataModel::Lp64);
    }
}
