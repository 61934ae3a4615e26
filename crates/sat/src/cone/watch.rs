//! Watches: for each literal, what to look at when it becomes false.
//!
//! Gates are made of clauses of two and three literals, so these lie in the watches themselves:
//! they propagate without touching the arena, and their watches never move. Most of the time
//! of a search is waiting for memory, therefore the watches have two places.
//!
//! * *Packed*: clauses of two and three literals in one array, literal after literal; first the
//!   other literals of binary clauses, one word each, then those of ternary clauses, two words
//!   each. A literal's packed watches share a cache line or two, and those of neighbouring gates
//!   are neighbours.
//! * *Lists*: one list per literal for all other clauses (a reference and a *blocker*, some
//!   literal of the clause whose truth makes it unnecessary to look at the clause), and for small
//!   clauses that were added after the last packing. Most literals of gates have an empty list; a
//!   bit per literal tells without looking.

use super::clause::ClauseRef;
use super::literal::Literal;

const CLAUSE: u32 = 0;
const BINARY: u32 = 1;
const TERNARY: u32 = 2;

/// One entry of a list. The same form serves as a list of clauses to be satisfied (see
/// `justify.rs`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Watch {
    /// The blocker, or the first of the other literals.
    pub blocker: Literal,
    tagged: u32,
}

/// A [`Watch`] taken apart.
pub(super) enum Target {
    Clause(ClauseRef),
    Binary,
    Ternary(Literal),
}

impl Watch {
    #[inline]
    pub fn clause(clause: ClauseRef, blocker: Literal) -> Self {
        Watch { blocker, tagged: clause.0 << 2 | CLAUSE }
    }

    #[inline]
    pub fn binary(other: Literal) -> Self {
        Watch { blocker: other, tagged: BINARY }
    }

    #[inline]
    pub fn ternary(a: Literal, b: Literal) -> Self {
        Watch { blocker: a, tagged: b.0 << 2 | TERNARY }
    }

    /// Whether this is a watch of the clause.
    pub fn is_of(self, clause: ClauseRef) -> bool {
        self.tagged == clause.0 << 2 | CLAUSE
    }

    #[inline]
    pub fn target(self) -> Target {
        match self.tagged & 3 {
            CLAUSE => Target::Clause(ClauseRef(self.tagged >> 2)),
            BINARY => Target::Binary,
            _ => Target::Ternary(Literal(self.tagged >> 2)),
        }
    }
}

/// Where a literal's packed watches begin; they end where the next literal's begin.
#[derive(Clone, Copy, Default)]
struct PackedStart {
    binary: u32,
    ternary: u32,
}

/// The watches of all literals.
#[derive(Clone)]
pub(super) struct Watches {
    /// One for each literal, and one behind the last.
    starts: Vec<PackedStart>,
    packed: Vec<u32>,
    pub lists: Vec<Vec<Watch>>,
    /// A bit for each literal: clear where its list is empty.
    occupied: Vec<u64>,
    /// How many small clauses have come into the lists since the last packing.
    unpacked: usize,
}

impl Default for Watches {
    fn default() -> Self {
        Watches {
            starts: vec![PackedStart::default()],
            packed: Vec::new(),
            lists: Vec::new(),
            occupied: Vec::new(),
            unpacked: 0,
        }
    }
}

impl Watches {
    pub fn new_var(&mut self) {
        let end = self.packed.len() as u32;
        self.starts.extend([PackedStart { binary: end, ternary: end }; 2]);
        self.lists.extend([Vec::new(), Vec::new()]);
        self.occupied.resize(self.lists.len().div_ceil(64), 0);
    }

    /// The packed watches of a literal: the other literals of binary clauses, and the pairs of
    /// other literals of ternary clauses.
    #[inline]
    pub fn packed(&self, literal: Literal) -> (&[u32], &[[u32; 2]]) {
        let start = self.starts[literal.code()];
        let end = self.starts[literal.code() + 1].binary as usize;
        let binary = &self.packed[start.binary as usize..start.ternary as usize];
        let (ternary, _) = self.packed[start.ternary as usize..end].as_chunks();
        (binary, ternary)
    }

    /// Whether the literal's list may have entries.
    #[inline]
    pub fn is_occupied(&self, literal: Literal) -> bool {
        self.occupied[literal.code() / 64] >> (literal.code() % 64) & 1 == 1
    }

