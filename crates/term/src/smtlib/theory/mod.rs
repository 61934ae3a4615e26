//! The operators of the theories, reduced to the kernel of [`crate::op`].
//!
//! Each file holds one theory: a table of names, and for each a short function from checked
//! arguments to a term. Sorts are checked by [`crate::typing`] wherever an operator is a kernel
//! operator on the same arguments, and by the [`Call`] where it is not.

mod arith;
mod array;
mod bv;
mod core;
mod fp;

pub(super) use fp::make_format;

use super::budget::{Budget, Refusal};
use super::error::{Fault, Result, excerpt, fault};
use super::logic::Theory;
use crate::op::Op;
use crate::pool::{Pool, Term};
use crate::print::sort_to_string;
use crate::sort::Sort;
use crate::typing::SortError;
use num_bigint::BigUint;
use smallvec::SmallVec;

/// A short list of terms.
pub(super) type Terms = SmallVec<[Term; 4]>;

/// An operator of a theory.
pub(super) struct Operator {
    /// Its name.
    pub(super) name: &'static str,
    /// How many indices it has: 2 for `(_ extract 7 0)`.
    pub(super) indices: usize,
    /// The term of an application; checks everything.
    pub(super) apply: fn(&Call) -> Result<Term>,
}

const fn plain(name: &'static str, apply: fn(&Call) -> Result<Term>) -> Operator {
    Operator { name, indices: 0, apply }
}

const fn indexed(name: &'static str, indices: usize, apply: fn(&Call) -> Result<Term>) -> Operator {
    Operator { name, indices, apply }
}

/// All operators by theory.
pub(super) fn operators() -> impl Iterator<Item = (Theory, &'static Operator)> {
    [
        (Theory::Core, core::OPERATORS),
        (Theory::Extension, core::EXTENSIONS),
        (Theory::Arithmetic, arith::OPERATORS),
        (Theory::BitVectors, bv::OPERATORS),
        (Theory::Extension, bv::EXTENSIONS),
        (Theory::FloatingPoint, fp::OPERATORS),
        (Theory::Extension, fp::EXTENSIONS),
        (Theory::Arrays, array::OPERATORS),
    ]
    .into_iter()
    .flat_map(|(theory, table)| table.iter().map(move |operator| (theory, operator)))
}

/// A term of the script and where it starts.
#[derive(Clone, Copy)]
pub(super) struct Arg {
    pub(super) term: Term,
    pub(super) at: usize,
}

/// An index of `(_ name index …)`.
#[derive(Clone, Copy)]
pub(super) struct Index<'t> {
    pub(super) text: &'t str,
    /// Whether it is a numeral rather than a symbol.
    pub(super) numeral: bool,
    pub(super) at: usize,
}

/// An operator as it is applied in a script.
pub(super) struct Call<'a> {
    pub(super) budget: &'a Budget<'a>,
    pub(super) name: &'a str,
    /// Where the application starts.
    pub(super) at: usize,
    pub(super) indices: &'a [Index<'a>],
    pub(super) args: &'a [Arg],
}

const ARITY_HELP: &str = "check the parentheses and the number of arguments";
pub(super) const SORT_HELP: &str = "check the declarations of the symbols in it, or convert it";
pub(super) const SIZE_HELP: &str =
    "simplify it, or split the script; the limit keeps short scripts from filling the memory";

