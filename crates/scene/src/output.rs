//! What a scene asks to be written.

/// What is written, beside statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Width of pictures in pixels. Default 480.
    pub width: usize,
    /// Whether pictures are drawn. Default true.
    pub frames: bool,
    /// Whether they are joined to a movie. Default true.
    pub movie: bool,
    /// Frames of the movie per second. Default 30: slow motion where frames are 0.01 s apart.
    pub fps: f64,
    /// Whether the liquid of plane pictures is shaded by pressure. Default false.
    pub pressure: bool,
    /// Formats of particle files. Default none.
    pub particles: Vec<ParticleFormat>,
    /// Formats of surface meshes. Default none.
    pub surface: Vec<SurfaceFormat>,
    /// Formats of fields. Default none.
    pub volume: Vec<VolumeFormat>,
    /// Whether the files of the viewer are written. Default none: if they stay small.
    pub view: Option<bool>,
    /// Data of every so many frames. Default 1.
    pub every: usize,
    /// A checkpoint every so many frames; 0 for none but on interruption. Default 10.
    pub checkpoint_every: usize,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            width: 480,
            frames: true,
            movie: true,
            fps: 30.0,
            pressure: false,
            particles: Vec::new(),
            surface: Vec::new(),
            volume: Vec::new(),
            view: None,
            every: 1,
            checkpoint_every: 10,
        }
    }
}

/// A format of particle files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParticleFormat {
    /// Binary PLY.
    Ply,
    /// VTK, legacy, binary.
    Vtk,
    /// NumPy archive of `position`, `velocity`, `time`.
    Npz,
}

impl ParticleFormat {
    /// All, by name.
    pub const ALL: &'static [(&'static str, Self)] = &[("ply", Self::Ply), ("vtk", Self::Vtk), ("npz", Self::Npz)];
}

/// A format of surface meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SurfaceFormat {
    /// Binary PLY.
    Ply,
    /// OBJ.
    Obj,
}

impl SurfaceFormat {
    /// All, by name.
    pub const ALL: &'static [(&'static str, Self)] = &[("ply", Self::Ply), ("obj", Self::Obj)];
}

/// A format of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VolumeFormat {
    /// VTK, legacy, binary: structured points.
    Vtk,
}

impl VolumeFormat {
    /// All, by name.
    pub const ALL: &'static [(&'static str, Self)] = &[("vtk", Self::Vtk)];
}
