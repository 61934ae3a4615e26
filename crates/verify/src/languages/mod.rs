//! All languages. A new one is a file here and a row of the table.

mod aiger;
mod btor2;
mod c;
mod chc;
mod ivl;

pub use aiger::Aiger;
pub use btor2::Btor2;
pub use c::C;
pub use chc::Chc;
pub use ivl::Ivl;

use crate::language::Language;

/// The table: by these names and endings files are read.
pub static LANGUAGES: &[&dyn Language] = &[&C, &Ivl, &Aiger, &Btor2, &Chc];
