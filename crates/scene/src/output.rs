//! What a scene asks to be written.

use unstick_files::vdb::{Grids, Precision};

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
    /// Particle files. Default none.
    pub particles: Vec<FileRequest<ParticleFormat>>,
    /// Surface meshes. Default none.
    pub surface: Vec<FileRequest<SurfaceFormat>>,
    /// Fields. Default none.
    pub volume: Vec<FileRequest<VolumeFormat>>,
    /// What `.vdb` files hold.
    pub vdb: VdbOptions,
    /// Frames whose whole state is kept, for `unstick export`. Default none.
    pub states: Option<Schedule>,
    /// Whether the viewer's files are written. Default none: if they stay small.
    pub view: Option<bool>,
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
            vdb: VdbOptions::default(),
            states: None,
            view: None,
            checkpoint_every: 10,
        }
    }
}

/// A request for files of one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRequest<F> {
    /// The format.
    pub format: F,
    /// Of which frames.
    pub schedule: Schedule,
    /// One of so many particles. Default 1.
    pub thin: usize,
}

/// Which frames are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// One of so many, counted from frame 0. Default 1.
    pub every: usize,
    /// None before this frame. Default 0.
    pub from: usize,
    /// None after this frame. Default: all.
    pub until: usize,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { every: 1, from: 0, until: usize::MAX }
    }
}

impl Schedule {
    /// Whether a frame is written.
    pub fn takes(&self, frame: usize) -> bool {
        frame.is_multiple_of(self.every) && (self.from..=self.until).contains(&frame)
    }
}

/// What `.vdb` files hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VdbOptions {
    /// Which grids. Default all: surface, velocity, pressure.
    pub grids: Vec<Grids>,
    /// How values are stored. Default single.
    pub precision: Precision,
}

impl Default for VdbOptions {
    fn default() -> Self {
        Self { grids: Grids::ALL.iter().map(|(_, grid)| *grid).collect(), precision: Precision::Single }
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
    /// VTK, XML, with a `.pvd`.
    Vtp,
    /// NumPy archive of `position`, `velocity`, `time`.
    Npz,
}

impl ParticleFormat {
    /// All, by name.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("ply", Self::Ply), ("vtk", Self::Vtk), ("vtp", Self::Vtp), ("npz", Self::Npz)];

    /// How names of the files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Ply => "ply",
            Self::Vtk => "vtk",
            Self::Vtp => "vtp",
            Self::Npz => "npz",
        }
    }
}

/// A format of surface meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SurfaceFormat {
    /// Binary PLY.
    Ply,
    /// OBJ.
    Obj,
    /// glTF in one file.
    Glb,
    /// VTK, XML, with a `.pvd`.
    Vtp,
    /// A layer per frame, with a stage of liquid, walls and bodies.
    Usd,
}

impl SurfaceFormat {
    /// All, by name.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("ply", Self::Ply), ("obj", Self::Obj), ("glb", Self::Glb), ("vtp", Self::Vtp), ("usd", Self::Usd)];

    /// How names of the files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Ply => "ply",
            Self::Obj => "obj",
            Self::Glb => "glb",
            Self::Vtp => "vtp",
            Self::Usd => "usda",
        }
    }
}

/// A format of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VolumeFormat {
    /// VTK, legacy, binary: structured points.
    Vtk,
    /// VTK, XML, with a `.pvd`.
    Vti,
    /// OpenVDB; in space only.
    Vdb,
}

impl VolumeFormat {
    /// All, by name.
    pub const ALL: &'static [(&'static str, Self)] = &[("vtk", Self::Vtk), ("vti", Self::Vti), ("vdb", Self::Vdb)];

    /// How names of the files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Vtk => "vtk",
            Self::Vti => "vti",
            Self::Vdb => "vdb",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_counts_from_frame_zero_within_its_range() {
        let schedule = Schedule { every: 5, from: 8, until: 20 };
        let taken: Vec<usize> = (0..40).filter(|&frame| schedule.takes(frame)).collect();
        assert_eq!(taken, [10, 15, 20]);
        assert!((0..40).all(|frame| Schedule::default().takes(frame)));
    }
}
