// Strips of LANES rows below a factored block on the diagonal, which begins at (`first`, `first`) and has `size` rows, and of LANES
// columns right of it, from `begin` to `end`. The first `below` workgroups have rows, the others columns.
struct Params {
    first: u32,
    size: u32,
    leading: u32,
    rows: u32,
    begin: u32,
    end: u32,
    below: u32,
    lower_leading: u32,
    upper_leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> lower: array<Element>;
@group(0) @binding(3) var<storage, read_write> upper: array<Element>;

const LINES: u32 = WORKGROUP / LANES;
