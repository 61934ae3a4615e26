//! A C file that shows a difference: it contains both versions, calls both on the inputs that were
//! found, and prints what each of them gives.
//!
//! Each version is included under macros that give its names at file scope a prefix, so that both fit
//! into one file without being changed. Functions without a body are defined by assembler names, as
//! harnesses of `front_c::write` do it: each prints its call and hands out what the run had. Functions
//! of the C library stay what they are.

use crate::difference::{Case, Difference};
use crate::execute::QUIET;
use crate::foreign;
use crate::observe::Seen;
use crate::read::Version;
use program::counterexample::written;
use program::program::Reading;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use term::Value;

/// The prefixes of names, and what the versions are called.
const VERSIONS: [&str; 2] = ["old", "new"];

/// The file, or why there is none. The files of both versions are named as a compiler finds them.
pub fn harness(
    function: &str,
    difference: &Difference,
    versions: [&Version; 2],
    files: [&[String]; 2],
) -> Result<String, String> {
    let case = &difference.case;
    let arguments = arguments(function, case, versions)?;
    let mut text = String::new();
    let narrow = if versions[0].is_narrow() { " -m32" } else { "" };
    let wraps = if difference.wraps { " -fwrapv" } else { "" };
    let _ = writeln!(
        text,
        "/* Shows that two versions of {function} differ: gcc{narrow}{wraps} FILE.c -lm && ./a.out */\n\
         #include <stdio.h>\n#include <string.h>\n\n\
         static const char *cairn_version;\nstatic int cairn_number;\n"
    );
    for (name, calls) in called(case, versions) {
        stub(&mut text, &name, &calls, case);
    }
    for (side, version) in VERSIONS.into_iter().enumerate() {
        let names = versions[side].names();
        let _ = writeln!(text, "\n/* The {version} version. */");
        for name in &names {
            let _ = writeln!(text, "#define {name} {version}_{name}");
        }
        for file in files[side] {
            let _ = writeln!(text, "#include \"{file}\"");
        }
        section(&mut text, version, function, case, &arguments);
        for name in &names {
            let _ = writeln!(text, "#undef {name}");
        }
    }
    text.push_str(
        "\nint main(void)\n{\n    cairn_number = 0;\n    cairn_version = \"old\";\n    \
         cairn_old_run();\n    cairn_number = 1;\n    cairn_version = \"new\";\n    \
         cairn_new_run();\n    return 0;\n}\n",
    );
    Ok(text)
}

/// The arguments of the call: values, or the number of an object.
fn arguments(
    function: &str,
    case: &Case,
    versions: [&Version; 2],
) -> Result<Vec<Option<String>>, String> {
    let count = versions[0].arity(function).unwrap_or(0);
    let given = case.values.iter().filter(|(name, ..)| name.starts_with('#')).count();
    if given + case.objects.len() != count || case.results.len() > 1 {
        return Err("a parameter or the result is a structure".to_owned());
    }
    if case.results.contains(&Reading::Address) {
        return Err("the result is an address".to_owned());
    }
    let value = |number: usize| {
        let name = format!("#{number}");
        let known = case.values.iter().find(|(known, ..)| *known == name);
        known.map(|(_, value, reading)| literal(value, *reading))
    };
    Ok((0..count).map(value).collect())
}

/// A value as C has it.
fn literal(value: &Value, reading: Reading) -> String {
    let text = written(value, reading);
    match (value, reading) {
        (Value::Float(_), _) => format!("({text})"),
        (_, Reading::Address) => format!("(void *) {text}"),
        (_, Reading::Signed) if text == i64::MIN.to_string() => {
            "(-9223372036854775807LL - 1)".to_owned()
        }
        (_, Reading::Signed) => format!("{text}LL"),
        _ => format!("{text}ULL"),
    }
}

/// How a number is printed: the format, and what it is converted to.
fn format_of(reading: Reading) -> (&'static str, &'static str) {
    match reading {
        Reading::Signed => ("%lld", "long long"),
        Reading::Float => ("%.17g", "double"),
        Reading::Address => ("%p", "void *"),
        Reading::Unsigned | Reading::Bool => ("%llu", "unsigned long long"),
    }
}

