//! P A = L U and what is solved with it, in every scalar, on every device of this machine: LAPACK's test ratios and
//! matrix types (LAPACK Working Note 41), with residuals that are exact.
//!
//! `NONIUS_DEVICE` narrows the run to one device; `NONIUS_REQUIRE_GPU=1` fails it where there is no GPU adapter.

/// Makes of `fn check<T: Scalar>(&Device) -> Result<()>` a test for every scalar, on every device.
macro_rules! for_every_scalar {
    ($($check:ident),* $(,)?) => {$(
        mod $check {
            #[test]
            fn f32() {
                crate::devices::on_every_device::<f32>(super::$check::<f32>);
            }
            #[test]
            fn df64() {
                crate::devices::on_every_device::<nonius::Df64>(super::$check::<nonius::Df64>);
            }
            #[test]
            fn f64() {
                crate::devices::on_every_device::<f64>(super::$check::<f64>);
            }
            #[test]
            fn dd() {
                crate::devices::on_every_device::<nonius::Dd>(super::$check::<nonius::Dd>);
            }
        }
    )*};
}

#[path = "../support/devices.rs"]
mod devices;
#[allow(dead_code, reason = "the conformance tests use the rest")]
#[path = "../conformance/exact.rs"]
mod exact;
mod exactly;
mod matrices;
mod ratios;
mod refinement;
mod special;
mod types;
