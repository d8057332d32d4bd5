// The sums of a chunk in the first LANES invocations, into y, which holds k places for every chunk.
fn keep(chunk: u32, local: u32, sums: ptr<function, array<Scalar, EACH>>) {
    if (local < LANES && chunk < params.blocks) {
        for (var e = 0u; e < EACH; e++) { // unrolled
            if (local + e * LANES < params.k) {
                y[chunk * params.k + local + e * LANES] = store((*sums)[e]);
            }
        }
    }
}
