// CSR streamed through workgroup memory (CSR-Adaptive: Greathouse and Daga 2014). A workgroup has a block of neighbouring
// rows with TILE entries at most: it multiplies them in their order, neighbours reading neighbours, and then as many
// invocations a row as there are sum the products. Rows of more entries are not summed here: csr_chunks.wgsl.
// Traffic: the matrix once, x as the caches have it, y once or, with beta, twice. Order of a sum: an invocation's own
// products one by one, then the invocations of the row in halves; how many they are, the block decides.
const ARRAYS: u32 = 3u;
const EACH: u32 = TILE / WORKGROUP;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
// The row pointers of CSR, and behind them the first row of each block and the end of the last.
@group(0) @binding(3) var<storage, read> places: array<u32>;

var<workgroup> products: array<Scalar, TILE>;

@compute @workgroup_size(WORKGROUP)
fn spmv_streamed(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = workgroup_index(id, count);
    if (block < params.blocks) {
        let first = places[params.rows + 1u + block];
        let past = places[params.rows + 2u + block];
        let begin = places[first];
        let end = places[past];
        if (end - begin <= TILE) {
            sum_block(local, first, past, begin, end);
        }
    }
    close(local, block);
}

fn sum_block(local: u32, first: u32, past: u32, begin: u32, end: u32) {
    if (begin < end) {
        var value: array<Element, EACH>;
        var factor: array<Element, EACH>;
        for (var e = 0u; e < EACH; e++) { // unrolled
            // Past the end, the last entry once more: nobody sums it there, and the loads need no branch.
            let k = min(begin + local + e * WORKGROUP, end - 1u);
            value[e] = values[k];
            factor[e] = x_of(columns[k]);
        }
        for (var e = 0u; e < EACH; e++) { // unrolled
            products[local + e * WORKGROUP] = s_mul(load(value[e]), load(factor[e]));
        }
    }
    workgroupBarrier();
    sum_rows(local, first, past, begin);
}

fn first_entry(row: u32) -> u32 { return places[row]; }
