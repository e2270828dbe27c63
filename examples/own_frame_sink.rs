//! A frame sink of one's own: it receives every frame of a run and may end the run.
//!
//! This one prints how high the liquid reaches, and ends the run when the liquid touches the ceiling.
//!
//! ```sh
//! cargo run --release -p unstick --example own_frame_sink
//! ```

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use unstick::scene::run::{AnyRunScene, Progress, Run, RunError};
use unstick::scene::sink::FrameSink;
use unstick::scene::{Frame, SceneFile};

/// Prints the height of the liquid until it reaches a ceiling.
struct HeightMeter {
    ceiling: f64,
}

impl FrameSink<2> for HeightMeter {
    fn receive(&mut self, frame: &Arc<Frame<2>>) -> Result<ControlFlow<()>, RunError> {
        let height = frame.positions.iter().map(|[_, y]| *y).fold(0.0, f64::max);
        println!("frame {:3}, t = {:.2} s: the liquid reaches {height:.2} m", frame.number, frame.time);
        Ok(if height < self.ceiling { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut file = SceneFile::find("dam-break")?;
    file.set("grid.cells=[64,48]")?;
    let AnyRunScene::Plane(scene) = AnyRunScene::of(&file, None)? else { return Err("a scene of the plane".into()) };
    let frames = scene.frames;
    let mut run = Run::begin(scene)?;
    run.add_sink(HeightMeter { ceiling: 0.74 });
    let stop = AtomicBool::new(false);
    while run.number() < frames && run.advance(&stop)? == Progress::Frame {}
    println!("the run ended after frame {}", run.number());
    Ok(())
}
