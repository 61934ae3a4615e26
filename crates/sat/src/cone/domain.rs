//! Definitions and domains: which variables a question has to look at.
//!
//! The *domain* of a question is closed under fan-in. It is the union of the *permanent* domain
//! (all variables of clauses added for good, with their fan-in) and a *local* part (the variables
//! of the assumptions and of the temporary clause, with their fan-in). The head of `cone.rs`
//! gives the argument why the rest of the formula can be ignored.
//!
//! Whether a variable is inside is kept in its value (see `assignment.rs`). The permanent
//! domain stays inside between questions; the local part is entered and left. Entering stops at
//! variables that are fixed at level 0: a fixed variable outside of the permanent domain has its
//! value in every model, however its fan-in is assigned.

use super::assignment::{Assignment, TRUE};
use super::literal::{Literal, VarIndex};
use super::watch::{Target, Watch};

/// A range of a flat array.
#[derive(Clone, Copy, Default)]
struct Span {
    start: u32,
    len: u32,
}

impl Span {
    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// A variable's fan-in: up to two variables in place, or a range of `wide_fanin`.
#[derive(Clone, Copy)]
struct Fanin(u32, u32);

impl Fanin {
    const NONE: Fanin = Fanin(u32::MAX, 0);
    /// Set in the first word of a range. Variable indices are smaller.
    const WIDE: u32 = 1 << 31;

    fn new(vars: &[VarIndex], wide: &mut Vec<VarIndex>) -> Self {
        match *vars {
            [] => Fanin::NONE,
            [a] => Fanin(a, a),
            [a, b] => Fanin(a, b),
            _ => {
                let start = wide.len() as u32;
                assert!(start < Self::WIDE - 1, "too many fan-ins");
                wide.extend_from_slice(vars);
                Fanin(start | Self::WIDE, vars.len() as u32)
            }
        }
    }

    #[inline]
    fn is_pair(self) -> bool {
        self.0 & Self::WIDE == 0
    }

    /// Where not a pair.
    fn range(self) -> std::ops::Range<usize> {
        let start = (self.0 & !Self::WIDE) as usize;
        start..start + self.1 as usize
    }
}

/// What is known of a variable's role in the formula.
#[derive(Clone, Copy, Default)]
struct Role {
    defined: bool,
    permanent: bool,
    mentioned: bool,
}

/// Definitions and the current domain.
#[derive(Clone, Default)]
pub(super) struct Domain {
    roles: Vec<Role>,
    fanin: Vec<Fanin>,
    wide_fanin: Vec<VarIndex>,
    support_spans: Vec<Span>,
    support: Vec<Watch>,
    /// A bit for each literal: clear where its support is empty.
    supported: Vec<u64>,
    permanent: Vec<VarIndex>,
    local: Vec<VarIndex>,
}

impl Domain {
    pub fn new_var(&mut self) {
        self.roles.push(Role::default());
        self.fanin.push(Fanin::NONE);
        self.support_spans.extend([Span::default(); 2]);
        self.supported.resize(self.support_spans.len().div_ceil(64), 0);
    }

    /// How many variables are inside. Fixed ones may be counted.
    pub fn size(&self) -> usize {
        self.permanent.len() + self.local.len()
    }

    /// The variables inside. Fixed ones may be among them.
    pub fn variables(&self) -> impl Iterator<Item = VarIndex> + '_ {
        self.permanent.iter().chain(&self.local).copied()
    }

    pub fn is_permanent(&self, var: VarIndex) -> bool {
        self.roles[var as usize].permanent
    }

    /// Notes that a clause or a fan-in mentions the variable.
    pub fn mention(&mut self, var: VarIndex) {
        self.roles[var as usize].mentioned = true;
    }

    /// Whether the variable can still be defined: nothing has mentioned it.
    pub fn is_definable(&self, var: VarIndex) -> bool {
        let role = self.roles[var as usize];
        !role.defined && !role.mentioned && !role.permanent
    }

