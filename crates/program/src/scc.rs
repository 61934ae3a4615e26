//! Strongly connected components of a graph: Tarjan's algorithm with an explicit stack.

/// Successors in one array: those of node n are `targets[starts[n]..starts[n + 1]]`.
pub(crate) struct Successors {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Successors {
    pub fn new(nodes: usize, edges: &[(usize, usize)]) -> Successors {
        let mut starts = vec![0u32; nodes + 1];
        for &(from, _) in edges {
            starts[from + 1] += 1;
        }
        for n in 0..nodes {
            starts[n + 1] += starts[n];
        }
        let mut next = starts.clone();
        let mut targets = vec![0u32; edges.len()];
        for &(from, to) in edges {
            targets[next[from] as usize] = to as u32;
            next[from] += 1;
        }
        Successors { starts, targets }
    }

    pub fn of(&self, node: usize) -> &[u32] {
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// The number of each node's component; an edge never leads to a component with a larger number.
pub(crate) fn components(nodes: usize, edges: &[(usize, usize)]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let successors = Successors::new(nodes, edges);
    let mut component = vec![NONE; nodes];
    let mut order = vec![NONE; nodes];
    let mut low = vec![NONE; nodes];
    let mut open: Vec<u32> = Vec::new();
    let mut calls: Vec<(u32, u32)> = Vec::new();
    let (mut visited, mut found) = (0, 0);
    for root in 0..nodes {
        if order[root] != NONE {
            continue;
        }
        calls.push((root as u32, 0));
        while let Some(&mut (node, ref mut next)) = calls.last_mut() {
            let n = node as usize;
            if *next == 0 {
                order[n] = visited;
                low[n] = visited;
                visited += 1;
                open.push(node);
            }
            if let Some(&target) = successors.of(n).get(*next as usize) {
                *next += 1;
                let t = target as usize;
                if order[t] == NONE {
                    calls.push((target, 0));
                } else if component[t] == NONE {
                    low[n] = low[n].min(order[t]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                let p = parent as usize;
                low[p] = low[p].min(low[n]);
            }
            if low[n] == order[n] {
                while let Some(member) = open.pop() {
                    component[member as usize] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn cycles_are_components() {
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (3, 3), (4, 0)];
        let c = components(5, &edges);
        assert_eq!(c[1], c[2]);
        assert!(c[0] != c[1] && c[3] != c[1] && c[4] != c[0]);
        for (from, to) in edges {
            assert!(c[from] >= c[to]);
        }
    }

    #[test]
    fn a_long_path_needs_no_stack() {
        let edges: Vec<_> = (0..200_000).map(|n| (n, n + 1)).collect();
        assert_eq!(components(200_001, &edges)[0], 200_000);
    }
}
