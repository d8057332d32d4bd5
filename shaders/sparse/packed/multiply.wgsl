// A tile of packed CSR (expand.wgsl) becomes products, in CSR's order.
var<workgroup> products: array<Scalar, TILE>;

// Multiplies the entries from `begin` to `end`, one and TILE at most. Their descriptors are from `first` to `past`; `skip` of
// the first one's entries lie before `begin`, and some of the last one's may lie behind `end`.
fn multiply_tile(local: u32, first: u32, past: u32, skip: u32, begin: u32, end: u32) {
    let count = end - begin;
    expand_tile(local, first, past, skip, count);
    var value: array<Element, SHARE>;
    var factor: array<Element, SHARE>;
    for (var e = 0u; e < SHARE; e++) { // unrolled
        // Past the end, the last entry once more: nobody sums it there, and the loads need no branch.
        let k = min(local + e * WORKGROUP, count - 1u);
        value[e] = values[begin + k];
        factor[e] = x_of(columns[k]);
    }
    for (var e = 0u; e < SHARE; e++) { // unrolled
        products[local + e * WORKGROUP] = s_mul(load(value[e]), load(factor[e]));
    }
    workgroupBarrier();
}
