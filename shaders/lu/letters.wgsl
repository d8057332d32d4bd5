// What the workgroups that hold panels send each other in a dispatch (lu/step_crew.wgsl), in words behind the status that say by
// themselves that they are there (lib/sealed.wgsl). Of each panel: the candidates of its columns; and if there are several panels,
// the places of its pivots, the pivot rows of the panels before it, and L by columns, words, and rows.
// Who waits for them has PATIENCE (lu/patience.wgsl).
const CANDIDATE_WORDS: u32 = WIDTH * CREW * ENTRIES * SEALED;
const FOLLOWED_WORDS: u32 = (PARTS - 1u) * WIDTH * FOLLOWED * SEALED;

// Looks at a word that is not there: some tenths of a second, if a look takes a third of a microsecond.
const PATIENCE: u32 = 1048576u;

fn letters_of(part: u32) -> u32 {
    return params.letters + part * (CANDIDATE_WORDS + WIDTH + FOLLOWED_WORDS + WIDTH * SEALED * params.height);
}

fn place_letter(part: u32, column: u32) -> u32 { return letters_of(part) + CANDIDATE_WORDS + column; }

// Of the pivot row of a column of the block, in a panel behind it.
fn followed_letter(part: u32, column: u32, entry: u32) -> u32 {
    return letters_of(part) + CANDIDATE_WORDS + WIDTH + (column * FOLLOWED + entry) * SEALED;
}

// Of L, the first word; the others are `height` apart.
fn lower_letter(part: u32, column: u32, row: u32) -> u32 {
    return letters_of(part) + CANDIDATE_WORDS + WIDTH + FOLLOWED_WORDS + column * SEALED * params.height + row;
}

// The words of a scalar, once they are there.
fn awaited(at: u32) -> array<u32, SEALED> {
    var words: array<u32, SEALED>;
    for (var i = 0u; i <= patience; i++) {
        var is_missing = false;
        for (var w = 0u; w < SEALED; w++) { // unrolled
            words[w] = atomicLoad(&status[at + w]);
            is_missing = is_missing || words[w] == MISSING;
        }
        if (!is_missing) {
            return words;
        }
    }
    give_up();
    return words;
}

fn awaited_place(at: u32) -> u32 {
    var word = MISSING;
    for (var i = 0u; i <= patience; i++) {
        word = atomicLoad(&status[at]);
        if (word != MISSING) {
            return opened(word);
        }
    }
    give_up();
    return opened(word);
}
