//! Actions of a chart, each under a control of its own [IEC 61131-3 §6.7.4.6, figures 22 and 23].
//!
//! An action that several steps are associated with runs once in a call, if any of them asks for it.
//! What its control keeps from call to call, flip-flops and timers, is there once for each
//! association, as if the action control of the standard were written for it. `R` of any active step
//! stops an action and resets what is stored. There is no final scan: an action whose control goes
//! false is not run once more.
//!
//! A Boolean variable as an action gets what its control says. Where it is set and reset only, it
//! keeps that itself, and its initial value counts.

use super::Lowerer;
use super::chart::Step;
use super::place::Place;
use crate::ast::{self, Association};
use crate::types::{PouId, Type};
use source::Diagnostic;
use source::diagnostic::Result;
use std::sync::Arc;
use term::Term;

/// The library's timer, which no file can take the place of.
const TIMER: &str = "ton_time";

/// The associations of an action, with the numbers of their steps.
type Associations<'a> = Vec<(usize, &'a Association)>;

impl<'a> Lowerer<'a> {
    /// The actions of a chart whose transitions have fired.
    pub(super) fn actions(&mut self, steps: &[Step<'a>], declared: &'a [ast::Step]) -> Result<()> {
        let mut found: Vec<(Arc<str>, Associations<'a>)> = Vec::new();
        for (at, step) in declared.iter().enumerate() {
            for association in &step.actions {
                // Code in place of a name is an action of its own.
                let key = match association.code {
                    Some(_) => format!("{}~{}", step.name.key, association.span.start).into(),
                    None => association.name.key.clone(),
                };
                match found.iter_mut().find(|(other, _)| *other == key) {
                    Some((_, list)) => list.push((at, association)),
                    None => found.push((key, vec![(at, association)])),
                }
            }
        }
        for (key, associations) in found {
            self.controlled(&key, steps, &associations)?;
        }
        Ok(())
    }

    /// One action.
    fn controlled(
        &mut self,
        key: &str,
        steps: &[Step<'a>],
        associations: &[(usize, &'a Association)],
    ) -> Result<()> {
        let first = associations[0].1;
        let is = |association: &Association, word| association.qualifier.is(word);
        let stops = associations.iter().filter(|(_, a)| is(a, "r"));
        let stops = self.pool.or(stops.map(|(at, _)| steps[*at].now).collect::<Vec<_>>());
        let goes_on = self.pool.not(stops);
        let variable = match first.code {
            None => self.variable(&first.name.key)?.filter(|place| place.ty == Type::Bool),
            Some(_) => None,
        };
        let stored = associations.iter().all(|(_, a)| is(a, "s") || is(a, "r"));
        if let (Some(place), true) = (&variable, stored) {
            let sets = associations.iter().filter(|(_, a)| is(a, "s"));
            let sets = self.pool.or(sets.map(|(at, _)| steps[*at].now).collect::<Vec<_>>());
            let old = self.read(place)?;
            let next = self.pool.and([goes_on, self.pool.or([sets, old])]);
            return self.write(place, next);
        }
        let mut asks = Vec::new();
        for (number, (at, association)) in associations.iter().enumerate() {
            if !is(association, "r") {
                self.span = association.span;
                let path = format!("{key}~{number}");
                asks.push(self.asks(&path, &steps[*at], association, stops)?);
            }
        }
        let runs = self.pool.and([goes_on, self.pool.or(asks)]);
        if let Some(place) = &variable {
            return self.write(place, runs);
        }
        let runs = self.keep(runs);
        let (then, next) = (self.new_location(), self.new_location());
        self.split(runs, then, next);
        self.continue_at(then);
        match &first.code {
            Some(code) => self.block(code)?,
            None => {
                self.call_named(&first.name, &[])?;
            }
        }
        self.jump(next);
        self.continue_at(next);
        Ok(())
    }

    /// Whether a step asks for an action.
    fn asks(
        &mut self,
        path: &str,
        step: &Step<'a>,
        association: &'a Association,
        stops: Term,
    ) -> Result<Term> {
        let active = step.now;
        Ok(match &*association.qualifier.key {
            "n" => active,
            "p" | "p1" => step.rises,
            "p0" => step.falls,
            "s" => self.flip_flop(path, active, stops)?,
            "l" => {
                let over = self.after(path, active, association)?;
                self.pool.and([active, self.pool.not(over)])
            }
            "d" => self.after(path, active, association)?,
            "sd" => {
                let stored = self.flip_flop(path, active, stops)?;
                self.after(path, stored, association)?
            }
            "ds" => {
                let waited = self.after(path, active, association)?;
                self.flip_flop(path, waited, stops)?
            }
            "sl" => {
                let stored = self.flip_flop(path, active, stops)?;
                let over = self.after(path, stored, association)?;
                self.pool.and([stored, self.pool.not(over)])
            }
            other => {
                let message = format!("there is no qualifier {}", other.to_uppercase());
                return Err(Diagnostic::error(association.span, message)
                    .help("there are N, R, S, L, D, P, SD, DS, SL, P0 and P1"));
            }
        })
    }

    /// A flip-flop `RS` that is kept under a name: what it is now.
    fn flip_flop(&mut self, path: &str, sets: Term, resets: Term) -> Result<Term> {
        let place = self.kept_in_chart(&format!("{path}~stored"), Type::Bool)?;
        let old = self.read(&place)?;
        let next = self.pool.and([self.pool.not(resets), self.pool.or([sets, old])]);
        let next = self.keep(next);
        self.write(&place, next)?;
        Ok(next)
    }

    /// A timer `TON` that is kept under a name: whether the association's time is over.
    fn after(&mut self, path: &str, input: Term, association: &'a Association) -> Result<Term> {
        let Some(time) = &association.time else {
            let qualifier = association.qualifier.key.to_uppercase();
            let message = format!("the qualifier {qualifier} needs a time");
            return Err(Diagnostic::error(association.span, message)
                .help("write it after the qualifier: action(L, T#5s)"));
        };
        let value = self.expression(time)?;
        let preset = self.coerce(value, &Type::TIME)?;
        let units = self.table.own..self.table.pous.len();
        let timer: PouId = units
            .into_iter()
            .find(|pou| self.table.pous[*pou].name.is(TIMER))
            .expect("the library has this timer");
        let place = self.kept_in_chart(&format!("{path}~timer"), Type::Block(timer))?;
        for (key, term) in [("in", input), ("pt", preset)] {
            let field = self.member_variable(&place, key)?.expect("timers have these inputs");
            self.write(&field, term)?;
        }
        self.run_block(&place, timer, Vec::new())?;
        let output = self.member_variable(&place, "q")?.expect("timers have this output");
        let term = self.read(&output)?;
        Ok(self.keep(term))
    }

    /// A variable of a chart of this instance that its text does not name.
    fn kept_in_chart(&mut self, name: &str, ty: Type<'a>) -> Result<Place<'a>> {
        let path = self.path_in_chart(name);
        let at = (usize::MAX, Arc::from(path.as_str()));
        if let Some(place) = self.kept.get(&at) {
            return Ok(place.clone());
        }
        let node = self.allocate(&ty, &path, "")?;
        let place = Place::new(ty, node);
        self.kept.insert(at, place.clone());
        self.at_start(|this| this.initialize(&place, None, true))?;
        Ok(place)
    }
}
