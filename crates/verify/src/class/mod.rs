//! The class of the failing inputs: the weakest existential precondition of a run, over its inputs,
//! in a form that people read ([Lan18 §5.2.3], where it is worked out by hand for formula (5.1)).
//!
//! A run is one point. [`program::region`] makes the condition under which a run that passes the same
//! loops as often fails, too; `widen` finds a conjunction of few comparisons that the point satisfies
//! and that implies this condition; `words` writes it with the names of the source, `sum` what is added up. Other conjunctions
//! follow, until they cover the condition or there are too many.
//!
//! Each case is shown by a solver to lead to the violation, whatever the inputs are that it does not
//! speak of. It is about the automaton before minimization, as proofs are.

mod literal;
mod sum;
mod widen;
mod words;

use crate::code::encode;
use crate::question::Settings;
use crate::task::Code;
use answer::Allowance;
use front_st::lower::{LOOP, WATCHED};
use literal::{Literal, Scale};
use program::cfa::{Cfa, InputId};
use program::checks::{Asked, Check, restricted};
use program::counterexample::Counterexample;
use program::model;
use program::program::{Cause, Instruction, Reading};
use program::region::{Condition, condition};
use program::{Program, follow_taken};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use term::{Term, Value};
use widen::{Other, Spoken, Widening};

/// How long a class may be looked for.
const PATIENCE: Duration = Duration::from_secs(4);
/// Runs of more steps have no class that anybody would read.
const LONGEST_RUN: usize = 20_000;
/// How many edges the automaton may have.
const MOST_EDGES: usize = 30_000;
/// How many cases are said.
const MOST_CASES: usize = 4;
/// With more conditions, a case is no answer.
const MOST_CONDITIONS: usize = 24;

/// Which inputs fail as a run does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Class {
    /// Conditions, each of which suffices; the run satisfies the first.
    pub cases: Vec<Case>,
    /// Whether these are all inputs with which a run that goes through loops as often fails.
    pub complete: bool,
}

/// Conditions that together suffice for the violation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Case {
    /// What has to hold, the most telling first.
    pub conditions: Vec<Stage>,
    /// Inputs that may have any value.
    pub any: Vec<String>,
}

/// What has to hold of the inputs of one round of a loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stage {
    /// The first and the last round, from one, that this is said of; none if inputs are taken once, or
    /// if it is about several rounds.
    pub rounds: Option<(usize, usize)>,
    /// Conditions in words.
    pub conditions: Vec<String>,
}

/// The class of a failing run; none if there is no short one, or it is not found soon.
pub fn class(
    code: &Code,
    run: &Counterexample,
    settings: &Settings,
    allowance: &Allowance,
) -> Option<Class> {
    if run.placement.is_some() {
        return None;
    }
    let allowance = allowance.within(PATIENCE);
    let property = run.property?;
    let asked = [property].into();
    let check = Check { place: run.place.clone(), property };
    let program = restricted(&code.program, &asked, Asked::Only([check].into_iter().collect()));
    let options = model::Options { edges: MOST_EDGES, ..encode::options(settings, &asked) };
    let options = model::Options { recursion: encode::FIRST_DEPTH, ..options };
    let cfa = model::model(&program, &options).ok()?.cfa;
    let followed = follow_taken(&program.pool, &cfa, run)?;
    if followed.steps.len() > LONGEST_RUN {
        return None;
    }
    let mut condition = condition(&program, &cfa, &followed, &allowance)?;
    keep_loop(&program, &cfa, &mut condition);
    let subject = Subject::new(&program, &cfa, &condition);
    subject.class(settings, &allowance).ok().flatten()
}

/// Whether a name is that of a decision of a search for lassos.
fn is_part(name: Option<&str>) -> bool {
    matches!(name, Some(LOOP | WATCHED))
}

/// Where a run without end begins to go in circles is no input of anybody: it is kept.
fn keep_loop(program: &Program, cfa: &Cfa, condition: &mut Condition) {
    let pool = &program.pool;
    for free in condition.inputs.iter().filter(|free| free.round.is_some()) {
        if named(program, cfa, free.input).is_some_and(|(name, ..)| is_part(name)) {
            let value = pool.constant(free.value.clone());
            condition.assumed.push(pool.eq(free.variable, value));
        }
    }
}

/// The variable that takes an input which the environment gives: its name, whether its values have signs,
/// and in words where they come from.
fn named<'p>(
    program: &'p Program,
    cfa: &'p Cfa,
    input: InputId,
) -> Option<(Option<&'p str>, bool, String)> {
    let input = &cfa.inputs[input];
    let (Cause::Input(source) | Cause::Unknown(source)) = &input.cause else { return None };
    let (_, function, edge) = input.instruction?;
    let edge = &program.functions[function].body().edges[edge];
    let Instruction::Havoc(variable, _) = &edge.instruction else { return None };
    let variable = &program.variables[*variable];
    let signed = variable.reading == Reading::Signed;
    Some((variable.name.as_deref(), signed, format!("{source}()")))
}

/// What is spoken of.
struct Subject<'a> {
    program: &'a Program,
    condition: &'a Condition,
    spoken: Vec<Spoken>,
    /// For each input that is spoken of, what it is called and in which round it is taken, if in
    /// several.
    names: FxHashMap<Term, (String, Option<usize>)>,
    /// The names of what the run takes, in order.
    all: Vec<String>,
}

