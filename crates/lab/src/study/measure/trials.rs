//! Trials: measurements that are neither a solver on a frame nor a scene.

use super::{Desk, Place};
use crate::LabError;
use crate::study::record::{Record, Trial};
use crate::study::{Pace, Trials};

pub fn places(task: &Trials, pace: Pace) -> Vec<Place> {
    let place = |&row: &&'static str| Place {
        scene: task.what,
        size: 0,
        frame: 0,
        row,
        column: "",
        key: format!("trial {} {row} {pace:?}", task.what),
    };
    pace.of(&task.rows).iter().map(place).collect()
}

pub fn measure(task: &Trials, pace: Pace, desk: &mut Desk) -> Result<(), LabError> {
    for place in places(task, pace) {
        if !desk.has(&place.key) {
            desk.say(format!("{} {}", task.what, place.row));
            let (numbers, error) = match (task.carry_out)(place.row, pace) {
                Ok(numbers) => (numbers.into_iter().map(|(name, value)| (name.into(), value)).collect(), None),
                Err(error) => (Vec::new(), Some(error)),
            };
            desk.keep(place.key, Record::Trial(Trial { numbers, error }))?;
        }
    }
    Ok(())
}
