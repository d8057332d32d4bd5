// Products of 64 bits. A kernel with this file runs only where Device::supports_int64 says so: u64 is a feature beyond WGSL.
fn product64(x: u32, y: u32) -> u64 { return u64(x) * u64(y); }

// The high word of x y.
fn high_product(x: u32, y: u32) -> u32 { return u32(product64(x, y) >> 32u); }