/// The function that sets the inputs, calls a version and prints what it gives.
fn section(
    text: &mut String,
    version: &str,
    function: &str,
    case: &Case,
    arguments: &[Option<String>],
) {
    let list = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, "static void cairn_{version}_run(void)\n{{");
    for (number, bytes) in case.objects.iter().enumerate() {
        let _ = writeln!(
            text,
            "    static _Alignas(16) unsigned char cairn_object_{number}[] = {{ {} }};",
            list(bytes)
        );
    }
    let globals: Vec<&(String, Value, Reading)> =
        case.values.iter().filter(|(name, ..)| is_identifier(name)).collect();
    for (name, value, reading) in &globals {
        let _ = writeln!(text, "    {name} = {};", literal(value, *reading));
    }
    for (name, bytes) in case.statics.iter().filter(|(name, _)| is_identifier(name)) {
        let _ = writeln!(
            text,
            "    memcpy((void *) &{name}, (unsigned char[]) {{ {} }}, {});",
            list(bytes),
            bytes.len()
        );
    }
    let mut objects = 0..;
    let arguments = arguments.iter().map(|argument| match argument {
        Some(text) => text.clone(),
        None => format!("(void *) cairn_object_{}", objects.next().unwrap_or(0)),
    });
    let call = format!("{function}({})", arguments.collect::<Vec<_>>().join(", "));
    match case.results.first() {
        Some(reading) => {
            let (format, kind) = format_of(*reading);
            let _ = writeln!(
                text,
                "    {kind} cairn_result = {call};\n    printf(\"{version}: result = {format}\\n\", cairn_result);"
            );
        }
        None => {
            let _ = writeln!(text, "    {call};");
        }
    }
    for (name, _, reading) in &globals {
        let (format, kind) = format_of(*reading);
        let _ = writeln!(text, "    printf(\"{version}: {name} = {format}\\n\", ({kind}) {name});");
    }
    let objects = (0..case.objects.len())
        .map(|number| (format!("*{number}"), format!("cairn_object_{number}")));
    let statics = case.statics.iter().filter(|(name, _)| is_identifier(name));
    let statics = statics.map(|(name, _)| (name.clone(), format!("&{name}")));
    let sizes = case.objects.iter().chain(case.statics.iter().map(|(_, bytes)| bytes));
    for ((shown, place), bytes) in objects.chain(statics).zip(sizes) {
        let _ = writeln!(
            text,
            "    printf(\"{version}: {shown} =\");\n    for (int cairn_i = 0; cairn_i < {}; cairn_i++)\n        \
             printf(\" %02x\", ((unsigned char *) {place})[cairn_i]);\n    printf(\"\\n\");",
            bytes.len()
        );
    }
    text.push_str("}\n");
}

