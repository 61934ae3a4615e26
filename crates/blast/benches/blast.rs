//! Gates and build time of the main operators, as a table: `cargo bench -p cairn-blast`.

use aig::Aig;
use blast::float::{self, Float, Layout};
use blast::word::{self, Word};
use blast::{Mode, rounding};
use std::hint::black_box;
use std::time::Instant;

const HALF: Layout = Layout { exponent_bits: 5, precision: 11 };
const SINGLE: Layout = Layout { exponent_bits: 8, precision: 24 };
const DOUBLE: Layout = Layout { exponent_bits: 11, precision: 53 };

/// Builds the circuit often enough to be timed; prints gates and microseconds of one.
fn report(name: &str, width: usize, operands: usize, build: impl Fn(&mut Aig, &[Word])) {
    let mut gates = 0;
    let mut runs = 0;
    let start = Instant::now();
    while runs < 3 || start.elapsed().as_millis() < 100 {
        let mut g = Aig::new();
        let words: Vec<Word> = (0..operands).map(|_| word::inputs(&mut g, width)).collect();
        let before = g.len();
        build(&mut g, &words);
        gates = g.len() - before;
        black_box(&g);
        runs += 1;
    }
    let micros = start.elapsed().as_secs_f64() * 1e6 / f64::from(runs);
    println!("{name:<24} {width:>5} {gates:>9} {micros:>11.1}");
}

fn words(width: usize) {
    type Binary = fn(&mut Aig, &[aig::Edge], &[aig::Edge]) -> Word;
    let operators: [(&str, Binary); 9] = [
        ("add", word::add),
        ("subtract", word::subtract),
        ("multiply", word::multiply),
        ("multiply in full", word::multiply_full),
        ("square", |g, a, _| word::square_full(g, a)),
        ("divide", |g, a, b| word::divide(g, a, b).0),
        ("signed divide", word::signed_divide),
        ("shift left", word::shift_left),
        ("unsigned less", |g, a, b| vec![word::less(g, a, b)]),
    ];
    for (name, operator) in operators {
        report(name, width, 2, |g, words| {
            black_box(operator(g, &words[0], &words[1]));
        });
    }
}

type Operator = fn(&mut Aig, &Mode, &[Float]) -> Float;

fn floats(name: &str, layout: Layout) {
    let operators: [(&str, usize, Operator); 8] = [
        ("add", 2, |g, m, a| float::add(g, m, &a[0], &a[1])),
        ("multiply", 2, |g, m, a| float::multiply(g, m, &a[0], &a[1])),
        ("divide", 2, |g, m, a| float::divide(g, m, &a[0], &a[1])),
        ("fma", 3, |g, m, a| float::fma(g, m, &a[0], &a[1], &a[2])),
        ("square root", 1, |g, m, a| float::square_root(g, m, &a[0])),
        ("remainder", 2, |g, _, a| float::remainder(g, &a[0], &a[1])),
        ("round to integral", 1, |g, m, a| float::round_to_integral(g, m, &a[0])),
        ("to half", 1, |g, m, a| float::to_format(g, m, &a[0], HALF)),
    ];
    for (operator, operands, build) in operators {
        for (mode_name, constant) in [("RNE", true), ("any mode", false)] {
            report(
                &format!("{name} {operator} {mode_name}"),
                layout.width(),
                operands,
                |g, words| {
                    let mode = if constant {
                        rounding::Mode::NEAREST_EVEN
                    } else {
                        let bits = [g.input(), g.input(), g.input()];
                        Mode::from_bits(g, bits)
                    };
                    let floats: Vec<Float> =
                        words.iter().map(|w| Float::from_bits(g, layout, w)).collect();
                    black_box(build(g, &mode, &floats));
                },
            );
        }
    }
    report(&format!("{name} normalize"), layout.width(), 1, |g, words| {
        Float::from_bits(g, layout, &words[0]).normal(g);
    });
    report(&format!("{name} less"), layout.width(), 2, |g, words| {
        let [a, b] = [0, 1].map(|i| Float::from_bits(g, layout, &words[i]));
        float::less(g, &a, &b);
    });
    report(&format!("{name} to 32 bits"), layout.width(), 1, |g, words| {
        let a = Float::from_bits(g, layout, &words[0]);
        float::to_signed(g, &Mode::TOWARD_ZERO, &a, 32);
    });
    report(&format!("{name} from 32 bits"), 32, 1, |g, words| {
        float::from_signed(g, &Mode::NEAREST_EVEN, &words[0], layout);
    });
}

fn main() {
    println!("{:<24} {:>5} {:>9} {:>11}", "operator", "width", "gates", "µs");
    words(32);
    words(64);
    floats("f32", SINGLE);
    floats("f64", DOUBLE);
}
