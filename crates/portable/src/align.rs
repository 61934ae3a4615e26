//! The longest common subsequence of two sequences.
//!
//! What both begin and end with is paired at once: versions mostly differ in few places. The rest is
//! compared by the table of lengths, if that is not too large; otherwise only items that occur once in
//! both are paired, in the largest order-preserving way (as *patience* comparison of texts does).

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// How many entries the table may have.
const TABLE: usize = 4_000_000;

/// The pairs of positions, ascending in both, of a longest common subsequence.
pub fn align<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[front..], &new[front..]);
    let back = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_middle, new_middle) =
        (&old_rest[..old_rest.len() - back], &new_rest[..new_rest.len() - back]);
    let middle = match old_middle.len().saturating_mul(new_middle.len()) <= TABLE {
        true => by_table(old_middle, new_middle),
        false => by_unique(old_middle, new_middle),
    };
    let mut pairs: Vec<(usize, usize)> = (0..front).map(|i| (i, i)).collect();
    pairs.extend(middle.into_iter().map(|(i, j)| (front + i, front + j)));
    pairs.extend((0..back).rev().map(|i| (old.len() - 1 - i, new.len() - 1 - i)));
    pairs
}

/// By dynamic programming.
fn by_table<T: Eq>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    // Lengths for the rests from (i, j) on.
    let mut lengths = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            lengths[i * width + j] = match old[i] == new[j] {
                true => lengths[(i + 1) * width + j + 1] + 1,
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Of items that occur once in both, by the longest ascending sequence of positions.
fn by_unique<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let once = |items: &[T]| -> FxHashMap<usize, usize> {
        let mut at: FxHashMap<&T, Vec<usize>> = FxHashMap::default();
        for (position, item) in items.iter().enumerate() {
            at.entry(item).or_default().push(position);
        }
        at.values().filter(|all| all.len() == 1).map(|all| (all[0], all[0])).collect()
    };
    let (old_once, new_once) = (once(old), once(new));
    let where_in_new: FxHashMap<&T, usize> =
        new_once.keys().map(|&position| (&new[position], position)).collect();
    let mut candidates: Vec<(usize, usize)> = old_once
        .keys()
        .filter_map(|&position| Some((position, *where_in_new.get(&old[position])?)))
        .collect();
    candidates.sort_unstable();
    ascending(&candidates)
}

/// The longest subsequence of pairs that ascends in the second component too.
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // Of each length, the pair that ends such a subsequence with the least second component.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (index, &(_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < second);
        before[index] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut chosen = Vec::new();
    let mut next = ends.last().copied();
    while let Some(index) = next {
        chosen.push(pairs[index]);
        next = before[index];
    }
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(old: &str, new: &str) -> Vec<(usize, usize)> {
        let all = |text: &str| text.chars().collect::<Vec<char>>();
        align(&all(old), &all(new))
    }

    #[test]
    fn common_parts_are_paired() {
        assert_eq!(letters("abc", "abc"), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(letters("abxc", "abyyc"), [(0, 0), (1, 1), (3, 4)]);
        assert_eq!(letters("", "abc"), []);
        assert_eq!(letters("abcabba", "cbabac").len(), 4);
    }

    #[test]
    fn long_sequences_are_paired_by_what_is_unique() {
        let old: Vec<u32> = (0..5_000).map(|i| i * 2).collect();
        let new: Vec<u32> =
            (0..5_000).map(|i| if i % 7 == 3 { i * 2 + 1 } else { i * 2 }).collect();
        let pairs = align(&old, &new);
        assert!(pairs.iter().all(|&(i, j)| old[i] == new[j]));
        assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        assert_eq!(pairs.len(), (0..5_000).filter(|i| i % 7 != 3).count());
    }
}