fn is_identifier(name: &str) -> bool {
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    first && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The functions that harnesses define: called by a version, without a body, and not of the library.
fn called(case: &Case, versions: [&Version; 2]) -> BTreeMap<String, Vec<Seen>> {
    let all = case.calls.iter().flatten();
    let open = all.filter(|(name, _)| {
        foreign::kind(name) == foreign::Kind::Effect
            && !QUIET.contains(&name.as_str())
            && !versions.iter().any(|version| version.is_of_library(name))
    });
    open.cloned().collect()
}

/// Defines a function that prints its call and gives what the run had.
fn stub(text: &mut String, name: &str, arguments: &[Seen], case: &Case) {
    let kind = |value: &Value| match value {
        Value::Float(float) if float.format().width() == 32 => ("float", "%.9g"),
        Value::Float(_) => ("double", "%.17g"),
        Value::Bits(bits) if bits.width() > 32 => ("long long", "%lld"),
        _ => ("int", "%d"),
    };
    let kinds: Vec<(&str, &str)> = arguments
        .iter()
        .map(|argument| match argument {
            Seen::Number(value) => kind(value),
            Seen::Address(..) | Seen::Text(_) => ("void *", "%p"),
        })
        .collect();
    let results: [Vec<&Value>; 2] = [0, 1].map(|side| {
        let own = case.given[side].iter().filter(|(given, _)| given == name);
        own.map(|(_, value)| value).collect()
    });
    let result = results.iter().flatten().next().map_or("void", |value| kind(value).0);
    let parameters: Vec<String> =
        kinds.iter().enumerate().map(|(i, (kind, _))| format!("{kind} a{i}")).collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let formats: Vec<&str> = kinds.iter().map(|(_, format)| *format).collect();
    let shown: String = (0..kinds.len()).map(|i| format!(", a{i}")).collect();
    let _ = writeln!(
        text,
        "{result} cairn_stub_{name}({parameters}) __asm__(\"{name}\");\n\
         {result} cairn_stub_{name}({parameters})\n{{\n    \
         printf(\"%s: {name}({})\\n\", cairn_version{shown});",
        formats.join(", ")
    );
    if result != "void" {
        let most = results.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let list = |values: &Vec<&Value>| {
            let read = |value: &&Value| match value {
                Value::Float(_) => literal(value, Reading::Float),
                _ => literal(value, Reading::Signed),
            };
            let values: Vec<String> = values.iter().map(read).collect();
            if values.is_empty() { "0".to_owned() } else { values.join(", ") }
        };
        let _ = writeln!(
            text,
            "    static const {result} given[2][{most}] = {{ {{ {} }}, {{ {} }} }};\n    \
             static int next[2];\n    int now = next[cairn_number]++;\n    \
             return given[cairn_number][now < {most} ? now : {most} - 1];",
            list(&results[0]),
            list(&results[1])
        );
    }
    text.push_str("}\n");
}

/// The tags, constants and names of types that a text declares at file scope.
pub fn declared(text: &str) -> BTreeSet<String> {
    let tokens = tokens(text);
    let mut names = BTreeSet::new();
    let mut depth = 0usize;
    let (mut constants, mut alias) = (false, None::<usize>);
    for (at, token) in tokens.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| tokens[at].as_str());
        match token.as_str() {
            "{" => {
                let tagged = ["struct", "union", "enum"].contains(&before(2));
                if tagged && is_identifier(before(1)) {
                    names.insert(before(1).to_owned());
                }
                constants |= before(1) == "enum" || before(2) == "enum";
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                constants = false;
            }
            "typedef" if depth == 0 => alias = Some(depth),
            ";" if depth == 0 && alias.take().is_some() => {
                let mut back = 1;
                while ["]", ")"].contains(&before(back)) || before(back).parse::<u64>().is_ok() {
                    back += 1;
                }
                // A pointer to a function has its name elsewhere.
                if is_identifier(before(back)) && back == 1 {
                    names.insert(before(back).to_owned());
                }
            }
            word if constants && is_identifier(word) && ["{", ","].contains(&before(1)) => {
                names.insert(word.to_owned());
            }
            _ => {}
        }
    }
    names
}

/// The words and signs of a text without comments, texts and directives.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut fresh = true;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("//") || first == '#' && fresh {
            let mut end = 0;
            for line in rest.split_inclusive('\n') {
                end += line.len();
                if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
                    break;
                }
            }
            // The end of the line is left, so that what follows begins one.
            end.saturating_sub(1).max(1)
        } else if first == '"' || first == '\'' {
            let mut escaped = false;
            let end = rest.char_indices().skip(1).find(|(_, c)| {
                let ends = *c == first && !escaped;
                escaped = *c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |(end, _)| end + 1)
        } else if first.is_ascii_alphanumeric() || first == '_' {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
            tokens.push(rest[..end].to_owned());
            end
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            first.len_utf8()
        };
        fresh = first == '\n' || fresh && first.is_whitespace();
        rest = &rest[length..];
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_names_are_found() {
        let text = "#include <a.h>\n#define X struct no {\n/* struct none { */ typedef struct pair { int \
                    x; } pair_t;\nenum { ONE, TWO = 2 };\nenum color { RED } c;\ntypedef unsigned \
                    long word;\nint f(void) { struct inner { int y; } z; return 0; }\n";
        let names: Vec<String> = declared(text).into_iter().collect();
        assert_eq!(names, ["ONE", "RED", "TWO", "color", "inner", "pair", "pair_t", "word"]);
    }
}
