// c <- P (alpha b), rounded to narrower elements: element i of c is element order[i] of b. One invocation rounds one element.
// Traffic: n scalars read, n elements written.
struct Params {
    n: u32,
    @align(16) alpha: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read> b: array<Scalar>;
@group(0) @binding(3) var<storage, read_write> c: array<Element>;

@compute @workgroup_size(WORKGROUP)
fn round_rows(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i < params.n) {
        c[i] = store(s_mul(params.alpha.value, b[order[i]]));
    }
}
