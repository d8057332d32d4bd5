// What is known of one prime's matrix while it is eliminated (src/residue/linear/batched/mod.rs): STATE_ROW numbers.
// Pivots so far; those of the last panel; the determinant so far, in Montgomery's form; the first column without a pivot,
// or NONE; and with which row each pivot's row of the last panel was exchanged. BLOCK is in the header.
const STATE_ROW: u32 = 4u + BLOCK;
const PIVOTS: u32 = 0u;
const OF_PANEL: u32 = 1u;
const DETERMINANT: u32 = 2u;
const DEPENDENT: u32 = 3u;
const EXCHANGES: u32 = 4u;
const NONE: u32 = 0xffffffffu;
