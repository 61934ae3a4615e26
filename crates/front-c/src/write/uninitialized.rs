//! Variables that a run finds uninitialized and not zero.
//!
//! No C file can decide what another one finds in a variable that it does not initialize. Where a
//! run depends on that, the harness comes with copies of the program's files in which each such
//! declaration is followed by a call that sets the variable as the run has it. Everything else stays
//! as it is, lines included.

use program::counterexample::{Counterexample, Object, Taken};
use program::interpret::Part;
use program::program::{Cause, Instruction, Program, VariableId};
use std::collections::BTreeMap;
use std::fmt::Write;
use term::Value;

/// The bytes that a variable has, by offset, each time that its declaration is executed.
type Times = Vec<Vec<(u64, u8)>>;

/// A variable to be set.
pub struct Setting {
    /// The function that sets it.
    name: String,
    variable: VariableId,
    /// The variable, as an expression.
    expression: String,
    times: Times,
    /// Whether a copy of the program calls the function.
    pub called: bool,
}

/// The variables of the stack that a run finds with a value other than zero.
pub fn settings(program: &Program, run: &Counterexample) -> Vec<Setting> {
    let mut found: BTreeMap<u32, (VariableId, Times)> = BTreeMap::new();
    for taken in run.taken.iter().filter(|taken| taken.cause == Cause::Uninitialized) {
        let entry = |variable: VariableId| (variable.into_raw().into_u32(), variable);
        match (taken.object, taken.register) {
            (Some((Object::Stack(variable, time), offset)), _) => {
                let (key, variable) = entry(variable);
                let (_, times) = found.entry(key).or_insert((variable, Vec::new()));
                times.resize(times.len().max(time + 1), Vec::new());
                times[time].extend(bytes(&taken.value).first().map(|byte| (offset, *byte)));
            }
            (None, Some(variable)) if taken.part == Part::Whole => {
                let (key, variable) = entry(variable);
                let (_, times) = found.entry(key).or_insert((variable, Vec::new()));
                times.push((0..).zip(bytes(&taken.value)).collect());
            }
            _ => {}
        }
    }
    let stack = names(program);
    let is_zero = |times: &Times| times.iter().flatten().all(|(_, byte)| *byte == 0);
    let found = found.into_values().filter(|(_, times)| !is_zero(times));
    let named = found.filter_map(|(variable, times)| {
        let name = stack.get(&variable.into_raw().into_u32()).cloned();
        let name = name.or_else(|| program.variables[variable].name.as_deref().map(str::to_owned));
        Some((variable, name?, times))
    });
    (1..)
        .zip(named)
        .map(|(number, (variable, expression, times))| Setting {
            name: format!("cairn_set_{number}"),
            variable,
            expression,
            times,
            called: false,
        })
        .collect()
}

/// What the objects are called whose addresses registers hold.
fn names(program: &Program) -> BTreeMap<u32, String> {
    let named = program.edges().filter_map(|(_, edge)| match &edge.instruction {
        Instruction::Allocate { into, name: Some(name), .. } => {
            Some((into.into_raw().into_u32(), name.to_string()))
        }
        _ => None,
    });
    named.collect()
}

/// The bytes of a value as memory has them.
fn bytes(value: &Value) -> Vec<u8> {
    let bits = match value {
        Value::Bool(value) => return vec![u8::from(*value)],
        Value::Bits(bits) => bits.clone(),
        Value::Float(float) => float.to_bits(),
        _ => return Vec::new(),
    };
    if !bits.width().is_multiple_of(8) {
        return Vec::new();
    }
    let byte = |low: u32| bits.extract(low + 7, low).to_u64().unwrap_or_default() as u8;
    (0..bits.width()).step_by(8).map(byte).collect()
}

impl Setting {
    /// Whether a value that a run takes is what it sets.
    pub fn sets(&self, taken: &Taken) -> bool {
        match taken.object {
            Some((Object::Stack(variable, _), _)) => variable == self.variable,
            Some(_) => false,
            None => taken.part == Part::Whole && taken.register == Some(self.variable),
        }
    }

