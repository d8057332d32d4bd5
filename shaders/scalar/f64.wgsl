// Scalar = IEEE binary64 as the device has it (features SHADER_F64 and SHADER_INT64). u = 2^-53.
alias Scalar = f64;

const SCALAR_ZERO: f64 = f64(0.0);
const SCALAR_ONE: f64 = f64(1.0);

// Blue 1978, as LAPACK's la_constants: squares of what lies between TINY and HUGE neither underflow nor overflow,
// also summed over 2^23 elements; what lies outside is first multiplied by UP or DOWN.
const SCALAR_TINY: f64 = 0x1p-511lf;
const SCALAR_HUGE: f64 = 0x1p+486lf;
const SCALAR_UP: f64 = 0x1p+537lf;
const SCALAR_UP_INVERSE: f64 = 0x1p-537lf;
const SCALAR_DOWN: f64 = 0x1p-538lf;
const SCALAR_DOWN_INVERSE: f64 = 0x1p+538lf;

// What is best read from workgroup memory at once.
alias Run = vec2<f64>;
const RUN: u32 = 2u;
fn run_mul_add(x: Scalar, y: Run, z: Run) -> Run { return Run(x) * y + z; }

fn s_add(x: Scalar, y: Scalar) -> Scalar { return x + y; }
fn s_sub(x: Scalar, y: Scalar) -> Scalar { return x - y; }
fn s_neg(x: Scalar) -> Scalar { return -x; }
fn s_mul(x: Scalar, y: Scalar) -> Scalar { return x * y; }
fn s_mul_add(x: Scalar, y: Scalar, z: Scalar) -> Scalar { return x * y + z; }
fn s_div(x: Scalar, y: Scalar) -> Scalar { return x / y; }
// 1 / x, where TINY <= |x| <= HUGE.
fn s_reciprocal(x: Scalar) -> Scalar { return f64(1.0) / x; }
fn s_sqrt(x: Scalar) -> Scalar { return sqrt(x); }
fn s_abs(x: Scalar) -> Scalar { return abs(x); }
fn s_less(x: Scalar, y: Scalar) -> bool { return x < y; }
// Only the bits tell (an H200's compiler turns !(x <= 0) into x > 0): hence doubles need 64-bit integers here.
fn s_is_nan(x: Scalar) -> bool { return (bitcast<u64>(x) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu; }
fn s_from_u32(x: u32) -> Scalar { return f64(x); }

// |x| as integers: the first of two that differ decides, and a NaN is above every number.
const RANK_WORDS: u32 = 2u;
fn s_rank(x: Scalar) -> vec2<u32> {
    let bits = bitcast<u64>(x) & 0x7ffffffffffffffflu;
    return vec2<u32>(u32(bits >> 32u), u32(bits & 0xfffffffflu));
}
