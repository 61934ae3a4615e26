//! Static objects: their contents, and the addresses of those that the text gives none.
//!
//! What [`Program`](program::Program) promises of addresses is checked here: no object contains
//! zero, between any two there are unused bytes, and all lie below the heap.

use super::build::Builder;
use super::syntax::{self, Initial};
use ::term::{Sort, Term};
use program::interpret::layout::{GAP, Layout};
use program::program::ObjectId;
use rustc_hash::FxHashMap;
use source::Span;
use source::diagnostic::Diagnostic;
use value::Bits;

/// The first addresses that are given to functions and to objects, where there is room.
const FIRST_FUNCTION: u64 = 0x1000;
const FIRST_OBJECT: u64 = 0x1_0000;

/// Fills in the first contents of an object.
pub(super) fn contents(builder: &mut Builder<'_>, id: ObjectId, object: &syntax::Object) {
    let mut initial = Vec::new();
    let mut end = 0;
    for (offset, value, span) in &object.initial {
        let terms = match value {
            Initial::Bytes(bytes) => {
                bytes.iter().map(|byte| builder.pool.bv(u64::from(*byte), 8)).collect()
            }
            Initial::Value(expression) => {
                let term = builder.expression(*expression, None);
                builder.keep(term).into_iter().collect::<Vec<Term>>()
            }
        };
        let mut at = Some(*offset);
        let mut fits = *offset >= end;
        for term in terms {
            let Some(size) = stored_bytes(builder.pool.sort(term)) else {
                let message = "memory holds bit-vectors of whole bytes and floats";
                builder.errors.push(*Diagnostic::error(*span, message));
                return;
            };
            initial.extend(at.map(|at| (at, term)));
            at = at.and_then(|at| at.checked_add(size)).filter(|end| *end <= object.size);
            fits &= at.is_some();
        }
        if !fits {
            let message = "this value overlaps the one before it or sticks out of the object";
            let error = Diagnostic::error(*span, message);
            builder.errors.push(*error.help("values stand in the order of their offsets"));
            return;
        }
        end = at.unwrap_or(end);
    }
    builder.objects[id].initial = initial;
}

/// How many bytes of memory a value takes.
pub(super) fn stored_bytes(sort: Sort) -> Option<u64> {
    let width = match sort {
        Sort::BitVec(width) => width,
        Sort::Float(format) => format.width(),
        _ => return None,
    };
    (width % 8 == 0).then_some(u64::from(width / 8))
}

/// Something static that needs room.
struct Tenant {
    address: Term,
    size: u64,
    align: u64,
    given: Option<u64>,
    span: Span,
}

/// The numbers of all static addresses.
pub(super) fn addresses(builder: &mut Builder<'_>, width: u32) -> FxHashMap<Term, Bits> {
    let syntax = builder.syntax;
    let functions = builder.functions.iter().zip(&syntax.functions);
    let functions = functions.filter_map(|((_, function), said)| {
        let given = said.clauses.at;
        let span = given.map_or(said.name.span, |(_, span)| span);
        let given = given.map(|(at, _)| at);
        Some(Tenant { address: function.address?, size: 1, align: 16, given, span })
    });
    let objects = builder.objects.iter().zip(&syntax.objects).map(|((_, object), said)| {
        let given = said.clauses.at;
        let span = given.map_or(said.name.span, |(_, span)| span);
        let (address, size, align) = (object.address, object.size, object.align);
        Tenant { address, size, align, given: given.map(|(at, _)| at), span }
    });
    let (functions, objects): (Vec<Tenant>, Vec<Tenant>) = (functions.collect(), objects.collect());
    let top = Layout::new(width).heap;
    let ends = functions.iter().chain(&objects).filter_map(|t| t.given?.checked_add(t.size));
    let after_given = ends.max().map_or(0, |end| end.saturating_add(GAP));
    let first = |usual: u64| if usual < top { usual } else { 1 };
    let mut next = after_given.max(first(FIRST_FUNCTION));
    let mut placed: Vec<(u64, &Tenant)> = Vec::new();
    for (kind, usual) in [(&functions, FIRST_FUNCTION), (&objects, FIRST_OBJECT)] {
        next = next.max(first(usual));
        for tenant in kind {
            let at = tenant.given.or_else(|| next.checked_next_multiple_of(tenant.align.max(1)));
            let end = at.and_then(|at| at.checked_add(tenant.size)).filter(|end| *end <= top);
            let (Some(at), Some(end)) = (at, end) else {
                let message = "there is no room for it in the addresses of static objects";
                let error = Diagnostic::error(tenant.span, message);
                builder.errors.push(*error.help(format!("they lie below {top:#x}")));
                return FxHashMap::default();
            };
            if tenant.given.is_none() {
                next = end.saturating_add(GAP);
            }
            placed.push((at, tenant));
        }
    }
    placed.sort_by_key(|(at, _)| *at);
    apart(builder, &placed);
    placed.iter().map(|(at, tenant)| (tenant.address, Bits::from_u64(width, *at))).collect()
}

/// Checks that zero is free and that there is a byte between any two.
fn apart(builder: &mut Builder<'_>, placed: &[(u64, &Tenant)]) {
    if let Some((0, tenant)) = placed.first() {
        let message = "address zero belongs to nobody";
        builder.errors.push(*Diagnostic::error(tenant.span, message));
    }
    for pair in placed.windows(2) {
        let [(first, lower), (second, upper)] = pair else { continue };
        if *second <= first + lower.size {
            let message = "this touches what lies below it";
            let error = Diagnostic::error(upper.span, message).note(lower.span, "namely this");
            builder.errors.push(*error.help("there is an unused byte between any two"));
        }
    }
}
