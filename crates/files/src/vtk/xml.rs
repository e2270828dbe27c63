//! VTK's XML files: a description, followed by the arrays, compressed by zlib.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Arrays are compressed in pieces of this many bytes, which readers can decompress one by one.
const PIECE: usize = 1 << 20;

/// A file to which elements and arrays are appended.
pub(super) struct Document {
    kind: &'static str,
    text: String,
    data: Vec<u8>,
}

impl Document {
    /// Opens a data set such as `ImageData`, with attributes.
    pub fn new(kind: &'static str, attributes: &str, time: f64) -> Self {
        let text = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<{kind}{attributes}>\n<FieldData>\
             <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{time}</DataArray>\
             </FieldData>\n"
        );
        Self { kind, text, data: Vec::new() }
    }

    /// Appends a line of the description.
    pub fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Appends an array of single precision.
    pub fn floats(&mut self, name: &str, components: usize, values: impl Iterator<Item = f32>) {
        self.array("Float32", name, components, &values.flat_map(f32::to_le_bytes).collect::<Vec<u8>>());
    }

    /// Appends an array of whole numbers.
    pub fn integers(&mut self, name: &str, values: impl Iterator<Item = i64>) {
        self.array("Int64", name, 1, &values.flat_map(i64::to_le_bytes).collect::<Vec<u8>>());
    }

    fn array(&mut self, kind: &str, name: &str, components: usize, bytes: &[u8]) {
        let offset = self.data.len();
        self.line(&format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" \
             offset=\"{offset}\"/>"
        ));
        let packed: Vec<Vec<u8>> = bytes.chunks(PIECE).map(pack).collect();
        let header = [packed.len(), PIECE, bytes.len() % PIECE];
        for word in header.into_iter().chain(packed.iter().map(Vec::len)) {
            self.data.extend((word as u64).to_le_bytes());
        }
        packed.iter().for_each(|piece| self.data.extend(piece));
    }

    /// Closes the data set and returns the file.
    pub fn finish(mut self) -> Vec<u8> {
        self.text.push_str(&format!("</{}>\n<AppendedData encoding=\"raw\">\n_", self.kind));
        let mut bytes = self.text.into_bytes();
        bytes.append(&mut self.data);
        bytes.extend(b"\n</AppendedData>\n</VTKFile>\n");
        bytes
    }
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
