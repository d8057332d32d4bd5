// A system's rows in registers: TEAM invocations have a system, each ROWS rows of WIDTH columns, TEAM rows apart.
// Systems lie in memory row after row, so that invocations which read their own rows would each touch lines of their own.
// Hence a team reads CHUNK columns of LINES rows at once, and a tile in workgroup memory hands each row to its owner.
// What is beyond n holds anything; nothing of it is used.
const TEAM: u32 = WIDTH / ROWS;
const WORKGROUP: u32 = TEAM * SYSTEMS;
const CHUNKS: u32 = WIDTH / CHUNK;
const LINES: u32 = TEAM / CHUNK;
const PASSES: u32 = WIDTH / LINES;
// One more than CHUNK: neighbours then read from different banks.
const PITCH: u32 = CHUNK + 1u;

var<workgroup> tile: array<Scalar, SYSTEMS * WIDTH * PITCH>;

// Rows of the system whose first element is at `base`. The whole workgroup takes part.
fn read_rows(team: u32, lane: u32, base: u32, rows: ptr<function, array<Scalar, ROWS * WIDTH>>) {
    let corner = team * (WIDTH * PITCH);
    let line = lane / CHUNK;
    let column = lane % CHUNK;
    let last = params.n - 1u;
    // Everything is asked for at once, before anything is waited for.
    var found: array<Scalar, CHUNKS * PASSES>;
    for (var c = 0u; c < CHUNKS; c++) { // unrolled
        if (c * CHUNK < params.n) {
            for (var p = 0u; p < PASSES; p++) { // unrolled
                let at = min(p * LINES + line, last) * params.n + min(c * CHUNK + column, last);
                found[c * PASSES + p] = load(a[base + at]);
            }
        }
    }
    for (var c = 0u; c < CHUNKS; c++) { // unrolled
        if (c * CHUNK < params.n) {
            workgroupBarrier();
            for (var p = 0u; p < PASSES; p++) { // unrolled
                tile[corner + (p * LINES + line) * PITCH + column] = found[c * PASSES + p];
            }
            workgroupBarrier();
            for (var r = 0u; r < ROWS; r++) { // unrolled
                for (var j = 0u; j < CHUNK; j++) { // unrolled
                    (*rows)[r * WIDTH + c * CHUNK + j] = tile[corner + (lane + r * TEAM) * PITCH + j];
                }
            }
        }
    }
}
