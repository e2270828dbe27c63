//! Values in the syntax of the text format.

use std::fmt::{Display, Write as _};

use unstick_grid::Pose;

/// `[(0, 0, 0), (1, 0, 0)]`
pub(super) fn vectors(values: impl IntoIterator<Item = [f32; 3]>) -> String {
    list(values.into_iter().map(|[x, y, z]| format!("({x}, {y}, {z})")))
}

/// `[3, 3, 3]`
pub(super) fn list<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    let mut text = String::from("[");
    for (place, value) in values.into_iter().enumerate() {
        let comma = if place > 0 { ", " } else { "" };
        let _ = write!(text, "{comma}{value}");
    }
    text + "]"
}

/// A pose as a matrix that acts on row vectors: the transposed rotation, and the translation in the last row.
pub(super) fn matrix(pose: &Pose<3>) -> String {
    let (rotation, [x, y, z]) = (pose.rotation(), pose.translation());
    let column = |k: usize| format!("({}, {}, {}, 0)", rotation[0][k], rotation[1][k], rotation[2][k]);
    format!("( {}, {}, {}, ({x}, {y}, {z}, 1) )", column(0), column(1), column(2))
}
