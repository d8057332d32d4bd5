// Where a strip is: whether it has rows, where it begins, how many of its lanes there are, and their first element.
struct Strip {
    of_rows: bool,
    begin: u32,
    lanes: u32,
    at: u32,
}

fn strip_of(group: u32) -> Strip {
    let corner = params.first * params.leading + params.first;
    if (group < params.below) {
        let begin = group * LANES;
        let lanes = params.rows - params.first - params.size;
        return Strip(true, begin, lanes, corner + (params.size + begin) * params.leading);
    }
    let begin = (group - params.below) * LANES;
    return Strip(false, begin, params.end - params.begin, params.first * params.leading + params.begin + begin);
}
