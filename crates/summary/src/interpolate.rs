//! Summaries by interpolation (\[Fed15 §2.2.5\]).
//!
//! If the calls that are unwound exclude a violation, a refutation says why, and for every call an
//! interpolant says what the refutation needed of it, over what the call shares with its caller: its
//! summary. All come from one refutation, with a part of the formula for each call and the tree of calls
//! as the tree of parts, so that the summaries of the calls in a body imply its own (property 2.6).
//!
//! What calls share is offered to the refutation as the truth of formulas ([`crate::vocabulary`]), so that
//! summaries speak of words; bits are the last resort ([`smt::interpolate`]).

use crate::Encoding;
use crate::unwound::{CallId, Shared, Unwound, at_call, copy_of, formulas, said_of};
use crate::vocabulary::Vocabulary;
use answer::Allowance;
use la_arena::ArenaMap;
use program::procedures::{ProcedureId, Summary};
use rustc_hash::FxHashMap;
use smt::interpolate::{self, Chain, Failure, System, Tree, bit};
use term::eval::default_value;
use term::traverse::{Substitution, conjuncts};
use term::{Op, Pool, Sort, Term};

/// The most formulas that are shared.
const MAX_SHARED: usize = 12_000;

/// What the calls that are not unwound may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// Anything.
    Open,
    /// No run comes to them: what is found holds up to the depth that is unwound.
    Blocked,
}

/// What is refuted.
pub struct Interpolation<'a> {
    /// The calls.
    pub unwound: &'a Unwound<'a>,
    /// What summaries are made of.
    pub vocabularies: &'a ArenaMap<ProcedureId, Vocabulary>,
    /// What is known of calls that are not unwound.
    pub known: &'a ArenaMap<ProcedureId, Summary>,
    /// What is asked about.
    pub asking: &'a [Term],
    /// What the calls may do that are not unwound.
    pub beyond: Beyond,
    /// What is known of the inputs of calls in the body of the start, over their interfaces.
    pub restriction: &'a [(CallId, Term)],
    /// How interpolants are read off.
    pub system: System,
}

/// The summaries of the unwound calls that a refutation needs, by call. What is refuted is `wrong` of the
/// first call.
pub fn summaries(
    interpolation: &Interpolation<'_>,
    wrong: &dyn Fn(&Shared) -> Term,
    allowance: &Allowance,
) -> Result<FxHashMap<CallId, Summary>, Failure> {
    let Interpolation { unwound, vocabularies, asking, .. } = *interpolation;
    let encoding = unwound.encoding();
    let pool = encoding.pool;
    let shared: Vec<Shared> =
        unwound.calls.iter().map(|call| Shared::fresh(encoding, call.procedure)).collect();
    // The first part says what is wrong.
    let parents = unwound.calls.iter().map(|call| Some(call.parent.map_or(0, |(id, _)| id + 1)));
    let tree = Tree::new([None].into_iter().chain(parents).collect()).expect("calls are a tree");
    let settings =
        interpolate::Options { system: interpolation.system, ..interpolate::Options::default() };
    let mut chain = Chain::tree(pool, tree, &settings, allowance);
    chain.assert(0, shared[0].start)?;
    chain.assert(0, wrong(&shared[0]))?;
    for id in 0..unwound.calls.len() {
        for formula in part(interpolation, &shared, id) {
            chain.assert(id + 1, formula)?;
        }
        for asked in asking {
            chain.assert(id + 1, *asked)?;
        }
    }
    for (id, formula) in interpolation.restriction {
        let shared = &shared[*id];
        let here = at_call(encoding, unwound.calls[*id].procedure, shared).apply(pool, *formula);
        chain.assert(1, pool.implies(shared.start, here))?;
    }
    let mut sharing = Sharing {
        encoding,
        chain,
        markers: ["callstart", "returned", "error"].map(|name| pool.fresh_var(name, Sort::Bool)),
        groups: FxHashMap::default(),
    };
    let most = MAX_SHARED / unwound.calls.len().max(1);
    for (id, call) in unwound.calls.iter().enumerate() {
        sharing.share(id, call.procedure, &shared[id], &vocabularies[call.procedure], most)?;
    }
    let found = match sharing.chain.interpolants() {
        Err(Failure::Inseparable) => {
            for (id, call) in unwound.calls.iter().enumerate() {
                sharing.share_bits(id, call.procedure, &shared[id])?;
            }
            sharing.chain.interpolants()?
        }
        found => found?,
    };
    let call = |(id, formula): (CallId, Term)| (id, sharing.summary(formula, unwound, id));
    Ok(found.into_iter().enumerate().map(call).collect())
}

