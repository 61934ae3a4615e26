//! What undefined behaviour is taken for, and what is assumed of the world around a program, as it is
//! typed.

use clap::{Args, ValueEnum};
use program::Property;
use verify::property::is_file;
use verify::task::{LibmError, World as Around};

/// What undefined behaviour is taken for, and what is assumed.
#[derive(Args, Clone, Default)]
pub struct World {
    /// What undefined behaviour is: a violation (check), or the end of what counts of a run, where a
    /// proof names the places that it could not exclude (assume). Without it: check if --property
    /// is not given, otherwise assume; a property file means that nothing is named
    #[arg(long, value_enum)]
    pub undefined: Option<Undefined>,

    /// What is assumed of the world around a program
    #[command(flatten)]
    pub assumed: Assumed,
}

/// What undefined behaviour is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Undefined {
    /// A violation, wherever it is
    Check,
    /// The end of what counts of a run, unless --property asks for it
    Assume,
}

impl World {
    /// What undefined behaviour is taken for where these properties are asked about.
    pub fn undefined(&self, properties: &[String]) -> verify::Undefined {
        // A property file stands for its community's assumptions; dead code is no property of runs.
        let dead = Property::DeadCode.name();
        let unnamed = properties.iter().any(|property| is_file(property) || property == dead);
        match self.undefined {
            Some(Undefined::Check) => verify::Undefined::Checked,
            _ if unnamed => verify::Undefined::Assumed,
            Some(Undefined::Assume) => verify::Undefined::Named,
            None if properties.is_empty() => verify::Undefined::Checked,
            None => verify::Undefined::Named,
        }
    }
}

/// What is assumed of the world around a program. What is not said is as C has it; with an SV-COMP
/// property file, as that community has it.
#[derive(Args, Clone, Default)]
pub struct Assumed {
    /// Whether malloc and its like may return null; they may, except with a property file
    #[arg(long, value_enum)]
    pub malloc: Option<Malloc>,

    /// What reads of volatile objects give: any value, or what was written last; any value, except
    /// with a property file
    #[arg(long, value_enum)]
    pub volatile: Option<Volatile>,

    /// What functions without a body change: what their arguments point to and variables that they
    /// can name, or nothing; the former, except with a property file
    #[arg(long, value_enum)]
    pub missing: Option<Missing>,

    /// How far results of sin, exp, pow and the like may be from the correctly rounded ones, in units
    /// in the last place; 4, which C libraries for hosted systems keep
    #[arg(long, value_name = "ULPS", value_parser = clap::value_parser!(u32).range(..=i64::from(LibmError::GREATEST)))]
    pub libm_error: Option<u32>,
}

/// Whether allocation succeeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Malloc {
    /// It may give null
    MayFail,
    /// It never does
    NeverFails,
}

/// What reads of volatile objects give.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Volatile {
    /// Each read any value
    Unknown,
    /// What was written last
    Stable,
}

/// What functions without a body change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Missing {
    /// What their arguments point to, and variables that they can name
    Any,
    /// Nothing
    Pure,
}

impl Assumed {
    /// What is assumed, where what is not said is as SV-COMP has it, or as C has it.
    pub fn world(&self, sv_comp: bool) -> Around {
        let mut world = if sv_comp { Around::SV_COMP } else { Around::default() };
        if let Some(malloc) = self.malloc {
            world.malloc = malloc.into();
        }
        if let Some(volatile) = self.volatile {
            world.volatile = volatile.into();
        }
        if let Some(missing) = self.missing {
            world.missing = missing.into();
        }
        if let Some(error) = self.libm_error {
            world.libm_error = LibmError(error);
        }
        world
    }
}

impl From<Malloc> for verify::task::Malloc {
    fn from(malloc: Malloc) -> Self {
        match malloc {
            Malloc::MayFail => Self::MayFail,
            Malloc::NeverFails => Self::NeverFails,
        }
    }
}

impl From<Volatile> for verify::task::Volatile {
    fn from(volatile: Volatile) -> Self {
        match volatile {
            Volatile::Unknown => Self::Unknown,
            Volatile::Stable => Self::Stable,
        }
    }
}

impl From<Missing> for verify::task::Missing {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Any => Self::Any,
            Missing::Pure => Self::Pure,
        }
    }
}
