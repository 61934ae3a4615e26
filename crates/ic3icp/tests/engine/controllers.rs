//! Small controllers with floats, safe and unsafe: one location, which each cycle comes back to.

use super::{decide, options};
use answer::Allowance;
use certify::check_program;
use kit::automata::Automaton;
use program::Verdict;
use program::cfa::Command::{self, Assign, Assume, Choice, Sequence};
use program::execute::{Values, follow};
use term::{Pool, Sort, Term};
use value::{Float, Format, Rounding};

/// A controller in the making.
struct Controller {
    automaton: Automaton,
    initial: Vec<Command>,
    cycle: Vec<Command>,
}

impl Controller {
    fn new() -> Self {
        Controller { automaton: Automaton::default(), initial: vec![], cycle: vec![] }
    }

    fn pool(&self) -> &Pool {
        &self.automaton.pool
    }

    fn number(&self, value: f32) -> Term {
        self.pool().float(Float::from_f32(value))
    }

    fn nearest(&self) -> Term {
        self.pool().rounding(Rounding::NearestEven)
    }

    fn sum(&self, a: Term, b: Term) -> Term {
        self.pool().fp_add(self.nearest(), a, b)
    }

    fn difference(&self, a: Term, b: Term) -> Term {
        self.pool().fp_sub(self.nearest(), a, b)
    }

    fn product(&self, a: f32, b: Term) -> Term {
        self.pool().fp_mul(self.nearest(), self.number(a), b)
    }

    fn below(&self, a: Term, b: f32) -> Term {
        self.pool().fp_leq(a, self.number(b))
    }

    fn above(&self, a: Term, b: f32) -> Term {
        self.pool().fp_leq(self.number(b), a)
    }

    /// A variable of state.
    fn state(&mut self, name: &str, first: f32) -> Term {
        let variable = self.automaton.variable(name, Sort::Float(Format::F32));
        let first = self.number(first);
        self.initial.push(Assign(variable, first));
        variable
    }

    /// A variable that takes any value of a range in each cycle.
    fn input(&mut self, name: &str, low: f32, high: f32) -> Term {
        let variable = self.automaton.variable(name, Sort::Float(Format::F32));
        let havoc = self.automaton.havoc(variable);
        let range = [self.above(variable, low), self.below(variable, high)];
        self.cycle.push(havoc);
        self.cycle.extend(range.map(Assume));
        variable
    }

    fn set(&mut self, variable: Term, value: Term) {
        self.cycle.push(Assign(variable, value));
    }

    /// The variable is kept in a range.
    fn saturate(&mut self, variable: Term, low: f32, high: f32) {
        for (bound, outside) in [
            (high, self.pool().fp_lt(self.number(high), variable)),
            (low, self.pool().fp_lt(variable, self.number(low))),
        ] {
            let to_bound = vec![Assume(outside), Assign(variable, self.number(bound))];
            let inside = Assume(self.pool().not(outside));
            self.cycle.push(Choice(vec![Sequence(to_bound), inside]));
        }
    }

    /// What the default says, where the formula must never hold after a cycle.
    fn check(mut self, bad: Term, safe: bool) {
        let [start, head, error] = self.automaton.locations();
        self.automaton.edge(start, std::mem::take(&mut self.initial), head);
        self.automaton.edge(head, std::mem::take(&mut self.cycle), head);
        self.automaton.edge(head, vec![Assume(bad)], error);
        let (pool, cfa) = (&self.automaton.pool, &self.automaton.cfa);
        for text in ["ind=2", "ind=0 abort=off"] {
            match decide(&self.automaton, &options(text)) {
                Verdict::Unknown(reason) => panic!("{text}: {reason}"),
                Verdict::Unsafe(run) => {
                    assert!(!safe, "{text}: there is no such run");
                    follow(pool, cfa, &run, &Values::default()).expect("a run");
                }
                Verdict::Safe(proof) => {
                    assert!(safe, "{text}: there is a run");
                    check_program(pool, cfa, &proof, &Allowance::default()).expect("a proof");
                }
            }
        }
    }
}

