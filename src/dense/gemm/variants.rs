//! What can be chosen for GEMM.

use super::default::{UPDATE, default, is_update};
use super::families::FAMILIES;
use super::kernels::TILES;
use super::plan::{Operands, Plan, launch, share_out, tiles, tiling};
use crate::dense::Matrix;
use crate::dense::matrix::{MatrixView, MatrixViewMut};
use crate::device::precision::{Precision, Width};
use crate::device::{Device, Ground};
use crate::error::Result;
use crate::scalar::{Dd, Df64, Scalar, ScalarKind};
use crate::tuning::{Bounds, Extents, Line, Regime, Shape, Trial, Tunable};

/// The tuned variant for these operands, or the default.
pub(super) fn plan<T: Scalar>(a: &MatrixView<'_, T>, b: &MatrixView<'_, T>, c: &MatrixViewMut<'_, T>) -> Plan {
    let operands = Operands::of(a, b, c);
    let wide = Precision::of::<T>(if operands.packable { Width::Pack } else { Width::Single });
    let variant = a.device().tuning().choose(&GEMM, wide, operands.shape);
    share_out(&variant, wide, operands, a.device().adapter().stores_parts_of_vectors())
}

/// `C ← αAB + βC`.
pub(crate) static GEMM: Tunable = Tunable {
    name: "gemm",
    families: &FAMILIES,
    on_cpu: &[],
    regimes: &[
        regime("up to 384", [(64, 384); 3], &[line(cube, &[128, 256, 360])]),
        // From end to end, so that the sweep lies between them: beyond it, nothing holds a choice against the default.
        regime("384..768", [(384, 768); 3], &[line(cube, &[384, 512, 736])]),
        regime("768..1536", [(768, 1536); 3], &[line(cube, &[768, 1024, 1472])]),
        regime("1536..3072", [(1536, 3072); 3], &[line(cube, &[1536, 2048, 2944])]),
        regime("from 3072", [(3072, usize::MAX); 3], &[line(cube, &[3072, 4096, 5120])]),
        regime(
            "updates up to 3072",
            [(512, 3072), (512, 3072), (16, UPDATE)],
            &[line(|n| Shape::new(n, n, 128), &[1024, 2048])],
        ),
        regime(
            "updates from 3072",
            [(3072, usize::MAX), (3072, usize::MAX), (16, UPDATE)],
            &[line(|n| Shape::new(n, n, 128), &[4096, 6144])],
        ),
        regime(
            "deep",
            [(1, 512), (1, 512), (2048, usize::MAX)],
            &[line(|n| Shape::new(128, 128, n), &[4096, 16_384])],
        ),
    ],
    default,
    extents: |variant, precision, shape| {
        let value = |name: &str| variant.value(name) as usize;
        if !std::ptr::eq(variant.kernel, &TILES) {
            let tiles = shape.rows.div_ceil(value("ROWS")) * shape.cols.div_ceil(value("WORKGROUP") * value("COLS"));
            return Extents {
                quantised: tiles as u64,
                streaming: shape.depth as u64,
            };
        }
        // As many tiles as would have been computed whole in the same time.
        let (down, across) = tiles(variant, shape);
        let quantised = tiling(variant, precision, shape.depth).as_whole(down * across);
        Extents {
            quantised,
            streaming: shape.depth as u64,
        }
    },
    work: |precision, shape| {
        let scalars = (shape.rows + shape.cols) * shape.depth + shape.rows * shape.cols;
        let operations = (shape.rows * shape.cols) as u64 * shape.depth as u64;
        (scalars as u64 * precision.element.size() as u64, operations)
    },
    trial: |device, precision, shape| match precision.scalar {
        ScalarKind::F32 => trial::<f32>(device, precision, shape),
        ScalarKind::Df64 => trial::<Df64>(device, precision, shape),
        ScalarKind::F64 => trial::<f64>(device, precision, shape),
        ScalarKind::Dd => trial::<Dd>(device, precision, shape),
    },
};

const fn cube(n: usize) -> Shape {
    Shape::new(n, n, n)
}

const fn line(shape: fn(usize) -> Shape, sizes: &'static [usize]) -> Line<'static> {
    Line { shape, sizes }
}

const fn regime(
    name: &'static str,
    [rows, cols, depth]: [(usize, usize); 3],
    lines: &'static [Line<'static>],
) -> Regime<'static> {
    Regime {
        name,
        contains: Bounds { rows, cols, depth },
        lines,
    }
}

