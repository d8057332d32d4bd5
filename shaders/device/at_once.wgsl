// How many workgroups run at once: each says that it is here, and waits until as many are as were launched, or for too long. Those that
// are there first see no more than there is room for. Each takes all the workgroup memory that one may have.
// Traffic: one word, read up to `patience` times by one invocation of each workgroup.
struct Params {
    groups: u32,
    patience: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// How many have come, and the fewest that one of them saw as it left.
@group(0) @binding(1) var<storage, read_write> seen: array<atomic<u32>>;

var<workgroup> room: array<u32, ROOM>;

@compute @workgroup_size(WORKGROUP)
fn at_once(@builtin(local_invocation_index) local: u32) {
    for (var i = local; i < ROOM; i += WORKGROUP) {
        room[i] = params.patience;
    }
    workgroupBarrier();
    if (local > 0u) {
        return;
    }
    // By an index that compilers do not know, so that they leave it the room.
    let patience = room[params.groups % ROOM];
    var here = atomicAdd(&seen[0], 1u) + 1u;
    for (var i = 0u; here < params.groups && i < patience; i++) {
        here = atomicLoad(&seen[0]);
    }
    atomicMin(&seen[1], here);
}
