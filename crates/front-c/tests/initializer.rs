//! The bytes of randomly initialized static objects against gcc.

mod gcc;

use front_c::constant::Constant;
use front_c::typed::{InitEntry, InitValue, PathStep, Program};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const PRELUDE: &str = "typedef struct { int x; short y[3]; } P;\n\
    typedef union { int i; char c[6]; struct { short a, b; } s; } U;\n\
    typedef struct { unsigned a : 5; int b : 7; int : 0; unsigned c : 3; char d; } B;\n\
    typedef struct { P p[2]; struct { int q; U u; }; char text[5]; B bits; } S;\n";

/// An initializer for a value of a type, perhaps without its outer braces' designators.
fn value(rng: &mut StdRng, ty: &str, depth: u32) -> String {
    let scalar = |rng: &mut StdRng| rng.random_range(-9..100).to_string();
    if depth == 0 {
        return match ty {
            "int" => scalar(rng),
            _ => "{}".into(),
        };
    }
    let mut items: Vec<String> = Vec::new();
    let sub = |rng: &mut StdRng, ty: &str| value(rng, ty, depth - 1);
    let count = rng.random_range(0..4);
    for _ in 0..count {
        let item = match (ty, rng.random_range(0..6)) {
            ("int", _) => return scalar(rng),
            ("P", 0) => format!(".x = {}", scalar(rng)),
            ("P", 1) => format!(".y[1] = {}", scalar(rng)),
            ("P", 2) => format!(".y = {{ {}, {} }}", scalar(rng), scalar(rng)),
            ("P", 3) => format!(".y[0 ... 1] = {}", scalar(rng)),
            ("U", 0) => format!(".c = {{ {} }}", scalar(rng)),
            ("U", 1) => format!(".s.b = {}", scalar(rng)),
            ("U", 2) => ".c = \"hi\"".into(),
            ("U", 3) => format!(".i = {}", scalar(rng)),
            ("B", 0) => format!(".b = {}", scalar(rng)),
            ("B", 1) => format!(".d = {}", scalar(rng)),
            ("S", 0) => format!(".p[1] = {}", sub(rng, "P")),
            ("S", 1) => format!(".u = {}", sub(rng, "U")),
            ("S", 2) => format!(".u.s.a = {}, {}", scalar(rng), scalar(rng)),
            ("S", 3) => format!(".p = {{ {}, {} }}", sub(rng, "P"), sub(rng, "P")),
            ("S", 4) => ".text = \"abcde\"".into(),
            ("S", 5) => format!(".bits = {}", sub(rng, "B")),
            ("A", 0) => format!("[3] = {}", sub(rng, "P")),
            ("A", 1) => format!("[1 ... 2] = {}", sub(rng, "P")),
            ("A", 2) => format!("[2].y[1] = {}, {}, {}", scalar(rng), scalar(rng), scalar(rng)),
            ("A", 3) => sub(rng, "P"),
            _ => scalar(rng),
        };
        items.push(item);
    }
    format!("{{ {} }}", items.join(", "))
}

fn image(program: &Program, name: &str) -> Vec<u8> {
    let object = gcc::object(program, name);
    let size = program.types.size_of(object.ty.ty).expect("complete");
    let mut bytes = vec![0; size as usize];
    for entry in &program.inits[object.init.expect("initialized")].entries {
        let mut offsets = vec![0u64];
        for step in &entry.path {
            if let PathStep::Range { first, last, stride } = *step {
                let repeat =
                    |o: &u64| (0..=last - first).map(|k| o + k * stride).collect::<Vec<_>>();
                offsets = offsets.iter().flat_map(repeat).collect();
            }
        }
        for offset in offsets {
            apply(program, entry, offset, &mut bytes);
        }
    }
    bytes
}

fn apply(program: &Program, entry: &InitEntry, by: u64, bytes: &mut [u8]) {
    let size = program.types.size_of(entry.ty.ty).expect("complete");
    let (first, count, value) = match (entry.value, entry.bits) {
        (InitValue::String(string), _) => {
            let at = (entry.offset + by) as usize;
            bytes[at..at + size as usize].fill(0);
            let units = program.strings[string].literal.units.iter();
            for (byte, unit) in bytes[at..at + size as usize].iter_mut().zip(units) {
                *byte = *unit as u8;
            }
            return;
        }
        (InitValue::Zero, _) => {
            let at = (entry.offset + by) as usize;
            bytes[at..at + size as usize].fill(0);
            return;
        }
        (InitValue::Expr(value), Some(bits)) => {
            (bits.position + by * 8, u64::from(bits.width), value)
        }
        (InitValue::Expr(value), None) => ((entry.offset + by) * 8, size * 8, value),
    };
    let Constant::Int(value) = program.constants.get(value).expect("constant").value else {
        panic!("not an integer");
    };
    for bit in 0..count {
        let (byte, shift) = (((first + bit) / 8) as usize, (first + bit) % 8);
        bytes[byte] &= !(1 << shift);
        bytes[byte] |= (((value >> bit) & 1) as u8) << shift;
    }
}

#[test]
fn initializers_agree_with_gcc() {
    for model in gcc::MODELS {
        if !gcc::available(model) {
            continue;
        }
        let mut rng = StdRng::seed_from_u64(5);
        let mut text = String::from(PRELUDE);
        let mut names = Vec::new();
        for i in 0..400 {
            let ty = ["P", "U", "B", "S", "A"][rng.random_range(0..5)];
            let init = value(&mut rng, ty, 3);
            let declaration = match ty {
                "A" => format!("P v{i}[5] = {init};"),
                _ => format!("{ty} v{i} = {init};"),
            };
            // Some are not valid: braces for scalars that are already full, for instance.
            if gcc::ours(&format!("{PRELUDE}{declaration}"), model).program.is_some() {
                text.push_str(&format!("{declaration}\n"));
                names.push(format!("v{i}"));
            }
        }
        assert!(names.len() > 300, "most are valid: {}", names.len());
        let mut harness = format!(
            "int printf(const char *, ...);\n{text}static void show(void *p, int n) {{ \
             for (int i = 0; i < n; i++) printf(\"%d \", ((unsigned char *)p)[i]); \
             printf(\"\\n\"); }}\nint main(void) {{\n"
        );
        for name in &names {
            harness.push_str(&format!("show(&{name}, sizeof {name});\n"));
        }
        harness.push_str("return 0; }\n");
        let theirs = gcc::execute(&harness, model).expect("gcc compiles what we accept");
        let program = gcc::program(&text, model);
        for (name, line) in names.iter().zip(theirs.lines()) {
            let ours: String = image(&program, name).iter().map(|b| format!("{b} ")).collect();
            let source = text.lines().find(|l| l.contains(&format!(" {name}"))).unwrap_or("");
            assert_eq!(line, ours, "{model:?}: {source}");
        }
    }
}
