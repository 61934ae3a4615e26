//! How C files are compiled: flags of the command line, in gcc's spellings, and those that a
//! compilation database has for each file.

use crate::compile_commands::Database;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use std::any::Any;
use std::ffi::OsString;
use std::path::PathBuf;
use verify::{Build, DataModel, Flag};

/// The flags of the command line, and the database.
#[derive(Clone, Default, Debug)]
pub struct BuildOptions {
    /// The flags, in order: a macro that is defined and then undefined is none.
    flags: Vec<Flag>,
    /// The compilation database.
    database: Option<PathBuf>,
}

/// The files of a task, and how they are compiled.
pub struct Sources {
    /// The files, as they are named, or as the database has them.
    pub files: Vec<PathBuf>,
    /// Their flags.
    pub build: Build,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl BuildOptions {
    /// The files that are named, or else all that the database has; the error is a message.
    pub fn sources(&self, named: &[PathBuf]) -> Result<Sources, String> {
        let build = Build { flags: self.flags.clone(), ..Build::default() };
        let mut sources = Sources { files: named.to_vec(), build, notes: Vec::new() };
        let Some(path) = &self.database else { return Ok(sources) };
        let database = Database::read(path)?;
        if named.is_empty() {
            sources.files = database.files();
        }
        for file in &sources.files {
            match database.flags(file) {
                Some(flags) => drop(sources.build.own.insert(file.clone(), flags.to_vec())),
                None => sources.notes.push(format!(
                    "{}: not in {}; read with the flags of the command line alone",
                    file.display(),
                    path.display()
                )),
            }
        }
        let what = if sources.files.is_empty() { "no files" } else { "none of the files" };
        match sources.build.own.is_empty() {
            true => Err(format!("{}: has {what}", path.display())),
            false => Ok(sources),
        }
    }

    /// The data model that `-m` names.
    pub fn data_model(&self) -> Option<DataModel> {
        self.flags.iter().rev().find_map(|flag| match flag {
            Flag::Machine(model) => Some((*model).into()),
            _ => None,
        })
    }
}

/// gcc's long spellings with one hyphen.
const LONG: [&str; 4] = ["-include", "-isystem", "-iquote", "-std"];

/// Arguments with gcc's long spellings as other options are spelled: `-include f`, `-isystemdir` and
/// `-std=c11` become `--include f`, `--isystem=dir` and `--std=c11`.
pub fn spelled(arguments: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut ended = false;
    arguments.map(move |argument| {
        ended |= argument == "--";
        let text = argument.to_str().filter(|_| !ended);
        let long = text.and_then(|text| {
            let name = LONG.into_iter().find(|name| text.starts_with(name))?;
            let rest = text[name.len()..].trim_start_matches('=');
            Some(if rest.is_empty() { format!("-{name}") } else { format!("-{name}={rest}") })
        });
        long.map_or(argument, OsString::from)
    })
}

const DATABASE: &str = "compile_commands";

/// An option that may be repeated.
fn flag(id: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(id).value_name(value).help(help).action(ArgAction::Append)
}

/// The options: flags as gcc has them, and the database.
fn options() -> [Arg; 9] {
    let path = || value_parser!(PathBuf);
    [
        flag("I", "DIR", "Look for headers in a directory").short('I').value_parser(path()),
        flag("isystem", "DIR", "Look for headers in a directory, after those of -I (also -isystem DIR)")
            .long("isystem")
            .value_parser(path()),
        flag("iquote", "DIR", "Look for headers in quotes in a directory (also -iquote DIR)")
            .long("iquote")
            .value_parser(path()),
        flag("include", "FILE", "Read a file before each C file (also -include FILE)")
            .long("include")
            .value_parser(path()),
        flag("D", "NAME[=VALUE]", "Define a macro").short('D'),
        flag("U", "NAME", "Undefine a macro").short('U'),
        flag("std", "NAME", "The standard that C files are preprocessed for (also -std=NAME)")
            .long("std"),
        flag("m", "32|64", "The machine that C files are for: as --data-model ILP32 or LP64")
            .short('m')
            .conflicts_with("data_model")
            .value_parser(|text: &str| match text {
                "32" => Ok(DataModel::Ilp32),
                "64" => Ok(DataModel::Lp64),
                _ => Err("there are 32 and 64"),
            }),
        Arg::new(DATABASE)
            .long("compile-commands")
            .value_name("FILE.json")
            .help("Take the flags of C files from a compilation database, and without FILES all its files")
            .value_parser(path()),
    ]
}

impl Args for BuildOptions {
    fn augment_args(command: Command) -> Command {
        command.args(options())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for BuildOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = taken(matches, "I", Flag::Include);
        flags.extend(taken(matches, "isystem", Flag::System));
        flags.extend(taken(matches, "iquote", Flag::Quote));
        flags.extend(taken(matches, "include", Flag::First));
        flags.extend(taken(matches, "D", Flag::Define));
        flags.extend(taken(matches, "U", Flag::Undefine));
        flags.extend(taken(matches, "std", Flag::Standard));
        flags.extend(taken(matches, "m", |model: DataModel| Flag::Machine(model.into())));
        flags.sort_by_key(|(index, _)| *index);
        let flags = flags.into_iter().map(|(_, flag)| flag).collect();
        Ok(BuildOptions { flags, database: matches.get_one(DATABASE).cloned() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flags of an option, with their places on the command line.
fn taken<T: Any + Clone + Send + Sync>(
    matches: &ArgMatches,
    option: &str,
    make: impl Fn(T) -> Flag,
) -> Vec<(usize, Flag)> {
    let indices = matches.indices_of(option).into_iter().flatten();
    let values = matches.get_many::<T>(option).into_iter().flatten().cloned();
    indices.zip(values.map(make)).collect()
}
