//! SMT-LIB scripts to clauses.
//!
//! Read is the logic HORN as CHC-COMP fixes it, and what people write beside it: several heads in one
//! assertion, implications in heads, `let` and defined functions anywhere, queries as `… ⇒ false`, as
//! ¬∃ or as the negation of a predicate, disjunctions in bodies, assertions without quantifiers, and the
//! commands of Z3's fixed-point engines (`declare-rel`, `declare-var`, `rule`, `query`). Functions
//! with a Bool result are the predicates, Bool constants are predicates without arguments.
//!
//! [`clausify`] takes an assertion apart. What has several positive predicates in one clause is not
//! Horn and is rejected with its place, and so are datatypes, free constants, functions and
//! uninterpreted sorts, which would be unknown too.

mod clausify;

use crate::system::{Predicate, PredicateId, System};
use clausify::{Clausifier, Refused};
use rustc_hash::FxHashMap;
use term::smtlib::{Command, Declared, Located, ParseError, Parser, Place};
use term::{Func, Op, Pool, Sort, Term};

/// Why a script is not taken, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {message}; {help}")]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl From<ParseError> for ReadError {
    fn from(error: ParseError) -> Self {
        ReadError { place: error.place, message: error.message, help: error.help.into_owned() }
    }
}

/// The clauses of a script.
pub fn read(pool: &Pool, text: &[u8]) -> Result<System, ReadError> {
    let mut reader = Reader { pool, system: System::default(), symbols: Symbols::default() };
    let mut last = Place { line: 1, column: 1 };
    for located in Parser::new(pool, text).with_rules() {
        let located = located?;
        last = located.place;
        reader.command(&located)?;
    }
    if reader.system.clauses.is_empty() {
        return Err(ReadError {
            place: last,
            message: "the script has no clauses".to_owned(),
            help: "state them by (assert (forall … (=> … …)))".to_owned(),
        });
    }
    Ok(reader.system)
}

/// What names of the script stand for.
#[derive(Default)]
pub(crate) struct Symbols {
    functions: FxHashMap<Func, PredicateId>,
    /// Predicates without arguments.
    constants: FxHashMap<Term, PredicateId>,
}

impl Symbols {
    /// The predicate that a term applies.
    pub(crate) fn applied(&self, pool: &Pool, term: Term) -> Option<PredicateId> {
        match pool.op(term) {
            Op::Apply(func) => self.functions.get(func).copied(),
            Op::Var(_) => self.constants.get(&term).copied(),
            _ => None,
        }
    }
}

struct Reader<'p> {
    pool: &'p Pool,
    system: System,
    symbols: Symbols,
}

impl Reader<'_> {
    fn command(&mut self, located: &Located) -> Result<(), ReadError> {
        let place = located.place;
        let refused =
            |message: String, help: &str| Err(ReadError { place, message, help: help.to_owned() });
        match &located.command {
            Command::Declare { name, declared } => self.declare(place, *name, declared),
            Command::DeclareSort { name, .. } => refused(
                format!("the sort `{}` is not interpreted", self.pool.name(*name)),
                "Horn clauses are read over Bool, bit-vectors, floats, Int, Real and arrays",
            ),
            Command::Assert { term, .. } | Command::Rule(term) => self.clauses(place, *term, false),
            Command::Query(term) => self.clauses(place, *term, true),
            Command::Push(_) | Command::Pop(_) | Command::ResetAssertions | Command::Reset => {
                refused(
                    "one question a script".to_owned(),
                    "write each set of clauses to a file of its own; `cairn solve` runs scripts",
                )
            }
            Command::CheckSatAssuming(_) => refused(
                "assumptions beside the clauses".to_owned(),
                "assert them as clauses, and ask by (check-sat)",
            ),
            _ => Ok(()),
        }
    }

    fn declare(
        &mut self,
        place: Place,
        name: term::Symbol,
        declared: &Declared,
    ) -> Result<(), ReadError> {
        let pool = self.pool;
        let text = pool.name(name);
        let (sorts, result) = match declared {
            Declared::Constant(term) => (Vec::new(), pool.sort(*term)),
            Declared::Function(func) => {
                let function = pool.declaration(*func);
                (function.params.clone(), function.result)
            }
        };
        if result != Sort::Bool {
            let what = if sorts.is_empty() { "constant" } else { "function" };
            return Err(ReadError {
                place,
                message: format!("the {what} `{text}` is not a predicate"),
                help:
                    "in Horn clauses predicates alone are unknown; bind other symbols by forall, \
                       or define them by define-fun"
                        .to_owned(),
            });
        }
        let id = self.system.predicates.len();
        self.system.predicates.push(Predicate::new(pool, text, sorts));
        match declared {
            Declared::Constant(term) => drop(self.symbols.constants.insert(*term, id)),
            Declared::Function(func) => drop(self.symbols.functions.insert(*func, id)),
        }
        Ok(())
    }

    /// The clauses of an assertion, or of a query, which says that its formula does not follow.
    fn clauses(&mut self, place: Place, term: Term, query: bool) -> Result<(), ReadError> {
        let mut clausifier = Clausifier::new(self.pool, &self.symbols, place);
        let taken = match query {
            true => clausifier.query(term),
            false => clausifier.assertion(term),
        };
        let refused = |refused: Refused| ReadError {
            place,
            message: refused.message().to_owned(),
            help: refused.help().to_owned(),
        };
        self.system.clauses.extend(taken.map_err(refused)?);
        Ok(())
    }
}
