//! Structural coverage of programs: goals with test vectors or proofs.
