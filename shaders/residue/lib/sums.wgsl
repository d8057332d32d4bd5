// Sums and differences modulo a prime, corrected without a branch (Suzuki and Murao 2010, section 5.2).

// Below p, sum - p wraps to something large.
fn m_add(x: u32, y: u32, m: Modulus) -> u32 {
    let sum = x + y;
    return min(sum, sum - m.prime);
}

fn m_sub(x: u32, y: u32, m: Modulus) -> u32 {
    let difference = x - y;
    return min(difference, difference + m.prime);
}
