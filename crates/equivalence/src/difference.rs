//! Differences: inputs on which both versions end and give different outputs, found by executing
//! both.
//!
//! Floats are the same if they are equal as C compares them, or both NaN. A difference counts as one
//! only if it is more than rounding can explain ([`is_rounding`]), and between floats alone only if
//! several inputs show it: merely reordered arithmetic is left open.

use crate::inputs::{Constants, Inputs, mix};
use crate::observe::{Observed, Run, Seen, Trial};
use answer::Allowance;
use program::Property;
use program::counterexample::written;
use program::program::Reading;
use std::collections::{BTreeMap, BTreeSet};
use term::Value;
use value::{Format, Rounding};

/// How many inputs must show a difference of floats.
const WITNESSES: usize = 3;

/// Inputs, and what the versions make of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Names and values of inputs.
    pub inputs: Vec<(String, String)>,
    /// What is different: its name, and the values in the old and in the new version.
    pub outputs: Vec<(String, String, String)>,
    /// Whether signed arithmetic is assumed to wrap around.
    pub wraps: bool,
    /// The same as data.
    pub case: Case,
}

/// All that both runs depend on, and what they call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Parameters (`#0`, `#1` …, but for those that point to objects) and global variables, with how
    /// they are read.
    pub values: Vec<(String, Value, Reading)>,
    /// The first bytes of the objects that pointer parameters point to, in order.
    pub objects: Vec<Vec<u8>>,
    /// The first bytes of static objects that hold anything.
    pub statics: Vec<(String, Vec<u8>)>,
    /// How results are read; none of a function without one.
    pub results: Vec<Reading>,
    /// What functions without a body give, in both versions.
    pub given: [Vec<(String, Value)>; 2],
    /// The calls of functions without a body that may do something, in both versions.
    pub calls: [Vec<(String, Vec<Seen>)>; 2],
}

/// What was seen of runs.
#[derive(Clone, Default, Debug)]
pub struct Tried {
    /// A difference that counts.
    pub difference: Option<Difference>,
    /// Whether results were different by rounding, or in few runs.
    pub rounding: bool,
    /// What is undefined in a run of the new version where the old one ends.
    pub undefined: Option<(Property, Vec<(String, String)>)>,
    /// How many runs counted.
    pub runs: u64,
    /// How many did not, because signed arithmetic of the new version alone overflowed.
    pub overflowed: u64,
    floats: Vec<Difference>,
}

/// How two outputs compare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Likeness {
    Same,
    Rounding,
    Float,
    Different,
}

/// Both versions of a function.
pub struct Pair<'t> {
    /// The one before.
    pub old: &'t Trial,
    /// The one after.
    pub new: &'t Trial,
    /// The numbers that they mention.
    pub constants: &'t Constants,
    /// Whether inputs are such that a difference counts.
    pub counts: &'t dyn Fn(&BTreeMap<String, Value>) -> bool,
    /// Whether the result alone is compared.
    pub result_only: bool,
    /// Whether signed arithmetic wraps around.
    pub wraps: bool,
}

