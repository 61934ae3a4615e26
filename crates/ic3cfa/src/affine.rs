//! Linear equations that all samples satisfy.
//!
//! The vectors (1, x₁, …, xₙ) of the samples span a space; the equations a₀ + Σ aᵢ·xᵢ = 0 that hold
//! for all of them are its orthogonal complement, computed by Gaussian elimination over the
//! integers, each row reduced by its greatest common divisor. Values are taken as signed numbers;
//! the equations are guesses, so that numbers which do not fit end the attempt.

/// The largest coefficient of an equation that is worth a guess.
const MAX_COEFFICIENT: i128 = 1 << 20;

/// A basis of the equations: coefficients a₀, a₁, …, aₙ each. `samples` are x₁, …, xₙ.
pub(crate) fn equations(samples: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let Some(first) = samples.first() else { return Vec::new() };
    let columns = first.len() + 1;
    let row = |s: &Vec<i64>| {
        std::iter::once(1).chain(s.iter().map(|x| i128::from(*x))).collect::<Vec<i128>>()
    };
    let rows: Vec<Vec<i128>> = samples.iter().map(row).collect();
    let Some((rows, pivots)) = eliminate(rows, columns) else { return Vec::new() };
    let free = (0..columns).filter(|c| !pivots.contains(c));
    free.filter_map(|column| equation(&rows, &pivots, column, columns)).collect()
}

/// Reduced rows and their pivot columns; `None` on overflow. Pivots are sought from the last
/// column, so that the constant is expressed by variables only where it must be.
fn eliminate(mut rows: Vec<Vec<i128>>, columns: usize) -> Option<(Vec<Vec<i128>>, Vec<usize>)> {
    let mut pivots = Vec::new();
    let mut done = 0;
    for column in 0..columns {
        let Some(found) = (done..rows.len()).find(|r| rows[*r][column] != 0) else { continue };
        rows.swap(done, found);
        let pivot = rows[done].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index == done || row[column] == 0 {
                continue;
            }
            let (a, b) = (pivot[column], row[column]);
            for (x, p) in row.iter_mut().zip(&pivot) {
                *x = x.checked_mul(a)?.checked_sub(p.checked_mul(b)?)?;
            }
            reduce(row);
        }
        pivots.push(column);
        done += 1;
    }
    rows.truncate(done);
    Some((rows, pivots))
}

/// The equation in which one free column is expressed by the pivots.
fn equation(rows: &[Vec<i128>], pivots: &[usize], free: usize, columns: usize) -> Option<Vec<i64>> {
    // Row r says: rows[r][p]·x_p + rows[r][free]·x_free = 0 in the complement.
    let mut scale: i128 = 1;
    for (row, pivot) in rows.iter().zip(pivots) {
        let step = row[*pivot] / gcd(row[*pivot], row[free]).max(1);
        scale = scale.checked_mul(step / gcd(step, scale).max(1))?;
    }
    let mut coefficients = vec![0i128; columns];
    coefficients[free] = scale;
    for (row, pivot) in rows.iter().zip(pivots) {
        coefficients[*pivot] = -row[free].checked_mul(scale)? / row[*pivot];
    }
    reduce(&mut coefficients);
    let fits = |c: &i128| c.abs() <= MAX_COEFFICIENT;
    let small = coefficients[1..].iter().all(fits);
    if !small || coefficients.iter().all(|c| *c == 0) {
        return None;
    }
    coefficients.into_iter().map(|c| i64::try_from(c).ok()).collect()
}

fn reduce(row: &mut [i128]) {
    let divisor = row.iter().fold(0, |d, x| gcd(d, *x));
    if divisor > 1 {
        row.iter_mut().for_each(|x| *x /= divisor);
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_hold_for_the_samples_and_are_all() {
        // hi - lo = 2·mid, three degrees of freedom less one, and z = 7.
        let sample = |lo: i64, mid: i64| vec![lo, mid, lo + 2 * mid, 7];
        let samples: Vec<Vec<i64>> =
            [(0, 5), (1, 4), (2, 9), (7, 7), (3, 0)].map(|(l, m)| sample(l, m)).to_vec();
        let found = equations(&samples);
        assert_eq!(found.len(), 2);
        for equation in &found {
            for sample in &samples {
                let sum: i64 = equation[1..].iter().zip(sample).map(|(a, x)| a * x).sum();
                assert_eq!(equation[0] + sum, 0, "{equation:?}");
            }
        }
    }

    #[test]
    fn independent_values_have_no_equation() {
        assert!(equations(&[vec![0, 0], vec![1, 0], vec![0, 1], vec![5, 3]]).is_empty());
        assert!(equations(&[]).is_empty());
    }
}
