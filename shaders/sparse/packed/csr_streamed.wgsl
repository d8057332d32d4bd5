// Packed CSR streamed through workgroup memory, as CSR is (../csr_streamed.wgsl): a workgroup has a block of neighbouring rows
// with TILE entries at most, multiplies them in their order (multiply.wgsl), and then as many invocations a row as there
// are sum the products. Rows of more entries are not summed here: csr_chunks.wgsl.
// Traffic: the matrix once, x as the caches have it, y once or, with beta, twice. Order of a sum: an invocation's own
// products one by one, then the invocations of the row in halves; how many they are, the block decides.
const ARRAYS: u32 = 3u;

// Of each row in turn, where its descriptors and where its values begin; behind those of the end, the first row of each
// block, and the end of the last.
@group(0) @binding(3) var<storage, read> places: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn spmv_streamed(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = workgroup_index(id, count);
    if (block < params.blocks) {
        let first = places[2u * params.rows + 2u + block];
        let past = places[2u * params.rows + 3u + block];
        let begin = places[2u * first + 1u];
        let end = places[2u * past + 1u];
        if (end - begin <= TILE) {
            if (begin < end) {
                multiply_tile(local, places[2u * first], places[2u * past], 0u, begin, end);
            }
            sum_rows(local, first, past, begin);
        }
    }
    close(local, block);
}

fn first_entry(row: u32) -> u32 { return places[2u * row + 1u]; }
