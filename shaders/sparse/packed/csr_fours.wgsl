// Packed CSR, laid out as in csr_quads.wgsl, by ROWS neighbouring rows. Of those behind the last, none has a run.
const ARRAYS: u32 = 3u;
const RUN_STEP: u32 = 1u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> descriptors: array<u32>;
// Of each row in turn, where its descriptors and where its values begin; behind those of the end, where fours of rows were
// sorted (ORDERED), the four of each position.
@group(0) @binding(3) var<storage, read> places: array<vec2<u32>>;

fn four_of(position: u32) -> u32 {
    let place = position / ROWS;
    if (ORDERED != 0u) {
        return ROWS * places[params.rows + 1u + place / 2u][place % 2u];
    }
    return ROWS * place;
}

fn row_of(position: u32) -> u32 { return four_of(position) + position % ROWS; }

// What extractBits does, once an invocation; a length of no bits is not shifted out.
var<private> column_mask: u32;
var<private> length_shift: u32;

fn runs_at(next: vec4<u32>, end: vec4<u32>) -> Runs {
    let present = next < end;
    var descriptor = vec4<u32>(0u);
    for (var i = 0u; i < ROWS; i++) { // unrolled
        if (present[i]) {
            descriptor[i] = descriptors[next[i]];
        }
    }
    let length = ((descriptor & vec4<u32>(~column_mask)) >> vec4<u32>(length_shift)) + 1u;
    return Runs(descriptor & vec4<u32>(column_mask), select(vec4<u32>(0u), length, present));
}

fn add_rows(position: u32, sums: ptr<function, array<Scalar, ROWS>>) {
    let row = four_of(position);
    column_mask = extractBits(0xffffffffu, 0u, params.column_bits);
    length_shift = min(params.column_bits, 31u);
    var begin: vec4<u32>;
    var end: vec4<u32>;
    var first: vec4<u32>;
    for (var i = 0u; i < ROWS; i++) { // unrolled
        let at = places[min(row + i, params.rows)];
        begin[i] = at.x;
        first[i] = at.y;
        end[i] = places[min(row + i + 1u, params.rows)].x;
    }
    add_runs(sums, begin, end, first);
}
