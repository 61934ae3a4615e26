//! Options by name, as a command line gives them: one table of settings for each engine.
//!
//! `O` is the engine's type of options. A setting can be read as well as set, so that help and
//! documentation take the default from the options themselves.

use thiserror::Error;

/// An option that can be set by name.
pub struct Setting<O> {
    /// Its name.
    pub name: &'static str,
    /// What it may be set to.
    pub values: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// Where the technique is from; empty for our own.
    pub source: &'static str,
    /// Its value in the given options, as it can be set.
    pub get: fn(&O) -> String,
    /// Sets it; nothing where it does not take the value.
    pub set: fn(&mut O, &str) -> Option<()>,
}

/// Why an option can't be set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SettingError {
    /// There is none of this name.
    #[error("no option is called {name:?}; there are {}", known.join(", "))]
    Name {
        /// What was given.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// It does not take this value.
    #[error("{name} takes {values}, and not {value:?}")]
    Value {
        /// The option's name.
        name: &'static str,
        /// What was given.
        value: String,
        /// What it takes.
        values: &'static str,
    },
    /// There is no `=`.
    #[error("expected NAME=VALUE instead of {0:?}")]
    Form(String),
}

/// Sets an option given as `NAME=VALUE`.
pub fn assign<O>(
    settings: &[Setting<O>],
    options: &mut O,
    assignment: &str,
) -> Result<(), SettingError> {
    let form = || SettingError::Form(assignment.to_owned());
    let (name, value) = assignment.split_once('=').ok_or_else(form)?;
    let unknown = || SettingError::Name {
        name: name.to_owned(),
        known: settings.iter().map(|setting| setting.name).collect(),
    };
    let setting = settings.iter().find(|setting| setting.name == name).ok_or_else(unknown)?;
    let Setting { name, values, .. } = *setting;
    let wrong = || SettingError::Value { name, value: value.to_owned(), values };
    (setting.set)(options, value).ok_or_else(wrong)
}

/// The table of settings in Markdown, for documentation: name, values, default, meaning, source.
pub fn markdown<O: Default>(settings: &[Setting<O>]) -> String {
    let mut table = String::from("| name | values | default | meaning | from |\n");
    table.push_str("|---|---|---|---|---|\n");
    let defaults = O::default();
    for Setting { name, values, meaning, source, get, .. } in settings {
        let default = get(&defaults);
        table.push_str(&format!("| `{name}` | {values} | {default} | {meaning} | {source} |\n"));
    }
    table
}

/// What switches may be set to.
pub const SWITCH: &str = "on or off";

/// `on` or `off`.
pub fn switch(value: &str) -> Option<bool> {
    match value {
        "on" | "true" => Some(true),
        "off" | "false" => Some(false),
        _ => None,
    }
}

/// A switch as it can be set.
pub fn show_switch(value: bool) -> String {
    if value { "on".to_owned() } else { "off".to_owned() }
}

/// The setting of a field that is on or off:
/// `switch_setting!("name", field, "meaning", "source")`.
#[macro_export]
macro_rules! switch_setting {
    ($name:expr, $($field:ident).+, $meaning:expr, $source:expr) => {
        $crate::settings::Setting {
            name: $name,
            values: $crate::settings::SWITCH,
            meaning: $meaning,
            source: $source,
            get: |options| $crate::settings::show_switch(options.$($field).+),
            set: |options, value| {
                options.$($field).+ = $crate::settings::switch(value)?;
                Some(())
            },
        }
    };
}

/// The setting of a field with named values:
/// `choice_setting!("name", field, "a or b", "meaning", "source", "a" => Kind::A, "b" => Kind::B)`,
/// where all values of the field are named.
#[macro_export]
macro_rules! choice_setting {
    ($name:expr, $($field:ident).+, $values:expr, $meaning:expr, $source:expr,
     $($text:literal => $variant:path),+ $(,)?) => {
        $crate::settings::Setting {
            name: $name,
            values: $values,
            meaning: $meaning,
            source: $source,
            get: |options| match options.$($field).+ {
                $($variant => $text.to_owned(),)+
            },
            set: |options, value| {
                options.$($field).+ = match value {
                    $($text => $variant,)+
                    _ => return None,
                };
                Some(())
            },
        }
    };
}

/// The setting of a field that is a number: `number_setting!("name", field, "meaning", "source")`.
#[macro_export]
macro_rules! number_setting {
    ($name:expr, $($field:ident).+, $meaning:expr, $source:expr) => {
        $crate::settings::Setting {
            name: $name,
            values: "a number",
            meaning: $meaning,
            source: $source,
            get: |options| options.$($field).+.to_string(),
            set: |options, value| {
                options.$($field).+ = value.parse().ok()?;
                Some(())
            },
        }
    };
}
