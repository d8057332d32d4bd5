// Words by which workgroups of one dispatch tell each other something. WGSL has no order in which other workgroups see stores, but each
// atomic by itself is seen whole, once and for all; so a word says by itself that it is there, by not being zero. A kernel with this file
// has s_sealed and s_opened (scalar/sealed/), by which a scalar becomes SEALED such words.
const MISSING: u32 = 0u;
// The largest word becomes the one before it.
fn sealed(word: u32) -> u32 { return min(word, 0xfffffffeu) + 1u; }
fn opened(word: u32) -> u32 { return word - 1u; }
