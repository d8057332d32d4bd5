// The scalar of the invocation whose number in the subgroup differs in the bits of `mask`. It must take part in the call.
fn s_shuffle_xor(x: Scalar, mask: u32) -> Scalar { return subgroupShuffleXor(x, mask); }
// The scalar of the invocation of this number in the subgroup.
fn s_shuffle(x: Scalar, lane: u32) -> Scalar { return subgroupShuffle(x, lane); }
