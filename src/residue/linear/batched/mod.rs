//! Elimination modulo many primes at once on a GPU: one launch a phase for all primes of a batch.
//!
//! Blocked and right-looking, 32 columns a block: [`panel`] eliminates in the block (one workgroup a prime), [`rows`] makes
//! the pivots' rows those of U, and [`update`] subtracts L U from the rest, which is nearly all of the n³/3 multiply-adds.
//! A pivot is the first element that is not 0, as on the host. Where columns have no pivots, the next block begins at
//! another row for each prime: `state` says where, and no host waits for it.
//!
//! # What a multiply-add costs
//!
//! Factors are balanced, |x| ≤ (p − 1)/2, so that two products and 16 bits fit an i32: 2 · 32,760² + 65,535 < 2³¹. After two
//! products the high 16 bits go to a second accumulator. That is 2 multiply-adds, a shift, an addition and a mask for two
//! products, 2.5 instructions each, and half an instruction more for the reduction after 32 (two of Montgomery's, for which L
//! is in the form twice). Primes below 2¹⁴ would need 1.1 for 32 products without a shift, but all of them between 2¹³ and 2¹⁴
//! hold 11,800 bits, where the determinant of 1000 x 1000 entries of two digits takes 15,000; products that are reduced one
//! by one need 10.

mod back;
mod panel;
mod residues;
mod rows;
mod update;

use num_bigint::BigInt;
use num_traits::{Signed as _, ToPrimitive as _};

use super::matrix::Integers;
use super::modular::{Ask, Modular};
use crate::device::kernel::{Constant, Fragment, Kernel, fragment};
use crate::device::{Buffer, Device, Gpu};
use crate::error::{Error, Result};
use crate::residue::Prime;
use crate::residue::basis::TABLE_ROW;

/// The columns of a panel; of so many products is each sum.
const BLOCK: Constant = Constant {
    name: "BLOCK",
    default: 32,
};
/// Arithmetic modulo primes, sums that are reduced at their end, and where each prime's elimination is.
const ELIMINATION: &[Fragment] = &[
    fragment!("lib/grid.wgsl"),
    fragment!("residue/lib/table.wgsl"),
    fragment!("residue/lib/sums.wgsl"),
    fragment!("residue/lib/modular.wgsl"),
    fragment!("residue/lib/narrow.wgsl"),
    fragment!("residue/lib/delayed.wgsl"),
    fragment!("residue/linear/batched/state.wgsl"),
];
const BLOCK_COLS: usize = BLOCK.default as usize;

/// The numbers of a prime's state (`shaders/residue/linear/batched/state.wgsl`).
const STATE_ROW: usize = 4 + BLOCK_COLS;
const PIVOTS: usize = 0;
const DETERMINANT: usize = 2;
const DEPENDENT: usize = 3;
const NONE: u32 = u32::MAX;

/// The most bytes of matrices of a batch: enough primes of 1000 x 1000 for a workgroup each on a large GPU.
const BATCH_BYTES: u64 = 1 << 30;

/// A batch of primes and their matrices.
struct Batch {
    rows: usize,
    width: usize,
    primes: usize,
    table: Buffer<u32>,
    /// One matrix after the other, by rows.
    a: Buffer<u32>,
    /// Columns of a panel, for each prime.
    lower: Buffer<u32>,
    /// L⁻¹ of the pivots' rows of a panel, for each prime.
    inverses: Buffer<u32>,
    state: Buffer<u32>,
}

/// Eliminates in a matrix of integers modulo each prime. Nothing waits but the read-back of each batch.
pub(super) async fn eliminate(
    device: &Device,
    gpu: &Gpu,
    a: &Integers,
    primes: &[Prime],
    ask: Ask,
) -> Result<Vec<Modular>> {
    let size = most_primes(device, a.rows(), a.cols())?;
    in_batches(device, gpu, a, primes, ask, size).await
}

