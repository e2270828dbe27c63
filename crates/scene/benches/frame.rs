//! What a frame costs beside the steps: `cargo bench -p unstick-scene --bench frame [-- SCENE CELLS FRAMES BACKEND]`.
//! Milliseconds on the clock and of all processors, in the mean of some frames in the middle of a run.

use std::sync::Arc;
use std::time::Instant;

use unstick_scene::draw::draw;
use unstick_scene::run::{AnyRunScene, RunFolder, RunScene, Stepper};
use unstick_scene::sink::view::ViewSink;
use unstick_scene::sink::{FrameSink, surface_of};
use unstick_scene::{Frame, SceneFile};

/// Frames that are measured.
const MEASURED: usize = 8;

/// Milliseconds of a piece of work, on the clock and of all processors.
#[derive(Clone, Copy, Default)]
struct Cost {
    clock: f64,
    processors: f64,
}

/// Seconds that all threads of this process have worked.
fn worked() -> f64 {
    const TICKS_A_SECOND: f64 = 100.0; // on every Linux
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS_A_SECOND
}

impl Cost {
    fn add<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (start, before) = (Instant::now(), worked());
        let result = work();
        self.clock += 1e3 * start.elapsed().as_secs_f64();
        self.processors += 1e3 * (worked() - before);
        result
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let argument = |place: usize, default: &'static str| arguments.get(place).map_or(default, String::as_str);
    let (scene, cells, frames) = (argument(0, "dam-break-3d"), argument(1, "128"), argument(2, "20"));
    let mut file = SceneFile::find(scene)?;
    let axes = if file.scene()?.dimension() == 2 { [cells; 2].join(",") } else { [cells; 3].join(",") };
    file.set(&format!("grid.cells = [{axes}]"))?;
    file.set(&format!("pressure.backend = \"{}\"", argument(3, "auto")))?;
    println!("{scene}, {cells} cells an axis, {} threads", rayon::current_num_threads());
    match AnyRunScene::of(&file, None)? {
        AnyRunScene::Plane(scene) => measure(&scene, frames.parse()?),
        AnyRunScene::Space(scene) => measure(&scene, frames.parse()?),
    }
}

fn measure<const D: usize>(scene: &RunScene<D>, frames: usize) -> Result<(), Box<dyn std::error::Error>> {
    let folder = RunFolder::new(std::env::temp_dir().join(format!("unstick-frame-{}", std::process::id())));
    folder.create()?;
    // A device is opened and its kernels are compiled the first time only.
    for time in ["first", "second"] {
        let start = Instant::now();
        drop(scene.physics.begin()?);
        println!("begun in {:.2} s the {time} time", start.elapsed().as_secs_f64());
    }
    let mut stepper = scene.physics.begin()?;
    let mut sink = ViewSink::create(&folder, scene, &stepper.frame(0))?;
    let [mut steps, mut frame_of, mut mesh, mut files, mut picture, mut png] = [Cost::default(); 6];
    let (mut bytes, mut count) = (0, 0);
    for number in 1..=frames + MEASURED {
        let time = number as f64 * scene.frame_seconds;
        if number <= frames {
            advance(&mut *stepper, time)?;
            continue;
        }
        count += steps.add(|| advance(&mut *stepper, time))?;
        let frame = Arc::new(frame_of.add(|| stepper.frame(number)));
        if let Some(frame) = frame.in_space() {
            mesh.add(|| surface_of(frame).triangles.len());
        }
        let _ = files.add(|| FrameSink::<D>::receive(&mut sink, &frame))?;
        let image = picture.add(|| draw::<D>(&frame, &scene.style));
        bytes += png.add(|| image.encode_png())?.len();
        if number == frames + MEASURED {
            report_frame(&frame);
        }
    }
    let all = [
        ("steps", steps),
        ("the frame itself", frame_of),
        ("a mesh", mesh),
        ("viewer's files", files),
        ("picture", picture),
        ("PNG", png),
    ];
    println!("{:20}{:>10}{:>14}", "ms a frame", "clock", "processors");
    for (name, cost) in all {
        let [clock, processors] = [cost.clock, cost.processors].map(|ms| ms / MEASURED as f64);
        println!("{name:20}{clock:>10.2}{processors:>14.2}");
    }
    println!("{:.1} steps a frame, {} bytes a picture", count as f64 / MEASURED as f64, bytes / MEASURED);
    std::fs::remove_dir_all(folder.path())?;
    Ok(())
}

fn report_frame<const D: usize>(frame: &Frame<D>) {
    println!("{} particles at {:.2} s", frame.positions.len(), frame.time);
}

fn advance<const D: usize>(stepper: &mut dyn Stepper<D>, time: f64) -> Result<usize, Box<dyn std::error::Error>> {
    let mut steps = 0;
    while let Some(length) = stepper.next_step(time) {
        stepper.advance(length)?;
        steps += 1;
    }
    Ok(steps)
}
