//! Runs: one loop for every physics, with a folder or without, alone or side by side.
//!
//! ```text
//! Session                what the command and Python drive: pictures, status, movie and report
//!   Group                one run, or two that are compared
//!     Run                the loop: step, note, show, checkpoint
//!       Stepper          a liquid, a viscous flow
//!       FrameSink        data files, the viewer's files, your own
//! RunFolder              where every file lies
//! Replay                 frames of a run that is over
//! ```

mod background;
mod checkpoint;
mod chunks;
mod clock;
mod compare;
mod device;
mod driver;
mod edit;
mod error;
mod finish;
mod folder;
mod group;
mod liquid;
mod parts;
mod record;
mod replay;
mod session;
mod shared;
mod status;
mod stepper;
mod table;
mod viscous;

pub use compare::{Comparison, ParseComparisonError};
pub use driver::{Progress, Run};
pub use edit::Edit;
pub use error::RunError;
pub use finish::{DataFiles, Finished};
pub use folder::{DataKind, FolderClaim, RunFolder};
pub use parts::Parts;
pub use record::RunRecord;
pub use replay::{Origin, Replay};
pub use session::{AnyFrame, RunRequest, Session};
pub use shared::{SharedBy, dismiss, follow};
pub use status::{RunState, RunStatus, StatusWriter, ask_to_stop, is_live};
pub use stepper::{
    AnyRunScene, DeviceWork, Physics, RunScene, Snapshot, StateError, StepBound, StepRecord, Stepper, Value,
};
