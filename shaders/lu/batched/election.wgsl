// The election of a pivot without subgroups: all candidates of a team lie in workgroup memory, a quarter of the team looks
// through four each, and everybody through what these found. The whole workgroup takes part.
const ELECTORS: u32 = TEAM / 4u;

var<workgroup> candidates: array<Candidate, WORKGROUP>;
var<workgroup> finalists: array<Candidate, SYSTEMS * ELECTORS>;

fn elect(team: u32, lane: u32, mine: Candidate) -> Candidate {
    candidates[team * TEAM + lane] = mine;
    workgroupBarrier();
    if (lane < ELECTORS) {
        var best = mine;
        for (var i = lane + ELECTORS; i < TEAM; i += ELECTORS) {
            best = better_of(candidates[team * TEAM + i], best);
        }
        finalists[team * ELECTORS + lane] = best;
    }
    workgroupBarrier();
    var best = finalists[team * ELECTORS];
    for (var i = 1u; i < ELECTORS; i++) {
        best = better_of(finalists[team * ELECTORS + i], best);
    }
    return best;
}
