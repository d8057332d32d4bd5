//! Which frequencies a series has: the periodogram of Lomb (1976) and Scargle (1982), which asks for no uniform steps.

/// The frequencies of the peaks between `low` and `high`, highest first, of what y is at the points q; looked for at
/// multiples of `spacing`, and one of these beyond either end. Cost: O(n) for each.
pub(super) fn peaks(q: &[f64], y: &[f64], (low, high): (f64, f64), spacing: f64) -> Vec<f64> {
    let mut spectrum = Vec::new();
    let mut frequency = low - spacing;
    while frequency <= high + spacing {
        spectrum.push((frequency, power(q, y, frequency)));
        frequency += spacing;
    }
    let mut peaks: Vec<(f64, f64)> = (0..spectrum.len())
        .filter(|i| {
            let here = spectrum[*i].1;
            let before = i.checked_sub(1).map_or(0.0, |i| spectrum[i].1);
            let after = spectrum.get(i + 1).map_or(0.0, |next| next.1);
            here >= before && here >= after
        })
        .map(|i| spectrum[i])
        .collect();
    peaks.sort_by(|a, b| b.1.total_cmp(&a.1));
    peaks.into_iter().map(|(frequency, _)| frequency).collect()
}

/// What a sine and a cosine of a frequency explain of y, as a sum of squares; their phase is chosen so that they are
/// orthogonal on the points.
fn power(q: &[f64], y: &[f64], frequency: f64) -> f64 {
    let omega = std::f64::consts::TAU * frequency;
    let (sin, cos) = q.iter().fold((0.0, 0.0), |(sin, cos), q| {
        let angle = 2.0 * omega * q;
        (sin + angle.sin(), cos + angle.cos())
    });
    let shift = sin.atan2(cos) / 2.0;
    let mut sums = [0.0; 4];
    for (q, y) in q.iter().zip(y) {
        let (sin, cos) = (omega * q - shift).sin_cos();
        sums[0] += y * cos;
        sums[1] += cos * cos;
        sums[2] += y * sin;
        sums[3] += sin * sin;
    }
    sums[0] * sums[0] / sums[1].max(f64::MIN_POSITIVE) + sums[2] * sums[2] / sums[3].max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_peak_is_where_the_wave_is() {
        // Points at uneven steps: a plain transform would smear the wave.
        let q: Vec<f64> = (0..80).map(|i| f64::from(i) + 0.3 * f64::from(i * i % 7)).collect();
        let wave = |frequency: f64| move |q: &f64| (std::f64::consts::TAU * frequency * q + 1.0).sin();
        let y: Vec<f64> = q.iter().map(|q| 3.0 * wave(0.11)(q) + wave(0.2)(q)).collect();
        let found = peaks(&q, &y, (0.02, 0.3), 1.0 / 640.0);
        assert!((found[0] - 0.11).abs() < 2e-3, "{found:?}");
        assert!((found[1] - 0.2).abs() < 2e-3, "{found:?}");
        assert!(peaks(&q, &y, (0.3, 0.1), 1.0 / 640.0).is_empty());
    }

    #[test]
    fn a_wave_explains_itself() {
        let q: Vec<f64> = (0..50).map(|i| f64::from(i) * 1.7).collect();
        let y: Vec<f64> = q.iter().map(|q| (0.4 * q).cos()).collect();
        let whole: f64 = y.iter().map(|y| y * y).sum();
        let explained = power(&q, &y, 0.4 / std::f64::consts::TAU);
        assert!((explained / whole - 1.0).abs() < 1e-12, "{explained} of {whole}");
    }
}
