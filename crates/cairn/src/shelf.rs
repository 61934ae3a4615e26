//! `cairn store`: what is kept between runs, for people.

use crate::exit::Exit;
use crate::options::StoreVerb;
use crate::output::{complain, print};
use std::path::Path;
use store::{Filter, Kind, Settings, Store};

/// Does what was asked.
pub fn run(verb: &StoreVerb) -> Exit {
    match answer(verb) {
        Ok(exit) => exit,
        Err(message) => {
            complain(&message);
            Exit::Input
        }
    }
}

fn answer(verb: &StoreVerb) -> Result<Exit, String> {
    match verb {
        StoreVerb::List { folder, kind, about } => {
            let kind = kind.as_deref().map(str::parse::<Kind>).transpose();
            let kind = kind.map_err(|error| error.to_string())?;
            list(folder, &Filter { kind, about: about.clone(), ..Filter::default() })
        }
        StoreVerb::Show { folder, key } => show(folder, key),
        StoreVerb::Prune { folder, to } => prune(folder, to << 20),
        StoreVerb::Verify { folder } => verify(folder),
    }
}

/// A store that is there: none is made.
fn open(folder: &Path) -> Result<Store, String> {
    if !folder.join(store::FILE).exists() {
        return Err(format!("{}: there is no store in this folder", folder.display()));
    }
    let store = Store::open(folder, Settings::default()).map_err(|error| error.to_string())?;
    store.take_notices().iter().for_each(|notice| complain(&notice.to_string()));
    Ok(store)
}

fn list(folder: &Path, filter: &Filter) -> Result<Exit, String> {
    let entries = open(folder)?.list(filter).map_err(|error| error.to_string())?;
    for entry in &entries {
        let key = entry.key.to_string();
        print(&format!(
            "{:<9} {} {:>8}  {}",
            entry.kind.name(),
            &key[..12],
            entry.size,
            entry.about
        ));
    }
    print(&format!("{} documents", entries.len()));
    Ok(Exit::Success)
}

fn show(folder: &Path, key: &str) -> Result<Exit, String> {
    let store = open(folder)?;
    let filter = Filter { key: Some(key.to_owned()), ..Filter::default() };
    let entries = store.list(&filter).map_err(|error| error.to_string())?;
    let mut found = false;
    for entry in &entries {
        let document = store.get(entry.kind, &entry.key).map_err(|error| error.to_string())?;
        let Some(document) = document else { continue };
        found = true;
        print(&format!("{} {} {}", entry.kind.name(), entry.key, entry.about));
        print(&String::from_utf8_lossy(&document.bytes));
    }
    match found {
        true => Ok(Exit::Success),
        false => Err(format!("{}: no document has a key that begins so: {key}", folder.display())),
    }
}

fn prune(folder: &Path, to_bytes: u64) -> Result<Exit, String> {
    let pruned = open(folder)?.prune(to_bytes).map_err(|error| error.to_string())?;
    print(&format!("{} documents removed", pruned.documents));
    Ok(Exit::Success)
}

fn verify(folder: &Path) -> Result<Exit, String> {
    let faults = open(folder)?.verify().map_err(|error| error.to_string())?;
    faults.iter().for_each(|fault| print(&fault.to_string()));
    match faults.is_empty() {
        true => {
            print("no fault found");
            Ok(Exit::Success)
        }
        false => Ok(Exit::Input),
    }
}
