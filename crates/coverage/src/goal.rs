//! Goals: what a test is to show.

use program::Place;
use program::coverage::{Condition, Decision, Function, Label, Map, PointKind, Role, Spot};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Kinds of goals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A function is entered, or a statement begins.
    Statement,
    /// A decision has one of its values, or a `switch` goes to one of its labels.
    Decision,
    /// A condition has one of its values.
    Condition,
    /// A condition decides the value of its decision by itself.
    Mcdc,
    /// A call is made.
    Call,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] =
        [Kind::Statement, Kind::Decision, Kind::Condition, Kind::Mcdc, Kind::Call];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Statement => "statement",
            Kind::Decision => "decision",
            Kind::Condition => "condition",
            Kind::Mcdc => "mcdc",
            Kind::Call => "call",
        }
    }

    /// The kinds that a criterion asks for: the criteria of DO-178C include one another, `call` and
    /// `all` apart.
    #[must_use]
    pub fn of_criterion(name: &str) -> Option<BTreeSet<Kind>> {
        let up_to = |kind: Kind| Kind::ALL.into_iter().filter(|k| *k <= kind).collect();
        Some(match name {
            "statement" => up_to(Kind::Statement),
            "decision" => up_to(Kind::Decision),
            "condition" => up_to(Kind::Condition),
            "mcdc" => up_to(Kind::Mcdc),
            "call" => [Kind::Call].into(),
            "all" => Kind::ALL.into(),
            _ => return None,
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a goal is about, by numbers in the [`Map`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum What {
    /// A run comes to a point.
    Point(usize),
    /// A decision has a value.
    Outcome {
        /// Which decision.
        decision: usize,
        /// Which value.
        value: bool,
    },
    /// A condition has a value.
    Truth {
        /// Which decision.
        decision: usize,
        /// Which of its conditions.
        condition: usize,
        /// Which value.
        value: bool,
    },
    /// Two evaluations show that a condition decides by itself.
    Independence {
        /// Which decision.
        decision: usize,
        /// Which of its conditions.
        condition: usize,
    },
}

/// What a test is to show.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Its name: the file, the function, and which of the function's goals of that kind it is. It stays
    /// the same where other functions change, and lines move.
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// What it is about.
    pub what: What,
    /// Where.
    pub spot: Spot,
    /// The function.
    pub function: Arc<str>,
    /// What it is, in words.
    pub about: String,
}

impl Goal {
    /// The place in the source.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.spot.place
    }
}

/// All goals of some kinds, in the order of the source.
///
/// A function that several files get from one header is there several times: copies that are not used do
/// not count where another one is.
#[must_use]
pub fn goals(map: &Map, kinds: &BTreeSet<Kind>) -> Vec<Goal> {
    let mut made = Making { map, goals: Vec::new(), names: Names::new(map) };
    for (number, _) in map.points.iter().enumerate().filter(|(_, point)| point.counts) {
        made.point(number);
    }
    for (number, _) in map.decisions.iter().enumerate().filter(|(_, decision)| decision.counts) {
        made.decision(number);
    }
    let mut goals = made.goals;
    let is_copy = |number: usize| {
        let function = &map.functions[number];
        let mut others = map.functions.iter();
        let same =
            |other: &Function| (&other.name, &other.place) == (&function.name, &function.place);
        !function.used && others.any(|other| other.used && same(other))
    };
    let copies: Vec<bool> = (0..map.functions.len()).map(is_copy).collect();
    goals.retain(|goal| kinds.contains(&goal.kind) && !copies[goal.spot.function]);
    goals.sort_by(|a, b| (a.place(), a.kind).cmp(&(b.place(), b.kind)));
    goals
}

struct Making<'m> {
    map: &'m Map,
    goals: Vec<Goal>,
    names: Names,
}

impl Making<'_> {
    fn add(&mut self, kind: Kind, what: What, spot: &Spot, name: &str, about: String) {
        let function: &Function = &self.map.functions[spot.function];
        let id = format!("{}:{name}", self.names.functions[spot.function]);
        let about = match &spot.in_macro {
            Some(name) => format!("{about}, within macro {name}"),
            None => about,
        };
        let function = function.name.clone();
        self.goals.push(Goal { id, kind, what, spot: spot.clone(), function, about });
    }

    fn point(&mut self, number: usize) {
        let point = &self.map.points[number];
        let (what, spot) = (What::Point(number), &point.spot);
        match &point.kind {
            PointKind::Entry => {
                let about = format!("beginning of function '{}'", self.function(spot));
                self.add(Kind::Statement, what, spot, "entry", about);
            }
            PointKind::Statement(_) => {
                let name = self.names.next(spot, 's');
                self.add(Kind::Statement, what, spot, &name, "statement".to_owned());
            }
            PointKind::Call(callee) => {
                let name = self.names.next(spot, 'k');
                let about = match callee {
                    Some(callee) => format!("call of '{callee}'"),
                    None => "call through a pointer".to_owned(),
                };
                self.add(Kind::Call, what, spot, &name, about);
            }
            PointKind::Transition { from, to } => {
                let name = self.names.next(spot, 't');
                let about = format!("transition from {from} to {to} fires");
                self.add(Kind::Decision, what, spot, &name, about);
            }
            PointKind::Label { selection, label } => {
                let words = self.map.words;
                let (name, about) = match label {
                    Label::Case(number, text) => (
                        format!("w{selection}.case{}", number + 1),
                        format!("label '{}{text}' of {}", words.case, words.selection),
                    ),
                    Label::Default { written: true } => (
                        format!("w{selection}.default"),
                        format!("label '{}' of {}", words.default, words.selection),
                    ),
                    Label::Default { written: false } => (
                        format!("w{selection}.default"),
                        format!("no label of {}", words.selection),
                    ),
                };
                self.add(Kind::Decision, what, spot, &name, about);
            }
        }
    }

    fn function(&self, spot: &Spot) -> &str {
        &self.map.functions[spot.function].name
    }

    fn decision(&mut self, decision: usize) {
        let Decision { spot, role, conditions, .. } = &self.map.decisions[decision];
        let name = self.names.next(spot, 'd');
        for value in [true, false] {
            let what = What::Outcome { decision, value };
            let about = outcome(*role, value);
            self.add(Kind::Decision, what, spot, &format!("{name}.{value}"), about);
        }
        for (condition, about) in conditions.iter().enumerate() {
            let name = format!("{name}.c{}", condition + 1);
            let spot = &about.spot;
            for value in [true, false] {
                let what = What::Truth { decision, condition, value };
                let about = format!("{} is {value}", described(about));
                self.add(Kind::Condition, what, spot, &format!("{name}.{value}"), about);
            }
            let what = What::Independence { decision, condition };
            let about = format!("{} decides by itself", described(about));
            self.add(Kind::Mcdc, what, spot, &format!("{name}.mcdc"), about);
        }
    }
}

