//! The graph of a function while a front end lowers it.
//!
//! Instructions are appended at the current location; after a jump there is none, and what is
//! appended then is dropped, because no run comes there. Locations that nothing leads to are
//! removed in the end.

use crate::place::Place;
use crate::program::{Body, Edge, EdgeId, Instruction, Location, LocationId};
use la_arena::{Arena, Idx};
use term::{Pool, Term};

/// A graph under construction.
pub struct Graph {
    /// Its locations; labels and heads of loops are set there.
    pub locations: Arena<Location>,
    /// Its edges, in the order in which they were appended.
    pub edges: Arena<Edge>,
    /// Where the function begins.
    pub entry: LocationId,
    /// Where it returns.
    pub exit: LocationId,
    /// Where the next instruction goes; none where control does not come.
    pub at: Option<LocationId>,
}

impl Default for Graph {
    fn default() -> Graph {
        let mut locations = Arena::new();
        let entry = locations.alloc(Location::default());
        let exit = locations.alloc(Location::default());
        Graph { locations, edges: Arena::new(), entry, exit, at: Some(entry) }
    }
}

impl Graph {
    /// A location that nothing leads to yet.
    pub fn location(&mut self, place: Place) -> LocationId {
        self.locations.alloc(Location { place, label: None, loop_head: false })
    }

    fn connect(&mut self, from: LocationId, to: LocationId, instruction: Instruction, at: &Place) {
        self.edges.alloc(Edge { from, to, instruction, place: at.clone() });
    }

    /// Appends an instruction and a new location, which has the place `behind`.
    pub fn append(&mut self, instruction: Instruction, place: &Place, behind: Place) {
        let Some(from) = self.at else { return };
        let to = self.location(behind);
        self.connect(from, to, instruction, place);
        self.at = Some(to);
    }

    /// Goes to a location.
    pub fn jump(&mut self, to: LocationId, place: &Place) {
        if let Some(from) = self.at.take() {
            self.connect(from, to, Instruction::Skip, place);
        }
    }

    /// One guarded edge from the current location, which stays the current one.
    pub fn guarded(&mut self, pool: &Pool, guard: Term, to: LocationId, place: &Place) {
        let Some(from) = self.at else { return };
        match pool.as_bool(guard) {
            Some(false) => {}
            Some(true) => self.connect(from, to, Instruction::Skip, place),
            None => self.connect(from, to, Instruction::Assume(guard), place),
        }
    }

    /// The finished graph, without what can't be reached.
    pub fn finish(self) -> Body {
        let reached = self.reached();
        let mut locations = Arena::new();
        let mut renamed = vec![None; self.locations.len()];
        for (id, location) in self.locations.iter() {
            if reached[index(id)] || id == self.exit {
                renamed[index(id)] = Some(locations.alloc(location.clone()));
            }
        }
        let mut edges = Arena::new();
        for (_, edge) in self.edges.iter() {
            let ends = (renamed[index(edge.from)], renamed[index(edge.to)]);
            if let (Some(from), Some(to)) = ends
                && reached[index(edge.from)]
            {
                edges.alloc(Edge { from, to, ..edge.clone() });
            }
        }
        let kept = |id: LocationId| renamed[index(id)].expect("entry and exit are kept");
        Body { entry: kept(self.entry), exit: kept(self.exit), locations, edges }
    }

    /// Which locations the entry leads to.
    fn reached(&self) -> Vec<bool> {
        let mut outgoing: Vec<Vec<EdgeId>> = vec![Vec::new(); self.locations.len()];
        for (id, edge) in self.edges.iter() {
            outgoing[index(edge.from)].push(id);
        }
        let mut reached = vec![false; self.locations.len()];
        let mut todo = vec![self.entry];
        reached[index(self.entry)] = true;
        while let Some(location) = todo.pop() {
            for &edge in &outgoing[index(location)] {
                let to = self.edges[edge].to;
                if !std::mem::replace(&mut reached[index(to)], true) {
                    todo.push(to);
                }
            }
        }
        reached
    }
}

fn index<T>(id: Idx<T>) -> usize {
    id.into_raw().into_u32() as usize
}
