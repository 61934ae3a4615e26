//! What a compiler is told on its command line, as far as it decides what a file means: where headers
//! are, macros, the standard, the machine. All else (warnings, optimization, outputs) is ignored.

use crate::types::DataModel;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A flag, in gcc's spelling.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flag {
    /// `-I DIR`: headers are looked for there.
    Include(PathBuf),
    /// `-isystem DIR`: headers are looked for there, after those of `-I`.
    System(PathBuf),
    /// `-iquote DIR`: headers in quotes are looked for there.
    Quote(PathBuf),
    /// `-include FILE`: the file is read first.
    First(PathBuf),
    /// `-D NAME` or `-D NAME=VALUE`: a macro.
    Define(String),
    /// `-U NAME`: no macro.
    Undefine(String),
    /// `-std=NAME`: the standard.
    Standard(String),
    /// `-m32` or `-m64`: the machine.
    Machine(DataModel),
}

/// How a flag is made of its value.
type Make = fn(String) -> Flag;

/// Flags that have a value: joined, or as the next word.
const VALUED: [(&str, Make); 6] = [
    ("-isystem", |value| Flag::System(value.into())),
    ("-iquote", |value| Flag::Quote(value.into())),
    ("-include", |value| Flag::First(value.into())),
    ("-I", |value| Flag::Include(value.into())),
    ("-D", Flag::Define),
    ("-U", Flag::Undefine),
];

impl Flag {
    /// The flags among the words of a compiler's command line, in order.
    pub fn all_of(words: impl IntoIterator<Item = String>) -> Vec<Flag> {
        let (mut words, mut flags) = (words.into_iter(), Vec::new());
        while let Some(word) = words.next() {
            if let Some((rest, make)) = valued(&word) {
                let value = if rest.is_empty() { words.next() } else { Some(rest.to_owned()) };
                flags.extend(value.map(make));
            } else if let Some(standard) = word.strip_prefix("-std=") {
                flags.push(Flag::Standard(standard.to_owned()));
            } else {
                let machine = DataModel::ALL.into_iter().find(|model| machine(*model) == word);
                flags.extend(machine.map(Flag::Machine));
            }
        }
        flags
    }

    /// The words that say it.
    pub fn words(&self) -> Vec<OsString> {
        let (name, value): (&str, OsString) = match self {
            Flag::Include(path) => ("-I", path.into()),
            Flag::System(path) => ("-isystem", path.into()),
            Flag::Quote(path) => ("-iquote", path.into()),
            Flag::First(path) => ("-include", path.into()),
            Flag::Define(text) => ("-D", text.into()),
            Flag::Undefine(text) => ("-U", text.into()),
            Flag::Standard(name) => return vec![format!("-std={name}").into()],
            Flag::Machine(model) => return vec![machine(*model).into()],
        };
        vec![name.into(), value]
    }

    /// The file or directory that it names.
    pub fn path_mut(&mut self) -> Option<&mut PathBuf> {
        match self {
            Flag::Include(path) | Flag::System(path) | Flag::Quote(path) | Flag::First(path) => {
                Some(path)
            }
            Flag::Define(_) | Flag::Undefine(_) | Flag::Standard(_) | Flag::Machine(_) => None,
        }
    }
}

/// A flag with its value, or with nothing yet. Longer names that begin like one of ours go on with a
/// hyphen (clang's `-include-pch`).
fn valued(word: &str) -> Option<(&str, Make)> {
    let (name, make) = VALUED.into_iter().find(|(name, _)| word.starts_with(name))?;
    let rest = &word[name.len()..];
    (!rest.starts_with('-')).then_some((rest, make))
}

/// How compilers spell a data model.
pub fn machine(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    }
}

/// How the files of a program are compiled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Build {
    /// Flags for all files, after their own.
    pub flags: Vec<Flag>,
    /// The flags of single files.
    pub own: HashMap<PathBuf, Vec<Flag>>,
}

impl Build {
    /// The flags that a file is compiled with.
    pub fn of(&self, file: &Path) -> Vec<&Flag> {
        self.own.get(file).into_iter().flatten().chain(&self.flags).collect()
    }

    /// The machine that a file is compiled for, if its flags say so.
    pub fn machine(&self, file: &Path) -> Option<DataModel> {
        self.of(file).into_iter().rev().find_map(|flag| match flag {
            Flag::Machine(model) => Some(*model),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(line: &str) -> Vec<Flag> {
        Flag::all_of(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn values_are_joined_or_follow() {
        let expected = [
            Flag::Include("a".into()),
            Flag::Include("b".into()),
            Flag::Define("X".into()),
            Flag::Define("Y=-1".into()),
            Flag::Undefine("X".into()),
            Flag::System("s".into()),
            Flag::Quote("q".into()),
            Flag::First("f.h".into()),
            Flag::Standard("c99".into()),
            Flag::Machine(DataModel::Ilp32),
        ];
        let line = "-Ia -I b -DX -D Y=-1 -UX -isystem s -iquote q -include f.h -std=c99 -m32";
        assert_eq!(flags(line), expected);
        let words: Vec<OsString> = expected.iter().flat_map(Flag::words).collect();
        let words = words.into_iter().map(|word| word.into_string().expect("plain"));
        assert_eq!(Flag::all_of(words), expected);
    }

    #[test]
    fn what_does_not_matter_is_ignored() {
        let line = "gcc -O2 -Wall -MF x.d -o x.o -c x.c -include-pch x.pch -march=native -I";
        assert_eq!(flags(line), []);
    }

    #[test]
    fn the_last_machine_counts() {
        let own = HashMap::from([(PathBuf::from("a.c"), flags("-m64 -m32"))]);
        let mut build = Build { flags: Vec::new(), own };
        assert_eq!(build.machine(Path::new("a.c")), Some(DataModel::Ilp32));
        assert_eq!(build.machine(Path::new("b.c")), None);
        build.flags.push(Flag::Machine(DataModel::Lp64));
        assert_eq!(build.machine(Path::new("a.c")), Some(DataModel::Lp64));
    }
}
