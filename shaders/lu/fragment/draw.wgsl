// A draw of 2005: one invocation for each texel of a rectangle (a row, a column), running the variant's `fragment`.
// Neighbours along a row are neighbours in memory. A program reads `source` and writes `destination`; where the two are
// exchanged after every step, its second draw finds the column of L, which the first has written, in `destination`.
struct Params {
    n: u32,
    step: u32,
    top: u32,
    left: u32,
    height: u32,
    width: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

// Of a step's two draws: the column of L, or the block of U.
const PART_LOWER: u32 = 0u;
// Where the second finds the first's column: copied back to the source, or still in the target.
const HANDOVER_COPY: u32 = 0u;

@compute @workgroup_size(WORKGROUP)
fn draw(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = workgroup_index(id, count) * WORKGROUP + local;
    if (at < params.height * params.width) {
        fragment(params.top + at / params.width, params.left + at % params.width);
    }
}
