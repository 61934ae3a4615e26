//! Requirements: what has to hold of a program's cycles.
//!
//! The patterns are PLCverif's; each becomes a check at the end of a cycle, with registers for what it
//! remembers of earlier ones. What has to happen some time, without a bound, is a matter of `lasso`.
//! Expressions are evaluated with the unit's variables.

use super::Lowerer;
use super::lasso::Awaited;
use super::storage::Node;
use crate::ast::Expr;
use crate::types::Type;
use program::program::{Instruction, Reading, VariableId};
use program::{Place, Property};
use source::diagnostic::Result;
use term::{Sort, Term};

/// A requirement.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// As the user wrote it.
    pub text: String,
    /// What it demands.
    pub pattern: Pattern,
    /// Where it stands, if in a file.
    pub place: Option<Place>,
}

/// What a requirement demands.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// The expression holds at the end of each cycle.
    Invariant(Expr),
    /// Where the first one holds at the end of a cycle, the second one does.
    Implication(Expr, Expr),
    /// The expression never holds at the end of a cycle.
    Forbidden(Expr),
    /// Where the first one holds when the inputs have been read, the second one holds at the end of
    /// the same cycle.
    DuringCycle(Expr, Expr),
    /// Where the first one holds at the end of a cycle and the second one at the end of the next,
    /// the third one holds there, too.
    BetweenCycles(Expr, Expr, Expr),
    /// Where the first one holds at the end of a cycle, or at the end of any if there is none, the second
    /// one holds at the end of that cycle or of one of the next, up to the bound.
    Response(Option<Expr>, Expr, Bound),
    /// The same without a bound.
    Eventually(Option<Expr>, Expr),
    /// Where the first one holds at the end of a cycle, the second one did at the end of an earlier one,
    /// no further back than the bound.
    Before(Expr, Expr, Option<Bound>),
    /// Where the first one holds at the end of a cycle, the second one did when the inputs of this or of
    /// an earlier cycle had been read.
    BeforeOrWithin(Expr, Expr),
    /// Where the first one holds at the end of a cycle, there was a change before: the second one at the
    /// end of a cycle and the third one at the end of the next.
    Changed(Expr, Expr, Expr),
    /// Where the first one has held at the ends of cycles for so long without a break, the second one
    /// holds.
    Held(Expr, Bound, Expr),
    /// The expression holds at the end of some cycle. Its negation is what is checked: a run that
    /// fails shows that the requirement holds.
    Reachable(Expr),
}

/// How long something may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// So many cycles, at least one.
    Cycles(u32),
    /// So many milliseconds.
    Time(u64),
}

/// Bits of a counter of cycles, and of a time.
const COUNTER: u32 = 32;

/// What a requirement remembers from earlier moments.
#[derive(Clone, Copy, Default)]
pub(super) struct Memory {
    /// A truth value.
    flag: Option<VariableId>,
    /// Another one.
    second: Option<VariableId>,
    /// How many cycles have passed since something, or how much time.
    passed: Option<VariableId>,
    /// Whether it matters that more than the bound has passed, and not only as much.
    beyond: bool,
}

impl<'a> Lowerer<'a> {
    /// Registers for what requirements remember; false and zero at the start.
    pub(super) fn requirement_memory(&mut self) -> Vec<Memory> {
        let options = self.options;
        let mut memory = Vec::new();
        for requirement in &options.requirements {
            let mut own = Memory::default();
            match &requirement.pattern {
                Pattern::Invariant(_)
                | Pattern::Implication(..)
                | Pattern::Forbidden(_)
                | Pattern::Reachable(_) => {}
                Pattern::DuringCycle(..)
                | Pattern::BetweenCycles(..)
                | Pattern::BeforeOrWithin(..)
                | Pattern::Eventually(..)
                | Pattern::Before(_, _, None) => own.flag = Some(self.remembered_flag()),
                Pattern::Changed(..) => {
                    own.flag = Some(self.remembered_flag());
                    own.second = Some(self.remembered_flag());
                }
                Pattern::Response(_, _, bound)
                | Pattern::Before(_, _, Some(bound))
                | Pattern::Held(_, bound, _) => {
                    own.flag = Some(self.remembered_flag());
                    own.passed = Some(self.remembered_passing(*bound));
                    own.beyond = !matches!(requirement.pattern, Pattern::Held(..));
                }
            }
            memory.push(own);
        }
        memory
    }

