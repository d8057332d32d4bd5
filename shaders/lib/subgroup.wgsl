// Invocations by subgroups. A kernel with this file runs only where Adapter::subgroups says so, and has s_shuffle_xor.
//
// WGSL promises neither that a subgroup is full nor which invocations form it, so nothing here is derived from
// local_invocation_index: an invocation asks for its number in its subgroup, and for its subgroup's. These numbers are
// those of WORKGROUP invocations, each once, exactly if all subgroups are full; and they are if there are no more of
// them than full ones make up. All of that is the same in the whole workgroup.
fn subgroups_are_full(subgroups: u32, size: u32) -> bool { return subgroups * size == WORKGROUP; }

// As many neighbours, in 1, 2, 4, ... of the subgroup, as shuffles reach of `lanes`, a power of two.
fn shuffled(lanes: u32, subgroups: u32, size: u32) -> u32 {
    return select(1u, min(lanes, size), subgroups_are_full(subgroups, size));
}