    /// Adds an entry to a literal's list.
    #[inline]
    pub fn push(&mut self, literal: Literal, watch: Watch) {
        self.occupied[literal.code() / 64] |= 1 << (literal.code() % 64);
        self.lists[literal.code()].push(watch);
    }

    /// Adds a binary clause to the lists.
    pub fn push_binary(&mut self, a: Literal, b: Literal) {
        self.unpacked += 1;
        self.push(a, Watch::binary(b));
        self.push(b, Watch::binary(a));
    }

    /// Adds a ternary clause to the lists.
    pub fn push_ternary(&mut self, a: Literal, b: Literal, c: Literal) {
        self.unpacked += 1;
        self.push(a, Watch::ternary(b, c));
        self.push(b, Watch::ternary(a, c));
        self.push(c, Watch::ternary(a, b));
    }

    /// Whether enough small clauses are in the lists that packing them is worth it. A part of
    /// what is packed already, so that the effort is linear in the long run.
    pub fn wants_packing(&self) -> bool {
        self.unpacked > 64 + self.packed.len() / 32
    }

    /// Moves the small clauses of all lists to the packed watches.
    pub fn pack(&mut self) {
        let mut packed = Vec::with_capacity(self.packed.len() + 8 * self.unpacked);
        let mut starts = Vec::with_capacity(self.starts.len());
        for code in 0..self.lists.len() {
            let binary = packed.len() as u32;
            let (old_binary, old_ternary) = self.packed(Literal(code as u32));
            packed.extend_from_slice(old_binary);
            packed.extend(self.lists[code].iter().filter_map(|w| match w.target() {
                Target::Binary => Some(w.blocker.0),
                _ => None,
            }));
            starts.push(PackedStart { binary, ternary: packed.len() as u32 });
            packed.extend(old_ternary.as_flattened());
            for watch in &self.lists[code] {
                if let Target::Ternary(other) = watch.target() {
                    packed.extend([watch.blocker.0, other.0]);
                }
            }
        }
        let end = u32::try_from(packed.len()).expect("fewer watches than words of the arena");
        starts.push(PackedStart { binary: end, ternary: end });
        (self.packed, self.starts) = (packed, starts);
        self.retain(|watch| matches!(watch.target(), Target::Clause(_)).then_some(watch));
        self.unpacked = 0;
    }

    /// Replaces the entries of all lists by what `change` makes of them. `None` removes one.
    pub fn retain(&mut self, change: impl Fn(Watch) -> Option<Watch>) {
        self.occupied.fill(0);
        for (code, list) in self.lists.iter_mut().enumerate() {
            super::reduce::retain_map(list, &change);
            if !list.is_empty() {
                self.occupied[code / 64] |= 1 << (code % 64);
            }
        }
    }

    /// Removes all watches, packed and listed.
    pub fn clear(&mut self) {
        self.packed.clear();
        self.starts.fill(PackedStart::default());
        self.lists.iter_mut().for_each(Vec::clear);
        self.occupied.fill(0);
        self.unpacked = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_all_watches() {
        let mut watches = Watches::default();
        (0..100).for_each(|_| watches.new_var());
        let l = |i: u32| Literal(i * 7 % 200);
        watches.push(l(5), Watch::clause(ClauseRef(9), l(6)));
        let mut expected = vec![(Vec::new(), Vec::new()); 200];
        for i in 0..300 {
            let (a, b, c) = (l(i), l(i + 3), l(i + 11));
            if i % 2 == 0 {
                watches.push_binary(a, b);
                expected[a.code()].0.push(b.0);
                expected[b.code()].0.push(a.0);
            } else {
                watches.push_ternary(a, b, c);
                expected[a.code()].1.push([b.0, c.0]);
                expected[b.code()].1.push([a.0, c.0]);
                expected[c.code()].1.push([a.0, b.0]);
            }
            if i % 100 == 60 {
                watches.pack();
            }
        }
        watches.pack();
        watches.new_var();
        for (code, (binary, ternary)) in expected.iter().enumerate() {
            let literal = Literal(code as u32);
            assert_eq!(watches.packed(literal), (&binary[..], &ternary[..]));
            assert_eq!(watches.is_occupied(literal), literal == l(5));
        }
        assert_eq!(watches.packed(Literal(201)), (&[][..], &[][..]));
    }
}
