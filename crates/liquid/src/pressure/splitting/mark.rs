//! Which walls are left \[Eckert2014, alg. 3\].

use super::Marking;
use super::closed_faces::{ClosedFace, ClosedFaces};

impl<const D: usize> ClosedFaces<D> {
    /// Marks the faces that the liquid leaves, once in a step, from the pressure q of
    /// the first solve and the velocity that it would give the liquid at walls that are air.
    ///
    /// The source marks solid cells, and with them all of their faces. Here every face is judged by itself: otherwise
    /// liquid would run through plates that are one cell thick.
    pub fn mark(&mut self, marking: Marking, q: &[f64]) {
        for face in self.list.iter_mut().filter(|face| face.away != 0.0) {
            face.is_left = match marking {
                Marking::Velocity => face.speed * face.away > 0.0,
                Marking::Pressure => pressure_beside(face, q) <= 0.0,
            };
        }
    }
}

/// Mean of the cells on either side.
fn pressure_beside<const D: usize>(face: &ClosedFace<D>, q: &[f64]) -> f64 {
    let (sum, count) = face.rows().fold((0.0, 0.0), |(sum, count), row| (sum + q[row], count + 1.0));
    sum / count
}
