//! Z3's engine for constrained Horn clauses, Spacer.
//!
//! Rules are given as premise and conclusion, relations as applications of predicates. What Spacer
//! finds is read back through its own SMT-LIB text, so nothing of it is believed before it is checked.

use super::{Translator, made, watched};
use crate::solver::{Answer, Error, Reason};
use answer::{Allowance, Exhausted};
use std::ffi::{CStr, CString};
use std::time::Duration;
use term::print::{sort_to_string, symbol_to_string};
use term::{Op, Pool, Term, Value, smtlib};
use z3_sys::*;

/// The level of what holds of everything derivable.
const INFINITY: i32 = -1;

/// A set of rules.
pub struct Fixedpoint {
    context: Z3_context,
    engine: Z3_fixedpoint,
    translator: Translator,
    allowance: Allowance,
}

impl Drop for Fixedpoint {
    fn drop(&mut self) {
        // SAFETY: the engine was referenced once and belongs to the context, which is deleted last.
        unsafe {
            Z3_fixedpoint_dec_ref(self.context, self.engine);
            Z3_del_context(self.context);
        }
    }
}

impl Fixedpoint {
    /// No rules. Rules are taken as they are: Z3's own inlining and slicing would leave nothing to
    /// say of predicates that they remove.
    pub fn new(allowance: &Allowance) -> Self {
        // SAFETY: plain construction calls; the configuration is deleted after its only use, and the
        // error handler is removed so that errors are codes.
        let (context, engine) = unsafe {
            let config = made(Z3_mk_config());
            let context = made(Z3_mk_context(config));
            Z3_del_config(config);
            Z3_set_error_handler(context, None);
            let engine = made(Z3_mk_fixedpoint(context));
            Z3_fixedpoint_inc_ref(context, engine);
            (context, engine)
        };
        let fixedpoint = Fixedpoint {
            context,
            engine,
            translator: Translator::default(),
            allowance: allowance.clone(),
        };
        fixedpoint.configure();
        fixedpoint
    }

    fn configure(&self) {
        let context = self.context;
        let symbol = |name: &str| {
            let name = CString::new(name).expect("no NUL inside");
            // SAFETY: Z3 copies the string.
            unsafe { made(Z3_mk_string_symbol(context, name.as_ptr())) }
        };
        let left = |left: Duration| u32::try_from(left.as_millis()).unwrap_or(u32::MAX).max(1);
        // SAFETY: symbols, parameters and engine belong to the context.
        unsafe {
            let params = made(Z3_mk_params(context));
            Z3_params_inc_ref(context, params);
            Z3_params_set_symbol(context, params, symbol("engine"), symbol("spacer"));
            for name in ["xform.slice", "xform.inline_eager", "xform.inline_linear"] {
                Z3_params_set_bool(context, params, symbol(name), false);
            }
            if let Some(time) = self.allowance.left() {
                Z3_params_set_uint(context, params, symbol("timeout"), left(time));
            }
            Z3_fixedpoint_set_params(context, self.engine, params);
            Z3_params_dec_ref(context, params);
        }
    }

    fn declaration(&mut self, pool: &Pool, applied: Term) -> Result<Z3_func_decl, Error> {
        let ast = self.translator.term(self.context, pool, applied)?;
        // SAFETY: an application, which terms of functions and constants are in Z3.
        unsafe {
            let app = Z3_to_app(self.context, ast).ok_or_else(|| refuses("a relation"))?;
            Z3_get_app_decl(self.context, app).ok_or_else(|| refuses("a relation"))
        }
    }

    /// Makes the predicate of an application known.
    pub fn relation(&mut self, pool: &Pool, applied: Term) -> Result<(), Error> {
        let declaration = self.declaration(pool, applied)?;
        // SAFETY: the declaration belongs to the context.
        unsafe { Z3_fixedpoint_register_relation(self.context, self.engine, declaration) };
        Ok(())
    }

    /// ∀ variables. premise ⇒ conclusion
    pub fn rule(
        &mut self,
        pool: &Pool,
        variables: &[Term],
        premise: Term,
        conclusion: Term,
    ) -> Result<(), Error> {
        let context = self.context;
        let mut translate = |term| self.translator.term(context, pool, term);
        let (premise, conclusion) = (translate(premise)?, translate(conclusion)?);
        let bound = variables.iter().map(|v| translate(*v)).collect::<Result<Vec<_>, _>>()?;
        // SAFETY: all expressions belong to the context; the variables are constants.
        unsafe {
            let bound: Option<Vec<Z3_app>> = bound.iter().map(|v| Z3_to_app(context, *v)).collect();
            let bound = bound.ok_or_else(|| refuses("a variable"))?;
            let mut rule = made(Z3_mk_implies(context, premise, conclusion));
            if !bound.is_empty() {
                let (count, none) = (bound.len() as u32, std::ptr::null());
                rule = made(Z3_mk_forall_const(context, 0, count, bound.as_ptr(), 0, none, rule));
            }
            Z3_fixedpoint_add_rule(context, self.engine, rule, None);
            match Z3_get_error_code(context) {
                ErrorCode::Ok => Ok(()),
                _ => Err(refuses("a rule")),
            }
        }
    }

