//! Sizes, alignments, offsets and bit positions of random structs and unions against gcc.

mod gcc;

use front_c::types::{BitField, DataModel};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

struct Generated {
    /// Definition and variable.
    text: String,
    /// Members with whether they are bit-fields.
    members: Vec<(String, bool)>,
}

const SCALARS: &[&str] = &[
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
    "float",
    "double",
    "long double",
    "void *",
    "_Bool",
    "enum e",
    "struct inner",
    "union either",
    "aligned_int",
    "aligned_char",
    "int (*)(void)",
];

const BIT_TYPES: &[(&str, u32)] = &[
    ("int", 32),
    ("unsigned", 32),
    ("char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("long", 32),
    ("long long", 64),
    ("unsigned long long", 64),
    ("_Bool", 1),
    ("enum e", 32),
];

const PRELUDE: &str = "enum e { E0, E1 = 1000 };\n\
    struct inner { char c; double d; };\n\
    union either { int i; long long l; char c[3]; };\n\
    typedef int aligned_int __attribute__((aligned(8)));\n\
    typedef char aligned_char __attribute__((aligned(4)));\n";

fn pick<'a, T>(rng: &mut StdRng, from: &'a [T]) -> &'a T {
    &from[rng.random_range(0..from.len())]
}

fn member(rng: &mut StdRng, index: usize, depth: u32, out: &mut Generated) {
    let name = format!("m{index}");
    let attribute = match rng.random_range(0..14) {
        0 => " __attribute__((aligned(2)))",
        1 => " __attribute__((aligned(16)))",
        2 => " __attribute__((packed))",
        _ => "",
    };
    match rng.random_range(0..10) {
        0..5 => {
            let (ty, most) = *pick(rng, BIT_TYPES);
            let width = rng.random_range(1..=most);
            match rng.random_range(0..8) {
                0 => out.text.push_str(&format!("  {ty} : 0;\n")),
                1 => out.text.push_str(&format!("  {ty} : {width};\n")),
                _ => {
                    out.text.push_str(&format!("  {ty} {name} : {width};\n"));
                    out.members.push((name, true));
                }
            }
        }
        5 if depth < 2 => {
            let keyword = if rng.random_bool(0.5) { "struct" } else { "union" };
            out.text.push_str(&format!("  {keyword} {{\n"));
            for i in 0..rng.random_range(1..4) {
                member(rng, index * 10 + i, depth + 1, out);
            }
            out.text.push_str(&format!("  }}{attribute};\n"));
        }
        6 => {
            let ty = *pick(rng, &["char", "short", "int", "double", "struct inner"]);
            let length = rng.random_range(0..4);
            out.text.push_str(&format!("  {ty} {name}[{length}]{attribute};\n"));
            out.members.push((name, false));
        }
        _ => {
            let ty = *pick(rng, SCALARS);
            match ty.split_once("(*)") {
                Some((result, params)) => {
                    out.text.push_str(&format!("  {result} (*{name}){params}{attribute};\n"));
                }
                None => out.text.push_str(&format!("  {ty} {name}{attribute};\n")),
            }
            out.members.push((name, false));
        }
    }
}

fn record(rng: &mut StdRng, index: usize) -> Generated {
    let mut out = Generated { text: String::new(), members: Vec::new() };
    let pack = if rng.random_range(0..6) == 0 { Some(1 << rng.random_range(0..4)) } else { None };
    if let Some(pack) = pack {
        out.text.push_str(&format!("#pragma pack(push, {pack})\n"));
    }
    let keyword = if rng.random_bool(0.8) { "struct" } else { "union" };
    out.text.push_str(&format!("{keyword} s{index} {{\n"));
    for i in 0..rng.random_range(1..8) {
        member(rng, i + 1, 0, &mut out);
    }
    let attribute = match rng.random_range(0..8) {
        0 | 1 => " __attribute__((packed))",
        2 => " __attribute__((aligned(16)))",
        3 => " __attribute__((packed, aligned(2)))",
        _ => "",
    };
    out.text.push_str(&format!("}}{attribute} v{index};\n"));
    if pack.is_some() {
        out.text.push_str("#pragma pack(pop)\n");
    }
    out
}

