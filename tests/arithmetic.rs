//! The self-test of a device's arithmetic: that it sees what is wrong, and that what it chooses is right.
//!
//! On every adapter of this machine; without one, only what the host can show is tested.

use std::io::Write as _;

use nonius::dense::{self, Vector};
use nonius::device::Options;
use nonius::device::arithmetic::Trial;
use nonius::device::precision::Words;
use nonius::{Blocking as _, Dd, Device, Df64, Error, Result, Scalar, ScalarKind, Select};

/// Mesa's llvmpipe reassociates: the device on which plain text is known to fail.
const REASSOCIATES: &str = "llvmpipe";

/// `SwiftShader` takes minutes to compile the whole vocabulary in integers.
const COMPILES_SLOWLY: &str = "SwiftShader";

fn trials(device: &Device) -> Vec<Trial> {
    let measured = device.measure_arithmetic().block_on().expect("it is measured");
    measured.expect("it is no host").0
}

#[test]
fn plain_text_is_found_wrong_where_the_driver_reassociates() {
    for (index, name) in adapters().into_iter().filter(|(_, name)| name.contains(REASSOCIATES)) {
        let device = open(index, &Words::ALL).expect("it opens");
        for trial in trials(&device).iter().filter(|trial| trial.words == Words::Plain) {
            assert!(
                two_sum_wrong(trial) > 0,
                "{name}, {}: {}",
                trial.scalar.name(),
                trial.sentence()
            );
            assert_eq!(
                trial.exact_product(),
                None,
                "{name}, {}: {}",
                trial.scalar.name(),
                trial.sentence()
            );
        }
    }
}

/// Where subnormals are flushed, a small factor loses its lower half if it is split as it is.
#[test]
fn what_is_flushed_on_the_way_is_found_wrong() {
    for (index, name) in adapters() {
        let device = open(index, &Words::ALL).expect("it opens");
        let (trials, reports) = device
            .measure_arithmetic()
            .block_on()
            .expect("it is read")
            .expect("it is no host");
        let of_f32 = &reports[0];
        let kept = of_f32
            .special
            .iter()
            .filter(|special| special.property.starts_with("subnormal"))
            .all(|special| special.holds);
        for trial in trials.iter().filter(|trial| trial.scalar == ScalarKind::Df64) {
            let Ok(wrong) = &trial.outcome else { continue };
            let by_floats = trial.words != Words::Integer;
            assert!(
                kept || !by_floats || wrong.mask > 0,
                "{name}, {}: {}",
                trial.words,
                trial.sentence()
            );
            assert!(
                wrong.two_sum > 0 || wrong.lifted == 0,
                "{name}, {}: {}",
                trial.words,
                trial.sentence()
            );
        }
    }
}

#[test]
fn what_is_chosen_is_exact() {
    for (index, name) in adapters() {
        let device = open(index, &Words::ALL).expect("it opens");
        let arithmetic = device.arithmetic().expect("it is no host");
        let trials = trials(&device);
        for scalar in [ScalarKind::Df64, ScalarKind::Dd] {
            let version = match arithmetic.version(scalar) {
                Ok(version) => version,
                Err(error) => {
                    say(&format!("not tested: {error}"));
                    continue;
                }
            };
            let trial = trials
                .iter()
                .find(|trial| trial.scalar == scalar && trial.words == version.words);
            let trial = trial.unwrap_or_else(|| panic!("{name}: {version} was not tried"));
            let wrong = trial.outcome.as_ref().expect("it was compiled when it was chosen");
            let (sum, product) = (wrong.two_sum, wrong.of(version.product));
            assert_eq!(
                (sum, product),
                (0, 0),
                "{name}, {}, {version}: {}",
                scalar.name(),
                trial.sentence()
            );
        }
        assert!(arithmetic.version(ScalarKind::Df64).is_ok(), "{name}: {arithmetic:?}");
    }
}

#[test]
fn a_scalar_that_no_version_computes_is_refused() {
    for (index, name) in adapters() {
        for words in [&[][..], &[Words::Plain]] {
            let device = open(index, words).expect("it opens all the same");
            let trials = &device.arithmetic().expect("it is no host").trials;
            let of_df64 = trials.iter().find(|trial| trial.scalar == ScalarKind::Df64);
            if of_df64.is_some_and(|trial| two_sum_wrong(trial) == 0) {
                // A driver that leaves plain text alone.
                assert!(!name.contains(REASSOCIATES), "{name}: {of_df64:?}");
                continue;
            }
            let refused = Vector::<Df64>::zeros(&device, 1).expect_err("no version is right");
            let Error::UnsupportedScalar { scalar, reason, .. } = &refused else {
                panic!("{refused}")
            };
            assert_eq!(*scalar, "df64");
            assert_eq!(reason.contains("two_sum"), !words.is_empty(), "{reason}");
            let x = Vector::<f32>::zeros(&device, 1).expect("f32 is not concerned");
            assert!(
                matches!(
                    dense::dot_in_df64(&x, &x).block_on(),
                    Err(Error::UnsupportedScalar { .. })
                ),
                "{name}"
            );
        }
    }
}

#[test]
fn every_way_but_plain_is_right_by_itself() {
    for (index, name) in adapters() {
        for words in [Words::NoContraction, Words::Barrier, Words::Integer] {
            if words == Words::Integer && name.contains(COMPILES_SLOWLY) {
                say(&format!(
                    "not tested: the vocabulary in integers on {name}, which compiles it for minutes"
                ));
                continue;
            }
            let device = open(index, &[words]).expect("it opens");
            if takes_spirv(&device) || words != Words::NoContraction {
                same_bits_as_the_host::<Df64>(&device, &format!("{name}, {words}"));
            }
            let dd = match words {
                Words::NoContraction => takes_spirv(&device),
                Words::Barrier => has(&device, "shader-int64"),
                _ => false,
            };
            if dd && has(&device, "shader-f64") {
                same_bits_as_the_host::<Dd>(&device, &format!("{name}, {words}"));
            }
        }
    }
}