    /// Whether a relation is not empty: [`Answer::Sat`] says that something of it can be derived.
    pub fn query(&mut self, pool: &Pool, applied: Term) -> Result<Answer, Error> {
        if let Some(exhausted) = self.allowance.exhausted() {
            return Ok(Answer::Unknown(exhausted.into()));
        }
        let declaration = self.declaration(pool, applied)?;
        let (context, engine) = (self.context, self.engine);
        // SAFETY: engine and declaration belong to the context.
        let ask = || unsafe { Z3_fixedpoint_query_relations(context, engine, 1, &declaration) };
        let (answer, _) = watched(context, &self.allowance, ask);
        Ok(match answer {
            Z3_L_TRUE => Answer::Sat,
            Z3_L_FALSE => Answer::Unsat,
            _ => Answer::Unknown(match self.allowance.exhausted() {
                Some(exhausted) => exhausted.into(),
                None => self.reason(),
            }),
        })
    }

    fn reason(&self) -> Reason {
        // SAFETY: the engine belongs to the context; the string is copied at once.
        let text = unsafe { Z3_fixedpoint_get_reason_unknown(self.context, self.engine) };
        match self.text(text) {
            Some(text) if text == "timeout" || text == "canceled" => Exhausted::Time.into(),
            Some(text) => Reason::Incomplete(text),
            None => Reason::Incomplete("no reason is given".to_owned()),
        }
    }

    /// After [`Answer::Unsat`]: a formula over the arguments of an application, which are variables,
    /// that holds of everything that can be derived of the predicate.
    pub fn invariant(&mut self, pool: &Pool, applied: Term) -> Result<Term, Error> {
        let declaration = self.declaration(pool, applied)?;
        let context = self.context;
        let arguments = pool.args(applied).iter();
        let arguments = arguments.map(|argument| self.translator.term(context, pool, *argument));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        // SAFETY: engine, declaration and expressions belong to the context; there is an argument
        // for each variable.
        let text = unsafe {
            let cover = Z3_fixedpoint_get_cover_delta(context, self.engine, INFINITY, declaration);
            let cover = cover.ok_or_else(|| refuses("to tell a cover"))?;
            let count = arguments.len() as u32;
            let cover = match count {
                0 => cover,
                _ => made(Z3_substitute_vars(context, cover, count, arguments.as_ptr())),
            };
            Z3_ast_to_string(context, cover)
        };
        let text = self.text(text).ok_or_else(|| refuses("to print a cover"))?;
        self.read(pool, &text, pool.args(applied), &[])
    }

    /// After [`Answer::Sat`]: facts from which the relation's follows, each a predicate with values;
    /// none if Z3 can't tell.
    pub fn facts(
        &mut self,
        pool: &Pool,
        applied: &[Term],
    ) -> Result<Vec<(Term, Vec<Value>)>, Error> {
        // SAFETY: the engine belongs to the context; the string is copied at once.
        let text = unsafe {
            let answer = Z3_fixedpoint_get_ground_sat_answer(self.context, self.engine);
            match (answer, Z3_get_error_code(self.context)) {
                (Some(answer), ErrorCode::Ok) => Z3_ast_to_string(self.context, answer),
                _ => return Ok(Vec::new()),
            }
        };
        let text = self.text(text).ok_or_else(|| refuses("to print its facts"))?;
        let formula = self.read(pool, &text, &[], applied)?;
        let mut facts = Vec::new();
        for fact in term::traverse::conjuncts(pool, formula) {
            let same = |known: &&Term| match (pool.op(**known), pool.op(fact)) {
                (Op::Apply(a), Op::Apply(b)) => a == b,
                _ => **known == fact,
            };
            let values = pool.args(fact).iter().map(|argument| {
                let nothing = rustc_hash::FxHashMap::default();
                term::evaluate(pool, *argument, &nothing).ok()
            });
            let values: Option<Vec<Value>> = values.collect();
            if let (Some(known), Some(values)) = (applied.iter().find(same), values) {
                facts.push((*known, values));
            }
        }
        Ok(facts)
    }

    fn text(&self, text: Z3_string) -> Option<String> {
        if text.is_null() {
            return None;
        }
        // SAFETY: Z3's strings end with NUL and live until the next call.
        Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }

    /// A formula that Z3 has printed.
    fn read(
        &self,
        pool: &Pool,
        text: &str,
        variables: &[Term],
        applied: &[Term],
    ) -> Result<Term, Error> {
        let mut script = String::new();
        let mut declare = |name: &str, params: &[term::Sort], result: term::Sort| {
            let sorts: Vec<String> =
                params.iter().map(|sort| sort_to_string(pool, *sort)).collect();
            let (name, result) = (symbol_to_string(name), sort_to_string(pool, result));
            script += &format!("(declare-fun {name} ({}) {result})\n", sorts.join(" "));
        };
        for variable in variables.iter().chain(applied) {
            match pool.op(*variable) {
                Op::Apply(func) => {
                    let function = pool.declaration(*func);
                    declare(pool.name(function.name), &function.params, function.result);
                }
                _ => {
                    declare(pool.var_name(*variable).unwrap_or_default(), &[], pool.sort(*variable))
                }
            }
        }
        script += &format!("(assert {text})");
        let external = |message: String| Error::External { solver: "spacer".into(), message };
        let script = smtlib::parse(pool, script.as_bytes());
        let script = script.map_err(|error| external(error.to_string()))?;
        let formula = script.assertions().next();
        formula.ok_or_else(|| external("printed no formula".to_owned()))
    }
}

fn refuses(what: &str) -> Error {
    Error::External { solver: "spacer".into(), message: format!("refuses {what}") }
}
