//! Constructs that gcc accepts, which must be accepted and typed here; and what is rejected,
//! with what the message must say.

mod gcc;

use front_c::types::DataModel;

const ACCEPTED: &[&str] = &[
    "int main() { return 0; }",
    "main() { return 0; }",
    "f(a, b) int a; char *b; { return a + *b; }",
    "int f(a, b, c) double b; { return a + b + c; } int g(void) { return f(1, 2.0, 3); }",
    "int x; int x; extern int x; int x = 3;",
    "static int f(void); static int f(void) { return 1; } int g(void) { return f(); }",
    "struct s { int a : 3, : 0, b : 5; unsigned c; } __attribute__((packed)); struct s v = { 1, 2, 3 };",
    "struct s { int n; int a[]; }; static struct s v = { 2, { 1, 2 } };",
    "struct s { struct { int a; union { int b; float c; }; }; }; int f(struct s *p) { return p->a + p->b + p->c; }",
    "int a[] = { [5] = 1, [2 ... 4] = 7, 9 }; _Static_assert(sizeof a == 24, \"\");",
    "struct p { int x, y; } a = { y: 1, x: 2 }, b[2] = { [1].y = 3, [0] = { 1 } };",
    "struct q { struct { int b[3]; } a; } v = { .a.b[2] = 5 };",
    "char s[] = \"abc\" \"def\"; _Static_assert(sizeof s == 7, \"\"); char t[3] = \"abc\"; char u[] = { \"x\" };",
    "int *p = (int[]){ 1, 2, 3 }; struct s { int a; } *q = &(struct s){ 4 };",
    "void f(int n) { int a[n][n + 1]; a[1][2] = 3; typedef int t[n]; t b; n = sizeof a + sizeof b + sizeof(int[n]); }",
    "int f(int n, int a[n][n]) { return a[1][2] + sizeof a[0]; } int g(int n, int m[*]);",
    "int f(int x) { return ({ int y = x; y + 1; }); }",
    "#define\nint f(int x) { return x ?: 3; }",
    "int f(int x) { switch (x) { case 1 ... 3: return 1; case 5: default: return 0; } }",
    "void f(void) { __label__ l; goto l; l:; }",
    "int f(int x) { goto end; { int y; end: y = 2; x = y; } return x; }",
    "typedef int T; int f(void) { T T = 3; return T; } T g(T (T));",
    "typedef int T; int f(T *T) { return *T; }",
    "typeof(1 + 2L) x; __typeof__(int *) y = &(int){ 0 }; _Static_assert(sizeof x == sizeof(long), \"\");",
    "int f(void) { __auto_type x = 1.5f; return sizeof x; }",
    "_Static_assert(_Generic(1.0f, float: 1, default: 2) == 1, \"float\");",
    "_Static_assert(_Generic((char)1, int: 1, char: 2) == 2); _Static_assert(_Generic('a', int: 1, char: 2) == 1, \"\");",
    "_Noreturn void f(void); _Thread_local int t; _Alignas(16) char c[3]; _Atomic int a; _Atomic(long) b;",
    "inline static __inline__ int f(void) { return __extension__ 1; }",
    "extern int f(const char *__restrict s, ...) __asm__(\"g\") __attribute__((__nothrow__, format(printf, 1, 2)));",
    "void f(int x, int *p) { __asm__ volatile (\"nop\" : \"=r\"(x), [o] \"+m\"(*p) : \"r\"(x) : \"memory\", \"cc\"); asm(\"\"); }",
    "int f(void) { __builtin_va_list a; return __builtin_constant_p(3) + __builtin_choose_expr(1, 2, \"\"); }",
    "int f(int n, ...) { __builtin_va_list a, b; __builtin_va_start(a, n); __builtin_va_copy(b, a); int r = __builtin_va_arg(a, int); __builtin_va_end(a); __builtin_va_end(b); return r; }",
    "void g(__builtin_va_list); void f(int n, ...) { __builtin_va_list a; __builtin_va_start(a, n); g(a); }",
    "_Static_assert(__builtin_types_compatible_p(int, signed), \"\"); struct s { int a[4]; }; _Static_assert(__builtin_offsetof(struct s, a[2]) == 8, \"\");",
    "double a = __builtin_inf(), b = __builtin_nan(\"\"); float c = __builtin_huge_valf();",
    "int f(int a, int *p) { return __builtin_add_overflow(a, 1, p) || __builtin_popcount(a) || __builtin_expect(a, 0); }",
    "void f(void *p) { __builtin_memcpy(p, \"abc\", 4); if (!p) __builtin_unreachable(); }",
    "int f(double x) { return __builtin_isnan(x) + __builtin_fpclassify(0, 1, 4, 3, 2, x) + __builtin_isless(x, 1.0f); }",
    "int g; int f(void) { return __sync_fetch_and_add(&g, 1) + __atomic_load_n(&g, 5); }",
    "int f() { return undeclared(1, 2.0); }",
    "int f(void) { char *p = malloc(3); return strlen(p); }",
    "int f(int *p) { char *q = p; int n = p; p = n; return *q; }",
    "int f(void *p) { return p + 1 == p; } int g(void) { return sizeof(void) + sizeof(f); }",
    "void f(void) { void (*p)(void) = f; (*p)(); (****p)(); p(); (&f)(); }",
    "struct s { int a; } f(void); int g(void) { return f().a; } struct t { int a[2]; } h(void); int i(void) { return h().a[1]; }",
    "enum e { A = -1, B = 0x80000000, C = 1LL << 40 }; _Static_assert(sizeof(enum e) == 8, \"\");",
    "enum e; enum e *p; enum e { X }; enum e v = X;",
    "enum { P, Q, } __attribute__((packed)) v; _Static_assert(sizeof v == 1, \"\");",
    "int x[3][4]; int f(void) { return sizeof x[0] + *(*(x + 1) + 2) + 2[x][1]; }",
    "const int n = 5; int m = n; static const double d = 1.5; double e = d * 2;",
    "int a[10]; int *p = &a[3], *q = a + 2, d = &a[5] - &a[2]; unsigned long u = (unsigned long)&a;",
    "long double x = 1.5L; __float128 q; _Float64 y = 0x1.8p3; float z = 1e-3f;",
    "unsigned char c = '\\xff'; int w = L'x'; unsigned short *u = u\"ab\"; unsigned U = U'\\U0001F600';",
    "int $x$y = 1; int f(void) { return $x$y; }",
    "%:pragma once\nint a<:2:> = <% 1, 2 %>;",
    "// comment\nint /* inner */ x; /* multi\nline */",
    "union u { int i; float f; } __attribute__((transparent_union)); void f(union u); void g(void) { f(1); f(2.0f); }",
    "int f(int x) { if (x) ; else if (x > 1) return 2; else; do x--; while (x); for (;;) break; return x; }",
    "void f(void) { for (int i = 0, j = 1; i < j; i++, j--) continue; int i; }",
    "struct s; struct s *p; struct s { struct s *next; }; int f(void) { return p->next == p; }",
    "typedef struct { int x; } T; T f(T a) { T b = a, c; c = b; return 1 ? c : a; }",
    "struct e {}; struct e v = {}; int z[0]; struct t { int a; struct e e; int b; } w = { 1, {}, 2 };",
    "int f(int a[static 3], const int b[const]); void (*signal(int, void (*)(int)))(int);",
    "void f(void) { extern int y; y = 1; int g(int); g(1); } int y;",
    "__attribute__((constructor)) static void f(void) {} int g(void) __attribute__((alias(\"h\"))); int h(void) { return 1; }",
    "struct b { unsigned a : 3; long long c : 40; } v; int f(void) { v.a += 2; v.c++; return v.a << 3; }",
    "_Bool b = 2; _Bool f(int *p) { b++; return p; }",
    "typedef unsigned u32 __attribute__((mode(SI))); typedef int s64 __attribute__((mode(__DI__))); _Static_assert(sizeof(s64) == 8, \"\");",
    ";;; int x;; struct { int a; };",
    "int f(x) { return x; } ; int f2(void) { return f(1); }",
    "int f(void) { lab: __attribute__((unused)); return 0; }",
    "int f(int c) { return c ? (void *)0 == \"x\" : 1; }",
    "int f(void) { static int x = sizeof(\"abc\") + 'a'; return x++ + __func__[0]; }",
    "int main(int argc, char **argv, char **envp) { return argc + argv[0][0]; }",
    "void f(int x) { switch (x) { int y; case 0: y = 1; break; default: { case 7: y = 2; } } }",
    "long f(unsigned a, int b) { return (a > b) + (a / b) + (1u << b) + (-1 >> b); }",
    "struct s { int x; }; static struct s v = (struct s){ 3 }; static struct s w[] = { (struct s){ 1 }, { 2 } };",
    "int g; int *const p = &g; int *q = &*&g; int **r = &(int *){ &g };",
    "void f(void) { int a[3], *p = a; p[1]++; --p; p += 2; *p++ = 1; a[p - a] = 0; }",
];

