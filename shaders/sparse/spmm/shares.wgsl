// A row, or a part of one, that a whole workgroup sums: LANES invocations share each entry, and WORKGROUP / LANES share the
// entries. Their sums of the same columns are added in halves, so that the first LANES invocations get what all had. Every
// invocation of the workgroup comes by, and the order is the same on every device.
var<workgroup> share_sums: array<Scalar, WORKGROUP>;

fn sum_of_shares(local: u32, sums: ptr<function, array<Scalar, EACH>>) {
    for (var e = 0u; e < EACH; e++) { // unrolled
        // Its own place, which nobody else reads any more when it is written again.
        share_sums[local] = (*sums)[e];
        workgroupBarrier();
        for (var half = WORKGROUP / 2u; half >= LANES; half = half / 2u) {
            if (local < half) {
                share_sums[local] = s_add(share_sums[local], share_sums[local + half]);
            }
            workgroupBarrier();
        }
        (*sums)[e] = share_sums[local];
    }
}