impl Pair<'_> {
    /// Executes both on many inputs.
    pub fn search(&self, seeds: std::ops::Range<u64>, allowance: &Allowance, tried: &mut Tried) {
        for seed in seeds {
            if tried.difference.is_some() || allowance.exhausted().is_some() {
                return;
            }
            let inputs = Inputs { seed: mix(seed, 1), ..Inputs::default() };
            self.attempt(&inputs, allowance, tried);
        }
    }

    /// Executes both on inputs.
    pub fn attempt(&self, inputs: &Inputs, allowance: &Allowance, tried: &mut Tried) {
        let run = |trial: &Trial, fill| {
            trial.run(inputs, self.constants, (fill, self.wraps), allowance).unwrap_or(Run::Lost)
        };
        let Run::Ended(old) = run(self.old, 1) else { return };
        if !(self.counts)(&old.inputs) {
            return;
        }
        let new = match run(self.new, 1) {
            Run::Ended(new) => new,
            // How large objects are is our own choice.
            Run::Undefined(Property::Pointer) => return,
            Run::Undefined(property) => {
                tried.overflowed += u64::from(property == Property::Overflow);
                let shown = self.inputs(&old);
                tried.undefined.get_or_insert((property, shown));
                return;
            }
            Run::Lost => return,
        };
        tried.runs += 1;
        let mut found = self.compare(inputs, &old, &new);
        if found.is_empty() {
            // What the new version reads without having written it may be anything else.
            let Run::Ended(other) = run(self.new, 2) else { return };
            found = self.compare(inputs, &old, &other);
        }
        let Some(worst) = found.iter().map(|(likeness, ..)| *likeness).max() else { return };
        let Run::Ended(again) = run(self.old, 2) else { return };
        if !self.compare_with(inputs, (self.old, &old), (self.old, &again)).is_empty() {
            return;
        }
        if worst == Likeness::Rounding {
            tried.rounding = true;
            return;
        }
        let outputs = found.into_iter().filter(|(likeness, ..)| *likeness > Likeness::Rounding);
        let outputs = outputs.map(|(_, what, old, new)| (what, old, new)).collect();
        let case = self.case(inputs, &old, &new);
        let difference = Difference { inputs: self.inputs(&old), outputs, wraps: self.wraps, case };
        match worst {
            Likeness::Different => tried.difference = Some(difference),
            _ => {
                if tried.floats.iter().all(|known| known.inputs != difference.inputs) {
                    tried.floats.push(difference);
                }
                tried.rounding = true;
                if tried.floats.len() >= WITNESSES || self.new.parameters().is_empty() {
                    tried.difference = tried.floats.first().cloned();
                }
            }
        }
    }

    fn case(&self, inputs: &Inputs, old: &Observed, new: &Observed) -> Case {
        let values = old.inputs.iter().chain(&new.inputs).collect::<BTreeMap<_, _>>().into_iter();
        let values =
            values.map(|(name, value)| (name.clone(), value.clone(), self.old.input_reading(name)));
        let bytes = |name: &str, size: u64| (0..size).map(|i| inputs.byte(name, i)).collect();
        let objects = old.sizes.iter().enumerate();
        let objects = objects.map(|(number, size)| bytes(&format!("*{number}"), *size)).collect();
        let statics = self.old.unknown_objects().into_iter().map(|(name, size)| {
            let bytes = bytes(&name, size);
            (name, bytes)
        });
        Case {
            values: values.collect(),
            objects,
            statics: statics.collect(),
            results: (0..old.results.len()).map(|number| self.old.reading(number)).collect(),
            given: [old.given.clone(), new.given.clone()],
            calls: [old.calls.clone(), new.calls.clone()],
        }
    }

    fn compare(&self, inputs: &Inputs, old: &Observed, new: &Observed) -> Vec<Output> {
        self.compare_with(inputs, (self.old, old), (self.new, new))
    }

    /// The outputs that are not the same.
    fn compare_with(
        &self,
        inputs: &Inputs,
        (first, old): (&Trial, &Observed),
        (second, new): (&Trial, &Observed),
    ) -> Vec<Output> {
        let mut found = Vec::new();
        for (i, (a, b)) in old.results.iter().zip(&new.results).enumerate() {
            let what = if old.results.len() == 1 { "result".into() } else { format!("result {i}") };
            let reading = first.reading(i);
            found.push((like(a, b), what, shown(a, reading), shown(b, reading)));
        }
        if self.result_only {
            found.retain(|(likeness, ..)| *likeness != Likeness::Same);
            return found;
        }
        for (name, a) in &old.globals {
            if let Some(b) = new.globals.get(name) {
                let reading = first.input_reading(name);
                let (a, b) = (Seen::Number(a.clone()), Seen::Number(b.clone()));
                found.push((like(&a, &b), name.clone(), shown(&a, reading), shown(&b, reading)));
            }
        }
        let keys: BTreeSet<&(String, u64)> = old.memory.keys().chain(new.memory.keys()).collect();
        let words: BTreeSet<(&str, u64)> =
            keys.into_iter().map(|(name, offset)| (name.as_str(), offset / 8 * 8)).collect();
        for (name, offset) in words {
            let word = |trial: &Trial, seen: &Observed| {
                let byte = |i: u64| {
                    let key = (name.to_owned(), offset + i);
                    let known = seen.memory.get(&key).copied();
                    known.unwrap_or_else(|| trial.initial(inputs, name, offset + i))
                };
                u64::from_le_bytes(std::array::from_fn(|i| byte(i as u64)))
            };
            let (a, b) = (word(first, old), word(second, new));
            let likeness = match a == b {
                true => Likeness::Same,
                false if may_be_rounding(a, b) => Likeness::Rounding,
                false => Likeness::Different,
            };
            let what = format!("memory of {name} at byte {offset}");
            found.push((likeness, what, format!("{a:#018x}"), format!("{b:#018x}")));
        }
        found.push(compare_calls(old, new));
        found.retain(|(likeness, ..)| *likeness != Likeness::Same);
        found
    }

    /// The inputs of a run, as they are shown.
    fn inputs(&self, seen: &Observed) -> Vec<(String, String)> {
        let inputs = seen.inputs.iter().map(|(name, value)| {
            let reading = self.old.input_reading(name);
            let index = name.strip_prefix('#').and_then(|number| number.parse::<usize>().ok());
            let known = index.and_then(|index| self.old.parameters()[index].as_deref());
            (known.unwrap_or(name).to_owned(), written(value, reading))
        });
        inputs.collect()
    }
}