/// Text, what the message contains, and whether gcc rejects it too.
const REJECTED: &[(&str, &str, bool)] = &[
    ("int f(void) { return y; }", "'y' is not declared", true),
    ("int x = ;", "expected an expression, found ';'", true),
    ("int f(void) { return 1 }", "expected ';', found '}'", true),
    ("foo x;", "unknown type name 'foo'", true),
    ("int f(void) { int x; int x; return 0; }", "redeclaration of 'x'", true),
    ("int f(void); char *f(int);", "conflicting types for 'f'", true),
    ("int f(void) { return 1; } int f(void) { return 2; }", "redefinition of 'f'", true),
    ("_Complex double x;", "complex types are not supported", false),
    ("int v __attribute__((vector_size(16)));", "vector types are not supported", false),
    (
        "int f(void) { int g(void) { return 1; } return g(); }",
        "nested functions are not supported",
        false,
    ),
    ("void f(void) { l: ; void *p = &&l; }", "computed goto) is not supported", false),
    ("double x = 1.0i;", "imaginary constant '1.0i' is not supported", false),
    ("struct s v;", "incomplete", true),
    ("int f(void) { return 1 + (struct { int a; }){ 2 }; }", "operator cannot be applied", true),
    ("struct s { int a; } v; int f(void) { return v.b; }", "has no member 'b'", true),
    ("int f(int x) { return *x; }", "is not a pointer", true),
    (
        "int f(int a, int b); int g(void) { return f(1); }",
        "too few arguments: 2 needed, 1 given",
        true,
    ),
    ("void f(void) { 1 = 2; }", "not an lvalue", true),
    ("const int c = 1; void f(void) { c = 2; }", "const", true),
    ("int f(int x) { switch (x) { case 1: case 1: return 0; } return 1; }", "duplicate case", true),
    ("void f(void) { goto l; }", "label 'l' is used but not defined", true),
    ("void f(void) { break; }", "'break' outside of a loop or switch", true),
    ("int n; int a[n];", "not constant", true),
    ("int g(void); int x = g();", "initializer of a static variable is not constant", true),
    ("int a[-1];", "length of an array is negative", true),
    ("_Static_assert(1 == 2, \"no\");", "static assertion failed: \"no\"", true),
    ("struct s { int a : 33; };", "bit-field is wider than its type", true),
    ("struct s { int a; int a; };", "duplicate member 'a'", true),
    ("int x = \"a\" * 2;", "operator cannot be applied", true),
    ("int x = 08;", "invalid digit '8'", true),
    ("char *s = \"abc", "unterminated string literal", true),
    ("/* abc", "unterminated comment", true),
    ("int x @ 3;", "stray '@'", true),
    ("#include <stdio.h>\nint x;", "preprocessing directive '#include'", false),
    (
        "struct s { int a; }; struct s f(void) { return 1; }",
        "incompatible types in return value",
        true,
    ),
    ("int f(void) { int *p; return &1; }", "not an lvalue", true),
    ("struct s { int b : 2; } v; int *p = &v.b;", "address of a bit-field", true),
    ("enum e { A }; enum e { B };", "redefinition of an enum", true),
    ("struct s { int a; }; struct s { int b; };", "redefinition of a struct", true),
    ("short double x;", "do not make a type", true),
    ("int f(void) { int x[2] = 3; return 0; }", "array is initialized from an expression", true),
    (
        "int f(void) { return __builtin_no_such_thing(1); }",
        "builtin '__builtin_no_such_thing' is not supported",
        false,
    ),
];

