//! A run of a controller's program as its users read it: a table of cycles. Of a failing run, the inputs
//! are given to the interpreter once more, which tells what all variables are at each cycle's end.
//!
//! * [`table`](Cycles::table): lines for reading; [`values`](Cycles::values): JSON;
//!   [`csv`](Cycles::csv): for spreadsheets; [`diagram`](Cycles::diagram): the timing diagram.
//! * [`page`]: a page of its own with all of it.

mod csv;
pub mod page;

use front_st::lower::{Lowered, Role};
use front_st::replay::{Replay, cycles, literal};
use front_st::run::{Cycle, Seen, Shown, run};
use front_st::timing::{self, Lane, Marks};
use program::Property;
use program::counterexample::Counterexample;
use program::interpret::Limits;
use serde_json::{Map, Value, json};
use verify::languages::st;
use verify::{Input, Task};

/// How many steps a run may have: a loop may not end.
pub const STEPS: u64 = 1_000_000_000;

/// How many where one does not end, which is seen early.
const STEPS_OF_A_LOOP: u64 = 5_000_000;

/// A run, cycle by cycle.
pub struct Cycles {
    lowered: Lowered,
    /// What was given.
    pub given: Vec<Cycle>,
    /// What was seen at the end of each.
    seen: Vec<Vec<Seen>>,
    marks: Marks,
}

impl Cycles {
    /// A run that was given.
    pub fn new(lowered: Lowered, given: Vec<Cycle>, shown: Shown) -> Cycles {
        Cycles { lowered, given, seen: shown.cycles, marks: Marks::default() }
    }

    /// A failing run, executed once more with somebody watching. None if it can't be told in cycles: it
    /// rests on values that are no inputs.
    pub fn of(task: &Task, found: &Counterexample) -> Option<Cycles> {
        if task.language.option() != "st" {
            return None;
        }
        let Replay { cycles: given, repeats } = cycles(found)?;
        let mut settings = task.reading.st.clone();
        settings.observed = true;
        settings.cycles = Some(given.len() as u64);
        settings.stated.clear();
        let inputs = task.files.iter().map(|file| {
            Some(Input::Text { name: file.name.clone(), text: file.text.as_ref()?.to_vec() })
        });
        let inputs: Vec<Input> = inputs.collect::<Option<_>>()?;
        let compiled = st::compiled(&inputs, &task.reading, &Default::default(), &settings).ok()?;
        let lowered = compiled.lowered.ok()?;
        let hangs = found.property == Some(Property::Termination);
        let steps = if hangs { STEPS_OF_A_LOOP } else { STEPS };
        let limits = Limits { steps, ..Limits::default() };
        let shown = run(&lowered, &given, limits).ok()?;
        let fails = repeats.is_none() && shown.cycles.len() == given.len();
        let marks = Marks { fails, repeats };
        Some(Cycles { lowered, given, seen: shown.cycles, marks })
    }

    /// The number of the first cycle, from one, of those that go on for ever, of a run without end.
    pub fn repeats(&self) -> Option<usize> {
        self.marks.repeats.map(|first| first + 1)
    }

    /// That cycles go on for ever, if they do, or that the last one does not end as others do.
    pub fn remark(&self) -> Option<String> {
        if self.unfinished().is_some() {
            return Some(format!("cycle {} does not come to its end", self.seen.len() + 1));
        }
        let (first, last) = (self.repeats()?, self.seen.len());
        Some(match first == last {
            true => format!("cycle {first} repeats for ever"),
            false => format!("cycles {first} to {last} repeat for ever"),
        })
    }

    /// A list with an object for each cycle.
    pub fn values(&self) -> Value {
        let rows = self.seen.iter().map(|row| {
            let entries = self.lowered.observed.entries.iter().zip(row);
            let fields = entries.map(|(entry, seen)| (entry.name.to_string(), value(seen)));
            Value::Object(fields.collect::<Map<_, _>>())
        });
        Value::Array(rows.collect())
    }

    /// For each cycle, what is given and what has changed.
    pub fn table(&self) -> String {
        let mut text = String::new();
        let mut before: Option<&Vec<Seen>> = None;
        for (number, row) in (1..).zip(&self.seen) {
            text.push_str(&format!("cycle {number}\n"));
            for (at, (entry, seen)) in self.lowered.observed.entries.iter().zip(row).enumerate() {
                let same = before.is_some_and(|before| before[at] == *seen);
                if same && entry.role == Role::Internal {
                    continue;
                }
                text.push_str(&format!(
                    "  {} {} = {}\n",
                    role(entry.role),
                    entry.name,
                    words(seen)
                ));
            }
            before = Some(row);
        }
        text.extend(self.remark().map(|remark| format!("{remark}\n")));
        let inputs = self.unfinished().into_iter().flat_map(|cycle| &cycle.set);
        text.extend(inputs.map(|(name, value)| format!("  in  {name} = {}\n", literal(value))));
        text
    }

    /// The cycle after which nothing was seen, though it was given.
    fn unfinished(&self) -> Option<&Cycle> {
        self.given.get(self.seen.len())
    }

    /// The timing diagram, in SVG.
    pub fn diagram(&self) -> String {
        timing::diagram(&self.lanes(), &self.times(), self.marks)
    }

    /// The clock at each cycle, in microseconds.
    fn times(&self) -> Vec<u64> {
        self.given.iter().take(self.seen.len()).map(|cycle| cycle.time).collect()
    }

    fn lanes(&self) -> Vec<Lane> {
        timing::lanes(&self.lowered, &self.seen)
    }
}

/// What a variable is, as tables have it.
fn role(role: Role) -> &'static str {
    match role {
        Role::Input => "in ",
        Role::Output => "out",
        Role::Internal => "   ",
    }
}

fn value(seen: &Seen) -> Value {
    match seen {
        Seen::Bool(truth) => json!(truth),
        Seen::Integer(number) => match (i64::try_from(*number), u64::try_from(*number)) {
            (Ok(number), _) => json!(number),
            (_, Ok(number)) => json!(number),
            _ => json!(number.to_string()),
        },
        // JSON has no infinities and no NaN.
        Seen::Real { value, .. } if !value.is_finite() => json!(value.to_string()),
        Seen::Real { value, single: true } => {
            let shortest = (*value as f32).to_string().parse::<f64>();
            json!(shortest.unwrap_or(*value))
        }
        Seen::Real { value, single: false } => json!(value),
        Seen::Text(text) => json!(text),
        Seen::List(values) => Value::Array(values.iter().map(value).collect()),
        Seen::Fields(fields) => {
            let fields = fields.iter().map(|(name, seen)| (name.to_string(), value(seen)));
            Value::Object(fields.collect())
        }
        Seen::Unknown => Value::Null,
    }
}

fn words(seen: &Seen) -> String {
    match seen {
        Seen::Bool(true) => "TRUE".to_owned(),
        Seen::Bool(false) => "FALSE".to_owned(),
        Seen::Text(text) => format!("'{text}'"),
        Seen::List(values) => {
            let values: Vec<String> = values.iter().map(words).collect();
            format!("[{}]", values.join(", "))
        }
        Seen::Fields(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, seen)| format!("{name} := {}", words(seen))).collect();
            format!("({})", fields.join(", "))
        }
        Seen::Unknown => "unknown".to_owned(),
        seen => value(seen).to_string(),
    }
}
