// I1: a step is two draws, which the host tells apart by PART: l = a / pivot below the pivot, then a <- a - u l to the
// right of it (Matsui, Ino, Hagihara 2005, figure 3). One invocation writes one element. Traffic: reads of 2 elements,
// then 3; one write.
@group(0) @binding(1) var<storage, read> source: array<Number>;
@group(0) @binding(2) var<storage, read_write> destination: array<Number>;

fn fragment(row: u32, column: u32) {
    let n = params.n;
    let step = params.step;
    let at = row * n + column;
    if (PART == PART_LOWER) {
        destination[at] = quotient(source[at], source[step * n + step]);
    } else {
        var l: Number;
        if (HANDOVER == HANDOVER_COPY) {
            l = source[row * n + step];
        } else {
            l = destination[row * n + step];
        }
        destination[at] = updated(source[at], source[step * n + column], l);
    }
}
