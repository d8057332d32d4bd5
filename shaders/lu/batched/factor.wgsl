// P A = L U of many systems with partial pivoting, the first of equals: SYSTEMS of them in a workgroup, each by a team with
// its rows in registers (lu/batched/rows.wgsl). Rows do not move: home[r] is where LAPACK's exchanges have brought row r.
// Once a column, the best row is elected (lu/batched/factor_{subgroups,workgroup}.wgsl), its owner publishes it in
// workgroup memory, and everybody eliminates with it; it is finished then, and the team writes it as a row of U. L stays in
// the registers of its rows, and is written at the end, when their places are known.
//
// The column in work is always the first: an elimination moves a row down by one, and its multiplier becomes the last. So
// the loop over columns need not be written out; but every STAGE columns begins a stage, of rows STAGE shorter, whose
// multipliers stay behind. A system of fewer columns skips the first stages, not the last ones.
//
// Traffic: A is read once and written once. An invocation does, a column, ROWS * (WIDTH - s * STAGE) multiply-adds and ROWS
// divisions in stage s, an election, and reads a row of workgroup memory.
struct Params {
    // Systems, and the first that this launch is for.
    count: u32,
    first: u32,
    n: u32,
    // STAGE, which compilers must not know here: a loop that they write out fetches each instruction once.
    rounds: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> pivots: array<u32>;
@group(0) @binding(3) var<storage, read_write> status: array<u32>;
// The complement of the first singular system's number; 0 if there is none.
@group(0) @binding(4) var<storage, read_write> singular: array<atomic<u32>>;

const NOWHERE: u32 = 0xffffffffu;
const STAGES: u32 = WIDTH / STAGE;

// A row that may become the pivot: the larger rank wins, then the smaller place.
struct Candidate {
    rank: vec2<u32>,
    place: u32,
}

// The best row of each group of a team, in turns for even and odd columns: one barrier a column is enough then.
var<workgroup> published: array<Run, 2 * SYSTEMS * SLOTS * WIDTH / RUN>;
var<workgroup> elected: array<Candidate, 2 * SYSTEMS * SLOTS>;

// Without branches, which take longer than what they spare.
fn better(x: Candidate, y: Candidate) -> bool {
    let lower = (x.rank.y > y.rank.y) | ((x.rank.y == y.rank.y) & (x.place < y.place));
    return (x.rank.x > y.rank.x) | ((x.rank.x == y.rank.x) & lower);
}

fn better_of(x: Candidate, y: Candidate) -> Candidate {
    let first = better(x, y);
    return Candidate(select(y.rank, x.rank, first), select(y.place, x.place, first));
}

// What is left of the subtraction is large for finished rows, and for those that are not there.
fn candidate(x: Scalar, place: u32, now: u32) -> Candidate {
    let left = place - now < params.n - now;
    return Candidate(select(vec2<u32>(0u), s_rank(x), left), select(NOWHERE, place, left));
}

// `together`: how many neighbours of a team a subgroup has; 0 for an election through workgroup memory, which has barriers, so
// that it is handed down as a parameter, of which a compiler knows that it is the same for all.
fn factor(group: u32, local: u32, together: u32) {
    let team = local / TEAM;
    let lane = local % TEAM;
    let n = params.n;
    let system = params.first + group * SYSTEMS + team;
    // A team without a system works on the last one, and writes nothing: barriers are for all.
    let inside = system < params.count;
    let base = min(system, params.count - 1u) * n * n;

    var rows: array<Scalar, ROWS * WIDTH>;
    read_rows(team, lane, base, &rows);
    var home: array<u32, ROWS>;
    var exchange: array<u32, ROWS>;
    for (var r = 0u; r < ROWS; r++) { // unrolled
        home[r] = select(NOWHERE, lane + r * TEAM, lane + r * TEAM < n);
    }
    var zero = 0u;
    var begun = 0u;
    for (var s = 0u; s < STAGES; s++) { // unrolled
        if ((STAGES - 1u - s) * STAGE < n) {
            let rounds = min(params.rounds, n - begun);
            for (var c = 0u; c < rounds; c++) {
                let now = begun + c;
                var mine = candidate(rows[0], home[0], now);
                for (var r = 1u; r < ROWS; r++) { // unrolled
                    mine = better_of(candidate(rows[r * WIDTH], home[r], now), mine);
                }
                let best = best_of_group(team, lane, mine, together);
                let board = (now % 2u * SYSTEMS + team) * SLOTS;
                if (mine.place == best.place && mine.place != NOWHERE) {
                    let top = (board + group_of(lane, together)) * (WIDTH / RUN);
                    for (var j = 0u; j < WIDTH - s * STAGE; j += RUN) { // unrolled
                        var run: Run;
                        for (var i = 0u; i < RUN; i++) { // unrolled
                            var x = rows[j + i];
                            for (var r = 1u; r < ROWS; r++) { // unrolled
                                if (home[r] == mine.place) {
                                    x = rows[r * WIDTH + j + i];
                                }
                            }
                            // A zero for the c multipliers at the end, so that what eliminates leaves those of others.
                            if (j + i + c >= WIDTH - s * STAGE) {
                                x = SCALAR_ZERO;
                            }
                            run[i] = x;
                        }
                        published[top + j / RUN] = run;
                    }
                }
                if (SLOTS > 1u && is_first_of_group(lane, together)) {
                    elected[board + group_of(lane, together)] = best;
                }
                workgroupBarrier();
                var there = best.place;
                var winner = board;
                if (SLOTS > 1u) {
                    var top = elected[board];
                    for (var g = 1u; g < groups(together); g++) {
                        let other = elected[board + g];
                        winner = select(winner, board + g, better(other, top));
                        top = better_of(other, top);
                    }
                    there = top.place;
                }
                let row = winner * (WIDTH / RUN);
                let pivot = published[row];
                // As the device divides: a subnormal is zero where those are flushed.
                let is_zero = !s_less(SCALAR_ZERO, s_abs(pivot[0])) && !s_is_nan(pivot[0]);
                var divisor = pivot[0];
                if (is_zero) {
                    divisor = SCALAR_ONE;
                }
                zero = select(zero, now + 1u, is_zero && zero == 0u);
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    home[r] = select(select(home[r], there, home[r] == now), now, home[r] == there);
                    exchange[r] = select(exchange[r], there, lane + r * TEAM == now);
                    // U, which a row of registers has no room for: [now, n) of row `now`.
                    let j = lane + r * TEAM;
                    if (inside && now + j < n) {
                        a[base + now * n + now + j] = store(published[row + j / RUN][j % RUN]);
                    }
                }
                var l: array<Scalar, ROWS>;
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    l[r] = s_div(rows[r * WIDTH], divisor);
                    for (var i = 1u; i < RUN; i++) { // unrolled
                        rows[r * WIDTH + i - 1u] = s_mul_add(s_neg(l[r]), pivot[i], rows[r * WIDTH + i]);
                    }
                }
                for (var j = RUN; j < WIDTH - s * STAGE; j += RUN) { // unrolled
                    let u = published[row + j / RUN];
                    for (var r = 0u; r < ROWS; r++) { // unrolled
                        for (var i = 0u; i < RUN; i++) { // unrolled
                            rows[r * WIDTH + j + i - 1u] = s_mul_add(s_neg(l[r]), u[i], rows[r * WIDTH + j + i]);
                        }
                    }
                }
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    rows[r * WIDTH + WIDTH - s * STAGE - 1u] = l[r];
                }
            }
            begun += STAGE;
        }
    }
    write_lower(team, lane, base, inside, &home, &rows);
    for (var r = 0u; r < ROWS; r++) { // unrolled
        if (inside && lane + r * TEAM < n) {
            pivots[system * n + lane + r * TEAM] = exchange[r];
        }
    }
    if (inside && lane == 0u) {
        status[system] = zero;
        if (zero != 0u) {
            atomicMax(&singular[0], 0xffffffffu - system);
        }
    }
}

