//! How long questions about float arithmetic take by bounds and by bit-blasting.
//!
//! `cargo run --release -p cairn-icp --example compare`
//!
//! Each family is a kind of question that controllers lead to; the incremental one asks many
//! questions under few assumptions, as IC3 does.

use icp::{Bound, Domain, Icp, Means, Side};
use smt::{Allowance, Answer, Solver, native};
use std::time::{Duration, Instant};
use term::{Pool, Sort, Term, Value};
use value::{Float, Format, Rounding};

const LIMIT: Duration = Duration::from_secs(10);

/// Builds terms over one format.
struct Builder {
    pool: Pool,
    format: Format,
    mode: Term,
}

impl Builder {
    fn new(format: Format) -> Builder {
        let pool = Pool::new();
        let mode = pool.rounding(Rounding::NearestEven);
        Builder { pool, format, mode }
    }

    fn number(&self, number: f64) -> Term {
        let float = Float::from_f64(number).to_format(self.format, Rounding::NearestEven);
        self.pool.float(float)
    }

    fn var(&self, name: &str) -> Term {
        self.pool.var(name, Sort::Float(self.format))
    }

    fn add(&self, a: Term, b: Term) -> Term {
        self.pool.fp_add(self.mode, a, b)
    }

    fn mul(&self, a: Term, b: Term) -> Term {
        self.pool.fp_mul(self.mode, a, b)
    }

    fn scaled(&self, factor: f64, a: Term) -> Term {
        self.mul(self.number(factor), a)
    }

    fn within(&self, low: f64, x: Term, high: f64) -> Term {
        let pool = &self.pool;
        pool.and([pool.fp_leq(self.number(low), x), pool.fp_leq(x, self.number(high))])
    }

    fn at_most(&self, x: Term, high: f64) -> Term {
        self.pool.fp_leq(x, self.number(high))
    }
}

/// A question with what is expected of it.
struct Case {
    name: &'static str,
    builder: Builder,
    formulas: Vec<Term>,
    assumptions: Vec<Vec<Term>>,
}

/// Steps of a filter y' = a·y + b·x from a bounded state: y stays bounded, or gets close.
fn filter(format: Format, steps: usize, bound: f64, name: &'static str) -> Case {
    let builder = Builder::new(format);
    let mut y = builder.var("y");
    let mut formulas = vec![builder.within(-10.0, y, 10.0)];
    for i in 0..steps {
        let x = builder.var(&format!("x{i}"));
        formulas.push(builder.within(-1.0, x, 1.0));
        y = builder.add(builder.scaled(0.875, y), builder.scaled(1.25, x));
    }
    formulas.push(builder.pool.not(builder.at_most(y, bound)));
    Case { name, builder, formulas, assumptions: vec![Vec::new()] }
}

/// A polynomial of the sine between ±π/2: above a bound or not.
fn series(format: Format, bound: f64, name: &'static str) -> Case {
    let builder = Builder::new(format);
    let x = builder.var("x");
    let square = builder.mul(x, x);
    let mut term = x;
    let mut sum = x;
    for factor in [-6.0, -20.0, -42.0] {
        term = builder.pool.fp_div(builder.mode, builder.mul(term, square), builder.number(factor));
        sum = builder.add(sum, term);
    }
    let formulas = vec![
        builder.within(-1.5707964, x, 1.5707964),
        builder.pool.not(builder.at_most(sum, bound)),
    ];
    Case { name, builder, formulas, assumptions: vec![Vec::new()] }
}

/// A saturated integrator with a switch: one step, from boxes of states into boxes of states.
fn integrator(format: Format, name: &'static str) -> Case {
    let builder = Builder::new(format);
    let pool = &builder.pool;
    let [s, u, t] = ["s", "u", "t"].map(|name| builder.var(name));
    let on = pool.var("on", Sort::Bool);
    let sum = builder.add(s, builder.scaled(0.0625, u));
    let high = pool.fp_lt(builder.number(100.0), sum);
    let low = pool.fp_lt(sum, builder.number(-100.0));
    let saturated =
        pool.ite(high, builder.number(100.0), pool.ite(low, builder.number(-100.0), sum));
    let next = pool.ite(on, saturated, builder.scaled(0.5, s));
    let formulas = vec![builder.within(-50.0, u, 50.0), pool.eq(t, next)];
    let domain = Domain::Float(format);
    let bound = |term, side, number: f64| {
        let float = Float::from_f64(number).to_format(format, Rounding::NearestEven);
        Bound::new(term, domain, side, &Value::Float(float)).formula(pool)
    };
    let mut assumptions = Vec::new();
    for i in 0..400 {
        let center = f64::from(i) / 2.0 - 100.0;
        let reach = if i % 3 == 0 { 2.5 } else { 3.5 };
        assumptions.push(vec![
            bound(s, Side::AtLeast, center - 1.0),
            bound(s, Side::AtMost, center + 1.0),
            if i % 2 == 0 { on } else { pool.not(on) },
            bound(t, Side::AtLeast, center + 1.0 + reach),
        ]);
    }
    Case { name, formulas, assumptions, builder }
}

/// How long a solver takes for all questions of a case, and its answers.
fn run(solver: &mut dyn Solver, case: &Case) -> (Duration, String) {
    let begun = Instant::now();
    let pool = &case.builder.pool;
    solver.set_allowance(Allowance::default().within(LIMIT));
    for formula in &case.formulas {
        solver.assert(pool, *formula).expect("supported");
    }
    let (mut sat, mut unsat, mut open) = (0, 0, 0);
    for assumptions in &case.assumptions {
        match solver.check(pool, assumptions).expect("supported") {
            Answer::Sat => sat += 1,
            Answer::Unsat => unsat += 1,
            Answer::Unknown(_) => open += 1,
        }
    }
    (begun.elapsed(), format!("{sat}/{unsat}/{open}"))
}

fn main() {
    let cases = [
        filter(Format::F32, 4, 12.0, "filter, 4 steps, binary32, stays"),
        filter(Format::F32, 4, 9.0, "filter, 4 steps, binary32, leaves"),
        filter(Format::F64, 8, 14.0, "filter, 8 steps, binary64, stays"),
        filter(Format::F64, 8, 9.0, "filter, 8 steps, binary64, leaves"),
        series(Format::F32, 1.01, "series, binary32, below"),
        series(Format::F32, 0.99, "series, binary32, above"),
        series(Format::F64, 1.01, "series, binary64, below"),
        integrator(Format::F32, "integrator, binary32, 400 questions"),
        integrator(Format::F64, "integrator, binary64, 400 questions"),
    ];
    println!("{:40} {:>10} {:>10} {:>10}  sat/unsat/open", "", "bounds", "both", "bits");
    for case in &cases {
        let mut bounds = Icp::with_means(Means::Bounds);
        let by_bounds = run(&mut bounds, case);
        let by_both = run(&mut Icp::new(), case);
        let by_bits = run(&mut native(), case);
        let seconds = |time: Duration| format!("{:.4}", time.as_secs_f64());
        println!(
            "{:40} {:>10} {:>10} {:>10}  {} {} {}",
            case.name,
            seconds(by_bounds.0),
            seconds(by_both.0),
            seconds(by_bits.0),
            by_bounds.1,
            by_both.1,
            by_bits.1,
        );
        println!("    {:?}", bounds.counters());
    }
}