impl<'a> Call<'a> {
    fn pool(&self) -> &'a Pool {
        self.budget.pool
    }

    /// The `i`-th argument. Requires: the arity was checked.
    fn arg(&self, i: usize) -> Term {
        self.args[i].term
    }

    fn terms(&self) -> Terms {
        self.args.iter().map(|a| a.term).collect()
    }

    fn sort(&self, i: usize) -> Sort {
        self.pool().sort(self.arg(i))
    }

    fn sort_name(&self, sort: Sort) -> String {
        sort_to_string(self.pool(), sort)
    }

    // ---- what is wrong

    fn arity(&self, expected: usize) -> Result<()> {
        match self.args.len() {
            found if found == expected => Ok(()),
            found => self.wrong_number(&expected.to_string(), found),
        }
    }

    fn at_least(&self, least: usize) -> Result<()> {
        match self.args.len() {
            found if found >= least => Ok(()),
            found => self.wrong_number(&format!("at least {least}"), found),
        }
    }

    fn wrong_number<T>(&self, expected: &str, found: usize) -> Result<T> {
        let message = format!("`{}` takes {expected} argument(s), not {found}", excerpt(self.name));
        fault(self.at, message, ARITY_HELP)
    }

    /// The fault that the `i`-th argument has the wrong sort.
    fn mismatch<T>(&self, i: usize, expected: &str) -> Result<T> {
        let found = self.sort_name(self.sort(i));
        let message = format!(
            "argument {} of `{}` must be {expected}, but is {found}",
            i + 1,
            excerpt(self.name)
        );
        fault(self.args[i].at, message, SORT_HELP)
    }

    fn expect(&self, i: usize, sort: Sort) -> Result<()> {
        if self.sort(i) == sort { Ok(()) } else { self.mismatch(i, &self.sort_name(sort)) }
    }

    /// All arguments have the sort of the first.
    fn same_sort(&self) -> Result<()> {
        let sort = self.sort(0);
        (1..self.args.len()).try_for_each(|i| self.expect(i, sort))
    }

    fn refused(&self, refusal: Refusal) -> Box<Fault> {
        let name = excerpt(self.name);
        Box::new(match refusal {
            Refusal::Size(message) => {
                Fault::new(self.at, format!("`{name}`: {message}"), SIZE_HELP)
            }
            Refusal::Sort(SortError::Argument { position, expected, found }) => {
                let at = self.args.get(position - 1).map_or(self.at, |a| a.at);
                let message =
                    format!("argument {position} of `{name}` must be {expected}, but is {found}");
                Fault::new(at, message, SORT_HELP)
            }
            Refusal::Sort(SortError::Arity { expected, found }) => {
                let message = format!("`{name}` takes {expected} argument(s), not {found}");
                Fault::new(self.at, message, ARITY_HELP)
            }
            Refusal::Sort(SortError::Index(message)) => {
                Fault::new(self.at, format!("`{name}`: {message}"), "check the indices and widths")
            }
        })
    }

    // ---- making terms

    fn make(&self, op: Op, args: &[Term]) -> Result<Term> {
        self.budget.make(op, args).map_err(|refusal| self.refused(refusal))
    }

    /// The kernel operator on exactly the script's arguments.
    fn direct(&self, op: Op) -> Result<Term> {
        self.make(op, &self.terms())
    }

    fn not(&self, a: Term) -> Result<Term> {
        self.make(Op::Not, &[a])
    }

    fn eq(&self, a: Term, b: Term) -> Result<Term> {
        self.make(Op::Eq, &[a, b])
    }

    /// The conjunction of any number of terms.
    fn and(&self, args: &[Term]) -> Result<Term> {
        match args {
            [] => Ok(self.pool().tru()),
            [a] => Ok(*a),
            _ => self.make(Op::And, args),
        }
    }

    /// ((a ∘ b) ∘ c) ∘ …; one argument stands for itself.
    fn left(&self, args: &[Term], op: &Op) -> Result<Term> {
        let mut result = args[0];
        for a in &args[1..] {
            result = self.make(op.clone(), &[result, *a])?;
        }
        Ok(result)
    }

    /// a ∘ b ∧ b ∘ c ∧ …
    fn chain(&self, args: &[Term], relation: impl Fn(Term, Term) -> Result<Term>) -> Result<Term> {
        let links: Result<Terms> = args.windows(2).map(|w| relation(w[0], w[1])).collect();
        self.and(&links?)
    }

    // ---- indices

    fn number(&self, i: usize) -> Result<BigUint> {
        let index = self.indices[i];
        let digits = index.text.as_bytes();
        if !index.numeral || digits.len() > super::budget::MAX_DIGITS {
            return fault(
                index.at,
                format!("`{}` can't be an index of `{}`", excerpt(index.text), self.name),
                "write a small numeral",
            );
        }
        Ok(BigUint::parse_bytes(digits, 10).expect("the lexer found a numeral"))
    }

    fn index(&self, i: usize) -> Result<u32> {
        match u32::try_from(self.number(i)?) {
            Ok(n) => Ok(n),
            Err(_) => fault(
                self.indices[i].at,
                format!(
                    "the index {} of `{}` is too large",
                    excerpt(self.indices[i].text),
                    self.name
                ),
                "write a number below 2^32",
            ),
        }
    }
}
