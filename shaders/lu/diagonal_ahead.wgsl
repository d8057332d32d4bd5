// The block on the diagonal at (`first`, `first`) factored as by diagonal_registers.wgsl, by workgroup 0, and beside it what the block
// of columns before, which begins at `done`, asks of all else (trailing.wgsl), a tile for each of the other workgroups: of the
// `height` rows and of the columns from `left` to `right`, but for the block, which is up to date.
struct Params {
    first: u32,
    size: u32,
    leading: u32,
    done: u32,
    height: u32,
    left: u32,
    right: u32,
    // Tiles beside each other.
    across: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> pivots: array<u32>;
@group(0) @binding(3) var<storage, read_write> status: array<atomic<u32>>;

// To nobody.
fn send(i: u32, j: u32, x: Scalar) {}

// No strips.
const STRIP_L: u32 = 0u;
const STRIP_U: u32 = 0u;
// Tiles that the block covers, down and beside each other.
const COVERED_DOWN: u32 = MOST / TILE_ROWS;
const COVERED: u32 = MOST / TILE_COLS;

// The tiles are counted row by row, but for those of the block, if its columns are among them.
fn tile_of(number: u32) -> u32 {
    if (params.left != params.first) {
        return number;
    }
    let beside = params.across - COVERED;
    if (number < COVERED_DOWN * beside) {
        return number / beside * params.across + COVERED + number % beside;
    }
    return number + COVERED_DOWN * COVERED;
}

@compute @workgroup_size(WORKGROUP)
fn diagonal_ahead(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    if (group > 0u) {
        let tile = tile_of(group - 1u);
        // A grid may have more workgroups than there are tiles.
        if (tile / params.across * TILE_ROWS < params.height) {
            update_trailing(tile, local);
        }
        return;
    }
    note_pivots(local);
    var x: array<Scalar, TILES * TILES>;
    load_block(&x, local);
    factor_block(&x, local);
    store_block(&x, local);
}