    fn remembered_flag(&mut self) -> VariableId {
        let register = self.temporary(Sort::Bool);
        let no = self.pool.fls();
        self.at_start(|this| this.assign(register, no));
        register
    }

    /// What counts cycles, or is a timer.
    fn remembered_passing(&mut self, bound: Bound) -> VariableId {
        let sort = Sort::BitVec(COUNTER);
        let register = self.new_variable("passed", None, sort, Reading::of(sort));
        let zero = self.pool.bv(0, COUNTER);
        self.at_start(|this| this.assign(register, zero));
        if let Bound::Time(_) = bound {
            self.timers.push(Node::Register(register));
        }
        register
    }

    /// What is remembered when the inputs have been read.
    pub(super) fn requirements_before(&mut self, memory: &[Memory]) -> Result<()> {
        let options = self.options;
        for (requirement, memory) in options.requirements.iter().zip(memory) {
            let Some(register) = memory.flag else { continue };
            match &requirement.pattern {
                Pattern::DuringCycle(before, _) => {
                    let holds = self.required(before)?;
                    self.assign(register, holds);
                }
                Pattern::BeforeOrWithin(_, before) => {
                    let holds = self.required(before)?;
                    let ever = self.pool.or([self.term_of(register), holds]);
                    self.assign(register, ever);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The checks at the end of a cycle.
    pub(super) fn requirements_after(&mut self, memory: &[Memory], at: source::Span) -> Result<()> {
        let options = self.options;
        for (requirement, memory) in options.requirements.iter().zip(memory) {
            self.span = at;
            if let Some(holds) = self.requirement_after(requirement, *memory)? {
                self.span = at;
                self.required_check(Property::Assert, holds, requirement.place.as_ref());
            }
        }
        Ok(())
    }

    /// Also one that holds anyway is checked: it is what is asked about.
    pub(super) fn required_check(
        &mut self,
        property: Property,
        holds: Term,
        place: Option<&Place>,
    ) {
        let place = place.cloned().unwrap_or_else(|| self.here());
        let check = Instruction::Check(property, holds);
        self.graph.append(check, &place, place.clone());
    }

    /// Whether a requirement holds at the end of a cycle, in a register of its own where something is
    /// remembered afterwards; none if that shows later.
    fn requirement_after(
        &mut self,
        requirement: &'a Requirement,
        memory: Memory,
    ) -> Result<Option<Term>> {
        let holds = match &requirement.pattern {
            Pattern::Invariant(a) => self.required(a)?,
            Pattern::Forbidden(a) | Pattern::Reachable(a) => {
                let holds = self.required(a)?;
                self.pool.not(holds)
            }
            Pattern::Implication(a, b) => {
                let (a, b) = (self.required(a)?, self.required(b)?);
                self.pool.implies(a, b)
            }
            Pattern::DuringCycle(_, b) | Pattern::BeforeOrWithin(b, _) => {
                let (b, flag) = (self.required(b)?, self.remembered(memory.flag));
                match requirement.pattern {
                    Pattern::DuringCycle(..) => self.pool.implies(flag, b),
                    _ => self.pool.implies(b, flag),
                }
            }
            Pattern::BetweenCycles(a, b, c) => {
                let next = self.required(a)?;
                let (b, c) = (self.required(b)?, self.required(c)?);
                let premise = self.pool.and([self.remembered(memory.flag), b]);
                let holds = self.pool.implies(premise, c);
                self.then(holds, memory.flag, next)
            }
            Pattern::Changed(a, b, c) => {
                let (a, b, c) = (self.required(a)?, self.required(b)?, self.required(c)?);
                let changed = self.remembered(memory.second);
                let changes = self.pool.and([self.remembered(memory.flag), c]);
                let ever = self.pool.or([changed, changes]);
                let holds = self.pool.implies(a, changed);
                let holds = self.then(holds, memory.second, ever);
                self.then(holds, memory.flag, b)
            }
            Pattern::Before(a, b, bound) => self.before(a, b, *bound, memory)?,
            Pattern::Response(a, b, bound) => self.response(a.as_ref(), b, *bound, memory)?,
            Pattern::Held(a, bound, b) => self.held(a, *bound, b, memory)?,
            Pattern::Eventually(trigger, response) => {
                self.awaits(requirement, trigger.as_ref(), response, memory)?;
                return Ok(None);
            }
        };
        Ok(Some(holds))
    }

    /// A term as it is now, after which a register takes a new value.
    fn then(&mut self, holds: Term, register: Option<VariableId>, next: Term) -> Term {
        let holds = self.keep(holds);
        if let Some(register) = register {
            self.assign(register, next);
        }
        holds
    }

    /// How much has passed since the counter was zero, up to the end of this cycle. Timers have been
    /// counted up when time passed; the others are now.
    fn passed(&self, bound: Bound, memory: Memory) -> Term {
        let Some(register) = memory.passed else { return self.pool.bv(0, COUNTER) };
        let before = self.term_of(register);
        match bound {
            Bound::Time(_) => before,
            Bound::Cycles(most) => {
                // Beyond the bound it does not matter by how much.
                let most = self.pool.bv(u64::from(most) + 1, COUNTER + 1);
                let wide = self.pool.bv_zero_extend(before, 1);
                let one_more = self.pool.bv_add(before, self.pool.bv(1, COUNTER));
                self.pool.ite(self.pool.bv_ult(wide, most), one_more, before)
            }
        }
    }

    /// Whether more has passed than a bound, or as much.
    fn beyond(&self, passed: Term, bound: Bound, or_equal: bool) -> Term {
        let most = match bound {
            Bound::Cycles(cycles) => u64::from(cycles),
            Bound::Time(milliseconds) => milliseconds,
        };
        let most = self.pool.bv(most, COUNTER);
        match or_equal {
            true => self.pool.bv_ule(most, passed),
            false => self.pool.bv_ult(most, passed),
        }
    }

    /// Where a holds, b held before.
    fn before(
        &mut self,
        a: &'a Expr,
        b: &'a Expr,
        bound: Option<Bound>,
        memory: Memory,
    ) -> Result<Term> {
        let (a, b) = (self.required(a)?, self.required(b)?);
        let seen = self.remembered(memory.flag);
        let Some(bound) = bound else {
            let holds = self.pool.implies(a, seen);
            let ever = self.pool.or([seen, b]);
            return Ok(self.then(holds, memory.flag, ever));
        };
        let passed = self.passed(bound, memory);
        let recent = self.pool.and([seen, self.pool.not(self.beyond(passed, bound, false))]);
        let holds = self.pool.implies(a, recent);
        let zero = self.pool.bv(0, COUNTER);
        let (b, passed) = (self.keep(b), self.keep(passed));
        let ever = self.pool.or([seen, b]);
        let holds = self.then(holds, memory.flag, ever);
        let next = self.pool.ite(b, zero, passed);
        Ok(self.then(holds, memory.passed, next))
    }

    /// Where a holds, b does within the bound: of so many cycles in all, or until so much time has passed.
    fn response(
        &mut self,
        a: Option<&'a Expr>,
        b: &'a Expr,
        bound: Bound,
        memory: Memory,
    ) -> Result<Term> {
        let trigger = self.trigger(a)?;
        let response = self.required(b)?;
        let (trigger, response) = (self.keep(trigger), self.keep(response));
        let waits = self.remembered(memory.flag);
        let passed = self.passed(bound, memory);
        // At the end where it begins, one cycle has passed, and no time.
        let first = self.pool.bv(u64::from(matches!(bound, Bound::Cycles(_))), COUNTER);
        let passed = self.pool.ite(waits, passed, first);
        let unanswered = self.pool.not(response);
        let late = match bound {
            Bound::Cycles(_) => self.pool.and([self.beyond(passed, bound, true), unanswered]),
            Bound::Time(_) => self.beyond(passed, bound, false),
        };
        let open = self.pool.or([waits, trigger]);
        let holds = self.pool.not(self.pool.and([open, late]));
        let still = self.keep(self.pool.and([open, unanswered]));
        self.passing(holds, memory, (still, passed), bound)
    }

    /// Where a has held for so long, b holds. Of cycles, those at whose ends it holds are counted.
    fn held(&mut self, a: &'a Expr, bound: Bound, b: &'a Expr, memory: Memory) -> Result<Term> {
        let (a, b) = (self.required(a)?, self.required(b)?);
        let a = self.keep(a);
        let before = self.remembered(memory.flag);
        let passed = self.passed(bound, memory);
        let first = self.pool.bv(u64::from(matches!(bound, Bound::Cycles(_))), COUNTER);
        let passed = self.pool.ite(before, passed, first);
        let premise = self.pool.and([a, self.beyond(passed, bound, true)]);
        let holds = self.pool.implies(premise, b);
        self.passing(holds, memory, (a, passed), bound)
    }

    /// Remembers whether something goes on, and how much has passed since it began: nothing if it does not,
    /// and no more than just beyond the bound. So it goes as a timer does that waits as long, which proofs
    /// find by themselves.
    fn passing(
        &mut self,
        holds: Term,
        memory: Memory,
        (goes_on, passed): (Term, Term),
        bound: Bound,
    ) -> Result<Term> {
        let passed = match bound {
            Bound::Cycles(_) => passed,
            Bound::Time(most) => {
                let most = self.pool.bv(most + u64::from(memory.beyond), COUNTER);
                self.pool.ite(self.pool.bv_ult(passed, most), passed, most)
            }
        };
        let zero = self.pool.bv(0, COUNTER);
        let next = self.pool.ite(goes_on, passed, zero);
        let next = self.keep(next);
        let holds = self.then(holds, memory.flag, goes_on);
        Ok(self.then(holds, memory.passed, next))
    }

    /// A response that has to come some time.
    fn awaits(
        &mut self,
        requirement: &Requirement,
        trigger: Option<&'a Expr>,
        response: &'a Expr,
        memory: Memory,
    ) -> Result<()> {
        let trigger = self.trigger(trigger)?;
        let response = self.required(response)?;
        let open = self.pool.or([self.remembered(memory.flag), trigger]);
        let waits = self.pool.and([open, self.pool.not(response)]);
        let Some(register) = memory.flag else { return Ok(()) };
        self.assign(register, waits);
        let (span, place) = (self.span, requirement.place.clone());
        self.awaited.push(Awaited { waits: register, span, place });
        Ok(())
    }

    /// What begins the wait for a response; none for every cycle.
    fn trigger(&mut self, expr: Option<&'a Expr>) -> Result<Term> {
        match expr {
            Some(expr) => self.required(expr),
            None => Ok(self.pool.tru()),
        }
    }

    fn remembered(&self, flag: Option<VariableId>) -> Term {
        flag.map_or(self.pool.fls(), |register| self.term_of(register))
    }

    /// An expression of a requirement as a condition, without checks of its own.
    fn required(&mut self, expr: &'a Expr) -> Result<Term> {
        self.quiet += 1;
        let value = self.expression(expr);
        let holds = value.and_then(|value| self.coerce(value, &Type::Bool));
        self.quiet -= 1;
        holds
    }
}
