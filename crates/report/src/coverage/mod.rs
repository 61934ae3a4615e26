//! What is known of structural coverage: a table for reading, and a document.

pub mod document;
pub mod text;
