// Calls take(first column, entries, first entry) for each run of the entries from `begin` to `end`, in their order; runs of
// more than params.longest are taken in parts. What is done with a run, the kernel says.
fn walk_row(begin: u32, end: u32) {
    var first = 0u;
    var entries = 0u;
    for (var k = begin; k < end; k++) {
        let column = columns[k];
        if (entries > 0u && column == first + entries && entries < params.longest) {
            entries += 1u;
        } else {
            if (entries > 0u) {
                take(first, entries, k - entries);
            }
            first = column;
            entries = 1u;
        }
    }
    if (entries > 0u) {
        take(first, entries, end - entries);
    }
}
