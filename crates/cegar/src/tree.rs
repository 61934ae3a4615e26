//! The abstract reachability tree.
//!
//! A vertex is a location with an abstract state, a conjunction of formulas; its children are what
//! its edges lead to. Invariants, for D the state of a vertex and T the relation of an edge:
//!
//! * the root is at the initial location and its D is true;
//! * for a vertex that is not covered, every edge to a location that matters is either still open
//!   or D ∧ T ⇒ D' with the child's D', or D ∧ T is false and there is no child;
//! * if a vertex is covered, its D implies that of an older vertex of the same location, and it has
//!   no children. So it implies that of one that is not covered.
//!
//! So when nothing is open, the disjunctions of D by location are inductive.

use program::cfa::{EdgeId, LocationId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use term::Term;

/// A vertex's index.
pub(crate) type VertexId = usize;
/// Where runs start.
pub(crate) const ROOT: VertexId = 0;

/// An abstract state somewhere.
pub(crate) struct Vertex {
    pub(crate) location: LocationId,
    /// Where it comes from, and by which edge.
    pub(crate) parent: Option<(VertexId, EdgeId)>,
    /// D, the conjunction of these.
    pub(crate) state: Vec<Term>,
    children: Vec<VertexId>,
    covered: bool,
    /// The vertices that are covered by this one.
    covers: Vec<VertexId>,
    removed: bool,
}

/// What is still to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Open {
    /// To find out where an edge leads.
    Edge(VertexId, EdgeId),
    /// To see whether a vertex is covered, or what its edges are.
    Vertex(VertexId),
}

/// See the module's head.
#[derive(Default)]
pub(crate) struct Tree {
    vertices: Vec<Vertex>,
    /// The vertices of each location that are there, oldest first.
    at: FxHashMap<LocationId, Vec<VertexId>>,
    open: VecDeque<Open>,
}

impl Tree {
    /// A tree of the root alone.
    pub(crate) fn new(initial: LocationId) -> Tree {
        let mut tree = Tree::default();
        let root = tree.add(initial, None, Vec::new());
        tree.open.push_back(Open::Vertex(root));
        tree
    }

    /// How many vertices have been made.
    pub(crate) fn len(&self) -> usize {
        self.vertices.len()
    }

    pub(crate) fn get(&self, vertex: VertexId) -> &Vertex {
        &self.vertices[vertex]
    }

    /// Adds a vertex.
    pub(crate) fn add(
        &mut self,
        location: LocationId,
        parent: Option<(VertexId, EdgeId)>,
        state: Vec<Term>,
    ) -> VertexId {
        let id = self.vertices.len();
        if let Some((parent, _)) = parent {
            self.vertices[parent].children.push(id);
        }
        let (children, covers) = (Vec::new(), Vec::new());
        let (covered, removed) = (false, false);
        self.vertices.push(Vertex { location, parent, state, children, covered, covers, removed });
        self.at.entry(location).or_default().push(id);
        id
    }

    /// Lets an edge be looked at after what is open now; at once, if it is `urgent`.
    pub(crate) fn open(&mut self, open: Open, urgent: bool) {
        if urgent {
            self.open.push_front(open);
        } else {
            self.open.push_back(open);
        }
    }

    /// What to do next.
    pub(crate) fn next(&mut self) -> Option<Open> {
        while let Some(open) = self.open.pop_front() {
            let (Open::Edge(vertex, _) | Open::Vertex(vertex)) = open;
            if !self.vertices[vertex].removed {
                return Some(open);
            }
        }
        None
    }

    /// The vertices at a location that are not covered, oldest first.
    pub(crate) fn uncovered(&self, location: LocationId) -> impl Iterator<Item = VertexId> + '_ {
        let here = self.at.get(&location).into_iter().flatten().copied();
        here.filter(|vertex| !self.vertices[*vertex].covered)
    }

    /// Notes that a vertex is covered by another.
    ///
    /// Requires: the vertex has no children, and its state implies that of the other, which is
    /// older.
    pub(crate) fn cover(&mut self, vertex: VertexId, by: VertexId) {
        debug_assert!(self.vertices[vertex].children.is_empty() && by < vertex);
        self.vertices[vertex].covered = true;
        self.vertices[by].covers.push(vertex);
    }

    /// The vertices from the root to this one.
    pub(crate) fn branch(&self, vertex: VertexId) -> Vec<VertexId> {
        let parent = |vertex: &VertexId| Some(self.vertices[*vertex].parent?.0);
        let mut branch: Vec<VertexId> = std::iter::successors(Some(vertex), parent).collect();
        branch.reverse();
        branch
    }

    /// Removes a vertex and all below; the edge into it is open again, and so are the vertices
    /// that something removed has covered. Returns how many were removed.
    ///
    /// Requires: it is not the root.
    pub(crate) fn remove(&mut self, vertex: VertexId) -> usize {
        let (parent, edge) = self.vertices[vertex].parent.expect("the root stays");
        self.vertices[parent].children.retain(|child| *child != vertex);
        let mut pending = vec![vertex];
        let (mut count, mut uncovered) = (0, Vec::new());
        while let Some(id) = pending.pop() {
            count += 1;
            let vertex = &mut self.vertices[id];
            vertex.removed = true;
            vertex.state = Vec::new();
            pending.append(&mut vertex.children);
            uncovered.append(&mut vertex.covers);
            let location = vertex.location;
            self.at.entry(location).or_default().retain(|other| *other != id);
        }
        for id in uncovered {
            self.vertices[id].covered = false;
            self.open.push_back(Open::Vertex(id));
        }
        self.open.push_front(Open::Edge(parent, edge));
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use la_arena::{Idx, RawIdx};

    fn id<T>(n: u32) -> Idx<T> {
        Idx::from_raw(RawIdx::from_u32(n))
    }

    /// What a removed vertex has covered is looked at again, and the edge into it too.
    #[test]
    fn covers_end_with_the_vertex() {
        let (start, head): (LocationId, LocationId) = (id(0), id(1));
        let (enter, round): (EdgeId, EdgeId) = (id(0), id(1));
        let mut tree = Tree::new(start);
        assert_eq!(tree.next(), Some(Open::Vertex(ROOT)));
        let first = tree.add(head, Some((ROOT, enter)), Vec::new());
        let below = tree.add(head, Some((first, round)), Vec::new());
        let other = tree.add(head, Some((ROOT, round)), Vec::new());
        tree.cover(other, below);
        assert_eq!(tree.uncovered(head).collect::<Vec<_>>(), [first, below]);
        assert_eq!(tree.branch(below), [ROOT, first, below]);
        tree.open(Open::Edge(below, round), false);
        assert_eq!(tree.remove(first), 2);
        assert_eq!(tree.uncovered(head).collect::<Vec<_>>(), [other]);
        assert_eq!(tree.next(), Some(Open::Edge(ROOT, enter)));
        assert_eq!(tree.next(), Some(Open::Vertex(other)));
        assert_eq!(tree.next(), None, "the vertex below is gone, and its edge with it");
    }
}
