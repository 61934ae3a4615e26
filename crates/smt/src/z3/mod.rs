//! Z3 behind [`Solver`]: the second opinion, and the way out for quantifiers, integers and reals.
//!
//! Linked to the system's libz3 through `z3-sys`; only functions that Z3 4.8 has are called. A
//! term is translated once ([`translate`]) and models are read back by evaluation in Z3
//! ([`read`]). The context is not reference counted: what it makes lives as long as the solver.

mod fixedpoint;
mod read;
mod translate;

pub use fixedpoint::Fixedpoint;

use crate::solver::{Answer, Error, Reason, Solver, Statistics};
use answer::{Allowance, Exhausted, Interrupt};
use std::ffi::{CStr, CString};
use std::time::{Duration, Instant};
use term::{Op, Pool, Term, Value};
use translate::Translator;
use z3_sys::*;

/// How often a running Z3 looks at the interrupt flag.
const POLL: Duration = Duration::from_millis(10);

/// What part of the time that Z3 was told must be left for it to be still true.
const FRESH: f64 = 0.95;

/// A Z3 solver.
pub struct Z3 {
    context: Context,
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
    /// What Z3 was last told: until when, and how long that was then.
    timeout: Option<(Instant, Duration)>,
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

/// Asks something that may take long; a second thread watches the flag meanwhile.
fn interruptibly<T>(context: Z3_context, interrupt: &Interrupt, ask: impl FnOnce() -> T) -> T {
    let done = std::sync::atomic::AtomicBool::new(false);
    let address = context.as_ptr() as usize;
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Acquire) {
                if interrupt.is_raised() {
                    let context = address as *mut _;
                    let context = std::ptr::NonNull::new(context).expect("not null above");
                    // SAFETY: the context outlives the scope, and Z3_interrupt is the one
                    // call that is allowed while another thread is inside Z3.
                    unsafe { Z3_interrupt(context) };
                }
                std::thread::park_timeout(POLL);
            }
        });
        let answer = ask();
        done.store(true, std::sync::atomic::Ordering::Release);
        watcher.thread().unpark();
        answer
    })
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
            let solver = made(Z3_mk_solver(context));
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
                timeout: None,
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

    /// Z3's own time limit, in milliseconds. Setting it takes longer than small questions do, so it is
    /// set anew where a part of the time is gone.
    fn set_timeout(&mut self) {
        let limit = self.allowance.deadline.zip(self.allowance.left());
        match (limit, self.timeout) {
            (None, None) => return,
            (Some((deadline, left)), Some((until, then)))
                if deadline == until && left >= then.mul_f64(FRESH) =>
            {
                return;
            }
            _ => self.timeout = limit,
        }
        let milliseconds = |left: Duration| u32::try_from(left.as_millis()).unwrap_or(u32::MAX);
        let left = limit.map_or(u32::MAX, |(_, left)| milliseconds(left).max(1));
        let context = self.context.0;
        let name = CString::new("timeout").expect("no NUL inside");
        // SAFETY: the symbol, the parameters and the solver belong to this context; the string
        // outlives the call that copies it.
        unsafe {
            let params = made(Z3_mk_params(context));
            Z3_params_inc_ref(context, params);
            let key = made(Z3_mk_string_symbol(context, name.as_ptr()));
            Z3_params_set_uint(context, params, key, left);
            Z3_solver_set_params(context, self.solver, params);
            Z3_params_dec_ref(context, params);
        }
    }

    /// Runs the check; if there is an interrupt flag, a second thread watches it meanwhile.
    fn run(&mut self, assumptions: &[Z3_ast]) -> Z3_lbool {
        let count = assumptions.len() as u32;
        let (context, solver) = (self.context.0, self.solver);
        // SAFETY: solver and assumptions belong to the context.
        let ask =
            || unsafe { Z3_solver_check_assumptions(context, solver, count, assumptions.as_ptr()) };
        if !self.watched {
            return ask();
        }
        interruptibly(context, &self.allowance.interrupt, ask)
    }

    fn reason_unknown(&self) -> Reason {
        // SAFETY: the solver belongs to the context; the string is copied before the next call.
        let reason = unsafe {
            CStr::from_ptr(Z3_solver_get_reason_unknown(self.context.0, self.solver))
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
    fn ask(&mut self) -> Answer {
        let literals: Vec<Z3_ast> = self.assumed.iter().map(|(_, literal)| *literal).collect();
        let answer = self.run(&literals);
        // A context that was interrupted makes no objects any more, whatever it has answered.
        if self.watched && self.allowance.interrupt.is_raised() {
            return Answer::Unknown(Exhausted::Interrupted.into());
        }
        match answer {
            Z3_L_TRUE => {
                // SAFETY: the model is of this context and referenced until dropped.
                unsafe {
                    let model = made(Z3_solver_get_model(self.context.0, self.solver));
                    Z3_model_inc_ref(self.context.0, model);
                    self.model = Some(model);
                }
                Answer::Sat
            }
            Z3_L_FALSE => {
                self.read_core();
                Answer::Unsat
            }
            _ => Answer::Unknown(self.reason_unknown()),
        }
    }

    fn read_core(&mut self) {
        let context = self.context.0;
        // SAFETY: the vector is of this context and referenced while it is read.
        let used: Vec<Z3_ast> = unsafe {
            let vector = made(Z3_solver_get_unsat_core(context, self.solver));
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
        // SAFETY: the solver belongs to the context.
        unsafe { Z3_solver_push(self.context.0, self.solver) };
    }

    fn pop(&mut self, levels: usize) {
        // SAFETY: as above; Z3 itself checks the number of levels, and so do we.
        unsafe {
            let open = Z3_solver_get_num_scopes(self.context.0, self.solver) as usize;
            assert!(levels <= open, "pop without push");
            Z3_solver_pop(self.context.0, self.solver, levels as u32);
        }
    }

    fn assert(&mut self, pool: &Pool, formula: Term) -> Result<(), Error> {
        let ast = self.translate(pool, formula)?;
        // SAFETY: solver and formula belong to the context.
        unsafe { Z3_solver_assert(self.context.0, self.solver, ast) };
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
        self.set_timeout();
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
        if only_here.is_empty() {
            return Ok(self.ask());
        }
        self.push();
        for formula in only_here {
            // SAFETY: solver and formula belong to the context.
            unsafe { Z3_solver_assert(self.context.0, self.solver, formula) };
        }
        let answer = self.ask();
        self.pop(1);
        Ok(answer)
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
