//! The unwound program: a tree of calls, each with its own copy of its procedure's body
//! (\[Fed15 §2.2.1–2.2.2\], Definition 2).
//!
//! The formula of a call f̂ says, of its variables alone,
//!
//! ```text
//! callstart ⇒ (error    ⇒ one of its own violations is reached, or callstart ∧ error of a call in it)
//! callstart ⇒ (returned ⇒ its exit is reached, with these outputs)
//! ```
//!
//! and the calls in it are known by their `callstart`, `error`, `returned`, inputs and outputs alone. A call
//! that is not unwound says nothing: it may return with any outputs, and may reach a violation.

use crate::Encoding;
use crate::body::{Body, Event};
use program::cfa::InputId;
use program::procedures::{EdgeId, ProcedureId, Summary};
use rustc_hash::FxHashMap;
use term::traverse::Substitution;
use term::{Pool, Sort, Term};

/// A call's number.
pub type CallId = usize;

/// The calls of a program that are looked at; the first is that of the start.
pub struct Unwound<'a> {
    encoding: &'a Encoding<'a>,
    /// The calls.
    pub calls: Vec<Call>,
}

/// A call.
pub struct Call {
    /// Who is called.
    pub procedure: ProcedureId,
    /// The call that it is in, and the edge.
    pub parent: Option<(CallId, EdgeId)>,
    /// How many calls of the procedure are open in it, itself included.
    pub depth: usize,
    /// What it shares with its caller.
    pub shared: Shared,
    /// Its copy of the body, if it is unwound.
    pub copy: Option<Copy>,
}

/// The variables that a call shares with its caller, or what the caller has in their place.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Whether the run comes to it: `callstart`.
    pub start: Term,
    /// Whether it returns.
    pub returned: Term,
    /// Whether it reaches a violation: `error`.
    pub failed: Term,
    /// The values of its inputs.
    pub inputs: Vec<Term>,
    /// The values of its outputs.
    pub outputs: Vec<Term>,
}

/// A copy of a body.
pub struct Copy {
    map: Substitution,
    /// Its calls, in the order of the body's.
    pub calls: Vec<CallId>,
}

impl Shared {
    /// Fresh variables for a call of a procedure.
    pub fn fresh(encoding: &Encoding<'_>, procedure: ProcedureId) -> Shared {
        let pool = encoding.pool;
        let interface = &encoding.interfaces[procedure];
        let fresh =
            |term: &Term| pool.fresh_var(pool.var_name(*term).unwrap_or("value"), pool.sort(*term));
        let [start, returned, failed] =
            ["callstart", "returned", "error"].map(|name| pool.fresh_var(name, Sort::Bool));
        Shared {
            start,
            returned,
            failed,
            inputs: interface.inputs.iter().map(fresh).collect(),
            outputs: interface.outputs.iter().map(|output| fresh(&output.variable)).collect(),
        }
    }
}

/// A copy of a body's variables for one call.
pub fn copy_of(pool: &Pool, body: &Body, inputs: &[(Term, Term)]) -> Substitution {
    let fresh = |variable: &Term| {
        let name = pool.var_name(*variable).unwrap_or("open").to_owned();
        (*variable, pool.fresh_var(&name, pool.sort(*variable)))
    };
    Substitution::new(body.open.iter().map(fresh).chain(inputs.iter().copied()))
}

impl<'a> Unwound<'a> {
    /// The call of the start, not yet unwound.
    pub fn new(encoding: &'a Encoding<'a>) -> Self {
        Unwound::of(encoding, encoding.procedures.start)
    }

    /// A call of a procedure, not yet unwound.
    pub fn of(encoding: &'a Encoding<'a>, procedure: ProcedureId) -> Self {
        let mut shared = Shared::fresh(encoding, procedure);
        shared.start = encoding.pool.tru();
        let start = Call { procedure, parent: None, depth: 1, shared, copy: None };
        Unwound { encoding, calls: vec![start] }
    }

    /// The program.
    pub fn encoding(&self) -> &'a Encoding<'a> {
        self.encoding
    }

    /// Unwinds a call: makes its copy of the body and the calls in it.
    ///
    /// Ensures: the formulas of the copy are returned; the caller's terms stand for the inputs of the
    /// calls in it.
    pub fn unwind(&mut self, id: CallId) -> Vec<Term> {
        let encoding = self.encoding;
        let pool = encoding.pool;
        let call = &self.calls[id];
        let (procedure, shared) = (call.procedure, call.shared.clone());
        let body = &encoding.bodies[procedure];
        let interface = &encoding.interfaces[procedure];
        let inputs: Vec<(Term, Term)> =
            interface.inputs.iter().copied().zip(shared.inputs.iter().copied()).collect();
        let mut map = copy_of(pool, body, &inputs);
        let first = self.calls.len();
        for site in &body.sites {
            let shared = Shared {
                start: map.apply(pool, site.start),
                returned: map.apply(pool, site.returned),
                failed: map.apply(pool, site.failed),
                inputs: site.arguments.iter().map(|term| map.apply(pool, *term)).collect(),
                outputs: site.outputs.iter().map(|term| map.apply(pool, *term)).collect(),
            };
            let depth = 1 + self.open_calls(id, site.callee);
            let parent = Some((id, site.edge));
            self.calls.push(Call { procedure: site.callee, parent, depth, shared, copy: None });
        }
        let calls: Vec<CallId> = (first..self.calls.len()).collect();
        let inner: Vec<Shared> = calls.iter().map(|id| self.calls[*id].shared.clone()).collect();
        let formulas = formulas(encoding, body, &mut map, &shared, &inner);
        self.calls[id].copy = Some(Copy { map, calls });
        formulas
    }

