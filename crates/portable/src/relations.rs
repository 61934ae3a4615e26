//! Relations that solve the clauses of a program's procedures, as a document.
//!
//! A relation belongs to a location of a procedure, and speaks of the inputs that its call began with and
//! of variables now. Procedures are known by the name of their function and by which of those with this
//! name they are; the entry and the exit are what they are, and other locations are paired in order: all of
//! them if there are as many, otherwise those that say something with those that are asked about. Variables
//! are matched as those of summaries are ([`crate::calls`]).

use crate::calls::{Role, numbered, renaming};
use crate::invariant::symbol;
use program::cfa::LocationId;
use program::procedures::{ProcedureId, Procedures};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use term::print::Printer;
use term::traverse::{Substitution, conjuncts, free_vars};
use term::{Pool, Term, smtlib};

/// What a predicate is to a program.
pub struct Standing<'a> {
    /// The procedure, and its location.
    pub at: (ProcedureId, LocationId),
    /// The inputs that the call began with, and the variables now.
    pub arguments: &'a (Vec<Term>, Vec<Term>),
    /// The parameters that stand for those, in order.
    pub parameters: &'a [Term],
}

/// Relations by location.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Relations {
    /// Declares the variables that formulas speak of, as SMT-LIB commands.
    pub declarations: String,
    /// What the variables `%0`, `%1`, … stand for in the relation that speaks of them.
    pub variables: Vec<Role>,
    /// Those that say something.
    pub relations: Vec<Relation>,
}

/// A location, and what holds there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Relation {
    /// The name of its function.
    pub function: Arc<str>,
    /// Which of the procedures of this name it is in.
    pub number: usize,
    /// Where in it.
    pub point: Point,
    /// What holds there, as SMT-LIB terms.
    pub formulas: Vec<String>,
}

/// A point of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Point {
    /// Where calls begin.
    Entry,
    /// Where they return.
    Exit,
    /// Another one.
    Inner {
        /// Which in the order of locations.
        number: usize,
        /// Of how many.
        of: usize,
    },
}

/// What points of procedures are called.
struct Points {
    procedures: FxHashMap<ProcedureId, (Arc<str>, usize)>,
    points: FxHashMap<(ProcedureId, LocationId), Point>,
}

impl Points {
    fn of(procedures: &Procedures) -> Points {
        let names = numbered(procedures).into_iter();
        let names = names.map(|(id, name, number)| (id, (name, number))).collect();
        let mut points = FxHashMap::default();
        for (id, procedure) in procedures.procedures.iter() {
            points.insert((id, procedure.entry), Point::Entry);
            points.insert((id, procedure.exit), Point::Exit);
            let inner: Vec<LocationId> = (procedure.locations.iter().map(|(at, _)| at))
                .filter(|at| *at != procedure.entry && *at != procedure.exit)
                .collect();
            for (number, &at) in inner.iter().enumerate() {
                points.insert((id, at), Point::Inner { number, of: inner.len() });
            }
        }
        Points { procedures: names, points }
    }

    fn name(&self, (procedure, location): (ProcedureId, LocationId)) -> (&Arc<str>, usize, Point) {
        let (function, number) = &self.procedures[&procedure];
        (function, *number, self.points[&(procedure, location)])
    }
}

/// The parameters of a predicate, with what they are.
fn roles(pool: &Pool, standing: &Standing<'_>) -> Vec<(Role, Term)> {
    let (began, now) = standing.arguments;
    let of = |after: bool, all: &[Term]| -> Vec<Role> {
        let all = all.iter().enumerate();
        all.map(|(place, &term)| Role::of(pool, after, term, place)).collect()
    };
    let roles = of(false, began).into_iter().chain(of(true, now));
    roles.zip(standing.parameters.iter().copied()).collect()
}

