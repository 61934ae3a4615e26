//! Values and types of random constant expressions against gcc.

mod gcc;

use front_c::constant::Constant;
use front_c::typed::{InitValue, Program};
use front_c::types::{DataModel, Type};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const INT_TYPES: &[&str] = &[
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
    "enum small",
    "enum negative",
    "enum large",
];

const FLOAT_TYPES: &[&str] = &["float", "double", "long double"];

const PRELUDE: &str = "enum small { S0, S1, S2 = 5 };\n\
    enum negative { N0 = -3, N1 };\n\
    enum large { L0 = 1, L1 = 0x123456789ULL };\n\
    struct s { char c; int i; double d; };\n";

fn pick<'a>(rng: &mut StdRng, from: &'a [&'a str]) -> &'a str {
    from[rng.random_range(0..from.len())]
}

fn leaf(rng: &mut StdRng) -> String {
    match rng.random_range(0..8) {
        0 => pick(rng, &["S1", "S2", "N0", "N1", "L0", "L1"]).into(),
        1 => pick(rng, &["'a'", "'\\377'", "L'x'", "'ab'", "u'y'", "U'z'"]).into(),
        2 => format!("sizeof({})", pick(rng, INT_TYPES)),
        3 => pick(rng, &["__builtin_offsetof(struct s, d)", "_Alignof(double)", "sizeof \"abc\""])
            .into(),
        4 => {
            let suffix = pick(rng, &["", "u", "l", "ul", "ll", "ull"]);
            let value: u32 = rng.random();
            format!("0x{value:x}{suffix}")
        }
        5 => {
            let value: u64 = rng.random();
            format!("0x{value:x}{}", pick(rng, &["", "ull", "ll", "u"]))
        }
        _ => format!("{}{}", rng.random_range(0..100), pick(rng, &["", "u", "l", "ull"])),
    }
}

fn integer(rng: &mut StdRng, depth: u32) -> String {
    if depth == 0 {
        return leaf(rng);
    }
    let sub = |rng: &mut StdRng| integer(rng, depth - 1);
    match rng.random_range(0..14) {
        0 => format!("(-{})", sub(rng)),
        1 => format!("(~{})", sub(rng)),
        2 => format!("(!{})", sub(rng)),
        3 => format!("(({}){})", pick(rng, INT_TYPES), sub(rng)),
        4 => {
            let op = pick(rng, &["<<", ">>"]);
            format!("({} {op} {})", sub(rng), rng.random_range(0..31))
        }
        5 => {
            let op = pick(rng, &["/", "%"]);
            format!("({} {op} {}u)", sub(rng), rng.random_range(1..50))
        }
        6 => format!("({} ? {} : {})", sub(rng), sub(rng), sub(rng)),
        7 => {
            let op = pick(rng, &["<", ">", "<=", ">=", "==", "!="]);
            format!("({} {op} {})", sub(rng), sub(rng))
        }
        8 => {
            let op = pick(rng, &["&&", "||"]);
            format!("({} {op} {})", sub(rng), sub(rng))
        }
        9 => format!("((int){} < {})", floating(rng, 1), floating(rng, 1)),
        _ => {
            let op = pick(rng, &["+", "-", "*", "&", "|", "^"]);
            format!("({} {op} {})", sub(rng), sub(rng))
        }
    }
}

fn floating(rng: &mut StdRng, depth: u32) -> String {
    if depth == 0 {
        let suffix = pick(rng, &["", "f", "l"]);
        return match rng.random_range(0..4) {
            0 => format!("0x1.{:x}p{}{suffix}", rng.random::<u16>(), rng.random_range(-8..8)),
            1 => format!("{}e{}{suffix}", rng.random_range(1..1000), rng.random_range(-5..3)),
            _ => format!("{}.{}{suffix}", rng.random_range(0..100), rng.random_range(0..100_000)),
        };
    }
    match rng.random_range(0..6) {
        0 => format!("(({}){})", pick(rng, FLOAT_TYPES), floating(rng, depth - 1)),
        1 => format!("(({}){})", pick(rng, FLOAT_TYPES), leaf(rng)),
        2 => format!("(-{})", floating(rng, depth - 1)),
        3 => format!("({} + {})", floating(rng, depth - 1), leaf(rng)),
        _ => {
            let op = pick(rng, &["+", "-", "*"]);
            format!("({} {op} {})", floating(rng, depth - 1), floating(rng, depth - 1))
        }
    }
}

/// The bits a global is initialized with.
fn bits(program: &Program, name: &str) -> u128 {
    let object = gcc::object(program, name);
    let init = &program.inits[object.init.expect("initialized")];
    let InitValue::Expr(value) = init.entries[0].value else { panic!("{name}: a string") };
    match program.constants.get(value).expect("constant").value {
        Constant::Int(bits) => match program.types.get(object.ty.ty) {
            Type::Float(_) => panic!("{name}: an integer"),
            _ => program.types.shape(object.ty.ty).expect("integer").extend(bits),
        },
        Constant::Float(value) => value.bits,
        Constant::Address(..) => panic!("{name}: an address"),
    }
}

fn declarations(integers: &[String], floats: &[String]) -> String {
    let mut text = String::from(PRELUDE);
    for (i, e) in integers.iter().enumerate() {
        text.push_str(&format!("long long r{i} = (long long){e};\n"));
        text.push_str(&format!("int z{i} = sizeof({e}), u{i} = ((__typeof__({e}))-1) < 0;\n"));
    }
    for (i, e) in floats.iter().enumerate() {
        text.push_str(&format!("double f{i} = {e}; long double l{i} = {e}; float s{i} = {e};\n"));
    }
    text
}

#[test]
fn constants_agree_with_gcc() {
    for model in gcc::MODELS {
        if !gcc::available(model) {
            continue;
        }
        let mut rng = StdRng::seed_from_u64(17);
        let integers: Vec<String> = (0..300)
            .map(|_| {
                let depth = rng.random_range(1..5);
                integer(&mut rng, depth)
            })
            .collect();
        let floats: Vec<String> = (0..100).map(|_| floating(&mut rng, 2)).collect();
        let text = declarations(&integers, &floats);
        compare(&text, &integers, &floats, model);
    }
}

fn compare(text: &str, integers: &[String], floats: &[String], model: DataModel) {
    let mut harness = format!("int printf(const char *, ...);\n{text}int main(void) {{\n");
    for i in 0..integers.len() {
        harness.push_str(&format!("printf(\"%lld %d %d\\n\", r{i}, z{i}, u{i});\n"));
    }
    for i in 0..floats.len() {
        harness.push_str(&format!("{{ union {{ double d; unsigned long long b; }} x = {{ f{i} }}; \
             union {{ float d; unsigned b; }} y = {{ s{i} }}; \
             union {{ long double d; struct {{ unsigned long long low; unsigned short high; }} b; }} z; \
             z.d = l{i}; printf(\"%llx %x %x%016llx\\n\", x.b, y.b, z.b.high, z.b.low); }}\n"));
    }
    harness.push_str("return 0; }\n");
    let theirs = gcc::execute(&harness, model).expect("gcc compiles it");
    let program = gcc::program(text, model);
    let mut lines = theirs.lines();
    for (i, e) in integers.iter().enumerate() {
        let ours = format!(
            "{} {} {}",
            bits(&program, &format!("r{i}")) as i64,
            bits(&program, &format!("z{i}")) as i32,
            bits(&program, &format!("u{i}")) as i32
        );
        assert_eq!(lines.next(), Some(ours.as_str()), "{model:?}: {e}");
    }
    for (i, e) in floats.iter().enumerate() {
        let long = bits(&program, &format!("l{i}"));
        let ours = format!(
            "{:x} {:x} {:x}{:016x}",
            bits(&program, &format!("f{i}")),
            bits(&program, &format!("s{i}")),
            long >> 64,
            long as u64
        );
        assert_eq!(lines.next(), Some(ours.as_str()), "{model:?}: {e}");
    }
}
