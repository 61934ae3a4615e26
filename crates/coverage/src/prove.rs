//! Asks engines about events: whether a run shows one of them.
//!
//! A question is the program with a check in place of each probe that an event of it is about: at a point
//! one that always fails, at a decision one that fails for the values asked about. If the program is safe,
//! all events are excluded, by one proof that was accepted; if it is not, a run shows one, and is followed.
//! What is excluded is assumed in later questions: no run comes there.

use crate::flow::Flow;
use crate::probes::{Event, Probed};
use crate::status::Proof;
use answer::{EngineName, Reason, Unit};
use portable::Lemmas;
use program::counterexample::Counterexample;
use program::coverage::Tree;
use program::program::{Edge, Instruction, Location, Program};
use program::{Place, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::time::Duration;
use term::{Pool, Term};
use verify::ask::{Asked, Asking};
use verify::{Failure, Finding, Knowledge, Limits, Listener, Settings};

/// What engines have found.
pub struct Prover<'p> {
    probed: &'p Probed,
    flow: Flow<'p>,
    /// Who asks.
    pub asking: Asking,
    /// What is excluded, and by which proof.
    pub excluded: FxHashMap<Event, usize>,
    /// The proofs.
    pub proofs: Vec<Proof>,
    /// Why there is no answer, by event.
    pub tried: FxHashMap<Event, Tried>,
}

/// What engines did about an event without an answer.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Why there is none.
    pub reason: Reason,
    /// How far they came: so many of what each counts.
    pub reached: Vec<(EngineName, u64, Unit)>,
}

/// What became of a question.
pub enum Answered {
    /// All events are excluded.
    Excluded,
    /// Runs show some of them, if they can be followed.
    Shown(Vec<Counterexample>),
    /// Nobody knows.
    Open {
        /// Whether engines had a model to work on before the time was over.
        modelled: bool,
    },
}

