//! Z3 behind [`Solver`]: the second opinion, and the way out for quantifiers, integers and reals.
//!
//! Linked to the system's libz3 through `z3-sys`; only functions that Z3 4.8 has are called. A
//! term is translated once ([`translate`]) and models are read back by evaluation in Z3
//! ([`read`]). The context is not reference counted: what it makes lives as long as the solver.
//!
//! Z3's standard solver is two: tactics for a single question, and its SMT core, which it turns to when
//! questions follow one another. Setting the tactics up takes milliseconds, twenty times as long as the
//! rest together, so here they are only set up where they are used: for a question that is the first one
//! and has all formulas in it, and where the core gives up.

mod fixedpoint;
mod read;
mod translate;
mod watch;

pub use fixedpoint::Fixedpoint;

use crate::levels::Levels;
use crate::solver::{Answer, Error, Reason, Solver, Statistics};
use answer::{Allowance, Exhausted};
use std::ffi::{CStr, CString};
use term::traverse::subterms;
use term::{Op, Pool, Term, Value};
use translate::Translator;
use watch::watched;
use z3_sys::*;

/// A Z3 solver.
pub struct Z3 {
    context: Context,
    /// The SMT core.
    solver: Z3_solver,
    model: Option<Z3_model>,
    translator: Translator,
    /// Assumptions of the last question with the literals that Z3 knows them as.
    assumed: Vec<(Term, Z3_ast)>,
    /// Literals that stand for assumptions which are none, for one question each.
    proxies: Vec<Z3_ast>,
    core: Vec<Term>,
    allowance: Allowance,
    /// Whether somebody has given the allowance, and may raise its flag.
    watched: bool,
    /// Whether a question was ended, after which the context makes nothing any more.
    ended: bool,
    /// What was asserted, for the move to another context.
    levels: Levels,
    queries: u64,
}

/// An owned Z3 context.
struct Context(Z3_context);

// SAFETY: a context may be used by any thread as long as it is one at a time, which `&mut`
// guarantees; the one exception, `Z3_interrupt`, is made for being called from another thread.
unsafe impl Send for Z3 {}

impl Drop for Z3 {
    fn drop(&mut self) {
        // SAFETY: model and solver were referenced by us once and belong to the context, which
        // is deleted last; nothing uses them afterwards.
        unsafe {
            if let Some(model) = self.model.take() {
                Z3_model_dec_ref(self.context.0, model);
            }
            Z3_solver_dec_ref(self.context.0, self.solver);
            Z3_del_context(self.context.0);
        }
    }
}

impl Default for Z3 {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a formula is a variable or the negation of one. Of other assumptions Z3 gives no core
/// that can be relied on.
fn is_literal(pool: &Pool, formula: Term) -> bool {
    let is_variable = |t: Term| matches!(pool.op(t), Op::Var(_));
    is_variable(formula)
        || matches!(pool.op(formula), Op::Not) && is_variable(pool.args(formula)[0])
}

/// What Z3 answers unless it is out of memory, in which case the process is lost anyway.
fn made<T>(thing: Option<T>) -> T {
    thing.expect("Z3 returns an object unless it is out of memory")
}

impl Z3 {
    /// A solver with no formulas.
    pub fn new() -> Self {
        // SAFETY: plain construction calls; the configuration is deleted after its only use, and
        // the error handler is removed so that errors are codes, not a call of `exit`.
        unsafe {
            let config = made(Z3_mk_config());
            let context = made(Z3_mk_context(config));
            Z3_del_config(config);
            Z3_set_error_handler(context, None);
            let solver = made(Z3_mk_simple_solver(context));
            Z3_solver_inc_ref(context, solver);
            Z3 {
                context: Context(context),
                solver,
                model: None,
                translator: Translator::default(),
                assumed: Vec::new(),
                proxies: Vec::new(),
                core: Vec::new(),
                allowance: Allowance::default(),
                watched: false,
                ended: false,
                levels: Levels::default(),
                queries: 0,
            }
        }
    }

    fn translate(&mut self, pool: &Pool, term: Term) -> Result<Z3_ast, Error> {
        self.translator.term(self.context.0, pool, term)
    }

    fn drop_model(&mut self) {
        if let Some(model) = self.model.take() {
            // SAFETY: referenced once by `check_with`, dropped once here.
            unsafe { Z3_model_dec_ref(self.context.0, model) };
        }
    }

