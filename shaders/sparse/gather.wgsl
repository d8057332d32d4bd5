// values[slot] <- x[places[slot]]: the values of a sparse matrix in the order of a format, from those in another order; 0
// where a slot is padding, whose place is PADDING. One invocation a slot. Traffic: the places and the values once, x as the
// formats' orders differ. Without places (MAPPED = 0) the orders are the same, and `places` is not read.
struct Params {
    slots: u32,
    x_offset: u32,
    x_stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<Element>;
@group(0) @binding(3) var<storage, read_write> values: array<Element>;

const PADDING: u32 = 0xffffffffu;

@compute @workgroup_size(WORKGROUP)
fn gather(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = workgroup_index(id, count) * WORKGROUP + local;
    if (slot < params.slots) {
        var place = slot;
        if (MAPPED != 0u) {
            place = places[slot];
        }
        if (place == PADDING) {
            values[slot] = store(SCALAR_ZERO);
        } else {
            values[slot] = x[params.x_offset + place * params.x_stride];
        }
    }
}