/// The program that prints what gcc thinks.
fn harness(records: &[Generated]) -> String {
    let mut text =
        String::from("int printf(const char *, ...); void *memset(void *, int, unsigned long);\n");
    text.push_str(PRELUDE);
    records.iter().for_each(|r| text.push_str(&r.text));
    text.push_str("int main(void) {\n");
    for (i, record) in records.iter().enumerate() {
        text.push_str(&format!(
            "printf(\"s{i} %d %d %d\\n\", (int)sizeof v{i}, (int)__alignof__(v{i}), \
             (int)_Alignof(__typeof__(v{i})));\n"
        ));
        for (name, is_bits) in &record.members {
            if *is_bits {
                text.push_str(&format!(
                    "for (int i = 0; i < sizeof v{i}; i++) ((char *)&v{i})[i] = 0; \
                     v{i}.{name} = -1; printf(\"s{i}.{name}\"); \
                     for (int i = 0; i < sizeof v{i}; i++) \
                     printf(\" %d\", ((unsigned char *)&v{i})[i]); printf(\"\\n\");\n"
                ));
            } else {
                text.push_str(&format!(
                    "printf(\"s{i}.{name} %d\\n\", \
                     (int)__builtin_offsetof(__typeof__(v{i}), {name}));\n"
                ));
            }
        }
    }
    text.push_str("return 0; }\n");
    text
}

/// The same lines from our layout.
fn our_lines(records: &[Generated], model: DataModel) -> String {
    let mut text = String::from(PRELUDE);
    records.iter().for_each(|r| text.push_str(&r.text));
    for (i, record) in records.iter().enumerate() {
        for (name, _) in record.members.iter().filter(|m| !m.1) {
            text.push_str(&format!(
                "int o{i}_{name}[__builtin_offsetof(__typeof__(v{i}), {name}) + 1];\n"
            ));
        }
    }
    let program = gcc::program(&text, model);
    let types = &program.types;
    let mut out = String::new();
    for (i, record) in records.iter().enumerate() {
        let ty = gcc::object(&program, &format!("v{i}")).ty;
        let size = types.size_of(ty.ty).expect("complete");
        out.push_str(&format!(
            "s{i} {size} {} {}\n",
            types.align_of(ty),
            types.member_align_of(ty)
        ));
        for (name, is_bits) in &record.members {
            if *is_bits {
                let bits = find_bits(&program, ty.ty, name, 0).expect("a bit-field");
                let mut bytes = vec![0u8; size as usize];
                for bit in bits.position..bits.position + u64::from(bits.width) {
                    bytes[(bit / 8) as usize] |= 1 << (bit % 8);
                }
                let shown: Vec<String> = bytes.iter().map(|b| format!(" {b}")).collect();
                out.push_str(&format!("s{i}.{name}{}\n", shown.concat()));
            } else {
                let array = gcc::object(&program, &format!("o{i}_{name}")).ty.ty;
                let offset = types.size_of(array).expect("complete") / 4 - 1;
                out.push_str(&format!("s{i}.{name} {offset}\n"));
            }
        }
    }
    out
}

fn find_bits(
    program: &front_c::typed::Program,
    ty: front_c::types::TypeId,
    name: &str,
    base: u64,
) -> Option<BitField> {
    for field in &program.types.body(ty)?.fields {
        match field.name {
            Some(n) if program.symbols.name(n) == name => {
                let bits = field.bits?;
                return Some(BitField { position: base * 8 + bits.position, ..bits });
            }
            None => {
                if let Some(b) = find_bits(program, field.ty.ty, name, base + field.offset) {
                    return Some(b);
                }
            }
            _ => {}
        }
    }
    None
}

/// Batches of a hundred; more can be tried by raising it.
const ROUNDS: u64 = 2;

#[test]
fn layouts_agree_with_gcc() {
    for model in gcc::MODELS {
        if !gcc::available(model) {
            continue;
        }
        for seed in 0..ROUNDS {
            let mut rng = StdRng::seed_from_u64(seed);
            let records: Vec<Generated> = (0..100).map(|i| record(&mut rng, i)).collect();
            let theirs = gcc::execute(&harness(&records), model).expect("gcc compiles it");
            let ours = our_lines(&records, model);
            for (a, b) in theirs.lines().zip(ours.lines()) {
                if a != b {
                    let index: usize =
                        a[1..].split([' ', '.']).next().and_then(|n| n.parse().ok()).unwrap_or(0);
                    panic!("{model:?}, seed {seed}\ngcc:  {a}\nours: {b}\n{}", records[index].text);
                }
            }
            assert_eq!(theirs.lines().count(), ours.lines().count());
        }
    }
}
