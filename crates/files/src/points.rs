//! Particles for export.

use crate::in_space;

/// Positions, velocities and numbers of all particles, or of one in `thin`.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, const D: usize> {
    /// Seconds.
    pub time: f64,
    /// Positions.
    pub position: &'a [[f64; D]],
    /// Velocities, one per position.
    pub velocity: &'a [[f64; D]],
    /// Numbers, one per position. A particle has the same one in all files.
    pub id: &'a [u64],
    /// Particles are written whose number this divides, the same ones in all files; 1 writes all.
    pub thin: usize,
}

impl<const D: usize> Points<'_, D> {
    /// Number of particles that are written.
    pub fn len(&self) -> usize {
        self.id.iter().filter(|&&id| self.is_kept(id)).count()
    }

    /// Whether none is written.
    pub fn is_empty(&self) -> bool {
        !self.id.iter().any(|&id| self.is_kept(id))
    }

    fn is_kept(&self, id: u64) -> bool {
        id.is_multiple_of(self.thin.max(1) as u64)
    }

    /// The positions, velocities or numbers that are written.
    pub(crate) fn kept<'b, T>(&self, values: &'b [T]) -> impl Iterator<Item = &'b T> {
        self.id.iter().zip(values).filter(|(id, _)| self.is_kept(**id)).map(|(_, value)| value)
    }

    pub(crate) fn positions(&self) -> impl Iterator<Item = [f64; 3]> {
        self.kept(self.position).map(in_space)
    }

    pub(crate) fn velocities(&self) -> impl Iterator<Item = [f64; 3]> {
        self.kept(self.velocity).map(in_space)
    }

    /// Formats have signed integers of 64 bits, and no run has so many particles.
    pub(crate) fn ids(&self) -> impl Iterator<Item = i64> {
        self.kept(self.id).map(|&id| id as i64)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::{npz, ply, vtk};

    const IDS: [u64; 5] = [4, 7, 1 << 40, 3, 0];
    const KEPT: [i64; 3] = [4, 1 << 40, 0];

    fn every_other<R>(write: impl Fn(&Points<'_, 2>) -> R) -> R {
        let position: Vec<[f64; 2]> = (0..5).map(|number| [f64::from(number), 0.5]).collect();
        write(&Points { time: 0.25, position: &position, velocity: &position, id: &IDS, thin: 2 })
    }

    fn after<'a>(bytes: &'a [u8], mark: &str) -> &'a [u8] {
        let start = bytes.windows(mark.len()).position(|window| window == mark.as_bytes());
        &bytes[start.unwrap_or_else(|| panic!("no {mark}")) + mark.len()..]
    }

    #[test]
    fn those_are_kept_whose_number_the_thinning_divides() {
        every_other(|points| {
            assert_eq!((points.len(), points.is_empty()), (3, false));
            assert_eq!(points.positions().map(|[x, ..]| x).collect::<Vec<_>>(), [0.0, 2.0, 4.0]);
            assert_eq!(points.ids().collect::<Vec<_>>(), KEPT);
            let odd = Points { id: &[1, 3, 5, 7, 9], ..*points };
            assert_eq!((odd.len(), odd.is_empty()), (0, true));
            assert_eq!(Points { thin: 1, ..*points }.len(), 5);
        });
    }

    #[test]
    fn a_ply_file_has_a_number_at_the_end_of_each_vertex() {
        let bytes = every_other(ply::points);
        let rows = after(&bytes, "property float vz\nproperty uint id\nend_header\n");
        let ids = rows.chunks(28).map(|row| u32::from_le_bytes(row[24..].try_into().unwrap()));
        assert_eq!(ids.collect::<Vec<_>>(), [4, 0, 0], "the lower 32 bits");
    }

    #[test]
    fn a_legacy_file_has_numbers_as_a_field() {
        let bytes = every_other(vtk::legacy_points);
        let found = after(&bytes, "\nFIELD FieldData 1\nid 1 3 vtktypeint64\n").chunks(8);
        assert_eq!(found.map(|id| i64::from_be_bytes(id.try_into().unwrap())).collect::<Vec<_>>(), KEPT);
    }

    #[test]
    fn an_archive_has_an_array_of_numbers() {
        let bytes = every_other(npz::points);
        let array = after(after(&bytes, "id.npy"), "'<i8', 'fortran_order': False, 'shape': (3,), }");
        let found = after(array, "\n")[..24].chunks(8);
        assert_eq!(found.map(|id| i64::from_le_bytes(id.try_into().unwrap())).collect::<Vec<_>>(), KEPT);
    }

    #[test]
    fn a_vtp_file_has_an_array_of_numbers_beside_the_velocity() {
        let bytes = every_other(vtk::points);
        let text = String::from_utf8_lossy(&bytes);
        let entry = text.split("Name=\"velocity\"").nth(1).unwrap().lines().nth(1).unwrap();
        assert!(entry.starts_with("<DataArray type=\"Int64\" Name=\"id\" NumberOfComponents=\"1\""), "{entry}");
        let offset: usize = entry.split("offset=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        // One piece: their number, their size, the size of the last one, its size when packed.
        let data = &after(&bytes, "<AppendedData encoding=\"raw\">\n_")[offset + 4 * 8..];
        let mut unpacked = Vec::new();
        flate2::read::ZlibDecoder::new(data).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, KEPT.map(i64::to_le_bytes).as_flattened());
    }
}
