//! The arguments of a step in a suite: a struct whose members are declared as the parameters are, by the
//! words of the source, with memory behind those that are pointers.

use program::Place;
use program::program::{FunctionId, Program, VariableId};
use std::fmt::Write;

/// How the front end calls the question whether a pointer is null ([`front_c::lower`]).
const NULL: &str = " is null";
/// Elements of an array whose declaration does not say how many it has, and bytes behind a pointer beside
/// an element.
const ELEMENTS: usize = 4096;
const BYTES: usize = 1 << 16;

/// A parameter.
struct Parameter {
    name: String,
    /// The words that declare it.
    declaration: String,
}

/// The parameters of a step.
#[derive(Default)]
pub struct Arguments(Vec<Parameter>);

impl Arguments {
    /// Of a function, which a file with this text defines.
    ///
    /// # Errors
    /// In words, if the text does not say how they are declared.
    pub fn new(program: &Program, step: FunctionId, text: Option<&str>) -> Result<Self, String> {
        let function = &program.functions[step];
        let mut names: Vec<String> = Vec::new();
        for parameter in &function.parameters {
            let name = program.variables[*parameter].name.as_deref().unwrap_or("");
            let name = name.split(['.', '[', '-']).next().unwrap_or("");
            // Of a struct, each member is a parameter of the program.
            if names.last().is_none_or(|last| last != name) {
                names.push(name.to_owned());
            }
        }
        if names.is_empty() {
            return Ok(Arguments(Vec::new()));
        }
        let declared = text.and_then(|text| declarations(text, &function.place, &function.name));
        let declared = declared.unwrap_or_default();
        let fit = |(name, words): (&String, &String)| !name.is_empty() && has_word(words, name);
        if declared.len() != names.len() || !names.iter().zip(&declared).all(fit) {
            return Err(format!(
                "it is not seen how the parameters of '{}' are declared",
                function.name
            ));
        }
        let parameters = names.into_iter().zip(declared);
        Ok(Arguments(
            parameters.map(|(name, declaration)| Parameter { name, declaration }).collect(),
        ))
    }

    /// The lvalue that takes the value of an input, if it is a part of an argument.
    pub fn lvalue(&self, input: &str) -> Option<String> {
        let at = input.find(|c: char| c != '*' && c != '(')?;
        let (before, rest) = input.split_at(at);
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let known = self.0.iter().any(|parameter| parameter.name == rest[..end]);
        known.then(|| format!("{before}cairn_arguments.{rest}"))
    }

    /// The pointer that an input says to be null.
    pub fn null(&self, input: &str) -> Option<String> {
        self.lvalue(input.strip_suffix(NULL)?)
    }

    /// The declaration of all, if there are any.
    pub fn declare(&self, text: &mut String) {
        if self.0.is_empty() {
            return;
        }
        text.push_str("static struct {\n");
        for parameter in &self.0 {
            let _ = writeln!(text, "  {};", parameter.declaration);
        }
        text.push_str("} cairn_arguments;\n\n");
    }

    /// Pointers get something to point to.
    pub fn allocate(&self, text: &mut String) {
        for Parameter { name, declaration } in &self.0 {
            if !declaration.contains('[') {
                let _ = writeln!(text, "  CAIRN_ALLOCATE(cairn_arguments.{name}, {BYTES});");
            }
        }
    }

    /// The list of a call.
    pub fn list(&self) -> String {
        let all = self.0.iter().map(|parameter| format!("cairn_arguments.{}", parameter.name));
        all.collect::<Vec<_>>().join(", ")
    }

    /// That of a function whose parameters have the same names; none if others are among them.
    pub fn list_of(&self, program: &Program, function: FunctionId) -> Option<String> {
        let parameters = &program.functions[function].parameters;
        let of = |id: &VariableId| {
            let name = program.variables[*id].name.as_deref()?;
            let known = self.0.iter().any(|parameter| parameter.name == name);
            known.then(|| format!("cairn_arguments.{name}"))
        };
        Some(parameters.iter().map(of).collect::<Option<Vec<_>>>()?.join(", "))
    }
}

/// The declarations of the parameters of a function that is defined at a place.
fn declarations(text: &str, place: &Place, name: &str) -> Option<Vec<String>> {
    let line = text.split_inclusive('\n').take(place.line.checked_sub(1)? as usize);
    let start = line.map(str::len).sum::<usize>() + place.column.saturating_sub(1) as usize;
    let text = without_comments(text.get(start..)?);
    let list = text.find(name)? + name.len();
    let list = text[list..].trim_start().strip_prefix('(')?;
    let (mut depth, mut all) = (0, vec![String::new()]);
    for c in list.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                let all = all.iter().map(|words| declaration(words));
                return Some(all.collect());
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        all.last_mut()?.push(c);
    }
    None
}

/// Words that declare a member, made of those that declare a parameter.
fn declaration(words: &str) -> String {
    let words = words.split_whitespace().filter(|word| *word != "register");
    let words = words.collect::<Vec<_>>().join(" ");
    words.replacen("[]", &format!("[{ELEMENTS}]"), 1)
}

fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut plain = String::new();
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        plain.push_str(&rest[..at]);
        plain.push(' ');
        let end = if rest[at..].starts_with("/*") { "*/" } else { "\n" };
        rest = rest[at + 2..].split_once(end).map_or("", |(_, rest)| rest);
    }
    plain + rest
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_read_from_the_definition() {
        let text = "int a;\nstatic int step(const struct s *c, /* , */ int v[],\n  register T x, void (*f)(int, int)) {}\n";
        let place = Place { line: 2, column: 12, ..Place::default() };
        let found = declarations(text, &place, "step").expect("there is one");
        let expected = ["const struct s *c", "int v[4096]", "T x", "void (*f)(int, int)"];
        assert_eq!(found, expected);
        assert!(declarations("int step(int a", &Place { line: 1, ..place }, "step").is_none());
    }

    #[test]
    fn inputs_are_parts_of_arguments() {
        let parameter =
            |name: &str| Parameter { name: name.to_owned(), declaration: String::new() };
        let arguments = Arguments(vec![parameter("p"), parameter("in")]);
        let lvalue = |input: &str| arguments.lvalue(input);
        assert_eq!(lvalue("p->x[2]").as_deref(), Some("cairn_arguments.p->x[2]"));
        assert_eq!(lvalue("*p").as_deref(), Some("*cairn_arguments.p"));
        assert_eq!(lvalue("in.a").as_deref(), Some("cairn_arguments.in.a"));
        assert_eq!(lvalue("q.a"), None);
        assert_eq!(arguments.null("p is null").as_deref(), Some("cairn_arguments.p"));
        assert_eq!(arguments.null("p"), None);
    }
}
