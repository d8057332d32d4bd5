// The tables in `place` (lu/step.wgsl, lu/reorder.wgsl), each of as many entries as the block has rows (as many tables: lu/state.rs).
// Where each row will go, when a panel is done: the next panel reads it while it writes its own. Behind a block in one dispatch, which
// has no next, that one's table begins with the rows of the pivots.
fn places_of(panel: u32) -> u32 { return panel % 2u; }
// The number in the stage before, of each row of a stage, in the order of their places.
fn former_numbers(stage: u32) -> u32 { return 2u + stage % 2u; }
// The row of the block, of each row of a stage but the first, whose rows are the block's.
fn rows_of_block(stage: u32) -> u32 { return 4u + stage % 2u; }
