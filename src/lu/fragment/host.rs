//! What all variants compute, as three loops: the oracle.

use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Computes `A = L U` without pivoting of n² elements that lie row after row; L without its unit diagonal and U overwrite
/// them. Every operation is rounded on its own, in the order of the paper's figure 2.
///
/// # Errors
/// [`Error::Shape`] when there are not n² elements.
///
/// # Cost
/// n(n² − 1)/3 − n(n − 1)/2 multiplications and as many subtractions, n(n − 1)/2 divisions.
///
/// ```
/// use nonius::lu::fragment::host;
/// let mut a = [2.0_f32, 1.0, 4.0, 5.0];
/// host::factor(&mut a, 2)?;
/// assert_eq!(a, [2.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn factor<T: Scalar>(a: &mut [T], n: usize) -> Result<()> {
    if n.checked_mul(n) != Some(a.len()) {
        return Err(Error::Shape {
            operation: "lu::fragment::host::factor",
            expected: format!("{n} x {n} elements"),
            found: format!("{}", a.len()),
        });
    }
    for k in 0..n {
        let (above, below) = a.split_at_mut((k + 1) * n);
        let pivots = &above[k * n + k..];
        for row in below.chunks_exact_mut(n) {
            let row = &mut row[k..];
            let l = row[0] / pivots[0];
            row[0] = l;
            row[1..].iter_mut().zip(&pivots[1..]).for_each(|(a, u)| *a -= *u * l);
        }
    }
    Ok(())
}
