// Long rows of packed CSR in parts, on a driver that computes on the CPU, where to expand runs in workgroup memory
// (csr_chunks.wgsl) costs ten times what it saves: one invocation a chunk of TILE entries at most, run by run. Its sum goes to y,
// which holds a place for every chunk. Traffic: the entries once. Order of a sum: by column.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> descriptors: array<u32>;
// Five numbers a chunk, as csr_chunks.wgsl has them.
@group(0) @binding(3) var<storage, read> chunks: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn spmv_parts(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let chunk = workgroup_index(id, count) * WORKGROUP + local;
    if (chunk < params.blocks) {
        place_x();
        let at = 5u * chunk;
        var skip = chunks[at + 2u];
        var k = chunks[at + 3u];
        let end = chunks[at + 4u];
        var sum = SCALAR_ZERO;
        for (var run = chunks[at]; run < chunks[at + 1u]; run++) {
            let descriptor = descriptors[run];
            let length = extractBits(descriptor, params.column_bits, 32u - params.column_bits) + 1u;
            let past = min(end, k + length - skip);
            var column = extractBits(descriptor, 0u, params.column_bits) + skip;
            for (; k < past; k++) {
                sum = s_mul_add(load(values[k]), load(x_at(column)), sum);
                column += 1u;
            }
            skip = 0u;
        }
        y[chunk] = store(sum);
    }
}
