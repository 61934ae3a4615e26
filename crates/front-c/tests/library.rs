//! The models of library functions against the C library itself: random programs call them on short
//! strings, and the interpreter computes the checksum that the compiled program prints, with memory
//! checked alone and with all that can be checked.

mod gcc;

use front_c::lower::{self, lower};
use front_c::types::DataModel;
use program::Property;
use program::interpret::{Fixed, Interpreter, Outcome};

/// What every program begins with: three strings of at most 15 characters each, and a checksum.
const PRELUDE: &str = "
typedef __typeof__(sizeof 0) size_t;
int printf(const char *, ...), sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...);
void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t);
void *mempcpy(void *, const void *, size_t), *memset(void *, int, size_t);
void *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *), strnlen(const char *, size_t);
size_t strspn(const char *, const char *), strcspn(const char *, const char *);
char *strcpy(char *, const char *), *strncpy(char *, const char *, size_t);
char *stpcpy(char *, const char *), *strcat(char *, const char *);
char *strncat(char *, const char *, size_t), *strchr(const char *, int);
char *strrchr(const char *, int), *strstr(const char *, const char *);
char *strpbrk(const char *, const char *), *strtok(char *, const char *);
int strcmp(const char *, const char *), strncmp(const char *, const char *, size_t);
int strcasecmp(const char *, const char *), strncasecmp(const char *, const char *, size_t);
int atoi(const char *);
long strtol(const char *, char **, int);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
typedef struct { int quot, rem; } div_t;
div_t div(int, int);
int abs(int);
void __VERIFIER_error(void);
char s[4][64];
unsigned sum;
void mix(long x) { sum = sum * 31 + (unsigned)x; }
int sign(int x) { return (x > 0) - (x < 0); }
long at(const char *p, const char *q) { return p ? p - q : -1; }
int less(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
";

/// Statements. `A`, `B`: two different strings; `C`: any; `K`: a small number; `N`: any number;
/// `X`: a character.
const STATEMENTS: [&str; 40] = [
    "memcpy(A, B, K);",
    "memmove(A + 1, A, K); A[15] = 0;",
    "mix((char *)mempcpy(A, B, K) - A);",
    "memset(A, X, K);",
    "mix(at(memchr(A, X, K), A));",
    "mix(sign(memcmp(A, B, K)));",
    "mix(strlen(C));",
    "mix(strnlen(C, K));",
    "mix(strspn(A, B));",
    "mix(strcspn(A, B));",
    "mix(at(strcpy(A, B), A));",
    "mix(stpcpy(A, B) - A);",
    "strncpy(A, B, K);",
    "strcat(A, B); A[15] = 0;",
    "strncat(A, B, K); A[15] = 0;",
    "mix(at(strchr(C, X), C));",
    "mix(at(strrchr(C, X), C));",
    "mix(at(strstr(A, B), A));",
    "mix(at(strpbrk(A, B), A));",
    "mix(sign(strcmp(A, B)));",
    "mix(sign(strncmp(A, B, K)));",
    "mix(sign(strcasecmp(A, B)));",
    "mix(sign(strncasecmp(A, B, K)));",
    "mix(atoi(C));",
    "{ char *e; mix(strtol(C, &e, 10)); mix(at(e, C)); }",
    "{ char *t = strtok(A, \", \"); mix(at(t, A)); if (t) mix(at(strtok(0, \"a1\"), A)); }",
    "mix(sprintf(A, \"%d\", N));",
    "mix(sprintf(A, \"%u.%x\", (unsigned)N, K));",
    "mix(sprintf(A, \"%5d|%-4d|%05d\", K, -K, -K)); A[15] = 0;",
    "mix(sprintf(A, \"%lx\", (long)N)); A[15] = 0;",
    "mix(sprintf(A, \"%o%%%X\", K, (unsigned)N)); A[15] = 0;",
    "mix(sprintf(A, \"<%s%c>\", B, X)); A[15] = 0;",
    "mix(sprintf(A, \"%-7.3s|%4s\", B, \"x\")); A[15] = 0;",
    "mix(snprintf(A, K, \"%s-%d\", B, N));",
    "mix(snprintf(A, K, \"%8s%c\", B, X));",
    "mix(snprintf(A, K, \"%-8d%03u\", N, K));",
    "qsort(C, K, 1, less);",
    "{ char c = X; mix(bsearch(&c, \"aabc\", 4, 1, less) != 0); }",
    "{ div_t d = div(N, K + 1); mix(d.quot); mix(d.rem); }",
    "mix(abs(N) + (N > 0));",
];

/// A generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % n
    }

    fn text(&mut self) -> String {
        let length = self.below(9);
        (0..length).map(|_| char::from(b"aAbBc1290-, "[self.below(12)])).collect()
    }
}

