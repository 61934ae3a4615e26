//! Interpolation-based model checking \[McMillan 2003\].
