// y <- x + alpha d, with d in narrower elements. One invocation corrects one element. Traffic: n elements and n scalars
// read, n scalars written.
struct Params {
    n: u32,
    @align(16) alpha: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> d: array<Element>;
@group(0) @binding(2) var<storage, read> x: array<Scalar>;
@group(0) @binding(3) var<storage, read_write> y: array<Scalar>;

@compute @workgroup_size(WORKGROUP)
fn correct(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i < params.n) {
        y[i] = s_add(x[i], s_mul(params.alpha.value, load(d[i])));
    }
}
