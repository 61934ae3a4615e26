//! From a program to the automaton that engines see, and what becomes of it when that was not enough.
//!
//! A program whose calls make many edges is modelled as far as the properties depend on it
//! ([`model::Options::cone`], here called its *slice*); if a run found there can't be followed in the
//! program, the whole of it is modelled. Recursion is unrolled to a depth that grows until a proof
//! says that it suffices, or a run that does not meet the end of the unrolling is found. If the
//! program looks at addresses, a proof counts for the slice alone, where that does not matter; or
//! for the program that does not ([`super::unplace`]).

use super::recall::{Prepared, Recalling};
use super::{Claim, Decider, Stage};
use crate::board::Modelled;
use crate::code::race::Race;
use crate::engines::Engine;
use crate::failure::Failure;
use crate::language::Rejection;
use crate::listener::{Listener, Note, Size};
use crate::question::Settings;
use answer::{EngineName, Reason};
use program::minimize::{self, Minimized, Pass};
use program::model::{self, Model};
use program::verdict::{Invariant, Proof};
use program::{Cfa, Place, Program, Property};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use term::Pool;

/// How many open calls of one function the first model has.
pub const FIRST_DEPTH: u32 = 4;
/// How many it may have at most.
const LAST_DEPTH: u32 = 1 << 12;
/// How many edges the model of a whole program may have; of a larger one, first the slice of the
/// properties is modelled.
const WHOLE_EDGES: usize = 30_000;

/// What is modelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Scope {
    /// The whole program, or the slice of the properties if that is too large.
    Fitting,
    /// The whole program.
    Whole,
    /// What the properties depend on.
    Slice,
}

/// A model, and the smaller automaton that the engines see.
pub struct Encoding {
    /// What proofs are checked on.
    pub model: Model,
    /// What engines work on, with the way back.
    pub minimized: Minimized,
}

/// How a program is modelled.
pub fn options(settings: &Settings, properties: &BTreeSet<Property>) -> model::Options {
    model::Options {
        properties: properties.clone(),
        initialized: settings.with(Pass::Initialized),
        pointers: settings.with(Pass::Pointers),
        ..model::Options::default()
    }
}

/// Whether the slice of the properties is modelled: always, never, or as it fits.
fn slices(settings: &Settings) -> Option<bool> {
    match (settings.with(Pass::Cone), settings.slice) {
        (false, _) => Some(false),
        (true, true) => Some(true),
        (true, false) => None,
    }
}

/// How deep recursion is unrolled in a slice: calls that seem recursive because pointers are not told
/// apart make large models.
fn slice_depth(depth: u32) -> u32 {
    (depth / FIRST_DEPTH).max(1)
}

/// The automaton of a program, with recursion unrolled to a depth.
pub fn model_of(
    program: &Program,
    properties: &BTreeSet<Property>,
    settings: &Settings,
    depth: u32,
    scope: Scope,
) -> Result<Model, model::Error> {
    let options = model::Options { recursion: depth, ..options(settings, properties) };
    let slice = model::Options { cone: true, recursion: slice_depth(depth), ..options.clone() };
    match (scope, slices(settings)) {
        (Scope::Whole, _) | (_, Some(false)) => model::model(program, &options),
        (Scope::Slice, _) | (_, Some(true)) => model::model(program, &slice),
        (Scope::Fitting, None) => {
            let small = model::Options { edges: WHOLE_EDGES, ..options };
            match model::model(program, &small) {
                Err(model::Error::Size { .. }) => model::model(program, &slice),
                other => other,
            }
        }
    }
}

/// Why there is no model.
pub fn refusal(error: &model::Error) -> Failure {
    match error {
        model::Error::Malformed { .. } => Failure::defect("the model", error),
        model::Error::Size { .. } | model::Error::Unsupported { .. } => {
            Failure::Rejected(Rejection::new(error.to_string()))
        }
    }
}

/// The size of an automaton.
pub fn size(cfa: &Cfa) -> Size {
    Size { locations: cfa.locations.len(), edges: cfa.edges.len(), variables: cfa.variables.len() }
}

