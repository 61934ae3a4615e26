//! How many gates a term will take, roughly and rather too many: what keeps a term with an
//! absurd width from taking all memory.

use crate::float::{Layout, remainder_gates};
use term::{Op, Pool, Sort, Term};

/// An estimate of the gates of a term, its operands not counted.
pub(super) fn gates(pool: &Pool, term: Term) -> u128 {
    let args = pool.args(term);
    let width = |t: Term| match pool.sort(t) {
        Sort::BitVec(width) => u128::from(width),
        Sort::Float(format) => u128::from(format.width()),
        _ => 3,
    };
    // The widest word that takes part.
    let w = args.iter().copied().map(width).max().unwrap_or(0).max(width(term));
    let log = u128::from(128 - w.leading_zeros());
    match pool.op(term) {
        Op::BvMul => 8 * w * w,
        Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod => 8 * w * w + 20 * w,
        Op::BvShl | Op::BvLshr | Op::BvAshr => 4 * w * log,
        Op::FpMul => 16 * w * w,
        Op::FpDiv | Op::FpSqrt => 16 * w * w,
        Op::FpFma => 16 * w * w + 64 * w * log,
        Op::FpRem => match pool.sort(term) {
            Sort::Float(format) => 2 * remainder_gates(Layout::of(format)) + 64 * w * log,
            _ => 0,
        },
        Op::FpAdd
        | Op::FpRoundToIntegral
        | Op::FpToFp(_)
        | Op::FpFromSbv(_)
        | Op::FpFromUbv(_)
        | Op::FpToSbv(_)
        | Op::FpToUbv(_) => 64 * w * log,
        // The rest is linear, but a float may have to change its form on the way.
        _ if matches!(pool.sort(term), Sort::Float(_)) => 16 * w * log,
        _ if args.iter().any(|a| matches!(pool.sort(*a), Sort::Float(_))) => 32 * w * log,
        _ => 8 * w + args.len() as u128,
    }
}
