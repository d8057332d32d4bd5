// The descriptors of packed SELL, NO_RUN behind those of a row. One invocation a position of a slice, also where the last slice
// has no row. Traffic: CSR's indices once, the slices once, and the descriptors with their padding once.
const STEP: u32 = HEIGHT;
const NO_RUN: u32 = 0xffffffffu;

@group(0) @binding(3) var<storage, read> slices: array<u32>;
@group(0) @binding(4) var<storage, read_write> descriptors: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn describe(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let position = workgroup_index(id, count) * WORKGROUP + local;
    let of_all = (params.rows + HEIGHT - 1u) / HEIGHT;
    let slice = position / HEIGHT;
    if (slice < of_all) {
        next = slices[2u * slice] + position % HEIGHT;
        if (position < params.rows) {
            let row = slices[2u * (of_all + 1u) + position];
            walk_row(row_ptr[row], row_ptr[row + 1u]);
        }
        for (; next < slices[2u * slice + 2u]; next += HEIGHT) {
            descriptors[next] = NO_RUN;
        }
    }
}
