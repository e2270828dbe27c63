//! Curves of single bodies.

use unstick_files::plot::{Dimension, Plot, Scale};

use super::RunSeries;
use super::page::{curve, over_time};

/// Place, velocity and force along every axis, all bodies in one plot.
pub(super) fn plots(bodies: &[RunSeries]) -> Vec<Plot> {
    const QUANTITIES: [(&str, &str, &str); 11] = [
        ("x", "Place along x", "m"),
        ("y", "Place along y", "m"),
        ("z", "Place along z", "m"),
        ("velocity_x", "Velocity along x", "m/s"),
        ("velocity_y", "Velocity along y", "m/s"),
        ("velocity_z", "Velocity along z", "m/s"),
        ("spin", "Spin", "1/s"),
        ("liquid_force_x", "Force of the liquid along x", "N"),
        ("liquid_force_y", "Force of the liquid along y", "N"),
        ("liquid_force_z", "Force of the liquid along z", "N"),
        ("contact_force_y", "Force of contacts along y", "N"),
    ];
    let moves = |values: &[f64]| values.iter().any(|value| value.is_finite() && *value != values[0]);
    let plot = |&(column, title, unit): &(&str, &str, &str)| {
        let each = bodies.iter().enumerate().filter_map(|(colour, body)| {
            let values = body.column(column)?;
            moves(values).then(|| curve(body, body.label.clone(), values, colour))
        });
        over_time(title, Dimension::new(unit, Scale::Linear), each.collect())
    };
    QUANTITIES.iter().map(plot).collect()
}
