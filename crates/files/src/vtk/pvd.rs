//! `.pvd`: a list of files and their times.

use std::fmt::Write as _;

/// A time series of files. Each has a time in seconds and a path relative to the `.pvd`.
pub fn pvd(files: &[(f64, String)]) -> Vec<u8> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (time, file) in files {
        let file = file.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let _ = writeln!(text, "<DataSet timestep=\"{time}\" part=\"0\" file=\"{file}\"/>");
    }
    text.push_str("</Collection>\n</VTKFile>\n");
    text.into_bytes()
}
