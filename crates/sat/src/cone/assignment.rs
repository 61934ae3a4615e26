//! The current assignment: values, the trail, decision levels, and why each literal is true.
//!
//! There are four values. Besides true, false and unassigned a literal can be *outside* of the
//! question's domain: it is not assigned and will not be. Keeping this in the value itself costs
//! the inner loop nothing: one look at a literal tells that a clause need not be visited, because
//! it is satisfied or because it reaches out of the domain.
//!
//! Level 0 holds the facts, level 1 the assumptions of the current question, all of them in one
//! level; the levels from 2 on hold one decision each. A fact found during a question is put on
//! the trail at level 1 but bears level 0, so that conflict analysis drops it as it drops every
//! fact; the search notes it and asserts it again at level 0 when the question has ended.

use super::clause::ClauseRef;
use super::literal::Literal;

/// A literal's value.
pub(super) type Value = u8;
/// Not assigned, but may be.
pub(super) const UNASSIGNED: Value = 0;
/// Not assigned and not to be assigned: the variable is outside of the question's domain.
pub(super) const OUTSIDE: Value = 1;
/// The literal is false.
pub(super) const FALSE: Value = 2;
/// The literal is true.
pub(super) const TRUE: Value = 3;

/// Whether a clause with a literal of this value can be left alone during a question.
#[inline]
pub(super) fn blocks(value: Value) -> bool {
    value & 1 == 1
}

/// Why a literal is true. The literals named are the clause's other literals, all false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    /// Chosen by the search.
    Decision,
    /// Assumed by the question.
    Assumption,
    /// The temporary clause is this literal, or the literal was derived as a unit.
    Unit,
    /// The other literal of a binary clause.
    Binary(Literal),
    /// The other two literals of a ternary clause.
    Ternary(Literal, Literal),
    /// A clause of the arena, in which the literal is the first.
    Clause(ClauseRef),
}

/// A clause all of whose literals are false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conflict {
    Binary(Literal, Literal),
    Ternary(Literal, Literal, Literal),
    Clause(ClauseRef),
}

#[derive(Clone, Copy)]
struct VarState {
    level: u32,
    reason: Reason,
}

/// Where a decision level begins, and how far justification had come (see `justify.rs`).
#[derive(Clone, Copy, Default)]
pub(super) struct LevelStart {
    trail: usize,
    /// What comes before these positions is justified by the lower levels.
    pub progress: Progress,
}

/// How much of the trail and of the required clauses is known to be justified.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Progress {
    /// Position on the trail.
    pub trail: usize,
    /// Position in the list of required clauses.
    pub required: usize,
}

/// The assignment.
#[derive(Clone, Default)]
pub(super) struct Assignment {
    values: Vec<Value>,
    vars: Vec<VarState>,
    /// The true literals in the order of their assignment.
    pub trail: Vec<Literal>,
    /// The next literal on the trail to propagate.
    pub head: usize,
    levels: Vec<LevelStart>,
    /// The last value of each variable: true where the bit is set.
    phases: Vec<bool>,
}

impl Assignment {
    /// A new variable, outside of any domain.
    pub fn new_var(&mut self) {
        self.values.extend([OUTSIDE; 2]);
        self.vars.push(VarState { level: 0, reason: Reason::Unit });
        self.phases.push(false);
    }

    pub fn var_count(&self) -> usize {
        self.vars.len()
    }

    #[inline]
    pub fn value(&self, literal: Literal) -> Value {
        self.values[literal.code()]
    }

    /// The values of all literals.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    #[inline]
    pub fn is_true(&self, literal: Literal) -> bool {
        self.value(literal) == TRUE
    }

    #[inline]
    pub fn is_false(&self, literal: Literal) -> bool {
        self.value(literal) == FALSE
    }

    /// Whether the literal has no truth value, inside or outside of the domain.
    #[inline]
    pub fn is_open(&self, literal: Literal) -> bool {
        self.value(literal) <= OUTSIDE
    }

    /// Moves an unassigned variable into the domain or out of it.
    #[inline]
    pub fn set_inside(&mut self, var: u32, inside: bool) {
        let value = if inside { UNASSIGNED } else { OUTSIDE };
        let code = (var as usize) << 1;
        debug_assert!(self.values[code] <= OUTSIDE);
        self.values[code] = value;
        self.values[code + 1] = value;
    }

    #[inline]
    pub fn level(&self) -> u32 {
        self.levels.len() as u32
    }

    #[inline]
    pub fn level_of(&self, literal: Literal) -> u32 {
        self.vars[literal.slot()].level
    }

    #[inline]
    pub fn reason_of(&self, literal: Literal) -> Reason {
        self.vars[literal.slot()].reason
    }

    pub fn set_reason(&mut self, literal: Literal, reason: Reason) {
        self.vars[literal.slot()].reason = reason;
    }

    /// Opens the next decision level.
    pub fn open_level(&mut self, progress: Progress) {
        self.levels.push(LevelStart { trail: self.trail.len(), progress });
    }

    /// Where a level from 1 on begins on the trail.
    pub fn level_start(&self, level: u32) -> usize {
        self.levels[level as usize - 1].trail
    }

    /// The justification known when a level from 1 on was opened.
    pub fn level_progress(&self, level: u32) -> Progress {
        self.levels[level as usize - 1].progress
    }

    /// Makes an unassigned literal true at the current level.
    #[inline]
    pub fn assign(&mut self, literal: Literal, reason: Reason) {
        let level = self.level();
        self.assign_at(literal, reason, level);
    }

    /// Makes an unassigned literal true, stating the level it bears.
    #[inline]
    pub fn assign_at(&mut self, literal: Literal, reason: Reason, level: u32) {
        debug_assert!(self.is_open(literal));
        self.values[literal.code()] = TRUE;
        self.values[(!literal).code()] = FALSE;
        self.vars[literal.slot()] = VarState { level, reason };
        self.trail.push(literal);
    }

    /// The saved phase of a literal's variable agrees with the literal.
    #[inline]
    pub fn phase_agrees(&self, literal: Literal) -> bool {
        self.phases[literal.slot()] != literal.is_negated()
    }

    /// Saves a phase: the literal is what the variable should next be.
    pub fn set_phase(&mut self, literal: Literal) {
        self.phases[literal.slot()] = !literal.is_negated();
    }

    /// The literal of a variable that the saved phase makes true.
    pub fn preferred(&self, var: u32) -> Literal {
        let positive = Literal::positive(var);
        if self.phases[var as usize] { positive } else { !positive }
    }

    /// Undoes all levels above `level`, telling `undone` each literal.
    #[inline]
    pub fn backtrack(&mut self, level: u32, mut undone: impl FnMut(Literal)) {
        if self.level() <= level {
            return;
        }
        let start = self.levels[level as usize].trail;
        for &literal in &self.trail[start..] {
            self.values[literal.code()] = UNASSIGNED;
            self.values[(!literal).code()] = UNASSIGNED;
            self.phases[literal.slot()] = !literal.is_negated();
            undone(literal);
        }
        self.trail.truncate(start);
        self.levels.truncate(level as usize);
        self.head = self.head.min(start);
    }
}
