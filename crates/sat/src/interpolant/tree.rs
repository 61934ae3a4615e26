//! Families of interpolants from one refutation: trees and sequences.
//!
//! The formula is split into one part φᵢ per node i of a tree. The interpolant Iᵢ of a node
//! separates its subtree from everything else, and the family has the *tree interpolation
//! property* [Fed15 §2.1.1, §2.3.2] if for every node i with children j
//!
//! ```text
//! ⋀ Iⱼ ∧ φᵢ ⇒ Iᵢ        and  I_root = ⊥
//! ```
//!
//! so that each part can be replaced by what its children guarantee. A sequence (path) is a tree
//! in which every node has at most one child.
//!
//! Which systems guarantee the property when all interpolants come from one refutation is known
//! from Rollini, Sery and Sharygina ("Leveraging interpolant strength in model checking",
//! CAV 2012) and Gurfinkel, Rollini and Sharygina ("Interpolation properties and SAT-based model
//! checking", ATVA 2013):
//!
//! * Pudlák's system does for every tree, and so does every stronger one, McMillan's included.
//! * McMillan's dual does for sequences: its interpolant is the negation of McMillan's with the
//!   sides exchanged, and negation turns Iᵢ₋₁ ∧ φᵢ ⇒ Iᵢ into the same property of the reversed
//!   sequence. With two or more children it does not: each Iⱼ alone is as weak as it can be, and
//!   nothing makes their conjunction strong enough. [`tree_interpolants`] therefore refuses that
//!   combination.

use super::formula::{Formula, Formulas};
use super::labelling::{Interpolator, System};
use crate::proof::{Partition, Refutation};

/// Why a family of interpolants is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreeError {
    /// A tree has exactly one root, and every other node leads to it.
    #[error("the parents do not form a tree with one root")]
    NotATree,
    /// A clause of the refutation belongs to no node.
    #[error("a clause of partition {} belongs to no node of the tree", .0.0)]
    Unplaced(Partition),
    /// The system does not guarantee the tree interpolation property for this tree.
    #[error("{0:?} does not guarantee tree interpolants where a node has several children")]
    NoTreeProperty(System),
}

/// A rooted tree over nodes 0, 1, ….
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    parents: Vec<Option<usize>>,
    /// The nodes, each before its parent.
    children_first: Vec<usize>,
}

impl Tree {
    /// The tree in which node `i` has the parent `parents[i]`; the root has none.
    pub fn new(parents: Vec<Option<usize>>) -> Result<Self, TreeError> {
        let roots = parents.iter().filter(|parent| parent.is_none()).count();
        let inside = |parent: &Option<usize>| parent.is_none_or(|node| node < parents.len());
        if roots != 1 || !parents.iter().all(inside) {
            return Err(TreeError::NotATree);
        }
        let mut waiting = child_counts(&parents);
        let mut ready: Vec<usize> = (0..parents.len()).filter(|&node| waiting[node] == 0).collect();
        let mut children_first = Vec::with_capacity(parents.len());
        while let Some(node) = ready.pop() {
            children_first.push(node);
            if let Some(parent) = parents[node] {
                waiting[parent] -= 1;
                if waiting[parent] == 0 {
                    ready.push(parent);
                }
            }
        }
        // The nodes of a cycle wait for each other for ever.
        if children_first.len() != parents.len() {
            return Err(TreeError::NotATree);
        }
        Ok(Tree { parents, children_first })
    }

    /// The path 0, 1, …, `len` - 1, whose last node is the root.
    pub fn path(len: usize) -> Result<Self, TreeError> {
        Tree::new((1..=len).map(|next| (next < len).then_some(next)).collect())
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no nodes, which is never so.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The node's parent; `None` for the root.
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.parents[node]
    }

    /// The node's children.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(move |&child| self.parents[child] == Some(node))
    }

    /// Whether no node has two children.
    pub fn is_path(&self) -> bool {
        child_counts(&self.parents).iter().all(|&count| count <= 1)
    }

    /// For each node whether it belongs to the subtree of `root`.
    fn subtree(&self, root: usize) -> Vec<bool> {
        let mut inside = vec![false; self.len()];
        for &node in self.children_first.iter().rev() {
            inside[node] = node == root || self.parents[node].is_some_and(|parent| inside[parent]);
        }
        inside
    }
}

fn child_counts(parents: &[Option<usize>]) -> Vec<usize> {
    let mut counts = vec![0; parents.len()];
    for &parent in parents.iter().flatten() {
        counts[parent] += 1;
    }
    counts
}

/// The interpolants of a tree.
#[derive(Clone, Debug)]
pub struct TreeInterpolants {
    /// What the interpolants consist of.
    pub formulas: Formulas,
    /// The interpolant of each node; ⊥ for the root.
    pub nodes: Vec<Formula>,
}

/// The interpolants of all nodes of a tree from one refutation. A clause of a partition belongs
/// to the node that `node_of` names.
///
/// Ensures: the tree interpolation property, and that each interpolant's variables occur both
/// inside and outside the node's subtree.
pub fn tree_interpolants(
    refutation: &Refutation,
    tree: &Tree,
    system: System,
    node_of: impl Fn(Partition) -> Option<usize>,
) -> Result<TreeInterpolants, TreeError> {
    if system == System::DualMcMillan && !tree.is_path() {
        return Err(TreeError::NoTreeProperty(system));
    }
    separate_interpolants(refutation, tree, system, node_of)
}

/// As [`tree_interpolants`], but each interpolant is promised to be one of its own subtree, and nothing
/// of them together.
pub fn separate_interpolants(
    refutation: &Refutation,
    tree: &Tree,
    system: System,
    node_of: impl Fn(Partition) -> Option<usize>,
) -> Result<TreeInterpolants, TreeError> {
    for (partition, _) in refutation.leaves() {
        if node_of(partition).is_none_or(|node| node >= tree.len()) {
            return Err(TreeError::Unplaced(partition));
        }
    }
    let mut interpolator = Interpolator::new(refutation);
    let mut nodes: Vec<Formula> = (0..tree.len())
        .map(|node| {
            let subtree = tree.subtree(node);
            let in_subtree = |partition| node_of(partition).is_some_and(|node| subtree[node]);
            interpolator.interpolant(system, in_subtree)
        })
        .collect();
    let formulas = interpolator.into_formulas(&mut nodes);
    Ok(TreeInterpolants { formulas, nodes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trees_are_trees() {
        let bad = [
            vec![],
            vec![None, None],
            vec![Some(1), Some(0)],
            vec![None, Some(2), Some(1)],
            vec![None, Some(7)],
            vec![Some(0)],
        ];
        for parents in bad {
            assert_eq!(Tree::new(parents), Err(TreeError::NotATree));
        }
        let tree = Tree::new(vec![Some(2), Some(2), None, Some(1)]).expect("a tree");
        assert_eq!(tree.subtree(1), [false, true, false, true]);
        assert_eq!(tree.subtree(2), [true; 4]);
        assert!(!tree.is_path());
        assert_eq!(tree.children(2).collect::<Vec<_>>(), [0, 1]);
        assert!(Tree::path(5).expect("a path").is_path());
        assert_eq!(Tree::path(0), Err(TreeError::NotATree));
    }
}
