// Scalar = IEEE binary32 as the device has it. Bounds: u = 2^-24 for + - *, the device's own for / and sqrt.
alias Scalar = f32;

const SCALAR_ZERO: f32 = 0.0;
const SCALAR_ONE: f32 = 1.0;

// Blue 1978, as LAPACK's la_constants: squares of what lies between TINY and HUGE neither underflow nor overflow,
// also summed over 2^23 elements; what lies outside is first multiplied by UP or DOWN.
const SCALAR_TINY: f32 = 0x1p-63f;
const SCALAR_HUGE: f32 = 0x1p+52f;
const SCALAR_UP: f32 = 0x1p+75f;
const SCALAR_UP_INVERSE: f32 = 0x1p-75f;
const SCALAR_DOWN: f32 = 0x1p-76f;
const SCALAR_DOWN_INVERSE: f32 = 0x1p+76f;

// What is best read from workgroup memory at once.
alias Run = vec4<f32>;
const RUN: u32 = 4u;
fn run_mul_add(x: Scalar, y: Run, z: Run) -> Run { return fma(Run(x), y, z); }

fn s_add(x: Scalar, y: Scalar) -> Scalar { return x + y; }
fn s_sub(x: Scalar, y: Scalar) -> Scalar { return x - y; }
fn s_neg(x: Scalar) -> Scalar { return -x; }
fn s_mul(x: Scalar, y: Scalar) -> Scalar { return x * y; }
fn s_mul_add(x: Scalar, y: Scalar, z: Scalar) -> Scalar { return fma(x, y, z); }
// Vulkan promises quotients by what is at most 2^126, and there are devices that make 0 of others. Quarters have the same.
fn s_div(x: Scalar, y: Scalar) -> Scalar {
    let scale = select(1.0, 0.25, abs(y) > 0x1p+126f);
    return (x * scale) / (y * scale);
}
// 1 / x, where TINY <= |x| <= HUGE.
fn s_reciprocal(x: Scalar) -> Scalar { return 1.0 / x; }
fn s_sqrt(x: Scalar) -> Scalar { return sqrt(x); }
fn s_abs(x: Scalar) -> Scalar { return abs(x); }
fn s_less(x: Scalar, y: Scalar) -> bool { return x < y; }
// WGSL lets a compiler assume that there are no NaNs, so only the bits tell.
fn s_is_nan(x: Scalar) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn s_from_u32(x: u32) -> Scalar { return f32(x); }

// |x| as integers: the first of two that differ decides, and a NaN is above every number.
const RANK_WORDS: u32 = 1u;
fn s_rank(x: Scalar) -> vec2<u32> { return vec2<u32>(bitcast<u32>(x) & 0x7fffffffu, 0u); }
