// Elements of many matrices of one pattern, each the sum of its entries in their order. One invocation has one element of one
// matrix. Traffic: every value is read once, every element written once; the pattern is read by every matrix (cache).
struct Params {
    count: u32,
    // Elements of a matrix, and its values.
    places: u32,
    entries: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Where the entries of each place begin, and the end of the last; then the entries, place by place.
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<Element>;
@group(0) @binding(3) var<storage, read_write> a: array<Element>;

@compute @workgroup_size(WORKGROUP)
fn assemble(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let element = workgroup_index(id, count) * WORKGROUP + local;
    let matrix = element / params.places;
    if (matrix >= params.count) {
        return;
    }
    let place = element % params.places;
    let begin = order[place];
    let end = order[place + 1u];
    var sum = SCALAR_ZERO;
    for (var k = begin; k < end; k++) {
        let value = load(values[matrix * params.entries + order[params.places + 1u + k]]);
        if (k == begin) {
            sum = value;
        } else {
            sum = s_add(sum, value);
        }
    }
    a[element] = store(sum);
}