impl<'p> Prover<'p> {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(probed: &'p Probed, settings: Settings, limits: &Limits) -> Prover<'p> {
        Prover {
            probed,
            flow: Flow::new(probed),
            asking: Asking::new(settings, limits),
            excluded: FxHashMap::default(),
            proofs: Vec::new(),
            tried: FxHashMap::default(),
        }
    }

    /// What may hold, for all questions from now on.
    pub fn guess(&mut self, lemmas: Vec<Lemmas>) {
        let known: Vec<Knowledge> = lemmas.into_iter().map(Knowledge::guessed).collect();
        self.asking.settings().known = known.into();
    }

    /// Asks whether a run shows one of some events.
    pub fn ask(
        &mut self,
        events: &[Event],
        time: Duration,
        listener: &mut dyn Listener,
    ) -> Result<Answered, Failure> {
        let program = self.question(events);
        let properties = BTreeSet::from([Property::DeadCode]);
        let asked = self.asking.ask(&program, &properties, Some(time), listener)?;
        let runs: Vec<Counterexample> = asked.runs().cloned().collect();
        let Asked { finding, engine, efforts, modelled, .. } = asked;
        Ok(match finding {
            Finding::Safe(proved) => {
                let number = self.proofs.len();
                self.proofs.push(Proof {
                    engine: engine.unwrap_or_else(|| EngineName::new("execution")),
                    kind: proved.kind,
                    k: proved.k,
                    size: proved.size,
                    questions: events.len(),
                    invariant: Vec::new(),
                });
                self.excluded.extend(events.iter().map(|event| (*event, number)));
                let follow = self.flow.excluded(&self.excluded);
                self.excluded.extend(follow);
                Answered::Excluded
            }
            Finding::Unsafe(_) => Answered::Shown(runs),
            Finding::Unknown(reason) => {
                let came = efforts.into_iter().filter(|effort| effort.reached > 0);
                let reached = came.map(|effort| (effort.engine, effort.reached, effort.unit));
                let tried = Tried { reason, reached: reached.collect() };
                self.tried.extend(events.iter().map(|event| (*event, tried.clone())));
                Answered::Open { modelled }
            }
        })
    }

    /// The program that asks whether a run shows one of some events.
    pub fn question(&self, events: &[Event]) -> Program {
        let mut program = self.probed.program.clone();
        let points: FxHashSet<usize> = events.iter().filter_map(Event::point).collect();
        let asked = by_decision(events.iter());
        let excluded = by_decision(self.excluded.keys());
        let Program { pool, functions, .. } = &mut program;
        for function in functions.values_mut() {
            for edge in function.body.iter_mut().flat_map(|body| body.edges.values_mut()) {
                let Instruction::Assign(into, term) = &edge.instruction else { continue };
                let Some(&number) = self.probed.numbers.get(into) else { continue };
                edge.instruction = match self.probed.event(number, 0) {
                    Some(Event::Point(_)) => {
                        let point = pool.as_bits(*term).and_then(|bits| bits.to_u64());
                        let point = point.map_or(usize::MAX, |point| point as usize);
                        if points.contains(&point) {
                            Instruction::Check(Property::DeadCode, pool.fls())
                        } else if self.excluded.contains_key(&Event::Point(point)) {
                            Instruction::Assume(pool.fls())
                        } else {
                            Instruction::Skip
                        }
                    }
                    Some(Event::Decision(decision, _)) => {
                        let tree = &self.probed.trees[decision];
                        let none = |of: &FxHashMap<usize, Vec<u64>>| {
                            of.get(&decision).map(|all| none_of(pool, *term, tree, all))
                        };
                        match (none(&asked), none(&excluded)) {
                            (Some(asked), _) => Instruction::Check(Property::DeadCode, asked),
                            (None, Some(known)) => Instruction::Assume(known),
                            (None, None) => Instruction::Skip,
                        }
                    }
                    None => Instruction::Skip,
                };
            }
        }
        program
    }

    /// The same with a check for each event, at places of their own.
    pub fn questions(&self, events: &[Event]) -> Program {
        let mut program = self.question(&[]);
        for (number, event) in events.iter().enumerate() {
            let sites = match event {
                Event::Point(point) => &self.probed.points[*point],
                Event::Decision(decision, _) => &self.probed.decisions[*decision],
            };
            for &(function, edge) in sites {
                let Program { pool, functions, .. } = &mut program;
                let probe = &self.probed.program.functions[function].body().edges[edge];
                let Instruction::Assign(_, term) = &probe.instruction else { continue };
                let formula = match event {
                    Event::Point(_) => pool.fls(),
                    Event::Decision(decision, values) => {
                        none_of(pool, *term, &self.probed.trees[*decision], &[*values])
                    }
                };
                let Some(body) = functions[function].body.as_mut() else { continue };
                let from = body.locations.alloc(Location::default());
                let to = std::mem::replace(&mut body.edges[edge].to, from);
                let instruction = Instruction::Check(Property::DeadCode, formula);
                body.edges.alloc(Edge { from, to, instruction, place: place_of(number) });
            }
        }
        program
    }
}

/// The place of the check for an event in [`Prover::questions`]: one within the program, as nobody is asked
/// about what is beyond it.
pub fn place_of(number: usize) -> Place {
    Place { line: number as u32 + 1, column: 1, ..Place::default() }
}

impl Event {
    /// The point that it is about.
    fn point(&self) -> Option<usize> {
        match self {
            Event::Point(point) => Some(*point),
            Event::Decision(..) => None,
        }
    }
}

/// The values that are asked about, by decision, in order.
fn by_decision<'e>(events: impl Iterator<Item = &'e Event>) -> FxHashMap<usize, Vec<u64>> {
    let mut found: FxHashMap<usize, Vec<u64>> = FxHashMap::default();
    for event in events {
        if let Event::Decision(decision, values) = event {
            found.entry(*decision).or_default().push(*values);
        }
    }
    found.values_mut().for_each(|values| values.sort_unstable());
    found
}

/// The probe's value is none of these, where conditions are evaluated.
fn none_of(pool: &Pool, probe: Term, tree: &Tree, all: &[u64]) -> Term {
    let bit = |number: u32| pool.eq(pool.bv_extract(probe, number, number), pool.bv(1, 1));
    let others = all.iter().map(|values| {
        let evaluated = tree.evaluate(*values).evaluated;
        let literals = (0..pool.width(probe)).filter(|number| evaluated >> number & 1 == 1);
        let literals = literals.map(|number| {
            let is_true = bit(number);
            if values >> number & 1 == 1 { is_true } else { pool.not(is_true) }
        });
        pool.not(pool.and(literals))
    });
    pool.and(others)
}
