// RBP-CSR, laid out as in csr_quads.wgsl, by ROWS neighbouring rows. Of those behind the last, none has an entry.
const ARRAYS: u32 = 3u;
const RUN_STEP: u32 = 2u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
// Of each row, three numbers from 3i on: where its run values begin, its run columns, its isolated entries; behind those of
// the end, where fours of rows were sorted (ORDERED), the four of each position.
@group(0) @binding(3) var<storage, read> places: array<u32>;

fn four_of(position: u32) -> u32 {
    let place = position / ROWS;
    if (ORDERED != 0u) {
        return ROWS * places[3u * params.rows + 3u + place];
    }
    return ROWS * place;
}

fn row_of(position: u32) -> u32 { return four_of(position) + position % ROWS; }

fn runs_at(next: vec4<u32>, end: vec4<u32>) -> Runs {
    let present = next < end;
    var column = vec4<u32>(0u);
    var last = vec4<u32>(0u);
    for (var i = 0u; i < ROWS; i++) { // unrolled
        if (present[i]) {
            column[i] = columns[next[i]];
            last[i] = columns[next[i] + 1u];
        }
    }
    return Runs(column, select(vec4<u32>(0u), last - column + 1u, present));
}

fn add_rows(position: u32, sums: ptr<function, array<Scalar, ROWS>>) {
    let row = four_of(position);
    var begin: vec4<u32>;
    var end: vec4<u32>;
    var first: vec4<u32>;
    var isolated: array<u32, ROWS + 1u>;
    for (var i = 0u; i < ROWS; i++) { // unrolled
        let at = 3u * min(row + i, params.rows);
        first[i] = places[at];
        begin[i] = places[at + 1u];
        isolated[i] = places[at + 2u];
        let past = 3u * min(row + i + 1u, params.rows);
        end[i] = places[past + 1u];
        isolated[i + 1u] = places[past + 2u];
    }
    add_runs(sums, begin, end, first);
    add_isolated(sums, isolated);
}

// The isolated entries of the rows, which lie behind each other, in one loop.
fn add_isolated(sums: ptr<function, array<Scalar, ROWS>>, begin: array<u32, ROWS + 1u>) {
    for (var k = begin[0]; k < begin[ROWS]; k++) {
        let factor = load(x_at(columns[params.isolated_columns + k]));
        let value = load(values[params.isolated_values + k]);
        var sum = (*sums)[0];
        for (var i = 1u; i < ROWS; i++) { // unrolled
            if (k >= begin[i]) {
                sum = (*sums)[i];
            }
        }
        sum = s_mul_add(value, factor, sum);
        for (var i = 0u; i < ROWS; i++) { // unrolled
            if (k >= begin[i] && k < begin[i + 1u]) {
                (*sums)[i] = sum;
            }
        }
    }
}
