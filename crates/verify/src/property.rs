//! What is asked of a program: names of properties, or SV-COMP's property files.

use program::Property;
use std::collections::BTreeSet;
use std::path::Path;

/// Whether an argument of `--property` is a property file.
pub fn is_file(argument: &str) -> bool {
    Path::new(argument).extension().is_some_and(|ending| ending == "prp")
}

/// Whether the arguments of `--property` name a property file.
pub fn names_file(arguments: &[String]) -> bool {
    arguments.iter().flat_map(|argument| argument.split(',')).any(is_file)
}

/// The properties that the arguments of `--property` ask for; without any, that no error function is
/// reached and that assertions hold.
pub fn parse(arguments: &[String]) -> Result<BTreeSet<Property>, String> {
    let mut properties = BTreeSet::new();
    for argument in arguments.iter().flat_map(|argument| argument.split(',')) {
        if is_file(argument) {
            let text = std::fs::read_to_string(argument).map_err(|e| format!("{argument}: {e}"))?;
            properties.extend(parse_file(argument, &text)?);
        } else {
            properties.extend(parse_name(argument)?);
        }
    }
    if properties.is_empty() {
        properties = [Property::Reach, Property::Assert].into();
    }
    if properties.contains(&Property::DeadCode) && properties.len() > 1 {
        let name = Property::DeadCode.name();
        return Err(format!("{name} is a question of its own: ask for it alone"));
    }
    Ok(properties)
}

fn parse_name(name: &str) -> Result<Vec<Property>, String> {
    match Property::named(name) {
        // An error function is how many programs write a failed assertion.
        Some(Property::Assert) => Ok(vec![Property::Assert, Property::Reach]),
        // Pointers that are freed are pointers, too.
        Some(Property::Pointer) => Ok(vec![Property::Pointer, Property::Free]),
        Some(property) => Ok(vec![property]),
        None => {
            let names: Vec<&str> = Property::ALL.iter().map(|p| p.name()).collect();
            Err(format!(
                "there is no property '{name}'; there are {}, and files with the ending .prp",
                names.join(", ")
            ))
        }
    }
}

/// Reads a property file: lines of the form `CHECK( init(main()), LTL(G …) )`.
pub fn parse_file(name: &str, text: &str) -> Result<Vec<Property>, String> {
    let mut properties = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        if compact.is_empty() {
            continue;
        }
        let formula =
            compact.split_once("LTL(G").and_then(|(_, rest)| rest.strip_suffix("))")).ok_or_else(
                || format!("{name}:{number}:1: expected CHECK( init(main()), LTL(G …) )"),
            )?;
        match formula {
            "!call(reach_error())" | "!call(__VERIFIER_error())" => {
                properties.push(Property::Reach);
            }
            "assert" => properties.push(Property::Assert),
            "!overflow" => properties.push(Property::Overflow),
            "valid-deref" => properties.extend([Property::Pointer, Property::Bounds]),
            "valid-free" => properties.push(Property::Free),
            "!division-by-zero" => properties.push(Property::DivisionByZero),
            "!invalid-shift" => properties.push(Property::Shift),
            "!uninitialized-read" => properties.push(Property::Uninitialized),
            "!overlapping-copy" => properties.push(Property::Overlap),
            "!missing-return" => properties.push(Property::Return),
            "!float-exception" => properties.push(Property::Float),
            other => {
                return Err(format!(
                    "{name}:{number}:1: the property G {other} can't be checked; there are \
                     ! call(reach_error()), assert, ! overflow, valid-deref and valid-free"
                ));
            }
        }
    }
    if properties.is_empty() {
        return Err(format!("{name}:1:1: the file names no property"));
    }
    Ok(properties)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_files() {
        let asked = |names: &[&str]| {
            parse(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>()).unwrap()
        };
        assert_eq!(asked(&[]), [Property::Reach, Property::Assert].into());
        assert_eq!(asked(&["reach"]), [Property::Reach].into());
        assert_eq!(
            asked(&["overflow,div0"]),
            [Property::Overflow, Property::DivisionByZero].into()
        );
        assert!(parse(&["termination".to_owned()]).unwrap_err().contains("termination"));
        let file = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
        assert_eq!(parse_file("p.prp", file).unwrap(), [Property::Reach]);
        let error = parse_file("p.prp", "\nCHECK( init(main()), LTL(F end) )").unwrap_err();
        assert!(error.starts_with("p.prp:2:1:"), "{error}");
    }
}
