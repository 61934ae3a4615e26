//! What is kept for runs that need memory from outside ([`super::super::outside`]).

use super::super::objects::Kind;
use super::super::outside::{Access, Contents};
use super::{Encoder, Store};
use crate::interpret::layout::Layout;
use term::Term;

/// The most objects of a class that an access is told to be in one by one. Of more it is only said where
/// objects lie: the run that is found may go beyond one, and is then none.
const MEMBERS: usize = 16;

impl Encoder<'_> {
    /// Takes note of an access to a class with external memory.
    pub(super) fn note_outside(&mut self, address: Term, length: Term) {
        let class = self.classes.class(address);
        let dropped = class.regions.iter().map(|region| match &self.stores[*region] {
            Store::Array(array) => array.dropped,
            Store::Cells(_) => 0,
        });
        let aligned = dropped.max().unwrap_or(0);
        let own = match class.members.len() <= MEMBERS {
            true => {
                let own =
                    class.members.iter().map(|&(object, _)| self.is_in(object, address, length));
                self.pool.or(own.collect::<Vec<_>>())
            }
            false => self.is_below_outside(address),
        };
        let [address, length, own] =
            [address, length, own].map(|term| self.numbers.apply(self.pool, term));
        self.outside.push(Access { address, length, aligned, own });
    }

    /// Whether bytes are in an object, or, if nobody knows where it lies, among the objects that are
    /// allocated.
    fn is_in(&self, object: usize, address: Term, length: Term) -> Term {
        let pool = self.pool;
        let known = &self.objects.all[object];
        if known.kind == Kind::Function {
            return pool.fls();
        }
        let Some(base) = known.address.filter(|_| known.size.is_some()) else {
            let Layout { heap, end, .. } = Layout::new(self.width);
            let (heap, end) = (pool.bv(heap, self.width), pool.bv(end, self.width));
            return pool.and([pool.bv_ule(heap, address), pool.bv_ult(address, end)]);
        };
        self.inside(object, super::address::offset(pool, address, base), length)
    }

    /// Whether an address is where the program's own objects are, or between them.
    pub(super) fn is_below_outside(&self, address: Term) -> Term {
        let end = self.pool.bv(Layout::new(self.width).end, self.width);
        self.pool.bv_ult(address, end)
    }

    /// Takes note of the memory whose first contents come from outside.
    pub(super) fn note_contents(&mut self) {
        for region in 0..self.stores.len() {
            match &self.stores[region] {
                Store::Cells(map) => {
                    let open = map.iter().filter(|(cell, _)| self.is_declared(cell.0).is_some());
                    let open = open.map(|(_, (variable, _))| (*variable, Contents::Whole));
                    let open: Vec<_> = open.collect();
                    self.out.outside.extend(open);
                }
                Store::Array(array) => {
                    let class = self.classes.class_of(region);
                    let external = class.external.then(|| Layout::new(self.width).outside());
                    let members = class.members.iter();
                    let declared = members.filter_map(|(object, _)| self.is_declared(*object));
                    let ranges: Vec<(u64, u64)> = external.into_iter().chain(declared).collect();
                    if ranges.is_empty() {
                        continue;
                    }
                    let base = array.object.and_then(|object| self.start_of(object)).unwrap_or(0);
                    let contents = Contents::Elements { base, dropped: array.dropped, ranges };
                    self.out.outside.insert(array.variable, contents);
                }
            }
        }
    }

    /// The bytes of an object that is only declared: where it begins, and how many.
    fn is_declared(&self, object: usize) -> Option<(u64, u64)> {
        let Kind::Static(id) = self.objects.all[object].kind else { return None };
        let declared = &self.program.objects[id];
        declared.unknown.then(|| Some((self.start_of(object)?, declared.size)))?
    }

    fn start_of(&self, object: usize) -> Option<u64> {
        let address = self.objects.all[object].address?;
        self.objects.numbers.get(&address)?.to_u64()
    }
}