    /// Records the definition of `out`.
    ///
    /// `support[0]` and `support[1]` are those clauses of more than two literals that contain the
    /// positive and the negative literal of `out`, as watches of that literal.
    pub fn define(&mut self, out: VarIndex, fanin: &[VarIndex], support: [&[Watch]; 2]) {
        debug_assert!(self.is_definable(out));
        fanin.iter().for_each(|&var| self.mention(var));
        self.fanin[out as usize] = Fanin::new(fanin, &mut self.wide_fanin);
        for (sign, watches) in support.into_iter().enumerate() {
            let span = Span { start: self.support.len() as u32, len: watches.len() as u32 };
            let code = 2 * out as usize + sign;
            self.support_spans[code] = span;
            self.support.extend_from_slice(watches);
            self.supported[code / 64] |= u64::from(span.len > 0) << (code % 64);
        }
        self.roles[out as usize].defined = true;
        self.mention(out);
    }

    /// The clauses of the definition of the literal's variable that contain the literal and need
    /// more than propagation to be satisfied where the literal is false.
    #[inline]
    pub fn support(&self, literal: Literal) -> &[Watch] {
        let code = literal.code();
        if self.supported[code / 64] >> (code % 64) & 1 == 0 {
            return &[];
        }
        &self.support[self.support_spans[code].range()]
    }

    /// Replaces the watches in the supports by what `change` makes of them. `None` drops one.
    pub fn change_support(&mut self, mut change: impl FnMut(Watch) -> Option<Watch>) {
        let mut fresh = Vec::with_capacity(self.support.len());
        for span in &mut self.support_spans {
            let start = fresh.len();
            fresh.extend(self.support[span.range()].iter().filter_map(|&w| change(w)));
            *span = Span { start: start as u32, len: (fresh.len() - start) as u32 };
        }
        self.support = fresh;
    }

    /// Drops from the supports the ternary clauses that the facts have decided or shortened:
    /// propagation alone takes care of them.
    pub fn simplify_support(&mut self, assignment: &Assignment) {
        self.change_support(|watch| match watch.target() {
            Target::Ternary(other) => {
                (assignment.is_open(watch.blocker) && assignment.is_open(other)).then_some(watch)
            }
            _ => (assignment.value(watch.blocker) != TRUE).then_some(watch),
        });
    }

    /// Enters variables into the permanent domain, with their fan-in.
    /// Requires: the local domain is empty.
    pub fn enter_permanent(&mut self, assignment: &mut Assignment, literal: Literal) {
        debug_assert!(self.local.is_empty());
        let mut next = self.permanent.len();
        self.push_permanent(assignment, literal.var());
        while next < self.permanent.len() {
            let fanin = self.fanin[self.permanent[next] as usize];
            next += 1;
            if fanin.is_pair() {
                self.push_permanent(assignment, fanin.0);
                self.push_permanent(assignment, fanin.1);
            } else {
                for at in fanin.range() {
                    self.push_permanent(assignment, self.wide_fanin[at]);
                }
            }
        }
    }

    fn push_permanent(&mut self, assignment: &mut Assignment, var: VarIndex) {
        let role = &mut self.roles[var as usize];
        if !role.permanent && assignment.is_open(Literal::positive(var)) {
            role.permanent = true;
            assignment.set_inside(var, true);
            self.permanent.push(var);
        }
    }

    /// Whether the literal's variable is inside, or fixed.
    #[inline]
    pub fn contains(assignment: &Assignment, literal: Literal) -> bool {
        assignment.value(literal) != super::assignment::OUTSIDE
    }

    /// Enters the literals' variables into the local domain, with their fan-in.
    pub fn enter(&mut self, assignment: &mut Assignment, literals: impl Iterator<Item = Literal>) {
        let mut next = self.local.len();
        for literal in literals {
            self.push_local(assignment, literal.var());
        }
        while next < self.local.len() {
            let fanin = self.fanin[self.local[next] as usize];
            next += 1;
            if fanin.is_pair() {
                self.push_local(assignment, fanin.0);
                self.push_local(assignment, fanin.1);
            } else {
                for at in fanin.range() {
                    self.push_local(assignment, self.wide_fanin[at]);
                }
            }
        }
    }

    #[inline]
    fn push_local(&mut self, assignment: &mut Assignment, var: VarIndex) {
        if !Self::contains(assignment, Literal::positive(var)) {
            assignment.set_inside(var, true);
            self.local.push(var);
        }
    }

    /// Leaves the local domain.
    /// Requires: nothing is assigned above level 0.
    pub fn leave(&mut self, assignment: &mut Assignment) {
        for var in self.local.drain(..) {
            if assignment.is_open(Literal::positive(var)) {
                assignment.set_inside(var, false);
            }
        }
    }
}
