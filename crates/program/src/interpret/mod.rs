//! The interpreter of programs.

pub mod layout;
