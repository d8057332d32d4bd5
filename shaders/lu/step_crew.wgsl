// Panels that are held by crews of workgroups, each workgroup some rows: one panel, or PARTS that are a whole block, of which `crews`
// are in work at once, in turns, and follow those before them (lu/step_follow.wgsl).
// The election of a pivot: each workgroup finds the best of its own rows (lu/election.wgsl) and sends it to all of its crew, and waits
// for what all have sent (lu/letters.wgsl), so that everyone sees the same winner.
// Traffic, for each column and workgroup: a row is stored, and one from each read, some times until it is there.
const TURNS: u32 = 1u;
const OWN: u32 = SLOTS;
// The rows of the pivots are kept behind.
const PUBLISHED: u32 = OWN + WIDTH;
// A row as it is sent: its elements, and its place; an invocation sends each.
const ENTRIES: u32 = WIDTH + 1u;
// Only who sends looks for what it sends, while all others wait for the rest; more, written out, take some drivers long to compile.
const MOST_FEW: u32 = 16u;
// Entries of all that an invocation waits for: mostly one, and no loop.
const SHARE: u32 = (CREW * ENTRIES + WORKGROUP - 1u) / WORKGROUP;

var<private> member: u32;

var<workgroup> places_sent: array<u32, CREW>;
var<workgroup> rows_sent: array<Scalar, CREW * STRIDE>;

@compute @workgroup_size(WORKGROUP)
fn step_crew(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_invocation_id) invocation: u32,
    @builtin(subgroup_size) size: u32,
) {
    group = subgroup;
    lane = invocation;
    lanes = size;
    // A driver that breaks its word about them is told of, not trusted.
    if (subgroups > SLOTS) {
        atomicMax(&status[0], NOWHERE);
        return;
    }
    // Not by what is kept of it: WGSL takes that for different in each invocation.
    let number = workgroup_index(id, count);
    member = number % params.crew;
    have_patience(PATIENCE);
    let stride = count.x * count.y * count.z * WORKGROUP;
    for (var e = number * WORKGROUP + local; e < params.former_words; e += stride) {
        atomicStore(&status[params.former_letters + e], MISSING);
    }
    step(number, local);
}

fn in_work() -> u32 { return params.crew * min(params.crews, (params.width + WIDTH - 1u) / WIDTH); }

fn hold_panels(group: u32, local: u32) {
    if (PARTS == 1u) {
        factor_panel(0u, local, group * ROWS * WORKGROUP + local);
        return;
    }
    for (var part = group / params.crew; part * WIDTH < params.width; part += params.crews) {
        factor_panel(part, local, group % params.crew * ROWS * WORKGROUP + local);
        workgroupBarrier();
    }
}

fn is_last(part: u32) -> bool { return PARTS == 1u || (part + 1u) * WIDTH >= params.width; }
fn slot_of(column: u32) -> u32 { return group; }

// The winner's number among the senders. What is sent lies by columns, workgroups, entries, and words.
fn winner_of(part: u32, column: u32, local: u32) -> u32 {
    var own = 0u;
    if (SLOTS > FEW) {
        own = best_of_slots(0u);
    }
    let all = letters_of(part) + column * CREW * ENTRIES * SEALED;
    if (local < ENTRIES) {
        if (SLOTS == FEW) {
            own = best_of_few(0u);
        }
        var words: array<u32, SEALED>;
        if (local < WIDTH) {
            var x = published[(own * STRIDE + local) / RUN][local % RUN];
            // Who has no row left sends what is no larger than anything.
            if (local == 0u && elected[own].place == NOWHERE) {
                x = SCALAR_ZERO;
            }
            words = s_sealed(x);
        } else {
            for (var w = 0u; w < SEALED; w++) { // unrolled
                words[w] = sealed(elected[own].place);
            }
        }
        for (var w = 0u; w < SEALED; w++) { // unrolled
            atomicStore(&status[all + (member * ENTRIES + local) * SEALED + w], words[w]);
        }
    }
    for (var s = 0u; s < SHARE; s++) { // unrolled
        let e = local + s * WORKGROUP;
        if (e < params.crew * ENTRIES) {
            let words = awaited(all + e * SEALED);
            if (e % ENTRIES < WIDTH) {
                rows_sent[e / ENTRIES * STRIDE + e % ENTRIES] = s_opened(words);
            } else {
                places_sent[e / ENTRIES] = opened(words[0]);
            }
        }
    }
    workgroupBarrier();
    return best_of_sent();
}

fn best_of_sent() -> u32 {
    // Nearly always one is larger than all others, and what is said of all lanes costs less than a second reduction. Where lanes are
    // fewer than what may be sent, all of them say so.
    let takes_part = lane < params.crew;
    let rank = s_rank(rows_sent[min(lane, CREW - 1u) * STRIDE]);
    let highest = subgroupMax(select(0u, rank.x, takes_part));
    var best = takes_part && rank.x == highest;
    if (RANK_WORDS > 1u) {
        let lower = subgroupMax(select(0u, rank.y, best));
        best = best && rank.y == lower;
    }
    let alike = subgroupBallot(best || lanes < CREW || CREW > 32u).x;
    if (countOneBits(alike) == 1u) {
        return firstTrailingBit(alike);
    }
    // No reduction behind that branch: not every compiler of WGSL knows that all lanes go the same way.
    var sender = 0u;
    for (var i = 1u; i < params.crew; i++) {
        if (better(sent(i), sent(sender))) {
            sender = i;
        }
    }
    return sender;
}

// Who has no row left has sent what it has.
fn sent(i: u32) -> Candidate {
    let is_row = places_sent[i] < NOWHERE - 1u;
    return Candidate(select(vec2<u32>(0u), s_rank(rows_sent[i * STRIDE]), is_row), places_sent[i]);
}

fn run_of_winner(sender: u32, column: u32) -> Run {
    var run: Run;
    for (var i = 0u; i < RUN; i++) { // unrolled
        run[i] = rows_sent[sender * STRIDE + column + i];
    }
    return run;
}

fn place_of_winner(sender: u32) -> u32 { return places_sent[sender]; }

fn keep(part: u32, column: u32, sender: u32, pivot: ptr<function, array<Run, STRIDE / RUN>>, there: u32) -> u32 {
    if (!is_last(part) && member == 0u) {
        atomicStore(&status[place_letter(part, column)], sealed(there));
    }
    let slot = OWN + column;
    for (var j = 0u; j < STRIDE; j += RUN) { // unrolled
        published[(slot * STRIDE + j) / RUN] = (*pivot)[j / RUN];
    }
    elected[slot].place = there;
    return slot;
}
