//! The clause arena: all clauses of two and more literals in one flat array of 32-bit words.
//!
//! A clause is two header words followed by its literals, so that the search reads length,
//! flags and the first literals in one cache line. The first word is the length. The second
//! holds the kind, the deletion mark, how recently the clause was used, and its LBD ("literal
//! block distance", the number of decision levels among its literals when it was learnt:
//! Audemard and Simon, IJCAI 2009).

use super::literal::Literal;

/// Where a clause starts in the arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ClauseRef(pub u32);

/// Where a clause comes from, which decides when it may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Added for good with `add_clause`.
    Permanent = 0,
    /// Part of a definition.
    Definition = 1,
    /// Learnt, and implied by the formula.
    Learnt = 2,
    /// The temporary clause, or learnt with its help: goes when the question ends.
    Temporary = 3,
}

const HEADER: usize = 2;
const KIND: u32 = 0b11;
const DELETED: u32 = 1 << 2;
const USED_SHIFT: u32 = 3;
const USED: u32 = 0b11 << USED_SHIFT;
const LBD_SHIFT: u32 = 5;
const LBD_MAX: u32 = (1 << 27) - 1;

/// The clauses. Deleted ones stay in place as waste until [`Arena::collect`].
#[derive(Clone, Default)]
pub(super) struct Arena {
    words: Vec<u32>,
    wasted: usize,
}

impl Arena {
    /// References are kept in 30 bits (see `watch.rs`).
    const MAX_WORDS: usize = 1 << 30;

    /// Stores a clause of at least two literals.
    ///
    /// # Panics
    /// If the arena would exceed four gigabytes.
    pub fn add(&mut self, kind: Kind, lbd: u32, literals: &[Literal]) -> ClauseRef {
        debug_assert!(literals.len() >= 2);
        let start = self.words.len();
        assert!(
            start + HEADER + literals.len() <= Self::MAX_WORDS,
            "the clauses exceed the four gigabytes that this solver can address"
        );
        self.words.push(literals.len() as u32);
        self.words.push(kind as u32 | lbd.min(LBD_MAX) << LBD_SHIFT);
        self.words.extend(literals.iter().map(|l| l.0));
        ClauseRef(start as u32)
    }

    #[inline]
    pub fn len(&self, clause: ClauseRef) -> usize {
        self.words[clause.0 as usize] as usize
    }

    #[inline]
    fn flags(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize + 1]
    }

    #[inline]
    fn flags_mut(&mut self, clause: ClauseRef) -> &mut u32 {
        &mut self.words[clause.0 as usize + 1]
    }

    pub fn kind(&self, clause: ClauseRef) -> Kind {
        match self.flags(clause) & KIND {
            0 => Kind::Permanent,
            1 => Kind::Definition,
            2 => Kind::Learnt,
            _ => Kind::Temporary,
        }
    }

    #[inline]
    pub fn is_temporary(&self, clause: ClauseRef) -> bool {
        self.flags(clause) & KIND == Kind::Temporary as u32
    }

    pub fn is_deleted(&self, clause: ClauseRef) -> bool {
        self.flags(clause) & DELETED != 0
    }

    pub fn lbd(&self, clause: ClauseRef) -> u32 {
        self.flags(clause) >> LBD_SHIFT
    }

    pub fn set_lbd(&mut self, clause: ClauseRef, lbd: u32) {
        let flags = self.flags_mut(clause);
        *flags = *flags & ((1 << LBD_SHIFT) - 1) | lbd.min(LBD_MAX) << LBD_SHIFT;
    }

    /// How many reductions of the database the clause survives without being used.
    pub fn used(&self, clause: ClauseRef) -> u32 {
        (self.flags(clause) & USED) >> USED_SHIFT
    }

    pub fn set_used(&mut self, clause: ClauseRef, used: u32) {
        let flags = self.flags_mut(clause);
        *flags = *flags & !USED | used << USED_SHIFT & USED;
    }

    /// Marks the clause as deleted. The caller removes its watches.
    pub fn delete(&mut self, clause: ClauseRef) {
        debug_assert!(!self.is_deleted(clause));
        self.wasted += HEADER + self.len(clause);
        *self.flags_mut(clause) |= DELETED;
    }

    /// The literal at a position.
    #[inline]
    pub fn literal(&self, clause: ClauseRef, position: usize) -> Literal {
        Literal(self.words[clause.0 as usize + HEADER + position])
    }

    /// The literals' codes.
    #[inline]
    pub fn codes(&self, clause: ClauseRef) -> &[u32] {
        let start = clause.0 as usize;
        let len = self.words[start] as usize;
        &self.words[start + HEADER..start + HEADER + len]
    }

    /// The literals' codes, to be reordered.
    #[inline]
    pub fn codes_mut(&mut self, clause: ClauseRef) -> &mut [u32] {
        let start = clause.0 as usize;
        let len = self.words[start] as usize;
        &mut self.words[start + HEADER..start + HEADER + len]
    }

    #[inline]
    pub fn literals(&self, clause: ClauseRef) -> impl ExactSizeIterator<Item = Literal> + '_ {
        self.codes(clause).iter().map(|&code| Literal(code))
    }

    /// All clauses that are not deleted, in the order of their addition. To be called with the
    /// last result, or `None` for the first.
    pub fn next(&self, last: Option<ClauseRef>) -> Option<ClauseRef> {
        let mut at = last.map_or(0, |c| c.0 as usize + HEADER + self.len(c));
        while at < self.words.len() {
            let clause = ClauseRef(at as u32);
            if !self.is_deleted(clause) {
                return Some(clause);
            }
            at += HEADER + self.len(clause);
        }
        None
    }

    /// How many words the arena has.
    pub fn size(&self) -> usize {
        self.words.len()
    }

    /// Whether so much is wasted that copying the rest is worth it.
    pub fn wants_collection(&self) -> bool {
        self.wasted > 1024 && self.wasted * 3 > self.words.len()
    }

    /// Copies the clauses that are not deleted into a fresh arena. Afterwards `self` is the old
    /// arena, in which [`Arena::moved`] tells where each clause went, and the result is the new.
    pub fn collect(&mut self) -> Arena {
        let mut fresh =
            Arena { words: Vec::with_capacity(self.words.len() - self.wasted), wasted: 0 };
        let mut at = 0;
        while at < self.words.len() {
            let clause = ClauseRef(at as u32);
            let end = at + HEADER + self.len(clause);
            if !self.is_deleted(clause) {
                let place = fresh.words.len() as u32;
                fresh.words.extend_from_slice(&self.words[at..end]);
                self.words[at + HEADER] = place;
            }
            at = end;
        }
        fresh
    }

    /// After [`Arena::collect`], of the old arena: where a clause is now, `None` if deleted.
    pub fn moved(&self, clause: ClauseRef) -> Option<ClauseRef> {
        (!self.is_deleted(clause)).then(|| ClauseRef(self.words[clause.0 as usize + HEADER]))
    }
}