#[test]
fn accepts_what_gcc_accepts() {
    // gcc reads these unpreprocessed, where a directive must be complete.
    let texts: Vec<String> = ACCEPTED.iter().map(|s| s.replace("#define\n", "")).collect();
    let complaints = gcc::complaints(&texts, DataModel::Lp64);
    assert!(complaints.is_empty(), "gcc rejects, so a case is wrong:\n{complaints}");
    for model in gcc::MODELS {
        for source in ACCEPTED {
            gcc::program(source, model);
        }
    }
}

#[test]
fn rejects_with_a_place() {
    for (source, message, invalid) in REJECTED {
        if *invalid && gcc::accepts(source, DataModel::Lp64) == Some(true) {
            panic!("gcc accepts, so the case is wrong:\n{source}");
        }
        let compiled = gcc::ours(source, DataModel::Lp64);
        assert!(compiled.program.is_none(), "accepted:\n{source}");
        let text: String = compiled.errors().map(|e| e.render(&compiled.sources)).collect();
        assert!(text.contains(message), "{source}\nexpected: {message}\n{text}");
        assert!(text.starts_with("test.c:"), "{text}");
    }
}

#[test]
fn places_follow_line_markers() {
    let source = "# 1 \"lib.h\" 1 3 4\nint ok;\n# 41 \"user.c\" 2\nint x;\n  int y = z;\n";
    let compiled = gcc::ours(source, DataModel::Lp64);
    let text: String = compiled.errors().map(|e| e.render(&compiled.sources)).collect();
    assert!(text.starts_with("user.c:42:11: error: 'z' is not declared\n"), "{text}");
}