/// The function `run`, which computes the checksum.
fn program(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = String::from("unsigned run(void) {\n");
    for i in 0..4 {
        text.push_str(&format!("strcpy(s[{i}], \"{}\");\n", random.text()));
    }
    for _ in 0..12 {
        let (a, away, c) = (random.below(4), 1 + random.below(3), random.below(4));
        let number = (random.below(1 << 32) as u32 as i32) >> random.below(32);
        let number = number.max(i32::MIN + 1);
        let replaced = [
            ('A', format!("s[{a}]")),
            ('B', format!("s[{}]", (a + away) % 4)),
            ('C', format!("s[{c}]")),
            ('K', random.below(12).to_string()),
            ('N', format!("({number})")),
            ('X', format!("'{}'", char::from(b"aB1-, "[random.below(6)]))),
        ];
        let statement = STATEMENTS[random.below(STATEMENTS.len())];
        for (position, c) in statement.char_indices() {
            let before = statement[..position].chars().next_back();
            // The letters of conversions are none.
            let is_hole = before != Some('%');
            match replaced.iter().find(|(hole, _)| *hole == c && is_hole) {
                Some((_, by)) => text.push_str(by),
                None => text.push(c),
            }
        }
        text.push_str("\nfor (int i = 0; i < 4; i++) { s[i][15] = 0; mix(strlen(s[i])); }\n");
        text.push_str("for (int i = 0; i < 64; i++) mix(s[i & 3][i >> 2]);\n");
    }
    text.push_str("return sum;\n}\n");
    text
}

/// How the interpreter runs the program, which fails if the checksum is another one.
fn outcome(text: &str, model: DataModel, properties: &[Property]) -> String {
    let compiled = gcc::ours(text, model);
    let errors: Vec<String> = compiled.errors().map(|e| e.render(&compiled.sources)).collect();
    let Some(typed) = &compiled.program else { panic!("{}\n{text}", errors.join("\n")) };
    let options = lower::Options { properties: properties.to_vec(), ..Default::default() };
    let Ok(lowered) = lower(typed, &compiled.sources, &options) else {
        panic!("all of it is supported\n{text}")
    };
    let interpreter = Interpreter::new(&lowered.program).expect("the program can be run");
    match interpreter.with_properties(properties).run(&mut Fixed::default()) {
        Outcome::Finished { .. } => String::new(),
        other => {
            let place = other.position().map(|at| at.place(&lowered.program).to_string());
            format!("{other:?} at {place:?}")
        }
    }
}

fn compare(seeds: std::ops::Range<u64>, model: DataModel) {
    if !gcc::available(model) {
        return;
    }
    let every: Vec<Property> =
        Property::ALL.into_iter().filter(|property| *property != Property::DeadCode).collect();
    for seed in seeds {
        let run = program(seed);
        let native = format!("{PRELUDE}{run}int main(void) {{ printf(\"%u\", run()); return 0; }}");
        let expected = gcc::execute(&native, model).expect("gcc takes the program");
        let text = format!(
            "{PRELUDE}{run}int main(void) {{ if (run() != {expected}u) __VERIFIER_error(); return 0; }}"
        );
        for properties in [&[Property::Reach, Property::Pointer][..], &every] {
            let outcome = outcome(&text, model, properties);
            assert!(outcome.is_empty(), "program {seed} for {model:?}: {outcome}\n{run}");
        }
    }
}

#[test]
fn models_agree_with_the_library_of_64_bits() {
    compare(0..60, DataModel::Lp64);
}

#[test]
fn models_agree_with_the_library_of_32_bits() {
    compare(60..100, DataModel::Ilp32);
}

#[test]
#[ignore = "takes long: PROGRAMS programs for each data model"]
fn long_run() {
    let programs = std::env::var("PROGRAMS").map_or(2_000, |n| n.parse().expect("a number"));
    for model in gcc::MODELS {
        compare(1_000..1_000 + programs, model);
    }
}
