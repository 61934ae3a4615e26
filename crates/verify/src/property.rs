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
        if front_st::requirements::is_file(argument) {
            // What it states is read with the program.
            continue;
        }
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
    match (Property::named(name), community(name)) {
        // An error function is how many programs write a failed assertion.
        (Some(Property::Assert), _) => Ok(vec![Property::Assert, Property::Reach]),
        // Pointers that are freed are pointers, too.
        (Some(Property::Pointer), _) => Ok(vec![Property::Pointer, Property::Free]),
        (Some(property), _) => Ok(vec![property]),
        (None, Some(properties)) => Ok(properties),
        (None, None) => {
            let names: Vec<&str> = Property::ALL.iter().map(|p| p.name()).collect();
            Err(format!(
                "there is no property '{name}'; there are {}, and files with the ending .prp",
                names.join(", ")
            ))
        }
    }
}

/// What SV-COMP's property files are called.
fn community(name: &str) -> Option<Vec<Property>> {
    Some(match name {
        "unreach-call" => vec![Property::Reach],
        "no-overflow" => vec![Property::Overflow],
        "valid-memsafety" => {
            let parts = ["valid-free", "valid-deref", "valid-memtrack"];
            parts.into_iter().filter_map(always).flatten().collect()
        }
        "valid-free" | "valid-deref" | "valid-memtrack" | "valid-memcleanup" => always(name)?,
        _ => return None,
    })
}

/// What must always hold, as SV-COMP writes it, without spaces.
fn always(formula: &str) -> Option<Vec<Property>> {
    Some(match formula {
        "!call(reach_error())" | "!call(__VERIFIER_error())" => vec![Property::Reach],
        "assert" => vec![Property::Assert],
        "!overflow" => vec![Property::Overflow],
        "valid-deref" => vec![Property::Pointer, Property::Bounds],
        "valid-free" => vec![Property::Free],
        "valid-memtrack" => vec![Property::Tracked],
        "valid-memcleanup" => vec![Property::Cleanup],
        "!division-by-zero" => vec![Property::DivisionByZero],
        "!invalid-shift" => vec![Property::Shift],
        "!uninitialized-read" => vec![Property::Uninitialized],
        "!overlapping-copy" => vec![Property::Overlap],
        "!missing-return" => vec![Property::Return],
        "!broken-promise" => vec![Property::Promise],
        "!float-exception" => vec![Property::Float],
        _ => return None,
    })
}

/// The beginning and the end of a line of a property file, without spaces.
const FRAME: (&str, &str) = ("CHECK(init(main()),LTL(G", "))");

/// Reads a property file: lines of the form `CHECK( init(main()), LTL(G …) )`.
pub fn parse_file(name: &str, text: &str) -> Result<Vec<Property>, String> {
    let mut properties = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<(usize, char)> =
            (1..).zip(line.chars()).filter(|(_, c)| !c.is_whitespace()).collect();
        let Some(&(first, _)) = words.first() else { continue };
        let compact: String = words.iter().map(|(_, c)| c).collect();
        let (before, after) = FRAME;
        let formula = compact.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        let Some(formula) = formula else {
            let message = "expected CHECK( init(main()), LTL(G …) )";
            return Err(format!("{name}:{number}:{first}: {message}"));
        };
        let Some(asked) = always(formula) else {
            let column = words.get(before.len()).map_or(first, |(column, _)| *column);
            return Err(format!(
                "{name}:{number}:{column}: the property G {formula} can't be checked; there are \
                 ! call(reach_error()), assert, ! overflow, valid-deref, valid-free, \
                 valid-memtrack and valid-memcleanup"
            ));
        };
        properties.extend(asked);
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
        assert_eq!(asked(&["termination"]), [Property::Termination].into());
        assert!(parse(&["liveness".to_owned()]).unwrap_err().contains("termination"));
        let file = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
        assert_eq!(parse_file("p.prp", file).unwrap(), [Property::Reach]);
        let error = parse_file("p.prp", "\nCHECK( init(main()), LTL(F end) )").unwrap_err();
        assert!(error.starts_with("p.prp:2:1:"), "{error}");
    }

    #[test]
    fn several_lines_and_places() {
        let line = |formula: &str| format!("CHECK( init(main()), LTL(G {formula}) )\n");
        let memory = ["valid-free", "valid-deref", "valid-memtrack"].map(line).concat();
        let asked = [Property::Free, Property::Pointer, Property::Bounds, Property::Tracked];
        assert_eq!(parse_file("p.prp", &memory).unwrap(), asked);
        assert_eq!(parse_name("valid-memsafety").unwrap(), asked);
        assert_eq!(parse_file("p.prp", &line("valid-memcleanup")).unwrap(), [Property::Cleanup]);
        let error = parse_file("p.prp", &(memory + &line("  valid-luck"))).unwrap_err();
        assert!(error.starts_with("p.prp:4:30:"), "{error}");
        let error = parse_file("p.prp", "  CHECK( init(f()), LTL(G assert) )").unwrap_err();
        assert!(error.starts_with("p.prp:1:3:"), "{error}");
    }
}
