//! OpenVDB files (`.vdb`), format 224: sparse volumes for Houdini, Blender and others.
//!
//! Voxel (i, j, k) is cell (i, j, k) of the lattice. The index of a voxel is the position of its centre, so the
//! transform scales by the spacing and shifts by half a cell from the origin. Buffers are compressed by zlib and hold
//! only active voxels, which every reader of the format supports.

mod band;
mod file;
mod tree;
mod value;

use unstick_grid::{CellField, FaceField, Grid};

pub use band::narrow_band;
pub use value::Precision;

use band::Band;
use file::{GridClass, Metadata, encode_grid};
use tree::{Tree, Voxel};

/// Half of the width of the stored band, in voxels. Beyond it the distance is ± the background value.
pub const BAND: usize = 3;

/// The grids that a file can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grids {
    /// `surface`: distance to the liquid, a level set.
    Surface,
    /// `velocity`: on the lower faces of every voxel, as in the simulation (class "staggered").
    Velocity,
    /// `pressure`: in pascals, in liquid voxels.
    Pressure,
}

impl Grids {
    /// All grids and their names.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("surface", Self::Surface), ("velocity", Self::Velocity), ("pressure", Self::Pressure)];
}

/// A liquid at one time.
#[derive(Clone, Copy, Debug)]
pub struct Liquid<'a> {
    /// Number of the frame.
    pub frame: usize,
    /// Seconds.
    pub time: f64,
    /// The lattice.
    pub grid: Grid<3>,
    /// Signed distance to the liquid at cell centres, negative inside. It must be exact only near the surface.
    pub distance: &'a CellField<f64, 3>,
    /// Velocity across the faces.
    pub velocity: &'a FaceField<f64, 3>,
    /// Pressure in the cells.
    pub pressure: &'a CellField<f64, 3>,
}

/// A file of a liquid with the requested grids.
///
/// ```
/// use unstick_files::vdb::{self, Grids, Liquid, Precision};
/// use unstick_grid::{CellField, Grid, SignedDistance, sample_cells};
///
/// let grid = Grid::<3>::unit(16)?;
/// let ball = SignedDistance::sphere([0.5; 3], 0.3);
/// let liquid = Liquid {
///     frame: 0,
///     time: 0.0,
///     grid,
///     distance: &sample_cells(&grid, |point| ball.at(point)),
///     velocity: &std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| 0.0)),
///     pressure: &CellField::from_fn(&grid, |_| 0.0),
/// };
/// let bytes = vdb::liquid(&liquid, &[Grids::Surface], Precision::Single);
/// assert!(bytes.starts_with(b" BDV"));
/// # Ok::<(), unstick_grid::GridError>(())
/// ```
pub fn liquid(liquid: &Liquid<'_>, grids: &[Grids], precision: Precision) -> Vec<u8> {
    let band = narrow_band(&liquid.grid, liquid.distance, BAND);
    let encoded = grids.iter().map(|kind| match kind {
        Grids::Surface => {
            let tree = surface(&band, liquid.grid.spacing());
            encode_grid("surface", GridClass::LevelSet, &tree, &liquid.grid, precision)
        }
        Grids::Velocity => {
            encode_grid("velocity", GridClass::Staggered, &velocity(liquid, &band), &liquid.grid, precision)
        }
        Grids::Pressure => {
            encode_grid("pressure", GridClass::Unknown, &pressure(liquid, &band), &liquid.grid, precision)
        }
    });
    let about = [
        ("creator", Metadata::Text(concat!("unstick ", env!("CARGO_PKG_VERSION")).into())),
        ("frame", Metadata::Long(liquid.frame as i64)),
        ("time", Metadata::Double(liquid.time)),
    ];
    file::file(&encoded.collect::<Vec<_>>(), &about)
}

fn surface(band: &Band, spacing: f64) -> Tree<f32> {
    let (lower, upper) = band.corners();
    Tree::build((BAND as f64 * spacing) as f32, lower, upper, |place| {
        let distance = band.at(place);
        match distance.abs() < BAND as f64 {
            true => Voxel::Active((distance * spacing) as f32),
            false if distance < 0.0 => Voxel::Inside,
            false => Voxel::Outside,
        }
    })
}

/// The velocity of voxels with a face at the liquid or its band. It is zero on faces outside of the lattice.
fn velocity(liquid: &Liquid<'_>, band: &Band) -> Tree<[f32; 3]> {
    let upper = liquid.grid.cells().map(|count| count as i32);
    Tree::build([0.0; 3], [0; 3], upper, |place| {
        let is_near = |place| band.at(place) < BAND as f64;
        let before = (0..3).any(|axis| {
            let mut lower = place;
            lower[axis] -= 1;
            is_near(lower)
        });
        if !(is_near(place) || before) {
            return Voxel::Outside;
        }
        let face = place.map(|index| index as usize);
        Voxel::Active(std::array::from_fn(|axis| {
            let shape = liquid.velocity[axis].shape();
            let is_there = (0..3).all(|along| face[along] < shape[along]);
            if is_there { liquid.velocity[axis].at(face) as f32 } else { 0.0 }
        }))
    })
}

fn pressure(liquid: &Liquid<'_>, band: &Band) -> Tree<f32> {
    let upper = liquid.grid.cells().map(|count| count as i32 - 1);
    Tree::build(0.0, [0; 3], upper, |place| {
        let value = liquid.pressure.at(place.map(|index| index as usize));
        if value != 0.0 || band.at(place) < 0.0 { Voxel::Active(value as f32) } else { Voxel::Outside }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use unstick_grid::{SignedDistance, sample_cells};

    #[test]
    fn only_voxels_near_the_liquid_are_active() {
        let grid = Grid::<3>::unit(32).unwrap();
        let ball = SignedDistance::sphere([0.5; 3], 0.25);
        let distance = sample_cells(&grid, |point| ball.at(point));
        let values = Liquid {
            frame: 0,
            time: 0.0,
            grid,
            distance: &distance,
            velocity: &std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |face| face[axis] as f64)),
            pressure: &sample_cells(&grid, |point| (-ball.at(point)).max(0.0)),
        };
        let band = narrow_band(&grid, &distance, BAND);
        let near =
            |limit: f64| grid.iter().filter(|cell| band.at(cell.map(|index| index as i32)) < limit).count() as u64;
        let shell = near(BAND as f64) - near(1.0 - BAND as f64);
        let surface = surface(&band, grid.spacing());
        assert!(surface.active > shell / 2 && surface.active < near(BAND as f64), "{} of {shell}", surface.active);
        assert_eq!(pressure(&values, &band).active, near(0.0));
        assert!(velocity(&values, &band).active > near(BAND as f64), "the upper faces belong to further voxels");
    }
}
