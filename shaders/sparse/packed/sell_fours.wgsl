// Packed SELL, as sell.wgsl has it, by ROWS rows of a slice: HEIGHT is a multiple of ROWS, so that no four are of two slices.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Pack>;
@group(0) @binding(2) var<storage, read> descriptors: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> pointers: array<u32>;

// The descriptor of no run: the end of a row. No run has it (src/sparse/packed/mod.rs).
const NO_RUN: u32 = 0xffffffffu;

fn row_of(position: u32) -> u32 {
    if (ORDERED != 0u) {
        return pointers[2u * ((params.rows + HEIGHT - 1u) / HEIGHT + 1u) + position];
    }
    return position;
}

// What extractBits does, once an invocation; a length of no bits is not shifted out.
var<private> column_mask: u32;
var<private> length_shift: u32;

fn runs_of(descriptor: vec4<u32>) -> Runs {
    let length = ((descriptor & vec4<u32>(~column_mask)) >> vec4<u32>(length_shift)) + 1u;
    return Runs(descriptor & vec4<u32>(column_mask), select(length, vec4<u32>(0u), descriptor == vec4<u32>(NO_RUN)));
}

fn runs_at(at: u32) -> Runs { return runs_of(descriptors[at / ROWS]); }

fn runs_of_each(at: vec4<u32>, reads: vec4<bool>) -> Runs {
    var descriptor = vec4<u32>(NO_RUN);
    for (var i = 0u; i < ROWS; i++) { // unrolled
        if (reads[i]) {
            descriptor[i] = descriptors[at[i] / ROWS][i];
        }
    }
    return runs_of(descriptor);
}

fn add_rows(position: u32, sums: ptr<function, array<Scalar, ROWS>>) {
    let slice = position / HEIGHT;
    let lane = position % HEIGHT;
    column_mask = extractBits(0xffffffffu, 0u, params.column_bits);
    length_shift = min(params.column_bits, 31u);
    let runs = Line(pointers[2u * slice] + lane, pointers[2u * slice + 2u], HEIGHT);
    add_runs(sums, runs, Line(pointers[2u * slice + 1u] + lane, pointers[2u * slice + 3u], HEIGHT));
}
