//! `cairn simulate`: whether one program simulates another, by which relation, and what a proof of
//! the one says of the other.

use crate::check::failed;
use crate::exit::Exit;
use crate::limits::{LastResort, Watch};
use crate::options::{Format, Simulate, Tables, inputs};
use crate::output::{complain, print};
use crate::store::{can_store, store};
use aeval::Broken;
use answer::{Allowance, Exhausted};
use program::cfa::Cfa;
use program::minimize::{self, Pass, minimize};
use serde::Serialize;
use simulate::weaken::make_inductive;
use simulate::{Certificate, Graph, Lifted, Outcome, Simulation, lift, simulate};
use smt::Standard;
use std::path::{Path, PathBuf};
use std::time::Duration;
use term::traverse::{free_vars, substitute};
use term::{Pool, Term, print as written};
use verify::encode::{self, FIRST_DEPTH, Scope, model_of};
use verify::{Budget, Code, Failure, Limits, Rejection, Settings, prove};

/// Looks for simulations and prints what is found.
pub fn run(arguments: &Simulate, tables: Tables) -> Exit {
    let time = arguments.time_limit.map(Duration::from_secs_f64);
    let watch = Watch::start(&Limits { time, ..Limits::default() });
    let budget = Budget::start(&watch.limits());
    let json = arguments.format == Format::Json;
    let late = move |what: Exhausted| match json {
        true => format!("{{\"outcome\":\"unknown\",\"why\":\"{what}\"}}"),
        false => format!("unknown ({what})"),
    };
    let last_resort = LastResort::beyond(&watch, late, Exit::Unknown);
    if let Some(Err(message)) = arguments.certificate.as_deref().map(can_store) {
        complain(&message);
        return Exit::Input;
    }
    match found(arguments, tables, &budget.allowance) {
        Ok((documents, certificate)) => {
            let text = match arguments.format {
                Format::Json => serde_json::to_string_pretty(&documents).unwrap_or_default(),
                Format::Text => documents.iter().map(Document::text).collect::<Vec<_>>().join("\n"),
            };
            let stored = last_resort.answer(|| {
                print(&text);
                match &arguments.certificate {
                    Some(path) => store(&[(path.clone(), certificate.into_bytes())]),
                    None => Ok(()),
                }
            });
            if let Err(message) = stored {
                complain(&message);
                return Exit::Input;
            }
            let simulated = |d: &Document| matches!(d.outcome, "identity" | "skolem");
            if documents.iter().all(simulated) { Exit::Success } else { Exit::Unknown }
        }
        Err(Unfit::Failure(failure)) => failed(&failure, 0),
        Err(Unfit::Broken(broken)) => {
            complain(&format!("internal error: {broken}"));
            Exit::Internal
        }
    }
}

/// Why there is nothing to print.
enum Unfit {
    Failure(Failure),
    Broken(Broken),
}

impl<F: Into<Failure>> From<F> for Unfit {
    fn from(failure: F) -> Self {
        Unfit::Failure(failure.into())
    }
}

/// A program as a graph.
struct Side {
    name: String,
    pool: Pool,
    cfa: Cfa,
    graph: Graph,
}

/// What is printed of one direction.
#[derive(Serialize)]
struct Document {
    source: String,
    target: String,
    outcome: &'static str,
    points: Vec<Matched>,
    abstracted: Vec<String>,
    obligations: usize,
    checked: bool,
    undecided: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lifted: Option<Carried>,
}

/// A point of the source with its point of the target.
#[derive(Serialize)]
struct Matched {
    source: String,
    target: String,
    relation: Vec<String>,
}

/// What became of the target's proof.
#[derive(Serialize)]
struct Carried {
    proof: bool,
    strengthened: bool,
    invariant: Vec<(String, Vec<String>)>,
    impact: Vec<String>,
}

fn found(
    arguments: &Simulate,
    tables: Tables,
    allowance: &Allowance,
) -> Result<(Vec<Document>, String), Unfit> {
    let pool = Pool::new();
    let first = side(arguments, tables, &arguments.source, &pool, "source::")?;
    let second = side(arguments, tables, &arguments.target, &pool, "target::")?;
    let mut directions = vec![(&first, &second)];
    if arguments.both {
        directions.push((&second, &first));
    }
    let (mut documents, mut scripts) = (Vec::new(), String::new());
    for (number, (source, target)) in directions.iter().enumerate() {
        // A direction has its share of the time.
        let left = (directions.len() - number) as f64;
        let allowance = match allowance.left() {
            Some(time) => allowance.within(time.mul_f64(1.0 / left)),
            None => allowance.clone(),
        };
        let (document, script) =
            direction(&pool, source, target, arguments, &allowance).map_err(Unfit::Broken)?;
        documents.push(document);
        scripts.push_str(&script);
    }
    Ok((documents, scripts))
}

