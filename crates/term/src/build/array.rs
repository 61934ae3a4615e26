//! Arrays.

use crate::op::Op;
use crate::pool::{Pool, Term};
use crate::sort::Sort;

/// How many stores a `select` looks through before it gives up: reading through a long chain of
/// writes to other constant indices is common, a bound keeps construction linear.
const READ_THROUGH: usize = 64;

impl Pool {
    /// array\[index\]
    pub fn select(&self, array: Term, index: Term) -> Term {
        self.make(Op::Select, &[array, index])
    }

    /// array with element at index
    pub fn store(&self, array: Term, index: Term, element: Term) -> Term {
        self.make(Op::Store, &[array, index, element])
    }

    /// The array of this sort with the element everywhere.
    pub fn const_array(&self, sort: Sort, element: Term) -> Term {
        self.make(Op::ConstArray(sort), &[element])
    }

    pub(super) fn simplify_array(&self, op: &Op, args: &[Term]) -> Option<Term> {
        match op {
            Op::Select => self.simplify_select(args[0], args[1]),
            Op::Store => self.simplify_store(args[0], args[1], args[2]),
            _ => None,
        }
    }

    /// Whether two terms of one sort surely differ: different constants.
    fn surely_differ(&self, a: Term, b: Term) -> bool {
        matches!((self.value(a), self.value(b)), (Some(x), Some(y)) if x != y)
    }

    fn simplify_select(&self, array: Term, index: Term) -> Option<Term> {
        let mut inner = array;
        for _ in 0..READ_THROUGH {
            match (self.op(inner), self.args(inner)) {
                (Op::ConstArray(_), [element]) => return Some(*element),
                (Op::Store, [_, at, element]) if *at == index => return Some(*element),
                (Op::Store, [rest, at, _]) if self.surely_differ(*at, index) => inner = *rest,
                _ => break,
            }
        }
        (inner != array).then(|| self.select(inner, index))
    }

    fn simplify_store(&self, array: Term, index: Term, element: Term) -> Option<Term> {
        match (self.op(array), self.args(array)) {
            (Op::Store, [rest, at, _]) if *at == index => {
                return Some(self.store(*rest, index, element));
            }
            (Op::ConstArray(_), [default]) if *default == element => return Some(array),
            _ => {}
        }
        // Writing back what is there.
        let same = *self.op(element) == Op::Select && self.args(element)[..] == [array, index];
        same.then_some(array)
    }
}