/// In batches of `size` primes.
async fn in_batches(
    device: &Device,
    gpu: &Gpu,
    a: &Integers,
    primes: &[Prime],
    ask: Ask,
    size: usize,
) -> Result<Vec<Modular>> {
    let (rows, width) = (a.rows(), a.cols());
    let cols = if ask == Ask::Solution { rows } else { width };
    let (words, integers) = twos_complement(a.entries());
    device.check_turns("an elimination modulo primes", panel::turns(rows).max(words))?;
    let integers = Buffer::from_slice(device, &integers)?;
    let mut found = Vec::with_capacity(primes.len());
    // Matrices of hundreds of megabytes are not made anew for each batch; the last may leave some unused.
    let mut batch = Batch::new(device, rows, width, size.min(primes.len()))?;
    for primes in primes.chunks(size) {
        batch.begin(primes)?;
        residues::launch(gpu, &batch, &integers, words)?;
        for first in (0..cols).step_by(BLOCK_COLS) {
            let in_panel = BLOCK_COLS.min(cols - first);
            let right = first + in_panel;
            panel::launch(gpu, &batch, first, in_panel)?;
            if right < width {
                rows::launch(gpu, &batch, right)?;
                // Where every column must have a pivot, rows above are done; what becomes of other matrices is not asked.
                let top = if ask == Ask::Rank { 0 } else { right };
                update::launch(gpu, &batch, right, top)?;
            }
        }
        let mut solutions = Vec::new();
        let sides = width - cols;
        if ask == Ask::Solution && sides > 0 {
            let x = Buffer::zeros(device, primes.len() * rows * sides)?;
            back::launch(gpu, device.adapter().kind, &batch, sides, &x)?;
            solutions = x.to_host().await?;
        }
        let state = batch.state.to_host().await?;
        for (k, (prime, state)) in primes.iter().zip(state.chunks_exact(STATE_ROW)).enumerate() {
            let dependent = (state[DEPENDENT] != NONE).then_some(state[DEPENDENT] as usize);
            let solved = ask == Ask::Solution && dependent.is_none() && sides > 0;
            let own = k * rows * sides..(k + 1) * rows * sides;
            found.push(Modular {
                prime: *prime,
                rank: state[PIVOTS] as usize,
                determinant: state[DETERMINANT],
                dependent,
                solution: if solved { solutions[own].to_vec() } else { Vec::new() },
            });
        }
    }
    Ok(found)
}

impl Batch {
    fn new(device: &Device, rows: usize, width: usize, primes: usize) -> Result<Self> {
        Ok(Self {
            rows,
            width,
            primes,
            table: Buffer::zeros(device, primes * TABLE_ROW)?,
            a: Buffer::zeros(device, primes * rows * width)?,
            lower: Buffer::zeros(device, primes * rows * BLOCK_COLS)?,
            inverses: Buffer::zeros(device, primes * BLOCK_COLS * BLOCK_COLS)?,
            state: Buffer::zeros(device, primes * STATE_ROW)?,
        })
    }

    /// Takes these primes, no more than it was made for. What it holds is written anew by the kernels.
    fn begin(&mut self, primes: &[Prime]) -> Result<()> {
        let mut table = Vec::with_capacity(primes.len() * TABLE_ROW);
        let mut state = vec![0; primes.len() * STATE_ROW];
        for (prime, state) in primes.iter().zip(state.chunks_exact_mut(STATE_ROW)) {
            table.extend(prime.constants());
            table.resize(table.len().next_multiple_of(TABLE_ROW), 0);
            state[DETERMINANT] = prime.one();
            state[DEPENDENT] = NONE;
        }
        self.primes = primes.len();
        self.table.write(0, &table)?;
        self.state.write(0, &state)
    }
}

/// How many primes' matrices the device's bindings hold.
fn most_primes(device: &Device, rows: usize, width: usize) -> Result<usize> {
    let limits = ["maxStorageBufferBindingSize", "maxBufferSize"];
    let allowed = limits.iter().filter_map(|name| device.adapter().limit(name));
    // Kernels count elements in 32 bits.
    let limit = allowed.min().unwrap_or(BATCH_BYTES).min(u64::from(u32::MAX));
    let bytes = 4 * rows as u64 * width.max(BLOCK_COLS) as u64;
    if bytes > limit {
        return Err(Error::TooLarge {
            what: format!("{rows} x {width} residues modulo one prime"),
            bytes,
            limit,
            limit_name: "maxStorageBufferBindingSize",
            device: device.name().to_owned(),
        });
    }
    let most = limit.min(BATCH_BYTES.max(bytes)) / bytes;
    Ok(usize::try_from(most).unwrap_or(usize::MAX))
}

