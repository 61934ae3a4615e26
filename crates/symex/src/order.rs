//! In which order the locations of a function are executed.
//!
//! The weak topological order of F. Bourdoncle (*Efficient chaotic iteration strategies with
//! widenings*, FMPA 1993) puts a location before those that follow it, loops as nested components.
//! A [`Key`] is a place in it with the number of the turn in each loop around it; the least key goes
//! first. So all ways to a location within the same turns meet before it is left, and what leaves a
//! loop waits until the loop has ended.

use la_arena::ArenaMap;
use program::program::{Body, EdgeId, Instruction, LocationId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A location in the turns of the loops around it: for each loop its place and its turn, then the
/// location's own place.
pub type Key = Vec<u32>;

/// The order of a function's locations.
pub struct Order {
    /// The place of a location.
    number: ArenaMap<LocationId, u32>,
    /// The loops around a location, outermost first, by their heads. A head is in its own loop.
    loops: ArenaMap<LocationId, Vec<LocationId>>,
    /// Edges by where they leave.
    pub leaving: ArenaMap<LocationId, Vec<EdgeId>>,
    /// The locations that something can follow: a return, or what may go wrong. Runs to others are in a
    /// loop that has no end and does nothing, as programs write where they stop, or have no way on.
    alive: FxHashSet<LocationId>,
}

/// A step from one key to the next.
pub struct Advance {
    /// Where it leads.
    pub key: Key,
    /// Whether it begins another turn of a loop, and which.
    pub turn: Option<u32>,
}

impl Order {
    /// The order of a body.
    pub fn of(body: &Body) -> Order {
        let mut leaving: ArenaMap<LocationId, Vec<EdgeId>> = ArenaMap::default();
        for (location, _) in body.locations.iter() {
            leaving.insert(location, Vec::new());
        }
        for (id, edge) in body.edges.iter() {
            leaving[edge.from].push(id);
        }
        let mut sorter = Sorter {
            body,
            leaving: &leaving,
            depth: FxHashMap::default(),
            stack: Vec::new(),
            count: 0,
        };
        let mut partition = Vec::new();
        sorter.visit(body.entry, &mut partition);
        let (number, loops) = (ArenaMap::default(), ArenaMap::default());
        let mut order = Order { number, loops, leaving, alive: alive(body) };
        let mut count = 0;
        order.flatten(partition, &[], &mut count);
        order
    }

    fn flatten(&mut self, partition: Vec<Element>, around: &[LocationId], count: &mut u32) {
        // Elements were found from the last to the first.
        for element in partition.into_iter().rev() {
            let (location, inner) = match element {
                Element::Location(location) => (location, None),
                Element::Loop(head, inner) => (head, Some(inner)),
            };
            let mut loops = around.to_vec();
            if inner.is_some() {
                loops.push(location);
            }
            self.number.insert(location, *count);
            self.loops.insert(location, loops.clone());
            *count += 1;
            if let Some(inner) = inner {
                self.flatten(inner, &loops, count);
            }
        }
    }

    /// Whether something can follow a location.
    pub fn is_alive(&self, location: LocationId) -> bool {
        self.alive.contains(&location)
    }

    /// The key of a location, entered for the first time.
    pub fn first(&self, location: LocationId) -> Key {
        let mut key: Key =
            self.loops[location].iter().flat_map(|head| [self.number[*head], 0]).collect();
        key.push(self.number[location]);
        key
    }

    /// The key after a step between locations.
    pub fn advance(&self, key: &Key, from: LocationId, to: LocationId) -> Advance {
        let (before, after) = (&self.loops[from], &self.loops[to]);
        let shared = before.iter().zip(after).take_while(|(a, b)| a == b).count();
        let mut next: Key = key[..2 * shared].to_vec();
        let mut turn = None;
        if shared > 0 && after[shared - 1] == to && shared == after.len() {
            // Back to the head of a loop around both.
            let counter = &mut next[2 * shared - 1];
            *counter += 1;
            turn = Some(*counter);
        }
        next.extend(after[shared..].iter().flat_map(|head| [self.number[*head], 0]));
        next.push(self.number[to]);
        Advance { key: next, turn }
    }
}

/// The locations from which there are ways to the exit, or to an instruction that may go wrong or call
/// somebody.
fn alive(body: &Body) -> FxHashSet<LocationId> {
    let mut before: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
    let mut pending = vec![body.exit];
    for edge in body.edges.values() {
        before.entry(edge.to).or_default().push(edge.from);
        let harmless = matches!(
            edge.instruction,
            Instruction::Skip
                | Instruction::Assume(_)
                | Instruction::Assign(..)
                | Instruction::Havoc(..)
        );
        if !harmless {
            pending.push(edge.from);
        }
    }
    let mut alive = FxHashSet::default();
    while let Some(location) = pending.pop() {
        if alive.insert(location) {
            pending.extend(before.get(&location).into_iter().flatten());
        }
    }
    alive
}

enum Element {
    Location(LocationId),
    Loop(LocationId, Vec<Element>),
}

struct Sorter<'b> {
    body: &'b Body,
    leaving: &'b ArenaMap<LocationId, Vec<EdgeId>>,
    /// When a location was met; `u32::MAX` once its place is known.
    depth: FxHashMap<LocationId, u32>,
    stack: Vec<LocationId>,
    count: u32,
}

impl Sorter<'_> {
    /// Bourdoncle's `visit`: the least depth that the location leads back to.
    fn visit(&mut self, location: LocationId, partition: &mut Vec<Element>) -> u32 {
        self.stack.push(location);
        self.count += 1;
        self.depth.insert(location, self.count);
        let own = self.count;
        let (mut head, mut is_loop) = (own, false);
        let leaving = self.leaving;
        for edge in &leaving[location] {
            let to = self.body.edges[*edge].to;
            let least = match self.depth.get(&to) {
                None => self.visit(to, partition),
                Some(depth) => *depth,
            };
            if least <= head {
                head = least;
                is_loop = true;
            }
        }
        if head != own {
            return head;
        }
        self.depth.insert(location, u32::MAX);
        let mut top = self.stack.pop();
        if is_loop {
            while let Some(member) = top.filter(|member| *member != location) {
                self.depth.remove(&member);
                top = self.stack.pop();
            }
            let inner = self.component(location);
            partition.push(Element::Loop(location, inner));
        } else {
            partition.push(Element::Location(location));
        }
        head
    }

    fn component(&mut self, head: LocationId) -> Vec<Element> {
        let mut partition = Vec::new();
        let leaving = self.leaving;
        for edge in &leaving[head] {
            let to = self.body.edges[*edge].to;
            if !self.depth.contains_key(&to) {
                self.visit(to, &mut partition);
            }
        }
        partition
    }
}
