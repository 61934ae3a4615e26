//! Sequential function charts: which steps are active, and what they do.
//!
//! In each call, transitions are looked at with the steps that are active; those whose steps are
//! all active and whose condition holds fire together, where several leave a step the first one.
//! Then actions of active steps run. Step `s` has `s.X` (active) and `s.T` (since when).

use super::Lowerer;
use super::place::Place;
use super::storage::Node;
use crate::ast::{Association, Chart, Name, VariableKind};
use crate::types::{Field, Structure, Type};
use source::Diagnostic;
use source::diagnostic::Result;
use std::rc::Rc;
use std::sync::Arc;
use term::Term;

/// What is kept of a step.
struct Step<'a> {
    key: Arc<str>,
    place: Place<'a>,
    active: Place<'a>,
    elapsed: Place<'a>,
    /// Whether it was active before the transitions of this call.
    before: Term,
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
            let now = self.read(&active)?;
            let before = self.keep(now);
            self.frame.bindings.insert(step.name.key.clone(), place.clone());
            steps.push(Step { key: step.name.key.clone(), place, active, elapsed, before });
        }
        self.fire(chart, &steps)?;
        let outer = std::mem::take(&mut self.stored);
        for (step, declared) in steps.iter().zip(&chart.steps) {
            self.time_of_step(step)?;
            for association in &declared.actions {
                self.span = association.span;
                self.associated(step, association)?;
            }
        }
        for (name, place) in std::mem::replace(&mut self.stored, outer) {
            let runs = self.read(&place)?;
            let (then, next) = (self.new_location(), self.new_location());
            self.split(runs, then, next);
            self.continue_at(then);
            self.call_named(name, &[])?;
            self.jump(next);
            self.continue_at(next);
        }
        Ok(())
    }

    /// The path of something that a chart of this instance keeps.
    fn path_in_chart(&self, name: &str) -> String {
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
            span: name.span,
        };
        let ty = Type::Structure(Rc::new(Structure {
            name: Arc::from("step"),
            fields: vec![
                field("x", Type::Bool),
                field("t", Type::TIME),
                field(crate::library::SINCE, Type::TIME),
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
        }
        Ok(())
    }

    /// How long a step is active.
    fn time_of_step(&mut self, step: &Step<'a>) -> Result<()> {
        let Some(since) = self.member_variable(&step.place, crate::library::SINCE)? else {
            return Ok(());
        };
        let active = self.read(&step.active)?;
        let waited = self.read(&since)?;
        let elapsed = self.read(&step.elapsed)?;
        let most = self.pool.bits(value::Bits::max_signed(32));
        let fits = self.pool.bv_sle(waited, self.pool.bv_sub(most, elapsed));
        let sum = self.pool.ite(fits, self.pool.bv_add(elapsed, waited), most);
        let zero = self.pool.bv(0, 32);
        let stays = self.pool.and([active, step.before]);
        let next = self.pool.ite(stays, sum, zero);
        self.write(&step.elapsed, next)?;
        self.write(&since, zero)
    }

    /// `S` and `R` of an action that is code: it runs, once a call, from the step that sets it to
    /// the step that resets it.
    fn stored_action(&mut self, association: &'a Association, when: Term) -> Result<()> {
        let path = self.path_in_chart(&format!("{}~stored", association.name.key));
        let at = (usize::MAX, Arc::from(path.as_str()));
        let place = match self.kept.get(&at) {
            Some(place) => place.clone(),
            None => {
                let node = self.allocate(&Type::Bool, &path, "")?;
                let place = Place::new(Type::Bool, node);
                self.kept.insert(at, place.clone());
                self.at_start(|this| this.initialize(&place, None, true))?;
                place
            }
        };
        let old = self.read(&place)?;
        let set = self.pool.bool(association.qualifier.is("s"));
        let next = self.pool.ite(when, set, old);
        self.write(&place, next)?;
        if !self.stored.iter().any(|(name, _)| name.key == association.name.key) {
            self.stored.push((&association.name, place));
        }
        Ok(())
    }

    /// An action of a step.
    fn associated(&mut self, step: &Step<'a>, association: &'a Association) -> Result<()> {
        let active = self.read(&step.active)?;
        let rises = self.pool.and([active, self.pool.not(step.before)]);
        let falls = self.pool.and([self.pool.not(active), step.before]);
        let (when, value) = match &*association.qualifier.key {
            "n" => (active, Some(active)),
            "p" | "p1" => (rises, Some(rises)),
            "p0" => (falls, Some(falls)),
            "s" => (rises, None),
            "r" => (rises, None),
            other => {
                let message = format!("the qualifier {} is not supported", other.to_uppercase());
                return Err(Diagnostic::error(association.span, message)
                    .help("there are N, S, R, P, P0 and P1"));
            }
        };
        let when = self.keep(when);
        if association.code.is_none()
            && let Some(place) = self.variable(&association.name.key)?
            && matches!(place.ty, Type::Bool)
        {
            let old = self.read(&place)?;
            let set = self.pool.bool(association.qualifier.is("s"));
            let next = value.unwrap_or_else(|| self.pool.ite(when, set, old));
            return self.write(&place, next);
        }
        if value.is_none() {
            return self.stored_action(association, when);
        }
        let (then, next) = (self.new_location(), self.new_location());
        self.split(when, then, next);
        self.continue_at(then);
        match &association.code {
            Some(code) => self.block(code)?,
            None => {
                self.call_named(&association.name, &[])?;
            }
        }
        self.jump(next);
        self.continue_at(next);
        Ok(())
    }
}