/// Operands of a shape, filled with one value that is not zero (hardware is faster at zeros), and a call over them.
fn trial<T: Scalar>(device: &Device, precision: Precision, shape: Shape) -> Result<Trial> {
    let a = Matrix::<T>::filled(device, shape.rows, shape.depth, T::from_f64(0.75))?;
    let b = Matrix::<T>::filled(device, shape.depth, shape.cols, T::from_f64(1.25))?;
    let mut c = Matrix::<T>::zeros(device, shape.rows, shape.cols)?;
    let beta = if is_update(shape) { T::one() } else { T::zero() };
    let operands = Operands {
        shape,
        a: (true, shape.depth),
        b: (false, shape.cols),
        packable: precision.width == Width::Pack,
    };
    Ok(Box::new(move |variant| match a.device().ground() {
        Ground::Host => Ok(()),
        Ground::Gpu(gpu) => {
            let stores_parts = a.device().adapter().stores_parts_of_vectors();
            let plan = share_out(variant, precision, operands, stores_parts);
            launch(gpu, &plan, (T::one(), beta), &a.view(), &b.view(), &c.view_mut())
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::gemm::families::{BY_SUBGROUPS, TILED, WITHOUT_WORKGROUP_MEMORY};
    use crate::device::{Adapter, AdapterKind};
    use crate::{Blocking as _, Select};

    /// Full subgroups share rows of A; in a workgroup of another size nobody does. In packs, and element by element.
    #[test]
    fn what_needs_no_workgroup_memory_gives_the_same_bits() -> Result<()> {
        let software = |adapter: &Adapter| adapter.kind == AdapterKind::Software;
        for device in devices(software)? {
            let Some((lanes, _)) = device.adapter().subgroups() else {
                continue;
            };
            let variants = [lanes, 2 * lanes, lanes / 2].map(|workgroup| (BY_SUBGROUPS, vec![workgroup, 8, 4]));
            let expected = (WITHOUT_WORKGROUP_MEMORY, vec![8, 4, 4]);
            for shape in [[33, 65, 31], [5, 3, 9], [36, 68, 24]] {
                same_bits::<f32>(&device, shape, fraction, &expected, &variants)?;
                same_bits::<Df64>(&device, shape, fraction, &expected, &variants)?;
            }
        }
        Ok(())
    }

    /// Sums of small integers are exact in any order. 12 and 13 tiles, of which 8 are computed whole and the others in parts;
    /// 6 and 1, all of them in parts; and too little depth for parts.
    #[test]
    fn tiles_in_parts_give_the_whole_product() -> Result<()> {
        let tile = |multiprocessors: u32| (TILED, vec![32, 32, 8, 4, 4, 0, multiprocessors]);
        for device in devices(|_| true)? {
            for shape in [[97, 65, 260], [96, 64, 301], [5, 3, 600], [32, 416, 520], [97, 65, 60]] {
                let others = [8, 16, 64].map(tile);
                same_bits::<f32>(&device, shape, integer, &tile(0), &others)?;
                same_bits::<Df64>(&device, shape, integer, &tile(0), &others)?;
            }
        }
        Ok(())
    }

    /// Single words, whose runs are vectors: panels that are turned and that are not, packs shorter than runs and as long, depths
    /// that end within a panel.
    #[test]
    fn panels_of_scalars_give_the_bits_of_panels_of_runs() -> Result<()> {
        for device in devices(|_| true)? {
            for shape in [[65, 33, 29], [64, 36, 28]] {
                for transposed in [[false, false], [false, true], [true, false], [true, true]] {
                    in_both_forms::<f32>(&device, shape, transposed)?;
                    in_both_forms::<f64>(&device, shape, transposed)?;
                }
            }
        }
        Ok(())
    }

    /// 384 packs of A for 256 invocations; tiles that are whole and that are not, depths that end within a panel, A and B turned.
    #[test]
    fn packs_that_do_not_divide_are_all_read() -> Result<()> {
        let (long, plain) = ([96, 256, 16, 12, 8, 1, 0], [32, 32, 8, 4, 4, 0, 0]);
        let in_parts = [96, 256, 16, 12, 8, 1, 8];
        for device in devices(|_| true)? {
            let precision = Precision::of::<f32>(Width::Pack);
            if !GEMM.admits(&GEMM.families[TILED].variant(&long), device.adapter(), precision) {
                println!("not tested: a tile of 96 x 256 on {}", device.name());
                continue;
            }
            let stores_parts = device.adapter().stores_parts_of_vectors();
            for shape in [[96, 256, 32], [101, 300, 37], [100, 300, 600]] {
                for transposed in [[false, false], [true, true]] {
                    let problem = Problem::<f32>::new(&device, shape, transposed, integer)?;
                    let product = |values: [u32; 7]| problem.product(&(TILED, values.to_vec()), stores_parts);
                    let expected = product(plain)?;
                    let case = format!("{shape:?}, transposed {transposed:?}, on {}", device.name());
                    assert!(product(long)? == expected, "{case}");
                    assert!(product(in_parts)? == expected, "in parts, {case}");
                }
            }
        }
        Ok(())
    }

    fn in_both_forms<T: Scalar>(device: &Device, shape: [usize; 3], transposed: [bool; 2]) -> Result<()> {
        if let Err(error) = device.supports::<T>() {
            println!("not tested: {error}");
            return Ok(());
        }
        let problem = Problem::<T>::new(device, shape, transposed, fraction)?;
        let tile = (TILED, vec![32, 32, 8, 4, 4, 0, 0]);
        assert!(
            problem.product(&tile, true)? == problem.product(&tile, false)?,
            "{} of {shape:?}, transposed {transposed:?}, on {}",
            T::NAME,
            device.name()
        );
        Ok(())
    }

    fn devices(admits: fn(&Adapter) -> bool) -> Result<Vec<Device>> {
        let adapters = Device::list().block_on().into_iter().filter(admits);
        let found = adapters.filter_map(|adapter| adapter.index);
        found
            .map(|index| Device::open(Select::Index(index)).block_on())
            .collect()
    }

    fn fraction(at: usize) -> f64 {
        ((at * 7919) % 1009) as f64 / 1024.0
    }

    fn integer(at: usize) -> f64 {
        ((at * 7919) % 17) as f64 - 8.0
    }

    fn same_bits<T: Scalar>(
        device: &Device,
        shape: [usize; 3],
        value: fn(usize) -> f64,
        expected: &(usize, Vec<u32>),
        others: &[(usize, Vec<u32>)],
    ) -> Result<()> {
        let problem = Problem::<T>::new(device, shape, [false, false], value)?;
        let stores_parts = device.adapter().stores_parts_of_vectors();
        let whole = problem.product(expected, stores_parts)?;
        for other in others {
            let found = problem.product(other, stores_parts)?;
            assert!(
                found == whole,
                "{} of {shape:?} by {other:?} on {}",
                T::NAME,
                device.name()
            );
        }
        Ok(())
    }

    /// Operands of C <- 3 A B - 0.75 C.
    struct Problem<T> {
        a: Matrix<T>,
        b: Matrix<T>,
        c: Vec<T>,
        transposed: [bool; 2],
    }

    impl<T: Scalar> Problem<T> {
        fn new(device: &Device, [m, n, k]: [usize; 3], transposed: [bool; 2], value: fn(usize) -> f64) -> Result<Self> {
            let values = |rows: usize, cols: usize| -> Vec<T> {
                let numbers = cols..cols + rows * cols;
                numbers.map(|number| T::from_f64(value(number))).collect()
            };
            let filled = |rows: usize, cols: usize, transposed: bool| {
                let (rows, cols) = if transposed { (cols, rows) } else { (rows, cols) };
                Matrix::from_rows(device, rows, cols, &values(rows, cols))
            };
            Ok(Self {
                a: filled(m, k, transposed[0])?,
                b: filled(k, n, transposed[1])?,
                c: values(m, n),
                transposed,
            })
        }

        fn product(&self, (family, values): &(usize, Vec<u32>), stores_parts: bool) -> Result<Vec<u8>> {
            let Ground::Gpu(gpu) = self.a.device().ground() else {
                return Ok(Vec::new());
            };
            let (mut a, mut b) = (self.a.view(), self.b.view());
            if self.transposed[0] {
                a = a.t();
            }
            if self.transposed[1] {
                b = b.t();
            }
            let (rows, cols) = (a.rows, b.cols);
            let mut c = Matrix::from_rows(self.a.device(), rows, cols, &self.c)?;
            let operands = Operands::of(&a, &b, &c.view_mut());
            let wide = Precision::of::<T>(if operands.packable { Width::Pack } else { Width::Single });
            let plan = share_out(&GEMM.families[*family].variant(values), wide, operands, stores_parts);
            let factors = (T::from_f64(3.0), T::from_f64(-0.75));
            launch(gpu, &plan, factors, &a, &b, &c.view_mut())?;
            Ok(bytemuck::cast_slice(&c.to_host().block_on()?).to_vec())
        }
    }
}
