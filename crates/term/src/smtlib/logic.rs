//! What the name of a logic says: which theories there are, and whether `1` is an Int or a Real.
//!
//! Cairn reads every theory under every logic; the name matters for two things only. In a logic
//! with reals and without integers a numeral is a Real. And a script may use the names of
//! theories that its logic does not have for symbols of its own.

/// A theory of SMT-LIB, as the home of operator names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Theory {
    Core,
    /// `Ints`, `Reals` and `Reals_Ints`.
    Arithmetic,
    BitVectors,
    FloatingPoint,
    Arrays,
    /// Names that solvers add to the standard; a script may redefine them.
    Extension,
}

/// The theories of a logic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Logic {
    ints: bool,
    reals: bool,
    bit_vectors: bool,
    floats: bool,
    arrays: bool,
}

impl Logic {
    /// Everything, as in `ALL`.
    pub(super) const ALL: Logic =
        Logic { ints: true, reals: true, bit_vectors: true, floats: true, arrays: true };

    /// The logic with this name; one that is not put together from the usual parts has all
    /// theories.
    pub(super) fn named(name: &str) -> Logic {
        let mut logic =
            Logic { ints: false, reals: false, bit_vectors: false, floats: false, arrays: false };
        let mut rest = name.strip_prefix("QF_").unwrap_or(name);
        if rest.is_empty() {
            return Logic::ALL;
        }
        while !rest.is_empty() {
            let Some(part) = PARTS.iter().find(|part| rest.starts_with(**part)) else {
                return Logic::ALL;
            };
            match *part {
                "AX" | "A" => logic.arrays = true,
                "BV" => logic.bit_vectors = true,
                "FP" => logic.floats = true,
                "LIRA" | "NIRA" => (logic.ints, logic.reals) = (true, true),
                "LIA" | "NIA" | "IDL" => logic.ints = true,
                "LRA" | "NRA" | "RDL" => logic.reals = true,
                _ => {}
            }
            rest = &rest[part.len()..];
        }
        logic
    }

    /// Whether a numeral is a Real.
    pub(super) fn numerals_are_real(self) -> bool {
        self.reals && !self.ints
    }

    /// Whether the names of a theory are taken.
    pub(super) fn has(self, theory: Theory) -> bool {
        match theory {
            Theory::Core => true,
            Theory::Arithmetic => self.ints || self.reals,
            Theory::BitVectors => self.bit_vectors,
            Theory::FloatingPoint => self.floats,
            Theory::Arrays => self.arrays,
            Theory::Extension => false,
        }
    }
}

/// The parts of names, longer ones before their prefixes.
const PARTS: &[&str] =
    &["LIRA", "NIRA", "LIA", "NIA", "IDL", "LRA", "NRA", "RDL", "AX", "A", "UF", "BV", "FP", "DT"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_theories() {
        let real = |name| Logic::named(name).numerals_are_real();
        for name in ["QF_LRA", "LRA", "QF_UFNRA", "QF_RDL", "QF_BVFPLRA", "QF_AUFLRA"] {
            assert!(real(name), "{name}");
        }
        for name in ["QF_LIA", "QF_LIRA", "ALL", "HORN", "QF_BV", "AUFNIRA", "QF_", "QF_S", ""] {
            assert!(!real(name), "{name}");
        }
        assert!(Logic::named("QF_ABVFP").has(Theory::Arrays));
        assert!(!Logic::named("QF_ABVFP").has(Theory::Arithmetic));
        assert!(!Logic::named("QF_BV").has(Theory::FloatingPoint));
        assert_eq!(Logic::named("HORN"), Logic::ALL);
    }
}
