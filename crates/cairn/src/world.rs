//! What undefined behaviour is taken for, as it is typed.

use clap::{Args, ValueEnum};
use program::Property;
use verify::property::is_file;

/// What undefined behaviour is taken for.
#[derive(Args, Clone, Default)]
pub struct World {
    /// What undefined behaviour is: a violation (check), or the end of what counts of a run, where a
    /// proof names the places that it could not exclude (assume). Without it: check if --property
    /// is not given, otherwise assume; a property file means that nothing is named
    #[arg(long, value_enum)]
    pub undefined: Option<Undefined>,
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
