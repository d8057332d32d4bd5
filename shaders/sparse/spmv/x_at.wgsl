// x, with its place among the parameters read once an invocation: a driver that computes on the CPU would read it, and multiply
// by it, for every entry. place_x() comes before x_at.
var<private> x_first: u32;
var<private> x_step: u32;

fn place_x() {
    x_first = params.x_offset;
    x_step = params.x_stride;
}

fn x_at(column: u32) -> Element { return x[x_first + column * x_step]; }
