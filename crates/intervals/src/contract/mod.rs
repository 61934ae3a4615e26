//! Contractors: what an operator's result and arguments can still be, given intervals of all of
//! them.
//!
//! A [`Contractor`] is made for one operator and the domains of its result and arguments, and
//! narrows a box of intervals of keys ([`crate::keys`]), forwards and backwards at once. It never
//! cuts off a solution. What comes forwards is the hull of all results, except for remainders and
//! products that wrap often; backwards a bound is moved as far as the operator's monotone pieces
//! tell, so that gaps between its results may remain. When all arguments are points, the result is
//! what [`term::eval`] says. Where SMT-LIB leaves the result open, everything is possible.
//!
//! * [`monotone`], [`functions`]: operators that rise or fall in each argument on pieces of their
//!   domains, which are most: a bound is found by search with the operator itself, so that rounding
//!   is exact by construction.
//! * [`integers`]: sums and products that wrap, truncations, shifts to the left.
//! * [`bitwise`]: and, or, exclusive or, digit by digit; slices.
//! * [`relations`]: comparisons, equality, choice.
//! * [`remainders`]: remainders of all kinds.
//!
//! # References
//!
//! * F. Benhamou, L. Granvilliers: *Continuous and Interval Constraints*. Handbook of Constraint
//!   Programming, 2006.
//! * K. Scheibler et al.: *Accurate ICP-based Floating-Point Reasoning*. FMCAD 2016.
//! * K. Scheibler et al.: *Extending iSAT3 with ICP-Contractors for Bitwise Integer Operations*.
//!   SFB/TR 14 AVACS, report 116, 2016 (where we go digit by digit instead).

pub mod bitwise;
pub mod functions;
pub mod integers;
pub mod monotone;
pub mod relations;
pub mod remainders;

use crate::keys::{Domain, FloatKeys, Interval, Key};
use bitwise::Bitwise;
use functions::Function;
use smallvec::SmallVec;
use term::{Op, Sort, Value};

/// The intervals of a result and its arguments.
pub(crate) type Boxes = SmallVec<[Interval; 6]>;

/// No solution is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Empty;

/// Narrows boxes by one operator.
#[derive(Clone, Debug)]
pub struct Contractor {
    kind: Kind,
    op: Op,
    /// Of the result, then of the arguments.
    domains: SmallVec<[Domain; 5]>,
    /// Two arguments that are one.
    same: Option<(usize, usize)>,
}

/// How an operator is contracted.
#[derive(Clone, Debug)]
enum Kind {
    Monotone(Function),
    Sum,
    Difference,
    Negation,
    Product,
    ShiftLeft,
    Truncation,
    Slice(u32),
    Bitwise(Bitwise),
    Less,
    FpCompare(relations::Comparison),
    Equal,
    Choice,
    Remainder(remainders::Kind),
    FpRemainder,
    /// Nothing is deduced before all arguments are known.
    Points,
}

impl Contractor {
    /// The contractor of an operator. Bit-vectors may be read unsigned or signed; one of
    /// [`Contractor::views`] should be taken. Requires: the operator is neither a leaf, a
    /// connective nor a quantifier, and the domains are of its sorts.
    pub fn new(op: &Op, result: Domain, args: &[Domain]) -> Contractor {
        let mut domains: SmallVec<[Domain; 5]> = SmallVec::with_capacity(args.len() + 1);
        domains.push(result);
        domains.extend_from_slice(args);
        Contractor { kind: kind(op, result, args), op: op.clone(), domains, same: None }
    }

    /// The contractor that connects the unsigned reading of a vector, the result, with the signed
    /// one.
    pub fn readings(width: u32) -> Contractor {
        let domains = [Domain::Unsigned(width), Domain::Signed(width)];
        let kind = Kind::Monotone(Function::Flip { width });
        // An operator that says the same of values: both are one vector.
        let domains = SmallVec::from_slice(&domains);
        Contractor { kind, op: Op::BvZeroExtend(0), domains, same: None }
    }

    /// The same for arguments of which these two, counted from 0, are one: x · x is not negative.
    #[must_use]
    pub fn with_same(self, first: usize, second: usize) -> Contractor {
        Contractor { same: Some((first, second)), ..self }
    }

    /// The domains of the result and the arguments.
    pub fn domains(&self) -> &[Domain] {
        &self.domains
    }

    /// Whether a step of the contractor is cheap.
    pub fn is_cheap(&self) -> bool {
        match &self.kind {
            Kind::Monotone(function) => function.is_cheap(),
            Kind::Bitwise(_) | Kind::Product | Kind::ShiftLeft | Kind::Remainder(_) => false,
            _ => true,
        }
    }

    /// Narrows a box: the result first, then the arguments.
    /// Requires: no interval is empty, and all are within their domains.
    pub fn contract(&self, intervals: &mut [Interval]) -> Result<(), Empty> {
        let narrowed = match &self.kind {
            Kind::Monotone(function) => monotone::contract(function, self.same, intervals),
            Kind::Sum => integers::sum(&self.domains, intervals, [1, 2, 0]),
            Kind::Difference => integers::sum(&self.domains, intervals, [0, 2, 1]),
            Kind::Negation => integers::negation(&self.domains, intervals),
            Kind::Product => integers::product(&self.domains, intervals),
            Kind::ShiftLeft => integers::shift_left(&self.domains, intervals),
            Kind::Truncation => integers::truncation(&self.domains, intervals),
            Kind::Slice(low) => bitwise::slice(&self.domains, *low, intervals),
            Kind::Bitwise(bitwise) => bitwise.contract(intervals),
            Kind::Less => relations::less(intervals),
            Kind::FpCompare(comparison) => comparison.contract(intervals),
            Kind::Equal => relations::equal(intervals),
            Kind::Choice => relations::choice(intervals),
            Kind::Remainder(kind) => remainders::contract(*kind, &self.domains, intervals),
            Kind::FpRemainder => remainders::float(&self.domains, intervals),
            Kind::Points => Ok(()),
        };
        narrowed?;
        if let Kind::Product
        | Kind::ShiftLeft
        | Kind::Remainder(_)
        | Kind::FpRemainder
        | Kind::Points = self.kind
        {
            self.known(intervals)?;
        }
        if intervals.iter().any(|interval| interval.is_empty()) { Err(Empty) } else { Ok(()) }
    }

