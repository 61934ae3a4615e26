//! Linear equations between the arguments of a predicate (M. Karr: *Affine Relationships Among Variables
//! of a Program*, 1976), and congruences of single ones and of the difference and the sum of two
//! (P. Granger: *Static Analysis of Arithmetical Congruences*, 1989). Both get weaker finitely often.

use super::Element;
use super::span::{Span, Vector};
use aeval::linear::{Linear, Relation};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::rc::Rc;
use term::{Op, Pool, Sort, Term};

/// Of more arguments, equations between them are too dear.
const MAX_ARGUMENTS: usize = 40;
/// Of more arguments, congruences of two are too many.
const MAX_PAIRED: usize = 16;

/// What is known of a predicate.
#[derive(Clone)]
pub struct Shape {
    parameters: Vec<Term>,
    /// Something that is derived.
    point: Vector,
    /// Where else what is derived lies, seen from there; nothing is said of too many arguments.
    span: Option<Span>,
    /// Forms of integers.
    forms: Rc<[Linear]>,
    /// For each form, of which number its difference to that at the point is a multiple; zero: there is
    /// no difference.
    steps: Vec<BigInt>,
}

impl Shape {
    /// What stands for nothing of a predicate with these parameters.
    pub fn of(pool: &Pool, parameters: &[Term]) -> Shape {
        let span = (parameters.len() <= MAX_ARGUMENTS).then(Span::default);
        let forms = forms(pool, parameters);
        let steps = vec![BigInt::zero(); forms.len()];
        Shape {
            parameters: parameters.to_vec(),
            point: Vec::new(),
            span,
            forms: forms.into(),
            steps,
        }
    }

    /// The value of a form.
    fn value(&self, form: &Linear, values: &[BigRational]) -> BigInt {
        let at = |part: Term| self.parameters.iter().position(|parameter| *parameter == part);
        form.value(|part| Some(values[at(part)?].clone())).unwrap_or_default().to_integer()
    }

    /// normal · x = normal · point
    fn equation(&self, pool: &Pool, normal: &Vector) -> Term {
        let mut sum = Linear::default();
        for ((parameter, factor), at) in self.parameters.iter().zip(normal).zip(&self.point) {
            sum.add_part(*parameter, factor.clone());
            sum.constant -= factor * at;
        }
        sum.compare(pool, Relation::Eq)
    }

    /// form ≡ its value at the point (mod step)
    fn congruence(&self, pool: &Pool, form: &Linear, step: &BigInt) -> Option<Term> {
        if step <= &BigInt::one() {
            return None;
        }
        let rest = self.value(form, &self.point).mod_floor(step);
        let form = form.term(pool, Sort::Int);
        Some(pool.eq(pool.make(Op::IntMod, &[form, pool.int(step.clone())]), pool.int(rest)))
    }
}

/// Integers by themselves, and the difference and the sum of two.
fn forms(pool: &Pool, parameters: &[Term]) -> Vec<Linear> {
    let integers = parameters.iter().copied().filter(|p| pool.sort(*p) == Sort::Int);
    let singles: Vec<Linear> = integers.map(|p| Linear::of(pool, p)).collect();
    let mut forms = singles.clone();
    if singles.len() <= MAX_PAIRED {
        for (at, first) in singles.iter().enumerate() {
            for second in &singles[at + 1..] {
                for sign in [-BigRational::one(), BigRational::one()] {
                    let mut form = first.clone();
                    form.add(second, &sign);
                    forms.push(form);
                }
            }
        }
    }
    forms
}

impl Element for Shape {
    fn first(&self, values: &[BigRational]) -> Self {
        Shape { point: values.to_vec(), ..self.clone() }
    }

    fn join(&mut self, values: &[BigRational]) {
        let difference: Vector = values.iter().zip(&self.point).map(|(a, b)| a - b).collect();
        for at in 0..self.forms.len() {
            let form = &self.forms[at];
            let by = self.value(form, values) - self.value(form, &self.point);
            self.steps[at] = self.steps[at].gcd(&by);
        }
        if let Some(span) = &mut self.span {
            span.insert(difference);
        }
    }

    fn claims(&self, pool: &Pool) -> Vec<Term> {
        let length = self.parameters.len();
        let normals = self.span.iter().flat_map(|span| span.orthogonal(length));
        let equations = normals.map(|normal| self.equation(pool, &normal));
        let congruences = self.forms.iter().zip(&self.steps);
        let congruences = congruences.filter_map(|(form, step)| self.congruence(pool, form, step));
        equations.chain(congruences).collect()
    }
}
