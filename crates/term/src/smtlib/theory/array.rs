//! ArraysEx. `(as const …)` is a qualified identifier and read with those.

use super::{Operator, plain};
use crate::op::Op;

pub(super) const OPERATORS: &[Operator] =
    &[plain("select", |c| c.direct(Op::Select)), plain("store", |c| c.direct(Op::Store))];
