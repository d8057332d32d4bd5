// The rows first to past - 1 of a block, summed from its products in workgroup memory, of which the first is entry `begin`;
// first_entry is the format's. All invocations of the workgroup, behind a barrier. Order of a sum: an invocation's own products
// one by one, then the invocations of the row in halves; how many they are, the block decides.
fn sum_rows(local: u32, first: u32, past: u32, begin: u32) {
    // The largest power of two of invocations that every row can have.
    let lanes = WORKGROUP >> (32u - countLeadingZeros(past - first - 1u));
    let row = first + local / lanes;
    let lane = local % lanes;
    var sum = SCALAR_ZERO;
    if (row < past) {
        for (var k = first_entry(row) + lane; k < first_entry(row + 1u); k += lanes) {
            sum = s_add(products[k - begin], sum);
        }
    }
    if (lanes > 1u) {
        workgroupBarrier();
        products[local] = sum;
        workgroupBarrier();
        for (var half = lanes / 2u; half > 0u; half = half / 2u) {
            if (lane < half) {
                products[local] = s_add(products[local], products[local + half]);
            }
            workgroupBarrier();
        }
        sum = products[local];
    }
    if (lane == 0u && row < past) {
        give(row, sum);
    }
}