/// What a call says, over its variables and those that it shares with the calls in it.
fn part(interpolation: &Interpolation<'_>, shared: &[Shared], id: CallId) -> Vec<Term> {
    let Interpolation { unwound, known, beyond, .. } = *interpolation;
    let encoding = unwound.encoding();
    let pool = encoding.pool;
    let call = &unwound.calls[id];
    let own = &shared[id];
    let Some(copy) = &call.copy else {
        let mut all = said_of(encoding, call.procedure, own, &known[call.procedure]).to_vec();
        if beyond == Beyond::Blocked {
            all.push(pool.not(own.start));
        }
        return all;
    };
    let body = &encoding.bodies[call.procedure];
    let interface = &encoding.interfaces[call.procedure];
    let mut map: Vec<(Term, Term)> =
        interface.inputs.iter().copied().zip(own.inputs.iter().copied()).collect();
    let inner: Vec<Shared> = copy.calls.iter().map(|id| shared[*id].clone()).collect();
    for (site, inner) in body.sites.iter().zip(&inner) {
        map.extend([(site.returned, inner.returned), (site.failed, inner.failed)]);
        map.extend(site.outputs.iter().copied().zip(inner.outputs.iter().copied()));
    }
    let mut map = copy_of(pool, body, &map);
    let mut all = formulas(encoding, body, &mut map, own, &inner);
    for (site, inner) in body.sites.iter().zip(&inner) {
        all.push(pool.eq(inner.start, map.apply(pool, site.start)));
        for (input, argument) in inner.inputs.iter().zip(&site.arguments) {
            let argument = map.apply(pool, *argument);
            all.push(pool.implies(inner.start, pool.eq(*input, argument)));
        }
    }
    all
}

/// What parts share.
struct Sharing<'a> {
    encoding: &'a Encoding<'a>,
    chain: Chain<'a>,
    /// What stands for the variables of a call that are none of the program.
    markers: [Term; 3],
    /// Formulas of a procedure go together, for all its calls.
    groups: FxHashMap<(ProcedureId, Term), usize>,
}

impl Sharing<'_> {
    fn group(&mut self, procedure: ProcedureId, meaning: Term) -> usize {
        let next = self.groups.len();
        *self.groups.entry((procedure, meaning)).or_insert(next)
    }

    /// Shares the formulas of a vocabulary between a call and its caller.
    fn share(
        &mut self,
        id: CallId,
        procedure: ProcedureId,
        shared: &Shared,
        vocabulary: &Vocabulary,
        most: usize,
    ) -> Result<(), Failure> {
        let pool = self.encoding.pool;
        let mut map = at_call(self.encoding, procedure, shared);
        for (marker, variable) in
            self.markers.into_iter().zip([shared.start, shared.returned, shared.failed])
        {
            let group = self.group(procedure, marker);
            self.chain.share(group, id + 1, [variable; 2], marker)?;
        }
        for &formula in vocabulary.conditions.iter().chain(&vocabulary.relations).take(most) {
            let here = map.apply(pool, formula);
            let group = self.group(procedure, formula);
            self.chain.share(group, id + 1, [here; 2], formula)?;
        }
        Ok(())
    }

    /// Shares the bits of words.
    fn share_bits(
        &mut self,
        id: CallId,
        procedure: ProcedureId,
        shared: &Shared,
    ) -> Result<(), Failure> {
        let pool = self.encoding.pool;
        let interface = &self.encoding.interfaces[procedure];
        let inputs = interface.inputs.iter().copied().zip(&shared.inputs);
        let outputs = interface.outputs.iter().map(|output| output.after).zip(&shared.outputs);
        for (meaning, &variable) in inputs.chain(outputs) {
            let word = |term: Term| match pool.sort(term) {
                Sort::Float(_) => pool.make(Op::FpToBits, &[term]),
                _ => term,
            };
            if !matches!(pool.sort(variable), Sort::Bool | Sort::BitVec(_) | Sort::Float(_)) {
                continue;
            }
            let group = self.group(procedure, meaning);
            let (variable, meaning) = (word(variable), word(meaning));
            if pool.sort(variable) == Sort::Bool {
                self.chain.share(group, id + 1, [variable; 2], meaning)?;
            } else {
                let bits = |i| bit(pool, meaning, i);
                self.chain.share_bits(group, id + 1, [variable; 2], bits)?;
            }
        }
        Ok(())
    }

    /// The summary that an interpolant is.
    fn summary(&self, formula: Term, unwound: &Unwound<'_>, id: CallId) -> Summary {
        let pool = self.encoding.pool;
        let [started, returned, failed] = self.markers;
        let ends = |[is_returned, is_failed]: [bool; 2], more: Vec<(Term, Term)>| {
            let values = [(started, true), (returned, is_returned), (failed, is_failed)];
            let values = values.into_iter().map(|(marker, value)| (marker, pool.bool(value)));
            let formula = Substitution::new(values.chain(more)).apply(pool, formula);
            said(pool, formula)
        };
        // Where there is no return, outputs are nobody's: any values will do.
        let interface = &self.encoding.interfaces[unwound.calls[id].procedure];
        let any = interface.outputs.iter().map(|output| {
            let value = default_value(pool, pool.sort(output.after));
            (output.after, pool.constant(value))
        });
        let any: Vec<(Term, Term)> = any.collect();
        Summary { returns: ends([true, false], Vec::new()), fails: ends([false, true], any) }
    }
}

/// The conjuncts of a formula that say something.
fn said(pool: &Pool, formula: Term) -> Vec<Term> {
    let says = |formula: &Term| pool.as_bool(*formula) != Some(true);
    conjuncts(pool, formula).into_iter().filter(says).collect()
}