// What is below the diagonal, each row in its place.
fn write_lower(
    team: u32,
    lane: u32,
    base: u32,
    inside: bool,
    home: ptr<function, array<u32, ROWS>>,
    rows: ptr<function, array<Scalar, ROWS * WIDTH>>,
) {
    let corner = team * (WIDTH * PITCH);
    var begun = 0u;
    for (var s = 0u; s < STAGES; s++) { // unrolled
        if ((STAGES - 1u - s) * STAGE < params.n) {
            // A last stage of fewer columns has moved its rows fewer times.
            let missing = STAGE - min(STAGE, params.n - begun);
            for (var c = 0u; c < STAGE; c += CHUNK) { // unrolled
                workgroupBarrier();
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    for (var j = 0u; j < STAGE; j++) { // unrolled
                        // What is left of the subtraction is large for columns before these.
                        let column = j - missing - c;
                        if ((*home)[r] < params.n && column < CHUNK) {
                            let l = (*rows)[r * WIDTH + WIDTH - s * STAGE - STAGE + j];
                            tile[corner + (*home)[r] * PITCH + column] = l;
                        }
                    }
                }
                workgroupBarrier();
                let column = begun + c + lane % CHUNK;
                for (var p = 0u; p < PASSES; p++) { // unrolled
                    let row = p * LINES + lane / CHUNK;
                    if (inside && row < params.n && column < row) {
                        a[base + row * params.n + column] = store(tile[corner + row * PITCH + lane % CHUNK]);
                    }
                }
            }
            begun += STAGE;
        }
    }
}
