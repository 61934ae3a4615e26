//! Contractors against all values of small vectors and floats: no solution is ever cut off, what
//! comes forwards is the hull, and what comes backwards is exact where an operator's results have
//! no gaps.

use intervals::contract::Contractor;
use intervals::keys::{Domain, Interval, Key};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use term::Op;
use value::Format;

/// How exact a contractor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Exact {
    /// All bounds are the hull's.
    All,
    /// The result's bounds are the hull's where only the arguments are bounded.
    Forwards,
    /// Only points are known to be.
    Points,
}

struct Case {
    name: String,
    contractor: Contractor,
    exact: Exact,
}

fn case(op: Op, result: Domain, args: &[Domain], exact: Exact) -> Case {
    let name = format!("{op:?} of {args:?}");
    Case { name, contractor: Contractor::new(&op, result, args), exact }
}

fn interval(random: &mut StdRng, domain: Domain) -> Interval {
    let last = domain.last();
    match random.random_range(0..6) {
        0 => Interval::full(domain),
        1 => Interval::point(random.random_range(0..=last)),
        2 => {
            let low = random.random_range(0..=last);
            Interval::new(low, (low + random.random_range(0..4)).min(last))
        }
        _ => {
            let (a, b) = (random.random_range(0..=last), random.random_range(0..=last));
            Interval::new(a.min(b), a.max(b))
        }
    }
}

/// The hull of all solutions in a box, by trying all arguments.
fn hull(contractor: &Contractor, intervals: &[Interval]) -> Vec<Interval> {
    let mut hull = vec![Interval::EMPTY; intervals.len()];
    let mut args: Vec<Key> = intervals[1..].iter().map(|interval| interval.low).collect();
    loop {
        let results = contractor.evaluate(&args).meet(intervals[0]);
        if !results.is_empty() {
            hull[0] = hull[0].join(results);
            for (all, key) in hull[1..].iter_mut().zip(&args) {
                *all = all.join(Interval::point(*key));
            }
        }
        let Some(i) = (0..args.len()).find(|i| args[*i] < intervals[i + 1].high) else { break };
        args[i] += 1;
        for j in 0..i {
            args[j] = intervals[j + 1].low;
        }
    }
    hull
}

/// Compares a contractor with enumeration on random boxes; counts those that were narrowed.
fn compare(case: &Case, random: &mut StdRng, rounds: u32) {
    let domains = case.contractor.domains();
    let mut narrowed = 0;
    for _ in 0..rounds {
        let mut intervals: Vec<Interval> =
            domains.iter().map(|domain| interval(random, *domain)).collect();
        if random.random_bool(0.4) {
            intervals[0] = Interval::full(domains[0]);
        }
        let expected = hull(&case.contractor, &intervals);
        let mut found = intervals.clone();
        let result = case.contractor.contract(&mut found);
        let what = format!("{} on {intervals:?}", case.name);
        if result.is_err() {
            assert!(expected[0].is_empty(), "{what}: solutions {expected:?} are lost");
            narrowed += 1;
            continue;
        }
        narrowed += u32::from(found != intervals);
        for ((before, after), hull) in intervals.iter().zip(&found).zip(&expected) {
            assert_eq!(after.meet(*hull), *hull, "{what}: {found:?} cuts off {expected:?}");
            assert_eq!(after.meet(*before), *after, "{what}: {found:?} widens");
        }
        let points = intervals[1..].iter().all(|interval| interval.only().is_some());
        let forwards = intervals[0] == Interval::full(domains[0]);
        match case.exact {
            _ if points => assert_eq!(found, expected, "{what}"),
            Exact::All => assert_eq!(found, expected, "{what}"),
            Exact::Forwards if forwards => assert_eq!(found[0], expected[0], "{what}"),
            _ => {}
        }
    }
    assert!(narrowed > rounds / 100, "{} was narrowed {narrowed} times", case.name);
}

