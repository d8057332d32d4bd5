// Sums over a workgroup, in its memory.

// One half is read while the other is written, so that a step needs one barrier.
var<workgroup> halves: array<u32, 2u * WORKGROUP>;

// The sum of the workgroup's numbers as far as the invocation's own (Hillis and Steele 1986).
fn sum_to(local: u32, number: u32) -> u32 {
    halves[local] = number;
    workgroupBarrier();
    var half = 0u;
    for (var step = 1u; step < WORKGROUP; step = 2u * step) {
        var sum = halves[half + local];
        if (local >= step) {
            sum += halves[half + local - step];
        }
        half = WORKGROUP - half;
        halves[half + local] = sum;
        workgroupBarrier();
    }
    return halves[half + local];
}
