//! From one failing point to a class around it.
//!
//! The point satisfies many conditions: the comparisons that the program makes come out in some way,
//! and each input has a value. A solver says whether conditions suffice: whether everything that
//! satisfies them fails. Those that are not needed go, the least telling first; comparisons that can
//! be weaker become so (`<` to `<=`), and values become ranges, by bisection. What is left has been
//! shown to lead to the violation as a whole.

use super::literal::{Literal, Range, Scale, comparisons};
use answer::Allowance;
use program::region::Condition;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Error, Solver, Solvers};
use term::{Pool, Term, Value};

/// How many questions a class may cost.
const MOST_QUESTIONS: usize = 1_500;
/// So many conditions are tried one by one; of more, a core comes first.
const MANY: usize = 80;

/// An input whose value may be spoken of.
pub(super) struct Spoken {
    pub variable: Term,
    pub scale: Option<Scale>,
    pub signed: bool,
}

/// Looks for classes.
pub(super) struct Widening<'a> {
    pool: &'a Pool,
    condition: &'a Condition,
    spoken: &'a [Spoken],
    variables: FxHashSet<Term>,
    signed: FxHashSet<Term>,
    /// Knows what is assumed, and that the run does not fail.
    passes: Box<dyn Solver>,
    /// Knows what is assumed, that the run fails, and is in no class that was found.
    fails: Box<dyn Solver>,
    questions: usize,
}

impl<'a> Widening<'a> {
    pub fn new(
        pool: &'a Pool,
        condition: &'a Condition,
        spoken: &'a [Spoken],
        solvers: &dyn Solvers,
        allowance: &Allowance,
    ) -> Result<Self, Error> {
        let (mut passes, mut fails) = (solvers.bits(), solvers.bits());
        for solver in [&mut passes, &mut fails] {
            solver.set_allowance(allowance.clone());
            for assumed in &condition.assumed {
                solver.assert(pool, *assumed)?;
            }
        }
        passes.assert(pool, pool.not(condition.fails))?;
        fails.assert(pool, condition.fails)?;
        let variables = spoken.iter().map(|spoken| spoken.variable).collect();
        let signed = spoken.iter().filter(|s| s.signed).map(|s| s.variable).collect();
        let questions = MOST_QUESTIONS;
        Ok(Widening { pool, condition, spoken, variables, signed, passes, fails, questions })
    }

    /// The class around a point; none if no conditions on the inputs suffice.
    pub fn around(
        &mut self,
        point: &FxHashMap<Term, Value>,
    ) -> Result<Option<Vec<Literal>>, Error> {
        let Some(mut literals) = self.sufficient(point)? else { return Ok(None) };
        self.prune(&mut literals)?;
        for number in 0..literals.len() {
            self.weaken(&mut literals, number)?;
        }
        self.prune(&mut literals)?;
        Ok(Some(literals))
    }

    /// Another point that fails, outside of a class that was found last. None: there is none.
    pub fn other(&mut self, class: &[Literal]) -> Result<Other, Error> {
        let inside: Vec<Term> = class.iter().map(|literal| literal.term(self.pool)).collect();
        let outside = self.pool.not(self.pool.and(inside));
        self.fails.assert(self.pool, outside)?;
        // SAT? assumed ∧ fails ∧ ⋀ ¬class
        match self.fails.check(self.pool, &[])? {
            Answer::Unsat => return Ok(Other::None),
            Answer::Unknown(_) => return Ok(Other::Unknown),
            Answer::Sat => {}
        }
        let mut point = FxHashMap::default();
        for free in &self.condition.inputs {
            point.insert(free.variable, self.fails.value(self.pool, free.variable)?);
        }
        Ok(Other::Point(point))
    }

