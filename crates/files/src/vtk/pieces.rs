//! Lists of pieces for ParaView: `.pvti` and `.pvtp`. Each piece is a file of its own, which another process may have written.

use unstick_grid::Grid;

use super::{extent, placement};
use crate::page::escape;

/// `.pvti`: what [`fields`](super::fields) has written of parts of a grid, each with its first cell and its cells. Arrays
/// are those of cells and those of nodes, by name.
pub fn fields<const D: usize>(
    grid: &Grid<D>,
    [cells, nodes]: [&[&str]; 2],
    pieces: &[([usize; D], [usize; D], String)],
) -> Vec<u8> {
    let mut text = head("PImageData", &placement(grid));
    text += "<PCellData Vectors=\"velocity\">\n";
    cells.iter().for_each(|name| text += &array("Float32", name, 1));
    text += &array("Float32", "velocity", 3);
    text += "</PCellData>\n<PPointData>\n";
    nodes.iter().for_each(|name| text += &array("Float32", name, 1));
    text += "</PPointData>\n";
    for (first, cells, source) in pieces {
        text += &format!("<Piece Extent=\"{}\" Source=\"{}\"/>\n", extent(*first, *cells), escape(source));
    }
    (text + "</PImageData>\n</VTKFile>\n").into_bytes()
}

/// `.pvtp`: what [`points`](super::points) has written of parts of the particles.
pub fn points(pieces: &[String]) -> Vec<u8> {
    let mut text = head("PPolyData", "");
    text += "<PPoints>\n";
    text += &array("Float32", "Points", 3);
    text += "</PPoints>\n<PPointData Vectors=\"velocity\">\n";
    text += &array("Float32", "velocity", 3);
    text += &array("Int64", "id", 1);
    text += "</PPointData>\n";
    pieces.iter().for_each(|source| text += &format!("<Piece Source=\"{}\"/>\n", escape(source)));
    (text + "</PPolyData>\n</VTKFile>\n").into_bytes()
}

fn head(kind: &str, attributes: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
         <{kind} GhostLevel=\"0\"{attributes}>\n"
    )
}

fn array(kind: &str, name: &str, components: usize) -> String {
    format!("<PDataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\"/>\n")
}
