// I2: a step is one draw, and the fragment decides by its column whether it belongs to L or to U (Matsui, Ino, Hagihara
// 2005, figure 4). What belongs to U divides again: twice the operations. One invocation writes one element. Traffic: 4
// reads and one write, of elements.
@group(0) @binding(1) var<storage, read> source: array<Number>;
@group(0) @binding(2) var<storage, read_write> destination: array<Number>;

fn fragment(row: u32, column: u32) {
    let n = params.n;
    let step = params.step;
    let at = row * n + column;
    let l = quotient(source[row * n + step], source[step * n + step]);
    if (column == step) {
        destination[at] = l;
    } else {
        destination[at] = updated(source[at], source[step * n + column], l);
    }
}
