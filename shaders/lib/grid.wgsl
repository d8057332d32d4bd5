// A grid of any size: more than 65,535 workgroups are folded into rows (src/device/grid.rs), and the last row may
// run over, so every kernel compares its index with its extent.
fn workgroup_index(id: vec3<u32>, count: vec3<u32>) -> u32 { return id.y * count.x + id.x; }
