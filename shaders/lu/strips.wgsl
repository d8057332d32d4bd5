// Strips of LANES rows below a factored block on the diagonal, which begins at (`first`, `first`) and has `size` rows, and of LANES
// columns right of it, from `begin` to `end`. So many workgroups as `below` have rows, the others columns. Rows of L that are `known`
// are only copied, for the product that follows. Traffic of that: L is read and written once.
struct Params {
    first: u32,
    size: u32,
    leading: u32,
    rows: u32,
    begin: u32,
    end: u32,
    below: u32,
    known: u32,
    lower_leading: u32,
    upper_leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> lower: array<Element>;
@group(0) @binding(3) var<storage, read_write> upper: array<Element>;

const LINES: u32 = WORKGROUP / LANES;

// Rows come first, or last if they are only copied, which takes less than solving for columns.
fn strip_in_turn(group: u32) -> Strip {
    if (params.known == 0u) {
        return strip_of(group);
    }
    let columns = (params.end - params.begin + LANES - 1u) / LANES;
    if (group < columns) {
        return strip_of_columns(group);
    }
    return strip_of_rows(group - columns);
}

// Elements of L that are asked for at once.
const COPIED: u32 = 8u;

fn copy_rows(strip: Strip, local: u32) {
    // What is past the end repeats the last.
    let last = strip.lanes - 1u - strip.begin;
    for (var first = local; first < SIZE * LANES; first += COPIED * WORKGROUP) {
        var x: array<Element, COPIED>;
        for (var s = 0u; s < COPIED; s++) { // unrolled
            let e = first + s * WORKGROUP;
            x[s] = a[strip.at + min(e / SIZE, last) * params.leading + min(e % SIZE, params.size - 1u)];
        }
        for (var s = 0u; s < COPIED; s++) { // unrolled
            let e = first + s * WORKGROUP;
            if (e / SIZE <= last && e / SIZE < LANES && e % SIZE < params.size) {
                lower[(strip.begin + e / SIZE) * params.lower_leading + e % SIZE] = x[s];
            }
        }
    }
}