fn bit_vectors(width: u32) -> Vec<Case> {
    let (u, s) = (Domain::Unsigned(width), Domain::Signed(width));
    let (wide, low) = (Domain::Unsigned(width + 2), Domain::Unsigned(2));
    let mut cases = Vec::new();
    for d in [u, s] {
        cases.push(case(Op::BvNot, d, &[d], Exact::All));
        cases.push(case(Op::BvNeg, d, &[d], Exact::Forwards));
        cases.push(case(Op::BvAdd, d, &[d, d], Exact::Forwards));
        cases.push(case(Op::BvSub, d, &[d, d], Exact::Forwards));
        cases.push(case(Op::BvMul, d, &[d, d], Exact::Points));
        cases.push(case(Op::BvShl, d, &[d, u], Exact::Points));
        cases.push(case(Op::Eq, Domain::Truth, &[d, d], Exact::All));
        cases.push(case(Op::Ite, d, &[Domain::Truth, d, d], Exact::All));
    }
    cases.extend([
        case(Op::BvUdiv, u, &[u, u], Exact::Forwards),
        case(Op::BvUrem, u, &[u, u], Exact::Points),
        case(Op::BvSdiv, s, &[s, s], Exact::Forwards),
        case(Op::BvSrem, s, &[s, s], Exact::Points),
        case(Op::BvSmod, s, &[s, s], Exact::Points),
        case(Op::BvLshr, u, &[u, u], Exact::Forwards),
        case(Op::BvAshr, s, &[s, u], Exact::Forwards),
        case(Op::BvAnd, u, &[u, u], Exact::All),
        case(Op::BvOr, u, &[u, u], Exact::All),
        case(Op::BvXor, u, &[u, u], Exact::All),
        case(Op::BvUlt, Domain::Truth, &[u, u], Exact::All),
        case(Op::BvSlt, Domain::Truth, &[s, s], Exact::All),
        case(Op::BvConcat, wide, &[low, u], Exact::Forwards),
        case(Op::BvConcat, wide, &[u, low], Exact::Forwards),
        case(Op::BvExtract { high: width + 1, low: 2 }, u, &[wide], Exact::All),
        case(Op::BvExtract { high: 2, low: 1 }, low, &[wide], Exact::All),
        case(Op::BvExtract { high: width - 1, low: 0 }, u, &[wide], Exact::All),
        case(
            Op::BvExtract { high: width - 1, low: 0 },
            s,
            &[Domain::Signed(width + 2)],
            Exact::All,
        ),
        case(Op::BvZeroExtend(2), wide, &[u], Exact::All),
        case(Op::BvSignExtend(2), Domain::Signed(width + 2), &[s], Exact::All),
        Case {
            name: "readings".to_owned(),
            contractor: Contractor::readings(width),
            exact: Exact::All,
        },
    ]);
    cases
}

/// Operators of floats; `rounds` tells what takes long by enumeration.
fn floats(format: Format, other: Format) -> Vec<(Case, u32)> {
    let (f, g, r, t) =
        (Domain::Float(format), Domain::Float(other), Domain::Rounding, Domain::Truth);
    let bits = Domain::Unsigned(format.width());
    let mut cases = vec![
        (case(Op::FpAdd, f, &[r, f, f], Exact::Forwards), 1),
        (case(Op::FpMul, f, &[r, f, f], Exact::Forwards), 1),
        (case(Op::FpDiv, f, &[r, f, f], Exact::Forwards), 1),
        (case(Op::FpFma, f, &[r, f, f, f], Exact::Forwards), 0),
        (case(Op::FpSqrt, f, &[r, f], Exact::Forwards), 4),
        (case(Op::FpRem, f, &[f, f], Exact::Points), 2),
        (case(Op::FpRoundToIntegral, f, &[r, f], Exact::Forwards), 4),
        (case(Op::FpMin, f, &[f, f], Exact::Forwards), 2),
        (case(Op::FpMax, f, &[f, f], Exact::Forwards), 2),
        (case(Op::FpAbs, f, &[f], Exact::Forwards), 8),
        (case(Op::FpNeg, f, &[f], Exact::Forwards), 8),
        (case(Op::FpLt, t, &[f, f], Exact::All), 2),
        (case(Op::FpLeq, t, &[f, f], Exact::All), 2),
        (case(Op::FpEq, t, &[f, f], Exact::Forwards), 2),
        (case(Op::Eq, t, &[f, f], Exact::All), 2),
        (case(Op::Ite, f, &[t, f, f], Exact::All), 1),
        (case(Op::FpFromBits(format), f, &[bits], Exact::Forwards), 8),
        (case(Op::FpToBits, bits, &[f], Exact::Forwards), 8),
        (case(Op::FpToFp(other), g, &[r, f], Exact::Forwards), 4),
        (case(Op::FpToFp(format), f, &[r, g], Exact::Forwards), 4),
    ];
    for width in [3, 6] {
        let (u, s) = (Domain::Unsigned(width), Domain::Signed(width));
        cases.push((case(Op::FpFromUbv(format), f, &[r, u], Exact::Forwards), 4));
        cases.push((case(Op::FpFromSbv(format), f, &[r, s], Exact::Forwards), 4));
        cases.push((case(Op::FpToUbv(width), u, &[r, f], Exact::Forwards), 4));
        cases.push((case(Op::FpToSbv(width), s, &[r, f], Exact::Forwards), 4));
    }
    cases
}

