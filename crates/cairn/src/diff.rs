//! `cairn diff`: two versions of a program.

use crate::exit::Exit;
use crate::options::{Diff, Tables};
use crate::output::complain;
use crate::revision::Version;
use crate::{check, equivalence};

/// Compares versions, or verifies the new one from what is known of the old one.
pub fn run(arguments: &Diff, tables: Tables) -> Exit {
    match versions(arguments) {
        Ok(versions) if arguments.equivalence => equivalence::run(&versions, arguments),
        Ok([old, new]) => check::run_version(&old, &new, &arguments.asking, tables),
        Err(message) => {
            complain(&message);
            Exit::Input
        }
    }
}

/// The old and the new version; the error is a message.
fn versions(arguments: &Diff) -> Result<[Version; 2], String> {
    match (&arguments.since, &arguments.new) {
        (Some(revision), _) => Version::since(revision, &arguments.old),
        (None, Some(new)) => Ok([Version::named(&arguments.old)?, Version::named(new)?]),
        (None, None) => Err("there is no version to compare with".to_owned()),
    }
}
