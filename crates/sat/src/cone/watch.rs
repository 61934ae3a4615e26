//! Watches: for each literal, what to look at when it becomes false.
//!
//! A watch is eight bytes. Clauses of two and three literals lie in the watches themselves, so
//! that gates, which are made of such clauses, propagate without touching the arena and never
//! move a watch:
//!
//! * *binary*: the other literal;
//! * *ternary*: the two other literals (the clause is in the lists of all three);
//! * *clause*: a reference and a *blocker*, some literal of the clause whose truth makes it
//!   unnecessary to look at the clause.
//!
//! The same form serves as a list of clauses to be satisfied (see `justify.rs`).

use super::clause::ClauseRef;
use super::literal::Literal;

const CLAUSE: u32 = 0;
const BINARY: u32 = 1;
const TERNARY: u32 = 2;

/// One entry of a watch list; see the module's head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Watch {
    /// The blocker, or the first of the other literals.
    pub blocker: Literal,
    tagged: u32,
}

/// A [`Watch`] taken apart.
pub(super) enum Target {
    Clause(ClauseRef),
    Binary,
    Ternary(Literal),
}

impl Watch {
    #[inline]
    pub fn clause(clause: ClauseRef, blocker: Literal) -> Self {
        Watch { blocker, tagged: clause.0 << 2 | CLAUSE }
    }

    #[inline]
    pub fn binary(other: Literal) -> Self {
        Watch { blocker: other, tagged: BINARY }
    }

    #[inline]
    pub fn ternary(a: Literal, b: Literal) -> Self {
        Watch { blocker: a, tagged: b.0 << 2 | TERNARY }
    }

    /// Whether this is a watch of the clause.
    pub fn is_of(self, clause: ClauseRef) -> bool {
        self.tagged == clause.0 << 2 | CLAUSE
    }

    #[inline]
    pub fn target(self) -> Target {
        match self.tagged & 3 {
            CLAUSE => Target::Clause(ClauseRef(self.tagged >> 2)),
            BINARY => Target::Binary,
            _ => Target::Ternary(Literal(self.tagged >> 2)),
        }
    }
}
