// Long rows of packed CSR in parts: one workgroup a chunk of TILE entries at most, whose sum goes to y, which holds a place
// for every chunk. Traffic: the entries once. Order of a sum: every WORKGROUP-th entry one by one, then the invocations in
// halves.
const ARRAYS: u32 = 3u;

// Of each chunk: its descriptors, first and past the last; how many entries of the first lie before it; its values, first
// and past the last.
@group(0) @binding(3) var<storage, read> chunks: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn spmv_chunks(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let chunk = workgroup_index(id, count);
    if (chunk < params.blocks) {
        let at = 5u * chunk;
        let begin = chunks[at + 3u];
        let end = chunks[at + 4u];
        multiply_tile(local, chunks[at], chunks[at + 1u], chunks[at + 2u], begin, end);
        var sum = SCALAR_ZERO;
        for (var k = local; k < end - begin; k += WORKGROUP) {
            sum = s_add(products[k], sum);
        }
        workgroupBarrier();
        products[local] = sum;
        workgroupBarrier();
        for (var half = WORKGROUP / 2u; half > 0u; half = half / 2u) {
            if (local < half) {
                products[local] = s_add(products[local], products[local + half]);
            }
            workgroupBarrier();
        }
        if (local == 0u) {
            y[chunk] = store(products[0]);
        }
    }
}