#[test]
fn files_are_linked() {
    use front_c::compile::{Input, Options, compile};
    let link = |texts: &[&str]| {
        let inputs: Vec<Input> = texts
            .iter()
            .enumerate()
            .map(|(i, t)| Input::Text { name: format!("{i}.c"), text: t.as_bytes().to_vec() })
            .collect();
        let compiled = compile(&inputs, &Options::new(DataModel::Lp64)).expect("readable");
        let errors: String = compiled.errors().map(|e| e.render(&compiled.sources)).collect();
        (compiled.program, errors)
    };
    let one = "struct s { int a; struct s *n; }; extern struct s g; int f(struct s *p); static int h(void) { return 1; } int main(void) { return f(&g) + h(); }";
    let two = "struct s { int a; struct s *n; } g = { 1 }; static int h(void) { return 2; } int f(struct s *p) { return p->a + h(); }";
    let (program, errors) = link(&[one, two]);
    let program = program.unwrap_or_else(|| panic!("{errors}"));
    let f = program.function("f").expect("linked");
    assert!(program.functions[f].body.is_some());
    assert_eq!(program.functions.iter().filter(|(_, f)| f.body.is_some()).count(), 4);
    assert!(gcc::object(&program, "g").init.is_some());
    let conflicts = [
        (["int f(void);", "char *f(void) { return 0; }"], "conflicting types across files for 'f'"),
        (["int x = 1;", "int x = 2;"], "redefinition of 'x'"),
        (["int f(void) { return 1; }", "int f(void) { return 2; }"], "redefinition of 'f'"),
        (["extern long x;", "char x;"], "conflicting types for 'x'"),
    ];
    for (texts, message) in conflicts {
        let (program, errors) = link(&texts);
        assert!(program.is_none() && errors.contains(message), "{texts:?}: {errors}");
    }
    let inline = "inline int f(void) { return 1; } int g(void);";
    assert!(link(&[inline, inline, "static int x; int x2;", "static int x; int x2;"]).0.is_some());
}
