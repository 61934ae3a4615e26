//! An assertion as clauses.
//!
//! A goal is shown from premises: conjunctions of goals are several goals, implications move what they
//! assume to the premises, quantifiers go (bound variables have names of their own), and in the end
//! there is one predicate or `false` to show. A premise is a conjunction of applications and of formulas
//! without predicates; a disjunction that has predicates, or quantifiers, makes several clauses.

use super::Symbols;
use crate::system::{Application, Clause};
use rustc_hash::FxHashMap;
use term::smtlib::Place;
use term::traverse::subterms;
use term::{Op, Pool, Sort, Term};

/// The most clauses that one assertion may become.
const MAX_CLAUSES: usize = 10_000;
/// The most steps that taking one assertion apart may take.
const MAX_STEPS: usize = 1_000_000;

/// Why an assertion is no set of Horn clauses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// Two predicates would have to be concluded.
    TwoHeads,
    /// A predicate inside an argument or another operator.
    Nested,
    /// A quantifier that is none of the clause.
    Quantifier,
    /// It has too many clauses.
    Large,
}

impl Refused {
    /// What is wrong.
    pub fn message(self) -> &'static str {
        match self {
            Refused::TwoHeads => "this is no Horn clause: more than one predicate is concluded",
            Refused::Nested => "a predicate occurs inside a term",
            Refused::Quantifier => "a quantifier inside a constraint",
            Refused::Large => "the assertion stands for too many clauses",
        }
    }

    /// What to do.
    pub fn help(self) -> &'static str {
        match self {
            Refused::TwoHeads => {
                "write (forall … (=> (and p … constraint) q)), where predicates stand positively \
                 before the arrow and at most one behind it"
            }
            Refused::Nested => "apply predicates to variables, and state what they are beside them",
            Refused::Quantifier => {
                "variables of a clause are bound by one forall around it; constraints have none"
            }
            Refused::Large => "state its clauses one by one",
        }
    }
}

/// What is to be shown, from what.
#[derive(Clone)]
struct Sequent {
    /// Not yet taken apart.
    premises: Vec<Term>,
    body: Vec<Application>,
    constraint: Vec<Term>,
    /// Not yet taken apart; none: `false`, or what `head` says.
    goal: Option<Term>,
    head: Option<Application>,
}

/// Takes assertions apart.
pub struct Clausifier<'a> {
    pool: &'a Pool,
    symbols: &'a Symbols,
    place: Place,
    /// Whether there is a predicate or a quantifier in a term.
    opaque: FxHashMap<Term, bool>,
    steps: usize,
}

impl<'a> Clausifier<'a> {
    /// For an assertion at a place.
    pub fn new(pool: &'a Pool, symbols: &'a Symbols, place: Place) -> Self {
        Clausifier { pool, symbols, place, opaque: FxHashMap::default(), steps: 0 }
    }

    /// The clauses of an assertion.
    pub fn assertion(&mut self, term: Term) -> Result<Vec<Clause>, Refused> {
        self.clauses(Vec::new(), Some(term))
    }

    /// The clauses that say that no instance of a formula follows.
    pub fn query(&mut self, term: Term) -> Result<Vec<Clause>, Refused> {
        self.clauses(vec![term], None)
    }

    fn clauses(&mut self, premises: Vec<Term>, goal: Option<Term>) -> Result<Vec<Clause>, Refused> {
        let mut found = Vec::new();
        let (body, constraint, head) = (Vec::new(), Vec::new(), None);
        let mut pending = vec![Sequent { premises, body, constraint, goal, head }];
        while let Some(mut sequent) = pending.pop() {
            self.steps += 1;
            if self.steps > MAX_STEPS || found.len() > MAX_CLAUSES {
                return Err(Refused::Large);
            }
            if let Some(premise) = sequent.premises.pop() {
                self.premise(premise, sequent, &mut pending)?;
            } else if let Some(goal) = sequent.goal.take() {
                self.goal(goal, sequent, &mut pending)?;
            } else {
                let constraint = self.pool.and(sequent.constraint);
                if self.pool.as_bool(constraint) != Some(false) {
                    let Sequent { body, head, .. } = sequent;
                    found.push(Clause { body, constraint, head, place: self.place });
                }
            }
        }
        found.reverse();
        Ok(found)
    }

    /// Takes a goal apart.
    fn goal(
        &mut self,
        goal: Term,
        mut sequent: Sequent,
        pending: &mut Vec<Sequent>,
    ) -> Result<(), Refused> {
        let pool = self.pool;
        if !self.is_opaque(goal) {
            sequent.constraint.push(pool.not(goal));
            pending.push(sequent);
            return Ok(());
        }
        if let Some(application) = self.application(goal)? {
            if sequent.head.replace(application).is_some() {
                return Err(Refused::TwoHeads);
            }
            pending.push(sequent);
            return Ok(());
        }
        let args = pool.args(goal);
        match pool.op(goal) {
            Op::Forall => {
                sequent.goal = args.last().copied();
                pending.push(sequent);
            }
            Op::And => {
                for goal in args {
                    pending.push(Sequent { goal: Some(*goal), ..sequent.clone() });
                }
            }
            Op::Not => {
                sequent.premises.push(args[0]);
                pending.push(sequent);
            }
            Op::Or => {
                let (mut open, mut negated) = (Vec::new(), Vec::new());
                for arg in args {
                    match pool.op(*arg) {
                        Op::Not => negated.push(pool.args(*arg)[0]),
                        _ if self.is_opaque(*arg) => open.push(*arg),
                        _ => sequent.constraint.push(pool.not(*arg)),
                    }
                }
                sequent.premises.extend(negated);
                match open[..] {
                    [] => {}
                    [goal] => sequent.goal = Some(goal),
                    _ => return Err(Refused::TwoHeads),
                }
                pending.push(sequent);
            }
            Op::Ite => {
                let [condition, then, otherwise] = args[..] else {
                    unreachable!("if-then-else has three arguments")
                };
                let mut other = sequent.clone();
                sequent.premises.push(condition);
                sequent.goal = Some(then);
                other.premises.push(pool.not(condition));
                other.goal = Some(otherwise);
                pending.extend([sequent, other]);
            }
            Op::Eq if pool.sort(args[0]) == Sort::Bool => {
                for (premise, goal) in [(args[0], args[1]), (args[1], args[0])] {
                    let mut one = sequent.clone();
                    one.premises.push(premise);
                    one.goal = Some(goal);
                    pending.push(one);
                }
            }
            Op::Exists => return Err(Refused::Quantifier),
            _ => return Err(Refused::Nested),
        }
        Ok(())
    }

