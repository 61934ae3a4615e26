//! Constrained Horn clauses.
