//! What was found of a circuit, for another version: clauses over latches, and traces.
//!
//! Latches and inputs are known by their symbols, and where they have none by their numbers. A clause that
//! speaks of a latch without a counterpart is left out; a value of a trace without one is left open.

use circuit::invariant::LatchLit;
use circuit::trace::Trace;
use circuit::{Clause, TransitionSystem};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A latch or an input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Wire {
    /// Its symbol.
    pub name: Option<String>,
    /// Its number.
    pub number: usize,
}

/// Clauses over latches: an invariant, or what a search had come to.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Clauses {
    /// The latches that the clauses speak of.
    pub latches: Vec<Wire>,
    /// The clauses; those that held longest first.
    pub clauses: Vec<Framed>,
}

/// A clause.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Framed {
    /// The highest frame that has it; none if it holds in all.
    pub frame: Option<usize>,
    /// The literals: positions in the list of latches, with the values.
    pub literals: Vec<(usize, bool)>,
}

/// What a violation takes: values of latches at first, and of inputs at each step.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Stimulus {
    /// The latches whose first values matter.
    pub initial: Vec<(Wire, bool)>,
    /// The inputs.
    pub inputs: Vec<Wire>,
    /// The steps: positions in the list of inputs, with the values.
    pub steps: Vec<Vec<(usize, bool)>>,
}

impl Clauses {
    /// Clauses about a circuit, each with the highest frame that has it.
    pub fn of(system: &TransitionSystem, clauses: &[(usize, Clause)]) -> Clauses {
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut latches = Vec::new();
        let mut sorted: Vec<&(usize, Clause)> = clauses.iter().collect();
        sorted.sort_by_key(|(frame, clause)| (std::cmp::Reverse(*frame), clause.len()));
        let mut literal = |l: &LatchLit| {
            let position = *numbers.entry(l.latch).or_insert_with(|| {
                let name = system.latches[l.latch].name.clone();
                latches.push(Wire { name, number: l.latch });
                latches.len() - 1
            });
            (position, l.value)
        };
        let framed = sorted.into_iter().map(|(frame, clause)| Framed {
            frame: (*frame != usize::MAX).then_some(*frame),
            literals: clause.iter().map(&mut literal).collect(),
        });
        let clauses = framed.collect();
        Clauses { latches, clauses }
    }

    /// What they may say of another circuit, in their order. Clauses that always hold are left out.
    pub fn matched(&self, system: &TransitionSystem) -> Vec<(usize, Clause)> {
        let names = system.latches.iter().map(|latch| latch.name.as_deref());
        let to = Counterparts::new(names).of(&self.latches);
        let literal =
            |(position, value): &(usize, bool)| Some(LatchLit::new((*to.get(*position)?)?, *value));
        let framed = self.clauses.iter().filter_map(|framed| {
            let clause: Option<Clause> = framed.literals.iter().map(literal).collect();
            let mut clause = clause?;
            clause.sort_unstable();
            clause.dedup();
            let always = clause.windows(2).any(|pair| pair[0].latch == pair[1].latch);
            (!always).then_some((framed.frame.unwrap_or(usize::MAX), clause))
        });
        framed.collect()
    }
}

impl Stimulus {
    /// What a trace of a circuit takes.
    pub fn of(system: &TransitionSystem, trace: &Trace) -> Stimulus {
        let first = trace.initial.iter().zip(&system.latches).enumerate();
        let initial = first.filter_map(|(number, (value, latch))| {
            Some((Wire { name: latch.name.clone(), number }, (*value)?))
        });
        let inputs = system.inputs.iter().enumerate();
        let steps = trace.inputs.iter().map(|step| {
            let values = step.iter().enumerate();
            values.filter_map(|(number, value)| Some((number, (*value)?))).collect()
        });
        Stimulus {
            initial: initial.collect(),
            inputs: inputs.map(|(number, i)| Wire { name: i.name.clone(), number }).collect(),
            steps: steps.collect(),
        }
    }

    /// The trace of another circuit that takes the same values.
    pub fn trace(&self, system: &TransitionSystem) -> Trace {
        let latches = Counterparts::new(system.latches.iter().map(|latch| latch.name.as_deref()));
        let mut initial = vec![None; system.latches.len()];
        for (wire, value) in &self.initial {
            // What is reset has its own first value.
            if let [Some(latch)] = latches.of(std::slice::from_ref(wire))[..]
                && system.latches[latch].init.value().is_none()
            {
                initial[latch] = Some(*value);
            }
        }
        let to = Counterparts::new(system.inputs.iter().map(|input| input.name.as_deref()));
        let to = to.of(&self.inputs);
        let step = |values: &Vec<(usize, bool)>| {
            let mut inputs = vec![None; system.inputs.len()];
            for (position, value) in values {
                if let Some(input) = to.get(*position).copied().flatten() {
                    inputs[input] = Some(*value);
                }
            }
            inputs
        };
        Trace { initial, inputs: self.steps.iter().map(step).collect() }
    }
}

/// Who is whose counterpart.
struct Counterparts<'a> {
    /// Those whose symbol nobody else has.
    by_name: FxHashMap<&'a str, Option<usize>>,
    count: usize,
}

impl<'a> Counterparts<'a> {
    fn new(names: impl Iterator<Item = Option<&'a str>>) -> Self {
        let mut by_name: FxHashMap<&str, Option<usize>> = FxHashMap::default();
        let mut count = 0;
        for (number, name) in names.enumerate() {
            count += 1;
            if let Some(name) = name {
                by_name.entry(name).and_modify(|one| *one = None).or_insert(Some(number));
            }
        }
        Counterparts { by_name, count }
    }

    /// By symbol; of what has none, or where no symbol is the same, by number.
    fn of(&self, wires: &[Wire]) -> Vec<Option<usize>> {
        let named = |wire: &Wire| self.by_name.get(wire.name.as_deref()?).copied().flatten();
        let strangers = wires.iter().all(|wire| named(wire).is_none());
        let number = |wire: &Wire| (wire.number < self.count).then_some(wire.number);
        let of = |wire: &Wire| match wire.name.is_none() || strangers {
            true => number(wire),
            false => named(wire),
        };
        wires.iter().map(of).collect()
    }
}