    /// Opens a level of Z3's.
    fn open(&mut self) {
        if !self.ended {
            // SAFETY: the solver belongs to the context.
            unsafe { Z3_solver_push(self.context.0, self.solver) };
        }
    }

    /// Closes levels of Z3's.
    fn close(&mut self, levels: usize) {
        if !self.ended {
            // SAFETY: the solver belongs to the context, and so many levels are open.
            unsafe { Z3_solver_pop(self.context.0, self.solver, levels as u32) };
        }
    }

    fn give(&mut self, formula: Z3_ast) {
        // SAFETY: solver and formula belong to the context.
        unsafe { Z3_solver_assert(self.context.0, self.solver, formula) };
    }

    /// Goes on with a new context, which knows what was asserted.
    fn renew(&mut self, pool: &Pool) -> Result<(), Error> {
        let mut new = Z3::new();
        for (depth, formulas) in self.levels.by_level().enumerate() {
            if depth > 0 {
                new.push();
            }
            for formula in formulas {
                new.assert(pool, *formula)?;
            }
        }
        new.set_allowance(self.allowance.clone());
        new.queries = self.queries;
        *self = new;
        Ok(())
    }

    /// SAT? formulas ∧ ⋀ only_here ∧ ⋀ assumed, asked of the tactics
    fn ask_tactics(&mut self, pool: &Pool, only_here: &[Z3_ast]) -> Result<Answer, Error> {
        let formulas: Vec<Term> = self.levels.formulas().collect();
        let formulas = formulas.into_iter().map(|formula| self.translate(pool, formula));
        let formulas = formulas.collect::<Result<Vec<Z3_ast>, Error>>()?;
        let context = self.context.0;
        // SAFETY: all belong to the context; the solver is referenced while it is asked.
        let solver = unsafe {
            let solver = made(Z3_mk_solver(context));
            Z3_solver_inc_ref(context, solver);
            for formula in formulas.iter().chain(only_here) {
                Z3_solver_assert(context, solver, *formula);
            }
            solver
        };
        let answer = self.ask(solver);
        // SAFETY: it was referenced above, once.
        unsafe { Z3_solver_dec_ref(context, solver) };
        Ok(answer)
    }

    /// Whether a question has a chance with the tactics after the core has given up.
    fn is_open(&self, pool: &Pool, answer: &Answer, question: &[Term]) -> bool {
        let quantified = |term: &Term| matches!(pool.op(*term), Op::Forall | Op::Exists);
        let formulas =
            || -> Vec<Term> { self.levels.formulas().chain(question.iter().copied()).collect() };
        !self.ended
            && matches!(answer, Answer::Unknown(Reason::Incomplete(_)))
            && !subterms(pool, &formulas()).iter().any(quantified)
    }

    /// Runs the check; where there is an allowance, it is watched.
    fn run(&mut self, solver: Z3_solver, assumptions: &[Z3_ast]) -> Z3_lbool {
        let count = assumptions.len() as u32;
        let context = self.context.0;
        // SAFETY: solver and assumptions belong to the context.
        let ask =
            || unsafe { Z3_solver_check_assumptions(context, solver, count, assumptions.as_ptr()) };
        if !self.watched {
            return ask();
        }
        let (answer, ended) = watched(context, &self.allowance, ask);
        self.ended |= ended;
        answer
    }

    fn reason_unknown(&self, solver: Z3_solver) -> Reason {
        // SAFETY: the solver belongs to the context; the string is copied before the next call.
        let reason = unsafe {
            CStr::from_ptr(Z3_solver_get_reason_unknown(self.context.0, solver))
                .to_string_lossy()
                .into_owned()
        };
        if self.allowance.interrupt.is_raised() {
            return Exhausted::Interrupted.into();
        }
        match reason.as_str() {
            "timeout" | "canceled" => Exhausted::Time.into(),
            _ => Reason::Incomplete(reason),
        }
    }

    /// The literal that stands for the assumption with this number among those that are none.
    fn proxy(&mut self, number: usize) -> Z3_ast {
        while self.proxies.len() <= number {
            let prefix = CString::new("assumed").expect("no NUL inside");
            // SAFETY: the sort belongs to the context; the string outlives the call that copies it.
            let proxy = unsafe {
                let sort = made(Z3_mk_bool_sort(self.context.0));
                made(Z3_mk_fresh_const(self.context.0, prefix.as_ptr(), sort))
            };
            self.proxies.push(proxy);
        }
        self.proxies[number]
    }