    /// Takes a premise apart.
    fn premise(
        &mut self,
        premise: Term,
        mut sequent: Sequent,
        pending: &mut Vec<Sequent>,
    ) -> Result<(), Refused> {
        let pool = self.pool;
        if !self.is_opaque(premise) {
            sequent.constraint.push(premise);
            pending.push(sequent);
            return Ok(());
        }
        if let Some(application) = self.application(premise)? {
            sequent.body.push(application);
            pending.push(sequent);
            return Ok(());
        }
        let args = pool.args(premise);
        match pool.op(premise) {
            Op::Exists => {
                sequent.premises.extend(args.last());
                pending.push(sequent);
            }
            Op::And => {
                sequent.premises.extend(args.iter().rev());
                pending.push(sequent);
            }
            Op::Or => {
                for way in args {
                    let mut one = sequent.clone();
                    one.premises.push(*way);
                    pending.push(one);
                }
            }
            Op::Ite => {
                let [condition, then, otherwise] = args[..] else {
                    unreachable!("if-then-else has three arguments")
                };
                let mut other = sequent.clone();
                sequent.premises.extend([then, condition]);
                other.premises.extend([otherwise, pool.not(condition)]);
                pending.extend([sequent, other]);
            }
            Op::Eq if pool.sort(args[0]) == Sort::Bool => {
                let mut other = sequent.clone();
                sequent.premises.extend([args[1], args[0]]);
                other.premises.extend([pool.not(args[1]), pool.not(args[0])]);
                pending.extend([sequent, other]);
            }
            Op::Not => return self.denied(args[0], sequent, pending),
            Op::Forall => return Err(Refused::Quantifier),
            _ => return Err(Refused::Nested),
        }
        Ok(())
    }

    /// Takes the negation of a premise apart.
    fn denied(
        &mut self,
        denied: Term,
        mut sequent: Sequent,
        pending: &mut Vec<Sequent>,
    ) -> Result<(), Refused> {
        let pool = self.pool;
        // ¬p ∧ φ ⇒ goal is φ ⇒ p ∨ goal.
        if let Some(application) = self.application(denied)? {
            if sequent.head.replace(application).is_some() {
                return Err(Refused::TwoHeads);
            }
            pending.push(sequent);
            return Ok(());
        }
        let args = pool.args(denied);
        let (conjunction, parts) = match pool.op(denied) {
            Op::Forall => {
                let body = args.last().copied().into_iter().collect::<Vec<_>>();
                (true, body)
            }
            Op::Or => (true, args.to_vec()),
            Op::And => (false, args.to_vec()),
            Op::Ite => {
                let branches = pool.ite(args[0], pool.not(args[1]), pool.not(args[2]));
                sequent.premises.push(branches);
                pending.push(sequent);
                return Ok(());
            }
            Op::Eq => {
                let premise = pool.eq(args[0], pool.not(args[1]));
                // What comes back is the negation again: that the two differ is said in two ways.
                let (a, b) = (args[0], args[1]);
                if *pool.op(premise) != Op::Not {
                    sequent.premises.push(premise);
                    pending.push(sequent);
                    return Ok(());
                }
                let mut other = sequent.clone();
                sequent.premises.extend([pool.not(b), a]);
                other.premises.extend([b, pool.not(a)]);
                pending.extend([sequent, other]);
                return Ok(());
            }
            Op::Exists => return Err(Refused::Quantifier),
            _ => return Err(Refused::Nested),
        };
        if conjunction {
            sequent.premises.extend(parts.iter().rev().map(|part| pool.not(*part)));
            pending.push(sequent);
            return Ok(());
        }
        for part in parts {
            let mut one = sequent.clone();
            one.premises.push(pool.not(part));
            pending.push(one);
        }
        Ok(())
    }

    /// The application that a term is.
    fn application(&mut self, term: Term) -> Result<Option<Application>, Refused> {
        let Some(predicate) = self.symbols.applied(self.pool, term) else { return Ok(None) };
        let arguments = self.pool.args(term).to_vec();
        match arguments.iter().any(|argument| self.is_opaque(*argument)) {
            true => Err(Refused::Nested),
            false => Ok(Some(Application { predicate, arguments })),
        }
    }

    /// Whether there is a predicate or a quantifier in a term.
    fn is_opaque(&mut self, term: Term) -> bool {
        if let Some(known) = self.opaque.get(&term) {
            return *known;
        }
        for part in subterms(self.pool, &[term]) {
            let itself = matches!(self.pool.op(part), Op::Forall | Op::Exists)
                || self.symbols.applied(self.pool, part).is_some();
            let opaque = itself || self.pool.args(part).iter().any(|arg| self.opaque[arg]);
            self.opaque.insert(part, opaque);
        }
        self.opaque[&term]
    }
}
