// What lies before a block of EACH WORKGROUP numbers is added to each of them: the end of scan.wgsl. One invocation a number.
// Traffic: every number is read and written once, and the sums as the caches have them.
struct Params {
    count: u32,
    offset: u32,
    stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(2) var<storage, read> before: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn add_before(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i < params.count) {
        let at = params.offset + i * params.stride;
        numbers[at] = numbers[at] + before[i / (EACH * WORKGROUP)];
    }
}
