//! The tables of languages and engines that there is to choose from.

use std::path::{Path, PathBuf};
use verify::language::by_ending;
use verify::{Engine, Language};

/// What there is to choose from: the tables of languages and engines.
#[derive(Clone, Copy)]
pub struct Tables {
    /// Languages.
    pub languages: &'static [&'static dyn Language],
    /// Engines.
    pub engines: &'static [&'static dyn Engine],
}

impl Tables {
    /// The engines without some of them.
    pub fn without_engines(self, without: &[String]) -> &'static [&'static dyn Engine] {
        let named = |engine: &&'static dyn Engine| without.iter().any(|n| n == engine.row().name);
        let left: Vec<_> = self.engines.iter().copied().filter(|engine| !named(engine)).collect();
        // A process asks for one such table.
        Vec::leak(left)
    }

    /// The language of files: as it is named, or as all their names tell.
    pub fn language(
        self,
        named: Option<&str>,
        files: &[PathBuf],
    ) -> Result<&'static dyn Language, String> {
        if let Some(name) = named {
            let named = self.languages.iter().copied().find(|language| language.option() == name);
            return named.ok_or_else(|| format!("there is no language {name}"));
        }
        let mut found: Option<(&Path, &'static dyn Language)> = None;
        for file in files {
            let language = by_ending(self.languages, file).ok_or_else(|| self.untold(file))?;
            match found {
                Some((first, other)) if other.name() != language.name() => {
                    let (first, file) = (first.display(), file.display());
                    let (other, language) = (other.name(), language.name());
                    return Err(format!("{file}: this is {language}, and {first} is {other}"));
                }
                _ => found = Some((file, language)),
            }
        }
        found.map(|(_, language)| language).ok_or_else(|| self.untold(Path::new("")))
    }

    /// Says that the name of a file does not tell its language.
    fn untold(self, file: &Path) -> String {
        let endings = self.languages.iter().flat_map(|language| language.endings());
        let endings: Vec<String> = endings.map(|ending| format!(".{ending}")).collect();
        format!(
            "{}: the language can't be told from the name; name it with --lang, or use one of the \
             endings {}",
            file.display(),
            endings.join(", ")
        )
    }
}
