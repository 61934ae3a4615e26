//! What is assumed of whoever calls the entry function, as the user states it.

use super::input::Cycle;
use std::str::FromStr;

/// What the caller of the entry function passes, beside what types say.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Caller {
    /// How many elements pointer parameters point to; one, where nothing is said.
    pub valid: Vec<Extent>,
    /// Which pointer parameters are not null.
    pub nonnull: Nonnull,
    /// Whether pointer parameters of the same type may point to the same object.
    pub alias: bool,
    /// Whether global variables hold any values, and not their initial ones.
    pub any_globals: bool,
    /// That the entry function is called for ever.
    pub cycle: Option<Cycle>,
}

/// Which pointer parameters are not null.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub enum Nonnull {
    /// Those with these names.
    Named(Vec<String>),
    /// Nothing is said.
    #[default]
    None,
    /// All.
    All,
}

impl Nonnull {
    /// Whether the parameter is among them.
    pub(super) fn contains(&self, parameter: &str) -> bool {
        match self {
            Nonnull::None => false,
            Nonnull::All => true,
            Nonnull::Named(names) => names.iter().any(|name| name == parameter),
        }
    }
}

/// How many elements a pointer parameter points to: `NAME[COUNT]`, or `NAME[COUNT<=MOST]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The pointer parameter.
    pub parameter: String,
    /// How many.
    pub count: Count,
    /// How many at most, where that is said.
    pub most: Option<u64>,
}

/// A number of elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Count {
    /// So many.
    Number(u64),
    /// As many as a parameter says.
    Parameter(String),
    /// Any number.
    Any,
}

impl FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Extent, String> {
        let wrong = || format!("'{text}' is not of the form NAME[COUNT] or NAME[COUNT<=MOST]");
        let inside = text.trim().strip_suffix(']').and_then(|text| text.split_once('['));
        let (parameter, count) = inside.ok_or_else(wrong)?;
        let (parameter, count) = (parameter.trim(), count.trim());
        let (count, most) = match count.split_once("<=") {
            Some((count, most)) => (count.trim(), Some(most.trim().parse().map_err(|_| wrong())?)),
            None => (count, None),
        };
        let count = match count.parse() {
            _ if count.is_empty() => Count::Any,
            Ok(number) => Count::Number(number),
            Err(_) if is_name(count) => Count::Parameter(count.to_owned()),
            Err(_) => return Err(wrong()),
        };
        let parameter = Some(parameter).filter(|name| is_name(name)).ok_or_else(wrong)?;
        Ok(Extent { parameter: parameter.to_owned(), count, most })
    }
}

/// Whether a text is an identifier.
fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_read() {
        let extent = |text: &str| text.parse::<Extent>().map(|e| (e.parameter, e.count));
        assert_eq!(extent("buf[16]"), Ok(("buf".into(), Count::Number(16))));
        assert_eq!(extent(" buf [ len ] "), Ok(("buf".into(), Count::Parameter("len".into()))));
        assert_eq!(extent("buf[]"), Ok(("buf".into(), Count::Any)));
        let bounded: Extent = "buf[n <= 8]".parse().expect("it is an extent");
        assert_eq!((bounded.count, bounded.most), (Count::Parameter("n".into()), Some(8)));
        assert_eq!("buf[<=8]".parse::<Extent>().map(|e| e.most), Ok(Some(8)));
        for wrong in [
            "buf", "buf[", "[3]", "buf[3", "buf[-1]", "buf[a+b]", "3[a]", "a b[3]", "a[n<=]",
            "a[n<8]",
        ] {
            assert!(extent(wrong).is_err(), "{wrong}");
        }
    }
}
