//! How many low bits of a term are zero for sure, up to [`MOST`]: what shows that accesses to an
//! array of words never straddle two of them.
//!
//! Insensitive to flow: a register has the least number of all its definitions, and so have the
//! contents of a region of memory. Memory and registers that were never initialized count as
//! aligned: a program that uses an address from there has no defined behaviour. So do pointers
//! that come from outside.

use super::fields::{Classes, Part, bytes_of};
use super::objects::{Kind, Objects};
use crate::cfa::Command;
use crate::procedures::{Action, Callee, Procedures};
use crate::program::{Cause, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use term::{Op, Pool, Sort, Term};
use value::Bits;

/// 16 bytes: no scalar needs more.
pub(super) const MOST: u32 = 4;

/// Rounds after which what still changes counts as unaligned.
const ROUNDS: usize = 30;

/// Of a term that has not been looked at.
const OPEN: u8 = u8::MAX;

pub(super) struct Alignment<'a> {
    pool: &'a Pool,
    registers: FxHashMap<Term, u32>,
    /// By region.
    contents: Vec<u32>,
    /// What is known of terms with what is known of registers and memory, by the term's number;
    /// [`OPEN`] if nothing is.
    memo: Vec<u8>,
    changed: bool,
    given_up: bool,
}

impl<'a> Alignment<'a> {
    pub fn analyze(
        program: &'a Program,
        procedures: &Procedures,
        pointers: &FxHashSet<Term>,
        objects: &Objects,
        classes: &Classes,
    ) -> Alignment<'a> {
        let mut alignment = Alignment {
            pool: &program.pool,
            registers: FxHashMap::default(),
            contents: vec![MOST; classes.regions.len()],
            memo: Vec::new(),
            changed: true,
            given_up: false,
        };
        for (address, number) in &objects.numbers {
            alignment.registers.insert(*address, number.trailing_zeros().min(MOST));
        }
        for (number, object) in objects.all.iter().enumerate() {
            let Kind::Static(id) = object.kind else { continue };
            for &(offset, term) in &program.objects[id].initial {
                let zeros = alignment.zeros(term);
                let size = bytes_of(program.pool.sort(term)).unwrap_or(1);
                alignment.lower_parts(&classes.parts_of(number, offset, size), zeros);
            }
        }
        let mut round = 0;
        while std::mem::take(&mut alignment.changed) {
            alignment.memo.clear();
            alignment.given_up = round >= ROUNDS;
            for edge in procedures.edges() {
                alignment.step(&edge.action, procedures, pointers, objects, classes);
            }
            round += 1;
        }
        alignment.memo.clear();
        alignment
    }

    fn lower(&mut self, register: Term, zeros: u32) {
        let known = self.registers.entry(register).or_insert(MOST);
        if zeros < *known {
            *known = if self.given_up { 0 } else { zeros };
            self.changed = true;
        }
    }

    fn lower_contents(&mut self, region: usize, zeros: u32) {
        if zeros < self.contents[region] {
            self.contents[region] = if self.given_up { 0 } else { zeros };
            self.changed = true;
        }
    }

    fn lower_parts(&mut self, parts: &[Part], zeros: u32) {
        parts.iter().for_each(|part| self.lower_contents(part.region, zeros));
    }

    fn assign(&mut self, register: Term, term: Term) {
        let zeros = self.zeros(term);
        self.lower(register, zeros);
    }

    fn step(
        &mut self,
        action: &Action,
        procedures: &Procedures,
        pointers: &FxHashSet<Term>,
        objects: &Objects,
        classes: &Classes,
    ) {
        match action {
            Action::Command(command) => command.for_each_atom(&mut |command| match *command {
                Command::Assign(register, term) => self.assign(register, term),
                Command::Havoc(register, input)
                    if !pointers.contains(&register)
                        && procedures.inputs[input].cause != Cause::Uninitialized =>
                {
                    self.lower(register, 0);
                }
                _ => {}
            }),
            Action::Call(call) => {
                let Callee::Procedure(callee) = call.callee else { return };
                let callee = &procedures.procedures[callee];
                for (register, term) in callee.parameters.iter().zip(&call.arguments) {
                    self.assign(*register, *term);
                }
                for (register, term) in call.results.iter().zip(&callee.results) {
                    self.assign(*register, *term);
                }
            }
            Action::Load { into, address, .. } => {
                let zeros = self.contents[classes.of(*address)];
                self.lower(*into, zeros);
            }
            Action::Written { into, .. } => self.lower(*into, 0),
            Action::Store { address, value } => {
                let zeros = self.zeros(*value);
                self.lower_contents(classes.of(*address), zeros);
            }
            Action::Allocate(allocation) => {
                let zeros = match objects.all[allocation.object].address {
                    Some(address) => self.zeros(address),
                    None => allocation.align.max(1).trailing_zeros().min(MOST),
                };
                self.lower(allocation.into, zeros);
            }
            Action::Copy { to, from, length } => {
                let length = self.pool.as_bits(*length).and_then(Bits::to_u64);
                let parts = classes.parts(*from, length);
                for (from, to) in parts.iter().zip(classes.parts(*to, length)) {
                    let zeros = self.contents[from.region];
                    self.lower_parts(&[to], zeros);
                }
            }
            Action::Fill { to, byte, length } => {
                let zero = self.pool.as_bits(*byte).is_some_and(Bits::is_zero);
                if !zero {
                    let length = self.pool.as_bits(*length).and_then(Bits::to_u64);
                    self.lower_parts(&classes.parts(*to, length), 0);
                }
            }
            Action::HavocBytes { address, cause, length, .. } => {
                if *cause != Cause::Uninitialized {
                    let length = self.pool.as_bits(*length).and_then(Bits::to_u64);
                    self.lower_parts(&classes.parts(*address, length), 0);
                }
            }
            Action::Check { .. } | Action::Free { .. } | Action::Return { .. } => {}
        }
    }

    /// How many low bits are zero.
    pub fn zeros(&mut self, term: Term) -> u32 {
        if self.memo.len() <= term.index() {
            self.memo.resize(self.pool.len(), OPEN);
        }
        let pool = self.pool;
        let mut pending: SmallVec<[Term; 16]> = smallvec![term];
        while let Some(&top) = pending.last() {
            let before = pending.len();
            if self.memo[top.index()] == OPEN {
                let open = |arg: &&Term| self.memo[arg.index()] == OPEN;
                pending.extend(pool.args(top).iter().filter(open).copied());
                if pending.len() > before {
                    continue;
                }
                self.memo[top.index()] = self.node(top) as u8;
            }
            pending.pop();
        }
        u32::from(self.memo[term.index()])
    }

    fn node(&self, term: Term) -> u32 {
        let pool = self.pool;
        let arg = |n: usize| u32::from(self.memo[pool.args(term)[n].index()]);
        let width = |n: usize| pool.sort(pool.args(term)[n]).width().unwrap_or(0);
        if !matches!(pool.sort(term), Sort::BitVec(_)) {
            return 0;
        }
        let zeros = match pool.op(term) {
            Op::Value(_) => pool.as_bits(term).map_or(0, |bits| bits.trailing_zeros()),
            Op::Var(_) => self.registers.get(&term).copied().unwrap_or(MOST),
            Op::BvAdd | Op::BvSub | Op::BvOr | Op::BvXor => arg(0).min(arg(1)),
            Op::BvAnd => arg(0).max(arg(1)),
            Op::BvMul => arg(0) + arg(1),
            Op::BvNeg | Op::BvZeroExtend(_) | Op::BvSignExtend(_) => arg(0),
            Op::BvShl => arg(0),
            Op::Ite => arg(1).min(arg(2)),
            // The memo stops at MOST, so only a low part that is the constant zero counts whole.
            Op::BvConcat if pool.as_bits(pool.args(term)[1]).is_some_and(|b| b.is_zero()) => {
                width(1) + arg(0)
            }
            Op::BvConcat => arg(1).min(width(1)),
            Op::BvExtract { low, .. } => arg(0).saturating_sub(*low),
            _ => 0,
        };
        zeros.min(MOST)
    }
}
