// Where a strip is: whether it has rows, where it begins, how many of its lanes there are, and their first element.
struct Strip {
    of_rows: bool,
    begin: u32,
    lanes: u32,
    at: u32,
}

fn strip_of(group: u32) -> Strip {
    if (group < params.below) {
        return strip_of_rows(group);
    }
    return strip_of_columns(group - params.below);
}

fn strip_of_rows(number: u32) -> Strip {
    let corner = params.first * params.leading + params.first;
    let begin = number * LANES;
    let lanes = params.rows - params.first - params.size;
    return Strip(true, begin, lanes, corner + (params.size + begin) * params.leading);
}

// What is in place i of lane j.
fn in_place(strip: Strip, i: u32, j: u32) -> Scalar {
    return load(a[strip.at + select(i * params.leading + j, j * params.leading + i, strip.of_rows)]);
}

fn strip_of_columns(number: u32) -> Strip {
    let begin = number * LANES;
    return Strip(false, begin, params.end - params.begin, params.first * params.leading + params.begin + begin);
}
