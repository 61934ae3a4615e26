//! Where engines get their solvers.
//!
//! An engine is handed a [`Solvers`] and names the kind of its questions, not a solver. So another
//! solver, a layer around one, or one that counts for a test is an implementation of this trait,
//! and no engine has to know of it.

use crate::auto::{Auto, native};
use crate::floats::Floats;
use crate::solver::Solver;

/// Makes solvers, by what they are asked.
pub trait Solvers: Send + Sync {
    /// Any formula. Many small questions in a row are expected.
    fn general(&self) -> Box<dyn Solver>;

    /// Formulas over bits: Booleans, bit-vectors, floats, and arrays and functions of them. Many
    /// small questions in a row are expected; the rest of the theories is an error.
    fn bits(&self) -> Box<dyn Solver>;

    /// The same formulas, but few and large questions, in which float arithmetic may be what is
    /// hard.
    fn floats(&self) -> Box<dyn Solver>;
}

/// The solvers that are used where nobody asks for others.
#[derive(Clone, Copy, Default, Debug)]
pub struct Standard;

impl Solvers for Standard {
    fn general(&self) -> Box<dyn Solver> {
        Box::new(Auto::new())
    }

    fn bits(&self) -> Box<dyn Solver> {
        Box::new(native())
    }

    fn floats(&self) -> Box<dyn Solver> {
        Box::new(Floats::new(native()))
    }
}
