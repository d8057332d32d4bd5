// As borders.wgsl and to the same bits (where a driver fuses multiply-adds alike), with strips in registers (strip_registers.wgsl).
alias Asked = Scalar;
const AWAITED: bool = false;

fn ask(i: u32, k: u32, of_rows: bool) -> Asked {
    let corner = params.first * params.leading + params.first;
    return load(a[corner + select(i * params.leading + k, k * params.leading + i, of_rows)]);
}

fn complete(next: ptr<function, array<Asked, LOADS>>, part: ptr<function, Part>, first: u32) {}
fn element(asked: Asked) -> Scalar { return asked; }

// Nothing: strips are up to date.
fn owed(part: ptr<function, Part>, strip: Strip, local: u32) -> array<Scalar, ABREAST * SLOTS> {
    return array<Scalar, ABREAST * SLOTS>();
}

fn unknown(strip: Strip, i: u32, j: u32) -> Scalar { return in_place(strip, i, j); }
fn settle(strip: Strip, local: u32) {}

@compute @workgroup_size(WORKGROUP)
fn borders_registers(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let strip = strip_in_turn(workgroup_index(id, count));
    if (strip.begin >= strip.lanes) {
        return;
    }
    if (strip.of_rows && params.known == 1u) {
        copy_rows(strip, local);
    } else {
        solve_strip(strip, local);
    }
}