/// The words of an entry, and the entries in two's complement, highest words first, each word of all entries together.
fn twos_complement(entries: &[BigInt]) -> (usize, Vec<u32>) {
    let bits = entries.iter().map(BigInt::bits).max().unwrap_or(0);
    let words = usize::try_from(bits / 32 + 1).unwrap_or(usize::MAX);
    if words == 1 {
        let short = |entry: &BigInt| entry.to_i32().unwrap_or_else(|| unreachable!("31 bits and a sign"));
        return (
            words,
            entries.iter().map(|entry| short(entry).cast_unsigned()).collect(),
        );
    }
    let mut integers = vec![0; words * entries.len()];
    for (i, entry) in entries.iter().enumerate() {
        let sign = if entry.is_negative() { 0xff } else { 0 };
        let bytes = entry.to_signed_bytes_le();
        for word in 0..words {
            let byte = |at: usize| bytes.get(4 * word + at).copied().unwrap_or(sign);
            integers[(words - 1 - word) * entries.len() + i] = u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]);
        }
    }
    (words, integers)
}

/// Every kernel of this module, for the test that composes them all.
pub(in crate::residue) fn kernels() -> Vec<&'static Kernel> {
    vec![
        &residues::RESIDUES,
        &panel::PANEL,
        &rows::ROWS,
        &update::UPDATE,
        &back::BACK,
    ]
}

#[cfg(test)]
mod tests {
    use pollster::FutureExt as _;

    use super::super::elimination::eliminate_each;
    use super::*;
    use crate::device::{AdapterKind, Ground, Select};
    use crate::residue::basis::further_primes;

    /// So many rows that a driver on the CPU would leave the loop over them before its end, if one dispatch did them all.
    #[test]
    fn many_rows_are_substituted_to_the_first() {
        let device = Device::open(Select::Auto).block_on().expect("a device");
        let Ground::Gpu(gpu) = device.ground() else {
            return;
        };
        let (n, prime) = (2400, further_primes(&[], 1).expect("a prime")[0]);
        let mut batch = Batch::new(&device, n, n + 1, 1).expect("it fits");
        batch.begin(&[prime]).expect("it is written");
        // Two diagonals of ones, and the right-hand side.
        let mut a = vec![0; n * (n + 1)];
        let mut expected = vec![0; n];
        for row in (0..n).rev() {
            let own = &mut a[row * (n + 1)..][..=n];
            own[n] = prime.enter(u32::try_from(row).expect("it is small") + 1);
            expected[row] = own[n];
            if let [_, below, ..] = expected[row..] {
                own[row + 1] = prime.one();
                expected[row] = prime.sub(expected[row], below);
            }
            own[row] = prime.one();
        }
        batch.a.write(0, &a).expect("it is written");
        for kind in [AdapterKind::Software, device.adapter().kind] {
            let x = Buffer::zeros(&device, n).expect("it fits");
            back::launch(gpu, kind, &batch, 1, &x).expect("it is recorded");
            assert_eq!(x.to_host().block_on().expect("it is read"), expected, "{kind}");
        }
    }

    #[test]
    fn batches_of_any_size_are_those_of_the_host() {
        let device = Device::open(Select::Auto).block_on().expect("a device");
        let Ground::Gpu(gpu) = device.ground() else {
            // Nothing of this module runs on the host.
            return;
        };
        let primes = further_primes(&[], 7).expect("primes");
        let entries = (0..35_i64 * 37).map(|at| BigInt::from((at * at * 7919 + at * 31) % 199 - 99));
        let a = Integers::new(35, 37, entries.collect()).expect("as many entries");
        for ask in [Ask::Rank, Ask::Solution] {
            let expected = eliminate_each(&Device::host(), &a, &primes, ask)
                .block_on()
                .expect("on the host");
            for size in [1, 3, 7, 8] {
                let found = in_batches(&device, gpu, &a, &primes, ask, size)
                    .block_on()
                    .expect("on the GPU");
                for (found, expected) in found.iter().zip(&expected) {
                    assert_eq!((found.prime, found.rank), (expected.prime, expected.rank), "{size}");
                    // A matrix that is not square has no determinant.
                    if ask == Ask::Solution {
                        assert_eq!(found, expected, "{size}");
                    }
                }
                assert_eq!(found.len(), primes.len());
            }
        }
    }
}
