// The table (src/residue/basis.rs, Basis::table) is bound by every kernel of residues, and read at the same place by all
// invocations: TABLE_ROW numbers for each prime, then Garner's inverses.
@group(0) @binding(1) var<storage, read> table: array<u32>;
