//! The factory that hands out this solver to engines that ask for one by [`smt::Solvers`].

use crate::solver::Icp;
use smt::{Solver, Standard};

/// [`Standard`], with [`Icp`] where float arithmetic may be what is hard.
///
/// Engines whose own questions are bounds make their [`Icp`] themselves.
#[derive(Clone, Copy, Default, Debug)]
pub struct Solvers;

impl smt::Solvers for Solvers {
    fn general(&self) -> Box<dyn Solver> {
        Standard.general()
    }

    fn bits(&self) -> Box<dyn Solver> {
        Standard.bits()
    }

    fn floats(&self) -> Box<dyn Solver> {
        Box::new(Icp::new())
    }
}
