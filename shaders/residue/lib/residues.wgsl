// One integer in the registers (or the private memory) of an invocation: its residues modulo all PRIMES, in Montgomery's
// form. And what its mixed radix digits are made with.
alias Residues = array<u32, PRIMES>;

// A symmetric digit, v in [0, m) which means v - m where v > m/2, modulo a later prime: that is at least half of m.
fn digit_residue(digit: u32, own: u32, prime: u32) -> u32 { return select(digit, digit + prime - own, digit > own / 2u); }

// m_i^-1 mod m_k for i < k, in Montgomery's form.
fn inverse_of(i: u32, k: u32) -> u32 { return table[PRIMES * TABLE_ROW + k * (k - 1u) / 2u + i]; }
