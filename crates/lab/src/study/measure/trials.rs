//! Trials: measurements with their own code.

use super::{Measurement, Session};
use crate::LabError;
use crate::study::bodies::trial;
use crate::study::record::{Record, Trial};
use crate::study::{Scope, Trials};

pub fn measurements(Trials { what, rows }: &Trials, scope: Scope) -> Vec<Measurement> {
    let measurement = |row: &String| Measurement::new(what, 0, 0, [row, ""], format!("trial {what} {row} {scope:?}"));
    rows.of(scope).iter().map(measurement).collect()
}

pub fn measure(experiment: &Trials, scope: Scope, session: &mut Session) -> Result<(), LabError> {
    let what = &experiment.what;
    for Measurement { row, key, .. } in measurements(experiment, scope) {
        if !session.has(&key) {
            session.say(format!("{what} {row}"));
            let carry_out = trial(what).ok_or_else(|| format!("there is no trial {what}"));
            let (numbers, error) = match carry_out.and_then(|carry_out| carry_out(&row)) {
                Ok(numbers) => (numbers.into_iter().map(|(name, value)| (name.into(), value)).collect(), None),
                Err(error) => (Vec::new(), Some(error)),
            };
            session.keep(key, Record::Trial(Trial { numbers, error }))?;
        }
    }
    Ok(())
}