impl<'a> Decider<'a, '_> {
    /// One model, with recursion unrolled to a depth, and engines on it. If minimization finds that no
    /// run leads to a violation, that is a claim.
    pub(super) fn encode(
        &mut self,
        depth: u32,
        scope: Scope,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        let prepared = self.prepared.take().filter(|prepared| prepared.extent == (depth, scope));
        let prepared = match prepared {
            Some(prepared) => prepared,
            None => match self.prepare((depth, scope), listener)? {
                Some(prepared) => prepared,
                None => {
                    self.stage = Stage::Last;
                    return Ok(None);
                }
            },
        };
        let violation = |cfa: &Cfa| cfa.edges.values().any(|edge| Some(edge.to) == cfa.error);
        let done = !violation(&prepared.encoding.minimized.cfa);
        let engines =
            if done { Vec::new() } else { self.engines(&prepared.encoding.minimized.cfa) };
        self.start_race(prepared, &engines);
        self.reason = Reason::NoEngine;
        self.stage = Stage::Race;
        let proof = Proof::Inductive(Invariant::default());
        let claim =
            || Claim::Proof(EngineName::new("minimization"), Box::new((Pool::new(), proof)));
        Ok(done.then(claim))
    }

    /// Lets engines work on a model, with what is known to hold of it.
    pub(super) fn start_race(&mut self, prepared: Prepared, engines: &[&'static dyn Engine]) {
        self.keep_unfinished();
        let pool = &self.program.pool;
        let Recalling { favoured, worth, .. } = &self.recalling;
        let favoured = favoured.as_deref().map(|name| (name, *worth));
        let race = Race::start(&self.setup, pool, prepared, engines, favoured, self.record);
        self.race = Some(race);
    }

    /// The model, minimized; none if there is none, and then the reason is known.
    pub(super) fn prepare(
        &mut self,
        (depth, scope): (u32, Scope),
        listener: &mut dyn Listener,
    ) -> Result<Option<Prepared>, Failure> {
        let settings = self.setup.settings;
        let model = match model_of(self.program, self.properties, settings, depth, scope) {
            Ok(model) => model,
            Err(model::Error::Size { place, limit }) => {
                self.reason = Reason::ModelSize { place, limit };
                return Ok(None);
            }
            // Symbolic execution needs no model.
            Err(model::Error::Unsupported { place, what }) => {
                self.reason = Reason::Unsupported { what: format!("{place}: {what}") };
                return Ok(None);
            }
            Err(error) => return Err(refusal(&error)),
        };
        let assumptions = self.program.assumptions.iter().chain(&model.assumptions);
        self.record.assume(assumptions, listener);
        let pool = &self.program.pool;
        let minimized = minimize::minimize(pool, &model.cfa, &settings.minimization());
        self.note_passes(&model, &minimized, listener);
        self.record.board.modelled(Modelled {
            model: size(&model.cfa),
            minimized: size(&minimized.cfa),
            recursion: if model.cone { slice_depth(depth) } else { depth },
        });
        Ok(Some(Prepared::new((depth, scope), Encoding { model, minimized })))
    }

    fn note_passes(&self, model: &Model, minimized: &Minimized, listener: &mut dyn Listener) {
        let seconds = self.setup.budget.elapsed();
        let (slice, whole) = (model.cone, size(&model.cfa));
        listener.note(&Note::Modelled { slice, size: whole, seconds });
        for pass in model.passes.iter().chain(&minimized.passes) {
            listener.note(&Note::Passed(pass));
        }
        listener.note(&Note::Minimized { size: size(&minimized.cfa), seconds });
    }

    /// The depth and the scope of the last model.
    fn extent(&self) -> (u32, Scope) {
        self.race.as_ref().map_or((FIRST_DEPTH, Scope::Fitting), |race| race.extent)
    }

    /// Recursion was not unrolled deep enough.
    pub(super) fn deepen(&mut self) {
        self.stop_race();
        let (depth, scope) = self.extent();
        if depth >= LAST_DEPTH {
            self.reason = Reason::Recursion { depth: LAST_DEPTH };
            self.stage = Stage::Last;
            return;
        }
        self.stage = Stage::Encode { depth: 2 * depth, scope };
    }

    /// A run of the slice is none of the program.
    pub(super) fn widen(&mut self) {
        self.stop_race();
        if let Some(place) = self.placed.take() {
            self.stage = Stage::Unplace(place);
            return;
        }
        let (depth, _) = self.extent();
        self.stage = Stage::Encode { depth, scope: Scope::Whole };
    }

    /// The program is safe as objects are placed here, and looks at them.
    pub(super) fn narrow(&mut self, place: Place) {
        self.stop_race();
        let (_, scope) = self.extent();
        if scope == Scope::Fitting && slices(self.setup.settings).is_none() {
            self.placed = Some(place);
            self.stage = Stage::Encode { depth: FIRST_DEPTH, scope: Scope::Slice };
        } else {
            self.stage = Stage::Unplace(place);
        }
    }
}
