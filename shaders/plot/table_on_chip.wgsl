// The basis' table in workgroup memory, copied by every workgroup: what stands here for the constant memory of Suzuki and
// Murao (2010, section 5.4). It takes the place of residue/lib/table.wgsl.
@group(0) @binding(1) var<storage, read> table_in_memory: array<u32>;

const TABLE_WORDS: u32 = TABLE_ROW * PRIMES + PRIMES * (PRIMES - 1u) / 2u;

var<workgroup> table: array<u32, TABLE_WORDS>;

fn load_table(local: u32) {
    for (var at = local; at < TABLE_WORDS; at += WORKGROUP) {
        table[at] = table_in_memory[at];
    }
    workgroupBarrier();
}
