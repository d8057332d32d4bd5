// The exchanges that bring the winners of a tournament to the top, one after the other as LAPACK writes them down, and
// where the rows go that were there (for lu/exchange.wgsl). One invocation does it, in 2 `width` small tables.
struct Params {
    first: u32,
    width: u32,
    read_at: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> rows: array<u32>;
@group(0) @binding(2) var<storage, read_write> place: array<u32>;
@group(0) @binding(3) var<storage, read_write> source: array<u32>;
@group(0) @binding(4) var<storage, read_write> pivots: array<u32>;

@compute @workgroup_size(1)
fn place_winners() {
    // place[i]: where the row is that was at the top in place i. at[i]: which of them is in place i now.
    var at: array<u32, WIDTH>;
    for (var i = 0u; i < params.width; i++) {
        place[i] = i;
        at[i] = i;
    }
    for (var c = 0u; c < params.width; c++) {
        let row = rows[params.read_at + c];
        var there = row;
        if (row < params.width) {
            there = place[row];
        }
        let leaves = at[c];
        source[c] = row;
        pivots[params.first + c] = params.first + there;
        if (row < params.width) {
            place[row] = c;
        }
        if (there != c) {
            place[leaves] = there;
            if (there < params.width) {
                at[there] = leaves;
            }
        }
    }
}