/// Reads a program and makes a graph of it.
fn side(
    arguments: &Simulate,
    tables: Tables,
    file: &Path,
    pool: &Pool,
    prefix: &str,
) -> Result<Side, Unfit> {
    let files: [PathBuf; 1] = [file.to_owned()];
    let sources = arguments.c.build.sources(&files).map_err(Rejection::new)?;
    sources.notes.iter().for_each(|note| complain(note));
    let language = tables.language(None, &sources.files).map_err(Rejection::new)?;
    let reading = arguments.c.reading(language, &sources)?;
    let task = language.read(&inputs(&sources.files), &reading)?;
    let Some(code) = task.code() else {
        let message = format!("{} has no programs to compare", language.name());
        return Err(Rejection::new(message).into());
    };
    let name = file.display().to_string();
    let cfa = automaton(code, arguments)?;
    let own = code.program.pool.clone();
    match Graph::of(&cfa, &own, pool, prefix) {
        Some(graph) => Ok(Side { name, pool: own, cfa, graph }),
        None => Err(Rejection::new(format!("{name}: the program has no start")).into()),
    }
}

/// The automaton of large blocks, with all its locations that are heads of loops: nothing is sliced
/// away, so that all runs are compared.
fn automaton(code: &Code, arguments: &Simulate) -> Result<Cfa, Failure> {
    let settings = arguments.c.settings();
    let (program, scope) = (&code.program, Scope::Fitting);
    let model = model_of(program, &code.properties, &settings, FIRST_DEPTH, scope)
        .map_err(|error| encode::refusal(&error))?;
    let options = minimize::Options { passes: [Pass::Blocks].into(), ..Default::default() };
    Ok(minimize(&program.pool, &model.cfa, &options).cfa)
}

/// One direction, with its certificate as a script.
fn direction(
    pool: &Pool,
    source: &Side,
    target: &Side,
    arguments: &Simulate,
    allowance: &Allowance,
) -> Result<(Document, String), Broken> {
    let settings = arguments.c.settings();
    let invariant = match arguments.lift {
        true => proof(pool, target, &Vec::new(), &settings, allowance)?,
        false => None,
    };
    let psi = invariant.as_deref().unwrap_or_default();
    let found = simulate(pool, &source.graph, &target.graph, psi, &Standard, allowance)?;
    let certificate = Certificate::of(pool, &source.graph, &found);
    let unchecked = certificate.check(pool, allowance)?;
    let mut script = certificate.script(pool);
    let mut carried = None;
    if let Some(proof) = &invariant
        && !found.rho.is_empty()
    {
        script.push_str(&Certificate::inductive(pool, &target.graph, proof).script(pool));
        let (document, text) = carry(pool, (source, target), &found, proof, &settings, allowance)?;
        script.push_str(&text);
        carried = Some(document);
    }
    let outcome = if unchecked.is_some() { "none" } else { found.outcome.name() };
    let document = Document {
        source: source.name.clone(),
        target: target.name.clone(),
        outcome,
        points: matched(pool, source, target, &found),
        abstracted: found.abstracted.iter().map(|v| name_of(&target.graph, *v)).collect(),
        obligations: certificate.refuted.len(),
        checked: unchecked.is_none(),
        undecided: found.undecided,
        ended: unchecked.or_else(|| found.ended.map(|what| what.to_string())),
        lifted: carried,
    };
    Ok((document, script))
}

/// An inductive invariant of a program that excludes its error, by the engines on the same automaton,
/// which may assume what is `known` to be inductive; as far as it is about what is live, and checked edge
/// by edge.
fn proof(
    pool: &Pool,
    side: &Side,
    known: &[Vec<Term>],
    settings: &Settings,
    allowance: &Allowance,
) -> Result<Option<Vec<Vec<Term>>>, Broken> {
    let search = allowance.within(allowance.share(0.4, Duration::from_secs(60)));
    let graph = &side.graph;
    let known = graph.at_locations(&side.cfa, known, pool, &side.pool);
    let Some(found) = prove::invariant(&side.pool, &side.cfa, &known, settings, &search) else {
        return Ok(None);
    };
    let lemmas = graph.invariant(&side.cfa, &found, &side.pool, pool);
    let invariant = make_inductive(pool, graph, &lemmas, &Standard, allowance)?;
    let safe = graph.error.is_some_and(|error| invariant[error].contains(&pool.fls()));
    let certificate = Certificate::inductive(pool, graph, &invariant);
    let checked = safe && certificate.check(pool, allowance)?.is_none();
    Ok(checked.then_some(invariant))
}

