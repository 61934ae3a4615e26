//! Many assertions, one after the other (\[Fed15 §2.2.6–2.2.7\]).
//!
//! One search decides them all, so that what was found of calls for one is there for the next. With the
//! assertion implication relation, those are not asked about that follow from others.

use crate::implication::{Implications, Strategy};
use crate::search::Search;
use crate::{Answer, Check, Checks, Encoding, Figures, Means, Options};
use std::time::{Duration, Instant};

/// What is known of a check.
#[derive(Clone, Debug)]
pub enum Decided {
    /// It was asked about.
    Asked(Answer),
    /// It holds, as the checks with these numbers do, which imply it together.
    Implied(Vec<usize>),
    /// It fails, as the check with this number does, which it implies.
    Refuted(usize),
}

/// What is known of all checks.
pub struct Table {
    /// By the number of the check.
    pub rows: Vec<(Check, Decided)>,
    /// The relation, if it was wanted.
    pub implications: Implications,
    /// How long it took to find the relation.
    pub relating: Duration,
    /// How long it took to decide the checks.
    pub deciding: Duration,
    /// What the search did.
    pub figures: Figures,
}

impl Table {
    /// How many checks were asked about.
    pub fn asked(&self) -> usize {
        self.rows.iter().filter(|(_, decided)| matches!(decided, Decided::Asked(_))).count()
    }
}

/// Decides each check of a program, within a time for each.
pub fn decide_each(
    encoding: &Encoding<'_>,
    options: &Options,
    means: &Means<'_>,
    strategy: Option<Strategy>,
    each: Duration,
) -> Result<Table, smt::Error> {
    let begin = Instant::now();
    let implications = match strategy {
        Some(_) => Implications::of(encoding, means)?,
        None => Implications::default(),
    };
    let relating = begin.elapsed();
    let begin = Instant::now();
    let count = encoding.checks.len();
    let order = implications.order(count, strategy.unwrap_or(Strategy::Forward));
    let mut decided: Vec<Option<Decided>> = vec![None; count];
    let mut search = Search::new(encoding, options, means);
    for check in order {
        let known = strategy
            .and_then(|strategy| follows(&implications, &decided, check, strategy, options));
        decided[check] = Some(known.unwrap_or_else(|| {
            search.allow(means.allowance.within(each));
            Decided::Asked(search.decide(&encoding.checks[check..=check]))
        }));
    }
    let rows = encoding.checks.iter().cloned().zip(decided.into_iter().flatten()).collect();
    let (deciding, figures) = (begin.elapsed(), search.figures());
    Ok(Table { rows, implications, relating, deciding, figures })
}

/// What follows for a check from those that are decided.
fn follows(
    implications: &Implications,
    decided: &[Option<Decided>],
    check: usize,
    strategy: Strategy,
    options: &Options,
) -> Option<Decided> {
    let holds = |n: &usize| {
        matches!(decided[*n], Some(Decided::Asked(Answer::Safe(_)) | Decided::Implied(_)))
    };
    let fails = |n: &usize| {
        matches!(decided[*n], Some(Decided::Asked(Answer::Unsafe(_)) | Decided::Refuted(_)))
    };
    let pairs = || implications.pairs.iter();
    match strategy {
        Strategy::Forward => {
            let one = pairs().filter(|(_, weaker)| *weaker == check).map(|(s, _)| vec![*s]);
            let several = implications.sets.iter().filter(|(_, weaker)| *weaker == check);
            let mut stronger = one.chain(several.map(|(stronger, _)| stronger.clone()));
            stronger.find(|all| all.iter().all(holds)).map(Decided::Implied)
        }
        Strategy::Backward if options.checks == Checks::Pass => {
            let mut weaker = pairs().filter(|(stronger, _)| *stronger == check).map(|(_, w)| *w);
            weaker.find(fails).map(Decided::Refuted)
        }
        Strategy::Backward => None,
    }
}
