// A tile of packed CSR in workgroup memory: its descriptors become columns, which lie in CSR's order.
// A descriptor does not say where its values are. So the lengths are added up over the workgroup, which gives the place of
// each run's first column; and every place without a column takes the nearest before it and counts on, however long the
// run is: nobody waits for the invocation that has the longest.

// Places of an invocation.
const SHARE: u32 = TILE / WORKGROUP;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> descriptors: array<u32>;

var<workgroup> columns: array<u32, TILE>;

// The columns of `count` entries, one and TILE at most. Their descriptors are from `first` to `past`; `skip` of the first one's
// entries lie before them, and some of the last one's may lie behind.
fn expand_tile(local: u32, first: u32, past: u32, skip: u32, count: u32) {
    for (var e = 0u; e < SHARE; e++) { // unrolled
        columns[local + e * WORKGROUP] = PADDING;
    }
    // A descriptor has an entry at least, so that there are no more of them than places.
    let own = (past - first + WORKGROUP - 1u) / WORKGROUP;
    var column: array<u32, SHARE>;
    var length: array<u32, SHARE>;
    var entries = 0u;
    for (var e = 0u; e < SHARE; e++) { // unrolled
        let at = first + local * own + e;
        length[e] = 0u;
        if (e < own && at < past) {
            let descriptor = descriptors[at];
            let before = select(0u, skip, at == first);
            column[e] = extractBits(descriptor, 0u, params.column_bits) + before;
            length[e] = extractBits(descriptor, params.column_bits, 32u - params.column_bits) + 1u - before;
        }
        entries += length[e];
    }
    var place = sum_to(local, entries) - entries;
    for (var e = 0u; e < SHARE; e++) { // unrolled
        if (length[e] > 0u && place < count) {
            columns[place] = column[e];
        }
        place += length[e];
    }
    workgroupBarrier();
    count_on(local);
    workgroupBarrier();
}

// Fills the places between the first columns of runs. An invocation has SHARE neighbouring places, and writes only those that
// are no first column, while the others read only first columns.
fn count_on(local: u32) {
    // One more than the last place with a first column, or 0.
    var last = 0u;
    for (var e = 0u; e < SHARE; e++) { // unrolled
        if (columns[local * SHARE + e] != PADDING) {
            last = local * SHARE + e + 1u;
        }
    }
    let before = last_before(local, last);
    var column = 0u;
    if (before > 0u) {
        column = columns[before - 1u] + local * SHARE - before;
    }
    for (var e = 0u; e < SHARE; e++) { // unrolled
        let first = columns[local * SHARE + e];
        if (first == PADDING) {
            column += 1u;
            columns[local * SHARE + e] = column;
        } else {
            column = first;
        }
    }
}

// The greatest of the workgroup's numbers before the invocation's own, or 0.
fn last_before(local: u32, number: u32) -> u32 {
    // The half that is written first, sum_to may still be reading.
    workgroupBarrier();
    halves[local] = number;
    workgroupBarrier();
    var half = 0u;
    for (var step = 1u; step < WORKGROUP; step = 2u * step) {
        var greatest = halves[half + local];
        if (local >= step) {
            greatest = max(greatest, halves[half + local - step]);
        }
        half = WORKGROUP - half;
        halves[half + local] = greatest;
        workgroupBarrier();
    }
    return select(0u, halves[half + max(local, 1u) - 1u], local > 0u);
}
