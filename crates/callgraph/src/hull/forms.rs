//! Which linear forms of the arguments of a predicate have bounds that are worth looking for.
//!
//! Arguments by themselves, what clauses compare, and forms that loops keep: if every step of a
//! predicate to itself changes its arguments by a multiple of few vectors, what is orthogonal to them
//! stays as it was. Then sums and differences of two of those (A. Miné: *The Octagon Abstract Domain*,
//! 2006), where they are few.

use super::bounds::Bounds;
use super::span::{Span, Vector};
use super::{Search, is_number};
use aeval::linear::{Linear, Relation};
use answer::Reason;
use horn::{Application, PredicateId};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use term::traverse::subterms;
use term::{Op, Pool, Term};

/// Of more arguments and forms that loops keep, pairs are too many.
const MAX_PAIRED: usize = 9;
/// Of more arguments, what loops keep is not looked for.
const MAX_KEPT: usize = 24;
/// How many forms of a predicate there may be.
const MAX_FORMS: usize = 120;

/// The forms of all predicates.
pub struct Forms {
    parameters: Vec<Vec<Term>>,
    /// Without constants.
    of: Vec<Vec<Linear>>,
    thresholds: Rc<[BigRational]>,
}

impl Forms {
    /// The forms of the predicates; with `pairs` sums and differences, without them all others.
    pub fn of(search: &mut Search<'_>, pairs: bool) -> Result<Forms, Reason> {
        let parameters = search.numeric.clone();
        let mut of: Vec<Vec<Linear>> = vec![Vec::new(); parameters.len()];
        for (predicate, forms) in of.iter_mut().enumerate() {
            let mut plain: Vec<Linear> =
                parameters[predicate].iter().copied().map(single).collect();
            kept(search, predicate, &mut plain)?;
            match pairs {
                true => paired(forms, &plain),
                false => plain.into_iter().for_each(|form| take(forms, form)),
            }
        }
        if !pairs {
            compared(search, &mut of);
        }
        Ok(Forms { parameters, of, thresholds: thresholds(search) })
    }

    /// What stands for nothing; none if there are no forms.
    pub fn bounds(self) -> Option<Vec<Bounds>> {
        if self.of.iter().all(Vec::is_empty) {
            return None;
        }
        let bounds = self
            .parameters
            .iter()
            .zip(self.of)
            .map(|(parameters, forms)| Bounds::of(parameters, forms, self.thresholds.clone()));
        Some(bounds.collect())
    }
}

fn single(parameter: Term) -> Linear {
    let mut form = Linear::default();
    form.add_part(parameter, BigRational::one());
    form
}

/// Takes a form and its negation in.
fn take(forms: &mut Vec<Linear>, form: Linear) {
    let negated = form.times(&-BigRational::one());
    if !form.parts.is_empty() && forms.len() < MAX_FORMS && !forms.contains(&form) {
        forms.extend([form, negated]);
    }
}

/// The difference and the sum of two.
fn paired(forms: &mut Vec<Linear>, plain: &[Linear]) {
    if plain.len() > MAX_PAIRED {
        return;
    }
    for (at, first) in plain.iter().enumerate() {
        for second in &plain[at + 1..] {
            for sign in [-BigRational::one(), BigRational::one()] {
                let mut form = first.clone();
                form.add(second, &sign);
                take(forms, form);
            }
        }
    }
}

/// The two sides of each comparison of a clause: their difference.
fn comparisons(pool: &Pool, terms: &[Term]) -> Vec<Linear> {
    let mut found = Vec::new();
    for term in subterms(pool, terms) {
        let args = pool.args(term);
        if Relation::of(pool.op(term)).is_some() && is_number(pool.sort(args[0])) {
            let mut sum = Linear::of(pool, args[0]);
            sum.add_term(pool, args[1], -BigRational::one());
            found.push(sum);
        }
    }
    found
}

