//! Affine spaces over the rationals: a point and directions, in reduced echelon form.

use num_rational::BigRational;
use num_traits::{One, Zero};

/// A vector.
pub type Vector = Vec<BigRational>;

/// Directions.
#[derive(Clone, Default, Debug)]
pub struct Span {
    /// Each with the place of its first number that is not zero, which is one, and zero in the others.
    rows: Vec<(usize, Vector)>,
}

/// Adds `factor` times `other`.
fn add(vector: &mut [BigRational], other: &[BigRational], factor: &BigRational) {
    for (a, b) in vector.iter_mut().zip(other) {
        if !b.is_zero() {
            *a += b * factor;
        }
    }
}

impl Span {
    /// Takes a direction in; false if it is there already.
    pub fn insert(&mut self, mut direction: Vector) -> bool {
        for (pivot, row) in &self.rows {
            let factor = -direction[*pivot].clone();
            if !factor.is_zero() {
                add(&mut direction, row, &factor);
            }
        }
        let Some(pivot) = direction.iter().position(|number| !number.is_zero()) else {
            return false;
        };
        let inverse = BigRational::one() / &direction[pivot];
        direction.iter_mut().for_each(|number| *number *= &inverse);
        for (_, row) in &mut self.rows {
            let factor = -row[pivot].clone();
            if !factor.is_zero() {
                add(row, &direction, &factor);
            }
        }
        self.rows.push((pivot, direction));
        true
    }

    /// Vectors of this length that are orthogonal to all directions, as many as there are independent
    /// ones.
    pub fn orthogonal(&self, length: usize) -> Vec<Vector> {
        let is_pivot = |at: &usize| self.rows.iter().any(|(pivot, _)| pivot == at);
        let vector = |free: usize| {
            let mut vector = vec![BigRational::zero(); length];
            vector[free] = BigRational::one();
            for (pivot, row) in &self.rows {
                vector[*pivot] = -row[free].clone();
            }
            vector
        };
        (0..length).filter(|at| !is_pivot(at)).map(vector).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(numbers: &[i64]) -> Vector {
        numbers.iter().map(|n| BigRational::from_integer((*n).into())).collect()
    }

    #[test]
    fn what_is_orthogonal_to_two_directions_of_four_has_two_dimensions() {
        let mut span = Span::default();
        assert!(span.insert(vector(&[1, 2, 0, 1])));
        assert!(span.insert(vector(&[0, 1, 1, 3])));
        assert!(!span.insert(vector(&[2, 5, 1, 5])));
        let orthogonal = span.orthogonal(4);
        assert_eq!(orthogonal.len(), 2);
        for normal in orthogonal {
            for direction in [[1, 2, 0, 1], [0, 1, 1, 3]] {
                let pairs = normal.iter().zip(vector(&direction));
                assert!(pairs.map(|(a, b)| a * b).sum::<BigRational>().is_zero());
            }
        }
    }
}
