// What RBP counts of each row, and zeros behind the last: for NUMBERS = 3, RBP-CSR, the values and the columns of its runs and
// its isolated entries; for 1 and 2, RBP-ELL and RBP-ELL-R, the isolated entries, and beside them the values of runs. The
// most values and the most columns of runs go to `widest`, which was zero: a maximum of integers is the same in any order.
// One invocation a row. Traffic: CSR's indices once, and the counts once.
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
@group(0) @binding(4) var<storage, read_write> widest: array<atomic<u32>>;

var<private> run_values: u32 = 0u;
var<private> run_columns: u32 = 0u;
var<private> isolated: u32 = 0u;

var<workgroup> values_of_all: array<u32, WORKGROUP>;
var<workgroup> columns_of_all: array<u32, WORKGROUP>;

fn take(first: u32, entries: u32, entry: u32) {
    if (entries == 1u) {
        isolated += 1u;
    } else {
        run_values += entries;
        run_columns += 2u;
    }
}

@compute @workgroup_size(WORKGROUP)
fn count_runs(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = workgroup_index(id, count) * WORKGROUP + local;
    if (row <= params.rows) {
        if (row < params.rows) {
            walk_row(row_ptr[row], row_ptr[row + 1u]);
        }
        if (NUMBERS == 3u) {
            counts[3u * row] = run_values;
            counts[3u * row + 1u] = run_columns;
            counts[3u * row + 2u] = isolated;
        } else {
            counts[NUMBERS * row] = isolated;
            if (NUMBERS == 2u) {
                counts[2u * row + 1u] = run_values;
            }
        }
    }
    values_of_all[local] = run_values;
    columns_of_all[local] = run_columns;
    workgroupBarrier();
    for (var half = WORKGROUP / 2u; half > 0u; half = half / 2u) {
        if (local < half) {
            values_of_all[local] = max(values_of_all[local], values_of_all[local + half]);
            columns_of_all[local] = max(columns_of_all[local], columns_of_all[local + half]);
        }
        workgroupBarrier();
    }
    if (local == 0u) {
        atomicMax(&widest[0], values_of_all[0]);
        atomicMax(&widest[1], columns_of_all[0]);
    }
}
