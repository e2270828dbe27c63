//! Rows in chunks that threads share.

use unstick_parallel::{Lanes, join};

/// Rows of each chunk but the last. Couplings between chunks are relaxed less well, so chunks are not small. They are not
/// large either: [`Columns`](super::columns::Columns) have two bytes for the rows of a chunk and those around it.
pub(super) const LENGTH: usize = 8192;

/// Where each chunk of a level begins, and the end.
pub(super) fn borders(rows: usize) -> Vec<u32> {
    (0..=rows.div_ceil(LENGTH)).map(|chunk| (chunk * LENGTH).min(rows) as u32).collect()
}

/// Calls `kernel` with the number of every chunk and its part of the lanes.
pub(super) fn for_each<L: Lanes>(borders: &[u32], lanes: L, kernel: &(impl Fn(usize, L) + Sync)) {
    for_each_pair(borders, borders, lanes, 0..borders.last().map_or(0, |&end| end as usize), &|chunk, lanes, _| {
        kernel(chunk, lanes);
    });
}

/// The same for lanes of rows and lanes of the coarse rows, cut by their own borders.
pub(super) fn for_each_pair<L: Lanes, M: Lanes>(
    borders: &[u32],
    coarse_borders: &[u32],
    lanes: L,
    coarse: M,
    kernel: &(impl Fn(usize, L, M) + Sync),
) {
    visit(0, borders, coarse_borders, lanes, coarse, kernel);
}

fn visit<L: Lanes, M: Lanes>(
    first: usize,
    borders: &[u32],
    coarse_borders: &[u32],
    lanes: L,
    coarse: M,
    kernel: &(impl Fn(usize, L, M) + Sync),
) {
    match borders.len() - 1 {
        0 => (),
        1 => kernel(first, lanes, coarse),
        count => {
            let middle = count / 2;
            let (left, right) = lanes.cut((borders[middle] - borders[0]) as usize);
            let (coarse_left, coarse_right) = coarse.cut((coarse_borders[middle] - coarse_borders[0]) as usize);
            join(
                || visit(first, &borders[..=middle], &coarse_borders[..=middle], left, coarse_left, kernel),
                || visit(first + middle, &borders[middle..], &coarse_borders[middle..], right, coarse_right, kernel),
            );
        }
    }
}

/// The sums of what `kernel` gives for every chunk and its part of the lanes.
pub(super) fn sum<L: Lanes, const N: usize>(
    borders: &[u32],
    lanes: L,
    kernel: &(impl Fn(usize, L) -> [f64; N] + Sync),
) -> [f64; N] {
    let mut sums = vec![[0.0; N]; borders.len() - 1];
    let numbers: Vec<u32> = (0..borders.len() as u32).collect();
    for_each_pair(borders, &numbers, lanes, sums.as_mut_slice(), &|chunk, lanes, sum| sum[0] = kernel(chunk, lanes));
    sums.iter().fold([0.0; N], |total, sum| std::array::from_fn(|number| total[number] + sum[number]))
}

/// What `kernel` gives for every chunk, in their order.
pub(super) fn map<S: Send>(borders: &[u32], kernel: &(impl Fn(std::ops::Range<usize>) -> S + Sync)) -> Vec<S> {
    let mut results: Vec<Option<S>> = borders[1..].iter().map(|_| None).collect();
    unstick_parallel::for_each_chunk(&mut results, 1, |chunk, result| {
        result[0] = Some(kernel(borders[chunk] as usize..borders[chunk + 1] as usize));
    });
    results.into_iter().flatten().collect()
}