/// x := x / 2 + u, |u| ≤ 1: it stays within 2, and comes close.
fn filter() -> (Controller, Term) {
    let mut filter = Controller::new();
    let x = filter.state("x", 0.0);
    let u = filter.input("u", -1.0, 1.0);
    let next = filter.sum(filter.product(0.5, x), u);
    filter.set(x, next);
    (filter, x)
}

#[test]
fn a_filter_stays_within_its_gain() {
    let (filter, x) = filter();
    let bad = filter.pool().not(filter.below(x, 2.0));
    filter.check(bad, true);
}

#[test]
fn a_filter_comes_close_to_its_gain() {
    let (filter, x) = filter();
    let bad = filter.above(x, 1.8);
    filter.check(bad, false);
}

/// An integrator with saturation.
fn integrator() -> (Controller, Term) {
    let mut integrator = Controller::new();
    let x = integrator.state("x", 0.0);
    let u = integrator.input("u", -3.0, 3.0);
    let next = integrator.sum(x, integrator.product(0.1, u));
    integrator.set(x, next);
    integrator.saturate(x, -1.0, 1.0);
    (integrator, x)
}

#[test]
fn a_saturated_integrator_stays_within_its_limits() {
    let (integrator, x) = integrator();
    let bad = integrator.pool().not(integrator.below(x, 1.0));
    integrator.check(bad, true);
}

#[test]
fn a_saturated_integrator_reaches_its_limits() {
    let (integrator, x) = integrator();
    let bad = integrator.above(x, 1.0);
    integrator.check(bad, false);
}

/// y follows u with at most 0.25 a cycle; what it was before is kept.
fn rate_limiter() -> (Controller, [Term; 2]) {
    let mut limiter = Controller::new();
    let (y, before) = (limiter.state("y", 0.0), limiter.state("before", 0.0));
    let d = limiter.state("d", 0.0);
    let u = limiter.input("u", -8.0, 8.0);
    limiter.set(before, y);
    let wanted = limiter.difference(u, y);
    limiter.set(d, wanted);
    limiter.saturate(d, -0.25, 0.25);
    let next = limiter.sum(y, d);
    limiter.set(y, next);
    (limiter, [y, d])
}

#[test]
fn a_rate_limiter_limits_the_rate() {
    let (limiter, [y, d]) = rate_limiter();
    let too_fast = limiter.pool().not(limiter.below(d, 0.25));
    let not_a_number = limiter.pool().fp_is_nan(y);
    let bad = limiter.pool().or([too_fast, not_a_number]);
    limiter.check(bad, true);
}

#[test]
fn a_rate_limiter_reaches_what_it_follows() {
    let (limiter, [y, _]) = rate_limiter();
    let bad = limiter.above(y, 0.7);
    limiter.check(bad, false);
}

/// A PI controller whose integral stands still while the output is limited.
fn controller() -> (Controller, [Term; 2]) {
    let mut pi = Controller::new();
    let (integral, output) = (pi.state("integral", 0.0), pi.state("output", 0.0));
    let error = pi.input("error", -1.0, 1.0);
    let sum = pi.sum(pi.product(2.0, error), integral);
    pi.set(output, sum);
    let within = pi.pool().and([pi.above(output, -4.0), pi.below(output, 4.0)]);
    let go_on = vec![Assume(within), Assign(integral, pi.sum(integral, pi.product(0.5, error)))];
    let stand_still = Assume(pi.pool().not(within));
    pi.cycle.push(Choice(vec![Sequence(go_on), stand_still]));
    pi.saturate(output, -4.0, 4.0);
    (pi, [integral, output])
}

#[test]
fn an_integral_does_not_wind_up() {
    let (pi, [integral, output]) = controller();
    let wound_up = pi.pool().not(pi.below(integral, 6.5));
    let too_much = pi.pool().not(pi.below(output, 4.0));
    let bad = pi.pool().or([wound_up, too_much]);
    pi.check(bad, true);
}

#[test]
fn an_integral_winds_up_a_little() {
    let (pi, [integral, _]) = controller();
    let bad = pi.above(integral, 2.2);
    pi.check(bad, false);
}
