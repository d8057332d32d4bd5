// The block on the diagonal at (`first`, `first`) factored by workgroup 0, as by diagonal_registers.wgsl, and in the same dispatch L
// below and U right of it (strip_registers.wgsl), and what the block of columns before, which begins at `done`, asks of all else
// (trailing.wgsl). Workgroup 0 sends the block's elements to all as they are done (lib/sealed.wgsl), and strips wait for them: they end
// as soon as it does, and while they wait, they bring themselves up to date. They wait for nobody else, and workgroups start in the
// order of their numbers (lu/patience.wgsl). Or workgroup 0 has a dispatch before the others, which then do not wait.
// Workgroup 0 is followed by `early` tiles, `strips` strips, and the other tiles: of the rows from `first` + `size` on, and of the columns
// from `left` to `right`. Strips of rows are owed something if `owed_lower` says so, those of columns from `owed_upper` on.
// Traffic: that of the others; and the block is written once more, by the words, and read in words by every strip.
struct Params {
    // Workgroups in the dispatch before.
    before: u32,
    first: u32,
    size: u32,
    leading: u32,
    rows: u32,
    begin: u32,
    end: u32,
    below: u32,
    lower_leading: u32,
    upper_leading: u32,
    done: u32,
    height: u32,
    left: u32,
    right: u32,
    // Tiles beside each other.
    across: u32,
    early: u32,
    strips: u32,
    owed_lower: u32,
    owed_upper: u32,
    // Where the words of this dispatch are, and those of the dispatch before, which are emptied.
    letters: u32,
    former_letters: u32,
    former_words: u32,
    // How long strips wait.
    patience: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> pivots: array<u32>;
@group(0) @binding(3) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> lower: array<Element>;
@group(0) @binding(5) var<storage, read_write> upper: array<Element>;

const SIZE: u32 = MOST;
// Strips and tiles have workgroup memory of their own.
const STRIP_L: u32 = 0u;
const STRIP_U: u32 = 0u;
// Rows of tiles beside the block.
const COVERED_DOWN: u32 = MOST / TILE_ROWS;
// Looks at a word, which is not there, in a turn of `patience`.
const LOOKS: u32 = 1024u;

// The block's elements lie row by row, their words apart.
const PLANE: u32 = SIZE * SIZE;

fn send(i: u32, j: u32, x: Scalar) {
    let words = s_sealed(x);
    for (var w = 0u; w < SEALED; w++) { // unrolled
        atomicStore(&status[params.letters + w * PLANE + i * SIZE + j], words[w]);
    }
}

alias Asked = array<u32, SEALED>;
const AWAITED: bool = true;

fn ask(i: u32, k: u32, of_rows: bool) -> Asked {
    let at = params.letters + select(i * SIZE + k, k * SIZE + i, of_rows);
    var words: Asked;
    for (var w = 0u; w < SEALED; w++) { // unrolled
        words[w] = atomicLoad(&status[at + w * PLANE]);
    }
    return words;
}

fn is_missing(words: Asked) -> bool {
    var is_missing = false;
    for (var w = 0u; w < SEALED; w++) { // unrolled
        is_missing = is_missing || words[w] == MISSING;
    }
    return is_missing;
}

fn element(asked: Asked) -> Scalar { return s_opened(asked); }

// Waits for what was asked for in the step that begins at `first`: each for what is sent last of it, so that little is asked for while
// nothing is there, and then for all.
fn complete(next: ptr<function, array<Asked, LOADS>>, part: ptr<function, Part>, first: u32) {
    let last = params.size - 1u;
    let i = min(first + (*part).row[LOADS - 1u], last);
    let k = min(first + (*part).column[LOADS - 1u], last);
    for (var turn = 0u; turn < patience && is_missing((*next)[LOADS - 1u]); turn++) {
        for (var look = 0u; look < LOOKS && is_missing((*next)[LOADS - 1u]); look++) {
            (*next)[LOADS - 1u] = ask(i, k, (*part).of_rows);
        }
    }
    for (var turn = 0u; turn < patience; turn++) {
        for (var look = 0u; look < LOOKS; look++) {
            var some = false;
            for (var s = 0u; s < LOADS; s++) { // unrolled
                some = some || is_missing((*next)[s]);
            }
            if (!some) {
                return;
            }
            for (var s = 0u; s < LOADS; s++) { // unrolled
                (*next)[s] = ask(min(first + (*part).row[s], last), min(first + (*part).column[s], last), (*part).of_rows);
            }
        }
    }
    give_up();
}

// What the block before still asks of the strip: sums of all its terms, as a tile has them, and to the same bits.
fn owed(part: ptr<function, Part>, strip: Strip, local: u32) -> array<Scalar, ABREAST * SLOTS> {
    var sum: array<Scalar, ABREAST * SLOTS>;
    for (var s = 0u; s < ABREAST * SLOTS; s++) { // unrolled
        sum[s] = SCALAR_ZERO;
    }
    if (select(params.begin + strip.begin < params.owed_upper, params.owed_lower == 0u, strip.of_rows)) {
        return sum;
    }
    let last = params.size - 1u;
    let terms = params.first - params.done;
    // Of L and of U, those that say what is taken off, and those beside the strip.
    let corner = select(params.first * params.leading + params.done, params.done * params.leading + params.first, strip.of_rows);
    let beside = strip.at - select(terms * params.leading, terms, strip.of_rows);
    var next: array<Scalar, LOADS>;
    var next_beside: array<Scalar, STORES>;
    for (var k = 0u; k <= terms; k += WIDTH) {
        let turn = k / WIDTH % 2u * WIDTH * LINE;
        if (k > 0u) {
            for (var s = 0u; s < LOADS; s++) { // unrolled
                bring((*part).row[s], (*part).column[s], (local + s * WORKGROUP) / (WIDTH * WIDTH), next[s]);
            }
            for (var s = 0u; s < STORES; s++) { // unrolled
                let e = local + s * WORKGROUP;
                let lane = select(e % LANES, e / WIDTH, strip.of_rows);
                unknowns[turn + select(e / LANES, e % WIDTH, strip.of_rows) * LINE + lane] = next_beside[s];
            }
            workgroupBarrier();
        }
        if (k < terms) {
            for (var s = 0u; s < LOADS; s++) { // unrolled
                let i = min((*part).row[s], last);
                let term = k + (*part).column[s];
                next[s] = load(a[corner + select(i * params.leading + term, term * params.leading + i, strip.of_rows)]);
            }
            for (var s = 0u; s < STORES; s++) { // unrolled
                let e = local + s * WORKGROUP;
                let lane = min(select(e % LANES, e / WIDTH, strip.of_rows), strip.lanes - 1u - strip.begin);
                let term = k + select(e / LANES, e % WIDTH, strip.of_rows);
                next_beside[s] = load(a[beside + select(term * params.leading + lane, lane * params.leading + term, strip.of_rows)]);
            }
        }
        if (k > 0u) {
            add_products(&sum, turn, (*part).down, (*part).across, SIZE);
            workgroupBarrier();
        }
    }
    return sum;
}

fn unknown(strip: Strip, i: u32, j: u32) -> Scalar { return in_place(strip, i, j); }
fn settle(strip: Strip, local: u32) {}

@compute @workgroup_size(WORKGROUP)
fn diagonal_and_borders(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = params.before + workgroup_index(id, count);
    if (group == 0u) {
        note_pivots(local);
        var x: array<Scalar, TILES * TILES>;
        load_block(&x, local);
        factor_block(&x, local);
        store_block(&x, local);
        return;
    }
    let stride = (params.before + count.x * count.y * count.z - 1u) * WORKGROUP;
    for (var e = (group - 1u) * WORKGROUP + local; e < params.former_words; e += stride) {
        atomicStore(&status[params.former_letters + e], MISSING);
    }
    let number = group - 1u;
    if (number >= params.early && number - params.early < params.strips) {
        let strip = strip_of(number - params.early);
        have_patience(params.patience);
        solve_strip(strip, local);
        return;
    }
    let tile = COVERED_DOWN * params.across + number - select(params.strips, 0u, number < params.early);
    // A grid may have more workgroups than there are tiles.
    if (params.across > 0u && tile / params.across * TILE_ROWS < params.height) {
        update_trailing(tile, local);
    }
}
