//! What is assumed of the world around a program, as the user chooses: whether memory runs out,
//! who changes `volatile` objects, what functions without a body do.

/// What is assumed of the world. By default nothing but what C says.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct World {
    /// Whether allocation succeeds.
    pub malloc: Malloc,
    /// What reads of `volatile` objects give.
    pub volatile: Volatile,
    /// What functions without a body change.
    pub missing: Missing,
    /// How exact the mathematical functions of the C library are.
    pub libm_error: LibmError,
}

impl World {
    /// What SV-COMP's verifiers assume.
    pub const SV_COMP: World = World {
        malloc: Malloc::NeverFails,
        volatile: Volatile::Ignored,
        missing: Missing::Pure,
        libm_error: LibmError::USUAL,
    };
}

/// How many numbers of the format results of `sin`, `exp` and the like are away from the correctly rounded
/// ones at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LibmError(pub u32);

impl LibmError {
    /// What is stated if nobody says otherwise; glibc documents less for all functions that are enclosed
    /// but its least exact ones.
    pub const USUAL: LibmError = LibmError(4);
    /// The greatest that can be stated: bounds leave room for errors of a hundredth.
    pub const GREATEST: u32 = 1 << 16;
}

impl Default for LibmError {
    fn default() -> Self {
        LibmError::USUAL
    }
}

/// Whether the C library's allocation functions succeed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Malloc {
    /// They may give null.
    #[default]
    MayFail,
    /// They never do, which is an assumption.
    NeverFails,
}

/// What reads of `volatile` objects give.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Volatile {
    /// Each read any value.
    #[default]
    Unknown,
    /// What was written last, which is an assumption.
    Stable,
    /// What was written last, as everybody there takes it: nothing is said.
    Ignored,
}

/// What functions without a body change.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Missing {
    /// What their arguments point to, and variables that they can name.
    #[default]
    Any,
    /// Nothing, which is an assumption.
    Pure,
    /// Who reads the program says it: calls of functions that have neither a body nor an exact model are
    /// kept as instructions, those that print among them.
    Kept,
}
