//! Boxes side by side in one box.

use super::Place;

/// Puts boxes of some extents into one: the largest at the origin, the others in shelves behind it. Returns the shape of
/// the whole and the corner of each.
pub(super) fn pack(extents: &[Place]) -> (Place, Vec<Place>) {
    let volume = |box_: &Place| box_.iter().map(|&count| count as u64).product::<u64>();
    let Some(first) = (0..extents.len()).max_by_key(|&number| volume(&extents[number])) else {
        return ([1; 3], Vec::new());
    };
    let mut corners = vec![[0; 3]; extents.len()];
    // Shelves are no narrower than the widest box.
    let widest = |axis: usize| extents.iter().map(|box_| box_[axis]).max().unwrap_or(1);
    let (width, depth) = (widest(0), widest(1));
    let is_flat = widest(2) == 1;
    let mut others: Vec<usize> = (0..extents.len()).filter(|&number| number != first).collect();
    others
        .sort_by_key(|&number| (std::cmp::Reverse(extents[number][2]), std::cmp::Reverse(extents[number][1]), number));
    // In the plane shelves follow along y, in space along z.
    let mut at = if is_flat { [0, extents[first][1], 0] } else { [0, 0, extents[first][2]] };
    let (mut line, mut layer) = (0, 0);
    for number in others {
        let extent = extents[number];
        if at[0] + extent[0] > width {
            at = [0, at[1] + line, at[2]];
            line = 0;
        }
        if !is_flat && at[1] + extent[1] > depth {
            at = [0, 0, at[2] + layer];
            (line, layer) = (0, 0);
        }
        corners[number] = at;
        at[0] += extent[0];
        line = line.max(extent[1]);
        layer = layer.max(extent[2]);
    }
    let end = |axis: usize| (0..extents.len()).map(|number| corners[number][axis] + extents[number][axis]).max();
    ([0, 1, 2].map(|axis| end(axis).unwrap_or(1)), corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_do_not_overlap() {
        for flat in [true, false] {
            let extents: Vec<Place> = (0..60u32)
                .map(|number| [1 + number * 7 % 5, 1 + number * 3 % 4, if flat { 1 } else { 1 + number % 3 }])
                .chain([[9, 8, if flat { 1 } else { 7 }]])
                .collect();
            let (shape, corners) = pack(&extents);
            let mut cells = std::collections::HashSet::new();
            for (extent, corner) in extents.iter().zip(&corners) {
                for cell in 0..extent.iter().product() {
                    let local = [cell % extent[0], cell / extent[0] % extent[1], cell / extent[0] / extent[1]];
                    let cell = [0, 1, 2].map(|axis| corner[axis] + local[axis]);
                    assert!((0..3).all(|axis| cell[axis] < shape[axis]) && cells.insert(cell), "{cell:?}");
                }
            }
            assert_eq!(flat, shape[2] == 1);
        }
    }
}