/// How alike an output is, what it is, and its values.
type Output = (Likeness, String, String, String);

fn compare_calls(old: &Observed, new: &Observed) -> Output {
    let mut worst = Likeness::Same;
    for ((name, a), (other, b)) in old.calls.iter().zip(&new.calls) {
        if name != other || a.len() != b.len() {
            worst = Likeness::Different;
        }
        worst = a.iter().zip(b).map(|(a, b)| like(a, b)).chain([worst]).max().unwrap_or(worst);
    }
    if old.calls.len() != new.calls.len() {
        worst = Likeness::Different;
    }
    let list = |calls: &[(String, Vec<Seen>)]| {
        let shown_call = |(name, arguments): &(String, Vec<Seen>)| {
            let arguments: Vec<String> =
                arguments.iter().map(|a| shown(a, Reading::Signed)).collect();
            format!("{name}({})", arguments.join(", "))
        };
        let calls: Vec<String> = calls.iter().take(8).map(shown_call).collect();
        if calls.is_empty() { "none".to_owned() } else { calls.join("; ") }
    };
    (worst, "calls".to_owned(), list(&old.calls), list(&new.calls))
}

fn like(a: &Seen, b: &Seen) -> Likeness {
    match (a, b) {
        (Seen::Number(Value::Float(a)), Seen::Number(Value::Float(b))) => {
            let double = |f: &value::Float| {
                f.to_format(Format::F64, Rounding::NearestEven).to_f64().unwrap_or(f64::NAN)
            };
            if a.ieee_eq(b) || a.is_nan() && b.is_nan() {
                Likeness::Same
            } else if is_rounding(double(a), double(b)) {
                Likeness::Rounding
            } else {
                Likeness::Float
            }
        }
        _ if a == b => Likeness::Same,
        _ => Likeness::Different,
    }
}

/// The same of eight bytes of memory, which may hold integers: those look like floats that are next to
/// nothing.
fn may_be_rounding(a: u64, b: u64) -> bool {
    let [a, b] = [a, b].map(f64::from_bits);
    !a.is_subnormal() && !b.is_subnormal() && is_rounding(a, b)
}

/// Whether two different numbers may be results of the same formula with other roundings. Where one is
/// no number, or infinite, that is left open.
fn is_rounding(a: f64, b: f64) -> bool {
    let distance = (a - b).abs();
    !distance.is_finite() || distance <= 1e-9 || distance <= 1e-6 * a.abs().max(b.abs())
}

fn shown(seen: &Seen, reading: Reading) -> String {
    match seen {
        Seen::Number(value) => written(value, reading),
        Seen::Address(object, offset) => format!("&{object} + {offset}"),
        Seen::Text(bytes) => {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            format!("{:?}", String::from_utf8_lossy(&bytes[..end]))
        }
    }
}
