//! Claims in the program: as checks, or as the segments of a way that a run shall go.
//!
//! **Invariants.** A claim that must hold is a check of [`Property::Claim`]. Evaluating it must not
//! be undefined, so the checks within it are of the same kind. Where it reads memory, it is
//! evaluated on a way of its own that ends there: a claim must not hide runs of the program that
//! its evaluation would end.
//!
//! **Segments.** A register counts the segments that the run has passed. Where a claim ends
//! segment `k`, a run in that segment for which the claim holds goes over to segment `k + 1`; where
//! it is to be avoided, it ends. A violation counts only in the last segment. Taking the first
//! opportunity to go on loses no run unless something is to be avoided, as what it allows later
//! contains what the others do; with something to avoid, going on is a choice.

use super::Lowerer;
use super::effect::Effect;
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::typed::{ExprId, StmtId};
use program::Property;
use program::program::{Cause, Instruction, Reading};
use term::{Sort, Term};

/// What a claim is for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// It must hold.
    Holds,
    /// It ends the segment with the number.
    Follow(u32),
    /// It must not hold in the segment with the number.
    Avoid(u32),
}

/// What the claims that a program was compiled with are for.
#[derive(Clone, Default, Debug)]
pub struct Claims {
    /// By the number of the claim.
    pub purposes: Vec<Purpose>,
    /// The segment in which a violation counts, from 0; none if there are no segments.
    pub last_segment: Option<u32>,
    /// The line of the only checks that count, with the name of its file without directories;
    /// without it, all count.
    pub only_on_line: Option<(String, u32)>,
}

/// The name of the register that counts segments.
pub const SEGMENT: &str = "segment of the witness";
const SEGMENT_WIDTH: u32 = 32;

impl Lowerer<'_> {
    pub(super) fn make_segment(&mut self) {
        if self.claims.last_segment.is_some() {
            let (sort, reading) = (Sort::BitVec(SEGMENT_WIDTH), Reading::Unsigned);
            let shown = Some(SEGMENT.into());
            let span = Span::default();
            let register = self.new_variable(SEGMENT.to_owned(), shown, sort, reading, false, span);
            self.segment = Some(register);
        }
    }

    /// The run begins in the first segment.
    pub(super) fn begin_segments(&mut self) {
        if let Some(segment) = self.segment {
            self.assign(segment, self.pool.bv(0, SEGMENT_WIDTH));
        }
    }

    pub(super) fn head_claims(&mut self, statement: StmtId) -> Result<()> {
        let c = self.c;
        let span = self.span;
        for &claim in c.heads.get(&statement).into_iter().flatten() {
            self.statement(claim)?;
        }
        self.span = span;
        Ok(())
    }

    /// Claims about the beginning of the call at a span.
    pub(super) fn enter_claims(&mut self, span: Span) -> Result<()> {
        let c = self.c;
        for &number in c.enters.get(&span).into_iter().flatten() {
            self.pass_waypoint(number, None)?;
        }
        Ok(())
    }

    pub(super) fn claim(&mut self, number: u32, truth: ExprId) -> Result<()> {
        if self.effect(truth) == Effect::Changes {
            let span = self.c.exprs[truth].span;
            return Err(Diagnostic::error(span, "what is claimed has side effects"));
        }
        match self.claims.purposes.get(number as usize) {
            None => Ok(()),
            Some(Purpose::Holds) => self.holds(truth),
            Some(Purpose::Follow(_) | Purpose::Avoid(_)) => self.pass_waypoint(number, Some(truth)),
        }
    }

    fn truth_of_claim(&mut self, truth: ExprId) -> Result<Term> {
        self.in_claim = true;
        let term = self.full_expression(|l| l.condition(truth));
        self.in_claim = false;
        // What is made of it lies in the claim's own text, whose name tells which claim it is.
        self.span = self.c.exprs[truth].span;
        term
    }

    fn holds(&mut self, truth: ExprId) -> Result<()> {
        if !self.is_live() {
            return Ok(());
        }
        let (from, span) = (self.graph.at, self.span);
        let aside = self.effect(truth) != Effect::None;
        if aside {
            let way = self.new_location();
            self.jump(way);
            self.continue_at(way);
        }
        let term = self.truth_of_claim(truth)?;
        self.check(Property::Claim, term);
        if aside {
            self.stop();
            self.graph.at = from;
            let on = self.new_location();
            self.jump(on);
            self.continue_at(on);
        }
        self.span = span;
        Ok(())
    }

    /// Goes over to the next segment, or ends the run, if the claim holds in its segment.
    fn pass_waypoint(&mut self, number: u32, truth: Option<ExprId>) -> Result<()> {
        let (Some(register), Some(purpose)) =
            (self.segment, self.claims.purposes.get(number as usize).copied())
        else {
            return Ok(());
        };
        let (Purpose::Follow(segment) | Purpose::Avoid(segment)) = purpose else { return Ok(()) };
        if !self.is_live() {
            return Ok(());
        }
        let span = self.span;
        let number = |l: &Self, n: u32| l.pool.bv(u64::from(n), SEGMENT_WIDTH);
        let here = self.pool.eq(self.term_of(register), number(self, segment));
        let (within, end) = (self.new_location(), self.new_location());
        self.split(here, within, end);
        self.continue_at(within);
        let holds = match truth {
            Some(truth) => self.truth_of_claim(truth)?,
            None => self.pool.tru(),
        };
        match purpose {
            Purpose::Avoid(_) => {
                let fails = self.pool.not(holds);
                self.assume(fails);
            }
            _ => {
                let avoids = |p: &Purpose| matches!(p, Purpose::Avoid(_));
                let passes = if self.claims.purposes.iter().any(avoids) {
                    let cause = Cause::Unknown("the end of a segment of the witness".into());
                    let goes_on = self.unknown(Sort::Bool, cause);
                    self.pool.and([holds, goes_on])
                } else {
                    holds
                };
                let next = self.new_location();
                self.split(passes, next, end);
                self.continue_at(next);
                self.assign(register, number(self, segment + 1));
            }
        }
        self.jump(end);
        self.continue_at(end);
        self.span = span;
        Ok(())
    }

    /// A check that comes from the expression of a claim: that it is defined belongs to the claim.
    pub(super) fn check_in_claim(&mut self, property: Property, condition: Term) {
        if property.is_fatal() && self.claims.last_segment.is_none() {
            self.emit(Instruction::Check(Property::Claim, condition));
        } else if property.is_fatal() {
            self.assume(condition);
        }
    }

    /// A check of what is asked for, which counts in the last segment. A run that fails it ends in
    /// any case.
    pub(super) fn check_at_last_segment(&mut self, property: Property, condition: Term) {
        let (Some(segment), Some(last)) = (self.segment, self.claims.last_segment) else { return };
        if let Some((file, line)) = &self.claims.only_on_line {
            let place = self.here();
            let name = place.file.rsplit('/').next().unwrap_or_default();
            if place.line != *line || name != file {
                self.assume(condition);
                return;
            }
        }
        let last = self.pool.bv(u64::from(last), SEGMENT_WIDTH);
        let earlier = self.pool.ne(self.term_of(segment), last);
        self.emit(Instruction::Check(property, self.pool.or([condition, earlier])));
        self.assume(condition);
    }
}
