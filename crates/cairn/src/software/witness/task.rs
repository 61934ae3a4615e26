//! The task that a witness is about: the program's text, the data model, the property.

use super::super::property;
use crate::options::{CProgram, DataModel, Validate};
use program::Property;
use program::minimize::Pass;
use report::witness::{Task, sha256};
use std::collections::BTreeSet;
use std::path::Path;

/// How the program is read: as the command line says, and where it says nothing, as the witness
/// does. The files must be those that the witness is about.
pub fn program_options(arguments: &Validate, task: &Task) -> Result<CProgram, String> {
    for file in &arguments.files {
        check_hash(file, task, arguments.files.len())?;
    }
    let stated = match task.data_model.as_str() {
        "LP64" => Ok(DataModel::Lp64),
        "ILP32" => Ok(DataModel::Ilp32),
        other => Err(format!("{}: no data model: {other}", arguments.witness.display())),
    };
    Ok(CProgram {
        property: arguments.property.clone(),
        data_model: arguments.data_model.map_or(stated, Ok)?,
        entry: arguments.entry.clone(),
        error_label: arguments.error_label.clone(),
        cone: false,
        // What a witness says of the program's way must stay in the model.
        without_pass: vec![Pass::Cone],
    })
}

/// The properties: those named, or those of the witness.
pub fn properties(named: &[String], task: &Task) -> Result<BTreeSet<Property>, String> {
    if named.is_empty() {
        return Ok(property::parse_file("specification", &task.specification)?
            .into_iter()
            .collect());
    }
    property::parse(named)
}

/// The file's sum must be the one that the witness states, if it states one.
fn check_hash(file: &Path, task: &Task, files: usize) -> Result<(), String> {
    let name = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
    let mut hashes = task.input_file_hashes.iter();
    let only = files == 1 && task.input_file_hashes.len() == 1;
    let here = name(&file.display().to_string());
    let stated = hashes.find(|(path, _)| only || name(path) == here).map(|(_, hash)| hash);
    let Some(stated) = stated.filter(|hash| !hash.is_empty()) else { return Ok(()) };
    let shown = file.display();
    let bytes = std::fs::read(file).map_err(|error| format!("{shown}: {error}"))?;
    let found = sha256(&bytes);
    if !stated.eq_ignore_ascii_case(&found) {
        return Err(format!(
            "{shown}: the witness is about another text: its SHA-256 sum is {stated}, that of the \
             file is {found}"
        ));
    }
    Ok(())
}
