//! `.vti`: fields on a lattice.

use super::xml::Document;
use crate::{Fields, in_space};

/// Fields of the cells, velocity among them, and of the nodes.
pub fn fields<const D: usize>(fields: &Fields<'_, D>) -> Vec<u8> {
    let [nx, ny, nz] = fields.nodes_along().map(|count| count - 1);
    let [x, y, z] = in_space(&fields.grid.origin());
    let (extent, spacing) = (format!("0 {nx} 0 {ny} 0 {nz}"), fields.grid.spacing());
    let attributes =
        format!(" WholeExtent=\"{extent}\" Origin=\"{x} {y} {z}\" Spacing=\"{spacing} {spacing} {spacing}\"");
    let mut file = Document::new("ImageData", &attributes, fields.time);
    file.line(&format!("<Piece Extent=\"{extent}\">\n<CellData Vectors=\"velocity\">"));
    for (name, values) in &fields.cells {
        file.floats(name, 1, values.iter().copied());
    }
    file.floats("velocity", 3, fields.velocity_of_cells().flatten().map(|value| value as f32));
    file.line("</CellData>\n<PointData>");
    for (name, values) in &fields.nodes {
        file.floats(name, 1, values.values().iter().map(|&value| value as f32));
    }
    file.line("</PointData>\n</Piece>");
    file.finish()
}
