// Packed SELL: descriptor r of the row at position p is at run_ptr(p / HEIGHT) + r HEIGHT + p mod HEIGHT, its j-th value at
// value_ptr(p / HEIGHT) + j HEIGHT + p mod HEIGHT. NO_RUN is behind a row's descriptors. The two pointers of a slice lie
// together, and behind all of them, where rows were sorted (ORDERED), the rows of the positions.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> descriptors: array<u32>;
@group(0) @binding(3) var<storage, read> pointers: array<u32>;

fn row_of(position: u32) -> u32 {
    if (ORDERED != 0u) {
        return pointers[2u * ((params.rows + HEIGHT - 1u) / HEIGHT + 1u) + position];
    }
    return position;
}

// UNROLL entries of a row, and what they are multiplied by.
struct Batch {
    column: array<u32, UNROLL>,
    value: array<Element, UNROLL>,
    factor: array<Element, UNROLL>,
}

fn row_sum(position: u32) -> Scalar {
    let slice = position / HEIGHT;
    let lane = position % HEIGHT;
    let begin = vec2<u32>(pointers[2u * slice], pointers[2u * slice + 1u]);
    let end = vec2<u32>(pointers[2u * slice + 2u], pointers[2u * slice + 3u]);
    var sum = SCALAR_ZERO;
    var slot = begin.y + lane;
    if (slot >= end.y) {
        return sum;
    }
    var walk = walk_from(begin.x + lane, end.x, HEIGHT);
    var here: Batch;
    fetch(&here, &walk, slot);
    if (AHEAD == 0u) {
        loop {
            sum = add(&here, sum);
            slot += UNROLL * HEIGHT;
            if (slot >= end.y || ends(&here)) {
                break;
            }
            fetch(&here, &walk, slot);
        }
        return sum;
    }
    // The next batch is on its way while one is added. Two that take turns, since one would have to be copied.
    var there: Batch;
    loop {
        slot += UNROLL * HEIGHT;
        let goes_on = slot < end.y && !ends(&here);
        if (goes_on) {
            fetch(&there, &walk, slot);
        }
        sum = add(&here, sum);
        if (!goes_on) {
            break;
        }
        slot += UNROLL * HEIGHT;
        let comes_back = slot < end.y && !ends(&there);
        if (comes_back) {
            fetch(&here, &walk, slot);
        }
        sum = add(&there, sum);
        if (!comes_back) {
            break;
        }
    }
    return sum;
}

// Whether the row ends within the batch: behind an entry that is not there, there is none.
fn ends(batch: ptr<function, Batch>) -> bool { return is_no_column((*batch).column[UNROLL - 1u]); }

// The entries from `slot` on. Padding reads no x.
fn fetch(batch: ptr<function, Batch>, walk: ptr<function, Walk>, slot: u32) {
    for (var e = 0u; e < UNROLL; e++) { // unrolled
        (*batch).column[e] = next_column(walk, HEIGHT);
    }
    if (ends(batch)) {
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            if (!is_no_column((*batch).column[e])) {
                (*batch).value[e] = values[slot + e * HEIGHT];
                (*batch).factor[e] = x_of((*batch).column[e]);
            }
        }
    } else {
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            (*batch).value[e] = values[slot + e * HEIGHT];
            (*batch).factor[e] = x_of((*batch).column[e]);
        }
    }
}

fn add(batch: ptr<function, Batch>, before: Scalar) -> Scalar {
    var sum = before;
    if (ends(batch)) {
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            if (!is_no_column((*batch).column[e])) {
                sum = s_mul_add(load((*batch).value[e]), load((*batch).factor[e]), sum);
            }
        }
    } else {
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            sum = s_mul_add(load((*batch).value[e]), load((*batch).factor[e]), sum);
        }
    }
    return sum;
}