    fn implies(&self, premise: Z3_ast, conclusion: Z3_ast) -> Z3_ast {
        // SAFETY: both belong to the context.
        made(unsafe { Z3_mk_implies(self.context.0, premise, conclusion) })
    }

    /// SAT? formulas ∧ ⋀ assumed
    fn ask(&mut self, solver: Z3_solver) -> Answer {
        let literals: Vec<Z3_ast> = self.assumed.iter().map(|(_, literal)| *literal).collect();
        let answer = self.run(solver, &literals);
        // A context that was interrupted makes no objects any more, whatever it has answered.
        if self.ended {
            let why = self.allowance.exhausted().unwrap_or(Exhausted::Interrupted);
            return Answer::Unknown(why.into());
        }
        match answer {
            Z3_L_TRUE => {
                // SAFETY: the model is of this context and referenced until dropped.
                unsafe {
                    let model = made(Z3_solver_get_model(self.context.0, solver));
                    Z3_model_inc_ref(self.context.0, model);
                    self.model = Some(model);
                }
                Answer::Sat
            }
            Z3_L_FALSE => {
                self.read_core(solver);
                Answer::Unsat
            }
            _ => Answer::Unknown(self.reason_unknown(solver)),
        }
    }

    fn read_core(&mut self, solver: Z3_solver) {
        let context = self.context.0;
        // SAFETY: the vector is of this context and referenced while it is read.
        let used: Vec<Z3_ast> = unsafe {
            let vector = made(Z3_solver_get_unsat_core(context, solver));
            Z3_ast_vector_inc_ref(context, vector);
            let size = Z3_ast_vector_size(context, vector);
            let used = (0..size).map(|i| made(Z3_ast_vector_get(context, vector, i))).collect();
            Z3_ast_vector_dec_ref(context, vector);
            used
        };
        let in_core = |ast: Z3_ast| used.contains(&ast);
        self.core = self.assumed.iter().filter(|(_, ast)| in_core(*ast)).map(|(t, _)| *t).collect();
    }
}

impl Solver for Z3 {
    fn name(&self) -> &'static str {
        "z3"
    }

    fn push(&mut self) {
        self.levels.push();
        self.open();
    }

    fn pop(&mut self, levels: usize) {
        self.levels.pop(levels);
        self.close(levels);
    }

    fn assert(&mut self, pool: &Pool, formula: Term) -> Result<(), Error> {
        if !self.ended {
            let ast = self.translate(pool, formula)?;
            self.give(ast);
        }
        self.levels.assert(formula);
        Ok(())
    }

    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        self.queries += 1;
        self.drop_model();
        self.core.clear();
        self.assumed.clear();
        if let Some(exhausted) = self.allowance.exhausted() {
            return Ok(Answer::Unknown(exhausted.into()));
        }
        if self.ended {
            self.renew(pool)?;
        }
        let mut only_here = Vec::new();
        for assumption in assumptions {
            let ast = self.translate(pool, *assumption)?;
            let literal = if is_literal(pool, *assumption) {
                ast
            } else {
                let proxy = self.proxy(only_here.len());
                only_here.push(self.implies(proxy, ast));
                proxy
            };
            self.assumed.push((*assumption, literal));
        }
        if !clause.is_empty() {
            let disjunction = pool.or(clause.iter().copied());
            only_here.push(self.translate(pool, disjunction)?);
        }
        let whole =
            assumptions.is_empty() && clause.is_empty() && self.levels.by_level().count() == 1;
        if whole && self.queries == 1 {
            return self.ask_tactics(pool, &[]);
        }
        let answer = match only_here[..] {
            [] => self.ask(self.solver),
            _ => {
                self.open();
                only_here.iter().for_each(|formula| self.give(*formula));
                let answer = self.ask(self.solver);
                self.close(1);
                answer
            }
        };
        let question: Vec<Term> = assumptions.iter().chain(clause).copied().collect();
        match self.is_open(pool, &answer, &question) {
            true => self.ask_tactics(pool, &only_here),
            false => Ok(answer),
        }
    }

    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        let ast = self.translate(pool, term)?;
        let model = self.model.expect("value() is asked after Sat only");
        read::value(self.context.0, model, pool, pool.sort(term), ast)
    }

    fn core(&self) -> Vec<Term> {
        self.core.clone()
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.allowance = allowance;
        self.watched = true;
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.allowance.work = conflicts;
    }

    fn statistics(&self) -> Statistics {
        Statistics { queries: self.queries, ..Statistics::default() }
    }
}
