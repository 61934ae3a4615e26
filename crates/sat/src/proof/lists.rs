//! Many short lists in one allocation.
//!
//! A proof has millions of clauses and antecedent lists of a few items each. One vector of items
//! and one of ends costs eight bytes per list instead of an allocation.

/// A sequence of lists of `T`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lists<T> {
    items: Vec<T>,
    /// Where each list ends in `items`; it begins where the one before ends.
    ends: Vec<usize>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// The number of items in all lists together.
    pub(crate) fn item_count(&self) -> usize {
        self.items.len()
    }

    fn start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.ends[index - 1] }
    }

    /// The list with this index.
    pub(crate) fn get(&self, index: usize) -> &[T] {
        &self.items[self.start(index)..self.ends[index]]
    }

    /// The list with this index, to be changed in place.
    pub(crate) fn get_mut(&mut self, index: usize) -> &mut [T] {
        let start = self.start(index);
        &mut self.items[start..self.ends[index]]
    }

    /// Appends a list.
    pub(crate) fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.items.extend(list);
        self.ends.push(self.items.len());
    }

    /// Keeps the lists whose index is marked, in their order.
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        let (mut lists, mut items, mut start) = (0, 0, 0);
        for (index, &keep) in keep.iter().enumerate().take(self.ends.len()) {
            let end = self.ends[index];
            if keep {
                self.items.copy_within(start..end, items);
                items += end - start;
                self.ends[lists] = items;
                lists += 1;
            }
            start = end;
        }
        self.items.truncate(items);
        self.ends.truncate(lists);
    }
}

/// Keeps the items whose index is marked, in their order.
pub(crate) fn retain_marked<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut marks = keep.iter();
    items.retain(|_| marks.next().copied().unwrap_or(false));
}

#[cfg(test)]
mod tests {
    use super::{Lists, retain_marked};

    #[test]
    fn retain_marked_keeps_order() {
        let mut items = vec!['a', 'b', 'c', 'd'];
        retain_marked(&mut items, &[true, false, false, true]);
        assert_eq!(items, ['a', 'd']);
    }

    #[test]
    fn retain_keeps_order_and_contents() {
        let mut lists = Lists::default();
        for list in [&[1, 2][..], &[], &[3], &[4, 5, 6], &[]] {
            lists.push(list.iter().copied());
        }
        assert_eq!(lists.item_count(), 6);
        lists.get_mut(3)[0] = 7;
        lists.retain(&[false, true, true, true, false]);
        assert_eq!(lists.item_count(), 4);
        assert_eq!(lists.get(0), &[] as &[i32]);
        assert_eq!(lists.get(1), &[3]);
        assert_eq!(lists.get(2), &[7, 5, 6]);
        lists.push([8]);
        assert_eq!(lists.get(3), &[8]);
    }
}