    /// Whether everything fails that satisfies the conditions.
    fn suffice(&mut self, literals: &[Literal]) -> Result<bool, Error> {
        let Some(left) = self.questions.checked_sub(1) else { return Ok(false) };
        self.questions = left;
        let terms: Vec<Term> = literals.iter().map(|literal| literal.term(self.pool)).collect();
        // UNSAT? assumed ∧ ⋀ literals ∧ ¬fails
        Ok(self.passes.check(self.pool, &terms)? == Answer::Unsat)
    }

    /// Conditions that suffice: if possible comparisons that are easily read, otherwise others, otherwise
    /// the values of inputs.
    fn sufficient(
        &mut self,
        point: &FxHashMap<Term, Value>,
    ) -> Result<Option<Vec<Literal>>, Error> {
        let signs = |term: Term| self.signed.contains(&term);
        let mut literals = comparisons(self.pool, self.condition, &self.variables, &signs, point);
        let values = self.spoken.iter().filter_map(|spoken| {
            let scale = spoken.scale?;
            let key = scale.key(point.get(&spoken.variable)?)?;
            let (low, high) = (Some(key), Some(key));
            Some(Literal::Range(Range { variable: spoken.variable, scale, low, high }))
        });
        literals.extend(values);
        literals.sort_by_key(Literal::cost);
        for limit in [9, 999, usize::MAX] {
            let count = literals.partition_point(|literal| literal.cost() <= limit);
            let tried = &literals[..count];
            if !self.suffice(tried)? {
                continue;
            }
            if count <= MANY {
                return Ok(Some(tried.to_vec()));
            }
            let core: FxHashSet<Term> = self.passes.core().into_iter().collect();
            let needed = |literal: &&Literal| core.contains(&literal.term(self.pool));
            return Ok(Some(tried.iter().filter(needed).cloned().collect()));
        }
        Ok(None)
    }

    /// Takes conditions away, the least telling first, as long as the others suffice.
    fn prune(&mut self, literals: &mut Vec<Literal>) -> Result<(), Error> {
        literals.sort_by_key(Literal::cost);
        for number in (0..literals.len()).rev() {
            let removed = literals.remove(number);
            if !self.suffice(literals)? {
                literals.insert(number, removed);
            }
        }
        Ok(())
    }

    /// Makes a condition weaker, as long as all together suffice.
    fn weaken(&mut self, literals: &mut [Literal], number: usize) -> Result<(), Error> {
        if let Literal::Range(range) = &literals[number] {
            let range = range.clone();
            return self.widen(literals, number, range);
        }
        let weaker = literals[number].weaker(self.pool, &|term| self.signed.contains(&term));
        for weaker in weaker {
            let before = std::mem::replace(&mut literals[number], weaker);
            if self.suffice(literals)? {
                return Ok(());
            }
            literals[number] = before;
        }
        Ok(())
    }

    /// Moves the ends of a range as far as they go.
    fn widen(
        &mut self,
        literals: &mut [Literal],
        number: usize,
        range: Range,
    ) -> Result<(), Error> {
        let (least, most) = range.scale.ends();
        let point = range.low.or(range.high).unwrap_or(0);
        let mut range = range;
        for upper in [true, false] {
            let end = if upper { most } else { least };
            let with = |end: Option<i128>| match upper {
                true => Range { high: end, ..range.clone() },
                false => Range { low: end, ..range.clone() },
            };
            // Beyond the last end that suffices lies the first that does not.
            let (mut good, mut bad) = (point, end);
            literals[number] = Literal::Range(with(None));
            if self.suffice(literals)? {
                range = with(None);
                continue;
            }
            while good.abs_diff(bad) > 1 {
                let middle = good + (bad - good) / 2;
                literals[number] = Literal::Range(with(Some(middle)));
                match self.suffice(literals)? {
                    true => good = middle,
                    false => bad = middle,
                }
            }
            range = with(Some(good));
        }
        literals[number] = Literal::Range(range);
        Ok(())
    }
}

/// Whether something else fails.
pub(super) enum Other {
    /// This does.
    Point(FxHashMap<Term, Value>),
    /// Nothing does.
    None,
    /// Nobody knows.
    Unknown,
}
