//! All languages. A new one is a file here and a row of the table.

mod aiger;
mod btor2;
mod c;
mod chc;
mod ivl;
pub mod st;

pub use aiger::Aiger;
pub use btor2::Btor2;
pub use c::C;
pub use chc::Chc;
pub use ivl::Ivl;
pub use st::StructuredText;

use crate::language::Language;

/// The table: by these names and endings files are read.
pub static LANGUAGES: &[&dyn Language] = &[&C, &StructuredText, &Ivl, &Aiger, &Btor2, &Chc];