/// What a value of a decision means.
fn outcome(role: Role, value: bool) -> String {
    match (role, value) {
        (Role::If, true) => "if-branch: decision is true".to_owned(),
        (Role::If, false) => "else-branch: decision is false".to_owned(),
        (Role::Loop, true) => "loop goes on: decision is true".to_owned(),
        (Role::Loop, false) => "loop ends: decision is false".to_owned(),
        (Role::Until, true) => "loop ends: decision is true".to_owned(),
        (Role::Until, false) => "loop goes on: decision is false".to_owned(),
        (Role::Conditional, true) => "first branch of ?: (decision is true)".to_owned(),
        (Role::Conditional, false) => "second branch of ?: (decision is false)".to_owned(),
        (Role::Value, value) => format!("decision is {value}"),
    }
}

/// A condition in words.
fn described(condition: &Condition) -> String {
    match condition.operator {
        Some(operator) => format!("operand '{}' of {operator}", condition.text),
        None => format!("condition '{}'", condition.text),
    }
}

/// The names of functions, and how many goals of a sort each has so far.
struct Names {
    functions: Vec<String>,
    counts: Vec<[usize; 4]>,
}

impl Names {
    fn new(map: &Map) -> Names {
        let name = |function: &Function| {
            let file = function.place.file.rsplit(['/', '\\']).next().unwrap_or_default();
            format!("{file}:{}", function.name)
        };
        // Used ones first, so that their names do not depend on copies that are not.
        let mut functions: Vec<String> = map.functions.iter().map(name).collect();
        let mut known: FxHashMap<String, usize> = FxHashMap::default();
        for used in [true, false] {
            let of_sort = functions.iter_mut().zip(&map.functions).filter(|(_, f)| f.used == used);
            for (name, _) in of_sort {
                let count = known.entry(name.clone()).or_default();
                *count += 1;
                if *count > 1 {
                    name.push_str(&format!("#{count}"));
                }
            }
        }
        Names { functions, counts: vec![[0; 4]; map.functions.len()] }
    }

    /// The next name with a letter: `s`tatement, `k` for a call, `t`ransition, `d`ecision.
    fn next(&mut self, spot: &Spot, letter: char) -> String {
        let column = match letter {
            's' => 0,
            'k' => 1,
            't' => 2,
            _ => 3,
        };
        let count = &mut self.counts[spot.function][column];
        *count += 1;
        format!("{letter}{count}")
    }
}
