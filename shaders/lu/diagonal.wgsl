// A = L U without exchanges, for a block of `size` <= SIZE rows and columns on the diagonal, from (`first`, `first`) on. One
// workgroup walks it by panels of WIDTH columns: the panel and the rows of U to its right come into workgroup memory; the
// triangle on the diagonal is eliminated column by column, and then, side by side, one invocation solves for each row of L
// below it and one for each column of U right of it; tiles of 4 x 4 elements of the rest are brought up to date in
// registers. A column whose pivot is zero is not eliminated with: L has zeros there. Traffic: size^3 / (3 WIDTH) elements,
// read and written.
struct Params {
    first: u32,
    size: u32,
    leading: u32,
    // 1: the exchanges of nothing are noted in pivots.
    notes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> pivots: array<u32>;
@group(0) @binding(3) var<storage, read_write> status: array<u32>;

const TILE: u32 = 4u;

// Columns of the panel, row by row, and rows of U right of it.
var<workgroup> left: array<Scalar, SIZE * WIDTH>;
var<workgroup> right: array<Scalar, WIDTH * SIZE>;

@compute @workgroup_size(WORKGROUP)
fn diagonal(@builtin(local_invocation_index) local: u32) {
    let corner = params.first * params.leading + params.first;
    if (params.notes != 0u) {
        for (var i = params.first + local; i < params.first + params.size; i += WORKGROUP) {
            pivots[i] = i;
        }
    }
    for (var first = 0u; first < params.size; first += WIDTH) {
        let height = params.size - first;
        let width = min(WIDTH, height);
        let rest = height - width;
        let begin = corner + first * params.leading + first;
        for (var e = local; e < height * WIDTH; e += WORKGROUP) {
            left[e] = SCALAR_ZERO;
            if (e % WIDTH < width) {
                left[e] = load(a[begin + e / WIDTH * params.leading + e % WIDTH]);
            }
        }
        for (var e = local; e < width * rest; e += WORKGROUP) {
            right[e / rest * SIZE + e % rest] = load(a[begin + e / rest * params.leading + width + e % rest]);
        }
        workgroupBarrier();
        // The triangle: columns of L keep their pivot as a factor until all are done.
        for (var c = 0u; c < width; c++) {
            let pivot = left[c * WIDTH + c];
            for (var e = local; e < WIDTH * WIDTH; e += WORKGROUP) {
                let i = e / WIDTH;
                let j = e % WIDTH;
                if (c < i && i < width && c < j && !is_zero(pivot)) {
                    let factor = divided(left[i * WIDTH + c], divisor(pivot));
                    left[e] = s_mul_add(s_neg(factor), left[c * WIDTH + j], left[e]);
                }
            }
            workgroupBarrier();
        }
        for (var e = local; e < WIDTH * WIDTH; e += WORKGROUP) {
            let i = e / WIDTH;
            let j = e % WIDTH;
            if (j < i && i < width) {
                left[e] = divided(left[e], divisor(left[j * WIDTH + j]));
            }
        }
        workgroupBarrier();
        if (local == 0u) {
            for (var c = 0u; c < width; c++) {
                if (is_zero(left[c * WIDTH + c]) && status[0] == 0u) {
                    status[0] = params.first + first + c + 1u;
                }
            }
        }
        for (var e = local; e < 2u * rest; e += WORKGROUP) {
            var x: array<Scalar, WIDTH>;
            if (e < rest) {
                let row = (width + e) * WIDTH;
                for (var j = 0u; j < WIDTH; j++) { // unrolled
                    x[j] = SCALAR_ZERO;
                    if (j < width) {
                        var sum = left[row + j];
                        for (var k = 0u; k < j; k++) { // unrolled
                            sum = s_mul_add(s_neg(x[k]), left[k * WIDTH + j], sum);
                        }
                        x[j] = divided(sum, divisor(left[j * WIDTH + j]));
                        left[row + j] = x[j];
                    }
                }
            } else {
                let column = e - rest;
                for (var i = 0u; i < WIDTH; i++) { // unrolled
                    x[i] = SCALAR_ZERO;
                    if (i < width) {
                        x[i] = right[i * SIZE + column];
                        for (var k = 0u; k < i; k++) { // unrolled
                            x[i] = s_mul_add(s_neg(left[i * WIDTH + k]), x[k], x[i]);
                        }
                        right[i * SIZE + column] = x[i];
                    }
                }
            }
        }
        workgroupBarrier();
        for (var e = local; e < height * WIDTH; e += WORKGROUP) {
            if (e % WIDTH < width) {
                a[begin + e / WIDTH * params.leading + e % WIDTH] = store(left[e]);
            }
        }
        for (var e = local; e < width * rest; e += WORKGROUP) {
            a[begin + e / rest * params.leading + width + e % rest] = store(right[e / rest * SIZE + e % rest]);
        }
        // Where there is a rest, the panel is as wide as panels are.
        let tiles = (rest + TILE - 1u) / TILE;
        for (var e = local; e < tiles * tiles; e += WORKGROUP) {
            var sums: array<Scalar, TILE * TILE>;
            let row = e / tiles * TILE;
            let column = e % tiles;
            for (var t = 0u; t < TILE * TILE; t++) { // unrolled
                let i = min(row + t / TILE, rest - 1u);
                let j = min(column + t % TILE * tiles, rest - 1u);
                sums[t] = load(a[begin + (width + i) * params.leading + width + j]);
            }
            for (var k = 0u; k < WIDTH; k++) {
                var l: array<Scalar, TILE>;
                var u: array<Scalar, TILE>;
                for (var t = 0u; t < TILE; t++) { // unrolled
                    l[t] = s_neg(left[(width + min(row + t, rest - 1u)) * WIDTH + k]);
                    u[t] = right[k * SIZE + min(column + t * tiles, rest - 1u)];
                }
                for (var t = 0u; t < TILE * TILE; t++) { // unrolled
                    sums[t] = s_mul_add(l[t / TILE], u[t % TILE], sums[t]);
                }
            }
            for (var t = 0u; t < TILE * TILE; t++) { // unrolled
                let i = row + t / TILE;
                let j = column + t % TILE * tiles;
                if (i < rest && j < rest) {
                    a[begin + (width + i) * params.leading + width + j] = store(sums[t]);
                }
            }
        }
        storageBarrier();
        workgroupBarrier();
    }
}
