//! What things of an automaton are called, in words that another version has too.
//!
//! A chain of calls is the callees with which call of its kind each is in its caller: `f#1` is the second
//! call of `f`. A variable is the chain it belongs to, its name, and which of those with this name it is,
//! as scopes may have several; memory belongs to no chain. What the front end made up has no name that
//! another version has too, for it is numbered: it is called after what gives it its value.

use program::cfa::{Cfa, ContextId, LocationId, Origin};
use program::program::{Callee, EdgeId, FunctionId, Instruction, Program, VariableId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use term::{Pool, Term};

/// A chain of calls, outermost first.
pub type Path = Vec<String>;

/// The function that a chain ends in, without which call of it this is.
pub fn function_of(path: &Path) -> &str {
    path.last().and_then(|last| last.rsplit_once('#')).map_or("", |(function, _)| function)
}

/// What a variable is called.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Name {
    /// The chain of calls whose instance it is.
    pub path: Path,
    /// In words.
    pub name: String,
    /// Which of those that are called so.
    pub number: usize,
}

/// The names of an automaton.
pub struct Names {
    /// All variables, in an order that depends on names alone.
    pub variables: Vec<(Name, Term)>,
    /// The locations but for the first and the last, in the order of the text, by chain.
    pub locations: Vec<(Path, LocationId)>,
}

impl Names {
    /// Of the automaton of a program; terms are of `pool`, which need not be the program's.
    pub fn of(program: &Program, pool: &Pool, cfa: &Cfa) -> Names {
        let mut calls = Calls { program, of: FxHashMap::default() };
        let sources = sources(program);
        let mut paths: FxHashMap<Option<ContextId>, Path> = FxHashMap::default();
        let mut path = |context: Option<ContextId>| -> Path {
            let make = || context.map_or_else(Path::new, |context| calls.path(cfa, context));
            paths.entry(context).or_insert_with(make).clone()
        };
        let mut variables: Vec<(Path, String, String, Term)> = cfa
            .variables
            .iter()
            .map(|(&term, origin)| {
                let exact = pool.var_name(term).unwrap_or_default().to_owned();
                (path(origin.context), plain(origin, &sources), exact, term)
            })
            .collect();
        // Numbers at the end of names ascend with the text.
        variables.sort_by(|a, b| {
            let key = |one: &(Path, String, String, Term)| (one.2.len(), one.2.clone());
            (&a.0, &a.1).cmp(&(&b.0, &b.1)).then_with(|| key(a).cmp(&key(b)))
        });
        let mut named: Vec<(Name, Term)> = Vec::with_capacity(variables.len());
        for (path, name, _, term) in variables {
            let number = match named.last() {
                Some((last, _)) if last.path == path && last.name == name => last.number + 1,
                _ => 0,
            };
            named.push((Name { path, name, number }, term));
        }
        let inner = cfa
            .locations
            .iter()
            .filter(|(id, _)| Some(*id) != cfa.initial && Some(*id) != cfa.error);
        let mut locations: Vec<(Path, LocationId)> =
            inner.map(|(id, location)| (path(location.context), id)).collect();
        locations.sort_by(|(path, id), (other_path, other)| {
            let (place, other_place) = (&cfa.locations[*id].place, &cfa.locations[*other].place);
            let position = (place.line, place.column, id.into_raw());
            let other_position = (other_place.line, other_place.column, other.into_raw());
            path.cmp(other_path).then_with(|| position.cmp(&other_position))
        });
        Names { variables: named, locations }
    }
}

/// The name of a variable, without the number that made it unique in its run.
fn plain(origin: &Origin, sources: &FxHashMap<VariableId, String>) -> String {
    if let Some(source) = origin.variable.and_then(|variable| sources.get(&variable)) {
        return source.clone();
    }
    let name = &*origin.name;
    match name.rsplit_once('!') {
        Some((front, number)) if number.bytes().all(|b| b.is_ascii_digit()) => front.to_owned(),
        _ => name.to_owned(),
    }
}

/// What gives the variables without a name in the text their first value.
fn sources(program: &Program) -> FxHashMap<VariableId, String> {
    let mut sources: FxHashMap<VariableId, String> = FxHashMap::default();
    for (_, edge) in program.edges() {
        let (into, source) = match &edge.instruction {
            Instruction::Call { callee: Callee::Function(callee), results, .. } => {
                (&results[..], &*program.functions[*callee].name)
            }
            Instruction::Call { results, .. } => (&results[..], "*"),
            Instruction::Havoc(into, cause) => {
                let (why, name) = cause.words();
                (std::slice::from_ref(into), name.unwrap_or(why))
            }
            Instruction::Load { into, .. } => (std::slice::from_ref(into), "load"),
            Instruction::Allocate { into, .. } => (std::slice::from_ref(into), "allocate"),
            Instruction::Assign(into, _) => (std::slice::from_ref(into), "="),
            _ => continue,
        };
        let unnamed = into.iter().filter(|into| program.variables[**into].name.is_none());
        for variable in unnamed {
            sources.entry(*variable).or_insert_with(|| format!("${source}"));
        }
    }
    sources
}

/// What calls are called, function by function.
struct Calls<'p> {
    program: &'p Program,
    of: FxHashMap<FunctionId, FxHashMap<EdgeId, String>>,
}

impl Calls<'_> {
    fn path(&mut self, cfa: &Cfa, context: ContextId) -> Path {
        let calls = &cfa.contexts[context].calls;
        calls.iter().map(|&(caller, edge)| self.name(caller, edge)).collect()
    }

    fn name(&mut self, caller: FunctionId, edge: EdgeId) -> String {
        let program = self.program;
        let of_caller = self.of.entry(caller).or_insert_with(|| named_calls(program, caller));
        of_caller.get(&edge).cloned().unwrap_or_default()
    }
}

/// The calls of a function by name, with which call of its callee each is.
fn named_calls(program: &Program, caller: FunctionId) -> FxHashMap<EdgeId, String> {
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    let mut names = FxHashMap::default();
    let edges = program.functions[caller].body.iter().flat_map(|body| body.edges.iter());
    for (id, edge) in edges {
        let Instruction::Call { callee, .. } = &edge.instruction else { continue };
        let callee = match callee {
            Callee::Function(function) => &*program.functions[*function].name,
            Callee::Pointer(_) => "*",
        };
        let count = seen.entry(callee).or_default();
        names.insert(id, format!("{callee}#{count}"));
        *count += 1;
    }
    names
}