    /// Takes the result where all arguments are points.
    fn known(&self, intervals: &mut [Interval]) -> Result<(), Empty> {
        let mut keys: SmallVec<[Key; 4]> = SmallVec::new();
        for interval in &intervals[1..] {
            let Some(key) = interval.only() else { return Ok(()) };
            keys.push(key);
        }
        intervals[0] = intervals[0].meet(self.apply(&keys));
        if intervals[0].is_empty() { Err(Empty) } else { Ok(()) }
    }

    /// The results that the operator may have for some arguments: one, or all where it is open.
    pub fn apply(&self, args: &[Key]) -> Interval {
        if let Kind::Monotone(function) = &self.kind {
            return function.apply(args);
        }
        self.evaluate(args)
    }

    /// The same by [`term::eval`], the reference that everything here is tested against.
    pub fn evaluate(&self, args: &[Key]) -> Interval {
        let values: SmallVec<[Value; 4]> =
            args.iter().zip(&self.domains[1..]).map(|(key, domain)| domain.value(*key)).collect();
        let references: SmallVec<[&Value; 4]> = values.iter().collect();
        match term::eval::apply(&self.op, sort(self.domains[0]), &references) {
            Some(value) => Interval::point(self.domains[0].key(&value)),
            None => match self.domains[0] {
                // The minimum and maximum of zeros is a zero.
                Domain::Float(format) => {
                    let keys = FloatKeys::new(format);
                    Interval::new(keys.minus_zero(), keys.plus_zero())
                }
                domain => Interval::full(domain),
            },
        }
    }

    /// Whether a result is possible for some arguments.
    pub fn holds(&self, result: Key, args: &[Key]) -> bool {
        self.apply(args).contains(result)
    }

    /// How the bit-vectors among result and arguments are best read: true is signed. Where an
    /// operator is the same in both readings, `signed` decides.
    pub fn views(op: &Op, signed: bool, count: usize) -> SmallVec<[bool; 5]> {
        let all = |view: bool| SmallVec::from_elem(view, count);
        match op {
            Op::BvNot
            | Op::BvNeg
            | Op::BvAdd
            | Op::BvSub
            | Op::BvMul
            | Op::Eq
            | Op::Ite
            | Op::BvExtract { low: 0, .. } => all(signed),
            Op::BvSdiv | Op::BvSrem | Op::BvSmod | Op::BvSlt | Op::BvSignExtend(_) => all(true),
            Op::FpFromSbv(_) | Op::FpToSbv(_) => all(true),
            Op::BvShl => SmallVec::from_slice(&[signed, signed, false]),
            Op::BvAshr => SmallVec::from_slice(&[true, true, false]),
            _ => all(false),
        }
    }
}

/// The sort of a domain's values.
fn sort(domain: Domain) -> Sort {
    match domain {
        Domain::Truth => Sort::Bool,
        Domain::Unsigned(width) | Domain::Signed(width) => Sort::BitVec(width),
        Domain::Float(format) => Sort::Float(format),
        Domain::Rounding => Sort::RoundingMode,
    }
}

fn kind(op: &Op, result: Domain, args: &[Domain]) -> Kind {
    if let Some(function) = Function::of(op, result, args) {
        return Kind::Monotone(function);
    }
    let narrow = std::iter::once(&result).chain(args).all(|domain| match domain {
        Domain::Unsigned(width) | Domain::Signed(width) => *width <= integers::WIDEST,
        _ => true,
    });
    let signed = matches!(result, Domain::Signed(_));
    match op {
        Op::Eq => Kind::Equal,
        Op::Ite => Kind::Choice,
        Op::BvUlt | Op::BvSlt => Kind::Less,
        Op::FpLt => Kind::FpCompare(relations::Comparison::less(args[0])),
        Op::FpLeq => Kind::FpCompare(relations::Comparison::at_most(args[0])),
        Op::FpEq => Kind::FpCompare(relations::Comparison::equal(args[0])),
        Op::BvAnd | Op::BvOr | Op::BvXor => Kind::Bitwise(Bitwise::new(op, result)),
        Op::BvExtract { low: 0, .. } if narrow && signed => Kind::Truncation,
        Op::BvExtract { low, .. } if !signed => Kind::Slice(*low),
        Op::FpRem => Kind::FpRemainder,
        Op::BvAdd if narrow => Kind::Sum,
        Op::BvSub if narrow => Kind::Difference,
        Op::BvNeg if narrow => Kind::Negation,
        Op::BvMul if narrow => Kind::Product,
        Op::BvShl if narrow => Kind::ShiftLeft,
        Op::BvUrem if narrow => Kind::Remainder(remainders::Kind::Unsigned),
        Op::BvSrem if narrow => Kind::Remainder(remainders::Kind::Signed),
        Op::BvSmod if narrow => Kind::Remainder(remainders::Kind::Modulo),
        _ => Kind::Points,
    }
}