#[test]
fn integer_words_are_ieee_over_the_whole_range() {
    let triples = operands_of_all_magnitudes();
    let names = ["+", "-", "*", "/", "sqrt", "multiply, then add"];
    for (index, name) in adapters() {
        let device = open(index, &Words::ALL).expect("it opens");
        let found = device
            .word_operations(Words::Integer, &triples)
            .block_on()
            .expect("it runs");
        for ([a, b, c], found) in triples.iter().copied().zip(found.expect("it is no host")) {
            let expected = [a + b, a - b, a * b, a / b, a.abs().sqrt(), a * b + c];
            for ((operation, expected), found) in names.into_iter().zip(expected).zip(found) {
                // Every bit, the sign of zero too; of NaNs there are many.
                let same = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
                assert!(
                    same,
                    "{name}, {operation} of {a:e}, {b:e}, {c:e}: found {found:e}, expected {expected:e}"
                );
            }
        }
    }
}

/// Every exponent with every other within reach of rounding, ties, subnormals, overflow; zeros, infinities and NaN.
fn operands_of_all_magnitudes() -> Vec<[f32; 3]> {
    let special = [
        0.0,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
        1.0,
        f32::from_bits(1),
        f32::from_bits(0x007f_ffff),
    ];
    let special: Vec<f32> = special.into_iter().flat_map(|x| [x, -x]).collect();
    let mut triples = Vec::new();
    for (a, b) in special.iter().flat_map(|a| special.iter().map(move |b| (*a, *b))) {
        triples.extend(special.iter().map(|c| [a, b, *c]));
    }
    // Significands whose sums, products and quotients fall on ties and next to them, or are arbitrary.
    let significands = [
        0, 1, 2, 0x40_0000, 0x40_0001, 0x7f_fffe, 0x7f_ffff, 0x55_5555, 0x2a_aaab, 0x00_0fff, 0x7f_f000,
    ];
    let mut bits = 1_u32;
    let mut next = move || {
        // xorshift32 (Marsaglia 2003).
        bits ^= bits << 13;
        bits ^= bits >> 17;
        bits ^= bits << 5;
        bits
    };
    let word = |exponent: u32, random: u32| {
        let choice = random as usize % (2 * significands.len());
        let fraction = significands.get(choice).copied().unwrap_or(random >> 9);
        f32::from_bits((random & 0x8000_0000) | (exponent << 23) | fraction)
    };
    for exponent in 0..255 {
        for distance in (0..255_u32).step_by(7).chain(0..30) {
            for other in [(exponent + distance) % 255, 254 - (exponent + distance) % 255] {
                let (a, b) = (word(exponent, next()), word(other, next()));
                triples.push([a, b, word(next() % 255, next())]);
            }
        }
    }
    triples
}

/// Products and sums in kernels of the library, not of the self-test.
fn same_bits_as_the_host<T: Scalar>(device: &Device, place: &str) {
    device
        .supports::<T>()
        .unwrap_or_else(|error| panic!("{place}: {error}"));
    let run = |device: &Device| -> Result<Vec<T>> {
        let n = 3000;
        let third = T::one() / T::from_f64(3.0);
        let x: Vec<T> = (1..=n).map(|i| third * T::from_f64(f64::from(i))).collect();
        let y: Vec<T> = (1..=n)
            .map(|i| -T::one() / T::from_f64(f64::from(n + 1 - i)) - third)
            .collect();
        let x = Vector::from_slice(device, &x)?;
        let mut y = Vector::from_slice(device, &y)?;
        dense::axpy(third, &x, &mut y)?;
        dense::xpay(-third, &x, &mut y)?;
        dense::scal(third, &mut y)?;
        y.to_host().block_on()
    };
    let (expected, found) = (run(&Device::host()), run(device));
    assert_eq!(expected, found, "{place}");
}

fn two_sum_wrong(trial: &Trial) -> usize {
    trial.outcome.as_ref().map_or(0, |wrong| wrong.two_sum)
}

fn takes_spirv(device: &Device) -> bool {
    device.adapter().backend == "vulkan" && has(device, "passthrough-shaders")
}

fn has(device: &Device, feature: &str) -> bool {
    device
        .adapter()
        .features
        .iter()
        .any(|(name, has)| *name == feature && *has)
}

fn open(index: usize, words: &[Words]) -> Result<Device> {
    let mut options = Options::default();
    options.words = words.to_vec();
    Device::open_with(Select::Index(index), options).block_on()
}

fn adapters() -> Vec<(usize, String)> {
    let adapters = Device::list().block_on();
    let adapters: Vec<_> = adapters
        .into_iter()
        .filter_map(|adapter| Some((adapter.index?, adapter.name)))
        .collect();
    if adapters.is_empty() {
        let required = std::env::var("NONIUS_REQUIRE_GPU").is_ok_and(|value| value == "1");
        assert!(!required, "NONIUS_REQUIRE_GPU=1, and there is no GPU adapter");
        say("no GPU adapter: nothing was tested");
    }
    adapters
}

/// Past the capture of a test's output: what was not tested must be seen when all is well too.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "arithmetic: {text}");
}
