//! CaDiCaL as directly as possible, in the settings among which the fastest is looked for.

use cadical_sys::{CaDiCal, Status};
use sat::{Allowance, Answer, Lit, Solver, Statistics, Var};
use std::cell::RefCell;

/// How CaDiCaL gets the temporary clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temporary {
    /// By its `constrain`.
    Constrain,
    /// By a fresh literal that is assumed for one question and false for good afterwards.
    Activation,
}

/// A setting of CaDiCaL.
#[derive(Clone, Copy)]
pub struct Setting {
    /// What the table calls it.
    pub name: &'static str,
    configuration: &'static str,
    options: &'static [(&'static str, i32)],
    temporary: Temporary,
}

/// The defaults, and what is known to help with many small questions: no inprocessing, no lucky
/// phases and local search, the assumptions' trail kept.
pub const SETTINGS: [Setting; 6] = [
    Setting {
        name: "cadical default, constrain",
        configuration: "default",
        options: &[],
        temporary: Temporary::Constrain,
    },
    Setting {
        name: "cadical default, activation",
        configuration: "default",
        options: &[],
        temporary: Temporary::Activation,
    },
    Setting {
        name: "cadical plain, constrain",
        configuration: "plain",
        options: &[("lucky", 0), ("walk", 0), ("rephase", 0)],
        temporary: Temporary::Constrain,
    },
    Setting {
        name: "cadical plain, activation",
        configuration: "plain",
        options: &[("lucky", 0), ("walk", 0), ("rephase", 0)],
        temporary: Temporary::Activation,
    },
    Setting {
        name: "cadical plain ilb, constrain",
        configuration: "plain",
        options: &[("lucky", 0), ("walk", 0), ("rephase", 0), ("ilb", 1)],
        temporary: Temporary::Constrain,
    },
    Setting {
        name: "cadical plain ilb, activation",
        configuration: "plain",
        options: &[("lucky", 0), ("walk", 0), ("rephase", 0), ("ilb", 1)],
        temporary: Temporary::Activation,
    },
];

/// CaDiCaL in one of the settings.
pub struct Direct {
    /// In a cell because CaDiCaL computes values and cores on demand.
    inner: RefCell<CaDiCal>,
    vars: usize,
    temporary: Temporary,
    next_activation: i32,
    /// The last question's activation literal, to be made false.
    retired: Option<i32>,
    queries: u64,
}

impl Direct {
    /// Activation literals are numbered after the design's variables, whose count is fixed.
    pub fn new(setting: &Setting, vars: usize) -> Self {
        let mut inner = CaDiCal::new();
        assert!(inner.configure(setting.configuration));
        assert!(inner.set("factor", 0));
        for &(option, value) in setting.options {
            assert!(inner.set(option, value), "CaDiCaL has no option {option}");
        }
        Direct {
            inner: RefCell::new(inner),
            vars: 0,
            temporary: setting.temporary,
            next_activation: vars as i32 + 1,
            retired: None,
            queries: 0,
        }
    }

    fn add_temporary(&mut self, clause: &[Lit]) {
        let inner = self.inner.get_mut();
        match self.temporary {
            Temporary::Constrain => {
                clause.iter().for_each(|l| inner.constrain(l.to_dimacs()));
                inner.constrain(0);
            }
            Temporary::Activation => {
                let activation = self.next_activation;
                self.next_activation += 1;
                clause.iter().for_each(|l| inner.add(l.to_dimacs()));
                inner.add(-activation);
                inner.add(0);
                inner.assume(activation);
                self.retired = Some(activation);
            }
        }
    }
}

impl Solver for Direct {
    fn name(&self) -> &'static str {
        "cadical"
    }

    fn new_var(&mut self) -> Var {
        self.vars += 1;
        Var::new(self.vars - 1)
    }

    fn var_count(&self) -> usize {
        self.vars
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        let inner = self.inner.get_mut();
        clause.iter().for_each(|l| inner.add(l.to_dimacs()));
        inner.add(0);
    }

    fn solve_with(&mut self, assumptions: &[Lit], temporary: &[Lit]) -> Answer {
        self.queries += 1;
        if let Some(activation) = self.retired.take() {
            self.inner.get_mut().clause1(-activation);
        }
        if !temporary.is_empty() {
            self.add_temporary(temporary);
        }
        let inner = self.inner.get_mut();
        assumptions.iter().for_each(|l| inner.assume(l.to_dimacs()));
        match inner.solve() {
            Status::SATISFIABLE => Answer::Sat,
            Status::UNSATISFIABLE => Answer::Unsat,
            Status::UNKNOWN => unreachable!("no limit was set"),
        }
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        Some(self.inner.borrow_mut().val(lit.to_dimacs()) > 0)
    }

    fn failed(&self, lit: Lit) -> bool {
        self.inner.borrow_mut().failed(lit.to_dimacs())
    }

    fn set_allowance(&mut self, _: Allowance) {}

    fn set_work(&mut self, _: Option<u64>) {}

    fn statistics(&self) -> Statistics {
        Statistics { queries: self.queries, ..Statistics::default() }
    }
}
