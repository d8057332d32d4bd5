//! The steps of a block whose panels are held in registers. They come in stages, each of the rows that are left when it begins: panels
//! become shorter, and wider, without a row being moved, and without a dispatch in which there is no panel.

use super::shape::Shape;
use super::state::{BLOCK, Block};
use super::step::Step;
use crate::device::Device;
use crate::scalar::Scalar;

/// Columns of a stage, about: as one begins, rows are looked up by the numbers that they had, and until it ends, finished rows
/// are carried along (BENCHMARKS.md).
const STAGE: usize = BLOCK.default as usize;

/// The steps of a block in which `rows` rows are left, one for each panel or for all, and one for what the last panel asks, if that is
/// more than to be taken to A in one stage, which the exchange does; and the columns that are in them, which are fewer than the
/// block's where one shape cannot follow the other.
pub(super) fn steps<T: Scalar>(device: &Device, rows: usize, block: Block) -> (Vec<Step>, usize) {
    let mut steps: Vec<Step> = Vec::new();
    let mut column = 0;
    let mut stage = 0;
    while column < block.steps {
        let before = steps.last().map(|step| step.shape);
        let Some(shape) = shape_behind::<T>(device, before, rows - column, block.limit) else {
            break;
        };
        let width = shape.width as usize;
        // Whole panels, more rather than fewer; but what no stage follows is no more than rows are exchanged at once.
        let (fewer, more) = (column + STAGE / width * width, column + STAGE.next_multiple_of(width));
        let end = match block.steps - column {
            left if left <= STAGE => block.steps,
            _ if more < block.steps && shape_behind::<T>(device, Some(shape), rows - more, block.limit).is_some() => {
                more
            }
            _ => fewer,
        };
        for at in (column..end).step_by(shape.columns()) {
            let width = shape.columns().min(end - at);
            let before = steps.last_mut().map_or(0, |before| {
                before.next = width;
                before.width
            });
            steps.push(Step {
                shape,
                number: steps.len(),
                column: at,
                width,
                before,
                next: 0,
                height: rows - column,
                stage,
                renumbered: at == column && stage > 0,
                closes: at + width == end,
            });
        }
        column = end;
        stage += 1;
    }
    let asks = stage > 1 || column < block.limit;
    if let Some(last) = steps.last().copied().filter(|_| asks) {
        steps.push(Step {
            number: steps.len(),
            column,
            width: 0,
            before: last.width,
            renumbered: false,
            closes: false,
            ..last
        });
    }
    (steps, column)
}

/// The shape of panels of so many rows, if they can follow those before.
fn shape_behind<T: Scalar>(device: &Device, before: Option<Shape>, rows: usize, limit: usize) -> Option<Shape> {
    Shape::of::<T>(device, rows, limit).filter(|shape| before.is_none_or(|before| shape.follows(before)))
}

#[cfg(test)]
mod tests {
    use super::super::shape::Shape;
    use super::super::state::{BLOCK, Block};
    use super::{STAGE, steps};
    use crate::scalar::Scalar;
    use crate::{Device, Df64};

    fn all_follow_one_another<T: Scalar>() {
        // Its limits are those that any device has.
        let device = Device::host();
        let tallest = (1..).find(|rows| Shape::of::<T>(&device, *rows, usize::MAX).is_none());
        let tallest = tallest.expect("there is none for all") - 1;
        for rows in [1, 16, 127, 128, 129, 500, tallest - 1, tallest] {
            for wanted in [1, 16, 127, 128, 129, 256, 500, rows].map(|columns| columns.min(rows)) {
                let case = format!("{wanted} columns of {rows} rows in {}", T::NAME);
                let block = Block {
                    first: 3,
                    steps: wanted,
                    limit: wanted,
                };
                let (steps, columns) = steps::<T>(&device, rows, block);
                let panels = steps.iter().filter(|step| step.width > 0);
                let panels = panels.copied().collect::<Vec<_>>();
                let last = steps.last().expect("a step at least");
                if last.stage == 0 && columns == wanted {
                    assert_eq!(steps.len(), panels.len(), "{case}: nothing is asked");
                } else {
                    assert_eq!(
                        (last.width, last.column, last.number),
                        (0, columns, panels.len()),
                        "{case}"
                    );
                }
                assert_eq!(panels.iter().map(|panel| panel.width).sum::<usize>(), columns, "{case}");
                let mut begin = 0;
                for pair in steps.windows(2) {
                    let (panel, next) = (pair[0], pair[1]);
                    assert_eq!(next.column, panel.column + panel.width, "{case}");
                    assert_eq!((next.before, panel.next), (panel.width, next.width), "{case}");
                    assert!(panel.width <= panel.shape.columns(), "{case}");
                    assert!(
                        panel.shape.members(panel.height) <= panel.shape.crew.max(1) as usize,
                        "{case}"
                    );
                    assert_eq!(
                        panel.height,
                        rows - begin,
                        "{case}: the rows that are left when a stage begins"
                    );
                    let ends = next.width == 0 || next.stage > panel.stage;
                    assert_eq!(panel.closes, ends, "{case}");
                    assert_eq!(next.renumbered, next.stage > panel.stage, "{case}");
                    if next.renumbered {
                        begin = next.column;
                        let width = panel.shape.width as usize;
                        assert!(next.shape.follows(panel.shape) && begin + width > STAGE, "{case}");
                        // It reads as many columns as it has itself, in whole chunks.
                        assert!(next.before <= next.shape.width as usize, "{case}");
                        assert!(next.before.is_multiple_of(next.shape.chunk() as usize), "{case}");
                    }
                }
                if last.stage == 0 {
                    assert!(columns <= BLOCK.default as usize, "{case}: what is exchanged at once");
                }
                if columns < wanted {
                    let next = Shape::of::<T>(&device, rows - columns, usize::MAX).expect("fewer rows");
                    assert!(!next.follows(last.shape), "{case}: no reason to end at {columns}");
                }
            }
        }
    }

    #[test]
    fn stages_follow_one_another() {
        all_follow_one_another::<f32>();
        all_follow_one_another::<f64>();
        all_follow_one_another::<Df64>();
    }
}