impl<'a> Subject<'a> {
    fn new(program: &'a Program, cfa: &Cfa, condition: &'a Condition) -> Self {
        let called = names(program, cfa, condition);
        let mut subject = Subject {
            program,
            condition,
            spoken: Vec::new(),
            names: FxHashMap::default(),
            all: Vec::new(),
        };
        let mut rounds: FxHashMap<InputId, usize> = FxHashMap::default();
        for free in &condition.inputs {
            let most = rounds.entry(free.input).or_default();
            *most = (*most).max(free.round.map_or(0, |round| round + 1));
        }
        for free in &condition.inputs {
            let Some((name, signed)) = called.get(&free.input) else { continue };
            let scale = Scale::of(program.pool.sort(free.variable), *signed);
            subject.spoken.push(Spoken { variable: free.variable, scale, signed: *signed });
            let round = free.round.filter(|_| rounds[&free.input] > 1).map(|round| round + 1);
            subject.names.insert(free.variable, (name.clone(), round));
            if free.round.is_some() && !subject.all.contains(name) {
                subject.all.push(name.clone());
            }
        }
        subject
    }

    fn class(
        &self,
        settings: &Settings,
        allowance: &Allowance,
    ) -> Result<Option<Class>, smt::Error> {
        let pool = &self.program.pool;
        let mut widening =
            Widening::new(pool, self.condition, &self.spoken, settings.solvers, allowance)?;
        let inputs = &self.condition.inputs;
        let mut point: FxHashMap<Term, Value> =
            inputs.iter().map(|free| (free.variable, free.value.clone())).collect();
        let mut class = Class { cases: Vec::new(), complete: false };
        while class.cases.len() < MOST_CASES {
            let Some(literals) = widening.around(&point)? else { break };
            if literals.len() > MOST_CONDITIONS {
                break;
            }
            class.cases.push(self.case(&literals));
            match widening.other(&literals)? {
                Other::Point(other) => point = other,
                Other::None => {
                    class.complete = true;
                    break;
                }
                Other::Unknown => break,
            }
        }
        Ok((!class.cases.is_empty()).then_some(class))
    }

    /// A case in words.
    fn case(&self, literals: &[Literal]) -> Case {
        let pool = &self.program.pool;
        // By the round that a condition is about; zero: several, or there are no rounds.
        let mut of_round: BTreeMap<usize, Vec<words::Piece>> = BTreeMap::new();
        let mut mentioned: FxHashSet<&str> = FxHashSet::default();
        let signed: FxHashSet<Term> =
            self.spoken.iter().filter(|s| s.signed).map(|s| s.variable).collect();
        for literal in literals {
            let variables = term::traverse::free_vars(pool, &[literal.term(pool)]);
            let named = variables.iter().filter_map(|variable| self.names.get(variable));
            let named: Vec<&(String, Option<usize>)> = named.collect();
            mentioned.extend(named.iter().map(|(name, _)| name.as_str()));
            let first = named.first().and_then(|(_, round)| *round);
            let one = first.filter(|_| named.iter().all(|(_, round)| *round == first));
            let name = |variable: Term| {
                let (name, round) = self.names.get(&variable)?;
                Some(match round.filter(|_| one.is_none()) {
                    Some(round) => format!("{name}[{round}]"),
                    None => name.clone(),
                })
            };
            let pieces = words::pieces(pool, literal, &name, &|v| signed.contains(&v));
            of_round.entry(one.unwrap_or(0)).or_default().extend(pieces);
        }
        let mut conditions: Vec<Stage> = Vec::new();
        for (round, pieces) in of_round {
            let said = words::joined(pieces);
            if let Some(last) = conditions.last_mut()
                && let Some((_, to)) = &mut last.rounds
                && *to + 1 == round
                && last.conditions == said
            {
                *to = round;
                continue;
            }
            let rounds = (round > 0).then_some((round, round));
            conditions.push(Stage { rounds, conditions: said });
        }
        let any = self.all.iter().filter(|name| !mentioned.contains(name.as_str()));
        Case { conditions, any: any.cloned().collect() }
    }
}

/// What inputs are called that the environment gives, and whether their values have signs: as the
/// variable that takes them; or, where a function returns them, as the variable that has them later, of
/// the outermost function.
fn names(
    program: &Program,
    cfa: &Cfa,
    condition: &Condition,
) -> FxHashMap<InputId, (String, bool)> {
    let mut holders: FxHashMap<Term, Vec<(usize, String)>> = FxHashMap::default();
    for (holder, value) in &condition.holders {
        let Some(origin) = cfa.variables.get(holder) else { continue };
        let own = origin.variable.and_then(|variable| program.variables[variable].name.clone());
        let name = own.unwrap_or_else(|| origin.name.clone());
        let name = name.rsplit("::").next().unwrap_or(&name).to_owned();
        let depth = origin.context.map_or(0, |context| cfa.contexts[context].calls.len());
        if !name.contains('$') {
            holders.entry(*value).or_default().push((depth, name));
        }
    }
    let mut names: FxHashMap<InputId, (String, bool)> = FxHashMap::default();
    for free in &condition.inputs {
        let Some((own, signed, source)) = named(program, cfa, free.input) else { continue };
        if is_part(own) {
            continue;
        }
        let held = holders.get(&free.variable).and_then(|held| held.iter().min());
        let name = match (own, held) {
            (Some(name), _) => name.to_owned(),
            (None, Some((_, name))) => name.clone(),
            (None, None) => source,
        };
        // In another round it may be kept where it has a name.
        if held.is_some() || own.is_some() || !names.contains_key(&free.input) {
            names.insert(free.input, (name, signed));
        }
    }
    apart(&mut names);
    names
}

/// Tells inputs apart that have one name.
fn apart(names: &mut FxHashMap<InputId, (String, bool)>) {
    let mut inputs: Vec<InputId> = names.keys().copied().collect();
    inputs.sort_unstable();
    let mut used: FxHashMap<String, usize> = FxHashMap::default();
    for input in inputs {
        let Some((name, _)) = names.get_mut(&input) else { continue };
        let count = used.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            *name = format!("{name} ({count})");
        }
    }
}
