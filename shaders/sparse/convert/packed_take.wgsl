// Writes the descriptors of a row, STEP apart: the first column in the low bits, the length less one in the high ones.
var<private> next: u32 = 0u;

fn take(first: u32, entries: u32, entry: u32) {
    var descriptor = first;
    // No bits are left for the length where all hold the column, and none are needed.
    if (params.column_bits < 32u) {
        descriptor |= (entries - 1u) << params.column_bits;
    }
    descriptors[next] = descriptor;
    next += STEP;
}
