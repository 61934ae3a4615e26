//! Sequential function charts: which steps are active. What they do is in [`super::action`].
//!
//! In each call, transitions are looked at with the steps that are active; those whose steps are
//! all active and whose condition holds fire together, where several leave a step the first one.
//! Then actions run. Step `s` has `s.X` (active) and `s.T` (since when).

use super::Lowerer;
use super::place::Place;
use super::storage::Node;
use crate::ast::{Chart, Name, VariableKind};
use crate::types::{Field, Structure, Type};
use source::Diagnostic;
use source::diagnostic::Result;
use std::rc::Rc;
use std::sync::Arc;
use term::Term;

/// Whether a step was active when its actions ran last.
const SEEN: &str = "__seen";

/// What is kept of a step, and what it is in this call.
pub(super) struct Step<'a> {
    key: Arc<str>,
    place: Place<'a>,
    active: Place<'a>,
    elapsed: Place<'a>,
    seen: Place<'a>,
    /// Whether it was active before the transitions of this call.
    before: Term,
    /// Whether it is active now, and has become so or has been left since its actions ran last. The
    /// initial step becomes active when the program starts.
    pub(super) now: Term,
    pub(super) rises: Term,
    pub(super) falls: Term,
}

impl<'a> Lowerer<'a> {
    /// Runs a chart once.
    pub(super) fn chart(&mut self, chart: &'a Chart) -> Result<()> {
        let mut steps = Vec::new();
        for step in &chart.steps {
            let place = self.step_place(&step.name, step.initial)?;
            let member = |this: &mut Self, key| -> Result<Place<'a>> {
                let found = this.member_variable(&place, key)?;
                Ok(found.expect("steps have these fields"))
            };
            let active = member(self, "x")?;
            let elapsed = member(self, "t")?;
            let seen = member(self, SEEN)?;
            let now = self.read(&active)?;
            let before = self.keep(now);
            let (rises, falls) = (self.pool.fls(), self.pool.fls());
            self.frame.bindings.insert(step.name.key.clone(), place.clone());
            let key = step.name.key.clone();
            steps.push(Step { key, place, active, elapsed, seen, before, now, rises, falls });
        }
        for step in &steps {
            self.time_of_step(step)?;
        }
        self.block(&chart.always)?;
        self.fire(chart, &steps)?;
        for step in &mut steps {
            let now = self.read(&step.active)?;
            step.now = self.keep(now);
            let seen = self.read(&step.seen)?;
            let left = self.pool.or([seen, step.before]);
            let (rises, falls) = (
                self.pool.and([now, self.pool.not(seen)]),
                self.pool.and([self.pool.not(now), left]),
            );
            step.rises = self.keep(rises);
            step.falls = self.keep(falls);
            self.write(&step.seen, step.now)?;
        }
        self.actions(&steps, &chart.steps)
    }

    /// The path of something that a chart of this instance keeps.
    pub(super) fn path_in_chart(&self, name: &str) -> String {
        let spot = self.frame.this.as_ref().and_then(|this| this.spots.first());
        match spot.map(|spot| &spot.node) {
            Some(Node::Parts(parts)) => format!("{}.{name}", parts.0),
            _ => format!("{}.{name}", self.frame.path),
        }
    }

    /// What is kept of a step of this instance.
    fn step_place(&mut self, name: &'a Name, initial: bool) -> Result<Place<'a>> {
        let path = self.path_in_chart(&name.text);
        let at = (usize::MAX, Arc::from(path.as_str()));
        if let Some(place) = self.kept.get(&at) {
            return Ok(place.clone());
        }
        let field = |key: &str, ty| Field {
            key: key.into(),
            name: key.to_uppercase().into(),
            ty,
            initial: None,
            kind: VariableKind::Local,
            constant: false,
            edge: None,
            location: None,
            span: name.span,
        };
        let ty = Type::Structure(Rc::new(Structure {
            name: Arc::from("step"),
            fields: vec![
                field("x", Type::Bool),
                field("t", Type::TIME),
                field(crate::library::SINCE, Type::TIME),
                field(SEEN, Type::Bool),
            ],
            union: false,
            initial: None,
        }));
        let node = self.allocate(&ty, &path, &path)?;
        let place = Place::new(ty, node);
        self.kept.insert(at, place.clone());
        self.at_start(|this| {
            this.initialize(&place, None, true)?;
            let active = this.member_variable(&place, "x")?.expect("steps have this field");
            let term = this.pool.bool(initial);
            this.write(&active, term)
        })?;
        Ok(place)
    }

    /// The transitions that fire.
    fn fire(&mut self, chart: &'a Chart, steps: &[Step<'a>]) -> Result<()> {
        let mut order: Vec<(i128, &'a crate::ast::Transition)> = Vec::new();
        for transition in &chart.transitions {
            let priority = match &transition.priority {
                Some(priority) => self.constant(priority)?,
                None => i128::MAX,
            };
            order.push((priority, transition));
        }
        order.sort_by_key(|(priority, _)| *priority);
        let find = |name: &Name| {
            steps
                .iter()
                .position(|step| step.key == name.key)
                .ok_or_else(|| Diagnostic::error(name.span, format!("there is no step '{name}'")))
        };
        // Whether a step is still there to be left, and whether it is entered.
        let mut left: Vec<Term> = steps.iter().map(|step| step.before).collect();
        let mut entered: Vec<Term> = steps.iter().map(|_| self.pool.fls()).collect();
        for (_, transition) in order {
            self.span = transition.span;
            let value = self.expression(&transition.condition)?;
            let mut fires = vec![self.condition(value)?];
            for name in &transition.from {
                fires.push(left[find(name)?]);
            }
            let fires = self.pool.and(fires);
            let fires = self.keep(fires);
            self.reach_transition(transition, fires);
            for name in &transition.from {
                let at = find(name)?;
                left[at] = self.pool.and([left[at], self.pool.not(fires)]);
            }
            for name in &transition.to {
                let at = find(name)?;
                entered[at] = self.pool.or([entered[at], fires]);
            }
        }
        for (at, step) in steps.iter().enumerate() {
            let active = self.pool.or([left[at], entered[at]]);
            self.write(&step.active, active)?;
            let elapsed = self.read(&step.elapsed)?;
            let zero = self.pool.bv(0, 32);
            let elapsed = self.pool.ite(entered[at], zero, elapsed);
            self.write(&step.elapsed, elapsed)?;
        }
        Ok(())
    }

    /// How long a step is active, or was when it was left. What has passed since the last call counts
    /// if it was active then.
    fn time_of_step(&mut self, step: &Step<'a>) -> Result<()> {
        let Some(since) = self.member_variable(&step.place, crate::library::SINCE)? else {
            return Ok(());
        };
        let seen = self.read(&step.seen)?;
        let waited = self.read(&since)?;
        let elapsed = self.read(&step.elapsed)?;
        let most = self.pool.bits(value::Bits::max_signed(32));
        let fits = self.pool.bv_sle(waited, self.pool.bv_sub(most, elapsed));
        let sum = self.pool.ite(fits, self.pool.bv_add(elapsed, waited), most);
        let next = self.pool.ite(seen, sum, elapsed);
        self.write(&step.elapsed, next)?;
        let zero = self.pool.bv(0, 32);
        self.write(&since, zero)
    }
}