    /// How many calls of a procedure are open in a call.
    fn open_calls(&self, mut id: CallId, procedure: ProcedureId) -> usize {
        let mut open = 0;
        loop {
            open += usize::from(self.calls[id].procedure == procedure);
            match self.calls[id].parent {
                Some((parent, _)) => id = parent,
                None => return open,
            }
        }
    }

    /// The calls that a run comes to, where `holds` says what is true in it, in order.
    pub fn on_run(&mut self, holds: &mut dyn FnMut(Term) -> bool) -> Vec<CallId> {
        let mut calls = Vec::new();
        let mut pending = vec![0];
        while let Some(id) = pending.pop() {
            if !holds(self.calls[id].shared.start) {
                continue;
            }
            calls.push(id);
            let inner = self.calls[id].copy.as_ref().map(|copy| copy.calls.clone());
            pending.extend(inner.unwrap_or_default().into_iter().rev());
        }
        calls
    }

    /// The unknown values that a run takes, in order, each with the term that stands for it.
    pub fn values_on_run(&mut self, holds: &mut dyn FnMut(Term) -> bool) -> Vec<(InputId, Term)> {
        let mut values = Vec::new();
        // A call, and the next of its events.
        let mut open = vec![(0, 0)];
        while let Some((id, next)) = open.last_mut() {
            let (id, event) = (*id, *next);
            *next += 1;
            let call = &mut self.calls[id];
            let body = &self.encoding.bodies[call.procedure];
            let Some(copy) = &mut call.copy else {
                open.pop();
                continue;
            };
            match body.events.get(event) {
                None => _ = open.pop(),
                Some(Event::Call(site)) => {
                    let inner = copy.calls[*site];
                    if holds(self.calls[inner].shared.start) {
                        open.push((inner, 0));
                    }
                }
                Some(Event::Values(condition, trail)) => {
                    let pool = self.encoding.pool;
                    if !holds(copy.map.apply(pool, *condition)) {
                        continue;
                    }
                    let taken = trail.inputs(&mut |term| holds(copy.map.apply(pool, term)));
                    values.extend(taken.iter().map(|(id, t)| (*id, copy.map.apply(pool, *t))));
                }
            }
        }
        values
    }
}

/// What a copy of a body says.
pub fn formulas(
    encoding: &Encoding<'_>,
    body: &Body,
    map: &mut Substitution,
    shared: &Shared,
    inner: &[Shared],
) -> Vec<Term> {
    let pool = encoding.pool;
    let mut formulas: Vec<Term> = Vec::new();
    for (name, condition) in &body.definitions {
        let (name, condition) = (map.apply(pool, *name), map.apply(pool, *condition));
        formulas.push(pool.eq(name, condition));
    }
    let own = body.failures.iter().filter_map(|failure| {
        let asked = encoding.asked(failure)?;
        let condition = map.apply(pool, failure.condition);
        Some(pool.and([asked, condition]))
    });
    let fails: Vec<Term> =
        own.chain(inner.iter().map(|inner| pool.and([inner.start, inner.failed]))).collect();
    let fails = pool.or(fails);
    let mut returns = vec![map.apply(pool, body.returns)];
    for ((output, value), needed) in shared.outputs.iter().zip(&body.values).zip(&body.needed) {
        if !needed {
            continue;
        }
        let value = map.apply(pool, *value);
        returns.push(pool.eq(*output, value));
    }
    let returns = pool.and(returns);
    formulas.push(pool.implies(pool.and([shared.start, shared.failed]), fails));
    formulas.push(pool.implies(pool.and([shared.start, shared.returned]), returns));
    formulas
}

/// What a summary says of a call: if it returns, and if it fails.
pub fn said_of(
    encoding: &Encoding<'_>,
    procedure: ProcedureId,
    shared: &Shared,
    summary: &Summary,
) -> [Term; 2] {
    let pool = encoding.pool;
    let mut map = at_call(encoding, procedure, shared);
    [(shared.returned, &summary.returns), (shared.failed, &summary.fails)].map(|(end, formulas)| {
        let here = pool.and(formulas.iter().map(|formula| map.apply(pool, *formula)));
        pool.implies(pool.and([shared.start, end]), here)
    })
}

/// The variables of a summary in terms of a call.
pub fn at_call(encoding: &Encoding<'_>, procedure: ProcedureId, shared: &Shared) -> Substitution {
    let interface = &encoding.interfaces[procedure];
    let inputs = interface.inputs.iter().copied().zip(shared.inputs.iter().copied());
    let after = interface.outputs.iter().map(|output| output.after);
    let map: FxHashMap<Term, Term> =
        inputs.chain(after.zip(shared.outputs.iter().copied())).collect();
    Substitution::new(map)
}
