// The basis' table stays where it is (residue/lib/table.wgsl).
fn load_table(local: u32) {}
