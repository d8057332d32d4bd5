// Entries of ROWS rows that lie side by side: 16 bytes at a time, which cost a driver that loads lane by lane half of what single
// words do.

// x for the rows that have an entry.
fn x_of_each(column: vec4<u32>, present: vec4<bool>) -> array<Element, ROWS> {
    var factors: array<Element, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unrolled
        if (present[i]) {
            factors[i] = x_at(column[i]);
        }
    }
    return factors;
}

// Adds an entry of each row that has one; the first row's value is in `slot`, a multiple of ROWS.
fn add_entries(
    sums: ptr<function, array<Scalar, ROWS>>,
    slot: u32,
    factors: array<Element, ROWS>,
    present: vec4<bool>,
) {
    var value: array<Pack, ROWS / PACK>;
    for (var p = 0u; p < ROWS / PACK; p++) { // unrolled
        value[p] = values[slot / PACK + p];
    }
    for (var i = 0u; i < ROWS; i++) { // unrolled
        if (present[i]) {
            (*sums)[i] = s_mul_add(unpack(value[i / PACK], i % PACK), load(factors[i]), (*sums)[i]);
        }
    }
}
