// A <- A - L U modulo each prime, below and right of what a panel has eliminated. A workgroup does a TILE x TILE part of one
// prime's matrix, an invocation 4 x 4 of it in registers; the parts of L and U that it needs, BLOCK deep, lie in workgroup
// memory, balanced. The 32 products of an element are summed unreduced, in two numbers (lib/delayed.wgsl).
// Traffic: A is read and written once, L and U width / TILE and rows / TILE times; 5 instructions for two products, and
// 16 for the reduction at their end: 3 each.
struct Params {
    rows: u32,
    width: u32,
    first: u32,
    across: u32,
    down: u32,
    primes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> a: array<u32>;
@group(0) @binding(3) var<storage, read> lower: array<u32>;
@group(0) @binding(4) var<storage, read> state: array<u32>;

const TILE: u32 = 64u;
const QUADS: u32 = TILE / 4u;
const WORKGROUP: u32 = QUADS * QUADS;

// By depth: four rows of L, four columns of U.
var<workgroup> left: array<vec4<i32>, BLOCK * QUADS>;
var<workgroup> right: array<vec4<i32>, BLOCK * QUADS>;

@compute @workgroup_size(WORKGROUP)
fn update(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let tiles = params.across * params.down;
    let k = group / tiles;
    if (k >= params.primes) {
        return;
    }
    let own = k * STATE_ROW;
    let pivots = state[own + OF_PANEL];
    let below = state[own + PIVOTS];
    let top = below + (group % tiles / params.across) * TILE;
    if (top >= params.rows || pivots == 0u) {
        return;
    }
    let m = modulus(k);
    let edge = params.first + (group % params.across) * TILE;
    let matrix = k * params.rows * params.width;
    for (var at = local; at < BLOCK * QUADS; at += WORKGROUP) {
        let depth = at / QUADS;
        let near = at % QUADS * 4u;
        var of_left = vec4<i32>();
        var of_right = vec4<i32>();
        if (depth < pivots) {
            let column = (k * BLOCK + depth) * params.rows;
            let row = matrix + (below - pivots + depth) * params.width;
            for (var i = 0u; i < 4u; i++) { // unrolled
                if (top + near + i < params.rows) {
                    of_left[i] = balanced(lower[column + top + near + i], m);
                }
                if (edge + near + i < params.width) {
                    of_right[i] = balanced(a[row + edge + near + i], m);
                }
            }
        }
        left[at] = of_left;
        right[at] = of_right;
    }
    workgroupBarrier();
    let down = local / QUADS;
    let across = local % QUADS;
    let sixteen = vec4<u32>(16u);
    let mask = vec4<i32>(0xffffi);
    var low_0 = vec4<i32>();
    var low_1 = vec4<i32>();
    var low_2 = vec4<i32>();
    var low_3 = vec4<i32>();
    var high_0 = vec4<i32>();
    var high_1 = vec4<i32>();
    var high_2 = vec4<i32>();
    var high_3 = vec4<i32>();
    for (var depth = 0u; depth < BLOCK; depth += 2u) {
        let l = left[depth * QUADS + down];
        let u = right[depth * QUADS + across];
        let next_l = left[(depth + 1u) * QUADS + down];
        let next_u = right[(depth + 1u) * QUADS + across];
        low_0 += l.x * u + next_l.x * next_u;
        low_1 += l.y * u + next_l.y * next_u;
        low_2 += l.z * u + next_l.z * next_u;
        low_3 += l.w * u + next_l.w * next_u;
        high_0 += low_0 >> sixteen;
        high_1 += low_1 >> sixteen;
        high_2 += low_2 >> sixteen;
        high_3 += low_3 >> sixteen;
        low_0 &= mask;
        low_1 &= mask;
        low_2 &= mask;
        low_3 &= mask;
    }
    let row = top + down * 4u;
    let col = edge + across * 4u;
    subtract(matrix, row, col, low_0, high_0, m);
    subtract(matrix, row + 1u, col, low_1, high_1, m);
    subtract(matrix, row + 2u, col, low_2, high_2, m);
    subtract(matrix, row + 3u, col, low_3, high_3, m);
}

fn subtract(matrix: u32, row: u32, col: u32, low: vec4<i32>, high: vec4<i32>, m: Modulus) {
    if (row >= params.rows) {
        return;
    }
    let at = matrix + row * params.width + col;
    for (var j = 0u; j < 4u; j++) { // unrolled
        if (col + j < params.width) {
            a[at + j] = m_sub(a[at + j], settled(low[j], high[j], m), m);
        }
    }
}
