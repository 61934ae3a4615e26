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
    fanin_spans: Vec<Span>,
    fanin: Vec<VarIndex>,
    support_spans: Vec<Span>,
    support: Vec<Watch>,
    permanent: Vec<VarIndex>,
    local: Vec<VarIndex>,
}

impl Domain {
    pub fn new_var(&mut self) {
        self.roles.push(Role::default());
        self.fanin_spans.push(Span::default());
        self.support_spans.extend([Span::default(); 2]);
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
    pub fn define(
        &mut self,
        out: VarIndex,
        fanin: impl Iterator<Item = VarIndex>,
        support: [&[Watch]; 2],
    ) {
        debug_assert!(self.is_definable(out));
        let start = self.fanin.len();
        for var in fanin {
            self.fanin.push(var);
            self.mention(var);
        }
        self.fanin_spans[out as usize] =
            Span { start: start as u32, len: (self.fanin.len() - start) as u32 };
        for (sign, watches) in support.into_iter().enumerate() {
            let span = Span { start: self.support.len() as u32, len: watches.len() as u32 };
            self.support_spans[2 * out as usize + sign] = span;
            self.support.extend_from_slice(watches);
        }
        self.roles[out as usize].defined = true;
        self.mention(out);
    }

    /// The clauses of the definition of the literal's variable that contain the literal and need
    /// more than propagation to be satisfied where the literal is false.
    #[inline]
    pub fn support(&self, literal: Literal) -> &[Watch] {
        &self.support[self.support_spans[literal.code()].range()]
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
            for at in self.fanin_spans[self.permanent[next] as usize].range() {
                self.push_permanent(assignment, self.fanin[at]);
            }
            next += 1;
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
            for at in self.fanin_spans[self.local[next] as usize].range() {
                self.push_local(assignment, self.fanin[at]);
            }
            next += 1;
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
