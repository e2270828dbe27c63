//! Pockets: small groups of cells that bodies and sides shut in.

use super::RigidFace;
use crate::discrete::Discrete;
use crate::immersed::HeldFaces;
use crate::tensor::{index_of, place_of};

/// Largest number of cells of a pocket. A larger group counts as a part of the open liquid.
const LARGEST_POCKET: usize = 24;

/// Small groups of cells around which all faces are held by bodies or given by sides.
pub(super) fn pockets<const D: usize>(
    discrete: &Discrete<D>,
    held_faces: &HeldFaces<D>,
    faces: &[Vec<RigidFace>],
) -> Vec<Vec<usize>> {
    let cells = discrete.grid.cells();
    let mut is_known = vec![false; cells.iter().product()];
    let mut pockets = Vec::new();
    let mut group = Vec::new();
    for start in faces.iter().flatten().flat_map(|face| face.cells).flatten() {
        if is_known[start] {
            continue;
        }
        group.clear();
        group.push(start);
        is_known[start] = true;
        // Flood from cell to cell through open faces. The group is no pocket if it grows too large or meets a cell that
        // is known to lead out.
        let (mut next, mut is_shut) = (0, true);
        while next < group.len() && is_shut {
            let neighbours = open_neighbours(discrete, held_faces, cells, group[next]);
            for neighbour in neighbours.into_iter().flatten().flatten() {
                let leads_out = neighbour == OUTSIDE || (is_known[neighbour] && !group.contains(&neighbour));
                is_shut &= !leads_out;
                if !leads_out && !is_known[neighbour] {
                    is_known[neighbour] = true;
                    group.push(neighbour);
                }
            }
            is_shut &= group.len() <= LARGEST_POCKET;
            next += 1;
        }
        if is_shut {
            pockets.push(group.clone());
        }
    }
    pockets
}

/// The neighbour beyond an outflow.
const OUTSIDE: usize = usize::MAX;

/// The cells beyond the open faces of a cell.
fn open_neighbours<const D: usize>(
    discrete: &Discrete<D>,
    held_faces: &HeldFaces<D>,
    cells: [usize; D],
    cell: usize,
) -> [[Option<usize>; 2]; D] {
    let place = place_of(cells, cell);
    std::array::from_fn(|axis| {
        [0, 1].map(|end| {
            let mut face = place;
            face[axis] += end;
            let operator = &discrete.velocity[axis][axis];
            // The last node of a periodic axis is a copy of the first, which has the equation.
            if operator.is_periodic && face[axis] == cells[axis] {
                face[axis] = 0;
            }
            let is_open =
                operator.is_free[face[axis]] && held_faces.is_open(axis, index_of(discrete.grid.faces(axis), face));
            let beside = discrete.cells_beside(axis, face[axis])[end];
            is_open.then(|| {
                beside.map_or(OUTSIDE, |beside| {
                    let mut other = place;
                    other[axis] = beside;
                    index_of(cells, other)
                })
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::Projection;
    use crate::immersed::{FlowBody, HeldFaces, Surface};
    use crate::testing::even_square;
    use unstick_grid::SignedDistance;

    #[test]
    fn cells_in_a_hole_of_a_body_are_a_pocket_and_open_liquid_is_none() {
        let discrete = even_square(10);
        let frame = SignedDistance::cuboid([0.21, 0.21], [0.79, 0.79]);
        let hole = SignedDistance::cuboid([0.41, 0.41], [0.59, 0.59]);
        let mut held = HeldFaces::new(&discrete);
        held.update(
            &discrete,
            &[FlowBody::prescribed(frame.and(hole.complement()), [0.5; 2], 0.45, 0.3)],
            Surface::CutLinks,
        );
        let mut pockets = Projection::new(&discrete, &held, &[None]).pockets;
        pockets.iter_mut().for_each(|pocket| pocket.sort_unstable());
        let of_hole: Vec<_> = pockets.iter().filter(|pocket| pocket.len() > 1).collect();
        assert_eq!(of_hole, [&vec![44, 45, 54, 55]]);
        assert!(pockets.iter().flatten().all(|&cell| (2..8).contains(&(cell % 10)) && (2..8).contains(&(cell / 10))));
    }
}
