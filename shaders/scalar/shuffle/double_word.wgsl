// The pair of the invocation whose number in the subgroup differs in the bits of `mask`, word by word; a shuffle moves bits
// and rounds nothing. It must take part in the call.
fn s_shuffle_xor(x: Scalar, mask: u32) -> Scalar {
    return Scalar(subgroupShuffleXor(x.hi, mask), subgroupShuffleXor(x.lo, mask));
}
// The pair of the invocation of this number in the subgroup.
fn s_shuffle(x: Scalar, lane: u32) -> Scalar {
    return Scalar(subgroupShuffle(x.hi, lane), subgroupShuffle(x.lo, lane));
}