/// What clauses compare of the arguments that they assume or conclude.
fn compared(search: &Search<'_>, of: &mut [Vec<Linear>]) {
    let (pool, system) = (search.pool, search.system);
    for clause in &system.clauses {
        let sums = comparisons(pool, &[clause.constraint]);
        for application in clause.body.iter().chain(&clause.head) {
            let parameters = &system.predicates[application.predicate].parameters;
            let arguments = application.arguments.iter().copied().zip(parameters.iter().copied());
            let places: FxHashMap<Term, Term> =
                arguments.filter(|(a, _)| matches!(pool.op(*a), Op::Var(_))).collect();
            for sum in &sums {
                let mut form = Linear::default();
                for (part, factor) in &sum.parts {
                    let Some(parameter) = places.get(part) else {
                        form = Linear::default();
                        break;
                    };
                    form.add_part(*parameter, factor.clone());
                }
                take(&mut of[application.predicate], normal(form));
            }
        }
    }
}

/// The multiple of a form whose first coefficient is one or minus one.
fn normal(form: Linear) -> Linear {
    let Some(first) = form.parts.values().next().cloned() else { return form };
    form.times(&(BigRational::one() / first.abs()))
}

/// What steps from a predicate to itself keep.
fn kept(
    search: &mut Search<'_>,
    predicate: PredicateId,
    forms: &mut Vec<Linear>,
) -> Result<(), Reason> {
    let parameters = search.numeric[predicate].clone();
    if parameters.len() < 2 || parameters.len() > MAX_KEPT {
        return Ok(());
    }
    let mut span = Span::default();
    let mut loops = false;
    for number in 0..search.system.clauses.len() {
        let clause = search.system.clauses[number].clone();
        let Some(head) = clause.head.as_ref().filter(|head| head.predicate == predicate) else {
            continue;
        };
        for body in clause.body.iter().filter(|body| body.predicate == predicate) {
            loops = true;
            changes(search, number, (body, head), &parameters, &mut span)?;
        }
    }
    if loops {
        for vector in span.orthogonal(parameters.len()) {
            let mut form = Linear::default();
            for (parameter, factor) in parameters.iter().zip(vector) {
                form.add_part(*parameter, factor);
            }
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
    }
    Ok(())
}

/// Takes in by what vectors a clause changes the arguments of a predicate.
fn changes(
    search: &mut Search<'_>,
    number: usize,
    (body, head): (&Application, &Application),
    parameters: &[Term],
    span: &mut Span,
) -> Result<(), Reason> {
    let pool = search.pool;
    let (before, after) = (search.instances(body, parameters), search.instances(head, parameters));
    let steps: Vec<Term> = after.iter().zip(&before).map(|(a, b)| pool.sub(*a, *b)).collect();
    let premise = search.premise(number, |_| Vec::new());
    loop {
        // SAT? φ ∧ ⋀ known(pᵢ) ∧ some vector that is orthogonal to all changes so far is not to this one
        let turned = |normal: &Vector| {
            let mut sum = Linear::default();
            for (step, factor) in steps.iter().zip(normal) {
                sum.add_term(pool, *step, factor.clone());
            }
            pool.not(sum.compare(pool, Relation::Eq))
        };
        let open: Vec<Term> = span.orthogonal(parameters.len()).iter().map(turned).collect();
        let open: Vec<Term> =
            open.into_iter().filter(|o| pool.as_bool(*o) != Some(false)).collect();
        if open.is_empty() {
            return Ok(());
        }
        let Some(change) = search.ask(premise, &open, &steps)? else { return Ok(()) };
        if !span.insert(change) {
            return Ok(());
        }
    }
}

/// The constants of the clauses, those next to them, and their negations, in order.
fn thresholds(search: &Search<'_>) -> Rc<[BigRational]> {
    let terms: Vec<Term> = search.system.clauses.iter().flat_map(horn::Clause::terms).collect();
    let mut found: Vec<BigRational> = vec![BigRational::zero()];
    for term in subterms(search.pool, &terms) {
        let number = search.pool.value(term).and_then(aeval::linear::number);
        found.extend(number.into_iter().flat_map(|n| [n.clone(), -n]));
    }
    let one = BigRational::one();
    let near = found.iter().flat_map(|n| [n - &one, n.clone(), n + &one]);
    let mut found: Vec<BigRational> = near.collect();
    found.sort_unstable();
    found.dedup();
    found.into()
}