/// Carries a proof of the target over a simulation; where it is none of the source, the engines go on
/// from what is left of it. What came of it, and what it rests on as a script.
fn carry(
    pool: &Pool,
    (source, target): (&Side, &Side),
    found: &Simulation,
    proof: &[Vec<Term>],
    settings: &Settings,
    allowance: &Allowance,
) -> Result<(Carried, String), Broken> {
    let (graph, theirs) = (&source.graph, &target.graph);
    let mut lifted = lift(pool, graph, theirs, found, proof, &Standard, allowance)?;
    let mut certificate = Certificate::inductive(pool, graph, &lifted.invariant);
    let checked = certificate.check(pool, allowance)?.is_none();
    let mut strengthened = false;
    if checked && !lifted.safe {
        let more = self::proof(pool, source, &lifted.invariant, settings, allowance)?;
        if let Some(invariant) = more {
            certificate = Certificate::inductive(pool, graph, &invariant);
            (lifted.invariant, strengthened) = (invariant, true);
        }
    }
    let whole = (lifted.safe && checked, strengthened);
    Ok((carried(pool, graph, &lifted, whole), certificate.script(pool)))
}

fn name_of(graph: &Graph, variable: Term) -> String {
    let mut all = graph.points.iter().flat_map(|point| &point.variables);
    all.find(|v| v.term == variable).map_or_else(String::new, |v| v.name.clone())
}

/// A formula or sum over the names of a program's source.
fn in_words(pool: &Pool, graph: &Graph, term: Term) -> String {
    let plain = |v: &Term| (*v, pool.var(&name_of(graph, *v), pool.sort(*v)));
    let map: Vec<(Term, Term)> = free_vars(pool, &[term]).iter().map(plain).collect();
    written::term_to_string(pool, substitute(pool, term, map))
}

/// σ and ρ in the words of the sources.
fn matched(pool: &Pool, source: &Side, target: &Side, found: &Simulation) -> Vec<Matched> {
    if found.outcome == Outcome::None {
        return Vec::new();
    }
    let (ours, theirs) = (&source.graph, &target.graph);
    let point = |(point, relation): (usize, &simulate::relation::Relation)| {
        let equal = relation
            .equal
            .iter()
            .map(|(q, p)| format!("{} = {}", name_of(ours, *q), name_of(theirs, *p)));
        let defined = relation
            .defined
            .iter()
            .map(|(p, q)| format!("{} = {}", in_words(pool, ours, *q), name_of(theirs, *p)));
        Matched {
            source: ours.describe(point),
            target: theirs.describe(found.sigma[point]),
            relation: equal.chain(defined).collect(),
        }
    };
    found.rho.iter().enumerate().map(point).collect()
}

/// What is said of a lifted proof: whether it is one as it is, or was strengthened to one.
fn carried(
    pool: &Pool,
    source: &Graph,
    lifted: &Lifted,
    (proof, strengthened): (bool, bool),
) -> Carried {
    let mut invariant = Vec::new();
    for (point, formulas) in lifted.invariant.iter().enumerate() {
        if Some(point) != source.error && !formulas.is_empty() {
            let words = formulas.iter().map(|f| in_words(pool, source, *f)).collect();
            invariant.push((source.describe(point), words));
        }
    }
    let line = |edge: &usize| {
        let edge = &source.edges[*edge];
        match edge.place.is_known() {
            true => format!("{}:{}:{}", edge.place.file, edge.place.line, edge.place.column),
            false => format!("{} to {}", source.describe(edge.from), source.describe(edge.to)),
        }
    };
    let impact = lifted.impact.iter().map(line).collect();
    Carried { proof, strengthened, invariant, impact }
}

impl Document {
    fn text(&self) -> String {
        let mut lines = Vec::new();
        for point in &self.points {
            let relation = match &point.relation[..] {
                [] => String::new(),
                relation => format!(": {}", relation.join(", ")),
            };
            lines.push(format!("{} ~ {}{relation}", point.source, point.target));
        }
        if !self.abstracted.is_empty() {
            lines.push(format!("abstracted: {}", self.abstracted.join(", ")));
        }
        if let Some(carried) = &self.lifted {
            for (point, formulas) in &carried.invariant {
                lines.push(format!("{point}: {}", formulas.join(", ")));
            }
            let said = match (carried.proof, carried.strengthened) {
                (true, _) => "lifted",
                (false, true) => "lifted and strengthened",
                (false, false) => "not lifted",
            };
            lines.push(format!("proof of {}: {said} to {}", self.target, self.source));
            lines.extend(carried.impact.iter().map(|place| format!("{place}: breaks the proof")));
        }
        let ended = self.ended.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
        let (source, target) = (&self.source, &self.target);
        lines.push(format!("{source} simulated by {target}: {}{ended}", self.outcome));
        lines.join("\n")
    }
}
