// Taylor's shift along one axis, by Horner's rule (Shaw and Traub 1974), of the expansions about the corners of blocks, each
// modulo each prime, in place: one invocation shifts one line of coefficients of one block. Traffic: n^2 / 2 coefficients
// of a line of n are read and written, neighbours being those of neighbouring blocks. n^2 / 2 products.
struct Params {
    // Blocks; lines, from one line to the next and from one coefficient of a line to the next; coefficients of a line,
    // and of a block.
    blocks: u32,
    lines: u32,
    line_stride: u32,
    stride: u32,
    length: u32,
    coefficients: u32,
    primes: u32,
    // Along x (0) or along y (1), and whether the lines are those of `root`.
    axis: u32,
    fresh: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Coefficients about the grid's corner, prime by prime.
@group(0) @binding(2) var<storage, read> root: array<u32>;
// Column and row of the corner of each block.
@group(0) @binding(3) var<storage, read> corners: array<u32>;
// Prime by prime, coefficient by coefficient, all blocks together.
@group(0) @binding(4) var<storage, read_write> z: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn shift(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = workgroup_index(id, count) * WORKGROUP + local;
    if (at >= params.blocks * params.lines * params.primes) {
        return;
    }
    let block = at % params.blocks;
    let line = (at / params.blocks) % params.lines;
    let k = at / params.blocks / params.lines;
    let m = modulus(k);
    let first = k * params.coefficients + line * params.line_stride;
    if (params.fresh == 1u) {
        for (var l = 0u; l < params.length; l++) {
            let c = first + l * params.stride;
            z[c * params.blocks + block] = root[c];
        }
    }
    let distance = corners[2u * block + params.axis];
    if (distance == 0u) {
        return;
    }
    let by = m_enter(distance % m.prime, m);
    let last = params.length - 1u;
    for (var begin = 0u; begin < last; begin++) {
        var carry = z[(first + last * params.stride) * params.blocks + block];
        for (var l = last; l > begin; l--) {
            let c = (first + (l - 1u) * params.stride) * params.blocks + block;
            carry = m_add(z[c], m_mul(carry, by, m), m);
            z[c] = carry;
        }
    }
}
