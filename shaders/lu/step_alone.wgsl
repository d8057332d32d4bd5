// A panel that is the only one of its dispatch, in one workgroup (lu/step.wgsl). Nobody waits for it.
const ABOVE: u32 = SQUARE;

fn in_work() -> u32 { return 1u; }
fn hold_panels(group: u32, local: u32) { factor_panel(0u, local, local); }
fn is_last(part: u32) -> bool { return true; }
fn send_lower(part: u32, column: u32, row: u32, l: Scalar) {}
fn keep_lower(part: u32, local: u32, line: u32, home: ptr<function, array<u32, ROWS>>) {}
fn follow(
    part: u32,
    local: u32,
    line: u32,
    home: ptr<function, array<u32, ROWS>>,
    rows: ptr<function, array<Scalar, ROWS * WIDTH>>,
) {}

fn read_rows(first: u32, width: u32, local: u32, line: u32, rows: ptr<function, array<Scalar, ROWS * WIDTH>>) {
    for (var r = 0u; r < ROWS; r++) { // unrolled
        let row = min(line + r * WORKGROUP, params.height - 1u);
        for (var j = 0u; j < WIDTH; j++) { // unrolled
            (*rows)[r * WIDTH + j] = load(a[entry_at(row, first + min(j, width - 1u))]);
        }
    }
}
