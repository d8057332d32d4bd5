// The order of rows in slices of HEIGHT, and the slots of each slice, of which a scan makes its pointers: for SELL those of its
// values, for packed SELL (NUMBERS = 2) those of its runs and of its values. A workgroup sorts a window of WORKGROUP rows by
// their entries, and for packed SELL then by their runs: longest first, and as they were among equals. A row's place is the
// number of those before it, which every invocation counts for its own row. Traffic: the row pointers and the runs of rows
// once; slots and order are written once.
@group(0) @binding(3) var<storage, read> runs: array<u32>;
// NUMBERS for each slice and for the end, then the rows of the positions.
@group(0) @binding(4) var<storage, read_write> slices: array<u32>;

var<workgroup> lengths: array<u32, WORKGROUP>;
var<workgroup> run_lengths: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn slice(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let begin = workgroup_index(id, count) * WORKGROUP;
    let past = min(WORKGROUP, max(params.rows, begin) - begin);
    let of_all = (params.rows + HEIGHT - 1u) / HEIGHT;
    var length = 0u;
    var own_runs = 0u;
    if (local < past) {
        length = row_ptr[begin + local + 1u] - row_ptr[begin + local];
        if (NUMBERS == 2u) {
            own_runs = runs[begin + local];
        }
    }
    lengths[local] = length;
    run_lengths[local] = own_runs;
    workgroupBarrier();
    var place = 0u;
    for (var other = 0u; other < past; other++) {
        let as_long = lengths[other] == length;
        let first = as_long && (run_lengths[other] > own_runs || (run_lengths[other] == own_runs && other < local));
        place += select(0u, 1u, lengths[other] > length || first);
    }
    workgroupBarrier();
    if (local < past) {
        lengths[place] = length;
        run_lengths[place] = own_runs;
        slices[NUMBERS * (of_all + 1u) + begin + place] = begin + local;
    }
    workgroupBarrier();
    let slice = begin / HEIGHT + local;
    if (local < WORKGROUP / HEIGHT && slice < of_all) {
        var widths = vec2<u32>(0u, 0u);
        for (var e = 0u; e < HEIGHT; e++) {
            let at = local * HEIGHT + e;
            widths = max(widths, vec2<u32>(lengths[at], run_lengths[at]));
        }
        if (NUMBERS == 2u) {
            slices[2u * slice] = widths.y * HEIGHT;
        }
        slices[NUMBERS * slice + NUMBERS - 1u] = widths.x * HEIGHT;
    }
}
