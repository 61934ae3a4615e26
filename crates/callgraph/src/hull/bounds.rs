//! Bounds of linear forms.
//!
//! A bound follows what is derived for some steps, then jumps to constants of the clauses, at last goes
//! away: so it changes finitely often.

use super::Element;
use aeval::linear::{Linear, Relation};
use num_rational::BigRational;
use std::rc::Rc;
use term::{Pool, Term};

/// How often a bound follows before it jumps, and how often it jumps.
const FOLLOWS: usize = 3;
const JUMPS: usize = 6;

/// What is known of a predicate: of each form, what it is at most.
#[derive(Clone)]
pub struct Bounds {
    parameters: Rc<[Term]>,
    forms: Rc<[Linear]>,
    /// Where bounds jump to, in order.
    thresholds: Rc<[BigRational]>,
    most: Vec<Bound>,
}

#[derive(Clone)]
struct Bound {
    /// None: there is none.
    at: Option<BigRational>,
    changes: usize,
}

impl Bounds {
    /// What stands for nothing of a predicate.
    pub fn of(parameters: &[Term], forms: Vec<Linear>, thresholds: Rc<[BigRational]>) -> Bounds {
        Bounds { parameters: parameters.into(), forms: forms.into(), thresholds, most: Vec::new() }
    }

    fn value(&self, form: &Linear, values: &[BigRational]) -> BigRational {
        let of = |part: Term| {
            let at = self.parameters.iter().position(|parameter| *parameter == part)?;
            Some(values[at].clone())
        };
        form.value(of).unwrap_or_default()
    }
}

impl Element for Bounds {
    fn first(&self, values: &[BigRational]) -> Self {
        let bound = |form| Bound { at: Some(self.value(form, values)), changes: 0 };
        Bounds { most: self.forms.iter().map(bound).collect(), ..self.clone() }
    }

    fn join(&mut self, values: &[BigRational]) {
        for at in 0..self.forms.len() {
            let value = self.value(&self.forms[at], values);
            let bound = &mut self.most[at];
            if bound.at.as_ref().is_none_or(|most| *most >= value) {
                continue;
            }
            bound.changes += 1;
            bound.at = if bound.changes <= FOLLOWS {
                Some(value)
            } else if bound.changes <= FOLLOWS + JUMPS {
                let above = self.thresholds.partition_point(|threshold| *threshold < value);
                self.thresholds.get(above).cloned()
            } else {
                None
            };
        }
    }

    fn claims(&self, pool: &Pool) -> Vec<Term> {
        let pairs = self.forms.iter().zip(&self.most);
        let claim = |(form, bound): (&Linear, &Bound)| {
            let most = bound.at.clone()?;
            Some(form.clone().plus(-most).compare(pool, Relation::Le))
        };
        pairs.filter_map(claim).collect()
    }
}