fn format(exponent: u32, significand: u32) -> Format {
    Format::new(exponent, significand).expect("a format")
}

fn run(scale: u32, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    for width in [3, 4, 6] {
        for case in bit_vectors(width) {
            compare(&case, &mut random, 60 * scale);
        }
    }
    let formats = [(format(2, 4), format(3, 3)), (format(3, 4), format(2, 4))];
    for (format, other) in formats {
        for (case, rounds) in floats(format, other) {
            if rounds > 0 {
                compare(&case, &mut random, 15 * rounds * scale);
            }
        }
    }
    // With four arguments the smallest format is enough to enumerate.
    let tiny = Domain::Float(format(2, 3));
    let fma = case(Op::FpFma, tiny, &[Domain::Rounding, tiny, tiny, tiny], Exact::Forwards);
    compare(&fma, &mut random, 15 * scale);
}

#[test]
fn nothing_is_cut_off_and_bounds_are_exact() {
    run(4, 1);
}

/// `ROUNDS=50 cargo test --release -p cairn-intervals --test contract -- --ignored`
#[test]
#[ignore = "minutes"]
fn many_boxes() {
    let rounds = std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    for seed in 0..rounds {
        run(20, 1000 + seed);
    }
}

/// On the formats of programs enumeration is out of reach: points in the box stay in it.
#[test]
fn wide_formats_keep_their_points() {
    let mut random = StdRng::seed_from_u64(7);
    let mut cases: Vec<Case> = Vec::new();
    for format in [Format::F32, Format::F64, Format::F128] {
        cases.extend(floats(format, Format::F16).into_iter().map(|(case, _)| case));
    }
    for width in [31, 64, 100] {
        cases.extend(bit_vectors(width));
    }
    for case in &cases {
        let domains = case.contractor.domains();
        for _ in 0..150 {
            let point: Vec<Key> =
                domains[1..].iter().map(|domain| near(&mut random, *domain)).collect();
            let results = case.contractor.evaluate(&point);
            let keys = [&[results.low][..], &point].concat();
            let mut intervals: Vec<Interval> = keys
                .iter()
                .zip(domains)
                .map(|(key, domain)| {
                    let (a, b) = (near(&mut random, *domain), near(&mut random, *domain));
                    let low = if random.random() { a.min(*key) } else { *key };
                    Interval::new(low, if random.random() { b.max(*key) } else { *key })
                })
                .collect();
            let before = intervals.clone();
            let result = case.contractor.contract(&mut intervals);
            assert!(result.is_ok(), "{} on {before:?} loses {keys:?}", case.name);
            for (interval, key) in intervals.iter().zip(&keys) {
                assert!(
                    interval.contains(*key),
                    "{} on {before:?} gives {intervals:?} without {keys:?}",
                    case.name
                );
            }
        }
    }
}

/// A key, often close to something special.
fn near(random: &mut StdRng, domain: Domain) -> Key {
    let last = domain.last();
    let place = match random.random_range(0..5) {
        0 => 0,
        1 => last,
        2 => last / 2,
        _ => return random.random::<Key>() % last.saturating_add(1).max(1),
    };
    let by = random.random_range(0..4);
    if random.random() { place.saturating_add(by).min(last) } else { place.saturating_sub(by) }
}
