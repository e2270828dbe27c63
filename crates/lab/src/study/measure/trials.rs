//! Trials: measurements with their own code.

use super::{Measurement, Session};
use crate::LabError;
use crate::study::record::{Record, Trial};
use crate::study::{Scope, Trials};

pub fn measurements(experiment: &Trials, scope: Scope) -> Vec<Measurement> {
    let measurement = |&row: &&'static str| Measurement {
        scene: experiment.what,
        size: 0,
        frame: 0,
        row,
        column: "",
        key: format!("trial {} {row} {scope:?}", experiment.what),
    };
    experiment.rows.of(scope).iter().map(measurement).collect()
}

pub fn measure(experiment: &Trials, scope: Scope, session: &mut Session) -> Result<(), LabError> {
    for measurement in measurements(experiment, scope) {
        if !session.has(&measurement.key) {
            session.say(format!("{} {}", experiment.what, measurement.row));
            let (numbers, error) = match (experiment.carry_out)(measurement.row, scope) {
                Ok(numbers) => (numbers.into_iter().map(|(name, value)| (name.into(), value)).collect(), None),
                Err(error) => (Vec::new(), Some(error)),
            };
            session.keep(measurement.key, Record::Trial(Trial { numbers, error }))?;
        }
    }
    Ok(())
}
