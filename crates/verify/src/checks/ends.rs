//! Where runs may end before a property is decided.
//!
//! What comes after undefined behaviour means nothing, so a proof of a property is one for the runs that
//! have none. Whoever asks about some properties only is told what the proof rests on: the checks of all
//! other kinds that were not shown to hold, found out after the answer by the same questions that a table
//! of all checks takes. Those that a run is known to fail are told one by one, the others kind by kind.

use super::{Asking, afterwards};
use crate::code::Setup;
use crate::failure::Failure;
use crate::listener::{Listener, Quiet};
use crate::outcome::{Checked, Status};
use crate::question::Goals;
use crate::record::Record;
use crate::task::{Code, Reading, Undefined};
use program::program::Assumption;
use program::{Place, Property};
use std::collections::{BTreeMap, BTreeSet};

/// Notes what the proof of a program's properties assumes of undefined behaviour.
pub(crate) fn note(
    code: &Code,
    reading: &Reading,
    setup: Setup<'_>,
    record: &mut Record,
    listener: &mut dyn Listener,
) -> Result<(), Failure> {
    let assumptions = match reading.undefined {
        Undefined::Checked => Vec::new(),
        Undefined::Named => named(code, &reading.watched(), setup, listener)?,
        Undefined::Assumed => {
            let text = "what comes after undefined behaviour does not count".to_owned();
            vec![Assumption { text, place: Place::default() }]
        }
    };
    record.assume_each(assumptions, listener);
    Ok(())
}

/// The checks that were not shown to hold, in words.
fn named(
    code: &Code,
    watched: &BTreeSet<Property>,
    setup: Setup<'_>,
    listener: &mut dyn Listener,
) -> Result<Vec<Assumption>, Failure> {
    let budget = afterwards(setup.budget);
    let settings = crate::question::Settings {
        goals: Goals::Each { only: None, stop: false },
        ..setup.settings.clone()
    };
    let setup = Setup { settings: &settings, budget: &budget, ..setup };
    let mut record = Record::default();
    let mut asking = Asking::new(&code.program, watched, setup, &mut record);
    asking.ask_all(&mut Quiet(listener))?;
    let (_, table) = asking.answers();
    Ok(in_words(&table))
}

/// What fails, and then what may fail.
fn in_words(table: &[Checked]) -> Vec<Assumption> {
    let mut words = Vec::new();
    let mut open: BTreeMap<Property, Vec<&Place>> = BTreeMap::new();
    for row in table {
        let (place, property) = (&row.check.place, row.check.property);
        match row.status {
            Status::Unsafe => {
                let text =
                    format!("runs that violate {property} here do not count; there are some");
                words.push(Assumption { text, place: place.clone() });
            }
            Status::Unknown(_) => open.entry(property).or_default().push(place),
            Status::Unreachable | Status::Safe => {}
        }
    }
    for (property, places) in open {
        let others: Vec<String> = places[1..].iter().map(|place| place.to_string()).collect();
        let others = match &others[..] {
            [] => String::new(),
            others => format!(", nor at {}", others.join(", ")),
        };
        let text = format!("no run violates {property} here{others}");
        words.push(Assumption { text, place: places[0].clone() });
    }
    words
}
