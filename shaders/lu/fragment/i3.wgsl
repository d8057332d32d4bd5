// I3: as I1, four rows of a column in a texel. The rows of a texel that a step does not change are the first ones, FIRST
// of them: four programs (RGBA, GBA, BA, A), between which the host chooses (Matsui, Ino, Hagihara 2005, section 3.5).
// One invocation writes one texel. Traffic: reads of 2 texels, then 3; one write.
@group(0) @binding(1) var<storage, read> source: array<Texel>;
@group(0) @binding(2) var<storage, read_write> destination: array<Texel>;

fn fragment(row: u32, column: u32) {
    let n = params.n;
    let step = params.step;
    let at = row * n + column;
    var texel = source[at];
    if (PART == PART_LOWER) {
        let pivot = channel(source[step / 4u * n + step], step % 4u);
        for (var lane = FIRST; lane < 4u; lane++) { // unrolled
            // Only an order that is no multiple of four has rows that are not there.
            if (RAGGED == 0u || 4u * row + lane < n) {
                set_channel(&texel, lane, quotient(channel(texel, lane), pivot));
            }
        }
    } else {
        let u = channel(source[step / 4u * n + column], step % 4u);
        var l: Texel;
        if (HANDOVER == HANDOVER_COPY) {
            l = source[row * n + step];
        } else {
            l = destination[row * n + step];
        }
        for (var lane = FIRST; lane < 4u; lane++) { // unrolled
            if (RAGGED == 0u || 4u * row + lane < n) {
                set_channel(&texel, lane, updated(channel(texel, lane), u, channel(l, lane)));
            }
        }
    }
    destination[at] = texel;
}
