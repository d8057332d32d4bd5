// A = L U without exchanges, as in diagonal.wgsl and to the same bits (in f64, where a driver fuses multiply-adds alike), with
// the block in registers (diagonal_block.wgsl). Traffic: size^2 elements read and written, 2 size of them through workgroup memory
// in every step.
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
@group(0) @binding(3) var<storage, read_write> status: array<atomic<u32>>;

// To nobody.
fn send(i: u32, j: u32, x: Scalar) {}

@compute @workgroup_size(SIDE * SIDE)
fn diagonal_registers(@builtin(local_invocation_index) local: u32) {
    if (params.notes != 0u) {
        note_pivots(local);
    }
    var x: array<Scalar, TILES * TILES>;
    load_block(&x, local);
    factor_block(&x, local);
    store_block(&x, local);
}
