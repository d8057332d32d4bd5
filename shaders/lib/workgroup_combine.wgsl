// The combination of one Sum an invocation over the workgroup, in a fixed order: the same bits every time.
var<workgroup> sums: array<Sum, WORKGROUP>;

fn workgroup_combine(local: u32, sum: Sum) -> Sum {
    sums[local] = sum;
    workgroupBarrier();
    for (var half = WORKGROUP / 2u; half > 0u; half = half / 2u) {
        if (local < half) {
            sums[local] = combine(sums[local], sums[local + half]);
        }
        workgroupBarrier();
    }
    return sums[0];
}