    /// Appends the function that sets the variable.
    pub fn define(&self, text: &mut String) {
        let name = &self.name;
        let _ = writeln!(text, "/* {} */", self.expression);
        let _ = writeln!(text, "QUIET void {name}(unsigned char *to) {{");
        let _ = writeln!(text, "  static unsigned times;\n  switch (times++) {{");
        for (time, bytes) in self.times.iter().enumerate().filter(|(_, bytes)| !bytes.is_empty()) {
            let _ = write!(text, "  case {time}:");
            for (offset, byte) in bytes {
                let _ = write!(text, " to[{offset}] = {byte};");
            }
            let _ = writeln!(text, " break;");
        }
        let _ = writeln!(text, "  }}\n}}\n");
    }
}

/// A copy of a file of the program in which the variables are set; none if that has no declaration
/// of any.
pub fn copy(program: &Program, file: &str, text: &str, settings: &mut [Setting]) -> Option<String> {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1))
        .collect();
    let mut calls: Vec<(usize, String)> = Vec::new();
    let mut head = String::new();
    for setting in settings {
        let place = &program.variables[setting.variable].place;
        if *place.file != *file || !place.is_known() {
            continue;
        }
        let line = starts.get(place.line as usize - 1).copied();
        let at = line.map(|line| line + (place.column as usize).saturating_sub(1));
        let Some(end) = at.and_then(|at| end_of_declaration(text, at, &setting.expression)) else {
            continue;
        };
        calls.push((end, format!(" {}(&({}));", setting.name, setting.expression)));
        let _ = write!(head, "extern void {}(void *); ", setting.name);
        setting.called = true;
    }
    if calls.is_empty() {
        return None;
    }
    calls.sort_by_key(|(end, _)| *end);
    let mut copied = format!("{head}\n# 1 \"{file}\"\n");
    let mut from = 0;
    for (end, call) in calls {
        copied.push_str(&text[from..end]);
        copied.push_str(&call);
        from = end;
    }
    copied.push_str(&text[from..]);
    Some(copied)
}

/// Where the declaration ends that declares a variable here: after its semicolon. None if it is no
/// statement of its own, or not there at all (but in a macro, say).
fn end_of_declaration(text: &str, at: usize, expression: &str) -> Option<usize> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = expression.split(|c| !is_word(c)).next()?;
    let rest = text.get(at..)?.strip_prefix(name)?;
    if name.is_empty() || rest.starts_with(is_word) || in_parentheses(text, at) {
        return None;
    }
    let mut depth = 0i32;
    let mut before = b' ';
    for (at, byte) in (at + name.len()..).zip(rest.bytes()) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b';' if depth == 0 => return Some(at + 1),
            // Texts and comments are too rare here to be read through.
            b'"' | b'\'' | b'#' => return None,
            b'*' | b'/' if before == b'/' => return None,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
        before = byte;
    }
    None
}

/// Whether a place is within parentheses, as in the head of a `for`; as far as can be seen from the
/// text since the last statement ended or block began.
fn in_parentheses(text: &str, at: usize) -> bool {
    let mut depth = 0i32;
    for byte in text.as_bytes()[..at].iter().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 0 => return true,
            b'(' => depth -= 1,
            b';' | b'{' | b'}' if depth == 0 => return false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::end_of_declaration;

    fn end(text: &str, name: &str) -> Option<usize> {
        end_of_declaration(text, text.find(name).expect("it is there"), name)
    }

    #[test]
    fn declarations_end_at_their_semicolon() {
        let text = "int f(void) { int a, b[3], *c; return 0; }";
        let semicolon = text.find(';').map(|at| at + 1);
        for name in ["a,", "b[", "c;"] {
            let at = text.find(name).expect("it is there");
            assert_eq!(end_of_declaration(text, at, &name[..1]), semicolon, "{name}");
        }
        assert_eq!(end("int f(void) { int x = g(\";\"); }", "x"), None);
        assert_eq!(end("int f(void) { for (int x; x < 3; x++) ; }", "x"), None);
        assert_eq!(end("void f(int x) { g(); }", "x"), None);
        assert_eq!(end_of_declaration("int value;", 4, "val"), None);
        assert_eq!(end_of_declaration("int v;", 4, "w"), None);
        assert_eq!(end_of_declaration("int v;", 40, "v"), None);
        assert_eq!(end_of_declaration("struct s v; g();", 9, "v.len"), Some(11));
    }
}
