// The sums of neighbouring invocations, `lanes` at a time, added in halves: the first of them gets what all had. Every
// invocation of the workgroup comes by, and the order is the same on every device.
var<workgroup> lane_sums: array<Scalar, WORKGROUP>;

fn sum_of_lanes(local: u32, lanes: u32, own: Scalar) -> Scalar {
    lane_sums[local] = own;
    workgroupBarrier();
    for (var half = lanes / 2u; half > 0u; half = half / 2u) {
        if (local % lanes < half) {
            lane_sums[local] = s_add(lane_sums[local], lane_sums[local + half]);
        }
        workgroupBarrier();
    }
    // Its own place, which nobody else reads any more: it may be used again.
    return lane_sums[local];
}