impl Relations {
    /// What solves the clauses of a program, over the parameters of its predicates; terms are of `pool`.
    pub fn of<'a>(
        pool: &Pool,
        procedures: &Procedures,
        relations: impl Iterator<Item = (Standing<'a>, Term)>,
    ) -> Relations {
        let points = Points::of(procedures);
        let (mut variables, mut said) = (Vec::new(), Vec::new());
        let mut printer = Printer::new(pool);
        for (standing, relation) in relations.filter(|(_, r)| pool.as_bool(*r).is_none()) {
            let spoken: FxHashSet<Term> = free_vars(pool, &[relation]).into_iter().collect();
            let mut map = FxHashMap::default();
            for (role, term) in roles(pool, &standing) {
                if spoken.contains(&term) {
                    map.insert(term, pool.var(&symbol(variables.len()), pool.sort(term)));
                    variables.push(role);
                }
            }
            let mut renaming = Substitution::new(map);
            let parts = conjuncts(pool, relation).into_iter();
            let formulas = parts.map(|part| printer.term(renaming.apply(pool, part))).collect();
            let (function, number, point) = points.name(standing.at);
            said.push(Relation { function: function.clone(), number, point, formulas });
        }
        Relations { declarations: printer.take_declarations(), variables, relations: said }
    }

    /// What may hold of the predicates of another version, over their parameters. None if the document is
    /// not what this module writes.
    pub fn on(
        &self,
        pool: &Pool,
        procedures: &Procedures,
        predicates: &[Standing<'_>],
    ) -> Option<Vec<Vec<Term>>> {
        let formulas = self.read(pool)?;
        let points = Points::of(procedures);
        let mut inner: FxHashMap<ProcedureId, usize> = FxHashMap::default();
        let of = |standing: &Standing<'_>| {
            let (function, number, point) = points.name(standing.at);
            let rank = matches!(point, Point::Inner { .. }).then(|| {
                let next = inner.entry(standing.at.0).or_default();
                *next += 1;
                *next - 1
            });
            let Some(found) = self.find(function, number, point, rank) else { return Vec::new() };
            let formulas = &formulas[found];
            let mut renaming = renaming(pool, &self.variables, &roles(pool, standing), formulas);
            formulas.iter().filter_map(|formula| renaming.apply(pool, *formula)).collect()
        };
        Some(predicates.iter().map(of).collect())
    }

    /// The relation that a point of another version goes to; `rank` says which of the inner ones of its
    /// procedure that are asked about it is.
    fn find(
        &self,
        function: &str,
        number: usize,
        point: Point,
        rank: Option<usize>,
    ) -> Option<usize> {
        let there =
            |relation: &&Relation| &*relation.function == function && relation.number == number;
        let position = |wanted: Point| {
            let is = |relation: &Relation| there(&relation) && relation.point == wanted;
            self.relations.iter().position(is)
        };
        let Point::Inner { of, .. } = point else { return position(point) };
        let inner = self.relations.iter().enumerate().filter(|(_, relation)| {
            there(relation) && matches!(relation.point, Point::Inner { .. })
        });
        let mut inner = inner.peekable();
        match inner.peek()?.1.point {
            Point::Inner { of: before, .. } if before == of => position(point),
            _ => inner.nth(rank?).map(|(position, _)| position),
        }
    }

    /// The formulas of each relation, over variables called [`symbol`].
    fn read(&self, pool: &Pool) -> Option<Vec<Vec<Term>>> {
        let mut text = self.declarations.clone();
        for formula in self.relations.iter().flat_map(|relation| &relation.formulas) {
            text.push_str(&format!("\n(assert {formula})"));
        }
        let script = smtlib::parse(pool, text.as_bytes()).ok()?;
        let mut terms = script.assertions();
        let mut read = |relation: &Relation| -> Option<Vec<Term>> {
            relation.formulas.iter().map(|_| terms.next()).collect()
        };
        let formulas = self.relations.iter().map(&mut read).collect::<Option<Vec<_>>>()?;
        terms.next().is_none().then_some(formulas)
    }
}
