// The entry in each slot of a slice, PADDING behind those of a row. One workgroup a slice: HEIGHT rows side by side, and
// WORKGROUP / HEIGHT invocations a row. Traffic: the slices and the row pointers once, and the places once.
@group(0) @binding(3) var<storage, read> slices: array<u32>;
@group(0) @binding(4) var<storage, read_write> places: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn place(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let of_all = (params.rows + HEIGHT - 1u) / HEIGHT;
    let slice = workgroup_index(id, count);
    if (slice < of_all) {
        let position = slice * HEIGHT + local % HEIGHT;
        var first = 0u;
        var length = 0u;
        if (position < params.rows) {
            let row = slices[NUMBERS * (of_all + 1u) + position];
            first = row_ptr[row];
            length = row_ptr[row + 1u] - first;
        }
        // Where there are two numbers, the values' is the second.
        let begin = slices[NUMBERS * slice + NUMBERS - 1u];
        let width = (slices[NUMBERS * (slice + 1u) + NUMBERS - 1u] - begin) / HEIGHT;
        for (var k = local / HEIGHT; k < width; k += WORKGROUP / HEIGHT) {
            places[begin + k * HEIGHT + local % HEIGHT] = select(PADDING, first + k, k < length);
        }
    }
}
